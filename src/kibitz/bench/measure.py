"""What a benchmark is, and how it is measured.

A benchmark names ours and its peers. All of them are prepared first (compiled, built, warmed up,
calibrated), then sampled in turn, several times. Medians are reported, and the median of the
ratios within each repeat: neighbours in time met the same machine.

Times are CPU seconds unless a benchmark says otherwise: wall time on a shared machine measures the
neighbours.
"""

import resource
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

OURS = "ours"

Sample = Callable[[float], float]
"""Work for about so many seconds and return the figure, in the benchmark's unit."""

Contender = Callable[[], Sample]
"""Prepare everything that must not be timed; raise Missing if it cannot take part here."""

Work = Callable[[int], float]
"""Do so many units of work and return the seconds they took."""

_CALIBRATION_SECONDS = 0.02

_WINDOW_SECONDS = 0.25
"""What one worker needs in a window: long beside what is left over when the other is done."""

_LONGER = 4
"""A speed-up compares times on the clock, which other guests of a machine disturb: its samples last
so many times as long as others."""


class Missing(Exception):
    """A peer cannot take part; the message is one line that says why and what would help."""


@dataclass(frozen=True)
class Target:
    """What we want a figure to reach."""

    bound: float
    at_most: bool = False

    def is_met(self, figure: float) -> bool:
        """Whether a figure is good enough."""
        return figure <= self.bound if self.at_most else figure >= self.bound

    def note(self, unit: str) -> str:
        """Write the target in words."""
        return f"{'at most' if self.at_most else 'at least'} {self.bound:,g} {unit}"


@dataclass(frozen=True)
class Benchmark:
    """One thing to measure."""

    name: str  # what is measured, after the game it is measured on
    unit: str
    about: str  # one sentence, with the clock it goes by
    ours: Contender
    peers: Mapping[str, Contender] = field(default_factory=dict)
    outside: Mapping[str, Contender] = field(default_factory=dict)  # only where asked for
    target: Target | None = None
    least_ratio: Mapping[str, float] = field(default_factory=dict)  # to a peer, that we want
    lower_is_better: bool = False
    most_repeats: int | None = None  # where a repeat is slow, or would say the same again

    def __post_init__(self) -> None:
        """Refuse ratios that would be the better the lower they are."""
        if self.least_ratio and self.lower_is_better:
            raise ValueError(f"{self.name}: a least ratio where lower is better")

    def repeats(self, wanted: int) -> int:
        """Return how often this one is sampled if `wanted` samples are asked for."""
        return wanted if self.most_repeats is None else min(wanted, self.most_repeats)


@dataclass(frozen=True)
class Result:
    """The figures of one benchmark, repeat by repeat."""

    benchmark: Benchmark
    figures: Mapping[str, list[float]]  # of "ours" and of each peer

    @property
    def ours(self) -> float:
        """The median of ours."""
        return statistics.median(self.figures[OURS])

    @property
    def spread(self) -> tuple[float, float]:
        """The lowest and the highest of ours."""
        return min(self.figures[OURS]), max(self.figures[OURS])

    @property
    def peers(self) -> dict[str, float]:
        """The median of each peer."""
        return {who: statistics.median(theirs) for who, theirs in self._theirs()}

    @property
    def ratio(self) -> dict[str, float]:
        """The median over repeats of ours divided by each peer's."""
        ours = self.figures[OURS]
        return {
            who: statistics.median(a / b for a, b in zip(ours, theirs, strict=True))
            for who, theirs in self._theirs()
        }

    def _theirs(self) -> list[tuple[str, list[float]]]:
        return [(who, figures) for who, figures in self.figures.items() if who != OURS]

    def as_json(self) -> dict[str, Any]:
        """Return what `kibitz bench --json` prints of this benchmark."""
        document: dict[str, Any] = {
            "name": self.benchmark.name,
            "unit": self.benchmark.unit,
            "lower_is_better": self.benchmark.lower_is_better,
            "ours": self.ours,
            "spread": list(self.spread),
            "peers": self.peers,
            "ratio": self.ratio,
        }
        if self.benchmark.target is not None:
            document["target"] = self.benchmark.target.note(self.benchmark.unit)
        if self.benchmark.least_ratio:
            document["least_ratio"] = dict(self.benchmark.least_ratio)
        return document


def measure(
    benchmark: Benchmark,
    *,
    seconds: float,
    repeats: int,
    outside: bool = False,
    tell: Callable[[str], None] = lambda line: None,
    advance: Callable[[], None] = lambda: None,
) -> Result:
    """Run a benchmark: ours and its peers in turn, several times.

    Args:
        benchmark: what to measure.
        seconds: about how long one sample of one contender lasts.
        repeats: how many samples of each.
        outside: whether to measure other people's programs too.
        tell: told in one line about every peer that is left out.
        advance: called after every repeat.
    """
    contenders = {OURS: benchmark.ours()}
    for who, peer in {**benchmark.peers, **(benchmark.outside if outside else {})}.items():
        try:
            contenders[who] = peer()
        except Missing as reason:
            tell(f"peer {who}: {reason}")
    figures: dict[str, list[float]] = {who: [] for who in contenders}
    for repeat in range(benchmark.repeats(repeats)):
        # Every other repeat runs backwards, so that nobody always comes after the same one.
        for who in reversed(contenders) if repeat % 2 else contenders:
            figures[who].append(contenders[who](seconds))
        advance()
    return Result(benchmark, figures)


def rate(work: Work) -> Sample:
    """Make a sample of units per second; it lasts as long as asked by what the last one took."""
    work(1)  # compiles, where something is compiled
    n = 1
    while (took := work(n)) < _CALIBRATION_SECONDS:
        n *= 4
    speed = n / took

    def sample(seconds: float) -> float:
        nonlocal speed
        n = max(1, round(speed * seconds))
        speed = n / work(n)
        return speed

    return sample


def speed_up(work: Callable[[int, int], float]) -> Sample:
    """Make a sample of how much faster two workers do the same work than one.

    `work` does so many units with so many workers, and returns the seconds on the clock. Both take
    turns in short windows, so that they meet the same machine, and all their time counts: this is
    what two workers sustain.
    """
    n = 2
    for workers in (1, 2):
        work(n, workers)  # compiles, and touches the memory of every worker
    while work(n, 1) < _WINDOW_SECONDS:
        n *= 2

    def sample(seconds: float) -> float:
        took: dict[int, list[float]] = {1: [], 2: []}
        while sum(map(sum, took.values())) < _LONGER * seconds:
            for workers in (1, 2):
                took[workers].append(work(n, workers))
        return sum(took[1]) / sum(took[2])

    return sample


def nanoseconds(work: Work) -> Sample:
    """Make a sample of nanoseconds per unit."""
    per_second = rate(work)
    return lambda seconds: 1e9 / per_second(seconds)


def cpu_time(action: Callable[[], object]) -> float:
    """Return the CPU seconds that this thread spends on `action`; progress bars run in another."""
    began = time.thread_time()
    action()
    return time.thread_time() - began


def process_cpu_time(action: Callable[[], object]) -> float:
    """Return the CPU seconds that all threads of this process spend during `action`."""
    began = time.process_time()
    action()
    return time.process_time() - began


def wall_time(action: Callable[[], object]) -> float:
    """Return the seconds on the clock that `action` takes."""
    began = time.perf_counter()
    action()
    return time.perf_counter() - began


def children_cpu_time(action: Callable[[], object]) -> float:
    """Return the CPU seconds of the processes that `action` starts and waits for."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    action()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
