"""What people at a terminal are shown of a decision: nobody wants to read 200 plays by number."""

from collections.abc import Iterable, Sequence

import numpy as np
from rich.columns import Columns
from rich.console import Group, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from kibitz.core.game import Action, Seat
from kibitz.core.hints import Hint
from kibitz.games.tichu.board import PLACES, draw_cards
from kibitz.games.tichu.cards import (
    CALL,
    GIVE,
    NO_GRAND,
    NO_TICHU,
    PASS,
    PLAY,
    TICHU,
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
from kibitz.games.tichu.state import EXCHANGE, SEATS, TURN, WINDOW, WISHING, flushes
from kibitz.games.tichu.words import RANKS, cards_text, members, rank_of, rank_word, write_action

FEW = 6
"""So many plays are written out."""

MOST = 14
"""So many plays of a kind are shown in short."""

KINDS = {
    SINGLE: "singles",
    PAIR: "pairs",
    TRIO: "trios",
    FULL_HOUSE: "full houses",
    STRAIGHT: "straights",
    STEPS: "pairs in a row",
    BOMB: "bombs",
}
HELP = (
    "Type cards as they are drawn, such as 5R 6R 7G Ph 9S, or their ranks alone: 5 6 7 Ph 9.\n"
    "The Phoenix stands for the highest rank that is legal; for another one write Ph=8.\n"
    "The other cards are Ma, Dog, Ph and Dr. p passes; tichu calls Tichu before your first card."
)
GIVE_HELP = "Type one card, such as 2R; it goes to the seat that is named. All give at once."
WISH_HELP = "Type a rank, 2 to 9, T, J, Q, K or A, or no wish. Who can play it in turn, must."


def tell(state: np.record, seat: Seat, action: Action, viewer: Seat) -> str:
    """Write an action for a log.

    That somebody lays no bomb or does not call is not worth telling; the cards that were given
    stand at the hand.
    """
    kind = kind_of(action)
    if kind == PLAY:
        cards, rank = np.uint64(cards_of(action)), int(phoenix_of(action))
        is_bomb = classify(cards, rank, 0, flushes(state))[0] == BOMB
        return f"{'bomb ' if is_bomb else ''}{write_action(action)}"
    is_silent = kind == CALL and low_bits(action) in (NO_GRAND, NO_TICHU)
    is_silent = is_silent or (kind == PASS and state.phase != TURN)
    return "" if is_silent or kind == GIVE else write_action(action)


def outcome(before: np.record, after: np.record, viewer: Seat) -> str:
    """Say who takes the trick, and who is out."""
    words = []
    for seat in range(SEATS):
        is_own = seat == viewer
        who, be, take = ("you", "are", "take") if is_own else (f"seat {seat}", "is", "takes")
        if after.finished[seat] and not before.finished[seat]:
            words.append(f"{who} {be} out {PLACES[int(after.finished[seat])]}")
        if after.tricks[seat] > before.tricks[seat]:
            points = int(after.won[seat]) - int(before.won[seat])
            words.append(f"{who} {take} the trick, {points} points")
    return "; ".join(words)


def suggest(view: np.record, seat: Seat, actions: Sequence[Action]) -> Hint | None:
    """Show a person what can be done; None where a list of the choices is short."""
    phase = view.phase
    if phase == EXCHANGE:
        n_given = int(np.count_nonzero(view.given[seat]))
        to_whom = ("right neighbour", "partner", "left neighbour")[n_given]
        return Hint(Text(""), f"a card for your {to_whom}", GIVE_HELP)
    if phase == WISHING:
        ranks = Text(" ".join(RANKS), "bold").append(", or no wish", "dim")
        return Hint(ranks, "wish for a rank", WISH_HELP)
    if phase == WINDOW:
        return Hint(_written_out(_plays(actions)), "a bomb, or pass", HELP)
    if phase != TURN:
        return None
    plays = _plays(actions)
    ways = ["play cards"] if plays else []
    ways += ["pass"] if int(other_action(PASS, 0)) in actions else []
    ways += ["call tichu"] if int(other_action(CALL, TICHU)) in actions else []
    shown = _written_out(plays) if len(plays) <= FEW else _in_short(view, plays)
    return Hint(shown, " or ".join(ways), HELP)


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
        word = _short(int(cards), rank, kind, height) + "*" * (rank > 0)
        by_kind[SINGLE if kind == DOG else kind][word] = None
    grid = Grid.grid(padding=(0, 2))
    for kind, words in by_kind.items():
        if words:
            more = f"  and {len(words) - MOST} more" if len(words) > MOST else ""
            grid.add_row(Text(KINDS[kind], "dim"), Text("  ".join([*words][:MOST]) + more))
    if not any(int(phoenix_of(play)) for play in plays):
        return grid
    return Group(grid, Text("* with the Phoenix", "dim"))


def _short(cards: int, phoenix_rank: int, kind: int, height: int) -> str:
    """Write a play by its ranks."""
    if kind in (SINGLE, DOG, BOMB):
        return cards_text(cards)
    top = rank_word(height // 2)
    ranks = {rank_of(card) for card in members(cards)} - {0} | {phoenix_rank} - {0}
    if kind == FULL_HOUSE:
        return f"{top} with {rank_word(min(ranks - {height // 2}))}"
    if kind in (STRAIGHT, STEPS):
        low = min(ranks)
        return f"{rank_word(low) if low > 1 else 'Ma'}-{top}"
    return top
