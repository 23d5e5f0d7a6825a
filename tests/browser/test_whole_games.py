"""People play whole games through the page."""

import time
from collections.abc import Callable

import pytest

from tests.browser.person import Person
from tests.browser.playing import (
    END,
    YOURS,
    Act,
    click_first,
    play_on,
    play_sheephead,
    play_tichu,
)
from tests.browser.serving import Server

pytestmark = pytest.mark.browser

Arrive = Callable[..., Person]

PLAYERS: dict[str, Act] = {
    "nimmt": click_first,
    "connect4": click_first,
    "sheephead": play_sheephead,
    "tichu": play_tichu,
}


@pytest.mark.parametrize("phone", [False, True], ids=["desktop", "phone"])
@pytest.mark.parametrize("game", PLAYERS)
def test_a_person_plays_a_game_against_bots(
    server: Server, arrive: Arrive, game: str, phone: bool
) -> None:
    person = arrive(server, phone=phone)
    person.go("/")
    if game == "sheephead":
        person.see(f"game-{game}").get_by_label("Hands").select_option("1")
    person.see(f"game-{game}").get_by_label("Casual").check(force=True)
    person.see(f"play-{game}").click()
    person.page.wait_for_selector(YOURS)
    person.picture("begin")
    assert person.overflow() == 0
    assert play_on(person, PLAYERS[game]) > 3
    person.picture("end")
    assert person.page.locator(f"{END} tr.is-you").count() == 1


def test_the_first_card_lies_on_the_table_within_ten_seconds(
    server: Server, arrive: Arrive
) -> None:
    warm = arrive(server)
    warm.go("/")
    warm.see("play-nimmt").click()
    warm.page.wait_for_selector(YOURS)
    newcomer = arrive(server)
    began = time.monotonic()
    newcomer.go("/")
    newcomer.see("play-nimmt").click()
    newcomer.page.wait_for_selector(YOURS)
    click_first(newcomer)
    newcomer.page.wait_for_selector("[data-testid=log] li")
    assert time.monotonic() - began < 10


def test_two_people_play_in_two_browsers(server: Server, arrive: Arrive) -> None:
    host, friend = arrive(server), arrive(server)
    host.go("/")
    host.see("friends-connect4").click()
    host.page.wait_for_url("**/t/*")
    friend.page.goto(host.page.url)
    friend.see("sit-1").click()  # nobody is missing now: the game begins
    for turn in range(7):  # columns 1 and 2 in turns: seat 0 has four in a column first
        mover = (host, friend)[turn % 2]
        mover.page.wait_for_selector(YOURS)
        mover.page.keyboard.press("12"[turn % 2])
        mover.page.keyboard.press("Enter")
        mover.page.wait_for_selector(f"{YOURS}, {END}", state="detached" if turn < 6 else "visible")
    for person, told in ((host, "You win"), (friend, "You lose")):
        person.page.wait_for_selector(END)
        person.picture("end")
        assert told in person.page.locator(END).inner_text()
