"""Values of open hands that somebody picked: points, and rows of the table of payments."""

import numpy as np
import numpy.typing as npt

from kibitz.core.bits import lowest
from kibitz.core.game import State
from kibitz.core.kernels import kernel
from kibitz.games.sheephead.cards import FAIL_CARDS, POINTS, TEN, bit, cards_of_suit
from kibitz.games.sheephead.double_dummy import (
    BOARD,
    NOBODY,
    UNKNOWN,
    Trick,
    height_of,
    lay,
    memory_dtype,
    search,
)
from kibitz.games.sheephead.payments import (
    POINTS_FOR_SCHNEIDER,
    POINTS_OUT_OF_SCHNEIDER,
    POINTS_TO_WIN,
    is_on_side,
    pay_picked,
    points_of_side,
)
from kibitz.games.sheephead.play import called_suit, is_first_lead, unknown_in_hand
from kibitz.games.sheephead.state import SEATS, TRICKS, wide

# Rows of payments, from the picker's worst to his best.
NO_TRICK, TO_30, TO_60, TO_90, FROM_91, ALL_TRICKS = 0, 1, 2, 3, 4, 5
ROWS = 6
_POINTS_OF_ROW, _TRICKS_OF_ROW = (0, 0, 31, 61, 91, 120), (0, 1, 1, 1, 1, TRICKS)

TABLE_BITS = 16
"""Of the table: 65,536 positions, 1 MB."""

ANY = -1  # card: the best one

_BY_POINTS, _BY_TRICKS = 0, 1  # boards, by what cards and tricks are worth there
_FIRST_STEP = 8  # points between the first guesses of a value
_NONE, _ONE = np.uint64(0), np.uint64(1)

Boards = npt.NDArray[np.record]
Values = npt.NDArray[np.int64]


def make_desk(table_bits: int = TABLE_BITS) -> tuple[Boards, np.record]:
    """Make the memory of one search at a time: boards for `set_up`, and the table."""
    return np.zeros(2, BOARD), np.zeros(1, memory_dtype(table_bits))[0]


@kernel
def set_up(state: State, boards: Boards, memory: np.record) -> None:
    """Put an open hand on both boards."""
    for kind in range(2):
        board = boards[kind]
        board.n_nodes = 0
        memory.last_generation += _ONE
        board.generation = memory.last_generation
        _put_hands(state, board)
        _put_rules(state, board)
        _put_worths(state, board, kind)


@kernel
def _put_hands(state: State, board: np.record) -> None:
    """Put the cards on a board, and who plays with whom."""
    unknown = unknown_in_hand(state)
    board.cards = _NONE
    board.partner_place = NOBODY
    seat = 0
    for place in range(SEATS):
        board.places[seat] = place
        board.owned[place] = state.hand[seat] & ~unknown
        board.for_picker[place] = 1 if is_on_side(state, seat) else 0
        if state.picker == seat + 1:
            board.picker_place = place
            if unknown != _NONE:
                board.owned[place] |= bit(UNKNOWN)
        elif state.partner == seat + 1:
            board.partner_place = place
        board.cards |= board.owned[place]
        seat = wide(state.left[seat])


@kernel
def _put_rules(state: State, board: np.record) -> None:
    """Put the called card and the options on a board."""
    for suit in range(4):
        board.suit_cards[suit] = cards_of_suit(suit)
    board.called_suit = called_suit(state)
    board.called_card = _NONE
    board.ten_on_top = 0
    if state.called > 0:
        called = wide(state.called) - 1
        board.called_card = bit(called)
        board.suit_cards[board.called_suit] |= bit(UNKNOWN)
        board.ten_on_top = wide(state.called_ten) if called % FAIL_CARDS == TEN else 0
    board.may_lead_called = wide(state.lead_called)
    board.may_slough = wide(state.slough)
    board.may_underlead = wide(state.underlead)


@kernel
def _put_worths(state: State, board: np.record, kind: int) -> None:
    """Put on a board what cards or tricks are worth, and what has been taken."""
    for card in range(UNKNOWN):
        board.worth[card] = POINTS[card] if kind == _BY_POINTS else 0
    board.worth[UNKNOWN] = board.worth[wide(state.face_down) - 1] if state.face_down > 0 else 0
    board.worth_trick = 0 if kind == _BY_POINTS else 1
    board.taken = 0
    if kind == _BY_POINTS:
        board.taken = points_of_side(state)
    else:
        for seat in range(SEATS):
            if is_on_side(state, seat):
                board.taken += wide(state.tricks[seat])


