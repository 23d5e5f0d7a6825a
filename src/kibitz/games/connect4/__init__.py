"""Connect 4: two players drop discs into seven columns; four in a row win."""

from kibitz.core.spec import GameFacts, Range

GAME = GameFacts(
    name="connect4",
    title="Connect 4",
    summary="two seats drop discs into seven columns; the first to line up four wins",
    version=1,
    package="kibitz.games.connect4",
    options=(Range("opening", 0, 0, 8, "random plies played before the first decision"),),
    seats=lambda options: 2,
    score_range=lambda options: (-1.0, 1.0),
    max_actions=lambda options: 42,
    max_legal=7,
    simultaneous=False,
    hidden=False,
    coach="exact",
    bots={
        "centre": "kibitz.games.connect4.bots:CentreAgent",
        "winning-move": "kibitz.games.connect4.bots:WinningMoveAgent",
        "planner": "kibitz.games.connect4.planner:PlannerAgent",
        "alphazero": "kibitz.games.connect4.zero:AlphaZeroAgent",
        "exact": "kibitz.games.connect4.exact:ExactAgent",
        "best": "kibitz.games.connect4.best:BestAgent",
    },
    arena={"opening": 4},
)
