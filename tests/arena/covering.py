"""How often intervals of shares and of ratings cover the truth: `python -m tests.arena.covering`.

Deals of equally many games that are lost rarely, and alone or together. Their losses are drawn as
counts: how many deals lost no game, how many lost one, and so on. An interval depends only on the
sum of losses and the sum of their squares, so it is computed once for all draws that agree in both.

Where few deals are lost, coverage at one truth moves in steps, for any interval. What can be asked
for there is the mean over a neighbourhood of truths (Brown, Cai and DasGupta, "Interval estimation
for a binomial proportion", 2001). Here that is the odds, or the share that is lost, from 0.8 to
1.25 times the nominal one, evenly in its logarithm.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import product
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri
from scipy.stats import betabinom, binom

from kibitz.arena.ratings import ELO, fit
from kibitz.arena.statistics import Estimate, share_of

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

NEIGHBOURHOOD = 1.25 ** np.linspace(-0.95, 0.95, 20)
"""Factors of what is lost, in the middle of twenty equal parts of the neighbourhood."""

FEW = 9.99
"""Expected deals with the rarer outcome from which on every single truth is looked at."""


def _luck(shared: float) -> Callable[[float, int], Floats]:
    """Lose games by luck, a part of which belongs to the deal."""
    luck, weight = np.polynomial.hermite_e.hermegauss(80)

    def chances(lost: float, games: int) -> Floats:
        chance = ndtr((ndtri(lost) - np.sqrt(shared) * luck) / np.sqrt(1 - shared))
        return (weight / weight.sum()) @ binom.pmf(np.arange(games + 1), games, chance[:, None])

    return chances


def _independent(lost: float, games: int) -> Floats:
    return binom.pmf(np.arange(games + 1), games, lost)


def _lopsided(lost: float, games: int) -> Floats:
    """Lose games with a chance of the deal's own, which is mostly near 0 or 1."""
    return betabinom.pmf(np.arange(games + 1), games, lost * 7 / 3, (1 - lost) * 7 / 3)


def _together(lost: float, games: int) -> Floats:
    chances = np.zeros(games + 1)
    chances[[0, games]] = 1 - lost, lost
    return chances


# The chances of a deal to lose 0, 1, ... games, by the share of games that are lost.
LOSSES: dict[str, Callable[[float, int], Floats]] = {
    "independent": _independent,
    "little luck": _luck(0.1),
    "some luck": _luck(0.3),
    "lopsided": _lopsided,
    "much luck": _luck(0.7),
    "together": _together,
}


class Setting(NamedTuple):
    """What is simulated."""

    lost: float  # share of games
    deals: int
    games: int  # per deal
    losses: str  # how games of a deal depend on each other

    @property
    def expected(self) -> float:
        """Deals that are lost, if they are so as a whole."""
        return self.deals * self.lost

    @property
    def times(self) -> int:
        """Repetitions: many where coverage moves in steps, and where there are few outcomes."""
        few_outcomes = self.expected < FEW or self.games == 1 or self.losses == "together"
        return 20_000 if few_outcomes else 4_000


def share_interval(losses: Ints, games: int) -> Estimate:
    """Estimate the share of lost games."""
    return share_of(losses, np.full(len(losses), games))


def lead_interval(losses: Ints, games: int) -> Estimate:
    """Estimate the lead of the favourite, in nats."""
    lost = (np.arange(games) < losses[:, None]).ravel()
    lineup, deals = np.tile([0, 1], (len(lost), 1)), np.repeat(np.arange(len(losses)), games)
    found = fit(lineup, np.stack([~lost, lost], axis=1), deals, 2).difference(0, 1)
    return Estimate(found.mean / ELO, found.low / ELO, found.high / ELO)


def lead(lost: float) -> float:
    """Find the lead of who loses that share, in nats."""
    return float(np.log(1 / lost - 1))


