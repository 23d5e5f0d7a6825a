"""Simple 6 nimmt! players: one rule each, no search.

All of them take the row with the fewest heads, the first one of several.
"""

import numpy as np

from kibitz.core.agent import PolicyAgent, define_policy
from kibitz.core.bits import lowest
from kibitz.core.game import Action, Seat, State
from kibitz.core.kernels import inner_kernel, kernel
from kibitz.core.rng import Rng
from kibitz.games.nimmt.state import (
    CHOOSING,
    FIRST_ROW_ACTION,
    FULL_ROW,
    HAND_CARDS,
    HIGHEST_CARD,
    TAKING,
    cheapest_row,
    hand_size,
    open_cards,
    row_end,
    row_for,
)

_ONE = np.uint64(1)
_NO_LIMIT = 1000


@inner_kernel
def _highest_open(view: State) -> int:
    """Return the highest card that can still be picked."""
    card = HIGHEST_CARD
    while (open_cards(view, card >> 6) >> np.uint64(card & 63)) & _ONE == 0:
        card -= 1
    return card


@inner_kernel
def _lowest_open(view: State) -> int:
    """Return the lowest card that can still be picked."""
    cards = open_cards(view, 0)
    return lowest(cards) if cards != 0 else 64 + lowest(open_cards(view, 1))


@kernel
def choose_highest(view: State, seat: Seat, policy: np.record, rng: Rng) -> Action:
    """Play, or pick, the highest card."""
    if view.phase == CHOOSING:
        return int(view.hand[seat, hand_size(view) - 1])
    if view.phase == TAKING:
        return FIRST_ROW_ACTION + cheapest_row(view)
    return _highest_open(view)


@kernel
def choose_lowest(view: State, seat: Seat, policy: np.record, rng: Rng) -> Action:
    """Play, or pick, the lowest card."""
    if view.phase == CHOOSING:
        return int(view.hand[seat, 0])
    if view.phase == TAKING:
        return FIRST_ROW_ACTION + cheapest_row(view)
    return _lowest_open(view)


@kernel
def choose_closest(view: State, seat: Seat, policy: np.record, rng: Rng) -> Action:
    """Play the card that follows a row end most closely, or pick one close to its own cards."""
    if view.phase == CHOOSING:
        return _closest_card(view, seat)
    if view.phase == TAKING:
        return FIRST_ROW_ACTION + cheapest_row(view)
    return _closest_pick(view, seat)


@inner_kernel
def _closest_card(view: State, seat: Seat) -> int:
    """Find the smallest distance to the end of a row with room, else the fewest heads to take."""
    best = 0
    best_cost = _NO_LIMIT
    for i in range(hand_size(view)):
        card = int(view.hand[seat, i])
        row = row_for(view, card)
        if row >= 0 and view.length[row] < FULL_ROW:
            cost = card - row_end(view, row)
        else:
            cost = HIGHEST_CARD + int(view.heads[row if row >= 0 else cheapest_row(view)])
        if cost < best_cost:
            best = card
            best_cost = cost
    return best


@inner_kernel
def _closest_pick(view: State, seat: Seat) -> int:
    """Find the open card closest to one in the hand, the lower of two; first the highest card."""
    if view.hand[seat, 0] == 0:
        return _highest_open(view)
    best = 0
    best_distance = _NO_LIMIT
    for word in range(2):
        cards = open_cards(view, word)
        while cards != 0:
            card = 64 * word + lowest(cards)
            cards &= cards - _ONE
            for i in range(HAND_CARDS):
                held = int(view.hand[seat, i])
                if held > 0 and abs(card - held) < best_distance:
                    best = card
                    best_distance = abs(card - held)
    return best


class HighestAgent(PolicyAgent):
    """Play the highest card; in a draft, pick the highest one."""

    name = "highest"
    policy = define_policy("nimmt_highest", choose_highest)


class LowestAgent(PolicyAgent):
    """Play the lowest card; in a draft, pick the lowest one."""

    name = "lowest"
    policy = define_policy("nimmt_lowest", choose_lowest)


class ClosestAgent(PolicyAgent):
    """Play the card closest above the end of a row with room, else the one that costs least."""

    name = "closest"
    policy = define_policy("nimmt_closest", choose_closest)
