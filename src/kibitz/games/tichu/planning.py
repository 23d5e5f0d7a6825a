"""Plans for a hand of Tichu: into which combinations to part it, and what stands in the way.

A combination costs a hand about one lead, less the chance that it wins the lead back, more than
once if it can be laid on what others lead. So a low single costs 1, and the highest card gives back
what it took and another lead. A plan parts the hand into combinations; what it costs is their sum
without the dearest one, which is laid last and need not win anything. The cheapest plan tells how
far the hand is from going out: below zero it wins more leads than it needs.

How likely a combination wins is estimated from the cards that are not seen: how many singles,
pairs and trios are higher, whether there can be a higher row at all, and whether the opponents
hold enough cards.
"""

import numpy as np
import numpy.typing as npt

from kibitz.core.bits import ONE, lowest, popcount
from kibitz.core.game import Seat, State
from kibitz.core.kernels import inner_kernel, kernel
from kibitz.games.tichu.cards import (
    ACE,
    ALL_CARDS,
    DOG_BIT,
    DRAGON_BIT,
    LOWEST_RANK,
    PHOENIX_BIT,
)
from kibitz.games.tichu.combinations import (
    BOMB,
    DRAGON_HEIGHT,
    FULL_HOUSE,
    PAIR,
    SHORTEST_STRAIGHT,
    SINGLE,
    STEPS,
    STRAIGHT,
    TRIO,
)
from kibitz.games.tichu.ranks import (
    EVERY_RANK,
    NIBBLE,
    NONE,
    by_rank,
    count_ranks,
    place_of,
    straight_flushes,
)
from kibitz.games.tichu.state import flushes, n_cards

Costs = npt.NDArray[np.float64]

# Rows of the table of chances and costs: [kind, rank] has the chance that a combination wins, and
# [kind + PRICE, rank] its cost. Rows of ranks have [kind, length] = highest top that others can
# have. The row SPECIAL has the costs of single cards and bombs.
PRICE = 8
SPECIAL = 0
_DOG, _BOMB, _PHOENIX, _DRAGON, _LONGEST, _STEPS, _STRAIGHT = 0, 1, 2, 3, 4, 5, 6
_STRAIGHT_PASSED, _STEPS_PASSED = 7, 8
TABLE = (16, ACE + 2)

# Chance that one of two opponents holds two, or three, of so many unseen cards of a rank.
_HAS_PAIR = np.array([0.0, 0.0, 0.2, 0.5, 0.8])
_HAS_TRIO = np.array([0.0, 0.0, 0.0, 0.07, 0.3])
_FULL_HAND = 14.0
_FLUSH = np.uint64(0x11111)  # five cards of one suit in a row


@kernel
def unseen_by(view: State, seat: Seat) -> np.uint64:
    """Return the cards that a seat neither holds nor has seen played."""
    played = view.played[0] | view.played[1] | view.played[2] | view.played[3]
    return ALL_CARDS & ~(played | view.hand[seat])


@inner_kernel
def _most_cards(view: State, seat: Seat) -> int:
    """Return the greatest number of cards that an opponent holds."""
    return max(n_cards(view, (seat + 1) & 3), n_cards(view, (seat + 3) & 3))


