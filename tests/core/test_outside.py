"""JSON that comes from outside: bounded, checked, refused in our own words."""

from typing import Annotated, Any

import pytest
from pydantic import Field

from kibitz import KibitzError, RecordError, SpecError
from kibitz.core.outside import Document, First, Text, Whole, Word, read_json, read_object


class Card(Document):
    """One field of every kind."""

    name: Word
    size: Whole = 0
    rate: float = 0.0
    is_new: bool = False
    parts: Annotated[tuple[Annotated[tuple[int, str], First], ...], Field(max_length=3), First] = ()
    counts: dict[Word, Whole] = {}
    note: Text | None = None


def test_a_document_is_read_as_its_kind() -> None:
    text = '{"name": "a", "size": 3, "parts": [[1, "x"]], "counts": {"b": 2}, "rate": 1}'
    card = read_json(text, Card, "card", 1000)
    assert card == Card(name="a", size=3, parts=((1, "x"),), counts={"b": 2}, rate=1.0)
    assert read_json(text.encode(), Card, "card", 1000) == card


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "card: not JSON at line 1, column 0"),
        ("{}", "card: name: it is missing"),
        ("[]", "card: expected an object in braces"),
        ('{"name": "a"} x', "card: not JSON at line 1, column 15"),
        ('{"name": 1}', "card: name: expected text"),
        ('{"name": "' + "x" * 501 + '"}', "card: name: longer than 500 characters"),
        ('{"name": "a", "size": -1}', "card: size: expected a number from 0 on"),
        ('{"name": "a", "size": 1.0}', "card: size: expected a whole number"),
        ('{"name": "a", "size": true}', "card: size: expected a whole number"),
        ('{"name": "a", "size": 1' + "0" * 20 + "}", "card: size: expected a number up to 922337"),
        ('{"name": "a", "size": 1' + "0" * 5000 + "}", "card: a number with too many digits at"),
        ('{"name": "a", "rate": NaN}', "card: rate: expected a finite number"),
        ('{"name": "a", "rate": 1e999}', "card: rate: expected a finite number"),
        ('{"name": "a", "is_new": 1}', "card: is_new: expected true or false"),
        ('{"name": "a", "parts": [[1]]}', "card: parts.0.1: it is missing"),
        ('{"name": "a", "parts": [1, 2, 3, 4]}', "card: parts.0: expected a list in brackets"),
        ('{"name": "a", "counts": {"k": "v"}}', "card: counts.k: expected a whole number"),
        ('{"name": "a", "\\u001b[31m": 1}', "card: �[31m: there is no such field"),
        ('{"name": ' + "[" * 100_000, "card: nested too deeply at line 1, column 2"),
        (b"\xff\xfe", "card: not JSON at line 1, column 1"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(text: str | bytes, said: str) -> None:
    with pytest.raises(RecordError) as told:
        read_json(text, Card, "card", 200_000, RecordError)
    assert str(told.value).startswith(said)


@pytest.mark.parametrize("data", ["x" * 11, b"x" * 11, None, 5])
def test_only_so_much_text_is_looked_at(data: Any) -> None:
    for read in (lambda: read_json(data, Card, "card", 10), lambda: read_object(data, "card", 10)):
        with pytest.raises(SpecError, match="^card: (longer than 10 |expected text, got )"):
            read()


def test_a_flood_of_mistakes_is_not_listed() -> None:
    flood = "{" + ",".join(f'"k{i}": 1' for i in range(5000)) + "}"
    with pytest.raises(SpecError, match="^card: 5,001 mistakes: this is something else$"):
        read_json(flood, Card, "card", 100_000)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[1]", "expected an object in braces"),
        ('{"a": NaN}', "not JSON"),
        ('{"a": [{"b": 1e999}]}', "holds a number that is not finite"),
        ('{"a": 9223372036854775808}', "holds '9223372036854775808', whole numbers are at most"),
        ('{"a": ' + "[" * 300 + "]" * 300 + "}", "nested too deeply"),
        ('{"a": [' + "0," * 100_000 + "0]}", "more than 100000 values"),
    ],
)
def test_objects_of_no_known_kind_are_bounded_too(text: str, said: str) -> None:
    assert read_object('{"a": [1, {"b": null}]}', "settings", 100) == {"a": [1, {"b": None}]}
    with pytest.raises(KibitzError, match=f"^settings: {said}"):
        read_object(text, "settings", 1_000_000)
