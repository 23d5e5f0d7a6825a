"""Encodings of 6 nimmt!: the paper's 47 numbers, a complete one, and the cues of `best`.

`paper` holds no scores, no turn and no cards seen, so an agent that relies on it alone forgets.
`full` holds all of that, by seats relative to the observing one, scaled to about [0, 1]. The
oracle is `full` of the true state, where also chosen cards are open, and every hand by itself.

Both write the same row for a legal action: the card itself, and where it would go if nobody else
played, or what a row costs.

`cues` is very long and nearly empty: 1 at the place of each cue (see `cues`), for linear networks.
There are cues only where cards are chosen.
"""

import numpy as np

from kibitz.core.encoding import (
    Candidates,
    Encoding,
    Layout,
    define_encoding,
    define_oracle,
    size_of,
)
from kibitz.core.game import Action, Features, Seat, State
from kibitz.core.kernels import inner_kernel, kernel, wrapping_kernel
from kibitz.games.nimmt import MATCH_HEADS
from kibitz.games.nimmt.cues import (
    N_CARD,
    N_CUES,
    card_cues,
    look_at_view,
    low_cue,
    next_card,
    rank_ends,
    row_cues,
    without,
)
from kibitz.games.nimmt.state import (
    BULL_HEADS,
    CHOOSING,
    DRAFTING,
    FIRST_ROW_ACTION,
    FULL_ROW,
    HAND_CARDS,
    HIGHEST_CARD,
    MAX_SEATS,
    ROWS,
    TAKING,
    cheapest_row,
    row_end,
    row_for,
)

N_ACTIONS = HIGHEST_CARD + ROWS

PAPER_LAYOUT: Layout = (
    ("hand", (HAND_CARDS,)),  # card - 1, ascending, then -1
    ("players", (1,)),
    ("row_count", (ROWS,)),
    ("row_end", (ROWS,)),  # card - 1
    ("row_heads", (ROWS,)),
    ("board", (ROWS, FULL_ROW + 1)),  # card - 1, oldest first, then -1
)

FULL_LAYOUT: Layout = (
    ("hand", (HIGHEST_CARD,)),  # 1 = in the own hand
    ("seen", (HIGHEST_CARD,)),  # 1 = has lain on the table this round
    ("others", (HIGHEST_CARD,)),  # 1 = known to be in another hand
    ("row_end", (ROWS,)),  # cards are divided by 104, here and below
    ("row_count", (ROWS,)),  # divided by 5
    ("row_heads", (ROWS,)),  # divided by 27, the most that five cards have
    ("board", (ROWS, FULL_ROW)),
    ("taken", (MAX_SEATS,)),  # heads of this round by relative seat, divided by 66
    ("total", (MAX_SEATS,)),  # heads of earlier rounds
    ("deciding", (MAX_SEATS,)),  # 1 = must act now
    ("has_chosen", (MAX_SEATS,)),  # 1 = has a card in this turn that is not placed yet
    ("chosen", (MAX_SEATS,)),  # that card, where it is known
    ("last", (MAX_SEATS,)),  # the cards of the last complete turn
    ("turn", (1,)),  # turns completed, divided by 10
    ("round", (1,)),  # rounds begun, divided by 10, at most 1
    ("players", (1,)),  # divided by 10
    ("phase", (3,)),  # choosing, taking a row, drafting
    ("options", (5,)),  # 1 = rows=lowest, deck=known, hands=open, draft=true, match=66
)

ORACLE_LAYOUT: Layout = (
    *FULL_LAYOUT,
    ("hands", (MAX_SEATS, HIGHEST_CARD)),  # 1 = in the hand of this seat, by relative seat
)

CANDIDATE_LAYOUT: Layout = (
    ("action", (N_ACTIONS,)),  # 1 = this card or row
    ("card", (1,)),  # divided by 104; 0 for a row
    ("heads", (1,)),  # of the card or the row, divided by 7, the most that a card has
    ("below", (1,)),  # 1 = the card is below all rows
    ("gap", (1,)),  # between the card and the end of its row, divided by 104
    ("room", (FULL_ROW + 1,)),  # 1 = so many cards may still be laid on its row before it is taken
    ("cost", (1,)),  # heads of the row that is taken if nobody else plays, divided by 27
    ("between", (1,)),  # unseen cards between the end of its row and the card, divided by 104
)

COUNTS = MAX_SEATS - 1
"""Numbers of players there are: 2 to 10."""

CUES_LAYOUT: Layout = (
    ("cues", (N_CUES,)),  # 1 = a cue of the position; several cards may have the same one
    ("lost", (1,)),  # heads taken so far, in all rounds
    ("count", (COUNTS,)),  # 1 = so many players, from 2 on
)

MOST_ROW_HEADS = 27

