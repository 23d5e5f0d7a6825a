"""Deep Q-networks, with what was added to them; D3QN has all of it.

Equation numbers are those of the paper that is named beside them:

- DQN: Mnih et al. (2015), "Human-level control through deep reinforcement learning";
- double: van Hasselt, Guez and Silver (2016), "Deep reinforcement learning with double Q-learning";
- dueling: Wang et al. (2016), "Dueling network architectures for deep reinforcement learning";
- noisy: Fortunato et al. (2018), "Noisy networks for exploration";
- prioritised: Schaul et al. (2016), "Prioritized experience replay";
- n_step: Hessel et al. (2018), "Rainbow: combining improvements in deep reinforcement learning".
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn

from kibitz.core.lanes import Turn
from kibitz.core.table import Game
from kibitz.learn import limits
from kibitz.learn.algorithm import Draft, State
from kibitz.learn.episodes import Chosen, Episodes
from kibitz.learn.export import layers_of
from kibitz.learn.learner import Learner, LearnerConfig, Stream
from kibitz.learn.networks import DuelingMlp, Mlp, draw_noise
from kibitz.learn.reading import NEVER, Reader, Seen, Tensor, chosen_of
from kibitz.learn.replay import MAX_ROWS, Kind, PrioritisedReplay, Replay
from kibitz.learn.returns import Ints, n_step


@dataclass(frozen=True, kw_only=True)
class DqnConfig(LearnerConfig):
    """Parameters of DQN and of each addition, with the numbers of their papers."""

    double: bool = False  # the network that learns chooses, the target network values
    dueling: bool = False  # the value of the position and advantages in two streams
    noisy: bool = False  # explores by noise on weights, not by epsilon
    prioritised: bool = False  # replays what it was wrong about
    n_step: int = 1  # rewards before the target network is asked; Rainbow: 3
    gamma: float = 0.99  # discount
    learning_rate: float = 6.25e-5  # of Adam, as in Rainbow; Mnih et al. use RMSProp
    batch: int = 32  # decisions of an update
    updates: int = 16  # updates per step; Mnih et al. make one for every 4 decisions
    capacity: int = 1_000_000  # decisions that are kept
    warmup: int = 50_000  # decisions at random before the first update
    target_every: int = 10_000  # updates between copies to the target network
    epsilon_first: float = 1.0  # of actions are drawn at random, at first
    epsilon_last: float = 0.1  # and in the end
    epsilon_steps: int = 1_000  # steps until then
    alpha: float = 0.6  # how much errors count in replay
    beta: float = 0.4  # how much of the bias of prioritised replay is corrected, at first
    beta_steps: int = 1_000  # steps until all of it is

    def __post_init__(self) -> None:
        """Refuse numbers out of range."""
        super().__post_init__()
        limits.check_positive(self, limits.MAX_RATE, "learning_rate")
        limits.check_within(self, 0, 1, "gamma", "epsilon_first", "epsilon_last", "alpha", "beta")
        limits.check_within(self, 1, limits.MAX_PASSES, "n_step", "updates")
        limits.check_within(self, 1, limits.MAX_BATCH, "batch")
        limits.check_within(self, 1, MAX_ROWS, "capacity")
        limits.check_within(self, 0, MAX_ROWS, "warmup")
        limits.check_within(
            self, 1, limits.MAX_STEPS, "target_every", "epsilon_steps", "beta_steps"
        )


def moved(first: float, last: float, part: float) -> float:
    """Return the number that is this part of the way from one to another; at most there."""
    return first + (last - first) * min(part, 1.0)


def epsilon_greedy(q: Tensor, mask: Tensor, epsilon: float) -> Tensor:
    """Return the logits of playing the best column, but a random one in epsilon of all cases."""
    chances = torch.where(mask, epsilon / mask.sum(dim=1, keepdim=True), 0.0)
    best = q.argmax(dim=1, keepdim=True)
    chances = chances.scatter_add(1, best, torch.full_like(q[:, :1], 1 - epsilon))
    return chances.log().clamp(min=NEVER)


class Batch(NamedTuple):
    """Decisions to learn from."""

    chosen: Tensor  # columns
    rewards: Tensor  # of n steps
    discounts: Tensor  # of what follows; 0 if the game ends before
    weights: Tensor  # of their losses


def targets(batch: Batch, following: Tensor, deciding: Tensor) -> Tensor:
    """Return y = R + gamma^n Q'(s', argmax_a Q(s', a)).

    Args:
        batch: the decisions.
        following: Q' of the target network at the decision after n steps: [decisions, columns].
        deciding: by what the best action there is found: Q' itself (Mnih et al., Algorithm 1), or
            double: Q of the network that learns (van Hasselt et al., eq. 4).
    """
    return batch.rewards + batch.discounts * chosen_of(following, deciding.argmax(dim=1))


def td_loss(q: Tensor, batch: Batch, y: Tensor) -> tuple[Tensor, Tensor]:
    """Return the weighted loss, and the error y - Q(s, a) of every decision.

    Errors beyond 1 count linearly, which clips their gradients as Mnih et al. do.
    """
    found = chosen_of(q, batch.chosen)
    losses = nn.functional.smooth_l1_loss(found, y, reduction="none")
    return (batch.weights * losses).mean(), (y - found).detach()


class DuelingCandidates(nn.Module):
    """Both streams where actions are rows: v sees the view, a the view and one action."""

    def __init__(self, reader: Reader, hidden: tuple[int, ...], noisy: bool, seed: int) -> None:
        """Draw the first weights."""
        super().__init__()
        self.value = Mlp(reader.encoding.size, hidden, {"value": 1}, noisy=noisy, seed=seed)
        self.advantage = Mlp(reader.n_inputs, hidden, {"q": 1}, noisy=noisy, seed=seed + 1)

    def join(self, reader: Reader, seen: Seen) -> Tensor:
        """Return q = v + a - mean(a), the mean over legal actions (Wang et al., eq. 9)."""
        a = reader.score(self.advantage, seen)["q"]
        mean = a.where(seen.mask, 0).sum(dim=1, keepdim=True) / seen.mask.sum(dim=1, keepdim=True)
        return (self.value(seen.features)["value"] + a - mean).where(seen.mask, NEVER)


class Dqn(Learner):
    """Learns what each action is worth, by its own estimates of what follows."""

    Config = DqnConfig

    def __init__(self, game: Game, config: DqnConfig, seed: int) -> None:
        """Draw the first weights, and make room for replay."""
        super().__init__(game, config, seed)
        self.network, self.target = self._make(), self._make()
        self.modules = {"network": self.network, "target": self.target}
        self.optimiser = torch.optim.Adam(
            self.network.parameters(), lr=config.learning_rate, eps=1.5e-4
        )
        self.n_updates = 0
        self.noise = torch.Generator()
        fields: dict[str, Kind] = {"views": (game.rules.STATE, ())}
        fields |= {name: (np.int64, ()) for name in ("seats", "chosen", "ahead")}
        fields |= {name: (np.float64, ()) for name in ("rewards", "discounts")}
        self.replay = (
            PrioritisedReplay(config.capacity, fields, config.alpha)
            if config.prioritised
            else Replay(config.capacity, fields)
        )

    def _make(self) -> nn.Module:
        """Make a network; all have the same first weights."""
        reader, config, seed = self.reader, self.config, self.seed_for(Stream.WEIGHTS)
        if not config.dueling:
            heads = {"q": reader.n_outputs}
            return Mlp(reader.n_inputs, config.hidden, heads, noisy=config.noisy, seed=seed)
        if not reader.by_view:
            return DuelingCandidates(reader, config.hidden, config.noisy, seed)
        shared, own = config.hidden[:-1], config.hidden[-1:]
        return DuelingMlp(
            reader.n_inputs, shared, reader.n_outputs, stream=own, noisy=config.noisy, seed=seed
        )

    def values(self, network: nn.Module, seen: Seen) -> Tensor:
        """Return Q of every column: [decisions, columns]."""
        if isinstance(network, DuelingCandidates):
            return network.join(self.reader, seen)
        return self.reader.score(network, seen)["q"]

    def step(self) -> Mapping[str, float]:
        """Play some games and learn from replay."""
        self.noise.manual_seed(self.seed_for(Stream.NOISE))
        return super().step()

    @property
    def epsilon(self) -> float:
        """How often an action is drawn at random now: always until learning begins.

        Afterwards never with noise (Fortunato et al., section 3.1).
        """
        c = self.config
        if not self.is_warm:
            return 1.0
        part = self.n_steps / c.epsilon_steps
        return 0.0 if c.noisy else moved(c.epsilon_first, c.epsilon_last, part)

    @property
    def is_warm(self) -> bool:
        """Whether enough is kept to learn from."""
        return len(self.replay) >= min(self.config.warmup, self.config.capacity)

    def choose(self, turn: Turn) -> Chosen:
        """Choose the best action, with noise or now and then a random one."""
        draw_noise(self.network, self.noise)
        seen = self.reader.read(turn.views, turn.seats, turn.legal)
        logits = epsilon_greedy(self.values(self.network, seen), seen.mask, self.epsilon)
        picked = self.reader.pick(turn, seen, logits)
        return Chosen(picked.actions, {"chosen": picked.columns})

    def learn(self, episodes: Episodes, rng: np.random.Generator) -> Mapping[str, float]:
        """Keep what was played; take some steps on what replay draws."""
        config = self.config
        rewards = episodes.rewards / config.scale
        steps = n_step(rewards, episodes.is_last, config.gamma, config.n_step)
        self.replay.add({**episodes.kept, **steps._asdict()})
        metrics = {"epsilon": self.epsilon, "kept": float(len(self.replay))}
        if self.is_warm:
            told = [self._update(rng) for _ in range(config.updates)]
            names = ("loss", "q", "error")
            metrics |= dict(zip(names, np.mean(told, axis=0).tolist(), strict=True))
        return metrics

    def _update(self, rng: np.random.Generator) -> tuple[float, float, float]:
        """Take one step on one batch; return the loss, the mean of Q and of the absolute error."""
        config, replay = self.config, self.replay
        if isinstance(replay, PrioritisedReplay):
            beta = moved(config.beta, 1.0, self.n_steps / config.beta_steps)
            rows, weights = replay.sample(config.batch, rng, beta)
        else:
            rows, weights = replay.sample(config.batch, rng)
        taken = replay.take(rows)
        batch = Batch(
            torch.from_numpy(taken["chosen"]),
            *(_float32(a) for a in (taken["rewards"], taken["discounts"], weights)),
        )
        for network in (self.network, self.target):
            draw_noise(network, self.noise)
        seen = self.reader.read(taken["views"], taken["seats"])
        q = self.values(self.network, seen)
        loss, errors = td_loss(q, batch, self._targets(batch, rows + taken["ahead"]))
        self.descend(loss)
        if isinstance(replay, PrioritisedReplay):
            replay.update(rows, errors.double().numpy())
        self.n_updates += 1
        if self.n_updates % config.target_every == 0:
            self.target.load_state_dict(self.network.state_dict())
        found = chosen_of(q.detach(), batch.chosen)
        return float(loss.detach()), float(found.mean()), float(errors.abs().mean())

    def _targets(self, batch: Batch, rows: Ints) -> Tensor:
        """Return the targets, given the rows that follow."""
        taken = self.replay.take(rows, "views", "seats")
        with torch.no_grad():
            seen = self.reader.read(taken["views"], taken["seats"])
            following = self.values(self.target, seen)
            deciding = self.values(self.network, seen) if self.config.double else following
            return targets(batch, following, deciding)

    def state(self) -> State:
        """Return weights, optimiser, replay and the numbers of the next step and update."""
        more: dict[str, Any] = {"replay": self.replay.state(), "updates": self.n_updates}
        return {**super().state(), **more}

    def restore(self, state: State) -> None:
        """Go on from what `state` returned."""
        super().restore(state)
        self.replay.restore(state["replay"])  # type: ignore[arg-type]
        self.n_updates = int(state["updates"])  # type: ignore[arg-type]

    def drafts(self) -> dict[str, Draft]:
        """Return the network, without noise.

        Its head is `q` if that tells scores. Where points count by turns they are points still to
        come, and where a network sees candidates and is dueling they are advantages: the order of
        the actions is the same, so such a network is a `policy`.
        """
        reader, config, network = self.reader, self.config, self.network
        is_advantage = isinstance(network, DuelingCandidates)
        layers = layers_of(network.advantage if is_advantage else network)
        name, n = reader.encoding.name, reader.n_outputs
        if config.by_turns or is_advantage:
            return {"model": Draft(name, {"policy": n}, layers, reader.inputs)}
        draft = Draft(name, {"q": n}, layers, reader.inputs, value="score", scale=config.scale)
        return {"model": draft}


def _float32(array: Any) -> Tensor:
    return torch.from_numpy(array.astype(np.float32))


ALGORITHM = Dqn
