"""The Python door: a `Game` under fixed options, and a `Table` where one game is played.

Kernels trust their caller; everything that comes from outside passes through here and is checked.
"""

import importlib
import importlib.util
import io
import secrets
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np
import numpy.typing as npt
from rich.console import Console, RenderableType

from kibitz.core.batch import DEAL_ROUNDS, MAX_SEATS, PLAY_FORCED, Batch
from kibitz.core.errors import IllegalAction, PositionError, SpecError, clip
from kibitz.core.game import (
    SPECTATOR,
    Action,
    Actions,
    Scores,
    Seat,
    Stamp,
    States,
    conceal,
    describe,
    first_stray,
    is_legal,
    is_over,
    legal,
    movers,
    resample,
)
from kibitz.core.messages import Message, as_message
from kibitz.core.rng import MAX_SEED, Purpose, Rng, check_stream, derive
from kibitz.core.spec import GameFacts, Options, OptionValue

if TYPE_CHECKING:
    from kibitz.core.encoding import Encoding, Oracle
    from kibitz.core.record import Record

MAX_ACTION = 200
"""Longest text of an action that is looked at, in characters."""

MAX_STATES = 100_000_000
"""Most states that are made at once."""

MAX_POSITION = 4000
"""Longest position text that is looked at, in characters."""


@dataclass(frozen=True)
class Origin:
    """Where the cards of a game, and what its agents draw, come from."""

    seed: int  # what all streams derive from
    deal: int = 0  # number of the deal under that seed
    rotation: int = 0  # number of the rotation; it only changes what agents draw
    deals: tuple[str, ...] = ()  # positions in place of the cards of the first, second, ... round

    def __post_init__(self) -> None:
        """Refuse what no cards can come from."""
        for number in (self.seed, self.deal, self.rotation):
            check_seed(number)
        if not isinstance(self.deals, tuple) or not all(isinstance(x, str) for x in self.deals):
            raise PositionError(f"the deals of a game are a tuple of texts, got {clip(self.deals)}")


