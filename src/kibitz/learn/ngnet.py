"""Normalised Gaussian networks that learn by expectation and maximisation, at once or on-line.

The model (Sato and Ishii 2000): unit i has a density G_i over the inputs, with the mean mu_i and
the covariance S_i, and a linear function W_i of x~ = (x, 1) with the noise s_i^2. Then
P(x, y, i) = G_i(x) N(y; W_i x~, s_i^2 I) / M, and y(x) = E[y | x].

- `fit`: batch EM. The E step says how much each unit answers for each sample, by x *and* y; the M
  step is a weighted mean, covariance and linear regression per unit.
- `learn`: on-line EM. Discounted sums take the place of sums, and the inverse of each unit's moment
  matrix is kept up by rank-one updates, so that W is always the exact solution of what was seen.
  Forgetting is by weight (Celaya and Agostini 2015): a sample that a unit answers for by h
  discounts that unit by lambda^h, so units where nothing happens forget nothing.
- Units are produced where a sample is unlikely, deleted where nothing is left, and divided where
  the error stays large.

Covariances are whole or diagonal; both are regularised, as features of cards are singular.
"""

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from kibitz.core.errors import SpecError
from kibitz.core.kernels import allocating_kernel, inner_kernel, kernel
from kibitz.search.ngnet import Net

Floats = npt.NDArray[np.float64]

LEAST_MASS = 1e-6
"""Of a unit: what it answers for is never taken to be less."""

NEGLIGIBLE = 1e-4
"""Samples that a unit answers for by less leave it alone."""

TINY = 1e-12
"""Samples that a unit answers for by less are not added up."""

_LOG_2PI = float(np.log(2 * np.pi))


@dataclass(frozen=True)
class NGnetConfig:
    """How a network learns."""

    units: int = 25  # most of them
    covariance: Literal["full", "diagonal"] = "full"
    regular: float = 0.01  # of the mean variance, added to each: the alpha of S + alpha D^2 I
    floor: float = 1e-4  # added to every variance
    ridge: float = 1e-6  # of the regressions, per unit of mass
    noise_floor: float = 1e-6  # of the variance of the outputs: s^2 is at least that
    forget: float = 1.0  # lambda: what is left of a sum after a sample; 1 forgets nothing
    by_weight: bool = True  # whether units forget by what they answer for, or all alike
    produce: float = -np.inf  # log P(x, y) below which a unit is produced; the first always is
    delete: float = 0.01  # of an equal share of the mass: units with less are deleted
    divide: float = np.inf  # times the mean noise: units with more are divided

    def __post_init__(self) -> None:
        """Refuse parameters that make no sense."""
        if not 1 <= self.units <= 1000:
            raise SpecError(f"units={self.units}: expected 1..1000")
        if not 0 < self.forget <= 1:
            raise SpecError(f"forget={self.forget}: expected a number above 0 and at most 1")


class Units(NamedTuple):
    """All that a network knows and remembers; unit by unit, changed in place."""

    n_used: npt.NDArray[np.int64]  # [1]: units in use
    mass: Floats  # [units]: <<1>>, what each has answered for
    centres: Floats  # [units, inputs]
    scatter: Floats  # [units, inputs]: <<(x - mu)^2>>, for diagonal covariances
    inverse: Floats  # [units, 1 + inputs, 1 + inputs]: of <<x~ x~'>>
    weights: Floats  # [units, outputs, 1 + inputs]: the constant last, as in x~
    residual: Floats  # [units]: <<|y - W x~|^2>>
    precisions: Floats  # [units, inputs, inputs], or [units, inputs, 1]
    heights: Floats  # [units]: log of what G has before its exponential
    noise: Floats  # [units]: s^2


class Rates(NamedTuple):
    """The parameters that kernels need."""

    forget: float
    by_weight: bool
    regular: float
    floor: float
    least_noise: float
    produce: float


