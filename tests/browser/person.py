"""Somebody who sits before a screen: what they see, click and type."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, ConsoleMessage, Locator, Page, WebSocketRoute

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "build/screenshots"
AXE = ROOT / "ui/node_modules/axe-core/axe.min.js"

DESKTOP = {"width": 1280, "height": 800}
PHONE = {"width": 360, "height": 740}

QUICK = {"beat": 0, "motion": "reduced", "language": "en"}
"""Settings of somebody who does not want to wait."""

IMPATIENCE = 60_000
"""Milliseconds after which somebody gives up."""


class Person:
    """A browser profile with one page."""

    def __init__(
        self,
        browser: Browser,
        address: str,
        name: str,
        *,
        phone: bool = False,
        wishes: Mapping[str, object] | None = None,
    ) -> None:
        """Open a browser profile; nothing is loaded yet."""
        self.name, self.address = name, address
        self.errors: list[str] = []
        size = PHONE if phone else DESKTOP
        self._context = browser.new_context(viewport=size, has_touch=phone)  # type: ignore[arg-type]
        self._context.set_default_timeout(IMPATIENCE)
        settings = json.dumps({**QUICK, **(wishes or {})})
        self._context.add_init_script(
            "localStorage.getItem('kibitz.settings') ||"
            f" localStorage.setItem('kibitz.settings', {json.dumps(settings)})"
        )
        self.page: Page = self._context.new_page()
        self.page.on("console", self._hear)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))

    def go(self, path: str = "/") -> None:
        """Load a page of the server."""
        self.page.goto(self.address + path)

    def leave(self) -> None:
        """Close the browser."""
        self._context.close()

    def see(self, what: str) -> Locator:
        """Return what a test id names."""
        return self.page.get_by_test_id(what)

    def picture(self, name: str) -> None:
        """Keep a screenshot."""
        PICTURES.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=PICTURES / f"{self.name}-{name}.png")

    def hold_line(self) -> list[WebSocketRoute]:
        """Return the list of lines to tables that are opened from now on, to cut them."""
        lines: list[WebSocketRoute] = []

        def connect(line: WebSocketRoute) -> None:
            line.connect_to_server()
            lines.append(line)

        self.page.route_web_socket("**/socket*", connect)
        return lines

    def violations(self) -> list[str]:
        """Return the serious faults that axe finds on the page."""
        self.page.evaluate(AXE.read_text("utf-8"))
        found: dict[str, Any] = self.page.evaluate("axe.run(document)")
        return [
            f"{fault['id']}: {fault['nodes'][0]['html'][:200]}"
            for fault in found["violations"]
            if fault["impact"] in ("serious", "critical")
        ]

    def overflow(self) -> int:
        """Return by how many pixels the page is wider than the screen."""
        width: int = self.page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        return width

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.errors.append(f"{message.text} ({self.page.url})")
