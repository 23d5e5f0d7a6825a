"""What is certain in a tree: results that are proven, and what follows from them.

Where nothing is hidden and nothing drawn, the end of a game proves what the arm is worth that leads
to it. A decision with an arm that wins has won; one whose arms are all proven is worth the best of
them; and so on towards the root (MCTS-Solver, Winands et al. 2008).

A proof is a number: wins are positive, losses negative, and both are the larger the nearer they
are. So who chooses the highest wins as soon and loses as late as is known.
"""

import numpy as np
import numpy.typing as npt

from kibitz.core.kernels import inner_kernel
from kibitz.search.network import LEAST_PRIOR
from kibitz.search.tree import NONE, Tree

Proofs = npt.NDArray[np.int8]
"""Of every arm: UNKNOWN, DRAWN, or above it a win and below UNKNOWN a loss for who chooses it."""

UNKNOWN, DRAWN = 0, 1

NEAREST = 100
"""The proof of a win with this very move; one less for each move more."""

_FURTHEST = 2  # of a win: DRAWN is less
_HASTE = 1e-3  # by which a win is worth less for each move that it is further away


@inner_kernel
def proof_of(value: float) -> int:
    """Return the proof of an arm that ends the game, by what that is worth."""
    if value == 0.5:
        return DRAWN
    return NEAREST if value > 0.5 else -NEAREST


@inner_kernel
def before(proof: int, is_own: bool) -> int:
    """Return what a proof means a move before, to the same side or to the other one."""
    if proof in (UNKNOWN, DRAWN):
        return proof
    distance = max(abs(proof) - 1, _FURTHEST)
    return distance if (proof > 0) == is_own else -distance


@inner_kernel
def prove(tree: Tree, how: np.record, proofs: Proofs, proof: int) -> None:
    """Note what is proven of the last arm of the path, and what follows for decisions before it."""
    for step in range(how.n_path - 1, -1, -1):
        decision = tree.decisions[tree.path[step, 0]]
        proofs[tree.path[step, 1]] = proof
        best, is_proven = -NEAREST, True
        arm = decision.first_arm
        while arm != NONE:
            best = max(best, proofs[arm])
            is_proven = is_proven and proofs[arm] != UNKNOWN
            arm = tree.arms[arm].next_arm
        if best <= DRAWN and not is_proven:
            best = UNKNOWN
        _move_priors(tree, decision, proofs, best)
        if best == UNKNOWN:
            return
        if step > 0:
            earlier = tree.decisions[tree.path[step - 1, 0]].decider
            proof = before(best, how.sides[earlier] == how.sides[decision.decider])


@inner_kernel
def _move_priors(tree: Tree, decision: np.record, proofs: Proofs, best: int) -> None:
    """Leave no prior to arms that have lost; where all is proven or one has won, to the best."""
    arm = decision.first_arm
    while arm != NONE:
        is_worse = proofs[arm] != best if best != UNKNOWN else proofs[arm] < UNKNOWN
        if is_worse:
            tree.arms[arm].prior = LEAST_PRIOR
        arm = tree.arms[arm].next_arm


@inner_kernel
def keep_proven(tree: Tree, how: np.record, proofs: Proofs) -> None:
    """Set the means of the proven arms of the path to their results, whatever was backed up."""
    for step in range(how.n_path):
        arm = tree.path[step, 1]
        if proofs[arm] != UNKNOWN:
            value = value_of_proof(proofs[arm])
            tree.arms[arm].value_sum = value * tree.arms[arm].arm_visits
            tree.arms[arm].value_squares = value * tree.arms[arm].value_sum


@inner_kernel
def value_of_proof(proof: int) -> float:
    """Return the share of the win that a proof stands for; near wins are worth a little more."""
    if proof == DRAWN:
        return 0.5
    late = _HASTE * (NEAREST - abs(proof))
    return 1.0 - late if proof > 0 else late
