"""Exact play in Sheephead: against the slow solver, and what must hold between its values."""

from dataclasses import fields

import numpy as np
import pytest

from kibitz.core.errors import PositionError, SpecError
from kibitz.core.game import apply, deal, random_action
from kibitz.core.kernels import COMPILED
from kibitz.core.registry import load_game
from kibitz.core.rng import Purpose, Rng, below, derive
from kibitz.core.table import Game
from kibitz.games.sheephead.cards import ALONE, CARDS, FAIL_CARDS, NAMES, PICK, TEN
from kibitz.games.sheephead.open_hand import (
    ALL_TRICKS,
    ANY,
    FROM_91,
    NO_TRICK,
    TO_30,
    TO_60,
    TO_90,
    make_desk,
    payments_by_row,
    points_after,
    row_after,
    set_up,
)
from kibitz.games.sheephead.payments import is_on_side, points_of_side
from kibitz.games.sheephead.solver import Objective, read, solve
from kibitz.games.sheephead.state import BIDDING, DECLARING, PLAYING, SEATS, TRICKS
from tests.reference.sheephead import Options
from tests.reference.sheephead_endings import Ending
from tests.reference.sheephead_endings import solve as solve_slowly

OBJECTIVES: list[Objective] = ["money", "points"]
HOUSES = (
    *("", "bump=true", "lead_called=false", "slough=true", "underlead=true", "called_ten=top"),
    *("unknown=fail,bury=fail", "lead_called=false,slough=true,underlead=true,called_ten=top"),
)
KINDS = ("ace", "unknown", "ten", "free")
"""What is called, and is still to be led; free: anything."""

DRAWN_FIRST = "deal=1 phase=play turn=0 dealer=4 hands=QC.AC/8D.KC/JD.10S/9S.KS/7H.AH buried=7S.8S "
compiled = pytest.mark.skipif(not COMPILED, reason="takes long as plain Python")


def begin(game: Game, rng: Rng) -> np.record:
    """Deal, and let the first seat pick, bury anything and call anybody."""
    state = game.blank(1)[0]
    deal(state, rng)
    while state.phase != PLAYING:
        seat = int(state.turn)
        choices = game.legal(state, seat)
        if state.phase == BIDDING:
            choices = [PICK]
        elif state.phase == DECLARING and len(choices) > 1 and below(rng, 20):
            choices.remove(ALONE)
        apply(state, seat, choices[below(rng, len(choices))])
    return state


def kind_of(state: np.record) -> str:
    if state.called == 0 or state.called_led:
        return "free"
    if state.face_down:
        return "unknown"
    return "ten" if (state.called - 1) % FAIL_CARDS == TEN else "ace"


def ending(game: Game, kind: str, n_cards: int, number: int) -> np.record:
    """Play a hand at random until so many cards are held, and some of the next trick."""
    rng = derive(number, Purpose.PLAYOUT, n_cards, KINDS.index(kind))
    while True:
        state = begin(game, rng)
        if kind != "free" and kind_of(state) != kind:
            continue
        for _ in range(SEATS * (TRICKS - n_cards) + below(rng, SEATS)):
            apply(state, int(state.turn), random_action(state, int(state.turn), rng))
        if kind in ("free", kind_of(state)):
            return state


def names(cards: int) -> list[str]:
    return [NAMES[card] for card in range(CARDS) if int(cards) >> card & 1]


def as_reference(game: Game, state: np.record) -> Ending:
    """Tell the slow solver of a position."""
    known = {item.name for item in fields(Options)}
    words = {
        key: value == "true" if value in ("true", "false") else value
        for key, value in game.options.items()
        if key in known
    }
    seats, laid = [int(state.leader)], []
    for _ in range(SEATS - 1):
        seats.append(int(state.left[seats[-1]]))
    laid = [NAMES[int(state.laid[seat]) - 1] for seat in seats[: int(state.n_laid)]]
    ours = [seat for seat in range(SEATS) if is_on_side(state, seat)]
    return Ending(
        hands=[names(state.hand[seat]) for seat in range(SEATS)],
        picker=int(state.picker) - 1,
        leader=int(state.leader),
        partner=int(state.partner) - 1 if state.partner else None,
        called=NAMES[int(state.called) - 1] if state.called else None,
        unknown=NAMES[int(state.face_down) - 1] if state.face_down else None,
        called_led=0 < state.called_led <= state.tricks_played,
        points=int(points_of_side(state)),
        tricks=sum(int(state.tricks[seat]) for seat in ours),
        laid=laid,
        options=Options(**words),  # type: ignore[arg-type]
        left=tuple(map(int, state.left)),
    )


