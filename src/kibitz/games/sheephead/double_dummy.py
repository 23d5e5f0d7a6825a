"""Open hands, picker's side against the rest: a compiled alpha-beta search.

The cards are dealt out to five *places*, numbered in the order of play. Who holds a card never
changes, so a position between two tricks is the set of cards still held, who leads, and whether
the called suit has been led. Its value is what the picker's side will still take: points of cards,
or tricks (then a card is worth nothing and a trick one). What was taken before does not matter.

A search asks whether the picker's side reaches a target, and gives a bound of the value: at least
the target, or below it (fail-soft). The table keeps both bounds of positions between tricks, and
the best lead.

**Cards that are the same.** Of cards in one hand with no card of another hand between them, only
the points matter: one of each kind is tried. In the table, the cards left are moved down to the
lowest ones of the same holder and points that keep the order, so that positions which differ only
in names meet.
"""

from typing import NamedTuple

import numpy as np

from kibitz.core.bits import highest, lowest, popcount
from kibitz.core.kernels import kernel, record_dtype
from kibitz.core.rng import mix
from kibitz.games.sheephead.cards import (
    ACE,
    CARDS,
    FAIL_CARDS,
    FAIL_SUITS,
    FIRST_TRUMP,
    TEN,
    TRUMP,
    TRUMPS,
)
from kibitz.games.sheephead.state import HAND_CARDS, SEATS

NOBODY = -1
UNKNOWN = CARDS  # the card laid face down, while it is held, is a card of its own
TABLE_BITS = 16
TABLE_SIZE = 1 << TABLE_BITS

_LOW_TRUMPS, _HIGH_TRUMPS = 5, 9  # diamonds; jacks, queens and the joker
_FIRST_HIGH = FIRST_TRUMP + _LOW_TRUMPS
_N_CARDS = SEATS * HAND_CARDS
_MOST = 1000  # above every value

_ONE, _ZERO = np.uint64(1), np.uint64(0)
_UNKNOWN_BIT = np.uint64(1 << UNKNOWN)
_SIX, _TWELVE, _EIGHTEEN, _HIGH_SHIFT = (np.uint64(n) for n in (6, 12, 18, _FIRST_HIGH))
_FAIL_MASK, _LOW_MASK, _HIGH_MASK = np.uint64(63), np.uint64(31), np.uint64(511)
_LEADER_SHIFT, _OPEN_SHIFT, _GENERATION_SHIFT = np.uint64(32), np.uint64(35), np.uint64(36)
_HIGH_BOUND, _BEST_LEAD = np.uint64(8), np.uint64(16)
_BYTE = np.uint64(255)

BOARD = record_dtype(
    [
        ("owned", np.uint64, (SEATS,)),  # cards dealt to each place; the unknown is bit UNKNOWN
        ("suit_cards", np.uint64, (4,)),  # the unknown is one of the called suit
        ("called_card", np.uint64),  # empty: nobody was called
        ("called_suit", np.int64),  # or NOBODY
        ("cards", np.uint64),  # in all hands
        ("generation", np.uint64),  # of the entries in the table that are about this board
        ("worth", np.int64, (CARDS + 1,)),  # of each card
        ("worth_trick", np.int64),
        ("taken", np.int64),  # by the picker's side so far
        ("places", np.int64, (SEATS,)),  # of the seats
        ("for_picker", np.int64, (SEATS,)),  # whether a place is on the picker's side
        ("picker_place", np.int64),
        ("partner_place", np.int64),  # or NOBODY
        ("may_lead_called", np.int64),
        ("may_slough", np.int64),
        ("may_underlead", np.int64),
        ("ten_on_top", np.int64),  # the called ten beats the ace where its suit is first led
        ("n_nodes", np.int64),
        ("moves", np.int64, (_N_CARDS, HAND_CARDS)),  # scratch: by cards played
        ("ranks", np.int64, (_N_CARDS, HAND_CARDS)),
        ("labels", np.int64, (CARDS,)),
        ("same_fail", np.uint64, (FAIL_SUITS, 1 << FAIL_CARDS)),
        ("same_low", np.uint64, (1 << _LOW_TRUMPS,)),
        ("same_high", np.uint64, (1 << _HIGH_TRUMPS,)),
    ]
)
"""Five open hands, what cards are worth, and scratch memory."""

