"""Whether a position can be: what its cards, tricks, calls and money must have in common.

Kernels trust what they get. These checks keep from them what would make them read beyond an array,
and tell people where a line that they typed contradicts itself. calls.py has those of the called
card, history.py those of tricks.
"""

import numpy as np

from kibitz.core.errors import PositionError
from kibitz.core.game import Seat
from kibitz.core.messages import Message
from kibitz.games.sheephead import GAME, most_cents
from kibitz.games.sheephead.calls import check_called
from kibitz.games.sheephead.cards import ALL_CARDS, BLACK_QUEENS, RED_QUEENS
from kibitz.games.sheephead.doubling import queens_shown
from kibitz.games.sheephead.history import check_tricks, check_voids
from kibitz.games.sheephead.payments import pay_doubler, pay_leaster, pay_nola, pay_picked
from kibitz.games.sheephead.state import (
    BIDDING,
    BLIND_CARDS,
    BLITZING,
    BURYING,
    CRACKING,
    DECLARING,
    DOUBLED_HANDS,
    DOUBLER,
    FORCED,
    HIDDEN,
    LEASTER,
    LEASTER_PLAYING,
    NOLA,
    NOLA_PLAYING,
    OVER,
    PLAYING,
    REDEAL,
    SEATS,
    TRICKS,
    WAITING,
)
from kibitz.games.sheephead.tricks import (
    ENDED,
    WITH_BLIND,
    WITH_BURY,
    blind_is_hidden,
    bury_is_hidden,
    hand_is_hidden,
    n_held,
    order_from,
)
from kibitz.games.sheephead.words import CARD_WORDS, members, show_cards

PICKED = (BURYING, DECLARING, BLITZING, CRACKING, PLAYING)
STEP = 5  # cents: all payments are multiples of it


def check_position(state: np.record) -> None:
    """Refuse a position that cannot be; PositionError says why."""
    _check_session(state)
    if state.dealt == 0:
        _check_blank(state)
        return
    _check_seating(state)
    _check_money(state)
    _check_bids(state)
    _check_places(state)
    _check_counts(state)
    _check_hidden(state)
    check_tricks(state)
    check_called(state)
    _check_shown(state)
    _check_cracks(state)
    check_voids(state)
    if state.phase in ENDED:
        _check_payment(state)


def is_redeal(state: np.record) -> bool:
    """Whether everybody passed and the same hand is to be dealt again."""
    return bool(state.phase == WAITING and state.redeals > 0)


def n_paid(state: np.record) -> int:
    """Count the hands that have been paid."""
    return int(state.dealt) - (state.phase not in ENDED or is_redeal(state))


def _check_session(state: np.record) -> None:
    """Check the number of the hand against the phase."""
    dealt, hands = int(state.dealt), int(state.hands)
    if dealt > hands:
        raise PositionError(
            Message("sheephead.at-deal-session-hands", {"dealt": dealt, "hands": hands})
        )
    if dealt == 0 and state.phase != WAITING:
        raise PositionError(Message("sheephead.at-deal-before-first-hand"))
    if state.phase == WAITING and dealt == hands and not is_redeal(state):
        raise PositionError(Message("sheephead.at-phase-wait-session-over", {"hands": hands}))
    if state.phase == OVER and dealt < hands:
        raise PositionError(Message("sheephead.at-phase-over-session-hands", {"hands": hands}))
    if state.redeals and (state["pass"] != REDEAL or state.phase == OVER):
        raise PositionError(Message("sheephead.at-redeals-cards-dealt-again"))


def _check_blank(state: np.record) -> None:
    """Check that a state that waits for its first deal has nothing in it."""
    options = {option.name for option in GAME.options}
    for name in state.dtype.names or ():
        if name not in options and np.any(state[name]):
            raise PositionError(Message("sheephead.at-before-first-hand-nothing"))


