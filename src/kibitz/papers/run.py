"""The loop that plays: always the series that has come least far, in chunks that are kept.

Studies come after all series, one by one: they are not cut into chunks.
"""

import importlib.util
import time
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from kibitz.arena.match import Match
from kibitz.arena.result import Result
from kibitz.arena.statistics import places, rank_share
from kibitz.core.agent import Agent
from kibitz.core.errors import KibitzError
from kibitz.core.registry import load_agent, load_game
from kibitz.core.table import Game
from kibitz.papers.logs import LOSS, TIE, WIN, WIN_PARTS, Findings, Log, Outcomes, ScoreLog
from kibitz.papers.plan import LEAST_DEALS, Duel, Series, Study, Table, Target
from kibitz.papers.results import Results, differing

MIN_CHUNK, MAX_CHUNK = 6, 200
"""Deals that are played before the next series is chosen."""

SIMS_OF_CHUNK = 10_000_000
"""Simulations of a chunk at most, for some seconds of it."""

SECONDS_PER_SIM = 5e-7
"""For estimates before anything was played."""

SECONDS_PER_STUDY = 60.0
"""Likewise, for a study at its full size."""

HAS_TORCH = importlib.util.find_spec("torch") is not None
"""Whether learners can learn here."""

DIFFERING_PER_DEAL = 0.7
"""For estimates likewise: games of a duel that just one of the two wins."""


