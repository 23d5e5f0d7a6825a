"""Combinations of Tichu: what cards are, what beats what, and what is listed, rule by rule."""

import itertools
import random

import numpy as np
import pytest

from kibitz.core.game import Action, Actions
from kibitz.core.kernels import COMPILED, allocating_kernel
from kibitz.games.tichu.cards import (
    ACE,
    CARDS,
    MAH_JONG_BIT,
    PHOENIX,
    PHOENIX_BIT,
    cards_of,
    other_action,
    phoenix_of,
    play_action,
)
from kibitz.games.tichu.combinations import (
    BOMB,
    DOG,
    DRAGON_HEIGHT,
    FULL_HOUSE,
    NOTHING,
    PAIR,
    PHOENIX_LED,
    QUAD,
    SINGLE,
    STEPS,
    STRAIGHT,
    TRIO,
    beats,
    classify,
    is_play,
)
from kibitz.games.tichu.plays import (
    MAX_PLAYS,
    can_fulfil,
    has_bomb,
    list_bombs,
    list_plays,
    spread_choices,
)
from kibitz.games.tichu.ranks import NIBBLE, S1, count_ranks

RANKS = "23456789TJQKA"
SUITS = "RGBS"
SPECIALS = ("Ma", "Dog", "Ph", "Dr")
LEAD = (NOTHING, 0, 0)
ON_DRAGON = (SINGLE, 1, DRAGON_HEIGHT)

Table = tuple[int, int, int]


def card(word: str) -> int:
    """Read `5R`, `TB`, `Ma`, `Dog`, `Ph` or `Dr`."""
    if word in SPECIALS:
        return 52 + SPECIALS.index(word)
    return 4 * RANKS.index(word[0]) + SUITS.index(word[1])


def play(words: str) -> Action:
    """Read cards; `Ph=8` is the Phoenix as an 8."""
    rank, bits = 0, 0
    for word in words.split():
        name, _, meaning = word.partition("=")
        bits |= 1 << card(name)
        rank = 2 + RANKS.index(meaning) if meaning else rank
    return int(play_action(np.uint64(bits), rank))


def cards(words: str) -> np.uint64:
    """Read a set of cards."""
    return np.uint64(cards_of(play(words)))


def show(action: Action) -> str:
    """Write a play as `play` reads it."""
    words = []
    for number in range(CARDS):
        if int(cards_of(action)) >> number & 1:
            name = SPECIALS[number - 52] if number >= 52 else RANKS[number // 4] + SUITS[number % 4]
            meaning = int(phoenix_of(action))
            words.append(f"Ph={RANKS[meaning - 2]}" if number == PHOENIX and meaning else name)
    return " ".join(words)


def kind(words: str, on_height: int = 0, flush: bool = True) -> Table:
    """Classify cards written out."""
    action = play(words)
    found = classify(np.uint64(cards_of(action)), phoenix_of(action), on_height, flush)
    return int(found[0]), int(found[1]), int(found[2])


def plays(hand: str, table: Table = LEAD, wish: int = 0, flush: bool = True) -> list[str]:
    """List plays, written out."""
    out = np.zeros(MAX_PLAYS + 1, np.int64)
    out[0] = 7  # what stood before stays
    n = list_plays(cards(hand), *table, wish, flush, out, 1)
    assert out[0] == 7
    assert not out[n:].any()
    return [show(int(action)) for action in out[1:n]]


def bombs(hand: str, table: Table = LEAD, flush: bool = True) -> list[str]:
    """List bombs, written out; the other kernels must agree that there are some."""
    out = np.zeros(MAX_PLAYS, np.int64)
    n = list_bombs(cards(hand), *table, flush, out, 0)
    assert has_bomb(cards(hand), *table, flush) == (n > 0)
    listed = [show(int(action)) for action in out[:n]]
    assert plays(hand, table, flush=flush)[-n:] == listed or n == 0
    return listed


def of_kind(wanted: int, listed: list[str]) -> list[str]:
    """Keep the plays of one kind."""
    return [words for words in listed if kind(words)[0] == wanted]


def legal(hand: str, words: str, table: Table = LEAD, flush: bool = True) -> bool:
    """Ask whether a play may be laid."""
    return bool(is_play(cards(hand), play(words), *table, flush))


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("2R", (SINGLE, 1, 4)),
        ("AS", (SINGLE, 1, 28)),
        ("Ma", (SINGLE, 1, 2)),
        ("Dr", (SINGLE, 1, DRAGON_HEIGHT)),
        ("Dog", (DOG, 1, 0)),
        ("9R 9S", (PAIR, 2, 18)),
        ("9R Ph=9", (PAIR, 2, 18)),
        ("TR TG TB", (TRIO, 3, 20)),
        ("TR TG Ph=T", (TRIO, 3, 20)),
        ("2R 2G 2B 2S", (BOMB, 4, 4)),
        ("2R 2G AR AG AB", (FULL_HOUSE, 5, 28)),
        ("2R 2G 2B AR AG", (FULL_HOUSE, 5, 4)),
        ("KR KG AR AG Ph=A", (FULL_HOUSE, 5, 28)),
        ("2R 3R 4R 5R 6G", (STRAIGHT, 5, 12)),
        ("Ma 2R 3R 4R 5R", (STRAIGHT, 5, 10)),
        ("TR JR QR KR AG", (STRAIGHT, 5, 28)),
        ("TR JR QR KR AR", (BOMB, 5, 28)),
        ("2R 2G 3R 3G", (STEPS, 4, 6)),
        ("KR KG AR Ph=A", (STEPS, 4, 28)),
        ("2R 2G 3R 3G 4R 4G 5R 5G 6R 6G 7R 7G 8R 8G", (STEPS, 14, 16)),
        ("2R 3R 4R 5R 6R 7R 8R 9R TR JR QR KR AR", (BOMB, 13, 28)),
    ],
)
def test_the_kinds_have_their_length_and_height(words: str, found: Table) -> None:
    assert kind(words) == found


