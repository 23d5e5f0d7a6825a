"""What was dealt at all tables, beside what chance deals.

Each game says in a module `dealt` what is counted in a deal: `count(state)` returns numbers by the
codes of their words. Chance is simulated: fair deals by seeds of their own, under the options of
each table. Only games that are over are counted, so that nobody learns about cards in play.
"""

import threading
from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from kibitz.core.messages import Message
from kibitz.core.modules import find_module
from kibitz.core.registry import game_facts, game_names, load_game
from kibitz.core.spec import spec_name
from kibitz.core.wording import words
from kibitz.store.play import TableRow

N_FAIR = 1000
"""Fair deals that are simulated for each set of options."""

BOUND = 2.576
"""Standard errors within which 99 % of fair means lie."""

MOST_SPECS = 30
"""Sets of options of one game that are counted, the most frequent first."""

MOST_REMEMBERED = 200_000

Count = Callable[[Any], dict[str, float]]


@cache
def counter_of(game: str) -> Count | None:
    """Return what a game counts in a deal, if it says."""
    dealt = find_module(game_facts(game), "dealt")
    return None if dealt is None else dealt.count


@cache
def fair_deals(spec: str) -> dict[str, tuple[float, float]]:
    """Return mean and variance of everything that is counted, over fair deals."""
    samples = [_count(spec, seed) for seed in range(N_FAIR)]
    table: npt.NDArray[np.float64] = np.array([list(one.values()) for one in samples])
    means, variances = table.mean(axis=0), table.var(axis=0, ddof=1)
    return {
        name: (float(mean), float(variance))
        for name, mean, variance in zip(samples[0], means, variances, strict=True)
    }


def _count(spec: str, seed: int) -> dict[str, float]:
    count = counter_of(spec_name(spec))
    assert count is not None
    return count(load_game(spec).deal(seed=seed).state)


class Fairness:
    """Counts deals once, and remembers what was counted."""

    def __init__(self) -> None:
        """Remember nothing yet."""
        self._counted: dict[tuple[str, int], dict[str, float]] = {}
        self._lock = threading.Lock()

    def statistics(self, rows: Iterable[TableRow]) -> list[dict[str, Any]]:
        """Return statistics of each game over the deals of tables, each deal once."""
        deals = {(row.game, row.seed) for row in rows if not row.notes.get("deals")}
        with self._lock:
            return [self._game(name, deals) for name in game_names()]

    def _game(self, name: str, deals: set[tuple[str, int]]) -> dict[str, Any]:
        facts = game_facts(name)
        own = [deal for deal in deals if spec_name(deal[0]) == name]
        frequent = Counter(spec for spec, _ in own).most_common(MOST_SPECS)
        specs = {spec for spec, _ in frequent}
        counted = [deal for deal in own if deal[0] in specs]
        shown = {"game": name, "title": facts.title, "n": len(own), "rows": []}
        if not counted or counter_of(name) is None:
            return shown
        found = [self._remember(deal) for deal in counted]
        return shown | {"rows": [_row(code, counted, found) for code in found[0]]}

    def _remember(self, deal: tuple[str, int]) -> dict[str, float]:
        if deal not in self._counted:
            if len(self._counted) >= MOST_REMEMBERED:
                self._counted.clear()
            self._counted[deal] = _count(*deal)
        return self._counted[deal]


def _row(code: str, deals: list[tuple[str, int]], found: list[dict[str, float]]) -> dict[str, Any]:
    """Compare the mean of something over deals with that of as many fair ones."""
    n = len(deals)
    fair = [fair_deals(spec)[code] for spec, _ in deals]
    expected = sum(mean for mean, _ in fair) / n
    margin = BOUND * float(np.sqrt(sum(variance for _, variance in fair))) / n
    return {
        "words": words(Message(code)),
        "expected": expected,
        "seen": sum(one[code] for one in found) / n,
        "low": max(0.0, expected - margin),
        "high": expected + margin,
    }
