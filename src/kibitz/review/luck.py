"""What the cards were worth: a result without the luck of the deal.

The idea is that of a control variate. One frozen bot (`GameFacts.luck`) plays every round of the
game again, many times, at all seats, from the cards that were dealt. What a seat gets on average is
what its cards were worth; the mean over random deals is what any cards are worth, a value that is
fixed before anybody looks at this game. The difference is luck, and

    adjusted = result - (worth of these cards - worth of any cards).

Luck is zero on average whoever plays, so the adjusted result has the same mean as the result; it
varies less as far as people and the bot make the same of good cards. Rounds are dealt one by one,
so the luck of a match is the sum over its rounds. The interval holds how well the worth of the
cards is known from so many replays. It says nothing about how the same people would play another
time.
"""

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from kibitz.core.agent import PolicyAgent
from kibitz.core.game import Seat, State, States, scores
from kibitz.core.kernels import kernel
from kibitz.core.record import Record, replay
from kibitz.core.registry import load_agent, load_game
from kibitz.core.rng import Purpose, Rng, derive
from kibitz.core.spec import split_spec
from kibitz.core.table import Game, Origin, Table
from kibitz.search.playouts import epsilon_greedy, play_out

Floats = npt.NDArray[np.float64]

REPLAYS = 200
"""Replays of each round."""

DEALS, FEW_DEALS = 2000, 50
"""Random rounds that the worth of any cards is the mean of; and those that show it to be 0."""

CONFIDENCE = 1.96
"""Standard errors of an interval of 95 %."""


@dataclass(frozen=True)
class Luck:
    """A seat's result, with and without the luck of the deal."""

    bot: str  # who played the rounds again
    result: float
    worth: float  # what the cards were worth more than any cards are
    error: float  # standard error of the worth
    spread: float  # standard deviation of one replay of the whole game

    @property
    def adjusted(self) -> float:
        """The result without luck."""
        return self.result - self.worth

    @property
    def interval(self) -> tuple[float, float]:
        """The adjusted result, 95 % of the times."""
        off = CONFIDENCE * self.error
        return self.adjusted - off, self.adjusted + off


def luck_of(record: Record, seat: Seat, n: int = REPLAYS) -> Luck | None:
    """Return the luck of a seat in a game that was played; None in a game without any."""
    table = replay(record)
    game = table.game
    if not game.facts.luck:
        return None
    result = worth = error = spread = 0.0
    mean, mean_error = worth_of_any(game.spec)
    for number, (state, before, after) in enumerate(rounds_of(table)):
        found = replay_round(game, state, n, derive(record.seed, Purpose.PLAYOUT, number))
        gains = found[:, seat] - before[seat]
        result += float(after[seat] - before[seat])
        worth += float(gains.mean()) - mean
        error += float(gains.var(ddof=1)) / n + mean_error**2
        spread += float(gains.var(ddof=1))
    return Luck(game.facts.luck, result, worth, math.sqrt(error), math.sqrt(spread))


def rounds_of(table: Table) -> list[tuple[State, Floats, Floats]]:
    """Return each round of a game: its cards, and how it stood before and after it."""
    game = table.game
    shadow = Table(game, table.origin, plays_forced=False)
    found = [(shadow.state.copy(), shadow.scores.copy())]
    for seat, action in table.actions:
        n_rounds = int(shadow.batch.books[0].n_rounds)
        shadow.play(seat, action)
        if int(shadow.batch.books[0].n_rounds) > n_rounds:
            found.append((shadow.state.copy(), shadow.scores.copy()))
    after = [scores for _, scores in found[1:]] + [shadow.scores.copy()]
    return [(state, before, end) for (state, before), end in zip(found, after, strict=True)]


def replay_round(game: Game, state: State, n: int, rng: Rng) -> Floats:
    """Return the scores of all seats after each of n replays of a round: [replays, seats]."""
    name, parameters = split_spec(game.facts.luck)
    agent = load_agent(name, game)
    assert isinstance(agent, PolicyAgent)
    policy = epsilon_greedy(agent.policy, float(parameters["epsilon"]))
    states: States = game.blank(2)
    states[0] = state
    found = np.zeros((n, game.n_seats))
    play_often(states, policy, rng, found)
    return found


@cache
def worth_of_any(spec: str) -> tuple[float, float]:
    """Return what any cards are worth in a round, over all seats, and its standard error.

    In games where some win what others lose it is 0, and a few deals show it.
    """
    game = load_game(spec)
    means: list[float] = []
    for number in range(DEALS):
        table = Table(game, Origin(0, number), plays_forced=False)
        rng = derive(0, Purpose.PLAYOUT, 1, number)
        means.append(float(replay_round(game, table.state, 1, rng).mean()))
        if number == FEW_DEALS and not any(means):
            return 0.0, 0.0
    return float(np.mean(means)), float(np.std(means, ddof=1) / math.sqrt(DEALS))


@kernel
def play_often(states: States, policy: np.record, rng: Rng, found: Floats) -> None:
    """Play the round of `states[0]` again and again by a policy; `states[1]` is scratch."""
    for i in range(len(found)):
        states[1] = states[0]
        play_out(policy, states[1], rng)
        scores(states[1], found[i])
