"""Between the arena and the store: matches and tournaments kept while they are played."""

import math
from collections.abc import Sequence
from typing import Any, Self

from kibitz.arena.job import PlayedDeals
from kibitz.arena.match import Match
from kibitz.arena.tournament import CONDUCT, Row, Settings, Stage
from kibitz.core.conduct import Fault
from kibitz.core.errors import RecordError, StoreError, clip
from kibitz.core.record import parse_record
from kibitz.store.rows import DealsTaken, Rating, Status, StoredBatch, StoredFault
from kibitz.store.store import Store


class MatchJournal:
    """Keeps the deals of one match."""

    def __init__(self, store: Store, match: int) -> None:
        """Write to a match that the store has."""
        self.match = match
        self._store = store

    @classmethod
    def begin_new(cls, store: Store, plan: Match) -> Self:
        """Enter a match that stands alone and begins now."""
        settings = {"deals": plan.deals, "first_deal": plan.next_deal}
        version = plan.game.facts.version
        return cls(
            store,
            store.begin_match(None, 0, plan.game.spec, plan.seed, plan.specs, settings, version),
        )

    def played(self) -> list[PlayedDeals]:
        """Return what has been played so far, without the records of games that went well."""
        batches = self._store.batches(self.match)
        faults = self._store.faults(self.match)
        begin = batches[0].first_deal if batches else 0
        try:
            return [_read(batch, faults, begin) for batch in batches]
        except (IndexError, RecordError) as error:
            raise StoreError(
                f"a fault in match {self.match} in {self._store.name} is damaged ({error}): "
                "restore a backup"
            ) from error

    def append(self, played: PlayedDeals) -> None:
        """Keep more deals."""
        self._store.append(self.match, _write(played))

    def end(self, status: Status = "done") -> None:
        """Note that the match is done, or was stopped."""
        self._store.end_match(self.match, status)


class TournamentJournal:
    """Keeps a tournament: a match for every stage."""

    def __init__(self, store: Store, tournament: int | Settings) -> None:
        """Write to a tournament that the store has, or a new one; see `begin_new` and `resume`."""
        self._entered = tournament
        self._store = store
        self._stage: MatchJournal | None = None
        self.is_done = False  # whether it was played to its end here
        self._may_stop = True  # not if it is done, or if somebody else plays it

    @classmethod
    def begin_new(cls, store: Store, settings: Settings) -> Self:
        """Keep a new tournament; it is entered when its first stage begins.

        So one that turns out to be impossible leaves nothing behind.
        """
        return cls(store, settings)

    @classmethod
    def resume(cls, store: Store, number: int, settings: Settings | None = None) -> Self:
        """Go on with a tournament; one that is done stays so, as nothing is left to play.

        Args:
            store: where it is kept.
            number: its number.
            settings: those it has from now on, if they are others; only the conduct may differ.
        """
        journal = cls(store, number)
        if store.tournament(number).status == "done":
            journal._may_stop = False
            return journal
        if settings is not None:
            _check_conduct_alone(journal.settings(), settings)
        store.resume_tournament(number, None if settings is None else _as_json(settings))
        return journal

    @property
    def is_entered(self) -> bool:
        """Whether the store has the tournament."""
        return not isinstance(self._entered, Settings)

    @property
    def can_resume(self) -> bool:
        """Whether the store has the tournament, and there is something left to play of it."""
        return self.is_entered and self._may_stop

    @property
    def tournament(self) -> int:
        """Its number; whoever asks for that of a new one enters it."""
        if isinstance(self._entered, Settings):
            plan = self._entered
            self._entered = self._store.begin_tournament(
                plan.game, plan.form, plan.seed, _as_json(plan)
            )
        return self._entered

    @property
    def place(self) -> str:
        """The file or the URL of the database, without its password."""
        return self._store.name

    def settings(self) -> Settings:
        """Return the settings of the tournament."""
        if isinstance(self._entered, Settings):
            return self._entered
        return Settings.read(dict(self._store.tournament(self.tournament).settings))

    def begin(self, stage: Stage, agents: tuple[str, ...]) -> list[PlayedDeals]:
        """Open a stage; return what has been played of it."""
        self._end_stage()
        settings = {"title": stage.title, "deals": stage.deals, "first_deal": stage.first_deal}
        match = self._store.begin_match(
            self.tournament,
            stage.number,
            stage.game.spec,
            self._store.tournament(self.tournament).seed,
            agents,
            settings,
            stage.game.facts.version,
        )
        self._stage = MatchJournal(self._store, match)
        return self._stage.played()

    def append(self, played: PlayedDeals) -> None:
        """Keep more deals of the stage opened last."""
        assert self._stage is not None
        try:
            self._stage.append(played)
        except DealsTaken:
            self._may_stop = False
            raise

    def end(self, rows: Sequence[Row]) -> None:
        """Note that the tournament is done, and its ratings."""
        self._end_stage()
        self._store.save_ratings(self.tournament, _ratings(rows))
        self._store.end_tournament(self.tournament, "done")
        self.is_done, self._may_stop = True, False

    def stop(self) -> None:
        """Note that the tournament was stopped and can be resumed.

        This may be said at any time and again. It changes nothing if the tournament was done when
        it was resumed, or if `append` found that somebody else plays it: that one will say so.
        """
        if not self._may_stop or not self.is_entered:
            return
        if self._stage is not None:
            self._stage.end("stopped")
        self._store.end_tournament(self.tournament, "stopped")

    def _end_stage(self) -> None:
        if self._stage is not None:
            self._stage.end("done")
            self._stage = None


