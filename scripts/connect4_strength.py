r"""Count moves of agents that are mistakes, or perfect, on the benchmark's classes of Connect 4.

A mistake loses the result of perfect play; a perfect move is as quick a win or as late a loss as
can be. The classes are those of `kibitz bench connect4.solve`; `plies` are random positions with 10
to 16 discs. The position is the unit of the intervals. Example:

    python scripts/connect4_strength.py --classes begin_hard plies --positions 100 \
        alphazero:time=1 uct:time=1
"""

import argparse

import numpy as np

import kibitz
from kibitz.arena.statistics import share_of
from kibitz.bench.solving import CLASSES, draw_class, draw_stage
from kibitz.core.rng import Purpose, derive
from kibitz.games.connect4.judging import grade

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
    for name in asked.classes:
        moves = positions_of(name, asked.positions)
        views = game.blank(len(moves))
        for i, line in enumerate(moves):
            views[i] = game.parse(line)
        seats = views["n_moves"] % 2
        for agent in agents:
            actions = [
                int(agent.decide(views[i], int(seats[i]), stream(i)).actions[0])
                for i in range(len(moves))
            ]
            found = grade(views, seats, np.array(actions))
            every = np.ones(len(moves))
            bad, perfect = (share_of(part, every) for part in (~found.good, found.perfect))
            told = f"{len(moves)}: mistakes {bad:.2%}, perfect {perfect:.1%}"
            print(f"{name:12} {agent.spec:40} {told}", flush=True)


def stream(i: int) -> "np.record":
    """Return the random stream of a position."""
    return derive(SEED, Purpose.AGENT, i)


def positions_of(name: str, most: int) -> list[str]:
    """Draw the positions of a class, spread evenly over its plies and its hardness."""
    if name == PLIES:
        drawn = draw_stage(FIRST, LAST, most)
    else:
        drawn = draw_class(next(one for one in CLASSES if one.name == name))
    places = np.linspace(0, len(drawn) - 1, min(most, len(drawn))).astype(int)
    return [drawn.moves[i] for i in np.unique(places)]


if __name__ == "__main__":
    try:
        main()
    except kibitz.KibitzError as error:
        raise SystemExit(f"error: {error}") from None