@dataclass(frozen=True)
class Game:
    """A game under fixed options: `kibitz.load_game("nimmt:players=5")`."""

    facts: GameFacts
    options: dict[str, OptionValue]

    def __post_init__(self) -> None:
        """Refuse options that `load_game` would not have made: kernels trust them."""
        if not isinstance(self.facts, GameFacts) or not isinstance(self.options, dict):
            raise SpecError("a game is made by load_game, of a spec such as nimmt:players=5")
        if self.facts.resolve(self.options) != self.options:
            raise SpecError(f"{self.facts.name} needs all its options: make games with load_game")

    @cached_property
    def spec(self) -> str:
        """The shortest spec string of this game and its options."""
        return self.facts.spec(self.options)

    @cached_property
    def n_seats(self) -> int:
        """How many seats the table has."""
        return self.facts.seats(self.options)

    @cached_property
    def sides(self) -> npt.NDArray[np.int64]:
        """The side of each seat: its team, or where there are none, itself."""
        teams = None if self.facts.teams is None else self.facts.teams(self.options)
        return np.arange(self.n_seats) if teams is None else np.array(teams)

    @property
    def n_sides(self) -> int:
        """How many sides there are."""
        return int(self.sides.max()) + 1

    @property
    def max_actions(self) -> int:
        """The bound on the actions of one game, all seats together."""
        return self.facts.max_actions(self.options)

    @cached_property
    def has_secrets(self) -> bool:
        """Whether a seat that is to move at the beginning does not know everything."""
        table = self.deal(seed=0)
        seat = table.movers[0]
        view = table.view(seat)
        return self.resample(view, seat, derive(0, Purpose.PLAYOUT)).tobytes() != view.tobytes()

    @property
    def score_range(self) -> tuple[float, float]:
        """The lowest and highest score a seat can have."""
        return self.facts.score_range(self.options)

    @cached_property
    def rules(self) -> ModuleType:
        """The module that holds the game's STATE and kernels."""
        return importlib.import_module(f"{self.facts.package}.rules")

    @cached_property
    def text(self) -> Any:
        """The module that reads and writes positions and actions, and draws the table."""
        return importlib.import_module(f"{self.facts.package}.text")

    @cached_property
    def picture(self) -> ModuleType | None:
        """The module that shows views to pages, if the game has one: see `hints`."""
        name = f"{self.facts.package}.picture"
        return importlib.import_module(name) if importlib.util.find_spec(name) else None

    @cached_property
    def encodings(self) -> dict[str, "Encoding"]:
        """The game's encodings for networks, by name."""
        found: dict[str, Encoding] = self._features.ENCODINGS
        return {name: one.bind(self.rules.STATE, self.n_seats) for name, one in found.items()}

    @cached_property
    def oracle(self) -> "Oracle | None":
        """What critics see while learning, all hands included; None if the game brings none."""
        found: Oracle | None = getattr(self._features, "ORACLE", None)
        return found and found.bind(self.rules.STATE, self.n_seats)

    @property
    def n_known(self) -> int:
        """How many features the oracle begins with that `full` has: views show them anyway."""
        full = self.encodings.get("full")
        if full is None or self.oracle is None or not self.has_secrets:
            return 0
        same = self.oracle.layout[: len(full.layout)] == full.layout
        return full.size if same else 0

    @cached_property
    def symmetries(self) -> dict[str, Any]:
        """By encoding: images of a position that are worth the same, if the game names any."""
        found: dict[str, Any] = getattr(self._features, "SYMMETRIES", {})
        return found

    @property
    def _features(self) -> ModuleType:
        return importlib.import_module(f"{self.facts.package}.features")

    def __hash__(self) -> int:
        """Hash by what the game is: equal specs are equal games."""
        return hash(self.spec)

    def blank(self, n: int) -> States:
        """Make `n` states that wait for their first deal."""
        if not is_whole(n) or not 0 <= n <= MAX_STATES:
            raise SpecError(f"expected a number of states from 0 to {MAX_STATES}, got {clip(n)}")
        states: States = np.zeros(n, self.rules.STATE)
        for option in self.facts.options:
            states[option.name] = option.encode(self.options[option.name])
        return states

    def deal(self, seed: int | None = None, deal: int = 0) -> "Table":
        """Open a table and deal; the same seed and deal number give the same cards.

        Args:
            seed: 0 to 2**63 - 1; a random one if left out (it stands in `table.origin`).
            deal: number of the deal under that seed, as matches count them.
        """
        chosen = check_seed(secrets.randbits(63) if seed is None else seed)
        return Table(self, Origin(chosen, check_seed(deal)))

    def parse(self, position: str) -> np.record:
        """Read a position without its spec; PositionError says what is wrong with it."""
        if not isinstance(position, str) or len(position) > MAX_POSITION or "\n" in position:
            raise PositionError(
                Message(
                    "core.at-position-one-line-most",
                    {"max_position": MAX_POSITION, "text": clip(position)},
                )
            )
        first = position.split(maxsplit=1)[0] if position.strip() else ""
        if first.partition(":")[0] == self.facts.name:
            raise PositionError(
                Message("core.at-position-begins-spec-leave", {"text": clip(first)})
            )
        states = self.blank(1)
        self.text.parse_position(position.strip(), states[0])
        return states[0]

    def format(self, state: np.record) -> str:
        """Write a position or a view as one line, spec first."""
        return f"{self.spec} {self.text.format_position(self.check_state(state))}"

    def render(self, view: np.record, seat: Seat = SPECTATOR) -> RenderableType:
        """Draw a view for the terminal, as `seat` sees it."""
        drawing: RenderableType = self.text.render(self.check_state(view), self.check_viewer(seat))
        return drawing

    def legal(self, state: np.record, seat: Seat) -> list[Action]:
        """List the actions of a mover in a state or its own view."""
        state, seat = self.check_state(state), self.check_seat(seat)
        out: Actions = np.zeros(self.facts.max_legal, np.int64)
        return out[: legal(state, seat, out)].tolist()

    def describe(self, state: np.record, seat: Seat, action: Action) -> tuple[int, int, int]:
        """Say what a legal action is, in three numbers that the game's README lists."""
        state, seat = self.check_state(state), self.check_seat(seat)
        is_code = is_whole(action) and -(2**63) <= int(action) < 2**63
        if not is_code or not is_legal(state, seat, int(action)):
            raise IllegalAction(f"seat {seat} may not do {clip(action)} in {self.format(state)}")
        what, first, second = describe(state, seat, int(action))
        return int(what), int(first), int(second)

    def check_seat(self, seat: object) -> Seat:
        """Return `seat` if it is the number of one."""
        if not is_whole(seat) or not 0 <= int(seat) < self.n_seats:
            raise IllegalAction(f"{self.spec} has seats 0 to {self.n_seats - 1}, got {clip(seat)}")
        return int(seat)

    def check_viewer(self, seat: object) -> Seat:
        """Return `seat` if it is the number of one, or that of a spectator."""
        return SPECTATOR if is_whole(seat) and seat == SPECTATOR else self.check_seat(seat)

    def check_state(self, state: object) -> np.record:
        """Return `state` if it is a state of this game, under these options."""
        if not isinstance(state, np.record) or state.dtype != self.rules.STATE:
            raise PositionError(f"expected a state of {self.facts.name}, got {clip(state)}")
        begin, end, mask, own = self._stamp_in_bytes
        if (int.from_bytes(state.tobytes()[begin:end]) ^ own) & mask:
            raise PositionError(
                f"expected a state of {self.spec}, got one of {self.spec_of(state)}"
            )
        return state

    def first_stray(self, states: States, seats: npt.NDArray[np.int64]) -> int:
        """Return the index of the first state under other options, or whose seat does not move.

        It is -1 if there is none; the states must be of this kind of game.
        """
        states = np.ascontiguousarray(states)
        words = states.view(np.uint64).reshape(len(states), -1)
        return int(first_stray(states, words, self._stamp, seats))

    @cached_property
    def _stamp(self) -> Stamp:
        masks = np.zeros(self.rules.STATE.itemsize, np.uint8)
        for option in self.facts.options:
            kind, offset, *_ = self.rules.STATE.fields[option.name]
            masks[offset : offset + kind.itemsize] = 0xFF
        bits = masks.view(np.uint64)
        used = np.flatnonzero(bits)
        begin, end = (int(used[0]), int(used[-1]) + 1) if len(used) else (0, 0)
        return Stamp(begin, bits[begin:end], self.blank(1).view(np.uint64)[begin:end])

    @cached_property
    def _stamp_in_bytes(self) -> tuple[int, int, int, int]:
        """The same for a single state, which is quicker as a number of many digits."""
        begin, mask, options = self._stamp
        wide, own = (int.from_bytes(part.tobytes()) for part in (mask, options))
        return 8 * begin, 8 * (begin + len(mask)), wide, own

    def spec_of(self, state: np.record) -> str:
        """Return the spec whose options stand in a state of this kind of game."""
        try:
            return self.facts.spec(self._options_of(state))
        except SpecError:
            return f"{self.facts.name} under options that there are not"

    def seats_at(self, states: States) -> npt.NDArray[np.int64]:
        """Return how many seats the table of each state has, by the options that stand in it."""
        begin, mask, _ = self._stamp
        words = np.ascontiguousarray(states).view(np.uint64).reshape(len(states), -1)
        codes = words[:, begin : begin + len(mask)] & mask
        if not len(states) or (codes == codes[0]).all():  # as a rule
            n = self.facts.seats(self._options_of(states[0])) if len(states) else 0
            return np.full(len(states), n)
        return np.array([self.facts.seats(self._options_of(state)) for state in states])

    def _options_of(self, state: np.record) -> dict[str, OptionValue]:
        """Read the options that stand in a state; SpecError if no game has these."""
        try:
            options = {one.name: one.decode(int(state[one.name])) for one in self.facts.options}
        except LookupError:
            raise SpecError(
                f"a state of {self.facts.name} has options that there are not"
            ) from None
        return self.facts.resolve(options)

    def resample(self, view: np.record, seat: Seat, rng: Rng) -> np.record:
        """Make a full state that is consistent with all that `seat` knows."""
        seat = self.check_viewer(seat)
        world = self.check_state(view).copy()
        resample(world, seat, check_stream(rng))
        return world


