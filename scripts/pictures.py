"""Draw the pictures of the README and the docs: `python scripts/pictures.py`.

Runs the real commands. What one prints in a terminal becomes an SVG that needs no font from
elsewhere; the report page becomes a PNG, photographed by Chromium.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

IMAGES = Path(__file__).parents[1] / "docs" / "images"
WIDTH = 96

PICTURES = {
    "tournament": [
        "tournament nimmt:players=4 random highest lowest closest --seed 1",
        "tournament connect4 random centre winning-move --seed 1",
    ],
}
"""File name: the commands it shows."""

REPORT = "match nimmt:players=4 random highest lowest closest --seed 1"
REPORT_SIZE = (900, 1330)
"""Pixels: down to the end of a section."""

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --hide-scrollbars "
    "--disable-background-networking --disable-component-update --disable-sync"
)

# The font is a little larger than rich means it to be, so that vertical lines have no gaps.
FORMAT = """\
<svg viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace;
 font-size: 21px; line-height: {line_height}px; font-variant-east-asian: full-width; }}
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


def run(command: str, folder: Path) -> str:
    """Run a kibitz command as if in a terminal of our width; give what it printed.

    Args:
        command: without `kibitz`.
        folder: where it is run, and keeps its results.
    """
    env = {
        **os.environ,
        "FORCE_COLOR": "1",
        "COLUMNS": str(WIDTH),
        "TERM": "xterm-256color",
        "KIBITZ_DATABASE": str(folder / "results.db"),
    }
    code = "from kibitz.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, *command.split()],
        cwd=folder,
        env=env,
        input="",
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(f"kibitz {command}: {done.stderr}")
    return done.stdout


def draw_terminal(name: str, commands: list[str], folder: Path) -> None:
    """Draw a terminal in which commands have been run."""
    console = Console(record=True, width=WIDTH, file=open(os.devnull, "w"))  # noqa: SIM115
    for command in commands:
        console.print(Text(f"$ kibitz {command}", style="bold green"))
        console.print(Text.from_ansi(run(command, folder)))
    console.save_svg(
        str(IMAGES / f"{name}.svg"), title="kibitz", code_format=FORMAT, unique_id=name
    )


def photograph_report(folder: Path) -> None:
    """Photograph the beginning of the page that a match reports."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        sys.exit("report.png is as it was: install Chromium and run this script again")
    run(f"{REPORT} --report report", folder)
    picture = IMAGES / "report.png"
    width, height = REPORT_SIZE
    subprocess.run(
        [
            browser,
            *FLAGS.split(),
            f"--user-data-dir={folder / 'browser'}",
            f"--screenshot={picture}",
            f"--window-size={width},{height}",
            (folder / "report" / "index.html").as_uri(),
        ],
        capture_output=True,
        timeout=120,
        check=True,
    )


def main() -> None:
    """Draw every picture."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        for picture, commands in PICTURES.items():
            draw_terminal(picture, commands, folder)
        photograph_report(folder)


if __name__ == "__main__":
    main()
