"""The rules of 6 nimmt! as kernels on one record.

**Rules.** 104 cards; bull heads count against whoever takes them (55 has 7, other multiples of 11
have 5, other multiples of 10 have 3, other multiples of 5 have 2, the rest 1; 171 in all). All hold
ten cards and four more start the four rows. In each of ten turns all choose a card face down; the
cards are revealed and placed in ascending order, each on the row whose last card is the highest one
below it. The sixth card of a row takes the five and starts the row anew. Whoever plays a card below
all four row ends takes a row of his choice, and his card starts it.

**Variants.** The options of the spec: free or automatic choice of the row (`rows`), all cards or
only 1..10n+4 (`deck`), open hands, a draft (seat 0 picks first, in turn; the last four cards start
the rows in ascending order), one round or a match until somebody has 66 heads after a round.

**What follows from the rules** and is used below. A card below all row ends is the lowest card of
its turn, since any card placed before it would be a lower row end. So a turn has at most one choice
of a row, it comes before anything is placed, and the taker sees all cards of the turn. From then on
every card belongs to the row whose end is the highest one below it *before* the others are placed:
cards that go to other rows never move their ends past it.

**Simplifications.** None. The order of the four starting cards is the order of the rows.

**Actions.** A card is its number, 1..104; rows are 105..108. `legal` lists a hand ascending, the
rows in order, or the open cards of a draft ascending.
"""

import numpy as np

from kibitz.core.bits import lowest, popcount
from kibitz.core.game import Action, Actions, Scores, Seat, State, register
from kibitz.core.kernels import inlined_kernel, inner_kernel, kernel
from kibitz.core.rng import Rng, below
from kibitz.games.nimmt.finish import finish
from kibitz.games.nimmt.state import (
    BULL_HEADS,
    CHOOSING,
    DRAFTING,
    EVERY_BYTE,
    FIRST_ROW_ACTION,
    FULL_ROW,
    HAND_CARDS,
    HIDDEN,
    HIGHEST_CARD,
    LOWEST,
    MAX_SEATS,
    NOBODY,
    OVER,
    ROWS,
    STATE,
    TAKING,
    TOP_BITS,
    UNKNOWN,
    Card,
    ascending,
    cheapest_row,
    deck,
    deck_size,
    end_round,
    hand_size,
    held,
    n_upto,
    open_cards,
    row_end,
)

_ZERO = np.uint64(0)
_ONE = np.uint64(1)
_BYTE = np.uint64(8)
_UNUSED_BYTES = 4  # of a word that holds the ends of the rows: zero, so not higher than any card


@inner_kernel
def _deal_hands(state: State, skipped: Seat, n: int, begin: int, end: int, rng: Rng) -> None:
    """Deal `n` cards to every seat but one from the pool that lies in cells `begin` to `end`.

    Cells are those of all hands in one row. The pool shrinks from its beginning, and the caller
    sees to it that no hand reaches into what is left.
    """
    cells = state.hand.reshape(MAX_SEATS * HAND_CARDS)
    k = begin
    for seat in range(state.players):
        if seat == skipped:
            continue
        low, high = _ZERO, _ZERO
        for _ in range(n):
            j = k + below(rng, end - k)
            card = np.int64(cells[j])
            cells[j] = cells[k]
            bit = _ONE << np.uint64(card & 63)
            low |= bit if card < 64 else _ZERO
            high |= bit if card >= 64 else _ZERO
            k += 1
        _write_hand(state, seat, n, low, high)
    for i in range(HAND_CARDS * state.players, MAX_SEATS * HAND_CARDS):
        cells[i] = 0


