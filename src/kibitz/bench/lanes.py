"""How fast lanes go beside a batch that drains."""

from functools import partial
from time import thread_time

import numpy as np

from kibitz.bench.measure import Benchmark, Sample
from kibitz.core.agent import choose_all
from kibitz.core.batch import Batch, Questions
from kibitz.core.driver import BATCH_SIZE
from kibitz.core.game import Actions
from kibitz.core.lanes import Lanes
from kibitz.core.registry import load_game
from kibitz.search.random import RandomAgent
from kibitz.search.timing import draw_listed

SEED = 1

BEFORE = 1.0
"""Seconds that everybody plays before anything counts: then games in lanes are at all stages."""


def lanes_benchmark(spec: str) -> Benchmark:
    """Measure decisions in lanes of a game, beside those in a draining batch."""
    return Benchmark(
        name=f"lanes.{spec.partition(':')[0]}",
        unit="decisions/s",
        about=f"random decisions in {BATCH_SIZE:,} lanes of {spec}, beside those of a batch while "
        "every slot has a game; CPU time",
        ours=partial(_in_lanes, spec),
        peers={"batch": partial(_in_batch, spec)},
        least_ratio={"batch": 0.9},
    )


def _in_lanes(spec: str) -> Sample:
    """Draw from the lists that lanes hand out."""
    lanes = Lanes(load_game(spec), BATCH_SIZE, SEED)

    def play(seconds: float) -> float:
        n, began = 0, thread_time()
        while (spent := thread_time() - began) < seconds:
            turn = lanes.ask()
            actions = np.empty(len(turn), np.int64)
            draw_listed(turn.legal, turn.rngs, actions)
            lanes.answer(actions)
            n += len(turn)
        return n / spent

    play(BEFORE)
    return play


class _Draining:
    """A batch of random players that are handed arrays, as long as no game has ended."""

    def __init__(self, spec: str) -> None:
        game = load_game(spec)
        self._policy = RandomAgent(game).policy
        self._batch = Batch(game.blank(1), game.n_seats, keep=True)
        self._lineup = np.zeros((BATCH_SIZE, game.n_seats), np.int64)
        self._n_begun = 0

    def begin(self) -> None:
        """Deal the next games."""
        deals = np.arange(self._n_begun, self._n_begun + BATCH_SIZE)
        self._n_begun += BATCH_SIZE
        self._batch.begin(SEED, deals, np.zeros(BATCH_SIZE, np.int64))
        self._batch.settle()

    def ask(self) -> Questions:
        """List everybody who has a choice."""
        return self._batch.ask(self._lineup, 1)

    def decide(self, questions: Questions) -> None:
        """Let everybody decide, and play on."""
        actions: Actions = np.empty(len(questions.choices), np.int64)
        begin = 0
        for asked in self._batch.show(questions, 0):
            chosen = actions[begin : begin + len(asked.seats)]
            choose_all(asked.views, asked.seats, self._policy, asked.rngs, chosen)
            begin += len(chosen)
        self._batch.answer_and_settle(questions, actions)


def _in_batch(spec: str) -> Sample:
    """Count decisions, and the time of dealing and deciding, while every slot has a game."""
    batch = _Draining(spec)

    def sample(seconds: float) -> float:
        n, spent = 0, 0.0
        while spent < seconds:
            began = thread_time()
            batch.begin()
            questions = batch.ask()
            while _n_games(questions) == BATCH_SIZE:
                batch.decide(questions)
                n += len(questions.choices)
                spent += thread_time() - began
                began = thread_time()
                questions = batch.ask()
        return n / spent

    sample(BEFORE)
    return sample


def _n_games(questions: Questions) -> int:
    """Count the games in which somebody has a choice: they are listed by game."""
    return 1 + int(np.count_nonzero(np.diff(questions.choices["chooser_game"])))
