"""Write playthroughs and trees again: `python -m tests.golden.regenerate`, then read the diff.

A playthrough tells a game the way a reviewer wants to read it: every position, what each seat that
decides knows of it, what it may do and what it did. Choices come from `random.Random`, so the text
is the same with and without the compiler. Trees of searches stand in `tests/golden/trees.py`.
"""

import random
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

import kibitz
from kibitz import Table
from kibitz.core.game import Seat
from tests.golden.trees import TREES, write_tree

FOLDER = Path(__file__).parent
COMMAND = "python -m tests.golden.regenerate"
WIDTH = 100
WHOLE = 10**9

LEGEND = """\
Seats that decide together are told one after the other; `knows` is what differs in the seat's view
from the true position, and a seat without it sees everything. `forced` is played by the table.
"""

PLAYTHROUGHS = {
    "connect4": [("connect4:opening=4", 1, WHOLE), ("connect4", 2, WHOLE)],
    "nimmt": [
        ("nimmt:players=3,rows=free,match=66", 1, 30),
        ("nimmt:players=2,draft=true", 1, WHOLE),
    ],
    # With an unknown card; a Nola; a leaster, then a called ace and two cracks; two blitzes.
    "sheephead": [
        ("sheephead", 9, WHOLE),
        ("sheephead", 45, WHOLE),
        ("sheephead:hands=2,crack=true,pass=leaster", 13, WHOLE),
        ("sheephead:blitz=true", 40, 16),
    ],
    "tichu": [("tichu", 1, WHOLE), ("tichu:variant=thesis", 1, 40)],
}
"""File name: the (spec, seed, most decisions) of the games in it."""


def write_file(name: str) -> str:
    """Return the whole text of `<name>.txt`."""
    head = f"Playthroughs of {name}, made by: {COMMAND}\n{LEGEND}"
    return "\n".join([head, *(playthrough(*game) for game in PLAYTHROUGHS[name])])


def playthrough(spec: str, seed: int, most: int = WHOLE) -> str:
    """Write down a game in which everybody plays at random, up to `most` decisions."""
    table = kibitz.load_game(spec).deal(seed)
    rng = random.Random(f"{spec} {seed}")
    lines = [f"# {table.game.spec}, seed {seed}"]
    n_told = 0
    while not table.is_over and n_told < most:
        choosers = [seat for seat in table.movers if len(table.legal(seat)) > 1]
        lines += ["", f"## decision {n_told + 1}", *_wrap("position", _position(table))]
        for seat in choosers:
            lines += _decide(table, seat, rng)
        n_told += len(choosers)
    return "\n".join([*lines, "", *_end(table), ""])


def _decide(table: Table, seat: Seat, rng: random.Random) -> Iterator[str]:
    """Let one seat choose and tell it, with what the table plays by itself afterwards."""
    known = table.game.text.format_position(table.view(seat))
    actions = table.legal(seat)
    words = {action: table.text(action, seat) for action in actions}
    chosen = rng.choice(actions)
    n_played = len(table.actions) + 1
    if known != _position(table):
        yield from _wrap(f"seat {seat} knows", _difference(known, _position(table)))
    yield from _wrap(f"seat {seat} may", ", ".join(words.values()))
    yield from _wrap("plays", words[chosen])
    table.play(seat, chosen)
    forced = table.record().actions[n_played:]
    if forced:
        yield from _wrap("forced", ", ".join(f"seat {other}: {text}" for other, text in forced))


def _position(table: Table) -> str:
    """Return the true position without the spec, which stands in the heading."""
    position: str = table.game.text.format_position(table.state)
    return position


def _difference(view: str, position: str) -> str:
    """Return the words of a view that are not those of the position; all if it looks different."""
    seen, true = view.split(), position.split()
    if len(seen) != len(true):
        return view
    differing = [word for word, other in zip(seen, true, strict=True) if word != other]
    return " ".join([*differing, "and the rest"])


def _end(table: Table) -> Iterator[str]:
    """Yield lines on how a game ended, or where it was left."""
    yield "## the end" if table.is_over else "## left here"
    yield from _wrap("position", _position(table))
    yield from _wrap("scores", ", ".join(f"{score:g}" for score in table.scores))
    record = table.record(["random"] * table.game.n_seats)
    # The version of kibitz is no fact about the game: a release must not change this file.
    line = record.model_copy(update={"kibitz": "any"}).to_line()
    yield from _wrap("record", re.sub(r',(?=\[|"\w+":)', ", ", line))


def _wrap(label: str, text: str) -> list[str]:
    """Write `label  text` in a column of its own; lines break at spaces only."""
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=f"{label:<14}",
        subsequent_indent=" " * 14,
        break_long_words=False,
        break_on_hyphens=False,
    )


def main() -> None:
    """Write every file."""
    for name in PLAYTHROUGHS:
        (FOLDER / f"{name}.txt").write_text(write_file(name), encoding="utf-8")
    for name in TREES:
        (FOLDER / f"{name}.txt").write_text(write_tree(name), encoding="utf-8")


if __name__ == "__main__":
    main()
