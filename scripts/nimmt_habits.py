"""Print how an agent plays 6 nimmt!: which cards when, how close, onto which rows.

    python scripts/nimmt_habits.py best mcs:sims=1200 --rounds 200

Each agent plays rounds of five against itself. Of every turn it prints the mean height of the card
among those in the hand (0 the lowest, 1 the highest), how often it was laid below all rows, onto a
row of one or two, three or four, or five cards (which takes it), how many unseen cards lay between
the end of the row and the card, and how often no card of the hand was closer; and the heads taken.
"""

import argparse

import numpy as np

import kibitz
from kibitz.core.lanes import Lanes
from kibitz.games.nimmt.state import CHOOSING, HAND_CARDS

TURNS = HAND_CARDS - 1  # the last card is not chosen
COLUMNS = ("height", "below", "on 1-2", "on 3-4", "on 5", "between", "closest", "heads")


def describe(view: np.record, seat: int, card: int) -> list[float]:
    """Return height, below, on 1-2, on 3-4, on 5, unseen between, and whether it was closest."""
    hand = [int(held) for held in view.hand[seat] if held]
    rows = [(int(view.board[row, view.length[row] - 1]), int(view.length[row])) for row in range(4)]
    gaps = {}
    for held in hand:
        under = [row for row in rows if row[0] < held]
        if under:
            gaps[held] = held - max(under)[0]
    height = hand.index(card) / max(len(hand) - 1, 1)
    if card not in gaps:
        return [height, 1, 0, 0, 0, np.nan, np.nan]
    end, length = max(row for row in rows if row[0] < card)
    seen = [int(view.seen[c >> 6]) >> (c & 63) & 1 for c in range(end + 1, card)]
    between = sum(not s and c not in hand for s, c in zip(seen, range(end + 1, card), strict=True))
    is_closest = gaps[card] == min(gaps.values())
    return [height, 0, length <= 2, 3 <= length <= 4, length == 5, between, is_closest]


def collect(spec: str, rounds: int, seed: int, players: int) -> tuple[np.ndarray, np.ndarray]:
    """Play rounds; return the means by turn [turns, columns], and heads per round."""
    game = kibitz.load_game(f"nimmt:players={players},rows=lowest")
    agent = kibitz.load_agent(spec, game)
    lanes = Lanes(game, min(rounds, 16), seed)
    told: list[list[list[float]]] = [[] for _ in range(HAND_CARDS)]
    heads: list[float] = []
    while len(heads) < rounds * players:
        turn = lanes.ask()
        views, seats = turn.views.copy(), turn.seats.copy()
        actions = agent.act(turn.views, turn.seats, turn.rngs, turn.games).actions
        for view, seat, card in zip(views, seats.tolist(), actions.tolist(), strict=True):
            if view.phase == CHOOSING:
                told[int(view.turn)].append(describe(view, seat, card))
        heads.extend((-lanes.answer(actions).scores).ravel().tolist())
    means = np.array([np.nanmean(np.array(rows), axis=0) for rows in told[:TURNS]])
    return means, np.array(heads)


def main() -> None:
    """Read the arguments and print a table for each agent."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("agents", nargs="+", help="specs")
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--players", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    words = parser.parse_args()
    for spec in words.agents:
        means, heads = collect(spec, words.rounds, words.seed, words.players)
        error = 1.96 * heads.std(ddof=1) / len(heads) ** 0.5
        print(f"{spec}: {heads.mean():.2f} ± {error:.2f} heads a round")
        print("turn " + " ".join(f"{name:>8}" for name in COLUMNS[:-1]))
        for turn, row in enumerate(means, start=1):
            print(f"{turn:>4} " + " ".join(f"{number:8.2f}" for number in row))


if __name__ == "__main__":
    main()
