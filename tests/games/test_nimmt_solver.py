"""Exact play in 6 nimmt!: against linear programming, enumeration and cases worked out by hand."""

import json
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import typer
from scipy.optimize import linprog
from typer.testing import CliRunner

from kibitz.cli import solve as command
from kibitz.core.agent import Agent, Decisions, Games, Seats
from kibitz.core.errors import AgentError, KibitzError, PositionError, SpecError
from kibitz.core.game import States, apply, movers, random_action, scores
from kibitz.core.kernels import COMPILED
from kibitz.core.registry import load_agent, load_game
from kibitz.core.rng import Purpose, Rngs, derive
from kibitz.core.table import Game
from kibitz.games.nimmt import solver
from kibitz.games.nimmt.rules import BULL_HEADS, CHOOSING, OVER, TAKING
from kibitz.games.nimmt.solver import Objective, best_response, matrix_game, read, solve

OPEN = "nimmt:players=2,hands=open"
SPECS = [OPEN, f"{OPEN},deck=known", f"{OPEN},rows=free"]
OBJECTIVES: list[Objective] = ["points", "win"]

MIXED = (
    "turn=7 rows=80.81.89.90.98/47.79.82.86/41.45.61.74/4.13.25.37.38 "
    "hands=29.31.52/21.28.36 last=74/38"
)
"""Both seats mix two of three cards."""

Floats = npt.NDArray[np.float64]
compiled = pytest.mark.skipif(not COMPILED, reason="takes long as plain Python")


def ending(spec: str, seed: int, n_cards: int) -> tuple[Game, np.record]:
    """Play at random until both hands have so many cards."""
    game = load_game(spec)
    state = game.deal(seed).state.copy()
    rng = derive(seed, Purpose.PLAYOUT)
    while state.turn < 10 - n_cards or state.phase != CHOOSING:
        waiting = int(movers(state))
        for seat in range(2):
            if waiting >> seat & 1:
                apply(state, seat, int(random_action(state, seat, rng)))
    return game, state


def set_up(spec: str, rows: list[list[int]], hands: list[list[int]]) -> tuple[Game, np.record]:
    """Write down an ending; the cards missing from it are swept, and seat 0 has taken them."""
    turn = 10 - len(hands[0])
    used = {card for cards in rows + hands for card in cards}
    n_swept = 4 + 2 * turn - sum(map(len, rows))
    swept = [card for card in range(104, 0, -1) if card not in used][:n_swept][::-1]
    words = ["/".join(".".join(map(str, cards)) for cards in group) for group in (rows, hands)]
    game = load_game(spec)
    state = game.parse(
        f"turn={turn} rows={words[0]} hands={words[1]} last={swept[0]}/{swept[1]} "
        f"swept={'.'.join(map(str, swept))} taken={BULL_HEADS[swept].sum()}/0"
    )
    return game, state


def lead(state: np.record) -> float:
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
    """Give what follows from every joint action, and how many each seat has."""
    seats = [seat for seat in range(2) if movers(state) >> seat & 1]
    actions = [game.legal(state, seat) if seat in seats else [0] for seat in range(2)]
    found = []
    for pair in [(a, b) for a in actions[0] for b in actions[1]]:
        child = state.copy()
        for seat in seats:
            apply(child, seat, pair[seat])
        found.append(child)
    return found, (len(actions[0]), len(actions[1]))


def enumerate_value(game: Game, state: np.record, objective: Objective) -> float:
    """Solve a position by looking at everything, slowly."""
    if state.phase == OVER:
        return lead(state) if objective == "points" else (1 + np.sign(lead(state))) / 2
    found, shape = children(game, state)
    values = [enumerate_value(game, child, objective) for child in found]
    matrix = np.array(values).reshape(shape)
    if 1 in shape:
        return float(matrix.max() if shape[1] == 1 else matrix.min())
    return linear_program(matrix)


def enumerate_response(game: Game, state: np.record, agent: Agent, seat: int) -> float:
    """Find what seat 0 gets if the other of two seats knows how an agent plays, slowly."""
    if state.phase == OVER:
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


