"""Open hands, picker's side against the rest: a compiled alpha-beta search.

The cards are dealt out to five *places*, numbered in the order of play. Who holds a card never
changes, so a position between two tricks is the set of cards still held, who leads, and whether the
called suit has been led. Its value is what the picker's side will still take: points of cards, or
tricks (then a card is worth nothing and a trick one). What was taken before does not matter.

A search asks whether the picker's side reaches a target, and gives a bound of the value. A table
keeps both bounds of positions between tricks, and the best lead.

Of cards in one hand with no card of another hand between them, only the points matter: one of each
kind is tried.
"""

from typing import NamedTuple

import numpy as np

from kibitz.core.bits import highest, lowest, popcount
from kibitz.core.kernels import kernel, record_dtype
from kibitz.core.rng import mix
from kibitz.games.sheephead.cards import (
    ACE,
    ALL_CARDS,
    CARDS,
    FAIL_CARDS,
    FIRST_TRUMP,
    TRUMPS,
    bit,
    suit_of,
)
from kibitz.games.sheephead.state import HAND_CARDS, SEATS, wide

NOBODY = -1  # also: no card
NOTHING = -1  # height of a card that cannot win
UNKNOWN = CARDS  # the card laid face down, while it is held, is a card of its own

_N_CARDS = SEATS * HAND_CARDS
_MOST = 1000  # above every value
_FIRST_OF_ALL = 10_000  # above every rank of a move
_OWN_KIND = 20  # of the called card, which is like no other: above the worth of every card
_NONE, _ONE = np.uint64(0), np.uint64(1)
_LEADER, _IS_FREE, _GENERATION = np.uint64(32), np.uint64(35), np.uint64(36)  # bits of a key

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
    ]
)
"""Five open hands, what cards are worth, and scratch memory."""


def memory_dtype(n_bits: int) -> np.dtype[np.record]:
    """Make the dtype of a table with room for 2 to the power of `n_bits` positions."""
    return record_dtype(
        [
            ("last_generation", np.uint64),  # entries of other ones are not looked at
            ("entries", np.uint64, (1 << n_bits, 2)),  # key; bounds and best lead
        ]
    )


class Trick(NamedTuple):
    """A trick and what led to it."""

    n_laid: int
    turn: int  # place
    winner: int
    height: int  # of the winning card
    led: int  # suit, where n_laid > 0
    is_free: int  # whether the called suit had been led before this trick
    pot: int  # worth of the cards laid
    left: int  # worth of all that is still to be taken, the pot too


@kernel
def _suit(board: np.record, card: int) -> int:
    """Return the suit of a card; the unknown is of the called one."""
    return board.called_suit if card == UNKNOWN else suit_of(card)


@kernel
def height_of(board: np.record, is_free: int, led: int, card: int) -> int:
    """Return the height of a card in a trick of the suit `led`; NOTHING: it cannot win."""
    if card == UNKNOWN or (card < FIRST_TRUMP and suit_of(card) != led):
        return NOTHING
    if board.ten_on_top != 0 and is_free == 0 and led == board.called_suit:
        ace = FAIL_CARDS * led + ACE
        if card == ace or bit(card) == board.called_card:
            return card - 1 if card == ace else ace
    return card


@kernel
def _allowed(board: np.record, cards: np.uint64, trick: Trick) -> np.uint64:
    """Return the cards that the place whose turn it is may play."""
    place = trick.turn
    hand = board.owned[place] & cards
    follow = hand & board.suit_cards[trick.led] if trick.n_laid > 0 else _NONE
    is_partner = place == board.partner_place and hand & board.called_card != _NONE
    if follow != _NONE:
        is_bound = is_partner and trick.is_free == 0 and trick.led == board.called_suit
        return board.called_card if is_bound else follow
    if trick.is_free != 0 or hand & (hand - _ONE) == _NONE:
        return hand
    of_called = hand & board.suit_cards[board.called_suit]
    if place == board.picker_place:
        if trick.n_laid > 0:
            is_last = of_called & (of_called - _ONE) == _NONE
            return hand & ~of_called if is_last else hand
        return hand & ~of_called if board.may_lead_called == 0 and of_called != hand else hand
    if is_partner:
        if trick.n_laid > 0:
            return hand if board.may_slough != 0 else hand & ~board.called_card
        return hand if board.may_underlead != 0 else hand & ~of_called | board.called_card
    return hand


