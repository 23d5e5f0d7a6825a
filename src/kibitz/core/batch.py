"""Many games of one kind, advanced together: the kernels under every table and every match.

A game goes round in three steps. `settle` deals rounds and plays decisions that are none, until
somebody has a real choice. `ask` lists everybody who has one, and `show` takes the views of one
agent after the other, before anything is applied. `answer` checks the actions and applies them,
`answer_and_settle` also does the first step of the next round.
Who is forced waits until the others have chosen, so nobody learns from the order of events who had
a choice.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kibitz.core.game import (
    Actions,
    Legal,
    Scores,
    States,
    apply,
    choose,
    conceal,
    deal,
    is_legal,
    is_over,
    legal,
    max_legal,
    movers,
    scores,
)
from kibitz.core.kernels import inlined_kernel, inner_kernel, kernel, record_dtype
from kibitz.core.memory import Asked, Ints, Log, Pages, Room, alone
from kibitz.core.rng import RNG, Purpose, Rngs, absorb, key_of, start

MAX_SEATS = 16

NO_END = 1 << 62
"""More changes than a game can have."""

MIN_PAGE = 64
"""Entries on the first page of a log."""

MAX_ASKED = 16_384
"""Views that an agent is handed at once: more would only take memory."""

STEPS_ON_PAGE = 4
"""Steps of a batch, with a choice for every seat, that later pages of a log have places for."""

BOOK = record_dtype(
    [
        ("deal_key", np.uint64),  # hash of (seed, DEAL, deal); a round's stream adds its number
        ("agent_key", np.uint64),  # hash of (seed, AGENT, deal, rotation)
        ("n_rounds", np.int64),  # rounds dealt so far
        ("n_decisions", np.int32, (MAX_SEATS,)),  # of each seat, forced ones included
    ]
)
"""What the driver keeps of a game beside its state."""

CHOICE = record_dtype(
    [
        ("chooser_game", np.int32),
        ("chooser_seat", np.int32),
        ("chooser_agent", np.int32),
        ("place", np.int32),  # among all questions, when agents are asked one after the other
    ]
)
"""One real choice that somebody has."""

Books = npt.NDArray[np.record]
Choices = npt.NDArray[np.record]
Order = npt.NDArray[np.int32]

DEAL_ROUNDS = 1
PLAY_FORCED = 2
TAG_CHOICES = 4
"""Duties of `settle`, as bits: replaying a record does none of them behind the record's back.

Whoever tags choices in the log writes NO_TAG beside what is forced, and not the game.
"""

NO_TAG = -1

FITS, LOG_FULL, LIST_FULL = 0, 1, 2
"""Whether there was room for everything, and if not, for what."""


@kernel
def write_keys(
    books: Books, deal_key: np.uint64, agent_key: np.uint64, deals: Ints, rotations: Ints
) -> None:
    """Derive the keys of every game's streams from the keys of their purposes."""
    for i in range(len(books)):
        books[i].deal_key = absorb(deal_key, deals[i])
        books[i].agent_key = absorb(absorb(agent_key, deals[i]), rotations[i])


class Floor(NamedTuple):
    """What kernels that make games go on work on: the games, the log, and scratch."""

    states: States
    books: Books
    log: Log
    cursor: Ints  # [1] where the log goes on
    listed: Actions  # legal actions: those of all choices one after the other, or scratch
    offsets: Ints  # [choices + 1] where those of each begin and end; empty: they are not kept
    rngs: Rngs  # scratch: [1] the stream of a deal
    duties: int  # see DEAL_ROUNDS


@inlined_kernel
def commit(floor: Floor, i: int, seat: int, action: int, tag: int) -> None:
    """Apply an action and write it down, under the number of its game or another tag.

    An empty log keeps nothing.
    """
    apply(floor.states[i], seat, action)
    floor.books[i].n_decisions[seat] += 1
    if len(floor.log) > 0:
        entry = floor.log[floor.cursor[0]]
        entry.game = tag
        entry.seat = seat
        entry.action = action
        floor.cursor[0] += 1


@inner_kernel
def seat_of(choice: np.record) -> int:
    """Return the seat of a choice in the type of integer that rules and policies expect."""
    return int(np.int64(choice.chooser_seat))


