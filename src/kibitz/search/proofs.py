"""What is certain in a tree: results that are proven, and what follows from them.

Where nothing is hidden and nothing drawn, the end of a game proves what the arm is worth that leads
to it. A decision with an arm that wins has won; one whose arms are all proven is worth the best of
them; and so on towards the root (MCTS-Solver, Winands et al. 2008). A proven arm has its result for
a mean, and no prior if it has lost.
"""

import numpy as np
import numpy.typing as npt

from kibitz.core.kernels import inner_kernel
from kibitz.search.network import LEAST_PRIOR
from kibitz.search.tree import NONE, Tree

Proofs = npt.NDArray[np.int8]
"""Of every arm: UNKNOWN, or LOST, DRAWN or WON for whoever chooses it."""

UNKNOWN, LOST, DRAWN, WON = 0, 1, 2, 3


@inner_kernel
def prove(tree: Tree, how: np.record, proofs: Proofs) -> None:
    """Note that the path leads to `tree.values` for certain, and what follows for its decisions.

    Overwrites `tree.values` by what is proven of the last of these.
    """
    for step in range(how.n_path - 1, -1, -1):
        decision = tree.decisions[tree.path[step, 0]]
        proofs[tree.path[step, 1]] = LOST + int(round(2 * tree.values[decision.decider]))
        best, is_proven = UNKNOWN, True
        arm = decision.first_arm
        while arm != NONE:
            best = max(best, proofs[arm])
            is_proven = is_proven and proofs[arm] != UNKNOWN
            arm = tree.arms[arm].next_arm
        _move_priors(tree, decision, proofs, best)
        if best != WON and not is_proven:
            return
        for seat in range(how.n_seats):
            is_own = how.sides[seat] == how.sides[decision.decider]
            tree.values[seat] = ((best - LOST) if is_own else (WON - best)) / 2


@inner_kernel
def _move_priors(tree: Tree, decision: np.record, proofs: Proofs, best: int) -> None:
    """Leave no prior to arms that have lost; if one has won, to no other."""
    arm = decision.first_arm
    while arm != NONE:
        if proofs[arm] == LOST or (best == WON and proofs[arm] != WON):
            tree.arms[arm].prior = LEAST_PRIOR
        arm = tree.arms[arm].next_arm


@inner_kernel
def keep_proven(tree: Tree, how: np.record, proofs: Proofs) -> None:
    """Give the proven arms of the path their result for a mean, whatever was backed up."""
    for step in range(how.n_path):
        arm = tree.path[step, 1]
        if proofs[arm] != UNKNOWN:
            value = (proofs[arm] - LOST) / 2
            tree.arms[arm].value_sum = value * tree.arms[arm].arm_visits
            tree.arms[arm].value_squares = value * tree.arms[arm].value_sum
