"""The loop that plays: always the series that has come least far, in chunks that are kept."""

import time
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from kibitz.arena.match import Match
from kibitz.core.agent import Agent
from kibitz.core.errors import KibitzError
from kibitz.core.registry import load_agent, load_game
from kibitz.core.table import Game
from kibitz.papers.plan import Duel, Series, Table, Target
from kibitz.papers.results import LOSS, TIE, WIN, Log, Outcomes, Results, differing

MIN_CHUNK, MAX_CHUNK = 6, 200
"""Deals that are played before the next series is chosen."""

SIMS_OF_CHUNK = 10_000_000
"""Simulations of a chunk at most, for some seconds of it."""

SECONDS_PER_SIM = 5e-7
"""For estimates before anything was played."""

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

    def play(self, is_time_up: Callable[[], bool]) -> Iterator[tuple[Series, int]]:
        """Play until the target is reached; yield every chunk: the series and how many deals."""
        while not is_time_up():
            left = self._unfinished()
            if not left:
                return
            series = min(left, key=lambda one: len(self._results.log(one)))
            n = self._chunk(series)
            self._results.add(series, self._play(series, n))
            yield series, n

    def deals_left(self) -> int:
        """Estimate how many deals are left to play."""
        return sum(self._left(table, one) for table in self._tables for one in table.series)

    def seconds_left(self) -> float:
        """Estimate the processor time that the rest takes."""
        return sum(
            self._left(table, one) * self._seconds_per_deal(one)
            for table in self._tables
            for one in table.series
        )

    def _unfinished(self) -> list[Series]:
        return [one for table in self._tables for one in table.series if self._left(table, one)]

    def _left(self, table: Table, series: Series) -> int:
        """Give the deals that a series still needs, estimated if that depends on how they end."""
        played = len(self._results.log(series))
        duels = [duel for duel in table.duels if series in (duel.a, duel.b)]
        if not duels:
            return max(self._target.deals - played, 0)
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
        played = len(self._results.log(series))
        sims_of_deal = 2 * (series.player.sims + series.opponent.sims)
        most_chunk = max(min(MAX_CHUNK, int(SIMS_OF_CHUNK / max(sims_of_deal, 1))), MIN_CHUNK)
        chunk = min(max(played, MIN_CHUNK), most_chunk)
        most = self._target.deals if not self._is_in_duel(series) else self._target.most
        return min(chunk, most - played)

    def _is_in_duel(self, series: Series) -> bool:
        return any(table.duels and series in table.series for table in self._tables)

    def _seconds_per_deal(self, series: Series) -> float:
        log = self._results.log(series)
        if len(log):
            return log.cpu_seconds / len(log)
        return 2 * SECONDS_PER_SIM * (series.player.sims + series.opponent.sims)

    def _play(self, series: Series, n: int) -> Log:
        """Play the next deals of a series."""
        game = self._games[series.game]
        pair = [self._agent(game, one.spec) for one in (series.player, series.opponent)]
        match = Match(
            game,
            pair,
            n,
            series.seed(self._results.seed),
            first_deal=len(self._results.log(series)),
            workers=self._threads,
        )
        began = time.process_time()
        for _ in match.play():
            pass
        seconds = time.process_time() - began
        result = match.result()
        spent = result.seconds.sum(axis=1)
        return Log(_outcomes(result.scores), seconds, seconds * float(spent[0] / spent.sum()))

    def _agent(self, game: Game, spec: str) -> Agent:
        """Give an agent that has been compiled: nobody is charged for that."""
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
