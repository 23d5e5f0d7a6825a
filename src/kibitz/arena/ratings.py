"""Ratings by maximum likelihood, for two-sided games and for tables of any size alike.

The model is Plackett and Luce's with the ties of Davidson and Luce (Turner, van Etten, Firth and
Kosmidis, "Modelling rankings in R", 2020). A game is ranked in stages. At each stage the best of
those left are chosen; a set C of them is chosen with a weight of

    delta_|C| * (product of the worths in C) ** (1 / |C|),        delta_1 = 1,

relative to the weights of all other sets. With two sides this is Bradley and Terry's model with
Davidson's ties. In the logarithms of worths and deltas the likelihood is concave: every stage is a
choice with linear utilities, so its gradient is what happened minus what was to be expected.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from kibitz.arena.statistics import Estimate, Floats, around
from kibitz.core.errors import SpecError

Ints = npt.NDArray[np.int64]

ELO = 400 / math.log(10)
"""Elo points per unit of the logarithm of a worth."""

PRIOR_SD = 4.0
"""Standard deviation of the prior of all logarithms, about 700 Elo.

It says 1/32 about the difference of two agents, where a drawn game between equals says 1/4: too
little to be seen in a match, enough to keep an unbeaten agent finite.
"""

LIKE_FATE = 0.2
"""Expected deals with the rarer outcome below which errors lean to the case that games end alike.

