"""What the ladder's learners told while they were trained: figures 7.1 to 7.3.

Training takes longer than a paper may, so what the runs of the models that ship told is kept beside
this file; `python scripts/tichu_curves.py` writes it from the logs of runs.
"""

import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from kibitz.arena.statistics import Estimate
from kibitz.papers.plan import Point

FILE = Path(__file__).with_name("curves.json")

MILLION = 1e6
LINES = 2
"""Lines of a log that make a point."""

NORMAL = 1.4826
"""Standard deviation of a normal distribution whose median distance from its middle is 1."""


def told(run: str, names: Sequence[str]) -> Callable[[int, int, int], list[Point]]:
    """Return numbers that a run told, by millions of decisions."""

    def study(size: int, seed: int, threads: int) -> list[Point]:
        kept = json.loads(FILE.read_text("utf-8"))[run]
        decisions = np.cumsum(kept["decisions"]) / MILLION
        points = []
        for name in names:
            numbers = np.array([math.nan if one is None else one for one in kept[name]])
            points += smooth(name, decisions, numbers)
        return points

    return study


def smooth(name: str, x: npt.ArrayLike, numbers: npt.ArrayLike) -> list[Point]:
    """Return means of some lines each, with what chance may have done.

    Neighbouring lines are about the same policy, so their differences show how far lines scatter;
    their median does not mind that the first ones learn fast.
    """
    values = np.asarray(numbers, float)
    known = ~np.isnan(values)
    places, values = np.asarray(x, float)[known], values[known]
    if len(values) < LINES + 1:
        return []
    spread = NORMAL * float(np.median(np.abs(np.diff(values)))) / math.sqrt(2)
    margin = 1.96 * spread / math.sqrt(LINES)
    points = []
    for end in range(LINES, len(values) + 1, LINES):
        mean = float(values[end - LINES : end].mean())
        place = float(places[end - LINES : end].mean())
        points.append(Point(name, round(place, 4), Estimate(mean, mean - margin, mean + margin)))
    return points
