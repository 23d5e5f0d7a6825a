"""From drafts to models: what an algorithm has learnt, saved with a card that says how."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from kibitz.core.errors import TrainingError, clip
from kibitz.core.outside import complaint
from kibitz.core.provenance import commit, machine
from kibitz.core.table import Game
from kibitz.learn.algorithm import Draft
from kibitz.learn.recipe import Recipe, write_recipe
from kibitz.search.cards import Card
from kibitz.search.models import RUN_MODEL, save_model

MODEL = RUN_MODEL
"""The draft that plays, and its folder within a run."""

LICENCE = "MIT"

_NAME = re.compile(r"[a-z][a-z0-9_-]{0,60}\Z")


@dataclass(frozen=True)
class Making:
    """How models of a run were made, up to now."""

    step: int
    seconds: float
    strength: str


def save_drafts(
    folder: Path, game: Game, recipe: Recipe, drafts: Mapping[str, Draft], making: Making
) -> None:
    """Save every draft as a model in a folder of its name; see `save_model`."""
    if MODEL not in drafts:
        raise TrainingError(
            f"{recipe.algorithm} has drafts {clip(', '.join(drafts))}, one must be {MODEL!r}"
        )
    for name, draft in drafts.items():
        if not _NAME.match(name) or name == "checkpoint":
            raise TrainingError(f"a draft has a short name in lower case, got {clip(name)}")
        save_model(folder / name, make_card(game, recipe, draft, making), draft.network)


def make_card(game: Game, recipe: Recipe, draft: Draft, making: Making) -> Card:
    """Write the card of a draft."""
    shape: dict[str, Any] = {"kind": "onnx"}
    if isinstance(draft.network, Mapping):
        shape = {"kind": "ngnet", "nets": {name: n.size for name, n in draft.network.items()}}
    elif not isinstance(draft.network, bytes):
        layers = (len(draft.network[0][0]), *(len(bias) for _, bias in draft.network))
        shape = {"kind": "mlp", "layers": layers}
    notes = "".join(f"{name}: {text}\n" for name, text in draft.notes.items())
    plain = recipe.model_copy(update={"strength": "on the card"})  # as measured
    told = f"step {making.step} of kibitz train {recipe.name}\n{notes}\n{write_recipe(plain)}"
    facts: dict[str, Any] = {
        "game": recipe.game,
        "version": game.facts.version,
        "encoding": draft.encoding,
        "inputs": draft.inputs,
        "sees": draft.sees,
        "heads": dict(draft.heads),
        **shape,
        "value": draft.value,
        "scale": draft.scale,
        "licence": LICENCE,
        "recipe": told[:10_000],
        "seed": recipe.seed,
        "commit": commit(),
        "time": round(making.seconds, 3),
        "machine": machine(),
        "strength": making.strength[:10_000],
    }
    try:
        return Card(**facts)
    except ValidationError as mistakes:
        raise TrainingError(
            f"what {recipe.algorithm} has learnt fits no card: {complaint(mistakes)}"
        ) from None
