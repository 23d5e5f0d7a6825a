"""The games under test, with what only their authors know of them."""

import itertools
import math
import random

import numpy as np
from kibitz.core.game import Seat
from kibitz.testing import Subject, copy

MAX_WORLDS = 500


def swap_in_duel(state: np.record, seat: Seat, rng: random.Random) -> bool:
    """Exchange a hidden card of one seat for one of another, or change a pending choice."""
    others = [other for other in range(state.players) if other != seat]
    for other in others:
        held = [card for card in range(14) if int(state.hand[other]) >> card & 1]
        if state.chosen[other] >= 0 and len(held) > 1:
            state.chosen[other] = rng.choice([card for card in held if card != state.chosen[other]])
            return True
    everything = (1 << (3 * int(state.players) + 2)) - 1
    out = everything & ~int(state.gone) & ~sum(int(hand) for hand in state.hand)
    free = [card for card in range(14) if out >> card & 1]
    if not others or not state.left:
        return False
    other = rng.choice(others)
    given = next(card for card in range(14) if int(state.hand[other]) >> card & 1)
    state.hand[other] = np.uint64(int(state.hand[other]) & ~(1 << given) | 1 << rng.choice(free))
    return True


def duel_worlds(view: np.record, seat: Seat) -> list[np.record] | None:
    """Deal the unseen cards in every way."""
    n = int(view.players)
    known = int(view.gone) | (int(view.hand[seat]) if seat >= 0 else 0)
    unseen = [card for card in range(3 * n + 2) if not known >> card & 1]
    others = [other for other in range(n) if other != seat]
    if math.comb(len(unseen), int(view.left)) ** len(others) > MAX_WORLDS:
        return None
    worlds = [copy(view)]
    for other in others:
        worlds = [
            grown
            for world in worlds
            for hand in itertools.combinations(unseen, int(view.left))
            if (grown := _with_hand(world, others, other, hand)) is not None
        ]
    return [
        chosen
        for world in worlds
        for chosen in _choices(world, [o for o in others if view.chosen[o] == -1])
    ]


def _with_hand(
    world: np.record, others: list[int], seat: int, hand: tuple[int, ...]
) -> np.record | None:
    mask = sum(1 << card for card in hand)
    if any(int(world.hand[other]) & mask for other in others if other < seat):
        return None
    grown = copy(world)
    grown.hand[seat] = np.uint64(mask)
    return grown


def _choices(world: np.record, pending: list[int]) -> list[np.record]:
    worlds = [world]
    for seat in pending:
        cards = [card for card in range(14) if int(world.hand[seat]) >> card & 1]
        several = []
        for one in worlds:
            for card in cards:
                several.append(copy(one))
                several[-1].chosen[seat] = card
        worlds = several
    return worlds


DUELS = [
    Subject(spec, swap_hidden=swap_in_duel, worlds=duel_worlds)
    for spec in ("duel", "duel:players=3,rounds=2")
]

