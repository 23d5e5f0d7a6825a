"""Encodings of Tichu: what every number means, and which actions share an index."""

import itertools
import math
import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from kibitz.core.decisions import NO_ACTION
from kibitz.core.encoding import Encoding
from kibitz.core.exploring import urge
from kibitz.core.game import action_index, observe, observe_action
from kibitz.core.listing import list_legal
from kibitz.core.registry import load_game
from kibitz.core.rng import Purpose, derive
from kibitz.games.tichu import features, planning
from kibitz.games.tichu.cards import (
    ACE,
    CALL,
    DRAGON_TO,
    GIVE,
    GRAND,
    LOWEST_RANK,
    NO_GRAND,
    NO_TICHU,
    PASS,
    TICHU,
    WISH,
    cards_of,
    kind_of,
    other_action,
    phoenix_of,
    play_action,
)
from kibitz.games.tichu.combinations import FULL_HOUSE, PAIR, SINGLE, STRAIGHT
from kibitz.games.tichu.exploring import EXPLORERS, strength
from kibitz.games.tichu.features import (
    CANDIDATES_ENCODING,
    ENCODINGS,
    FULL_ENCODING,
    THESIS_DEAD,
    THESIS_ENCODING,
)
from kibitz.games.tichu.state import GRAND_CALLED, TICHU_CALLED, TURN, WISHING
from kibitz.games.tichu.weights import FIRST, make_policy
from kibitz.games.tichu.words import RANKS, read_card
from kibitz.testing import Subject, some_positions

FULL, THESIS = load_game("tichu"), load_game("tichu:variant=thesis")


def card(word: str) -> int:
    """Read a card."""
    found = read_card(word)
    assert found is not None, word
    return found


def cards(words: str) -> np.uint64:
    """Read a set of cards."""
    return np.uint64(sum(1 << card(word) for word in words.split()))


def lay(words: str, phoenix: str = "") -> int:
    """Make the action that plays these cards, the Phoenix standing for a rank."""
    return int(play_action(cards(words), RANKS.index(phoenix) + 2 if phoenix else 0))


def index(encoding: Encoding, action: int, state: np.record | None = None) -> int:
    """Return the index of an action, on an empty table if no state is given."""
    there = FULL.blank(1)[0] if state is None else state
    return int(action_index(there, 0, action, encoding.record))


def read(encoding: Encoding, view: np.record, seat: int) -> dict[str, Any]:
    """Write the features of a view, by name and rounded."""
    out = np.full(encoding.size, np.nan, np.float32)
    observe(view, seat, encoding.record, out)
    return {name: part.round(3).tolist() for name, part in encoding.parts(out).items()}


def _of_rank(rank: int, count: int) -> int:
    return ((1 << count) - 1) << 4 * (rank - LOWEST_RANK) if rank > 1 else 1 << card("Ma")


def _with_phoenix(shape: list[tuple[int, int]]) -> Iterator[int]:
    """Yield the play of (rank, count) parts, and those with the Phoenix for a card of a part."""
    phoenix = 1 << card("Ph")
    whole = sum(_of_rank(rank, count) for rank, count in shape)
    yield int(play_action(np.uint64(whole), 0))
    for rank, count in shape:
        if rank > 1:
            laid = whole & ~_of_rank(rank, count) | _of_rank(rank, count - 1) | phoenix
            yield int(play_action(np.uint64(laid), rank))


def rank_plays() -> dict[str, list[int]]:
    """Enumerate the plays that differ in ranks, by group; suits are mixed."""
    ranks = range(LOWEST_RANK, ACE + 1)
    straights = [
        [(rank, 1) for rank in range(low, low + length)]
        for length in range(5, 15)
        for low in range(1, 16 - length)
    ]
    steps = [
        [(rank, 2) for rank in range(low, low + pairs)]
        for pairs in range(2, 8)
        for low in range(2, 16 - pairs)
    ]
    houses = [[(trio, 3), (pair, 2)] for trio, pair in itertools.permutations(ranks, 2)]

    def every(shapes: list[list[tuple[int, int]]]) -> list[int]:
        return [play for shape in shapes for play in _with_phoenix(shape)]

    return {
        "single": [1 << 4 * (r - 2) for r in ranks] + [int(cards(w)) for w in ("Ma", "Ph", "Dr")],
        "dog": [int(cards("Dog"))],
        "pair": every([[(rank, 2)] for rank in ranks]),
        "trio": every([[(rank, 3)] for rank in ranks]),
        "full house": every(houses),
        "straight": [_mixed(play) for play in every(straights)],
        "steps": every(steps),
        "quad": [_of_rank(rank, 4) for rank in ranks],
        "flush": [
            sum(1 << 4 * (rank - 2) + suit for rank in range(low, low + length))
            for suit in range(4)
            for length in range(5, 14)
            for low in range(2, 16 - length)
        ],
    }


