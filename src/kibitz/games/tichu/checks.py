"""Whether a position can be: what its cards, calls, tricks and points must have in common.

Kernels trust what they get. These checks keep from them what would make them run for ever or read
beyond an array, and tell people where a line that they typed contradicts itself.
"""

import numpy as np

from kibitz.core.errors import PositionError
from kibitz.core.game import Seat
from kibitz.core.messages import Message
from kibitz.games.tichu import LEAST_POINTS, MOST_LEAD, MOST_POINTS
from kibitz.games.tichu import cards as codes
from kibitz.games.tichu.cards import (
    ALL_CARDS,
    CALL,
    DRAGON_BIT,
    GRAND,
    MAH_JONG,
    MAH_JONG_BIT,
    NO_GRAND,
    NO_TICHU,
    TICHU,
    cards_of,
    kind_of,
    low_bits,
    phoenix_of,
)
from kibitz.games.tichu.combinations import BOMB, DOG, NOTHING, classify, is_play
from kibitz.games.tichu.state import (
    CALLING,
    DRAGON_TRICK,
    EXCHANGE,
    FIRST_CARDS,
    FULL,
    GRAND_CALLING,
    HAND_CARDS,
    OVER,
    ROUND,
    SEATS,
    TURN,
    UNKNOWN,
    WAITING,
    WINDOW,
    WISHING,
    card_points,
    cards_of_rank,
    flushes,
    is_exchanged,
    n_cards,
)
from kibitz.games.tichu.words import CARD_WORDS, members, rank_word

BEFORE_PLAY = (GRAND_CALLING, CALLING, EXCHANGE)
ENDED = (WAITING, OVER)


def check_position(state: np.record) -> None:
    """Refuse a position that cannot be; PositionError says why."""
    _check_rounds(state)
    if state.dealt == 0:
        _check_blank(state)
        return
    _check_places(state)
    _check_hands(state)
    _check_exchange(state)
    _check_calls(state)
    if state.phase in BEFORE_PLAY:
        _check_not_begun(state)
    else:
        _check_out(state)
        _check_table(state)
        _check_opener(state)
        _check_known(state)
        _check_wish(state)
        _check_points(state)
    _check_pending(state)


def deciding_seats(state: np.record) -> int:
    """Find the seats that must act, as a bit mask."""
    phase = int(state.phase)
    waiting = [seat for seat in range(SEATS) if state.pending[seat] == 0]
    if phase == GRAND_CALLING:
        movers = waiting
    elif phase == CALLING:
        movers = [seat for seat in waiting if state.call[seat] == 0]
    elif phase == EXCHANGE:
        movers = [seat for seat in range(SEATS) if state.given[seat, 2] == 0]
    elif phase == WINDOW:
        movers = [seat for seat in waiting if state.finished[seat] == 0]
    elif phase in (WISHING, DRAGON_TRICK):
        movers = [int(state.holder)]
    else:
        movers = [int(state.turn)] if phase == TURN else []
    return sum(1 << seat for seat in movers)


