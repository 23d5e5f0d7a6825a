"""Lanes: a batch that never drains, for learning.

The loop of a trainer is `turn = lanes.ask()`, a network that chooses, and
`finished = lanes.answer(actions)`. A game that ends hands out its trajectory, and its slot takes
the next deal at once. No Python runs per game.

What a learner saw, felt or computed at a decision may be given along with the answer; it comes back
with the finished game. Opponents from a pool sit for whole games; they are asked inside.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from kibitz.core.agent import Agent
from kibitz.core.batch import NO_TAG, Questions
from kibitz.core.errors import AgentError, IllegalAction, SpecError, clip
from kibitz.core.game import Actions, Features, Legal, Scores, States
from kibitz.core.memory import LOG, Ints, Log, Room
from kibitz.core.record import Record, write_record
from kibitz.core.resuming import read_running
from kibitz.core.rng import Rngs
from kibitz.core.shelves import Shelves, as_array
from kibitz.core.slots import Decided, Part, Slots, write_decided, write_logs
from kibitz.core.table import Game, Origin, check_seed, is_whole

LEARNER = -1
"""In a lineup: a seat whose decisions are asked outside."""

MAX_LANES = 1 << 16
"""Most games side by side."""

Lineup = Sequence[Any] | npt.NDArray[np.int64] | Callable[[Ints], npt.NDArray[np.int64]]
"""Who sits where: a row, rows that take turns deal by deal, or a function of some deals."""


@dataclass(frozen=True)
class Turn:
    """Every learner that has a real choice now: [decisions].

    The memory of views and streams is used again for the next turn: give what is to outlive this
    one to `answer`, or copy it.
    """

    views: States  # what the deciding seat may know
    seats: Ints  # who decides
    rngs: Rngs  # a random stream of its own for every decision
    games: Ints  # number of the deal
    legal: Legal  # what may be chosen
    ids: Ints  # of the decisions, counted over all that learners were ever asked
    slots: Ints  # where the game is played
    numbers: Ints  # of the seat's decisions in this game, forced ones included
    rounds: Ints  # number of the round within the game

    def __len__(self) -> int:
        """How many decisions there are."""
        return len(self.seats)


@dataclass(frozen=True)
class Finished:
    """Games that have ended, with all that happened in them; read when it is asked for.

    `decisions` are those of learners, by game, seat and number, so that a seat's are in sequence.
    Their `games`, like those of the log, are rows of `scores`.
    """

    parts: Sequence[Part]
    lineup: npt.NDArray[np.int64]  # [games, seats] LEARNER, or the number of the agent
    kept: Mapping[str, npt.NDArray[Any]] = field(default_factory=dict)  # [decisions, ...]

    def __len__(self) -> int:
        """How many games there are."""
        return len(self.lineup)

    @cached_property
    def games(self) -> Ints:
        """The number of each game's deal: [games]."""
        return self._column("deal")

    @cached_property
    def slots(self) -> Ints:
        """Where each game was played: [games]."""
        return self._column("slot")

    @cached_property
    def scores(self) -> Scores:
        """The scores: [games, seats]."""
        return self._totals[self.round_offsets[1:] - 1]

    @cached_property
    def rounds(self) -> Scores:
        """What each round added to the scores, game after game: [rounds, seats]."""
        first = self.round_offsets[:-1]
        added = np.diff(self._totals, axis=0, prepend=0.0)
        added[first] = self._totals[first]
        return added

    @cached_property
    def round_offsets(self) -> Ints:
        """Where the rounds of each game begin and end: [games + 1]."""
        return np.concatenate([[0], np.cumsum(self._column("n_dealt"))])

    @cached_property
    def log(self) -> Log:
        """Every action with its game and seat, in the order they were committed in each game."""
        return self._read[0]

    @cached_property
    def log_offsets(self) -> Ints:
        """Where the log of each game begins and ends: [games + 1]."""
        return np.concatenate([[0], np.cumsum(self._column("n_played"))])

    @cached_property
    def decisions(self) -> Decided:
        """What learners decided: number, game, seat, number in the game, round and action."""
        return self._read[1]

    @cached_property
    def returns(self) -> Scores:
        """The score of the deciding seat at the end of the game: [decisions]."""
        return self.scores[self.decisions.games, self.decisions.seats]

    @cached_property
    def round_scores(self) -> Scores:
        """What the round of each decision brought to the deciding seat: [decisions]."""
        rows = self.round_offsets[self.decisions.games] + self.decisions.rounds
        return self.rounds[rows, self.decisions.seats]

    @cached_property
    def is_last(self) -> npt.NDArray[np.bool_]:
        """Whether a decision is the last of its seat in its game: [decisions]."""
        games, seats = self.decisions.games, self.decisions.seats
        last = np.ones(len(games), np.bool_)
        last[:-1] = (games[1:] != games[:-1]) | (seats[1:] != seats[:-1])
        return last

    def _column(self, name: str) -> Ints:
        """Join what every part says about its games."""
        return np.concatenate([np.zeros(0, np.int64), *(part.games[name] for part in self.parts)])

    @cached_property
    def _totals(self) -> Scores:
        """The scores after each round: [rounds, seats]."""
        none = np.zeros((0, self.lineup.shape[1]))
        return np.concatenate([none, *(part.totals for part in self.parts)])

    @cached_property
    def _read(self) -> tuple[Log, Decided]:
        """Read the logs of all parts, and the decisions of learners."""
        logs, columns = [np.zeros(0, np.uint8)], [np.zeros((6, 0), np.int64)]
        n = 0
        for part in self.parts:
            size = int(part.games["n_played"].sum())
            log: Log = np.empty(size, LOG)
            ids = np.empty(size, np.int64)
            decided = np.empty((6, int(write_logs(part, log, ids))), np.int64)
            write_decided(part, log, ids, self.lineup.shape[1], Decided(*decided))
            log["game"] += n
            decided[1] += n
            logs.append(log.view(np.uint8))
            columns.append(decided)
            n += len(part.games)
        return np.concatenate(logs).view(LOG), Decided(*np.concatenate(columns, axis=1))


