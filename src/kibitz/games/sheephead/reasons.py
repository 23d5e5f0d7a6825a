"""Why an action is refused, in one sentence that helps to find another one."""

import numpy as np

from kibitz.core.game import Action, Seat
from kibitz.core.messages import Message
from kibitz.games.sheephead.cards import (
    ACE,
    ALONE,
    BLACK_QUEENS,
    BLITZ_BLACK,
    BLITZ_BOTH,
    BLITZ_RED,
    BURY,
    CALL_ACE,
    CALL_TEN,
    CALL_UNKNOWN,
    CARDS,
    CRACK,
    FAIL,
    FAIL_CARDS,
    FAIL_SUITS,
    PASS,
    PICK,
    RED_QUEENS,
    cards_of_suit,
)
from kibitz.games.sheephead.state import (
    BIDDING,
    BLITZING,
    BURYING,
    CRACKING,
    DECLARING,
    FAIL_CARD,
    LEASTER_PLAYING,
    NOLA_PLAYING,
    OVER,
    PLAYING,
    WAITING,
)
from kibitz.games.sheephead.words import (
    CARD_WORDS,
    LETTERS,
    ONE_OF,
    SUIT_NAMES,
    TRUMP,
    buried_cards,
    called_card,
    is_action,
    set_of,
    show_card,
    show_cards,
    sort_cards,
    suit_cards,
    suit_in,
    suit_names,
    unknown_card,
)

QUESTIONS = {
    WAITING: Message("sheephead.not-dealt"),
    BIDDING: Message("sheephead.ask-pick"),
    BURYING: Message("sheephead.ask-bury"),
    DECLARING: Message("sheephead.ask-call"),
    BLITZING: Message("sheephead.ask-blitz"),
    CRACKING: Message("sheephead.ask-crack"),
    PLAYING: Message("sheephead.ask-card"),
    NOLA_PLAYING: Message("sheephead.ask-card"),
    LEASTER_PLAYING: Message("sheephead.ask-card"),
    OVER: Message("sheephead.over"),
}
LEGAL = Message("sheephead.legal")
_ALL_QUEENS = BLACK_QUEENS | RED_QUEENS
_TRICK_PHASES = (PLAYING, NOLA_PLAYING, LEASTER_PLAYING)


def explain(state: np.record, seat: Seat, action: Action) -> Message:
    """Say why an action is refused."""
    phase = int(state.phase)
    if not is_action(action):
        return Message("sheephead.no-action", {"action": int(action)})
    if phase in (WAITING, OVER):
        return QUESTIONS[phase]
    if seat != state.turn:
        return Message("sheephead.not-your-turn")
    if phase == BIDDING and action == PASS:
        return Message("sheephead.dealer-picks")
    if phase == BURYING and BURY <= action < CRACK:
        return _explain_bury(state, seat, action)
    if phase == DECLARING and CALL_ACE <= action < BURY:
        return _explain_call(state, seat, action)
    if phase == BLITZING and action >= BLITZ_BLACK:
        return _explain_blitz(state, seat, action)
    if phase in _TRICK_PHASES and action < CARDS:
        return _explain_play(state, seat, action)
    answers = {BIDDING: (PICK,), DECLARING: (ALONE,), BLITZING: (PASS,), CRACKING: (CRACK, PASS)}
    return LEGAL if action in answers.get(phase, ()) else QUESTIONS[phase]


def _explain_blitz(state: np.record, seat: Seat, action: Action) -> Message:
    queens = {BLITZ_BLACK: BLACK_QUEENS, BLITZ_RED: RED_QUEENS, BLITZ_BOTH: _ALL_QUEENS}[action]
    if missing := int(queens) & ~int(state.hand[seat]):
        return _not_held(missing)
    if hidden := int(queens) & _unknown(state, seat):
        return Message("sheephead.queens-hidden", {"cards": show_cards(hidden)})
    return LEGAL


def _explain_bury(state: np.record, seat: Seat, action: Action) -> Message:
    cards, hand = set_of(buried_cards(action)), int(state.hand[seat])
    if missing := cards & ~hand:
        return _not_held(missing)
    kept = hand & int(FAIL) & ~cards
    if state.bury == FAIL_CARD and kept and cards & ~int(FAIL):
        return Message("sheephead.no-trump-buried", {"cards": show_cards(kept)})
    return LEGAL


def _explain_call(state: np.record, seat: Seat, action: Action) -> Message:
    """Say why a card cannot be called: which of them can depends on all eight cards."""
    kept, called = int(state.hand[seat]), called_card(action)
    held, suit = kept | int(state.buried), called // FAIL_CARDS
    if held >> called & 1:
        code = "sheephead.own-called" if kept >> called & 1 else "sheephead.buried-called"
        return Message(code, {"card": show_card(called)})
    open_suits = [s for s in range(FAIL_SUITS) if _is_open(held, s)]
    aces = [s for s in range(FAIL_SUITS) if held >> FAIL_CARDS * s + ACE & 1]
    if CALL_TEN <= action < CALL_UNKNOWN and len(aces) < FAIL_SUITS:
        return Message("sheephead.ten-needs-aces")
    if open_suits and (action >= CALL_UNKNOWN or suit not in open_suits):
        return _demand_open_suit(kept, open_suits)
    if action < CALL_UNKNOWN and (open_suits or len(aces) == FAIL_SUITS):
        return _demand_kept_card(kept, suit)
    if action < CALL_UNKNOWN:
        example = f"unknown {_example(state, kept)} call A{LETTERS[suit]}"
        return Message("sheephead.needs-unknown", {"suit": ONE_OF[suit], "example": example})
    laid = unknown_card(action)
    if not kept >> laid & 1:
        return _not_held(1 << laid)
    if state.unknown == FAIL_CARD and not int(FAIL) >> laid & 1:
        return Message("sheephead.no-trump-unknown", {"card": show_card(laid)})
    return LEGAL


