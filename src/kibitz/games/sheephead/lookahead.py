"""Choosing by merit: one step ahead, in worlds that fit what a seat knows.

The scheme of Ishii and others (2005), sampled as by Fujita and Ishii (2007). A *belief* is some
worlds, weighed by how likely the bidding is in them. For every card of the seat each world is
played on, others playing what *predictors* expect, until the seat is to decide again; what it then
sees is judged by a *critic*, or by what has been paid if the hand is over. The merit of a card is
the mean. Bids are judged alike: a pick by the blinds of worlds, a bury by what can be called after
it.

Merits are what the hand brings in units of ten cents, before doublings. Nothing is decided here
where queens are shown, payments are doubled or a leaster is played: `weigh` then finds nothing.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kibitz.core.bits import ONE, lowest, popcount
from kibitz.core.game import Action, Seat, State, States
from kibitz.core.kernels import inner_kernel, record_dtype
from kibitz.core.rng import RNG, Rng, Rngs, random_bits, start, unit
from kibitz.games.sheephead.bidding import strength
from kibitz.games.sheephead.bots import play_by_rule
from kibitz.games.sheephead.cards import PASS, PICK
from kibitz.games.sheephead.declaring import list_buries, list_declarations
from kibitz.games.sheephead.doubling import n_doublings
from kibitz.games.sheephead.features import observe_paper
from kibitz.games.sheephead.outlook import places_to_the_left
from kibitz.games.sheephead.play import playable
from kibitz.games.sheephead.rules import MAX_LEGAL, apply, must_pick
from kibitz.games.sheephead.situations import (
    MOST_CLASSES,
    MOST_INPUTS,
    N_CRITICS,
    NOLA,
    PAPER_INPUTS,
    PASSED,
    PICKED,
    PICKER,
    TABLE_3,
    classes_of,
    observe_bid,
    observe_hand,
    observe_nola,
    observe_situation,
    observe_table_2,
    role_of,
    table_3_classes,
)
from kibitz.games.sheephead.state import (
    BIDDING,
    BURYING,
    DECLARING,
    HAND_CARDS,
    NOLA_PLAYING,
    OVER,
    PLAYING,
    SEATS,
    WAITING,
)
from kibitz.games.sheephead.worlds import conceal, resample
from kibitz.search.ngnet import MAX_UNITS, Networks, say, share_out

Floats = npt.NDArray[np.float64]

OPPONENTS = SEATS - 1
PREDICTORS, NOLA_PREDICTORS = N_CRITICS, N_CRITICS + OPPONENTS
"""Where the networks of the four opponents to the left begin, after the critics."""

N_NETS = N_CRITICS + 2 * OPPONENTS
STRENGTHS = 24
"""More than any eight cards have."""

CENTS = 10.0
"""What a merit of 1 stands for."""

MAX_WORLDS = 1000

# Where states lie on a desk.
VIEW, MOVING, SEEN, FIRST_WORLD = 0, 1, 2, 3

PLAN = record_dtype(
    [
        ("look_worlds", np.int64),  # how many worlds are drawn
        ("look_by_rule", np.int64),  # 1: others play as the bot `rule` would; 0: as was learnt
        ("look_paper", np.int64),  # 1: inputs are the tables of the paper
        ("look_warmth", np.float64),  # temperature of what predictors say
    ]
)


class Brain(NamedTuple):
    """What has been learnt, for kernels."""

    networks: Networks  # [N_NETS]: critics, predictors, predictors in Nola
    numbers: Floats
    picks: Floats  # [STRENGTHS]: how often a hand of this strength picks


class Desk(NamedTuple):
    """Memory to decide in."""

    states: States  # the view, a world that moves, what is seen of it, worlds
    listed: npt.NDArray[np.int64]  # [28] legal actions
    calls: npt.NDArray[np.int64]  # [28] what may be declared after a bury
    merits: Floats  # [28]
    x: Floats
    shares: Floats
    sums: Floats
    classes: npt.NDArray[np.int64]
    said: Floats  # [outputs] of a predictor, NaN where it was not asked yet
    chances: Floats  # [6] of cards, while a seat is predicted
    weights: Floats  # [worlds]
    keys: npt.NDArray[np.uint64]  # [worlds]: so all cards meet the same luck
    rngs: Rngs  # [1]


def make_desk(blank: States, worlds: int) -> Desk:
    """Make a desk; `blank` are states for it, three more than worlds."""
    return Desk(
        blank,
        np.zeros(MAX_LEGAL, np.int64),
        np.zeros(MAX_LEGAL, np.int64),
        np.zeros(MAX_LEGAL),
        np.zeros(MOST_INPUTS),
        np.zeros(MAX_UNITS),
        np.zeros(MAX_UNITS),
        np.zeros(MOST_CLASSES, np.int64),
        np.zeros(TABLE_3),
        np.zeros(HAND_CARDS),
        np.zeros(worlds),
        np.zeros(worlds, np.uint64),
        np.zeros(1, RNG),
    )


def make_plan(worlds: int, by_rule: bool, paper: bool, warmth: float = 1.0) -> np.record:
    """Return how a seat looks ahead."""
    plan: np.record = np.zeros(1, PLAN)[0]
    plan.look_worlds, plan.look_by_rule, plan.look_paper = worlds, by_rule, paper
    plan.look_warmth = warmth
    return plan


@inner_kernel
def observe(view: State, seat: Seat, which: int, paper: bool, out: Floats) -> None:
    """Write what a critic sees."""
    if which in (PICKED, PASSED):
        observe_bid(view.hand[seat], OPPONENTS - popcount(np.uint64(view.passed)), out)
    elif paper:
        observe_paper(view, seat, view, out)  # type: ignore[arg-type]
        out[0] /= 14
        for k in range(1, 4):
            out[k] /= 6
        for k in range(PAPER_INPUTS - 4, PAPER_INPUTS):
            out[k] /= 8
    elif which == NOLA:
        observe_nola(view, seat, out)
    else:
        observe_hand(view, seat, out)


@inner_kernel
def judge(view: State, seat: Seat, which: int, desk: Desk, brain: Brain, paper: bool) -> float:
    """Return what a critic expects of a hand; what it saw stays in `desk.x`."""
    observe(view, seat, which, paper, desk.x)
    network = brain.networks[which]
    share_out(network, brain.numbers, desk.x, desk.shares)
    return say(network, brain.numbers, desk.x, desk.shares, 0, desk.sums)


@inner_kernel
def _merits_of_cards(
    view: State, seat: Seat, network: np.record, desk: Desk, brain: Brain, paper: bool
) -> int:
    """Write to `desk.chances` what a predictor says of every card that a seat may play."""
    if paper:
        observe_table_2(view, seat, desk.x)
    else:
        observe_situation(view, seat, desk.x)
    share_out(network, brain.numbers, desk.x, desk.shares)
    for k in range(network.ngnet_outputs):
        desk.said[k] = np.nan
    cards, n = playable(view, seat), 0
    while cards != np.uint64(0):
        card = lowest(cards)
        cards &= cards - ONE
        if paper:
            n_classes = table_3_classes(view, seat, card, desk.classes)
        else:
            n_classes = classes_of(view, seat, card, desk.classes)
        desk.chances[n] = 0
        for k in range(n_classes):
            which = desk.classes[k]
            if np.isnan(desk.said[which]):
                desk.said[which] = say(
                    network, brain.numbers, desk.x, desk.shares, which, desk.sums
                )
            desk.chances[n] += desk.said[which]
        n += 1
    return n


@inner_kernel
def turn_into_chances(chances: Floats, n: int, warmth: float) -> None:
    """Turn merits into the softmax of equation 11."""
    top = chances[0]
    for k in range(1, n):
        top = max(top, chances[k])
    total = 0.0
    for k in range(n):
        chances[k] = np.exp((chances[k] - top) / warmth)
        total += chances[k]
    for k in range(n):
        chances[k] /= total


@inner_kernel
def network_of(view: State, place: int) -> int:
    """Return which network predicts the opponent so many places to the left."""
    return (NOLA_PREDICTORS if view.phase == NOLA_PLAYING else PREDICTORS) + place - 1


@inner_kernel
def predict(view: State, seat: Seat, place: int, desk: Desk, brain: Brain, plan: np.record) -> int:
    """Write the chances of every card that a seat may play, by ascending cards: `desk.chances`.

    Args:
        view: what the seat sees.
        seat: who plays.
        place: how many places to the left of the predicting seat it sits, 1 to 4.
        desk: memory.
        brain: predictors.
        plan: how.
    """
    network = brain.networks[network_of(view, place)]
    n = _merits_of_cards(view, seat, network, desk, brain, plan.look_paper != 0)
    turn_into_chances(desk.chances, n, plan.look_warmth)
    return n


@inner_kernel
def _expected_card(
    world: State, seat: Seat, place: int, desk: Desk, brain: Brain, plan: np.record
) -> Action:
    """Draw what another seat plays in a world."""
    cards = playable(world, seat)
    if cards & (cards - ONE) == np.uint64(0):
        return lowest(cards)
    desk.states[SEEN] = world
    conceal(desk.states[SEEN], seat)
    if plan.look_by_rule != 0:
        return play_by_rule(desk.states[SEEN], seat)
    n = predict(desk.states[SEEN], seat, place, desk, brain, plan)
    left, k = unit(desk.rngs[0]), 0
    while k < n - 1:
        left -= desk.chances[k]
        if left < 0:
            break
        cards &= cards - ONE
        k += 1
    return lowest(cards)


@inner_kernel
def _play_on(
    world: State, seat: Seat, card: Action, desk: Desk, brain: Brain, plan: np.record
) -> float:
    """Play a card in a world and go on until the seat decides again; return what that is worth."""
    doublings = n_doublings(world)
    apply(world, seat, card)
    while world.phase != OVER and world.phase != WAITING and world.turn != seat:
        other = world.turn
        place = places_to_the_left(world, seat, other)
        apply(world, other, _expected_card(world, other, place, desk, brain, plan))
    if world.phase == OVER or world.phase == WAITING:
        return world.paid[seat] / (CENTS * (1 << doublings))
    desk.states[SEEN] = world
    conceal(desk.states[SEEN], seat)
    which = role_of(desk.states[SEEN], seat)
    return judge(desk.states[SEEN], seat, which, desk, brain, plan.look_paper != 0)


@inner_kernel
def _likelihood(world: State, seat: Seat, brain: Brain) -> float:
    """Return how likely the bids of the others are in a world."""
    weight = 1.0
    for other in range(SEATS):
        if other == seat:
            continue
        if world.passed >> other & 1:
            dealt = world.hand[other] | world.played[other]
            weight *= 1 - brain.picks[strength(dealt)]
        elif world.picker == other + 1:
            weight *= _chance_of_pick(world, other, brain)
    return max(weight, 1e-9)


@inner_kernel
def _chance_of_pick(world: State, picker: Seat, brain: Brain) -> float:
    """Return how often the six cards of a picker would have been picked with: any two are new."""
    cards = world.hand[picker] | world.played[picker] | world.buried
    whole, total, n = strength(cards), 0.0, 0
    rest = cards
    while rest != np.uint64(0):
        low = rest & (~rest + ONE)
        rest &= rest - ONE
        others = rest
        while others != np.uint64(0):
            two = low | (others & (~others + ONE))
            others &= others - ONE
            total += brain.picks[whole - strength(two)]
            n += 1
    return total / max(n, 1)


@inner_kernel
def _draw_worlds(seat: Seat, desk: Desk, brain: Brain, plan: np.record, rng: Rng) -> None:
    """Draw worlds that fit the view, with weights that add up to 1."""
    total = 0.0
    for k in range(plan.look_worlds):
        desk.states[FIRST_WORLD + k] = desk.states[VIEW]
        resample(desk.states[FIRST_WORLD + k], seat, rng)
        desk.weights[k] = _likelihood(desk.states[FIRST_WORLD + k], seat, brain)
        desk.keys[k] = random_bits(rng)
        total += desk.weights[k]
    for k in range(plan.look_worlds):
        desk.weights[k] /= total


@inner_kernel
def weigh(seat: Seat, desk: Desk, brain: Brain, plan: np.record, rng: Rng) -> int:
    """Write what may be done in the view on the desk and the merit of each; return how many.

    Returns:
        The number of actions, or 0 where nothing is decided here: see above.
    """
    view = desk.states[VIEW]
    if view.phase == PLAYING or view.phase == NOLA_PLAYING:
        return _weigh_cards(seat, desk, brain, plan, rng)
    if view.phase == BIDDING:
        return _weigh_bids(seat, desk, brain, plan, rng)
    if view.phase == BURYING:
        return _weigh_buries(seat, desk, brain, plan)
    if view.phase == DECLARING:
        n = list_declarations(view, seat, desk.listed)
        for k in range(n):
            desk.merits[k] = _worth_of_call(VIEW, seat, desk.listed[k], desk, brain, plan)
        return n
    return 0


@inner_kernel
def _weigh_cards(seat: Seat, desk: Desk, brain: Brain, plan: np.record, rng: Rng) -> int:
    """Weigh the cards that may be played, in the same worlds and with the same luck."""
    cards, n = playable(desk.states[VIEW], seat), 0
    while cards != np.uint64(0):
        desk.listed[n] = lowest(cards)
        desk.merits[n] = 0
        cards &= cards - ONE
        n += 1
    if n == 1:
        return 1
    _draw_worlds(seat, desk, brain, plan, rng)
    for k in range(plan.look_worlds):
        for i in range(n):
            start(desk.rngs[0], desk.keys[k])
            desk.states[MOVING] = desk.states[FIRST_WORLD + k]
            worth = _play_on(desk.states[MOVING], seat, desk.listed[i], desk, brain, plan)
            desk.merits[i] += desk.weights[k] * worth
    return n


@inner_kernel
def _weigh_bids(seat: Seat, desk: Desk, brain: Brain, plan: np.record, rng: Rng) -> int:
    """Weigh a pick by the blinds of worlds, and a pass by the own cards."""
    view = desk.states[VIEW]
    desk.listed[0], desk.merits[0] = PICK, 0.0
    if must_pick(view, seat):
        return 1
    _draw_worlds(seat, desk, brain, plan, rng)
    total, hand = 0.0, view.hand[seat]
    for k in range(plan.look_worlds):
        view.hand[seat] = hand | desk.states[FIRST_WORLD + k].blind
        total += desk.weights[k] * judge(view, seat, PICKED, desk, brain, False)
    view.hand[seat] = hand
    desk.listed[0], desk.listed[1] = PASS, PICK
    desk.merits[0] = judge(view, seat, PASSED, desk, brain, False)
    desk.merits[1] = total
    return 2


@inner_kernel
def _weigh_buries(seat: Seat, desk: Desk, brain: Brain, plan: np.record) -> int:
    """Weigh what may be buried by the best that can be declared after it."""
    n = list_buries(desk.states[VIEW], seat, desk.listed)
    for k in range(n):
        desk.states[FIRST_WORLD] = desk.states[VIEW]
        apply(desk.states[FIRST_WORLD], seat, desk.listed[k])
        desk.merits[k] = _best_call(seat, desk, brain, plan)
    return n


@inner_kernel
def _best_call(seat: Seat, desk: Desk, brain: Brain, plan: np.record) -> float:
    """Return the worth of the best declaration in the first world."""
    best = -np.inf
    n = list_declarations(desk.states[FIRST_WORLD], seat, desk.calls)
    for k in range(n):
        worth = _worth_of_call(FIRST_WORLD, seat, desk.calls[k], desk, brain, plan)
        best = max(best, worth)
    return best


@inner_kernel
def _worth_of_call(
    where: int, seat: Seat, action: Action, desk: Desk, brain: Brain, plan: np.record
) -> float:
    """Return what the picker expects once he has declared something."""
    desk.states[SEEN] = desk.states[where]
    apply(desk.states[SEEN], seat, action)
    return judge(desk.states[SEEN], seat, PICKER, desk, brain, plan.look_paper != 0)