def _mixed(straight: int) -> int:
    """Change the suit of every other rank, so that the straight is no flush."""
    mixed = straight & ~((1 << 52) - 1)
    for rank in range(13):
        mixed |= (straight >> 4 * rank & 1) << 4 * rank + rank % 2
    return mixed


OTHERS = [other_action(PASS, 0)]
OTHERS += [other_action(CALL, what) for what in (NO_GRAND, GRAND, NO_TICHU, TICHU)]
OTHERS += [other_action(DRAGON_TO, 1), other_action(DRAGON_TO, 3)]
OTHERS += [other_action(WISH, rank) for rank in (0, *range(LOWEST_RANK, ACE + 1))]


def gifts() -> Iterator[tuple[np.record, int]]:
    """Enumerate the gifts by receiver and value, with a state in which they are made."""
    for given in range(3):
        state = FULL.blank(1)[0]
        state.given[0, :given] = 1
        for value in (*range(0, 52, 4), 52, 53, 54, 55):
            yield state, int(other_action(GIVE, 1 << value))


def test_sizes_are_those_of_the_specification() -> None:
    assert (THESIS_ENCODING.size, THESIS_ENCODING.n_actions) == (85, 1415)
    sizes = [math.prod(shape) for _, shape in THESIS_ENCODING.layout]
    assert sizes == [17, 3, 3, 4, 4, 4, 1, 1, 1, 1, 1, 17, 7, 12, 4, 4, 1]
    assert FULL_ENCODING.n_actions == 1512 + 51 + 4 + 2 + 14
    assert (features.PLAYS, FULL_ENCODING.size) == (1512, 942)
    assert set(FULL.encodings) == {"thesis", "full", "candidates", "plans", "counts"}


def test_plays_are_as_many_as_the_specification_counts() -> None:
    counts = {group: len(set(plays)) for group, plays in rank_plays().items()}
    assert counts == {
        "single": 16,
        "dog": 1,
        "pair": 26,
        "trio": 26,
        "full house": 468,
        "straight": 485,
        "steps": 296,
        "quad": 13,
        "flush": 180,
    }
    assert sum(counts.values()) + 1 == 1512


def test_the_complete_set_has_an_action_for_every_index() -> None:
    indices = [index(FULL_ENCODING, action) for action in OTHERS]
    indices += [index(FULL_ENCODING, play) for plays in rank_plays().values() for play in plays]
    indices += [index(FULL_ENCODING, action, state) for state, action in gifts()]
    assert sorted(indices) == list(range(1583))


def test_the_thesis_has_an_action_for_every_index_but_twelve() -> None:
    plays = rank_plays()
    flushes = plays.pop("flush")
    indices = [index(THESIS_ENCODING, action) for action in OTHERS]
    indices += [index(THESIS_ENCODING, play) for group in plays.values() for play in group]
    indices += [index(THESIS_ENCODING, action, state) for state, action in gifts()]
    assert len(THESIS_DEAD) == 12
    assert sorted([*indices, *THESIS_DEAD]) == list(range(1415))
    for flush in flushes:
        assert index(THESIS_ENCODING, flush) == index(
            THESIS_ENCODING, _mixed(flush >> _suit(flush))
        )


def _suit(flush: int) -> int:
    return (flush & -flush).bit_length() - 1 & 3


