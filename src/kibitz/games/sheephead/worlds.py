"""What a seat knows, and worlds that fit it.

**Hidden.** The other hands; the blind; what was buried, and the unknown card, from all but the
picker; who holds the called card, until it is played. When a hand has ended everything is open;
with the option `open` everything always is.

**Uniform.** Whatever the five hands and the two cards on the table, equally many deals lead to
them: any two of the picker's eight cards can have been the blind. So the unseen cards are dealt
uniformly to the hidden places, among all ways that fit what has happened:

- A seat that did not follow has no card of that suit; of what the picker buried, and of his
  unknown card, that says nothing.
- The called card is in the hand of somebody who has not shown to be without it: it must be played
  when its suit is first led, and only it may be led of its suit, unless `underlead` allows it.
- Until its suit is led the picker keeps a card of it, or the unknown card.
- What was called tells of the picker's eight cards: with an unknown card, they have no fail suit
  without its ace; with a ten, they have all three aces.
- bury=fail: trumps were buried only if no fail card is kept.
- Queens that were shown in a blitz are in that hand.
- Who passed, and who cracked or showed no queens, says nothing here: see `bidding.pass_weight`.

**How.** Somebody gets the called card; then piles that may not have every card are filled, one
after the other, and the others get the rest. That would favour worlds in which few cards are left
for later piles; so a world is accepted with a probability that makes up for it, and else dealt
again. After MAX_TRIES the cards are dealt as if only the called card were known, and `misfits` is
1; in random play that is less than one world in 100,000.
"""

from typing import NamedTuple

import numpy as np

from kibitz.core.bits import lowest, popcount
from kibitz.core.game import Seat, State
from kibitz.core.kernels import inner_kernel, kernel
from kibitz.core.rng import Rng, unit
from kibitz.games.sheephead.cards import (
    ACE,
    ACES,
    ALL_CARDS,
    FAIL,
    FAIL_CARDS,
    FAIL_SUITS,
    NOLA_SUITS,
    POINTS,
    TEN,
    TRUMPS,
    bit,
    cards_of_suit,
)
from kibitz.games.sheephead.doubling import queens_shown
from kibitz.games.sheephead.places import (
    ANYWHERE,
    FACE_DOWN,
    N_PILES,
    TABLE,
    deal_cards,
    draw_cards,
    n_places,
    places,
    within,
)
from kibitz.games.sheephead.play import called_suit, is_first_lead
from kibitz.games.sheephead.state import (
    ANY_CARD,
    BLIND_CARDS,
    BURYING,
    HIDDEN,
    NOLA_PLAYING,
    OVER,
    SEATS,
    WAITING,
    n_cards,
    wide,
)

MAX_TRIES = 1000
"""How often the unseen cards are dealt for a world that fits."""

_NONE = np.uint64(0)


class _Plan(NamedTuple):
    """How the unseen cards are dealt: to some piles one by one, then to the rest together."""

    called: np.uint64  # the called card, if it is unseen
    holders: int  # bit mask of the seats that may hold it
    unseen: np.uint64  # all other cards
    free: np.uint64  # the places of all of them
    able: tuple[np.uint64, ...]  # the cards that may be in each pile
    order: np.uint64  # sets of piles that may have the same cards, in bytes, in which to fill them
    most: np.uint64  # the most cards for them that earlier ones can leave, in bytes
    n_steps: int  # how many such sets
    rest: int  # piles that get the rest, as a bit mask


@inner_kernel
def _is_open(state: State) -> bool:
    """Whether everybody sees everything."""
    return state.open != 0 or state.phase == WAITING or state.phase == OVER


@kernel
def conceal(state: State, seat: Seat) -> None:
    """Hide what a seat does not know."""
    state.misfits = 0
    if _is_open(state):
        return
    for other in range(SEATS):
        if other != seat:
            state.hand[other] = _NONE
    state.blind = _NONE
    if state.partner != seat + 1 and state.revealed == 0:
        state.partner = 0
    if state.picker != seat + 1:
        state.buried = _NONE
        if state.face_down > 0:
            _hide_unknown(state)


