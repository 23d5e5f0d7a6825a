"""From lanes to a table: a network is trained, saved, plays by itself and guides a search."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kibitz
from kibitz import arena
from kibitz.core.lanes import LEARNER, Finished, Lanes
from tests.search.networks import save

torch = pytest.importorskip("torch", reason="needs torch: pip install 'kibitz[train]'")

pytestmark = pytest.mark.train

CONNECT4 = kibitz.load_game("connect4")
OWN = CONNECT4.encodings["own"]
N_TURNS = 1500


def learn(module: Any, optimiser: Any, finished: Finished) -> None:
    """Take one step of REINFORCE with the value head as baseline, on all decisions of games."""
    kept = {name: torch.from_numpy(array) for name, array in finished.kept.items()}
    policy, value = module(kept["features"]).split([7, 1], dim=1)
    won = torch.from_numpy((finished.returns > 0).astype(np.float32))
    expected = torch.sigmoid(value[:, 0])
    logits = policy.masked_fill(~kept["mask"], -1e9)
    chosen = torch.log_softmax(logits, dim=1).gather(1, kept["index"][:, None])[:, 0]
    loss = -(chosen * (won - expected.detach())).mean()
    loss = loss + torch.nn.functional.binary_cross_entropy(expected, won)
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()


def train(seed: int) -> Any:
    """Teach a small network to beat the random player, from both seats."""
    torch.manual_seed(seed)
    module = torch.nn.Sequential(
        torch.nn.Linear(OWN.size, 64), torch.nn.ReLU(), torch.nn.Linear(64, 8)
    )
    optimiser = torch.optim.Adam(module.parameters(), lr=0.01)
    rival = kibitz.load_agent("random", CONNECT4)
    lanes = Lanes(CONNECT4, 64, seed, agents=[rival], lineup=np.array([[LEARNER, 0], [0, LEARNER]]))
    for _ in range(N_TURNS):
        turn = lanes.ask()
        asked = turn.views, turn.seats, turn.legal
        features = OWN.observe(turn.views, turn.seats)
        with torch.no_grad():
            logits = module(torch.from_numpy(features))[:, :7].numpy()
        drawn = OWN.sample(*asked, np.ascontiguousarray(logits), turn.rngs)
        finished = lanes.answer(
            drawn.actions,
            features=features,
            mask=OWN.mask(*asked),
            index=OWN.indices(*asked)[drawn.places],
        )
        if len(finished.decisions.games):
            learn(module, optimiser, finished)
    return module


def test_a_network_trained_on_lanes_plays_and_guides_a_search(tmp_path: Path) -> None:
    from kibitz.learn.export import layers_of

    torch.set_num_threads(1)
    layers = layers_of(train(1))
    folder = tmp_path / "line"
    save(folder, CONNECT4, layers, encoding="own", heads={"policy": 7, "value": 1}, value="win")
    table = kibitz.load_game("connect4:opening=4")
    alone = arena.play(table, [f"net:model={folder}", "random"], 200, 1).sample.score(0)
    assert alone.low > 0.3  # a win counts 1, a loss -1
    guided = [f"puct:model={folder},sims=30", f"net:model={folder}"]
    searched = arena.play(table, guided, 100, 1).sample.score(0)
    assert searched.low > 0
