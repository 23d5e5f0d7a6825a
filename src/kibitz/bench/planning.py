"""Speeds of searches with the networks of the thesis on planning models, on one core.

The networks have its sizes and random weights: a base of 6 residual blocks with 128 filters, an MLP
with two hidden layers, and a residual planner of 2 blocks with 128 filters that sees everything.
Making them needs torch; where there is none, these benchmarks are left out.
"""

import importlib.util
import tempfile
from collections.abc import Mapping
from functools import cache, partial
from typing import Any

import numpy as np

from kibitz.bench.measure import Benchmark, Sample, Target, cpu_time, rate
from kibitz.bench.networks import GAME, positions, random_layers
from kibitz.core.registry import load_agent, load_game
from kibitz.core.rng import RNG, Purpose, derive
from kibitz.core.table import Game
from kibitz.search.cards import Card, row_size
from kibitz.search.models import save_model

BLOCKS, FILTERS = 6, 128
PLANNER_BLOCKS = 2
HIDDEN = (64, 64)
SIMS, TREES = 200, 16
SEED = 1

THESIS_SPEED = 219.0
"""Nodes per second that the program behind the thesis makes on one core of a processor."""


def planning_benchmarks() -> list[Benchmark]:
    """Return nodes per second of the base network by PUCT, and beside it of its planners."""
    if importlib.util.find_spec("torch") is None:
        return []
    searches = f"{SIMS} simulations, {TREES} positions at once, by a network of 6x128; CPU time"
    planner = partial(
        Benchmark, unit="nodes/s", peers={"base": partial(nodes_per_second, "puct", {})}
    )
    return [
        Benchmark(
            name="connect4.thesis_base",
            unit="nodes/s",
            about=f"puct with {searches}",
            ours=partial(nodes_per_second, "puct", {}),
            target=Target(3 * THESIS_SPEED),
        ),
        planner(
            name="connect4.thesis_mlp_planner",
            about=f"a planning MLP in place of PUCT, with {searches}",
            ours=partial(nodes_per_second, "planner", {"kind": "mlp"}),
            least_ratio={"base": 0.8},
        ),
        planner(
            name="connect4.thesis_crn_planner",
            about=f"a planning network of 2x128 that sees everything, with {searches}",
            ours=partial(
                nodes_per_second, "planner", {"kind": "crn", "sees": ("variance", "history")}
            ),
        ),
    ]


@cache
def _base() -> bytes:
    """Return a base network with random weights, as an ONNX file."""
    from kibitz.learn.export import to_onnx
    from kibitz.learn.residual import ResidualNetwork

    return to_onnx(ResidualNetwork((3, 6, 7), BLOCKS, FILTERS, 7), 126, ["policy", "value"])


@cache
def _crn(sees: tuple[str, ...]) -> bytes:
    """Return a residual planning model that sees so much, likewise."""
    from kibitz.learn.export import to_onnx
    from kibitz.learn.planners import CrnPlanner, PolicyAlone, Sight

    history = load_game(GAME).encodings["history"] if "history" in sees else None
    sight = Sight(7, "variance" in sees, history)
    network = PolicyAlone(CrnPlanner(sight, (6, 7), PLANNER_BLOCKS, FILTERS, SEED))
    return to_onnx(network, sight.size, ["policy"])


def _card(game: Game, **facts: Any) -> Card:
    return Card(
        game=game.facts.name,
        version=game.facts.version,
        **{"encoding": "planes", "heads": {"policy": 7}} | facts,
        licence="MIT",
        recipe="random",
        strength="none",
        seed=SEED,
    )


def nodes_per_second(
    name: str, planner: Mapping[str, Any], sims: int = SIMS, trees: int = TREES
) -> Sample:
    """Prepare searches of many positions at once, by an agent with networks of random weights.

    Args:
        name: of the agent.
        planner: the kind of the planning model and what it sees more than PUCT; none for puct.
        sims: simulations of a search.
        trees: positions that are searched at once.
    """
    game = load_game(GAME)
    with tempfile.TemporaryDirectory() as folder:
        heads = {"policy": 7, "value": 1}
        save_model(f"{folder}/base", _card(game, kind="onnx", heads=heads, value="win"), _base())
        models = f"model={folder}/base"
        if planner:
            _SAVING[planner["kind"]](f"{folder}/planner", game, planner.get("sees", ()))
            models = f"base={folder}/base,model={folder}/planner"
        agent = load_agent(f"{name}:sims={sims},leaves=1,{models}", game)
    views, seats = positions(game)[:trees], np.zeros(trees, np.int64)
    rngs = np.empty(trees, RNG)
    for number in range(trees):
        rngs[number] = derive(SEED, Purpose.AGENT, number)

    def decide(n: int) -> None:
        for _ in range(n):
            agent.act(views, seats, rngs, np.arange(trees))

    batches = rate(lambda n: cpu_time(lambda: decide(n)))
    return lambda seconds: trees * sims * batches(seconds)


def _save_mlp(folder: str, game: Game, sees: tuple[str, ...]) -> None:
    sizes = (row_size(7, "variance" in sees), *HIDDEN, 7)
    card = _card(game, inputs="selection", sees=sees, layers=sizes)
    save_model(folder, card, random_layers(sizes))


def _save_crn(folder: str, game: Game, sees: tuple[str, ...]) -> None:
    encoding = "history" if "history" in sees else "planes"
    card = _card(game, kind="onnx", inputs="selection", sees=sees, encoding=encoding)
    save_model(folder, card, _crn(sees))


_SAVING = {"mlp": _save_mlp, "crn": _save_crn}
