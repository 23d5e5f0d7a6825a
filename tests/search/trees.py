"""Trees for tests: streams whose draws are known, evaluators with a script, trees read and told."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from kibitz.core.game import States, fingerprint
from kibitz.core.kernels import inlined_kernel, kernel
from kibitz.core.rng import RNG, Rng
from kibitz.core.table import Game, make_game
from kibitz.search.amaf import MAX_MOVES, SIZE, _remember
from kibitz.search.desks import Desk
from kibitz.search.evaluation import define_evaluator, weigh_leaf, with_priors
from kibitz.search.roots import begin_search
from kibitz.search.simulation import search
from kibitz.search.tree import NONE, Tree, arms_of, child_of, decisions_at
from kibitz.search.uct import UctAgent, UctConfig
from tests.toy.fork import GAME

Ways = list[tuple[float, ...]]
"""What is known of each way of a decision."""

Known = dict[str, dict[int, Ways]]
"""Roads to nodes, as digits: the decisions there, by seat."""

_WORD = 2**64
_ROWS = 32


def _before_mix(word: int) -> int:
    """Return what `mix` of `core/rng.py` turns into `word`."""

    def undo_shift(word: int, by: int) -> int:
        found = word
        for _ in range(64 // by + 1):
            found = word ^ (found >> by)
        return found

    word = undo_shift(word, 31) * pow(0x94D049BB133111EB, -1, _WORD) % _WORD
    word = undo_shift(word, 27) * pow(0xBF58476D1CE4E5B9, -1, _WORD) % _WORD
    return undo_shift(word, 30)


def stream(first: float, second: float | None = None) -> Rng:
    """Make a stream that draws `first` for ever, or `first` and `second`; then anything.

    Both are from 0 to 1 and mean what `unit` draws; of n numbers `below` draws that share.
    """
    words = [
        _before_mix(max(int(one * _WORD), 1 << 40))  # `below` draws again when it gets a mere 0
        for one in (first, first if second is None else second)
    ]
    step = (words[1] - words[0]) % _WORD
    rngs = np.zeros(1, RNG)
    rngs[0] = ((words[0] - step) % _WORD, step)
    return rngs[0]


FIRST, LAST = 0.0, 1 - 2**-20
"""Draws of the first and the last of some."""


@kernel
def _evaluate_by_script(
    evaluator: np.record, tree: Tree, states: States, how: np.record, rng: Rng
) -> None:
    """Hand out the next row of the script, and remember what its playout plays."""
    row = evaluator.n_asked
    evaluator.n_asked += 1
    for seat in range(2):
        tree.values[seat] = evaluator.script[row, seat]
    for k in range(2):
        if evaluator.plays[row, k, 0] != NONE:
            _remember(evaluator, evaluator.plays[row, k, 0], evaluator.plays[row, k, 1])


@kernel
def _enter_script(evaluator: np.record) -> None:
    evaluator.n_remembered = 0


def scripted(
    rows: Sequence[tuple[float, float]], plays: Sequence[Sequence[tuple[int, int]]] = ()
) -> np.record:
    """Make an evaluator that values leaves row by row, and has no priors.

    Args:
        rows: what each leaf is worth to seats 0 and 1.
        plays: seats and actions, two at most, of the playout from each leaf, for AMAF.
    """
    made = define_evaluator(
        [
            ("n_asked", np.int64),
            ("script", np.float64, (_ROWS, 2)),
            ("plays", np.int64, (_ROWS, 2, 2)),
            ("playout", np.int64),
            ("n_remembered", np.int64),
            ("remembered", np.int32, (MAX_MOVES,)),
            ("played_in", np.int32, (SIZE,)),
        ],
        _evaluate_by_script,
        enter=_enter_script,
    )
    made["script"][: len(rows)] = np.reshape(rows, (-1, 2))
    made["plays"] = NONE
    for row, moves in enumerate(plays):
        made["plays"][row, : len(moves)] = np.reshape(moves, (-1, 2))
    return made


@kernel
def _weigh_by_script(
    evaluator: np.record,
    tree: Tree,
    states: States,
    how: np.record,
    decision: int,
    seat: int,
    rng: Rng,
) -> None:
    """Write the same priors at every decision of a seat."""
    arm = tree.decisions[decision].first_arm
    while arm != NONE:
        tree.arms[arm].prior = evaluator.priors_of[seat, tree.arms[arm].arm_action]
        arm = tree.arms[arm].next_arm


@kernel
def _evaluate_with_priors(
    evaluator: np.record, tree: Tree, states: States, how: np.record, rng: Rng
) -> None:
    """Hand out the next row of the script, and the priors of the leaf."""
    weigh_leaf(evaluator, tree, states, how, rng)
    for seat in range(2):
        tree.values[seat] = evaluator.script[evaluator.n_asked, seat]
    evaluator.n_asked += 1


def scripted_with_priors(
    rows: Sequence[tuple[float, float]], priors: Sequence[Sequence[float]]
) -> np.record:
    """Make an evaluator that values leaves row by row; priors are [seats, ways]."""
    made = define_evaluator(
        [
            ("priors_of", np.float64, (2, 3)),
            ("script", np.float64, (_ROWS, 2)),
            ("n_asked", np.int64),
        ],
        _evaluate_with_priors,
        has_priors=with_priors,
        weigh=_weigh_by_script,
    )
    made["script"][: len(rows)] = np.reshape(rows, (-1, 2))
    made["priors_of"][:, : len(priors[0])] = priors
    return made


def fork(**options: Any) -> Game:
    """Make the toy game of ways: `fork(ways=2, turns=3, together=True)`."""
    return make_game(GAME, options)


class Growing:
    """A search of the first position of `fork` by seat 0, one simulation after the other."""

    def __init__(
        self, rule: np.record, evaluator: np.record, n_planned: int = 0, **options: Any
    ) -> None:
        """Begin; what a game is worth is whether it is won."""
        game = fork(**options)
        self.desk: Desk = UctAgent(game, UctConfig(sims=64, value="win")).make_desk()
        self.desk.rule, self.desk.evaluator = rule, evaluator
        self.desk.states[0] = game.deal(seed=1).view(0)
        begin_search(self.desk.tools, 0, stream(FIRST))
        self.desk.how["n_planned"] = n_planned

    def after(self, *draws: float, n: int = 1) -> Known:
        """Run one simulation, or `n`, that draw these numbers; return the whole tree."""
        search(self.desk.tools, stream(*draws), n)
        return self.read()

    def read(self, *more: str) -> Known:
        """Return visits and sums of values of all arms, and other fields of them."""
        return read_tree(self.desk.tree, self.desk.how, "arm_visits", "value_sum", *more)

    @property
    def n_asked(self) -> int:
        """How often the evaluator was asked."""
        return int(self.desk.evaluator["n_asked"])


def read_tree(tree: Tree, how: np.record, *fields: str) -> Known:
    """Return some fields of all arms of a tree whose nodes follow from actions."""
    found: Known = {}
    waiting = [("", int(how["root_node"]))]
    while waiting:
        road, node = waiting.pop()
        found[road] = {}
        children: list[tuple[int, ...]] = [()]
        for seat, decision in decisions_at(tree, how, node):
            arms = tree.arms[arms_of(tree, decision)]
            assert tree.decisions[decision].decision_visits == arms["arm_visits"].sum()
            found[road][seat] = [tuple(float(arm[field]) for field in fields) for arm in arms]
            children = [(*all, int(action)) for all in children for action in arms["arm_action"]]
        for actions in children if found[road] else ():
            child = child_of(tree, node, actions)
            if child != NONE:
                waiting.append((road + "".join(map(str, actions)), child))
    return found


@inlined_kernel
def value_by_hash(states: States, i: int) -> float:
    """Return a number from 0 to 1 that follows from all that stands in a state."""
    return np.float64(fingerprint(states, i) >> np.uint64(44)) / 2.0**20


@kernel
def _weigh_by_action(
    evaluator: np.record,
    tree: Tree,
    states: States,
    how: np.record,
    decision: int,
    seat: int,
    rng: Rng,
) -> None:
    """Let every third action weigh twice as much."""
    total = 0
    arm = tree.decisions[decision].first_arm
    while arm != NONE:
        total += 2 if tree.arms[arm].arm_action % 3 == 0 else 1
        arm = tree.arms[arm].next_arm
    n = tree.decisions[decision].n_at_first
    arm = tree.decisions[decision].first_arm
    while arm != NONE:
        weight = 2 if tree.arms[arm].arm_action % 3 == 0 else 1
        tree.arms[arm].prior = n * (weight / total)
        arm = tree.arms[arm].next_arm


@kernel
def _evaluate_by_hash(
    evaluator: np.record, tree: Tree, states: States, how: np.record, rng: Rng
) -> None:
    """Value the leaf by its hash: what one seat gains, the other loses."""
    weigh_leaf(evaluator, tree, states, how, rng)
    value = value_by_hash(states, 1)
    tree.values[0] = value
    tree.values[1] = 1 - value


def hashed() -> np.record:
    """Make an evaluator whose values and priors follow from the position alone, for two seats."""
    return define_evaluator(
        [("by_hash", np.int64)],
        _evaluate_by_hash,
        has_priors=with_priors,
        weigh=_weigh_by_action,
    )
