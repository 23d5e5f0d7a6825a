"""Encodings of Sheephead: the two tables of numbers of the paper, and a complete one.

Opponents are counted to the left of the observing seat, by the places at the table: the next to
play is the first.

**`paper`** writes the 26 features of its table 1, in its order. What is corrected or left open:

- Trumps played or held are 0 to 14, not 0 to 6. Cards that the observing seat has buried count as
  played, here and below; the unknown card counts when it is seen.
- *Has trump* is 0 for an opponent who has shown that he has none, who has no cards left, or where
  no trump is unseen, and 1 otherwise.
- The *leading player* is who leads the trick; before the first trick, who is going to.
- The status of an ace and its ten, which the paper gives eight values, has nine: three times the
  ace's status plus the ten's, each 0 (not seen), 1 (held by the agent) or 2 (played).
- Picker, partner, called card, points and voids of other suits are not in it: it is not
  sufficient to play well. In Nola *trump* still means the fourteen trumps of a picked hand.

**`predictor`** writes the 26 inputs of its table 2, about the first opponent; `predictor-2` to
`predictor-4` write the same about the others. Probabilities are those of a uniform deal of the
unseen cards to the hands and the bury or blind, given what seats have shown to be out of, and that
a called card is neither buried nor with the picker. They come from fitting shares of suits to
hands, row by row and column by column: exact as long as nobody is out of anything, and within 0.02
of exact after that in a test that counts deals. An opponent's unknown card is not counted with his
hand. The strongest card is the one that wins the trick so far; in Nola, diamonds take the place of
trump. The lead player is 0 for the agent and 1 to 4 for opponents.

**`full`** has all that a seat knows of the hand but the order of earlier tricks, by cards and by
seats to the left of its own, scaled to about [-1, 1].

**`insight`** is `full`, with more to say of legal actions: insight.py.

Actions have their own numbers, 0 to 636, in all of them, and all others write the same row for a
legal action: what is done, with which cards of which points, and what the card does in the trick.

The oracle is `full` of the true state, and every card where it lies: hands, blind, bury, unknown.
"""

import dataclasses

import numpy as np
import numpy.typing as npt

from kibitz.core.bits import ONE, lowest, popcount
from kibitz.core.encoding import (
    Candidates,
    Encoding,
    Layout,
    define_encoding,
    define_oracle,
    size_of,
)
from kibitz.core.game import Action, Features, Seat, State
from kibitz.core.kernels import F, allocating_kernel, inner_kernel, kernel
from kibitz.games.sheephead.candidates import CANDIDATES
from kibitz.games.sheephead.cards import (
    ACE,
    CARDS,
    CLUBS,
    FAIL_CARDS,
    FAIL_SUITS,
    HEARTS,
    JOKER,
    N_ACTIONS,
    NAMES,
    NOLA_RANK,
    NOLA_SUITS,
    POINTS,
    QUEEN_OF_CLUBS,
    SPADES,
    TEN,
    TOTAL_POINTS,
    TRUMPS,
    bit,
    cards_of_suit,
)
from kibitz.games.sheephead.doubling import n_doublings, queens_shown
from kibitz.games.sheephead.insight import INSIGHT, is_with
from kibitz.games.sheephead.outlook import gone_for, places_to_the_left, unseen_or_buried
from kibitz.games.sheephead.play import is_first_lead
from kibitz.games.sheephead.state import (
    BIDDING,
    BLITZING,
    DOUBLED_HANDS,
    HAND_CARDS,
    LEASTER_PLAYING,
    MOST_REDEALS,
    NOLA_PLAYING,
    PLAYING,
    SEATS,
    TRICKS,
    n_cards,
    wide,
)

OPPONENTS = SEATS - 1
SUITS = 4
QUEENS_AND_JACKS = 9  # with the joker: the highest trumps
PHASES = LEASTER_PLAYING - BIDDING + 1

PAPER_LAYOUT: Layout = (
    ("trump", (1,)),  # played or held by the agent
    ("clubs", (1,)),
    ("spades", (1,)),
    ("hearts", (1,)),
    ("has_trump", (OPPONENTS,)),
    ("status", (QUEENS_AND_JACKS,)),  # QC, joker, QS ... JD: -1 unseen, 0 held, 1 played
    ("leads", (SEATS,)),  # agent, opponents
    ("ace_and_ten", (SUITS,)),  # of diamonds, clubs, spades, hearts
)

