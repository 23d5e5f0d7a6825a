"""Alpha-beta search for Connect 4: the exact score of any position, in kernels.

A score says who wins with perfect play, and how soon: 0 is a draw, and who wins with the last disc
but n of his own scores n + 1, the loser minus that. Boards are those of `rules.py`.

A search asks whether a position is worth a target or more, nothing else. Of the columns that do not
lose at once, those are tried first that leave most cells in which the mover would make four, then
those near the centre. A table remembers both bounds that were found of a position; a column whose
reply is known to be bad enough for the other ends the search at once. A position has two places
there, side by side: the first is kept for the earliest, which took longest to search. Who can no
longer make four at all does not win, and what the other is sure of by answering every disc in its
column (`following.py`) needs no search.

The score is found target by target. Targets near the ends of the range ask for short games, which
few moves decide: so they are asked first, from both ends inwards, and the rest by halving.

`benchmarks/limits/connect4_solver.cpp` is the same search in C++: what changes here changes there.
"""

import numpy as np
import numpy.typing as npt

from kibitz.core.bits import ONE, popcount
from kibitz.core.kernels import inner_kernel, kernel, record_dtype, wrapping_kernel
from kibitz.games.connect4.following import NO_BOUND, bound_by_following
from kibitz.games.connect4.lines import has_four
from kibitz.games.connect4.rules import (
    BOARD,
    CELLS,
    COLUMN_BITS,
    COLUMNS,
    NO_CELL,
    column_cells,
    landing_cells,
)

TABLE_BITS = 19
"""The table has two to this power of places of 8 bytes: 4 MB. A larger one spares less work than it
costs time, as it fits the caches less: docs/solver.md."""

BOOK_BITS = 18
"""The same for positions whose scores are known beforehand: 2 MB."""

SYMMETRIC = 16
"""Before this ply, a position and its mirror image are looked up as one."""

LOOK_AHEAD = 28
"""Before this ply, what is known of the replies is looked up before any move is tried."""

FROM_THE_ENDS = 8
"""So many targets are asked from both ends inwards before the rest is halved."""

NO_BOOK = -1
NO_LIMIT = np.iinfo(np.int64).max
UNKNOWN = 99  # no score
NAUGHT = 32  # what stands for a score of 0 in a place

_OUTSIDE_IN = np.array([7, 1, 6, 2, 5, 3, 4])

# A place, from the top: 3 bits of cost, 49 of the key, 6 of the low bound, 6 of the high one.
_COST = np.uint64(61)
_KEY = np.uint64(12)
_LOW = np.uint64(6)
_BELOW_COST = (ONE << _COST) - ONE
_SIX_BITS = np.uint64(63)
_RANK = np.uint64(49)  # the rank of a move stands above its cell
_CELL = np.uint64((1 << 49) - 1)
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


Boards = npt.NDArray[np.uint64]
Scores = npt.NDArray[np.int64]


def memory_dtype(table_bits: int, book_bits: int) -> np.dtype[np.record]:
    """Make the dtype of what a search needs: its tables, and room for the moves of every ply."""
    return record_dtype(
        [
            ("table_shift", np.uint64),  # 64 minus the bits of a place's number
            ("book_shift", np.uint64),
            ("book_ply", np.int64),  # the last ply that the book has, or NO_BOOK
            ("n_searched", np.int64),  # positions looked at
            ("most", np.int64),  # after so many a search stops, and what it returns is no bound
            ("ordered", np.uint64, (CELLS, COLUMNS)),  # by ply: moves by rank, the best last
            ("threats", np.uint64, (CELLS, COLUMNS)),  # where the mover makes four after each
            ("book", np.uint64, (1 << book_bits,)),
            ("places", np.uint64, (1 << table_bits,)),
        ]
    )


def make_memory(table_bits: int = TABLE_BITS, book_bits: int = BOOK_BITS) -> np.record:
    """Make the memory of one search at a time; it need not be cleared between positions."""
    memory: np.record = np.zeros(1, memory_dtype(table_bits, book_bits))[0]
    memory.table_shift, memory.book_shift = np.uint64(64 - table_bits), np.uint64(64 - book_bits)
    memory.book_ply, memory.most = NO_BOOK, NO_LIMIT
    return memory


@inner_kernel
def _beside(own: np.uint64, step: np.uint64) -> np.uint64:
    """Return the cells that three of a set would join to four in one direction."""
    two, three = step + step, step + step + step
    pair = (own << step) & (own << two)
    found = pair & ((own << three) | (own >> step))
    pair = (own >> step) & (own >> two)
    return found | (pair & ((own << step) | (own >> three)))


