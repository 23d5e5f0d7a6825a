"""The Tichu player `convention`: plans its hand and plays like a sensible club player.

Every play and every pass is weighed by the hand that is left (planning.py), by who will probably
have the lead then, and by the points of the trick. What the hand costs counts most where it decides
whether the hand goes out: little is gained by improving a hand that wins anyway, or a hopeless one.

- **Leads** are low first, and keep high cards for later; the Phoenix is not led alone.
- **On others' tricks** it gets rid of cards that would not win a lead, takes over with high ones if
  the hand profits, more eagerly if nobody else can, and leaves tricks to the partner.
- **Opponents about to go out** are not led as many cards as they hold, unless these win; as the
  last player it does not leave them a trick that it can take, nor one who has called.
- **Calls**: Tichu after the exchange or before the first card, if the plan is cheap and there are
  high cards; Grand Tichu with eight very good ones. When all are asked at once only that partner
  calls who got the better card from the other.
- **A partner who has called** is given a top card, and the lead, by the Dog too; one does not
  overtake him nor go out before him.
- **Exchange**: low cards that fit nowhere to the opponents, odd ones to the right and even ones to
  the left if that costs nothing; a better one to the partner; the Dog and the Mah Jong stay.
- **Wish**: what probably falls on an opponent, high ranks rather than low ones; never what the
  partner was given.
- **Bombs** are not broken for little. They wait until an opponent would take the trick, and are
  laid if the lead, the points or his call are worth it.
- **The Dragon's trick** goes to the opponent with more cards.

The weights (weights.py) were tuned in matches on duplicate deals, against itself, against its first
version and against `rule`; exchange and wishes (giving.py) are held to what people do.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from kibitz.core.agent import PolicyAgent
from kibitz.core.bits import popcount
from kibitz.core.game import Action, Seat, State, implement
from kibitz.core.kernels import allocating_kernel, inner_kernel, kernel
from kibitz.core.rng import Rng
from kibitz.core.table import Game
from kibitz.games.tichu.cards import (
    ACE,
    CALL,
    DOG_BIT,
    DRAGON_BIT,
    DRAGON_TO,
    GRAND,
    KING,
    MAH_JONG_BIT,
    NO_GRAND,
    NO_TICHU,
    PASS,
    PHOENIX_BIT,
    PLAY,
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
from kibitz.games.tichu.giving import give, supports, wish, worth_of
from kibitz.games.tichu.planning import TABLE, Costs, chance, estimate, outlook, plan_cost
from kibitz.games.tichu.plays import has_bomb
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
from kibitz.games.tichu.weights import FIRST, POLICY, TUNED, make_policy

_PASS = other_action(PASS, 0)
_CALL_TICHU = other_action(CALL, TICHU)
_OUT = 100.0  # above every other score
_CALLER_CARDS = 8  # whoever calls later comes too late
_FEW_CARDS = 4


@kernel
def choose_by_convention(view: State, seat: Seat, policy: np.record, rng: Rng) -> Action:
    """Decide by phase."""
    if view.phase == WINDOW:
        return _answer_window(view, seat, policy) if can_bomb(view, seat) else _PASS
    if view.phase == TURN:
        return _take_turn(view, seat, policy)
    if view.phase == EXCHANGE:
        return give(view, seat, policy)
    if view.phase == GRAND_CALLING:
        grand = _grand_score(view.hand[seat]) >= policy.grand_score
        return other_action(CALL, GRAND if grand else NO_GRAND)
    if view.phase == CALLING:
        call = _calls_first(view, seat, policy) and _is_strong(view, seat, policy)
        return other_action(CALL, TICHU if call else NO_TICHU)
    if view.phase == WISHING:
        return other_action(WISH, wish(view, seat, policy))
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
    """Whether a seat should call Tichu, by a score fitted to who was out first."""
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
    against = view.call[(seat + 1) & 3] != 0 or view.call[(seat + 3) & 3] != 0
    return score >= policy.tichu_score + (policy.against_call if against else 0.0)


@inner_kernel
def _calls_first(view: State, seat: Seat, policy: np.record) -> bool:
    """Whether a seat calls Tichu when all are asked at once: never both of two partners.

    Both know the two cards that they gave each other. Who got the lower one calls before its own
    first card, if the other has not called by then.
    """
    if not is_exchanged(view):
        return False
    got = worth_of(int(view.given[(seat + 2) & 3, 1]) - 1)
    gave = worth_of(int(view.given[seat, 1]) - 1)
    return policy.takes_turns == 0 or got > gave or (got == gave and seat < 2)


@inner_kernel
def _standing(cost: float, lead: float, wins: float, policy: np.record) -> float:
    """Return what a hand is worth if a lead is won with a chance."""
    return wins * outlook(cost - lead, policy) + (1 - wins) * outlook(cost, policy)


@inner_kernel
def _fewest_cards(view: State, seat: Seat) -> int:
    """Return the smallest number of cards of an opponent who is not out."""
    fewest = 99
    for step in (1, 3):
        other = (seat + step) & 3
        if not is_out(view, other):
            fewest = min(fewest, n_cards(view, other))
    return fewest


@inner_kernel
def _tempo(view: State, seat: Seat, policy: np.record) -> float:
    """Return by what factor the lead is worth more, the fewer cards an opponent holds."""
    return 1 + policy.tempo * (1 - _fewest_cards(view, seat) / HAND_CARDS)


@inner_kernel
def _is_last(view: State, seat: Seat) -> bool:
    """Whether nobody can play between a seat and who holds the trick."""
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
    helps = supports(view, seat)
    if rest == NONE:
        return -_OUT if helps else _OUT
    own = policy.support if helps else 1.0
    cost = plan_cost(view, rest, table)
    kind, length, height = classify(cards, phoenix_of(action), 0, flushes(view))
    score = -policy.shed * popcount(rest)
    if kind != BOMB and _breaks_bomb(view, seat, rest):
        score -= policy.keep_bomb
    if cards == PHOENIX_BIT:
        score -= policy.phoenix_lead
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
    helps = supports(view, seat)
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
    if holder != partner and _takes_trick(view, seat):
        score -= _lets_go(view, holder, policy)
    own = policy.support if helps else 1.0
    score += own * _standing(plan_cost(view, hand, table), lead, wins, policy)
    ours = (holder == partner) != (view.table & DRAGON_BIT != NONE)
    points = int(view.trick) if ours else -int(view.trick)
    score += policy.point * points * (2 * wins - 1)
    if _fewest_cards(view, seat) == length and kind != BOMB:
        score -= policy.danger * (1 - wins)
    return score


@inner_kernel
def _takes_trick(view: State, seat: Seat) -> bool:
    """Whether the trick is its holder's if this seat lets it go."""
    return view.turn == view.holder if view.phase == WINDOW else _is_last(view, seat)


