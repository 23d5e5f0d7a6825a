"""Combinations of Tichu: what cards are, what beats what, and what a hand can lay.

Everything here works on sets of cards in one word, without a state. Ranks are looked at in nibbles:
`_ranks(hand)` holds the rank r in nibble r - 1, so that the Mah Jong, rank 1, stands below the 2
and a straight is a row of nibbles. A set of ranks has the lowest bit of each nibble.

The kernels list one choice of cards for every play that differs in ranks: the kind, its ranks, and
the rank that the Phoenix stands for. Cards of one rank differ only for straight flushes, so where a
hand holds one, two choices are the same if the same straight flushes remain in the hand, and one
of each sort is listed. Cards outside all straight flushes go first, then the lowest suit.
"""

import numpy as np

from kibitz.core.bits import lowest, popcount
from kibitz.core.game import Action, Actions
from kibitz.core.kernels import inlined_kernel, kernel
from kibitz.games.tichu.cards import (
    ACE,
    DOG_BIT,
    DRAGON_BIT,
    LOWEST_RANK,
    MAH_JONG,
    MAH_JONG_BIT,
    PHOENIX_BIT,
    PLAY,
    RANKED,
    cards_of,
    kind_of,
    phoenix_of,
    play_action,
)

# What cards can be.
NOTHING = 0  # no combination; as the table: nothing to beat
SINGLE = 1
PAIR = 2
TRIO = 3
FULL_HOUSE = 4
STRAIGHT = 5
STEPS = 6  # two or more pairs in a row
BOMB = 7  # four cards: a quad; more: a straight flush
DOG = 8  # no combination that anything could beat

PHOENIX_LED = 3  # heights are twice the rank: between Mah Jong and 2
DRAGON_HEIGHT = 30
SHORTEST_STRAIGHT = 5
QUAD = 4  # cards in a bomb of one rank

MAX_PLAYS = 1512
"""Bound for the plays that are listed for one hand of at most 14 cards."""

_ONE = np.uint64(1)
_NIBBLE = np.uint64(15)
_LOWEST_OF_ALL = np.uint64(0x1111_1111_1111_1111)  # the lowest bit of every nibble
_UPPER_1 = np.uint64(0xEEEE_EEEE_EEEE_EEEE)
_UPPER_2 = np.uint64(0xCCCC_CCCC_CCCC_CCCC)
_UPPER_3 = np.uint64(0x8888_8888_8888_8888)
_ODD = np.uint64(0x5555_5555_5555_5555)
_LOW_HALVES = np.uint64(0x3333_3333_3333_3333)
_ALL_RANKS = np.uint64(0x0011_1111_1111_1111)  # 1 to 14
_REAL_RANKS = np.uint64(0x0011_1111_1111_1110)  # 2 to 14: what the Phoenix can stand for
_EVERY_BIT = np.uint64(0xFFFF_FFFF_FFFF_FFFF)
_NO_CARDS = np.uint64(0)
_S1, _S2, _S3, _S4 = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)
_S8, _S12, _S16 = np.uint64(8), np.uint64(12), np.uint64(16)
_TO_MAH_JONG = np.uint64(MAH_JONG)
_DOG_OR_DRAGON = DOG_BIT | DRAGON_BIT

# Subsets of the four suits, small ones first.
_SUBSETS = np.array([0, 1, 2, 4, 8, 3, 5, 6, 9, 10, 12, 7, 11, 13, 14, 15], np.uint64)
_MOST_SUBSETS = 6  # of one size


@kernel
def _ranks(hand: np.uint64) -> np.uint64:
    """Put the cards with a rank in order: rank r in nibble r - 1."""
    return ((hand & RANKED) << _S4) | ((hand >> _TO_MAH_JONG) & _ONE)


@kernel
def _cards(ranks: np.uint64) -> np.uint64:
    """Turn cards in the order of `_ranks` into cards again."""
    return (ranks >> _S4) | ((ranks & _ONE) << _TO_MAH_JONG)


