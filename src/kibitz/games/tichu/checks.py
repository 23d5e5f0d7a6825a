"""Whether a position can be: what its cards, calls, tricks and points must have in common.

Kernels trust what they get. These checks keep from them what would make them run for ever or read
beyond an array, and tell people where a line that they typed contradicts itself.
"""

import numpy as np

from kibitz.core.errors import PositionError
from kibitz.core.game import Seat
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
        raise PositionError(f"round={dealt}: this game has at most {most}")
    if dealt == 0 and phase != WAITING:
        raise PositionError("round=0: before the first round there is only phase=wait")
    if dealt <= 1 and state.total.any():
        raise PositionError("total: before the first round has ended nobody has points")
    if phase not in ENDED and state.points.any():
        raise PositionError("points: they are counted when the round has ended")
    for points, rounds in ((state.total, max(dealt - 1, 0)), (state.points, 1)):
        if (points % 5).any() or (points < LEAST_POINTS * rounds).any():
            raise PositionError("points count in fives, and a round has a least number of them")
        if (points > MOST_POINTS * rounds).any() or abs(np.diff(points)) > MOST_LEAD * rounds:
            raise PositionError("points: no round gives so many")
    if phase == WAITING and dealt == most:
        raise PositionError(f"phase=wait: the game is over after round {most}")
    if state.match == ROUND or dealt == 0:
        return
    before = _has_winner(state, state.total)
    after = _has_winner(state, state.total + state.points)
    if dealt > 1 and before:
        raise PositionError(f"total: the match was over at {state.match} points")
    if phase == WAITING and after:
        raise PositionError(f"phase=wait: the match is over at {state.match} points")
    if phase == OVER and not after and dealt < most:
        raise PositionError(f"phase=over: nobody has {state.match} points and leads")


def _has_winner(state: np.record, points: np.ndarray) -> bool:
    return bool(points[0] != points[1] and points.max() >= state.match)


def _check_blank(state: np.record) -> None:
    """Check that a state that waits for its first deal has nothing in it."""
    options = ("variant", "match", "rounds", "calls")
    for name in state.dtype.names or ():
        if name not in options and np.any(state[name]):
            raise PositionError("before the first round nothing is dealt, called or played")


def _check_places(state: np.record) -> None:
    """Check that no card is in two places."""
    seen = 0
    for place, piles in (("hands", state.hand), ("stock", state.stock), ("played", state.played)):
        for cards in piles:
            twice = seen & int(cards)
            if twice:
                raise PositionError(f"{place}: {CARD_WORDS[members(twice)[0]]} is in two places")
            seen |= int(cards)
    if _is_open(state) and seen != ALL_CARDS:
        missing = members(int(ALL_CARDS) & ~seen)
        raise PositionError(f"{CARD_WORDS[missing[0]]} is nowhere")


def is_hidden(state: np.record, seat: Seat) -> bool:
    """Tell whether the hand of a seat is concealed."""
    return bool(state.hand[seat] == 0 and n_cards(state, seat) > 0)


def _is_open(state: np.record) -> bool:
    """Tell whether all cards can be seen."""
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
            raise PositionError(f"seat {seat} must hold {expected} cards here, got {n_held}")
        with_cards = state.phase == GRAND_CALLING and state.stock.any()
        if n_stock != (HAND_CARDS - FIRST_CARDS) * with_cards:
            raise PositionError(f"stock: seat {seat} cannot have {n_stock} cards there")
        n_hidden += seat in hidden
    n_in = sum(n_cards(state, seat) > 0 for seat in range(SEATS))
    if n_hidden and n_hidden < n_in - 1:
        raise PositionError("hands: a view shows all hands, one hand or none")
    if state.phase == GRAND_CALLING and bool(state.stock.any()) == bool(hidden):
        raise PositionError("stock: a view hides all of it, a position shows it")


def _check_exchange(state: np.record) -> None:
    """Check the cards that were given; positions typed by hand may leave all of them out."""
    if not state.given.any():
        return
    if state.phase == GRAND_CALLING:
        raise PositionError("given: nothing is given before Grand Tichu was answered")
    known = [int(card) - 1 for card in state.given.ravel() if card > 0]
    for card in known:
        if known.count(card) > 1:
            raise PositionError(f"given: {CARD_WORDS[card]} is given twice")
    for giver in range(SEATS):
        for k in range(3):
            _check_gift(state, giver, k)


