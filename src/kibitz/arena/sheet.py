"""Sheets: figures measured in pixels that become the text of one `<svg>` element.

Matplotlib is loaded when something is drawn, not before.
"""

import hashlib
import io
import re
import warnings
from collections.abc import Callable, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec
from xml.etree import ElementTree

from kibitz.arena.words import printable

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

WIDTH = 700
"""Width of a sheet; in a page it scales to the width there is."""

MAX_SPOKEN = 100
"""Most parts of a drawing that a screen reader is told of."""

XMLNS = "http://www.w3.org/2000/svg"

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
_SVG = f"{{{XMLNS}}}"
_HREF = "{http://www.w3.org/1999/xlink}href"

P = ParamSpec("P")


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
        """Add a tooltip to a part of the drawing."""
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
            "xmlns": XMLNS,
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


def logarithmic(ax: "Axes", which: str, span: float, say: Callable[[float], str]) -> None:
    """Make an axis logarithmic; `span` is the greatest value it shows over the least."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    getattr(ax, f"set_{which}scale")("log")
    axis = ax.xaxis if which == "x" else ax.yaxis
    axis.set_major_locator(LogLocator(subs=(1, 2, 5) if span < 60 else (1,)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: say(value)))
    axis.set_minor_formatter(NullFormatter())


def widest(texts: Sequence[str]) -> float:
    """Width of the widest text in pixels. Browsers' fonts are narrower than the one measured."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(size=12)
    widths = [text_to_path.get_text_width_height_descent(t, font, ismath=False)[0] for t in texts]
    return max(widths, default=0.0)


def spread(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Places nearest to the wanted ones that keep a distance: least squares by pooling."""
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    pools: list[tuple[float, int]] = []  # mean of what is wanted less i * gap, and of how many
    for rank, i in enumerate(order):
        mean, size = wanted[i] - rank * gap, 1
        while pools and pools[-1][0] > mean:
            other, n = pools.pop()
            mean, size = (mean * size + other * n) / (size + n), size + n
        pools.append((mean, size))
    most = max(high - (len(wanted) - 1) * gap, low)
    flat = [min(max(mean, low), most) for mean, size in pools for _ in range(size)]
    places = dict(zip(order, (y + rank * gap for rank, y in enumerate(flat)), strict=True))
    return [places[i] for i in range(len(wanted))]
