"""Lets the bots of a table think in workers, and plays what they answer."""

import asyncio
import contextlib
import logging

from kibitz.core.conduct import Misbehaviour
from kibitz.core.game import Action, Seat
from kibitz.core.messages import Message
from kibitz.host import Question
from kibitz.web.levels import below
from kibitz.web.process import WorkerFailed
from kibitz.web.refusals import Refused
from kibitz.web.room import Room
from kibitz.web.workers import Workers

LOG = logging.getLogger("kibitz.web")
MOST_TOLD = 300
"""Letters of a fault that the log takes."""


class Driver:
    """The bots of one table."""

    def __init__(self, room: Room, workers: Workers) -> None:
        """Think of nothing yet."""
        self._room = room
        self._workers = workers
        self._thinking: dict[Seat, tuple[int, str, asyncio.Task[None]]] = {}
        self._answers: list[tuple[Question, Action, str]] = []

    def wake(self) -> None:
        """Ask whoever owes a decision and is not thinking yet."""
        room = self._room
        if room.is_broken:
            self.stop()
            return
        if room.host is None or not (room.has_people or room.lines):
            return
        if not room.pauses.lets_think:
            return
        for question in room.host.questions():
            spec = str(room.seats[question.seat].spec)
            number, thinker, task = self._thinking.get(question.seat, (-1, "", None))
            if (number, thinker) == (question.number, spec):
                continue
            if task is not None:
                task.cancel()
            task = asyncio.create_task(self._think(question, spec))
            self._thinking[question.seat] = (question.number, spec, task)

    @property
    def is_thinking(self) -> bool:
        """Whether any bot thinks."""
        return any(not task.done() for _, _, task in self._thinking.values())

    def stop(self) -> None:
        """Let all bots stop thinking."""
        for _, _, task in self._thinking.values():
            if task is not asyncio.current_task():
                task.cancel()
        self._thinking = {}

    async def _think(self, question: Question, spec: str) -> None:
        room = self._room
        beat = 0.0 if room.has_people else room.config.watch_beat
        try:
            asked = self._workers.act(room.game.spec, spec, question, room.config.deadline)
            action, _ = await asyncio.gather(asked, asyncio.sleep(beat))
            self._answers.append((question, action, spec))
            await self._flush()
        except (WorkerFailed, Misbehaviour) as error:
            LOG.warning("%s at table %s: %s", spec, room.row.id, str(error)[:MOST_TOLD])
            self._thinking.pop(question.seat, None)
            with contextlib.suppress(Refused):
                await room.demote(question.seat, spec, below(room.game.facts.name, spec))
        except Refused:  # the room is broken, and will be made anew
            return
        except Exception:
            LOG.exception("table %s is made anew", room.row.id)
            room.close(Message("web.not-saved"), is_gone=False)

    async def _flush(self) -> None:
        """Play all answers that have come in, and commit them together."""
        room = self._room
        async with room.lock:
            answers, self._answers = self._answers, []
            if not answers or room.is_broken or room.host is None:
                return
            failed: Misbehaviour | None = None
            played = False
            for question, action, spec in answers:
                if room.seats[question.seat].spec != spec:
                    continue
                try:
                    played = room.host.answer(question, action) or played
                except Misbehaviour as error:
                    failed = error
            if played:
                await room.commit()
        if failed is not None:
            raise failed
