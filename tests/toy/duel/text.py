"""Positions of Duel as the fields of the state, in order."""

import numpy as np
from rich.text import Text

from kibitz.core.errors import PositionError

FIELDS = ("hand", "gone", "dealt", "left", "chosen", "won")


def format_position(state: np.record) -> str:
    """Write every field as numbers."""
    return " ".join(".".join(str(v) for v in np.atleast_1d(state[name])) for name in FIELDS)


def parse_position(text: str, state: np.record) -> None:
    """Read what `format_position` wrote."""
    try:
        for name, word in zip(FIELDS, text.split(), strict=True):
            values = [int(value) for value in word.split(".")]
            state[name] = values if state[name].ndim else values[0]
    except (ValueError, OverflowError) as error:
        raise PositionError(f"not a position of duel: {error}") from None


def format_action(state: np.record, seat: int, action: int) -> str:
    """Write a card."""
    return str(action)


def parse_action(state: np.record, seat: int, text: str) -> int:
    """Read a card."""
    if not text.isdecimal() or len(text) > 2:
        raise PositionError(f"{text!r} is not a card of duel")
    return int(text)


def explain(state: np.record, seat: int, action: int) -> str:
    """Say why a card is refused."""
    return f"seat {seat} does not hold {action}"


def render(view: np.record, seat: int) -> Text:
    """Draw nothing fancy."""
    return Text(format_position(view))
