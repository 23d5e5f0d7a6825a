"""Searches that are watched: decisions that improve, and memory that is lent and given back."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import kibitz
from kibitz.core.decisions import Decisions
from kibitz.core.rng import Purpose, derive
from kibitz.search.agent import FIRST_CHUNK, SearchAgent
from kibitz.search.desks import SHELF, Shelf, TreeSize

OPEN = "nimmt:players=2,hands=open"
SIZE = TreeSize(nodes=5, decisions=5, most=3, seats=2, worlds=0, scratch=0)


def load(spec: str, agent: str) -> tuple[SearchAgent, Any]:
    """Load an agent, with the first view of a game that it may search."""
    game = kibitz.load_game(spec)
    player = kibitz.load_agent(agent, game)
    assert isinstance(player, SearchAgent)
    return player, game.deal(seed=1).view(0)


def visits(decisions: Decisions) -> list[float]:
    assert decisions.visits is not None
    return decisions.visits[0].tolist()


@pytest.mark.parametrize(
    ("spec", "agent"),
    [
        ("connect4", "uct:sims=300"),
        ("connect4", "uct:sims=300,threads=2"),
        ("connect4", "uct:sims=300,reuse=true"),
        ("connect4", "gumbel:sims=300"),
        ("nimmt:players=3", "uct:sims=300"),
        (OPEN, "uct:sims=300,rule=regret"),
    ],
)
def test_thinking_ends_with_what_deciding_finds(spec: str, agent: str) -> None:
    for seed in range(3):
        player, view = load(spec, agent)
        *_, last = player.think(view, 0, derive(seed, Purpose.AGENT))
        player, view = load(spec, agent)
        decided = player.decide(view, 0, derive(seed, Purpose.AGENT))
        assert visits(last) == visits(decided)
        assert last.actions.tolist() == decided.actions.tolist()
        for name in ("choices", "weights", "values", "errors"):
            np.testing.assert_array_equal(getattr(last, name), getattr(decided, name))
        assert last.info == decided.info


def test_every_thought_knows_more_than_the_one_before() -> None:
    player, view = load("connect4", "uct:sims=300")
    thoughts = list(player.think(view, 0))
    assert [one.info["sims"] for one in thoughts] == [[16], [32], [64], [128], [256], [300]]
    for before, after in zip(thoughts, thoughts[1:], strict=False):
        assert (np.array(visits(after)) >= visits(before)).all()
    assert sum(visits(thoughts[0])) == FIRST_CHUNK


def test_thinking_can_be_stopped_and_gives_its_memory_back() -> None:
    player, view = load("connect4", "uct:sims=301")  # a size of its own
    SHELF.clear()
    n_free = len(SHELF)
    thoughts = player.think(view, 0, derive(1, Purpose.AGENT))
    next(thoughts)
    assert len(SHELF) == n_free
    thoughts.close()  # type: ignore[attr-defined]
    assert len(SHELF) == n_free + 1
    decided = player.decide(view, 0, derive(1, Purpose.AGENT))
    assert len(SHELF) == n_free + 1
    assert sum(visits(decided)) == 301


def test_agents_with_the_same_budget_share_memory_one_after_the_other() -> None:
    one, _ = load("connect4", "uct:sims=302")
    other, _ = load("connect4", "uct:sims=302,c=0.3")
    with one.desk() as desk:
        arms = desk.tree.arms
        with other.desk() as second:
            assert second.tree.arms is not arms
            others = second.tree.arms
    with other.desk() as desk:
        assert desk.tree.arms is arms  # used last
        with one.desk() as second:
            assert second.tree.arms is others


def test_threads_do_not_keep_memory_of_their_own() -> None:
    player, view = load("connect4", "uct:sims=303")
    SHELF.clear()
    n_free = len(SHELF)
    for _ in range(4):  # each time, other threads
        with ThreadPoolExecutor(2) as pool:
            found = list(pool.map(lambda _: player.decide(view, 0), range(6)))
        assert len({tuple(visits(one)) for one in found}) == 1
    assert n_free < len(SHELF) <= n_free + 2


def test_a_shelf_keeps_what_was_used_last() -> None:
    shelf = Shelf(most=2)
    sizes = [TreeSize(n, 5, 3, 2, 0, 0) for n in (5, 6, 7)]
    trees = [shelf.take(size) for size in sizes]
    for size, tree in zip(sizes, trees, strict=True):
        shelf.put(size, tree)
    assert len(shelf) == 2
    assert shelf.take(sizes[2]) is trees[2]
    assert shelf.take(sizes[1]) is trees[1]
    assert shelf.take(sizes[0]) is not trees[0]


def test_memory_comes_back_when_a_search_fails() -> None:
    shelf = Shelf()
    with pytest.raises(ZeroDivisionError), shelf.lend(SIZE):
        _ = 1 / len(shelf)  # none is left
    assert len(shelf) == 1
