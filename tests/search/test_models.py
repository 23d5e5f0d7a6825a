"""Models: what is written is read again, and nothing that is wrong with one does harm."""

import hashlib
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kibitz
from kibitz import AgentError, SpecError
from kibitz.core.kernels import COMPILED
from kibitz.search import models
from kibitz.search.cards import Card
from kibitz.search.mlp import Rows
from kibitz.search.models import load_model, save_model
from kibitz.search.warmup import tasks
from tests.cli.test_commands import kibitz_command
from tests.search.networks import make_card, outputs_by_numpy, random_layers, save
from tests.search.onnx_files import mlp_file

CONNECT4 = kibitz.load_game("connect4")
OPEN = kibitz.load_game("nimmt:players=2,hands=open")
HEADS = {"policy": 7, "value": 1, "q": 7}


def some_rows(n: int) -> Any:
    rows = np.random.default_rng(3).normal(size=(n, 126)).astype(np.float32)
    return rows * (rows > 0.5)


def test_what_is_saved_is_loaded_again(tmp_path: Path) -> None:
    layers = random_layers(126, 16, 15)
    made = {"commit": "abc", "time": 12.5, "machine": "a fast one", "licence": "CC0-1.0"}
    card = make_card(CONNECT4, layers=(126, 16, 15), heads=HEADS, value="win", **made)
    written = save_model(tmp_path / "deep" / "model", card, layers)
    model = load_model(str(tmp_path / "deep" / "model"), CONNECT4)
    assert model.card == written
    assert written.model_copy(update={"files": {}}) == card
    assert list(model.card.heads) == ["policy", "value", "q"]
    for (w, b), (v, c) in zip(model.layers, layers, strict=True):
        assert w.tolist() == v.tolist()
        assert b.tolist() == c.tolist()
    assert json.loads((tmp_path / "deep" / "model" / "card.json").read_text())["schema"] == 2


def test_heads_are_slices_of_the_last_layer_in_the_order_of_the_card(tmp_path: Path) -> None:
    layers = random_layers(126, 16, 15)
    heads = {"q": 7, "value": 1, "policy": 7}
    folder = save(tmp_path / "model", CONNECT4, layers, heads=heads, value="rank")
    found = load_model(folder, CONNECT4).evaluate(some_rows(9))
    expected = outputs_by_numpy(layers, some_rows(9))
    assert list(found) == list(heads)
    np.testing.assert_allclose(found["q"], expected[:, :7], atol=1e-5)
    np.testing.assert_allclose(found["value"], expected[:, 7:8], atol=1e-5)
    np.testing.assert_allclose(found["policy"], expected[:, 8:], atol=1e-5)


def test_an_onnx_file_gives_the_same_as_its_layers(tmp_path: Path) -> None:
    layers = random_layers(126, 16, 7)
    inside = load_model(save(tmp_path / "mlp", CONNECT4, layers), CONNECT4)
    save_model(tmp_path / "onnx", make_card(CONNECT4, kind="onnx"), mlp_file(layers))
    outside = load_model(f"{tmp_path}/onnx", CONNECT4)
    assert outside.layers == []
    expected, found = (model.evaluate(some_rows(9))["policy"] for model in (inside, outside))
    np.testing.assert_allclose(found, expected, atol=1e-5)


@pytest.mark.parametrize(
    ("kind", "scale", "expected"),
    [("win", 1.0, [0.5, 0.75, 0.0, 1.0]), ("score", 40.0, [0, 40 * np.log(3), -4e6, 4e6])],
)
def test_values_mean_what_the_card_says(
    kind: str, scale: float, expected: list[float], tmp_path: Path
) -> None:
    heads = {"value": 1}
    layers = random_layers(126, 1)
    folder = save(tmp_path / "m", CONNECT4, layers, heads=heads, value=kind, scale=scale)
    outputs = np.array([0, np.log(3), -1e5, 1e5], np.float32)
    found = load_model(folder, CONNECT4).read_values(outputs)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-7)


SHAPES = [np.zeros((2, 125)), np.zeros(126), np.zeros((1, 2, 126)), np.full((1, 126), "x")]


