"""Looking back: replays, reviews, opinions, trying again, practice, imports, analysis."""

import json
import re
import time
from pathlib import Path
from typing import Any

import pytest

import kibitz
from kibitz.core.game import SPECTATOR, conceal
from kibitz.core.table import Origin, Table
from kibitz.host import Host
from kibitz.review.following import Follower
from kibitz.web import documents
from tests.web.live import Live, Person

LOG = Path(__file__).parents[1] / "games" / "tichu.tch"


def record_of(spec: str, bot: str, seed: int = 5) -> str:
    """Return the record of a game that bots have played."""
    game = kibitz.load_game(spec)
    host = Host(game.deal(seed=seed), [kibitz.load_agent(bot, game)] * game.n_seats)
    host.advance()
    return host.record().to_line()


def bring(person: Person, spec: str, bot: str, seed: int = 5) -> str:
    """Import a game; return the id of its table."""
    brought = person.post("/api/import", {"text": record_of(spec, bot, seed)})
    assert brought["refused"] == []
    (table,) = brought["tables"]
    return str(table["id"])


def wait_for_review(person: Person, table: str, seat: int) -> Any:
    ends = time.monotonic() + 120  # what is not compiled yet takes long
    while time.monotonic() < ends:
        state = person.get(f"/api/tables/{table}/review?seat={seat}")
        if state["status"] in ("done", "failed"):
            return state
        time.sleep(0.1)
    raise AssertionError("the review never ended")


@pytest.fixture(scope="module")
def person(live: Live) -> Person:
    """Somebody who looks back."""
    return live.person()


@pytest.fixture(scope="module")
def reviewed(person: Person) -> tuple[str, Any]:
    """A game of Connect 4 by players without a plan, and the review of its first seat."""
    table = bring(person, "connect4", "random")
    return table, wait_for_review(person, table, 0)


@pytest.mark.parametrize(
    ("spec", "bot"), [("connect4", "random"), ("nimmt:players=3,rows=free", "closest")]
)
def test_a_replay_shows_what_a_seat_saw(person: Person, spec: str, bot: str) -> None:
    table = bring(person, spec, bot)
    game = kibitz.load_game(spec)
    played = kibitz.replay(kibitz.parse_record(record_of(spec, bot)))
    for viewer in (0, 1, SPECTATOR):
        shown = person.get(f"/api/tables/{table}/replay?seat={viewer}")
        follower = Follower(played)
        states = [follower.state.copy(), *(follower.state.copy() for _ in follower.steps())]
        assert (shown["seat"], shown["open"]) == (viewer, False)
        assert len(shown["steps"]) == len(states)
        for step, state in zip(shown["steps"], states, strict=True):
            conceal(state, viewer)
            assert step["picture"] == documents.picture(game, state, viewer)
            assert step["position"] == game.format(state)


def test_open_cards_are_shown_only_when_they_are_asked_for(person: Person) -> None:
    table = bring(person, "nimmt:players=3,rows=free", "closest")
    hidden = person.get(f"/api/tables/{table}/replay?seat=0")["steps"][0]["picture"]
    shown = person.get(f"/api/tables/{table}/replay?seat=0&open=true")["steps"][0]["picture"]
    assert [hand is None for hand in hidden["hands"]] == [False, True, True]
    assert all(len(hand) == 10 for hand in shown["hands"])


def test_nothing_is_told_of_a_table_that_is_played(live: Live) -> None:
    person, other = live.person(), live.person()
    tab = person.sit("nimmt:players=3")
    for who in (person, other):
        for path in ("replay", "replay?open=true", "review?seat=1", "opinions?move=1"):
            status, _ = who.refused(f"/api/tables/{tab.table}/{path}", method="GET")
            assert status == 409
        wish = {"move": 1, "action": "5"}
        assert who.refused(f"/api/tables/{tab.table}/try", wish)[0] == 409


def test_a_daily_deal_is_kept_secret_while_others_may_play_it(live: Live) -> None:
    person = live.person()
    table = person.post("/api/daily/connect4", {})["id"]
    told = person.open(table).play_on(lambda choices: choices[0])
    assert person.get(f"/api/tables/{table}/replay")["seat"] == told["table"]["you"]
    assert person.refused(f"/api/tables/{table}/replay?open=true", method="GET")[0] == 403
    assert live.person().refused(f"/api/tables/{table}/replay?seat=0", method="GET")[0] == 403


