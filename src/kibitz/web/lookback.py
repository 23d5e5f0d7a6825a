"""Addresses for looking back: replay, review, opinions, try again, practice, import, analysis.

Nothing here speaks of a table before it is over. While a daily deal can still be played, people see
what their own seat saw, and nothing of the other cards.
"""

import asyncio
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import Field

from kibitz.core.game import SPECTATOR, Seat
from kibitz.core.messages import Message
from kibitz.core.outside import Document
from kibitz.core.registry import game_facts
from kibitz.core.spec import spec_name
from kibitz.core.wording import speaking
from kibitz.store.play import GuestRow, TableRow
from kibitz.web import documents
from kibitz.web.fair import is_past
from kibitz.web.importing import MAX_IMPORT, import_games
from kibitz.web.recalling import MOST_RECORD
from kibitz.web.refusals import Refused
from kibitz.web.reviews import last_of
from kibitz.web.service import Here, Me, Service
from kibitz.web.showing import row_info
from kibitz.web.wishes import Action

router = APIRouter(prefix="/api", tags=["looking back"])

REPLAY, OPINION, VERDICT = 60.0, 3.0, 20.0
"""Seconds of thinking that each may take."""

MOST_POSITION = 4000
"""Characters of a position that is analysed."""

AnySeat = Annotated[int | None, Query(ge=SPECTATOR, lt=16)]
Move = Annotated[int, Query(ge=1, le=100_000)]


@dataclass(frozen=True)
class _Game:
    """A game that is over, as somebody may look back at it."""

    row: TableRow
    line: str
    seat: Seat
    guest: GuestRow

    def info(self) -> documents.Json:
        """Return the table as the guest may know it."""
        return row_info(self.row, self.guest, self.guest.language, set())


async def _look(here: Service, guest: GuestRow, table: str, seat: int | None, open: bool) -> _Game:
    """Return a game that a guest may look back at, from a seat; Refused if that is not so."""
    row = await here.tables.row(table)
    if row.status != "over":
        raise Refused(Message("web.not-over"))
    own = next((one.seat for one in row.seats if one.guest_id == guest.id), SPECTATOR)
    is_secret = row.daily is not None and not is_past(row.daily)
    wanted = own if seat is None else seat
    if wanted >= len(row.seats):
        raise Refused(Message("web.no-seat", {"seat": wanted}), 422)
    if is_secret and (open or own == SPECTATOR or wanted != own):
        raise Refused(Message("web.not-own-seat"), 403)
    line = await asyncio.to_thread(here.tables.record_line, row)
    if len(line) > MOST_RECORD:
        raise Refused(Message("web.game-too-long"), 422)
    return _Game(row, line, wanted, guest)


@router.get("/tables/{table}/replay")
async def replay(
    table: str, guest: Me, here: Here, seat: AnySeat = None, open: bool = False
) -> dict[str, Any]:
    """Show a game that is over step by step, as a seat saw it or with all cards open."""
    game = await _look(here, guest, table, seat, open)
    words = (game.line, game.seat, open, guest.language)
    found = await last_of(here.workers, "replay", words, REPLAY)
    return {"table": game.info(), "seat": game.seat, "open": open, "steps": found["steps"]}


@router.get("/tables/{table}/review")
async def review(table: str, guest: Me, here: Here, seat: AnySeat = None) -> dict[str, Any]:
    """Return what the coach thinks of a seat's decisions, as far as he has come."""
    game = await _look(here, guest, table, seat, False)
    at = max(game.seat, 0)
    found = await here.reviews.find(game.row, at, game.line, guest.id)
    with speaking(guest.language, at):
        return found.document(guest.language)


@router.get("/tables/{table}/opinions")
async def opinions(
    table: str, guest: Me, here: Here, move: Move, open: bool = False
) -> dict[str, Any]:
    """Return what the coach thinks of every action at one decision."""
    game = await _decided(here, guest, table, move, open)
    words = (game.line, move, open, guest.language, OPINION)
    return await last_of(here.workers, "opinion", words, OPINION + VERDICT)


