"""`kibitz play`, driven through its standard input."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import kibitz
from kibitz.cli.app import app
from kibitz.cli.letters import PLAIN_LETTERS
from kibitz.cli.person import Menu, forget_typed
from kibitz.cli.saves import SaveFile, save_path
from kibitz.core.agent import Agent, Games, Seats
from kibitz.core.decisions import Decisions
from kibitz.core.errors import KibitzError
from kibitz.core.game import States
from kibitz.core.rng import Rngs
from kibitz.core.table import Table
from kibitz.host import PERSON

PROMPT = "(? help, h hint, q quit): "
SEED = 11


@pytest.fixture(autouse=True)
def _state_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))


class First(Agent):
    """Plays the first legal action and writes down what a person would have to type."""

    name = "first"

    def __init__(self, game: kibitz.Game) -> None:
        """Sit down with nothing typed."""
        super().__init__(game)
        self.typed: list[str] = []

    def act(self, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
        """Decide for the one view there is."""
        action = self.game.legal(views[0], int(seats[0]))[0]
        self.typed.append(self.game.text.format_action(views[0], int(seats[0]), action))
        return Decisions(np.array([action]))


def play_first(spec: str, seat: int, vs: str, seed: int = SEED) -> tuple[Table, list[str]]:
    """Play a game with `First` at the person's seat; return the end and what it typed."""
    table = kibitz.load_game(spec, defaults="people").deal(seed)
    person = First(table.game)
    agents: list[Agent] = [kibitz.load_agent(vs, table.game) for _ in range(table.game.n_seats)]
    agents[seat] = person
    kibitz.play_out(table, agents)
    return table, person.typed


@dataclass
class Played:
    """What a command printed and how it ended."""

    output: str  # without what goes to stderr: warnings, and that something is compiled
    warnings: str
    exit_code: int
    exception: BaseException | None


def run(*words: str, typed: Sequence[str | bytes] = ()) -> Played:
    lines = [line.encode() if isinstance(line, str) else line for line in typed]
    text = b"".join(line + b"\n" for line in lines)
    result = CliRunner().invoke(app, ["play", *words], input=text)
    return Played(result.stdout, result.stderr, result.exit_code, result.exception)


def refused(result: Played) -> str:
    """Return the one sentence of an error that becomes exit code 2."""
    assert isinstance(result.exception, KibitzError)
    assert "\n" not in str(result.exception)
    return str(result.exception)


def in_process(*words: str, typed: str = "", **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*words),
        input=typed,
        env={**os.environ, **environ},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def command(*words: str) -> list[str]:
    return [sys.executable, "-c", "from kibitz.cli import main; main()", "play", *words]


def scores_shown(output: str) -> dict[int, float]:
    rows = re.findall(r"│ (\d+) +│ [^│]+│ +(-?[\d.]+) │", output)
    return {int(seat): float(score) for seat, score in rows}


@pytest.mark.parametrize(
    ("spec", "seat", "vs"),
    [
        ("connect4", 0, "random"),
        ("connect4", 1, "winning-move"),
        ("nimmt", 2, "random"),
        ("tichu:match=round", 1, "random"),
    ],
)
def test_a_whole_game_ends_like_the_same_game_between_agents(spec: str, seat: int, vs: str) -> None:
    table, typed = play_first(spec, seat, vs)
    result = run(spec, "--seat", str(seat), "--vs", vs, "--seed", str(SEED), typed=typed)
    assert result.exit_code == 0
    assert scores_shown(result.output) == dict(enumerate(table.scores.tolist()))
    assert result.output.count(PROMPT) == len(typed)
    again = f"kibitz play {spec} --seat {seat} --vs {vs} --seed {SEED}"
    assert result.output.endswith(f": {again}\n")
    assert not save_path(table.game.facts.name).exists()


def test_a_match_of_several_rounds_ends_and_tells_the_scores_between_them() -> None:
    table, typed = play_first("nimmt:match=66", 0, "random")
    result = run("nimmt:match=66", "--vs", "random", "--seed", str(SEED), typed=typed)
    assert scores_shown(result.output) == dict(enumerate(table.scores.tolist()))
    assert result.output.count("New round.") == table.batch.books[0].n_rounds - 1


