"""What people at a terminal are shown of a decision: nobody wants to read 200 plays by number."""

from collections.abc import Iterable, Sequence

import numpy as np
from rich.columns import Columns
from rich.console import Group, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from kibitz.core.game import Action, Seat
from kibitz.core.hints import Hint
from kibitz.core.messages import Message
from kibitz.core.wording import word
from kibitz.games.tichu.board import draw_cards
from kibitz.games.tichu.cards import (
    CALL,
    DRAGON_TO,
    GRAND,
    PASS,
    PLAY,
    TICHU,
    WISH,
    cards_of,
    kind_of,
    low_bits,
    other_action,
    phoenix_of,
)
from kibitz.games.tichu.combinations import (
    BOMB,
    DOG,
    FULL_HOUSE,
    PAIR,
    SINGLE,
    STEPS,
    STRAIGHT,
    TRIO,
    classify,
)
from kibitz.games.tichu.state import EXCHANGE, ROUND, SEATS, TURN, WINDOW, WISHING, flushes
from kibitz.games.tichu.words import RANKS, cards_text, members, rank_of, rank_word, write_action

FEW = 6
"""So many plays are written out."""

MOST = 14
"""So many plays of a kind are shown in short."""

KINDS = {
    SINGLE: "tichu.singles",
    PAIR: "tichu.pairs",
    TRIO: "tichu.trios",
    FULL_HOUSE: "tichu.full-houses",
    STRAIGHT: "tichu.straights",
    STEPS: "tichu.pair-rows",
    BOMB: "tichu.bombs",
}
HELP = Message("tichu.help")
GIVE_HELP = Message("tichu.help-gift")
WISH_HELP = Message("tichu.help-wish")
RECEIVERS = ("tichu.for-right", "tichu.for-partner", "tichu.for-left")


def guide(view: np.record, seat: Seat) -> Message:
    """Explain the game, and how far it goes."""
    end = Message("tichu.ends-round")
    if view.match != ROUND:
        end = Message("tichu.ends-match", {"points": int(view.match)})
    return Message("tichu.guide", {"end": end})


def tell(state: np.record, seat: Seat, action: Action, viewer: Seat) -> Message | None:
    """Say an action for a log.

    That somebody lays no bomb or does not call is not worth telling; the cards that were given
    stand at the hand.
    """
    kind, what = int(kind_of(action)), int(low_bits(action))
    if kind == PLAY:
        cards, rank = np.uint64(cards_of(action)), int(phoenix_of(action))
        is_bomb = classify(cards, rank, 0, flushes(state))[0] == BOMB
        code = "tichu.plays-bomb" if is_bomb else "tichu.plays"
        return Message(code, {"cards": write_action(action)})
    if kind == PASS:
        return Message("tichu.pass") if state.phase == TURN else None
    if kind == CALL:
        called = {GRAND: "tichu.grand", TICHU: "tichu.tichu"}
        return Message(called[what]) if what in called else None
    if kind == WISH:
        return (
            Message("tichu.wish", {"rank": rank_word(what)}) if what else Message("tichu.no-wish")
        )
    if kind == DRAGON_TO:
        return Message("tichu.dragon-right" if what == 1 else "tichu.dragon-left")
    return None


def outcome(before: np.record, after: np.record, viewer: Seat) -> list[Message]:
    """Say who takes the trick, and who is out."""
    told = []
    for seat in range(SEATS):
        if after.finished[seat] and not before.finished[seat]:
            place = Message(f"tichu.place-{int(after.finished[seat])}")
            told.append(Message("tichu.is-out", {"seat": seat, "place": place}))
        if after.tricks[seat] > before.tricks[seat]:
            points = int(after.won[seat]) - int(before.won[seat])
            told.append(Message("tichu.takes-trick", {"seat": seat, "points": points}))
    return told


def suggest(view: np.record, seat: Seat, actions: Sequence[Action]) -> Hint | None:
    """Show a person what can be done; None where a list of the choices is short."""
    phase = view.phase
    if phase == EXCHANGE:
        n_given = int(np.count_nonzero(view.given[seat]))
        return Hint(Text(""), Message(RECEIVERS[n_given]), GIVE_HELP)
    if phase == WISHING:
        ranks = Text(" ".join(RANKS), "bold").append(word("tichu.or-no-wish"), "dim")
        return Hint(ranks, Message("tichu.which-wish"), WISH_HELP)
    if phase == WINDOW:
        return Hint(_written_out(_plays(actions)), Message("tichu.bomb-or-pass"), HELP)
    if phase != TURN:
        return None
    plays = _plays(actions)
    ways = [Message("tichu.to-play")] if plays else []
    ways += [Message("tichu.to-pass")] if int(other_action(PASS, 0)) in actions else []
    ways += [Message("tichu.to-call")] if int(other_action(CALL, TICHU)) in actions else []
    shown = _written_out(plays) if len(plays) <= FEW else _in_short(view, plays)
    return Hint(shown, Message("tichu.ways", {"ways": ways}), HELP)


def _plays(actions: Iterable[Action]) -> list[Action]:
    return [action for action in actions if kind_of(action) == PLAY]


def _written_out(plays: Sequence[Action]) -> RenderableType:
    """Show every card of a few plays."""
    drawn = [draw_cards(int(cards_of(play)), int(phoenix_of(play))) for play in plays]
    return Columns(drawn, padding=(0, 4))


def _in_short(view: np.record, plays: Sequence[Action]) -> RenderableType:
    """Show one line for every kind of play, with ranks in place of cards."""
    by_kind: dict[int, dict[str, None]] = {kind: {} for kind in KINDS}
    for play in plays:
        cards, rank = np.uint64(cards_of(play)), int(phoenix_of(play))
        kind, _, height = classify(cards, rank, 0, flushes(view))
        short = _short(int(cards), rank, kind, height) + "*" * (rank > 0)
        by_kind[SINGLE if kind == DOG else kind][short] = None
    grid = Grid.grid(padding=(0, 2))
    for kind, shorts in by_kind.items():
        if shorts:
            more = word("tichu.and-more", more=len(shorts) - MOST) if len(shorts) > MOST else ""
            grid.add_row(Text(word(KINDS[kind]), "dim"), Text("  ".join([*shorts][:MOST]) + more))
    if not any(int(phoenix_of(play)) for play in plays):
        return grid
    return Group(grid, Text(word("tichu.with-phoenix"), "dim"))


def _short(cards: int, phoenix_rank: int, kind: int, height: int) -> str:
    """Write a play by its ranks."""
    if kind in (SINGLE, DOG, BOMB):
        return cards_text(cards)
    top = rank_word(height // 2)
    ranks = {rank_of(card) for card in members(cards)} - {0} | {phoenix_rank} - {0}
    if kind == FULL_HOUSE:
        low = rank_word(min(ranks - {height // 2}))
        return word("tichu.house-with", top=top, low=low)
    if kind in (STRAIGHT, STEPS):
        lowest = min(ranks)
        return f"{rank_word(lowest) if lowest > 1 else 'Ma'}-{top}"
    return top
