"""When the rest of a hand is certain: the seat leads, and nothing unseen beats its cards."""

import numpy as np

from kibitz.core.game import Action, Seat
from kibitz.games.sheephead.cards import CARDS, TRUMPS
from kibitz.games.sheephead.state import PLAYING

OTHERS_CHOOSE = True
"""They follow with any card they may, and it changes nothing."""


def rest(view: np.record, seat: Seat) -> list[Action] | None:
    """Return the cards that a seat leads to take all tricks that are left; None if one may fail.

    It must lead and hold trumps alone, each higher than every trump that it has not seen: then all
    cards that are left are its own, whatever the others play.
    """
    is_leading = view.phase == PLAYING and view.turn == seat and view.n_laid == 0
    hand = int(view.hand[seat])
    if not is_leading or not hand or hand & ~int(TRUMPS) or view.face_down:
        return None
    seen = hand | int(view.buried) | int(np.bitwise_or.reduce(view.played))
    unseen = int(TRUMPS) & ~seen
    cards = [card for card in reversed(range(CARDS)) if hand >> card & 1]
    return cards if 1 << cards[-1] > unseen else None