class UniformAgent(Agent):
    """Gives equal weights to all of its actions, and plays the first."""

    name = "uniform"

    def act(self, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
        legal = [self.game.legal(view, int(seat)) for view, seat in zip(views, seats, strict=True)]
        choices = np.zeros((len(views), max(map(len, legal))), np.int64)
        for row, actions in zip(choices, legal, strict=True):
            row[: len(actions)] = actions
        return Decisions(choices[:, 0].copy(), choices, (choices > 0).astype(np.float64))


class PerfectAgent(Agent):
    """Plays the equilibrium, with its exact probabilities as weights."""

    name = "perfect"
    objective: Objective = "points"

    def act(self, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
        choices = np.zeros((len(views), solver.SIZE), np.int64)
        weights = np.zeros(choices.shape)
        for k, seat in enumerate(seats):
            solution = solve(self.game, views[k], self.objective)
            play = next(play for play in solution.strategies if play.seat == seat)
            choices[k, : len(play.actions)] = play.actions
            weights[k, : len(play.actions)] = play.probabilities
        return Decisions(choices[np.arange(len(views)), weights.argmax(1)], choices, weights)


class CuriousAgent(UniformAgent):
    """Keeps what it is asked."""

    name = "curious"

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        self.calls: list[tuple[States, Games]] = []

    def act(self, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
        self.calls.append((views.copy(), games.copy()))
        return super().act(views, seats, rngs, games)


# Matrix games.

SHAPES = [(1, 1), (1, 9), (7, 1), (2, 2), (2, 8), (9, 2), (3, 3), (4, 6), (6, 6), (10, 10)]


def random_matrices(n: int, m: int, count: int) -> list[Floats]:
    """Draw matrices of many kinds: with many ties, of low rank, with repeated rows, any."""
    rng = np.random.default_rng(100 * n + m)
    found: list[Floats] = []
    for k in range(count):
        thin = rng.integers(-2, 3, (n, 1)) @ rng.integers(-2, 3, (1, m))
        kinds = (
            rng.integers(-1, 2, (n, m)),
            rng.integers(-40, 41, (n, m)),
            thin + rng.integers(0, 2, (n, m)),
            rng.integers(-9, 10, (n, m))[rng.integers(0, n, n)] / 3,
            rng.normal(size=(n, m)) * 20,
        )
        found.append(kinds[k % len(kinds)].astype(np.float64))
    return found


@pytest.mark.parametrize(("n", "m"), SHAPES)
def test_matrix_games_have_the_value_that_linear_programming_finds(n: int, m: int) -> None:
    for payoff in random_matrices(n, m, 60 if COMPILED else 10):
        value, rows, columns = matrix_game(payoff)
        assert value == pytest.approx(linear_program(payoff), abs=1e-8)
        assert rows.sum() == pytest.approx(1)
        assert columns.sum() == pytest.approx(1)
        assert min(rows.min(), columns.min()) >= 0
        assert (rows @ payoff).min() == pytest.approx(value, abs=1e-10)
        assert (payoff @ columns).max() == pytest.approx(value, abs=1e-10)


@compiled
@pytest.mark.parametrize("noise", [1e-6, 1e-9, 1e-11, 1e-13, 1e-15])
def test_payoffs_that_are_almost_equal_do_not_spoil_the_strategies(noise: float) -> None:
    rng = np.random.default_rng(1)
    for _ in range(2000):
        payoff = rng.integers(0, 2, (5, 5)) + noise * rng.normal(size=(5, 5))
        _, rows, columns = matrix_game(payoff)
        assert (payoff @ columns).max() - (rows @ payoff).min() < 1e-7


def test_rock_paper_scissors_is_played_equally() -> None:
    value, rows, columns = matrix_game([[0, -1, 1], [1, 0, -1], [-1, 1, 0]])
    assert value == pytest.approx(0)
    assert rows == pytest.approx([1 / 3] * 3)
    assert columns == pytest.approx([1 / 3] * 3)


def test_a_matrix_that_does_not_fit_is_refused() -> None:
    for payoff in (np.zeros((11, 2)), np.zeros((0, 2)), np.zeros(3)):
        with pytest.raises(ValueError, match="at most 10 x 10"):
            matrix_game(payoff)


# Positions worked out by hand.

FULL_LOW = [[10], [20], [46, 47, 48, 49, 50], [98]]
"""A full row of 7 heads that ends at 50; everything else has room."""


def test_tiny_who_must_play_above_a_full_row_takes_it() -> None:
    # 51 or 52, whichever is played first, takes 7 heads; seat 1 holds its 52 back and waits. Seat 0
    # cannot: its 51 is the lower of the two if both are left to the last turn.
    game, state = set_up(OPEN, FULL_LOW, [[51, 100], [52, 99]])
    before = lead(state)
    solution = solve(game, state)
    assert (solution.matrix - before).tolist() == [[-7, -7], [7, -7]]
    assert solution.values == (before - 7, 7 - before)
    assert [play.actions for play in solution.strategies] == [[51, 100], [52, 99]]
    assert solution.strategies[1].probabilities.tolist() == [0, 1]
    assert solution.error == 0


def test_tiny_a_win_is_one_and_a_tie_half() -> None:
    rows = [[10], [20], [30], [98]]  # room for all: nobody takes anything any more
    game, state = set_up(OPEN, rows, [[51, 100], [52, 99]])
    for taken, value in (((5, 5), 0.5), ((4, 5), 1.0), ((5, 4), 0.0)):
        state.taken[:2] = taken
        assert solve(game, state, "win").values == (value, 1 - value)
        assert solve(game, state).values == (taken[1] - taken[0], taken[0] - taken[1])


def test_tiny_a_row_is_chosen_in_view_of_the_card_that_follows() -> None:
    rows = [[50], [61], [71, 72, 73, 74, 76], [98]]
    game, state = set_up(f"{OPEN},rows=free", rows, [[5], [77]])
    before = lead(state)
    apply(state, 0, 5)
    apply(state, 1, 77)
    assert state.phase == TAKING
    solution = solve(game, state)
    # Rows 2 and 4 cost 1 head, row 1 costs 3, and 77 then takes the 5 of row 3; whoever takes that
    # row himself has them and 77 finds room.
    assert (solution.matrix - before).tolist() == [[2], [4], [-5], [4]]
    (play,) = solution.strategies
    assert (play.seat, play.actions) == (0, [105, 106, 107, 108])
    assert play.probabilities.tolist() == [0, 1, 0, 0]
    assert solution.values == (before + 4, -before - 4)
    assert solve(game, state, "win").values[0] == (1 + np.sign(before + 4)) / 2


def test_tiny_a_mixture_of_two_cards_each() -> None:
    game = load_game(OPEN)
    solution = solve(game, game.parse(MIXED))
    assert solution.matrix.tolist() == [[0, 0, -6], [-1, -1, -6], [-2, -1, 0]]
    # 31 and 28 are dominated; of [[0, -6], [-2, 0]] the value is -12 / 8.
    assert solution.values == pytest.approx((-1.5, 1.5))
    first, second = solution.strategies
    assert first.probabilities == pytest.approx([0.25, 0, 0.75])
    assert second.probabilities == pytest.approx([0.75, 0, 0.25])
    assert first.values == pytest.approx([-1.5, -2.25, -1.5])
    assert second.values == pytest.approx([1.5, 0.75, 1.5])


def test_tiny_the_end_and_the_last_turn_are_solved_too() -> None:
    game, state = ending(OPEN, 1, 1)
    solution = solve(game, state)
    assert [play.probabilities.tolist() for play in solution.strategies] == [[1], [1]]
    for seat in range(2):
        apply(state, seat, int(state.hand[seat, 0]))
    end = solve(game, state)
    assert end.values == solution.values == (lead(state), -lead(state))
    assert end.strategies == ()


# Endings of random games.


@compiled
@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize(("spec", "n_cards"), [(spec, n) for spec in SPECS for n in (2, 3)])
def test_endings_have_the_value_that_enumeration_finds(
    spec: str, n_cards: int, objective: Objective
) -> None:
    for seed in range(12 if n_cards == 2 else 3):
        game, state = ending(spec, seed, n_cards)
        if objective == "win":
            state.taken[:2] = (10, 10 + seed % 3)  # so that it is not decided yet
        solution = solve(game, state, objective)
        expected = enumerate_value(game, state, objective)
        assert solution.values[0] == pytest.approx(expected, abs=1e-7)
        total = 1 if objective == "win" else 0
        assert sum(solution.values) == pytest.approx(total)


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_tiny_endings_have_the_value_that_enumeration_finds(objective: Objective) -> None:
    game, state = ending(f"{OPEN},rows=free", 4, 2)
    expected = enumerate_value(game, state, objective)
    assert solve(game, state, objective).values[0] == pytest.approx(expected, abs=1e-7)


@compiled
@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize(("spec", "n_cards"), [(OPEN, 5), (SPECS[1], 6), (SPECS[2], 5)])
def test_remembered_positions_change_no_value(
    spec: str, n_cards: int, objective: Objective, monkeypatch: pytest.MonkeyPatch
) -> None:
    game, state = ending(spec, 8, n_cards)
    remembering = solve(game, state, objective)
    monkeypatch.setattr(solver, "_TABLE_BITS", 0)
    forgetting = solve(game, state, objective)
    assert forgetting.n_nodes > 1.2 * remembering.n_nodes
    assert remembering.matrix == pytest.approx(forgetting.matrix, abs=1e-9)


@compiled
@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("spec", SPECS)
def test_swapped_seats_swap_the_value(spec: str, objective: Objective) -> None:
    for seed in range(10):
        game, state = ending(spec, seed, 4)
        other = state.copy()
        for field in ("hand", "taken", "last"):
            other[field][:2] = state[field][1::-1]
        values, swapped = solve(game, state, objective).values, solve(game, other, objective).values
        assert values == pytest.approx(swapped[::-1], abs=1e-9)


@compiled
@pytest.mark.parametrize("spec", SPECS)
def test_six_cards_are_solved_and_the_error_is_rounding(spec: str) -> None:
    game, state = ending(spec, 3, 6)
    told: list[tuple[int, int]] = []
    solution = solve(game, state, progress=lambda done, total: told.append((done, total)))
    assert solution.error < 1e-9
    assert told == [(k + 1, 36) for k in range(36)]
    assert matrix_game(solution.matrix)[0] == pytest.approx(solution.values[0])
    for play in solution.strategies:
        assert play.values.max() == pytest.approx(solution.values[play.seat])
        assert play.probabilities @ play.values == pytest.approx(solution.values[play.seat])


@compiled
def test_the_position_is_left_as_it_was() -> None:
    game, state = ending(SPECS[2], 5, 3)
    before = state.tobytes()
    best_response(solve(game, state), UniformAgent(game))
    assert state.tobytes() == before


# What an agent gives away.


@compiled
@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize(("spec", "n_cards"), [(OPEN, 4), (SPECS[1], 4), (SPECS[2], 3)])
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_perfect_play_gives_nothing_away(
    spec: str, n_cards: int, objective: Objective, seat: int
) -> None:
    game, state = ending(spec, 6, n_cards)
    agent = PerfectAgent(game)
    agent.objective = objective
    response = best_response(solve(game, state, objective), agent, seat)
    assert response.is_weighted
    assert response.exploitability == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("seat", [0, 1])
def test_tiny_perfect_play_gives_nothing_away(seat: int) -> None:
    game = load_game(OPEN)
    response = best_response(solve(game, game.parse(MIXED)), PerfectAgent(game), seat)
    assert response.exploitability == pytest.approx(0, abs=1e-9)
    assert response.n_positions == 10


@compiled
@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("name", ["highest", "uniform"])
@pytest.mark.parametrize("spec", SPECS)
def test_the_best_response_is_the_one_that_enumeration_finds(
    spec: str, name: str, seat: int
) -> None:
    for seed in range(4):
        game, state = ending(spec, seed, 3)
        agent = UniformAgent(game) if name == "uniform" else load_agent(name, game)
        response = best_response(solve(game, state), agent, seat)
        expected = enumerate_response(game, state, agent, seat)
        assert response.value == pytest.approx(expected if seat == 0 else -expected)


@compiled
@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("name", ["random", "highest"])
def test_nobody_gets_more_than_the_equilibrium(name: str, objective: Objective) -> None:
    for spec, n_cards in zip(SPECS, (5, 4, 4), strict=True):
        game, state = ending(spec, 9, n_cards)
        solution = solve(game, state, objective)
        for seat in range(2):
            response = best_response(solution, load_agent(name, game), seat)
            assert response.exploitability >= -1e-9
            assert not response.is_weighted


@compiled
def test_an_agent_that_draws_is_known_better_by_more_samples() -> None:
    game, state = ending(OPEN, 2, 4)
    solution = solve(game, state)
    exact = best_response(solution, UniformAgent(game)).value
    values = [best_response(solution, load_agent("random", game), 0, n).value for n in (1, 4000)]
    assert values[1] == pytest.approx(exact, abs=0.3)
    assert abs(values[0] - exact) > abs(values[1] - exact)


def test_tiny_weights_count_unless_actions_are_wanted() -> None:
    game = load_game(OPEN)
    solution = solve(game, game.parse(MIXED))
    by_weights = best_response(solution, UniformAgent(game))
    by_actions = best_response(solution, UniformAgent(game), by="actions")
    assert (by_weights.is_weighted, by_actions.is_weighted) == (True, False)
    assert by_weights.value == pytest.approx(-14 / 3)  # 36 is best against any of the three cards
    assert by_actions.value == -6  # and against 29


@compiled
def test_an_agent_is_asked_about_all_positions_of_a_depth_at_once() -> None:
    game, state = ending(f"{OPEN},rows=free", 1, 4)
    agent = CuriousAgent(game)
    response = best_response(solve(game, state), agent)
    views = np.concatenate([views for views, _ in agent.calls])
    games = np.concatenate([games for _, games in agent.calls])
    assert len(agent.calls) == 7  # four turns: a card, a row; the last card is no choice
    assert len(views) == response.n_positions == len(set(games.tolist()))
    assert {int(view.phase) for view in views} == {CHOOSING, TAKING}
    assert all(len(game.legal(view, 0)) > 1 for view in views)


class BadAgent(Agent):
    """Answers with a card that it may not hold."""

    name = "bad"

    def act(self, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
        return Decisions(np.full(len(views), 29))


class StrangeAgent(UniformAgent):
    """Gives weights that are no probabilities."""

    name = "strange"

    def act(self, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
        fine = super().act(views, seats, rngs, games)
        assert fine.weights is not None
        return Decisions(fine.actions, fine.choices, -fine.weights)


@pytest.mark.parametrize("agent", [BadAgent, StrangeAgent])
def test_tiny_an_agent_that_answers_nonsense_is_named(agent: type[Agent]) -> None:
    game = load_game(OPEN)
    solution = solve(game, game.parse(MIXED))
    with pytest.raises(AgentError, match=f"agent '{agent.name}' at seat 1 .* nothing legal in nim"):
        best_response(solution, agent(game), 1)


# What is refused.

FIRST = "rows=1/2/3/4 hands=11.12.13.14.15.16.17.18.19.20/21.22.23.24.25.26.27.28.29.30"


@pytest.mark.parametrize(
    ("spec", "position", "message"),
    [
        (OPEN, FIRST, "at most 8 cards each .rows=lowest., this one has 10"),
        (f"{OPEN},rows=free", FIRST, "at most 7 cards each .rows=free., this one has 10"),
        (OPEN, MIXED.replace("21.28.36", "?"), "only open positions"),
        (OPEN, f"{MIXED} chosen=29/-", "seat 0 has chosen face down already"),
        (OPEN, "rows=1/2/3", "needs hands"),
        (f"{OPEN},draft=true", "phase=draft rows=-/-/-/- hands=-/-", "all dealt"),
        ("nimmt:players=2", MIXED, "only open hands"),
        ("nimmt:players=3,hands=open", MIXED, "only games of 2 seats"),
        (f"{OPEN},match=66", MIXED, "only single rounds"),
    ],
)
def test_what_is_not_solved_is_refused_in_one_sentence(
    spec: str, position: str, message: str
) -> None:
    with pytest.raises((SpecError, PositionError), match=message) as refusal:
        read(load_game(spec), position)
    assert "\n" not in str(refusal.value)


@compiled
def test_what_takes_too_long_is_refused() -> None:
    game, state = ending(OPEN, 1, 9)
    with pytest.raises(PositionError, match="at most 8 cards"):
        solve(game, state)
    game, state = ending(OPEN, 1, 6)
    solution = solve(game, state)
    with pytest.raises(PositionError, match="an agent is tested in positions of at most 5 cards"):
        best_response(solution, load_agent("random", game))
    with pytest.raises(SpecError, match="unknown objective 'wins': did you mean 'win'"):
        solve(game, state, "wins")  # type: ignore[arg-type]


# The command.

PARTIAL_APP = typer.Typer(callback=lambda: None)
command.add_to(PARTIAL_APP)


def run(*words: str) -> str:
    result = CliRunner().invoke(PARTIAL_APP, ["solve", *words], env={"COLUMNS": "100"})
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.mark.parametrize(
    "words", [["nimmt", *MIXED.split()], ["nimmt", MIXED], [f"{OPEN} {MIXED}"]]
)
def test_tiny_the_command_prints_value_and_strategies(words: list[str]) -> None:
    lines = [line.split() for line in run(*words).splitlines()]
    assert ["expected", "lead:", "seat", "0", "-1.500,", "seat", "1", "+1.500"] in lines
    assert ["0", "29", "25.0%", "━━━━━", "-1.500"] in lines
    assert ["31", "0.0%", "-2.250"] in lines


def test_tiny_the_command_prints_one_document() -> None:
    words = ("nimmt", MIXED, "--objective", "win", "--agent", "highest", "--json")
    document: dict[str, Any] = json.loads(run(*words))
    assert document["game"] == OPEN
    assert document["objective"] == "win"
    assert document["values"] == pytest.approx([0.25, 0.75])
    assert [play["seat"] for play in document["strategies"]] == [0, 1]
    rows = document["strategies"][0]["actions"]
    assert [row["text"] for row in rows] == ["29", "31", "52"]
    assert sum(row["probability"] for row in rows) == pytest.approx(1)
    assert [row["seat"] for row in document["responses"]] == [0, 1]
    assert all(row["exploitability"] >= -1e-9 for row in document["responses"])
    game = load_game(document["game"])
    assert game.format(game.parse(document["position"])) == f"{OPEN} {document['position']}"


def test_tiny_the_command_tells_what_an_agent_gives_away() -> None:
    shown = run("nimmt", MIXED, "--agent", "highest")
    assert "highest     0        -1.500                     -3.000       1.500" in shown
    assert "--samples" in shown
    assert "--samples" not in run("nimmt", MIXED, "--agent", "random", "--samples", "3")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nimmt"], "expected a position of nimmt:players=2,hands=open after the game"),
        (["nimmt", "rows=1"], "needs hands"),
        (["nimmt", FIRST], "at most 8 cards"),
        (["nimmt", MIXED, "--objective", "wins"], "did you mean 'win'"),
        (["nimmt", MIXED, "--agent", "hihgest"], "did you mean 'highest'"),
        (["nimmt:players=4", MIXED], "only games of 2 seats"),
        (["nimmt:hands=hidden", MIXED], "only open hands"),
        (["nimmd", MIXED], "did you mean 'nimmt'"),
    ],
)
def test_the_command_refuses_in_one_sentence(words: list[str], message: str) -> None:
    result = CliRunner().invoke(PARTIAL_APP, ["solve", *words])
    assert isinstance(result.exception, KibitzError)
    assert message in str(result.exception)
    assert "\n" not in str(result.exception)


def test_a_game_without_a_solver_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "_is_solvable", lambda facts: facts.name == "nimmt")
    result = CliRunner().invoke(PARTIAL_APP, ["solve", "connect4", "44"])
    assert isinstance(result.exception, SpecError)
    assert "connect4 is not solved: known: nimmt" in str(result.exception)


def test_the_example_in_the_help_is_one_that_runs() -> None:
    assert "probability to win" in run(*command.EXAMPLE.split())