@inlined_kernel
def _list_choosers(floor: Floor, i: int, waiting: int, choices: Choices, n: int) -> int:
    """List the seats that have a real choice in game i behind the first n; count them all."""
    seat = 0
    begin = floor.offsets[n] if len(floor.offsets) > 0 else 0
    while waiting:
        if waiting & 1:
            n_legal = legal(floor.states[i], seat, floor.listed[begin:])
            if n_legal > 1:
                choices[n].chooser_game = i
                choices[n].chooser_seat = seat
                choices[n].place = n  # unless they are sorted by agents
                n += 1
                if len(floor.offsets) > 0:
                    begin += n_legal
                    floor.offsets[n] = begin
        waiting >>= 1
        seat += 1
    return n


@inlined_kernel
def deal_round(floor: Floor, i: int) -> None:
    """Deal the next round of game i."""
    book = floor.books[i]
    start(floor.rngs[0], absorb(book.deal_key, book.n_rounds))
    deal(floor.states[i], floor.rngs[0])
    book.n_rounds += 1


@inlined_kernel
def _play_forced(floor: Floor, i: int, waiting: int, begin: int) -> None:
    """Play a turn of game i in which everybody is forced; list behind the first `begin`."""
    seat = 0
    while waiting:
        if waiting & 1:
            legal(floor.states[i], seat, floor.listed[begin:])
            commit(floor, i, seat, floor.listed[begin], NO_TAG if floor.duties & TAG_CHOICES else i)
        waiting >>= 1
        seat += 1


@inlined_kernel
def advance_game(
    floor: Floor, i: int, choices: Choices, n: int, most: int, reserved: int
) -> tuple[int, int, int]:
    """Make at most so many changes in game i, until somebody has a real choice; list who.

    The last `reserved` places of the log are left alone.

    Returns:
        How many changes there were, how many choices are listed now, and for what there was no
        room: see FITS.
    """
    begin = 0
    if len(floor.offsets) > 0:
        begin = floor.offsets[n]
        if len(floor.listed) - begin < MAX_SEATS * max_legal(floor.states[i]):
            return 0, n, LIST_FULL
    changes = 0
    state = floor.states[i]
    while not is_over(state):
        waiting = movers(state)
        if waiting == 0:
            if not floor.duties & DEAL_ROUNDS:
                break
        else:
            before = n
            n = _list_choosers(floor, i, waiting, choices, n)
            if n > before or not floor.duties & PLAY_FORCED:
                break
        if changes == most:
            break
        if 0 < len(floor.log) < floor.cursor[0] + MAX_SEATS + reserved:
            return changes, n, LOG_FULL
        if waiting == 0:
            deal_round(floor, i)
        else:
            _play_forced(floor, i, waiting, begin)
        changes += 1
    return changes, n, FITS


@kernel
def advance(floor: Floor, choices: Choices, most: int) -> tuple[int, int, int]:
    """List everybody with a real choice, by game and seat; where nobody has one, make changes.

    A change is a deal, or a turn in which everybody is forced: at most so many in every game.

    Returns:
        How many changes there were, how many choices, and for what there was no room: see FITS.
    """
    changes = 0
    n = 0
    for i in range(len(floor.states)):
        more, n, missing = advance_game(floor, i, choices, n, most, 0)
        changes += more
        if missing != FITS:
            return changes, n, missing
    return changes, n, FITS


@kernel
def conceal_all(states: States, games: Ints, seats: Ints, views: States) -> None:
    """Write the views that seats have of games."""
    for k in range(len(games)):
        views[k] = states[games[k]]
        conceal(views[k], seats[k])


@kernel
def sort_choices(
    choices: Choices, lineup: npt.NDArray[np.int64], order: Order, bounds: Ints
) -> None:
    """Assign every choice a place: agent a is asked about places bounds[a] to bounds[a + 1].

    `order` tells which choice is at a place.
    """
    bounds[:] = 0
    for k in range(len(choices)):
        agent = lineup[choices[k].chooser_game, choices[k].chooser_seat]
        choices[k].chooser_agent = agent
        choices[k].place = bounds[agent + 1]  # so far among those of its agent
        bounds[agent + 1] += 1
    for a in range(1, len(bounds)):
        bounds[a] += bounds[a - 1]
    for k in range(len(choices)):
        choices[k].place += bounds[choices[k].chooser_agent]
        order[choices[k].place] = k


