"""Who plays in the paper on learning 6 nimmt!, where, and how its numbers are written."""

from typing import Any

from kibitz.papers.learning import Lesson
from kibitz.papers.plan import Player, Unit

FIVE, FOUR = "nimmt:players=5,rows=lowest", "nimmt:players=4,rows=lowest"

CARDS_PLAYED = 9
"""Decisions of a round: the last card is not one."""

RATIOS = Unit("share or ratio", ".3f", 0.05)
HEADS = Unit("bull heads", ".2f", 0.75)
TIMES = Unit("milliseconds per move, of processor time", ".3f", 1.0, 1000.0, ",.0f", is_time=True)
ELO = Unit("Elo", ".0f", 50.0)
VALUE_LOSS = Unit("squared error of the value, in heads²", ".1f", 2.0)
POLICY_LOSS = Unit("−Σ log(probability) of a game's moves", ".2f", 1.0)


def mcs(sims: int) -> Player:
    """Return flat Monte Carlo with the paper's rule: fewer simulations near the end."""
    return Player(f"MCS({sims})", f"mcs:sims={sims},budget=factorial", sims * CARDS_PLAYED)


def guided(label: str, name: str, sims: int) -> Player:
    """Return one of the agents that a network guides; its simulations take longer."""
    return Player(f"{label}({sims})", f"{name}:sims={sims}", 5.0 * sims * CARDS_PLAYED)


def mod(sims: int) -> Player:
    """Return flat Monte Carlo with directed playouts."""
    return Player(f"MCS_Mod({sims})", f"mcs-mod:sims={sims}", 4.0 * sims * CARDS_PLAYED)


RANDOM = Player("random", "random", 1.0)


def searcher(label: str, name: str, game: str, sims: int = 50, **config: Any) -> Lesson:
    """Return an agent that a network guides, and that learns from what it plays."""
    agent = {"agent": f"{name}:sims={sims}", "encoding": "paper", "games": 10}
    return Lesson(label, "alpha05", f"{name}:sims={sims}", game, config={**agent, **config})
