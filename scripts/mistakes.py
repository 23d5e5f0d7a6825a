"""Count mistakes of tree searches on solved positions of Connect 4, several seeds of each.

Needs KIBITZ_DATA, and for the comparison `pip install open_spiel`. Example:

    KIBITZ_DATA=../data python scripts/mistakes.py --seeds 10 uct:sims=1000 gumbel:sims=1000
"""

import argparse
import time

import kibitz
from kibitz.arena.statistics import mean_of
from kibitz.bench import mistakes
from kibitz.bench.measure import Missing


def main() -> None:
    """Print one line for every set and player."""
    parser = argparse.ArgumentParser(description="count mistakes on solved positions of Connect 4")
    parser.add_argument("agents", nargs="+", help="agent specs")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--positions", type=int, default=1000, help="of each set, at most")
    given = parser.parse_args()
    players = {spec: mistakes.player_of(spec) for spec in given.agents}
    try:
        players["open_spiel (1000 simulations)"] = mistakes.open_spiel_player(1000)
    except Missing as reason:
        print(f"open_spiel: {reason}")
    for name in mistakes.SETS:
        solved = mistakes.load(name).first(given.positions)
        for who, player in players.items():
            began = time.perf_counter()
            wrong = mistakes.count(solved, player, given.seeds)
            took = time.perf_counter() - began
            rate = mean_of(100 * wrong.mean(axis=0))  # the position is the unit, not the seed
            print(f"{name:12} {who:32} {rate:.2f} % of {len(solved.moves)} ({took:.0f} s)")


if __name__ == "__main__":
    try:
        main()
    except (Missing, kibitz.KibitzError) as error:
        raise SystemExit(f"error: {error}") from None