MEMORY = record_dtype(
    [
        ("last_generation", np.uint64),  # entries of others are not looked at
        ("entries", np.uint64, (TABLE_SIZE, 2)),  # key; bounds and best lead
    ]
)
"""The table of positions."""


class Trick(NamedTuple):
    """A trick and what led to it."""

    n_laid: int
    turn: int  # place
    winner: int
    height: int  # of the winning card; -1: nothing can be lower
    led: int  # suit, where n_laid > 0
    is_free: int  # whether the called suit had been led before this trick
    pot: int  # worth of the cards laid
    left: int  # worth of all that is still to be taken, the pot too


@kernel
def _suit(board: np.record, card: int) -> int:
    """Give the suit of a card; the unknown is of the called one."""
    if card == UNKNOWN:
        return board.called_suit
    return card // FAIL_CARDS if card < FIRST_TRUMP else TRUMP


@kernel
def height_of(board: np.record, is_free: int, led: int, card: int) -> int:
    """Give the height of a card in a trick of the suit `led`; -1: it cannot win."""
    if card == UNKNOWN:
        return -1
    if card >= FIRST_TRUMP:
        return card
    if card // FAIL_CARDS != led:
        return -1
    if board.ten_on_top and not is_free and led == board.called_suit:
        rank = card - FAIL_CARDS * led
        if rank == TEN:
            return card + 1
        if rank == ACE:
            return card - 1
    return card


@kernel
def _allowed(board: np.record, cards: np.uint64, trick: Trick) -> np.uint64:
    """Give the cards that the place whose turn it is may play."""
    place = trick.turn
    hand = board.owned[place] & cards
    if trick.n_laid:
        follow = hand & board.suit_cards[trick.led]
        if follow:
            if (
                not trick.is_free
                and trick.led == board.called_suit
                and place == board.partner_place
                and follow & board.called_card
            ):
                return follow & board.called_card
            return follow
    if trick.is_free or hand & (hand - _ONE) == _ZERO:
        return hand
    called = board.suit_cards[board.called_suit]
    if trick.n_laid:
        if place == board.picker_place:
            kept = hand & called
            if kept & (kept - _ONE) == _ZERO:
                return hand & ~kept
        elif place == board.partner_place and not board.may_slough:
            return hand & ~board.called_card
    elif place == board.picker_place:
        if not board.may_lead_called and hand & ~called:
            return hand & ~called
    elif (
        place == board.partner_place and not board.may_underlead and hand & board.called_card
    ):
        return hand & ~(called ^ board.called_card)
    return hand


@kernel
def _reach(board: np.record, cards: np.uint64, place: int, led: int) -> int:
    """Give the height a place can reach in a trick of a suit, obligations aside."""
    hand = board.owned[place] & cards
    follow = hand & board.suit_cards[led]
    if follow:
        top = highest(follow)
        return -1 if top == UNKNOWN else top
    hand &= TRUMPS
    return highest(hand) if hand else -1


@kernel
def _rank_lead(board: np.record, cards: np.uint64, trick: Trick, card: int) -> int:
    """Say how promising a lead is."""
    led = _suit(board, card)
    side = board.for_picker[trick.turn]
    ours, theirs = -1, -1
    for place in range(SEATS):
        if place != trick.turn:
            reach = _reach(board, cards, place, led)
            if board.for_picker[place] == side:
                ours = max(ours, reach)
            else:
                theirs = max(theirs, reach)
    worth = board.worth[card]
    if card != UNKNOWN and card > theirs:
        return 200 + 4 * worth + card
    if ours > theirs:
        return 100 + 4 * worth - card
    return -4 * worth - card


@kernel
def _rank_follow(
    board: np.record, trick: Trick, card: int, ours: int, theirs: int
) -> int:
    """Say how promising a card is; `ours` and `theirs` is what those behind can reach."""
    height = height_of(board, trick.is_free, trick.led, card)
    is_ours = board.for_picker[trick.winner] == board.for_picker[trick.turn]
    top = trick.height
    if height > top:
        top, is_ours = height, True
    wins = ours > max(top, theirs) if not is_ours else max(top, ours) > theirs
    cost = card if card >= FIRST_TRUMP else 0
    if wins:
        return 200 + 8 * board.worth[card] - cost
    return -8 * board.worth[card] - cost


