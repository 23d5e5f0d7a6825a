"""Games of people, or of anybody else, from records: what to clone.

Records are replayed by the rules before anything is learnt from them. Those of another game, or
under other options, are left out; so are games that were not finished. Files may be large: only
where lines begin is kept, and a step reads the lines that it needs.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from kibitz.core.errors import RecordError, TrainingError, clip
from kibitz.core.game import States, apply, legal, movers
from kibitz.core.record import MAX_LINE, parse_record, replay
from kibitz.core.table import Game, Origin, Table
from kibitz.learn.troupe import Shown

MAX_RECORDS = 10_000_000
"""Most records that are looked at."""


class Demonstrations:
    """Records in files, one game in each line."""

    def __init__(self, game: Game, paths: Sequence[str]) -> None:
        """Find out where the lines begin.

        Raises:
            TrainingError: a file cannot be read, or there is no record in it.
        """
        self.game = game
        self._lines: list[tuple[Path, int]] = []
        for name in paths:
            self._index(Path(name))
        if not self._lines:
            raise TrainingError(
                "there is no record to learn from: name files of records, as kibitz import bsw or "
                "kibitz match --records write them"
            )

    def _index(self, path: Path) -> None:
        try:
            with path.open("rb") as file:
                at = 0
                while line := file.readline(MAX_LINE + 1):
                    if line.strip() and len(self._lines) < MAX_RECORDS:
                        self._lines.append((path, at))
                    at += len(line)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or clip(error)
            raise TrainingError(f"records {clip(path, 200)} cannot be read: {reason}") from None

    def __len__(self) -> int:
        """How many records there are."""
        return len(self._lines)

    def read(self, number: int) -> Shown | None:
        """Return a game by its number; None if it is of another kind, or unfinished.

        Raises:
            TrainingError: the line is no record, or the rules refuse what it says.
        """
        path, at = self._lines[number]
        try:
            with path.open("rb") as file:
                file.seek(at)
                line = file.readline(MAX_LINE + 1).decode()
            record = parse_record(line, f"{path}, byte {at}")
            table = replay(record)
        except (OSError, UnicodeDecodeError, RecordError) as error:
            raise TrainingError(f"cannot learn from {clip(path, 200)}: {error}") from None
        if table.game != self.game or not table.is_over:
            return None
        origin = Origin(record.seed, record.deal, record.rotation, record.deals)
        return _show(table, origin)


def _show(played: Table, origin: Origin) -> Shown:
    """List the decisions of a game that were a choice, with the states before them."""
    table = Table(played.game, origin, plays_forced=False)
    state, listed = table.state, np.zeros(int(played.game.facts.max_legal), np.int64)
    log = list(played.actions)
    states: States = np.zeros(len(log), played.game.rules.STATE)
    is_open = np.zeros(len(log), np.bool_)
    for k, (seat, action) in enumerate(log):
        states[k] = state
        is_open[k] = legal(state, seat, listed) > 1
        apply(state, seat, action)
        if not movers(state):
            table.settle()
    seats, actions = np.array(log, np.int64).T
    return Shown(states[is_open], seats[is_open], actions[is_open], np.array(played.scores))
