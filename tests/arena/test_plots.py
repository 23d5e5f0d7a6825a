"""Plots of results, and the page that holds them."""

import math
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from kibitz.arena import plots
from kibitz.arena.page import Section, Table, write_page
from kibitz.arena.sheet import spread
from kibitz.arena.statistics import Estimate, mean_of
from kibitz.arena.words import duration, listing, short_labels
from kibitz.core.errors import KibitzError

HOSTILE = [
    "<script>alert(1)</script>",
    "$x$ & $\\frac{",
    "mcs:sims=1200,value=rank,allocation=equal",
    "mcs:sims=1200,value=rank,allocation=halving",
    "\0\ud800 \"quoted\" id='x' 日本語",
]
SVG = "{http://www.w3.org/2000/svg}"


def _cross_table(labels: Sequence[str]) -> str:
    means = np.subtract.outer(np.arange(len(labels)), np.arange(len(labels))) * 1.25
    np.fill_diagonal(means, np.nan)
    return plots.cross_table(labels, means, np.full_like(means, 0.4), "points per game")


def _ratings(labels: Sequence[str]) -> str:
    estimates = [Estimate(1500.0 + i, 1490.0 - i, 1512.0 + i) for i in range(len(labels))]
    return plots.ratings(labels, estimates)


def _distributions(labels: Sequence[str]) -> str:
    rng = np.random.default_rng(1)
    return plots.distributions(
        labels, [rng.poisson(9.0, 500).astype(float) for _ in labels], "points"
    )


def _convergence(labels: Sequence[str]) -> str:
    rng = np.random.default_rng(2)
    samples = [rng.normal(i, 3.0, 2000) for i in range(len(labels))]
    games = [5 * np.arange(1, 2001)] * len(labels)
    return plots.convergence(labels, samples, games, "points per game")


def _totals(labels: Sequence[str]) -> str:
    rng = np.random.default_rng(4)
    samples = [rng.normal(i, 3.0, 2000) for i in range(len(labels))]
    games = [5 * np.arange(1, 2001)] * len(labels)
    return plots.totals(labels, samples, games, "points")


def _move_times(labels: Sequence[str]) -> str:
    seconds = np.outer(10.0 ** -np.arange(len(labels)), np.arange(10.0, 0.0, -1.0))
    return plots.move_times(labels, seconds, np.full(seconds.shape, 100))


def _elo_history(labels: Sequence[str]) -> str:
    games = np.arange(0.0, 900.0)
    return plots.elo_history(labels, [(games, 1500 + i * games / 50) for i in range(len(labels))])


def _rank_chart(labels: Sequence[str]) -> str:
    return plots.rank_chart(labels, np.random.default_rng(3).dirichlet([2.0] * 4, len(labels)))


Draw = Callable[[Sequence[str]], str]
DRAWINGS: list[Draw] = [
    _cross_table,
    _ratings,
    _distributions,
    _convergence,
    _totals,
    _move_times,
    _elo_history,
    _rank_chart,
]
every_plot = pytest.mark.parametrize("draw", DRAWINGS, ids=lambda draw: draw.__name__[1:])


@cache
def hostile(draw: Draw) -> str:
    """A plot of agents whose names are made to break it."""
    return draw(HOSTILE)


