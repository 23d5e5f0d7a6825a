"""Play Connect 4 slowly and obviously, straight from the rules, as a check on the fast engine.

Nothing here is shared with the engine: two independent readings of the rules have to agree.
"""

import random
from collections.abc import Iterator
from itertools import product

COLUMNS = 7
ROWS = 6

# Steps (right, up) from a disc to its neighbour on a line.
DIRECTIONS = {"across": (1, 0), "up": (0, 1), "rising": (1, 1), "falling": (1, -1)}


class ReferenceGame:
    """Hold one game of Connect 4.

    Attributes:
        columns: The discs of each column, lowest first; a disc is the seat that dropped it.
        moves: The columns played, 1 to 7, in order.
        winner: The seat that has four in a line, or None.
        direction: How the winning line runs, or None; one of them if there are several.
    """

    def __init__(self, moves: str = "") -> None:
        """Set up an empty board and play `moves` on it."""
        self.columns: list[list[int]] = [[] for _ in range(COLUMNS)]
        self.moves: list[int] = []
        self.winner: int | None = None
        self.direction: str | None = None
        for column in moves:
            self.play(int(column))

    def turn(self) -> int:
        """Return the seat that moves next."""
        return len(self.moves) % 2

    def is_over(self) -> bool:
        """Whether somebody has won or no cell is free."""
        return self.winner is not None or len(self.moves) == COLUMNS * ROWS

    def legal(self) -> list[int]:
        """List the columns with a free cell, ascending; none when the game is over."""
        if self.is_over():
            return []
        return [c for c in range(1, COLUMNS + 1) if len(self.columns[c - 1]) < ROWS]

    def play(self, column: int) -> None:
        """Drop a disc.

        Raises:
            ValueError: If the rules do not allow it.
        """
        if column not in self.legal():
            raise ValueError(f"column {column} is not open after {self.moves}")
        seat = self.turn()
        self.columns[column - 1].append(seat)
        self.moves.append(column)
        self.direction = self.find_line(seat)
        if self.direction is not None:
            self.winner = seat

    def disc(self, column: int, row: int) -> int | None:
        """Return the seat whose disc lies in a cell, both counted from 0; None if there is none."""
        if not 0 <= column < COLUMNS or not 0 <= row < len(self.columns[column]):
            return None
        return self.columns[column][row]

    def find_line(self, seat: int) -> str | None:
        """Look for four discs of a seat in a line, anywhere, and say how they run."""
        for name, (right, up) in DIRECTIONS.items():
            for column, row in product(range(COLUMNS), range(ROWS)):
                if self.disc(column, row) != seat:
                    continue
                line = [self.disc(column + i * right, row + i * up) for i in range(4)]
                if line == [seat] * 4:
                    return name
        return None

    def scores(self) -> list[float]:
        """Return 1 for the winner and -1 for the loser, 0 for both otherwise."""
        if self.winner is None:
            return [0.0, 0.0]
        return [1.0 if seat == self.winner else -1.0 for seat in range(2)]


def play_randomly(rng: random.Random) -> Iterator[ReferenceGame]:
    """Yield a game before its first move and after each of its random moves."""
    game = ReferenceGame()
    yield game
    while not game.is_over():
        game.play(rng.choice(game.legal()))
        yield game


def count_lines(moves: str, depth: int) -> int:
    """Count the move sequences of exactly `depth` plies after `moves`."""
    if depth == 0:
        return 1
    game = ReferenceGame(moves)
    return sum(count_lines(moves + str(column), depth - 1) for column in game.legal())


def is_opening(moves: str) -> bool:
    """Whether a sequence has no win in it and none available next."""
    try:
        game = ReferenceGame(moves)
    except ValueError:
        return False
    if game.winner is not None:
        return False
    return all(ReferenceGame(f"{moves}{column}").winner is None for column in game.legal())
