"""The one loop that plays games: agents on one side, a batch of games on the other."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from kibitz.core.agent import Agent, Decisions, Games, Seats
from kibitz.core.batch import Batch, Questions, conceal_all
from kibitz.core.conduct import (
    Check,
    Conduct,
    Fault,
    Misbehaviour,
    interrupts,
    is_departure,
    reason,
)
from kibitz.core.errors import AgentError, SpecError, clip
from kibitz.core.game import Action, Actions, Scores, States, is_over
from kibitz.core.kernels import seconds_compiling
from kibitz.core.memory import Asked, Ints, Log
from kibitz.core.record import Record, write_record
from kibitz.core.rng import Purpose, Rngs, below, derive
from kibitz.core.table import Game, Origin, Table

T = TypeVar("T")

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
    if batch_size < 1:
        raise SpecError(f"a batch has at least one game, got {batch_size}")
    rules = Conduct() if conduct is None else conduct
    parts = []
    with (Memory() if memory is None else memory).lend(game) as batch, interrupts() as stop:
        for first in range(0, len(schedule), batch_size):
            part = schedule.part(first, first + batch_size)
            batch.begin(part.seed, part.deals, part.rotations)
            driver = Driver(game, agents, batch, part, begin + first, rules, stop)
            parts.append(_play_batch(driver, records, check))
    return Outcome(
        scores=np.concatenate([part.scores for part in parts]),
        seconds=add_steps([part.seconds for part in parts]),
        n_decisions=add_steps([part.n_decisions for part in parts]),
        records=[record for part in parts for record in part.records],
        faults=sorted((fault for part in parts for fault in part.faults), key=_game_of),
    )


def _game_of(fault: Fault) -> tuple[int, int]:
    """Give what faults are ordered by; those of one game stay in the order they happened."""
    return fault.deal, fault.rotation


class Memory:
    """Batches to play in, one for every thread: fresh pages cost as much as filling them."""

    def __init__(self) -> None:
        """Begin without any."""
        self._of_thread = threading.local()

    @contextmanager
    def lend(self, game: Game) -> Iterator[Batch]:
        """Lend this thread's batch; one memory serves one game and one list of agents.

        It is taken away while it is lent: an agent may itself play games to decide.
        """
        batch: Batch | None = self._of_thread.__dict__.pop("batch", None)
        if batch is None:
            # The log is always kept: the record of a game in which somebody misbehaves needs it.
            batch = Batch(game.blank(1), game.n_seats, keep=True)
        yield batch
        self._of_thread.batch = batch


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
    n_agents = len(driver.agents)
    while driver.step():
        if check is not None:
            check()
    return Outcome(
        scores=driver.scores(),
        seconds=np.array(driver.seconds).T.reshape(n_agents, -1),
        n_decisions=np.array(driver.n_decisions, np.int64).T.reshape(n_agents, -1),
        records=driver.records() if records else [],
        faults=driver.written_faults(),
    )


def play_out(table: Table, agents: Sequence[Agent]) -> None:
    """Let agents, one per seat, play a table to its end.

    A person among them may leave by an exception of their own that is no `Exception`: it passes.
    """
    n = table.game.n_seats
    if len(agents) != n:
        raise AgentError(f"{table.game.spec} has {n} seats, got {len(agents)} agents")
    for one in agents:
        if not isinstance(one, Agent):
            raise AgentError(f"expected an agent, which load_agent makes, got {clip(one)}")
    lineup = np.arange(n).reshape(1, n)
    origin = table.origin
    schedule = Schedule(origin.seed, np.array([origin.deal]), np.array([origin.rotation]), lineup)
    with interrupts() as stop:
        driver = Driver(table.game, agents, table.batch, schedule, 0, None, stop, people=True)
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


class _Substitute(Agent):
    """Plays at random for a seat that has forfeited its game."""

    name = "substitute"

    def act(self, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
        """Choose any listed action with the same probability."""
        chosen = []
        for view, seat, rng in zip(views, seats, rngs, strict=True):
            listed = self.game.legal(view, int(seat))
            chosen.append(listed[below(rng, len(listed))])
        return Decisions(np.array(chosen, np.int64))


class Driver:
    """Asks agents and applies what they answer, one step at a time."""

    def __init__(
        self,
        game: Game,
        agents: Sequence[Agent],
        batch: Batch,
        schedule: Schedule,
        begin: int = 0,
        conduct: Conduct | None = None,
        stop: Check | None = None,
        people: bool = False,
    ) -> None:
        """Seat the agents.

        Args:
            game: what is played.
            agents: who plays; the schedule's lineup refers to them by index.
            batch: where it is played.
            schedule: the games, which the batch has begun.
            begin: the id of the first game.
            conduct: what happens if an agent misbehaves; by default everything stops.
            stop: raises what Ctrl-C raised, if it came; see `interrupts`.
            people: whether a person may be among the agents, and leave.
        """
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
        self.conduct = Conduct() if conduct is None else conduct
        self.faults: list[Fault] = []
        self.seconds: list[npt.NDArray[np.float64]] = []  # by step, of each agent
        self.n_decisions: list[Ints] = []
        self._stop = stop or (lambda: None)
        self._people = people
        self._is_settled = False
        self._substitute = _Substitute(game)
        self._lineup = schedule.lineup  # forfeited seats go to the substitute
        self._policies: list[tuple[np.record, list[int]]] | None = None  # and who is each
        self._without_policy: dict[int, str] = {}  # agents that failed to say, and how
        self._watching = [_Watching(i, schedule) for i in range(len(agents)) if agents[i].watches]

    def step(self) -> bool:
        """Let everybody who has a choice decide once; False when all games are over."""
        if self._watching:
            while self.batch.settle_once():
                self._tell_watchers()
        elif not self._is_settled:
            self.batch.settle()
        questions = self.batch.ask(self._lineup, len(self.agents) + 1)
        if not len(questions.choices):
            self._end()
            self._stop()
            return False
        self.seconds.append(np.zeros(len(self.agents)))
        asked = [end - begin for begin, end in pairwise(questions.bounds[:-1])]
        self.n_decisions.append(np.array(asked))
        actions = np.empty(len(questions.choices), np.int64)
        decided, failed = self._decide_together(questions, actions)
        for i, (begin, end) in enumerate(pairwise(questions.bounds)):
            if begin < end and i not in decided:
                actions[begin:end] = self._decide(i, questions, failed.get(i, ""))
        self._stop()  # before anything is applied: an agent may have swallowed Ctrl-C
        # A table is settled by itself: it may have its own deals, and shows what happens.
        self._is_settled = not (self._watching or self._people)
        answer = self.batch.answer_and_settle if self._is_settled else self.batch.answer
        while (refused := answer(questions, actions)) >= 0:
            place = questions.choices[refused].place
            actions[place] = self._refuse(questions.choices[refused], int(actions[place]))
        if self._watching:
            self._tell_watchers()
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
        if self.conduct.deadline is not None:
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
                self.batch.choose(questions, asked, policy, actions)
                decided.update(asked)
            except BaseException as error:
                failed.update(dict.fromkeys(asked, self._blame(error)))
            spent = time.perf_counter() - seconds_compiling() - began
            self.seconds[-1][asked] += spent * shares
        return decided, failed

    def _group_by_policy(self) -> list[tuple[np.record, list[int]]]:
        """Give the policies that agents are, where they are nothing more, each with its agents."""
        found: dict[tuple[np.dtype[Any], bytes], tuple[np.record, list[int]]] = {}
        for i, agent in enumerate(self.agents):
            try:
                policy = agent.as_policy
                if policy is not None:
                    key = policy.dtype, policy.tobytes()
                    found.setdefault(key, (policy, []))[1].append(i)
            except BaseException as error:
                self._without_policy[i] = self._blame(error)
        return list(found.values())

    def _decide(self, i: int, questions: Questions, why: str) -> Actions:
        """Ask one agent about all its choices at once; one by one if it fails or is hurried.

        `why` says how it has failed already.
        """
        if i == len(self.agents):
            return self._in_parts(i, questions, lambda asked: self._substitute.act(*asked).actions)
        if self.conduct.deadline is None and not why:
            try:
                return self._in_parts(i, questions, lambda asked: self._ask(i, asked))
            except BaseException as error:
                why = self._blame(error)
        return self._decide_one_by_one(i, questions, why)

    def _in_parts(
        self, i: int, questions: Questions, answer: Callable[[Asked], Actions]
    ) -> Actions:
        """Have the choices of one agent answered, as many at once as are shown."""
        shown = self.batch.show(questions, i, self.begin)
        return np.concatenate([answer(asked) for asked in shown])

    def _decide_one_by_one(self, i: int, questions: Questions, why: str) -> Actions:
        """Find out which choice an agent fails at; `why` says how it failed at all of them."""
        # Who is asked what: the arrays of what is shown were in the agent's hands.
        own = questions.choices[questions.choices["chooser_agent"] == i]
        actions = np.empty(len(own), np.int64)
        n_faults = len(self.faults)
        shown = self.batch.show(questions, i, self.begin)
        for k, alone in enumerate(one for asked in shown for one in asked.singly()):
            before = float(self.seconds[-1][i])
            try:
                actions[k : k + 1] = self._ask(i, alone)
                seconds = float(self.seconds[-1][i]) - before
                if self.conduct.deadline is not None and seconds > self.conduct.deadline:
                    limit = self.conduct.deadline
                    raise AgentError(f"took {seconds:.3g} s, the deadline is {limit:.3g} s,")
            except BaseException as error:
                actions[k] = self._fail(own[k], self._blame(error))
        if why and len(self.faults) == n_faults:  # it fails only now and then, or only at many
            actions[0] = self._fail(own[0], f"{why} when asked {len(actions)} at once,")
        return actions

    def _blame(self, error: BaseException) -> str:
        """Say what an agent did wrong; what is no agent's fault is raised."""
        if self._people and is_departure(error):
            raise error
        self._stop()
        return reason(error)

    def _ask(self, i: int, asked: Asked) -> Actions:
        """Ask one agent, and time it."""
        agent, n = self.agents[i], len(asked.seats)
        # Slices, because an agent may reshape the arrays it gets, and these are used again.
        question = asked.part(0, n)
        decisions = self._time(i, lambda: agent.act(*question))
        try:
            actions = np.asarray(getattr(decisions, "actions", None))
        except ValueError:  # rows of different lengths
            actions = np.zeros(0, object)
        if actions.shape != (n,) or actions.dtype.kind not in "iu":
            raise AgentError(
                f"answered {n} views with actions of shape {actions.shape} and type {actions.dtype}"
            )
        return actions.astype(np.int64, copy=False)

    def _time(self, i: int, decide: Callable[[], T]) -> T:
        """Charge an agent for the time it takes to decide."""
        began = time.perf_counter() - seconds_compiling()
        try:
            return decide()
        finally:
            self.seconds[-1][i] += time.perf_counter() - seconds_compiling() - began

    def _refuse(self, choice: np.record, action: int) -> Action:
        """Deal with an illegal action; give one that is legal instead."""
        state = self.batch.states[choice.chooser_game]
        why = self.game.text.explain(state, int(choice.chooser_seat), action)
        return self._fail(choice, f"chose {action}, which is illegal ({why}),")

    def _fail(self, choice: np.record, why: str) -> Action:
        """Deal with a fault at a choice; give a legal action instead."""
        i, seat = int(choice.chooser_game), int(choice.chooser_seat)
        self._note_fault(int(choice.chooser_agent), i, seat, why)
        return self._legal_instead(i, seat)

    def _note_fault(self, agent: int, i: int, seat: int, why: str) -> None:
        """Write a fault down; stop, or let the substitute take the seat."""
        if self._lineup[i, seat] == len(self.agents):  # it has forfeited this game already
            return
        fault = Fault(
            agent,
            self.agents[agent].spec,
            self.begin + i,
            int(self.schedule.deals[i]),
            int(self.schedule.rotations[i]),
            seat,
            self.game.format(self.batch.states[i]),
            why,
            int(self.batch.books[i].n_decisions.sum()),
        )
        self.faults.append(fault)
        if self.conduct.on_error == "stop":
            raise Misbehaviour(self.written_faults()[-1])
        if self._lineup is self.schedule.lineup:
            self._lineup = self._lineup.copy()
        self._lineup[i, seat] = len(self.agents)

    def _legal_instead(self, i: int, seat: int) -> Action:
        """Draw the first action of the substitute, which was not asked in time."""
        listed = self.game.legal(self.batch.states[i], seat)
        deal, rotation = int(self.schedule.deals[i]), int(self.schedule.rotations[i])
        rng = derive(self.schedule.seed, Purpose.SUBSTITUTE, deal, rotation, seat)
        return listed[below(rng, len(listed))]

    def _tell_watchers(self) -> None:
        """Show every watching agent what has changed in its view of the games it sits in."""
        for watching in self._watching:
            agent = watching.agent
            changed, views = watching.look(self.batch)
            still = self._lineup[watching.games[changed], watching.seats[changed]] == agent
            views = views[still]
            games, seats = watching.games[changed][still], watching.seats[changed][still]

            def watch(
                part: slice,
                agent: int = agent,
                views: States = views,
                games: Ints = games,
                seats: Ints = seats,
            ) -> None:
                # Copied, because faults are looked up in these seats afterwards.
                here = seats[part].copy()
                self.agents[agent].watch(views[part], here, games[part] + self.begin)

            self._tell(agent, games, seats, watch)

    def _end(self) -> None:
        """Tell every agent that wants to know which of its games are over."""
        for agent in range(len(self.agents)):
            if not self.agents[agent].forgets:
                continue
            games, seats = np.nonzero(self.schedule.lineup == agent)
            games, first = np.unique(games, return_index=True)

            def end(part: slice, agent: int = agent, games: Ints = games) -> None:
                self.agents[agent].end(games[part] + self.begin)

            self._tell(agent, games, seats[first], end)

    def _tell(self, agent: int, games: Ints, seats: Ints, say: Callable[[slice], None]) -> None:
        """Tell an agent something of all games at once; one by one if it fails."""
        if not len(games):
            return
        try:
            say(slice(None))
        except BaseException as error:
            why, n_faults = self._blame(error), len(self.faults)
        else:
            return
        for k in range(len(games)):
            try:
                say(slice(k, k + 1))
            except BaseException as error:
                told = f"{self._blame(error)} when told what happened,"
                self._note_fault(agent, int(games[k]), int(seats[k]), told)
        if len(self.faults) == n_faults:
            told = f"{why} when told of {len(games)} games at once,"
            self._note_fault(agent, int(games[0]), int(seats[0]), told)

    def scores(self) -> Scores:
        """Give the scores of all games; who forfeited has the lowest score there is."""
        scores = self.batch.scores()
        lowest, highest = self.game.score_range
        forfeited: dict[int, set[int]] = {}
        for fault in self.faults:
            sides = forfeited.setdefault(fault.game - self.begin, set())
            sides.add(int(self.game.sides[fault.seat]))
        for i, sides in forfeited.items():
            lost = np.isin(self.game.sides, list(sides))
            if self.game.n_sides == 2 and len(sides) == 1:  # what one loses, the other wins
                scores[i, ~lost] = highest
            scores[i, lost] = lowest
        return scores

    def records(self) -> list[Record]:
        """Write down every game of the batch."""
        actions, scores = self._actions(), self.batch.scores()
        return [
            self._record(i, actions[i], scores[i] if is_over(self.batch.states[i]) else None)
            for i in range(len(self.batch.states))
        ]

    def written_faults(self) -> list[Fault]:
        """Give the faults, each with the record of its game up to there."""
        if not self.faults:
            return []
        actions = self._actions()
        written = []
        for fault in self.faults:
            i = fault.game - self.begin
            record = self._record(i, actions[i][: fault.n_actions], None)
            written.append(replace(fault, record=record))
        return written

    def _actions(self) -> list[Log]:
        """Give the actions of every game."""
        log = self.batch.log()
        order = np.argsort(log["game"], kind="stable")
        edges = np.searchsorted(log["game"][order], np.arange(len(self.batch.states) + 1))
        return [log[order[begin:end]] for begin, end in pairwise(edges)]

    def _record(self, i: int, log: Log, result: Scores | None) -> Record:
        """Write down game i."""
        deal, rotation = int(self.schedule.deals[i]), int(self.schedule.rotations[i])
        seats = [self.agents[a].spec for a in self.schedule.lineup[i]]
        actions = zip(log["seat"].tolist(), log["action"].tolist(), strict=True)
        origin = Origin(self.schedule.seed, deal, rotation)
        return write_record(self.game, origin, actions, result, seats)
