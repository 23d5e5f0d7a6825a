"""Why an action is refused, in one sentence that helps to find another one."""

import numpy as np

from kibitz.core.game import Action, Seat
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
    SUIT_WORD,
    SUIT_WORDS,
    buried_cards,
    called_card,
    is_action,
    set_of,
    show_card,
    show_cards,
    sort_cards,
    suit_cards,
    suit_in,
    suit_words,
    unknown_card,
)

QUESTIONS = {
    WAITING: "the cards are not dealt yet",
    BIDDING: "the question is: pick or pass",
    BURYING: "bury two cards, such as bury 7C 8S",
    DECLARING: "call a card, such as call AC, or play alone",
    BLITZING: "the question is: show two queens, such as blitz black, or pass",
    CRACKING: "the question is: crack or pass",
    PLAYING: "play a card, such as QC",
    NOLA_PLAYING: "play a card, such as QC",
    LEASTER_PLAYING: "play a card, such as QC",
    OVER: "the game is over",
}
LEGAL = "it is legal"
_ALL_QUEENS = BLACK_QUEENS | RED_QUEENS
_TRICK_PHASES = (PLAYING, NOLA_PLAYING, LEASTER_PLAYING)


def explain(state: np.record, seat: Seat, action: Action) -> str:
    """Say why an action is refused."""
    phase = int(state.phase)
    if not is_action(action):
        return f"there is no action {action}"
    if phase in (WAITING, OVER):
        return QUESTIONS[phase]
    if seat != state.turn:
        return "it is not your turn"
    if phase == BIDDING and action == PASS:
        return "the dealer must pick where nobody else did"
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


def _explain_blitz(state: np.record, seat: Seat, action: Action) -> str:
    queens = {BLITZ_BLACK: BLACK_QUEENS, BLITZ_RED: RED_QUEENS, BLITZ_BOTH: _ALL_QUEENS}[action]
    if missing := int(queens) & ~int(state.hand[seat]):
        return f"you do not hold {show_cards(missing)}"
    if hidden := int(queens) & _unknown(state, seat):
        return f"{show_cards(hidden)} lies face down: only queens in the hand can be shown"
    return LEGAL


def _explain_bury(state: np.record, seat: Seat, action: Action) -> str:
    cards, hand = set_of(buried_cards(action)), int(state.hand[seat])
    if missing := cards & ~hand:
        return f"you do not hold {show_cards(missing)}"
    kept = hand & int(FAIL) & ~cards
    if state.bury == FAIL_CARD and kept and cards & ~int(FAIL):
        return f"trump is buried only for want of fail cards, and you hold {show_cards(kept)}"
    return LEGAL


def _explain_call(state: np.record, seat: Seat, action: Action) -> str:
    """Say why a card cannot be called: which of them can depends on all eight cards."""
    kept, called = int(state.hand[seat]), called_card(action)
    held, suit = kept | int(state.buried), called // FAIL_CARDS
    if held >> called & 1:
        whose = "hold" if kept >> called & 1 else "buried"
        return f"you {whose} {show_card(called)} yourself: to play without a partner, say alone"
    open_suits = [s for s in range(FAIL_SUITS) if _is_open(held, s)]
    aces = [s for s in range(FAIL_SUITS) if held >> FAIL_CARDS * s + ACE & 1]
    if CALL_TEN <= action < CALL_UNKNOWN and len(aces) < FAIL_SUITS:
        return "a ten is called only by who holds all three aces"
    if open_suits and (action >= CALL_UNKNOWN or suit not in open_suits):
        return _demand_open_suit(kept, open_suits)
    if action < CALL_UNKNOWN and (open_suits or len(aces) == FAIL_SUITS):
        return _demand_kept_card(kept, suit)
    if action < CALL_UNKNOWN:
        return (
            f"you have no {SUIT_WORD[suit]}: a card is laid face down for it, "
            f"such as unknown {_example(state, kept)} call A{SUIT_WORD[suit][0].upper()}"
        )
    laid = unknown_card(action)
    if not kept >> laid & 1:
        return f"you do not hold {show_card(laid)}"
    if state.unknown == FAIL_CARD and not int(FAIL) >> laid & 1:
        return f"no trump is laid face down here, and {show_card(laid)} is one"
    return LEGAL