@inner_kernel
def _hide_unknown(state: State) -> None:
    """Turn the unknown card over, wherever it is."""
    card = wide(state.face_down) - 1
    picker = wide(state.picker) - 1
    state.face_down = HIDDEN
    if state.face_down_at == 0:
        return
    state.played[picker] &= ~bit(card)
    if state.laid[picker] == card + 1:
        state.laid[picker] = HIDDEN
    if state.last[picker] == card + 1:
        state.last[picker] = HIDDEN
    if state.face_down_to != 0:
        state.points[wide(state.face_down_to) - 1] -= POINTS[card & 31]


@inner_kernel
def _show_unknown(world: State) -> None:
    """Put the unknown card, which has been drawn, where it is."""
    card = wide(world.face_down) - 1
    picker = wide(world.picker) - 1
    if world.face_down_at == 0:
        world.hand[picker] |= bit(card)
        return
    world.played[picker] |= bit(card)
    if world.laid[picker] == HIDDEN:
        world.laid[picker] = card + 1
    if world.last[picker] == HIDDEN:
        world.last[picker] = card + 1
    if world.face_down_to != 0:
        world.points[wide(world.face_down_to) - 1] += POINTS[card & 31]


@kernel
def resample(view: State, seat: Seat, rng: Rng) -> None:
    """Fill the blanks of a view."""
    if _is_open(view):
        return
    hides_unknown = view.face_down == HIDDEN
    plan = _make_plan(view, seat)
    view.misfits = 1
    for _ in range(MAX_TRIES):
        _clear(view, seat)
        if _deal_by_plan(view, seat, plan, rng):
            view.misfits = 0
            break
    if view.misfits != 0:
        _clear(view, seat)
        _deal_anyhow(view, plan, rng)
    if hides_unknown:
        _show_unknown(view)
    if view.called != 0 and view.partner == 0:
        for other in range(SEATS):
            if view.hand[other] & bit(wide(view.called) - 1) != _NONE:
                view.partner = other + 1


@inner_kernel
def _is_picker(view: State, seat: Seat) -> bool:
    return view.picker != 0 and view.picker == seat + 1


@inner_kernel
def _clear(view: State, seat: Seat) -> None:
    """Take back the cards that were dealt."""
    for other in range(SEATS):
        if other != seat:
            view.hand[other] = queens_shown(view, other)
    view.blind = _NONE
    if not _is_picker(view, seat):
        view.buried = _NONE
        if view.face_down != 0:
            view.face_down = HIDDEN


@inner_kernel
def _unseen(view: State, seat: Seat) -> np.uint64:
    """Return the cards that a seat does not see."""
    unseen = ALL_CARDS & ~view.buried
    for other in range(SEATS):
        unseen &= ~(view.played[other] | queens_shown(view, other))
    return unseen & ~view.hand[seat] if seat >= 0 else unseen


@inner_kernel
def _free_places(view: State, seat: Seat) -> np.uint64:
    """Return the places of the cards that a seat does not see."""
    free = _NONE
    for other in range(SEATS):
        if other != seat:
            free |= places(other, n_cards(view, other) - popcount(queens_shown(view, other)))
    if view.phase != BURYING and not _is_picker(view, seat):
        free |= places(TABLE, BLIND_CARDS)
    if view.face_down == HIDDEN:
        free |= places(FACE_DOWN, 1)
        if view.face_down_at == 0:
            free -= places(wide(view.picker) - 1, 1)
    return free


# What may be where. This looks only at what does not change while cards are dealt.


@inner_kernel
def _able(view: State, seat: Seat, unseen: np.uint64, pile: int) -> np.uint64:
    """Return the unseen cards that may be in a pile."""
    able = unseen
    if pile < SEATS:
        for suit in range(4):
            if view.void[pile] >> suit & 1:
                able &= ~(NOLA_SUITS[suit] if view.phase == NOLA_PLAYING else cards_of_suit(suit))
    if view.picker == 0 or _is_picker(view, seat):
        return able
    if pile == view.picker - 1 or pile >= SEATS:
        return able & _able_for_picker(view, unseen, pile)
    return able & ~ACES if _has_called_ten(view) else able


@inner_kernel
def _has_called_ten(view: State) -> bool:
    return view.called != 0 and (wide(view.called) - 1) % FAIL_CARDS == TEN