class Runner:
    """Plays what tables still need."""

    def __init__(
        self, tables: Sequence[Table], results: Results, target: Target, threads: int
    ) -> None:
        """Sit everybody down."""
        self._tables, self._target = tables, target
        self._results, self._threads = results, threads
        self._games: dict[str, Game] = {}
        self._agents: dict[tuple[str, str], Agent] = {}
        for spec in {one.game for table in tables for one in table.series}:
            game = self._games[spec] = load_game(spec)
            version = game.facts.version
            if results.versions.setdefault(spec, version) != version:
                raise KibitzError(
                    f"these results were played by version {results.versions[spec]} of the rules "
                    f"of {spec}, which is {version} now: begin a new file"
                )

    def play(self, is_time_up: Callable[[], bool]) -> Iterator[tuple[Series | Study, int]]:
        """Play until the target is reached; yield every chunk or study, and how much of it."""
        while not is_time_up():
            left = self._unfinished()
            if not left:
                break
            series = min(left, key=lambda one: self._progress(one))
            n = self._chunk(series)
            self._results.add(series, self._play(series, n))
            yield series, n
        for study in self.open_studies():
            if is_time_up():
                return
            yield study, self._find_out(study)

    def open_studies(self) -> list[Study]:
        """Return the studies that have not found enough and can be run here, once each."""
        return [one for one in self._all_open_studies() if not one.needs_torch or HAS_TORCH]

    def left_out(self) -> list[Study]:
        """Return the studies that have not found enough and need torch, which is not here."""
        return [one for one in self._all_open_studies() if one.needs_torch and not HAS_TORCH]

    def _all_open_studies(self) -> list[Study]:
        every = {one.key: one for table in self._tables for one in table.studies}.values()
        return [one for one in every if self._results.findings(one).size < self._size(one)]

    def amount_left(self) -> int:
        """Estimate how many deals are left to play, and games of studies."""
        deals = sum(self._left(table, one) for table in self._tables for one in table.series)
        return deals + sum(self._size(one) for one in self.open_studies())

    def seconds_left(self) -> float:
        """Estimate the processor time that the rest takes."""
        series = sum(
            self._left(table, one) * self._seconds_per_deal(one)
            for table in self._tables
            for one in table.series
        )
        studies = self.open_studies()
        return series + sum(SECONDS_PER_STUDY * self._size(one) / one.size for one in studies)

    def _find_out(self, study: Study) -> int:
        """Run a study; return its size."""
        size = self._size(study)
        began = time.process_time()
        points = study.run(size, self._results.seed, self._threads)
        found = Findings(size, tuple(points), time.process_time() - began)
        self._results.note(study, found)
        return size

    def _size(self, study: Study) -> int:
        return self._target.part_of(study.size, study.least)

    def _progress(self, series: Series) -> float:
        """Return how far a series has come: deals, or for standings the share of them."""
        played = len(self._results.any_log(series))
        return played if not series.keeps_scores else played / max(self._deals(series), 1)

    def _deals(self, series: Series) -> int:
        """Return how many deals of a series with a known number are enough."""
        if not series.keeps_scores:
            return self._target.deals
        wanted = max(table.deals for table in self._tables if series in table.series)
        return self._target.part_of(wanted, LEAST_DEALS)

    def _unfinished(self) -> list[Series]:
        return [one for table in self._tables for one in table.series if self._left(table, one)]

    def _left(self, table: Table, series: Series) -> int:
        """Return the deals that a series still needs, estimated if that depends on how they end."""
        played = len(self._results.any_log(series))
        duels = [duel for duel in table.duels if series in (duel.a, duel.b)]
        if not duels:
            return max(self._deals(series) - played, 0)
        enough = self._target.differing_in(table)
        needed = max(self._needed(duel, enough) for duel in duels)
        return max(min(needed, self._target.most) - played, 0)

    def _needed(self, duel: Duel, enough: int) -> int:
        """Estimate the deals of a duel after which `enough` games differ."""
        a, b = differing(self._results, duel)
        n, found = len(a), int((a ^ b).sum())
        rest = enough - found
        if rest <= 0:
            return n
        per_deal = found / n if found > 20 else DIFFERING_PER_DEAL
        return n + max(int(rest / per_deal), 1)

    def _chunk(self, series: Series) -> int:
        """Say how many deals to play next; it must follow from what was played alone."""
        played = len(self._results.any_log(series))
        most_chunk = max(
            min(MAX_CHUNK, int(SIMS_OF_CHUNK / max(self._sims_of_deal(series), 1))), MIN_CHUNK
        )
        chunk = min(max(played, MIN_CHUNK), most_chunk)
        most = self._deals(series) if not self._is_in_duel(series) else self._target.most
        return min(chunk, most - played)

    def _is_in_duel(self, series: Series) -> bool:
        return any(table.duels and series in table.series for table in self._tables)

    def _sims_of_deal(self, series: Series) -> float:
        """Return the simulations of all seats in all games of a deal."""
        n_seats = self._games[series.game].n_seats
        filling = series.players[-1].sims * (n_seats - len(series.players))
        return n_seats * (sum(one.sims for one in series.players) + filling)

    def _seconds_per_deal(self, series: Series) -> float:
        log = self._results.any_log(series)
        if len(log):
            return log.cpu_seconds / len(log)
        return SECONDS_PER_SIM * self._sims_of_deal(series)

    def _play(self, series: Series, n: int) -> Log | ScoreLog:
        """Play the next deals of a series."""
        game = self._games[series.game]
        match = Match(
            game,
            [self._agent(game, one.spec) for one in series.players],
            n,
            series.seed(self._results.seed),
            first_deal=len(self._results.any_log(series)),
            workers=self._threads,
        )
        began = time.process_time()
        for _ in match.play():
            pass
        seconds = time.process_time() - began
        result = match.result()
        spent = result.seconds.sum(axis=1)
        times = seconds, seconds * float(spent[0] / spent.sum())
        if series.keeps_scores:
            return score_log(result, *times)
        return Log(_outcomes(result.scores), *times)

    def _agent(self, game: Game, spec: str) -> Agent:
        """Return an agent that has been compiled: nobody is charged for that."""
        key = game.spec, spec
        if key not in self._agents:
            agent = self._agents[key] = load_agent(spec, game)
            for _ in Match(game, [agent, agent], 1, 0).play():
                pass
        return self._agents[key]


def _outcomes(scores: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> Outcomes:
    """Say how the first agent of a round robin of two fared: [deals, seats]."""
    lead = np.stack([scores[:, 0, 0] - scores[:, 0, 1], scores[:, 1, 1] - scores[:, 1, 0]], axis=1)
    return np.where(lead > 0, WIN, np.where(lead == 0, TIE, LOSS)).astype(np.uint8)


def score_log(result: Result, cpu_seconds: float, player_seconds: float) -> ScoreLog:
    """Add up what every agent of a match scored and won on every deal."""
    ahead, level = places(result.scores)
    parts = np.rint(WIN_PARTS * rank_share(0, ahead, level)).astype(np.int64)
    whole = np.rint(result.scores).astype(np.int64)
    if (whole != result.scores).any():
        raise KibitzError("scores of tables are added up as whole numbers, and these are not")
    sits = [result.lineup == agent for agent in range(len(result.agents))]
    scores, wins = (
        np.stack([np.where(mine, what, 0).sum(axis=(1, 2)) for mine in sits], axis=1)
        for what in (whole, parts)
    )
    return ScoreLog(
        scores.astype(np.int32),
        wins.astype(np.int32),
        tuple(int(mine[0].sum()) for mine in sits),
        tuple(int((whole[mine] ** 2).sum()) for mine in sits),
        cpu_seconds,
        player_seconds,
    )
