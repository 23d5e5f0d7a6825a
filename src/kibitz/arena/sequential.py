"""Sequential tests: play deals until it is clear which of two hypotheses holds.

The generalised sequential probability ratio test asks whether agent A is stronger than agent B by
at most `h0` (H0) or by at least `h1` (H1). At every look the likelihood of the results so far is
maximised under either hypothesis, everything else unknown; the logarithm of the ratio is compared
with Wald's bounds, which keep the chance of a false verdict near `alpha` (H1 said, H0 true) and
`beta` (H0 said, H1 true). All games of one deal form one sample. There are two kinds of them:

- pairs, for games that are won, drawn or lost: a deal is played from both seats and A gets 0, 1/4,
  1/2, 3/4 or 1 of it. The likelihood is the multinomial one over these five outcomes, exactly.
- differences, for games of scores: A's mean score minus the mean of B's. The likelihood is the
  Gaussian one with unknown variance, corrected for skewness. Simulated tests at 5 % err in up to
  6 % of cases at a skewness of 1, and 7 % at 2. They fail where one deal in twenty or less decides
  everything and the others differ a little: no test allows for what it has not seen yet.

Of differences that are (almost) all equal the spread says nothing. So their ratio goes no further
than a rare outcome that has not been seen yet leaves open, as far off as scores can be and as rare
as will do, plus 1 for every deal that makes up the spread: with a third of them it never matters.
That ends tests without any spread. Where one deal in 10 to 200 decides everything and the others
are equal, simulated tests at 5 % err in up to 5 % of cases.

Strength is measured in points (the expected difference), or in normalised Elo: the t-value of one
game, its mean advantage over its standard deviation, times 800 / ln 10. The t-value of a deal of g
games is sqrt(g) times as large. See A. Wald, "Sequential tests of statistical hypotheses" (1945);
X. Li, J. Liu and Z. Ying, "Generalized sequential probability ratio test for separate families of
hypotheses" (2014); M. Van den Bergh, "Comments on normalized Elo" (2020).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from kibitz.core.errors import SpecError

Verdict = Literal["H0", "H1"]
Floats = npt.NDArray[np.float64]

FIRST_LOOK = 32
"""Deals before the ratio is looked at for the first time."""

ELO_PER_T = 800 / math.log(10)
"""Normalised Elo of a t-value of 1 per game; with it small normalised and usual Elo compare."""

MAX_ELO = 500
"""Largest hypothesis in normalised Elo: t = 2 for a pair, almost all of them are won."""

MAX_POINTS = 1e12
"""Largest hypothesis or difference in points."""

PSEUDO_COUNT = 1e-3
"""Stands for an outcome that has not been seen, so that no hypothesis is impossible."""

NOISE = 1e-9
"""Standard deviation in points below which differences are equal but for rounding."""

FAR = 100
"""How many times as far as their mean differences may go, if nobody says how far they can."""

_ADVANTAGES = (-0.5, -0.25, 0.0, 0.25, 0.5)  # the five outcomes of a pair, less one half
_POWERS = np.array(_ADVANTAGES)[:, None] ** np.arange(1, 5)  # [outcomes, powers]


@dataclass(frozen=True)
class Hypotheses:
    """What is tested: strength of at most `h0` against strength of at least `h1`."""

    h0: float
    h1: float
    unit: Literal["elo", "points"]  # normalised Elo, or points per game
    alpha: float = 0.05  # chance of the verdict H1 where the strength is h0
    beta: float = 0.05  # chance of the verdict H0 where the strength is h1

    def __post_init__(self) -> None:
        """Refuse what cannot be tested."""
        if self.unit not in ("elo", "points"):
            raise SpecError(f"strength is measured in 'elo' or in 'points', not in {self.unit!r}")
        most = MAX_ELO if self.unit == "elo" else MAX_POINTS
        for name, value in (("h0", self.h0), ("h1", self.h1)):
            if not abs(value) <= most:
                raise SpecError(
                    f"{name} = {value:g} {self.unit} cannot be tested: "
                    f"give a number from {-most:g} to {most:g}"
                )
        if not self.h0 < self.h1:
            raise SpecError(
                f"h0 = {self.h0:g} is not below h1 = {self.h1:g}: "
                "give the weaker strength first, and two that differ"
            )
        for name, rate in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < rate < 0.5:
                raise SpecError(
                    f"{name} = {rate:g} is no error rate of a test: "
                    "give a number between 0 and 0.5, usually 0.05"
                )

    @property
    def bounds(self) -> tuple[float, float]:
        """Wald's bounds: H0 is accepted at or below the first, H1 at or above the second."""
        lower = math.log(self.beta) - math.log1p(-self.alpha)
        return lower, math.log1p(-self.beta) - math.log(self.alpha)

    def t_values(self, games_per_deal: int) -> tuple[float, float]:
        """Return both hypotheses, which must be in Elo, as t-values of a deal."""
        per_elo = math.sqrt(games_per_deal) / ELO_PER_T
        return self.h0 * per_elo, self.h1 * per_elo


