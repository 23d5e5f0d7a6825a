"""The contract of a game: generic rule functions, resolved by the dtype of the state.

`apply(state, seat, action)` inside a search kernel compiles to the `apply` of the game whose STATE
dtype the state has; called from plain Python, or with the compiler off, it looks the same kernel
up at run time. A game calls `register(STATE, ...)` once, at the end of its rules.py.

States are records of one flat array: `states[i]` is a view, `states[i] = states[j]` copies all of
it. Kernels that get one record read and write its fields but cannot copy it, so code that copies
takes `(states, i)`.
"""

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
from numba import types
from numba.core.typing.templates import AbstractTemplate, infer_global

from kibitz.core.bits import lowest
from kibitz.core.cache import generic_function
from kibitz.core.kernels import (
    allocating_kernel,
    inner_kernel,
    kernel,
    record_dtype,
    wrapping_kernel,
)
from kibitz.core.rng import Rng, below, mix

State = np.record
States = npt.NDArray[np.record]
Seat = int
Action = int
Actions = npt.NDArray[np.int64]
Listed = npt.NDArray[np.int64] | npt.NDArray[np.int8]
Scores = npt.NDArray[np.float64]
Features = npt.NDArray[np.float32]
Words = npt.NDArray[np.uint64]

SPECTATOR: Seat = -1
"""The seat that `conceal` takes for somebody who only looks on."""

F = TypeVar("F", bound=Callable[..., Any])


class Legal(NamedTuple):
    """What several seats may do: the actions of one after the other, in one flat array."""

    actions: Actions  # [all], each seat's in the order in which the rules list them
    offsets: npt.NDArray[np.int64]  # [seats + 1]: those of seat i are offsets[i] to offsets[i + 1]


_NOBODY, _ONE = np.uint64(0), np.uint64(1)
_MOST_SEATS = 32  # more than any table has

_TABLES: dict[str, dict[np.dtype[Any], Callable[..., Any]]] = {}
_STATE_RULES = (
    *("deal", "movers", "legal", "is_legal", "apply", "is_over"),
    *("scores", "conceal", "resample", "max_legal", "random_action", "finish", "describe"),
)


def state_dtype(fields: list[tuple[Any, ...]]) -> np.dtype[np.record]:
    """Make the dtype of a state: a record without gaps, filled up to whole 8-byte words.

    Put wide fields first, so that they stay aligned. Equal knowledge must mean equal bytes: there
    is no padding that could differ, and rules keep unused slots at zero.
    """
    size = np.dtype(fields).itemsize
    if size % 8:
        fields = [*fields, ("spare", np.int8, (8 - size % 8,))]
    return record_dtype(fields)


def generic(declaration: F) -> F:
    """Make a function generic over the dtype of its first argument."""
    return generic_over(0)(declaration)


def generic_over(position: int) -> Callable[[F], F]:
    """Make a function generic over the dtype of the record at `position` of its arguments.

    The dtype picks the kernel: at typing time inside compiled code (so that one search compiles to
    a specialised one per game and is cached), at run time elsewhere.
    """

    def decorate(declaration: F) -> F:
        table = _TABLES.setdefault(declaration.__name__, {})
        generic_function(declaration, table)

        @functools.wraps(declaration)
        def at_run_time(*args: Any) -> Any:
            return table[args[position].dtype](*args)

        class AtCompileTime(AbstractTemplate):
            """A call has the type and the code of the rule: nothing is compiled in between."""

            key = at_run_time
            calls_kernels = True

            def generic(self, args: Sequence[Any], kws: dict[str, Any]) -> Any:
                key = args[position]
                rule = table.get(key.dtype) if isinstance(key, types.Record) else None
                if rule is None:
                    return None
                self.rule = self.context.resolve_value_type(rule)
                return self.rule.get_call_type(self.context, args, kws)

            def get_impl_key(self, signature: Any) -> Any:
                return self.rule.get_impl_key(signature)

        infer_global(at_run_time, types.Function(AtCompileTime))  # type: ignore[no-untyped-call]
        return at_run_time  # type: ignore[return-value]

    return decorate


def implement(name: str, dtype: np.dtype[Any], rule: Callable[..., Any]) -> None:
    """Set what the generic function `name` does with records of `dtype`."""
    if dtype in _TABLES[name]:
        raise ValueError(
            f"{name} has a meaning already for records with the fields {dtype.names}: "
            "another game or policy has the same ones, rename a field"
        )
    _TABLES[name][dtype] = rule


def has_rules(dtype: np.dtype[Any]) -> bool:
    """Whether records of this dtype are states of a game that is loaded."""
    return dtype in _TABLES["legal"]


def register(dtype: np.dtype[np.record], **rules: Callable[..., Any]) -> None:
    """Set what all functions of the contract do with states of `dtype`.

    Args:
        dtype: the game's STATE.
        rules: one kernel for every name of the contract; `is_legal` and `random_action` may be left
            out, they then go by what `legal` lists; so may `finish`, which then goes by `apply`,
            and `describe`, which then knows the code of an action only.
    """
    rules.setdefault("is_legal", _is_listed)
    rules.setdefault("random_action", _random_listed)
    rules.setdefault("finish", play_by)
    rules.setdefault("describe", _describe_code)
    if sorted(rules) != sorted(_STATE_RULES):
        wrong = set(rules) ^ set(_STATE_RULES)
        raise ValueError(f"rules of {dtype.names}: missing or unknown {', '.join(sorted(wrong))}")
    for name, rule in rules.items():
        implement(name, dtype, rule)


