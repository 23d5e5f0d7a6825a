"""The encoding `plans` of Tichu: `candidates`, and what a plan of the hand would cost.

How many leads a hand needs until it is out (`planning`) is what a player sees at a glance and a
small network learns slowly. So it is a feature here, of the hand and of what each action leaves of
it, beside the chance that a play wins its trick. Plans go by the first weights of `convention`,
which never change: a network's inputs mean the same for ever.

`observe_hands` has the plans and ranks of all four hands, for critics.
"""

import numpy as np

from kibitz.core.encoding import Layout, size_of
from kibitz.core.game import Action, Features, Seat, State
from kibitz.core.kernels import allocating_kernel, inner_kernel
from kibitz.games.tichu.candidates import (
    CANDIDATE_LAYOUT,
    STATE_LAYOUT,
    observe_action,
    observe_ranks,
    rest_after,
)
from kibitz.games.tichu.cards import CARDS, PLAY, kind_of
from kibitz.games.tichu.choices import describe_play
from kibitz.games.tichu.planning import TABLE, chance, estimate, plan_cost
from kibitz.games.tichu.sight import mark_ranks
from kibitz.games.tichu.state import SEATS, is_out
from kibitz.games.tichu.weights import FIRST, make_policy

PLAN_STEPS = 32  # of a quarter of a lead each, from -3 on
CHANCE_STEPS = 9

PLAN_STATE_LAYOUT: Layout = (*STATE_LAYOUT, ("plan", (PLAN_STEPS,)))  # what the hand costs

PLAN_CANDIDATE_LAYOUT: Layout = (
    *CANDIDATE_LAYOUT,
    ("chance", (CHANCE_STEPS,)),  # that a play wins the trick, in eighths
    ("rest_plan", (PLAN_STEPS,)),  # what the hand costs that is left
)

HANDS_LAYOUT: Layout = (
    ("ranks", (SEATS, CARDS)),  # of every hand, as many ones as it has cards of a rank
    ("plans", (SEATS, PLAN_STEPS)),  # what it costs, as the deciding seat judges chances
)

_N_STATE, _N_CANDIDATE = size_of(STATE_LAYOUT), size_of(CANDIDATE_LAYOUT)
_WEIGHTS = np.array([make_policy(FIRST)])


@inner_kernel
def _step_of(number: float, first: float, width: float, n: int) -> int:
    """Return the place of a number among `n` steps of a width."""
    return min(max(int((number - first) / width), 0), n - 1)


@inner_kernel
def _plan_step(cost: float) -> int:
    return _step_of(cost, -3.0, 0.25, PLAN_STEPS)


@allocating_kernel
def observe_plans(view: State, seat: Seat, encoding: np.record, out: Features) -> None:
    """Write what the seat knows in the order of PLAN_STATE_LAYOUT."""
    observe_ranks(view, seat, encoding, out[:_N_STATE])
    for i in range(_N_STATE, len(out)):
        out[i] = 0
    table = np.empty(TABLE, np.float64)
    estimate(view, seat, _WEIGHTS[0], table)
    out[_N_STATE + _plan_step(plan_cost(view, view.hand[seat], table))] = 1


@allocating_kernel
def observe_planned(
    view: State, seat: Seat, action: Action, encoding: np.record, out: Features
) -> None:
    """Write the row of a legal action in the order of PLAN_CANDIDATE_LAYOUT."""
    observe_action(view, seat, action, encoding, out[:_N_CANDIDATE])
    for i in range(_N_CANDIDATE, len(out)):
        out[i] = 0
    table = np.empty(TABLE, np.float64)
    estimate(view, seat, _WEIGHTS[0], table)
    if kind_of(action) == PLAY:
        kind, length, height = describe_play(view, action)
        wins = chance(kind, length, height, table)
        out[_N_CANDIDATE + _step_of(wins, 0.0, 0.125, CHANCE_STEPS)] = 1
    cost = plan_cost(view, rest_after(view, seat, action), table)
    out[_N_CANDIDATE + CHANCE_STEPS + _plan_step(cost)] = 1


@allocating_kernel
def observe_hands(state: State, seat: Seat, out: Features) -> None:
    """Write ranks and plans of all hands of a true state, zeros before."""
    table = np.empty(TABLE, np.float64)
    estimate(state, seat, _WEIGHTS[0], table)
    for k in range(SEATS):
        other = (seat + k) & 3
        hand = state.hand[other] | state.stock[other]
        mark_ranks(hand, CARDS * k, out)
        if not is_out(state, other):
            cost = plan_cost(state, hand, table)
            out[CARDS * SEATS + PLAN_STEPS * k + _plan_step(cost)] = 1
