"""The rest of a round, played fast where nobody looks at it: playouts of a search.

A policy that goes by what is legal alone never sees the table, so the table need not be kept as
the rules keep it. What decides a round lies in two words here, a lane of 16 bits for each row:
the ends of the rows and, in the same order, their cards, heads and numbers. Rows lie in the
order of their ends. A placed card goes on the row whose end is the highest one below it, so its
new end is still below the next one: the order stays, and all cards of a turn find their rows by
the ends before it. Only a card below all rows changes the order: the row it takes comes first.
"""

import numpy as np

from kibitz.core.bits import lowest, popcount
from kibitz.core.game import State, apply, choose, choose_listed
from kibitz.core.kernels import inlined_kernel, wrapping_kernel
from kibitz.core.rng import Rng
from kibitz.games.nimmt.state import (
    BULL_HEADS,
    CHOOSING,
    FIRST_ROW_ACTION,
    FULL_ROW,
    HAND_CARDS,
    LOWEST,
    ROWS,
    ascending,
    end_round,
    row_end,
)

_ONE, _TWO, _LANE = np.uint64(1), np.uint64(2), np.uint64(16)
_NO_ROW = np.uint64(0)
_SEAT = np.uint64(32)

# A lane of a row: its number in two bits, its heads in six, then how many cards it has.
_NUMBER, _HEADS_AND_NUMBER, _WHOLE_LANE = np.uint64(3), np.uint64(0xFF), np.uint64(0xFFFF)
_CARDS = 1 << 8
_FULL = np.uint64(FULL_ROW * _CARDS)

_EVERY_LANE = np.uint64(0x0001000100010001)
_TOP_BITS = np.uint64(0x8000800080008000)

_WEIGHTS = (_CARDS + 4 * BULL_HEADS).astype(np.uint64)
"""What each card adds to the lane of its row."""

_Table = tuple[np.uint64, np.uint64, np.uint64]
"""Ends, rows, and the heads taken: by seat 1 above, by seat 0 below."""

_ROW_ACTIONS = np.arange(FIRST_ROW_ACTION, FIRST_ROW_ACTION + ROWS, dtype=np.int8)


@wrapping_kernel
def finish(state: State, policy: np.record, rng: Rng) -> None:
    """Play the round to its end by a policy that goes by what is legal."""
    everybody = (1 << state.players) - 1
    while state.deciding != 0 and (state.phase != CHOOSING or state.deciding != everybody):
        seat = lowest(np.uint64(state.deciding))
        apply(state, seat, choose(state, seat, policy, rng))
    if state.deciding != 0:
        if state.players == 2:
            _play_turns_of_two(state, policy, rng)
        else:
            _play_turns(state, policy, rng)
        state.turn = HAND_CARDS
        end_round(state)


@inlined_kernel
def _play_turns(state: State, policy: np.record, rng: Rng) -> None:
    """Play all turns that are left: of the state, only the heads taken are true afterwards."""
    players = np.int64(state.players)
    ends, rows = lay_out(state)
    for n_cards in range(HAND_CARDS - state.turn, 0, -1):
        for seat in range(players):
            hand = state.hand[seat]
            i = np.uint64(choose_listed(policy, seat, hand, n_cards, rng))
            state.chosen[seat] = hand[i]
            hand[i] = hand[np.uint64(n_cards - 1)]
        order = ascending(state)
        n_placed = players
        taker = order & 15
        card = np.uint64(state.chosen[taker])
        if card < ends & _WHOLE_LANE:
            place = cheapest_place(rows)
            if state.rows != LOWEST:
                place = place_of(rows, choose_listed(policy, taker, _ROW_ACTIONS, ROWS, rng))
            row = rows >> place & _HEADS_AND_NUMBER
            state.taken[taker] += np.int64(row >> _TWO)
            rows = come_first(rows, place) | _WEIGHTS[card] + (row & _NUMBER)
            ends = come_first(ends, place) | card
            order >>= 4
            n_placed -= 1
        new_ends = ends
        for _ in range(n_placed):
            placer = order & 15
            order >>= 4
            card = np.uint64(state.chosen[placer])
            place = _LANE * np.uint64(n_ends_upto(card, ends) - 1)
            row = rows >> place & _WHOLE_LANE
            # Without a branch, as full rows come too irregularly to be predicted.
            is_taken = _NO_ROW - np.uint64(row >= _FULL)
            state.taken[placer] += np.int64((row & _HEADS_AND_NUMBER & is_taken) >> _TWO)
            rows += (_WEIGHTS[card] - (row & ~_NUMBER & is_taken)) << place
            new_ends ^= ((new_ends >> place ^ card) & _WHOLE_LANE) << place
        ends = new_ends