@kernel
def _list_moves(
    board: np.record, cards: np.uint64, trick: Trick, depth: int, first: int
) -> int:
    """Write the cards worth trying to `moves[depth]`, the most promising first."""
    place = trick.turn
    moves = _allowed(board, cards, trick)
    others = cards & ~board.owned[place]
    ours, theirs = -1, -1
    if trick.n_laid:
        if trick.height >= 0:
            others |= _ONE << np.uint64(trick.height)
        other = place
        for _ in range(SEATS - 1 - trick.n_laid):
            other = other + 1 if other < SEATS - 1 else 0
            reach = _reach(board, cards, other, trick.led)
            if board.for_picker[other] == board.for_picker[place]:
                ours = max(ours, reach)
            else:
                theirs = max(theirs, reach)
    n, run, seen, last_suit = 0, _ZERO, 0, -1
    while moves:
        card = lowest(moves)
        bit = _ONE << np.uint64(card)
        moves ^= bit
        suit = _suit(board, card)
        between = others & (bit - _ONE) & ~run
        if suit != last_suit or between:
            seen, last_suit = 0, suit
        run = bit | (bit - _ONE)
        kind = 1 << board.worth[card]
        if bit & board.called_card or card == UNKNOWN:
            kind = 1 << 20
        if seen & kind:
            continue
        seen |= kind
        if card == first:
            rank = 10_000
        elif trick.n_laid:
            rank = _rank_follow(board, trick, card, ours, theirs)
        else:
            rank = _rank_lead(board, cards, trick, card)
        i = n
        while i > 0 and board.ranks[depth, i - 1] < rank:
            board.ranks[depth, i] = board.ranks[depth, i - 1]
            board.moves[depth, i] = board.moves[depth, i - 1]
            i -= 1
        board.ranks[depth, i] = rank
        board.moves[depth, i] = card
        n += 1
    return n


@kernel
def lay(board: np.record, trick: Trick, card: int) -> Trick:
    """Give the trick after a card."""
    led = trick.led if trick.n_laid else _suit(board, card)
    height = height_of(board, trick.is_free, led, card)
    winner, top = trick.winner, trick.height
    if trick.n_laid == 0 or height > top:
        winner, top = trick.turn, height
    turn = trick.turn + 1 if trick.turn < SEATS - 1 else 0
    pot = trick.pot + board.worth[card]
    if trick.n_laid < SEATS - 1:
        return Trick(trick.n_laid + 1, turn, winner, top, led, trick.is_free, pot, trick.left)
    is_free = 1 if led == board.called_suit else trick.is_free
    left = trick.left - pot - board.worth_trick
    return Trick(0, winner, winner, -1, 0, is_free, 0, left)


@kernel
def _last_trick(board: np.record, cards: np.uint64, trick: Trick) -> int:
    """Give what the picker's side takes in the last trick."""
    left = trick.left
    for _ in range(SEATS):
        trick = lay(board, trick, lowest(board.owned[trick.turn] & cards))
    return left if board.for_picker[trick.turn] else 0


@kernel
def _same(board: np.record, cards: np.uint64) -> np.uint64:
    """Give the set of cards that stands for all which differ from this one in names only."""
    return (
        board.same_fail[0, cards & _FAIL_MASK]
        | board.same_fail[1, cards >> _SIX & _FAIL_MASK] << _SIX
        | board.same_fail[2, cards >> _TWELVE & _FAIL_MASK] << _TWELVE
        | board.same_low[cards >> _EIGHTEEN & _LOW_MASK] << _EIGHTEEN
        | board.same_high[cards >> _HIGH_SHIFT & _HIGH_MASK] << _HIGH_SHIFT
    )


@kernel
def _sure(board: np.record, trumps: np.uint64) -> tuple[int, bool]:
    """Give what the holder of the highest trumps takes with them, and whether for the picker."""
    top = highest(trumps)
    place = 0
    while not board.owned[place] >> np.uint64(top) & _ONE:
        place += 1
    theirs = trumps & ~board.owned[place]
    mine = trumps & board.owned[place]
    bound = highest(theirs) if theirs else 0
    sure = 0
    while mine:
        card = highest(mine)
        if card < bound:
            break
        sure += board.worth[card] + board.worth_trick
        mine ^= _ONE << np.uint64(card)
    return sure, board.for_picker[place] != 0


