"""Between the arena and the store: matches and tournaments kept while they are played."""

import math
from collections.abc import Sequence

from kibitz import store
from kibitz.arena.match import PlayedDeals
from kibitz.arena.tournament import Row, Settings, Stage
from kibitz.core.driver import Fault
from kibitz.store.rows import Batch, Rating
from kibitz.store.store import Store


class MatchJournal:
    """Keeps the deals of one match."""

    def __init__(self, kept: Store, match: int) -> None:
        """Write to a match that the store has."""
        self.match = match
        self._store = kept

    def played(self) -> list[PlayedDeals]:
        """Give what has been played so far, without records."""
        faults = self._store.faults(self.match)
        agents = self._store.match_row(self.match).agents
        return [_read(batch, faults, agents) for batch in self._store.batches(self.match)]

    def append(self, played: PlayedDeals) -> None:
        """Keep more deals."""
        self._store.append(self.match, _write(played))


class TournamentJournal:
    """Keeps a tournament: a match for every stage."""

    def __init__(self, kept: Store, tournament: int) -> None:
        """Write to a tournament that the store has."""
        self.tournament = tournament
        self._store = kept
        self._stage: MatchJournal | None = None

    @staticmethod
    def begin_new(kept: Store, settings: Settings) -> "TournamentJournal":
        """Enter a tournament that begins now."""
        stored = settings.model_dump(mode="json")
        number = kept.begin_tournament(settings.game, settings.form, settings.seed, stored)
        return TournamentJournal(kept, number)

    def settings(self) -> Settings:
        """Give the settings that the tournament was begun with."""
        return Settings.read(dict(self._store.tournament(self.tournament).settings))

    def begin(self, stage: Stage, agents: tuple[str, ...]) -> list[PlayedDeals]:
        """Open a stage; give what has been played of it."""
        self._end_stage()
        settings = {"title": stage.title, "deals": stage.deals, "first_deal": stage.first_deal}
        row = self._store.tournament(self.tournament)
        match = self._store.match(
            self.tournament, stage.number, stage.game.spec, row.seed, agents, settings
        )
        self._stage = MatchJournal(self._store, match)
        return self._stage.played()

    def append(self, played: PlayedDeals) -> None:
        """Keep more deals of the stage opened last."""
        assert self._stage is not None
        self._stage.append(played)

    def end(self, rows: Sequence[Row]) -> None:
        """Note that the tournament is done, and its ratings."""
        self._end_stage()
        self._store.save_ratings(list(_ratings(rows)), tournament=self.tournament)
        self._store.end_tournament(self.tournament, "done")

    def stop(self) -> None:
        """Note that the tournament was stopped and can be resumed."""
        if self._stage is not None:
            self._store.end_match(self._stage.match, "stopped")
        self._store.end_tournament(self.tournament, "stopped")

    def _end_stage(self) -> None:
        if self._stage is not None:
            self._store.end_match(self._stage.match, "done")
            self._stage = None


def _ratings(rows: Sequence[Row]) -> "list[Rating]":
    """Give every rating that a row has; clones of one agent count once, with the best."""
    found: dict[tuple[str, str], Rating] = {}
    for row in rows:
        systems = {"plackett-luce": (row.rating.mean, row.rating.low, row.rating.high)}
        if row.elo is not None:
            systems["elo"] = (row.elo, math.nan, math.nan)
        if row.skill is not None:
            mu, sigma = row.skill
            systems["openskill"] = (mu, mu - 1.96 * sigma, mu + 1.96 * sigma)
        for system, (value, low, high) in systems.items():
            rating = Rating(row.spec, system, value, low, high, row.n_games)
            found.setdefault((row.spec, system), rating)
    return list(found.values())


def _write(played: PlayedDeals) -> Batch:
    return Batch(
        played.first_deal,
        played.lineup,
        played.scores,
        played.seconds,
        played.n_decisions,
        [(record.deal, record.rotation, record.to_line()) for record in played.records],
        [
            store.Fault(
                fault.deal,
                fault.rotation,
                fault.seat,
                fault.spec,
                f"{fault.reason} in {fault.position}",
                None if fault.record is None else fault.record.to_line(),
            )
            for fault in played.faults
        ],
    )


def _read(batch: Batch, faults: Sequence[store.Fault], agents: Sequence[str]) -> PlayedDeals:
    """Give a batch back as it was played, without its records."""
    mine = [fault for fault in faults if batch.first_deal <= fault.deal < batch.end]
    return PlayedDeals(
        batch.first_deal,
        batch.lineup,
        batch.scores,
        batch.seconds,
        batch.n_decisions,
        faults=[_read_fault(fault, batch, agents) for fault in mine],
    )


def _read_fault(fault: store.Fault, batch: Batch, agents: Sequence[str]) -> Fault:
    agent = int(batch.lineup[fault.deal - batch.first_deal, fault.rotation, fault.seat])
    return Fault(
        agent=agent,
        spec=agents[agent],
        game=-1,
        deal=fault.deal,
        rotation=fault.rotation,
        seat=fault.seat,
        position="",
        reason=fault.message,
        n_actions=0,
    )
