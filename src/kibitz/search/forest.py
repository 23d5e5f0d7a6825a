"""Forests: many trees side by side, for evaluators that are asked from outside.

A network that is too large for a kernel wants many positions at once. So a forest grows its trees
in three steps: `select` goes down every tree to a leaf, one call of the network values them all,
and `absorb` writes priors and backs values up. With several leaves of one tree at a time, arms on
the way to a leaf that is not valued yet count as tried and lost (virtual loss), so that the next
way down leads elsewhere.

A rule may also ask outside which arm to try, at every step (`steered`): `asking` tells where each
tree stands, `steer` answers, and `select` goes on.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from kibitz.core.bits import lowest
from kibitz.core.errors import AgentError
from kibitz.core.game import Legal, States, conceal, movers
from kibitz.core.kernels import inlined_kernel, inner_kernel, kernel, viewing_kernel
from kibitz.core.rng import Rng, Rngs
from kibitz.search.desks import Desk, TreeSize
from kibitz.search.evaluation import define_evaluator, with_priors
from kibitz.search.network import LEAST_PRIOR
from kibitz.search.proofs import UNKNOWN, Proofs, before, keep_proven, proof_of, prove
from kibitz.search.roots import Roots, Searches, begin_search, write_root
from kibitz.search.selection import ASKS, always_asks, credit, define_rule, is_met, notice
from kibitz.search.simulation import END, PAUSED, Tools, back_up, descend, enter_world, next_seat
from kibitz.search.tree import NONE, Arms, Tree, find_decision
from kibitz.search.values import write_result

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

MAX_LEAVES = 64
"""Most leaves of one tree that wait for their values at a time."""

_PENDING = -1  # visits of a node whose values are not known yet


@inlined_kernel
def _evaluate_outside(
    evaluator: np.record, tree: Tree, states: States, how: np.record, rng: Rng
) -> None:
    pass


OUTSIDE = define_evaluator([("outside", np.int64)], _evaluate_outside, has_priors=with_priors)
"""The evaluator of forests: leaves are valued by whoever calls `absorb`."""


@kernel
def select_steered(
    arms: Arms, decision: np.record, how: np.record, rule: np.record, rng: Rng
) -> int:
    """Take the arm that was answered, or ask."""
    arm = how.answer
    how.answer = NONE
    return arm if arm != NONE else ASKS


def steered() -> np.record:
    """Return the rule that asks outside at every step."""
    return define_rule(select_steered, may_ask=always_asks, steered=0)


class Grown(NamedTuple):
    """The trees that grow, side by side, and what each is searched with."""

    trees: Tree  # its arrays have one more dimension, the first: see `tree_at`
    states: States  # [trees, those of a search]
    hows: npt.NDArray[np.record]
    rules: npt.NDArray[np.record]


class Slots(NamedTuple):
    """The leaves that wait for their values: [leaves] where nothing else is said."""

    trees: Ints  # whose leaf it is
    nodes: Ints  # that gets priors, or NONE
    n_steps: Ints
    losses: Floats  # what its arms on the way count as lost meanwhile
    paths: npt.NDArray[np.int32]  # decisions and arms on the way: [leaves, steps, 2]
    states: States  # the position, in the world of this simulation
    proofs: Proofs  # what is certain: [trees, arms]; no arms if nothing is proven


class Leaves(NamedTuple):
    """What somebody outside is asked: views of the leaves by seats.

    Whoever decides at a leaf is asked for priors of its actions. Seats that only want a value have
    none in `legal`.
    """

    n: int  # leaves
    trees: Ints  # the tree of each leaf
    leaf: Ints  # [views] the leaf that is seen
    views: States
    seats: Ints
    legal: Legal


class Steps(NamedTuple):
    """Decisions at which the rule asks: [trees] and [trees, arms]."""

    trees: Ints
    seats: Ints
    depth: Ints  # steps from the root
    n_arms: Ints
    arms: Ints  # what `steer` takes; NONE where there are fewer
    actions: Ints
    visits: Floats
    sums: Floats  # of values
    priors: Floats


@viewing_kernel
def tree_at(trees: Tree, i: int) -> Tree:
    """Return tree i of a forest."""
    return Tree(
        trees.nodes[i],
        trees.decisions[i],
        trees.arms[i],
        trees.keys[i],
        trees.places[i],
        trees.path[i],
        trees.listed[i],
        trees.points[i],
        trees.values[i],
        trees.logits[i],
        trees.counts[i],
        trees.scratch[i],
        trees.weights[i],
        trees.shares[i],
    )


@kernel
def _begin_all(grown: Grown, evaluator: np.record, asked: Searches) -> None:
    """Begin a tree for each view; its root is its first leaf."""
    trees, states, hows, rules = grown
    for i in range(len(asked.views)):
        tree = tree_at(trees, i)
        states[i, 0] = asked.views[i]
        tools = Tools(tree, states[i], hows[i], rules[i], evaluator)
        begin_search(tools, asked.seats[i], asked.rngs[i])
        hows[i].n_planned = asked.n_sims[i]
        tree.nodes[hows[i].root_node].node_visits = 0


@inner_kernel
def _add_visits(tree: Tree, how: np.record, n: int, value: float) -> None:
    """Let every arm on the path count as tried so many times more, with so much value."""
    for step in range(how.n_path):
        tree.decisions[tree.path[step, 0]].decision_visits += n
        tree.arms[tree.path[step, 1]].arm_visits += n
        tree.arms[tree.path[step, 1]].value_sum += value


@inner_kernel
def _keep_leaf(tree: Tree, states: States, how: np.record, slots: Slots, i: int, n: int) -> None:
    """Put the leaf at which a simulation has arrived into a slot."""
    if how.leaf_node != NONE:
        tree.nodes[how.leaf_node].node_visits = _PENDING
    slots.trees[n] = i
    slots.nodes[n] = how.leaf_node
    slots.n_steps[n] = how.n_path
    for step in range(how.n_path):
        slots.paths[n, step, 0] = tree.path[step, 0]
        slots.paths[n, step, 1] = tree.path[step, 1]
    slots.states[n] = states[1]


@inner_kernel
def _note_proof(tree: Tree, how: np.record, slots: Slots, i: int, proof: int) -> None:
    """Note what is proven of the last arm, if anything, and keep what was before."""
    if slots.proofs.shape[1] > 0:
        if proof != UNKNOWN:
            prove(tree, how, slots.proofs[i], proof)
        keep_proven(tree, how, slots.proofs[i])


@inner_kernel
def _before_leaf(tree: Tree, how: np.record, leaf: int, proof: int) -> int:
    """Return what is proven of the last arm of the path by what is proven of its leaf."""
    if proof == UNKNOWN or leaf == NONE:
        return UNKNOWN
    decider = tree.decisions[tree.nodes[leaf].first_decision].decider
    last = tree.decisions[tree.path[how.n_path - 1, 0]].decider
    return before(proof, how.sides[last] == how.sides[decider])


@inner_kernel
def _is_pending(tree: Tree, how: np.record) -> bool:
    """Whether the leaf waits for its values already."""
    return how.leaf_node != NONE and tree.nodes[how.leaf_node].node_visits == _PENDING


@kernel
def _select_all(grown: Grown, evaluator: np.record, rngs: Rngs, slots: Slots, most: int) -> int:
    """Go down every tree to at most so many leaves, and fill the slots; return how many.

    Ends of games are backed up at once. A tree stops for now at a question of its rule, at a leaf
    that waits already, or when its simulations are used up.
    """
    trees, states, hows, rules = grown
    n = 0
    for i in range(len(hows)):
        tree, how, rule, rng = tree_at(trees, i), hows[i], rules[i], rngs[i]
        begins = n
        while n < begins + most and how.n_sims + n - begins < how.n_planned:
            if not how.is_paused:
                enter_world(tree, states[i], how, evaluator, rng)
            ended = descend(tree, states[i], how, rule, evaluator, rng)
            if ended == PAUSED:
                break
            notice(rule, states[i], how)
            if ended == END:
                write_result(tree, states[i], how)
                back_up(tree, how)
                credit(rule, tree, how, evaluator)
                last = tree.decisions[tree.path[how.n_path - 1, 0]].decider
                _note_proof(tree, how, slots, i, proof_of(tree.values[last]))
                how.n_sims += 1
                continue
            if _is_pending(tree, how):
                break
            _keep_leaf(tree, states[i], how, slots, i, n)
            n += 1
            if how.n_path == 0:
                break  # the root: nothing can be chosen before it is valued
            if most > 1:
                slots.losses[n - 1] = how.lowest_value if how.lowest_value < np.inf else 0.0
                _add_visits(tree, how, 1, slots.losses[n - 1])
    return n


@inner_kernel
def _decides(tree: Tree, leaf: int, seat: int) -> int:
    """Return the decision of a seat at a leaf, or NONE."""
    return NONE if leaf == NONE else find_decision(tree, leaf, seat)


@kernel
def _count_questions(
    trees: Tree, hows: npt.NDArray[np.record], slots: Slots, n: int, asks_all: bool
) -> tuple[int, int]:
    """Count the views that are asked about, and the actions of those who decide in them."""
    n_views = 0
    n_actions = 0
    for k in range(n):
        i = slots.trees[k]
        tree = tree_at(trees, i)
        n_deciders = 0
        for seat in range(hows[i].n_seats):
            decision = _decides(tree, slots.nodes[k], seat)
            if decision != NONE:
                n_deciders += 1
                n_actions += tree.decisions[decision].n_at_first
        n_views += hows[i].n_seats if asks_all else max(n_deciders, 1)
    return n_views, n_actions


@kernel
def _write_questions(
    trees: Tree, hows: npt.NDArray[np.record], slots: Slots, asks_all: bool, out: Leaves
) -> None:
    """Write views, seats and actions of all leaves, leaf by leaf and seat by seat."""
    at = 0
    n_actions = 0
    out.legal.offsets[0] = 0
    for k in range(out.n):
        i = slots.trees[k]
        tree = tree_at(trees, i)
        begins = at
        for seat in range(hows[i].n_seats):
            decision = _decides(tree, slots.nodes[k], seat)
            if decision == NONE and not asks_all:
                continue
            _write_view(slots.states, k, seat, out, at)
            if decision != NONE:
                first = tree.decisions[decision].first_arm
                for arm in range(first, first + tree.decisions[decision].n_at_first):
                    out.legal.actions[n_actions] = tree.arms[arm].arm_action
                    n_actions += 1
            at += 1
            out.legal.offsets[at] = n_actions
        if at == begins:  # nobody decides by the tree: its value is asked of who moves next
            _write_view(slots.states, k, lowest(np.uint64(movers(slots.states[k]))), out, at)
            at += 1
            out.legal.offsets[at] = n_actions


@inner_kernel
def _write_view(states: States, k: int, seat: int, out: Leaves, at: int) -> None:
    """Write what a seat sees at leaf k."""
    out.leaf[at] = k
    out.seats[at] = seat
    out.views[at] = states[k]
    conceal(out.views[at], seat)


@kernel
def _absorb_all(
    grown: Grown,
    evaluator: np.record,
    slots: Slots,
    leaves: Leaves,
    answers: tuple[Floats, Floats, Proofs],
    most: int,
) -> None:
    """Write priors, take virtual losses back, and back values up."""
    priors, values, proven = answers
    view = 0
    for k in range(leaves.n):
        i = slots.trees[k]
        tree, how = tree_at(grown.trees, i), grown.hows[i]
        _exchange_ways(tree, how, slots, k)
        while view < len(leaves.leaf) and leaves.leaf[view] == k:
            begin, end = leaves.legal.offsets[view], leaves.legal.offsets[view + 1]
            decision = _decides(tree, slots.nodes[k], leaves.seats[view])
            if decision != NONE:
                first = tree.decisions[decision].first_arm
                for a in range(end - begin):
                    share = (end - begin) * priors[begin + a]
                    tree.arms[first + a].prior = max(share, LEAST_PRIOR)
            view += 1
        if slots.nodes[k] != NONE:
            tree.nodes[slots.nodes[k]].node_visits = 1
        if how.n_path > 0:
            if most > 1:
                _add_visits(tree, how, -1, -slots.losses[k])
            for seat in range(how.n_seats):
                tree.values[seat] = values[k, seat]
            back_up(tree, how)
            credit(grown.rules[i], tree, how, evaluator)
            _note_proof(tree, how, slots, i, _before_leaf(tree, how, slots.nodes[k], proven[k]))
            how.n_sims += 1
        _exchange_ways(tree, how, slots, k)


@inner_kernel
def _exchange_ways(tree: Tree, how: np.record, slots: Slots, k: int) -> None:
    """Put the way to leaf k into the tree, and what is there, of a tree that asks, into the slot.

    Once more brings both back.
    """
    for step in range(max(how.n_path, slots.n_steps[k])):
        for part in range(2):
            kept = tree.path[step, part]
            tree.path[step, part] = slots.paths[k, step, part]
            slots.paths[k, step, part] = kept
    n_path = how.n_path
    how.n_path = slots.n_steps[k]
    slots.n_steps[k] = n_path


@kernel
def _write_roots(grown: Grown, roots: Roots, first: int) -> None:
    """Write down what is known of every root, from row `first` on."""
    for i in range(len(grown.hows)):
        write_root(tree_at(grown.trees, i), grown.hows[i], grown.rules[i], roots, first + i)


@kernel
def _write_steps(trees: Tree, hows: npt.NDArray[np.record], out: Steps) -> None:
    """Write the arms of the decision at which each tree waits, as far as they are legal now."""
    for k in range(len(out.trees)):
        i = out.trees[k]
        tree, how = tree_at(trees, i), hows[i]
        seat = next_seat(how, how.waiting)
        out.seats[k] = seat
        out.depth[k] = how.n_path
        arm = tree.decisions[find_decision(tree, how.at_node, seat)].first_arm
        n = 0
        while arm != NONE:
            if is_met(tree.arms, how, arm):
                out.arms[k, n] = arm
                out.actions[k, n] = tree.arms[arm].arm_action
                out.visits[k, n] = tree.arms[arm].arm_visits
                out.sums[k, n] = tree.arms[arm].value_sum
                out.priors[k, n] = tree.arms[arm].prior
                n += 1
            arm = tree.arms[arm].next_arm
        out.n_arms[k] = n


class Forest:
    """Trees of one game, grown together."""

    def __init__(
        self,
        desk: Desk,
        size: TreeSize,
        n: int,
        most: int = 1,
        asks_all: bool = False,
        proves: bool = False,
    ) -> None:
        """Make room.

        Args:
            desk: what every tree is searched with: its rule, and what is searched.
            size: of every tree.
            n: how many trees there are at most.
            most: leaves of one tree that wait for their values at a time, at most.
            asks_all: whether every seat is asked about every leaf, not only those who decide there.
            proves: whether results prove what arms are worth, in a game of two sides that hides
                and draws nothing.
        """
        if not 1 <= most <= MAX_LEAVES:
            raise AgentError(f"a tree has 1 to {MAX_LEAVES} leaves that wait, got {most}")
        one = size.make()
        parts: list[Any] = [np.zeros((n, *part.shape), part.dtype) for part in one]
        self._trees = Tree(*parts)
        self._hows = np.zeros(n, desk.how.dtype)
        self._hows[:] = desk.how
        self._rules = np.zeros(n, desk.rule.dtype)
        self._rules[:] = desk.rule
        self._states: States = np.zeros((n, len(desk.states)), desk.states.dtype)
        self._most, self._asks_all = most, asks_all
        room = n * most
        self._slots = Slots(
            np.zeros(room, np.int64),
            np.zeros(room, np.int64),
            np.zeros(room, np.int64),
            np.zeros(room),
            np.zeros((room, *one.path.shape), np.int32),
            np.zeros(room, desk.states.dtype),
            np.zeros((n, one.arms.size if proves else 0), np.int8),
        )

    def begin(self, views: States, seats: Ints, rngs: Rngs, n_sims: Ints) -> None:
        """Begin a tree for each view, to grow by so many simulations; streams are used up."""
        n = len(views)
        self._rngs = rngs
        parts: list[Any] = [part[:n] for part in self._trees]
        self.grown = Grown(Tree(*parts), self._states[:n], self._hows[:n], self._rules[:n])
        self._slots.proofs[:n] = UNKNOWN
        _begin_all(self.grown, OUTSIDE, Searches(views, seats, rngs, n_sims))

    @property
    def rules(self) -> npt.NDArray[np.record]:
        """The rule of every tree that grows."""
        return self.grown.rules

    @property
    def n_sims(self) -> Ints:
        """Simulations of every tree so far."""
        done: Ints = self.grown.hows["n_sims"]
        return done

    def plan(self, n_sims: int) -> None:
        """Let every tree grow to so many simulations."""
        self.grown.hows["n_planned"] = n_sims

    def select(self) -> Leaves | None:
        """Find leaves in all trees; None when no tree needs more, or all wait for `steer`."""
        trees, hows = self.grown.trees, self.grown.hows
        n = int(_select_all(self.grown, OUTSIDE, self._rngs, self._slots, self._most))
        if n == 0:
            return None
        n_views, n_actions = _count_questions(trees, hows, self._slots, n, self._asks_all)
        legal = Legal(np.zeros(n_actions, np.int64), np.zeros(n_views + 1, np.int64))
        views: States = np.zeros(n_views, self._states.dtype)
        numbers = np.zeros((2, n_views), np.int64)
        leaves = Leaves(n, self._slots.trees[:n].copy(), numbers[0], views, numbers[1], legal)
        _write_questions(trees, hows, self._slots, self._asks_all, leaves)
        return leaves

    def absorb(
        self, leaves: Leaves, priors: Floats, values: Floats, proven: Proofs | None = None
    ) -> None:
        """Take in what was said of the leaves that `select` has just found.

        Args:
            leaves: these.
            priors: probabilities of the actions in `leaves.legal`.
            values: of every leaf to every seat, as the search values games: [leaves, seats].
            proven: what is proven of each leaf, for who decides there; nothing if left out.
        """
        n_seats = int(self.grown.hows[0]["n_seats"])
        priors = np.ascontiguousarray(priors, np.float64)
        values = np.ascontiguousarray(values, np.float64)
        if priors.shape != leaves.legal.actions.shape or values.shape != (leaves.n, n_seats):
            raise AgentError(
                f"{leaves.n} leaves with {len(leaves.legal.actions)} actions were answered with "
                f"priors of shape {priors.shape} and values of shape {values.shape}"
            )
        if not (np.isfinite(priors).all() and np.isfinite(values).all()):
            raise AgentError("priors and values of leaves must be finite numbers")
        if proven is None:
            proven = np.full(leaves.n, UNKNOWN, np.int8)
        answers = priors, values, proven
        _absorb_all(self.grown, OUTSIDE, self._slots, leaves, answers, self._most)

    def asking(self) -> Steps | None:
        """Return the decisions at which the rule asks which arm to try, or None."""
        trees, hows = self.grown.trees, self.grown.hows
        waiting = np.flatnonzero(hows["is_paused"])
        if not len(waiting):
            return None
        n, most = len(waiting), trees.listed.shape[1]
        seats, depth, n_arms = np.zeros((3, n), np.int64)
        arms, actions = np.full((2, n, most), NONE)
        steps = Steps(waiting, seats, depth, n_arms, arms, actions, *np.zeros((3, n, most)))
        _write_steps(trees, hows, steps)
        return steps

    def positions(self, steps: Steps) -> States:
        """Return the positions that these decisions are of, in the worlds of the simulations."""
        found: States = self.grown.states[steps.trees, 1]
        return found

    def steer(self, steps: Steps, places: Ints) -> None:
        """Answer: the place of one of the arms of each of these decisions."""
        places = np.asarray(places)
        is_place = places.shape == steps.n_arms.shape and places.dtype.kind in "iu"
        if not is_place or ((places < 0) | (places >= steps.n_arms)).any():
            raise AgentError("steer takes the place of an arm for every decision that asks")
        rows = np.arange(len(places))
        self.grown.hows["answer"][steps.trees] = steps.arms[rows, places]

    def read(self, roots: Roots, first: int = 0) -> Ints:
        """Write down what is known of every root; return the simulations of each."""
        _write_roots(self.grown, roots, first)
        return self.n_sims.copy()