@pytest.mark.parametrize("rows", ["free", "lowest"])
def test_the_command_for_the_same_deal_plays_the_same_game(rows: str) -> None:
    spec = f"nimmt:players=3,rows={rows}"
    table, typed = play_first(spec, 1, "random")
    words = (spec, "--seat", "1", "--vs", "random", "--seed", str(SEED))
    again = run(*words, typed=typed).output.splitlines()[-1].partition("kibitz play ")[2].split()
    assert len(again[0]) <= len(spec)
    assert scores_shown(run(*again, typed=typed).output) == dict(enumerate(table.scores.tolist()))


def test_the_winner_is_named() -> None:
    table, typed = play_first("nimmt", 0, "random")
    result = run("nimmt", "--vs", "random", "--seed", str(SEED), typed=typed)
    winners = np.flatnonzero(table.scores == table.scores.max())
    expected = "You win." if winners.tolist() == [0] else f"eat {winners[-1]} win"
    assert expected in result.output


@pytest.mark.parametrize("typed", ["8", "0", "-1", "x", "row 2", "4 4", "9" * 30, "z" * 9999])
def test_a_bad_choice_gets_a_sentence_and_the_question_again(typed: str) -> None:
    result = run("connect4", typed=[typed, "q"])
    assert result.exit_code == 0
    assert result.output.count(PROMPT) == 2
    assert "is not a column: expected 1 to 7" in " ".join(result.output.split())


def test_a_refused_choice_says_why() -> None:
    result = run("connect4", "--vs", "random", "--seed", "2", typed=["1"] * 7)
    assert "column 1 is full" in result.output


def test_a_card_that_is_not_held_says_why() -> None:
    game = kibitz.load_game("nimmt")
    hand = game.legal(game.deal(SEED).view(0), 0)
    missing = next(card for card in range(1, 11) if card not in hand)
    result = run("nimmt", "--seed", str(SEED), typed=[str(missing), "q"])
    _, answer, _ = result.output.split(PROMPT)
    assert answer.splitlines()[0] == str(missing)
    assert f"not hold {missing}" in answer.splitlines()[1]


def test_bytes_that_are_not_text_are_a_bad_choice() -> None:
    result = run("connect4", typed=[b"\xff\xfe", b"\x1b[2J", "q"])
    assert result.exit_code == 0
    assert result.output.count(PROMPT) == 3
    assert "\x1b[2J" not in result.output


def test_help_and_empty_lines_ask_again() -> None:
    result = run("connect4", typed=["?", "", "q"])
    assert "Ctrl-D leaves the table" in result.output
    assert result.output.count(PROMPT) == 3


def test_a_number_means_the_card_and_never_its_place_in_the_list() -> None:
    game = kibitz.load_game("nimmt")
    for seed in range(20):
        menu = Menu(game, game.deal(seed).view(0), 0)
        assert not menu.is_numbered
        for place in range(1, 11):
            if place in menu.actions:
                assert menu.read(str(place)) == place
            else:
                with pytest.raises(KibitzError):
                    menu.read(str(place))


def row_menu() -> Menu:
    """Find a decision of seat 0 about which row to take."""
    for seed in range(100):
        table = kibitz.load_game("nimmt:players=2,rows=free").deal(seed)
        for seat in (0, 1):
            table.play(seat, table.legal(seat)[0 if seat == 0 else -1])
        if table.movers == [0]:
            return Menu(table.game, table.view(0), 0)
    raise AssertionError


def test_choices_that_are_not_numbers_are_counted_from_one_and_have_their_text() -> None:
    menu = row_menu()
    assert menu.is_numbered
    for number, (action, text) in enumerate(zip(menu.actions, menu.texts, strict=True), 1):
        assert menu.read(str(number)) == menu.read(text) == menu.read(text.upper()) == action
    with pytest.raises(KibitzError, match="numbered 1 to 4, got '5'"):
        menu.read("5")


