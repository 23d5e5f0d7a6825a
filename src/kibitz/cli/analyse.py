"""`kibitz analyse`: what an agent thinks of a position, or of what was played in a record."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich import box
from rich.table import Table as Grid
from rich.text import Text

from kibitz.cli.console import announce_compilation, out, print_json
from kibitz.cli.opinions import (
    UNKNOWN,
    amount,
    ask_all,
    cost,
    decision_json,
    meaning,
    opinions_grid,
    print_remark,
    select_decisions,
    sims_told,
    value_name,
)
from kibitz.cli.playing import Debug, Json, debugging, stdout_spared
from kibitz.core.errors import SpecError
from kibitz.core.registry import load_agent
from kibitz.core.wording import word

if TYPE_CHECKING:
    from kibitz.core.agent import Agent
    from kibitz.core.record import Record
    from kibitz.review.judgement import Answer

DEFAULT_AGENT = "uct:sims=10000"

MOST_PLIES = 12
"""Moves of an expected line that are printed."""


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
    """Show what an agent would play and what it thinks of every action.

    A record gives a line for every decision with a choice: what was played, what the agent would
    have played, and what the difference costs. Every seat is judged by what it could see.
    """
    from kibitz.core.table import check_seed
    from kibitz.review.questions import ask_position, find_record, is_position

    announce_compilation()
    check_seed(seed)
    text, record = " ".join(what), None
    if is_position(text):
        if game is not None or move is not None:
            raise SpecError("--game and --move belong to a file of records, this is a position")
        questions = ask_position(text, seat)
    else:
        record = find_record(Path(text), game or 1)
        questions = select_decisions(record, f"game {game or 1} of {text}", seat, move)
    with stdout_spared(), debugging(debug):
        who = load_agent(agent, questions[0].game)
        answers = ask_all(who, questions, seed)
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


def _as_json(
    agent: "Agent", seed: int, kind: str | None, answers: "list[Answer]"
) -> dict[str, Any]:
    return {
        "game": agent.game.spec,
        "agent": agent.spec,
        "seed": seed,
        "value": kind,
        "decisions": [decision_json(answer) for answer in answers],
    }


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
        head += cost(kind, answer.loss) if asked.played != answer.choice else ""
    out.print(Text(head, "bold"))
    if answer.has_values or any(one.share is not None for one in answer.opinions):
        out.print(opinions_grid(kind, answer))
    if answer.line:
        more = " …" if len(answer.line) > MOST_PLIES else ""
        told = "  ".join(f"{seat}: {text}" for seat, text in answer.line[:MOST_PLIES])
        out.print(Text(f"expected, seat by seat:  {told}{more}"))
    print_remark(sims_told(answer.sims), meaning(answer))


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
        print_remark(f"lost is {value_name(kind)}", word("cli.standard-error"))


def _row(kind: str | None, answer: "Answer") -> list[Text]:
    asked, loss = answer.question, answer.loss
    assert asked.played is not None
    agrees = asked.played == answer.choice
    is_clear = loss is not None and loss.is_clear
    style = "bold red" if is_clear else "dim" if agrees else ""
    cells = [str(asked.move), str(asked.seat), asked.text(asked.played), asked.text(answer.choice)]
    if kind is not None:
        cost = UNKNOWN if loss is None else amount(kind, loss.value, loss.error)
        is_rare = loss is not None and loss.is_rare
        verdict = "worse" if is_clear else "seldom tried" if is_rare else ""
        cells += ["", ""] if agrees else [cost, verdict]
    return [Text(cell, style) for cell in cells]