@kernel
def gather_legal(
    listed: Actions, offsets: Ints, order: Order, actions: Actions, new_offsets: Ints
) -> None:
    """Copy what was listed for some choices, one after the other; `new_offsets` is written too."""
    n = 0
    new_offsets[0] = 0
    for place in range(len(order)):
        k = order[place]
        for j in range(offsets[k], offsets[k + 1]):
            actions[n] = listed[j]
            n += 1
        new_offsets[place + 1] = n


@inlined_kernel
def pose(
    states: States, books: Books, choice: np.record, views: States, rngs: Rngs, place: int
) -> None:
    """Write what whoever has a choice may know: the concealed state, and a stream of its own."""
    i, seat = choice.chooser_game, seat_of(choice)
    views[place] = states[i]
    conceal(views[place], seat)
    key = absorb(absorb(books[i].agent_key, seat), books[i].n_decisions[seat])
    start(rngs[place], key)


@kernel
def write_questions(
    states: States,
    books: Books,
    choices: Choices,
    order: Order,
    begin: int,
    who: Ints,
    views: States,
    rngs: Rngs,
) -> None:
    """Write game and seat, concealed state and random stream of the choices listed in `order`.

    The ids of games count up from `begin`.
    """
    for place in range(len(order)):
        choice = choices[order[place]]
        who[0, place] = begin + choice.chooser_game
        who[1, place] = choice.chooser_seat
        pose(states, books, choice, views, rngs, place)


@kernel
def choose_together(
    states: States,
    books: Books,
    choices: Choices,
    is_asked: npt.NDArray[np.bool_],
    policy: np.record,
    view: States,
    rngs: Rngs,
    actions: Actions,
) -> None:
    """Write what `policy` does in all choices of the agents that are asked, game after game.

    A game is looked at once for all its seats, while it is near the processor. `view` and `rngs`
    are scratch for one.
    """
    for k in range(len(choices)):
        choice = choices[k]
        if is_asked[choice.chooser_agent]:
            pose(states, books, choice, view, rngs, 0)
            actions[choice.place] = choose(view[0], seat_of(choice), policy, rngs[0])


@inlined_kernel
def first_refused(states: States, choices: Choices, actions: Actions) -> int:
    """Return the index of the first choice whose action the rules do not allow, or -1."""
    for k in range(len(choices)):
        state = states[choices[k].chooser_game]
        if not is_legal(state, seat_of(choices[k]), actions[choices[k].place]):
            return k
    return -1


@kernel
def answer_all(floor: Floor, choices: Choices, actions: Actions) -> int:
    """Apply the actions, by game and seat, if the rules allow all of them.

    Returns:
        -1, or the index of the first choice that is refused: nothing was applied then.
    """
    refused = first_refused(floor.states, choices, actions)
    if refused < 0:
        for k in range(len(choices)):
            choice = choices[k]
            i = choice.chooser_game
            commit(floor, i, seat_of(choice), actions[choice.place], i)
    return refused


@kernel
def answer_and_advance(
    floor: Floor, choices: Choices, actions: Actions, next_choices: Choices
) -> tuple[int, int, int]:
    """Do what `answer_all` does, and then in each game what `advance` does, without end.

    A game is looked at once, while it is near the processor.

    Returns:
        The refused choice or -1, how many choices there are next, and for what there was no room.
    """
    refused = first_refused(floor.states, choices, actions)
    if refused >= 0:
        return refused, 0, FITS
    k = 0
    n = 0
    missing = FITS
    for i in range(len(floor.states)):
        while k < len(choices) and choices[k].chooser_game == i:
            commit(floor, i, seat_of(choices[k]), actions[choices[k].place], i)
            k += 1
        if missing == FITS:
            _, n, missing = advance_game(floor, i, next_choices, n, NO_END, len(choices) - k)
    return -1, n, missing


@kernel
def score_all(states: States, out: npt.NDArray[np.float64]) -> None:
    """Write the scores of every game: [games, seats]."""
    for i in range(len(states)):
        scores(states[i], out[i])


@dataclass(frozen=True)
class Questions:
    """Everybody who has a real choice."""

    choices: Choices  # by game and seat
    bounds: list[int]  # agent a answers the places bounds[a] to bounds[a + 1]


