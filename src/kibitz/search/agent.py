"""What all agents that search have in common: budgets, memory, threads, and what they report."""

import math
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt

from kibitz.core.agent import Agent, Decisions, Games, Seats
from kibitz.core.errors import SpecError
from kibitz.core.game import States, legal, max_legal
from kibitz.core.rng import RNG, Rng, Rngs, absorb, random_bits, start
from kibitz.core.table import Game
from kibitz.search.guides import NOBODY
from kibitz.search.playouts import UNIFORM
from kibitz.search.reuse import find_node
from kibitz.search.roots import (
    begin_search,
    count_actions,
    make_roots,
    pick_all,
    search_views,
    write_moments,
)
from kibitz.search.selection import begin_rule
from kibitz.search.simulation import search, search_each
from kibitz.search.tree import (
    ARM,
    DECISION,
    EACH,
    FIRST_WORLD,
    JOINT,
    NODE,
    NONE,
    SEARCH,
    Tree,
    arms_of,
    find_decision,
    principal_line,
)
from kibitz.search.values import KINDS
from kibitz.search.worlds import add_up, draw_worlds

MAX_SIMS = 10_000_000
MAX_NODES = 1_000_000
"""Most nodes of one tree; a search goes on without new ones when they are used up."""

MAX_ARMS = 8_000_000
"""Likewise of arms: some games allow far more actions than a decision has as a rule."""

MAX_WORLDS = 10_000

FIRST_CHUNK = 16
"""Simulations after which a search by the clock looks at it for the first time."""

LONGEST_CHUNK = 20_000
"""Simulations after which Ctrl-C is heard."""

MAX_PATH = 512
"""Choices that one simulation makes in the tree at most."""

ROOM_TO_REUSE = 4
"""A tree that is kept between moves has room for so many searches."""

_MAKING = threading.Lock()
"""Held while a desk is made: its rule and its policy may have to be declared."""

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


@dataclass
class Desk:
    """The memory of one search at a time."""

    tree: Tree
    states: States  # the view, the world that is played in, scratch, and a pool of worlds
    how: np.record  # between searches by how["keys"]: how.keys takes Python four times as long
    rule: np.record
    policy: np.record
    guide: np.record
    action: int = NONE  # that was chosen last


@dataclass(frozen=True)
class Found:
    """What a search knows about the actions of its root: [actions]."""

    actions: npt.NDArray[np.int64]
    visits: Floats
    sums: Floats
    squares: Floats
    weights: Floats  # how much each is to be played: visits, or what the rule says
    preference: Floats  # the highest is played
    lines: list[Line]  # what is expected from here on, by every tree that was grown
    n_sims: int = 0

    def moments(self) -> tuple[Floats, Floats]:
        """Give means and their standard errors; an action never tried has no value."""
        means, errors = np.empty(len(self.visits)), np.empty(len(self.visits))
        write_moments(self.visits, self.sums, self.squares, means, errors)
        return means, errors

    @classmethod
    def add(cls, parts: list[Self]) -> Self:
        """Add what several trees found about the same actions."""
        names = ("visits", "sums", "squares", "weights", "preference")
        added = {name: np.sum([getattr(part, name) for part in parts], axis=0) for name in names}
        lines = [line for part in parts for line in part.lines]
        return replace(parts[0], **added, lines=lines, n_sims=sum(part.n_sims for part in parts))


