"""One step ahead by a critic: what worlds are worth after an action, all hands seen.

A critic that learnt beside a policy (`learn.ppo`) values positions by everything that is hidden in
them. A seat that plays sees none of it, but it can draw worlds that fit what it knows: in each it
plays an action, lets everybody who is forced go on, perhaps lets a policy decide some times, and
asks the critic about what comes then. Games have two sides: what one gains the other loses.
"""

import math
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
    max_legal,
    movers,
    observe,
    observe_action,
    scores,
)
from kibitz.core.kernels import inner_kernel, kernel
from kibitz.core.rng import RNG, Rng, Rngs, below, unit
from kibitz.core.table import Game
from kibitz.search.mlp import Floats, forward, forward_from, keep_view, pack, scratch_for
from kibitz.search.models import Model

_NOBODY = np.uint64(0)
_ONE = np.uint64(1)

N_SCRATCH = 2
"""States that `values_after` needs: the game as it goes on, and what a seat sees of it."""


class Critic(NamedTuple):
    """A network that values positions, and its scratch."""

    network: np.record
    weights: Floats
    encoding: np.record
    oracle: np.record
    n_view: int
    n_known: int  # features of the oracle that the view has anyway
    scale: float  # points of an output of 1
    scratch: Floats
    features: Floats  # of the oracle


class Mind(NamedTuple):
    """A policy of candidates, and its scratch."""

    network: np.record
    weights: Floats
    encoding: np.record
    n_view: int
    n_action: int
    scratch: Floats
    logits: npt.NDArray[np.float64]
    heat: float  # temperature of draws; 0: what it likes best


class Table(NamedTuple):
    """Where worlds are played on."""

    states: States  # [N_SCRATCH]
    listed: Actions
    points: npt.NDArray[np.float64]  # [seats]
    so_far: npt.NDArray[np.float64]  # [seats] scores before this round
    sides: npt.NDArray[np.int64]  # [seats]
    rngs: Rngs  # [2]


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


def make_mind(model: Model, game: Game, heat: float) -> Mind:
    """Make a policy of a model of candidates."""
    return Mind(
        *pack(model.layers),
        model.encoding.record,
        model.encoding.size,
        model.encoding.candidate_size,
        np.zeros(scratch_for(model.layers), np.float32),
        np.zeros(int(max_legal(game.blank(1)[0]))),
        heat,
    )


def make_table(game: Game) -> Table:
    """Make room to play worlds on."""
    return Table(
        game.blank(N_SCRATCH),
        np.zeros(int(max_legal(game.blank(1)[0])), np.int64),
        np.zeros(game.n_seats),
        np.zeros(game.n_seats),
        np.asarray(game.sides, np.int64),
        np.zeros(2, RNG),
    )


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
def _decide(mind: Mind, table: Table, view: State, seat: Seat, n: int, rng: Rng) -> int:
    """Return the place of what a policy does among the listed actions."""
    n_view, n_action = mind.n_view, mind.n_action
    observe(view, seat, mind.encoding, mind.scratch[:n_view])
    keep_view(mind.network, mind.weights, mind.scratch, n_view)
    best = 0
    for i in range(n):
        observe_action(view, seat, table.listed[i], mind.encoding, mind.scratch[:n_action])
        at = forward_from(mind.network, mind.weights, mind.scratch, n_view)
        mind.logits[i] = mind.scratch[at]
        best = i if mind.logits[i] > mind.logits[best] else best
    if mind.heat == 0:
        return best
    total, highest, upto = 0.0, mind.logits[best], 0.0
    for i in range(n):
        total += math.exp((mind.logits[i] - highest) / mind.heat)
    drawn = unit(rng) * total
    for i in range(n):
        upto += math.exp((mind.logits[i] - highest) / mind.heat)
        if drawn < upto:
            return i
    return best


@inner_kernel
def _play_on(critic: Critic, mind: Mind, table: Table, me: Seat, plies: int, rng: Rng) -> float:
    """Let `states[0]` go on for some decisions; return what comes then is worth to a seat."""
    states = table.states
    left = plies
    while True:
        seat = _go_on(states[0], table.listed)
        if seat < 0:
            scores(states[0], table.points)
            return table.points[me] - table.so_far[me]
        states[1] = states[0]
        conceal(states[1], seat)
        if left == 0:
            worth = judge(critic, states[0], states[1], seat)
            return worth if table.sides[seat] == table.sides[me] else -worth
        n = legal(states[0], seat, table.listed)
        place = _decide(mind, table, states[1], seat, n, rng)
        apply(states[0], seat, table.listed[place])
        left -= 1


@kernel
def values_after(
    critic: Critic,
    mind: Mind,
    table: Table,
    asked: tuple[States, Seat, Actions],
    plies: int,
    out: npt.NDArray[np.float64],
) -> None:
    """Write what each action is worth in each world, in points of this round: [worlds, actions].

    All actions of a world meet the same luck.

    Args:
        critic: who judges.
        mind: who decides before that.
        table: scratch.
        asked: worlds, who acts, and what it may do.
        plies: decisions of the mind before the critic is asked.
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
            out[k, i] = _play_on(critic, mind, table, me, plies, table.rngs[1])
        below(table.rngs[0], 2)
