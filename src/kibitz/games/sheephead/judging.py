"""What players of Sheephead are judged by: conventions of leading, of giving points, of bidding.

Each habit is counted where it is possible, which its title says (in the catalogues); its levels are
situations, and decisions are grouped by the trick they are made in. Players complain of bots that
break these more than of weak ones.
"""

import numpy as np

from kibitz.core.bits import popcount
from kibitz.core.game import Action, Actions, Seat, State, States
from kibitz.core.habits import Battery, Ints
from kibitz.core.kernels import inner_kernel, kernel
from kibitz.games.sheephead.bidding import strength
from kibitz.games.sheephead.cards import (
    ACES,
    ALONE,
    CARDS,
    FIRST_TRUMP,
    PICK,
    POINTS,
    TRUMPS,
    bit,
    cards_of_suit,
)
from kibitz.games.sheephead.declaring import buried_by
from kibitz.games.sheephead.outlook import points_laid, side_of, winners
from kibitz.games.sheephead.payments import card_points
from kibitz.games.sheephead.play import called_suit, playable
from kibitz.games.sheephead.state import (
    BIDDING,
    BURYING,
    DECLARING,
    NOLA_PLAYING,
    PLAYING,
    TRICKS,
    wide,
)

DEFENDER_TRUMP, PARTNER_TRUMP, PICKER_TRUMP, CALLED_LED, ACE_LED = 0, 1, 2, 3, 4
SCHMEAR, KEPT, TAKEN, OVER_FRIEND = 5, 6, 7, 8
PICKS, GOES_ALONE, BURIES_POINTS, BURIES_TRUMP, NOLA_HIGH = 9, 10, 11, 12, 13

FIRST, LATER = 1, 2  # levels of leads: the first trick, and those after it
SURE, OPEN = 1, 2  # of giving points: nobody can take it any more, or somebody may

MANY_POINTS = 10
"""What counts as points that are given or kept: tens and aces."""

_NONE = np.uint64(0)


@kernel
def _watch(
    habit: int, levels: Ints, views: States, seats: Ints, actions: Actions, found: Ints
) -> None:
    """Look for a habit; decisions are grouped by the trick that is played, 0 before the first."""
    for k in range(len(views)):
        found[k, len(levels)] = views[k].tricks_played + 1 if views[k].phase >= PLAYING else 0
        for i in range(len(levels)):
            found[k, i] = look(habit, levels[i], views[k], seats[k], actions[k])


@inner_kernel
def look(habit: int, level: int, view: State, seat: Seat, action: Action) -> int:
    """Return what is seen of one habit at one level in a decision."""
    if view.phase == PLAYING:
        if habit <= ACE_LED and view.n_laid == 0:
            return _look_at_lead(habit, level, view, seat, action)
        if SCHMEAR <= habit <= OVER_FRIEND and view.n_laid > 0:
            return _look_at_follow(habit, level, view, seat, action)
        return 0
    if habit == NOLA_HIGH and view.phase == NOLA_PLAYING:
        return _look_at_nola(level, view, seat, action)
    if habit == PICKS and view.phase == BIDDING:
        own = strength(view.hand[seat])
        return 1 + (action == PICK) if _is_within(own, level) else 0
    if habit == GOES_ALONE and view.phase == DECLARING:
        return 1 + (action == ALONE) if _is_within(strength(view.hand[seat]), level) else 0
    if view.phase == BURYING and habit == BURIES_POINTS:
        return 1 + (card_points(buried_by(action)) >= level)
    if view.phase == BURYING and habit == BURIES_TRUMP:
        can_avoid = popcount(view.hand[seat] & ~TRUMPS) >= 2
        return 1 + (buried_by(action) & TRUMPS != _NONE) if can_avoid else 0
    return 0


@inner_kernel
def _is_within(own: int, level: int) -> bool:
    """Whether a strength is of a level: three strengths from it on; the last has no end."""
    return level <= own < level + 3 or (level >= 12 and own >= level)


