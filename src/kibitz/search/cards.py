"""Cards: what a model is, what its numbers mean, how it was made and how strong it was found.

A card is the file `card.json` in the folder of a model. It may come from anywhere, so its form is
checked when it is read, and whether it fits a game before anything else of the model is looked at.
"""

import math
from typing import Annotated, Literal

from pydantic import Field, field_validator

from kibitz.core.encoding import Encoding
from kibitz.core.errors import AgentError, SpecError, clip, nearest
from kibitz.core.outside import Document, Text, Word, read_json
from kibitz.core.rng import MAX_SEED
from kibitz.core.spec import split_spec
from kibitz.core.table import Game
from kibitz.search.mlp import MAX_LAYERS, MAX_WEIGHTS, MAX_WIDTH
from kibitz.search.ngnet import MAX_NETS, check_sizes

CARD = "card.json"

ARM_SIZE = 4
"""Numbers that tell a planning model one action: Q, P, N, and the visits of all; then perhaps the
variance."""

FILES = {"mlp": "weights.npz", "onnx": "network.onnx", "ngnet": "ngnets.npz"}
"""The file that holds the weights, by the kind of a model."""

MAX_CARD = 64_000
"""Largest card that is read, in bytes."""

Head = Literal["policy", "value", "q"]
Sight = Literal["variance", "history"]

PLANNING = ("selection", "arm")
"""The inputs of planning models."""

Use = Literal["play", "planning", "critic"]
"""What a model is for: to play from views, to say what a search tries, to value guessed worlds."""

_Size = Annotated[int, Field(ge=1, le=1_000_000)]
_Digest = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
_Sizes = Annotated[tuple[_Size, ...], Field(max_length=MAX_LAYERS + 1)]
_NetName = Annotated[str, Field(pattern="^[a-z][a-z0-9-]{0,40}$")]
_Nets = Annotated[dict[_NetName, tuple[_Size, _Size, _Size]], Field(max_length=MAX_NETS)]


class Card(Document):
    """What a model is, and how it was made."""

    schema_version: Literal[2] = Field(default=2, alias="schema")
    game: Word  # a spec; options that it names are the only ones the model plays
    version: Annotated[int, Field(ge=0, le=1_000_000)]  # of the game's rules
    encoding: Word
    kind: Literal["mlp", "onnx", "ngnet"] = "mlp"
    # candidates: a row for each legal action; of planning models, a row for what a search knows of
    # a decision (selection), or of one action (arm); of critics, a view and what an oracle adds.
    inputs: Literal["view", "candidates", "selection", "arm", "oracle"] = "view"
    sees: Annotated[tuple[Sight, ...], Field(max_length=2)] = ()  # a planning model, more than PUCT
    heads: Annotated[dict[Head, _Size], Field(min_length=1)]  # outputs of each, in this order
    layers: _Sizes = ()  # of an mlp: inputs, then the outputs of every layer
    nets: _Nets = {}  # of an ngnet: inputs, units and outputs of every network
    # What the heads value and q tell; rest: the score that is still to come.
    value: Literal["win", "rank", "score", "rest"] | None = None
    scale: Annotated[float, Field(gt=0, le=1e6)] = 1.0  # points that an output of 1 stands for
    files: dict[Word, _Digest] = {}  # SHA-256 of each; `save_model` fills it in
    licence: Word
    recipe: Text  # how it was trained
    seed: Annotated[int, Field(ge=0, le=MAX_SEED)]
    commit: Word = "unknown"  # of the sources it was trained with
    time: Annotated[float, Field(ge=0, le=1e9)] = 0.0  # that training took, in seconds
    machine: Word = "unknown"
    strength: Text  # as measured: against whom, how many deals, with its interval

    @field_validator("schema_version", mode="before")
    @classmethod
    def _check_schema(cls, schema: object) -> object:
        if schema != 2:
            raise ValueError(
                f"{clip(schema)} is not the schema that this kibitz reads, which is 2: save the "
                "model again with save_model, or take the kibitz that wrote it"
            )
        return schema

    @property
    def sizes(self) -> dict[str, int]:
        """How many outputs each head has, in their order."""
        return {name: size for name, size in self.heads.items()}

    @property
    def use(self) -> Use:
        """What the model is for."""
        if self.inputs == "oracle":
            return "critic"
        return "planning" if self.inputs in PLANNING else "play"

    @property
    def n_outputs(self) -> int:
        """How many numbers all heads have together."""
        return sum(self.heads.values())


def row_size(n_actions: int, sees_variance: bool) -> int:
    """Return how many numbers tell a planning model a decision; see `search.planning`."""
    return (5 if sees_variance else 4) * n_actions + 1


def parse_card(data: bytes, where: str) -> Card:
    """Read a card; nothing but its form is checked."""
    return read_json(data, Card, f"{where}: {CARD}", MAX_CARD, AgentError)


def check_card(card: Card, where: str) -> None:
    """Refuse cards that contradict themselves, or announce what is too large."""
    if card.kind != "mlp" and card.layers:
        raise AgentError(f"{where}: {CARD} has layers, which only an mlp has: leave them out")
    if card.kind != "ngnet" and card.nets:
        raise AgentError(f"{where}: {CARD} has nets, which only an ngnet has: leave them out")
    if card.kind == "ngnet":
        check_sizes(card.nets, where)
    if card.inputs == "candidates" and "value" in card.heads:
        raise AgentError(
            f"{where}: a network of candidates has a row for each action, so no head 'value': use q"
        )
    if {"value", "q"} & set(card.heads) and card.value is None:
        raise AgentError(
            f"{where}: {CARD} does not say what its values are: win, rank, score or rest"
        )
    if card.use == "critic" and (card.kind != "mlp" or card.sizes != {"value": 1}):
        raise AgentError(f"{where}: a critic is an mlp with one head, 'value', of one output")
    if card.use == "critic" and card.value not in ("score", "rest"):
        raise AgentError(f"{where}: a critic tells score or rest, in points, not {card.value}")
    if card.use == "planning":
        _check_planning(card, where)
    elif card.sees:
        raise AgentError(f"{where}: {CARD} says what it sees of a search, inputs={card.inputs!r}")
    if card.kind == "mlp":
        _check_layers(card, where)


