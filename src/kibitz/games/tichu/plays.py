"""What a hand can lay in Tichu, on an empty table or on a combination.

Everything here works on sets of cards in one word, without a state.

The kernels list one choice of cards for every play that differs in ranks: the kind, its ranks, and
the rank that the Phoenix stands for. Cards of one rank differ only for straight flushes, so where a
hand holds one, two choices are the same if the same straight flushes remain in the hand, and one
of each sort is listed. Cards outside all straight flushes go first, then the lowest suit.
"""

import numpy as np

from kibitz.core.bits import ONE, lowest, popcount
from kibitz.core.game import Actions
from kibitz.core.kernels import allocating_kernel, inlined_kernel, inner_kernel, kernel
from kibitz.games.tichu.cards import (
    ACE,
    DOG_BIT,
    DRAGON_BIT,
    MAH_JONG_BIT,
    PHOENIX_BIT,
    RANKED,
    cards_of,
    phoenix_of,
    play_action,
)
from kibitz.games.tichu.combinations import (
    BOMB,
    DOG,
    DRAGON_HEIGHT,
    FULL_HOUSE,
    NOTHING,
    PAIR,
    QUAD,
    SHORTEST_STRAIGHT,
    SINGLE,
    STEPS,
    STRAIGHT,
    TRIO,
)
from kibitz.games.tichu.ranks import (
    ALL,
    EVERY_RANK,
    NIBBLE,
    NONE,
    REAL_RANKS,
    S4,
    by_rank,
    find_quads,
    first_ranks,
    flush_cards,
    is_one_suit,
    long_flushes,
    longer_rows,
    lowest_suits,
    place_of,
    rank_at,
    ranks_above,
    ranks_in,
    row_starts,
    straight_flushes,
    to_cards,
)

MAX_PLAYS = 437
"""The most plays that are listed for a hand of at most 14 cards, whatever lies on the table.

It is reached with the Phoenix, a straight flush of eight and another of five along its middle, as
3 to 10 in red and 4 to 8 in green; the 13 cards of one suit and the Phoenix make 417. That no hand
has more was found by trying all. What is listed on a table, or for a wish, is part of what the same
hand can lead, and every play of a hand is also one of the hand with a card more: only leads of 14
cards count. Their number depends on which straight flushes the hand holds, two runs at most, and on
how many other cards it has of each rank, not on their suits: 23 million cases without the Dog and
the Dragon, which add less than another card would.
"""

# Subsets of the four suits, small ones first.
_SUBSETS = np.array([0, 1, 2, 4, 8, 3, 5, 6, 9, 10, 12, 7, 11, 13, 14, 15], np.uint64)
_MOST_SUBSETS = 6  # of one size


@inlined_kernel
def _add_singles(
    hand: np.uint64, singles: np.uint64, leads: bool, height: int, wish: int, out: Actions, n: int
) -> int:
    """Add single cards: the Dog, the Mah Jong, the Phoenix, one of each rank, the Dragon."""
    if height >= DRAGON_HEIGHT:
        return n
    if wish > 0:
        singles &= NIBBLE << place_of(wish)
    else:
        if leads and hand & DOG_BIT != 0:
            out[n] = np.int64(DOG_BIT)
            n += 1
        if singles & ONE != 0:
            out[n] = np.int64(MAH_JONG_BIT)
            n += 1
            singles ^= ONE
        if hand & PHOENIX_BIT != 0:
            out[n] = np.int64(PHOENIX_BIT)
            n += 1
    while singles != 0:
        out[n] = np.int64((singles & (~singles + ONE)) >> S4)
        n += 1
        singles &= singles - ONE
    if wish == 0 and hand & DRAGON_BIT != 0:
        out[n] = np.int64(DRAGON_BIT)
        n += 1
    return n


@inlined_kernel
def _add_alike(
    cards: np.uint64, phoenix: np.uint64, wanted: np.uint64, out: Actions, n: int
) -> int:
    """Add the cards of each rank as pairs or trios, with the Phoenix if there is one."""
    ranks = ranks_in(cards) & wanted
    while ranks != 0:
        place = lowest(ranks)
        ranks &= ranks - ONE
        laid = (cards & (NIBBLE << np.uint64(place))) >> S4
        out[n] = play_action(laid | phoenix, rank_at(place) if phoenix != 0 else 0)
        n += 1
    return n