def test_groups_of_the_thesis_stand_in_the_order_of_its_table() -> None:
    def at(action: int) -> int:
        return index(THESIS_ENCODING, action)

    assert at(other_action(PASS, 0)) == 0
    calls = [other_action(CALL, what) for what in (GRAND, NO_GRAND, TICHU, NO_TICHU)]
    assert [at(call) for call in calls] == [2, 3, 4, 5]
    trades = [index(THESIS_ENCODING, action, state) for state, action in gifts()]
    assert trades[0:17] == list(range(23, 40)), "right comes second"
    assert trades[17:34] == list(range(40, 57)), "the partner last"
    assert trades[34:51] == list(range(6, 23)), "left first"
    assert [at(lay(word)) for word in ("2R", "AS", "Ma", "Ph", "Dr")] == [57, 69, 70, 72, 73]
    assert [at(lay("2R 2G")), at(lay("2R Ph", "2")), at(lay("3R 3G"))] == [74, 75, 76]
    assert at(lay("2R 2G 2B")) == 100
    assert at(lay("2R 2G 2B 3R 3G")) == 126
    assert at(lay("2R 2G Ph 3R 3G", "2")) == 127
    assert at(lay("2R 2G 2B 3R Ph", "3")) == 128
    assert at(lay("Ma 2R 3R 4R 5R")) == 594
    assert at(lay("Ma Ph 3R 4R 5R", "2")) == 596, "595 would be the Phoenix as Mah Jong"
    assert at(lay("2R 2G 3R 3G")) == 1089
    assert at(lay("2R 2G 2B 2S")) == 1385
    assert at(lay("Dog")) == 1398
    assert [at(other_action(DRAGON_TO, side)) for side in (1, 3)] == [1399, 1400]
    assert [at(other_action(WISH, rank)) for rank in (0, 2, 14)] == [1401, 1402, 1414]


@pytest.mark.parametrize("encoding", ENCODINGS.values(), ids=ENCODINGS)
def test_meanings_of_the_phoenix_are_different_actions(encoding: Encoding) -> None:
    pairs = [index(encoding, lay("4R 4G 9R 9G Ph", rank)) for rank in "49"]
    rows = [index(encoding, lay("4R 5G 6R 7R Ph", rank)) for rank in "38"]
    assert len({*pairs, *rows}) == 4


@pytest.mark.parametrize("encoding", ENCODINGS.values(), ids=ENCODINGS)
def test_the_single_phoenix_has_one_index_whatever_it_lies_on(encoding: Encoding) -> None:
    on_king = FULL.blank(1)[0]
    on_king.table_kind, on_king.table_length, on_king.table_height = 1, 1, 26
    assert index(encoding, lay("Ph"), on_king) == index(encoding, lay("Ph"))


def test_suits_count_for_straight_flushes_only() -> None:
    for encoding in ENCODINGS.values():
        assert index(encoding, lay("9R 9G")) == index(encoding, lay("9B 9S"))
        assert index(encoding, lay("4R 5R 6R 7R 8G")) == index(encoding, lay("4S 5G 6R 7B 8S"))
    red, black = lay("4R 5R 6R 7R 8R"), lay("4S 5S 6S 7S 8S")
    mixed = index(FULL_ENCODING, lay("4R 5R 6R 7R 8G"))
    assert len({index(FULL_ENCODING, red), index(FULL_ENCODING, black), mixed}) == 3
    thesis = THESIS.blank(1)[0]
    assert index(FULL_ENCODING, red, thesis) == mixed, "there they are no bombs"


def _rank_key(action: int) -> tuple[object, ...]:
    """Return what makes an action different in ranks; straight flushes are told apart by suit."""
    held = int(cards_of(action))
    suits = {c & 3 for c in range(52) if held >> c & 1}
    flush = suits if len(suits) == 1 and held.bit_count() >= 5 and held < 1 << 52 else set()
    counts = [(held >> 4 * rank & 15).bit_count() for rank in range(13)]
    if kind_of(action) != 0 and kind_of(action) != GIVE:
        return (action,)
    return kind_of(action), *counts, held >> 52, int(phoenix_of(action)), *flush


