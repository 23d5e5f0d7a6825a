"""Compile what many tests need, once and before they start: `python -m tests.warm`.

Workers that run tests at the same time would otherwise compile the same kernels at the same time.
Two processes share the games between them.
"""

import subprocess
import sys
import time
from pathlib import Path

TOY = Path(__file__).parent / "toy"  # the game from outside

SHARES = (("sheephead", "tichu", "duel"), ("nimmt", "connect4"))
"""Which process compiles what: about the same work for each."""

UNUSED = {
    "sheephead": {"playouts", "gumbel", "mast", "ppa", "puct"},
    "tichu": {"playouts", "gumbel", "ismcts", "mast", "mcs", "pimc", "ppa", "puct", "uct"},
    "duel": {"gumbel", "ismcts", "mast", "mcs", "pimc", "ppa", "puct", "uct"},
}
"""What no test needs."""


def warm(names: list[str]) -> None:
    """Compile what tests need of some games."""
    sys.path.insert(0, str(TOY))
    from kibitz.core.kernels import seconds_compiling
    from kibitz.search.warmup import tasks

    for name in names:
        for part, run in tasks(name):
            if part not in UNUSED.get(name, ()):
                before = seconds_compiling()
                run()
                print(f"{name}: {part}, {seconds_compiling() - before:.1f} s", flush=True)


def main() -> None:
    """Let every process compile its share."""
    began = time.perf_counter()
    crew = [subprocess.Popen([sys.executable, "-m", "tests.warm", *share]) for share in SHARES]
    if any(one.wait() for one in crew):
        sys.exit("compiling failed: see above")
    print(f"compiled what tests need: {time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    if sys.argv[1:]:
        warm(sys.argv[1:])
    else:
        main()
