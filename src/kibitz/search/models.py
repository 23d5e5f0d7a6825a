"""Models: folders that hold a trained network and a card that says what it is.

- `card.json`: what the model is for, what its numbers mean and how it was made (`cards.Card`).
- `weights.npz`: the layers of an MLP (`weights`), which kernels run (`mlp`), or
- `ngnets.npz`: normalised Gaussian networks (`ngnet`), which a bot of the game runs, or
- `network.onnx`: any other network (`onnx`), which onnxruntime runs.

A folder may come from anywhere: nothing in it is believed before it is checked, no code in it is
run, and whatever is wrong with it is one sentence. Models that ship with the package lie in
`kibitz/models/<game>/<name>/`.
"""

import hashlib
import importlib.resources
import os
import shutil
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from kibitz.core.encoding import Encoding
from kibitz.core.errors import AgentError, SpecError, clip, nearest, plain
from kibitz.core.game import States
from kibitz.core.table import Game
from kibitz.search import onnx, weights
from kibitz.search.cards import (
    CARD,
    FILES,
    MAX_CARD,
    Card,
    Use,
    array_shapes,
    check_card,
    fit_card,
    parse_card,
)
from kibitz.search.mlp import (
    Floats,
    Layers,
    Rows,
    forward_all,
    forward_candidates,
    pack,
    scratch_for,
)
from kibitz.search.ngnet import Nets, check_net
from kibitz.search.values import write_scores

MODELS = Path(str(importlib.resources.files("kibitz"))) / "models"
"""The folder of the models that ship with the package."""

RUN_MODEL = "model"
"""In the folder of a training run: the folder of the model that is trained."""

_REFUSED: dict[tuple[Use, Use], str] = {
    ("play", "planning"): "is a planning model, it knows no positions: use planner:model=…",
    ("play", "critic"): "is a critic, which is shown all cards: nothing that plays may ask it",
    ("planning", "play"): "is no planning model, which planner needs: use another one, or puct",
    ("planning", "critic"): "is a critic, planner needs a planning model: use another one",
    ("critic", "play"): "is no critic: take the one that its training run has beside it",
    ("critic", "planning"): "is a planning model, no critic: use another one",
}
"""Why a model is refused, by what it is asked for and what it is."""

_MOST = {"mlp": weights.MAX_FILE, "onnx": onnx.MAX_FILE, "ngnet": weights.MAX_NETS_FILE}


@dataclass(frozen=True)
class Model:
    """A network that fits a game."""

    card: Card
    encoding: Encoding
    n_inputs: int  # features of a row
    layers: Layers  # of an mlp, else none
    session: onnx.Session | None = None  # of another network
    nets: Nets = field(default_factory=dict)  # of an ngnet

    @property
    def slices(self) -> dict[str, slice]:
        """The place of every head among the outputs of the last layer."""
        places: dict[str, slice] = {}
        begin = 0
        for name, size in self.card.heads.items():
            places[name] = slice(begin, begin + size)
            begin += size
        return places

    def evaluate(self, rows: Floats) -> dict[str, Floats]:
        """Run the network on rows of features [rows, inputs].

        Returns:
            The outputs of every head, [rows, outputs], as they leave the network: logits of a
            policy, and what `read_values` reads of value and q.
        """
        if self.nets:
            raise AgentError(f"a model of kind {self.card.kind!r} is no one network to be asked")
        given = np.asarray(rows)
        if given.shape != (len(given), self.n_inputs) or given.dtype.kind not in "fiub":
            raise AgentError(
                f"a network of {self.n_inputs} inputs takes rows of as many, got an array of "
                f"{given.dtype.name} {given.shape}"
            )
        given = np.ascontiguousarray(given, np.float32)
        if self.session is not None:
            return self.session.run(given)
        network, flat = self._packed
        outputs, scratch = self._room(len(given))
        forward_all(network, flat, given, outputs, scratch)
        return self._split(outputs)

    def evaluate_candidates(self, rows: Rows) -> dict[str, Floats]:
        """Run a network of candidates on every legal action of every view: [all, outputs]."""
        self._check_candidates(rows)
        if self.session is not None:
            repeated = np.repeat(rows.views, np.diff(rows.offsets), axis=0)
            return self.session.run(np.hstack([repeated, rows.candidates]))
        network, flat = self._packed
        outputs, scratch = self._room(len(rows.candidates))
        forward_candidates(network, flat, rows, outputs, scratch)
        return self._split(outputs)

    def _check_candidates(self, rows: Rows) -> None:
        """Refuse what a kernel must not be handed."""
        views, candidates, offsets = rows
        n_view, n_candidate = self.encoding.size, self.n_inputs - self.encoding.size
        fits = views.shape == (len(views), n_view) and candidates.shape[1:] == (n_candidate,)
        cuts = (
            offsets.shape == (len(views) + 1,) and offsets[0] == 0 and (np.diff(offsets) >= 0).all()
        )
        if self.card.inputs != "candidates" or not fits:
            raise AgentError(
                f"a network of {self.card.inputs!r} with {self.n_inputs} inputs was given rows of "
                f"shape {views.shape} for views and {candidates.shape} for candidates"
            )
        if not cuts or offsets[-1] != len(candidates):
            raise AgentError("offsets must cut the candidates into those of each view")
        if [part.dtype.name for part in rows] != ["float32", "float32", "int64"]:
            raise AgentError("rows of candidates are float32, their offsets int64")

    def _room(self, n_rows: int) -> tuple[Floats, Floats]:
        """Make room for the outputs of so many rows, and scratch."""
        outputs = np.empty((n_rows, self.card.n_outputs), np.float32)
        return outputs, np.empty(scratch_for(self.layers), np.float32)

    def _split(self, outputs: Floats) -> dict[str, Floats]:
        return {name: outputs[:, place] for name, place in self.slices.items()}

    def read_values(self, outputs: Floats) -> Floats:
        """Return what outputs of value and q mean: points, or a share from 0 to 1.

        To those of a card that says `rest`, the score so far is still to be added: `so_far`.
        """
        if self.card.value in ("score", "rest"):
            return outputs * np.float32(self.card.scale)
        # The logistic function, written so that it does not overflow.
        return (np.tanh(outputs * np.float32(0.5)) + np.float32(1)) * np.float32(0.5)

    def so_far(self, views: States) -> npt.NDArray[np.float64]:
        """Return what every seat has scored if the network tells the rest, else zeros."""
        out = np.zeros((len(views), self.encoding.n_seats))
        if self.card.value == "rest":
            write_scores(views, out)
        return out

    @cached_property
    def _packed(self) -> tuple[np.record, Floats]:
        return pack(self.layers)


