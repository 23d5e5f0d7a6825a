"""Positions of Tichu written as hands, and what tests do with them."""

import numpy as np

from kibitz.core.game import apply, deal, is_legal, legal, movers, random_action, scores
from kibitz.core.rng import Purpose, derive
from kibitz.core.table import Game, make_game
from kibitz.games.tichu import GAME
from kibitz.games.tichu.cards import (
    CALL,
    DOG,
    DRAGON,
    GIVE,
    MAH_JONG,
    NO_GRAND,
    NO_TICHU,
    PASS,
    PHOENIX,
    TICHU,
    WISH,
    other_action,
    play_action,
)
from kibitz.games.tichu.choices import MAX_LEGAL
from kibitz.games.tichu.state import EXCHANGE, TURN, WINDOW

NO = other_action(PASS, 0)
CALL_TICHU = other_action(CALL, TICHU)
SPECIALS = {"Ma": MAH_JONG, "Dog": DOG, "Ph": PHOENIX, "Dr": DRAGON}
RANKS = "23456789TJQKA"


def card(word: str) -> int:
    """Read a card: its rank and the first letter of red, green, blue or black (S)."""
    return SPECIALS[word] if word in SPECIALS else 4 * RANKS.index(word[0]) + "RGBS".index(word[1])


def cards(words: str) -> np.uint64:
    """Read a set of cards."""
    return np.uint64(sum(1 << card(word) for word in words.split()))


def lay(words: str, phoenix: str = "") -> int:
    """Make the action that plays these cards, the Phoenix standing for a rank."""
    return int(play_action(cards(words), RANKS.index(phoenix) + 2 if phoenix else 0))


def wish(rank: str) -> int:
    """Make the action that wishes for a rank, or for none."""
    return int(other_action(WISH, RANKS.index(rank) + 2 if rank else 0))


def give(word: str) -> int:
    """Make the action that gives a card away."""
    return int(other_action(GIVE, 1 << card(word)))


def game(**options: object) -> Game:
    """Return the game under some options."""
    return make_game(GAME, options)  # type: ignore[arg-type]


def position(*hands: str, turn: int = 0, **options: object) -> np.record:
    """Let a seat lead with these hands; all other cards were played, no call, no points.

    Seats without cards are out, in the order of their numbers.
    """
    state = game(**options).blank(1)[0]
    rest = [c for c in range(56) if not any(int(cards(hand)) >> c & 1 for hand in hands)]
    places = 0
    for seat, hand in enumerate(hands):
        state.hand[seat] = cards(hand)
        for _ in range(14 - len(hand.split())):
            state.played[seat] |= np.uint64(1 << rest.pop())
        if not hand:
            places += 1
            state.finished[seat] = places
    assert not rest
    state.phase, state.turn, state.deciding, state.dealt = TURN, turn, 1 << turn, 1
    return state


def fresh(*hands: str, **options: object) -> np.record:
    """Let all hold 14 cards after the exchange, these among them; who has the Mah Jong leads."""
    state = game(**options).blank(1)[0]
    rest = [c for c in range(56) if not any(int(cards(hand)) >> c & 1 for hand in hands)]
    for seat, hand in enumerate(hands):
        state.hand[seat] = cards(hand)
        for _ in range(14 - len(hand.split())):
            state.hand[seat] |= np.uint64(1 << rest.pop())
        if int(state.hand[seat]) >> MAH_JONG & 1:
            state.turn, state.deciding = seat, 1 << seat
    state.phase, state.dealt = TURN, 1
    return state


def dealt(seed: int = 0, **options: object) -> np.record:
    """Deal a round."""
    state = game(**options).blank(1)[0]
    deal(state, derive(seed, Purpose.DEAL))
    return state


def do(state: np.record, seat: int, *actions: int) -> None:
    """Let a seat act, as the rules allow."""
    for action in actions:
        assert is_legal(state, seat, action), f"seat {seat} may not do {action}"
        apply(state, seat, action)


def all_do(state: np.record, action: int) -> None:
    """Let everybody who is asked answer the same."""
    waiting = int(movers(state))
    for seat in range(4):
        if waiting >> seat & 1:
            do(state, seat, action)


def no_bombs(state: np.record) -> None:
    """Let a window pass, if there is one."""
    if state.phase == WINDOW:
        all_do(state, NO)


def turns(state: np.record, *actions: int) -> None:
    """Let whoever is on turn act, one after the other, and nobody bomb."""
    for action in actions:
        do(state, int(movers(state)).bit_length() - 1, action)
        no_bombs(state)


def listed(state: np.record, seat: int) -> list[int]:
    """List what a seat may do."""
    out = np.zeros(MAX_LEGAL, np.int64)
    return out[: legal(state, seat, out)].tolist()


def may(state: np.record, seat: int, action: int) -> bool:
    """Whether a seat may do this."""
    return bool(is_legal(state, seat, action))


def lead(state: np.record) -> float:
    """Return the points of seats 0 and 2 minus those of 1 and 3."""
    out = np.zeros(4)
    scores(state, out)
    assert out[0] == out[2] == -out[1] == -out[3]
    return float(out[0])


def exchange(state: np.record) -> None:
    """Let everybody give the first cards of the list."""
    assert state.phase == EXCHANGE
    while state.phase == EXCHANGE:
        seat = int(movers(state)).bit_length() - 1
        do(state, seat, listed(state, seat)[0])


def in_exchange(seed: int = 0, **options: object) -> np.record:
    """Return a round with nobody's call, before the first card is given."""
    state = dealt(seed, **options)
    all_do(state, other_action(CALL, NO_GRAND))
    all_do(state, other_action(CALL, NO_TICHU))
    return state


def random_round(seed: int, **options: object) -> list[np.record]:
    """Play a round at random; return every state of it."""
    state = dealt(seed, **options)
    rng = derive(seed, Purpose.PLAYOUT)
    states = [state.copy()]
    while movers(state):
        seat = int(movers(state)).bit_length() - 1
        apply(state, seat, random_action(state, seat, rng))
        states.append(state.copy())
    return states