def test_a_review_finds_mistakes_and_is_kept(person: Person, reviewed: tuple[str, Any]) -> None:
    table, state = reviewed
    assert (state["status"], state["kind"], state["luck"]) == ("done", "win", None)
    assert state["done"] == state["total"] == len(state["decisions"]) > 5
    dear = [one for one in state["decisions"] if one["size"]]
    assert dear
    assert all(one["loss"] >= 0.05 and one["best"] != one["played"] for one in dear)
    assert len(state["bots"]["scores"]) >= 1
    assert person.get(f"/api/tables/{table}/review?seat=0") == state


def test_the_first_mistake_is_there_in_five_seconds(live: Live) -> None:
    person = live.person()
    first = bring(person, "sheephead", "random", seed=2)
    wait_for_review(person, first, 1)  # on a new machine, this compiles what is needed
    table = bring(person, "sheephead:hands=10", "random", seed=3)
    began = time.monotonic()
    while time.monotonic() < began + 5:
        state = person.get(f"/api/tables/{table}/review?seat=1")
        if any(one["size"] for one in state["decisions"]):
            break
        time.sleep(0.05)
    assert any(one["size"] for one in state["decisions"])


def test_trying_again_tells_how_good_it_is_and_not_what_is_best(
    person: Person, reviewed: tuple[str, Any]
) -> None:
    table, state = reviewed
    wrong = max(state["decisions"], key=lambda one: one["loss"] or 0)
    address = f"/api/tables/{table}/try"
    again = person.post(address, {"move": wrong["move"], "action": wrong["played"]})
    assert (again["size"], again["loss"]) == (wrong["size"], wrong["loss"])
    assert set(again) == {"size", "loss", "error", "words"}
    right = person.post(address, {"move": wrong["move"], "action": wrong["best"]})
    assert (right["size"], right["words"]) == ("best", "That is what the coach would play.")
    status, why = person.refused(address, {"move": wrong["move"], "action": "9"})
    assert (status, "9" in why) == (422, True)
    assert person.refused(address, {"move": 999, "action": "1"})[0] == 404


def test_opinions_of_a_decision_name_every_action(
    person: Person, reviewed: tuple[str, Any]
) -> None:
    table, _ = reviewed
    seen = person.get(f"/api/tables/{table}/opinions?move=1")
    assert (seen["move"], seen["seat"], seen["open"]) == (1, 0, False)
    assert {one["text"] for one in seen["hint"]["opinions"]} == set("1234567")
    assert seen["hint"]["final"]


def test_open_cards_change_what_is_best(person: Person) -> None:
    table = bring(person, "nimmt:players=2", "closest")
    hidden, shown = (
        person.get(f"/api/tables/{table}/opinions?move=3&open={word}") for word in ("false", "true")
    )
    assert (hidden["open"], shown["open"]) == (False, True)
    assert shown["hint"]["coach"].startswith("open")
    values = [
        {one["text"]: one["value"] for one in two["hint"]["opinions"]} for two in (hidden, shown)
    ]
    assert set(values[0]) == set(values[1])
    assert values[0] != values[1]


def test_mistakes_are_practised_until_they_are_right(live: Live) -> None:
    person = live.person()
    table = bring(person, "connect4", "random", seed=8)
    state = wait_for_review(person, table, 0)
    deck = person.get("/api/practice")
    wrong = {one["move"]: one for one in state["decisions"] if one["size"]}
    dearest = sorted((one["loss"] for one in wrong.values()), reverse=True)
    assert [card["loss"] for card in deck] == dearest[:10]
    assert {card["move"] for card in deck} <= set(wrong)
    first = deck[0]
    assert (first["right"], first["picture"]["game"], bool(first["choices"])) == (
        0,
        "connect4",
        True,
    )
    best = wrong[first["move"]]["best"]
    assert person.post(f"/api/practice/{first['id']}", {"action": best})["size"] == "best"
    assert first["id"] not in {card["id"] for card in person.get("/api/practice")}
    assert live.person().refused(f"/api/practice/{first['id']}", {"action": best})[0] == 404


def test_a_log_of_another_program_becomes_tables(live: Live) -> None:
    person = live.person()
    brought = person.post("/api/import", {"text": LOG.read_text()})
    assert brought["tables"]
    table = brought["tables"][0]
    assert (table["name"], table["status"], table["owner"]) == ("tichu", "over", True)
    assert {one["id"] for one in person.get("/api/mine")} == {
        one["id"] for one in brought["tables"]
    }
    steps = person.get(f"/api/tables/{table['id']}/replay?seat=0")["steps"]
    assert len(steps) > 20


