"""What a page shows of Sheephead: a view as a document, and the choices that a person has.

The types stand in ui/src/wire.ts. Everything comes from the concealed view alone.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from kibitz.core.game import Action, Seat
from kibitz.core.messages import Message
from kibitz.core.wording import words
from kibitz.games.sheephead.board import ENDED, TRICK_PHASES, result
from kibitz.games.sheephead.cards import (
    ALONE,
    BLITZ_BLACK,
    BLITZ_BOTH,
    BLITZ_RED,
    BURY,
    CALL_ACE,
    CALL_TEN,
    CALL_UNKNOWN,
    CARDS,
    CRACK,
    PASS,
    PICK,
    POINTS,
)
from kibitz.games.sheephead.doubling import n_doublings
from kibitz.games.sheephead.positions import PHASES
from kibitz.games.sheephead.state import (
    BIDDING,
    BLITZING,
    BURYING,
    CRACKING,
    DECLARING,
    HIDDEN,
    SEATS,
    n_cards,
)
from kibitz.games.sheephead.words import (
    CARD_WORDS,
    buried_cards,
    called_card,
    is_nola,
    points_of,
    set_of,
    show_card,
    show_cards,
    sort_cards,
    suit_in,
    suit_names,
    unknown_card,
    write_action,
)

NAMELESS = "?"
"""How a card that lies face down is written."""


def picture(view: np.record, viewer: Seat) -> dict[str, Any]:
    """Show a view to a seat, or to a spectator."""
    phase = int(view.phase)
    has_ended = phase in ENDED
    hands = [_hand(view, seat) for seat in range(SEATS)]
    is_declared = view.picker != 0 and phase not in (BURYING, DECLARING)
    return {
        "game": "sheephead",
        "phase": PHASES[phase],
        "number": int(view.dealt),
        "hands_in_session": int(view.hands),
        "order": _order(view),
        "dealer": int(view.dealer),
        "turn": None if has_ended else int(view.turn),
        "hand": (hands[viewer] or []) if 0 <= viewer < SEATS else [],
        "hands": hands,
        "counts": [int(n_cards(view, seat)) for seat in range(SEATS)],
        "passed": [bool(int(view.passed) >> seat & 1) for seat in range(SEATS)],
        "picker": _seat(view.picker),
        "partner": _seat(view.partner),
        "alone": bool(is_declared and view.called == 0),
        "called": CARD_WORDS[int(view.called) - 1] if view.called else None,
        "revealed": bool(view.revealed),
        "face_down": _face_down(view),
        "buried": _pile(view, int(view.buried)),
        "blind": _pile(view, int(view.blind)),
        "trick": _trick(view) if phase in TRICK_PHASES else None,
        "last": _last(view),
        "points": view.points.tolist(),
        "tricks": view.tricks.tolist(),
        "money": view.money.tolist(),
        "paid": view.paid.tolist(),
        "doubled": int(view.doubled),
        "doublings": int(n_doublings(view)) - int(view.doubled > 0),
        "shown": {"black": _seat(view.black), "red": _seat(view.red)},
        "result": result(view, viewer) if has_ended and view.dealt else None,
    }


def _seat(one_based: int) -> Seat | None:
    """Return a seat that is kept as 1 + its number, or as 0."""
    return int(one_based) - 1 if one_based else None


def _order(view: np.record) -> list[Seat]:
    """List the seats to the left, beginning with the dealer."""
    if view.dealt == 0:
        return list(range(SEATS))
    order = [int(view.dealer)]
    while len(order) < SEATS:
        order.append(int(view.left[order[-1]]))
    return order


def _hand(view: np.record, seat: Seat) -> list[str] | None:
    """Return the cards of a seat; None if they are hidden."""
    if not view.hand[seat] and n_cards(view, seat):
        return None
    return _written(view, int(view.hand[seat]))


def _written(view: np.record, cards: int) -> list[str]:
    """Write the cards of a set one by one, in the order in which people hold them."""
    return [CARD_WORDS[card] for card in sort_cards(cards, is_nola(view))]


def _pile(view: np.record, cards: int) -> list[str] | None:
    """Return the cards of the bury or the blind; None where there are none to be seen."""
    return _written(view, cards) if cards else None


def _face_down(view: np.record) -> str:
    """Return the unknown card, as far as it is known."""
    if view.face_down == 0:
        return "none"
    return "hidden" if view.face_down == HIDDEN else CARD_WORDS[int(view.face_down) - 1]


def _laid(cards: npt.NDArray[np.int8]) -> list[str | None]:
    """Return the card of each seat in a trick."""
    return [
        None if not card else NAMELESS if card == HIDDEN else CARD_WORDS[card - 1]
        for card in cards.tolist()
    ]


def _trick(view: np.record) -> dict[str, Any]:
    """Return the trick that is being played."""
    is_led = bool(view.n_laid)
    return {
        "leader": int(view.leader),
        "cards": _laid(view.laid),
        "winner": int(view.winner) if is_led else None,
        "led": words(suit_names(view)[int(view.led)]) if is_led else None,
        "points": sum(int(POINTS[card - 1]) for card in view.laid if card > 0),
    }


def _last(view: np.record) -> dict[str, Any] | None:
    """Return the trick before."""
    if not view.last_winner:
        return None
    winner = int(view.last_winner) - 1
    return {"leader": int(view.last_leader), "cards": _laid(view.last), "winner": winner}


def choices(view: np.record, seat: Seat, actions: Sequence[Action]) -> list[dict[str, Any]]:
    """Show what a seat may do; of a call with an unknown card, `cards` has the ace first."""
    return [_choice(view, int(action)) for action in actions]


def _choice(view: np.record, action: Action) -> dict[str, Any]:
    """Show one action."""
    text = write_action(action)
    if action < CARDS:
        told = Message("sheephead.page-card", {"card": show_card(action)})
        return _shown(text, "card", told, [action])
    if BURY <= action < CRACK:
        pair = buried_cards(action)
        facts = {"cards": show_cards(set_of(pair)), "points": points_of(set_of(pair))}
        return _shown(text, "bury", Message("sheephead.page-bury", facts), list(pair))
    if CALL_UNKNOWN <= action < BURY:
        called, laid = called_card(action), unknown_card(action)
        facts = {"card": show_card(called), "laid": show_card(laid)}
        return _shown(text, "unknown", Message("sheephead.page-unknown", facts), [called, laid])
    if CALL_ACE <= action < CALL_UNKNOWN:
        called = called_card(action)
        told = Message("sheephead.page-call", {"card": show_card(called)})
        return _shown(text, "call", told, [called])
    kind, code = _PLAIN[action]
    if action == PASS and view.phase in (BLITZING, CRACKING):
        code = "sheephead.page-no-blitz" if view.phase == BLITZING else "sheephead.page-no-crack"
    return _shown(text, kind, Message(code), [])


_PLAIN = {
    PASS: ("pass", "sheephead.page-pass"),
    PICK: ("pick", "sheephead.page-pick"),
    ALONE: ("alone", "sheephead.page-alone"),
    CRACK: ("crack", "sheephead.page-crack"),
    BLITZ_BLACK: ("blitz", "sheephead.page-blitz-black"),
    BLITZ_RED: ("blitz", "sheephead.page-blitz-red"),
    BLITZ_BOTH: ("blitz", "sheephead.page-blitz-both"),
}


def _shown(text: str, kind: str, told: Message, cards: list[int]) -> dict[str, Any]:
    shown = {"text": text, "kind": kind, "words": words(told)}
    return shown | ({"cards": [CARD_WORDS[card] for card in cards]} if cards else {})


def prompt(view: np.record, seat: Seat, actions: Sequence[Action]) -> Message:
    """Say the next thing to do, and why there is no other choice."""
    phase = int(view.phase)
    if phase in TRICK_PHASES:
        return _play_prompt(view, actions)
    if phase == DECLARING:
        return Message(_declaration([int(action) for action in actions]))
    return Message(_PROMPTS.get(phase, "sheephead.page-ask-other"))


_PROMPTS = {
    BIDDING: "sheephead.page-ask-pick",
    BURYING: "sheephead.page-ask-bury",
    BLITZING: "sheephead.page-ask-blitz",
    CRACKING: "sheephead.page-ask-crack",
}


def _declaration(actions: Sequence[Action]) -> str:
    """Name the question for what may be called."""
    if any(action >= CALL_UNKNOWN for action in actions):
        return "sheephead.page-ask-unknown"
    if any(action >= CALL_TEN for action in actions):
        return "sheephead.page-ask-ten"
    has_ace = any(action >= CALL_ACE for action in actions)
    return "sheephead.page-ask-ace" if has_ace else "sheephead.page-ask-alone"


def _play_prompt(view: np.record, actions: Sequence[Action]) -> Message:
    """Say whether a suit is to be followed."""
    if not view.n_laid:
        return Message("sheephead.page-ask-lead")
    if any(suit_in(view, int(card)) != view.led for card in actions):
        return Message("sheephead.page-ask-any")
    return Message("sheephead.page-ask-follow", {"suit": suit_names(view)[int(view.led)]})
