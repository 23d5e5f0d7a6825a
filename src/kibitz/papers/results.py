"""What was played, kept in one JSON file: every game's outcome, so that a run can go on from it."""

import base64
import json
import os
import subprocess
import zlib
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
from kibitz.papers.plan import BUDGETS, Duel, Paper, Series

SCHEMA = 1
LOSS, TIE, WIN = 0, 1, 2

Outcomes = npt.NDArray[np.uint8]

MAX_FILE = 50_000_000
"""Largest file that is read, in bytes."""

MAX_DEALS = max(target.most for target in BUDGETS.values())
"""Most deals of a series."""

_Seconds = Annotated[float, Field(ge=0, le=1e12)]
_Shown = Annotated[Word, AfterValidator(plain)]  # on the terminal of whoever asks


class _Entry(Document):
    """A series as it stands in the file."""

    game: Word
    player: Word
    opponent: Word
    seed: Whole
    deals: Annotated[int, Field(ge=0, le=MAX_DEALS)]
    wins: Whole
    ties: Whole
    losses: Whole
    cpu_seconds: _Seconds
    player_seconds: _Seconds
    outcomes: Annotated[str, Field(max_length=MAX_DEALS)]


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
    series: Annotated[dict[Word, _Entry], Field(max_length=10_000)]
    tables: Any = None  # for other readers: it follows from the series


@dataclass(frozen=True)
class Log:
    """What a series has come to so far."""

    outcomes: Outcomes  # for the player: [deals, seats]
    cpu_seconds: float = 0.0  # of both
    player_seconds: float = 0.0  # the player's part of them

    def __len__(self) -> int:
        """How many deals were played."""
        return len(self.outcomes)

    def plus(self, other: "Log") -> "Log":
        """Add the deals that come next."""
        return Log(
            np.concatenate([self.outcomes, other.outcomes]),
            self.cpu_seconds + other.cpu_seconds,
            self.player_seconds + other.player_seconds,
        )

    @property
    def n_games(self) -> int:
        """How many games were played."""
        return self.outcomes.size

    @property
    def points(self) -> npt.NDArray[np.float64]:
        """The player's share of each deal, a tie being half a win: [deals]."""
        return self.outcomes.mean(axis=1) / WIN


NOTHING = Log(np.zeros((0, 2), np.uint8))


@dataclass
class Results:
    """Everything that was played for a paper."""

    paper: str
    seed: int
    budget: str = ""
    measured: dict[str, int] = field(default_factory=dict)
    logs: dict[str, Log] = field(default_factory=dict)
    series: dict[str, Series] = field(default_factory=dict)  # those of the logs
    commits: list[str] = field(default_factory=list)
    versions: dict[str, int] = field(default_factory=dict)  # of the rules, by game
    hardware: str = ""
    _packed: dict[str, tuple[int, str]] = field(default_factory=dict)

    def log(self, series: Series) -> Log:
        """Give what a series has come to."""
        return self.logs.get(series.key, NOTHING)

    def add(self, series: Series, log: Log) -> None:
        """Take in the next deals of a series."""
        self.logs[series.key] = self.log(series).plus(log)
        self.series[series.key] = series

    def begin(self, budget: str) -> None:
        """Write down by what, on what and how long the next games are played."""
        self.hardware = describe()
        self.budget = max(budget, self.budget or budget, key=list(BUDGETS).index)
        commit = _commit()
        if commit not in self.commits:
            self.commits.append(commit)

    def as_json(self) -> dict[str, Any]:
        """Give the document."""
        return {
            "schema": SCHEMA,
            "paper": self.paper,
            "seed": self.seed,
            "budget": self.budget,
            "kibitz": __version__,
            "commits": self.commits,
            "rules": self.versions,
            "hardware": self.hardware,
            "measured": self.measured,
            "series": {key: self._entry(key) for key in sorted(self.logs)},
        }

    def _entry(self, key: str) -> dict[str, Any]:
        log, series = self.logs[key], self.series[key]
        if self._packed.get(key, (-1, ""))[0] != len(log):
            self._packed[key] = len(log), _pack(log.outcomes)
        wins, ties = (int((log.outcomes == kind).sum()) for kind in (WIN, TIE))
        return {
            "game": series.game,
            "player": series.player.spec,
            "opponent": series.opponent.spec,
            "seed": series.seed(self.seed),
            "deals": len(log),
            "wins": wins,
            "ties": ties,
            "losses": log.n_games - wins - ties,
            "cpu_seconds": round(log.cpu_seconds, 3),
            "player_seconds": round(log.player_seconds, 3),
            "outcomes": self._packed[key][1],
        }

    def save(self, path: Path, tables: list[dict[str, Any]]) -> None:
        """Write the file anew: readers find the old one or the new one, never half of it."""
        document = {**self.as_json(), "tables": tables}
        temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
        try:
            temporary.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", "utf-8")
            temporary.replace(path)
        except OSError as error:
            temporary.unlink(missing_ok=True)
            raise KibitzError(f"cannot write {path}: {error.strerror or error}") from None


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
    known = {one.key: one for table in paper.make_tables(results.measured) for one in table.series}
    for key, entry in document.series.items():
        series = known.get(key)
        if series is None or (
            *(series.game, series.player.spec, series.opponent.spec),
            series.seed(results.seed),
        ) != (entry.game, entry.player, entry.opponent, entry.seed):
            raise ValueError(f"{key!r} is not a series of the paper")
        results.logs[key], results.series[key] = _read_log(key, entry), series
    return results


