"""How long compiling takes, and what people are told while they wait for it."""

import json
import math
import sys
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from numba.core import event

from kibitz.core.cache import dtypes_of, rule_for
from kibitz.core.sources import cache_root, write_whole

Tell = Callable[[str], None]

LONG = 2.0
"""Seconds that people wait without being told why."""

_USUAL = {"search": 20, "rules": 10}  # where a kernel is compiled for the first time ever
_MOST_KEPT = 2000


def describe(module: str, kinds: Iterable[Any]) -> tuple[str, str]:
    """Return what part a kernel is of, such as "search", and of which game, if of any."""
    rules = [rule_for("deal", dtype) for kind in kinds for dtype in dtypes_of(kind)]
    found = [rule.__module__ for rule in rules if rule is not None]
    *package, last = module.split(".")
    if package[:2] == ["kibitz", "search"]:
        last = "search"
    elif package[:2] == ["kibitz", "core"]:
        last = "features" if last == "encoding" else "rules"
    return last, (found[0].split(".")[-2:] if found else [""])[0]


class Estimates:
    """The seconds that kernels took to compile last, in a small file beside them."""

    def __init__(self, path: Path) -> None:
        """Keep them in the file `path`, which need not exist."""
        self._path = path

    def get(self, name: str) -> float | None:
        """Return the seconds that a kernel took last, if that is known."""
        return self._read().get(name)

    def put(self, name: str, seconds: float) -> None:
        """Remember how long a kernel took."""
        known = {**self._read(), name: round(seconds, 1)}
        known = dict(list(known.items())[-_MOST_KEPT:])
        with suppress(OSError):  # a read-only home only means worse estimates
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(self._path, json.dumps(known).encode())

    def _read(self) -> dict[str, float]:
        try:
            found = json.loads(self._path.read_bytes())
        except (OSError, ValueError, RecursionError):
            return {}
        items = found.items() if isinstance(found, dict) else ()
        return {key: one for key, one in items if isinstance(one, float) and 0 < one < math.inf}


def _tell_terminal(message: str) -> None:
    if sys.stderr is not None and sys.stderr.isatty():
        print(f"kibitz: {message}", file=sys.stderr)


class Compilations(event.Listener):
    """Time what is compiled, and tell people of everything that takes long.

    Compilations within compilations count once; what comes from the cache is none. Where nothing is
    known of a kernel, people are told when it has taken long already.
    """

    def __init__(self, estimates: Estimates) -> None:
        """Listen to nothing yet."""
        self.seconds = 0.0
        self.tell: Tell = _tell_terminal
        self._estimates = estimates
        self._depth = 0
        self._began = 0.0
        self._said = ""
        self._alarm: threading.Timer | None = None

    def on_start(self, event: Any) -> None:
        """Begin to wait for a kernel."""
        self._depth += 1
        if self._depth > 1:
            return
        self._began = time.perf_counter()
        part, game = self._described(event)
        expected = self._estimates.get(self._name(event, game))
        if expected is None:
            usual = _USUAL.get(part, 5)
            self._alarm = threading.Timer(LONG, self._announce, (part, game, usual))
            self._alarm.daemon = True
            self._alarm.start()
        elif expected >= LONG:
            self._announce(part, game, expected)

    def on_end(self, event: Any) -> None:
        """Note how long a kernel took."""
        self._depth -= 1
        if self._depth > 0:
            return
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
        took = time.perf_counter() - self._began
        self.seconds += took
        name = self._name(event, self._described(event)[1])
        if took >= LONG or self._estimates.get(name) is not None:
            self._estimates.put(name, took)

    def _announce(self, part: str, game: str, seconds: float) -> None:
        what = f"the {part} of {game}" if game else f"the {part}"
        more = "more of " if self._said == what else ""
        kept = "" if self._said else "; it is kept for the next time"
        self._said = what
        self.tell(f"compiling {more}{what}, about {math.ceil(seconds)} s{kept}")

    @staticmethod
    def _described(event: Any) -> tuple[str, str]:
        return describe(event.data["dispatcher"].__module__, event.data["args"])

    @staticmethod
    def _name(event: Any, game: str) -> str:
        kernel = event.data["dispatcher"]
        return f"{kernel.__module__}.{kernel.__qualname__} {game}".rstrip()


_compilations = Compilations(Estimates(cache_root() / "compiling.json"))
event.register("numba:compile", _compilations)  # type: ignore[no-untyped-call]


def seconds_compiling() -> float:
    """Return the time this process has spent compiling, so that agents are not charged for it."""
    return _compilations.seconds


def announce_compilation(tell: Tell) -> None:
    """Call `tell` with a sentence whenever people have to wait because something is compiled.

    Without it, the sentence is printed on stderr if that is a terminal.
    """
    _compilations.tell = tell
