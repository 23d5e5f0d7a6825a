"""How somebody plays the games through the page: by what is lit, without knowing the rules."""

import contextlib
from collections.abc import Callable

from playwright.sync_api import Locator, Position, TimeoutError

from tests.browser.person import Person

Act = Callable[[Person], None]

YOURS = ".room-prompt.is-yours"
END = "dialog[data-testid=end]"
CHOICE = "[data-testid=table] [data-choice]:not([disabled])"

CORNER: Position = {"x": 12, "y": 30}
"""Where a card shows that others overlap."""

SOON = 1500
"""Milliseconds after which somebody looks again."""


def play_on(person: Person, act: Act, until: str = END, most: int = 200) -> int:
    """Let somebody act whenever it is their turn; return how often they did.

    Args:
        person: who plays.
        act: what they do when the page asks them.
        until: selector of what ends it.
        most: acts after which a test gives up.
    """
    for n in range(most):
        person.page.wait_for_selector(f"{until}, {YOURS}, [data-testid=next-hand]")
        if person.page.locator(until).count():
            return n
        go_on = person.see("next-hand")
        if go_on.count():
            go_on.click()
        else:
            act(person)
    raise AssertionError(f"after {most} acts there is still no {until}")


def click_first(person: Person, among: str = CHOICE) -> None:
    """Click the first thing that may be chosen."""
    press(person, person.page.locator(among).first)


def press(person: Person, what: Locator) -> None:
    """Click something; if it goes away meanwhile, because the game went on, all is well."""
    try:
        what.click(timeout=SOON)
    except TimeoutError:  # gone, or another card lies on its middle
        with contextlib.suppress(TimeoutError):
            what.click(timeout=SOON, position=CORNER)
    person.page.wait_for_timeout(50)


def play_sheephead(person: Person) -> None:
    """Pass, bury what comes first, and play the first card that is lit."""
    if person.see("ask-bury").count():
        for card in person.page.locator("[data-testid=hand] [data-card]").all()[:2]:
            card.click(position=CORNER)
        press(person, person.see("bury"))
        return
    click_first(person)


def play_tichu(person: Person) -> None:
    """Call nothing, give three cards away, lead the lowest card, and pass where that is allowed."""
    page = person.page
    no_call = page.locator("[data-testid^=ask-] button.primary[data-choice]")
    if person.see("give").count():
        _give(person)
    elif no_call.count():
        press(person, no_call.first)
    elif page.locator("[data-testid^=ask-] [data-choice]").count():  # a wish, or who gets the trick
        click_first(person, "[data-testid^=ask-] [data-choice]")
    elif page.locator("[data-choice=pass]:not([disabled])").count():
        press(person, page.locator("[data-choice=pass]"))
    else:
        _play_something(person)


def _give(person: Person) -> None:
    """Put a card into each slot that is free, and give them."""
    for _ in range(person.page.locator("[data-testid^=slot-]:not(.is-full)").count()):
        free = "[data-testid=hand] [data-card]:not([disabled]):not([aria-pressed=true])"
        click_first(person, free)
    press(person, person.see("give"))


def _play_something(person: Person) -> None:
    """Play the first single card that may be played, or else what the coach says."""
    for card in person.page.locator("[data-testid=hand] [data-card]:not([disabled])").all():
        press(person, card)
        play = person.page.locator("[data-testid=play]:not([disabled])")
        if play.count():
            press(person, play.first)
            return
        press(person, card)
        if not person.page.locator(YOURS).count():
            return
    follow_the_coach(person)


def follow_the_coach(person: Person) -> None:
    """Ask what the coach would play, and play it."""
    person.page.keyboard.press("h")
    press(person, person.page.locator("[data-testid=opinions] .is-best button:not(.bar-head)"))
