"""How names, numbers and times are written."""

import math
import re
import unicodedata
from collections.abc import Sequence

_UNPRINTABLE = re.compile("[\0-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def duration(seconds: float) -> str:
    """Write a time with three digits in the unit that suits it: "1.2 s", "250 ms", "12 ns"."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= 0.9995 * size:  # what is rounded to 1000 of a unit is 1 of the next
            return f"{seconds / size:.{3 if seconds < 999.5 * size else 6}g} {unit}"
    return f"{seconds * 1e9:.3g} ns" if seconds else "0 s"


def number(value: float, digits: int, sign: str = "") -> str:
    """Write a number with a real minus, and a dash where there is none."""
    if not math.isfinite(value):
        return "—" if math.isnan(value) else "∞" if value > 0 else "−∞"
    return f"{value:{sign}z.{digits}f}".replace("-", "−")


def percent(share: float) -> str:
    """Write a share in whole percent."""
    return f"{share:.0%}".replace("%", " %")


def printable(text: str) -> str:
    """Replace what XML and HTML cannot hold; the rest is escaped where it is written."""
    return _UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", re.sub(r"\s+", " ", text))


def short_labels(labels: Sequence[str], limit: int) -> list[str]:
    """Shorten labels in the middle; what differed still differs."""
    whole = [printable(label) for label in labels]
    for share in (0.5, 0.7, 0.3, 0.9, 0.1):
        short = [_shorten(label, limit, share) for label in whole]
        if len(set(short)) == len(set(whole)):
            return short
    return [f"{_shorten(label, limit - 4, 0.5)} #{i}" for i, label in enumerate(whole, 1)]


def _shorten(label: str, limit: int, share: float) -> str:
    """Keep `limit` columns of a label, this share of them from its beginning."""
    columns = sum(1 + (unicodedata.east_asian_width(letter) in "WF") for letter in label)
    keep = int((limit - 1) * len(label) / max(columns, 1))
    head = round(keep * share)
    return label if columns <= limit else f"{label[:head]}…{label[len(label) - keep + head :]}"


def listing(labels: Sequence[str], most: int) -> str:
    """Name the first few of many: "a · b · 7 more"."""
    if len(labels) > most:
        labels = [*labels[: most - 1], f"{len(labels) - most + 1} more"]
    return " · ".join(labels)