PREDICTOR_LAYOUT: Layout = (
    ("trump", (2,)),  # expected number, weaker and stronger than the strongest card in the trick
    ("clubs", (2,)),
    ("spades", (2,)),
    ("hearts", (2,)),
    ("high_trump", (QUEENS_AND_JACKS,)),  # probability of QC, joker, QS ... JD
    ("aces", (SUITS,)),  # of diamonds, clubs, spades, hearts
    ("tens", (SUITS,)),
    ("leader", (1,)),  # of the trick: 0 agent, 1 to 4 opponents
)

FULL_LAYOUT: Layout = (
    ("hand", (CARDS,)),  # 1 = in the own hand
    ("unseen", (CARDS,)),  # 1 = in another hand, in the blind or buried
    ("buried", (CARDS,)),  # 1 = buried by the seat itself; open: by anybody, or in the blind
    ("unknown", (CARDS,)),  # 1 = the own unknown card; open: anybody's
    ("played", (SEATS, CARDS)),  # 1 = played by this seat; seats are relative, here and below
    ("laid", (SEATS, CARDS)),  # 1 = its card in the trick
    ("last", (SEATS, CARDS)),  # 1 = its card in the trick before
    ("shown", (SEATS, CARDS)),  # 1 = known to be in its hand: queens of a blitz, open cards
    ("face_down", (2, SEATS)),  # 1 = that card, now or before, is the unknown one and hidden
    ("led", (SUITS,)),  # suit of the trick
    ("leader", (SEATS,)),
    ("winner", (SEATS,)),  # of the trick so far
    ("last_winner", (SEATS,)),
    ("trick", (1,)),  # points in it, divided by 120
    ("turn", (SEATS,)),
    ("dealer", (SEATS,)),
    ("passed", (SEATS,)),
    ("picker", (SEATS,)),
    ("partner", (SEATS,)),  # where it is known
    ("without", (SEATS,)),  # 1 = has shown not to hold the called card
    ("role", (4,)),  # picker, partner, against a picker, each for himself
    ("called", (2 * FAIL_SUITS,)),  # aces of clubs, spades, hearts, then tens
    ("alone", (1,)),
    ("unknown_is", (2,)),  # held, played
    ("called_led", (2,)),  # the called suit was led; it is for the first time in this trick
    ("revealed", (1,)),
    ("void", (SEATS, SUITS)),
    ("cards", (SEATS,)),  # in hand, divided by 8
    ("tricks", (SEATS,)),  # taken, divided by 6
    ("points", (SEATS,)),  # taken, divided by 120
    ("sides", (2,)),  # points of the seats known to play with it, itself included, and against it
    ("own_bury", (1,)),  # points of it, divided by 120
    ("tricks_played", (1,)),  # divided by 6
    ("doublings", (1,)),  # of the payments of this hand, divided by 5
    ("doubled", (1,)),  # hands left that pay double, divided by 5, at most 1
    ("redeals", (1,)),  # divided by 9
    ("money", (SEATS,)),  # in dollars
    ("hands_left", (1,)),  # this one included, divided by 10, at most 1
    ("phase", (PHASES,)),  # bidding to the three kinds of play
    ("options", (16,)),  # nola to forced; bump, lead_called, slough, underlead, unknown=fail,
)  # bury=fail, called_ten=top, stack, blitz, crack, open

ORACLE_LAYOUT: Layout = (
    *FULL_LAYOUT,
    ("hands", (SEATS, CARDS)),  # 1 = in the hand of this seat, by relative seat
    ("blind", (CARDS,)),  # 1 = there
    ("bury", (CARDS,)),
    ("face_down_card", (CARDS,)),  # 1 = this is the unknown card, held or played
)

_FULL_SIZE = size_of(FULL_LAYOUT)
_LARGEST_HAND = HAND_CARDS + 2
_MOST_DOUBLINGS = 5
_MANY_HANDS = 10
_CENTS = 100
_NONE = np.uint64(0)
_ACES_AND_TENS = np.array(
    [[NAMES.index(rank + suit) for rank in ("A", "10")] for suit in "DCSH"], np.int64
)
_FITTING_ROUNDS = 40