@pytest.mark.parametrize("rows", SHAPES)
def test_rows_of_another_shape_are_refused(rows: Any, tmp_path: Path) -> None:
    model = load_model(save(tmp_path / "m", CONNECT4, random_layers(126, 7)), CONNECT4)
    with pytest.raises(AgentError, match="126 inputs takes rows of as many"):
        model.evaluate(rows)


def test_candidates_of_another_shape_are_refused(tmp_path: Path) -> None:
    code = OPEN.encodings["paper"]
    layers = random_layers(code.size + code.candidate_size, 1)
    facts = {"encoding": "paper", "inputs": "candidates", "heads": {"policy": 1}}
    model = load_model(save(tmp_path / "m", OPEN, layers, **facts), OPEN)
    views = np.zeros((2, code.size), np.float32)
    candidates = np.ones((5, code.candidate_size), np.float32)
    found = model.evaluate_candidates(Rows(views, candidates, np.array([0, 3, 5])))
    np.testing.assert_allclose(
        found["policy"], np.full((5, 1), layers[0][0][code.size :].sum() + layers[0][1]), atol=1e-4
    )
    for offsets in ([0, 3, 6], [0, 5], [1, 3, 5], [0, 6, 5], [0, -1, 5]):
        with pytest.raises(AgentError, match="offsets must cut"):
            model.evaluate_candidates(Rows(views, candidates, np.array(offsets)))
    with pytest.raises(AgentError, match="was given rows of shape"):
        model.evaluate_candidates(Rows(views[:, 1:], candidates, np.array([0, 3, 5])))
    with pytest.raises(AgentError, match="are float32, their offsets int64"):
        model.evaluate_candidates(Rows(views, candidates, np.array([0, 3, 5], np.int32)))


Spoil = Callable[[Path], object]


def card(**changed: Any) -> Spoil:
    """Change fields of a card that is written already; ... leaves one out."""

    def spoil(folder: Path) -> None:
        path = folder / "card.json"
        fields = json.loads(path.read_text()) | changed
        kept = {name: part for name, part in fields.items() if part is not ...}
        path.write_text(json.dumps(kept))

    return spoil


def digest(folder: Path) -> None:
    """Write the digest of weights that were changed on the card."""
    weights = (folder / "weights.npz").read_bytes()
    card(files={"weights.npz": hashlib.sha256(weights).hexdigest()})(folder)


def file(name: str, content: bytes) -> Spoil:
    return lambda folder: (folder / name).write_bytes(content)


def weights(content: bytes) -> Spoil:
    """Change the weights and the digest on the card with them."""

    def spoil(folder: Path) -> None:
        (folder / "weights.npz").write_bytes(content)
        digest(folder)

    return spoil


def arrays(**changed: Any) -> Spoil:
    """Change arrays that are written already; None leaves one out."""

    def spoil(folder: Path) -> None:
        held = dict(np.load(folder / "weights.npz")) | changed
        kept = {name: part for name, part in held.items() if part is not None}
        np.savez(folder / "weights.npz", **kept)
        digest(folder)

    return spoil


def folder_for_card(folder: Path) -> None:
    (folder / "card.json").unlink()
    (folder / "card.json").mkdir()


def cut(folder: Path) -> None:
    weights((folder / "weights.npz").read_bytes()[:3000])(folder)


def bomb(folder: Path) -> None:
    """Announce an array of a terabyte in a few bytes."""
    header = io.BytesIO()
    facts = {"descr": "<f4", "fortran_order": False, "shape": (250_000_000_000,)}
    np.lib.format.write_array_header_1_0(header, facts)
    with zipfile.ZipFile(folder / "weights.npz", "w") as archive:
        for name in ("w0", "b0", "w1", "b1"):
            archive.writestr(f"{name}.npy", header.getvalue())
    digest(folder)


