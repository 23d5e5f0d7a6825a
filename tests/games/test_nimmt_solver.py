"""Exact play in 6 nimmt!: against enumeration, linear programming and cases worked out by hand."""

import numpy as np
import pytest

from kibitz.core.errors import PositionError, SpecError
from kibitz.core.game import apply
from kibitz.core.kernels import COMPILED
from kibitz.core.registry import load_game
from kibitz.core.table import Game
from kibitz.games.nimmt import solver
from kibitz.games.nimmt.response import random_ending
from kibitz.games.nimmt.solver import Objective, read, solve
from kibitz.games.nimmt.state import BULL_HEADS, TAKING
from kibitz.search.matrix import matrix_game
from tests.reference.open_endings import enumerate_value, lead

OPEN = "nimmt:players=2,hands=open"
SPECS = [OPEN, f"{OPEN},deck=known", f"{OPEN},rows=free"]
OBJECTIVES: list[Objective] = ["points", "win"]

MIXED = (
    "turn=7 rows=80.81.89.90.98/47.79.82.86/41.45.61.74/4.13.25.37.38 "
    "hands=29.31.52/21.28.36 last=74/38"
)
"""Both seats mix two of three cards."""

compiled = pytest.mark.skipif(not COMPILED, reason="takes long as plain Python")


def ending(spec: str, seed: int, n_cards: int) -> tuple[Game, np.record]:
    game = load_game(spec)
    return game, random_ending(game, n_cards, seed)


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
    for seed in range(40 if n_cards == 2 else 12):
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
    monkeypatch.setattr(solver, "_table_size", lambda n_cards: 1)
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
    with pytest.raises(SpecError, match="unknown objective 'wins': did you mean 'win'"):
        solve(game, state, "wins")  # type: ignore[arg-type]


def test_other_games_and_hidden_hands_are_refused() -> None:
    connect4 = load_game("connect4")
    with pytest.raises(SpecError, match="this solves nimmt, not connect4"):
        solve(connect4, connect4.blank(1)[0])
    game, state = ending(OPEN, 1, 3)
    state.hand[1] = 0
    with pytest.raises(PositionError, match="a hand is hidden"):
        solve(game, state)


def test_a_line_of_text_is_solved_and_read_by_card() -> None:
    solution = solve(load_game(OPEN), MIXED)
    assert solution.value == pytest.approx(-1.5)
    assert solution.strategies[0].by_action == pytest.approx({29: 0.25, 31: 0, 52: 0.75})
