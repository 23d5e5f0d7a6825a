"""Calls that a learner makes on purpose, with good hands, in a share of rounds.

A policy that has learnt to call rarely never finds out what a call would bring once it plays well
under one, and forgets Grand Tichu altogether. So good hands call now and then whatever the policy
says, and what follows is learnt from: the call, and the play under it.
"""

import numpy as np

from kibitz.core.bits import popcount
from kibitz.core.decisions import NO_ACTION
from kibitz.core.exploring import define_explorer
from kibitz.core.game import Action, Seat, State
from kibitz.core.kernels import inner_kernel, kernel
from kibitz.core.rng import Rng, unit
from kibitz.games.tichu.cards import (
    ACE,
    CALL,
    DRAGON_BIT,
    GRAND,
    KING,
    PHOENIX_BIT,
    TICHU,
    other_action,
)
from kibitz.games.tichu.ranks import NONE, find_quads
from kibitz.games.tichu.state import CALLING, GRAND_CALLING, cards_of_rank, is_exchanged

_CALL_GRAND = other_action(CALL, GRAND)
_CALL_TICHU = other_action(CALL, TICHU)


@inner_kernel
def strength(hand: np.uint64) -> float:
    """Weigh a hand: aces 1, kings 1/2, Dragon and Phoenix 2 each, four of a rank 1.5."""
    score = popcount(hand & cards_of_rank(ACE)) + 0.5 * popcount(hand & cards_of_rank(KING))
    score += 2.0 * popcount(hand & (PHOENIX_BIT | DRAGON_BIT))
    return score + (1.5 if find_quads(hand) != NONE else 0.0)


@kernel
def _call_on_purpose(view: State, seat: Seat, explorer: np.record, rng: Rng) -> Action:
    """Call with a good hand in a share of questions, unless the partner has called."""
    if view.call[(seat + 2) & 3] != 0:
        return NO_ACTION
    good = strength(view.hand[seat])
    if view.phase == GRAND_CALLING and good >= explorer.grand_from:
        return _CALL_GRAND if unit(rng) < explorer.grand else NO_ACTION
    if view.phase == CALLING and good >= explorer.tichu_from:
        share = explorer.tichu if is_exchanged(view) else 0.5 * explorer.tichu
        return _CALL_TICHU if unit(rng) < share else NO_ACTION
    return NO_ACTION


CALLS = define_explorer(
    "tichu_calls",
    [
        ("grand", np.float64),  # share of good hands that call Grand Tichu
        ("tichu", np.float64),  # and Tichu; half as often before the exchange
        ("grand_from", np.float64),  # how good a hand must be
        ("tichu_from", np.float64),
    ],
    _call_on_purpose,
)
CALLS.grand, CALLS.tichu, CALLS.grand_from, CALLS.tichu_from = 0.2, 0.1, 3.5, 4.5

EXPLORERS = {"calls": CALLS}