@inlined_kernel
def _add_full_houses(
    trios: np.uint64,
    pairs: np.uint64,
    phoenix: int,
    above: np.uint64,
    wanted: np.uint64,
    out: Actions,
    n: int,
) -> int:
    """Add every trio above the table with every pair of another rank.

    The Phoenix is absent (0), or the third card of the trio (3), or the second of the pair (2).
    """
    trio_ranks = ranks_in(trios) & above
    while trio_ranks != 0:
        place = lowest(trio_ranks)
        trio_ranks &= trio_ranks - ONE
        trio = NIBBLE << np.uint64(place)
        pair_ranks = ranks_in(pairs) & ~trio
        if trio & wanted == 0:
            pair_ranks &= wanted
        while pair_ranks != 0:
            pair_place = lowest(pair_ranks)
            pair_ranks &= pair_ranks - ONE
            pair = NIBBLE << np.uint64(pair_place)
            laid = ((trios & trio) | (pairs & pair)) >> S4
            if phoenix == 0:
                out[n] = np.int64(laid)
            else:
                filled = rank_at(place if phoenix == 3 else pair_place)
                out[n] = play_action(laid | PHOENIX_BIT, filled)
            n += 1
    return n


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
        whole, gapped = longer_rows(whole, gapped, full, partial, size)
        if gapped == 0:
            break
        starts = gapped & row_starts(size, height, wish) if size >= shortest else NONE
        while starts != 0:
            place = np.uint64(lowest(starts))
            starts &= starts - ONE
            row = first_ranks(size) << place
            gaps = row & EVERY_RANK & ~full
            if gaps == 0:
                out[n] = np.int64(to_cards(cards & row))
                n += 1
                gaps = row
            gaps &= replaced
            while gaps != 0:
                gap = lowest(gaps)
                gaps &= gaps - ONE
                laid = cards & row & (fewer | ~(NIBBLE << np.uint64(gap)))
                out[n] = play_action(to_cards(laid) | PHOENIX_BIT, rank_at(gap))
                n += 1
    return n


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
    quads = find_quads(hand) << S4
    flushes = straight_flushes(hand) << S4 if flush else NONE
    if quads | flushes == 0 or table_kind == DOG:
        return n
    length, height = (table_length, table_height) if table_kind == BOMB else (QUAD, 0)
    if length == QUAD:
        quads &= row_starts(1, height, wish)
        while quads != 0:
            out[n] = np.int64((NIBBLE << np.uint64(lowest(quads))) >> S4)
            n += 1
            quads &= quads - ONE
    ranks = by_rank(hand)
    size = SHORTEST_STRAIGHT
    while flushes != 0:
        starts = flushes & row_starts(size, height if size == length else 0, wish)
        while starts != 0 and size >= length:
            row = EVERY_RANK & first_ranks(size)
            out[n] = np.int64((row << np.uint64(lowest(starts))) >> S4)
            n += 1
            starts &= starts - ONE
        size += 1
        flushes &= ranks >> place_of(size)
    return n


@inner_kernel
def list_bombs(
    hand: np.uint64,
    table_kind: int,
    table_length: int,
    table_height: int,
    flush: bool,
    out: Actions,
    n: int,
) -> int:
    """Write the bombs that may be laid to out[n:], and return the end of the list."""
    return _add_bombs(hand, table_kind, table_length, table_height, 0, flush, out, n)


@inner_kernel
def has_bomb(
    hand: np.uint64, table_kind: int, table_length: int, table_height: int, flush: bool
) -> bool:
    """Whether the hand has a bomb that may be laid."""
    bombs = find_quads(hand)
    if flush:
        bombs |= straight_flushes(hand)
    if bombs == 0:  # nearly always
        return False
    return _has_bomb_with(hand, table_kind, table_length, table_height, 0, flush)