@pytest.mark.parametrize(("spec", "seat"), [("connect4", 1), ("nimmt", 2)])
def test_a_game_that_is_left_and_resumed_goes_on_as_if_never_left(spec: str, seat: int) -> None:
    words = (spec, "--seat", str(seat), "--vs", "random", "--seed", str(SEED))
    table, typed = play_first(spec, seat, "random")
    whole = run(*words, typed=typed).output
    for n in range(len(typed)):
        left = run(*words, typed=[*typed[:n], "q"])
        assert left.exit_code == 0
        assert f"kibitz play {spec} --resume" in left.output
        rest = run(spec, "--resume", typed=typed[n:])
        assert rest.exit_code == 0
        assert whole.split(PROMPT)[n + 1 :] == rest.output.split(PROMPT)[1:]
        assert not save_path(table.game.facts.name).exists()


def test_a_game_can_be_left_after_every_decision() -> None:
    table, typed = play_first("nimmt", 0, "random")
    run("nimmt", "--vs", "random", "--seed", str(SEED))
    for line in typed[:-1]:
        result = run("nimmt", "--resume", typed=[line])
        assert "kibitz play nimmt --resume" in result.output
    result = run("nimmt", "--resume", typed=typed[-1:])
    assert scores_shown(result.output) == dict(enumerate(table.scores.tolist()))


def test_the_saved_game_is_a_record_of_what_was_played() -> None:
    run("nimmt:players=3", "--vs", "random", "--seed", "5", "--seat", "1", typed=["q"])
    (record,) = kibitz.read_records(save_path("nimmt"))
    assert record.seats == ("random", "person", "random")
    assert record.game == kibitz.load_game("nimmt:players=3", defaults="people").spec
    assert (record.seed, record.result) == (5, None)
    assert kibitz.replay(record).movers == [0, 1, 2]


def damaged(kind: str) -> bytes:
    run("connect4", "--vs", "random", "--seed", "1", typed=["4", "q"])
    good = save_path("connect4").read_bytes()
    finished, _ = play_first("connect4", 0, "random")
    return {
        "empty": b"",
        "garbage": b"\xff\x00 not a game",
        "cut short": good[: len(good) // 2],
        "two games": good * 2,
        "illegal": good.replace(b'[0,"4"]', b'[0,"9"]'),
        "finished": finished.record(["person", "random"]).to_line().encode(),
        "nobody": good.replace(b"person", b"random"),
        "other game": good.replace(b'"connect4"', b'"nimmt"'),
        "unknown bot": good.replace(b'"random"', b'"randon"'),
        "other rules": good.replace(b'"version":1', b'"version":99'),
    }[kind]


@pytest.mark.parametrize(
    "kind",
    [
        *("empty", "garbage", "cut short", "two games", "illegal", "finished", "nobody"),
        *("other game", "unknown bot", "other rules"),
    ],
)
def test_a_damaged_file_is_one_sentence_and_stays_as_it_is(kind: str) -> None:
    content = damaged(kind)
    save_path("connect4").write_bytes(content)
    assert refused(run("connect4", "--resume", typed=["4"]))
    assert save_path("connect4").read_bytes() == content
    assert len(list(save_path("connect4").parent.iterdir())) == 1


def test_nothing_to_resume_is_one_sentence() -> None:
    assert "there is no unfinished game" in refused(run("connect4", "--resume"))


def test_resume_takes_no_other_settings() -> None:
    run("nimmt:players=3", typed=["q"])
    assert "leave out --seat" in refused(run("nimmt", "--resume", "--seat", "0"))
    assert "holds a game of nimmt:players=3" in refused(run("nimmt:players=4", "--resume"))
    assert run("nimmt:players=3", "--resume").exit_code == 0


def test_a_new_game_keeps_the_unfinished_one() -> None:
    words = ("connect4", "--vs", "random", "--seed")
    run(*words, "1", typed=["4"])
    old = save_path("connect4").read_bytes()
    glance = run(*words, "2")
    assert "still there" in glance.output
    assert save_path("connect4").read_bytes() == old
    assert "An unfinished game is saved." in run(*words, "3", typed=["4"]).output
    spare = save_path("connect4").with_name("connect4.1.jsonl")
    assert spare.read_bytes() == old
    run(*words, "4", typed=["4"])
    assert spare.read_bytes() == old
    assert b'"seed":3' in spare.with_name("connect4.2.jsonl").read_bytes()
    assert "seed 1\n" in run("connect4", "--resume", "--save", str(spare)).output


def test_a_file_can_be_named(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "my game.jsonl"
    result = run("connect4", "--save", str(path), typed=["4"])
    assert path.exists()
    assert not save_path("connect4").exists()
    assert f"kibitz play connect4 --resume --save '{path}'\n" in result.output


def test_a_file_that_cannot_be_written_is_said_once_while_playing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    table, typed = play_first("connect4", 0, "random")
    words = ("connect4", "--vs", "random", "--seed", str(SEED))
    save = ("--save", str(tmp_path / "file" / "game.jsonl"))
    result = run(*words, *save, typed=typed)
    assert result.warnings.count("cannot save the game") == 1
    assert scores_shown(result.output) == dict(enumerate(table.scores.tolist()))
    assert "cannot save the game" in refused(run(*words, *save, typed=typed[:1]))


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("nimmt", "--seat", "7"), "has seats 0 to 4, got 7"),
        (("nimmt", "--seat", "-1"), "has seats 0 to 4, got -1"),
        (("nimmt", "--seed", "-1"), "a seed lies between 0"),
        (("nimmt", "--seed", str(2**63)), "a seed lies between 0"),
        (("nimmt", "--vs", "clossest"), "did you mean 'closest'"),
        (("connect4", *("--vs", "random") * 2), "connect4 has 1 other seats, got 2 agents"),
        (("nimmt:players=99",), "players"),
        (("nimt",), "did you mean 'nimmt'"),
    ],
)
def test_settings_out_of_range_are_one_sentence(words: tuple[str, ...], sentence: str) -> None:
    assert sentence in refused(run(*words))


