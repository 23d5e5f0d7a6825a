"""Encodings of Tichu: the 85 numbers and 1415 actions of the thesis, and a complete one.

**`thesis`** writes the 84 numbers that the thesis lists (appendix A, table A.2), in its order and
its units. It says that there are 85 and does not name the last one; here it is the active wish,
without which the numbers do not tell what is allowed. What the thesis leaves open:

- Card values are 2 to ace, Mah Jong, Dog, Phoenix, Dragon; a card given or got is 1 to 17, 0 none.
- Numbers by player begin with the observing seat and go on to the right. Cards given and got: right
  neighbour, partner, left neighbour. Heights passed on: left opponent, then right, for each kind.
- Types are single 0, pair, trio, full house, pair steps, straight, bomb 6, as footnote 8 has them,
  and 7 is an empty table. The Dog is counted as no combination.
- Heights are ranks: the Mah Jong 1, the Phoenix half a rank above what it lies on (led: 1.5), the
  Dragon 15. Of a height that was never passed on: 0.
- The leader of a trick is who laid the combination to beat; on an empty table, whose turn it is.

Its actions are numbered in the order of table A.1, of a call first yes and then no, of the wish
first none. These slots are never used: 1 (the trick's holder collects it; here that is no
decision), the Dog as a single (it has an action of its own), and ten straights from the Mah Jong on
in which the Phoenix would stand for it. In the full game a straight flush shares the slot of the
straight with its ranks: this encoding knows no suits.

**`full`** has what a seat knows of the round, by cards, ranks and seats relative to its own, scaled
to about [-1, 1]; all but the order of past plays, and the tables on which others could not fulfil
the wish. Its actions are the 1512 plays that differ in ranks (straight flushes in
suit, too) and everything else there is to decide; no slot is dead.

In both, choices of cards that differ only in suits share an index.

**`candidates`** is for networks that score legal actions one by one: candidates.py. Its indices are
those of `full`.

**`plans`** is `candidates` with what plans of the hand cost: plans.py. **`counts`** is the hand
alone, for models that call: calling.py.

The oracle is `full` of the true state, and every hand by itself, with the cards still to come and
what plans of it cost.
"""

import numpy as np
import numpy.typing as npt

from kibitz.core.bits import ONE, lowest
from kibitz.core.encoding import (
    Candidates,
    Encoding,
    Layout,
    define_encoding,
    define_oracle,
    size_of,
)
from kibitz.core.game import Action, Features, Seat, State
from kibitz.core.kernels import inner_kernel, kernel
from kibitz.games.tichu.calling import COUNTS_LAYOUT, observe_counts
from kibitz.games.tichu.candidates import (
    CANDIDATE_LAYOUT,
    STATE_LAYOUT,
    observe_action,
    observe_ranks,
)
from kibitz.games.tichu.cards import (
    ACE,
    CALL,
    CARDS,
    DRAGON_TO,
    GIVE,
    GRAND,
    LOWEST_RANK,
    MAH_JONG,
    NO_GRAND,
    PASS,
    PHOENIX_BIT,
    RANKED_CARDS,
    TICHU,
    WISH,
    cards_of,
    kind_of,
    low_bits,
    phoenix_of,
)
from kibitz.games.tichu.combinations import (
    BOMB,
    DOG,
    DRAGON_HEIGHT,
    FULL_HOUSE,
    NOTHING,
    PAIR,
    QUAD,
    SHORTEST_STRAIGHT,
    SINGLE,
    STEPS,
    STRAIGHT,
    TRIO,
    classify,
)
from kibitz.games.tichu.plans import (
    HANDS_LAYOUT,
    PLAN_CANDIDATE_LAYOUT,
    PLAN_STATE_LAYOUT,
    observe_hands,
    observe_planned,
    observe_plans,
)
from kibitz.games.tichu.plays import has_bomb
from kibitz.games.tichu.ranks import NONE, flush_cards
from kibitz.games.tichu.sight import (
    RANKS,
    VALUES,
    all_played,
    count_values,
    given_card,
    mark_cards,
    n_given,
    received_card,
    value_of,
)
from kibitz.games.tichu.state import (
    ANY,
    DRAGON_TRICK,
    GRAND_CALLED,
    GRAND_CALLING,
    HAND_CARDS,
    SEATS,
    THESIS,
    TICHU_CALLED,
    TURN,
    cards_of_rank,
    flushes,
    is_exchanged,
    may_call,
    n_cards,
    table_of,
    wide,
)