def _check_rounds(state: np.record) -> None:
    """Check the number of the round and what was won before."""
    dealt, phase = int(state.dealt), int(state.phase)
    most = 1 if state.match == ROUND else int(state.rounds)
    if dealt > most:
        raise PositionError(Message("tichu.at-round-game-most", {"dealt": dealt, "most": most}))
    if dealt == 0 and phase != WAITING:
        raise PositionError(Message("tichu.at-round-before-first-round"))
    if dealt <= 1 and state.total.any():
        raise PositionError(Message("tichu.at-total-before-first-round"))
    if phase not in ENDED and state.points.any():
        raise PositionError(Message("tichu.at-points-counted-when-round"))
    for points, rounds in ((state.total, max(dealt - 1, 0)), (state.points, 1)):
        if (points % 5).any() or (points < LEAST_POINTS * rounds).any():
            raise PositionError(Message("tichu.at-points-count-fives-round"))
        if (points > MOST_POINTS * rounds).any() or abs(np.diff(points)) > MOST_LEAD * rounds:
            raise PositionError(Message("tichu.at-points-no-round-gives"))
    if phase == WAITING and dealt == most:
        raise PositionError(Message("tichu.at-phase-wait-game-over", {"most": most}))
    if state.match == ROUND or dealt == 0:
        return
    before = _has_winner(state, state.total)
    after = _has_winner(state, state.total + state.points)
    if dealt > 1 and before:
        raise PositionError(Message("tichu.at-total-match-was-over", {"match": state.match}))
    if phase == WAITING and after:
        raise PositionError(Message("tichu.at-phase-wait-match-over", {"match": state.match}))
    if phase == OVER and not after and dealt < most:
        raise PositionError(Message("tichu.at-phase-over-nobody-points", {"match": state.match}))


def _has_winner(state: np.record, points: np.ndarray) -> bool:
    return bool(points[0] != points[1] and points.max() >= state.match)


def _check_blank(state: np.record) -> None:
    """Check that a state that waits for its first deal has nothing in it."""
    options = ("variant", "match", "rounds", "calls")
    for name in state.dtype.names or ():
        if name not in options and np.any(state[name]):
            raise PositionError(Message("tichu.at-before-first-round-nothing"))


def _check_places(state: np.record) -> None:
    """Check that no card is in two places."""
    seen = 0
    for place, piles in (("hands", state.hand), ("stock", state.stock), ("played", state.played)):
        for cards in piles:
            twice = seen & int(cards)
            if twice:
                raise PositionError(
                    Message(
                        "tichu.at-two-places",
                        {"place": place, "card": CARD_WORDS[members(twice)[0]]},
                    )
                )
            seen |= int(cards)
    if _is_open(state) and seen != ALL_CARDS:
        missing = members(int(ALL_CARDS) & ~seen)
        raise PositionError(Message("tichu.at-nowhere", {"card": CARD_WORDS[missing[0]]}))


def is_hidden(state: np.record, seat: Seat) -> bool:
    """Whether the hand of a seat is concealed."""
    return bool(state.hand[seat] == 0 and n_cards(state, seat) > 0)


def _is_open(state: np.record) -> bool:
    """Whether all cards can be seen."""
    is_dealing = state.phase == GRAND_CALLING and not state.stock.any()
    return not is_dealing and not any(is_hidden(state, seat) for seat in range(SEATS))


def _check_hands(state: np.record) -> None:
    """Check how many cards are where, and which hands are hidden."""
    hidden = [seat for seat in range(SEATS) if is_hidden(state, seat)]
    n_hidden = 0
    for seat in range(SEATS):
        n_held, n_stock = int(state.hand[seat]).bit_count(), int(state.stock[seat]).bit_count()
        expected = n_cards(state, seat)
        if seat not in hidden and n_held != expected:
            raise PositionError(
                Message(
                    "tichu.at-seat-must-hold-cards",
                    {"seat": seat, "expected": expected, "n_held": n_held},
                )
            )
        with_cards = state.phase == GRAND_CALLING and state.stock.any()
        if n_stock != (HAND_CARDS - FIRST_CARDS) * with_cards:
            raise PositionError(
                Message("tichu.at-stock-seat-cannot-cards", {"seat": seat, "n_stock": n_stock})
            )
        n_hidden += seat in hidden
    n_in = sum(n_cards(state, seat) > 0 for seat in range(SEATS))
    if n_hidden and n_hidden < n_in - 1:
        raise PositionError(Message("tichu.at-hands-view-shows-all"))
    if state.phase == GRAND_CALLING and bool(state.stock.any()) == bool(hidden):
        raise PositionError(Message("tichu.at-stock-view-hides-all"))


