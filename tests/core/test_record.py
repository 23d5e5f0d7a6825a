"""Records replay exactly, and what does not is refused."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import kibitz
from kibitz import PositionError, RecordError, Table
from kibitz.core.record import parse_record, read_records, replay
from kibitz.core.table import Origin


def played(actions: int) -> Table:
    table = kibitz.load_game("duel:players=3,rounds=2").deal(seed=5)
    for _ in range(actions):
        table.play(table.movers[0], table.legal(table.movers[0])[-1])
    return table


def finish(table: Table) -> None:
    """Play the highest cards to the end."""
    while not table.is_over:
        table.play(table.movers[0], table.legal(table.movers[0])[-1])


def changed(**fields: Any) -> str:
    """Write a good record with some fields replaced."""
    document = json.loads(played(12).record(["a", "b", "c"]).to_line())
    return json.dumps({**document, **fields})


@pytest.mark.parametrize("actions", [0, 1, 5, 6, 12])
def test_a_record_replays_to_the_same_table(actions: int) -> None:
    table = played(actions)
    again = kibitz.replay(kibitz.parse_record(table.record().to_line()))
    assert again.position == table.position
    assert again.actions == table.actions


def test_a_record_is_one_line_of_readable_json() -> None:
    line = played(12).record(["a", "b", "c"]).to_line()
    document = json.loads(line)
    assert "\n" not in line
    assert document["game"] == "duel:players=3,rounds=2"
    assert document["seats"] == ["a", "b", "c"]
    assert document["actions"][0][1].isdecimal()
    assert sum(document["result"]) == 6


def test_an_unfinished_game_has_no_result() -> None:
    assert played(3).record().result is None


def test_explicit_deals_take_the_place_of_the_seed() -> None:
    table = kibitz.open_table(played(0).position)
    table.play(0, table.legal(0)[0])
    record = table.record()
    assert len(record.deals) == 1
    assert kibitz.replay(record).position == table.position


def test_an_explicit_deal_cannot_change_the_scores_of_earlier_rounds() -> None:
    table = played(0)
    first = table.position.partition(" ")[2]
    while table.state.dealt == 1:
        table.play(table.movers[0], table.legal(table.movers[0])[-1])
    second = table.position.partition(" ")[2]
    finish(Table(table.game, Origin(5, deals=(first, second))))
    richer = second.rpartition(" ")[0] + " 9.0.0.0"
    with pytest.raises(PositionError, match="does not follow from the round before"):
        finish(Table(table.game, Origin(5, deals=(first, richer))))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "not JSON at line 1, column 0"),
        ("[]", "record: expected an object in braces"),
        ("{}", "game: it is missing"),
        ("[" * 100_000, "nested too deeply at line 1, column 20"),
        (changed(result=[float("nan"), 0, 0]), "result.0: expected a finite number"),
        (changed(version=10**30), "version: expected a number up to 9223372036854775807"),
        (changed().replace("5", "9" * 10_000, 1), "a number with too many digits at line 1, col"),
        (changed(schema=2), "schema"),
        (changed(seed=-1), "seed"),
        (changed(seed="7"), "seed"),
        (changed(more=1), "more"),
        (changed(actions=[[99, "1"]]), "actions.0.0"),
        (changed(actions=[[0, 1]]), "actions.0.1"),
        (changed(game="x" * 1000), "game"),
        (changed(result=["1"]), "result"),
    ],
)
def test_malformed_records_are_refused(line: str, message: str) -> None:
    with pytest.raises(RecordError, match=message):
        kibitz.parse_record(line)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"game": "nothing"}, "unknown game"),
        ({"version": 0}, "version 0 of duel"),
        ({"actions": [[0, "77"]]}, "does not replay"),
        ({"actions": [[0, "x"]]}, "not a card"),
        ({"actions": [[0, "1"]] * 1000}, "at most 18"),
        ({"actions": []}, "replaying gives None"),
        ({"result": [6.0, 0.0, 0.0]}, "replaying gives"),
        ({"result": None}, "replaying gives"),
        ({"deals": ["garbage"]}, "not a position"),
        ({"seats": ["random"] * 7}, "7 seats are named, there are"),
    ],
)
def test_records_that_do_not_replay_are_refused(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(RecordError, match=message):
        kibitz.replay(kibitz.parse_record(changed(**fields)))


def test_a_tampered_forced_action_is_noticed() -> None:
    document = json.loads(played(12).record().to_line())
    seat, card = document["actions"][-1]
    document["actions"][-1] = [seat, str((int(card) + 1) % 11)]
    with pytest.raises(RecordError):
        kibitz.replay(kibitz.parse_record(json.dumps(document)))


def test_a_file_of_records_is_read_line_by_line(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_text(f"{changed()}\n\n{changed(seats=[])}\n")
    assert [record.seats for record in kibitz.read_records(path)] == [("a", "b", "c"), ()]


def test_a_bad_line_in_a_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_text(f"{changed()}\noops\n")
    with pytest.raises(RecordError, match=r"games\.jsonl:2: "):
        list(kibitz.read_records(path))


def test_a_file_that_is_not_there_is_an_error_of_ours(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="cannot read"):
        list(kibitz.read_records(tmp_path / "none"))
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(RecordError, match="cannot read"):
        list(kibitz.read_records(tmp_path / "binary"))


@pytest.mark.parametrize("seats", [["a"], "abc", [1, 2, 3], ["a", "b", "c" * 501]])
def test_names_that_a_record_cannot_hold_are_refused(seats: Any) -> None:
    with pytest.raises(RecordError):
        kibitz.load_game("duel:players=3").deal(seed=1).record(seats)


@pytest.mark.parametrize("work", [parse_record, replay])
def test_what_is_no_record_is_refused(work: Callable[[Any], object]) -> None:
    with pytest.raises(RecordError, match="expected a"):
        work(None)


def test_a_file_may_be_named_by_text(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    path.write_text(kibitz.load_game("duel").deal(seed=1).record().to_line() + "\n", "utf-8")
    assert list(read_records(str(path))) == list(read_records(path))