@generic
def deal(state: State, rng: Rng) -> None:
    """Deal the next round (the first one too) under the options and totals in the state."""


@generic
def movers(state: State) -> int:
    """Return the seats that must decide now, as a bit mask; 0 = over, or waiting for cards."""
    raise AssertionError


@generic
def legal(state: State, seat: Seat, out: Actions) -> int:
    """Write the actions of a mover to `out` in an order its view determines; return how many."""
    raise AssertionError


@generic
def is_legal(state: State, seat: Seat, action: Action) -> bool:
    """Whether a mover may do this; may accept more than `legal` lists.

    Where the facts of a game say `out_of_turn`, it is asked of seats that are not to move, too.
    """
    raise AssertionError


@generic
def apply(state: State, seat: Seat, action: Action) -> None:
    """Commit a legal action; the last of simultaneous choices resolves the turn."""


@generic
def is_over(state: State) -> bool:
    """Whether the game has ended."""
    raise AssertionError


@generic
def scores(state: State, out: Scores) -> None:
    """Write the score of every seat, higher is better; valid between rounds too."""


@generic
def conceal(state: State, seat: Seat) -> None:
    """Blank everything `seat` may not know: the state becomes that seat's view."""


@generic
def resample(view: State, seat: Seat, rng: Rng) -> None:
    """Fill the blanks of a view, uniformly over what is consistent with all `seat` knows."""


@generic
def max_legal(state: State) -> int:
    """Return the most actions a seat may ever choose from: a constant of the game."""
    raise AssertionError


@generic
def random_action(state: State, seat: Seat, rng: Rng) -> Action:
    """Draw uniformly from what `legal` lists."""
    raise AssertionError


@generic
def describe(state: State, seat: Seat, action: Action) -> tuple[int, int, int]:
    """Say what a legal action is: what is done, and two numbers more of the game's own.

    In Tichu kind, length and height. A game's README lists what the numbers mean.
    """
    raise AssertionError


@generic_over(2)
def observe(view: State, seat: Seat, encoding: np.record, out: Features) -> None:
    """Write the features of a view under an encoding; every slot is written."""


@generic_over(3)
def action_index(state: State, seat: Seat, action: Action, encoding: np.record) -> int:
    """Return the dense policy index of an action under an encoding; may be many-to-one."""
    raise AssertionError


@generic_over(3)
def observe_action(
    view: State, seat: Seat, action: Action, encoding: np.record, out: Features
) -> None:
    """Write the features of one legal action under an encoding; every slot is written."""


@generic_over(2)
def choose(view: State, seat: Seat, policy: np.record, rng: Rng) -> Action:
    """Choose an action by a policy: a small record whose dtype picks the kernel."""
    raise AssertionError


@generic
def choose_listed(policy: np.record, seat: Seat, actions: Listed, n: int, rng: Rng) -> int:
    """Choose the place of one of the first `n` listed actions: for policies that see only these.

    The order of the list must mean nothing to the policy.
    """
    raise AssertionError


@generic
def finish(state: State, policy: np.record, rng: Rng) -> None:
    """Play by a policy that has `choose_listed` until the game is over or waits for cards.

    Playouts spend their time here. Only `movers`, `is_over` and `scores` mean anything afterwards,
    so a game may play on in whatever form is fastest.
    """


@inner_kernel
def play_by(state: State, policy: np.record, rng: Rng) -> None:
    """Play by a policy, in place, until the game is over or waits for cards."""
    waiting = np.uint64(movers(state))
    while waiting != _NOBODY:
        while waiting != _NOBODY:
            seat = lowest(waiting)
            apply(state, seat, choose(state, seat, policy, rng))
            waiting &= waiting - _ONE
        waiting = np.uint64(movers(state))


@inner_kernel
def _describe_code(state: State, seat: Seat, action: Action) -> tuple[int, int, int]:
    return 0, 0, action


@allocating_kernel
def _is_listed(state: State, seat: Seat, action: Action) -> bool:
    listed = np.empty(max_legal(state), np.int64)
    found = False
    for i in range(legal(state, seat, listed)):
        found = found or listed[i] == action
    return found


@allocating_kernel
def _random_listed(state: State, seat: Seat, rng: Rng) -> Action:
    listed = np.empty(max_legal(state), np.int64)
    return listed[below(rng, legal(state, seat, listed))]


class Stamp(NamedTuple):
    """What the options of a game look like in a state of 8-byte words."""

    begin: int  # the first word that options stand in
    mask: Words  # the bits of it and of those after it that do
    options: Words  # and what is written there


@kernel
def first_stray(states: States, words: Words, stamp: Stamp, seats: npt.NDArray[np.int64]) -> int:
    """Return the index of the first state under other options, or whose seat does not move; or -1.

    Args:
        states: of one kind of game.
        words: the same memory: [states, words].
        stamp: the options that they should have.
        seats: who should be to move, per state.
    """
    for i in range(len(states)):
        for k in range(len(stamp.mask)):
            if (words[i, stamp.begin + k] ^ stamp.options[k]) & stamp.mask[k]:
                return i
        if seats[i] < 0 or seats[i] >= _MOST_SEATS or not movers(states[i]) >> seats[i] & 1:
            return i
    return -1


@wrapping_kernel
def fingerprint(states: States, i: int) -> np.uint64:
    """Hash the bytes of `states[i]`: equal knowledge gives equal fingerprints."""
    words = states[i : i + 1].view(np.uint64)
    digest = np.uint64(len(words))
    for word in words:
        digest = mix(digest + np.uint64(0x9E3779B97F4A7C15)) ^ mix(word ^ digest)
    return digest
