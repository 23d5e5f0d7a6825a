"""A learner outside the package: one step of a policy gradient per turn of all lanes."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from kibitz.core.errors import SpecError
from kibitz.core.lanes import Finished, Lanes
from kibitz.core.table import Game
from kibitz.learn import states
from kibitz.learn.algorithm import Algorithm, Draft, Metrics, State
from kibitz.learn.export import layers_of
from kibitz.learn.networks import Mlp


@dataclass(frozen=True)
class LineConfig:
    """Parameters."""

    rate: float = 0.01  # of the optimiser
    hidden: tuple[int, ...] = (16,)
    lanes: int = 8

    def __post_init__(self) -> None:
        """Refuse numbers out of range."""
        if self.rate <= 0:
            raise SpecError(f"rate must be above 0, got {self.rate}")


class Line(Algorithm):
    """REINFORCE with the mean as baseline, on games that go on from step to step."""

    Config = LineConfig

    def __init__(self, game: Game, config: LineConfig, seed: int) -> None:
        """Make the network and the lanes."""
        super().__init__(game, config, seed)
        self.encoding = game.encodings[next(iter(game.encodings))]
        heads = {"policy": self.encoding.n_actions}
        self.network = Mlp(self.encoding.size, config.hidden, heads, seed=seed)
        self.optimiser = torch.optim.Adam(self.network.parameters(), lr=config.rate)
        self.lanes = Lanes(game, config.lanes, seed)

    def step(self) -> Metrics:
        """Let every game go on, and learn from those that have ended."""
        turn = self.lanes.ask()
        asked = turn.views, turn.seats, turn.legal
        features = self.encoding.observe(turn.views, turn.seats)
        with torch.no_grad():
            logits = self.network(torch.from_numpy(features))["policy"].numpy()
        drawn = self.encoding.sample(*asked, np.ascontiguousarray(logits), turn.rngs)
        finished = self.lanes.answer(
            drawn.actions,
            features=features,
            mask=self.encoding.mask(*asked),
            index=self.encoding.indices(*asked)[drawn.places],
        )
        return self._learn(finished) if len(finished) else {}

    def _learn(self, finished: Finished) -> Metrics:
        kept: dict[str, Any] = {n: torch.from_numpy(a) for n, a in finished.kept.items()}
        logits = self.network(kept["features"])["policy"].masked_fill(~kept["mask"], -1e9)
        chosen = torch.log_softmax(logits, 1).gather(1, kept["index"][:, None])[:, 0]
        returns = torch.from_numpy(finished.returns.astype(np.float32))
        loss = -(chosen * (returns - finished.scores.mean())).mean()
        self.optimiser.zero_grad()
        loss.backward()
        self.optimiser.step()
        return {"loss": loss.item()}

    def state(self) -> State:
        """Return the weights, the optimiser and the games."""
        return {
            "network": states.module_state(self.network),
            "optimiser": states.optimiser_state(self.optimiser),
            "lanes": self.lanes.state(),
        }

    def restore(self, state: State) -> None:
        """Go on from there."""
        saved: Any = state
        states.restore_module(self.network, saved["network"])
        states.restore_optimiser(self.optimiser, saved["optimiser"])
        self.lanes.restore(saved["lanes"])

    def drafts(self) -> dict[str, Draft]:
        """Return the network."""
        heads = {"policy": self.encoding.n_actions}
        return {"model": Draft(self.encoding.name, heads, layers_of(self.network))}
