"""What a seat sees of cards, and how sets of cards are written as numbers: for encodings."""

import numpy as np

from kibitz.core.bits import ONE, lowest
from kibitz.core.game import Features, Seat, State
from kibitz.core.kernels import inner_kernel, kernel
from kibitz.games.tichu.cards import ACE, LOWEST_RANK, MAH_JONG
from kibitz.games.tichu.ranks import NONE
from kibitz.games.tichu.state import is_exchanged, wide

VALUES = 17  # 2 to ace, Mah Jong, Dog, Phoenix, Dragon
RANKS = ACE - LOWEST_RANK + 1


@kernel
def value_of(card: int) -> int:
    """Return the place of a card among the 17 values."""
    return card >> 2 if card < MAH_JONG else RANKS + card - MAH_JONG


@inner_kernel
def mark_cards(cards: np.uint64, at: int, out: Features) -> None:
    """Write 1 for every card of a set."""
    while cards != NONE:
        out[at + lowest(cards)] = 1
        cards &= cards - ONE


@inner_kernel
def mark_ranks(cards: np.uint64, at: int, out: Features) -> None:
    """Write a set of cards without its suits: of each rank as many ones as it has cards.

    Ranks have four places each, filled from the first; the special cards follow, one place each.
    """
    for place in range(at, at + MAH_JONG, 4):
        here = place
        for suit in range(4):
            if (cards >> np.uint64(place - at + suit)) & ONE != NONE:
                out[here] = 1
                here += 1
    for card in range(MAH_JONG, MAH_JONG + 4):
        out[at + card] = (cards >> np.uint64(card)) & ONE != NONE


@inner_kernel
def count_values(cards: np.uint64, unit: float, at: int, out: Features) -> None:
    """Add so much to the value of every card of a set."""
    while cards != NONE:
        out[at + value_of(lowest(cards))] += unit
        cards &= cards - ONE


@inner_kernel
def given_card(view: State, seat: Seat, k: int) -> int:
    """Return the card + 1 that a seat laid down for its k-th receiver; 0 if it is not known."""
    return max(wide(view.given[seat, k]), 0)


@inner_kernel
def received_card(view: State, seat: Seat, k: int) -> int:
    """Return the card + 1 that a seat got from right, partner or left; 0 before the exchange."""
    return given_card(view, (seat + k + 1) & 3, 2 - k) if is_exchanged(view) else 0


@inner_kernel
def n_given(view: State, seat: Seat) -> int:
    """Count the cards that a seat has laid down for others."""
    n = 0
    for k in range(3):
        n += 1 if view.given[seat, k] != 0 else 0
    return n


@inner_kernel
def all_played(view: State) -> np.uint64:
    """Return all cards that were played in this round."""
    return view.played[0] | view.played[1] | view.played[2] | view.played[3]
