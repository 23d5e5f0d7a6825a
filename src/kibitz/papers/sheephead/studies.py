"""What the paper on Sheephead finds out: money over many hands, lessons, and what seats do.

Every function makes the `run` of a study: it takes a size in hands, a seed and a number of threads,
and returns points.
"""

import math
import tempfile
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from kibitz.arena.match import Match
from kibitz.arena.result import Result
from kibitz.arena.seating import SameTables
from kibitz.arena.statistics import Estimate, around, mean_of, quantile
from kibitz.core.registry import load_agent, load_game
from kibitz.papers.plan import Point

Run = Callable[[int, int, int], list[Point]]
Floats = npt.NDArray[Any]

GAME = "sheephead"
SEATS = 5
CURVE_POINTS = 50
"""Points that are kept of a curve."""

LESSON: dict[str, Any] = {
    "hands": 500,
    "opponents": "rule",
    "features": "full",
    "bids": True,
    "worlds": 4,
    "units": 16,
    "predictor_units": 8,
    "trace": 0.7,
    "warm": 0.5,
    "cool": 0.05,
    "memory": 2000.0,
    "growth": 0.3,
    "rate": 0.3,
    "slowing": 50_000,
}
"""Parameters of every lesson, beside those that its size and its place in the paper settle."""

COOLING, DEALS = 4, 25
"""Hands of a lesson for every hand in which it cools, and for every deal that measures it."""

PLAYS = "worlds=20,predictor=own,bids=own"
"""How what was learnt plays then."""

BEHIND = "games on duplicate deals"
"""Says how many games measured a lesson."""

FACTORS = ("who plays", "place beside whom", "place to the dealer", "cards", "rest")
"""What the variance of a hand's money is shared out among."""

BLOCKS = 50
"""Of deals, each left out once, by which the shares get their intervals."""

GAP = "last random place, less the first"
LUCK = "margin of that in one run without duplicate deals"
"""What is said of two equal players."""


def place_name(place: int, kind: str) -> str:
    """Return what a player is called by his place at the table, from the first to the left."""
    return f"{kind}, place {place + 1}"


