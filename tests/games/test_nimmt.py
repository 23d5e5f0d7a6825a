"""6 nimmt!: against the slow reference, rule by rule, and what each seat may know."""

import random
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
import pytest
from rich.console import Console
from scipy import stats

from kibitz.core.errors import IllegalAction, PositionError, SpecError
from kibitz.core.game import (
    SPECTATOR,
    Scores,
    States,
    action_index,
    apply,
    choose,
    conceal,
    deal,
    is_legal,
    is_over,
    legal,
    movers,
    observe_action,
    random_action,
    scores,
)
from kibitz.core.kernels import COMPILED, kernel
from kibitz.core.registry import load_agent, load_game
from kibitz.core.rng import Rng, derive
from kibitz.core.table import Game
from kibitz.games.nimmt import GAME, text
from kibitz.games.nimmt.bots import HighestAgent
from kibitz.games.nimmt.features import FULL, PAPER
from kibitz.games.nimmt.state import BULL_HEADS, CHOOSING, OVER, STATE, TAKING, WAITING
from tests.reference.nimmt import ReferenceGame

# Games per spec in the comparison with the reference: 10,000 in all.
COMPARED = {
    "nimmt:players=2,rows=free": 2000,
    "nimmt:players=2,rows=lowest": 2000,
    "nimmt:players=2,hands=open,deck=known": 1500,
    "nimmt:players=3,rows=free,deck=known": 1200,
    "nimmt:players=3,draft=true": 500,
    "nimmt:players=4,rows=lowest,hands=open": 800,
    "nimmt:players=5,rows=free": 600,
    "nimmt:players=6,rows=free,deck=known": 400,
    "nimmt:players=7,rows=lowest": 250,
    "nimmt:players=8,rows=free": 200,
    "nimmt:players=9,rows=free": 150,
    "nimmt:players=10,rows=free": 120,
    "nimmt:players=10,rows=lowest": 100,
    "nimmt:players=10,draft=true,rows=lowest": 20,
    "nimmt:players=2,match=66": 60,
    "nimmt:players=3,match=66,rows=lowest": 40,
    "nimmt:players=4,match=66,draft=true": 15,
    "nimmt:players=5,match=66": 30,
    "nimmt:players=10,match=66,rows=free": 15,
}
SPECS = list(COMPARED)
HEADS: list[int] = BULL_HEADS.tolist()