def covered(
    rng: np.random.Generator,
    setting: Setting,
    interval: Callable[[Ints, int], Estimate],
    truths: Iterable[tuple[float, float]],
    times: int,
) -> float:
    """Find how often intervals cover, over all of several pairs of a lost share and a truth."""
    values, hits, total = np.arange(setting.games + 1), 0, 0
    known: dict[tuple[int, int], Estimate] = {}
    for lost, truth in truths:
        chances = LOSSES[setting.losses](lost, setting.games)
        counts = rng.multinomial(setting.deals, chances / chances.sum(), times)
        sums = np.stack([counts @ values, counts @ values**2], axis=1)
        pairs, first, n = np.unique(sums, axis=0, return_index=True, return_counts=True)
        for pair, row, many in zip(map(tuple, pairs.tolist()), first, n.tolist(), strict=True):
            if pair not in known:
                known[pair] = interval(np.repeat(values, counts[row]), setting.games)
            hits += many * (known[pair].low <= truth <= known[pair].high)
        total += times
    return hits / total


def share_coverage(rng: np.random.Generator, setting: Setting, times: int, mean: bool) -> float:
    """Find how often the share of lost games is covered, at one truth or in the mean."""
    lost = setting.lost * (NEIGHBOURHOOD if mean else np.ones(1))
    truths = [(x, x) for x in lost.tolist()]
    return covered(rng, setting, share_interval, truths, times // len(truths))


def lead_coverage(rng: np.random.Generator, setting: Setting, times: int, mean: bool) -> float:
    """Find how often the lead is covered, at one truth or in the mean."""
    odds = setting.lost / (1 - setting.lost) * (NEIGHBOURHOOD if mean else np.ones(1))
    truths = [(x, lead(x)) for x in (odds / (1 + odds)).tolist()]
    return covered(rng, setting, lead_interval, truths, times // len(truths))


def ways(games: Iterable[int]) -> Iterator[tuple[int, str]]:
    """List how many games a deal may have and how they may depend on each other."""
    for n in games:
        yield from product([n], LOSSES if n > 1 else ["independent"])


def share_settings() -> list[Setting]:
    """List a wide grid: shares of 50 to 99.5 %, 20 to 400 deals of 1 to 10 games."""
    lost, deals = (0.5, 0.3, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005), (20, 50, 100, 200, 400)
    return [
        Setting(*many, *way) for many, way in product(product(lost, deals), ways((1, 2, 5, 10)))
    ]


def lead_settings() -> list[Setting]:
    """List favourites of 20 to 1 up to 150 to 1 on 100 deals of 1 to 5 games."""
    return [
        Setting(1 / (1 + odds), 100, *way)
        for odds, way in product((20, 35, 55, 90, 150), ways((1, 2, 5)))
    ]


def summary(name: str, found: list[tuple[Setting, float]]) -> str:
    """Count settings below, inside and above 93 to 97 %, and name those outside."""
    values = np.array([value for _, value in found])
    counts = (
        (values < 0.93).sum(),
        ((values >= 0.93) & (values <= 0.97)).sum(),
        (values > 0.97).sum(),
    )
    lines = [
        f"{name}: {len(found)} settings, {counts[0]} below 93 %, {counts[1]} inside, "
        f"{counts[2]} above 97 %; {values.min():.1%} to {values.max():.1%}"
    ]
    lines += [
        f"    {1 - s.lost:.1%}, {s.deals} deals of {s.games}, {s.losses}: {value:.1%}"
        for s, value in found
        if not 0.93 <= value <= 0.97
    ]
    return "\n".join(lines)


BANDS = [(0, 0.29), (0.29, 0.99), (0.99, 1.99), (1.99, 4.99), (4.99, FEW), (FEW, np.inf)]


def main() -> None:
    """Print what is covered, by the number of deals expected to be lost."""
    settings = share_settings()
    for low, high in BANDS:
        for mean in (False, True):
            some = [(i, s) for i, s in enumerate(settings) if low <= s.expected < high]
            if mean and low >= FEW:
                continue
            found = [
                (s, share_coverage(np.random.default_rng([20, mean, i]), s, s.times, mean))
                for i, s in some
            ]
            name = f"shares, {low} to {high} deals lost, {'mean' if mean else 'one truth'}"
            print(summary(name, found), flush=True)
    for mean in (False, True):
        found = [
            (s, lead_coverage(np.random.default_rng([21, mean, i]), s, 20_000, mean))
            for i, s in enumerate(lead_settings())
        ]
        print(summary(f"leads, {'mean' if mean else 'one truth'}", found), flush=True)


if __name__ == "__main__":
    main()