@inlined_kernel
def _play_turns_of_two(state: State, policy: np.record, rng: Rng) -> None:
    """Do the same for two players, whose cards need no memory.

    Turns are written out one by one, so that the compiler knows how many cards are left to choose
    from: policies that look at all of them then need no loops, nor memory for what they find.
    """
    ends, rows = lay_out(state)
    table = ends, rows, _NO_ROW
    left = HAND_CARDS - state.turn
    if left >= 10:
        table = _turn_of_two(state, policy, rng, 10, table)
    if left >= 9:
        table = _turn_of_two(state, policy, rng, 9, table)
    if left >= 8:
        table = _turn_of_two(state, policy, rng, 8, table)
    if left >= 7:
        table = _turn_of_two(state, policy, rng, 7, table)
    if left >= 6:
        table = _turn_of_two(state, policy, rng, 6, table)
    if left >= 5:
        table = _turn_of_two(state, policy, rng, 5, table)
    if left >= 4:
        table = _turn_of_two(state, policy, rng, 4, table)
    if left >= 3:
        table = _turn_of_two(state, policy, rng, 3, table)
    if left >= 2:
        table = _turn_of_two(state, policy, rng, 2, table)
    table = _turn_of_two(state, policy, rng, 1, table)
    taken = table[2]
    state.taken[0] += np.int64(taken & np.uint64(0xFFFFFFFF))
    state.taken[1] += np.int64(taken >> _SEAT)


@inlined_kernel
def _turn_of_two(state: State, policy: np.record, rng: Rng, n: int, table: _Table) -> _Table:
    """Play one turn of two players who have `n` cards each."""
    ends, rows, taken = table
    i = np.uint64(choose_listed(policy, 0, state.hand[0], n, rng))
    j = np.uint64(choose_listed(policy, 1, state.hand[1], n, rng))
    a, b = np.uint64(state.hand[0, i]), np.uint64(state.hand[1, j])
    state.hand[0, i] = state.hand[0, np.uint64(n - 1)]
    state.hand[1, j] = state.hand[1, np.uint64(n - 1)]
    low, high = min(a, b), max(a, b)
    who = _SEAT if b < a else _NO_ROW
    if low < ends & _WHOLE_LANE:
        place = cheapest_place(rows)
        if state.rows != LOWEST:
            seat = 1 if b < a else 0
            place = place_of(rows, choose_listed(policy, seat, _ROW_ACTIONS, ROWS, rng))
        row = rows >> place & _HEADS_AND_NUMBER
        taken += row >> _TWO << who
        rows = come_first(rows, place) | _WEIGHTS[low] + (row & _NUMBER)
        ends = come_first(ends, place) | low
        place = _LANE * np.uint64(n_ends_upto(high, ends) - 1)
    else:
        place = _LANE * np.uint64(n_ends_upto(high, ends) - 1)
        lower = _LANE * np.uint64(n_ends_upto(low, ends) - 1)
        row = rows >> lower & _WHOLE_LANE
        is_taken = _NO_ROW - np.uint64(row >= _FULL)
        taken += (row & _HEADS_AND_NUMBER & is_taken) >> _TWO << who
        rows += (_WEIGHTS[low] - (row & ~_NUMBER & is_taken)) << lower
        ends ^= ((ends >> lower ^ low) & _WHOLE_LANE) << lower
    row = rows >> place & _WHOLE_LANE
    is_taken = _NO_ROW - np.uint64(row >= _FULL)
    taken += (row & _HEADS_AND_NUMBER & is_taken) >> _TWO << (_SEAT - who)
    rows += (_WEIGHTS[high] - (row & ~_NUMBER & is_taken)) << place
    ends ^= ((ends >> place ^ high) & _WHOLE_LANE) << place
    return ends, rows, taken


@inlined_kernel
def lay_out(state: State) -> tuple[np.uint64, np.uint64]:
    """Return the ends of the rows, lowest first, and the rows in that order."""
    ends = rows = _NO_ROW
    for row in range(ROWS):
        end = row_end(state, row)
        lower = 0
        for other in range(ROWS):
            lower += row_end(state, other) < end
        place = _LANE * np.uint64(lower)
        n_cards, heads = np.int64(state.length[row]), np.int64(state.heads[row])
        ends |= np.uint64(end) << place
        rows |= np.uint64(n_cards * _CARDS + heads * 4 + row) << place
    return ends, rows


@inlined_kernel
def n_ends_upto(card: np.uint64, ends: np.uint64) -> int:
    """Count the ends that are not higher than a card."""
    return popcount(((card * _EVERY_LANE | _TOP_BITS) - ends) & _TOP_BITS)


@inlined_kernel
def cheapest_place(rows: np.uint64) -> np.uint64:
    """Return the place of the row with the fewest heads, of several the lowest number."""
    lanes = rows & _HEADS_AND_NUMBER * _EVERY_LANE
    low, high = lanes & np.uint64(0xFFFFFFFF), lanes >> np.uint64(32)
    fewest = min(min(low & _WHOLE_LANE, low >> _LANE), min(high & _WHOLE_LANE, high >> _LANE))
    return _first_zero(lanes ^ fewest * _EVERY_LANE)


@inlined_kernel
def place_of(rows: np.uint64, number: int) -> np.uint64:
    """Return the place of the row of a number."""
    return _first_zero((rows & _NUMBER * _EVERY_LANE) ^ np.uint64(number) * _EVERY_LANE)


@inlined_kernel
def _first_zero(lanes: np.uint64) -> np.uint64:
    """Return the place of the first lane that is zero; all are below 2**15."""
    return np.uint64(lowest(~(lanes + (_TOP_BITS - _EVERY_LANE)) & _TOP_BITS) - 15)


@inlined_kernel
def come_first(lanes: np.uint64, place: np.uint64) -> np.uint64:
    """Take a lane out, move those before it up by one, and leave the first one empty."""
    before = (_ONE << place) - _ONE
    after = ~(before << _LANE | _WHOLE_LANE)
    return (lanes & before) << _LANE | lanes & after
