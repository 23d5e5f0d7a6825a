"""Recipes: what is trained on which game, for how long, and how it is measured.

A recipe is a TOML file. Those that ship lie in `learn/recipes/` and are named by their name; any
other is named by its path. `change` replaces single values of one, by `key=value`.
"""

import dataclasses
import importlib
import importlib.util
import json
import os
import tomllib
import typing
from collections.abc import Mapping, Sequence
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from kibitz.core.errors import SpecError, TrainingError, clip, nearest, plain
from kibitz.core.outside import Document, Text, Whole, Word, complaint, read_json

if TYPE_CHECKING:
    from kibitz.learn.algorithm import Algorithm

RECIPES = Path(__file__).parent / "recipes"
"""The folder of the recipes that ship with the package."""

MAX_RECIPE = 100_000
"""Largest recipe that is read, in bytes."""

ALGORITHMS = "kibitz.algorithms"
"""Entry points of algorithms that come with other packages."""

NEEDED = ("torch", "tensorboard")
"""Packages that training needs beyond those of kibitz."""

_Steps = Annotated[int, Field(ge=1, le=10**12)]
_Scalar = bool | int | float | Text
_Value = _Scalar | Annotated[tuple[_Scalar, ...], Field(max_length=1000)]
_Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]*$", max_length=100)]


class Evaluation(Document):
    """How what is learnt is measured: on duplicate deals, against one opponent after the other."""

    opponents: Annotated[tuple[Word, ...], Field(min_length=1, max_length=20)]  # specs
    deals: Annotated[int, Field(ge=2, le=1_000_000)] = 200
    every: _Steps  # steps between measurements; there is one at the end, too
    agent: Word = "net"  # who plays the model: `model=` is added to this spec
    positions: Annotated[int, Field(ge=0, le=10_000)] = 0  # of each stage, beside perfect play


