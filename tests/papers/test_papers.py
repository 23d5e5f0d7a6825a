"""Papers: how series are played, kept, summed up and written."""

import base64
import json
import math
import zlib
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from kibitz.arena.statistics import Estimate
from kibitz.core.errors import KibitzError, SpecError
from kibitz.core.registry import load_agent, load_game
from kibitz.papers import PAPERS, load_paper
from kibitz.papers.drawing import draw
from kibitz.papers.grids import facts, fill, hours, make_grid, parts
from kibitz.papers.lines import agrees, as_json, lines_of, paper_estimate, pooled_of
from kibitz.papers.logs import LOSS, TIE, WIN, Log
from kibitz.papers.nimmt_monte_carlo import GAMES, fit_budget
from kibitz.papers.nimmt_monte_carlo import flat as flat_player
from kibitz.papers.plan import (
    SHARES,
    Duel,
    Measured,
    Paper,
    Player,
    Series,
    Table,
    Target,
    Trial,
    Unit,
)
from kibitz.papers.results import Results, load_results
from kibitz.papers.run import Runner

DOCS = Path(__file__).parents[2] / "docs" / "papers"
GAME = "nimmt:players=2"
RANDOM = Player("random", "random")
FULL = Target(deals=40, differing=30, most=200)


def series(table: str, spec: str) -> Series:
    return Series(table, GAME, Player(spec, spec), (RANDOM,))


def small_tables(_: Measured) -> Sequence[Table]:
    """Return a table of trials and one of duels that are played in no time."""
    trials = tuple(
        Trial((str(x),), series("one/a", spec), 0.6, line="bots", x=x)
        for x, spec in enumerate(("highest", "lowest", "closest"))
    )
    pairs = (("highest", "lowest"), ("closest", "lowest"))
    duels = tuple(Duel(pair, series("two/a", pair[0]), series("two/a", pair[1])) for pair in pairs)
    return [
        Table("one/a", "Trials", ("x",), trials, 500, "1", "x"),
        Table("two/a", "Duels", ("player 1", "player 2"), duels, 300),
    ]


SMALL = Paper("small", "A small paper", small_tables, dict)


def play(results: Results, target: Target = FULL, threads: int = 1, chunks: int = 10**6) -> int:
    """Play at most so many chunks; return how many were played."""
    runner = Runner(small_tables({}), results, target, threads)
    return len(list(islice(runner.play(lambda: False), chunks)))


def outcomes(results: Results) -> dict[str, list[list[int]]]:
    return {key: log.outcomes.tolist() for key, log in results.logs.items()}


@pytest.fixture(scope="module")
def played() -> Results:
    """Play the small paper to its end."""
    results = Results("small", 3)
    play(results)
    return results


def test_trials_end_after_their_deals_and_duels_when_enough_games_differ(played: Results) -> None:
    trials, duels = small_tables({})
    assert {len(played.log(one)) for one in trials.series} == {FULL.deals}
    assert all(line.n_games >= FULL.differing for line in lines_of(duels, played))
    assert max(len(played.log(one)) for one in duels.series) < FULL.most
    assert play(played) == 0


def test_tables_that_the_paper_does_not_have_need_fewer_games() -> None:
    _, duels = small_tables({})
    ours = replace(duels, budgets=("best",))
    target = replace(FULL, beyond=10)
    assert target.differing_in(duels) == FULL.differing
    results = Results("small", 3)
    for _ in Runner([ours], results, target, 1).play(lambda: False):
        pass
    assert all(10 <= line.n_games < FULL.differing for line in lines_of(ours, results))


def test_all_players_of_a_table_get_the_same_deals_and_tables_do_not() -> None:
    trials, duels = small_tables({})
    assert len({one.seed(3) for one in trials.series}) == 1
    assert trials.series[0].seed(3) != duels.series[0].seed(3)
    assert trials.series[0].seed(3) != trials.series[0].seed(4)


@pytest.mark.parametrize("chunks", [1, 7])
def test_a_run_that_was_stopped_goes_on_exactly(
    chunks: int, played: Results, tmp_path: Path
) -> None:
    path = tmp_path / "results.json"
    results = Results("small", 3)
    play(results, chunks=chunks)
    results.save(path, [])
    again = load_results(path, SMALL)
    assert outcomes(again) == outcomes(results)
    play(again, threads=2)
    assert outcomes(again) == outcomes(played)


def test_a_larger_budget_goes_on_from_a_smaller_one(played: Results) -> None:
    results = Results("small", 3)
    play(results, Target(6, 300, 6))
    assert {len(log) for log in results.logs.values()} == {6}
    play(results)
    assert outcomes(results) == outcomes(played)


def test_outcomes_are_those_of_the_player() -> None:
    results = Results("small", 3)
    play(results, Target(40, 0, 0))
    game = load_game(GAME)
    first, *_ = small_tables({})[0].series
    from kibitz.arena import Match

    agents = [load_agent("highest", game), load_agent("random", game)]
    match = Match(game, agents, 40, first.seed(3))
    for _ in match.play():
        pass
    assert results.log(first).points.mean() == pytest.approx(match.result().sample.wins(0).mean)


