"""What speaks for and against an action, counted by hand."""

from math import comb

import pytest

import kibitz
from kibitz.core.table import Table
from kibitz.games.nimmt.merits import chance
from kibitz.review.questions import Question
from tests.games.sheephead_hands import at
from tests.games.test_sheephead_text import CALLED, CALLER, CALLER_BLIND
from tests.games.test_tichu_text import at as tichu_at

pytestmark = pytest.mark.compiled


def reasons(table: Table, seat: int, text: str) -> list[str]:
    """Say what speaks for an action, by what the seat sees."""
    view = table.view(seat)
    action = table.game.text.parse_action(view, seat, text)
    return [str(one) for one in Question(table.game, view, seat).merits(action)]


NIMMT = "nimmt:players=3 rows=10/30/50/95 hands=5.11.31.33.60.96.97.98.99.100/"
OTHERS = "1.2.3.4.6.7.8.9.12.13/14.15.16.17.18.19.20.21.22.23"


def test_a_card_of_nimmt_cannot_be_the_sixth_or_may_be() -> None:
    table = kibitz.open_table(NIMMT + OTHERS)
    assert reasons(table, 0, "33") == [
        "lands on row 2, which has 4 free places: it cannot be the sixth"
    ]
    # 90 cards are unseen, 4 of them below 5: with none of them played by the two others, seat 0
    # takes a row.
    risk = comb(86, 2) / comb(90, 2)
    assert chance(90, 4, 2, 0) == pytest.approx(risk)
    told = f"is below all rows: {round(100 * risk)} % to take one, 2 heads at least"
    assert reasons(table, 0, "5") == [told.replace("2 heads", heads_of(table))]


def heads_of(table: Table) -> str:
    n = int(table.state.heads.min())
    return "1 head" if n == 1 else f"{n} heads"


def test_chances_are_hypergeometric() -> None:
    for unseen, fitting, others in ((90, 4, 2), (10, 3, 4), (5, 5, 3)):
        total = sum(chance(unseen, fitting, others, n) for n in range(others + 1))
        assert total == pytest.approx(1)
    assert chance(10, 1, 2, 1) == pytest.approx(2 / 10)


@pytest.mark.parametrize(
    ("moves", "column", "told"),
    [
        ("121212", "1", ["makes four"]),
        (
            "1212127",
            "1",
            ["keeps the other from making four there", "threatens four in column 2"],
        ),
        (
            "1212127",
            "5",
            [
                "leaves column 1 open, where the other makes four",
                "threatens four in column 2",
            ],
        ),
        ("-", "4", ["the middle column belongs to most lines of four"]),
        ("-", "1", []),
        ("4433", "5", ["threatens four in columns 2 and 6 at once"]),
    ],
)
def test_a_column_wins_blocks_leaves_or_threatens(moves: str, column: str, told: list[str]) -> None:
    table = kibitz.open_table(f"connect4 {moves}")
    seat = table.seat_to_move
    assert seat is not None
    assert reasons(table, seat, column) == told


def test_a_card_of_sheephead_takes_gives_and_voids() -> None:
    table = at(CALLER, *CALLED, blind=CALLER_BLIND)
    assert reasons(table, 0, "QC") == [
        "draws trump from the defenders",
        "0 higher trumps are unseen",
    ]
    assert "leads the called suit, which brings the partner out" in reasons(table, 0, "9C")
    table.play(0, "9C")
    assert reasons(table, 1, "AC")[0] == "takes the trick from your own side"
    assert "takes the trick for now, 11 points in it" in reasons(table, 1, "AC")
    table.play(1, "AC")
    seat = table.movers[0]
    (given, *_) = [
        one
        for action in table.legal(seat)
        for one in reasons(table, seat, table.text(action, seat))[:1]
    ]
    assert "points" in given or "takes the trick" in given


def test_a_hand_of_sheephead_is_picked_on_its_trumps() -> None:
    table = at(CALLER, blind=CALLER_BLIND)
    told = "you hold 3 trumps, 3 of them queens or jacks, and 2 fail suits"
    assert reasons(table, 0, "pick") == [told]
    table.play(0, "pick")
    found = reasons(table, 0, "bury 7H 8H")
    assert found == ["buries 0 points", "leaves you without hearts"]


def test_plays_of_tichu_break_bombs_and_go_out() -> None:
    table = tichu_at("8R 8G 8B 8S")
    assert reasons(table, 0, "8R 8G 8B 8S")[:2] == [
        "goes out",
        "is a bomb: only a higher one beats it",
    ]
    pair = reasons(table, 0, "8R 8G")
    assert pair[0] == "breaks the bomb 8R 8G 8B 8S"
    assert pair[-1] == "leaves you 2 cards"


def test_passing_in_tichu_leaves_the_trick_to_who_holds_it() -> None:
    table = tichu_at("8R 8G 8B 8S", "7S")
    holder = int(table.state.holder)
    (left, kept) = reasons(table, 0, "pass")
    whom = "your partner" if holder == 2 else f"seat {holder}"
    assert left.startswith(f"leaves the trick to {whom}, ")
    assert kept == "keeps the bomb 8R 8G 8B 8S"


@pytest.mark.parametrize(
    "spec", ["connect4", "nimmt:players=4,rows=free", "tichu", "sheephead:hands=2"]
)
def test_every_action_of_a_game_can_be_weighed(spec: str) -> None:
    game = kibitz.load_game(spec)
    table = game.deal(4)
    n = 0
    while not table.is_over:
        for seat in table.movers:
            view = table.view(seat)
            for action in table.legal(seat)[:12]:
                told = Question(game, view, seat).merits(action)
                assert all(str(one) and "{" not in str(one) for one in told)
                n += len(told)
        mover = table.seat_to_move
        assert mover is not None
        table.play(mover, table.legal(mover)[len(table.actions) % len(table.legal(mover))])
    assert n > 10