class NGnet:
    """A network, its statistics and how it learns."""

    def __init__(self, n_inputs: int, n_outputs: int, config: NGnetConfig | None = None) -> None:
        """Make a network without units: `fit` places them all, the first sample of `learn` one."""
        self.config = NGnetConfig() if config is None else config
        self.n_inputs, self.n_outputs = n_inputs, n_outputs
        m, n, d = self.config.units, n_inputs, n_outputs
        width = n if self.config.covariance == "full" else 1
        self.units = Units(
            np.zeros(1, np.int64),
            np.zeros(m),
            np.zeros((m, n)),
            np.zeros((m, n)),
            np.zeros((m, n + 1, n + 1)),
            np.zeros((m, d, n + 1)),
            np.zeros(m),
            np.zeros((m, n, width)),
            np.zeros(m),
            np.ones(m),
        )
        self.variance = 1.0  # of the outputs, by which floors are set

    @property
    def n_units(self) -> int:
        """How many units there are."""
        return int(self.units.n_used[0])

    # At once.

    def fit(
        self, x: Floats, y: Floats, rounds: int = 30, seed: int = 0, units: int | None = None
    ) -> list[float]:
        """Fit units to samples by batch EM; return the mean log-likelihood of every round.

        Args:
            x: inputs [samples, inputs].
            y: outputs [samples, outputs].
            rounds: how often E and M are done.
            seed: of the samples that units begin at.
            units: how many, if not all that there is room for.
        """
        x, y = np.asarray(x, np.float64), np.asarray(y, np.float64)
        self.variance = max(float(y.var(axis=0).mean()), 1e-12)
        shares = _first_shares(x, min(units or self.config.units, self.config.units, len(x)), seed)
        self.units.n_used[0] = shares.shape[1]
        self._maximise(x, y, shares)
        found = []
        for _ in range(rounds):
            shares = np.zeros((len(x), self.n_units))
            found.append(answer_for_all(self.units, x, y, shares) / len(x))
            self._maximise(x, y, shares)
        return found

    def _maximise(self, x: Floats, y: Floats, shares: Floats) -> None:
        """Do the M step: weighted means, covariances and regressions, as sums over the samples."""
        units, n = self.units, self.n_inputs
        moments = np.zeros((self.n_units, n + 1, n + 1 + self.n_outputs))
        add_up(units, x, y, shares, moments)
        ridge = self.config.ridge * np.eye(n + 1)
        for i in range(self.n_units):
            moment = moments[i, :, : n + 1] + units.mass[i] * ridge
            units.inverse[i] = np.linalg.inv(moment)
            units.weights[i] = np.linalg.solve(moment, moments[i, :, n + 1 :]).T
        add_errors(units, x, y, shares)
        self._refresh()

    def _refresh(self) -> None:
        """Derive densities and noise of all units from their sums."""
        for i in range(self.n_units):
            refresh(self.units, i, self._rates)

    @property
    def _rates(self) -> Rates:
        config = self.config
        least = config.noise_floor * self.variance
        return Rates(
            config.forget, config.by_weight, config.regular, config.floor, least, config.produce
        )

    # On-line.

    def learn(self, x: Floats, y: Floats, forget: float | None = None) -> None:
        """Take in samples one after the other: [samples, inputs] and [samples, outputs]."""
        rates = self._rates if forget is None else self._rates._replace(forget=forget)
        x, y = np.ascontiguousarray(x, np.float64), np.ascontiguousarray(y, np.float64)
        learn_all(self.units, x, y, rates)

    def tidy(self) -> None:
        """Delete units that have nothing left, divide those that err most, and rebuild inverses."""
        if self.n_units == 0:
            return
        self._delete()
        self._divide()
        self._rebuild()

    def _delete(self) -> None:
        units, m = self.units, self.n_units
        share = units.mass[:m].sum() / m
        kept = np.flatnonzero(units.mass[:m] >= self.config.delete * share)
        if len(kept) == m or not len(kept):
            return
        for part in units[1:]:
            part[: len(kept)] = part[kept]
        units.n_used[0] = len(kept)

    def _divide(self) -> None:
        """Split units along their longest axis: half of each, a standard deviation to each side."""
        units = self.units
        m = self.n_units
        limit = self.config.divide * (units.noise[:m] @ units.mass[:m]) / units.mass[:m].sum()
        for i in np.argsort(-units.noise[:m], kind="stable"):
            new = self.n_units
            if units.noise[i] <= limit or new >= self.config.units:
                return
            axis, deviation = self._longest(i)
            for part in units[1:]:
                part[new] = part[i]
            for k, side in ((i, 1), (new, -1)):
                self._shrink(k, axis, deviation, side)
            units.n_used[0] = new + 1

    def _longest(self, i: int) -> tuple[Floats, float]:
        """Return the direction in which a unit is widest, and its deviation there."""
        units = self.units
        if self.config.covariance == "full":
            values, vectors = np.linalg.eigh(units.precisions[i])
            return vectors[:, 0], float(1 / np.sqrt(values[0]))
        k = int(units.precisions[i, :, 0].argmin())
        axis = np.zeros(self.n_inputs)
        axis[k] = 1
        return axis, float(1 / np.sqrt(units.precisions[i, k, 0]))

    def _shrink(self, i: int, axis: Floats, deviation: float, side: int) -> None:
        """Make a copy of a unit one half of it: moved, and half as wide along an axis."""
        units = self.units
        moment = np.linalg.inv(units.inverse[i]) / 2
        mass = units.mass[i] = units.mass[i] / 2
        mean = units.centres[i].copy()
        covariance = moment[:-1, :-1] / mass - np.outer(mean, mean)
        covariance -= 0.75 * deviation**2 * np.outer(axis, axis)
        mean = units.centres[i] = mean + side * deviation * axis
        scatter = units.scatter[i] / 2 - 0.75 * mass * deviation**2 * axis**2
        units.scatter[i] = np.maximum(scatter, 0)
        values, vectors = np.linalg.eigh(covariance)
        covariance = (vectors * np.maximum(values, self.config.floor)) @ vectors.T
        whole = np.zeros_like(moment)
        whole[:-1, :-1] = mass * (covariance + np.outer(mean, mean))
        whole[:-1, -1] = whole[-1, :-1] = mass * mean
        whole[-1, -1] = mass
        units.inverse[i] = np.linalg.inv(whole)
        units.residual[i] /= 2
        refresh(units, i, self._rates)

    def _rebuild(self) -> None:
        """Make inverses anew, symmetric and with their ridge: rank-one updates lose digits."""
        units = self.units
        for i in range(self.n_units):
            moment = np.linalg.inv(units.inverse[i])
            moment = (moment + moment.T) / 2
            lacking = self.config.ridge * max(units.mass[i], LEAST_MASS) - np.linalg.eigvalsh(
                moment
            )
            moment += max(float(lacking.max()), 0.0) * np.eye(len(moment))
            units.inverse[i] = np.linalg.inv(moment)
            refresh(units, i, self._rates)

    # What has been learnt.

    def predict(self, x: Floats) -> Floats:
        """Return E[y | x] of rows of inputs: [rows, outputs]."""
        out = np.zeros((len(x), self.n_outputs))
        predict_all(self.units, np.ascontiguousarray(x, np.float64), out)
        return out

    def as_net(self) -> Net:
        """Return what has been learnt as a network that plays; covariances must be diagonal."""
        if self.config.covariance != "diagonal":
            raise SpecError("networks in models have diagonal covariances: covariance='diagonal'")
        m = max(self.n_units, 1)
        weights = np.moveaxis(self.units.weights[:m], 0, -1)  # [outputs, inputs + 1, units]
        precisions = np.maximum(self.units.precisions[:m, :, 0], 1e-6)
        whole = np.concatenate([weights[:, -1:], weights[:, :-1]], axis=1)
        return Net(self.units.centres[:m].T.copy(), precisions.T.copy(), whole)

    def state(self) -> dict[str, Any]:
        """Return all that learning goes on from, as plain data."""
        return {**self.units._asdict(), "variance": self.variance}

    def restore(self, state: Any) -> None:
        """Go on from what `state` returned."""
        for name, part in self.units._asdict().items():
            given = np.asarray(state[name])
            if given.shape != part.shape:
                raise ValueError(f"{name} is {given.shape}, here it is {part.shape}")
            part[...] = given
        if not 0 <= self.n_units <= self.config.units:
            raise ValueError(f"{self.n_units} units, at most {self.config.units} are there")
        self.variance = float(state["variance"])


