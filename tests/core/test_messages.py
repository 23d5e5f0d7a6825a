"""Messages and their catalogues: every code in every language, with the same facts."""

import ast
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest

import kibitz
from kibitz.cli.judge import find_habits
from kibitz.core.errors import IllegalAction, KibitzError, SpecError
from kibitz.core.messages import Message, as_message
from kibitz.core.registry import game_facts
from kibitz.core.wording import LANGUAGES, ROOMS, catalogue, say, speaking, word, words

PACKAGE = Path(kibitz.__file__).parent
GAMES = ("connect4", "nimmt", "sheephead", "tichu")


def facts_in(wording: str) -> set[str]:
    """Return the facts that words are made of."""
    return {name for _, name, _, _ in Formatter().parse(wording) if name}


def wordings(entry: object) -> dict[str, str]:
    """Return the wordings of an entry by their keys."""
    return dict(entry) if isinstance(entry, dict) else {"": str(entry)}


@pytest.mark.parametrize("room", [*ROOMS, *GAMES])
def test_every_language_has_the_same_codes_wordings_and_facts(room: str) -> None:
    english, *others = (catalogue(room, language) for language in LANGUAGES)
    assert english
    for other in others:
        assert set(other) == set(english)
        for code in english:
            ours, theirs = wordings(english[code]), wordings(other[code])
            assert set(ours) == set(theirs), code
            for key in ours:
                assert facts_in(ours[key]) == facts_in(theirs[key]), (code, key)


def messages_in(path: Path) -> Iterator[tuple[str, set[str] | None]]:
    """Yield the codes that a file writes out, with their facts where these are written out too."""
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or not node.args:
            continue
        first = node.args[0]
        if not isinstance(first, ast.Constant) or not isinstance(first.value, str):
            continue
        if node.func.id == "word":
            yield first.value, {one.arg for one in node.keywords if one.arg}
        elif node.func.id == "Message":
            given = node.args[1] if len(node.args) > 1 else ast.Dict([], [])
            keys = given.keys if isinstance(given, ast.Dict) else [None]
            named = {key.value for key in keys if isinstance(key, ast.Constant)}
            yield first.value, {str(one) for one in named} if None not in keys else None


def test_every_code_that_is_written_out_has_words_and_their_facts() -> None:
    n = 0
    for path in PACKAGE.rglob("*.py"):
        for code, given in messages_in(path):
            room, _, name = code.partition(".")
            entry = catalogue(room, "en").get(name)
            assert entry is not None, f"{path}: {code}"
            for wording in wordings(entry).values():
                assert given is None or facts_in(wording) <= given, f"{path}: {code}"
            n += 1
    assert n > 150


def codes_of_habits() -> set[str]:
    """Return what games say of the habits that their players are judged by."""
    found: set[str] = set()
    for game in GAMES:
        for habit in find_habits(game_facts(game)):
            said = (habit.title, habit.level, habit.group)
            found |= {one.code for one in said if isinstance(one, Message)}
    return found


def codes_of_levels() -> set[str]:
    """Return how games may call the levels of habits."""
    habits = [habit for game in GAMES for habit in find_habits(game_facts(game))]
    names = [habit.level_name(at) for habit in habits for at in habit.levels]
    return {name.code for name in names if isinstance(name, Message)}


def test_every_entry_of_a_catalogue_is_used() -> None:
    text = "\n".join(path.read_text() for path in PACKAGE.rglob("*.py"))
    habits = codes_of_habits() | codes_of_levels()
    for room in (*ROOMS, *GAMES):
        for code in catalogue(room, "en"):
            known = any(f"{room}.{code}{end}" in text for end in "\"'")
            built = any(f"{room}.{code[:n]}{{" in text for n in range(len(code)))
            known |= f"{room}.{code}" in habits
            assert known or built or code in ("and", "or", "unit"), f"{room}.{code}"


def test_every_habit_has_a_title_in_all_languages() -> None:
    codes = codes_of_habits()
    assert len(codes) > 35
    for room, _, name in (code.partition(".") for code in codes):
        for language in LANGUAGES:
            assert name in catalogue(room, language), f"{language}: {room}.{name}"


def test_words_depend_on_the_reader_on_numbers_and_on_the_language() -> None:
    taken = Message("nimmt.takes-row", {"seat": 2, "row": 3, "card": 55, "n": 1})
    assert str(taken) == "seat 2 takes row 3 with 55: 1 head"
    assert say(taken, "en", 2) == "you take row 3 with 55: 1 head"
    assert say(taken, "de", 2) == "du nimmst Reihe 3 mit der 55: 1 Hornochse"
    with speaking("de", 2):
        assert words(taken) == say(taken, "de", 2)
        assert words(taken, 0) == say(taken, "de", 0)
        assert word("core.over") == "das Spiel ist zu Ende"
        assert str(taken) == "seat 2 takes row 3 with 55: 1 head"
    assert word("core.over") == "the game is over"


def test_several_things_are_joined_as_the_words_ask() -> None:
    threat = Message("connect4.threatens", {"columns": [2, 4, 6], "n": 3})
    assert str(threat) == "threatens four in columns 2, 4 and 6 at once"
    assert say(threat, "de") == "droht vier in den Spalten 2, 4 und 6 zugleich"


def test_messages_are_documents() -> None:
    inner = Message("tichu.plural-9")
    told = Message("tichu.wrong-kind", {"kind": inner, "what": [inner, 3, "x"]})
    plain = {"code": "tichu.plural-9", "facts": {}}
    assert told.as_json()["facts"] == {"kind": plain, "what": [plain, 3, "x"]}


def test_a_code_without_words_is_shown_as_it_is() -> None:
    assert str(Message("nimmt.nothing", {"card": 3})) == "nimmt.nothing {'card': 3}"
    assert str(Message("nowhere.nothing")) == "nowhere.nothing"
    with pytest.raises(SpecError, match="messages are in en and de, got 'fr'"):
        say(Message("core.over"), "fr")


def test_every_error_has_a_message() -> None:
    assert KibitzError("all wrong").message == as_message("all wrong")
    refused = IllegalAction("a long story", reason=Message("core.over"), action=3, seat=1)
    assert (str(refused), str(refused.message)) == ("a long story", "the game is over")
    assert (refused.action, refused.seat, refused.position) == (3, 1, "")
