"""Encodings of Sheephead: what every number means."""

import math
import random
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest

from kibitz.core.encoding import Encoding
from kibitz.core.game import action_index, observe, observe_action
from kibitz.core.kernels import COMPILED
from kibitz.core.registry import load_game
from kibitz.core.table import Table
from kibitz.games.sheephead.cards import CARDS, N_ACTIONS, NAMES
from kibitz.games.sheephead.features import ENCODINGS, FULL, PAPER
from kibitz.games.sheephead.state import PLAYING
from kibitz.games.sheephead.words import members, parse_card
from kibitz.testing import Subject, some_positions
from tests.games.sheephead_hands import SPECS, at, cards

PREDICTOR = ENCODINGS["predictor"]

HANDS = {
    0: "QC QS JD 9C KS 8S",
    1: "AD 9D AC 10C KC 7C",
    2: "joker AS 9S AH KH 9H",
    3: "KD 8D 8C 10S 7S 10H",
    4: "QH QD JC JS JH 10D",
}
CALLED = ("pick", "bury 7H 8H", "call AC")
FIRST = ("KS", "AD", "9S", "7S", "10D")  # seat 1 takes it
SECOND = ("9D", "joker", "8D", "JH", "JD")  # seat 2
THIRD = ("9H", "10H", "QD", "8S", "KC")  # seat 4
FOURTH = ("JC", "QC", "7C", "KH")  # seat 3 is to play


def table_after(*actions: str, spec: str = "sheephead") -> Table:
    """Deal HANDS and let seats in turn do this."""
    return at(HANDS, *actions, blind="7H 8H", spec=spec)


def read(encoding: Encoding, view: np.record, seat: int) -> dict[str, Any]:
    """Write the features of a view, by name and rounded."""
    out = np.full(encoding.size, np.nan, np.float32)
    observe(view, seat, encoding.record, out)
    return {name: part.round(5).tolist() for name, part in encoding.parts(out).items()}


def seen(encoding: Encoding, table: Table, seat: int) -> dict[str, Any]:
    """Write what a seat sees at a table."""
    return read(encoding, table.view(seat), seat)


def on(*words: str) -> list[float]:
    """Return 32 numbers: 1 for these cards."""
    marked = [parse_card(word) for word in words]
    return [float(card in marked) for card in range(CARDS)]


def test_sizes_are_those_of_the_tables() -> None:
    assert (PAPER.size, PREDICTOR.size) == (26, 26)
    assert list(ENCODINGS) == [
        "paper",
        "predictor",
        "predictor-2",
        "predictor-3",
        "predictor-4",
        "full",
        "insight",
    ]
    assert all(encoding.n_actions == N_ACTIONS == 637 for encoding in ENCODINGS.values())


def test_actions_have_their_own_numbers() -> None:
    state = load_game("sheephead").blank(1)[0]
    for encoding in ENCODINGS.values():
        for action in range(N_ACTIONS):
            assert action_index(state, 0, action, encoding.record) == action


def test_table_1_counts_suits_played_or_held() -> None:
    got = seen(PAPER, table_after(*CALLED, *FIRST, *SECOND[:2]), 3)
    # KD 8D | AD 9D joker 10D; 8C; 10S | KS 9S 7S; 10H
    assert [got[suit] for suit in ("trump", "clubs", "spades", "hearts")] == [[6], [1], [4], [1]]
    picker = seen(PAPER, table_after(*CALLED, *FIRST), 0)
    assert (picker["hearts"], picker["trump"]) == ([2], [5])  # the bury; QC QS JD | AD 10D


def test_table_1_tells_who_can_have_trump() -> None:
    table = table_after(*CALLED, *FIRST, *SECOND, *THIRD, *FOURTH)
    assert seen(PAPER, table, 3)["has_trump"] == [1, 1, 0, 0]  # seats 4, 0, 1, 2
    assert seen(PAPER, table, 4)["has_trump"] == [1, 0, 0, 1]  # seats 0, 1, 2, 3: QS KD unseen
    assert seen(PAPER, table_after(), 0)["has_trump"] == [1, 1, 1, 1]