@kernel
def estimate(view: State, seat: Seat, weights: np.record, table: Costs) -> None:
    """Fill the table with chances and costs of all combinations, as a seat sees them."""
    unseen = unseen_by(view, seat)
    counts = count_ranks(by_rank(unseen))
    most = _most_cards(view, seat)
    jokers = 1 if unseen & PHOENIX_BIT != NONE else 0
    dragons = 1 if unseen & DRAGON_BIT != NONE else 0
    n_unseen = max(1, popcount(unseen))
    share = (n_cards(view, (seat + 1) & 3) + n_cards(view, (seat + 3) & 3)) / n_unseen
    thin = min(1.0, most / _FULL_HAND + 0.3)  # few cards in a hand rarely match
    higher, lower = jokers + dragons, n_unseen - jokers - dragons
    single, pair, trio = 1.0, 1.0, 1.0
    if jokers:
        pair, trio = 1 - 0.25 * thin, 1 - 0.05 * thin
    for rank in range(ACE, 0, -1):
        count = int((counts >> place_of(rank)) & NIBBLE)
        lower -= count
        single = (1 - weights.single_risk * share) ** higher
        table[SINGLE, rank] = single
        discard = weights.discard * lower / n_unseen
        table[SINGLE + PRICE, rank] = 1 - discard - weights.single_back * single
        table[PAIR, rank] = pair if most >= 2 else 1.0
        table[TRIO, rank] = trio if most >= 3 else 1.0
        table[FULL_HOUSE, rank] = 1 - (1 - trio) * 0.7 if most >= 5 else 1.0
        for kind in (PAIR, TRIO, FULL_HOUSE):
            wins = table[kind, rank]
            table[kind, rank] = _believe(view, seat, kind, 2 * rank, wins, weights.trust)
        below = weights.discard * 0.5 * lower / n_unseen
        table[PAIR + PRICE, rank] = 1 - below - weights.pair_back * table[PAIR, rank]
        table[TRIO + PRICE, rank] = 1 - weights.long_back * table[TRIO, rank]
        table[FULL_HOUSE + PRICE, rank] = 1 - weights.long_back * table[FULL_HOUSE, rank]
        higher += count
        pair *= 1 - weights.others_take * thin * _HAS_PAIR[count]
        trio *= 1 - weights.others_take * thin * _HAS_TRIO[count]
    _estimate_rows(counts, jokers, most, table)
    table[SPECIAL, _STRAIGHT_PASSED] = _both_passed(view, seat, STRAIGHT)
    table[SPECIAL, _STEPS_PASSED] = _both_passed(view, seat, STEPS)
    table[SPECIAL, _DOG] = weights.dog_cost
    table[SPECIAL, _BOMB] = 1 - weights.bomb_back
    table[SPECIAL, _PHOENIX] = 1 - weights.phoenix_back
    table[SPECIAL, _DRAGON] = 1 - weights.dragon_back
    table[SPECIAL, _LONGEST] = weights.long_back
    table[SPECIAL, _STEPS] = weights.steps_win
    table[SPECIAL, _STRAIGHT] = weights.straight_win


@inner_kernel
def _believe(view: State, seat: Seat, kind: int, height: int, wins: float, trust: float) -> float:
    """Correct a chance by what opponents passed on before: they may have nothing higher."""
    doubt = 1.0
    for step in (1, 3):
        passed = int(view.passed[(seat + step) & 3, kind])
        if 0 < passed <= height:
            doubt -= 0.5 * trust
    return 1 - (1 - wins) * doubt


@inner_kernel
def _estimate_rows(counts: np.uint64, jokers: int, most: int, table: Costs) -> None:
    """Note how high straights and steps of each length can be in one other hand."""
    for length in range(2, ACE + 1):
        table[STRAIGHT, length] = 0
        table[STEPS, length] = 0
    for top in range(LOWEST_RANK + 1, ACE + 1):
        gaps, thin = 0, 0
        for low in range(top, 0, -1):
            count = int((counts >> place_of(low)) & NIBBLE)
            gaps += 1 if count == 0 else 0
            thin += 0 if count >= 2 else 1 if count == 1 else 2
            length = top - low + 1
            if gaps <= jokers and length <= most:
                table[STRAIGHT, length] = top
            if thin <= jokers and 2 * length <= most and low > 1:
                table[STEPS, length] = top


@inner_kernel
def _both_passed(view: State, seat: Seat, kind: int) -> int:
    """Return the rank on which both opponents passed, or one above all."""
    rank = 0
    for step in (1, 3):
        passed = int(view.passed[(seat + step) & 3, kind])
        rank = max(rank, passed >> 1 if passed > 0 else ACE + 1)
    return rank


@kernel
def row_chance(kind: int, size: int, top: int, table: Costs) -> float:
    """Estimate how likely a row of `size` ranks wins."""
    if top >= table[kind, size]:
        return 1.0
    if kind == STRAIGHT and size == SHORTEST_STRAIGHT and top >= table[SPECIAL, _STRAIGHT_PASSED]:
        return 0.95
    if kind == STEPS and size == 2 and top >= table[SPECIAL, _STEPS_PASSED]:
        return 0.95
    if kind == STEPS:
        return min(0.95, table[SPECIAL, _STEPS] + 0.1 * (size - 2) + 0.02 * top)
    return min(0.95, table[SPECIAL, _STRAIGHT] + 0.07 * (size - SHORTEST_STRAIGHT) + 0.02 * top)