@kernel
def _firsts(cards: np.uint64) -> np.uint64:
    """Give the card of the lowest suit of every rank."""
    above = ((cards << _S1) & _UPPER_1) | ((cards << _S2) & _UPPER_2) | ((cards << _S3) & _UPPER_3)
    return cards & ~above


@kernel
def _held(cards: np.uint64) -> np.uint64:
    """Give the ranks that occur."""
    return (cards | (cards >> _S1) | (cards >> _S2) | (cards >> _S3)) & _LOWEST_OF_ALL


@kernel
def _shift_of(rank: int) -> np.uint64:
    """Give the place of a rank."""
    return np.uint64(4 * (rank - 1))


@kernel
def _row(length: int) -> np.uint64:
    """Give the nibbles of so many ranks, 1 to 14, from rank 1 on."""
    return (_ONE << np.uint64(4 * length)) - _ONE


@kernel
def _above(height: int) -> np.uint64:
    """Give the nibbles of all ranks above a height."""
    return _EVERY_BIT << np.uint64(4 * (height >> 1))


@kernel
def _quads(hand: np.uint64) -> np.uint64:
    """Give the lowest card of every quad."""
    return hand & (hand >> _S1) & (hand >> _S2) & (hand >> _S3) & _LOWEST_OF_ALL & RANKED


@kernel
def _is_one_suit(cards: np.uint64) -> bool:
    """Tell whether cards without specials have all the same suit."""
    return cards & ~(_LOWEST_OF_ALL << np.uint64(lowest(cards) & 3)) == 0


@kernel
def straight_flushes(hand: np.uint64) -> np.uint64:
    """Give the lowest card of every straight flush of five cards."""
    cards = hand & RANKED
    two = cards & (cards >> _S4)
    return two & (two >> _S8) & (cards >> _S16)


@kernel
def classify(
    cards: np.uint64, phoenix_rank: int, on_height: int, flush: bool
) -> tuple[int, int, int]:
    """Tell what cards are: kind, number of cards and height.

    Args:
        cards: A set that is not empty.
        phoenix_rank: What the Phoenix stands for; 0 if it is alone or absent.
        on_height: Height of the single that lies on the table, 0 if there is none.
        flush: Whether a straight of one suit is a bomb.
    """
    length = popcount(cards)
    has_phoenix = cards & PHOENIX_BIT != 0
    if length == 1:
        return _classify_single(cards, phoenix_rank, on_height)
    if cards & _DOG_OR_DRAGON != 0 or has_phoenix != (phoenix_rank != 0) or length > ACE:
        return NOTHING, 0, 0
    counts = _ranks(cards)
    counts -= (counts >> _S1) & _ODD
    counts = (counts & _LOW_HALVES) + ((counts >> _S2) & _LOW_HALVES)
    if has_phoenix:
        if phoenix_rank < LOWEST_RANK or phoenix_rank > ACE:
            return NOTHING, 0, 0
        counts += _ONE << _shift_of(phoenix_rank)
    bottom = 1 + (lowest(counts) >> 2)
    shape = counts >> _shift_of(bottom)
    if length <= QUAD and shape == np.uint64(length):
        if length < QUAD:
            return length, length, 2 * bottom  # PAIR and TRIO are the numbers of their cards
        return (NOTHING, 0, 0) if has_phoenix else (BOMB, QUAD, 2 * bottom)
    if length >= SHORTEST_STRAIGHT and shape == _LOWEST_OF_ALL & _row(length):
        is_bomb = flush and cards & ~RANKED == 0 and _is_one_suit(cards)
        return (BOMB if is_bomb else STRAIGHT), length, 2 * (bottom + length - 1)
    if length & 1 == 0 and shape == (_LOWEST_OF_ALL & _row(length >> 1)) << _S1:
        return STEPS, length, 2 * (bottom + (length >> 1) - 1)
    if length == 5 and shape >> _S4 != 0:
        other = bottom + 1 + (lowest(shape >> _S4) >> 2)
        low, high = shape & _NIBBLE, counts >> _shift_of(other)
        if low * high == 6:  # 2 + 3 or 3 + 2, not 1 + 4
            return FULL_HOUSE, 5, 2 * (bottom if low == 3 else other)
    return NOTHING, 0, 0