def test_nobody_has_trump_when_all_are_seen() -> None:
    view = table_after(*CALLED).view(0)
    view.hand[0], view.played[1] = cards("QC"), cards("joker QS QH QD JC JS JH JD AD 10D KD 9D 8D")
    got = read(PAPER, view, 0)
    assert (got["trump"], got["has_trump"]) == ([14], [0, 0, 0, 0])


def test_table_1_has_the_status_of_queens_joker_and_jacks() -> None:
    table = table_after(*CALLED, *FIRST, *SECOND[:2])
    assert seen(PAPER, table, 0)["status"] == [0, 1, 0, -1, -1, -1, -1, -1, 0]
    assert seen(PAPER, table, 3)["status"] == [-1, 1, -1, -1, -1, -1, -1, -1, -1]
    assert seen(PAPER, table, 4)["status"] == [-1, 1, -1, 0, 0, 0, 0, 0, -1]


def test_table_1_tells_who_leads() -> None:
    table = table_after(*CALLED, *FIRST, "9D")
    assert seen(PAPER, table, 1)["leads"] == [1, 0, 0, 0, 0]
    assert seen(PAPER, table, 3)["leads"] == [0, 0, 0, 1, 0]
    assert seen(PAPER, table_after(), 4)["leads"] == [0, 1, 0, 0, 0]  # will lead


def test_table_1_has_nine_states_of_ace_and_ten() -> None:
    table = table_after(*CALLED, *FIRST)
    assert seen(PAPER, table, 1)["ace_and_ten"] == [8, 4, 0, 0]  # both played, both held
    assert seen(PAPER, table, 3)["ace_and_ten"] == [8, 0, 1, 1]
    assert seen(PAPER, table, 2)["ace_and_ten"] == [8, 0, 3, 3]
    buried = table_after("pick", "bury KS 7H", "alone")
    assert seen(PAPER, buried, 0)["ace_and_ten"] == [0, 0, 0, 0]


def test_opponents_sit_where_the_places_say() -> None:
    table = table_after(*CALLED, *FIRST, "9D")
    view = table.view(1)
    view.left = [2, 3, 1, 4, 0]  # 1 3 4 0 2
    view.leader = 4
    assert read(PAPER, view, 1)["leads"] == [0, 0, 1, 0, 0]
    assert read(PREDICTOR, view, 1)["leader"] == [2]


def test_table_2_expects_the_same_of_all_while_nothing_is_shown() -> None:
    got = seen(PREDICTOR, table_after(*CALLED, "KS"), 1)
    p = 6 / 25  # six of 25 unseen cards
    assert got["spades"] == pytest.approx([3 * p, 2 * p])  # 9 8 7 below the king, A 10 above
    assert got["trump"] == got["clubs"] == got["hearts"] == [0, 0]
    assert got["high_trump"] == pytest.approx([p] * 9)
    assert got["aces"] == pytest.approx([0, 0, p, p])  # diamonds and clubs are the agent's
    assert got["tens"] == pytest.approx([p, 0, p, p])
    assert got["leader"] == [4]


@pytest.mark.parametrize(
    ("led", "suit", "weaker", "stronger"),
    [
        ("JD", "trump", ["10D", "KD", "8D"], ["QC", "joker", "QH", "QD", "JC", "JS", "JH"]),
        ("9C", "clubs", ["8C"], []),
        ("8S", "spades", ["7S"], ["AS", "10S", "9S", "KS"]),
    ],
)
def test_table_2_counts_cards_of_the_suit_led(
    led: str, suit: str, weaker: list[str], stronger: list[str]
) -> None:
    table = table_after("pick", "bury QS KS", "alone", led)
    got = seen(PREDICTOR, table, 1)
    n_stronger = len(stronger) + (led == "JD")  # and QS, of which seat 1 does not know
    p = 6 / 25
    assert got[suit] == pytest.approx([len(weaker) * p, n_stronger * p])
    others = {"trump", "clubs", "spades", "hearts"} - {suit}
    assert all(got[other] == [0, 0] for other in others)


