"""What is played at a table, followed action by action, with the states before and after it."""

from collections.abc import Iterator
from dataclasses import dataclass

from kibitz.core.game import Action, Scores, Seat, State
from kibitz.core.table import Table


@dataclass(frozen=True)
class Step:
    """An action that was played. Its states are the true ones: nobody may be shown them."""

    seat: Seat
    action: Action
    before: State
    after: State  # before another round is dealt
    text: str  # the action as it is typed
    scores: Scores | None  # how it stands, if a round ended with it and another one begins


class Follower:
    """Plays what is new in the log of a table again."""

    def __init__(self, table: Table) -> None:
        """Begin before the first action."""
        self._table = table
        self._shadow = Table(table.game, table.origin, plays_forced=False)
        self.n_steps = 0  # that have been followed

    @property
    def state(self) -> State:
        """The true state that has been followed to."""
        return self._shadow.state

    def steps(self, end: int | None = None) -> Iterator[Step]:
        """Yield what has been played since the last call, at most up to action `end`."""
        text = self._table.game.text
        log = self._table.batch.log()[self.n_steps : end]  # a match has thousands of actions
        for seat, action in zip(log["seat"].tolist(), log["action"].tolist(), strict=True):
            before = self.state.copy()
            n_rounds = int(self._shadow.batch.books[0].n_rounds)
            self._shadow.batch.commit(seat, action)
            after = self.state.copy()
            self._shadow.settle()
            has_ended = int(self._shadow.batch.books[0].n_rounds) > n_rounds
            self.n_steps += 1
            yield Step(
                seat=seat,
                action=action,
                before=before,
                after=after,
                text=text.format_action(before, seat, action),
                scores=self._shadow.scores if has_ended else None,
            )
