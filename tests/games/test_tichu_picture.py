"""What pages see of Tichu: documents as the page expects them, and nothing that is hidden."""

import json
from collections import Counter

import pytest

import kibitz
from kibitz.core.game import SPECTATOR
from kibitz.core.messages import Message
from kibitz.core.rng import Purpose, below, derive
from kibitz.core.table import Table
from kibitz.core.wording import say, speaking, words
from kibitz.games.tichu.picture import choices, extra, pause, picture, prompt
from kibitz.games.tichu.state import WINDOW, WISHING
from tests.games.moments import frozen
from tests.games.tichu_hands import (
    CALL_TICHU,
    NO,
    all_do,
    do,
    fresh,
    lay,
    listed,
    position,
    turns,
    wish,
)
from tests.games.wire_types import misfit

SPECS = ["tichu:match=300,calls=any", "tichu", "tichu:variant=thesis"]


def random_rounds(spec: str, n_games: int) -> list[Table]:
    """Return tables at many moments of random games, each as it was then."""
    found = []
    for seed in range(n_games):
        table = kibitz.load_game(spec).deal(seed)
        rng = derive(seed, Purpose.AGENT)
        n = 0
        while not table.is_over and n < 400:
            seats = [seat for seat in table.movers if len(table.legal(seat)) > 1]
            seat = seats[int(below(rng, len(seats)))]
            actions = table.legal(seat)
            if n % 3 == 0 or table.state.phase in (WINDOW, WISHING):
                found.append(frozen(table))
            table.play(seat, actions[int(below(rng, len(actions)))])
            n += 1
        found.append(frozen(table))
    return found


@pytest.mark.parametrize("spec", SPECS)
def test_pictures_and_choices_are_as_the_page_expects_them(spec: str) -> None:
    phases, kinds = Counter[str](), Counter[str]()
    for table in random_rounds(spec, 6):
        for viewer in range(SPECTATOR, 4):
            view = table.view(viewer)
            shown = picture(view, viewer)
            assert not misfit(shown, "TichuPicture")
            phases[shown["phase"]] += 1
            if viewer not in table.movers:
                continue
            actions = table.legal(viewer)
            for action, choice in zip(actions, choices(view, viewer, actions), strict=True):
                assert not misfit(choice, "Choice")
                assert table.check(viewer, choice["text"]) == action
                kinds[choice["kind"]] += 1
            assert words(prompt(view, viewer, actions))
    assert {"grand", "call", "exchange", "turn", "wish", "over"} <= set(phases)
    assert ("window" in phases) == ("thesis" not in spec)
    assert {"call", "no-call", "give", "play", "pass", "wish"} <= set(kinds)


def test_pictures_depend_on_the_view_alone() -> None:
    """Worlds that a viewer cannot tell apart look the same to him."""
    for table in random_rounds("tichu:calls=any", 2)[::4]:
        for viewer in range(SPECTATOR, 4):
            view = table.view(viewer)
            other = table.game.resample(view, viewer, derive(5, Purpose.PLAYOUT))
            again = frozen(table)
            again.batch.states[0] = other
            assert picture(again.view(viewer), viewer) == picture(view, viewer)


def test_other_hands_and_gifts_are_hidden() -> None:
    state = fresh("Ma 2R 3R", "4S 5S", "6B 7B", "Dr Ph")
    table = kibitz.load_game("tichu").deal(1)
    table.batch.states[0] = state
    for viewer in range(SPECTATOR, 4):
        shown = picture(table.view(viewer), viewer)
        told = json.dumps(shown)
        for seat, card in enumerate(("Ma", "4S", "6B", "Dr")):
            assert (f'"{card}"' in told) == (seat == viewer)
        assert shown["counts"] == [14] * 4
        assert [hand is not None for hand in shown["hands"]] == [s == viewer for s in range(4)]


def test_the_exchange_shows_what_was_given_and_got() -> None:
    table = kibitz.load_game("tichu").deal(3)
    for answer in ("no grand", "no tichu"):
        for seat in range(4):
            table.play(seat, answer)
    gifts = [picture(table.view(seat), seat)["hand"][:3] for seat in range(4)]
    for card in gifts[0]:
        offered = choices(table.view(0), 0, table.legal(0))
        assert {choice["seat"] for choice in offered} == {1 + gifts[0].index(card)}
        table.play(0, f"give {card}")
    shown = picture(table.view(0), 0)
    assert shown["given"] == gifts[0]
    assert shown["answered"] == [True, False, False, False]
    assert picture(table.view(1), 1)["given"] == [None] * 3
    for seat in (1, 2, 3):
        for card in gifts[seat]:
            table.play(seat, f"give {card}")
    assert picture(table.view(0), 0)["got"] == [gifts[1][2], gifts[2][1], gifts[3][0]]
    assert picture(table.view(SPECTATOR), SPECTATOR)["got"] == [None] * 3