@inner_kernel
def _write_hand(state: State, seat: Seat, n: int, low: np.uint64, high: np.uint64) -> None:
    """Write the `n` cards of a bit set into a hand, in ascending order."""
    for i in range(n):  # without branches, which could not be predicted
        word = high if low == 0 else low
        state.hand[seat, i] = lowest(word) + (64 if low == 0 else 0)
        word &= word - _ONE
        high = word if low == 0 else high
        low = _ZERO if low == 0 else word
    for i in range(n, HAND_CARDS):
        state.hand[seat, i] = 0


@kernel
def deal(state: State, rng: Rng) -> None:
    """Begin the next round."""
    for seat in range(MAX_SEATS):
        state.total[seat] += state.taken[seat]
        state.taken[seat] = 0
        state.chosen[seat] = 0
        state.last[seat] = 0
    for row in range(ROWS):
        for i in range(FULL_ROW):
            state.board[row, i] = 0
    state.rounds += 1
    state.turn = 0
    state.seen[0] = 0
    state.seen[1] = 0
    if state.draft:
        for seat in range(MAX_SEATS):
            for i in range(HAND_CARDS):
                state.hand[seat, i] = 0
        for row in range(ROWS):
            state.length[row] = 0
            state.heads[row] = 0
        state.phase = DRAFTING
        state.deciding = 1
        return
    _shuffle_and_deal(state, rng)
    _begin_turns(state)


@inner_kernel
def _shuffle_and_deal(state: State, rng: Rng) -> None:
    """Shuffle the deck in place: all but four of its cards fit into the cells of the hands."""
    cells = state.hand.reshape(MAX_SEATS * HAND_CARDS)
    n_cells = deck_size(state) - ROWS
    for i in range(n_cells):
        cells[i] = i + 1
    for row in range(ROWS):
        state.board[row, 0] = n_cells + row + 1
    for row in range(ROWS):
        pick = row + below(rng, n_cells + ROWS - row)
        if pick < ROWS:
            card = state.board[pick, 0]
            state.board[pick, 0] = state.board[row, 0]
        else:
            card = cells[pick - ROWS]
            cells[pick - ROWS] = state.board[row, 0]
        state.board[row, 0] = card
    _deal_hands(state, NOBODY, HAND_CARDS, 0, n_cells, rng)


@inner_kernel
def _show(state: State, card: Card) -> None:
    """Let a card be seen by all."""
    state.seen[card >> 6] |= _ONE << np.uint64(card & 63)


@inner_kernel
def _begin_turns(state: State) -> None:
    """Let the first cards of the rows be seen, and all seats choose."""
    for row in range(ROWS):
        card = np.int64(state.board[row, 0])
        state.length[row] = 1
        state.heads[row] = BULL_HEADS[card & 127]
        _show(state, card)
    state.phase = CHOOSING
    state.deciding = (1 << state.players) - 1


@kernel
def movers(state: State) -> int:
    """Return the seats that must decide now."""
    return state.deciding


@kernel
def legal(state: State, seat: Seat, out: Actions) -> int:
    """List the hand, the rows, or the open cards of a draft."""
    if state.phase != CHOOSING:
        return _legal_rows_or_picks(state, out)
    for i in range(HAND_CARDS):  # all ten, so that it is one wide copy
        out[i] = state.hand[seat, i]
    return HAND_CARDS - state.turn


@inner_kernel
def _legal_rows_or_picks(state: State, out: Actions) -> int:
    """List the rows, or the open cards of a draft."""
    if state.phase == TAKING:
        for row in range(ROWS):
            out[row] = FIRST_ROW_ACTION + row
        return ROWS
    n = 0
    for word in range(2):
        cards = open_cards(state, word)
        while cards != 0:
            out[n] = 64 * word + lowest(cards)
            cards &= cards - _ONE
            n += 1
    return n


@kernel
def random_action(state: State, seat: Seat, rng: Rng) -> Action:
    """Draw one of the legal actions."""
    if state.phase == CHOOSING:
        return np.int64(state.hand[seat, below(rng, HAND_CARDS - state.turn)])  # type: ignore[return-value]
    if state.phase == TAKING:
        return FIRST_ROW_ACTION + below(rng, ROWS)
    return _random_pick(state, rng)