@pytest.mark.parametrize("spec", ["tichu", "tichu:variant=thesis", "tichu:calls=any"])
def test_listed_actions_share_an_index_if_and_only_if_they_are_equal_in_ranks(spec: str) -> None:
    for table in some_positions(Subject(spec, games=40), 5, 300):
        for seat in table.movers:
            keys: dict[int, set[tuple[object, ...]]] = {}
            listed = table.legal(seat)
            for action in listed:
                at = int(action_index(table.view(seat), seat, action, FULL_ENCODING.record))
                assert 0 <= at < FULL_ENCODING.n_actions
                keys.setdefault(at, set()).add(_rank_key(action))
                old = int(action_index(table.view(seat), seat, action, THESIS_ENCODING.record))
                assert 0 <= old < 1415
                assert old not in THESIS_DEAD
            assert all(len(group) == 1 for group in keys.values())
            assert len(keys) == len({_rank_key(action) for action in listed})


def in_play() -> np.record:
    """Let seat 1 have to beat a pair of fives of seat 0 with the Phoenix in it."""
    state = FULL.blank(1)[0]
    state.phase, state.turn, state.deciding, state.dealt = TURN, 1, 0b0010, 1
    state.hand[1] = cards("3R 3G 3B 7R 8R 9R TR JR KS AS Dr")
    state.played[0] = cards("5R Ph 2R Ma")
    state.played[1] = cards("2G 4G 4B")
    state.played[3] = cards("6R 6G")
    state.given[0] = [-1, -1, -1]
    state.given[1] = [card("2S") + 1, card("AG") + 1, card("6G") + 1]
    state.given[0, 0] = card("3G") + 1  # from the left
    state.given[2, 2] = card("4G") + 1  # from the right
    state.given[3, 1] = card("Dr") + 1  # from the partner
    state.given[2, :2], state.given[3, 0], state.given[3, 2] = -1, -1, -1
    state.call[:] = [TICHU_CALLED, 0, GRAND_CALLED, 0]
    state.table, state.laid[0] = cards("5R Ph"), cards("5R Ph")
    state.laid[3] = cards("4R 4S")
    state.table_kind, state.table_length, state.table_height, state.table_phoenix = 2, 2, 10, 5
    state.trick, state.holder, state.wish, state.wished, state.lacking = -20, 0, 8, 8, 0b1001
    state.won[:], state.tricks[:] = [10, 5, 0, 85], [1, 2, 0, 4]
    state.n_laid[:] = [0, 5, 3, 1, 0, 2, 4, 0, 1]
    state.passed[0] = [0, 24, 8, 0, 0, 18, 0]
    state.passed[2] = [0, 0, 0, 6, 12, 0, 16]
    return state


def test_the_thesis_reads_back_number_by_number() -> None:
    got = read(THESIS_ENCODING, in_play(), 1)
    assert got == {
        "hand": [0, 3, 0, 0, 0, 1, 1, 1, 1, 1, 0, 1, 1, 0, 0, 0, 1],
        "given": [1, 13, 5],
        "received": [3, 17, 2],
        "tichu": [0, 0, 0, 1],
        "grand": [0, 1, 0, 0],
        "cards": [11, 14, 12, 10],
        "type": [1],
        "height": [5],
        "length": [2],
        "trick": [-20],
        "leader": [3],
        "played": [2, 0, 2, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0],
        "combinations": [5, 3, 1, 0, 4, 2, 0],
        "passed": [[12, 0], [4, 0], [0, 3], [0, 6], [0, 8], [9, 0]],
        "tricks": [2, 0, 4, 1],
        "won": [5, 0, 85, 10],
        "wish": [8],
    }


def test_heights_of_the_thesis_are_ranks_also_for_special_cards() -> None:
    state = in_play()
    for height, rank in ((3, 1.5), (21, 10.5), (30, 15)):
        state.table_kind, state.table_length, state.table_height = 1, 1, height
        got = read(THESIS_ENCODING, state, 1)
        assert (got["type"], got["height"]) == ([0], [rank])


def test_an_empty_table_is_type_seven_and_led_by_whose_turn_it_is() -> None:
    state = THESIS.deal(seed=4).state.copy()
    state.phase, state.turn = TURN, 2
    got = read(THESIS_ENCODING, state, 1)
    assert (got["type"], got["height"], got["length"], got["leader"]) == ([7], [0], [0], [1])