def pair_llr(counts: Sequence[float] | Floats, hypotheses: Hypotheses) -> float:
    """Return the log-likelihood ratio of H1 to H0 after pairs of games.

    Args:
        counts: how many pairs gave A 0, 1/4, 1/2, 3/4 and 1 of what was to be won.
        hypotheses: in Elo.
    """
    _require_elo(hypotheses)
    cells = [float(count) for count in counts]
    if len(cells) != len(_ADVANTAGES) or not all(0 <= cell < math.inf for cell in cells):
        raise SpecError(f"pairs are counted by five numbers from 0 on, not by {cells}")
    t0, t1 = hypotheses.t_values(games_per_deal=2)
    return _pair_likelihood(cells, t1) - _pair_likelihood(cells, t0)


def _pair_likelihood(counts: list[float], t: float) -> float:
    """Maximise the log-likelihood of pairs under a t-value, relative to its free maximum.

    With d = a - 1/2 the constraint is E d = t sigma. Where the likelihood is largest, it is so too
    under the constraint's tangent E g = 0, g = d - (t sigma / 2) (1 + ((a - mu) / sigma)^2), and
    there p = p_hat / (1 + theta g). As mu = 1/2 + t sigma at that place, g is, up to a factor,
    d - t d^2 / (2 sigma (1 + t^2)) - t sigma / 2, and sigma is a fixed point of
    sigma = sqrt(E d^2 / (1 + t^2)). The maximum is flat in sigma and theta: their errors count
    squared, so that a few rounds do.
    """
    if t < 0:
        return _pair_likelihood(counts[::-1], -t)
    cells = [count or PSEUDO_COUNT for count in counts]
    total = sum(cells)
    shares = [cell / total for cell in cells]
    norm = math.sqrt(1 + t * t)
    # Only in between does g have both signs, as it has at the solution.
    least = 0.25 * t / (norm * (norm + 1)) * (1 + 1e-9)
    most = 0.5 * (norm + 1) / (norm * t) * (1 - 1e-9) if t else math.inf
    p, g, theta, sigma = shares, list(_ADVANTAGES), 0.0, 0.0
    for _ in range(50):
        before = sigma
        sigma = math.sqrt(sum(x * d * d for x, d in zip(p, _ADVANTAGES, strict=True))) / norm
        sigma = min(max(sigma, least), most)
        bend = t / (2 * sigma * norm * norm)
        g = [d - bend * d * d - t * sigma / 2 for d in _ADVANTAGES]
        theta = _tilt(shares, g, theta)
        if t * abs(sigma - before) <= 1e-8 * sigma:
            break
        p = [x / (1 + theta * y) for x, y in zip(shares, g, strict=True)]
    return -sum(cell * math.log1p(theta * y) for cell, y in zip(cells, g, strict=True))


def _tilt(shares: list[float], g: list[float], theta: float) -> float:
    """Solve sum shares g / (1 + theta g) = 0, which falls in theta: Newton, else halving."""
    low, high = -1 / max(g), -1 / min(g)
    if not low < theta < high:
        theta = 0.0
    for _ in range(200):
        slopes = [y / (1 + theta * y) for y in g]
        pulls = [x * y for x, y in zip(shares, slopes, strict=True)]
        value = sum(pulls)
        step = value / sum(x * y for x, y in zip(pulls, slopes, strict=True))
        if abs(step) * max(map(abs, slopes)) < 1e-8:
            break
        if value > 0:
            low = theta
        else:
            high = theta
        theta = theta + step if low < theta + step < high else (low + high) / 2
    return theta