@kernel
def _classify_single(cards: np.uint64, phoenix_rank: int, on_height: int) -> tuple[int, int, int]:
    """Tell what one card is."""
    if phoenix_rank != 0:
        return NOTHING, 0, 0
    if cards == PHOENIX_BIT:
        return SINGLE, 1, on_height + 1 if on_height > 0 else PHOENIX_LED
    if cards == DOG_BIT:
        return DOG, 1, 0
    if cards == DRAGON_BIT:
        return SINGLE, 1, DRAGON_HEIGHT
    return SINGLE, 1, 2 * (1 + (lowest(_ranks(cards)) >> 2))


@kernel
def beats(
    kind: int, length: int, height: int, table_kind: int, table_length: int, table_height: int
) -> bool:
    """Tell whether a combination may be laid on what lies on the table (NOTHING: it is led)."""
    if table_kind == NOTHING:
        return kind != NOTHING
    if kind in (NOTHING, DOG) or table_kind == DOG:
        return False
    if kind == BOMB and (table_kind != BOMB or length != table_length):
        return table_kind != BOMB or length > table_length
    if kind != table_kind or length != table_length:
        return False
    return height > table_height and (kind != SINGLE or table_height < DRAGON_HEIGHT)


@kernel
def is_play(
    hand: np.uint64,
    action: Action,
    table_kind: int,
    table_length: int,
    table_height: int,
    flush: bool,
) -> bool:
    """Tell whether an action lays cards of the hand that may be laid, whichever it chooses."""
    cards = cards_of(action)
    if kind_of(action) != PLAY or cards == 0 or cards & ~hand != 0:
        return False
    on_height = table_height if table_kind == SINGLE else 0
    kind, length, height = classify(cards, phoenix_of(action), on_height, flush)
    return beats(kind, length, height, table_kind, table_length, table_height)


@inlined_kernel
def _add_singles(hand: np.uint64, leads: bool, height: int, wish: int, out: Actions, n: int) -> int:
    """Add single cards in the order of their heights; the Dog first."""
    if height >= DRAGON_HEIGHT:
        return n
    singles = _firsts(_ranks(hand)) & _above(height)
    if wish > 0:
        singles &= _NIBBLE << _shift_of(wish)
    else:
        if leads and hand & DOG_BIT != 0:
            out[n] = np.int64(DOG_BIT)
            n += 1
        if singles & _ONE != 0:
            out[n] = np.int64(MAH_JONG_BIT)
            n += 1
            singles ^= _ONE
        if hand & PHOENIX_BIT != 0:
            out[n] = np.int64(PHOENIX_BIT)
            n += 1
    while singles != 0:
        out[n] = np.int64((singles & (~singles + _ONE)) >> _S4)
        n += 1
        singles &= singles - _ONE
    if wish == 0 and hand & DRAGON_BIT != 0:
        out[n] = np.int64(DRAGON_BIT)
        n += 1
    return n


@inlined_kernel
def _add_alike(
    whole: np.uint64, fewer: np.uint64, phoenix: np.uint64, wanted: np.uint64, out: Actions, n: int
) -> int:
    """Add pairs or trios: all of `whole`, then those of `fewer` with the Phoenix."""
    places = _held(whole) & wanted
    while places != 0:
        place = np.uint64(lowest(places))
        places &= places - _ONE
        out[n] = play_action((whole & (_NIBBLE << place)) >> _S4, 0)
        n += 1
    if phoenix != 0:
        places = _held(fewer) & wanted & _REAL_RANKS
        while places != 0:
            shift = lowest(places)
            places &= places - _ONE
            cards = (fewer & (_NIBBLE << np.uint64(shift))) >> _S4
            out[n] = play_action(cards | phoenix, 1 + (shift >> 2))
            n += 1
    return n


