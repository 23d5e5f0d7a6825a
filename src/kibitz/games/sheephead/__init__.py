"""Sheephead: five-handed Sheepshead as a family plays it, with a called partner and Nola."""

from kibitz.core.spec import Choice, GameFacts, Options, Range, flag

SEATS = 5

MOST_WON, MOST_LOST = 100, 120
"""Cents of a picker alone who takes all tricks, or none."""


def most_cents(bump: bool, blitz: bool, crack: bool) -> int:
    """Return the most that a hand can cost: doubled, by all four queens, and by two cracks."""
    lost = 2 * MOST_WON if bump else MOST_LOST
    return lost * 2 * (4 if blitz else 1) * (4 if crack else 1)


def _score_range(options: Options) -> tuple[float, float]:
    """Bound the money of a player."""
    bump, blitz, crack = (options[name] == "true" for name in ("bump", "blitz", "crack"))
    most = int(options["hands"]) * most_cents(bump, blitz, crack)
    return -most, most


def _max_actions(options: Options) -> int:
    """Bound the decisions of a session: bids, bury, call, doublings and thirty cards a hand."""
    redeals = 9 if options["pass"] == "redeal" else 0
    rounds = 1 + redeals + (options["blitz"] == "true") + (options["crack"] == "true")
    return int(options["hands"]) * (SEATS * rounds + 2 + 30)


GAME = GameFacts(
    name="sheephead",
    title="Sheephead",
    summary="five players, fourteen trumps: pick the blind, bury, and call a partner by his ace",
    version=2,
    package="kibitz.games.sheephead",
    options=(
        Choice(
            "pass",
            "nola",
            ("nola", "leaster", "doubler", "redeal", "forced"),
            "what follows if nobody picks",
        ),
        flag("bump", False, "the picker's side pays twice what it would have won"),
        flag("lead_called", True, "the picker may lead the called suit"),
        flag("slough", False, "the called card may be thrown on another suit"),
        flag("underlead", False, "the partner may lead a lower card of the called suit"),
        Choice("unknown", "any", ("any", "fail"), "which cards may be laid face down"),
        Choice("bury", "any", ("any", "fail"), "which cards may be buried"),
        Choice("called_ten", "second", ("second", "top"), "rank of a called ten in its suit"),
        flag("stack", False, "60 to 60 while hands pay double adds five of them, not up to five"),
        flag("blitz", False, "who shows two black or two red queens doubles the payments"),
        flag("crack", False, "the others may double the payments, and the picker again"),
        flag("open", False, "all see all cards, as in double-dummy problems"),
        Range("hands", 1, 1, 1000, "hands of a session; the deal passes to the left"),
        Range("redraw", 100, 0, 1000, "seats are drawn again every so many hands; 0: never"),
    ),
    seats=lambda options: SEATS,
    score_range=_score_range,
    max_actions=_max_actions,
    max_legal=28,  # pairs of eight cards
    simultaneous=False,
    hidden=True,
    unit="cents",
    people={"hands": 10},
    coach="pimc:worlds=200,before=mcs:sims=8000,playout=rule,wins=true",
    wins_by_gain=True,
    open_coach="uct:sims=10000,playout=rule",
    luck="rule:epsilon=0.1",
    mistakes=(2, 5, 15),
    bots={  # the last one is who people meet
        "rule": "kibitz.games.sheephead.bots:RuleAgent",
        "exact": "kibitz.games.sheephead.exact:ExactAgent",
        "ngnet": "kibitz.games.sheephead.ngnet:NgnetAgent",
        "pimc": "kibitz.games.sheephead.pimc:PimcAgent",
        "best": "kibitz.games.sheephead.best:BestAgent",
    },
)
