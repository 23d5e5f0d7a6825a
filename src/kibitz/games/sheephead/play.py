"""What may be played to a trick, and who takes it.

A seat follows the suit that was led if it can. In a picked hand, whoever picked and whoever holds
the called card have more to observe until the called suit has been led.

What is done for every card is compiled into its callers: calls cost a sixth of a random hand.
"""

import numpy as np
import numpy.typing as npt

from kibitz.core.game import Seat, State
from kibitz.core.kernels import inlined_kernel, inner_kernel, kernel
from kibitz.games.sheephead.cards import (
    CARDS,
    FAIL_CARDS,
    NOLA_RANK,
    NOLA_SUIT,
    NOLA_SUITS,
    POINTS,
    TEN,
    TRUMP,
    bit,
    cards_of_suit,
    suit_of,
)
from kibitz.games.sheephead.state import (
    LEASTER_PLAYING,
    NOLA_PLAYING,
    PLAYING,
    SEATS,
    TRICKS,
    wide,
)

_NONE = np.uint64(0)
_ONE = np.uint64(1)
_ALL_SUITS = 15

# Tables by phase, of which the last two bits tell those of play apart.
_PHASES = 4
_TRUMP_PHASES = (PLAYING & 3, LEASTER_PLAYING & 3)
_NOLA = NOLA_PLAYING & 3


def _suits() -> npt.NDArray[np.int64]:
    """Return the suit of every card: [phase, card], in one row."""
    suits = np.zeros((_PHASES, CARDS), np.int64)
    for phase in _TRUMP_PHASES:
        suits[phase] = [suit_of(card) for card in range(CARDS)]
    suits[_NOLA] = NOLA_SUIT
    return suits.ravel()


def _members() -> npt.NDArray[np.uint64]:
    """Return the cards of every suit: [phase, suit], in one row."""
    members = np.zeros((_PHASES, 4), np.uint64)
    for phase in _TRUMP_PHASES:
        members[phase] = [cards_of_suit(suit) for suit in range(4)]
    members[_NOLA] = NOLA_SUITS
    return members.ravel()


def _powers() -> npt.NDArray[np.int64]:
    """Return what decides a trick: [phase, suit led, card], in one row; 0 cannot win."""
    powers = np.zeros((_PHASES, 4, CARDS), np.int64)
    for led in range(4):
        for card in range(CARDS):
            for phase in _TRUMP_PHASES:
                if suit_of(card) in (led, TRUMP):
                    powers[phase, led, card] = 1 + card
            if NOLA_SUIT[card] == led:
                powers[_NOLA, led, card] = 1 + NOLA_RANK[card]
    return powers.ravel()


_SUITS, _MEMBERS, _POWERS = _suits(), _members(), _powers()


@kernel
def suit_in(phase: int, card: int) -> int:
    """Return the suit that a card has in a phase of play."""
    return _SUITS[(phase & 3) << 5 | card & 31]


@kernel
def cards_in(phase: int, suit: int) -> np.uint64:
    """Return the cards of a suit in a phase of play."""
    return _MEMBERS[(phase & 3) << 2 | suit & 3]


@kernel
def power_in(phase: int, led: int, card: int) -> int:
    """Return what decides a trick, the highest wins; 0 = this card cannot."""
    return _POWERS[(phase & 3) << 7 | (led & 3) << 5 | card & 31]


@kernel
def called_suit(state: State) -> int:
    """Return the suit of the called card, or -1."""
    called = wide(state.called) - 1
    return called // FAIL_CARDS if called >= 0 else -1


@kernel
def unknown_in_hand(state: State) -> np.uint64:
    """Return the unknown card as a set, as long as the picker holds it and it is not hidden."""
    if state.face_down > 0 and state.face_down_at == 0:
        return bit(wide(state.face_down) - 1)
    return _NONE


@kernel
def is_first_lead(state: State) -> bool:
    """Whether this is the trick in which the called suit has been led first."""
    return state.called_led == state.tricks_played + 1


@inlined_kernel
def playable(state: State, seat: Seat) -> np.uint64:
    """Return the cards that a seat may play now."""
    hand = state.hand[seat]
    if state.called != 0 and (state.called_led == 0 or is_first_lead(state)):
        if state.picker == seat + 1:
            return _playable_by_picker(state, hand)
        if state.partner == seat + 1 and state.revealed == 0:
            return _playable_by_partner(state, hand)
    following = hand & cards_in(state.phase, state.led)
    return hand if state.n_laid == 0 or following == _NONE else following