def model_names(game: str) -> list[str]:
    """List the models of a game that ship with the package, sorted."""
    return sorted(card.parent.name for card in (MODELS / game).glob(f"*/{CARD}"))


def load_model(name: str, game: Game, use: Use = "play") -> Model:
    """Load a model and check that it fits a game.

    Args:
        name: of one that ships with the package or, if it has a path separator, a folder: of a
            model, or of a training run, whose model it is.
        game: what it is to play.
        use: what it is for; a critic sees all cards, so only guessed worlds may be shown to it.

    Raises:
        SpecError: there is no such model.
        AgentError: it cannot be read, or is for something else; one sentence says what and where.
    """
    folder, where = find_model(name, game.facts.name), f"model {clip(name, 200)}"
    card = read_card(folder, where)
    encoding, n_inputs = fit_card(card, game, where)
    if card.use != use:
        raise AgentError(f"{where} {_REFUSED[use, card.use]}")
    data = _read_digested(folder, card, where)
    within = f"{where}: {FILES[card.kind]}"
    if card.kind == "onnx":
        session = onnx.Session(data, n_inputs, card.sizes, within)
        return Model(card, encoding, n_inputs, [], session)
    if card.kind == "ngnet":
        nets = weights.read_nets(data, array_shapes(card), within)
        return Model(card, encoding, n_inputs, [], nets=nets)
    layers = weights.read_weights(data, array_shapes(card), within)
    return Model(card, encoding, n_inputs, layers)


def save_model(folder: Path | str, card: Card, network: weights.Weights | bytes | Nets) -> Card:
    """Write a model: the opposite of `load_model`. Nobody ever sees half of one.

    Args:
        folder: where; it is made if it is not there. One that holds a model is replaced; one that
            holds anything else is left alone.
        card: what the model is; the digests of its files are filled in.
        network: of an mlp, the weights [inputs, outputs] and biases [outputs] of each layer
            (PyTorch keeps the former the other way round); of an ngnet, its networks by name; else
            the bytes of an ONNX file.

    Returns:
        The card as it was written.

    Raises:
        AgentError: the network is not what the card says, or the folder cannot be written.
    """
    where = f"model {clip(folder, 200)}"
    check_card(card, where)
    data = _write_network(card, network, where)
    files = {FILES[card.kind]: hashlib.sha256(data).hexdigest()}
    card = card.model_copy(update={"files": files})
    text = card.model_dump_json(by_alias=True, indent=2) + "\n"
    parse_card(text.encode(), where)  # what was changed in a copy has not been checked
    try:
        _put(Path(folder), {FILES[card.kind]: data, CARD: text.encode()}, where)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or plain(str(error))
        raise AgentError(f"{where} cannot be written: {reason}") from None
    return card


