"""Opinions of a decision as documents, for pages: in the language that is spoken here."""

import math
from typing import Any

from kibitz.core.game import Action
from kibitz.core.wording import words
from kibitz.review.judgement import Answer, Opinion
from kibitz.review.questions import Question

MOST_MERITS = 20
"""Actions of a decision that reasons are given for, the best first."""


class Described:
    """A decision that is described again and again while a coach thinks about it."""

    def __init__(self, question: Question, coach: str, number: int) -> None:
        """Describe a question; `number` is that of the decision, by which a page knows it."""
        self._question, self._coach, self._number = question, coach, number
        self._merits: dict[Action, list[str]] = {}

    def hint(self, answer: Answer, *, is_final: bool) -> dict[str, Any]:
        """Return what a coach thinks at present: `HintMessage` of ui/src/wire.ts."""
        opinions, rule = answer.opinions, answer.win_rule
        return {
            "is": "hint",
            "decision": self._number,
            "coach": self._coach,
            "kind": answer.value,
            "wins": None if rule is None else words(rule),
            "sims": answer.sims,
            "final": is_final,
            "opinions": [self._opinion(one, k < MOST_MERITS) for k, one in enumerate(opinions)],
        }

    def _opinion(self, one: Opinion, has_merits: bool) -> dict[str, Any]:
        return {
            "text": self._question.text(one.action),
            "value": number(one.value),
            "error": number(one.error),
            "visits": one.visits,
            "share": number(one.share),
            "wins": number(one.wins),
            "win_error": number(one.win_error),
            "verdict": None if one.verdict is None else words(one.verdict),
            "merits": self._say_merits(one.action) if has_merits else [],
        }

    def _say_merits(self, action: Action) -> list[str]:
        if action not in self._merits:
            self._merits[action] = [words(told) for told in self._question.merits(action)]
        return self._merits[action]


def number(value: float | None) -> float | None:
    """Return a number as documents hold it: JSON has no infinity."""
    return None if value is None or not math.isfinite(value) else float(value)
