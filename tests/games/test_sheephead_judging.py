"""What players of Sheephead are judged by: each habit where it is possible, and nowhere else."""

import numpy as np
import pytest

from kibitz.core.table import Table
from kibitz.games.sheephead.judging import HABITS
from tests.games.sheephead_hands import at

HANDS = {
    0: "QC QS JC AD 8C 9C",
    1: "AC 10S KS 8D 9D 7H",
    2: "7S AS 10H 9H JS KD",
    3: "AH KH 8H 7C QD JH",
    4: "KC 10C 9S 8S QH JD",
}
BLIND = "10D joker"


def judge(name: str, table: Table, word: str) -> list[str]:
    """Return what is seen of a habit, level by level, if the mover does this."""
    (habit,) = (one for one in HABITS if one.name == name)
    seat = table.movers[0]
    views = table.game.blank(1)
    views[0] = table.view(seat)
    action = table.check(seat, word)
    seen = habit.look(views, np.array([seat]), np.array([action]))
    shown = zip(seen.possible[0], seen.done[0], strict=True)
    return ["" if not can else "follows" if done else "leaves" for can, done in shown]


def picked_by(seat: int, *more: str) -> Table:
    """Return a table at which a seat has picked, buried and called the ace of clubs or hearts."""
    passes = ["pass"] * seat
    kept = {0: ("bury 10D 9C", "call AC"), 4: ("bury 10D 10C", "call AS")}[seat]
    return at(HANDS, *passes, "pick", *kept, *more, blind=BLIND)


def test_leads_of_trump_are_counted_by_role_and_trick() -> None:
    first = picked_by(0)
    assert judge("picker-trump", first, "QC") == ["follows", ""]
    assert judge("picker-trump", first, "8C") == ["leaves", ""]
    assert judge("defender-trump", first, "QC") == ["", ""]
    defended = picked_by(4)
    assert judge("defender-trump", defended, "QC") == ["follows", ""]
    assert judge("defender-trump", defended, "8C") == ["leaves", ""]


def test_the_called_suit_is_led_by_defenders_who_have_another() -> None:
    table = at(HANDS, "pass", "pass", "pass", "pick", "bury AH KH", "call AC", blind=BLIND)
    assert judge("called", table, "8C") == ["follows", ""]
    assert judge("called", table, "QC") == ["leaves", ""]


@pytest.mark.parametrize(("card", "gives"), [("10C", True), ("KC", False)])
def test_points_on_a_trick_are_counted_by_whose_it_is(card: str, gives: bool) -> None:
    table = at(HANDS, "pass", "pass", "pass", "pick", "bury AH KH", "call AC", blind=BLIND)
    for word in ("8C", "AC", "7S", "7C"):
        table.play(table.movers[0], word)
    # The partner has shown himself: the trick is the enemies', and no card beats his ace.
    assert judge("schmear", table, card) == ["", ""]
    assert judge("kept", table, card) == ["leaves" if gives else "follows", ""]


def test_points_are_given_to_a_friends_trick() -> None:
    table = at(HANDS, "pick", "bury 10D 9C", "call AC", blind=BLIND)
    table.play(0, "8C")
    table.play(1, "AC")
    table.play(2, "KD")
    table.play(3, "7C")
    assert judge("taken", table, "10C") == ["", ""], "it cannot be taken by a club"
    table.play(4, "KC")
    table.play(2, "AS")
    table.play(3, "AH")
    assert judge("schmear", table, "9S") == ["", ""], "a spade must follow, and is worth nothing"


def test_strength_is_what_picks_are_grouped_by() -> None:
    table = at(HANDS, blind=BLIND)
    assert judge("picks", table, "pick") == ["", "", "follows", ""]
    assert judge("picks", table, "pass") == ["", "", "leaves", ""]


def test_points_that_are_buried_are_counted() -> None:
    table = at(HANDS, "pick", blind=BLIND)
    assert judge("bury", table, "bury 10D AD") == ["follows", "follows"]
    assert judge("bury", table, "bury 8C 9C") == ["leaves", "leaves"]
    assert judge("bury-trump", table, "bury 10D 8C") == ["follows"]


def test_every_habit_of_a_rule_player_has_a_name_of_its_own() -> None:
    names = [habit.name for habit in HABITS]
    assert len(set(names)) == len(names) == 14