def find_model(name: str, game: str) -> Path:
    """Return the folder of a model; names are looked up, never joined to a path unseen."""
    if os.sep in name or (os.altsep or os.sep) in name:
        return _of_run(Path(name))
    known = model_names(game)
    if name not in known:
        raise SpecError(
            f"unknown model {clip(name)} for {game}: {nearest(name, known)}; "
            f"a folder is written with a {os.sep!r}, such as .{os.sep}name"
        )
    return MODELS / game / name


def _of_run(folder: Path) -> Path:
    """Return the folder of a model, which may lie in the folder of a training run."""
    try:
        is_run = not (folder / CARD).exists() and (folder / RUN_MODEL / CARD).exists()
    except (OSError, ValueError):  # a path that cannot be: reading it says so
        return folder
    return folder / RUN_MODEL if is_run else folder


def read_card(folder: Path, where: str) -> Card:
    """Read the card of a model; whether it fits anything is not checked."""
    return parse_card(_read(folder / CARD, MAX_CARD, where), where)


def _read(path: Path, most: int, where: str) -> bytes:
    """Read a file of at most so many bytes."""
    try:
        if not path.is_file():
            raise AgentError(
                f"{where} has no file {path.name}: a model is a folder with {CARD} and "
                f"{' or '.join(FILES.values())}"
            )
        with path.open("rb") as file:
            data = file.read(most + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or plain(str(error))
        raise AgentError(f"{where}: {path.name} cannot be read: {reason}") from None
    if len(data) > most:
        raise AgentError(f"{where}: {path.name} is too large, at most {most} bytes are read")
    return data


def _read_digested(folder: Path, card: Card, where: str) -> bytes:
    """Read the network of a model, if it is the one that the card was written for."""
    name = FILES[card.kind]
    if list(card.files) != [name]:
        listed = plain(", ".join(card.files)) or "nothing"
        raise AgentError(f"{where}: {CARD} lists {listed}, the files of a model are {name} alone")
    data = _read(folder / name, _MOST[card.kind], where)
    if hashlib.sha256(data).hexdigest() != card.files[name]:
        raise AgentError(
            f"{where}: {name} is not the file that {CARD} describes (its SHA-256 differs): get "
            "both again"
        )
    return data


def _write_network(card: Card, network: weights.Weights | bytes | Nets, where: str) -> bytes:
    """Return the file of a network that could be loaded again."""
    if card.kind == "ngnet":
        return _write_nets(card, network, where)
    if isinstance(network, Mapping):
        raise AgentError(f"{where}: the card is of kind {card.kind!r}, got networks by name")
    if card.kind == "mlp":
        if isinstance(network, bytes):
            raise AgentError(f"{where}: the card is of an mlp, got bytes instead of layers")
        return weights.write_weights(weights.as_layers(network, array_shapes(card), where))
    if not isinstance(network, bytes):
        raise AgentError(f"{where}: the card is of an ONNX file, got layers instead of its bytes")
    onnx.Session(network, None, card.sizes, where)
    return network


def _write_nets(card: Card, nets: weights.Weights | bytes | Nets, where: str) -> bytes:
    """Return the file of normalised Gaussian networks that could be loaded again."""
    if not isinstance(nets, Mapping):
        raise AgentError(f"{where}: the card is of an ngnet, which has networks by name")
    sizes = {name: net.size for name, net in nets.items()}
    if sizes != card.nets:
        raise AgentError(f"{where}: by its card the networks are {card.nets}, they are {sizes}")
    for name, net in nets.items():
        check_net(name, net, where)
    return weights.write_nets(nets)


def _put(folder: Path, files: dict[str, bytes], where: str) -> None:
    """Write files to a folder beside it, then put that in its place."""
    known = {CARD, *FILES.values()}
    if folder.exists() and {path.name for path in folder.iterdir()} - known:
        raise AgentError(f"{where}: the folder holds other files than a model has: choose another")
    target = folder.absolute()
    target.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    try:
        (made / "new").mkdir()
        for name, data in files.items():
            (made / "new" / name).write_bytes(data)
        if target.exists():
            target.rename(made / "old")
        try:
            (made / "new").rename(target)
        except OSError:
            with suppress(OSError):  # there was none, or somebody else has put one there
                (made / "old").rename(target)
            raise
    finally:
        shutil.rmtree(made, ignore_errors=True)