def values(game: Game, state: np.record, objective: Objective) -> dict[str, int]:
    """Solve a position: what each card is worth to the picker."""
    solution = solve(game, state, objective)
    found = solution.money if objective == "money" else solution.points
    picker = int(state.picker) - 1
    return {NAMES[card]: row[picker] for card, row in zip(solution.cards, found, strict=True)}


def assert_agrees(game: Game, state: np.record) -> None:
    for objective in OBJECTIVES:
        slow = solve_slowly(as_reference(game, state), objective)
        where = f"{game.format(state)} by {objective}"
        assert values(game, state, objective) == slow.values, where
        best = solve(game, state, objective).values_by(objective)
        assert best[int(state.picker) - 1] == slow.value, where


def test_the_queen_draws_trumps_before_the_ace_is_led() -> None:
    game = load_game("sheephead")
    rng = derive(1, Purpose.PLAYOUT)
    state = begin(game, rng)
    assert_agrees(game, ending(game, "free", 2, 1))
    assert state.phase == PLAYING


@compiled
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("house", HOUSES)
def test_endings_of_three_cards_agree_with_the_slow_solver(house: str, kind: str) -> None:
    game = load_game(f"sheephead:{house}" if house else "sheephead")
    for number in range(4):
        assert_agrees(game, ending(game, kind, 3, number))


@pytest.mark.parametrize("kind", KINDS)
def test_endings_of_two_cards_agree_with_the_slow_solver(kind: str) -> None:
    game = load_game("sheephead")
    for number in range(2):
        assert_agrees(game, ending(game, kind, 2, number))


@compiled
@pytest.mark.slow
@pytest.mark.parametrize("house", HOUSES)
def test_a_thousand_endings_agree_with_the_slow_solver(house: str) -> None:
    game = load_game(f"sheephead:{house}" if house else "sheephead")
    for kind in KINDS:
        for number in range(28):
            assert_agrees(game, ending(game, kind, 3, 100 + number))
        for number in range(4):
            assert_agrees(game, ending(game, kind, 4, 100 + number))


@compiled
@pytest.mark.parametrize("kind", KINDS)
def test_rows_of_whole_hands_are_those_of_their_points(kind: str) -> None:
    """Where neither side is without a trick, the row that money says is where the points are."""
    game = load_game("sheephead")
    boards, memory = make_desk()
    for number in range(25):
        state = ending(game, kind, 6, number)
        set_up(state, boards, memory)
        row = int(row_after(state, boards, memory, ANY))
        points = int(points_after(state, boards, memory, ANY, 61))
        expected = [TO_30, TO_60, TO_90, FROM_91][sum(points >= n for n in (31, 61, 91))]
        assert row == expected or (row, expected) in ((NO_TRICK, TO_30), (ALL_TRICKS, FROM_91))


@compiled
@pytest.mark.parametrize("kind", KINDS)
def test_what_the_table_keeps_changes_no_value(kind: str) -> None:
    game = load_game("sheephead")
    usual, full, none = make_desk(), make_desk(), make_desk(table_bits=0)
    for number in range(10):
        state = ending(game, kind, 4, number)
        found = []
        for boards, memory in (usual, none, full):
            if memory is usual[1]:
                memory.entries[:] = 0
            set_up(state, boards, memory)
            row = int(row_after(state, boards, memory, ANY))
            found.append((row, int(points_after(state, boards, memory, ANY, 61))))
        assert found[0] == found[1] == found[2]


@compiled
def test_perfect_play_keeps_the_value_to_the_end() -> None:
    game = load_game("sheephead")
    for number in range(3):
        state = ending(game, "ace", 6, number)
        promised = solve(game, state, "points").values
        for _ in range(SEATS * TRICKS - int(state.n_laid)):
            apply(state, int(state.turn), solve(game, state, "points").best[-1])
            if state.phase == PLAYING:
                assert solve(game, state, "points").values == promised
        assert points_of_side(state) == promised[int(state.picker) - 1]


@pytest.mark.parametrize("house", ["", "bump=true", "crack=true"])
def test_rows_pay_what_the_rules_say(house: str) -> None:
    game = load_game(f"sheephead:{house}" if house else "sheephead")
    state = ending(game, "ace", 2, 1)
    payments = payments_by_row(state)
    assert (payments.sum(axis=1) == 0).all()
    assert (np.diff(payments[:, int(state.picker) - 1]) > 0).all()
    scale = 1 << int(state.cracks)
    lost = [-60, -40, -20] if house == "bump=true" else [-40, -30, -20]
    assert payments[:, int(state.picker) - 1].tolist() == [
        cents * scale for cents in (*lost, 10, 20, 30)
    ]
