"""The agent `net`: a network that plays without a search."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kibitz
from kibitz import AgentError, SpecError, arena
from kibitz.core.decisions import Decisions, ValueKind
from kibitz.core.rng import RNG, Purpose, derive
from kibitz.search.models import save_model
from tests.search.networks import make_card, outputs_by_numpy, random_layers, save
from tests.search.onnx_files import mlp_file

CONNECT4 = kibitz.load_game("connect4")
NIMMT = kibitz.load_game("nimmt:players=3")
LIKES = np.array([0, 1, 0, np.log(3), 0, -5, 2], np.float32)
"""Logits of the seven columns."""


def save_biases(folder: Path, *parts: Any, **changed: Any) -> str:
    """Write a network of Connect 4 that says the same of every position."""
    biases = np.concatenate([np.asarray(part, np.float32).ravel() for part in parts])
    return save(folder, CONNECT4, [(np.zeros((126, len(biases)), np.float32), biases)], **changed)


def decide(spec: str, moves: str = "", stream: int = 0) -> Decisions:
    table = kibitz.open_table(f"connect4 {moves}") if moves else CONNECT4.deal(seed=1)
    agent = kibitz.load_agent(spec, CONNECT4)
    return agent.decide(table.view(len(moves) % 2), len(moves) % 2, derive(stream, Purpose.AGENT))


def test_it_plays_what_the_policy_likes_best_among_legal_actions(tmp_path: Path) -> None:
    folder = save_biases(tmp_path / "m", LIKES)
    found = decide(f"net:model={folder}")
    assert found.actions.tolist() == [7]
    assert found.weights is not None
    assert found.weights.tolist() == [[0, 0, 0, 0, 0, 0, 1]]
    full = decide(f"net:model={folder}", "777777")  # that column is full, the next is the fourth
    assert full.actions.tolist() == [4]
    assert full.choices is not None
    assert full.choices.tolist() == [[1, 2, 3, 4, 5, 6]]
    assert full.values is None


def test_a_temperature_draws_from_the_softmax(tmp_path: Path) -> None:
    folder = save_biases(tmp_path / "m", [0, 0, 0, np.log(3), -50, -50, -50])
    found = decide(f"net:model={folder},temperature=1")
    assert found.weights is not None
    np.testing.assert_allclose(found.weights[0], [1 / 6, 1 / 6, 1 / 6, 1 / 2, 0, 0, 0], atol=1e-6)
    warmer = decide(f"net:model={folder},temperature=0.5").weights
    assert warmer is not None  # the square of the odds: 9 to 1 to 1 to 1
    np.testing.assert_allclose(warmer[0, :4], [1 / 12, 1 / 12, 1 / 12, 9 / 12], atol=1e-6)
    drawn = [
        int(decide(f"net:model={folder},temperature=1", stream=k).actions[0]) for k in range(300)
    ]
    shares = np.bincount(drawn, minlength=8)[1:] / 300
    np.testing.assert_allclose(shares, found.weights[0], atol=0.1)


def test_q_plays_where_there_is_no_policy_and_gives_values(tmp_path: Path) -> None:
    q = np.array([0, 0, np.log(3), 0, -np.log(3), 0, 0])
    folder = save_biases(tmp_path / "m", q, heads={"q": 7}, value="win")
    found = decide(f"net:model={folder}")
    assert found.actions.tolist() == [3]
    assert found.kind(0) == ValueKind.WIN
    assert found.values is not None
    np.testing.assert_allclose(found.values[0], [0.5, 0.5, 0.75, 0.5, 0.25, 0.5, 0.5], atol=1e-6)
    warm = decide(f"net:model={folder},temperature=0.25").weights
    assert warm is not None  # by values: the best is a temperature above the others
    assert warm[0, 2] / warm[0, 0] == pytest.approx(np.e, abs=1e-4)


def test_a_policy_chooses_and_q_and_value_tell_what_it_is_worth(tmp_path: Path) -> None:
    heads = {"value": 2, "policy": 7, "q": 7}
    facts = {"heads": heads, "value": "score", "scale": 10.0}
    folder = save_biases(tmp_path / "m", [0.5, -0.5], LIKES, np.arange(7) / 10, **facts)
    found = decide(f"net:model={folder}")
    assert found.actions.tolist() == [7]
    assert found.values is not None
    np.testing.assert_allclose(found.values[0], np.arange(7), atol=1e-5)
    assert found.info["worth"].tolist() == [5.0]  # of the seat that decides


def test_a_network_that_cannot_choose_is_one_sentence(tmp_path: Path) -> None:
    folder = save_biases(tmp_path / "m", [0], heads={"value": 1}, value="win")
    with pytest.raises(AgentError, match="neither a policy nor q"):
        kibitz.load_agent(f"net:model={folder}", CONNECT4)
    with pytest.raises(AgentError, match=r"net needs a model: net:model=NAME"):
        kibitz.load_agent("net", CONNECT4)
    with pytest.raises(SpecError, match="temperature=-1.0: expected 0, or 1e-06 to"):
        kibitz.load_agent(f"net:model={folder},temperature=-1", CONNECT4)


def some_views(game: Any, n: int) -> tuple[Any, Any, Any]:
    tables = [game.deal(seed=3, deal=k) for k in range(n)]
    seats = np.array([table.movers[-1] for table in tables], np.int64)
    views = np.array(
        [table.view(int(seat)) for table, seat in zip(tables, seats, strict=True)],
        game.rules.STATE,
    )
    return views, seats, np.array([derive(5, Purpose.AGENT, k) for k in range(n)], RNG)


def check_batches(spec: str, game: Any) -> None:
    """Decide for views together and one by one."""
    agent = kibitz.load_agent(f"{spec},temperature=1", game)
    views, seats, rngs = some_views(game, 60)
    together = agent.act(views, seats, rngs.copy(), np.arange(60))
    assert together.choices is not None
    assert together.weights is not None
    for k in range(60):
        alone = agent.decide(views[k], int(seats[k]), rngs[k].copy())
        assert alone.choices is not None
        assert alone.weights is not None
        n = alone.choices.shape[1]
        assert alone.actions[0] == together.actions[k]
        assert alone.choices[0].tolist() == together.choices[k, :n].tolist()
        assert alone.weights[0].tolist() == together.weights[k, :n].tolist()
        assert together.weights[k, n:].tolist() == [0] * (together.weights.shape[1] - n)


def test_decisions_do_not_depend_on_their_batch(tmp_path: Path) -> None:
    code = NIMMT.encodings["paper"]
    layers = random_layers(code.size, 12, code.n_actions)
    check_batches(f"net:model={save(tmp_path / 'm', NIMMT, layers, encoding='paper')}", NIMMT)


@pytest.mark.parametrize("kind", ["mlp", "onnx"])
def test_candidates_are_scored_by_what_is_seen_and_what_they_are(kind: str, tmp_path: Path) -> None:
    code = NIMMT.encodings["paper"]
    layers = random_layers(code.size + code.candidate_size, 8, 1)
    facts = {"encoding": "paper", "inputs": "candidates", "heads": {"q": 1}, "value": "rank"}
    if kind == "mlp":
        save(tmp_path / "m", NIMMT, layers, **facts)
    else:
        save_model(tmp_path / "m", make_card(NIMMT, kind="onnx", **facts), mlp_file(layers, "q"))
    agent = kibitz.load_agent(f"net:model={tmp_path}/m", NIMMT)
    views, seats, rngs = some_views(NIMMT, 4)
    found = agent.act(views, seats, rngs, np.arange(4))
    legal = kibitz.core.listing.list_legal(views, seats)
    seen, rows = code.observe(views, seats), code.observe_candidates(views, seats, legal)
    assert found.values is not None
    for k in range(4):
        own = slice(legal.offsets[k], legal.offsets[k + 1])
        given = np.array([np.concatenate([seen[k], row]) for row in rows[own]])
        outputs = outputs_by_numpy(layers, given)[:, 0]
        np.testing.assert_allclose(found.values[k], 1 / (1 + np.exp(-outputs)), atol=1e-5)
        assert found.actions[k] == legal.actions[own][outputs.argmax()]
    if kind == "mlp":
        check_batches(f"net:model={tmp_path}/m", NIMMT)


def test_it_plays_matches(tmp_path: Path) -> None:
    centre = save_biases(tmp_path / "m", [0, 1, 2, 3, 2, 1, 0])
    agents = [kibitz.load_agent(spec, CONNECT4) for spec in (f"net:model={centre}", "random")]
    score = arena.play(CONNECT4, agents, 200, 1).sample.score(0)
    assert score.mean > 2 * score.margin
