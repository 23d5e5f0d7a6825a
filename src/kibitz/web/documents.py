"""What pages are sent: documents made of views, never of true states. The types: ui/src/wire.ts."""

import io
from collections.abc import Sequence
from typing import Any

import numpy as np
from rich.console import Console

from kibitz.core.game import Action, Scores, Seat, movers, scores
from kibitz.core.messages import Message
from kibitz.core.spec import Choice, GameFacts, Option
from kibitz.core.table import Game
from kibitz.core.wording import ENGLISH, catalogue, words
from kibitz.review.telling import Event
from kibitz.web.levels import levels_of

Json = dict[str, Any]


def told(message: Message) -> Json:
    """Return a message with its words."""
    return {**message.as_json(), "words": words(message)}


def picture(game: Game, view: np.record, viewer: Seat) -> Json:
    """Return what a view shows; of a game without a picture of its own, the table as text."""
    if game.picture is not None:
        shown: Json = game.picture.picture(view, viewer)
        return shown
    console = Console(file=io.StringIO(), width=80, color_system=None, highlight=False)
    with console.capture() as capture:
        console.print(game.render(view, viewer))
    return {"game": "", "drawing": capture.get()}


def choices(game: Game, view: np.record, seat: Seat, actions: Sequence[Action]) -> list[Json]:
    """Return what a page offers for each action."""
    if game.picture is not None:
        shown: list[Json] = game.picture.choices(view, seat, actions)
        return shown
    texts = [game.text.format_action(view, seat, action) for action in actions]
    return [{"text": text, "kind": "action", "words": text} for text in texts]


def extra(game: Game, view: np.record, seat: Seat) -> list[Json]:
    """Return what a seat may do although the table does not wait for it."""
    listed = getattr(game.picture, "extra", None)
    return [] if listed is None else choices(game, view, seat, listed(view, seat))


def prompt(game: Game, view: np.record, seat: Seat, actions: Sequence[Action]) -> str:
    """Say the next thing to do."""
    if game.picture is None:
        return words(Message("web.choose"))
    return words(game.picture.prompt(view, seat, actions))


def waited_for(game: Game, view: np.record) -> list[Seat]:
    """List the seats that a table waits for, as far as a view tells."""
    mask = int(movers(view))
    return [seat for seat in range(game.n_seats) if mask >> seat & 1]


def scores_of(game: Game, view: np.record) -> list[float]:
    """Return how it stands, as far as a view tells."""
    out: Scores = np.zeros(game.n_seats)
    scores(view, out)
    return out.tolist()


def event(game: Game, one: Event, viewer: Seat) -> Json:
    """Return something that happened, as a viewer is told it."""
    return {
        "number": one.number,
        "seat": one.seat,
        "message": None if one.message is None else told(one.message),
        "action": one.text or None,
        "begins_turn": one.begins_turn,
        "is_forced": one.is_forced,
        "outcome": [told(message) for message in one.outcome],
        "ended": None if one.ended is None else picture(game, one.ended, viewer),
        "scores": None if one.scores is None else list(one.scores),
    }


def unit(facts: GameFacts) -> str:
    """Return what scores are counted in."""
    is_said = "unit" in catalogue(facts.name, ENGLISH)
    return words(Message(f"{facts.name}.unit")) if is_said else facts.unit


def game_info(facts: GameFacts) -> Json:
    """Return what a page must know to offer a game."""
    return {
        "name": facts.name,
        "title": facts.title,
        "summary": facts.summary,
        "unit": unit(facts),
        "hidden": facts.hidden,
        "people": facts.spec(facts.resolve(facts.people)),
        "options": [_option(option) for option in facts.options],
        "levels": [level.document() for level in levels_of(facts.name)],
    }


def _option(option: Option) -> Json:
    return {
        "name": option.name,
        "default": str(option.default),
        "values": list(option.values if isinstance(option, Choice) else option.words),
        "low": None if isinstance(option, Choice) else option.low,
        "high": None if isinstance(option, Choice) else option.high,
        "help": option.help,
    }
