"""What a run tells about itself: `log.jsonl`, one line per entry, and events for TensorBoard.

Entries of steps after the checkpoint that a run goes on from are taken back, and so are those of a
measurement that was cut off: the log has nothing twice.
"""

import json
import math
import os
import secrets
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, Self

from kibitz.core.errors import TrainingError, clip, plain
from kibitz.learn.checkpoint import write_whole

LOG, EVENTS = "log.jsonl", "events.out.tfevents."
"""The file of lines, and how names of files for TensorBoard begin."""


class Logbook:
    """The log of a run, open for more entries."""

    def __init__(self, folder: Path, step: int, measured_at: int | None = None) -> None:
        """Prepare the log of a run that is at some step; `with` opens it.

        Args:
            folder: of the run.
            step: that it goes on from.
            measured_at: the last step of which a measurement is whole; `step` unless told.
        """
        self._folder, self._step = folder, step
        self._measured_at = step if measured_at is None else measured_at
        self._files = ExitStack()

    def __enter__(self) -> Self:
        """Open the log; entries of later steps are removed."""
        from tensorboard.summary.writer.record_writer import RecordWriter

        with self._told(), ExitStack() as files:
            _take_back(self._folder / LOG, self._step, self._measured_at)
            self._lines = files.enter_context((self._folder / LOG).open("ab"))
            token = f"{time.time():.0f}.{os.getpid()}.{secrets.token_hex(4)}"
            path = self._folder / f"{EVENTS}{token}"
            self._file = files.enter_context(path.open("xb"))
            self._events = RecordWriter(self._file)
            self._begin(self._step)
            self._files = files.pop_all()
        return self

    def __exit__(self, *error: object) -> None:
        """Close the files; what could not be written has been told of."""
        with suppress(OSError):
            self._files.close()

    def _begin(self, step: int) -> None:
        """Say which format follows, and that entries of later steps do not count any more."""
        from tensorboard.compat.proto.event_pb2 import Event, SessionLog

        self._put(Event(wall_time=time.time(), file_version="brain.Event:2"))
        if step:
            start = SessionLog(status=SessionLog.START)
            self._put(Event(wall_time=time.time(), step=step + 1, session_log=start))

    def _put(self, event: Any) -> None:
        self._events.write(event.SerializeToString())

    def write(self, step: int, numbers: Mapping[str, float], **more: object) -> None:
        """Write an entry; `more` is for the lines alone."""
        from tensorboard.compat.proto.event_pb2 import Event
        from tensorboard.compat.proto.summary_pb2 import Summary

        with self._told():
            line = json.dumps({"step": step, **more, **numbers}, ensure_ascii=False)
            self._lines.write(line.encode() + b"\n")
            values = [Summary.Value(tag=n, simple_value=float(x)) for n, x in numbers.items()]
            self._put(Event(wall_time=time.time(), step=step, summary=Summary(value=values)))
            self._lines.flush()
            self._file.flush()

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Name the folder in what the system complains of."""
        try:
            yield
        except OSError as error:
            reason = error.strerror or plain(str(error))
            raise TrainingError(
                f"the log in {clip(self._folder, 200)} cannot be written: {reason}; the last "
                "checkpoint is whole: make room, then go on with --resume"
            ) from None


def _take_back(path: Path, step: int, measured_at: int) -> None:
    """Remove what a log says of later steps and measurements, and a line that was cut off."""
    if not path.exists():
        return
    kept, changed = [], False
    with path.open("rb") as file:
        for line in file:
            at, is_measurement = _read_entry(line)
            if line.endswith(b"\n") and at <= (measured_at if is_measurement else step):
                kept.append(line)
            else:
                changed = True
    if changed:
        write_whole(path, b"".join(kept))


def last_step(folder: Path) -> float:
    """Return the last step that the log in a folder tells of; 0 if there is none."""
    if not (folder / LOG).is_file():
        return 0
    with (folder / LOG).open("rb") as file:
        steps = [step for step, _ in map(_read_entry, file) if math.isfinite(step)]
    return max(steps, default=0)


def _read_entry(line: bytes) -> tuple[float, bool]:
    """Return the step of an entry, and whether it is of a measurement.

    Lines that are none are about no step of this run.
    """
    try:
        entry = json.loads(line)
        step, is_measurement = entry["step"], "opponent" in entry
    except (ValueError, KeyError, TypeError, RecursionError):
        return math.inf, False
    return step if isinstance(step, int) else math.inf, is_measurement
