"""The line to a table: reads what a client wants, and sends what it is told."""

import asyncio
import contextlib
import json
import logging
from collections.abc import Awaitable, Callable

from fastapi import WebSocket, WebSocketDisconnect

from kibitz.core.errors import IllegalAction, KibitzError, PositionError, SpecError, StoreError
from kibitz.core.messages import Message
from kibitz.core.wording import say
from kibitz.store.play import GuestRow
from kibitz.web.coaching import Coach
from kibitz.web.documents import Json
from kibitz.web.limits import MESSAGES, STRIKES, Limits
from kibitz.web.line import Line
from kibitz.web.refusals import Refused
from kibitz.web.room import Room
from kibitz.web.wishes import Hide, Plain, Play, Sit, Try, Wish, read_wish

CLOSED_BY_RULE = 1008
LOG = logging.getLogger("kibitz.web")


class Session:
    """One client at one table, from the first message to the last."""

    def __init__(
        self, socket: WebSocket, room: Room, line: Line, limits: Limits, coach: Coach
    ) -> None:
        """Serve a socket that has been accepted."""
        self._socket = socket
        self._room = room
        self._line = line
        self._limits = limits
        self._coach = coach
        self._who = (line.guest.id, str(id(self)))

    async def run(self) -> None:
        """Serve until either side ends it."""
        await self._room.join(self._line)
        tasks = [asyncio.create_task(self._send()), asyncio.create_task(self._receive())]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await self._room.part(self._line)
            with contextlib.suppress(RuntimeError, WebSocketDisconnect):
                await self._socket.close()

    async def _send(self) -> None:
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):
            async for message in self._line.messages():
                await self._socket.send_text(json.dumps(message, ensure_ascii=False))

    async def _receive(self) -> None:
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):
            while not self._line.is_closed:
                told = await self._socket.receive()
                if told["type"] == "websocket.disconnect":
                    return
                if not await self._hear(told.get("text")):
                    await self._socket.close(CLOSED_BY_RULE)
                    return

    async def _hear(self, text: str | None) -> bool:
        """Do what a message asks for; False if the client has misbehaved too often."""
        number: int | None = None
        try:
            is_fast = not self._limits.allows(MESSAGES, *self._who)
            if text is None:
                raise Refused(Message("web.not-text"), 422)
            wish = read_wish(text)
            number = wish.id
            if is_fast:
                raise Refused(Message("web.too-fast"), 429)
            self._line.say(await self._grant(wish))
        except KibitzError as error:
            self._refuse(number, error)
            return self._limits.allows(STRIKES, *self._who)
        except Exception:
            LOG.exception("table %s is made anew", self._room.row.id)
            self._refuse(number, Refused(Message("web.not-saved"), 503))
            self._room.close(Message("web.not-saved"), is_gone=False)
        return True

    def _refuse(self, number: int | None, error: KibitzError) -> None:
        why = say(error.message, self._line.language, self._room.seat_of(self._line.guest))
        self._limits.count(_kind(error))
        if isinstance(error.__cause__, StoreError):  # its words are for who runs the server
            LOG.error("table %s: %s", self._room.row.id, error.__cause__)
        self._line.say({"is": "refused", "id": number, "why": why})

    async def _grant(self, wish: Wish) -> Json:
        """Do what is wanted; return the answer."""
        if isinstance(wish, Try):
            return self._try(wish)
        guest, room = self._line.guest, self._room
        if isinstance(wish, Play):
            await room.play(guest, wish.decision, wish.action)
        elif isinstance(wish, Sit):
            await room.sit(guest, wish.seat)
        elif isinstance(wish, Hide):
            await room.hide(guest, wish.hidden)
        else:
            await self._plainly(wish, guest)
        return {"is": "done", "id": wish.id}

    async def _plainly(self, wish: Plain, guest: GuestRow) -> None:
        room, line = self._room, self._line
        if wish.do == "hint":
            self._coach.begin(room, line)
            return
        if wish.do == "stop-hint":
            line.stop_hint()
            return
        done: dict[str, Callable[[GuestRow], Awaitable[None]]] = {
            "start": room.start,
            "leave": room.leave,
            "back": room.back,
            "claim": room.claim,
            "wait": room.wait,
        }
        await done[wish.do](guest)

    def _try(self, wish: Try) -> Json:
        """Say whether an action may be played; nothing is changed."""
        try:
            text = self._room.try_action(self._line.guest, wish.action)
        except (IllegalAction, PositionError) as error:
            why = say(error.message, self._line.language, self._room.seat_of(self._line.guest))
            return {"is": "tried", "id": wish.id, "ok": False, "text": None, "why": why}
        return {"is": "tried", "id": wish.id, "ok": True, "text": text, "why": None}


def _kind(error: KibitzError) -> str:
    """Name what was refused, for the counters."""
    if isinstance(error, Refused):
        return {429: "too fast", 422: "malformed", 503: "not saved"}.get(error.status, "not now")
    if isinstance(error, SpecError):
        return "malformed"
    return "illegal"
