"""The one loop that plays games: agents on one side, a batch of games on the other."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from kibitz.core.agent import Agent, check_agents
from kibitz.core.batch import Batch, Questions
from kibitz.core.conduct import Check, Conduct, Fault, interrupts
from kibitz.core.errors import AgentError, SpecError, clip
from kibitz.core.faults import Complaint, Faults, read_actions
from kibitz.core.game import Actions, Scores
from kibitz.core.kernels import seconds_compiling
from kibitz.core.memory import Asked, Ints
from kibitz.core.record import Record
from kibitz.core.schedule import Schedule, Sitting
from kibitz.core.table import Game, Table, check_seed, is_whole
from kibitz.core.watching import Watchers

__all__ = ["BATCH_SIZE", "Driver", "Memory", "Outcome", "Schedule", "add_steps", "play", "play_out"]

T = TypeVar("T")

BATCH_SIZE = 4096
"""Games advanced in lockstep: enough that threads seldom wait for each other's Python."""


@dataclass(frozen=True)
class Outcome:
    """What was played."""

    scores: Scores  # [games, seats]; a forfeited seat has the lowest score there is
    seconds: npt.NDArray[np.float64]  # spent in each agent at each step: [agents, steps]
    n_decisions: Ints  # asked of each agent at each step: [agents, steps]
    records: list[Record]  # empty unless asked for
    faults: list[Fault]  # forfeits, by deal and rotation, those of a game as they happened


def play(
    game: Game,
    agents: Sequence[Agent],
    schedule: Schedule,
    *,
    begin: int = 0,
    batch_size: int = BATCH_SIZE,
    records: bool = False,
    conduct: Conduct | None = None,
    memory: "Memory | None" = None,
    check: Check | None = None,
) -> Outcome:
    """Play every game of a schedule to its end.

    The result does not depend on `batch_size`.

    Args:
        game: what is played.
        agents: who plays; the schedule's lineup refers to them by index.
        schedule: the games.
        begin: the ids of games count up from here.
        batch_size: games advanced in lockstep.
        records: whether to write the games down.
        conduct: what happens if an agent misbehaves; by default everything stops.
        memory: to play in, for those who play again and again.
        check: called after every step; what it raises ends the play.

    Raises:
        Misbehaviour: an agent's fault, unless faults only forfeit a game.
        KeyboardInterrupt: Ctrl-C; one that an agent raises by itself is its fault.
    """
    if not isinstance(game, Game) or not isinstance(schedule, Schedule):
        raise SpecError(f"expected a game and its schedule, got {clip(game)} and {clip(schedule)}")
    agents = check_agents(agents, game)
    if not is_whole(batch_size) or batch_size < 1:
        raise SpecError(f"a batch has at least one game, got {clip(batch_size)}")
    check_seed(begin)
    rules = Conduct() if conduct is None else conduct
    parts = []
    with (Memory() if memory is None else memory).lend(game) as batch, interrupts() as stop:
        for first in range(0, len(schedule), batch_size):
            part = schedule.part(first, first + batch_size)
            batch.begin(part.seed, part.deals, part.rotations)
            sitting = Sitting(game, agents, batch, part, begin + first)
            driver = Driver(sitting, rules, stop)
            parts.append(_play_batch(driver, records, check))
    return Outcome(
        scores=np.concatenate([part.scores for part in parts]),
        seconds=add_steps([part.seconds for part in parts]),
        n_decisions=add_steps([part.n_decisions for part in parts]),
        records=[record for part in parts for record in part.records],
        faults=sorted((fault for part in parts for fault in part.faults), key=_game_of),
    )


def _game_of(fault: Fault) -> tuple[int, int]:
    """Return what faults are ordered by; those of one game stay in the order they happened."""
    return fault.deal, fault.rotation


class Memory:
    """Batches to play in, one for every thread: fresh pages cost as much as filling them."""

    def __init__(self) -> None:
        """Begin without any."""
        self._of_thread = threading.local()

    @contextmanager
    def lend(self, game: Game) -> Iterator[Batch]:
        """Lend this thread's batch; one memory serves one list of agents.

        It is taken away while it is lent: an agent may itself play games to decide. For another
        game there is a new one.
        """
        known, batch = self._of_thread.__dict__.pop("batch", (None, None))
        if batch is None or known != game:
            # The log is always kept: the record of a game in which somebody misbehaves needs it.
            batch = Batch(game.blank(1), game.n_seats, keep=True)
        yield batch
        self._of_thread.batch = game, batch


