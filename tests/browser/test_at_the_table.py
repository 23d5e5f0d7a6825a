"""At a table: lines that break, pages that are loaded again, the coach, spectators."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.person import IMPATIENCE, Person
from tests.browser.playing import END, YOURS, click_first, play_on
from tests.browser.serving import Server

pytestmark = pytest.mark.browser

Arrive = Callable[..., Person]

HAND = "[data-testid=table] [data-choice]"


def sit_down(person: Person, game: str = "nimmt", level: str = "Casual") -> None:
    """Begin a game against bots."""
    person.go("/")
    if game == "nimmt":  # nobody is asked which row they take
        person.see("game-nimmt").get_by_text("More rules").click()
        person.see("game-nimmt").locator("select:has([value=lowest])").select_option("lowest")
    person.see(f"game-{game}").get_by_label(level).check(force=True)
    person.see(f"play-{game}").click()
    person.page.wait_for_selector(YOURS)


def hand_of(person: Person) -> list[str]:
    """List what may be played."""
    person.page.wait_for_selector(YOURS)
    return [one.get_attribute("data-choice") or "" for one in person.page.locator(HAND).all()]


def play_a_card(person: Person) -> list[str]:
    """Play the first card; return what is left when it is the next turn."""
    n = len(hand_of(person))
    click_first(person)
    expect(person.page.locator(HAND)).to_have_count(n - 1, timeout=IMPATIENCE)
    return hand_of(person)


def test_a_page_that_is_loaded_again_goes_on(server: Server, arrive: Arrive) -> None:
    person = arrive(server)
    sit_down(person)
    left = play_a_card(person)
    person.page.reload()
    assert hand_of(person) == left
    assert person.page.locator("[data-testid=log] li").count() >= 4  # what happened is told again


def test_a_line_that_was_cut_comes_back(server: Server, arrive: Arrive) -> None:
    person = arrive(server)
    lines = person.hold_line()
    sit_down(person)
    left = play_a_card(person)
    n_told = person.page.locator("[data-testid=log] li").count()
    lines[-1].close()
    person.page.wait_for_selector(".room-line.lost, .room-line.connecting", state="attached")
    person.page.wait_for_selector(".room-line.open", state="attached")
    assert len(lines) == 2
    assert hand_of(person) == left
    assert len(play_a_card(person)) == len(left) - 1
    assert person.page.locator("[data-testid=log] li").count() > n_told


def test_a_game_outlives_a_server_that_was_killed(own_server: Server, arrive: Arrive) -> None:
    person = arrive(own_server)
    sit_down(person, "connect4")
    person.page.keyboard.press("4")
    person.page.keyboard.press("Enter")
    expect(person.page.locator("[data-testid=log] li")).to_have_count(2, timeout=IMPATIENCE)
    own_server.kill()
    person.page.wait_for_selector(".room-line.lost", state="attached")
    own_server.start()
    person.page.wait_for_selector(".room-line.open", state="attached")
    person.page.wait_for_selector(YOURS)
    assert person.page.locator("[data-testid=log] li").count() == 2
    assert play_on(person, click_first, END) > 0
    person.errors.clear()  # the browser tells of the line that broke


def test_the_coach_speaks_when_asked(server: Server, arrive: Arrive) -> None:
    person = arrive(server)
    sit_down(person)
    assert not person.see("opinions").count()
    person.page.keyboard.press("h")
    person.page.wait_for_selector("[data-testid=opinions] .bar")
    person.picture("thinking")
    bars = person.page.locator("[data-testid=opinions] .bar")
    assert bars.count() == len(hand_of(person)) == 10
    assert person.page.locator(".bar.is-best .bar-why p").first.inner_text()  # why this card
    person.page.locator(".bar.is-best .bar-why button").click()
    expect(person.page.locator(HAND)).to_have_count(9, timeout=IMPATIENCE)


def test_somebody_else_with_the_link_looks_on(server: Server, arrive: Arrive) -> None:
    person, friend = arrive(server), arrive(server)
    sit_down(person)
    friend.page.goto(person.page.url)
    friend.page.wait_for_selector("[data-testid=table]")
    friend.page.wait_for_timeout(500)
    assert friend.page.locator(HAND).count() == 0
    play_a_card(person)
    friend.page.wait_for_selector("[data-testid=log] li")
    friend.picture("spectator")