def test_the_time_is_estimated_and_shrinks() -> None:
    results = Results("small", 3)
    runner = Runner(small_tables({}), results, FULL, 1)
    before = runner.amount_left()
    play(results, chunks=3)
    assert 0 < runner.amount_left() < before
    assert runner.seconds_left() > 0


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"paper": "other"}, "holds no results of small"),
        ({"schema": 0}, "holds no results of small"),
        ({"seed": 4}, "is not a series of the paper"),
        ({"series": {"one/a best": {}}}, "series.one/a best.game: it is missing"),
        ({"seed": -1}, "seed: expected a number from 0 on"),
        ({"budget": "huge"}, "budget: expected '', 'quick', 'paper' or 'full'"),
        ({"measured": {"x": 0}}, "measured.x: expected a number from 1 on"),
        ({"commits": [1]}, "commits.0: expected text"),
        ({"more": 1}, "more: there is no such field"),
    ],
)
def test_files_of_something_else_are_refused(
    change: dict[str, object], said: str, played: Results, tmp_path: Path
) -> None:
    path = tmp_path / "results.json"
    path.write_text(json.dumps({**played.as_json(), **change}))
    with pytest.raises(KibitzError, match=said):
        load_results(path, SMALL)


BOMB = base64.b64encode(zlib.compress(bytes(100_000_000), 9)).decode()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"game": "nimmt"}, "is not a series of the paper"),
        ({"player": "best"}, "is not a series of the paper"),
        ({"wins": -1}, "wins: expected a number from 0 on"),
        ({"wins": 10**9}, "counts other wins, ties and losses than its outcomes have"),
        ({"deals": 10**9}, "deals: expected a number up to 1000000"),
        ({"deals": 1}, "are not those of 1 deals"),
        ({"outcomes": BOMB}, "the outcomes of .* are not those of "),
        ({"outcomes": "no base64"}, "holds no results of small: "),
        ({"outcomes": "AAAA"}, "holds no results of small: "),
        ({"cpu_seconds": math.nan}, "cpu_seconds: expected a finite number"),
        ({"cpu_seconds": 0.0, "player_seconds": 1.0}, "took longer than both"),
    ],
)
def test_series_that_contradict_themselves_are_refused(
    change: dict[str, object], said: str, played: Results, tmp_path: Path
) -> None:
    path, document = tmp_path / "results.json", played.as_json()
    next(iter(document["series"].values())).update(change)
    path.write_text(json.dumps(document))
    with pytest.raises(KibitzError, match=said):
        load_results(path, SMALL)


@pytest.mark.parametrize("text", ["[" * 100_000, '{"seed": NaN}', "{", "", "1" * 5000, "null"])
def test_files_that_are_no_document_are_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    path.write_text(text)
    with pytest.raises(KibitzError, match=r"results\.json holds no results of small: [a-z]"):
        load_results(path, SMALL)


def test_results_of_other_rules_are_refused() -> None:
    results = Results("small", 3, versions={GAME: 99})
    with pytest.raises(KibitzError, match="version 99 of the rules .* begin a new file"):
        play(results)


def test_ties_count_half() -> None:
    log = Log(np.array([[WIN, TIE], [LOSS, TIE]], np.uint8))
    assert log.points.tolist() == [0.75, 0.25]


@pytest.mark.parametrize(
    ("ours", "verdict"),
    [
        (Estimate(0.96, 0.95, 0.97), True),
        (Estimate(0.93, 0.92, 0.94), False),
        (Estimate(0.99, 0.985, 0.994), False),
        (Estimate(0.96, 0.60, 0.99), None),
        (Estimate(0.60, 0.40, 0.80), False),
        (Estimate(1.0, float("nan"), float("nan")), None),
    ],
)
def test_agreement_takes_both_samples_into_account(ours: Estimate, verdict: bool | None) -> None:
    assert agrees(paper_estimate(0.967, 500), ours, SHARES.telling) is verdict


def test_a_lead_is_measured_on_the_same_deals(played: Results) -> None:
    trials, _ = small_tables({})
    first, chosen, _ = lines_of(trials, played)
    assert chosen.against_chosen is None
    assert first.against_chosen is not None
    expected = first.ours.mean - chosen.ours.mean
    assert first.against_chosen.mean == pytest.approx(expected)


def test_rows_are_pooled_by_deal(played: Results) -> None:
    trials, duels = small_tables({})
    (pooled,) = pooled_of(trials, played)
    shares = [line.ours.mean for line in lines_of(trials, played)]
    assert pooled.ours.mean == pytest.approx(np.mean(shares))
    assert pooled.paper.mean == pytest.approx(0.6)
    assert pooled.paper.margin < paper_estimate(0.6, 500).margin
    assert pooled_of(duels, played) == []


