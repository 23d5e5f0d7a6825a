"""What goes into a store and what comes out: small frozen values that check themselves.

StoredBatch and StoredFault repeat the arena's PlayedDeals and Fault: those hold records and come
with the compiler, and a store must open without it. `journal.py` turns the ones into the others.
"""

import json
import math
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from kibitz.core.errors import StoreError, clip
from kibitz.core.outside import read_object

Status = Literal["running", "stopped", "done"]
Settings = Mapping[str, Any]
"""Anything JSON can say; how a match is to be continued."""

STATUSES: tuple[str, ...] = get_args(Status)

LARGEST = 2**63 - 1
"""Largest whole number that a database holds."""

MAX_SETTINGS = 1_000_000
"""Longest settings that are stored and read, in characters."""

ARRAYS: dict[str, np.dtype[Any]] = {
    "lineup": np.dtype("<i2"),
    "scores": np.dtype("<f8"),
    "seconds": np.dtype("<f8"),
    "n_decisions": np.dtype("<i8"),
}
"""The arrays of a batch, as they lie in the database."""

SHAPE = ("n_deals", "n_games", "n_seats", "n_agents", "n_steps")


@dataclass(frozen=True)
class TournamentRow:
    """A tournament as it was begun, and where it stands."""

    id: int
    game: str  # spec
    form: str
    seed: int
    settings: Settings
    package_version: str  # of the kibitz that began it
    status: Status
    started: datetime  # UTC
    ended: datetime | None


@dataclass(frozen=True)
class MatchRow:
    """A match as it was begun, and where it stands."""

    id: int
    tournament: int | None  # None: it stands alone
    number: int  # within its tournament
    game: str  # spec
    game_version: int  # of its rules
    seed: int
    agents: tuple[str, ...]  # specs; the lineups of its batches are indices into them
    settings: Settings
    package_version: str  # of the kibitz that began it
    status: Status
    started: datetime  # UTC
    ended: datetime | None


@dataclass(frozen=True)
class StoredFault:
    """What an agent did wrong, and where."""

    deal: int
    rotation: int  # number of the game within the deal
    seat: int
    agent: str  # spec
    message: str
    position: str = ""
    line: str | None = None  # the game up to there, as a record

    def __post_init__(self) -> None:
        """Bring everything into the form in which it is stored."""
        for name in ("deal", "rotation", "seat"):
            _set(self, name, check_whole(name, getattr(self, name)))
        check_text("the agent of a fault", self.agent)
        for name in ("message", "position"):
            value = getattr(self, name)
            if not isinstance(value, str):
                raise StoreError(f"the {name} of a fault must be a text, got {clip(value)}")
            # A message may quote anything an agent said: that must not cost the tournament.
            _set(self, name, _printable(value))
        if self.line is not None:
            _check_line(self.line)


@dataclass(frozen=True)
class Rating:
    """How strong an agent is, in some system; NaN bounds mean that none are known."""

    agent: str  # spec
    system: str  # e.g. "plackett-luce", "elo", "openskill"
    value: float
    low: float  # of its 95 % interval
    high: float
    n_games: int

    def __post_init__(self) -> None:
        """Bring everything into the form in which it is stored."""
        check_text("the agent of a rating", self.agent)
        check_text("the system of a rating", self.system)
        for name in ("value", "low", "high"):
            _set(self, name, float(getattr(self, name)))
        if math.isnan(self.value):
            raise StoreError(f"the rating of {clip(self.agent)} is not a number")
        _set(self, "n_games", check_whole("n_games", self.n_games))


