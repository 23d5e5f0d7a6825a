"""One server for all tests that do not need one of their own."""

from collections.abc import Iterator

import pytest

from tests.web.live import OPEN, Live


@pytest.fixture(scope="session")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """Run a server."""
    server = Live(tmp_path_factory.mktemp("web")).start()
    yield server
    server.stop()


@pytest.fixture(autouse=True)
def _close_tabs() -> Iterator[None]:
    yield
    while OPEN:
        OPEN.pop().close()
