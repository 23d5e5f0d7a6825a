"""Solve endings of open games of two slowly: look at everything, a linear program at each turn."""

from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.optimize import linprog

from kibitz.core.agent import Agent
from kibitz.core.game import apply, is_over, movers, scores
from kibitz.core.table import Game

Floats = npt.NDArray[np.float64]


def lead(state: np.record) -> float:
    """Return by how many points seat 0 is ahead."""
    points = np.zeros(2)
    scores(state, points)
    return float(points[0] - points[1])


def linear_program(payoff: Floats) -> float:
    """Find the value of a matrix game the textbook way: the most that a mixture guarantees."""
    n, m = payoff.shape
    guarantees = np.hstack([-payoff.T, np.ones((m, 1))])  # v - x A <= 0
    found = linprog(
        c=[0.0] * n + [-1.0],
        A_ub=guarantees,
        b_ub=np.zeros(m),
        A_eq=[[1.0] * n + [0.0]],
        b_eq=[1.0],
        bounds=[(0, None)] * n + [(None, None)],
    )
    assert found.success
    return -float(found.fun)


def children(game: Game, state: np.record) -> tuple[list[np.record], tuple[int, int]]:
    """Return what follows from every joint action, and how many each seat has."""
    seats = [seat for seat in range(2) if movers(state) >> seat & 1]
    actions = [game.legal(state, seat) if seat in seats else [0] for seat in range(2)]
    found = []
    for pair in [(a, b) for a in actions[0] for b in actions[1]]:
        child = state.copy()
        for seat in seats:
            apply(child, seat, pair[seat])
        found.append(child)
    return found, (len(actions[0]), len(actions[1]))


def enumerate_value(game: Game, state: np.record, objective: Literal["points", "win"]) -> float:
    """Solve a position by looking at everything, slowly."""
    if is_over(state):
        return lead(state) if objective == "points" else (1 + np.sign(lead(state))) / 2
    found, shape = children(game, state)
    values = [enumerate_value(game, child, objective) for child in found]
    matrix = np.array(values).reshape(shape)
    if 1 in shape:
        return float(matrix.max() if shape[1] == 1 else matrix.min())
    return linear_program(matrix)


def enumerate_response(game: Game, state: np.record, agent: Agent, seat: int) -> float:
    """Find what seat 0 gets if the other of two seats knows how an agent plays, slowly."""
    if is_over(state):
        return lead(state)
    found, shape = children(game, state)
    values = [enumerate_response(game, child, agent, seat) for child in found]
    matrix = np.array(values).reshape(shape)
    if seat == 1:
        matrix = matrix.T
    play = np.ones(1)
    if movers(state) >> seat & 1:
        actions = game.legal(state, seat)
        decisions = agent.decide(state, seat)
        play = np.array([float(action == decisions.actions[0]) for action in actions])
        if decisions.weights is not None:
            play = decisions.weights[0] / decisions.weights[0].sum()
    gains = play @ matrix
    return float(gains.min() if seat == 0 else gains.max())
