"""What results are drawn on: sheets of SVG, and one HTML page that holds them.

A page is a single file without scripts and without anything to load: it can be mailed, archived
and printed, and it follows the light or dark taste of its reader. All text is escaped here; only
the drawings of a `Section` are taken as they are.
"""

import hashlib
import html
import io
import os
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec
from xml.etree import ElementTree

from kibitz.core.errors import KibitzError

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

WIDTH = 700
"""Width of a sheet; in a page it scales to the width there is."""

MAX_SPOKEN = 100
"""Most parts of a drawing that a screen reader is told of."""

INK, FAINT, AXIS, GRID = "#222222", "#595959", "#8a8a8a", "#e4e4e4"

_FONTS = "system-ui, 'Segoe UI', 'DejaVu Sans', Verdana, sans-serif"
_STYLE = {
    "svg.fonttype": "none",
    "svg.hashsalt": "kibitz",
    "text.parse_math": False,
    "font.size": 12,
    "hatch.color": "#d0d0d0",
    "axes.axisbelow": True,
    "axes.formatter.useoffset": False,
    "axes.formatter.limits": (-5, 9),
    "grid.color": GRID,
    **dict.fromkeys(("text.color", "xtick.labelcolor", "ytick.labelcolor", "axes.labelcolor"), INK),
    **dict.fromkeys(("axes.edgecolor", "xtick.color", "ytick.color"), AXIS),
    **dict.fromkeys(("axes.spines.top", "axes.spines.right"), False),
}
_SVG = "{http://www.w3.org/2000/svg}"
_XMLNS = _SVG.strip("{}")
_HREF = "{http://www.w3.org/1999/xlink}href"
_UNPRINTABLE = re.compile("[\0-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_NUMBER = re.compile(r"(?:(?:inf|nan|to|[\W\d_])*(?:[nmµ]?s|[kMGT]?B)?|n/a)")

P = ParamSpec("P")


def printable(text: str) -> str:
    """Replace what XML and HTML cannot hold; the rest is escaped where it is written."""
    return _UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", re.sub(r"\s+", " ", text))


def styled(draw: Callable[P, str]) -> Callable[P, str]:
    """Let `draw` use the style of the sheets, whatever matplotlib was told elsewhere."""

    @wraps(draw)
    def drawn(*args: P.args, **kwargs: P.kwargs) -> str:
        from matplotlib import style

        with warnings.catch_warnings(), style.context(["default", _STYLE]):
            # The browser finds the letters that the measuring font lacks.
            warnings.filterwarnings("ignore", message="Glyph .* missing")
            return draw(*args, **kwargs)

    return drawn


class Sheet:
    """A figure measured in pixels from its lower left corner, and the tooltips of its parts.

    Text stays text: it can be searched, copied and read aloud.
    """

    def __init__(self, height: float) -> None:
        """Take an empty sheet."""
        from matplotlib.backends.backend_svg import FigureCanvasSVG
        from matplotlib.figure import Figure

        self.height = round(height)
        self.figure = Figure(figsize=(WIDTH / 72, self.height / 72), dpi=72)
        self._canvas = FigureCanvasSVG(self.figure)
        self._tips: dict[str, str] = {}

    def axes(self, left: float, right: float, bottom: float, top: float) -> "Axes":
        """Add axes that leave these margins."""
        width, height = max(WIDTH - left - right, 80), max(self.height - bottom - top, 10)
        return self.figure.add_axes(
            (left / WIDTH, bottom / self.height, width / WIDTH, height / self.height)
        )

    def write(self, x: float, y: float, text: str, tip: str = "", **style: Any) -> None:
        """Write at a point; `tip` is what the text says in full."""
        from matplotlib.transforms import IdentityTransform

        placed = {"va": "center_baseline", "transform": IdentityTransform(), **style}
        self.explain(self.figure.text(x, y, text, **placed), tip if tip != text else "")

    def line(self, xs: Sequence[float], ys: Sequence[float], **style: Any) -> None:
        """Draw a line between points of the sheet, also outside the axes."""
        from matplotlib.lines import Line2D
        from matplotlib.transforms import IdentityTransform

        self.figure.add_artist(Line2D(xs, ys, transform=IdentityTransform(), **style))

    def box(
        self, x: float, y: float, wide: float, tall: float, tip: str = "", **style: Any
    ) -> None:
        """Draw a rectangle at a point of the sheet."""
        from matplotlib.patches import Rectangle
        from matplotlib.transforms import IdentityTransform

        patch = Rectangle((x, y), wide, tall, transform=IdentityTransform(), **style)
        self.explain(self.figure.add_artist(patch), tip)

    def explain(self, artist: "Artist", tip: str) -> None:
        """Give a part of the drawing a tooltip."""
        if tip:
            name = f"tip{len(self._tips)}"
            artist.set_gid(name)
            self._tips[name] = printable(tip)

    def svg(self, title: str, parts: Sequence[str]) -> str:
        """The finished element; a screen reader says its title and parts."""
        stream = io.StringIO()
        self.figure.savefig(stream, format="svg", metadata={"Date": None})
        drawing, rest = stream.getvalue(), len(parts) - MAX_SPOKEN
        said = [*parts[:MAX_SPOKEN], *([f"and {rest} more"] if rest > 0 else [])]
        spoken = printable(f"{title}: {'; '.join(said)}")
        digest = hashlib.sha256(f"{spoken}{self._tips}{drawing}".encode()).hexdigest()
        root = ElementTree.fromstring(drawing)
        _tidy(root, f"k{digest[:10]}-", set(re.findall(r"#([\w.-]+)", drawing)), self._tips)
        root.attrib.clear()
        root.attrib |= {
            "xmlns": _XMLNS,
            "viewBox": f"0 0 {WIDTH} {self.height}",
            "role": "img",
            "aria-label": spoken,
            "font-family": _FONTS,
            "stroke-linejoin": "round",
        }
        return ElementTree.tostring(root, encoding="unicode")


def _tidy(node: ElementTree.Element, prefix: str, used: set[str], tips: dict[str, str]) -> None:
    """Add tooltips, make ids unique, remove what costs bytes and says nothing; in place."""
    node.tag = node.tag.removeprefix(_SVG)
    name = node.attrib.pop("id", "")
    target = node.attrib.pop(_HREF, "")
    for key, value in node.attrib.items():
        value = re.sub(r" font-family: [^;]*;| ?\n", "", value).replace("url(#", f"url(#{prefix}")
        node.set(key, re.sub(r"-?\d+\.\d+", lambda found: f"{float(found[0]):.2f}", value))
    if name in used:
        node.set("id", prefix + name)
    if target:
        node.set("href", f"#{prefix}{target[1:]}")
    if node.get("transform", "").startswith("rotate(-0 "):
        del node.attrib["transform"]
    node.tail = None
    if node.tag != "text":
        node.text = None
    for child in list(node):
        if child.tag == f"{_SVG}metadata" or child.find(f"{_SVG}style") is not None:
            node.remove(child)  # the style sheet would reach over the whole page
        else:
            _tidy(child, prefix, used, tips)
    if name in tips:
        tip = ElementTree.Element("title")
        tip.text = tips[name]
        node.insert(0, tip)


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


def write_page(
    path: Path, title: str, subtitle: str, facts: Mapping[str, str], sections: Sequence[Section]
) -> None:
    """Write one HTML file; readers find the old file or the new one, never half of it."""
    temporary = path.parent / f".{path.name}.{os.getpid()}.part"
    try:
        try:
            temporary.write_text(_page(title, subtitle, facts, sections), encoding="utf-8")
            temporary.replace(path)
        except BaseException:
            with suppress(OSError):
                temporary.unlink()
            raise
    except OSError as error:
        raise KibitzError(f"cannot write the page {path}: {error.strerror or error}") from None


def _page(title: str, subtitle: str, facts: Mapping[str, str], sections: Sequence[Section]) -> str:
    pairs = "".join(f"<div><dt>{_text(k)}</dt><dd>{_text(v)}</dd></div>" for k, v in facts.items())
    links = "".join(
        f'<li><a href="#part{i}">{_text(part.title)}</a></li>' for i, part in enumerate(sections, 1)
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
        drawing = part.svg.replace(f' xmlns="{_XMLNS}"', "", 1)  # HTML knows what an svg is
        box = f'<div class="plot" tabindex="0" role="group" aria-label="Plot: {name}">'
        caption = f"<figcaption>{words}</figcaption>" if words else ""
        body = f"<figure>{box}{drawing}</div>{caption}</figure>"
    if part.table is not None:
        body += "\n" + _table(part.table, name)
    return f'<section id="part{number}">\n<h2>{name}</h2>\n{body}\n</section>\n'


def _table(table: Table, name: str) -> str:
    """The table in a box that scrolls, so that the page need not."""
    columns = range(len(table.heads))
    right = [all(_NUMBER.fullmatch(row[c].strip()) for row in table.rows) for c in columns]
    align = [' class="n"' if number else "" for number in right]

    heads = "".join(f'<th scope="col"{align[c]}>{_text(table.heads[c])}</th>' for c in columns)
    kinds = ['th scope="row"', *["td"] * len(table.heads)]  # the first names its row
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
tbody th { min-width: 9rem; font-weight: inherit; overflow-wrap: anywhere; }
.n { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
@media print {
  :root { --ink: #000; --soft: #444; --paper: #fff; --card: #fff; --edge: #bbb; }
  body { max-width: none; padding: 0; }
  nav { display: none; }
  figure, tr { break-inside: avoid; }
  h2 { break-after: avoid; }
  .plot, .table { overflow: visible; }
  .plot svg { min-width: 0; max-height: 20cm; }
}
"""
