"""Models of normalised Gaussian networks: written, read, and refused when anything is wrong."""

import hashlib
import io
from pathlib import Path

import numpy as np
import pytest

import kibitz
from kibitz.core.errors import AgentError
from kibitz.search.cards import Card
from kibitz.search.models import load_model, save_model
from kibitz.search.ngnet import Net

GAME = kibitz.load_game("sheephead")


def net(n_inputs: int = 3, n_units: int = 2, n_outputs: int = 1) -> Net:
    rng = np.random.default_rng(1)
    return Net(
        rng.normal(size=(n_inputs, n_units)),
        np.ones((n_inputs, n_units)),
        rng.normal(size=(n_outputs, 1 + n_inputs, n_units)),
    )


def card(**words: object) -> Card:
    facts = {
        "game": "sheephead",
        "version": GAME.facts.version,
        "encoding": "full",
        "kind": "ngnet",
        "nets": {"only": (3, 2, 1)},
        "heads": {"value": 1},
        "value": "score",
        "licence": "MIT",
        "recipe": "by hand",
        "seed": 1,
        "strength": "not measured",
    }
    return Card(**{**facts, **words})  # type: ignore[arg-type]


def test_what_was_saved_is_loaded(tmp_path: Path) -> None:
    save_model(tmp_path / "m", card(), {"only": net()})
    model = load_model(f"{tmp_path}/m", GAME)
    for given, found in zip(net(), model.nets["only"], strict=True):
        assert np.allclose(given, found, atol=1e-6)
    with pytest.raises(AgentError, match="no one network"):
        model.evaluate(np.zeros((1, 916), np.float32))


@pytest.mark.parametrize(
    ("words", "nets", "said"),
    [
        ({}, {"only": net(4)}, "by its card"),
        ({}, {"other": net()}, "by its card"),
        ({"nets": {}}, {}, "1 to 64 networks"),
        ({"nets": {"only": (300, 2, 1)}}, {"only": net(300)}, "at most"),
        ({"kind": "mlp"}, {"only": net()}, "only an ngnet"),
        ({"layers": (3, 1)}, {"only": net()}, "only an mlp"),
        ({}, {"only": net()._replace(precisions=np.zeros((3, 2)))}, "above 0"),
        ({}, {"only": net()._replace(centres=np.full((3, 2), np.nan))}, "finite"),
        ({}, {"only": net()._replace(weights=np.full((1, 4, 2), 1e9))}, "finite"),
        ({}, b"onnx", "networks by name"),
    ],
)
def test_what_does_not_fit_its_card_is_not_saved(
    tmp_path: Path, words: dict[str, object], nets: object, said: str
) -> None:
    with pytest.raises(AgentError, match=said):
        save_model(tmp_path / "m", card(**words), nets)  # type: ignore[arg-type]
    assert not (tmp_path / "m").exists()


def test_arrays_are_read_by_their_headers_and_never_unpickled(tmp_path: Path) -> None:
    save_model(tmp_path / "m", card(), {"only": net()})
    arrays = {f"only.{part}": value for part, value in net()._asdict().items()}
    for bad in (
        {**arrays, "only.weights": np.array([{}], object)},
        {**arrays, "more": np.zeros(3)},
        {**arrays, "only.centres": np.zeros((3, 200))},
    ):
        file = io.BytesIO()
        np.savez(file, **bad)
        written = tmp_path / "m" / "ngnets.npz"
        before = written.read_bytes()
        text = (tmp_path / "m" / "card.json").read_text()
        old, new = (hashlib.sha256(data).hexdigest() for data in (before, file.getvalue()))
        (tmp_path / "m" / "card.json").write_text(text.replace(old, new))
        written.write_bytes(file.getvalue())
        with pytest.raises(AgentError, match="float32|should be|holds"):
            load_model(f"{tmp_path}/m", GAME)


def test_an_ngnet_of_another_shape_is_no_player(tmp_path: Path) -> None:
    save_model(tmp_path / "m", card(), {"only": net()})
    with pytest.raises(AgentError, match="no ngnet of sheephead"):
        kibitz.load_agent(f"ngnet:model={tmp_path}/m", GAME)
