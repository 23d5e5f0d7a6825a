"""Models of `best`: linear networks of cues, one for each number of players, in one file.

A model has a hidden unit for each number of players: the linear network of that number, lifted so
that a rectifier lets all of it through, and shut for all other numbers. So it is an ordinary MLP,
`net` plays it at every table, and the search takes out the weights that it needs.
"""

import numpy as np
import numpy.typing as npt

from kibitz.core.encoding import size_of
from kibitz.core.errors import AgentError, clip
from kibitz.core.table import Game
from kibitz.games.nimmt.cues import N_CARD, N_CUES
from kibitz.games.nimmt.features import COUNTS, CUE_ROW_LAYOUT, CUES_LAYOUT, MOST_ROW_HEADS
from kibitz.games.nimmt.lookahead import Judgement
from kibitz.search.mlp import Layers
from kibitz.search.models import RUN_MODEL, find_model, load_model

AUTO = "nimmt-best"
"""The model that ships: its own policy; those of the others and the value have longer names."""

OTHERS, VALUE = "others", "value"

OWN_HEAT, OTHERS_HEAT = 0.5, 1.0
"""Temperatures of the policies in playouts; 1 is as often as a search chooses so."""

LIFT, SHUT = 512.0, 4096.0

ROW_DISLIKE = 0.5
"""What a head on a row to be taken adds to the logit of taking it, downwards."""

Floats = npt.NDArray[np.float32]
_N_VIEW = size_of(CUES_LAYOUT)
_N_ROW = size_of(CUE_ROW_LAYOUT)


def policy_layers(weights: Floats) -> Layers:
    """Return the layers of a policy, given the weights of card cues: [counts, N_CARD]."""
    layers = _gates(_N_VIEW + _N_ROW)
    layers[0][0][_N_VIEW : _N_VIEW + N_CARD] = weights.T
    dislike = ROW_DISLIKE * np.arange(MOST_ROW_HEADS + 1)
    layers[0][0][_N_VIEW + N_CARD :] = -dislike[:, np.newaxis]
    return layers


def value_layers(weights: Floats) -> Layers:
    """Return the layers of a value, given the heads to come by cue: [counts, N_CUES]."""
    layers = _gates(_N_VIEW)
    layers[0][0][:N_CUES] = -weights.T  # a score is minus the heads
    layers[0][0][N_CUES] = -1
    return layers


def _gates(n_inputs: int) -> Layers:
    """Make the layers of a network that says 0 for every number of players."""
    first = np.zeros((n_inputs, COUNTS), np.float32)
    first[N_CUES + 1 : N_CUES + 1 + COUNTS] = SHUT * np.eye(COUNTS)
    lifted = np.full(COUNTS, LIFT - SHUT, np.float32)
    return [(first, lifted), (np.ones((COUNTS, 1), np.float32), np.full(1, -LIFT, np.float32))]


def load_judgement(name: str, game: Game) -> Judgement:
    """Load what is believed about play, for the number of players of a game.

    Args:
        name: of a model that ships, `auto`, or the folder of a training run.
        game: what is played.

    Raises:
        SpecError: there is no such model.
        AgentError: it cannot be read, or is none of `best`.
    """
    own = AUTO if name == "auto" else name
    column = game.n_seats - 2
    names = own, _beside(own, OTHERS, game), _beside(own, VALUE, game)
    read = [_first_layer(one, game, column) for one in names]
    for weights, one, size in zip(read, names, (_N_VIEW + _N_ROW,) * 2 + (_N_VIEW,), strict=True):
        if len(weights) != size:
            raise AgentError(
                f"model {clip(one, 200)} has {len(weights)} inputs, here best needs {size}: "
                "train it with kibitz train nimmt-best"
            )
    logits = [weights[_N_VIEW : _N_VIEW + N_CARD] for weights in read[:2]]
    return Judgement(make_factors(*logits), np.ascontiguousarray(-read[2][:N_CUES]))


def make_factors(own: Floats, others: Floats) -> Floats:
    """Return the factors of policies, given their logits by cue; random play has equal ones."""
    logits = np.stack([own / OWN_HEAT, others / OTHERS_HEAT, np.zeros_like(own)])
    return np.exp(logits).astype(np.float32)


def _beside(own: str, part: str, game: Game) -> str:
    """Name the model that belongs to another: `NAME-part`, or the folder `part` of the same run."""
    folder = find_model(own, game.facts.name)
    return str(folder.parent / part) if folder.name == RUN_MODEL else f"{own}-{part}"


def _first_layer(name: str, game: Game, column: int) -> Floats:
    """Return the weights of one number of players."""
    model = load_model(name, game)
    is_ours = model.card.encoding == "cues" and len(model.layers) == 2
    if not is_ours or model.layers[0][0].shape[1] != COUNTS:
        raise AgentError(
            f"model {clip(name, 200)} has other layers than best can use: train one with "
            "kibitz train nimmt-best"
        )
    return np.ascontiguousarray(model.layers[0][0][:, column])