@pytest.mark.parametrize(
    "words",
    [
        "2R 3R",  # two ranks
        "2R 3R 4R 5R",  # four in a row
        "2R 3R 4R 5R 7R",
        "JR QR KR AR 2R",  # the ace is high only
        "Ma QR JR KR AR",
        "2R 2G 4R 4G",  # pairs with a gap
        "2R 2G 3R",
        "2R 2G 3R 3G 4R",
        "2R 2G 3R 3G 4R 4G 5R",
        "2R 2G 2B 3R 3G 3B",  # two trios
        "2R 2G 2B 3R 4R",
        "2R 3R 4R 5R 6R 6G",
    ],
)
def test_other_cards_are_nothing(words: str) -> None:
    assert kind(words)[0] == NOTHING


def test_four_of_a_kind_plus_a_card_are_no_full_house() -> None:
    assert kind("2R 2G 2B 2S 3R")[0] == NOTHING
    assert kind("2R 3R 3G 3B 3S")[0] == NOTHING


def test_four_of_a_kind_plus_the_phoenix_are_nothing_whatever_it_means() -> None:
    for rank in RANKS:
        assert kind(f"8R 8G 8B 8S Ph={rank}")[0] == NOTHING


def test_three_of_a_kind_plus_the_phoenix_are_no_bomb() -> None:
    assert kind("8R 8G 8B Ph=8")[0] == NOTHING
    assert bombs("8R 8G 8B Ph") == []


def test_a_straight_flush_with_the_phoenix_is_a_straight() -> None:
    assert kind("2R 3R 4R 5R Ph=6") == (STRAIGHT, 5, 12)
    assert kind("2R 3R 4R 5R 6R Ph=7") == (STRAIGHT, 6, 14)
    assert bombs("2R 3R 4R 5R Ph") == []


def test_the_mah_jong_has_no_suit() -> None:
    assert kind("Ma 2R 3R 4R 5R 6R") == (STRAIGHT, 6, 12)
    assert bombs("Ma 2R 3R 4R 5R") == []


@pytest.mark.parametrize(
    "words", ["Ma Ph=2", "Ma 2R 2G", "Ma 2R 2G 2B 2S", "Ma 2R 2G Ph=2", "Ma 3R 3G 3B Ph=2"]
)
def test_the_mah_jong_is_alone_or_lowest_in_a_straight(words: str) -> None:
    assert kind(words)[0] == NOTHING