def _play(specs: Sequence[str], hands: int, seed: int, threads: int) -> Result:
    """Play deals from every seat, five players who stay beside each other."""
    game = load_game(GAME)
    agents = [load_agent(spec, game) for spec in specs]
    turned = tuple(tuple((s - r) % SEATS for s in range(SEATS)) for r in range(SEATS))
    deals = max(hands // SEATS, 3)
    match = Match(game, agents, deals, seed, seating=SameTables(turned), workers=threads)
    for _ in match.play():
        pass
    return match.result()


def _by_player(result: Result) -> Floats:
    """Return scores by player instead of seat: [deals, games, players]."""
    return np.take_along_axis(result.scores, np.argsort(result.lineup, axis=2), axis=2)


def money_of(specs: Sequence[str]) -> Run:
    """Follow the money that five players win, by place, hand by hand; it is in dollars."""

    def run(size: int, seed: int, threads: int) -> list[Point]:
        scores = _by_player(_play(specs, size, seed, threads)).mean(axis=1)  # [deals, players]
        points = []
        stages = np.unique(np.linspace(20, len(scores), CURVE_POINTS).astype(int))
        for k, spec in enumerate(specs):
            name = place_name(k, spec)
            for n in stages:
                hands, cents = SEATS * int(n), mean_of(scores[:n, k])
                ends = (hands * one / 100 for one in (cents.mean, cents.low, cents.high))
                points.append(Point(f"{name}: money", hands, Estimate(*ends)))
            points.append(Point(f"{name}: cents", SEATS * len(scores), mean_of(scores[:, k])))
        return points

    return run


def lesson(n: int, predictor: str) -> Run:
    """Let some learn among rule players; follow their money, then measure what they are worth."""

    def run(size: int, seed: int, threads: int) -> list[Point]:
        from kibitz.learn.actor_critic import ActorCritic, ActorCriticConfig

        config = LESSON | {"learners": (n,), "predictor": predictor, "workers": threads}
        config |= {"hands": min(LESSON["hands"], size), "cooling": max(size // COOLING, 1)}
        algorithm = ActorCritic(load_game(GAME), ActorCriticConfig(**config), seed)
        told = [algorithm.step() for _ in range(max(size // algorithm.config.hands, 1))]
        points = _money(told, algorithm.config.hands)
        return points + _measure(algorithm, n, max(size // DEALS, 20), seed, threads)

    return run


def lesson_setting(n: int, predictor: str) -> str:
    """Say all that the numbers of a lesson depend on, beside its hands and its seed."""
    known = " ".join(f"{key}={value}" for key, value in LESSON.items())
    return (
        f"actor_critic, learners={n} predictor={predictor} {known} cooling=hands/{COOLING}, in "
        f"{GAME}; then ngnet:{PLAYS} beside rule, hands/{DEALS} deals from every seat"
    )


def _money(told: Sequence[Any], hands: int) -> list[Point]:
    """Return what a player of each kind has won, in dollars, with what chance may have done."""
    points = []
    kept = np.unique(np.linspace(1, len(told), min(CURVE_POINTS, len(told))).astype(int))
    for who, name in (("learner", "score"), ("rule player", "opponents")):
        cents = hands * np.array([float(one[name]) for one in told])
        total = np.cumsum(cents) / 100
        spread = cents.std(ddof=1) / 100 if len(cents) > 1 else math.nan
        for k in kept:
            margin = float(quantile(len(cents))) * spread * math.sqrt(k)
            money = Estimate(total[k - 1], total[k - 1] - margin, total[k - 1] + margin)
            points.append(Point(f"{who}: money", hands * int(k), money))
    return points


def _measure(algorithm: Any, n: int, deals: int, seed: int, threads: int) -> list[Point]:
    """Play what has been learnt against rule players on duplicate deals, from every seat."""
    from pathlib import Path

    from kibitz.learn.drafts import Making, save_drafts
    from kibitz.learn.recipe import Recipe

    game = load_game(GAME)
    facts = {"name": "lesson", "title": "a lesson", "game": GAME, "checkpoint": 1}
    recipe = Recipe(**facts, algorithm="actor_critic", steps=1, seed=seed)  # type: ignore[arg-type]
    with tempfile.TemporaryDirectory() as folder:
        making = Making(algorithm.steps, 0.0, "not measured")
        save_drafts(Path(folder), game, recipe, algorithm.drafts(), making)
        learnt = load_agent(f"ngnet:model={folder}/model,{PLAYS}", game)
    turned = tuple(tuple(int((s - r) % SEATS >= n) for s in range(SEATS)) for r in range(SEATS))
    agents = [learnt, load_agent("rule", game)]
    match = Match(game, agents, deals, seed + 1, seating=SameTables(turned), workers=threads)
    for _ in match.play():
        pass
    sample = match.result().sample
    found = {
        "learners": sample.score(0),
        "rule players": sample.score(1),
        "lead": sample.paired(0, 1),
    }
    x = float(SEATS * deals)
    points = [Point(line, x, value) for line, value in found.items()]
    return [*points, Point(BEHIND, x, Estimate(x, math.nan, math.nan))]


def seats(specs: Sequence[str]) -> Run:
    """Share the variance of a hand's money out among players, places and cards.

    Every player sits at every seat of every deal, so effects of players and of seats do not mix.
    *Cards* are what two hands of a deal have in common at a seat, whoever sits there; what players
    choose, and what cards bring one of them and not another, is the *rest*.
    """

    def run(size: int, seed: int, threads: int) -> list[Point]:
        result = _play(specs, size, seed, threads)
        by_seat, by_player = result.scores, _by_player(result)
        x = float(SEATS * len(by_seat))
        points = [
            Point(f"share: {factor}", x, share)
            for factor, share in zip(FACTORS, shares(specs, by_seat, by_player), strict=True)
        ]
        by_position = by_seat.mean(axis=1)
        points += [Point("position", k + 1.0, mean_of(by_position[:, k])) for k in range(SEATS)]
        return points + _gaps(specs, by_player, x)

    return run


def shares(specs: Sequence[str], by_seat: Floats, by_player: Floats) -> list[Estimate]:
    """Estimate the shares of the variance, in the order of FACTORS.

    Intervals are by a jackknife over blocks of deals. It sees no error of a square whose mean
    happens to be near zero, so the error that squares have where nothing is true is added.

    Args:
        specs: who plays, five of them.
        by_seat: money by the seat to the left of the dealer: [deals, games, seats].
        by_player: the same money by player: [deals, games, players].
    """
    blocks = np.array_split(np.arange(len(by_seat)), min(BLOCKS, len(by_seat)))
    whole = _components(specs, by_seat, by_player)
    parts = [
        _components(specs, np.delete(by_seat, left_out, 0), np.delete(by_player, left_out, 0))
        for left_out in blocks
    ]
    n = len(parts)
    least = _least_errors(*_means(specs, by_seat, by_player)) / (by_seat**2).sum(axis=-1).mean()
    error = np.hypot(np.sqrt((n - 1) * np.var(parts, axis=0)), least)
    return [around(float(m), float(e), n) for m, e in zip(whole, error, strict=True)]


def _components(specs: Sequence[str], by_seat: Floats, by_player: Floats) -> Floats:
    """Return unbiased shares of the mean square of a hand's money, in the order of FACTORS.

    The mean of all is zero: what one gets another pays. A mean is a true effect and an error, so
    its square is too large by the error's variance, which is taken off it:

    - Of players and places, it is the variance of the mean between deals.
    - Of a seat of a deal, it is that of the mean of five hands. The 25 numbers of a deal add up to
      zero in each hand, which leaves 20 degrees of freedom: 4 of its seats, 4 of its players, and
      12 of the residual. With s^2 the residual's mean square, the squares of the five means of
      seats are too large by 4 s^2 / 5 together.
    """
    of_kinds, of_equals, of_seats = _means(specs, by_seat, by_player)
    all_, seats_, players = (
        float((money**2).sum(axis=-1).mean())
        for money in (by_seat, of_seats, by_player.mean(axis=1))
    )
    residual = SEATS * (all_ - seats_ - players) / 12
    parts = [_square(of_kinds), _square(of_equals), _square(of_seats)]
    parts.append(seats_ - 4 * residual / SEATS - parts[-1])
    return np.array([*parts, all_ - sum(parts)]) / all_


def _means(specs: Sequence[str], by_seat: Floats, by_player: Floats) -> tuple[Floats, ...]:
    """Return the means of each deal by kind, of players beside those of their kind, and of seats.

    Each is [deals, 5].
    """
    of_players = by_player.mean(axis=1)
    kinds = [of_players[:, [k == spec for k in specs]].mean(axis=1) for spec in specs]
    of_kinds = np.stack(kinds, axis=1)
    return of_kinds, of_players - of_kinds, by_seat.mean(axis=1)


def _least_errors(*of_deals: Floats) -> Floats:
    """Return the errors of estimates of `_square` where all true means are zero, then no others."""
    covariances = [np.cov(one.T) / len(one) for one in of_deals]
    errors = [float(np.sqrt(2 * (one**2).sum())) for one in covariances]
    return np.array(errors + [0.0] * (len(FACTORS) - len(errors)))


def _square(of_deals: Floats) -> float:
    """Return the sum of the squares of true means, estimated from deals: [deals, means]."""
    noise = of_deals.var(axis=0, ddof=1) / len(of_deals)
    return float((of_deals.mean(axis=0) ** 2 - noise).sum())


def _gaps(specs: Sequence[str], by_player: Floats, x: float) -> list[Point]:
    """Return how far equal players are apart by their places, and how far chance alone puts two.

    The pair is settled before anything is looked at: the first and the last to the left of those of
    another kind. Five of one kind have no such pair.
    """
    equals = [k for k, spec in enumerate(specs) if spec == specs[-1]]
    if len(equals) == SEATS:
        return []
    apart = by_player[:, :, equals[-1]] - by_player[:, :, equals[0]]  # [deals, games]
    # One run of as many hands, the deal going round: the half width of its 95 % interval.
    single = apart[np.arange(len(apart)), np.arange(len(apart)) % SEATS]
    half = float(quantile(x)) * float(single.std(ddof=1)) / math.sqrt(x)
    return [
        Point(GAP, x, mean_of(apart.mean(axis=1))),
        Point(LUCK, x, Estimate(half, math.nan, math.nan)),
    ]