@inner_kernel
def _has_bomb_with(
    hand: np.uint64,
    table_kind: int,
    table_length: int,
    table_height: int,
    wish: int,
    flush: bool,
) -> bool:
    """Whether the hand has a bomb that may be laid, with the wished rank if there is one."""
    quads = find_quads(hand) << S4
    flushes = straight_flushes(hand) << S4 if flush else NONE
    if quads | flushes == 0 or table_kind == DOG:
        return False
    length, height = (table_length, table_height) if table_kind == BOMB else (QUAD, 0)
    if length == QUAD:
        flushes &= row_starts(SHORTEST_STRAIGHT, 0, wish)
        return flushes | (quads & row_starts(1, height, wish)) != 0
    if flushes == 0:
        return False
    equal = (long_flushes(hand, length) << S4) & row_starts(length, height, wish)
    longer = (long_flushes(hand, length + 1) << S4) & row_starts(length + 1, 0, wish)
    return equal | longer != 0


@inner_kernel
def can_fulfil(
    hand: np.uint64,
    table_kind: int,
    table_length: int,
    table_height: int,
    wish: int,
    flush: bool,
) -> bool:
    """Whether some play contains a natural card of the wished rank."""
    ranks = by_rank(hand)
    if wish == 0 or ranks & (NIBBLE << place_of(wish)) == 0 or table_kind == DOG:
        return False
    if table_kind == NOTHING or (table_kind == SINGLE and 2 * wish > table_height):
        return True
    if _has_bomb_with(hand, table_kind, table_length, table_height, wish, flush):
        return True
    with_phoenix = 1 if hand & PHOENIX_BIT != 0 else 0
    ones = ranks_in(ranks)
    twos = ranks_in(ranks ^ lowest_suits(ranks))
    if table_kind == STRAIGHT:
        partial = ones | REAL_RANKS if with_phoenix else ones
        return _has_row(ones, partial, table_length, table_height, wish)
    if table_kind == STEPS:
        partial = ones & REAL_RANKS if with_phoenix else twos
        return _has_row(twos, partial, table_length >> 1, table_height, wish)
    count = popcount(ranks & (NIBBLE << place_of(wish)))
    if table_kind in (PAIR, TRIO):
        return count + with_phoenix >= table_length and 2 * wish > table_height
    return table_kind == FULL_HOUSE and _has_full_house(
        ranks, count, with_phoenix, table_height, wish
    )


@inner_kernel
def _has_row(full: np.uint64, partial: np.uint64, size: int, height: int, wish: int) -> bool:
    """Whether `size` ranks in a row, with the wished one, end above a height."""
    whole, gapped = full, partial
    for so_far in range(2, size + 1):
        whole, gapped = longer_rows(whole, gapped, full, partial, so_far)
    return gapped & row_starts(size, height, wish) != 0


