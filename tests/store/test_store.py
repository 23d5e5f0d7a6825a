"""What is put into a store comes out of it; what does not fit is refused."""

import math
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sqlalchemy import text

import kibitz.store
from kibitz import __version__
from kibitz.core.errors import KibitzError, StoreError
from kibitz.store import Rating, Store, StoredBatch, StoredFault, open_store, writing
from kibitz.store import store as store_module
from kibitz.store.address import find_database
from kibitz.store.database import Database
from tests.store.writer import AGENTS, find_match, is_equal, make_batch


def change(database: Database, statement: str) -> None:
    """Do to a database what no store does."""
    with database.write() as connection:
        connection.execute(text(statement))


def test_public_names_are_sorted_and_there() -> None:
    assert kibitz.store.__all__ == sorted(kibitz.store.__all__)
    assert all(hasattr(kibitz.store, name) for name in kibitz.store.__all__)
    assert issubclass(StoreError, KibitzError)


def test_a_store_opens_without_the_compiler(tmp_path: Path) -> None:
    code = (
        "import sys, kibitz.store\n"
        "kibitz.store.open_store(sys.argv[1]).close()\n"
        "loaded = {'numba', 'llvmlite', 'scipy'} & set(sys.modules)\n"
        "assert not loaded, loaded\n"
        "later = 'alembic' in sys.modules\n"
        "print(later)"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "x.db")]
    told = [subprocess.run(command, capture_output=True, text=True) for _ in range(2)]
    # Alembic makes the tables; a database that has them opens without it.
    assert [(done.stdout, done.stderr) for done in told] == [("True\n", ""), ("False\n", "")]


def test_a_tournament_is_found_again(url: str) -> None:
    settings = {"deals": 100, "agents": ["a", "b"], "deadline": None, "nested": {"x": 0.1}}
    before = datetime.now(UTC)
    with open_store(url) as store:
        number = store.begin_tournament("nimmt:players=5", "swiss", 2**63 - 1, settings)
    with open_store(url) as store:
        row = store.tournament(number)
        assert store.tournaments() == [row]
    assert (row.id, row.game, row.form, row.seed) == (number, "nimmt:players=5", "swiss", 2**63 - 1)
    assert (row.settings, row.package_version, row.status) == (settings, __version__, "running")
    assert timedelta(0) <= row.started - before < timedelta(minutes=1)
    assert (row.started.tzinfo, row.ended) == (UTC, None)


def test_a_tournament_ends_and_is_resumed(store: Store) -> None:
    number = store.begin_tournament("nimmt", "swiss", 1, {})
    store.end_tournament(number, "stopped")
    stopped = store.tournament(number)
    assert stopped.status == "stopped"
    assert stopped.ended is not None
    assert stopped.ended >= stopped.started
    store.resume_tournament(number)
    assert (store.tournament(number).status, store.tournament(number).ended) == ("running", None)
    store.end_tournament(number)
    assert store.tournament(number).status == "done"


def test_a_match_of_a_tournament_is_entered_once(store: Store) -> None:
    number = store.begin_tournament("nimmt", "swiss", 1, {})
    match = find_match(store, number)
    assert find_match(store, number) == match
    assert store.begin_match(number, 1, "nimmt", 7, ["random"], {}, 1) != match
    rows = store.matches(number)
    assert [(row.tournament, row.number, row.agents) for row in rows] == [
        (number, 0, AGENTS),
        (number, 1, ("random",)),
    ]
    assert rows[0] == store.match(match)
    assert store.matches(None) == []


def test_matches_that_stand_alone_are_always_new(store: Store) -> None:
    first, second = find_match(store, None), find_match(store, None)
    assert [row.id for row in store.matches(None)] == [first, second]
    assert store.match(first).tournament is None


def test_a_stopped_match_runs_again_and_a_done_one_does_not(store: Store) -> None:
    number = store.begin_tournament("nimmt", "swiss", 1, {})
    match = find_match(store, number)
    store.end_match(match, "stopped")
    assert store.match(match).ended is not None
    find_match(store, number)
    assert (store.match(match).status, store.match(match).ended) == ("running", None)
    store.end_match(match)
    find_match(store, number)
    assert store.match(match).status == "done"


