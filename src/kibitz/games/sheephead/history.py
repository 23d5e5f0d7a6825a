"""Whether tricks, and what seats have shown to be out of, can have come about."""

import numpy as np

from kibitz.core.errors import PositionError
from kibitz.core.game import Seat
from kibitz.core.messages import Message
from kibitz.games.sheephead.cards import ALL_CARDS, FAIL_CARDS
from kibitz.games.sheephead.doubling import queens_shown
from kibitz.games.sheephead.state import (
    BLITZING,
    BURYING,
    CRACKING,
    DECLARING,
    HIDDEN,
    LEASTER_PLAYING,
    NOLA_PLAYING,
    PLAYING,
    SEATS,
)
from kibitz.games.sheephead.tricks import (
    ENDED,
    hand_is_hidden,
    is_unknown,
    n_held,
    order_from,
    suit_laid,
    winner_of,
)
from kibitz.games.sheephead.words import (
    CARD_WORDS,
    points_of,
    set_of,
    suit_cards,
    suit_names,
)

TRICK_PHASES = (PLAYING, NOLA_PLAYING, LEASTER_PLAYING)


def check_tricks(state: np.record) -> None:
    """Check the trick, the one before, and what was taken."""
    _check_turn(state)
    _check_trick(state)
    _check_last(state)
    _check_taken(state)


def _check_turn(state: np.record) -> None:
    """Check who led and who is to play."""
    first, n_laid = int(state.left[state.dealer]), int(state.n_laid)
    if state.phase not in TRICK_PHASES:
        if n_laid or state.leader:
            raise PositionError(Message("sheephead.at-laid-no-trick-being"))
        if state.phase in ENDED and state.turn:
            raise PositionError(Message("sheephead.at-turn-nobody-decide"))
        return
    leader = int(state.last_winner) - 1 if state.tricks_played else first
    if state.leader != leader:
        raise PositionError(Message("sheephead.at-leader-seat-leads-trick", {"leader": leader}))
    order = order_from(state, leader)
    if n_laid == SEATS or any(
        bool(state.laid[seat]) != (i < n_laid) for i, seat in enumerate(order)
    ):
        raise PositionError(Message("sheephead.at-laid-cards-laid-left"))
    if state.turn != order[n_laid]:
        raise PositionError(Message("sheephead.at-turn-seat-play", {"seat": order[n_laid]}))


def _check_trick(state: np.record) -> None:
    """Check that the cards of both tricks were played by those seats."""
    for key in ("laid", "last"):
        for seat in range(SEATS):
            card = int(state[key][seat])
            if card > 0 and not int(state.played[seat]) >> card - 1 & 1:
                raise PositionError(
                    Message(
                        "sheephead.at-seat-not-played",
                        {"key": key, "seat": seat, "card": CARD_WORDS[card - 1]},
                    )
                )
            if is_unknown(state, card):
                number = int(state.tricks_played) + (key == "laid")
                if state.picker != seat + 1 or state.face_down_at != number:
                    raise PositionError(
                        Message("sheephead.at-seat-not-laid-an", {"key": key, "seat": seat})
                    )
    both = set(state.laid[state.laid != 0].tolist()) & set(state.last.tolist())
    if both:
        raise PositionError(Message("sheephead.at-laid-card-trick-before"))


def _check_last(state: np.record) -> None:
    """Check the trick before this one."""
    if state.tricks_played == 0:
        if state.last.any() or state.last_leader or state.last_winner:
            raise PositionError(Message("sheephead.at-last-no-trick-been"))
        return
    if not state.last.all() or not state.last_winner:
        raise PositionError(Message("sheephead.at-last-trick-before-five"))
    if state.tricks_played == 1 and state.last_leader != state.left[state.dealer]:
        raise PositionError(Message("sheephead.at-last-leader-dealer-s"))
    _, winner = winner_of(state, int(state.tricks_played))
    if state.last_winner != winner + 1:
        raise PositionError(Message("sheephead.at-last-winner-seat-took", {"winner": winner}))
    if state.tricks[winner] == 0:
        raise PositionError(Message("sheephead.at-tricks-seat-took-trick", {"winner": winner}))


def _check_taken(state: np.record) -> None:
    """Check the points of the tricks."""
    lies = set_of(int(card) - 1 for card in state.laid if card > 0)
    taken = sum(points_of(int(cards) & ~lies) for cards in state.played)
    if state.points.sum() != taken:
        raise PositionError(Message("sheephead.at-points-must-add-up", {"taken": taken}))
    for seat in range(SEATS):
        if state.points[seat] and not state.tricks[seat]:
            raise PositionError(Message("sheephead.at-points-seat-taken-no", {"seat": seat}))
    if state.last_winner:
        winner = int(state.last_winner) - 1
        last = points_of(set_of(int(card) - 1 for card in state.last if card > 0))
        if state.points[winner] < last or (
            state.tricks[winner] == 1 and state.points[winner] > last
        ):
            raise PositionError(
                Message("sheephead.at-points-trick-before-gave", {"winner": winner, "last": last})
            )


def check_voids(state: np.record) -> None:
    """Check what seats have shown to be out of."""
    if state.phase in (BURYING, DECLARING, BLITZING, CRACKING) or not state.dealt:
        if state.void.any():
            raise PositionError(Message("sheephead.at-void-nobody-shown-anything"))
        return
    for seat in range(SEATS):
        _check_void(state, seat)
    if not state.misfits:
        _check_room(state)