@inner_kernel
def _random_pick(state: State, rng: Rng) -> Action:
    """Draw one of the open cards of a draft."""
    low, high = open_cards(state, 0), open_cards(state, 1)
    n_low = popcount(low)
    skip = below(rng, n_low + popcount(high))
    cards, base = (low, 0) if skip < n_low else (high, 64)
    skip -= 0 if skip < n_low else n_low
    for _ in range(skip):
        cards &= cards - _ONE
    return base + lowest(cards)


@kernel
def is_legal(state: State, seat: Seat, action: Action) -> bool:
    """Whether a seat may do this now."""
    if seat < 0 or seat >= state.players or (state.deciding >> seat) & 1 == 0:
        return False
    if state.phase == TAKING:
        return FIRST_ROW_ACTION <= action < FIRST_ROW_ACTION + ROWS
    if action < 1 or action > HIGHEST_CARD:
        return False
    if state.phase == DRAFTING:
        return (open_cards(state, action >> 6) >> np.uint64(action & 63)) & _ONE != 0
    held = False
    for i in range(HAND_CARDS):
        held |= state.hand[seat, i] == action
    return held


@inlined_kernel
def apply(state: State, seat: Seat, action: Action) -> None:
    """Choose a card, take a row, or pick a card; the last chosen card resolves the turn."""
    if state.phase == CHOOSING:
        state.chosen[seat] = action
        state.deciding &= ~(1 << seat)
        if state.deciding == 0:
            _reveal(state)
    elif state.phase == TAKING:
        _take_chosen_row(state, seat, action - FIRST_ROW_ACTION)
    else:
        _pick(state, seat, action)


@inner_kernel
def _take_chosen_row(state: State, seat: Seat, row: int) -> None:
    """Let the seat with the lowest card take the row it wants, and place the other cards."""
    ends = _take_row(state, seat, row, _pack_ends(state))
    _place(state, ascending(state) >> 4, state.players - 1, ends)


@inner_kernel
def _pick(state: State, seat: Seat, card: int) -> None:
    """Put an open card into a hand; the four that are left start the rows."""
    i = HAND_CARDS - 1
    while i > 0 and (state.hand[seat, i - 1] == 0 or state.hand[seat, i - 1] > card):
        state.hand[seat, i] = state.hand[seat, i - 1]
        i -= 1
    state.hand[seat, i] = card
    if seat < state.players - 1:
        state.deciding = 1 << (seat + 1)
        return
    state.deciding = 1
    if state.hand[seat, HAND_CARDS - 1] == 0:
        return
    row = 0
    for word in range(2):
        cards = open_cards(state, word)
        while cards != 0:
            state.board[row, 0] = 64 * word + lowest(cards)
            cards &= cards - _ONE
            row += 1
    _begin_turns(state)


@inner_kernel
def _drop(state: State, seat: Seat, card: Card) -> None:
    """Remove a card from a hand: the cards above it move down by one place.

    The compiler turns the loops into one load and one store of eight cards.
    """
    word = _ZERO
    for i in range(8):
        word |= np.uint64(np.uint8(state.hand[seat, i])) << np.uint64(8 * i)
    ninth, tenth = state.hand[seat, 8], state.hand[seat, 9]
    after = word >> _BYTE | np.uint64(np.uint8(ninth)) << np.uint64(56)
    from_card = ((word | TOP_BITS) - np.uint64(card) * EVERY_BYTE) & TOP_BITS
    moving = (from_card >> np.uint64(7)) * np.uint64(255)
    word = (word & ~moving) | (after & moving)
    for i in range(8):
        state.hand[seat, i] = np.int64(word >> np.uint64(8 * i) & np.uint64(255))
    state.hand[seat, 8] = ninth if ninth < card else tenth
    state.hand[seat, 9] = 0


