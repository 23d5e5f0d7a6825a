"""The same moment for everybody after a play, whoever could answer it."""

import itertools
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import kibitz
from kibitz.store import play as rows
from kibitz.store.play import SeatRow, TableRow
from kibitz.web.levels import find_level
from kibitz.web.seats import bot
from kibitz.web.tables import new_id
from tests.games.tichu_hands import position
from tests.web.faulty import LINGERS
from tests.web.live import Json, Live, Tab

PACE = 0.5  # pauses of half a second after a play, and a fifth after a pass
LONGEST = 2.0
EARLY, LATE = 0.2, 1.0  # seconds by which messages may come so at a busy machine

# Seat 0 leads. Both bots must pass on a king; seat 2 has a choice in its turn, by the ace.
BOMB = ("KR KG 2R 2G 3B", "5S 6R 7G 8B TR", "9R 9G 9B 9S AG 4R", "5R 6G 7B 8S TG")
NO_BOMB = ("KR KG 2R 2G 3B", "9S 6R 7G 8B TR", "9R 9G 9B 5S AG 4R", "5R 6G 7B 8S TG")
NINES = "9R 9G 9B 9S"

# The same with the bomb, or none, at the bot after seat 0, which has a choice by its ace.
BOT_BOMB = ("KR KG 2R 2G 3B", "9R 9G 9B 9S AG 4R", "5S 6R 7G 8B TR", "5R 6G 7B 8S TG")
BOT_NO_BOMB = ("KR KG 2R 2G 3B", "9R 9G 9B 5S AG 4R", "9S 6R 7G 8B TR", "5R 6G 7B 8S TG")


