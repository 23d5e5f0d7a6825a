"""The state of a game of Tichu, and what is read from it again and again.

Seats count in turn order, so seat + 1 is the right neighbour, seat + 2 the partner and seat + 3 the
left neighbour; seats 0 and 2 play against 1 and 3.
"""

import numpy as np

from kibitz.core.bits import popcount
from kibitz.core.game import Seat, State, state_dtype
from kibitz.core.kernels import inner_kernel
from kibitz.games.tichu.cards import CALL, DRAGON_BIT, PHOENIX_BIT, TICHU, other_action

SEATS = 4
HAND_CARDS = 14
FIRST_CARDS = 8  # before the question for Grand Tichu

# Codes of the options, as Option.encode gives them.
FULL, THESIS = 0, 1
ROUND = 0  # in place of a target
OWN, ANY = 0, 1

# Phases.
WAITING = 0  # for the cards of the next round
GRAND_CALLING = 1  # eight cards each: all answer at once, face down
CALLING = 2  # before and after the exchange: all without a call answer at once, face down
EXCHANGE = 3  # three cards each, face down
TURN = 4  # the seat on turn
WISHING = 5  # who has just played the Mah Jong
WINDOW = 6  # all with cards: a bomb, or none
DRAGON_TRICK = 7  # whose Dragon has won the trick
OVER = 8

# What a seat has called.
TICHU_CALLED, GRAND_CALLED = 1, 2

UNKNOWN = -1  # a pending answer or a card given, in a view
MAX_DENIALS = 16

STATE = state_dtype(
    [
        # Sets of cards by seat. What a seat holds stays in `hand` until it is played, or until all
        # have given; hidden hands are empty in a view.
        ("hand", np.uint64, (SEATS,)),
        ("stock", np.uint64, (SEATS,)),  # the last six cards, which nobody sees before all answered
        ("played", np.uint64, (SEATS,)),  # in this round
        ("laid", np.uint64, (SEATS,)),  # by each seat last in this trick
        ("table", np.uint64),  # the combination to beat
        # Turns in which a seat did not fulfil the wish, so could not (the first n_denials): what
        # it had played before the turn.
        ("denial_played", np.uint64, (MAX_DENIALS,)),
        # Answers that wait until all have answered: 0 = none, UNKNOWN = face down (in a view).
        ("pending", np.int64, (SEATS,)),
        ("phase", np.int64),
        ("deciding", np.int64),  # bit mask of the seats that must act
        # Who plays next. If that is who holds the trick, then all others have passed.
        ("turn", np.int64),
        ("holder", np.int64),  # who has laid what is on the table; 0 if it is empty
        ("table_kind", np.int64),
        ("table_length", np.int64),
        ("table_height", np.int64),
        ("table_phoenix", np.int64),  # rank that the Phoenix stands for there
        ("wish", np.int64),  # rank that must be played, or 0
        ("wished", np.int64),  # rank that was wished for in this round, fulfilled or not
        ("lacking", np.int64),  # bit mask of the seats that showed that they hold none of that rank
        ("n_denials", np.int64),
        ("variant", np.int32),  # options, by the codes above
        ("match", np.int32),  # target, or ROUND
        ("rounds", np.int32),  # most rounds of a match
        ("calls", np.int32),
        ("late_calls", np.int32),
        ("dealt", np.int32),  # rounds begun
        ("total", np.int32, (2,)),  # points of each side in earlier rounds
        ("points", np.int32, (2,)),  # points of each side in the round that has just ended
        ("won", np.int16, (SEATS,)),  # card points in the tricks of each seat
        ("trick", np.int16),  # card points on the table
        ("denial_seat", np.int8, (MAX_DENIALS,)),
        ("denial_kind", np.int8, (MAX_DENIALS,)),  # what was on the table
        ("denial_length", np.int8, (MAX_DENIALS,)),
        ("denial_height", np.int8, (MAX_DENIALS,)),
        # 1 + the seat that began the round, as long as it holds the Mah Jong, which all know; 0.
        ("opener", np.int8),
        ("forgotten", np.int8),  # denials that there was no room for
        # Denials that a resampled world contradicts, or that were forgotten; zero elsewhere.
        ("misfits", np.int8),
        ("call", np.int8, (SEATS,)),
        # Card + 1 that each seat gave to its right neighbour, its partner and its left neighbour;
        # 0 = not yet, UNKNOWN = hidden (in a view).
        ("given", np.int8, (SEATS, 3)),
        ("finished", np.int8, (SEATS,)),  # place in the order of going out, or 0
        ("tricks", np.int8, (SEATS,)),  # tricks won
        ("n_laid", np.int8, (9,)),  # combinations played in this round, by kind
        # Lowest height each seat passed on, by kind (straights of 5 and steps of 4 cards only).
        ("passed", np.int8, (SEATS, 7)),
    ]
)

