"""A browser, a server, and people who sit at their own screens."""

import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.browser.person import Person
from tests.browser.serving import Server

pytest.importorskip("playwright", reason="needs Playwright: pip install 'kibitz[dev]'")

from playwright.sync_api import Browser, sync_playwright

ADVICE = "no Chromium found: install one (Debian: apt-get install chromium)"


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """Start the Chromium of the system; tests are left out where there is none."""
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        if os.environ.get("KIBITZ_BROWSER") == "required":
            pytest.fail(ADVICE)
        pytest.skip(ADVICE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Start a server that all tests share."""
    serving = Server(tmp_path_factory.mktemp("server"))
    serving.start()
    yield serving
    serving.stop()


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[Server]:
    """Start a server that a test may kill."""
    serving = Server(tmp_path)
    serving.start()
    yield serving
    serving.stop()


@pytest.fixture
def arrive(chromium: Browser, request: pytest.FixtureRequest) -> Iterator[Callable[..., Person]]:
    """Return a function that lets another person arrive, with a browser profile of their own.

    A page that raised an error, or whose console has one, fails the test.
    """
    people: list[Person] = []

    def come(server: Server, *, phone: bool = False, **wishes: object) -> Person:
        name = re.sub(r"\W+", "-", f"{request.node.name}-{len(people)}")
        people.append(Person(chromium, server.address, name, phone=phone, wishes=wishes))
        return people[-1]

    yield come
    for person in people:
        person.picture("last")
        person.leave()
    assert [error for person in people for error in person.errors] == []
