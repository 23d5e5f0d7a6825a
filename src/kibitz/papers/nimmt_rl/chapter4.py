"""Chapter 4: rigs, of random players and of Alpha0.5."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from kibitz.papers.nimmt_rl import studies
from kibitz.papers.nimmt_rl.players import (
    FIVE,
    RANDOM,
    RATIOS,
)
from kibitz.papers.plan import (
    SCORES,
    Drawn,
    Player,
    Reading,
    Series,
    Standing,
    Study,
    Table,
    Unit,
)

RIG_GAMES, JUDGED_GAMES = 30_000, 300
"""Games of the paper's sweeps of rigs, and of its comparisons with Alpha0.5."""

JUDGED_MOVES = 9 * JUDGED_GAMES
"""Decisions of the rigged agent that a similarity of the paper rests on."""


ALPHA = "alpha05:sims=200"


def _rigged(
    number: str, title: str, head: str, rigs: Mapping[tuple[str, Any], str], chosen: str = ""
) -> Table:
    """Return a sweep of rigs of `random` with four random players."""
    name = f"figure-{number}"
    several = len({line for line, _ in rigs}) > 1
    rows = tuple(
        Standing(
            (line, f"{x:g}") if several else (f"{x:g}",),
            Series(name, FIVE, Player(spec, spec, 10.0), (RANDOM,), keeps_scores=True),
            line=line,
            x=x,
        )
        for (line, x), spec in rigs.items()
    )
    return Table(
        name,
        title,
        ("rig", head) if several else (head,),
        rows,
        RIG_GAMES,
        chosen,
        x_label=head,
        unit=SCORES,
        deals=6_000,
    )


def _figure_4_2() -> Table:
    taus = (-5, -2, -1, -0.5, 0, 0.5, 1, 2, 5)
    rigs = {("point", tau): f"rig:kind=point,tau={tau:g},of=random" for tau in taus}
    return _rigged("4.2", "Random with the point rig, by its strength", "tau", rigs, "0")


def _figure_4_3() -> Table:
    rigs = {("close", d): f"rig:kind=close,distance={d},of=random" for d in (*range(11), 15, 20)}
    return _rigged("4.3", "Random with the close rig, by the distance", "distance", rigs)


def _figure_4_5() -> Table:
    rigs = {
        (f"deviation {sd}", centre): f"rig:kind=value,centre={centre},deviation={sd},of=random"
        for sd in (10, 30)
        for centre in (1, 14, 27, 40, 53, 66, 79, 92, 104)
    }
    return _rigged("4.5", "Random with the value rig, by its centre", "centre", rigs)


def _figure_4_6() -> Table:
    taus = (-40, -20, -10, -5, 0, 5, 10, 20, 40)
    rigs = {("scatter", t): f"rig:kind=scatter,tau={t},neighbours=9,of=random" for t in taus}
    return _rigged("4.6", "Random with the scattering rig, by its strength", "tau", rigs, "0")


def _figure_4_7() -> Table:
    rigs = {
        (f"tau {tau:+d}", alpha): f"rig:kind=risk,tau={tau},alpha={alpha},of=random"
        for tau in (-1, 1)
        for alpha in (0, 5, 10, 15, 20, 30, 50)
    }
    return _rigged("4.7", "Random with the risk rig, by alpha", "alpha", rigs)


def _judged(number: str, rigs: Mapping[float, str]) -> Study:
    specs = "; ".join(f"{spec},of={ALPHA}" for spec in rigs.values())
    return Study(
        f"table-{number}",
        "judged",
        f"{specs}; beside {ALPHA} in {FIVE}",
        JUDGED_GAMES,
        10,
        studies.judged(FIVE, {x: f"{spec},of={ALPHA}" for x, spec in rigs.items()}, ALPHA),
    )


def _similarity(share: float) -> float:
    """Return the margin of a similarity of the paper: of a share of so many moves."""
    return 1.96 * math.sqrt(share * (1 - share) / JUDGED_MOVES)


def _performance(ratio: float) -> float:
    """Return the margin of a performance: of 300 games of one and 600 of the other.

    A score's standard deviation is about 0.73 of its mean.
    """
    return 1.96 * 0.73 * ratio * math.sqrt(1 / JUDGED_GAMES + 1 / (2 * JUDGED_GAMES))


