"""Chapter 5 and the appendix: other bots, their losses, times and scores."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from kibitz.papers.learning import Lesson
from kibitz.papers.nimmt_rl import studies
from kibitz.papers.nimmt_rl.players import (
    ELO,
    FIVE,
    FOUR,
    POLICY_LOSS,
    RANDOM,
    TIMES,
    VALUE_LOSS,
    guided,
    mcs,
    mod,
    searcher,
)
from kibitz.papers.plan import (
    SCORES,
    SHARES,
    Drawn,
    Player,
    Reading,
    Series,
    Standing,
    Study,
    Table,
    Unit,
)

SIMS = (50, 100, 200, 300, 400)
"""Simulations of tables 5.4 and 5.5."""

LOSS_LESSON = searcher("DirV", "dirv", FOUR)


LOSSES = Study(
    "figure-5.1",
    "losses",
    LOSS_LESSON.setting,
    11_000,
    100,
    studies.losses_of(LOSS_LESSON, {"value": "loss/value", "policy": "loss/policy"}),
    needs_torch=True,
)


def _curve(number: str, title: str, unit: Unit, line: str, said: float) -> Table:
    """Return a figure of a loss; the paper tells where it ends."""
    return Table(
        f"figure-{number}",
        title,
        ("games",),
        (Reading((f"{LOSSES.size:,}",), LOSSES, line, None, said),),
        LOSSES.size,
        x_label="games",
        unit=unit,
        curves=(Drawn(LOSSES, line, "DirV(50), four of a kind"),),
    )


def _figure_5_1() -> Table:
    title = "Loss of the value while it learns"
    return _curve("5.1", title, VALUE_LOSS, "value", 16.0)


def _figure_5_2() -> Table:
    title = "Loss of the move probabilities while they learn"
    return _curve("5.2", title, POLICY_LOSS, "policy", 12.5)


BOTS = {"PUCTAgent": "alpha05", "Predict Q": "dirq", "Predict V": "dirv", "Separate": "separate"}
GAMMAS = (1.0, 0.99, 0.98)


def _apprentice(label: str, gamma: float) -> Lesson:
    return replace(searcher(label, BOTS[label], FOUR, gamma=gamma), opponents=("random",))


def _apprenticeship(
    table: str, lessons: Sequence[tuple[float, Lesson]], games: int, beside: Lesson | None
) -> Study:
    settings = [lesson.setting for _, lesson in lessons]
    settings += [f"beside {beside.setting}"] if beside else []
    return Study(
        table,
        lessons[0][1].label if beside is None else "all",
        "; ".join(settings),
        games,
        40,
        studies.apprentices(lessons, beside),
        needs_torch=True,
    )


# The PUCTAgent learns no value, so the discount does not reach it.
ALONE = {
    label: _apprenticeship(
        "table-5.1",
        [(g, _apprentice(label, g)) for g in ((0.99,) if label == "PUCTAgent" else GAMMAS)],
        1_400,
        None,
    )
    for label in BOTS
}
BESIDE = _apprenticeship(
    "table-5.3",
    [(0.99, _apprentice(label, 0.99)) for label in BOTS],
    2_000,
    _apprentice("PUCTAgent", 0.99),
)


def _table_5_1() -> Table:
    shares = {
        "PUCTAgent": (0.409, 0.409, 0.409),
        "Predict Q": (0.39, 0.366, 0.365),
        "Predict V": (0.393, 0.381, 0.38),
        "Separate": (0.347, 0.385, 0.377),
    }
    rows = tuple(
        Reading(
            (label, f"{gamma:g}"),
            ALONE[label],
            f"{label}: wins",
            0.99 if label == "PUCTAgent" else gamma,
            share,
            1.96 * math.sqrt(share * (1 - share) / 1_400),
        )
        for label, said in shares.items()
        for gamma, share in zip(GAMMAS, said, strict=True)
    )
    return Table(
        "table-5.1",
        "Games won against three random while learning, by the discount factor",
        ("player", "discount"),
        rows,
        1_400,
        unit=SHARES,
    )


DEVIATION = 7.0
"""Standard deviation of a round's score at a table of four with random players, about."""


