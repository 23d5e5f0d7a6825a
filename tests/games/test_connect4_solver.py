"""The solver of Connect 4 against minimax, drawn positions, mirror images and published scores."""

import os
import random
import zlib
from pathlib import Path

import numpy as np
import pytest

from kibitz import PositionError, SpecError, load_agent, load_game
from kibitz.arena.match import Match
from kibitz.core.errors import KibitzError
from kibitz.core.kernels import COMPILED
from kibitz.games.connect4 import alphabeta, book, solver
from kibitz.games.connect4.alphabeta import UNKNOWN, make_memory, scores_by_column, scores_of
from kibitz.games.connect4.following import NO_BOUND, bound_by_following
from kibitz.games.connect4.rules import landing_cells
from kibitz.games.connect4.solver import moves_left, solve
from tests.reference.connect4 import ReferenceGame
from tests.reference.connect4_minimax import score_after

GAME = load_game("connect4")

SETS = {"End-Easy": "Test_L3_R1", "Middle-Easy": "Test_L2_R1", "Begin-Easy": "Test_L1_R1"}

DRAWN = {
    # X to move makes four across with column 4.
    """
    . . . . . . .
    . . . . . . .
    . . . . . . .
    . . . . . . .
    O O O . . . .
    X X X . . . .
    """: ("112233", {4: 18}),
    # O to move must stop the row, and loses all the same: it is open at both ends.
    """
    . . . . . . .
    . . . . . . .
    . . . . . . .
    . . . . . . .
    . . O . O . .
    . . X X X . .
    """: ("33554", {1: -18, 2: -18, 4: -18, 6: -18}),
    # X to move must stop the column, and only that.
    """
    . . . . . . .
    . . . . . . .
    . . . . . . .
    O . . . . . .
    O . . . . . .
    O . X . X . X
    """: ("315171", {2: -18, 3: -18, 4: -18, 5: -18, 6: -18, 7: -18}),
}
"""Boards, how they came about, and what some columns are worth."""


def random_line(rng: random.Random, n_moves: int) -> str:
    """Play at random until a game has so many moves and goes on."""
    while True:
        game = ReferenceGame()
        while len(game.moves) < n_moves and not game.is_over():
            game.play(rng.choice(game.legal()))
        if not game.is_over():
            return "".join(map(str, game.moves))


def boards(lines: list[str]) -> tuple[alphabeta.Boards, alphabeta.Boards]:
    """Return the discs of who moves, and those of both."""
    states = [GAME.parse(line or "-") for line in lines]
    own = np.array([state.discs[len(line) % 2] for state, line in zip(states, lines, strict=True)])
    return own, np.array([state.discs[0] | state.discs[1] for state in states])


def columns_of(line: str, memory: np.record | None = None) -> list[int | None]:
    out = np.zeros((1, 7), np.int64)
    scores_by_column(make_memory() if memory is None else memory, *boards([line]), out)
    return [None if score == UNKNOWN else score for score in out[0].tolist()]


def draw(line: str) -> str:
    game = ReferenceGame(line)
    marks = {None: ".", 0: "X", 1: "O"}
    rows = [" ".join(marks[game.disc(c, row)] for c in range(7)) for row in range(5, -1, -1)]
    return "\n".join(rows)


@pytest.mark.parametrize("board", DRAWN)
def test_drawn_positions_are_worth_what_one_sees(board: str) -> None:
    line, expected = DRAWN[board]
    assert draw(line) == "\n".join(row.strip() for row in board.split("\n") if row.strip())
    game = ReferenceGame(line)
    own, occupied = boards([line])
    memory = make_memory()
    for column, score in expected.items():
        assert column in game.legal()
        assert alphabeta.score_after(memory, own[0], occupied[0], column, 21) == score


@pytest.mark.parametrize("n_moves", [35, 36, 37, 38, 39, 40, 41] if COMPILED else [37, 39, 41])
def test_late_positions_agree_with_plain_minimax(n_moves: int) -> None:
    rng = random.Random(n_moves)
    for _ in range(8 if n_moves > 36 else 3):
        line = random_line(rng, n_moves)
        legal = ReferenceGame(line).legal()
        found = columns_of(line)
        assert found == [score_after(line, c) if c in legal else None for c in range(1, 8)]


@pytest.mark.compiled
def test_columns_after_the_book_are_worth_what_they_are_without_it() -> None:
    rng, known = random.Random(5), make_memory()
    book.open_book(known)
    for n_moves in (8, 9):
        for _ in range(3):
            line = random_line(rng, n_moves)
            assert columns_of(line, known) == columns_of(line)


