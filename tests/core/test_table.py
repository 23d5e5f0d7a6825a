"""The Python door."""

from typing import Any

import numpy as np
import pytest

import kibitz
from kibitz import IllegalAction, PositionError, SpecError, Table
from kibitz.core.errors import clip
from kibitz.core.game import SPECTATOR
from kibitz.core.rng import Purpose, derive
from kibitz.games.sheephead.cards import N_ACTIONS
from kibitz.games.sheephead.words import write_action


@pytest.fixture
def table() -> Table:
    return kibitz.load_game("duel:players=3").deal(seed=7)


def test_a_table_is_dealt_and_played_to_the_end(table: Table) -> None:
    while not table.is_over:
        seat = table.seat_to_move
        assert seat is not None
        table.play(seat, table.legal()[0])
    assert table.movers == []
    assert table.seat_to_move is None
    assert table.legal() == []
    assert table.scores.sum() == 3


def test_the_same_seed_deals_the_same_cards(table: Table) -> None:
    again = kibitz.load_game("duel:players=3").deal(seed=7)
    other = kibitz.load_game("duel:players=3").deal(seed=8)
    assert again.position == table.position != other.position


def test_a_seed_left_out_is_drawn_and_can_be_repeated() -> None:
    game = kibitz.load_game("duel")
    first = game.deal()
    assert game.deal(first.origin.seed).position == first.position


def test_an_action_may_be_a_code_or_text(table: Table) -> None:
    card = table.legal(0)[0]
    other = kibitz.load_game("duel:players=3").deal(seed=7)
    table.play(0, card)
    other.play(0, f" {table.text(card, 0)} ")
    assert table.position == other.position


def test_the_last_card_is_played_by_the_table(table: Table) -> None:
    for _ in range(2):
        for seat in range(3):
            table.play(seat, table.legal(seat)[0])
    assert table.is_over
    assert [seat for seat, _ in table.actions] == [0, 1, 2] * 3


def test_a_view_hides_the_other_hands(table: Table) -> None:
    view = table.view(1)
    assert view.hand[1] == table.state.hand[1]
    assert view.hand[0] == view.hand[2] == 0
    assert table.state.hand[0] != 0


def test_an_illegal_action_says_what_where_and_why(table: Table) -> None:
    missing = next(card for card in range(11) if card not in table.legal(0))
    before = table.position
    with pytest.raises(IllegalAction) as refused:
        table.play(0, missing)
    known = table.game.format(table.view(0))
    assert str(refused.value) == (
        f"illegal action '{missing}' of seat 0 in {known}: seat 0 does not hold {missing}"
    )
    assert before not in str(refused.value)  # who is refused learns nothing of the other hands
    assert table.position == before


def test_a_seat_that_is_not_to_move_is_refused(table: Table) -> None:
    table.play(0, table.legal(0)[0])
    with pytest.raises(IllegalAction, match="seats 1, 2 are to move"):
        table.play(0, 3)


def test_nothing_can_be_played_after_the_end(table: Table) -> None:
    test_a_table_is_dealt_and_played_to_the_end(table)
    with pytest.raises(IllegalAction, match="the game is over"):
        table.play(0, 1)


@pytest.mark.parametrize("seat", [-1, 3, 99, "0", None, 1.5, True])
def test_seats_that_do_not_exist_are_refused(table: Table, seat: object) -> None:
    with pytest.raises(IllegalAction, match="has seats 0 to 2") as refused:
        table.play(seat, 1)  # type: ignore[arg-type]
    seen = table.game.format(table.view(SPECTATOR))
    assert str(refused.value).startswith(f"illegal action '1' of seat {clip(seat)} in {seen}: ")


@pytest.mark.parametrize(
    "action",
    [
        "",
        "x",
        "99999",
        None,
        1.0,
        True,
        2**64,
        [1],
        "9" * 10_000,
        pytest.param(10**5000, id="huge"),
        "1" + " " * 300,
    ],
)
def test_malformed_actions_are_refused(table: Table, action: object) -> None:
    with pytest.raises((PositionError, IllegalAction)) as refused:
        table.play(0, action)  # type: ignore[arg-type]
    told = str(refused.value)
    assert f" action {clip(action)} of seat 0 in {table.game.format(table.view(0))}: " in told
    assert len(told) < 400


@pytest.mark.parametrize("seed", [-1, 2**63, 1.5, "7", True, 10**30])
def test_malformed_seeds_are_refused(seed: object) -> None:
    with pytest.raises(SpecError, match="a seed"):
        kibitz.load_game("duel").deal(seed=seed)  # type: ignore[arg-type]