def _check_seating(state: np.record) -> None:
    """Check that the places are a round."""
    if len(set(order_from(state, 0))) != SEATS or state.left[order_from(state, 0)[-1]] != 0:
        raise PositionError(Message("sheephead.at-left-left-neighbours-not"))
    redraws = state.redraw and state.dealt > state.redraw
    if not redraws and any(state.left[seat] != (seat + 1) % SEATS for seat in range(SEATS)):
        raise PositionError(Message("sheephead.at-left-seats-not-been"))
    if not redraws and state.dealer != (state.dealt + SEATS - 2) % SEATS:
        expected = (int(state.dealt) + SEATS - 2) % SEATS
        raise PositionError(
            Message(
                "sheephead.at-dealer-seat-deals-hand", {"expected": expected, "dealt": state.dealt}
            )
        )


def _check_money(state: np.record) -> None:
    """Check what was paid before, and the hands that pay double."""
    paid = n_paid(state)
    most = most_cents(*(bool(state[name]) for name in ("bump", "blitz", "crack")))
    for name, n in (("paid", min(paid, 1)), ("money", paid)):
        cents = state[name].astype(np.int64)
        if cents.sum():
            raise PositionError(Message("sheephead.at-what-some-get-others", {"name": name}))
        if (cents % STEP).any():
            raise PositionError(
                Message("sheephead.at-payments-multiples-cents", {"name": name, "step": STEP})
            )
        if (abs(cents) > most * n).any():
            raise PositionError(
                Message("sheephead.at-much-cannot-paid-hands", {"name": name, "n": n})
            )
    before = state.money.astype(np.int64) - state.paid
    if (abs(before) > most * max(paid - 1, 0)).any():
        raise PositionError(Message("sheephead.at-money-does-not-go"))
    doubled = int(state.doubled)
    most_doubled = DOUBLED_HANDS * paid if state.stack else DOUBLED_HANDS
    if doubled > (most_doubled if paid else 0):
        raise PositionError(
            Message("sheephead.at-doubled-after-hands-cannot", {"paid": paid, "doubled": doubled})
        )


def _check_bids(state: np.record) -> None:
    """Check who passed, who picked and who is to bid, bury or declare."""
    phase, order = int(state.phase), order_from(state, int(state.left[state.dealer]))
    n_passed = int(state.passed).bit_count()
    if int(state.passed) != sum(1 << seat for seat in order[:n_passed]):
        raise PositionError(Message("sheephead.at-passed-bidding-goes-left"))
    has_picker = phase in PICKED or (phase in ENDED and n_passed < SEATS)
    if bool(state.picker) != has_picker or (has_picker and n_passed == SEATS):
        raise PositionError(
            Message("sheephead.at-picker" if has_picker else "sheephead.at-no-picker")
        )
    if has_picker and state.picker != order[n_passed] + 1:
        raise PositionError(
            Message("sheephead.at-picker-seat-first-not", {"seat": order[n_passed]})
        )
    if phase == BIDDING and (n_passed == SEATS or state.turn != order[n_passed]):
        raise PositionError(Message("sheephead.at-turn-first-not-passed"))
    if phase in (BURYING, DECLARING) and state.turn != state.picker - 1:
        raise PositionError(Message("sheephead.at-turn-picker-buries-declares"))
    if not has_picker and phase != BIDDING:
        _check_nobody_picked(state, n_passed)


def _check_nobody_picked(state: np.record, n_passed: int) -> None:
    """Check that what follows if nobody picks is what the option says."""
    rule, phase = int(state["pass"]), int(state.phase)
    allowed = {
        NOLA: (NOLA_PLAYING, *ENDED),
        LEASTER: (LEASTER_PLAYING, *ENDED),
        DOUBLER: ENDED,
        REDEAL: (WAITING,),
        FORCED: (),
    }
    if n_passed < SEATS:
        raise PositionError(Message("sheephead.at-passed-all-passed-where"))
    if phase not in allowed[rule] or (rule == REDEAL) != is_redeal(state):
        raise PositionError(Message("sheephead.at-phase-not-what-follows"))