def marked(flags: list[float], words: str) -> bool:
    """Whether exactly these cards are marked."""
    return sum(1 << i for i, flag in enumerate(flags) if flag) == int(cards(words))


def test_the_complete_encoding_reads_back_the_cards() -> None:
    got = read(FULL_ENCODING, in_play(), 1)
    assert marked(got["hand"], "3R 3G 3B 7R 8R 9R TR JR KS AS Dr")
    assert marked(got["in_flush"], "7R 8R 9R TR JR")
    assert got["counts"] == [0, 0.75, 0, 0, 0, 0.25, 0.25, 0.25, 0.25, 0.25, 0, 0.25, 0.25]
    assert sum(got["unseen"]) == 56 - 11 - 9
    played = ["2G 4G 4B", "", "6R 6G", "5R Ph 2R Ma"]
    assert all(marked(*pair) for pair in zip(got["played"], played, strict=True))
    values = [[row.index(1) for row in got[name]] for name in ("given", "received")]
    assert values == [[0, 12, 4], [2, 16, 1]]
    holds = ["2S", "AG", ""]
    assert all(marked(*pair) for pair in zip(got["holds"], holds, strict=True)), "6G was played"
    assert marked(got["table"], "5R Ph")
    assert got["laid"][3][3] == got["laid"][3][15] == 0.25
    assert got["laid"][2][2] == 0.5


def test_the_complete_encoding_reads_back_the_round() -> None:
    state = in_play()
    state.finished[3], state.total[:], state.match, state.rounds = 1, [250, -50], 1000, 100
    got = read(FULL_ENCODING, state, 1)
    assert got["kind"] == [0, 0, 1, 0, 0, 0, 0, 0]
    assert [got[name][0] for name in ("length", "height", "phoenix", "trick")] == [
        pytest.approx(value, abs=1e-3) for value in (2 / 14, 10 / 30, 5 / 14, -0.2)
    ]
    assert (got["holder"], got["turn"], got["deciding"]) == (
        [0, 0, 0, 1],
        [1, 0, 0, 0],
        [1, 0, 0, 0],
    )
    assert got["cards"] == [pytest.approx(n / 14, abs=1e-3) for n in (11, 14, 12, 10)]
    assert got["finished"] == [[0] * 4, [0] * 4, [1, 0, 0, 0], [0] * 4]
    assert got["calls"] == [[0, 0], [0, 1], [0, 0], [1, 0]]
    assert got["won"] == [pytest.approx(n, abs=1e-3) for n in (0.05, 0, 0.85, 0.1)]
    assert got["tricks"] == [pytest.approx(n / 14, abs=1e-3) for n in (2, 0, 4, 1)]
    assert got["passed"][3] == [pytest.approx(n / 30, abs=1e-3) for n in (24, 8, 0, 0, 18, 0)]
    assert got["passed"][1] == [pytest.approx(n / 30, abs=1e-3) for n in (0, 0, 6, 12, 0, 16)]
    laid = (5, 3, 1, 0, 2, 4, 0, 1)
    assert got["combinations"] == [pytest.approx(n / 14, abs=1e-3) for n in laid]
    assert got["wish"].index(1) == 7
    assert sum(got["wish"]) == 1
    assert got["lacking"] == [0, 0, 1, 1]
    assert got["phase"].index(1) == 3
    assert got["may"] == [0, 1], "he has played, and holds a straight flush"
    assert got["gifts"] == [0, 0, 0, 1]
    assert got["score"] == [pytest.approx(n, abs=1e-3) for n in (-0.05, 0.25)]
    assert got["match"] == [1, 1]
    assert got["options"] == [0, 0]


def test_suits_are_nothing_to_the_thesis_variant() -> None:
    state = in_play()
    state.variant = 1
    got = read(FULL_ENCODING, state, 1)
    assert not any(got["in_flush"])
    assert got["may"] == [0, 0]
    assert got["options"] == [1, 0]


def test_phases_are_told_apart() -> None:
    state = in_play()
    state.phase = WISHING
    assert read(FULL_ENCODING, state, 1)["phase"].index(1) == 4


