"""`mcs-mod`: flat Monte Carlo whose playouts know the rules of thumb that rigs have shown to help.

In playouts everybody draws a card with the weight

    exp(high * c / 104 + isolated * m / 104 + close * [c is within the distance of being safe])

where m is the mean distance from c to the other cards of the hand, and `safe` is what the rig
`close` means by it (`rigs.py`). With all strengths 0 it is `mcs`, but slower. Rows are taken, and
cards picked in a draft, at random.
"""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from kibitz.core.errors import SpecError
from kibitz.core.game import Action, Seat, State, implement
from kibitz.core.kernels import kernel, record_dtype
from kibitz.core.rng import Rng, unit
from kibitz.games.nimmt.rigs import steps_from_safe
from kibitz.games.nimmt.rules import random_action
from kibitz.games.nimmt.state import CHOOSING, HAND_CARDS, HIGHEST_CARD, hand_size
from kibitz.search.mcs import McsAgent, McsConfig
from kibitz.search.playouts import for_playouts

MAX_STRENGTH = 100.0


@dataclass(frozen=True)
class McsModConfig(McsConfig):
    """Parameters of flat Monte Carlo with directed playouts."""

    high: float = 3.0  # strength with which high cards are preferred
    close: float = 1.0  # and cards that are safe, or nearly so
    isolated: float = 3.0  # and cards far from the others of the hand
    distance: int = 0  # how many cards away from being safe is still close

    def __post_init__(self) -> None:
        """Refuse parameters out of range."""
        super().__post_init__()
        if self.playout != "random":
            raise SpecError(f"mcs-mod:playout={self.playout}: it has its own, leave playout out")
        for name in ("high", "close", "isolated"):
            if not abs(getattr(self, name)) <= MAX_STRENGTH:
                raise SpecError(
                    f"mcs-mod:{name}={getattr(self, name)}: expected "
                    f"{-MAX_STRENGTH:g} to {MAX_STRENGTH:g}"
                )
        if not 0 <= self.distance <= HIGHEST_CARD:
            raise SpecError(f"mcs-mod:distance={self.distance}: expected 0..{HIGHEST_CARD}")


DIRECTED = record_dtype(
    [
        ("directed_high", np.float64),  # strengths
        ("directed_close", np.float64),
        ("directed_isolated", np.float64),
        ("directed_distance", np.int64),
        ("directed_weights", np.float64, (HAND_CARDS,)),  # scratch: every search has its own
    ]
)


@kernel
def choose_directed(state: State, seat: Seat, policy: np.record, rng: Rng) -> Action:
    """Draw a card by what is known to help."""
    if state.phase != CHOOSING:
        return random_action(state, seat, rng)
    n = hand_size(state)
    sum_of_all = 0
    for i in range(n):
        sum_of_all += int(state.hand[seat, i])
    share = 1.0 / max(n - 1, 1)
    sum_below, total = 0, 0.0
    for i in range(n):
        card = int(state.hand[seat, i])
        # Cards below: card - c each, cards above: c - card each.
        apart = card * (2 * i - n) + sum_of_all - 2 * sum_below
        sum_below += card
        power = (policy.directed_high * card + policy.directed_isolated * apart * share) / (
            HIGHEST_CARD
        )
        if policy.directed_close != 0 and (
            steps_from_safe(state, card) <= policy.directed_distance
        ):
            power += policy.directed_close
        weight = math.exp(power)
        policy.directed_weights[i] = weight
        total += weight
    drawn, chosen, upto = unit(rng) * total, 0, 0.0
    for i in range(n - 1):
        upto += policy.directed_weights[i]
        chosen += upto <= drawn
    return int(state.hand[seat, chosen])


implement("choose", DIRECTED, choose_directed)


class McsModAgent(McsAgent):
    """Flat Monte Carlo in whose playouts all prefer high, close and isolated cards."""

    name = "mcs-mod"
    Config: ClassVar[type[Any]] = McsModConfig

    def make_evaluator(self) -> np.record:
        """Return playouts in which everybody follows the same rules of thumb."""
        policy: np.record = np.zeros(1, DIRECTED)[0]
        for name in ("high", "close", "isolated", "distance"):
            policy[f"directed_{name}"] = getattr(self.config, name)
        return for_playouts(policy)
