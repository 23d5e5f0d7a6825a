"""One server for all tests that do not need one of their own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from kibitz.core import registry
from tests.web.live import OPEN, Live


@pytest.fixture(scope="session")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """Run a server on which nobody is too fast: all tests come from one address."""
    server = Live(tmp_path_factory.mktemp("web"), counts_requests=False).start()
    yield server
    server.stop()


@pytest.fixture
def strict(tmp_path: Path) -> Iterator[Live]:
    """Run a server that refuses clients that ask too fast, as servers do."""
    server = Live(tmp_path).start()
    yield server
    server.stop()


@pytest.fixture
def faulty_agents(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Register agents that fail, also in processes that are started after this."""
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    registry._entries.cache_clear()
    yield
    registry._entries.cache_clear()


@pytest.fixture(autouse=True)
def _close_tabs() -> Iterator[None]:
    yield
    while OPEN:
        OPEN.pop().close()
