"""Models that call in Tichu: does a hand go out first, in games of a given population?

Müller (2020), "Tichu Bot", 5.3: 17 counts, two hidden layers of 48 and 96, trained on a balanced
draw of hands that did and did not go out first. A balanced draw makes every hand look better than
it is: where a share r of all hands goes out first, the odds that the network learns are (1 - r) / r
times too high. That is taken out of its last bias when the model is written, so a model tells
probabilities that can be believed; the thesis's cutoff of 0.75 is then 0.5 for r = 1/4.

Every step plays new rounds, and measures what the network says of them before it learns from a draw
of all hands so far. By what it said lately of hands that were new to it, odds are stretched and
moved once more (Platt 1999): few hands are good enough to call with, and these count most.
"""

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from kibitz.core.bits import popcount
from kibitz.core.errors import SpecError
from kibitz.core.kernels import kernel
from kibitz.core.lanes import MAX_LANES, Finished, Lanes
from kibitz.core.registry import load_agent
from kibitz.core.table import Game
from kibitz.games.tichu.cards import PLAY, cards_of, kind_of
from kibitz.games.tichu.state import CALLING, GRAND_CALLING, HAND_CARDS
from kibitz.learn import limits
from kibitz.learn.algorithm import Algorithm, Draft, Metrics, State
from kibitz.learn.export import layers_of
from kibitz.learn.learner import Stream, seed_of
from kibitz.learn.networks import Mlp
from kibitz.learn.states import (
    module_state,
    optimiser_state,
    restore_module,
    restore_optimiser,
)

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]

BINS = 10
"""Parts of [0, 1] in which what is said is compared with what came true."""

SPOTS, REACH = 240, 6.0
"""What was said lately is kept as counts: log odds from -REACH to REACH in so many parts."""

LATELY = 0.97
"""What is left of these counts after another step."""

TRUST = 200.0
"""Hands that it takes to move odds half as far as they ask for."""


@dataclass(frozen=True)
class CallingConfig:
    """Parameters of a model that calls; the thesis's where it has them."""

    question: Literal["grand", "tichu"] = "tichu"  # of eight cards, or of fourteen
    population: str = "convention"  # whose games are looked at
    hidden: tuple[int, ...] = (48, 96)
    games: int = 500  # rounds per step
    passes: int = 4  # hands of a step that are drawn from all so far, as multiples of the new ones
    memory: int = 1_000_000  # hands that are kept
    batch: int = 256
    learning_rate: float = 1e-3
    last_rate: float = 0.05  # what is left of it in the end
    rate_steps: int = 0  # steps until then; 0: it never falls

    def __post_init__(self) -> None:
        """Refuse numbers out of range."""
        limits.check_positive(self, limits.MAX_RATE, "learning_rate")
        limits.check_positive(self, 1, "last_rate")
        limits.check_within(self, 1, MAX_LANES, "games")
        limits.check_within(self, 1, limits.MAX_BATCH, "batch", "memory")
        limits.check_within(self, 1, limits.MAX_PASSES, "passes")
        limits.check_within(self, 0, limits.MAX_STEPS, "rate_steps")


@kernel
def write_first_out(seats: Ints, actions: Ints, offsets: Ints, left: Ints, out: Ints) -> None:
    """Write who has played all cards first in each game; `left` is scratch for four seats."""
    for game in range(len(out)):
        left[:] = HAND_CARDS
        out[game] = -1
        for k in range(offsets[game], offsets[game + 1]):
            if out[game] >= 0 or kind_of(actions[k]) != PLAY:
                continue
            left[seats[k]] -= popcount(cards_of(actions[k]))
            if left[seats[k]] == 0:
                out[game] = seats[k]


def balanced(is_first: npt.NDArray[np.bool_], rng: np.random.Generator) -> Ints:
    """Draw as many hands of the commoner kind as there are of the other, in random order."""
    yes, no = np.flatnonzero(is_first), np.flatnonzero(~is_first)
    n = min(len(yes), len(no))
    return rng.permutation(
        np.concatenate([rng.permutation(yes)[:n], rng.permutation(no)[:n]]).astype(np.int64)
    )


