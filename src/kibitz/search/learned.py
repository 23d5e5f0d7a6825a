"""Playout policies that learn during a search: MAST and PPA.

Both prefer moves that won in earlier playouts of the same search, whatever the position. A move is
known by its code: seat and action, or with the feature `depth` also how many choices the seat has
made since the root. Codes are places in a table, large enough that they seldom meet.

- MAST (Finnsson and Björnsson 2008): a move weighs exp(k * share of its playouts that were won).
- PPA (Cazenave 2015): a move weighs exp(p); after every playout the winner's moves gain alpha, and
  what it could have played instead loses as much, in proportion to its probability.

Whoever scores more than the seats do on average has won: of two players the better, of teams the
better one, and where some pay others, all who are paid.
"""

import math
from typing import Any

import numpy as np

from kibitz.core.game import Action, Listed, Scores, Seat, State, implement, legal
from kibitz.core.kernels import inlined_kernel, kernel, record_dtype, wrapping_kernel
from kibitz.core.rng import Rng, mix, unit
from kibitz.search.playouts import Decisions, Path, plays_out
from kibitz.search.selection import inverse_of

SIZE = 1 << 14
"""Codes that are told apart."""

MAX_MOVES = 512
"""Moves of a playout that are learned from; later ones are not."""

_MASK = np.uint64(SIZE - 1)
_TO_TABLE = np.uint64(64 - (SIZE - 1).bit_length())
# Of the exponential function: log 2 in two parts, what rounds a sum to whole numbers, the series.
_LOG2_E, _LOG_2, _REST_OF_LOG_2 = 1 / math.log(2), 0.6931471803691238, 1.9082149292705877e-10
_ROUND = 1.5 * 2.0**52
_MOST = 700.0  # powers beyond are cut, so that weights stay finite and above zero
_C2, _C3, _C4, _C5, _C6, _C7, _C8, _C9, _C10, _C11 = (1 / math.factorial(k) for k in range(2, 12))

_GOLDEN, _MAX_DEPTH = np.uint64(0x9E3779B97F4A7C15), np.uint64(1 << 13)


def _fields(most: int, n_sons: int) -> list[tuple[Any, ...]]:
    """Return the fields of both policies: weights of all codes, and the moves of one playout."""
    return [
        ("by_depth", np.int64),
        ("n_moves", np.int64),
        ("n_sons", np.int64),
        ("depths", np.int64, (16,)),  # choices of each seat since the root
        ("weight", np.float64, (SIZE,)),
        ("codes", np.uint32, (MAX_MOVES,)),
        ("deciders", np.uint32, (MAX_MOVES,)),
        ("sons_end", np.int64, (MAX_MOVES,)),  # where the sons of each move end in `sons`
        ("sons_weight", np.float64, (MAX_MOVES,)),  # of all that could have been played
        ("sons", np.uint32, (n_sons,)),  # codes of everything that could have been played
        ("listed", np.int64, (most,)),
        ("won", np.float64, (16,)),  # by each seat, in one playout
        ("powers", np.float64, (max(n_sons, MAX_MOVES),)),  # scratch, a multiple of 8
    ]


@wrapping_kernel
def _page(policy: np.record, seat: Seat) -> np.uint64:
    """Return where the codes of a seat's next choice begin, as a part of 2**64.

    Multiples of the golden ratio keep apart: up to five players of 6 nimmt! share no code.
    """
    depth = np.uint64(policy.depths[seat] * policy.by_depth)
    return (np.uint64(seat) * _MAX_DEPTH + depth) * _GOLDEN


@wrapping_kernel
def _code(page: np.uint64, action: Action) -> int:
    """Return the code of a move: small actions lie side by side, larger ones anywhere."""
    word = (
        (page >> _TO_TABLE) + np.uint64(action) if action < SIZE else mix(page + np.uint64(action))
    )
    return np.int64(word & _MASK)  # type: ignore[return-value]


@inlined_kernel
def choose_listed_by_weight(
    policy: np.record, seat: Seat, actions: Listed, n: int, rng: Rng
) -> int:
    """Draw one of the listed actions in proportion to the weight of its code, and remember it.

    Weights are added up twice, and nothing is written before both sums are made: where `n` is
    known to the compiler, it makes them once and keeps them in registers.
    """
    page = _page(policy, seat)
    share = unit(rng)
    total = 0.0
    for i in range(n):
        total += policy.weight[_code(page, actions[i])]
    drawn = share * total
    chosen = 0
    upto = 0.0
    for i in range(n - 1):  # without a branch, which could not be predicted
        upto += policy.weight[_code(page, actions[i])]
        chosen += upto <= drawn
    policy.depths[seat] += 1
    keeps_sons = len(policy.sons) > 1
    if policy.n_moves < MAX_MOVES and (not keeps_sons or policy.n_sons + n <= len(policy.sons)):
        # Unsigned indices need no check whether they count from the end.
        move = np.uint64(policy.n_moves)
        policy.codes[move] = _code(page, actions[np.uint64(chosen)])
        policy.deciders[move] = seat
        if keeps_sons:
            first = np.uint64(policy.n_sons)
            for i in range(n):
                policy.sons[first + np.uint64(i)] = _code(page, actions[i])
            policy.sons_weight[move] = total
            policy.n_sons += n
            policy.sons_end[move] = policy.n_sons
        policy.n_moves += 1
    return chosen