def compared_games(spec: str) -> int:
    return COMPARED[spec] if COMPILED else max(1, COMPARED[spec] // 50)


def heads(cards: Iterable[int]) -> int:
    return sum(HEADS[card] for card in cards)


def write(groups: Iterable[Sequence[int]]) -> str:
    return "/".join(".".join(map(str, group)) or "-" for group in groups)


def ending(
    spec: str,
    rows: Sequence[Sequence[int]],
    hands: Sequence[Sequence[int]],
    in_all: Sequence[int] | None = None,
) -> np.record:
    """Set up the end of a round; cards seen earlier are swept, and seat 0 has taken them.

    Args:
        spec: the game.
        rows: the rows.
        hands: all hands; their size tells the turn.
        in_all: heads of this round and one earlier one, by seat; without it there is none.
    """
    n, turn = len(hands), 10 - len(hands[0])
    used = {card for cards in [*rows, *hands] for card in cards}
    unused = [card for card in range(1, 105) if card not in used]
    n_swept = 4 + n * turn - sum(map(len, rows))
    swept = unused[:n_swept]
    taken = [heads(swept), *[0] * (n - 1)]
    last = (swept + [card for row in rows for card in row])[:n] if turn else []
    line = f"turn={turn} rows={write(rows)} hands={write(hands)} swept={write([swept])}"
    line += f" taken={'/'.join(map(str, taken))}"
    line += f" last={write([card] for card in last)}" if turn else ""
    if in_all:
        total = (full - now for full, now in zip(in_all, taken, strict=True))
        line += f" round=2 total={'/'.join(map(str, total))}"
    return load_game(spec).parse(line)


def play(state: np.record, *actions: int) -> None:
    """Let the movers act, the lowest seat first."""
    for action in actions:
        seat = (int(movers(state)) & -int(movers(state))).bit_length() - 1
        assert is_legal(state, seat, action)
        apply(state, seat, action)


def listed(state: np.record, seat: int) -> list[int]:
    out = np.zeros(GAME.max_legal, np.int64)
    n = legal(state, seat, out)
    return out[:n].tolist()


def mover_list(state: np.record) -> list[int]:
    mask = int(movers(state))
    return [seat for seat in range(10) if mask >> seat & 1]


def score_list(state: np.record, n: int | None = None) -> list[float]:
    out: Scores = np.zeros(int(state.players) if n is None else n)
    scores(state, out)
    return out.tolist()


def view_of(state: np.record, seat: int) -> np.record:
    view = np.array([state], STATE)[0]
    conceal(view, seat)
    return view


def random_positions(spec: str, n: int, seed: int) -> list[np.record]:
    """Play at random and stop at `n` moments, every one in another game."""
    game, draw = load_game(spec), random.Random(seed)
    found = []
    for i in range(n):
        state, rng = game.blank(1)[0], derive(seed, 1, i)
        for _ in range(draw.randrange(1, 11 * game.n_seats * (2 if state.draft else 1))):
            if is_over(state):
                break
            if movers(state) == 0:
                deal(state, rng)
                continue
            seat = draw.choice(mover_list(state))
            apply(state, seat, random_action(state, seat, rng))
        found.append(state)
    return found


# --- against the reference


def assert_same(states: States, slow: ReferenceGame) -> None:
    """Compare all that the reference knows; array fields are read faster than those of records."""
    n, state = slow.players, states[0]
    hands = [[card for card in hand if card] for hand in states["hand"][0].tolist()]
    assert hands == slow.hand + [[]] * (10 - n)
    rows = slow.table_rows
    assert [[card for card in row if card] for row in states["board"][0].tolist()] == rows
    assert states["length"][0].tolist() == [len(row) for row in rows]
    assert states["heads"][0].tolist() == [heads(row) for row in rows]
    assert states["taken"][0].tolist()[:n] == slow.taken
    assert states["total"][0].tolist()[:n] == slow.total
    low, high = states["seen"][0].tolist()
    assert low | high << 64 == sum(1 << card for card in slow.seen)
    assert score_list(state, n) == slow.scores()
    assert bool(is_over(state)) == slow.is_over()
    seats = mover_list(state)
    assert seats == slow.movers()
    for seat in seats[:1] + seats[1:][-1:]:
        assert listed(state, seat) == slow.legal(seat)


@pytest.mark.parametrize("spec", SPECS)
def test_every_step_agrees_with_the_slow_reference(spec: str) -> None:
    game = load_game(spec)
    options = dict(game.options) | {"draft": game.options["draft"] == "true"}
    draw = random.Random(spec)
    for i in range(compared_games(spec)):
        states, rng, slow = game.blank(1), derive(7, 1, i), ReferenceGame(**options)  # type: ignore[arg-type]
        while not slow.is_over():
            seats = slow.movers()
            if not seats:
                deal(states[0], rng)
                if slow.draft:
                    slow.deal_draft()
                else:
                    hands, rows = states["hand"][0], states["board"][0]
                    slow.deal(hands[: slow.players].tolist(), rows[:, 0].tolist())
            else:
                seat = draw.choice(seats)
                action = draw.choice(slow.legal(seat))
                apply(states[0], seat, action)
                slow.apply(seat, action)
            assert_same(states, slow)


# --- facts


def test_all_cards_have_171_bull_heads() -> None:
    assert BULL_HEADS.sum() == 171
    assert [int(BULL_HEADS[card]) for card in (1, 5, 10, 11, 55, 100, 104)] == [1, 2, 3, 5, 7, 3, 1]


def test_a_draft_implies_known_cards_and_open_hands() -> None:
    game = load_game("nimmt:draft=true")
    assert (game.options["deck"], game.options["hands"]) == ("known", "open")
    with pytest.raises(SpecError, match="contradicts"):
        load_game("nimmt:draft=true,hands=hidden")


@pytest.mark.parametrize("spec", SPECS)
def test_games_stay_within_their_declared_bounds(spec: str) -> None:
    game, rng = load_game(spec), derive(3)
    low, high = game.score_range
    state, n_actions = game.blank(1)[0], 0
    while not is_over(state):
        if movers(state) == 0:
            deal(state, rng)
        else:
            seat = mover_list(state)[0]
            assert 1 <= len(listed(state, seat)) <= GAME.max_legal
            apply(state, seat, random_action(state, seat, rng))
            n_actions += 1
    assert n_actions <= game.max_actions
    assert all(low <= score <= high for score in score_list(state))


# --- dealing


@pytest.mark.parametrize("players", [2, 5, 10])
@pytest.mark.parametrize("deck", ["full", "known"])
def test_a_deal_is_ten_sorted_cards_each_and_four_rows(players: int, deck: str) -> None:
    state = load_game(f"nimmt:players={players},deck={deck}").blank(1)[0]
    deal(state, derive(1))
    hands = state.hand[:players]
    cards = [*hands.ravel().tolist(), *state.board[:, 0].tolist()]
    assert (np.diff(hands, axis=1) > 0).all()
    assert not state.hand[players:].any()
    assert len(set(cards)) == 10 * players + 4
    assert set(cards) <= set(range(1, 105 if deck == "full" else 10 * players + 5))


def test_every_card_is_dealt_to_every_place_equally_often() -> None:
    n = 4000 if COMPILED else 400
    state, rng = load_game("nimmt:players=2,deck=known").blank(1)[0], derive(2)
    places = np.zeros((6, 25))
    for _ in range(n):
        deal(state, rng)
        for place, cards in enumerate([*state.hand[:2], *state.board[:, :1]]):
            places[place, cards] += 1
    expected = n * np.array([10, 10, 1, 1, 1, 1])[:, None] / 24
    # Counts of one card over the places have 5 degrees of freedom, and 24 cards are not independent
    # of each other only in that every place is filled: 5 * 23 in all.
    statistic = float(((places[:, 1:] - expected) ** 2 / expected).sum())
    assert stats.chi2.sf(statistic, 5 * 23) > 1e-4


def test_a_draft_goes_round_from_seat_0_and_leaves_four_cards_for_the_rows() -> None:
    state = load_game("nimmt:players=2,draft=true").blank(1)[0]
    deal(state, derive(1))
    assert listed(state, 0) == list(range(1, 25))
    for pick in range(20):
        assert mover_list(state) == [pick % 2]
        play(state, 24 - pick)
    assert state.phase == CHOOSING
    assert state.board[:, 0].tolist() == [1, 2, 3, 4]
    assert state.hand[:2].tolist() == [list(range(6, 25, 2)), list(range(5, 24, 2))]


# --- the rules, one by one


@pytest.mark.parametrize(("card", "row"), [(16, 0), (32, 1), (60, 2), (89, 2), (104, 3)])
def test_a_card_goes_to_the_highest_row_end_below_it(card: int, row: int) -> None:
    state = ending("nimmt:players=2,rows=free", [[15], [31], [59], [90]], [[card], [91]])
    play(state, card, 91)
    assert card in state.board[row]
    assert state.taken[1] == 0


def test_the_sixth_card_takes_the_five_and_starts_the_row_anew() -> None:
    state = ending(
        "nimmt:players=2,rows=free", [[10, 11, 12, 13, 14], [50], [60], [70]], [[15], [71]]
    )
    before = int(state.taken[0])
    play(state, 15, 71)
    assert state.taken[0] - before == heads([10, 11, 12, 13, 14]) == 11
    assert state.board[0].tolist() == [15, 0, 0, 0, 0]
    assert (state.length[0], state.heads[0]) == (1, 2)


def test_cards_are_placed_in_ascending_order() -> None:
    rows = [[10, 11, 12, 13], [50], [60], [70]]
    state = ending("nimmt:players=3,rows=free", rows, [[16], [15], [14]])
    before = state.taken.copy()
    play(state, 16, 15, 14)
    assert (state.taken - before)[:3].tolist() == [0, heads([10, 11, 12, 13, 14]), 0]
    assert state.board[0].tolist() == [15, 16, 0, 0, 0]


def test_one_row_can_be_taken_twice_in_a_turn() -> None:
    rows = [[1, 2, 3, 4, 5], [101], [102], [103]]
    state = ending("nimmt:players=10,rows=free", rows, [[card] for card in range(10, 20)])
    before = state.taken.copy()
    play(state, *range(10, 20))
    gained = (state.taken - before).tolist()
    assert gained == [heads(range(1, 6)), 0, 0, 0, 0, heads(range(10, 15)), 0, 0, 0, 0]


def test_rows_lowest_takes_the_first_of_the_rows_with_fewest_heads() -> None:
    rows = [[50], [61], [71], [81]]
    state = ending("nimmt:players=2,rows=lowest", rows, [[2], [82]])
    before = int(state.taken[0])
    play(state, 2, 82)
    assert state.taken[0] - before == 1
    assert state.board[:, 0].tolist() == [50, 2, 71, 81]


def test_a_free_row_is_taken_before_anything_is_placed_with_all_cards_revealed() -> None:
    state = ending("nimmt:players=3,rows=free", [[50], [61], [71], [81]], [[82], [3], [51]])
    play(state, 82, 3, 51)
    view = view_of(state, 1)
    assert (state.phase, mover_list(state)) == (TAKING, [1])
    assert view.chosen[:3].tolist() == [82, 3, 51]
    assert view.board.any(axis=0).tolist() == [True, False, False, False, False]
    assert listed(state, 1) == [105, 106, 107, 108]


def test_the_row_taken_freely_starts_with_the_low_card_and_the_others_follow() -> None:
    state = ending("nimmt:players=3,rows=free", [[50], [61], [71], [81]], [[82], [3], [52]])
    play(state, 82, 3, 52)
    play(state, 105)
    assert state.board[:, :2].tolist() == [[3, 52], [61, 0], [71, 0], [81, 82]]
    assert state.taken[1] == heads([50])
    assert state.phase == OVER


def test_the_chosen_card_stays_in_the_hand_until_all_have_chosen() -> None:
    state = ending("nimmt:players=2,rows=free", [[1], [61], [71], [81]], [[20, 30], [40, 50]])
    play(state, 20)
    assert state.hand[0, :2].tolist() == [20, 30]
    play(state, 50)
    assert state.hand[:2, :2].tolist() == [[30, 0], [40, 0]]
    assert state.last[:2].tolist() == [20, 50]
    assert not state.chosen.any()


def test_swept_cards_are_seen() -> None:
    state = ending(
        "nimmt:players=2,rows=free", [[10, 11, 12, 13, 14], [50], [60], [70]], [[15], [71]]
    )
    play(state, 15, 71)
    seen = {card for card in range(105) if int(state.seen[card >> 6]) >> (card & 63) & 1}
    assert {10, 11, 12, 13, 14, 15, 71} <= seen
    assert len(seen) == 24


@pytest.mark.parametrize(("most", "phase"), [(65, WAITING), (66, OVER)])
def test_a_match_ends_when_somebody_has_66_at_the_end_of_a_round(most: int, phase: int) -> None:
    rows = [[10], [50], [60], [70]]
    state = ending("nimmt:players=2,match=66", rows, [[15], [71]], in_all=[most, 3])
    play(state, 15, 71)
    assert state.phase == phase
    assert score_list(state) == [-most, -3]


def test_heads_move_to_the_total_when_the_next_round_is_dealt() -> None:
    rows = [[10], [50], [60], [70]]
    state = ending("nimmt:players=2,match=66", rows, [[15], [71]], in_all=[60, 4])
    play(state, 15, 71)
    deal(state, derive(1))
    assert state.taken.tolist() == [0] * 10
    assert state.total[:2].tolist() == [60, 4]
    assert (score_list(state), state.rounds, state.turn) == ([-60, -4], 3, 0)


def test_a_tie_is_a_tie() -> None:
    rows, hands = [[10], [50], [60], [70]], [[15], [71], [72]]
    state = ending("nimmt:players=3,match=66", rows, hands, in_all=[70, 5, 5])
    play(state, 15, 71, 72)
    assert is_over(state)
    assert score_list(state) == [-70, -5, -5]


@pytest.mark.parametrize("spec", SPECS)
def test_is_legal_says_yes_to_what_legal_lists_and_to_nothing_else(spec: str) -> None:
    for state in random_positions(spec, 10, seed=5):
        for seat in range(-1, int(state.players) + 1):
            allowed = listed(state, seat) if seat in mover_list(state) else []
            said_yes = [code for code in range(-2, 112) if is_legal(state, seat, code)]
            assert said_yes == allowed


@pytest.mark.parametrize("spec", ["nimmt:players=2,rows=free", "nimmt:players=2,draft=true"])
def test_random_action_draws_every_legal_action_equally_often(spec: str) -> None:
    state, rng = load_game(spec).blank(1)[0], derive(4)
    deal(state, rng)
    drawn = Counter(int(random_action(state, 0, rng)) for _ in range(2400))
    assert sorted(drawn) == listed(state, 0)
    assert stats.chisquare(list(drawn.values())).pvalue > 1e-4


# --- what a seat may know


def test_pending_choices_are_hidden_from_all_others() -> None:
    state = ending(
        "nimmt:players=3,rows=free", [[1], [61], [71], [81]], [[20, 30], [40, 50], [62, 63]]
    )
    play(state, 20, 50)
    seen_by = [view_of(state, seat).chosen[:3].tolist() for seat in (0, 1, 2, SPECTATOR)]
    assert seen_by == [[20, -1, 0], [-1, 50, 0], [-1, -1, 0], [-1, -1, 0]]
    assert not view_of(state, 2).hand[:2].any()
    assert view_of(state, 2).hand[2, :2].tolist() == [62, 63]
    assert not view_of(state, SPECTATOR).hand.any()


def test_open_hands_do_not_betray_the_choice() -> None:
    views = []
    for card in (20, 30):
        rows, hands = [[1], [61], [71], [81]], [[20, 30], [40, 50]]
        state = ending("nimmt:players=2,hands=open", rows, hands)
        play(state, card)
        views.append(view_of(state, 1))
    assert views[0].hand[:2, :2].tolist() == [[20, 30], [40, 50]]
    assert views[0].tobytes() == views[1].tobytes()


@pytest.mark.parametrize("spec", SPECS)
def test_a_view_knows_who_moves_and_what_is_legal(spec: str) -> None:
    for state in random_positions(spec, 20, seed=6):
        for seat in mover_list(state):
            view = view_of(state, seat)
            assert movers(view) == movers(state)
            assert listed(view, seat) == listed(state, seat)
            assert score_list(view) == score_list(state)


@pytest.mark.parametrize("spec", SPECS)
def test_a_resampled_world_looks_the_same_to_the_seat_and_is_a_possible_one(spec: str) -> None:
    game, rng = load_game(spec), derive(9)
    for state in random_positions(spec, 30, seed=8):
        for seat in (SPECTATOR, 0, int(state.players) - 1):
            view = view_of(state, seat)
            world = game.resample(view, seat, rng)
            text.parse_position(text.format_position(world), game.blank(1)[0])
            assert view_of(world, seat).tobytes() == view.tobytes()


# Endings in which every world is equally probable: how many there are, and a view.
VIEWS = {
    "hands and a pending choice": (
        12,
        "nimmt:players=3,deck=known turn=8 rows=21.22.23.24/25.26.27.28/29.30.31.32.33/34"
        " hands=1.2/?/? chosen=-/?/- last=5/6/7 taken=22/0/0"
        " swept=5.6.7.8.9.10.11.12.13.14.15.16.17.18",
    ),
    "one card of the full deck": (
        81,
        "nimmt:players=2 turn=9 rows=21.22.23.24/25.26.27.28/29.30.31.32.33/34 hands=1/?"
        " last=5/6 taken=15/0 swept=5.6.7.8.9.10.11.12",
    ),
    "revealed cards are in no hand": (
        6,
        "nimmt:players=3,deck=known,rows=free turn=7 phase=take"
        " rows=21.22.23.24/25.26.27.28/29.30.31.32.33/34 hands=1.2/?/? chosen=16/18/17"
        " last=5/6/7 taken=19/0/0 swept=5.6.7.8.9.10.11.12.13.14.15",
    ),
    "a spectator": (
        90,
        "nimmt:players=3,deck=known turn=8 rows=21.22.23.24/25.26.27.28/29.30.31.32.33/34"
        " hands=?/?/? last=5/6/7 taken=22/0/0 swept=5.6.7.8.9.10.11.12.13.14.15.16.17.18",
    ),
}


@pytest.mark.parametrize("name", VIEWS)
def test_resampled_worlds_are_equally_frequent(name: str) -> None:
    n_worlds, line = VIEWS[name]
    spec, _, position = line.partition(" ")
    game, rng = load_game(spec), derive(10)
    view = game.parse(position)
    seat = SPECTATOR if name == "a spectator" else 0
    n = (200 if COMPILED else 20) * n_worlds
    worlds = Counter(game.resample(view, seat, rng).tobytes() for _ in range(n))
    assert len(worlds) == n_worlds
    assert stats.chisquare(list(worlds.values())).pvalue > 1e-4


# --- text


@pytest.mark.parametrize("spec", SPECS)
def test_positions_and_views_survive_text(spec: str) -> None:
    game = load_game(spec)
    for state in [game.blank(1)[0], *random_positions(spec, 30, seed=11)]:
        for known in (state, view_of(state, 0), view_of(state, SPECTATOR)):
            line = text.format_position(known)
            assert game.parse(line).tobytes() == known.tobytes()


def test_usual_values_may_be_left_out() -> None:
    hands = "11.12.13.14.15.16.17.18.19.20/21.22.23.24.25.26.27.28.29.30"
    state = load_game("nimmt:players=2,rows=free").parse(f"rows=1/2/3/4 hands={hands}")
    assert (state.phase, state.rounds, state.turn) == (CHOOSING, 1, 0)
    assert mover_list(state) == [0, 1]


GOOD = (
    "round=1 turn=8 phase=choose rows=21.22.23.24/25.26.27.28/29.30.31.32.33/34"
    " hands=1.2/3.4 chosen=-/4 last=21/22 taken=7/0 total=0/0 swept=5.6.7.8.9.12"
)
# What to change in GOOD, and what the message must say.
BAD = [
    ("hands=1.2/3.4", "hands=1.2/3.4/5.6", "2 seats"),
    ("hands=1.2/3.4", "hands=1.2/3", "must have 2 cards"),
    ("hands=1.2/3.4", "hands=2.1/3.4", "ascend"),
    ("hands=1.2/3.4", "hands=1.2/4.34", "card 34 is in two places"),
    ("hands=1.2/3.4", "hands=1.2/3.105", "not a card"),
    ("hands=1.2/3.4", "hands=1.2/3.0", "not a card"),
    ("hands=1.2/3.4", "hands=1.2/3.-4", "not a card"),
    ("hands=1.2/3.4", "hands=1.2/3.٤", "not a card"),
    ("hands=1.2/3.4", "hands=1.2/?", "does not show"),
    ("hands=1.2/3.4 ", "", "needs hands"),
    ("hands=1.2/3.4", "hands=", "not key=value"),
    ("rows=21.22.23.24/", "rows=", "4 rows"),
    ("/34 ", "/- ", "must hold 20 cards"),
    ("29.30.31.32.33/34", "29.30.31.32.33.34/35", "more than 5"),
    ("/34 ", "/33 ", "on the table twice"),
    ("swept=5.6.7.8.9.12", "swept=5.6.7.8.9", "must hold 20 cards"),
    ("swept=5.6.7.8.9.12", "swept=3.6.7.8.9.12", "card 3 is in two places"),
    ("taken=7/0", "taken=8/0", "adds up"),
    ("taken=7/0", "taken=x/0", "expected a number"),
    ("taken=7/0", "taken=-7/0", "expected a number"),
    ("taken=7/0", "taken=9999999999999/0", "expected a number"),
    ("total=0/0", "total=1/0", "after 0 rounds"),
    ("chosen=-/4", "chosen=-/5", "does not show"),
    ("chosen=-/4", "chosen=-/?", "not what it has chosen"),
    ("chosen=-/4", "chosen=1/4", "somebody must"),
    ("last=21/22", "last=21/1", "neither"),
    ("last=21/22", "last=21/21", "twice"),
    ("last=21/22", "last=21/-", "last must be"),
    ("last=21/22", "last=21/?", "not a card"),
    ("turn=8", "turn=7", "must hold 18"),
    ("turn=8", "turn=10", "turn=10"),
    ("turn=8", "turn=11", "0 to 10"),
    ("round=1", "round=2", "round=2"),
    ("round=1", "round=0", "round=0"),
    ("round=1", "round=1 round=1", "twice"),
    ("round=1", "ruond=1", "did you mean 'round'"),
    ("phase=choose", "phase=think", "unknown phase"),
    ("phase=choose", "phase=draft", "no draft"),
    ("phase=choose", "phase=wait", "over after it"),
    ("phase=choose", "phase=over", "turn=8"),
    ("phase=choose", "phase=take", "must have 1 cards"),
    ("phase=choose rows", "phase=take hands=1/3 rows", "hands is given twice"),
    (GOOD.partition("hands=")[2].split()[0], "-/-", "the hand of seat 0 has cards here"),
]
BAD_WHILE_TAKING = [
    ("chosen=16/18/17", "chosen=16/18/-", "all seats must have revealed"),
    ("chosen=16/18/17", "chosen=16/18/?", "all seats must have revealed"),
    ("chosen=16/18/17", "chosen=16/18/16", "card 16 is in two places"),
    ("chosen=16/18/17", "chosen=16/18/1", "card 1 is in two places"),
    ("rows=21.22.23.24/", "rows=2.3.4.20/", "card 2 is in two places"),
    ("phase=take", "phase=choose", "must have 3 cards"),
]


@pytest.mark.parametrize(("old", "new", "message"), BAD)
def test_a_bad_position_is_refused_with_a_reason(old: str, new: str, message: str) -> None:
    game = load_game("nimmt:players=2,rows=free")
    changed = GOOD.replace(old, new)
    assert changed != GOOD
    with pytest.raises(PositionError, match=message):
        game.parse(changed)


@pytest.mark.parametrize(("old", "new", "message"), BAD_WHILE_TAKING)
def test_a_bad_position_with_a_row_to_take_is_refused(old: str, new: str, message: str) -> None:
    spec, _, good = VIEWS["revealed cards are in no hand"][1].partition(" ")
    with pytest.raises(PositionError, match=message):
        load_game(spec).parse(good.replace(old, new))


def test_a_row_is_taken_only_for_a_card_below_all_rows() -> None:
    state = ending("nimmt:players=2,rows=free", [[50], [61], [71], [81]], [[2], [82]])
    play(state, 2, 82)
    line = text.format_position(state)
    with pytest.raises(PositionError, match="no card is below all rows"):
        load_game("nimmt:players=2,rows=free").parse(line.replace("chosen=2/82", "chosen=83/82"))


@pytest.mark.parametrize("line", ["", "x", "=", "a=b", "rows=1/2/3/4", "\0", "hands=1" * 300])
def test_nonsense_is_refused(line: str) -> None:
    with pytest.raises(PositionError):
        load_game("nimmt").parse(line)


def test_only_some_of_the_hidden_hands_cannot_be_shown() -> None:
    line = VIEWS["a spectator"][1].partition(" ")[2]
    with pytest.raises(PositionError, match="one hand or none"):
        load_game("nimmt:players=3,deck=known").parse(line.replace("?/?/?", "1.2/3.4/?"))


def test_actions_survive_text() -> None:
    state = load_game("nimmt").blank(1)[0]
    for action in range(1, 109):
        assert text.parse_action(state, 0, text.format_action(state, 0, action)) == action
    assert text.format_action(state, 0, 105) == "row 1"
    assert [text.parse_action(state, 0, word) for word in ("r1", "Row 4")] == [105, 108]


@pytest.mark.parametrize("word", ["", "0", "105", "row 0", "row 5", "r", "-1", "5.5", "٥", "1e1"])
def test_what_is_no_action_is_refused(word: str) -> None:
    with pytest.raises(PositionError):
        text.parse_action(load_game("nimmt").blank(1)[0], 0, word)


@pytest.mark.parametrize(
    ("played", "action", "reason"),
    [
        ((), 99, "you do not hold 99"),
        ((), 105, "only after playing a card below all rows"),
        ((), 200, "there is no action 200"),
        ((2,), 3, "chosen already"),
        ((2, 82), 82, "you must take a row"),
    ],
)
def test_refusals_are_explained(played: tuple[int, ...], action: int, reason: str) -> None:
    state = ending("nimmt:players=2,rows=free", [[50], [61], [71], [81]], [[2, 3], [82, 83]])
    play(state, *played)
    assert reason in str(text.explain(state, 0, action))


def drawn(view: np.record, seat: int) -> str:
    console = Console(width=80, color_system=None)
    with console.capture() as capture:
        console.print(text.render(view, seat))
    return capture.get()


def test_the_drawing_shows_costs_and_cards_but_nothing_hidden() -> None:
    state = ending("nimmt:players=2,rows=free", [[50], [61], [71], [81]], [[2, 33], [82, 99]])
    play(state, 2, 82)
    picture = drawn(view_of(state, 0), 0)
    assert all(part in picture for part in ("row", "heads", "50³", "82¹", "33⁵"))
    assert "99" not in picture
    assert max(map(len, picture.splitlines())) <= 80


@pytest.mark.parametrize("spec", SPECS)
def test_every_position_can_be_drawn(spec: str) -> None:
    for state in [load_game(spec).blank(1)[0], *random_positions(spec, 5, seed=12)]:
        for seat in (SPECTATOR, 0):
            assert "6 nimmt!" in drawn(view_of(state, seat), seat)


# --- encodings


def small_position() -> np.record:
    """Return a view of seat 1 in the middle of a turn."""
    rows = [[21, 22, 23, 24], [25, 26, 27, 28], [29, 30, 31, 32, 33], [34]]
    state = ending("nimmt:players=2,deck=full", rows, [[1, 2], [3, 55]])
    play(state, 2)
    return view_of(state, 1)


def test_the_paper_encoding_is_the_47_numbers_of_its_environment() -> None:
    out = (
        load_game("nimmt")
        .encodings["paper"]
        .observe(np.array([small_position()], STATE), np.array([1]))[0]
    )
    expected = [2, 54, -1, -1, -1, -1, -1, -1, -1, -1, 2]
    expected += [4, 4, 5, 1] + [23, 27, 32, 33] + [heads([21, 22, 23, 24]), 5, 11, 1]
    expected += [20, 21, 22, 23, -1, -1] + [24, 25, 26, 27, -1, -1]
    expected += [28, 29, 30, 31, 32, -1] + [33, -1, -1, -1, -1, -1]
    assert len(expected) == PAPER.size == 47
    assert out.tolist() == expected


def test_the_full_encoding_holds_what_the_seat_knows() -> None:
    view = small_position()
    parts = FULL.parts(
        load_game("nimmt").encodings["full"].observe(np.array([view], STATE), np.array([1]))[0]
    )
    assert np.flatnonzero(parts["hand"]).tolist() == [2, 54]
    assert parts["seen"].sum() == 20
    assert not parts["others"].any()
    assert parts["board"][3].tolist() == pytest.approx([34 / 104, 0, 0, 0, 0])
    assert parts["has_chosen"][:2].tolist() == [0, 1]
    assert not parts["chosen"].any()
    assert parts["deciding"][:2].tolist() == [1, 0]
    assert parts["turn"] == pytest.approx(0.8)
    assert parts["phase"].tolist() == [1, 0, 0]


def test_the_full_encoding_shows_the_revealed_cards_while_a_row_is_taken() -> None:
    state = ending(
        "nimmt:players=2,hands=open,rows=free", [[50], [61], [71], [81]], [[82, 83], [2, 3]]
    )
    play(state, 82, 2)
    view = view_of(state, 1)
    parts = FULL.parts(
        load_game("nimmt").encodings["full"].observe(np.array([view], STATE), np.array([1]))[0]
    )
    assert parts["chosen"][:2].tolist() == pytest.approx([2 / 104, 82 / 104])
    assert parts["phase"].tolist() == [0, 1, 0]
    assert np.flatnonzero(parts["others"]).tolist() == [82]
    assert parts["options"].tolist() == [0, 0, 1, 0, 0]


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("name", ["paper", "full"])
def test_an_encoding_writes_every_number_of_its_layout(spec: str, name: str) -> None:
    encoding = load_game(spec).encodings[name]
    for state in random_positions(spec, 5, seed=13):
        views = np.array([view_of(state, 0)] * 2, STATE)
        out = np.full((2, encoding.size + 1), np.nan, np.float32)
        for i in range(2):
            seats = np.array([0, 0])
            out[i, : encoding.size] = encoding.observe(views, seats)[i]
        assert not np.isnan(out[:, :-1]).any()
        assert name == "paper" or (abs(out[0, :-1]) <= 2).all()


def row_of(view: np.record, seat: int, action: int) -> dict[str, list[float]]:
    """Write the row of a legal action, by name."""
    out = np.full(FULL.candidate_size, np.nan, np.float32)
    observe_action(view, seat, action, FULL.record, out)
    return {name: part.tolist() for name, part in FULL.candidate_parts(out).items()}


def test_rows_of_cards_say_where_they_would_go() -> None:
    view = small_position()  # rows end with 24, 28, 33 and 34; seat 1 holds 3 and 55
    low, high = row_of(view, 1, 3), row_of(view, 1, 55)
    assert np.flatnonzero(high["action"]).tolist() == [54]
    assert high["card"] == pytest.approx([55 / 104])
    assert high["heads"] == [1.0]
    assert (low["below"], high["below"]) == ([1], [0])
    assert high["gap"] == pytest.approx([21 / 104])
    assert np.flatnonzero(high["room"]).tolist() == [4]
    assert np.flatnonzero(low["room"]).tolist() == [0]
    assert high["cost"] == [0]
    assert low["cost"] == pytest.approx([1 / 27])  # the last row is the cheapest
    assert high["between"] == pytest.approx([20 / 104])  # 35 to 54
    view.board[3], view.length[3], view.heads[3] = [34, 35, 36, 37, 38], 5, 6
    assert row_of(view, 1, 55)["cost"] == pytest.approx([6 / 27])


def test_rows_to_take_show_their_heads() -> None:
    state = ending("nimmt:players=2,rows=free", [[50], [55], [71], [81]], [[82, 83], [2, 3]])
    play(state, 82, 2)
    got = row_of(view_of(state, 1), 1, 106)
    assert np.flatnonzero(got["action"]).tolist() == [105]
    assert got["heads"] == [1]
    assert got["cost"] == pytest.approx([7 / 27])


def test_actions_are_described() -> None:
    game = load_game("nimmt:players=2,rows=free")
    state = ending("nimmt:players=2,rows=free", [[50], [55], [71], [81]], [[82, 83], [2, 30]])
    assert game.describe(state, 1, 30) == (0, 3, 30)
    play(state, 82, 2)
    assert game.describe(state, 1, 106) == (1, 7, 2)
    with pytest.raises(IllegalAction, match="seat 1 may not do"):
        game.describe(state, 1, 99)


def test_actions_are_numbered_densely() -> None:
    state = load_game("nimmt").blank(1)[0]
    for encoding in (PAPER, FULL):
        codes = [int(action_index(state, 0, code, encoding.record)) for code in range(1, 109)]
        assert codes == list(range(encoding.n_actions))


# --- bots


@pytest.mark.parametrize(("name", "card"), [("highest", 104), ("lowest", 12), ("closest", 53)])
def test_bots_play_the_card_they_are_named_after(name: str, card: int) -> None:
    rows = [[10, 11], [21, 22, 23, 24, 25], [50], [70]]
    state = ending("nimmt:players=2,rows=free", rows, [[12, 26, 53, 104], [71, 72, 73, 74]])
    if name == "closest":
        state = ending("nimmt:players=2,rows=free", rows, [[20, 26, 53, 104], [71, 72, 73, 74]])
    assert decide(name, state, 0) == card


def decide(name: str, state: np.record, seat: int) -> int:
    agent = load_agent(name, load_game(load_game("nimmt").spec_of(state)))
    return int(agent.decide(view_of(state, seat), seat).actions[0])


def test_closest_takes_as_little_as_it_can_when_no_row_has_room() -> None:
    rows = [[40, 41, 42, 43, 45], [50, 51, 52, 53, 54], [60, 61, 62, 63, 64], [71, 72, 73, 74, 76]]
    state = ending("nimmt:players=2,rows=free", rows, [[46, 80], [1, 2]])
    assert decide("closest", state, 0) == 80


@pytest.mark.parametrize("name", ["highest", "lowest", "closest"])
def test_bots_take_the_first_of_the_cheapest_rows(name: str) -> None:
    state = ending("nimmt:players=2,rows=free", [[50], [61], [71], [81]], [[2], [82]])
    play(state, 2, 82)
    assert decide(name, state, 0) == 106


@pytest.mark.parametrize(("name", "pick"), [("highest", 23), ("lowest", 1), ("closest", 9)])
def test_bots_pick_in_a_draft(name: str, pick: int) -> None:
    state = load_game("nimmt:players=2,draft=true").blank(1)[0]
    deal(state, derive(1))
    play(state, 10, 24)
    assert decide(name, state, 0) == pick


@pytest.mark.parametrize(
    "spec", ["nimmt:players=2,rows=free", "nimmt:players=3,draft=true,match=66"]
)
@pytest.mark.parametrize("name", GAME.bots)
def test_bots_always_play_something_legal(spec: str, name: str) -> None:
    is_simple = name in ("highest", "lowest", "closest", "rig")
    if not is_simple and not COMPILED:
        pytest.skip("a search takes minutes as plain Python")
    game = load_game(spec)
    agent = load_agent(name, game)
    for state in random_positions(spec, 20, seed=14):
        for seat in mover_list(state):
            action = int(agent.decide(view_of(state, seat), seat).actions[0])
            assert action in listed(state, seat)


# --- numbers that a correct engine gives


@kernel
def _play_rounds(
    states: States, policy: np.record, uses_policy: bool, rng: Rng, heads: Scores, wins: Scores
) -> None:
    """Play one round per state; seat 0 follows the policy, or chance like the others."""
    for i in range(len(states)):
        state = states[i]
        deal(state, rng)
        while not is_over(state):
            for seat in range(state.players):
                if seat == 0 and uses_policy:
                    apply(state, seat, choose(state, seat, policy, rng))
                else:
                    apply(state, seat, random_action(state, seat, rng))
        fewest = state.taken[0]
        for seat in range(1, state.players):
            fewest = min(fewest, state.taken[seat])
        n_best = 0
        for seat in range(state.players):
            n_best += state.taken[seat] == fewest
        heads[i] = state.taken[0]
        wins[i] = 1 / n_best if state.taken[0] == fewest else 0.0


def played_rounds(game: Game, uses_policy: bool, n: int) -> tuple[Scores, Scores]:
    taken, wins = np.zeros(n), np.zeros(n)
    states = game.blank(n)
    _play_rounds(states, HighestAgent.policy, uses_policy, derive(15), taken, wins)
    return taken, wins


def assert_mean(sample: Scores, expected: float, rounding: float) -> None:
    """Check a mean to four standard errors and the rounding of the published number."""
    error = sample.std(ddof=1) / np.sqrt(len(sample))
    assert abs(sample.mean() - expected) < 4 * error + rounding


@pytest.mark.parametrize(
    "n", [20_000 if COMPILED else 100, pytest.param(2_000_000, marks=pytest.mark.slow)]
)
def test_random_and_highest_players_take_as_many_heads_as_known(n: int) -> None:
    game = load_game("nimmt:players=5,rows=lowest")
    taken, wins = played_rounds(game, False, n)
    assert_mean(taken, 12.97, 0.005)
    assert_mean(wins, 0.2, 0)
    taken, wins = played_rounds(game, True, n)
    assert_mean(taken, 10.32, 0.005)
    assert_mean(wins, 0.278, 0.0005)