@inner_kernel
def _row_cost(kind: int, size: int, top: int, table: Costs) -> float:
    return 1 - table[SPECIAL, _LONGEST] * row_chance(kind, size, top, table)


@kernel
def chance(kind: int, length: int, height: int, table: Costs) -> float:
    """Estimate how likely a combination wins the trick once it is laid."""
    rank = height >> 1
    if kind == SINGLE:
        if height >= DRAGON_HEIGHT:
            return 1.0
        return table[SINGLE, rank]
    if kind in (PAIR, TRIO, FULL_HOUSE):
        return table[kind, rank]
    if kind == STRAIGHT:
        return row_chance(STRAIGHT, length, rank, table)
    if kind == STEPS:
        return row_chance(STEPS, length >> 1, rank, table)
    return 1.0 if kind == BOMB else 0.0


@inner_kernel
def _part_groups(counts: np.uint64, total: float, dearest: float, table: Costs) -> float:
    """Return the cost of a plan that lays equal ranks together, and trios with pairs.

    Args:
        counts: Cards of each rank, in nibbles.
        total: What other parts of the plan cost.
        dearest: The dearest of them.
        table: Chances and costs.
    """
    pairs, trios = NONE, NONE
    left = (counts | (counts >> ONE) | (counts >> np.uint64(2))) & EVERY_RANK
    while left != NONE:
        place = lowest(left)
        left &= left - ONE
        count = int((counts >> np.uint64(place)) & NIBBLE)
        if count == 2:
            pairs |= ONE << np.uint64(place)
        elif count == 3:
            trios |= ONE << np.uint64(place)
        else:
            rank = 1 + (place >> 2)
            cost = table[SINGLE + PRICE, rank] if count == 1 else table[SPECIAL, _BOMB]
            total += cost
            dearest = max(dearest, cost)
    while trios != NONE:
        rank = 1 + (lowest(trios) >> 2)
        trios &= trios - ONE
        cost = table[TRIO + PRICE, rank]
        if pairs != NONE:
            full = table[FULL_HOUSE + PRICE, rank]
            if full < cost + table[PAIR + PRICE, 1 + (lowest(pairs) >> 2)]:
                cost = full
                pairs &= pairs - ONE
        total += cost
        dearest = max(dearest, cost)
    while pairs != NONE:
        cost = table[PAIR + PRICE, 1 + (lowest(pairs) >> 2)]
        pairs &= pairs - ONE
        total += cost
        dearest = max(dearest, cost)
    return total - dearest


@inner_kernel
def _part_once(counts: np.uint64, least: int, total: float, dearest: float, table: Costs) -> float:
    """Return the least cost of a plan with at most one row, which begins at `least` or above."""
    best = _part_groups(counts, total, dearest, table)
    ones = _ranks_with(counts, 1)
    twos = _ranks_with(counts, 2)
    if not _has_rows(ones, twos):
        return best
    for low in range(least, ACE):
        for kind in (STRAIGHT, STEPS):
            full = ones if kind == STRAIGHT else twos
            shortest = SHORTEST_STRAIGHT if kind == STRAIGHT else 2
            used = NONE
            size = 0
            while low + size <= ACE and (full >> place_of(low + size)) & ONE != NONE:
                used |= ONE << place_of(low + size)
                size += 1
                if size >= shortest:
                    rest = counts - (used if kind == STRAIGHT else used << ONE)
                    cost = _row_cost(kind, size, low + size - 1, table)
                    plan = _part_groups(rest, total + cost, max(dearest, cost), table)
                    best = min(best, plan)
    return best