Where hardly a game is lost, the deals show no spread, and an agent that happens to be unbeaten
would be taken for too strong. The prior expects about 0.2 lost games of somebody who won them all,
so with one game a deal the lean is a half then; it has to fade fast, since a single loss is
evidence. Chosen by simulation of favourites of 7 to 1 up to 400 to 1 on 50 to 200 deals.
"""

SAME = 0.01
"""Elo points by which two fits to the same games may differ."""


@dataclass(frozen=True)
class Ratings:
    """Ratings of agents, with the covariance that errors of differences need."""

    elo: Floats  # [agents]
    covariance: Floats  # [agents, agents], of elo; NaN if all games share one deal
    tie_weights: dict[int, float]  # delta of every number of tied sides that occurred
    n_games: Ints  # [agents] in which it took part
    n_deals: int

    def estimate(self, agent: int) -> Estimate:
        """Rate one agent, relative to the mean of all or to what is fixed."""
        return self._combine(_unit(agent, len(self.elo)))

    def difference(self, a: int, b: int) -> Estimate:
        """Compare two agents: how many Elo points `a` is ahead."""
        return self._combine(_unit(a, len(self.elo)) - _unit(b, len(self.elo)))

    def expected(self, a: int, b: int) -> float:
        """Predict the share of wins and half the ties of `a` in two-sided games against `b`."""
        lead = (self.elo[a] - self.elo[b]) / ELO
        ties = self.tie_weights.get(2, 0.0)
        win, loss = math.exp(lead / 2), math.exp(-lead / 2)
        return (win + ties / 2) / (win + ties + loss)

    def anchored(self, agent: int, at: float) -> "Ratings":
        """Shift all ratings so that `agent` has the rating `at`, which is then certain."""
        shift = np.eye(len(self.elo)) - _unit(agent, len(self.elo))
        return replace(
            self,
            elo=self.elo - self.elo[agent] + at,
            covariance=shift @ self.covariance @ shift.T,
        )

    def _combine(self, weights: Floats) -> Estimate:
        """Estimate a linear combination of ratings."""
        variance = float(weights @ self.covariance @ weights)
        return around(float(weights @ self.elo), math.sqrt(max(variance, 0)), self.n_deals)


def _unit(agent: int, n: int) -> Floats:
    """Make the vector that picks one agent."""
    return (np.arange(n) == agent).astype(np.float64)


class Choices(NamedTuple):
    """All stages with equally many sides left; equal sets of agents are listed once."""

    params: Ints  # [sides + sizes, sets] where its worths and deltas are among the parameters
    sizes: list[int]  # of ties that are possible
    times: Ints  # [sets] how often each was left
    which: Ints  # [stages] the set that was left
    deals: Ints  # [stages]


class Outcomes:
    """All games as choices, ready for likelihoods.

    Parameters are the logarithms of all worths, then of the deltas of `tie_sizes`.
    """

    def __init__(self, lineup: Ints, scores: Floats, deals: Ints, n_agents: int) -> None:
        """Take games apart into stages.

        Args:
            lineup: `[games, sides]` agents, padded with -1.
            scores: `[games, sides]`, higher is better.
            deals: `[games]` numbers from 0 up.
            n_agents: how many agents there are.
        """
        left, chosen, of_deal = _stages(lineup, scores, deals)
        n_chosen = chosen.sum(axis=1)
        self.tie_sizes = [int(d) for d in np.unique(n_chosen) if d > 1]
        self.n_params = n_agents + len(self.tie_sizes)
        self.n_deals = int(deals.max()) + 1
        stage, side = np.nonzero(chosen)
        happened = [(of_deal[stage], left[stage, side], 1 / n_chosen[stage])]
        for param, size in enumerate(self.tie_sizes, n_agents):
            tied = of_deal[n_chosen == size]
            happened.append((tied, np.full_like(tied, param), np.ones(len(tied))))
        self._happened = self._per_deal(happened)
        self._total: Floats = self._happened.sum(axis=0)
        self._choices = _group(left, of_deal, self.tie_sizes, n_agents)
        agents = np.sort(lineup, axis=1)
        # An agent's first side in a game: it may play several, but the game counts once.
        game, side = np.nonzero(np.diff(agents, axis=1, prepend=-1))
        games = self._per_deal([(deals[game], agents[game, side], np.ones(len(game)))])
        self.n_games: Ints = games.sum(axis=0).astype(np.int64)
        self.games_per_deal: Floats = (self.n_games / (games > 0).sum(axis=0).clip(1)).clip(1)

    def log_likelihood(self, params: Floats) -> tuple[float, Floats]:
        """Find the logarithm of the likelihood, and its gradient."""
        value, gradient = float(self._total @ params), self._total.copy()
        for choices in self._choices:
            log_sum, slopes = _normalise(params[choices.params], choices.sizes)
            value -= float(choices.times @ log_sum)
            slopes *= choices.times
            gradient -= np.bincount(choices.params.ravel(), slopes.ravel(), self.n_params)
        return value, gradient

    def information(self, params: Floats) -> Floats:
        """Find minus the second derivatives of the log-likelihood: `[params, params]`.

        By central differences, for all sets at once: not the parameters are moved, but the sides.
        """
        step = 1e-4
        total = np.zeros((self.n_params, self.n_params))
        for choices in self._choices:
            local = params[choices.params]
            for row, moved in zip(local, choices.params, strict=True):
                row += step
                _, above = _normalise(local, choices.sizes)
                row -= 2 * step
                _, below = _normalise(local, choices.sizes)
                row += step
                slopes = (above - below) / (2 * step) * choices.times
                flat = moved * self.n_params + choices.params
                total += np.bincount(flat.ravel(), slopes.ravel(), total.size).reshape(total.shape)
        return (total + total.T) / 2

    def spread(self, params: Floats) -> Floats:
        """Add up the squared gradients of all deals: `[params, params]`."""
        expected = []
        for choices in self._choices:
            _, slopes = _normalise(params[choices.params], choices.sizes)
            values, columns = slopes[:, choices.which], choices.params[:, choices.which]
            rows = np.broadcast_to(choices.deals, columns.shape)
            expected.append((rows.ravel(), columns.ravel(), values.ravel()))
        gradients = self._happened - self._per_deal(expected)
        return np.asarray((gradients.T @ gradients).todense())

    def _per_deal(self, entries: list[tuple[Ints, Ints, Floats]]) -> Any:
        """Add up entries (deal, parameter, value) in a sparse matrix `[deals, params]`."""
        from scipy import sparse

        rows, columns, values = (np.concatenate(part) for part in zip(*entries, strict=True))
        shape = (self.n_deals, self.n_params)
        return sparse.csr_array(sparse.coo_array((values, (rows, columns)), shape))


def _normalise(local: Floats, sizes: list[int]) -> tuple[Floats, Floats]:
    """Add up the weights of all sets of sides that could be chosen, for many stages at once.

    Args:
        local: `[sides + sizes, stages]` logarithms of the worths, then of the deltas.
        sizes: of possible ties.

    Returns:
        The logarithm of the sum `[stages]`, and its derivatives in the shape of `local`.
    """
    n_sides = len(local) - len(sizes)
    best = local[:n_sides].max(axis=0)
    # The best side's worth becomes 1, so that the sum is at least 1 and nothing overflows.
    log_worth = local[:n_sides] - best
    slopes = np.exp(np.concatenate([log_worth, local[n_sides:]]))
    total = slopes[:n_sides].sum(axis=0)
    for size, delta in zip(sizes, slopes[n_sides:], strict=True):
        root = np.exp(log_worth / size)
        value, derivatives = _symmetric(root, size)
        slopes[:n_sides] += delta / size * root * derivatives
        delta *= value
        total += delta
    slopes /= total
    return np.log(total) + best, slopes


def _stages(lineup: Ints, scores: Floats, deals: Ints) -> tuple[Ints, npt.NDArray[np.bool_], Ints]:
    """List the stages of all games in which there was a choice.

    Returns:
        Who was left (-1 for nobody) and who of them was chosen, both `[stages, sides]`, and the
        deal of each stage.
    """
    n_sides = lineup.shape[1]
    sits = lineup >= 0
    n_better = np.where(sits, 0, -1)
    for side in range(n_sides):
        n_better += sits & sits[:, [side]] & (scores[:, [side]] > scores)
    left, chosen, of_deal = [], [], []
    # Who is chosen next are those with as many better sides as have been chosen before.
    for n_gone in range(n_sides - 1):
        is_left, is_next = n_better >= n_gone, n_better == n_gone
        is_choice = is_next.any(axis=1) & (is_left.sum(axis=1) > 1)
        left.append(np.where(is_left, lineup, -1)[is_choice])
        chosen.append(is_next[is_choice])
        of_deal.append(deals[is_choice])
    return np.concatenate(left), np.concatenate(chosen), np.concatenate(of_deal)


def _group(left: Ints, deals: Ints, tie_sizes: list[int], n_agents: int) -> list[Choices]:
    """Bring together stages that have as many sides left, then those with the same agents."""
    n_left = (left >= 0).sum(axis=1)
    groups = []
    for n in np.unique(n_left):
        rows = n_left == n
        agents = np.sort(left[rows], axis=1)[:, -n:]
        sets, which, times = np.unique(agents, axis=0, return_inverse=True, return_counts=True)
        sizes = [size for size in tie_sizes if size <= n]
        deltas = np.broadcast_to(n_agents + np.arange(len(sizes)), (len(sets), len(sizes)))
        params = np.concatenate([sets, deltas], axis=1).T
        groups.append(Choices(params, sizes, times, which.reshape(-1), deals[rows]))
    return groups


def _symmetric(x: Floats, degree: int) -> tuple[Floats, Floats]:
    """Find the elementary symmetric polynomial of `x [n, sets]`, and its derivatives `[n, sets]`.

    The derivative by one of them is the next lower polynomial of the others. Getting there by
    subtraction loses digits of small derivatives, but not of their sum with the best worth of 1.
    """
    of_all = np.zeros((degree + 1, x.shape[1]))
    of_all[0] = 1
    for row in x:
        of_all[1:] += row * of_all[:-1]
    of_others = np.ones_like(x)
    for lower in range(1, degree):
        of_others = of_all[lower] - x * of_others
    return of_all[degree], of_others


def fit(
    lineup: npt.ArrayLike,
    scores: npt.ArrayLike,
    deals: npt.ArrayLike,
    n_agents: int,
    *,
    fixed: Mapping[int, float] | None = None,
) -> Ratings:
    """Rate agents by the rankings of all games they played.

    In simulations with 20 to 100 deals whose games share their luck, intervals of differences
    cover 93 to 97 %; for favourites that lose a handful of games or less, in the mean over leads
    close to each other. With a handful of deals, or for leads far beyond what the games can show,
    the prior says more than they do.

    Args:
        lineup: `[games, sides]` which agent played each side; one may play several. Smaller
            tables are padded with -1.
        scores: `[games, sides]`, higher is better, equal is a tie; ignored for padding.
        deals: `[games]` which games share a deal, and are therefore not independent.
        n_agents: how many agents there are; those without games get the prior.
        fixed: Elo at which agents are held. Without any, the mean of all agents is 0. Where these
            ratings are those of the games among the held agents alone, as of anchors, what is
            unknown about them is part of all errors. Others are taken as exact.
    """
    seats, points, of_deal = _check(lineup, scores, deals, n_agents)
    outcomes = Outcomes(seats, points, of_deal, n_agents)
    held = _check_fixed(fixed or {}, n_agents)
    start = np.zeros(outcomes.n_params)
    if held:
        start[:n_agents] = np.mean(list(held.values())) / ELO
        start[list(held)] = np.array(list(held.values())) / ELO
    free = np.setdiff1d(np.arange(outcomes.n_params), list(held))
    known = np.zeros((outcomes.n_params, outcomes.n_params))
    known[:n_agents, :n_agents] = _held_covariance(seats, points, of_deal, n_agents, held)
    params, covariance = _maximise(outcomes, start, free, known / ELO**2)
    centre = np.eye(n_agents) - (0 if held else 1 / n_agents)
    return Ratings(
        elo=ELO * (centre @ params[:n_agents]),
        covariance=ELO**2 * (centre @ covariance[:n_agents, :n_agents] @ centre.T),
        tie_weights={
            size: math.exp(log)
            for size, log in zip(outcomes.tie_sizes, params[n_agents:], strict=True)
        },
        n_games=outcomes.n_games[:n_agents],
        n_deals=outcomes.n_deals,
    )


def _check(
    lineup: npt.ArrayLike, scores: npt.ArrayLike, deals: npt.ArrayLike, n_agents: int
) -> tuple[Ints, Floats, Ints]:
    """Check games for `fit`, and number their deals from 0 up."""
    seats, points = np.asarray(lineup, np.int64), np.asarray(scores, np.float64)
    of_deal = np.asarray(deals)
    if seats.ndim != 2 or seats.shape != points.shape or of_deal.shape != seats.shape[:1]:
        raise SpecError(
            "expected [games, sides] of agents and of scores and [games] of deals, "
            f"got shapes {seats.shape}, {points.shape} and {of_deal.shape}"
        )
    if ((seats < -1) | (seats >= n_agents)).any():
        raise SpecError(f"the lineup names agents that are not among the {n_agents}")
    if not ((seats >= 0).sum(axis=1) >= 2).any():
        raise SpecError("ratings need at least one game with two sides")
    if np.isnan(points[seats >= 0]).any():
        raise SpecError("every side needs a score")
    return seats, points, np.unique(of_deal, return_inverse=True)[1].reshape(-1)


def _check_fixed(fixed: Mapping[int, float], n_agents: int) -> dict[int, float]:
    """Check what is held for `fit`."""
    if any(not 0 <= agent < n_agents for agent in fixed):
        raise SpecError(
            f"fixed ratings {dict(fixed)!r} name agents that are not among the {n_agents}"
        )
    if not all(math.isfinite(elo) for elo in fixed.values()):
        raise SpecError(f"fixed ratings must be finite numbers, got {dict(fixed)!r}")
    return dict(fixed)


def _held_covariance(
    seats: Ints, points: Floats, deals: Ints, n_agents: int, held: dict[int, float]
) -> Floats:
    """Find the covariance of ratings that come from the games among those who are held.

    Anchors are rated by such games before anybody else plays them, and then held where they are.
    """
    covariance = np.zeros((n_agents, n_agents))
    agents = sorted(held)
    among = np.isin(seats, [*agents, -1]).all(axis=1) & ((seats >= 0).sum(axis=1) > 1)
    if not among.any():
        return covariance
    number = np.full(n_agents + 1, -1)  # the last is that of nobody
    number[agents] = np.arange(len(agents))
    own = fit(number[seats[among]], points[among], deals[among], len(agents))
    apart = np.array([held[agent] for agent in agents]) - own.elo
    if np.ptp(apart) < SAME:
        covariance[np.ix_(agents, agents)] = own.covariance
    return covariance


def _maximise(
    outcomes: Outcomes, start: Floats, free: Ints, known: Floats
) -> tuple[Floats, Floats]:
    """Find the most probable parameters and their covariance, both with what is not free.

    Args:
        outcomes: all games.
        start: where to begin, and where what is not free stays.
        free: parameters that are to be found.
        known: `[params, params]` covariance of those that are not.
    """
    from scipy import optimize

    params = start.copy()
    if not len(free):
        return params, known

    def loss(x: Floats) -> tuple[float, Floats]:
        params[free] = x
        value, gradient = outcomes.log_likelihood(params)
        off = (x - start[free]) / PRIOR_SD
        return float(off @ off) / 2 - value, off / PRIOR_SD - gradient[free]

    def predict() -> tuple[Floats, Floats]:
        information = outcomes.information(params)
        inverse = np.linalg.inv(information[block] + np.eye(len(free)) / PRIOR_SD**2)
        return information, (inverse + inverse.T) / 2

    block = np.ix_(free, free)
    # Knowing the curvature at the start saves most of the steps.
    options = {"gtol": 1e-4, "hess_inv0": predict()[1]}
    x = optimize.minimize(loss, start[free], jac=True, method="BFGS", options=options).x
    gradient = loss(x)[1]
    predicted, inverse = predict()
    # The last step is Newton's: it also settles what a few games decide among thousands.
    params[free] = x - inverse @ gradient
    # How everything moves if what is not free does.
    follow = np.eye(len(start))
    follow[free] = -inverse @ predicted[free]
    covariance = follow @ known @ follow.T
    covariance[block] += inverse @ _spread(outcomes, params, free, predicted[block]) @ inverse
    return params, covariance


def _spread(outcomes: Outcomes, params: Floats, free: Ints, predicted: Floats) -> Floats:
    """Estimate the covariance of the gradient, whatever depends on what inside a deal.

    The deals show it, except for agents that hardly ever lose or win: nothing spreads where
    nothing was seen. For those the covariance leans, as in `share_of`, to what the model predicts
    if all games of a deal end alike. The prior counts as one more deal, so that games that are
    independent lead to the inverse of all information.
    """
    n = outcomes.n_deals
    if n < 2:
        return np.full_like(predicted, math.nan)
    seen = n / (n - 1) * outcomes.spread(params)[np.ix_(free, free)]
    alike = outcomes.games_per_deal[free]
    # Close to 0 or 1 the information about a logit is the expected number of the rarer outcome.
    rare = np.diag(predicted).clip(min=0) / alike
    lean = LIKE_FATE**4 / (rare**4 + LIKE_FATE**4)
    trust, doubt = np.sqrt(1 - lean), np.sqrt(alike * lean)
    prior = np.eye(len(free)) / PRIOR_SD**2
    return np.outer(trust, trust) * seen + np.outer(doubt, doubt) * predicted + prior