def make_game(facts: GameFacts, given: Options) -> Game:
    """Complete and check options; SpecError for what makes no sense."""
    game = Game(facts, facts.resolve(given))
    if not 1 <= game.n_seats <= MAX_SEATS:
        raise SpecError(f"{game.spec} has {game.n_seats} seats, at most {MAX_SEATS} are possible")
    return game


def is_array(array: object, dtype: np.dtype[Any]) -> bool:
    """Whether something is one row of values of a type, as kernels expect it."""
    return isinstance(array, np.ndarray) and array.dtype == dtype and array.ndim == 1


def is_whole(number: object) -> TypeGuard[int]:
    """Whether something is a whole number, of Python or of NumPy."""
    return isinstance(number, int | np.integer) and not isinstance(number, bool)


def check_seed(seed: object) -> int:
    """Return `seed` if it is a whole number that streams can derive from."""
    if not is_whole(seed):
        raise SpecError(f"a seed is a whole number, got {clip(seed)}")
    if not 0 <= int(seed) <= MAX_SEED:
        raise SpecError(f"a seed lies between 0 and 2**63 - 1, got {clip(seed)}")
    return int(seed)


class Table:
    """One game being played; every action is checked.

    Decisions with one legal action are made by the table, once nobody else has a real choice.
    """

    def __init__(self, game: Game, origin: Origin, *, plays_forced: bool = True) -> None:
        """Open a table and deal.

        Args:
            game: what is played.
            origin: where the cards come from; rounds after the last explicit deal come from the
                seed.
            plays_forced: whether the table makes decisions that are none; who replays a record
                turns it off, because the record has them.
        """
        if not isinstance(game, Game) or not isinstance(origin, Origin):
            raise SpecError(f"a table is of a game and an origin, got {clip(game)}, {clip(origin)}")
        self.game = game
        self.origin = origin
        self.plays_forced = plays_forced
        self.batch = Batch(game.blank(1), game.n_seats, keep=True)
        self.batch.begin(origin.seed, np.array([origin.deal]), np.array([origin.rotation]))
        self.settle()

    @property
    def state(self) -> np.record:
        """The true state, with everything hidden in it: never show it to an agent."""
        return self.batch.states[0]

    @property
    def movers(self) -> list[Seat]:
        """The seats that must decide now; several at once where choices are simultaneous."""
        mask = int(movers(self.state))
        return [seat for seat in range(self.game.n_seats) if mask >> seat & 1]

    @property
    def seat_to_move(self) -> Seat | None:
        """The first seat with a real choice; None when the game is over."""
        for seat in self.movers:
            if len(self.legal(seat)) > 1:
                return seat
        return None

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return bool(is_over(self.state))

    @property
    def scores(self) -> Scores:
        """The score of every seat, higher is better; valid between rounds too."""
        out: Scores = self.batch.scores()[0]
        return out

    @property
    def position(self) -> str:
        """The whole position as one line of text."""
        return self.game.format(self.state)

    @property
    def actions(self) -> list[tuple[Seat, Action]]:
        """Everything played so far, in order."""
        log = self.batch.log()
        return list(zip(log["seat"].tolist(), log["action"].tolist(), strict=True))

    def legal(self, seat: Seat | None = None) -> list[Action]:
        """List the legal actions of a seat (of the seat to move if left out)."""
        if seat is None:
            seat = self.seat_to_move
            if seat is None:
                return []
        return (
            self.game.legal(self.state, seat) if self.game.check_seat(seat) in self.movers else []
        )

    def text(self, action: Action, seat: Seat | None = None) -> str:
        """Write an action the way people do; PositionError if the game has no such action."""
        seat = (self.seat_to_move or 0) if seat is None else self.game.check_seat(seat)
        code = self._parse_action(seat, action)
        blank = self.game.blank(1)[0]  # now, a word may mean something else
        for state in (self.state, blank):
            with suppress(LookupError, PositionError):
                written: str = self.game.text.format_action(state, seat, code)
                if self.game.text.parse_action(state, seat, written) == code:
                    return written
        raise PositionError(f"{self.game.facts.name} has no action {clip(action)}")

    def view(self, seat: Seat) -> np.record:
        """Return what `seat` knows (-1: what a spectator sees), as a state of its own."""
        view = self.state.copy()
        conceal(view, self.game.check_viewer(seat))
        return view

    def play(self, seat: Seat, action: Action | str) -> None:
        """Commit an action, given as its code or as text.

        Raises:
            PositionError: the text is not an action of this game.
            IllegalAction: there is no such seat, or the rules refuse it; nothing has changed.
        """
        self.batch.commit(seat, self.check(seat, action))
        self.settle()

    def check(self, seat: Seat, action: Action | str) -> Action:
        """Return the code of an action that `play` would accept; raise what it raises."""
        try:
            self.game.check_seat(seat)
            code = self._parse_action(seat, action)
        except IllegalAction as error:
            raise self._refusal(seat, action, error.message) from None
        except PositionError as error:
            raise self._malformed(seat, action, error.message) from None
        if self.is_over:
            raise self._refusal(seat, action, Message("core.over"))
        if seat not in self.movers and not self.game.facts.out_of_turn:
            raise self._refusal(seat, action, self._turn(seat))
        if not is_legal(self.state, seat, code):
            reason = as_message(self.game.text.explain(self.state, seat, code))
            raise self._refusal(seat, action, reason)
        return code

    def settle(self) -> None:
        """Deal due rounds and play what is forced, until somebody has a real choice."""
        while True:
            n_dealt = int(self.batch.books[0].n_rounds)
            deals_itself = n_dealt >= len(self.origin.deals)
            self.batch.duties = deals_itself * DEAL_ROUNDS | self.plays_forced * PLAY_FORCED
            self.batch.settle()
            if deals_itself or self.is_over or self.movers:
                return
            self._set_deal(self.origin.deals[n_dealt])

    def _set_deal(self, position: str) -> None:
        """Begin a round at an explicit position, which must go on from where the game stands."""
        if "?" in position:
            raise PositionError(Message("core.at-view-table-needs-know", {"text": clip(position)}))
        scores, is_first = self.scores, not self.batch.books[0].n_rounds
        self.batch.states[0] = self.game.parse(position)
        if not is_first and (self.is_over or (self.scores != scores).any()):
            raise PositionError(Message("core.at-does-not-follow-from", {"text": clip(position)}))
        self.batch.books[0].n_rounds += 1

    def record(self, seats: Sequence[str] = ()) -> "Record":
        """Return the record of the game so far; `seats` names who sits where."""
        from kibitz.core.record import write_record

        result = self.scores if self.is_over else None
        return write_record(self.game, self.origin, self.actions, result, seats)

    def render(self, seat: Seat = SPECTATOR) -> RenderableType:
        """Draw what `seat` sees."""
        return self.game.render(self.view(seat), seat)

    def __str__(self) -> str:
        """Draw the true state, without colour."""
        console = Console(
            file=io.StringIO(), width=100, color_system=None, force_terminal=False, highlight=False
        )
        with console.capture() as capture:
            console.print(self.game.render(self.state, SPECTATOR))
        return capture.get()

    def __repr__(self) -> str:
        """Name the game and the position."""
        return f"<Table {self.position}>"

    def _parse_action(self, seat: Seat, action: object) -> Action:
        code = action
        if isinstance(action, str):
            if len(action) > MAX_ACTION:
                raise PositionError(Message("core.long-action", {"most": MAX_ACTION}))
            code = self.game.text.parse_action(self.state, seat, action.strip())
        if not is_whole(code):
            raise PositionError(f"an action is a whole number or text, got {clip(action)}")
        if not -(2**63) <= int(code) < 2**63:
            raise PositionError(f"an action is a number of 64 bits, got {clip(action)}")
        return int(code)

    def _turn(self, seat: Seat) -> Message:
        """Say who is to move, as far as a seat may know."""
        mask = int(movers(self.view(seat)))
        seats = [other for other in range(self.game.n_seats) if mask >> other & 1]
        return Message("core.not-your-turn", {"seats": seats, "n": len(seats)})

    def _refusal(self, seat: Any, action: object, reason: Message) -> IllegalAction:
        """Say what was refused, where and why; who is refused must not learn more from it."""
        told, known = self._where(seat, action)
        return IllegalAction(
            f"illegal {told}: {reason}", reason=reason, action=action, seat=seat, position=known
        )

    def _malformed(self, seat: Any, action: object, reason: Message) -> PositionError:
        """Say what was no action at all."""
        error = PositionError(f"malformed {self._where(seat, action)[0]}: {reason}")
        error.message = reason
        return error

    def _where(self, seat: Any, action: object) -> tuple[str, str]:
        """Name an action with its place, and what the seat knows of the position."""
        is_seat = is_whole(seat) and 0 <= seat < self.game.n_seats
        known = self.game.format(self.view(seat if is_seat else SPECTATOR))
        whose = seat if is_seat else clip(seat)
        return f"action {clip(action)} of seat {whose} in {known}", known
