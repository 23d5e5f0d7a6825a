"""Takes the picture of the table in README.md: python -m tests.browser.readme_picture."""

import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.browser.person import Person
from tests.browser.playing import YOURS, click_first
from tests.browser.serving import Server

PICTURE = Path(__file__).parents[2] / "docs/images/table.png"
TURNS = 4
THINKING = 12_000  # milliseconds that the coach is watched


def main() -> None:
    """Play some turns of 6 nimmt!, ask the coach, and keep what the screen shows."""
    server = Server(Path(tempfile.mkdtemp()))
    server.start()
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"))
            person = Person(browser, server.address, "picture", wishes={"theme": "light"})
            person.go("/")
            person.see("play-nimmt").click()
            for _ in range(TURNS):
                person.page.wait_for_selector(YOURS)
                click_first(person)
                person.page.wait_for_timeout(1500)
            person.page.wait_for_selector(YOURS)
            person.page.keyboard.press("h")
            person.page.wait_for_timeout(THINKING)
            person.page.screenshot(path=PICTURE)
            browser.close()
    finally:
        server.stop()


if __name__ == "__main__":
    main()
