"""Recipes: read, changed, and refused in one sentence."""

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal

import pytest

from kibitz import SpecError, TrainingError, load_game
from kibitz.learn import recipe as recipes
from kibitz.learn.algorithm import Algorithm
from kibitz.learn.recipe import (
    Recipe,
    change,
    find_algorithm,
    load_recipe,
    make_config,
    parse_recipe,
    read_recipe,
    recipe_names,
    write_recipe,
)

TEXT = """
title = "a \\"toy\\" of 7 % \\u007f"
game = "duel:players=3"
algorithm = "toy"
steps = 60
checkpoint = 20
[evaluation]
opponents = ["random"]
every = 30
[config]
rate = 0.5
hidden = [4, 5]
"""


@dataclass(frozen=True)
class ToyConfig:
    """Every kind of field there is."""

    rate: float = 0.1
    hidden: tuple[int, ...] = (16,)
    kind: Literal["plain", "odd"] = "plain"
    noisy: bool = False
    opponents: tuple[str, ...] = ("self",)
    lanes: int = 8

    def __post_init__(self) -> None:
        """Refuse rates out of range."""
        if self.rate <= 0:
            raise SpecError(f"rate must be above 0, got {self.rate}")


class ToyAlgorithm(Algorithm):
    """Learns nothing."""

    Config = ToyConfig


Toy: Any = ToyAlgorithm


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Recipe:
    """Return a recipe whose algorithm is known."""
    monkeypatch.setattr(recipes, "find_algorithm", lambda name: Toy)
    path = tmp_path / "toy.toml"
    path.write_text(TEXT)
    return read_recipe(path)


def test_a_recipe_says_what_its_file_says(toy: Recipe) -> None:
    assert (toy.name, toy.game, toy.steps, toy.seed) == ("toy", "duel:players=3", 60, 1)
    assert toy.evaluation is not None
    assert toy.evaluation.opponents == ("random",)
    assert make_config(toy, Toy) == ToyConfig(rate=0.5, hidden=(4, 5))


def test_a_recipe_that_was_written_is_read_as_the_same(toy: Recipe, tmp_path: Path) -> None:
    path = tmp_path / "again.toml"
    path.write_text(write_recipe(toy))
    assert read_recipe(path) == toy


@pytest.mark.parametrize(
    ("word", "where", "value"),
    [
        ("seed=5", "seed", 5),
        ("game=duel", "game", "duel"),
        ("rate=1", "rate", 1),
        ("hidden=7,8", "hidden", (7, 8)),
        ("hidden=[7]", "hidden", (7,)),
        ("hidden=7", "hidden", (7,)),
        ("opponents=random", "opponents", ("random",)),
        ("kind=odd", "kind", "odd"),
        ("noisy=true", "noisy", True),
        ('opponents="self","mcs:sims=10"', "opponents", ("self", "mcs:sims=10")),
    ],
)
def test_single_values_can_be_changed(toy: Recipe, word: str, where: str, value: Any) -> None:
    changed = change(toy, [word])
    if where in Recipe.model_fields:
        assert getattr(changed, where) == value
    else:
        assert changed.config[where] == value
        assert getattr(make_config(changed, Toy), where) == value
    assert change(toy, ["evaluation.deals=9"]).evaluation.deals == 9  # type: ignore[union-attr]
    one = change(toy, ["evaluation.opponents=foo"]).evaluation
    assert one is not None
    assert one.opponents == ("foo",)


@pytest.mark.parametrize(
    ("word", "complaint"),
    [
        ("rat=1", "toy has no key 'rat': did you mean 'rate'"),
        ("evaluation.deal=1", "did you mean 'evaluation.deals'"),
        ("name=x", "toy has no key 'name'"),
        ("rate", "expected key=value, got 'rate'"),
        ("rate=high", 'config: rate = "high": expected a number'),
        ("rate=-1", "config: rate must be above 0, got -1"),
        ("rate=nan", "finite numbers"),
        ("lanes=1.5", "lanes = 1.5: "),
        ("kind=even", "kind = \"even\": expected 'plain' or 'odd'"),
        ("hidden=a,b", 'hidden = ["a,b"]: 0: expected a whole number'),
        ("steps=0", "steps: expected a number from 1 on"),
        ("steps=many", "steps: expected a whole number"),
    ],
)
def test_bad_changes_are_one_sentence(toy: Recipe, word: str, complaint: str) -> None:
    with pytest.raises(SpecError) as caught:
        change(toy, [word])
    assert complaint in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        ({"stps": 3}, "there is no key 'stps': did you mean 'steps'"),
        ({"evaluation": {"every": 1, "oponents": []}}, "did you mean 'opponents'"),
        ({"title": None}, "title: expected text"),
        ({"algorithm": "../x"}, "algorithm: expected text of the form"),
        ({"config": {"rate": {"a": 1}}}, "config.rate"),
        ({"seed": -1}, "seed: expected a number from 0 on"),
    ],
)
def test_recipes_that_make_no_sense_are_refused(
    toy: Recipe, changed: dict[str, Any], complaint: str
) -> None:
    document = toy.model_dump(mode="json", exclude_none=True) | changed
    with pytest.raises(SpecError, match=complaint):
        parse_recipe(document, "recipe x")


def test_files_that_are_no_recipes_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    for text, complaint in (("a = ", "cannot be read"), ("\0", "cannot be read")):
        path.write_text(text)
        with pytest.raises(SpecError, match=complaint):
            load_recipe(str(path))
    path.write_text("a" * 200_000)
    with pytest.raises(SpecError, match="too large"):
        load_recipe(str(path))
    with pytest.raises(SpecError, match="cannot be read: No such file"):
        load_recipe("./nothing.toml")
    with pytest.raises(SpecError, match="unknown recipe 'nothing'"):
        load_recipe("nothing")


def test_unknown_algorithms_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recipes, "NEEDED", ())
    for name in ("nothing", "recipe"):
        with pytest.raises(SpecError, match=f"unknown algorithm '{name}'"):
            find_algorithm(name)


def test_a_missing_extra_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recipes, "NEEDED", ("no_such_package", "sys"))
    with pytest.raises(TrainingError, match=r"needs no_such_package.*pip install 'kibitz\[train\]"):
        find_algorithm("anything")


@pytest.mark.parametrize("name", recipe_names())
def test_recipes_that_ship_can_be_read(name: str) -> None:
    recipe = load_recipe(name)
    assert recipe.name == name
    assert recipe.minutes > 0
    assert recipe.strength != "not known"
    assert load_game(recipe.game)


@pytest.mark.train
@pytest.mark.parametrize("name", recipe_names())
def test_recipes_that_ship_fit_their_algorithms(name: str) -> None:
    pytest.importorskip("torch", reason="needs torch: pip install 'kibitz[train]'")
    recipe = load_recipe(name)
    assert make_config(recipe, find_algorithm(recipe.algorithm))


@pytest.mark.train
def test_no_parameter_of_an_algorithm_is_hidden_by_a_key_of_recipes() -> None:
    keys = set(Recipe.model_fields) - {"config", "evaluation", "algorithm"}
    for name in recipes._own():
        assert not keys & {item.name for item in fields(find_algorithm(name).Config)}, name