@kernel
def winning_cells(own: np.uint64, occupied: np.uint64) -> np.uint64:
    """Return the free cells in which a player would make four, reachable or not."""
    found = (own << ONE) & (own << np.uint64(2)) & (own << np.uint64(3))
    found |= _beside(own, np.uint64(6)) | _beside(own, np.uint64(7)) | _beside(own, np.uint64(8))
    return found & (BOARD ^ occupied)


@kernel
def mirrored(key: np.uint64) -> np.uint64:
    """Exchange left and right in a key, or in a board."""
    result = NO_CELL
    for column in range(COLUMNS):
        cells = (key >> np.uint64(COLUMN_BITS * column)) & np.uint64(127)
        result |= cells << np.uint64(COLUMN_BITS * (COLUMNS - 1 - column))
    return result


@kernel
def key_of(own: np.uint64, occupied: np.uint64, ply: int) -> np.uint64:
    """Return the number of a position, early on also that of its mirror image."""
    key = own + landing_cells(occupied)
    if ply < SYMMETRIC:
        other = mirrored(key)
        return other if other < key else key
    return key


@wrapping_kernel
def _scattered(key: np.uint64, shift: np.uint64) -> np.uint64:
    return (key * _GOLDEN) >> shift


@inner_kernel
def _low_of(place: np.uint64) -> int:
    return int((place >> _LOW) & _SIX_BITS) - NAUGHT


@inner_kernel
def _high_of(place: np.uint64) -> int:
    return int(place & _SIX_BITS) - NAUGHT


@inner_kernel
def _entry(key: np.uint64, low: int, high: int) -> np.uint64:
    return (key << _KEY) | (np.uint64(low + NAUGHT) << _LOW) | np.uint64(high + NAUGHT)


@inner_kernel
def _look_up(memory: np.record, key: np.uint64) -> np.uint64:
    """Return what the table holds of a position, or NO_CELL."""
    at = _scattered(key, memory.table_shift)
    for held in (memory.places[at], memory.places[at ^ ONE]):
        if (held & _BELOW_COST) >> _KEY == key:
            return held
    return NO_CELL


@inner_kernel
def _cost(ply: int) -> np.uint64:
    """Return how long a position takes to search: 7 early on, one less every four plies."""
    return np.uint64(min((CELLS - 2 - ply) >> 2, 7))


@inner_kernel
def _note(memory: np.record, key: np.uint64, ply: int, low: int, high: int) -> None:
    """Note both bounds of a position: in its first place, unless that has a costlier one."""
    at = _scattered(key, memory.table_shift)
    first = memory.places[at]
    if first >> _COST > _cost(ply) and (first & _BELOW_COST) >> _KEY != key:
        at ^= ONE
    memory.places[at] = (_cost(ply) << _COST) | _entry(key, low, high)


@kernel
def add_to_book(memory: np.record, key: np.uint64, score: int) -> None:
    """Note the score of a position; there must be room for it."""
    at = _scattered(key, memory.book_shift)
    while memory.book[at] != NO_CELL and memory.book[at] >> _KEY != key:
        at = (at + ONE) & np.uint64(len(memory.book) - 1)
    memory.book[at] = _entry(key, score, score)


@kernel
def score_in_book(memory: np.record, key: np.uint64) -> int:
    """Return the score of a position that the book has, else UNKNOWN."""
    at = _scattered(key, memory.book_shift)
    while memory.book[at] != NO_CELL:
        if memory.book[at] >> _KEY == key:
            return _low_of(memory.book[at])
        at = (at + ONE) & np.uint64(len(memory.book) - 1)
    return UNKNOWN


@inner_kernel
def _order(
    memory: np.record, own: np.uint64, occupied: np.uint64, landing: np.uint64, ply: int, least: int
) -> int:
    """Put the moves of a ply in order; UNKNOWN + their number, or a score that ends the search."""
    other, n = own ^ occupied, 0
    for k in range(COLUMNS):
        cell = landing & column_cells(_OUTSIDE_IN[k])
        if cell == NO_CELL:
            continue
        if ply < LOOK_AHEAD:
            reply = _look_up(memory, key_of(other, occupied | cell, ply + 1))
            if reply != NO_CELL and -_high_of(reply) >= least:
                return -_high_of(reply)
        wins = winning_cells(own | cell, occupied | cell)
        rank = np.uint64(popcount(wins))
        i = n
        while i > 0 and memory.ordered[ply, i - 1] >> _RANK > rank:
            memory.ordered[ply, i] = memory.ordered[ply, i - 1]
            memory.threats[ply, i] = memory.threats[ply, i - 1]
            i -= 1
        memory.ordered[ply, i] = (rank << _RANK) | cell
        memory.threats[ply, i] = wins
        n += 1
    return UNKNOWN + n