@inner_kernel
def _part(counts: np.uint64, total: float, dearest: float, table: Costs) -> float:
    """Return the least cost of a plan with at most two rows."""
    best = _part_once(counts, 1, total, dearest, table)
    ones = _ranks_with(counts, 1)
    twos = _ranks_with(counts, 2)
    if not _has_rows(ones, twos):
        return best
    for low in range(1, ACE):
        for kind in (STRAIGHT, STEPS):
            full = ones if kind == STRAIGHT else twos
            shortest = SHORTEST_STRAIGHT if kind == STRAIGHT else 2
            used = NONE
            size = 0
            while low + size <= ACE and (full >> place_of(low + size)) & ONE != NONE:
                used |= ONE << place_of(low + size)
                size += 1
                if size >= shortest:
                    rest = counts - (used if kind == STRAIGHT else used << ONE)
                    if _has_rows(_ranks_with(rest, 1), _ranks_with(rest, 2)):
                        cost = _row_cost(kind, size, low + size - 1, table)
                        plan = _part_once(rest, low, total + cost, max(dearest, cost), table)
                        best = min(best, plan)
    return best


@inner_kernel
def _ranks_with(counts: np.uint64, least: int) -> np.uint64:
    """Return the ranks with so many cards, 1 or 2; a quad is left whole."""
    two = (counts >> ONE) & EVERY_RANK
    return (counts & EVERY_RANK) | two if least == 1 else two


@inner_kernel
def _has_rows(ones: np.uint64, twos: np.uint64) -> bool:
    """Whether there are five ranks in a row, or two pairs."""
    pairs = ones & (ones >> np.uint64(4))
    fives = pairs & (pairs >> np.uint64(8)) & (ones >> np.uint64(16))
    return fives | (twos & (twos >> np.uint64(4))) != NONE


@kernel
def hand_cost(hand: np.uint64, with_flushes: bool, table: Costs) -> float:
    """Return the cost of the cheapest plan for a hand."""
    if hand == NONE:
        return 0.0
    best = _cost_without_flushes(hand, table)
    if with_flushes:
        starts = straight_flushes(hand)
        while starts != NONE:
            bomb = _FLUSH << np.uint64(lowest(starts))
            starts &= starts - ONE
            rest = hand & ~bomb
            cost = table[SPECIAL, _BOMB]
            best = min(best, (cost + _cost_without_flushes(rest, table)) if rest != NONE else 0.0)
    return best


@inner_kernel
def _cost_without_flushes(hand: np.uint64, table: Costs) -> float:
    counts = count_ranks(by_rank(hand))
    total, dearest = 0.0, -9.0
    if hand & DOG_BIT != NONE:
        total += table[SPECIAL, _DOG]
        dearest = max(dearest, table[SPECIAL, _DOG])
    if hand & DRAGON_BIT != NONE:
        total += table[SPECIAL, _DRAGON]
        dearest = max(dearest, table[SPECIAL, _DRAGON])
    if hand & PHOENIX_BIT == NONE:
        return _part(counts, total, dearest, table)
    cost = table[SPECIAL, _PHOENIX]
    best = _part(counts, total + cost, max(dearest, cost), table)
    ones = _ranks_with(counts, 1)
    for rank in range(LOWEST_RANK, ACE + 1):
        count = int((counts >> place_of(rank)) & NIBBLE)
        if count == 1 or count == 2 or (count == 0 and _fills(ones, rank)):
            filled = counts + (ONE << place_of(rank))
            best = min(best, _part_once(filled, 1, total, dearest, table))
    return best


@inner_kernel
def _fills(ones: np.uint64, rank: int) -> bool:
    """Whether a missing rank would make five in a row."""
    below, above = 0, 0
    while rank - below > 1 and (ones >> place_of(rank - below - 1)) & ONE != NONE:
        below += 1
    while rank + above < ACE and (ones >> place_of(rank + above + 1)) & ONE != NONE:
        above += 1
    return below + above >= SHORTEST_STRAIGHT - 1


@kernel
def plan_cost(view: State, hand: np.uint64, table: Costs) -> float:
    """Return the cost of the cheapest plan for some cards under the rules of a view."""
    return hand_cost(hand, flushes(view), table)


@kernel
def outlook(cost: float, weights: np.record) -> float:
    """Return what a hand is worth whose plan has this cost."""
    return (
        weights.goal / (1 + np.exp(weights.sharp * (cost - weights.middle))) - weights.slope * cost
    )