@kernel
def _reach(board: np.record, cards: np.uint64, place: int, led: int) -> int:
    """Return the height that a place can reach in a trick of a suit, obligations aside."""
    hand = board.owned[place] & cards & ALL_CARDS
    follow = hand & board.suit_cards[led]
    if follow != _NONE:
        return highest(follow)
    hand &= TRUMPS
    return highest(hand) if hand != _NONE else NOTHING


@kernel
def _rank_lead(board: np.record, cards: np.uint64, place: int, card: int) -> int:
    """Say how promising a lead is: one that wins, one that others of the side win, low cards."""
    led = _suit(board, card)
    ours, theirs = NOTHING, NOTHING
    for other in range(SEATS):
        if other != place:
            reach = _reach(board, cards, other, led)
            if board.for_picker[other] == board.for_picker[place]:
                ours = max(ours, reach)
            else:
                theirs = max(theirs, reach)
    worth = 4 * board.worth[card]
    if card > theirs and card != UNKNOWN:
        return 200 + worth + card
    return 100 + worth - card if ours > theirs else -worth - card


@kernel
def _rank_follow(board: np.record, trick: Trick, card: int, ours: int, theirs: int) -> int:
    """Say how promising a card is: points if the side wins the trick, low cards if not.

    `ours` and `theirs` are what those behind can reach, see `_reach_behind`.
    """
    height = height_of(board, trick.is_free, trick.led, card)
    top = max(height, trick.height)
    is_ours = board.for_picker[trick.winner] == board.for_picker[trick.turn]
    if is_ours or height == top > trick.height:
        wins = max(top, ours) > theirs
    else:
        wins = ours > max(top, theirs)
    cost = card if card >= FIRST_TRUMP else 0
    worth = 8 * board.worth[card]
    return 200 + worth - 2 * cost if wins else -worth - cost


@kernel
def _reach_behind(board: np.record, cards: np.uint64, trick: Trick) -> tuple[int, int]:
    """Return the heights that those behind can reach: who is on the same side, and the others."""
    ours, theirs = NOTHING, NOTHING
    place = trick.turn
    for _ in range(SEATS - 1 - trick.n_laid):
        place = place + 1 if place < SEATS - 1 else 0
        reach = _reach(board, cards, place, trick.led)
        if board.for_picker[place] == board.for_picker[trick.turn]:
            ours = max(ours, reach)
        else:
            theirs = max(theirs, reach)
    return ours, theirs


@kernel
def _list_moves(board: np.record, cards: np.uint64, trick: Trick, depth: int, first: int) -> int:
    """Write the cards worth trying to `moves[depth]`, `first` and the promising ones first."""
    moves = _allowed(board, cards, trick)
    others = cards & ~board.owned[trick.turn]
    ours, theirs = NOTHING, NOTHING
    if trick.n_laid > 0:
        ours, theirs = _reach_behind(board, cards, trick)
        if trick.height != NOTHING:
            others |= bit(trick.height)
    n, suit, seen, passed = 0, NOBODY, 0, _NONE
    while moves != _NONE:
        card = lowest(moves)
        moves ^= bit(card)
        below = bit(card) - _ONE
        if _suit(board, card) != suit or others & below & ~passed != _NONE:
            suit, seen = _suit(board, card), 0
        passed = below
        kind = 1 << (_OWN_KIND if bit(card) == board.called_card else board.worth[card])
        if seen & kind != 0:
            continue
        seen |= kind
        if card == first:
            rank = _FIRST_OF_ALL
        elif trick.n_laid == 0:
            rank = _rank_lead(board, cards, trick.turn, card)
        else:
            rank = _rank_follow(board, trick, card, ours, theirs)
        _insert(board, depth, n, card, rank)
        n += 1
    return n


@kernel
def _insert(board: np.record, depth: int, n: int, card: int, rank: int) -> None:
    """Put a card in its place among `n` others, which are sorted by rank."""
    i = n
    while i > 0 and board.ranks[depth, i - 1] < rank:
        board.ranks[depth, i] = board.ranks[depth, i - 1]
        board.moves[depth, i] = board.moves[depth, i - 1]
        i -= 1
    board.ranks[depth, i] = rank
    board.moves[depth, i] = card