def test_the_phoenix_is_never_1() -> None:
    straight = cards("2R 3R 4R 5G Ph")
    assert classify(straight, 1, 0, True)[0] == NOTHING
    assert classify(straight, 15, 0, True)[0] == NOTHING
    assert classify(cards("Ma Ph"), 1, 0, True)[0] == NOTHING


def test_the_phoenix_alone_stands_for_nothing_and_in_a_combination_for_something() -> None:
    assert classify(PHOENIX_BIT, 5, 0, True)[0] == NOTHING
    assert classify(cards("5R Ph"), 0, 0, True)[0] == NOTHING
    assert classify(cards("5R 5G"), 5, 0, True)[0] == NOTHING
    assert classify(cards("5R"), 5, 0, True)[0] == NOTHING


def test_the_dog_and_the_dragon_are_only_alone() -> None:
    for special in ("Dog", "Dr"):
        assert kind(f"{special} Ph=A")[0] == NOTHING
        assert kind(f"{special} AR")[0] == NOTHING
        assert kind(f"TR JR QR KR AG {special}")[0] == NOTHING
    assert kind("Dog Dr")[0] == NOTHING


def test_without_straight_flushes_one_suit_is_a_straight() -> None:
    assert kind("2R 3R 4R 5R 6R", flush=False) == (STRAIGHT, 5, 12)
    assert bombs("2R 3R 4R 5R 6R", flush=False) == []
    assert plays("2R 3R 4R 5R 6R", (STRAIGHT, 5, 10), flush=False) == ["2R 3R 4R 5R 6R"]


def test_a_long_straight_with_a_flush_inside_is_a_straight() -> None:
    assert kind("2R 3R 4R 5R 6R 7G") == (STRAIGHT, 6, 14)


def test_the_single_phoenix_is_half_above_what_lies_there() -> None:
    assert kind("Ph") == (SINGLE, 1, PHOENIX_LED)
    assert kind("Ph", on_height=2) == (SINGLE, 1, 3)
    assert kind("Ph", on_height=28) == (SINGLE, 1, 29)


def test_a_led_phoenix_is_beaten_by_a_2_but_not_by_the_mah_jong() -> None:
    table = (SINGLE, 1, PHOENIX_LED)
    assert plays("Ma 2R", table) == ["2R"]
    assert not legal("Ma 2R", "Ma", table)


def test_the_phoenix_on_an_ace_is_beaten_by_the_dragon_only() -> None:
    assert plays("AR KR Dr", (SINGLE, 1, 29)) == ["Dr"]


def test_the_phoenix_does_not_beat_the_dragon() -> None:
    assert plays("Ph AR", ON_DRAGON) == []
    assert not legal("Ph AR", "Ph", ON_DRAGON)
    assert not beats(SINGLE, 1, DRAGON_HEIGHT + 1, *ON_DRAGON)


def test_the_phoenix_is_laid_on_every_other_single() -> None:
    for height in range(2, 30, 2):
        assert "Ph" in plays("Ph", (SINGLE, 1, height))
        assert legal("Ph", "Ph", (SINGLE, 1, height))


def test_the_phoenix_alone_is_no_play_on_a_pair() -> None:
    assert plays("Ph", (PAIR, 2, 4)) == []
    assert not legal("Ph", "Ph", (PAIR, 2, 4))


def test_bombs_beat_the_dragon() -> None:
    assert plays("2R 2G 2B 2S", ON_DRAGON) == ["2R 2G 2B 2S"]


def test_the_dog_is_only_led() -> None:
    assert plays("Dog 5R") == ["Dog", "5R"]
    assert plays("Dog 5R", (SINGLE, 1, 4)) == ["5R"]
    assert not legal("Dog 5R", "Dog", (SINGLE, 1, 4))
    assert not beats(DOG, 1, 0, SINGLE, 1, 2)


