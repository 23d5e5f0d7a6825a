"""The networks of planning models: MLPs, residual ones for boards, and those of single actions.

All of them map rows of inputs to logits of all actions, and perhaps to what the position is worth,
which only serves learning. What a row is, `search.planning` says; `Sight` picks the columns of a
full row that a model sees, and adds the history where it does.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from kibitz.core.encoding import Encoding, observe_all
from kibitz.core.errors import SpecError
from kibitz.core.game import States
from kibitz.learn.networks import Mlp, seeded
from kibitz.learn.residual import VALUE_FILTERS, VALUE_HIDDEN, Block, Convolution, Tensor
from kibitz.search.cards import ARM_SIZE, row_size
from kibitz.search.mlp import Layers

Rows = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Sight:
    """What a planning model sees: inputs of table 4.1."""

    n_actions: int
    variance: bool
    history: Encoding | None  # of the last positions

    @property
    def n_numbers(self) -> int:
        """How many numbers there are, beside planes."""
        return row_size(self.n_actions, self.variance)

    @property
    def size(self) -> int:
        """How many inputs there are."""
        return self.n_numbers + (self.history.size if self.history else 0)

    def inputs(self, rows: Rows, positions: States, seats: Ints) -> Rows:
        """Return the inputs, from rows with all numbers."""
        seen = rows[:, : self.n_numbers]
        if self.history is None:
            return np.ascontiguousarray(seen)
        planes = np.zeros((len(rows), self.history.size), np.float32)
        observe_all(positions, seats, self.history.record, planes)
        return np.hstack([seen, planes])

    def mask(self, inputs: Tensor) -> Tensor:
        """Return which actions are legal: [rows, actions]."""
        first = 3 * self.n_actions + 1
        return inputs[:, first : first + self.n_actions] > 0

    def mirrored(self) -> Ints:
        """Return where each input of the mirrored decision comes from; so for actions reversed."""
        n, columns = self.n_actions, np.arange(self.n_actions)[::-1]
        parts = [columns + n * k for k in range(3)] + [np.array([3 * n])]
        parts += [columns + 3 * n + 1 + n * k for k in range(2 if self.variance else 1)]
        if self.history is not None:
            planes = self.n_numbers + np.arange(self.history.size).reshape(-1, n)
            parts.append(planes[:, ::-1].ravel())
        return np.concatenate(parts)


class MlpPlanner(nn.Module):
    """Hidden layers with rectifiers, then a logit for every action."""

    def __init__(self, sight: Sight, hidden: Sequence[int], seed: int) -> None:
        """Draw the first weights."""
        super().__init__()
        self.n_actions = sight.n_actions
        self.network = Mlp(sight.size, hidden, {"policy": sight.n_actions, "value": 1}, seed=seed)

    def forward(self, inputs: Tensor) -> Mapping[str, Tensor]:
        """Compute logits [rows, actions] and a value [rows, 1]."""
        made: Mapping[str, Tensor] = self.network(inputs)
        return made

    def layers(self) -> Layers:
        """Return the layers that compute the logits."""
        *body, (weight, bias) = self.network.layers()
        n = self.n_actions
        return [*body, (np.ascontiguousarray(weight[:, :n]), bias[:n].copy())]


class ArmPlanner(nn.Module):
    """The same small network for every action, as future work of the thesis suggests."""

    def __init__(self, sight: Sight, hidden: Sequence[int], seed: int) -> None:
        """Draw the first weights."""
        super().__init__()
        self.sight = sight
        n_inputs = ARM_SIZE + sight.variance
        self.network = Mlp(n_inputs, hidden, {"policy": 1, "value": 1}, seed=seed)

    def forward(self, inputs: Tensor) -> Mapping[str, Tensor]:
        """Compute logits [rows, actions]; the value is the mean of what it says of the legal."""
        n = self.sight.n_actions
        parts = [inputs[:, n * k : n * (k + 1)] for k in range(3)]
        parts.append(inputs[:, 3 * n : 3 * n + 1].expand(-1, n))
        if self.sight.variance:
            parts.append(inputs[:, 4 * n + 1 : 5 * n + 1])
        made = self.network(torch.stack(parts, dim=2).flatten(0, 1))
        mask = self.sight.mask(inputs).float()
        value = (made["value"].reshape(-1, n) * mask).sum(dim=1, keepdim=True)
        return {"policy": made["policy"].reshape(-1, n), "value": value / mask.sum(1, True)}

    def layers(self) -> Layers:
        """Return the layers that compute one logit from what is known of one action."""
        *body, (weight, bias) = self.network.layers()
        return [*body, (np.ascontiguousarray(weight[:, :1]), bias[:1].copy())]


class CrnPlanner(nn.Module):
    """A residual network that sees every number as a plane; its head is that of a value (4.2.1)."""

    def __init__(
        self, sight: Sight, board: tuple[int, int], blocks: int, filters: int, seed: int
    ) -> None:
        """Draw the first weights.

        Args:
            sight: what it sees.
            board: rows and columns of a plane.
            blocks: residual blocks.
            filters: of every convolution.
            seed: what the weights are drawn from.
        """
        super().__init__()
        if blocks < 1 or filters < 1:
            raise SpecError(f"blocks={blocks} and filters={filters}: expected 1 or more of both")
        self.n_numbers, self.board = sight.n_numbers, board
        cells = board[0] * board[1]
        self.n_planes = (sight.size - sight.n_numbers) // cells
        self.register_buffer("plane", torch.ones(1, 1, *board), persistent=False)
        with seeded(seed):
            self.entry = Convolution(sight.n_numbers + self.n_planes, filters, 3)
            self.tower = nn.Sequential(*(Block(filters) for _ in range(blocks)))
            self.head_entry = Convolution(filters, VALUE_FILTERS, 1)
            self.head_hidden = nn.Linear(VALUE_FILTERS * cells, VALUE_HIDDEN)
            self.policy = nn.Linear(VALUE_HIDDEN, sight.n_actions)
            self.value = nn.Linear(VALUE_HIDDEN, 1)

    def forward(self, inputs: Tensor) -> Mapping[str, Tensor]:
        """Compute logits [rows, actions] and a value [rows, 1]."""
        board = inputs[:, : self.n_numbers].unsqueeze(2).unsqueeze(3) * self.plane
        if self.n_planes:
            history = inputs[:, self.n_numbers :].reshape(-1, self.n_planes, *self.board)
            board = torch.cat([board, history], dim=1)
        board = self.tower(torch.relu(self.entry(board)))
        head = torch.relu(self.head_entry(board)).flatten(1)
        head = torch.relu(self.head_hidden(head))
        return {"policy": self.policy(head), "value": self.value(head)}


class PolicyAlone(nn.Module):
    """A planner without its value, which nobody asks for in play."""

    def __init__(self, planner: nn.Module) -> None:
        """Take the planner."""
        super().__init__()
        self.planner = planner

    def forward(self, inputs: Tensor) -> Mapping[str, Tensor]:
        """Compute the logits."""
        return {"policy": self.planner(inputs)["policy"]}
