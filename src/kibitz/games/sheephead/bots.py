"""The rule bot: how players of the game say that it is played.

The picker leads trump, and so does his partner. Defenders do not: they lead the called suit, as the
partner must then play his ace, or an ace of their own. Points go to tricks that a friend is to take
and are kept from the others. A Nola is played to lose the last trick: high cards go first.
"""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from kibitz.core.agent import PolicyAgent
from kibitz.core.bits import highest, lowest, popcount
from kibitz.core.errors import SpecError
from kibitz.core.game import Action, Seat, State, implement
from kibitz.core.kernels import inner_kernel, kernel, record_dtype
from kibitz.core.rng import Rng
from kibitz.core.table import Game
from kibitz.games.sheephead.bidding import (
    ALONE_FROM,
    JACKS,
    PICK_FROM,
    QUEENS,
    choose_blitz,
    choose_bury,
    choose_crack,
    choose_declaration,
    strength,
)
from kibitz.games.sheephead.cards import (
    ACE,
    FAIL,
    FAIL_CARDS,
    FIRST_TRUMP,
    NOLA_RANK,
    PASS,
    PICK,
    POINTS,
    TRUMP,
    TRUMPS,
    bit,
    cards_of_suit,
)
from kibitz.games.sheephead.outlook import points_laid, stronger, unseen_by, winners
from kibitz.games.sheephead.payments import is_on_side
from kibitz.games.sheephead.play import called_suit, playable, power_in, suit_in, unknown_in_hand
from kibitz.games.sheephead.rules import must_pick, random_action
from kibitz.games.sheephead.state import (
    BIDDING,
    BLITZING,
    BURYING,
    DECLARING,
    NOLA_PLAYING,
    PLAYING,
    SEATS,
    TRICKS,
    wide,
)

RULE = record_dtype(
    [
        ("sheephead_pick", np.int64),  # strength of a hand that picks
        ("sheephead_alone", np.int64),  # of six kept cards that play alone
        ("sheephead_random_bidding", np.int64),
        ("sheephead_random_play", np.int64),
    ]
)

MOST_STRENGTH = 20
"""More than any six cards have: those who pick or play alone from here on never do."""

# Points of a trick for which a high trump, a low one on another suit, a queen is spent.
_WORTH_TAKING, _WORTH_TRUMPING, _WORTH_A_QUEEN = 6, 3, 15

_QUEENS_AND_JACKS = QUEENS | JACKS
_NONE = np.uint64(0)
_ONE = np.uint64(1)


@kernel
def choose_by_rule(view: State, seat: Seat, policy: np.record, rng: Rng) -> Action:
    """Bid or play, each by the rules or at random."""
    if view.phase >= PLAYING:
        if policy.sheephead_random_play != 0:
            return random_action(view, seat, rng)
        return play_by_rule(view, seat)
    if policy.sheephead_random_bidding != 0:
        return random_action(view, seat, rng)
    return bid_by_rule(view, seat, policy.sheephead_pick, policy.sheephead_alone)


@kernel
def bid_by_rule(view: State, seat: Seat, pick: int, alone: int) -> Action:
    """Pick, bury, declare, show queens or crack."""
    if view.phase == BIDDING:
        return PICK if strength(view.hand[seat]) >= pick or must_pick(view, seat) else PASS
    if view.phase == BURYING:
        return choose_bury(view, seat)
    if view.phase == DECLARING:
        return choose_declaration(view, seat, alone)
    if view.phase == BLITZING:
        return choose_blitz(view, seat)
    return choose_crack(view, seat, alone)


@kernel
def play_by_rule(view: State, seat: Seat) -> Action:
    """Play a card."""
    cards = playable(view, seat)
    if cards & (cards - _ONE) == _NONE:
        return lowest(cards)
    if view.phase == NOLA_PLAYING:
        return _duck_the_last(view, cards)
    if view.phase != PLAYING:
        return _take_little(view, cards)
    if view.n_laid == 0:
        return _lead(view, seat, cards)
    return _follow(view, seat, cards)


