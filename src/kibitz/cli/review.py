"""`kibitz review`: where the points went in a game that was played."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich import box
from rich.table import Table as Grid
from rich.text import Text

from kibitz.cli.console import announce_compilation, out, print_json
from kibitz.cli.opinions import ask_all, decision_json, select_decisions
from kibitz.cli.outputs import make_folder
from kibitz.cli.play import Language, find_language
from kibitz.cli.playing import Debug, Json, Report, debugging, stdout_spared
from kibitz.cli.saves import last_finished
from kibitz.core.errors import SpecError
from kibitz.core.wording import speaking, word, words

if TYPE_CHECKING:
    from kibitz.core.agent import Agent
    from kibitz.core.record import Record
    from kibitz.review.mistakes import Review

MOST_SHOWN = 10
"""Mistakes that are printed; the page and the document have all of them."""


def add_to(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command(epilog="Example: kibitz review --last --report review")(review)


def review(
    record: Annotated[
        Path | None, typer.Argument(help="A file of records.", show_default="none")
    ] = None,
    last: Annotated[
        bool, typer.Option("--last", help="The game that you finished last in kibitz play.")
    ] = False,
    agent: Annotated[
        str | None,
        typer.Option(metavar="SPEC", help="Who looks at it.", show_default="the game's coach"),
    ] = None,
    seat: Annotated[
        int | None,
        typer.Option(help="Look at this seat only.", show_default="the person's, or all"),
    ] = None,
    game: Annotated[
        int | None, typer.Option(min=1, help="Which game of the file.", show_default="1")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="What the agent's draws derive from.")] = 0,
    report: Report = None,
    language: Language = None,
    debug: Debug = False,
    as_json: Json = False,
) -> None:
    """Look back at a game: what every decision cost, the dearest first.

    Each decision is judged by what its seat could see. The page of --report has the graph, all
    decisions and the reasons for the better ones.
    """
    from kibitz.core.table import check_seed
    from kibitz.review.coaches import load_coach
    from kibitz.review.mistakes import Review
    from kibitz.review.questions import find_record

    announce_compilation()
    check_seed(seed)
    if last == (record is not None) or (last and game is not None):
        raise SpecError("name a file of records, or say --last for the game that you finished last")
    path, number = last_finished() if record is None else (record, game or 1)
    found = find_record(path, number)
    asked = select_decisions(found, f"game {number} of {path}", _seat(found, seat), None)
    with stdout_spared(), debugging(debug), speaking(find_language(language)):
        who = load_coach(asked[0].game, agent)
        seen = Review(who.game.facts, ask_all(who, asked, seed))
        page = None if report is None else _write(report, seen, who, found)
    with speaking(find_language(language)):
        if as_json:
            print_json(_as_json(seen, who, seed, found))
        else:
            _print(seen, who, found)
    if page is not None and not as_json:
        out.print(Text(str(page)), soft_wrap=True)
    if len(seen.answers) < len(asked):
        print(f"stopped after {len(seen.answers)} of {len(asked)} decisions", file=sys.stderr)
        raise typer.Exit(130)


def _seat(record: "Record", seat: int | None) -> int | None:
    """Find whose decisions are looked at: those of the person, if there is one."""
    from kibitz.host import PERSON

    if seat is None and record.seats.count(PERSON) == 1:
        return record.seats.index(PERSON)
    return seat


def _write(folder: Path, seen: "Review", agent: "Agent", record: "Record") -> Path:
    from kibitz.review.drawing import write_report

    make_folder(folder)
    return write_report(folder, seen, agent.game.spec, agent.spec, record.seats)


def _print(seen: "Review", agent: "Agent", record: "Record") -> None:
    """Print the graph, the mistakes by size, and by which rule they are some."""
    from kibitz.review.drawing import count, graph, heads, reasons, row

    game = agent.game
    out.print(Text.assemble((game.facts.title, "bold"), f"  {game.spec}"))
    if record.seats:
        out.print(Text(", ".join(f"{i} {name}" for i, name in enumerate(record.seats))))
    if lines := graph(seen, out.width):
        out.print(Text("\n".join(lines)))
        out.print(Text(word("review.graph", coach=agent.spec), "dim"))
    if seen.mistakes:
        grid = Grid(box=box.ROUNDED)
        for head in heads():
            grid.add_column(head, no_wrap=head == heads()[-1])
        grid.add_column("")
        for mistake in seen.mistakes[:MOST_SHOWN]:
            grid.add_row(*map(Text, [*row(seen, mistake.answer), words(mistake.name)]))
        out.print(grid)
        for mistake in seen.mistakes[:MOST_SHOWN]:
            if why := reasons(mistake.answer):
                asked = mistake.answer.question
                out.print(Text(f"{asked.move}: {asked.text(mistake.answer.choice)} {why}"))
    else:
        out.print(Text(word("review.no-mistakes"), "bold"))
    out.print(Text(words(count(seen, agent.spec))))
    if seen.kind is not None:
        out.print(Text(words(seen.rule), "dim"))


def _as_json(seen: "Review", agent: "Agent", seed: int, record: "Record") -> dict[str, Any]:
    return {
        "game": agent.game.spec,
        "agent": agent.spec,
        "seed": seed,
        "value": seen.kind,
        "seats": record.seats,
        "thresholds": dict(zip(("slip", "mistake", "blunder"), seen.thresholds, strict=True)),
        "agreed": seen.n_agreed,
        "mistakes": [
            {
                "move": one.answer.question.move,
                "size": one.size,
                "loss": one.loss.value,
                "loss_error": one.loss.error,
                "reasons": [
                    {"text": words(reason), **reason.as_json()}
                    for reason in one.answer.question.merits(one.answer.choice)
                ],
            }
            for one in seen.mistakes
        ],
        "expected": [
            {"move": move, "best": best, "played": played} for move, best, played in seen.expected
        ],
        "decisions": [decision_json(answer) for answer in seen.answers],
    }
