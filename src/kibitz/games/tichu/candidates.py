"""The encoding `candidates` of Tichu: sparse features of a view, and of every legal action.

It is for networks that score actions one by one, which 1583 indices without suits serve badly. What
is counted elsewhere is a set of ones here: of every rank as many ones as there are cards, heights
and numbers of cards as one of many places. So most numbers are zero, and a network that skips these
is fast. The features are those that a study of learning found of use, but for its plans of hands,
which belong to a bot; what a play leaves behind, and how much can beat it, stand in for them.

An action has what it is (a pass, a call, a gift, a wish, or a play by kind, height and length), how
much that is unseen can beat it, and the hand that is left after it.
"""

import numpy as np

from kibitz.core.bits import ONE, lowest, popcount
from kibitz.core.encoding import Layout
from kibitz.core.game import Action, Features, Seat, State
from kibitz.core.kernels import inner_kernel, kernel
from kibitz.games.tichu.cards import (
    ACE,
    ALL_CARDS,
    CALL,
    CARDS,
    DOG_BIT,
    DRAGON_BIT,
    DRAGON_TO,
    GIVE,
    LOWEST_RANK,
    PASS,
    PHOENIX_BIT,
    PLAY,
    WISH,
    cards_of,
    kind_of,
    low_bits,
    phoenix_of,
)
from kibitz.games.tichu.choices import describe_play
from kibitz.games.tichu.combinations import (
    BOMB,
    DOG,
    DRAGON_HEIGHT,
    FULL_HOUSE,
    NOTHING,
    PAIR,
    SHORTEST_STRAIGHT,
    SINGLE,
    STEPS,
    STRAIGHT,
    TRIO,
)
from kibitz.games.tichu.ranks import (
    EVERY_RANK,
    NONE,
    S1,
    S2,
    by_rank,
    count_ranks,
    find_quads,
    place_of,
    ranks_above,
    straight_flushes,
)
from kibitz.games.tichu.sight import (
    RANKS,
    VALUES,
    all_played,
    given_card,
    mark_ranks,
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
    card_points,
    cards_of_rank,
    flushes,
    is_out,
    may_call,
    n_cards,
    wide,
)

HEIGHTS = DRAGON_HEIGHT + 1
COUNTS = HAND_CARDS + 1
KINDS = DOG + 1
PHASES = DRAGON_TRICK - GRAND_CALLING + 1
PASSED_KINDS, PASSED_RANKS = STEPS, 16
POINT_STEPS = 16  # of ten points, from -25 on
MOST_BEATING = 8

STATE_LAYOUT: Layout = (
    ("hand", (CARDS,)),  # of each rank as many ones as cards; special cards; here and below
    ("unseen", (CARDS,)),
    ("played", (SEATS, CARDS)),  # by seats relative to the own one, here and below
    ("given", (3, VALUES)),  # to the right, to the partner, to the left, and not yet played
    ("received", (3, VALUES)),
    ("table", (KINDS, HEIGHTS)),  # kind and height of what is to beat; [0, 0] = nothing
    ("table_length", (COUNTS,)),
    ("table_phoenix", (1,)),  # 1 = it has the Phoenix
    ("trick", (POINT_STEPS,)),  # points on the table
    ("holder", (SEATS,)),  # who laid it
    ("turn", (SEATS,)),  # who plays next
    ("deciding", (SEATS,)),
    ("cards", (SEATS, COUNTS)),  # in hand
    ("finished", (SEATS, SEATS)),  # 1 = this seat went out in this place
    ("calls", (SEATS, 2)),  # Tichu, Grand Tichu
    ("passed", (3, PASSED_KINDS, PASSED_RANKS)),  # lowest rank the others passed on, by kind
    ("won", (SEATS, POINT_STEPS)),  # points in the tricks of who has some
    ("wish", (1 + RANKS,)),  # none, or the rank
    ("lacking", (SEATS,)),  # 1 = known to hold nothing of the rank wished for
    ("opener", (SEATS,)),  # who is known to hold the Mah Jong
    ("bombs", (2,)),  # 1 = the own hand has four of a rank, a straight flush
    ("phase", (PHASES,)),
    ("gifts", (SEATS,)),  # how many cards the seat has given: 0, 1, 2, 3
    ("may_call", (1,)),
    ("score", (2,)),  # points of earlier rounds, own side and the other, divided by 1000
    ("match", (2,)),  # target, divided by 1000; rounds that may still follow, at most 10, by 10
    ("options", (2,)),  # 1 = variant=thesis, calls=any
)

