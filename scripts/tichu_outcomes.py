"""Print how calls and wishes of a Tichu player come out when it plays against itself.

    python scripts/tichu_outcomes.py convention convention:weights=first --rounds 2000

`kibitz judge tichu` counts what is decided; this counts what becomes of it: calls that are made,
partners who both call Tichu, double victories, on whom wishes fall, and how often a partner who
has called is overtaken because he must be.
"""

import argparse
from collections import Counter

import numpy as np

import kibitz
from kibitz.arena.statistics import share_of
from kibitz.core.game import apply
from kibitz.core.table import Table
from kibitz.games.tichu.cards import PLAY, cards_of, kind_of
from kibitz.games.tichu.state import GRAND_CALLED, TICHU_CALLED, TURN, cards_of_rank
from kibitz.games.tichu.wishes import must_fulfil

SHARES = (
    ("Tichu called, per seat", "tichu", "seats"),
    ("Tichu made", "tichu made", "tichu"),
    ("Grand Tichu called, per seat", "grand", "seats"),
    ("Grand Tichu made", "grand made", "grand"),
    ("both partners called Tichu, per side", "both", "sides"),
    ("double victory", "double", "rounds"),
    ("fulfilled wishes that fell on the partner", "on partner", "fulfilled"),
    ("overtakings of a partner with a call that were forced", "forced", "overtaken"),
    ("rounds in which a partner with a call was overtaken", "with overtaking", "rounds"),
)


def follow(table: Table) -> Counter[str]:
    """Play a finished round again and count."""
    counts: Counter[str] = Counter(rounds=1, seats=4, sides=2)
    again = Table(table.game, table.origin, plays_forced=False)
    state, wisher = again.state, -1
    for seat, action in table.actions:
        cards = int(cards_of(action)) if kind_of(action) == PLAY else 0
        if int(state.phase) == TURN and cards:
            over = state.table_kind and int(state.holder) == (seat + 2) % 4
            if over and state.call[state.holder] and cards != int(state.hand[seat]):
                counts["overtaken"] += 1
                counts["forced"] += bool(state.wish and must_fulfil(state, seat))
            if state.wish and cards & int(cards_of_rank(state.wish)):
                counts["fulfilled"] += seat != wisher
                counts["on partner"] += seat == (wisher + 2) % 4
        wish = int(state.wish)
        apply(state, seat, action)
        if int(state.wish) and not wish:
            wisher = seat
    for seat in range(4):
        for name, call in (("tichu", TICHU_CALLED), ("grand", GRAND_CALLED)):
            counts[name] += state.call[seat] == call
            counts[f"{name} made"] += state.call[seat] == call and state.finished[seat] == 1
    counts["both"] += sum(all(state.call[s::2] == TICHU_CALLED) for s in range(2))
    counts["double"] += any(sorted(state.finished[s::2]) == [1, 2] for s in range(2))
    counts["with overtaking"] += counts["overtaken"] > 0
    return counts


def main() -> None:
    """Read the arguments and print a list for each agent."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("agents", nargs="+", help="specs")
    parser.add_argument("--rounds", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    words = parser.parse_args()
    game = kibitz.load_game("tichu")
    for spec in words.agents:
        agents = [kibitz.load_agent(spec, game)] * 4
        counted = []
        for seed in range(words.seed, words.seed + words.rounds):
            table = game.deal(seed)
            kibitz.play_out(table, agents)
            counted.append(follow(table))
        print(spec)
        for title, done, possible in SHARES:
            hits, trials = (np.array([one[name] for one in counted]) for name in (done, possible))
            print(f"  {title}: {share_of(hits, trials):.1%} of {trials.sum()}")


if __name__ == "__main__":
    main()
