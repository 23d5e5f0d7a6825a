"""Pages: one HTML file that holds plots and tables.

A page is a single file without scripts and without anything to load: it can be mailed, archived
and printed, and it follows the light or dark taste of its reader. All text is escaped here; only
the drawings of a `Section` are taken as they are.
"""

import html
import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from kibitz.arena.sheet import XMLNS
from kibitz.arena.words import printable
from kibitz.core.errors import KibitzError

_NUMBER = re.compile(r"(?:(?:inf|nan|to|bis|[\W\d_])*(?:[nmµ]?s|[kMGT]?B)?|n/a)")


@dataclass(frozen=True)
class Table:
    """A table of texts; columns of numbers are aligned to the right."""

    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    caption: str = ""


@dataclass(frozen=True)
class Section:
    """A part of a page: a heading, what there is to see, the plot and the table."""

    title: str
    text: str  # paragraphs have an empty line between them
    svg: str = ""  # trusted: it is put into the page as it is
    table: Table | None = None
    is_detail: bool = False  # of the section before: with a small heading, not in the contents


def write_page(
    path: Path, title: str, subtitle: str, facts: Mapping[str, str], sections: Sequence[Section]
) -> None:
    """Write one HTML file; readers find the old file or the new one, never half of it."""
    text = _page(title, subtitle, facts, sections)
    place = Path(os.path.realpath(path))  # a link stays one
    temporary = place.parent / f".{place.name}.{os.getpid()}.part"
    try:
        temporary.write_text(text, encoding="utf-8")
        temporary.replace(place)
    except OSError as error:
        raise KibitzError(f"cannot write the page {path}: {error.strerror or error}") from None
    finally:
        with suppress(OSError):
            temporary.unlink()  # there is one only if something went wrong


def _page(title: str, subtitle: str, facts: Mapping[str, str], sections: Sequence[Section]) -> str:
    pairs = "".join(f"<div><dt>{_text(k)}</dt><dd>{_text(v)}</dd></div>" for k, v in facts.items())
    links = "".join(
        f'<li><a href="#part{i}">{_text(part.title)}</a></li>'
        for i, part in enumerate(sections, 1)
        if not part.is_detail
    )
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{_text(title) or "kibitz"}</title>
<style>{_CSS}</style>
</head>
<body>
<header>
<h1>{_text(title)}</h1>
{f"<p>{_text(subtitle)}</p>" if subtitle else ""}
{f"<dl>{pairs}</dl>" if pairs else ""}
</header>
{f'<nav aria-label="Contents"><ul>{links}</ul></nav>' if len(sections) > 1 else ""}
<main>
{"".join(_section(part, i) for i, part in enumerate(sections, 1))}</main>
</body>
</html>
"""


def _text(text: str) -> str:
    return html.escape(printable(text))


def _section(part: Section, number: int) -> str:
    paragraphs = (block for block in re.split(r"\n\s*\n", part.text) if block.strip())
    words = "\n".join(f"<p>{_text(block.strip())}</p>" for block in paragraphs)
    name = _text(part.title)
    body = words
    if part.svg:
        drawing = part.svg.replace(f' xmlns="{XMLNS}"', "", 1)  # HTML knows what an svg is
        box = f'<div class="plot" tabindex="0" role="group" aria-label="Plot: {name}">'
        caption = f"<figcaption>{words}</figcaption>" if words else ""
        body = f"<figure>{box}{drawing}</div>{caption}</figure>"
    if part.table is not None:
        body += "\n" + _table(part.table, name)
    heading = "h3" if part.is_detail else "h2"
    return f'<section id="part{number}">\n<{heading}>{name}</{heading}>\n{body}\n</section>\n'


def _table(table: Table, name: str) -> str:
    """The table in a box that scrolls, so that the page need not."""
    columns = range(len(table.heads))
    right = [all(_NUMBER.fullmatch(row[c].strip()) for row in table.rows) for c in columns]
    align = [' class="n"' if number else "" for number in right]

    heads = "".join(f'<th scope="col"{align[c]}>{_text(table.heads[c])}</th>' for c in columns)
    kinds = ["td" for _ in columns]
    kinds[right.index(False) if False in right else 0] = 'th scope="row"'  # the name of its row
    body = "".join(
        f"<tr>{''.join(f'<{kinds[c]}{align[c]}>{_text(row[c])}</{kinds[c][:2]}>' for c in columns)}"
        "</tr>\n"
        for row in table.rows
    )
    caption = f"<caption>{_text(table.caption)}</caption>" if table.caption else ""
    return (
        f'<div class="table" tabindex="0" role="group" aria-label="Table: {name}"><table>{caption}'
        f"\n<thead><tr>{heads}</tr></thead>\n<tbody>\n{body}</tbody>\n</table></div>"
    )


_CSS = """
:root {
  color-scheme: light dark;
  --ink: #222; --soft: #595959; --paper: #fafaf8; --card: #fff; --edge: #dcdcd8; --link: #005a8e;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #e8e8e6; --soft: #a9a9a6; --paper: #17181a; --card: #202225; --edge: #3a3d41;
    --link: #7cc4f5;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 1.5rem 1rem 3rem; max-width: 50rem; background: var(--paper);
  color: var(--ink); font: 1rem/1.5 system-ui, "Segoe UI", "DejaVu Sans", sans-serif;
  overflow-wrap: anywhere;
}
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0; }
h2 { font-size: 1.25rem; line-height: 1.3; margin: 2.5rem 0 .75rem; }
h3 { font-size: 1rem; line-height: 1.3; margin: 1.5rem 0 .5rem; }
header p { margin: .25rem 0 0; color: var(--soft); }
a { color: var(--link); }
dl { display: flex; flex-wrap: wrap; gap: .75rem 2rem; margin: 1.25rem 0 0; padding: .75rem 1rem;
  border: 1px solid var(--edge); border-radius: .5rem; background: var(--card); }
dt { font-size: .8rem; color: var(--soft); }
dd { margin: 0; }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin: 1rem 0 0; padding: 0;
  list-style: none; }
figure { margin: 0; }
figcaption, section > p { color: var(--soft); }
figcaption p, section > p { margin: .5rem 0 0; max-width: 42rem; }
.plot, .table { overflow-x: auto; border: 1px solid var(--edge); border-radius: .5rem; }
.plot { background: #fff; padding: .5rem; }
.plot svg { display: block; width: 100%; min-width: 34rem; height: auto; }
.table { margin-top: 1rem; background: var(--card); }
table { border-collapse: collapse; width: 100%; font-size: .9rem; overflow-wrap: normal; }
caption { padding: .5rem .75rem 0; text-align: left; color: var(--soft); }
th, td { padding: .35rem .75rem; text-align: left; vertical-align: top; }
thead th { border-bottom: 1px solid var(--edge); color: var(--soft); font-weight: 600; }
tbody tr + tr > * { border-top: 1px solid var(--edge); }
tbody th:not(.n) { min-width: 9rem; font-weight: inherit; overflow-wrap: anywhere; }
.n { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
@media print {
  :root { --ink: #000; --soft: #444; --paper: #fff; --card: #fff; --edge: #bbb; }
  body { max-width: none; padding: 0; }
  nav { display: none; }
  figure, tr { break-inside: avoid; }
  h2, h3 { break-after: avoid; }
  .plot, .table { overflow: visible; }
  .plot svg { min-width: 0; max-height: 20cm; }
}
"""
