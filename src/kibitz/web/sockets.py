"""The address of a table's socket."""

import asyncio

from fastapi import APIRouter, WebSocket

from kibitz.core.errors import KibitzError
from kibitz.core.messages import Message
from kibitz.core.wording import LANGUAGES, say
from kibitz.web.guests import COOKIE
from kibitz.web.limits import is_known_host, is_own_origin
from kibitz.web.line import Line
from kibitz.web.refusals import Refused
from kibitz.web.room import Room
from kibitz.web.service import Service
from kibitz.web.socket import CLOSED_BY_RULE, Session

router = APIRouter()

LATEST = 2**53

SOON = 1.0
"""Seconds that somebody waits for a table without being told why."""


@router.websocket("/api/tables/{table}/socket")
async def table_socket(socket: WebSocket, table: str, since: str = "0", language: str = "") -> None:
    """Connect a client to a table."""
    here: Service = socket.app.state.service
    headers = socket.headers
    host, config = headers.get("host"), here.config
    is_ours = is_own_origin(headers.get("origin"), host, config.public_url)
    if not is_ours or not is_known_host(host, config.hosts):
        here.limits.count("origin")
        await socket.close(CLOSED_BY_RULE)
        return
    guest = await here.guests.find(socket.cookies.get(COOKIE))
    await socket.accept()
    spoken = language if language in LANGUAGES else guest.language if guest else LANGUAGES[0]
    try:
        if guest is None:
            raise Refused(Message("web.no-guest"), 403)
        room = await _find(socket, here, table, spoken)
        if len(room.lines) >= here.config.most_lines:
            raise Refused(Message("web.crowded"))
    except KibitzError as error:
        here.limits.count("no table")
        await socket.send_json({"is": "gone", "why": say(error.message, spoken)})
        await socket.close()
        return
    last = int(since) if since.isdecimal() and len(since) < 16 else 0
    line = Line(guest, spoken, min(last, LATEST))
    await Session(socket, room, line, here.limits, here.coach).run()


async def _find(socket: WebSocket, here: Service, table: str, language: str) -> Room:
    """Return the room of a table; who waits for it is told why."""
    finding = asyncio.ensure_future(here.tables.find(table))
    done, _ = await asyncio.wait({finding}, timeout=SOON)
    if not done:
        words = say(Message("web.preparing"), language)
        await socket.send_json({"is": "notice", "words": words})
    return await finding