@inner_kernel
def _has_full_house(
    ranks: np.uint64, count: int, with_phoenix: int, height: int, wish: int
) -> bool:
    """Whether a full house above a height holds the wished rank, of which there are `count`.

    The other part needs so many cards of one other rank as the Phoenix does not stand for.
    """
    others = ranks & ~(NIBBLE << place_of(wish)) & ~ONE
    seconds = others ^ lowest_suits(others)
    thirds = seconds ^ lowest_suits(seconds)
    for spent in range(with_phoenix + 1):  # on the wished part
        spare = with_phoenix - spent
        if count + spent >= 3 and 2 * wish > height and (others if spare else seconds) != 0:
            return True
        if count + spent >= 2 and (seconds if spare else thirds) & ranks_above(height) != 0:
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
    """Write the plays that may be laid to out[n:], and return the end of the list.

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
    wanted = NIBBLE << place_of(wish) if wish > 0 else ALL
    above = ranks_above(height)
    ranks = by_rank(hand)
    ones = lowest_suits(ranks)
    seconds = lowest_suits(ranks ^ ones)
    pairs = (ones | seconds) & (ranks_in(seconds) * NIBBLE)
    thirds = lowest_suits(ranks ^ ones ^ seconds)
    trios = (ones | seconds | thirds) & (ranks_in(thirds) * NIBBLE)
    if leads or table_kind == SINGLE:
        n = _add_singles(hand, ones & above, leads, height, wish, out, n)
    if leads or table_kind == PAIR:
        n = _add_alike(pairs, NONE, above & wanted, out, n)
        if phoenix != 0:
            n = _add_alike(ones & ~ONE, phoenix, above & wanted, out, n)
    if leads or table_kind == TRIO:
        n = _add_alike(trios, NONE, above & wanted, out, n)
        if phoenix != 0:
            n = _add_alike(pairs, phoenix, above & wanted, out, n)
    if leads or table_kind == FULL_HOUSE:
        n = _add_full_houses(trios, pairs, 0, above, wanted, out, n)
        if phoenix != 0:
            n = _add_full_houses(pairs, pairs, 3, above, wanted, out, n)
            n = _add_full_houses(trios, ones & ~ONE, 2, above, wanted, out, n)
    if leads or table_kind == STRAIGHT:
        full = ranks_in(ones)
        partial = full | REAL_RANKS if phoenix != 0 else full
        replaced = NONE if phoenix == 0 else REAL_RANKS & ~wanted if wish > 0 else REAL_RANKS
        least, most = (SHORTEST_STRAIGHT, ACE) if leads else (table_length, table_length)
        n = _add_rows(ones, NONE, full, partial, replaced, least, most, height, wish, out, n)
    if leads or table_kind == STEPS:
        full = ranks_in(pairs)
        partial = ranks_in(ones) & REAL_RANKS if phoenix != 0 else full
        replaced = REAL_RANKS if phoenix != 0 else NONE
        least, most = (2, ACE // 2) if leads else (table_length >> 1, table_length >> 1)
        n = _add_rows(
            ones | pairs, ones, full, partial, replaced, least, most, height, wish, out, n
        )
    if flush and n > begin:
        in_flush = flush_cards(hand)
        if in_flush != 0:
            n = spread_choices(hand, in_flush, out, begin, n)
    return _add_bombs(hand, table_kind, table_length, table_height, wish, flush, out, n)


@allocating_kernel
def spread_choices(hand: np.uint64, in_flush: np.uint64, out: Actions, begin: int, end: int) -> int:
    """Put in place of each play in out[begin:end] all its choices that differ for straight flushes.

    Of the choices that leave the same straight flushes the first one is kept. A straight of one
    suit is none: it is a bomb, and those are listed elsewhere.

    Args:
        hand: The cards to choose from.
        in_flush: Those that are part of a straight flush.
        out: Changed in place.
        begin: Where the plays begin.
        end: Where they end.

    Returns:
        The end of the longer list.
    """
    plays = out[begin:end].copy()
    flush_ranks = ranks_in(in_flush) * NIBBLE
    options = np.empty((ACE, _MOST_SUBSETS), np.uint64)  # by rank of the play
    n_options = np.empty(ACE, np.int64)
    n = begin
    for play in plays:
        cards = cards_of(play)
        more = hand & ~cards & RANKED  # only where more cards are held is there a choice
        fixed = cards & ~(flush_ranks & (ranks_in(more) * NIBBLE))
        places = ranks_in(cards ^ fixed)
        n_ranks, n_choices = 0, 1
        while places != 0:
            place = np.uint64(lowest(places))
            places &= places - ONE
            count = popcount(cards & (NIBBLE << place))
            flushed = in_flush & (NIBBLE << place)
            others = hand & (NIBBLE << place) & ~flushed
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
            if is_long and chosen & ~in_flush == 0 and is_one_suit(chosen):
                continue
            left = straight_flushes(in_flush & ~chosen)
            is_new = True
            for i in range(first, n):
                is_new = is_new and straight_flushes(in_flush & ~cards_of(out[i])) != left
            if is_new:
                out[n] = play_action(chosen, phoenix_of(play))
                n += 1
    return n


@inner_kernel
def _lowest_few(cards: np.uint64, count: int) -> np.uint64:
    """Return the lowest so many cards of a set."""
    few = NONE
    for _ in range(count):
        few |= cards & (~cards + ONE)
        cards &= cards - ONE
    return few
