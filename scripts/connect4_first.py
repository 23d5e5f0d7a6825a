"""Let an agent begin from the empty board, again and again, and count how its games end.

The moves of games that it does not win are printed, for `kibitz solve connect4 MOVES`.

python scripts/connect4_first.py alphazero uct:sims=10000 --games 100
"""

import argparse
from collections import Counter

import kibitz
from kibitz.core.rng import Purpose, derive

SEED = 9


def main() -> None:
    """Print wins, draws and losses of the agent that begins."""
    parser = argparse.ArgumentParser(description="count games of Connect 4 from the empty board")
    parser.add_argument("first", help="who begins: an agent spec")
    parser.add_argument("second")
    parser.add_argument("--games", type=int, default=100)
    asked = parser.parse_args()
    game = kibitz.load_game("connect4:opening=0")
    agents = [kibitz.load_agent(spec, game) for spec in (asked.first, asked.second)]
    ends: Counter[float] = Counter()
    for number in range(asked.games):
        table = game.deal(number)
        while not table.is_over:
            seat = table.movers[0]
            rng = derive(SEED, Purpose.AGENT, number, len(table.actions))
            table.play(seat, int(agents[seat].decide(table.view(seat), seat, rng).actions[0]))
        score = float(table.scores[0])
        ends[score] += 1
        if score < 1:
            columns = "".join(str(action) for _, action in table.actions)
            print(f"{'drawn' if score == 0 else 'lost'}, game {number}: {columns}", flush=True)
    print(f"{ends[1.0]} wins, {ends[0.0]} draws, {ends[-1.0]} losses of {agents[0].spec}")


if __name__ == "__main__":
    try:
        main()
    except kibitz.KibitzError as error:
        raise SystemExit(f"error: {error}") from None