CUE_ROW_LAYOUT: Layout = (
    ("card", (N_CARD,)),  # 1 = a cue of the card
    ("taken", (MOST_ROW_HEADS + 1,)),  # 1 = a row with so many heads, if a row is chosen
)

MOST_HEADS = 7
LATE_ROUND = 10
_FULL_SIZE = size_of(FULL_LAYOUT)


@kernel
def observe_paper(view: State, seat: Seat, encoding: np.record, out: Features) -> None:
    """Write the 47 numbers in the order of PAPER_LAYOUT; no card is 0, so it becomes -1."""
    for i in range(HAND_CARDS):
        out[i] = int(view.hand[seat, i]) - 1
    at = HAND_CARDS
    out[at] = view.players
    at += 1
    for row in range(ROWS):
        length = int(view.length[row])
        out[at + row] = length
        out[at + ROWS + row] = int(view.board[row, length - 1]) - 1 if length > 0 else -1
        out[at + 2 * ROWS + row] = view.heads[row]
    at += 3 * ROWS
    for row in range(ROWS):
        for i in range(FULL_ROW):
            out[at + i] = int(view.board[row, i]) - 1
        out[at + FULL_ROW] = -1
        at += FULL_ROW + 1


@inner_kernel
def _observe_cards(view: State, seat: Seat, out: Features) -> int:
    """Write where every card is, as far as the seat knows; return the next free place."""
    for i in range(3 * HIGHEST_CARD):
        out[i] = 0
    for card in range(1, HIGHEST_CARD + 1):
        seen = view.seen[card >> 6] >> np.uint64(card & 63) & np.uint64(1)
        out[HIGHEST_CARD + card - 1] = np.float32(seen)
    for other in range(view.players):
        at = 0 if other == seat else 2 * HIGHEST_CARD
        for i in range(HAND_CARDS):
            card = int(view.hand[other, i])
            if card > 0:
                out[at + card - 1] = 1
    return 3 * HIGHEST_CARD


@inner_kernel
def _observe_rows(view: State, at: int, out: Features) -> int:
    """Write the rows from place `at` on; return the next free place."""
    for row in range(ROWS):
        length = int(view.length[row])
        end = view.board[row, length - 1] if length > 0 else np.int8(0)
        out[at + row] = end / HIGHEST_CARD
        out[at + ROWS + row] = length / FULL_ROW
        out[at + 2 * ROWS + row] = view.heads[row] / MOST_ROW_HEADS
        for i in range(FULL_ROW):
            out[at + 3 * ROWS + FULL_ROW * row + i] = view.board[row, i] / HIGHEST_CARD
    return at + ROWS * (3 + FULL_ROW)


@inner_kernel
def _observe_seats(view: State, seat: Seat, at: int, out: Features) -> int:
    """Write what belongs to seats, the observing one first; return the next free place."""
    for i in range(6 * MAX_SEATS):
        out[at + i] = 0
    for k in range(view.players):
        other = (seat + k) % view.players
        out[at + k] = view.taken[other] / MATCH_HEADS
        out[at + MAX_SEATS + k] = view.total[other] / MATCH_HEADS
        out[at + 2 * MAX_SEATS + k] = (view.deciding >> other) & 1
        card = view.chosen[other]
        out[at + 3 * MAX_SEATS + k] = 1 if card != 0 else 0
        out[at + 4 * MAX_SEATS + k] = card / HIGHEST_CARD if card > 0 else 0.0
        out[at + 5 * MAX_SEATS + k] = view.last[other] / HIGHEST_CARD
    return at + 6 * MAX_SEATS


@kernel
def observe_full(view: State, seat: Seat, encoding: np.record, out: Features) -> None:
    """Write what the seat knows in the order of FULL_LAYOUT; open hands of others are one set."""
    at = _observe_cards(view, seat, out)
    at = _observe_rows(view, at, out)
    at = _observe_seats(view, seat, at, out)
    out[at] = view.turn / HAND_CARDS
    out[at + 1] = min(view.rounds, LATE_ROUND) / LATE_ROUND
    out[at + 2] = view.players / MAX_SEATS
    out[at + 3] = view.phase == CHOOSING
    out[at + 4] = view.phase == TAKING
    out[at + 5] = view.phase == DRAFTING
    out[at + 6] = view.rows
    out[at + 7] = view.deck
    out[at + 8] = view.hands
    out[at + 9] = view.draft
    out[at + 10] = view.match


@kernel
def action_index(state: State, seat: Seat, action: Action, encoding: np.record) -> int:
    """Number the cards from 0 and the rows after them."""
    return action - 1 if action < FIRST_ROW_ACTION else HIGHEST_CARD + action - FIRST_ROW_ACTION


