"""One encoding: the own hand and the cards gone."""

import numpy as np

from kibitz.core.encoding import define_encoding
from kibitz.core.game import Action, Features, Seat, State
from kibitz.core.kernels import kernel

LAYOUT = (("hand", (14,)), ("gone", (14,)))


@kernel
def observe_cards(view: State, seat: Seat, encoding: np.record, out: Features) -> None:
    """Write both sets as zeros and ones."""
    for card in range(14):
        out[card] = np.float32((view.hand[seat] >> np.uint64(card)) & np.uint64(1))
        out[14 + card] = np.float32((view.gone >> np.uint64(card)) & np.uint64(1))


@kernel
def action_index_cards(state: State, seat: Seat, action: Action, encoding: np.record) -> int:
    """Number actions by card."""
    return action


ENCODINGS = {
    "cards": define_encoding("duel", "cards", LAYOUT, 14, observe_cards, action_index_cards)
}
