"""A toy game for trees computed by hand: a road forks, and the seats choose ways.

It is not registered under a name: `make_game(GAME, {"ways": 2})` makes one.
"""

from kibitz.core.spec import GameFacts, Range, flag

GAME = GameFacts(
    name="fork",
    title="Fork",
    summary="a road forks at every turn, and its end is worth its number",
    version=1,
    package="tests.toy.fork",
    options=(
        Range("ways", 2, 2, 3, "ways at every fork"),
        Range("turns", 2, 1, 6, "forks until the end"),
        flag("together", False, "whether both seats choose at every fork, at once"),
    ),
    seats=lambda options: 2,
    score_range=lambda options: (0, 3**12),
    max_actions=lambda options: 12,
    max_legal=3,
    simultaneous=True,
    hidden=False,
)
