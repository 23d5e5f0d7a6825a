"""Networks as guides, and the folders that they come from."""

import io
import json
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kibitz
from kibitz import AgentError, SpecError, arena
from kibitz.core.kernels import COMPILED
from kibitz.core.rng import RNG, Purpose, derive
from kibitz.core.table import Game
from kibitz.search import models
from kibitz.search.agent import Desk, SearchAgent
from kibitz.search.models import Card, load_policy, save_policy
from kibitz.search.network import Floats, Layers, forward, network_guide, scratch_for
from kibitz.search.tree import arms_of, decisions_at
from kibitz.search.warmup import tasks
from tests.cli.test_commands import environment, kibitz_command

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


def random_layers(*sizes: int, seed: int = 1) -> Layers:
    draw = np.random.default_rng(seed)
    return [
        (
            (draw.normal(size=(n, m)) / n**0.5).astype(np.float32),
            draw.normal(size=m, scale=0.3).astype(np.float32),
        )
        for n, m in zip(sizes, sizes[1:], strict=False)
    ]


def logits_by_numpy(layers: Layers, features: Floats) -> Any:
    values: Any = features.astype(np.float64)
    for k, (w, b) in enumerate(layers):
        values = (np.maximum(values, 0) if k else values) @ w + b
    return values


def save(folder: Path, game: Game, layers: Layers, /, **changed: Any) -> str:
    """Write a model of a game, which must have one; give the spec of who plays it."""
    encoding = changed.pop("encoding", next(iter(game.encodings)))
    sizes = (len(layers[0][0]), *(len(b) for _, b in layers))
    facts: dict[str, Any] = {"game": game.facts.name, "version": game.facts.version, "seed": 1}
    facts |= {"recipe": "a test", "strength": "unknown", "layers": sizes, "encoding": encoding}
    save_policy(folder, Card(**facts | changed), layers)
    return f"puct:model={folder}"


def search_root(spec: str, game: Game, sims: int = 2) -> tuple[Desk, Any]:
    """Search the first position of a game; give the desk and the view that was searched."""
    agent = kibitz.load_agent(f"{spec},sims={sims}", game)
    assert isinstance(agent, SearchAgent)
    table, desk = game.deal(seed=1), agent.make_desk()
    view = table.view(table.movers[0]).reshape(1)
    agent.search_alone(desk, view, table.movers[0], derive(1, Purpose.AGENT), 1)
    return desk, table


@pytest.mark.parametrize("sizes", [(5, 3), (126, 40, 7), (6, 30, 2, 17, 4)])
def test_the_forward_pass_is_what_numpy_computes(sizes: tuple[int, ...]) -> None:
    layers = random_layers(*sizes)
    network = network_guide(CONNECT4.encodings["planes"], layers)
    scratch = np.full(scratch_for(layers), np.nan, np.float32)
    features = np.random.default_rng(2).normal(size=sizes[0]).astype(np.float32)
    features[::3] = 0
    scratch[: sizes[0]] = features
    at = int(forward(network, scratch))
    expected = logits_by_numpy(layers, features)
    np.testing.assert_allclose(scratch[at : at + sizes[-1]], expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("spec", "encoding"), PLACES)
def test_priors_are_the_softmax_of_what_each_seat_sees(
    spec: str, encoding: str, tmp_path: Path
) -> None:
    game = kibitz.load_game(spec)
    code = game.encodings[encoding]
    layers = random_layers(code.size, 8, code.n_actions)
    desk, table = search_root(save(tmp_path, game, layers, encoding=encoding), game)
    found = decisions_at(desk.tree, desk.how, 0)
    assert len(found) == (2 if game == OPEN else 1)  # both, who do not see what the other chose
    for seat, decision in found:
        arms = desk.tree.arms[arms_of(desk.tree, decision)]
        seen = code.observe(table.view(seat).reshape(1), np.array([seat]))[0]
        logits = logits_by_numpy(layers, seen)
        indices = [
            kibitz.core.game.action_index(table.view(seat), seat, int(action), code.record)
            for action in arms["arm_action"]
        ]
        weights = np.exp(logits[indices] - logits[indices].max())
        expected = len(arms) * weights / weights.sum()
        np.testing.assert_allclose(arms["prior"], expected, rtol=1e-3, atol=1e-5)


def test_what_a_network_prefers_is_tried_first_and_most(tmp_path: Path) -> None:
    layers = [(np.zeros((126, 7), np.float32), np.array([0, 0, 0, 0, 0, 0, 3], np.float32))]
    spec = save(tmp_path, CONNECT4, layers)
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
    spec = save(tmp_path, game, zeros).replace("puct", agent)
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
    spec = save(tmp_path, CONNECT4, layers)
    for agent in (spec, spec.replace("puct", "gumbel")):
        desk, _ = search_root(agent, CONNECT4, 50)
        priors = desk.tree.arms[arms_of(desk.tree, 0)]["prior"]
        assert priors.min() == pytest.approx(1e-6)
        assert priors[2] == 7


