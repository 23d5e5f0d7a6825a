"""What the coach says at the terminal: the value of every action, and what speaks for the best."""

from rich.console import Group, RenderableType
from rich.text import Text

from kibitz.cli.opinions import meaning, opinions_grid
from kibitz.core.game import Seat, State
from kibitz.core.messages import Message
from kibitz.core.table import Game
from kibitz.core.wording import words
from kibitz.review.coaches import load_coach
from kibitz.review.judgement import Answer, ask
from kibitz.review.questions import Question


def advise(game: Game, view: State, seat: Seat, spec: str | None) -> RenderableType:
    """Draw what a coach thinks of every action in a view, and why he would play one of them."""
    coach = load_coach(game, spec)
    answer = ask(coach, Question(game, view, seat), seed=0)
    plays = Message("cli.coach-plays", {"coach": coach.spec, "action": _text(answer)})
    parts: list[RenderableType] = [Text(words(plays), "bold")]
    parts += [Text(f"  {words(reason)}") for reason in answer.question.merits(answer.choice)]
    if answer.has_values:
        kind = answer.value
        parts += [opinions_grid(kind, answer), Text(meaning(answer), "dim")]
    return Group(*parts)


def _text(answer: Answer) -> str:
    return answer.question.text(answer.choice)