def texts(svg: str) -> list[str]:
    """What is written in a plot."""
    return [node.text or "" for node in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def tips(svg: str) -> list[str]:
    """The tooltips of a plot."""
    return [node.text or "" for node in ElementTree.fromstring(svg).iter(f"{SVG}title")]


@every_plot
def test_a_plot_is_one_scalable_element_that_says_what_it_shows(draw: Draw) -> None:
    svg = draw(["alpha", "beta"])
    root = ElementTree.fromstring(svg)
    assert svg.startswith("<svg ")
    assert root.get("viewBox", "").startswith("0 0 700 ")
    assert root.get("width") is None
    assert root.get("role") == "img"
    assert "alpha" in root.get("aria-label", "")
    assert {"alpha", "beta"} <= set(texts(svg))


@every_plot
@pytest.mark.parametrize("n", [1, 12, 30])
def test_any_number_of_agents_is_drawn(draw: Draw, n: int) -> None:
    svg = draw([f"agent{i}" for i in range(n)])
    assert sum(text.startswith("agent") for text in texts(svg)) == n


@every_plot
def test_labels_are_text_whatever_they_hold(draw: Draw) -> None:
    svg = hostile(draw)
    assert "<script" not in svg
    assert any("$x$ & $\\frac{" in text for text in texts(svg))
    assert "<script>alert(1)</script>" in " ".join(texts(svg) + tips(svg))
    assert "\0" not in svg
    svg.encode()


@every_plot
def test_what_was_shortened_is_whole_in_a_tooltip(draw: Draw) -> None:
    svg = hostile(draw)
    assert HOSTILE[2] in " ".join(tips(svg))
    assert not any(HOSTILE[2] in text for text in texts(svg))


@every_plot
def test_the_same_arrays_give_the_same_bytes(draw: Draw) -> None:
    assert draw(HOSTILE) == hostile(draw)


@every_plot
def test_every_reference_is_to_the_plot_itself(draw: Draw) -> None:
    root = ElementTree.fromstring(hostile(draw))
    ids = {node.get("id") for node in root.iter()}
    links = [value for node in root.iter() for value in node.attrib.values() if "#k" in value]
    assert links
    for link in links:
        assert set(re.findall(r"#(k[\w-]+)", link)) <= ids
    assert not list(root.iter(f"{SVG}style"))


def test_short_labels_still_differ() -> None:
    labels = [f"{'a' * 30}{middle}{'z' * 30}" for middle in "pqr"] + ["short"]
    short = short_labels(labels, 20)
    assert len(set(short)) == 4
    assert all(len(label) <= 20 for label in short)
    assert short[3].startswith("short")


def test_a_cross_table_writes_values_and_margins() -> None:
    means = np.array([[np.nan, 1.234], [-1.234, np.nan]])
    svg = plots.cross_table(["a", "b"], means, np.array([[np.nan, 0.05], [0.05, np.nan]]), "points")
    assert {"+1.23", "−1.23", "±0.05"} <= set(texts(svg))
    assert "a against b: +1.23 ±0.05" in tips(svg)
    assert "never met" not in texts(svg)


def test_a_cross_table_shows_who_never_met() -> None:
    svg = plots.cross_table(["a", "b"], np.full((2, 2), np.nan), None, "points")
    assert "never met" in texts(svg)
    assert "a against b: never met" in tips(svg)
    assert svg.count("<pattern") == 1


def test_a_cross_table_without_margins_writes_values() -> None:
    svg = plots.cross_table(["a", "b"], np.array([[0.0, 12.0], [-12.0, 0.0]]), None, "points")
    assert "+12.0" in texts(svg)
    assert not any("±" in text for text in texts(svg))


def test_the_best_rating_is_on_top_and_no_rating_at_the_bottom() -> None:
    nan = math.nan
    estimates = [
        Estimate(nan, nan, nan),
        Estimate(1400, -math.inf, 1420),
        Estimate(1600, 1580, 1620),
    ]
    written = texts(plots.ratings(["none", "low", "high"], estimates))
    assert [text for text in written if text in ("none", "low", "high")] == ["high", "low", "none"]
    assert {"1600 (1580 to 1620)", "1400 (−∞ to 1420)", "—"} <= set(written)


@pytest.mark.parametrize(
    ("values", "edges"),
    [
        ([-1.0, 0.0, 1.0], [-1.5, -0.5, 0.5, 1.5]),
        ([-10.0, 5.0, 0.0], [-12.5, -7.5, -2.5, 2.5, 7.5]),
        ([3.0], [2.5, 3.5]),
        ([], [0.0, 1.0]),
    ],
)
def test_whole_scores_have_a_bin_each(values: list[float], edges: list[float]) -> None:
    assert plots._bins(np.array(values)).tolist() == edges


@pytest.mark.parametrize("values", [np.arange(1000.0), np.linspace(0, 1, 999), np.array([0.5])])
def test_many_scores_share_few_bins(values: plots.Floats) -> None:
    edges = plots._bins(values)
    assert len(edges) <= 82
    assert np.histogram(values, edges)[0].sum() == len(values)


def test_the_running_mean_ends_with_the_mean_and_its_interval() -> None:
    sample = np.random.default_rng(5).normal(3.0, 2.0, 1000)
    for n in (1000, 5):
        run = plots._running(sample[:n], np.arange(1, n + 1), plots._geometric(n))
        assert run.deals[-1] == n
        assert len(run.deals) <= plots.MAX_POINTS
        whole = mean_of(sample[:n])
        assert (run.last.mean, run.last.margin) == pytest.approx((whole.mean, whole.margin))


def test_the_running_mean_stands_at_the_games_of_its_deals() -> None:
    games = np.cumsum([3, 1, 1, 3, 1, 5, 1, 3])
    run = plots._running(np.arange(8.0), games, plots._geometric(8))
    assert run.games.tolist() == games[run.deals.astype(int) - 1].tolist()
    assert run.mean.tolist() == pytest.approx([2, 2.5, 3, 3.5])


def test_agents_may_have_played_different_numbers_of_games() -> None:
    rng = np.random.default_rng(8)
    samples = [rng.normal(0, 1, 2000), rng.normal(1, 1, 200)]
    games = [np.arange(1, 2001), 50 * np.arange(1, 201)]
    assert "10,000" in texts(plots.convergence(["often", "seldom"], samples, games, "points"))


def test_one_deal_or_none_is_no_interval_but_a_plot() -> None:
    samples, games = [np.array([2.0]), np.zeros(0)], [np.array([4]), np.zeros(0, int)]
    svg = plots.convergence(["one", "none"], samples, games, "points")
    assert {"no deals", "2.00"} <= set(texts(svg))


def test_sums_grow_with_the_games_and_so_do_their_intervals() -> None:
    samples, games = [np.full(1000, 2.0), np.tile([-3.0, 1.0], 500)], [5 * np.arange(1, 1001)] * 2
    written = set(texts(plots.totals(["sure", "swings"], samples, games, "cents")))
    assert "+10,000 ±0" in written
    assert "−5,000 ±621" in written, "5,000 times the mean -1 and its margin"


def test_sums_of_one_deal_or_none_are_a_plot() -> None:
    samples, games = [np.array([2.0]), np.zeros(0)], [np.array([4]), np.zeros(0, int)]
    assert {"no deals", "+8"} <= set(texts(plots.totals(["one", "none"], samples, games, "cents")))


def test_times_have_units_and_gaps() -> None:
    seconds = np.array([[0.004, 99.0, 0.002], [2e-5, 1e-5, 0.0]])
    svg = plots.move_times(["slow", "quick"], seconds, np.array([[2, 0, 2], [10, 10, 0]]))
    assert {"1.5 ms", "1.5 µs", "100 µs"} <= set(texts(svg))
    assert "no moves" in texts(plots.move_times(["idle"], np.zeros((1, 3)), np.zeros((1, 3), int)))


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"),
        (12e-9, "12 ns"),
        (5.6e-6, "5.6 µs"),
        (0.9996e-3, "1 ms"),
        (0.25, "250 ms"),
        (1.2, "1.2 s"),
        (1234, "1234 s"),
    ],
)
def test_durations_are_written_in_the_unit_that_fits(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_of_many_names_only_the_first_are_listed() -> None:
    assert listing(["a", "b", "c"], 3) == "a · b · c"
    assert listing(["a", "b", "c", "d"], 3) == "a · b · 2 more"


def test_a_plot_of_nothing_is_a_plot() -> None:
    empty = np.zeros((0, 0))
    for svg in (
        plots.cross_table([], empty, None, "points"),
        plots.ratings([], []),
        plots.distributions(["a"], [np.zeros(0)], "points"),
        plots.convergence(["a"], [np.zeros(0)], [np.zeros(0, int)], "points"),
        plots.move_times(["a"], np.zeros((1, 0)), np.zeros((1, 0), int)),
        plots.elo_history(["a"], [(np.zeros(0), np.zeros(0))]),
        plots.rank_chart([], empty),
    ):
        assert ElementTree.fromstring(svg).get("role") == "img"


def test_a_dropped_entrant_is_marked() -> None:
    games = np.arange(1000.0)
    history = [(games, 1500 + games), (games[300:500], 1500 - games[300:500])]
    svg = plots.elo_history(["stays", "leaves"], history)
    assert "games (× dropped)" in texts(svg)
    assert "games" in texts(plots.elo_history(["a", "b"], history[:1] * 2))
    assert {"2499", "1001"} <= set(texts(svg))


def test_ranks_may_be_counts_and_an_agent_may_have_none() -> None:
    svg = plots.rank_chart(["a", "b"], np.array([[30.0, 10.0], [0.0, 0.0]]))
    assert {"75 %", "25 %", "1.25", "—"} <= set(texts(svg))
    assert "a: rank 1, 75 %" in tips(svg)


def test_the_interval_of_a_rank_is_in_its_tooltip() -> None:
    ranks = [Estimate(0.75, 0.7, 0.8), Estimate(0.25, 0.15, 0.26)]
    svg = plots.rank_chart(["a"], np.array([[0.75, 0.25]]), [ranks])
    assert {"75 %", "25 %"} <= set(texts(svg))
    assert {"a: rank 1, 75.0 % ±5.0 %", "a: rank 2, 25.0 % (15.0 % to 26.0 %)"} <= set(tips(svg))


def test_values_beside_lines_keep_their_distance() -> None:
    places = spread([5.0, 5.0, 5.5, 90.0], 10, 0, 100)
    assert np.diff(sorted(places)).min() >= 10 - 1e-9
    assert min(places) >= 0
    assert max(places) <= 100
    assert places[3] == 90


def test_importing_the_plots_does_not_load_matplotlib() -> None:
    code = "import sys, kibitz.arena.plots; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


class Outline(HTMLParser):
    """The ids, links and nesting of a page."""

    VOID = {"meta", "br", "link", "img"}

    def __init__(self, page: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.links: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_startendtag(tag, attrs)
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.ids += [value or "" for name, value in attrs if name == "id"]
        self.links += [
            value or "" for name, value in attrs if name in ("href", "src", "xlink:href")
        ]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("page") / "page.html"
    table = Table(["agent", "score"], [[HOSTILE[0], "−8.31 ± 0.05"], ["<b>", "12"]], "A & B")
    drawings = [hostile(draw) for draw in DRAWINGS]
    sections = [Section(f"Part <{i}>", "One.\n\nTwo.", svg) for i, svg in enumerate(drawings)]
    sections.append(Section("Table", "", table=table))
    write_page(path, "<Title>", "sub & title", {"<game>": "a<b"}, sections)
    return path.read_text(encoding="utf-8")


def test_a_page_nests_and_no_two_parts_share_an_id(page: str) -> None:
    outline = Outline(page)
    assert outline.open == []
    assert len(outline.ids) == len(set(outline.ids))
    assert {"h1", "h2", "figure", "figcaption", "caption", "dl"} <= outline.tags


def test_a_page_needs_nothing_but_itself(page: str) -> None:
    outline = Outline(page)
    assert outline.links
    assert all(link.startswith("#") and link[1:] in outline.ids for link in outline.links)
    assert not outline.tags & {"script", "link", "img", "iframe", "object", "image"}
    assert not re.search(r"https?:|@import|\bsrc=", page)
    assert not re.search(r"url\((?!#)", page)


def test_a_page_escapes_what_it_is_given(page: str) -> None:
    assert "<h1>&lt;Title&gt;</h1>" in page
    assert "<dt>&lt;game&gt;</dt><dd>a&lt;b</dd>" in page
    assert "<h2>Part &lt;0&gt;</h2>" in page
    assert "<script" not in page
    assert "<caption>A &amp; B</caption>" in page


def test_numbers_in_tables_are_aligned_to_the_right(page: str) -> None:
    assert '<td class="n">−8.31 ± 0.05</td>' in page
    assert '<th scope="row">&lt;b&gt;</th>' in page


def test_the_first_column_of_words_names_the_row(tmp_path: Path) -> None:
    table = Table(["place", "agent", "games"], [["1", "random", "20"]])
    write_page(tmp_path / "x", "t", "", {}, [Section("s", "", table=table)])
    row = '<td class="n">1</td><th scope="row">random</th><td class="n">20</td>'
    assert row in (tmp_path / "x").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "cell",
    ["", "—", "−8.31 ± 0.05", "1598 to ∞", "-inf to 3", "52 %", "2 ms", "100.0% (96.2% to 100.0%)"],
)
def test_what_counts_as_a_number(cell: str, tmp_path: Path) -> None:
    write_page(tmp_path / "x", "t", "", {}, [Section("s", "", table=Table(["h"], [[cell]]))])
    assert 'class="n"' in (tmp_path / "x").read_text(encoding="utf-8")


@pytest.mark.parametrize("cell", ["random", "6nimmt", "flat:sims=300", "日本語", "-inf" * 40 + "x"])
def test_what_does_not(cell: str, tmp_path: Path) -> None:
    write_page(tmp_path / "x", "t", "", {}, [Section("s", "", table=Table(["h"], [[cell]]))])
    assert 'class="n"' not in (tmp_path / "x").read_text(encoding="utf-8")


def test_a_page_that_cannot_be_written_leaves_the_old_one(tmp_path: Path) -> None:
    with pytest.raises(KibitzError, match="cannot write the page"):
        write_page(tmp_path / "missing" / "x.html", "t", "", {}, [])
    (tmp_path / "folder").mkdir()
    with pytest.raises(KibitzError, match="cannot write the page"):
        write_page(tmp_path / "folder", "t", "", {}, [])
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_what_breaks_in_the_middle_of_a_page_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(UnicodeEncodeError):
        write_page(tmp_path / "x.html", "t", "", {}, [Section("s", "", "<svg>\ud800</svg>")])
    assert list(tmp_path.iterdir()) == []


def test_long_matches_make_small_pages(tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    labels = [f"agent{i}" for i in range(10)]
    deals = [rng.normal(i, 5, 100_000) for i in range(10)]
    games = np.arange(100_000.0)
    history = [(games, 1500 + np.cumsum(rng.normal(0, 1, 100_000))) for _ in labels]
    drawings = [
        plots.convergence(labels, deals, [5 * np.arange(1, 100_001)] * 10, "points"),
        plots.distributions(labels, [d.round() for d in deals], "points"),
        plots.elo_history(labels, history),
    ]
    write_page(tmp_path / "x.html", "t", "", {}, [Section("s", "", svg) for svg in drawings])
    assert (tmp_path / "x.html").stat().st_size < 500_000
