"""Distillation for the hidden 6 nimmt!: what `best` believes about play, learnt from its searches.

One step takes one number of players and does three things:

1. Games between searches: `best` itself as it is now, flat Monte Carlo, players by policy and
   players at random, mixed seat by seat.
2. The choices of searches teach the policies by logistic regression; what seats took from then
   on teaches the value by least squares (AdaGrad, one pass over fresh games).
3. Many more games by policy alone, a thousand times as fast, teach the value once more.

Nothing of a step outlives it but the weights, so a checkpoint is small. In the first round there
are no beliefs yet: only flat Monte Carlo and random play.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from kibitz.core.errors import SpecError
from kibitz.core.game import States
from kibitz.core.kernels import wrapping_kernel
from kibitz.core.registry import load_game
from kibitz.core.rng import RNG, Purpose, Rngs, below, derive, unit
from kibitz.core.table import Game
from kibitz.games.nimmt.beliefs import make_factors, policy_layers, value_layers
from kibitz.games.nimmt.cues import (
    CARD_CUES,
    N_CARD,
    N_CUES,
    NO_CUE,
    VALUE_CUES,
    Places,
    Weights,
    write_cues,
)
from kibitz.games.nimmt.features import COUNTS
from kibitz.games.nimmt.lookahead import (
    NO_NUMBER,
    ROOT,
    Desk,
    Judgement,
    best_arm,
    choose_card,
    lay_down,
    make_desk,
    place_cards,
    play_card,
    search_view,
    see,
)
from kibitz.games.nimmt.rolling import Orders, make_orders, roll_view
from kibitz.games.nimmt.rules import apply, deal
from kibitz.games.nimmt.state import HAND_CARDS
from kibitz.learn.algorithm import Algorithm, Draft, Metrics, State

SEARCHES, ROLLS, FOLLOWS, GUESSES = 0, 1, 2, 3
"""Who sits at a seat: `best`, flat Monte Carlo, a policy, or random play."""

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]


class Seen(NamedTuple):
    """Positions of games: [positions, ...]."""

    cues: Places
    n_cards: Ints
    chosen: Ints  # which card of the hand, ascending
    kinds: Ints  # who chose
    heads: Floats  # taken from here on


def make_seen(n: int) -> Seen:
    """Make room for so many positions."""
    places = np.full((n, VALUE_CUES), NO_CUE, np.int32)
    n_cards, chosen, kinds = np.zeros((3, n), np.int64)
    return Seen(places, n_cards, chosen, kinds, np.zeros(n, np.float32))


@wrapping_kernel
def play_searching(
    states: States,
    desk: Desk,
    orders: Orders,
    beliefs: Judgement,
    kinds: Ints,
    budget: tuple[int, int, int, float],
    rngs: Rngs,
    seen: Seen,
) -> None:
    """Play games from `states[1]`, dealt in turn; write all positions down.

    Args:
        states: one to play in, and a fresh one.
        desk: memory of searches.
        orders: memory of flat Monte Carlo.
        beliefs: what `best` believes.
        kinds: who sits where: [games, seats].
        budget: simulations of `best`, turns that it plays ahead, simulations of flat Monte Carlo,
            how often `best` errs.
        rngs: [1] one stream for everything.
        seen: receives the positions: seat by seat, turn by turn, game by game.
    """
    n_sims, turns, n_rolls, noise = budget
    players = kinds.shape[1]
    rng = rngs[0]
    k = 0
    for game in range(len(kinds)):
        states[0] = states[1]
        deal(states[0], rng)
        first = k
        for turn in range(HAND_CARDS):
            n = HAND_CARDS - turn
            for seat in range(players):
                kind = kinds[game, seat]
                if kind == SEARCHES:
                    plan = search_view(states[0], seat, (turns, n_sims), desk, beliefs, rng)
                    card = best_arm(desk, plan)
                elif kind == ROLLS:
                    plan = roll_view(states[0], seat, n_rolls, desk, orders, rng)
                    card = best_arm(desk, plan)
                else:
                    lay_down(states[0], seat, 1, desk)
                    card = below(rng, n)
                world = desk.worlds[ROOT]
                table = see(world)
                if kind == FOLLOWS:
                    drawn = choose_card(world, table, seat, beliefs.factors, rng)
                    for i in range(n):
                        card = i if states[0].hand[seat, i] == drawn else card
                write_cues(table, world.holds[seat, 0], world.holds[seat, 1], seen.cues[k])
                seen.n_cards[k], seen.chosen[k], seen.kinds[k] = n, card, kind
                seen.heads[k] = -np.float32(states[0].taken[seat])
                if kind == SEARCHES and unit(rng) < noise:
                    seen.chosen[k] = below(rng, n)
                    seen.kinds[k] = GUESSES
                k += 1
            for seat in range(players):
                i = seen.chosen[k - players + seat]
                states[0].chosen[seat] = states[0].hand[seat, i]
            last = int(states[0].chosen[players - 1])
            states[0].deciding = 1 << (players - 1)
            apply(states[0], players - 1, last)
        for i in range(first, k):
            seen.heads[i] += np.float32(states[0].taken[(i - first) % players])


@wrapping_kernel
def play_following(
    states: States, desk: Desk, beliefs: Judgement, n_games: int, rngs: Rngs, seen: Seen
) -> None:
    """Play games by policies alone: seat 0 by the own one, the others by theirs.

    The positions of seat 0 are written down.
    """
    rng = rngs[0]
    for game in range(n_games):
        states[0] = states[1]
        deal(states[0], rng)
        lay_down(states[0], 0, 1, desk)
        world = desk.worlds[ROOT]
        for turn in range(HAND_CARDS):
            k = game * HAND_CARDS + turn
            table = see(world)
            write_cues(table, world.holds[0, 0], world.holds[0, 1], seen.cues[k])
            seen.n_cards[k] = HAND_CARDS - turn
            seen.heads[k] = -np.float32(world.lost[0])
            for seat in range(world.players):
                card = choose_card(world, table, seat, beliefs.factors, rng)
                play_card(world, seat, card)
            place_cards(world, NO_NUMBER)
            world.n_cards -= 1
        for turn in range(HAND_CARDS):
            seen.heads[game * HAND_CARDS + turn] += np.float32(world.lost[0])


@wrapping_kernel
def fit_value(
    seen: Seen, targets: Floats, weights: Weights, squares: Weights, rate: float
) -> float:
    """Learn heads to come from positions, one after the other; return the mean squared error."""
    total = 0.0
    for k in range(len(targets)):
        n = CARD_CUES * seen.n_cards[k] + VALUE_CUES - CARD_CUES * HAND_CARDS
        guess = np.float32(0)
        for i in range(n):
            guess += weights[seen.cues[k, i]]
        error = guess - targets[k]
        total += error * error
        for i in range(n):
            place = seen.cues[k, i]
            squares[place] += error * error
            weights[place] -= rate * error / np.sqrt(squares[place] + 1)
    return total / max(len(targets), 1)


@wrapping_kernel
def fit_policy(
    seen: Seen, taught: Floats, weights: Weights, squares: Weights, rate: float, share: Floats
) -> float:
    """Learn choices, those with `taught` above 0; return the mean loss in nats.

    `share` is scratch for a hand.
    """
    total, count = 0.0, 0.0
    for k in range(len(taught)):
        n = seen.n_cards[k]
        if taught[k] <= 0 or n < 2:
            continue
        most = np.float32(-1e30)
        for i in range(n):
            share[i] = 0
            for j in range(CARD_CUES):
                share[i] += weights[seen.cues[k, CARD_CUES * i + j]]
            most = max(most, share[i])
        whole = np.float32(0)
        for i in range(n):
            share[i] = np.exp(share[i] - most)
            whole += share[i]
        count += 1
        total -= np.log(share[seen.chosen[k]] / whole)
        for i in range(n):
            error = taught[k] * (share[i] / whole - (1 if i == seen.chosen[k] else 0))
            for j in range(CARD_CUES):
                place = seen.cues[k, CARD_CUES * i + j]
                squares[place] += error * error
                weights[place] -= rate * error / np.sqrt(squares[place] + np.float32(0.1))
    return total / max(count, 1.0)


FIRST_POOL = (0.0, 0.8, 0.0, 0.2)
POOL = (0.4, 0.4, 0.1, 0.1)
"""Shares of SEARCHES, ROLLS, FOLLOWS and GUESSES among the seats: in the first round, and later."""

ROUNDS_ANEW = 2
"""The policies change much in the first rounds, and the value begins anew after each of these."""


@dataclass(frozen=True)
class DistilConfig:
    """Parameters of distillation."""

    decisions: int = 32_000  # of searches, in each step
    sims: int = 240  # simulations of `best`
    turns: int = 3  # that it plays ahead
    rolls: int = 1000  # simulations of flat Monte Carlo
    games: int = 60_000  # by policies alone, in each step
    policy_rate: float = 0.07  # of AdaGrad
    value_rate: float = 0.1
    noise: float = 0.03  # how often a move of `best` is random

    def __post_init__(self) -> None:
        """Refuse what makes no sense."""
        for name, least in (("decisions", 100), ("sims", 10), ("rolls", 10), ("games", 1)):
            if not least <= getattr(self, name) <= 10_000_000:
                raise SpecError(f"{name}={getattr(self, name)}: expected {least}..10000000")
        if not 1 <= self.turns <= HAND_CARDS:
            raise SpecError(f"turns={self.turns}: expected 1..{HAND_CARDS}")
        for name in ("policy_rate", "value_rate", "noise"):
            if not 0 <= getattr(self, name) <= 1:
                raise SpecError(f"{name}={getattr(self, name)}: expected 0 to 1")


class Distil(Algorithm):
    """Searches teach policies, and games teach a value, for 2 to 10 players in turn."""

    Config: ClassVar[type[Any]] = DistilConfig

    def __init__(self, game: Game, config: Any, seed: int) -> None:
        """Begin without beliefs."""
        super().__init__(game, config, seed)
        self.n_steps = 0
        self._weights = {
            "own": np.zeros((COUNTS, N_CARD), np.float32),
            "others": np.zeros((COUNTS, N_CARD), np.float32),
            "value": np.zeros((COUNTS, N_CUES), np.float32),
        }
        self._squares = {name: np.zeros_like(w) for name, w in self._weights.items()}
        self._desk, self._orders = make_desk(), make_orders()

    def step(self) -> Metrics:
        """Teach the policies and the value of one number of players."""
        past, count = divmod(self.n_steps, COUNTS)
        self.n_steps += 1
        rngs = np.zeros(1, RNG)
        rngs[0] = derive(self.seed, Purpose.PLAYOUT, self.n_steps)
        states = load_game(f"nimmt:players={count + 2}").blank(2)
        if 0 < past <= ROUNDS_ANEW:
            for name, squares in self._squares.items():
                squares[count] *= 0 if name == "value" else 0.5
        seen = self._search(states, count, past, rngs)
        metrics = self._learn_policies(seen, count)
        follow = make_seen(HAND_CARDS * self.config.games)
        play_following(states, self._desk, self._beliefs(count), self.config.games, rngs, follow)
        metrics["value_loss"] = self._learn_value(follow, follow.heads, count)
        mine = seen.kinds == SEARCHES
        if mine.any():
            some = Seen(*(np.ascontiguousarray(column[mine]) for column in seen))
            metrics["search_loss"] = self._learn_value(some, some.heads, count)
            metrics["heads"] = float(some.heads[some.n_cards == HAND_CARDS].mean())
        return {f"{name}_{count + 2}": value for name, value in metrics.items()}

    def _beliefs(self, count: int) -> Judgement:
        """Return what is believed now."""
        own, others = self._weights["own"][count], self._weights["others"][count]
        return Judgement(make_factors(own, others), self._weights["value"][count].copy())

    def _search(self, states: States, count: int, past: int, rngs: Rngs) -> Seen:
        """Let a mixed pool play."""
        config, players = self.config, count + 2
        n_games = max(config.decisions // (players * HAND_CARDS), 1)
        bounds = np.cumsum(POOL if past else FIRST_POOL)
        lots = np.array([[unit(rngs[0]) for _ in range(players)] for _ in range(n_games)])
        kinds = np.minimum(np.searchsorted(bounds, lots, "right"), GUESSES)
        seen = make_seen(n_games * players * HAND_CARDS)
        budget = config.sims, config.turns, config.rolls, config.noise
        play_searching(
            *(states, self._desk, self._orders, self._beliefs(count)),
            *(kinds, budget, rngs, seen),
        )
        return seen

    def _learn_policies(self, seen: Seen, count: int) -> dict[str, float]:
        """Learn the choices of searches: the own policy from `best`, others' from Monte Carlo."""
        share, rate = np.zeros(HAND_CARDS, np.float32), self.config.policy_rate
        is_roll, is_search = seen.kinds == ROLLS, seen.kinds == SEARCHES
        taught = is_search if is_search.any() else is_roll
        losses = {}
        for name, who in (("own", taught), ("others", is_roll)):
            weights, squares = self._weights[name][count], self._squares[name][count]
            for _ in range(2):
                loss = fit_policy(seen, who.astype(np.float32), weights, squares, rate, share)
            losses[f"{name}_loss"] = float(loss)
        return losses

    def _learn_value(self, seen: Seen, targets: Floats, count: int) -> float:
        """Learn what is taken from a position on."""
        weights, squares = self._weights["value"][count], self._squares["value"][count]
        return float(fit_value(seen, targets, weights, squares, self.config.value_rate))

    def state(self) -> State:
        """Return the weights, and how they came about."""
        return {"n_steps": self.n_steps, "weights": self._weights, "squares": self._squares}

    def restore(self, state: State) -> None:
        """Go on from there."""
        kept: Any = state
        self.n_steps = int(kept["n_steps"])
        for name, weights in self._weights.items():
            weights[:] = kept["weights"][name]
            self._squares[name][:] = kept["squares"][name]

    def drafts(self) -> dict[str, Draft]:
        """Return the own policy, that of others, and the value."""
        own, others = (policy_layers(self._weights[name]) for name in ("own", "others"))
        value = value_layers(self._weights["value"])
        policy: dict[str, Any] = {"heads": {"policy": 1}, "inputs": "candidates"}
        return {
            "model": Draft("cues", network=own, **policy),
            "others": Draft("cues", network=others, **policy),
            "value": Draft("cues", {"value": 1}, value, value="score"),
        }


ALGORITHM = Distil