@inner_kernel
def _look_at_lead(habit: int, level: int, view: State, seat: Seat, action: Action) -> int:
    """Judge a lead: who leads trump though he has fail, and fail though he has trump."""
    if (view.tricks_played == 0) != (level == FIRST):
        return 0
    cards = playable(view, seat)
    picks, helps = view.picker == seat + 1, view.partner == seat + 1
    defends = not picks and not helps
    both = cards & TRUMPS != _NONE and cards & ~TRUMPS != _NONE
    leads_trump = action >= FIRST_TRUMP and action + 1 != view.face_down
    if habit == DEFENDER_TRUMP:
        return 1 + leads_trump if defends and both else 0
    if habit == PARTNER_TRUMP:
        return 1 + leads_trump if helps and both else 0
    if habit == PICKER_TRUMP:
        return 1 + leads_trump if picks and both else 0
    suit = called_suit(view)
    if habit == CALLED_LED:
        if not defends or suit < 0 or view.called_led != 0:
            return 0
        of_called = cards & cards_of_suit(suit)
        if of_called in (_NONE, cards):
            return 0
        return 1 + (of_called & bit(action) != _NONE)
    aces = cards & ACES
    return 1 + (aces & bit(action) != _NONE) if defends and aces != _NONE else 0


@inner_kernel
def _look_at_follow(habit: int, level: int, view: State, seat: Seat, action: Action) -> int:
    """Judge a card to a trick: points on a friend's, kept from an enemy's, and taking over."""
    cards = playable(view, seat)
    side = side_of(view, seat, view.winner)
    is_sure = _is_sure(view, seat)
    if (level == SURE) != is_sure:
        return 0
    rich, winning = _rich(cards), winners(view, cards)
    losing = cards & ~winning
    gives = POINTS[action] >= MANY_POINTS
    takes = winning & bit(action) != _NONE
    if habit == SCHMEAR:
        return 1 + gives if side > 0 and rich != _NONE and rich != cards else 0
    if habit == OVER_FRIEND:
        return 1 + takes if side > 0 and winning != _NONE and losing != _NONE else 0
    if side >= 0:
        return 0
    if habit == KEPT:
        is_choice = winning == _NONE and rich != _NONE and rich != cards
        return 1 + (not gives) if is_choice else 0
    is_choice = winning != _NONE and losing != _NONE and points_laid(view) >= MANY_POINTS
    return 1 + takes if is_choice else 0


@inner_kernel
def _rich(cards: np.uint64) -> np.uint64:
    """Return the aces and tens among some cards."""
    found = _NONE
    for card in range(CARDS):
        if POINTS[card] >= MANY_POINTS:
            found |= cards & bit(card)
    return found


@inner_kernel
def _is_sure(view: State, seat: Seat) -> bool:
    """Whether no enemy, and nobody who may be one, plays to this trick after a seat."""
    other = wide(view.left[seat])
    while other != view.leader:
        if side_of(view, seat, other) <= 0:
            return False
        other = wide(view.left[other])
    return True


@inner_kernel
def _look_at_nola(level: int, view: State, seat: Seat, action: Action) -> int:
    """Judge Nola: 1 takes an early trick, one before the last two; 2 ducks in them."""
    is_late = view.tricks_played >= TRICKS - 2
    if view.n_laid == 0 or is_late != (level == 2):
        return 0
    cards = playable(view, seat)
    winning = winners(view, cards)
    if winning in (_NONE, cards):
        return 0
    takes = winning & bit(action) != _NONE
    return 1 + (not takes if is_late else takes)


_ARE = Battery("sheephead", "trick", _watch)

HABITS = (
    _ARE.habit(DEFENDER_TRUMP, "defender-trump", "when", FIRST, LATER),
    _ARE.habit(PARTNER_TRUMP, "partner-trump", "when", FIRST, LATER),
    _ARE.habit(PICKER_TRUMP, "picker-trump", "when", FIRST, LATER),
    _ARE.habit(CALLED_LED, "called", "when", FIRST, LATER),
    _ARE.habit(ACE_LED, "ace", "when", FIRST, LATER),
    _ARE.habit(SCHMEAR, "schmear", "after", SURE, OPEN),
    _ARE.habit(KEPT, "kept", "after", SURE, OPEN),
    _ARE.habit(TAKEN, "taken", "after", SURE, OPEN),
    _ARE.habit(OVER_FRIEND, "overtake", "after", SURE, OPEN),
    _ARE.habit(PICKS, "picks", "strength", 3, 6, 9, 12),
    _ARE.habit(GOES_ALONE, "alone", "strength", 6, 9, 12),
    _ARE.habit(BURIES_POINTS, "bury", "points", 10, 20),
    _ARE.habit(BURIES_TRUMP, "bury-trump", "level", 0),
    _ARE.habit(NOLA_HIGH, "nola", "stage", 1, 2),
)
