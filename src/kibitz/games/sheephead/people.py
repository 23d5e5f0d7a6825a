"""What people at a terminal are shown of a decision: two cards to bury need no list of 28 pairs."""

from collections.abc import Sequence

import numpy as np
from rich.text import Text

from kibitz.core.game import Action, Seat
from kibitz.core.hints import Hint
from kibitz.core.messages import Message
from kibitz.core.wording import word
from kibitz.games.sheephead.board import (
    TRICK_PHASES,
    card_text,
    draw_cards,
    draw_hand,
    nobody_picked,
)
from kibitz.games.sheephead.cards import (
    ALONE,
    BLITZ_BLACK,
    BLITZ_BOTH,
    BLITZ_RED,
    BURY,
    CALL_ACE,
    CALL_UNKNOWN,
    CARDS,
    CRACK,
    FAIL_CARDS,
    PASS,
    PICK,
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
    SUIT_NAMES,
    buried_cards,
    called_card,
    is_nola,
    set_of,
    show_card,
    show_cards,
    unknown_card,
    write_action,
)

_NOBODY_PICKS = {
    NOLA: "sheephead.rule-nola",
    LEASTER: "sheephead.rule-leaster",
    DOUBLER: "sheephead.rule-doubler",
    REDEAL: "sheephead.rule-redeal",
    FORCED: "sheephead.rule-forced",
}
_ROWS = (
    "sheephead.row-all",
    "sheephead.row-91",
    "sheephead.row-61",
    "sheephead.row-31",
    "sheephead.row-30",
    "sheephead.row-none",
)


def payments(view: np.record) -> Message:
    """Write what a picked hand pays, under the options of a view."""
    lost = (2 * WON_ALONE, 2 * WON_TOGETHER) if view.bump else (LOST_ALONE, LOST_TOGETHER)
    columns = []
    for won, given in ((WON_ALONE, lost[0]), (WON_TOGETHER, lost[1])):
        columns.append([*won[::-1].tolist(), *(-given).tolist()])
    rows = [
        Message(
            "sheephead.pay-row",
            {
                "what": Message(row),
                "picker": f"{4 * alone:+13d}{-alone:+8d}",
                "called": f"{2 * called:+17d}{called:+9d}{-called:+8d}",
            },
        )
        for row, alone, called in zip(_ROWS, *columns, strict=True)
    ]
    n = int(n_doublings(view))
    times = [Message("sheephead.pay-times", {"times": 1 << n})] if n else []
    return _lines(Message("sheephead.pay-head"), *rows, *times)


def _lines(*lines: Message) -> Message:
    return Message("core.lines", {"lines": lines})


_TRUMPS = Message("sheephead.trumps", {"cards": show_cards(int(TRUMPS))})
_FAIL = Message("sheephead.fail")
_TYPED = Message("sheephead.typed")
_CALLING = Message("sheephead.calling")


def guide(view: np.record, seat: Seat) -> Message:
    """Explain the game in a line; the help of each decision says more."""
    return Message("sheephead.guide")


def bid_help(view: np.record) -> Message:
    """Say what picking means."""
    nobody = Message(_NOBODY_PICKS[int(view["pass"])], {"cents": NOLA_CENTS})
    picking = Message("sheephead.help-bid", {"nobody": nobody})
    return _lines(picking, _TRUMPS, _FAIL, payments(view))


def bury_help(view: np.record) -> Message:
    """Say what may be buried, and what can be called after it."""
    fail_first = [Message("sheephead.bury-fail")] if view.bury == FAIL_CARD else []
    then = Message("sheephead.bury-then")
    return _lines(Message("sheephead.help-bury"), *fail_first, then, _CALLING, _TYPED)


def call_help(view: np.record) -> Message:
    """Say what may be called, what it obliges to, and what is paid."""
    return _lines(_CALLING, Message("sheephead.help-call"), payments(view))


def play_help(view: np.record) -> Message:
    """Say what may be played, and who has more to observe."""
    if view.phase == NOLA_PLAYING:
        return _lines(_TYPED, Message("sheephead.help-nola", {"cents": NOLA_CENTS}))
    aim = Message("sheephead.aim")
    if view.phase == LEASTER_PLAYING:
        aim = Message("sheephead.aim-leaster", {"cents": NOLA_CENTS})
    duties = _obligations(view) if view.phase == PLAYING and view.called else []
    return _lines(_TYPED, _TRUMPS, _FAIL, Message("sheephead.follow"), aim, *duties)


