"""The deal of the day, results, fairness, levels, and the command that checks a deal."""

import csv
import io
import random
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from kibitz.core.registry import game_names, load_agent, load_game
from kibitz.store.play import ResultRow
from kibitz.web import fair
from kibitz.web.fairness import fair_deals
from kibitz.web.levels import LAST_RESORT, below, daily_game, levels_of
from kibitz.web.results import summary
from tests.web.live import Live


def result(number: int, deal: str, margin: float, **other: object) -> ResultRow:
    """Make a result of a game against casual bots."""
    values: dict[str, object] = {
        "table_id": str(number),
        "seat": 0,
        "guest_id": "anna",
        "game": "connect4",
        "name": "connect4",
        "level": "casual",
        "deal": deal,
        "counts": True,
        "score": margin / 2,
        "margin": margin,
        "win": float(margin > 0),
        "share": 1.0,
        "daily": None,
        "ended": datetime(2026, 1, 1, tzinfo=UTC),
    }
    return ResultRow(**{**values, **other})  # type: ignore[arg-type]


def test_everybody_gets_the_same_deal_of_the_day_and_one_try(live: Live) -> None:
    anna, ben = live.person(), live.person()
    before = ben.get("/api/daily/connect4")["n"]
    one, two = (person.post("/api/daily/connect4") for person in (anna, ben))
    assert one["id"] != two["id"]
    assert one["fairness"] == two["fairness"]
    assert anna.post("/api/daily/connect4")["id"] == one["id"]
    last = anna.open(one["id"]).play_on(random.Random(1).choice)
    assert last["table"]["fairness"]["seed"] is None
    assert "day is over" in anna.refused(f"/api/tables/{one['id']}/record", method="GET")[1]
    shown = ben.get("/api/daily/connect4")
    assert (shown["mine"], shown["n"]) == (two["id"], before + 1)
    assert (anna.me["name"], False) in [(row["name"], row["you"]) for row in shown["results"]]


def test_a_finished_game_counts_against_its_level_once(live: Live) -> None:
    person = live.person()
    tab = person.sit("connect4")
    tab.play_on(random.Random(2).choice)
    again = person.post(f"/api/tables/{tab.table}/again", {"same_deal": True})
    person.open(again["id"]).play_on(random.Random(3).choice)
    rows = list(csv.DictReader(io.StringIO(person.ask("GET", "/api/results.csv")[2].decode())))
    kept = [row for row in live.service.store.results() if row.guest_id == person.me["id"]]
    assert [row.counts for row in kept] == [True, False]
    assert kept[0].deal == kept[1].deal
    assert kept[0].deal in [row["deal"] for row in rows]
    shown = [row for row in person.get("/api/results") if row["game"] == "connect4"]
    assert "casual" in [row["level"] for row in shown]
    assert all(row["low"] <= row["mean"] <= row["high"] for row in shown)


def test_games_of_the_same_deal_are_not_independent() -> None:
    apart = [result(n, f"deal {n}", 2.0 * (n % 2) - 1) for n in range(40)]
    alike = [result(n, f"deal {n // 10}", 2.0 * (n // 10 % 2) - 1) for n in range(40)]
    (free,), (bound,) = summary(apart, "anna"), summary(alike, "anna")
    assert free["mean"] == bound["mean"] == 0
    assert bound["high"] - bound["low"] > 2 * (free["high"] - free["low"])
    assert free["mine"]["n"] == 40
    assert summary([result(1, "one", 1.0, counts=False)], "anna") == []


def test_one_game_says_nothing_of_the_mean() -> None:
    (shown,) = summary([result(1, "one", 1.0)], "ben")
    assert (shown["low"], shown["high"], shown["mine"]) == (-2.0, 2.0, None)
    assert (shown["wins_low"], shown["wins_high"]) == (0.0, 1.0)


def test_what_is_dealt_is_counted_beside_what_chance_deals(live: Live) -> None:
    person = live.person()
    person.sit("nimmt:players=3").play_on(random.Random(1).choice)
    found = {row["game"]: row for row in person.get("/api/fairness")}
    assert list(found) == game_names()
    assert found["nimmt"]["n"] >= 1
    for row in found["nimmt"]["rows"]:
        assert 0 <= row["low"] < row["expected"] < row["high"]
    heads, _ = fair_deals("nimmt:players=3,rows=free")["nimmt.dealt-heads-own"]
    assert heads == pytest.approx(171 * 10 / 104, abs=0.5)
    aces, _ = fair_deals("tichu")["tichu.dealt-aces-own"]
    assert aces == pytest.approx(1, abs=0.1)
    trumps, _ = fair_deals("sheephead")["sheephead.dealt-trumps-own"]
    assert trumps == pytest.approx(14 * 6 / 32, abs=0.15)


@pytest.mark.parametrize("name", ["nimmt", "tichu", "sheephead", "connect4"])
def test_all_levels_can_sit_down_and_give_way_to_weaker_ones(name: str) -> None:
    game = load_game(name, "people")
    specs = [level.spec for level in levels_of(name)]
    assert len(specs) == len(set(specs)) == 4
    for spec in specs:
        assert load_agent(spec, game).game == game
    assert [below(name, spec) for spec in specs] == [LAST_RESORT, *specs[:-1]]
    assert load_game(daily_game(name)).facts.name == name


def test_a_deal_is_checked_by_a_command(live: Live, tmp_path: Path) -> None:
    person = live.person()
    tab = person.sit("connect4")
    last = tab.play_on(random.Random(4).choice)
    promised = tab.heard[0]["table"]["fairness"]["commitment"]
    shown = last["table"]["fairness"]
    assert fair.commitment(int(shown["seed"]), shown["salt"]) == promised
    file = tmp_path / "game.jsonl"
    file.write_bytes(person.ask("GET", f"/api/tables/{tab.table}/record")[2])
    words = [sys.executable, "-m", "kibitz", "fair", str(file), "--salt", shown["salt"]]
    good = subprocess.run([*words, "--fingerprint", promised], capture_output=True, text=True)
    bad = subprocess.run([*words, "--fingerprint", "0" * 64], capture_output=True, text=True)
    assert (good.returncode, "fair: seed" in good.stdout) == (0, True)
    assert (bad.returncode, "not as promised" in bad.stderr) == (2, True)
