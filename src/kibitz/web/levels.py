"""How strong bots are, by names that people know: `levels.toml` in the folder of each game."""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from kibitz.core.outside import Document, Whole, Word
from kibitz.core.registry import game_facts
from kibitz.core.spec import GameFacts
from kibitz.core.wording import word

NAMES = ("casual", "club", "expert", "best")
"""Levels from the weakest to the strongest."""

USUAL = "club"
"""Who covers for people, and who is met where nobody chose."""

LAST_RESORT = "random"
"""The agent that takes over when all others fail."""


class Rating(Document):
    """What a tournament among the levels of a game gave."""

    value: float
    low: float
    high: float
    n: Whole  # games
    against: Word  # the level that has rating 0


class _Entry(Document):
    spec: Word
    rating: Rating | None = None


@dataclass(frozen=True)
class Level:
    """A strength that people can choose."""

    name: str
    spec: str
    rating: Rating | None

    def document(self) -> dict[str, Any]:
        """Return it for pages, in the language that is spoken here."""
        rating = None if self.rating is None else self.rating.model_dump()
        return {"name": self.name, "title": title(self.name), "spec": self.spec, "rating": rating}


def title(name: str) -> str:
    """Return what people call a level."""
    return word(f"web.level-{name}") if name in NAMES else name


class _File(Document):
    """What `levels.toml` of a game says."""

    daily: Word | None = None  # what the deal of the day is played by; as people do if left out
    casual: _Entry | None = None
    club: _Entry | None = None
    expert: _Entry | None = None
    best: _Entry | None = None


@cache
def _read(game: str) -> _File | None:
    file = files(game_facts(game).package) / "levels.toml"
    if not file.is_file():
        return None
    return _File.model_validate(tomllib.loads(file.read_text(encoding="utf-8")))


def daily_game(game: str) -> str:
    """Return the spec by which the deal of the day is played."""
    facts, said = game_facts(game), _read(game)
    return (said and said.daily) or facts.spec(facts.resolve(facts.people))


@cache
def levels_of(game: str) -> tuple[Level, ...]:
    """List the levels of a game, the weakest first; a game without any has its own last bot."""
    said = _read(game)
    if said is None:
        return _without_file(game_facts(game))
    found = {name: getattr(said, name) for name in NAMES}
    return tuple(
        Level(name, entry.spec, entry.rating) for name, entry in found.items() if entry is not None
    )


def _without_file(facts: GameFacts) -> tuple[Level, ...]:
    strongest = [LAST_RESORT, *facts.bots][-1]
    return (Level("casual", LAST_RESORT, None), Level(USUAL, strongest, None))


def find_level(game: str, name: str) -> Level | None:
    """Return the level of a name, if the game has it; `random` is there for who asks for it."""
    if name == LAST_RESORT:
        return Level(LAST_RESORT, LAST_RESORT, None)
    return next((level for level in levels_of(game) if level.name == name), None)


def usual_level(game: str) -> Level:
    """Return the level that bots have if nobody chose one."""
    return find_level(game, USUAL) or levels_of(game)[0]


def below(game: str, spec: str) -> str:
    """Return the agent that takes over from one that failed: the next weaker, at last `random`."""
    weaker: list[str] = []
    for level in levels_of(game):
        if level.spec == spec:
            return weaker[-1] if weaker else LAST_RESORT
        weaker.append(level.spec)
    return LAST_RESORT