def test_windows_do_not_tell_who_holds_a_bomb() -> None:
    state = position("2R 2G 2B 2S 3R 9G", "4R 5G 7B", "6R 8G", "9R JG", turn=1)
    table = kibitz.load_game("tichu").deal(1)
    table.batch.states[0] = state
    table.play(1, "4R")
    table.settle()
    assert table.seat_to_move == 0
    shown = picture(table.view(2), 2)
    assert (shown["phase"], shown["deciding"], shown["answered"]) == (
        "window",
        [0, 1, 2, 3],
        [0] * 4,
    )
    (no, bomb) = choices(table.view(0), 0, table.legal(0))
    assert (no["kind"], bomb["kind"], bomb["cards"]) == ("pass", "play", ["2R", "2G", "2B", "2S"])


def test_the_table_shows_the_phoenix_the_wish_and_the_dragon() -> None:
    state = fresh("Ma 2R 3R 4R Ph", "9R", "6R", "Dr")
    turns(state, lay("Ma 2R 3R 4R Ph", "5"))
    turns(state, wish("9"))
    shown = picture(state, SPECTATOR)
    assert shown["wish"] == "9"
    assert shown["table"]["cards"] == ["Ma", "2R", "3R", "4R", "Ph"]
    assert (shown["table"]["phoenix"], shown["table"]["kind"]) == ("5", "straight")
    with speaking("de"):
        assert picture(state, SPECTATOR)["table"]["words"] == "eine Straße von 5 bis 5"
    state = position("Dr 2R", "3R 4G", "5R 7R", "6R 8G")
    turns(state, lay("Dr"), *[NO] * 3)
    assert picture(state, 0)["phase"] == "dragon"
    offered = choices(state, 0, listed(state, 0))
    assert [(one["text"], one["seat"]) for one in offered] == [
        ("dragon right", 1),
        ("dragon left", 3),
    ]


def test_tichu_may_be_called_out_of_turn_until_the_first_card() -> None:
    state = fresh("Ma", "3R", "2R", "Dr")
    assert [extra(state, seat) for seat in range(4)] == [
        [],
        [CALL_TICHU],
        [CALL_TICHU],
        [CALL_TICHU],
    ]
    assert picture(state, 0)["may_call"]
    turns(state, lay("Ma"), wish(""))
    assert extra(state, 0) == []
    assert not picture(state, 0)["may_call"]
    assert not picture(state, SPECTATOR)["may_call"]


def test_open_positions_show_all_hands() -> None:
    state = position("2R", "3R 4G", "5R", "6R 8G")
    assert picture(state, 0)["hands"] == [["2R"], ["3R", "4G"], ["5R"], ["6R", "8G"]]


def test_people_read_ten_where_t_is_typed() -> None:
    assert say(Message("tichu.single", {"rank": "T"})) == "10"
    assert say(Message("tichu.plays", {"cards": "9R TB Ph=T"})) == "9R 10B Ph=10"
    assert say(Message("tichu.not-held", {"cards": "Dr TS"})) == "you do not hold Dr 10S"
    assert say(Message("tichu.wish", {"rank": "T"}), "de") == "wünscht 10"


def test_everybody_may_bomb_for_a_while_after_plays_and_passes() -> None:
    state = position("KR KG 2R 2G", "5S 6R", "AG 4R 9R", "TG")
    assert pause(state) == 0.0
    do(state, 0, lay("2R"))
    assert (state.phase, pause(state)) == (WINDOW, 0.0)  # nobody has four cards left
    state = position("KR KG 2R 2G 3B", "5S 6R 7G 8B TR", "AG 4R", "TG")
    do(state, 0, lay("KR"))
    assert pause(state) == 1.0
    all_do(state, NO)
    assert pause(state) == 0.0
    do(state, 1, NO)
    assert pause(state) == 0.4
    all_do(state, NO)
    do(state, 2, lay("AG"))
    assert pause(state) == 1.0
