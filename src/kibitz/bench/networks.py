"""Searches with networks: the positions, the networks, and how fast ours are."""

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

NIMMT = "nimmt:players=5,rows=lowest"
PAPER_LAYERS = (100, 100, 1)
"""The layers of the program behind the report: it runs them for one card after the other."""

PAPER_MOVE = 1241.0
"""Milliseconds that the report's PUCTAgent takes for a move with 50 simulations (table 5.4)."""

MOVES = 9
"""Moves of a round that are a choice: the last card is not."""


def positions(game: Game) -> States:
    """Return positions of Connect 4 after eight random plies."""
    states = game.blank(POSITIONS)
    for number in range(POSITIONS):
        states[number] = game.deal(seed=SEED, deal=number).view(0)
    return states


def random_layers(sizes: tuple[int, ...] = SIZES) -> Layers:
    """Return a network that nobody has trained; all who are measured run it."""
    draw = np.random.default_rng(SEED)
    return [
        (
            draw.normal(size=(n, m), scale=n**-0.5).astype(np.float32),
            draw.normal(size=m, scale=0.1).astype(np.float32),
        )
        for n, m in zip(sizes, sizes[1:], strict=False)
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


def guided_move(sims: int) -> Sample:
    """Prepare `alpha05`, which decides one move after the other, nine of every round."""
    game = load_game(NIMMT)
    with tempfile.TemporaryDirectory() as folder:
        card = _policy_card(game)
        save_model(f"{folder}/model", card, random_layers(card.layers))
        agent = load_agent(f"alpha05:sims={sims},model={folder}/model", game)
    views = game.blank(MOVES)
    table, player = game.deal(seed=SEED), load_agent("random", game)
    for turn in range(MOVES):
        views[turn] = table.view(0)
        for seat in list(table.movers):
            table.play(seat, int(player.decide(table.view(seat), seat).actions[0]))

    def decide(n: int) -> None:
        for _ in range(n):
            for view in views:
                agent.decide(view, 0)

    rounds = rate(lambda n: cpu_time(lambda: decide(n)))
    return lambda seconds: 1000 / (MOVES * rounds(seconds))


def _policy_card(game: Game) -> Card:
    """Describe the network of the report: what is seen and a card in, one number out."""
    encoding = game.encodings["paper"]
    return Card(
        game=game.facts.name,
        version=game.facts.version,
        encoding=encoding.name,
        inputs="candidates",
        heads={"policy": 1},
        layers=(encoding.size + encoding.candidate_size, *PAPER_LAYERS),
        licence="MIT",
        recipe="random",
        strength="none",
        seed=SEED,
    )