_FIVES = np.uint64(0xF << 4 * (5 - 2))
_TENS = np.uint64(0xF << 4 * (10 - 2) | 0xF << 4 * (13 - 2))
_RANK = np.uint64(0xF)
_CALL_TICHU = other_action(CALL, TICHU)
_NONE = np.uint64(0)


@inner_kernel
def wide(number: int) -> int:
    """Return a small field as the kind of whole number that all kernels are compiled for."""
    return np.int64(number)  # type: ignore[return-value]


@inner_kernel
def card_points(cards: np.uint64) -> int:
    """Count the points of a set of cards."""
    points = 5 * popcount(cards & _FIVES) + 10 * popcount(cards & _TENS)
    points += 25 if cards & DRAGON_BIT != _NONE else 0
    points -= 25 if cards & PHOENIX_BIT != _NONE else 0
    return points


@inner_kernel
def cards_of_rank(rank: int) -> np.uint64:
    """Return the four cards of a rank."""
    return _RANK << np.uint64(4 * (rank - 2))


@inner_kernel
def table_of(state: State) -> tuple[int, int, int]:
    """Return kind, length and height of what is on the table."""
    return state.table_kind, state.table_length, state.table_height


@inner_kernel
def is_out(state: State, seat: Seat) -> bool:
    """Whether a seat has played its last card."""
    return state.finished[seat] != 0


@inner_kernel
def n_out(state: State) -> int:
    """Count the seats that have played their last card."""
    n = 0
    for seat in range(SEATS):
        n += 1 if state.finished[seat] != 0 else 0
    return n


@inner_kernel
def seats_in(state: State) -> int:
    """Return the seats with cards, as a bit mask."""
    mask = 0
    for seat in range(SEATS):
        mask |= 1 << seat if state.finished[seat] == 0 else 0
    return mask


@inner_kernel
def n_cards(state: State, seat: Seat) -> int:
    """Return the number of cards that a seat holds, also where they are concealed."""
    if state.phase == WAITING or state.phase == OVER:
        return popcount(state.hand[seat])
    if state.phase == GRAND_CALLING:
        return FIRST_CARDS
    return HAND_CARDS - popcount(state.played[seat])


@inner_kernel
def is_exchanged(state: State) -> bool:
    """Whether the cards of the exchange have changed hands."""
    return state.phase != EXCHANGE and state.given[0, 0] != 0


@inner_kernel
def may_call(state: State, seat: Seat) -> bool:
    """Whether a seat may still call Tichu: no call, no card played, and nobody is out.

    With somebody out the call is lost at once: a matter of `late_calls`.
    """
    if state.call[seat] != 0 or state.pending[seat] == _CALL_TICHU:
        return False
    return state.played[seat] == _NONE and (state.late_calls != 0 or n_out(state) == 0)


@inner_kernel
def flushes(state: State) -> bool:
    """Whether straights in one suit are bombs."""
    return state.variant == FULL
