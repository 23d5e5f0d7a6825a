"""What is certain in a tree: results that are proven, and what follows from them."""

import numpy as np
import pytest

import kibitz
from kibitz.core.decisions import Decisions
from kibitz.games.connect4.solver import solve

GAME = kibitz.load_game("connect4")


def decide(moves: str, sims: int = 200, name: str = "alphazero") -> Decisions:
    agent = kibitz.load_agent(f"{name}:model=connect4-alphazero,foresight=2,sims={sims}", GAME)
    state = GAME.parse(moves)
    return agent.decide(state, int(state.n_moves) % 2)


def values_of(found: Decisions) -> dict[int, float]:
    assert found.choices is not None
    assert found.values is not None
    return dict(zip(found.choices[0].tolist(), found.values[0].tolist(), strict=True))


def test_who_does_not_stop_three_in_a_row_has_lost_for_certain() -> None:
    found = decide("445", 400)  # two fours would be possible at once
    assert values_of(found)[1] == pytest.approx(0.003)  # with the fourth move from now
    assert found.actions[0] in (3, 6)


@pytest.mark.parametrize(
    "moves",
    [
        "123566473641132215541246512233376475",
        "242222463375671361214657744667117345",
        "241332727166326137112155467443523457",
    ],
)
def test_endings_have_the_values_of_the_solver(moves: str) -> None:
    """Wins and losses are exact but for how far they are; draws are means of what was tried."""
    found = decide(moves, 400)
    exact = solve(GAME, moves).columns
    for action, value in values_of(found).items():
        score = exact[action - 1] or 0
        assert value == pytest.approx((np.sign(score) + 1) / 2, abs=0.01 if score else 0.1)
    best = max(score for score in exact if score is not None)
    assert exact[found.actions[0] - 1] == best
    assert exact[decide(moves, 400, "puct").actions[0] - 1] == best


def test_the_nearest_win_is_played_and_the_latest_loss() -> None:
    assert decide("1212123").actions[0] == 2  # the other wins with the next disc otherwise
    assert decide("112233").actions[0] == 4  # at once, though others win later, too
