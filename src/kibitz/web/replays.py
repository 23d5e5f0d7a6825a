"""A game that is over, step by step: pictures for a seat, or with all cards open."""

from kibitz.core.game import SPECTATOR, Seat, State, conceal, movers
from kibitz.core.messages import Message, as_message
from kibitz.core.record import Record, replay
from kibitz.core.table import Game
from kibitz.core.wording import words
from kibitz.review.following import Follower, Step
from kibitz.review.telling import Chronicle, Event
from kibitz.web import documents
from kibitz.web.documents import Json


def replay_steps(record: Record, viewer: Seat, *, is_open: bool) -> list[Json]:
    """Return `ReplayStep` documents, the deal first, in the language that is spoken here.

    What is shown, told and offered is what the viewer knew at the time; with open cards, all of it.
    """
    table = replay(record)
    chronicle = Chronicle(table, viewer)
    follower = Follower(table)
    steps = [_step(table.game, follower.state, viewer, is_open)]
    for move, step in enumerate(follower.steps(), 1):
        seen = len(chronicle.events)
        chronicle.follow(move)
        told = _told_openly(table.game, step) if is_open else _told(chronicle.events[seen:])
        shown = _step(table.game, follower.state, viewer, is_open)
        steps.append(shown | {"move": move, "seat": step.seat, "told": told})
    return steps


def _step(game: Game, state: State, viewer: Seat, is_open: bool) -> Json:
    """Show a position."""
    view = state.copy()
    if not is_open:
        conceal(view, viewer)
    return {
        "move": 0,
        "seat": None,
        "told": [],
        "picture": documents.picture(game, view, viewer),
        "position": game.format(view),
        "choices": _choices(game, state, viewer),
    }


def _choices(game: Game, state: State, viewer: Seat) -> list[Json]:
    """Return what the viewer can decide in a position, by the view of his seat."""
    if viewer == SPECTATOR or not int(movers(state)) >> viewer & 1:
        return []
    view = state.copy()
    conceal(view, viewer)
    legal = game.legal(view, viewer)
    return documents.choices(game, view, viewer, legal) if len(legal) > 1 else []


def _told(events: list[Event]) -> list[Json]:
    """Say what the viewer was told, and who did it."""
    told = []
    for event in events:
        told += [] if event.message is None else [_line(event.seat, event.message)]
        told += [_line(None, came) for came in event.outcome]
    return told


def _told_openly(game: Game, step: Step) -> list[Json]:
    """Say what was done, as who did it may be told, and what came of it."""
    tell = getattr(game.text, "tell", None)
    told = tell(step.before, step.seat, step.action, step.seat) if tell else None
    outcome = getattr(game.text, "outcome", None)
    came = outcome(step.before, step.after, SPECTATOR) if outcome else []
    return [_line(step.seat, told or step.text), *(_line(None, one) for one in came)]


def _line(seat: Seat | None, told: Message | str) -> Json:
    return {"seat": seat, "words": words(as_message(told))}