class Lanes:
    """Games side by side, each slot dealt again as soon as its game ends."""

    def __init__(
        self,
        game: Game,
        n: int,
        seed: int,
        *,
        agents: Sequence[Agent] = (),
        lineup: Lineup | None = None,
    ) -> None:
        """Deal the first games.

        Deals are numbered in the order in which slots take them. Cards and streams derive from
        (seed, deal) as in a match, rotation 0.

        Args:
            game: what is played.
            n: games side by side.
            seed: what all random streams derive from.
            agents: who may sit at seats that do not learn; `add` takes in more.
            lineup: LEARNER or the number of an agent for every seat: one row for all deals, rows
                that take turns (deal d gets row d modulo their number), or a function that is
                called with the numbers of new deals and returns a row for each. Everybody learns
                if it is left out.
        """
        if not isinstance(game, Game):
            raise SpecError(f"expected a game, which load_game makes, got {clip(game)}")
        if not is_whole(n) or not 1 <= int(n) <= MAX_LANES:
            raise SpecError(f"lanes are 1 to {MAX_LANES} games side by side, got {clip(n)}")
        self.game = game
        self.seed = check_seed(seed)
        self.agents: list[Agent] = []
        for agent in agents:
            self.add(agent)
        self._assign = None if lineup is None else _lineup_rule(lineup)
        self._slots = Slots(game.blank(1), game.n_seats, int(n), self.seed)
        self._lineup = self._seat(np.arange(int(n)))
        self._n_dealt = int(n)
        self._room = Room(game.rules.STATE)
        self._kept = Shelves()
        self._next_id = 0
        self._began = np.zeros(int(n), np.int64)  # next_id when the game of each slot was dealt
        self._oldest = 0  # decisions before this number are kept no more
        self._ended: list[Part] = []
        self._lineups: list[npt.NDArray[np.int64]] = []  # of what has ended
        self._turn: Turn | None = None
        self._slots.go_on(None, np.zeros(0, np.int64))
        self._collect()

    def add(self, agent: Agent) -> int:
        """Let one more agent play; return its number in lineups."""
        self._check_agent(agent)
        self.agents.append(agent)
        return len(self.agents) - 1

    def seated(self) -> Ints:
        """Return the numbers of all agents that sit in games that run, sorted."""
        numbers = np.unique(self._lineup)
        return numbers[numbers != LEARNER]

    def swap(self, number: int, agent: Agent) -> None:
        """Let an agent have the number of another one, which sits nowhere, or the next number."""
        if number == len(self.agents):
            self.add(agent)
            return
        self._check_agent(agent)
        if not 0 <= number < len(self.agents) or number in self.seated():
            raise SpecError(f"agent {number} sits in games that run, or is none: add another one")
        self.agents[number] = agent

    def _check_agent(self, agent: Agent) -> None:
        """Refuse whoever cannot play inside."""
        if not isinstance(agent, Agent):
            raise AgentError(f"expected an agent, which load_agent makes, got {clip(agent)}")
        if agent.game != self.game:
            raise AgentError(
                f"agent {clip(agent.spec)} was made for {agent.game.spec}, "
                f"these lanes play {self.game.spec}: make it for that"
            )
        if agent.watches:
            raise AgentError(
                f"agent {clip(agent.spec)} looks on between its decisions, which lanes do not show"
            )

    def ask(self) -> Turn:
        """Return all decisions that learners have to make now; asked again, the same ones.

        There is at least one: until then, the agents inside play on. What they raise comes through.
        """
        n_unasked = 0
        while self._turn is None:
            questions = self._list()
            actions = np.empty(len(questions.choices), np.int64)
            self._decide(questions, actions)
            self._questions, self._actions = questions, actions
            if questions.bounds[1]:
                self._turn = self._show(questions)
            else:
                n_unasked += self._apply()
                if n_unasked > 1000 + 10 * len(self._lineup):
                    raise SpecError(
                        f"{n_unasked} games of {self.game.spec} have ended without a choice for "
                        "a learner: there is nothing to learn"
                    )
        return self._turn

    def observe_oracle(self) -> Features:
        """Write what the game's oracle sees at the decisions of `ask`: [decisions, size].

        All hands are in it: it is for critics while learning, not for anything that plays.
        """
        if self.game.oracle is None:
            raise SpecError(f"{self.game.spec} has no oracle: its features.py must define ORACLE")
        turn = self.ask()
        return self.game.oracle.observe(self._slots.states[turn.slots], turn.seats)

    def answer(self, actions: Actions, **kept: npt.NDArray[Any]) -> Finished:
        """Apply what learners have chosen in the decisions of `ask`; return the games that ended.

        Args:
            actions: one for each decision, in their order.
            kept: arrays with a row for each decision, such as features, values or the views: they
                come back in `kept` of the finished game. Give the same ones every time.

        Raises:
            IllegalAction: the rules refuse an action; nothing was applied.
            SpecError: an array has another shape or type than it should; nothing was applied.
        """
        turn = self.ask()
        chosen = as_array(actions)
        if chosen.shape != (len(turn),) or chosen.dtype.kind not in "iu":
            raise SpecError(
                f"expected {len(turn)} whole numbers, an action for each decision that was asked, "
                f"got an array of shape {chosen.shape} and type {chosen.dtype}"
            )
        self._actions[: len(turn)] = chosen
        self._kept.put(self._next_id, len(turn), self._oldest, kept)
        self._apply()
        return self._hand_out()

    def records(self, finished: Finished) -> list[Record]:
        """Write finished games down, each as a match would write it."""
        names = ["learner", *(agent.spec for agent in self.agents)]
        records = []
        for k, (begin, end) in enumerate(pairwise(finished.log_offsets.tolist())):
            log = finished.log[begin:end]
            actions = zip(log["seat"].tolist(), log["action"].tolist(), strict=True)
            origin = Origin(self.seed, int(finished.games[k]))
            seats = [names[number + 1] for number in finished.lineup[k].tolist()]
            records.append(write_record(self.game, origin, actions, finished.scores[k], seats))
        return records

    def state(self) -> dict[str, Any]:
        """Return all games that run as plain data, from which `restore` goes on.

        It holds numbers and arrays of numbers. Take it after an answer, before the next question.

        Raises:
            SpecError: a question is open, or records such as views are kept with decisions.
        """
        if self._turn is not None or self._ended:
            raise SpecError("take the state of lanes after an answer, before the next question")
        log, ids, offsets = self._slots.running()
        return {
            "deals": self._slots.deals.copy(),
            "next_deal": self._n_dealt,
            "next_id": self._next_id,
            "offsets": offsets,
            "seats": log["seat"].astype(np.int64),
            "actions": log["action"].astype(np.int64),
            "ids": ids,
            "lineup": self._lineup.copy(),
            "began": self._began.copy(),
            "kept": self._kept.living(np.sort(ids[ids != NO_TAG])),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from what `state` of other lanes like these returned, as they would have.

        All games are dealt and played again by the rules, so nothing in it has to be trusted. The
        agents inside must be the same, and decide by what they are shown alone.

        Raises:
            SpecError: it is of other lanes; these are of no use then.
        """
        running = read_running(state, len(self._lineup), self.game.n_seats)
        if running.lineup.min() < LEARNER or running.lineup.max() >= len(self.agents):
            raise SpecError(f"the state of lanes has other than {len(self.agents)} agents in it")
        played = running.log, running.ids, running.offsets
        refused = self._slots.resume(running.deals, running.next_deal, *played)
        if refused >= 0:
            raise SpecError(
                f"the state of lanes is of another game: what it says of deal "
                f"{running.deals[refused]} is not by the rules of {self.game.spec}"
            )
        self._lineup, self._began = running.lineup, running.began
        self._n_dealt, self._next_id = running.next_deal, running.next_id
        self._oldest = int(self._began.min())
        self._kept = Shelves()
        living = np.sort(running.ids[running.ids != NO_TAG])
        self._kept.restock(living, self._oldest, self._next_id, running.kept)
        self._turn, self._ended, self._lineups = None, [], []
        self._slots.go_on(None, np.zeros(0, np.int64), self._next_id)
        self._collect()

    def _list(self) -> Questions:
        """List everybody who has a choice; learners come first."""
        if self._assign is None:
            return self._slots.everybody()
        return self._slots.ask(self._lineup + 1, len(self.agents) + 1)

    def _seat(self, deals: Ints) -> npt.NDArray[np.int64]:
        """Return who sits where on some deals: [deals, seats]."""
        if self._assign is None:
            return np.full((len(deals), self.game.n_seats), LEARNER)
        rows = as_array(self._assign(deals))
        expected = (len(deals), self.game.n_seats)
        if rows.shape != expected or rows.dtype.kind not in "iu":
            raise SpecError(
                f"a lineup of {len(deals)} deals of {self.game.spec} has shape {expected} and "
                f"whole numbers, got shape {rows.shape} and type {rows.dtype}"
            )
        if rows.min() < LEARNER or rows.max() >= len(self.agents):
            raise SpecError(
                f"a lineup names learners by {LEARNER} and {len(self.agents)} agents from 0 on, "
                f"got {rows.min()} to {rows.max()}"
            )
        unlearned = np.flatnonzero((rows != LEARNER).all(axis=1))
        if len(unlearned):
            raise SpecError(f"the lineup of deal {deals[unlearned[0]]} has no seat for a learner")
        return rows.astype(np.int64)

    def _decide(self, questions: Questions, actions: Actions) -> None:
        """Let the agents inside decide, each by the views of its own seats."""
        for a, agent in enumerate(self.agents, 1):
            begin, end = questions.bounds[a], questions.bounds[a + 1]
            if begin == end:
                continue
            policy = agent.as_policy
            if policy is not None:
                self._slots.choose(questions, [a], policy, actions)
                continue
            for asked in self._slots.show(questions, a):
                n, games = len(asked.seats), self._slots.deals[asked.games]
                answered = agent.act(asked.views, asked.seats.copy(), asked.rngs, games)
                chosen = as_array(answered.actions)
                if chosen.shape != (n,) or chosen.dtype.kind not in "iu":
                    raise AgentError(
                        f"agent {clip(agent.spec)} answered {n} views with actions of shape "
                        f"{chosen.shape} and type {chosen.dtype}"
                    )
                actions[begin : begin + n] = chosen
                begin += n

    def _show(self, questions: Questions) -> Turn:
        """Take the views of all learners that have a choice."""
        n = questions.bounds[1]
        who = np.empty((4, n), np.int64)
        asked = self._room.asked(n)
        views, rngs = asked.views, asked.rngs
        self._slots.write_asked(questions, who, views, rngs)
        slots, seats, numbers, rounds = who
        games, legal = self._slots.deals[slots], self._slots.legal(questions, 0)
        ids = np.arange(self._next_id, self._next_id + n)
        return Turn(views, seats, rngs, games, legal, ids, slots, numbers, rounds)

    def _apply(self) -> int:
        """Apply everybody's actions and play on; return how many games have ended."""
        refused = self._slots.go_on(self._questions, self._actions, self._next_id)
        if refused >= 0:
            raise self._refusal(self._questions.choices[refused])
        self._next_id += self._questions.bounds[1]
        self._turn = None
        return self._collect()

    def _refusal(self, choice: np.record) -> Exception:
        """Say which action is illegal, and why."""
        seat, action = int(choice.chooser_seat), int(self._actions[choice.place])
        state = self._slots.states[choice.chooser_game]
        where = self.game.format(state)
        why = self.game.text.explain(state, seat, action)
        if choice.chooser_agent:
            spec = clip(self.agents[choice.chooser_agent - 1].spec)
            return AgentError(f"agent {spec} chose {action}, which is illegal ({why}), in {where}")
        return IllegalAction(
            f"illegal action {action} of seat {seat} at decision {choice.place} of this turn, "
            f"in {where}: {why}"
        )

    def _collect(self) -> int:
        """Take what has ended; seat whoever plays the deals that slots have taken since."""
        parts = self._slots.take_ended()
        if not parts:
            return 0
        deals, slots = (np.concatenate([p.games[name] for p in parts]) for name in ("deal", "slot"))
        old, self._n_dealt = self._n_dealt, self._n_dealt + len(deals)
        rows = self._seat(np.arange(old, self._n_dealt))
        lineup = self._lineup[slots]
        is_new = deals >= old  # it ended at once, without a choice
        lineup[is_new] = rows[deals[is_new] - old]
        changed = np.flatnonzero(self._slots.deals >= old)
        self._lineup[changed] = rows[self._slots.deals[changed] - old]
        self._began[changed] = self._next_id
        self._ended += parts
        self._lineups.append(lineup)
        for a, agent in enumerate(self.agents):
            games = deals[(lineup == a).any(axis=1)]
            if agent.forgets and len(games):
                agent.end(games)
        return len(deals)

    def _hand_out(self) -> Finished:
        """Return what has ended, with what was kept of its decisions."""
        none = np.zeros((0, self.game.n_seats), np.int64)
        finished = Finished(self._ended, np.concatenate([none, *self._lineups]))
        self._ended, self._lineups = [], []
        if self._kept.is_used:
            finished = replace(finished, kept=self._kept.take(finished.decisions.ids))
            self._oldest = int(self._began.min())
        return finished


def _lineup_rule(lineup: Lineup) -> Callable[[Ints], npt.NDArray[np.int64]]:
    """Return what gives the rows of some deals."""
    if callable(lineup):
        return lineup
    rows = np.atleast_2d(as_array(lineup))
    if rows.ndim != 2 or not len(rows):
        raise SpecError(f"a lineup is a row or some rows of seats, got shape {rows.shape}")
    return lambda deals: rows[deals % len(rows)]
