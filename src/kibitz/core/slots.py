"""A batch whose slots are dealt again one by one: the kernels and the memory under lanes.

Every slot plays a game. When one ends, its scores and where its log stands are written down, and
the slot takes the next deal, in the same pass over the slots in which actions are applied. So
nothing drains, and deals are numbered in the order in which slots take them.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from kibitz.core.batch import (
    FITS,
    LIST_FULL,
    LOG_FULL,
    MAX_SEATS,
    NO_END,
    NO_TAG,
    PLAY_FORCED,
    TAG_CHOICES,
    Batch,
    Books,
    Choices,
    Floor,
    Order,
    Questions,
    advance_game,
    commit,
    deal_round,
    first_refused,
    pose,
    seat_of,
)
from kibitz.core.game import Actions, Scores, State, States, is_legal, is_over, movers, scores
from kibitz.core.kernels import inlined_kernel, inner_kernel, kernel, record_dtype
from kibitz.core.memory import LOG, Ints, Log
from kibitz.core.rng import Purpose, Rngs, absorb, key_of

Starts = npt.NDArray[np.int32]

FIRST_ROOM = 64
"""Actions of each slot that there are places for at first."""

MAX_PASSES = 128
"""Passes over all slots, before the pieces of the log that belong to a game are put together."""

ROUNDS_FULL, GAMES_FULL = 3, 4
"""There was no room for one more round or game: goes on from FITS, LOG_FULL and LIST_FULL."""


class Journal(NamedTuple):
    """The log that all slots share, written from front to back, slot by slot in every pass.

    The tag of an entry is the place of a decision among those that learners were asked in that
    pass, or NO_TAG. A full journal is never written again: games that have ended are read from it
    when somebody wants to know, those that still run are copied to the front of the next.
    """

    log: Log
    cursor: Ints  # [1] where it goes on
    n_passes: Ints  # [1]
    starts: Starts  # [MAX_PASSES, slots + 1] where each slot begins in a pass
    first_ids: Ints  # [MAX_PASSES] number of the decision at place 0


class Sheets(NamedTuple):
    """What is kept of the game in each slot, beside its state, its book and its log."""

    blank: States  # [1] a state that waits for its first deal
    keys: npt.NDArray[np.uint64]  # [2] of the streams that deals and agents draw from
    deals: Ints  # [slots] number of the deal that is played
    next_deal: Ints  # [1]
    first_pass: Ints  # [slots] in which the game began
    first_entry: Ints  # [slots] where its log begins
    totals: Scores  # [slots, rounds, seats] scores when each round was over
    marks: Ints  # [slots, rounds] how many actions there were by then


ENDED = record_dtype(
    [
        ("deal", np.int64),
        ("slot", np.int64),
        ("first_pass", np.int64),  # of the journal
        ("first_entry", np.int64),
        ("last_pass", np.int64),
        ("end_entry", np.int64),  # behind the last one
        ("n_played", np.int64),  # actions
        ("n_dealt", np.int64),  # rounds
    ]
)
"""A game that has ended, and where its log is."""


class Ended(NamedTuple):
    """Games that have ended, until they are handed out."""

    counts: Ints  # [2] of games and rounds
    games: npt.NDArray[np.record]  # [slots]
    totals: Scores  # [rounds, seats] of one game after the other
    marks: Ints  # [rounds]


class Part(NamedTuple):
    """Games that have ended and are all in one journal."""

    journal: Journal
    games: npt.NDArray[np.record]
    totals: Scores
    marks: Ints


class Answers(NamedTuple):
    """What is to be applied; without choices, games only go on."""

    choices: Choices
    actions: Actions  # by place
    n_asked: int  # places of learners, which come first
    first_id: int  # number of the first decision of a learner


class Decided(NamedTuple):
    """Columns about the decisions of learners, by game, seat and number: [decisions]."""

    ids: Ints
    games: Ints
    seats: Ints
    numbers: Ints
    rounds: Ints
    actions: Actions


@inlined_kernel
def _hand_out(floor: Floor, sheets: Sheets, ended: Ended, i: int, now: int) -> None:
    """Write down that the game in slot i is over, in pass `now`."""
    n, row = ended.counts[0], ended.counts[1]
    for r in range(floor.books[i].n_rounds):
        ended.marks[row] = sheets.marks[i, r]
        for seat in range(sheets.totals.shape[2]):
            ended.totals[row, seat] = sheets.totals[i, r, seat]
        row += 1
    game = ended.games[n]
    game.deal = sheets.deals[i]
    game.slot = i
    game.first_pass = sheets.first_pass[i]
    game.first_entry = sheets.first_entry[i]
    game.last_pass = now
    game.end_entry = floor.cursor[0]
    game.n_played = sheets.marks[i, floor.books[i].n_rounds - 1]
    game.n_dealt = floor.books[i].n_rounds
    ended.counts[0], ended.counts[1] = n + 1, row


@inlined_kernel
def _begin_next(floor: Floor, sheets: Sheets, i: int, now: int) -> None:
    """Let slot i wait for the first round of the next deal."""
    sheets.deals[i] = sheets.next_deal[0]
    sheets.next_deal[0] += 1
    _begin_game(floor, sheets, i, now)


@inlined_kernel
def _begin_game(floor: Floor, sheets: Sheets, i: int, now: int) -> None:
    """Let slot i wait for the first round of the deal that it has taken."""
    deal = sheets.deals[i]
    sheets.first_pass[i] = now
    sheets.first_entry[i] = floor.cursor[0]
    floor.states[i] = sheets.blank[0]
    book = floor.books[i]
    book.deal_key = absorb(sheets.keys[0], deal)
    book.agent_key = absorb(absorb(sheets.keys[1], deal), 0)  # rotation 0
    book.n_rounds = 0
    for seat in range(MAX_SEATS):
        book.n_decisions[seat] = 0


@inlined_kernel
def _note_round(floor: Floor, sheets: Sheets, i: int) -> bool:
    """Write down the scores after the last round in slot i; False if there is no room for them."""
    last = floor.books[i].n_rounds - 1
    if last >= sheets.marks.shape[1]:
        return False
    scores(floor.states[i], sheets.totals[i, last])
    n = 0
    for seat in range(MAX_SEATS):
        n += floor.books[i].n_decisions[seat]
    sheets.marks[i, last] = n
    return True


@inner_kernel
def _turn_over(floor: Floor, sheets: Sheets, ended: Ended, i: int, now: int) -> int:
    """Deal the next round in slot i: of the next game, if this one is over.

    A game stays where it is if there is no room among those that have ended, which can only happen
    if many ended without a choice for anybody: it is handed out after the next step.

    Returns:
        FITS, or for what there was no room.
    """
    if floor.books[i].n_rounds > 0 and not _note_round(floor, sheets, i):
        return ROUNDS_FULL
    if is_over(floor.states[i]):
        if ended.counts[0] == len(ended.games):
            return GAMES_FULL
        _hand_out(floor, sheets, ended, i, now)
        _begin_next(floor, sheets, i, now)
    deal_round(floor, i)
    return FITS


@kernel
def go_on_all(
    floor: Floor,
    starts: Starts,
    now: int,
    sheets: Sheets,
    ended: Ended,
    answers: Answers,
    next_choices: Choices,
) -> tuple[int, int, int]:
    """Apply what was answered, if the rules allow all of it; play every slot on.

    Args:
        floor: the games and the log.
        starts: of the journal.
        now: the number of this pass in the journal.
        sheets: the slots.
        ended: receives games that are over.
        answers: what to apply.
        next_choices: receives who has a choice next.

    Returns:
        The refused choice or -1, how many choices there are next, and for what there was no room.
    """
    choices, actions = answers.choices, answers.actions
    refused = first_refused(floor.states, choices, actions)
    if refused >= 0:
        return refused, 0, FITS
    k = 0
    n = 0
    missing = FITS
    for i in range(len(floor.states)):
        starts[now, i] = floor.cursor[0]
        before = n
        while k < len(choices) and choices[k].chooser_game == i:
            place = choices[k].place
            tag = place if place < answers.n_asked else NO_TAG
            commit(floor, i, seat_of(choices[k]), actions[place], tag)
            k += 1
        while missing == FITS and n == before:
            _, n, missing = advance_game(floor, i, next_choices, n, NO_END, len(choices) - k)
            if missing == FITS and n == before:
                missing = _turn_over(floor, sheets, ended, i, now)
        if missing == GAMES_FULL:
            missing = FITS
    starts[now, len(floor.states)] = floor.cursor[0]
    return -1, n, missing


@kernel
def move_logs(old: Journal, sheets: Sheets, new: Journal) -> None:
    """Copy the logs of all games into another journal, slot by slot, as if in one pass."""
    at = 0
    oldest = old.n_passes[0] - 1
    for i in range(len(sheets.deals)):
        oldest = min(oldest, sheets.first_pass[i])
    new.first_ids[0] = old.first_ids[oldest]
    for i in range(len(sheets.deals)):
        new.starts[0, i] = at
        for one in range(sheets.first_pass[i], old.n_passes[0]):
            begin = max(np.int64(old.starts[one, i]), sheets.first_entry[i])
            for j in range(begin, old.starts[one, i + 1]):
                new.log[at] = old.log[j]
                if old.log[j].game != NO_TAG:
                    new.log[at].game = old.log[j].game + old.first_ids[one] - new.first_ids[0]
                at += 1
        sheets.first_pass[i] = 0
        sheets.first_entry[i] = new.starts[0, i]
    new.starts[0, len(sheets.deals)] = at
    new.n_passes[0] = 1
    new.cursor[0] = at


@inner_kernel
def _may_play(state: State, n_seats: int, seat: int, action: int) -> bool:
    """Whether a seat is to move, and an action is legal for it."""
    if is_over(state) or not 0 <= seat < n_seats:
        return False
    return (movers(state) >> seat) & 1 == 1 and is_legal(state, seat, action)


@kernel
def replay_all(
    floor: Floor, starts: Starts, sheets: Sheets, log: Log, offsets: Ints
) -> tuple[int, int]:
    """Deal the games of all slots anew and play what their logs say, as if in one pass.

    Args:
        floor: the games and the log, which is written again.
        starts: of the journal.
        sheets: the slots, with the deal of each.
        log: what was played, slot by slot, tagged as it is to be tagged.
        offsets: where the log of each slot begins and ends.

    Returns:
        The slot whose log the rules refuse or -1, and for what there was no room.
    """
    for i in range(len(floor.states)):
        starts[0, i] = floor.cursor[0]
        _begin_game(floor, sheets, i, 0)
        deal_round(floor, i)
        for j in range(offsets[i], offsets[i + 1]):
            while not is_over(floor.states[i]) and movers(floor.states[i]) == 0:
                if not _note_round(floor, sheets, i):
                    return -1, ROUNDS_FULL
                deal_round(floor, i)
            seat, action = int(np.int64(log[j].seat)), log[j].action
            if not _may_play(floor.states[i], sheets.totals.shape[2], seat, action):
                return i, FITS
            commit(floor, i, seat, action, log[j].game)
    starts[0, len(floor.states)] = floor.cursor[0]
    return -1, FITS


@kernel
def write_asked(
    states: States,
    books: Books,
    choices: Choices,
    order: Order,
    who: Ints,
    views: States,
    rngs: Rngs,
) -> None:
    """Write slot, seat, number and round, concealed state and stream of the choices in `order`."""
    for place in range(len(order)):
        choice = choices[order[place]]
        i, seat = choice.chooser_game, seat_of(choice)
        who[0, place] = i
        who[1, place] = seat
        who[2, place] = books[i].n_decisions[seat]
        who[3, place] = books[i].n_rounds - 1
        pose(states, books, choice, views, rngs, place)


@kernel
def write_logs(part: Part, log: Log, ids: Ints) -> int:
    """Write the logs of ended games one after the other, and the numbers of their decisions.

    Returns:
        How many decisions learners made; what they did not has the number NO_TAG.
    """
    journal = part.journal
    at = n = 0
    for k in range(len(part.games)):
        game = part.games[k]
        for one in range(game.first_pass, game.last_pass + 1):
            begin = max(np.int64(journal.starts[one, game.slot]), game.first_entry)
            end = np.int64(journal.starts[one, game.slot + 1])
            if one == game.last_pass:
                end = game.end_entry
            for j in range(begin, end):
                log[at] = journal.log[j]
                log[at].game = k
                asked = journal.log[j].game != NO_TAG
                ids[at] = journal.first_ids[one] + journal.log[j].game if asked else NO_TAG
                n += asked
                at += 1
    return n


@kernel
def write_decided(part: Part, log: Log, ids: Ints, n_seats: int, out: Decided) -> None:
    """List the decisions of learners in games that have ended, by game, seat and number."""
    n = begin = row = 0
    for k in range(len(part.games)):
        end = begin + part.games[k].n_played
        for seat in range(n_seats):
            number = played = 0
            for j in range(begin, end):
                while j - begin >= part.marks[row + played]:
                    played += 1
                if log[j].seat != seat:
                    continue
                if ids[j] != NO_TAG:
                    out.ids[n] = ids[j]
                    out.games[n] = k
                    out.seats[n] = seat
                    out.numbers[n] = number
                    out.rounds[n] = played
                    out.actions[n] = log[j].action
                    n += 1
                number += 1
        begin = end
        row += part.games[k].n_dealt


class Slots(Batch):
    """Games side by side that are dealt again as they end."""

    def __init__(self, blank: States, n_seats: int, n: int, seed: int) -> None:
        """Let every slot take a deal, from number 0 on; `go_on` plays to the first choices."""
        super().__init__(blank, n_seats, keep=False, lists=True)
        self.begin(seed, np.arange(n), np.zeros(n, np.int64))
        self.duties = PLAY_FORCED | TAG_CHOICES
        self._order[:] = np.arange(len(self._order))  # until choices are sorted by agents
        self._journal = self._make_journal(n * FIRST_ROOM)
        self._sheets = Sheets(
            blank=blank,
            keys=np.array([key_of(seed, Purpose.DEAL), key_of(seed, Purpose.AGENT)], np.uint64),
            deals=np.arange(n),
            next_deal=np.array([n]),
            first_pass=np.zeros(n, np.int64),
            first_entry=np.zeros(n, np.int64),
            totals=np.zeros((n, 1, n_seats)),
            marks=np.zeros((n, 1), np.int64),
        )
        self._ended = self._make_ended()
        self._parts: list[Part] = []

    @property
    def deals(self) -> Ints:
        """The number of the deal in each slot."""
        return self._sheets.deals

    def _make_journal(self, size: int) -> Journal:
        """Begin a journal with places for so many actions."""
        return Journal(
            log=np.empty(size, LOG),
            cursor=np.zeros(1, np.int64),
            n_passes=np.zeros(1, np.int64),
            starts=np.empty((MAX_PASSES, len(self.states) + 1), np.int32),
            first_ids=np.zeros(MAX_PASSES, np.int64),
        )

    def _make_ended(self) -> Ended:
        """Make room for as many games as there are slots."""
        n, rounds = self._sheets.marks.shape
        totals, marks = np.empty((n * rounds, self.n_seats)), np.empty(n * rounds, np.int64)
        return Ended(np.zeros(2, np.int64), np.zeros(n, ENDED), totals, marks)

    def everybody(self) -> Questions:
        """List everybody who has a choice, in the order of slots, as questions to one agent."""
        return Questions(self._choices[: self._n_choices], [0, self._n_choices])

    def go_on(self, questions: Questions | None, actions: Actions, first_id: int = 0) -> int:
        """Apply what was answered and play every slot on until somebody has a real choice.

        Args:
            questions: who is answered for, agent 0 being the learners; None at the beginning.
            actions: in the order of the views.
            first_id: number of the first decision of a learner.

        Returns:
            -1, or the index of the first choice that is refused: nothing was applied then.
        """
        choices, n_asked = self._choices[:0], 0
        if questions is not None:
            choices, n_asked = questions.choices, questions.bounds[1]
        refused, n, missing = self._pass(Answers(choices, actions, n_asked, first_id))
        if refused >= 0:
            return refused
        while missing != FITS:
            self._make_room(missing)
            _, n, missing = self._pass(Answers(choices[:0], actions, 0, first_id))
        self._choices, self._next_choices = self._next_choices, self._choices
        self._n_choices = n
        return -1

    def _pass(self, answers: Answers) -> tuple[int, int, int]:
        """Go over all slots once; see the kernel."""
        journal = self._journal
        is_full = journal.cursor[0] + len(answers.choices) + MAX_SEATS > len(journal.log)
        if is_full or journal.n_passes[0] == MAX_PASSES:
            self._move_logs()
            journal = self._journal
        now = int(journal.n_passes[0])
        journal.first_ids[now] = answers.first_id
        floor = self._on(journal.log, journal.cursor)
        more = self._sheets, self._ended, answers, self._next_choices
        refused, n, missing = map(int, go_on_all(floor, journal.starts, now, *more))
        journal.n_passes[0] += refused < 0
        return refused, n, missing

    def _make_room(self, missing: int) -> None:
        """Make more room for what had none."""
        if missing == LIST_FULL:
            self._lengthen_list()
        elif missing == LOG_FULL:
            self._move_logs()
        else:
            self._close()
            totals, marks = _widened(self._sheets.totals), _widened(self._sheets.marks)
            self._sheets = self._sheets._replace(totals=totals, marks=marks)
            self._ended = self._make_ended()

    def _move_logs(self) -> None:
        """Begin another journal, with what belongs to running games and three times that free."""
        self._close()
        living = int(self.books["n_decisions"].sum())
        room = 4 * (living + len(self._choices) + MAX_SEATS)
        journal = self._make_journal(max(room, len(self._journal.log)))
        move_logs(self._journal, self._sheets, journal)
        self._journal = journal

    def _close(self) -> None:
        """Put away what has ended."""
        n, rounds = self._ended.counts.tolist()
        if n:
            games = self._ended.games[:n].view(np.uint8).copy().view(ENDED)
            totals, marks = self._ended.totals[:rounds].copy(), self._ended.marks[:rounds].copy()
            self._parts.append(Part(self._journal, games, totals, marks))
            self._ended.counts[:] = 0

    def take_ended(self) -> list[Part]:
        """Return what has ended since the last time."""
        self._close()
        parts, self._parts = self._parts, []
        return parts

    def running(self) -> tuple[Log, Ints, Ints]:
        """Return the log of all games that run, what they decided, and where each begins and ends.

        The second are the numbers of learners' decisions, NO_TAG beside what others did. Whatever
        has ended must have been taken.
        """
        self._move_logs()
        journal = self._journal
        log = journal.log[: journal.cursor[0]]
        tags = log["game"].astype(np.int64)
        ids = np.where(tags == NO_TAG, NO_TAG, tags + journal.first_ids[0])
        return log, ids, journal.starts[0].astype(np.int64)

    def resume(self, deals: Ints, next_deal: int, log: Log, ids: Ints, offsets: Ints) -> int:
        """Go on from what `running` returned: games are dealt and played again.

        Args:
            deals: the number of the deal in each slot.
            next_deal: the number of the next one.
            log: of all games, slot by slot.
            ids: the numbers of learners' decisions in it, which are near each other, or NO_TAG.
            offsets: where the log of each slot begins and ends.

        Returns:
            -1, or the first slot whose log the rules refuse: the slots are of no use then.
        """
        is_asked = ids != NO_TAG
        first = int(ids[is_asked].min(initial=np.iinfo(np.int64).max)) if is_asked.any() else 0
        tagged = log.view(np.uint8).copy().view(LOG)
        tagged["game"] = np.where(is_asked, ids - first, NO_TAG)
        self._sheets.deals[:] = deals
        self._sheets.next_deal[0] = next_deal
        refused, missing = -1, ROUNDS_FULL
        while missing != FITS:
            self._journal = journal = self._make_journal(len(log) + len(self.states) * FIRST_ROOM)
            journal.first_ids[0] = first
            floor = self._on(journal.log, journal.cursor)
            found = replay_all(floor, journal.starts, self._sheets, tagged, offsets)
            refused, missing = map(int, found)
            if missing != FITS:
                self._make_room(missing)
        self._journal.n_passes[0] = 1
        return refused

    def write_asked(self, questions: Questions, who: Ints, views: States, rngs: Rngs) -> None:
        """Write what learners are asked; see the kernel."""
        order, choices = self._places(questions, 0), questions.choices
        write_asked(self.states, self.books, choices, order, who, views, rngs)


def _widened(rows: Any) -> Any:
    """Return an array with twice as many columns, the new ones zero."""
    wide = np.zeros((rows.shape[0], 2 * rows.shape[1], *rows.shape[2:]), rows.dtype)
    wide[:, : rows.shape[1]] = rows
    return wide