def _read_log(key: str, entry: _Entry) -> Log:
    """Read what a series has come to; the counts beside the outcomes must be theirs."""
    outcomes = _unpack(key, entry.outcomes, entry.deals)
    counts = [int((outcomes == kind).sum()) for kind in (WIN, TIE, LOSS)]
    if counts != [entry.wins, entry.ties, entry.losses]:
        raise ValueError(f"{key!r} counts other wins, ties and losses than its outcomes have")
    if entry.player_seconds > entry.cpu_seconds:
        raise ValueError(f"the player of {key!r} took longer than both")
    return Log(outcomes, entry.cpu_seconds, entry.player_seconds)


def _pack(outcomes: Outcomes) -> str:
    """Write outcomes as text, four to a byte and compressed."""
    flat = np.zeros(-(-outcomes.size // 4) * 4, np.uint8)
    flat[: outcomes.size] = outcomes.ravel()
    four = flat.reshape(-1, 4)
    bytes_ = four[:, 0] | four[:, 1] << 2 | four[:, 2] << 4 | four[:, 3] << 6
    return base64.b64encode(zlib.compress(bytes_.astype(np.uint8).tobytes(), 9)).decode()


def _unpack(key: str, text: str, deals: int) -> Outcomes:
    """Read outcomes: just as many as there are deals, whatever else the text would unpack to."""
    size = -(-2 * deals // 4)
    reader = zlib.decompressobj()
    packed = reader.decompress(base64.b64decode(text, validate=True), size + 1)
    bytes_ = np.frombuffer(packed, np.uint8)
    four = np.stack([bytes_ >> shift & 3 for shift in (0, 2, 4, 6)], axis=1)
    if len(bytes_) != size or not reader.eof or four.max(initial=0) > WIN:
        raise ValueError(f"the outcomes of {key!r} are not those of {deals} deals")
    return four.ravel()[: 2 * deals].reshape(deals, 2).astype(np.uint8)


def _commit() -> str:
    """Name the commit of the code, if it is in a checkout."""
    here = Path(__file__).parent
    command = ["git", "-C", str(here), "describe", "--always", "--dirty", "--abbrev=12"]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return "unknown"
    return answer.stdout.strip() or "unknown"


def differing(results: Results, duel: Duel) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Tell where each player of a duel beat the defender, on the deals both have played."""
    a, b = results.log(duel.a), results.log(duel.b)
    n = min(len(a), len(b))
    return a.outcomes[:n] == WIN, b.outcomes[:n] == WIN