def test_bots_sit_in_order_and_the_last_one_fills_the_table() -> None:
    run("nimmt:players=4", "--seat", "1", "--vs", "lowest", "--vs", "random", typed=["q"])
    (record,) = kibitz.read_records(save_path("nimmt"))
    assert record.seats == ("lowest", "person", "random", "random")


def test_bots_have_a_default() -> None:
    run("connect4", typed=["q"])
    (record,) = kibitz.read_records(save_path("connect4"))
    assert record.seats == ("person", "best")


@pytest.mark.parametrize("spec", ["nimmt", "nimmt:rows=lowest", "nimmt:hands=open"])
def test_what_is_shown_before_a_choice_does_not_depend_on_the_choices_of_others(spec: str) -> None:
    """Put other bots on the chairs before every decision: the question must look the same.

    Highest and closest choose different cards from the same hands, so whatever is shown of a choice
    that is still face down would differ.
    """
    seat = 2
    words = (spec, "--seat", str(seat), "--vs", "highest", "--seed", str(SEED))
    _, typed = play_first(spec, seat, "highest")
    for n in range(len(typed)):
        run(*words, typed=[*typed[:n], "q"])
        saved = save_path("nimmt").read_text()
        seen = []
        for bot in ("highest", "closest"):
            save_path("nimmt").write_text(saved.replace('"highest"', f'"{bot}"'))
            seen.append(run(spec.partition(":")[0], "--resume").output.replace(bot, "bot"))
        assert seen[0] == seen[1]
        save_path("nimmt").unlink()


def test_what_everybody_played_is_shown_at_the_next_question() -> None:
    table, typed = play_first("nimmt:rows=lowest", 0, "random")
    words = ("nimmt:rows=lowest", "--vs", "random", "--seed", str(SEED))
    parts = run(*words, typed=typed).output.split(PROMPT)
    actions = table.actions
    for turn, part in enumerate(parts[1:9]):
        for seat, card in actions[5 * turn + 1 : 5 * turn + 5]:
            assert f"seat {seat}: {card}" in part


