"""Perfect information Monte Carlo: search each of some sampled worlds as if all cards were open."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Self

import numpy as np

from kibitz.core.agent import Agent
from kibitz.core.errors import AgentError, SpecError
from kibitz.core.game import States, legal
from kibitz.core.rng import Rng
from kibitz.core.table import Game
from kibitz.search.agent import LONGEST_CHUNK, MAX_WORLDS, Floats, Found, Reader
from kibitz.search.desks import Desk
from kibitz.search.roots import begin_tree
from kibitz.search.tree import FIRST_WORLD, JOINT
from kibitz.search.uct import UctAgent, UctConfig
from kibitz.search.weighing import NO_BELIEF, find_weigher
from kibitz.search.worlds import add_up, draw_worlds, weights_of


@dataclass(frozen=True)
class PimcConfig(UctConfig):
    """Parameters of perfect information Monte Carlo."""

    worlds: int = 30  # that share the budget
    belief: str = NO_BELIEF  # a model by which the game weighs them

    def __post_init__(self) -> None:
        """Refuse parameters out of range."""
        super().__post_init__()
        if not 1 <= self.worlds <= MAX_WORLDS:
            raise SpecError(f"worlds={self.worlds}: expected 1..{MAX_WORLDS}")
        if self.tree not in ("auto", "decoupled", "sequential"):
            raise SpecError(f"tree={self.tree}: pimc searches open worlds, leave it out")
        if self.reuse:
            raise SpecError("reuse=true: pimc searches other worlds at every move")


def refuse_without_secrets(agent: Agent) -> None:
    """Refuse a game in which there are no worlds to sample."""
    if not agent.game.has_secrets:
        raise AgentError(
            f"{agent.name} samples what is hidden, and {agent.game.spec} hides nothing: use uct"
        )


class PimcAgent(UctAgent):
    """Searches sampled worlds one by one, cards open; for games with secrets."""

    name = "pimc"
    Config = PimcConfig
    opens_worlds = True

    def __init__(self, game: Game, config: Any = None) -> None:
        """Prepare for so many worlds."""
        super().__init__(game, config)
        refuse_without_secrets(self)
        self.n_worlds = self.config.worlds
        self.weigher = find_weigher(self, self.config.belief)

    def n_nodes(self) -> tuple[int, int]:
        """Make trees small by the clock, since every world clears one."""
        nodes, decisions = super().n_nodes()
        if not self.config.time:
            return nodes, decisions
        fewer = max(nodes // self.n_worlds, 1000)
        return fewer, fewer * (decisions // nodes)

    def search_alone(
        self, desk: Desk, view: States, seat: int, rng: Rng, share: int = 1
    ) -> "FoundInWorlds":
        """Search worlds with a share of the budget, one tree after the other."""
        found = super().search_alone(desk, view, seat, rng, share)
        assert isinstance(found, FoundInWorlds)
        return found

    def grow(
        self, desk: Desk, view: States, seat: int, rng: Rng, share: int, chunk: int
    ) -> Iterator[Reader]:
        """Search every world with its share of the budget, or as many as there is time for."""
        began = time.perf_counter()
        ends = began + self.config.time
        sims = -(-self.n_sims(legal(view[0], seat, desk.tree.listed)) // share)
        n = -(-self.n_worlds // share)
        if not self.config.time:
            n = min(n, sims)
        desk.states[0] = view[0]
        draw_worlds(desk.states, FIRST_WORLD, n, seat, rng)
        worlds = desk.states[FIRST_WORLD : FIRST_WORLD + n]
        beliefs = self.weigh_worlds(view[0], seat, worlds, rng, self.end_weighing(began))
        is_weighed = beliefs > -np.inf
        worlds, beliefs = worlds[is_weighed], beliefs[is_weighed]
        n = len(worlds)
        found: list[Found] = []
        for world in worlds:
            seconds = 0.0
            if self.config.time:
                seconds = (ends - time.perf_counter()) / (n - len(found))
                if found and seconds <= 0:
                    break
            desk.states[0] = world
            desk.how.n_worlds = desk.how.samples_worlds = 0
            begin_tree(desk.tree, desk.how, desk.rule, desk.evaluator, seat, JOINT)
            for _ in self.run(desk, rng, sims // n, seconds, LONGEST_CHUNK):
                pass
            found.append(self.read_root(desk))
            yield partial(FoundInWorlds.of, found.copy(), beliefs[: len(found)])


@dataclass(frozen=True)
class FoundInWorlds(Found):
    """What searches of several worlds know: worlds are the sample, not simulations."""

    worlds: list[Found] = field(default_factory=list)
    shares: Floats = field(default_factory=lambda: np.zeros(0))  # of each world
    beliefs: Floats = field(default_factory=lambda: np.zeros(0))  # their logarithms, not scaled

    @classmethod
    def of(cls, worlds: list[Found], beliefs: Floats) -> Self:
        """Add up what was found in all worlds, each counted by its share."""
        shares = np.diff(add_up(weights_of(beliefs)), prepend=0)
        scale = (shares * len(shares)).reshape(-1, 1)

        def total(name: str) -> Floats:
            added: Floats = (scale * [getattr(one, name) for one in worlds]).sum(axis=0)
            return added

        likely = [k for k in np.argsort(-shares, kind="stable") if shares[k] > 0]
        return cls(
            worlds[0].actions,
            total("visits"),
            total("sums"),
            total("squares"),
            total("weights"),
            total("preference"),
            [line for k in likely for line in worlds[k].lines],
            sum(one.n_sims for one in worlds),
            worlds=worlds,
            shares=shares,
            beliefs=beliefs,
        )

    @classmethod
    def add(cls, parts: list[Self]) -> Self:
        """Put the worlds of several threads together."""
        worlds = [world for part in parts for world in part.worlds]
        return cls.of(worlds, np.concatenate([part.beliefs for part in parts]))

    def moments(self) -> tuple[Floats, Floats]:
        """Average over worlds, each by its share; errors are those of its spread between worlds."""
        means = np.array([world.moments()[0] for world in self.worlds])
        known = ~np.isnan(means)
        weights = np.where(known, self.shares[:, np.newaxis], 0)
        total = weights.sum(axis=0)
        values = np.divide(
            np.where(known, weights * means, 0).sum(axis=0),
            total,
            np.full(len(total), np.nan),
            where=total > 0,
        )
        n = known.sum(axis=0)
        spread = (weights**2 * np.where(known, means - values, 0) ** 2).sum(axis=0)
        errors = np.full(len(n), np.nan)
        many = (n > 1) & (total > 0)
        errors[many] = np.sqrt(spread[many] * n[many] / (n[many] - 1)) / total[many]
        return values, errors