@pytest.mark.parametrize("encoding", ENCODINGS.values(), ids=ENCODINGS)
def test_features_are_the_same_from_the_state_and_from_the_view(
    encoding: Encoding,
) -> None:
    rng = random.Random(3)
    for table in some_positions(Subject("tichu", games=10), 8, 60):
        seat = rng.choice(table.movers) if table.movers else 0
        of_view = read(encoding, table.view(seat), seat)
        assert read(encoding, table.state, seat) == of_view


# --- rows of legal actions

HAND = "Ma 3R 4G 5B 6S 7R 7G KR KG KB AS Dr"


def on_turn(hand: str, played: str = "") -> np.record:
    """Make the view of seat 0, on turn at an empty table."""
    view = FULL.blank(1)[0]
    view.phase, view.deciding = TURN, 1
    view.hand[0], view.played[1] = cards(hand), cards(played) if played else 0
    return view


def row(view: np.record, action: int) -> dict[str, Any]:
    """Write the row of an action: the places of the ones, by name of their part."""
    out = np.full(CANDIDATES_ENCODING.candidate_size, np.nan, np.float32)
    observe_action(view, 0, action, CANDIDATES_ENCODING.record, out)
    parts = CANDIDATES_ENCODING.candidate_parts(out)
    ones = {name: np.argwhere(part) for name, part in parts.items()}
    return {name: at.ravel().tolist() for name, at in ones.items()}


def test_a_play_is_known_by_kind_height_and_length() -> None:
    view = on_turn(HAND)
    expected = {
        lay("KR"): (SINGLE, 26, 1),
        lay("Ma"): (SINGLE, 2, 1),
        lay("Dr"): (SINGLE, 30, 1),
        lay("KR KG"): (PAIR, 26, 2),
        lay("KR KG KB 7R 7G"): (FULL_HOUSE, 26, 5),
        lay("3R 4G 5B 6S 7R"): (STRAIGHT, 14, 5),
    }
    for action, (kind, height, length) in expected.items():
        got = row(view, action)
        assert (got["play"], got["length"]) == ([kind, height], [length])
        assert FULL.describe(view, 0, action) == (kind, length, height)
    assert row(view, lay("KR KG KB 7R 7G"))["pair"] == [7 - 2]


def test_rows_show_the_hand_that_is_left() -> None:
    got = row(on_turn(HAND), lay("KR KG KB 7R 7G"))
    assert got["rest_cards"] == [7]
    assert got["groups"] == [7]  # Mah Jong 3 4 5 6 ace Dragon
    assert got["row"] == [0]
    assert row(on_turn(HAND), lay("AS"))["row"] == [5]  # 3 to 7
    left = row(on_turn("3R 3G 3B 4S AS"), lay("AS"))
    assert left["rest"] == [4 * 1, 4 * 1 + 1, 4 * 1 + 2, 4 * 2]
    assert row(on_turn("3R 3G 3B 3S AS"), lay("AS"))["rest_bombs"] == [0]
    assert row(on_turn("3R 4R 5R 6R 7R AS"), lay("AS"))["rest_bombs"] == [1]


def test_rows_count_what_can_beat_a_play() -> None:
    view = on_turn(HAND, played="AR AG")
    assert row(view, lay("KR"))["beating"] == [2]  # AB and the Phoenix
    assert row(view, lay("Dr"))["beating"] == [0]
    assert row(view, lay("KR KG"))["beating"] == [1]  # AB with the Phoenix
    assert row(view, lay("KR KG KB"))["beating"] == [0]  # three aces are not left
    assert row(view, lay("7R"))["beating"] == [8]  # many
    rows = on_turn(HAND, played="8R 8G 8B 8S 9R 9G 9B 9S Ph")
    assert row(rows, lay("3R 4G 5B 6S 7R"))["beating"] == [1]  # T J Q K A
    with_phoenix = on_turn(HAND, played="8R 8G 8B 8S 9R 9G 9B 9S")
    # 4 to 8 and 9 to K with the Phoenix for 8 or 9; T to A.
    assert row(with_phoenix, lay("3R 4G 5B 6S 7R"))["beating"] == [3]


