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


BY_0 = ("pick", "bury 10D 9C", "call AC")  # seat 1 is the partner
BY_4 = ("pass", "pass", "pass", "pass", "pick", "bury 10D 10C", "call AS")  # seat 2 is
ALONE_2 = ("pass", "pass", "pick", "bury 10H 9H", "alone")
TAKEN_BY_2 = (*BY_0, "8C", "AC", "KD", "7C", "KC")  # a defender, now all sides are known
ACE_AT_0 = HANDS | {0: "QC QS JC AD 8C AC", 1: "9C 10S KS 8D 9D 7H"}
AC_CALLED = ("pass", "pass", "pass", "pass", "pick", "bury 10D 9S", "call AC")
VOID_AT_3 = HANDS | {3: "AH KH 8H 9S QD JH", 4: "KC 10C 7C 8S QH JD"}
LOW_AT_0 = HANDS | {0: "JS JC AD 8C 9C KD", 2: "7S AS 10H 9H QS QC"}
NOLA = ("pass",) * 5 + ("8C", "AC", "9H", "7C", "KC", "KS")


@pytest.mark.parametrize(
    ("name", "level", "hands", "words", "follows", "leaves"),
    [
        ("picker-trump", 1, HANDS, (*BY_0, "QC", "8D", "JS", "JH", "JD"), "QS", "8C"),
        ("partner-trump", 0, ACE_AT_0, AC_CALLED, "QC", "AC"),
        ("partner-trump", 1, HANDS, (*BY_0, "8C", "AC", "7S", "7C", "KC"), "8D", "KS"),
        ("defender-trump", 1, HANDS, TAKEN_BY_2, "JS", "7S"),
        ("called", 1, HANDS, (*BY_4, "8C", "AC", "10H", "7C", "KC"), "10S", "8D"),
        ("ace", 0, ACE_AT_0, BY_4, "AC", "QC"),
        ("ace", 1, HANDS, TAKEN_BY_2, "AS", "7S"),
        ("schmear", 0, HANDS, (*BY_0, "8C", "AC", "KD", "7C"), "10C", "KC"),
        ("schmear", 1, HANDS, (*TAKEN_BY_2, "AS"), "AH", "KH"),
        ("kept", 1, LOW_AT_0, (*BY_4, "JC", "8D", "QS", "JH", "joker", "QH"), "KD", "AD"),
        ("kept", 0, HANDS, (*ALONE_2, "8C", "AC", "JS", "7C"), "KC", "10C"),
        ("taken", 0, HANDS, (*BY_0, "8C", "AC"), "KD", "7S"),
        ("taken", 1, HANDS, (*ALONE_2, "8C", "AC"), "JS", "7S"),
        ("overtake", 0, VOID_AT_3, (*BY_0, "8C", "AC", "KD"), "QD", "8H"),
        ("overtake", 1, HANDS, (*TAKEN_BY_2, "AS"), "QD", "KH"),
        ("alone", 0, HANDS, ("pick", "bury QC QS"), "alone", "call AC"),
        ("alone", 1, HANDS, ("pick", "bury 10D AD"), "alone", "call AC"),
        ("alone", 2, HANDS, ("pick", "bury 10D 9C"), "alone", "call AC"),
        ("nola", 0, HANDS, NOLA, "AS", "7S"),
    ],
)
def test_a_habit_is_followed_or_left_at_one_level(
    name: str, level: int, hands: dict[int, str], words: tuple[str, ...], follows: str, leaves: str
) -> None:
    for word, told in ((follows, "follows"), (leaves, "leaves")):
        seen = judge(name, at(hands, *words, blind=BLIND), word)
        assert seen == [told if k == level else "" for k in range(len(seen))]


def test_a_late_trick_of_nola_is_ducked() -> None:
    table = at(HANDS, *NOLA, blind=BLIND)
    table.state.tricks_played = 4
    assert judge("nola", table, "7S") == ["", "follows"]
    assert judge("nola", table, "AS") == ["", "leaves"]


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
