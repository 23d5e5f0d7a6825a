"""Every page, for everybody: no serious fault by axe, no scrolling sideways, both languages."""

from collections.abc import Callable

import pytest

from tests.browser.person import Person
from tests.browser.playing import YOURS
from tests.browser.serving import Server

pytestmark = pytest.mark.browser

Arrive = Callable[..., Person]

PAGES = ["/", "/daily", "/watch", "/results", "/fairness", "/practice", "/import", "/position"]
GAMES = ["nimmt", "tichu", "sheephead", "connect4"]
LOOKS = [{"theme": "light"}, {"theme": "dark", "deck": "four-colour"}]


@pytest.mark.parametrize("look", LOOKS, ids=lambda look: look["theme"])
@pytest.mark.parametrize("phone", [False, True], ids=["desktop", "phone"])
def test_pages_have_no_serious_fault(
    server: Server, arrive: Arrive, phone: bool, look: dict[str, str]
) -> None:
    person = arrive(server, phone=phone, **look)
    found = {}
    for path in PAGES:
        person.go(path)
        person.page.wait_for_load_state("networkidle")
        person.picture(path.strip("/") or "home")
        found[path] = [*person.violations(), *([person.overflow()] if person.overflow() else [])]
    assert {path: faults for path, faults in found.items() if faults} == {}


@pytest.mark.parametrize("look", LOOKS, ids=lambda look: look["theme"])
@pytest.mark.parametrize("game", GAMES)
def test_tables_have_no_serious_fault(
    server: Server, arrive: Arrive, game: str, look: dict[str, str]
) -> None:
    person = arrive(server, **look)
    person.go("/")
    person.see(f"play-{game}").click()
    person.page.wait_for_selector(YOURS)
    person.picture(game)
    assert person.violations() == []
    person.page.keyboard.press("?")
    person.page.wait_for_selector("dialog[open]")
    person.picture(f"{game}-keys")
    assert person.violations() == []


def test_the_page_speaks_german(server: Server, arrive: Arrive) -> None:
    person = arrive(server, language="de")
    person.go("/")
    person.see("play-sheephead").click()
    person.page.wait_for_selector(YOURS)
    person.picture("table")
    assert person.page.locator("html").get_attribute("lang") == "de"
    assert person.see("prompt").inner_text() == "Nimm den Blind auf oder passe"
