"""What people at a terminal are shown of a decision: two cards to bury need no list of 28 pairs."""

from collections.abc import Sequence

import numpy as np
from rich.text import Text

from kibitz.core.game import Action, Seat
from kibitz.core.hints import Hint
from kibitz.games.sheephead.board import (
    TRICK_PHASES,
    card_text,
    draw_cards,
    draw_hand,
    nobody_picked,
    seat_does,
)
from kibitz.games.sheephead.cards import (
    BURY,
    CALL_ACE,
    CALL_UNKNOWN,
    CARDS,
    CRACK,
    POINTS,
    QUEEN_OF_CLUBS,
    TRUMPS,
)
from kibitz.games.sheephead.state import (
    BIDDING,
    BURYING,
    CRACKING,
    DECLARING,
    HIDDEN,
    NOLA_PLAYING,
)
from kibitz.games.sheephead.words import (
    buried_cards,
    called_card,
    is_nola,
    set_of,
    show_card,
    show_cards,
    unknown_card,
    write_action,
)

_TRUMPS = f"Trumps, high to low: {show_cards(int(TRUMPS))}."
_FAIL = "Clubs, spades, hearts: A 10 K 9 8 7. Points: A 11, 10 ten, K 4, Q 3, J 2."
_TYPED = "Cards may be typed as QC, 10H, 10♥, joker (or spitz)."
PLAY_HELP = f"{_TYPED}\n{_TRUMPS}\n{_FAIL}"
NOLA_HELP = (
    f"{_TYPED}\nNola has no trump: four suits, each A K Q J 10 9 8 7, the joker is 7♦.\n"
    "Who takes the last trick pays everybody, unless one player takes all six."
)
BID_HELP = (
    "Who picks takes the two cards of the blind, buries two, and plays against the\n"
    f"others, with a partner or alone; his side needs 61 of 120 points.\n{_TRUMPS}\n{_FAIL}"
)
BURY_HELP = (
    "Type two of your cards; their points count for your side. You can only call an\n"
    f"ace of which you keep a card of its suit.\n{_TYPED}"
)
CALL_HELP = (
    "Who holds the card that you call is your partner; alone, you play against all\n"
    "four. An unknown card is laid face down: the lowest of the called suit."
)
CRACK_HELP = "crack doubles all payments of this hand; then the picker may double again."


def tell(state: np.record, seat: Seat, action: Action, viewer: Seat) -> str:
    """Write an action for a log, as the table is drawn; others do not learn what is hidden."""
    is_own = seat == viewer
    if action < CARDS:
        is_unknown = state.face_down == action + 1
        card = show_card(action) if is_own or not is_unknown else "a card"
        return f"{card} face down" if is_unknown else card
    if BURY <= action < CRACK:
        return f"bury {show_cards(set_of(buried_cards(action))) if is_own else 'two cards'}"
    if not CALL_ACE <= action < BURY:
        return write_action(action)
    call = f"call {show_card(called_card(action))}"
    if action < CALL_UNKNOWN:
        return call
    return f"{call} with {show_card(unknown_card(action)) if is_own else 'a card'} face down"


def outcome(before: np.record, after: np.record, viewer: Seat) -> str:
    """Say who takes the trick, who is the partner, that nobody picked, and who leads first."""
    words = []
    if before.phase == BIDDING and after.phase != BIDDING and after.picker == 0:
        words.append(f"nobody picks: {nobody_picked(after)[0]}")
    if before.phase not in TRICK_PHASES and after.phase in TRICK_PHASES:
        words.append(seat_does(int(after.turn), viewer, "lead", "leads"))
    if after.revealed and not before.revealed:
        words.append(f"{seat_does(int(after.partner) - 1, viewer, 'are', 'is')} the partner")
    if after.tricks_played > before.tricks_played:
        takes = seat_does(int(after.last_winner) - 1, viewer, "take", "takes")
        points = sum(int(POINTS[card - 1]) for card in after.last if card > 0)
        words.append(f"{takes} the trick{'' if is_nola(after) else f', {points} points'}")
        words[-1] += " and the card face down" if HIDDEN in after.last else ""
    return "; ".join(words)


def suggest(view: np.record, seat: Seat, actions: Sequence[Action]) -> Hint | None:
    """Show a person what can be done."""
    phase = view.phase
    if phase == BIDDING:
        return Hint(Text("two cards lie in the blind", "dim"), "pick or pass", BID_HELP)
    if phase == BURYING:
        return Hint(_shown_bury(view, seat, actions), "bury two cards", BURY_HELP)
    if phase == DECLARING:
        return Hint(_shown_calls(actions), "call a card, or alone", CALL_HELP)
    if phase == CRACKING:
        return Hint(Text("a crack doubles the payments", "dim"), "crack or pass", CRACK_HELP)
    help_text = NOLA_HELP if phase == NOLA_PLAYING else PLAY_HELP
    playable = set_of(actions)
    shown = Text("you may play any card", "dim")
    if playable != int(view.hand[seat]):
        shown = Text.assemble(("you may play: ", "dim"), draw_hand(view, playable))
    return Hint(shown, "play a card", help_text)


def _shown_bury(view: np.record, seat: Seat, actions: Sequence[Action]) -> Text:
    """Name the cards that may be buried, if not all may, and how it is typed."""
    example = Text(f"such as {write_action(actions[0])}", "dim")
    pairs = [action for action in actions if BURY <= action < CRACK]
    n_held = int(view.hand[seat]).bit_count()
    if len(pairs) == n_held * (n_held - 1) // 2:
        return example
    return Text.assemble(("fail cards first, ", "dim"), example)


def _shown_calls(actions: Sequence[Action]) -> Text:
    """Name the cards that may be called."""
    plain = [action for action in actions if action > QUEEN_OF_CLUBS and action < CALL_UNKNOWN]
    unknown = [action for action in actions if action >= CALL_UNKNOWN]
    if not unknown:
        return Text("   ").join([Text(write_action(action), "bold") for action in plain])
    aces = sorted({called_card(action) for action in unknown})
    laid = set_of(unknown_card(action) for action in unknown)
    return Text.assemble(
        ("lay one of ", "dim"),
        draw_cards(laid),
        (" face down and call ", "dim"),
        Text(" or ").join([card_text(ace) for ace in aces]),
        (f",\nsuch as {write_action(unknown[0])}; or alone", "dim"),
    )