class Batch:
    """Games of one kind, played side by side.

    One batch may play many games after each other, in the same memory: fresh pages cost more than
    what is written to them.
    """

    def __init__(self, blank: States, n_seats: int, keep: bool, lists: bool = False) -> None:
        """Make room for games.

        Args:
            blank: one state that waits for its first deal.
            n_seats: how many sit at a table.
            keep: whether to keep the log of all actions.
            lists: whether to keep what everybody who has a choice may do, for `legal`.
        """
        self.n_seats = n_seats
        self._lists = lists
        self.duties = DEAL_ROUNDS | PLAY_FORCED
        self._blank = blank.view(np.uint8)
        self._most = int(max_legal(blank[0]))
        self._listed: Actions = alone(np.dtype(np.int64), self._most)
        self._view: States = alone(blank.dtype)
        self._rngs: Rngs = alone(RNG)
        self._make(0, blank.dtype)
        self._pages = Pages(MIN_PAGE if keep else 0)
        self._rooms: dict[int, Room] = {}

    def _make(self, n: int, dtype: np.dtype[np.record]) -> None:
        self._all_states: States = np.zeros(n, dtype)
        self._all_books: Books = np.zeros(n, BOOK)
        self._choices: Choices = np.zeros(n * self.n_seats, CHOICE)
        self._next_choices: Choices = np.zeros(n * self.n_seats, CHOICE)
        self._order = np.zeros(n * self.n_seats, np.int32)
        self._offsets = np.zeros(n * self.n_seats + 1 if self._lists else 0, np.int64)
        self._n_choices = 0

    def begin(self, seed: int, deals: Ints, rotations: Ints) -> None:
        """Begin new games, which wait for their first deal.

        Args:
            seed: what all random streams derive from.
            deals: number of the deal, per game; equal deals get equal cards.
            rotations: number of the rotation, per game; agents draw differently in each.
        """
        n = len(deals)
        if len(self._all_states) < n:
            self._make(n, self._all_states.dtype)
        self.states, self.books = self._all_states[:n], self._all_books[:n]
        self.states.view(np.uint8).reshape(n, -1)[:] = self._blank
        self.books.view(np.uint8)[:] = 0
        deal_key, agent_key = key_of(seed, Purpose.DEAL), key_of(seed, Purpose.AGENT)
        write_keys(self.books, deal_key, agent_key, deals, rotations)
        self._pages.clear()

    def settle(self) -> None:
        """Play on until everybody left has a real choice."""
        while self._advance(NO_END)[1] != FITS:
            pass

    def settle_once(self) -> int:
        """Make at most one change in every game; return how many changed."""
        changes, missing = self._advance(1)
        while missing == LIST_FULL:
            more, missing = self._advance(1)
            changes += more
        return changes

    def _advance(self, most: int) -> tuple[int, int]:
        """Make at most so many changes in every game; return how many, and what had no room."""
        floor = self._floor(self._room_to_advance())
        changes, self._n_choices, missing = advance(floor, self._choices, most)
        if missing == LIST_FULL:
            self._lengthen_list()
        return int(changes), int(missing)

    def _lengthen_list(self) -> None:
        """Make room for more legal actions; the choices are listed anew in it."""
        self._listed = alone(np.dtype(np.int64), 2 * len(self._listed) + MAX_SEATS * self._most)

    def _room_to_advance(self) -> int:
        """Return how many places of the log one change in every game needs.

        Before each change there must be some for any table.
        """
        return self.n_seats * len(self.states) + MAX_SEATS

    def _floor(self, n_places: int) -> Floor:
        """Return what kernels work on, with so many places in the log."""
        pages = self._pages
        pages.make_room(n_places, STEPS_ON_PAGE * self.n_seats * len(self.states) + MAX_SEATS)
        return self._on(pages.page, pages.cursor)

    def _on(self, log: Log, cursor: Ints) -> Floor:
        """Return what kernels work on, with this log."""
        lists = self._listed, self._offsets
        return Floor(self.states, self.books, log, cursor, *lists, self._rngs, self.duties)

    def ask(self, lineup: npt.NDArray[np.int64], n_agents: int) -> Questions:
        """List everybody who has a choice, once all games are settled.

        Args:
            lineup: the agent at each seat of each game: [games, seats].
            n_agents: agents are numbered below this.
        """
        choices = self._choices[: self._n_choices]
        bounds = np.zeros(n_agents + 1, np.int64)
        sort_choices(choices, lineup, self._order, bounds)
        return Questions(choices, bounds.tolist())

    def show(self, questions: Questions, agent: int, begin: int = 0) -> Iterator[Asked]:
        """Take the views of one agent, some after the others, while nothing has been applied.

        Just before it looks at them, they are still near the processor when it does. The ids of
        games count up from `begin`.
        """
        places = self._places(questions, agent)
        for first in range(0, len(places), MAX_ASKED):
            yield self._show(questions, agent, places[first : first + MAX_ASKED], begin)

    def _show(self, questions: Questions, agent: int, order: Order, begin: int) -> Asked:
        """Take the views of the choices listed in `order`."""
        room = self._rooms.get(agent)
        if room is None:
            room = self._rooms[agent] = Room(self.states.dtype)
        asked = room.asked(len(order))
        write_questions(
            self.states,
            self.books,
            questions.choices,
            order,
            begin,
            room.who,
            asked.views,
            asked.rngs,
        )
        return asked

    def choose(
        self, questions: Questions, agents: Sequence[int], policy: np.record, actions: Actions
    ) -> None:
        """Decide for some agents by the policy they share, as it would in the views of `show`.

        Views are written one after the other into the same memory, which stays near the processor.
        """
        is_asked = np.zeros(len(questions.bounds), np.bool_)
        is_asked[agents] = True
        scratch = self._view, self._rngs
        choices = questions.choices
        choose_together(self.states, self.books, choices, is_asked, policy, *scratch, actions)

    def legal(self, questions: Questions, agent: int) -> Legal:
        """Return what one agent may do in each of its choices, as listed when games were settled.

        The choices are in the order in which it is asked. The batch must keep lists.
        """
        order = self._places(questions, agent)
        if len(order) == len(questions.choices):  # in the order in which they were listed
            n = self._offsets[len(order)]
            return Legal(self._listed[:n].copy(), self._offsets[: len(order) + 1].copy())
        offsets = np.zeros(len(order) + 1, np.int64)
        actions = np.empty(int((self._offsets[order + 1] - self._offsets[order]).sum()), np.int64)
        gather_legal(self._listed, self._offsets, order, actions, offsets)
        return Legal(actions, offsets)

    def _places(self, questions: Questions, agent: int) -> Order:
        """Return the choices of one agent, in the order in which it is asked."""
        return self._order[questions.bounds[agent] : questions.bounds[agent + 1]]

    def answer(self, questions: Questions, actions: Actions) -> int:
        """Apply `actions` (in the order of the views) if all are legal.

        Returns:
            -1, or the index of the first choice that is refused: nothing was applied then.
        """
        return self._answer(questions.choices, actions)

    def answer_and_settle(self, questions: Questions, actions: Actions) -> int:
        """Do what `answer` does, and play on until everybody left has a real choice.

        The memory of `questions` is used again, not for the next questions but for those after.
        """
        choices = questions.choices
        # More is not needed: games that find no room for what is forced go on in `settle`.
        floor = self._floor(len(choices) + MAX_SEATS)
        after = answer_and_advance(floor, choices, actions, self._next_choices)
        refused, n_choices, missing = after
        if refused < 0:
            self._choices, self._next_choices = self._next_choices, self._choices
            self._n_choices = n_choices
            if missing != FITS:
                self.settle()
        return int(refused)

    def commit(self, seat: int, action: int) -> None:
        """Apply an action that is known to be legal, in the first game."""
        choices: Choices = np.zeros(1, CHOICE)
        choices[0].chooser_seat = seat
        self._answer(choices, np.array([action]))

    def _answer(self, choices: Choices, actions: Actions) -> int:
        return int(answer_all(self._floor(len(choices)), choices, actions))

    def log(self) -> Log:
        """Return all actions so far, in the order they were committed."""
        return self._pages.read()

    def scores(self) -> Scores:
        """Return the scores: [games, seats]."""
        out = np.zeros((len(self.states), self.n_seats))
        score_all(self.states, out)
        return out