CANDIDATE_LAYOUT: Layout = (
    ("answer", (7,)),  # pass; no Grand Tichu, Grand Tichu, none, Tichu; Dragon right, left
    ("gift", (3, VALUES)),  # to the right, to the partner, to the left
    ("wish", (1 + RANKS, 5)),  # rank (0 none) and how many cards of it are unseen
    ("play", (KINDS, HEIGHTS)),
    ("length", (COUNTS,)),
    ("phoenix", (1,)),  # 1 = in a combination
    ("pair", (RANKS,)),  # rank of a full house's pair
    ("fulfils", (1,)),  # 1 = has a card of the rank wished for
    ("points", (POINT_STEPS,)),
    ("beating", (MOST_BEATING + 1,)),  # how much of the unseen can beat it, at most 8
    ("as_many", (3,)),  # 1 = right, partner, left hold just so many cards as are laid
    ("rest", (CARDS,)),  # what is left in the hand
    ("rest_cards", (COUNTS,)),
    ("groups", (COUNTS,)),  # different ranks and special cards in it
    ("row", (COUNTS,)),  # longest straight in it; 0 = shorter than five
    ("rest_bombs", (2,)),  # 1 = it has four of a rank, a straight flush
)

_SCORES, _MANY_ROUNDS = 1000, 10


