"""The Tichu player `convention`: plans its hand and plays like a sensible club player.

Every decision compares what the hand costs afterwards (planning.py), who will have the lead, and
what the trick is worth.
"""

import numpy as np

from kibitz.core.agent import PolicyAgent
from kibitz.core.bits import ONE, lowest, popcount
from kibitz.core.game import Action, Seat, State, implement
from kibitz.core.kernels import kernel, record_dtype
from kibitz.core.rng import Rng
from kibitz.games.tichu.cards import (
    ACE,
    CALL,
    DOG,
    DOG_BIT,
    DRAGON,
    DRAGON_BIT,
    DRAGON_TO,
    GIVE,
    GRAND,
    KING,
    LOWEST_RANK,
    MAH_JONG,
    MAH_JONG_BIT,
    NO_GRAND,
    NO_TICHU,
    PASS,
    PHOENIX,
    PHOENIX_BIT,
    RANKED_CARDS,
    TICHU,
    WISH,
    cards_of,
    kind_of,
    other_action,
    phoenix_of,
)
from kibitz.games.tichu.cards import PLAY as PLAY_CARDS
from kibitz.games.tichu.choices import MAX_LEGAL, can_bomb, legal
from kibitz.games.tichu.combinations import BOMB, NOTHING, PAIR, SINGLE, classify
from kibitz.games.tichu.combinations import DOG as DOG_KIND
from kibitz.games.tichu.planning import TABLE, Costs, chance, estimate, plan_cost
from kibitz.games.tichu.ranks import NONE, find_quads
from kibitz.games.tichu.state import (
    CALLING,
    EXCHANGE,
    FULL,
    GRAND_CALLING,
    PLAY,
    WINDOW,
    card_points,
    cards_of_rank,
    flushes,
    is_exchanged,
    is_out,
    may_call,
    n_cards,
    n_out,
)
from kibitz.games.tichu.state import WISH as WISHING

_PASS = other_action(PASS, 0)
_CALL_TICHU = other_action(CALL, TICHU)
_OUT = 100.0

WEIGHTS = {
    "single_risk": 0.56,  # chance that a higher unseen single is laid on one's own
    "others_take": 0.8,  # chance that an opponent lays a pair or trio that he holds
    "discard": 0.5,  # how well cards above others go away when others lead
    "single_back": 1.1,
    "pair_back": 1.4,
    "long_back": 1.45,
    "steps_win": 0.5,
    "straight_win": 0.45,
    "bomb_back": 2.2,
    "phoenix_back": 1.5,
    "dragon_back": 1.9,
    "dog_cost": 0.8,
    "lead_worth": 0.4,
    "take_worth": 0.8,
    "caller_worth": 1.0,
    "partner_lead": 0.7,
    "dog_lead": 0.75,
    "support": 0.4,
    "support_lead": 1.5,
    "point": 0.012,
    "danger": 0.7,
    "help": 0.5,
    "urgency": 0.6,
    "tichu_score": 0.6,
    "grand_score": 1.3,
    "goal": 6.0,
    "sharp": 1.0,
    "middle": 1.0,
    "slope": 0.3,
    "caller_cards": 8.0,
    "shed": 0.04,
    "gift": 1.2,
    "opponent_gift": 1.0,
    "parity": 0.05,
    "support_gift": 2.0,
    "wish": 1.0,
}
POLICY = record_dtype(
    [("tichu_convention_policy", np.int64), *((name, np.float64) for name in WEIGHTS)]
)


def _make_policy() -> np.record:
    """Put the weights into a record for the kernels."""
    policy: np.record = np.zeros(1, POLICY)[0]
    for name, value in WEIGHTS.items():
        policy[name] = value
    return policy


@kernel
def choose_by_convention(view: State, seat: Seat, policy: np.record, rng: Rng) -> Action:
    """Decide by phase."""
    if view.phase == WINDOW:
        return _answer_window(view, seat, policy) if can_bomb(view, seat) else _PASS
    if view.phase == PLAY:
        return _take_turn(view, seat, policy)
    if view.phase == EXCHANGE:
        return _give(view, seat, policy)
    if view.phase == GRAND_CALLING:
        grand = _grand_score(view.hand[seat]) >= policy.grand_score
        return other_action(CALL, GRAND if grand else NO_GRAND)
    if view.phase == CALLING:
        call = is_exchanged(view) and _is_strong(view, seat, policy)
        return other_action(CALL, TICHU if call else NO_TICHU)
    if view.phase == WISHING:
        return other_action(WISH, _wish(view, seat, policy))
    return other_action(DRAGON_TO, _dragon_to(view, seat))


@kernel
def _top_cards(hand: np.uint64) -> float:
    """Weigh the cards that take tricks; the Dog gives the lead away."""
    aces, kings = popcount(hand & cards_of_rank(ACE)), popcount(hand & cards_of_rank(KING))
    return 0.25 * aces + 0.12 * kings - 0.5 * popcount(hand & DOG_BIT)


