"""Distillation for the hidden 6 nimmt!: what `best` believes about play, learnt from its searches.

One step takes one number of players and does three things:

1. Games between searches: `best` itself as it is now, flat Monte Carlo (the same search with blank
   beliefs and playouts to the end), players by policy and players at random, mixed seat by seat.
2. The choices of searches teach the policies by logistic regression, what seats took from a position
   on teaches the value by least squares (AdaGrad, one pass over fresh games).
3. Many more games by policy alone, a thousand times as fast, teach the value once more.

Weights that play are averages over the steps. Nothing of a step outlives it but the weights, so a
checkpoint is small.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kibitz.core.game import States
from kibitz.core.kernels import inner_kernel, wrapping_kernel
from kibitz.core.rng import Rng, Rngs, below, unit
from kibitz.games.nimmt.cues import (
    CARD_CUES,
    HAND_CARDS,
    NO_CUE,
    VALUE_CUES,
    Places,
    Weights,
    write_cues,
)
from kibitz.games.nimmt.lookahead import (
    NO_NUMBER,
    OTHERS,
    OWN,
    ROOT,
    Desk,
    Judgement,
    choose_card,
    explore,
    halve,
    lay_down,
    place_cards,
    play_card,
    see,
)
from kibitz.games.nimmt.rules import apply, deal
from kibitz.games.nimmt.state import MAX_SEATS

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
    guess: Floats  # heads to be taken, as a search saw it


def make_seen(n: int) -> Seen:
    """Make room for so many positions."""
    places = np.full((n, VALUE_CUES), NO_CUE, np.int32)
    n_cards, chosen, kinds = np.zeros((3, n), np.int64)
    heads, guess = np.zeros((2, n), np.float32)
    return Seen(places, n_cards, chosen, kinds, heads, guess)


@inner_kernel
def _search(
    desk: Desk, states: States, seat: int, turns: int, n_sims: int, beliefs: Judgement, rng: Rng
) -> tuple[int, float]:
    """Search for a seat; return the number of the best card in its hand and its heads."""
    plan = lay_down(states[0], seat, turns, desk)
    n_alive = plan.n_arms
    n_phases = 1
    while (1 << n_phases) < n_alive:
        n_phases += 1
    for phase in range(n_phases):
        explore(desk, plan, beliefs, rng, max(n_sims // (n_phases * n_alive), 1))
        if phase < n_phases - 1:
            halve(desk, plan)
            n_alive -= n_alive // 2
    best = 0
    for i in range(plan.n_arms):
        arm = desk.arms[i]
        if arm.is_alive and (
            not desk.arms[best].is_alive or arm.heads_sum < desk.arms[best].heads_sum
        ):
            best = i
    return best, desk.arms[best].heads_sum / desk.arms[best].tries


@wrapping_kernel
def play_searching(
    states: States,
    desk: Desk,
    beliefs: Judgement,
    blank: Judgement,
    kinds: Ints,
    budget: tuple[int, int, float],
    rngs: Rngs,
    seen: Seen,
) -> None:
    """Play games from `states[1]`, dealt in turn; write all positions down.

    Args:
        states: one to play in, and a fresh one.
        desk: memory of searches.
        beliefs: what `best` believes.
        blank: what flat Monte Carlo believes.
        kinds: who sits where: [games, seats].
        budget: simulations of a decision, turns that `best` plays ahead, how often it errs.
        rngs: [1] one stream for everything.
        seen: receives the positions: seat by seat, turn by turn, game by game.
    """
    n_sims, turns, noise = budget
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
                guess = -1.0
                if kind == SEARCHES:
                    card, guess = _search(desk, states, seat, turns, n_sims, beliefs, rng)
                elif kind == ROLLS:
                    card, guess = _search(desk, states, seat, HAND_CARDS, n_sims, blank, rng)
                else:
                    lay_down(states[0], seat, 1, desk)
                    card = below(rng, n)
                world = desk.worlds[ROOT]
                table = see(world)
                if kind == FOLLOWS:
                    drawn = choose_card(world, table, seat, beliefs.factors, OWN, rng)
                    for i in range(n):
                        card = i if states[0].hand[seat, i] == drawn else card
                write_cues(table, world.holds[seat, 0], world.holds[seat, 1], seen.cues[k])
                seen.n_cards[k], seen.chosen[k], seen.kinds[k] = n, card, kind
                seen.guess[k] = guess
                seen.heads[k] = -np.float32(states[0].taken[seat])
                if kind == SEARCHES and unit(rng) < noise:
                    seen.chosen[k] = below(rng, n)
                    seen.kinds[k] = GUESSES
                k += 1
            for seat in range(players):
                i = seen.chosen[k - players + seat]
                states[0].chosen[seat] = states[0].hand[seat, i]
            last = np.int64(states[0].chosen[players - 1])
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
                whose = OWN if seat == 0 else OTHERS
                card = choose_card(world, table, seat, beliefs.factors, whose, rng)
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
