"""From decisions to tensors and back: what a network sees, and one number per legal action.

A network of *views* has one output for every action index of an encoding; those of illegal actions
are masked. A network of *candidates* sees a view together with one legal action and has one output:
there is a row for each legal action. Algorithms see neither: to them a decision has *columns*, some
of which may be chosen, and `score` gives a number for each.
"""

from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from kibitz.core.errors import SpecError, clip
from kibitz.core.game import Actions, Legal, States
from kibitz.core.lanes import Turn
from kibitz.core.listing import list_legal
from kibitz.core.table import Game
from kibitz.learn.networks import Mlp

Tensor = Any  # torch.Tensor: mypy knows no torch
Ints = npt.NDArray[np.int64]
Inputs = Literal["view", "candidates"]

NEVER = -1e9
"""The number of a column that may not be chosen: its softmax is 0."""


class Seen(NamedTuple):
    """Some decisions, as networks see them."""

    features: Tensor  # [decisions, features]
    mask: Tensor  # [decisions, columns] whether a column may be chosen
    rows: Tensor | None = None  # [all, features] of legal actions, for a network of candidates
    owners: Tensor | None = None  # [all] whose action each is
    columns: Tensor | None = None  # [all] its column


class Picked(NamedTuple):
    """One legal action for every decision."""

    actions: Actions
    columns: Ints
    probabilities: npt.NDArray[np.float32]  # [decisions, width] of all columns


class Reader:
    """How the networks of an algorithm see a game."""

    def __init__(self, game: Game, encoding: str, inputs: Inputs) -> None:
        """Look at a game by one of its encodings; an empty name stands for the first."""
        name = encoding or next(iter(game.encodings))
        if name not in game.encodings:
            raise SpecError(
                f"unknown encoding {clip(name)} of {game.facts.name}: it has "
                + ", ".join(game.encodings)
            )
        if inputs not in ("view", "candidates"):
            raise SpecError(f"a network sees a view or candidates, got inputs={clip(inputs)}")
        self.encoding, self.inputs = game.encodings[name], inputs
        self.by_view = inputs == "view"

    @property
    def n_inputs(self) -> int:
        """Features of a row that a network for actions sees."""
        extra = 0 if self.by_view else self.encoding.candidate_size
        return self.encoding.size + extra

    @property
    def n_outputs(self) -> int:
        """Outputs of a network that says one number per action."""
        return self.encoding.n_actions if self.by_view else 1

    def width(self, game: Game) -> int:
        """Return the most columns that a decision can have."""
        return self.encoding.n_actions if self.by_view else int(game.facts.max_legal)

    def read(self, views: States, seats: Ints, legal: Legal | None = None) -> Seen:
        """Write some decisions as tensors."""
        legal = list_legal(views, seats) if legal is None else legal
        features = torch.from_numpy(self.encoding.observe(views, seats))
        if self.by_view:
            return Seen(features, torch.from_numpy(self.encoding.mask(views, seats, legal)))
        counts = np.diff(legal.offsets)
        owners = np.repeat(np.arange(len(counts)), counts)
        columns = np.arange(len(owners)) - legal.offsets[:-1][owners]
        mask = np.arange(counts.max(initial=0)) < counts[:, None]
        rows = self.encoding.observe_candidates(views, seats, legal)
        return Seen(features, *map(torch.from_numpy, (mask, rows, owners, columns)))

    def score(self, module: Any, seen: Seen) -> dict[str, Tensor]:
        """Return what every head says of every column [decisions, columns]; NEVER if illegal."""
        if seen.rows is None:
            made = module(seen.features)
            return {name: out.masked_fill(~seen.mask, NEVER) for name, out in made.items()}
        return {name: spread(out[:, 0], seen) for name, out in self._ask(module, seen).items()}

    def _ask(self, module: Mlp, seen: Seen) -> dict[str, Tensor]:
        """Run a network on every legal action: [all, outputs].

        What a view gives the first layer is added up once and serves all of its actions.
        """
        if not len(module.body):
            return module(torch.cat([seen.features[seen.owners], seen.rows], dim=1))
        first, n = module.body[0], seen.features.shape[1]
        of_views = nn.functional.linear(seen.features, first.weight[:, :n], first.bias)
        summed = of_views[seen.owners] + nn.functional.linear(seen.rows, first.weight[:, n:])
        hidden = module.body[1:](summed)
        return {name: head(hidden) for name, head in module.heads.items()}

    def pick(self, turn: Turn, seen: Seen, logits: Tensor) -> Picked:
        """Draw an action of every decision by the softmax of its columns [decisions, columns]."""
        asked = turn.views, turn.seats, turn.legal
        probabilities = torch.softmax(logits, dim=1).numpy()
        if self.by_view:
            drawn = self.encoding.sample(*asked, logits.numpy(), turn.rngs)
            columns = self.encoding.indices(*asked)[drawn.places]
        else:
            flat = np.ascontiguousarray(logits[seen.owners, seen.columns].numpy())
            drawn = self.encoding.sample(*asked, flat, turn.rngs)
            columns = drawn.places - turn.legal.offsets[:-1]
        return Picked(drawn.actions, columns, probabilities)


def spread(flat: Tensor, seen: Seen) -> Tensor:
    """Return what is said of legal actions [all] by columns [decisions, columns]."""
    out = torch.full(seen.mask.shape, NEVER, dtype=flat.dtype)
    return out.index_put((seen.owners, seen.columns), flat)


def chosen_of(columns: Tensor, chosen: Tensor) -> Tensor:
    """Return the numbers of chosen columns: from [decisions, columns] to [decisions]."""
    return columns.gather(1, chosen[:, None])[:, 0]
