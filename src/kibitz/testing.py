"""The conformance suite: what every game must fulfil, importable by games outside the package.

    from kibitz.testing import CHECKS, Subject

    @pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
    def test_conformance(check):
        check(Subject("mygame:players=3", swap_hidden=swap, worlds=enumerate_worlds))

A check raises AssertionError with the position at fault. `check_agent_decides_view_by_view` is for
agents: it asks one about many views together and about each alone.

`python -m kibitz.testing SPEC SEED GAMES` prints a trace of random games, which must not depend on
whether the compiler is on.
"""

import itertools
import json
import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import chdtrc

from kibitz.core.agent import Agent
from kibitz.core.driver import Schedule, play
from kibitz.core.errors import IllegalAction, PositionError
from kibitz.core.game import (
    SPECTATOR,
    Seat,
    State,
    action_index,
    apply,
    conceal,
    fingerprint,
    finish,
    implement,
    is_legal,
    is_over,
    legal,
    max_legal,
    movers,
    observe,
    observe_action,
    play_by,
    random_action,
    resample,
    scores,
)
from kibitz.core.kernels import COMPILED, allocating_kernel, record_dtype, wrapping_kernel
from kibitz.core.listing import list_legal
from kibitz.core.record import parse_record, replay
from kibitz.core.registry import load_agent, load_game
from kibitz.core.rng import RNG, Purpose, Rng, derive, mix
from kibitz.core.table import Game, Origin, Table

P_VALUE = 1e-4
"""Distributions are refused when they are less likely than this; seeds are fixed."""

SwapHidden = Callable[[np.record, Seat, random.Random], bool]
Worlds = Callable[[np.record, Seat], "list[np.record] | None"]
Conserved = Callable[[np.record], object]


