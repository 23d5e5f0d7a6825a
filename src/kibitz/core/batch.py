"""Many games of one kind, advanced together: the kernels under every table and every match.

A game goes round in three steps. `settle` deals rounds and plays decisions that are none, until
somebody has a real choice. `ask` finds everybody who has one and takes all their views before
anything is applied. `answer` checks the actions and applies them. Who is forced waits until the
others have chosen, so nobody learns from the order of events who had a choice.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kibitz.core.game import (
    Actions,
    Scores,
    States,
    apply,
    conceal,
    deal,
    is_legal,
    is_over,
    legal,
    max_legal,
    movers,
    scores,
)
from kibitz.core.kernels import kernel, record_dtype
from kibitz.core.rng import RNG, Purpose, Rngs, absorb, key_of, start

MAX_SEATS = 16

BOOK = record_dtype(
    [
        ("deal_key", np.uint64),  # hash of (seed, DEAL, deal); a round's stream adds its number
        ("agent_key", np.uint64),  # hash of (seed, AGENT, deal, rotation)
        ("n_rounds", np.int64),  # rounds dealt so far
        ("n_decisions", np.int32, (MAX_SEATS,)),  # of each seat, forced ones included
    ]
)
"""What the driver keeps of a game beside its state."""

LOG = record_dtype([("game", np.int64), ("seat", np.int64), ("action", np.int64)])
"""One committed action."""

Books = npt.NDArray[np.record]
Log = npt.NDArray[np.record]
Ints = npt.NDArray[np.int64]

DEAL_ROUNDS = 1
PLAY_FORCED = 2
"""Duties of `settle`, as bits: replaying a record does neither behind the record's back."""

NO_LIMIT = 2**62


@kernel
def write_keys(
    books: Books, deal_key: np.uint64, agent_key: np.uint64, deals: Ints, rotations: Ints
) -> None:
    """Derive the keys of every game's streams from the keys of their purposes."""
    for i in range(len(books)):
        books[i].deal_key = absorb(deal_key, deals[i])
        books[i].agent_key = absorb(absorb(agent_key, deals[i]), rotations[i])


@kernel
def _commit(
    states: States, books: Books, i: int, seat: int, action: int, log: Log, cursor: Ints
) -> None:
    """Apply one action and write it down (an empty log keeps nothing)."""
    apply(states[i], seat, action)
    books[i].n_decisions[seat] += 1
    if len(log) > 0:
        entry = log[cursor[0]]
        entry.game = i
        entry.seat = seat
        entry.action = action
        cursor[0] += 1


@kernel
def _somebody_can_choose(state: np.record, waiting: int, listed: Actions) -> bool:
    seat = 0
    while waiting:
        if waiting & 1 and legal(state, seat, listed) > 1:
            return True
        waiting >>= 1
        seat += 1
    return False


@kernel
def settle_all(
    states: States, books: Books, log: Log, cursor: Ints, duties: int, limit: int
) -> int:
    """Play on in every game until somebody has a real choice, it is over, or `limit` changes.

    Returns:
        The number of changes, or -1 if the log has no room for another turn: empty it, call again.
    """
    listed = np.empty(max_legal(states[0]), np.int64)
    rng = np.empty(1, RNG)[0]
    changes = 0
    for i in range(len(states)):
        state = states[i]
        for _ in range(limit):
            if is_over(state):
                break
            waiting = movers(state)
            if waiting == 0:
                if not duties & DEAL_ROUNDS:
                    break
                start(rng, absorb(books[i].deal_key, books[i].n_rounds))
                deal(state, rng)
                books[i].n_rounds += 1
            elif not duties & PLAY_FORCED or _somebody_can_choose(state, waiting, listed):
                break
            else:
                if len(log) > 0 and cursor[0] + MAX_SEATS > len(log):
                    return -1
                seat = 0
                while waiting:
                    if waiting & 1:
                        legal(state, seat, listed)
                        _commit(states, books, i, seat, listed[0], log, cursor)
                    waiting >>= 1
                    seat += 1
            changes += 1
    return changes


