"""Exact play with open hands: what a picked hand is worth, and every card that may be played.

The picker's side plays against the rest, and all members of a side want the same: money, which goes
by the rows of the table of payments, or points. Cents are those of this hand; what 60 to 60 does to
the hands after it is left aside.

Where nobody picked (Nola, a leaster) everybody plays for himself: what such a hand is worth depends
on whom the others are against, and it is not solved.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from kibitz.core.bits import popcount
from kibitz.core.errors import PositionError, SpecError, clip, nearest
from kibitz.core.game import Action, Seat
from kibitz.core.kernels import seconds_compiling
from kibitz.core.spec import Options
from kibitz.core.table import Game
from kibitz.games.sheephead.cards import CARDS, TOTAL_POINTS
from kibitz.games.sheephead.open_hand import (
    make_desk,
    payments_by_row,
    points_after_each,
    rows_after,
)
from kibitz.games.sheephead.payments import is_on_side
from kibitz.games.sheephead.play import playable
from kibitz.games.sheephead.state import (
    HAND_CARDS,
    HIDDEN,
    LEASTER_PLAYING,
    NOLA_PLAYING,
    PLAYING,
    SEATS,
)

Objective = Literal["money", "points"]
OBJECTIVES: tuple[Objective, ...] = get_args(Objective)

OPTIONS: Options = {}
"""No option has another default here."""

TITLES = {"money": "cents of this hand", "points": "points of its side"}

Progress = Callable[[int, int], None]
"""Told how much is done, of how much."""


@dataclass(frozen=True)
class Solution:
    """A solved hand: the seat that plays next can reach the best of its cards' values."""

    game: Game
    state: np.record  # the position
    objective: Objective
    seat: Seat  # who plays next
    cards: list[Action]  # which it may play
    money: list[list[int]]  # cents of every seat after each card: [cards][seats]
    points: list[list[int]]  # points of every seat's side: [cards][seats]
    n_nodes: int  # positions looked at
    seconds: float  # without those of the compiler

    @property
    def values(self) -> list[int]:
        """What perfect play gives to every seat, by the objective."""
        return self.values_by(self.objective)

    @property
    def by_card(self) -> dict[Action, int]:
        """What each card is worth to who plays it, by the objective."""
        found = self._found(self.objective)
        return {card: row[self.seat] for card, row in zip(self.cards, found, strict=True)}

    @property
    def best(self) -> list[Action]:
        """The cards that are played: the best by the objective, of them the best by the other."""
        other = self._found("points" if self.objective == "money" else "money")
        ranks = [
            (value, row[self.seat]) for value, row in zip(self.by_card.values(), other, strict=True)
        ]
        return [card for card, rank in zip(self.cards, ranks, strict=True) if rank == max(ranks)]

    def values_by(self, objective: Objective) -> list[int]:
        """What every seat gets if both sides play for this."""
        return max(self._found(objective), key=lambda row: row[self.seat])

    def _found(self, objective: Objective) -> list[list[int]]:
        return self.money if objective == "money" else self.points

    def as_json(self) -> dict[str, Any]:
        """Return one document for programs."""
        return {
            "game": self.game.spec,
            "position": self.game.text.format_position(self.state),
            "objective": self.objective,
            "values": self.values,
            "also": [name for name in OBJECTIVES if name != self.objective],
            **{name: self.values_by(name) for name in OBJECTIVES},
            "strategies": [
                {"seat": self.seat, "actions": [self._describe(k) for k in range(len(self.cards))]}
            ],
            "nodes": self.n_nodes,
            "seconds": self.seconds,
        }

    def _describe(self, k: int) -> dict[str, Any]:
        """Describe a card; of several that are played, each is as good as the others."""
        card, best = self.cards[k], self.best
        return {
            "action": card,
            "text": self.game.text.format_action(self.state, self.seat, card),
            "probability": 1 / len(best) if card in best else 0.0,
            "value": self.by_card[card],
            "money": self.money[k][self.seat],
            "points": self.points[k][self.seat],
        }


def write_value(objective: str, value: float) -> str:
    """Write a value the way people do."""
    return f"{value:+g}" if objective == "money" else f"{value:g}"


def read(game: Game, position: str) -> np.record:
    """Read a position that can be solved; an error says why it cannot."""
    check_game(game)
    if "?" in position:
        raise PositionError(
            f"only open positions are solved, '?' hides something: {clip(position)}"
        )
    state = game.parse(position)
    check_state(state)
    return state


def estimate(state: np.record) -> float:
    """Return about how many seconds a position takes to solve."""
    return 0.0


def check_game(game: Game) -> None:
    """Refuse other games."""
    if game.facts.name != "sheephead":
        raise SpecError(f"this solves sheephead, not {game.facts.name}")


def check_state(state: np.record) -> None:
    """Refuse positions in which there is nothing to solve, or something is hidden."""
    if state.phase in (NOLA_PLAYING, LEASTER_PLAYING):
        what = "a Nola" if state.phase == NOLA_PLAYING else "a leaster"
        raise PositionError(
            f"only picked hands are solved, one side against the other: in {what} everybody plays "
            "for himself"
        )
    if state.phase != PLAYING:
        raise PositionError("only hands in play are solved, from the first lead on")
    held = sum(popcount(state.hand[seat]) for seat in range(SEATS))
    dealt = SEATS * (HAND_CARDS - int(state.tricks_played)) - int(state.n_laid)
    if held != dealt or popcount(state.buried) != 2 or state.face_down == HIDDEN:
        raise PositionError("only open positions are solved, something is hidden here")


def solve(
    game: Game,
    position: np.record | str,
    objective: Objective = "money",
    progress: Progress | None = None,
) -> Solution:
    """Solve a picked hand with open cards.

    Args:
        game: Sheephead, under any options.
        position: a state, or a line of text, in which a card is to be played.
        objective: what both sides want: "money" or "points"; both are found.
        progress: told when it is done.

    Raises:
        SpecError: it is another game.
        PositionError: nobody has picked, no card is to be played, or something is hidden.
    """
    began = time.perf_counter() - seconds_compiling()
    if objective not in OBJECTIVES:
        hint = nearest(str(objective), OBJECTIVES)
        raise SpecError(f"unknown objective {clip(objective)}: {hint}")
    if isinstance(position, str):
        state = read(game, position)
    else:
        check_game(game)
        state = game.check_state(position)
        check_state(state)
    boards, memory = make_desk()
    rows, points = np.zeros(CARDS, np.int64), np.zeros(CARDS, np.int64)
    chosen = np.uint64(playable(state, int(state.turn)))
    rows_after(state, boards, memory, chosen, rows)
    n_nodes = int(boards["n_nodes"].sum())
    points_after_each(state, boards, memory, chosen, points)
    cards = [card for card in range(CARDS) if int(chosen) >> card & 1]
    payments = payments_by_row(state)
    is_ours = np.array([is_on_side(state, seat) for seat in range(SEATS)])
    if progress is not None:
        progress(1, 1)
    return Solution(
        game=game,
        state=state.copy(),
        objective=objective,
        seat=int(state.turn),
        cards=cards,
        money=[payments[rows[card]].tolist() for card in cards],
        points=[
            np.where(is_ours, points[card], TOTAL_POINTS - points[card]).tolist() for card in cards
        ],
        n_nodes=n_nodes + int(boards["n_nodes"].sum()),
        seconds=time.perf_counter() - seconds_compiling() - began,
    )