def _first_shares(x: Floats, m: int, seed: int) -> Floats:
    """Share samples out among m of them, each to the nearest: chosen far apart (k-means++)."""
    rng = np.random.default_rng(seed)
    chosen = [int(rng.integers(len(x)))]
    far = ((x - x[chosen[0]]) ** 2).sum(axis=1)
    while len(chosen) < m and far.sum() > 0:
        chosen.append(int(rng.choice(len(x), p=far / far.sum())))
        far = np.minimum(far, ((x - x[chosen[-1]]) ** 2).sum(axis=1))
    centres = x[chosen]
    nearest = np.zeros(len(x), np.int64)
    for _ in range(5):
        find_nearest(x, centres, nearest)
        for i in range(len(centres)):
            if (nearest == i).any():
                centres[i] = x[nearest == i].mean(axis=0)
    return np.eye(len(centres))[nearest]


@kernel
def find_nearest(x: Floats, centres: Floats, nearest: npt.NDArray[np.int64]) -> None:
    """Write which centre is nearest to every sample."""
    for t in range(len(x)):
        least = np.inf
        for i in range(len(centres)):
            far = 0.0
            for k in range(x.shape[1]):
                far += (x[t, k] - centres[i, k]) ** 2
            if far < least:
                least, nearest[t] = far, i


