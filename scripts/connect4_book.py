"""Make the opening book of Connect 4 with our own solver, or go on with it.

    python scripts/connect4_book.py --minutes 60

It takes some hours of one core in all, and can be stopped at any time: what is solved is written
every minute and when it ends.
"""

import argparse
import signal
import time
from pathlib import Path

from kibitz.games.connect4.book import make_book, shipped

TELL_SECONDS = 30.0


def main() -> None:
    """Solve for as long as asked."""
    parser = argparse.ArgumentParser(description="make the opening book of Connect 4")
    parser.add_argument("--minutes", type=float, default=180.0, help="stop after so many")
    parser.add_argument("--file", type=Path, default=shipped(), help="where the book is kept")
    asked = parser.parse_args()
    for stop in (
        signal.SIGINT,
        signal.SIGTERM,
    ):  # a shell lets jobs in the background ignore SIGINT
        signal.signal(stop, signal.default_int_handler)
    began = told = time.monotonic()

    def is_over(n: int, total: int) -> bool:
        nonlocal told
        if time.monotonic() - told > TELL_SECONDS:
            told = time.monotonic()
            print(f"{n:,} of {total:,} positions, {time.process_time():.0f} CPU s", flush=True)
        return time.monotonic() - began > 60 * asked.minutes

    try:
        n = make_book(asked.file, is_over)
        print(f"{n:,} positions in {asked.file}")
    except KeyboardInterrupt:
        print(f"stopped: go on with {asked.file} another time")


if __name__ == "__main__":
    main()