def test_table_2_counts_hearts_and_knows_that_a_trump_beats_them() -> None:
    table = table_after(*CALLED, *FIRST, *SECOND, "9H", "10H")
    got = seen(PREDICTOR, table, 4)  # about seat 0, the picker
    # Unseen: 32 - 4 of its own - 12 played = 16: 4 cards with seat 0, 1; 4 and 3 with 2, 3; bury
    assert got["hearts"][1] > 0  # the ace
    trumped = table_after(*CALLED, *FIRST, *SECOND, "9H", "10H", "QD")
    assert seen(PREDICTOR, trumped, 0)["hearts"][1] == 0


def test_who_is_out_of_a_suit_is_expected_to_have_none_of_it() -> None:
    table = table_after(*CALLED, *FIRST, *SECOND, *THIRD, *FOURTH)
    for k, name in enumerate(("predictor", "predictor-2", "predictor-3", "predictor-4")):
        got = seen(ENCODINGS[name], table, 3)  # seats 4, 0, 1, 2
        assert (sum(got["trump"]) > 0) == (k < 2)
        assert (sum(got["high_trump"]) > 0) == (k < 2)
    total = sum(sum(seen(ENCODINGS[name], table, 3)["trump"]) for name in list(ENCODINGS)[1:5])
    assert 1 < total < 3  # QS QH JS are out, some of them perhaps buried


def test_the_called_card_is_with_none_who_cannot_have_it() -> None:
    table = table_after(*CALLED)
    assert seen(PREDICTOR, table, 4)["aces"][1] == 0  # seat 0, the picker
    assert seen(ENCODINGS["predictor-2"], table, 4)["aces"][1] == pytest.approx(1 / 3, abs=1e-4)
    assert seen(PREDICTOR, table, 0)["aces"][1] == pytest.approx(1 / 4)


def test_nola_counts_by_its_own_suits_and_ranks() -> None:
    table = table_after(*("pass",) * 5, "QS")
    got = seen(PREDICTOR, table, 1)
    p = 6 / 25
    assert got["spades"] == pytest.approx([5 * p, 2 * p])  # J 10 9 8 7 below the queen, A K above
    table = table_after(*("pass",) * 5, "JD")
    assert seen(PREDICTOR, table, 1)["trump"] == pytest.approx([3 * p, 2 * p])  # 10 8 joker, Q K


@cache
def _tables(
    rows: tuple[int, ...], allowed: tuple[tuple[int, ...], ...], room: tuple[int, ...]
) -> int:
    """Count the deals of rows of cards to places with so much room."""
    if not rows:
        return int(not any(room))
    return sum(
        math.factorial(rows[0]) // math.prod(map(math.factorial, split))
        * _tables(rows[1:], allowed[1:], tuple(r - n for r, n in zip(room, split, strict=True)))
        for split in _splits(rows[0], allowed[0], room)
    )  # fmt: skip


