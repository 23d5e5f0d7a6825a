"""Every game under every set of options, and a game from outside, fulfil the contract."""

import itertools
import math
import random
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

import pytest

from kibitz import SpecError
from kibitz.core.registry import game_facts, game_names
from kibitz.core.spec import Option, Range
from kibitz.testing import CHECKS, Subject, check_compiled_and_uncompiled_agree
from tests.conformance.subjects import SUBJECTS

MOST_SETS, MANY_SETS = 40, 1000
"""Sets of options of one game that are tested; of more, so many are drawn from many."""

MOST_NUMBERS = 10
"""Values of an option that is a number; of more, the lowest and a small one are tested."""


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda subject: subject.spec)
def test_conformance(subject: Subject, check: Callable[[Subject], None]) -> None:
    check(subject)


def test_every_registered_game_is_under_test() -> None:
    tested = {subject.game.facts.name for subject in SUBJECTS}
    ours = {name for name in game_names() if game_facts(name).package.startswith("kibitz.")}
    assert tested == ours | {"duel"}


def values_of(option: Option) -> list[str]:
    """List what an option may be; of a long range of numbers the lowest and a small one."""
    if not isinstance(option, Range):
        return list(option.values)
    numbers = list(range(option.low, option.high + 1))
    if len(numbers) > MOST_NUMBERS:
        numbers = [option.low, min(option.high, 3)]  # long matches would take the whole time
    return [*map(str, numbers), *option.words]


def option_sets(name: str) -> list[str]:
    """List specs of a game: every set of options that makes sense, or some of them."""
    facts = game_facts(name)
    values = [values_of(option) for option in facts.options]
    rng = random.Random(1)
    if math.prod(map(len, values)) <= MANY_SETS:
        combined = list(itertools.product(*values))
    else:
        combined = [tuple(map(rng.choice, values)) for _ in range(MANY_SETS)]
    found = set()
    for chosen in combined:
        with suppress(SpecError):  # they contradict each other
            given = dict(zip((one.name for one in facts.options), chosen, strict=True))
            found.add(facts.spec(facts.resolve(given)))
    return sorted(found) if len(found) <= MOST_SETS else rng.sample(sorted(found), MOST_SETS)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted({subject.game.facts.name for subject in SUBJECTS}))
def test_sets_of_options_conform(name: str) -> None:
    """The checks above, on a game or two of each set; the last one starts processes."""
    like = next(one for one in SUBJECTS if one.game.facts.name == name)
    for spec in option_sets(name):
        swap = None if "open=true" in spec else like.swap_hidden  # Sheephead: nothing is hidden
        subject = replace(like, spec=spec, games=1, worlds=None, swap_hidden=swap)
        for check in CHECKS:
            if check is not check_compiled_and_uncompiled_agree:
                check(subject)
