"""Nothing that a client sends harms a table: it is refused in a sentence, and counted."""

import json
import random
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from tests.web.live import Live, Tab

NONSENSE = [
    "",
    "{",
    "null",
    "[]",
    '"play"',
    "{}",
    '{"do":"play"}',
    '{"do":"play","id":1}',
    '{"do":"play","id":1,"decision":null,"action":7}',
    '{"do":"play","id":-1,"decision":0,"action":"1"}',
    '{"do":"play","id":1,"decision":1e400,"action":"1"}',
    '{"do":"play","id":1,"decision":0,"action":"1","seat":1}',
    '{"do":"play","id":1,"decision":0,"action":"\\ud800"}',
    '{"do":"sit","id":1,"seat":99}',
    '{"do":"sit","id":1,"seat":"1"}',
    '{"do":"explode","id":1}',
    '{"do":"start","id":true}',
    "[" * 5000,
    '{"do":"try","id":1,"action":"' + "x" * 300 + '"}',
    "\u0000\ufffe\U0001f004",
]


@pytest.mark.parametrize("text", NONSENSE, ids=range(len(NONSENSE)))
def test_malformed_messages_are_refused_in_a_sentence(live: Live, text: str) -> None:
    tab = live.person().sit("connect4")
    shown = tab.see()
    tab.send(text)
    told = tab.until(lambda told: told["is"] == "refused")
    assert 0 < len(told["why"]) < 300
    assert "\n" not in told["why"]
    tab.done(do="play", decision=shown["decision"], action="4")


def random_message(pick: random.Random) -> str:
    """Make something that looks like a message, or nearly."""
    values: list[object] = [
        None,
        True,
        -1,
        0,
        1,
        2**60,
        1.5,
        "",
        "1",
        "pass",
        "🂡",
        "x" * 250,
        [],
        {},
        [[]],
    ]
    names = ["play", "try", "sit", "start", "leave!", "back", "claim", "hint", "stop-hint", "?"]
    keys = ["do", "id", "decision", "action", "seat", "game", "constructor", ""]
    message = {key: pick.choice(values) for key in pick.sample(keys, pick.randrange(1, 6))}
    if pick.random() < 0.7:
        message |= {"do": pick.choice(names), "id": pick.randrange(100)}
    text = json.dumps(message)
    return text[: pick.randrange(len(text))] if pick.random() < 0.2 else text


@pytest.mark.parametrize("seed", range(3))
def test_a_table_survives_random_messages(live: Live, seed: int) -> None:
    pick, people = random.Random(seed), [live.person(), live.person()]
    tab = people[0].sit("nimmt:players=2")
    stranger = people[1].open(tab.table)
    for sender in (tab, stranger):
        for _ in range(60):
            sender.send(random_message(pick))
        sender.say(do="try", action="nonsense")
        sender.until(lambda told: told["is"] in ("tried", "refused") and told["id"] is not None)
    assert people[0].open(tab.table).see()["table"]["status"] in ("playing", "over")


def test_foreign_seats_and_illegal_actions_are_refused(live: Live) -> None:
    tab = live.person().sit("nimmt:players=3")
    shown = tab.see()
    hand = {choice["text"] for choice in shown["choices"]}
    missing = next(str(card) for card in range(1, 105) if str(card) not in hand)
    told = tab.do(do="play", decision=0, action=missing)
    assert (told["is"], bool(told["why"])) == ("refused", True)
    stranger = live.person().open(tab.table)
    for wish in ("start", "back", "claim", "hint"):
        assert stranger.do(do=wish)["is"] == "refused"
    assert "only players" in stranger.do(do="play", decision=0, action=hand.pop())["why"]


def flood(tab: Tab, n: int) -> None:
    """Send more than anybody can mean, and hear what comes of it."""
    for number in range(n):
        tab.send(json.dumps({"do": "try", "id": number, "action": "1"}))
    tab.until(lambda told: False)


def test_floods_are_slowed_and_then_cut_off(strict: Live) -> None:
    person = strict.person()
    tab = person.sit("connect4")
    tab.see()
    before = strict.service.limits.refused["too fast"]
    with pytest.raises(ConnectionClosed):
        flood(tab, 5000)
    assert strict.service.limits.refused["too fast"] > before
    assert person.open(tab.table).see()["decision"] == 0


def test_a_huge_message_ends_the_connection_and_nothing_else(live: Live) -> None:
    person = live.person()
    tab = person.sit("connect4")
    tab.see()
    tab.send("x" * 100_000)
    with pytest.raises(ConnectionClosed):
        tab.until(lambda told: False)
    assert person.open(tab.table).see()["decision"] == 0


def test_pages_of_other_sites_are_refused(live: Live) -> None:
    person = live.person()
    tab = person.sit("connect4")
    with pytest.raises(InvalidStatus):
        person.open(tab.table, Origin="https://evil.example")
    assert person.open(tab.table, Origin=f"http://127.0.0.1:{live.port}").see()
    status, _, told = person.ask("POST", "/api/tables", {"game": "nimmt"}, Origin="https://e.org")
    assert (status, "another address" in json.loads(told)["detail"]) == (403, True)


def test_a_name_of_another_site_is_refused(tmp_path: Path) -> None:
    live = Live(tmp_path, hosts=("127.0.0.1", "localhost")).start()
    person = live.person()
    assert person.ask("GET", "/api/me", Host="rebound.example")[0] == 400
    live.stop()


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"game": "chess"}, "unknown game"),
        ({"game": "nimmt:players=99"}, "players=99"),
        ({"game": 7}, "game: expected text"),
        ({}, "game: it is missing"),
        ({"game": "nimmt", "level": "god"}, "has no level god"),
        ({"game": "connect4", "seats": [{"kind": "me"}]}, "has 2 seats"),
        ({"game": "connect4", "seats": [{"kind": "me"}] * 2}, "one seat only"),
        ({"game": "connect4", "seats": [{"kind": "cat"}] * 2}, "expected 'me', 'open' or 'bot'"),
        ({"game": "connect4", "same_deal_as": "nothing"}, "no such table"),
        ({"game": "connect4", "cheat": True}, "there is no such field"),
        (b"{", "not JSON"),
        (b"[]", "expected an object in braces"),
    ],
)
def test_what_a_new_table_may_be_is_said_in_a_sentence(live: Live, body: object, said: str) -> None:
    status, why = live.person().refused("/api/tables", body)
    assert 400 <= status < 500
    assert said in why


def test_requests_that_are_too_long_are_refused(live: Live) -> None:
    person = live.person()
    assert person.refused("/api/tables", b" " * 100_000)[0] == 413


def test_tables_and_games_that_do_not_exist_are_not_found(live: Live) -> None:
    person = live.person()
    for path in ("/api/tables/nothing", "/api/daily/chess"):
        assert person.refused(path, method="GET")[0] == 404
    assert "no such table" in person.open("nothing").hear()["why"]
    assert person.ask("GET", "/api/nothing")[0] == 404


def test_forged_cookies_make_a_new_guest(live: Live) -> None:
    person = live.person()
    name, _, value = person.cookie.partition("=")
    first = person.me["id"]
    person.cookie = f"{name}={value[:-3]}abc"
    assert person.get("/api/me")["id"] != first
