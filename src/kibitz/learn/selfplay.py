"""Whole games inside one kernel: networks play, bots sit beside them, and decisions are noted.

A game is dealt, played and scored without leaving compiled code, so nothing waits for Python or for
other games; several threads play at once. Every decision of a learner is noted: what it saw and all
it could choose, as sparse rows (`bags`), what it chose and how probable that was. A game depends on
the key, the number of its deal and who plays, and on nothing else.

One call seats learners, one kind of bot and one older network; the seats of each game say who is
who. Bots are compiled policies, their records pick the kernel.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kibitz.core.bits import lowest
from kibitz.core.decisions import NO_ACTION
from kibitz.core.exploring import urge
from kibitz.core.game import (
    Action,
    Actions,
    Seat,
    State,
    States,
    action_index,
    apply,
    choose,
    conceal,
    deal,
    describe,
    is_over,
    legal,
    movers,
    observe,
    observe_action,
    scores,
)
from kibitz.core.kernels import inlined_kernel, inner_kernel, kernel, record_dtype
from kibitz.core.rng import Rngs, absorb, below, start, unit
from kibitz.learn.bags import Bag
from kibitz.search.mlp import Floats, forward, forward_from, keep_view

Ints = npt.NDArray[np.int64]

LEARNS, BOT, OLDER, TEACHER = 0, 1, 2, 3
"""Who sits somewhere: the network that learns, a bot, an older network, a bot that is noted."""

TALLY = (16, 64)
"""What learners do is counted by two numbers that describe it (`describe`), below these."""

HOW = record_dtype(
    [
        ("by_candidates", np.int64),  # a row for each legal action, not an output for each index
        ("n_view_features", np.int64),
        ("n_action_features", np.int64),
        ("n_known", np.int64),  # features of the oracle that the view has anyway
        ("n_hidden", np.int64),  # those that it adds; 0: critics see the view
        ("noise", np.float64),  # share of random actions of teachers; also tried by learners
        ("greedy_share", np.float64),  # share of decisions that play the best instead of a draw
        ("heat", np.float64),  # temperature of draws
    ]
)


class Player(NamedTuple):
    """A network that plays."""

    network: np.record
    weights: Floats


class Cast(NamedTuple):
    """Who may sit at the tables."""

    learner: Player
    older: Player
    bot: np.record  # a policy
    explorer: np.record
    answers: np.record  # an explorer, too: it decides in place of networks wherever it says so


class Eyes(NamedTuple):
    """What is seen: by players, and by critics."""

    encoding: np.record
    oracle: np.record


class Task(NamedTuple):
    """Games to be played."""

    blank: States  # [1]
    keys: npt.NDArray[np.uint64]  # [2] of cards, and of decisions
    deals: Ints  # [games]
    seated: Ints  # [games, seats]
    kinds: Ints  # [games] of the opponents, which critics are told


class Desk(NamedTuple):
    """Scratch of one thread."""

    states: States  # [2] the game, and what a seat sees of it
    listed: Actions
    logits: npt.NDArray[np.float64]
    counts: Ints  # [indices] zeros
    rngs: Rngs  # [2]
    scratch: Floats  # of networks
    features: Floats  # of an oracle
    points: npt.NDArray[np.float64]  # [seats]
    tally: Ints  # [TALLY] of this game


class Notes(NamedTuple):
    """What has been noted: games, decisions and candidates, one after the other."""

    counts: Ints  # [3] of games, decisions and candidates
    tally: Ints  # [TALLY] what learners did, forced actions included
    scores: npt.NDArray[np.float64]  # [games, seats]
    kinds: Ints  # [games] of the opponents
    views: Bag  # [decisions]
    truths: Bag  # [decisions] what critics see beyond the view
    candidates: Bag  # [candidates]
    first: Ints  # [decisions + 1] where the candidates of each begin
    indices: npt.NDArray[np.int32]  # [candidates] of actions under the encoding
    shifts: Floats  # [candidates] -log of how many share the index, if outputs are by index
    chosen: Ints  # [decisions] place among the candidates
    log_probs: Floats  # [decisions] of what was chosen
    games: Ints  # [decisions]
    seats: Ints  # [decisions]
    forced: npt.NDArray[np.bool_]  # [decisions] whether it was tried on purpose
    running: npt.NDArray[np.float64]  # [decisions] score of the seat so far


class Hall(NamedTuple):
    """All that a thread plays with."""

    task: Task
    cast: Cast
    eyes: Eyes
    desk: Desk
    notes: Notes


@inlined_kernel
def _note_row(bag: Bag, row: int, features: Floats, shift: int) -> None:
    """Add numbers that are not zero to a row of a bag, which grows; `shift` is the first place."""
    at = bag.ends[row + 1]
    for k in range(len(features)):
        if features[k] != 0:
            bag.places[at] = k + shift
            bag.numbers[at] = features[k]
            at += 1
    bag.ends[row + 1] = at


@inner_kernel
def _has_room(notes: Notes, how: np.record, n: int) -> bool:
    """Whether a decision with so many candidates can be noted."""
    row, one = notes.counts[1], notes.counts[2]
    fits = row < len(notes.chosen) and one + n <= len(notes.shifts)
    if not fits:
        return False
    fits = notes.views.ends[row] + how.n_view_features <= len(notes.views.places)
    fits = fits and notes.truths.ends[row] + how.n_hidden + 1 <= len(notes.truths.places)
    rows = notes.candidates.ends[one] + n * how.n_action_features
    return fits and rows <= len(notes.candidates.places)


@inner_kernel
def _consider(hall: Hall, how: np.record, player: Player, seat: Seat, n: int, noted: bool) -> None:
    """Write what a network says of the listed actions to `logits`; note what it saw."""
    desk, notes, encoding = hall.desk, hall.notes, hall.eyes.encoding
    view, row, one = desk.states[1], notes.counts[1], notes.counts[2]
    n_view, n_action = how.n_view_features, how.n_action_features
    observe(view, seat, encoding, desk.scratch[:n_view])
    if noted:
        notes.views.ends[row + 1] = notes.views.ends[row]
        _note_row(notes.views, row, desk.scratch[:n_view], 0)
    if how.by_candidates:
        keep_view(player.network, player.weights, desk.scratch, n_view)
        for i in range(n):
            observe_action(view, seat, desk.listed[i], encoding, desk.scratch[:n_action])
            if noted:
                notes.candidates.ends[one + i + 1] = notes.candidates.ends[one + i]
                _note_row(notes.candidates, one + i, desk.scratch[:n_action], n_view)
                notes.shifts[one + i] = 0
            at = forward_from(player.network, player.weights, desk.scratch, n_view)
            desk.logits[i] = desk.scratch[at]
        return
    at = forward(player.network, player.weights, desk.scratch)
    for i in range(n):
        desk.counts[action_index(view, seat, desk.listed[i], encoding)] += 1
    for i in range(n):
        index = action_index(view, seat, desk.listed[i], encoding)
        shift = -math.log(desk.counts[index])
        desk.logits[i] = desk.scratch[at + index] + shift
        if noted:
            notes.candidates.ends[one + i + 1] = notes.candidates.ends[one + i]
            notes.indices[one + i] = index
            notes.shifts[one + i] = shift
    for i in range(n):
        desk.counts[action_index(view, seat, desk.listed[i], encoding)] = 0


@inner_kernel
def _draw(hall: Hall, how: np.record, n: int) -> int:
    """Draw the place of an action by the softmax of `logits`, which become log-probabilities."""
    logits, rng = hall.desk.logits, hall.desk.rngs[1]
    best = 0
    for i in range(1, n):
        if logits[i] > logits[best]:
            best = i
    highest, total = logits[best], 0.0
    for i in range(n):
        logits[i] = (logits[i] - highest) / how.heat
        total += math.exp(logits[i])
    drawn = unit(rng) * total
    place, upto = -1, 0.0
    for i in range(n):
        upto += math.exp(logits[i])
        if place < 0 and drawn < upto:
            place = i
    for i in range(n):
        logits[i] -= math.log(total)
    if how.greedy_share > 0 and unit(rng) < how.greedy_share:
        return best
    return place if place >= 0 else best


@inner_kernel
def _place_of(hall: Hall, seat: Seat, n: int, action: Action) -> int:
    """Return the place of an action among the listed ones, or of one that has its index; or -1."""
    desk, encoding = hall.desk, hall.eyes.encoding
    for i in range(n):
        if desk.listed[i] == action:
            return i
    wanted = action_index(desk.states[1], seat, action, encoding)
    for i in range(n):
        if action_index(desk.states[1], seat, desk.listed[i], encoding) == wanted:
            return i
    return -1


@inner_kernel
def _note_choice(
    hall: Hall, how: np.record, game: int, seat: Seat, place: int, is_forced: bool
) -> None:
    """Note what was chosen by the log-probabilities in `logits`, and what critics see."""
    desk, notes = hall.desk, hall.notes
    row = notes.counts[1]
    notes.truths.ends[row + 1] = notes.truths.ends[row]
    if how.n_hidden > 0:
        observe(desk.states[0], seat, hall.eyes.oracle, desk.features)
        known = how.n_known
        _note_row(notes.truths, row, desk.features[known:], how.n_view_features)
        at = notes.truths.ends[row + 1]
        notes.truths.places[at] = how.n_view_features + how.n_hidden + hall.task.kinds[game]
        notes.truths.numbers[at] = 1
        notes.truths.ends[row + 1] = at + 1
    scores(desk.states[1], desk.points)
    notes.running[row] = desk.points[seat]
    notes.chosen[row] = place
    notes.log_probs[row] = desk.logits[place]
    notes.games[row] = notes.counts[0]
    notes.seats[row] = seat
    notes.forced[row] = is_forced


@inner_kernel
def _finish_choice(notes: Notes, n: int) -> None:
    """Let a decision with so many candidates count."""
    notes.counts[1] += 1
    notes.counts[2] += n
    notes.first[notes.counts[1]] = notes.counts[2]


@inner_kernel
def _learner_acts(hall: Hall, how: np.record, game: int, seat: Seat, n: int) -> Action:
    """Let the network that learns choose, or try something on purpose."""
    desk = hall.desk
    _consider(hall, how, hall.cast.learner, seat, n, True)
    place = _draw(hall, how, n)
    tried = urge(desk.states[1], seat, hall.cast.explorer, desk.rngs[1])
    is_forced = False
    if tried != NO_ACTION:
        found = _place_of(hall, seat, n, tried)
        if found >= 0:
            place, is_forced = found, True
    elif how.noise > 0 and unit(desk.rngs[1]) < how.noise:
        place, is_forced = below(desk.rngs[1], n), True
    _note_choice(hall, how, game, seat, place, is_forced)
    _finish_choice(hall.notes, n)
    return desk.listed[place]


@inner_kernel
def _teacher_acts(hall: Hall, how: np.record, game: int, seat: Seat, n: int) -> Action:
    """Note what a bot chooses; now and then something else is played instead."""
    desk = hall.desk
    action = choose(desk.states[1], seat, hall.cast.bot, desk.rngs[1])
    place = _place_of(hall, seat, n, action)
    if place >= 0:
        _consider(hall, how, hall.cast.learner, seat, n, True)
        _draw(hall, how, n)
        _note_choice(hall, how, game, seat, place, False)
        _finish_choice(hall.notes, n)
    if how.noise > 0 and unit(desk.rngs[1]) < how.noise:
        return desk.listed[below(desk.rngs[1], n)]
    return action


@inner_kernel
def _network_acts(hall: Hall, how: np.record, game: int, seat: Seat, n: int) -> Action:
    """Let the network that learns or an older one choose, unless the question is answered for it.

    Nothing is learnt from such answers: they are not noted.
    """
    answer = urge(hall.desk.states[1], seat, hall.cast.answers, hall.desk.rngs[1])
    if answer != NO_ACTION:
        return answer
    if hall.task.seated[game, seat] == LEARNS:
        return _learner_acts(hall, how, game, seat, n)
    _consider(hall, how, hall.cast.older, seat, n, False)
    return hall.desk.listed[_draw(hall, how, n)]


@inner_kernel
def _count(tally: Ints, state: State, seat: Seat, action: Action) -> None:
    """Count what a learner does by the first and the last number that describe it."""
    what, _, which = describe(state, seat, action)
    if 0 <= what < TALLY[0] and 0 <= which < TALLY[1]:
        tally[what, which] += 1


@inner_kernel
def _add_up(tally: Ints, to: Ints) -> None:
    """Add one tally to another."""
    for i in range(TALLY[0]):
        for k in range(TALLY[1]):
            to[i, k] += tally[i, k]


@kernel
def note_choices(
    hall: Hall, how: np.record, states: States, seats: Ints, actions: Actions, begin: int
) -> int:
    """Note what somebody chose in some states, from one on; return the first without room."""
    desk = hall.desk
    for k in range(begin, len(states)):
        desk.states[0] = states[k]
        desk.states[1] = states[k]
        seat = seats[k]
        conceal(desk.states[1], seat)
        n = legal(desk.states[1], seat, desk.listed)
        if not _has_room(hall.notes, how, n):
            return k
        place = _place_of(hall, seat, n, actions[k])
        if n > 1 and place >= 0:
            _consider(hall, how, hall.cast.learner, seat, n, True)
            _draw(hall, how, n)
            _note_choice(hall, how, 0, seat, place, False)
            _finish_choice(hall.notes, n)
    return len(states)


@inner_kernel
def _play_game(hall: Hall, how: np.record, game: int) -> bool:
    """Play one game; False if there is no room for its notes."""
    desk, task = hall.desk, hall.task
    states = desk.states
    states[0] = task.blank[0]
    desk.tally[:] = 0
    for k in range(2):
        start(desk.rngs[k], absorb(task.keys[k], task.deals[game]))
    while not is_over(states[0]):
        waiting = np.uint64(movers(states[0]))
        if waiting == np.uint64(0):
            deal(states[0], desk.rngs[0])
        while waiting != np.uint64(0):
            seat = lowest(waiting)
            waiting &= waiting - np.uint64(1)
            n = legal(states[0], seat, desk.listed)
            action = desk.listed[0]
            if n > 1:
                if not _has_room(hall.notes, how, n):
                    return False
                states[1] = states[0]
                conceal(states[1], seat)
                who = task.seated[game, seat]
                if who == BOT:
                    action = choose(states[1], seat, hall.cast.bot, desk.rngs[1])
                elif who == TEACHER:
                    action = _teacher_acts(hall, how, game, seat, n)
                else:
                    action = _network_acts(hall, how, game, seat, n)
            if task.seated[game, seat] == LEARNS:
                _count(desk.tally, states[0], seat, action)
            apply(states[0], seat, action)
    _add_up(desk.tally, hall.notes.tally)
    hall.notes.kinds[hall.notes.counts[0]] = task.kinds[game]
    scores(states[0], hall.notes.scores[hall.notes.counts[0]])
    return True


@kernel
def play_games(hall: Hall, how: np.record, begin: int) -> int:
    """Play the games of a task from one on; return the first that found no room for its notes."""
    notes = hall.notes
    for game in range(begin, len(hall.task.deals)):
        decisions, candidates = notes.counts[1], notes.counts[2]
        if notes.counts[0] >= len(notes.scores) or not _play_game(hall, how, game):
            notes.counts[1], notes.counts[2] = decisions, candidates
            return game
        notes.counts[0] += 1
    return len(hall.task.deals)
