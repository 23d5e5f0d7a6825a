"""Action predictors: what each opponent is going to play, learnt from hands that are replayed.

A predictor is a normalised Gaussian network. Its units share situations out among themselves, and
have merits for the classes of cards: what a card is worth to who plays it is the sum over its
classes, and equation 11 turns merits into chances. Units are placed once, by EM over situations
that were seen; merits are learnt by raising what was chosen over what was expected.
"""

import numpy as np
import numpy.typing as npt

from kibitz.core.bits import ONE, lowest
from kibitz.core.game import Action, State, States
from kibitz.core.kernels import inner_kernel, kernel
from kibitz.games.sheephead.lookahead import Brain, Desk, network_of, predict
from kibitz.games.sheephead.play import playable
from kibitz.games.sheephead.situations import (
    CARD_CLASSES,
    NOLA_CLASSES,
    NOLA_SITUATION,
    SITUATION_INPUTS,
    TABLE_2,
    TABLE_3,
    classes_of,
    observe_situation,
    observe_table_2,
    table_3_classes,
)
from kibitz.learn.ngnet import NGnet, NGnetConfig
from kibitz.search.ngnet import Net, first_weight

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def size_of(in_nola: bool, paper: bool) -> tuple[int, int]:
    """Return how many inputs and outputs a predictor has."""
    if paper:
        return TABLE_2, TABLE_3
    return (NOLA_SITUATION, NOLA_CLASSES) if in_nola else (SITUATION_INPUTS, CARD_CLASSES)


def blank_predictor(in_nola: bool, paper: bool) -> Net:
    """Return a predictor of one unit that finds all cards equally good."""
    n_inputs, n_outputs = size_of(in_nola, paper)
    return Net(
        np.zeros((n_inputs, 1)),
        np.ones((n_inputs, 1)),
        np.zeros((n_outputs, 1 + n_inputs, 1)),
    )


def place_units(situations: Floats, n_outputs: int, units: int, seed: int) -> Net:
    """Place units over situations by EM; their merits are all zero."""
    config = NGnetConfig(units=units, covariance="diagonal", regular=0.1, floor=0.03)
    net = NGnet(situations.shape[1], 1, config)
    net.fit(situations, np.zeros((len(situations), 1)), rounds=10, seed=seed)
    found = net.as_net()
    shape = n_outputs, 1 + situations.shape[1], found.centres.shape[1]
    return Net(found.centres, found.precisions, np.zeros(shape))


@kernel
def observe_situations(views: States, rows: Ints, seats: Ints, paper: bool, out: Floats) -> None:
    """Write what predictors see in some of the views."""
    for k in range(len(rows)):
        if paper:
            observe_table_2(views[rows[k]], seats[k], out[k])
        else:
            observe_situation(views[rows[k]], seats[k], out[k])


@kernel
def teach(
    views: States,
    rows: Ints,
    chosen: Ints,
    place: int,
    rate: float,
    table: tuple[Desk, Brain, np.record],
) -> float:
    """Raise what was chosen over what was expected, card by card; return the sum of log-losses.

    Args:
        views: of which `rows` are taken, in this order; who decides is to play there.
        rows: which.
        chosen: the card that was played in each of all views.
        place: of the opponents, to the left of the one who learns.
        rate: of learning.
        table: memory, networks (whose numbers change) and how to look.
    """
    total = 0.0
    for row in rows:
        total += _teach_card(views[row], chosen[row], place, rate, table)
    return total


@inner_kernel
def _teach_card(
    view: State, card: Action, place: int, rate: float, table: tuple[Desk, Brain, np.record]
) -> float:
    """Go up the gradient of the logarithm of a card's chance; return what it was, negated.

    The merit of a card is a sum of outputs. So the gradient is, for each of its outputs and in each
    unit, the input times the unit's share, times (1 if it was chosen) minus its chance. The rate is
    divided by the squared length of the input, so that no situation counts more than another.
    """
    desk, brain, plan = table
    seat = view.turn
    n = predict(view, seat, place, desk, brain, plan)
    network = brain.networks[network_of(view, place)]
    n_inputs, n_units = network.ngnet_inputs, network.ngnet_units
    cards, loss, length = playable(view, seat), 0.0, 1.0
    for j in range(n_inputs):
        length += desk.x[j] * desk.x[j]
    for k in range(n):
        here = lowest(cards)
        cards &= cards - ONE
        if here == card:
            loss = -np.log(max(desk.chances[k], 1e-12))
        push = rate / length * ((1.0 if here == card else 0.0) - desk.chances[k])
        if plan.look_paper != 0:
            n_classes = table_3_classes(view, seat, here, desk.classes)
        else:
            n_classes = classes_of(view, seat, here, desk.classes)
        for c in range(n_classes):
            at = first_weight(network, desk.classes[c])
            for i in range(n_units):
                brain.numbers[at + i] += push * desk.shares[i]
            for j in range(n_inputs):
                if desk.x[j] != 0:
                    for i in range(n_units):
                        brain.numbers[at + (1 + j) * n_units + i] += (
                            push * desk.shares[i] * desk.x[j]
                        )
    return loss
