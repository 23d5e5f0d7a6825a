"""Reinforcement learning for 6 nimmt!: its figures and tables, at tables of five and four.

Hidden hands, all 104 cards, one round; a card below all rows takes the row with the fewest heads.
Scores are bull heads below zero, as in the paper. Figures of the paper are pictures: what their
axes show is not known beyond the text, so only tables have numbers to be held against. What else
the text leaves open is said in docs/papers/nimmt-rl.md.
"""

from dataclasses import replace

from kibitz.papers.nimmt_rl import chapter3, chapter4, chapter5
from kibitz.papers.nimmt_rl.remarks import REMARKS
from kibitz.papers.plan import Measured, Paper, Table


def make_tables(_: Measured) -> list[Table]:
    """Return all figures and tables, in the order of the paper."""
    makers = (*chapter3.TABLES, *chapter4.TABLES, *chapter5.TABLES)
    tables = [make() for make in makers]
    return [replace(table, remarks=REMARKS.get(table.name, ())) for table in tables]


PAPER = Paper("nimmt-rl", "Reinforcement learning for 6 nimmt!", make_tables, dict)
