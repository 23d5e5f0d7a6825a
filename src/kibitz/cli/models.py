"""`kibitz models`: the trained networks that ship, and what their cards say."""

from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table as Grid
from rich.text import Text

from kibitz.cli.console import err, out, print_json
from kibitz.core.errors import AgentError, clip, plain
from kibitz.core.registry import game_facts, game_names, load_game
from kibitz.core.spec import split_spec

if TYPE_CHECKING:
    from kibitz.search.cards import Card

LONGEST = 10_000
"""Most characters of a text on a card that are shown."""


def add_to(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command(epilog="Example: kibitz models connect4 ./my-model")(models)


def models(
    game: Annotated[str | None, typer.Argument(help="One game only, such as nimmt.")] = None,
    model: Annotated[
        str | None, typer.Argument(help="Show the whole card of one: a name, or ./folder.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """List the models that ship with kibitz, or show the card of one."""
    names = game_names()
    if game is not None:
        name, options = split_spec(game)
        game_facts(name).resolve(options)
        names = [name]
    if game is not None and model is not None:
        _show(game, model, as_json)
    else:
        _list(names, as_json)


def _list(games: list[str], as_json: bool) -> None:
    """List what ships; a card that cannot be read is a warning."""
    from kibitz.search.models import MODELS, model_names, read_card

    cards: list[tuple[str, str, Card]] = []
    for game in games:
        for name in model_names(game):
            try:
                cards.append((game, name, read_card(MODELS / game / name, f"model {clip(name)}")))
            except AgentError as error:
                err.print(f"warning: {error}", style="yellow", markup=False)
    if as_json:
        print_json([{"name": name} | _json(card) for _, name, card in cards])
    elif not cards:
        out.print(f"no models ship for {', '.join(games)}")
    else:
        for game in dict.fromkeys(game for game, _, _ in cards):
            out.print(_grid(game, [(name, card) for of, name, card in cards if of == game]))


def _grid(game: str, cards: list[tuple[str, "Card"]]) -> Grid:
    """Lay out the models of one game; the rest of a card is shown one at a time."""
    grid = Grid(title=game, title_justify="left", show_lines=True)
    grid.add_column("model", no_wrap=True)
    grid.add_column("network", max_width=16)
    grid.add_column("strength")
    for name, card in cards:
        grid.add_row(name, _network(card), Text(plain(card.strength)))
    return grid


def _show(game: str, model: str, as_json: bool) -> None:
    """Show one card whole, and say if the model cannot be used."""
    from kibitz.search.models import find_model, load_model, read_card

    table = load_game(game)
    card = read_card(find_model(model, table.facts.name), f"model {clip(model, 200)}")
    if as_json:
        print_json({"name": model} | _json(card))
    else:
        grid = Grid(box=None, show_header=False, pad_edge=False)
        grid.add_column(no_wrap=True, style="bold")
        grid.add_column(overflow="fold")
        for key, value in _json(card).items():
            if value not in ("", [], {}):
                lines = _line(value).splitlines()
                grid.add_row(key, Text("\n".join(plain(line, LONGEST) for line in lines)))
        out.print(grid)
    try:
        load_model(model, table, card.use)
    except AgentError as error:
        err.print(f"warning: {error}", style="yellow", markup=False, soft_wrap=True)


def _json(card: "Card") -> dict[str, object]:
    document: dict[str, object] = card.model_dump(mode="json", by_alias=True)
    return document


def _network(card: "Card") -> str:
    """Say in a word what a network is."""
    return "-".join(map(str, card.layers)) if card.kind == "mlp" else card.kind


def _line(value: object) -> str:
    """Write one field of a card."""
    if isinstance(value, dict):
        value = ", ".join(f"{key} {part}" for key, part in value.items())
    elif isinstance(value, list):
        value = "-".join(map(str, value))
    return "none" if value is None else str(value)
