"""The player behind `best` where hands are hidden: a few turns ahead, then a judgement."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
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
from kibitz.games.nimmt.beliefs import load_judgement
from kibitz.games.nimmt.lookahead import (
    ARM,
    MAX_ARMS,
    Desk,
    Judgement,
    Notions,
    Plan,
    begin_search,
    give_up_half,
    go_on,
    make_desk,
    make_notions,
    search_all,
)
from kibitz.games.nimmt.state import CHOOSING, DRAFTING, HAND_CARDS
from kibitz.games.nimmt.suspicion import MEMORY, Memories, recall
from kibitz.search.agent import SearchConfig
from kibitz.search.mcs import McsAgent, McsConfig

FIRST_CHUNK = 2
"""Worlds after which a search by the clock looks at it first."""

MOST_AT_ONCE = 20_000
"""Simulations of one call at most, about: Ctrl-C is heard between calls."""

Arms = npt.NDArray[np.record]


@dataclass(frozen=True)
class ForesightConfig:
    """Parameters of the search."""

    sims: int = 1000  # simulations per decision
    time: float = 0.0  # seconds per decision instead, if above 0
    turns: int = 3  # played ahead, this one included, before the judgement
    model: str = "auto"  # what it has learnt: a model that ships, or the folder of a training run

    def __post_init__(self) -> None:
        """Refuse parameters out of range."""
        SearchConfig(sims=self.sims, time=self.time)
        if not 1 <= self.turns <= HAND_CARDS:
            raise SpecError(f"turns={self.turns}: expected 1..{HAND_CARDS}")


class ForesightAgent(Agent):
    """Tries its choices in sampled worlds, some turns ahead, and asks what it has learnt.

    It remembers what the others have played, and so finds out who plays at random and which cards
    they may still hold. Picks of a draft are left to flat Monte Carlo.
    """

    name = "foresight"
    Config: ClassVar[type[Any]] = ForesightConfig

    def __init__(self, game: Game, config: Any = None, judgement: Judgement | None = None) -> None:
        """Load what has been learnt, unless it is given."""
        super().__init__(game, config)
        self.judgement = judgement or load_judgement(self.config.model, game)
        self._desks: list[Desk] = []  # that no search uses at present
        self._kept: dict[tuple[int, int], tuple[States, Memories]] = {}  # by game and seat
        self._drafter: Agent | None = None
        if game.options["draft"] == "true":
            sims, seconds = self.config.sims, self.config.time
            self._drafter = McsAgent(game, McsConfig(sims=sims, time=seconds))

    def act(self, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
        """Search every view, except for picks of a draft."""
        if self._drafter is None:
            return self._search_all(views, seats, rngs, self._recall(views, seats, games))
        drafts = views["phase"] == DRAFTING
        parts = []
        if drafts.any():
            here = np.flatnonzero(drafts)
            picks = self._drafter.act(views[here], seats[here], rngs[here], games[here])
            parts.append((here, picks))
        if not drafts.all():
            here = np.flatnonzero(~drafts)
            notions = self._recall(views[here], seats[here], games[here])
            searched = self._search_all(views[here], seats[here], rngs[here], notions)
            parts.append((here, searched))
        return Decisions.merge(len(views), parts)

    def think(
        self, view: np.record, seat: int, rng: Rng | None = None, game: int = 0
    ) -> Iterator[Decisions]:
        """Decide for one view, again after every halving."""
        views, seats, rngs, _ = self.ask_one(view, seat, rng)
        if view.phase == DRAFTING and self._drafter is not None:
            yield from self._drafter.think(view, seat, rng, game)
            return
        notions = self._recall(views, seats, np.array([game]))
        with self._desk() as desk:
            desk.notions[0] = notions[0]
            for plan in self._search(desk, views, seat, rngs):
                found = np.zeros((1, MAX_ARMS), ARM)
                found[0, : plan.n_arms] = desk.arms[: plan.n_arms]
                yield _decide(found, views, seats)

    def end(self, games: Games) -> None:
        """Forget games that are over."""
        over = set(map(int, games))
        for who in [who for who in list(self._kept) if who[0] in over]:
            self._kept.pop(who, None)

    def _recall(self, views: States, seats: Seats, games: Games) -> Notions:
        """Return what is thought of the others, by all that they played: [views]."""
        notions = make_notions(len(views))
        if self.game.options["hands"] == "open":
            return notions
        for k, who in enumerate(zip(games.tolist(), seats.tolist(), strict=True)):
            here = views[k : k + 1].copy()
            before, memory = self._kept.get(who, (here, np.zeros(1, MEMORY)))
            memory = memory.copy()
            recall(before, here, who[1], self.judgement.factors, memory, notions[k : k + 1])
            if here[0].phase == CHOOSING:  # a row is taken within a turn
                self._kept[who] = here, memory
        return notions

    def _search_all(self, views: States, seats: Seats, rngs: Rngs, notions: Notions) -> Decisions:
        """Search every view: many in one call, unless there is a clock."""
        found = np.zeros((len(views), MAX_ARMS), ARM)
        sims, turns = self.config.sims, self.config.turns
        with self._desk() as desk:
            if not self.config.time:
                step = max(MOST_AT_ONCE // sims, 1)
                for first in range(0, len(views), step):
                    part = slice(first, first + step)
                    asked = views[part], seats[part], rngs[part], notions[part]
                    search_all(asked, (turns, sims), desk, self.judgement, found[part])
            else:
                for k in range(len(views)):
                    one = slice(k, k + 1)
                    desk.notions[0] = notions[k]
                    *_, plan = self._search(desk, views[one], int(seats[k]), rngs[one])
                    found[k, : plan.n_arms] = desk.arms[: plan.n_arms]
        return _decide(found, views, seats)

    @contextmanager
    def _desk(self) -> Iterator[Desk]:
        """Lend the memory of one search at a time."""
        try:
            desk = self._desks.pop()
        except IndexError:
            desk = make_desk()
        try:
            yield desk
        finally:
            self._desks.append(desk)

    def _search(self, desk: Desk, views: States, seat: int, rngs: Rngs) -> Iterator[Plan]:
        """Search one view in phases; between them, half of what is left is given up."""
        began = time.perf_counter()
        plan = begin_search(views, seat, self.config.turns, desk)
        n_alive = int(plan.n_arms)
        n_phases = max((n_alive - 1).bit_length(), 1)
        for phase in range(n_phases):
            if self.config.time:
                ends = began + self.config.time * (phase + 1) / n_phases
                self._run_until(ends, desk, plan, rngs)
            else:
                n_worlds = max(self.config.sims // (n_phases * n_alive), 1)
                go_on(desk, plan, self.judgement, rngs, n_worlds)
            yield plan
            if phase < n_phases - 1:
                give_up_half(desk, plan)
                n_alive -= n_alive // 2

    def _run_until(self, ends: float, desk: Desk, plan: Plan, rngs: Rngs) -> None:
        """Run worlds until the clock says so, at least a few."""
        began = now = time.perf_counter()
        done, chunk = 0, FIRST_CHUNK
        while now < ends or done == 0:
            go_on(desk, plan, self.judgement, rngs, chunk)
            done += chunk
            now = time.perf_counter()
            left = int((ends - now) / (now - began) * done * 0.7)
            chunk = max(1, min(4 * chunk, left))


def _decide(found: Arms, views: States, seats: Seats) -> Decisions:
    """Decide by what searches have found: [views, MAX_ARMS]."""
    is_there = found["tries"] > 0
    n_choices = is_there.sum(axis=1)
    most = int(n_choices.max())
    found, is_there = found[:, :most], is_there[:, :most]
    rows, tries = np.arange(len(found)), np.maximum(found["tries"], 1)
    means = found["heads_sum"] / tries
    spread = np.maximum(found["heads_squares"] - tries * means**2, 0)
    errors = np.sqrt(spread / np.maximum(tries - 1, 1) / tries)
    best = np.argmin(np.where(found["is_alive"] == 1, means, np.inf), axis=1)
    before = views["taken"][rows, seats].astype(np.float64) + views["total"][rows, seats]
    weights = np.where(is_there, 0.0, np.nan)
    weights[rows, best] = 1
    return Decisions(
        found["choice"][rows, best],
        np.where(is_there, found["choice"], NO_ACTION),
        n_choices,
        weights,
        np.where(is_there, found["tries"], np.nan),
        np.where(is_there, -before[:, np.newaxis] - means, np.nan),
        np.where(is_there & (tries > 1), errors, np.nan),
        kinds_of(len(found), ValueKind.SCORE),
        {"sims": found["tries"].sum(axis=1).tolist()},
    )
