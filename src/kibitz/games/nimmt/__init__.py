"""6 nimmt! (Take 6): everybody plays a card at once; whoever lays the sixth takes the row."""

from kibitz.core.spec import Choice, GameFacts, Options, Range, flag

ALL_HEADS = 171
"""Bull heads on all 104 cards: the most that one round can cost a seat."""

MATCH_HEADS = 66
"""A match ends after the round in which somebody reaches so many heads."""


def _seats(options: Options) -> int:
    return int(options["players"])


def _implied(options: Options) -> Options:
    """Follow the draft: picks are public, and are made from exactly the cards in play."""
    return {"deck": "known", "hands": "open"} if options["draft"] == "true" else {}


def _score_range(options: Options) -> tuple[float, float]:
    """Bound the scores: before the last round of a match nobody has more than 65 heads."""
    earlier = 0 if options["match"] == "round" else MATCH_HEADS - 1
    return -(earlier + ALL_HEADS), 0


def _max_actions(options: Options) -> int:
    """Bound the decisions of a game.

    A round has 10n cards, at most as many rows taken by choice, and 10n picks in a draft. In every
    round somebody takes at least one head: its 10n + 4 cards, 24 or more, do not fit on four rows
    of five. So the heads of all seats grow by at least 1 a round, and as long as the match goes on
    they are at most 65n together: there are at most 65n rounds and then the last one.
    """
    n = _seats(options)
    rounds = 1 if options["match"] == "round" else (MATCH_HEADS - 1) * n + 1
    return rounds * 10 * n * (3 if options["draft"] == "true" else 2)


GAME = GameFacts(
    name="nimmt",
    title="6 nimmt!",
    summary="all play a card at once; the sixth card takes the row, and bull heads count against",
    version=1,
    package="kibitz.games.nimmt",
    options=(
        Range("players", 5, 2, 10, "number of seats"),
        Choice(
            "rows",
            "lowest",  # as both papers play; tables with people play the printed rule, see below
            ("free", "lowest"),
            "a card below all rows: take a row of your choice, or always the one with fewest heads",
        ),
        Choice(
            "deck",
            "full",
            ("full", "known"),
            "all 104 cards, or only 1..10n+4, so that every card of the deck is dealt",
        ),
        Choice("hands", "hidden", ("hidden", "open"), "whether all see all hands"),
        flag("draft", False, "pick the hands in turn from the open cards; implies known and open"),
        Choice("match", "round", ("round", "66"), "one round, or rounds until somebody has 66"),
    ),
    seats=_seats,
    score_range=_score_range,
    max_actions=_max_actions,
    max_legal=104,
    simultaneous=True,
    hidden=True,
    implied=_implied,
    bots={  # the last one is who people meet
        "exact": "kibitz.games.nimmt.exact:ExactAgent",
        "policy-mcs": "kibitz.search.alpha05:PolicyMcsAgent",
        "alpha05": "kibitz.search.alpha05:Alpha05Agent",
        "dirv": "kibitz.search.alpha05:DirvAgent",
        "dirq": "kibitz.search.alpha05:DirqAgent",
        "separate": "kibitz.search.alpha05:SeparateAgent",
        "highest": "kibitz.games.nimmt.bots:HighestAgent",
        "lowest": "kibitz.games.nimmt.bots:LowestAgent",
        "rig": "kibitz.games.nimmt.rigged:RigAgent",
        "mcs-mod": "kibitz.games.nimmt.mcs_mod:McsModAgent",
        "closest": "kibitz.games.nimmt.bots:ClosestAgent",
        "best": "kibitz.games.nimmt.best:BestAgent",
    },
    people={"rows": "free"},
    coach="mcs:sims=40000,value=score,wins=true",
    luck="closest:epsilon=0.5",
    mistakes=(0.5, 1, 3),
)
