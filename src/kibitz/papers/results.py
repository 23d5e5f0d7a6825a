"""What was played, kept in one JSON file: every game's outcome, so that a run can go on from it."""

import json
import os
import zlib
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import numpy.typing as npt
from pydantic import AfterValidator, Field

from kibitz._version import __version__
from kibitz.bench.machine import describe
from kibitz.core.errors import KibitzError, plain
from kibitz.core.outside import Document, First, Whole, Word, read_json
from kibitz.core.provenance import commit
from kibitz.papers.logs import (
    NOTHING,
    TIE,
    WIN,
    Findings,
    Log,
    OutcomesEntry,
    ScoreLog,
    ScoresEntry,
    SeriesEntry,
    StudyEntry,
    no_scores,
    pack,
    pack_scores,
    read_findings,
    read_log,
    read_scores,
    series_entry,
    study_entry,
)
from kibitz.papers.plan import BUDGETS, Duel, Paper, Series, Study

SCHEMA = 1

MAX_FILE = 50_000_000
"""Largest file that is read, in bytes."""

_Shown = Annotated[Word, AfterValidator(plain)]  # on the terminal of whoever asks


class _File(Document):
    """All that the file holds."""

    schema_version: Literal[1] = Field(alias="schema")
    paper: Word
    seed: Whole
    budget: Literal["", "quick", "paper", "full"]
    kibitz: _Shown
    commits: Annotated[tuple[_Shown, ...], Field(max_length=1000), First]
    rules: Annotated[dict[Word, Whole], Field(max_length=100)]
    hardware: _Shown
    measured: Annotated[
        dict[Word, Annotated[int, Field(ge=1, le=1_000_000_000)]], Field(max_length=100)
    ]
    series: Annotated[dict[Word, OutcomesEntry], Field(max_length=10_000)]
    scores: Annotated[dict[Word, ScoresEntry], Field(max_length=10_000)] = {}
    studies: Annotated[dict[Word, StudyEntry], Field(max_length=10_000)] = {}
    tables: Any = None  # for other readers: it follows from the series


@dataclass
class Results:
    """Everything that was played for a paper."""

    paper: str
    seed: int
    budget: str = ""
    measured: dict[str, int] = field(default_factory=dict)
    logs: dict[str, Log] = field(default_factory=dict)
    scores: dict[str, ScoreLog] = field(default_factory=dict)
    found: dict[str, Findings] = field(default_factory=dict)
    series: dict[str, Series] = field(default_factory=dict)  # those of the logs and scores
    studies: dict[str, Study] = field(default_factory=dict)  # those that found something
    commits: list[str] = field(default_factory=list)
    versions: dict[str, int] = field(default_factory=dict)  # of the rules, by game
    hardware: str = ""
    _packed: dict[str, tuple[int, str]] = field(default_factory=dict)

    def log(self, series: Series) -> Log:
        """Return what a series of two players has come to."""
        return self.logs.get(series.key, NOTHING)

    def score_log(self, series: Series) -> ScoreLog:
        """Return what a series at a table of many has come to."""
        return self.scores.get(series.key) or no_scores(len(series.players))

    def any_log(self, series: Series) -> Log | ScoreLog:
        """Return what a series has come to, whatever it keeps."""
        return self.score_log(series) if series.keeps_scores else self.log(series)

    def findings(self, study: Study) -> Findings:
        """Return what a study has found."""
        return self.found.get(study.key, Findings(0, ()))

    def add(self, series: Series, log: Log | ScoreLog) -> None:
        """Take in the next deals of a series."""
        if isinstance(log, ScoreLog):
            self.scores[series.key] = self.score_log(series).plus(log)
        else:
            self.logs[series.key] = self.log(series).plus(log)
        self.series[series.key] = series

    def note(self, study: Study, found: Findings) -> None:
        """Take in what a study has found, in place of what it found on fewer games."""
        self.found[study.key], self.studies[study.key] = found, study

    @property
    def n_games(self) -> int:
        """How many games were played at tables; those of studies are not counted."""
        of_two, of_many = self.logs.values(), self.scores.values()
        return sum(log.n_games for log in of_two) + sum(log.n_games for log in of_many)

    @property
    def cpu_seconds(self) -> float:
        """The processor time of everything."""
        every: list[Log | ScoreLog | Findings] = [*self.logs.values(), *self.scores.values()]
        return sum(one.cpu_seconds for one in [*every, *self.found.values()])

    def begin(self, budget: str) -> None:
        """Write down by what, on what and how long the next games are played."""
        self.hardware = describe()
        self.budget = max(budget, self.budget or budget, key=list(BUDGETS).index)
        if commit() not in self.commits:
            self.commits.append(commit())

    def as_json(self) -> dict[str, Any]:
        """Return the document."""
        document = {
            "schema": SCHEMA,
            "paper": self.paper,
            "seed": self.seed,
            "budget": self.budget,
            "kibitz": __version__,
            "commits": self.commits,
            "rules": self.versions,
            "hardware": self.hardware,
            "measured": self.measured,
            "series": {key: self._outcomes_entry(key) for key in sorted(self.logs)},
        }
        if self.scores:
            document["scores"] = {key: self._scores_entry(key) for key in sorted(self.scores)}
        if self.found:
            document["studies"] = {
                key: study_entry(self.studies[key], self.seed, self.found[key])
                for key in sorted(self.found)
            }
        return document

    def _outcomes_entry(self, key: str) -> dict[str, Any]:
        log = self.logs[key]
        if self._packed.get(key, (-1, ""))[0] != len(log):
            self._packed[key] = len(log), pack(log.outcomes)
        wins, ties = (int((log.outcomes == kind).sum()) for kind in (WIN, TIE))
        entry = series_entry(self.series[key], self.seed, log)
        times = {name: entry.pop(name) for name in ("cpu_seconds", "player_seconds")}
        counts = {"wins": wins, "ties": ties, "losses": log.n_games - wins - ties}
        return {**entry, **counts, **times, "outcomes": self._packed[key][1]}

    def _scores_entry(self, key: str) -> dict[str, Any]:
        log = self.scores[key]
        if self._packed.get(key, (-1, ""))[0] != len(log):
            self._packed[key] = len(log), pack_scores(log)
        return {
            **series_entry(self.series[key], self.seed, log),
            "seats": list(log.seats),
            "totals": log.scores.sum(axis=0, dtype=np.int64).tolist(),
            "squares": list(log.squares),
            "scores": self._packed[key][1],
        }

    def save(self, path: Path, tables: list[dict[str, Any]]) -> None:
        """Write the file anew: readers find the old one or the new one, never half of it."""
        document = {**self.as_json(), "tables": tables}
        place = Path(os.path.realpath(path))  # behind links
        temporary = place.with_name(f".{place.name}.{os.getpid()}.part")
        try:
            temporary.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", "utf-8")
            temporary.replace(place)
        except OSError as error:
            raise KibitzError(f"cannot write {path}: {error.strerror or error}") from None
        finally:
            with suppress(OSError):
                temporary.unlink()


