"""Training runs: killed and resumed, stopped, refused; what they leave plays at once."""

import errno
import json
import math
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kibitz
from kibitz import SpecError, TrainingError
from kibitz.learn.checkpoint import read_checkpoint
from kibitz.learn.recipe import Recipe, change, load_recipe, parse_recipe
from kibitz.search.models import load_model
from tests.cli.test_commands import MAIN, environment, kibitz_command

torch = pytest.importorskip("torch", reason="needs torch: pip install 'kibitz[train]'")

from kibitz.learn import checkpoint, logbook, trainer  # noqa: E402 (needs torch)
from kibitz.learn.measuring import Referee  # noqa: E402
from kibitz.learn.recipe import find_algorithm  # noqa: E402
from kibitz.learn.trainer import Progress, train  # noqa: E402

pytestmark = pytest.mark.train

TEXT = """
title = "a toy"
game = "duel"
algorithm = "duel-line"
steps = 40
checkpoint = 10
[config]
lanes = 4
"""
DUEL: dict[str, Any] = {
    "title": "a toy",
    "game": "duel",
    "algorithm": "duel-line",
    "steps": 40,
    "checkpoint": 10,
    "config": {"lanes": 4},
}
EVALUATION = {"opponents": ["random"], "every": 20, "deals": 4}


def recipe(**changed: Any) -> Recipe:
    return parse_recipe({**DUEL, "name": "duel", **changed}, "recipe duel")


def entries(folder: Path) -> list[dict[str, Any]]:
    """Return the log of a run."""
    return [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]


def weights(folder: Path) -> list[Any]:
    """Return all arrays that a run has learnt."""
    layers = load_model(str(folder), kibitz.load_game("duel")).layers
    return [part for layer in layers for part in layer]


def assert_same_run(a: Path, b: Path) -> None:
    for one, other in zip(weights(a), weights(b), strict=True):
        np.testing.assert_array_equal(one, other)
    first, second = (read_checkpoint(folder / "checkpoint").state for folder in (a, b))
    assert_same(first["algorithm"], second["algorithm"])