@inner_kernel
def _lets_go(view: State, holder: Seat, policy: np.record) -> float:
    """Weigh that an opponent takes a trick who is about to go out, or has called."""
    n = n_cards(view, holder)
    if n == 0:
        return 0.0
    score = policy.stop_one if n == 1 else policy.stop_two if n == 2 else 0.0
    if view.call[holder] != 0 and n_out(view) == 0:
        score += policy.stop_caller * (2 - n / HAND_CARDS)
    return score


@inner_kernel
def _breaks_bomb(view: State, seat: Seat, rest: np.uint64) -> bool:
    """Whether a hand with a bomb has none among the cards that are left."""
    if not has_bomb(view.hand[seat], NOTHING, 0, 0, flushes(view)):
        return False
    return not has_bomb(rest, NOTHING, 0, 0, flushes(view))


@inner_kernel
def _play_score(view: State, seat: Seat, action: Action, policy: np.record, table: Costs) -> float:
    """Weigh a play on what is on the table."""
    cards = cards_of(action)
    rest = view.hand[seat] & ~cards
    helps = supports(view, seat)
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
    if view.holder == (seat + 2) & 3:
        score -= policy.over_caller if view.call[view.holder] != 0 else policy.over_partner
    if kind != BOMB and _breaks_bomb(view, seat, rest):
        score -= policy.keep_bomb
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