@kernel
def answer_for_all(units: Units, x: Floats, y: Floats, shares: Floats) -> float:
    """Do the E step: write how much each unit answers for each sample; return log-likelihood."""
    total = 0.0
    for t in range(len(x)):
        total += _answer_for(units, x[t], y[t], shares[t])
    return total


@kernel
def add_up(units: Units, x: Floats, y: Floats, shares: Floats, moments: Floats) -> None:
    """Write masses, centres and scatter of all units, and their moments: <x~ x~'> and <x~ y'>.

    Loops take the place of products of matrices: those are made on all processors, and wait for
    them where they are busy.
    """
    n, d = x.shape[1], y.shape[1]
    for i in range(units.n_used[0]):
        units.mass[i] = LEAST_MASS
        for k in range(n):
            units.centres[i, k] = units.scatter[i, k] = 0
    for t in range(len(x)):
        for i in range(units.n_used[0]):
            h = shares[t, i]
            if h < TINY:
                continue
            units.mass[i] += h
            for k in range(n + 1):
                here = h * (x[t, k] if k < n else 1.0)
                for j in range(n):
                    moments[i, k, j] += here * x[t, j]
                moments[i, k, n] += here
                for j in range(d):
                    moments[i, k, n + 1 + j] += here * y[t, j]
    for i in range(units.n_used[0]):
        for k in range(n):
            units.centres[i, k] = moments[i, k, n] / units.mass[i]
    for t in range(len(x)):
        for i in range(units.n_used[0]):
            if shares[t, i] >= TINY:
                for k in range(n):
                    units.scatter[i, k] += shares[t, i] * (x[t, k] - units.centres[i, k]) ** 2


@kernel
def add_errors(units: Units, x: Floats, y: Floats, shares: Floats) -> None:
    """Write the weighted squared errors of all units."""
    for i in range(units.n_used[0]):
        units.residual[i] = 0
        for t in range(len(x)):
            if shares[t, i] >= TINY:
                for d in range(y.shape[1]):
                    off = y[t, d] - _answer(units, i, d, x[t])
                    units.residual[i] += shares[t, i] * off * off


