"""What pages see of Sheephead: documents as the page expects them, and nothing that is hidden."""

import json
from collections import Counter

import pytest

import kibitz
from kibitz.core.game import SPECTATOR
from kibitz.core.rng import Purpose, below, derive
from kibitz.core.table import Table
from kibitz.core.wording import speaking, words
from kibitz.games.sheephead.picture import choices, picture, prompt
from tests.games.moments import frozen
from tests.games.sheephead_hands import SPECS, at
from tests.games.wire_types import misfit


def random_moments(spec: str, seed: int) -> list[Table]:
    """Return a table at many moments of a random session, each as it was then."""
    table = kibitz.load_game(spec).deal(seed)
    rng = derive(seed, Purpose.AGENT)
    found = []
    while not table.is_over:
        seat = table.seat_to_move
        assert seat is not None
        actions = table.legal(seat)
        found.append(frozen(table))
        table.play(seat, actions[int(below(rng, len(actions)))])
    return [*found, frozen(table)]


@pytest.mark.parametrize("spec", SPECS)
def test_pictures_and_choices_are_as_the_page_expects_them(spec: str) -> None:
    kinds = Counter[str]()
    for table in random_moments(spec, 1) + random_moments(spec, 2):
        for viewer in range(SPECTATOR, 5):
            view = table.view(viewer)
            assert not misfit(picture(view, viewer), "SheepheadPicture")
            if viewer not in table.movers:
                continue
            actions = table.legal(viewer)
            for action, choice in zip(actions, choices(view, viewer, actions), strict=True):
                assert not misfit(choice, "Choice")
                assert table.check(viewer, choice["text"]) == action
                kinds[choice["kind"]] += 1
            assert words(prompt(view, viewer, actions))
    assert {"card", "pick"} <= set(kinds)


@pytest.mark.parametrize("spec", SPECS[:1] + SPECS[6:10])
def test_pictures_depend_on_the_view_alone(spec: str) -> None:
    """Worlds that a viewer cannot tell apart look the same to him."""
    for table in random_moments(spec, 3)[::5]:
        for viewer in range(SPECTATOR, 5):
            view = table.view(viewer)
            other = table.game.resample(view, viewer, derive(5, Purpose.PLAYOUT))
            again = frozen(table)
            again.batch.states[0] = other
            assert picture(again.view(viewer), viewer) == picture(view, viewer)


HANDS = {
    0: "QC QS JD AD AC 7H",
    1: "7C 8C AS 10S 8H 9H",
    2: "AH 7S 8S QH JC 9D",
}
BLIND = "KC 9S"


def test_bury_blind_and_partner_are_seen_by_who_knows_them() -> None:
    table = at(HANDS, "pick", "bury KC 9S", "call AH", blind=BLIND)
    picker, partner, other = (picture(table.view(seat), seat) for seat in (0, 2, 1))
    assert picker["buried"] == ["KC", "9S"]
    assert (partner["buried"], other["buried"], other["blind"]) == (None, None, None)
    assert [shown["partner"] for shown in (picker, partner, other)] == [None, 2, None]
    assert all(shown["called"] == "AH" and not shown["alone"] for shown in (picker, other))
    assert '"KC"' not in json.dumps(other)
    assert picture(table.view(SPECTATOR), SPECTATOR)["hands"] == [None] * 5


def test_the_unknown_card_lies_face_down_for_the_others() -> None:
    hands = {0: "QC QS JD AD 10D KD", 1: "AC 7C 8C 9C KC 10C"}
    table = at(hands, "pick", "bury 8D 9D", "unknown 10D call AC", blind="8D 9D")
    assert picture(table.view(0), 0)["face_down"] == "10D"
    assert picture(table.view(1), 1)["face_down"] == "hidden"
    table.play(0, "10D")
    assert picture(table.view(0), 0)["trick"]["cards"][0] == "10D"
    assert picture(table.view(3), 3)["trick"]["cards"] == ["?", None, None, None, None]
    assert '"10D"' not in json.dumps(picture(table.view(3), 3))


def test_the_questions_say_why_there_is_no_other_choice() -> None:
    table = at(HANDS, "pick", "bury KC 9S", blind=BLIND)
    shown = choices(table.view(0), 0, table.legal(0))
    assert [(one["kind"], one["text"]) for one in shown] == [
        ("alone", "alone"),
        ("call", "call AH"),
    ]
    asked = prompt(table.view(0), 0, table.legal(0))
    assert words(asked) == "Call an ace of a suit that you hold, or play alone"
    with speaking("de"):
        assert choices(table.view(0), 0, table.legal(0))[0]["words"] == "allein spielen"
    hands = {0: "QC QS JD AD 10D KD"}
    table = at(hands, "pick", "bury 8D 9D", blind="8D 9D")
    shown = choices(table.view(0), 0, table.legal(0))
    assert {"text": "unknown QC call AC", "kind": "unknown", "cards": ["AC", "QC"]} | {
        "words": "call A♣, Q♣ face down"
    } in shown
    assert "face down" in words(prompt(table.view(0), 0, table.legal(0)))


def test_nola_is_a_phase_of_its_own_and_sorts_four_suits() -> None:
    table = at(HANDS, *["pass"] * 5, blind=BLIND)
    shown = picture(table.view(0), 0)
    assert shown["phase"] == "nola"
    assert shown["hand"] == ["AC", "QC", "QS", "7H", "AD", "JD"]
    assert shown["picker"] is None


def test_a_hand_that_has_ended_says_what_came_of_it() -> None:
    table = random_moments("sheephead", 4)[-1]
    shown = picture(table.view(1), 1)
    assert shown["phase"] == "over"
    assert shown["result"]
    assert sum(shown["paid"]) == 0
    assert all(hand is not None for hand in shown["hands"])
