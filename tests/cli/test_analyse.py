"""What `kibitz analyse` says about positions and records."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import kibitz
from kibitz.cli.app import app
from kibitz.core.agent import Agent
from kibitz.core.decisions import Decisions
from kibitz.core.errors import KibitzError, PositionError
from kibitz.core.table import Table
from kibitz.review import judgement
from kibitz.review.judgement import FEWEST_VISITS, Answer, Opinion
from kibitz.review.questions import Question, all_moves, ask_position
from tests.cli.test_commands import kibitz_command, run

FEW = ("--agent", "uct:sims=300")
WIDE = ("--agent", "uct:sims=300,c=2")  # visits bad moves often enough to judge them
THREE_HANDS = (
    "nimmt:players=3 rows=10/20/30/40 "
    "hands=1.2.3.4.5.6.7.8.9.11/51.52.53.54.55.56.57.58.59.60/81.82.83.84.85.86.87.88.89.91"
)


def analyse(*words: str) -> dict[str, Any]:
    """Return the document of an analysis."""
    document: dict[str, Any] = json.loads(run("analyse", *words, "--json").stdout)
    return document


def write(path: Path, *tables: Table) -> str:
    """Write records of these tables to a file."""
    records = [table.record(list("abcde"[: table.game.n_seats])) for table in tables]
    path.write_text("".join(f"{record.to_line()}\n" for record in records))
    return str(path)


def played(spec: str, agent: str, seed: int = 0) -> Table:
    """Return a table at which one agent has played all seats to the end."""
    game = kibitz.load_game(spec)
    table = game.deal(seed)
    kibitz.play_out(table, [kibitz.load_agent(agent, game)] * game.n_seats)
    return table


@pytest.fixture
def blunder(tmp_path: Path) -> str:
    """Write a game of Connect 4 whose seventh move passes over a win, and stops there."""
    table = kibitz.load_game("connect4").deal(0)
    for k, column in enumerate("1212127"):
        table.play(k % 2, column)
    return write(tmp_path / "blunder.jsonl", table)


def test_a_position_shows_every_action_and_the_choice() -> None:
    shown = run("analyse", "connect4 121212", *FEW).stdout
    assert "seat 0: uct:sims=300 would play 1" in shown
    assert all(word in shown for word in ("win probability", "visits", "300 simulations"))
    row = next(line for line in shown.splitlines() if line.startswith("│ 1 "))
    assert "100.0 % ±0.0" in row


def test_the_document_of_a_position_has_values_errors_and_visits() -> None:
    found = analyse("connect4 443", *FEW)
    assert set(found) == {"game", "agent", "seed", "value", "decisions"}
    assert (found["game"], found["agent"], found["value"]) == ("connect4", "uct:sims=300", "win")
    (one,) = found["decisions"]
    assert (one["seat"], one["move"], one["played"], one["loss"]) == (1, None, None, None)
    assert one["position"] == "connect4 443"
    assert sorted(action["action"] for action in one["actions"]) == list("1234567")
    assert sum(action["visits"] for action in one["actions"]) == one["sims"] == 300
    assert sum(action["share"] for action in one["actions"]) == pytest.approx(1)
    assert all(0 <= action["value"] <= 1 and action["error"] >= 0 for action in one["actions"])
    assert one["actions"][0]["action"] == one["plays"]
    assert one["line"][0] == {"seat": 1, "action": one["plays"]}
    assert one["line"][1]["seat"] == 0


def test_a_position_need_not_be_quoted() -> None:
    assert analyse("connect4", "443", *FEW) == analyse("connect4 443", *FEW)


def test_the_same_seed_gives_the_same_document() -> None:
    first, again, other = (analyse("connect4 443", *FEW, "--seed", s) for s in ("1", "1", "2"))
    assert first == again
    assert first["decisions"] != other["decisions"]


def test_everybody_who_decides_at_once_is_looked_at() -> None:
    every = analyse(THREE_HANDS, *FEW)
    assert [one["seat"] for one in every["decisions"]] == [0, 1, 2]
    assert every["value"] == "score"
    assert analyse(THREE_HANDS, *FEW, "--seat", "1")["decisions"] == every["decisions"][1:2]
    assert run("analyse", THREE_HANDS, *FEW).stdout.count("uct:sims=300 would play") == 3


def test_a_seat_is_judged_by_what_it_sees() -> None:
    elsewhere = THREE_HANDS.replace("51.52.53", "70.71.72").replace(
        "70.71.72.54.55.56.57.58.59.60", "54.55.56.57.58.59.60.70.71.72"
    )
    assert elsewhere != THREE_HANDS
    seat = ("--seat", "0")
    assert analyse(elsewhere, *FEW, *seat) == analyse(THREE_HANDS, *FEW, *seat)


def test_what_a_seat_sees_is_a_position_too() -> None:
    one = analyse(THREE_HANDS, *FEW, "--seat", "1")
    view = one["decisions"][0]["position"]
    assert "?" in view
    assert analyse(view, *FEW) == one


@pytest.mark.parametrize(
    "spec", ["nimmt:players=2", "nimmt:players=4,rows=free", "nimmt:hands=open", "connect4"]
)
def test_every_view_of_a_decision_is_understood(spec: str) -> None:
    record = played(spec, "random").record()
    n_views = 0
    for asked in all_moves(record):
        (again,) = ask_position(asked.position, asked.seat)
        assert again.view.tobytes() == asked.view.tobytes()
        n_views += "?" in asked.position
    assert (n_views > 0) == ("open" not in spec and spec != "connect4")


def test_what_a_spectator_sees_is_refused() -> None:
    table = kibitz.open_table(THREE_HANDS)
    with pytest.raises(PositionError, match=r"not what a seat that is to move sees: seats 0, 1, 2"):
        ask_position(table.game.format(table.view(-1)), None)
    view = table.game.format(table.view(2))
    assert [one.seat for one in ask_position(view, None)] == [2]
    with pytest.raises(PositionError, match="is not what a seat that is to move sees"):
        ask_position(view, 0)


def test_an_agent_without_values_tells_what_it_would_play() -> None:
    found = analyse(THREE_HANDS, "--agent", "highest")
    assert found["value"] is None
    assert [one["plays"] for one in found["decisions"]] == ["11", "60", "91"]
    assert {action["value"] for one in found["decisions"] for action in one["actions"]} == {None}
    shown = run("analyse", THREE_HANDS, "--agent", "highest", "--seat", "0").stdout
    assert shown.rstrip().endswith("seat 0: highest would play 11")


@pytest.mark.parametrize(("value", "name"), [("rank", "rank (1 first, 0 last)"), ("win", "win ")])
def test_values_are_named(value: str, name: str) -> None:
    agent = f"mcs:sims=50,value={value}"
    assert name in run("analyse", THREE_HANDS, "--agent", agent, "--seat", "0").stdout
    (one,) = analyse(THREE_HANDS, "--agent", agent, "--seat", "0")["decisions"]
    assert one["line"] == []
    values = [action["value"] for action in one["actions"]]
    assert values == sorted(values, reverse=True)


def test_a_policy_has_shares_beside_visits() -> None:
    (one,) = analyse("connect4 443", "--agent", "gumbel:sims=50")["decisions"]
    assert sum(action["visits"] for action in one["actions"]) == 50
    assert sum(action["share"] for action in one["actions"]) == pytest.approx(1)
    heads = run("analyse", "connect4 443", "--agent", "gumbel:sims=50").stdout.splitlines()
    assert any(" visits " in line and " share " in line for line in heads)
    assert " share " not in run("analyse", "connect4 443", "--agent", "uct:sims=50").stdout


def test_an_interrupt_leaves_what_was_answered(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "game.jsonl"
    run("match", "connect4", "random", "--deals", "1", "--records", str(path))
    ask = judgement.ask
    asked: list[Question] = []

    def stop_at_the_third(agent: Agent, question: Question, seed: int) -> Answer:
        asked.append(question)
        if len(asked) == 3:
            raise KeyboardInterrupt
        return ask(agent, question, seed)

    monkeypatch.setattr(judgement, "ask", stop_at_the_third)
    done = CliRunner().invoke(app, ["analyse", str(path), "--agent", "uct:sims=50", "--json"])
    assert done.exit_code == 130
    document = json.loads(done.stdout)
    assert document["stopped"] == "interrupted"
    assert len(document["decisions"]) == 2


def test_a_forced_move_needs_no_agent() -> None:
    position = "connect4 " + "".join(["121212", "212121", "343434", "434343", "565656", "656565"])
    found = analyse(position)
    (one,) = found["decisions"]
    assert (one["plays"], one["sims"], found["value"]) == ("7", None, None)
    assert "seat 0 must play 7" in run("analyse", position).stdout


def test_a_record_has_a_row_for_every_decision_with_a_choice(tmp_path: Path) -> None:
    path = write(tmp_path / "games.jsonl", played("nimmt:players=3", "random"))
    found = analyse(path, *FEW)
    assert found["record"] == {"file": path, "game": 1, "seats": ["a", "b", "c"]}
    assert [one["move"] for one in found["decisions"]] == list(range(1, 28))
    assert [one["seat"] for one in found["decisions"]] == [0, 1, 2] * 9
    shown = run("analyse", path, *FEW).stdout
    _, *rows = [line.split("│") for line in shown.splitlines() if line.startswith("│")]
    assert [row[3].strip() for row in rows] == [one["played"] for one in found["decisions"]]
    assert "lost is expected score; ± is one standard error" in shown
    clear = sum(one["clearly_worse"] for one in found["decisions"])
    assert f"27 decisions, {_agreed(found)} as uct:sims=300 would play\n{clear} worse by" in shown
    of_seat = analyse(path, *FEW, "--seat", "2")["decisions"]
    assert of_seat == found["decisions"][2::3]


def _agreed(found: dict[str, Any]) -> int:
    return sum(one["plays"] == one["played"] for one in found["decisions"])


def test_nobody_is_told_what_others_chose_at_the_same_time(tmp_path: Path) -> None:
    record = played("nimmt:players=3", "random").record()
    assert all("chosen=-/-/-" in asked.position for asked in all_moves(record))


def test_a_blunder_is_flagged(blunder: str) -> None:
    found = analyse(blunder, *WIDE)["decisions"]
    (worst,) = [one for one in found if one["move"] == 7]
    assert (worst["plays"], worst["played"], worst["clearly_worse"]) == ("1", "7", True)
    assert worst["loss"] > 2 * worst["loss_error"] > 0
    *_, row = [line for line in run("analyse", blunder, *WIDE).stdout.splitlines() if "│" in line]
    cells = [cell.strip() for cell in row.split("│")]
    assert (cells[1], cells[3], cells[4], cells[6]) == ("7", "7", "1", "worse")


def test_one_move_is_shown_in_full_with_the_same_numbers(blunder: str) -> None:
    every = analyse(blunder, *WIDE)["decisions"]
    assert analyse(blunder, *WIDE, "--move", "7")["decisions"] == every[6:]
    shown = run("analyse", blunder, *WIDE, "--move", "7").stdout
    assert "would play 1; move 7 was 7, which costs" in shown
    assert "clearly worse" in shown


def test_an_agent_that_keeps_trees_begins_anew_for_every_decision(blunder: str) -> None:
    agent = ("--agent", "uct:sims=100,reuse=true")
    every = analyse(blunder, *agent)["decisions"]
    assert analyse(blunder, *agent, "--move", "5")["decisions"] == every[4:5]


def test_any_game_of_a_file_can_be_chosen(tmp_path: Path) -> None:
    tables = [played("connect4", "random", seed) for seed in (1, 2)]
    path = write(tmp_path / "games.jsonl", *tables)
    words = ("--agent", "centre")
    for number, table in enumerate(tables, 1):
        found = analyse(path, *words, "--game", str(number))
        assert found["record"]["game"] == number
        text = [str(action) for _, action in table.actions]
        assert [text[one["move"] - 1] for one in found["decisions"]] == [
            one["played"] for one in found["decisions"]
        ]


def _answer(played: int, *opinions: Opinion) -> Answer:
    game = kibitz.load_game("connect4")
    table = game.deal(0)
    asked = Question(game, table.view(0), 0, 1, played)
    return Answer(asked, opinions[0].action, list(opinions))


@pytest.mark.parametrize(
    ("value", "error", "visits", "is_clear"),
    [
        (0.5, 0.01, 100, True),
        (0.595, 0.01, 100, False),
        (0.7, 0.01, 100, False),
        (0.0, 0.0, FEWEST_VISITS, True),
        (0.0, 0.0, FEWEST_VISITS - 1, False),
        (0.0, None, 1, False),
    ],
)
def test_only_what_is_surely_behind_is_clearly_worse(
    value: float, error: float | None, visits: int, is_clear: bool
) -> None:
    answer = _answer(2, Opinion(1, 0.6, 0.01, 900), Opinion(2, value, error, visits))
    assert answer.loss is not None
    assert answer.loss.value == pytest.approx(0.6 - value)
    assert answer.loss.is_clear is is_clear


def test_what_was_seldom_tried_has_a_loss_without_an_error(blunder: str) -> None:
    agent = ("--agent", "uct:sims=25")
    found = analyse(blunder, *agent)["decisions"]
    shown = run("analyse", blunder, *agent).stdout
    _, *rows = [line.split("│") for line in shown.splitlines() if line.startswith("│")]
    assert any(one["seldom_tried"] for one in found)
    for one, row in zip(found, rows, strict=True):
        assert one["seldom_tried"] == (row[6].strip() == "seldom tried")
        if one["seldom_tried"]:
            assert one["loss_error"] is None
            assert "±" not in row[5]


def test_no_line_is_followed_through_what_is_hidden() -> None:
    view = "nimmt:players=3 rows=12/33/47/88 hands=1.5.9.20.21.22.23.24.60.99/?/? chosen=-/?/?"
    assert analyse(view, "--agent", "uct:sims=300")["decisions"][0]["line"] == []


def test_there_is_no_loss_where_there_is_no_opinion() -> None:
    assert _answer(2, Opinion(1, 0.6, 0.01, 900), Opinion(2)).loss is None
    assert _answer(9, Opinion(1, 0.6, 0.01, 900)).loss is None
    same = _answer(1, Opinion(1, 0.6, 0.01, 900)).loss
    assert same is not None
    assert (same.value, same.error, same.is_clear) == (0, 0, False)


class _Cheat(Agent):
    """Plays a column that is not there."""

    name = "cheat"

    def act(self, views: Any, seats: Any, rngs: Any, games: Any) -> Decisions:
        return Decisions(np.array([9]))


def test_an_illegal_answer_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kibitz.cli.analyse.load_agent", lambda spec, game: _Cheat(game))
    result = CliRunner().invoke(app, ["analyse", "connect4 44"])
    assert str(result.exception) == (
        "agent 'cheat' chose 9, which is illegal (there is no column 9), in connect4 44"
    )


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["nowhere.jsonl"], "cannot read 'nowhere.jsonl'"),
        (["no where.jsonl"], "cannot read 'no where.jsonl'"),
        (["broken.jsonl"], "broken.jsonl:1: not JSON at line 1"),
        (["empty.jsonl"], "'empty.jsonl' has 0 games, got --game 1"),
        (["good.jsonl", "--game", "3"], "'good.jsonl' has 1 game, got --game 3"),
        (["good.jsonl", "--move", "99"], "game 1 of good.jsonl has moves 1 to 7, got --move 99"),
        (["good.jsonl", "--move", "1", "--seat", "1"], "move 1 is one of seat 0"),
        (["good.jsonl", "--seat", "2"], "connect4 has seats 0 to 1, got 2"),
        (["false.jsonl"], "game 1 of false.jsonl: record of 'connect4' does not replay"),
        (["unplayed.jsonl"], "game 1 of unplayed.jsonl: nothing has been played"),
        (["connect4 1212121"], "the game is over in 'connect4 1212121'"),
        (["connect4 undealt"], "nobody is to move in 'connect4 undealt'"),
        (["connect4 44", "--seat", "1"], "seat 1 is not to move in 'connect4 44': seat 0 is"),
        (["connect4 44", "--seat", "7"], "connect4 has seats 0 to 1, got 7"),
        (["connect4 44", "--move", "1"], "--game and --move belong to a file of records"),
        (["connect4"], "expected a game spec, a space and a position, got 'connect4'"),
        (["connect4 48"], "is not a column"),
        (["conect4 44"], "unknown game 'conect4': did you mean 'connect4'?"),
        (
            ["connect4 44", "--agent", "utc"],
            "unknown agent 'utc' for connect4: did you mean 'uct'?",
        ),
        (["connect4 44", "--agent", "ismcts"], "hides nothing: use uct"),
        (["connect4 44", "--agent", "uct:sims=0"], "sims=0: expected 1.."),
        (["connect4 44", "--seed", str(2**63)], "a seed lies between 0 and"),
    ],
)
def test_what_makes_no_sense_is_told_in_a_sentence(
    words: list[str], sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, blunder: str
) -> None:
    monkeypatch.chdir(tmp_path)
    good = Path(blunder).read_text()
    Path("good.jsonl").write_text(good)
    Path("broken.jsonl").write_text("{")
    Path("empty.jsonl").write_text("\n")
    Path("false.jsonl").write_text(good.replace('[1,"2"]', '[0,"2"]'))
    write(Path("unplayed.jsonl"), kibitz.load_game("connect4").deal(0))
    result = CliRunner().invoke(app, ["analyse", *words])
    assert isinstance(result.exception, KibitzError), result.output
    assert sentence in str(result.exception)
    assert "\n" not in str(result.exception)
    assert result.stdout == ""


def test_the_real_command_prints_one_document_or_one_sentence() -> None:
    done = kibitz_command("analyse", "connect4", "-", "--agent", "centre", "--json")
    assert (done.returncode, done.stdout.count("\n")) == (0, 1)
    assert json.loads(done.stdout)["decisions"][0]["plays"] == "4"
    done = kibitz_command("analyse", "connect4 1212121")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "error: the game is over in 'connect4 1212121'\n"
