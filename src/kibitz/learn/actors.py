"""What learners share that play inside kernels: networks, opponents, critics and advantages.

An *actor* has a policy that scores actions and a critic that values positions; both are sparse
networks (`bags`). A step plays whole games (`troupe`) and learns from what was noted. It depends on
weights, optimisers, the pool of older selves and on (seed, number of the step) alone, so a run
resumes exactly.

Every thread computes the gradient of its own part of a batch; the sum is taken in their order.
"""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from kibitz.core.errors import SpecError, clip, nearest
from kibitz.core.exploring import NEVER
from kibitz.core.modules import find_module
from kibitz.core.registry import load_agent
from kibitz.core.spec import split_spec
from kibitz.core.table import Game
from kibitz.learn import limits
from kibitz.learn.algorithm import Algorithm, Draft, Metrics, State
from kibitz.learn.bags import Ints, SparseMlp
from kibitz.learn.export import layers_of
from kibitz.learn.league import League, Shares
from kibitz.learn.learner import Stream, seed_of
from kibitz.learn.reading import Inputs, Reader, Tensor
from kibitz.learn.returns import gae
from kibitz.learn.states import (
    module_state,
    optimiser_state,
    restore_module,
    restore_optimiser,
)
from kibitz.learn.troupe import MAX_WORKERS, Manner, Part, Troupe, one_kind

Floats = npt.NDArray[np.float32]

CHUNK = 4096
"""Decisions that a critic values at a time."""

MAX_SNAPSHOTS = 1000
"""Most snapshots in the pool."""


@dataclass(frozen=True, kw_only=True)
class ActorConfig:
    """What plays, against whom, and what critics see; each algorithm adds fields of its own."""

    encoding: str = ""  # what networks see of the game; empty: its first encoding
    inputs: Inputs = "candidates"  # a row per legal action, or an output per action index
    hidden: tuple[int, ...] = (256, 128, 64)  # outputs of the hidden layers
    critic: Literal["oracle", "view"] = "oracle"  # it sees all hands, while learning only
    critic_hidden: tuple[int, ...] = (256, 128, 64)
    games: int = 700  # whole games per step
    latest: float = 0.8  # share of deals against the learner as it is
    older: float = 0.2  # against its snapshots
    bots: tuple[str, ...] = ()  # specs of compiled bots in the pool
    bot_shares: tuple[float, ...] = ()  # one for each
    snapshot_every: int = 200_000  # decisions between snapshots
    keep: int = 8  # snapshots in the pool
    chain: Literal["side", "seat"] = "side"  # one chain of decisions with signs, or one per seat
    by_turns: bool = False  # points count when views show them, not only at the end
    scale: float = 100.0  # points that a reward of 1 stands for
    gamma: float = 1.0  # discount
    lam: float = 0.9  # lambda of advantages
    critic_lam: float = 1.0  # lambda of what the critic learns; 1: the result
    batch: int = 1024  # decisions of an update
    learning_rate: float = 3e-4  # of the policy
    critic_rate: float = 5e-4
    last_rate: float = 1.0  # what is left of both rates in the end, as a share
    rate_steps: int = 0  # steps until then; 0: they never fall
    critic_batch: int = 2048
    critic_epochs: int = 2
    max_norm: float = 0.5  # gradients are cut to this norm; 0: never
    explore: str = ""  # what is tried on purpose, such as calls:grand=0.2
    answers: str = ""  # a player who decides in place of networks where it can, such as caller
    workers: int = 1  # threads that play and learn

    def __post_init__(self) -> None:
        """Refuse numbers out of range."""
        if len(self.bots) != len(self.bot_shares):
            raise SpecError(
                f"every bot of the pool has a share, got {len(self.bots)} bots and "
                f"{len(self.bot_shares)} bot_shares"
            )
        limits.check_positive(self, limits.MAX_RATE, "learning_rate", "critic_rate")
        limits.check_positive(self, 1, "last_rate")
        limits.check_positive(self, limits.MAX_WEIGHT, "scale")
        limits.check_within(self, 0, limits.MAX_WEIGHT, "max_norm")
        limits.check_within(self, 0, 1, "gamma", "lam", "critic_lam")
        limits.check_within(self, 1, limits.MAX_GAMES, "games")
        limits.check_within(self, 1, limits.MAX_BATCH, "batch", "critic_batch")
        limits.check_within(self, 0, limits.MAX_PASSES, "critic_epochs")
        limits.check_within(self, 1, MAX_SNAPSHOTS, "keep")
        limits.check_within(self, 1, limits.MAX_STEPS, "snapshot_every")
        limits.check_within(self, 0, limits.MAX_STEPS, "rate_steps")
        limits.check_within(self, 1, MAX_WORKERS, "workers")


