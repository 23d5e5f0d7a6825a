"""What the arena plays comes back from the store as it was played."""

import math
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sqlalchemy import text

import kibitz
from kibitz.arena import Conduct, Match, PlayedDeals
from kibitz.arena.tournament import Row, Settings, Tournament
from kibitz.core.errors import SpecError, StoreError
from kibitz.core.record import parse_record, replay
from kibitz.core.registry import game_facts
from kibitz.store import Store, open_store
from kibitz.store.address import find_database
from kibitz.store.database import Database
from kibitz.store.journal import MatchJournal, TournamentJournal
from kibitz.store.rows import StoreUnavailable

FACTS = replace(game_facts("duel"), bots={"frail": "tests.store.frail:Frail"})
AGENTS = ("frail", "random", "random")


@pytest.fixture(autouse=True)
def _frail(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the frail agent sit down at duels."""
    monkeypatch.setattr("kibitz.core.registry.game_facts", lambda name: FACTS)


def settings(**changed: Any) -> Settings:
    values: dict[str, Any] = {"game": "duel:players=3", "agents": AGENTS, "deals": 40, "seed": 5}
    return Settings(**{**values, "on_error": "forfeit", **changed})


FORMS = {
    "round-robin": settings(),
    "random": settings(form="random", sizes=(2, 3), game="duel"),
    "evolve": settings(form="evolve", generation=30),
    "ladder": settings(form="ladder", agents=("frail", "random"), anchors=("random", "frail")),
}


def make_match(**how: Any) -> Match:
    """Plan a match in which agent 0 forfeits some games."""
    game = kibitz.load_game("duel:players=3")
    agents = [kibitz.load_agent(spec, game) for spec in AGENTS]
    options: dict[str, Any] = {"first_deal": 100, "records": True, "batch_size": 8}
    return Match(game, agents, 12, 3, conduct=Conduct("forfeit"), **{**options, **how})


def rows(tournament: Tournament) -> list[dict[str, Any]]:
    """Return the table without what depends on the clock."""
    kept = [name for name in Row.__dataclass_fields__ if name != "seconds_per_move"]
    return [{name: getattr(row, name) for name in kept} for row in tournament.rows()]


def play(plan: Settings, journal: TournamentJournal | None = None, limit: int = 0) -> Tournament:
    """Play a tournament to its end, or until so many deals have been heard of."""
    tournament, heard = Tournament(plan, batch_size=12), 0
    with closing(tournament.play(journal)) as batches:
        for _, played in batches:
            heard += len(played.scores)
            if heard == limit:
                break
    return tournament


def by_game(played: list[PlayedDeals]) -> list[Any]:
    faults = [fault for batch in played for fault in batch.faults]
    return sorted(faults, key=lambda fault: (fault.deal, fault.rotation))


def test_played_deals_come_back_as_they_were(store: Store) -> None:
    match = make_match()
    journal = MatchJournal.begin_new(store, match)
    played = list(match.play())
    for batch in played:
        journal.append(batch)
    journal.end()
    found = journal.played()
    for ours, theirs in zip(found, played, strict=True):
        assert ours.first_deal == theirs.first_deal
        for name in ("lineup", "scores", "seconds", "n_decisions"):
            np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))
    lines = [parse_record(line) for line in store.records(journal.match)]
    assert lines == [record for batch in played for record in batch.records]
    row = store.match(journal.match)
    assert (row.status, row.game, row.game_version) == ("done", "duel:players=3", FACTS.version)
    assert (row.agents, row.settings) == (AGENTS, {"deals": 12, "first_deal": 100})


def test_faults_come_back_as_they_were(store: Store) -> None:
    match = make_match()
    journal = MatchJournal.begin_new(store, match)
    played = list(match.play())
    for batch in played:
        journal.append(batch)
    faults = by_game(played)
    assert len(faults) > 3
    assert len({fault.seat for fault in faults}) > 1
    readable = [replace(one, reason=one.reason.replace("\0", "\ufffd")) for one in faults]
    found = by_game(journal.played())
    assert found == readable
    for fault in found:
        assert (fault.spec, fault.game % 7) == ("frail", 0)
        assert fault.record is not None
        assert not replay(fault.record).is_over
        assert fault.n_actions == len(fault.record.actions) > 0


def test_a_match_goes_on_from_its_journal(store: Store) -> None:
    whole = make_match()
    list(whole.play())
    first = make_match()
    journal = MatchJournal.begin_new(store, first)
    with closing(first.play()) as batches:
        journal.append(next(batches))
    second = make_match()
    for batch in journal.played():
        second.take(batch)
    list(second.play())
    assert (second.result().scores == whole.result().scores).all()
    assert len(second.result().faults) == len(whole.result().faults) > 0


@pytest.mark.parametrize("form", FORMS)
def test_a_tournament_resumed_anywhere_ends_with_the_same_table(url: str, form: str) -> None:
    whole = rows(play(FORMS[form]))
    assert sum(row["n_faults"] for row in whole) > 0
    with open_store(url) as store:
        journal = TournamentJournal.begin_new(store, FORMS[form])
        number = journal.tournament
        play(FORMS[form], journal, limit=8)
        journal.stop()
        assert store.tournament(number).status == "stopped"
    for limit in (20, 0):
        with open_store(url) as store:
            journal = TournamentJournal.resume(store, number)
            assert store.tournament(number).status == "running"
            assert journal.settings() == FORMS[form]
            tournament = play(journal.settings(), journal, limit)
            if not limit:
                journal.end(tournament.rows())
            assert journal.place == store.name
    assert rows(tournament) == whole
    with open_store(url) as store:
        assert {row.status for row in store.matches(number)} == {"done"}
        assert store.tournament(number).status == "done"
        n_faults = sum(len(store.faults(row.id)) for row in store.matches(number))
        assert n_faults == sum(row["n_faults"] for row in whole)


def test_a_tournament_that_is_done_stays_done(store: Store) -> None:
    plan = settings()
    journal = TournamentJournal.begin_new(store, plan)
    whole = play(plan, journal)
    journal.end(whole.rows())
    ratings = store.ratings(journal.tournament)
    again = TournamentJournal.resume(store, journal.tournament)
    tournament = play(again.settings(), again)
    assert rows(tournament) == rows(whole)
    again.stop()
    assert store.tournament(journal.tournament).status == "done"
    again.end(tournament.rows())
    assert repr(store.ratings(journal.tournament)) == repr(ratings)


def test_a_resumed_tournament_may_have_another_conduct_and_nothing_else(store: Store) -> None:
    plan = settings()
    journal = TournamentJournal.begin_new(store, plan)
    play(plan, journal, limit=8)
    journal.stop()
    number = journal.tournament
    other = plan.model_copy(update={"on_error": "stop", "deadline": 9.0})
    assert TournamentJournal.resume(store, number, other).settings() == other
    assert TournamentJournal.resume(store, number).settings() == other
    with pytest.raises(StoreError, match="was begun with deals '40', not '41'"):
        TournamentJournal.resume(store, number, plan.model_copy(update={"deals": 41}))
    assert TournamentJournal(store, number).settings() == other


def test_an_impossible_tournament_leaves_nothing_behind(store: Store) -> None:
    plan = settings(deals=1_000_000, agents=("random",) * 40, form="random")
    journal = TournamentJournal.begin_new(store, plan)
    with pytest.raises(SpecError, match="play fewer deals"):
        play(plan, journal)
    journal.stop()
    assert store.tournaments() == []
    assert not journal.is_entered


def test_a_full_disk_is_not_taken_for_damage(file_store: Store, full_disk: Database) -> None:
    plan = settings(records=True)
    with pytest.raises(StoreUnavailable):
        play(plan, TournamentJournal.begin_new(file_store, plan))
    with full_disk.write() as connection:
        connection.execute(text("DROP TABLE ratings"))
    with pytest.raises(StoreError, match="damaged") as told:
        file_store.ratings(1)
    assert not isinstance(told.value, StoreUnavailable)


def test_only_a_tournament_that_exists_is_resumed(store: Store) -> None:
    with pytest.raises(StoreError, match="there is no tournament 1 in"):
        TournamentJournal.resume(store, 1)


def test_settings_survive_and_are_checked(store: Store) -> None:
    plan = settings(deadline=0.1, records=True, seed=2**62, form="random", sizes=(2, 3))
    journal = TournamentJournal.begin_new(store, plan)
    assert TournamentJournal.resume(store, journal.tournament).settings() == plan
    number = store.begin_tournament("duel", "random", 1, {"game": "duel", "agents": []})
    with pytest.raises(SpecError, match="settings of a tournament: agents"):
        TournamentJournal.resume(store, number).settings()


@pytest.mark.parametrize(
    ("form", "systems"),
    [
        ("round-robin", {"plackett-luce"}),
        ("random", {"plackett-luce", "elo"}),
        ("ladder", {"plackett-luce", "openskill"}),
    ],
)
def test_ratings_are_saved(store: Store, form: str, systems: set[str]) -> None:
    journal = TournamentJournal.begin_new(store, FORMS[form])
    tournament = play(FORMS[form], journal)
    journal.end(tournament.rows())
    ratings = store.ratings(journal.tournament)
    assert {(one.agent, one.system) for one in ratings} == {
        (agent, system) for agent in ("frail", "random") for system in systems
    }
    best = tournament.rows()[0]
    saved = next(one for one in ratings if (one.agent, one.system) == (best.spec, "plackett-luce"))
    assert (saved.value, saved.low, saved.high) == (
        best.rating.mean,
        best.rating.low,
        best.rating.high,
    )
    for one in ratings:
        assert math.isnan(one.low) == (one.system != "plackett-luce")
        assert math.isnan(one.high) == (one.system != "plackett-luce")


@pytest.fixture
def full_disk(file_store: Store) -> Iterator[Database]:
    """Let a file fail within the batch that has deal 20."""
    with closing(Database(find_database(file_store.name))) as database:
        with database.write() as connection:
            connection.execute(
                text(
                    "CREATE TRIGGER full BEFORE INSERT ON records WHEN NEW.deal = 20 "
                    "BEGIN SELECT RAISE(ABORT, 'disk is full'); END"
                )
            )
        yield database


def test_what_was_kept_before_a_failure_remains(file_store: Store, full_disk: Database) -> None:
    store, plan = file_store, settings(records=True)
    journal = TournamentJournal.begin_new(store, plan)
    with pytest.raises(StoreError, match="the disk is full: make room"):
        play(plan, journal)
    for _ in range(2):
        journal.stop()
    (row,) = store.matches(journal.tournament)
    assert (row.status, store.tournament(journal.tournament).status) == ("stopped", "stopped")
    ends = [batch.end for batch in MatchJournal(store, row.id).played()]
    assert 10 < ends[-1] <= 20
    assert parse_record(list(store.records(row.id))[-1]).deal == ends[-1] - 1
    with full_disk.write() as connection:
        connection.execute(text("DROP TRIGGER full"))
    again = TournamentJournal.resume(store, journal.tournament)
    assert rows(play(plan, again)) == rows(play(plan))


def test_two_who_resume_the_same_tournament_double_nothing(url: str) -> None:
    plan = settings()
    with open_store(url) as one, open_store(url) as two:
        first = TournamentJournal.begin_new(one, plan)
        number = first.tournament
        play(plan, first, limit=8)
        first.stop()
        first, second = TournamentJournal.resume(one, number), TournamentJournal.resume(two, number)
        tournament, late = Tournament(plan, batch_size=12), Tournament(plan, batch_size=9)
        with closing(tournament.play(first)) as batches, closing(late.play(second)) as others:
            taken = [next(batches), next(others)]  # both read what is there
            assert taken[0][1].end == taken[1][1].end
            with pytest.raises(StoreError, match=r"^somebody else is playing this tournament: "):
                take_turns(batches, others)
            second.stop()  # which is not for it to say
            assert one.tournament(number).status == "running"
            list(batches)
        first.end(tournament.rows())
        (row,) = one.matches(number)
        deals = [deal for batch in two.batches(row.id) for deal in batch.deals]
        assert deals == list(range(plan.deals))
    assert rows(tournament) == rows(play(plan))


def take_turns(*players: Iterator[Any]) -> None:
    """Let everybody play a batch, and again."""
    while True:
        for player in players:
            next(player)


def test_a_tournament_is_not_resumed_under_other_rules(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = settings()
    journal = TournamentJournal.begin_new(store, plan)
    play(plan, journal, limit=8)
    newer = replace(FACTS, version=FACTS.version + 1)
    monkeypatch.setattr("kibitz.core.registry.game_facts", lambda name: newer)
    again = TournamentJournal.resume(store, journal.tournament)
    with pytest.raises(StoreError, match="version 1 of the rules, this is version 2: begin a new"):
        play(again.settings(), again)
    again.stop()
    assert store.tournament(journal.tournament).status == "stopped"


@pytest.mark.parametrize(
    "damage", ["line = '{}'", "line = 'no record'", "seat = 9", "rotation = 100"]
)
def test_a_damaged_fault_is_told(file_store: Store, damage: str) -> None:
    match = make_match()
    journal = MatchJournal.begin_new(file_store, match)
    for batch in match.play():
        journal.append(batch)
    with closing(Database(find_database(file_store.name))) as database, database.write() as change:
        change.execute(text(f"UPDATE faults SET {damage}"))
    with pytest.raises(StoreError, match=r"a fault in match 1 in \S+ is damaged .*: restore a"):
        journal.played()