def _scored(
    number: str,
    title: str,
    found: Mapping[str, Study],
    paper: Mapping[str, tuple[float, float]],
    games: int,
) -> Table:
    """Return a table of mean scores and games won of learners."""
    rows = tuple(
        Reading(
            (label,),
            found[label],
            f"{label}: score",
            0.99,
            score,
            1.96 * DEVIATION / math.sqrt(games),
            f"{label}: wins",
            wins,
        )
        for label, (wins, score) in paper.items()
    )
    return Table(f"table-{number}", title, ("player",), rows, games, unit=SCORES)


def _table_5_2() -> Table:
    return _scored(
        "5.2",
        "Against three random, while learning",
        ALONE,
        {
            "PUCTAgent": (0.409, -8.575),
            "Predict Q": (0.366, -9.717),
            "Predict V": (0.381, -9.3535),
            "Separate": (0.385, -9.5),
        },
        1_400,
    )


def _table_5_3() -> Table:
    return _scored(
        "5.3",
        "Against one PUCTAgent and two random, while both learn",
        dict.fromkeys(BOTS, BESIDE),
        {
            "PUCTAgent": (0.335, -7.69),
            "Predict Q": (0.263, -9.30),
            "Predict V": (0.270, -9.55),
            "Separate": (0.271, -9.57),
        },
        2_000,
    )


TIMED = {
    "MCS Agent": "mcs:sims={sims},budget=factorial",
    "PUCTAgent": "alpha05:sims={sims}",
    "PUCTAgentModDirV": "dirv:sims={sims}",
}
PLAYING = Study(
    "table-5.4",
    "times",
    f"{', '.join(TIMED.values())} with random ones in {FIVE}",
    250,
    10,
    studies.timed(FIVE, TIMED, SIMS),
)
BY_TURN = Study(
    "figure-5.3",
    "times",
    f"{', '.join(TIMED.values())} with 200 simulations and random ones in {FIVE}",
    250,
    10,
    studies.timed_by_turn(FIVE, TIMED, 200),
)
LEARNING_TIMES = Study(
    "table-5.5",
    "times",
    f"alpha05 and dirv in self-play in {FIVE}",
    60,
    10,
    studies.timed_learning(
        {
            "PUCTAgent": replace(searcher("PUCTAgent", "alpha05", FIVE), plays="alpha05"),
            "PUCTAgentModDirV": replace(searcher("DirV", "dirv", FIVE), plays="dirv"),
        },
        SIMS,
    ),
    needs_torch=True,
)


def _times(number: str, title: str, study: Study, paper: Mapping[str, Sequence[float]]) -> Table:
    rows = tuple(
        Reading((name, str(n)), study, name, n, said)
        for name, numbers in paper.items()
        for n, said in zip(SIMS, numbers, strict=True)
    )
    return Table(f"table-{number}", title, ("player", "sims"), rows, 0, unit=TIMES)


def _table_5_4() -> Table:
    return _times(
        "5.4",
        "Time of a move in play",
        PLAYING,
        {
            "MCS Agent": (0.196, 0.376, 0.731, 1.068, 1.390),
            "PUCTAgent": (1.241, 2.413, 4.730, 6.946, 9.089),
            "PUCTAgentModDirV": (0.287, 0.577, 1.166, 1.714, 2.215),
        },
    )


def _table_5_5() -> Table:
    return _times(
        "5.5",
        "Time of a move in training",
        LEARNING_TIMES,
        {
            "PUCTAgent": (1.217, 2.372, 4.639, 6.829, 8.938),
            "PUCTAgentModDirV": (0.281, 0.567, 1.147, 1.683, 2.175),
        },
    )


