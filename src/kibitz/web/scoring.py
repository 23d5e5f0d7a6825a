"""What is kept of a game that is over: how each person did against the others at the table."""

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime

import numpy as np

from kibitz.core.game import Seat
from kibitz.host import Host
from kibitz.store.play import ChangeRow, ResultRow, TableRow


def results_of(row: TableRow, host: Host, changes: Sequence[ChangeRow]) -> list[ResultRow]:
    """Return a result for every person who made a decision."""
    found = [_result(row, host, seat.seat, changes) for seat in row.seats if seat.kind == "person"]
    return [result for result in found if result.share > 0]


def _result(row: TableRow, host: Host, seat: Seat, changes: Sequence[ChangeRow]) -> ResultRow:
    game, scores, sides = host.game, host.scores, host.game.sides
    others = [one for one in range(game.n_seats) if sides[one] != sides[seat]]
    levels = {row.seats[one].level if row.seats[one].kind == "bot" else None for one in others}
    best = np.flatnonzero(scores == scores.max())
    first = {int(sides[one]) for one in best}
    return ResultRow(
        table_id=row.id,
        seat=seat,
        guest_id=str(row.seats[seat].guest_id),
        game=row.game,
        name=game.facts.name,
        level=levels.pop() if len(levels) == 1 else None,
        deal=hashlib.sha256(f"{row.game} {row.seed}".encode()).hexdigest()[:16],
        counts=row.source is None,
        score=float(scores[seat]),
        margin=float(scores[seat] - np.mean(scores[others])),
        win=1 / len(first) if int(sides[seat]) in first else 0.0,
        share=_share(host, seat, changes),
        daily=row.daily,
        ended=row.ended or datetime.now(UTC),
    )


def _share(host: Host, seat: Seat, changes: Sequence[ChangeRow]) -> float:
    """Return the share of the actions of a seat that the person played, not a bot for them."""
    hands = [(change.n_actions, change.is_person) for change in changes if change.seat == seat]
    own = [number for number, (who, _) in enumerate(host.played()) if who == seat]

    def is_own(number: int) -> bool:
        before = [is_person for n, is_person in hands if n <= number]
        return before[-1] if before else True

    return sum(map(is_own, own)) / len(own) if own else 0.0