def _check_exchange(state: np.record) -> None:
    """Check the cards that were given; positions typed by hand may leave all of them out."""
    if not state.given.any():
        return
    if state.phase == GRAND_CALLING:
        raise PositionError(Message("tichu.at-given-nothing-given-before"))
    known = [int(card) - 1 for card in state.given.ravel() if card > 0]
    for card in known:
        if known.count(card) > 1:
            raise PositionError(Message("tichu.at-given-given-twice", {"card": CARD_WORDS[card]}))
    for giver in range(SEATS):
        for k in range(3):
            _check_gift(state, giver, k)


def _check_gift(state: np.record, giver: Seat, k: int) -> None:
    """Check one card that is being given, and still with its giver, or that was given."""
    gift, receiver = int(state.given[giver, k]), (giver + k + 1) % SEATS
    is_giving = state.phase == EXCHANGE
    if not gift and (not is_giving or state.given[giver, k:].any()):
        raise PositionError(Message("tichu.at-given-seat-gives-its", {"giver": giver}))
    if gift == UNKNOWN:
        knowing = (giver,) if is_giving else (giver, receiver)
        if state.phase not in ENDED and any(state.hand[seat] for seat in knowing):
            raise PositionError(Message("tichu.at-given-who-sees-hand"))
    if gift <= 0:
        return
    owner, bit = giver if is_giving else receiver, 1 << (gift - 1)
    others = sum(int(state.hand[s] | state.played[s]) for s in range(SEATS) if s != owner)
    is_there = is_hidden(state, owner) or int(state.hand[owner] | state.played[owner]) & bit
    if others & bit or not is_there or (is_giving and is_hidden(state, owner)):
        raise PositionError(
            Message(
                "tichu.at-given-seat-cannot-then", {"owner": owner, "card": CARD_WORDS[gift - 1]}
            )
        )


def _check_calls(state: np.record) -> None:
    """Check the calls against the phase."""
    if state.phase == GRAND_CALLING and state.call.any():
        raise PositionError(Message("tichu.at-calls-eight-cards-nobody"))
    if state.phase == CALLING and not is_exchanged(state) and (state.call == 1).any():
        raise PositionError(Message("tichu.at-calls-tichu-fourteen-cards"))
    if state.phase == CALLING and state.call.all():
        raise PositionError(Message("tichu.at-phase-call-all-called"))
    if state.phase == EXCHANGE and (state.given[:, 2] != 0).all():
        raise PositionError(Message("tichu.at-phase-exchange-all-given"))


def _check_pending(state: np.record) -> None:
    """Check the answers that wait: everybody is still to answer something that is allowed."""
    phase = int(state.phase)
    if phase not in (GRAND_CALLING, CALLING, WINDOW):
        if state.pending.any():
            raise PositionError(Message("tichu.at-pending-nothing-waits"))
        return
    if not deciding_seats(state):
        raise PositionError(Message("tichu.at-pending-somebody-must-still"))
    shown = 0
    for seat in range(SEATS):
        answer = int(state.pending[seat])
        if answer == 0:
            continue
        shown += answer != UNKNOWN
        can_answer = state.call[seat] == 0 if phase == CALLING else state.finished[seat] == 0
        if not can_answer or (answer != UNKNOWN and not _is_answer(state, seat, answer)):
            raise PositionError(Message("tichu.at-pending-seat-cannot-answered", {"seat": seat}))
    if phase == WINDOW and (state.pending == UNKNOWN).any():
        raise PositionError(Message("tichu.at-pending-view-does-not"))
    if (state.pending == UNKNOWN).any() and (shown > 1 or _is_open(state)):
        raise PositionError(Message("tichu.at-pending-view-shows-answer"))