@kernel
def find_choices(
    states: States, lineup: npt.NDArray[np.int64], games: Ints, seats: Ints, agents: Ints
) -> int:
    """List every (game, seat, agent) with a real choice, by game and seat; return how many."""
    listed = np.empty(max_legal(states[0]), np.int64)
    n = 0
    for i in range(len(states)):
        waiting = movers(states[i])
        seat = 0
        while waiting:
            if waiting & 1 and legal(states[i], seat, listed) > 1:
                games[n] = i
                seats[n] = seat
                agents[n] = lineup[i, seat]
                n += 1
            waiting >>= 1
            seat += 1
    return n


@kernel
def sort_by_agent(agents: Ints, n: int, places: Ints, bounds: Ints) -> None:
    """Give the k-th of n choices its place when agents are asked one after the other.

    Agent a is asked about places bounds[a] to bounds[a + 1]; order within an agent is kept.
    """
    bounds[:] = 0
    for k in range(n):
        bounds[agents[k] + 1] += 1
    for a in range(1, len(bounds)):
        bounds[a] += bounds[a - 1]
    for k in range(n):
        a = agents[k]
        places[k] = bounds[a]
        bounds[a] += 1
    for a in range(len(bounds) - 1, 0, -1):
        bounds[a] = bounds[a - 1]
    bounds[0] = 0


@kernel
def write_views(
    states: States, books: Books, games: Ints, seats: Ints, places: Ints, views: States
) -> None:
    """Put a concealed copy of each chooser's game into its place."""
    for k in range(len(games)):
        views[places[k]] = states[games[k]]
        conceal(views[places[k]], seats[k])


@kernel
def write_streams(books: Books, games: Ints, seats: Ints, places: Ints, rngs: Rngs) -> None:
    """Put the random stream of each decision into its place."""
    for k in range(len(games)):
        book = books[games[k]]
        key = absorb(absorb(book.agent_key, seats[k]), book.n_decisions[seats[k]])
        start(rngs[places[k]], key)


@kernel
def first_illegal(states: States, games: Ints, seats: Ints, places: Ints, actions: Actions) -> int:
    """Give the index of the first choice whose action the rules refuse, or -1."""
    for k in range(len(games)):
        if not is_legal(states[games[k]], seats[k], actions[places[k]]):
            return k
    return -1


@kernel
def commit_all(
    states: States,
    books: Books,
    games: Ints,
    seats: Ints,
    actions: Actions,
    log: Log,
    cursor: Ints,
) -> None:
    """Apply checked actions in the order of games and seats."""
    for k in range(len(games)):
        _commit(states, books, games[k], seats[k], actions[k], log, cursor)


@kernel
def score_all(states: States, out: npt.NDArray[np.float64]) -> None:
    """Write the scores of every game: [games, seats]."""
    for i in range(len(states)):
        scores(states[i], out[i])


@kernel
def count_over(states: States) -> int:
    """Count the games that have ended."""
    n = 0
    for i in range(len(states)):
        if is_over(states[i]):
            n += 1
    return n


@dataclass(frozen=True)
class Questions:
    """Everybody who has a real choice, their views taken before anything is applied.

    `games`, `seats` and `places` go by game and seat; `views` and `rngs` are ordered so that agent
    a is asked about the places `bounds[a]` to `bounds[a + 1]`.
    """

    games: Ints
    seats: Ints
    places: Ints
    bounds: Ints
    views: States
    rngs: Rngs

    def seats_of_views(self) -> Ints:
        """The deciding seat of each view."""
        return _in_place(self.seats, self.places)

    def games_of_views(self) -> Ints:
        """The game of each view."""
        return _in_place(self.games, self.places)


def _in_place(values: Ints, places: Ints) -> Ints:
    out = np.empty_like(values)
    out[places] = values
    return out


