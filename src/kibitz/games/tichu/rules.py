"""The rules of Tichu (Nanjing, four players) as kernels on one record.

**Rules.** 56 cards: 2 to ace in four suits, Mah Jong, Dog, Phoenix, Dragon. All hold 14 and try to
play them first. Every seat gives one card to each other seat. Who has the Mah Jong leads; the
others pass or beat the combination with a higher one of the same kind and length, or with a bomb.
Kings and tens count 10, fives 5, the Dragon 25, the Phoenix -25. README.md has all of it.

**A round.** GRAND_CALLING (eight cards) - CALLING (fourteen) - EXCHANGE - CALLING - then TURN until
three are out or two partners are, with WISHING after the Mah Jong, DRAGON_TRICK when the Dragon has
won, and in the full game a WINDOW for bombs after every play and every pass.

**Windows.** Everybody with cards answers with a bomb or none, face down. The first seat in turn
order that bombs, counted from the seat whose turn would come, lays its bomb, and the others keep
their cards: they may use the window that follows. There is no window after the Dog, which cannot
be bombed, nor after the card that ends a round.

**Variants.** `variant=thesis` has no straight flushes, no windows, and single rounds.

**Simplifications.** None. Questions that the printed rules leave open are decided in README.md.

**Actions.** cards.py; choices.py lists them.
"""

import numpy as np

from kibitz.core.bits import lowest
from kibitz.core.game import Action, Scores, Seat, State, register
from kibitz.core.kernels import inner_kernel, kernel
from kibitz.core.rng import Rng
from kibitz.games.tichu.cards import (
    CALL,
    DRAGON_BIT,
    GRAND,
    MAH_JONG_BIT,
    PLAY,
    TICHU,
    cards_of,
    kind_of,
    low_bits,
    other_action,
    phoenix_of,
)
from kibitz.games.tichu.choices import MAX_LEGAL, describe, is_legal, legal, random_action
from kibitz.games.tichu.combinations import DOG, NOTHING, SINGLE, STEPS, STRAIGHT, classify
from kibitz.games.tichu.state import (
    CALLING,
    DRAGON_TRICK,
    EXCHANGE,
    GRAND_CALLED,
    GRAND_CALLING,
    OVER,
    ROUND,
    SEATS,
    STATE,
    THESIS,
    TICHU_CALLED,
    TURN,
    WAITING,
    WINDOW,
    WISHING,
    card_points,
    cards_of_rank,
    flushes,
    is_out,
    n_out,
    seats_in,
    wide,
)
from kibitz.games.tichu.wishes import clear_wish, note_denial
from kibitz.games.tichu.worlds import conceal, deal_hands, resample

DOUBLE_VICTORY = 200
TICHU_POINTS, GRAND_POINTS = 100, 200

_ALL = (1 << SEATS) - 1
_NONE = np.uint64(0)
_ONE = np.uint64(1)
_CALL_TICHU = other_action(CALL, TICHU)
_CALL_GRAND = other_action(CALL, GRAND)


@kernel
def deal(state: State, rng: Rng) -> None:
    """Begin the next round."""
    for side in range(2):
        state.total[side] += state.points[side]
        state.points[side] = 0
    for seat in range(SEATS):
        state.played[seat] = _NONE
        state.won[seat] = 0
        state.tricks[seat] = 0
        state.call[seat] = 0
        state.finished[seat] = 0
        for k in range(3):
            state.given[seat, k] = 0
        for kind in range(7):
            state.passed[seat, kind] = 0
    for kind in range(9):
        state.n_laid[kind] = 0
    state.opener = 0
    clear_wish(state)
    deal_hands(state, rng)
    state.dealt += 1
    state.phase = GRAND_CALLING
    state.deciding = _ALL


@kernel
def movers(state: State) -> int:
    """Return the seats that must decide now."""
    return state.deciding


@kernel
def apply(state: State, seat: Seat, action: Action) -> None:
    """Commit an action; the last of the answers that all give at once resolves the phase."""
    if action == _CALL_TICHU and state.phase != CALLING:
        state.call[seat] = TICHU_CALLED  # in turn or not; nothing else changes
    elif state.phase == WINDOW:
        if _answer(state, seat, action):
            _close_window(state)
    elif state.phase == TURN:
        _take_turn(state, seat, action)
    elif state.phase == EXCHANGE:
        _give(state, seat, action)
    elif state.phase == WISHING:
        state.wish = low_bits(action)
        state.wished = state.wish
        _open_window(state)
    elif state.phase == DRAGON_TRICK:
        _take_trick(state, (seat + low_bits(action)) & 3)
    elif _answer(state, seat, action):
        _hear_calls(state)


@inner_kernel
def _answer(state: State, seat: Seat, action: Action) -> bool:
    """Lay an answer face down; return whether it was the last one."""
    state.pending[seat] = action
    state.deciding &= ~(1 << seat)
    return state.deciding == 0