@dataclass(frozen=True, eq=False)
class StoredBatch:
    """The results of a contiguous range of deals; the same number of games for each of them."""

    first_deal: int
    lineup: npt.NDArray[np.int16]  # [deals, games, seats]: index of the agent
    scores: npt.NDArray[np.float64]  # [deals, games, seats]
    seconds: npt.NDArray[np.float64]  # spent in each agent at each step: [agents, steps]
    n_decisions: npt.NDArray[np.int64]  # asked of each agent at each step: [agents, steps]
    records: Sequence[tuple[int, int, str]] = ()  # (deal, rotation, line)
    faults: Sequence[StoredFault] = ()

    def __post_init__(self) -> None:
        """Refuse arrays that do not fit each other; convert those that do without loss."""
        _set(self, "first_deal", check_whole("first_deal", self.first_deal))
        for name, dtype in ARRAYS.items():
            _set(self, name, _exactly(name, getattr(self, name), dtype.newbyteorder("=")))
        self._check_shapes()
        self._check_values()
        _set(self, "records", tuple(self._check_record(*record) for record in self.records))
        games = [record[:2] for record in self.records]
        if len(set(games)) < len(games):
            raise StoreError("a batch has two records of the same game")
        _set(self, "faults", tuple(self.faults))
        for fault in self.faults:
            self._check_game("a fault", fault.deal, fault.rotation)
            if fault.seat >= self.lineup.shape[2]:
                raise StoreError(f"a fault is of seat {fault.seat} of {self.lineup.shape[2]}")

    @property
    def n_deals(self) -> int:
        """How many deals there are."""
        return self.lineup.shape[0]

    @property
    def end(self) -> int:
        """The number after the last deal."""
        return self.first_deal + self.n_deals

    @property
    def deals(self) -> range:
        """The numbers of the deals."""
        return range(self.first_deal, self.end)

    @property
    def shape(self) -> dict[str, int]:
        """The five counts that all shapes are made of."""
        return dict(zip(SHAPE, self.lineup.shape + self.seconds.shape, strict=True))

    def pack(self) -> dict[str, bytes]:
        """Return the arrays as the database keeps them."""
        return {name: getattr(self, name).astype(ARRAYS[name]).tobytes() for name in ARRAYS}

    @classmethod
    def unpack(
        cls, first_deal: int, shape: Sequence[int], packed: Mapping[str, bytes]
    ) -> "StoredBatch":
        """Rebuild a batch from its `shape` and what `pack` gave; all of it is checked."""
        counts = [check_whole(name, count) for name, count in zip(SHAPE, shape, strict=True)]
        arrays: dict[str, Any] = {}
        for name, dtype in ARRAYS.items():
            dimensions = counts[:3] if name in ("lineup", "scores") else counts[3:]
            found, expected = len(packed[name]), math.prod(dimensions) * dtype.itemsize
            if found != expected:
                raise StoreError(f"{name} has {found} bytes, not the {expected} of its shape")
            array = np.frombuffer(packed[name], dtype).reshape(dimensions)
            arrays[name] = array.astype(dtype.newbyteorder("="))
        return cls(first_deal, **arrays)

    def _check_shapes(self) -> None:
        if self.lineup.ndim != 3 or not self.lineup.size or self.scores.shape != self.lineup.shape:
            raise StoreError(
                "lineup and scores are [deals, games, seats], "
                f"got {self.lineup.shape} and {self.scores.shape}"
            )
        if self.seconds.ndim != 2 or self.n_decisions.shape != self.seconds.shape:
            raise StoreError(
                "seconds and n_decisions are [agents, steps], "
                f"got {self.seconds.shape} and {self.n_decisions.shape}"
            )
        check_whole("the last deal", self.end)

    def _check_values(self) -> None:
        n_agents, low, high = len(self.seconds), int(self.lineup.min()), int(self.lineup.max())
        if low < 0 or high >= n_agents:
            raise StoreError(f"the lineup names agents {low} to {high} of {n_agents}")
        for name in ("scores", "seconds"):
            if not np.isfinite(getattr(self, name)).all():
                raise StoreError(f"{name} hold something that is not a finite number")

    def _check_record(self, deal: int, rotation: int, line: str) -> tuple[int, int, str]:
        deal, rotation = check_whole("deal", deal), check_whole("rotation", rotation)
        self._check_game("a record", deal, rotation)
        return deal, rotation, _check_line(line)

    def _check_game(self, what: str, deal: int, rotation: int) -> None:
        n_games = self.lineup.shape[1]
        if deal not in self.deals or rotation >= n_games:
            raise StoreError(
                f"{what} is of deal {deal}, game {rotation}: the batch has deals "
                f"{self.first_deal} to {self.end - 1} of {n_games} games"
            )


class StoreUnavailable(StoreError):
    """A database that is full, locked or out of reach: what it has is not damaged."""


class DealsTaken(StoreError):
    """Other results of the same deals are there: somebody else has played them."""


def _set(row: object, name: str, value: object) -> None:
    """Set a field of a frozen value that is being made."""
    object.__setattr__(row, name, value)


def _exactly(name: str, array: npt.ArrayLike, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """Convert an array, unless that would change a number."""
    given = np.asarray(array)
    if given.dtype == dtype:
        return given
    if given.dtype.kind in "iuf":
        with np.errstate(invalid="ignore"):
            converted = given.astype(dtype)
        if np.array_equal(converted, given):
            return converted
    raise StoreError(f"{name} of type {given.dtype} do not fit into {dtype}")


def check_whole(name: str, value: Any) -> int:
    """Return a count or an index as a plain int: drivers store NumPy's as bytes."""
    try:
        number = operator.index(value)
    except TypeError:
        raise StoreError(f"{name} must be a whole number, got {clip(value)}") from None
    if not 0 <= number <= LARGEST:
        raise StoreError(f"{name} must be from 0 to {LARGEST}, got {clip(number)}")
    return number


def check_text(name: str, value: Any) -> str:
    """Return a text that every database can keep."""
    if not isinstance(value, str) or not value or _printable(value) != value:
        raise StoreError(f"{name} must be a text, got {clip(value)}")
    return value


def check_settings(settings: Any) -> dict[str, Any]:
    """Return settings as they will be read back."""
    try:
        text = json.dumps(dict(settings), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise StoreError(f"settings must be what JSON can say: {error}") from None
    return read_settings(text)


def read_settings(text: str) -> dict[str, Any]:
    """Read settings from the text that a database keeps."""
    return read_object(text, "settings", MAX_SETTINGS, StoreError)


def _check_line(line: str) -> str:
    if "\n" in check_text("a record", line):
        raise StoreError(f"a record is one line, got {clip(line)}")
    return line


def _printable(text: str) -> str:
    """Replace what databases refuse: NUL, and halves of surrogate pairs."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode()