NAN = np.full(7, np.nan, np.float32)
BAD: list[tuple[str, Spoil, str]] = [
    ("no folder", lambda folder: folder.rename(folder.with_name("gone")), "no file card.json"),
    ("no weights", lambda folder: (folder / "weights.npz").unlink(), "no file weights.npz"),
    ("folder for a file", folder_for_card, "no file card.json"),
    ("not JSON", file("card.json", b"schema: 2"), "card.json: not JSON at line 1"),
    ("not text", file("card.json", b"\xff\xfe\x00"), "card.json: not JSON"),
    ("deep", file("card.json", b"[" * 60_000), "card.json: nested too deeply"),
    ("endless card", file("card.json", b" " * 70_000), "card.json is too large"),
    ("old schema", card(schema=1), "schema: '1' is not the schema that this kibitz reads"),
    ("later schema", card(schema=3), "'3' is not the schema .* which is 2: save the model again"),
    ("unknown field", card(secret=1), "secret: "),
    ("no licence", card(licence=...), "licence: "),
    ("no layers", card(layers=[]), "card.json has no layers"),
    ("many layers", card(layers=[126, *[8] * 8, 7]), "layers: "),
    ("wide", card(layers=[126, 2049, 7]), "hidden layers have at most 2048 outputs"),
    ("huge", card(layers=[126, 10**6, 7]), "hidden layers have at most 2048 outputs"),
    ("heavy", card(layers=[126, *[2048] * 6, 7]), "at most 20000000 weights"),
    ("no heads", card(heads={}), "heads: "),
    ("unknown head", card(heads={"polcy": 7}), "heads.polcy"),
    ("other head", card(heads={"policy": 6}), "the last layer has 7 outputs, the heads 6"),
    (
        "no meaning",
        card(heads={"q": 7}),
        "does not say what its values are: win, rank, score or rest",
    ),
    ("no number", card(scale=float("nan")), "scale: "),
    ("other game", card(game="nimmt"), "is for 'nimmt', this is connect4"),
    ("other option", card(game="connect4:opening=4"), "is for 'connect4:opening=4', this is"),
    ("no game", card(game="../../etc"), "names no game that there is"),
    ("no option", card(game="connect4:bugs=1"), "names no game that there is"),
    ("other version", card(version=0), "for version 0 of connect4, this is version 1: train it"),
    ("no encoding", card(encoding="plane"), "no encoding 'plane': did you mean 'planes'"),
    ("an oracle", card(encoding="oracle"), "no encoding 'oracle'"),
    ("other sizes", card(layers=[125, 16, 7]), "125 inputs, but the encoding 'planes' has 126"),
    ("other shape", card(layers=[126, 17, 7]), r"weights.npz: w0 is float32 \(126, 16\)"),
    ("no digest", card(files={}), "lists nothing, the files of a model are weights.npz"),
    ("other files", card(files={"../x": "0" * 64}), r"lists \.\./x, the files of a model are"),
    ("no hash", card(files={"weights.npz": "0"}), "files.weights.npz"),
    ("other digest", card(files={"weights.npz": "0" * 64}), "SHA-256 differs"),
    ("changed", file("weights.npz", b"other"), "SHA-256 differs"),
    ("other kind", card(kind="onnx"), "has layers, which only an mlp has"),
    ("no onnx", card(kind="onnx", layers=[]), "the files of a model are network.onnx alone"),
    ("pickle", weights(b"\x80\x04K\x01."), "weights.npz is not an npz file"),
    ("objects", arrays(b1=np.array([{}] * 7)), "weights.npz: b1 is object"),
    ("float64", arrays(b1=np.zeros(7)), "weights.npz: b1 is float64"),
    ("other order", arrays(b1=np.zeros(7, ">f4")), "weights.npz: b1 is >f4"),
    ("missing array", arrays(b1=None), "weights.npz holds b0.npy, w0.npy, w1.npy"),
    ("extra array", arrays(b2=NAN), "weights.npz holds b0.npy, b1.npy, b2.npy"),
    ("not finite", arrays(b1=NAN), "layer 1 has weights that are not finite"),
    ("overflow", arrays(w1=np.full((16, 7), 1e30, np.float32)), "so large that they may overflow"),
    ("cut", cut, "npz"),
    ("bomb", bomb, r"w0 is float32 \(250000000000,\)"),
    ("large", file("weights.npz", bytes(90_000_000)), "weights.npz is too large"),
]


