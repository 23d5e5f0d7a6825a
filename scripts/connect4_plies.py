"""Measure how long random legal positions of Connect 4 take to solve, ply by ply.

    python scripts/connect4_plies.py --plies 8 14

Prints the median and the 95th percentile in CPU seconds, of the score alone and of every column. A
ply of which more than 5 % take longer than a second is broken off and marked with >.
"""

import argparse

from kibitz.bench.plies import POSITIONS, time_ply


def main() -> None:
    """Measure every ply that is asked for."""
    parser = argparse.ArgumentParser(description="time early positions of Connect 4")
    parser.add_argument("--plies", type=int, nargs=2, default=(0, 14), metavar=("FIRST", "LAST"))
    parser.add_argument("--positions", type=int, default=POSITIONS, help="of each ply")
    asked = parser.parse_args()
    print("ply   score: median  95 %   columns: median  95 %", flush=True)
    for ply in range(asked.plies[1], asked.plies[0] - 1, -1):
        cells = [f"{ply:3}"]
        for every_column in (False, True):
            found = time_ply(ply, asked.positions, every_column)
            mark = " " if found.is_whole else ">"
            cells.append(f"{found.percentile(0.5):13.3f} {mark}{found.percentile(0.95):5.2f}")
        print("  ".join(cells), flush=True)


if __name__ == "__main__":
    main()