class Recipe(Document):
    """What is trained, and how."""

    name: _Name = "unnamed"  # of the file
    title: Word
    game: Word  # a spec
    algorithm: _Name  # a module of `kibitz.learn`, or an entry point
    seed: Whole = 1
    steps: _Steps
    checkpoint: _Steps  # steps between checkpoints
    log: _Steps | None = None  # steps that a line of the log tells about; None: a thousandth
    threads: Annotated[int, Field(ge=1, le=1024)] = 1  # of torch
    minutes: Annotated[float, Field(ge=0, le=1e6)] = (
        0.0  # about how long it takes, on as many cores as threads
    )
    strength: Text = "not known"  # what to expect, in one sentence
    evaluation: Evaluation | None = None
    config: dict[_Name, _Value] = {}  # fields of the algorithm's Config

    @property
    def steps_per_line(self) -> int:
        """Steps that a line of the log tells about."""
        return self.log or max(1, self.steps // 1000)


def recipe_names() -> list[str]:
    """List the recipes that ship, sorted."""
    return sorted(path.stem for path in RECIPES.glob("*.toml"))


def load_recipe(name: str) -> Recipe:
    """Read a recipe by its name or, if it has a path separator or ends in `.toml`, from a file.

    Raises:
        SpecError: there is none, or it makes no sense; one sentence says where.
    """
    if is_file(name):
        return read_recipe(Path(name))
    known = recipe_names()
    if name not in known:
        raise SpecError(
            f"unknown recipe {clip(name)}: {nearest(name, known)}; a file is written with .toml"
        )
    return read_recipe(RECIPES / f"{name}.toml")


def is_file(name: str) -> bool:
    """Whether a recipe is named by the path of its file; of `key=value`, the key says so."""
    begin = name.partition("=")[0]
    return name.endswith(".toml") or os.sep in begin or (os.altsep or os.sep) in begin


def read_recipe(path: Path) -> Recipe:
    """Read a recipe from a file; see `load_recipe`."""
    where = f"recipe {clip(path, 200)}"
    try:
        with path.open("rb") as file:
            data = file.read(MAX_RECIPE + 1)
        if len(data) > MAX_RECIPE:
            raise SpecError(f"{where} is too large: at most {MAX_RECIPE} bytes are read")
        document = tomllib.loads(data.decode())
    except (OSError, ValueError) as error:
        if isinstance(error, SpecError):
            raise
        reason = getattr(error, "strerror", None) or plain(str(error))
        raise SpecError(f"{where} cannot be read: {reason}") from None
    except RecursionError:
        raise SpecError(f"{where} is nested too deeply") from None
    return parse_recipe({"name": path.stem.lower()} | document, where)


def parse_recipe(document: Mapping[str, Any], where: str) -> Recipe:
    """Make a recipe from what its file says."""
    _check_names(document, Recipe.model_fields, where)
    if isinstance(document.get("evaluation"), Mapping):
        _check_names(document["evaluation"], Evaluation.model_fields, f"{where}: evaluation")
    try:
        text = json.dumps(document, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        raise SpecError(f"{where}: values are finite numbers, texts and lists of these") from None
    return read_json(text, Recipe, where, 4 * MAX_RECIPE)


def _check_names(given: Mapping[str, Any], known: Mapping[str, Any], where: str) -> None:
    for name in given:
        if name not in known:
            raise SpecError(f"{where}: there is no key {clip(name)}: {nearest(name, known)}")


def write_recipe(recipe: Recipe) -> str:
    """Write a recipe as TOML: the opposite of `read_recipe`."""
    document = recipe.model_dump(mode="json", exclude_none=True)
    tables = {key: document.pop(key) for key in ("evaluation", "config") if key in document}
    lines = [_line(key, value) for key, value in document.items()]
    for name, table in tables.items():
        lines += ["", f"[{name}]", *(_line(key, value) for key, value in table.items())]
    return "\n".join(lines) + "\n"


def _line(key: str, value: Any) -> str:
    # What JSON says of texts, numbers and lists is TOML, but for one character that must be hidden.
    return f"{key} = {json.dumps(value, ensure_ascii=False)}".replace("\x7f", "\\u007f")


def change(recipe: Recipe, words: Sequence[str]) -> Recipe:
    """Return a recipe with some values replaced.

    Args:
        recipe: the one to begin with.
        words: `key=value` with a value as TOML writes it; quotes around a single text may be left
            out, and so may the brackets of a list. A key is one of the recipe (`seed`, `steps`), of
            its evaluation (`evaluation.deals`), or of the algorithm's Config.

    Raises:
        SpecError: a key or a value makes no sense.
    """
    if not words:
        return recipe
    document = recipe.model_dump(mode="json", exclude_none=True)
    own = set(Recipe.model_fields) - {"name", "config", "evaluation", "algorithm"}
    inner = {f"evaluation.{key}" for key in Evaluation.model_fields}
    kind = find_algorithm(recipe.algorithm).Config
    knobs = {item.name for item in dataclasses.fields(kind)}
    hints = typing.get_type_hints(kind)
    lists = {name for name, hint in hints.items() if typing.get_origin(hint) is tuple}
    lists.add("evaluation.opponents")
    for word in words:
        key, equals, text = word.partition("=")
        if not equals or not key:
            raise SpecError(f"expected key=value, got {clip(word)}")
        value = _read_value(text)
        if key in lists and not isinstance(value, list):
            value = [value]
        if key in own:
            document[key] = value
        elif key in inner:
            document.setdefault("evaluation", {})[key.partition(".")[2]] = value
        elif key in knobs:
            document.setdefault("config", {})[key] = value
        else:
            hint = nearest(key, own | inner | knobs)
            raise SpecError(f"{recipe.name} has no key {clip(key)}: {hint}")
    changed = parse_recipe(document, f"recipe {recipe.name}")
    make_config(changed, find_algorithm(changed.algorithm))
    return changed


def _read_value(text: str) -> Any:
    """Read a value as TOML, a list without its brackets, or else as the text that it is."""
    for written in (text, f"[{text}]" if "," in text else text):
        try:
            document = tomllib.loads(f"value = {written}\n")
        except (ValueError, RecursionError):
            continue
        if list(document) == ["value"]:
            return document["value"]
    return text


def make_config(recipe: Recipe, algorithm: "type[Algorithm]") -> Any:
    """Make the Config of an algorithm from what a recipe says.

    Raises:
        SpecError: there is no such field, or it takes another value.
    """
    kind = algorithm.Config
    known = {item.name for item in dataclasses.fields(kind)}
    hints = typing.get_type_hints(kind)
    where = f"recipe {recipe.name}: config"
    _check_names(recipe.config, dict.fromkeys(known), where)
    values = {}
    for name, value in recipe.config.items():
        strict = ConfigDict(strict=True, allow_inf_nan=False)
        try:
            values[name] = TypeAdapter(hints[name], config=strict).validate_json(json.dumps(value))
        except ValidationError as mistakes:
            raise SpecError(
                f"{where}: {name} = {clip(json.dumps(value))[1:-1]}: {complaint(mistakes)}"
            ) from None
    try:
        return kind(**values)
    except SpecError as error:
        raise SpecError(f"{where}: {error}") from None
    except TypeError as error:  # a field without a default
        raise SpecError(f"{where}: {plain(str(error))}") from None


def find_algorithm(name: str) -> "type[Algorithm]":
    """Return an algorithm by its name.

    Raises:
        TrainingError: what training needs is not installed.
        SpecError: there is no such algorithm.
    """
    check_extra()
    entries = {entry.name: entry for entry in entry_points(group=ALGORITHMS)}
    if name in entries:
        found: type[Algorithm] = entries[name].load()
        return found
    module = name.replace("-", "_")
    if importlib.util.find_spec(f"kibitz.learn.{module}") is not None:
        own = getattr(importlib.import_module(f"kibitz.learn.{module}"), "ALGORITHM", None)
        if own is not None:
            return typing.cast("type[Algorithm]", own)
    raise SpecError(f"unknown algorithm {clip(name)}: {nearest(name, [*entries, *_own()])}")


def _own() -> list[str]:
    """List the modules of this room that hold an algorithm, without loading them."""
    modules = Path(__file__).parent.glob("*.py")
    return [path.stem for path in modules if "\nALGORITHM = " in path.read_text(encoding="utf-8")]


def check_extra() -> None:
    """Refuse to train without what training needs."""
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise TrainingError(
            f"training needs {' and '.join(missing)}, not installed here: "
            "pip install 'kibitz[train]'"
        )
