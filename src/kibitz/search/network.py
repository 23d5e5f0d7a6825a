"""Small networks inside a search: the forward pass of a policy, compiled.

A network is a guide: where a decision has new actions, the softmax of its logits over the legal
ones becomes the prior of each, times their number, so that a network without an opinion gives 1 to
all as searches without a guide do. It sees what the seat that decides sees, never the whole world.

Weights lie in one row, layer after layer: the biases, then for each input what it adds to every
output. So the inner loop runs over outputs, side by side in memory, and inputs that are zero, as
most features are and half of what a rectifier gives, cost nothing.
"""

import math

import numpy as np
import numpy.typing as npt

from kibitz.core.encoding import Encoding
from kibitz.core.game import Seat, States, action_index, conceal, observe
from kibitz.core.kernels import inlined_kernel, inner_kernel, kernel
from kibitz.core.rng import Rng
from kibitz.search.guides import define_guide
from kibitz.search.selection import is_met
from kibitz.search.tree import ARRIVED, NONE, SEEN, Tree

MAX_LAYERS = 8
"""Most layers of weights."""

MAX_WIDTH = 1024
"""Most outputs of a hidden layer."""

MAX_WEIGHTS = 10_000_000
"""Most weights and biases; what is not used of it takes no memory."""

LEAST_PRIOR = 1e-6
"""What an arm has at least, so that no rule divides by zero or takes the logarithm of nothing."""

Floats = npt.NDArray[np.float32]
Layers = list[tuple[Floats, Floats]]
"""The layers of a network: weights [inputs, outputs] and biases [outputs] of each."""


@inner_kernel
def forward(network: np.record, scratch: Floats) -> int:
    """Run a network on the features that `scratch` begins with.

    Args:
        network: a record that `network_guide` made.
        scratch: two halves, each wide enough for every layer, which take turns.

    Returns:
        Where in `scratch` the logits begin.
    """
    weights = network.weights
    given, made = 0, len(scratch) // 2
    at = 0
    for layer in range(network.n_layers):
        n_in, n_out = network.sizes[layer], network.sizes[layer + 1]
        inputs = scratch[given : given + n_in]
        outputs = scratch[made : made + n_out]
        biases = weights[at : at + n_out]
        for k in range(len(outputs)):
            outputs[k] = biases[k]
        at += n_out
        for i in range(len(inputs)):
            value = inputs[i]
            if value != 0:
                row = weights[at : at + n_out]
                for k in range(len(outputs)):
                    outputs[k] += value * row[k]
            at += n_out
        if layer < network.n_layers - 1:
            for k in range(len(outputs)):
                outputs[k] = max(outputs[k], np.float32(0))
        given, made = made, given
    return given


@inner_kernel
def _take_softmax(tree: Tree, how: np.record, first: int, highest: float) -> None:
    """Turn logits in place of priors, of which one is the highest, into shares of their number."""
    total = 0.0
    n_met = 0
    arm = first
    while arm > NONE:
        if is_met(tree.arms, how, arm):
            total += math.exp(float(tree.arms[arm].prior) - highest)
            n_met += 1
        arm = tree.arms[arm].next_arm
    arm = first
    while arm > NONE:
        if is_met(tree.arms, how, arm):
            share = math.exp(float(tree.arms[arm].prior) - highest) / total
            tree.arms[arm].prior = max(n_met * share, LEAST_PRIOR)
        arm = tree.arms[arm].next_arm


@inlined_kernel
def _keep_position(guide: np.record, states: States) -> None:
    """Keep the position as agents see it, whose views are taken before any of them acts.

    But for sequential trees: there the second of two sees that the first has chosen.
    """
    states[ARRIVED] = states[1]


@kernel
def _ask_network(
    guide: np.record,
    tree: Tree,
    states: States,
    how: np.record,
    decision: int,
    seat: Seat,
    rng: Rng,
) -> None:
    """Write the softmax of the logits as priors of all arms that are legal in this simulation."""
    states[SEEN] = states[ARRIVED]
    conceal(states[SEEN], seat)
    observe(states[SEEN], seat, guide.encoding, tree.scratch[: guide.sizes[0]])
    logits = forward(guide, tree.scratch)
    highest = -np.inf
    arm = tree.decisions[decision].first_arm
    while arm > NONE:
        if is_met(tree.arms, how, arm):
            index = action_index(states[SEEN], seat, tree.arms[arm].arm_action, guide.encoding)
            tree.arms[arm].prior = tree.scratch[logits + index]
            highest = max(highest, float(tree.arms[arm].prior))
        arm = tree.arms[arm].next_arm
    _take_softmax(tree, how, tree.decisions[decision].first_arm, highest)


def network_guide(encoding: Encoding, layers: Layers) -> np.record:
    """Make the guide that runs a network on views under an encoding.

    Searches of one game and encoding share their compiled code, whatever the layers.
    """
    fields = [
        ("encoding", encoding.record.dtype),
        ("n_layers", np.int64),
        ("sizes", np.int64, (MAX_LAYERS + 1,)),
        ("weights", np.float32, (MAX_WEIGHTS,)),
    ]
    guide = define_guide(fields, _ask_network, _keep_position)
    guide["encoding"] = encoding.record
    guide["n_layers"] = len(layers)
    guide["sizes"][: len(layers) + 1] = [len(layers[0][0]), *(len(b) for _, b in layers)]
    flat = np.concatenate([part.ravel() for w, b in layers for part in (b, w)])
    guide["weights"][: len(flat)] = flat
    return guide


def scratch_for(layers: Layers) -> int:
    """Give how many numbers a network computes with."""
    return 2 * max(max(w.shape) for w, _ in layers)
