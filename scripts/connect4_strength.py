r"""Count moves of agents that are mistakes, or perfect, on the benchmark's classes of Connect 4.

A mistake loses the result of perfect play; a perfect move is as quick a win or as late a loss as
can be. The classes are those of `kibitz bench connect4.solve`, drawn larger where more positions
are asked for; `plies` are random positions with 10 to 16 discs. Of two agents or more, the mistakes
of each are compared with those of the first, position by position. The position is the unit of all
intervals. Example:

    python scripts/connect4_strength.py --classes begin_hard plies --positions 100 \
        alphazero:time=1 uct:time=1
"""

import argparse

import numpy as np
import numpy.typing as npt

import kibitz
from kibitz.arena.statistics import mean_of, share_of
from kibitz.bench.solving import CLASSES, draw_class, draw_stage
from kibitz.core.agent import Agent
from kibitz.core.game import States
from kibitz.core.habits import Grades
from kibitz.core.rng import Purpose, derive
from kibitz.core.table import Game
from kibitz.games.connect4.judging import grade

Bools = npt.NDArray[np.bool_]

PLIES = "plies"
FIRST, LAST = 10, 16
SEED = 31


def main() -> None:
    """Print one line for every class and agent."""
    names = [one.name for one in CLASSES] + [PLIES]
    parser = argparse.ArgumentParser(description="grade agents of Connect 4 class by class")
    parser.add_argument("agents", nargs="+", help="agent specs")
    parser.add_argument("--classes", nargs="+", choices=names, default=names)
    parser.add_argument("--positions", type=int, default=200, help="of each class, at most")
    asked = parser.parse_args()
    game = kibitz.load_game("connect4")
    agents = [kibitz.load_agent(spec, game) for spec in asked.agents]
    wrong: list[list[Bools]] = [[] for _ in agents]
    for name in asked.classes:
        views = parsed(game, positions_of(name, asked.positions))
        for agent, mine in zip(agents, wrong, strict=True):
            found = graded(agent, views)
            print(f"{name:12} {agent.spec:40} {told(~found.good, found.perfect)}", flush=True)
            mine.append(~found.good)
    first, *others = (np.concatenate(parts) for parts in wrong)
    for agent, one in zip(agents[1:], others, strict=True):
        more = mean_of(1.0 * one - first)
        counts = f"{one.sum()} and {first.sum()} of {len(one)}"
        print(f"{agent.spec}: {more:+.2%} mistakes beside {agents[0].spec} ({counts})")


def parsed(game: Game, moves: list[str]) -> States:
    """Return the positions as states."""
    views = game.blank(len(moves))
    for i, line in enumerate(moves):
        views[i] = game.parse(line)
    return views


def graded(agent: Agent, views: States) -> Grades:
    """Ask an agent in every position, one by one, and compare with perfect play."""
    seats = views["n_moves"] % 2
    actions = [
        int(agent.decide(views[i], int(seats[i]), stream(i)).actions[0]) for i in range(len(views))
    ]
    return grade(views, seats, np.array(actions))


def told(bad: Bools, perfect: Bools) -> str:
    """Write the shares of mistakes and of perfect moves."""
    every = np.ones(len(bad))
    shares = share_of(bad, every), share_of(perfect, every)
    return f"{len(bad)}: mistakes {shares[0]:.2%}, perfect {shares[1]:.1%}"


def stream(i: int) -> "np.record":
    """Return the random stream of a position."""
    return derive(SEED, Purpose.AGENT, i)


def positions_of(name: str, most: int) -> list[str]:
    """Draw the positions of a class, spread evenly over its plies and its hardness."""
    if name == PLIES:
        drawn = draw_stage(FIRST, LAST, most)
    else:
        one = next(one for one in CLASSES if one.name == name)
        drawn = draw_class(one, -(-most * one.n_parts // one.n_drawn))
    places = np.linspace(0, len(drawn) - 1, min(most, len(drawn))).astype(int)
    return [drawn.moves[i] for i in np.unique(places)]


if __name__ == "__main__":
    try:
        main()
    except kibitz.KibitzError as error:
        raise SystemExit(f"error: {error}") from None
