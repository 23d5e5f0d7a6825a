"""Playout policies that learn during a search: MAST and PPA.

Both prefer moves that won in earlier playouts of the same search, whatever the position. A move is
known by its code: seat and action, or with the feature `depth` also how many choices the seat has
made since the root. Codes are places in a table, large enough that they seldom meet.

- MAST (Finnsson and Björnsson 2008): a move weighs exp(k * share of its playouts that were won).
- PPA (Cazenave 2015): a move weighs exp(p); after every playout the winner's moves gain alpha, and
  what it could have played instead loses as much, in proportion to its probability.
"""

import math
from typing import Any

import numpy as np

from kibitz.core.game import Action, Scores, Seat, State, implement, legal
from kibitz.core.kernels import kernel, record_dtype, wrapping_kernel
from kibitz.core.rng import Rng, mix, unit
from kibitz.search.playouts import Decisions, Path
from kibitz.search.tree import NONE
from kibitz.search.values import WIN, value_of

SIZE = 1 << 14
"""Codes that are told apart."""

MAX_MOVES = 512
"""Moves of a playout that are learned from; later ones are not."""

_MASK = np.uint64(SIZE - 1)
_TO_TABLE = np.uint64(64 - (SIZE - 1).bit_length())
_GOLDEN, _MAX_DEPTH = np.uint64(0x9E3779B97F4A7C15), np.uint64(1 << 13)


def _fields(most: int, n_sons: int) -> list[tuple[Any, ...]]:
    """Give what both policies keep: the weights of all codes, and the moves of one playout."""
    return [
        ("by_depth", np.int64),
        ("n_moves", np.int64),
        ("n_sons", np.int64),
        ("depths", np.int64, (16,)),  # choices of each seat since the root
        ("weight", np.float64, (SIZE,)),
        ("codes", np.int32, (MAX_MOVES,)),
        ("deciders", np.int32, (MAX_MOVES,)),
        ("first_son", np.int32, (MAX_MOVES + 1,)),
        ("sons_weight", np.float64, (MAX_MOVES,)),  # of all that could have been played
        ("sons", np.int32, (n_sons,)),  # codes of everything that could have been played
        ("listed", np.int64, (most,)),
        ("listed_codes", np.int32, (most,)),
        ("totals", np.float64, (most,)),  # of the weights up to each
    ]


@wrapping_kernel
def _page(policy: np.record, seat: Seat) -> np.uint64:
    """Give where the codes of a seat's next choice begin, as a part of 2**64.

    Multiples of the golden ratio keep apart: up to five players of 6 nimmt! share no code.
    """
    depth = np.uint64(policy.depths[seat] * policy.by_depth)
    return (np.uint64(seat) * _MAX_DEPTH + depth) * _GOLDEN


@wrapping_kernel
def _code(page: np.uint64, action: Action) -> int:
    """Give the code of a move: small actions lie side by side, larger ones anywhere."""
    word = (
        (page >> _TO_TABLE) + np.uint64(action) if action < SIZE else mix(page + np.uint64(action))
    )
    return np.int64(word & _MASK)  # type: ignore[return-value]


@kernel
def choose_by_weight(state: State, seat: Seat, policy: np.record, rng: Rng) -> Action:
    """Draw a legal action in proportion to the weight of its code, and remember it."""
    n = legal(state, seat, policy.listed)
    page = _page(policy, seat)
    total = 0.0
    for i in range(n):
        code = _code(page, policy.listed[i])
        policy.listed_codes[i] = code
        total += policy.weight[code]
        policy.totals[i] = total
    drawn = unit(rng) * total
    chosen = 0
    for i in range(n - 1):  # without a branch, which could not be predicted
        chosen += policy.totals[i] <= drawn
    policy.depths[seat] += 1
    keeps_sons = len(policy.sons) > 1
    if policy.n_moves < MAX_MOVES and (not keeps_sons or policy.n_sons + n <= len(policy.sons)):
        move = policy.n_moves
        policy.codes[move] = policy.listed_codes[chosen]
        policy.deciders[move] = seat
        if keeps_sons:
            for i in range(n):
                policy.sons[policy.n_sons + i] = policy.listed_codes[i]
            policy.n_sons += n
            policy.sons_weight[move] = total
        policy.first_son[move + 1] = policy.n_sons
        policy.n_moves += 1
    return policy.listed[chosen]


