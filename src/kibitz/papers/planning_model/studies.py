"""What the thesis on planning models finds out: how bases grow, how planners do, how fast they are.

Every function makes the `run` of a study: it takes a size, a seed and a number of threads, and
returns points. Tournaments are round robins on duplicate deals; Elo is fitted to all games, the
base network by PUCT being 0.
"""

import math
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from kibitz.arena.match import play
from kibitz.arena.statistics import Estimate, mean_of, share_of
from kibitz.bench.planning import nodes_per_second
from kibitz.core.agent import Agent
from kibitz.core.registry import load_agent, load_game
from kibitz.papers.learning import Lesson, Stage, agent_of, make_algorithm
from kibitz.papers.plan import Point
from kibitz.papers.planning_model.pupils import (
    GAME,
    POINTS,
    REMEDIES,
    SIX,
    C,
    base,
    base_agent,
    game,
    grow,
    planner_agent,
    scale_of,
    stages_of,
)
from kibitz.search.models import find_model, read_card

Run = Callable[[int, int, int], list[Point]]

PLAYED = "games played"
"""The line of how many games are behind a rating, or a share of games won."""

HELD_OUT, SEARCHED = "selections held out", "simulations of the empty board"
"""Likewise, what is behind an accuracy, and behind shares of visits."""

BASE_NAME = "A0 Base"
BATCH = 64
VISIT_SIMS = 200
"""Simulations of the empty board in figures 5.6 to 5.10, as the thesis has them for planners."""

EMPTY = "connect4"  # from the empty board

SMALL_BASE = Lesson(
    "small base",
    "alphazero",
    "puct:sims=32,leaves=1",
    "connect4",
    config={
        **{"encoding": "planes", "blocks": 2, "filters": 16, "rule": "puct", "sims": 32},
        **{"games": 200, "lanes": 128, "batch": 256, "epochs": [4], "rates": [2e-3], "falls": []},
        **{"gate": 0.55, "gate_deals": 25, "capacity": 100_000, "c": C},
    },
)
"""The base of figures 5.1 and 5.2: trained as in the thesis, gate and all, but small."""

BASE_STEPS = 40
"""Steps of its training: iterations, as the thesis has them."""

BASE_DEALS = 25
"""Deals of every pair of what it was."""

OF_UPDATES: dict[str, Callable[[list[float]], float]] = {"fewest": min, "mean": fmean, "most": max}
"""What is told of the games that updates took."""

SHARES = (0, 25, 50, 75, 100)
"""Per cent of its training after which a small base plays: iterations 0, 10, 20, 30, 40 of 40."""


def _number(line: str, n: float, x: float = 0) -> Point:
    """Return a number that nothing is uncertain about."""
    return Point(line, x, Estimate(n, math.nan, math.nan))


def _elo(agents: Mapping[str, Agent], deals: int, seed: int) -> tuple[dict[str, Estimate], int]:
    """Return the ratings of a round robin with the base, which is 0, and the games of each."""
    names = list(agents)
    result = play(game(), list(agents.values()), deals, seed, batch_size=BATCH)
    ratings = result.sample.ratings().anchored(names.index(BASE_NAME), 0.0)
    return {name: ratings.estimate(i) for i, name in enumerate(names)}, result.sample.n_games(0)


def base_growth(config: Mapping[str, Any]) -> Run:
    """Train a small base for some steps; count games per update, and rate what it was."""
    lesson = replace(SMALL_BASE, config=config)

    def run(size: int, seed: int, threads: int) -> list[Point]:
        learner: Any = make_algorithm(lesson, seed)
        kept = {round(size * share / 100): share for share in SHARES}
        points: list[Point] = []
        agents, since = {}, 0
        with tempfile.TemporaryDirectory(prefix="kibitz-") as folder:
            for step in range(size + 1):
                if step in kept:
                    stage = Stage(step, [], learner)
                    agents[kept[step]] = _in_game(agent_of(lesson, stage, Path(folder) / f"{step}"))
                before = learner.first_new
                if step < size:
                    learner.step()
                    since += lesson.config["games"]
                if learner.first_new != before:
                    points.append(_number("games", since, len(points) + 1))
                    since = 0
        counts = [point.y.mean for point in points]
        deals = BASE_DEALS if size >= BASE_STEPS else 2
        result = play(game(), list(agents.values()), deals, seed, batch_size=BATCH)
        ratings = result.sample.ratings().anchored(0, 0.0)
        for i, share in enumerate(agents):
            points.append(Point("elo", share, ratings.estimate(i)))
            points.append(Point("share won", share, result.sample.wins(i)))
        if counts:
            points += [_number(f"{name} games", of(counts)) for name, of in OF_UPDATES.items()]
        return [*points, _number(PLAYED, result.sample.n_games(0))]

    return run


