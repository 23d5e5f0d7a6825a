"""Matches on duplicate deals, tournaments, ratings and sequential tests."""

from kibitz.arena.job import PlayedDeals
from kibitz.arena.match import Match, play
from kibitz.arena.result import Paired, Result, Standing
from kibitz.arena.statistics import Estimate
from kibitz.core.conduct import Conduct, Fault, Misbehaviour

__all__ = [
    "Conduct",
    "Estimate",
    "Fault",
    "Match",
    "Misbehaviour",
    "Paired",
    "PlayedDeals",
    "Result",
    "Standing",
    "play",
]
