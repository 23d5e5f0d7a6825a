"""Chapter 3: how much chance there is, and the bots that there were."""

from kibitz.papers.learning import Lesson
from kibitz.papers.nimmt_rl import studies
from kibitz.papers.nimmt_rl.players import (
    ELO,
    FIVE,
    HEADS,
    mcs,
    searcher,
)
from kibitz.papers.plan import (
    Drawn,
    Reading,
    Study,
    Table,
)

SPREAD = Study(
    "figure-3.1",
    "spread",
    f"rig:kind=close,distance=0,of=random with four random in {FIVE}",
    30_000,
    1_000,
    studies.spread_of(
        FIVE, "rig:kind=close,distance=0,of=random", (100, 300, 1_000, 3_000, 10_000, 30_000)
    ),
)


def _figure_3_1() -> Table:
    kinds = ("furthest run", "score ±", "lead ±")
    lines = [f"{how}: {what}" for how in ("one seat", "every seat") for what in kinds]
    rows = tuple(
        Reading((line, f"{n:,}"), SPREAD, line, n) for line in lines for n in (300, 1_000, 30_000)
    )
    return Table(
        "figure-3.1",
        "How far the mean score of Close0 is from its truth, by games",
        ("each deal from", "games"),
        rows,
        30_000,
        x_label="games",
        unit=HEADS,
        is_log=True,
        curves=tuple(Drawn(SPREAD, line) for line in lines),
    )


PUPILS = (
    searcher("Alpha0.5", "alpha05", FIVE),
    searcher("DirV", "dirv", FIVE),
    Lesson("ACER", "acer", "net", FIVE, config={"encoding": "paper", "games": 10}),
    Lesson(
        "D3QN",
        "dqn",
        "net",
        FIVE,
        config={
            **{"encoding": "paper", "games": 10, "double": True, "dueling": True, "noisy": True},
            **{"prioritised": True, "n_step": 3, "warmup": 1_000, "target_every": 200},
        },
    ),
    Lesson("REINFORCE", "reinforce", "net", FIVE, config={"encoding": "paper", "games": 10}),
)
STAYING = {"MCS(50)": mcs(50).spec, "random": "random"}
STAGES = (0, 250, 500, 1_000, 2_000)
_SETTINGS = "; ".join(one.setting for one in PUPILS) + f"; beside {', '.join(STAYING.values())}"

SCHOOL = Study(
    "figure-3.4",
    "school",
    _SETTINGS,
    STAGES[-1],
    20,
    studies.school(PUPILS, STAYING, STAGES),
    needs_torch=True,
)


def _figure_3_3() -> Table:
    names = [one.label for one in PUPILS] + list(STAYING)
    return Table(
        "figure-3.3",
        "Elo in a tournament that drops poor players, after as much learning",
        ("player",),
        (),
        0,
        x_label="games of the tournament",
        unit=ELO,
        curves=tuple(Drawn(SCHOOL, f"{name}, evolving", name) for name in names),
    )


def _figure_3_4() -> Table:
    names = [one.label for one in PUPILS] + list(STAYING)
    rows = tuple(
        Reading((name, label), SCHOOL, name, x)
        for name in names
        for label, x in (("nothing", 0.0), ("all games", None))
    )
    return Table(
        "figure-3.4",
        "Elo over random of bots that begin untrained, by games they learnt from",
        ("player", "has learnt from"),
        rows,
        0,
        x_label="games learnt from",
        unit=ELO,
        curves=tuple(Drawn(SCHOOL, name) for name in names),
    )


TABLES = (
    _figure_3_1,
    _figure_3_3,
    _figure_3_4,
)
"""What makes the tables of this chapter, in the order of the paper."""
