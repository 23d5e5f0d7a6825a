"""`kibitz analyse`: what an agent thinks of a position, or of what was played in a record."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich import box
from rich.table import Table as Grid
from rich.text import Text

from kibitz.cli.console import announce_compilation, out, print_json, progress_bar
from kibitz.cli.playing import Debug, Json, debugging, stdout_spared
from kibitz.core.errors import RecordError, SpecError
from kibitz.core.registry import load_agent

if TYPE_CHECKING:
    from kibitz.cli.analysis import Answer, Loss, Opinion, Question
    from kibitz.core.agent import Agent
    from kibitz.core.record import Record

DEFAULT_AGENT = "uct:sims=10000"

MOST_ACTIONS = 20
"""Actions of a decision that are printed; the document has all of them."""

MOST_PLIES = 12
"""Moves of an expected line that are printed."""

VALUE_NAMES = {
    "win": "win probability",
    "rank": "rank (1 first, 0 last)",
    "score": "expected score",
}
UNKNOWN = "—"


def add_to(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command(epilog='Example: kibitz analyse "connect4 443" --agent uct:sims=20000')(analyse)


def analyse(
    what: Annotated[
        list[str],
        typer.Argument(
            metavar="RECORD|POSITION",
            help="A file of records, or a game spec and a position (or what one seat sees of it).",
        ),
    ],
    agent: Annotated[
        str, typer.Option(metavar="SPEC", help="Who is asked; a search knows values too.")
    ] = DEFAULT_AGENT,
    seat: Annotated[
        int | None, typer.Option(help="Look at this seat only.", show_default="all that decide")
    ] = None,
    game: Annotated[
        int | None, typer.Option(min=1, help="Which game of the file.", show_default="1")
    ] = None,
    move: Annotated[
        int | None, typer.Option(min=1, help="Show this decision of the game in full.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="What the agent's draws derive from.")] = 0,
    debug: Debug = False,
    as_json: Json = False,
) -> None:
    """Tell what an agent would play and what it thinks of every action.

    A record gives a line for every decision with a choice: what was played, what the agent would
    have played, and what the difference costs. Every seat is judged by what it could see.
    """
    from kibitz.cli import analysis
    from kibitz.core.table import check_seed

    announce_compilation()
    check_seed(seed)
    text, record = " ".join(what), None
    if analysis.is_position(text):
        if game is not None or move is not None:
            raise SpecError("--game and --move belong to a file of records, this is a position")
        questions = analysis.ask_position(text, seat)
    else:
        record = analysis.find_record(Path(text), game or 1)
        questions = _select(record, f"game {game or 1} of {text}", seat, move)
    with stdout_spared(), debugging(debug):
        who = load_agent(agent, questions[0].game)
        answers = _ask_all(who, questions, seed)
    kind = next((one.value for one in answers if one.has_values), None)
    is_stopped = len(answers) < len(questions)
    if as_json:
        document = _as_json(who, seed, kind, answers)
        document |= {"stopped": "interrupted"} if is_stopped else {}
        if record is not None:
            document["record"] = {"file": text, "game": game or 1, "seats": record.seats}
        print_json(document)
    elif record is None or move is not None:
        for answer in answers:
            _print_decision(who, kind, answer)
    else:
        _print_record(who, kind, record, f"game {game or 1}", answers)
    if is_stopped:
        print(f"stopped after {len(answers)} of {len(questions)} decisions", file=sys.stderr)
        raise typer.Exit(130)


def _select(record: "Record", where: str, seat: int | None, move: int | None) -> "list[Question]":
    """Give the decisions of a record that are asked for."""
    from kibitz.cli import analysis

    try:
        moves = list(analysis.all_moves(record))
    except RecordError as error:
        raise RecordError(f"{where}: {error}") from None
    if not moves:
        raise RecordError(f"{where}: nothing has been played")
    if seat is not None:
        analysis.check_seat(moves[0].game, seat)
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


def _ask_all(agent: "Agent", questions: "list[Question]", seed: int) -> "list[Answer]":
    """Ask about one decision after the other; Ctrl-C leaves those that were answered."""
    from kibitz.cli import analysis

    answers: list[Answer] = []
    title = f"{agent.spec} looks at {agent.game.spec}"
    with progress_bar(title, len(questions)) as (progress, task):
        try:
            for question in questions:
                answers.append(analysis.ask(agent, question, seed))
                progress.advance(task)
        except KeyboardInterrupt:
            if not answers:
                raise
    return answers


def _as_json(
    agent: "Agent", seed: int, kind: str | None, answers: "list[Answer]"
) -> dict[str, Any]:
    return {
        "game": agent.game.spec,
        "agent": agent.spec,
        "seed": seed,
        "value": kind,
        "decisions": [_decision_json(answer) for answer in answers],
    }


def _decision_json(answer: "Answer") -> dict[str, Any]:
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
            }
            for one in answer.opinions
        ],
    }


def _amount(kind: str | None, value: float | None, error: float | None) -> str:
    """Write a value and its standard error in the unit of its kind."""
    from kibitz.arena.words import number

    if value is None:
        return UNKNOWN
    scale, digits, unit = {"win": (100, 1, " %"), "rank": (1, 3, "")}.get(kind or "", (1, 2, ""))
    told = "" if error is None else f" ±{number(scale * error, digits)}"
    return f"{number(scale * value, digits)}{unit}{told}"


def _print_decision(agent: "Agent", kind: str | None, answer: "Answer") -> None:
    """Print one decision in full: what the seat sees, what the agent would play, and why."""
    asked = answer.question
    out.print(asked.game.render(asked.view, asked.seat))
    plays = asked.text(answer.choice)
    if len(asked.legal) == 1:
        out.print(Text(f"seat {asked.seat} must play {plays}", "bold"))
        return
    head = f"seat {asked.seat}: {agent.spec} would play {plays}"
    if asked.played is not None:
        head += f"; move {asked.move} was {asked.text(asked.played)}"
        head += _cost(kind, answer.loss) if asked.played != answer.choice else ""
    out.print(Text(head, "bold"))
    if answer.has_values or any(one.share is not None for one in answer.opinions):
        out.print(_opinions(kind, answer))
    if answer.line:
        more = " …" if len(answer.line) > MOST_PLIES else ""
        told = "  ".join(f"{seat}: {text}" for seat, text in answer.line[:MOST_PLIES])
        out.print(Text(f"expected, seat by seat:  {told}{more}"))
    _print_remark(_sims(answer.sims), _meaning(answer))


def _cost(kind: str | None, loss: "Loss | None") -> str:
    if loss is None:
        return ""
    told = f", which costs {_amount(kind, loss.value, loss.error)}"
    if loss.is_rare:
        return f"{told}: tried too seldom to tell"
    return told + (": clearly worse" if loss.is_clear else ": not clearly worse")


def _sims(sims: int | None) -> str:
    return "" if sims is None else f"{sims:,} simulations"


def _meaning(answer: "Answer") -> str:
    return "± is one standard error" if answer.has_values else ""


def _print_remark(*parts: str) -> None:
    told = "; ".join(part for part in parts if part)
    if told:
        out.print(Text(told, "dim"))


def _opinions(kind: str | None, answer: "Answer") -> Grid:
    """Draw a row for every action, the choice first."""
    shown = answer.opinions[:MOST_ACTIONS]
    grid = Grid(box=box.ROUNDED, caption_justify="left")
    if len(answer.opinions) > len(shown):
        grid.caption = f"and {len(answer.opinions) - len(shown)} more"
    grid.add_column("action", no_wrap=True)
    if kind is not None:
        grid.add_column(VALUE_NAMES[kind], justify="right")
    counts, has_policy = _counts(shown), _has_policy(answer.opinions)
    for name in ["visits"] * counts + ["share"] * has_policy:
        grid.add_column(name, justify="right", no_wrap=True)
    for one in shown:
        value = [] if kind is None else [_amount(kind, one.value, one.error)]
        visits = [UNKNOWN if one.visits is None else f"{one.visits:,}"] * counts
        style = "bold" if one.action == answer.choice else ""
        cells = [answer.question.text(one.action), *value, *visits, *[_share(one)] * has_policy]
        grid.add_row(*(Text(cell) for cell in cells), style=style)
    return grid


def _counts(opinions: "list[Opinion]") -> bool:
    return any(one.visits is not None for one in opinions)


def _has_policy(opinions: "list[Opinion]") -> bool:
    """Whether shares say more than visits do."""
    total = sum(one.visits or 0 for one in opinions)
    shares = [(one.share, (one.visits or 0) / max(total, 1)) for one in opinions]
    return any(share is not None and abs(share - tried) > 1e-6 for share, tried in shares)


def _share(one: "Opinion") -> str:
    return UNKNOWN if one.share is None else f"{one.share:.1%}".replace("%", " %")


def _print_record(
    agent: "Agent", kind: str | None, record: "Record", which: str, answers: "list[Answer]"
) -> None:
    """Print a row for every decision."""
    game = agent.game
    out.print(Text.assemble((game.facts.title, "bold"), f"  {game.spec}, {which}"))
    if record.seats:
        out.print(Text(", ".join(f"seat {i} {name}" for i, name in enumerate(record.seats))))
    grid = Grid(box=box.ROUNDED)
    grid.add_column("move", justify="right", no_wrap=True)
    grid.add_column("seat", justify="right", no_wrap=True)
    grid.add_column("played")
    grid.add_column(Text(f"{agent.name} plays"))
    if kind is not None:
        grid.add_column("lost", justify="right", no_wrap=True)
        grid.add_column("", no_wrap=True)
    for answer in answers:
        grid.add_row(*_row(kind, answer))
    out.print(grid)
    agreed = sum(answer.choice == answer.question.played for answer in answers)
    clear = sum(answer.loss is not None and answer.loss.is_clear for answer in answers)
    out.print(Text(f"{len(answers)} decisions, {agreed} as {agent.spec} would play"))
    if kind is not None:
        out.print(Text(f"{clear} worse by more than two standard errors, and tried often enough"))
        _print_remark(f"lost is {VALUE_NAMES[kind]}", "± is one standard error")


def _row(kind: str | None, answer: "Answer") -> list[Text]:
    asked, loss = answer.question, answer.loss
    assert asked.played is not None
    agrees = asked.played == answer.choice
    is_clear = loss is not None and loss.is_clear
    style = "bold red" if is_clear else "dim" if agrees else ""
    cells = [str(asked.move), str(asked.seat), asked.text(asked.played), asked.text(answer.choice)]
    if kind is not None:
        cost = UNKNOWN if loss is None else _amount(kind, loss.value, loss.error)
        is_rare = loss is not None and loss.is_rare
        verdict = "worse" if is_clear else "seldom tried" if is_rare else ""
        cells += ["", ""] if agrees else [cost, verdict]
    return [Text(cell, style) for cell in cells]