def _is_open(held: int, suit: int) -> bool:
    """Tell whether somebody holds fail cards of a suit, but not its ace."""
    cards = held & int(cards_of_suit(suit))
    return cards > 0 and not cards >> FAIL_CARDS * suit + ACE & 1


def _demand_open_suit(kept: int, suits: list[int]) -> str:
    """Say which aces must be called in place of another one."""
    names = [show_card(FAIL_CARDS * s + ACE) for s in suits if kept & int(cards_of_suit(s))]
    held = " and ".join(SUIT_WORDS[suit] for suit in suits)
    if not names:
        return f"you picked {held} without the ace and have buried them: only alone is left"
    return f"you hold {held} without the ace: call {' or '.join(names)}, or play alone"


def _demand_kept_card(kept: int, suit: int) -> str:
    if kept & int(cards_of_suit(suit)):
        return LEGAL
    return f"you must keep a card of the called suit, and have no {SUIT_WORD[suit]}"


def _example(state: np.record, kept: int) -> str:
    """Name a card that may be laid face down, as it is typed."""
    allowed = kept & int(FAIL) if state.unknown == FAIL_CARD else kept
    return CARD_WORDS[sort_cards(allowed)[-1]] if allowed else "8D"


def _explain_play(state: np.record, seat: Seat, card: int) -> str:
    """Say why a card cannot be played now."""
    hand = int(state.hand[seat])
    if not hand >> card & 1:
        own_bury = state.picker == seat + 1 and int(state.buried) >> card & 1
        return f"you {'have buried' if own_bury else 'do not hold'} {show_card(card)}"
    binds = state.called_led in (0, state.tricks_played + 1)
    is_bound = state.phase == PLAYING and state.called > 0 and binds
    if not state.n_laid:
        return _explain_lead(state, seat, card) if is_bound else LEGAL
    if is_bound:
        reason = _explain_called_suit(state, seat, card)
        if reason:
            return reason
    follows = _free_cards(state, seat) & suit_cards(state, int(state.led))
    if follows and not follows >> card & 1:
        verb = "was" if suit_words(state)[int(state.led)] == "trump" else "were"
        held = _first_few(follows, state)
        return f"{suit_words(state)[int(state.led)]} {verb} led and you hold {held}"
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
    """Give the set of the own unknown card, while it is not played."""
    is_held = state.picker == seat + 1 and state.face_down > 0 and state.face_down_at == 0
    return 1 << int(state.face_down) - 1 if is_held else 0


def _free_cards(state: np.record, seat: Seat) -> int:
    """Give a hand without the unknown card, which counts for the called suit only."""
    return int(state.hand[seat]) & ~_unknown(state, seat)


def _explain_lead(state: np.record, seat: Seat, card: int) -> str:
    """Say why a card cannot be led before the called suit was."""
    suit, called = _called_suit(state), _called(state)
    if state.picker == seat + 1:
        return f"the picker may not lead {SUIT_WORDS[suit]}, the called suit, before somebody did"
    if int(state.hand[seat]) >> called & 1 and suit_in(state, card) == suit:
        return f"{show_card(called)} is called: you may lead {SUIT_WORDS[suit]} only with it"
    return LEGAL


def _explain_called_suit(state: np.record, seat: Seat, card: int) -> str:
    """Say what must be played when the called suit is led for the first time; empty if nothing."""
    suit, called = _called_suit(state), _called(state)
    if int(state.led) != suit:
        return ""
    if int(state.hand[seat]) >> called & 1 and card != called:
        return f"the called card must be played, its suit is led: {show_card(called)}"
    unknown = _unknown(state, seat)
    if unknown and not unknown >> card & 1:
        return f"the called suit is led: play your unknown card, {show_cards(unknown)}"
    return ""


def _explain_throw(state: np.record, seat: Seat, card: int) -> str:
    """Say why a card cannot be thrown on another suit before the called suit was led."""
    suit, called = _called_suit(state), _called(state)
    if card == called:
        return (
            f"{show_card(called)} is called: it may not be thrown on another suit "
            f"before {SUIT_WORDS[suit]} were led"
        )
    if _unknown(state, seat) >> card & 1:
        return f"your unknown card, {show_card(card)}, waits until {SUIT_WORDS[suit]} are led"
    if state.picker == seat + 1 and suit_in(state, card) == suit:
        return f"you must keep a card of the called suit until it is led: {show_card(card)}"
    return LEGAL
