"""Spec strings and options."""

from dataclasses import replace

import pytest

from kibitz.core.errors import SpecError
from kibitz.core.spec import (
    Choice,
    GameFacts,
    Options,
    Range,
    flag,
    join_spec,
    spec_name,
    split_spec,
)


def implied(options: Options) -> Options:
    return {"colour": "blue"} if options["fast"] == "true" else {}


FACTS = GameFacts(
    name="thing",
    title="Thing",
    summary="a thing",
    version=1,
    package="thing",
    options=(
        Range("players", 5, 2, 10, "seats"),
        Choice("colour", "red", ("red", "blue"), "colour"),
        flag("fast", False, "speed"),
    ),
    seats=lambda options: int(options["players"]),
    score_range=lambda options: (0, 1),
    max_actions=lambda options: 1,
    max_legal=1,
    simultaneous=False,
    hidden=False,
    implied=implied,
)


def test_a_spec_splits_into_name_and_parameters() -> None:
    assert split_spec("nimmt:players=5, rows=free") == ("nimmt", {"players": "5", "rows": "free"})
    assert split_spec(" winning-move ") == ("winning-move", {})


def test_joining_is_the_opposite_of_splitting() -> None:
    assert join_spec("mcs", {"sims": 10, "deep": True}) == "mcs:sims=10,deep=true"
    assert join_spec("mcs", {}) == "mcs"


def test_one_parameter_may_take_the_rest_of_a_spec() -> None:
    text = "rig:kind=close, of = mcs:sims=10,value=win,of=x"
    assert split_spec(text, "of") == (
        "rig",
        {"kind": "close", "of": "mcs:sims=10,value=win,of=x"},
    )
    assert split_spec("rig:kind=close", "of") == ("rig", {"kind": "close"})
    assert join_spec(*split_spec("rig:a=1,of=rig:a=1,of=x", "of")) == "rig:a=1,of=rig:a=1,of=x"
    assert spec_name(" rig:of=rig:of=x") == "rig"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("rig:of=", "'of=' is not key=value"),
        ("rig:of=mcs,kind=close", "of= takes all that follows it"),
        ("rig:a=1,a=2,of=x", "'a' is given twice"),
    ],
)
def test_the_rest_of_a_spec_comes_last(text: str, sentence: str) -> None:
    with pytest.raises(SpecError, match=sentence):
        split_spec(text, "of")


@pytest.mark.parametrize(
    "text", ["", ":", "x:", "x:a", "x:a=", "x:=1", "x:a=1,a=2", "X Y", "x:a=1,", "ä", "x" * 600]
)
def test_malformed_specs_are_refused(text: str) -> None:
    with pytest.raises(SpecError):
        split_spec(text)


def test_options_left_out_take_their_defaults() -> None:
    assert FACTS.resolve({"players": "3"}) == {"players": 3, "colour": "red", "fast": "false"}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"player": "3"}, "did you mean 'players'"),
        ({"players": "11"}, "expected 2..10"),
        ({"players": "five"}, "expected 2..10"),
        ({"players": "1e9"}, "expected 2..10"),
        ({"colour": "bleu"}, "did you mean 'blue'"),
        ({"colour": "xyz"}, r"colour=xyz: expected [a-z|]+$"),
        ({"fast": "true", "colour": "red"}, "contradicts itself"),
    ],
)
def test_bad_options_are_refused_with_a_hint(given: dict[str, str], message: str) -> None:
    with pytest.raises(SpecError, match=message):
        FACTS.resolve(given)


@pytest.mark.parametrize(
    ("given", "spec"),
    [
        ({}, "thing"),
        ({"players": "5"}, "thing"),
        ({"players": "4", "colour": "blue"}, "thing:players=4,colour=blue"),
        ({"fast": "true"}, "thing:fast=true"),
        ({"fast": "true", "colour": "blue"}, "thing:fast=true"),
    ],
)
def test_the_spec_names_only_what_differs_from_the_defaults(
    given: dict[str, str], spec: str
) -> None:
    options = FACTS.resolve(given)
    assert FACTS.spec(options) == spec
    assert FACTS.resolve(split_spec(spec)[1]) == options


def test_a_number_may_have_words() -> None:
    goal = Range("goal", "never", 1, 99, "goal", {"never": 0})
    assert goal.allowed == "never|1..99"
    assert [goal.encode(value) for value in ("never", "7", 7)] == [0, 7, 7]
    assert [goal.decode(code) for code in (0, 7)] == ["never", 7]
    for text in ("0", "ever", "100"):
        with pytest.raises(SpecError, match=r"expected never\|1\.\.99"):
            goal.parse(text)


def test_an_option_is_named_if_another_needs_it() -> None:
    facts = replace(FACTS, implied=lambda o: {"players": 2} if o["colour"] == "red" else {})
    options = facts.resolve({"players": 3, "colour": "blue"})
    assert facts.spec(options) == "thing:players=3,colour=blue"