@inlined_kernel
def _add_full_houses(
    trios: np.uint64, pairs: np.uint64, above: np.uint64, wanted: np.uint64, out: Actions, n: int
) -> int:
    """Add every trio above the table with every pair of another rank."""
    trio_places = _held(trios) & above
    while trio_places != 0:
        place = trio_places & (~trio_places + _ONE)
        trio_places ^= place
        trio = trios & (place * _NIBBLE)
        pair_places = _held(pairs) & ~place
        if place & wanted == 0:
            pair_places &= wanted
        while pair_places != 0:
            pair_place = pair_places & (~pair_places + _ONE)
            pair_places ^= pair_place
            out[n] = play_action((trio | (pairs & (pair_place * _NIBBLE))) >> _S4, 0)
            n += 1
    return n


@inlined_kernel
def _add_phoenix_full_houses(
    trios: np.uint64,
    pairs: np.uint64,
    singles: np.uint64,
    above: np.uint64,
    wanted: np.uint64,
    out: Actions,
    n: int,
) -> int:
    """Add full houses with the Phoenix: two pairs, then a trio with a single card."""
    for in_trio in range(1, -1, -1):
        threes, twos = (pairs, pairs) if in_trio else (trios, singles)
        trio_places = _held(threes) & above
        while trio_places != 0:
            shift = lowest(trio_places)
            place = _ONE << np.uint64(shift)
            trio_places ^= place
            trio = threes & (place * _NIBBLE)
            pair_places = _held(twos) & _REAL_RANKS & ~place
            if place & wanted == 0:
                pair_places &= wanted
            while pair_places != 0:
                pair_shift = lowest(pair_places)
                pair_place = _ONE << np.uint64(pair_shift)
                pair_places ^= pair_place
                cards = (trio | (twos & (pair_place * _NIBBLE))) >> _S4
                rank = 1 + ((shift if in_trio else pair_shift) >> 2)
                out[n] = play_action(cards | PHOENIX_BIT, rank)
                n += 1
    return n


@kernel
def _longer(
    whole: np.uint64, gapped: np.uint64, full: np.uint64, partial: np.uint64, size: int
) -> tuple[np.uint64, np.uint64]:
    """Go on from the ranks where size - 1 ranks in a row begin to those where `size` do.

    Args:
        whole: Where all ranks in a row are full.
        gapped: Where all but at most one are full, and that one is partial.
        full: The ranks that need no Phoenix.
        partial: Those that do with it at most; only `full` if there is no Phoenix.
        size: How many in a row.
    """
    shift = _shift_of(size)
    return whole & (full >> shift), (gapped & (full >> shift)) | (whole & (partial >> shift))


@kernel
def _starts(size: int, height: int, wish: int) -> np.uint64:
    """Give the nibbles where `size` ranks in a row can begin that end above a height.

    If there is a wish, its rank is among them.
    """
    first = (height >> 1) + 2 - size
    starts = _EVERY_BIT << _shift_of(first) if first > 1 else _EVERY_BIT
    if wish > 0:
        starts &= _row(wish)
        if wish > size:
            starts &= ~_row(wish - size)
    return starts


@inlined_kernel
def _add_rows(
    cards: np.uint64,
    fewer: np.uint64,
    full: np.uint64,
    partial: np.uint64,
    replaced: np.uint64,
    shortest: int,
    longest: int,
    height: int,
    wish: int,
    out: Actions,
    n: int,
) -> int:
    """Add straights or steps, by their length; without the Phoenix before with it.

    Args:
        cards: What is laid of every rank.
        fewer: What is laid of the rank that the Phoenix stands for.
        full: The ranks that need no Phoenix.
        partial: Those that do with it at most; only `full` if there is no Phoenix.
        replaced: What the Phoenix may stand for.
        shortest: The least number of ranks.
        longest: The greatest.
        height: What is to be beaten.
        wish: A rank that must be laid, or 0.
        out: Filled in place.
        n: Where to begin.
    """
    whole, gapped = full, partial
    for size in range(2, longest + 1):
        whole, gapped = _longer(whole, gapped, full, partial, size)
        if gapped == 0:
            break
        starts = gapped & _starts(size, height, wish) if size >= shortest else _NO_CARDS
        while starts != 0:
            place = np.uint64(lowest(starts))
            starts &= starts - _ONE
            row = _row(size) << place
            gaps = row & _LOWEST_OF_ALL & ~full
            if gaps == 0:
                out[n] = np.int64(_cards(cards & row))
                n += 1
                gaps = row
            gaps &= replaced
            while gaps != 0:
                gap = lowest(gaps)
                gaps &= gaps - _ONE
                laid = cards & row & (fewer | ~(_NIBBLE << np.uint64(gap)))
                out[n] = play_action(_cards(laid) | PHOENIX_BIT, 1 + (gap >> 2))
                n += 1
    return n


