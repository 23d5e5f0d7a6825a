"""Exact play in Sheephead: against the slow solver, and what must hold between its values."""

import re
from dataclasses import fields
from typing import Any

import numpy as np
import pytest

from kibitz.core.errors import AgentError, PositionError, SpecError
from kibitz.core.game import apply, conceal, deal, random_action, resample
from kibitz.core.kernels import COMPILED
from kibitz.core.registry import load_agent, load_game
from kibitz.core.rng import RNG, Purpose, Rng, below, derive
from kibitz.core.table import Game
from kibitz.games.sheephead.cards import ALONE, CARDS, FAIL_CARDS, NAMES, PASS, PICK, TEN
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
from kibitz.games.sheephead.pimc import PimcAgent, PimcConfig, random_hand
from kibitz.games.sheephead.solver import Objective, solve
from kibitz.games.sheephead.state import (
    BIDDING,
    DECLARING,
    LEASTER_PLAYING,
    NOLA_PLAYING,
    PLAYING,
    SEATS,
    TRICKS,
)
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

BOUND = (
    "deal=1 phase=play turn=3 dealer=4 hands=KS.8S.7H/QC.QD.9S/AS.7S.KH/QS.10D.9C/joker.10H.9H "
    "buried=AC.7C played=JD.AH.8H/KD.9D.8D/QH.KC.10S/JS.JH.8C/JC.AD.10C leader=3 "
    "last=AH/KD/10S/JH/AD last-leader=1 last-winner=3 tricks=0/1/1/1/0 points=0/14/9/38/0 "
    "passed=0 picker=1 called=AS without=1 void=CT/C/T/-/-"
)
"""Seat 1 has picked and called the ace of spades, which seat 2 holds; spades were not led yet."""

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
    """Return a position as the slow solver has it."""
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


def test_a_solution_tells_both_objectives_and_the_best_card() -> None:
    game = load_game("sheephead")
    solution = solve(game, BOUND)
    assert solution.values == [10, -20, -10, 10, 10]
    assert solution.values_by("points") == [76, 44, 44, 76, 76]
    assert {NAMES[card]: value for card, value in solution.by_card.items()} == {
        "9C": 10,
        "10D": 10,
        "QS": -5,
    }
    assert [NAMES[card] for card in solution.best] == ["9C"]  # more points than the ten
    assert solution.values == solve(game, game.parse(BOUND), "money").values


def test_options_that_free_the_called_card_change_the_value() -> None:
    strict = solve(load_game("sheephead"), BOUND, "points")
    loose = load_game("sheephead:slough=true")
    assert_agrees(loose, loose.parse(BOUND))
    assert solve(loose, BOUND, "points").by_card != strict.by_card


@pytest.mark.parametrize(
    ("position", "message"),
    [
        (BOUND.replace("AS.7S.KH", "?"), "'?' hides something"),
        ("deal=0 phase=wait", "only hands in play"),
    ],
)
def test_what_is_not_open_or_not_played_is_refused(position: str, message: str) -> None:
    with pytest.raises(PositionError, match=re.escape(message)):
        solve(load_game("sheephead"), position)


def test_hidden_cards_and_hands_without_a_picker_are_refused() -> None:
    game = load_game("sheephead")
    state = game.parse(BOUND)
    conceal(state, 3)
    with pytest.raises(PositionError, match="something is hidden here"):
        solve(game, state)
    state.phase = NOLA_PLAYING
    with pytest.raises(PositionError, match="in a Nola everybody plays for himself"):
        solve(game, state)
    with pytest.raises(SpecError, match="this solves sheephead, not nimmt"):
        solve(load_game("nimmt"), BOUND)
    with pytest.raises(SpecError, match="did you mean 'points'"):
        solve(game, BOUND, "point")  # type: ignore[arg-type]


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
    for kind in KINDS[:-1]:  # obligations are in force in all but the last
        for number in range(36):
            assert_agrees(game, ending(game, kind, 3, 100 + number))
        for number in range(6):
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


# The bot that solves worlds.


def view_of(state: np.record, seat: int) -> np.record:
    view = state.copy()
    conceal(view, seat)
    return view


def decision(game: Game, number: int) -> tuple[np.record, int]:
    """Return a view in which four tricks are to go and there is a choice."""
    state = random_hand(game, 4, 5, number)
    while len(game.legal(state, int(state.turn))) == 1:
        apply(state, int(state.turn), game.legal(state, int(state.turn))[0])
    return view_of(state, int(state.turn)), int(state.turn)


def test_the_game_has_a_pimc_of_its_own() -> None:
    game = load_game("sheephead")
    agent = load_agent("pimc:worlds=5,objective=points", game)
    assert isinstance(agent, PimcAgent)
    assert agent.spec == "pimc:worlds=5,objective=points"
    assert load_agent("pimc:worlds=30", game).spec == "pimc"
    with pytest.raises(SpecError, match="worlds=0"):
        load_agent("pimc:worlds=0", game)


