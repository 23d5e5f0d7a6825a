"""Reviews of seats: begun when somebody asks, kept as they grow, and there at once the next time.

A quick look at all decisions finds where a longer one is worth it; these are judged first. Then
comes what the cards were worth, and how bots play the same deal. Reviews wait for each other, one
decision at a time, so that hints need not wait for them.
"""

import asyncio
import time
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any

from kibitz.core.game import Seat
from kibitz.core.messages import Message
from kibitz.core.registry import game_facts
from kibitz.core.spec import spec_name
from kibitz.core.wording import say
from kibitz.review.coaches import coach_spec
from kibitz.review.mistakes import rule_of
from kibitz.store.play import TableRow
from kibitz.store.reviews import ReviewStore, keep_review
from kibitz.web.documents import Json, unit
from kibitz.web.levels import find_level, usual_level
from kibitz.web.practice import Practice
from kibitz.web.process import WorkerFailed
from kibitz.web.refusals import Refused
from kibitz.web.workers import LATER, SOON, Busy, Workers
from kibitz.web.writer import Writer

MOST_KEPT = 200
"""Reviews in memory; those that are done are in the database, too."""

MOST_RUNNING, MOST_OWN = 20, 5
"""Reviews at once, of all and of one guest; who asks for one more is told to come back."""

SURVEY, JUDGE, LUCK, BOTS = 30.0, 15.0, 60.0, 60.0
"""Seconds that each part may think."""

KEEP_EVERY = 5.0
"""Seconds after which what has been found is written down."""


@dataclass
class Review:
    """What is known so far about a seat's decisions; the page's words come later."""

    row: TableRow
    seat: Seat
    line: str  # the record
    status: str = "waiting"
    moves: list[int] | None = None  # in the order in which they are judged
    decisions: list[Json] = field(default_factory=list)
    luck: Json | None = None
    bots: Json | None = None
    why: str | None = None
    guest: str = ""  # who wants it
    task: "asyncio.Task[None] | None" = None

    def kept(self) -> Json:
        """Return what the database keeps."""
        names = ("status", "moves", "decisions", "luck", "bots")
        return {name: getattr(self, name) for name in names}

    def document(self, language: str) -> Json:
        """Return it for a page: `ReviewState`."""
        facts = game_facts(spec_name(self.row.game))
        kind = next((one["kind"] for one in self.decisions if one["kind"]), None)
        luck = self.luck and self.luck | {"words": self.luck["words"][language]}
        return {
            "status": self.status,
            "done": len(self.decisions),
            "total": len(self.moves or self.decisions),
            "coach": coach_spec(facts),
            "kind": kind,
            "unit": unit(facts),
            "rule": say(rule_of(facts, kind or "score"), language),
            "decisions": [_shown(one, language) for one in self.decisions],
            "luck": luck or None,
            "bots": self.bots or None,
            "why": None if self.why is None else say(Message("web.review-failed"), language),
        }


def _shown(decision: Json, language: str) -> Json:
    hidden = ("kind", "coach", "played_words")
    shown = {key: value for key, value in decision.items() if key not in hidden}
    return shown | {"played_words": decision["played_words"][language]}


class Reviews:
    """All reviews of a server."""

    def __init__(
        self, store: ReviewStore, writer: Writer, workers: Workers, practice: Practice
    ) -> None:
        """Begin with what the database has."""
        self._store, self._writer, self._workers = store, writer, workers
        self._practice = practice
        self._known: OrderedDict[tuple[str, Seat], Review] = OrderedDict()

    async def find(self, row: TableRow, seat: Seat, line: str, guest: str) -> Review:
        """Return the review of a seat, which is begun if there is none."""
        key = (row.id, seat)
        if key not in self._known:
            review = Review(row, seat, line)
            kept = await asyncio.to_thread(self._store.review, *key)
            for name, value in (kept or {}).items():
                setattr(review, name, value)
            self._known.setdefault(key, review)
        review = self._known[key]
        self._known.move_to_end(key)
        if review.status != "done" and (review.task is None or review.task.done()):
            self._forget()
            self._begin(review, guest)
        return review

    def _begin(self, review: Review, guest: str) -> None:
        running = [one for one in self._known.values() if one.task and not one.task.done()]
        own = [one for one in running if one.guest == guest]
        if len(running) >= MOST_RUNNING or len(own) >= MOST_OWN:
            raise Refused(Message("web.busy"), 503)
        review.status, review.why, review.guest = "running", None, guest
        review.task = asyncio.create_task(self._run(review))

    def _forget(self) -> None:
        """Forget what is done and has not been asked for lately."""
        for key, one in list(self._known.items()):
            if len(self._known) <= MOST_KEPT:
                return
            if one.task is None or one.task.done():
                del self._known[key]

    async def _run(self, review: Review) -> None:
        """Find out all there is to say, and write it down."""
        try:
            await self._judge(review)
            if review.luck is None:
                review.luck = await self._one("luck", (review.line, review.seat), LUCK)
            if review.bots is None:
                wanted = (review.line, review.seat, _bot(review.row))
                review.bots = await self._one("bots", wanted, BOTS)
            await self._practice.add(review.row, review.seat, review.decisions)
            review.status = "done"
        except WorkerFailed as error:
            review.status, review.why = "failed", error.reason
        await self._keep(review)

    async def _judge(self, review: Review) -> None:
        """Judge all decisions, those first that are probably dear."""
        if review.moves is None:
            found = await self._one("survey", (review.line, review.seat), SURVEY)
            review.moves = found["moves"]
        done = {one["move"] for one in review.decisions}
        kept = time.monotonic()
        for move in review.moves:
            if move not in done:
                review.decisions.append(await self._one("judge", (review.line, move), JUDGE))
            if time.monotonic() > kept + KEEP_EVERY:
                await self._keep(review)
                kept = time.monotonic()
        review.decisions.sort(key=lambda one: int(one["move"]))

    async def _keep(self, review: Review) -> None:
        is_done = review.status == "done"
        job = keep_review(review.row.id, review.seat, review.kept(), is_done=is_done)
        await self._writer.write(job)

    async def _one(self, task: str, words: tuple[Any, ...], seconds: float) -> Json:
        """Return the last document of a task."""
        return await _last(self._workers, task, words, seconds, LATER)

    async def close(self) -> None:
        """Stop all reviews; what was found is kept as far as it was written down."""
        tasks = [one.task for one in self._known.values() if one.task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _bot(row: TableRow) -> str:
    """Return who plays the same deal again: the level of the table."""
    name = spec_name(row.game)
    level = find_level(name, row.level) or usual_level(name)
    return level.spec


async def last_of(workers: Workers, task: str, words: tuple[Any, ...], seconds: float) -> Json:
    """Return the last document of a task that somebody waits for.

    Raises:
        Refused: it could not be done; the sentence says why.
    """
    try:
        return await _last(workers, task, words, seconds, SOON)
    except WorkerFailed as error:
        raise Refused(error.message, 503 if isinstance(error, Busy) else 422) from None


async def _last(
    workers: Workers, task: str, words: tuple[Any, ...], seconds: float, priority: int
) -> Json:
    found = [document async for document in workers.job(task, words, seconds, priority)]
    return found[-1] if found else {}