@inner_kernel
def _wins_next(own: np.uint64, occupied: np.uint64, landing: np.uint64) -> bool:
    """Whether one of some moves leaves the other no way to stop the next from making four."""
    while landing != NO_CELL:
        rest = landing & (landing - ONE)
        cell = landing ^ rest
        after = occupied | cell
        wins = winning_cells(own | cell, after)
        replies = landing_cells(after) & BOARD
        forced = replies & wins
        if forced != NO_CELL:
            if forced & (forced - ONE) != NO_CELL:
                return True
            replies = forced
        if replies & ~(wins >> ONE) == NO_CELL:
            return True
        landing = rest
    return False


@kernel
def search(
    memory: np.record, own: np.uint64, occupied: np.uint64, threats: np.uint64, ply: int, least: int
) -> int:
    """Return a score that is a lower bound if it is `least` or more, and an upper one if not.

    Nobody can win at once; `threats` are the cells in which the other would make four. Whoever set
    a limit looks whether it was reached: nothing is noted then.
    """
    memory.n_searched += 1
    landing = landing_cells(occupied) & BOARD
    forced = landing & threats
    if forced != NO_CELL:
        if forced & (forced - ONE) != NO_CELL:
            return -((CELLS - ply) // 2)
        landing = forced
    landing &= ~(threats >> ONE)
    if landing == NO_CELL:
        return -((CELLS - ply) // 2)
    if ply >= CELLS - 2:
        return 0
    low, high = -((CELLS - 2 - ply) // 2), (CELLS - 1 - ply) // 2
    if low >= least:
        return low
    if high < least:
        return high
    hopeful = own if least > 0 else own ^ occupied
    if not has_four(hopeful | (BOARD ^ occupied)):
        return 0
    if forced != NO_CELL:
        after = occupied | forced
        wins = winning_cells(own | forced, after)
        return -search(memory, own ^ occupied, after, wins, ply + 1, 1 - least)
    if high == least:
        return high if _wins_next(own, occupied, landing) else high - 1
    bound = bound_by_following(own, occupied, threats, ply, least)
    if bound != NO_BOUND:
        return bound
    key = key_of(own, occupied, ply)
    if ply <= memory.book_ply:
        score = score_in_book(memory, key)
        if score != UNKNOWN:
            return score
    known = _look_up(memory, key)
    if known != NO_CELL:
        low, high = _low_of(known), _high_of(known)
        if low >= least:
            return low
        if high < least:
            return high
    n = _order(memory, own, occupied, landing, ply, least) - UNKNOWN
    if n < 0:
        return n + UNKNOWN
    best = -CELLS
    while n > 0 and best < least:
        n -= 1
        after = occupied | (memory.ordered[ply, n] & _CELL)
        value = -search(memory, own ^ occupied, after, memory.threats[ply, n], ply + 1, 1 - least)
        if memory.n_searched >= memory.most:
            return value
        best = max(best, value)
    if best >= least:
        low = best
    else:
        high = best
    _note(memory, key, ply, low, high)
    return best


@inner_kernel
def _next_target(low: int, high: int, n: int) -> int:
    """Return what to ask next about a score between two bounds."""
    if n < FROM_THE_ENDS:
        if n & 1 == 0 and high > 0:
            return max(high - 1, 1, low + 1)
        if n & 1 == 1 and low < 0:
            return min(low + 2, 0, high)
    return low + (high - low + 1) // 2


@kernel
def score_of(memory: np.record, own: np.uint64, occupied: np.uint64) -> int:
    """Return the score of a position that is not over, to who moves."""
    return _score_from(memory, own, occupied, -CELLS)


@inner_kernel
def _least_by_book(memory: np.record, own: np.uint64, occupied: np.uint64) -> int:
    """Return what a position is worth at least, a ply after those of the book.

    It may have come from several of them, and was no better for who moved there than their score.
    """
    other, least = own ^ occupied, -CELLS
    for k in range(COLUMNS):
        cell = (landing_cells(occupied) >> ONE) & column_cells(_OUTSIDE_IN[k])
        if cell & other != NO_CELL:
            before = key_of(other ^ cell, occupied ^ cell, memory.book_ply)
            score = score_in_book(memory, before)
            if score != UNKNOWN:
                least = max(least, -score)
    return least


@kernel
def _score_from(memory: np.record, own: np.uint64, occupied: np.uint64, least: int) -> int:
    """Return the score of a position that is not over and has at least this score."""
    ply = popcount(occupied)
    if winning_cells(own, occupied) & landing_cells(occupied) != NO_CELL:
        return (CELLS + 1 - ply) // 2
    low, high = max(least, -((CELLS - ply) // 2)), (CELLS - 1 - ply) // 2
    if ply == memory.book_ply + 1:
        low = max(low, _least_by_book(memory, own, occupied))
    threats = winning_cells(own ^ occupied, occupied)
    n = 0
    while low < high:
        target = _next_target(low, high, n)
        found = search(memory, own, occupied, threats, ply, target)
        if found >= target:
            low = found
        else:
            high = found
        n += 1
    return low


@kernel
def score_after(
    memory: np.record, own: np.uint64, occupied: np.uint64, column: int, most: int
) -> int:
    """Return what a column is worth to who moves; UNKNOWN if it is full.

    Args:
        memory: of the search.
        own: the discs of who moves.
        occupied: those of both.
        column: from 1.
        most: no column is worth more, such as the score of the position.
    """
    cell = landing_cells(occupied) & column_cells(column)
    if cell == NO_CELL:
        return UNKNOWN
    if has_four(own | cell):
        return (CELLS + 1 - popcount(occupied)) // 2
    if occupied | cell == BOARD:
        return 0
    return -_score_from(memory, own ^ occupied, occupied | cell, -most)


@kernel
def bound_columns(own: np.uint64, occupied: np.uint64, lows: Scores, highs: Scores) -> None:
    """Write what every column is worth at least and at most, without a search: [columns] each.

    Of a full column both are UNKNOWN.
    """
    ply = popcount(occupied)
    for i in range(COLUMNS):
        cell = landing_cells(occupied) & column_cells(i + 1)
        after = occupied | cell
        replies = landing_cells(after) & winning_cells(own ^ occupied, after)
        lows[i], highs[i] = -((CELLS - 2 - ply) // 2), (CELLS - 1 - ply) // 2
        if cell == NO_CELL:
            lows[i] = highs[i] = UNKNOWN
        elif has_four(own | cell):
            lows[i] = highs[i] = (CELLS + 1 - ply) // 2
        elif after == BOARD:
            lows[i] = highs[i] = 0
        elif replies != NO_CELL:
            lows[i] = highs[i] = -((CELLS - ply) // 2)


@kernel
def narrow_columns(
    memory: np.record, own: np.uint64, occupied: np.uint64, lows: Scores, highs: Scores, n: int
) -> bool:
    """Ask one question more about every column that is not solved; whether there was time.

    Args:
        memory: with its limit of positions.
        own: the discs of who moves.
        occupied: those of both.
        lows: what each column is worth at least to who moves, changed in place: [columns].
        highs: what each is worth at most.
        n: the number of the question, from 0.
    """
    ply = popcount(occupied)
    for k in range(COLUMNS - 1, -1, -1):
        i = _OUTSIDE_IN[k] - 1
        if lows[i] >= highs[i]:
            continue
        after = occupied | (landing_cells(occupied) & column_cells(i + 1))
        target = _next_target(-highs[i], -lows[i], n)
        threats = winning_cells(own | (after ^ occupied), after)
        found = search(memory, own ^ occupied, after, threats, ply + 1, target)
        if memory.n_searched >= memory.most:
            return False
        if found >= target:
            highs[i] = -found
        else:
            lows[i] = -found
    return True


@kernel
def scores_of(memory: np.record, owns: Boards, occupied: Boards, out: Scores) -> None:
    """Write the scores of many positions: [positions]."""
    for i in range(len(owns)):
        out[i] = score_of(memory, owns[i], occupied[i])


@kernel
def scores_by_column(memory: np.record, owns: Boards, occupied: Boards, out: Scores) -> None:
    """Write what every column of many positions is worth, or UNKNOWN: [positions, columns]."""
    for i in range(len(owns)):
        most = score_of(memory, owns[i], occupied[i])
        for k in range(COLUMNS - 1, -1, -1):
            column = _OUTSIDE_IN[k]
            out[i, column - 1] = score_after(memory, owns[i], occupied[i], column, most)