@inner_kernel
def _hear_calls(state: State) -> None:
    """Reveal the answers at eight or at fourteen cards, and go on."""
    was_grand = state.phase == GRAND_CALLING
    for seat in range(SEATS):
        if state.pending[seat] == _CALL_GRAND:
            state.call[seat] = GRAND_CALLED
        elif state.pending[seat] == _CALL_TICHU:
            state.call[seat] = TICHU_CALLED
        state.hand[seat] |= state.stock[seat]
        state.stock[seat] = _NONE
    _clear_answers(state)
    if was_grand:
        _ask_for_calls(state)
    elif state.given[0, 0] == 0:
        _begin_exchange(state)
    else:
        _begin_play(state)


@inner_kernel
def _ask_for_calls(state: State) -> None:
    """Ask all seats without a call; if there are none, go on."""
    without = 0
    for seat in range(SEATS):
        without |= 1 << seat if state.call[seat] == 0 else 0
    state.phase = CALLING
    state.deciding = without
    if without == 0:
        if state.given[0, 0] == 0:
            _begin_exchange(state)
        else:
            _begin_play(state)


@inner_kernel
def _begin_exchange(state: State) -> None:
    state.phase = EXCHANGE
    state.deciding = _ALL


@inner_kernel
def _give(state: State, seat: Seat, action: Action) -> None:
    """Lay a card down for the next of the other seats; the last of twelve cards moves them all."""
    k = 0
    while state.given[seat, k] != 0:
        k += 1
    state.given[seat, k] = lowest(cards_of(action)) + 1
    if k < 2:
        return
    state.deciding &= ~(1 << seat)
    if state.deciding == 0:
        _exchange(state)
        _ask_for_calls(state)


@inner_kernel
def _exchange(state: State) -> None:
    """Let all cards that were laid down change hands."""
    for giver in range(SEATS):
        for k in range(3):
            card = _ONE << np.uint64(wide(state.given[giver, k]) - 1)
            state.hand[giver] &= ~card
            state.hand[(giver + k + 1) & 3] |= card


@inner_kernel
def _begin_play(state: State) -> None:
    """Let the holder of the Mah Jong lead."""
    for seat in range(SEATS):
        if state.hand[seat] & MAH_JONG_BIT != _NONE:
            state.opener = seat + 1
            _give_turn(state, seat)


@inner_kernel
def _give_turn(state: State, seat: Seat) -> None:
    state.turn = seat
    state.phase = TURN
    state.deciding = 1 << seat


@inner_kernel
def _take_turn(state: State, seat: Seat, action: Action) -> None:
    """Pass or play; what does not fulfil the wish is a denial."""
    if state.wish != 0 and cards_of(action) & cards_of_rank(state.wish) == _NONE:
        note_denial(state, seat)
    if kind_of(action) == PLAY:
        _lay(state, seat, action)
    else:
        _note_pass(state, seat)
        state.turn = _next_turn(state, seat)
        _open_window(state)


@inner_kernel
def _note_pass(state: State, seat: Seat) -> None:
    """Keep the lowest height that a seat passed on: of straights of five, and steps of four."""
    kind, length, height = state.table_kind, state.table_length, state.table_height
    if kind > STEPS or (kind == STRAIGHT and length != 5) or (kind == STEPS and length != 4):
        return
    lowest = state.passed[seat, kind]
    if lowest == 0 or height < lowest:
        state.passed[seat, kind] = height


@inner_kernel
def _next_turn(state: State, seat: Seat) -> Seat:
    """Return the next seat with cards, or who holds the trick if all others have passed."""
    for step in range(1, SEATS):
        following = (seat + step) & 3
        if following == state.holder or not is_out(state, following):
            return following
    return seat


@inner_kernel
def _next_in(state: State, seat: Seat) -> Seat:
    """Return a seat if it has cards, or else the next one that has."""
    while is_out(state, seat):
        seat = (seat + 1) & 3
    return seat


@inner_kernel
def _lay(state: State, seat: Seat, action: Action) -> None:
    """Play cards: in turn, or a bomb in a window."""
    cards = cards_of(action)
    on_height = state.table_height if state.table_kind == SINGLE else 0
    kind, length, height = classify(cards, phoenix_of(action), on_height, flushes(state))
    state.hand[seat] &= ~cards
    state.played[seat] |= cards
    state.n_laid[kind] += 1
    if cards & MAH_JONG_BIT != _NONE:
        state.opener = 0
    if state.wish != 0 and cards & cards_of_rank(state.wish) != _NONE:
        state.wish = 0
    if state.hand[seat] == _NONE:
        state.finished[seat] = n_out(state) + 1
    if kind == DOG:
        if _is_round_over(state):
            _end_round(state)
        else:
            _give_turn(state, _next_in(state, (seat + 2) & 3))
        return
    state.table = cards
    state.table_kind = kind
    state.table_length = length
    state.table_height = height
    state.table_phoenix = phoenix_of(action)
    state.laid[seat] = cards
    state.trick += card_points(cards)
    state.holder = seat
    state.turn = _next_turn(state, seat)
    if _is_round_over(state):
        _collect(state)
    elif cards & MAH_JONG_BIT != _NONE:
        state.phase = WISHING
        state.deciding = 1 << seat
    else:
        _open_window(state)


