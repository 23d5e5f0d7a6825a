"""The one loop that plays games: agents on one side, a batch of games on the other."""

import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from kibitz.core.agent import Agent
from kibitz.core.batch import Asked, Batch, Ints, Questions, conceal_all
from kibitz.core.errors import AgentError, SpecError, clip
from kibitz.core.game import Actions, Scores, States, is_over
from kibitz.core.kernels import seconds_compiling
from kibitz.core.record import Record, write_record
from kibitz.core.table import Game, Origin, Table

Progress = Callable[[int], None]
"""Called with the number of games that have just ended."""

BATCH_SIZE = 4096
"""Games advanced in lockstep: enough that threads seldom wait for each other's Python."""


@dataclass(frozen=True)
class Schedule:
    """Which games to play: deal, rotation and who sits where."""

    seed: int
    deals: Ints  # [games]
    rotations: Ints  # [games]
    lineup: npt.NDArray[np.int64]  # [games, seats]: index of the agent

    def __post_init__(self) -> None:
        """Refuse arrays that do not fit each other: kernels would read beyond them."""
        n = len(self.deals)
        if n == 0 or len(self.rotations) != n or self.lineup.ndim != 2 or len(self.lineup) != n:
            raise SpecError(
                f"a schedule of {n} deals needs as many rotations and rows of the lineup, "
                f"got {len(self.rotations)} and a lineup of shape {self.lineup.shape}"
            )

    def __len__(self) -> int:
        """How many games there are."""
        return len(self.deals)

    def part(self, begin: int, end: int) -> "Schedule":
        """Give the games from `begin` to `end`."""
        cut = slice(begin, end)
        return Schedule(self.seed, self.deals[cut], self.rotations[cut], self.lineup[cut])


@dataclass(frozen=True)
class Outcome:
    """What was played."""

    scores: Scores  # [games, seats]
    seconds: npt.NDArray[np.float64]  # spent in each agent
    n_decisions: Ints  # asked of each agent
    records: list[Record]  # empty unless asked for


def play(
    game: Game,
    agents: Sequence[Agent],
    schedule: Schedule,
    *,
    threads: int = 1,
    batch_size: int = BATCH_SIZE,
    records: bool = False,
    progress: Progress | None = None,
) -> Outcome:
    """Play every game of a schedule to its end.

    The result does not depend on `threads` or `batch_size`.

    Args:
        game: what is played.
        agents: who plays; the schedule's lineup refers to them by index.
        schedule: the games.
        threads: how many batches to play at the same time.
        batch_size: games advanced in lockstep.
        records: whether to write the games down.
        progress: told about games that have ended, from any thread.
    """
    if threads < 1 or batch_size < 1:
        raise SpecError(f"threads and batch size are at least 1, got {threads} and {batch_size}")
    size = min(batch_size, math.ceil(len(schedule) / threads))
    bounds = range(0, len(schedule), size)
    parts = [schedule.part(begin, begin + size) for begin in bounds]

    def run(part: Schedule, begin: int) -> Outcome:
        return _play_batch(game, agents, part, begin, records, progress)

    if threads == 1:
        outcomes = [run(*work) for work in zip(parts, bounds, strict=True)]
    else:
        with ThreadPoolExecutor(threads) as pool:
            outcomes = list(pool.map(run, parts, bounds))
    return Outcome(
        scores=np.concatenate([outcome.scores for outcome in outcomes]),
        seconds=np.sum([outcome.seconds for outcome in outcomes], axis=0),
        n_decisions=np.sum([outcome.n_decisions for outcome in outcomes], axis=0),
        records=[record for outcome in outcomes for record in outcome.records],
    )


def _play_batch(
    game: Game,
    agents: Sequence[Agent],
    schedule: Schedule,
    begin: int,
    records: bool,
    progress: Progress | None,
) -> Outcome:
    """Play one batch in lockstep; the ids of its games begin at `begin`."""
    states = game.blank(len(schedule))
    n_seats, seed = game.n_seats, schedule.seed
    batch = Batch(states, n_seats, seed, schedule.deals, schedule.rotations, keep=records)
    driver = Driver(game, agents, batch, schedule, begin)
    n_over = 0
    while driver.step():
        if progress is not None and batch.n_over() > n_over:
            progress(batch.n_over() - n_over)
            n_over = batch.n_over()
    if progress is not None:
        progress(len(schedule) - n_over)
    return Outcome(
        scores=batch.scores(),
        seconds=driver.seconds,
        n_decisions=driver.n_decisions,
        records=driver.records() if records else [],
    )


def play_out(table: Table, agents: Sequence[Agent]) -> None:
    """Let agents, one per seat, play a table to its end."""
    n = table.game.n_seats
    if len(agents) != n:
        raise AgentError(f"{table.game.spec} has {n} seats, got {len(agents)} agents")
    lineup = np.arange(n).reshape(1, n)
    origin = table.origin
    schedule = Schedule(origin.seed, np.array([origin.deal]), np.array([origin.rotation]), lineup)
    driver = Driver(table.game, agents, table.batch, schedule, 0)
    while driver.step():
        table.settle()