def _check_gift(state: np.record, giver: Seat, k: int) -> None:
    """Check one card that is being given, and still with its giver, or that was given."""
    gift, receiver = int(state.given[giver, k]), (giver + k + 1) % SEATS
    is_giving = state.phase == EXCHANGE
    if not gift and (not is_giving or state.given[giver, k:].any()):
        raise PositionError(f"given: seat {giver} gives to its right, its partner, then its left")
    if gift == UNKNOWN:
        knowing = (giver,) if is_giving else (giver, receiver)
        if state.phase not in ENDED and any(state.hand[seat] for seat in knowing):
            raise PositionError("given: who sees a hand knows what it gave and got")
    if gift <= 0:
        return
    owner, bit = giver if is_giving else receiver, 1 << (gift - 1)
    others = sum(int(state.hand[s] | state.played[s]) for s in range(SEATS) if s != owner)
    is_there = is_hidden(state, owner) or int(state.hand[owner] | state.played[owner]) & bit
    if others & bit or not is_there or (is_giving and is_hidden(state, owner)):
        raise PositionError(f"given: seat {owner} cannot have {CARD_WORDS[gift - 1]} then")


def _check_calls(state: np.record) -> None:
    """Check the calls against the phase."""
    if state.phase == GRAND_CALLING and state.call.any():
        raise PositionError("calls: at eight cards nobody has called yet")
    if state.phase == CALLING and not is_exchanged(state) and (state.call == 1).any():
        raise PositionError("calls: Tichu at fourteen cards is pending until all have answered")
    if state.phase == CALLING and state.call.all():
        raise PositionError("phase=call: all have called already")
    if state.phase == EXCHANGE and (state.given[:, 2] != 0).all():
        raise PositionError("phase=exchange: all have given")


def _check_pending(state: np.record) -> None:
    """Check the answers that wait: everybody is still to answer something that is allowed."""
    phase = int(state.phase)
    if phase not in (GRAND_CALLING, CALLING, WINDOW):
        if state.pending.any():
            raise PositionError("pending: nothing waits here")
        return
    if not deciding_seats(state):
        raise PositionError("pending: somebody must still have to answer")
    shown = 0
    for seat in range(SEATS):
        answer = int(state.pending[seat])
        if answer == 0:
            continue
        shown += answer != UNKNOWN
        can_answer = state.call[seat] == 0 if phase == CALLING else state.finished[seat] == 0
        if not can_answer or (answer != UNKNOWN and not _is_answer(state, seat, answer)):
            raise PositionError(f"pending: seat {seat} cannot have answered so")
    if phase == WINDOW and (state.pending == UNKNOWN).any():
        raise PositionError("pending: a view does not show who has answered in a window")
    if (state.pending == UNKNOWN).any() and (shown > 1 or _is_open(state)):
        raise PositionError("pending: a view shows the answer of one seat at most")


def _is_answer(state: np.record, seat: Seat, answer: int) -> bool:
    """Tell whether a seat can have answered this."""
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
            raise PositionError("no card is played and no wish made before the exchange is over")


def _check_out(state: np.record) -> None:
    """Check the order of going out against the cards played."""
    places = sorted(int(place) for place in state.finished if place)
    if places != list(range(1, len(places) + 1)):
        raise PositionError("out: places are 1, 2, 3 in the order of going out, each once")
    for seat in range(SEATS):
        n_played = int(state.played[seat]).bit_count()
        if bool(state.finished[seat]) != (n_played == HAND_CARDS):
            raise PositionError(f"out: seat {seat} has played {n_played} of {HAND_CARDS} cards")
    partners_first = any(
        sorted((state.finished[side], state.finished[side + 2])) == [1, 2] for side in range(2)
    )
    ends = len(places) == 3 or partners_first
    if len(places) > 3 or (len(places) > 2 and partners_first):
        raise PositionError("out: the round was over before")
    if ends != (state.phase in ENDED) and not (ends and state.phase == DRAGON_TRICK):
        what = "the round is over" if ends else "the round is not over"
        raise PositionError(f"out: {what} when so many are out")


