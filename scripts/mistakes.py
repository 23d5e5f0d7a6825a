"""Count mistakes of tree searches on solved positions of Connect 4, several seeds of each.

The sets need KIBITZ_DATA; endings are drawn and solved here. `pip install open_spiel` for the
comparison. Examples:

    KIBITZ_DATA=../data python scripts/mistakes.py --seeds 10 uct:sims=1000 gumbel:sims=1000
    python scripts/mistakes.py --endings 16 20 24 --positions 400 --seeds 2 uct gumbel
"""

import argparse
import functools
import sys
import time
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import numpy.typing as npt

import kibitz
from kibitz.arena.statistics import share_of
from kibitz.bench import mistakes
from kibitz.bench.endings import draw_endings
from kibitz.bench.measure import Missing

OPEN_SPIEL = "open_spiel (1000 simulations)"


def main() -> None:
    """Print one line for every set and player."""
    parser = argparse.ArgumentParser(description="count mistakes on solved positions of Connect 4")
    parser.add_argument("agents", nargs="+", help="agent specs")
    parser.add_argument("--seeds", type=count, default=10)
    parser.add_argument("--positions", type=count, default=1000, help="of each set, at most")
    parser.add_argument("--sets", nargs="+", choices=mistakes.SETS, default=[*mistakes.SETS])
    parser.add_argument(
        "--endings",
        nargs="+",
        type=count,
        default=[],
        metavar="EMPTY",
        help="instead of the sets: drawn positions with so many empty cells",
    )
    parser.add_argument("--drawn-with", type=count, default=1, help="seed of these positions")
    parser.add_argument(
        "--jobs",
        type=count,
        default=1,
        help="seeds at a time; more than there are cores is a handicap for agents with time=",
    )
    given = parser.parse_args()
    players = list(given.agents)
    for who in players:
        player_of(who)  # what is wrong with it is told before anything is played
    try:
        player_of(OPEN_SPIEL)
        players.append(OPEN_SPIEL)
    except Missing as reason:
        print(f"open_spiel: {reason}")
    sets = [f"{n} empty" for n in given.endings] or given.sets
    with ProcessPoolExecutor(given.jobs) as pool:
        for name in sets:
            for who in players:
                began = time.perf_counter()
                play = functools.partial(play_seed, name, who, given.positions, given.drawn_with)
                wrong = []  # [seeds, positions]
                for one in pool.map(play, range(given.seeds)):
                    wrong.append(one)
                    if sys.stderr.isatty():
                        done = f"\r{name}: {len(wrong)} of {given.seeds} seeds\r"
                        print(done, end="", file=sys.stderr, flush=True)
                took = time.perf_counter() - began
                print(f"{name:12} {who:32} {told(np.array(wrong))} ({took:.0f} s)", flush=True)


def count(text: str) -> int:
    """Read a number of something that there must be."""
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number


def play_seed(
    name: str, who: str, positions: int, drawn_with: int, seed: int
) -> npt.NDArray[np.bool_]:
    """Let a player choose in every position of a set with one seed: where it made a mistake."""
    solved = positions_of(name, positions, drawn_with)
    return mistakes.by_seed(solved, player_of(who), [seed])[0]


@functools.cache
def positions_of(name: str, n: int, drawn_with: int) -> mistakes.Solved:
    """Read the first positions of a set, or draw endings."""
    if name in mistakes.SETS:
        return mistakes.load(name).first(n)
    return draw_endings(n, int(name.split()[0]), drawn_with)


@functools.cache
def player_of(who: str) -> mistakes.Player:
    """Make the player of an agent spec, or OpenSpiel's."""
    return mistakes.open_spiel_player(1000) if who == OPEN_SPIEL else mistakes.player_of(who)


def told(wrong: npt.NDArray[np.bool_]) -> str:
    """Write the share of mistakes with two intervals, from `[seeds, positions]`.

    The first is for more seeds on these positions, where searches are independent. The second is
    for more positions like these, where all seeds of a position count as one.
    """
    seeds, positions = wrong.shape
    here = share_of(wrong.ravel(), np.ones(wrong.size))
    alike = share_of(wrong.sum(axis=0), np.full(positions, seeds))
    return f"{wrong.sum()} of {wrong.size}: {here:.3%} on these positions, {alike:.3%} on such ones"


if __name__ == "__main__":
    try:
        main()
    except (Missing, kibitz.KibitzError) as error:
        raise SystemExit(f"error: {error}") from None
