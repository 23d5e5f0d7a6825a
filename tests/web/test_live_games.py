"""People play over real sockets: alone, together, watched, in two tabs, after a reload."""

import random

import pytest

from kibitz.core.record import parse_record, replay
from tests.web.live import Live, play_all

FOUR = ["nimmt:players=3", "connect4", "sheephead:hands=1", "tichu:match=round"]


@pytest.mark.parametrize("game", FOUR)
def test_a_person_plays_a_whole_game_against_bots(live: Live, game: str) -> None:
    person, pick = live.person(), random.Random(1)
    tab = person.sit(game)
    last = tab.play_on(pick.choice)
    status, _, line = person.ask("GET", f"/api/tables/{tab.table}/record")
    record = parse_record(line.decode())
    assert (status, record.seats[0]) == (200, "person")
    assert list(record.result or ()) == last["scores"] == replay(record).scores.tolist()
    numbers = [event["number"] for told in tab.heard for event in told.get("events", [])]
    assert numbers == list(range(1, last["last_event"] + 1))
    assert person.get("/api/mine")[0]["scores"] == last["scores"]


def test_a_decision_that_is_sent_twice_is_made_once(live: Live) -> None:
    tab = live.person().sit("connect4")
    shown = tab.see()
    play = {"do": "play", "decision": shown["decision"], "action": shown["choices"][0]["text"]}
    tab.done(**play)
    tab.done(**play)
    assert "already" in tab.do(**{**play, "action": shown["choices"][1]["text"]})["why"]
    assert "not come up" in tab.do(**{**play, "decision": 99})["why"]
    second = tab.now(lambda told: told["decision"] == 1)
    assert second["picture"]["moves"][0] == 1


def test_who_comes_back_is_told_what_has_happened_since(live: Live) -> None:
    person = live.person()
    tab = person.sit("nimmt:players=3")
    tab.play_on(random.Random(2).choice, most=4)
    half = tab.now(lambda told: told["decision"] == 4)
    tab.close()
    whole = person.open(tab.table).see()
    rest = person.open(tab.table, since=half["last_event"] - 2).see()
    assert whole["events"][half["last_event"] - 2 :] == rest["events"]
    assert whole["last_event"] == rest["last_event"] == len(whole["events"])
    assert person.open(tab.table, since=10**6).see()["events"] == []


def test_two_people_share_a_table_and_a_third_watches(live: Live) -> None:
    anna, ben, carl = live.person(), live.person(), live.person()
    seats = [{"kind": "me"}, {"kind": "open"}, {"kind": "bot", "level": "casual"}]
    one = anna.sit("nimmt:players=3", seats=seats)
    assert one.see()["table"]["status"] == "open"
    assert one.table in [table["id"] for table in ben.get("/api/tables")]
    two, three = ben.open(one.table), carl.open(one.table)
    two.done(do="sit", seat=1)
    assert two.now(lambda told: told["decision"] is not None)["table"]["you"] == 1
    watched = three.see(lambda told: told["table"]["status"] == "playing")
    assert (watched["table"]["you"], watched["picture"]["hand"]) == (-1, [])
    assert three.do(do="play", decision=0, action="1")["is"] == "refused"
    ends = play_all([one, two], random.Random(3))
    assert ends[0]["scores"] == ends[1]["scores"]
    last = three.see(lambda told: told["table"]["status"] == "over")
    assert last["scores"] == ends[0]["scores"]


def test_two_tabs_stay_in_step_and_the_fifth_closes_the_first(live: Live) -> None:
    person = live.person()
    one = person.sit("connect4")
    shown = one.see()
    two = person.open(one.table)
    assert two.see()["decision"] == shown["decision"]
    two.done(do="play", decision=shown["decision"], action="4")
    assert one.now(lambda told: told["decision"] != shown["decision"])["picture"]["moves"][0] == 4
    more = [person.open(one.table) for _ in range(3)]
    assert "other tabs" in one.until(lambda told: told["is"] == "gone")["why"]
    assert more[-1].see()["picture"]["moves"][0] == 4


def test_what_may_be_played_can_be_tried_without_playing_it(live: Live) -> None:
    tab = live.person().sit("connect4")
    shown = tab.see()
    good = tab.do(do="try", action=" 3")
    bad = tab.do(do="try", action="9")
    assert (good["is"], good["ok"], good["text"]) == ("tried", True, "3")
    assert (bad["is"], bad["ok"], bool(bad["why"])) == ("tried", False, True)
    assert tab.person.open(tab.table).see()["decision"] == shown["decision"]


def test_bots_alone_are_watched_at_a_pace(live: Live) -> None:
    tab = live.person().sit("connect4", watch=True)
    first = tab.see()
    assert (first["table"]["you"], first["decision"]) == (-1, None)
    assert {seat["kind"] for seat in first["table"]["seats"]} == {"bot"}
    assert tab.now(lambda told: told["last_event"] >= 1)["choices"] == []
    tab.close()


def test_a_hint_improves_until_it_is_final(live: Live) -> None:
    tab = live.person().sit("connect4")
    shown = tab.see()
    tab.done(do="hint")
    hint = tab.until(lambda told: told["is"] == "hint")
    assert hint["decision"] == shown["decision"]
    assert {one["text"] for one in hint["opinions"]} == {one["text"] for one in shown["choices"]}
    tab.done(do="stop-hint")
