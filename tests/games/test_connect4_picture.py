"""Pictures of Connect 4 boards."""

import json

from kibitz import load_game
from kibitz.games.connect4 import picture

GAME = load_game("connect4")


def test_discs_lie_where_they_fell() -> None:
    shown = picture.picture(GAME.parse("4453"), 0)
    assert shown["board"][5] == [-1, -1, 1, 0, 0, -1, -1]
    assert shown["board"][4] == [-1, -1, -1, 1, -1, -1, -1]
    assert shown["last"] == [5, 2]
    assert shown["moves"] == [4, 4, 5, 3]
    assert (shown["phase"], shown["turn"], shown["winner"]) == ("play", 0, None)


def test_the_winning_line_is_named() -> None:
    shown = picture.picture(GAME.parse("1213141"), 1)
    assert shown["winner"] == 0
    assert shown["line"] == [[2, 0], [3, 0], [4, 0], [5, 0]]
    assert shown["phase"] == "over"
    assert json.loads(json.dumps(shown)) == shown


def test_open_columns_are_offered_with_the_row_where_a_disc_lands() -> None:
    view = GAME.parse("111111")
    offers = picture.choices(view, 0, [2, 3])
    assert [(one["text"], one["column"], one["row"]) for one in offers] == [
        ("2", 2, 5),
        ("3", 3, 5),
    ]
    assert picture.choices(GAME.parse("11"), 0, [1])[0]["row"] == 3
