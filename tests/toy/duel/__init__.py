"""A toy game outside the package: three cards each, all play at once, the highest card scores."""

from kibitz.core.spec import GameFacts, Range

GAME = GameFacts(
    name="duel",
    title="Duel",
    summary="three cards each, the highest of every turn scores",
    version=1,
    package="duel",
    options=(
        Range("players", 2, 2, 4, "number of seats"),
        Range("rounds", 1, 1, 3, "rounds of three turns"),
    ),
    seats=lambda options: int(options["players"]),
    score_range=lambda options: (0, 3 * int(options["rounds"])),
    max_actions=lambda options: 3 * int(options["rounds"]) * int(options["players"]),
    max_legal=3,
    simultaneous=True,
    hidden=True,
)