def add_steps(parts: Sequence[npt.NDArray[Any]]) -> npt.NDArray[Any]:
    """Add arrays of [agents, steps] that may differ in their number of steps."""
    total = np.zeros(
        (parts[0].shape[0], max(part.shape[1] for part in parts)), np.result_type(*parts)
    )
    for part in parts:
        total[:, : part.shape[1]] += part
    return total


def _play_batch(driver: "Driver", records: bool, check: Check | None) -> Outcome:
    """Play one batch in lockstep."""
    n_agents = len(driver.sitting.agents)
    while driver.step():
        if check is not None:
            check()
    return Outcome(
        scores=driver.scores(),
        seconds=np.array(driver.seconds).T.reshape(n_agents, -1),
        n_decisions=np.array(driver.n_decisions, np.int64).T.reshape(n_agents, -1),
        records=driver.sitting.records() if records else [],
        faults=driver.faults.written(),
    )


def play_out(table: Table, agents: Sequence[Agent], conduct: Conduct | None = None) -> None:
    """Let agents, one per seat, play a table to its end; people play at the table of a host.

    Args:
        table: where they sit.
        agents: who plays.
        conduct: what happens if an agent misbehaves; by default everything stops.
    """
    if not isinstance(table, Table):
        raise SpecError(f"expected a table, which a game deals, got {clip(table)}")
    n = table.game.n_seats
    agents = check_agents(agents, table.game)
    if len(agents) != n:
        raise AgentError(f"{table.game.spec} has {n} seats, got {len(agents)} agents")
    lineup = np.arange(n).reshape(1, n)
    origin = table.origin
    schedule = Schedule(origin.seed, np.array([origin.deal]), np.array([origin.rotation]), lineup)
    with interrupts() as stop:
        sitting = Sitting(table.game, agents, table.batch, schedule)
        driver = Driver(sitting, Conduct() if conduct is None else conduct, stop, table=True)
        while driver.step():
            table.settle()


