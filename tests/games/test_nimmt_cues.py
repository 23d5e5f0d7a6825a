"""What `best` looks at, and the turns that it plays in its head."""

import numpy as np
import pytest

import kibitz
from kibitz.core.game import Actions, States
from kibitz.core.kernels import wrapping_kernel
from kibitz.core.rng import RNG, derive
from kibitz.games.nimmt.cues import (
    BANDS,
    COSTS,
    CROWDS,
    N_BAND,
    N_CARD,
    N_CROWD,
    N_CUES,
    N_GAP,
    N_PRICE,
    NO_CUE,
    VALUE_CUES,
    write_all_cues,
)
from kibitz.games.nimmt.features import CUES_LAYOUT
from kibitz.games.nimmt.lookahead import (
    ARM,
    NO_NUMBER,
    ROOT,
    Desk,
    Judgement,
    lay_down,
    make_desk,
    make_notions,
    place_cards,
    play_card,
    search_all,
)

GAME = kibitz.load_game("nimmt:players=5")

# The rows end with 12, 31, 58 and 90; the second has five cards with 7 heads.
ROWS = [[12], [23, 24, 26, 30, 31], [57, 58], [90]]
HAND = [5, 14, 33, 35]


def drawn_view() -> States:
    """Return a view of seat 0 with four cards, drawn by hand."""
    states = GAME.blank(1)
    view = states[0]
    view.phase, view.turn, view.rounds, view.deciding = 1, 6, 1, 31
    heads = {30: 3, 90: 3}
    for row, cards in enumerate(ROWS):
        view.board[row, : len(cards)] = cards
        view.length[row] = len(cards)
        view.heads[row] = sum(heads.get(card, 1) for card in cards)
    view.hand[0, : len(HAND)] = HAND
    gone = [card for cards in ROWS for card in cards] + [1, 2, 13, 32, 34, 40, 41, 42]
    for card in gone:
        view.seen[card >> 6] |= np.uint64(1) << np.uint64(card & 63)
    return states


def crowd(n_unseen: int) -> int:
    """Return the class of a crowd: 104 - 17 seen - 4 own = 83 hidden, four others."""
    expected = n_unseen * 4 / 83
    bounds = [0.1, 0.2, 0.3, 0.45, 0.6, 0.8, 1.0, 1.25, 1.5, 1.8, 2.2, 2.7, 3.4, 4.5]
    return 0 if n_unseen == 0 else 1 + sum(int(expected * 20) / 20 >= bound for bound in bounds)


def test_cues_of_cards_by_hand() -> None:
    out = np.zeros((1, VALUE_CUES), np.int32)
    write_all_cues(drawn_view(), np.zeros(1, np.int64), out)
    cues = out[0, :12].reshape(4, 3).tolist()
    stage = 3 * 6  # four cards in hand, so the fourth part of every table
    # 5 is below all rows: 3 and 4 are lower and unseen; the cheapest row has 1 head.
    assert cues[0][0] == ((stage + 0) * CROWDS + crowd(2)) * COSTS + 0
    assert cues[0][1] == N_CROWD + (stage + 0) * BANDS + 0
    # 14 follows 12, and nothing is between: 13 is gone. The row costs 1.
    assert cues[1][0] == ((stage + 1) * CROWDS + 0) * COSTS + 0
    # 33 goes to the full row, of 7 heads; 32 is gone, so the gap is empty. 35 is in the same gap.
    assert sum({30: 3}.get(card, 1) for card in ROWS[1]) == 7
    assert cues[2][0] == ((stage + 5) * CROWDS + 0) * COSTS + 1
    assert cues[2][2] == N_CROWD + N_BAND + ((stage + 5) * 3 + 0) * 3 + 1
    # 35 has the own 33 before it; 32 and 34 are gone, so no card of the others can be between.
    assert cues[3][0] == ((stage + 5) * CROWDS + 0) * COSTS + 1
    assert cues[3][2] == N_CROWD + N_BAND + ((stage + 5) * 3 + 1) * 3 + 0


