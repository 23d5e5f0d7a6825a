"""Models: folders that hold a trained network and a card that says what it is.

- `card.json`: the game and the version of its rules, the encoding, the sizes of all layers, how it
  was made, and how strong it was found to be (`Card`).
- `policy.npz`: the float32 arrays `w0`, `b0`, `w1`, `b1`, ...; with rectifiers between the layers,
  `logits = relu(features @ w0 + b0) @ w1 + b1` for two of them.

A folder may come from anywhere: nothing in it is believed before it is checked, no code in it is
run, and whatever is wrong with it is one sentence. Models that ship with the package lie in
`kibitz/models/<game>/<name>/`.
"""

import importlib.resources
import io
import math
import os
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from kibitz.core.encoding import Encoding
from kibitz.core.errors import AgentError, SpecError, clip, nearest, plain
from kibitz.core.rng import MAX_SEED
from kibitz.core.spec import split_spec
from kibitz.core.table import Game
from kibitz.search.network import MAX_LAYERS, MAX_WEIGHTS, MAX_WIDTH, Floats, Layers

CARD, POLICY = "card.json", "policy.npz"

MAX_CARD = 64_000
"""Largest card that is read, in bytes."""

MAX_POLICY = 4 * MAX_WEIGHTS + 64_000
"""Largest file of weights, in bytes."""

MAX_FEATURE, MAX_LOGIT = 1e4, 1e30
"""Features up to the first must not give numbers beyond the second: they could overflow."""

MODELS = Path(str(importlib.resources.files("kibitz"))) / "models"
"""The folder of the models that ship with the package."""

_Word = Annotated[str, Field(max_length=500)]
_Text = Annotated[str, Field(max_length=10_000)]
_Size = Annotated[int, Field(ge=1, le=1_000_000)]


