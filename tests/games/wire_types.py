"""The types of ui/src/wire.ts, and whether a document fits one of them."""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

WIRE = Path(__file__).parents[2] / "ui/src/wire.ts"
_TOKEN = re.compile(r'"[^"]*"|-?\d+|\w+|[{}()\[\]<>|:;,?]')


@cache
def _declarations() -> dict[str, list[str]]:
    """Read the body of every interface and type, as tokens."""
    text = re.sub(r"//[^\n]*", "", WIRE.read_text())
    found = re.findall(r"export interface (\w+) (\{.*?\n\}|\{[^\n]*\})", text, re.S)
    found += re.findall(r"export type (\w+) =(.*?);\n(?=\n|export|$)", text, re.S)
    return {name: _TOKEN.findall(body) for name, body in found}


def misfit(document: Any, name: str) -> str:
    """Say what of a document does not fit a type; nothing if it does."""
    try:
        json.dumps(document, allow_nan=False)
    except (TypeError, ValueError) as error:
        return str(error)
    return _Reader(list(_declarations()[name])).union(document, name)


class _Reader:
    """Reads a type token by token, and checks a document against it on the way."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens

    def union(self, document: Any, at: str) -> str:
        if self.tokens[0] == "|":
            self.tokens.pop(0)
        faults = [self._array(document, at)]
        while self.tokens and self.tokens[0] == "|":
            self.tokens.pop(0)
            faults.append(self._array(document, at))
        return "" if "" in faults else faults[0]

    def _array(self, document: Any, at: str) -> str:
        start = list(self.tokens)
        fault = self._one(document, at)
        while self.tokens[:2] == ["[", "]"]:
            element = start[: len(start) - len(self.tokens)]
            del self.tokens[:2]
            if isinstance(document, list):
                each = [
                    _Reader([*element, ";"])._array(one, f"{at}[{n}]")
                    for n, one in enumerate(document)
                ]
                fault = next(filter(None, each), "")
            else:
                fault = f"{at} is no list: {document!r}"
        return fault

    def _one(self, document: Any, at: str) -> str:
        token = self.tokens.pop(0)
        if token == "(":
            fault = self.union(document, at)
            assert self.tokens.pop(0) == ")"
            return fault
        if token == "{":
            return self._fields(document, at)
        if token == "[":
            return self._tuple(document, at)
        if token in _declarations():
            return _Reader(list(_declarations()[token])).union(document, at)
        if token[0] == '"':
            fits = document == token[1:-1]
        else:
            kinds = {"string": str, "boolean": bool, "null": type(None)}
            is_number = isinstance(document, int | float) and not isinstance(document, bool)
            fits = is_number if token == "number" else isinstance(document, kinds[token])
        return "" if fits else f"{at} is not {token}: {document!r}"

    def _tuple(self, document: Any, at: str) -> str:
        parts = document if isinstance(document, list) else []
        faults, n = [], 0
        while self.tokens[0] != "]":
            faults.append(self.union(parts[n] if n < len(parts) else ..., f"{at}[{n}]"))
            n += 1
            if self.tokens[0] == ",":
                self.tokens.pop(0)
        self.tokens.pop(0)
        return next(filter(None, faults), "") if len(parts) == n else f"{at} has not {n} parts"

    def _fields(self, document: Any, at: str) -> str:
        found = document if isinstance(document, dict) else {}
        faults, names = [], set()
        while self.tokens[0] != "}":
            name = self.tokens.pop(0)
            names.add(name)
            is_optional = self.tokens[0] == "?"
            del self.tokens[: 1 + is_optional]
            fault = self.union(found.get(name, ...), f"{at}.{name}")
            faults += [] if is_optional and name not in found else [fault]
            if self.tokens[0] in ";,":
                self.tokens.pop(0)
        self.tokens.pop(0)
        if not isinstance(document, dict):
            return f"{at} is no object: {document!r}"
        strange = set(found) - names
        return f"{at} has {strange} besides" if strange else next(filter(None, faults), "")