@pytest.mark.parametrize("more", ["", ",reuse=true", ",threads=2", ",tree=information-set"])
def test_the_same_views_are_searched_alike_alone_and_together(more: str, tmp_path: Path) -> None:
    spec = save(tmp_path, CONNECT4, random_layers(126, 16, 7))
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
        assert isinstance(agent, SearchAgent)
        alone = agent._search(views[k : k + 1], (10 + k, 0), rngs[k])
        assert together.visits[k].tolist() == alone.visits.tolist()


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
    seats = views["n_moves"].astype(np.int64) % 2
    rngs = np.array([derive(2, Purpose.AGENT, k) for k in range(len(views))], RNG)
    found = kibitz.load_agent("uct:sims=1000", CONNECT4).act(
        views, seats, rngs, np.arange(len(views))
    )
    assert found.visits is not None
    features = CONNECT4.encodings["planes"].observe(views, seats).astype(np.float64)
    spec = save(tmp_path, CONNECT4, fit(features, found.visits / 1000))
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
    spec = save(tmp_path, CONNECT4, random_layers(126, 8, 7)) + ",sims=30"
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


Spoil = Callable[[Path], object]


def card(**changed: Any) -> Spoil:
    """Change fields of a card that is written already."""

    def spoil(folder: Path) -> None:
        path = folder / "card.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | changed))

    return spoil


def arrays(**changed: Any) -> Spoil:
    """Change arrays that are written already; None leaves one out."""

    def spoil(folder: Path) -> None:
        held = dict(np.load(folder / "policy.npz")) | changed
        kept = {name: part for name, part in held.items() if part is not None}
        np.savez(folder / "policy.npz", **kept)

    return spoil


def file(name: str, content: bytes) -> Spoil:
    return lambda folder: (folder / name).write_bytes(content)


def folder_for_card(folder: Path) -> None:
    (folder / "card.json").unlink()
    (folder / "card.json").mkdir()


def bomb(folder: Path) -> None:
    """Announce an array of a terabyte in a few bytes."""
    header = io.BytesIO()
    facts = {"descr": "<f4", "fortran_order": False, "shape": (250_000_000_000,)}
    np.lib.format.write_array_header_1_0(header, facts)
    with zipfile.ZipFile(folder / "policy.npz", "w") as archive:
        for name in ("w0", "b0", "w1", "b1"):
            archive.writestr(f"{name}.npy", header.getvalue())


NAN = np.full(7, np.nan, np.float32)
BAD: list[tuple[str, Spoil, str]] = [
    ("no folder", lambda folder: folder.rename(folder.with_name("gone")), "no file card.json"),
    ("no weights", lambda folder: (folder / "policy.npz").unlink(), "no file policy.npz"),
    ("folder for a file", folder_for_card, "no file card.json"),
    ("not JSON", file("card.json", b"schema: 1"), "card.json is not the card of a model"),
    ("not text", file("card.json", b"\xff\xfe\x00"), "card.json is not the card of a model"),
    ("deep", file("card.json", b"[" * 60_000), "card.json is not the card of a model"),
    ("endless card", file("card.json", b" " * 70_000), "card.json is too large"),
    ("later schema", card(schema=2), "schema: input should be 1"),
    ("unknown field", card(secret=1), "secret: extra inputs"),
    ("no layers", card(layers=[]), "layers: "),
    ("many layers", card(layers=[126, *[8] * 8, 7]), "layers: "),
    ("wide", card(layers=[126, 1025, 7]), "hidden layers have at most 1024 outputs"),
    ("huge", card(layers=[126, 10**6, 7]), "hidden layers have at most 1024 outputs"),
    ("other game", card(game="nimmt"), "is for 'nimmt', this is connect4"),
    ("other option", card(game="connect4:opening=4"), "is for 'connect4:opening=4', this is"),
    ("no game", card(game="../../etc"), "names no game that there is"),
    ("no option", card(game="connect4:bugs=1"), "names no game that there is"),
    ("other version", card(version=0), "is for version 0 of connect4, this is version 1"),
    ("no encoding", card(encoding="plane"), "no encoding 'plane': did you mean 'planes'"),
    ("other sizes", card(layers=[125, 16, 7]), "125 inputs and 7 outputs, but the encoding"),
    ("other shape", card(layers=[126, 17, 7]), r"w0 in policy.npz is float32 \(126, 16\)"),
    ("pickle", file("policy.npz", b"\x80\x04K\x01."), "is not an npz file"),
    ("objects", arrays(b1=np.array([{}] * 7)), "b1 in policy.npz is object"),
    ("float64", arrays(b1=np.zeros(7)), "b1 in policy.npz is float64"),
    ("missing array", arrays(b1=None), "policy.npz holds b0.npy, w0.npy, w1.npy"),
    ("extra array", arrays(b2=NAN), "policy.npz holds b0.npy, b1.npy, b2.npy"),
    ("not finite", arrays(b1=NAN), "layer 1 has weights that are not finite"),
    ("overflow", arrays(w1=np.full((16, 7), 1e30, np.float32)), "so large that they may overflow"),
    (
        "cut",
        lambda f: (f / "policy.npz").write_bytes((f / "policy.npz").read_bytes()[:3000]),
        "npz",
    ),
    ("bomb", bomb, r"w0 in policy.npz is float32 \(250000000000,\)"),
    ("large", file("policy.npz", bytes(50_000_000)), "policy.npz is too large"),
]