@pytest.mark.parametrize(
    ("other", "told"),
    [
        ({"game": "nimmt:players=3"}, "was begun with game 'nimmt', not 'nimmt:players=3'"),
        ({"seed": 8}, "was begun with seed '7', not '8'"),
        ({"agents": ["random"]}, r"was begun with agents .*mcs.*, not "),
        ({"settings": {}}, r"was begun with settings .*many.*, not '\{\}'"),
        (
            {"game_version": 2},
            "was played under version 1 of the rules, this is version 2: begin a new tournament$",
        ),
    ],
)
def test_a_match_is_not_continued_with_something_else(
    store: Store, other: dict[str, Any], told: str
) -> None:
    number = store.begin_tournament("nimmt", "swiss", 1, {})
    find_match(store, number)
    same: dict[str, Any] = {"game": "nimmt", "seed": 7, "agents": AGENTS, "game_version": 1}
    same["settings"] = {"deals": "many"}
    with pytest.raises(StoreError, match=f"match 0 of tournament {number} {told}"):
        store.begin_match(number, 0, **{**same, **other})


def test_another_kibitz_goes_on_with_a_match(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    number = store.begin_tournament("nimmt", "swiss", 1, {})
    match = find_match(store, number)
    monkeypatch.setattr(writing, "__version__", "99.0")
    assert find_match(store, number) == match
    assert store.match(match).package_version == __version__
    assert store.match(match).game_version == 1


def test_batches_come_back_bit_by_bit_in_the_order_of_deals(store: Store) -> None:
    match = find_match(store, None)
    for first_deal in (8, 0, 100, 4):
        store.append(match, make_batch(first_deal))
    batches = store.batches(match)
    assert [batch.first_deal for batch in batches] == [0, 4, 8, 100]
    for batch in batches:
        expected = make_batch(batch.first_deal)
        assert is_equal(batch, expected)
        for name in ("lineup", "scores", "seconds", "n_decisions"):
            ours, theirs = getattr(batch, name), getattr(expected, name)
            assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
            np.testing.assert_array_equal(ours, theirs)
        assert batch.lineup.dtype == np.int16
        assert batch.n_decisions.dtype == np.int64


def test_a_batch_takes_other_types_of_numbers_if_nothing_is_lost(store: Store) -> None:
    ones = np.ones((1, 1, 2))
    arrays: list[Any] = [ones.astype(np.int64), ones.astype(np.int32), [[0], [1]], [[2], [3]]]
    batch = StoredBatch(np.int64(3), *arrays)  # type: ignore[arg-type]
    match = store.begin_match(None, 0, "nimmt", np.uint64(5), ["a", "b"], {}, 1)  # type: ignore[arg-type]
    store.append(np.int64(match), batch)  # type: ignore[arg-type]
    (stored,) = store.batches(np.int64(match))  # type: ignore[arg-type]
    assert is_equal(stored, batch)
    assert stored.scores.dtype == np.float64


def test_records_are_lines_in_the_order_of_games(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_module, "PAGE", 6)  # two pages are full and the third is empty
    match = find_match(store, None)
    second, first = make_batch(4, n_lines=1), make_batch(0, n_lines=2)
    store.append(match, second)
    store.append(match, first)
    lines = [line for batch in (first, second) for _, _, line in batch.records]
    assert len(lines) == 12
    assert list(store.records(match)) == lines
    assert list(store.records(find_match(store, None))) == []


def test_a_batch_that_is_there_already_is_not_added_again(store: Store) -> None:
    match = find_match(store, None)
    store.append(match, make_batch(0))
    store.append(match, make_batch(4))
    store.append(match, make_batch(0))
    assert len(store.batches(match)) == 2
    assert len(store.faults(match)) == 2


def altered(**changes: Any) -> StoredBatch:
    """Make the batch of deal 4, but for some fields."""
    batch = make_batch(4)
    return StoredBatch(**{**vars(batch), **changes})


@pytest.mark.parametrize(
    "batch",
    [
        altered(scores=make_batch(4).scores + 1),
        altered(seconds=make_batch(4).seconds + 1),
        altered(records=()),
        altered(records=[(4, 0, "{}")]),
        altered(faults=()),
        make_batch(1),
        make_batch(3),
        make_batch(5),
        make_batch(7),
    ],
    ids=["scores", "seconds", "fewer lines", "lines", "faults", "1-4", "3-6", "5-8", "7-10"],
)
def test_other_results_of_the_same_deals_are_refused(store: Store, batch: StoredBatch) -> None:
    match = find_match(store, None)
    store.append(match, make_batch(4))
    with pytest.raises(
        StoreError, match=f"^match {match} already has deals 4 to 7, so other results"
    ):
        store.append(match, batch)
    assert len(store.batches(match)) == 1
    store.append(match, make_batch(0))
    store.append(match, make_batch(8))


def test_a_wide_batch_around_a_small_one_is_refused(store: Store) -> None:
    match = find_match(store, None)
    one = np.zeros((1, 3, 2), np.int16)
    store.append(match, altered(first_deal=6, lineup=one, scores=one, records=(), faults=()))
    with pytest.raises(StoreError, match="already has deals 6 to 6"):
        store.append(match, make_batch(4))


def test_somebody_else_who_plays_a_tournament_is_told(store: Store) -> None:
    match = find_match(store, store.begin_tournament("nimmt", "swiss", 1, {}))
    store.append(match, make_batch(4))
    told = f"somebody else is playing this tournament: match {match} already has deals 4 to 7"
    with pytest.raises(StoreError, match=f"^{told}"):
        store.append(match, altered(seconds=make_batch(4).seconds + 1))


def test_nothing_of_a_batch_stays_if_its_last_line_fails(store: Store, database: Database) -> None:
    match = find_match(store, None)
    change(database, f"INSERT INTO records VALUES ({match}, 3, 2, 'in the way')")
    with pytest.raises(StoreError, match="cannot use the database "):
        store.append(match, make_batch(0))
    assert store.batches(match) == []
    assert list(store.records(match)) == ["in the way"]
    assert store.faults(match) == []


def test_a_batch_of_other_agents_is_refused(store: Store) -> None:
    match = store.begin_match(None, 0, "nimmt", 1, ["random"], {}, 1)
    with pytest.raises(StoreError, match="has 1 agents, the batch has 3"):
        store.append(match, make_batch(0))


LINEUP = np.zeros((2, 3, 4), np.int16)
TIMES = np.zeros((2, 5))
NAN = np.full((2, 3, 4), math.nan)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"lineup": LINEUP[0]}, r"\[deals, games, seats\], got \(3, 4\)"),
        ({"lineup": LINEUP[:0], "scores": NAN[:0]}, r"got \(0, 3, 4\)"),
        ({"scores": NAN[:1]}, r"got \(2, 3, 4\) and \(1, 3, 4\)"),
        ({"seconds": TIMES[0]}, r"\[agents, steps\], got \(5,\)"),
        ({"n_decisions": TIMES[:, :2]}, r"got \(2, 5\) and \(2, 2\)"),
        ({"lineup": LINEUP + 2}, "the lineup names agents 2 to 2 of 2"),
        ({"lineup": LINEUP - 1}, "the lineup names agents -1 to -1 of 2"),
        ({"lineup": LINEUP + 0.5}, "lineup of type float64 do not fit into int16"),
        ({"lineup": LINEUP.astype(np.int64) + 2**16}, "lineup of type int64 do not fit into int16"),
        ({"scores": LINEUP.astype(str)}, "scores of type <U6 do not fit into float64"),
        ({"scores": NAN}, "scores hold something that is not a finite number"),
        ({"seconds": TIMES + math.inf}, "seconds hold something that is not a finite number"),
        ({"n_decisions": TIMES + math.nan}, "n_decisions of type float64 do not fit into int64"),
        ({"first_deal": -1}, "first_deal must be from 0 to 9223372036854775807, got '-1'"),
        ({"first_deal": 2**63 - 1}, "the last deal must be from 0"),
        ({"first_deal": "0"}, "first_deal must be a whole number, got '0'"),
        ({"records": [(7, 0, "{}")]}, "a record is of deal 7, game 0: the batch has deals 5 to 6"),
        ({"records": [(5, 3, "{}")]}, "a record is of deal 5, game 3: .* of 3 games"),
        ({"records": [(5, 0, "{}"), (5, 0, "{}")]}, "two records of the same game"),
        ({"records": [(5, 0, "{\n}")]}, "a record is one line"),
        ({"records": [(5, 0, "\ud800")]}, "a record must be a text"),
        ({"records": [(5, 0, b"{}")]}, "a record must be a text"),
        ({"faults": [StoredFault(4, 0, 0, "a", "b")]}, "a fault is of deal 4"),
        ({"faults": [StoredFault(5, 0, 4, "a", "b")]}, "a fault is of seat 4 of 4"),
    ],
)
def test_a_batch_that_does_not_fit_together_is_refused(changes: dict[str, Any], told: str) -> None:
    fitting: dict[str, Any] = {"first_deal": 5, "lineup": LINEUP, "scores": LINEUP}
    fitting |= {"seconds": TIMES, "n_decisions": TIMES}
    assert StoredBatch(**fitting).n_deals == 2
    with pytest.raises(StoreError, match=told):
        StoredBatch(**{**fitting, **changes})