@inner_kernel
def _open_window(state: State) -> None:
    """Let all with cards bomb, where that is played."""
    if state.variant == THESIS:
        _go_on(state)
    else:
        state.phase = WINDOW
        state.deciding = seats_in(state)


@inner_kernel
def _close_window(state: State) -> None:
    """Lay the bomb of the first seat in turn order that has one; go on if there is none."""
    for step in range(SEATS):
        seat = (state.turn + step) & 3
        answer = state.pending[seat]
        if kind_of(answer) == PLAY and answer != 0:
            _clear_answers(state)
            _lay(state, seat, answer)
            return
    _clear_answers(state)
    _go_on(state)


@inner_kernel
def _clear_answers(state: State) -> None:
    for seat in range(SEATS):
        state.pending[seat] = 0


@inner_kernel
def _go_on(state: State) -> None:
    """Hand the turn to the next seat, or the trick to its holder."""
    if state.turn == state.holder:
        _collect(state)
    else:
        _give_turn(state, state.turn)


@inner_kernel
def _collect(state: State) -> None:
    """Let the holder take the trick; a trick of the Dragon is given away, unless nobody counts."""
    if state.table & DRAGON_BIT != _NONE and not _is_double_victory(state):
        state.phase = DRAGON_TRICK
        state.deciding = 1 << state.holder
    else:
        _take_trick(state, state.holder)


@inner_kernel
def _take_trick(state: State, taker: Seat) -> None:
    """Let a seat take the trick; whoever held it leads, or the next one with cards."""
    holder = state.holder
    state.won[taker] += state.trick
    state.tricks[taker] += 1
    state.trick = 0
    state.table = _NONE
    state.table_kind = NOTHING
    state.table_length = 0
    state.table_height = 0
    state.table_phoenix = 0
    state.holder = 0
    for seat in range(SEATS):
        state.laid[seat] = _NONE
    if _is_round_over(state):
        _end_round(state)
    else:
        _give_turn(state, _next_in(state, holder))


@inner_kernel
def _is_double_victory(state: State) -> bool:
    """Whether two partners were out first."""
    return state.finished[0] * state.finished[2] == 2 or state.finished[1] * state.finished[3] == 2


@inner_kernel
def _is_round_over(state: State) -> bool:
    """Whether three seats are out, or two partners first."""
    return n_out(state) >= 3 or _is_double_victory(state)


@inner_kernel
def _end_round(state: State) -> None:
    """Count the points; wait for the next round, or end the game."""
    _count_cards(state)
    for seat in range(SEATS):
        worth = 0
        if state.call[seat] == TICHU_CALLED:
            worth = TICHU_POINTS
        elif state.call[seat] == GRAND_CALLED:
            worth = GRAND_POINTS
        state.points[seat & 1] += worth if state.finished[seat] == 1 else -worth
    state.turn = 0
    state.opener = 0
    state.deciding = 0
    state.phase = OVER if _is_match_over(state) else WAITING


@inner_kernel
def _count_cards(state: State) -> None:
    """Count the double victory, or the cards.

    The hand of the last seat counts for the other side, its tricks for whoever was out first.
    """
    if _is_double_victory(state):
        winners = 0 if state.finished[0] != 0 else 1
        state.points[winners] = DOUBLE_VICTORY
        return
    first, last = 0, 0
    for seat in range(SEATS):
        first = seat if state.finished[seat] == 1 else first
        last = seat if state.finished[seat] == 0 else last
    for seat in range(SEATS):
        side = first & 1 if seat == last else seat & 1
        state.points[side] += state.won[seat]
    state.points[1 - (last & 1)] += card_points(state.hand[last])


@inner_kernel
def _is_match_over(state: State) -> bool:
    """Whether a side has reached the target and leads, or all rounds were played."""
    if state.match == ROUND or state.dealt >= state.rounds:
        return True
    first = wide(state.total[0]) + wide(state.points[0])
    second = wide(state.total[1]) + wide(state.points[1])
    return first != second and max(first, second) >= state.match


@kernel
def is_over(state: State) -> bool:
    """Whether the round, or the match, has ended."""
    return state.phase == OVER


@kernel
def scores(state: State, out: Scores) -> None:
    """Write the points of each seat's side minus those of the other."""
    lead = wide(state.total[0]) + wide(state.points[0])
    lead -= wide(state.total[1]) + wide(state.points[1])
    for seat in range(SEATS):
        out[seat] = -lead if seat & 1 else lead


@kernel
def max_legal(state: State) -> int:
    """Return the most actions a seat may choose from."""
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
