"""Parameters beyond their limits are refused in one sentence, before anything is made."""

import pytest

from kibitz import SpecError
from kibitz.learn.recipe import change, load_recipe

pytestmark = pytest.mark.train

WRONG = [
    ("connect4-alphazero", "games=10**12"),
    ("connect4-alphazero", "lanes=10**12"),
    ("connect4-alphazero", "filters=10**6"),
    ("connect4-alphazero", "blocks=0"),
    ("connect4-alphazero", "random=99999999999999999999"),
    ("connect4-alphazero", "rates=1e-3,-1,1e-4"),
    ("connect4-alphazero", "c=1000"),
    ("connect4-planner", "games=10**12"),
    ("connect4-planner", "lanes=10**12"),
    ("connect4-planner", "filters=10**6"),
    ("connect4-planner", "hidden=64,10**6"),
    ("connect4-planner", "blocks=10**6"),
    ("connect4-planner", "batch=10**12"),
    ("connect4-planner", "rate=-1"),
    ("nimmt-acer", "learning_rate=-1"),
    ("nimmt-acer", "replay_ratio=-1"),
    ("nimmt-acer", "average=1.5"),
    ("nimmt-alpha05", "learning_rate=0"),
    ("nimmt-dqn", "learning_rate=-1"),
    ("nimmt-dqn", "epsilon_steps=0"),
    ("nimmt-reinforce", "learning_rate=-1"),
    ("nimmt-reinforce", "games=10**12"),
    ("sheephead-best", "games=10**12"),
    ("sheephead-best", "learning_rate=-1"),
    ("sheephead-best", "critic_rate=-1"),
    ("sheephead-best", "teacher_rate=1e300"),
    ("tichu-clone", "test_games=10**12"),
    ("tichu-dmc", "lam=2"),
    ("tichu-grand", "learning_rate=-1"),
]


@pytest.mark.usefixtures("torch")
@pytest.mark.parametrize(("name", "word"), WRONG)
def test_a_parameter_out_of_range_is_refused(name: str, word: str) -> None:
    key, _, text = word.partition("=")
    text = text.replace("10**12", f"{10**12}").replace("10**6", f"{10**6}")
    with pytest.raises(SpecError, match=rf"config: {key}=\S+: expected \S+( 0,)? to ") as caught:
        change(load_recipe(name), [f"{key}={text}"])
    assert "\n" not in str(caught.value)