def _as_json(settings: Settings) -> dict[str, Any]:
    """Return settings as they are stored."""
    return settings.model_dump(mode="json")


def _check_conduct_alone(known: Settings, given: Settings) -> None:
    """Refuse other settings for a tournament that has begun, except what faults lead to."""
    before, now = _as_json(known), _as_json(given)
    for name in now:
        if name not in CONDUCT and now[name] != before[name]:
            raise StoreError(
                f"the tournament was begun with {name} {clip(before[name])}, "
                f"not {clip(now[name])}: only {' and '.join(CONDUCT)} may change"
            )


def _ratings(rows: Sequence[Row]) -> list[Rating]:
    """Return every rating that a row has; clones of one agent count once, with the best."""
    found: dict[tuple[str, str], Rating] = {}
    for row in rows:
        systems = {"plackett-luce": (row.rating.mean, row.rating.low, row.rating.high)}
        # What runs along with the games knows no interval; openskill's sigma is not one either.
        if row.elo is not None:
            systems["elo"] = (row.elo, math.nan, math.nan)
        if row.skill is not None:
            systems["openskill"] = (row.skill[0], math.nan, math.nan)
        for system, (value, low, high) in systems.items():
            rating = Rating(row.spec, system, value, low, high, row.n_games)
            found.setdefault((row.spec, system), rating)
    return list(found.values())


def _write(played: PlayedDeals) -> StoredBatch:
    return StoredBatch(
        played.first_deal,
        played.lineup,
        played.scores,
        played.seconds,
        played.n_decisions,
        [(record.deal, record.rotation, record.to_line()) for record in played.records],
        [
            StoredFault(
                fault.deal,
                fault.rotation,
                fault.seat,
                fault.spec,
                fault.reason,
                fault.position,
                None if fault.record is None else fault.record.to_line(),
            )
            for fault in played.faults
        ],
    )


def _read(batch: StoredBatch, faults: Sequence[StoredFault], begin: int) -> PlayedDeals:
    """Return a batch of a match that begins with deal `begin` as it was played."""
    return PlayedDeals(
        batch.first_deal,
        batch.lineup,
        batch.scores,
        batch.seconds,
        batch.n_decisions,
        faults=[_read_fault(fault, batch, begin) for fault in faults if fault.deal in batch.deals],
    )


def _read_fault(fault: StoredFault, batch: StoredBatch, begin: int) -> Fault:
    record = None if fault.line is None else parse_record(fault.line)
    return Fault(
        agent=int(batch.lineup[fault.deal - batch.first_deal, fault.rotation, fault.seat]),
        spec=fault.agent,
        game=(fault.deal - begin) * batch.lineup.shape[1] + fault.rotation,
        deal=fault.deal,
        rotation=fault.rotation,
        seat=fault.seat,
        position=fault.position,
        reason=fault.message,
        n_actions=0 if record is None else len(record.actions),
        record=record,
    )