@kernel
def refresh(units: Units, i: int, rates: Rates) -> None:
    """Derive the density and the noise of a unit from its sums, regularised."""
    n = units.centres.shape[1]
    mass = max(units.mass[i], LEAST_MASS)
    outputs = units.weights.shape[1]
    units.noise[i] = max(units.residual[i] / (outputs * mass), rates.least_noise)
    if units.precisions.shape[2] == 1:
        mean = 0.0
        for k in range(n):
            mean += units.scatter[i, k] / (mass * n)
        height = -0.5 * n * _LOG_2PI
        for k in range(n):
            variance = units.scatter[i, k] / mass + rates.regular * mean + rates.floor
            units.precisions[i, k, 0] = 1 / variance
            height -= 0.5 * np.log(variance)
        units.heights[i] = height
    else:
        _refresh_whole(units, i, rates, mass)


@allocating_kernel
def _refresh_whole(units: Units, i: int, rates: Rates, mass: float) -> None:
    """Derive a whole covariance: S^-1 = <<1>> times the block of the inverse that has no constant.

    The regulariser is added to S itself, so it is inverted once there and once back.
    """
    n = units.centres.shape[1]
    block = units.inverse[i, :n, :n].copy() * mass
    covariance = np.linalg.inv(block)
    added = rates.regular * np.trace(covariance) / n + rates.floor
    for k in range(n):
        covariance[k, k] += added
    covariance = (covariance + covariance.T) / 2
    units.precisions[i] = np.linalg.inv(covariance)
    units.heights[i] = -0.5 * (n * _LOG_2PI + np.linalg.slogdet(covariance)[1])


@inner_kernel
def _log_density(units: Units, i: int, x: Floats) -> float:
    """Return log G_i(x)."""
    n, is_whole = len(x), units.precisions.shape[2] > 1
    far = 0.0
    for k in range(n):
        off = x[k] - units.centres[i, k]
        if not is_whole:
            far += off * off * units.precisions[i, k, 0]
        else:
            for j in range(n):
                far += off * (x[j] - units.centres[i, j]) * units.precisions[i, k, j]
    return units.heights[i] - 0.5 * far


@inner_kernel
def _answer(units: Units, i: int, output: int, x: Floats) -> float:
    """Return what the linear function of a unit says."""
    n = len(x)
    total = units.weights[i, output, n]
    for k in range(n):
        total += units.weights[i, output, k] * x[k]
    return total


@allocating_kernel
def predict_all(units: Units, x: Floats, out: Floats) -> None:
    """Write E[y | x] of rows of inputs."""
    m = units.n_used[0]
    shares = np.empty(max(m, 1))
    for row in range(len(x)):
        top = -np.inf
        for i in range(m):
            shares[i] = _log_density(units, i, x[row])
            top = max(top, shares[i])
        total = 0.0
        for i in range(m):
            shares[i] = np.exp(shares[i] - top)
            total += shares[i]
        for d in range(out.shape[1]):
            out[row, d] = 0
            for i in range(m):
                out[row, d] += shares[i] / total * _answer(units, i, d, x[row])


@allocating_kernel
def learn_all(units: Units, x: Floats, y: Floats, rates: Rates) -> None:
    """Take in samples one after the other: on-line EM."""
    n, room = x.shape[1], len(units.mass)
    shares, turned = np.empty(room), np.empty(n + 1)
    for row in range(len(x)):
        log_p = _answer_for(units, x[row], y[row], shares)
        n_used = units.n_used[0]
        if n_used < room and (n_used == 0 or log_p < rates.produce):
            _produce(units, x[row], y[row], rates)
            continue
        for i in range(units.n_used[0]):
            if rates.by_weight and shares[i] < NEGLIGIBLE:
                continue
            left = rates.forget ** shares[i] if rates.by_weight else rates.forget
            take_in(units, i, x[row], y[row], shares[i], left, turned)
            refresh(units, i, rates)


