"""Tichu: two against two; whoever plays all cards first, and wins tricks with points, is ahead."""

from kibitz.core.spec import Choice, GameFacts, Options, Range, flag

SEATS = 4

MOST_POINTS, LEAST_POINTS = 400, -425
"""Of a side in one round: a double victory and a Grand Tichu; two failed Grand Tichus and the
Phoenix as the only card that counts."""

MOST_LEAD = 800
"""In one round: the first of these, against two failed Grand Tichus."""


def _implied(options: Options) -> Options:
    """Follow the thesis, which plays single rounds; a single round is no match of several."""
    if options["variant"] == "thesis":
        return {"match": "round", "rounds": 1}
    return {"rounds": 1} if options["match"] == "round" else {}


def _score_range(options: Options) -> tuple[float, float]:
    """Bound the lead of a side.

    It changes by at most 800 in a round. Before the last round of a match no side has reached the
    target, but in a tie, so nobody ends more than a round above it.
    """
    rounds = int(options["rounds"])
    lead = MOST_LEAD * rounds
    if options["match"] != "round":
        lead = min(lead, int(options["match"]) + MOST_POINTS - LEAST_POINTS * rounds)
    return -lead, lead


def _max_actions(options: Options) -> int:
    """Bound the decisions of a game.

    A round has 4 answers at eight cards, twice 4 at fourteen, 12 cards given, 4 calls at other
    times, a wish and a Dragon trick. There are at most 56 plays, each followed by at most three
    passes; in the full game each of these opens a window of at most four answers.
    """
    turns = 4 * 56
    answers = 4 * turns if options["variant"] == "full" else 0
    return int(options["rounds"]) * (4 + 8 + 12 + 4 + 2 + turns + answers)


GAME = GameFacts(
    name="tichu",
    title="Tichu",
    summary="partners get rid of cards in combinations; bombs, a wish, and four special cards",
    version=2,
    package="kibitz.games.tichu",
    options=(
        Choice(
            "variant",
            "full",
            ("full", "thesis"),
            "all rules, or no straight flushes, no bombs out of turn and single rounds",
        ),
        Range(
            "match",
            "round",
            1,
            100_000,
            "one round, or rounds until a side has so many points",
            {"round": 0},
        ),
        Range("rounds", 100, 1, 1000, "most rounds of a match; then the higher total wins"),
        Choice(
            "calls",
            "own",
            ("own", "any"),
            "whether agents are asked for Tichu in their own turns only, or in bomb windows too",
        ),
        flag("late_calls", False, "Tichu may be called, and is lost, when somebody is out"),
    ),
    seats=lambda options: SEATS,
    score_range=_score_range,
    max_actions=_max_actions,
    max_legal=439,  # choices.MAX_LEGAL, which cannot be imported without the compiler
    simultaneous=True,
    hidden=True,
    out_of_turn=True,  # people call Tichu whenever they like
    teams=lambda options: (0, 1, 0, 1),
    implied=_implied,
    people={"match": 1000},
    coach="mcs:sims=4000,playout=rule,wins=true",
    open_coach="uct:sims=4000,playout=rule",
    luck="convention:epsilon=0.1",
    mistakes=(5, 15, 40),
    bots={  # the last one is who people meet
        "caller": "kibitz.games.tichu.calling:CallerAgent",
        "endgame": "kibitz.games.tichu.endgame:EndgameAgent",
        "random": "kibitz.games.tichu.bots:RandomAgent",
        "rule": "kibitz.games.tichu.bots:RuleAgent",
        "convention": "kibitz.games.tichu.convention:ConventionAgent",
        "best": "kibitz.games.tichu.best:BestAgent",
    },
    logs={"bsw": "kibitz.games.tichu.bsw"},
)
