"""The host of one table: agents act by themselves, people when they like.

`advance` lets agents act until a person must. `play` is what people do, and is checked. `events`
tells every seat, and spectators, what they may know. Terminals, servers and engines are its
clients; none of them needs the table itself.

Every decision of an agent gets the random stream and the number of the table that belong to it, so
one agent can sit at several tables, and a table that goes on from its record plays as if it had
never been left.
"""

import itertools
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from kibitz.core.agent import Agent, check_agent
from kibitz.core.conduct import Conduct, Fault, Misbehaviour, interrupts, reason
from kibitz.core.errors import AgentError, IllegalAction, SpecError, clip
from kibitz.core.faults import Complaint, read_actions
from kibitz.core.game import (
    SPECTATOR,
    Action,
    Scores,
    Seat,
    State,
    States,
    conceal,
    is_legal,
    movers,
)
from kibitz.core.messages import Message
from kibitz.core.record import Record, record_of
from kibitz.core.rng import Purpose, Rng, derive
from kibitz.core.table import Game, Table
from kibitz.review.following import Follower
from kibitz.review.telling import Chronicle, Event

PERSON = "person"
"""Who sits at a person's seat, in records."""

_ids = itertools.count(1)


@dataclass(frozen=True)
class Question:
    """A decision that an agent owes: all it may know, and what its draws come from."""

    seat: Seat
    view: State
    rng: Rng
    table: int  # the table's own number, for agents that keep something between decisions
    number: int  # of the seat's decisions, from 0


@dataclass(frozen=True)
class Change:
    """Somebody else sits down at a seat."""

    n_actions: int  # played before it
    seat: Seat
    who: str


@dataclass(frozen=True)
class Moment:
    """What everybody has just seen, before the table went on with what is forced.

    At a table with several people it lasts for the same time whoever has something to decide in it:
    see `pause` in core/hints.py. Otherwise a table that waits would betray who holds what.
    """

    n_actions: int  # played by then
    seconds: float  # that it lasts, by what a spectator sees
    state: State  # the true one: nobody may be shown it

    def view(self, seat: Seat = SPECTATOR) -> State:
        """Return what a seat knew then, or a spectator."""
        return _concealed(self.state, seat)


