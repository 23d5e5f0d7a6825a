"""Planning models (Glauben 2022): networks that learn to select in a tree as PUCT does, or better.

First a model imitates: a base network plays against itself by PUCT, and at every step of every
simulation the model learns, from what there is to see, which action PUCT tries. Then it plays
itself, in place of PUCT, and what it tried is rated by who won (PPO, eq. 4.34):

    L = E[min(r G, clip(r, 1 - epsilon, 1 + epsilon) G)],  r = pi(a | d) / pi_old(a | d)

where G is the result for the seat that was to choose at that node. The thesis names what was left
out: a value that is subtracted from G (`value_weight`), a bonus for entropy (`entropy`), and more
games for every update (`update_games`). A step is one pass over what is imitated, or one update.

Differences from the thesis: actions that are not legal have no probability; Q is the mean of the
values backed up; ends of games count as their results; leaves of all games are valued together.
Means and deviations of batch normalisation stay as they were while a model is updated.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from kibitz.core.errors import SpecError, TrainingError
from kibitz.core.game import States
from kibitz.core.table import Game
from kibitz.learn import limits
from kibitz.learn.algorithm import Algorithm, Draft, State
from kibitz.learn.export import to_onnx
from kibitz.learn.learner import Stream, seed_of
from kibitz.learn.planners import ArmPlanner, CrnPlanner, MlpPlanner, PolicyAlone, Sight
from kibitz.learn.reading import NEVER, Tensor
from kibitz.learn.residual import folded, planes_of
from kibitz.learn.selections import Plan, Playing, Points, SelfPlay, remembering
from kibitz.learn.states import (
    module_state,
    optimiser_state,
    restore_module,
    restore_optimiser,
)
from kibitz.search.mlp import MAX_WIDTH
from kibitz.search.models import Model, load_model
from kibitz.search.planning import check_layers, columns_of, planned
from kibitz.search.selection import puct

Ints = npt.NDArray[np.int64]

HISTORY = "history"
"""The encoding of the last positions that a game must have for models that see them."""

WARM_UP = 0.3
"""Share of imitation in which the rate of learning rises; then it falls as a cosine."""


@dataclass(frozen=True, kw_only=True)
class PlanningConfig:
    """How a planning model learns; defaults as in the thesis, as far as it says."""

    kind: Literal["mlp", "crn", "arm"] = "mlp"  # arm: the same network for every action
    variance: bool = False  # sees the variance of Q
    history: bool = False  # sees the last four positions; crn only
    hidden: tuple[int, ...] = (64, 64)  # of mlp and arm
    blocks: int = 2  # of crn
    filters: int = 128  # likewise
    base: str = "connect4-alphazero"  # the model that values leaves and gives priors
    c: float = 1.5  # exploration of PUCT: 3 where values lie between -1 and 1
    sims: int = 200  # of every search
    lanes: int = 64  # games side by side
    alpha: float = 0.3  # of the Dirichlet noise
    noise: float = 0.25  # its share of the priors of roots
    temperature: float = 1.1  # of what is drawn from visits
    drawn: int = 10  # decisions of a game that are drawn
    games: int = 100  # that are imitated
    points: int = 1_250_000  # selections of these, as many of each action as there are
    held_out: float = 0.2  # share of points that accuracy is measured on, of whole games
    epochs: int = 40  # steps that imitate; later steps update
    batch: int = 1024
    rate: float = 4e-3  # of imitation, at its highest
    update_games: int = 20  # of self-play for every update
    update_share: float = 0.5  # of their selections that is learnt from
    update_epochs: int = 1
    update_rate: float = 1e-4
    clip: float = 0.2  # epsilon of eq. 4.34
    l2: float = 1e-4  # penalty on weights while updating
    heat: float = 0.0  # at which selections are drawn in self-play; 0: the best, as in the thesis
    value_weight: float = 0.0  # of the error of a value, which is then subtracted from G
    entropy: float = 0.0  # bonus

    def __post_init__(self) -> None:
        """Refuse numbers out of range."""
        limits.check_within(self, 0, 1, "noise", "held_out", "update_share")
        for name, nothing in (("held_out", 1.0), ("update_share", 0.0)):
            if getattr(self, name) == nothing:
                raise SpecError(f"{name}={nothing:g}: that leaves nothing to learn from")
        limits.check_within(self, 1, limits.MAX_SIMS, "sims")
        limits.check_within(self, 1, limits.MAX_TREES, "lanes")
        limits.check_within(self, 1, limits.MAX_GAMES, "games", "update_games")
        limits.check_within(self, 1, limits.MAX_BATCH, "points", "batch")
        limits.check_within(self, 1, limits.MAX_PASSES, "update_epochs")
        limits.check_within(self, 1, limits.MAX_BLOCKS, "blocks")
        limits.check_within(self, 1, limits.MAX_FILTERS, "filters")
        limits.check_within(self, 1, MAX_WIDTH, "hidden")
        limits.check_within(self, 0, limits.MAX_STEPS, "epochs")
        limits.check_within(self, 0, limits.MAX_DRAWN, "drawn")
        limits.check_within(self, 0, limits.MAX_C, "c")
        limits.check_within(self, 0, limits.MAX_WEIGHT, "heat", "value_weight", "entropy", "l2")
        limits.check_positive(self, limits.MAX_RATE, "rate", "update_rate")
        limits.check_positive(self, limits.MAX_WEIGHT, "temperature", "alpha", "clip")
        if self.history and self.kind != "crn":
            raise SpecError(f"history=true: kind={self.kind} sees no planes, use kind=crn")


class Loss(NamedTuple):
    """The parts of the loss of an update, means over selections."""

    policy: Tensor  # what is to be made small: the objective, below zero
    value: Tensor
    entropy: Tensor


class Examined(NamedTuple):
    """How the last pass of imitation did on games that were held out: [games]."""

    hits: Ints  # selections that are predicted
    trials: Ints  # all of them


def ppo_loss(
    logits: Tensor, chosen: Tensor, before: Tensor, advantage: Tensor, clip: float
) -> tuple[Tensor, Tensor]:
    """Return the clipped objective below zero, and the entropy.

    Args:
        logits: of all actions, NEVER where illegal: [selections, actions].
        chosen: what was tried.
        before: the logarithm of its probability when it was played.
        advantage: G, or what it is above the value.
        clip: epsilon.
    """
    log_p = torch.log_softmax(logits, dim=1)
    ratio = torch.exp(log_p.gather(1, chosen[:, None])[:, 0] - before)
    clipped = ratio.clamp(1 - clip, 1 + clip)
    objective = torch.minimum(ratio * advantage, clipped * advantage).mean()
    return -objective, -(log_p.exp() * log_p).sum(dim=1).mean()


def hold_out(games: Ints, share: float, rng: np.random.Generator) -> npt.NDArray[np.bool_]:
    """Draw whole games with about a share of all points; mark their points.

    At least one game is drawn, unless the share is 0, and never all of them.
    Selections of a game resemble each other: what is measured on must come from other games.
    """
    numbers, counts = np.unique(games, return_counts=True)
    order = rng.permutation(len(numbers))
    n_drawn = int((np.cumsum(counts[order]) <= share * len(games) + 0.5 * counts.mean()).sum())
    n_drawn = min(max(n_drawn, int(share > 0)), len(numbers) - 1)
    return np.isin(games, numbers[order[:n_drawn]])


def balanced(chosen: Ints, n: int, n_actions: int, rng: np.random.Generator) -> Ints:
    """Draw up to `n` points, as many of each action; mixed."""
    each = [
        rng.permutation(np.flatnonzero(chosen == a))[: n // n_actions] for a in range(n_actions)
    ]
    return rng.permutation(np.concatenate(each))


def _as_bytes(positions: States) -> npt.NDArray[np.uint8]:
    """Return the same memory as bytes: [positions, bytes]."""
    return positions.view(np.uint8).reshape(len(positions), positions.dtype.itemsize)


def _one_cycle(done: float) -> float:
    """Return the share of the highest rate, from the share of imitation that is done."""
    if done < WARM_UP:
        return max(done / WARM_UP, 0.04)
    return 0.5 * (1 + math.cos(math.pi * (done - WARM_UP) / (1 - WARM_UP)))


class Planning(Algorithm):
    """Teaches a planning model to imitate PUCT, then lets it find something better."""

    Config = PlanningConfig

    def __init__(self, game: Game, config: PlanningConfig, seed: int) -> None:
        """Draw the first weights."""
        super().__init__(game, config, seed)
        if game.n_seats != 2:
            raise SpecError(f"planning learns games of two seats, not {game.spec}")
        self.base: Model = remembering(load_model(config.base, game), game)
        if not {"policy", "value"} <= set(self.base.card.heads):
            raise SpecError(f"base={config.base}: planning needs a network with policy and value")
        self.encoding = self._find_encoding()
        self.columns = columns_of(game, self.encoding)
        history = self.encoding if config.history else None
        self.sight = Sight(self.columns.n, config.variance, history)
        self.network = self._make_network()
        if config.kind != "crn":
            check_layers(self.network.layers())
        self.imitator = torch.optim.Adam(self.network.parameters(), lr=config.rate)
        self.updater = torch.optim.Adam(
            self.network.parameters(), lr=config.update_rate, weight_decay=config.l2
        )
        self.n_steps = 0
        self.examined: Examined | None = None
        self._points: Points | None = None
        self._mirror = torch.from_numpy(self.sight.mirrored())

    def _find_encoding(self) -> Any:
        encodings = self.game.encodings
        if self.config.history and HISTORY not in encodings:
            raise SpecError(f"history=true: {self.game.facts.name} has no encoding {HISTORY!r}")
        return encodings[HISTORY] if self.config.history else next(iter(encodings.values()))

    def _make_network(self) -> Any:
        config, seed = self.config, seed_of(self.seed, 0, Stream.WEIGHTS)
        if config.kind == "crn":
            _, *board = planes_of(self.encoding)
            return CrnPlanner(self.sight, tuple(board), config.blocks, config.filters, seed)  # type: ignore[arg-type]
        kind = MlpPlanner if config.kind == "mlp" else ArmPlanner
        return kind(self.sight, config.hidden, seed)

    def step(self) -> Mapping[str, float]:
        """Go over what is imitated once, or play and update."""
        rng = np.random.default_rng(seed_of(self.seed, self.n_steps, Stream.REPLAY))
        told = self._imitate(rng) if self.n_steps < self.config.epochs else self._update(rng)
        self.n_steps += 1
        if self.n_steps >= self.config.epochs:
            self._points = None
        return told

    def _self_play(self, share: float, heat: float) -> SelfPlay:
        config = self.config
        names = ("sims", "lanes", "alpha", "noise", "temperature", "drawn")
        how = Playing(
            **{name: getattr(config, name) for name in names},
            heat=heat,
            share=share,
            keeps_positions=config.history,
        )
        return SelfPlay(self.game, self.base, self.columns, how)

    def collect(self) -> Points:
        """Let the base network play against itself by PUCT; return a balanced part of it all."""
        config = self.config
        # About so many selections a simulation; of far more than are wanted, few are kept.
        expected = config.games * 25 * config.sims * 5
        share = min(1.0, 3 * config.points / expected)
        seed = seed_of(self.seed, 0, Stream.GAMES)
        points = self._self_play(share, 0.0).play(puct(config.c), config.games, seed)
        rng = np.random.default_rng(seed)
        return points.take(balanced(points.chosen, config.points, self.columns.n, rng))

    def imitate_points(self, points: Points) -> None:
        """Take what is imitated from somebody who has collected it."""
        self._points = points

    def _imitate(self, rng: np.random.Generator) -> dict[str, float]:
        if self._points is None:
            self._points = self.collect()
        points, config = self._points, self.config
        if not len(points.chosen):
            raise TrainingError(
                f"no selection is left to learn from: take more games than {config.games}, or more "
                f"points than {config.points}"
            )
        is_held = self._is_held(points)
        order = rng.permutation(np.flatnonzero(~is_held))
        self.network.train()
        starts = range(0, max(len(order) - 1, 1), config.batch)
        told = []
        for k, start in enumerate(starts):
            done = (self.n_steps + k / len(starts)) / config.epochs
            for group in self.imitator.param_groups:
                group["lr"] = config.rate * _one_cycle(done)
            inputs, chosen = self._batch(points, order[start : start + config.batch])
            if rng.random() < 0.5:
                inputs, chosen = inputs[:, self._mirror], self.columns.n - 1 - chosen
            logits, _ = self._ask(inputs)
            loss = nn.functional.cross_entropy(logits, chosen)
            self.imitator.zero_grad()
            loss.backward()
            self.imitator.step()
            told.append(float(loss.detach()))
        held = points.take(np.flatnonzero(is_held))
        hits = self.hits(held)
        self.examined = Examined(
            np.bincount(held.games[hits], minlength=config.games),
            np.bincount(held.games, minlength=config.games),
        )
        accuracy = {"imitation/accuracy": float(hits.mean())} if len(hits) else {}
        return {"imitation/loss": float(np.mean(told)), **accuracy}

    def _is_held(self, points: Points) -> npt.NDArray[np.bool_]:
        """Return which points accuracy is measured on: the same at every step."""
        rng = np.random.default_rng(seed_of(self.seed, 0, Stream.REPLAY))
        return hold_out(points.games, self.config.held_out, rng)

    def hits(self, points: Points) -> npt.NDArray[np.bool_]:
        """Return at which points the model says what PUCT chose."""
        self.network.eval()
        found = np.zeros(len(points.chosen), np.bool_)
        with torch.inference_mode():
            for start in range(0, len(found), self.config.batch):
                part = slice(start, start + self.config.batch)
                inputs, chosen = self._batch(points, np.arange(len(found))[part])
                found[part] = (self._ask(inputs)[0].argmax(dim=1) == chosen).numpy()
        return found

    def _batch(self, points: Points, places: Ints) -> tuple[Tensor, Tensor]:
        """Return the inputs and choices of some points."""
        some = points.take(places)
        inputs = self.sight.inputs(some.rows, some.positions, some.seats)
        return torch.from_numpy(inputs), torch.from_numpy(some.chosen)

    def _ask(self, inputs: Tensor) -> tuple[Tensor, Tensor]:
        """Return logits, NEVER where illegal, and values from -1 to 1."""
        made = self.network(inputs)
        logits = made["policy"].masked_fill(~self.sight.mask(inputs), NEVER)
        return logits, torch.tanh(made["value"][:, 0])

    @property
    def _temperature(self) -> float:
        """At which what was tried is taken to be drawn; 1 where the best was tried."""
        return self.config.heat or 1.0

    def rule(self) -> np.record | Plan:
        """Return what plays in self-play: a rule of the kernel, or the network outside."""
        self.network.eval()
        if self.config.kind != "crn":
            one_by_one = self.config.kind == "arm"
            return planned(self.network.layers(), self.columns, one_by_one, self.config.heat)
        network = folded(self.network)

        def plan(rows: Any, positions: States, seats: Ints) -> Any:
            inputs = torch.from_numpy(self.sight.inputs(rows, positions, seats))
            with torch.inference_mode():
                return network(inputs)["policy"].numpy()

        return plan

    def _update(self, rng: np.random.Generator) -> dict[str, float]:
        """Play by the model, and move it towards what won."""
        config = self.config
        seed = seed_of(self.seed, self.n_steps, Stream.GAMES)
        play = self._self_play(config.update_share, config.heat)
        points = play.play(self.rule(), config.update_games, seed)
        if not len(points.chosen):
            raise TrainingError(
                "no selection is left to learn from: take more update_games than "
                f"{config.update_games}, or a larger update_share than {config.update_share}"
            )
        self.network.eval()  # as it played: so the ratio begins at 1
        before = self._log_probabilities(points)
        told = []
        for places in self._batches(len(points.chosen), rng):
            loss = self._loss(points, places, before)
            total = loss.policy + config.value_weight * loss.value - config.entropy * loss.entropy
            self.updater.zero_grad()
            total.backward()
            self.updater.step()
            told.append([float(part.detach()) for part in loss])
        policy, value, entropy = np.mean(told, axis=0)
        return {
            "ppo/objective": -policy,
            "ppo/value": value,
            "ppo/entropy": entropy,
            "ppo/points": float(len(points.chosen)),
            "games/decided": float(np.abs(points.results).mean()),
        }

    def _batches(self, n: int, rng: np.random.Generator) -> Iterator[Ints]:
        size = self.config.batch
        for _ in range(self.config.update_epochs):
            order = rng.permutation(n)
            yield from (order[k : k + size] for k in range(0, n, size))

    def _log_probabilities(self, points: Points) -> Tensor:
        """Return the logarithm of the probability of what was tried, as the model is now."""
        parts, n = [], len(points.chosen)
        with torch.inference_mode():
            for start in range(0, n, 8 * self.config.batch):
                places = np.arange(start, min(start + 8 * self.config.batch, n))
                inputs, chosen = self._batch(points, places)
                log_p = torch.log_softmax(self._ask(inputs)[0] / self._temperature, dim=1)
                parts.append(log_p.gather(1, chosen[:, None])[:, 0])
        return torch.cat(parts).clone()

    def _loss(self, points: Points, places: Ints, before: Tensor) -> Loss:
        inputs, chosen = self._batch(points, places)
        logits, value = self._ask(inputs)
        result = torch.from_numpy(points.results[places])
        advantage = result - value.detach() if self.config.value_weight else result
        logits = logits / self._temperature
        policy, entropy = ppo_loss(logits, chosen, before[places], advantage, self.config.clip)
        return Loss(policy, torch.square(result - value).mean(), entropy)

    def state(self) -> State:
        """Return the network, both optimisers, what is imitated, and the next step."""
        points: Any = {}
        if self._points is not None:
            kept = self._points._asdict()
            kept["positions"] = _as_bytes(kept["positions"])
            points = {name: np.ascontiguousarray(part) for name, part in kept.items()}
        return {
            "step": self.n_steps,
            "networks": {"network": module_state(self.network)},
            "imitator": optimiser_state(self.imitator),
            "updater": optimiser_state(self.updater),
            "points": points,
        }

    def restore(self, state: State) -> None:
        """Go on from what `state` returned."""
        saved: Any = state
        restore_module(self.network, saved["networks"]["network"])
        restore_optimiser(self.imitator, saved["imitator"])
        restore_optimiser(self.updater, saved["updater"])
        self.n_steps = int(saved["step"])
        self._points = self._restored(saved["points"]) if saved["points"] else None

    def _restored(self, kept: Mapping[str, Any]) -> Points:
        """Return points from what was kept of them, if they fit."""
        n, size = len(kept["chosen"]), 5 * self.columns.n + 1
        n_positions = n if self.config.history else 0
        positions: States = self.game.blank(n_positions)
        shapes = {name: np.shape(kept[name]) for name in Points._fields}
        flat = _as_bytes(positions)
        if shapes != {
            **dict.fromkeys(("chosen", "seats", "results", "games"), (n,)),
            **{"rows": (n, size), "positions": flat.shape},
        }:
            raise ValueError(f"points of other shapes: {shapes}")
        flat[:] = kept["positions"]
        chosen, seats, games = (
            np.array(kept[name], np.int64) for name in ("chosen", "seats", "games")
        )
        if ((games < 0) | (games >= self.config.games)).any():
            raise ValueError("points of games that there are not")
        if ((chosen < 0) | (chosen >= self.columns.n) | (seats < 0) | (seats > 1)).any():
            raise ValueError("points of actions or seats that there are not")
        rows, results = (np.array(kept[name], np.float32) for name in ("rows", "results"))
        if not (np.isfinite(rows).all() and np.isfinite(results).all()):
            raise ValueError("points that are not finite")
        return Points(rows, chosen, seats, results, games, positions)

    def drafts(self) -> dict[str, Draft]:
        """Return the planning model."""
        config = self.config
        heads = {"policy": 1 if config.kind == "arm" else self.columns.n}
        sees = [name for name in ("variance", "history") if getattr(config, name)]
        if config.kind == "crn":
            written: Any = to_onnx(PolicyAlone(self.network), self.sight.size, list(heads))
        else:
            written = self.network.layers()
        inputs = "arm" if config.kind == "arm" else "selection"
        draft = Draft(self.encoding.name, heads, written, inputs=inputs, sees=tuple(sees))
        return {"model": draft}


ALGORITHM = Planning