@pytest.fixture(scope="module")
def slow(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """Run a server with pauses that can be measured."""
    folder = tmp_path_factory.mktemp("slow")
    server = Live(folder, pace=PACE, most_wait=LONGEST).start()
    yield server
    server.stop()


def seat_two(live: Live, hands: tuple[str, ...], spec: str = "") -> tuple[Tab, Tab]:
    """Seat two people at 0 and 2, and bots between them, at a table with these cards."""
    game = kibitz.load_game("tichu:match=round", "people")
    people = [live.person(), live.person()]
    level = find_level("tichu", "casual")
    assert level is not None
    level = replace(level, spec=spec or level.spec)
    seats = [bot(seat, level) for seat in range(4)]
    for seat, person in ((0, people[0]), (2, people[1])):
        seats[seat] = SeatRow(seat, "person", person.me["id"], f"Person {seat}")
    state = position(*hands, match="round")
    state.won[0], state.tricks[0] = 50, 9
    dealt = game.text.format_position(state)
    row = TableRow(
        id=new_id(),
        game=game.spec,
        game_version=game.facts.version,
        level=level.name,
        owner=people[0].me["id"],
        status="playing",
        seed=7,
        salt="salt",
        notes={"deals": [dealt]},
        seats=tuple(seats),
    )
    live.service.store.write([rows.add_table(row)])
    one, two = (person.open(row.id) for person in people)
    one.now(lambda told: all(told["table"]["seats"][seat]["online"] for seat in (0, 2)))
    two.see()
    return one, two


def play(tab: Tab, shown: Json, action: str) -> None:
    """Play what was shown to be possible."""
    tab.done(do="play", decision=shown["decision"], action=action)


def lead(one: Tab) -> Json:
    """Lead the king; return the moment that follows."""
    play(one, one.now(lambda told: told["decision"] is not None), "KR")
    return one.now(lambda told: told["pause"] is not None)


def is_asked(phase: str) -> Any:
    """Return what finds snapshots that ask for a decision in a phase."""
    return lambda told: told["decision"] is not None and told["picture"]["phase"] == phase


def stream(live: Live, hands: tuple[str, ...], *, is_quick: bool) -> tuple[list[Json], list[float]]:
    """Play a trick; return what seat 0 is shown after its lead until its next one, and when."""
    one, two = seat_two(live, hands)
    lead(one)
    n_before, times = len(one.heard) - 1, [time.monotonic()]
    if is_quick and hands == BOMB:
        play(two, two.now(is_asked("window")), "pass")
    while one.heard[-1].get("decision") is None:
        one.hear()
        times.append(time.monotonic())
        if one.heard[-1].get("waiting") == [2]:
            play(two, two.now(is_asked("turn")), "pass")
    heard = [told for told in one.heard[n_before:] if told["is"] == "table"]
    return [{**told, "table": told["table"]["status"]} for told in heard], times


@pytest.mark.parametrize("is_quick", [False, True])
def test_a_seat_is_told_the_same_at_the_same_time_whoever_holds_a_bomb(
    slow: Live, is_quick: bool
) -> None:
    plain, plain_times = stream(slow, NO_BOMB, is_quick=is_quick)
    bombs, bomb_times = stream(slow, BOMB, is_quick=is_quick)
    assert bombs == plain
    pauses = [told["pause"] for told in plain]
    assert pauses == [500, 200, None, 200, 200, None]
    assert [told["waiting"] for told in plain] == [[], [], [2], [], [], [0]]
    due = list(itertools.accumulate((pause or 0) / 1000 for pause in [0, *pauses[:-1]]))
    for times in (plain_times, bomb_times):
        late = [at - times[0] - wanted for at, wanted in zip(times, due, strict=True)]
        assert all(-EARLY < off < LATE for off in late), late


@pytest.fixture
def lingering(tmp_path: Path, faulty_agents: None) -> Iterator[Live]:
    """Run a server that knows a bot that thinks long about bombs."""
    server = Live(tmp_path, pace=PACE).start()
    yield server
    server.stop()


def test_a_bot_that_thinks_long_about_a_bomb_is_not_told_by_that(lingering: Live) -> None:
    streams = []
    for hands in (BOT_NO_BOMB, BOT_BOMB):
        one, _ = seat_two(lingering, hands, "faulty:how=linger")
        lead(one)
        began, heard = time.monotonic(), []
        while one.heard[-1]["waiting"] != [0]:
            heard.append((one.heard[-1]["pause"], one.heard[-1]["waiting"]))
            one.hear()
        assert time.monotonic() - began < LINGERS
        streams.append(heard)
    assert streams[0] == streams[1]


def test_who_holds_a_bomb_lays_it_in_the_pause_and_others_see_it_when_it_is_over(
    slow: Live,
) -> None:
    one, two = seat_two(slow, BOMB)
    lead(one)
    began = time.monotonic()
    offered = two.now(is_asked("window"))
    assert [choice["text"] for choice in offered["choices"]] == ["pass", NINES]
    assert offered["extra"] == []
    play(two, offered, NINES)
    assert two.now(lambda told: told["decision"] is None)["picture"]["table"]["cards"] == ["KR"]
    shown = one.see()
    assert shown["picture"]["table"]["cards"] == NINES.split()
    assert shown["events"][-1]["seat"] == 2
    assert time.monotonic() - began > 0.5 - EARLY


def test_who_asks_for_more_time_gets_it_and_no_more_than_that(slow: Live) -> None:
    one, two = seat_two(slow, BOMB)
    lead(one)
    two.now(is_asked("window"))
    two.done(do="wait")
    assert two.now(lambda told: told["pause"] > 500)["decision"] is not None
    assert one.see_soon(1.0) is None
    play(two, two.now(is_asked("window")), NINES)
    assert one.see()["picture"]["holder"] == 2
    other, third = seat_two(slow, BOMB)
    lead(other)
    began = time.monotonic()
    third.now(is_asked("window"))
    third.done(do="wait")
    assert other.see()["picture"]["turn"] == 2
    assert LONGEST - EARLY < time.monotonic() - began < LONGEST + LATE


@pytest.mark.parametrize("hands", [BOMB, NO_BOMB])
def test_nobody_else_may_do_anything_in_a_pause(slow: Live, hands: tuple[str, ...]) -> None:
    one, _ = seat_two(slow, hands)
    shown = lead(one)
    assert (shown["decision"], shown["choices"], shown["extra"]) == (None, [], [])
    made = next(n for n in range(20) if one.do(do="play", decision=n, action="KR")["is"] == "done")
    for decision in (made + 1, made + 2, None):
        for action in ("pass", "KG", "tichu"):
            why = one.do(do="play", decision=decision, action=action)["why"]
            assert "not come up" in why
    assert "not come up" in one.do(do="try", action="pass")["why"]
    assert "nothing to decide" in one.do(do="hint")["why"]
    assert "not come up" in one.do(do="claim")["why"]
    one.done(do="wait")
    assert one.now(lambda told: told["waiting"] == [2])["picture"]["turn"] == 2


def test_a_table_goes_on_after_a_restart_in_a_pause(tmp_path: Path) -> None:
    live = Live(tmp_path, pace=PACE).start()
    one, two = seat_two(live, BOMB)
    lead(one)
    two.now(is_asked("window"))
    live.stop()
    live.start()
    again = one.person.open(one.table)
    assert again.now(lambda told: told["waiting"] == [2])["picture"]["turn"] == 2
    again.close()
    live.stop()


def test_who_comes_back_in_a_pause_is_shown_the_same_moment(slow: Live) -> None:
    one, _ = seat_two(slow, NO_BOMB)
    shown = lead(one)
    again = one.person.open(one.table, since=shown["last_event"]).see()
    assert again["picture"] == shown["picture"]
    assert (again["events"], again["last_event"]) == ([], shown["last_event"])
    assert 0 <= again["pause"] <= 500


def test_a_person_among_bots_waits_for_nobody(slow: Live) -> None:
    one, two = seat_two(slow, NO_BOMB)
    two.done(do="leave")
    play(one, one.now(lambda told: told["decision"] is not None), "KR")
    one.now(lambda told: told["decision"] is not None)
    assert all(told["pause"] is None for told in one.heard if told["is"] == "table")
