"""What looking back sends fits the types of the page, in all four games."""

import time
from typing import Any

import pytest

from tests.games.wire_types import misfit
from tests.web.live import Live, Person
from tests.web.test_lookback import bring, record_of

GAMES = [
    ("connect4", "random"),
    ("nimmt:players=3,rows=free", "closest"),
    ("sheephead", "rule"),
    ("tichu", "convention"),
]


def first_decisions(person: Person, table: str) -> Any:
    """Return a review as soon as it has judged something."""
    for _ in range(600):
        state = person.get(f"/api/tables/{table}/review?seat=0")
        if state["decisions"] or state["status"] == "done":
            return state
        time.sleep(0.1)
    raise AssertionError("nothing was judged")


@pytest.mark.parametrize(("spec", "bot"), GAMES)
def test_documents_fit_the_types_of_the_page(live: Live, spec: str, bot: str) -> None:
    person = live.person()
    brought = person.post("/api/import", {"text": record_of(spec, bot)})
    assert misfit(brought, "Imported") == ""
    table = brought["tables"][0]["id"]
    for query in ("seat=0", "seat=-1", "seat=1&open=true"):
        shown = person.get(f"/api/tables/{table}/replay?{query}")
        assert misfit(shown, "Replay") == ""
    state = first_decisions(person, table)
    assert misfit(state, "ReviewState") == ""
    move = state["decisions"][0]["move"]
    insight = person.get(f"/api/tables/{table}/opinions?move={move}")
    assert misfit(insight, "Insight") == ""
    tried = {"move": move, "action": insight["hint"]["opinions"][0]["text"]}
    assert misfit(person.post(f"/api/tables/{table}/try", tried), "Verdict") == ""
    asked = {"position": shown["steps"][0]["position"]}
    assert misfit(person.post("/api/analysis", asked), "Analysis") == ""


def test_exercises_fit_the_types_of_the_page(live: Live) -> None:
    person = live.person()
    table = bring(person, "connect4", "random", seed=8)
    while person.get(f"/api/tables/{table}/review?seat=0")["status"] == "running":
        time.sleep(0.1)
    cards = person.get("/api/practice")
    assert cards
    assert [misfit(card, "PracticeCard") for card in cards] == [""] * len(cards)
