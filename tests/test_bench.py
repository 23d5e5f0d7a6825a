"""The benchmarks run and say what they promise; how fast anything is, is no fact to test."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kibitz.bench import Benchmark, Missing, Result, limits, measure, ngnet, plies, select, solving
from kibitz.bench.machine import compiler_version
from kibitz.bench.measure import Sample, Target, speed_up
from kibitz.core.errors import SpecError
from kibitz.core.registry import load_game
from kibitz.core.rng import derive
from kibitz.games.connect4.alphabeta import make_memory, scores_of
from kibitz.search.playouts import random_games

needs_gxx = pytest.mark.skipif(
    compiler_version() is None, reason="limit programs are built with g++, which is not here"
)
PAGE = Path(__file__).parents[1] / "docs" / "benchmarks.md"
SMALL = ("--seconds", "0.05", "--repeats", "2")
PROGRAMS = ("nimmt", "nimmt_packed", "connect4")


def kibitz_bench(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    code = "from kibitz.cli import main; main()"
    return subprocess.run(
        [sys.executable, "-c", code, "bench", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )


def steady(figure: float) -> Benchmark:
    return Benchmark("toy.steady", "games/s", "a figure that stays", lambda: lambda s: figure)


def test_json_is_one_document_with_an_entry_per_benchmark() -> None:
    answer = kibitz_bench("nimmt.random_games", "connect4.state_copy", "--json", *SMALL)
    assert answer.returncode == 0, answer.stderr
    games, copies = json.loads(answer.stdout)
    assert (games["name"], games["unit"]) == ("nimmt.random_games", "games/s")
    assert games["spread"][0] <= games["ours"] <= games["spread"][1]
    assert set(games["peers"]) == set(games["ratio"])
    assert set(games["peers"]) == ({"limit", "packed"} if compiler_version() else set())
    assert (copies["unit"], copies["lower_is_better"], copies["peers"]) == ("ns", True, {})


def test_peers_that_are_not_there_are_left_out_with_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "pyspiel.py").write_text("raise ImportError")
    (tmp_path / "jax.py").write_text("raise ImportError")
    answer = kibitz_bench(
        *("connect4.random_games", "--peers", "--json", *SMALL), PYTHONPATH=str(tmp_path)
    )
    assert "peer open_spiel: not installed: pip install 'kibitz[bench]'\n" in answer.stderr
    assert "peer pgx: not installed: pip install 'kibitz[bench]'\n" in answer.stderr
    assert set(json.loads(answer.stdout)[0]["peers"]) <= {"limit"}


@pytest.mark.parametrize(
    ("name", "meant"), [("nimt", "'nimmt'"), ("nimmt.state_cpoy", "'nimmt.state_copy'")]
)
def test_unknown_names_exit_2_and_suggest_one(name: str, meant: str) -> None:
    answer = kibitz_bench(name)
    assert answer.returncode == 2
    assert answer.stderr == f"error: unknown benchmark {name!r}: did you mean {meant}?\n"
    assert answer.stdout == ""


def test_a_name_selects_itself_or_all_that_begin_with_it() -> None:
    assert [item.name for item in select(["nimmt.agent_games"])] == ["nimmt.agent_games"]
    assert len(select(["nimmt.agent"])) == 3
    assert {item.name.split(".")[0] for item in select(["nimmt", "compile"])} == {
        "nimmt",
        "compile",
    }
    assert len(select([])) > len(select(["nimmt"]))
    with pytest.raises(SpecError, match="unknown benchmark ''"):
        select([""])


def test_ratios_are_medians_within_repeats() -> None:
    figures = {"ours": [1.0, 10.0, 4.0], "limit": [2.0, 10.0, 1.0]}
    result = Result(steady(1), figures)
    assert (result.ours, result.spread) == (4, (1, 10))
    assert (result.peers, result.ratio) == ({"limit": 2}, {"limit": 1})


def test_a_table_tells_whether_a_ratio_is_reached() -> None:
    shown = kibitz_bench("arena.random_games", *SMALL).stdout
    assert "≥ 0.33 x" in shown
    assert "…  " not in shown  # nothing is cut
    with pytest.raises(ValueError, match="where lower is better"):
        Benchmark("toy.bad", "s", "", steady(1).ours, lower_is_better=True, least_ratio={"a": 1})


def test_a_missing_peer_is_told_and_the_others_are_measured() -> None:
    def absent() -> Sample:
        raise Missing("not here")

    peers = {"absent": absent, "twice": steady(8).ours}
    told: list[str] = []
    benchmark = Benchmark(
        "toy.peers",
        "games/s",
        "",
        steady(4).ours,
        peers,
        target=Target(5),
        least_ratio={"twice": 2},
    )
    result = measure(benchmark, seconds=1, repeats=3, tell=told.append)
    assert told == ["peer absent: not here"]
    assert result.figures == {"ours": [4, 4, 4], "twice": [8, 8, 8]}
    assert result.as_json()["target"] == "at least 5 games/s"
    assert result.as_json()["least_ratio"] == {"twice": 2}


def test_without_a_compiler_the_limit_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "compiler_version", lambda: None)
    with pytest.raises(Missing, match=r"g\+\+ not found"):
        limits.build("nimmt")


@needs_gxx
@pytest.mark.parametrize("program", PROGRAMS)
def test_the_same_seed_gives_a_limit_program_the_same_games(program: str) -> None:
    first, again, other = (limits.play(limits.build(program), 1000, seed) for seed in (1, 1, 2))
    assert first["games"] == 1000
    assert first["checksum"] == again["checksum"] != other["checksum"]


@needs_gxx
@pytest.mark.parametrize("program", ["nimmt", "nimmt_packed"])
def test_nimmt_limits_cost_as_many_heads_as_our_rules(program: str) -> None:
    n, game = 200_000, load_game("nimmt:players=5,rows=lowest")
    sums = np.zeros(5)
    random_games(game.blank(2), n, derive(1), sums)
    mean = limits.play(limits.build(program), n)["mean"]
    assert mean == pytest.approx(12.97, abs=0.03)
    assert mean == pytest.approx(-sums.mean() / n, abs=0.05)


@needs_gxx
def test_the_connect4_limit_wins_as_often_as_our_rules() -> None:
    n, game = 200_000, load_game("connect4")
    sums = np.zeros(2)
    random_games(game.blank(2), n, derive(1), sums)
    said = limits.play(limits.build("connect4"), n)
    # Wins of the first minus wins of the second, as scores of 1 and -1 add up.
    advantage = 2 * said["mean"] + said["draws"] - 1
    assert advantage == pytest.approx((sums[0] - sums[1]) / (2 * n), abs=0.012)


@needs_gxx
@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize(
    "bad", [[], ["10"], ["0", "1"], ["ten", "1"], ["10", "-1"], ["1", "1", "1"]]
)
def test_limit_programs_refuse_bad_arguments(program: str, bad: list[str]) -> None:
    path = str(limits.build(program))
    answer = subprocess.run([path, *bad], capture_output=True, text=True, check=False)
    assert answer.returncode == 2
    assert answer.stderr.startswith("usage: ")


def test_a_speed_up_counts_all_time_of_both() -> None:
    slow_hours = iter([1, 1, 1, 1, 1, 1] + [1, 1, 3, 3] * 200)  # both meet the same machine in turn

    def work(n: int, workers: int) -> float:
        waiting = 0.1 * n * 0.05 if workers == 2 else 0.0
        return (n * 0.05 / workers + waiting) * next(slow_hours)

    assert speed_up(work)(2.0) == pytest.approx(1 / 0.6)  # the waiting is not left out


def test_the_page_says_of_which_plies_the_solved_positions_are() -> None:
    lines = PAGE.read_text("utf-8").splitlines()
    (row,) = [line for line in lines if line.startswith("| `connect4.solve_CLASS` |")]
    for one in solving.CLASSES:
        assert f"`{one.name}`" in row
        assert f"{one.plies[0]} to {one.plies[1]}" in row


@needs_gxx
def test_the_limit_solves_the_same_positions_by_the_same_search() -> None:
    some = solving.draw_class(solving.Class("toy", (20, 26), 40, 1, 2))
    memory, out = make_memory(), np.zeros(20, np.int64)
    scores_of(memory, some.owns, some.occupied, out)
    _, nodes, scores = solving.solve_by_limit(some.moves, 2)
    assert scores == out.tolist()
    assert nodes == memory.n_searched


@needs_gxx
@pytest.mark.parametrize("bad", [[], ["22"], ["0", "1"], ["22", "0"], ["x", "1"], ["40", "1"]])
def test_the_solving_limit_refuses_bad_arguments(bad: list[str]) -> None:
    path = str(limits.build(solving.PROGRAM))
    answer = subprocess.run([path, *bad], capture_output=True, text=True, check=False, input="4")
    assert (answer.returncode, answer.stderr[:7]) == (2, "usage: ")


@needs_gxx
@pytest.mark.parametrize("line", ["8", "1111111", "4a"])
def test_the_solving_limit_refuses_what_is_no_position(line: str) -> None:
    path = str(limits.build(solving.PROGRAM))
    answer = subprocess.run(
        [path, "8", "1"], capture_output=True, text=True, check=False, input=line
    )
    assert (answer.returncode, answer.stderr) == (2, f"not a position: {line}\n")


def test_plies_are_broken_off_once_too_many_positions_are_slow() -> None:
    slow = plies.Times(3, (0.1, 1.2, 1.5), 20)
    assert not slow.is_whole
    assert slow.percentile(0.95) == 1.2  # the second of 20: 5 % and more are as slow
    assert plies.Times(3, (0.1, 0.3), 2).percentile(0.5) == pytest.approx(0.2)


@pytest.mark.compiled
def test_random_positions_of_a_ply_are_timed() -> None:
    owns, occupied = plies.draw_ply(14, 5)
    assert [int(board).bit_count() for board in occupied] == [14] * 5
    assert [int(board).bit_count() for board in owns] == [7] * 5
    found = plies.time_ply(14, 5, every_column=True)
    assert found.is_whole
    assert 0 < found.percentile(0.5) <= found.percentile(0.95)


@pytest.mark.compiled
def test_the_log_that_is_timed_has_no_damage() -> None:
    (item,) = select(["tichu.import_bsw"])
    assert item.ours()(0.01) > 0


@pytest.mark.train
def test_hands_are_counted_that_were_played_and_learnt_from() -> None:
    from kibitz.bench import learning

    assert (
        learning._ppo("sheephead-best", "hands")(0.01) < learning.GAMES / 0.01
    )  # a step takes longer


@pytest.mark.compiled
def test_lessons_are_timed_as_the_recipe_has_them_once_all_units_are_there() -> None:
    from kibitz.learn.recipe import load_recipe

    learner = ngnet.prepare(threads=2)
    known = {**load_recipe("sheephead-ngnet").config, "workers": 2}
    assert {name: getattr(learner.config, name) for name in known} == known
    assert [critic.n_units for critic in learner.critics] == 6 * [known["units"]]


def test_two_threads_are_timed_by_the_clock() -> None:
    one, two = select(["sheephead.learning"]), select(["sheephead.learning_2_threads"])
    made: list[Any] = [item.ours for item in one + two]
    assert [of.args for of in made] == [(1, time.process_time), (2, time.perf_counter)]
