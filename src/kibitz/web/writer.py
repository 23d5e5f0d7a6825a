"""One thread that writes to the database, for all tables at once.

Whoever writes waits until it is on the disk. What arrives while the disk is busy is written
together, so that the wait does not grow with the number of tables.
"""

import asyncio
import contextlib
import queue
import threading
from collections.abc import Sequence
from dataclasses import dataclass

from kibitz.store.play import Job, PlayStore

MOST_TOGETHER = 500
"""Requests that share a transaction."""


@dataclass(frozen=True)
class _Request:
    jobs: Sequence[Job]
    loop: asyncio.AbstractEventLoop
    done: "asyncio.Future[None]"

    def answer(self, error: BaseException | None) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has been closed: nobody waits
            self.loop.call_soon_threadsafe(self._set, error)

    def _set(self, error: BaseException | None) -> None:
        if self.done.done():
            return
        if error is None:
            self.done.set_result(None)
        else:
            self.done.set_exception(error)


class Writer:
    """Commits jobs in the order in which they come."""

    def __init__(self, store: PlayStore) -> None:
        """Start the thread."""
        self._store = store
        self._queue: queue.SimpleQueue[_Request | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="writer", daemon=True)
        self._thread.start()

    async def write(self, *jobs: Job) -> None:
        """Write all of it or nothing; returns when it is on the disk.

        Raises:
            StoreError: it could not be written.
        """
        loop = asyncio.get_running_loop()
        request = _Request(jobs, loop, loop.create_future())
        self._queue.put(request)
        await request.done

    def close(self) -> None:
        """Write what has come so far, and end."""
        self._queue.put(None)
        self._thread.join()

    def _run(self) -> None:
        while (first := self._queue.get()) is not None:
            requests, is_last = self._gather(first)
            self._write(requests)
            if is_last:
                return

    def _gather(self, first: _Request) -> tuple[list[_Request], bool]:
        """Take along whatever else is waiting."""
        requests = [first]
        while len(requests) < MOST_TOGETHER:
            try:
                another = self._queue.get_nowait()
            except queue.Empty:
                break
            if another is None:
                return requests, True
            requests.append(another)
        return requests, False

    def _write(self, requests: list[_Request]) -> None:
        try:
            self._store.write(job for request in requests for job in request.jobs)
        except Exception as error:
            if len(requests) == 1:
                requests[0].answer(error)
            else:  # the fault of one must not be that of all
                for request in requests:
                    self._write([request])
            return
        for request in requests:
            request.answer(None)