def _splits(n: int, allowed: tuple[int, ...], room: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Enumerate how many of n cards go to each place."""
    if not room:
        if n == 0:
            yield ()
        return
    for here in range(min(n, room[0]) + 1 if allowed[0] else 1):
        for rest in _splits(n - here, allowed[1:], room[1:]):
            yield (here, *rest)


def exact_chances(view: np.record, seat: int, card: int) -> list[float]:
    """Return the probability that each opponent holds a card, by counting deals."""
    order = [seat]
    for _ in range(4):
        order.append(int(view.left[order[-1]]))
    gone = sum(int(pile) for pile in view.played) | int(view.buried) | int(view.hand[seat])
    unseen = [other for other in members(~gone & (1 << 32) - 1)]
    groups = [[], [], [], [], []]  # type: list[list[int]]
    for other in unseen:
        groups[4 if view.called == other + 1 else min(other // 6, 3)].append(other)
    room = [6 - int(view.tricks_played) - bool(view.laid[other]) for other in order[1:]]
    room.append(len(unseen) - sum(room))
    allowed = [
        tuple(1 - (int(view.void[other]) >> suit & 1) for other in order[1:]) + (1,)
        for suit in range(4)
    ]
    called = (int(view.called) - 1) // 6
    free = [1 - (int(view.without) >> other & 1) for other in order[1:]] + [0]
    allowed.append(tuple(a & b for a, b in zip(allowed[called], free, strict=True)))
    row = next(i for i, group in enumerate(groups) if card in group)
    sizes = [len(group) for group in groups]
    every = _tables(tuple(sizes), tuple(allowed), tuple(room))
    sizes[row] -= 1
    chances = []
    for place in range(4):
        fewer = list(room)
        fewer[place] -= 1
        is_able = allowed[row][place] and fewer[place] >= 0
        ways = _tables(tuple(sizes), tuple(allowed), tuple(fewer)) if is_able else 0
        chances.append(ways / every)
    return chances


def test_probabilities_are_close_to_exact() -> None:
    rng, errors = random.Random(6), []
    for table in some_positions(Subject("sheephead", games=20), 6, 120):
        state = table.state
        if state.phase != PLAYING or state.face_down or not table.movers:
            continue
        view = table.view(table.movers[0])
        seat = table.movers[0]
        names = ("joker", "QH", "JS", "AS", "10H")
        name = rng.choice(names)
        card = parse_card(name)
        gone = sum(int(pile) for pile in view.played) | int(view.buried) | int(view.hand[seat])
        if gone >> card & 1:
            continue
        part, place = {
            "joker": ("high_trump", 1), "QH": ("high_trump", 3), "JS": ("high_trump", 6),
            "AS": ("aces", 2), "10H": ("tens", 3),
        }[name]  # fmt: skip
        exact = exact_chances(view, seat, card)
        fitted = [
            read(encoding, view, seat)[part][place] for encoding in list(ENCODINGS.values())[1:5]
        ]
        errors += [abs(a - b) for a, b in zip(exact, fitted, strict=True)]
    assert len(errors) > (100 if COMPILED else 4)
    assert max(errors) < 0.02
    assert sum(errors) / len(errors) < 0.001


def test_the_complete_encoding_knows_the_cards() -> None:
    table = table_after(*CALLED, *FIRST, "9D", "joker")
    got = seen(FULL, table, 3)
    assert got["hand"] == on("KD", "8D", "8C", "10S", "10H")
    assert sum(got["unseen"]) == 32 - 5 - 7
    assert got["buried"] == got["unknown"] == on()
    assert got["played"] == [on("7S"), on("10D"), on("KS"), on("AD", "9D"), on("9S", "joker")]
    assert got["laid"] == [on(), on(), on(), on("9D"), on("joker")]
    assert got["last"] == [on("7S"), on("10D"), on("KS"), on("AD"), on("9S")]
    assert (got["led"], got["trick"]) == ([0, 0, 0, 1], [0])
    assert (got["leader"], got["winner"]) == ([0, 0, 0, 1, 0], [0, 0, 0, 0, 1])
    assert (got["turn"], got["last_winner"]) == ([1, 0, 0, 0, 0], [0, 0, 0, 1, 0])
    assert got["dealer"] == [0, 1, 0, 0, 0]
    assert got["void"] == [[0] * 4, [0, 1, 0, 0], [0] * 4, [0, 1, 0, 0], [0] * 4]
    assert got["cards"] == [5 / 8, 5 / 8, 5 / 8, 4 / 8, 4 / 8]
    assert got["tricks"] == pytest.approx([0, 0, 0, 1 / 6, 0], abs=1e-4)
    assert got["points"] == pytest.approx([0, 0, 0, 25 / 120, 0], abs=1e-4)
    assert got["sides"] == [0, 0]  # whose side seat 1 is on is not known
    picker = seen(FULL, table, 0)
    assert picker["buried"] == on("7H", "8H")
    assert picker["own_bury"] == [0]
    assert sum(picker["unseen"]) == 32 - 5 - 7 - 2


def test_the_complete_encoding_knows_roles_and_the_called_card() -> None:
    table = table_after(*CALLED)
    for seat, role in ((0, 0), (1, 1), (2, 2)):
        got = seen(FULL, table, seat)
        assert got["role"] == [float(role == k) for k in range(4)]
        assert got["called"] == [1, 0, 0, 0, 0, 0]
        assert (got["revealed"], got["called_led"], got["alone"]) == ([0], [0, 0], [0])
        assert got["picker"][-seat % 5] == 1
    assert seen(FULL, table, 1)["partner"] == [1, 0, 0, 0, 0]
    assert seen(FULL, table, 2)["partner"] == [0, 0, 0, 0, 0]
    table = table_after(*CALLED, "9C", "AC")
    got = seen(FULL, table, 2)
    assert (got["partner"], got["revealed"], got["called_led"]) == ([0, 0, 0, 0, 1], [1], [1, 1])
    assert got["without"] == [0, 0, 0, 1, 0]
    alone = seen(FULL, table_after("pick", "bury 7H KS", "alone"), 0)
    assert (alone["alone"], alone["own_bury"]) == ([1], [pytest.approx(4 / 120, abs=1e-4)])
    ten = at({0: "QC QS AC AS AH 10H"}, "pick", "bury QS 8D", "call 10S", blind="7C 8D")
    assert seen(FULL, ten, 0)["called"] == [0, 0, 0, 0, 1, 0]


def test_the_complete_encoding_counts_the_points_of_both_sides() -> None:
    trick = ("9C", "AC", "9H", "8C", "QH")  # seat 4, an opponent, trumps the ace
    table = table_after(*CALLED, *trick)
    for seat, sides in ((0, [0, 14]), (1, [0, 14]), (2, [14, 0]), (4, [14, 0])):
        got = seen(FULL, table, seat)["sides"]
        assert got == pytest.approx([points / 120 for points in sides], abs=1e-4)


def test_the_complete_encoding_knows_of_an_unknown_card() -> None:
    hands = {0: "QC QS JD JC AC 10C", 1: "AS 7S KC 7C KH 8H", 2: "joker 9H AH 8S 9S KS"}
    calls = ("pick", "bury 8D 9D", "unknown JD call AS")
    table = at(hands, *calls, blind="8D 9D")
    assert seen(FULL, table, 0)["unknown"] == on("JD")
    got = seen(FULL, table, 1)
    assert (got["unknown"], got["unknown_is"]) == (on(), [1, 0])
    for action in ("JC", "7C", "joker", "KD", "AD", "8S", "10S", "QD", "JD"):
        table.play(table.movers[0], action)
    got = seen(FULL, table, 1)
    assert (got["unknown_is"], got["face_down"][0]) == ([0, 1], [0, 0, 0, 0, 1])
    assert got["laid"][4] == on()
    assert seen(FULL, table, 0)["laid"][0] == on("JD")


def test_the_complete_encoding_knows_how_the_hand_pays() -> None:
    table = table_after(*CALLED, "crack", spec="sheephead:crack=true,hands=20")
    got = seen(FULL, table, 0)
    assert (got["doublings"], got["doubled"], got["hands_left"]) == (
        [pytest.approx(0.2)],
        [0],
        [1],
    )
    assert got["phase"] == [0, 0, 0, 0, 1, 0, 0, 0]
    view = table.view(0)
    view.doubled, view.cracks, view.dealt = 3, 2, 15
    view.money = [10, -5, 0, 15, -20]
    got = read(FULL, view, 1)
    assert (got["doublings"], got["doubled"]) == ([pytest.approx(0.6)], [pytest.approx(0.6)])
    assert got["hands_left"] == [pytest.approx(0.6)]
    assert got["money"] == pytest.approx([-0.05, 0, 0.15, -0.2, 0.1])


def test_the_complete_encoding_knows_queens_that_were_shown() -> None:
    actions = (*CALLED, "pass", "pass", "pass", "blitz red", "blitz black")
    table = table_after(*actions, spec="sheephead:blitz=true")
    got = seen(FULL, table, 3)
    assert got["shown"] == [on(), on("QH", "QD"), on("QC", "QS"), on(), on()]
    assert got["doublings"] == [pytest.approx(0.4)]
    table.play(0, "QC")
    assert seen(FULL, table, 3)["shown"][2] == on("QS")


def test_the_complete_encoding_has_open_cards() -> None:
    got = seen(FULL, table_after(*CALLED, spec="sheephead:open=true"), 1)
    assert got["shown"] == [on(*HANDS[seat].split()) for seat in (1, 2, 3, 4, 0)]


@pytest.mark.parametrize("spec", SPECS)
def test_the_complete_encoding_has_the_options_and_the_phase(spec: str) -> None:
    game = load_game(spec)
    got = seen(FULL, game.deal(1), 0)
    names = ("bump", "lead_called", "slough", "underlead", "unknown", "bury", "called_ten")
    flags = [game.options[name] for name in (*names, "stack", "blitz", "crack", "open")]
    assert got["options"][5:] == [float(value in ("true", "fail", "top")) for value in flags]
    rules = ("nola", "leaster", "doubler", "redeal", "forced")
    assert got["options"][:5] == [float(game.options["pass"] == rule) for rule in rules]
    assert got["phase"] == [1, 0, 0, 0, 0, 0, 0, 0]
    assert sum(got["passed"]) == 0


def test_nola_is_played_by_everybody_for_himself() -> None:
    got = seen(FULL, table_after(*("pass",) * 5), 2)
    assert (got["role"], got["phase"]) == ([0, 0, 0, 1], [0, 0, 0, 0, 0, 0, 1, 0])
    assert got["passed"] == [1] * 5


@pytest.mark.parametrize("encoding", ENCODINGS.values(), ids=ENCODINGS)
@pytest.mark.parametrize("spec", SPECS)
def test_every_number_is_written_and_small(spec: str, encoding: Encoding) -> None:
    most = {"paper": 14, "full": 1}.get(encoding.name, 8)
    for table in some_positions(Subject(spec, games=2), 8, 15):
        for seat in table.movers:
            out = np.full(encoding.size, np.nan, np.float32)
            observe(table.view(seat), seat, encoding.record, out)
            assert np.isfinite(out).all()
            parts = encoding.parts(out)
            assert all((abs(parts[name]) <= most).all() for name in parts if name != "money")


def row(table: Table, word: str) -> dict[str, list[float]]:
    """Write the row of what the seat to move may do, by name."""
    seat = table.seat_to_move
    assert seat is not None
    action = table.game.text.parse_action(table.state, seat, word)
    out = np.full(FULL.candidate_size, np.nan, np.float32)
    observe_action(table.view(seat), seat, action, FULL.record, out)
    return {name: part.tolist() for name, part in FULL.candidate_parts(out).items()}


def told(table: Table, word: str) -> tuple[int, int, int]:
    """Describe what the seat to move may do."""
    seat = table.seat_to_move
    assert seat is not None
    action = table.game.text.parse_action(table.state, seat, word)
    return table.game.describe(table.state, seat, action)


def test_actions_are_described_by_what_is_done_with_which_cards() -> None:
    seven, eight, ace = (NAMES.index(name) for name in ("7H", "8H", "AC"))
    assert told(table_after(), "pick") == (2, 0, 0)
    assert told(table_after(), "pass") == (1, 0, 0)
    assert told(table_after("pick"), "bury 7H 8H") == (7, seven, eight)
    assert told(table_after(*CALLED[:2]), "alone") == (3, 0, 0)
    assert told(table_after(*CALLED[:2]), "call AC") == (4, 0, ace)
    king = NAMES.index("KS")
    assert told(table_after(*CALLED), "KS") == (0, 1, king)


def test_rows_of_cards_say_what_they_do_in_the_trick() -> None:
    led = row(table_after(*CALLED), "KS")
    assert (led["wins"], led["follows"]) == ([1], [0])
    assert led["points"] == pytest.approx([4 / 22])
    assert led["cards"] == on("KS")
    trump = row(table_after(*CALLED, "KS"), "AD")
    assert (trump["wins"], trump["follows"]) == ([1], [0])
    low = row(table_after(*CALLED, "KS", "AD"), "9S")
    assert (low["wins"], low["follows"], low["points"]) == ([0], [1], [0])
    bury = row(table_after("pick"), "bury 7H 8H")
    assert (bury["cards"], bury["points"]) == (on("7H", "8H"), [0])
