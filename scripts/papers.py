"""Write the pages of papers anew from their results: `python scripts/papers.py`."""

from pathlib import Path

from kibitz.papers import PAPERS, load_paper
from kibitz.papers.drawing import draw
from kibitz.papers.grids import fill, parts
from kibitz.papers.lines import as_json
from kibitz.papers.results import load_results

FOLDER = Path(__file__).parents[1] / "docs" / "papers"


def main() -> None:
    """Write tables into pages and results, and draw the plots."""
    for name in PAPERS:
        paper = load_paper(name)
        results = load_results(FOLDER / f"{name}.json", paper)
        tables = paper.make_tables(results.measured)
        results.save(FOLDER / f"{name}.json", [as_json(table, results) for table in tables])
        page = FOLDER / f"{name}.md"
        page.write_text(fill(page.read_text("utf-8"), parts(paper, results)), "utf-8")
        for table in tables:
            if table.x_label:
                plot = FOLDER / f"{name}-{table.name.replace('/', '-')}.svg"
                plot.write_text(draw(table, results) + "\n", "utf-8")


if __name__ == "__main__":
    main()
