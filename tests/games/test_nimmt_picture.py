"""Pictures of 6 nimmt! tables: what a page draws, and nothing that its viewer may not know."""

import json

import pytest

from kibitz import load_game
from kibitz.core.game import SPECTATOR
from kibitz.core.wording import say, speaking
from kibitz.games.nimmt import picture

GAME = load_game("nimmt:players=2,rows=free")
HANDS = "hands=1.5.9.20.21.22.23.24/?"


def test_a_view_shows_rows_heads_hands_and_choices() -> None:
    view = GAME.parse(f"turn=2 rows=12.15/33/47.60.61/88.90 {HANDS} chosen=-/? last=60/61")
    shown = picture.picture(view, 0)
    assert shown["rows"] == [[12, 15], [33], [47, 60, 61], [88, 90]]
    assert shown["row_heads"] == [3, 5, 5, 8]
    assert shown["hand"] == [1, 5, 9, 20, 21, 22, 23, 24]
    assert shown["hands"] == [shown["hand"], None]
    assert shown["chosen"] == [None, picture.FACE_DOWN]
    assert shown["last"] == [60, 61]
    assert shown["seen"] == [12, 15, 33, 47, 60, 61, 88, 90]
    assert (shown["phase"], shown["turn"], shown["hand_size"]) == ("choose", 3, 8)


def test_a_spectator_sees_no_hand() -> None:
    table = GAME.deal(seed=3)
    shown = picture.picture(table.view(SPECTATOR), SPECTATOR)
    assert shown["hand"] == []
    assert shown["hands"] == [None, None]


@pytest.mark.parametrize("spec", ["nimmt:players=10,match=66", "nimmt:players=3,draft=true"])
def test_whole_games_are_shown_as_documents_from_views_alone(spec: str) -> None:
    game = load_game(spec)
    table = game.deal(seed=5)
    while not table.is_over and table.state.rounds < 3:
        for seat in table.movers:
            view = table.view(seat)
            shown = picture.picture(view, seat)
            assert json.loads(json.dumps(shown)) == shown
            actions = table.legal(seat)
            offers = picture.choices(view, seat, actions)
            assert [game.text.parse_action(view, seat, one["text"]) for one in offers] == list(
                actions
            )
            if shown["phase"] == "draft":
                assert shown["pool"] == list(actions)
        table.play(table.movers[0], table.legal(table.movers[0])[0])


def test_rows_are_offered_with_what_they_cost() -> None:
    view = GAME.parse("phase=take rows=12/33/44/88 hands=5.9.20.21.22.23.24.25.26/? chosen=3/50")
    actions = [105, 106, 107, 108]
    assert say(picture.prompt(view, 0, actions)) == "3 is below all rows: take a row"
    with speaking("de", 0):
        offers = picture.choices(view, 0, actions)
    assert [one["heads"] for one in offers] == [1, 5, 5, 5]
    assert offers[0]["words"] == "Reihe 1 nehmen, 1 Hornochse"
    assert [one["row"] for one in offers] == [0, 1, 2, 3]
