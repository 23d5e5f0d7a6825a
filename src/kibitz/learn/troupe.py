"""Threads that play whole games for an algorithm, and what they bring back.

A *troupe* cuts the deals of a step into one part for each of its threads. Each plays its part by
`selfplay` and writes its own notes, which an algorithm learns from part by part: so neither games
nor gradients are ever copied together, and what comes out depends on the number of threads but not
on which of them is faster.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from kibitz.core.agent import Agent, define_policy
from kibitz.core.errors import SpecError, clip
from kibitz.core.exploring import NEVER
from kibitz.core.game import Action, Seat, State, States, random_action
from kibitz.core.kernels import kernel
from kibitz.core.lanes import LEARNER
from kibitz.core.rng import RNG, Purpose, Rng, key_of
from kibitz.core.table import Game
from kibitz.learn.bags import Bag, Scored, make_bag
from kibitz.learn.league import Snapshot
from kibitz.learn.reading import Reader
from kibitz.learn.selfplay import (
    BOT,
    HOW,
    LEARNS,
    OLDER,
    TALLY,
    TEACHER,
    Cast,
    Desk,
    Eyes,
    Hall,
    Notes,
    Player,
    Task,
    note_choices,
    play_games,
)
from kibitz.search.mlp import Layers, pack, scratch_for

T = TypeVar("T")

FIRST_ROOM = 1 << 12
"""Decisions that there is room for at first."""

MAX_WORKERS = 64


@kernel
def _choose_any(view: State, seat: Seat, policy: np.record, rng: Rng) -> Action:
    return random_action(view, seat, rng)


_ANY = define_policy("troupe_any", _choose_any)


@dataclass(frozen=True)
class Manner:
    """How the seats of a step play."""

    explorer: np.record = NEVER
    answers: np.record = NEVER  # decides in place of networks where it says so
    noise: float = 0.0  # share of random actions, noted as forced; of teachers, not noted
    greedy: float = 0.0  # share of decisions that play the best
    heat: float = 1.0  # temperature of draws
    teaches: bool = False  # the bots are noted, and learners sit nowhere


class Shown(NamedTuple):
    """A game that was played elsewhere: [decisions], and its scores."""

    states: States  # before each decision, all cards open
    seats: npt.NDArray[np.int64]
    actions: npt.NDArray[np.int64]
    scores: npt.NDArray[np.float64]  # [seats]


class Part:
    """What one thread has noted."""

    def __init__(self, notes: Notes) -> None:
        """Look at all that counts in some notes; the memory is used again for the next games."""
        n_games, n, n_candidates = notes.counts.tolist()
        self.n_games, self.n_candidates, self.tally = n_games, n_candidates, notes.tally
        self.scores, self.kinds = notes.scores[:n_games], notes.kinds[:n_games]
        self.views, self.first = notes.views, notes.first[: n + 1]
        self.scored = Scored(notes.views, notes.candidates, notes.first)
        self.truths = Scored(notes.views, notes.truths, np.arange(n + 1))
        self.indices, self.shifts = notes.indices[:n_candidates], notes.shifts[:n_candidates]
        self.chosen, self.log_probs = notes.chosen[:n], notes.log_probs[:n]
        self.games, self.seats = notes.games[:n], notes.seats[:n]
        self.forced, self.running = notes.forced[:n], notes.running[:n]

    def __len__(self) -> int:
        """How many decisions there are."""
        return len(self.chosen)


class Troupe:
    """Threads that play."""

    def __init__(
        self, game: Game, reader: Reader, *, workers: int, n_kinds: int, sees_all: bool
    ) -> None:
        """Prepare to play.

        Args:
            game: what is played.
            reader: how networks see it.
            workers: threads.
            n_kinds: kinds of opponents that critics are told apart.
            sees_all: critics see what the game's oracle adds to a view.
        """
        if not 1 <= workers <= MAX_WORKERS:
            raise SpecError(f"a troupe has 1 to {MAX_WORKERS} workers, got workers={workers}")
        if sees_all and game.oracle is None:
            raise SpecError(f"{game.spec} has no oracle: let the critic see the view")
        self.game, self.reader, self.workers = game, reader, workers
        self._how: np.record = np.zeros(1, HOW)[0]
        encoding = reader.encoding
        self._how["by_candidates"] = not reader.by_view
        self._how["n_view_features"] = encoding.size
        self._how["n_action_features"] = 0 if reader.by_view else encoding.candidate_size
        self._oracle = encoding if game.oracle is None else game.oracle
        if sees_all:
            known = game.n_known
            self._how["n_known"], self._how["n_hidden"] = known, self._oracle.size - known
        self.n_kinds = n_kinds if sees_all else 0
        self.n_truth = encoding.size + int(self._how["n_hidden"]) + self.n_kinds
        self._notes = [self._make_notes(FIRST_ROOM, FIRST_ROOM) for _ in range(workers)]
        self._pool = ThreadPoolExecutor(workers) if workers > 1 else None

    def map(self, work: Callable[[int], T]) -> list[T]:
        """Let every thread work on the part of its number."""
        if self._pool is None:
            return [work(0)]
        return list(self._pool.map(work, range(self.workers)))

    def play(
        self,
        layers: Layers,
        agents: Sequence[Agent],
        lineup: npt.NDArray[np.int64],
        seed: int,
        manner: Manner,
    ) -> list[Part]:
        """Play a game for every row of a lineup, and return what each thread has noted.

        Args:
            layers: the network that learns.
            agents: who else plays: bots that are one compiled policy, or snapshots.
            lineup: [games, seats] LEARNER or the number of an agent, one agent per game at most.
            seed: what cards and decisions derive from.
            manner: how everybody plays.
        """
        keys = np.array([key_of(seed, Purpose.DEAL), key_of(seed, Purpose.AGENT)], np.uint64)
        who = lineup.max(axis=1, initial=LEARNER)
        learner = Player(*pack(layers))
        size = scratch_for(layers)
        casts = {}
        for number in np.unique(who).tolist():
            agent = None if number == LEARNER else agents[number]
            casts[number] = _cast(learner, agent, manner)
            if isinstance(agent, Snapshot):
                size = max(size, scratch_for(agent.model.layers))

        def work(k: int) -> Part:
            self._notes[k].counts[:] = 0
            self._notes[k].tally[:] = 0
            for number, shared in casts.items():
                cast = shared._replace(answers=shared.answers.copy())  # it may have scratch
                mine = np.array_split(np.flatnonzero(who == number), self.workers)[k]
                codes = np.where(lineup[mine] == LEARNER, LEARNS, _code(agents, number, manner))
                kinds = np.full(len(mine), number + 1)
                task = Task(self.game.blank(1), keys, mine, codes, kinds)
                self._play_part(k, task, cast, self._make_desk(size), manner)
            return Part(self._notes[k])

        return self.map(work)

    def note(self, layers: Layers, shown: Sequence[Shown]) -> list[Part]:
        """Note what others chose in games that were played elsewhere, each thread its share."""
        cast = _cast(Player(*pack(layers)), None, Manner())
        nobody = np.zeros((1, self.game.n_seats), np.int64)
        keys, zero = np.zeros(2, np.uint64), np.zeros(1, np.int64)
        task = Task(self.game.blank(1), keys, zero, nobody, zero)

        def work(k: int) -> Part:
            desk = self._make_desk(scratch_for(layers))
            self._notes[k].counts[:] = 0
            self._notes[k].tally[:] = 0
            for one in shown[k :: self.workers]:
                self._note_game(k, one, task, cast, desk)
            return Part(self._notes[k])

        return self.map(work)

    def _note_game(self, k: int, shown: Shown, task: Task, cast: Cast, desk: Desk) -> None:
        """Note one game that was played elsewhere, in one thread."""
        eyes = Eyes(self.reader.encoding.record, self._oracle.record)
        how, done = self._how.copy(), 0
        how["heat"] = 1.0
        if self._notes[k].counts[0] == len(self._notes[k].scores):
            self._notes[k] = self._grown(self._notes[k])
        while True:
            hall = Hall(task, cast, eyes, desk, self._notes[k])
            done = int(note_choices(hall, how, shown.states, shown.seats, shown.actions, done))
            if done == len(shown.states):
                break
            self._notes[k] = self._grown(self._notes[k])
        notes = self._notes[k]
        notes.scores[notes.counts[0]] = shown.scores
        notes.kinds[notes.counts[0]] = 0
        notes.counts[0] += 1

    def _play_part(self, k: int, task: Task, cast: Cast, desk: Desk, manner: Manner) -> None:
        """Play games in one thread; wherever there is no room for notes, make more."""
        how = self._how.copy()
        how["noise"], how["greedy_share"], how["heat"] = manner.noise, manner.greedy, manner.heat
        eyes = Eyes(self.reader.encoding.record, self._oracle.record)
        done = 0
        while done < len(task.deals):
            done = int(play_games(Hall(task, cast, eyes, desk, self._notes[k]), how, done))
            if done < len(task.deals):
                self._notes[k] = self._grown(self._notes[k])

    def _make_desk(self, size: int) -> Desk:
        encoding = self.reader.encoding
        least = max(encoding.size, encoding.candidate_size)
        return Desk(
            states=self.game.blank(2),
            listed=np.zeros(int(self.game.facts.max_legal), np.int64),
            logits=np.zeros(int(self.game.facts.max_legal)),
            counts=np.zeros(encoding.n_actions, np.int64),
            rngs=np.zeros(2, RNG),
            scratch=np.zeros(max(size, 4 * least), np.float32),
            features=np.zeros(self._oracle.size, np.float32),
            points=np.zeros(self.game.n_seats),
            tally=np.zeros(TALLY, np.int64),
        )

    def _make_notes(self, n: int, n_games: int) -> Notes:
        """Make notes for so many decisions, with room for the widest at their end."""
        how, most = self._how, int(self.game.facts.max_legal)
        n_candidates = 8 * n + most
        rows = n_candidates if how["by_candidates"] else 0
        return Notes(
            counts=np.zeros(3, np.int64),
            tally=np.zeros(TALLY, np.int64),
            scores=np.zeros((n_games, self.game.n_seats)),
            kinds=np.zeros(n_games, np.int64),
            views=make_bag(n, 100 * n + int(how["n_view_features"])),
            truths=make_bag(n, 80 * n + int(how["n_hidden"]) + 1),
            candidates=make_bag(n_candidates, 20 * rows + most * int(how["n_action_features"])),
            first=np.zeros(n + 1, np.int64),
            indices=np.zeros(n_candidates, np.int32),
            shifts=np.zeros(n_candidates, np.float32),
            chosen=np.zeros(n, np.int64),
            log_probs=np.zeros(n, np.float32),
            games=np.zeros(n, np.int64),
            seats=np.zeros(n, np.int64),
            forced=np.zeros(n, np.bool_),
            running=np.zeros(n),
        )

    def _grown(self, notes: Notes) -> Notes:
        """Return the same notes with twice the room."""
        made = self._make_notes(2 * len(notes.chosen), 2 * len(notes.scores))
        for source, target in zip(_arrays(notes), _arrays(made), strict=True):
            target[: len(source)] = source
        return made


def _arrays(notes: Notes) -> list[npt.NDArray[Any]]:
    """List all arrays of some notes."""
    found: list[npt.NDArray[Any]] = []
    for part in notes:
        found += part if isinstance(part, Bag) else [part]
    return found


def _cast(learner: Player, agent: Agent | None, manner: Manner) -> Cast:
    """Seat a learner with an agent, or with itself."""
    tries = manner.explorer, manner.answers
    if agent is None:
        return Cast(learner, learner, _ANY, *tries)
    if isinstance(agent, Snapshot):
        return Cast(learner, Player(*pack(agent.model.layers)), _ANY, *tries)
    policy: Any = agent.as_policy
    if policy is None:
        raise SpecError(
            f"{clip(agent.spec)} cannot play inside a kernel: take a bot that is one policy, such "
            "as random"
        )
    return Cast(learner, learner, policy, *tries)


def _code(agents: Sequence[Agent], number: int, manner: Manner) -> int:
    """Return who sits where no learner does."""
    if number != LEARNER and isinstance(agents[number], Snapshot):
        return OLDER
    return TEACHER if manner.teaches else BOT


def one_kind(lineup: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return a lineup in which all opponents of a game are of one kind: the highest number."""
    highest = lineup.max(axis=1, keepdims=True)
    return np.where(lineup == LEARNER, LEARNER, highest)
