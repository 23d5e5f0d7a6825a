"""No client is sent anything that its seat may not know."""

import json
import random
from collections.abc import Iterator

import pytest

import kibitz
from kibitz.core.game import SPECTATOR, conceal
from kibitz.core.record import Record, parse_record
from kibitz.core.rng import Purpose, derive
from kibitz.core.table import Table
from kibitz.core.wording import speaking
from kibitz.host import Host
from kibitz.review.telling import Chronicle
from kibitz.web import documents
from kibitz.web.showing import shown_state
from tests.web.live import Json, Live, Tab, play_all

SPECS = ["nimmt:players=3,rows=free", "tichu", "sheephead", "connect4"]

WAITING = ("compiling what", "The rules are being prepared")
"""How notices begin that tell why something takes long: they know nothing of the game."""


def walk(spec: str, seed: int) -> Iterator[Host]:
    """Play a game of people at random; yield after every few actions."""
    game = kibitz.load_game(spec)
    host, pick = Host(game.deal(seed), [None] * game.n_seats), random.Random(seed)
    step = 0
    while not host.is_over:
        if step % 5 == 0:
            yield host
        seat = pick.choice(list(host.waiting))
        host.play(seat, pick.choice(host.legal(seat)))
        step += 1
    yield host


@pytest.mark.parametrize("spec", SPECS)
def test_a_snapshot_is_the_same_whatever_the_seat_cannot_see(spec: str) -> None:
    game = kibitz.load_game(spec)
    for step, host in enumerate(walk(spec, 11)):
        for seat in (SPECTATOR, *range(game.n_seats)):
            view = host.view(seat)
            with speaking("en", seat):
                told = json.dumps(shown_state(game, view, seat, host.decision(seat)))
                rng = derive(5, Purpose.PLAYOUT, step, seat + 1)
                world = game.resample(view, seat, rng)
                conceal(world, seat)
                assert json.dumps(shown_state(game, world, seat, host.decision(seat))) == told


def viewed(record: Record, seat: int) -> tuple[set[str], list[Json]]:
    """Return all pictures that a seat may see in a game, and all events that it may be told."""
    end = kibitz.replay(record)
    table = Table(end.game, end.origin, plays_forced=False)
    chronicle = Chronicle(end, seat)
    chronicle.follow()
    with speaking("en", seat):
        pictures = {json.dumps(documents.picture(end.game, table.view(seat), seat))}
        for who, text in record.actions:
            table.play(who, text)
            pictures.add(json.dumps(documents.picture(end.game, table.view(seat), seat)))
        events = [documents.event(end.game, one, seat) for one in chronicle.events]
    return pictures, json.loads(json.dumps(events))


def check(tab: Tab, seat: int, record: Record) -> None:
    """Compare all that a tab was sent with what the rules allow."""
    pictures, events = viewed(record, seat)
    heard = [told for told in tab.heard if told["is"] == "table"]
    assert heard
    for told in heard:
        if told["table"]["status"] != "open":
            assert json.dumps(told["picture"]) in pictures
        for event in told["events"]:
            assert event == events[event["number"] - 1]
        if told["table"]["status"] != "over":
            text = json.dumps(told)
            assert str(record.seed) not in text
            assert told["table"]["fairness"]["salt"] is None
    others = [told for told in tab.heard if told["is"] not in ("table", "done", "refused")]
    assert all(told["words"].startswith(WAITING) for told in others)


@pytest.mark.parametrize("spec", ["nimmt:players=3", "sheephead:hands=1", "tichu:match=round"])
def test_seats_spectators_and_those_who_come_back_get_what_conceal_allows(
    live: Live, spec: str
) -> None:
    people = [live.person() for _ in range(3)]
    n_seats = kibitz.load_game(spec).n_seats
    seats = [
        {"kind": "me"},
        {"kind": "open"},
        *[{"kind": "bot", "level": "casual"}] * (n_seats - 2),
    ]
    one = people[0].sit(spec, seats=seats)
    two, watcher = people[1].open(one.table), people[2].open(one.table)
    two.done(do="sit", seat=1)
    two.close()
    two = people[1].open(one.table, since=0)
    play_all([one, two], random.Random(4))
    watcher.now(lambda told: told["table"]["status"] == "over")
    record = parse_record(people[2].ask("GET", f"/api/tables/{one.table}/record")[2].decode())
    late = people[1].open(one.table)
    late.see()
    for tab, seat in ((one, 0), (two, 1), (late, 1), (watcher, SPECTATOR)):
        check(tab, seat, record)


def test_nothing_about_a_table_in_play_is_told_over_http(live: Live) -> None:
    person, stranger = live.person(), live.person()
    tab = person.sit("nimmt:players=3")
    tab.see()
    row = live.service.store.table(tab.table)
    assert row is not None
    paths = [f"/api/tables/{tab.table}", "/api/tables", "/api/mine", "/api/fairness"]
    paths += ["/api/results", "/api/results.csv", "/api/health"]
    for asker in (person, stranger):
        for path in paths:
            status, _, told = asker.ask("GET", path)
            assert status == 200
            assert str(row.seed).encode() not in told
            assert row.salt.encode() not in told
        assert asker.refused(f"/api/tables/{tab.table}/record", method="GET")[0] == 409
        again = asker.refused(f"/api/tables/{tab.table}/again", {"same_deal": True})
        assert "over" in again[1]
