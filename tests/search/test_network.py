"""Networks as guides of a search."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kibitz
from kibitz import AgentError, SpecError, arena
from kibitz.core.kernels import COMPILED
from kibitz.core.rng import RNG, Purpose, derive
from kibitz.core.table import Game
from kibitz.search.agent import SearchAgent
from kibitz.search.desks import Desk
from kibitz.search.mlp import Layers
from kibitz.search.tree import arms_of, decisions_at
from tests.cli.test_commands import environment
from tests.search.networks import outputs_by_numpy, random_layers, save

CONNECT4 = kibitz.load_game("connect4")
OPEN = kibitz.load_game("nimmt:players=2,hands=open")
PLACES = [
    ("connect4", "planes"),
    ("nimmt:players=2,hands=open", "full"),
    ("nimmt:players=3", "paper"),
    ("tichu:variant=thesis", "thesis"),
    ("sheephead", "predictor-2"),
]
"""Games and encodings; of one each the dtype alone does not tell the encoding."""


def guided_by(folder: Path, game: Game, layers: Layers, /, **changed: Any) -> str:
    """Write a model; return the spec of a search that it guides."""
    return f"puct:model={save(folder, game, layers, **changed)}"


def search_root(spec: str, game: Game, sims: int = 2) -> tuple[Desk, Any]:
    """Search the first position of a game; return the desk and the view that was searched."""
    agent = kibitz.load_agent(f"{spec},sims={sims}", game)
    assert isinstance(agent, SearchAgent)
    table, desk = game.deal(seed=1), agent.make_desk()
    view = table.view(table.movers[0]).reshape(1)
    agent.search_alone(desk, view, table.movers[0], derive(1, Purpose.AGENT), 1)
    return desk, table


@pytest.mark.parametrize(("spec", "encoding"), PLACES)
def test_priors_are_the_softmax_of_what_each_seat_sees(
    spec: str, encoding: str, tmp_path: Path
) -> None:
    game = kibitz.load_game(spec)
    code = game.encodings[encoding]
    layers = random_layers(code.size, 8, code.n_actions)
    desk, table = search_root(guided_by(tmp_path, game, layers, encoding=encoding), game)
    found = decisions_at(desk.tree, desk.how, 0)
    assert len(found) == (2 if game == OPEN else 1)  # both, who do not see what the other chose
    for seat, decision in found:
        arms = desk.tree.arms[arms_of(desk.tree, decision)]
        seen = code.observe(table.view(seat).reshape(1), np.array([seat]))[0]
        logits = outputs_by_numpy(layers, seen)
        indices = [
            kibitz.core.game.action_index(table.view(seat), seat, int(action), code.record)
            for action in arms["arm_action"]
        ]
        weights = np.exp(logits[indices] - logits[indices].max())
        expected = len(arms) * weights / weights.sum()
        np.testing.assert_allclose(arms["prior"], expected, rtol=1e-3, atol=1e-5)


def test_what_a_network_prefers_is_tried_first_and_most(tmp_path: Path) -> None:
    layers = [(np.zeros((126, 7), np.float32), np.array([0, 0, 0, 0, 0, 0, 3], np.float32))]
    spec = guided_by(tmp_path, CONNECT4, layers)
    table = CONNECT4.deal(seed=1)
    for sims in (1, 40):
        found = kibitz.load_agent(f"{spec},sims={sims}", CONNECT4).decide(table.view(0), 0)
        assert found.visits is not None
        assert found.visits[0].argmax() == 6
        assert found.visits[0, 6] > 0.6 * sims


@pytest.mark.parametrize("agent", ["puct", "gumbel"])
@pytest.mark.parametrize(
    "game", [CONNECT4, kibitz.load_game("nimmt:players=3")], ids=["connect4", "nimmt"]
)
def test_a_network_without_an_opinion_changes_nothing(
    agent: str, game: Game, tmp_path: Path
) -> None:
    code = next(iter(game.encodings.values()))
    zeros = [
        (np.zeros((code.size, code.n_actions), np.float32), np.zeros(code.n_actions, np.float32))
    ]
    spec = guided_by(tmp_path, game, zeros).replace("puct", agent)
    table = game.deal(seed=2)
    plain, guided = (
        kibitz.load_agent(f"{one},sims=60", game).decide(table.view(0), 0)
        for one in (f"{agent}:noise=0" if agent == "gumbel" else "puct:c=1.5", spec)
    )
    assert plain.visits is not None
    assert guided.visits is not None
    assert plain.visits.tolist() == guided.visits.tolist()


def test_an_action_with_hardly_a_prior_has_one(tmp_path: Path) -> None:
    layers = [(np.zeros((126, 7), np.float32), np.array([-1e9, 0, 1e9, 0, 0, 0, 0], np.float32))]
    spec = guided_by(tmp_path, CONNECT4, layers)
    for agent in (spec, spec.replace("puct", "gumbel")):
        desk, _ = search_root(agent, CONNECT4, 50)
        priors = desk.tree.arms[arms_of(desk.tree, 0)]["prior"]
        assert priors.min() == pytest.approx(1e-6)
        assert priors[2] == 7


@pytest.mark.parametrize("more", ["", ",reuse=true", ",threads=2", ",tree=information-set"])
def test_the_same_views_are_searched_alike_alone_and_together(more: str, tmp_path: Path) -> None:
    spec = guided_by(tmp_path, CONNECT4, random_layers(126, 16, 7))
    agent = kibitz.load_agent(f"{spec},sims=60{more}", CONNECT4)
    views = np.concatenate(
        [
            kibitz.open_table(f"connect4 {moves}").view(0).reshape(1)
            for moves in ("11", "44", "1234")
        ]
    )
    rngs = np.zeros(3, RNG)
    for k in range(3):
        rngs[k] = derive(4, Purpose.AGENT, k)
    together = agent.act(views, np.zeros(3, np.int64), rngs.copy(), np.arange(3))
    assert together.visits is not None
    for k in range(3):
        alone = agent.act(
            views[k : k + 1], np.zeros(1, np.int64), rngs[k : k + 1], np.array([k + 10])
        )
        assert alone.visits is not None
        assert together.visits[k].tolist() == alone.visits[0].tolist()


def fit(features: Any, goal: Any) -> Layers:
    """Fit softmax regression to what a search gives its visits to; einsum starts no threads."""
    w, b = np.zeros((features.shape[1], goal.shape[1])), np.zeros(goal.shape[1])
    for _ in range(150):
        logits = np.einsum("ni,io->no", features, w) + b
        chances = np.exp(logits - logits.max(axis=1, keepdims=True))
        slope = (chances / chances.sum(axis=1, keepdims=True) - goal) / len(goal)
        w -= 0.3 * np.einsum("ni,no->io", features, slope)
        b -= 0.3 * slope.sum(axis=0)
    return [(w.astype(np.float32), b.astype(np.float32))]


@pytest.mark.skipif(not COMPILED, reason="searches 1800 positions")
def test_a_network_that_learned_from_a_long_search_makes_a_short_one_stronger(
    tmp_path: Path,
) -> None:
    openings = [kibitz.load_game(f"connect4:opening={n}") for n in range(1, 9)]
    views = np.array(
        [g.deal(1, k).view(0) for g in openings for k in range(225)], CONNECT4.rules.STATE
    )
    views["opening"] = 0  # positions of the game that the agent was made for
    seats = views["n_moves"].astype(np.int64) % 2
    rngs = np.array([derive(2, Purpose.AGENT, k) for k in range(len(views))], RNG)
    found = kibitz.load_agent("uct:sims=1000", CONNECT4).act(
        views, seats, rngs, np.arange(len(views))
    )
    assert found.visits is not None
    features = CONNECT4.encodings["planes"].observe(views, seats).astype(np.float64)
    spec = guided_by(tmp_path, CONNECT4, fit(features, found.visits / 1000))
    game = kibitz.load_game("connect4:opening=4")
    agents = [kibitz.load_agent(one, game) for one in (f"{spec},sims=10", "puct:sims=10")]
    score = arena.play(game, agents, 1500, 1).sample.score(0)
    assert score.mean > 2 * score.margin  # 0.173 ±0.035 when it was written


PLAIN = """
import kibitz
from kibitz.core.kernels import COMPILED