def _obligations(view: np.record) -> list[Message]:
    """Say what the called card obliges to, as long as it does."""
    if 0 < view.called_led <= view.tricks_played:
        return [Message("sheephead.duty-none")]
    card, suit = show_card(int(view.called) - 1), SUIT_NAMES[(int(view.called) - 1) // FAIL_CARDS]
    facts = {"card": card, "suit": suit}
    lines = [Message("sheephead.duty-keep", facts)]
    if not view.lead_called:
        lines.append(Message("sheephead.duty-no-lead"))
    denied = [] if view.slough else [Message("sheephead.deny-throw", facts)]
    denied += [] if view.underlead else [Message("sheephead.deny-lead", facts)]
    if denied:
        lines.append(Message("sheephead.duty-partner", {"denied": denied}))
    lines.append(Message("sheephead.duty-play", facts))
    if view.face_down:
        lines.append(Message("sheephead.duty-unknown", facts))
    return lines


def tell(state: np.record, seat: Seat, action: Action, viewer: Seat) -> Message:
    """Say an action for a log, as the table is drawn; others do not learn what is hidden."""
    is_own = seat == viewer or bool(state.open)
    if action < CARDS:
        if state.face_down != action + 1:
            return Message("sheephead.card", {"card": show_card(action)})
        laid = show_card(action) if is_own else _A_CARD
        return Message("sheephead.unknown-laid", {"card": laid})
    if BURY <= action < CRACK:
        if not is_own:
            return Message("sheephead.buries-hidden")
        return Message("sheephead.buries", {"cards": show_cards(set_of(buried_cards(action)))})
    if not CALL_ACE <= action < BURY:
        return Message(_SAID[int(action)])
    called = show_card(called_card(action))
    if action < CALL_UNKNOWN:
        return Message("sheephead.calls", {"card": called})
    laid = show_card(unknown_card(action)) if is_own else _A_CARD
    return Message("sheephead.calls-unknown", {"card": called, "laid": laid})


_A_CARD = Message("sheephead.a-card")
_SAID = {
    PASS: "sheephead.pass",
    PICK: "sheephead.pick",
    ALONE: "sheephead.alone",
    CRACK: "sheephead.crack",
    BLITZ_BLACK: "sheephead.blitz-black",
    BLITZ_RED: "sheephead.blitz-red",
    BLITZ_BOTH: "sheephead.blitz-both",
}


def outcome(before: np.record, after: np.record, viewer: Seat) -> list[Message]:
    """Say who takes the trick, who is the partner, that nobody picked, and who leads first."""
    told = []
    if before.phase == BIDDING and after.phase != BIDDING and after.picker == 0:
        told.append(Message("sheephead.nobody-picks", {"kind": nobody_picked(after)[0]}))
    if before.phase not in TRICK_PHASES and after.phase in TRICK_PHASES:
        told.append(Message("sheephead.leads", {"seat": int(after.turn)}))
    if after.revealed and not before.revealed:
        told.append(Message("sheephead.is-partner", {"seat": int(after.partner) - 1}))
    if after.tricks_played > before.tricks_played:
        told.append(_trick_taken(after))
    return told


def _trick_taken(after: np.record) -> Message:
    """Say who took the last trick, with what is in it."""
    points = sum(int(POINTS[card - 1]) for card in after.last if card > 0)
    facts = {"seat": int(after.last_winner) - 1, "points": points}
    if is_nola(after):
        return Message("sheephead.takes-nola", facts)
    hidden = HIDDEN in after.last
    return Message("sheephead.takes-unknown" if hidden else "sheephead.takes", facts)


def suggest(view: np.record, seat: Seat, actions: Sequence[Action]) -> Hint | None:
    """Show a person what can be done."""
    phase = view.phase
    if phase == BIDDING:
        shown = Text(word("sheephead.blind-lies"), "dim")
        return Hint(shown, Message("sheephead.pick-or-pass"), bid_help(view))
    if phase == BURYING:
        shown = _shown_bury(view, seat, actions)
        return Hint(shown, Message("sheephead.bury-two"), bury_help(view))
    if phase == DECLARING:
        return Hint(_shown_calls(actions), Message("sheephead.call-or-alone"), call_help(view))
    if phase == BLITZING:
        told = _lines(Message("sheephead.help-blitz"), payments(view))
        return Hint(_shown_blitzes(actions), Message("sheephead.blitz-or-pass"), told)
    if phase == CRACKING:
        told = _lines(Message("sheephead.help-crack"), payments(view))
        shown = Text(word("sheephead.crack-doubles"), "dim")
        return Hint(shown, Message("sheephead.crack-or-pass"), told)
    playable = set_of(actions)
    shown = Text(word("sheephead.any-card"), "dim")
    if playable != int(view.hand[seat]):
        shown = Text.assemble((word("sheephead.may-play"), "dim"), draw_hand(view, playable))
    return Hint(shown, Message("sheephead.play-a-card"), play_help(view))


def _shown_bury(view: np.record, seat: Seat, actions: Sequence[Action]) -> Text:
    """Name the cards that may be buried, if not all may, and how it is typed."""
    example = Text(word("sheephead.such-as", action=write_action(actions[0])), "dim")
    pairs = [action for action in actions if BURY <= action < CRACK]
    n_held = int(view.hand[seat]).bit_count()
    if len(pairs) == n_held * (n_held - 1) // 2:
        return example
    return Text.assemble((word("sheephead.fail-first"), "dim"), example)


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
    example = word("sheephead.or-alone", action=write_action(unknown[0]))
    return Text.assemble(
        (word("sheephead.lay-one"), "dim"),
        draw_cards(laid),
        (word("sheephead.and-call"), "dim"),
        Text(f" {word('core.or')} ").join([card_text(ace) for ace in aces]),
        (f",\n{example}", "dim"),
    )