def _figure_5_3() -> Table:
    rows = tuple(
        Reading((name, str(turn)), BY_TURN, name, turn) for name in TIMED for turn in (1, 5, 9)
    )
    return Table(
        "figure-5.3",
        "Time of every move of a game, 200 simulations",
        ("player", "turn"),
        rows,
        0,
        x_label="turn",
        unit=TIMES,
        curves=tuple(Drawn(BY_TURN, name) for name in TIMED),
    )


def _seated(
    name: str, players: Sequence[Player], paper: Sequence[tuple[float | None, float | None]]
) -> tuple[Standing, ...]:
    """Return what everybody at one table scores; the paper's scores and shares of games won."""
    first, *others = players
    series = Series(name, FIVE, first, tuple(others), keeps_scores=True)
    return tuple(
        Standing((player.label,), series, who, *said)
        for who, (player, said) in enumerate(zip(players, paper, strict=True))
    )


def _table_5_6() -> Table:
    players = (
        *(guided("PUCT", "alpha05", 200), mcs(1200), mod(1000), mod(200)),
        Player("HIGHEST", "highest", 1.0),
    )
    scores = (-9.407, -8.476, -10.717, -12.347, -19.87)
    return Table(
        "table-5.6",
        "A tournament of five",
        ("player",),
        _seated("table-5.6", players, [(score, None) for score in scores]),
        300,
        unit=SCORES,
        deals=200,
    )


SHOWDOWN = Study(
    "table-5.7",
    "showdown",
    f"DirV(200) taught 10,000 games and PUCT(50) taught 2,000, with two random in {FOUR}",
    2_000,
    40,
    studies.showdown(
        replace(searcher("DirV", "dirv", FOUR), plays="dirv"),
        replace(searcher("PUCT", "alpha05", FOUR), plays="alpha05"),
        5,
        (200, 50),
    ),
    needs_torch=True,
)


def _table_5_7() -> Table:
    said = {"DirV": (0.40, -8.88), "PUCT": (0.29, -10.03), "random": (0.15, -13.405)}
    labels = {"DirV": "PUCTAgentModDirV(200)", "PUCT": "PUCTAgent(50)", "random": "random"}
    rows = tuple(
        Reading(
            (labels[name],),
            SHOWDOWN,
            f"{name}: score",
            0,
            score,
            1.96 * DEVIATION / 20,
            f"{name}: wins",
            wins,
        )
        for name, (wins, score) in said.items()
    )
    return Table(
        "table-5.7",
        "The showdown: as much time to learn and to think",
        ("player",),
        rows,
        400,
        unit=SCORES,
    )


def _figure_a_1() -> Table:
    lines: dict[str, Callable[[int], Player]] = {
        "MCS": mcs,
        "PUCT": lambda sims: guided("PUCT", "alpha05", sims),
        "DirV": lambda sims: guided("DirV", "dirv", sims),
    }
    rows = tuple(
        Standing(
            (line, str(sims)),
            Series("figure-a.1", FIVE, make(sims), (RANDOM,), keeps_scores=True),
            line=line,
            x=sims,
        )
        for line, make in lines.items()
        for sims in (10, 20, 50, 100, 200, 400, 800)
    )
    return Table(
        "figure-a.1",
        "Mean score with four random, by simulations",
        ("player", "sims"),
        rows,
        300,
        x_label="simulations per move",
        unit=SCORES,
        deals=100,
        is_log=True,
    )


def _figure_a_2() -> Table:
    return Table(
        "figure-a.2",
        "Running Elo of the showdown",
        ("player",),
        (),
        400,
        x_label="games",
        unit=ELO,
        curves=tuple(Drawn(SHOWDOWN, name) for name in ("DirV", "PUCT", "random")),
    )


TABLES = (
    _figure_5_1,
    _figure_5_2,
    _table_5_1,
    _table_5_2,
    _table_5_3,
    _table_5_4,
    _table_5_5,
    _figure_5_3,
    _table_5_6,
    _table_5_7,
    _figure_a_1,
    _figure_a_2,
)
"""What makes the tables of this chapter, in the order of the paper."""
