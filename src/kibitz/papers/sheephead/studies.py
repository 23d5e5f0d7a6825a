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
from kibitz.arena.statistics import Estimate, mean_of, quantile
from kibitz.core.registry import load_agent, load_game
from kibitz.papers.plan import Point

Run = Callable[[int, int, int], list[Point]]
Floats = npt.NDArray[Any]

SEATS = 5
CURVE_POINTS = 50
"""Points that are kept of a curve."""

STEP_HANDS = 500
"""Hands that are played between two updates."""

FACTORS = ("who plays", "place beside whom", "place to the dealer", "cards", "rest")
"""What the variance of a hand's money is shared out among."""


def place_name(place: int, kind: str) -> str:
    """Return what a player is called by his place at the table, from the first to the left."""
    return f"{kind}, place {place + 1}"


def _play(specs: Sequence[str], hands: int, seed: int, threads: int) -> Result:
    """Play deals from every seat, five players who stay beside each other."""
    game = load_game("sheephead")
    agents = [load_agent(spec, game) for spec in specs]
    turned = tuple(tuple((s - r) % SEATS for s in range(SEATS)) for r in range(SEATS))
    deals = max(hands // SEATS, 2)
    match = Match(game, agents, deals, seed, seating=SameTables(turned), workers=threads)
    for _ in match.play():
        pass
    return match.result()


def _by_player(result: Result) -> Floats:
    """Return scores by player instead of seat: [deals, games, players]."""
    return np.take_along_axis(result.scores, np.argsort(result.lineup, axis=2), axis=2)


def money_of(specs: Sequence[str]) -> Run:
    """Follow the mean of what five players win, by place, hand by hand."""

    def run(size: int, seed: int, threads: int) -> list[Point]:
        scores = _by_player(_play(specs, size, seed, threads)).mean(axis=1)  # [deals, players]
        points = []
        stages = np.unique(np.linspace(20, len(scores), CURVE_POINTS).astype(int))
        for k, spec in enumerate(specs):
            name = place_name(k, spec)
            points += [
                Point(f"{name}: so far", SEATS * int(n), mean_of(scores[:n, k])) for n in stages
            ]
            points.append(Point(f"{name}: cents", SEATS * len(scores), mean_of(scores[:, k])))
        return points

    return run


def lesson(n: int, predictor: str) -> Run:
    """Let some learn among rule players; follow their money, then measure what they are worth."""

    def run(size: int, seed: int, threads: int) -> list[Point]:
        from kibitz.learn.actor_critic import ActorCritic, ActorCriticConfig

        config: dict[str, Any] = {"learners": (n,), "predictor": predictor, "threads": threads}
        cooling = max(size // 4, 1)
        config |= {"hands": min(STEP_HANDS, size), "worlds": 4, "cooling": cooling}
        algorithm = ActorCritic(load_game("sheephead"), ActorCriticConfig(**config), seed)
        told = [algorithm.step() for _ in range(max(size // algorithm.config.hands, 1))]
        points = _money(told, algorithm.config.hands)
        return points + _measure(algorithm, n, max(size // 50, 20), seed, threads)

    return run


def _money(told: Sequence[Any], hands: int) -> list[Point]:
    """Return what a player of each kind has won, in dollars, with what chance may have done."""
    points = []
    kept = np.unique(np.linspace(1, len(told), min(CURVE_POINTS, len(told))).astype(int))
    for who, name in (("learner", "score"), ("rule player", "opponents")):
        cents = hands * np.array([float(one[name]) for one in told])
        total = np.cumsum(cents) / 100
        spread = cents.std(ddof=1) / 100 if len(cents) > 1 else math.nan
        for k in kept:
            margin = 1.96 * spread * math.sqrt(k)
            money = Estimate(total[k - 1], total[k - 1] - margin, total[k - 1] + margin)
            points.append(Point(f"{who}: money", hands * int(k), money))
    return points


def _measure(algorithm: Any, n: int, deals: int, seed: int, threads: int) -> list[Point]:
    """Play what has been learnt against rule players on duplicate deals, from every seat."""
    from pathlib import Path

    from kibitz.learn.drafts import Making, save_drafts
    from kibitz.learn.recipe import Recipe

    game = load_game("sheephead")
    facts = {"name": "lesson", "title": "a lesson", "game": "sheephead", "checkpoint": 1}
    recipe = Recipe(**facts, algorithm="actor_critic", steps=1, seed=seed)  # type: ignore[arg-type]
    with tempfile.TemporaryDirectory() as folder:
        making = Making(algorithm.steps, 0.0, "not measured")
        save_drafts(Path(folder), game, recipe, algorithm.drafts(), making)
        learnt = load_agent(f"ngnet:model={folder}/model", game)
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
    return [Point(line, SEATS * deals, value) for line, value in found.items()]


def seats(specs: Sequence[str]) -> Run:
    """Share the variance of a hand's money out among players, places and cards.

    Every player sits at every seat of every deal, so effects of players and of seats do not mix:
    sums of squares add up. *Cards* are what a seat of a deal brings on average, whoever sits there.
    """

    def run(size: int, seed: int, threads: int) -> list[Point]:
        result = _play(specs, size, seed, threads)
        by_seat, by_player = result.scores, _by_player(result)
        x = float(SEATS * len(by_seat))
        shares = _shares(specs, by_seat, by_player)
        points = [
            Point(f"share: {factor}", x, Estimate(share, math.nan, math.nan))
            for factor, share in zip(FACTORS, shares, strict=True)
        ]
        by_position = by_seat.mean(axis=1)
        points += [Point("position", k + 1.0, mean_of(by_position[:, k])) for k in range(SEATS)]
        return points + _gaps(specs, by_player, x)

    return run


def _shares(specs: Sequence[str], by_seat: Floats, by_player: Floats) -> list[float]:
    """Return the shares of the sum of squares, in the order of FACTORS."""
    total = float((by_seat**2).sum())  # the mean of all is zero: what one gets another pays
    n_hands = by_seat.shape[0] * by_seat.shape[1]
    means = by_player.mean(axis=(0, 1))
    kinds = np.array([means[[one == spec for one in specs]].mean() for spec in specs])
    position = by_seat.mean(axis=(0, 1))
    cards = by_seat.mean(axis=1)  # [deals, seats]
    parts = [
        n_hands * float((kinds**2).sum()),
        n_hands * float(((means - kinds) ** 2).sum()),
        n_hands * float((position**2).sum()),
        by_seat.shape[1] * float(((cards - position) ** 2).sum()),
    ]
    return [part / total for part in [*parts, total - sum(parts)]]


def _gaps(specs: Sequence[str], by_player: Floats, x: float) -> list[Point]:
    """Return how far players of one kind are apart, and how far chance alone puts two of them."""
    scores = by_player.mean(axis=1)
    points = []
    widest: Estimate | None = None
    for kind in dict.fromkeys(specs):
        mine = [k for k, spec in enumerate(specs) if spec == kind]
        means = scores[:, mine].mean(axis=0)
        if len(mine) < 2 or len(mine) == SEATS:
            continue
        best, worst = mine[int(means.argmax())], mine[int(means.argmin())]
        gap = mean_of(scores[:, best] - scores[:, worst])
        if widest is None or gap.mean > widest.mean:
            widest = gap
    if widest is not None:
        points.append(Point("widest gap of equals by place", x, widest))
    # One run without duplicate deals: two players of one kind differ by this much in two of three.
    first = by_player[:, 0]
    pair = [k for k, spec in enumerate(specs) if spec == specs[-1]][-2:]
    apart = first[:, pair[0]] - first[:, pair[1]]
    half = float(quantile(x)) * float(apart.std(ddof=1)) / math.sqrt(x)
    points.append(Point("what luck leaves of it", x, Estimate(half, math.nan, math.nan)))
    return points