@inner_kernel
def _able_for_picker(view: State, unseen: np.uint64, pile: int) -> np.uint64:
    """Return the cards that may be among the picker's eight, as one of his three piles."""
    able = ALL_CARDS
    if view.face_down != 0:
        his = unseen | view.played[wide(view.picker) - 1]
        for suit in range(FAIL_SUITS):
            if suit == called_suit(view) or his & bit(FAIL_CARDS * suit + ACE) == _NONE:
                able &= ~cards_of_suit(suit)
    if pile == TABLE and view.bury != ANY_CARD and _keeps_fail(view):
        able &= FAIL
    if pile == FACE_DOWN and view.unknown != ANY_CARD:
        able &= FAIL
    return able


@inner_kernel
def _keeps_fail(view: State) -> bool:
    """Whether it is known that the picker has kept a fail card."""
    if view.played[wide(view.picker) - 1] & FAIL != _NONE:
        return True
    return view.called != 0 and (view.face_down == 0 or view.unknown != ANY_CARD)


@inner_kernel
def _keeps_called_suit(view: State) -> bool:
    """Whether the picker must hold a card of the called suit."""
    if view.called == 0 or view.face_down != 0:
        return False
    picker = wide(view.picker) - 1
    if view.called_led == 0:
        return n_cards(view, picker) > 0
    return is_first_lead(view) and view.laid[picker] == 0


@inner_kernel
def _is_told_more(view: State, seat: Seat) -> bool:
    """Whether more is known of the picker's cards than which ones may be in his piles."""
    if view.picker == 0 or _is_picker(view, seat):
        return False
    return view.bury != ANY_CARD or view.face_down != 0 or _keeps_called_suit(view)


@inner_kernel
def _fits_picker(world: State) -> bool:
    """Whether the picker's cards fit his call, his obligation and what may be buried."""
    picker = wide(world.picker) - 1
    if _keeps_called_suit(world):
        return world.hand[picker] & cards_of_suit(called_suit(world)) != _NONE
    kept = world.hand[picker] | world.played[picker]
    if world.face_down != 0:
        kept |= bit(wide(world.face_down) - 1)
        for suit in range(FAIL_SUITS):
            ace = bit(FAIL_CARDS * suit + ACE)
            cards = (kept | world.buried) & cards_of_suit(suit)
            if cards != _NONE and cards & ace == _NONE:
                return False
    if world.bury == ANY_CARD:
        return True
    return world.buried & TRUMPS == _NONE or kept & FAIL == _NONE


# Dealing.


@inner_kernel
def _byte(word: np.uint64, k: int) -> int:
    return np.int64(word >> np.uint64(8 * k) & np.uint64(0xFF))  # type: ignore[return-value]


@inner_kernel
def _make_plan(view: State, seat: Seat) -> _Plan:
    """Decide which piles are filled one by one: those that may not have every card."""
    unseen, free = _unseen(view, seat), _free_places(view, seat)
    called = unseen & bit(wide(view.called) - 1) if view.called != 0 else _NONE
    unseen &= ~called
    holders = _holders(view, free) if called != _NONE else 0
    able = (
        _able(view, seat, unseen, 0),
        _able(view, seat, unseen, 1),
        _able(view, seat, unseen, 2),
        _able(view, seat, unseen, 3),
        _able(view, seat, unseen, 4),
        _able(view, seat, unseen, TABLE),
        _able(view, seat, unseen, FACE_DOWN),
    )
    rest = waiting = 0  # piles that may have every card, and others
    for pile in range(N_PILES):
        if _byte(free, pile) > 0:
            rest |= 1 << pile if able[pile] == unseen else 0
            waiting |= 1 << pile if able[pile] != unseen else 0
    order, most, n_steps = _NONE, _NONE, 0
    while waiting != 0:
        chosen, least = 0, 0
        for pile in range(N_PILES):
            if waiting >> pile & 1:
                alike = _alike(able, waiting, pile)
                spare = popcount(able[pile]) - n_places(within(free, alike))
                if chosen == 0 or spare < least:
                    chosen, least = alike, spare
        waiting &= ~chosen
        if waiting == 0 and rest == 0:
            rest = chosen
        else:
            left = popcount(able[_first(chosen)]) - _n_taken(able, free, holders, order, chosen)
            order |= np.uint64(chosen) << np.uint64(8 * n_steps)
            most |= np.uint64(max(0, left)) << np.uint64(8 * n_steps)
            n_steps += 1
    return _Plan(called, holders, unseen, free, able, order, most, n_steps, rest)


