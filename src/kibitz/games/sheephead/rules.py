"""The rules of Sheephead (five players) as kernels on one record.

**Rules.** 32 cards, fourteen of them trumps: queens, joker and jacks, then diamonds; six cards each
of clubs, spades and hearts. All hold six and two lie in the blind. Everybody in turn picks or
passes. Who picks takes the blind, buries two cards, and calls a card whose holder becomes his
partner, or plays alone. Six tricks are played; his side needs 61 of 120 points. If nobody picks, a
Nola is played without trumps: who takes the last trick pays. README.md has all of it.

**A hand.** BIDDING - BURYING - DECLARING - BLITZING (option `blitz`) - CRACKING (option `crack`) -
PLAYING; or, if nobody picks and by the option `pass`, NOLA_PLAYING, LEASTER_PLAYING, nothing, or
the same hand dealt again.

**Variants.** The options of the spec.

**Simplifications.** README.md lists house rules that are left out, and what was decided where the
sources are silent.

**Actions.** cards.py; `legal` lists them by ascending numbers.
"""

import numpy as np

from kibitz.core.bits import lowest, popcount
from kibitz.core.game import Action, Actions, Scores, Seat, State, register
from kibitz.core.kernels import inlined_kernel, inner_kernel, kernel
from kibitz.core.rng import Rng, below
from kibitz.games.sheephead.candidates import describe
from kibitz.games.sheephead.cards import (
    ALONE,
    CALL_UNKNOWN,
    CARDS,
    CRACK,
    PASS,
    PICK,
    bit,
)
from kibitz.games.sheephead.declaring import (
    buried_by,
    card_called_by,
    card_laid_by,
    draw_card,
    is_bury,
    list_buries,
    list_declarations,
    may_bury,
    may_declare,
    random_bury,
    random_declaration,
)
from kibitz.games.sheephead.doubling import (
    blitz,
    crack,
    list_blitzes,
    may_blitz,
    random_blitz,
)
from kibitz.games.sheephead.payments import pay_doubler, pay_leaster, pay_nola, pay_picked
from kibitz.games.sheephead.places import deal_deck
from kibitz.games.sheephead.play import lay, playable
from kibitz.games.sheephead.state import (
    BIDDING,
    BLITZING,
    BURYING,
    CRACKING,
    DECLARING,
    DOUBLER,
    FORCED,
    LEASTER,
    LEASTER_PLAYING,
    MOST_REDEALS,
    NOLA_PLAYING,
    OVER,
    PLAYING,
    REDEAL,
    SEATS,
    STATE,
    WAITING,
    wide,
)
from kibitz.games.sheephead.worlds import conceal, resample

MAX_LEGAL = 28

_NONE = np.uint64(0)
_ONE = np.uint64(1)
_ALL = (1 << SEATS) - 1


@kernel
def deal(state: State, rng: Rng) -> None:
    """Begin the next hand, or the same one again if nobody has picked."""
    if state.redeals == 0:
        _pass_the_deal(state, rng)
    for seat in range(SEATS):
        state.played[seat] = _NONE
        state.points[seat] = 0
        state.tricks[seat] = 0
        state.void[seat] = 0
        state.laid[seat] = 0
        state.last[seat] = 0
    state.buried = _NONE
    state.tricks_played = 0
    state.passed = 0
    state.picker = 0
    state.called = 0
    state.partner = 0
    state.face_down = 0
    state.face_down_at = 0
    state.face_down_to = 0
    state.called_led = 0
    state.without = 0
    state.revealed = 0
    state.black = 0
    state.red = 0
    state.cracks = 0
    state.last_leader = 0
    state.last_winner = 0
    deal_deck(state, rng)
    state.turn = wide(state.left[state.dealer])
    state.phase = BIDDING


@inner_kernel
def _pass_the_deal(state: State, rng: Rng) -> None:
    """Let the deal pass to the left; where it is time for it, draw the seats again."""
    if state.dealt == 0:
        for seat in range(SEATS):
            state.left[seat] = (seat + 1) % SEATS
        state.dealer = SEATS - 1
    else:
        state.dealer = state.left[state.dealer]
        if state.redraw > 0 and state.dealt % state.redraw == 0:
            _draw_seats(state, rng)
    state.dealt += 1


@inner_kernel
def _draw_seats(state: State, rng: Rng) -> None:
    """Draw the places at the table: one after the other sits down to the left."""
    waiting = np.uint64(_ALL - 1)
    seat = 0
    while waiting != _NONE:
        following = draw_card(waiting, rng)
        waiting &= ~bit(following)
        state.left[seat] = following
        seat = following
    state.left[seat] = 0


@kernel
def movers(state: State) -> int:
    """Return the seat that must decide now."""
    return 0 if state.phase == WAITING or state.phase == OVER else 1 << state.turn


@kernel
def must_pick(state: State, seat: Seat) -> bool:
    """Whether a seat that bids may not pass."""
    if seat != state.dealer:
        return False
    return state["pass"] == FORCED or (state["pass"] == REDEAL and state.redeals == MOST_REDEALS)


@kernel
def legal(state: State, seat: Seat, out: Actions) -> int:
    """List what a seat may do, by ascending numbers."""
    if state.phase >= PLAYING:
        n = 0
        cards = playable(state, seat)
        while cards != _NONE:
            out[n] = lowest(cards)
            cards &= cards - _ONE
            n += 1
        return n
    if state.phase == BURYING:
        return list_buries(state, seat, out)
    if state.phase == DECLARING:
        return list_declarations(state, seat, out)
    if state.phase == BLITZING:
        return list_blitzes(state, seat, out)
    if state.phase == BIDDING and must_pick(state, seat):
        out[0] = PICK
        return 1
    out[0] = PASS
    out[1] = PICK if state.phase == BIDDING else CRACK
    return 2