assert not COMPILED
game = kibitz.load_game("connect4")
print(kibitz.load_agent(SPEC, game).decide(game.deal(seed=1).view(0), 0).visits.tolist())
"""


@pytest.mark.skipif(not COMPILED, reason="the compiler is off already")
def test_a_network_guides_the_same_without_the_compiler(tmp_path: Path) -> None:
    spec = guided_by(tmp_path, CONNECT4, random_layers(126, 8, 7)) + ",sims=30"
    found = kibitz.load_agent(spec, CONNECT4).decide(CONNECT4.deal(seed=1).view(0), 0)
    done = subprocess.run(
        [sys.executable, "-c", PLAIN.replace("SPEC", repr(spec))],
        env=environment(NUMBA_DISABLE_JIT="1"),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert found.visits is not None
    assert done.stdout.strip() == str(found.visits.tolist())


def test_a_network_takes_the_place_of_another_guide(tmp_path: Path) -> None:
    spec = guided_by(tmp_path / "m", CONNECT4, random_layers(126, 7))
    assert kibitz.load_agent(spec, CONNECT4).spec == spec
    with pytest.raises(SpecError, match="guide=centre and model=.* both say what to try first"):
        kibitz.load_agent(f"{spec},guide=centre", CONNECT4)


def test_a_search_takes_the_policy_out_of_several_heads(tmp_path: Path) -> None:
    heads = {"value": 1, "policy": 7}
    w, b = np.zeros((126, 8), np.float32), np.array([50, 0, 0, 0, 0, 0, 0, 9], np.float32)
    spec = guided_by(tmp_path / "m", CONNECT4, [(w, b)], heads=heads, value="win")
    desk, _ = search_root(spec, CONNECT4)
    assert desk.tree.arms[arms_of(desk.tree, 0)]["prior"].argmax() == 6


def test_a_network_that_only_values_positions_gives_no_priors(tmp_path: Path) -> None:
    layers = random_layers(126, 1)
    spec = guided_by(tmp_path / "v", CONNECT4, layers, heads={"value": 1}, value="win")
    desk, _ = search_root(spec, CONNECT4, 8)
    assert (desk.tree.arms[arms_of(desk.tree, 0)]["prior"] == 1).all()
    with pytest.raises(AgentError, match="turns=2: .* has no policy to play them by"):
        kibitz.load_agent(f"{spec},turns=2", CONNECT4)
    with pytest.raises(AgentError, match="value=score: .* values by win, leave value= out"):
        kibitz.load_agent(f"{spec},value=score", CONNECT4)
