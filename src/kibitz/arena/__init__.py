"""Matches on duplicate deals, and what they say about the agents."""

from kibitz.arena.match import Result, Standing, play

__all__ = ["Result", "Standing", "play"]
