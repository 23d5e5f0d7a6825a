"""Batches whose content is known from their first deal, and a process that writes them.

python -m tests.store.writer URL TOURNAMENT BEGIN STEP COUNT
"""

import sys

import numpy as np

from kibitz.store import Store, StoredBatch, StoredFault, open_store

N_DEALS, N_GAMES, N_SEATS, N_AGENTS, N_STEPS = 4, 3, 2, 3, 5
AGENTS = ("random", "mcs:sims=10", "random")


def make_batch(first_deal: int, n_lines: int = N_GAMES, width: int = 10) -> StoredBatch:
    """Make up a batch; `n_lines` of the games of each deal have records of some `width`."""
    rng = np.random.default_rng(first_deal)
    shape = (N_DEALS, N_GAMES, N_SEATS)
    return StoredBatch(
        first_deal,
        lineup=rng.integers(0, N_AGENTS, shape).astype(np.int16),
        scores=rng.normal(size=shape),
        seconds=rng.random((N_AGENTS, N_STEPS)),
        n_decisions=rng.integers(0, 2**62, (N_AGENTS, N_STEPS)),
        records=[
            (deal, rotation, f'{{"deal":{deal},"rotation":{rotation},"pad":"{"♣" * width}"}}')
            for deal in range(first_deal, first_deal + N_DEALS)
            for rotation in range(n_lines)
        ],
        faults=[StoredFault(first_deal, 0, 1, AGENTS[0], "took too long", "duel 1 2 3")],
    )


def find_match(store: Store, tournament: int | None) -> int:
    """Enter the match that all batches go to."""
    return store.begin_match(tournament, 0, "nimmt", 7, AGENTS, {"deals": "many"}, 1)


def is_equal(a: StoredBatch, b: StoredBatch) -> bool:
    """Compare arrays bit by bit."""
    return (a.first_deal, a.shape, a.pack()) == (b.first_deal, b.shape, b.pack())


def main(url: str, tournament: int, begin: int, step: int, count: int) -> None:
    """Write batches, and say after each of them that it is stored; tournament 0 means none."""
    with open_store(url) as store:
        match = find_match(store, tournament or None)
        print(match, flush=True)
        for first_deal in range(begin, begin + count * step, step):
            store.append(match, make_batch(first_deal))
            print(first_deal, flush=True)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
