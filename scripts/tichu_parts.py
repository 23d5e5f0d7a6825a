"""What the parts of a player's Tichu are worth: its exchange, its calls, its play.

    python scripts/tichu_parts.py best rule --parts exchange grand tichu --deals 2000 --seed 1

Plays the first player against itself with one part of its decisions left to the second, on
duplicate deals: what the first gains is what it does better there.
"""

import argparse

import numpy as np

import kibitz
from kibitz import arena
from kibitz.core.agent import Agent, Games, Seats
from kibitz.core.decisions import Decisions
from kibitz.core.game import States
from kibitz.core.rng import Rngs
from kibitz.games.tichu.state import CALLING, EXCHANGE, GRAND_CALLING

PARTS = {"grand": (GRAND_CALLING,), "tichu": (CALLING,), "exchange": (EXCHANGE,)}


class Mixed(Agent):
    """Decides like one player in some phases, and like another in all others."""

    def __init__(self, of: Agent, other: Agent, part: str) -> None:
        """Keep both, and which phases are the other's."""
        super().__init__(of.game)
        self.of, self.other, self.phases = of, other, PARTS[part]
        self.name = f"{of.name} with {part} of {other.name}"

    def act(self, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
        """Ask both, and take what each is responsible for."""
        actions = self.of.act(views, seats, rngs, games).actions.copy()
        here = np.isin(views["phase"], self.phases)
        if here.any():
            rows = np.flatnonzero(here)
            decided = self.other.act(views[rows], seats[rows], rngs[rows], games[rows])
            actions[rows] = decided.actions
        return Decisions(actions)


def main() -> None:
    """Read the command line, and play."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("player")
    parser.add_argument("other")
    parser.add_argument("--game", default="tichu")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--deals", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    game = kibitz.load_game(given.game)
    player, other = (kibitz.load_agent(spec, game) for spec in (given.player, given.other))
    for part in given.parts:
        sample = arena.play(
            game, [player, Mixed(player, other, part)], given.deals, given.seed
        ).sample
        print(f"{part} of {given.player}, not of {given.other}: {sample.score(0)} per round")


if __name__ == "__main__":
    main()