def _check_planning(card: Card, where: str) -> None:
    """Refuse planning models that nobody could run."""
    if set(card.heads) != {"policy"}:
        raise AgentError(f"{where}: a planning model has the head 'policy' alone")
    if len(set(card.sees)) != len(card.sees):
        raise AgentError(f"{where}: {CARD} says twice what it sees")
    if "history" in card.sees and (card.kind == "mlp" or card.inputs == "arm"):
        raise AgentError(
            f"{where}: only an ONNX network with inputs 'selection' sees the history, leave it out"
        )
    if card.inputs == "arm" and card.kind != "mlp":
        raise AgentError(f"{where}: a planning model of single actions is an mlp, not an ONNX file")


def _check_layers(card: Card, where: str) -> None:
    """Refuse layers that are too large, or do not end in the heads."""
    if len(card.layers) < 2:
        raise AgentError(f"{where}: {CARD} has no layers: an mlp has its inputs, then outputs")
    if card.layers[-1] != card.n_outputs:
        heads = ", ".join(f"{name} {n}" for name, n in card.heads.items())
        raise AgentError(
            f"{where}: the last layer has {card.layers[-1]} outputs, the heads {card.n_outputs} "
            f"({heads})"
        )
    if max(card.layers[1:-1], default=0) > MAX_WIDTH:
        raise AgentError(f"{where}: hidden layers have at most {MAX_WIDTH} outputs")
    if sum(map(math.prod, array_shapes(card).values())) > MAX_WEIGHTS:
        raise AgentError(f"{where}: a network has at most {MAX_WEIGHTS} weights")


def array_shapes(card: Card) -> dict[str, tuple[int, ...]]:
    """Return the names and shapes of all arrays of an mlp or an ngnet, in order."""
    shapes: dict[str, tuple[int, ...]] = {}
    for name, (n_in, n_units, n_out) in card.nets.items():
        shapes[f"{name}.centres"] = shapes[f"{name}.precisions"] = (n_in, n_units)
        shapes[f"{name}.weights"] = (n_out, 1 + n_in, n_units)
    for k, (n_in, n_out) in enumerate(zip(card.layers, card.layers[1:], strict=False)):
        shapes[f"w{k}"], shapes[f"b{k}"] = (n_in, n_out), (n_out,)
    return shapes


def fit_card(card: Card, game: Game, where: str) -> tuple[Encoding, int]:
    """Return the encoding that a card names and the number of inputs, if all of it fits a game."""
    facts = game.facts
    check_card(card, where)
    if not _is_for(card, game, where):
        raise AgentError(f"{where} is for {clip(card.game)}, this is {game.spec}: use another one")
    if card.version != facts.version:
        raise AgentError(
            f"{where} is for version {card.version} of {facts.name}, this is version "
            f"{facts.version}: train it again, or take the kibitz that it was trained with"
        )
    if card.encoding not in game.encodings:
        hint = nearest(card.encoding, game.encodings)
        raise AgentError(f"{where}: {facts.name} has no encoding {clip(card.encoding)}: {hint}")
    encoding = game.encodings[card.encoding]
    n_inputs = _count_inputs(card, game, encoding)
    if card.kind == "mlp" and card.layers[0] != n_inputs:
        raise AgentError(
            f"{where} has {card.layers[0]} inputs, but the encoding {encoding.name!r} has "
            f"{n_inputs} for a row of {card.inputs!r}"
        )
    _check_heads(card, game, encoding, where)
    return encoding, n_inputs


def _count_inputs(card: Card, game: Game, encoding: Encoding) -> int:
    """Return how many features a row has: those of the view, then of a candidate or an oracle."""
    if card.inputs == "oracle":
        return encoding.size + (game.oracle.size - game.n_known if game.oracle else 0)
    sees_variance = "variance" in card.sees
    if card.inputs == "arm":
        return ARM_SIZE + sees_variance
    if card.inputs == "selection":
        size = row_size(encoding.n_actions, sees_variance)
        return size + (encoding.size if "history" in card.sees else 0)
    return encoding.size + (encoding.candidate_size if card.inputs == "candidates" else 0)


def _check_heads(card: Card, game: Game, encoding: Encoding, where: str) -> None:
    """Refuse heads that have not as many outputs as the game has actions or seats."""
    n_actions = encoding.n_actions if card.inputs in ("view", "selection") else 1
    allowed = {"policy": [n_actions], "q": [n_actions], "value": sorted({1, game.n_seats})}
    for name, n_outputs in card.heads.items():
        if n_outputs not in allowed[name]:
            expected = " or ".join(map(str, allowed[name]))
            raise AgentError(
                f"{where}: the head {name!r} has {n_outputs} outputs, with the encoding "
                f"{encoding.name!r} of {game.spec} it must have {expected}"
            )


def _is_for(card: Card, game: Game, where: str) -> bool:
    """Whether a card names this game, and no option that the game has otherwise."""
    try:
        name, named = split_spec(card.game)
        if name != game.facts.name:
            return False
        asked = game.facts.resolve(named)
    except SpecError as error:
        raise AgentError(f"{where}: {CARD} names no game that there is: {error}") from None
    return all(asked[option] == game.options[option] for option in named)
