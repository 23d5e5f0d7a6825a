"""Solve endings of Sheephead with open hands slowly: minimax over everything, by the reference."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from tests.reference.sheephead import (
    FIRST_LEFT,
    SEATS,
    Contract,
    Options,
    ReferenceGame,
    may_follow,
    may_lead,
    payments,
    points_of,
    trick_winner,
)

Objective = Literal["points", "money"]


@dataclass(frozen=True)
class Ending:
    """A picked hand towards its end, as everybody sees it whose cards are open.

    Attributes:
        hands: The cards of each seat; those on the table are not in them, an unplayed unknown is.
        picker: Who took the blind.
        leader: Who leads, or led, the trick.
        partner: Who was dealt the called card; None if the picker is alone.
        called: The called card, played or not; None if the picker is alone.
        unknown: The card that was laid face down, if there is one.
        called_led: Whether the called suit was led in an earlier trick.
        points: What the picker's side has so far, the bury included.
        tricks: How many it has taken.
        laid: The cards on the table, from the leader on.
        options: The house rules; hands do not pay double.
        left: The left neighbour of each seat.
    """

    hands: Sequence[Sequence[str]]
    picker: int
    leader: int
    partner: int | None = None
    called: str | None = None
    unknown: str | None = None
    called_led: bool = False
    points: int = 0
    tricks: int = 0
    laid: Sequence[str] = ()
    options: Options = Options()
    left: Sequence[int] = FIRST_LEFT


def ending_of(game: ReferenceGame) -> Ending:
    """Return the position of a picked hand that is being played."""
    contract, laid = game.contract, [card for _, card in game.trick]
    return Ending(
        hands=[sorted(cards) for cards in game.hand],
        picker=contract.picker,
        leader=game.trick[0][0] if game.trick else game.turn,
        partner=contract.partner,
        called=contract.called,
        unknown=contract.unknown,
        called_led=game.called_led,
        points=game.team_points(),
        tricks=sum(winner in contract.team() for winner in game.winners),
        laid=laid,
        options=game.options,
        left=game.left,
    )


class Solution(NamedTuple):
    """What the picker's side gets if both sides play their best.

    Attributes:
        value: Its points at the end, the bury included; or the picker's money in cents.
        values: The same after each card that may be played now.
    """

    value: int
    values: dict[str, int]


class Position(NamedTuple):
    """What changes while an ending is played."""

    hands: tuple[frozenset[str], ...]
    turn: int
    trick: tuple[tuple[int, str], ...]
    called_led: bool
    points: int
    tricks: int


def solve(ending: Ending, objective: Objective) -> Solution:
    """Find what an ending is worth to the picker's side, and each card of who is to play."""
    solver = _Solver(ending, objective)
    position = solver.start()
    values = {card: solver.value(solver.play(position, card)) for card in solver.legal(position)}
    return Solution(solver.best(position.turn, list(values.values())), values)


class _Solver:
    """Look at every way to play an ending; positions before a lead are remembered."""

    def __init__(self, ending: Ending, objective: Objective) -> None:
        self.ending, self.objective = ending, objective
        self.contract = Contract(ending.picker, ending.partner, ending.called, ending.unknown)
        self.known: dict[Position, int] = {}

    def start(self) -> Position:
        """Return the position as it is."""
        ending, turn, trick = self.ending, self.ending.leader, []
        for card in ending.laid:
            trick.append((turn, card))
            turn = ending.left[turn]
        hands = tuple(frozenset(cards) for cards in ending.hands)
        return Position(hands, turn, tuple(trick), ending.called_led, ending.points, ending.tricks)

    def best(self, turn: int, values: list[int]) -> int:
        """Let the picker's side take the most and the others the least."""
        return max(values) if turn in self.contract.team() else min(values)

    def value(self, position: Position) -> int:
        """Find what a position is worth."""
        if position.trick:
            return self.search(position)
        if self.objective == "points" and position.points:  # the past does not matter
            return position.points + self.value(position._replace(points=0, tricks=0))
        if position not in self.known:
            self.known[position] = self.search(position)
        return self.known[position]

    def search(self, position: Position) -> int:
        """Try every card; if there is none left, count or pay."""
        if not any(position.hands):
            if self.objective == "points":
                return position.points
            paid = payments(self.contract, position.points, position.tricks, self.ending.options)
            return paid[self.ending.picker]
        follow_ups = [self.play(position, card) for card in self.legal(position)]
        return self.best(position.turn, [self.value(position) for position in follow_ups])

    def legal(self, position: Position) -> list[str]:
        """List the cards that may be played, by name."""
        seat, called_led, options = position.turn, position.called_led, self.ending.options
        hand = position.hands[seat]
        if not position.trick:
            return sorted(may_lead(hand, seat, self.contract, called_led, options))
        led = self.contract.suit_of(position.trick[0][1])
        return sorted(may_follow(hand, seat, led, self.contract, called_led, options))

    def play(self, position: Position, card: str) -> Position:
        """Return the position after a card; the fifth one ends the trick."""
        seat, contract = position.turn, self.contract
        hands = tuple(
            hand - {card} if other == seat else hand for other, hand in enumerate(position.hands)
        )
        trick = (*position.trick, (seat, card))
        if len(trick) < SEATS:
            return position._replace(hands=hands, turn=self.ending.left[seat], trick=trick)
        winner = trick_winner(trick, contract, position.called_led, self.ending.options)
        won = winner in contract.team()
        return Position(
            hands=hands,
            turn=winner,
            trick=(),
            called_led=position.called_led or contract.is_called_suit(trick[0][1]),
            points=position.points + won * points_of(card for _, card in trick),
            tricks=position.tricks + won,
        )