def difference_llr(
    n: int,
    mean: float,
    variance: float,
    hypotheses: Hypotheses,
    games_per_deal: int,
    skewness: float = 0.0,
) -> float:
    """Return the log-likelihood ratio of H1 to H0 after differences of scores.

    Without two samples that differ nothing is known about the spread: then the ratio is 0. With no
    skewness it is the Gaussian ratio. Skewed samples make mean and variance err together: without
    a correction three times as many verdicts are false at a skewness of 2.

    Args:
        n: number of deals.
        mean: mean of their differences.
        variance: mean squared deviation from it (divided by n, not n - 1).
        hypotheses: in Elo or in points.
        games_per_deal: how many games make one sample.
        skewness: third central moment over variance^1.5.
    """
    finite = abs(mean) <= MAX_POINTS and 0 <= variance < math.inf and math.isfinite(skewness)
    if not (finite and n >= 0 and games_per_deal >= 1):
        raise SpecError(
            f"no {n} deals of {games_per_deal} games have mean {mean:g}, variance {variance:g} and "
            f"skewness {skewness:g}: give finite numbers, and a variance of 0 or more"
        )
    if n < 2 or variance <= NOISE**2:
        return 0.0
    spread = math.sqrt(variance)
    if hypotheses.unit == "points":
        h0, h1 = hypotheses.h0, hypotheses.h1
        losses = [_mean_loss((mean - h) / spread, skewness) for h in (h0, h1)]
    else:
        t_values = hypotheses.t_values(games_per_deal)
        losses = [_t_loss(mean / spread, t, skewness) for t in t_values]
    return n / 2 * (losses[0] - losses[1])


def _mean_loss(z: float, skewness: float) -> float:
    """Return -2 log-likelihood per sample, less its minimum, of a mean z deviations off.

    To third order the empirical likelihood, which knows no shape, loses z^2 (1 + 2/3 skewness z).
    """
    return math.log1p((z * _stretch(skewness * z / 3)) ** 2)


def _t_loss(seen: float, t: float, skewness: float) -> float:
    """Return -2 log-likelihood per sample, less its minimum, of a t-value where `seen` was seen.

    In units of the deviation seen, the best sigma solves sigma^2 + seen t sigma = 1 + seen^2. To
    third order the empirical likelihood loses z^2 (1 + skewness (t + 2/3 z)), z = seen - t.
    """
    half = seen * t / 2
    root = math.sqrt(half * half + 1 + seen * seen)
    # Both are the positive solution; neither subtracts numbers that are nearly equal.
    sigma = root - half if half < 0 else (1 + seen * seen) / (root + half)
    loss = 2 * math.log(sigma) + t * t - seen * t / sigma
    return loss * _stretch(skewness * (t / 2 + (seen - t) / 3)) ** 2


def _stretch(excess: float) -> float:
    """Return 1 + excess, but from 1/2 to 2 only and so that losses grow with the distance."""
    return 1 + min(excess, 1) if excess > 0 else 1 / (1 - max(excess, -1))


def _unseen_ratio(
    mean: float, variance: float, hypotheses: Hypotheses, games_per_deal: int, reach: float
) -> float:
    """Return the ratio per sample if each hypothesis is true by an outcome that stayed away so far.

    The outcome is at either end of the reach, where the least chance of it is enough.
    """
    ends = (reach - mean, -reach - mean)
    if hypotheses.unit == "points":
        shifts = (hypotheses.h0 - mean, hypotheses.h1 - mean)
        chances = [[shift / end for end in ends] for shift in shifts]
    else:
        t_values = hypotheses.t_values(games_per_deal)
        chances = [[p for e in ends for p in _t_chances(mean, variance, t, e)] for t in t_values]
    p0, p1 = (min((p for p in some if 0 <= p < 1), default=1 - NOISE) for some in chances)
    return math.log1p(-p1) - math.log1p(-p0)


def _t_chances(mean: float, variance: float, t: float, off: float) -> list[float]:
    """Return the chances of an outcome that is `off` the mean with which the t-value becomes t.

    A chance p moves the mean to mean + p off, and the variance to (1 - p) (variance + p off^2);
    that mean is t times the root of that variance. Squared, it is quadratic in p.
    """
    if mean == t == 0:
        return [0.0]
    square = off * off
    a = square * (1 + t * t)
    b = 2 * mean * off - t * t * (square - variance)
    c = mean * mean - t * t * variance
    root = math.sqrt(max(b * b - 4 * a * c, 0.0))
    # Of both forms of the solutions those that do not subtract what is nearly equal.
    larger = -(b + math.copysign(root, b)) / 2
    chances = [larger / a, c / larger] if larger else []
    # Squaring lost the sign; and without any spread there is no t-value.
    return [p for p in chances if (mean + p * off) * t >= 0 and (p or variance)]


