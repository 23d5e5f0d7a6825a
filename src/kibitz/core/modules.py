"""Modules that a game may bring beside its rules, such as `judging`, `solver`, `dealt`, `claims`.

Nothing that is compiled imports this: what a game brings here is no part of any kernel.
"""

import importlib
import importlib.util
from types import ModuleType

from kibitz.core.spec import GameFacts


def find_module(facts: GameFacts, name: str) -> ModuleType | None:
    """Return a module of a game's folder; None if the game does not have it."""
    path = f"{facts.package}.{name}"
    return importlib.import_module(path) if importlib.util.find_spec(path) else None