@pytest.mark.parametrize(("spoil", "message"), [bad[1:] for bad in BAD], ids=[b[0] for b in BAD])
def test_a_model_that_is_not_what_it_should_be_is_one_sentence(
    spoil: Spoil, message: str, tmp_path: Path
) -> None:
    folder = save(tmp_path / "model", CONNECT4, random_layers(126, 16, 7))
    spoil(tmp_path / "model")
    with pytest.raises(AgentError, match=message) as told:
        load_model(folder, CONNECT4)
    assert "\n" not in str(told.value)
    assert "model'" in str(told.value)  # where


def test_an_array_by_columns_is_read_as_what_it_is(tmp_path: Path) -> None:
    layers = random_layers(126, 16, 7)
    folder = save(tmp_path / "model", CONNECT4, layers)
    arrays(w0=np.asfortranarray(layers[0][0]))(tmp_path / "model")
    model = load_model(folder, CONNECT4)
    assert (model.layers[0][0] == layers[0][0]).all()
    found = model.evaluate(some_rows(2))["policy"]
    np.testing.assert_allclose(found, outputs_by_numpy(layers, some_rows(2)), atol=1e-5)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("tniy", "unknown model 'tniy' for connect4: did you mean 'tiny'"),
        ("..", r"unknown model '\.\.' for connect4"),
        ("../x", r"model '\.\./x' has no file card.json"),
        ("connect4/tiny", "has no file card.json"),
        ("./\0", "card.json"),
        ("./" + 400 * "x", "card.json"),
    ],
)
def test_names_are_looked_up_and_nothing_else(
    name: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(models, "MODELS", tmp_path)
    save(tmp_path / "connect4" / "tiny", CONNECT4, random_layers(126, 7))
    assert models.model_names("connect4") == ["tiny"]
    assert load_model("tiny", CONNECT4).card.layers == (126, 7)
    with pytest.raises((SpecError, AgentError), match=message):
        load_model(name, CONNECT4)


def test_what_a_card_leaves_open_may_be_anything(tmp_path: Path) -> None:
    code = OPEN.encodings["paper"]
    layers = random_layers(code.size, code.n_actions)
    save(tmp_path / "any", OPEN, layers, encoding="paper")
    save(tmp_path / "two", OPEN, layers, encoding="paper", game="nimmt:players=2")
    four = kibitz.load_game("nimmt:players=4")
    for game in (OPEN, four):
        assert load_model(f"{tmp_path}/any", game).card.game == "nimmt"
    load_model(f"{tmp_path}/two", OPEN)
    with pytest.raises(AgentError, match=r"is for 'nimmt:players=2', this is nimmt:players=4"):
        load_model(f"{tmp_path}/two", four)


@pytest.mark.parametrize(("n_values", "fits"), [(1, [2, 4]), (2, [2]), (4, [4])])
def test_a_value_is_of_the_seat_or_of_all_seats(
    n_values: int, fits: list[int], tmp_path: Path
) -> None:
    layers = random_layers(OPEN.encodings["paper"].size, n_values)
    heads = {"value": n_values}
    save(tmp_path / "m", OPEN, layers, encoding="paper", heads=heads, value="rank")
    for players in (2, 4):
        game = kibitz.load_game(f"nimmt:players={players}")
        if players in fits:
            assert load_model(f"{tmp_path}/m", game).slices == {"value": slice(0, n_values)}
        else:
            with pytest.raises(AgentError, match=f"'value' has {n_values} outputs.* must have 1 "):
                load_model(f"{tmp_path}/m", game)


def test_nothing_that_could_not_be_loaded_is_saved(tmp_path: Path) -> None:
    layers = random_layers(126, 16, 7)
    folder = tmp_path / "new"
    with pytest.raises(AgentError, match=r"by its card the weights are \[\(126, 7\)"):
        save(folder, CONNECT4, layers, layers=(126, 7))
    with pytest.raises(AgentError, match="of an mlp, got bytes"):
        save_model(folder, make_card(CONNECT4, layers=(126, 7)), b"")
    with pytest.raises(AgentError, match="of an ONNX file, got layers"):
        save_model(folder, make_card(CONNECT4, kind="onnx"), layers)
    with pytest.raises(AgentError, match="not a network that may be run"):
        save_model(folder, make_card(CONNECT4, kind="onnx"), b"")
    heads = {"q": 1, "value": 1}
    both = make_card(CONNECT4, layers=(9, 2), inputs="candidates", heads=heads, value="win")
    with pytest.raises(AgentError, match="a row for each action, so no head 'value'"):
        save_model(folder, both, random_layers(9, 2))
    layers[1][1][3] = np.inf
    with pytest.raises(AgentError, match="not finite"):
        save(folder, CONNECT4, layers)
    assert list(tmp_path.iterdir()) == []


def test_a_critic_that_sees_all_hands_judges_worlds_and_plays_nothing(tmp_path: Path) -> None:
    tichu = kibitz.load_game("tichu")
    assert load_model("tichu-critic", tichu, "critic").card.heads == {"value": 1}
    for agent in ("net", "puct"):
        with pytest.raises(AgentError, match="is a critic, which is shown all cards"):
            kibitz.load_agent(f"{agent}:model=tichu-critic", tichu)
    with pytest.raises(AgentError, match="is no critic: take the one"):
        kibitz.load_agent("best:worlds=4,critic=tichu-best", tichu)
    card = make_card(CONNECT4, layers=(126, 1), heads={"value": 1}, value="score", inputs="oracle")
    save_model(tmp_path / "critic", card, random_layers(126, 1))
    with pytest.raises(AgentError, match="has 211 for a row of 'oracle'"):
        load_model(str(tmp_path / "critic"), CONNECT4, "critic")


def test_a_model_is_replaced_as_a_whole(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    save(folder, CONNECT4, random_layers(126, 16, 7))
    save(folder, CONNECT4, random_layers(126, 7))
    assert load_model(str(folder), CONNECT4).card.layers == (126, 7)
    save_model(folder, make_card(CONNECT4, kind="onnx"), mlp_file(random_layers(126, 7)))
    assert sorted(path.name for path in folder.iterdir()) == ["card.json", "network.onnx"]
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


def test_a_folder_that_holds_other_things_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(AgentError, match="the folder holds other files than a model has"):
        save(tmp_path, CONNECT4, random_layers(126, 7))
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]
    with pytest.raises(AgentError, match="cannot be written: "):
        save(tmp_path / "thesis.tex" / "x", CONNECT4, random_layers(126, 7))


@pytest.mark.parametrize("size", [0, -1, 10**7, "7", True, 7.0])
def test_a_card_is_checked_when_it_is_made(size: Any) -> None:
    with pytest.raises(ValueError, match="heads"):
        make_card(CONNECT4, heads={"policy": size})
    assert Card.model_fields["schema_version"].alias == "schema"


@pytest.mark.skipif(not COMPILED, reason="there is nothing to compile")
def test_models_of_the_package_are_compiled_beforehand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(models, "MODELS", tmp_path)
    save(tmp_path / "connect4" / "tiny", CONNECT4, random_layers(126, 7))
    todo = dict(tasks("connect4"))
    todo["net with tiny"]()
    todo["puct with tiny"]()
    assert "net with tiny" not in dict(tasks("nimmt"))


def test_the_command_line_takes_a_model_or_says_what_is_wrong(tmp_path: Path) -> None:
    spec = f"puct:model={save(tmp_path / 'net', CONNECT4, random_layers(126, 7))}"
    words = ["match", "connect4", f"{spec},sims=5", "centre", "--deals", "2", "--database", "none"]
    done = kibitz_command(*words)
    assert done.returncode == 0, done.stderr
    assert "2 deals" in done.stdout
    (tmp_path / "net" / "weights.npz").write_bytes(b"")
    done = kibitz_command(*words)
    assert done.returncode == 2
    assert done.stderr.startswith("error: model ")
    assert done.stderr.count("\n") == 1
    assert "model=none" in kibitz_command("agents", "connect4").stdout