class Batch:
    """Games of one kind, played side by side."""

    def __init__(self, states: States, seed: int, deals: Ints, rotations: Ints, keep: bool) -> None:
        """Take charge of `states` (blank ones wait for their first deal).

        Args:
            states: one per game, changed in place.
            seed: what all random streams derive from.
            deals: number of the deal, per game; equal deals get equal cards.
            rotations: number of the rotation, per game; agents draw differently in each.
            keep: whether to keep the log of all actions.
        """
        self.states = states
        self.seed = seed
        self.books: Books = np.zeros(len(states), BOOK)
        write_keys(
            self.books, key_of(seed, Purpose.DEAL), key_of(seed, Purpose.AGENT), deals, rotations
        )
        self.duties = DEAL_ROUNDS | PLAY_FORCED
        room = max(4096, 2 * MAX_SEATS * len(states)) if keep else 0
        self._log: Log = np.zeros(room, LOG)
        self._cursor = np.zeros(1, np.int64)
        self._kept: list[Log] = []
        # Room for `ask`, kept because fresh pages cost as much as filling them.
        self._choices = np.zeros((4, 0), np.int64)  # game, seat, agent, place
        self._views: States = np.zeros(0, states.dtype)
        self._rngs: Rngs = np.zeros(0, RNG)

    def settle(self, limit: int = NO_LIMIT) -> int:
        """Play on until everybody left has a real choice; return the number of changes."""
        changes = 0
        while True:
            done = settle_all(self.states, self.books, self._log, self._cursor, self.duties, limit)
            if done >= 0:
                return changes + done
            changes += 1
            self._drain()

    def ask(self, lineup: npt.NDArray[np.int64], n_agents: int) -> Questions:
        """Find everybody who has a choice and take their views, which hold until the next `ask`.

        Args:
            lineup: the agent at each seat of each game: [games, seats].
            n_agents: agents are numbered below this.
        """
        if self._choices.shape[1] < lineup.size:
            self._choices = np.zeros((4, lineup.size), np.int64)
        games, seats, agents, places = self._choices
        n = find_choices(self.states, lineup, games, seats, agents)
        games, seats, places = games[:n], seats[:n], places[:n]
        bounds = np.zeros(n_agents + 1, np.int64)
        sort_by_agent(agents, n, places, bounds)
        if len(self._views) < n:
            self._views = np.empty(n, self.states.dtype)
            self._rngs = np.empty(n, RNG)
        views, rngs = self._views[:n], self._rngs[:n]
        write_views(self.states, self.books, games, seats, places, views)
        write_streams(self.books, games, seats, places, rngs)
        return Questions(games, seats, places, bounds, views, rngs)

    def answer(self, questions: Questions, actions: Actions) -> int:
        """Apply `actions` (in the order of the views) if all are legal.

        Returns:
            -1, or the index of the first choice that is refused: nothing was applied then.
        """
        refused = first_illegal(
            self.states, questions.games, questions.seats, questions.places, actions
        )
        if refused < 0:
            self.commit(questions.games, questions.seats, actions[questions.places])
        return refused

    def commit(self, games: Ints, seats: Ints, actions: Actions) -> None:
        """Apply actions that are known to be legal."""
        if len(self._log) and self._cursor[0] + len(games) > len(self._log):
            self._drain()
        commit_all(self.states, self.books, games, seats, actions, self._log, self._cursor)

    def _drain(self) -> None:
        self._kept.append(self._log[: self._cursor[0]].copy())
        self._cursor[0] = 0

    def log(self) -> Log:
        """Give all actions so far, in the order they were committed."""
        if self._cursor[0]:
            self._drain()
        # Concatenation forgets that the elements are records, so the dtype is named again.
        joined: Log = np.concatenate([np.zeros(0, LOG), *self._kept]).view(LOG)
        self._kept = [joined]
        return joined

    def scores(self, n_seats: int) -> Scores:
        """Give the scores: [games, seats]."""
        out = np.zeros((len(self.states), n_seats))
        score_all(self.states, out)
        return out

    def n_over(self) -> int:
        """Count the games that have ended."""
        return int(count_over(self.states))
