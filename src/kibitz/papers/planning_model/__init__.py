"""Replacing PUCT with a planning model (Glauben 2022): figures 5.1 to 5.10, tables 5.1 and 5.2.

Figures of the thesis are pictures, and its text tells few of their numbers: only those are
compared. What differs from it is said in docs/papers/planning-model.md.
"""

import math
from dataclasses import replace

from kibitz.bench.planning import BLOCKS, FILTERS, PLANNER_BLOCKS, SIMS, TREES
from kibitz.papers.plan import Drawn, Measured, Paper, Reading, Study, Table, Unit
from kibitz.papers.planning_model import studies
from kibitz.papers.planning_model.pupils import (
    BASE,
    GAME,
    POINTS,
    PUPILS,
    REMEDIES,
    SIX,
    scale_of,
    stages_of,
)
from kibitz.papers.planning_model.remarks import REMARKS
from kibitz.papers.planning_model.studies import (
    BASE_DEALS,
    BASE_NAME,
    BASE_STEPS,
    EMPTY,
    GAINS,
    HELD_OUT,
    IMITATED,
    LEARNT,
    OF_UPDATES,
    PLAYED,
    REPEATS,
    RULE_DEALS,
    RULES,
    SEARCHED,
    SMALL_BASE,
    SPEEDS,
    TIMED,
    TIMED_RIVAL,
    UPDATED,
    VISIT_SIMS,
    weights_of,
)

ELO = Unit("Elo over the base network by PUCT", ".0f", 100.0)
OWN_ELO = Unit("Elo over the untrained network", ".0f", 100.0)
SHARE = Unit("share", ".1%", 0.05)
ACCURACY = Unit("share of held-out selections that are predicted", ".2%", 0.01)
SPEED = Unit("nodes per second", ",.0f", 100.0)
GAIN = Unit("more of the games won", "+.1%", 0.05)
GAMES = Unit("games", ",.0f", 500.0)

LEAST_STEPS = 3
LEAST_POINTS = 2_000
SECONDS = 0.02

_HOW = f"{scale_of(POINTS)} of {weights_of(f'model={BASE}')}"
_ALONE = f"{VISIT_SIMS} simulations of {EMPTY}"
_BESIDE = f"in a round robin of {GAME}"
_LESSONS = "; ".join(PUPILS[name].lesson(POINTS).setting for name in (*LEARNT, REMEDIES))

BASE_STUDY = Study(
    "figure-5.2",
    "base",
    f"{SMALL_BASE.setting}, {BASE_DEALS} deals of every pair",
    BASE_STEPS,
    LEAST_STEPS,
    studies.base_growth(SMALL_BASE.config),
    True,
)
PLANNER_STUDIES = {
    name: Study(
        "table-5.1",
        name,
        f"{PUPILS[name].lesson(POINTS).setting}, {_HOW}, {_BESIDE}, {_ALONE}",
        POINTS,
        LEAST_POINTS,
        studies.planner_growth(name),
        True,
    )
    for name in SIX
}
IMITATORS = Study(
    "figure-5.3", "imitators", f"{_HOW}, {_BESIDE}", POINTS, LEAST_POINTS, studies.imitators, True
)
BASE_VISITS = Study(
    "figure-5.6",
    "visits",
    f"{_HOW}, {_ALONE}",
    POINTS,
    LEAST_POINTS,
    studies.base_visits,
    needs_torch=True,
)
NODES = Study(
    "equal-nodes",
    "nodes",
    f"{_LESSONS}; {_HOW}, {'; '.join(RULES.values())}, {RULE_DEALS} deals each in {GAME}",
    POINTS,
    LEAST_POINTS,
    studies.equal_nodes,
    True,
)
TIME = Study(
    "equal-time",
    "time",
    f"{SECONDS} s a decision: {'; '.join(TIMED.values())}, against {TIMED_RIVAL} in {GAME}; "
    f"{weights_of(*TIMED.values())}",
    40,
    2,
    studies.equal_time(SECONDS),
)
SPEED_STUDY = Study(
    "table-5.2",
    "speeds",
    f"networks of {BLOCKS}x{FILTERS} and {PLANNER_BLOCKS}x{FILTERS} with random weights, "
    f"{SIMS} simulations of {TREES} positions at once",
    REPEATS,
    2,
    studies.speeds,
    True,
)


def _figure_5_1() -> Table:
    return Table(
        "figure-5.1",
        "Games until a network wins 55 % against the one before",
        ("of all updates",),
        tuple(Reading((name,), BASE_STUDY, f"{name} games", 0.0) for name in OF_UPDATES),
        0,
        x_label="update",
        unit=GAMES,
        curves=(Drawn(BASE_STUDY, "games", "small base"),),
        counted="steps of training",
    )


def _figure_5_2() -> Table:
    said = {0: 90 / 400, 25: 140 / 400}  # games won by iterations 0 and 10 of 40
    margin = 1.96 * math.sqrt(0.25 / 400)
    rows = tuple(
        Reading((f"{x} %",), BASE_STUDY, "share won", x, said.get(x), margin, behind=PLAYED)
        for x in studies.SHARES
    )
    return Table(
        "figure-5.2",
        "A small base network after parts of its training, in a round robin: share of games won",
        ("of training",),
        rows,
        400,
        x_label="per cent of training",
        unit=SHARE,
        curves=(Drawn(BASE_STUDY, "share won", "small base", PLAYED),),
    )


