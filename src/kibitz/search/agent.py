"""What all agents that search have in common: budgets, memory, threads, and what they report."""

import math
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from kibitz.core.agent import Agent, Decisions, Games, Seats
from kibitz.core.errors import SpecError
from kibitz.core.game import States, max_legal, resample
from kibitz.core.rng import RNG, Rng, Rngs, absorb, start
from kibitz.core.table import Game
from kibitz.search.playouts import UNIFORM, forget
from kibitz.search.simulation import search
from kibitz.search.tree import (
    ARM,
    DECISION,
    JOINT,
    NODE,
    SEARCH,
    Tree,
    arms_of,
    begin,
    find_decision,
    principal_line,
)
from kibitz.search.values import KINDS

MAX_SIMS = 10_000_000
MAX_NODES = 1_000_000
"""Most nodes of one tree; a search goes on without new ones when they are used up."""

FIRST_CHUNK = 16
"""Simulations after which a search by the clock looks at it for the first time."""

MAX_PATH = 512
"""Choices that one simulation makes in the tree at most."""

ValueKind = Literal["auto", "score", "rank", "win"]


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
    states: States  # the view, the world that is played in, and scratch
    how: np.record
    policy: np.record
    rng: Rng


@dataclass(frozen=True)
class Found:
    """What a search knows about the actions of its root: [actions]."""

    actions: npt.NDArray[np.int64]
    visits: npt.NDArray[np.float64]
    sums: npt.NDArray[np.float64]
    squares: npt.NDArray[np.float64]
    line: list[tuple[int, int]] = field(default_factory=list)  # seats and what they would play
    n_sims: int = 0