@kernel
def search(
    board: np.record, memory: np.record, cards: np.uint64, trick: Trick, target: int
) -> int:
    """Bound what the picker's side takes from here on: at least `target`, or less."""
    if target <= 0:
        return 0
    if target > trick.left:
        return trick.left
    key, slot, first = _ZERO, 0, -1
    low, high = 0, trick.left
    if trick.n_laid == 0:
        if popcount(cards) == SEATS:
            return _last_trick(board, cards, trick)
        trumps = cards & TRUMPS
        if trumps:
            sure, is_sure = _sure(board, trumps)
            if is_sure:
                low = sure
                if low >= target:
                    return low
            else:
                high -= sure
                if high < target:
                    return high
        key = (
            _same(board, cards)
            | np.uint64(trick.turn) << _LEADER_SHIFT
            | np.uint64(trick.is_free) << _OPEN_SHIFT
            | board.generation << _GENERATION_SHIFT
        )
        slot = np.int64(mix(key) & np.uint64(TABLE_SIZE - 1))
        if memory.entries[slot, 0] == key:
            known = memory.entries[slot, 1]
            low = max(low, np.int64(known & _BYTE))
            high = min(high, np.int64(known >> _HIGH_BOUND & _BYTE))
            if low >= target:
                return low
            if high < target:
                return high
            first = np.int64(known >> _BEST_LEAD) - 1
    board.n_nodes += 1
    depth = _N_CARDS - popcount(cards)
    n = _list_moves(board, cards, trick, depth, first)
    is_max = board.for_picker[trick.turn] != 0
    best = -1 if is_max else _MOST
    best_card = -1
    for i in range(n):
        card = board.moves[depth, i]
        after = lay(board, trick, card)
        gain = 0
        if after.n_laid == 0 and board.for_picker[after.turn]:
            gain = trick.left - after.left
        value = gain + search(
            board, memory, cards ^ (_ONE << np.uint64(card)), after, target - gain
        )
        if is_max:
            if value > best:
                best, best_card = value, card
                if best >= target:
                    break
        elif value < best:
            best, best_card = value, card
            if best < target:
                break
    if trick.n_laid == 0:
        if best >= target:
            low = max(low, best)
        else:
            high = min(high, best)
        memory.entries[slot, 0] = key
        memory.entries[slot, 1] = (
            np.uint64(low) | np.uint64(high) << _HIGH_BOUND | np.uint64(best_card + 1) << _BEST_LEAD
        )
    return best


@kernel
def _write_labels(board: np.record) -> None:
    """Say of every card what makes it another: holder, worth, and whether it is the called one."""
    for card in range(CARDS):
        bit = _ONE << np.uint64(card)
        label = 2 * board.worth[card] + (1 if board.called_card & bit else 0)
        for place in range(SEATS):
            if board.owned[place] & bit:
                label += 32 * (place + 1)
        board.labels[card] = label


@kernel
def _place_lowest(board: np.record, first: int, below: np.uint64, card: int) -> np.uint64:
    """Add a card above all of a set: the lowest one that is the same."""
    start = highest(below) + 1 if below else 0
    while board.labels[first + start] != board.labels[first + card]:
        start += 1
    return below | _ONE << np.uint64(start)


@kernel
def find_same(board: np.record) -> None:
    """Fill the tables of sets that differ in names only."""
    _write_labels(board)
    for suit in range(FAIL_SUITS):
        board.same_fail[suit, 0] = _ZERO
        for cards in range(1, 1 << FAIL_CARDS):
            card = highest(np.uint64(cards))
            rest = board.same_fail[suit, cards ^ 1 << card]
            board.same_fail[suit, cards] = _place_lowest(board, FAIL_CARDS * suit, rest, card)
    board.same_low[0] = _ZERO
    for cards in range(1, 1 << _LOW_TRUMPS):
        card = highest(np.uint64(cards))
        rest = board.same_low[cards ^ 1 << card]
        board.same_low[cards] = _place_lowest(board, FIRST_TRUMP, rest, card)
    board.same_high[0] = _ZERO
    for cards in range(1, 1 << _HIGH_TRUMPS):
        card = highest(np.uint64(cards))
        rest = board.same_high[cards ^ 1 << card]
        board.same_high[cards] = _place_lowest(board, _FIRST_HIGH, rest, card)
