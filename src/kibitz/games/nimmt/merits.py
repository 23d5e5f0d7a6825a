"""What speaks for and against a card of 6 nimmt!, in facts that can be counted from a seat."""

from math import comb

import numpy as np

from kibitz.core.game import Action, Seat
from kibitz.core.messages import Message
from kibitz.games.nimmt.state import (
    CHOOSING,
    FIRST_ROW_ACTION,
    FULL_ROW,
    HIGHEST_CARD,
    ROWS,
    TAKING,
    deck_size,
    row_end,
    row_for,
)


def merits(view: np.record, seat: Seat, action: Action) -> list[Message]:
    """Return what speaks for or against an action, the weightiest first."""
    if view.phase == TAKING and action >= FIRST_ROW_ACTION:
        return [_of_row(view, int(action) - FIRST_ROW_ACTION)]
    if view.phase != CHOOSING or action >= FIRST_ROW_ACTION:
        return []
    row = int(row_for(view, action))
    return [_below_all(view, seat, action) if row < 0 else _on_row(view, seat, action, row)]


def chance(unseen: int, fitting: int, others: int, n: int) -> float:
    """Return how probably n of the others' cards are among the fitting ones.

    Each of the others plays any of the unseen cards, all alike (hypergeometric).
    """
    if n > min(fitting, others) or others - n > unseen - fitting:
        return 0.0
    return comb(fitting, n) * comb(unseen - fitting, others - n) / comb(unseen, others)


def unseen_cards(view: np.record, seat: Seat) -> set[int]:
    """Return the cards that others may hold, as far as the seat knows."""
    seen = {
        card for card in range(1, HIGHEST_CARD + 1) if int(view.seen[card >> 6]) >> (card & 63) & 1
    }
    own = {int(card) for card in view.hand[seat]}
    return set(range(1, int(deck_size(view)) + 1)) - seen - own


def _on_row(view: np.record, seat: Seat, card: int, row: int) -> Message:
    """Say on which row a card lands, and how probably it is the sixth there."""
    unseen, others = unseen_cards(view, seat), int(view.players) - 1
    fitting = sum(int(row_end(view, row)) < one < card for one in unseen)
    free = FULL_ROW - int(view.length[row])
    # With fewer before it there is room; with more, one of those is the sixth.
    risk = chance(len(unseen), fitting, others, free)
    if not risk:
        return Message("nimmt.safe", {"row": row + 1, "n": free})
    heads = Message("nimmt.n-heads", {"n": int(view.heads[row])})
    facts = {"row": row + 1, "heads": heads, "fitting": fitting, "n": free}
    return Message("nimmt.risk", {**facts, "percent": _percent(risk)})


def _below_all(view: np.record, seat: Seat, card: int) -> Message:
    """Say what a card below all rows costs, unless somebody is lower still."""
    unseen, others = unseen_cards(view, seat), int(view.players) - 1
    lower = sum(one < card for one in unseen)
    risk = chance(len(unseen), lower, others, 0)
    heads = min(int(view.heads[row]) for row in range(ROWS))
    return Message("nimmt.below-all", {"percent": _percent(risk), "n": heads})


def _percent(risk: float) -> str:
    """Write a chance in percent; a small one is not none."""
    return "<1" if 0 < risk < 0.005 else f"{100 * risk:.0f}"


def _of_row(view: np.record, row: int) -> Message:
    """Say what a row costs, beside the cheapest."""
    heads = [int(view.heads[one]) for one in range(ROWS)]
    facts = {"row": row + 1, "n": heads[row]}
    if heads[row] == min(heads):
        return Message("nimmt.cheapest", facts)
    return Message("nimmt.dearer", {**facts, "more": heads[row] - min(heads)})