@kernel
def _grand_score(hand: np.uint64) -> float:
    """Weigh the first eight cards."""
    specials = 0.3 * popcount(hand & DRAGON_BIT) + 0.5 * popcount(hand & PHOENIX_BIT)
    return _top_cards(hand) + specials + 0.3 * popcount(find_quads(hand))


@kernel
def _is_strong(view: State, seat: Seat, policy: np.record) -> bool:
    """Tell whether a seat should call Tichu with its fourteen cards."""
    if view.call[(seat + 2) & 3] != 0:
        return False
    for step in range(1, 4):
        if n_cards(view, (seat + step) & 3) < policy.caller_cards:
            return False
    hand = view.hand[seat]
    table = np.empty(TABLE, np.float64)
    estimate(view, seat, policy, table)
    score = _top_cards(hand) - 0.5 * popcount(hand & DOG_BIT)
    score += 0.4 * popcount(hand & MAH_JONG_BIT) - 0.5 * plan_cost(view, hand, table)
    return score >= policy.tichu_score


@kernel
def _dragon_to(view: State, seat: Seat) -> int:
    """Give the trick to the opponent with more cards, who is more likely to be last."""
    return 1 if n_cards(view, (seat + 1) & 3) > n_cards(view, (seat + 3) & 3) else 3


@kernel
def _wish(view: State, seat: Seat, policy: np.record) -> int:
    """Wish for what was given to the right neighbour, who is next."""
    if policy.wish == 0:
        return 0
    if policy.wish == 2:
        return ACE
    card = int(view.given[seat, 0]) - 1
    if 0 <= card < RANKED_CARDS:
        return LOWEST_RANK + (card >> 2)
    return 0


@kernel
def _give(view: State, seat: Seat, policy: np.record) -> Action:
    """Give low cards that fit nowhere to opponents, odd ones to the right; a high one to the partner."""
    hand = view.hand[seat]
    n_given = 0
    for k in range(3):
        if view.given[seat, k] != 0:
            hand &= ~(ONE << np.uint64(int(view.given[seat, k]) - 1))
            n_given += 1
    table = np.empty(TABLE, np.float64)
    estimate(view, seat, policy, table)
    partner = (seat + 2) & 3
    best, best_score = 0, -1e9
    cards = hand
    while cards != NONE:
        card = lowest(cards)
        cards &= cards - ONE
        cost = plan_cost(view, hand & ~(ONE << np.uint64(card)), table)
        if n_given == 1:
            worth = policy.support_gift if view.call[partner] != 0 else policy.gift
            score = -cost + worth * _worth(card, table)
        else:
            score = -cost - policy.opponent_gift * _worth(card, table)
            odd = card < RANKED_CARDS and (card >> 2) & 1 == 1
            if card < RANKED_CARDS and odd == (n_given == 0):
                score += policy.parity
            if view.call[partner] != 0 and card == DOG:
                score -= 2
        if score > best_score:
            best, best_score = card, score
    return other_action(GIVE, 1 << best)


@kernel
def _worth(card: int, table: Costs) -> float:
    """Give what a card is worth to whoever gets it."""
    if card < RANKED_CARDS:
        return (LOWEST_RANK + (card >> 2)) ** 2 / ACE**2
    if card == MAH_JONG:
        return 0.2
    return -0.1 if card == DOG else 1.4


@kernel
def _standing(cost: float, lead: float, wins: float, policy: np.record) -> float:
    """Weigh a hand of some cost if a lead of some worth is won with a chance.

    What lies below zero hardly counts: that many leads are won anyway.
    """
    return wins * _outlook(cost - lead, policy) + (1 - wins) * _outlook(cost, policy)


@kernel
def _outlook(cost: float, policy: np.record) -> float:
    return policy.goal / (1 + np.exp(policy.sharp * (cost - policy.middle))) - policy.slope * cost


@kernel
def _fewest_cards(view: State, seat: Seat) -> int:
    """Give the smallest number of cards of an opponent who is not out."""
    fewest = 99
    for step in (1, 3):
        other = (seat + step) & 3
        if not is_out(view, other):
            fewest = min(fewest, n_cards(view, other))
    return fewest


@kernel
def _supports(view: State, seat: Seat) -> bool:
    """Tell whether the partner has called and can still be out first."""
    return view.call[(seat + 2) & 3] != 0 and view.call[seat] == 0 and n_out(view) == 0


@kernel
def _own_weight(view: State, seat: Seat, policy: np.record) -> float:
    """Tell how much the own hand counts: less if the partner has called."""
    return policy.support if _supports(view, seat) else 1.0


