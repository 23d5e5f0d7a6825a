"""What commands show of the opinions of agents: values with errors, losses, documents."""

from typing import TYPE_CHECKING, Any

from rich import box
from rich.table import Table as Grid
from rich.text import Text

from kibitz.cli.console import out, progress_bar
from kibitz.core.errors import RecordError
from kibitz.core.wording import word, words

if TYPE_CHECKING:
    from kibitz.core.agent import Agent
    from kibitz.core.record import Record
    from kibitz.review.judgement import Answer, Loss, Opinion
    from kibitz.review.questions import Question

MOST_ACTIONS = 20
"""Actions of a decision that are printed; the document has all of them."""

UNKNOWN = "—"


def select_decisions(
    record: "Record", where: str, seat: int | None, move: int | None
) -> "list[Question]":
    """Return the decisions of a record that are asked for."""
    from kibitz.review.questions import all_moves, check_seat

    try:
        moves = list(all_moves(record))
    except RecordError as error:
        raise RecordError(f"{where}: {error}") from None
    if not moves:
        raise RecordError(f"{where}: nothing has been played")
    if seat is not None:
        check_seat(moves[0].game, seat)
    if move is not None:
        if move > len(moves):
            raise RecordError(f"{where} has moves 1 to {len(moves)}, got --move {move}")
        if seat not in (None, moves[move - 1].seat):
            raise RecordError(f"{where}: move {move} is one of seat {moves[move - 1].seat}")
        return [moves[move - 1]]
    chosen = [one for one in moves if len(one.legal) > 1 and seat in (None, one.seat)]
    if not chosen:
        raise RecordError(f"{where}: nobody had a choice")
    return chosen


def ask_all(agent: "Agent", questions: "list[Question]", seed: int) -> "list[Answer]":
    """Ask about one decision after the other; Ctrl-C leaves those that were answered."""
    from kibitz.review import judgement

    answers: list[Answer] = []
    title = f"{agent.spec} looks at {agent.game.spec}"
    with progress_bar(title, len(questions)) as (progress, task):
        try:
            for question in questions:
                answers.append(judgement.ask(agent, question, seed))
                progress.advance(task)
        except KeyboardInterrupt:
            if not answers:
                raise
    return answers


def decision_json(answer: "Answer") -> dict[str, Any]:
    """Return what an agent thinks of a decision, as a document."""
    asked, loss = answer.question, answer.loss
    return {
        "move": asked.move,
        "seat": asked.seat,
        "position": asked.position,
        "plays": asked.text(answer.choice),
        "played": None if asked.played is None else asked.text(asked.played),
        "loss": None if loss is None else loss.value,
        "loss_error": None if loss is None else loss.error,
        "clearly_worse": None if loss is None else loss.is_clear,
        "seldom_tried": None if loss is None else loss.is_rare,
        "sims": answer.sims,
        "line": [{"seat": seat, "action": action} for seat, action in answer.line],
        "actions": [
            {
                "action": asked.text(one.action),
                "value": one.value,
                "error": one.error,
                "visits": one.visits,
                "share": one.share,
                "wins": one.wins,
                "win_error": one.win_error,
                "verdict": None if one.verdict is None else words(one.verdict),
            }
            for one in answer.opinions
        ],
    }


def value_name(kind: str) -> str:
    """Say what values of a kind are."""
    return word(f"cli.value-{kind}")


def amount(kind: str | None, value: float | None, error: float | None) -> str:
    """Write a value and its standard error in the unit of its kind."""
    from kibitz.review.drawing import amount as write

    return UNKNOWN if value is None else write(kind, value, error)


def cost(kind: str | None, loss: "Loss | None") -> str:
    """Say what a decision costs, at the end of a sentence."""
    if loss is None:
        return ""
    told = f", which costs {amount(kind, loss.value, loss.error)}"
    if loss.is_rare:
        return f"{told}: tried too seldom to tell"
    return told + (": clearly worse" if loss.is_clear else ": not clearly worse")


def sims_told(sims: int | None) -> str:
    """Say how many simulations there were, if it is known."""
    return "" if sims is None else f"{sims:,} simulations"


def meaning(answer: "Answer") -> str:
    """Say what stands behind values, if there are any."""
    told = [word("cli.standard-error")] if answer.has_values and not answer.is_exact else []
    told += [word("cli.exact")] if answer.is_exact else []
    told += [words(answer.win_rule)] if answer.win_rule else []
    return "; ".join(told)


def opinions_grid(kind: str | None, answer: "Answer") -> Grid:
    """Draw a row for every action, the choice first."""
    shown = answer.opinions[:MOST_ACTIONS]
    grid = Grid(box=box.ROUNDED, caption_justify="left")
    if len(answer.opinions) > len(shown):
        grid.caption = word("cli.and-more", more=len(answer.opinions) - len(shown))
    grid.add_column(word("cli.action"), no_wrap=True)
    if kind is not None:
        grid.add_column(value_name(kind), justify="right")
    has_wins = kind is not None and answer.has_wins
    if has_wins:
        grid.add_column(word("cli.win-share"), justify="right", no_wrap=True)
    counts, has_policy = _counts(shown), _has_policy(answer.opinions)
    for name in ["cli.visits"] * counts + ["cli.share"] * has_policy:
        grid.add_column(word(name), justify="right", no_wrap=True)
    for one in shown:
        value = [] if kind is None else [_value(kind, one)]
        value += [amount("win", one.wins, one.win_error)] * has_wins
        visits = [UNKNOWN if one.visits is None else f"{one.visits:,}"] * counts
        style = "bold" if one.action == answer.choice else ""
        cells = [answer.question.text(one.action), *value, *visits, *[_share(one)] * has_policy]
        grid.add_row(*(Text(cell) for cell in cells), style=style)
    return grid


def _value(kind: str, one: "Opinion") -> str:
    """Say what an action is worth: what is certain, or a value with its error."""
    return words(one.verdict) if one.verdict else amount(kind, one.value, one.error)


def _counts(opinions: "list[Opinion]") -> bool:
    return any(one.visits is not None for one in opinions)


def _has_policy(opinions: "list[Opinion]") -> bool:
    """Whether shares say more than visits do."""
    total = sum(one.visits or 0 for one in opinions)
    shares = [(one.share, (one.visits or 0) / max(total, 1)) for one in opinions]
    return any(share is not None and abs(share - tried) > 1e-6 for share, tried in shares)


def _share(one: "Opinion") -> str:
    return UNKNOWN if one.share is None else f"{one.share:.1%}".replace("%", " %")


def print_remark(*parts: str) -> None:
    """Print what else there is to say, faintly."""
    told = "; ".join(part for part in parts if part)
    if told:
        out.print(Text(told, "dim"))
