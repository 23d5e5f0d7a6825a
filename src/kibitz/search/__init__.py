"""Agents that play any game, and what they are made of."""