def test_a_text_without_any_game_is_told_from_a_log_with_errors(person: Person) -> None:
    (why,) = person.post("/api/import", {"text": "hello\nworld"})["refused"]
    assert why == "there is no game in this text: paste JSONL records or a BSW log"


@pytest.mark.parametrize("text", ["", "no game", "{}", '{"game": "chess"}', "\x00", "{" * 5000])
def test_what_is_no_game_is_refused_in_a_sentence(person: Person, text: str) -> None:
    brought = person.post("/api/import", {"text": text})
    assert brought["tables"] == []
    assert brought["refused"]
    assert all("Traceback" not in one for one in brought["refused"])


def test_an_import_is_bounded(person: Person) -> None:
    assert person.refused("/api/import", {"text": "x" * 2_000_001})[0] == 422
    assert person.refused("/api/import", {"text": "x" * 9_000_000})[0] == 413


def test_a_position_is_analysed(person: Person) -> None:
    found = person.post("/api/analysis", {"position": "connect4 443"})
    assert (found["seat"], found["table"]["name"], found["table"]["id"]) == (1, "connect4", "")
    assert found["hint"]["final"]
    assert len(found["choices"]) == 7
    again = person.post("/api/analysis", {"position": found["position"]})
    assert again["picture"] == found["picture"]


@pytest.mark.parametrize(
    ("position", "why"),
    [
        ("connect4 9999", "'9' in '9999' ist keine Spalte: erwartet wird 1 bis 7"),
        ("tichu phase=pley", "phase: unbekanntes Wort 'pley': meinst du 'play'?"),
        ("sheephead phase=bid deal=99", "deal=99: diese Sitzung hat 1 Spiele"),
        ("nimmt rows=1/2 hands=-", "erwartet werden 4 Reihen, nicht 2"),
    ],
)
def test_a_position_is_refused_in_the_language_that_is_read(
    live: Live, position: str, why: str
) -> None:
    reader = live.person()
    reader.ask("PATCH", "/api/me", {"language": "de"})
    assert why in reader.refused("/api/analysis", {"position": position})[1]


@pytest.mark.parametrize("position", ["", "connect4", "connect4 9999", "chess e4", "x" * 3000])
def test_a_position_that_is_none_is_refused(person: Person, position: str) -> None:
    status, why = person.refused("/api/analysis", {"position": position})
    assert status == 422
    assert "Traceback" not in why


def test_answers_are_in_the_language_of_the_guest(live: Live) -> None:
    person = live.person(**{"Accept-Language": "de"})
    table = bring(person, "connect4", "random")
    told = person.post(f"/api/tables/{table}/try", {"move": 1, "action": "1"})
    assert told["words"].split()[0] in ("Das", "Gut:", "Ein")
    assert "Standardfehler" in json.dumps(person.get(f"/api/tables/{table}/review?seat=0"))


def test_a_refusal_is_in_the_language_of_the_guest(live: Live) -> None:
    person = live.person(**{"Accept-Language": "de"})
    table = bring(person, "nimmt:players=3", "closest")
    status, why = person.refused(f"/api/tables/{table}/try", {"move": 1, "action": "999"})
    assert (status, "Karte" in why) == (422, True)


def test_a_game_that_is_not_finished_is_refused_in_the_language_of_the_guest(live: Live) -> None:
    person = live.person(**{"Accept-Language": "de"})
    whole = json.loads(record_of("connect4", "random"))
    half = json.dumps({**whole, "actions": whole["actions"][:3], "result": None})
    brought = person.post("/api/import", {"text": f"{half}\n{json.dumps(whole)}"})
    assert brought["refused"] == ["dieses Spiel ist nicht fertig: erst zu Ende spielen"]
    assert len(brought["tables"]) == 1


def test_a_deal_of_another_number_is_brought_with_its_cards(live: Live) -> None:
    game = kibitz.load_game("nimmt:players=3")
    bot = kibitz.load_agent("closest", game)
    host = Host(Table(game, Origin(seed=9, deal=4, rotation=2)), [bot] * 3)
    host.advance()
    brought = live.person().post("/api/import", {"text": host.record().to_line()})
    assert (brought["refused"], len(brought["tables"])) == ([], 1)


def test_luck_is_told_with_the_commas_of_the_language(live: Live) -> None:
    person = live.person(**{"Accept-Language": "de"})
    table = bring(person, "nimmt:players=3,rows=free", "closest")
    luck = wait_for_review(person, table, 0)["luck"]
    assert luck["low"] < luck["adjusted"] < luck["high"]
    assert re.search(r"Deine Karten lagen mit \d+,\d Punkten .* (über|unter) dem", luck["words"])