class Host:
    """One table, and who sits there."""

    def __init__(
        self,
        table: Table,
        agents: Sequence[Agent | None],
        *,
        number: int | None = None,
        names: Sequence[str] | None = None,
        changes: Iterable[Change] = (),
        conduct: Conduct | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Seat everybody. Nobody acts before `advance`.

        Args:
            table: what is played; one that `replay` gives goes on where its record ends.
            agents: who sits at each seat; None is a person.
            number: the table's own, which agents tell tables apart by; a new one if left out.
            names: what records call those who sit there; agents are called by their specs.
            changes: seats that changed hands before, for tables that go on from a record.
            conduct: whether exceptions of agents come through as they are.
            clock: what thinking times are read from, in seconds.
        """
        if not isinstance(table, Table):
            raise SpecError(f"expected a table, which a game deals, got {clip(table)}")
        n = table.game.n_seats
        if len(agents) != n or (names is not None and len(names) != n):
            raise AgentError(f"{table.game.spec} has {n} seats, got {len(agents)} agents")
        self.number = next(_ids) if number is None else number
        self.changes = list(changes)
        self.seconds = [0.0] * n  # that each seat has thought
        self._table = table
        self._agents = [one and check_agent(one, table.game) for one in agents]
        self._names = list(names or (_name(one) for one in self._agents))
        self._conduct = Conduct() if conduct is None else conduct
        self._clock = clock
        self._follower = Follower(table)
        self._written: list[tuple[Seat, str]] = []
        self._views: dict[Seat, State] = {}  # of who is to move, since they are
        self._seen: dict[Seat, bytes] = {}  # what agents that watch saw last
        self._asked: dict[Seat, float] = {}  # when those who have a choice got it
        self._chronicles: dict[Seat, Chronicle] = {}
        self._pause: Callable[[State], float] | None = getattr(table.game.picture, "pause", None)
        self._shown = (0, b"")  # how much had been played when something last showed, and what
        self.moments: list[Moment] = []  # since the last action that was no table's
        self._follow()
        self.moments = [one for one in self.moments if self.is_open(one)]

    @property
    def game(self) -> Game:
        """What is played."""
        return self._table.game

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self._table.is_over

    @property
    def scores(self) -> Scores:
        """How it stands."""
        return self._table.scores

    @property
    def names(self) -> list[str]:
        """Who sits where, as records call them."""
        return list(self._names)

    @property
    def n_actions(self) -> int:
        """How much has been played."""
        return len(self._written)

    @property
    def people(self) -> list[Seat]:
        """The seats of people."""
        return [seat for seat, agent in enumerate(self._agents) if agent is None]

    @property
    def waiting(self) -> dict[Seat, float]:
        """The people who have a choice now, and for how many seconds the table has waited."""
        now = self._clock()
        return {seat: now - self._asked[seat] for seat in self.people if seat in self._asked}

    def view(self, seat: Seat = SPECTATOR) -> State:
        """Return what a seat knows, or a spectator."""
        return self._table.view(seat)

    def legal(self, seat: Seat) -> list[Action]:
        """List what a seat may do now."""
        return self._table.legal(seat)

    def is_open(self, moment: Moment) -> bool:
        """Whether nothing has shown since a moment; answers that lie face down do not."""
        return moment.n_actions == self._shown[0]

    def decision(self, seat: Seat) -> int | None:
        """Return the number of the decision that a person owes, from 0; None if there is none."""
        return self._n_decisions(seat) if seat in self._asked and seat in self.people else None

    def played(self, since: int = 0) -> list[tuple[Seat, str]]:
        """List what has been played after the first `since` actions: seat and text."""
        return self._written[since:]

    def check(self, seat: Seat, action: Action | str) -> str:
        """Return an action as it is written, if `play` would accept it; raise what it raises."""
        code = self._check_own(seat, action)
        text: str = self.game.text.format_action(self._table.state, seat, code)
        return text

    def record(self) -> Record:
        """Write the game down as far as it has been played."""
        result = self.scores if self.is_over else None
        return record_of(self.game, self._table.origin, self._written, result, self._names)

    def events(
        self, seat: Seat = SPECTATOR, since: int = 0, until: int | None = None
    ) -> list[Event]:
        """Return what a seat, or a spectator, has learnt after event number `since`.

        Args:
            seat: who is told.
            since: the number of the last event that is left out.
            until: how many actions had been played by then, if not all of them.
        """
        viewer = self.game.check_viewer(seat)
        chronicle = self._chronicles.get(viewer)
        if chronicle is None:
            chronicle = self._chronicles[viewer] = Chronicle(self._table, viewer)
            for change in self.changes:
                chronicle.follow(change.n_actions)
                chronicle.note(_told(change), change.seat)
        chronicle.follow()
        events = chronicle.events[max(since, 0) :]
        return events if until is None else [one for one in events if one.n_actions <= until]

    def play(self, seat: Seat, action: Action | str) -> None:
        """Play for a person, by the code of an action or as it is typed.

        Raises:
            PositionError: the text is not an action of this game.
            IllegalAction: the seat is an agent's, or the rules refuse it; nothing has changed.
        """
        self._commit(seat, self._check_own(seat, action))

    def advance(self) -> None:
        """Let agents act until a person must, or the game is over.

        Who chooses at the same time as people is asked after them; nobody sees what others chose.

        Raises:
            Misbehaviour: an agent failed; the table is as it was before its decision.
        """
        self._show()
        with interrupts() as stop:
            while not self.waiting:
                questions = self.questions()
                if not questions:
                    return
                for question in questions:
                    action = self._ask(question, stop)
                    stop()
                    self._commit(question.seat, action)

    def questions(self) -> list[Question]:
        """List what agents have to decide now, for clients that let them think elsewhere."""
        self._show()
        return [
            Question(seat, self._views[seat].copy(), *self._stream(seat))
            for seat in self._asked
            if self._agents[seat] is not None
        ]

    def answer(self, question: Question, action: Action) -> bool:
        """Play what an agent answered elsewhere; False if it is too late.

        Raises:
            Misbehaviour: the rules refuse it; nothing has changed.
        """
        seat = question.seat
        is_asked = seat in self._asked and self._n_decisions(seat) == question.number
        if not is_asked or self._agents[seat] is None:
            return False
        self._check(question, action)
        self._commit(seat, action)
        return True

    def replace(self, seat: Seat, agent: Agent | None, name: str | None = None) -> None:
        """Let somebody else sit down at a seat, at any time; everybody is told."""
        seat = self.game.check_seat(seat)
        if agent is not None:
            check_agent(agent, self.game)
        before, self._agents[seat] = self._agents[seat], agent
        if seat in self._asked:  # nobody has waited for the new one yet
            self._asked[seat] = self._clock()
        if before is not None and before is not agent:
            self._forget([before])
        self._names[seat] = name or _name(agent)
        change = Change(self.n_actions, seat, self._names[seat])
        self.changes.append(change)
        self._seen.pop(seat, None)
        for chronicle in self._chronicles.values():
            chronicle.follow()
            chronicle.note(_told(change), seat)

    def _check_own(self, seat: Seat, action: Action | str) -> Action:
        """Return the code of an action that a person may play."""
        code = self._table.check(seat, action)
        if self._agents[seat] is not None:
            told = Message("host.not-your-seat", {"seat": seat, "who": self._names[seat]})
            raise IllegalAction(told, action=action, seat=seat)
        return code

    def _commit(self, seat: Seat, action: Action) -> None:
        """Play an action that has been checked, and let those see it who watch."""
        if seat in self._asked:
            self.seconds[seat] += self._clock() - self._asked[seat]
        self._table.batch.commit(seat, action)
        self._table.settle()
        self.moments = []
        self._follow()
        self._show()
        if self.is_over:
            self._forget(self._agents)

    def _follow(self) -> None:
        """Write down what was played, and keep what everybody saw when they came to move."""
        self._look(self._follower.state)
        for step in self._follower.steps():
            self._written.append((step.seat, step.text))
            self._views.pop(step.seat, None)
            self._asked.pop(step.seat, None)
            self._look(self._follower.state)
            self._note_moment(self._follower.state)
        now = self._clock()
        choosing = {seat for seat in self._views if len(self._table.legal(seat)) > 1}
        self._asked = {seat: self._asked.get(seat, now) for seat in sorted(choosing)}

    def _look(self, state: State) -> None:
        """Take the views of those who have come to move; who chooses with others sees nothing."""
        mask = int(movers(state))
        seats = [seat for seat in range(self.game.n_seats) if mask >> seat & 1]
        self._views = {
            seat: self._views[seat] if seat in self._views else _concealed(state, seat)
            for seat in seats
        }

    def _note_moment(self, state: State) -> None:
        """Keep a state in which something has shown that everybody gets time to look at."""
        if self._pause is None:
            return
        view = _concealed(state, SPECTATOR)
        shown = view.tobytes()
        if shown == self._shown[1]:
            return
        self._shown = (self.n_actions, shown)
        seconds = self._pause(view)
        if seconds > 0:
            self.moments.append(Moment(self.n_actions, seconds, state.copy()))

    def _n_decisions(self, seat: Seat) -> int:
        return int(self._table.batch.books[0].n_decisions[seat])

    def _stream(self, seat: Seat) -> tuple[Rng, int, int]:
        """Derive what an agent draws from for its next decision, as matches do."""
        origin, n = self._table.origin, self._n_decisions(seat)
        rng = derive(origin.seed, Purpose.AGENT, origin.deal, origin.rotation, seat, n)
        return rng, self.number, n

    def _ask(self, question: Question, stop: Callable[[], None]) -> Action:
        """Ask an agent; what it does wrong is a Misbehaviour."""
        agent = self._agents[question.seat]
        assert agent is not None
        try:
            views, seats, rngs, _ = agent.ask_one(question.view, question.seat, question.rng)
            found = agent.act(views, seats, rngs, np.array([self.number]))
            action = int(read_actions(found, 1)[0])
        except BaseException as error:
            stop()
            if self._conduct.on_error == "raise" and not isinstance(error, Complaint):
                raise
            raise self._misbehaviour(question.seat, reason(error)) from error
        self._check(question, action)
        return action

    def _check(self, question: Question, action: Action) -> None:
        """Refuse an illegal action of an agent."""
        state, seat = self._table.state, question.seat
        if not is_legal(state, seat, action):
            why = self.game.text.explain(state, seat, action)
            raise self._misbehaviour(seat, f"chose {action}, which is illegal ({why}),")

    def _misbehaviour(self, seat: Seat, why: str) -> Misbehaviour:
        origin = self._table.origin
        fault = Fault(
            agent=seat,
            spec=self._names[seat],
            game=self.number,
            deal=origin.deal,
            rotation=origin.rotation,
            seat=seat,
            position=self._table.position,
            reason=why,
            n_actions=self.n_actions,
            record=self.record(),
        )
        return Misbehaviour(fault)

    def _show(self) -> None:
        """Show agents that watch what has changed in what their seats see."""
        for seat, agent in enumerate(self._agents):
            if agent is None or not agent.watches:
                continue
            view = self.view(seat)
            if self._seen.get(seat) == view.tobytes():
                continue
            self._seen[seat] = view.tobytes()
            views: States = np.empty(1, view.dtype)
            views[0] = view
            try:
                agent.watch(views, np.array([seat]), np.array([self.number]))
            except Exception as error:
                told = f"{reason(error)} when told what happened,"
                raise self._misbehaviour(seat, told) from error

    def _forget(self, agents: Iterable[Agent | None]) -> None:
        """Let agents that no longer play here forget the table."""
        for agent in {id(one): one for one in agents if one is not None}.values():
            sits = any(agent is one for one in self._agents)
            if agent.forgets and (self.is_over or not sits):
                agent.end(np.array([self.number]))


def _concealed(state: State, seat: Seat) -> State:
    view = state.copy()
    conceal(view, seat)
    return view


def _name(agent: Agent | None) -> str:
    return PERSON if agent is None else agent.spec


def _told(change: Change) -> Message:
    return Message("host.sits-down", {"seat": change.seat, "who": change.who})