def test_a_duel_names_who_is_ahead_for_certain() -> None:
    _, duels = small_tables({})
    results = Results("small", 3)
    wins, losses = (Log(np.full((30, 2), kind, np.uint8)) for kind in (WIN, LOSS))
    for one, log in zip(duels.series, (wins, losses, losses), strict=True):
        results.add(one, log)
    ahead, level = lines_of(duels, results)
    assert (ahead.better, ahead.n_games, ahead.n_deals) == ("highest", 60, 30)
    assert (level.better, level.n_games) == ("", 0)


def test_a_table_without_games_can_be_written() -> None:
    for table in small_tables({}):
        grid = make_grid(table, Results("small", 3))
        assert all("—" in row for row in grid.rows)
        json.dumps(as_json(table, Results("small", 3)), allow_nan=False)


def test_numbers_that_do_not_agree_are_named(played: Results) -> None:
    trials, _ = small_tables({})
    rows = tuple(replace(row, paper=0.01) for row in trials.trials)
    grid = make_grid(replace(trials, rows=rows), played)
    assert grid.notes[0].startswith("0 of 3 agree")
    assert grid.notes[1].startswith("Apart: 0 (")
    assert {row[-1] for row in grid.rows} == {"no"}


def test_a_sweep_is_drawn_with_the_papers_points(played: Results) -> None:
    svg = draw(small_tables({})[0], played)
    assert "bots, ours (80 games each)" in svg
    assert "bots, paper (500 games each)" in svg


def test_a_plot_may_show_something_else_than_its_table(played: Results) -> None:
    drawn = Unit("games won of a hundred", ".0f", 1.0, scale=100)
    svg = draw(replace(small_tables({})[0], drawn=drawn), played)
    assert "games won of a hundred" in svg
    assert SHARES.label not in svg


def test_games_are_told_where_some_were_played(played: Results) -> None:
    assert facts(played)["games"] == f"{played.n_games:,}"
    assert "games" not in facts(Results("small", 3))


def test_parts_of_a_page_are_filled_in() -> None:
    page = "a\n<!-- part x -->\nold\n<!-- end -->\nb\n"
    filled = fill(page, {"x": "new"})
    assert filled == "a\n<!-- part x -->\n\nnew\n\n<!-- end -->\nb\n"
    assert fill(filled, {"x": "new"}) == filled
    with pytest.raises(KibitzError, match="a part 'x' that there is not"):
        fill(page, {})


def test_long_times_are_written_in_hours() -> None:
    assert [hours(x) for x in (0.2, 63, 600, 340_000)] == ["1 s", "63 s", "10 min", "94 h"]


def test_tables_are_found_by_a_part_of_their_names() -> None:
    paper = load_paper("nimmt-monte-carlo")
    assert len(paper.select([], {})) == 18
    assert [table.name for table in paper.select(["figure-4"], {})] == [
        "figure-4/known",
        "figure-4/full",
    ]
    assert len(paper.select(["full", "figure-7/known"], {})) == 10
    with pytest.raises(SpecError, match="has no table 'figure-8': did you mean 'figure-"):
        paper.select(["figure-8"], {})
    with pytest.raises(SpecError, match="unknown paper 'nimt': did you mean 'nimmt-rl'"):
        load_paper("nimt")


def test_flat_monte_carlo_simulates_every_card_as_often() -> None:
    game = load_game(GAMES["known"])
    flat = load_agent(flat_player(3).spec, game)
    found = flat.decide(game.deal(seed=1).view(0), 0)
    assert found.visits is not None
    assert found.visits.tolist() == [[3.0] * 10]


@pytest.mark.parametrize("name", PAPERS)
def test_every_agent_of_a_paper_can_be_made(name: str) -> None:
    paper = load_paper(name)
    for table in paper.make_tables({}):
        for one in table.series:
            game = load_game(one.game)
            for player in one.players:
                assert load_agent(player.spec, game).game is game


@pytest.mark.parametrize("name", PAPERS)
def test_the_page_of_a_paper_says_what_its_results_say(name: str) -> None:
    paper = load_paper(name)
    results = load_results(DOCS / f"{name}.json", paper)
    tables = paper.make_tables(results.measured)
    kept = json.loads((DOCS / f"{name}.json").read_text("utf-8"))
    written = json.loads(json.dumps([as_json(table, results) for table in tables]))
    assert kept["tables"] == written, "run scripts/papers.py"
    page = (DOCS / f"{name}.md").read_text("utf-8")
    assert fill(page, parts(paper, results)) == page, "run scripts/papers.py"
    assert all(f"<!-- part {table.name} -->" in page for table in tables)


@pytest.mark.parametrize(
    ("whole", "half", "sims"),
    [(4.0, 2.0, 1500), (4.0, 3.0, 2000), (10.0, 8.0, 100), (4.0, 3.99, 1500)],
)
def test_a_budget_of_equal_time_knows_what_does_not_depend_on_simulations(
    whole: float, half: float, sims: int
) -> None:
    assert fit_budget(1000, whole, half, 6.0) == pytest.approx(sims)