@inner_kernel
def _point_step(points: int) -> int:
    """Return the place of a number of points among those that are told apart."""
    return min(max((points + 25) // 10, 0), POINT_STEPS - 1)


@inner_kernel
def _unseen(view: State, seat: Seat) -> np.uint64:
    """Return the cards that a seat neither holds nor has seen played."""
    return ALL_CARDS & ~(all_played(view) | view.hand[seat])


@inner_kernel
def _mark_bombs(hand: np.uint64, with_flushes: bool, at: int, out: Features) -> None:
    """Write whether a hand has four of a rank, and a straight flush."""
    out[at] = find_quads(hand) != NONE
    out[at + 1] = with_flushes and straight_flushes(hand) != NONE


@inner_kernel
def _observe_cards(view: State, seat: Seat, out: Features) -> int:
    """Write where cards are, as far as the seat knows; return the next free place."""
    mark_ranks(view.hand[seat], 0, out)
    mark_ranks(_unseen(view, seat), CARDS, out)
    at = 2 * CARDS
    for k in range(SEATS):
        mark_ranks(view.played[(seat + k) & 3], at, out)
        at += CARDS
    played = all_played(view)
    for k in range(3):
        given, received = given_card(view, seat, k), received_card(view, seat, k)
        if given > 0 and (played >> np.uint64(given - 1)) & ONE == NONE:
            out[at + VALUES * k + value_of(given - 1)] = 1
        if received > 0:
            out[at + VALUES * (3 + k) + value_of(received - 1)] = 1
    return at + 6 * VALUES


@inner_kernel
def _observe_table(view: State, seat: Seat, at: int, out: Features) -> int:
    """Write the trick; return the next free place."""
    out[at + HEIGHTS * view.table_kind + view.table_height] = 1
    at += KINDS * HEIGHTS
    out[at + view.table_length] = 1
    at += COUNTS
    out[at] = view.table & PHOENIX_BIT != NONE
    at += 1
    if view.table_kind != NOTHING:
        out[at + _point_step(wide(view.trick))] = 1
        out[at + POINT_STEPS + ((wide(view.holder) - seat) & 3)] = 1
    at += POINT_STEPS + SEATS
    if view.phase >= TURN:
        out[at + ((wide(view.turn) - seat) & 3)] = 1
    for k in range(SEATS):
        out[at + SEATS + k] = (view.deciding >> ((seat + k) & 3)) & 1
    return at + 2 * SEATS


@inner_kernel
def _observe_seats(view: State, seat: Seat, at: int, out: Features) -> int:
    """Write what belongs to seats; return the next free place."""
    finished_at = at + SEATS * COUNTS
    calls_at = finished_at + SEATS * SEATS
    passed_at = calls_at + 2 * SEATS
    won_at = passed_at + 3 * PASSED_KINDS * PASSED_RANKS
    for k in range(SEATS):
        other = (seat + k) & 3
        out[at + COUNTS * k + n_cards(view, other)] = 1
        if view.finished[other] > 0:
            out[finished_at + SEATS * k + wide(view.finished[other]) - 1] = 1
        out[calls_at + 2 * k] = view.call[other] == TICHU_CALLED
        out[calls_at + 2 * k + 1] = view.call[other] == GRAND_CALLED
        if k > 0:
            for kind in range(SINGLE, STEPS + 1):
                rank = wide(view.passed[other, kind]) >> 1
                if rank > 0:
                    place = PASSED_KINDS * (k - 1) + kind - 1
                    out[passed_at + PASSED_RANKS * place + rank] = 1
        if view.tricks[other] > 0:
            out[won_at + POINT_STEPS * k + _point_step(wide(view.won[other]))] = 1
    return won_at + POINT_STEPS * SEATS


@kernel
def observe_ranks(view: State, seat: Seat, encoding: np.record, out: Features) -> None:
    """Write what the seat knows in the order of STATE_LAYOUT."""
    for i in range(len(out)):
        out[i] = 0
    at = _observe_cards(view, seat, out)
    at = _observe_table(view, seat, at, out)
    at = _observe_seats(view, seat, at, out)
    out[at + (view.wish - 1 if view.wish > 0 else 0)] = 1
    at += 1 + RANKS
    for k in range(SEATS):
        other = (seat + k) & 3
        out[at + k] = (view.lacking >> other) & 1
        out[at + SEATS + k] = view.opener == other + 1
    at += 2 * SEATS
    _mark_bombs(view.hand[seat], flushes(view), at, out)
    at += 2
    if GRAND_CALLING <= view.phase <= DRAGON_TRICK:
        out[at + view.phase - GRAND_CALLING] = 1
    at += PHASES
    out[at + n_given(view, seat)] = 1
    at += SEATS
    out[at] = view.phase != GRAND_CALLING and may_call(view, seat)
    out[at + 1] = view.total[seat & 1] / _SCORES
    out[at + 2] = view.total[1 - (seat & 1)] / _SCORES
    out[at + 3] = view.match / _SCORES
    out[at + 4] = min(int(view.rounds) - int(view.dealt), _MANY_ROUNDS) / _MANY_ROUNDS
    out[at + 5] = view.variant == THESIS
    out[at + 6] = view.calls == ANY


@inner_kernel
def _beating(unseen: np.uint64, kind: int, length: int, height: int) -> int:
    """Count what of the unseen cards can beat a play, bombs apart, as if one hand had them all.

    Of singles these are cards; of pairs, trios and full houses ranks; of rows their tops.
    """
    if kind in (DOG, BOMB) or height >= DRAGON_HEIGHT:
        return 0
    jokers = 1 if unseen & PHOENIX_BIT != NONE else 0
    if kind == SINGLE:
        higher = by_rank(unseen) & ranks_above(height)
        return popcount(higher) + jokers + (1 if unseen & DRAGON_BIT != NONE else 0)
    each = 1 if kind == STRAIGHT else 2 if kind in (PAIR, STEPS) else 3
    full = _ranks_with(unseen, each)
    partial = _ranks_with(unseen, each - 1) if jokers else full
    if kind in (PAIR, TRIO, FULL_HOUSE):
        return popcount((full | partial) & ranks_above(max(height, 2)))
    size = length if kind == STRAIGHT else length >> 1
    n = 0
    for top in range((height >> 1) + 1, ACE + 1):
        gaps = 0
        for rank in range(top - size + 1, top + 1):
            if (full >> place_of(rank)) & ONE == NONE:
                gaps += 1 if (partial >> place_of(rank)) & ONE != NONE else 2
        n += 1 if gaps <= jokers else 0
    return n


@inner_kernel
def _ranks_with(cards: np.uint64, least: int) -> np.uint64:
    """Return the ranks of which there are at least so many cards, 0 to 3, as a set of ranks."""
    if least == 0:
        return EVERY_RANK
    counts = count_ranks(by_rank(cards))
    ones, twos, fours = counts, counts >> S1, counts >> S2
    if least == 1:
        return (ones | twos | fours) & EVERY_RANK
    return (twos | fours if least == 2 else ones & twos | fours) & EVERY_RANK


@inner_kernel
def _longest_row(hand: np.uint64) -> int:
    """Return the length of the longest straight without the Phoenix; 0 if it has less than five."""
    starts = _ranks_with(hand, 1)
    longest, rows = 0, starts
    while rows != NONE:
        longest += 1
        rows &= starts >> place_of(longest + 1)
    return longest if longest >= SHORTEST_STRAIGHT else 0


@inner_kernel
def _observe_rest(view: State, rest: np.uint64, at: int, out: Features) -> None:
    """Write the hand that is left."""
    mark_ranks(rest, at, out)
    at += CARDS
    out[at + popcount(rest)] = 1
    at += COUNTS
    specials = rest & (DOG_BIT | PHOENIX_BIT | DRAGON_BIT)
    out[at + popcount(_ranks_with(rest, 1)) + popcount(specials)] = 1
    at += COUNTS
    out[at + _longest_row(rest)] = 1
    _mark_bombs(rest, flushes(view), at + COUNTS, out)


@inner_kernel
def _observe_play(view: State, seat: Seat, action: Action, at: int, out: Features) -> None:
    """Write what is laid, from the place of `play` on."""
    cards = cards_of(action)
    kind, length, height = describe_play(view, action)
    out[at + HEIGHTS * kind + height] = 1
    at += KINDS * HEIGHTS
    out[at + length] = 1
    at += COUNTS
    out[at] = phoenix_of(action) > 0
    at += 1
    if kind == FULL_HOUSE:
        pair = cards & ~PHOENIX_BIT & ~cards_of_rank(height >> 1)
        out[at + (lowest(pair) >> 2)] = 1
    at += RANKS
    out[at] = view.wish > 0 and cards & cards_of_rank(view.wish) != NONE
    at += 1
    out[at + _point_step(card_points(cards))] = 1
    at += POINT_STEPS
    out[at + min(_beating(_unseen(view, seat), kind, length, height), MOST_BEATING)] = 1
    at += MOST_BEATING + 1
    for k in range(3):
        other = (seat + k + 1) & 3
        out[at + k] = not is_out(view, other) and n_cards(view, other) == length


@inner_kernel
def rest_after(view: State, seat: Seat, action: Action) -> np.uint64:
    """Return the hand that an action leaves, without what was laid down for others."""
    rest = view.hand[seat]
    for k in range(3):
        if given_card(view, seat, k) > 0:  # laid down for another, or gone
            rest &= ~(ONE << np.uint64(given_card(view, seat, k) - 1))
    if kind_of(action) == PLAY or kind_of(action) == GIVE:
        rest &= ~cards_of(action)
    return rest


_GIFT_AT = 7
_WISH_AT = _GIFT_AT + 3 * VALUES
_PLAY_AT = _WISH_AT + 5 * (1 + RANKS)
_REST_AT = _PLAY_AT + KINDS * HEIGHTS + COUNTS + 1 + RANKS + 1 + POINT_STEPS + MOST_BEATING + 4


@kernel
def observe_action(
    view: State, seat: Seat, action: Action, encoding: np.record, out: Features
) -> None:
    """Write the row of a legal action in the order of CANDIDATE_LAYOUT."""
    for i in range(len(out)):
        out[i] = 0
    kind, what = kind_of(action), low_bits(action)
    if kind == PLAY:
        _observe_play(view, seat, action, _PLAY_AT, out)
    elif kind == GIVE:
        place = VALUES * n_given(view, seat) + value_of(lowest(cards_of(action)))
        out[_GIFT_AT + place] = 1
    elif kind == WISH:
        rank = what - LOWEST_RANK + 1 if what > 0 else 0
        unseen = popcount(_unseen(view, seat) & cards_of_rank(what)) if what > 0 else 0
        out[_WISH_AT + 5 * rank + unseen] = 1
    elif kind == CALL:
        out[1 + what] = 1
    elif kind == DRAGON_TO:
        out[5 + (what >> 1)] = 1
    elif kind == PASS:
        out[0] = 1
    _observe_rest(view, rest_after(view, seat, action), _REST_AT, out)
