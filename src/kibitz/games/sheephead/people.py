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
    FAIL_CARDS,
    POINTS,
    QUEEN_OF_CLUBS,
    TRUMPS,
)
from kibitz.games.sheephead.doubling import n_doublings
from kibitz.games.sheephead.payments import (
    LOST_ALONE,
    LOST_TOGETHER,
    NOLA_CENTS,
    WON_ALONE,
    WON_TOGETHER,
)
from kibitz.games.sheephead.state import (
    BIDDING,
    BLITZING,
    BURYING,
    CRACKING,
    DECLARING,
    DOUBLER,
    FAIL_CARD,
    FORCED,
    HIDDEN,
    LEASTER,
    LEASTER_PLAYING,
    NOLA,
    NOLA_PLAYING,
    PLAYING,
    REDEAL,
)
from kibitz.games.sheephead.words import (
    SUIT_WORDS,
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
_FOLLOW = "Follow the suit that is led if you can"
CALLING = (
    "Who holds the card that you call is your partner. What you may call depends on\n"
    "all eight cards that you had:\n"
    "- a suit without its ace: that ace, if you keep a card of the suit;\n"
    "- no such suit: a missing ace, with a card laid face down for it, the unknown;\n"
    "- all three aces: a ten that you miss, if you keep a card of its suit."
)
CRACK_HELP = (
    "crack doubles all payments of this hand. Each of the others is asked, from the\n"
    "picker's left, until one cracks; then the picker may double once more.\n"
)
BLITZ_HELP = (
    "Who shows both black queens, or both red ones, doubles all payments of this\n"
    "hand; then everybody knows where they are. The picker is asked last.\n"
)
_NOBODY_PICKS = {
    NOLA: f"Nola, without trump: who takes the last trick pays {NOLA_CENTS}¢ to each.",
    LEASTER: f"a leaster: the fewest points with a trick get {NOLA_CENTS}¢ from each.",
    DOUBLER: "nothing is played, and the next hand pays double.",
    REDEAL: "the same dealer deals again.",
    FORCED: "the dealer must.",
}
_ROWS = ("all six tricks", "91 points or more", "61 to 90", "31 to 60", "30 or less", "no trick")


def payments(view: np.record) -> str:
    """Write what a picked hand pays, under the options of a view."""
    lost = (2 * WON_ALONE, 2 * WON_TOGETHER) if view.bump else (LOST_ALONE, LOST_TOGETHER)
    columns = []
    for won, given in ((WON_ALONE, lost[0]), (WON_TOGETHER, lost[1])):
        columns.append([*won[::-1].tolist(), *(-given).tolist()])
    lines = ["Cents              alone: picker, others   called: picker, partner, others"]
    for row, alone, called in zip(_ROWS, *columns, strict=True):
        lines.append(
            f"{row:<19}{4 * alone:+13d}{-alone:+8d}{2 * called:+17d}{called:+9d}{-called:+8d}"
        )
    if n := int(n_doublings(view)):
        lines.append(f"This hand pays {1 << n} times as much.")
    return "\n".join(lines)


def bid_help(view: np.record) -> str:
    """Say what picking means."""
    return (
        "Who picks takes the two cards of the blind, buries two, and plays against the\n"
        "others, with a partner or alone; his side needs 61 of 120 points.\n"
        f"If nobody picks: {_NOBODY_PICKS[int(view['pass'])]}\n"
        f"{_TRUMPS}\n{_FAIL}\n{payments(view)}"
    )


def bury_help(view: np.record) -> str:
    """Say what may be buried, and what can be called after it."""
    trump = "Trump is buried only for want of other cards.\n" if view.bury == FAIL_CARD else ""
    return (
        "Type two of your cards, such as 7c 8s; their points count for your side.\n"
        f"{trump}Then you play alone or call a card.\n{CALLING}\n{_TYPED}"
    )


def call_help(view: np.record) -> str:
    """Say what may be called, what it obliges to, and what is paid."""
    return (
        f"{CALLING}\n"
        "Keep a card of that suit until it is led. call clubs is short for call AC.\n"
        f"{payments(view)}"
    )


def play_help(view: np.record) -> str:
    """Say what may be played, and who has more to observe."""
    if view.phase == NOLA_PLAYING:
        return (
            f"{_TYPED}\n{_FOLLOW}; its highest card takes the trick.\n"
            "Nola has no trump: four suits, each A K Q J 10 9 8 7, the joker is 7♦.\n"
            f"Who takes the last trick pays {NOLA_CENTS}¢ to each of the others, but who takes\n"
            f"all six gets {NOLA_CENTS}¢ from each. Points and the blind count nothing."
        )
    lines = [_TYPED, _TRUMPS, _FAIL, f"{_FOLLOW}; trump is one suit and beats the others."]
    if view.phase == LEASTER_PLAYING:
        lines += [
            "Everybody plays for himself: the fewest points with at least one trick get",
            f"{NOLA_CENTS}¢ from each, shared ones nothing. The blind goes with the last trick.",
        ]
    else:
        lines.append("The picker's side needs 61 of 120 points; the bury counts for it.")
    if view.phase == PLAYING and view.called:
        lines += _obligations(view)
    return "\n".join(lines)


def _obligations(view: np.record) -> list[str]:
    """Say what the called card obliges to, as long as it does."""
    if 0 < view.called_led <= view.tricks_played:
        return ["The called suit has been led: nobody has more to observe."]
    card, suit = show_card(int(view.called) - 1), SUIT_WORDS[(int(view.called) - 1) // FAIL_CARDS]
    lines = [f"Until {suit} are led, the picker must keep a card of them to follow with;"]
    if not view.lead_called:
        lines.append("he may not lead them himself;")
    denied = [] if view.slough else [f"throw {card} on another suit"]
    denied += [] if view.underlead else [f"lead {suit} but with it"]
    if denied:
        lines.append(f"the partner may not {' or '.join(denied)}.")
    lines.append(f"When {suit} are led, {card} must be played.")
    if view.face_down:
        lines.append(f"The card face down goes with it: the lowest of {suit}, it cannot win.")
    return lines


def tell(state: np.record, seat: Seat, action: Action, viewer: Seat) -> str:
    """Write an action for a log, as the table is drawn; others do not learn what is hidden."""
    is_own = seat == viewer or bool(state.open)
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
        return Hint(Text("two cards lie in the blind", "dim"), "pick or pass", bid_help(view))
    if phase == BURYING:
        return Hint(_shown_bury(view, seat, actions), "bury two cards", bury_help(view))
    if phase == DECLARING:
        return Hint(_shown_calls(actions), "call a card, or alone", call_help(view))
    if phase == BLITZING:
        return Hint(
            _shown_blitzes(actions),
            "blitz black, red or both, or pass",
            BLITZ_HELP + payments(view),
        )
    if phase == CRACKING:
        shown = Text("a crack doubles the payments", "dim")
        return Hint(shown, "crack or pass", CRACK_HELP + payments(view))
    playable = set_of(actions)
    shown = Text("you may play any card", "dim")
    if playable != int(view.hand[seat]):
        shown = Text.assemble(("you may play: ", "dim"), draw_hand(view, playable))
    return Hint(shown, "play a card", play_help(view))


def _shown_bury(view: np.record, seat: Seat, actions: Sequence[Action]) -> Text:
    """Name the cards that may be buried, if not all may, and how it is typed."""
    example = Text(f"such as {write_action(actions[0])}", "dim")
    pairs = [action for action in actions if BURY <= action < CRACK]
    n_held = int(view.hand[seat]).bit_count()
    if len(pairs) == n_held * (n_held - 1) // 2:
        return example
    return Text.assemble(("fail cards first, ", "dim"), example)


def _shown_blitzes(actions: Sequence[Action]) -> Text:
    """Name the answers."""
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
