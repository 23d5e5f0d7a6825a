"""The Tichu player `convention`: plans its hand and plays like a sensible club player.

Every play and every pass is weighed by the hand that is left (planning.py), by who will probably
have the lead then, and by the points of the trick. What the hand costs counts most where it decides
whether the hand goes out: little is gained by improving a hand that wins anyway, or a hopeless one.

- **Leads** are low first, and keep high cards for later.
- **On others' tricks** it gets rid of cards that would not win a lead, takes over with high ones if
  the hand profits, more eagerly if nobody else can, and leaves tricks to the partner.
- **Opponents about to go out** are not led as many cards as they hold, unless these win.
- **Calls**: Tichu after the exchange or before the first card, if the plan is cheap and there are
  high cards; Grand Tichu with eight very good ones.
- **A partner who has called** is given a top card, and the lead, by the Dog too; one does not go
  out before him.
- **Exchange**: low cards that fit nowhere to the opponents, odd ones to the right and even ones to
  the left if that costs nothing; a high one to the partner.
- **Wish**: the highest rank that others hold, so that aces fall early; with a partner who has
  called, what the next opponent was given.
- **Bombs** wait until an opponent would take the trick, and are laid if the lead, the points or his
  call are worth it.
- **The Dragon's trick** goes to the opponent with more cards.

The weights were tuned in matches on duplicate deals, against `rule` and against itself.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from kibitz.core.agent import PolicyAgent
from kibitz.core.bits import ONE, lowest, popcount
from kibitz.core.game import Action, Seat, State, implement
from kibitz.core.kernels import allocating_kernel, inner_kernel, kernel, record_dtype
from kibitz.core.rng import Rng
from kibitz.core.table import Game
from kibitz.games.tichu.cards import (
    ACE,
    CALL,
    DOG,
    DOG_BIT,
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
    PHOENIX_BIT,
    PLAY,
    RANKED_CARDS,
    TICHU,
    WISH,
    cards_of,
    kind_of,
    other_action,
    phoenix_of,
)
from kibitz.games.tichu.choices import MAX_LEGAL, can_bomb, legal
from kibitz.games.tichu.combinations import BOMB, NOTHING, SINGLE, classify
from kibitz.games.tichu.combinations import DOG as DOG_KIND
from kibitz.games.tichu.planning import TABLE, Costs, chance, estimate, plan_cost, unseen_by
from kibitz.games.tichu.ranks import NONE, find_quads
from kibitz.games.tichu.state import (
    CALLING,
    EXCHANGE,
    FULL,
    GRAND_CALLING,
    HAND_CARDS,
    TURN,
    WINDOW,
    WISHING,
    card_points,
    cards_of_rank,
    flushes,
    is_exchanged,
    is_out,
    may_call,
    n_cards,
    n_out,
)

FIRST = {
    # Chances: of a higher unseen single, or of a pair or trio that an opponent holds, to be laid.
    "single_risk": 0.65,
    "others_take": 0.8,
    "trust": 0.8,  # how much is believed that who passed has nothing higher
    "straight_win": 0.3,  # of the lowest straight of five, and the lowest two pairs in a row
    "steps_win": 0.5,
    # Leads that a combination which surely wins gives back, and what else a plan costs.
    "single_back": 1.1,
    "pair_back": 1.4,
    "long_back": 1.3,
    "bomb_back": 2.2,
    "phoenix_back": 1.5,
    "dragon_back": 1.7,
    "dog_cost": 0.65,
    "discard": 0.5,  # how well singles go away when others lead lower ones
    # What a hand is worth: goal / (1 + exp(sharp * (cost - middle))) - slope * cost.
    "goal": 6.0,
    "sharp": 1.2,
    "middle": 1.1,
    "slope": 0.5,
    "shed": 0.07,  # each card that is left
    # What the lead is worth, in costs: kept, taken from others, to a caller, to the partner.
    "lead_worth": 0.45,
    "take_worth": 0.5,
    "caller_worth": 0.6,
    "partner_lead": 1.2,
    "dog_lead": 0.75,
    "tempo": 0.4,  # by which share the lead is worth more when an opponent is nearly out
    "low_lead": 0.02,  # each rank by which a lead is lower
    "last": 0.3,  # taking a trick that nobody else can take from the opponents
    "point": 0.007,  # a point in a trick
    "danger": 0.7,  # that an opponent goes out on this
    "help": 0.5,  # that the partner does
    "urgency": 0.6,  # to stop an opponent with few cards
    "stop_call": 0.8,  # to stop one who has called
    "support": 0.4,  # how much the own hand counts if the partner has called
    "support_lead": 1.5,  # the lead of a partner who has called
    # Gifts: what a top card is worth to the partner, to one who has called, to an opponent.
    "gift": 0.6,
    "support_gift": 4.0,
    "opponent_gift": 3.0,
    "parity": 0.2,  # odd cards to the right, even ones to the left
    # From which scores on there is a call.
    "tichu_score": 0.35,
    "grand_score": 0.9,
}
TUNED = FIRST
POLICY = record_dtype(
    [("tichu_convention_policy", np.int64), *((name, np.float64) for name in FIRST)]
)

_PASS = other_action(PASS, 0)
_CALL_TICHU = other_action(CALL, TICHU)
_OUT = 100.0  # above every other score
_CALLER_CARDS = 8  # whoever calls later comes too late
_FEW_CARDS = 4


def make_policy(weights: dict[str, float]) -> np.record:
    """Put weights into a record for the kernels."""
    policy: np.record = np.zeros(1, POLICY)[0]
    for name, value in weights.items():
        policy[name] = value
    return policy


@kernel
def choose_by_convention(view: State, seat: Seat, policy: np.record, rng: Rng) -> Action:
    """Decide by phase."""
    if view.phase == WINDOW:
        return _answer_window(view, seat, policy) if can_bomb(view, seat) else _PASS
    if view.phase == TURN:
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
        return other_action(WISH, _wish(view, seat))
    right, left = n_cards(view, (seat + 1) & 3), n_cards(view, (seat + 3) & 3)
    return other_action(DRAGON_TO, 1 if right > left else 3)


@inner_kernel
def _top_cards(hand: np.uint64) -> float:
    """Weigh aces and kings; the Dog gives the lead away."""
    aces, kings = popcount(hand & cards_of_rank(ACE)), popcount(hand & cards_of_rank(KING))
    return 0.25 * aces + 0.12 * kings - 0.5 * popcount(hand & DOG_BIT)


@inner_kernel
def _grand_score(hand: np.uint64) -> float:
    """Weigh the first eight cards: fitted to who was out first in games without calls."""
    specials = 0.3 * popcount(hand & DRAGON_BIT) + 0.5 * popcount(hand & PHOENIX_BIT)
    return _top_cards(hand) + specials + 0.3 * popcount(find_quads(hand))


@allocating_kernel
def _is_strong(view: State, seat: Seat, policy: np.record) -> bool:
    """Tell whether a seat should call Tichu, by a score fitted to who was out first."""
    if view.call[(seat + 2) & 3] != 0:
        return False
    for step in range(1, 4):
        if n_cards(view, (seat + step) & 3) < _CALLER_CARDS:
            return False
    hand = view.hand[seat]
    table = np.empty(TABLE, np.float64)
    estimate(view, seat, policy, table)
    score = _top_cards(hand) - 0.5 * popcount(hand & DOG_BIT)
    score += 0.4 * popcount(hand & MAH_JONG_BIT) - 0.5 * plan_cost(view, hand, table)
    return score >= policy.tichu_score


@inner_kernel
def _wish(view: State, seat: Seat) -> int:
    """Wish for the highest rank that others hold, or spare the partner who has called."""
    card = int(view.given[seat, 0]) - 1
    if _supports(view, seat) and 0 <= card < RANKED_CARDS:
        return LOWEST_RANK + (card >> 2)
    rank = ACE
    while rank >= LOWEST_RANK and unseen_by(view, seat) & cards_of_rank(rank) == NONE:
        rank -= 1
    return rank if rank >= LOWEST_RANK else 0


@allocating_kernel
def _give(view: State, seat: Seat, policy: np.record) -> Action:
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
        score = (policy.support if helps else 1.0) * _outlook(cost, policy)
        if n_given == 1:
            score += (policy.support_gift if helps else policy.gift) * _worth(card)
        else:
            score -= policy.opponent_gift * _worth(card)
            rank = LOWEST_RANK + (card >> 2)
            if card < RANKED_CARDS and (rank & 1 == 1) == (n_given == 0):
                score += policy.parity
            if helps and card == DOG:
                score -= policy.support_lead
        if score > best_score:
            best, best_score = card, score
    return other_action(GIVE, 1 << best)


@inner_kernel
def _worth(card: int) -> float:
    """Give what a card is worth to whoever gets it."""
    if card < RANKED_CARDS:
        return (LOWEST_RANK + (card >> 2)) ** 2 / ACE**2
    if card == MAH_JONG:
        return 0.2
    return -0.1 if card == DOG else 1.4


@inner_kernel
def _outlook(cost: float, policy: np.record) -> float:
    """Give what a hand is worth whose plan has this cost."""
    return policy.goal / (1 + np.exp(policy.sharp * (cost - policy.middle))) - policy.slope * cost


@inner_kernel
def _standing(cost: float, lead: float, wins: float, policy: np.record) -> float:
    """Give what a hand is worth if a lead is won with a chance."""
    return wins * _outlook(cost - lead, policy) + (1 - wins) * _outlook(cost, policy)


@inner_kernel
def _supports(view: State, seat: Seat) -> bool:
    """Tell whether the partner has called and can still be out first."""
    return view.call[(seat + 2) & 3] != 0 and view.call[seat] == 0 and n_out(view) == 0


@inner_kernel
def _fewest_cards(view: State, seat: Seat) -> int:
    """Give the smallest number of cards of an opponent who is not out."""
    fewest = 99
    for step in (1, 3):
        other = (seat + step) & 3
        if not is_out(view, other):
            fewest = min(fewest, n_cards(view, other))
    return fewest


@inner_kernel
def _tempo(view: State, seat: Seat, policy: np.record) -> float:
    """Tell how much more the lead is worth, the fewer cards an opponent holds."""
    return 1 + policy.tempo * (1 - _fewest_cards(view, seat) / HAND_CARDS)


@inner_kernel
def _is_last(view: State, seat: Seat) -> bool:
    """Tell whether nobody can play between a seat and who holds the trick."""
    other = (seat + 1) & 3
    while other != view.holder:
        if not is_out(view, other):
            return False
        other = (other + 1) & 3
    return True


@inner_kernel
def _lead_score(view: State, seat: Seat, action: Action, policy: np.record, table: Costs) -> float:
    """Weigh a lead."""
    cards = cards_of(action)
    rest = view.hand[seat] & ~cards
    partner = (seat + 2) & 3
    helps = _supports(view, seat)
    if rest == NONE:
        return -_OUT if helps else _OUT
    own = policy.support if helps else 1.0
    cost = plan_cost(view, rest, table)
    kind, length, height = classify(cards, phoenix_of(action), 0, flushes(view))
    score = -policy.shed * popcount(rest)
    if kind == DOG_KIND:
        wins = 0.0 if is_out(view, partner) else 1.0
        score += own * _standing(cost, policy.dog_lead, wins, policy)
        return score + (policy.support_lead if helps else 0.0)
    wins = chance(kind, length, height, table)
    worth = policy.caller_worth if view.call[seat] != 0 else policy.lead_worth
    worth *= _tempo(view, seat, policy)
    score += own * _standing(cost, worth, wins, policy) - policy.low_lead * (height >> 1)
    points = -card_points(cards) if cards & DRAGON_BIT != NONE else card_points(cards)
    score += policy.point * points * (2 * wins - 1)
    if _fewest_cards(view, seat) == length:
        score -= policy.danger * (1 - wins)
    if n_cards(view, partner) == length and not is_out(view, partner):
        score += policy.help * (1 - wins)
    return score


@inner_kernel
def _pass_score(view: State, seat: Seat, policy: np.record, table: Costs) -> float:
    """Weigh a pass: whoever holds the trick may get it."""
    hand = view.hand[seat]
    partner, holder = (seat + 2) & 3, int(view.holder)
    helps = _supports(view, seat)
    kind, length = int(view.table_kind), int(view.table_length)
    wins = 1.0
    if not _is_last(view, seat):
        wins = 0.5 + 0.5 * chance(kind, length, int(view.table_height), table)
    score = -policy.shed * popcount(hand)
    lead = 0.0
    if holder == partner:
        if not is_out(view, partner):
            lead = policy.partner_lead
            score += policy.support_lead * wins if helps else 0.0
    elif view.call[holder] != 0 and (n_out(view) == 0 or view.finished[holder] == 1):
        score -= policy.stop_call * wins
    elif n_cards(view, holder) <= _FEW_CARDS:
        score -= policy.urgency * wins
    own = policy.support if helps else 1.0
    score += own * _standing(plan_cost(view, hand, table), lead, wins, policy)
    ours = (holder == partner) != (view.table & DRAGON_BIT != NONE)
    points = int(view.trick) if ours else -int(view.trick)
    score += policy.point * points * (2 * wins - 1)
    if _fewest_cards(view, seat) == length and kind != BOMB:
        score -= policy.danger * (1 - wins)
    return score


@inner_kernel
def _play_score(view: State, seat: Seat, action: Action, policy: np.record, table: Costs) -> float:
    """Weigh a play on what is on the table."""
    cards = cards_of(action)
    rest = view.hand[seat] & ~cards
    helps = _supports(view, seat)
    if rest == NONE:
        return -_OUT if helps else _OUT
    on_height = int(view.table_height) if view.table_kind == SINGLE else 0
    kind, length, height = classify(cards, phoenix_of(action), on_height, flushes(view))
    wins = chance(kind, length, height, table)
    worth = policy.caller_worth if view.call[seat] != 0 else policy.take_worth
    worth *= _tempo(view, seat, policy)
    own = policy.support if helps else 1.0
    score = own * _standing(plan_cost(view, rest, table), worth, wins, policy)
    score -= policy.shed * popcount(rest)
    if view.holder == (seat + 1) & 3:
        score += policy.last * wins
    points = int(view.trick) + card_points(cards)
    if cards & DRAGON_BIT != NONE:
        points = -points
    score += policy.point * points * (2 * wins - 1)
    if _fewest_cards(view, seat) == length and kind != BOMB:
        score -= policy.danger * (1 - wins)
    return score


@allocating_kernel
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
    waits = view.variant == FULL and listed[0] == _PASS  # a bomb can come later, out of turn
    best, best_score = listed[0], -1e9
    for i in range(n):
        action = listed[i]
        if view.table_kind == NOTHING:
            score = _lead_score(view, seat, action, policy, table)
        elif action == _PASS:
            score = _pass_score(view, seat, policy, table)
        else:
            score = _play_score(view, seat, action, policy, table)
            if waits and score < _OUT:
                kind, _, _ = classify(cards_of(action), phoenix_of(action), 0, flushes(view))
                if kind == BOMB:
                    continue
        if score > best_score:
            best, best_score = action, score
    if best != _PASS and may_call(view, seat) and _is_strong(view, seat, policy):
        return _CALL_TICHU
    return best


@allocating_kernel
def _answer_window(view: State, seat: Seat, policy: np.record) -> Action:
    """Bomb if an opponent would take the trick now, and that pays; or if the hand is out then."""
    if view.holder & 1 == seat & 1:
        return _PASS
    listed = np.empty(MAX_LEGAL, np.int64)
    n = legal(view, seat, listed)
    table = np.empty(TABLE, np.float64)
    estimate(view, seat, policy, table)
    best = _PASS
    best_score = _pass_score(view, seat, policy, table)
    for i in range(1, n):
        if kind_of(listed[i]) == PLAY:
            score = _play_score(view, seat, listed[i], policy, table)
            if score > best_score and (view.turn == view.holder or score >= _OUT):
                best, best_score = listed[i], score
    return best


implement("choose", POLICY, choose_by_convention)


@dataclass(frozen=True)
class ConventionConfig:
    """Which weights it plays by."""

    weights: Literal["tuned", "first"] = "tuned"  # first: as it played when it was first written


class ConventionAgent(PolicyAgent):
    """Plans its hand, keeps high cards, helps its partner, and calls on strong hands.

    weights=first plays as its first version did, move for move: a fixed opponent to measure by.
    """

    name = "convention"
    Config = ConventionConfig
    policy = make_policy(TUNED)

    def __init__(self, game: Game, config: ConventionConfig | None = None) -> None:
        """Take the policy that goes with the parameters."""
        super().__init__(game, config)
        if self.config.weights == "first":
            self.policy = _FIRST_POLICY


_FIRST_POLICY = make_policy(FIRST)