@inner_kernel
def _reveal(state: State) -> None:
    """Take the chosen cards out of the hands and place them, unless a row must be chosen first."""
    n = int(state.players)
    ends = _pack_ends(state)
    order = ascending(state)
    for seat in range(n):
        _drop(state, seat, np.int64(state.chosen[seat]))
    first = order & 15
    if n_upto(np.int64(state.chosen[first]), ends) <= _UNUSED_BYTES:
        if state.rows != LOWEST:
            state.phase = TAKING
            state.deciding = 1 << first
            return
        ends = _take_row(state, first, cheapest_row(state), ends)
        order >>= 4
        n -= 1
    _place(state, order, n, ends)


@inner_kernel
def _take_row(state: State, seat: Seat, row: int, ends: np.uint64) -> np.uint64:
    """Let a seat take a row, which its card starts anew; return the new ends of the rows."""
    card = np.int64(state.chosen[seat])
    state.taken[seat] += state.heads[row]
    state.board[row, 0] = card
    for i in range(1, FULL_ROW):
        state.board[row, i] = 0
    state.length[row] = 1
    state.heads[row] = BULL_HEADS[card & 127]
    _show(state, card)
    place = np.uint64(8 * row)
    return ends & ~(np.uint64(255) << place) | np.uint64(card) << place


@inner_kernel
def _pack_ends(state: State) -> np.uint64:
    """Pack the last cards of the rows into the lower bytes of a word."""
    end_0, end_1 = row_end(state, 0), row_end(state, 1)
    end_2, end_3 = row_end(state, 2), row_end(state, 3)
    return np.uint64(end_0 | end_1 << 8 | end_2 << 16 | end_3 << 24)


@inner_kernel
def _row_of(ends: np.uint64, row: int, end: np.uint64) -> int:
    """Return a row at its place among all rows by ascending ends, two bits each.

    The place is twice the number of ends that are not higher.
    """
    return row << 2 * n_upto(np.int64(end & np.uint64(127)), ends)


@inlined_kernel
def _place(state: State, order: int, n: int, ends: np.uint64) -> None:
    """Place the cards of the first `n` seats of an order, none below all rows; end the turn.

    `ends` are the last cards of the rows as they lie.
    """
    rows = (
        _row_of(ends, 1, ends >> np.uint64(8))
        | _row_of(ends, 2, ends >> np.uint64(16))
        | _row_of(ends, 3, ends >> np.uint64(24))
    )
    for _ in range(n):
        seat = order & 15
        order >>= 4
        card = np.int64(state.chosen[seat])
        row = (rows >> 2 * n_upto(card, ends)) & 3
        length = np.int64(state.length[row]) & 7
        if length == FULL_ROW:
            _take_row(state, seat, row, ends)
        else:
            state.board[row, length] = card
            state.length[row] = length + 1
            state.heads[row] += BULL_HEADS[card & 127]
            _show(state, card)
    _end_turn(state)


@inlined_kernel
def _end_turn(state: State) -> None:
    """Let the turn's cards be remembered, and go on."""
    players = int(state.players)
    for seat in range(MAX_SEATS):
        state.last[seat] = state.chosen[seat]
    for seat in range(MAX_SEATS):
        state.chosen[seat] = 0
    turn = np.int64(state.turn) + 1
    state.turn = turn
    if turn < HAND_CARDS:
        state.phase = CHOOSING
        state.deciding = (1 << players) - 1
    else:
        end_round(state)


@kernel
def is_over(state: State) -> bool:
    """Whether the round, or the match, has ended."""
    return state.phase == OVER


@kernel
def scores(state: State, out: Scores) -> None:
    """Write minus the heads of all rounds."""
    for seat in range(state.players):
        out[seat] = -(np.int64(state.total[seat]) + np.int64(state.taken[seat]))