@dataclass(frozen=True)
class Subject:
    """A game under test, with what only its author knows."""

    spec: str
    games: int = 20  # random games per check; uncompiled runs use a tenth
    # Exchange, in place and in a true state, things that a seat cannot see (and only so that all
    # past actions stay legal); False if there is nothing to exchange.
    swap_hidden: SwapHidden | None = None
    # Every world that fits a view, each as often as it is likely; None if there are too many.
    worlds: Worlds | None = None
    # A number that stays what it is within a round, such as all card points.
    conserved: Conserved | None = None

    @property
    def game(self) -> Game:
        """The game that the spec names."""
        return load_game(self.spec)

    @property
    def n_games(self) -> int:
        """How many games to play per check."""
        return self.games if COMPILED else max(1, self.games // 10)


def view_of(state: np.record, seat: Seat) -> np.record:
    """Return what a seat may know."""
    view = state.copy()
    conceal(view, seat)
    return view


def positions(subject: Subject, seed: int) -> Iterator[Table]:
    """Yield a table at every decision of random games (the same table, as it goes on)."""
    rng = random.Random(f"{subject.spec} {seed}")
    for deal in range(subject.n_games):
        table = Table(subject.game, Origin(seed, deal))
        while not table.is_over:
            yield table
            seat = rng.choice([seat for seat in table.movers if len(table.legal(seat)) > 1])
            table.play(seat, rng.choice(table.legal(seat)))
        yield table


def some_positions(subject: Subject, seed: int, n: int) -> Iterator[Table]:
    """Yield every few tables of `positions`, `n` at most, spread over the games."""
    step = max(1, -(-len(list(positions(subject, seed))) // n))
    return itertools.islice(positions(subject, seed), step // 2, None, step)


def check_games_end_within_the_bound(subject: Subject) -> None:
    """Random games end, after no more actions than declared."""
    for table in positions(subject, 1):
        assert len(table.actions) <= subject.game.max_actions, table
        assert table.is_over or table.movers, f"nobody is to move in {table!r}"
        assert not (table.is_over and table.movers), f"over, but somebody is to move: {table!r}"


def check_listed_actions_apply(subject: Subject) -> None:
    """Every listed action is legal, different from the others, and moves the game on.

    What it is described as is the same in the mover's view.
    """
    for table in some_positions(subject, 2, 60):
        for seat in table.movers:
            listed = table.legal(seat)
            assert 0 < len(listed) <= subject.game.facts.max_legal, repr(table)
            assert len(set(listed)) == len(listed), repr(table)
            view = table.view(seat)
            for action in listed:
                assert is_legal(table.state, seat, action), (action, table)
                told = subject.game.describe(table.state, seat, action)
                assert told == subject.game.describe(view, seat, action), (action, table)
                after = table.state.copy()
                apply(after, seat, action)
                assert after != table.state, f"{action} changes nothing in {table!r}"


def check_the_door_refuses_what_the_rules_refuse(subject: Subject) -> None:
    """What `is_legal` refuses, `Table.play` refuses with the position, and nothing changes."""
    rng = random.Random(3)
    codes = {0, -1, 1, 2**62, -(2**62)}
    for table in some_positions(subject, 3, 40):
        before = table.state.copy()
        tried = codes | {rng.choice([-1, 1]) + code for code in codes} | set(range(-3, 130, 7))
        for seat in range(subject.game.n_seats):
            for action in tried:
                asked = seat in table.movers or subject.game.facts.out_of_turn
                may = asked and is_legal(table.state, seat, action)
                if not may:
                    _refused(table, seat, action)
        for seat in (-1, subject.game.n_seats, 99):
            _refused(table, seat, 1)
        assert before == table.state, f"a refused action changed {table!r}"


def _refused(table: Table, seat: Seat, action: int) -> None:
    try:
        table.play(seat, action)
    except (IllegalAction, PositionError):
        return
    raise AssertionError(f"seat {seat} was allowed {action} in {table!r}")


def check_who_moves_is_public(subject: Subject) -> None:
    """Everybody sees who must decide, and a mover's view lists the same actions.

    Views may agree to hide who has answered face down already, where that would tell something: all
    then show those seats as still to answer, but for the own seat.
    """
    n_seats = subject.game.n_seats
    for table in some_positions(subject, 4, 100):
        public = int(movers(table.view(SPECTATOR)))
        assert int(movers(table.state)) & ~public == 0, repr(table)
        for seat in (SPECTATOR, *range(n_seats)):
            view = table.view(seat)
            own = 0 if seat == SPECTATOR else 1 << seat
            truth = public & ~own | int(movers(table.state)) & own
            assert movers(view) == truth, f"seat {seat} in {table!r}"
            assert is_over(view) == is_over(table.state), f"seat {seat} in {table!r}"
            if seat in table.movers:
                assert subject.game.legal(view, seat) == table.legal(seat), repr(table)


def check_scores_are_in_range_and_conserved(subject: Subject) -> None:
    """Scores stay in the declared range, and what a round conserves stays the same."""
    low, high = subject.game.score_range
    rounds: dict[tuple[int, int], object] = {}
    for table in positions(subject, 5):
        out = np.full(subject.game.n_seats, np.nan)
        scores(table.state, out)
        assert ((out >= low) & (out <= high)).all(), (out, table)
        if subject.conserved is not None:
            key = table.origin.deal, int(table.batch.books[0].n_rounds)
            kept = subject.conserved(table.state)
            assert rounds.setdefault(key, kept) == kept, repr(table)


def check_same_seed_same_record(subject: Subject) -> None:
    """A record depends on seed, deal, rotation and agents, not on batches."""
    game = subject.game
    n = 3 * subject.n_games
    agents = [load_agent("random", game)]
    schedule = Schedule(
        11, np.arange(n) // 2, np.arange(n) % 2, np.zeros((n, game.n_seats), np.int64)
    )
    want = play(game, agents, schedule, records=True)
    assert len({record.to_line() for record in want.records}) == n, "two games were the same"
    for batch_size in (1, 7):
        got = play(game, agents, schedule, records=True, batch_size=batch_size)
        assert got.records == want.records
        assert (got.scores == want.scores).all()


def check_records_replay(subject: Subject) -> None:
    """A record survives its line of JSON and replays to the same table."""
    for table in some_positions(subject, 6, 25):
        record = table.record()
        again = replay(parse_record(record.to_line()))
        assert again.state == table.state, repr(table)
        assert again.actions == table.actions, repr(table)


def check_text_round_trips(subject: Subject) -> None:
    """Positions, views and actions survive being written and read."""
    game = subject.game
    for table in some_positions(subject, 7, 60):
        for state in (table.state, *(table.view(seat) for seat in range(-1, game.n_seats))):
            text = game.text.format_position(state)
            assert "\n" not in text
            assert game.parse(text) == state, text
        for seat in table.movers:
            for action in table.legal(seat):
                written = game.text.format_action(table.state, seat, action)
                assert game.text.parse_action(table.state, seat, written) == action, written


def check_hidden_things_do_not_show(subject: Subject) -> None:
    """Exchanging what a seat cannot see leaves its view the same, byte for byte.

    Where nothing is exchanged, nothing may be hidden.
    """
    rng = random.Random(8)
    swapped = 0
    for table in some_positions(subject, 8, 150):
        for seat in (SPECTATOR, *range(subject.game.n_seats)):
            view = view_of(table.state, seat)
            assert view_of(view, seat).tobytes() == view.tobytes(), f"seat {seat} of {table!r}"
            if subject.swap_hidden is None:
                assert view.tobytes() == table.state.tobytes(), "say how to swap what is hidden"
                continue
            other = table.state.copy()
            if subject.swap_hidden(other, seat, rng):
                swapped += 1
                assert other != table.state, "swap_hidden changed nothing"
                assert view_of(other, seat).tobytes() == view.tobytes(), f"seat {seat}: {table!r}"
    assert swapped or subject.swap_hidden is None, "nothing was ever exchanged"


def check_resampled_worlds_fit_the_view(subject: Subject) -> None:
    """A resampled world looks the same to the seat, and can be played to its end."""
    game = subject.game
    for number, table in enumerate(some_positions(subject, 9, 60)):
        for seat in (SPECTATOR, *range(game.n_seats)):
            view = table.view(seat)
            world = game.resample(view, seat, derive(9, Purpose.PLAYOUT, number, seat + 1))
            assert view_of(world, seat).tobytes() == view.tobytes(), f"seat {seat} in {table!r}"
            rng = derive(10, Purpose.PLAYOUT, number, seat + 1)
            for _ in range(game.max_actions):
                if not movers(world):
                    break
                mover = (int(movers(world)) & -int(movers(world))).bit_length() - 1
                apply(world, mover, random_action(world, mover, rng))
            assert not movers(world), f"a world of {table!r} does not end"


def check_resampling_is_uniform(subject: Subject) -> None:
    """On small cases the worlds come up as often as enumeration says."""
    if subject.worlds is None:
        return
    enumerated = 0
    for table in some_positions(subject, 10, 400 if COMPILED else 150):
        for seat in (SPECTATOR, *range(subject.game.n_seats)):
            view = table.view(seat)
            worlds = subject.worlds(view, seat)
            if worlds is None or len(worlds) < 2 or enumerated >= (12 if COMPILED else 2):
                continue
            enumerated += 1
            _worlds_are_uniform(view, seat, worlds, repr(table))
    assert enumerated, "no position was small enough to enumerate"


def _worlds_are_uniform(view: np.record, seat: Seat, worlds: list[np.record], where: str) -> None:
    expected = Counter(world.tobytes() for world in worlds)
    draws = 40 * len(worlds)
    rng = derive(10, Purpose.PLAYOUT, len(worlds), seat + 1)
    drawn: Counter[bytes] = Counter()
    for _ in range(draws):
        world = view.copy()
        resample(world, seat, rng)
        drawn[world.tobytes()] += 1
    assert drawn.keys() <= expected.keys(), f"seat {seat}: an impossible world of {where}"
    _fits(drawn, {key: n / len(worlds) for key, n in expected.items()}, where)


def _fits(drawn: Mapping[Any, int], shares: Mapping[Any, float], where: str) -> None:
    """Compare counts with the shares they should have (Pearson's chi square)."""
    n = sum(drawn.values())
    statistic = sum((drawn.get(key, 0) - n * p) ** 2 / (n * p) for key, p in shares.items())
    assert chdtrc(len(shares) - 1, statistic) > P_VALUE, f"not as often as expected: {where}"


def check_random_actions_are_uniform(subject: Subject) -> None:
    """`random_action` draws what `legal` lists, all equally often."""
    for number, table in enumerate(some_positions(subject, 12, 8 if COMPILED else 3)):
        for seat in table.movers[:2]:
            listed = table.legal(seat)
            rng = derive(12, Purpose.PLAYOUT, number, seat)
            n = 50 * len(listed)
            drawn = Counter(int(random_action(table.state, seat, rng)) for _ in range(n))
            assert drawn.keys() <= set(listed), repr(table)
            if len(listed) > 1:
                _fits(drawn, {action: 1 / len(listed) for action in listed}, repr(table))


@wrapping_kernel
def _choose_hashed(
    policy: np.record, seat: Seat, actions: npt.NDArray[np.int64], n: int, rng: Rng
) -> int:
    """Choose the action with the highest hash: whatever the order of the list, and no dice."""
    best = 0
    highest = np.uint64(0)
    for i in range(n):
        hashed = mix(policy.salt + np.uint64(actions[i]) * _SPREAD + np.uint64(seat))
        if hashed > highest:
            highest = hashed
            best = i
    return best


@allocating_kernel
def _choose_hashed_legal(state: State, seat: Seat, policy: np.record, rng: Rng) -> int:
    listed = np.empty(max_legal(state), np.int64)
    return listed[_choose_hashed(policy, seat, listed, legal(state, seat, listed), rng)]


_HASHED = record_dtype([("salt", np.uint64), ("hashes", np.int64)])
_SPREAD = np.uint64(0x9E3779B97F4A7C15)
implement("choose_listed", _HASHED, _choose_hashed)
implement("choose", _HASHED, _choose_hashed_legal)


def check_finish_ends_as_the_rules_do(subject: Subject) -> None:
    """`finish` comes to the scores that `apply` comes to, if the same is chosen everywhere."""
    policy = np.zeros(1, _HASHED)[0]
    states = subject.game.blank(2)
    by_rules, finished = np.zeros((2, subject.game.n_seats))
    for number, table in enumerate(positions(subject, 15)):
        policy["salt"] = number
        states[:] = table.state
        rng = derive(15, Purpose.PLAYOUT, number)
        play_by(states[0], policy, rng)
        finish(states[1], policy, rng)
        scores(states[0], by_rules)
        scores(states[1], finished)
        assert (finished == by_rules).all(), repr(table)
        assert movers(states[1]) == 0, repr(table)
        assert is_over(states[1]) == is_over(states[0]), repr(table)


def check_encodings_fill_their_layout(subject: Subject) -> None:
    """Features of views and of legal actions are finite, and every slot of them is written."""
    for table in some_positions(subject, 13, 40):
        for seat in table.movers:
            view = table.view(seat)
            for encoding in subject.game.encodings.values():
                out = np.full(encoding.size, np.nan, np.float32)
                observe(view, seat, encoding.record, out)
                assert np.isfinite(out).all(), (encoding.name, table)
                for action in table.legal(seat):
                    row = np.full(encoding.candidate_size, np.nan, np.float32)
                    observe_action(view, seat, action, encoding.record, row)
                    assert np.isfinite(row).all(), (encoding.name, action, table)
        _oracle_fills_its_layout(table)


def _oracle_fills_its_layout(table: Table) -> None:
    """What critics see of a true state is finite and written completely, for every seat."""
    oracle = table.game.oracle
    if oracle is None:
        return
    for seat in range(table.game.n_seats):
        out = np.full(oracle.size, np.nan, np.float32)
        observe(table.state, seat, oracle.record, out)
        assert np.isfinite(out).all(), (seat, table)


def check_batches_agree_with_single_actions(subject: Subject) -> None:
    """What encodings write for many views is what the kernels say of each action alone."""
    asked = [
        (table.view(seat), seat, table.legal(seat))
        for table in some_positions(subject, 18, 40)
        for seat in table.movers
    ]
    views = np.array([view for view, _, _ in asked], subject.game.rules.STATE)
    seats = np.array([seat for _, seat, _ in asked])
    found = list_legal(views, seats)
    assert found.actions.tolist() == [action for _, _, actions in asked for action in actions]
    assert np.diff(found.offsets).tolist() == [len(actions) for _, _, actions in asked]
    for encoding in subject.game.encodings.values():
        indices = encoding.indices(views, seats, found)
        mask = encoding.mask(views, seats, found)
        rows = encoding.observe_candidates(views, seats, found)
        for i, (view, seat, actions) in enumerate(asked):
            own = slice(found.offsets[i], found.offsets[i + 1])
            alone = [int(action_index(view, seat, a, encoding.record)) for a in actions]
            assert indices[own].tolist() == alone, (encoding.name, i)
            assert 0 <= min(alone) <= max(alone) < encoding.n_actions, (encoding.name, i)
            assert set(np.flatnonzero(mask[i])) == set(alone), (encoding.name, i)
            out = np.zeros(encoding.candidate_size, np.float32)
            for k, action in enumerate(actions):
                observe_action(view, seat, action, encoding.record, out)
                assert (rows[own][k] == out).all(), (encoding.name, action, i)


def check_compiled_and_uncompiled_agree(subject: Subject) -> None:
    """With the compiler off, the same games are played, action by action."""
    if not COMPILED:
        return
    command = [sys.executable, "-m", "kibitz.testing", subject.spec, "14", "2"]
    plain = subprocess.run(
        command,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert plain.returncode == 0, plain.stderr
    compiled = trace(subject.spec, 14, 2)
    for ours, theirs in zip(compiled, json.loads(plain.stdout), strict=True):
        assert ours == theirs


def check_agent_decides_view_by_view(agent: Agent, n_positions: int = 60) -> None:
    """Asked about many views at once, an agent answers as it does to each alone.

    This is for agents that draw from their streams only and do not look at the clock.
    """
    tables = some_positions(Subject(agent.game.spec), 16, n_positions)
    asked = [(table.view(seat), seat) for table in tables for seat in table.movers]
    views = np.empty(len(asked), asked[0][0].dtype)
    seats, games = np.array([seat for _, seat in asked]), np.arange(len(asked))
    rngs = np.empty(len(asked), RNG)
    for k, (view, _) in enumerate(asked):
        views[k], rngs[k] = view, derive(16, Purpose.AGENT, k)
    together = agent.act(views.copy(), seats.copy(), rngs.copy(), games.copy()).actions
    agent.end(games.copy())
    for k, (view, seat) in enumerate(asked):
        one = slice(k, k + 1)
        alone = agent.act(views[one].copy(), seats[one], rngs[one].copy(), games[one]).actions
        agent.end(games[one])
        where = agent.game.format(view)
        assert int(together[k]) == int(alone[0]), f"seat {seat} decides by other views in {where}"


def trace(spec: str, seed: int, games: int) -> list[list[object]]:
    """Play random games; return all that the kernels say about every position."""
    lines: list[list[object]] = []
    for table in positions(Subject(spec, games=games if COMPILED else 10 * games), seed):
        actions = [action for seat in table.movers for action in table.legal(seat)]
        seats = [_what_a_seat_gets(table, seat) for seat in (SPECTATOR, *range(table.game.n_seats))]
        lines.append([table.position, actions, table.scores.tolist(), seats])
    return lines


def _what_a_seat_gets(table: Table, seat: Seat) -> list[object]:
    """Return the prints of a seat's view and of a world that fits it; for a mover more."""
    view = table.view(seat)
    rng = derive(15, Purpose.PLAYOUT, len(table.actions), seat + 1)
    prints: list[object] = [_print(view), _print(table.game.resample(view, seat, rng))]
    if seat in table.movers:
        prints.append(int(random_action(view, seat, rng)))
        for encoding in table.game.encodings.values():
            out = np.zeros(encoding.size, np.float32)
            observe(view, seat, encoding.record, out)
            row = np.zeros(encoding.candidate_size, np.float32)
            observe_action(view, seat, table.legal(seat)[-1], encoding.record, row)
            prints += [out.tobytes().hex(), row.tobytes().hex()]
    if seat != SPECTATOR and (oracle := table.game.oracle):
        out = np.zeros(oracle.size, np.float32)
        observe(table.state, seat, oracle.record, out)
        prints.append(out.tobytes().hex())
    return prints


def _print(state: np.record) -> str:
    states = np.empty(1, state.dtype)
    states[0] = state
    return f"{int(fingerprint(states, 0)):016x}"


CHECKS: tuple[Callable[[Subject], None], ...] = (
    check_games_end_within_the_bound,
    check_listed_actions_apply,
    check_the_door_refuses_what_the_rules_refuse,
    check_who_moves_is_public,
    check_scores_are_in_range_and_conserved,
    check_same_seed_same_record,
    check_records_replay,
    check_text_round_trips,
    check_hidden_things_do_not_show,
    check_resampled_worlds_fit_the_view,
    check_resampling_is_uniform,
    check_random_actions_are_uniform,
    check_finish_ends_as_the_rules_do,
    check_encodings_fill_their_layout,
    check_batches_agree_with_single_actions,
    check_compiled_and_uncompiled_agree,
)
"""Everything a game must fulfil."""


if __name__ == "__main__":
    print(json.dumps(trace(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))))