@pytest.mark.parametrize(("spoil", "message"), [bad[1:] for bad in BAD], ids=[b[0] for b in BAD])
def test_a_model_that_is_not_what_it_should_be_is_one_sentence(
    spoil: Spoil, message: str, tmp_path: Path
) -> None:
    spec = save(tmp_path / "model", CONNECT4, random_layers(126, 16, 7))
    spoil(tmp_path / "model")
    with pytest.raises(AgentError, match=message) as told:
        kibitz.load_agent(spec, CONNECT4)
    assert "\n" not in str(told.value)
    assert "model'" in str(told.value)  # where


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("puct:model=tniy", "unknown model 'tniy' for connect4: did you mean 'tiny'"),
        ("puct:model=..", r"unknown model '\.\.' for connect4"),
        ("puct:model=../x", r"model '\.\./x' has no file card.json"),
        ("puct:model=connect4/tiny", "has no file card.json"),
        ("puct:model=./\0", "card.json"),
        ("puct:model=./" + 400 * "x", "card.json"),
        ("puct:model=tiny,guide=centre", "guide=centre and model=tiny both say what to try first"),
    ],
)
def test_names_are_looked_up_and_nothing_else(
    spec: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(models, "MODELS", tmp_path)
    save(tmp_path / "connect4" / "tiny", CONNECT4, random_layers(126, 7))
    assert load_policy("tiny", CONNECT4).card.layers == (126, 7)
    assert kibitz.load_agent("puct:model=tiny", CONNECT4).spec == "puct:model=tiny"
    with pytest.raises((SpecError, AgentError), match=message):
        kibitz.load_agent(spec, CONNECT4)


@pytest.mark.skipif(not COMPILED, reason="there is nothing to compile")
def test_models_of_the_package_are_compiled_beforehand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(models, "MODELS", tmp_path)
    save(tmp_path / "connect4" / "tiny", CONNECT4, random_layers(126, 7))
    todo = dict(tasks("connect4"))
    todo["model tiny"]()
    assert "model tiny" not in dict(tasks("nimmt"))


def test_what_a_card_leaves_open_may_be_anything(tmp_path: Path) -> None:
    code = OPEN.encodings["paper"]
    layers = random_layers(code.size, code.n_actions)
    save(tmp_path / "any", OPEN, layers)
    save(tmp_path / "two", OPEN, layers, game="nimmt:players=2")
    four = kibitz.load_game("nimmt:players=4")
    for game in (OPEN, four):
        w, b = load_policy(f"{tmp_path}/any", game).layers[0]
        assert (w == layers[0][0]).all()
        assert (b == layers[0][1]).all()
    load_policy(f"{tmp_path}/two", OPEN)
    with pytest.raises(AgentError, match=r"is for 'nimmt:players=2', this is nimmt:players=4"):
        load_policy(f"{tmp_path}/two", four)


def test_nothing_that_could_not_be_loaded_is_saved(tmp_path: Path) -> None:
    layers = random_layers(126, 16, 7)
    with pytest.raises(AgentError, match=r"layers of \(126, 7\), the weights are"):
        save(tmp_path / "new", CONNECT4, layers, layers=(126, 7))
    layers[1][1][3] = np.inf
    with pytest.raises(AgentError, match="not finite"):
        save(tmp_path / "new", CONNECT4, layers)
    assert not (tmp_path / "new").exists()


def test_the_command_line_takes_a_model_or_says_what_is_wrong(tmp_path: Path) -> None:
    spec = save(tmp_path / "net", CONNECT4, random_layers(126, 7))
    words = ["match", "connect4", f"{spec},sims=5", "centre", "--deals", "2", "--database", "none"]
    done = kibitz_command(*words)
    assert done.returncode == 0, done.stderr
    assert "2 deals" in done.stdout
    (tmp_path / "net" / "policy.npz").write_bytes(b"")
    done = kibitz_command(*words)
    assert done.returncode == 2
    assert done.stderr.startswith("error: model ")
    assert done.stderr.count("\n") == 1
    assert "model=none" in kibitz_command("agents", "connect4").stdout
