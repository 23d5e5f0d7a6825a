"""AlphaZero (Silver et al. 2017, 2018): self-play guided by a network that learns from the search.

Searches of many games grow side by side in a forest, so that one call of the network serves them
all. From every decision the policy p learns what the search found (pi), the value v who won (z):

    l = (z - v)^2 - pi^T log p + c |theta|^2

The defaults are those of the thesis on planning models, chapter 4 and table B.1. Other settings
learn more from less: searches by sequential halving with Gumbel noise (Danihelka et al. 2022),
which need few simulations; quick searches that only play, between those that are learnt from
(playout cap randomisation, Wu 2019); values that are partly what the search expected.

Differences from the thesis: an end of a game is backed up as its result, never as a guess; illegal
actions have no prior at all; games go on from step to step, so that no search waits for the longest
game; positions are learnt as they are or as their mirror images.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from kibitz.arena import play
from kibitz.core.errors import SpecError
from kibitz.core.game import Actions
from kibitz.core.lanes import Finished, Lanes, Turn
from kibitz.core.registry import load_game
from kibitz.core.table import Game
from kibitz.learn import limits
from kibitz.learn.algorithm import Algorithm, Draft, State
from kibitz.learn.export import layers_of, to_onnx
from kibitz.learn.learner import Stream, seed_of
from kibitz.learn.networks import Mlp
from kibitz.learn.reading import NEVER, Reader, Tensor
from kibitz.learn.replay import MAX_ROWS, Replay
from kibitz.learn.residual import ResidualNetwork, planes_of
from kibitz.learn.searching import (
    Answers,
    Guidance,
    NetworkSearch,
    Searched,
    symmetries_of,
    tempered,
)
from kibitz.learn.states import (
    module_state,
    optimiser_state,
    restore_module,
    restore_optimiser,
)
from kibitz.search.cards import Card
from kibitz.search.foresight import check_foresight, check_plies
from kibitz.search.guided import GuidedAgent
from kibitz.search.gumbel import NETWORK_SCALE, GumbelAgent, GumbelConfig
from kibitz.search.mlp import MAX_WIDTH
from kibitz.search.models import Model
from kibitz.search.puct import PuctAgent, PuctConfig

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

MAX_OLD = 0.99
"""Largest share of earlier steps in what is learnt from."""


@dataclass(frozen=True, kw_only=True)
class AlphaZeroConfig:
    """How a network plays against itself and learns; defaults as in the thesis."""

    encoding: str = ""  # what the network sees of the game; empty: its first encoding
    blocks: int = 6  # residual blocks
    filters: int = 128  # of every convolution; 0: an MLP instead
    hidden: tuple[int, ...] = (64, 64)  # of the MLP
    value: Literal["win", "score"] = "win"  # what the value tells
    scale: float = 1.0  # points that a value of 1 stands for, of scores
    games: int = 500  # that end in a step
    lanes: int = 128  # games side by side
    rule: Literal["puct", "gumbel"] = "puct"
    sims: int = 300  # of a search that is learnt from
    full: float = 1.0  # share of searches that are learnt from; the others are quick
    quick_sims: int = 0  # of these
    c: float = 1.5  # exploration of puct: 3 where values lie between -1 and 1
    alpha: float = 0.3  # of the Dirichlet noise of puct
    noise: float = 0.25  # its share of the priors of the root
    temperature: float = 1.1  # of what is drawn from visits, eq. 4.28
    drawn: int = 5  # decisions of each seat that are drawn; then the best is played
    random: int = 0  # first decisions of each seat, at most, that are random and not learnt from
    foresight: int = 0  # moves, at most, that the rules look beyond leaves of a search
    precision: Literal["float32", "bfloat16"] = "float32"  # in which games are searched
    value_mix: float = 0.0  # share of what the search expected in what the value learns
    capacity: int = 1_000_000  # decisions that are kept
    old: float = 1 / 3  # share of earlier steps in what is learnt from
    recent: float = 0.2  # of these, only so much, the most recent, is drawn from
    epochs: tuple[int, ...] = (6, 6, 2)  # over what is learnt from; then as `falls` says
    rates: tuple[float, ...] = (1e-3, 1e-4, 5e-5)  # of learning
    falls: tuple[int, ...] = (20, 30)  # steps at which the next rate and number of epochs begin
    batch: int = 32
    l2: float = 1e-4
    gate: float = 0.55  # wins with which a network becomes the one that plays; 0: at once
    gate_deals: int = 50  # starting positions, played from both sides
    gate_game: str = "opening=4"  # options that vary these

    def __post_init__(self) -> None:
        """Refuse numbers out of range."""
        limits.check_within(self, 0, 1, "noise", "value_mix", "recent", "gate")
        limits.check_within(self, 0, MAX_OLD, "old")
        limits.check_positive(self, 1, "full")
        limits.check_within(self, 1, limits.MAX_GAMES, "games", "gate_deals")
        limits.check_within(self, 1, limits.MAX_TREES, "lanes")
        limits.check_within(self, 1, limits.MAX_SIMS, "sims")
        limits.check_within(self, 0, limits.MAX_SIMS, "quick_sims")
        limits.check_within(self, 1, MAX_ROWS, "capacity")
        limits.check_within(self, 1, limits.MAX_BATCH, "batch")
        limits.check_within(self, 1, limits.MAX_BLOCKS, "blocks")
        limits.check_within(self, 0, limits.MAX_FILTERS, "filters")
        limits.check_within(self, 1, MAX_WIDTH, "hidden")
        limits.check_within(self, 0, limits.MAX_DRAWN, "random", "drawn")
        limits.check_within(self, 0, limits.MAX_C, "c")
        limits.check_within(self, 0, limits.MAX_WEIGHT, "l2")
        limits.check_within(self, 1, limits.MAX_PASSES, "epochs")
        limits.check_within(self, 0, limits.MAX_STEPS, "falls")
        limits.check_positive(self, limits.MAX_RATE, "rates")
        limits.check_positive(self, limits.MAX_WEIGHT, "temperature", "scale", "alpha")
        if not len(self.rates) == len(self.epochs) == len(self.falls) + 1:
            raise SpecError("rates and epochs have one number each, and one more for each of falls")
        if list(self.falls) != sorted(self.falls):
            raise SpecError(f"falls={list(self.falls)}: expected steps in ascending order")
        check_plies(self.foresight)
        if self.full < 1 and self.quick_sims < 1:
            raise SpecError(f"full={self.full}: the other searches need quick_sims=1 or more")


class Loss(NamedTuple):
    """The parts of the loss, means over decisions."""

    policy: Tensor
    value: Tensor


def losses(logits: Tensor, pi: Tensor, predicted: Tensor, z: Tensor) -> Loss:
    """Return what is to be made small, but for the penalty on weights.

    Args:
        logits: of all actions, NEVER where illegal: [decisions, actions].
        pi: what the search found; rows add up to 1.
        predicted: the value, on the scale of z: [decisions].
        z: what came of it.
    """
    policy = -(pi * torch.log_softmax(logits, dim=1)).sum(dim=1).mean()
    return Loss(policy, torch.square(z - predicted).mean())


def _openings(games: Ints, most: int) -> Ints:
    """Return how many decisions of each seat are random in these games: from 0 to `most`."""
    mixed = games.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(33)
    return (mixed % np.uint64(most + 1)).astype(np.int64)


class AlphaZero(Algorithm):
    """Lets a network play against itself, and learn what the search finds."""

    Config = AlphaZeroConfig

    def __init__(self, game: Game, config: AlphaZeroConfig, seed: int) -> None:
        """Draw the first weights and begin the first games."""
        super().__init__(game, config, seed)
        if game.n_seats != 2 or game.facts.hidden:
            raise SpecError(
                f"alphazero learns games of two seats in which nothing is hidden, not {game.spec}"
            )
        if config.foresight:
            check_foresight(game, config.value)
        self.encoding = Reader(game, config.encoding, "view").encoding
        self.heads = {"policy": self.encoding.n_actions, "value": 1}
        self.n_steps = 0
        self.network = self._make_network()
        self.champion = self._make_network()
        self.optimiser = torch.optim.Adam(
            self.network.parameters(), lr=config.rates[0], weight_decay=config.l2
        )
        self.lanes = Lanes(game, config.lanes, seed_of(seed, 0, Stream.GAMES))
        self.replay = Replay(config.capacity, self._fields())
        self.first_new = 0  # row of the replay with which the games of this champion begin
        self._mirrors = symmetries_of(game, self.encoding)
        self._search = NetworkSearch(
            self._agent(), self.encoding, self._card(), config.lanes, self._guidance
        )
        if config.gate:
            self._gate_game = load_game(f"{game.facts.name}:{config.gate_game}")

    @property
    def _guidance(self) -> Guidance:
        config = self.config
        kind = torch.bfloat16 if config.precision == "bfloat16" else torch.float32
        noise = config.noise if config.rule == "puct" else 0.0
        return Guidance(config.alpha, noise, config.foresight, kind)

    def _make_network(self) -> nn.Module:
        config, seed = self.config, seed_of(self.seed, 0, Stream.WEIGHTS)
        if not config.filters:
            return Mlp(self.encoding.size, config.hidden, self.heads, seed=seed)
        planes = planes_of(self.encoding)
        return ResidualNetwork(planes, config.blocks, config.filters, self.heads["policy"], seed)

    def _fields(self) -> dict[str, Any]:
        n = self.encoding.n_actions
        return {
            "features": (np.float16, (self.encoding.size,)),  # exact for counts and marks
            "mask": (np.bool_, (n,)),
            "pi": (np.float32, (n,)),
            "z": (np.float32, ()),
        }

    def _agent(self, model: Model | None = None, game: Game | None = None) -> GuidedAgent:
        """Return the agent by whose rule games are played."""
        config, game = self.config, game or self.game
        how: dict[str, Any] = {"sims": max(config.sims, config.quick_sims), "leaves": 1}
        how |= {"value": config.value, "foresight": config.foresight if model else 0}
        if config.rule == "puct":
            return PuctAgent(game, PuctConfig(c=config.c, **how), model)
        noise = 0.0 if model else 1.0  # games of the gate are played as well as can be
        return GumbelAgent(game, GumbelConfig(noise=noise, value_scale=NETWORK_SCALE, **how), model)

    def _card(self) -> Card:
        """Say what the outputs of the network mean."""
        return Card(
            game=self.game.facts.name,
            version=self.game.facts.version,
            encoding=self.encoding.name,
            kind="onnx",
            heads=self.heads,  # type: ignore[arg-type]
            value=self.config.value,
            scale=self.config.scale,
            licence="none",
            recipe="in training",
            strength="in training",
            seed=self.seed,
        )

    def step(self) -> Mapping[str, float]:
        """Let games end, learn from them, and let the better network play on."""
        rng = np.random.default_rng(seed_of(self.seed, self.n_steps, Stream.REPLAY))
        told = self._play(rng)
        told |= self._learn(rng)
        told |= self._pass_gate()
        self.n_steps += 1
        return told

    def _play(self, rng: np.random.Generator) -> dict[str, float]:
        """Let games end by the champion, and keep what is to be learnt."""
        self._search.use(self.champion)
        n_games, n_rows, scores = 0, 0, 0.0
        while n_games < self.config.games:
            turn = self.lanes.ask()
            is_random = turn.numbers < _openings(turn.games, self.config.random)
            is_full = ~is_random & (rng.random(len(turn)) < self.config.full)
            sims = np.where(is_full, self.config.sims, max(self.config.quick_sims, 1))
            found = self._search.search(turn, sims, rng)
            asked = turn.views, turn.seats, turn.legal
            ended = self.lanes.answer(
                self._choose(turn, found, is_random, rng),
                features=self.encoding.observe(turn.views, turn.seats).astype(np.float16),
                mask=self.encoding.mask(*asked),
                pi=self.encoding.targets(*asked, found.weights),
                means=found.means.astype(np.float32),
                is_full=is_full,
            )
            if len(ended):
                n_games += len(ended)
                n_rows += self._keep(ended)
                scores += float(np.sign(ended.scores[:, 0] - ended.scores[:, 1]).sum())
        answers: Answers = self._search.answers
        return {
            "games/first_seat": scores / n_games,
            "games/decisions": n_rows / n_games,
            "search/remembered": 1 - answers.n_computed / max(answers.n_asked, 1),
        }

    def _choose(
        self, turn: Turn, found: Searched, is_random: Bools, rng: np.random.Generator
    ) -> Actions:
        """Draw an action in the beginning of a game, later play the best."""
        config, roots = self.config, found.roots
        if config.rule == "puct":
            total = tempered(np.nan_to_num(roots.visits), config.temperature).cumsum(axis=1)
            places = (total > rng.random(len(turn))[:, None] * total[:, -1:]).argmax(axis=1)
        else:  # the noise of Gumbel draws
            places = np.where(np.isnan(roots.preference), -np.inf, roots.preference).argmax(axis=1)
        best = np.nan_to_num(roots.weights).argmax(axis=1)
        places = np.where(turn.numbers < config.drawn, places, best)
        places = np.where(is_random, rng.integers(roots.n_actions), places)
        chosen: Actions = roots.actions[np.arange(len(turn)), places]
        return chosen

    def _keep(self, ended: Finished) -> int:
        """Keep the decisions of full searches, with what came of them."""
        kept = ended.kept
        scores = ended.scores[ended.decisions.games]
        seats = ended.decisions.seats
        own, other = (scores[np.arange(len(seats)), seats ^ k] for k in range(2))
        if self.config.value == "win":
            z, expected = np.sign(own - other), 2 * kept["means"] - 1
        else:
            z, expected = own / self.config.scale, kept["means"] / self.config.scale
        z = (1 - self.config.value_mix) * z + self.config.value_mix * expected
        full = np.flatnonzero(kept["is_full"])
        rows = {"z": z, **{name: kept[name] for name in ("features", "mask", "pi")}}
        self.replay.add({name: part[full] for name, part in rows.items()})
        return len(full)

    def _learn(self, rng: np.random.Generator) -> dict[str, float]:
        """Go over what is new, mixed with what is older."""
        stage = sum(self.n_steps >= fall for fall in self.config.falls)
        for group in self.optimiser.param_groups:
            group["lr"] = self.config.rates[stage]
        self.network.train()
        told = []
        for rows in self._batches(rng, self.config.epochs[stage]):
            loss = self._loss(rows, rng)
            self.optimiser.zero_grad()
            (loss.policy + loss.value).backward()
            self.optimiser.step()
            told.append([float(part.detach()) for part in loss])
        policy, value = np.mean(told, axis=0)
        return {"loss/policy": policy, "loss/value": value}

    def _batches(self, rng: np.random.Generator, epochs: int) -> Iterator[Ints]:
        """Draw rows of the replay: all new ones, and old ones as their share says (4.1.1)."""
        first_new = max(self.first_new, self.replay.oldest)
        rows = np.arange(first_new, self.replay.n_added)
        share = self.config.old / (1 - self.config.old)
        first_old = max(self.replay.oldest, int(first_new * (1 - self.config.recent)))
        if first_old < first_new:
            old = rng.integers(first_old, first_new, round(share * len(rows)))
            rows = np.concatenate([rows, old])
        size = self.config.batch
        for _ in range(epochs):
            order = rng.permutation(rows)
            # A single row has no variance that could be normalised.
            yield from (order[k : k + size] for k in range(0, max(len(order) - 1, 1), size))

    def _loss(self, rows: Ints, rng: np.random.Generator) -> Loss:
        """Compare what the network says of some decisions with what was found."""
        kept = self.replay.take(rows)
        features, mask, pi = kept["features"].astype(np.float32), kept["mask"], kept["pi"]
        for feature_order, action_order in self._mirrors:
            turned = rng.random(len(rows)) < 0.5
            features[turned] = features[turned][:, feature_order]
            pi[turned] = pi[turned][:, action_order]
            mask[turned] = mask[turned][:, action_order]
        made = self.network(torch.from_numpy(features))
        logits = made["policy"].masked_fill(~torch.from_numpy(mask), NEVER)
        value = made["value"][:, 0]
        predicted = torch.tanh(value / 2) if self.config.value == "win" else value
        return losses(logits, torch.from_numpy(pi), predicted, torch.from_numpy(kept["z"]))

    def _pass_gate(self) -> dict[str, float]:
        """Let the network play from now on if it wins often enough against the one that does."""
        told = {}
        if self.config.gate:
            told["gate/wins"] = self._wins()
            if told["gate/wins"] < self.config.gate:
                return told
        restore_module(self.champion, module_state(self.network))
        self.first_new = self.replay.n_added
        return told

    def _wins(self) -> float:
        """Return the share of wins against the champion, from starting positions for both sides."""
        game, agents = self._gate_game, []
        for network in (self.network, self.champion):
            session: Any = Answers(network, self.heads, self._mirrors)
            model = Model(self._card(), self.encoding, self.encoding.size, [], session)
            agents.append(self._agent(model, game))
        result = play(game, agents, self.config.gate_deals, self.seed)
        return float(result.sample.wins(0).mean)

    def state(self) -> State:
        """Return networks, optimiser, games that run, what is kept, and the next step."""
        networks = {"network": module_state(self.network), "champion": module_state(self.champion)}
        return {
            "step": self.n_steps,
            "first_new": self.first_new,
            "networks": networks,
            "optimiser": optimiser_state(self.optimiser),
            "lanes": self.lanes.state(),
            "replay": self.replay.state(),
        }

    def restore(self, state: State) -> None:
        """Go on from what `state` returned."""
        saved: Any = state
        restore_module(self.network, saved["networks"]["network"])
        restore_module(self.champion, saved["networks"]["champion"])
        restore_optimiser(self.optimiser, saved["optimiser"])
        self.lanes.restore(saved["lanes"])
        self.replay.restore(saved["replay"])
        self.n_steps, self.first_new = int(saved["step"]), int(saved["first_new"])

    def drafts(self) -> dict[str, Draft]:
        """Return the network that plays."""
        config, network = self.config, self.champion
        if config.filters:
            written: Any = to_onnx(network, self.encoding.size, list(self.heads))
        else:
            written = layers_of(network)
        scale = config.scale if config.value == "score" else 1.0
        draft = Draft(self.encoding.name, self.heads, written, value=config.value, scale=scale)
        return {"model": draft}


ALGORITHM = AlphaZero