def _not_held(cards: int) -> Message:
    return Message("sheephead.not-held", {"cards": show_cards(cards)})


def _is_open(held: int, suit: int) -> bool:
    """Whether somebody holds fail cards of a suit, but not its ace."""
    cards = held & int(cards_of_suit(suit))
    return cards > 0 and not cards >> FAIL_CARDS * suit + ACE & 1


def _demand_open_suit(kept: int, suits: list[int]) -> Message:
    """Say which aces must be called in place of another one."""
    names = [show_card(FAIL_CARDS * s + ACE) for s in suits if kept & int(cards_of_suit(s))]
    facts = {"suits": [SUIT_NAMES[suit] for suit in suits], "cards": names}
    return Message("sheephead.call-open" if names else "sheephead.only-alone", facts)


def _demand_kept_card(kept: int, suit: int) -> Message:
    if kept & int(cards_of_suit(suit)):
        return LEGAL
    return Message("sheephead.keep-called", {"suit": ONE_OF[suit]})


def _example(state: np.record, kept: int) -> str:
    """Name a card that may be laid face down, as it is typed."""
    allowed = kept & int(FAIL) if state.unknown == FAIL_CARD else kept
    return CARD_WORDS[sort_cards(allowed)[-1]] if allowed else "8D"


def _explain_play(state: np.record, seat: Seat, card: int) -> Message:
    """Say why a card cannot be played now."""
    hand = int(state.hand[seat])
    if not hand >> card & 1:
        own_bury = state.picker == seat + 1 and int(state.buried) >> card & 1
        code = "sheephead.have-buried" if own_bury else "sheephead.not-held"
        return Message(code, {"cards": show_card(card)})
    binds = state.called_led in (0, state.tricks_played + 1)
    is_bound = state.phase == PLAYING and state.called > 0 and binds
    if not state.n_laid:
        return _explain_lead(state, seat, card) if is_bound else LEGAL
    if is_bound:
        reason = _explain_called_suit(state, seat, card)
        if reason is not None:
            return reason
    follows = _free_cards(state, seat) & suit_cards(state, int(state.led))
    if follows and not follows >> card & 1:
        suit = suit_names(state)[int(state.led)]
        code = "sheephead.trump-led" if suit == TRUMP else "sheephead.suit-led"
        return Message(code, {"suit": suit, "cards": _first_few(follows, state)})
    if is_bound:
        return _explain_throw(state, seat, card)
    return LEGAL


def _first_few(cards: int, state: np.record) -> str:
    """Name up to three cards."""
    shown = sort_cards(cards, state.phase == NOLA_PLAYING)
    more = " …" if len(shown) > 3 else ""
    return " ".join(map(show_card, shown[:3])) + more


def _called(state: np.record) -> int:
    return int(state.called) - 1


def _called_suit(state: np.record) -> int:
    return _called(state) // FAIL_CARDS


def _unknown(state: np.record, seat: Seat) -> int:
    """Return the set of the own unknown card, while it is not played."""
    is_held = state.picker == seat + 1 and state.face_down > 0 and state.face_down_at == 0
    return 1 << int(state.face_down) - 1 if is_held else 0


def _free_cards(state: np.record, seat: Seat) -> int:
    """Return a hand without the unknown card, which counts for the called suit only."""
    return int(state.hand[seat]) & ~_unknown(state, seat)


def _explain_lead(state: np.record, seat: Seat, card: int) -> Message:
    """Say why a card cannot be led before the called suit was."""
    suit, called = _called_suit(state), _called(state)
    if state.picker == seat + 1:
        return Message("sheephead.picker-leads-called", {"suit": SUIT_NAMES[suit]})
    if int(state.hand[seat]) >> called & 1 and suit_in(state, card) == suit:
        facts = {"card": show_card(called), "suit": SUIT_NAMES[suit]}
        return Message("sheephead.lead-called-card", facts)
    return LEGAL


def _explain_called_suit(state: np.record, seat: Seat, card: int) -> Message | None:
    """Say what must be played when the called suit is led for the first time; None if nothing."""
    suit, called = _called_suit(state), _called(state)
    if int(state.led) != suit:
        return None
    if int(state.hand[seat]) >> called & 1 and card != called:
        return Message("sheephead.called-must", {"card": show_card(called)})
    unknown = _unknown(state, seat)
    if unknown and not unknown >> card & 1:
        return Message("sheephead.unknown-must", {"card": show_cards(unknown)})
    return None


def _explain_throw(state: np.record, seat: Seat, card: int) -> Message:
    """Say why a card cannot be thrown on another suit before the called suit was led."""
    suit, called = _called_suit(state), _called(state)
    facts = {"card": show_card(card), "suit": SUIT_NAMES[suit]}
    if card == called:
        return Message("sheephead.called-thrown", facts)
    if _unknown(state, seat) >> card & 1:
        return Message("sheephead.unknown-waits", facts)
    if state.picker == seat + 1 and suit_in(state, card) == suit:
        return Message("sheephead.picker-keeps", facts)
    return LEGAL