def test_nothing_beats_the_dog_not_even_a_bomb() -> None:
    table = (DOG, 1, 0)
    hand = "2R 2G 2B 2S 3R 4R 5R 6R Dr"
    assert plays(hand, table) == []
    assert bombs(hand, table) == []
    assert not any(can_fulfil(cards(hand), *table, rank, True) for rank in range(2, 7))
    assert not beats(BOMB, 4, 8, *table)


@pytest.mark.parametrize("table_kind", [PAIR, TRIO, FULL_HOUSE, STRAIGHT, STEPS])
def test_only_the_same_kind_and_length_is_beaten_and_only_by_more_height(table_kind: int) -> None:
    assert beats(table_kind, 6, 12, table_kind, 6, 10)
    assert not beats(table_kind, 6, 10, table_kind, 6, 10)
    assert not beats(table_kind, 8, 12, table_kind, 6, 10)
    assert not beats(SINGLE, 1, 12, table_kind, 6, 10)
    assert not beats(NOTHING, 0, 0, table_kind, 6, 10)


def test_nothing_is_not_led() -> None:
    assert not beats(NOTHING, 0, 0, *LEAD)


def test_bombs_beat_by_length_first_then_by_height() -> None:
    assert beats(BOMB, 4, 4, STRAIGHT, 14, 28)
    assert beats(BOMB, 4, 6, BOMB, 4, 4)
    assert not beats(BOMB, 4, 4, BOMB, 4, 4)
    assert beats(BOMB, 5, 12, BOMB, 4, 28)
    assert not beats(BOMB, 4, 28, BOMB, 5, 12)
    assert beats(BOMB, 6, 14, BOMB, 5, 28)
    assert not beats(STRAIGHT, 5, 28, BOMB, 5, 12)


def test_the_trio_decides_between_full_houses() -> None:
    table = (FULL_HOUSE, 5, 8)
    hand = "3R 3G 3B AR AG 5R 5G 5B"
    assert plays(hand, table) == ["3R 3G 5R 5G 5B", "5R 5G 5B AR AG"]
    assert not legal(hand, "3R 3G 3B AR AG", table)


def test_a_full_house_needs_two_ranks() -> None:
    assert of_kind(FULL_HOUSE, plays("8R 8G 8B 8S Ph")) == []


def test_two_pairs_and_the_phoenix_mean_both_full_houses() -> None:
    listed = of_kind(FULL_HOUSE, plays("4R 4G 9R 9G Ph"))
    assert listed == ["4R 4G 9R 9G Ph=4", "4R 4G 9R 9G Ph=9"]


def test_a_trio_takes_one_card_and_the_phoenix_for_its_pair() -> None:
    listed = of_kind(FULL_HOUSE, plays("4R 4G 4B 9R Ph Ma"))
    assert listed == ["4R 4G 4B 9R Ph=9"]


def test_n_in_a_row_and_the_phoenix_mean_both_ends() -> None:
    listed = of_kind(STRAIGHT, plays("4R 5R 6R 7G Ph"))
    assert listed == ["4R 5R 6R 7G Ph=3", "4R 5R 6R 7G Ph=8"]


def test_2_to_5_and_the_phoenix_are_only_2_to_6() -> None:
    assert of_kind(STRAIGHT, plays("2R 3R 4R 5G Ph")) == ["2R 3R 4R 5G Ph=6"]


def test_jack_to_ace_and_the_phoenix_are_only_10_to_ace() -> None:
    assert of_kind(STRAIGHT, plays("JR QR KR AG Ph")) == ["JR QR KR AG Ph=T"]


def test_the_phoenix_may_stand_for_a_card_that_is_held_but_not_for_the_mah_jong() -> None:
    listed = of_kind(STRAIGHT, plays("Ma 2R 3R 4R 5G Ph"))
    assert listed == [
        "2R 3R 4R 5G Ma",
        "3R 4R 5G Ma Ph=2",
        "2R 4R 5G Ma Ph=3",
        "2R 3R 5G Ma Ph=4",
        "2R 3R 4R Ma Ph=5",
        "2R 3R 4R 5G Ph=6",
        "2R 3R 4R 5G Ma Ph=6",
    ]


def test_the_phoenix_fills_one_gap_not_two() -> None:
    assert of_kind(STRAIGHT, plays("2R 3R 5R 6G Ph")) == ["2R 3R 5R 6G Ph=4"]
    assert of_kind(STRAIGHT, plays("2R 3R 5R 7G Ph")) == []


