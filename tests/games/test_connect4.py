"""Connect 4 against a slow reference, counted trees, drawn boards and solved positions."""

import io
import os
import random
from collections import Counter
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console
from scipy.stats import chisquare

from kibitz import IllegalAction, PositionError, SpecError, load_agent, load_game, open_table
from kibitz.core.game import (
    Actions,
    States,
    apply,
    deal,
    is_legal,
    is_over,
    legal,
    movers,
    random_action,
    scores,
)
from kibitz.core.kernels import COMPILED, kernel
from kibitz.core.rng import Rng, derive
from kibitz.games.connect4 import features, rules, text
from kibitz.games.connect4.lines import has_four
from tests.reference.connect4 import (
    DIRECTIONS,
    ReferenceGame,
    count_lines,
    is_opening,
    play_randomly,
)

GAME = load_game("connect4")

# Plain Python needs a thousand times longer for the same.
MANY_GAMES = 2000 if COMPILED else 60

DRAW = "547125662261271266215743771576315353334444"
WON_WITH_THE_LAST_DISC = "473725347123341712511124675567466466235235"


def position(moves: str) -> np.record:
    return GAME.parse(moves)


def draw(state: np.record) -> str:
    """Draw the discs of a state: X is seat 0, O is seat 1."""
    rows = []
    for row in reversed(range(rules.ROWS)):
        cells = [rules.COLUMN_BITS * column + row for column in range(rules.COLUMNS)]
        marks = ["X" if int(state.discs[0]) >> cell & 1 else "." for cell in cells]
        taken = [int(state.discs[1]) >> cell & 1 for cell in cells]
        rows.append(" ".join("O" if o else mark for o, mark in zip(taken, marks, strict=True)))
    return "\n".join(row for row in rows if set(row) != {".", " "})


def legal_columns(state: np.record) -> list[int]:
    return GAME.legal(state, int(state.n_moves) % 2)


def opening_of(k: int, seed: int) -> str:
    states = load_game(f"connect4:opening={k}").blank(1)
    deal(states[0], derive(seed))
    return text.format_position(states[0])


@kernel
def count_leaves(states: States, moves: Actions, depth: int, left: int) -> int:
    """Count the move sequences of `left` plies after `states[depth]`."""
    if left == 0:
        return 1
    if is_over(states[depth]):
        return 0
    seat = movers(states[depth]) - 1
    n = 0
    for i in range(legal(states[depth], seat, moves[depth])):
        states[depth + 1] = states[depth]
        apply(states[depth + 1], seat, moves[depth, i])
        n += count_leaves(states, moves, depth + 1, left - 1)
    return n


@kernel
def count_openings(states: States, moves: Actions, depth: int, left: int) -> int:
    """Count the allowed openings of `left` more plies after `states[depth]`."""
    if is_over(states[depth]):
        return 0
    seat = movers(states[depth]) - 1
    n = 0
    for i in range(legal(states[depth], seat, moves[depth])):
        if left == 0:
            n += rules.wins_with(states[depth], seat, moves[depth, i])
        else:
            states[depth + 1] = states[depth]
            apply(states[depth + 1], seat, moves[depth, i])
            n += count_openings(states, moves, depth + 1, left - 1)
    if left == 0:
        return int(n == 0)
    return n


@kernel
def fours_among(sets: np.ndarray[tuple[int], np.dtype[np.uint64]], found: Actions) -> None:
    for i in range(len(sets)):
        found[i] = has_four(sets[i])


# The counts were derived by an array-based C++ generator that shares
# nothing with the engine; the reference checks the small ones here.
PERFT = [1, 7, 49, 343, 2401, 16807, 117649, 823536, 5673234]


@pytest.mark.parametrize("depth", range(9 if COMPILED else 5))
def test_the_tree_has_the_known_number_of_leaves(depth: int) -> None:
    states = GAME.blank(depth + 1)
    deal(states[0], derive(0))
    moves = np.zeros((depth + 1, rules.COLUMNS), np.int64)
    assert count_leaves(states, moves, 0, depth) == PERFT[depth]


@pytest.mark.parametrize("depth", range(6 if COMPILED else 4))
def test_the_reference_counts_the_same_tree(depth: int) -> None:
    assert count_lines("", depth) == PERFT[depth]


