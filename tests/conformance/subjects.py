"""The games under test, with what only their authors know of them."""

import itertools
import math
import random

import numpy as np

from kibitz.core.game import Seat, scores
from kibitz.games.nimmt import state as nimmt
from kibitz.testing import Subject
from tests.conformance.sheephead import SHEEPHEADS
from tests.conformance.tichu import TICHUS

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
    worlds = [view.copy()]
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
    grown = world.copy()
    grown.hand[seat] = np.uint64(mask)
    return grown


def _choices(world: np.record, pending: list[int]) -> list[np.record]:
    worlds = [world]
    for seat in pending:
        cards = [card for card in range(14) if int(world.hand[seat]) >> card & 1]
        several = []
        for one in worlds:
            for card in cards:
                several.append(one.copy())
                several[-1].chosen[seat] = card
        worlds = several
    return worlds


DUELS = [
    Subject(spec, swap_hidden=swap_in_duel, worlds=duel_worlds)
    for spec in ("duel", "duel:players=3,rounds=2")
]


def _hidden_hands(state: np.record, seat: Seat) -> list[int]:
    """Return the seats whose hands `seat` does not see."""
    if state.hands == nimmt.OPEN or nimmt.hand_size(state) == 0:
        return []
    return [other for other in range(state.players) if other != seat]


def _unseen_in_nimmt(state: np.record, seat: Seat) -> list[int]:
    """Return the cards that can be in hands hidden from `seat`, from its view alone."""
    seen = {card for card in range(1, 105) if int(state.seen[card >> 6]) >> (card & 63) & 1}
    if state.phase == nimmt.TAKING:
        seen |= {int(card) for card in state.chosen}
    own = {int(card) for card in state.hand[seat]} if seat >= 0 else set()
    return [card for card in range(1, nimmt.deck_size(state) + 1) if card not in seen | own]


def swap_in_nimmt(state: np.record, seat: Seat, rng: random.Random) -> bool:
    """Change a pending choice, or exchange a hidden card for one that is held or lies nowhere."""
    others = [other for other in range(state.players) if other != seat]
    pending = [o for o in others if state.phase == nimmt.CHOOSING and state.chosen[o] > 0]
    if pending and nimmt.hand_size(state) > 1 and rng.random() < 0.5:
        other = rng.choice(pending)
        held = [int(card) for card in state.hand[other] if card]
        state.chosen[other] = rng.choice([card for card in held if card != state.chosen[other]])
        return True
    hidden = _hidden_hands(state, seat)
    unseen = _unseen_in_nimmt(state, seat)
    if not hidden or len(unseen) < 2:
        return False
    first, second = rng.sample(unseen, 2)
    exchange = {first: second, second: first}
    before = state.copy()
    for other in hidden:
        n = int(np.count_nonzero(state.hand[other]))
        cards = [exchange.get(int(card), int(card)) for card in state.hand[other, :n]]
        state.hand[other, :n] = sorted(cards)
        chosen = int(state.chosen[other])
        if state.phase == nimmt.CHOOSING and chosen > 0:
            state.chosen[other] = exchange.get(chosen, chosen)
    return bool(before != state)


def nimmt_worlds(view: np.record, seat: Seat) -> list[np.record] | None:
    """Deal the unseen cards to the hidden hands in every way, with every pending choice."""
    hidden, unseen = _hidden_hands(view, seat), _unseen_in_nimmt(view, seat)
    n = int(nimmt.hand_size(view))
    pending = [other for other in range(view.players) if view.chosen[other] == nimmt.UNKNOWN]
    count = math.comb(len(unseen), n) ** len(hidden) * max(1, n) ** len(pending)
    if count > MAX_WORLDS:
        return None
    worlds = []
    for hands in itertools.product(itertools.combinations(unseen, n), repeat=len(hidden)):
        if len({card for hand in hands for card in hand}) < n * len(hidden):
            continue
        world = view.copy()
        for other, hand in zip(hidden, hands, strict=True):
            world.hand[other, :n] = hand
        for cards in itertools.product(*(world.hand[other, :n] for other in pending)):
            worlds.append(world.copy())
            worlds[-1].chosen[pending] = cards
    return worlds


def heads_in_play(state: np.record) -> int:
    """Add up the heads taken, on the table, in the hands and revealed: all that were dealt."""
    if state.phase == nimmt.DRAFTING:
        return int(nimmt.BULL_HEADS[1 : nimmt.deck_size(state) + 1].sum())
    cards = [*state.hand.ravel()]
    if state.phase == nimmt.TAKING:
        cards += [*state.chosen]
    in_hands = sum(int(nimmt.BULL_HEADS[card]) for card in cards)
    return int(state.taken.sum()) + int(state.heads.sum()) + in_hands


NIMMTS = [
    Subject(
        f"nimmt:{options}",
        games=games,
        swap_hidden=swap_in_nimmt,
        worlds=nimmt_worlds if "deck=known" in options else None,
        conserved=heads_in_play,
    )
    for options, games in (
        ("players=5", 10),
        ("players=10,rows=free", 10),
        ("players=2,deck=known,rows=free", 20),
        ("players=3,deck=known", 20),
        ("players=2,deck=known,hands=open", 10),
        ("players=4,rows=free,match=66", 2),
        ("players=3,draft=true,rows=free", 10),
    )
]


def sum_of_scores(state: np.record) -> float:
    """Add up what both seats have: what one wins the other loses."""
    out = np.zeros(2)
    scores(state, out)
    return float(out.sum())


CONNECT4S = [Subject(spec, conserved=sum_of_scores) for spec in ("connect4", "connect4:opening=5")]

SUBJECTS = [*DUELS, *NIMMTS, *CONNECT4S, *TICHUS, *SHEEPHEADS]