def test_a_fault_may_say_anything(store: Store) -> None:
    match = find_match(store, None)
    fault = StoredFault(
        0, 2, 1, "random", "said \0 and \ud800 in\ntwo lines", "1 2", line='{"actions":[]}'
    )
    store.append(match, StoredBatch(**{**vars(make_batch(0)), "faults": [fault]}))
    assert store.faults(match) == [fault]
    assert fault.message == "said \ufffd and ? in\ntwo lines"
    with pytest.raises(StoreError, match="the message of a fault must be a text, got 'no'"):
        StoredFault(0, 2, 1, "random", ValueError("no"))  # type: ignore[arg-type]


def test_ratings_replace_those_of_the_same_system(store: Store) -> None:
    number = store.begin_tournament("nimmt", "swiss", 1, {})
    other = store.begin_tournament("nimmt", "swiss", 1, {})
    store.save_ratings(other, [Rating("a", "elo", 5, 4, 6, 10)])
    store.save_ratings(number, [Rating("a", "elo", 1, 0, 2, 10)])
    store.save_ratings(number, [Rating("a", "openskill", 25, 20, 30, 10)])
    store.save_ratings(
        number,
        [Rating("b", "elo", -math.inf, math.nan, 3, 20), Rating("a", "elo", 2.5, 1, 4, 20)],
    )
    told = [str(rating) for rating in store.ratings(number)]
    assert told == [
        "Rating(agent='a', system='elo', value=2.5, low=1.0, high=4.0, n_games=20)",
        "Rating(agent='b', system='elo', value=-inf, low=nan, high=3.0, n_games=20)",
        "Rating(agent='a', system='openskill', value=25.0, low=20.0, high=30.0, n_games=10)",
    ]
    assert [rating.value for rating in store.ratings(other)] == [5]