def _is_answer(state: np.record, seat: Seat, answer: int) -> bool:
    """Whether a seat can have answered this."""
    if is_hidden(state, seat):
        return False
    if state.phase == WINDOW and kind_of(answer) == codes.PLAY:
        lies = (int(state.table_kind), int(state.table_length), int(state.table_height))
        kind, _, _ = classify(
            np.uint64(cards_of(answer)), int(phoenix_of(answer)), 0, flushes(state)
        )
        return kind == BOMB and bool(is_play(state.hand[seat], answer, *lies, flushes(state)))
    if state.phase == WINDOW:
        return kind_of(answer) == codes.PASS
    allowed = (NO_GRAND, GRAND) if state.phase == GRAND_CALLING else (NO_TICHU, TICHU)
    return kind_of(answer) == CALL and low_bits(answer) in allowed


def _check_not_begun(state: np.record) -> None:
    """Check that nothing has been played."""
    for name in (
        *("played", "laid", "table", "trick", "won", "tricks", "finished", "n_laid", "passed"),
        *(
            "wish",
            "wished",
            "lacking",
            "n_denials",
            "forgotten",
            "misfits",
            "opener",
            "turn",
            "holder",
        ),
    ):
        if np.any(state[name]):
            raise PositionError(Message("tichu.at-no-card-played-no"))


def _check_out(state: np.record) -> None:
    """Check the order of going out against the cards played."""
    places = sorted(int(place) for place in state.finished if place)
    if places != list(range(1, len(places) + 1)):
        raise PositionError(Message("tichu.at-out-places-order-going"))
    for seat in range(SEATS):
        n_played = int(state.played[seat]).bit_count()
        if bool(state.finished[seat]) != (n_played == HAND_CARDS):
            raise PositionError(
                Message(
                    "tichu.at-out-seat-played-cards",
                    {"seat": seat, "n_played": n_played, "hand_cards": HAND_CARDS},
                )
            )
    partners_first = any(
        sorted((state.finished[side], state.finished[side + 2])) == [1, 2] for side in range(2)
    )
    ends = len(places) == 3 or partners_first
    if len(places) > 3 or (len(places) > 2 and partners_first):
        raise PositionError(Message("tichu.at-out-round-was-over"))
    if ends != (state.phase in ENDED) and not (ends and state.phase == DRAGON_TRICK):
        raise PositionError(Message("tichu.at-out-ends" if ends else "tichu.at-out-goes-on"))


def _check_table(state: np.record) -> None:
    """Check what lies on the table, who laid it and who comes next."""
    phase, holder, turn = int(state.phase), int(state.holder), int(state.turn)
    for seat in range(SEATS):
        if int(state.laid[seat]) & ~int(state.played[seat]):
            raise PositionError(Message("tichu.at-laid-seat-not-played", {"seat": seat}))
    if state.table_kind == DOG:
        raise PositionError(Message("tichu.at-table-dog-does-not"))
    if state.table_kind == NOTHING:
        if state.laid.any() or state.trick or holder:
            raise PositionError(Message("tichu.at-table-no-trick-without"))
        if phase not in (TURN, *ENDED):
            raise PositionError(Message("tichu.at-table-something-must-lie"))
    elif phase in ENDED or state.table != state.laid[holder]:
        raise PositionError(Message("tichu.at-table-what-lies-what"))
    if phase == TURN and (state.finished[turn] or (state.table_kind and turn == holder)):
        raise PositionError(Message("tichu.at-turn-seat-cannot-turn", {"turn": turn}))
    if phase in (WINDOW, WISHING) and turn != holder and state.finished[turn]:
        raise PositionError(Message("tichu.at-turn-seat-out", {"turn": turn}))
    if phase == WISHING and not state.table & MAH_JONG_BIT:
        raise PositionError(Message("tichu.at-phase-wish-wish-made"))
    if phase == DRAGON_TRICK and not state.table & DRAGON_BIT:
        raise PositionError(Message("tichu.at-phase-dragon-dragon-must"))
    if phase == WINDOW and state.variant != FULL:
        raise PositionError(Message("tichu.at-phase-window-variant-no"))


