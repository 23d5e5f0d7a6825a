"""What the paper on learning 6 nimmt! finds out otherwise than by mean scores at tables.

How far means scatter, how an agent plays beside its rigged self, how long a move takes, and what
becomes of learners. Every function makes the `run` of a study: it takes a size, a seed and a number
of threads, and returns points.
"""

import math
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from kibitz.arena.match import Match
from kibitz.arena.match import play as play_match
from kibitz.arena.result import Result
from kibitz.arena.running import RunningElo
from kibitz.arena.seating import RandomTables, SameTables
from kibitz.arena.statistics import Estimate, mean_of, quantile
from kibitz.arena.tournament import Settings, Tournament
from kibitz.core.agent import Agent
from kibitz.core.registry import load_agent, load_game
from kibitz.core.table import Game
from kibitz.papers.learning import Lesson, agent_of, make_algorithm, teach
from kibitz.papers.plan import Point

Run = Callable[[int, int, int], list[Point]]
Floats = npt.NDArray[Any]

RUNS = 5
"""Runs that are compared, of a tournament or of a stopwatch."""

LEARNERS = 3
"""Times that a learner begins anew: what comes of learning depends on the first weights."""

N_STAGES = 4
"""Stages of learning at which a learner is measured."""

FOUR_SEATS = 4
"""Seats of the tables of chapter 5."""

CURVE_POINTS = 60
"""Points that are kept of a running rating or a loss."""

NO_INTERVAL = (math.nan, math.nan)


