"""Every game under every set of options, and a game from outside, fulfil the contract."""

from collections.abc import Callable

import pytest
from kibitz.testing import CHECKS, Subject

from tests.conformance.subjects import DUELS


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("subject", DUELS, ids=lambda subject: subject.spec)
def test_conformance(subject: Subject, check: Callable[[Subject], None]) -> None:
    check(subject)