@kernel
def _lead_score(
    view: State, seat: Seat, action: Action, policy: np.record, table: Costs
) -> float:
    """Weigh a lead."""
    cards = cards_of(action)
    rest = view.hand[seat] & ~cards
    if rest == NONE:
        return -_OUT if _supports(view, seat) else _OUT
    partner = (seat + 2) & 3
    own = _own_weight(view, seat, policy)
    cost = plan_cost(view, rest, table)
    kind, length, height = classify(cards, phoenix_of(action), 0, flushes(view))
    score = -policy.shed * popcount(rest)
    if kind == DOG_KIND:
        score += own * _standing(cost, policy.dog_lead, 0.0 if is_out(view, partner) else 1.0, policy)
        return score + (policy.support_lead if own < 1 else 0.0)
    wins = chance(kind, length, height, table)
    worth = policy.caller_worth if view.call[seat] != 0 else policy.lead_worth
    score += own * _standing(cost, worth, wins, policy)
    points = card_points(cards)
    if cards & DRAGON_BIT != NONE:
        points = -points
    score += policy.point * points * (2 * wins - 1)
    if _fewest_cards(view, seat) == length:
        score -= policy.danger * (1 - wins)
    if n_cards(view, partner) == length and not is_out(view, partner):
        score += policy.help * (1 - wins)
    return score


@kernel
def _follow_score(
    view: State, seat: Seat, action: Action, policy: np.record, table: Costs
) -> float:
    """Weigh a play on what is on the table, or a pass."""
    partner = (seat + 2) & 3
    holder = int(view.holder)
    cards = cards_of(action)
    rest = view.hand[seat] & ~cards
    if rest == NONE:
        return -_OUT if _supports(view, seat) else _OUT
    own = _own_weight(view, seat, policy)
    cost = plan_cost(view, rest, table)
    score = -policy.shed * popcount(rest)
    kind, length, height = int(view.table_kind), int(view.table_length), int(view.table_height)
    if action == _PASS:
        taker = holder
        given = view.table
    else:
        on_height = height if kind == SINGLE else 0
        kind, length, height = classify(cards, phoenix_of(action), on_height, flushes(view))
        taker = seat
        given = cards
    wins = chance(kind, length, height, table)
    lead = 0.0
    if taker == seat:
        lead = policy.caller_worth if view.call[seat] != 0 else policy.take_worth
    elif taker == partner and not is_out(view, taker):
        lead = policy.partner_lead
        score += policy.support_lead * wins if own < 1 else 0.0
    elif taker != partner and (view.call[taker] != 0 or n_cards(view, taker) <= 3):
        score -= policy.urgency * wins
    score += own * _standing(cost, lead, wins, policy)
    points = int(view.trick) + (card_points(cards) if action != _PASS else 0)
    ours = taker == seat or taker == partner
    if given & DRAGON_BIT != NONE:
        ours = not ours
    score += policy.point * points * ((2 * wins - 1) if ours else -(2 * wins - 1))
    if _fewest_cards(view, seat) == length and kind != BOMB:
        score -= policy.danger * (1 - wins)
    return score


@kernel
def _take_turn(view: State, seat: Seat, policy: np.record) -> Action:
    """Play what scores best; call Tichu before the first card if the hand is strong."""
    listed = np.empty(MAX_LEGAL, np.int64)
    n = legal(view, seat, listed)
    if kind_of(listed[n - 1]) == CALL:
        n -= 1
    if n == 1 and not may_call(view, seat):
        return listed[0]
    table = np.empty(TABLE, np.float64)
    estimate(view, seat, policy, table)
    leads = view.table_kind == NOTHING
    waits = view.variant == FULL and listed[0] == _PASS  # a bomb can come later, out of turn
    best, best_score = listed[0], -1e9
    for i in range(n):
        action = listed[i]
        if leads:
            score = _lead_score(view, seat, action, policy, table)
        else:
            score = _follow_score(view, seat, action, policy, table)
            if waits and i > 0 and score < _OUT:
                kind, _, _ = classify(cards_of(action), phoenix_of(action), 0, flushes(view))
                if kind == BOMB:
                    continue
        if score > best_score:
            best, best_score = action, score
    if best != _PASS and may_call(view, seat) and _is_strong(view, seat, policy):
        return _CALL_TICHU
    return best


@kernel
def _answer_window(view: State, seat: Seat, policy: np.record) -> Action:
    """Bomb an opponent's trick at the last moment, if that pays."""
    listed = np.empty(MAX_LEGAL, np.int64)
    n = legal(view, seat, listed)
    partner = (seat + 2) & 3
    if view.holder == seat or view.holder == partner:
        return _PASS
    table = np.empty(TABLE, np.float64)
    estimate(view, seat, policy, table)
    best = _PASS
    best_score = _follow_score(view, seat, _PASS, policy, table)
    for i in range(1, n):
        if kind_of(listed[i]) == PLAY_CARDS:
            score = _follow_score(view, seat, listed[i], policy, table)
            if score > best_score and (view.turn == view.holder or score >= _OUT):
                best, best_score = listed[i], score
    return best


implement("choose", POLICY, choose_by_convention)


class ConventionAgent(PolicyAgent):
    """Plans its hand and plays like a sensible club player."""

    name = "convention"
    policy = _make_policy()