def test_unknown_names_suggest_the_nearest_one() -> None:
    with pytest.raises(SpecError, match=r"unknown game 'nimt': did you mean 'nimmt'\?"):
        kibitz.load_game("nimt")
    with pytest.raises(SpecError, match=r"did you mean 'players'\?"):
        kibitz.load_game("duel:player=3")
    with pytest.raises(SpecError, match=r"unknown agent 'randm' for duel: did you mean 'random'"):
        kibitz.load_agent("randm", kibitz.load_game("duel"))


@pytest.mark.parametrize("seat", [-2, 3, 10**12])
def test_views_of_seats_that_do_not_exist_are_refused(table: Table, seat: int) -> None:
    view = table.view(0)
    with pytest.raises(IllegalAction):
        kibitz.load_agent("random", table.game).decide(view, seat)
    with pytest.raises(IllegalAction):
        table.game.resample(view, seat, derive(1, Purpose.PLAYOUT))
    with pytest.raises(IllegalAction):
        table.game.legal(view, seat)


def test_a_position_opens_a_table_there(table: Table) -> None:
    table.play(1, table.legal(1)[0])
    again = kibitz.open_table(table.position)
    assert again.position == table.position
    assert again.movers == [0, 2]


@pytest.mark.parametrize("text", ["", "duel", "duel nonsense", "nothing 1 2", "duel " + "9" * 5000])
def test_malformed_positions_are_refused(text: str) -> None:
    with pytest.raises((PositionError, SpecError)):
        kibitz.open_table(text)


def test_later_rounds_of_an_opened_position_are_dealt_from_a_seed() -> None:
    table = kibitz.open_table(kibitz.load_game("duel:rounds=2").deal(seed=3).position)
    while not table.is_over:
        table.play(table.movers[0], table.legal(table.movers[0])[0])
    assert table.state.dealt == 2


def test_a_view_is_not_a_table() -> None:
    table = kibitz.load_game("nimmt:players=2").deal(seed=1)
    with pytest.raises(PositionError, match="is a view: a table needs to know every card"):
        kibitz.open_table(table.game.format(table.view(0)))


def test_printing_draws_the_table_without_colour(table: Table) -> None:
    assert "\x1b" not in str(table)
    assert repr(table) == f"<Table {table.position}>"


def test_games_with_equal_specs_are_equal() -> None:
    assert kibitz.load_game("duel:players=2") == kibitz.load_game("duel")
    assert len({kibitz.load_game("duel"), kibitz.load_game("duel:rounds=1")}) == 1


def test_blank_states_carry_the_options() -> None:
    states = kibitz.load_game("duel:players=4,rounds=3").blank(2)
    assert states["players"].tolist() == [4, 4]
    assert np.array_equal(states["rounds"], [3, 3])


@pytest.mark.parametrize("spec", ["duel", "connect4", "nimmt", "tichu", "sheephead"])
@pytest.mark.parametrize("action", [None, 1.5, True, "?!", [], -1, -5, 7 << 60, -(2**63), 2**70])
def test_only_actions_of_the_game_are_written(spec: str, action: Any) -> None:
    with pytest.raises(PositionError) as caught:
        kibitz.load_game(spec).deal(seed=1).text(action)
    assert "\n" not in str(caught.value)


def test_actions_of_other_phases_are_written_too() -> None:
    table = kibitz.load_game("sheephead").deal(seed=1)
    table.play(0, "pick")
    for _ in range(2):
        assert [table.text(action) for action in range(N_ACTIONS)] == [
            write_action(action) for action in range(N_ACTIONS)
        ]
        table.play(0, table.legal()[0])


def test_an_action_can_be_written_for_any_seat_that_is_there(table: Table) -> None:
    assert table.text(table.legal(1)[0], 1)
    with pytest.raises(IllegalAction, match="has seats 0 to 2, got '9'"):
        table.text(table.legal(1)[0], 9)


@pytest.mark.parametrize("state", [None, 3, [], np.zeros(1)[0]])
def test_only_states_of_the_game_are_taken_for_such(state: object) -> None:
    game = kibitz.load_game("duel")
    with pytest.raises(PositionError, match="expected a state of duel"):
        game.check_state(state)
    assert game.check_state(game.blank(1)[0]).dtype == game.rules.STATE
    with pytest.raises(PositionError, match="expected a state of duel"):
        game.check_state(kibitz.load_game("nimmt").blank(1)[0])


def test_a_position_is_read_without_its_spec(table: Table) -> None:
    with pytest.raises(PositionError, match="begins with a spec, 'duel"):
        table.game.parse(table.position)


def test_a_world_needs_a_random_stream(table: Table) -> None:
    with pytest.raises(SpecError, match="expected a random stream"):
        table.game.resample(table.view(0), 0, None)  # type: ignore[arg-type]
