"""Hints: what the coach thinks of the decision that a person owes, from that seat's view alone."""

import asyncio
import contextlib
import secrets

from kibitz.core.messages import Message
from kibitz.core.rng import Purpose, derive
from kibitz.core.wording import say
from kibitz.host import Question
from kibitz.review.coaches import coach_spec
from kibitz.web.line import Line
from kibitz.web.process import WorkerFailed
from kibitz.web.refusals import Refused
from kibitz.web.room import Room
from kibitz.web.workers import Workers

MOST_OWN = 2
"""Hints of one guest at a time, at all tables: others want the coach, too."""


class Coach:
    """Thinks in workers, for those who ask."""

    def __init__(self, workers: Workers) -> None:
        """Think of nothing yet."""
        self._workers = workers
        self._asking: list[Line] = []

    def begin(self, room: Room, line: Line) -> None:
        """Begin to think for a client, who is told what is found until it is stopped."""
        seat, host = room.seat_of(line.guest), room.host
        decision = room.decision(seat)
        if host is None or decision is None:
            raise Refused(Message("web.no-hint"))
        rng = derive(secrets.randbits(63), Purpose.AGENT)
        question = Question(seat, host.view(seat), rng, 0, decision)
        self._make_room(line)
        line.hint = asyncio.create_task(self._think(room, line, question))
        self._asking.append(line)

    def _make_room(self, line: Line) -> None:
        """Stop the oldest hints of a guest who wants one more than others would get."""
        line.stop_hint()
        self._asking = [one for one in self._asking if one.hint and not one.hint.done()]
        own = [one for one in self._asking if one.guest.id == line.guest.id]
        for one in own[: len(own) - MOST_OWN + 1]:
            one.stop_hint()

    async def _think(self, room: Room, line: Line, question: Question) -> None:
        coach = coach_spec(room.game.facts)
        told = self._workers.hints(room.game.spec, coach, question, line.language)
        try:
            async with contextlib.aclosing(told) as hints:
                async for hint in hints:
                    if room.decision(question.seat) != question.number:
                        return
                    line.say(hint)
        except WorkerFailed:
            line.say({"is": "notice", "words": say(Message("web.coach-failed"), line.language)})
