"""Fit a small network to what a search finds in Connect 4: something to measure searches with.

It needs the extra `train`, and a minute. Examples:

    python scripts/connect4_network.py ./teacher
    python scripts/mistakes.py --endings 18 22 --positions 400 --seeds 2 \
        gumbel:model=./teacher,sims=300 puct:model=./teacher,sims=300
"""

import argparse

import numpy as np
import torch
from torch import nn

import kibitz
from kibitz.core.encoding import Encoding
from kibitz.core.lanes import Lanes
from kibitz.core.table import Game
from kibitz.learn.export import layers_of
from kibitz.search.cards import Card
from kibitz.search.models import save_model

SEED = 5
TEACHER = "uct:sims=1000"
LANES, TURNS, STEPS, BATCH = 256, 100, 4000, 256
SIZES = (84, 64, 64, 8)


def main() -> None:
    """Collect positions, fit the network, save it."""
    parser = argparse.ArgumentParser(description="fit a small network for Connect 4")
    parser.add_argument("folder", help="where the model goes, with a path separator")
    folder = parser.parse_args().folder
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    game = kibitz.load_game("connect4")
    encoding = game.encodings["own"]
    features, policy, value = collect(game, encoding)
    print(f"{len(features)} positions")
    module = fit(features, policy, value)
    card = Card(
        game="connect4",
        version=game.facts.version,
        encoding=encoding.name,
        heads={"policy": encoding.n_actions, "value": 1},
        layers=SIZES,
        value="win",
        licence="MIT",
        recipe=f"visits and values of {TEACHER} in positions of random games",
        seed=SEED,
        strength="not measured",
    )
    save_model(folder, card, layers_of(module))


def collect(game: Game, encoding: Encoding) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Ask the teacher about positions of games that are played at random."""
    teacher, anybody = (kibitz.load_agent(spec, game) for spec in (TEACHER, "random"))
    lanes = Lanes(game, LANES, SEED)
    found: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    for _ in range(TURNS):
        turn = lanes.ask()
        asked = turn.views, turn.seats, turn.legal
        told = teacher.act(turn.views, turn.seats, turn.rngs, turn.games)
        assert told.visits is not None
        assert told.values is not None
        is_there = ~np.isnan(told.visits)
        goal = encoding.targets(*asked, told.visits[is_there])
        worth = np.nansum(told.visits * told.values, axis=1) / np.nansum(told.visits, axis=1)
        features = encoding.observe(turn.views, turn.seats)
        found.append((features, goal / goal.sum(axis=1, keepdims=True), worth))
        lanes.answer(anybody.act(turn.views, turn.seats, turn.rngs, turn.games).actions)
    features, goal, worth = (
        torch.from_numpy(np.concatenate(part).astype(np.float32))
        for part in zip(*found, strict=True)
    )
    return features, goal, worth


def fit(features: torch.Tensor, policy: torch.Tensor, value: torch.Tensor) -> nn.Module:
    """Teach a network both: what is visited, and what the position is worth."""
    parts = [nn.Linear(n, m) for n, m in zip(SIZES, SIZES[1:], strict=False)]
    module = nn.Sequential(parts[0], nn.ReLU(), parts[1], nn.ReLU(), parts[2])
    optimiser = torch.optim.Adam(module.parameters(), lr=2e-3)
    for step in range(STEPS):
        rows = torch.randint(len(features), (BATCH,))
        said = module(features[rows])
        loss = -(policy[rows] * torch.log_softmax(said[:, :-1], 1)).sum(1).mean()
        loss = loss + nn.functional.binary_cross_entropy_with_logits(said[:, -1], value[rows])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        if (step + 1) % 1000 == 0:
            print(f"step {step + 1}: loss {loss.item():.3f}")
    return module


if __name__ == "__main__":
    main()