@inner_kernel
def _is_friend(view: State, seat: Seat, other: Seat) -> bool:
    """Whether another seat plays with this one, as far as it can know.

    Who may be the partner counts as a defender until he has shown himself: so defenders trust all
    but the picker, and the picker nobody. `outlook.side_of` keeps those apart who are not known.
    """
    return is_on_side(view, seat) == is_on_side(view, other)


@inner_kernel
def _with_points(cards: np.uint64, most: bool) -> int:
    """Return the card with most points, or with fewest; of equal ones the lower."""
    best, best_points = -1, 0
    while cards != _NONE:
        card = lowest(cards)
        cards &= cards - _ONE
        points = POINTS[card]
        if best < 0 or (points > best_points if most else points < best_points):
            best, best_points = card, points
    return best


@inner_kernel
def _lead(view: State, seat: Seat, cards: np.uint64) -> Action:
    """Lead trump on the picker's side, fail on the other."""
    on_side = is_on_side(view, seat)
    unseen = unseen_by(view, seat)
    trumps = cards & TRUMPS & ~unknown_in_hand(view)
    fails = cards & ~trumps
    if on_side and trumps != _NONE and unseen & TRUMPS != _NONE:
        top = highest(trumps)
        is_high = top > highest(unseen & TRUMPS)
        picks = view.picker == seat + 1
        # A partner hands the lead over to the picker, who may have the highest.
        return top if is_high or picks else _with_points(trumps, False)
    if fails == _NONE:
        return lowest(trumps)
    suit = called_suit(view)
    if not on_side and suit >= 0 and view.called_led == 0:
        into_called = fails & cards_of_suit(suit)
        if into_called != _NONE:
            return _with_points(into_called, False)
    return _lead_fail(fails, unseen, unknown_in_hand(view))