@pytest.mark.parametrize("moves", ["1212123434", "44444", DRAW[:-4], "17171723"])
def test_the_reference_counts_the_same_tree_in_the_middle_of_a_game(moves: str) -> None:
    states = GAME.blank(5)
    states[0] = position(moves)
    found = [count_leaves(states, np.zeros((5, 7), np.int64), 0, depth) for depth in range(4)]
    assert found == [count_lines(moves, depth) for depth in range(4)]


def test_random_games_agree_with_the_reference() -> None:
    rng = random.Random(1)
    directions = Counter[str | None]()
    for _ in range(MANY_GAMES):
        state = position("-")
        for reference in play_randomly(rng):
            if reference.moves:
                apply(state, 1 - reference.turn(), reference.moves[-1])
            assert is_over(state) == reference.is_over()
            assert movers(state) == (0 if reference.is_over() else 1 << reference.turn())
            assert reference.is_over() or legal_columns(state) == reference.legal()
        out = np.full(2, np.nan)
        scores(state, out)
        assert out.tolist() == reference.scores()
        directions[reference.direction] += 1
    assert set(DIRECTIONS) <= set(directions)


def test_every_other_action_is_refused() -> None:
    rng = random.Random(2)
    for _ in range(MANY_GAMES // 20):
        for reference in play_randomly(rng):
            state = position("".join(map(str, reference.moves)) or "-")
            for seat in (-1, 0, 1, 2):
                mine = reference.legal() if seat == reference.turn() else []
                accepted = [a for a in range(-9, 19) if is_legal(state, seat, a)]
                assert accepted == mine


def test_a_line_is_one_of_the_69_on_the_board() -> None:
    cells = [7 * column + row for column in range(7) for row in range(6)]
    choices = list(combinations(cells, 4))
    sets = np.array([sum(1 << cell for cell in four) for four in choices], np.uint64)
    found = np.zeros(len(sets), np.int64)
    fours_among(sets, found)
    lines = [four for four, hit in zip(choices, found, strict=True) if hit]
    steps = Counter(four[1] - four[0] for four in lines)
    assert steps == {1: 3 * 7, 7: 4 * 6, 8: 4 * 3, 6: 4 * 3}
    assert all(four[3] - four[0] == 3 * (four[1] - four[0]) for four in lines)


@pytest.mark.parametrize(
    ("moves", "direction", "winner"),
    [
        ("1121314", "across", 0),
        ("7171717", "up", 0),
        ("45527677766", "rising", 0),
        ("43361211122", "falling", 0),
        ("51626374", "across", 1),
        ("325455132544", "rising", 1),
        ("254453322342", "falling", 1),
        ("21315121", "up", 1),
    ],
)
def test_a_win_ends_the_game_at_once(moves: str, direction: str, winner: int) -> None:
    state = position(moves)
    assert ReferenceGame(moves).direction == direction
    assert is_over(state)
    assert movers(state) == 0
    assert state.winner == winner + 1
    assert movers(position(moves[:-1])) == 1 << winner


def test_a_full_board_without_a_line_is_a_draw() -> None:
    before, state = position(DRAW[:-1]), position(DRAW)
    out = np.ones(2)
    scores(state, out)
    assert not is_over(before)
    assert is_over(state)
    assert out.tolist() == [0, 0]
    assert legal_columns(before) == [int(DRAW[-1])]


def test_a_win_with_the_last_disc_is_a_win() -> None:
    state = position(WON_WITH_THE_LAST_DISC)
    out = np.zeros(2)
    scores(state, out)
    assert state.n_moves == 42
    assert is_over(state)
    assert out.tolist() == [-1, 1]


def test_a_blank_state_waits_for_its_deal() -> None:
    state = GAME.blank(1)[0]
    assert movers(state) == 0
    assert not is_over(state)
    deal(state, derive(0))
    assert movers(state) == 1
    assert text.format_position(state) == "-"


@pytest.mark.parametrize("k", range(9))
def test_an_opening_has_no_win_in_it_and_none_next(k: int) -> None:
    for seed in range(300 if COMPILED else 30):
        moves = opening_of(k, seed)
        assert len(moves.strip("-")) == k
        assert is_opening(moves.strip("-"))


def test_openings_are_uniform() -> None:
    states = load_game("connect4:opening=2").blank(1)
    rng = derive(3)
    seen = Counter[str]()
    for _ in range(4900 if COMPILED else 980):
        deal(states[0], rng)
        seen[text.format_position(states[0])] += 1
    assert len(seen) == 49
    assert chisquare(list(seen.values())).pvalue > 0.001


@pytest.mark.skipif(not COMPILED, reason="enumerates all sequences of six plies")
def test_openings_that_reject_are_uniform() -> None:
    states = load_game("connect4:opening=6").blank(7)
    allowed = np.zeros(8)
    for column in range(1, 8):
        states[1] = position(str(column))
        allowed[column] = count_openings(states, np.zeros((7, 7), np.int64), 1, 5)
    rng, seen = derive(4), np.zeros(8)
    for _ in range(20000):
        deal(states[0], rng)
        seen[states[0].line[0]] += 1
    assert allowed.sum() < 0.95 * 7**6
    assert chisquare(seen[1:], 20000 * allowed[1:] / allowed.sum()).pvalue > 0.001


@pytest.mark.parametrize("k", range(9))
def test_the_fallback_opening_is_allowed(k: int) -> None:
    assert is_opening("12345671"[:k])


def test_an_odd_opening_leaves_the_first_decision_to_seat_1() -> None:
    assert load_game("connect4:opening=3").deal(seed=1).movers == [1]


@pytest.mark.parametrize("spec", ["connect4:opening=9", "connect4:opening=-1", "connect4:rows=7"])
def test_bad_options_are_refused(spec: str) -> None:
    with pytest.raises(SpecError):
        load_game(spec)


@pytest.mark.parametrize("moves", ["-", "444444", "4444442222221111115555", DRAW[:-1]])
def test_a_random_action_is_uniform_over_the_legal_ones(moves: str) -> None:
    state = position(moves)
    rng: Rng = derive(5)
    n = 7000 if COMPILED else 700
    seen = Counter(int(random_action(state, int(state.n_moves) % 2, rng)) for _ in range(n))
    assert sorted(seen) == legal_columns(state)
    assert len(seen) == 1 or chisquare(list(seen.values())).pvalue > 0.001


def test_a_random_action_leaves_the_state_alone() -> None:
    state = position("4453")
    before = state.tobytes()
    random_action(state, 0, derive(0))
    assert state.tobytes() == before


def test_positions_round_trip() -> None:
    rng = random.Random(6)
    for _ in range(MANY_GAMES // 20):
        state = position("-")
        for reference in play_randomly(rng):
            if reference.moves:
                apply(state, 1 - reference.turn(), reference.moves[-1])
            again = position(text.format_position(state))
            assert again.tobytes() == state.tobytes()


@pytest.mark.parametrize("moves", ["-", "undealt", "4", "4453"])
def test_a_position_is_written_as_it_was_read(moves: str) -> None:
    assert text.format_position(position(moves)) == moves


def test_a_position_keeps_its_options() -> None:
    table = open_table("connect4:opening=4 44")
    assert table.position == "connect4:opening=4 44"
    assert table.movers == [0]


@pytest.mark.parametrize(
    ("bad", "sentence"),
    [
        ("", "expected '-' or 1 to 42 columns"),
        ("0", "'0' in '0' is not a column"),
        ("448", "'8' in '448' is not a column"),
        ("44 53", "' ' in '44 53' is not a column"),
        ("4-", "'-' in '4-' is not a column"),
        ("٤", "is not a column"),
        ("４", "is not a column"),
        ("4½", "is not a column"),
        ("4444444", "move 7 in '4444444': column 4 is full"),
        ("71717172", "move 8 in '71717172' comes after the game is over"),
        (DRAW + "1", "1 to 42 columns"),
        ("1" * 3000, "1 to 42 columns"),
        ("Undealt", "'U' in 'Undealt' is not a column"),
        ("\x1b[31m", "is not a column"),
    ],
)
def test_bad_positions_are_refused_with_a_sentence(bad: str, sentence: str) -> None:
    with pytest.raises(PositionError) as caught:
        position(bad)
    assert sentence in str(caught.value)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("column", range(1, 8))
def test_actions_round_trip(column: int) -> None:
    state = position("-")
    written = text.format_action(state, 0, column)
    assert written == str(column)
    assert text.parse_action(state, 0, written) == column


@pytest.mark.parametrize("bad", ["", "0", "8", "44", "x", "-1", "４", "123"])
def test_bad_actions_are_refused(bad: str) -> None:
    with pytest.raises(PositionError, match="is not a column: expected 1 to 7"):
        text.parse_action(position("-"), 0, bad)


@pytest.mark.parametrize(
    ("moves", "seat", "action", "reason"),
    [
        ("444444", 0, 4, "column 4 is full"),
        ("4", 1, 9, "there is no column 9"),
        ("4", 0, 4, "seat 1 is to move"),
        ("7171717", 1, 4, "the game is over"),
    ],
)
def test_a_refusal_says_why(moves: str, seat: int, action: int, reason: str) -> None:
    table = open_table(f"connect4 {moves}")
    before = table.position
    with pytest.raises(IllegalAction, match=reason):
        table.play(seat, action)
    assert table.position == before


@pytest.mark.parametrize(
    ("moves", "seat", "clause"),
    [
        ("undealt", 0, "the game has not begun"),
        ("7171717", 1, "the game is over"),
        ("4", 0, "it is the turn of seat 1"),
        ("4", 1, "column 4 is open"),
    ],
)
def test_explain_finds_the_reason_by_itself(moves: str, seat: int, clause: str) -> None:
    assert str(text.explain(position(moves), seat, 4)) == clause


def test_planes_are_those_of_the_paper() -> None:
    state = position("44535")
    assert draw(state) == ". . . O X . .\n. . O X X . ."
    planes = GAME.encodings["planes"].observe(state.reshape(1), np.array([1])).reshape(3, 6, 7)
    first, second, turn = planes.astype(int).tolist()
    assert first[4:] == [[0, 0, 0, 0, 1, 0, 0], [0, 0, 0, 1, 1, 0, 0]]
    assert second[4:] == [[0, 0, 0, 1, 0, 0, 0], [0, 0, 1, 0, 0, 0, 0]]
    assert first[:4] == second[:4] == [[0] * 7] * 4
    assert turn == [[1] * 7] * 6


def test_the_turn_plane_is_zero_for_seat_0() -> None:
    out = np.full(features.PLANES.size, np.nan, np.float32)
    features.observe_planes(position("4453"), 0, features.PLANES.record, out)
    assert features.PLANES.size == 126
    assert out.sum() == 4
    assert not out[features.TURN_PLANE * 42 :].any()


def test_own_planes_are_relative_to_the_seat_that_looks() -> None:
    state = position("44535")
    encoding = GAME.encodings["own"]
    assert (encoding.size, encoding.n_actions) == (84, 7)
    first, second = encoding.observe(np.array([state] * 2, rules.STATE), np.array([0, 1]))
    assert (encoding.parts(first)["own"] == encoding.parts(second)["other"]).all()
    assert (encoding.parts(first)["other"] == encoding.parts(second)["own"]).all()
    own, other = encoding.parts(second).values()
    assert own[4:].tolist() == [[0, 0, 0, 1, 0, 0, 0], [0, 0, 1, 0, 0, 0, 0]]
    assert other[4:].tolist() == [[0, 0, 0, 0, 1, 0, 0], [0, 0, 0, 1, 1, 0, 0]]
    assert first.sum() == 5


def test_own_planes_are_those_of_the_paper_in_random_positions() -> None:
    rng = random.Random(9)
    for reference in play_randomly(rng):
        state = position("".join(map(str, reference.moves)) or "-")
        for seat in range(2):
            views, seats = np.array([state], rules.STATE), np.array([seat])
            planes = GAME.encodings["planes"].observe(views, seats).reshape(3, 42)
            own = GAME.encodings["own"].observe(views, seats).reshape(2, 42)
            assert (own == planes[[seat, 1 - seat]]).all()


def test_a_move_is_described_by_where_the_disc_lands() -> None:
    state = position("44535")
    assert GAME.describe(state, 1, 4) == (0, 3, 4)
    assert GAME.describe(state, 1, 1) == (0, 1, 1)


def test_action_indices_are_the_columns_from_0() -> None:
    encoding = features.PLANES
    indices = [
        features.action_index_planes(position("-"), 0, column, encoding.record)
        for column in range(1, 8)
    ]
    assert indices == list(range(encoding.n_actions))


def test_rules_commute_with_mirroring() -> None:
    rng = random.Random(7)
    for _ in range(MANY_GAMES // 20):
        state, image = position("-"), position("-")
        for reference in play_randomly(rng):
            if reference.moves:
                seat, column = 1 - reference.turn(), reference.moves[-1]
                apply(state, seat, column)
                apply(image, seat, rules.mirror_action(column))
            mirrored = state.copy()
            rules.mirror(mirrored)
            assert mirrored.tobytes() == image.tobytes()
            assert [8 - column for column in legal_columns(state)] == legal_columns(image)[::-1]
            rules.mirror(mirrored)
            assert mirrored.tobytes() == state.tobytes()


def test_mirrored_features_are_those_of_the_mirrored_state() -> None:
    states = GAME.blank(2)
    states[0] = position("44535421")
    states[1] = states[0]
    rules.mirror(states[1])
    seen = GAME.encodings["planes"].observe(states, np.array([0, 0]))
    assert np.array_equal(features.mirror_features(seen[0]), seen[1])
    assert np.array_equal(features.mirror_features(seen), seen[::-1])
    assert not np.array_equal(seen[0], seen[1])


def answers(agent: str, moves: str, seeds: int = 40) -> set[int]:
    """Return every column an agent plays in a position, over several random streams."""
    state = position(moves)
    seat = int(state.n_moves) % 2
    player = load_agent(agent, GAME)
    return {int(player.decide(state, seat, derive(i)).actions[0]) for i in range(seeds)}


@pytest.mark.parametrize(
    ("moves", "column"),
    [("-", 4), ("4", 4), ("444444", 3), ("444444333333", 5), ("444444333333555555", 2)],
)
def test_centre_plays_nearest_the_centre_and_left_of_two(moves: str, column: int) -> None:
    assert answers("centre", moves, 3) == {column}


def test_winning_move_takes_a_win_before_it_blocks_one() -> None:
    moves = "71727"
    assert draw(position(moves + "3")) == ". . . . . . X\n. . . . . . X\nO O O . . . X"
    assert answers("winning-move", moves + "3") == {7}
    assert answers("winning-move", moves + "35") == {4}


def test_winning_move_blocks_a_threat_across() -> None:
    moves = "31425"
    assert draw(position(moves)) == "O O X X X . ."
    assert answers("winning-move", moves) == {6}


def test_winning_move_blocks_a_threat_on_a_diagonal() -> None:
    assert draw(position("435535245")) == (
        ". . . . X . .\n"  # X threatens the third row of column 4
        ". . . . O . .\n"
        ". . X O O . .\n"
        ". X O X X . ."
    )
    assert answers("winning-move", "435535245") == {4}


def test_winning_move_does_not_hand_over_the_cell_above() -> None:
    assert draw(position("43135514")) == (
        "X . O O O . .\n"  # a disc in column 2 or 6 would lift the opponent's next one to this row
        "X . O X X . ."
    )
    assert answers("winning-move", "43135514", 200) == {1, 3, 4, 5, 7}


def test_winning_move_plays_on_when_every_column_hands_over_a_win() -> None:
    assert answers("winning-move", "77323225412353375475635277251", 200) == {1, 4, 6}


def test_render_marks_the_last_disc_and_the_turn() -> None:
    shown = show("4453", 0)
    assert "(○)" in shown
    assert "● your turn" in shown
    assert " 1  2  3  4  5  6  7 " in shown


def test_render_marks_the_winning_four() -> None:
    shown = show("7171717", -1)
    assert shown.count("[●]") == 4
    assert "● seat 0 wins" in shown
    assert "(" not in show("7171717", 5)


@pytest.mark.parametrize(
    ("moves", "words"), [("undealt", "waiting for the deal"), (DRAW, "a draw"), ("4", "seat 1")]
)
def test_render_says_how_things_stand(moves: str, words: str) -> None:
    assert words in show(moves, -1)


def show(moves: str, seat: int) -> str:
    console = Console(file=io.StringIO(), width=80, no_color=True)
    with console.capture() as capture:
        console.print(text.render(position(moves), seat))
    return capture.get()


def test_solved_positions_are_positions() -> None:
    data = Path(os.environ.get("KIBITZ_DATA", "")) / "connect4" / "Test_L3_R1"
    if "KIBITZ_DATA" not in os.environ or not data.exists():
        pytest.skip("KIBITZ_DATA names no folder with connect4/Test_L3_R1")
    lines = data.read_text().splitlines()
    for line in lines if COMPILED else lines[:100]:
        moves = line.split()[0]
        state = position(moves)
        assert not is_over(state)
        assert text.format_position(state) == moves


def test_the_history_is_the_planes_of_the_last_four_positions() -> None:
    moves = "4453544"
    planes, history = GAME.encodings["planes"], GAME.encodings["history"]
    assert history.size == 12 * 42
    for n in range(len(moves) + 1):
        now = history.observe(position(moves[:n] or "-").reshape(1), np.array([n & 1]))
        for step in range(4):
            past = np.zeros(126, np.float32)
            if n >= step:
                earlier = position(moves[: n - step] or "-").reshape(1)
                past = planes.observe(earlier, np.array([0]))[0]
            assert now[0, 126 * step :][:126].tolist() == past.tolist()