class _Watching:
    """What a watching agent saw last, at every seat it has."""

    def __init__(self, agent: int, schedule: Schedule) -> None:
        self.agent = agent
        self.games, self.seats = np.nonzero(schedule.lineup == agent)
        self._seen: npt.NDArray[np.uint8] | None = None

    def look(self, batch: Batch) -> tuple[Ints, States]:
        """Give the indices of seats whose view has changed, and those views."""
        views: States = np.zeros(len(self.games), batch.states.dtype)
        conceal_all(batch.states, self.games, self.seats, views)
        now = views.view(np.uint8).reshape(len(views), -1)
        before = np.zeros_like(now) if self._seen is None else self._seen
        changed = np.flatnonzero((now != before).any(axis=1))
        self._seen = now
        return changed, views[changed]


class Driver:
    """Asks agents and applies what they answer, one step at a time."""

    def __init__(
        self, game: Game, agents: Sequence[Agent], batch: Batch, schedule: Schedule, begin: int
    ) -> None:
        """Seat the agents; ids of games count up from `begin`."""
        low, high = int(schedule.lineup.min()), int(schedule.lineup.max())
        if low < 0 or high >= len(agents):
            raise AgentError(f"the lineup names agents {low} to {high}, got {len(agents)} agents")
        if schedule.lineup.shape[1] != game.n_seats:
            seats = schedule.lineup.shape[1]
            raise SpecError(f"{game.spec} has {game.n_seats} seats, the lineup has {seats}")
        self.game = game
        self.agents = agents
        self.batch = batch
        self.schedule = schedule
        self.begin = begin
        self.seconds = np.zeros(len(agents))
        self.n_decisions = np.zeros(len(agents), np.int64)
        self._watching = [_Watching(i, schedule) for i in range(len(agents)) if agents[i].watches]

    def step(self) -> bool:
        """Let everybody who has a choice decide once; False when all games are over."""
        if self._watching:
            while self.batch.settle_once():
                self._tell_watchers()
        else:
            self.batch.settle()
        questions = self.batch.ask(self.schedule.lineup, len(self.agents))
        if not len(questions.choices):
            self._end()
            return False
        actions = np.empty(len(questions.choices), np.int64)
        for i, (begin, end) in enumerate(pairwise(questions.bounds)):
            if begin < end:
                actions[begin:end] = self._decide(i, self.batch.show(questions, i, self.begin))
        refused = self.batch.answer(questions, actions)
        if refused >= 0:
            raise self._misbehaviour(questions, actions, refused)
        if self._watching:
            self._tell_watchers()
        return True

    def _decide(self, i: int, asked: Asked) -> Actions:
        """Ask one agent, and time it."""
        agent, n = self.agents[i], len(asked.seats)
        began = time.perf_counter() - seconds_compiling()
        decisions = agent.act(asked.views, asked.seats, asked.rngs, asked.games)
        self.seconds[i] += time.perf_counter() - seconds_compiling() - began
        self.n_decisions[i] += n
        try:
            actions = np.asarray(getattr(decisions, "actions", None))
        except ValueError:  # rows of different lengths
            actions = np.zeros(0, object)
        if actions.shape != (n,) or actions.dtype.kind not in "iu":
            raise AgentError(
                f"agent {clip(agent.spec)} answered {n} views "
                f"with actions of shape {actions.shape} and type {actions.dtype}"
            )
        return actions.astype(np.int64, copy=False)

    def _misbehaviour(self, questions: Questions, actions: Actions, k: int) -> AgentError:
        """Say who did what, where, and why it is refused."""
        choice = questions.choices[k]
        i, seat = int(choice.chooser_game), int(choice.chooser_seat)
        action = int(actions[choice.place])
        state = self.batch.states[i]
        agent = self.agents[self.schedule.lineup[i, seat]]
        return AgentError(
            f"agent {clip(agent.spec)} at seat {seat} of deal {self.schedule.deals[i]}, rotation "
            f"{self.schedule.rotations[i]}, chose {action}, which is illegal in "
            f"{self.game.format(state)}: {self.game.text.explain(state, seat, action)}"
        )

    def _tell_watchers(self) -> None:
        """Show every watching agent what has changed in its view of the games it sits in."""
        for watching in self._watching:
            changed, views = watching.look(self.batch)
            if len(changed):
                games, seats = watching.games[changed], watching.seats[changed]
                self.agents[watching.agent].watch(views, seats, games + self.begin)

    def _end(self) -> None:
        for i, agent in enumerate(self.agents):
            games = np.nonzero((self.schedule.lineup == i).any(axis=1))[0]
            agent.end(games + self.begin)

    def records(self) -> list[Record]:
        """Write down every game of the batch."""
        log = self.batch.log()
        order = np.argsort(log["game"], kind="stable")
        edges = np.searchsorted(log["game"][order], np.arange(len(self.batch.states) + 1))
        results = self.batch.scores()
        written = []
        for i in range(len(self.batch.states)):
            entries = log[order[edges[i] : edges[i + 1]]]
            origin = Origin(
                self.schedule.seed, int(self.schedule.deals[i]), int(self.schedule.rotations[i])
            )
            seats = [self.agents[a].spec for a in self.schedule.lineup[i]]
            actions = zip(entries["seat"].tolist(), entries["action"].tolist(), strict=True)
            result = results[i] if is_over(self.batch.states[i]) else None
            written.append(write_record(self.game, origin, actions, result, seats))
        return written
