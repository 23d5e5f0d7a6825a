"""Multi-agent learning in Sheephead: its figures 6 to 13, and the question that it leaves open.

The paper follows the money of five players over 100,000 hands: rule players among random ones, and
learners among rule players. It has pictures and no numbers, so there is nothing to be held against;
what it says in words is compared in docs/papers/sheephead.md. Here every hand counts once, none
pays double, and what players are worth is measured on duplicate deals from every seat.
"""

from kibitz.papers.plan import Drawn, Measured, Paper, Reading, Study, Table, Unit
from kibitz.papers.sheephead import studies

HANDS = 100_000
"""Of every figure of the paper."""

SHOWN = (1_000, 10_000, HANDS)
"""After so many hands money is listed."""

DOLLARS = Unit("money of a player, in dollars", ".2f", 1.0)
CENTS = Unit("cents a hand", ".2f", 0.1)
SHARES = Unit("share of the variance", ".2%", 0.01)

PREDICTORS = ("learnt", "rule")


def _rivals(n: int) -> Study:
    """Return the study of so many rule players among random ones."""
    specs = ("rule",) * n + ("random",) * (5 - n)
    setting = f"{' '.join(specs)} in sheephead, each deal from every seat"
    return Study(f"figure-{5 + n}", "money", setting, HANDS, 2_000, studies.money_of(specs))


def _figure_of_rivals(n: int) -> Table:
    study = _rivals(n)
    lines = [studies.place_name(k, "rule" if k < n else "random") for k in range(5)]
    rows = tuple(Reading((line,), study, f"{line}: cents", None) for line in lines)
    title = f"Cents a hand of {n} rule and {5 - n} random players, by their places to the left"
    return Table(
        f"figure-{5 + n}",
        title,
        ("player",),
        rows,
        HANDS,
        x_label="hands",
        unit=CENTS,
        curves=tuple(Drawn(study, f"{line}: money", line) for line in lines),
        drawn=DOLLARS,
    )


def _lessons(n: int, predictor: str) -> Study:
    """Return the study of so many learners among rule players."""
    return Study(
        f"figure-{9 + n}",
        f"{predictor} predictor",
        studies.lesson_setting(n, predictor),
        HANDS,
        2_000,
        studies.lesson(n, predictor),
    )


def _figure_of_learners(n: int) -> Table:
    rows, curves = [], []
    for predictor in PREDICTORS:
        study = _lessons(n, predictor)
        for who in ("learner", "rule player"):
            rows.append(Reading((f"{predictor} predictor", who), study, f"{who}: money", None))
            curves.append(Drawn(study, f"{who}: money", f"{who}, {predictor} predictor"))
    return Table(
        f"figure-{9 + n}",
        f"Money of {n} learners and {5 - n} rule players while they learn, in dollars each",
        ("predictor", "player"),
        tuple(rows),
        HANDS,
        x_label="hands",
        unit=DOLLARS,
        curves=tuple(curves),
    )


def _after_learning() -> Table:
    rows = tuple(
        Reading(
            (str(n), f"{predictor} predictor", what),
            _lessons(n, predictor),
            what,
            None,
            behind=studies.BEHIND,
        )
        for n in range(1, 5)
        for predictor in PREDICTORS
        for what in ("learners", "rule players", "lead")
    )
    return Table(
        "after-learning",
        "Cents a hand on duplicate deals after learning, nobody exploring any more",
        ("learners", "predictor", "who"),
        rows,
        HANDS,
        unit=CENTS,
    )


SEATED = {
    "five rule players": ("rule",) * 5,
    "one rule player, four random": ("rule",) + ("random",) * 4,
    "three rule players, two random": ("rule",) * 3 + ("random",) * 2,
}

SEATS = {
    name: Study(
        "seats",
        name,
        f"{' '.join(specs)} in sheephead, each deal from every seat",
        HANDS,
        2_000,
        studies.seats(specs),
    )
    for name, specs in SEATED.items()
}


def _seats() -> Table:
    rows = tuple(
        Reading((name, factor), study, f"share: {factor}", None)
        for name, study in SEATS.items()
        for factor in studies.FACTORS
    )
    title = "Where the money of a hand comes from: shares of its variance"
    return Table("seats", title, ("table", "factor"), rows, HANDS, unit=SHARES)


def _seat_effects() -> Table:
    rows = [
        Reading((name, f"place {k + 1} left of the dealer"), study, "position", float(k + 1))
        for name, study in SEATS.items()
        for k in range(5)
    ]
    rows += [
        Reading((name, what), study, what, None)
        for name, study in SEATS.items()
        for what in (studies.GAP, studies.LUCK)
        if len(set(SEATED[name])) > 1
    ]
    title = "Cents a hand by the place to the dealer, and between players of one kind"
    return Table("seat-effects", title, ("table", "effect"), tuple(rows), HANDS, unit=CENTS)


def make_tables(_: Measured) -> list[Table]:
    """Return all figures, in the order of the paper, and what it left open."""
    return [
        *(_figure_of_rivals(n) for n in range(1, 5)),
        *(_figure_of_learners(n) for n in range(1, 5)),
        _after_learning(),
        _seats(),
        _seat_effects(),
    ]


PAPER = Paper("sheephead", "Multi-agent learning in Sheephead", make_tables, dict)
