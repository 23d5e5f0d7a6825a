"""One step ahead by a critic: what worlds are worth after an action, all hands seen.

A critic that learnt beside a policy (`learn.ppo`) values positions by everything that is hidden in
them. A seat that plays sees none of it, but it can draw worlds that fit what it knows: in each it
plays an action, lets everybody who is forced go on, perhaps lets a policy decide some times, and
asks the critic about what comes then. Games have two sides: what one gains the other loses.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kibitz.core.bits import lowest
from kibitz.core.game import (
    Actions,
    Seat,
    State,
    States,
    apply,
    conceal,
    legal,
    movers,
    scores,
)
from kibitz.core.kernels import inner_kernel, kernel
from kibitz.core.rng import RNG, Rng, Rngs, below
from kibitz.core.table import Game
from kibitz.search.candidates import Critic, Policy, draw_place, judge, write_logits

_NOBODY = np.uint64(0)
_ONE = np.uint64(1)

N_SCRATCH = 2
"""States that `values_after` needs: the game as it goes on, and what a seat sees of it."""


class Table(NamedTuple):
    """Where worlds are played on."""

    states: States  # [N_SCRATCH]
    points: npt.NDArray[np.float64]  # [seats]
    so_far: npt.NDArray[np.float64]  # [seats] scores before this round
    sides: npt.NDArray[np.int64]  # [seats]
    rngs: Rngs  # [2]


def make_table(game: Game) -> Table:
    """Make room to play worlds on."""
    return Table(
        game.blank(N_SCRATCH),
        np.zeros(game.n_seats),
        np.zeros(game.n_seats),
        np.asarray(game.sides, np.int64),
        np.zeros(2, RNG),
    )


@inner_kernel
def _go_on(state: State, listed: Actions) -> int:
    """Play what is forced; return who has a choice next, or -1 if the game or its round is over."""
    waiting = np.uint64(movers(state))
    while waiting != _NOBODY:
        while waiting != _NOBODY:
            seat = lowest(waiting)
            if legal(state, seat, listed) > 1:
                return seat
            waiting &= waiting - _ONE
            apply(state, seat, listed[0])
        waiting = np.uint64(movers(state))
    return -1


@inner_kernel
def _play_on(critic: Critic, policy: Policy, table: Table, me: Seat, plies: int, rng: Rng) -> float:
    """Let `states[0]` go on for some decisions; return what comes then is worth to a seat."""
    states = table.states
    left = plies
    while True:
        seat = _go_on(states[0], policy.listed)
        if seat < 0:
            scores(states[0], table.points)
            return table.points[me] - table.so_far[me]
        states[1] = states[0]
        conceal(states[1], seat)
        if left == 0:
            worth = judge(critic, states[0], states[1], seat)
            return worth if table.sides[seat] == table.sides[me] else -worth
        n = legal(states[0], seat, policy.listed)
        write_logits(policy, states[1], seat, n)
        apply(states[0], seat, policy.listed[draw_place(policy, n, rng)])
        left -= 1


@kernel
def values_after(
    critic: Critic,
    policy: Policy,
    table: Table,
    asked: tuple[States, Seat, Actions],
    plies: int,
    out: npt.NDArray[np.float64],
) -> None:
    """Write what each action is worth in each world, in points of this round: [worlds, actions].

    All actions of a world meet the same luck.

    Args:
        critic: who judges.
        policy: who decides before that.
        table: scratch.
        asked: worlds, who acts, and what it may do.
        plies: decisions of the policy before the critic is asked.
        out: gets the values.
    """
    worlds, me, actions = asked
    for k in range(len(worlds)):
        scores(worlds[k], table.so_far)
        for i in range(len(actions)):
            table.rngs[1].counter, table.rngs[1].step = (
                table.rngs[0].counter,
                table.rngs[0].step,
            )
            table.states[0] = worlds[k]
            apply(table.states[0], me, actions[i])
            out[k, i] = _play_on(critic, policy, table, me, plies, table.rngs[1])
        below(table.rngs[0], 2)