@pytest.mark.parametrize("n_moves", [35, 36] if COMPILED else [37, 38])
def test_what_following_proves_is_true(n_moves: int) -> None:
    rng, n_proven = random.Random(n_moves), 0
    for _ in range(60):
        line = random_line(rng, n_moves)
        own, occupied = (board[0] for board in boards([line]))
        threats = np.uint64(alphabeta.winning_cells(own ^ occupied, occupied))
        mine = np.uint64(alphabeta.winning_cells(own, occupied))
        if (mine | threats) & np.uint64(landing_cells(occupied)):
            continue
        for least in range(-3, 4):
            bound = bound_by_following(own, occupied, threats, n_moves, least)
            if bound != NO_BOUND:
                score = max(score_after(line, column) for column in ReferenceGame(line).legal())
                assert score <= bound < least
                n_proven += 1
    assert n_proven >= 5


@pytest.mark.compiled
@pytest.mark.parametrize("n_moves", [14, 20, 25, 30])
def test_mirror_images_are_worth_the_same(n_moves: int) -> None:
    rng = random.Random(n_moves)
    line = random_line(rng, n_moves)
    image = "".join(str(8 - int(column)) for column in line)
    assert columns_of(line, make_memory()) == columns_of(image, make_memory())[::-1]


@pytest.mark.compiled
def test_a_table_that_is_too_small_finds_the_same() -> None:
    lines = [random_line(random.Random(seed), 22) for seed in range(30)]
    found = []
    for bits in (alphabeta.TABLE_BITS, 4):
        out = np.zeros(len(lines), np.int64)
        scores_of(make_memory(bits), *boards(lines), out)
        found.append(out)
    assert found[0].tolist() == found[1].tolist()


@pytest.mark.compiled
@pytest.mark.parametrize("name", SETS)
def test_published_scores_are_found(name: str) -> None:
    path = Path(os.environ.get("KIBITZ_DATA", ".")) / "connect4" / SETS[name]
    if not path.exists():
        pytest.skip(f"no {SETS[name]}: set KIBITZ_DATA to a folder that has connect4/ in it")
    rows = [line.split() for line in path.read_text("ascii").splitlines()]
    out = np.zeros(len(rows), np.int64)
    scores_of(make_memory(), *boards([line for line, _ in rows]), out)
    assert len(rows) == 1000
    assert out.tolist() == [int(score) for _, score in rows]


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["End-Easy", "Middle-Easy"])
def test_published_scores_of_columns_are_found(name: str) -> None:
    path = Path(os.environ.get("KIBITZ_DATA", ".")) / "connect4" / f"{SETS[name]}.moves"
    if not path.exists():
        pytest.skip(f"no {path.name}: set KIBITZ_DATA to a folder that has connect4/ in it")
    rows = [line.split() for line in path.read_text("ascii").splitlines()[:300]]
    out = np.zeros((len(rows), 7), np.int64)
    scores_by_column(make_memory(), *boards([row[0] for row in rows]), out)
    assert np.where(out == UNKNOWN, -1000, out).tolist() == [list(map(int, r[1:])) for r in rows]


def test_a_solution_says_who_wins_and_when() -> None:
    found = solve(GAME, "7422341735647741166133573473242566")
    assert (found.score, found.distance, found.best) == (1, 7, [2, 6])
    assert found.columns == (-3, 1, None, None, -4, 1, None)
    document = found.as_json()
    assert document["columns"] == [-3, 1, None, None, -4, 1, None]
    assert (document["score"], document["values"]) == (1, [1, -1])
    assert "seat 0 wins after 7 moves" in solver.tell(document)


def test_the_score_tells_when_the_game_ends() -> None:
    rng = random.Random(5)
    for _ in range(6):
        line = random_line(rng, 36)
        found, n = solve(GAME, line), 0
        game = ReferenceGame(line)
        while not game.is_over():
            step = solve(GAME, "".join(map(str, game.moves)))
            game.play(rng.choice(step.best))
            n += 1
        assert n == found.distance == moves_left(found.score, 36)


def test_exact_never_gives_away_a_result() -> None:
    agent = load_agent("exact", GAME)
    for seed in range(20 if COMPILED else 5):
        line = random_line(random.Random(seed), 34)
        state = GAME.parse(line)
        found = solve(GAME, state)
        decisions = agent.decide(state, 0)
        assert int(decisions.actions[0]) in found.best
        assert decisions.choices is not None
        assert decisions.values is not None
        known = {i + 1: score for i, score in enumerate(found.columns) if score is not None}
        assert decisions.choices[0, : len(known)].tolist() == list(known)
        wins = (1 + np.sign(list(known.values()))) / 2
        assert decisions.values[0, : len(known)].tolist() == wins.tolist()


