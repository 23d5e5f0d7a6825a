"""What a page shows of Tichu: a view as a document, and the choices that a person has.

The types stand in ui/src/wire.ts. Everything comes from the concealed view alone.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from kibitz.core.game import SPECTATOR, Action, Actions, Seat
from kibitz.core.messages import Message
from kibitz.core.wording import words
from kibitz.games.tichu.cards import (
    CALL,
    DRAGON_TO,
    GIVE,
    GRAND,
    PASS,
    PLAY,
    TICHU,
    WISH,
    cards_of,
    kind_of,
    low_bits,
    other_action,
    phoenix_of,
)
from kibitz.games.tichu.choices import MAX_LEGAL, describe_play, is_legal, legal
from kibitz.games.tichu.combinations import (
    BOMB,
    NOTHING,
)
from kibitz.games.tichu.positions import KINDS
from kibitz.games.tichu.sight import received_card
from kibitz.games.tichu.state import (
    CALLING,
    DRAGON_TRICK,
    EXCHANGE,
    GRAND_CALLED,
    GRAND_CALLING,
    OVER,
    ROUND,
    SEATS,
    TICHU_CALLED,
    TURN,
    WAITING,
    WINDOW,
    WISHING,
    n_cards,
)
from kibitz.games.tichu.words import (
    CARD_WORDS,
    cards_text,
    describe,
    rank_word,
    sort_cards,
    write_action,
)

PHASES = {
    WAITING: "wait",
    GRAND_CALLING: "grand",
    CALLING: "call",
    EXCHANGE: "exchange",
    TURN: "turn",
    WISHING: "wish",
    WINDOW: "window",
    DRAGON_TRICK: "dragon",
    OVER: "over",
}
CALLS = {0: "", TICHU_CALLED: "tichu", GRAND_CALLED: "grand"}

PLAY_PAUSE, PASS_PAUSE = 1.0, 0.4
"""Seconds for a bomb after a play, and after a pass."""
SMALLEST_BOMB = 4

_PASS = int(other_action(PASS, 0))
_CALL_TICHU = int(other_action(CALL, TICHU))


def picture(view: np.record, viewer: Seat) -> dict[str, Any]:
    """Show a view to a seat, or to a spectator."""
    phase = int(view.phase)
    has_ended = phase in (WAITING, OVER)
    counts = [int(n_cards(view, seat)) for seat in range(SEATS)]
    hands = [_hand(view, seat, counts[seat]) for seat in range(SEATS)]
    is_seat = 0 <= viewer < SEATS
    return {
        "game": "tichu",
        "phase": PHASES[phase],
        "round": int(view.dealt),
        "target": None if view.match == ROUND else int(view.match),
        "total": view.total.tolist(),
        "points": view.points.tolist(),
        "hand": (hands[viewer] or []) if is_seat else [],
        "hands": hands,
        "counts": counts,
        "calls": [CALLS[int(call)] for call in view.call],
        "out": view.finished.tolist(),
        "tricks": view.tricks.tolist(),
        "won": view.won.tolist(),
        "answered": [_has_answered(view, seat) for seat in range(SEATS)],
        "given": _given(view, viewer),
        "got": _got(view, viewer),
        "deciding": [seat for seat in range(SEATS) if int(view.deciding) >> seat & 1],
        "turn": None if has_ended else _turn(view),
        "holder": None if view.table_kind == NOTHING else int(view.holder),
        "table": _table(view),
        "trick_points": int(view.trick),
        "laid": [card_words(int(cards)) if cards else None for cards in view.laid],
        "wish": rank_word(int(view.wish)) if view.wish else None,
        "may_call": is_seat and bool(is_legal(view, viewer, _CALL_TICHU)),
    }


def card_words(cards: int, phoenix_rank: int = 0) -> list[str]:
    """Write the cards of a set one by one, in the order in which people hold them."""
    return [CARD_WORDS[card] for card in sort_cards(cards, phoenix_rank)]


def _hand(view: np.record, seat: Seat, count: int) -> list[str] | None:
    """Return the cards of a seat; None if they are hidden."""
    return card_words(int(view.hand[seat])) if view.hand[seat] or count == 0 else None


def _has_answered(view: np.record, seat: Seat) -> bool:
    """Whether a seat has answered face down, or has given its three cards."""
    if view.phase == EXCHANGE:
        return bool(view.given[seat].all())
    return bool(view.pending[seat])


def _given(view: np.record, viewer: Seat) -> list[str | None]:
    """Return what the viewer gave to the right, the partner and the left."""
    if viewer == SPECTATOR:
        return [None] * 3
    return [CARD_WORDS[card - 1] if card > 0 else None for card in view.given[viewer].tolist()]


def _got(view: np.record, viewer: Seat) -> list[str | None]:
    """Return what the viewer got, until the first card was played."""
    if viewer == SPECTATOR or view.played[viewer]:
        return [None] * 3
    cards = [int(received_card(view, viewer, k)) for k in range(3)]
    return [CARD_WORDS[card - 1] if card else None for card in cards]


def _turn(view: np.record) -> Seat | None:
    """Return whose turn it is, or who plays next if nobody bombs; None while all decide."""
    if view.phase in (TURN, WINDOW):
        return int(view.turn)
    return int(view.holder) if view.phase in (WISHING, DRAGON_TRICK) else None


def _table(view: np.record) -> dict[str, Any] | None:
    """Return what is to be beaten."""
    if view.table_kind == NOTHING:
        return None
    rank = int(view.table_phoenix)
    return {
        "cards": card_words(int(view.table), rank),
        "phoenix": rank_word(rank) if rank else None,
        "kind": KINDS[int(view.table_kind)],
        "words": words(_on_table(view)),
    }


def _on_table(view: np.record) -> Message:
    """Say what is to be beaten."""
    return describe(int(view.table_kind), int(view.table_length), int(view.table_height))


def choices(view: np.record, seat: Seat, actions: Sequence[Action]) -> list[dict[str, Any]]:
    """Show what a seat may do."""
    return [_choice(view, seat, int(action)) for action in actions]


def _choice(view: np.record, seat: Seat, action: Action) -> dict[str, Any]:
    """Show one action."""
    kind, what = int(kind_of(action)), int(low_bits(action))
    text = write_action(action)
    if kind == PLAY:
        return {"text": text, "kind": "play", **_play(view, action)}
    if kind == GIVE:
        (card,) = card_words(what)
        given = int(np.count_nonzero(view.given[seat]))
        receiver = (seat + given + 1) % SEATS
        told = Message("tichu.page-give", {"card": card})
        shown = {"cards": [card], "seat": receiver}
        return {"text": text, "kind": "give", "words": words(told), **shown}
    if kind == WISH:
        if not what:
            return {"text": text, "kind": "wish", "words": words(_NO_WISH)}
        told = Message("tichu.page-wish-for", {"rank": rank_word(what)})
        return {"text": text, "kind": "wish", "words": words(told), "rank": rank_word(what)}
    if kind == DRAGON_TO:
        told = Message("tichu.page-to-right" if what == 1 else "tichu.page-to-left")
        receiver = (seat + what) % SEATS
        return {"text": text, "kind": "dragon", "words": words(told), "seat": receiver}
    if kind == CALL:
        is_call = what in (GRAND, TICHU)
        told = Message(_ANSWERS[what])
        return {"text": text, "kind": "call" if is_call else "no-call", "words": words(told)}
    told = Message("tichu.page-no-bomb" if view.phase == WINDOW else "tichu.page-pass")
    return {"text": text, "kind": "pass", "words": words(told)}


_NO_WISH = Message("tichu.page-no-wish")
_ANSWERS = ("tichu.page-no-grand", "tichu.page-grand", "tichu.page-no-tichu", "tichu.page-tichu")


def _play(view: np.record, action: Action) -> dict[str, Any]:
    """Show the cards of a play, and what they are."""
    cards, rank = int(cards_of(action)), int(phoenix_of(action))
    kind, length, height = describe_play(view, action)
    what = describe(int(kind), int(length), int(height))
    several = Message("tichu.page-play", {"what": what, "cards": cards_text(cards, rank)})
    return {
        "words": words(several if length > 1 else what),
        "cards": card_words(cards, rank),
        "phoenix": rank_word(rank) if rank else None,
    }


def prompt(view: np.record, seat: Seat, actions: Sequence[Action]) -> Message:
    """Say the next thing to do."""
    phase = int(view.phase)
    if phase == CALLING:
        after = view.given[seat].any()
        return Message("tichu.page-ask-last" if after else "tichu.page-ask-tichu")
    if phase == EXCHANGE:
        left = 3 - int(np.count_nonzero(view.given[seat]))
        return Message("tichu.page-ask-gift", {"n": left})
    if phase == TURN:
        return _turn_prompt(view, actions)
    return Message(_PROMPTS.get(phase, "tichu.page-ask-other"))


_PROMPTS = {
    GRAND_CALLING: "tichu.page-ask-grand",
    WISHING: "tichu.page-ask-wish",
    WINDOW: "tichu.page-ask-bomb",
    DRAGON_TRICK: "tichu.page-ask-dragon",
}


def _turn_prompt(view: np.record, actions: Sequence[Action]) -> Message:
    """Say what a turn asks for."""
    may_pass = _PASS in [int(action) for action in actions]
    if view.wish and not may_pass and view.table_kind != NOTHING:
        return Message("tichu.page-ask-fulfil", {"rank": rank_word(int(view.wish))})
    if view.table_kind == NOTHING:
        return Message("tichu.page-ask-lead")
    return Message("tichu.page-ask-beat", {"what": _on_table(view)})


def extra(view: np.record, seat: Seat) -> list[Action]:
    """List what a seat may do although the table does not wait for it: call Tichu."""
    if not is_legal(view, seat, _CALL_TICHU):
        return []
    out: Actions = np.zeros(MAX_LEGAL, np.int64)
    asked = bool(int(view.deciding) >> seat & 1)
    listed = out[: legal(view, seat, out)].tolist() if asked else []
    return [] if _CALL_TICHU in listed else [_CALL_TICHU]


def pause(view: np.record) -> float:
    """Return for how many seconds everybody may bomb; none if nobody has cards enough."""
    if view.phase != WINDOW:
        return 0.0
    seats = [(int(view.holder) + step) % SEATS for step in range(1, SEATS)]
    needed = int(view.table_length) if view.table_kind == BOMB else SMALLEST_BOMB
    if max(int(n_cards(view, seat)) for seat in (*seats, int(view.holder))) < needed:
        return 0.0
    following = next(seat for seat in seats if not view.finished[seat])
    return PLAY_PAUSE if view.turn == following else PASS_PAUSE