def _check_places(state: np.record) -> None:
    """Check that no card is in two places."""
    seen = 0
    piles = [("hands", hand) for hand in state.hand] + [("played", pile) for pile in state.played]
    for place, cards in (*piles, ("blind", state.blind), ("buried", state.buried)):
        if twice := seen & int(cards):
            raise PositionError(
                Message(
                    "sheephead.at-two-places",
                    {"place": place, "card": CARD_WORDS[members(twice)[0]]},
                )
            )
        seen |= int(cards)
    if not is_view(state) and seen != int(ALL_CARDS):
        missing = members(int(ALL_CARDS) & ~seen)
        raise PositionError(Message("sheephead.at-nowhere", {"card": CARD_WORDS[missing[0]]}))


def is_view(state: np.record) -> bool:
    """Whether something is hidden."""
    return (
        any(hand_is_hidden(state, seat) for seat in range(SEATS))
        or blind_is_hidden(state)
        or bury_is_hidden(state)
        or state.face_down == HIDDEN
    )


def _check_counts(state: np.record) -> None:
    """Check how many cards are where."""
    if state.tricks_played > TRICKS or (state.phase not in ENDED and state.tricks_played == TRICKS):
        raise PositionError(Message("sheephead.at-tricks-hand-them", {"tricks": TRICKS}))
    if state.phase in ENDED:
        is_played = state.picker or state["pass"] in (NOLA, LEASTER)
        if state.tricks_played != (TRICKS if is_played else 0):
            raise PositionError(Message("sheephead.at-tricks-hand-not-over"))
    for seat in range(SEATS):
        n, expected = int(state.hand[seat]).bit_count(), n_held(state, seat)
        if not hand_is_hidden(state, seat) and n != expected:
            raise PositionError(
                Message(
                    "sheephead.at-hands-seat-must-hold",
                    {"seat": seat, "expected": expected, "n": n},
                )
            )
        n_played = int(state.played[seat]).bit_count()
        is_hidden = state.picker == seat + 1 and state.face_down == HIDDEN and state.face_down_at
        if n_played + bool(is_hidden) != state.tricks_played + bool(state.laid[seat]):
            raise PositionError(
                Message(
                    "sheephead.at-played-seat-cannot-played", {"seat": seat, "n_played": n_played}
                )
            )
    unpicked = state.phase in WITH_BLIND or (state.phase in ENDED and not state.picker)
    picked = state.phase in WITH_BURY or (state.phase in ENDED and state.picker)
    for key, cards, is_there in (
        ("blind", state.blind, unpicked),
        ("buried", state.buried, picked),
    ):
        n = int(cards).bit_count()
        if n != (BLIND_CARDS if is_there else 0) and (n or state.phase in ENDED):
            raise PositionError(Message("sheephead.at-cards-cannot", {"key": key, "n": n}))


def _check_hidden(state: np.record) -> None:
    """Check that what is shown is what one seat, a spectator or everybody may see."""
    if not is_view(state):
        return
    if state.open:
        raise PositionError(Message("sheephead.at-hands-nothing-hidden-open"))
    if state.phase in ENDED:
        raise PositionError(Message("sheephead.at-unknown-when-hand-ended"))
    shown = [seat for seat in range(SEATS) if state.hand[seat]]
    if len(shown) > 1 or state.blind:
        raise PositionError(Message("sheephead.at-hands-view-shows-one"))
    picker = int(state.picker) - 1
    if state.phase in WITH_BURY:
        sees_bury = not bury_is_hidden(state)
        if sees_bury and (hand_is_hidden(state, picker) or shown not in ([], [picker])):
            raise PositionError(Message("sheephead.at-buried-only-picker-sees"))
        if not sees_bury and shown == [picker]:
            raise PositionError(Message("sheephead.at-buried-picker-sees"))
        if state.face_down and (state.face_down == HIDDEN) == sees_bury:
            raise PositionError(Message("sheephead.at-unknown-picker-sees-nobody"))
    if state.misfits:
        raise PositionError(Message("sheephead.at-misfits-view-none"))


