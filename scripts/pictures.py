"""Draw the terminal pictures of the README: `python scripts/pictures.py`.

Runs the real command and turns what it prints into an SVG that needs no font from elsewhere.
"""

import os
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

IMAGES = Path(__file__).parents[1] / "docs" / "images"
WIDTH = 84

PICTURES = {
    "tournament": [
        "tournament nimmt:players=4 random highest lowest closest --seed 1",
        "tournament connect4 random centre winning-move --seed 1",
    ],
}
"""File name: the commands it shows."""

FORMAT = """\
<svg viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace;
 font-size: {char_height}px; line-height: {line_height}px; font-variant-east-asian: full-width; }}
.{unique_id}-title {{ font-size: 18px; font-weight: bold; font-family: sans-serif; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" />
</clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


def run(command: str) -> str:
    """Run a kibitz command as if in a terminal of our width; give what it printed."""
    env = {**os.environ, "FORCE_COLOR": "1", "COLUMNS": str(WIDTH), "TERM": "xterm-256color"}
    code = "from kibitz.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, *command.split()],
        env=env,
        input="",
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout


def main() -> None:
    """Draw every picture."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    for name, commands in PICTURES.items():
        console = Console(record=True, width=WIDTH, file=open(os.devnull, "w"))  # noqa: SIM115
        for command in commands:
            console.print(Text(f"$ kibitz {command}", style="bold green"))
            console.print(Text.from_ansi(run(command)))
        console.save_svg(
            str(IMAGES / f"{name}.svg"), title="kibitz", code_format=FORMAT, unique_id=name
        )


if __name__ == "__main__":
    main()
