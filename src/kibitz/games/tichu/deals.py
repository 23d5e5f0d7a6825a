"""All deals that fit what a seat knows, once few cards are unseen.

A deal gives every unseen card to one of the hidden hands. Cards that the seat gave away, and the
Mah Jong of who began, lie where they are known to be; who is `lacking` has no card of the wished
rank. Other denials are looked at in every deal that is listed: `list_deals` may list fewer deals
than `count_deals` counts, never more.
"""

from itertools import product
from math import comb

import numpy as np
import numpy.typing as npt

from kibitz.core.bits import popcount
from kibitz.core.game import Seat, State, States
from kibitz.core.kernels import allocating_kernel, kernel
from kibitz.games.tichu.cards import CARDS
from kibitz.games.tichu.state import SEATS, cards_of_rank, n_cards
from kibitz.games.tichu.wishes import count_misfits
from kibitz.games.tichu.worlds import place_known

Places = npt.NDArray[np.int64]

_NONE = np.uint64(0)
_ONE = np.uint64(1)


@kernel
def _write_places(view: State, seat: Seat, out: Places) -> None:
    """Write free places of every hand, then how many unseen cards are wished and how many not.

    Hidden hands of the view are cleared but for what is known to be there.
    """
    unseen = place_known(view, seat)
    wished = unseen & cards_of_rank(view.wished) if view.lacking else _NONE
    for other in range(SEATS):
        out[other] = 0 if other == seat else n_cards(view, other) - popcount(view.hand[other])
    out[SEATS] = popcount(wished)
    out[SEATS + 1] = popcount(unseen) - popcount(wished)


def count_deals(view: np.record, seat: Seat) -> int:
    """Count the deals of the unseen cards that fit hands, gifts and who is known to lack a rank."""
    scratch, found = np.empty(1, view.dtype), np.zeros(SEATS + 2, np.int64)
    scratch[0] = view
    _write_places(scratch[0], seat, found)
    *places, n_wished, n_others = found.tolist()
    able = [0 if view.lacking >> k & 1 else places[k] for k in range(SEATS)]
    total = 0
    for shares in product(*(range(min(n, n_wished) + 1) for n in able)):
        if sum(shares) == n_wished:
            rest = [n - share for n, share in zip(places, shares, strict=True)]
            total += _ways(shares) * _ways(rest)
    return total


def _ways(sizes: tuple[int, ...] | list[int]) -> int:
    """Count the ways to cut different cards into piles of these sizes."""
    left, ways = sum(sizes), 1
    for size in sizes:
        ways *= comb(left, size)
        left -= size
    return ways


@allocating_kernel
def list_deals(view: State, seat: Seat, worlds: States) -> int:
    """Write the worlds that fit a view; return how many, or -1 if there is no room for all.

    Worlds that contradict a denial are left out. Cards that others gave each other stay unknown.
    """
    worlds[0] = view
    unseen = place_known(worlds[0], seat)
    cards, owners = np.empty(CARDS, np.uint64), np.full(CARDS, -1)
    free, hands = np.zeros(SEATS, np.int64), np.zeros(SEATS, np.uint64)
    for other in range(SEATS):
        hands[other] = worlds[0].hand[other]
        free[other] = 0 if other == seat else n_cards(view, other) - popcount(hands[other])
    n = 0
    while unseen != _NONE:
        cards[n] = unseen & (~unseen + _ONE)
        unseen &= unseen - _ONE
        n += 1
    wished = cards_of_rank(view.wished) if view.lacking else _NONE
    found, at = 0, 0
    while at >= 0:
        if at == n:
            if found == len(worlds):
                return -1
            worlds[found] = view
            for other in range(SEATS):
                worlds[found].hand[other] = hands[other]
            if view.wished == 0 or count_misfits(worlds[found], seat) == 0:
                found += 1
            at -= 1
            continue
        owner = owners[at]
        if owner >= 0:
            free[owner] += 1
            hands[owner] &= ~cards[at]
        owner += 1
        while owner < SEATS:
            lacks = (view.lacking >> owner) & 1 and cards[at] & wished != _NONE
            if free[owner] > 0 and not lacks:
                break
            owner += 1
        if owner < SEATS:
            owners[at] = owner
            free[owner] -= 1
            hands[owner] |= cards[at]
            at += 1
        else:
            owners[at] = -1
            at -= 1
    return found