def spread_of(game_spec: str, spec: str, games: Sequence[int]) -> Run:
    """Compare the means of five runs of so many games, with and without duplicate deals.

    Beside the furthest run stand half widths of 95 % intervals: of the mean score, and of the lead
    over the random players on the same deals.
    """

    def run(size: int, seed: int, threads: int) -> list[Point]:
        game = load_game(game_spec)
        agents = [load_agent(name, game) for name in (spec, "random")]
        alone = SameTables(((0,) + (1,) * (game.n_seats - 1),))
        once = Match(game, agents, RUNS * size, seed, seating=alone, workers=threads)
        often = Match(game, agents, RUNS * size // game.n_seats, seed + 1, workers=threads)
        points = []
        for name, match in (("one seat", once), ("every seat", often)):
            for _ in match.play():
                pass
            result = match.result()
            per_deal = result.sample.per_deal
            for n in [n for n in games if n <= size]:
                deals = n // result.lineup.shape[1]
                runs = per_deal[: RUNS * deals, 0].reshape(RUNS, deals).mean(axis=1)
                found = {
                    "furthest run": float(np.abs(runs - runs.mean()).max()),
                    "score ±": _half(per_deal[:, 0], deals),
                    "lead ±": _half(per_deal[:, 0] - per_deal[:, 1], deals),
                }
                points += [
                    Point(f"{name}: {what}", n, Estimate(value, *NO_INTERVAL))
                    for what, value in found.items()
                ]
        return points

    return run


def _half(samples: Floats, n: int) -> float:
    """Return half the width of the interval that n samples of this spread leave."""
    return float(quantile(n)) * float(samples.std(ddof=1)) / math.sqrt(n)


def judged(game_spec: str, rigs: Mapping[float, str], plain: str) -> Run:
    """Judge rigged agents beside the plain one, at tables with two of those and two random."""

    def run(size: int, seed: int, threads: int) -> list[Point]:
        # The room of reviews is loaded when somebody is judged.
        from kibitz.games.nimmt.judging import HABITS
        from kibitz.review.judge import Judgement

        game, points = load_game(game_spec), []
        for x, spec in rigs.items():
            pair = load_agent(spec, game), load_agent(plain, game)
            deals = max(size // game.n_seats, 2)
            judgement = Judgement(game, *pair, deals, seed, habits=HABITS, workers=threads)
            for _ in judgement.play():
                pass
            verdict = judgement.verdict()
            points.append(Point("similarity", x, verdict.similarity))
            if verdict.performance is not None:
                points.append(Point("performance", x, verdict.performance))
            (close,) = verdict.habits
            points += [
                Point(f"{who} at {x:g}", rate.at, getattr(rate, part))
                for rate in close.by_level
                for who, part in (
                    ("possible", "possible"),
                    ("rigged", "judged"),
                    ("plain", "beside"),
                )
            ]
            points += [
                Point(f"plain by cards on the table at {x:g}", rate.at, rate.beside)
                for rate in close.by_group[0]
                if rate.n >= 30
            ]
        return points

    return run


def timed(game_spec: str, agents: Mapping[str, str], sims: Sequence[int]) -> Run:
    """Time moves in whole games with random opponents, by simulations: processor time."""

    def run(size: int, seed: int, threads: int) -> list[Point]:
        game = load_game(game_spec)
        return [
            Point(name, n, mean_of(_seconds(spec.format(sims=n), game, size, seed).mean(axis=1)))
            for name, spec in agents.items()
            for n in sims
        ]

    return run


def timed_by_turn(game_spec: str, agents: Mapping[str, str], sims: int) -> Run:
    """Time the moves of a game one by one; the last card is no decision."""

    def run(size: int, seed: int, threads: int) -> list[Point]:
        game, points = load_game(game_spec), []
        for name, spec in agents.items():
            seconds = _seconds(spec.format(sims=sims), game, size, seed)
            points += [Point(name, 1 + i, mean_of(turn)) for i, turn in enumerate(seconds.T)]
        return points

    return run


def _seconds(spec: str, game: Game, games: int, seed: int) -> Floats:
    """Return the processor time of one decision, by run and turn: [runs, turns]."""
    agents = [load_agent(name, game) for name in (spec, "random")]
    runs = min(RUNS, max(games // game.n_seats, 2))
    deals = max(games // runs // game.n_seats, 1)
    rows = []
    for run in range(-1, runs):  # the first one compiles
        match = Match(game, agents, deals, seed, first_deal=max(run, 0) * deals)
        began = time.process_time()
        for _ in match.play():
            pass
        cpu = time.process_time() - began
        result = match.result()
        scale = min(cpu / result.seconds.sum(), 1.0)  # others may have had the processor
        rows.append(scale * result.seconds[0] / np.maximum(result.n_decisions[0], 1))
    return np.array([row[:TURNS] for row in rows[1:]])


TURNS = 9
"""Decisions of a round: the last card is none."""


def timed_learning(lessons: Mapping[str, Lesson], sims: Sequence[int]) -> Run:
    """Time moves of self-play with all learning from it: processor time."""

    def run(size: int, seed: int, threads: int) -> list[Point]:
        points, games = [], min(10, max(size // RUNS, 1))
        for name, lesson in lessons.items():
            for n in sims:
                config = {**lesson.config, "agent": f"{lesson.plays}:sims={n}", "games": games}
                algorithm = make_algorithm(replace(lesson, config=config), seed)
                algorithm.step()  # compiles
                moves = games * algorithm.game.n_seats * TURNS
                rows = []
                for _ in range(max(size // games, 2)):
                    began = time.process_time()
                    algorithm.step()
                    rows.append((time.process_time() - began) / moves)
                points.append(Point(name, n, mean_of(rows)))
        return points

    return run


def losses_of(lesson: Lesson, metrics: Mapping[str, str]) -> Run:
    """Follow losses while somebody learns: means of equally many games, with their intervals."""

    def run(size: int, seed: int, threads: int) -> list[Point]:
        n = max(min(CURVE_POINTS, size // int(lesson.config["games"])), 1)
        stages = [round(size * (i + 1) / n) for i in range(n)]
        return [
            Point(line, stage.games, mean_of([float(one[metric]) for one in stage.metrics]))
            for stage in teach(lesson, stages, seed)
            for line, metric in metrics.items()
            if stage.metrics
        ]

    return run


def apprentices(lessons: Sequence[tuple[float, Lesson]], beside: Lesson | None) -> Run:
    """Play learners against random ones, or one learner and random ones, while they learn.

    What a learner scores in the games that it learns in is the mean over all of them. It is
    measured in the middle of each stage, on deals of their own. The unit of the intervals is the
    learner, who begins anew several times.
    """

    def run(size: int, seed: int, threads: int) -> list[Point]:
        stages = [round(size * (i + 0.5) / N_STAGES) for i in range(N_STAGES)]
        deals, told = max(size // N_STAGES // FOUR_SEATS, 2), []
        for k in range(LEARNERS):
            with _folder() as folder:
                rivals = _grow(beside, stages, seed + 100 + k, folder / "rival") if beside else []
                for i, (x, lesson) in enumerate(lessons):
                    grown = _grow(lesson, stages, seed + k, folder / str(i))
                    tables = [[agent, *rivals[s : s + 1]] for s, agent in enumerate(grown)]
                    told.append((lesson.label, x, *_means(tables, deals, seed + k, threads)))
        points = []
        for x, lesson in lessons:
            rows = [row[2:] for row in told if row[:2] == (lesson.label, x)]
            for what, values in zip(("score", "wins"), zip(*rows, strict=True), strict=True):
                points.append(Point(f"{lesson.label}: {what}", x, mean_of(values)))
        return points

    return run


def _means(
    tables: Sequence[list[Agent]], deals: int, seed: int, threads: int
) -> tuple[float, float]:
    """Return the mean score of the first at each table, and the share of games that it wins.

    Random players take the seats that are left.
    """
    scores, wins = [], []
    for i, agents in enumerate(tables):
        everybody = [*agents, load_agent("random", agents[0].game)]
        match = play_match(agents[0].game, everybody, deals, 1000 * seed + i, workers=threads)
        scores.append(match.sample.score(0).mean)
        wins.append(match.sample.wins(0).mean)
    return float(np.mean(scores)), float(np.mean(wins))


def school(lessons: Sequence[Lesson], fixed: Mapping[str, str], stages: Sequence[int]) -> Run:
    """Rate learners after ever more games, beside each other and players that do not learn.

    After every stage all meet at random tables, and ratings are fitted to these games. In the end
    they enter a tournament that drops poor players, whose running Elo is followed.
    """

    def run(size: int, seed: int, threads: int) -> list[Point]:
        used = sorted({min(stage, size) for stage in stages})
        names = [lesson.label for lesson in lessons] + list(fixed)
        points = []
        with _folder() as folder:
            grown = [_grow(lesson, used, seed, folder / f"{i}") for i, lesson in enumerate(lessons)]
            game = grown[0][0].game
            staying = [load_agent(spec, game) for spec in fixed.values()]
            deals = max(size // 5, 5)
            for k, stage in enumerate(used):
                agents = [agents[k] for agents in grown] + staying
                seating = RandomTables(len(agents), tuple(game.sides.tolist()), seed)
                result = play_match(game, agents, deals, seed, seating=seating, workers=threads)
                ratings = result.sample.ratings().anchored(names.index("random"), 0.0)
                points += [Point(name, stage, ratings.estimate(i)) for i, name in enumerate(names)]
            specs = [agents[-1].spec for agents in grown] + list(fixed.values())
            points += _evolved(dict(zip(names, specs, strict=True)), game.spec, size, seed, threads)
        return points

    return run


def _grow(lesson: Lesson, stages: Sequence[int], seed: int, folder: Path) -> list[Agent]:
    """Return a learner as an agent at every stage."""
    return [
        agent_of(lesson, stage, folder / str(stage.games)) for stage in teach(lesson, stages, seed)
    ]


def _evolved(
    agents: Mapping[str, str], game: str, games: int, seed: int, threads: int
) -> list[Point]:
    """Play a tournament that drops poor players; follow the running Elo of those who entered."""
    settings = Settings(
        game=game,
        agents=tuple(agents.values()),
        form="evolve",
        deals=max(games // len(agents), 10),
        seed=seed,
        generation=max(games // 10, len(agents)),
    )
    tournament = Tournament(settings, workers=threads)
    for _ in tournament.play():
        pass
    histories = tournament.elo_history()[: len(agents)]  # clones come after
    return [
        point
        for name, (played, elo) in zip(agents, histories, strict=True)
        for point in _thinned(f"{name}, evolving", played, elo)
    ]


def _thinned(name: str, x: Floats, y: Floats) -> Iterator[Point]:
    """Keep some points of a long line, and its last."""
    for i in (
        np.unique(np.linspace(0, len(x) - 1, CURVE_POINTS).round().astype(int)) if len(x) else ()
    ):
        yield Point(name, float(x[i]), Estimate(float(y[i]), *NO_INTERVAL))


def showdown(a: Lesson, b: Lesson, ratio: int, sims: tuple[int, int]) -> Run:
    """Train two learners for the same time, and seat both with two random ones.

    `a` learns `ratio` times as many games as `b`; they think `sims` simulations each. The running
    Elo follows the first games in order, scores and wins are of all.
    """

    def run(size: int, seed: int, threads: int) -> list[Point]:
        with _folder() as folder:
            grown = []
            for i, (lesson, games) in enumerate(((a, ratio * size), (b, size))):
                thinks = replace(lesson, plays=f"{lesson.plays}:sims={sims[i]}")
                grown += _grow(thinks, [games], seed + i, folder / str(i))
            game = grown[0].game
            agents = [*grown, load_agent("random", game)]
            result = play_match(game, agents, max(size // 2, 4), seed, workers=threads)
        return _told(result, (a.label, b.label, "random"))

    return run


def _told(result: Result, names: Sequence[str]) -> list[Point]:
    """Return scores, shares of games won and the running Elo of a match."""
    sample, points = result.sample, []
    for i, name in enumerate(names):
        points.append(Point(f"{name}: score", 0, sample.score(i)))
        points.append(Point(f"{name}: wins", 0, sample.wins(i)))
    seats = result.lineup.shape[2]
    flat = result.lineup.reshape(-1, seats), result.scores.reshape(-1, seats)
    elo = RunningElo(len(names)).history(*(part[:GAMES_OF_ELO] for part in flat))
    for i, name in enumerate(names):
        points += _thinned(name, 1.0 + np.arange(len(elo)), elo[:, i])
    return points


GAMES_OF_ELO = 400
"""Games of the showdown that the running Elo follows, as in the paper."""


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="kibitz-") as folder:
        yield Path(folder)
