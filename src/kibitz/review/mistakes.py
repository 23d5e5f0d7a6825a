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
        return thresholds_of(self.facts, self.kind)

    @cached_property
    def mistakes(self) -> list[Mistake]:
        """The mistakes, the dearest first.

        A decision is one if it was clearly worse (by more than CLEAR standard errors, and tried at
        least FEWEST_VISITS times) and the loss reaches the least of the thresholds.
        """
        found = [
            Mistake(answer, loss, size)
            for answer in self.answers
            for loss in (answer.loss,)
            for size in (size_of(loss, self.thresholds),)
            if loss is not None and size
        ]
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
        return rule_of(self.facts, self.kind)


def thresholds_of(facts: GameFacts, kind: str | None) -> tuple[float, float, float]:
    """Return the losses by which a decision is a slip, a mistake, a blunder."""
    return facts.mistakes if kind == "score" else SHARES


def size_of(loss: Loss | None, thresholds: tuple[float, float, float]) -> str:
    """Return one of SIZES for a loss that is clear and large enough, else nothing."""
    if loss is None or not loss.is_clear:
        return ""
    reached = sum(loss.value >= least for least in thresholds)
    return SIZES[reached - 1] if reached else ""


def rule_of(facts: GameFacts, kind: str | None) -> Message:
    """Say how mistakes are told from the rest."""
    scale = 1 if kind == "score" else 100
    losses = thresholds_of(facts, kind)
    told = {name: f"{scale * least:g}" for name, least in zip(SIZES, losses, strict=True)}
    told |= {"errors": f"{CLEAR:g}", "visits": str(FEWEST_VISITS)}
    return Message("review.rule-points" if scale == 1 else "review.rule-percent", told)
