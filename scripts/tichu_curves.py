"""Write what the thesis's ladder of Tichu told while it was trained, for `kibitz paper tichu-bot`.

    python scripts/tichu_curves.py scratch=runs/tichu-thesis-scratch ppo=runs/tichu-thesis-ppo ...

Each is the folder of a run; decisions are those of a line of its log, all other numbers means.
"""

import json
import sys
from pathlib import Path

from kibitz.papers.tichu_bot.curves import FILE


def read(folder: Path) -> dict[str, list[float | None]]:
    """Return the numbers of all lines that tell of self-play."""
    lines = [json.loads(line) for line in (folder / "log.jsonl").read_text("utf-8").splitlines()]
    told = [line for line in lines if "decisions" in line]
    names = ["score/older", *sorted(n for n in told[-1] if n.startswith(("plays/", "calls/")))]
    steps = [line["step"] for line in told]
    per_line = min(b - a for a, b in zip(steps, steps[1:], strict=False))
    found: dict[str, list[float | None]] = {
        "decisions": [round(per_line * line["decisions"]) for line in told]
    }
    for name in names:
        found[name] = [round(line[name], 5) if name in line else None for line in told]
    return found


def main() -> None:
    """Read the runs that are named, keep the others."""
    kept = json.loads(FILE.read_text("utf-8")) if FILE.exists() else {}
    for given in sys.argv[1:]:
        name, _, folder = given.partition("=")
        kept[name] = read(Path(folder))
    FILE.write_text(json.dumps(kept) + "\n", "utf-8")


if __name__ == "__main__":
    main()
