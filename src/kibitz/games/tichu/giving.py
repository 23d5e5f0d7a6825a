"""What `convention` gives away: cards in the exchange, and wishes that others must fulfil.

**Exchange.** Each card is weighed by the plan for the cards that are left, and by what it is worth
to who gets it. The Dog and the Mah Jong stay in the own team if that is not too dear.

**Wish.** A wish for a high rank makes others lay it early. It falls on the first seat that holds
one and can lay it: right, then the partner, then left. So each rank is weighed by where its cards
probably are; where the own gifts went is known.
"""

import numpy as np

from kibitz.core.bits import ONE, lowest, popcount
from kibitz.core.game import Action, Seat, State
from kibitz.core.kernels import allocating_kernel, inner_kernel
from kibitz.games.tichu.cards import (
    ACE,
    DOG,
    GIVE,
    LOWEST_RANK,
    MAH_JONG,
    RANKED_CARDS,
    other_action,
)
from kibitz.games.tichu.planning import TABLE, estimate, outlook, plan_cost, unseen_by
from kibitz.games.tichu.ranks import NONE
from kibitz.games.tichu.state import cards_of_rank, n_cards, n_out


@inner_kernel
def supports(view: State, seat: Seat) -> bool:
    """Whether the partner has called and can still be out first."""
    return view.call[(seat + 2) & 3] != 0 and view.call[seat] == 0 and n_out(view) == 0


@inner_kernel
def worth_of(card: int) -> float:
    """Return what a card is worth to whoever gets it."""
    if card < RANKED_CARDS:
        return (LOWEST_RANK + (card >> 2)) ** 2 / ACE**2
    if card == MAH_JONG:
        return 0.2
    return -0.1 if card == DOG else 1.4


@allocating_kernel
def give(view: State, seat: Seat, policy: np.record) -> Action:
    """Give a card to the next receiver: right, partner, left."""
    hand = view.hand[seat]
    n_given = 0
    for k in range(3):
        if view.given[seat, k] != 0:
            hand &= ~(ONE << np.uint64(int(view.given[seat, k]) - 1))
            n_given += 1
    table = np.empty(TABLE, np.float64)
    estimate(view, seat, policy, table)
    helps = view.call[(seat + 2) & 3] != 0
    best, best_score = 0, -1e9
    cards = hand
    while cards != NONE:
        card = lowest(cards)
        cards &= cards - ONE
        cost = plan_cost(view, hand & ~(ONE << np.uint64(card)), table)
        score = (policy.support if helps else 1.0) * outlook(cost, policy)
        if n_given == 1:
            score += (policy.support_gift if helps else policy.gift) * worth_of(card)
        else:
            score += _to_opponent(card, n_given, helps, policy)
        if score > best_score:
            best, best_score = card, score
    return other_action(GIVE, 1 << best)


@inner_kernel
def _to_opponent(card: int, n_given: int, helps: bool, policy: np.record) -> float:
    """Weigh a card for an opponent: right if none was given yet, else left."""
    score = -policy.opponent_gift * worth_of(card)
    rank = LOWEST_RANK + (card >> 2)
    if card < RANKED_CARDS and (rank & 1 == 1) == (n_given == 0):
        score += policy.parity
    if card == DOG:
        score -= policy.keep_dog + (policy.support_lead if helps else 0.0)
    if card == MAH_JONG:
        score -= policy.keep_mah_jong
    return score


@inner_kernel
def wish(view: State, seat: Seat, policy: np.record) -> int:
    """Wish for a rank, or for none."""
    if policy.wish_spares == 0:
        return _wish_high(view, seat)
    called = view.call[seat] != 0 or view.call[(seat + 2) & 3] != 0
    spares = policy.wish_spares + (policy.wish_call if called else 0.0)
    best, best_score = 0, 0.0
    for rank in range(ACE, LOWEST_RANK - 1, -1):
        score = _falls(view, seat, rank, spares) * (rank / ACE) ** policy.wish_rank
        if score > best_score:
            best, best_score = rank, score
    return best


@inner_kernel
def _wish_high(view: State, seat: Seat) -> int:
    """Wish for the highest rank that others hold, or spare the partner who has called."""
    card = int(view.given[seat, 0]) - 1
    if supports(view, seat) and 0 <= card < RANKED_CARDS:
        return LOWEST_RANK + (card >> 2)
    rank = ACE
    while rank >= LOWEST_RANK and unseen_by(view, seat) & cards_of_rank(rank) == NONE:
        rank -= 1
    return rank if rank >= LOWEST_RANK else 0


@inner_kernel
def _gift(view: State, seat: Seat, k: int) -> np.uint64:
    """Return the card that a seat gave to its k-th receiver, if it has given it."""
    card = int(view.given[seat, k]) - 1
    return ONE << np.uint64(card) if card >= 0 else NONE


@inner_kernel
def _falls(view: State, seat: Seat, rank: int, spares: float) -> float:
    """Return how likely a wish falls on an opponent, less `spares` times on the partner.

    What the partner was given is never wished for.
    """
    unseen = unseen_by(view, seat)
    wished = cards_of_rank(rank) & unseen
    if wished & _gift(view, seat, 1) != NONE:
        return -1.0
    gifts = _gift(view, seat, 0) | _gift(view, seat, 1) | _gift(view, seat, 2)
    n_loose = popcount(wished & ~gifts)
    n_unseen = max(1, popcount(unseen))
    reached, total = 1.0, 0.0
    for k in range(3):
        has = 1 - (1 - n_cards(view, (seat + k + 1) & 3) / n_unseen) ** n_loose
        if wished & _gift(view, seat, k) != NONE:
            has = 1.0
        total += reached * has * (-spares if k == 1 else 1.0)
        reached *= 1 - has
    return total