def expected_deals(
    hypotheses: Hypotheses, truth: float, games_per_deal: int, deviation: float | None = None
) -> float:
    """Approximate how many deals a test takes on average where the strength is `truth`.

    Wald's approximation: the ratio is a Brownian motion that stops on the bounds. It takes longest
    about halfway between the hypotheses. In truth the ratio oversteps the bounds, which takes a
    tenth more or so, and single tests may take three times the mean.

    Args:
        hypotheses: what is tested.
        truth: the strength, in the unit of the hypotheses.
        games_per_deal: how many games make one sample.
        deviation: standard deviation of a deal's difference, needed for hypotheses in points.
    """
    if hypotheses.unit == "elo":
        t0, t1 = hypotheses.t_values(games_per_deal)
        effect = t1 - t0
    elif deviation is not None and deviation > 0:
        effect = (hypotheses.h1 - hypotheses.h0) / deviation
    else:
        raise SpecError("the length of a test in points depends on the deviation: give it, above 0")
    lower, upper = hypotheses.bounds
    # Per deal the ratio moves by drift * effect^2 / 2, with variance effect^2.
    drift = (2 * truth - hypotheses.h0 - hypotheses.h1) / (hypotheses.h1 - hypotheses.h0)
    if drift < 0:
        drift, lower, upper = -drift, -upper, -lower
    if drift < 1e-6:
        return max(float(FIRST_LOOK), -lower * upper / effect**2)
    p_upper = math.expm1(drift * lower) / math.expm1(drift * (lower - upper))
    end = p_upper * upper + (1 - p_upper) * lower
    return max(float(FIRST_LOOK), end / (drift * effect**2 / 2))


@dataclass(frozen=True)
class Status:
    """How a test stands; all fields can be written as JSON.

    The mean and the Elo are plain estimates, as if the number of deals had been fixed beforehand. A
    test stops while it is ahead, so after a verdict they lie a little too far on the verdict's
    side. Estimates and intervals are None as long as there are too few deals, or no spread.
    """

    deals: int  # deals that count: after the verdict none is added
    verdict: Verdict | None
    llr: float  # log-likelihood ratio at the last look, 0 before the first
    bounds: tuple[float, float]  # where the ratio decides for H0 and for H1
    mean: float | None  # pairs: share of what was to be won; else points of difference per game
    mean_ci95: tuple[float, float] | None = None
    deviation: float | None = None  # standard deviation of a deal's share or difference
    elo: float | None = None  # normalised Elo
    elo_ci95: tuple[float, float] | None = None


