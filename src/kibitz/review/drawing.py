"""A review as a graph of letters, and as a page."""

from pathlib import Path

from kibitz._version import __version__
from kibitz.arena.page import Section, Table, write_page
from kibitz.arena.sheet import FAINT, Sheet, styled
from kibitz.arena.words import number
from kibitz.core.messages import Message
from kibitz.core.wording import word, words
from kibitz.review.judgement import Answer
from kibitz.review.mistakes import Mistake, Review

PAGE = "index.html"
HEIGHT = 8
"""Lines of a graph."""

MOST_COLUMNS = 60


def amount(kind: str | None, value: float, error: float | None = None) -> str:
    """Write a value and its standard error in the unit of its kind."""
    scale, digits, unit = {"win": (100, 1, " %"), "rank": (1, 3, "")}.get(kind or "", (1, 2, ""))
    told = "" if error is None else f" ±{number(scale * error, digits)}"
    return f"{number(scale * value, digits)}{unit}{told}"


def graph(review: Review, width: int = MOST_COLUMNS) -> list[str]:
    """Draw what was expected, decision by decision, in letters that every terminal has."""
    points = review.expected
    if len(points) < 2:
        return []
    wrong = {one.answer.question.move for one in review.mistakes}
    shown = [one[1] for one in points] + [one[2] for one in points if one[0] in wrong]
    low, high = min(shown), max(shown)
    step = (high - low) / (HEIGHT - 1) or 1.0
    labels = [amount(review.kind, high), amount(review.kind, low)]
    margin = max(map(len, labels))
    wide = min(len(points), max(width - margin - 2, 10))
    rows = [[" "] * wide for _ in range(HEIGHT)]
    for k, (move, best, after) in enumerate(points):
        column = k * wide // len(points)
        rows[round((high - best) / step)][column] = "*"
        if move in wrong:
            rows[round((high - after) / step)][column] = "o"
    heads = [labels[0], *[""] * (HEIGHT - 2), labels[1]]
    return [f"{head:>{margin}} |{''.join(row)}" for head, row in zip(heads, rows, strict=True)]


@styled
def draw(review: Review) -> str:
    """Draw what was expected over the game as SVG, with its mistakes."""
    points = review.expected
    wrong = {one.answer.question.move: one for one in review.mistakes}
    sheet = Sheet(300)
    ax = sheet.axes(left=62, right=20, bottom=44, top=24)
    ax.grid(axis="y")
    ax.set_xlabel(word("review.move"))
    ax.yaxis.set_major_formatter(lambda value, _: amount(review.kind, value))
    ax.plot([one[0] for one in points], [one[1] for one in points], color=FAINT, linewidth=1.8)
    said = []
    for move, best, after in points:
        if move in wrong:
            told = _told(review, wrong[move])
            ax.plot([move, move], [best, after], color="#b2182b", linewidth=1)
            (dot,) = ax.plot([move], [after], marker="o", color="#b2182b", markersize=8)
            sheet.explain(dot, told)
            said.append(told)
    return sheet.svg(word("review.section-graph"), said)


def _told(review: Review, mistake: Mistake) -> str:
    """Say a mistake in one line."""
    asked = mistake.answer.question
    cells = row(review, mistake.answer)
    return f"{asked.move}: {cells[2]} / {cells[3]}, {cells[4]}, {words(mistake.name)}"


def row(review: Review, answer: Answer) -> list[str]:
    """Write number, seat, what was played, what is better and what was lost."""
    asked, loss = answer.question, answer.loss
    played = "" if asked.played is None else asked.text(asked.played)
    agrees = asked.played == answer.choice
    lost = "" if loss is None or agrees else amount(review.kind, loss.value, loss.error)
    better = "" if agrees else asked.text(answer.choice)
    return [str(asked.move), str(asked.seat), played, better, lost]


def reasons(answer: Answer) -> str:
    """Say what speaks for the action that the agent would play."""
    return "; ".join(map(words, answer.question.merits(answer.choice)))


def heads() -> list[str]:
    """Return the heads of the columns of `row`."""
    return [word(f"review.{name}") for name in ("move", "seat", "played", "better", "lost")]


def write_report(
    folder: Path, review: Review, game: str, coach: str, seats: tuple[str, ...]
) -> Path:
    """Write a page with the graph, the mistakes by size and all decisions; return its place."""
    worst = [
        [*row(review, one.answer), words(one.name), reasons(one.answer)] for one in review.mistakes
    ]
    every = [row(review, answer) for answer in review.answers]
    table = Table([*heads(), "", word("review.why")], worst) if worst else None
    rule = words(review.rule)
    losses = rule if worst else f"{word('review.no-mistakes')}: {rule}"
    drawing = draw(review) if len(review.expected) > 1 else ""
    sections = [
        Section(word("review.section-graph"), word("review.what-graph"), drawing),
        Section(word("review.section-losses"), losses, table=table),
        Section(word("review.section-all"), _counted(review, coach), table=Table(heads(), every)),
    ]
    facts = {"game": game, "kibitz": __version__}
    facts |= {f"seat {i}": name for i, name in enumerate(seats)}
    path = folder / PAGE
    title, subtitle = word("review.title", game=game), word("review.subtitle", coach=coach)
    write_page(path, title, subtitle, facts, sections)
    return path


def _counted(review: Review, coach: str) -> str:
    return words(count(review, coach))


def count(review: Review, coach: str) -> Message:
    """Say how many decisions there were, and how often the agent agreed."""
    facts = {"decisions": len(review.answers), "agreed": review.n_agreed, "coach": coach}
    return Message("review.count", facts)
