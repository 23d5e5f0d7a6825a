"""The state of a game of 6 nimmt!, and what is read from it again and again."""

import numpy as np
import numpy.typing as npt

from kibitz.core.bits import popcount
from kibitz.core.game import Seat, State, state_dtype
from kibitz.core.kernels import inner_kernel, kernel
from kibitz.games.nimmt import MATCH_HEADS

MAX_SEATS = 10
HIGHEST_CARD = 104
HAND_CARDS = 10
ROWS = 4
FULL_ROW = 5
FIRST_ROW_ACTION = 105

# Codes of the options, as Option.encode gives them.
FREE, LOWEST = 0, 1
FULL, KNOWN = 0, 1
HIDDEN, OPEN = 0, 1
ROUND, MATCH = 0, 1

# Phases.
WAITING = 0  # for the cards of the next round
CHOOSING = 1  # a card each, face down
TAKING = 2  # a row, with the turn's cards revealed
DRAFTING = 3  # one card from the open ones
OVER = 4

Card = int | np.int64  # np.int64(...) compiles to better code than int(...), measured: 6 %

UNKNOWN = -1  # a pending choice in a view
NOBODY = -1  # in place of a seat


def _bull_heads() -> npt.NDArray[np.int64]:
    """Count the heads on every card; index 0 is no card."""
    card = np.arange(HIGHEST_CARD + 1)
    heads = np.select([card == 55, card % 11 == 0, card % 10 == 0, card % 5 == 0], [7, 5, 3, 2], 1)
    heads[0] = 0
    return heads.astype(np.int64)


BULL_HEADS = _bull_heads()

STATE = state_dtype(
    [
        ("seen", np.uint64, (2,)),  # cards that have lain on the table this round: bit card % 64
        ("players", np.int32),  # options, by the codes above
        ("rows", np.int32),
        ("deck", np.int32),
        ("hands", np.int32),
        ("draft", np.int32),
        ("match", np.int32),
        ("phase", np.int32),
        ("rounds", np.int32),  # rounds begun
        ("turn", np.int32),  # turns completed in this round, 0..10
        ("deciding", np.int32),  # bit mask of the seats that must act
        ("taken", np.int16, (MAX_SEATS,)),  # heads taken this round
        ("total", np.int16, (MAX_SEATS,)),  # heads of earlier rounds
        # Ascending, then zeros; all zero in a view that hides it. A chosen card stays until all
        # have chosen, so that an open hand does not betray it.
        ("hand", np.int8, (MAX_SEATS, HAND_CARDS)),
        ("board", np.int8, (ROWS, FULL_ROW)),  # rows, oldest card first, then zeros
        ("length", np.int8, (ROWS,)),  # cards on each row
        ("heads", np.int8, (ROWS,)),  # bull heads on each row
        # This turn's cards: 0 = none yet, UNKNOWN = face down (in a view). Public once revealed,
        # that is while a row is taken; zero again when the turn is complete.
        ("chosen", np.int8, (MAX_SEATS,)),
        ("last", np.int8, (MAX_SEATS,)),  # the cards of the last complete turn of this round
    ]
)

_ZERO = np.uint64(0)
_ONE = np.uint64(1)
_BYTE = np.uint64(8)
_ALL_CARDS = (np.uint64(2**64 - 2), np.uint64(2 ** (HIGHEST_CARD - 63) - 1))

# Several cards packed into the bytes of a word are compared with another card at once: cards are
# below 128, so the top bit of each byte is free to catch the borrow.
EVERY_BYTE = np.uint64(0x0101010101010101)
TOP_BITS = np.uint64(0x8080808080808080)


@kernel
def hand_size(state: State) -> int:
    """Return the number of cards in every hand outside a draft, also where they are concealed."""
    if state.phase == CHOOSING:
        return HAND_CARDS - state.turn
    if state.phase == TAKING:
        return HAND_CARDS - 1 - state.turn
    return 0


@kernel
def deck_size(state: State) -> int:
    """Return the highest card in play."""
    return HAND_CARDS * state.players + ROWS if state.deck == KNOWN else HIGHEST_CARD


