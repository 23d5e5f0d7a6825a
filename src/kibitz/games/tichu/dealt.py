"""What is counted in a deal, for the statistics that show whether dealing is fair."""

import numpy as np

from kibitz.games.tichu.cards import DRAGON_BIT, PHOENIX_BIT

_RANKS = 13
_ACES = 0xF << 4 * (_RANKS - 1)


def count(state: np.record) -> dict[str, float]:
    """Return numbers of a deal by the codes of their words; seat 0 is who made the table."""
    hands = [int(state.hand[seat] | state.stock[seat]) for seat in range(len(state.hand))]
    own = hands[0]
    high = int(DRAGON_BIT) | int(PHOENIX_BIT)
    fours = sum(hand >> 4 * rank & 0xF == 0xF for hand in hands for rank in range(_RANKS))
    return {
        "tichu.dealt-aces-own": float((own & _ACES).bit_count()),
        "tichu.dealt-high-own": float((own & high).bit_count()),
        "tichu.dealt-high-partner": float((hands[2] & high).bit_count()),
        "tichu.dealt-fours": float(fours),
    }