def test_the_longest_straight_is_1_to_ace() -> None:
    hand = "Ma 2R 3G 4R 5G 6R 7G 8R 9G TR JG QR KG AR"
    assert max(len(words.split()) for words in plays(hand)) == 14
    assert len(of_kind(STRAIGHT, plays(hand))) == 55


def test_steps_take_the_phoenix_in_any_pair() -> None:
    listed = of_kind(STEPS, plays("2R 2G 3R 3G Ph"))
    assert listed == ["2R 2G 3R 3G", "2R 3R 3G Ph=2", "2R 2G 3R Ph=3"]


def test_steps_lack_one_card_at_most() -> None:
    assert of_kind(STEPS, plays("2R 3R Ph")) == []
    assert of_kind(STEPS, plays("2R 3R 3G 4R Ph")) == ["2R 3R 3G Ph=2", "3R 3G 4R Ph=4"]


def test_on_steps_and_straights_only_the_same_length_is_listed() -> None:
    hand = "3R 3G 4R 4G 5R 5G 6S 7R"
    assert plays(hand, (STEPS, 4, 8)) == ["4R 4G 5R 5G"]
    assert plays(hand, (STEPS, 6, 8)) == ["3R 3G 4R 4G 5R 5G"]
    assert plays("3G 4R 5R 6R 7R 8R 8G", (STRAIGHT, 5, 14), flush=False) == ["4R 5R 6R 7R 8R"]
    assert plays("3G 4R 5R 6G 7R 8R", (STRAIGHT, 6, 14)) == ["3G 4R 5R 6G 7R 8R"]


def test_plays_come_in_a_fixed_order() -> None:
    listed = plays("Dog Ma 2R 2G 2B 2S 3R 3G Ph Dr")
    assert listed[:6] == ["Dog", "Ma", "Ph", "2R", "3R", "Dr"]
    kinds = [kind(words)[0] for words in listed[6:]]
    assert kinds == sorted(kinds)
    assert listed[-1] == "2R 2G 2B 2S"


def test_bombs_are_listed_shorter_ones_first() -> None:
    assert bombs("2R 3R 4R 5R 6R 7R AR AG AB AS") == [
        "AR AG AB AS",
        "2R 3R 4R 5R 6R",
        "3R 4R 5R 6R 7R",
        "2R 3R 4R 5R 6R 7R",
    ]


def test_on_a_bomb_only_better_bombs_are_listed() -> None:
    hand = "2R 3R 4R 5R 6R 7R AR AG AB AS"
    assert bombs(hand, (BOMB, QUAD, 28)) == bombs(hand)[1:]
    assert bombs(hand, (BOMB, 5, 12)) == bombs(hand)[2:]
    assert bombs(hand, (BOMB, 5, 28)) == bombs(hand)[3:]
    assert bombs(hand, (BOMB, 6, 14)) == []
    assert bombs(hand, (BOMB, 13, 28)) == []


def test_a_straight_of_one_suit_is_listed_as_a_bomb_only() -> None:
    listed = plays("2R 3R 4R 5R 6R")
    assert of_kind(STRAIGHT, listed) == []
    assert of_kind(BOMB, listed) == ["2R 3R 4R 5R 6R"]
    assert plays("2R 3R 4R 5R 6R", (STRAIGHT, 5, 28)) == ["2R 3R 4R 5R 6R"]


def test_a_card_of_another_suit_makes_it_a_straight_too() -> None:
    listed = plays("2R 3R 4R 5R 6R 6G")
    assert of_kind(STRAIGHT, listed) == ["2R 3R 4R 5R 6G"]
    assert of_kind(BOMB, listed) == ["2R 3R 4R 5R 6R"]


def test_two_suits_side_by_side_make_one_straight() -> None:
    listed = plays("2R 3R 4R 5R 6R 2G 3G 4G 5G 6G")
    assert len(of_kind(STRAIGHT, listed)) == 1
    assert len(of_kind(BOMB, listed)) == 2


