"""Every game under every set of options, and a game from outside, fulfil the contract."""

from collections.abc import Callable

import pytest

from kibitz.core.registry import game_facts, game_names
from kibitz.testing import CHECKS, Subject
from tests.conformance.subjects import SUBJECTS


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda subject: subject.spec)
def test_conformance(subject: Subject, check: Callable[[Subject], None]) -> None:
    check(subject)


def test_every_registered_game_is_under_test() -> None:
    tested = {subject.game.facts.name for subject in SUBJECTS}
    ours = {name for name in game_names() if game_facts(name).package.startswith("kibitz.")}
    assert tested == ours | {"duel"}
