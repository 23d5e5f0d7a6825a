"""Papers played again: their tables, our numbers beside theirs.

- `plan`: what a paper says and what has to be played to hold against it
- `results`, `logs`: what was played and found, in one JSON file that a run goes on from
- `run`: the loop that plays
- `learning`: learners, taught some games and asked
- `lines`: what the outcomes say, row by row
- `grids`, `drawing`: tables for terminals and pages, plots, reports

and one module per paper.
"""

import importlib
from typing import TYPE_CHECKING

from kibitz.core.errors import SpecError, clip, nearest

if TYPE_CHECKING:
    from kibitz.papers.plan import Paper

PAPERS = {
    "nimmt-monte-carlo": "kibitz.papers.nimmt_monte_carlo",
    "nimmt-rl": "kibitz.papers.nimmt_rl",
    "planning-model": "kibitz.papers.planning_model",
    "sheephead": "kibitz.papers.sheephead",
    "tichu-bot": "kibitz.papers.tichu_bot",
}
"""Name: the module that holds its `PAPER`."""


def load_paper(name: str) -> "Paper":
    """Return a paper by its name."""
    if name not in PAPERS:
        raise SpecError(f"unknown paper {clip(name)}: {nearest(name, PAPERS)}")
    paper: Paper = importlib.import_module(PAPERS[name]).PAPER
    return paper