Shares = npt.NDArray[np.float64]


@inner_kernel
def _is_play(view: State) -> bool:
    return PLAYING <= view.phase <= LEASTER_PLAYING


@inner_kernel
def _suit_set(view: State, suit: int) -> np.uint64:
    """Return the cards of a suit, in Nola those of its own four suits."""
    return NOLA_SUITS[suit] if view.phase == NOLA_PLAYING else cards_of_suit(suit)


@inner_kernel
def _is_on(cards: np.uint64, card: int) -> bool:
    return cards & bit(card) != _NONE


@inner_kernel
def _lead_seat(view: State) -> int:
    """Return who leads the trick, or will lead the first one."""
    return wide(view.leader) if _is_play(view) else wide(view.left[view.dealer])


@inner_kernel
def _can_hold(view: State, other: Seat, card: int) -> bool:
    """Whether a seat can hold an unseen card, by what it has shown to be out of."""
    for suit in range(SUITS):
        is_out = (wide(view.void[other]) >> suit) & 1
        if is_out and _is_on(_suit_set(view, suit), card):
            return False
    return view.called != card + 1 or (view.without >> other) & 1 == 0


@kernel
def observe_paper(view: State, seat: Seat, encoding: np.record, out: Features) -> None:
    """Write the 26 features in the order of PAPER_LAYOUT."""
    hand, gone, unseen = view.hand[seat], gone_for(view, seat), unseen_or_buried(view, seat)
    known = hand | gone
    out[0] = popcount(known & TRUMPS)
    for suit in (CLUBS, SPADES, HEARTS):
        out[1 + suit] = popcount(known & cards_of_suit(suit))
    at = SUITS
    leader, other = _lead_seat(view), seat
    lead_at = at + OPPONENTS + QUEENS_AND_JACKS
    for k in range(SEATS):
        out[lead_at + k] = 1 if leader == other else 0
        other = wide(view.left[other])
        if k < OPPONENTS:
            can = False
            for card in range(JOKER + 2 - 14, CARDS):
                can = can or (_is_on(unseen, card) and _can_hold(view, other, card))
            out[at + k] = 1 if can and n_cards(view, other) > 0 else 0
    at += OPPONENTS
    for k in range(QUEENS_AND_JACKS):
        card = QUEEN_OF_CLUBS - k
        out[at + k] = 0 if _is_on(hand, card) else 1 if _is_on(gone, card) else -1
    at += QUEENS_AND_JACKS + SEATS
    for k in range(SUITS):
        out[at + k] = 0
        for i in range(2):
            card = _ACES_AND_TENS[k, i]
            status = 1 if _is_on(hand, card) else 2 if _is_on(gone, card) else 0
            out[at + k] += status * (3 if i == 0 else 1)


@inner_kernel
def _row_of(view: State, card: int) -> int:
    """Return the row of a card in the table of shares: its suit, or the last if it is called."""
    if view.called == card + 1:
        return SUITS
    suit = 0
    while not _is_on(_suit_set(view, suit), card):
        suit += 1
    return suit