def _judgement(
    number: str,
    head: str,
    study: Study,
    places: Sequence[tuple[str, float]],
    paper: Mapping[str, Sequence[float]],
) -> Table:
    """Return a table of similarities and performances; `places` are labels and x."""
    margins = {"similarity": _similarity, "performance": _performance}
    rows = tuple(
        Reading((what, label), study, what, x, said, margins[what](said))
        for what, numbers in paper.items()
        for (label, x), said in zip(places, numbers, strict=True)
    )
    return Table(
        f"table-{number}",
        f"Alpha0.5 with a rig beside Alpha0.5, by {head}",
        ("measure", head),
        rows,
        JUDGED_GAMES,
        unit=RATIOS,
    )


DISTANCES = (0, 1, 2, 3, 4)
CLOSE = _judged("4.1", {d: f"rig:kind=close,distance={d}" for d in DISTANCES})
RANDOM_CLOSE = Study(
    "table-4.1",
    "random",
    f"rig:kind=close,distance=0,of=random beside random in {FIVE}",
    30_000,
    100,
    studies.judged(FIVE, {0: "rig:kind=close,distance=0,of=random"}, "random"),
)


def _table_4_1() -> Table:
    closely = (0.315, 0.32, 0.342, 0.365, 0.372)
    places = [(str(d), float(d)) for d in DISTANCES]
    table = _judgement(
        "4.1",
        "distance",
        CLOSE,
        places,
        {
            "similarity": (0.772, 0.708, 0.661, 0.653, 0.635),
            "performance": (0.950, 0.903, 0.817, 0.775, 0.754),
        },
    )
    # It could play close in half of all decisions or more.
    rows = (
        *(
            Reading(
                ("Alpha0.5 played close", str(d)),
                CLOSE,
                f"plain at {d}",
                d,
                said,
                1.4 * _similarity(said),
            )
            for d, said in zip(DISTANCES, closely, strict=True)
        ),
        Reading(("random played close", "0"), RANDOM_CLOSE, "plain at 0", 0, 0.209),
        *(
            Reading(("possible for random", str(d)), RANDOM_CLOSE, "possible at 0", d)
            for d in DISTANCES
        ),
    )
    return replace(table, rows=(*rows, *table.readings))


def _figure_4_4() -> Table:
    line = "plain by cards on the table at 0"
    curves = (Drawn(CLOSE, line, "Alpha0.5"), Drawn(RANDOM_CLOSE, line, "random"))
    return Table(
        "figure-4.4",
        "How often a safe card is played when there is one, by cards on the table",
        ("player",),
        (),
        JUDGED_GAMES,
        x_label="cards on the table",
        unit=Unit("share of decisions with a safe card", ".1%", 0.05),
        curves=curves,
    )


VALUES = _judged("4.2", {c: f"rig:kind=value,centre={c},deviation=20" for c in (38.0, 66.0, 104.0)})


def _table_4_2() -> Table:
    return _judgement(
        "4.2",
        "centre",
        VALUES,
        [("38", 38), ("66", 66), ("104", 104)],
        {"similarity": (0.4389, 0.4763, 0.5267), "performance": (0.6776, 0.6514, 0.7811)},
    )


SCATTER = _judged(
    "4.3", {t: f"rig:kind=scatter,tau={t:g},neighbours=9" for t in (-20.0, -10.0, -5.0, 10.0)}
)


def _table_4_3() -> Table:
    return _judgement(
        "4.3",
        "tau",
        SCATTER,
        [("-20", -20), ("-10", -10), ("-5", -5), ("10", 10)],
        {
            "similarity": (0.648, 0.766, 0.868, 0.812),
            "performance": (0.8888, 1.0652, 1.0216, 0.8792),
        },
    )


RISKS = (
    *(("positive, 0", 1, 0), ("positive, 15", 1, 15)),
    *(("negative, 0", -1, 0), ("negative, 15", -1, 15)),
)
RISK = _judged("4.4", {x: f"rig:kind=risk,tau={t},alpha={a}" for x, (_, t, a) in enumerate(RISKS)})


def _table_4_4() -> Table:
    return _judgement(
        "4.4",
        "tau and alpha",
        RISK,
        [(label, x) for x, (label, _, _) in enumerate(RISKS)],
        {"similarity": (0.408, 0.491, 0.694, 0.710), "performance": (0.755, 0.764, 0.810, 0.858)},
    )


TABLES = (
    _figure_4_2,
    _figure_4_3,
    _table_4_1,
    _figure_4_4,
    _figure_4_5,
    _table_4_2,
    _figure_4_6,
    _table_4_3,
    _figure_4_7,
    _table_4_4,
)
"""What makes the tables of this chapter, in the order of the paper."""