@kernel
def lay(board: np.record, trick: Trick, card: int) -> Trick:
    """Return the trick after a card."""
    led = trick.led if trick.n_laid > 0 else _suit(board, card)
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
    return Trick(0, winner, winner, NOTHING, 0, is_free, 0, left)


@kernel
def _last_trick(board: np.record, cards: np.uint64, trick: Trick) -> int:
    """Return what the picker's side takes in the last trick."""
    left = trick.left
    for _ in range(SEATS):
        trick = lay(board, trick, lowest(board.owned[trick.turn] & cards))
    return left if board.for_picker[trick.turn] != 0 else 0


@kernel
def _bounds(board: np.record, cards: np.uint64, trick: Trick) -> tuple[int, int]:
    """Bound what the picker's side takes: the highest trumps take as many tricks as they are."""
    trumps = cards & TRUMPS
    if trumps == _NONE:
        return 0, trick.left
    top, place = bit(highest(trumps)), 0
    while board.owned[place] & top == _NONE:
        place += 1
    others = trumps & ~board.owned[place]
    beaten = highest(others) if others != _NONE else NOBODY
    sure = 0
    while trumps != _NONE and highest(trumps) > beaten:
        sure += board.worth[highest(trumps)] + board.worth_trick
        trumps ^= bit(highest(trumps))
    return (sure, trick.left) if board.for_picker[place] != 0 else (0, trick.left - sure)


@kernel
def _key(board: np.record, cards: np.uint64, trick: Trick) -> np.uint64:
    """Name a position between tricks; the unknown is held until the called suit has been led."""
    return (
        cards & ALL_CARDS
        | np.uint64(trick.turn) << _LEADER
        | np.uint64(trick.is_free) << _IS_FREE
        | board.generation << _GENERATION
    )


@kernel
def _slot(memory: np.record, key: np.uint64) -> int:
    """Find where the table keeps a position."""
    return np.int64(mix(key) & np.uint64(len(memory.entries) - 1))  # type: ignore[return-value]


@kernel
def _recall(
    board: np.record, memory: np.record, cards: np.uint64, trick: Trick
) -> tuple[int, int, int]:
    """Return bounds of a position between tricks, and what was led best, or NOBODY."""
    low, high = _bounds(board, cards, trick)
    key = _key(board, cards, trick)
    slot = _slot(memory, key)
    if memory.entries[slot, 0] != key:
        return low, high, NOBODY
    known = wide(memory.entries[slot, 1])
    return max(low, known & 255), min(high, known >> 8 & 255), (known >> 16) - 1


@kernel
def _remember(memory: np.record, key: np.uint64, low: int, high: int, card: int) -> None:
    """Keep bounds of a position, in the place of what was there."""
    slot = _slot(memory, key)
    memory.entries[slot, 0] = key
    memory.entries[slot, 1] = np.uint64(low | high << 8 | (card + 1) << 16)


@kernel
def search(board: np.record, memory: np.record, cards: np.uint64, trick: Trick, target: int) -> int:
    """Bound what the picker's side takes from here on.

    Returns:
        At least `target`, and then it takes that much; or less, and then it takes no more.
    """
    if target <= 0:
        return 0
    if target > trick.left:
        return trick.left
    low, high, first = 0, trick.left, NOBODY
    if trick.n_laid == 0:
        if popcount(cards) == SEATS:
            return _last_trick(board, cards, trick)
        low, high, first = _recall(board, memory, cards, trick)
        if low >= target:
            return low
        if high < target:
            return high
    board.n_nodes += 1
    depth = _N_CARDS - popcount(cards)
    n = _list_moves(board, cards, trick, depth, first)
    is_max = board.for_picker[trick.turn] != 0
    best, best_card = NOBODY if is_max else _MOST, NOBODY
    for i in range(n):
        card = board.moves[depth, i]
        after = lay(board, trick, card)
        gain = trick.left - after.left if board.for_picker[after.turn] != 0 else 0
        value = gain + search(board, memory, cards ^ bit(card), after, target - gain)
        if value > best if is_max else value < best:
            best, best_card = value, card
        if best >= target if is_max else best < target:
            break
    if trick.n_laid == 0:
        low, high = (max(low, best), high) if best >= target else (low, min(high, best))
        _remember(memory, _key(board, cards, trick), low, high, best_card)
    return best
