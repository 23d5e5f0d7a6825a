"""Snapshots: all that one client is shown of a table, from the view of its seat alone."""

from dataclasses import replace
from typing import TYPE_CHECKING

from kibitz.core.game import SPECTATOR, Seat, State, is_over
from kibitz.core.messages import Message
from kibitz.core.registry import game_facts
from kibitz.core.spec import spec_name
from kibitz.core.table import Game
from kibitz.core.wording import speaking, words
from kibitz.store.play import GuestRow, SeatRow, TableRow
from kibitz.web import documents
from kibitz.web.claiming import may_claim
from kibitz.web.documents import Json
from kibitz.web.fair import commitment, is_past
from kibitz.web.line import Line
from kibitz.web.seats import is_person, name_of

if TYPE_CHECKING:
    from kibitz.web.room import Room


def snapshot(room: "Room", line: Line) -> Json:
    """Return what a client is shown now, with the events that it has not been told."""
    seat = room.seat_of(line.guest)
    with speaking(line.language, seat):
        shown = {
            "is": "table",
            "table": table_info(room, line.guest, line.language),
            "decision": None,
            "choices": [],
            "extra": [],
            "claim": False,
            "prompt": "",
            "waiting": [],
            "scores": [0.0] * room.game.n_seats,
            "events": [],
            "last_event": 0,
            "pause": None,
        }
        return shown | (_before(room) if room.host is None else _playing(room, seat, line.since))


def _before(room: "Room") -> Json:
    """Show a table that has not been dealt."""
    view = room.game.blank(1)[0]
    waiting = [row.seat for row in room.seats if row.kind == "open"]
    return {
        "picture": documents.picture(room.game, view, SPECTATOR),
        "prompt": words(Message("web.wait-open")),
        "waiting": waiting,
    }


def _playing(room: "Room", seat: Seat, since: int) -> Json:
    """Show a game: everything comes from the view of a seat, or from what it has been told."""
    game, host = room.game, room.host
    assert host is not None
    moment = room.pauses.now
    view = host.view(seat) if moment is None else moment.view(seat)
    events = host.events(seat, until=None if moment is None else moment.n_actions)
    may_act = seat != SPECTATOR and is_person(room.seats[seat]) and moment is None
    shown = shown_state(game, view, seat, room.decision(seat), may_act=may_act)
    waiting = shown["waiting"] if moment is None else []
    return shown | {
        "prompt": shown["prompt"] or _prompt(room, seat, waiting),
        "waiting": waiting,
        "pause": room.pauses.left(seat),
        "events": [documents.event(game, one, seat) for one in events[max(since, 0) :]],
        "last_event": len(events),
    }


def shown_state(
    game: Game, view: State, seat: Seat, decision: int | None, *, may_act: bool = True
) -> Json:
    """Return what a snapshot says of the state of a game, which is a view and nothing else.

    Args:
        game: what is played.
        view: what the seat knows.
        seat: whose view it is, or that of a spectator.
        decision: the number of the decision that the seat owes, if any.
        may_act: whether a person plays at the seat.
    """
    has_ended = bool(is_over(view))
    may_call = may_act and seat != SPECTATOR and not has_ended
    legal = [] if decision is None else game.legal(view, seat)
    return {
        "picture": documents.picture(game, view, seat),
        "decision": decision,
        "choices": documents.choices(game, view, seat, legal) if legal else [],
        "extra": documents.extra(game, view, seat) if may_call else [],
        "claim": may_act and decision is not None and may_claim(game, view, seat),
        "prompt": documents.prompt(game, view, seat, legal) if legal else "",
        "waiting": [] if has_ended else documents.waited_for(game, view),
        "scores": documents.scores_of(game, view),
    }


def _prompt(room: "Room", seat: Seat, waiting: list[Seat]) -> str:
    """Say what somebody who has nothing to decide waits for."""
    if seat != SPECTATOR and room.seats[seat].state == "covered" and room.row.status != "over":
        return words(Message("web.covered"))
    if room.pauses.now is not None:
        return ""
    if room.row.status == "over":
        return words(Message("web.over"))
    people = [room.seats[one].name for one in waiting if is_person(room.seats[one]) and one != seat]
    if people:
        return words(Message("web.wait", {"names": people}))
    return words(Message("web.wait-bots"))


def table_info(room: "Room", guest: GuestRow, language: str) -> Json:
    """Return what is known of a table beside the cards."""
    online = {line.guest.id for line in room.lines}
    is_pausing = room.pauses.now is not None  # what comes of the last play is shown after it
    row = replace(room.row, status="playing") if is_pausing else room.row
    return row_info(row, guest, language, online)


def row_info(row: TableRow, guest: GuestRow, language: str, online: set[str]) -> Json:
    """Return a table as the database knows it."""
    facts = game_facts(spec_name(row.game))
    you = next((seat.seat for seat in row.seats if seat.guest_id == guest.id), SPECTATOR)
    is_shown = row.status == "over" and (row.daily is None or is_past(row.daily))
    with speaking(language):
        return {
            "id": row.id,
            "game": row.game,
            "name": facts.name,
            "title": facts.title,
            "unit": documents.unit(facts),
            "secrets": facts.hidden,
            "status": row.status,
            "seats": [_seat(seat, guest, language, online) for seat in row.seats],
            "you": you,
            "owner": row.owner == guest.id,
            "daily": row.daily,
            "private": row.is_private,
            "fairness": {
                "commitment": commitment(row.seed, row.salt),
                "seed": str(row.seed) if is_shown else None,
                "salt": row.salt if is_shown else None,
            },
        }


def _seat(row: SeatRow, guest: GuestRow, language: str, online: set[str]) -> Json:
    return {
        "name": name_of(row, language),
        "kind": row.kind,
        "level": row.level if row.kind == "bot" else None,
        "online": row.guest_id in online,
        "covered": row.state in ("covered", "left"),
        "you": row.guest_id == guest.id,
    }
