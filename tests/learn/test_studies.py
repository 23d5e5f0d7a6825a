"""Studies of papers in which somebody learns."""

from pathlib import Path
from typing import Any

import pytest

from kibitz.papers.learning import Lesson, agent_of, make_algorithm, teach
from kibitz.papers.nimmt_rl import studies

pytestmark = pytest.mark.train

GAME = "nimmt:players=4,rows=lowest"
PUPIL = Lesson("pupil", "reinforce", "net", GAME, config={"encoding": "paper", "games": 8})


def test_a_learner_is_asked_after_so_many_games(torch: Any, tmp_path: Path) -> None:
    stages = list(teach(PUPIL, (0, 16, 20), seed=1))
    assert [stage.games for stage in stages] == [0, 16, 20]
    assert [len(stage.metrics) for stage in stages] == [0, 2, 1]
    agent = agent_of(PUPIL, stages[-1], tmp_path / "run")
    assert agent.spec == f"net:model={tmp_path / 'run'}"


def test_a_learner_may_sit_with_others(torch: Any) -> None:
    beside = Lesson("pupil", "reinforce", "net", GAME, ("random",), PUPIL.config)
    tables = make_algorithm(beside, 1).tables  # type: ignore[attr-defined]
    assert [agent.spec for agent in tables.agents] == ["random"]


def test_losses_are_followed_to_the_last_game(torch: Any) -> None:
    points = studies.losses_of(PUPIL, {"value": "loss/value"})(32, 1, 1)
    assert [(point.line, point.x) for point in points] == [("value", 8 * i) for i in range(1, 5)]
    assert all(point.y.mean > 0 for point in points)


def test_learners_are_rated_beside_players_that_stay(torch: Any) -> None:
    fixed = {"lowest": "lowest", "highest": "highest", "closest": "closest", "random": "random"}
    points = studies.school([PUPIL], fixed, (0, 16))(16, 1, 1)
    rated = {(point.line, point.x): point.y for point in points}
    assert rated["random", 0].mean == rated["random", 16].mean == 0
    assert rated["pupil", 16].has_interval
    assert any(point.line == "pupil, evolving" for point in points)


def test_apprentices_are_measured_while_they_learn(torch: Any) -> None:
    points = studies.apprentices([(0.99, PUPIL)], PUPIL)(32, 1, 1)
    (score, wins) = points
    assert (score.line, wins.line, score.x) == ("pupil: score", "pupil: wins", 0.99)
    assert -40 < score.y.mean < 0
    assert 0 < wins.y.mean < 1