def _check_table(state: np.record) -> None:
    """Check what lies on the table, who laid it and who comes next."""
    phase, holder, turn = int(state.phase), int(state.holder), int(state.turn)
    for seat in range(SEATS):
        if int(state.laid[seat]) & ~int(state.played[seat]):
            raise PositionError(f"laid: seat {seat} has not played that")
    if state.table_kind == DOG:
        raise PositionError("table: the Dog does not stay there")
    if state.table_kind == NOTHING:
        if state.laid.any() or state.trick or holder:
            raise PositionError("table: there is no trick without a combination on the table")
        if phase not in (TURN, *ENDED):
            raise PositionError("table: something must lie there in this phase")
    elif phase in ENDED or state.table != state.laid[holder]:
        raise PositionError("table: what lies there is what its holder has laid last")
    if phase == TURN and (state.finished[turn] or (state.table_kind and turn == holder)):
        raise PositionError(f"turn={turn}: this seat cannot be on turn")
    if phase in (WINDOW, WISHING) and turn != holder and state.finished[turn]:
        raise PositionError(f"turn={turn}: this seat is out")
    if phase == WISHING and not state.table & MAH_JONG_BIT:
        raise PositionError("phase=wish: a wish is made with the Mah Jong")
    if phase == DRAGON_TRICK and not state.table & DRAGON_BIT:
        raise PositionError("phase=dragon: the Dragon must have won the trick")
    if phase == WINDOW and state.variant != FULL:
        raise PositionError("phase=window: this variant has no bombs out of turn")


def _check_opener(state: np.record) -> None:
    """Check that who began can still hold the Mah Jong."""
    if state.opener == 0:
        return
    opener = int(state.opener) - 1
    elsewhere = [*state.played, *(state.hand[seat] for seat in range(SEATS) if seat != opener)]
    is_there = is_hidden(state, opener) or state.hand[opener] & MAH_JONG_BIT
    if state.phase in ENDED or not is_there or any(cards & MAH_JONG_BIT for cards in elsewhere):
        raise PositionError(f"opener: seat {opener} cannot hold the Mah Jong any more")


def _check_known(state: np.record) -> None:
    """Check that hidden hands have room for what is known to be there."""
    for seat in range(SEATS):
        if not is_hidden(state, seat):
            continue
        gifts = [int(state.given[(seat + 3 - k) % SEATS, k]) - 1 for k in range(3)]
        known = {card for card in gifts if card >= 0 and not int(state.played[seat]) >> card & 1}
        if MAH_JONG in known and state.opener not in (0, seat + 1):
            raise PositionError(f"opener: the Mah Jong was given to seat {seat}")
        known |= {MAH_JONG} if state.opener == seat + 1 else set()
        if len(known) > n_cards(state, seat):
            raise PositionError(f"seat {seat} has no room for the cards that it was given")
        wished = int(cards_of_rank(int(state.wished))) if state.wished else 0
        if int(state.lacking) >> seat & 1 and any(wished >> card & 1 for card in known):
            raise PositionError(f"lacking: seat {seat} was given {rank_word(int(state.wished))}")
    if state.misfits and not _is_open(state):
        raise PositionError("misfits: a view has none")


def _check_wish(state: np.record) -> None:
    """Check the wish, and that hands can be as turns without it have shown."""
    wish, wished = int(state.wish), int(state.wished)
    has_lain = any(int(cards) & int(MAH_JONG_BIT) for cards in state.played)
    if wish and wish != wished:
        raise PositionError("wish: what stands is what was wished for in this round")
    if (wished and (not has_lain or state.phase == WISHING)) or (
        not wished and (state.lacking or state.n_denials or state.forgotten)
    ):
        raise PositionError(
            "wished: a wish is made with the Mah Jong, and then somebody may lack it"
        )
    if not wished:
        return
    cards = int(cards_of_rank(wished))
    able = 0  # places for cards of that rank which are not seen
    unseen = cards
    for seat in range(SEATS):
        lacks = int(state.lacking) >> seat & 1
        if lacks and int(state.hand[seat]) & cards:
            raise PositionError(f"lacking: seat {seat} holds {rank_word(wished)}")
        unseen &= ~(int(state.hand[seat]) | int(state.played[seat]))
        able += 0 if lacks or not is_hidden(state, seat) else n_cards(state, seat)
    if unseen.bit_count() > able:
        raise PositionError(f"lacking: somebody must hold {CARD_WORDS[members(unseen)[0]]}")
    for i in range(state.n_denials):
        seat = int(state.denial_seat[i])
        if int(state.denial_played[i]) & ~int(state.played[seat]):
            raise PositionError(f"denials: seat {seat} has not played that")


def _check_points(state: np.record) -> None:
    """Check the points of the tricks, and of the round if it has ended."""
    played = sum(int(card_points(cards)) for cards in state.played)
    if int(state.won.sum()) + int(state.trick) != played:
        raise PositionError(f"won and trick must add up to the {played} points of the cards played")
    if state.phase in ENDED and state.points.sum() % 5:
        raise PositionError("points: they count in fives")