def test_gifts_wishes_and_answers_have_places() -> None:
    view = on_turn(HAND)
    view.given[0, :2] = card("3R") + 1, card("4G") + 1
    got = row(view, int(other_action(GIVE, 1 << card("Dr"))))
    assert (got["gift"], got["rest_cards"]) == ([2, 16], [9])
    view = on_turn(HAND)
    assert row(view, int(other_action(WISH, 13)))["wish"] == [12, 1]  # one king is unseen
    assert row(view, int(other_action(WISH, 0)))["wish"] == [0, 0]
    assert row(view, int(other_action(PASS, 0)))["answer"] == [0]
    assert row(view, int(other_action(CALL, TICHU)))["answer"] == [4]
    assert row(view, int(other_action(DRAGON_TO, 3)))["answer"] == [6]


def test_rows_show_wishes_fulfilled_and_hands_of_the_same_size() -> None:
    view = on_turn(HAND)
    view.wish = 13
    view.played[2] = cards("2R 2G 2B 2S 3G 3B 3S 4R 4B 4S 5R 5G")  # two cards left
    got = row(view, lay("KR KG"))
    assert (got["fulfils"], got["as_many"]) == ([0], [1])
    assert row(view, lay("AS"))["fulfils"] == []


def test_the_rows_of_a_view_are_sparse_but_tell_hands_apart() -> None:
    view = on_turn(HAND)
    out = np.full(CANDIDATES_ENCODING.size, np.nan, np.float32)
    observe(view, 0, CANDIDATES_ENCODING.record, out)
    parts = CANDIDATES_ENCODING.parts(out)
    assert parts["hand"].sum() == 12
    assert parts["unseen"].sum() == 56 - 12
    assert parts["table"][0, 0] == 1
    assert np.argmax(parts["cards"], axis=1).tolist() == [14, 14, 14, 14]
    assert np.flatnonzero(parts["hand"][4 * 11 :]).tolist() == [0, 1, 2, 4, 8, 11]  # KKK A Ma Dr


def test_plans_tell_what_the_hand_costs_and_what_an_action_leaves_of_it() -> None:
    game, encoding = FULL, FULL.encodings["plans"]
    plain = FULL.encodings["candidates"]
    table = game.deal(seed=3)
    views, seats = np.array([table.view(1)], game.rules.STATE), np.array([1])
    parts = encoding.parts(encoding.observe(views, seats)[0])
    costs = np.empty(planning.TABLE)
    planning.estimate(views[0], 1, make_policy(FIRST), costs)
    cost = planning.plan_cost(views[0], views[0].hand[1], costs)
    step = int((cost + 3) / 0.25)
    assert 0 < step < 31
    assert np.flatnonzero(parts["plan"]).tolist() == [step]
    legal = list_legal(views, seats)
    rows = encoding.observe_candidates(views, seats, legal)
    assert (rows[:, : plain.candidate_size] == plain.observe_candidates(views, seats, legal)).all()
    for row in rows:  # a call leaves the hand as it is
        assert np.flatnonzero(encoding.candidate_parts(row)["rest_plan"]).tolist() == [step]


def test_the_oracle_has_ranks_and_plans_of_all_hands() -> None:
    table, oracle = FULL.deal(seed=3), FULL.oracle
    assert oracle is not None
    states = np.array([table.state], FULL.rules.STATE)
    parts = oracle.parts(oracle.observe(states, np.array([2]))[0])
    assert parts["ranks"].sum(axis=1).tolist() == [14] * 4
    assert parts["plans"].sum(axis=1).tolist() == [1] * 4


def test_good_hands_call_on_purpose_as_often_as_is_said() -> None:
    calls, table = EXPLORERS["calls"].copy(), FULL.deal(seed=3)
    view, rngs = table.view(1), [derive(1, Purpose.PLAYOUT, k) for k in range(400)]
    calls.grand, calls.grand_from = 0.25, strength(view.hand[1])
    urges = [urge(view, 1, calls, rng) for rng in rngs]
    assert set(urges) == {NO_ACTION, other_action(CALL, GRAND)}
    assert 70 <= 400 - urges.count(NO_ACTION) <= 130
    calls.grand_from += 0.25
    assert {urge(view, 1, calls, rng) for rng in rngs} == {NO_ACTION}