@pytest.mark.compiled
def test_exact_beats_a_bot_that_looks_a_move_ahead() -> None:
    game = load_game("connect4:opening=8")
    match = Match(game, [load_agent(spec, game) for spec in ("exact", "winning-move")], 2, 1)
    for _ in match.play():
        pass
    # From one seat it gets what the opening is worth or more, from the other at least minus that.
    assert match.result().sample.per_deal[:, 0].min() >= 0


@pytest.mark.parametrize(
    ("position", "why"),
    [
        ("48", "not a column"),
        ("1111111", "column 1 is full"),
        ("11223344", "comes after the game is over"),
        ("1122334", "the game is over"),
        ("undealt", "has not begun"),
        ("4" * 50, "expected '-' or 1 to 42 columns"),
        ("４", "not a column"),
    ],
)
def test_what_cannot_be_solved_is_refused(position: str, why: str) -> None:
    with pytest.raises(PositionError, match=why):
        solve(GAME, position)


def test_other_games_objectives_and_forged_states_are_refused() -> None:
    with pytest.raises(SpecError, match="this solves connect4, not nimmt"):
        solve(load_game("nimmt"), "-")
    with pytest.raises(SpecError, match="unknown objective 'points'"):
        solve(GAME, "44", "points")  # type: ignore[arg-type]
    forged = GAME.parse("44")
    forged.discs[0] = np.uint64(2**63)
    with pytest.raises(PositionError, match="that the moves lead to"):
        solve(GAME, forged)
    with pytest.raises(SpecError, match="expected another agent"):
        load_agent("exact:before=exact", GAME)


# --- the book


def small_book(folder: Path, n: int) -> Path:
    path = folder / "book.bin"
    book.make_book(path, lambda done, total: done >= n)
    return path


@pytest.mark.compiled
def test_a_book_is_gone_on_with_and_says_what_a_search_finds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, occupied = boards([random_line(random.Random(seed), 20) for seed in range(8)])
    keys = np.array([alphabeta.key_of(own[i], occupied[i], 20) for i in range(8)], np.uint64)
    monkeypatch.setattr(book, "AT_ONCE", 2)
    monkeypatch.setattr(book, "listed", lambda: keys)
    assert len(book.read_scores(small_book(tmp_path, 2))) == 2
    scores = book.read_scores(small_book(tmp_path, 6))
    out = np.zeros(8, np.int64)
    scores_of(make_memory(), own, occupied, out)
    assert scores.tolist() == out[:6].tolist()
    assert [place.name for place in tmp_path.iterdir()] == ["book.bin"]


@pytest.mark.compiled
def test_a_search_believes_the_book() -> None:
    own, occupied = boards(["4444"])
    memory = make_memory()
    alphabeta.add_to_book(memory, alphabeta.key_of(own[0], occupied[0], 4), 7)
    memory.book_ply = 4
    out = np.zeros(1, np.int64)
    scores_of(memory, own, occupied, out)
    assert (out[0], int(memory.n_searched)) == (7, 2)  # at most 7, and at least


def test_the_book_lists_every_early_position_once() -> None:
    seen: set[str] = set()
    for first in "1234567":
        for second in "1234567":
            line = first + second
            seen.add(min(draw(line), draw("".join(str(8 - int(c)) for c in line))))
    assert [len(book.positions(ply)) for ply in range(3)] == [1, 4, len(seen)]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"not a book",
        book.MAGIC,
        book.MAGIC + b"junk",
        book.MAGIC + zlib.compress(bytes([0])),
        book.MAGIC + zlib.compress(bytes([32]) * 10)[:-3],
        book.MAGIC + zlib.compress(bytes([32])) + b"more",
    ],
)
def test_damaged_books_are_refused_in_one_sentence(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "book.bin"
    path.write_bytes(data)
    with pytest.raises(KibitzError) as told:
        book.read_scores(path)
    assert "\n" not in str(told.value)


@pytest.mark.compiled
def test_books_that_unpack_to_too_much_and_missing_ones_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "book.bin"
    with pytest.raises(KibitzError, match="cannot read the book"):
        book.read_scores(path)
    path.write_bytes(book.MAGIC + zlib.compress(bytes([32]) * 10_000_000))
    with pytest.raises(KibitzError, match="is damaged"):
        book.read_scores(path)


@pytest.mark.compiled
def test_the_book_that_ships_says_what_a_search_finds() -> None:
    scores = book.read_scores(book.shipped())
    some = np.arange(7, len(scores), max(1, len(scores) // 3))
    out, keys = np.zeros(len(some), np.int64), book.listed()[some]
    book._solve(make_memory(), keys, out)
    assert out.tolist() == scores[some].tolist()
    assert book.shipped().stat().st_size <= book.MOST_BYTES