@inner_kernel
def _answer_for(units: Units, x: Floats, y: Floats, shares: Floats) -> float:
    """Do the E step for one sample: write how much each unit answers for it; return log P(x, y)."""
    m = units.n_used[0]
    top = -np.inf
    for i in range(m):
        error = 0.0
        for d in range(len(y)):
            error += (y[d] - _answer(units, i, d, x)) ** 2
        noise = units.noise[i]
        shares[i] = _log_density(units, i, x) - error / (2 * noise)
        shares[i] -= 0.5 * len(y) * (_LOG_2PI + np.log(noise)) + np.log(float(m))
        top = max(top, shares[i])
    total = 0.0
    for i in range(m):
        shares[i] = np.exp(shares[i] - top)
        total += shares[i]
    for i in range(m):
        shares[i] /= total
    return top + np.log(total) if m > 0 else -np.inf


@inner_kernel
def take_in(
    units: Units, i: int, x: Floats, y: Floats, h: float, left: float, turned: Floats
) -> None:
    """Take one sample into the sums of a unit: what they were is discounted to `left` of it.

    With A = <<x~ x~'>> and L its inverse, A' = left A + h x~ x~', so by Sherman and Morrison
    L' = (L - h (L x~)(L x~)' / (left + h x~' L x~)) / left, and W' = W + h (y - W x~)(L' x~)'.
    """
    n = len(x)
    inverse = units.inverse[i]
    along = 0.0
    for k in range(n + 1):
        total = inverse[k, n]
        for j in range(n):
            total += inverse[k, j] * x[j]
        turned[k] = total
        along += total * (x[k] if k < n else 1.0)
    scale = h / (left + h * along)
    for k in range(n + 1):
        for j in range(n + 1):
            inverse[k, j] = (inverse[k, j] - scale * turned[k] * turned[j]) / left
    gain = 1 / (left + h * along)  # L' x~ = gain L x~
    units.residual[i] *= left
    for d in range(len(y)):
        error = y[d] - _answer(units, i, d, x)
        for k in range(n + 1):
            units.weights[i, d, k] += h * error * gain * turned[k]
        # The sum of squares at the new solution grows by the product of both errors.
        units.residual[i] += h * error * (y[d] - _answer(units, i, d, x))
    mass = units.mass[i] = left * units.mass[i] + h
    for k in range(n):
        off = x[k] - units.centres[i, k]
        units.centres[i, k] += h / max(mass, LEAST_MASS) * off
        units.scatter[i, k] = left * units.scatter[i, k] + h * off * (x[k] - units.centres[i, k])


@inner_kernel
def _produce(units: Units, x: Floats, y: Floats, rates: Rates) -> None:
    """Make a unit at a sample, as wide as the nearest one is far, that says what was seen."""
    i, n = units.n_used[0], len(x)
    near, nearest = 1.0, -1
    for j in range(i):
        far = 0.0
        for k in range(n):
            far += (x[k] - units.centres[j, k]) ** 2 / n
        if nearest < 0 or far < near:
            near, nearest = far, j
    near = max(near, rates.floor)
    units.mass[i] = 1
    for k in range(n):
        units.centres[i, k] = x[k]
        units.scatter[i, k] = near
    # The moment matrix of a mass of one around x: its inverse is known.
    square = 0.0
    for k in range(n + 1):
        for j in range(n + 1):
            units.inverse[i, k, j] = 0
    for k in range(n):
        units.inverse[i, k, k] = 1 / near
        units.inverse[i, k, n] = units.inverse[i, n, k] = -x[k] / near
        square += x[k] * x[k]
    units.inverse[i, n, n] = 1 + square / near
    for d in range(len(y)):
        for k in range(n):
            units.weights[i, d, k] = 0
        units.weights[i, d, n] = y[d]
    noise = units.noise[nearest] if nearest >= 0 else 1.0
    units.residual[i] = max(noise, rates.least_noise) * len(y)
    units.n_used[0] = i + 1
    refresh(units, i, rates)