@inner_kernel
def _open_shares(view: State, seat: Seat, unseen: np.uint64, shares: Shares) -> None:
    """Write how many cards each row and each place has, and 1 where they can meet.

    Rows are suits and the called card; columns are the opponents and what lies away (the blind, the
    bury, an unknown card). The last column and the last row hold the sums.
    """
    shares[:] = 0
    for card in range(CARDS):
        if _is_on(unseen, card):
            shares[_row_of(view, card), SEATS] += 1
    other, away = seat, np.float64(popcount(unseen))
    for k in range(OPPONENTS):
        other = wide(view.left[other])
        has_unknown = view.picker == other + 1 and view.face_down != 0 and view.face_down_at == 0
        n = n_cards(view, other) - (1 if has_unknown else 0)
        shares[SEATS, k] = n
        away -= n
        for suit in range(SUITS):
            shares[suit, k] = 1 - ((wide(view.void[other]) >> suit) & 1)
        if view.called > 0 and (view.without >> other) & 1 == 0:
            shares[SUITS, k] = shares[(wide(view.called) - 1) // FAIL_CARDS, k]
    shares[SEATS, OPPONENTS] = away
    for suit in range(SUITS):
        shares[suit, OPPONENTS] = 1


@inner_kernel
def _fit_shares(shares: Shares) -> None:
    """Scale columns and rows in turn until the sums are right: expected cards by row and place."""
    for _ in range(_FITTING_ROUNDS):
        for k in range(SEATS):
            total = 0.0
            for row in range(SEATS):
                total += shares[row, k]
            for row in range(SEATS):
                shares[row, k] *= shares[SEATS, k] / total if total > 0 else 0.0
        for row in range(SEATS):
            total = 0.0
            for k in range(SEATS):
                total += shares[row, k]
            for k in range(SEATS):
                shares[row, k] *= shares[row, SEATS] / total if total > 0 else 0.0


@inner_kernel
def _strength(view: State, seat: Seat) -> int:
    """Rank the card with which a seat wins the trick among those of its suit; trumps are higher."""
    card = wide(view.laid[seat]) - 1
    if card < 0 or (view.phase == PLAYING and view.face_down == card + 1):
        return -1  # the unknown card
    if view.phase == NOLA_PLAYING:
        return NOLA_RANK[card]
    is_top = view.called_ten == 1 and view.called == card + 1 and card % FAIL_CARDS == TEN
    return card + 1 if is_top and is_first_lead(view) else card


@allocating_kernel
def observe_predictor(view: State, seat: Seat, encoding: np.record, out: Features) -> None:
    """Write the 26 inputs about an opponent in the order of PREDICTOR_LAYOUT."""
    which = wide(encoding.sheephead_predictor_encoding)
    unseen = unseen_or_buried(view, seat)
    shares = np.empty((SEATS + 1, SEATS + 1))
    _open_shares(view, seat, unseen, shares)
    _fit_shares(shares)
    for i in range(len(out)):
        out[i] = 0
    if _is_play(view) and view.n_laid > 0:
        best = _strength(view, wide(view.winner))
        of_suit = unseen & _suit_set(view, wide(view.led))
        at = 2 * ((wide(view.led) + 1) % SUITS)  # trump, in Nola diamonds, comes first
        while of_suit != _NONE:
            card = lowest(of_suit)
            rank = NOLA_RANK[card] if view.phase == NOLA_PLAYING else card
            out[at + (1 if rank > best else 0)] += _chance(view, card, which, shares)
            of_suit &= of_suit - ONE
    at = 2 * SUITS
    for k in range(QUEENS_AND_JACKS):
        card = QUEEN_OF_CLUBS - k
        out[at + k] = _chance(view, card, which, shares) if _is_on(unseen, card) else 0.0
    at += QUEENS_AND_JACKS
    for k in range(SUITS):
        for i in range(2):
            card = _ACES_AND_TENS[k, i]
            if _is_on(unseen, card):
                out[at + SUITS * i + k] = _chance(view, card, which, shares)
    at += 2 * SUITS
    out[at] = places_to_the_left(view, seat, _lead_seat(view))


@inner_kernel
def _chance(view: State, card: int, which: int, shares: Shares) -> float:
    """Return the probability that an opponent holds an unseen card."""
    row = _row_of(view, card)
    return shares[row, which] / shares[row, SEATS]


@inner_kernel
def _mark_cards(cards: np.uint64, at: int, out: Features) -> None:
    """Write 1 for every card of a set."""
    while cards != _NONE:
        out[at + lowest(cards)] = 1
        cards &= cards - ONE


@inner_kernel
def _mark_seat(view: State, seat: Seat, other: Seat, at: int, out: Features) -> None:
    out[at + places_to_the_left(view, seat, other)] = 1


@inner_kernel
def _observe_cards(view: State, seat: Seat, out: Features) -> int:
    """Write where every card is, as far as the seat knows; return the next free place."""
    is_picker = view.picker == seat + 1
    _mark_cards(view.hand[seat], 0, out)
    _mark_cards(unseen_or_buried(view, seat), CARDS, out)
    sees_bury = is_picker or view.open != 0
    if sees_bury:
        _mark_cards(view.buried | view.blind, 2 * CARDS, out)
    if sees_bury and view.face_down > 0:
        out[3 * CARDS + wide(view.face_down) - 1] = 1
    at = 4 * CARDS
    other = seat
    hidden_at = at + 4 * SEATS * CARDS
    for k in range(SEATS):
        _mark_cards(view.played[other], at + CARDS * k, out)
        laid, last = wide(view.laid[other]), wide(view.last[other])
        if laid > 0:
            out[at + CARDS * (SEATS + k) + laid - 1] = 1
        if last > 0:
            out[at + CARDS * (2 * SEATS + k) + last - 1] = 1
        shown = view.hand[other] if view.open != 0 else queens_shown(view, other)
        _mark_cards(shown, at + CARDS * (3 * SEATS + k), out)
        out[hidden_at + k] = laid < 0
        out[hidden_at + SEATS + k] = last < 0
        other = wide(view.left[other])
    return hidden_at + 2 * SEATS


@inner_kernel
def _observe_trick(view: State, seat: Seat, at: int, out: Features) -> int:
    """Write the trick and who leads, wins and decides; return the next free place."""
    if _is_play(view) and view.n_laid > 0:
        out[at + wide(view.led)] = 1
        _mark_seat(view, seat, wide(view.winner), at + SUITS + SEATS, out)
    at += SUITS
    _mark_seat(view, seat, _lead_seat(view), at, out)
    at += 2 * SEATS
    if view.last_winner > 0:
        _mark_seat(view, seat, wide(view.last_winner) - 1, at, out)
    at += SEATS
    points = 0
    for other in range(SEATS):
        card = wide(view.laid[other]) - 1
        points += POINTS[card] if card >= 0 else 0
    out[at] = points / TOTAL_POINTS
    at += 1
    _mark_seat(view, seat, wide(view.turn), at, out)
    _mark_seat(view, seat, wide(view.dealer), at + SEATS, out)
    return at + 2 * SEATS


@inner_kernel
def _observe_sides(view: State, seat: Seat, at: int, out: Features) -> int:
    """Write who picked, what is called and who plays with whom; return the next free place."""
    other = seat
    for k in range(SEATS):
        out[at + k] = (wide(view.passed) >> other) & 1
        out[at + SEATS + k] = view.picker == other + 1
        out[at + 2 * SEATS + k] = view.partner == other + 1
        out[at + 3 * SEATS + k] = (wide(view.without) >> other) & 1
        other = wide(view.left[other])
    at += 4 * SEATS
    if view.picker > 0:
        role = 0 if view.picker == seat + 1 else 1 if view.partner == seat + 1 else 2
        out[at + role] = 1
    elif _is_play(view):
        out[at + 3] = 1
    at += 4
    if view.called > 0:
        card = wide(view.called) - 1
        is_ten = card % FAIL_CARDS != ACE
        out[at + card // FAIL_CARDS + (FAIL_SUITS if is_ten else 0)] = 1
    at += 2 * FAIL_SUITS
    is_declared = BLITZING <= view.phase <= PLAYING
    out[at] = is_declared and view.called == 0
    out[at + 1] = view.face_down != 0 and view.face_down_at == 0
    out[at + 2] = view.face_down_at != 0
    out[at + 3] = view.called_led != 0
    out[at + 4] = view.phase == PLAYING and view.called_led == view.tricks_played + 1
    out[at + 5] = view.revealed
    return at + 6


@inner_kernel
def _observe_seats(view: State, seat: Seat, at: int, out: Features) -> int:
    """Write what belongs to seats; return the next free place."""
    other = seat
    sides = at + SEATS * (SUITS + 3)
    for k in range(SEATS):
        for suit in range(SUITS):
            out[at + SUITS * k + suit] = (wide(view.void[other]) >> suit) & 1
        out[at + SEATS * SUITS + k] = n_cards(view, other) / _LARGEST_HAND
        out[at + SEATS * (SUITS + 1) + k] = view.tricks[other] / TRICKS
        out[at + SEATS * (SUITS + 2) + k] = view.points[other] / TOTAL_POINTS
        together = is_with(view, seat, other)
        if together != 0:
            out[sides + (0 if together > 0 else 1)] += view.points[other] / TOTAL_POINTS
        other = wide(view.left[other])
    if view.picker == seat + 1:
        buried = view.buried
        while buried != _NONE:
            out[sides + 2] += POINTS[lowest(buried)] / TOTAL_POINTS
            buried &= buried - ONE
    return sides + 3


@inner_kernel
def _observe_session(view: State, seat: Seat, at: int, out: Features) -> int:
    """Write how the hand pays, money, the phase and the options; return the next free place."""
    out[at] = view.tricks_played / TRICKS
    out[at + 1] = n_doublings(view) / _MOST_DOUBLINGS
    out[at + 2] = min(view.doubled / DOUBLED_HANDS, 1.0)
    out[at + 3] = view.redeals / MOST_REDEALS
    at += 4
    other = seat
    for k in range(SEATS):
        out[at + k] = view.money[other] / _CENTS
        other = wide(view.left[other])
    at += SEATS
    left = wide(view.hands) - wide(view.dealt) + 1
    out[at] = min(left / _MANY_HANDS, 1.0)
    at += 1
    if BIDDING <= view.phase <= LEASTER_PLAYING:
        out[at + view.phase - BIDDING] = 1
    at += PHASES
    out[at + wide(view["pass"])] = 1
    out[at + 5] = view.bump
    out[at + 6] = view.lead_called
    out[at + 7] = view.slough
    out[at + 8] = view.underlead
    out[at + 9] = view.unknown
    out[at + 10] = view.bury
    out[at + 11] = view.called_ten
    out[at + 12] = view.stack
    out[at + 13] = view.blitz
    out[at + 14] = view.crack
    out[at + 15] = view.open
    return at + 16


@kernel
def observe_full(view: State, seat: Seat, encoding: np.record, out: Features) -> None:
    """Write what the seat knows in the order of FULL_LAYOUT."""
    for i in range(len(out)):
        out[i] = 0
    at = _observe_cards(view, seat, out)
    at = _observe_trick(view, seat, at, out)
    at = _observe_sides(view, seat, at, out)
    at = _observe_seats(view, seat, at, out)
    _observe_session(view, seat, at, out)


@kernel
def action_index(state: State, seat: Seat, action: Action, encoding: np.record) -> int:
    """Return an action as its own index."""
    return action


@kernel
def observe_oracle(state: State, seat: Seat, encoding: np.record, out: Features) -> None:
    """Write what `full` has of the true state, and where every card lies."""
    observe_full(state, seat, encoding, out[:_FULL_SIZE])
    for i in range(_FULL_SIZE, len(out)):
        out[i] = 0
    at, other = _FULL_SIZE, seat
    for _ in range(SEATS):
        _mark_cards(state.hand[other], at, out)
        other = wide(state.left[other])
        at += CARDS
    _mark_cards(state.blind, at, out)
    _mark_cards(state.buried, at + CARDS, out)
    if state.face_down > 0:
        out[at + 2 * CARDS + wide(state.face_down) - 1] = 1


def _define(name: str, layout: Layout, observe: F, candidates: Candidates = CANDIDATES) -> Encoding:
    return define_encoding("sheephead", name, layout, N_ACTIONS, observe, action_index, candidates)


def _define_predictors() -> dict[str, Encoding]:
    """Make one encoding for each opponent: its record says how many places to the left he sits."""
    first = _define("predictor", PREDICTOR_LAYOUT, observe_predictor)
    found = {first.name: first}
    for k in range(1, OPPONENTS):
        record = first.record.copy()
        record.sheephead_predictor_encoding = k
        found[f"predictor-{k + 1}"] = dataclasses.replace(
            first, name=f"predictor-{k + 1}", record=record
        )
    return found


PAPER = _define("paper", PAPER_LAYOUT, observe_paper)
FULL = _define("full", FULL_LAYOUT, observe_full)
DEEP = _define("insight", FULL_LAYOUT, observe_full, INSIGHT)

ENCODINGS: dict[str, Encoding] = {"paper": PAPER, **_define_predictors(), "full": FULL}
ENCODINGS |= {"insight": DEEP}

ORACLE = define_oracle("sheephead", ORACLE_LAYOUT, observe_oracle)