@inner_kernel
def _unseen_between(view: State, seat: Seat, low: int, high: int) -> int:
    """Count the cards between two that are neither on the table nor in the own hand."""
    n = 0
    for card in range(low + 1, high):
        seen = view.seen[card >> 6] >> np.uint64(card & 63) & np.uint64(1)
        n += 1 if seen == np.uint64(0) else 0
    for i in range(HAND_CARDS):
        n -= 1 if low < view.hand[seat, i] < high else 0
    return n


@kernel
def observe_action(
    view: State, seat: Seat, action: Action, encoding: np.record, out: Features
) -> None:
    """Write the row of a legal action in the order of CANDIDATE_LAYOUT."""
    for i in range(len(out)):
        out[i] = 0
    out[action_index(view, seat, action, encoding)] = 1
    at = N_ACTIONS
    if action >= FIRST_ROW_ACTION:
        heads = view.heads[action - FIRST_ROW_ACTION]
        out[at + 1] = heads / MOST_HEADS
        out[at + 5 + FULL_ROW] = heads / MOST_ROW_HEADS
        return
    out[at] = action / HIGHEST_CARD
    out[at + 1] = BULL_HEADS[action] / MOST_HEADS
    if view.phase == DRAFTING:  # there are no rows yet
        return
    row = row_for(view, action)
    out[at + 2] = row < 0
    end = row_end(view, row) if row >= 0 else 0
    room = FULL_ROW - int(view.length[row]) if row >= 0 else 0
    out[at + 3] = (action - end) / HIGHEST_CARD
    out[at + 4 + room] = 1
    at += 5 + FULL_ROW
    if room == 0:
        taken = row if row >= 0 else cheapest_row(view)
        out[at] = view.heads[taken] / MOST_ROW_HEADS
    out[at + 1] = _unseen_between(view, seat, end, action) / HIGHEST_CARD


@kernel
def observe_oracle(state: State, seat: Seat, encoding: np.record, out: Features) -> None:
    """Write what `full` has of the true state, and every hand."""
    observe_full(state, seat, encoding, out[:_FULL_SIZE])
    for i in range(_FULL_SIZE, len(out)):
        out[i] = 0
    for k in range(state.players):
        other = (seat + k) % state.players
        for i in range(HAND_CARDS):
            card = int(state.hand[other, i])
            if card > 0:
                out[_FULL_SIZE + HIGHEST_CARD * k + card - 1] = 1


@wrapping_kernel
def observe_cues(view: State, seat: Seat, encoding: np.record, out: Features) -> None:
    """Write the cues of a view in the order of CUES_LAYOUT."""
    for i in range(len(out)):
        out[i] = 0
    out[N_CUES] = view.total[seat] + view.taken[seat]
    out[N_CUES + 1 + view.players - 2] = 1
    if view.phase != CHOOSING:
        return
    table, low, high = look_at_view(view, seat)
    own = rank_ends(table.ends, low, high)
    out[low_cue(table, own)] = 1
    for row in range(ROWS):
        gap, price = row_cues(table, own, row)
        out[gap] += 1
        out[price] += 1
    for i in range(table.n):
        for place in card_cues(table, own, next_card(low, high), i):
            out[place] += 1
        low, high = without(low, high)


@wrapping_kernel
def observe_cue_row(
    view: State, seat: Seat, action: Action, encoding: np.record, out: Features
) -> None:
    """Write the row of a legal action in the order of CUE_ROW_LAYOUT."""
    for i in range(len(out)):
        out[i] = 0
    if action >= FIRST_ROW_ACTION:
        out[N_CARD + min(int(view.heads[action - FIRST_ROW_ACTION]), MOST_ROW_HEADS)] = 1
    elif view.phase == CHOOSING:
        table, low, high = look_at_view(view, seat)
        own = rank_ends(table.ends, low, high)
        number = 0
        for i in range(table.n):
            number += view.hand[seat, i] < action
        for place in card_cues(table, own, action, number):
            out[place] = 1


_CANDIDATES = Candidates(CANDIDATE_LAYOUT, observe_action)

PAPER = define_encoding(
    "nimmt", "paper", PAPER_LAYOUT, N_ACTIONS, observe_paper, action_index, _CANDIDATES
)
FULL = define_encoding(
    "nimmt", "full", FULL_LAYOUT, N_ACTIONS, observe_full, action_index, _CANDIDATES
)
CUES = define_encoding(
    *("nimmt", "cues", CUES_LAYOUT, N_ACTIONS, observe_cues, action_index),
    Candidates(CUE_ROW_LAYOUT, observe_cue_row),
)

ENCODINGS: dict[str, Encoding] = {"paper": PAPER, "full": FULL, "cues": CUES}

ORACLE = define_oracle("nimmt", ORACLE_LAYOUT, observe_oracle)
