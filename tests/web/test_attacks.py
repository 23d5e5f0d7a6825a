"""What somebody who means harm has tried: nothing of it may work a second time."""

import asyncio
import json
import random
import socket
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from kibitz.core.errors import StoreError
from kibitz.web.importing import MOST_WAITING, Turns
from kibitz.web.refusals import Refused
from tests.web.live import Live
from tests.web.test_lookback import LOG, bring, record_of

TWO = [{"kind": "me"}, {"kind": "open"}]


def raw(live: Live, request: str) -> bytes:
    """Send bytes that no browser sends; return the first line of the answer."""
    with socket.create_connection(("127.0.0.1", live.port), 10) as line:
        line.sendall(request.replace("\n", "\r\n").encode())
        return line.recv(65536).partition(b"\r\n")[0]


SOCKET = (
    "Upgrade: websocket\nConnection: Upgrade\nSec-WebSocket-Version: 13\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\n"
)


@pytest.mark.parametrize("upgrade", ["", SOCKET], ids=["request", "socket"])
@pytest.mark.parametrize(
    "headers", ["Host: [::1\n", "Host: 127.0.0.1\nOrigin: http://[\n"], ids=["host", "origin"]
)
def test_addresses_that_are_none_are_refused(tmp_path: Path, headers: str, upgrade: str) -> None:
    live = Live(tmp_path, hosts=("127.0.0.1",)).start()
    path = "/api/tables/x/socket" if upgrade else "/api/tables"
    said = raw(live, f"{'GET' if upgrade else 'POST'} {path} HTTP/1.1\n{headers}{upgrade}\n")
    live.stop()
    assert said.split()[1] in (b"400", b"403")


def test_a_page_whose_name_no_file_can_have_is_not_found(live: Live) -> None:
    assert live.person().ask("GET", "/static/%00")[0] == 404


def test_the_deal_of_today_is_not_told_by_dealing_it_again(live: Live) -> None:
    anna, ben = live.person(), live.person()
    table = anna.post("/api/daily/nimmt")["id"]
    anna.open(table).play_on(random.Random(1).choice)
    for asker in (anna, ben):
        again = asker.refused(f"/api/tables/{table}/again", {"same_deal": True})
        other = asker.refused("/api/tables", {"game": "nimmt", "same_deal_as": table})
        assert again == other
        assert "day is over" in again[1]


def test_the_deal_of_today_is_not_told_to_strangers_by_its_review(live: Live) -> None:
    anna, ben = live.person(), live.person()
    table = anna.post("/api/daily/nimmt")["id"]
    anna.open(table).play_on(random.Random(1).choice)
    for path in ("review", "review?seat=-1", "review?seat=0", "replay", "opinions?move=1"):
        assert ben.refused(f"/api/tables/{table}/{path}", method="GET")[0] == 403


def test_cards_that_come_from_no_seed_are_not_dealt_again(live: Live) -> None:
    person = live.person()
    table = person.post("/api/import", {"text": LOG.read_text()})["tables"][0]["id"]
    assert "no seed" in person.refused(f"/api/tables/{table}/again", {"same_deal": True})[1]


def test_names_in_records_are_put_on_one_line(live: Live) -> None:
    record = json.loads(record_of("connect4", "random"))
    record["seats"] = ["<b>\u202eeve\n\u001b[31m", "\u0000"]
    told = live.person().post("/api/import", {"text": json.dumps(record)})
    names = [seat["name"] for seat in told["tables"][0]["seats"]]
    assert names == ["<b>eve [31m", "1"]