@kernel
def is_legal(state: State, seat: Seat, action: Action) -> bool:
    """Whether a seat may do this now."""
    if seat < 0 or seat >= SEATS or (movers(state) >> seat) & 1 == 0:
        return False
    if state.phase >= PLAYING:
        return 0 <= action < CARDS and playable(state, seat) & bit(action) != _NONE
    if state.phase == BURYING:
        return is_bury(action) and may_bury(state, seat, buried_by(action))
    if state.phase == DECLARING:
        return may_declare(state, seat, action)
    if state.phase == BIDDING:
        return action == PICK or (action == PASS and not must_pick(state, seat))
    if state.phase == BLITZING:
        return may_blitz(state, seat, action)
    return action in (PASS, CRACK)


@kernel
def random_action(state: State, seat: Seat, rng: Rng) -> Action:
    """Draw one of the legal actions."""
    if state.phase >= PLAYING:
        return _draw_of_hand(playable(state, seat), rng)
    if state.phase == BURYING:
        return random_bury(state, seat, rng)
    if state.phase == DECLARING:
        return random_declaration(state, seat, rng)
    if state.phase == BIDDING:
        return PICK if must_pick(state, seat) else PASS + below(rng, 2)
    if state.phase == BLITZING:
        return random_blitz(state, seat, rng)
    return PASS if below(rng, 2) == 0 else CRACK


@inlined_kernel
def _draw_of_hand(cards: np.uint64, rng: Rng) -> int:
    """Draw one of at most six cards, without a branch that could not be predicted."""
    n = below(rng, popcount(cards))
    for i in range(5):
        cards = cards & (cards - _ONE) if i < n else cards
    return lowest(cards)


@kernel
def apply(state: State, seat: Seat, action: Action) -> None:
    """Commit an action."""
    if state.phase >= PLAYING:
        if lay(state, seat, action):
            _pay(state)
    elif state.phase == BIDDING:
        _bid(state, seat, action)
    elif state.phase == BURYING:
        state.buried = buried_by(action)
        state.hand[seat] &= ~state.buried
        state.phase = DECLARING
    elif state.phase == DECLARING:
        _declare(state, seat, action)
    elif state.phase == BLITZING:
        if blitz(state, seat, action):
            _begin_cracks(state)
    elif crack(state, seat, action):
        _begin_play(state, PLAYING)


@inner_kernel
def _pay(state: State) -> None:
    """Pay a hand whose last trick has been taken."""
    if state.phase == PLAYING:
        pay_picked(state)
    elif state.phase == NOLA_PLAYING:
        pay_nola(state)
    else:
        pay_leaster(state)


@inner_kernel
def _bid(state: State, seat: Seat, action: Action) -> None:
    """Pick the blind, or pass."""
    if action == PICK:
        state.picker = seat + 1
        state.hand[seat] |= state.blind
        state.blind = _NONE
        state.phase = BURYING
        return
    state.passed |= 1 << seat
    state.turn = wide(state.left[seat])
    if state.passed == _ALL:
        _go_on_without_picker(state)


@inner_kernel
def _go_on_without_picker(state: State) -> None:
    """Do what the option `pass` says: everybody has passed."""
    if state["pass"] == DOUBLER:
        pay_doubler(state)
    elif state["pass"] == REDEAL:
        state.redeals += 1
        state.turn = 0
        state.phase = WAITING
    else:
        _begin_play(state, LEASTER_PLAYING if state["pass"] == LEASTER else NOLA_PLAYING)


@inner_kernel
def _begin_play(state: State, phase: int) -> None:
    """Let the dealer's left neighbour lead."""
    state.phase = phase
    state.leader = wide(state.left[state.dealer])
    state.turn = state.leader


@inner_kernel
def _declare(state: State, seat: Seat, action: Action) -> None:
    """Call a card, or play alone."""
    if action != ALONE:
        called = card_called_by(action)
        state.called = called + 1
        state.without = 1 << seat
        for other in range(SEATS):
            if state.hand[other] & bit(called) != _NONE:
                state.partner = other + 1
    if action >= CALL_UNKNOWN:
        state.face_down = card_laid_by(action) + 1
    state.turn = wide(state.left[seat])
    if state.blitz != 0:
        state.phase = BLITZING
    else:
        _begin_cracks(state)


@inner_kernel
def _begin_cracks(state: State) -> None:
    """Ask the others whether they crack, where the options allow it; else play."""
    if state.crack != 0:
        state.phase = CRACKING
    else:
        _begin_play(state, PLAYING)


@kernel
def is_over(state: State) -> bool:
    """Whether the session has ended."""
    return state.phase == OVER


@kernel
def scores(state: State, out: Scores) -> None:
    """Write the money of all hands."""
    for seat in range(SEATS):
        out[seat] = state.money[seat]


@kernel
def max_legal(state: State) -> int:
    """Return the most actions a seat may choose from: pairs of eight cards."""
    return MAX_LEGAL


register(
    STATE,
    deal=deal,
    movers=movers,
    legal=legal,
    is_legal=is_legal,
    apply=apply,
    is_over=is_over,
    scores=scores,
    conceal=conceal,
    resample=resample,
    max_legal=max_legal,
    random_action=random_action,
    describe=describe,
)