@kernel
def row_end(state: State, row: int) -> int:
    """Return the last card of a row."""
    # The mask tells the compiler that the index is not negative, which saves it a wraparound.
    return np.int64(state.board[row, (np.int64(state.length[row]) - 1) & 7])  # type: ignore[return-value]


@kernel
def row_for(state: State, card: int) -> int:
    """Return the row whose last card is the highest one below `card`; -1 if it is below all."""
    best = -1
    best_end = 0
    for row in range(ROWS):
        end = row_end(state, row)
        if best_end < end < card:
            best = row
            best_end = end
    return best


@kernel
def cheapest_row(state: State) -> int:
    """Return the row with the fewest heads, the first one of several."""
    # Heads and row in one number, so that no comparison waits for the row that the last one found.
    best = np.int64(state.heads[0]) * ROWS
    for row in range(1, ROWS):
        best = min(best, np.int64(state.heads[row]) * ROWS + row)
    return int(best & (ROWS - 1))


@kernel
def deck(state: State, word: int) -> np.uint64:
    """Return the cards in play, as one of two words of a bit set."""
    n_cards = deck_size(state)
    if word > n_cards >> 6:
        return _ZERO
    if word < n_cards >> 6:
        return _ALL_CARDS[word]
    return _ALL_CARDS[word] & ((_ONE << np.uint64((n_cards & 63) + 1)) - _ONE)


@kernel
def held(state: State, seat: Seat, word: int) -> np.uint64:
    """Return the cards of a hand, as one of two words of a bit set."""
    cards = _ZERO
    for i in range(HAND_CARDS):
        card = np.int64(state.hand[seat, i])
        if card >> 6 == word:
            cards |= _ONE << np.uint64(card & 63)
    return cards & _ALL_CARDS[word]  # bit 0 stands for empty places


@kernel
def open_cards(state: State, word: int) -> np.uint64:
    """Return the cards of a draft that nobody has picked, as one of two words of a bit set."""
    cards = deck(state, word)
    for seat in range(state.players):
        cards &= ~held(state, seat, word)
    return cards


@inner_kernel
def n_upto(card: Card, packed: np.uint64) -> int:
    """Count the bytes of a word that are not higher than a card."""
    return popcount(((np.uint64(card) * EVERY_BYTE | TOP_BITS) - packed) & TOP_BITS)


@inner_kernel
def _pack_chosen(state: State) -> tuple[np.uint64, np.uint64]:
    """Pack the cards chosen by seats 0 to 7, and by seats 8 and 9, into the bytes of two words."""
    word = _ZERO
    for seat in range(8):
        word |= np.uint64(np.uint8(state.chosen[seat])) << np.uint64(8 * seat)
    rest = np.uint64(np.uint8(state.chosen[8])) | np.uint64(np.uint8(state.chosen[9])) << _BYTE
    return word, rest


@inner_kernel
def _place_of(card: Card, word: np.uint64, rest: np.uint64, players: int) -> int:
    """Return the place of a card among the `players` chosen ones, from 0; unused bytes are zero."""
    return n_upto(card, word) + n_upto(card, rest) - (17 - players)


@inner_kernel
def ascending(state: State) -> int:
    """Return the seats in the order of the cards they have chosen, four bits each."""
    players = int(state.players)
    if players == 2:
        return 0x10 if state.chosen[0] < state.chosen[1] else 0x01
    word, rest = _pack_chosen(state)
    order = 0
    for seat in range(players):
        place = _place_of(np.int64(state.chosen[seat]), word, rest, players)
        order |= seat << 4 * place
    return order


@inner_kernel
def end_round(state: State) -> None:
    """Wait for the next round of a match, or end the game."""
    state.deciding = 0
    state.phase = OVER if state.match == ROUND else WAITING
    for seat in range(state.players):
        if np.int64(state.total[seat]) + np.int64(state.taken[seat]) >= MATCH_HEADS:
            state.phase = OVER
