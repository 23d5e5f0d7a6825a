"""JSON that comes from outside: read in one place, bounded, checked, and refused in our own words.

A kind of document is a class derived from `Document`, whose fields say what is allowed. `read_json`
makes one from text: the size is bounded by the caller, the depth by the parser (200 levels), whole
numbers by the hints of the fields (use `Whole`), and there is neither NaN nor infinity. Whatever is
wrong becomes one sentence, which names the place.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import from_json

from kibitz.core.errors import KibitzError, SpecError, clip, plain

LARGEST = 2**63 - 1
"""Largest whole number that is read."""

MOST_MISTAKES = 1000
"""A document with more is refused without a look at any: telling them would take the memory."""

MOST_NODES = 100_000
"""Values of a document of no known kind, lists and objects included."""

Whole = Annotated[int, Field(ge=0, le=LARGEST)]
"""A whole number from 0."""

Word = Annotated[str, Field(max_length=500)]
"""A short text."""

Text = Annotated[str, Field(max_length=10_000)]
"""A text of some paragraphs."""

First = Field(fail_fast=True)
"""Put this on long lists: the first mistake is enough."""


class Document(BaseModel):
    """The base of everything that is read from JSON."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


D = TypeVar("D", bound=Document)


def read_json(
    data: str | bytes,
    kind: type[D],
    where: str,
    most: int,
    error: type[KibitzError] = SpecError,
) -> D:
    """Read a document.

    Args:
        data: the text; bytes are UTF-8.
        kind: what it must be.
        where: the file and the line it is from, as a message names it.
        most: characters or bytes that are read.
        error: what is raised.

    Raises:
        KibitzError: of the type `error`; one sentence says where and what is wrong.
    """
    _check_size(data, where, most, error)
    try:
        return kind.model_validate_json(data)
    except ValidationError as mistakes:
        raise error(f"{where}: {complaint(mistakes)}") from None


def read_object(
    data: str | bytes, where: str, most: int, error: type[KibitzError] = SpecError
) -> dict[str, Any]:
    """Read an object of no known kind: names and whatever JSON can say.

    Raises:
        KibitzError: of the type `error`, as `read_json` does.
    """
    _check_size(data, where, most, error)
    try:
        document = from_json(data, allow_inf_nan=False)
    except ValueError as mistake:
        raise error(f"{where}: {_not_json(str(mistake))}") from None
    if not isinstance(document, dict):
        raise error(f"{where}: expected an object in braces")
    check_values(document, where, error)
    return document


def check_values(document: Mapping[str, Any], where: str, error: type[KibitzError]) -> None:
    """Refuse values that JSON cannot say, numbers beyond all bounds, and too many of anything."""
    for count, value in enumerate(_nodes(document)):
        if count > MOST_NODES:
            raise error(f"{where}: more than {MOST_NODES} values")
        if isinstance(value, float) and not math.isfinite(value):
            raise error(f"{where}: holds a number that is not finite")
        if isinstance(value, int) and not -LARGEST <= value <= LARGEST:
            raise error(f"{where}: holds {clip(value)}, whole numbers are at most {LARGEST}")
        if value is not None and not isinstance(value, str | int | float | list | tuple | Mapping):
            raise error(f"{where}: holds {clip(value)}, which JSON cannot say")


def _nodes(document: Any) -> Iterator[Any]:
    """Yield all values of a document, without going deeper than Python can."""
    left = [document]
    while left:
        value = left.pop()
        yield value
        if isinstance(value, Mapping):
            left += value.keys()
            left += value.values()
        elif isinstance(value, list | tuple):
            left += value


def _check_size(data: str | bytes, where: str, most: int, error: type[KibitzError]) -> None:
    if not isinstance(data, str | bytes):
        raise error(f"{where}: expected text, got {clip(data)}")
    if len(data) > most:
        unit = "characters" if isinstance(data, str) else "bytes"
        raise error(f"{where}: longer than {most} {unit}")


def complaint(mistakes: ValidationError) -> str:
    """Say in which field of a document the first mistake is, and what it is."""
    n = mistakes.error_count()
    if n > MOST_MISTAKES:
        return f"{n:,} mistakes: this is something else"
    first = mistakes.errors(include_url=False, include_input=False)[0]
    return sentence(first, first["loc"])


def sentence(mistake: Mapping[str, Any], place: Sequence[int | str]) -> str:
    """Say in which field a mistake is, and what it is, as pydantic tells it."""
    where = plain(".".join(str(part) for part in place))
    said = _in_words(mistake["type"], mistake.get("ctx", {}), mistake["msg"])
    return f"{where}: {said}" if where else said


_WORDS = {
    "missing": "it is missing",
    "extra_forbidden": "there is no such field",
    "model_type": "expected an object in braces",
    "model_attributes_type": "expected an object in braces",
    "dict_type": "expected an object in braces",
    "finite_number": "expected a finite number",
    "float_type": "expected a number",
    "int_type": "expected a whole number",
    "bool_type": "expected true or false",
    "string_type": "expected text",
    "tuple_type": "expected a list in brackets",
    "list_type": "expected a list in brackets",
    "none_required": "expected null",
    "literal_error": "expected {expected}",
    "greater_than_equal": "expected a number from {ge} on",
    "greater_than": "expected a number above {gt}",
    "less_than_equal": "expected a number up to {le}",
    "less_than": "expected a number below {lt}",
    "string_too_long": "longer than {max_length} characters",
    "string_too_short": "shorter than {min_length} characters",
    "string_pattern_mismatch": "expected text of the form {pattern}",
    "too_long": "more than {max_length} entries",
    "too_short": "fewer than {min_length} entries",
    "value_error": "{error}",
}
"""What is said about each type of mistake."""


def _in_words(kind: str, facts: Mapping[str, Any], otherwise: str) -> str:
    if kind == "json_invalid":
        return _not_json(str(facts.get("error", "")))
    if kind not in _WORDS:
        return plain(otherwise.lower())
    return plain(_WORDS[kind].format_map(facts))


def _not_json(mistake: str) -> str:
    """Say why the parser gave up."""
    place = re.search(r"line (\d+) column (\d+)", mistake)
    where = f" at line {place[1]}, column {place[2]}" if place else ""
    if "recursion" in mistake:
        return f"nested too deeply{where}"
    if "out of range" in mistake:
        return f"a number with too many digits{where}"
    return f"not JSON{where}"
