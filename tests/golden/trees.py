"""Trees of searches, told: every node with what each way from it was found to be worth."""

from collections.abc import Iterator
from typing import Any

import numpy as np

import kibitz
from kibitz.core.rng import Purpose, derive
from kibitz.search.agent import SearchAgent
from kibitz.search.desks import Desk
from kibitz.search.tree import NONE, arms_of, child_of, decisions_at

LEGEND = """\
A line is an action that was tried: how often, and its mean value to the seat that chooses. What
follows it stands below, further in. Where seats choose at once, all that each of them tried comes
first; then what followed, `after` the actions of all.
"""

TREES = {
    "tree-connect4-uct": ("connect4", "uct:sims=60"),
    "tree-connect4-gumbel": ("connect4", "gumbel:sims=64,value_scale=0.1"),
    "tree-nimmt-puct": ("nimmt:players=2,hands=open,rows=lowest", "puct:sims=40"),
    "tree-nimmt-uct": ("nimmt:players=3", "uct:sims=40"),
}
"""File name: the game whose first position is searched, and the agent. The last two are trees of
what all play, and of what the seat that searches plays in many worlds (open loop)."""


def write_tree(name: str) -> str:
    """Return the whole text of `<name>.txt`."""
    spec, agent = TREES[name]
    game = kibitz.load_game(spec)
    player, view = kibitz.load_agent(agent, game), game.deal(seed=1).view(0).reshape(1)
    assert isinstance(player, SearchAgent)
    desk = player.make_desk()
    player.search_alone(desk, view, 0, derive(1, Purpose.AGENT))
    head = f"The tree of {agent} in {spec}, made by: python -m tests.golden.regenerate\n{LEGEND}"
    summary = f"{desk.how['n_nodes']} nodes, {desk.how['n_sims']} simulations, position"
    position = game.text.format_position(view[0])
    return "\n".join([head, summary, f"  {position}", "", *_tell(desk, 0, ""), ""])


def _tell(desk: Desk, node: int, indent: str) -> Iterator[str]:
    """Yield lines on a node and all below it."""
    tree, how = desk.tree, desk.how
    deciders = decisions_at(tree, how, node)
    ways: list[tuple[tuple[int, Any], ...]] = [()]
    for seat, decision in deciders:
        tried = [arm for arm in tree.arms[arms_of(tree, decision)] if arm["arm_visits"]]
        ways = [(*way, (seat, arm)) for way in ways for arm in tried]
        for arm in tried if len(deciders) > 1 else ():
            yield f"{indent}{_line(seat, arm)}"
    for way in ways if deciders else ():
        child = child_of(tree, node, [int(arm["arm_action"]) for _, arm in way])
        if len(way) == 1:
            yield f"{indent}{_line(*way[0])}"
        elif child != NONE:
            actions = ", ".join(str(arm["arm_action"]) for _, arm in way)
            yield f"{indent}after {actions}"
        if child != NONE:
            yield from _tell(desk, child, indent + "  ")


def _line(seat: int, arm: np.record) -> str:
    """Return a line on an arm."""
    n, mean = int(arm["arm_visits"]), float(arm["value_sum"]) / int(arm["arm_visits"])
    return f"seat {seat}: {arm['arm_action']}  {n} x {mean:.4f}"