class SearchAgent(Agent):
    """Base of agents that search; a subclass says by which rule and which playouts."""

    Config = SearchConfig
    keys = JOINT  # what leads from node to node where a view has no secrets
    keys_with_secrets = JOINT  # and where worlds are sampled
    is_flat = False
    is_sequential = False

    def __init__(self, game: Game, config: Any = None) -> None:
        """Prepare; the memory is made when it is first needed."""
        super().__init__(game, config)
        self.rule = self.make_rule()
        self._desks = threading.local()
        value = self.config.value
        if value == "auto":
            value = "win" if game.n_seats == 2 else "score"
        self.value_kind = KINDS[value]

    def make_rule(self) -> np.record:
        """Give the selection rule."""
        raise NotImplementedError

    def make_policy(self) -> np.record:
        """Give the policy of playouts, a new one for every desk if it learns."""
        return UNIFORM

    def n_sims(self, n_actions: int) -> int:
        """Give the number of simulations of a decision between so many actions."""
        return int(self.config.sims)

    def act(self, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
        """Search every view, one after the other."""
        found = [self._search(views[k : k + 1], int(seats[k]), rngs[k]) for k in range(len(views))]
        most = max(len(one.actions) for one in found)
        choices = np.zeros((len(found), most), np.int64)
        weights, values, errors = (np.zeros((len(found), most)) for _ in range(3))
        actions = np.zeros(len(found), np.int64)
        for k, one in enumerate(found):
            n = len(one.actions)
            choices[k, :n], weights[k, :n] = one.actions, one.visits
            values[k, :n], errors[k, :n] = _moments(one)
            actions[k] = one.actions[self.pick(one.visits, values[k, :n])]
        info = {"lines": [one.line for one in found], "sims": [one.n_sims for one in found]}
        return Decisions(actions, choices, weights, values, errors, info)

    def pick(self, visits: npt.NDArray[np.float64], values: npt.NDArray[np.float64]) -> int:
        """Choose an action by what was found: the most visits, then the best value."""
        return int(np.lexsort((values, visits))[-1])

    def _search(self, view: States, seat: int, rng: Rng) -> Found:
        """Search one view, with several trees if there are threads for them."""
        n = self.config.threads
        if n == 1:
            return self._search_alone(self._desk(), view, seat, rng, 1)
        keys = [absorb(rng.counter, i) for i in range(n)]

        def run(key: np.uint64) -> Found:
            own = np.zeros(1, RNG)[0]
            start(own, np.uint64(key))
            return self._search_alone(self._desk(), view, seat, own, n)

        with ThreadPoolExecutor(n) as pool:
            return _add(list(pool.map(run, keys)))

    def _search_alone(self, desk: Desk, view: States, seat: int, rng: Rng, share: int) -> Found:
        """Grow one tree with its share of the budget."""
        desk.states[0] = desk.states[1] = view[0]
        desk.how.root_seat = seat
        resample(desk.states[1], seat, rng)
        has_secrets = desk.states[1].tobytes() != desk.states[0].tobytes()
        desk.how.samples_worlds = has_secrets
        desk.how.keys = self.keys_with_secrets if has_secrets else self.keys
        begin(desk.tree, desk.how)
        forget(desk.policy)
        n_actions = len(self.game.legal(view[0], seat))
        for n in self._chunks(math.ceil(self.n_sims(n_actions) / share)):
            search(desk.tree, desk.states, desk.how, self.rule, desk.policy, rng, n)
        return read_root(desk.tree, desk.how, seat)

    def _chunks(self, n_sims: int) -> Iterator[int]:
        """Give numbers of simulations to run, until the budget is used up."""
        if not self.config.time:
            yield n_sims
            return
        ends = time.perf_counter() + self.config.time
        done, began = 0, time.perf_counter()
        chunk = FIRST_CHUNK
        while True:
            yield chunk
            done += chunk
            now = time.perf_counter()
            if now >= ends:
                return
            per_sim = (now - began) / done
            chunk = max(1, min(4 * chunk, int((ends - now) / per_sim / 2) + 1))

    def _desk(self) -> Desk:
        """Give this thread's memory."""
        desk: Desk | None = getattr(self._desks, "desk", None)
        if desk is None:
            desk = self._desks.desk = self._make_desk()
        return desk

    def _make_desk(self) -> Desk:
        n_nodes = 1 if self.is_flat else min(self.config.sims + 1, MAX_NODES)
        if self.config.time and not self.is_flat:
            n_nodes = MAX_NODES
        n_seats, most = self.game.n_seats, int(max_legal(self.game.blank(1)[0]))
        decisions = n_nodes * (n_seats if self.game.facts.simultaneous else 1)
        n_keys = 1 << (2 * n_nodes).bit_length()
        tree = Tree(
            np.empty(n_nodes, NODE),
            np.empty(decisions, DECISION),
            np.empty(decisions * most, ARM),
            np.zeros(n_keys, np.uint64),
            np.empty(n_keys, np.int32),
            np.empty((MAX_PATH, 2), np.int32),
            np.empty(most, np.int64),
            np.zeros(n_seats),
            np.zeros(n_seats),
        )
        how = np.zeros(1, SEARCH)[0]
        how.n_seats = n_seats
        how.value_kind = self.value_kind
        how.is_flat, how.is_sequential = self.is_flat, self.is_sequential
        return Desk(tree, self.game.blank(3), how, self.make_policy(), np.zeros(1, RNG)[0])


def read_root(tree: Tree, how: np.record, seat: int) -> Found:
    """Read the statistics of the root, in the order in which the rules list the actions."""
    decision = find_decision(tree, 0, seat)
    rows = tree.arms[arms_of(tree, decision)]
    return Found(
        rows["arm_action"].copy(),
        rows["arm_visits"].astype(np.float64),
        rows["value_sum"].copy(),
        rows["value_squares"].copy(),
        principal_line(tree, how),
        int(how.n_sims),
    )


def _add(parts: list[Found]) -> Found:
    """Add what several trees found about the same actions."""
    first = parts[0]
    return Found(
        first.actions,
        np.sum([part.visits for part in parts], axis=0),
        np.sum([part.sums for part in parts], axis=0),
        np.sum([part.squares for part in parts], axis=0),
        first.line,
        sum(part.n_sims for part in parts),
    )


def _moments(found: Found) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Give means and their standard errors; an action never tried has no value."""
    n = found.visits
    means = np.divide(found.sums, n, np.full(len(n), np.nan), where=n > 0)
    spread = np.maximum(found.squares - n * means**2, 0)
    errors = np.full(len(n), np.nan)
    many = n > 1
    errors[many] = np.sqrt(spread[many] / (n[many] - 1) / n[many])
    return means, errors