def test_who_waits_at_a_room_that_breaks_plays_nothing(
    live: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    people = [live.person(), live.person()]
    one = people[0].sit("nimmt:players=2", seats=TWO)
    two = people[1].open(one.table)
    two.done(do="sit", seat=1)
    shown = [tab.now(lambda told: told["decision"] == 0) for tab in (one, two)]
    room = live.service.tables.rooms[one.table]
    write, failures = room.write, ["the disk is full"]

    async def fail_once(*jobs: Any) -> None:
        if failures:
            await asyncio.sleep(0.3)
            raise StoreError(failures.pop())
        await write(*jobs)

    monkeypatch.setattr(room, "write", fail_once)
    for tab, told in zip((one, two), shown, strict=True):
        tab.say(do="play", decision=0, action=told["choices"][0]["text"])
    for tab in (one, two):
        with pytest.raises(ConnectionClosed):
            tab.until(lambda told: False)
    assert live.service.store.actions(one.table) == []
    for person, told in zip(people, shown, strict=True):
        person.open(one.table).done(do="play", decision=0, action=told["choices"][0]["text"])


def test_what_a_full_disk_says_is_not_for_guests(
    live: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    person = live.person()

    async def fail(*jobs: object) -> None:
        raise StoreError("database /secret/place: the disk is full")

    monkeypatch.setattr(live.service.tables.writer, "write", fail)
    status, why = person.refused("/api/tables", {"game": "connect4"})
    assert (status, "secret" in why) == (503, False)


def test_positions_that_are_none_do_not_wear_out_the_coaches(live: Live) -> None:
    person = live.person()
    before = live.service.workers.pids
    for position in ("connect4 zz", "chess 1", "nimmt:players=99 x", ""):
        assert person.refused("/api/analysis", {"position": position})[0] == 422
    assert live.service.workers.pids == before


def test_games_that_are_too_long_to_look_back_at_are_refused(live: Live) -> None:
    record = json.loads(record_of("connect4", "random"))
    record["actions"] *= 2000
    told = live.person().post("/api/import", {"text": json.dumps(record)})
    assert (told["tables"], "too long" in told["refused"][0]) == ([], True)


def test_one_guest_cannot_have_all_tables(live: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kibitz.web.tables.MOST_UNFINISHED", 8)
    one, two = live.person(), live.person()
    made = {one.post("/api/tables", {"game": "connect4", "seats": TWO})["id"] for _ in range(8)}
    assert "not over" in one.refused("/api/tables", {"game": "connect4"})[1]
    other = two.post("/api/tables", {"game": "connect4", "seats": TWO})["id"]
    listed = [table["id"] for table in two.get("/api/tables")]
    assert (other in listed, len(made & set(listed))) == (True, 5)


def test_one_guest_cannot_have_all_reviews(live: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kibitz.web.reviews.MOST_OWN", 1)
    one, two = live.person(), live.person()
    tables = [bring(one, "nimmt:players=4", "random", seed) for seed in (1, 2)]
    assert one.get(f"/api/tables/{tables[0]}/review?seat=0")["status"] == "running"
    assert one.refused(f"/api/tables/{tables[1]}/review?seat=0", method="GET")[0] == 503
    assert two.get(f"/api/tables/{tables[1]}/review?seat=0")["status"] == "running"


def test_only_so_many_imports_wait() -> None:
    async def crowd() -> list[bool]:
        turns, go_on = Turns(), asyncio.Event()

        async def bring_something() -> bool:
            try:
                async with turns.wait():
                    await go_on.wait()
            except Refused:
                go_on.set()
                return False
            return True

        return await asyncio.gather(*(bring_something() for _ in range(MOST_WAITING + 2)))

    assert asyncio.run(crowd()) == [True] * (MOST_WAITING + 1) + [False]


def test_one_guest_cannot_keep_all_coaches(live: Live) -> None:
    person = live.person()
    tabs = [person.sit("nimmt:players=4") for _ in range(4)]
    for tab in tabs:
        tab.now(lambda told: told["decision"] == 0)
        tab.done(do="hint")
    lines = [live.service.tables.rooms[tab.table].lines[0] for tab in tabs]
    assert [line.hint is None for line in lines] == [True, True, False, False]
