"""A game that was played, looked at by an agent: what was expected, lost, and where."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from kibitz.core.messages import Message
from kibitz.core.spec import GameFacts
from kibitz.review.judgement import CLEAR, FEWEST_VISITS, Answer, Loss

SHARES = (0.05, 0.10, 0.20)
"""Losses of win probability, or of rank, by which a decision is a slip, a mistake, a blunder."""

SIZES = ("slip", "mistake", "blunder")


@dataclass(frozen=True)
class Mistake:
    """A decision that was clearly worse than another, by enough to be worth a look."""

    answer: Answer
    loss: Loss
    size: str  # one of SIZES

    @property
    def name(self) -> Message:
        """What it is called."""
        return Message(f"review.{self.size}")


@dataclass(frozen=True)
class Review:
    """What an agent thinks of decisions of a game."""

    facts: GameFacts
    answers: Sequence[Answer]

    @cached_property
    def kind(self) -> str | None:
        """What values are: score, rank or win; None if the agent has none."""
        return next((one.value for one in self.answers if one.has_values), None)

    @cached_property
    def thresholds(self) -> tuple[float, float, float]:
        """The losses by which a decision is a slip, a mistake, a blunder."""
        return self.facts.mistakes if self.kind == "score" else SHARES

    @cached_property
    def mistakes(self) -> list[Mistake]:
        """The mistakes, the dearest first.

        A decision is one if it was clearly worse (by more than CLEAR standard errors, and tried at
        least FEWEST_VISITS times) and the loss reaches the least of the thresholds.
        """
        found = []
        for answer in self.answers:
            loss = answer.loss
            if loss is None or not loss.is_clear or loss.value < self.thresholds[0]:
                continue
            reached = sum(loss.value >= least for least in self.thresholds)
            found.append(Mistake(answer, loss, SIZES[reached - 1]))
        return sorted(found, key=lambda one: -one.loss.value)

    @property
    def n_agreed(self) -> int:
        """How often the agent would have played the same."""
        return sum(one.choice == one.question.played for one in self.answers)

    @property
    def expected(self) -> list[tuple[int, float, float]]:
        """By decision: its number in the game, and the value of the best and of what was played.

        Decisions of which the agent does not know both are left out.
        """
        found = []
        for answer in self.answers:
            loss, best = answer.loss, answer.opinions[0].value
            if loss is not None and best is not None:
                found.append((answer.question.move or 0, best, best - loss.value))
        return found

    @property
    def rule(self) -> Message:
        """How mistakes are told from the rest, in one message."""
        scale = 1 if self.kind == "score" else 100
        facts = {
            name: f"{scale * least:g}" for name, least in zip(SIZES, self.thresholds, strict=True)
        }
        facts |= {"errors": f"{CLEAR:g}", "visits": str(FEWEST_VISITS)}
        return Message("review.rule-points" if scale == 1 else "review.rule-percent", facts)
