"""What searches with priors have in common: a bot or a network that says what to try first.

Small networks run in the kernel. Others, which onnxruntime runs, are asked about the leaves of many
trees at once: those searches grow a forest.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from kibitz.core.agent import Games, Seats
from kibitz.core.decisions import Decisions
from kibitz.core.errors import AgentError, SpecError, clip, plain
from kibitz.core.game import States
from kibitz.core.rng import Rng, Rngs
from kibitz.core.table import Game
from kibitz.search.advice import advice_of, advised
from kibitz.search.agent import FIRST_CHUNK, MAX_SIMS
from kibitz.search.answers import answer_leaves, wants_all_seats
from kibitz.search.foresight import check_foresight, check_plies
from kibitz.search.forest import MAX_LEAVES, Forest
from kibitz.search.halving import UNPLANNED
from kibitz.search.mlp import pack, scratch_for
from kibitz.search.models import Model, load_model
from kibitz.search.network import network_evaluator
from kibitz.search.playouts import UNIFORM
from kibitz.search.roots import count_actions, make_roots
from kibitz.search.turns import after_turns
from kibitz.search.uct import TreeAgent, TreeConfig, bot_policy
from kibitz.search.values import KINDS

MOST_TREES = 64
"""Trees of a forest at most."""

SURE = 0.1
"""Part of the time after which it is known how many simulations the whole of it allows."""

FOREST_BYTES = 1_000_000_000
"""Memory that a forest may take; games with very many actions get fewer trees."""


@dataclass(frozen=True)
class GuidedConfig(TreeConfig):
    """Parameters of searches with priors."""

    guide: str = "none"  # a bot whose choice is tried first
    weight: float = 5.0  # how much more its choice weighs than another action
    model: str = "none"  # a network instead: the name of a model, or its folder
    turns: int = 0  # that the network plays beyond a leaf before it values the position
    leaves: int = 8  # of one tree that a network outside the kernel values at once
    foresight: int = 0  # moves, at most, that the rules look beyond leaves of such a network

    def __post_init__(self) -> None:
        """Refuse parameters out of range."""
        super().__post_init__()
        if not 0 < self.weight <= 1e6:
            raise SpecError(f"weight={self.weight}: expected above 0, to 1000000")
        if not 0 <= self.turns <= 1000:
            raise SpecError(f"turns={self.turns}: expected 0..1000")
        if not 1 <= self.leaves <= MAX_LEAVES:
            raise SpecError(f"leaves={self.leaves}: expected 1..{MAX_LEAVES}")
        check_plies(self.foresight)
        if "none" not in (self.guide, self.model):
            raise SpecError(
                f"guide={plain(self.guide, 80)} and model={plain(self.model, 80)} both say what to "
                "try first: leave one of them out"
            )
        if self.turns and self.model == "none":
            raise SpecError(f"turns={self.turns}: a network plays them, name its model")


class GuidedAgent(TreeAgent):
    """Base of searches with priors."""

    Config = GuidedConfig
    asks_outside = False  # whether a forest is grown even for networks that kernels can run
    trusts_network = False  # whether values come from a network, not from playouts

    def __init__(self, game: Game, config: Any = None, model: Model | None = None) -> None:
        """Find the bot or the network; whoever trains one hands it over."""
        super().__init__(game, config)
        self._evaluator = UNIFORM
        self._outside: Model | None = None  # a network that kernels cannot run
        if self.config.guide != "none":
            bot = bot_policy(self.name, self.config.guide, game)
            self._evaluator = advised(advice_of(bot, self.config.weight), UNIFORM)
        if model is None:
            model = self.load_network()
        if model is not None:
            if model.nets:
                raise AgentError(
                    f"{self.name} takes a network of kind mlp or onnx, {clip(self.config.model)} "
                    f"is of kind {model.card.kind!r}: play it alone, by the bot of the game"
                )
            self._take_values(model)
            if model.session is None and not self.asks_outside:
                self._take_network(model)
            else:
                self._take_outside(model)
        if self.config.foresight:
            check_foresight(game, self.value)
            if self._outside is None:
                raise AgentError(
                    f"{self.name}:foresight={self.config.foresight}: it is for networks that run "
                    "outside of the search, leave foresight out"
                )

    def load_network(self) -> Model | None:
        """Load the network that says what to try first, and perhaps what a leaf is worth."""
        name = self.config.model
        return None if name == "none" else load_model(name, self.game)

    def make_evaluator(self) -> np.record:
        """Return the bot's or the network's evaluator, or random playouts."""
        return self._evaluator

    def _take_values(self, model: Model) -> None:
        """Search for what the network values, if it values anything."""
        kind = model.card.value
        if not {"value", "q"} & set(model.card.heads) or kind is None:
            return
        if self.config.value != "auto" and KINDS[self.config.value] != KINDS[kind]:
            raise AgentError(
                f"{self.name}:value={self.config.value}: the model {plain(self.config.model, 80)} "
                f"values by {kind}, leave value= out"
            )
        self.value = kind
        self.trusts_network = True

    def _take_network(self, model: Model) -> None:
        """Run a network in the kernel; one without values gets them from playouts."""
        card = model.card
        network = network_evaluator(
            model.encoding,
            model.layers,
            card.heads,
            inputs=card.inputs,
            value=card.value,
            scale=card.scale,
        )
        self.n_scratch, self.n_indices = scratch_for(model.layers), model.encoding.n_actions
        _, self.weights = pack(model.layers)
        has_values = bool({"value", "q"} & set(card.heads))
        self._evaluator = network if has_values else advised(network, UNIFORM)
        if self.config.turns:
            if not {"policy", "q"} & set(card.heads):
                raise AgentError(
                    f"{self.name}:turns={self.config.turns}: the model "
                    f"{plain(self.config.model, 80)} has no policy to play them by, leave turns out"
                )
            afterwards = network if has_values else UNIFORM
            turns = after_turns(self.config.turns, network, afterwards)
            self._evaluator = advised(network, turns)

    def _take_outside(self, model: Model) -> None:
        """Keep a network that is asked about the leaves of a forest."""
        config, name = self.config, plain(self.config.model, 80)
        for word, is_set in (
            ("threads", config.threads > 1),
            ("reuse", config.reuse),
            ("turns", config.turns > 0),
        ):
            if is_set:
                raise AgentError(
                    f"{self.name}:{word}: the model {name} runs outside of the search, leave "
                    f"{word} out"
                )
        if "value" not in model.card.heads:
            raise AgentError(
                f"{self.name}: the model {name} runs outside of the search and has no head "
                "'value': use net, or a model that has one"
            )
        self._outside = model

    def act(self, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
        """Search every view; by a forest if the network is outside."""
        if self._outside is None:
            return super().act(views, seats, rngs, games)
        *_, read = self._grow_forest(views, seats, rngs, MAX_SIMS)
        return read()

    def think(
        self, view: np.record, seat: int, rng: Rng | None = None, game: int = 0
    ) -> Iterator[Decisions]:
        """Decide for one view, again and again while the search goes on."""
        if self._outside is None:
            yield from super().think(view, seat, rng, game)
            return
        views, seats, rngs, _ = self.ask_one(view, seat, rng)
        for read in self._grow_forest(views, seats, rngs, FIRST_CHUNK):
            yield read()

    def steer(self, forest: Forest) -> bool:
        """Answer trees that ask which arm to try; return whether there were any."""
        return False

    def _value_leaves(self, forest: Forest, chunk: int) -> Iterator[None]:
        """Grow a forest by its plan, or by the clock; pause after ever more simulations."""
        assert self._outside is not None
        seconds, began = self.config.time, time.perf_counter()
        if seconds:
            known = int(self._sims_per_second * seconds)
            forest.plan(max(FIRST_CHUNK, known) if known else UNPLANNED)
        while True:
            leaves = forest.select()
            if leaves is not None:
                foresight = self.config.foresight
                told = answer_leaves(self._outside, self.game, leaves, foresight)
                forest.absorb(leaves, *told)
            has_steered = self.steer(forest)
            spent = time.perf_counter() - began
            done = int(forest.n_sims.min())
            if seconds and spent >= seconds:
                self._sims_per_second = done / spent
                return
            if seconds and done >= FIRST_CHUNK and (leaves is None or spent > SURE * seconds):
                forest.plan(max(int(done / spent * seconds), done + self.config.leaves))
            if leaves is None and not has_steered and not seconds:
                return
            if done >= chunk:
                chunk = 2 * done
                yield

    def _grow_forest(
        self, views: States, seats: Seats, rngs: Rngs, chunk: int
    ) -> Iterator[Callable[[], Decisions]]:
        """Search views by forests, some after the others; each item reads what was found so far.

        The first comes after about `chunk` simulations of every tree, and the last at the end.
        """
        assert self._outside is not None
        size = self.tree_size
        counts = np.empty(len(views), np.int64)
        count_actions(views, seats, np.empty(size.most, np.int64), counts)
        sims = np.array([self.n_sims(n) for n in counts.tolist()])
        roots, done = make_roots(len(views), int(counts.max())), np.zeros(len(views), np.int64)

        def read() -> Decisions:
            done[part] = forest.read(roots, first)
            return self.decide_by(roots, seats, rngs, done)

        step = 1 if self.config.time else max(1, min(MOST_TREES, FOREST_BYTES // size.n_bytes))
        for first in range(0, len(views), step):
            part = slice(first, first + step)
            part_views = views[part]
            asks_all = wants_all_seats(self._outside, self.game)
            leaves = self.config.leaves
            n, proves = len(part_views), self.config.foresight > 0
            forest = Forest(self.make_desk(), size, n, leaves, asks_all, proves)
            forest.begin(part_views, seats[part], rngs[part], sims[part])
            for _ in self._value_leaves(forest, chunk):
                yield read
            done[part] = forest.read(roots, first)
        yield lambda: self.decide_by(roots, seats, rngs, done)