@kernel
def _enter(policy: np.record) -> None:
    """Begin a simulation: nobody has chosen anything."""
    policy.n_moves = 0
    policy.n_sons = 0
    for seat in range(16):
        policy.depths[seat] = 0


@kernel
def _count_path(policy: np.record, decisions: Decisions, path: Path, n_path: int) -> None:
    """Begin a playout: count what seats have chosen by the tree."""
    for step in range(n_path):
        policy.depths[decisions[path[step, 0]].decider] += 1


@kernel
def _forget_mast(policy: np.record) -> None:
    for code in range(SIZE):
        policy.weight[code] = math.exp(policy.mast_k)  # a move never tried is worth trying
        policy.games[code] = 0
        policy.wins[code] = 0


@kernel
def _adapt_mast(policy: np.record, points: Scores, n_seats: int) -> None:
    for move in range(policy.n_moves):
        code = policy.codes[move]
        policy.games[code] += 1
        policy.wins[code] += value_of(points, n_seats, policy.deciders[move], WIN)
        policy.weight[code] = math.exp(policy.mast_k * policy.wins[code] / policy.games[code])


@kernel
def _forget_ppa(policy: np.record) -> None:
    for code in range(SIZE):
        policy.weight[code] = 1
        policy.worth[code] = 0


@kernel
def _adapt_ppa(policy: np.record, points: Scores, n_seats: int) -> None:
    for move in range(policy.n_moves):
        if value_of(points, n_seats, policy.deciders[move], WIN) < 1:
            policy.deciders[move] = NONE  # nothing is learned from it
            continue
        policy.worth[policy.codes[move]] += policy.ppa_alpha
        loss = policy.ppa_alpha / policy.sons_weight[move]
        for son in range(policy.first_son[move], policy.first_son[move + 1]):
            code = policy.sons[son]
            policy.worth[code] -= loss * policy.weight[code]
    # Weights follow when all moves have been judged by the old ones.
    for move in range(policy.n_moves):
        if policy.deciders[move] != NONE:
            for son in range(policy.first_son[move], policy.first_son[move + 1]):
                code = policy.sons[son]
                policy.weight[code] = math.exp(policy.worth[code])


def mast(k: float, by_depth: bool, most: int) -> np.record:
    """Make a MAST policy for games with at most `most` legal actions."""
    fields = [("mast_k", np.float64), *_fields(most, 1)]
    fields += [("games", np.float64, (SIZE,)), ("wins", np.float64, (SIZE,))]
    policy = _make(fields, by_depth, _forget_mast, _adapt_mast)
    policy.mast_k = k
    return policy


def ppa(alpha: float, by_depth: bool, most: int) -> np.record:
    """Make a PPA policy for games with at most `most` legal actions."""
    fields = [("ppa_alpha", np.float64), *_fields(most, MAX_MOVES * min(most, 64))]
    fields += [("worth", np.float64, (SIZE,))]
    policy = _make(fields, by_depth, _forget_ppa, _adapt_ppa)
    policy.ppa_alpha = alpha
    return policy


_known: set[np.dtype[np.record]] = set()


def _make(fields: list[tuple[Any, ...]], by_depth: bool, forget: Any, adapt: Any) -> np.record:
    dtype = record_dtype(fields)
    if dtype not in _known:
        _known.add(dtype)
        implement("choose", dtype, choose_by_weight)
        implement("enter", dtype, _enter)
        implement("prepare", dtype, _count_path)
        implement("forget", dtype, forget)
        implement("adapt", dtype, adapt)
    policy: np.record = np.zeros(1, dtype)[0]
    policy.by_depth = by_depth
    return policy