@compiled
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_pimc_solves_the_worlds_it_draws(objective: Objective) -> None:
    game = load_game("sheephead")
    agent = PimcAgent(game, PimcConfig(worlds=4, objective=objective))
    for number in range(3):
        view, seat = decision(game, number)
        found = agent.solve_worlds(view, seat, derive(number, Purpose.AGENT))
        rng = derive(number, Purpose.AGENT)
        for gains in found.gains:
            world = view.copy()
            resample(world, seat, rng)
            by_card = solve(game, world, objective).by_card
            assert by_card == dict(zip(found.cards, gains, strict=True))


@compiled
def test_pimc_tells_mean_money_and_plays_the_best() -> None:
    game = load_game("sheephead")
    agent = PimcAgent(game, PimcConfig(worlds=4, doubt=1))
    for number in range(3):
        view, seat = decision(game, number)
        gains = agent.solve_worlds(view, seat, derive(number, Purpose.AGENT)).gains
        told = agent.decide(view, seat, derive(number, Purpose.AGENT))
        assert told.choices is not None
        assert told.visits is not None
        assert told.values is not None
        assert told.errors is not None
        n = gains.shape[1]
        assert told.choices[0, :n].tolist() == game.legal(view, seat)
        assert told.visits[0, :n].tolist() == [4] * n
        assert told.values[0, :n] == pytest.approx(gains.mean(axis=0))
        assert told.errors[0, :n] == pytest.approx(gains.std(axis=0, ddof=1) / 2)
        best = told.choices[0].tolist().index(int(told.actions[0]))
        assert told.values[0, best] == pytest.approx(told.values[0, :n].max())


@compiled
def test_pimc_answers_many_views_as_it_answers_each() -> None:
    game = load_game("sheephead")
    agent = load_agent("pimc:worlds=3", game)
    asked = [decision(game, number) for number in range(3)]
    asked.insert(1, (game.deal(seed=1).view(0), 0))  # a bid
    views = np.array([view for view, _ in asked])
    seats = np.array([seat for _, seat in asked])
    rngs = np.array([derive(k, Purpose.AGENT) for k in range(len(asked))], RNG)
    together = agent.act(views, seats, rngs, np.arange(len(asked)))
    alone = [
        agent.decide(view, seat, derive(k, Purpose.AGENT)) for k, (view, seat) in enumerate(asked)
    ]
    assert together.actions.tolist() == [int(one.actions[0]) for one in alone]
    assert together.weights is not None
    assert np.nansum(together.weights, axis=1).tolist() == [1, 0, 1, 1]  # a bid has no weights


def test_exact_wants_open_hands() -> None:
    with pytest.raises(AgentError, match="exact solves open hands, and sheephead hides them"):
        load_agent("exact", load_game("sheephead"))
    agent = load_agent("exact:objective=points", load_game("sheephead:open=true"))
    assert agent.spec == "exact:objective=points"
    with pytest.raises(SpecError, match="worlds"):
        load_agent("exact:worlds=3", load_game("sheephead:open=true"))


@compiled
def test_exact_reaches_what_the_solver_promises() -> None:
    game = load_game("sheephead:open=true")
    agent = load_agent("exact", game)
    for number in range(3):
        state = ending(game, "ace", 6, number)
        promised = solve(game, state).values
        while state.phase == PLAYING:
            seat = int(state.turn)
            told = agent.decide(view_of(state, seat), seat)
            assert told.values is not None
            assert np.nanmax(told.values[0]) == promised[seat]
            apply(state, seat, int(told.actions[0]))
        assert state.paid.tolist() == list(promised)


@pytest.mark.parametrize("house", ["leaster", "nola"])
def test_pimc_plays_hands_that_nobody_picked(house: str) -> None:
    game = load_game(f"sheephead:pass={house}")
    agent = load_agent("pimc:worlds=2", game)
    state = game.deal(seed=1).state.copy()
    for _ in range(SEATS):
        apply(state, int(state.turn), PASS)
    while state.phase in (NOLA_PLAYING, LEASTER_PLAYING):
        seat = int(state.turn)
        action = int(agent.decide(view_of(state, seat), seat).actions[0])
        assert action in game.legal(state, seat)
        apply(state, seat, action)
    assert state.paid.sum() == 0


@pytest.mark.parametrize("position", [None, 7, [], np.zeros(1)[0]])
def test_what_is_no_position_is_not_solved(position: Any) -> None:
    with pytest.raises(PositionError, match="expected a state of sheephead"):
        solve(load_game("sheephead"), position)


@pytest.mark.parametrize("n_cards", [0, 7, "3", None, 2.0, True])
def test_an_open_hand_has_one_to_six_cards(n_cards: Any) -> None:
    with pytest.raises(PositionError, match="an open hand has 1 to 6 cards"):
        random_hand(load_game("sheephead"), n_cards, 1)


@pytest.mark.parametrize(("seed", "number"), [("1", 0), (None, 0), (-1, 0), (1, "2"), (1, 2**63)])
def test_the_seed_of_an_open_hand_is_a_number(seed: Any, number: Any) -> None:
    with pytest.raises(SpecError, match="a seed"):
        random_hand(load_game("sheephead"), 3, seed, number)


def test_open_hands_of_other_games_are_refused() -> None:
    with pytest.raises(SpecError, match="this solves sheephead, not nimmt"):
        random_hand(load_game("nimmt"), 3, 1)