def _check_void(state: np.record, seat: Seat) -> None:
    """Check a seat against the tricks that can be seen, and its own cards."""
    void, words = int(state.void[seat]), suit_names(state)
    now, before = _shown_out(state, "laid", seat), _shown_out(state, "last", seat)
    for suit in range(4):
        if (now | before) >> suit & 1 and not void >> suit & 1:
            raise PositionError(
                Message("sheephead.at-void-seat-shown-out", {"seat": seat, "suit": words[suit]})
            )
    for key, since in (("laid", 0), ("last", now)):
        card = int(state[key][seat])
        if card and not is_unknown(state, card):
            suit = suit_laid(state, card)
            if (void & ~since) >> suit & 1:
                code = "sheephead.at-void-lays" if key == "laid" else "sheephead.at-void-laid"
                raise PositionError(Message(code, {"seat": seat, "suit": words[suit]}))
    _check_earlier_void(state, seat, void & ~now & ~before)
    if state.misfits or state.phase in ENDED:
        return
    held = int(state.hand[seat]) | int(queens_shown(state, seat))
    if state.picker == seat + 1 and state.face_down > 0 and not state.face_down_at:
        held &= ~(1 << int(state.face_down) - 1)
    for suit in range(4):
        if void >> suit & 1 and held & suit_cards(state, suit):
            raise PositionError(
                Message("sheephead.at-void-seat-holds", {"seat": seat, "suit": words[suit]})
            )


def _shown_out(state: np.record, key: str, seat: Seat) -> int:
    """Return the suits that a seat has shown to be out of in this trick, or in the one before."""
    leader = int(state.leader if key == "laid" else state.last_leader)
    card, first = int(state[key][seat]), int(state[key][leader])
    if not card or not first:
        return 0
    led = suit_laid(state, first)
    if seat != leader:
        return 0 if is_unknown(state, card) or suit_laid(state, card) == led else 1 << led
    number = int(state.tricks_played) + (key == "laid")
    return _without_other_suits(state, seat) if state.called_led == number else 0


def _without_other_suits(state: np.record, seat: Seat) -> int:
    """Return what suits a seat is out of if it led the called one first: all others, if forced."""
    if state.lead_called or not state.called or state.picker != seat + 1:
        return 0
    return 15 & ~(1 << (int(state.called) - 1) // FAIL_CARDS)


def _check_earlier_void(state: np.record, seat: Seat, void: int) -> None:
    """Check what a seat must have shown in the tricks that cannot be seen any more."""
    n_tricks = max(int(state.tricks_played) - 1, 0)
    if 0 < state.called_led <= n_tricks:
        void &= ~_without_other_suits(state, seat)
    seen = set_of(int(card) - 1 for card in (*state.laid, *state.last) if card > 0)
    others = sum(int(state.played[other]) for other in range(SEATS) if other != seat) & ~seen
    for suit in range(4):
        led_unknown = (
            0 < state.face_down_at <= n_tricks and suit == (int(state.called) - 1) // FAIL_CARDS
        )
        can_be_led = n_tricks and (others & suit_cards(state, suit) or led_unknown)
        if void >> suit & 1 and not can_be_led:
            word = suit_names(state)[suit]
            raise PositionError(
                Message("sheephead.at-void-no-trick-can", {"seat": seat, "word": word})
            )
    if void.bit_count() > n_tricks:
        raise PositionError(
            Message("sheephead.at-void-seat-cannot-shown", {"seat": seat, "n_tricks": n_tricks})
        )


def _check_room(state: np.record) -> None:
    """Check that there are cards for all hidden hands, and for any of them together."""
    seen = sum(int(cards) for cards in (*state.hand, *state.played, state.blind, state.buried))
    shown = [int(queens_shown(state, seat)) for seat in range(SEATS)]
    seen |= sum(shown)
    hidden = [seat for seat in range(SEATS) if hand_is_hidden(state, seat)]
    fitting = {seat: _fitting_cards(state, seat) & ~seen for seat in hidden}
    room = {
        seat: n_held(state, seat) - _holds_unknown(state, seat) - shown[seat].bit_count()
        for seat in hidden
    }
    for subset in range(1, 1 << len(hidden)):
        seats = [seat for i, seat in enumerate(hidden) if subset >> i & 1]
        cards = 0
        for seat in seats:
            cards |= fitting[seat]
        if cards.bit_count() < sum(room[seat] for seat in seats):
            raise PositionError(Message("sheephead.at-void-no-cards-left", {"seat": seats[0]}))


def _holds_unknown(state: np.record, seat: Seat) -> bool:
    """Whether a seat holds a hidden unknown card, which may be of any suit."""
    return bool(state.picker == seat + 1 and state.face_down == HIDDEN and not state.face_down_at)


def _fitting_cards(state: np.record, seat: Seat) -> int:
    """Return the cards that a seat can hold by what it has shown."""
    cards = int(ALL_CARDS)
    for suit in range(4):
        if int(state.void[seat]) >> suit & 1:
            cards &= ~suit_cards(state, suit)
    if state.called and int(state.without) >> seat & 1:
        cards &= ~(1 << int(state.called) - 1)
    return cards