async def _decided(here: Service, guest: GuestRow, table: str, move: int, open: bool) -> _Game:
    """Return a game whose decision a guest may look at."""
    row = await here.tables.row(table)
    if row.status != "over":
        raise Refused(Message("web.not-over"))
    seats = [seat for seat, _ in await asyncio.to_thread(here.store.actions, table)]
    if move > len(seats):
        raise Refused(Message("web.no-move"), 404)
    return await _look(here, guest, table, seats[move - 1], open)


class Tried(Document):
    """Another action at a decision that was made."""

    move: Annotated[int, Field(ge=1, le=100_000)]
    action: Action


@router.post("/tables/{table}/try")
async def try_again(table: str, guest: Me, here: Here, tried: Tried) -> dict[str, Any]:
    """Judge another action at a decision, without saying what the best is."""
    game = await _decided(here, guest, table, tried.move, False)
    words = (game.line, tried.move, tried.action, guest.language)
    return await last_of(here.workers, "verdict", words, VERDICT)


@router.get("/practice")
async def practice(guest: Me, here: Here) -> list[dict[str, Any]]:
    """List the mistakes of your own that are due, the dearest first."""
    cards = []
    for row in await here.practice.due(guest):
        try:
            game = await _look(here, guest, row.table_id, row.seat, False)
            words = (game.line, row.move, guest.language)
            shown = await last_of(here.workers, "card", words, VERDICT)
        except Refused as error:
            if error.status == 503:
                raise
            continue  # its game cannot be played any more under the rules of today
        known = {name: getattr(row, name) for name in ("id", "move", "seat", "size", "loss")}
        cards.append({**known, "table": game.info(), "right": row.n_right, **shown})
    return cards


class Answered(Document):
    """What somebody would play in an exercise."""

    action: Action


@router.post("/practice/{exercise}")
async def answer(exercise: str, guest: Me, here: Here, answered: Answered) -> dict[str, Any]:
    """Judge what you would play now; right answers wait longer until they come again."""
    row = await here.practice.find(guest, exercise)
    game = await _look(here, guest, row.table_id, row.seat, False)
    words = (game.line, row.move, answered.action, guest.language)
    found = await last_of(here.workers, "verdict", words, VERDICT)
    await here.practice.answered(row, is_right=found["size"] in ("best", "good"))
    return found


class Text(Document):
    """Records or logs, as text."""

    text: Annotated[str, Field(max_length=MAX_IMPORT)]


@router.post("/import")
async def bring(guest: Me, here: Here, brought: Text) -> dict[str, Any]:
    """Make tables that are over of JSONL records or BSW logs, to look back at."""
    async with here.imports.wait():
        rows, refused = await import_games(here, guest, brought.text)
    tables = [row_info(row, guest, guest.language, set()) for row in rows]
    return {"tables": tables, "refused": refused}


class Position(Document):
    """A position that was shared or typed, and whose decision is meant."""

    position: Annotated[str, Field(max_length=MOST_POSITION)]
    seat: Annotated[int, Field(ge=0, lt=16)] | None = None


@router.post("/analysis")
async def analysis(guest: Me, here: Here, asked: Position) -> dict[str, Any]:
    """Return what the coach thinks of a position, or of what one seat sees of it."""
    words = (asked.position, asked.seat, guest.language, OPINION)
    found = await last_of(here.workers, "position", words, OPINION + VERDICT)
    spec = found.pop("game")
    with speaking(guest.language):
        return {**found, "table": _no_table(spec, found["seat"])}


def _no_table(spec: str, seat: Seat) -> dict[str, Any]:
    """Describe a table at which nobody sits."""
    facts = game_facts(spec_name(spec))
    return {
        "id": "",
        "game": spec,
        "name": facts.name,
        "title": facts.title,
        "unit": documents.unit(facts),
        "secrets": facts.hidden,
        "status": "over",
        "seats": [],
        "you": seat,
        "owner": False,
        "daily": None,
        "private": False,
        "fairness": {"commitment": "", "seed": None, "salt": None},
    }