class Card(BaseModel):
    """What a model is, and how it was made."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    schema_version: Literal[1] = Field(default=1, alias="schema")
    game: _Word  # a spec; options that it names are the only ones the model plays
    version: int  # of the game's rules
    encoding: _Word
    layers: Annotated[tuple[_Size, ...], Field(min_length=2, max_length=MAX_LAYERS + 1)]
    recipe: _Text  # how it was trained
    seed: Annotated[int, Field(ge=0, le=MAX_SEED)]
    strength: _Text  # as measured: against whom, how many deals, with its interval


@dataclass(frozen=True)
class Policy:
    """A network that fits a game."""

    card: Card
    encoding: Encoding
    layers: Layers


def model_names(game: str) -> list[str]:
    """List the models of a game that ship with the package, sorted."""
    folder = MODELS / game
    return sorted(card.parent.name for card in folder.glob(f"*/{CARD}"))


def load_policy(model: str, game: Game) -> Policy:
    """Load the network of a model and check that it fits a game.

    Args:
        model: the name of one that ships with the package or, if it has a path separator, a folder.
        game: what it is to play.

    Raises:
        SpecError: there is no such model.
        AgentError: it cannot be read, or is for something else; one sentence says what and where.
    """
    folder = _find(model, game)
    where = f"model {clip(model, 200)}"
    card = _read_card(folder, where)
    encoding = _fitting(card, game, where)
    arrays = _read_arrays(_read(folder / POLICY, MAX_POLICY, where), _shapes(card), where)
    layers = [(arrays[f"w{k}"], arrays[f"b{k}"]) for k in range(len(card.layers) - 1)]
    _check_numbers(layers, where)
    return Policy(card, encoding, layers)


def save_policy(
    folder: Path | str, card: Card, weights: Sequence[tuple[npt.ArrayLike, npt.ArrayLike]]
) -> None:
    """Write a model: the opposite of `load_policy`.

    Args:
        folder: where; it is made if it is not there, and what it held of a model is replaced.
        card: what the model is.
        weights: of each layer, what every input adds to every output [inputs, outputs], and the
            biases [outputs]; PyTorch keeps the former the other way round.

    Raises:
        AgentError: the weights are not what the card says, or no numbers that can be computed with.
    """
    where = f"model {clip(folder, 200)}"
    with np.errstate(over="ignore"):  # what is too large for a float32 is refused below
        layers = [(np.asarray(w, np.float32, "C"), np.asarray(b, np.float32)) for w, b in weights]
    parts = [part for layer in layers for part in layer]
    given = [part.shape for part in parts]
    if given != list(_shapes(card).values()):
        raise AgentError(f"{where}: the card has layers of {card.layers}, the weights are {given}")
    _check_size(card, where)
    _check_numbers(layers, where)
    path = Path(folder)
    path.mkdir(parents=True, exist_ok=True)
    (path / CARD).unlink(missing_ok=True)  # no card, no model: nobody reads half of one
    arrays: dict[str, Any] = dict(zip(_shapes(card), parts, strict=True))
    np.savez(path / POLICY, **arrays)
    text = card.model_dump_json(by_alias=True, indent=2)
    (path / CARD).write_text(text + "\n", encoding="utf-8")


def _find(model: str, game: Game) -> Path:
    """Give the folder of a model; names are looked up, never joined to a path unseen."""
    if os.sep in model or (os.altsep or os.sep) in model:
        return Path(model)
    known = model_names(game.facts.name)
    if model not in known:
        raise SpecError(
            f"unknown model {clip(model)} for {game.facts.name}: {nearest(model, known)}; "
            f"a folder is written with a {os.sep!r}, such as .{os.sep}name"
        )
    return MODELS / game.facts.name / model


def _read(path: Path, most: int, where: str) -> bytes:
    """Read a file of at most so many bytes."""
    try:
        if not path.is_file():
            raise AgentError(
                f"{where} has no file {path.name}: a model is a folder with {CARD} and {POLICY}"
            )
        with path.open("rb") as file:
            data = file.read(most + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or plain(str(error))
        raise AgentError(f"{where}: {path.name} cannot be read: {reason}") from None
    if len(data) > most:
        raise AgentError(f"{where}: {path.name} is too large, at most {most} bytes are read")
    return data


def _read_card(folder: Path, where: str) -> Card:
    """Read a card; nothing but its form is checked."""
    try:
        return Card.model_validate_json(_read(folder / CARD, MAX_CARD, where))
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        problem = plain(f"{field}: {first['msg'].lower()}" if field else first["msg"].lower())
        raise AgentError(f"{where}: {CARD} is not the card of a model: {problem}") from None


def _fitting(card: Card, game: Game, where: str) -> Encoding:
    """Give the encoding that a card names, if all of it fits the game."""
    facts = game.facts
    if not _is_for(card, game, where):
        raise AgentError(f"{where} is for {clip(card.game)}, this is {game.spec}: use another one")
    if card.version != facts.version:
        raise AgentError(
            f"{where} is for version {card.version} of {facts.name}, this is version "
            f"{facts.version}: train it again"
        )
    if card.encoding not in game.encodings:
        hint = nearest(card.encoding, game.encodings)
        raise AgentError(f"{where}: {facts.name} has no encoding {clip(card.encoding)}: {hint}")
    encoding = game.encodings[card.encoding]
    if (card.layers[0], card.layers[-1]) != (encoding.size, encoding.n_actions):
        raise AgentError(
            f"{where} has {card.layers[0]} inputs and {card.layers[-1]} outputs, but the encoding "
            f"{encoding.name!r} has {encoding.size} features and {encoding.n_actions} actions"
        )
    _check_size(card, where)
    return encoding


def _check_size(card: Card, where: str) -> None:
    """Refuse networks that are too large."""
    if max(card.layers[1:-1], default=0) > MAX_WIDTH:
        raise AgentError(f"{where}: hidden layers have at most {MAX_WIDTH} outputs")
    if sum(map(math.prod, _shapes(card).values())) > MAX_WEIGHTS:
        raise AgentError(f"{where}: a network has at most {MAX_WEIGHTS} weights")


def _is_for(card: Card, game: Game, where: str) -> bool:
    """Tell whether a card names this game, and no option that the game has otherwise."""
    try:
        name, named = split_spec(card.game)
        if name != game.facts.name:
            return False
        asked = game.facts.resolve(named)
    except SpecError as error:
        raise AgentError(f"{where}: {CARD} names no game that there is: {error}") from None
    return all(asked[option] == game.options[option] for option in named)


def _shapes(card: Card) -> dict[str, tuple[int, ...]]:
    """Give the names and shapes of all arrays, in order."""
    shapes: dict[str, tuple[int, ...]] = {}
    for k, (n_in, n_out) in enumerate(zip(card.layers, card.layers[1:], strict=False)):
        shapes[f"w{k}"], shapes[f"b{k}"] = (n_in, n_out), (n_out,)
    return shapes


def _read_arrays(data: bytes, shapes: dict[str, tuple[int, ...]], where: str) -> dict[str, Floats]:
    """Read the arrays of an npz file, which must be these."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            held, expected = sorted(archive.namelist()), sorted(f"{name}.npy" for name in shapes)
            if held != expected:
                raise AgentError(
                    f"{where}: {POLICY} holds {plain(', '.join(held)) or 'nothing'}, "
                    f"by its card it should be {', '.join(expected)}"
                )
            return {name: _read_array(archive, name, shapes[name], where) for name in shapes}
    except AgentError:
        raise
    except Exception as error:  # whatever a broken archive makes its readers raise
        reason = plain(str(error)) or type(error).__name__
        raise AgentError(f"{where}: {POLICY} is not an npz file of arrays: {reason}") from None


def _read_array(archive: zipfile.ZipFile, name: str, shape: tuple[int, ...], where: str) -> Floats:
    """Read one array after its header has been seen to announce what is expected, and no more."""
    n_bytes = 4 * math.prod(shape)
    with archive.open(f"{name}.npy") as member:
        read_header = {
            (1, 0): np.lib.format.read_array_header_1_0,
            (2, 0): np.lib.format.read_array_header_2_0,
        }[np.lib.format.read_magic(member)]
        found, is_by_column, dtype = read_header(member)
        if dtype != np.float32 or found != shape:
            raise AgentError(
                f"{where}: {name} in {POLICY} is {plain(str(dtype))} {plain(str(found))}, "
                f"by its card it should be float32 {shape}"
            )
        content = member.read(n_bytes)
    if len(content) != n_bytes:
        raise AgentError(f"{where}: {name} in {POLICY} ends too early")
    flat: npt.NDArray[np.float32] = np.frombuffer(content, np.float32)
    return flat.reshape(shape, order="F" if is_by_column else "C")


def _check_numbers(layers: Layers, where: str) -> None:
    """Refuse weights that are no numbers, or so large that what is computed with them is none."""
    bound = np.full(len(layers[0][0]), MAX_FEATURE)
    for k, (w, b) in enumerate(layers):
        if not (np.isfinite(w).all() and np.isfinite(b).all()):
            raise AgentError(f"{where}: layer {k} has weights that are not finite numbers")
        bound = bound @ np.abs(w.astype(np.float64)) + np.abs(b.astype(np.float64))
        if not bound.max() <= MAX_LOGIT:
            raise AgentError(f"{where}: layer {k} has weights so large that they may overflow")