@kernel
def _flushes(hand: np.uint64, size: int) -> np.uint64:
    """Give the lowest card of every straight flush of `size` cards."""
    cards = hand & RANKED
    starts = cards
    for rank in range(2, size + 1):
        starts &= cards >> _shift_of(rank)
    return starts


@inlined_kernel
def _add_bombs(
    hand: np.uint64,
    table_kind: int,
    table_length: int,
    table_height: int,
    wish: int,
    flush: bool,
    out: Actions,
    n: int,
) -> int:
    """Add quads, then straight flushes by their length."""
    quads = _quads(hand) << _S4
    flushes = straight_flushes(hand) << _S4 if flush else _NO_CARDS
    if quads | flushes == 0 or table_kind == DOG:
        return n
    length, height = (table_length, table_height) if table_kind == BOMB else (QUAD, 0)
    if length == QUAD:
        quads &= _starts(1, height, wish)
        while quads != 0:
            out[n] = np.int64((_NIBBLE << np.uint64(lowest(quads))) >> _S4)
            n += 1
            quads &= quads - _ONE
    ranks = _ranks(hand)
    size = SHORTEST_STRAIGHT
    while flushes != 0:
        starts = flushes & _starts(size, height if size == length else 0, wish)
        while starts != 0 and size >= length:
            row = _LOWEST_OF_ALL & _row(size)
            out[n] = np.int64((row << np.uint64(lowest(starts))) >> _S4)
            n += 1
            starts &= starts - _ONE
        size += 1
        flushes &= ranks >> _shift_of(size)
    return n


@kernel
def list_bombs(
    hand: np.uint64,
    table_kind: int,
    table_length: int,
    table_height: int,
    flush: bool,
    out: Actions,
    n: int,
) -> int:
    """Write the bombs that may be laid to out[n:], and give the end of the list."""
    return _add_bombs(hand, table_kind, table_length, table_height, 0, flush, out, n)


@kernel
def has_bomb(
    hand: np.uint64, table_kind: int, table_length: int, table_height: int, flush: bool
) -> bool:
    """Tell whether the hand has a bomb that may be laid."""
    bombs = _quads(hand)
    if flush:
        bombs |= straight_flushes(hand)
    if bombs == 0:  # nearly always
        return False
    return _has_bomb_with(hand, table_kind, table_length, table_height, 0, flush)


@kernel
def _has_bomb_with(
    hand: np.uint64,
    table_kind: int,
    table_length: int,
    table_height: int,
    wish: int,
    flush: bool,
) -> bool:
    """Tell whether the hand has a bomb that may be laid, with the wished rank if there is one."""
    quads = _quads(hand) << _S4
    flushes = straight_flushes(hand) << _S4 if flush else _NO_CARDS
    if quads | flushes == 0 or table_kind == DOG:
        return False
    length, height = (table_length, table_height) if table_kind == BOMB else (QUAD, 0)
    if length == QUAD:
        flushes &= _starts(SHORTEST_STRAIGHT, 0, wish)
        return flushes | (quads & _starts(1, height, wish)) != 0
    if flushes == 0:
        return False
    equal = (_flushes(hand, length) << _S4) & _starts(length, height, wish)
    longer = (_flushes(hand, length + 1) << _S4) & _starts(length + 1, 0, wish)
    return equal | longer != 0