def _in_game(agent: Agent) -> Agent:
    """Return the same agent for the game of tournaments."""
    return load_agent(agent.spec, game())


def planner_growth(label: str) -> Run:
    """Teach one planning model, and play what it was after some updates with the base."""

    def run(size: int, seed: int, threads: int) -> list[Point]:
        grown, scale = grow(label, size, seed), scale_of(size)
        points = [
            Point("accuracy", 0, share_of(grown.hits, grown.trials)),
            _number("epochs", grown.epochs),
            _number(HELD_OUT, grown.trials.sum()),
        ]
        players = {str(n): planner_agent(model, scale.sims) for n, model in grown.stages.items()}
        rated, played = _elo({**players, BASE_NAME: base_agent(scale.sims)}, scale.deals, seed)
        for n in grown.stages:
            points.append(Point("elo", n, rated[str(n)]))
            alone = planner_agent(grown.stages[n], VISIT_SIMS, EMPTY)
            points += _visits(f"visits {n}", alone, seed)
        return [*points, _number(PLAYED, played)]

    return run


def _visits(line: str, agent: Agent, seed: int) -> list[Point]:
    """Return how a search of the empty board shares its visits out among columns, from 0."""
    table = game(EMPTY).deal(seed=seed)
    found = agent.decide(table.view(0), 0)
    assert found.visits is not None
    total = float(np.nansum(found.visits))
    shares = np.nan_to_num(found.visits[0]) / total
    return [*(_number(line, float(shares[k]), k) for k in range(7)), _number(SEARCHED, total)]


def base_visits(size: int, seed: int, threads: int) -> list[Point]:
    """Return what the base network's search of the empty board visits."""
    return _visits("visits", base_agent(VISIT_SIMS, EMPTY), seed)


def imitators(size: int, seed: int, threads: int) -> list[Point]:
    """Rate all planning models that have imitated, and the base."""
    scale = scale_of(size)
    agents = {name: planner_agent(grow(name, size, seed).stages[0], scale.sims) for name in SIX}
    rated, played = _elo({**agents, BASE_NAME: base_agent(scale.sims)}, scale.deals, seed)
    found = [Point("elo", k, rated[name]) for k, name in enumerate((BASE_NAME, *SIX))]
    return [*found, _number(PLAYED, played)]


RULES = {
    "GPUCT, tau 0.4": "puct:tau=0.4,c=1.5,leaves=1",
    "Gumbel": "gumbel:leaves=1",
    "novelty, no network": "uct:rule=novelty",
}
"""Other rules than PUCT, with the same network, but for novelty, which plays out at random."""


LEARNT = ("MLP Base", "MLP QV", "one action", "CRN Base", "CRN QV/MH")
"""Planning models that play against PUCT as they have imitated, and after updates."""

IMITATED, UPDATED = "imitation", "updated"

RULE_DEALS = 150
"""Deals of every rule against PUCT."""

_MORE_INPUTS = (("MLP QV", "MLP Base"), ("CRN QV/MH", "CRN Base"))

GAINS = {
    **{f"updates of {name}": (f"{name}, {UPDATED}", f"{name}, {IMITATED}") for name in LEARNT},
    **{
        f"{more} for {less}, {how}": (f"{more}, {how}", f"{less}, {how}")
        for more, less in _MORE_INPUTS
        for how in (IMITATED, UPDATED)
    },
}
"""The two questions of the thesis: whose share of games is more than whose, deal by deal."""