def assert_same(a: Any, b: Any) -> None:
    if isinstance(a, dict):
        assert a.keys() == b.keys()
        for key in a:
            assert_same(a[key], b[key])
    else:
        np.testing.assert_array_equal(a, b)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a run that nobody has disturbed."""
    folder = tmp_path_factory.mktemp("runs") / "whole"
    assert train(recipe(), folder).is_finished
    return folder


def test_a_run_that_was_killed_ends_with_the_same_weights(whole: Path, tmp_path: Path) -> None:
    file, folder = tmp_path / "duel.toml", tmp_path / "run"
    file.write_text(TEXT)
    words = ["train", str(file), "--out", str(folder)]
    # It is killed in the middle of step 16, so the steps after the checkpoint of step 10 are lost.
    code = (
        "import os, signal, duel.learning as l\n"
        "step, n = l.Line.step, []\n"
        "def killed(self):\n"
        "    n.append(1)\n"
        "    if len(n) == 16: os.kill(os.getpid(), signal.SIGKILL)\n"
        "    return step(self)\n"
        "l.Line.step = killed\n" + MAIN
    )
    done = subprocess.run([sys.executable, "-c", code, *words], env=environment(), check=False)
    assert done.returncode == -signal.SIGKILL
    assert read_checkpoint(folder / "checkpoint").step == 10
    again = kibitz_command(*words, "--resume", "--json")
    assert again.returncode == 0, again.stderr
    assert json.loads(again.stdout)["finished"]
    assert_same_run(whole, folder)
    steps = [one["step"] for one in entries(folder)]
    assert steps == sorted(set(steps))  # no step is told of twice


def test_stopping_at_any_step_changes_nothing(whole: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"

    def interrupt(progress: Progress) -> None:
        if progress.step in (3, 17):
            signal.raise_signal(signal.SIGINT)

    stops = [train(recipe(), folder, tell=interrupt)]
    while not stops[-1].is_finished:
        stops.append(train(recipe(), folder, resume=True, tell=interrupt))
    assert [one.step for one in stops] == [4, 18, 40]
    assert_same_run(whole, folder)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_run_can_be_made_longer(whole: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    train(recipe(steps=25, checkpoint=9), folder)
    assert train(recipe(), folder, resume=True).step == 40
    assert_same_run(whole, folder)
    again = train(recipe(), folder, resume=True)  # there is nothing left to do
    assert (again.step, again.is_finished) == (40, True)


def test_time_is_up_after_the_step_in_which_it_is(tmp_path: Path) -> None:
    result = train(recipe(), tmp_path / "run", minutes=1e-9)
    assert (result.step, result.is_finished) == (1, False)
    assert read_checkpoint(tmp_path / "run" / "checkpoint").step == 1


def test_ctrl_c_stops_the_command_after_a_checkpoint(tmp_path: Path) -> None:
    file, folder = tmp_path / "duel.toml", tmp_path / "run"
    file.write_text(TEXT.replace("steps = 40", "steps = 1000000"))
    command = [sys.executable, "-c", MAIN, "train", str(file), "--out", str(folder)]
    running = subprocess.Popen(
        command, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 300
    while not (folder / "model" / "card.json").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    second = kibitz_command("train", str(file), "--out", str(folder), "--resume")
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=300)
    assert running.returncode == 0, err
    assert "stopped after a checkpoint" in out
    assert "--resume" in err
    assert (second.returncode, second.stdout) == (2, "")
    assert "somebody else is training in" in second.stderr
    step = read_checkpoint(folder / "checkpoint").step
    assert f"step {step} of 1000000" in out


def test_a_run_in_progress_plays(whole: Path) -> None:
    game = kibitz.load_game("duel")
    agent = kibitz.load_agent(f"net:model={whole}", game)
    table = game.deal(seed=1)
    kibitz.play_out(table, [agent, kibitz.load_agent("random", game)])
    assert table.is_over
    assert kibitz.load_agent(f"puct:model={whole},sims=5", game)


def test_the_card_says_how_the_model_was_made(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    result = train(recipe(evaluation=EVALUATION, seed=3), folder)
    card = load_model(str(folder), kibitz.load_game("duel")).card
    assert card.seed == 3
    assert card.strength == result.strength
    assert card.strength.startswith("after step 40: ")
    assert "points per game against random" in card.strength
    assert "on 4 duplicate deals" in card.strength
    assert card.recipe.startswith("step 40 of kibitz train duel\n")
    assert "lanes = 4" in card.recipe
    assert card.commit != ""
    assert card.time > 0
    (measured,) = result.measured
    assert measured.wins.low < measured.wins.mean < measured.wins.high


def test_measuring_changes_nothing_of_what_is_learnt(whole: Path, tmp_path: Path) -> None:
    train(recipe(evaluation=EVALUATION), tmp_path / "run")
    assert_same_run(whole, tmp_path / "run")
    lines = entries(tmp_path / "run")
    measured = [line for line in lines if "opponent" in line]
    assert [line["step"] for line in measured] == [20, 40]
    assert {"random/score", "random/score_low", "random/wins"} <= measured[0].keys()


def test_tensorboard_reads_the_events(whole: Path) -> None:
    reading = pytest.importorskip("tensorboard.backend.event_processing.event_file_loader")
    (file,) = whole.glob("events.out.tfevents.*")
    told: dict[tuple[int, str], float] = {}
    for event in reading.RawEventFileLoader(str(file)).Load():
        read = logbook_event(event)
        told |= {(read.step, value.tag): value.simple_value for value in read.summary.value}
    lines = entries(whole)
    losses = {line["step"]: line["loss"] for line in lines if "loss" in line}
    assert losses
    for step, loss in losses.items():
        assert told[step, "loss"] == pytest.approx(loss, rel=1e-5)


def logbook_event(data: bytes) -> Any:
    from tensorboard.compat.proto.event_pb2 import Event

    return Event.FromString(data)


def test_folders_that_hold_something_else_are_left_alone(whole: Path, tmp_path: Path) -> None:
    before = sorted(path.name for path in whole.rglob("*"))
    with pytest.raises(TrainingError, match="holds a run already: go on with it by --resume"):
        train(recipe(), whole)
    with pytest.raises(TrainingError, match="was begun with seed = 1, not 2"):
        train(recipe(seed=2), whole, resume=True)
    with pytest.raises(TrainingError, match="was begun with rate = its default, not 0.5"):
        train(change(recipe(), ["rate=0.5"]), whole, resume=True)
    assert sorted(path.name for path in whole.rglob("*")) == before
    (tmp_path / "mine").write_text("x")
    with pytest.raises(TrainingError, match="holds other files"):
        train(recipe(), tmp_path)
    with pytest.raises(TrainingError, match="there is no run to resume"):
        train(recipe(), tmp_path / "new", resume=True)
    with pytest.raises(TrainingError, match="no comma"):
        train(recipe(), tmp_path / "a,b")
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_a_full_disk_costs_nothing_but_the_last_steps(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, write, n = tmp_path / "run", checkpoint.write_checkpoint, []

    def fill_up(*given: Any) -> None:
        n.append(1)
        with monkeypatch.context() as patch:
            if len(n) == 3:
                patch.setattr(np.lib.format, "write_array", full)
            write(*given)

    monkeypatch.setattr(trainer, "write_checkpoint", fill_up)
    with pytest.raises(TrainingError, match="step 30 cannot be written .* No space left"):
        train(recipe(), folder)
    assert read_checkpoint(folder / "checkpoint").step == 20
    assert train(recipe(), folder, resume=True).is_finished
    assert_same_run(whole, folder)


def full(*given: Any, **more: Any) -> Any:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_log_that_cannot_be_written_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logbook.Logbook, "_put", full)
    with pytest.raises(TrainingError, match="the log in .* cannot be written: No space left"):
        train(recipe(), tmp_path / "run")


def test_numbers_that_are_none_stop_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line: Any = find_algorithm("duel-line")
    step, n = line.step, []

    def diverge(self: Any) -> Any:
        n.append(1)
        return {**step(self), "size": float("nan") if len(n) == 13 else 1.0}

    monkeypatch.setattr(line, "step", diverge)
    with pytest.raises(TrainingError, match="step 13: size is nan"):
        train(recipe(), tmp_path / "run")
    assert read_checkpoint(tmp_path / "run" / "checkpoint").step == 10


def test_a_bug_comes_through_with_its_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(find_algorithm("duel-line"), "step", lambda self: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        train(recipe(), tmp_path / "run")


def test_a_checkpoint_of_something_else_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    train(recipe(steps=10), folder)
    path = folder / "checkpoint" / "latest.json"
    document = json.loads(path.read_text())
    document["numbers"]["trainer"]["rules"] = 9
    path.write_text(json.dumps(document))
    with pytest.raises(TrainingError, match="is of version 9 of duel, this is version 1"):
        train(recipe(), folder, resume=True)
    document["numbers"].pop("trainer")
    path.write_text(json.dumps(document))
    with pytest.raises(TrainingError, match="is not of a run"):
        train(recipe(), folder, resume=True)


def test_mistakes_are_found_before_anything_is_trained(tmp_path: Path) -> None:
    wrong = {**EVALUATION, "opponents": ["randm"]}
    with pytest.raises(kibitz.SpecError, match="did you mean 'random'"):
        train(recipe(evaluation=wrong), tmp_path / "run")
    with pytest.raises(kibitz.SpecError, match="unknown game 'dual'"):
        train(recipe(game="dual"), tmp_path / "run")
    with pytest.raises(kibitz.SpecError, match="there is no key 'lane'"):
        train(recipe(config={"lane": 3}), tmp_path / "run")
    with pytest.raises(kibitz.KibitzError, match="unknown agent 'nett'"):
        train(recipe(evaluation={**EVALUATION, "agent": "nett"}), tmp_path / "run")
    assert not (tmp_path / "run" / "checkpoint").exists()
    train(recipe(steps=10), tmp_path / "run")  # the folder is free


def refuse(self: Any) -> None:
    raise TrainingError("no")


@pytest.mark.parametrize("moment", ["step", "number", "checkpoint"])
def test_a_try_that_failed_before_a_checkpoint_leaves_the_folder_free(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    folder = tmp_path / "run"
    with monkeypatch.context() as patch:
        if moment == "step":
            patch.setattr(find_algorithm("duel-line"), "step", refuse)
        elif moment == "number":
            patch.setattr(find_algorithm("duel-line"), "step", lambda self: {"loss": math.nan})
        else:
            patch.setattr(np.lib.format, "write_array", full)
        with pytest.raises(TrainingError, match=r"no|loss is nan|make room, then train again"):
            train(recipe(), folder)
    assert [path.name for path in folder.iterdir()] == [".lock"]
    train(recipe(), folder)
    assert_same_run(whole, folder)


def test_files_of_somebody_else_stay_in_the_folder_of_a_run(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    train(recipe(steps=10), folder)
    mine = [".git/HEAD", ".notes", ".model.settings/mine", ".recipe.toml.part"]
    left = [".recipe.toml.01234567.part", ".log.jsonl.01234567.part", ".model.ab_45678/old/card"]
    for name in mine + left:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x")
    train(recipe(steps=20), folder, resume=True)
    assert all((folder / name).exists() for name in mine)
    assert not any((folder / name).exists() for name in left)
    assert not (folder / ".model.ab_45678").exists()


@pytest.mark.parametrize("lost", ["checkpoint", "checkpoint/latest.json", "checkpoint model"])
def test_a_run_that_lost_its_checkpoint_does_not_begin_anew(tmp_path: Path, lost: str) -> None:
    folder = tmp_path / "run"
    train(recipe(), folder)
    for name in lost.split():
        (folder / name).rename(tmp_path / Path(name).name)
    log = (folder / "log.jsonl").read_bytes()
    with pytest.raises(TrainingError, match="the checkpoint of the run in .* is missing: put"):
        train(recipe(), folder, resume=True)
    assert (folder / "log.jsonl").read_bytes() == log
    (folder / "checkpoint").mkdir(exist_ok=True)
    (folder / "checkpoint").rename(tmp_path / "empty")
    (folder / "checkpoint").write_text("x")
    with pytest.raises(TrainingError, match="checkpoint' is not a folder"):
        train(recipe(), folder, resume=True)


def test_a_run_that_was_killed_before_its_first_checkpoint_begins_anew(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "run"
    with monkeypatch.context() as patch:
        patch.setattr(trainer, "write_checkpoint", lambda *given: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            train(recipe(), folder)
    assert entries(folder)
    assert train(recipe(), folder, resume=True).is_finished
    assert_same_run(whole, folder)


@pytest.mark.parametrize("minutes", [None, 1e-9])
@pytest.mark.parametrize("step", [20, 40])
def test_a_measurement_is_left_when_somebody_wants_an_end(
    whole: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    minutes: float | None,
    step: int,
) -> None:
    told: list[Progress] = []
    folder, measure = tmp_path / "run", Referee.measure

    def interrupted(*given: Any) -> Any:
        signal.raise_signal(signal.SIGINT)
        return measure(*given)

    plan = recipe(evaluation={**EVALUATION, "every": step})
    if minutes is None:
        with monkeypatch.context() as patch:
            patch.setattr(Referee, "measure", interrupted)
            result = train(plan, folder, tell=told.append)
            again = train(plan, folder, resume=True, tell=told.append)
        assert (again.step, again.is_finished, again.measured) == (step, False, [])
        assert [one.step for one in told if one.stopping] == [step, step]
    else:
        train(recipe(steps=step), folder)
        result = train(plan, folder, resume=True, minutes=minutes, tell=told.append)
        assert [one.step for one in told if one.stopping] == [step]
    assert (result.step, result.is_finished, result.strength) == (step, False, "not measured")
    assert not [line for line in entries(folder) if "opponent" in line]
    result = train(plan, folder, resume=True)
    assert result.is_finished
    assert "duplicate deals" in result.strength
    assert_same_run(whole, folder)


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("trainer/seconds", "nan", "is not of a run: it took nan seconds"),
        ("trainer/seconds", -1.0, "is not of a run: it took -1.0 seconds"),
        ("trainer/measured_at", 11, "step 10 was measured at step 11"),
        ("trainer/torch", np.zeros(10, np.uint8), "holds no state of a generator"),
        ("trainer/rules", None, "is not of a run: it has no 'rules'"),
        ("algorithm/network", None, "does not fit duel-line: it has no 'network'"),
        ("algorithm/network", 5, "does not fit duel-line: "),
        ("algorithm/network/body.0.bias", np.full(16, np.nan, np.float32), "is not finite"),
    ],
)
def test_a_checkpoint_that_does_not_fit_is_told_in_words(
    tmp_path: Path, name: str, value: Any, sentence: str
) -> None:
    folder = tmp_path / "run"
    train(recipe(steps=10), folder)
    spoil(folder, name, value)
    with pytest.raises(TrainingError, match=sentence) as caught:
        train(recipe(), folder, resume=True)
    assert str(caught.value).startswith(f"checkpoint '{folder}/checkpoint' ")
    assert not re.search(r"(Error|array)\(", str(caught.value))


def spoil(folder: Path, name: str, value: Any) -> None:
    """Replace a part of a checkpoint, or take it away."""
    kept = read_checkpoint(folder / "checkpoint")
    *outer, last = name.split("/")
    part = kept.state
    for key in outer:
        part = part[key]
    if value is None:
        del part[last]
    else:
        part[last] = value
    checkpoint.write_checkpoint(folder / "checkpoint", kept.step, kept.state)


@pytest.mark.parametrize(
    ("name", "words", "counter"),
    [
        ("nimmt-reinforce", ["games=2"], "step"),
        ("sheephead-ngnet", ["hands=20", "worlds=1", "units=2"], "steps"),
    ],
)
def test_the_steps_of_an_algorithm_are_those_of_its_run(
    tmp_path: Path, name: str, words: list[str], counter: str
) -> None:
    few = ["steps=1", "evaluation.deals=2", 'evaluation.opponents=["random"]']
    plan = change(load_recipe(name), [*few, *words])
    train(plan, tmp_path)
    for n in (7, -5):
        spoil(tmp_path, f"algorithm/{counter}", n)
        with pytest.raises(TrainingError, match=f"{n} steps"):
            train(plan, tmp_path, resume=True)


def test_what_was_learnt_outlives_a_measurement_that_fails(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan, folder = recipe(evaluation={**EVALUATION, "every": 40}, checkpoint=40), tmp_path / "run"
    with monkeypatch.context() as patch:
        patch.setattr(Referee, "measure", lambda *given: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            train(plan, folder)
    assert read_checkpoint(folder / "checkpoint").step == 40
    assert "duplicate deals" in train(plan, folder, resume=True).strength
    assert_same_run(whole, folder)


def test_a_measurement_that_was_cut_off_is_logged_once(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan, folder = recipe(evaluation={**EVALUATION, "every": 40}, checkpoint=40), tmp_path / "run"
    with monkeypatch.context() as patch:
        patch.setattr(Referee, "grade", lambda *given: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            train(plan, folder)
    with (folder / "log.jsonl").open("a") as log:
        log.write('{"step": 40, "opponent": "random", "random/wins": 0.5}\n')
    train(plan, folder, resume=True)
    assert_same_run(whole, folder)
    lines = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
    assert [line["step"] for line in lines if "opponent" in line] == [40]


def test_moves_are_graded_beside_perfect_play_where_a_game_is_solved(tmp_path: Path) -> None:
    changed = ["steps=1", "games=2", "lanes=2", "sims=2", "quick_sims=2", "blocks=1", "filters=4"]
    measured = ["evaluation.deals=2", "evaluation.positions=4", "evaluation.agent=net"]
    recipe = change(load_recipe("connect4-alphazero"), [*changed, *measured])
    result = train(recipe, tmp_path)
    lines = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    (graded,) = [line for line in lines if line.get("opponent") == "solver"]
    assert 0 <= graded["solver/perfect"] <= graded["solver/good"] <= 1
    assert "perfect, on 24 positions" in result.strength


def test_games_that_are_not_solved_have_no_positions_to_grade(tmp_path: Path) -> None:
    recipe = change(load_recipe("nimmt-reinforce"), ["evaluation.positions=4"])
    with pytest.raises(SpecError, match="nimmt is not solved"):
        train(recipe, tmp_path)