def load_results(path: Path, paper: Paper) -> Results:
    """Read a file of results of this paper; KibitzError says what is wrong with it."""
    where = f"{path} holds no results of {paper.name}"
    try:
        with path.open("rb") as file:
            data = file.read(MAX_FILE + 1)
    except OSError as error:
        raise KibitzError(f"cannot read {path}: {error.strerror or error}") from None
    document = read_json(data, _File, where, MAX_FILE, KibitzError)
    try:
        return _read(document, paper)
    except (ValueError, zlib.error) as error:
        raise KibitzError(f"{where}: {plain(str(error))}") from None


def _read(document: _File, paper: Paper) -> Results:
    if document.paper != paper.name:
        raise ValueError(f"they are those of {document.paper!r}")
    results = Results(
        paper.name,
        document.seed,
        document.budget,
        dict(document.measured),
        commits=list(document.commits),
        versions=dict(document.rules),
        hardware=document.hardware,
    )
    tables = paper.make_tables(results.measured)
    known = {one.key: one for table in tables for one in table.series}
    for key, entry in document.series.items():
        results.series[key] = _find(key, entry, known, results.seed, keeps_scores=False)
        results.logs[key] = read_log(key, entry)
    for key, scored in document.scores.items():
        series = _find(key, scored, known, results.seed, keeps_scores=True)
        results.series[key] = series
        results.scores[key] = read_scores(key, scored, len(series.players))
    studies = {one.key: one for table in tables for one in table.studies}
    for key, studied in document.studies.items():
        study = studies.get(key)
        if study is None:
            raise ValueError(f"{key!r} is not a study of the paper")
        if (study.setting, results.seed) != (studied.setting, studied.seed):
            raise ValueError(
                f"{key!r} was played in other settings, or with other models, than now; name "
                "another file, or take it out of this one to play it again"
            )
        results.note(study, read_findings(studied))
    return results


def _find(
    key: str, entry: SeriesEntry, known: dict[str, Series], seed: int, *, keeps_scores: bool
) -> Series:
    """Return the series of an entry, which must be about the same players and deals."""
    series = known.get(key)
    if (
        series is None
        or series.keeps_scores != keeps_scores
        or (series.game, series.player.spec, series.opponent_specs, series.seed(seed))
        != (entry.game, entry.player, entry.opponent, entry.seed)
    ):
        raise ValueError(f"{key!r} is not a series of the paper")
    return series


def differing(results: Results, duel: Duel) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Return where each player of a duel beat the defender, on the deals both have played."""
    a, b = results.log(duel.a), results.log(duel.b)
    n = min(len(a), len(b))
    return a.outcomes[:n] == WIN, b.outcomes[:n] == WIN
