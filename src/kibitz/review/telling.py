"""What has been played, told to one seat or to a spectator, as far as they can know."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from kibitz.core.game import Action, Seat, State, apply, conceal, is_legal, movers
from kibitz.core.messages import Message, as_message
from kibitz.core.table import Game, Table
from kibitz.review.following import Follower, Step


@dataclass(frozen=True)
class Event:
    """Something that a viewer may know: an action that shows, and what came of it."""

    number: int  # counts up from 1, for each viewer
    message: Message | None = None  # what was done; None if only what came of it is told
    seat: Seat | None = None  # who did it
    action: Action | None = None  # None if the viewer does not know it exactly
    text: str = ""  # the action as it is typed, if it is known
    begins_turn: bool = False  # whether it is the first of simultaneous choices
    is_forced: bool = False  # whether the viewer played it without another choice
    outcome: tuple[Message, ...] = ()  # what came of it, such as who takes the trick
    ended: State | None = None  # if another round began after it: the last view of this one
    scores: tuple[float, ...] | None = None  # likewise: how it stands
    n_actions: int = 0  # that had been played when it was told

    def as_json(self, game: Game) -> dict[str, Any]:
        """Return it as a document."""
        return {
            "number": self.number,
            "message": None if self.message is None else self.message.as_json(),
            "seat": self.seat,
            "action": self.text or None,
            "begins_turn": self.begins_turn,
            "is_forced": self.is_forced,
            "outcome": [one.as_json() for one in self.outcome],
            "ended": None if self.ended is None else game.format(self.ended),
            "scores": None if self.scores is None else list(self.scores),
        }


@dataclass
class _Telling:
    """A step and how it is told, with what else could have been played for all the viewer saw."""

    step: Step
    told: Message
    is_exact: bool  # whether only this action is told so: `two cards` may be any two
    begins_turn: bool
    instead: list[State]  # where other actions, which are told in other words, would have led


class Chronicle:
    """Tells one viewer what is played at a table.

    The log of a table also holds what lies face down: choices that wait for others, cards that were
    passed or buried. An action is told as soon as what is told of it shows: when the viewer would,
    at some moment since, have seen something else whatever that reads otherwise had been played in
    its place. An action without alternative is told at once: a table plays those when nobody has a
    choice left, so none is waiting to be revealed. What is told, and under which number, follows
    from the actions alone: a table that is played again tells the same.
    """

    def __init__(self, table: Table, viewer: Seat) -> None:
        """Begin with nothing told; `viewer` is a seat, or a spectator."""
        self._game = table.game
        self._viewer = table.game.check_viewer(viewer)
        self._follower = Follower(table)
        self._waiting: list[_Telling] = []
        self._deciding = 0  # who was to decide, for all the viewer knew, at the last action
        self.events: list[Event] = []

    def follow(self, end: int | None = None) -> None:
        """Tell what has become known by now, or by the action of number `end`."""
        for step in self._follower.steps(end):
            self._add(step)

    def note(self, message: Message, seat: Seat) -> None:
        """Tell something that is no action, such as who sits down."""
        n_actions = self._follower.n_steps
        self.events.append(Event(len(self.events) + 1, message, seat, n_actions=n_actions))

    def _add(self, step: Step) -> None:
        """Take in one more action, and tell all that it shows."""
        before, after = self._view(step.before), self._view(step.after)
        deciding = int(movers(before))
        begins = deciding.bit_count() > 1 and bool(deciding & ~self._deciding)
        self._deciding = deciding
        new = self._telling(step, begins)
        waiting: list[_Telling] = []
        shown: _Telling | None = None
        for one in [*self._waiting, *([] if new is None else [new])]:
            is_known = self._is_known(one, step, after)
            if is_known is None:
                waiting.append(one)
            elif is_known and one is new:
                shown = one
            elif is_known:
                self._write(one.step, one)
        self._waiting = waiting
        self._write(step, shown, self._outcome(before, after), after)

    def _telling(self, step: Step, begins_turn: bool) -> _Telling | None:
        """Say how a step is told; None if it is not worth telling."""
        told = self._in_words(step.before, step.seat, step.action)
        if told is None:
            return None
        if step.seat == self._viewer:
            return _Telling(step, told, True, begins_turn, [])
        instead, n_alike = [], 0
        for action in self._game.legal(step.before, step.seat):
            if self._in_words(step.before, step.seat, action) == told:
                n_alike += 1
                continue
            state = step.before.copy()
            apply(state, step.seat, action)
            instead.append(state)
        # Who played it may be told more, even if there was no other choice.
        own = self._in_words(step.before, step.seat, step.action, step.seat)
        return _Telling(step, told, n_alike == 1 and own == told, begins_turn, instead)

    def _is_known(self, one: _Telling, now: Step, seen: State) -> bool | None:
        """Whether a step has shown with the one that was played now; None if it may still.

        It has when everything that could have been in its place has led to another view.
        """
        undecided = []
        for state in one.instead:
            if one.step is not now:
                is_mover = int(movers(state)) >> now.seat & 1
                if not is_mover or not is_legal(state, now.seat, now.action):
                    return False
                apply(state, now.seat, now.action)
            if self._view(state).tobytes() == seen.tobytes():
                undecided.append(state)
        one.instead = undecided
        if not undecided:
            return True
        return None if movers(now.after) else False

    def _write(
        self,
        step: Step,
        shown: _Telling | None,
        outcome: Sequence[Message] = (),
        seen: State | None = None,
    ) -> None:
        """Write an event, if there is anything to tell."""
        has_ended = seen is not None and step.scores is not None
        if shown is None and not outcome and not has_ended:
            return
        is_own = shown is not None and step.seat == self._viewer
        is_exact = shown is not None and shown.is_exact
        event = Event(
            number=len(self.events) + 1,
            message=None if shown is None else shown.told,
            seat=None if shown is None else step.seat,
            action=step.action if is_exact else None,
            text=step.text if is_exact else "",
            begins_turn=shown is not None and shown.begins_turn,
            is_forced=is_own and len(self._game.legal(step.before, step.seat)) == 1,
            outcome=tuple(outcome),
            ended=seen if has_ended else None,
            scores=tuple(step.scores.tolist()) if has_ended and step.scores is not None else None,
            n_actions=self._follower.n_steps,
        )
        self.events.append(event)

    def _in_words(
        self, state: State, seat: Seat, action: Action, viewer: Seat | None = None
    ) -> Message | None:
        """Return an action as the viewer may be told it; None if it is not worth telling."""
        text = self._game.text
        if hasattr(text, "tell"):
            reader = self._viewer if viewer is None else viewer
            told: Message | str | None = text.tell(state, seat, action, reader)
            return as_message(told) if told else None
        return as_message(text.format_action(state, seat, action))

    def _outcome(self, before: State, after: State) -> Sequence[Message]:
        """Say what came of an action, by what the viewer saw before and after it."""
        outcome: Callable[..., Sequence[Message]] | None
        outcome = getattr(self._game.text, "outcome", None)
        told = () if outcome is None else outcome(before, after, self._viewer)
        return [as_message(one) for one in told]

    def _view(self, state: State) -> State:
        view = state.copy()
        conceal(view, self._viewer)
        return view
