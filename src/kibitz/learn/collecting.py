"""Hands of Sheephead for the actor-critic scheme, played in kernels, and what is learnt from them.

A hand is played by learners, who look ahead by what is known so far, and others, who play by rule
or at random. What it leaves: for every state that a learner was in, what its critic should have
said; for every card that somebody chose, the view he chose it in; and who picked with what.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kibitz.core.bits import ONE
from kibitz.core.game import Action, Seat, State, States
from kibitz.core.kernels import inner_kernel, kernel
from kibitz.core.rng import Rng, absorb, start, unit
from kibitz.games.sheephead.bidding import ALONE_FROM, PICK_FROM, strength
from kibitz.games.sheephead.bots import bid_by_rule, play_by_rule
from kibitz.games.sheephead.cards import PICK
from kibitz.games.sheephead.lookahead import (
    CENTS,
    MOVING,
    VIEW,
    Brain,
    Desk,
    judge,
    turn_into_chances,
    weigh,
)
from kibitz.games.sheephead.outlook import places_to_the_left
from kibitz.games.sheephead.play import playable
from kibitz.games.sheephead.rules import apply, deal, random_action
from kibitz.games.sheephead.situations import MOST_INPUTS, PASSED, PICKED, PICKER, role_of
from kibitz.games.sheephead.state import (
    BIDDING,
    BURYING,
    DECLARING,
    NOLA_PLAYING,
    OVER,
    PLAYING,
    SEATS,
)
from kibitz.games.sheephead.worlds import conceal

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

RULE, LEARNER, RANDOM = 0, 1, 2
"""Who sits at a seat."""

STATES_PER_HAND = SEATS * 9  # bids and cards of everybody
CARDS_PER_HAND = SEATS * 6


class Harvest(NamedTuple):
    """What hands leave, each in a part of its own; changed in place."""

    critics: Ints  # [hands, states]: which critic, or -1
    inputs: Floats  # [hands, states, inputs]
    targets: Floats  # [hands, states]: what it should have said
    said: Floats  # [hands, states]: what it said
    views: States  # [hands * cards]: of everybody who chose a card
    chosen: Ints  # [hands, cards]: the card, or -1
    places: Ints  # [hands, cards]: to the left of the learner who watches, 1 to 4; 0: himself
    picks: Ints  # [hands, seats]: strength, + 100 if it picked; -1: not asked
    paid: Ints  # [hands, seats]: cents


class Course(NamedTuple):
    """How hands are played."""

    key: np.uint64  # from which cards and choices derive
    first: int  # number of the first hand
    temperature: float  # of the choices of learners, in tens of cents
    trace: float  # lambda: how much of a target is what came, and not what was expected
    bids: int  # 1: learners bid by merit; 0: by rule, as in the paper


def make_harvest(blank: States, hands: int) -> Harvest:
    """Make room for what so many hands leave; `blank` are CARDS_PER_HAND states for each."""
    return Harvest(
        np.full((hands, STATES_PER_HAND), -1),
        np.zeros((hands, STATES_PER_HAND, MOST_INPUTS)),
        np.zeros((hands, STATES_PER_HAND)),
        np.zeros((hands, STATES_PER_HAND)),
        blank,
        np.full((hands, CARDS_PER_HAND), -1),
        np.zeros((hands, CARDS_PER_HAND), np.int64),
        np.full((hands, SEATS), -1),
        np.zeros((hands, SEATS), np.int64),
    )


@kernel
def play_hands(
    hands: States,
    lineups: Ints,
    course: Course,
    harvest: Harvest,
    table: tuple[Desk, Brain, np.record],
    rngs: npt.NDArray[np.record],
) -> None:
    """Play hands one after the other.

    Args:
        hands: a blank state for each; it is left as the hand ended.
        lineups: who sits where: [hands, seats].
        course: how.
        harvest: what they leave.
        table: memory, what is known, and how learners look ahead.
        rngs: room for one stream.
    """
    for k in range(len(hands)):
        start(rngs[0], absorb(course.key, course.first + k))
        deal(hands[k], rngs[0])
        _play_hand(hands[k], k, lineups[k], course, harvest, table, rngs[0])


@inner_kernel
def _play_hand(
    hand: State,
    k: int,
    lineup: Ints,
    course: Course,
    harvest: Harvest,
    table: tuple[Desk, Brain, np.record],
    rng: Rng,
) -> None:
    """Play one hand to its end."""
    desk, brain, plan = table
    n_states = n_cards = 0
    watcher = _watcher(lineup, course.first + k)
    for seat in range(SEATS):
        harvest.picks[k, seat] = -1
    while hand.phase != OVER:
        seat = hand.turn
        desk.states[VIEW] = hand
        conceal(desk.states[VIEW], seat)
        learns = lineup[seat] == LEARNER
        if learns and hand.phase != BIDDING and hand.phase != DECLARING:
            which = PICKED if hand.phase == BURYING else role_of(desk.states[VIEW], seat)
            n_states = _note_state(VIEW, seat, which, k, n_states, harvest, table)
        action = _choose(seat, lineup[seat], course, table, rng)
        if hand.phase == BIDDING:
            picked = action == PICK
            harvest.picks[k, seat] = strength(hand.hand[seat]) + (100 if picked else 0)
            if learns and not picked:
                n_states = _note_state(VIEW, seat, PASSED, k, n_states, harvest, table)
        elif hand.phase == DECLARING and learns:
            desk.states[MOVING] = desk.states[VIEW]
            apply(desk.states[MOVING], seat, action)
            n_states = _note_state(MOVING, seat, PICKER, k, n_states, harvest, table)
        elif hand.phase >= PLAYING and watcher >= 0:
            n_cards = _note_card(seat, action, watcher, k, n_cards, harvest, desk)
        apply(hand, seat, action)
    for seat in range(SEATS):
        harvest.paid[k, seat] = hand.paid[seat]
    _aim(k, n_states, course.trace, harvest)
    for i in range(n_states, STATES_PER_HAND):
        harvest.critics[k, i] = -1
    for i in range(n_cards, CARDS_PER_HAND):
        harvest.chosen[k, i] = -1


@inner_kernel
def _watcher(lineup: Ints, number: int) -> int:
    """Return the learner who replays this hand: they take turns; -1 if there is none."""
    for k in range(SEATS):
        seat = (number + k) % SEATS
        if lineup[seat] == LEARNER:
            return seat
    return -1


@inner_kernel
def _choose(
    seat: Seat, who: int, course: Course, table: tuple[Desk, Brain, np.record], rng: Rng
) -> Action:
    """Choose for a seat by what it sees."""
    desk, brain, plan = table
    view = desk.states[VIEW]
    if who == RANDOM:
        return random_action(view, seat, rng)
    if who == LEARNER and (course.bids != 0 or view.phase >= PLAYING):
        n = weigh(seat, desk, brain, plan, rng)
        if n > 0:
            return desk.listed[draw_by_merit(desk.merits, n, course.temperature, rng)]
    if view.phase >= PLAYING:
        return play_by_rule(view, seat)
    return bid_by_rule(view, seat, PICK_FROM, ALONE_FROM)


@inner_kernel
def draw_by_merit(merits: Floats, n: int, temperature: float, rng: Rng) -> int:
    """Draw one of some actions by the Boltzmann distribution of their merits; 0: the best.

    The merits are left as chances.
    """
    if temperature <= 0:
        best = 0
        for k in range(1, n):
            best = k if merits[k] > merits[best] else best
        return best
    turn_into_chances(merits, n, temperature)
    left = unit(rng)
    for k in range(n - 1):
        left -= merits[k]
        if left < 0:
            return k
    return n - 1


@inner_kernel
def _note_state(
    where: int,
    seat: Seat,
    which: int,
    k: int,
    n: int,
    harvest: Harvest,
    table: tuple[Desk, Brain, np.record],
) -> int:
    """Write down what a critic sees and says; targets begin as the seat, until all is known."""
    desk, brain, plan = table
    harvest.said[k, n] = judge(desk.states[where], seat, which, desk, brain, plan.look_paper != 0)
    harvest.critics[k, n] = which
    harvest.targets[k, n] = seat
    for i in range(MOST_INPUTS):
        harvest.inputs[k, n, i] = desk.x[i]
    return n + 1


@inner_kernel
def _note_card(
    seat: Seat, action: Action, watcher: Seat, k: int, n: int, harvest: Harvest, desk: Desk
) -> int:
    """Write down a card that was chosen among several."""
    view = desk.states[VIEW]
    cards = playable(view, seat)
    is_play = view.phase == PLAYING or view.phase == NOLA_PLAYING
    if seat == watcher or not is_play or cards & (cards - ONE) == np.uint64(0):
        return n
    harvest.views[k * CARDS_PER_HAND + n] = view
    harvest.chosen[k, n] = action
    harvest.places[k, n] = places_to_the_left(view, watcher, seat)
    return n + 1


@inner_kernel
def _aim(k: int, n: int, trace: float, harvest: Harvest) -> None:
    """Turn what was paid into targets, backwards: (1 - lambda) V(next) + lambda target(next)."""
    for seat in range(SEATS):
        target = harvest.paid[k, seat] / CENTS
        expected = target
        for i in range(n - 1, -1, -1):
            if harvest.critics[k, i] < 0 or harvest.targets[k, i] != seat:
                continue
            target = (1 - trace) * expected + trace * target
            expected = harvest.said[k, i]
            harvest.targets[k, i] = target
            harvest.critics[k, i] = -2 - harvest.critics[k, i]  # done: no other seat's number
    for i in range(n):
        harvest.critics[k, i] = -2 - harvest.critics[k, i]
