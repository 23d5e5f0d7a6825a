"""Networks and models for tests."""

from pathlib import Path
from typing import Any

import numpy as np

from kibitz.core.table import Game
from kibitz.search.cards import Card
from kibitz.search.mlp import Floats, Layers
from kibitz.search.models import save_model


def random_layers(*sizes: int, seed: int = 1) -> Layers:
    """Make layers of these sizes, inputs first."""
    draw = np.random.default_rng(seed)
    return [
        (
            (draw.normal(size=(n, m)) / n**0.5).astype(np.float32),
            draw.normal(size=m, scale=0.3).astype(np.float32),
        )
        for n, m in zip(sizes, sizes[1:], strict=False)
    ]


def outputs_by_numpy(layers: Layers, features: Floats) -> Any:
    """Compute what a network gives, in double precision: a row, or rows."""
    values: Any = features.astype(np.float64)
    for k, (w, b) in enumerate(layers):
        values = (np.maximum(values, 0) if k else values) @ w + b
    return values


def make_card(game: Game, /, **changed: Any) -> Card:
    """Make the card of a model of a game, by default a policy under its first encoding."""
    encoding = game.encodings[changed.get("encoding", next(iter(game.encodings)))]
    facts: dict[str, Any] = {"game": game.facts.name, "version": game.facts.version, "seed": 1}
    facts |= {"recipe": "a test", "strength": "unknown", "licence": "MIT"}
    facts |= {"encoding": encoding.name, "heads": {"policy": encoding.n_actions}}
    return Card(**facts | changed)


def save(folder: Path, game: Game, layers: Layers, /, **changed: Any) -> str:
    """Write an mlp of a game; return its name in specs."""
    sizes = (len(layers[0][0]), *(len(b) for _, b in layers))
    save_model(folder, make_card(game, **{"layers": sizes} | changed), layers)
    return str(folder)
