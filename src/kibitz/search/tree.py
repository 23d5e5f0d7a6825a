"""The one search tree: pools of nodes, decisions and arms.

A node stands for what has been observed on the way to it. Every seat that decides there has a
decision of its own, with an arm for each action it has met and statistics of that seat's own
value; so seats that choose at once choose independently of each other (decoupled). What differs
between algorithms is passed as records whose dtype picks a kernel: the selection rule, and the
evaluator that values leaves and writes priors. `simulation.py` grows the tree.

What leads from a node to the next is one of four:
- JOINT: by the actions of everybody, for games in which that is all there is to observe;
- VIEW: by the view of the seat that searches, for worlds sampled anew in every simulation;
- OWN: by that seat's own actions (open loop), where outcomes are too many to be met twice;
- EACH: by what everybody sees and a seat's own actions, in a tree for each seat, so that nobody
  chooses by what another knows.

But for JOINT the legal actions of one decision vary from world to world. Arms are added when their
action is first met, and each counts how often it was available.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kibitz.core.game import Action, Seat, State, legal
from kibitz.core.kernels import inlined_kernel, kernel, record_dtype, wrapping_kernel
from kibitz.core.rng import mix

JOINT, VIEW, OWN, EACH = 0, 1, 2, 3

SEEN, FIRST_WORLD = 2, 3
"""Places in `states`, which begin with the view and the world that is played in: what somebody
sees, as scratch, and the first world of a pool."""

MAX_SEATS = 16

_ARMS_AT_ONCE = 128  # are listed; more are listed again

# Factors of keys: no small multiples of the two come near each other.
_ODD, _ODDER = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD1B54A32D192ED03)

NONE = -1
"""No such node, decision or arm."""

MAX_LINE = 64
"""Actions of a principal line that are written down."""

NODE = record_dtype([("first_decision", np.int32), ("node_visits", np.int32)])

DECISION = record_dtype(
    [
        ("decider", np.int32),
        ("decision_visits", np.int32),
        ("first_arm", np.int32),
        ("next_decision", np.int32),  # of the same node
        ("n_at_first", np.int32),  # arms it was made with, which lie side by side
    ]
)

ARM = record_dtype(
    [
        ("arm_action", np.int64),
        ("value_sum", np.float64),
        ("value_squares", np.float64),
        ("arm_visits", np.int32),
        ("available", np.int32),  # simulations in which it could have been chosen; JOINT: an order
        ("prior", np.float32),  # weight before it was tried; 1 unless somebody knows better
        ("next_arm", np.int32),  # of the same decision
        ("met_in", np.int32),  # the simulation in which it was legal last; NONE: in every one
        ("second_sum", np.float32),  # whatever else a selection rule keeps of an arm
        ("second_count", np.float32),
        # The node after it, where nobody else decides at the same node; VIEW: the most visited.
        ("arm_child", np.int32),
    ]
)

SEARCH = record_dtype(
    [
        ("root_seat", np.int64),
        ("n_seats", np.int64),
        ("keys", np.int64),
        ("open_keys", np.int64),  # of views that hide nothing, and of others
        ("hidden_keys", np.int64),
        ("value_kind", np.int64),
        ("samples_worlds", np.int64),  # whether hidden cards are drawn for every simulation
        ("is_flat", np.int64),  # whether only the first action of the root seat is chosen
        ("is_sequential", np.int64),  # whether simultaneous choices are made one by one
        ("n_worlds", np.int64),  # drawn from a pool of so many, instead of anew; 0: anew
        ("n_planned", np.int64),  # simulations, as far as known; 0: by the clock, none timed yet
        ("root_node", np.int64),
        ("n_sims", np.int64),  # so far
        ("n_begun", np.int64),  # simulations: those whose leaf waits for its values, too
        ("n_nodes", np.int64),
        ("n_decisions_used", np.int64),
        ("n_arms", np.int64),
        ("n_path", np.int64),
        ("leaf_node", np.int64),  # where this simulation ended, if it is to get priors; or NONE
        ("is_paused", np.int64),  # whether a simulation waits for an answer from outside
        ("answer", np.int64),  # that answer: an arm; or NONE
        ("at_node", np.int64),  # where it waits: the node, who has still to choose at it,
        ("waiting", np.uint64),
        ("turn_key", np.uint64),  # the key of what has been chosen at it,
        ("turn_begins", np.int64),  # and the length of the path before
        ("lowest_value", np.float64),  # met so far: rules scale values by this range
        ("highest_value", np.float64),
        ("leaf_novelty", np.float64),  # of the position at which this simulation left the tree
        ("n_sides", np.int64),
        ("sides", np.int64, (MAX_SEATS,)),  # of each seat
        ("speaks", np.int64, (MAX_SEATS,)),  # 1 for one seat of every side, 0 for the others
        ("reference", np.int64, (MAX_SEATS,)),  # first arm of the decision whose AMAF counts
        ("place_of", np.int64, (MAX_SEATS,)),  # node of each seat, where each has its own tree
        ("acted", np.int64, (MAX_SEATS,)),  # what each has just chosen there; 0: nothing
    ]
)
"""What a search is to do, and how far it has come."""


Arms = npt.NDArray[np.record]


class Tree(NamedTuple):
    """Memory of a search; nothing is allocated while it runs."""

    nodes: npt.NDArray[np.record]
    decisions: npt.NDArray[np.record]
    arms: npt.NDArray[np.record]
    keys: npt.NDArray[np.uint64]  # hash table of nodes: 0 is empty
    places: npt.NDArray[np.int32]  # the node of each key
    path: npt.NDArray[np.int32]  # decision and arm of each step: [steps, 2]
    listed: npt.NDArray[np.int64]  # scratch: legal actions
    points: npt.NDArray[np.float64]  # scratch: scores
    values: npt.NDArray[np.float64]  # scratch: what they are worth
    logits: npt.NDArray[np.float64]  # scratch: what an evaluator says of the actions listed
    counts: npt.NDArray[np.int32]  # scratch, all zeros: of the actions with each index
    scratch: npt.NDArray[np.float32]  # what an evaluator computes with
    weights: npt.NDArray[np.float32]  # of the networks of an evaluator, which only reads them
    shares: npt.NDArray[np.float64]  # of the worlds in a pool, added up


@kernel
def begin(tree: Tree, how: np.record) -> None:
    """Forget everything but the memory, and make the root."""
    tree.keys[:] = 0
    how.n_sims = 0
    how.n_begun = 0
    how.n_nodes = how.n_seats if how.keys == EACH else 1
    how.root_node = how.root_seat if how.keys == EACH else 0
    how.n_decisions_used = 0
    how.n_arms = 0
    how.is_paused = 0
    how.answer = NONE
    how.leaf_node = NONE
    how.lowest_value = np.inf
    how.highest_value = -np.inf
    for root in range(how.n_nodes):
        tree.nodes[root].first_decision = NONE
        tree.nodes[root].node_visits = 1  # so that the first simulation chooses at the root


@wrapping_kernel
def key_of_node(node: int) -> np.uint64:
    """Begin the key of what follows a node."""
    return np.uint64(node + 1) * _ODD


@wrapping_kernel
def key_after(key: np.uint64, action: Action) -> np.uint64:
    """Go on with a key: somebody has acted."""
    return mix(key + np.uint64(action) * _ODDER)


@kernel
def look_up(tree: Tree, key: np.uint64) -> int:
    """Find the node of a key, or NONE."""
    mask = np.uint64(len(tree.keys) - 1)
    place = key & mask
    while tree.keys[place] != np.uint64(0):
        if tree.keys[place] == key:
            return tree.places[place]
        place = (place + np.uint64(1)) & mask
    return NONE


@kernel
def _list_arms(arms: Arms, first: int, out: npt.NDArray[np.int64]) -> int:
    """List the arms from `first` on, as far as there is room; count them all."""
    n = 0
    arm = first
    while arm != NONE:
        if n < len(out):
            out[n] = arm
        n += 1
        arm = arms[arm].next_arm
    return n


def arms_of(tree: Tree, decision: int) -> npt.NDArray[np.int64]:
    """List the arms of a decision, in the order in which the rules list their actions."""
    first = tree.decisions[decision]["first_arm"]
    listed = np.empty(_ARMS_AT_ONCE, np.int64)
    n = _list_arms(tree.arms, first, listed)
    if n > len(listed):
        listed = np.empty(n, np.int64)
        _list_arms(tree.arms, first, listed)
    return listed[:n]


def decisions_at(tree: Tree, how: np.record, node: int) -> list[tuple[Seat, int]]:
    """List who decides at a node, with the decision, in the order in which a search asks them."""
    found = []
    decision = int(tree.nodes[node].first_decision)
    while decision != NONE:
        found.append((int(tree.decisions[decision].decider), decision))
        decision = int(tree.decisions[decision].next_decision)
    return sorted(found, key=lambda one: (one[0] != how.root_seat, one[0]))


def child_of(tree: Tree, node: int, actions: Iterable[Action]) -> int:
    """Find the node after all who decide at `node` have acted, or NONE; JOINT trees only."""
    key = key_of_node(node)
    for action in actions:
        key = key_after(np.uint64(key), action)
    return int(look_up(tree, np.uint64(key)))


@inlined_kernel
def find_child(tree: Tree, how: np.record, key: np.uint64) -> int:
    """Find the node of a key; make it if it is new and there is room, else NONE."""
    mask = np.uint64(len(tree.keys) - 1)
    place = key & mask
    while tree.keys[place] != np.uint64(0):
        if tree.keys[place] == key:
            return tree.places[place]
        place = (place + np.uint64(1)) & mask
    node = how.n_nodes
    if node == len(tree.nodes):
        return NONE
    how.n_nodes += 1
    tree.keys[place] = key
    tree.places[place] = node
    tree.nodes[node].first_decision = NONE
    tree.nodes[node].node_visits = 0
    return node


@inlined_kernel
def _make_arm(tree: Tree, how: np.record, action: Action, met_in: int) -> int:
    """Make an arm that nobody has tried."""
    arm = how.n_arms
    how.n_arms += 1
    new = tree.arms[arm]
    new.arm_action = action
    new.arm_visits = 0
    new.available = 0
    new.value_sum = 0.0
    new.value_squares = 0.0
    new.prior = 1.0
    new.second_sum = 0.0
    new.second_count = 0.0
    new.arm_child = NONE
    new.met_in = met_in
    new.next_arm = NONE
    return arm


@kernel
def find_decision(tree: Tree, node: int, seat: Seat) -> int:
    """Find the decision of a seat at a node, or NONE."""
    decision = tree.nodes[node].first_decision
    while decision != NONE and tree.decisions[decision].decider != seat:
        decision = tree.decisions[decision].next_decision
    return decision


@inlined_kernel
def open_decision(tree: Tree, how: np.record, node: int, seat: Seat, state: State) -> int:
    """Return the decision of a seat at a node, with arms for what is legal now; NONE: no room."""
    decision = find_decision(tree, node, seat)
    varies = how.keys != JOINT
    if decision != NONE and not varies:
        return decision
    n = legal(state, seat, tree.listed)
    if how.n_arms + n > len(tree.arms):
        return NONE
    if decision == NONE:
        if how.n_decisions_used == len(tree.decisions):
            return NONE
        decision = how.n_decisions_used
        how.n_decisions_used += 1
        tree.decisions[decision].decider = seat
        tree.decisions[decision].decision_visits = 0
        tree.decisions[decision].first_arm = how.n_arms
        tree.decisions[decision].n_at_first = n
        tree.decisions[decision].next_decision = tree.nodes[node].first_decision
        tree.nodes[node].first_decision = decision
        for i in range(n):
            arm = _make_arm(tree, how, tree.listed[i], NONE)
            tree.arms[arm].next_arm = how.n_arms if i < n - 1 else NONE
            if not varies:
                tree.arms[arm].available = i
    if varies:
        _meet(tree, how, decision, n)
    return decision


@inlined_kernel
def _meet(tree: Tree, how: np.record, decision: int, n: int) -> None:
    """Note which arms are legal in this simulation; add those that are new."""
    for i in range(n):
        action = tree.listed[i]
        arm = tree.decisions[decision].first_arm
        while arm != NONE and tree.arms[arm].arm_action != action:
            arm = tree.arms[arm].next_arm
        if arm == NONE:
            arm = _make_arm(tree, how, action, how.n_begun)
            tree.arms[arm].next_arm = tree.decisions[decision].first_arm
            tree.decisions[decision].first_arm = arm
        tree.arms[arm].met_in = how.n_begun
        tree.arms[arm].available += 1


@kernel
def write_line(tree: Tree, how: np.record, line: npt.NDArray[np.int64]) -> int:
    """Write who plays what along the most visited arms, as far as the tree goes and there is room.

    Of two with as many visits the better is taken, as by `pick_all`.

    Only JOINT trees know what seats play at the same time. An OWN tree goes on with the seat that
    searches alone, and a tree of views ends where what comes next depends on others: EACH at once.

    Returns:
        The number of steps.
    """
    n = 0
    node = how.root_node
    while node != NONE and n + how.n_seats <= len(line):
        begins = n
        key = key_of_node(node)
        best = NONE
        for step in range(how.n_seats):  # the root seat, then the others in order
            seat = step if step > how.root_seat else step - 1
            decision = find_decision(tree, node, how.root_seat if step == 0 else seat)
            if decision == NONE or (n > begins and how.keys != JOINT):
                continue
            best = tree.decisions[decision].first_arm
            arm = tree.arms[best].next_arm
            while arm != NONE:
                more = tree.arms[arm].arm_visits - tree.arms[best].arm_visits
                if more > 0 or (
                    more == 0 and tree.arms[arm].value_sum >= tree.arms[best].value_sum
                ):
                    best = arm
                arm = tree.arms[arm].next_arm
            line[n, 0] = tree.decisions[decision].decider
            line[n, 1] = tree.arms[best].arm_action
            key = key_after(key, line[n, 1])
            n += 1
        if how.keys == VIEW:
            node = tree.arms[best].arm_child if best != NONE else NONE
        elif how.keys == OWN or (how.keys == JOINT and n > begins):
            node = look_up(tree, key)
        else:
            node = NONE
    return n


def principal_line(tree: Tree, how: np.record) -> list[tuple[Seat, Action]]:
    """Follow the most visited arms."""
    line = np.empty((MAX_LINE, 2), np.int64)
    return [(seat, action) for seat, action in line[: write_line(tree, how, line)].tolist()]