def test_cards_outside_straight_flushes_are_chosen_first() -> None:
    hand = "2R 3R 4R 5R 6R 3S 6B 6S"
    assert plays(hand, (SINGLE, 1, 4)) == [
        *("3S", "3R"),  # the 3 of the flush is a choice of its own
        *("4R", "5R"),
        *("6B", "6R"),
        "2R 3R 4R 5R 6R",
    ]
    assert plays(hand, (PAIR, 2, 6))[:2] == ["6B 6S", "6R 6B"]


def test_without_straight_flushes_the_lowest_suit_is_the_only_choice() -> None:
    assert plays("2R 3R 4R 5R 6R 3S 6B 6S", (PAIR, 2, 6), flush=False) == ["6R 6B"]
    assert plays("9B 9S 5G 5S") == ["5G", "9B", "5G 5S", "9B 9S"]


def test_choices_that_leave_the_same_straight_flushes_are_one() -> None:
    hand = "2R 3R 4R 5R 6R 7R 8R 8G"
    assert plays(hand, (SINGLE, 1, 14)) == ["8G", "8R", *bombs(hand)]
    straights = of_kind(STRAIGHT, plays("2R 2G 3R 4R 5R 6R 6G"))
    assert straights == ["2G 3R 4R 5R 6G"]


def test_a_middle_card_of_a_long_flush_differs_from_an_end() -> None:
    hand = "2R 3R 4R 5R 6R 7R 2G 3G 4G 5G 6G 7S"
    sevens = [words for words in plays(hand, (SINGLE, 1, 12)) if kind(words)[0] == SINGLE]
    assert sevens == ["7S", "7R"]
    twos = [words for words in plays(hand) if words in ("2R", "2G")]
    assert twos == ["2R", "2G"]


def test_every_choice_of_cards_is_legal_not_only_the_listed_one() -> None:
    hand = "5R 5G 5B 6S"
    assert plays(hand, (PAIR, 2, 4)) == ["5R 5G"]
    assert legal(hand, "5G 5B", (PAIR, 2, 4))
    assert not legal(hand, "5G 5S", (PAIR, 2, 4))  # not held
    assert not legal(hand, "5G 5B", (PAIR, 2, 10))  # no higher
    assert not legal(hand, "5G 6S")


def test_only_plays_are_plays() -> None:
    hand = cards("5R 5G")
    for what in range(1, 6):
        assert not is_play(hand, other_action(what, int(cards("5R"))), *LEAD, True)
    assert not is_play(hand, 0, *LEAD, True)
    assert not is_play(hand, -1, *LEAD, True)


def test_a_wish_lists_only_plays_with_a_natural_card_of_it() -> None:
    hand = "Ma Dog Ph Dr 4R 5R 6R 7G 8S 8R"
    for words in plays(hand, wish=8):
        assert "8S" in words.split() or "8R" in words.split()
    assert plays(hand, wish=9) == []
    assert set(plays(hand, wish=8)) == {
        words for words in plays(hand) if {"8R", "8S"} & set(words.split())
    }


def test_the_phoenix_never_fulfils_a_wish() -> None:
    hand = "4R 5R 6R 8S Ph"
    table = (STRAIGHT, 5, 14)
    assert plays(hand, table) == ["4R 5R 6R 8S Ph=7"]
    assert not can_fulfil(cards(hand), *table, 7, True)
    assert plays(hand, table, wish=7) == []
    assert plays("4R 5R 6R 7G 8S Ph", table, wish=7) == [
        "4R 5R 6R 7G 8S",
        "5R 6R 7G 8S Ph=4",
        "4R 6R 7G 8S Ph=5",
        "4R 5R 7G 8S Ph=6",
        "4R 5R 6R 7G Ph=8",
        "5R 6R 7G 8S Ph=9",
    ]


def test_the_phoenix_fills_another_rank_to_fulfil_a_wish() -> None:
    assert can_fulfil(cards("4R 5R 6R 8S Ph"), STRAIGHT, 5, 14, 8, True)
    assert can_fulfil(cards("9R Ph"), PAIR, 2, 4, 9, True)
    assert can_fulfil(cards("9R 2R 2G 2B Ph"), FULL_HOUSE, 5, 2, 9, True)
    assert not can_fulfil(cards("9R 2R 2G 2B Ph"), FULL_HOUSE, 5, 4, 9, True)
    assert can_fulfil(cards("9R TR TG Ph"), STEPS, 4, 18, 9, True)