@inner_kernel
def _lead_fail(fails: np.uint64, unseen: np.uint64, unknown: np.uint64) -> Action:
    """Lead the highest card of a suit that is still out with others, or else few points."""
    best, best_worth = -1, -1000
    rest = fails
    while rest != _NONE:
        card = lowest(rest)
        rest &= rest - _ONE
        if unknown & bit(card) != _NONE:
            worth = 0  # the lowest of the called suit, whatever it is
        else:
            others = unseen & cards_of_suit(card // FAIL_CARDS)
            is_high = others == _NONE or highest(others) < card
            worth = 5 * popcount(others) + (10 if card % FAIL_CARDS == ACE else 0)
            worth += 0 if is_high else -2 * POINTS[card]
        if worth > best_worth:
            best, best_worth = card, worth
    return best


@inner_kernel
def _follow(view: State, seat: Seat, cards: np.uint64) -> Action:
    """Add points to a friend's trick, take the others' if it pays, or play little."""
    winner = view.winner
    is_last = view.n_laid == SEATS - 1
    winning = winners(view, cards)
    if _is_friend(view, seat, winner) and (is_last or _is_safe(view, seat)):
        return _schmear(cards)
    losing = cards & ~winning
    worth = points_laid(view)
    if winning != _NONE:
        if is_last:
            best = _with_points(winning & ~_QUEENS_AND_JACKS, True)
            worth += POINTS[best] if best >= 0 else 0
            if worth > 0 or losing == _NONE:
                return best if best >= 0 else lowest(winning)
        else:
            return _take_early(view, seat, cards, winning, worth)
    return _throw(losing if losing != _NONE else cards)


@inner_kernel
def _take_early(
    view: State, seat: Seat, cards: np.uint64, winning: np.uint64, worth: int
) -> Action:
    """Take a trick that others may still take, with a card that they can hardly beat."""
    losing = cards & ~winning
    top = highest(winning)
    unseen = unseen_by(view, seat)
    above = unseen & stronger(view, top)
    is_fail = top < FIRST_TRUMP
    if above == _NONE or (not is_fail and popcount(above) <= 1 and worth >= _WORTH_TAKING):
        return top
    if is_fail and above & FAIL == _NONE:
        return top  # only a trump beats it
    if not is_fail and view.led != TRUMP and worth >= _WORTH_TRUMPING:
        return lowest(winning & TRUMPS) if worth < _WORTH_A_QUEEN else top
    return _throw(losing if losing != _NONE else cards)


@inner_kernel
def _is_safe(view: State, seat: Seat) -> bool:
    """Whether the trick of a friend will hardly be taken by the seats that still play."""
    laid = wide(view.laid[view.winner])
    if laid <= 0:
        return False
    above = unseen_by(view, seat) & stronger(view, laid - 1)
    enemies = 0
    other = wide(view.left[seat])
    while other != view.leader:
        enemies += 0 if _is_friend(view, seat, other) else 1
        other = wide(view.left[other])
    if enemies == 0 or above == _NONE:
        return True
    return laid > FIRST_TRUMP and popcount(above) * enemies <= 1


@inner_kernel
def _schmear(cards: np.uint64) -> Action:
    """Return the card with most points, but no queens and jacks if there is anything else."""
    spare = cards & ~_QUEENS_AND_JACKS
    return _with_points(spare, True) if spare != _NONE else lowest(cards)


@inner_kernel
def _throw(cards: np.uint64) -> Action:
    """Throw away as little as possible: few points, and of these the lowest card."""
    fails = cards & FAIL
    best = _with_points(cards, False)
    if fails != _NONE:
        card = _with_points(fails, False)
        return card if POINTS[card] <= 4 or POINTS[card] <= POINTS[best] else best
    return best


@inner_kernel
def _duck_the_last(view: State, cards: np.uint64) -> Action:
    """Get rid of high cards as long as another trick follows; then stay below."""
    best, best_worth = -1, -1000
    winning_power = 0
    if view.n_laid > 0:
        winning_power = power_in(view.phase, view.led, wide(view.laid[view.winner]) - 1)
    rest = cards
    while rest != _NONE:
        card = lowest(rest)
        rest &= rest - _ONE
        worth = NOLA_RANK[card]
        led = view.led if view.n_laid > 0 else suit_in(view.phase, card)
        takes = power_in(view.phase, led, card) > winning_power
        if view.tricks_played == TRICKS - 2 and takes:
            worth -= 20  # who leads to the last trick takes it more often than not
        if worth > best_worth:
            best, best_worth = card, worth
    return best


@inner_kernel
def _take_little(view: State, cards: np.uint64) -> Action:
    """Play for few points in a leaster: stay below, and throw points on others' tricks."""
    if view.n_laid == 0:
        return _with_points(cards, False)
    losing = cards & ~winners(view, cards)
    if losing != _NONE:
        return _with_points(losing, True)
    if view.n_laid == SEATS - 1:
        return highest(cards)
    return _with_points(cards, False)


implement("choose", RULE, choose_by_rule)


@dataclass(frozen=True)
class RuleConfig:
    """What the rule bot bids on; and what it leaves to chance, to measure the other part alone."""

    pick: int = PICK_FROM  # picks with hands of this strength
    alone: int = ALONE_FROM  # plays alone with kept cards of this strength
    bidding: Literal["rule", "random"] = "rule"
    play: Literal["rule", "random"] = "rule"

    def __post_init__(self) -> None:
        """Refuse a strength that no hand has."""
        for name, value in (("pick", self.pick), ("alone", self.alone)):
            if not 0 <= value <= MOST_STRENGTH:
                raise SpecError(f"rule: {name}={value}: expected 0..{MOST_STRENGTH}")


class RuleAgent(PolicyAgent):
    """Plays by the conventions of the game.

    It picks with a strength of 7 (queens and joker 3, jacks 2, diamonds 1), buries points of short
    fail suits, and calls where it keeps few cards. The picker's side leads trump; defenders lead
    the called suit or aces. Points go to friends' tricks. In a Nola high cards go first.

    `bidding=random` picks, buries and calls at random, `play=random` plays cards at random.
    """

    name = "rule"
    Config = RuleConfig

    def __init__(self, game: Game, config: RuleConfig | None = None) -> None:
        """Write the parameters into the policy."""
        super().__init__(game, config)
        self.policy = rule_policy(self.config)


def rule_policy(config: Any) -> np.record:
    """Make the policy of a configuration."""
    policy: np.record = np.zeros(1, RULE)[0]
    policy.sheephead_pick = config.pick
    policy.sheephead_alone = config.alone
    policy.sheephead_random_bidding = config.bidding == "random"
    policy.sheephead_random_play = config.play == "random"
    return policy
