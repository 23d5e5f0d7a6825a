"""A policy of candidates inside kernels, and a critic beside it.

The policy has one row of features for each action: it scores those that are listed by what a seat
sees, and one is drawn from the scores. The critic values positions by everything, what the seat
does not see included: whoever plays asks it about worlds that were drawn, never about the deal.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kibitz.core.game import Actions, Seat, State, max_legal, observe, observe_action
from kibitz.core.kernels import inner_kernel
from kibitz.core.rng import Rng, unit
from kibitz.core.table import Game
from kibitz.search.mlp import Floats, forward, forward_from, keep_view, pack, scratch_for
from kibitz.search.models import Model


class Policy(NamedTuple):
    """A network that scores actions, and its scratch."""

    network: np.record
    weights: Floats
    encoding: np.record
    n_view: int  # features of a view
    n_action: int  # of an action
    heat: float  # temperature of draws; 0: what it likes best
    scratch: Floats
    listed: Actions  # what a seat may do: whoever asks has listed it
    logits: npt.NDArray[np.float64]  # of these actions


class Critic(NamedTuple):
    """A network that values positions, and its scratch."""

    network: np.record
    weights: Floats
    encoding: np.record
    oracle: np.record
    n_view: int
    n_known: int  # features that the oracle begins with, which the view has anyway
    scale: float  # points of an output of 1
    scratch: Floats
    features: Floats  # of the oracle


def make_policy(model: Model, game: Game, heat: float) -> Policy:
    """Make a policy of a model of candidates."""
    most = int(max_legal(game.blank(1)[0]))
    return Policy(
        *pack(model.layers),
        model.encoding.record,
        model.encoding.size,
        model.encoding.candidate_size,
        heat,
        np.zeros(scratch_for(model.layers), np.float32),
        np.zeros(most, np.int64),
        np.zeros(most),
    )


def make_critic(model: Model, game: Game) -> Critic:
    """Make a critic of a model that was loaded as one."""
    assert game.oracle is not None
    return Critic(
        *pack(model.layers),
        model.encoding.record,
        game.oracle.record,
        model.encoding.size,
        game.n_known,
        model.card.scale,
        np.zeros(scratch_for(model.layers), np.float32),
        np.zeros(game.oracle.size, np.float32),
    )


@inner_kernel
def write_logits(policy: Policy, view: State, seat: Seat, n: int) -> None:
    """Write the logits of the `n` listed actions, less the highest of them.

    Args:
        policy: who scores.
        view: what the seat sees, concealed already.
        seat: who decides.
        n: how many actions are listed, at least one.
    """
    n_view, logits = policy.n_view, policy.logits
    observe(view, seat, policy.encoding, policy.scratch[:n_view])
    keep_view(policy.network, policy.weights, policy.scratch, n_view)
    highest = -math.inf
    for i in range(n):
        row = policy.scratch[: policy.n_action]
        observe_action(view, seat, policy.listed[i], policy.encoding, row)
        at = forward_from(policy.network, policy.weights, policy.scratch, n_view)
        logits[i] = policy.scratch[at]
        highest = max(highest, logits[i])
    for i in range(n):
        logits[i] -= highest


@inner_kernel
def draw_place(policy: Policy, n: int, rng: Rng) -> int:
    """Draw the place of one of `n` actions, after `write_logits`; without heat, take the best."""
    logits, heat, best = policy.logits, policy.heat, 0
    for i in range(1, n):
        best = i if logits[i] > logits[best] else best
    if heat == 0:
        return best
    total, upto = 0.0, 0.0
    for i in range(n):
        total += math.exp(logits[i] / heat)
    drawn = unit(rng) * total
    for i in range(n):
        upto += math.exp(logits[i] / heat)
        if drawn < upto:
            return i
    return best


@inner_kernel
def judge(critic: Critic, state: State, view: State, seat: Seat) -> float:
    """Return what a position is worth to a seat that is to decide, in points.

    Args:
        critic: who judges.
        state: the position.
        view: what the seat sees of it.
        seat: who decides.
    """
    n_view, n_known, scratch = critic.n_view, critic.n_known, critic.scratch
    observe(state, seat, critic.oracle, critic.features)
    observe(view, seat, critic.encoding, scratch[:n_view])
    for k in range(n_known, len(critic.features)):
        scratch[n_view + k - n_known] = critic.features[k]
    at = forward(critic.network, critic.weights, scratch)
    return critic.scale * scratch[at]