def test_ratings_that_make_no_sense_are_refused(store: Store) -> None:
    number = store.begin_tournament("nimmt", "swiss", 1, {})
    good = Rating("a", "elo", 1, 0, 2, 10)
    with pytest.raises(StoreError, match="the rating of 'a' is not a number"):
        Rating("a", "elo", math.nan, 0, 0, 1)
    with pytest.raises(StoreError, match="two ratings in the same system"):
        store.save_ratings(number, [good, good])
    store.save_ratings(number, [])
    assert store.ratings(number) == []


def test_unknown_ids_are_told_with_those_there_are(store: Store) -> None:
    with pytest.raises(StoreError, match=r"there is no tournament 1 in \S+: it has none yet"):
        store.tournament(1)
    store.begin_tournament("nimmt", "swiss", 1, {})
    with pytest.raises(StoreError, match=r"no tournament 9 in \S+: the only one is 1$"):
        store.end_tournament(9, "done")
    for _ in range(6):
        store.begin_tournament("nimmt", "swiss", 1, {})
    with pytest.raises(StoreError, match=r"no tournament 9 in \S+: the latest are 7, 6, 5, 4, 3$"):
        store.matches(9)
    with pytest.raises(StoreError, match=r"no tournament 9 in "):
        find_match(store, 9)
    with pytest.raises(StoreError, match=r"no tournament 9 in "):
        store.save_ratings(9, [])


@pytest.mark.parametrize("read", ["match", "batches", "records", "faults", "end_match", "append"])
def test_unknown_matches_are_told(store: Store, read: str) -> None:
    more = [make_batch(0)] if read == "append" else []
    with pytest.raises(StoreError, match=r"there is no match 3 in \S+: it has none yet"):
        getattr(store, read)(3, *more)
    with pytest.raises(StoreError, match="the id of a match must be from 0"):
        getattr(store, read)(-1, *more)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"game": ""}, "game must be a text, got ''"),
        ({"form": 7}, "form must be a text, got '7'"),
        ({"form": "a\0b"}, "form must be a text"),
        ({"seed": -1}, "seed must be from 0"),
        ({"seed": 2**63}, "seed must be from 0"),
        ({"seed": 1.5}, "seed must be a whole number, got '1.5'"),
        ({"settings": {"x": math.nan}}, "settings must be what JSON can say"),
        ({"settings": {"x": object()}}, "settings must be what JSON can say"),
        ({"settings": 5}, "settings must be what JSON can say"),
    ],
)
def test_a_tournament_that_makes_no_sense_is_refused(
    store: Store, changes: dict[str, Any], told: str
) -> None:
    good: dict[str, Any] = {"game": "nimmt", "form": "swiss", "seed": 1, "settings": {}}
    with pytest.raises(StoreError, match=told):
        store.begin_tournament(**{**good, **changes})
    assert store.tournaments() == []


