"""Tables made of what the database keeps: the host, as it was when its server stopped."""

from collections.abc import Callable, Sequence

from kibitz.core.agent import Agent
from kibitz.core.record import Record, record_of, replay
from kibitz.core.table import Game, Origin
from kibitz.host import Change, Host
from kibitz.store.play import ChangeRow, TableRow
from kibitz.web.seats import is_person, name_of

Seater = Callable[[Game, str], Agent]
"""Return who sits at a host's table for the agent of a spec, which thinks elsewhere."""


def hosted(
    row: TableRow,
    game: Game,
    seater: Seater,
    actions: Sequence[tuple[int, str]] = (),
    changes: Sequence[ChangeRow] = (),
) -> Host:
    """Make the host of a table that has begun, from what has been played."""
    table = replay(record_of_row(row, game, actions))
    agents = [None if is_person(seat) else seater(game, str(seat.spec)) for seat in row.seats]
    return Host(
        table,
        agents,
        names=[name_of(seat) for seat in row.seats],
        changes=[Change(one.n_actions, one.seat, one.who) for one in changes],
    )


def record_of_row(row: TableRow, game: Game, actions: Sequence[tuple[int, str]]) -> Record:
    """Write down what has been played at a table."""
    origin = Origin(row.seed, deals=tuple(row.notes.get("deals", ())))
    record = record_of(game, origin, actions, None)
    scores = row.notes.get("scores")
    result = None if scores is None else tuple(float(score) for score in scores)
    return record.model_copy(update={"result": result})