def test_a_bomb_fulfils_a_wish() -> None:
    assert can_fulfil(cards("9R 9G 9B 9S"), *ON_DRAGON, 9, True)
    assert can_fulfil(cards("5R 6R 7R 8R 9R"), *ON_DRAGON, 6, True)
    assert not can_fulfil(cards("5R 6R 7R 8R 9R"), *ON_DRAGON, 6, False)
    assert not can_fulfil(cards("5R 6R 7R 8R 9R 6G"), BOMB, 5, 18, 6, True)
    assert can_fulfil(cards("5R 6R 7R 8R 9R 4R"), BOMB, 5, 28, 6, True)


def test_whoever_leads_can_fulfil_with_a_single() -> None:
    assert can_fulfil(cards("9R Dog"), *LEAD, 9, True)
    assert not can_fulfil(cards("9R Dog"), *LEAD, 8, True)
    assert not can_fulfil(cards("9R Dog"), *LEAD, 0, True)


def all_plays(hand: int, table: Table, flush: bool) -> list[Action]:
    """Try all sets of cards with all meanings of the Phoenix."""
    held = [1 << number for number in range(CARDS) if hand >> number & 1]
    found = []
    for size in range(1, len(held) + 1):
        for chosen in itertools.combinations(held, size):
            for meaning in (0, *range(2, ACE + 1)) if sum(chosen) >> PHOENIX & 1 else (0,):
                action = int(play_action(np.uint64(sum(chosen)), meaning))
                if is_play(np.uint64(hand), action, *table, flush):
                    found.append(action)
    return found


def sort_of(hand: int, action: Action, flush: bool) -> tuple[object, ...]:
    """Return what decides whether two plays are the same: kind, ranks, Phoenix, flushes left."""
    laid = int(cards_of(action))
    counts = tuple((laid >> 4 * nibble & 15).bit_count() for nibble in range(13))
    left = hand & ~laid & (1 << 52) - 1
    runs = left & left >> 4 & left >> 8 & left >> 12 & left >> 16 if flush else 0
    what = kind(show(action), flush=flush)[0]
    return what, counts, laid >> 52, int(phoenix_of(action)), runs