@inner_kernel
def _n_taken(
    able: tuple[np.uint64, ...], free: np.uint64, holders: int, order: np.uint64, piles: int
) -> int:
    """Return how many cards that some piles may have the piles before them take at least."""
    here = able[_first(piles)]
    elsewhere, n_all, n_each = _NONE, 0, 0
    while order != _NONE:
        before = _byte(order, 0)
        order >>= np.uint64(8)
        n = n_places(within(free, before)) - (1 if holders & before else 0)
        others = able[_first(before)] & ~here
        elsewhere |= others
        n_all += n
        n_each += max(0, n - popcount(others))
    return max(n_each, n_all - popcount(elsewhere))


@inner_kernel
def _first(piles: int) -> int:
    """Return the first of some piles."""
    return lowest(np.uint64(piles))


@inner_kernel
def _alike(able: tuple[np.uint64, ...], piles: int, pile: int) -> int:
    """Return those of some piles that may have the same cards as a pile."""
    alike = 0
    for other in range(N_PILES):
        alike |= 1 << other if piles >> other & 1 and able[other] == able[pile] else 0
    return alike


@inner_kernel
def _holders(view: State, free: np.uint64) -> int:
    """Return the seats that may hold the called card, as a bit mask."""
    holders = 0
    for seat in range(SEATS):
        is_able = view.without >> seat & 1 == 0 and view.void[seat] >> called_suit(view) & 1 == 0
        holders |= 1 << seat if is_able and _byte(free, seat) > 0 else 0
    return holders


@inner_kernel
def _draw_holder(plan: _Plan, rng: Rng) -> int:
    """Draw who holds the called card: as often as the rest can be dealt, as far as bounds tell."""
    n_rest = max(1, n_places(within(plan.free, plan.rest)))
    drawn = -1
    total = 0.0
    for seat in range(SEATS):
        if plan.holders >> seat & 1:
            ways = n_rest
            for k in range(plan.n_steps):
                piles = _byte(plan.order, k)
                if piles >> seat & 1:
                    ways = max(1, _byte(plan.most, k) - n_places(within(plan.free, piles)) + 1)
            weight = _byte(plan.free, seat) / ways
            total += weight
            if unit(rng) * total < weight:
                drawn = seat
    return drawn


@inner_kernel
def _deal_by_plan(view: State, seat: Seat, plan: _Plan, rng: Rng) -> bool:
    """Deal the unseen cards once; return whether the world is accepted."""
    left, free = plan.unseen, plan.free
    if plan.called != _NONE:
        if plan.holders == 0:
            return False
        free = deal_cards(view, plan.called, free, 1 << _draw_holder(plan, rng), rng)
    chance = 1.0
    for k in range(plan.n_steps):
        piles = _byte(plan.order, k)
        able = plan.able[_first(piles)] & left
        n, n_able = n_places(within(free, piles)), popcount(able)
        if n_able < n:
            return False
        for i in range(n):
            chance *= (n_able - i) / (_byte(plan.most, k) - i)
        taken = draw_cards(able, n, rng)
        free = deal_cards(view, taken, free, piles, rng)
        left &= ~taken
    if chance < 1.0 and unit(rng) >= chance:
        return False
    if plan.rest != 0 and left & ~plan.able[_first(plan.rest)] != _NONE:
        return False
    deal_cards(view, left, free, ANYWHERE, rng)
    return not _is_told_more(view, seat) or _fits_picker(view)


@inner_kernel
def _deal_anyhow(view: State, plan: _Plan, rng: Rng) -> None:
    """Deal the unseen cards; only the called card is where it may be."""
    free = deal_cards(view, plan.called, plan.free, plan.holders, rng)
    deal_cards(view, plan.unseen, free, ANYWHERE, rng)
