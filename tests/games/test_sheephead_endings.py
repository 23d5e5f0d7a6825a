"""The slow solver of Sheephead endings: positions that can be solved by hand, and brute force."""

import copy
import random
from dataclasses import replace

import pytest

from tests.reference.sheephead import (
    ALONE,
    BIDDING,
    DECLARING,
    FIRST_DEALER,
    FIRST_LEFT,
    PICK,
    PLAYING,
    Options,
    ReferenceGame,
    random_deal,
)
from tests.reference.sheephead_endings import Ending, Objective, ending_of, solve

# The queen draws the trumps of seats 1 and 2, and the ace is good. If the ace is led, seat 2 trumps
# it, kings and aces are thrown on it, and the queen takes only the ten.
ALONE_WITH_TWO = Ending(
    hands=(["QC", "AC"], ["KC", "8D"], ["JD", "10S"], ["9S", "KS"], ["7H", "AH"]),
    picker=0,
    leader=0,
    points=40,
    tricks=3,
)

# Clubs are called, and seat 2 has to play the ace to the ten, which seat 1 trumps; but then the
# eight of diamonds takes the last trick. If the heart is led, the seven of clubs must be kept, so
# the eight of diamonds falls under the queen, and the picker's side gets nothing.
BOUND = Ending(
    hands=(["7C", "8D"], ["QC", "7S"], ["AC", "9C"], ["10C", "8H"], ["KS", "9S"]),
    picker=0,
    leader=3,
    partner=2,
    called="AC",
)

# The highest trump lies face down as a heart: it wins nothing, not even the last trick.
FACE_DOWN = Ending(
    hands=(["QC"], ["8D"], ["AS"], ["AH"], ["10S"]),
    picker=0,
    leader=1,
    partner=3,
    called="AH",
    unknown="QC",
    points=50,
    tricks=3,
)


def test_trumps_are_drawn_first() -> None:
    assert solve(ALONE_WITH_TWO, "points") == (85, {"QC": 85, "AC": 53})
    assert solve(ALONE_WITH_TWO, "money") == (60, {"QC": 60, "AC": -80})
    assert solve(replace(ALONE_WITH_TWO, tricks=4), "money") == (100, {"QC": 100, "AC": -80})


def test_the_called_card_and_the_last_card_of_its_suit_are_bound() -> None:
    assert solve(BOUND, "points") == (0, {"10C": 0, "8H": 0})
    assert solve(BOUND, "money") == (-40, {"10C": -30, "8H": -40})


def test_once_the_called_suit_was_led_nobody_is_bound() -> None:
    free = solve(replace(BOUND, called_led=True), "points")
    assert free.values["10C"] == 11  # the ace is kept for the trick that the eight takes


def test_the_unknown_card_wins_nothing() -> None:
    assert solve(FACE_DOWN, "points") == (50, {"8D": 50})
    assert solve(replace(FACE_DOWN, unknown=None), "points") == (85, {"8D": 85})
    # As a lead it is a heart, and the called ace must take it.
    assert solve(replace(FACE_DOWN, leader=0, hands=led_by_picker()), "points").value == 50 + 14


def led_by_picker() -> list[list[str]]:
    return [["QC"], ["7H"], ["8H"], ["AH"], ["9S"]]


def test_cards_on_the_table_are_part_of_the_trick() -> None:
    trumped = replace(
        ALONE_WITH_TWO,
        hands=(["QC"], ["8D"], ["JD", "10S"], ["9S", "KS"], ["7H", "AH"]),
        laid=["AC", "KC"],
    )
    assert solve(trumped, "points") == (53, {"JD": 53, "10S": 85})


def play_to(n_cards: int, rng: random.Random, options: Options) -> ReferenceGame:
    """Play a picked hand at random until who is to play has so many cards."""
    game = ReferenceGame(options)
    game.deal(*random_deal(rng), FIRST_DEALER, FIRST_LEFT)
    while game.phase != PLAYING or len(game.hand[game.turn]) > n_cards:
        choices = sorted(game.legal(game.turn))
        if game.phase == DECLARING and len(choices) > 1:
            choices.remove(ALONE)
        game.apply(game.turn, PICK if game.phase == BIDDING else rng.choice(choices))
    return game


def brute_force(game: ReferenceGame, objective: Objective) -> int:
    """Play everything to the end of the hand with copies of the game."""
    if game.is_over():
        points = game.team_points()
        return points if objective == "points" else game.paid[game.contract.picker]
    values = []
    for card in game.legal(game.turn):
        child = copy.deepcopy(game)
        child.apply(game.turn, card)
        values.append(brute_force(child, objective))
    return max(values) if game.turn in game.contract.team() else min(values)


@pytest.mark.parametrize("objective", ["points", "money"])
@pytest.mark.parametrize("option", ["", "bump", "slough", "underlead"])
def test_short_endings_are_solved_like_whole_games(option: str, objective: Objective) -> None:
    options = Options(**{option: True}) if option else Options()  # type: ignore[arg-type]
    rng = random.Random(f"{option} {objective}")
    for _ in range(10):
        game = play_to(2, rng, options)
        for _ in range(rng.randrange(5)):
            game.apply(game.turn, rng.choice(sorted(game.legal(game.turn))))
        found = solve(ending_of(game), objective)
        assert found.value == brute_force(game, objective)
        assert found.values.keys() == game.legal(game.turn)
        best = max if game.turn in game.contract.team() else min
        assert found.value == best(found.values.values())


@pytest.mark.parametrize("objective", ["points", "money"])
@pytest.mark.parametrize("n_cards", [3, 4])
def test_best_play_keeps_the_value_and_no_card_improves_it(
    n_cards: int, objective: Objective
) -> None:
    rng = random.Random(f"{n_cards} {objective}")
    game = play_to(n_cards, rng, Options())
    promised = solve(ending_of(game), objective).value
    while not game.is_over():
        found = solve(ending_of(game), objective)
        assert found.value == promised
        game.apply(game.turn, next(c for c, value in found.values.items() if value == promised))
    reached = game.team_points() if objective == "points" else game.paid[game.contract.picker]
    assert reached == promised
