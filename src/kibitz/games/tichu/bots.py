"""Simple Tichu players: one that plays anything, and the rule agent of the thesis.

`convention`, who plays like a club player, has a module of its own.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from kibitz.core.agent import PolicyAgent, define_policy
from kibitz.core.bits import lowest
from kibitz.core.game import Action, Seat, State
from kibitz.core.kernels import allocating_kernel, inner_kernel, kernel
from kibitz.core.rng import Rng, below
from kibitz.core.table import Game
from kibitz.games.tichu.cards import (
    CALL,
    DOG,
    DRAGON_TO,
    GIVE,
    MAH_JONG,
    NO_GRAND,
    NO_TICHU,
    PASS,
    PHOENIX,
    PLAY,
    WISH,
    cards_of,
    kind_of,
    other_action,
    phoenix_of,
)
from kibitz.games.tichu.choices import MAX_LEGAL, legal, random_action
from kibitz.games.tichu.combinations import BOMB, NOTHING, classify
from kibitz.games.tichu.ranks import NONE, S1
from kibitz.games.tichu.state import (
    CALLING,
    EXCHANGE,
    GRAND_CALLING,
    TURN,
    WINDOW,
    WISHING,
    flushes,
)

_PASS = other_action(PASS, 0)
_BOMB_HEIGHT = 1000  # a bomb is higher than everything else
_PHOENIX_HEIGHT = 29  # between the ace and the Dragon


@kernel
def choose_any(view: State, seat: Seat, policy: np.record, rng: Rng) -> Action:
    """Choose uniformly among all that is listed."""
    return random_action(view, seat, rng)


@allocating_kernel
def choose_any_play(view: State, seat: Seat, policy: np.record, rng: Rng) -> Action:
    """Choose uniformly among all that is listed and is no call."""
    if view.phase == GRAND_CALLING:
        return other_action(CALL, NO_GRAND)
    if view.phase == CALLING:
        return other_action(CALL, NO_TICHU)
    if view.phase != TURN and view.phase != WINDOW:
        return random_action(view, seat, rng)
    listed = np.empty(MAX_LEGAL, np.int64)
    n = legal(view, seat, listed)
    if kind_of(listed[n - 1]) == CALL:
        n -= 1
    return listed[below(rng, n)]


@dataclass(frozen=True)
class RandomConfig:
    """What the random player does when it is asked for a call."""

    calls: Literal["never", "uniform"] = "uniform"  # uniform: a call is an action like any other


class RandomAgent(PolicyAgent):
    """Plays any listed action with the same probability; calls=never: any but a call.

    With calls=uniform it calls Grand Tichu in half of all rounds, Tichu in most others, and loses
    nearly all of these calls.
    """

    name = "random"
    Config = RandomConfig
    policy = define_policy("tichu_random", choose_any)

    def __init__(self, game: Game, config: RandomConfig | None = None) -> None:
        """Take the policy that goes with the parameters."""
        super().__init__(game, config)
        if self.config.calls == "never":
            self.policy = _WITHOUT_CALLS


_WITHOUT_CALLS = define_policy("tichu_random_without_calls", choose_any_play)


@kernel
def choose_by_rule(view: State, seat: Seat, policy: np.record, rng: Rng) -> Action:
    """Play what the thesis says, and what RuleAgent adds to it."""
    if view.phase == TURN:
        return _lowest_play(view, seat)
    if view.phase == WINDOW:
        return _PASS
    if view.phase == EXCHANGE:
        return _give_by_rule(view, seat)
    if view.phase == GRAND_CALLING:
        return other_action(CALL, NO_GRAND)
    if view.phase == CALLING:
        return other_action(CALL, NO_TICHU)
    if view.phase == WISHING:
        return other_action(WISH, 0)
    return other_action(DRAGON_TO, 1)


@kernel
def card_order(card: int) -> int:
    """Order cards from low to high: Dog, Mah Jong, 2 to ace, Phoenix, Dragon."""
    if card < MAH_JONG:
        return 2 * ((card >> 2) + 2)
    if card == DOG:
        return 0
    if card == MAH_JONG:
        return 2
    return _PHOENIX_HEIGHT if card == PHOENIX else _PHOENIX_HEIGHT + 1


@inner_kernel
def _give_by_rule(view: State, seat: Seat) -> Action:
    """Give the lowest card to the right, the highest to the partner, the next lowest to the left.

    Of equal cards, that of the lowest suit.
    """
    cards = view.hand[seat]
    n_given = 0
    for k in range(3):
        if view.given[seat, k] != 0:
            cards &= ~(S1 << np.uint64(int(view.given[seat, k]) - 1))
            n_given += 1
    best, best_order = -1, 0
    while cards != NONE:
        card = lowest(cards)
        cards &= cards - S1
        order = card_order(card) if n_given == 1 else -card_order(card)
        if best < 0 or order > best_order:
            best, best_order = card, order
    return other_action(GIVE, 1 << best)


@allocating_kernel
def _lowest_play(view: State, seat: Seat) -> Action:
    """Lead the combination with the most cards; otherwise lay the lowest one, and pass if none."""
    listed = np.empty(MAX_LEGAL, np.int64)
    n = legal(view, seat, listed)
    leads = view.table_kind == NOTHING
    best, best_length, best_height = _PASS, 0, 0
    for i in range(n):
        action = listed[i]
        if kind_of(action) != PLAY:
            continue
        kind, length, height = classify(cards_of(action), phoenix_of(action), 0, flushes(view))
        if length == 1:
            height = card_order(lowest(cards_of(action)))
        if kind == BOMB and not leads:
            height += _BOMB_HEIGHT * length
        longer = leads and length > best_length
        lower = height < best_height and not (leads and length < best_length)
        if best == _PASS or longer or lower:
            best, best_length, best_height = action, length, height
    return best


class RuleAgent(PolicyAgent):
    """The rule agent of the thesis (7.1.1).

    It never calls. It gives its two lowest cards to the opponents and its highest one to the
    partner. It never passes if it can play, and plays the lowest combination it can; on lead, one
    with as many cards as possible, and of these the lowest.

    Where the thesis is silent: the lowest card goes to the right. From low to high cards are Dog,
    Mah Jong, 2 to ace, Phoenix, Dragon, so the Phoenix alone is laid after the ace. Of equal plays
    the one listed first is laid, without the Phoenix if there is one. A bomb is laid in turn if
    nothing else can be, the shortest and lowest; never out of turn, which the thesis does not
    have. On lead a bomb is a combination like others. It wishes for nothing, and gives the
    Dragon's trick to the right.
    """

    name = "rule"
    policy = define_policy("tichu_rule", choose_by_rule)