def test_cues_of_rows_by_hand() -> None:
    out = np.zeros((1, VALUE_CUES), np.int32)
    write_all_cues(drawn_view(), np.zeros(1, np.int64), out)
    cues = out[0, 12:21].tolist()
    assert (out[0, 21:] == NO_CUE).all()
    # The row of 12: one card, one own card in its gap, 15 to 22 and 25, 27, 28, 29 unseen.
    at = (3 * 5 + 0) * 4 + 1
    assert cues[0] == N_CARD + at * CROWDS + crowd(12)
    assert cues[1] == N_CARD + N_GAP + at * 8 + 0
    # Below all rows: 3, 4 and 6 to 11 unseen, one own card, the cheapest row costs 1.
    at = (3 * CROWDS + crowd(8)) * 4 + 1
    assert cues[8] == N_CARD + N_GAP + N_PRICE + at * 6 + 0


def test_the_encoding_marks_the_same_cues() -> None:
    view = drawn_view()
    out = np.zeros((1, VALUE_CUES), np.int32)
    write_all_cues(view, np.zeros(1, np.int64), out)
    encoding = GAME.encodings["cues"]
    parts = encoding.parts(encoding.observe(view, np.zeros(1, np.int64))[0])
    expected = np.zeros(N_CUES)
    np.add.at(expected, out[0][out[0] != NO_CUE], 1)
    np.testing.assert_array_equal(parts["cues"], expected)
    assert parts["count"].argmax() == 3  # five players
    assert [name for name, _ in CUES_LAYOUT] == ["cues", "lost", "count"]


@wrapping_kernel
def lay(views: States, desk: Desk) -> None:
    """Put a state on a desk."""
    lay_down(views[0], 0, 1, desk)


@wrapping_kernel
def place(desk: Desk, cards: Actions) -> None:
    """Play a turn in the root world of a desk."""
    world = desk.worlds[ROOT]
    for seat in range(len(cards)):
        play_card(world, seat, cards[seat])
    place_cards(world, NO_NUMBER)
    world.n_cards -= 1


@pytest.mark.parametrize("players", [2, 5, 10])
def test_turns_in_the_head_are_those_of_the_rules(players: int) -> None:
    game = kibitz.load_game(f"nimmt:players={players},rows=lowest")
    draws = np.random.default_rng(players)
    for deal in range(20):
        table, desk = game.deal(seed=deal), make_desk()
        states = game.blank(1)
        states[0] = table.state
        lay(states, desk)
        while not table.is_over:
            cards = [int(draws.choice(table.legal(seat))) for seat in range(players)]
            for seat, card in enumerate(cards):
                table.play(seat, card)
            if table.is_over:  # the last cards are played without asking
                break
            place(desk, np.array(cards))
            world, state = desk.worlds[ROOT], table.state
            np.testing.assert_array_equal(world.lost, state.taken)
            ends = sorted(int(state.board[row, state.length[row] - 1]) for row in range(4))
            assert [int(world.ends) >> 16 * row & 0xFFFF for row in range(4)] == ends
            lanes = [int(world.lanes) >> 16 * place & 0xFFFF for place in range(4)]
            for lane in lanes:
                row = lane & 3
                assert (lane >> 8, lane >> 2 & 63) == (state.length[row], state.heads[row])
            for word in range(2):
                assert not int(world.unseen[word]) & int(state.seen[word])


def test_a_search_prefers_what_costs_nothing() -> None:
    # Two cards are left: 14 fits behind 12 with no card between, 33 takes the row of 7 heads.
    views = drawn_view()
    view = views[0]
    view.hand[0, :4] = [14, 33, 0, 0]
    view.turn = 8
    found, desk = np.zeros((1, 10), ARM), make_desk()
    rngs = np.zeros(1, RNG)
    rngs[0] = derive(1, 2)
    blank = Judgement(np.ones((3, N_CARD), np.float32), np.zeros(N_CUES, np.float32))
    search_all((views, np.zeros(1, np.int64), rngs, make_notions(1)), (1, 400), desk, blank, found)
    assert found[0]["choice"][:2].tolist() == [14, 33]
    safe, costly = found[0]["heads_sum"][:2] / found[0]["tries"][:2]
    assert safe < 1 < 3 < costly
