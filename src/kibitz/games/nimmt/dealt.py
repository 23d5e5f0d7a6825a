"""What is counted in a deal, for the statistics that show whether dealing is fair."""

import numpy as np

from kibitz.games.nimmt.state import BULL_HEADS, ROWS


def count(state: np.record) -> dict[str, float]:
    """Return numbers of a deal by the codes of their words; seat 0 is who made the table."""
    hands = [[int(card) for card in state.hand[seat] if card] for seat in range(int(state.players))]
    others = [card for hand in hands[1:] for card in hand]
    rows = [int(state.board[row][0]) for row in range(ROWS)]
    return {
        "nimmt.dealt-heads-own": float(BULL_HEADS[hands[0]].sum()),
        "nimmt.dealt-heads-others": float(BULL_HEADS[others].sum()) / max(len(hands) - 1, 1),
        "nimmt.dealt-mean-own": float(np.mean(hands[0])) if hands[0] else 0.0,
        "nimmt.dealt-heads-rows": float(BULL_HEADS[rows].sum()),
    }