def random_hand(source: random.Random, size: int) -> int:
    """Draw cards of few ranks or few suits, so that there are combinations; often the Phoenix."""
    low, suits = source.randrange(9), source.sample(range(4), source.choice([1, 2, 4]))
    width = source.choice([5, 6, 13]) if len(suits) > 1 else 13
    deck = [c for c in range(52) if low <= c // 4 < low + width and c % 4 in suits]
    drawn = set(source.sample(deck, min(size, len(deck))))
    drawn |= set(source.sample(range(52, 56), source.choice([0, 1, 2])))
    return sum(1 << number for number in drawn)


def random_table(source: random.Random) -> Table:
    """Draw something to beat, or nothing."""
    what = source.choice([NOTHING, SINGLE, PAIR, TRIO, FULL_HOUSE, STRAIGHT, STEPS, BOMB])
    lengths = {STRAIGHT: [5, 6, 7], STEPS: [4, 6], BOMB: [4, 5, 6], FULL_HOUSE: [5]}
    length = source.choice(lengths.get(what, [what]))
    height = source.choice([*range(4, 26, 2), *((2, 3, 9, 29, 30) if what == SINGLE else ())])
    return (what, length, height) if what != NOTHING else LEAD


@pytest.mark.parametrize("flush", [True, False])
def test_one_play_of_each_sort_is_listed(flush: bool) -> None:
    source = random.Random(8)
    for _ in range(400 if COMPILED else 30):
        hand, table = random_hand(source, 7), random_table(source)
        wish = source.choice([0, 0, *range(2, ACE + 1)])
        legal_plays = [
            action
            for action in all_plays(hand, table, flush)
            if wish == 0 or int(action) & (15 << 4 * (wish - 2))
        ]
        listed = [play(words) for words in plays(show(hand), table, wish, flush)]
        assert set(listed) <= set(legal_plays)
        sorts = [sort_of(hand, action, flush) for action in listed]
        assert len(set(sorts)) == len(sorts)
        assert set(sorts) == {sort_of(hand, action, flush) for action in legal_plays}
        if wish > 0:
            assert can_fulfil(np.uint64(hand), *table, wish, flush) == (len(listed) > 0)
        else:
            there = bombs(show(hand), table, flush)
            assert there == [w for w in map(show, listed) if kind(w, flush=flush)[0] == BOMB]


def test_the_fullest_hand_has_as_many_plays_as_the_bound() -> None:
    hand = "3R 4R 5R 6R 7R 8R 9R TR 4G 5G 6G 7G 8G Ph"
    assert len(plays(hand)) == MAX_PLAYS
    assert len(plays("2R 3R 4R 5R 6R 7R 8R 9R TR JR QR KR AR Ph")) == 417


@allocating_kernel
def fullest(
    run: np.uint64, specials: np.uint64, n_others: int, n_bombs: int, out: Actions
) -> tuple[int, int]:
    """Find the most plays of a hand with these straight flushes, and how many hands there are.

    The other cards are drawn by rank in all ways. Whether they make more straight flushes does not
    matter: they are treated as if they did not, as other suits would do.
    """
    most, n_hands = 0, 0
    count = np.zeros(14, np.int64)
    counts = count_ranks(run)
    rank, left = 0, n_others
    count[0] = -1
    while rank >= 0:
        count[rank] += 1
        left -= 1 if count[rank] > 0 else 0
        room = 4 - np.int64((counts >> np.uint64(4 * rank)) & NIBBLE)
        if left < 0 or count[rank] > room:
            left += count[rank]
            rank -= 1
        elif rank < 12:
            rank += 1
            count[rank] = -1
        elif left == 0:
            hand = run | specials
            for i in range(13):
                free = NIBBLE << np.uint64(4 * i) & ~run
                for _ in range(count[i]):
                    hand |= free & (~free + S1)
                    free &= free - S1
            n = list_plays(hand, NOTHING, 0, 0, 0, False, out, 0)
            if run != 0:
                n = spread_choices(hand, run, out, 0, n) + n_bombs
            most = max(most, n)
            n_hands += 1
    return most, n_hands


def flush_runs() -> list[tuple[int, int]]:
    """List the sets of straight flushes that a hand can hold, and how many bombs they are."""

    def run(low: int, size: int, suit: int) -> int:
        return sum(1 << 4 * (low + i) + suit for i in range(size))

    def n_bombs(size: int) -> int:
        return (size - 4) * (size - 3) // 2

    runs = [(low, size) for size in range(5, 14) for low in range(14 - size)]
    found = [(0, 0), *((run(*one, 0), n_bombs(one[1])) for one in runs)]
    for one, two in itertools.combinations_with_replacement(runs, 2):
        sum_of_bombs = n_bombs(one[1]) + n_bombs(two[1])
        if one[1] + two[1] <= 14:
            found.append((run(*one, 0) | run(*two, 1), sum_of_bombs))
        if sum(one) < two[0] or sum(two) < one[0]:
            found.append((run(*one, 0) | run(*two, 0), sum_of_bombs))
    return found


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="looks at millions of hands")
def test_no_hand_has_more_plays_than_the_bound() -> None:
    # The Dog and the Dragon are left out: they add one play each, as a card of any new rank does.
    most, n_hands = 0, 0
    out = np.empty(4 * MAX_PLAYS, np.int64)
    for run, n_bombs in flush_runs():
        for specials in (0, int(MAH_JONG_BIT), int(PHOENIX_BIT), int(MAH_JONG_BIT | PHOENIX_BIT)):
            n_others = 14 - run.bit_count() - specials.bit_count()
            if n_others >= 0:
                of_run = fullest(np.uint64(run), np.uint64(specials), n_others, n_bombs, out)
                most, n_hands = max(most, of_run[0]), n_hands + of_run[1]
    assert most == MAX_PLAYS
    assert n_hands > 10_000_000
