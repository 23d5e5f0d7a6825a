"""How much a policy knows of hidden hands near the end of a round of Tichu.

    python scripts/tichu_belief.py best --rounds 40
    python scripts/tichu_belief.py convention --explain best

At every decision with 2 to 1,000 deals left: the weight of the true deal times the number of deals
(its lift), the logarithm of that, and how many deals count in effect (1 / the sum of squares).
"""

import argparse

import numpy as np

import kibitz
from kibitz.core.rng import Purpose, derive
from kibitz.games.tichu.belief import Judge, Memory, weigh_deals
from kibitz.games.tichu.deals import count_deals, list_deals
from kibitz.games.tichu.state import TURN

MOST = 1000


def measure(game: str, players: str, explain: str, rounds: int) -> list[tuple[float, ...]]:
    """Play rounds; return deals, lift, its logarithm and deals in effect of every decision."""
    table_game = kibitz.load_game(game)
    bot = kibitz.load_agent(players, table_game)
    judge = Judge(table_game, kibitz.load_agent(explain, table_game), 0.05)
    worlds, found = table_game.blank(MOST), []
    for seed in range(rounds):
        table, k = table_game.deal(seed), 0
        memories = [Memory(table_game.blank(1)) for _ in range(4)]
        while not table.is_over:
            for seat in range(4):
                memories[seat].see(table.view(seat))
            seat = table.movers[0]
            view = table.view(seat)
            if view.phase >= TURN and 1 < count_deals(view, seat) <= MOST:
                n = int(list_deals(view, seat, worlds))
                rng = derive(1, Purpose.AGENT, k)
                weights = weigh_deals(judge, memories[seat], worlds[:n], seat, rng)
                if weights is not None:
                    truth = (worlds[:n]["hand"] == table.state.hand).all(axis=1)
                    lift = float(weights[truth][0]) * n
                    found.append((n, lift, float(np.log(lift)), 1 / float((weights**2).sum())))
            k += 1
            rng = derive(seed, Purpose.AGENT, k)
            table.play(seat, int(bot.decide(view, seat, rng).actions[0]))
    return found


def main() -> None:
    """Read the command line and print means."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("players")
    parser.add_argument("--explain", default="", help="the policy that explains; else the players")
    parser.add_argument("--game", default="tichu")
    parser.add_argument("--rounds", type=int, default=40)
    given = parser.parse_args()
    found = measure(given.game, given.players, given.explain or given.players, given.rounds)
    deals, lift, log, effect = np.mean(found, axis=0)
    print(f"{len(found)} decisions: {deals:.0f} deals, lift {lift:.1f}, ", end="")
    print(f"log lift {log:.2f}, {effect:.1f} deals in effect")


if __name__ == "__main__":
    main()
