"""The addresses of the lobby: guests, games, tables, records."""

import asyncio
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from fastapi import APIRouter, Response

from kibitz.core.messages import Message
from kibitz.core.registry import game_facts, game_names
from kibitz.core.wording import speaking
from kibitz.store import schema
from kibitz.store.play import GuestRow, TableRow
from kibitz.web.documents import Json, game_info
from kibitz.web.fair import is_past
from kibitz.web.refusals import Refused
from kibitz.web.service import Here, Me, Service
from kibitz.web.showing import row_info
from kibitz.web.wishes import Again, ChangedGuest, NewTable

router = APIRouter(prefix="/api", tags=["tables"])

MOST_LISTED, MOST_SEARCHED = 50, 500
MOST_OF_ONE = 5
"""Tables of one guest that are listed: there must be room for others."""


def _me(guest: GuestRow) -> Json:
    return {"id": guest.id, "name": guest.name, "language": guest.language}


@router.get("/me")
async def me(guest: Me) -> dict[str, Any]:
    """Return who you are; a cookie keeps it."""
    return _me(guest)


@router.patch("/me")
async def change_me(guest: Me, wanted: ChangedGuest, here: Here) -> dict[str, Any]:
    """Change your name or language."""
    return _me(await here.guests.change(guest, wanted))


@router.get("/games")
async def games(guest: Me) -> list[dict[str, Any]]:
    """List the games with their options and levels."""
    with speaking(guest.language):
        return [game_info(game_facts(name)) for name in game_names()]


@router.get("/tables")
async def lobby(guest: Me, here: Here) -> list[dict[str, Any]]:
    """List tables that wait for people, and those where bots alone are watched."""
    tables = schema.play_tables
    is_shown = (tables.c.status == "open") & (tables.c.is_private == 0)
    found = await asyncio.to_thread(here.store.tables, is_shown, most=MOST_SEARCHED)
    waiting = list(_few_of_each(found))
    watched = [
        room.row
        for room in here.tables.rooms.values()
        if room.row.status == "playing" and not (room.has_people or room.row.is_private)
        if room.lines
    ]
    return [info(row, guest, here) for row in [*waiting, *watched][:MOST_LISTED]]


def _few_of_each(rows: Iterable[TableRow]) -> Iterator[TableRow]:
    """Leave out tables of those who have made many."""
    seen: Counter[str] = Counter()
    for row in rows:
        seen[row.owner] += 1
        if seen[row.owner] <= MOST_OF_ONE:
            yield row


@router.post("/tables")
async def make_table(guest: Me, wanted: NewTable, here: Here) -> dict[str, Any]:
    """Make a table; it begins at once unless seats are left open."""
    if wanted.same_deal_as is not None:
        before = await here.tables.row(wanted.same_deal_as)
        row = await here.tables.again(guest, before, same_deal=True)
    else:
        row = await here.tables.make(guest, wanted)
    return info(row, guest, here)


@router.get("/tables/{table}")
async def find_table(table: str, guest: Me, here: Here) -> dict[str, Any]:
    """Return a table as you may know it."""
    return info(await here.tables.row(table), guest, here)


@router.post("/tables/{table}/again")
async def play_again(table: str, guest: Me, wanted: Again, here: Here) -> dict[str, Any]:
    """Make a table like this one, with new cards or with the same."""
    before = await here.tables.row(table)
    row = await here.tables.again(guest, before, wanted.same_deal)
    return info(row, guest, here)


@router.get("/mine")
async def mine(guest: Me, here: Here) -> list[dict[str, Any]]:
    """List your tables, the newest first."""
    found = await asyncio.to_thread(here.store.tables_of, guest.id)
    return [
        info(row, guest, here)
        | {
            "ended": row.ended and row.ended.isoformat(),
            "scores": row.notes.get("scores"),
        }
        for row in found
    ]


@router.get("/tables/{table}/record")
async def record(table: str, guest: Me, here: Here) -> Response:
    """Return the record of a game that is over, one line of JSON."""
    row = await here.tables.row(table)
    if row.status != "over":
        raise Refused(Message("web.no-record"))
    if row.daily is not None and not is_past(row.daily):
        raise Refused(Message("web.no-daily-record"))
    line = await asyncio.to_thread(here.tables.record_line, row)
    name = f"kibitz-{row.id}.jsonl"
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(f"{line}\n", media_type="application/jsonl", headers=headers)


@router.get("/health")
async def health(here: Here) -> dict[str, Any]:
    """Return how much there is to do, and what was refused."""
    rooms = here.tables.rooms.values()
    return {
        "status": "ok",
        "tables": len(rooms),
        "lines": sum(len(room.lines) for room in rooms),
        "refused": dict(here.limits.refused),
    }


def info(row: TableRow, guest: GuestRow, here: Service) -> Json:
    """Return a table as a guest may know it."""
    room = here.tables.rooms.get(row.id)
    online = set() if room is None else {line.guest.id for line in room.lines}
    return row_info(row, guest, guest.language, online)
