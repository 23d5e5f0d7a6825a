"""What agents answer: actions, and what they know about everything that could be chosen."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

import numpy as np
import numpy.typing as npt

from kibitz.core.errors import AgentError
from kibitz.core.game import Actions

NO_ACTION = -1
"""Fills the rows of `choices` up; no game has such an action."""

Rows = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.float64]


class ValueKind(IntEnum):
    """What values are."""

    NONE = 0  # there are none, or none of the usual ones
    SCORE = 1  # points
    RANK = 2  # 1 for the best to 0 for the last
    WIN = 3  # the share of a win


_COLUMNS = ("weights", "visits", "values", "errors", "wins", "win_errors")


@dataclass(frozen=True)
class Decisions:
    """The answers to a batch of views; coach, trainers and reports all read this object.

    The columns speak of the actions in `choices`, row by row. Row k has `n_choices[k]` of them;
    behind them stand NO_ACTION and NaN. NaN also stands for what is not known of a choice.
    In `info` are, where an agent knows them: `lines` (who plays what from here on), `sims`
    (simulations) and `verdicts` (actions with a message on what is certain of them, best first),
    each with an item for every row.
    """

    actions: Actions  # [views]
    choices: Actions | None = None  # [views, most choices]
    n_choices: Rows | None = None  # [views]
    weights: Numbers | None = None  # in proportion to how probably each would be chosen
    visits: Numbers | None = None  # how often a search tried each
    values: Numbers | None = None  # what each is worth to the deciding seat
    errors: Numbers | None = None  # standard errors of the values
    kinds: npt.NDArray[np.int8] | None = None  # [views] what the values of a row are: ValueKind
    info: Mapping[str, Any] = field(default_factory=dict)
    wins: Numbers | None = None  # the share of wins, where it is known beside other values
    win_errors: Numbers | None = None  # standard errors of that

    def __len__(self) -> int:
        """How many views were answered."""
        return len(self.actions)

    def kind(self, row: int) -> ValueKind:
        """Return what the values of a row are."""
        return ValueKind.NONE if self.kinds is None else ValueKind(int(self.kinds[row]))

    def take(self, rows: Rows) -> "Decisions":
        """Return the answers to some rows alone."""
        columns = {
            name: None if column is None else column[rows]
            for name in ("choices", "n_choices", *_COLUMNS, "kinds")
            for column in (getattr(self, name),)
        }
        info = {name: [items[row] for row in rows.tolist()] for name, items in self.info.items()}
        return Decisions(self.actions[rows], **columns, info=info)

    @classmethod
    def merge(cls, n: int, parts: Sequence[tuple[Rows, "Decisions"]]) -> "Decisions":
        """Put answers to different rows of one batch together.

        Args:
            n: rows of the batch.
            parts: which rows were answered, and how. A column that a part does not have is NaN in
                its rows; what no part has, the whole does not have either.

        Raises:
            AgentError: the rows are not all from 0 to n - 1, each once.
        """
        rows = np.concatenate([np.zeros(0, np.int64), *(rows for rows, _ in parts)])
        fits = all(len(rows) == len(part) for rows, part in parts)
        if not fits or not np.array_equal(np.sort(rows), np.arange(n)):
            raise AgentError(f"expected an answer to each of {n} rows, once")
        actions = np.empty(n, np.int64)
        widths = [part.choices.shape[1] for _, part in parts if part.choices is not None]
        most = max(widths, default=0)
        columns: dict[str, Any] = {}
        for rows, part in parts:
            actions[rows] = part.actions
            if part.choices is None:
                continue
            if "choices" not in columns:
                columns["choices"] = np.full((n, most), NO_ACTION)
                columns["n_choices"] = np.zeros(n, np.int64)
            columns["choices"][rows, : part.choices.shape[1]] = part.choices
            columns["n_choices"][rows] = part.n_choices
            for name in _COLUMNS:
                column = getattr(part, name)
                if column is not None:
                    whole = columns.setdefault(name, np.full((n, most), np.nan))
                    whole[rows, : column.shape[1]] = column
            if part.kinds is not None:
                columns.setdefault("kinds", np.zeros(n, np.int8))[rows] = part.kinds
        return cls(actions, **columns, info=_merge_info(n, parts))


def _merge_info(n: int, parts: Sequence[tuple[Rows, Decisions]]) -> dict[str, Any]:
    """Put together what has an item for every row; None where a part does not say."""
    merged: dict[str, Any] = {}
    for rows, part in parts:
        for name, items in part.info.items():
            whole = merged.setdefault(name, [None] * n)
            for row, item in zip(rows.tolist(), items, strict=True):
                whole[row] = item
    return merged


def kinds_of(n: int, kind: ValueKind) -> npt.NDArray[np.int8]:
    """Return the same kind of value for n rows."""
    return np.full(n, kind, np.int8)
