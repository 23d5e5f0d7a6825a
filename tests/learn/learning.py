"""What tests of learning algorithms share: a game whose best play is known, and exact resuming."""

from pathlib import Path
from typing import Any

import numpy as np

import kibitz
from kibitz.core.table import Game, make_game
from kibitz.learn.algorithm import Algorithm, Draft
from tests.search.networks import save
from tests.toy.fork import GAME

FORK = make_game(GAME, {"ways": 3, "turns": 3})
"""Seats 0 and 1 write a number of three digits in base 3, in turns; seat 0 wants it high.

So seat 0 plays way 2 and seat 1 way 0 whatever happens: the number is 202, in base ten 20, and the
scores are 20 and 26 - 20. On the way there every decision that the encoding can tell apart occurs.
"""

BEST = [20, 6]


def save_draft(folder: Path, game: Game, draft: Draft) -> str:
    """Write a draft as a model; return the spec of an agent that plays it without a search."""
    facts: dict[str, Any] = {"encoding": draft.encoding, "heads": draft.heads}
    facts |= {"inputs": draft.inputs, "value": draft.value, "scale": draft.scale}
    save(folder, game, draft.network, **facts)  # type: ignore[arg-type]
    return f"net:model={folder}"


def scores_of_greedy(folder: Path, algorithm: Algorithm) -> list[float]:
    """Let what was learnt so far play against itself, as a model that runs without torch."""
    game = algorithm.game
    spec = save_draft(folder, game, algorithm.drafts()["model"])
    table = game.deal(1)
    kibitz.play_out(table, [kibitz.load_agent(spec, game) for _ in range(game.n_seats)])
    return [float(score) for score in table.scores]


def train(algorithm: Algorithm, n_steps: int) -> Algorithm:
    """Take some steps."""
    for _ in range(n_steps):
        algorithm.step()
    return algorithm


def flat(state: Any, name: str = "") -> dict[str, Any]:
    """List all leaves of a state by their paths."""
    if not isinstance(state, dict):
        return {name: state}
    found: dict[str, Any] = {}
    for key, part in state.items():
        found |= flat(part, f"{name}/{key}")
    return found


def assert_resumes_exactly(make: Any) -> None:
    """Run six steps at once, and three and three with a new object between them: all is equal."""
    whole = train(make(), 6)
    half = train(make(), 3)
    resumed = make()
    resumed.restore(half.state())
    train(resumed, 3)
    expected, found = flat(whole.state()), flat(resumed.state())
    assert list(expected) == list(found)
    for name, leaf in expected.items():
        assert np.asarray(leaf).tobytes() == np.asarray(found[name]).tobytes(), name
    first = flat(make().state())
    moved = [name for name in expected if name.startswith("/networks") and name in first]
    assert any(expected[name].tobytes() != first[name].tobytes() for name in moved)