def _figure_5_2_elo() -> Table:
    rows = tuple(Reading((f"{x} %",), BASE_STUDY, "elo", x, behind=PLAYED) for x in studies.SHARES)
    return Table(
        "figure-5.2/elo",
        "The same in Elo",
        ("of training",),
        rows,
        400,
        x_label="per cent of training",
        unit=OWN_ELO,
        curves=(Drawn(BASE_STUDY, "elo", "small base", PLAYED),),
    )


def _table_5_1() -> Table:
    said = dict(zip(SIX, (0.8465, 0.8495, 0.7954, 0.7952, 0.7878, 0.7838), strict=True))
    margins = {name: 1.96 * math.sqrt(p * (1 - p) / 250_000) for name, p in said.items()}
    rows = tuple(
        Reading((name,), study, "accuracy", 0, said[name], margins[name], behind=HELD_OUT)
        for name, study in PLANNER_STUDIES.items()
    )
    return Table(
        "table-5.1",
        "Validation accuracy of planning models that imitate PUCT",
        ("model",),
        rows,
        250_000,
        unit=ACCURACY,
        counted=HELD_OUT,
    )


def _figure_5_3() -> Table:
    rows = tuple(
        Reading((name,), IMITATORS, "elo", k, behind=PLAYED)
        for k, name in enumerate((BASE_NAME, *SIX))
    )
    return Table(
        "figure-5.3",
        "Planning models that have imitated, with the base network, in a round robin",
        ("model",),
        rows,
        240,
        x_label="model, in the order of the table",
        unit=ELO,
        curves=(Drawn(IMITATORS, "elo", "all seven", PLAYED),),
    )


def _growth(number: str, kind: str) -> Table:
    names = [name for name in SIX if name.startswith(kind)]
    rows = tuple(
        Reading((name, str(n)), PLANNER_STUDIES[name], "elo", n, behind=PLAYED)
        for name in names
        for n in stages_of(POINTS)
    )
    return Table(
        f"figure-{number}",
        f"{kind} planning models after updates by PPO, each in a round robin with the base",
        ("model", "updates"),
        rows,
        160,
        x_label="updates",
        unit=ELO,
        curves=tuple(Drawn(PLANNER_STUDIES[name], "elo", name, PLAYED) for name in names),
    )


def _figure_5_4() -> Table:
    return _growth("5.4", "MLP")


def _figure_5_5() -> Table:
    return _growth("5.5", "CRN")


def _table_5_2() -> Table:
    said = dict(zip(SPEEDS, (403, 190, 196, 82, 85, 67, 65), strict=True))
    rows = tuple(Reading((name,), SPEED_STUDY, name, 0, said[name]) for name in SPEEDS)
    return Table(
        "table-5.2",
        "Search speed with the thesis's sizes of networks, one core (the thesis: a GPU)",
        ("model",),
        rows,
        0,
        unit=SPEED,
        counted="repeats",
    )


def _distribution(number: str, title: str, lines: dict[str, tuple[Study, str]]) -> Table:
    rows = tuple(
        Reading((name,), study, line, 3.0, behind=SEARCHED) for name, (study, line) in lines.items()
    )
    return Table(
        f"figure-{number}",
        f"{title}: share of visits of the middle column, of the empty board",
        ("model",),
        rows,
        0,
        x_label="column, from 0",
        unit=SHARE,
        curves=tuple(Drawn(study, line, name, SEARCHED) for name, (study, line) in lines.items()),
        counted="simulations",
    )


def _figure_5_6() -> Table:
    return _distribution("5.6", "Base network", {BASE_NAME: (BASE_VISITS, "visits")})


def _of_kind(number: str, kind: str, n: int) -> Table:
    title = f"{kind} planning models, {f'after {n} updates' if n else 'that have imitated'}"
    names = [name for name in SIX if name.startswith(kind)]
    return _distribution(
        number, title, {name: (PLANNER_STUDIES[name], f"visits {n}") for name in names}
    )


def _equal_nodes() -> Table:
    names = [
        *(f"{name}, {how}" for name in LEARNT for how in (IMITATED, UPDATED)),
        *(f"{REMEDIES}, {UPDATED}", *RULES),
    ]
    return Table(
        "equal-nodes",
        "Games won against PUCT with as many simulations",
        ("rule",),
        tuple(Reading((name,), NODES, name, 0, behind=PLAYED) for name in names),
        0,
        unit=SHARE,
    )


def _gains() -> Table:
    return Table(
        "gains",
        "Share of games won against PUCT that updates and more inputs add, deal by deal",
        ("what",),
        tuple(Reading((name,), NODES, name, 0, behind=PLAYED) for name in GAINS),
        0,
        unit=GAIN,
    )


def _equal_time() -> Table:
    return Table(
        "equal-time",
        f"Games won against PUCT with as much time, {SECONDS:g} s a decision",
        ("rule",),
        tuple(Reading((name,), TIME, name, 0, behind=PLAYED) for name in TIMED),
        0,
        unit=SHARE,
    )


def make_tables(_: Measured) -> list[Table]:
    """Return all figures and tables, in the order of the thesis, and three of our own."""
    last = stages_of(POINTS)[-1]
    tables = [
        *(_figure_5_1(), _figure_5_2(), _figure_5_2_elo(), _table_5_1(), _figure_5_3()),
        *(_figure_5_4(), _figure_5_5(), _table_5_2(), _figure_5_6()),
        *(_of_kind("5.7", "MLP", 0), _of_kind("5.8", "CRN", 0)),
        *(_of_kind("5.9", "MLP", last), _of_kind("5.10", "CRN", last)),
        *(_equal_nodes(), _gains(), _equal_time()),
    ]
    return [replace(table, remarks=REMARKS.get(table.name, ())) for table in tables]


PAPER = Paper("planning-model", "Replacing PUCT with a planning model", make_tables, dict)
