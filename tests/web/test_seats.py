"""Who sits where: covers, coming back, leaving, bots that fail."""

import random
import time
from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.web.live import Live, Person, Tab, play_all


@pytest.fixture(scope="module")
def hasty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """Run a server that waits for nobody."""
    folder = tmp_path_factory.mktemp("hasty")
    server = Live(folder, patience=2.0, absence=1.0, clock_step=0.1).start()
    yield server
    server.stop()


def pair(live: Live, game: str = "connect4") -> tuple[Tab, Tab]:
    """Seat two people at a table."""
    one = live.person().sit(game, seats=[{"kind": "me"}, {"kind": "open"}])
    two = live.person().open(one.table)
    two.done(do="sit", seat=1)
    return one, two


def test_an_idle_seat_is_covered_by_a_bot_and_taken_back(hasty: Live) -> None:
    one, two = pair(hasty)
    covered = two.now(lambda told: told["table"]["seats"][0]["covered"])
    assert any("away" in told["words"] for told in two.heard if told["is"] == "notice")
    assert covered["table"]["seats"][0]["kind"] == "person"
    assert "take your seat back" in one.do(do="play", decision=0, action="4")["why"]
    one.done(do="back")
    mine = one.now(lambda told: not told["table"]["seats"][0]["covered"])
    codes = [event["message"]["code"] for told in one.heard for event in told.get("events", [])]
    assert codes.count("host.sits-down") >= 2
    assert mine["table"]["you"] == 0
    assert "your seat" in one.do(do="back")["why"]


def test_nobody_is_covered_where_nobody_waits(hasty: Live) -> None:
    tab = hasty.person().sit("connect4")
    tab.see()
    tab.close()
    time.sleep(2.5)
    shown = tab.person.open(tab.table).see()
    assert (shown["decision"], shown["table"]["seats"][0]["covered"]) == (0, False)


def test_who_leaves_is_replaced_for_good_and_the_game_counts(live: Live) -> None:
    one, two = pair(live)
    shown = one.now(lambda told: told["decision"] == 0)
    one.done(do="play", decision=shown["decision"], action="4")
    one.done(do="leave")
    assert "left" in one.do(do="back")["why"]
    play_all([two], random.Random(1))
    (result,) = [row for row in live.service.store.results() if row.guest_id == one.person.me["id"]]
    assert result.table_id == one.table
    assert 0 < result.share < 1


def test_who_leaves_a_table_that_has_not_begun_frees_the_seat(live: Live) -> None:
    seats = [{"kind": "me"}, {"kind": "open"}, {"kind": "open"}]
    one = live.person().sit("nimmt:players=3", seats=seats)
    two = live.person().open(one.table)
    two.done(do="sit", seat=1)
    one.done(do="leave")
    shown = two.now(lambda told: told["table"]["owner"])
    assert [seat["kind"] for seat in shown["table"]["seats"]] == ["open", "person", "open"]
    two.done(do="sit", seat=0)
    two.done(do="leave")
    assert "closed" in one.until(lambda told: told["is"] == "gone")["why"]
    assert two.person.refused(f"/api/tables/{one.table}", method="GET")[0] == 404


def test_the_owner_begins_with_bots_and_nobody_else_does(live: Live) -> None:
    one = live.person().sit("connect4", seats=[{"kind": "me"}, {"kind": "open"}])
    two = live.person().open(one.table)
    assert "only who made" in two.do(do="start")["why"]
    one.done(do="start")
    shown = one.now(lambda told: told["table"]["status"] == "playing")
    assert [seat["kind"] for seat in shown["table"]["seats"]] == ["person", "bot"]
    assert "begun" in two.do(do="sit", seat=1)["why"]


def test_a_bot_that_fails_is_replaced_and_the_table_told(live: Live) -> None:
    one = live.person().sit("connect4", seats=[{"kind": "me"}, {"kind": "open"}])
    one.done(do="start")
    room = live.service.tables.rooms[one.table]
    row = room.seats[1]
    broken = replace(row, spec="no-such-agent")
    room.row = replace(room.row, seats=(room.seats[0], broken))
    shown = one.now(lambda told: told["decision"] == 0)
    one.say(do="play", decision=shown["decision"], action="4")
    assert "replaced" in one.until(lambda told: told["is"] == "notice")["words"]
    assert one.now(lambda told: told["decision"] == 1)["picture"]["moves"][0] == 4
    assert live.service.store.table(one.table).seats[1].spec == "random"  # type: ignore[union-attr]


def listed(person: Person) -> list[str]:
    return [table["id"] for table in person.get("/api/tables")]


def test_a_private_table_is_found_by_its_link_alone(live: Live) -> None:
    seats = [{"kind": "me"}, {"kind": "open"}]
    owner, other = live.person(), live.person()
    made = owner.post("/api/tables", {"game": "connect4", "seats": seats, "private": True})
    assert made["private"]
    assert made["id"] not in listed(owner) + listed(other)
    tab = other.open(made["id"])
    assert tab.see()["table"]["private"]
    tab.done(do="sit", seat=1)
    assert tab.now(lambda told: told["table"]["status"] == "playing")["table"]["you"] == 1


def test_who_made_a_table_takes_it_out_of_the_lobby_and_puts_it_back(live: Live) -> None:
    owner, other = live.person(), live.person()
    own = owner.sit("connect4", seats=[{"kind": "me"}, {"kind": "open"}])
    theirs = other.open(own.table)
    assert own.table in listed(other)
    assert "only who made the table" in theirs.do(do="hide", hidden=True)["why"]
    own.done(do="hide", hidden=True)
    assert theirs.now(lambda told: told["table"]["private"])["table"]["status"] == "open"
    assert own.table not in listed(other)
    own.done(do="hide", hidden=False)
    assert own.table in listed(other)


def test_bots_that_are_watched_privately_are_not_listed(live: Live) -> None:
    owner, other = live.person(), live.person()
    tables = [
        owner.post("/api/tables", {"game": "connect4", "watch": True, "private": private})["id"]
        for private in (True, False)
    ]
    for table in tables:
        owner.open(table).see()
    assert [table in listed(other) for table in tables] == [False, True]