class Actor(Algorithm):
    """A policy and a critic that learn from games inside kernels."""

    head = "policy"

    def __init__(self, game: Game, config: Any, seed: int) -> None:
        """Draw the first weights and seat everybody."""
        super().__init__(game, config, seed)
        if config.chain == "side" and game.n_sides != 2:
            raise SpecError(
                f"{game.spec} has {game.n_sides} sides: one chain of all needs two, take chain=seat"
            )
        self.reader = reader = Reader(game, config.encoding, config.inputs)
        shares = dict(zip(config.bots, config.bot_shares, strict=True))
        self.league = League(
            game, seed, Shares(config.latest, config.older, shares), keep=config.keep
        )
        sees_all = config.critic == "oracle"
        n_kinds = 2 + len(config.bots) + config.keep
        self.troupe = Troupe(
            game, reader, workers=config.workers, n_kinds=n_kinds, sees_all=sees_all
        )
        self.explorer = load_explorer(game, config.explore)
        self.answers = load_answers(game, config.answers)
        self.n_steps = self.n_decisions = self.next_snapshot = 0
        weights = seed_of(seed, 0, Stream.WEIGHTS)
        self.policy = SparseMlp(
            reader.n_inputs, config.hidden, {self.head: reader.n_outputs}, weights
        )
        with torch.no_grad():  # at first all actions are about alike
            self.policy.heads[self.head].weight.mul_(0.1)
        self.critic = SparseMlp(
            self.troupe.n_truth, config.critic_hidden, {"value": 1}, weights + 1
        )
        self.modules = {"policy": self.policy, "critic": self.critic}
        self.optimisers = {
            "policy": torch.optim.Adam(self.policy.parameters(), lr=config.learning_rate),
            "critic": torch.optim.Adam(self.critic.parameters(), lr=config.critic_rate),
        }

    def step(self) -> Metrics:
        """Play some games and learn from them."""
        self.set_rates()
        parts = self.play()
        metrics = self._told_of(parts) | dict(self.learn(parts, self.rng()))
        self.n_decisions += sum(map(len, parts))
        self.n_steps += 1
        if self.config.older and self.n_decisions >= self.next_snapshot:
            self.league.add(self.policy_draft())
            self.next_snapshot = self.n_decisions + self.config.snapshot_every
        return metrics

    def play(self) -> list[Part]:
        """Play the games of a step against the pool."""
        deals = self.n_steps * self.config.games + np.arange(self.config.games)
        lineup = one_kind(self.league.lineup(deals))
        manner = Manner(explorer=self.explorer, answers=self.answers)
        return self.perform(lineup, self.league.agents, manner)

    def perform(
        self, lineup: npt.NDArray[np.int64], agents: Sequence[Any], manner: Manner
    ) -> list[Part]:
        """Play a game for every row of a lineup."""
        seed = seed_of(self.seed, self.n_steps, Stream.GAMES)
        return self.troupe.play(self.policy.layers(), agents, lineup, seed, manner)

    def rng(self) -> np.random.Generator:
        """Return the stream that batches of this step are drawn from."""
        return np.random.default_rng(seed_of(self.seed, self.n_steps, Stream.REPLAY))

    @abstractmethod
    def learn(self, parts: Sequence[Part], rng: np.random.Generator) -> Mapping[str, float]:
        """Learn from what was played; return what can be told about it."""

    def set_rates(self) -> None:
        """Let learning rates fall, step by step in proportion."""
        config = self.config
        share = min(1.0, self.n_steps / config.rate_steps) if config.rate_steps else 0.0
        rates = {"policy": config.learning_rate, "critic": config.critic_rate}
        for name, optimiser in self.optimisers.items():
            optimiser.param_groups[0]["lr"] = rates[name] * config.last_rate**share

    def _told_of(self, parts: Sequence[Part]) -> dict[str, float]:
        """Return how learners did, by kind of opponent, and how much was played."""
        names = ["self", *self.config.bots]
        found: dict[str, list[npt.NDArray[np.float64]]] = {}
        for part in parts:
            if not len(part):
                continue
            games, rows = np.unique(part.games, return_index=True)
            results, kinds = part.scores[games, part.seats[rows]], part.kinds[games]
            for kind in np.unique(kinds).tolist():
                name = names[kind] if kind < len(names) else "older"
                found.setdefault(f"score/{name}", []).append(results[kinds == kind])
        told = {name: float(np.concatenate(results).mean()) for name, results in found.items()}
        n = sum(map(len, parts))
        told |= {"decisions": float(n), "choices": sum(p.n_candidates for p in parts) / n}
        count = getattr(find_module(self.game.facts, "tallying"), "told_of", None)
        return told if count is None else told | count(sum(part.tally for part in parts))

    def values(self, part: Part) -> npt.NDArray[np.float64]:
        """Return what the critic says of every decision, for the seat that decides."""
        out = np.empty(len(part))
        with torch.no_grad():
            for begin in range(0, len(part), CHUNK):
                rows = np.arange(begin, min(begin + CHUNK, len(part)))
                out[rows] = self._value(part, rows).numpy()
        return out

    def _value(self, part: Part, rows: Ints) -> Tensor:
        if self.config.critic == "oracle":
            return self.critic.of_scored(part.truths, rows)["value"][:, 0]
        return self.critic.of_rows(part.views, rows)["value"][:, 0]

    def scores_of(self, part: Part, rows: Ints) -> tuple[Tensor, Tensor]:
        """Return what the policy says of every candidate of some decisions, and whose they are."""
        counts = part.first[rows + 1] - part.first[rows]
        owners = torch.from_numpy(np.repeat(np.arange(len(rows)), counts))
        if not self.reader.by_view:
            return self.policy.of_scored(part.scored, rows)[self.head][:, 0], owners
        outputs = self.policy.of_rows(part.views, rows)[self.head]
        places = candidates_of(part, rows)
        indices = torch.from_numpy(part.indices[places].astype(np.int64))
        return outputs[owners, indices] + torch.from_numpy(part.shifts[places]), owners

    def chosen_scores(self, part: Part, rows: Ints) -> Tensor:
        """Return what the policy says of what was chosen in some decisions, and of nothing else."""
        if not self.reader.by_view:
            bag, places = part.scored, part.first[rows] + part.chosen[rows]
            return self.policy.of_chosen(bag, rows, places)[self.head][:, 0]
        outputs = self.policy.of_rows(part.views, rows)[self.head]
        indices = part.indices[part.first[rows] + part.chosen[rows]].astype(np.int64)
        return outputs[torch.arange(len(rows)), torch.from_numpy(indices)]

    def fit_critic(
        self, parts: Sequence[Part], targets: Sequence[Floats], rng: np.random.Generator
    ) -> float:
        """Let the critic come nearer to targets; return the mean square of its errors before."""

        def loss(k: int, rows: Ints) -> tuple[Tensor, dict[str, float]]:
            errors = self._value(parts[k], rows) - torch.from_numpy(targets[k][rows])
            squares = torch.square(errors)
            return squares.sum(), {"square": float(squares.detach().mean())}

        every = [np.arange(len(part)) for part in parts]
        found = [
            self.descend("critic", batch, loss)
            for _ in range(self.config.critic_epochs)
            for batch in self.batches(every, self.config.critic_batch, rng)
        ]
        return means(found).get("square", 0.0)

    def batches(
        self, rows: Sequence[Ints], size: int, rng: np.random.Generator
    ) -> list[list[Ints]]:
        """Cut rows of all parts into batches, in random order: every part has its share of each.

        Parts that have fewer rows than there are batches leave the last ones empty: those are none.
        """
        total = sum(map(len, rows))
        n = max(1, round(total / size)) if total else 0
        mixed = [np.array_split(rng.permutation(some), n) for some in rows] if n else []
        cut = [[part[k] for part in mixed] for k in range(n)]
        return [batch for batch in cut if any(map(len, batch))]

    def descend(
        self,
        name: str,
        batch: Sequence[Ints],
        loss: Callable[[int, Ints], tuple[Tensor, dict[str, float]]],
    ) -> dict[str, float]:
        """Take one step of an optimiser along the sum of the losses of all parts.

        Args:
            name: of the network.
            batch: rows of every part.
            loss: the loss of some rows of a part, summed over them, and what is told of it.
        """
        module, n = self.modules[name], sum(map(len, batch))
        parameters = list(module.parameters())

        def work(k: int) -> tuple[Any, dict[str, float]]:
            if not len(batch[k]):
                return None, {}
            total, told = loss(k, batch[k])
            return torch.autograd.grad(total / n, parameters), told

        found = self.troupe.map(work)
        made = [slopes for slopes, _ in found if slopes is not None]
        for k, parameter in enumerate(parameters):
            parameter.grad = sum((slopes[k] for slopes in made[1:]), made[0][k])
        if self.config.max_norm:
            nn.utils.clip_grad_norm_(parameters, self.config.max_norm)
        self.optimisers[name].step()
        shares = [len(rows) / n for rows in batch]
        names = next(told for _, told in found if told)
        return {
            key: sum(s * told.get(key, 0.0) for s, (_, told) in zip(shares, found, strict=True))
            for key in names
        }

    def state(self) -> State:
        """Return weights, optimisers, the pool and the number of the next step."""
        networks = {name: module_state(module) for name, module in self.modules.items()}
        optimisers = {name: optimiser_state(one) for name, one in self.optimisers.items()}
        counters = {"step": self.n_steps, "decisions": self.n_decisions}
        counters["next_snapshot"] = self.next_snapshot
        return {
            **counters,
            "networks": networks,
            "optimisers": optimisers,
            "league": self.league.state(),
        }

    def restore(self, state: State) -> None:
        """Go on from what `state` returned."""
        saved: Any = state
        for name, module in self.modules.items():
            restore_module(module, saved["networks"][name])
        for name, optimiser in self.optimisers.items():
            restore_optimiser(optimiser, saved["optimisers"][name])
        self.league.restore(saved["league"])
        self.n_steps, self.n_decisions = int(saved["step"]), int(saved["decisions"])
        self.next_snapshot = int(saved["next_snapshot"])

    def drafts(self) -> dict[str, Draft]:
        """Return the policy and, if it sees all cards, the critic as it is among equals."""
        found = {"model": self.policy_draft()}
        if self.troupe.n_kinds:
            found["critic"] = self._critic_draft()
        return found

    def policy_draft(self) -> Draft:
        """Return what plays, as it is kept in the pool and written at the end."""
        reader = self.reader
        heads, layers = {self.head: reader.n_outputs}, layers_of(self.policy)
        return Draft(reader.encoding.name, heads, layers, inputs=reader.inputs)

    def _critic_draft(self) -> Draft:
        """Return the critic; which kind of opponents it faces, itself, becomes a part of biases."""
        (weights, biases), *rest = layers_of(self.critic)
        n, config = self.troupe.n_truth - self.troupe.n_kinds, self.config
        layers = [(np.ascontiguousarray(weights[:n]), biases + weights[n]), *rest]
        value = "rest" if config.by_turns else "score"
        name = self.reader.encoding.name
        return Draft(name, {"value": 1}, layers, "oracle", value, config.scale)


