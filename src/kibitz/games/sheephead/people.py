"""What people at a terminal are shown of a decision: two cards to bury need no list of 28 pairs."""

from collections.abc import Sequence

import numpy as np
from rich.text import Text

from kibitz.core.game import Action, Seat
from kibitz.core.hints import Hint
from kibitz.games.sheephead.board import card_text, draw_cards, draw_hand
from kibitz.games.sheephead.cards import BURY, CALL_UNKNOWN, CARDS, CRACK, QUEEN_OF_CLUBS, TRUMPS
from kibitz.games.sheephead.state import (
    BIDDING,
    BLITZING,
    BURYING,
    CRACKING,
    DECLARING,
    NOLA_PLAYING,
)
from kibitz.games.sheephead.words import (
    called_card,
    set_of,
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
BLITZ_HELP = (
    "Who shows both black queens, or both red ones, doubles all payments of this hand;\n"
    "then everybody knows where they are."
)
CRACK_HELP = "crack doubles all payments of this hand; then the picker may double again."


def is_news(state: np.record, seat: Seat, action: Action) -> bool:
    """Tell whether an action is worth telling: the unknown card is played face down."""
    return not (action < CARDS and state.face_down == action + 1)


def suggest(view: np.record, seat: Seat, actions: Sequence[Action]) -> Hint | None:
    """Show a person what can be done."""
    phase = view.phase
    if phase == BIDDING:
        return Hint(Text("two cards lie in the blind", "dim"), "pick or pass", BID_HELP)
    if phase == BURYING:
        return Hint(_shown_bury(view, seat, actions), "bury two cards", BURY_HELP)
    if phase == DECLARING:
        return Hint(_shown_calls(actions), "call a card, or alone", CALL_HELP)
    if phase == BLITZING:
        return Hint(_shown_blitzes(actions), "blitz or pass", BLITZ_HELP)
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


def _shown_blitzes(actions: Sequence[Action]) -> Text:
    """Name the queens that may be shown."""
    return Text("   ").join([Text(write_action(action), "bold") for action in actions])


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