@kernel
def conceal(state: State, seat: Seat) -> None:
    """Hide the other hands, unless they are open, and what the others have chosen face down."""
    for other in range(state.players):
        if other == seat:
            continue
        if state.hands == HIDDEN:
            for i in range(HAND_CARDS):
                state.hand[other, i] = 0
        if state.phase == CHOOSING and state.chosen[other] != 0:
            state.chosen[other] = UNKNOWN


@kernel
def resample(view: State, seat: Seat, rng: Rng) -> None:
    """Deal the unseen cards to the hidden hands; let pending choices be any card of the hand."""
    n = hand_size(view)
    if view.hands == HIDDEN and n > 0:
        _deal_unseen(view, seat, n, rng)
    if view.phase == CHOOSING:
        for other in range(view.players):
            if view.chosen[other] == UNKNOWN:
                view.chosen[other] = view.hand[other, below(rng, n)]


@inner_kernel
def _unseen(view: State, seat: Seat, word: int) -> np.uint64:
    """Return the cards that can be in hidden hands, as one of two words of a bit set."""
    cards = deck(view, word) & ~view.seen[word]
    for other in range(view.players):
        card = np.int64(view.chosen[other])  # all revealed, or zero or the seat's own
        if card > 0 and card >> 6 == word:
            cards &= ~(_ONE << np.uint64(card & 63))
    return cards & ~held(view, seat, word) if seat >= 0 else cards


@inner_kernel
def _deal_unseen(view: State, seat: Seat, n: int, rng: Rng) -> None:
    """Deal `n` cards to every hidden hand.

    The unseen cards are laid into the last of all cells, and hands are written from seat 0 on
    without reaching them. At least 4 + (10 - n) * p of the 104 cards have been seen, p being the
    number of seats, and n more if there is an own hand. So when h hands have been dealt, the pool
    begins at cell (10 - n) * p + h * n or later, n later with an own hand; the hands end at cell
    10 * h, or 10 * (h + 1) with the own one before them. That is not more: h, or h + 1, is at
    most p.
    """
    cells = view.hand.reshape(MAX_SEATS * HAND_CARDS)
    unseen_low, unseen_high = _unseen(view, seat, 0), _unseen(view, seat, 1)
    own_low, own_high = _ZERO, _ZERO
    if seat >= 0:
        own_low, own_high = held(view, seat, 0), held(view, seat, 1)
    begin = MAX_SEATS * HAND_CARDS - popcount(unseen_low) - popcount(unseen_high)
    k = begin
    while unseen_low != 0:
        cells[k] = lowest(unseen_low)
        unseen_low &= unseen_low - _ONE
        k += 1
    while unseen_high != 0:
        cells[k] = 64 + lowest(unseen_high)
        unseen_high &= unseen_high - _ONE
        k += 1
    _deal_hands(view, seat, n, begin, MAX_SEATS * HAND_CARDS, rng)
    if seat >= 0:
        _write_hand(view, seat, n, own_low, own_high)


@kernel
def max_legal(state: State) -> int:
    """Return the most actions a seat may choose from: the whole deck, in a draft of ten."""
    return HIGHEST_CARD


@kernel
def describe(state: State, seat: Seat, action: Action) -> tuple[int, int, int]:
    """Say what is done: play a card (0), take a row (1) or pick a card (2); heads; card or row."""
    if action >= FIRST_ROW_ACTION:
        row = action - FIRST_ROW_ACTION
        return 1, np.int64(state.heads[row]), row + 1  # type: ignore[return-value]
    return (2 if state.phase == DRAFTING else 0), BULL_HEADS[action], action


register(
    STATE,
    deal=deal,
    movers=movers,
    legal=legal,
    is_legal=is_legal,
    apply=apply,
    is_over=is_over,
    scores=scores,
    conceal=conceal,
    resample=resample,
    max_legal=max_legal,
    random_action=random_action,
    finish=finish,
    describe=describe,
)