def test_nothing_is_wider_than_a_narrow_terminal_and_nothing_is_coloured() -> None:
    for spec in ("connect4", "nimmt"):
        _, typed = play_first(spec, 0, "random")
        words = (spec, "--vs", "random", "--seed", str(SEED))
        done = in_process(*words, typed="\n".join(typed) + "\n", COLUMNS="60")
        assert done.returncode == 0
        assert "The same deal again" in done.stdout
        drawn = [line for line in done.stdout.splitlines() if "kibitz play" not in line]
        assert max(map(len, drawn)) <= 60
        assert "\x1b" not in done.stdout


def test_bad_input_is_exit_code_two_and_one_line() -> None:
    done = in_process("nimmt", "--seat", "7")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: nimmt")
    assert done.stderr.endswith("has seats 0 to 4, got 7\n")
    assert done.stderr.count("\n") == 1


def test_an_interrupt_saves_the_game() -> None:
    with subprocess.Popen(
        command("connect4", "--seed", "1"), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        shown = b""
        while PROMPT.encode() not in shown:
            part = os.read(process.stdout.fileno(), 4096)
            assert part, shown
            shown += part
        process.send_signal(signal.SIGINT)
        shown += process.stdout.read()
        assert process.wait(timeout=60) == 0
    assert b"kibitz play connect4 --resume" in shown
    assert save_path("connect4").exists()


def test_two_games_at_once_never_overwrite_each_other(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    ours, theirs = SaveFile(path), SaveFile(path)
    game = kibitz.load_game("connect4")
    ours.write(game.deal(seed=1).record([PERSON, "random"]))
    theirs.write(game.deal(seed=2).record([PERSON, "random"]))
    ours.write(game.deal(seed=3).record([PERSON, "random"]))
    theirs.remove()  # the file is ours again: nothing is removed
    kept = [record.seed for file in tmp_path.iterdir() for record in kibitz.read_records(file)]
    assert sorted(kept) == [1, 2, 3]


def test_only_files_keep_games(tmp_path: Path) -> None:
    with pytest.raises(kibitz.RecordError, match="is not a file that can keep a game"):
        SaveFile(tmp_path)


def test_the_end_of_a_round_is_drawn_before_the_next_one_begins() -> None:
    table, typed = play_first("sheephead:hands=3", 1, "rule")
    words = ("sheephead:hands=3", "--seat", "1", "--vs", "rule", "--seed", str(SEED))
    output = run(*words, typed=typed).output
    assert "So far, in cents: seat 0 " in output
    assert output.count("┃ cents ┃") == 1
    before = output.split("New round. ")[:-1]
    assert len(before) == table.batch.books[0].n_rounds - 1 == 2
    for hand, part in enumerate(before, 1):
        drawing = part[part.rindex("Sheephead  ") :]
        assert f"hand {hand} of 3  the hand is over" in drawing
        for found in ("paid", "money", "¢"):
            assert found in drawing


def test_rounds_of_other_games_are_drawn_at_their_end_too() -> None:
    _, typed = play_first("nimmt:match=66", 0, "random")
    output = run("nimmt:match=66", "--vs", "random", "--seed", str(SEED), typed=typed).output
    assert all("turn 10 of 10: waiting" in part for part in output.split("New round. ")[:-1])


def test_an_own_action_without_alternative_is_marked_and_that_of_others_is_not() -> None:
    _, typed = play_first("sheephead:hands=1", 0, "rule")
    output = run("sheephead:hands=1", "--vs", "rule", "--seed", str(SEED), typed=typed).output
    assert re.search(r"you: \S+ \(only choice\)", output)
    assert not re.search(r"seat \d: \S+ \(only choice\)", output)
    assert output.count(" the trick, ") == 6


def test_the_coach_shows_every_action_with_its_value_and_the_question_again() -> None:
    words = ("connect4", "--vs", "random", "--seed", str(SEED), "--coach", "uct:sims=200")
    result = run(*words, typed=["h", "q"])
    assert "uct:sims=200 would play" in result.output
    assert "win probability" in result.output
    assert result.output.count(PROMPT) == 2
    _, hint, _ = result.output.split(PROMPT)
    assert hint.count("│ 1 ") + hint.count("│ 7 ") == 2
    assert "Connect 4" in hint  # the board is drawn again


@pytest.mark.parametrize("typed", ["x", "?"])
def test_the_board_is_drawn_again_after_an_error_or_help(typed: str) -> None:
    result = run("connect4", "--vs", "random", "--seed", str(SEED), typed=[typed, "q"])
    _, again, _ = result.output.split(PROMPT)
    assert "moves -" in again


@pytest.mark.parametrize(
    ("spec", "rule"),
    [
        ("connect4", "Four of your own in a line"),
        ("nimmt", "Who lays the sixth card takes the five before it"),
        ("tichu", "It is played to 1000 points"),
        ("sheephead", "his side needs 61 of 120 points"),
    ],
)
def test_help_explains_the_game_at_hand(spec: str, rule: str) -> None:
    table = kibitz.load_game(spec, defaults="people").deal(SEED)
    seat = table.seat_to_move
    assert seat is not None
    told = " ".join(Menu(table.game, table.view(seat), seat).help.split())
    assert rule in told
    assert "Ctrl-D leaves the table" in told


def test_rows_that_are_taken_are_told() -> None:
    _, typed = play_first("nimmt", 0, "random")
    output = run("nimmt", "--vs", "random", "--seed", str(SEED), typed=typed).output
    assert re.search(r"(you take|seat \d takes) row \d with \d+: \d+ heads?", output)


def test_people_are_spoken_to_in_their_language(monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("connect4", "--vs", "random", "--seed", str(SEED))
    german = run(*words, "--language", "de", typed=["9", "q"]).output
    assert "wähle eins davon (? Hilfe, h Rat, q Ende): " in german
    assert "ist keine Spalte: erwartet wird 1 bis 7" in german
    monkeypatch.setenv("LANG", "de_DE.UTF-8")
    assert "q Ende" in run(*words, typed=["q"]).output
    assert "messages are in en and de" in refused(run(*words, "--language", "fr"))


@pytest.mark.parametrize("spec", ["connect4", "nimmt", "tichu:match=round", "sheephead:hands=1"])
def test_boards_are_readable_at_forty_columns_in_plain_letters(spec: str) -> None:
    words = (spec, "--vs", "random", "--seed", str(SEED))
    done = in_process(*words, typed="q\n", COLUMNS="40", PYTHONIOENCODING="ascii")
    assert done.returncode == 0, done.stderr
    board = done.stdout.partition("\n\n")[2].partition("Saved in ")[0].splitlines()
    assert len(board) > 5
    assert max(map(len, board)) <= 40
    assert ".." not in done.stdout  # nothing is cut off


def test_every_letter_that_people_are_shown_has_a_plain_one() -> None:
    package = Path(kibitz.__file__).parent
    for path in [*package.glob("games/*/*.toml"), *package.glob("*/*.toml")]:
        letters = {letter for letter in path.read_text() if not letter.isascii()}
        assert letters <= set(PLAIN_LETTERS), path
    for path in package.glob("games/*/board.py"):
        letters = {letter for letter in path.read_text() if not letter.isascii()}
        assert letters <= set(PLAIN_LETTERS), path


def test_keys_typed_while_something_is_compiled_are_dropped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ours, theirs = os.openpty()
    with open(theirs, closefd=False) as terminal:
        monkeypatch.setattr(sys, "stdin", terminal)
        os.write(ours, b"4\n")
        forget_typed()
        os.write(ours, b"5\n")
        assert terminal.readline() == "5\n"
    os.close(ours)
    os.close(theirs)


def test_the_game_is_on_disk_after_every_own_action(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[int] = []
    write = SaveFile.write

    def note(file: SaveFile, record: kibitz.Record) -> None:
        write(file, record)
        kept.append(sum(seat == 0 for seat, _ in record.actions))

    monkeypatch.setattr(SaveFile, "write", note)
    _, typed = play_first("nimmt:rows=lowest", 0, "random")
    run("nimmt:rows=lowest", "--vs", "random", "--seed", str(SEED), typed=typed)
    assert kept == list(range(1, len(typed) + 1))[: len(kept)]
    assert len(kept) >= len(typed) - 1