@kernel
def can_fulfil(
    hand: np.uint64,
    table_kind: int,
    table_length: int,
    table_height: int,
    wish: int,
    flush: bool,
) -> bool:
    """Tell whether some play contains a natural card of the wished rank."""
    ranks = _ranks(hand)
    if wish == 0 or ranks & (_NIBBLE << _shift_of(wish)) == 0 or table_kind == DOG:
        return False
    if table_kind == NOTHING or (table_kind == SINGLE and 2 * wish > table_height):
        return True
    if _has_bomb_with(hand, table_kind, table_length, table_height, wish, flush):
        return True
    with_phoenix = 1 if hand & PHOENIX_BIT != 0 else 0
    ones = _held(ranks)
    twos = _held(ranks ^ _firsts(ranks))
    if table_kind == STRAIGHT:
        partial = ones | _REAL_RANKS if with_phoenix else ones
        return _has_row(ones, partial, table_length, table_height, wish)
    if table_kind == STEPS:
        partial = ones & _REAL_RANKS if with_phoenix else twos
        return _has_row(twos, partial, table_length >> 1, table_height, wish)
    count = popcount(ranks & (_NIBBLE << _shift_of(wish)))
    if table_kind in (PAIR, TRIO):
        return count + with_phoenix >= table_length and 2 * wish > table_height
    return table_kind == FULL_HOUSE and _has_full_house(
        ranks, count, with_phoenix, table_height, wish
    )


@kernel
def _has_row(full: np.uint64, partial: np.uint64, size: int, height: int, wish: int) -> bool:
    """Tell whether `size` ranks in a row, with the wished one, end above a height."""
    whole, gapped = full, partial
    for so_far in range(2, size + 1):
        whole, gapped = _longer(whole, gapped, full, partial, so_far)
    return gapped & _starts(size, height, wish) != 0


@kernel
def _has_full_house(
    ranks: np.uint64, count: int, with_phoenix: int, height: int, wish: int
) -> bool:
    """Tell whether a full house above a height holds the wished rank, of which there are `count`.

    The other part needs so many cards of one other rank as the Phoenix does not stand for.
    """
    others = ranks & ~(_NIBBLE << _shift_of(wish)) & ~_ONE
    seconds = others ^ _firsts(others)
    thirds = seconds ^ _firsts(seconds)
    for spent in range(with_phoenix + 1):  # on the wished part
        spare = with_phoenix - spent
        if count + spent >= 3 and 2 * wish > height and (others if spare else seconds) != 0:
            return True
        if count + spent >= 2 and (seconds if spare else thirds) & _above(height) != 0:
            return True
    return False


