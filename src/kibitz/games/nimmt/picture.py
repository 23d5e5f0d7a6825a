"""A 6 nimmt! table as pages draw it: see `kibitz.core.hints` and ui/src/wire.ts."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from kibitz.core.game import SPECTATOR, Action, Seat
from kibitz.core.messages import Message
from kibitz.core.wording import words
from kibitz.games.nimmt import MATCH_HEADS
from kibitz.games.nimmt.state import (
    BULL_HEADS,
    DRAFTING,
    FIRST_ROW_ACTION,
    FREE,
    HAND_CARDS,
    HIGHEST_CARD,
    MATCH,
    ROWS,
    TAKING,
    UNKNOWN,
    deck_size,
    hand_size,
    open_cards,
)
from kibitz.games.nimmt.text import PHASES, format_action

FACE_DOWN = 0


def picture(view: np.record, viewer: Seat) -> dict[str, Any]:
    """Return what a seat or a spectator sees."""
    seats = range(int(view.players))
    is_draft = view.phase == DRAFTING
    return {
        "game": "nimmt",
        "phase": PHASES[int(view.phase)],
        "round": int(view.rounds),
        "turn": min(int(view.turn) + 1, HAND_CARDS),
        "turns": HAND_CARDS,
        "match": MATCH_HEADS if view.match == MATCH else None,
        "rows": [_cards(view.board[row]) for row in range(ROWS)],
        "row_heads": [int(view.heads[row]) for row in range(ROWS)],
        "hand": [] if viewer == SPECTATOR else _cards(view.hand[viewer]),
        "hands": [_hand(view, seat) for seat in seats],
        "hand_size": int(hand_size(view)),
        "chosen": [_choice(view.chosen[seat]) for seat in seats],
        "last": [_choice(view.last[seat]) for seat in seats],
        "taken": [int(view.taken[seat]) for seat in seats],
        "total": [int(view.total[seat]) for seat in seats],
        "seen": _members(view.seen),
        "pool": _members(int(open_cards(view, word)) for word in range(2)) if is_draft else [],
        "deck": int(deck_size(view)),
        "free_rows": bool(view.rows == FREE),
    }


def _cards(cells: Iterable[int]) -> list[int]:
    return [int(card) for card in cells if card]


def _hand(view: np.record, seat: Seat) -> list[int] | None:
    """Return a hand; None if the view hides it."""
    cards = _cards(view.hand[seat])
    return None if hand_size(view) and not cards else cards


def _choice(card: int) -> int | None:
    return {0: None, UNKNOWN: FACE_DOWN}.get(int(card), int(card))


def _members(words_of_set: Iterable[int]) -> list[int]:
    """List the cards of a bit set in two words."""
    low, high = (int(word) for word in words_of_set)
    cards = low | high << 64
    return [card for card in range(1, HIGHEST_CARD + 1) if cards >> card & 1]


def choices(view: np.record, seat: Seat, actions: Sequence[Action]) -> list[dict[str, Any]]:
    """Return what a page offers for each legal action."""
    return [_offer(view, seat, int(action)) for action in actions]


def _offer(view: np.record, seat: Seat, action: int) -> dict[str, Any]:
    offer: dict[str, Any] = {"text": format_action(view, seat, action)}
    if action >= FIRST_ROW_ACTION:
        row = action - FIRST_ROW_ACTION
        heads = int(view.heads[row])
        told = Message("nimmt.take-row", {"row": row + 1, "n": heads})
        offer |= {"kind": "row", "row": row}
    else:
        heads = int(BULL_HEADS[action])
        told = Message("nimmt.card-heads", {"card": action, "n": heads})
        offer |= {"kind": "pick" if view.phase == DRAFTING else "card", "cards": [action]}
    return offer | {"heads": heads, "words": words(told)}


def prompt(view: np.record, seat: Seat, actions: Sequence[Action]) -> Message:
    """Say the next thing to do."""
    if view.phase == TAKING:
        return Message("nimmt.ask-row", {"card": int(view.chosen[seat])})
    return Message("nimmt.ask-pick" if view.phase == DRAFTING else "nimmt.ask-card")
