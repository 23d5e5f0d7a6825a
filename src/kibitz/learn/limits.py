"""Limits of the parameters of algorithms: numbers beyond them are refused before anything is made.

A rate below zero, or games that no memory holds, would otherwise only be found by what they break.
Where a parameter is a list, every number of it is checked.
"""

from collections.abc import Iterator

from kibitz.core.errors import SpecError, clip

MAX_RATE = 1.0
"""Largest rate of learning; what is useful lies far below."""

MAX_GAMES = 1_000_000
"""Most games of a step."""

MAX_TREES, MAX_SIMS = 4096, 10_000
"""Most games of self-play that are searched side by side, and simulations of a search."""

MAX_C, MAX_DRAWN = 100.0, 10_000
"""Largest exploration of PUCT, and most decisions of a game that are drawn."""

MAX_BLOCKS, MAX_FILTERS = 100, 1024
"""Most blocks of a residual network, and filters of a convolution."""

MAX_BATCH = 10_000_000
"""Most decisions that are learnt from at once, or kept."""

MAX_PASSES = 10_000
"""Most passes over the same decisions, and updates of a step."""

MAX_STEPS = 10**12
"""Most steps or decisions in which something changes."""

MAX_WEIGHT = 1e6
"""Largest weight, scale and the like."""


def check_within(config: object, least: float, most: float, *names: str) -> None:
    """Refuse parameters that are below the least or above the most number.

    Raises:
        SpecError: one of them is.
    """
    for name, number in _numbers(config, names):
        if not least <= number <= most:
            raise SpecError(f"{name}={clip(number)[1:-1]}: expected {least:.12g} to {most:.12g}")


def check_positive(config: object, most: float, *names: str) -> None:
    """Refuse parameters that are not above 0, or above the most number.

    Raises:
        SpecError: one of them is.
    """
    for name, number in _numbers(config, names):
        if not 0 < number <= most:
            raise SpecError(f"{name}={clip(number)[1:-1]}: expected above 0, to {most:.12g}")


def _numbers(config: object, names: tuple[str, ...]) -> Iterator[tuple[str, float]]:
    """Yield all numbers of some parameters, with their names."""
    for name in names:
        value = getattr(config, name)
        for number in value if isinstance(value, tuple) else (value,):
            yield name, number