def calibration_error(chances: Floats, is_first: npt.NDArray[np.bool_]) -> float:
    """Return how far what is said is from what came true, in the mean over hands by bins."""
    places = np.minimum((chances * BINS).astype(np.int64), BINS - 1)
    wrong = np.zeros(BINS)
    np.add.at(wrong, places, chances - is_first)
    return float(np.abs(wrong).sum() / max(1, len(chances)))


def recalibrate(logits: Any, counts: Any, shift: float) -> tuple[float, float]:
    """Return a and b so that the odds exp(a z + b) fit what came true where z was said.

    Newton's method on the likelihood, with a prior of some hands for a = 1 and b = `shift`.

    Args:
        logits: [spots] z.
        counts: [spots, 2] hands that went out first, and others.
        shift: what b is without any hands.
    """
    rows = np.stack([logits, np.ones_like(logits)], axis=1)
    start = np.array([1.0, shift])
    found, prior = start.copy(), np.diag([TRUST, TRUST]) / 4
    for _ in range(20):
        chances = 1 / (1 + np.exp(-(rows @ found)))
        total = counts.sum(axis=1)
        slope = rows.T @ (counts[:, 0] - total * chances) - prior @ (found - start)
        bend = (rows * (total * chances * (1 - chances))[:, None]).T @ rows + prior
        found = found + np.linalg.solve(bend, slope)
    return float(found[0]), float(found[1])


