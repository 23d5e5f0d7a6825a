"""A search with a network at every leaf: the positions, the network, and how fast ours is."""

import tempfile

import numpy as np

from kibitz.bench.measure import Sample, cpu_time, rate
from kibitz.core.game import States
from kibitz.core.registry import load_agent, load_game
from kibitz.core.rng import RNG, Purpose, derive
from kibitz.core.table import Game
from kibitz.search.cards import Card
from kibitz.search.mlp import Layers
from kibitz.search.models import save_model

GAME = "connect4:opening=8"
POSITIONS = 64
SIZES = (84, 64, 64, 8)
"""Inputs, two hidden layers, and the outputs: seven logits of a policy, then a value."""

SEED = 1


def positions(game: Game) -> States:
    """Return positions of Connect 4 after eight random plies."""
    states = game.blank(POSITIONS)
    for number in range(POSITIONS):
        states[number] = game.deal(seed=SEED, deal=number).view(0)
    return states


def random_layers() -> Layers:
    """Return a network that nobody has trained; all who are measured run it."""
    draw = np.random.default_rng(SEED)
    return [
        (
            draw.normal(size=(n, m), scale=n**-0.5).astype(np.float32),
            draw.normal(size=m, scale=0.1).astype(np.float32),
        )
        for n, m in zip(SIZES, SIZES[1:], strict=False)
    ]


def network_search(sims: int, searcher: str = "puct") -> Sample:
    """Prepare a search with the network in its kernel, which decides all positions in one call."""
    game = load_game(GAME)
    card = Card(
        game=game.facts.name,
        version=game.facts.version,
        encoding="own",
        heads={"policy": 7, "value": 1},
        layers=SIZES,
        value="win",
        licence="MIT",
        recipe="random",
        strength="none",
        seed=SEED,
    )
    with tempfile.TemporaryDirectory() as folder:
        save_model(f"{folder}/model", card, random_layers())
        agent = load_agent(f"{searcher}:sims={sims},model={folder}/model", game)
    views, seats = positions(game), np.zeros(POSITIONS, np.int64)
    rngs = np.empty(POSITIONS, RNG)
    for number in range(POSITIONS):
        rngs[number] = derive(SEED, Purpose.AGENT, number)

    def decide(n: int) -> None:
        for _ in range(n):
            agent.act(views, seats, rngs, np.arange(POSITIONS))

    batches = rate(lambda n: cpu_time(lambda: decide(n)))
    return lambda seconds: POSITIONS * sims * batches(seconds)
