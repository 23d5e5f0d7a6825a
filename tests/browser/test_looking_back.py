"""After the game: the review, a second try, the deal of the day, import, positions."""

import time
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

import kibitz
from tests.browser.person import IMPATIENCE, Person
from tests.browser.playing import END, YOURS, click_first, play_on
from tests.browser.serving import Server

pytestmark = pytest.mark.browser

Arrive = Callable[..., Person]

MISTAKE = "[data-testid=mistakes] li"


def lose_at_connect4(person: Person) -> None:
    """Play the first column against a bot until the game is over."""
    person.go("/")
    person.see("game-connect4").get_by_label("Expert").check(force=True)
    person.see("play-connect4").click()
    play_on(person, click_first)


def test_the_first_mistake_is_two_clicks_from_the_end(server: Server, arrive: Arrive) -> None:
    person = arrive(server)
    lose_at_connect4(person)
    began = time.monotonic()
    person.page.locator(END).get_by_test_id("review").click()
    person.page.wait_for_selector(MISTAKE)
    assert time.monotonic() - began < 5
    expect(person.see("graph")).to_be_visible()
    person.picture("review")
    assert person.violations() == []
    person.page.locator(f"{MISTAKE} button, {MISTAKE} a").first.click()
    person.see("try").click()
    person.picture("try")
    assert person.see("opinions").count() == 0  # the answer is not betrayed
    person.page.locator("[data-choice]").first.click()
    expect(person.see("verdict")).to_be_visible(timeout=IMPATIENCE)
    person.see("answer").click()
    expect(person.see("opinions")).to_be_visible(timeout=IMPATIENCE)
    person.picture("answer")


def test_a_mistake_comes_back_to_be_practised(server: Server, arrive: Arrive) -> None:
    person = arrive(server)
    lose_at_connect4(person)
    person.page.locator(END).get_by_test_id("review").click()
    person.page.wait_for_selector("[data-testid=bots]", timeout=60_000)  # the review is complete
    person.go("/practice")
    expect(person.see("practice-card")).to_be_visible(timeout=IMPATIENCE)
    person.picture("practice")
    assert person.violations() == []


@pytest.mark.parametrize("phone", [False, True], ids=["desktop", "phone"])
def test_a_game_with_hidden_cards_is_reviewed(server: Server, arrive: Arrive, phone: bool) -> None:
    person = arrive(server, phone=phone)
    person.go("/")
    person.see("play-nimmt").click()
    play_on(person, click_first)
    person.page.locator(END).get_by_test_id("review").click()
    expect(person.see("luck")).to_be_visible(timeout=60_000)
    person.picture("review")
    assert person.overflow() == 0
    assert person.violations() == []


def test_everybody_gets_the_same_daily_deal(server: Server, arrive: Arrive) -> None:
    hands = []
    for person in (arrive(server), arrive(server)):
        person.go("/daily")
        person.see("daily-nimmt").click()
        person.page.wait_for_selector(YOURS)
        cards = person.page.locator("[data-testid=table] [data-choice]").all()
        hands.append([card.get_attribute("data-choice") for card in cards])
    assert hands[0] == hands[1]
    play_on(person, click_first)
    person.go("/daily")
    expect(person.page.locator("tr.is-you")).to_have_count(1, timeout=IMPATIENCE)
    person.picture("daily")


def test_a_record_is_imported_and_reviewed(server: Server, arrive: Arrive) -> None:
    game = kibitz.load_game("connect4")
    table = game.deal(seed=3)
    kibitz.play_out(table, [kibitz.load_agent("random", game) for _ in range(2)])
    person = arrive(server)
    person.go("/import")
    person.page.locator("textarea").fill(table.record().to_line())
    person.see("import").click()
    person.see("imported").locator("a").first.click()
    n_moves = len(table.record().actions)
    expect(person.page.get_by_text(f"/ {n_moves}", exact=False)).to_be_visible(timeout=IMPATIENCE)
    person.picture("imported")


def test_a_position_can_be_shared(server: Server, arrive: Arrive) -> None:
    person = arrive(server)
    person.go("/position?at=connect4%20443")
    expect(person.see("table")).to_be_visible(timeout=IMPATIENCE)
    person.see("answer").click()
    expect(person.see("opinions")).to_be_visible(timeout=IMPATIENCE)
    person.picture("position")
    assert person.violations() == []
