"""How many rounds of 6 nimmt! an agent wins against strong flat Monte Carlo, in seconds.

    python scripts/nimmt_wins.py best:sims=800 --deals 1000 --seed 5

The opponents are the flat Monte Carlo that `best` learns from (`games/nimmt/rolling.py`). With the
default of 1000 simulations it is about as strong as `mcs:sims=10000`, which takes 5 ms a move:
beside four of it, that takes 11.5 heads for 11.8 and wins 17.6 % (15.0 to 20.4; 120 deals, seed 9).
Budgets are simulations, so other jobs do not disturb them.
"""

import argparse
from dataclasses import dataclass

import numpy as np

from kibitz import arena, load_agent, load_game
from kibitz.core.agent import Agent, Games, Seats
from kibitz.core.decisions import Decisions
from kibitz.core.game import Actions, States
from kibitz.core.kernels import wrapping_kernel
from kibitz.core.rng import Rngs
from kibitz.games.nimmt.lookahead import Desk, best_arm, make_desk
from kibitz.games.nimmt.rolling import Orders, make_orders, roll_view


@wrapping_kernel
def roll_all(
    asked: tuple[States, Seats, Rngs], n_sims: int, desk: Desk, orders: Orders, out: Actions
) -> None:
    """Choose a card in every view."""
    views, seats, rngs = asked
    for k in range(len(views)):
        plan = roll_view(views[k], seats[k], n_sims, desk, orders, rngs[k])
        out[k] = desk.arms[best_arm(desk, plan)].choice


@dataclass(frozen=True)
class RollConfig:
    """Parameters of the opponents."""

    sims: int = 1000  # simulations per decision


class RollAgent(Agent):
    """Flat Monte Carlo that gives up half of its choices at a time."""

    name = "roll"
    Config = RollConfig

    def act(self, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
        """Choose a card in every view."""
        chosen = np.empty(len(views), np.int64)
        roll_all((views, seats, rngs), self.config.sims, make_desk(), make_orders(), chosen)
        return Decisions(chosen)


def main() -> None:
    """Play and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("specs", nargs="+", help="agents, each alone beside the opponents")
    parser.add_argument("--sims", type=int, default=1000, help="of the opponents")
    parser.add_argument("--players", type=int, default=5)
    parser.add_argument("--deals", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    game = load_game(f"nimmt:players={given.players},rows=lowest")
    for spec in given.specs:
        agents = [load_agent(spec, game), RollAgent(game, RollConfig(given.sims))]
        found = arena.play(game, agents, given.deals, given.seed)
        heads, wins = found.sample.score(0), found.sample.wins(0)
        theirs = found.sample.score(1)
        print(
            f"{spec}: heads {-heads.mean:.2f} [{-heads.high:.2f}, {-heads.low:.2f}] for "
            f"{-theirs.mean:.2f}, wins {wins.mean:.1%} [{wins.low:.1%}, {wins.high:.1%}], "
            f"{1000 * found.seconds_per_move[0]:.2f} ms a move",
            flush=True,
        )


if __name__ == "__main__":
    main()
