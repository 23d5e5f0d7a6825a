"""What all agents that search have in common: budgets, memory, threads, and what they report."""

import math
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt

from kibitz.core.agent import Agent, Games, Seats
from kibitz.core.decisions import NO_ACTION, Decisions, kinds_of
from kibitz.core.errors import SpecError
from kibitz.core.game import States, legal, max_legal
from kibitz.core.kernels import seconds_compiling
from kibitz.core.rng import RNG, Rng, Rngs, absorb, start
from kibitz.core.table import Game
from kibitz.search.desks import SHELF, Desk, TreeSize
from kibitz.search.playouts import UNIFORM
from kibitz.search.reuse import find_node
from kibitz.search.roots import (
    BY_MEAN,
    BY_PREFERENCE,
    DRAWN,
    Roots,
    Searches,
    begin_search,
    count_actions,
    draw,
    make_roots,
    pick_all,
    search_views,
    write_moments,
    write_root,
)
from kibitz.search.selection import begin_rule
from kibitz.search.simulation import search
from kibitz.search.tree import (
    EACH,
    FIRST_WORLD,
    JOINT,
    NONE,
    SEARCH,
    Tree,
    arms_of,
    find_decision,
)
from kibitz.search.values import KINDS
from kibitz.search.weighing import Weigher
from kibitz.search.worlds import add_up, draw_worlds, weights_of

MAX_SIMS = 10_000_000
MAX_NODES = 1_000_000
"""Most nodes of one tree; a search goes on without new ones when they are used up."""

MAX_WORLDS = 10_000

WEIGHED_AT_ONCE = 16
"""Worlds that are weighed between two looks at the clock."""

WEIGHING = 0.5
"""Part of the time in which worlds are weighed at most."""

LEAST_TIME = 1e-3
"""Seconds that are searched even if everything before took too long."""

FIRST_CHUNK = 16
"""Simulations after which a search that is watched, or goes by the clock, stops first."""

LONGEST_CHUNK = 20_000
"""Simulations after which Ctrl-C is heard."""

LONGEST_LOOK = 0.2
"""Seconds between two looks at a search that is watched, once its speed is known."""

ROOM_TO_REUSE = 4
"""A tree that is kept between moves has room for so many searches."""

_MAKING = threading.Lock()
"""Held while a desk is made: its rule and its evaluator may have to be declared."""

ValueKind = Literal["auto", "score", "rank", "win"]
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Line = list[tuple[int, int]]
"""Seats, and what they would play one after the other."""


@dataclass(frozen=True)
class SearchConfig:
    """Parameters that every search has."""

    sims: int = 1000  # simulations per decision
    time: float = 0.0  # seconds per decision instead, if above 0
    value: ValueKind = "auto"  # what a game is worth; auto: wins of two seats, else the score
    threads: int = 1  # trees searched side by side, their statistics added

    def __post_init__(self) -> None:
        """Refuse budgets that make no sense."""
        if not 1 <= self.sims <= MAX_SIMS:
            raise SpecError(f"sims={self.sims}: expected 1..{MAX_SIMS}")
        if not 0 <= self.time <= 3600:
            raise SpecError(f"time={self.time}: expected seconds from 0 to 3600")
        if not 1 <= self.threads <= 64:
            raise SpecError(f"threads={self.threads}: expected 1..64")


