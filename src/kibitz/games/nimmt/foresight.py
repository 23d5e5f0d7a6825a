"""The player behind `best` where hands are hidden: a few turns ahead, then a judgement."""

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from kibitz.core.agent import Agent, Games, Seats
from kibitz.core.decisions import NO_ACTION, Decisions, ValueKind, kinds_of
from kibitz.core.errors import SpecError
from kibitz.core.game import States
from kibitz.core.rng import Rng, Rngs
from kibitz.core.table import Game
from kibitz.games.nimmt.lookahead import (
    ARM,
    MAX_ARMS,
    Desk,
    Judgement,
    begin_search,
    halve_search,
    make_desk,
    search_all,
    search_phase,
)
from kibitz.search.agent import SearchConfig

FIRST_CHUNK = 2
"""Worlds after which a search by the clock looks at it first."""

MOST_TURNS = 10

Arms = npt.NDArray[np.record]


@dataclass(frozen=True)
class ForesightConfig:
    """Parameters of the search."""

    sims: int = 1000  # simulations per decision
    time: float = 0.0  # seconds per decision instead, if above 0
    turns: int = 3  # played ahead, this one included, before the judgement

    def __post_init__(self) -> None:
        """Refuse parameters out of range."""
        SearchConfig(sims=self.sims, time=self.time)
        if not 1 <= self.turns <= MOST_TURNS:
            raise SpecError(f"turns={self.turns}: expected 1..{MOST_TURNS}")


class ForesightAgent(Agent):
    """Tries its choices in sampled worlds, some turns ahead, and asks what it has learnt."""

    name = "foresight"
    Config: ClassVar[type[Any]] = ForesightConfig

    def __init__(self, game: Game, config: Any = None, judgement: Judgement | None = None) -> None:
        """Take what has been learnt."""
        super().__init__(game, config)
        assert judgement is not None
        self.judgement = judgement
        self._desks: list[Desk] = []
        self._lock = threading.Lock()

    def act(self, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
        """Search every view; all in one call unless there is a clock."""
        found = np.zeros((len(views), MAX_ARMS), ARM)
        desk = self._take_desk()
        if not self.config.time:
            asked = views, seats, rngs
            config = self.config
            search_all(asked, config.turns, config.sims, desk, self.judgement, found)
        else:
            for k in range(len(views)):
                for _ in self._search(desk, views[k : k + 1], int(seats[k]), rngs[k : k + 1]):
                    pass
                found[k] = desk.arms
        self._desks.append(desk)
        return self._decide(found, views, seats)

    def _take_desk(self) -> Desk:
        """Take the memory of a search that nobody uses."""
        try:
            return self._desks.pop()
        except IndexError:
            return make_desk()

    def think(
        self, view: np.record, seat: int, rng: Rng | None = None, game: int = 0
    ) -> Iterator[Decisions]:
        """Decide for one view, again after every halving."""
        views, seats, rngs, _ = self.ask_one(view, seat, rng)
        desk = self._take_desk()
        for _ in self._search(desk, views, seat, rngs):
            yield self._decide(desk.arms[np.newaxis].copy(), views, seats)

    def _search(self, desk: Desk, views: States, seat: int, rngs: Rngs) -> Iterator[None]:
        """Search one view in phases; after each, half of what is left is given up."""
        began = time.perf_counter()
        plan = begin_search(views, seat, self.config.turns, desk)
        desk.arms["choice"][plan.n_arms :] = NO_ACTION
        desk.arms["is_alive"][plan.n_arms :] = 0
        n_alive = int(plan.n_arms)
        n_phases = max((n_alive - 1).bit_length(), 1)
        for phase in range(n_phases):
            if self.config.time:
                ends = began + self.config.time * (phase + 1) / n_phases
                self._run_until(ends, desk, plan, rngs)
            else:
                n_worlds = max(self.config.sims // (n_phases * n_alive), 1)
                search_phase(desk, self.judgement, plan, rngs, n_worlds)
            if phase < n_phases - 1:
                halve_search(desk, plan)
                n_alive -= n_alive // 2
            yield

    def _run_until(self, ends: float, desk: Desk, plan: Any, rngs: Rngs) -> None:
        """Run worlds until the clock says so."""
        began = now = time.perf_counter()
        done, chunk = 0, FIRST_CHUNK
        while now < ends or done == 0:
            search_phase(desk, self.judgement, plan, rngs, chunk)
            done += chunk
            now = time.perf_counter()
            left = int((ends - now) / (now - began) * done * 0.7)
            chunk = max(1, min(4 * chunk, left))

    def _decide(self, found: Arms, views: States, seats: Seats) -> Decisions:
        """Decide by what searches have found."""
        n_choices = (found["choice"] != NO_ACTION).sum(1)
        most = int(n_choices.max())
        arms = found[:, :most]
        rows = np.arange(len(found))
        tries = np.maximum(arms["tries"], 1)
        is_there = arms["choice"] != NO_ACTION
        means = arms["heads_sum"] / tries
        spread = np.maximum(arms["heads_squares"] - tries * means**2, 0)
        errors = np.sqrt(spread / np.maximum(tries - 1, 1) / tries)
        best = np.argmin(np.where(arms["is_alive"] == 1, means, np.inf), axis=1)
        before = views["taken"][rows, seats].astype(float) + views["total"][rows, seats]
        values = np.where(is_there, -before[:, np.newaxis] - means, np.nan)
        weights = np.where(is_there, 0.0, np.nan)
        weights[rows, best] = 1
        visits = np.where(is_there, arms["tries"].astype(float), np.nan)
        return Decisions(
            arms["choice"][rows, best],
            arms["choice"].copy(),
            n_choices,
            weights,
            visits,
            values,
            np.where(is_there, errors, np.nan),
            kinds_of(len(found), ValueKind.SCORE),
            {"sims": arms["tries"].sum(1).tolist()},
        )
