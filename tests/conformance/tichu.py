"""What only the author of Tichu knows of it."""

import random

import numpy as np

from kibitz.core.bits import ONE
from kibitz.core.game import Seat
from kibitz.games.tichu import state as tichu
from kibitz.games.tichu.cards import (
    CALL,
    CARDS,
    GRAND,
    MAH_JONG,
    NO_GRAND,
    NO_TICHU,
    TICHU,
    other_action,
)
from kibitz.games.tichu.wishes import count_misfits
from kibitz.testing import Subject

_ANSWERS = {
    tichu.GRAND_CALLING: [other_action(CALL, NO_GRAND), other_action(CALL, GRAND)],
    tichu.CALLING: [other_action(CALL, NO_TICHU), other_action(CALL, TICHU)],
}


def swap_in_tichu(state: np.record, seat: Seat, rng: random.Random) -> bool:
    """Change a pending answer, a card given between others, or two cards that a seat cannot see."""
    ways = [_swap_answer, _swap_given, _swap_cards]
    rng.shuffle(ways)
    return any(way(state, seat, rng) for way in ways)


def _members(cards: int) -> list[int]:
    return [card for card in range(CARDS) if cards >> card & 1]


def _swap_answer(state: np.record, seat: Seat, rng: random.Random) -> bool:
    """Let another seat have called where it has not, or the other way round."""
    others = [other for other in range(4) if other != seat and state.pending[other] != 0]
    if int(state.phase) not in _ANSWERS or not others:
        return False
    other = rng.choice(others)
    no, yes = _ANSWERS[int(state.phase)]
    state.pending[other] = no if state.pending[other] == yes else yes
    return True


def _hidden_gifts(state: np.record, seat: Seat) -> list[tuple[int, int]]:
    """Return the places in `given` that a seat does not know."""
    in_exchange = state.phase == tichu.EXCHANGE
    return [
        (giver, k)
        for giver in range(4)
        for k in range(3)
        if state.given[giver, k] != 0
        and giver != seat
        and (in_exchange or (giver + k + 1) % 4 != seat)
    ]


def _swap_given(state: np.record, seat: Seat, rng: random.Random) -> bool:
    """Let one seat give another one a different card."""
    hidden = _hidden_gifts(state, seat)
    if not hidden:
        return False
    giver, k = rng.choice(hidden)
    if state.phase == tichu.EXCHANGE:
        pool, taken = int(state.hand[giver]), [int(card) for card in state.given[giver]]
    else:
        receiver = (giver + k + 1) % 4
        pool = int(state.hand[receiver] | state.played[receiver])
        taken = [int(state.given[(receiver + 3 - j) % 4, j]) for j in range(3)]
    state.given[giver, k] = rng.choice([c + 1 for c in _members(pool) if c + 1 not in taken])
    return True


def _swap_cards(state: np.record, seat: Seat, rng: random.Random) -> bool:
    """Exchange two unseen cards, wherever they are, if that contradicts no denial of the wish."""
    if state.phase in (tichu.WAITING, tichu.OVER) or state.pending.max() > 0:
        return False
    own = range(seat, seat + 1) if seat >= 0 else range(0)
    hidden = sum(int(state.hand[other]) for other in range(4) if other not in own)
    hidden += sum(int(stock) for stock in state.stock)
    known = {int(card) - 1 for giver in own for card in state.given[giver]}
    known |= {MAH_JONG} if state.opener else set()
    cards = [card for card in _members(hidden) if card not in known]
    if len(cards) < 2:
        return False
    for _ in range(20):
        first, second = rng.sample(cards, 2)
        other = state.copy()
        _exchange(other, first, second, _hidden_gifts(state, seat))
        if other != state and not count_misfits(other, -1):
            state.hand, state.stock, state.given = other.hand, other.stock, other.given
            return True
    return False


def _exchange(
    state: np.record, first: int, second: int, hidden_gifts: list[tuple[int, int]]
) -> None:
    both = ONE << np.uint64(first) | ONE << np.uint64(second)
    for pile in (state.hand, state.stock):
        for s in range(4):
            if int(pile[s] & both).bit_count() == 1:
                pile[s] ^= both
    renamed = {first + 1: second + 1, second + 1: first + 1}
    for place in hidden_gifts:
        state.given[place] = renamed.get(int(state.given[place]), int(state.given[place]))


def points_in_play(state: np.record) -> int:
    """Add up the points in tricks, on the table and in the hands: all of the deck."""
    cards = [*state.hand, *state.stock]
    in_hands = sum(int(tichu.card_points(pile)) for pile in cards)
    return int(state.won.sum()) + int(state.trick) + in_hands


TICHUS = [
    Subject(spec, games=games, swap_hidden=swap_in_tichu, conserved=points_in_play)
    for spec, games in (
        ("tichu", 10),
        ("tichu:calls=any", 10),
        ("tichu:variant=thesis", 10),
        ("tichu:match=200,rounds=2", 4),
    )
]
