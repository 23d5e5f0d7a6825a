"""The encoding `insight` of Sheephead: rows of actions by hand, and nothing that is hidden."""

from typing import Any

import numpy as np
import pytest

from kibitz.core.game import observe, observe_action, resample
from kibitz.core.listing import list_legal
from kibitz.core.rng import Purpose, derive
from kibitz.core.table import Table
from kibitz.games.sheephead.features import DEEP
from tests.games.test_sheephead_features import CALLED, FIRST, table_after


def row(table: Table, word: str) -> dict[str, Any]:
    """Write the row of what the seat to move may do, by name."""
    seat = table.seat_to_move
    assert seat is not None
    action = table.game.text.parse_action(table.state, seat, word)
    out = np.full(DEEP.candidate_size, np.nan, np.float32)
    observe_action(table.view(seat), seat, action, DEEP.record, out)
    parts = DEEP.candidate_parts(out).items()
    return {name: part.tolist() for name, part in parts}


def parts(*numerators: float, of: float) -> Any:
    """Expect these numbers, divided."""
    return pytest.approx([n / of for n in numerators])


def test_a_lead_is_judged_by_who_can_beat_it() -> None:
    led = row(table_after(*CALLED), "KS")  # the picker's; his 8S is lower
    # Above it: ten and ace of spades, and the trumps but his three: 2 + 11.
    assert led["above"] == parts(13, of=14)
    assert led["held_by"] == parts(13, of=14)
    assert led["sure"] == [0]
    assert led["goes_to"] == [1, 0, 0]  # his own so far
    assert led["behind"] == [0, 0, 1]  # nobody knows who has the ace of clubs
    assert led["stake"] == parts(4, of=60)
    assert row(table_after(*CALLED), "QC")["sure"] == [1]


def test_a_partner_knows_whose_trick_it_is() -> None:
    card = row(table_after(*CALLED, "KS"), "AD")  # seat 1 holds the called ace
    assert card["goes_to"] == [1, 0, 0]
    assert card["behind"] == parts(0, 3, 0, of=4)
    assert card["stake"] == parts(4 + 11, of=60)
    # Trumps above it that seat 1 does not see: 14 - AD, 9D and the three below the ace but its 9D.
    assert card["above"] == parts(9, of=14)
    after = row(table_after(*CALLED, "KS", "AD"), "9S")  # seat 2 cannot tell who took it
    assert after["goes_to"] == [0, 0, 1]
    assert after["behind"] == parts(0, 0, 2, of=4)


def test_a_bury_is_judged_by_what_is_kept() -> None:
    kept = row(table_after("pick"), "bury 7H 8H")  # QC QS JD 9C KS 8S
    assert kept["trumps"] == parts(3, of=8)
    assert kept["queens"] == parts(2, of=5)
    assert kept["strength"] == parts(3 + 3 + 2, of=20)
    assert kept["suits"] == parts(1, 2, 0, of=8)
    assert kept["voids"] == [0, 0, 1]
    assert kept["kept_points"] == parts(3 + 3 + 2 + 4, of=60)
    assert kept["ready"] == [1]
    call = row(table_after(*CALLED[:2]), "call AS")
    assert call["called_kept"] == parts(2, of=6)
    assert row(table_after(), "pass")["trumps"] == parts(3, of=8)


@pytest.mark.parametrize("actions", [(), CALLED, (*CALLED, *FIRST), ("pass",) * 5])
def test_rows_are_the_same_in_all_worlds_of_a_view(actions: tuple[str, ...]) -> None:
    table = table_after(*actions)
    seat = table.seat_to_move
    assert seat is not None
    view = table.view(seat)
    views = np.repeat(view, 2).view(view.dtype)
    legal = list_legal(views[:1], np.array([seat]))
    rows = []
    for k in range(2):  # one of them was a world before it was concealed again
        if k:
            resample(views[k], seat, derive(1, Purpose.PLAYOUT))
            table.game.rules.conceal(views[k], seat)
        out = np.zeros(DEEP.size, np.float32)
        observe(views[k], seat, DEEP.record, out)
        found = [out.tolist()]
        for action in legal.actions:
            one = np.zeros(DEEP.candidate_size, np.float32)
            observe_action(views[k], seat, int(action), DEEP.record, one)
            found.append(one.tolist())
        rows.append(found)
    assert rows[0] == rows[1]
