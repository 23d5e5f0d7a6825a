"""A learnt policy inside kernels: what it would do, how well it explains a world, how a hand ends.

A world is a guess at all cards. It is the more probable the better it explains what everybody has
done: `explain` deals the guessed cards, lets everything happen again, and adds up logarithms of
what the policy gives to the actions that were taken, by what their seats saw then.

- Cards are played in the order that `recall` has found.
- The two cards that the picker buried are drawn again: by what the policy buries of his eight
  cards, among pairs that fit. What they are all together counts as the weight of the bury.
- Which two of his eight cards were the blind nobody can tell, himself included: some are tried.
- Of an action of probability p among n, (1 - doubt) p + doubt / n counts: players are not the
  policy, and a single surprise must not rule out a world.

`play_on` lets the policy play a hand to its end in a world, every seat by what it sees, or until a
seat has a choice again: a critic, who sees all cards of the world, says what follows.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kibitz.core.game import (
    Action,
    Actions,
    Seat,
    State,
    States,
    apply,
    conceal,
    legal,
)
from kibitz.core.kernels import inner_kernel, kernel
from kibitz.core.rng import Rng, below, unit
from kibitz.games.sheephead.cards import (
    ALONE,
    CALL_ACE,
    CALL_TEN,
    FAIL_CARDS,
    PASS,
    PICK,
    TEN,
    bit,
    cards_of_suit,
    unknown_action,
)
from kibitz.games.sheephead.declaring import buried_by, draw_card, may_declare
from kibitz.games.sheephead.doubling import n_doublings, queens_shown
from kibitz.games.sheephead.play import called_suit
from kibitz.games.sheephead.recalling import FACE_DOWN, Order, take_back
from kibitz.games.sheephead.state import (
    BIDDING,
    BURYING,
    DECLARING,
    NOLA,
    OVER,
    PLAYING,
    SEATS,
    WAITING,
    wide,
)
from kibitz.search.candidates import Critic, Policy, draw_place, judge, write_logits

BLINDS = 3
"""Pairs that are tried as the blind, to judge why the picker picked."""

NEVER = -1e9
"""Logarithm of the weight of a world that cannot be."""

HEAT = 0.5
"""Temperature of playouts: what is learnt explores, and players do so less."""

N_SCRATCH = 3
"""States that a mind needs: the hand, what a seat sees of it, and one more."""

NOBODY = -1
"""No seat."""

_NONE = np.uint64(0)


class Mind(NamedTuple):
    """A policy of candidates, its critic, and scratch."""

    policy: Policy
    critic: Critic
    asks_critic: bool  # else hands are played to their ends
    states: States  # [N_SCRATCH]


@inner_kernel
def _make_plain(view: State) -> None:
    """Let a view be one of a single hand under the usual rules, which is all that was learnt.

    What may be done is listed before, by the rules at hand; money does not change what is good.
    """
    for seat in range(SEATS):
        view.money[seat] = 0
    view.hands, view.dealt, view.doubled, view.redeals = 1, 1, 0, 0
    view["pass"] = NOLA
    view.bump, view.lead_called, view.slough, view.underlead = 0, 1, 0, 0
    view.unknown, view.bury, view.called_ten, view.stack = 0, 0, 0, 0
    view.blitz, view.crack, view.open = 0, 0, 0
    view.black, view.red, view.cracks = 0, 0, 0


@inner_kernel
def look(mind: Mind, state: State, seat: Seat) -> int:
    """Write log-probabilities of what a seat may do to `logits`, by what it sees; return how many.

    The actions are in `listed`; a single one is not looked at.
    """
    policy = mind.policy
    n = legal(state, seat, policy.listed)
    policy.logits[0] = 0
    if n < 2:
        return n
    mind.states[1] = state
    view = mind.states[1]
    conceal(view, seat)
    _make_plain(view)
    write_logits(policy, view, seat, n)
    total = 0.0
    for i in range(n):
        total += math.exp(policy.logits[i])
    for i in range(n):
        policy.logits[i] -= math.log(total)
    return n


@inner_kernel
def _log_chance(mind: Mind, n: int, action: Action, doubt: float) -> float:
    """Return the logarithm of what an action has, after `look`; NEVER if it is not listed."""
    for i in range(n):
        if mind.policy.listed[i] == action:
            return math.log((1 - doubt) * math.exp(mind.policy.logits[i]) + doubt / n)
    return NEVER


@inner_kernel
def _take(mind: Mind, state: State, action: Action, me: Seat, doubt: float) -> float:
    """Let who is to decide do something; return its log-probability, 0 for the seat that asks."""
    seat, found = state.turn, 0.0
    if seat != me:
        found = _log_chance(mind, look(mind, state, seat), action, doubt)
    if found > NEVER:
        apply(state, seat, action)
    return found


@inner_kernel
def _explain_bids(mind: Mind, world: State, me: Seat, doubt: float, rng: Rng) -> float:
    """Explain who passed and who picked; `states[0]` is then after the bids."""
    state = mind.states[0]
    state.phase = BIDDING
    state.passed, state.picker, state.called, state.partner, state.without = 0, 0, 0, 0, 0
    state.face_down = 0
    state.turn = wide(world.left[world.dealer])
    total = 0.0
    while state.phase == BIDDING and wide(world.passed) >> state.turn & 1:
        total += _take(mind, state, PASS, me, doubt)
    if world.picker == 0:
        return total
    picker = wide(world.picker) - 1
    eight = state.hand[picker] | world.buried
    chance = 0.0
    for _ in range(BLINDS):
        one = draw_card(eight, rng)
        blind = bit(one) | bit(draw_card(eight & ~bit(one), rng))
        state.hand[picker] = eight & ~blind
        state.blind = blind
        if picker != me:
            n = look(mind, state, picker)
            chance += math.exp(_log_chance(mind, n, PICK, doubt)) / BLINDS
    apply(state, picker, PICK)
    return total if picker == me else total + math.log(chance)


@inner_kernel
def _can_have_buried(world: State, pair: np.uint64, eight: np.uint64) -> bool:
    """Whether the picker can have buried two of his cards, by what he has played, shown, called."""
    picker = wide(world.picker) - 1
    kept = eight & ~pair
    if pair & (world.played[picker] | queens_shown(world, picker)) != _NONE:
        return False
    if world.face_down > 0 and pair & bit(wide(world.face_down) - 1) != _NONE:
        return False
    held = kept & ~world.played[picker]
    unknown = bit(wide(world.face_down) - 1) if world.face_down > 0 else _NONE
    for suit in range(4):
        if world.void[picker] >> suit & 1 and held & cards_of_suit(suit) & ~unknown != _NONE:
            return False
    if world.called > 0 and world.face_down == 0 and world.called_led == 0:
        return held == _NONE or held & cards_of_suit(called_suit(world)) != _NONE
    return True


@inner_kernel
def _explain_bury(mind: Mind, world: State, doubt: float, rng: Rng) -> float:
    """Draw what another seat buried, by what the policy buries; write it to the world, too."""
    state, picker = mind.states[0], wide(world.picker) - 1
    eight = state.hand[picker]
    n = look(mind, state, picker)
    total, chosen = 0.0, -1
    for i in range(n):
        if _can_have_buried(world, buried_by(mind.policy.listed[i]), eight):
            chance = (1 - doubt) * math.exp(mind.policy.logits[i]) + doubt / n
            total += chance
            if unit(rng) * total < chance:
                chosen = i
    if chosen < 0:
        return NEVER
    pair = buried_by(mind.policy.listed[chosen])
    world.buried = pair
    world.hand[picker] = eight & ~pair & ~world.played[picker]
    apply(state, picker, mind.policy.listed[chosen])
    return math.log(total)


@inner_kernel
def declared(world: State) -> Action:
    """Return what the picker declared."""
    if world.called == 0:
        return ALONE
    card = wide(world.called) - 1
    if world.face_down > 0:
        return unknown_action(wide(world.face_down) - 1, card // FAIL_CARDS)
    is_ten = card % FAIL_CARDS == TEN
    return (CALL_TEN if is_ten else CALL_ACE) + card // FAIL_CARDS


@inner_kernel
def _explain_picker(mind: Mind, world: State, me: Seat, doubt: float, rng: Rng) -> float:
    """Explain bury and call; `states[0]` is then where the first card is led."""
    state, picker = mind.states[0], wide(world.picker) - 1
    total = 0.0
    if picker == me:
        state.buried = world.buried
        state.hand[picker] &= ~world.buried
        state.phase = DECLARING
    else:
        total += _explain_bury(mind, world, doubt, rng)
    if total <= NEVER or world.phase <= DECLARING:
        return total
    action = declared(world)
    if not may_declare(state, picker, action):
        return NEVER
    total += _take(mind, state, action, me, doubt)
    state.black, state.red, state.cracks = world.black, world.red, world.cracks
    state.phase = PLAYING
    state.leader = state.turn = wide(world.left[world.dealer])
    return total


@kernel
def explain(
    mind: Mind, world: State, me: Seat, order: Order, n_played: int, doubt: float, rng: Rng
) -> float:
    """Return the logarithm of how well a policy explains what all others did in a world.

    Args:
        mind: the policy.
        world: all cards; what another seat has buried is drawn again.
        me: who asks: what this seat did explains nothing.
        order: of the cards played, by `recall`.
        n_played: how many of them; -1 = the order is not known, only bids and calls count.
        doubt: see above.
        rng: for the bury, and for what may have been the blind.
    """
    mind.states[0] = world
    state = mind.states[0]
    take_back(world, state)
    state.buried = _NONE
    state.black, state.red, state.cracks = 0, 0, 0
    total = _explain_bids(mind, world, me, doubt, rng)
    if total <= NEVER or world.phase == BIDDING or world.phase == BURYING:
        return total
    if world.picker > 0:
        total += _explain_picker(mind, world, me, doubt, rng)
    if total <= NEVER or state.phase < PLAYING:
        return total
    for k in range(n_played):
        card = wide(world.face_down) - 1 if order[k] == FACE_DOWN else order[k]
        total += _take(mind, state, card, me, doubt)
        if total <= NEVER:
            return NEVER
    return total


@kernel
def play_on(mind: Mind, world: State, action: Action, until: Seat, rng: Rng) -> bool:
    """Let who is to decide do something, then the policy play on; return if the hand has ended.

    It stops before a seat, `until`, has a choice again; NOBODY plays to the end. `states[2]` is
    where it stops: at the end, `paid` says who gets what; nobody anything if it is dealt again.
    """
    mind.states[2] = world
    state = mind.states[2]
    for seat in range(SEATS):
        state.paid[seat] = 0  # of the hand before
    apply(state, state.turn, action)
    while state.phase != WAITING and state.phase != OVER:
        seat = state.turn
        n = look(mind, state, seat)
        if seat == until and n > 1:
            return False
        apply(state, seat, mind.policy.listed[draw_place(mind.policy, n, rng)])
    return True


@kernel
def expect(mind: Mind, world: State, seat: Seat) -> float:
    """Return the cents that the critic expects for a seat that is to decide in a world."""
    plain, view = mind.states[0], mind.states[1]
    mind.states[0] = world
    doublings = n_doublings(plain)
    _make_plain(plain)
    mind.states[1] = plain
    conceal(view, seat)
    return judge(mind.critic, plain, view, seat) * (1 << doublings)


@kernel
def explain_all(
    mind: Mind,
    worlds: States,
    me: Seat,
    order: Order,
    n_played: int,
    doubt: float,
    rng: Rng,
    out: npt.NDArray[np.float64],
) -> None:
    """Explain many worlds."""
    for k in range(len(worlds)):
        if worlds[k].misfits != 0:
            out[k] = NEVER
        else:
            out[k] = explain(mind, worlds[k], me, order, n_played, doubt, rng)


@kernel
def roll_out(
    mind: Mind,
    worlds: States,
    seat: Seat,
    actions: Actions,
    rngs: npt.NDArray[np.record],
    out: npt.NDArray[np.float64],
) -> None:
    """Write what a seat is paid, or its critic expects, after each action [worlds, actions].

    All actions of a world meet the same luck: `rngs[0]` is drawn from, `rngs[1]` is a copy.
    """
    until = seat if mind.asks_critic else NOBODY
    for k in range(len(worlds)):
        for i in range(len(actions)):
            rngs[1].counter, rngs[1].step = rngs[0].counter, rngs[0].step
            if play_on(mind, worlds[k], actions[i], until, rngs[1]):
                out[k, i] = mind.states[2].paid[seat]
            else:
                out[k, i] = expect(mind, mind.states[2], seat)
        below(rngs[0], 2)
