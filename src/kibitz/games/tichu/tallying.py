"""What learners tell of their play: combinations as shares of all plays, and calls by seat."""

from typing import Any

import numpy as np

from kibitz.games.tichu.cards import CALL, GRAND, NO_GRAND, TICHU
from kibitz.games.tichu.combinations import (
    BOMB,
    DOG,
    FULL_HOUSE,
    PAIR,
    SINGLE,
    STEPS,
    STRAIGHT,
    TRIO,
)

PLAYS = {
    "single": SINGLE,
    "pair": PAIR,
    "trio": TRIO,
    "full house": FULL_HOUSE,
    "straight": STRAIGHT,
    "pair steps": STEPS,
    "bomb": BOMB,
    "dog": DOG,
}
"""What can be laid, as the thesis names it."""


def told_of(tally: Any) -> dict[str, float]:
    """Return shares of plays, and how often a seat calls in a round.

    Args:
        tally: [kinds, heights] how often something was done, by two numbers of `describe`.
    """
    counts = np.asarray(tally)
    played = {name: float(counts[kind].sum()) for name, kind in PLAYS.items()}
    n_plays, calls = sum(played.values()), counts[DOG + CALL]
    n_seats = float(calls[NO_GRAND] + calls[GRAND])  # each is asked once in a round
    told = {f"plays/{name}": n / n_plays for name, n in played.items()} if n_plays else {}
    if n_seats:
        told |= {"calls/tichu": calls[TICHU] / n_seats, "calls/grand": calls[GRAND] / n_seats}
    return told