class Sprt:
    """A sequential test that is fed with deals as they come.

    The ratio is looked at after fixed numbers of deals only, and deals after a verdict are ignored:
    how the deals are cut into updates changes nothing. Looks are after 32, 36, 40, ... deals: steps
    are 4 deals, and 1 % of the deals played where that is more.
    """

    def __init__(
        self,
        hypotheses: Hypotheses,
        *,
        pairs: bool,
        games_per_deal: int,
        reach: float | None = None,
    ) -> None:
        """Begin a test.

        Args:
            hypotheses: what is tested; in Elo if samples are pairs.
            pairs: whether samples are shares of pairs of games, or else differences of scores.
            games_per_deal: how many games make one sample; two if samples are pairs.
            reach: largest difference that a deal can have, either way. Without it, differences
                are believed to stay within a hundred times their mean and the hypotheses.
        """
        if games_per_deal < 1 or (pairs and games_per_deal != 2):
            needed = "two games" if pairs else "at least one game"
            raise SpecError(f"a deal of {games_per_deal} games is no sample: it takes {needed}")
        if reach is not None and not 0 < reach <= MAX_POINTS:
            raise SpecError(f"differences reach as far as a number above 0, not {reach:g}")
        if pairs:
            _require_elo(hypotheses)
        self.hypotheses = hypotheses
        self.pairs = pairs
        self.games_per_deal = games_per_deal
        self.reach = reach
        self.deals = 0  # that count
        self.verdict: Verdict | None = None
        self._llr = 0.0
        self._look = FIRST_LOOK  # when to look next
        # Powers are taken of samples less this, so that the variance loses no digits.
        self._origin = 0.5 if pairs else math.nan
        # Pairs: how often each of five outcomes came. Differences: sums of four powers.
        self._totals: Floats = np.zeros(5 if pairs else 4)

    def update(self, samples: npt.ArrayLike) -> Verdict | None:
        """Count the results of further deals, in the order of deals, and say what is decided.

        Args:
            samples: shares out of {0, 1/4, 1/2, 3/4, 1} or differences of scores, [deals].
        """
        values = np.asarray(samples, np.float64)
        if values.ndim != 1 or not np.all(np.abs(values) <= MAX_POINTS):
            raise SpecError("samples must be one row of finite numbers, one for each deal")
        if not self.pairs and self.deals == 0 and len(values):
            self._origin = float(values[0])
        # Summed one after the other, so that rounding is the same however samples are cut.
        running = np.cumsum(np.vstack([self._totals, self._terms(values)]), axis=0)
        known, last = self.deals, self.deals + len(values)
        lower, upper = self.hypotheses.bounds
        while self.verdict is None and self.deals < last:
            self.deals = min(self._look, last)
            self._totals = running[self.deals - known]
            if self.deals == self._look:
                self._look += max(4, self._look // 100)
                self._llr = self._ratio()
                if not lower < self._llr < upper:
                    self.verdict = "H0" if self._llr <= lower else "H1"
        return self.verdict

    def _terms(self, values: Floats) -> Floats:
        """Return what is summed over samples: [deals, outcomes or powers]."""
        if not self.pairs:
            return (values[:, None] - self._origin) ** np.arange(1, 5)
        hits = np.abs(values[:, None] - 0.5 - np.array(_ADVANTAGES)) < NOISE
        if not hits.any(axis=1).all():
            raise SpecError("a pair of games gives 0, 1/4, 1/2, 3/4 or 1: count a win as 1")
        return hits.astype(np.float64)

    def _ratio(self) -> float:
        if self.pairs:
            return pair_llr(self._totals, self.hypotheses)
        mean, variance, skewness, kurtosis = self._moments()
        n, tested = self.deals, (self.hypotheses, self.games_per_deal)
        seen = difference_llr(n, mean, max(variance, 2 * NOISE**2), *tested, skewness)
        unseen = n * _unseen_ratio(mean, variance, *tested, self._reach(mean))
        # If few deals differ from all others, the kurtosis is n over their number.
        n_telling = n / kurtosis if kurtosis else 0.0
        return min(max(seen, min(unseen, 0.0) - n_telling), max(unseen, 0.0) + n_telling)

    def _reach(self, mean: float) -> float:
        """Return how far from 0 an unseen difference may be, a little beyond all that is known."""
        in_points = self.hypotheses.unit == "points"
        known = (mean, self.hypotheses.h0, self.hypotheses.h1) if in_points else (mean,)
        largest = max(map(abs, known))
        if self.reach is not None:
            return max(self.reach, largest) * (1 + NOISE)
        return FAR * largest or 1.0  # where all is 0, any unit will do

    def _moments(self) -> tuple[float, float, float, float]:
        """Return mean, variance (by n), skewness and kurtosis of the samples that count."""
        sums = self._totals @ _POWERS if self.pairs else self._totals
        a, b, c, d = (sums / self.deals).tolist()
        variance = b - a * a
        if variance <= NOISE**2:
            mean = self._origin + a
            return 0.0 if abs(mean) <= NOISE else mean, 0.0, 0.0, 0.0
        third = c - 3 * a * b + 2 * a**3
        fourth = d - 4 * a * c + 6 * a * a * b - 3 * a**4
        return self._origin + a, variance, third / variance**1.5, fourth / variance**2

    def status(self) -> Status:
        """Say how the test stands."""
        n, llr, bounds = self.deals, self._llr, self.hypotheses.bounds
        if n == 0:
            return Status(n, None, llr, bounds, mean=None)
        mean, variance, skewness, kurtosis = self._moments()
        if n == 1:
            return Status(n, None, llr, bounds, mean)
        deviation = math.sqrt(variance * n / (n - 1))
        width = float(stdtrit(n - 1, 0.975)) / math.sqrt(n)
        low, high = mean - width * deviation, mean + width * deviation
        if self.pairs:
            low, high = max(low, 0.0), min(high, 1.0)
        estimate = Status(n, self.verdict, llr, bounds, mean, (low, high), deviation)
        if variance == 0:
            return estimate
        t = (mean - (0.5 if self.pairs else 0.0)) / deviation
        # By the delta method the variance of t is 1 / n times this, 1 + t^2 / 2 for Gaussians.
        margin = width * math.sqrt(max(1 - t * skewness + t * t * (kurtosis - 1) / 4, 0.0))
        per_t = ELO_PER_T / math.sqrt(self.games_per_deal)
        interval = (per_t * (t - margin), per_t * (t + margin))
        return replace(estimate, elo=per_t * t, elo_ci95=interval)


def _require_elo(hypotheses: Hypotheses) -> None:
    if hypotheses.unit != "elo":
        raise SpecError("pairs of games have no points: give the hypotheses in Elo")
