"""Whether the called card, the unknown one and who can hold them go together."""

import numpy as np

from kibitz.core.errors import PositionError
from kibitz.core.game import Seat
from kibitz.core.messages import Message
from kibitz.games.sheephead.cards import (
    ACE,
    ALONE,
    CALL_ACE,
    CALL_TEN,
    FAIL,
    FAIL_CARDS,
    FAIL_SUITS,
    TEN,
    cards_of_suit,
    unknown_action,
)
from kibitz.games.sheephead.declaring import may_declare
from kibitz.games.sheephead.doubling import queens_shown
from kibitz.games.sheephead.state import (
    BLIND_CARDS,
    BLITZING,
    CRACKING,
    DECLARING,
    FAIL_CARD,
    HIDDEN,
    PLAYING,
    SEATS,
    TRICKS,
)
from kibitz.games.sheephead.tricks import (
    ENDED,
    bury_is_hidden,
    hand_is_hidden,
    is_unknown,
    n_held,
    suit_laid,
)
from kibitz.games.sheephead.words import (
    CALLABLE,
    CARD_WORDS,
    suit_cards,
    suit_names,
)


def check_called(state: np.record) -> None:
    """Check the called card, the unknown one and who can hold them."""
    called, picker = int(state.called) - 1, int(state.picker) - 1
    is_declared = state.phase in (BLITZING, CRACKING, PLAYING) or (
        state.phase in ENDED and state.picker
    )
    if not is_declared or called < 0:
        if called >= 0 or state.face_down or state.called_led or state.without:
            raise PositionError(Message("sheephead.at-called-nothing-called"))
    else:
        if called not in CALLABLE:
            raise PositionError(Message("sheephead.at-called-an-ace-or"))
        if int(state.buried) >> called & 1 or state.partner == picker + 1:
            raise PositionError(
                Message("sheephead.at-called-picker-himself", {"card": CARD_WORDS[called]})
            )
        _check_without(state, called, picker)
        _check_called_led(state)
        _check_kept_card(state, called // FAIL_CARDS, picker)
    _check_unknown(state, picker)
    if is_declared and not state.misfits:
        _check_declaration(state, called, picker)


def _check_without(state: np.record, called: int, picker: Seat) -> None:
    """Check that somebody can hold the called card."""
    without = int(state.without)
    if not without >> picker & 1:
        raise PositionError(Message("sheephead.at-without-picker-without-called"))
    if state.partner and not state.revealed and without >> int(state.partner) - 1 & 1:
        raise PositionError(
            Message(
                "sheephead.at-without-seat",
                {"seat": int(state.partner) - 1, "card": CARD_WORDS[called]},
            )
        )
    able = [seat for seat in range(SEATS) if _can_hold_called(state, seat, called)]
    if not state.partner and not able:
        raise PositionError(
            Message("sheephead.at-without-somebody-must-hold", {"card": CARD_WORDS[called]})
        )


def _can_hold_called(state: np.record, seat: Seat, called: int) -> bool:
    is_out = int(state.without) >> seat & 1 or int(state.void[seat]) >> called // FAIL_CARDS & 1
    has_room = n_held(state, seat) > int(queens_shown(state, seat)).bit_count()
    return not is_out and has_room and hand_is_hidden(state, seat)


def _check_called_led(state: np.record) -> None:
    """Check when the called suit was led first."""
    led, tricks, suit = int(state.called_led), int(state.tricks_played), _called_suit(state)
    if led > tricks + bool(state.n_laid):
        raise PositionError(Message("sheephead.at-called-led-trick-not"))
    if state.n_laid and ((led == 0 and state.led == suit) or (led > tricks and state.led != suit)):
        raise PositionError(
            Message("sheephead.at-called-led-led-now", {"suit": suit_names(state)[int(state.led)]})
        )
    if tricks and state.last.all():
        last = suit_laid(state, int(state.last[state.last_leader]))
        if (led == tricks) > (last == suit) or (last == suit and not 0 < led <= tricks):
            raise PositionError(Message("sheephead.at-called-led-does-not"))
    if 0 < led <= tricks and not state.revealed and not state.underlead:
        raise PositionError(Message("sheephead.at-called-led-called-card"))
    last_trick = {TRICKS - 1: state.laid, TRICKS: state.last}.get(tricks, ())
    if led == 0 and state.revealed and not state.slough and state.called not in last_trick:
        raise PositionError(Message("sheephead.at-called-led-called-card-not"))


def _check_kept_card(state: np.record, suit: int, picker: Seat) -> None:
    """Check that the picker had a card of the called suit, where he has none any more."""
    is_over = 0 < state.called_led <= state.tricks_played
    has_none = int(state.void[picker]) >> suit & 1 or is_over
    if has_none and not state.face_down and not int(state.played[picker]) & suit_cards(state, suit):
        raise PositionError(Message("sheephead.at-called-picker-kept-card"))


def _called_suit(state: np.record) -> int:
    return (int(state.called) - 1) // FAIL_CARDS


def _check_unknown(state: np.record, picker: Seat) -> None:
    """Check the unknown card."""
    at, to, tricks = int(state.face_down_at), int(state.face_down_to), int(state.tricks_played)
    if not state.face_down:
        if at or to:
            raise PositionError(Message("sheephead.at-unknown-none"))
        return
    card = int(state.face_down) - 1
    if at > tricks + bool(state.n_laid and state.laid[picker]):
        raise PositionError(Message("sheephead.at-unknown-trick-not-been"))
    if bool(to) != (0 < at <= tricks):
        raise PositionError(Message("sheephead.at-unknown-goes-who-takes"))
    if to and (not state.tricks[to - 1] or (at == tricks and state.last_winner != to)):
        raise PositionError(Message("sheephead.at-unknown-seat-not-taken", {"seat": to - 1}))
    has_played = state.called_led <= tricks or state.laid[picker]
    if state.called_led and has_played and not 0 < at <= state.called_led:
        raise PositionError(Message("sheephead.at-unknown-played-when-called"))
    if (state.called - 1) % FAIL_CARDS != ACE:
        raise PositionError(Message("sheephead.at-unknown-goes-called-ace"))
    if at == tricks + 1 and not is_unknown(state, int(state.laid[picker])):
        raise PositionError(Message("sheephead.at-unknown-lies-trick-being"))
    if at and at == tricks and not is_unknown(state, int(state.last[picker])):
        raise PositionError(Message("sheephead.at-unknown-lies-trick-before"))
    if card >= 0:
        pile = state.played[picker] if at else state.hand[picker]
        if not int(pile) >> card & 1 and not hand_is_hidden(state, picker):
            raise PositionError(
                Message("sheephead.at-unknown-not-where-should", {"card": CARD_WORDS[card]})
            )
        if state.unknown == FAIL_CARD and not int(FAIL) >> card & 1:
            raise PositionError(Message("sheephead.at-unknown-no-trump-may"))


def _check_declaration(state: np.record, called: int, picker: Seat) -> None:
    """Check that the picker could declare this, as far as his cards can be seen."""
    if bury_is_hidden(state) or hand_is_hidden(state, picker) or state.face_down == HIDDEN:
        _check_hidden_aces(state, called, picker)
        return
    then = state.copy()
    then.phase = DECLARING
    then.hand[picker] = state.hand[picker] | state.played[picker]
    suit, rank = divmod(called, FAIL_CARDS)
    action = ALONE if called < 0 else (CALL_TEN if rank == TEN else CALL_ACE) + suit
    if state.face_down > 0:
        action = int(unknown_action(int(state.face_down) - 1, suit))
    if not may_declare(then, picker, action):
        raise PositionError(Message("sheephead.at-called-these-cards-picker"))


def _check_hidden_aces(state: np.record, called: int, picker: Seat) -> None:
    """Check that a picker whose cards are hidden can have the aces that his call tells of."""
    own = int(state.hand[picker]) | int(state.played[picker]) | int(state.buried)
    needed = 0
    for suit in range(FAIL_SUITS):
        has_suit = own & int(cards_of_suit(suit))
        if called % FAIL_CARDS == TEN or (state.face_down and has_suit):
            needed |= 1 << FAIL_CARDS * suit + ACE
    if called >= 0 and needed >> FAIL_CARDS * (called // FAIL_CARDS) + ACE & 1 and state.face_down:
        raise PositionError(Message("sheephead.at-unknown-picker-cards-called"))
    others = [seat for seat in range(SEATS) if seat != picker]
    seen = sum(int(state.hand[seat]) | int(state.played[seat]) for seat in others)
    free = n_held(state, picker) + BLIND_CARDS + bool(state.face_down_at)
    if called >= 0 and (needed & seen or (needed & ~own).bit_count() > free):
        raise PositionError(Message("sheephead.at-called-picker-cannot-aces"))