def equal_nodes(size: int, seed: int, threads: int) -> list[Point]:
    """Play planning models and other rules against PUCT, with as many simulations."""
    scale, last = scale_of(size), stages_of(size)[-1]
    learnt = [(name, n) for name in LEARNT for n in (0, last)] + [(REMEDIES, last)]
    players: dict[str, Agent] = {
        f"{name}, {UPDATED if n else IMITATED}": planner_agent(
            grow(name, size, seed).stages[n], scale.sims
        )
        for name, n in learnt
    }
    players |= {name: _by_rule(spec, scale.sims) for name, spec in RULES.items()}
    rival, deals = base_agent(scale.sims), RULE_DEALS if size >= POINTS else 2
    samples = {
        name: play(game(), [agent, rival], deals, seed, batch_size=BATCH).sample
        for name, agent in players.items()
    }
    # Of every deal the share of games won: a win is worth 1, a loss -1.
    shares = {name: (1 + sample.played(0)) / 2 for name, sample in samples.items()}
    return [
        *(Point(name, 0, sample.wins(0)) for name, sample in samples.items()),
        *(Point(name, 0, mean_of(shares[a] - shares[b])) for name, (a, b) in GAINS.items()),
        _number(PLAYED, next(iter(samples.values())).n_games(0)),
    ]


def _by_rule(spec: str, sims: int) -> Agent:
    """Return an agent of a rule with the base network that remembers, if it takes one."""
    agent = load_agent(f"{spec},sims={sims}", game())
    kind: Any = type(agent)
    return agent if spec.startswith("uct") else kind(game(), agent.config, base())


TIMED = {
    "MLP Base": "planner:model=connect4-planner",
    "MLP QV": "planner:model=connect4-planner-qv",
    "one action": "planner:model=connect4-planner-arm",
    "CRN Base": "planner:model=connect4-planner-crn",
    "GPUCT, tau 0.4": "puct:tau=0.4,c=1.5,model=connect4-alphazero",
    "Gumbel": "gumbel:model=connect4-alphazero",
    "novelty, no network": "uct:rule=novelty",
}
"""Who plays by the clock: the planning models that ship, and other rules."""

TIMED_RIVAL = f"puct:model=connect4-alphazero,c={C}"


def weights_of(*specs: str) -> str:
    """Return which weights the models of some specs have, by the first digits of their digests."""
    names = sorted({part.split(",")[0] for spec in specs for part in spec.split("model=")[1:]})
    cards = [read_card(find_model(name, "connect4"), name) for name in names]
    digests = [next(iter(card.files.values()))[:12] for card in cards]
    return ", ".join(f"{name} {digest}" for name, digest in zip(names, digests, strict=True))


def equal_time(seconds: float) -> Run:
    """Play models that ship and other rules against PUCT, with as many seconds for a decision."""

    def run(size: int, seed: int, threads: int) -> list[Point]:
        table = load_game(GAME)
        rival = load_agent(f"{TIMED_RIVAL},time={seconds}", table)
        points = []
        for name, spec in TIMED.items():
            agent = load_agent(f"{spec},time={seconds}", table)
            play(table, [agent, rival], 1, seed + 1)  # compiles, and learns its speed
            result = play(table, [agent, rival], size, seed)
            points.append(Point(name, 0, result.sample.wins(0)))
        return [*points, _number(PLAYED, result.sample.n_games(0))]

    return run


SPEEDS: dict[str, dict[str, Any]] = {
    BASE_NAME: {},
    "MLP Base": {"kind": "mlp"},
    "MLP QV": {"kind": "mlp", "sees": ("variance",)},
    "CRN Base": {"kind": "crn"},
    "CRN QV": {"kind": "crn", "sees": ("variance",)},
    "CRN MH": {"kind": "crn", "sees": ("history",)},
    "CRN QV/MH": {"kind": "crn", "sees": ("variance", "history")},
}
"""The players of table 5.2, as the benchmark makes them."""

REPEATS = 3
"""Of every speed; where fewer are asked for, short searches show that it can be measured."""

SHORT = {"sims": 16, "trees": 4}


def speeds(size: int, seed: int, threads: int) -> list[Point]:
    """Measure nodes per second with networks of the thesis's sizes, so many times."""
    how = SHORT if size < REPEATS else {}
    points = []
    for name, planner in SPEEDS.items():
        sample = nodes_per_second("planner" if planner else "puct", planner, **how)
        points.append(Point(name, 0, mean_of([sample(0.5) for _ in range(size)])))
    return points