def means(told: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return the means of what was told several times, which may be never."""
    names = told[0] if told else ()
    return {name: float(np.mean([one[name] for one in told])) for name in names}


def candidates_of(part: Part, rows: Ints) -> Ints:
    """Return the places of all candidates of some decisions, one decision after the other."""
    first, counts = part.first[rows], part.first[rows + 1] - part.first[rows]
    before = np.cumsum(counts) - counts
    return np.arange(int(counts.sum())) + np.repeat(first - before, counts)


def log_softmax(scores: Tensor, owners: Tensor, n: int) -> Tensor:
    """Return log-probabilities of candidates [all] whose owners are decisions 0 to n - 1."""
    highest = torch.full((n,), -torch.inf).scatter_reduce(0, owners, scores.detach(), "amax")
    shifted = scores - highest[owners]
    total = torch.zeros(n).index_add(0, owners, shifted.exp())
    return shifted - total.log()[owners]


def advantages(
    part: Part, values: npt.NDArray[np.float64], sides: npt.NDArray[np.int64], config: ActorConfig
) -> tuple[Floats, Floats]:
    """Return the advantage of every decision and what the critic should have said, for its seat.

    With `chain="side"` the decisions of all seats of a game are one chain, in the order of play:
    what is good for one side is bad for the other, so values and rewards change their signs. With
    `chain="seat"` each seat has a chain of its own.
    """
    is_side = config.chain == "side"
    signs = np.where(sides[part.seats] == 0, 1.0, -1.0) if is_side else np.ones(len(part))
    keys = part.games if is_side else part.games * len(sides) + part.seats
    order = np.argsort(keys, kind="stable")
    is_last = np.ones(len(part), np.bool_)
    is_last[:-1] = keys[order][1:] != keys[order][:-1]
    so_far = signs * part.running if config.by_turns else np.zeros(len(part))
    final = (signs * part.scores[part.games, part.seats])[order]
    so_far, said = so_far[order], (signs * values)[order]
    rewards = final - so_far
    rewards[:-1] = np.where(is_last[:-1], rewards[:-1], np.diff(so_far))
    rewards /= config.scale
    found = []
    for lam in (config.lam, config.critic_lam):
        gained = np.empty(len(part))
        gained[order] = gae(rewards, said, is_last, config.gamma, lam)
        found.append(signs * gained)
    return found[0].astype(np.float32), (found[1] + values).astype(np.float32)


def load_answers(game: Game, spec: str) -> np.record:
    """Return what decides in place of networks, of a player that has it; empty: nothing does."""
    if not spec:
        return NEVER
    answers: np.record | None = getattr(load_agent(spec, game), "answers", None)
    if answers is None:
        raise SpecError(
            f"{clip(spec)} does not answer questions for networks: take a player such as caller"
        )
    return answers


def load_explorer(game: Game, spec: str) -> np.record:
    """Return what is tried on purpose, by a spec such as `calls:grand=0.2`; empty: nothing."""
    if not spec:
        return NEVER
    name, parameters = split_spec(spec)
    known: dict[str, np.record] = getattr(find_module(game.facts, "exploring"), "EXPLORERS", {})
    if name not in known:
        hint = nearest(name, known) if known else "it has none"
        raise SpecError(f"{game.facts.name} has no exploration {clip(name)}: {hint}")
    explorer = known[name].copy()
    fields = [field for field in explorer.dtype.names or () if not field.endswith("_explorer")]
    for key, text in parameters.items():
        if key not in fields:
            raise SpecError(f"{name} has no parameter {clip(key)}: {nearest(key, fields)}")
        try:
            explorer[key] = float(text)
        except ValueError:
            raise SpecError(f"{name}: {key} is a number, got {clip(text)}") from None
    return explorer