class Calling(Algorithm):
    """Learns which hands go out first."""

    Config = CallingConfig

    def __init__(self, game: Game, config: CallingConfig, seed: int) -> None:
        """Draw the first weights, and load who plays."""
        super().__init__(game, config, seed)
        if "counts" not in game.encodings:
            raise SpecError(f"models that call are for tichu, not for {game.spec}")
        self._encoding = game.encodings["counts"]
        self._player = load_agent(config.population, game)
        heads = {"value": 1}
        weights = seed_of(seed, 0, Stream.WEIGHTS)
        self.network = Mlp(self._encoding.size, config.hidden, heads, seed=weights)
        self.optimiser = torch.optim.Adam(self.network.parameters(), lr=config.learning_rate)
        self.n_steps, self.n_hands, self.n_first = 0, 0, 0
        self._said = np.zeros((SPOTS, 2))
        self._hands = np.zeros((0, self._encoding.size), np.int8)
        self._firsts = np.zeros(0, np.bool_)

    def step(self) -> Metrics:
        """Play rounds, measure what is said of their hands, then learn from a balanced draw."""
        counts, is_first = self._play(seed_of(self.seed, self.n_steps, Stream.GAMES))
        metrics = self._measure(counts, is_first) if self.n_steps else {}
        self.n_hands += len(is_first)
        self.n_first += int(is_first.sum())
        rng = np.random.default_rng(seed_of(self.seed, self.n_steps, Stream.REPLAY))
        config = self.config
        self._hands = np.concatenate([self._hands, counts.astype(np.int8)])[-config.memory :]
        self._firsts = np.concatenate([self._firsts, is_first])[-config.memory :]
        rows = balanced(self._firsts, rng)[: 2 * config.passes * int(is_first.sum())]
        share = min(1.0, self.n_steps / config.rate_steps) if config.rate_steps else 0.0
        self.optimiser.param_groups[0]["lr"] = config.learning_rate * config.last_rate**share
        losses = []
        for begin in range(0, len(rows), config.batch):
            some = rows[begin : begin + config.batch]
            hands = torch.from_numpy(self._hands[some].astype(np.float32))
            said = self.network(hands)["value"][:, 0]
            goal = torch.from_numpy(self._firsts[some].astype(np.float32))
            loss = nn.functional.binary_cross_entropy_with_logits(said, goal)
            self.optimiser.zero_grad()
            loss.backward()
            self.optimiser.step()
            losses.append(float(loss.detach()))
        self.n_steps += 1
        return {**metrics, "loss": float(np.mean(losses)), "first": float(is_first.mean())}

    def _play(self, seed: int) -> tuple[Floats, npt.NDArray[np.bool_]]:
        """Play rounds; return the hands of all seats, and whether they went out first."""
        n = self.config.games
        lanes = Lanes(self.game, n, seed)
        hands, firsts = [], []
        n_left = n
        while n_left:
            turn = lanes.ask()
            decided = self._player.act(turn.views, turn.seats, turn.rngs, turn.games)
            seen = self._encoding.observe(turn.views, turn.seats)
            finished = lanes.answer(
                decided.actions, counts=seen, asked=self._is_asked(turn.views, turn.seats)
            )
            if len(finished):
                hand, first = self._read(finished)
                hands.append(hand)
                firsts.append(first)
                n_left -= int((finished.games < n).sum())
        if self._player.forgets:
            self._player.end(np.arange(2 * n))
        return np.concatenate(hands), np.concatenate(firsts)

    def _is_asked(self, views: Any, seats: Ints) -> npt.NDArray[np.bool_]:
        """Return where the question of this model is asked: of fourteen, after the exchange."""
        if self.config.question == "grand":
            return np.asarray(views["phase"] == GRAND_CALLING)
        return np.asarray((views["phase"] == CALLING) & (views["given"][:, 0, 0] != 0))

    def _read(self, finished: Finished) -> tuple[Floats, npt.NDArray[np.bool_]]:
        """Take the hands of games that belong to this step."""
        log, first = finished.log, np.empty(len(finished), np.int64)
        seats, actions = log["seat"].astype(np.int64), log["action"].astype(np.int64)
        write_first_out(seats, actions, finished.log_offsets, np.zeros(4, np.int64), first)
        decided = finished.decisions
        rows = finished.kept["asked"] & (finished.games < self.config.games)[decided.games]
        counts: Floats = finished.kept["counts"][rows]
        return counts, decided.seats[rows] == first[decided.games[rows]]

    @property
    def _shift(self) -> float:
        """The logarithm of the odds that a hand goes out first: what balancing has hidden."""
        if not 0 < self.n_first < self.n_hands:
            return 0.0
        return math.log(self.n_first / (self.n_hands - self.n_first))

    @property
    def _line(self) -> tuple[float, float]:
        """How the network's log odds become those of unbalanced hands: times a, plus b."""
        centres = REACH * ((2 * np.arange(SPOTS) + 1) / SPOTS - 1)
        return recalibrate(centres, self._said, self._shift)

    def _measure(self, counts: Floats, is_first: npt.NDArray[np.bool_]) -> dict[str, float]:
        """Compare what is said of new hands with what came true, and remember it."""
        with torch.no_grad():
            raw = self.network(torch.from_numpy(counts))["value"][:, 0]
        slope, shift = self._line
        chances: Floats = torch.sigmoid(slope * raw + shift).numpy()
        places = ((raw.numpy() + REACH) * (SPOTS / (2 * REACH))).astype(np.int64)
        self._said *= LATELY
        np.add.at(self._said, (places.clip(0, SPOTS - 1), (~is_first).astype(np.int64)), 1)
        right = float(chances[is_first].mean() - chances[~is_first].mean())
        return {
            "calibration": calibration_error(chances, is_first),
            "brier": float(np.square(chances - is_first).mean()),
            "separation": right,
        }

    def state(self) -> State:
        """Return weights, optimiser and counters."""
        networks = {"network": module_state(self.network)}
        counters = {"step": self.n_steps, "hands": self.n_hands, "first": self.n_first}
        kept: dict[str, Any] = {"said": self._said, "counts": self._hands, "firsts": self._firsts}
        optimiser = optimiser_state(self.optimiser)
        return {**counters, **kept, "networks": networks, "optimiser": optimiser}

    def restore(self, state: State) -> None:
        """Go on from what `state` returned."""
        saved: Any = state
        restore_module(self.network, saved["networks"]["network"])
        restore_optimiser(self.optimiser, saved["optimiser"])
        self.n_steps, self.n_hands = int(saved["step"]), int(saved["hands"])
        self.n_first, self._said = int(saved["first"]), np.array(saved["said"])
        self._hands, self._firsts = np.array(saved["counts"]), np.array(saved["firsts"])

    def drafts(self) -> dict[str, Draft]:
        """Return the model, whose probabilities are those of unbalanced hands."""
        layers = layers_of(self.network)
        weights, bias = layers[-1]
        slope, shift = self._line
        layers[-1] = (slope * weights).astype(np.float32), (slope * bias + shift).astype(np.float32)
        notes = {"question": self.config.question, "population": self.config.population}
        return {"model": Draft("counts", {"value": 1}, layers, value="win", notes=notes)}


ALGORITHM = Calling