def _check_opener(state: np.record) -> None:
    """Check that who began can still hold the Mah Jong."""
    if state.opener == 0:
        return
    opener = int(state.opener) - 1
    elsewhere = [*state.played, *(state.hand[seat] for seat in range(SEATS) if seat != opener)]
    is_there = is_hidden(state, opener) or state.hand[opener] & MAH_JONG_BIT
    if state.phase in ENDED or not is_there or any(cards & MAH_JONG_BIT for cards in elsewhere):
        raise PositionError(Message("tichu.at-opener-seat-cannot-hold", {"opener": opener}))


def _check_known(state: np.record) -> None:
    """Check that hidden hands have room for what is known to be there."""
    for seat in range(SEATS):
        if not is_hidden(state, seat):
            continue
        gifts = [int(state.given[(seat + 3 - k) % SEATS, k]) - 1 for k in range(3)]
        known = {card for card in gifts if card >= 0 and not int(state.played[seat]) >> card & 1}
        if MAH_JONG in known and state.opener not in (0, seat + 1):
            raise PositionError(Message("tichu.at-opener-mah-jong-was", {"seat": seat}))
        known |= {MAH_JONG} if state.opener == seat + 1 else set()
        if len(known) > n_cards(state, seat):
            raise PositionError(Message("tichu.at-seat-no-room-cards", {"seat": seat}))
        wished = int(cards_of_rank(int(state.wished))) if state.wished else 0
        if int(state.lacking) >> seat & 1 and any(wished >> card & 1 for card in known):
            raise PositionError(
                Message(
                    "tichu.at-lacking-seat-was-given",
                    {"seat": seat, "rank": rank_word(int(state.wished))},
                )
            )
    if state.misfits and not _is_open(state):
        raise PositionError(Message("tichu.at-misfits-view-none"))


def _check_wish(state: np.record) -> None:
    """Check the wish, and that hands can be as turns without it have shown."""
    wish, wished = int(state.wish), int(state.wished)
    has_lain = any(int(cards) & int(MAH_JONG_BIT) for cards in state.played)
    if wish and wish != wished:
        raise PositionError(Message("tichu.at-wish-what-stands-what"))
    if (wished and (not has_lain or state.phase == WISHING)) or (
        not wished and (state.lacking or state.n_denials or state.forgotten)
    ):
        raise PositionError(Message("tichu.at-wished-wish-made-mah"))
    if not wished:
        return
    cards = int(cards_of_rank(wished))
    able = 0  # places for cards of that rank which are not seen
    unseen = cards
    for seat in range(SEATS):
        lacks = int(state.lacking) >> seat & 1
        if lacks and int(state.hand[seat]) & cards:
            raise PositionError(
                Message("tichu.at-lacking-seat-holds", {"seat": seat, "rank": rank_word(wished)})
            )
        unseen &= ~(int(state.hand[seat]) | int(state.played[seat]))
        able += 0 if lacks or not is_hidden(state, seat) else n_cards(state, seat)
    if unseen.bit_count() > able:
        raise PositionError(
            Message("tichu.at-lacking-somebody-must-hold", {"card": CARD_WORDS[members(unseen)[0]]})
        )
    for i in range(state.n_denials):
        seat = int(state.denial_seat[i])
        if int(state.denial_played[i]) & ~int(state.played[seat]):
            raise PositionError(Message("tichu.at-denials-seat-not-played", {"seat": seat}))


def _check_points(state: np.record) -> None:
    """Check the points of the tricks, and of the round if it has ended."""
    played = sum(int(card_points(cards)) for cards in state.played)
    if int(state.won.sum()) + int(state.trick) != played:
        raise PositionError(Message("tichu.at-won-trick-must-add", {"played": played}))
    if state.phase in ENDED and state.points.sum() % 5:
        raise PositionError(Message("tichu.at-points-count-fives"))
