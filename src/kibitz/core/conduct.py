"""What agents must keep to, and what is written down of those that do not.

Whatever an agent's code raises is its fault, SystemExit and KeyboardInterrupt included. Only a real
Ctrl-C is not: `interrupts` tells the two apart.
"""

import signal
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Literal, get_args

from kibitz.core.errors import AgentError, KibitzError, SpecError, clip, plain
from kibitz.core.record import Record

Check = Callable[[], None]
"""Raises if the play is to stop."""


OnError = Literal["stop", "forfeit", "raise"]
"""What a fault leads to."""


@dataclass(frozen=True)
class Conduct:
    """What agents must keep to, and what happens if they do not.

    An illegal action, an exception and a missed deadline are faults. They stop the play, or cost
    the seat its game: somebody else plays on at random, so that the others' scores mean what they
    always do, and the seat gets the lowest score there is. With "raise" an agent's exception comes
    through at once, as it is and with its traceback, for those who write agents or train them;
    other faults stop the play.
    """

    on_error: OnError = "stop"
    deadline: float | None = None  # seconds per decision; agents are then asked one at a time

    def __post_init__(self) -> None:
        """Refuse what makes no sense."""
        if not isinstance(self.on_error, str) or self.on_error not in get_args(OnError):
            raise SpecError(f"on_error is stop, forfeit or raise, got {clip(self.on_error)}")
        seconds = 1 if self.deadline is None else self.deadline
        if not isinstance(seconds, int | float) or not seconds > 0:
            raise SpecError(f"a deadline is a number of seconds above 0, got {clip(seconds)}")


@dataclass(frozen=True)
class Fault:
    """What an agent did wrong, and where."""

    agent: int  # its index
    spec: str
    game: int  # id of the game
    deal: int
    rotation: int
    seat: int
    position: str
    reason: str
    n_actions: int  # committed in that game before
    record: Record | None = None  # the game up to there, once it is written

    def __str__(self) -> str:
        """Say who did what, where."""
        where = f" in {self.position}" if self.position else ""
        return (
            f"agent {clip(self.spec)} at seat {self.seat} of deal {self.deal}, "
            f"rotation {self.rotation}, {self.reason}{where}"
        )


class Misbehaviour(AgentError):
    """An agent's fault that stopped the play."""

    def __init__(self, fault: Fault) -> None:
        """Keep the fault, with its record."""
        super().__init__(str(fault))
        self.fault = fault


@contextmanager
def interrupts() -> Iterator[Check]:
    """Note what Ctrl-C raises while the block runs; the check that is given raises it again.

    An agent may raise KeyboardInterrupt itself, or swallow a real one; a compiler that is
    interrupted makes another error of it.
    """
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield lambda: None  # no interrupt ever comes here
        return
    raised: list[BaseException] = []
    handle: Callable[[int, FrameType | None], object] = handler

    def note(number: int, frame: FrameType | None) -> None:
        try:
            handle(number, frame)
        except BaseException as error:
            raised.append(error)
            raise

    def check() -> None:
        if raised:
            raise raised[0] from None

    signal.signal(signal.SIGINT, note)
    try:
        yield check
    except Exception:
        check()
        raise
    finally:
        signal.signal(signal.SIGINT, handler)


@contextmanager
def making(spec: str) -> Iterator[None]:
    """Make an AgentError of what an agent raises when it is made, unless it was Ctrl-C."""
    with interrupts() as check:
        try:
            yield
        except BaseException as error:
            check()
            if isinstance(error, KibitzError):
                raise
            raise AgentError(f"agent {clip(spec)} cannot be made: it {reason(error)}") from error


@contextmanager
def asking(spec: str) -> Iterator[None]:
    """Make an AgentError of what an agent raises when it is asked, unless it was Ctrl-C."""
    with interrupts() as check:
        try:
            yield
        except BaseException as error:
            check()
            raise AgentError(f"agent {clip(spec)} {reason(error)}") from error


def reason(error: BaseException) -> str:
    """Say what an agent raised, in the middle of a sentence; nothing in there is trusted."""
    try:
        text = plain(str(error))
    except BaseException:
        text = ""
    if text and isinstance(error, AgentError):
        return text
    where = ""
    for frame, line in traceback.walk_tb(error.__traceback__):
        where = f" at {plain(Path(frame.f_code.co_filename).name)}:{line}"
    return f"raised {plain(type(error).__name__)}{f' ({text})' if text else ''}{where}"