class SearchAgent(Agent, ABC):
    """Base of agents that search; a subclass says by which rule and which playouts."""

    Config = SearchConfig
    keys = JOINT  # what leads from node to node where a view has no secrets
    keys_with_secrets = JOINT  # and where worlds are sampled
    is_flat = False
    is_sequential = False
    reuses = False  # keeps the tree of every game for the next move
    searches_together = True  # many views in one call: nothing but visits and means decides
    picks_best_mean = False  # whatever the visits
    n_worlds = 0  # in a pool; 0: a new one for every simulation
    n_scratch = 0  # numbers that a guide computes with

    def __init_subclass__(cls, **words: Any) -> None:
        """See who decides in a way of its own: it is asked view by view, unless it says it can."""
        super().__init_subclass__(**words)
        own = {"judge", "pick", "search_alone", "run", "read_root"} & cls.__dict__.keys()
        if own and "searches_together" not in cls.__dict__:
            cls.searches_together = False

    def __init__(self, game: Game, config: Any = None) -> None:
        """Prepare; the memory is made when it is first needed."""
        super().__init__(game, config)
        self._desks = threading.local()
        self._kept: dict[tuple[int, int], Desk] = {}  # by game and seat
        self._sims_per_second = 0.0
        self._pool: ThreadPoolExecutor | None = None  # its threads keep their desks
        self.value = self.config.value
        if self.value == "auto":
            self.value = "win" if game.n_seats == 2 else "score"

    @abstractmethod
    def make_rule(self) -> np.record:
        """Give the selection rule, a new one for every desk."""

    def make_policy(self) -> np.record:
        """Give the policy of playouts, a new one for every desk if it learns."""
        return UNIFORM

    def make_guide(self) -> np.record:
        """Give who says what to try first; it is shared by all desks."""
        return NOBODY

    def n_sims(self, n_actions: int) -> int:
        """Give the number of simulations of a decision between so many actions."""
        return int(self.config.sims)

    def weigh_worlds(self, view: np.record, seat: int, worlds: States) -> Floats:
        """Give the weights of a pool of worlds that fit a view; all the same unless overridden."""
        return np.ones(len(worlds))

    def judge(self, rows: npt.NDArray[np.record], desk: Desk) -> tuple[Floats, Floats]:
        """Give weights and preferences of the arms of the root: their visits."""
        visits: Floats = rows["arm_visits"].astype(np.float64)
        return visits, visits

    def pick(self, found: Found, values: Floats, rng: Rng) -> int:
        """Choose an action by what was found: the preferred one, then the best value."""
        if self.picks_best_mean:
            return int(np.nanargmax(values))
        return int(np.lexsort((values, found.preference))[-1])

    def act(self, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
        """Search every view, one after the other."""
        config = self.config
        if config.threads == 1 and not (config.time or self.reuses or self.n_worlds):
            desk = self._desk()
            counts = np.empty(len(views), np.int64)
            count_actions(views, seats, desk.tree.listed, counts)
            n_sims = np.array([self.n_sims(n) for n in counts.tolist()])
            is_short = n_sims.max() <= LONGEST_CHUNK
            if is_short and self.searches_together and desk.how["hidden_keys"] != EACH:
                return self._search_all(desk, (views, seats, rngs, n_sims), int(counts.max()))
        return self._search_each(views, seats, rngs, games)

    def _search_all(
        self, desk: Desk, asked: tuple[States, Seats, Rngs, Seats], most: int
    ) -> Decisions:
        """Search many views in a few calls; Ctrl-C is heard between them."""
        views, _, _, n_sims = asked
        roots = make_roots(len(views), most)
        ends = np.searchsorted(
            np.cumsum(n_sims), np.cumsum(n_sims) - n_sims + LONGEST_CHUNK, "right"
        )
        first = 0
        while first < len(views):
            end = int(ends[first])
            search_views(
                *(desk.tree, desk.states, desk.how, desk.rule, desk.policy, desk.guide),
                *(asked, roots, first, end),
            )
            first = end
        actions = np.empty(len(views), np.int64)
        pick_all(roots, self.picks_best_mean, actions)
        weights = roots.visits.copy()
        if self.picks_best_mean:  # visits say nothing about what it plays
            _keep_only(weights, roots.actions, roots.n_actions, actions)
        lines = [
            [[(seat, action) for seat, action in line[:n].tolist()]]
            for line, n in zip(roots.lines, roots.n_steps.tolist(), strict=True)
        ]
        info = {
            "lines": _lines_that_begin(lines, asked[1], actions),
            "sims": n_sims.tolist(),
            "value": self.value,
        }
        return Decisions(
            actions, roots.actions, weights, roots.visits, roots.means, roots.errors, info
        )

    def _search_each(self, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
        """Search every view by itself, as what cannot be cut, clocked or judged in one call needs.

        That is by the clock, with several trees or one for each seat, in a tree that is kept, in a
        pool of worlds, with more simulations than one call makes.
        """
        found, moments = [], []
        actions = np.zeros(len(views), np.int64)
        for k in range(len(views)):
            who = (int(games[k]), int(seats[k]))
            one = self._search(views[k : k + 1], who, rngs[k])
            found.append(one)
            moments.append(one.moments())
            actions[k] = one.actions[self.pick(one, moments[k][0], rngs[k])]
            if who in self._kept:
                self._kept[who].action = int(actions[k])
        most = max(len(one.actions) for one in found)
        choices = np.zeros((len(found), most), np.int64)
        weights, visits, values, errors = (np.zeros((len(found), most)) for _ in range(4))
        for k, one in enumerate(found):
            n = len(one.actions)
            choices[k, :n], weights[k, :n], visits[k, :n] = one.actions, one.weights, one.visits
            values[k, :n], errors[k, :n] = moments[k]
        if self.picks_best_mean:
            n_actions = np.array([len(one.actions) for one in found])
            _keep_only(weights, choices, n_actions, actions)
        info = {
            "lines": _lines_that_begin([one.lines for one in found], seats, actions),
            "sims": [one.n_sims for one in found],
            "value": self.value,
        }
        return Decisions(actions, choices, weights, visits, values, errors, info)

    def end(self, games: Games) -> None:
        """Give up the trees of games that are over."""
        over = set(map(int, games))
        for who in [who for who in list(self._kept) if who[0] in over]:
            del self._kept[who]

    def _search(self, view: States, who: tuple[int, int], rng: Rng) -> Found:
        """Search one view, with several trees if there are threads for them."""
        n, seat = self.config.threads, who[1]
        if n == 1:
            desk = self._kept.get(who)
            if desk is None:
                desk = self.make_desk() if self.reuses else self._desk()
            found = self.search_alone(desk, view, seat, rng, 1)
            if self.reuses:
                self._kept[who] = desk
            return found
        keys = [absorb(rng.counter, i) for i in range(n)]

        def run(key: np.uint64) -> Found:
            own = np.zeros(1, RNG)[0]
            start(own, np.uint64(key))
            return self.search_alone(self._desk(), view, seat, own, n)

        if self._pool is None:
            self._pool = ThreadPoolExecutor(n)
        parts = list(self._pool.map(run, keys))
        return type(parts[0]).add(parts)

    def search_alone(self, desk: Desk, view: States, seat: int, rng: Rng, share: int) -> Found:
        """Grow one tree with its share of the budget."""
        n_sims = math.ceil(self.n_sims(legal(view[0], seat, desk.tree.listed)) / share)
        if not self._continue(desk, view, seat, n_sims):
            self._begin(desk, view, seat, rng)
        self.run(desk, rng, n_sims)
        return self.read_root(desk)

    def run(self, desk: Desk, rng: Rng, n_sims: int, seconds: float | None = None) -> None:
        """Run simulations: so many, or for so long if budgets go by the clock."""
        seconds = self.config.time if seconds is None else seconds
        desk.how["n_planned"] = int(self._sims_per_second * seconds) if seconds else n_sims
        grow = search_each if desk.how["keys"] == EACH else search
        for n in self._chunks(n_sims, seconds):
            grow(desk.tree, desk.states, desk.how, desk.rule, desk.policy, desk.guide, rng, n)

    def _begin(self, desk: Desk, view: States, seat: int, rng: Rng) -> None:
        """Begin a new tree."""
        states, how = desk.states, desk.how
        states[0] = view[0]
        begin_search(desk.tree, states, how, desk.rule, desk.policy, seat, rng)
        if self.n_worlds and how["samples_worlds"]:
            how["n_worlds"] = self.n_worlds
            draw_worlds(states, FIRST_WORLD, self.n_worlds, seat, rng)
            weights = self.weigh_worlds(view[0], seat, states[FIRST_WORLD:])
            desk.tree.shares[:] = add_up(weights)

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

    def _chunks(self, n_sims: int, seconds: float) -> Iterator[int]:
        """Give numbers of simulations to run, until the budget is used up."""
        if not seconds:
            for done in range(0, n_sims, LONGEST_CHUNK):
                yield min(LONGEST_CHUNK, n_sims - done)
            return
        began = time.perf_counter()
        ends = began + seconds
        done, chunk = 0, FIRST_CHUNK
        while True:
            yield chunk
            done += chunk
            now = time.perf_counter()
            if now >= ends:
                self._sims_per_second = done / (now - began)
                return
            per_sim = (now - began) / done
            chunk = max(1, min(4 * chunk, int((ends - now) / per_sim / 2) + 1))

    def _desk(self) -> Desk:
        """Give this thread's memory."""
        desk: Desk | None = getattr(self._desks, "desk", None)
        if desk is None:
            with _MAKING:
                desk = self._desks.desk = self.make_desk()
        return desk

    def make_desk(self) -> Desk:
        """Make the memory of one search at a time."""
        n_seats, most = self.game.n_seats, int(max_legal(self.game.blank(1)[0]))
        n_nodes, decisions = self.n_nodes()
        n_keys = 1 << (2 * n_nodes).bit_length()
        tree = Tree(
            np.empty(n_nodes, NODE),
            np.empty(decisions, DECISION),
            np.empty(min(decisions * most, MAX_ARMS), ARM),
            np.zeros(n_keys, np.uint64),
            np.empty(n_keys, np.int32),
            np.empty((MAX_PATH, 2), np.int32),
            np.empty(most, np.int64),
            np.zeros(n_seats),
            np.zeros(n_seats),
            np.zeros(self.n_scratch, np.float32),
            np.ones(max(self.n_worlds, 1)),
        )
        how = np.zeros(1, SEARCH)[0]
        how.n_seats = n_seats
        how.value_kind = KINDS[self.value]
        how.n_sides = self.game.n_sides
        how["speaks"][np.unique(self.game.sides, return_index=True)[1]] = 1
        how.is_flat, how.is_sequential = self.is_flat, self.is_sequential
        how.open_keys, how.hidden_keys = self.keys, self.keys_with_secrets
        states = self.game.blank(FIRST_WORLD + self.n_worlds)
        return Desk(tree, states, how, self.make_rule(), self.make_policy(), self.make_guide())

    def n_nodes(self) -> tuple[int, int]:
        """Give how many nodes and decisions a tree may have."""
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
        rows = tree.arms[arms_of(tree, root_decision(desk))]
        return Found(
            rows["arm_action"].copy(),
            rows["arm_visits"].astype(np.float64),
            rows["value_sum"].copy(),
            rows["value_squares"].copy(),
            *self.judge(rows, desk),
            [principal_line(tree, how)],
            int(how["n_sims"]),
        )


def root_decision(desk: Desk) -> int:
    """Give the index of the searching seat's decision at the root."""
    return int(find_decision(desk.tree, desk.how["root_node"], desk.how["root_seat"]))


def _keep_only(weights: Floats, choices: Ints, n_actions: Ints, actions: Ints) -> None:
    """Let all the weight lie on what was chosen."""
    is_one = np.arange(choices.shape[1]) < n_actions[:, np.newaxis]
    weights[:] = is_one & (choices == actions[:, np.newaxis])


def _lines_that_begin(lines: list[list[Line]], seats: Seats, actions: Ints) -> list[Line]:
    """Give of every decision the first line that begins with what is played.

    There may be none: flat search, Gumbel, mixed strategies and added trees may play what no tree
    visited most. Then the line is what is played.
    """
    chosen = []
    for several, seat, action in zip(lines, seats.tolist(), actions.tolist(), strict=True):
        played = (seat, action)
        chosen.append(next((line for line in several if line[:1] == [played]), [played]))
    return chosen


def draw(weights: Floats, rng: Rng) -> int:
    """Draw an index in proportion to the weights."""
    unit = float(random_bits(rng)) / 2.0**64
    shares = np.cumsum(weights / weights.sum())
    return min(int(np.searchsorted(shares, unit, side="right")), len(weights) - 1)
