"""Drawings that fit the terminal they are shown in."""

from collections.abc import Callable
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult


@dataclass(frozen=True)
class Fitted:
    """A drawing made when it is known how wide it may be, and which letters there are."""

    draw: Callable[[int, bool], RenderableType]  # of the columns, and whether only ASCII is there

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draw it in the room there is."""
        yield self.draw(options.max_width, options.ascii_only)
