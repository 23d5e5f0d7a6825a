"""Games from elsewhere become tables that are over, owned by who brought them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from kibitz.core.messages import Message
from kibitz.core.record import Record, parse_record
from kibitz.core.wording import say
from kibitz.store import play as rows
from kibitz.store.play import GuestRow, SeatRow, TableRow
from kibitz.web import fair
from kibitz.web.documents import Json
from kibitz.web.guests import clean_name
from kibitz.web.process import WorkerFailed
from kibitz.web.refusals import Refused
from kibitz.web.tables import new_id

if TYPE_CHECKING:
    from kibitz.web.service import Service

MAX_IMPORT = 2_000_000
"""Characters of one import."""

SECONDS = 60.0

MOST_WAITING = 10
"""Imports that may wait for their turn."""


class Turns:
    """Lets one import be read at a time, so that hints find a free process."""

    def __init__(self) -> None:
        """Let nobody wait yet."""
        self._lock = asyncio.Lock()
        self._n = 0

    @asynccontextmanager
    async def wait(self) -> AsyncIterator[None]:
        """Wait for one's turn; Refused if too many do."""
        if self._n > MOST_WAITING:
            raise Refused(Message("web.busy"), 503)
        self._n += 1
        try:
            async with self._lock:
                yield
        finally:
            self._n -= 1


async def import_games(
    here: "Service", guest: GuestRow, text: str
) -> tuple[list[TableRow], list[str]]:
    """Enter all games of a text that can be read; say what was wrong with the rest."""
    tables: list[TableRow] = []
    refused: list[str] = []
    try:
        async for found in here.workers.job("import", (text, guest.language), SECONDS):
            if "refused" in found:
                refused.append(found["refused"])
                continue
            row, record = _row(found, guest)
            actions = [(seat, text) for seat, text in record.actions]
            await here.tables.writer.write(
                rows.add_table(row), rows.add_actions(row.id, 0, actions)
            )
            tables.append(row)
    except WorkerFailed as error:
        refused.append(error.reason)
    if not tables and not refused:
        refused.append(say(Message("web.import-nothing"), guest.language))
    return tables, refused


def _row(found: Json, guest: GuestRow) -> tuple[TableRow, Record]:
    """Return a table that is over, with its cards written out."""
    record = parse_record(found["line"])
    now = datetime.now(UTC)
    _, salt = fair.draw()
    n_seats = len(found["scores"])
    names = record.seats or tuple("" for _ in range(n_seats))
    row = TableRow(
        id=new_id(),
        game=found["spec"],
        game_version=record.version,
        level="",
        owner=guest.id,
        status="over",
        seed=record.seed,
        salt=salt,
        source="import",
        notes={"deals": list(record.deals), "scores": found["scores"]},
        made=now,
        started=now,
        ended=now,
    )
    seats = tuple(
        SeatRow(seat, "person", None, clean_name(name) or str(seat))
        for seat, name in enumerate(names)
    )
    return replace(row, seats=seats), record