@kernel
def list_plays(
    hand: np.uint64,
    table_kind: int,
    table_length: int,
    table_height: int,
    wish: int,
    flush: bool,
    out: Actions,
    n: int,
) -> int:
    """Write the plays that may be laid to out[n:], and give the end of the list.

    Singles ascending, pairs, trios, full houses, straights, steps, bombs; passing is no play.

    Args:
        hand: The cards to choose from, at most 14.
        table_kind: What lies on the table; NOTHING if the hand leads.
        table_length: Number of cards on the table.
        table_height: Its height.
        wish: If above 0, only plays with a natural card of this rank are listed.
        flush: Whether a straight of one suit is a bomb.
        out: Filled in place; it has room for MAX_PLAYS from n on.
        n: Where to begin.
    """
    leads = table_kind == NOTHING
    height = 0 if leads else table_height
    phoenix = hand & PHOENIX_BIT
    begin = n
    ranks = _ranks(hand)
    firsts = _firsts(ranks)
    wished = _NIBBLE << _shift_of(wish) if wish > 0 else _NO_CARDS
    wanted = wished if wish > 0 else _EVERY_BIT
    if leads or table_kind == SINGLE:
        n = _add_singles(hand, leads, height, wish, out, n)
    seconds = _firsts(ranks ^ firsts)
    pairs = (firsts | seconds) & (_held(seconds) * _NIBBLE)
    if leads or table_kind == PAIR:
        n = _add_alike(pairs, firsts, phoenix, wanted & _above(height), out, n)
    thirds = _firsts(ranks ^ firsts ^ seconds)
    trios = (firsts | seconds | thirds) & (_held(thirds) * _NIBBLE)
    if leads or table_kind == TRIO:
        n = _add_alike(trios, pairs, phoenix, wanted & _above(height), out, n)
    if leads or table_kind == FULL_HOUSE:
        n = _add_full_houses(trios, pairs, _above(height), wanted, out, n)
        if phoenix != 0:
            n = _add_phoenix_full_houses(trios, pairs, firsts, _above(height), wanted, out, n)
    if leads or table_kind == STRAIGHT:
        held = _held(firsts)
        partial = held | _REAL_RANKS if phoenix != 0 else held
        replaced = _REAL_RANKS & ~wished if phoenix != 0 else _NO_CARDS
        least, most = (SHORTEST_STRAIGHT, ACE) if leads else (table_length, table_length)
        n = _add_rows(firsts, _NO_CARDS, held, partial, replaced, least, most, height, wish, out, n)
    if leads or table_kind == STEPS:
        twos = _held(pairs)
        partial = _held(firsts) & _REAL_RANKS if phoenix != 0 else twos
        replaced = _REAL_RANKS if phoenix != 0 else _NO_CARDS
        least, most = (2, ACE // 2) if leads else (table_length >> 1, table_length >> 1)
        n = _add_rows(
            firsts | pairs, firsts, twos, partial, replaced, least, most, height, wish, out, n
        )
    if flush and n > begin and straight_flushes(hand) != 0:
        n = _spread(hand, out, begin, n)
    return _add_bombs(hand, table_kind, table_length, table_height, wish, flush, out, n)


@kernel
def _flush_cards(hand: np.uint64) -> np.uint64:
    """Give the cards that are part of a straight flush."""
    starts = straight_flushes(hand)
    return starts | (starts << _S4) | (starts << _S8) | (starts << _S12) | (starts << _S16)


@kernel
def _spread(hand: np.uint64, out: Actions, begin: int, end: int) -> int:
    """Put in place of each play in out[begin:end] all its choices that differ for straight flushes.

    Of the choices that leave the same straight flushes the first one is kept. A straight of one
    suit is none: it is a bomb, and those are listed elsewhere.
    """
    plays = out[begin:end].copy()
    in_flush = _flush_cards(hand)
    flush_ranks = _held(in_flush) * _NIBBLE
    options = np.empty((ACE, _MOST_SUBSETS), np.uint64)  # by rank of the play
    n_options = np.empty(ACE, np.int64)
    n = begin
    for play in plays:
        cards = cards_of(play)
        fixed = cards & ~flush_ranks
        places = _held(cards ^ fixed)
        n_ranks, n_choices = 0, 1
        while places != 0:
            place = np.uint64(lowest(places))
            places &= places - _ONE
            count = popcount(cards & (_NIBBLE << place))
            flushed = in_flush & (_NIBBLE << place)
            others = hand & (_NIBBLE << place) & ~flushed
            n_options[n_ranks] = 0
            for subset in _SUBSETS:
                lacks = count - popcount(subset)
                if (subset << place) & ~flushed == 0 and 0 <= lacks <= popcount(others):
                    chosen = (subset << place) | _lowest_few(others, lacks)
                    options[n_ranks, n_options[n_ranks]] = chosen
                    n_options[n_ranks] += 1
            n_choices *= n_options[n_ranks]
            n_ranks += 1
        first = n
        for choice in range(n_choices):
            chosen, rest = fixed, choice
            for rank in range(n_ranks):
                chosen |= options[rank, rest % n_options[rank]]
                rest //= n_options[rank]
            is_long = popcount(chosen) >= SHORTEST_STRAIGHT
            if is_long and chosen & ~RANKED == 0 and _is_one_suit(chosen):
                continue
            left = straight_flushes(hand & ~chosen)
            is_new = True
            for i in range(first, n):
                is_new = is_new and straight_flushes(hand & ~cards_of(out[i])) != left
            if is_new:
                out[n] = play_action(chosen, phoenix_of(play))
                n += 1
    return n


@kernel
def _lowest_few(cards: np.uint64, count: int) -> np.uint64:
    """Give the lowest so many cards of a set."""
    few = _NO_CARDS
    for _ in range(count):
        few |= cards & (~cards + _ONE)
        cards &= cards - _ONE
    return few