_DOG_VALUE = 14

Table = npt.NDArray[np.int64]


def _rows(shortest: int, longest: int, lowest_rank: int, slots: int) -> Table:
    """Number rows of ranks by [lowest rank, length]; -1 where there is none.

    A row has one slot, and if `slots` is 1, one more for each rank that the Phoenix can stand for,
    without the Mah Jong; if it is 2, for each rank.
    """
    table = np.full((ACE + 1, ACE + 1), -1, np.int64)
    n = 0
    for length in range(shortest, longest + 1):
        for low in range(lowest_rank, ACE - length + 2):
            table[low, length] = n
            n += 1 + (0 if slots == 0 else length - (1 if low == 1 and slots == 1 else 0))
    return table


_STRAIGHTS = _rows(SHORTEST_STRAIGHT, ACE, 1, 1)
_THESIS_STRAIGHTS = _rows(SHORTEST_STRAIGHT, ACE, 1, 2)
_STEPS = _rows(2, ACE // 2, LOWEST_RANK, 1)
_FLUSHES = _rows(SHORTEST_STRAIGHT, RANKS, LOWEST_RANK, 0)

N_PAIRS = 2 * RANKS
N_FULL_HOUSES = 3 * RANKS * (RANKS - 1)
N_STRAIGHTS, N_THESIS_STRAIGHTS = 485, 495
N_STEPS = 296
N_FLUSHES = 45  # of one suit

# Where the groups of actions begin: table A.1 of the thesis.
THESIS_GRAND = 2
THESIS_TICHU = 4
THESIS_TRADE = 6
THESIS_SINGLE = THESIS_TRADE + 3 * VALUES
THESIS_PAIR = THESIS_SINGLE + VALUES
THESIS_TRIO = THESIS_PAIR + N_PAIRS
THESIS_FULL_HOUSE = THESIS_TRIO + N_PAIRS
THESIS_STRAIGHT = THESIS_FULL_HOUSE + N_FULL_HOUSES
THESIS_STEPS = THESIS_STRAIGHT + N_THESIS_STRAIGHTS
THESIS_BOMB = THESIS_STEPS + N_STEPS
THESIS_DOG = THESIS_BOMB + RANKS
THESIS_DRAGON = THESIS_DOG + 1
THESIS_WISH = THESIS_DRAGON + 2
THESIS_ACTIONS = THESIS_WISH + 1 + RANKS

THESIS_DEAD = (
    1,
    THESIS_SINGLE + _DOG_VALUE,
    *(
        THESIS_STRAIGHT + int(_THESIS_STRAIGHTS[1, n]) + 1
        for n in range(SHORTEST_STRAIGHT, ACE + 1)
    ),
)
"""Slots of the thesis that no action has."""

# The complete set: passing and plays, then the rest.
SINGLES = 1  # 2 to ace, Mah Jong, Dog, Phoenix, Dragon
PAIRS = SINGLES + VALUES
TRIOS = PAIRS + N_PAIRS
FULL_HOUSES = TRIOS + N_PAIRS
STRAIGHTS = FULL_HOUSES + N_FULL_HOUSES
STEPS_AT = STRAIGHTS + N_STRAIGHTS
BOMBS = STEPS_AT + N_STEPS
FLUSHES = BOMBS + RANKS
PLAYS = FLUSHES + 4 * N_FLUSHES
CALLS = PLAYS + 3 * VALUES
DRAGONS = CALLS + 4
WISHES = DRAGONS + 2
FULL_ACTIONS = WISHES + 1 + RANKS

THESIS_LAYOUT: Layout = (
    ("hand", (VALUES,)),
    ("given", (3,)),
    ("received", (3,)),
    ("tichu", (SEATS,)),
    ("grand", (SEATS,)),
    ("cards", (SEATS,)),
    ("type", (1,)),
    ("height", (1,)),
    ("length", (1,)),
    ("trick", (1,)),
    ("leader", (1,)),
    ("played", (VALUES,)),
    ("combinations", (7,)),  # single, pair, trio, full house, pair steps, straight, bomb
    ("passed", (6, 2)),  # these kinds without the bomb; left and right opponent
    ("tricks", (SEATS,)),
    ("won", (SEATS,)),
    ("wish", (1,)),
)

_THESIS_KINDS = np.array([SINGLE, PAIR, TRIO, FULL_HOUSE, STEPS, STRAIGHT, BOMB])
_THESIS_TYPES = np.array([7, 0, 1, 2, 3, 5, 4, 6, 7])  # by kind

PHASES = DRAGON_TRICK - GRAND_CALLING + 1

FULL_LAYOUT: Layout = (
    ("hand", (CARDS,)),  # 1 = in the own hand
    ("in_flush", (RANKED_CARDS,)),  # 1 = part of a straight flush of the own hand
    ("counts", (RANKS,)),  # own cards of each rank, divided by 4
    ("unseen", (CARDS,)),  # 1 = in another hand, or still to come
    ("played", (SEATS, CARDS)),  # 1 = played by this seat; seats are relative, here and below
    ("given", (3, VALUES)),  # what the seat gave to the right, to the partner, to the left
    ("received", (3, VALUES)),  # what it got from them
    ("holds", (3, CARDS)),  # 1 = given to that seat, which has not played it
    ("table", (CARDS,)),  # 1 = part of the combination to beat
    ("kind", (BOMB + 1,)),  # of that combination; first: nothing on the table
    ("length", (1,)),  # divided by 14
    ("height", (1,)),  # divided by 30, the Dragon's
    ("phoenix", (1,)),  # rank it stands for there, divided by 14
    ("trick", (1,)),  # points on the table, divided by 100
    ("holder", (SEATS,)),  # who laid it
    ("turn", (SEATS,)),  # who plays next
    ("deciding", (SEATS,)),  # who must act
    ("laid", (SEATS, VALUES)),  # last in this trick, divided by 4
    ("cards", (SEATS,)),  # in hand, divided by 14
    ("finished", (SEATS, SEATS)),  # 1 = this seat went out in this place
    ("calls", (SEATS, 2)),  # Tichu, Grand Tichu
    ("tricks", (SEATS,)),  # won, divided by 14
    ("won", (SEATS,)),  # points in them, divided by 100
    ("passed", (SEATS, STEPS)),  # lowest height passed on by kind, divided by 30; 0 = never
    ("combinations", (DOG,)),  # played in this round by kind, divided by 14
    ("wish", (1 + RANKS,)),  # none, or the rank
    ("wished", (1 + RANKS,)),  # in this round, fulfilled or not
    ("lacking", (SEATS,)),  # 1 = known to hold nothing of that rank
    ("opener", (SEATS,)),  # who began and is known to hold the Mah Jong still
    ("phase", (PHASES,)),
    ("gifts", (SEATS,)),  # how many cards the seat has given: 0, 1, 2, 3
    ("may", (2,)),  # call Tichu; lay a bomb on what is on the table
    ("score", (2,)),  # points of earlier rounds, own side and the other, divided by 1000
    ("match", (2,)),  # target, divided by 1000; rounds that may still follow, at most 10, by 10
    ("options", (2,)),  # 1 = variant=thesis, calls=any
)

_POINTS, _SCORES = 100, 1000
_MANY_ROUNDS = 10


@kernel
def observe_thesis(view: State, seat: Seat, encoding: np.record, out: Features) -> None:
    """Write the 85 numbers in the order of THESIS_LAYOUT."""
    for i in range(len(out)):
        out[i] = 0
    count_values(view.hand[seat], 1, 0, out)
    at = VALUES
    for k in range(3):
        given, received = given_card(view, seat, k), received_card(view, seat, k)
        out[at + k] = value_of(given - 1) + 1 if given > 0 else 0
        out[at + 3 + k] = value_of(received - 1) + 1 if received > 0 else 0
    at += 6
    for k in range(SEATS):
        other = (seat + k) & 3
        out[at + k] = view.call[other] == TICHU_CALLED
        out[at + SEATS + k] = view.call[other] == GRAND_CALLED
        out[at + 2 * SEATS + k] = n_cards(view, other)
    at += 3 * SEATS
    leader = view.turn if view.table_kind == NOTHING else view.holder
    out[at] = _THESIS_TYPES[view.table_kind]
    out[at + 1] = view.table_height / 2
    out[at + 2] = view.table_length
    out[at + 3] = view.trick
    out[at + 4] = (int(leader) - seat) & 3
    at += 5
    count_values(all_played(view), 1, at, out)
    at += VALUES
    for i in range(7):
        out[at + i] = view.n_laid[_THESIS_KINDS[i]]
    at += 7
    for i in range(6):
        out[at + 2 * i] = view.passed[(seat + 3) & 3, _THESIS_KINDS[i]] / 2
        out[at + 2 * i + 1] = view.passed[(seat + 1) & 3, _THESIS_KINDS[i]] / 2
    at += 12
    for k in range(SEATS):
        other = (seat + k) & 3
        out[at + k] = view.tricks[other]
        out[at + SEATS + k] = view.won[other]
    out[at + 2 * SEATS] = view.wish


@inner_kernel
def _observe_cards(view: State, seat: Seat, out: Features) -> int:
    """Write where every card is, as far as the seat knows; return the next free place."""
    hand = view.hand[seat]
    played = all_played(view)
    mark_cards(hand, 0, out)
    at = CARDS
    if flushes(view):
        mark_cards(flush_cards(hand), at, out)
    at += RANKED_CARDS
    ranked = hand & ((ONE << np.uint64(MAH_JONG)) - ONE)
    count_values(ranked, 0.25, at, out)
    at += RANKS
    for card in range(CARDS):
        out[at + card] = ((hand | played) >> np.uint64(card)) & ONE == NONE
    at += CARDS
    for k in range(SEATS):
        mark_cards(view.played[(seat + k) & 3], at, out)
        at += CARDS
    for k in range(3):
        given, received = given_card(view, seat, k), received_card(view, seat, k)
        if given > 0:
            out[at + VALUES * k + value_of(given - 1)] = 1
        if received > 0:
            out[at + VALUES * (3 + k) + value_of(received - 1)] = 1
        if given > 0 and is_exchanged(view) and (played >> np.uint64(given - 1)) & ONE == NONE:
            out[at + 6 * VALUES + CARDS * k + given - 1] = 1
    return at + 6 * VALUES + 3 * CARDS


@inner_kernel
def _observe_table(view: State, seat: Seat, at: int, out: Features) -> int:
    """Write the trick from place `at` on; return the next free place."""
    mark_cards(view.table, at, out)
    at += CARDS
    out[at + view.table_kind] = 1
    at += BOMB + 1
    out[at] = view.table_length / HAND_CARDS
    out[at + 1] = view.table_height / DRAGON_HEIGHT
    out[at + 2] = view.table_phoenix / ACE
    out[at + 3] = view.trick / _POINTS
    at += 4
    if view.table_kind != NOTHING:
        out[at + ((int(view.holder) - seat) & 3)] = 1
    if view.phase >= TURN:
        out[at + SEATS + ((int(view.turn) - seat) & 3)] = 1
    for k in range(SEATS):
        other = (seat + k) & 3
        out[at + 2 * SEATS + k] = (view.deciding >> other) & 1
        count_values(view.laid[other], 0.25, at + 3 * SEATS + VALUES * k, out)
    return at + (3 + VALUES) * SEATS


@inner_kernel
def _observe_seats(view: State, seat: Seat, at: int, out: Features) -> int:
    """Write what belongs to seats from place `at` on; return the next free place."""
    for k in range(SEATS):
        other = (seat + k) & 3
        out[at + k] = n_cards(view, other) / HAND_CARDS
        if view.finished[other] > 0:
            out[at + SEATS * (1 + k) + wide(view.finished[other]) - 1] = 1
        out[at + 5 * SEATS + 2 * k] = view.call[other] == TICHU_CALLED
        out[at + 5 * SEATS + 2 * k + 1] = view.call[other] == GRAND_CALLED
        out[at + 7 * SEATS + k] = view.tricks[other] / HAND_CARDS
        out[at + 8 * SEATS + k] = view.won[other] / _POINTS
        for kind in range(SINGLE, STEPS + 1):
            out[at + 9 * SEATS + STEPS * k + kind - 1] = view.passed[other, kind] / DRAGON_HEIGHT
    return at + (9 + STEPS) * SEATS


@kernel
def observe_full(view: State, seat: Seat, encoding: np.record, out: Features) -> None:
    """Write what the seat knows in the order of FULL_LAYOUT."""
    for i in range(len(out)):
        out[i] = 0
    at = _observe_cards(view, seat, out)
    at = _observe_table(view, seat, at, out)
    at = _observe_seats(view, seat, at, out)
    for kind in range(SINGLE, DOG + 1):
        out[at + kind - 1] = view.n_laid[kind] / HAND_CARDS
    at += DOG
    out[at + (view.wish - 1 if view.wish > 0 else 0)] = 1
    at += 1 + RANKS
    out[at + (view.wished - 1 if view.wished > 0 else 0)] = 1
    at += 1 + RANKS
    for k in range(SEATS):
        other = (seat + k) & 3
        out[at + k] = (view.lacking >> other) & 1
        out[at + SEATS + k] = view.opener == other + 1
    at += 2 * SEATS
    if GRAND_CALLING <= view.phase <= DRAGON_TRICK:
        out[at + view.phase - GRAND_CALLING] = 1
    at += PHASES
    out[at + n_given(view, seat)] = 1
    at += SEATS
    kind, length, height = table_of(view)
    can_bomb = kind != NOTHING and has_bomb(view.hand[seat], kind, length, height, flushes(view))
    out[at] = view.phase != GRAND_CALLING and may_call(view, seat)
    out[at + 1] = can_bomb
    out[at + 2] = view.total[seat & 1] / _SCORES
    out[at + 3] = view.total[1 - (seat & 1)] / _SCORES
    out[at + 4] = view.match / _SCORES
    out[at + 5] = min(int(view.rounds) - int(view.dealt), _MANY_ROUNDS) / _MANY_ROUNDS
    out[at + 6] = view.variant == THESIS
    out[at + 7] = view.calls == ANY


@inner_kernel
def _full_house_place(cards: np.uint64, phoenix: int, trio: int) -> int:
    """Number full houses by trio, pair, and whether the Phoenix is nowhere, in trio or in pair."""
    pair = LOWEST_RANK + (lowest(cards & ~cards_of_rank(trio)) >> 2)
    place = (RANKS - 1) * (trio - LOWEST_RANK) + pair - LOWEST_RANK - (1 if pair > trio else 0)
    return 3 * place + (0 if phoenix == 0 else 1 if phoenix == trio else 2)


@inner_kernel
def _steps_place(length: int, top: int, phoenix: int) -> int:
    """Number steps by their pairs, then without the Phoenix and with it for each rank."""
    low = top - (length >> 1) + 1
    return _STEPS[low, length >> 1] + (phoenix - low + 1 if phoenix > 0 else 0)


@inner_kernel
def _play_of(state: State, action: Action) -> tuple[int, int, int]:
    """Return what the cards of an action are: kind, length, rank (of the trio, or at the top)."""
    on_height = int(state.table_height) if state.table_kind == SINGLE else 0
    kind, length, height = classify(cards_of(action), phoenix_of(action), on_height, flushes(state))
    return kind, length, height >> 1


@kernel
def thesis_index(state: State, seat: Seat, action: Action, encoding: np.record) -> int:
    """Number an action as table A.1 does."""
    kind, what = kind_of(action), low_bits(action)
    if kind == PASS:
        return 0
    if kind == CALL:
        answers = THESIS_GRAND if what in (NO_GRAND, GRAND) else THESIS_TICHU
        return answers if what in (GRAND, TICHU) else answers + 1
    if kind == GIVE:
        k = n_given(state, seat)
        place = 0 if k == 2 else 1 + k  # left, right, partner
        return THESIS_TRADE + VALUES * place + value_of(lowest(cards_of(action)))
    if kind == WISH:
        return THESIS_WISH + (what - 1 if what > 0 else 0)
    if kind == DRAGON_TO:
        return THESIS_DRAGON + (what >> 1)
    return _thesis_play(state, action)


@inner_kernel
def _thesis_play(state: State, action: Action) -> int:
    cards, phoenix = cards_of(action), phoenix_of(action)
    kind, length, rank = _play_of(state, action)
    if kind == SINGLE:
        return THESIS_SINGLE + value_of(lowest(cards))
    if kind == DOG:
        return THESIS_DOG
    if kind in (PAIR, TRIO):
        begin = THESIS_PAIR if kind == PAIR else THESIS_TRIO
        return begin + 2 * (rank - LOWEST_RANK) + (1 if phoenix > 0 else 0)
    if kind == FULL_HOUSE:
        return THESIS_FULL_HOUSE + _full_house_place(cards & ~PHOENIX_BIT, phoenix, rank)
    if kind == STEPS:
        return THESIS_STEPS + _steps_place(length, rank, phoenix)
    if kind == BOMB and length == QUAD:
        return THESIS_BOMB + rank - LOWEST_RANK
    low = rank - length + 1
    place = _THESIS_STRAIGHTS[low, length] + (phoenix - low + 1 if phoenix > 0 else 0)
    return THESIS_STRAIGHT + place


@kernel
def full_index(state: State, seat: Seat, action: Action, encoding: np.record) -> int:
    """Number all actions that differ: passing, plays, gifts, calls, the Dragon's trick, wishes."""
    kind, what = kind_of(action), low_bits(action)
    if kind == PASS:
        return 0
    if kind == CALL:
        return CALLS + what
    if kind == GIVE:
        return PLAYS + VALUES * n_given(state, seat) + value_of(lowest(cards_of(action)))
    if kind == WISH:
        return WISHES + (what - 1 if what > 0 else 0)
    if kind == DRAGON_TO:
        return DRAGONS + (what >> 1)
    return _full_play(state, action)


@inner_kernel
def _full_play(state: State, action: Action) -> int:
    cards, phoenix = cards_of(action), phoenix_of(action)
    kind, length, rank = _play_of(state, action)
    low = rank - length + 1
    if kind in (SINGLE, DOG):
        return SINGLES + value_of(lowest(cards))
    if kind in (PAIR, TRIO):
        begin = PAIRS if kind == PAIR else TRIOS
        return begin + 2 * (rank - LOWEST_RANK) + (1 if phoenix > 0 else 0)
    if kind == FULL_HOUSE:
        return FULL_HOUSES + _full_house_place(cards & ~PHOENIX_BIT, phoenix, rank)
    if kind == STRAIGHT:
        first = max(low, LOWEST_RANK)  # what the Phoenix can stand for
        return STRAIGHTS + _STRAIGHTS[low, length] + (phoenix - first + 1 if phoenix > 0 else 0)
    if kind == STEPS:
        return STEPS_AT + _steps_place(length, rank, phoenix)
    if length == QUAD:
        return BOMBS + rank - LOWEST_RANK
    return FLUSHES + N_FLUSHES * (lowest(cards) & 3) + _FLUSHES[low, length]


THESIS_ENCODING = define_encoding(
    "tichu", "thesis", THESIS_LAYOUT, THESIS_ACTIONS, observe_thesis, thesis_index
)
FULL_ENCODING = define_encoding(
    "tichu", "full", FULL_LAYOUT, FULL_ACTIONS, observe_full, full_index
)

CANDIDATES_ENCODING = define_encoding(
    "tichu",
    "candidates",
    STATE_LAYOUT,
    FULL_ACTIONS,
    observe_ranks,
    full_index,
    Candidates(CANDIDATE_LAYOUT, observe_action),
)

PLANS_ENCODING = define_encoding(
    "tichu",
    "plans",
    PLAN_STATE_LAYOUT,
    FULL_ACTIONS,
    observe_plans,
    full_index,
    Candidates(PLAN_CANDIDATE_LAYOUT, observe_planned),
)

ENCODINGS: dict[str, Encoding] = {
    "thesis": THESIS_ENCODING,
    "full": FULL_ENCODING,
    "candidates": CANDIDATES_ENCODING,
    "plans": PLANS_ENCODING,
    "counts": define_encoding(
        "tichu", "counts", COUNTS_LAYOUT, FULL_ACTIONS, observe_counts, full_index
    ),
}

ORACLE_LAYOUT: Layout = (
    *FULL_LAYOUT,
    ("hands", (SEATS, CARDS)),  # 1 = in the hand of this seat, or among its last six cards
    *HANDS_LAYOUT,
)

_FULL_SIZE = size_of(FULL_LAYOUT)


@kernel
def observe_oracle(state: State, seat: Seat, encoding: np.record, out: Features) -> None:
    """Write what `full` has of the true state, every hand, and what plans of them cost."""
    observe_full(state, seat, encoding, out[:_FULL_SIZE])
    for i in range(_FULL_SIZE, len(out)):
        out[i] = 0
    for k in range(SEATS):
        other = (seat + k) & 3
        mark_cards(state.hand[other] | state.stock[other], _FULL_SIZE + CARDS * k, out)
    observe_hands(state, seat, out[_FULL_SIZE + CARDS * SEATS :])


ORACLE = define_oracle("tichu", ORACLE_LAYOUT, observe_oracle)
