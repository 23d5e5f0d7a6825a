"""Matches on duplicate deals, and what they say about the agents."""

from kibitz.arena.match import Estimate, Result, Standing, play

__all__ = ["Estimate", "Result", "Standing", "play"]