def test_a_match_needs_agents_and_a_status_is_one_of_three(store: Store) -> None:
    with pytest.raises(StoreError, match="at least one agent"):
        store.begin_match(None, 0, "nimmt", 1, [], {}, 1)
    with pytest.raises(StoreError, match="a status is running, stopped, done, got 'won'"):
        store.end_match(find_match(store, None), "won")  # type: ignore[arg-type]


def test_a_closed_store_says_so(url: str) -> None:
    with open_store(url) as store:
        store.begin_tournament("nimmt", "swiss", 1, {})
    with pytest.raises(StoreError, match="has been closed: open it again"):
        store.tournaments()
    store.close()


def test_what_belongs_to_a_deleted_tournament_is_deleted(store: Store, database: Database) -> None:
    number = store.begin_tournament("nimmt", "swiss", 1, {})
    match = find_match(store, number)
    store.append(match, make_batch(0))
    store.save_ratings(number, [Rating("a", "elo", 1, 0, 2, 10)])
    change(database, "DELETE FROM tournaments")
    with database.read() as connection:
        for table in ("matches", "match_agents", "batches", "records", "faults", "ratings"):
            assert connection.scalar(text(f"SELECT count(*) FROM {table}")) == 0


def test_what_refers_to_nothing_cannot_be_stored(database: Database) -> None:
    with pytest.raises(StoreError, match=r"(?i)foreign key"):
        change(database, "INSERT INTO records VALUES (5, 0, 0, '{}')")


@pytest.mark.parametrize(
    ("table", "damage"),
    [
        ("batches", "scores = x'00'"),
        ("batches", "lineup = 'text'"),
        ("batches", "n_deals = 5"),
        ("batches", "n_deals = 'many'"),
        ("batches", "n_seats = -2"),
        ("batches", "n_games = 1000000000000000000"),
        ("batches", "n_agents = 5, n_steps = 3"),
        ("batches", f"scores = x'{'ff' * 192}'"),
        ("batches", f"lineup = x'{'ff' * 48}'"),
        ("records", "line = x'ff00'"),
        ("records", "deal = -deal - 1"),
        ("faults", "deal = 'first'"),
        ("faults", "message = x'ff'"),
        ("faults", "position = x'ff'"),
        ("matches", "settings = '{'"),
        ("matches", "settings = '[1]'"),
        ("matches", f"settings = '{'[' * 100_000}'"),
        ("matches", """settings = '{"deals": NaN}'"""),
        ("matches", "status = 'won'"),
        ("matches", "seed = 'x'"),
        ("matches", "game_version = 'new'"),
        ("matches", "started = 'yesterday'"),
        ("tournaments", "settings = 'x'"),
        ("tournaments", f"""settings = '{'{"a":' * 100_000}'"""),
        ("tournaments", """settings = '{"deals": Infinity}'"""),
        ("tournaments", """settings = '{"deals": 1e999}'"""),
        ("tournaments", f"""settings = '{{"deals": {"9" * 5000}}}'"""),
        ("tournaments", f"""settings = '{{"deals": {"9" * 50}}}'"""),
        ("tournaments", f"""settings = '{{"deals": "{"x" * 1_000_000}"}}'"""),
        ("tournaments", "ended = 5"),
        ("tournaments", "form = x'00'"),
        ("agents", "spec = x'00' WHERE id = 1"),
        ("ratings", "value = 'good'"),
    ],
)
def test_damage_is_told_in_one_sentence(file_store: Store, table: str, damage: str) -> None:
    store = file_store
    number = store.begin_tournament("nimmt", "swiss", 1, {})
    match = find_match(store, number)
    store.append(match, make_batch(0))
    store.save_ratings(number, [Rating("random", "elo", 1, 0, 2, 10)])
    with closing(Database(find_database(store.name))) as database:
        change(database, f"UPDATE {table} SET {damage}")
    use: dict[str, list[Callable[[], object]]] = {
        "batches": [lambda: store.batches(match), lambda: store.append(match, make_batch(0))],
        "records": [lambda: list(store.records(match))],
        "faults": [lambda: store.faults(match)],
        "matches": [lambda: store.match(match), lambda: find_match(store, number)],
        "agents": [lambda: store.matches(number), lambda: find_match(store, number)],
        "tournaments": [store.tournaments, lambda: store.tournament(number)],
        "ratings": [lambda: store.ratings(number)],
    }
    for act in use[table]:
        with pytest.raises(StoreError, match=r"in \S+results\.db is damaged \(.*restore a backup"):
            act()