@kernel
def choose_by_weight(state: State, seat: Seat, policy: np.record, rng: Rng) -> Action:
    """Draw a legal action in proportion to the weight of its code, and remember it."""
    n = legal(state, seat, policy.listed)
    return policy.listed[choose_listed_by_weight(policy, seat, policy.listed, n, rng)]


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
    for i in range(policy.n_tried):
        code = policy.tried[i]
        policy.weight[code] = policy.untried
        policy.games[code] = 0
        policy.wins[code] = 0
    policy.n_tried = 0


@kernel
def _adapt_mast(policy: np.record, points: Scores, n_seats: int) -> None:
    n = policy.n_moves
    _see_who_won(policy, points, n_seats)
    n_tried = policy.n_tried
    for move in range(n):
        code = policy.codes[move]
        games = policy.games[code]
        # Written down at every move, but counted only at the first: `tried` has one more place.
        policy.tried[np.uint64(n_tried)] = code
        n_tried += games == 0
        wins = policy.wins[code] + policy.won[policy.deciders[move]]
        policy.games[code] = games + 1
        policy.wins[code] = wins
        policy.powers[move] = policy.mast_k * wins * inverse_of(int(games) + 1)
    policy.n_tried = n_tried
    _raise_all(policy, n)
    for move in range(n):
        policy.weight[policy.codes[move]] = policy.powers[move]


@kernel
def _forget_ppa(policy: np.record) -> None:
    for code in range(SIZE):
        policy.weight[code] = 1
        policy.worth[code] = 0


@kernel
def _adapt_ppa(policy: np.record, points: Scores, n_seats: int) -> None:
    _see_who_won(policy, points, n_seats)
    n = end = 0
    for move in range(policy.n_moves):
        first, end = end, policy.sons_end[move]
        if policy.won[policy.deciders[move]] < 1:
            continue  # nothing is learned from it
        policy.worth[policy.codes[move]] += policy.ppa_alpha
        loss = policy.ppa_alpha / policy.sons_weight[move]
        for son in range(first, end):
            code = policy.sons[np.uint64(son)]
            policy.worth[code] -= loss * policy.weight[code]
            policy.sons[np.uint64(n)] = code
            n += 1
    # Weights follow when all moves have been judged by the old ones.
    for son in range(n):
        policy.powers[son] = policy.worth[policy.sons[son]]
    _raise_all(policy, n)
    for son in range(n):
        policy.weight[policy.sons[son]] = policy.powers[son]


@kernel
def _see_who_won(policy: np.record, points: Scores, n_seats: int) -> None:
    """Write down for each seat whether it won a playout: 1, 0, or a half for the average score."""
    total = 0.0
    for seat in range(n_seats):
        total += points[seat]
    for seat in range(n_seats):
        lead = n_seats * points[seat] - total
        policy.won[seat] = 0.5 * (1.0 + (lead > 0) - (lead < 0))


@inlined_kernel
def _raised(power: float) -> float:
    """Return the exponential function of a power: of many at once, if the compiler sees a loop.

    A power is split into whole multiples of log 2 and a small rest, of which a few terms of the
    series are enough; they are added in pairs, which wait less for each other than one by one.
    """
    power = min(max(power, -_MOST), _MOST)
    twos = (power * _LOG2_E + _ROUND) - _ROUND
    x = (power - twos * _LOG_2) - twos * _REST_OF_LOG_2
    x2 = x * x
    x4 = x2 * x2
    low = (1.0 + x) + (_C2 + _C3 * x) * x2
    mid = (_C4 + _C5 * x) + (_C6 + _C7 * x) * x2
    high = (_C8 + _C9 * x) + (_C10 + _C11 * x) * x2
    series = low + (mid + high * x4) * x4
    # The exponent of a float64 stands above its 52 other bits, plus 1023.
    return series * np.int64((np.int64(twos) + 1023) << 52).view(np.float64)


@kernel
def _raise_all(policy: np.record, n: int) -> None:
    """Replace the first `n` powers by the exponential function of them, to 13 digits.

    The compiler takes several at once. Those that would be left over are slow to take one by one:
    the powers after the last are raised too, for nobody.
    """
    for i in range((n + 7) // 8 * 8):
        policy.powers[i] = _raised(policy.powers[i])


def mast(k: float, by_depth: bool, most: int) -> np.record:
    """Make a MAST policy for games with at most `most` legal actions."""
    fields = [("mast_k", np.float64), *_fields(most, 1)]
    fields += [("games", np.float64, (SIZE,)), ("wins", np.float64, (SIZE,))]
    fields += [("untried", np.float64), ("n_tried", np.int64), ("tried", np.uint32, (SIZE + 1,))]
    policy = _make(fields, by_depth, _forget_mast, _adapt_mast)
    policy.mast_k = k
    policy.untried = math.exp(k)  # a move never tried is worth trying
    policy["weight"][:] = policy.untried
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
        plays_out(
            dtype,
            choose_listed=choose_listed_by_weight,
            prepare=_count_path,
            enter=_enter,
            forget=forget,
            adapt=adapt,
        )
    policy: np.record = np.zeros(1, dtype)[0]
    policy.by_depth = by_depth
    return policy