@inner_kernel
def _playable_by_picker(state: State, hand: np.uint64) -> np.uint64:
    """Return what the picker may play while the called suit binds him."""
    unknown = unknown_in_hand(state)
    of_called = hand & cards_of_suit(called_suit(state)) | unknown
    if state.n_laid == 0:
        others = hand & ~of_called
        return others if state.lead_called == 0 and others != _NONE else hand
    if is_first_lead(state):
        return of_called if of_called != _NONE else hand
    following = hand & ~unknown & cards_of_suit(state.led)
    if following != _NONE:
        return following
    # H1: the last card of the called suit is not thrown on another one.
    rest = hand & ~of_called if of_called & (of_called - _ONE) == _NONE else hand
    return rest if rest != _NONE else hand


@inner_kernel
def _playable_by_partner(state: State, hand: np.uint64) -> np.uint64:
    """Return what the holder of the called card may play while the called suit binds him."""
    called = bit(wide(state.called) - 1)
    if state.n_laid == 0:
        others = cards_of_suit(called_suit(state)) & ~called
        return hand if state.underlead != 0 else hand & ~others
    if is_first_lead(state):
        return called
    following = hand & cards_of_suit(state.led)
    if following != _NONE:
        return following
    rest = hand if state.slough != 0 else hand & ~called
    return rest if rest != _NONE else hand


@inlined_kernel
def lay(state: State, seat: Seat, card: int) -> bool:
    """Play a card to the trick; return whether the hand has ended."""
    state.hand[seat] &= ~bit(card)
    state.played[seat] |= bit(card)
    state.laid[seat] = card + 1
    if state.face_down == card + 1:
        _lay_unknown(state, seat)
    elif state.n_laid == 0:
        _lead(state, seat, suit_in(state.phase, card))
    else:
        state.void[seat] |= (suit_in(state.phase, card) != state.led) << state.led
        _compare(state, seat, card)
    is_called = card + 1 == state.called
    state.revealed |= is_called
    if is_first_lead(state):
        tells = not is_called and (state.n_laid != 0 or state.underlead == 0)
        state.without |= tells << seat
    state.n_laid += 1
    state.turn = wide(state.left[seat])
    return state.n_laid == SEATS and _take_trick(state)


@inner_kernel
def _lay_unknown(state: State, seat: Seat) -> None:
    """Let the picker play the unknown card: as the called suit if he leads it; it never wins."""
    state.face_down_at = state.tricks_played + 1
    if state.n_laid == 0:
        _lead(state, seat, called_suit(state))


@inner_kernel
def _lead(state: State, seat: Seat, suit: int) -> None:
    """Let a suit be led."""
    state.led = suit
    state.winner = seat
    if suit == called_suit(state) and state.called_led == 0:
        state.called_led = state.tricks_played + 1
        if state.lead_called == 0 and state.picker == seat + 1:
            state.void[seat] = _ALL_SUITS & ~(1 << suit)  # or he would have led another suit


@inlined_kernel
def _compare(state: State, seat: Seat, card: int) -> None:
    """Let a card take the trick from who is winning it, if it can."""
    winner = state.winner
    power = power_in(state.phase, state.led, card)
    to_beat = power_in(state.phase, state.led, wide(state.laid[winner]) - 1)
    if state.face_down_at == state.tricks_played + 1 and state.picker == winner + 1:
        to_beat = 0
    elif state.called_ten != 0 and is_first_lead(state):
        power = power_in(state.phase, state.led, _on_top(state, card))
        to_beat = power_in(state.phase, state.led, _on_top(state, wide(state.laid[winner]) - 1))
    state.winner = seat if power > to_beat else winner


@kernel
def power_now(state: State, card: int) -> int:
    """Return what a card that is laid face up is worth in this trick."""
    if state.called_ten != 0 and is_first_lead(state):
        card = _on_top(state, card)
    return power_in(state.phase, state.led, card)


@inner_kernel
def _on_top(state: State, card: int) -> int:
    """Let a called ten and the ace of its suit change places."""
    called = wide(state.called) - 1
    if called % FAIL_CARDS == TEN and (card == called or card == called + 1):
        return 2 * called + 1 - card
    return card


@inlined_kernel
def _take_trick(state: State) -> bool:
    """Hand a full trick to who wins it; return whether it was the last one."""
    winner = state.winner
    points = 0
    for seat in range(SEATS):
        points += POINTS[(wide(state.laid[seat]) - 1) & 31]
        state.last[seat] = state.laid[seat]
        state.laid[seat] = 0
    state.points[winner] += points
    state.tricks[winner] += 1
    state.last_leader = state.leader
    state.last_winner = winner + 1
    state.tricks_played += 1
    if state.face_down_at == state.tricks_played:
        state.face_down_to = winner + 1
    state.leader = winner
    state.turn = winner
    state.n_laid = 0
    state.winner = 0
    state.led = 0
    return state.tricks_played == TRICKS