@kernel
def _trick(state: State, board: np.record) -> Trick:
    """Return the trick that is being played."""
    binds = state.called > 0 and (state.called_led == 0 or is_first_lead(state))
    is_free = 0 if binds else 1
    pot = 0
    for seat in range(SEATS):
        if state.laid[seat] > 0:
            pot += board.worth[wide(state.laid[seat]) - 1]
    left = pot + (TRICKS - state.tricks_played) * board.worth_trick
    for card in range(UNKNOWN + 1):
        if board.cards & bit(card) != _NONE:
            left += board.worth[card]
    turn, winner, top = board.places[state.turn], board.places[state.turn], -1
    if state.n_laid > 0:
        winner = board.places[state.winner]
        card = wide(state.laid[state.winner]) - 1
        is_unknown = state.picker == state.winner + 1 and (
            state.face_down_at == state.tricks_played + 1
        )
        if not is_unknown:
            top = height_of(board, is_free, state.led, card)
    return Trick(state.n_laid, turn, winner, top, state.led, is_free, pot, left)


@kernel
def _bound(state: State, board: np.record, memory: np.record, card: int, total: int) -> int:
    """Bound what the picker's side gets in all, past and future, if a card is played now.

    Returns:
        At least `total`, and then it gets that much; or less, and then it gets no more.
    """
    trick = _trick(state, board)
    cards, taken = board.cards, board.taken
    if card != ANY:
        card = UNKNOWN if unknown_in_hand(state) == bit(card) else card
        after = lay(board, trick, card)
        cards ^= bit(card)
        if after.n_laid == 0 and board.for_picker[after.turn] != 0:
            taken += trick.left - after.left
        trick = after
    return taken + search(board, memory, cards, trick, total - taken)


@kernel
def row_after(state: State, boards: Boards, memory: np.record, card: int) -> int:
    """Return the row of payments that both sides reach after a card, or after the best one.

    Who takes no trick has less than 31 points, and who takes all has 120: only the first and the
    last row go by tricks.
    """
    if _bound(state, boards[_BY_POINTS], memory, card, POINTS_TO_WIN) >= POINTS_TO_WIN:
        bound = _bound(state, boards[_BY_POINTS], memory, card, POINTS_FOR_SCHNEIDER)
        if bound < POINTS_FOR_SCHNEIDER:
            return TO_90
        bound = _bound(state, boards[_BY_TRICKS], memory, card, TRICKS)
        return ALL_TRICKS if bound >= TRICKS else FROM_91
    bound = _bound(state, boards[_BY_POINTS], memory, card, POINTS_OUT_OF_SCHNEIDER)
    if bound >= POINTS_OUT_OF_SCHNEIDER:
        return TO_60
    return TO_30 if _bound(state, boards[_BY_TRICKS], memory, card, 1) >= 1 else NO_TRICK


@kernel
def points_after(state: State, boards: Boards, memory: np.record, card: int, guess: int) -> int:
    """Return the points of the picker's side after a card, or after the best one, and the bury."""
    board = boards[_BY_POINTS]
    low = board.taken
    high = low + _trick(state, board).left
    least, most = low, high
    while low < high:
        guess = min(max(guess, low + 1), high)
        bound = _bound(state, board, memory, card, guess)
        if bound >= guess:
            low = bound
            guess += _FIRST_STEP
        else:
            high = bound
            guess -= _FIRST_STEP
        if low > least and high < most:
            guess = (low + high + 1) // 2
    return low


@kernel
def rows_after(
    state: State, boards: Boards, memory: np.record, cards: np.uint64, rows: Values
) -> None:
    """Write the row that follows each of these cards, which may be played, to `rows[card]`."""
    set_up(state, boards, memory)
    while cards != _NONE:
        card = lowest(cards)
        rows[card] = row_after(state, boards, memory, card)
        cards ^= bit(card)


@kernel
def points_after_each(
    state: State, boards: Boards, memory: np.record, cards: np.uint64, points: Values
) -> None:
    """Write the points that follow each of these cards, which may be played, to `points[card]`."""
    set_up(state, boards, memory)
    guess = POINTS_TO_WIN
    while cards != _NONE:
        card = lowest(cards)
        guess = points_after(state, boards, memory, card, guess)
        points[card] = guess
        cards ^= bit(card)


def payments_by_row(state: np.record) -> Values:
    """Return what every seat is paid in this hand, by row: [rows, seats]."""
    payments = np.zeros((ROWS, SEATS), np.int64)
    for row in range(ROWS):
        end = state.copy()
        end.buried = 0
        end.points[:] = end.tricks[:] = 0
        end.points[int(state.picker) - 1] = _POINTS_OF_ROW[row]
        end.tricks[int(state.picker) - 1] = _TRICKS_OF_ROW[row]
        pay_picked(end)
        payments[row] = end.paid
    return payments