def _check_shown(state: np.record) -> None:
    """Check queens that were shown, and whose turn it is to show some."""
    pairs = ((int(state.black), BLACK_QUEENS), (int(state.red), RED_QUEENS))
    is_any = any(shown for shown, _ in pairs)
    if (is_any or state.phase == BLITZING) and not state.blitz:
        raise PositionError(Message("sheephead.at-shown-queens-shown-only"))
    if not is_any:
        return
    if state.phase not in (BLITZING, CRACKING, PLAYING, *ENDED) or not state.picker:
        raise PositionError(Message("sheephead.at-shown-queens-shown-after"))
    order = order_from(state, int(state.left[state.picker - 1]))
    asked = order[: order.index(int(state.turn))] if state.phase == BLITZING else order
    for shown, queens in pairs:
        if shown and shown - 1 not in asked:
            raise PositionError(Message("sheephead.at-shown-seat-not-been", {"seat": shown - 1}))
        if shown and not _may_have(state, shown - 1, int(queens)):
            raise PositionError(
                Message(
                    "sheephead.at-shown-seat-cannot",
                    {"seat": shown - 1, "cards": show_cards(int(queens))},
                )
            )
        if shown and int(queens_shown(state, shown - 1)).bit_count() > _room(state, shown - 1):
            raise PositionError(Message("sheephead.at-shown-seat-no-place", {"seat": shown - 1}))


def _room(state: np.record, seat: Seat) -> int:
    """Count the cards of a hand that can be shown queens."""
    if state.phase in ENDED or state.picker != seat + 1 or not state.called:
        return n_held(state, seat)
    if state.face_down:
        keeps = not state.face_down_at  # the unknown card
    else:  # a card of the called suit, until it is led
        led = int(state.called_led)
        keeps = not led or (led > state.tricks_played and not state.laid[seat])
    return n_held(state, seat) - keeps


def _may_have(state: np.record, seat: Seat, cards: int) -> bool:
    """Whether a seat holds or has played cards, as far as can be seen; none face down."""
    if state.face_down > 0 and cards >> int(state.face_down) - 1 & 1:
        return False
    left = cards & ~int(state.played[seat])
    if not hand_is_hidden(state, seat):
        return not left & ~int(state.hand[seat])
    piles = (*state.hand, *state.played, state.blind, state.buried)
    return not any(left & int(pile) for pile in piles)


def _check_cracks(state: np.record) -> None:
    """Check doublings and whose turn it is to answer."""
    cracks, is_cracking = int(state.cracks), state.phase == CRACKING
    if (cracks or is_cracking) and not state.crack:
        raise PositionError(Message("sheephead.at-cracks-payments-doubled-only"))
    if cracks and state.phase not in (CRACKING, PLAYING, *ENDED):
        raise PositionError(Message("sheephead.at-cracks-follow-declaration"))
    if cracks and not state.picker:
        raise PositionError(Message("sheephead.at-cracks-nobody-picked"))
    if is_cracking and (cracks > 1 or (state.turn == state.picker - 1) != (cracks == 1)):
        raise PositionError(Message("sheephead.at-turn-others-asked-first"))


def _check_payment(state: np.record) -> None:
    """Check that a hand that has ended pays what it must."""
    if is_redeal(state):
        return
    pays = {NOLA: pay_nola, LEASTER: pay_leaster, DOUBLER: pay_doubler}
    pay = pay_picked if state.picker else pays[int(state["pass"])]
    after = int(state.doubled)
    for before in {0, 1, after + 1, max(after - DOUBLED_HANDS + 1, 0)}:
        if before and state.dealt == 1:
            continue
        again = state.copy()
        again.doubled = before
        pay(again)
        if again.doubled == after and (again.paid == state.paid).all():
            return
    raise PositionError(Message("sheephead.at-paid-hand-pays-something"))
