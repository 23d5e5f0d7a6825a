"""Tichu Bot (Müller 2020): table 7.1, the matrix of table B.1, and figures 7.1 to 7.3.

The agents are trained by recipes of their own and ship as models. Figures of the thesis are
pictures: what its text says of them is compared in docs/papers/tichu-bot.md.
"""

from dataclasses import replace

from kibitz.games.tichu.tallying import PLAYS
from kibitz.papers.plan import (
    Drawn,
    Measured,
    Paper,
    Player,
    Reading,
    Series,
    Standing,
    Study,
    Table,
    Unit,
)
from kibitz.papers.tichu_bot import curves
from kibitz.papers.tichu_bot.players import (
    GAME,
    HAS_SEARCH,
    LADDER,
    MATRIX,
    RANDOM,
    RULE,
    SEARCH,
    SEARCHED,
    SECONDS,
    Rung,
)
from kibitz.papers.tichu_bot.remarks import REMARKS

ROUNDS = 10_000
"""Of every average reward of the thesis."""

DEALS = 5_000
"""Of every pairing, each from both sides: as many rounds as in the thesis."""

SEARCHED_DEALS = 150

POINTS = Unit("points per round", "+.1f", 5.0, paper_form="+.1f")
SHARE = Unit("share", ".1%", 0.02)

LINE_ROUNDS, OLDER_SHARE = 5 * 700, 0.2
POINT_ROUNDS = curves.LINES * LINE_ROUNDS
"""Rounds of self-play that a point of a curve is a mean of."""


def _pairing(a: Rung, b: Rung) -> Series:
    """Return the series of two rungs, the first being the earlier one."""
    return Series(f"table-b.1/{a.name}-{b.name}", GAME, a.player, (b.player,), keeps_scores=True)


def _against(player: Player, opponent: Player) -> Series:
    """Return a series against a baseline: all agents on the same deals."""
    return Series(f"table-7.1/{opponent.spec}", GAME, player, (opponent,), keeps_scores=True)


def _seats_of(rung: Rung) -> list[tuple[Series, int]]:
    """Return all series with other rungs, and which player of each this rung is."""
    mine = LADDER.index(rung)
    return [
        (_pairing(rung, other), 0) if mine < k else (_pairing(other, rung), 1)
        for k, other in enumerate(LADDER)
        if k != mine
    ]


def _table_7_1() -> Table:
    rows = []
    for rung in LADDER:
        (first, who), *also = _seats_of(rung)
        label = rung.player.label
        everybody = Standing((label, "All"), first, who, rung.against_all, also=tuple(also))
        rule = Standing((label, "Rule"), _against(rung.player, RULE), paper=rung.against_rule)
        anything = Standing(
            (label, "Random"), _against(rung.player, RANDOM), paper=rung.against_random
        )
        rows += [everybody, rule, anything]
    return Table(
        "table-7.1",
        "Average reward of each agent: its points less the others', per round",
        ("agent", "against"),
        tuple(rows),
        ROUNDS,
        unit=POINTS,
        deals=DEALS,
        same_players=False,
    )


def _table_b_1() -> Table:
    rows = tuple(
        Standing(
            (rung.player.label, other.player.label), series, who, MATRIX[i][LADDER.index(other)]
        )
        for i, rung in enumerate(LADDER)
        for (series, who), other in zip(
            _seats_of(rung), (one for one in LADDER if one is not rung), strict=True
        )
    )
    return Table(
        "table-b.1",
        "Average reward of every agent against every other",
        ("agent", "opponent"),
        rows,
        ROUNDS,
        unit=POINTS,
        deals=DEALS,
        same_players=False,
    )


def _search() -> Table:
    """Return the last row of table 7.1, which is played on fewer deals."""
    last = LADDER[-1].player
    rivals = {"training": last, "rule": RULE, "random": RANDOM}
    rows = tuple(
        Standing(
            (SEARCH.label, player.label),
            Series(f"search/{name}", GAME, SEARCH, (player,), keeps_scores=True),
            paper=SEARCHED[name],
        )
        for name, player in rivals.items()
    )
    return Table(
        "table-7.1/search",
        f"The best agent with a search in endings, {SECONDS:g} s a decision at most",
        ("agent", "against"),
        rows,
        ROUNDS,
        unit=POINTS,
        deals=SEARCHED_DEALS,
        same_players=False,
    )


def _told(table: str, run: str, rounds: int, names: tuple[str, ...]) -> Study:
    setting = f"the log of kibitz train tichu-thesis-{run}: {', '.join(names)}"
    return Study(table, run, setting, rounds, rounds, curves.told(run, names))


OLDER = _told("figure-7.1", "scratch", int(OLDER_SHARE * POINT_ROUNDS), ("score/older",))
COMBINATIONS = _told(
    "figure-7.2", "scratch", POINT_ROUNDS, tuple(f"plays/{name}" for name in PLAYS)
)
CALLED = {
    run: _told("figure-7.3", run, POINT_ROUNDS, ("calls/tichu", "calls/grand"))
    for run in ("ppo", "scratch", "calls")
}


def _figure_7_1() -> Table:
    return Table(
        "figure-7.1",
        "PPO (Scratch) against random earlier versions of itself, while it learns",
        ("after",),
        (Reading(("all decisions",), OLDER, "score/older", None),),
        1_000,
        x_label="millions of decisions",
        unit=POINTS,
        curves=(Drawn(OLDER, "score/older", "PPO (Scratch)"),),
    )


def _figure_7_2() -> Table:
    shown = [name for name in PLAYS if name != "dog"]
    return Table(
        "figure-7.2",
        "Combinations that PPO (Scratch) plays in the end, as shares of all plays",
        ("combination",),
        tuple(Reading((name,), COMBINATIONS, f"plays/{name}", None) for name in PLAYS),
        1_000,
        x_label="millions of decisions",
        unit=SHARE,
        curves=tuple(Drawn(COMBINATIONS, f"plays/{name}", name) for name in shown),
    )


def _figure_7_3() -> Table:
    labels = {"ppo": "PPO (BC)", "scratch": "PPO (Scratch)", "calls": "models call in training"}
    rows = tuple(
        Reading((labels[run], call), study, f"calls/{call.lower()}", None)
        for run, study in CALLED.items()
        for call in ("Tichu", "Grand")
    )
    drawn = {"ppo": ("Tichu", "Grand"), "calls": ("Tichu", "Grand")}  # scratch begins at 65 %
    return Table(
        "figure-7.3",
        "Calls in a round, by seat, at the end of training",
        ("agent", "call"),
        rows,
        1_000,
        x_label="millions of decisions",
        unit=SHARE,
        curves=tuple(
            Drawn(CALLED[run], f"calls/{call.lower()}", f"{call}, {labels[run]}")
            for run, calls in drawn.items()
            for call in calls
        ),
    )


def make_tables(_: Measured) -> list[Table]:
    """Return the tables and figures, in the order of the thesis."""
    tables = [_table_7_1(), *([_search()] if HAS_SEARCH else [])]
    tables += [_figure_7_1(), _figure_7_2(), _figure_7_3(), _table_b_1()]
    return [replace(table, remarks=REMARKS.get(table.name, ())) for table in tables]


PAPER = Paper("tichu-bot", "Tichu Bot", make_tables, dict)
