"""What is counted in a deal, for the statistics that show whether dealing is fair."""

import numpy as np

from kibitz.games.sheephead.cards import BLACK_QUEENS, POINTS, RED_QUEENS, TRUMPS


def count(state: np.record) -> dict[str, float]:
    """Return numbers of a deal by the codes of their words; seat 0 is who made the table."""
    own, blind = int(state.hand[0]), int(state.blind)
    queens = int(BLACK_QUEENS | RED_QUEENS)
    return {
        "sheephead.dealt-trumps-own": float((own & int(TRUMPS)).bit_count()),
        "sheephead.dealt-queens-own": float((own & queens).bit_count()),
        "sheephead.dealt-trumps-blind": float((blind & int(TRUMPS)).bit_count()),
        "sheephead.dealt-points-blind": float(
            sum(int(points) for card, points in enumerate(POINTS) if blind >> card & 1)
        ),
    }