@dataclass(frozen=True)
class Found:
    """What a search knows about the actions of its root: [actions]."""

    actions: Ints
    visits: Floats
    sums: Floats
    squares: Floats
    weights: Floats  # how much each is to be played: visits, or what the rule says
    preference: Floats  # the highest is played
    lines: list[Line]  # what is expected from here on, by every tree that was grown
    n_sims: int = 0
    wins: Floats | None = None  # of the simulations of each, where they are counted beside values
    win_squares: Floats | None = None

    def moments(self) -> tuple[Floats, Floats]:
        """Return means and their standard errors; an action never tried has no value."""
        means, errors = np.empty(len(self.visits)), np.empty(len(self.visits))
        write_moments(self.visits, self.sums, self.squares, means, errors)
        return means, errors

    def win_moments(self) -> tuple[Floats, Floats]:
        """Return shares of wins and their standard errors; NaN if nobody counted."""
        means, errors = np.full((2, len(self.visits)), np.nan)
        if self.wins is not None and self.win_squares is not None:
            write_moments(self.visits, self.wins, self.win_squares, means, errors)
        return means, errors

    @classmethod
    def add(cls, parts: list[Self]) -> Self:
        """Add what several trees found about the same actions."""
        names = ["visits", "sums", "squares", "weights", "preference"]
        names += ["wins", "win_squares"] * (parts[0].wins is not None)
        added = {name: np.sum([getattr(part, name) for part in parts], axis=0) for name in names}
        lines = [line for part in parts for line in part.lines]
        return replace(parts[0], **added, lines=lines, n_sims=sum(part.n_sims for part in parts))


Reader = Callable[[], Found]
"""Reads what a search has found so far."""


