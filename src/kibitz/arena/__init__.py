"""Matches on duplicate deals, tournaments, ratings and sequential tests."""

from kibitz.arena.match import Match, PlayedDeals, play
from kibitz.arena.result import Paired, Result, Standing
from kibitz.arena.statistics import Estimate

__all__ = ["Estimate", "Match", "Paired", "PlayedDeals", "Result", "Standing", "play"]