class Driver:
    """Asks agents and applies what they answer, one step at a time."""

    def __init__(
        self,
        sitting: Sitting,
        conduct: Conduct,
        stop: Check | None = None,
        table: bool = False,
    ) -> None:
        """Begin.

        Args:
            sitting: who plays what, and where.
            conduct: what happens if an agent misbehaves.
            stop: raises what Ctrl-C raised, if it came; see `interrupts`.
            table: whether the batch is that of a table, which settles it by itself.
        """
        self.sitting = sitting
        self.faults = Faults(sitting, conduct, stop)
        self.seconds: list[npt.NDArray[np.float64]] = []  # by step, of each agent
        self.n_decisions: list[Ints] = []
        self._agents, self._batch = sitting.agents, sitting.batch
        self._deadline = conduct.deadline
        self._is_table = table
        self._is_settled = False
        self._policies: list[tuple[np.record, list[int]]] | None = None  # and who is each
        self._without_policy: dict[int, str] = {}  # agents that failed to say, and how
        self._watchers = Watchers(sitting, self.faults)

    def step(self) -> bool:
        """Let everybody who has a choice decide once; False when all games are over."""
        if self._watchers:
            while self._batch.settle_once():
                self._watchers.tell_changes()
        elif not self._is_settled:
            self._batch.settle()
        questions = self._batch.ask(self.faults.lineup, len(self._agents) + 1)
        if not len(questions.choices):
            self._watchers.tell_end()
            self.faults.check_stop()
            return False
        self.seconds.append(np.zeros(len(self._agents)))
        asked = [end - begin for begin, end in pairwise(questions.bounds[:-1])]
        self.n_decisions.append(np.array(asked))
        actions = np.empty(len(questions.choices), np.int64)
        decided, failed = self._decide_together(questions, actions)
        for i, (begin, end) in enumerate(pairwise(questions.bounds)):
            if begin < end and i not in decided:
                actions[begin:end] = self._decide(i, questions, failed.get(i, ""))
        self.faults.check_stop()  # before anything is applied
        # A table is settled by itself: it may have its own deals, and shows what happens.
        self._is_settled = not (self._watchers or self._is_table)
        answer = self._batch.answer_and_settle if self._is_settled else self._batch.answer
        while (refused := answer(questions, actions)) >= 0:
            place = questions.choices[refused].place
            actions[place] = self.faults.refuse(questions.choices[refused], int(actions[place]))
        if self._watchers:
            self._watchers.tell_changes()
        return True

    def _decide_together(
        self, questions: Questions, actions: Actions
    ) -> tuple[set[int], dict[int, str]]:
        """Let every policy decide for all agents that are just this policy.

        They share its time by how often each was asked.

        Returns:
            The agents for which it did, and how others failed: these are asked by themselves.
        """
        decided: set[int] = set()
        if self._deadline is not None:
            return decided, {}
        if self._policies is None:
            self._policies = self._group_by_policy()
        failed = dict(self._without_policy)
        for policy, agents in self._policies:
            asked = [i for i in agents if self.n_decisions[-1][i]]
            if not asked:
                continue
            shares = self.n_decisions[-1][asked] / self.n_decisions[-1][asked].sum()
            began = time.perf_counter() - seconds_compiling()
            try:
                self._batch.choose(questions, asked, policy, actions)
                decided.update(asked)
            except BaseException as error:
                failed.update(dict.fromkeys(asked, self.faults.blame(error)))
            spent = time.perf_counter() - seconds_compiling() - began
            self.seconds[-1][asked] += spent * shares
        return decided, failed

    def _group_by_policy(self) -> list[tuple[np.record, list[int]]]:
        """Return the policies of agents that are nothing more than one, each with its agents."""
        found: dict[tuple[np.dtype[Any], bytes], tuple[np.record, list[int]]] = {}
        for i, agent in enumerate(self._agents):
            try:
                policy = agent.as_policy
                if policy is not None:
                    key = policy.dtype, policy.tobytes()
                    found.setdefault(key, (policy, []))[1].append(i)
            except BaseException as error:
                self._without_policy[i] = self.faults.blame(error)
        return list(found.values())

    def _decide(self, i: int, questions: Questions, why: str) -> Actions:
        """Ask one agent about all its choices at once; one by one if it fails or is hurried.

        `why` says how it has failed already.
        """
        if i == len(self._agents):
            return self._in_parts(
                i, questions, lambda asked: self.faults.substitute.act(*asked).actions
            )
        if self._deadline is None and not why:
            try:
                return self._in_parts(i, questions, lambda asked: self._ask(i, asked))
            except BaseException as error:
                why = self.faults.blame(error)
        return self._decide_one_by_one(i, questions, why)

    def _in_parts(
        self, i: int, questions: Questions, answer: Callable[[Asked], Actions]
    ) -> Actions:
        """Have the choices of one agent answered, as many at once as are shown."""
        shown = self._batch.show(questions, i, self.sitting.begin)
        return np.concatenate([answer(asked) for asked in shown])

    def _decide_one_by_one(self, i: int, questions: Questions, why: str) -> Actions:
        """Find out which choice an agent fails at; `why` says how it failed at all of them."""
        # Who is asked what: the arrays of what is shown were in the agent's hands.
        own = questions.choices[questions.choices["chooser_agent"] == i]
        actions = np.empty(len(own), np.int64)
        n_faults = len(self.faults)
        shown = self._batch.show(questions, i, self.sitting.begin)
        for k, alone in enumerate(one for asked in shown for one in asked.singly()):
            before = float(self.seconds[-1][i])
            try:
                actions[k : k + 1] = self._ask(i, alone)
                seconds = float(self.seconds[-1][i]) - before
                if self._deadline is not None and seconds > self._deadline:
                    limit = self._deadline
                    raise Complaint(f"took {seconds:.3g} s, the deadline is {limit:.3g} s,")
            except BaseException as error:
                actions[k] = self.faults.fail(own[k], self.faults.blame(error))
        if why and len(self.faults) == n_faults:  # it fails only now and then, or only at many
            actions[0] = self.faults.fail(own[0], f"{why} when asked {len(actions)} at once,")
        return actions

    def _ask(self, i: int, asked: Asked) -> Actions:
        """Ask one agent, and time it."""
        agent, n = self._agents[i], len(asked.seats)
        # Slices, because an agent may reshape the arrays it gets, and these are used again.
        question = asked.part(0, n)
        decisions = self._time(i, lambda: agent.act(*question))
        return read_actions(decisions, n)

    def _time(self, i: int, decide: Callable[[], T]) -> T:
        """Charge an agent for the time it takes to decide."""
        began = time.perf_counter() - seconds_compiling()
        try:
            return decide()
        finally:
            self.seconds[-1][i] += time.perf_counter() - seconds_compiling() - began

    def scores(self) -> Scores:
        """Return the scores of all games; who forfeited has the lowest score there is."""
        return self.faults.judge(self._batch.scores())