class SearchAgent(Agent, ABC):
    """Base of agents that search; a subclass says by which rule and which evaluator."""

    Config = SearchConfig
    keys = JOINT  # what leads from node to node where a view has no secrets
    keys_with_secrets = JOINT  # and where worlds are sampled
    is_flat = False
    is_sequential = False
    reuses = False  # keeps the tree of every game for the next move
    searches_together = True  # many views in one call
    counts_wins = False  # beside values
    picks = BY_PREFERENCE  # what is played of what was found
    n_worlds = 0  # in a pool; 0: a new one for every simulation
    n_scratch = 0  # numbers that the evaluator computes with
    n_indices = 0  # of actions that it tells apart
    weights = np.zeros(0, np.float32)  # of its networks
    weigher: Weigher | None = None  # of a pool of worlds

    def __init_subclass__(cls, **words: Any) -> None:
        """See who decides in a way of its own: it is asked view by view, unless it says it can."""
        super().__init_subclass__(**words)
        own = {"pick", "grow", "run", "read_root"} & cls.__dict__.keys()
        if own and "searches_together" not in cls.__dict__:
            cls.searches_together = False

    def __init__(self, game: Game, config: Any = None) -> None:
        """Prepare; the memory is made when it is first needed."""
        super().__init__(game, config)
        self._desks: list[Desk] = []  # that no search uses at present
        self._kept: dict[tuple[int, int], Desk] = {}  # by game and seat
        self._sims_per_second = 0.0
        self._pool: ThreadPoolExecutor | None = None
        self.value = self.config.value
        if self.value == "auto":
            self.value = "win" if game.n_seats == 2 else "score"

    @abstractmethod
    def make_rule(self) -> np.record:
        """Return the selection rule, a new one for every desk."""

    def make_evaluator(self) -> np.record:
        """Return what values leaves, a new one for every desk if it learns: random playouts."""
        return UNIFORM

    def n_sims(self, n_actions: int) -> int:
        """Return the number of simulations of a decision between so many actions."""
        return int(self.config.sims)

    def fill_pool(self, states: States, seat: int, rng: Rng, until: float) -> Floats:
        """Write the worlds of a pool to `states[FIRST_WORLD:]`, for the view in `states[0]`.

        Weighing stops at a time of `time.perf_counter`. Returns their weights: [n_worlds].
        """
        draw_worlds(states, FIRST_WORLD, self.n_worlds, seat, rng)
        return weights_of(self.weigh_worlds(states[0], seat, states[FIRST_WORLD:], rng, until))

    def weigh_worlds(
        self, view: np.record, seat: int, worlds: States, rng: Rng, until: float
    ) -> Floats:
        """Return how likely worlds of a view are, in logarithms: all alike without a weigher.

        Those that there is no time for are out of the question.
        """
        if self.weigher is None:
            return np.zeros(len(worlds))
        logs = np.full(len(worlds), -np.inf)
        for first in range(0, len(worlds), WEIGHED_AT_ONCE):
            part = slice(first, first + WEIGHED_AT_ONCE)
            logs[part] = self.weigher(view, seat, worlds[part], rng)
            if time.perf_counter() >= until:
                break
        return logs

    def pick(self, found: Found, values: Floats, rng: Rng) -> int:
        """Choose an action by what was found."""
        if self.picks == BY_MEAN:
            return int(np.nanargmax(values))
        if self.picks == DRAWN:
            return int(draw(found.weights, rng))
        return int(np.lexsort((values, found.preference))[-1])

    def act(self, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
        """Search every view, one after the other."""
        config = self.config
        is_plain = config.threads == 1 and not (config.time or self.reuses or self.n_worlds)
        is_plain = is_plain and not self.counts_wins
        if is_plain and self.searches_together:
            with self.desk() as desk:
                counts = np.empty(len(views), np.int64)
                count_actions(views, seats, desk.tree.listed, counts)
                n_sims = np.array([self.n_sims(n) for n in counts.tolist()])
                if n_sims.max() <= LONGEST_CHUNK:
                    asked = Searches(views, seats, rngs, n_sims)
                    return self._search_all(desk, asked, int(counts.max()))
        return self._search_each(views, seats, rngs, games)

    def think(
        self, view: np.record, seat: int, rng: Rng | None = None, game: int = 0
    ) -> Iterator[Decisions]:
        """Decide for one view, again and again while the search goes on.

        The last decision is the one that `decide` would make with this stream. Whoever stops
        reading stops the search.
        """
        views, seats, rngs, _ = self.ask_one(view, seat, rng)
        with self._growing(views, (game, seat), rngs[0], FIRST_CHUNK) as growing:
            for read in growing:  # what is drawn to decide is not taken from the search
                yield self._decide([read()], seats, rngs.copy())

    def _search_all(self, desk: Desk, asked: Searches, most: int) -> Decisions:
        """Search many views in a few calls; Ctrl-C is heard between them."""
        views, seats, rngs, n_sims = asked
        roots = make_roots(len(views), most)
        first, end = 0, len(views)
        total = np.cumsum(n_sims)
        while first < len(views):
            if total[-1] > LONGEST_CHUNK:
                done = total[first] - n_sims[first]
                end = int(np.searchsorted(total, done + LONGEST_CHUNK, "right"))
            search_views(desk.tools, asked, roots, first, end)
            first = end
        return self.decide_by(roots, seats, rngs, n_sims)

    def decide_by(self, roots: Roots, seats: Seats, rngs: Rngs, n_sims: Ints) -> Decisions:
        """Decide by what was found at the roots of many views."""
        actions = np.empty(len(seats), np.int64)
        pick_all(roots, self.picks, rngs, actions)
        lines = [
            [[(seat, action) for seat, action in line[:n].tolist()]]
            for line, n in zip(roots.lines, roots.n_steps.tolist(), strict=True)
        ]
        info = {
            "lines": _lines_that_begin(lines, seats, actions),
            "sims": n_sims.tolist(),
        }
        return Decisions(
            actions,
            roots.actions,
            roots.n_actions,
            *(roots.weights, roots.visits, roots.means, roots.errors),
            kinds_of(len(actions), KINDS[self.value]),
            info,
        )

    def _search_each(self, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
        """Search every view by itself, as what cannot be cut, clocked or judged in one call needs.

        That is by the clock, with several trees, in a tree that is kept, in a pool of worlds, with
        more simulations than one call makes.
        """
        found = []
        for k in range(len(views)):
            who = (int(games[k]), int(seats[k]))
            with self._growing(views[k : k + 1], who, rngs[k], LONGEST_CHUNK) as growing:
                *_, read = growing
                found.append(read())
        decisions = self._decide(found, seats, rngs)
        for k, action in enumerate(decisions.actions.tolist()):
            who = (int(games[k]), int(seats[k]))
            if who in self._kept:
                self._kept[who].action = action
        return decisions

    def _decide(self, found: list[Found], seats: Seats, rngs: Rngs) -> Decisions:
        """Decide by what searches of single views have found."""
        most = max(len(one.actions) for one in found)
        actions = np.zeros(len(found), np.int64)
        choices = np.full((len(found), most), NO_ACTION)
        weights, visits, values, errors, *wins = np.full((6, len(found), most), np.nan)
        for k, one in enumerate(found):
            n = len(one.actions)
            choices[k, :n], weights[k, :n], visits[k, :n] = one.actions, one.weights, one.visits
            values[k, :n], errors[k, :n] = one.moments()
            wins[0][k, :n], wins[1][k, :n] = one.win_moments()
            picked = self.pick(one, values[k, :n], rngs[k])
            actions[k] = one.actions[picked]
            if self.picks == BY_MEAN:  # visits say nothing about what it plays
                weights[k, :n] = np.arange(n) == picked
        info = {
            "lines": _lines_that_begin([one.lines for one in found], seats, actions),
            "sims": [one.n_sims for one in found],
        }
        n_choices = np.array([len(one.actions) for one in found])
        kinds = kinds_of(len(found), KINDS[self.value])
        columns = (weights, visits, values, errors, kinds, info)
        told = wins if self.counts_wins else (None, None)
        return Decisions(actions, choices, n_choices, *columns, *told)

    @property
    def forgets(self) -> bool:
        """Whether trees of games are kept, or a class keeps something of its own."""
        return self.reuses or type(self).end is not SearchAgent.end

    def end(self, games: Games) -> None:
        """Drop the trees of games that are over."""
        over = set(map(int, games))
        for who in [who for who in list(self._kept) if who[0] in over]:
            del self._kept[who]

    @contextmanager
    def _growing(
        self, view: States, who: tuple[int, int], rng: Rng, chunk: int
    ) -> Iterator[Iterator[Reader]]:
        """Search one view, with several trees if there are threads for them.

        Each item reads all that was found so far, first after about `chunk` simulations; the memory
        is theirs until the context ends.
        """
        n, seat = self.config.threads, who[1]
        with ExitStack() as desks:
            if self.reuses:
                desk = self._kept.pop(who, None) or self.make_desk()
                yield self.grow(desk, view, seat, rng, 1, chunk)
                self._kept[who] = desk
                return
            if n == 1:
                desk = desks.enter_context(self.desk())
                yield self.grow(desk, view, seat, rng, 1, chunk)
                return
            growing = []
            for i in range(n):
                own = np.zeros(1, RNG)[0]
                start(own, np.uint64(absorb(rng.counter, i)))
                desk = desks.enter_context(self.desk())
                growing.append(self.grow(desk, view, seat, own, n, chunk))
            if self._pool is None:
                self._pool = ThreadPoolExecutor(n)
            yield self._together(self._pool, growing)

    @staticmethod
    def _together(pool: ThreadPoolExecutor, growing: list[Iterator[Reader]]) -> Iterator[Reader]:
        """Let several trees grow side by side; read all of them as one."""

        def add() -> Found:
            parts = [read() for read in readers if read is not None]
            return type(parts[0]).add(parts)

        readers: list[Reader | None] = [None] * len(growing)
        while True:
            more = list(pool.map(lambda tree: next(tree, None), growing))
            if not any(more):
                return
            readers = [new or old for new, old in zip(more, readers, strict=True)]
            yield add

    def grow(
        self, desk: Desk, view: States, seat: int, rng: Rng, share: int, chunk: int
    ) -> Iterator[Reader]:
        """Grow one tree with its share of the budget."""
        seconds = self.config.time
        began = time.perf_counter() - seconds_compiling()
        n_sims = math.ceil(self.n_sims(legal(view[0], seat, desk.tree.listed)) / share)
        if not self._continue(desk, view, seat, n_sims):
            self._begin(desk, view, seat, rng, self.end_weighing(time.perf_counter()))
        if seconds:
            spent = time.perf_counter() - seconds_compiling() - began
            seconds = max(seconds - spent, LEAST_TIME)
        for _ in self.run(desk, rng, n_sims, seconds, chunk):
            yield partial(self.read_root, desk)

    def end_weighing(self, began: float) -> float:
        """Return when the time for weighing worlds is over, if a search began then."""
        seconds = self.config.time
        return began + WEIGHING * seconds if seconds else math.inf

    def search_alone(self, desk: Desk, view: States, seat: int, rng: Rng, share: int = 1) -> Found:
        """Grow one tree to its end, and read it."""
        *_, read = self.grow(desk, view, seat, rng, share, LONGEST_CHUNK)
        return read()

    def run(self, desk: Desk, rng: Rng, n_sims: int, seconds: float, chunk: int) -> Iterator[None]:
        """Run simulations: so many, or for so long if budgets go by the clock."""
        desk.how["n_planned"] = int(self._sims_per_second * seconds) if seconds else n_sims
        done, began = 0, time.perf_counter()
        for n in self._chunks(n_sims, seconds, chunk):
            search(desk.tools, rng, n)
            done += n
            if seconds:
                desk.how["n_planned"] = int(done / (time.perf_counter() - began) * seconds)
            yield

    def _begin(self, desk: Desk, view: States, seat: int, rng: Rng, until: float) -> None:
        """Begin a new tree."""
        states, how = desk.states, desk.how
        states[0] = view[0]
        begin_search(desk.tools, seat, rng)
        if self.n_worlds and how["samples_worlds"]:
            how["n_worlds"] = self.n_worlds
            desk.tree.shares[:] = add_up(self.fill_pool(states, seat, rng, until))

    def _continue(self, desk: Desk, view: States, seat: int, n_sims: int) -> bool:
        """Go on with the tree of the last move, if it has met this position and has room."""
        how, tree = desk.how, desk.tree
        if desk.action == NONE or how.keys != JOINT or how.n_nodes + n_sims > len(tree.nodes):
            return False
        node = find_node(tree, how, desk.states[0], view[0], desk.action)
        if node == NONE or find_decision(tree, node, seat) == NONE:
            return False
        how.root_node = node
        how.n_sims = 0
        desk.states[0] = view[0]
        begin_rule(desk.rule)
        return True

    def _chunks(self, n_sims: int, seconds: float, chunk: int) -> Iterator[int]:
        """Yield numbers of simulations to run, until the budget is used up.

        Without a clock they double, from the first on, up to the longest.
        """
        done = 0
        look = LONGEST_LOOK if chunk < LONGEST_CHUNK else math.inf
        while not seconds and done < n_sims:
            n = min(chunk, LONGEST_CHUNK, n_sims - done)
            began = time.perf_counter()
            yield n
            done += n
            per_sim = (time.perf_counter() - began) / n
            chunk = max(1, min(max(chunk, done), _chunk_of(look, per_sim)))
        if not seconds:
            return
        began = time.perf_counter()
        ends = began + seconds
        chunk = FIRST_CHUNK
        while True:
            yield chunk
            done += chunk
            now = time.perf_counter()
            if now >= ends:
                self._sims_per_second = done / (now - began)
                return
            per_sim = (now - began) / done
            chunk = max(1, min(4 * chunk, _chunk_of(min((ends - now) / 2, look), per_sim)))

    @contextmanager
    def desk(self) -> Iterator[Desk]:
        """Lend the memory of one search at a time; that of its tree is lent to all agents."""
        tree = SHELF.take(self.tree_size)
        try:
            try:
                desk = self._desks.pop()
            except IndexError:
                desk = self.make_desk(tree)
            desk.tree = Tree._make((*tree[:_WEIGHTS_AT], self.weights, *tree[_WEIGHTS_AT + 1 :]))
            yield desk
            desk.tree = _NO_TREE
            self._desks.append(desk)
        finally:
            SHELF.put(self.tree_size, tree)

    def make_desk(self, tree: Tree | None = None) -> Desk:
        """Make the memory of one search at a time."""
        game = self.game
        how = np.zeros(1, SEARCH)[0]
        how.n_seats = game.n_seats
        how.value_kind = KINDS[self.value]
        how.n_sides = game.n_sides
        how["sides"][: game.n_seats] = game.sides
        how["speaks"][np.unique(game.sides, return_index=True)[1]] = 1
        how.is_flat, how.is_sequential = self.is_flat, self.is_sequential
        how.open_keys, how.hidden_keys = self.keys, self.keys_with_secrets
        tree = self.tree_size.make() if tree is None else tree
        with _MAKING:
            rule, evaluator = self.make_rule(), self.make_evaluator()
        states = game.blank(FIRST_WORLD + self.n_worlds)
        return Desk(tree._replace(weights=self.weights), states, how, rule, evaluator)

    @cached_property
    def tree_size(self) -> TreeSize:
        """How large the tree of a search is."""
        nodes, decisions = self.n_nodes()
        most = int(max_legal(self.game.blank(1)[0]))
        return TreeSize(
            *(nodes, decisions, most, self.game.n_seats),
            *(self.n_worlds, self.n_scratch, self.n_indices),
        )

    def n_nodes(self) -> tuple[int, int]:
        """Return how many nodes and decisions a tree may have."""
        n_seats = self.game.n_seats
        if self.is_flat:
            return 1, n_seats
        if self.keys_with_secrets == EACH and self.game.has_secrets:
            n = min(n_seats * (self.config.sims * 4 + 2), MAX_NODES)
            return (MAX_NODES, MAX_NODES) if self.config.time else (n, n)
        n = min(self.config.sims * (ROOM_TO_REUSE if self.reuses else 1) + 1, MAX_NODES)
        n = MAX_NODES if self.config.time else n
        return n, n * (n_seats if self.game.facts.simultaneous else 1)

    def read_root(self, desk: Desk) -> Found:
        """Read the statistics of the root, in the order in which the rules list the actions."""
        tree, how = desk.tree, desk.how
        roots = make_roots(1, len(arms_of(tree, root_decision(desk))))
        write_root(tree, how, desk.rule, roots, 0)
        line = roots.lines[0, : roots.n_steps[0]].tolist()
        counted = None
        if self.counts_wins:
            arms = tree.arms[arms_of(tree, root_decision(desk))]
            counted = arms["second_sum"].astype(float), arms["second_count"].astype(float)
        return Found(
            roots.actions[0],
            roots.visits[0],
            roots.sums[0],
            roots.squares[0],
            roots.weights[0],
            roots.preference[0],
            [[(seat, action) for seat, action in line]],
            int(how["n_sims"]),
            *(counted or (None, None)),
        )


_WEIGHTS_AT = Tree._fields.index("weights")

_NO_TREE = TreeSize(0, 0, 0, 0, 0, 0).make()


def _chunk_of(seconds: float, per_sim: float) -> int:
    """Return how many simulations fit into a time."""
    return int(min(seconds / per_sim, MAX_SIMS)) + 1


def root_decision(desk: Desk) -> int:
    """Return the index of the searching seat's decision at the root."""
    return int(find_decision(desk.tree, desk.how["root_node"], desk.how["root_seat"]))


def _lines_that_begin(lines: list[list[Line]], seats: Seats, actions: Ints) -> list[Line]:
    """Return of every decision the first line that begins with what is played.

    There may be none: flat search, Gumbel, mixed strategies and added trees may play what no tree
    visited most. Then the line is what is played.
    """
    chosen = []
    for several, seat, action in zip(lines, seats.tolist(), actions.tolist(), strict=True):
        played = (seat, action)
        chosen.append(next((line for line in several if line[:1] == [played]), [played]))
    return chosen
