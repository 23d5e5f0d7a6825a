"""What a network outside the kernel says of the leaves of a forest."""

import numpy as np

from kibitz.core.encoding import observe_all, write_indices
from kibitz.core.softmax import count_sharing, write_probabilities
from kibitz.core.table import Game
from kibitz.search.foresight import foresee
from kibitz.search.forest import Floats, Leaves
from kibitz.search.mlp import Floats as Rows
from kibitz.search.models import Model
from kibitz.search.proofs import Proofs


def wants_all_seats(model: Model, game: Game) -> bool:
    """Whether a network must be asked by every seat: its value is of one, and tells no other's."""
    return model.card.heads["value"] == 1 and not _mirrors(model, game)


def _mirrors(model: Model, game: Game) -> bool:
    """Whether what one side has is what the other lacks."""
    return model.card.value != "score" and game.n_sides == 2


def answer_leaves(
    model: Model, game: Game, leaves: Leaves, foresight: int = 0
) -> tuple[Floats, Floats, Proofs]:
    """Return priors of all actions, values of all leaves to every seat, and what is proven.

    The rules correct the network where they decide within `foresight` moves.
    """
    rows = np.zeros((len(leaves.views), model.encoding.size), np.float32)
    observe_all(leaves.views, leaves.seats, model.encoding.record, rows)
    outputs = model.evaluate(rows)
    values = _spread(model, game, leaves, model.read_values(outputs["value"]))
    priors = _priors(model, leaves, outputs)
    proven = np.zeros(leaves.n, np.int8)
    if foresight:
        proven = foresee(game, leaves, foresight, priors, values)
    return priors, values, proven


def _priors(model: Model, leaves: Leaves, outputs: dict[str, Rows]) -> Floats:
    """Return the softmax of the policy, or else of q, over the actions of each view."""
    n = len(leaves.legal.actions)
    logits, sharing = np.zeros(n), np.ones(n, np.int64)
    head = "policy" if "policy" in outputs else "q"
    if head in outputs:
        indices = np.empty(n, np.int64)
        write_indices(leaves.views, leaves.seats, leaves.legal, model.encoding.record, indices)
        views = np.repeat(np.arange(len(leaves.views)), np.diff(leaves.legal.offsets))
        logits[:] = outputs[head][views, indices]
        if head == "policy":
            counts = np.zeros(model.encoding.n_actions, np.int64)
            count_sharing(indices, leaves.legal.offsets, counts, sharing)
    priors = np.empty(n)
    write_probabilities(logits, sharing, leaves.legal.offsets, 1.0, priors)
    return priors


def _spread(model: Model, game: Game, leaves: Leaves, told: Rows) -> Floats:
    """Write what views of a leaf say of its values to the seats that they say it of."""
    values = np.zeros((leaves.n, game.n_seats))
    leaf, seats = leaves.leaf, leaves.seats
    so_far = model.so_far(leaves.views)
    if told.shape[1] > 1:
        every = np.arange(game.n_seats)
        values[leaf[:, np.newaxis], (seats[:, np.newaxis] + every) % game.n_seats] = told
        values[leaf] += so_far
    elif _mirrors(model, game):
        is_own = game.sides[np.newaxis, :] == game.sides[seats][:, np.newaxis]
        values[leaf] = np.where(is_own, told, 1 - told)
    else:
        values[leaf, seats] = told[:, 0] + so_far[np.arange(len(seats)), seats]
    return values
