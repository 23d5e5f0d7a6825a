"""Sheephead: rule by rule, and what holds in every hand."""

import itertools
from typing import Any

import numpy as np
import pytest

import kibitz
from kibitz.core.bits import popcount
from kibitz.core.game import apply, deal, is_over, movers, random_action, scores
from kibitz.core.kernels import COMPILED
from kibitz.core.rng import Purpose, derive
from kibitz.games.sheephead.cards import (
    ALL_CARDS,
    ALONE,
    BLITZ_BLACK,
    BLITZ_BOTH,
    BLITZ_RED,
    BURY,
    CALL_UNKNOWN,
    CRACK,
    FAIL,
    NAMES,
    PASS,
    PICK,
    POINTS,
    TRUMP,
    TRUMPS,
    cards_of_suit,
    suit_of,
)
from kibitz.games.sheephead.payments import card_points, pay_leaster, pay_nola, pay_picked
from kibitz.games.sheephead.play import power_in
from kibitz.games.sheephead.state import (
    BIDDING,
    BLITZING,
    BURYING,
    CRACKING,
    DECLARING,
    LEASTER_PLAYING,
    NOLA_PLAYING,
    OVER,
    PLAYING,
    STATE,
    WAITING,
)
from tests.games.sheephead_deals import (
    SPECS,
    bury,
    call,
    card,
    cards,
    dealt,
    finish,
    game,
    listed,
    may,
    members,
    named,
    playable,
    tricks,
    turn,
    turns,
    view_of,
)

TRUMP_ORDER = "QC JOKER QS QH QD JC JS JH JD AD 10D KD 9D 8D"
FAIL_ORDER = "A 10 K 9 8 7"


def money(state: np.record) -> list[int]:
    out = np.zeros(5)
    scores(state, out)
    return out.astype(int).tolist()


# Deck and order.


def test_the_deck_has_32_cards_and_the_joker_is_the_seven_of_diamonds() -> None:
    names = {rank + suit for rank in ("7", "8", "9", "10", "J", "Q", "K", "A") for suit in "CSHD"}
    assert len(NAMES) == 32
    assert set(NAMES) == names - {"7D"} | {"JOKER"}


@pytest.mark.parametrize("led", range(4))
def test_trumps_from_the_queen_of_clubs_to_the_eight_of_diamonds(led: int) -> None:
    powers = [power_in(PLAYING, led, card(name)) for name in TRUMP_ORDER.split()]
    assert powers == sorted(set(powers), reverse=True)
    assert cards(TRUMP_ORDER) == TRUMPS


@pytest.mark.parametrize("suit", "CSH")
def test_fail_suits_rank_ace_ten_king_nine_eight_seven(suit: str) -> None:
    names = [rank + suit for rank in FAIL_ORDER.split()]
    led = "CSH".index(suit)
    powers = [power_in(PLAYING, led, card(name)) for name in names]
    assert powers == sorted(set(powers), reverse=True)
    assert min(powers) > 0
    assert max(powers) < power_in(PLAYING, led, card("8D")), "any trump beats them"
    assert all(power_in(PLAYING, (led + 1) % 3, card(name)) == 0 for name in names)
    assert cards(" ".join(names)) == cards_of_suit(led)


def test_points_of_the_cards_add_up_to_120() -> None:
    assert POINTS.sum() == 120
    for rank, points in {"A": 11, "10": 10, "K": 4, "Q": 3, "J": 2, "9": 0, "8": 0}.items():
        assert {int(POINTS[card(rank + suit)]) for suit in "CSHD"} == {points}
    assert POINTS[card("JOKER")] == 0
    assert card_points(ALL_CARDS) == 120


# Table and deal.


def test_six_cards_each_and_two_in_the_blind() -> None:
    for seed in range(20):
        state = dealt(seed=seed)
        piles = [*state.hand, state.blind]
        assert [popcount(pile) for pile in piles] == [6] * 5 + [2]
        assert np.bitwise_or.reduce(piles) == ALL_CARDS


def test_every_card_is_dealt_to_every_place_equally_often() -> None:
    n = 4000 if COMPILED else 100
    state = game().blank(1)[0]
    rng = derive(5, Purpose.DEAL)
    counts = np.zeros((6, 32))
    for _ in range(n):
        deal(state, rng)
        for k, pile in enumerate([*state.hand, state.blind]):
            counts[k, members(pile)] += 1
    want = n * np.array([6] * 5 + [2])[:, np.newaxis] / 32
    assert (abs(counts - want) < 5 * np.sqrt(want)).all()


def test_bidding_and_the_first_lead_begin_left_of_the_dealer() -> None:
    state = dealt("QC", "7C 8C")
    assert state.dealer == 4
    assert turn(state) == 0
    turns(state, "pass", "pick", bury("7C 8C"), "alone")
    assert state.phase == PLAYING
    assert turn(state) == 0


def test_the_deal_passes_to_the_left() -> None:
    state = dealt(hands=7)
    dealers = [int(state.dealer)]
    for seed in range(6):
        finish(state, seed)
        assert state.phase == WAITING
        deal(state, derive(seed, Purpose.DEAL))
        dealers.append(int(state.dealer))
        assert turn(state) == (state.dealer + 1) % 5
    assert dealers == [4, 0, 1, 2, 3, 4, 0]


def test_seats_are_drawn_again_every_so_many_hands() -> None:
    tables = []
    for seed in range(300 if COMPILED else 30):
        state = dealt(seed=seed, hands=4, redraw=2)
        first = state.left.tolist()
        assert first == [1, 2, 3, 4, 0]
        for hand in range(3):
            finish(state, seed)
            dealer = int(state.left[state.dealer])
            before = state.left.tolist()
            deal(state, derive(seed, Purpose.DEAL, hand))
            assert state.dealer == dealer, "who deals is who sat left of the dealer before"
            assert hand == 1 or state.left.tolist() == before
        seat, order = 0, []
        for _ in range(5):
            order.append(seat)
            seat = int(state.left[seat])
        assert sorted(order) == [0, 1, 2, 3, 4]
        assert seat == 0
        tables.append(tuple(order))
    assert not COMPILED or len(set(tables)) == 24, "all circular orders come up"


def test_seats_are_never_drawn_again_with_redraw_zero() -> None:
    state = dealt(hands=3, redraw=0)
    for seed in range(2):
        deal(finish(state, seed), derive(seed, Purpose.DEAL))
    assert state.left.tolist() == [1, 2, 3, 4, 0]


# Bidding and burying.


def test_each_picks_or_passes_once_and_the_first_to_pick_takes_the_blind() -> None:
    state = dealt()
    assert listed(state) == [PASS, PICK]
    blind = state.blind
    turns(state, "pass", "pass", "pick")
    assert state.picker == 3
    assert turn(state) == 2
    assert state.phase == BURYING
    assert popcount(state.hand[2]) == 8
    assert state.hand[2] & blind == blind
    assert state.blind == 0


def test_any_two_of_eight_cards_may_be_buried() -> None:
    state = turns(dealt(), "pick")
    actions = listed(state)
    assert len(actions) == 28
    assert actions == sorted(actions)
    pairs = itertools.combinations(members(state.hand[0]), 2)
    assert set(actions) == {bury(f"{NAMES[low]} {NAMES[high]}") for low, high in pairs}
    hand = state.hand[0]
    turns(state, actions[-1])
    assert state.phase == DECLARING
    assert popcount(state.buried) == 2
    assert state.hand[0] | state.buried == hand
    assert not may(turns(dealt("7C 8C"), "pick"), BURY - 1)


@pytest.mark.parametrize(
    ("hand", "blind", "n", "n_fail"),
    [("7C 8C 9C KC QC QS", "QH QD", 6, 2), ("7C QC QS QH QD JC", "JS JH", 7, 1)],
)
def test_bury_fail_allows_trumps_only_where_fail_cards_are_lacking(
    hand: str, blind: str, n: int, n_fail: int
) -> None:
    state = turns(dealt(hand, blind=blind, bury="fail"), "pick")
    actions = listed(state)
    assert len(actions) == n
    for action in actions:
        buried = turns(state.copy(), action).buried
        assert popcount(buried & FAIL) == n_fail
    assert not may(state, bury("QC QS"))
    only_trumps = turns(dealt("QC QS QH QD JC JS", blind="JH JD", bury="fail"), "pick")
    assert len(listed(only_trumps)) == 28


# Calling. What is held counts on all eight cards.


def declaring(hand: str, blind: str, buried: str, **options: Any) -> np.record:
    """Let seat 0 pick and bury."""
    return turns(dealt(hand, blind=blind, **options), "pick", bury(buried))


def test_c_a_an_ace_is_called_of_a_suit_that_is_kept_without_it() -> None:
    state = declaring("7C 8S AH 9H QC QS", "QH QD", "QC QS")
    assert listed(state) == [ALONE, call("AC"), call("AS")]
    turns(state, call("AS"))
    assert state.called == card("AS") + 1
    assert int(state.hand[state.partner - 1]) >> card("AS") & 1
    assert state.phase == PLAYING


def test_c_a_a_suit_that_is_buried_away_cannot_be_called() -> None:
    state = declaring("7C 8S AH 9H QC QS", "QH QD", "7C QS")
    assert listed(state) == [ALONE, call("AS")]
    both = declaring("7C 8S AH 9H QC QS", "QH QD", "7C 8S")
    assert listed(both) == [ALONE], "alone is left: the eight cards have fail suits without aces"


def test_c_b_an_unknown_card_is_laid_where_every_held_suit_has_its_ace() -> None:
    state = declaring("AH 9H QC QS QH QD", "JC JS", "JC JS")
    kept = ["AH", "9H", "QC", "QS", "QH", "QD"]
    want = {call(f"A{suit}", unknown) for suit in "CS" for unknown in kept}
    assert set(listed(state)) == want | {ALONE}
    assert listed(state) == sorted(listed(state))
    turns(state, call("AC", "QC"))
    assert state.called == card("AC") + 1
    assert state.face_down == card("QC") + 1
    assert int(state.hand[0]) >> card("QC") & 1, "it stays in the hand until it is played"


def test_c_b_with_trumps_only_any_ace_may_be_called() -> None:
    state = declaring("JD JH QC QS QH QD", "JC JS", "JC JS")
    assert len(listed(state)) == 1 + 6 * 3
    fail_only = declaring("JD JH QC QS QH QD", "JC JS", "JC JS", unknown="fail")
    assert listed(fail_only) == [ALONE]


def test_c_b_unknown_fail_allows_fail_cards_only() -> None:
    state = declaring("AH 9H QC QS QH QD", "JC JS", "JC JS", unknown="fail")
    want = {call(f"A{suit}", unknown) for suit in "CS" for unknown in ("AH", "9H")}
    assert set(listed(state)) == want | {ALONE}


def test_c_c_with_all_aces_a_ten_is_called_of_a_suit_that_is_kept() -> None:
    state = declaring("AC AS AH 10H QC QS", "QH QD", "QC QS")
    assert listed(state) == [ALONE, call("10C"), call("10S")]
    gone = declaring("AC AS AH 10H QC QS", "QH QD", "AC QS")
    assert listed(gone) == [ALONE, call("10S")], "the buried ace is held, but not kept"
    turns(gone, call("10S"))
    assert int(gone.hand[gone.partner - 1]) >> card("10S") & 1


def test_c_d_with_all_aces_and_tens_alone_is_the_only_call() -> None:
    state = declaring("AC AS AH 10H 10C 10S", "QH QD", "QH QD")
    assert listed(state) == [ALONE]
    turns(state, "alone")
    assert state.called == state.partner == state.without == 0


def test_the_called_card_is_in_one_of_the_other_hands() -> None:
    for seed in range(60 if COMPILED else 6):
        state = finish(dealt(seed=seed), seed)
        if state.called:
            assert state.partner not in (0, state.picker)
            assert int(state.played[state.partner - 1]) >> int(state.called - 1) & 1


# Play.


def alone(*hands: str, **options: Any) -> np.record:
    """Let seat 0 pick, bury what he got from the blind, and play alone."""
    state = dealt(*hands, **options)
    pair = named(state.blind)
    return turns(state, "pick", bury(pair), "alone", *(["pass"] * 4 if state.crack else []))


def test_trump_is_one_suit_and_must_be_followed() -> None:
    state = alone("JC 7C", "JH 8D JOKER QD 8C 9C")
    turns(state, "JC")
    assert playable(state) == "8D JH QD JOKER"
    assert not may(state, "8C")


def test_who_cannot_follow_plays_anything() -> None:
    state = alone("7C", "JH 8D JOKER QD 8S 9H")
    turns(state, "7C")
    assert len(listed(state)) == 6
    assert state.void[1] == 0
    turns(state, "9H")
    assert state.void[1] == 0b0001


def test_the_highest_trump_takes_the_trick_or_else_the_highest_card_of_the_suit_led() -> None:
    state = alone("9C QH 7S 8S 9S KS", "10C QS 7H 8H 9H KH", "AS JD 10S AH 10H 8D")
    state.hand[3] = cards("KC 7C QC 9D KD 10D")
    state.hand[4] = cards("8C AC AD JH JS JC")
    state.buried = cards("QD JOKER")
    tricks(state, "9C 10C AS KC 8C")
    assert state.last_winner == 2, "the ace of spades is worth nothing on clubs"
    assert state.points[1] == 10 + 11 + 4
    tricks(state, "QS JD QC AD QH")
    assert state.last_winner == 4
    assert state.points[3] == 3 + 2 + 3 + 11 + 3
    assert state.tricks.tolist() == [0, 1, 0, 1, 0]
    assert state.last_leader == 1
    assert turn(state) == state.leader == 3


# The called card. Seat 0 picks and calls, seat 2 is the partner.

PICKER, PARTNER = "7C QC QS 8D KS 9S", "AC 9C 10C QD 9D KH"
REST = ("8C JC JS 7S 7H 8S", "KC JH JD 10S 10H AS", "JOKER QH AD KD 8H 9H")
BLIND = "10D AH"


def called_ace(first: str = "7C", **options: Any) -> np.record:
    """Let seat 0 call the ace of clubs, which seat 2 holds; `first` is a card of his."""
    hand = PICKER.replace("7C", first)
    state = dealt(hand, REST[0], PARTNER, REST[1], REST[2], blind=BLIND, **options)
    return turns(state, "pick", bury(BLIND), call("AC"))


def give_lead(state: np.record, seat: int) -> np.record:
    """Let another seat lead to the first trick."""
    state.leader = state.turn = seat
    return state


def test_the_deal_of_the_following_tests() -> None:
    state = called_ace()
    assert state.partner == 3
    assert [popcount(hand) for hand in state.hand] == [6] * 5


def test_h1_the_picker_keeps_his_last_card_of_the_called_suit() -> None:
    state = give_lead(called_ace(), 4)
    turns(state, "8H")
    assert playable(state) == "9S KS 8D QS QC", "void in hearts, but the seven of clubs stays"
    turns(state, "9S")
    assert state.void[0] == 0b0100


def test_h1_a_second_card_of_the_called_suit_may_be_thrown() -> None:
    state = give_lead(called_ace(), 4)
    state.hand[0] ^= cards("9S") | cards("8C")
    state.hand[1] ^= cards("9S") | cards("8C")
    turns(state, "8H")
    assert playable(state) == "7C 8C KS 8D QS QC"
    turns(state, "8C")
    assert state.without == 0b00001


def test_h1_in_the_last_trick_it_must_be_played_on_anything() -> None:
    state = give_lead(called_ace(), 4)
    for seat, keep in enumerate(["7C", "JC", "QD", "JH", "JOKER"]):
        state.played[seat] = state.hand[seat] & ~cards(keep)
        state.hand[seat] = cards(keep)
    state.tricks_played = 5
    state.played[2] ^= cards("AC") | cards("QD")
    state.hand[2] = cards("AC")
    turns(state, "JOKER")
    assert playable(state) == "7C"
    turns(state, "7C", "JC")
    assert playable(state) == "AC", "H5: so must the called card"
    turns(state, "AC", "JH")
    assert state.phase == OVER
    assert state.revealed == 1


def test_h2_the_picker_follows_when_the_called_suit_is_led() -> None:
    state = turns(give_lead(called_ace(), 3), "KC")
    turns(state, "JOKER")
    assert playable(state) == "7C"


def test_h3_the_partner_must_play_the_called_card_when_its_suit_is_first_led() -> None:
    state = turns(called_ace(), "7C", "8C")
    assert playable(state) == "AC"
    turns(state, "AC")
    assert state.revealed == 1


def test_h3_by_whoever_it_is_led() -> None:
    state = turns(give_lead(called_ace(), 1), "8C")
    assert playable(state) == "AC"
    assert state.without == 0b00011, "who led another card does not have it"


def test_h4_the_partner_leads_the_called_suit_with_the_called_card_only() -> None:
    state = give_lead(called_ace(), 2)
    assert playable(state) == "AC KH 9D QD"
    under = give_lead(called_ace(underlead=True), 2)
    assert playable(under) == "9C 10C AC KH 9D QD"


def test_underlead_frees_the_partner_from_playing_the_called_card() -> None:
    state = give_lead(called_ace(underlead=True), 2)
    turns(state, "9C")
    assert state.called_led == 1
    assert state.without == 0b00001, "he may have it still"
    turns(state, "KC", "JOKER", "7C", "8C")
    assert state.revealed == 0
    assert state.without == 0b11011, "by now everybody knows"
    give_lead(state, 0)
    state.hand[0] |= cards("7H")
    turns(state, "QC", "JC")
    assert may(state, "QD")
    assert not may(state, "AC"), "he follows, as everybody"


def test_h5_the_called_card_is_not_thrown_on_another_suit() -> None:
    state = give_lead(called_ace(), 1)
    turns(state, "7S")
    assert playable(state) == "9C 10C KH 9D QD"
    free = turns(give_lead(called_ace(slough=True), 1), "7S")
    assert playable(free) == "9C 10C AC KH 9D QD"
    turns(free, "AC")
    assert free.revealed == 1
    assert free.called_led == 0, "the picker's obligation stays"


def test_h6_the_picker_may_lead_the_called_suit() -> None:
    assert playable(called_ace()) == "7C 9S KS 8D QS QC"
    assert playable(called_ace(lead_called=False)) == "9S KS 8D QS QC"


def test_lead_called_false_ends_when_nothing_else_is_left() -> None:
    state = called_ace(lead_called=False)
    state.hand[0] = cards("7C")
    assert playable(state) == "7C"
    turns(state, "7C")
    assert state.void[0] == 0b1110, "that he has nothing else is known now"


def test_h7_obligations_end_once_the_called_suit_has_been_led() -> None:
    state = called_ace()
    state.hand[0] ^= cards("9S") | cards("8C")
    state.hand[1] ^= cards("9S") | cards("8C")
    tricks(state, "7C 9S AC KC JOKER")
    turns(state, "8H")
    assert may(state, "8C"), "the picker may throw his last club now"
    assert state.called_led == 1
    assert playable(give_lead(tricks(called_ace(), "7C 8C AC KC JOKER"), 2)) == "9C 10C KH 9D QD"


# The unknown card. Seat 0 has no club, and lays a card face down.

UNKNOWN_PICKER = "AH KH QC QS 8D JD"
UNKNOWN_REST = ("8C JC JS 7S 7H 8S", "AC 9C 10C QD 9D 9S", "KC 7C JH 10S 10H AS")


def called_with_unknown(unknown: str, lead: int = 0, **options: Any) -> np.record:
    """Let seat 0 call the ace of clubs, which seat 2 holds, with an unknown card."""
    state = dealt(UNKNOWN_PICKER, *UNKNOWN_REST, "JOKER QH AD KD 8H 9H", blind="10D KS", **options)
    state.blind, state.hand[4] = cards("10D JOKER"), cards("KS QH AD KD 8H 9H")
    turns(state, "pick", bury("10D JOKER"), call("AC", unknown))
    return give_lead(state, lead)


def test_the_unknown_must_be_played_when_the_called_suit_is_first_led() -> None:
    state = turns(called_with_unknown("QC", 3), "KC", "KS")
    assert playable(state) == "QC"
    turns(state, "QC")
    assert state.winner == 3, "the queen of clubs has no power"
    assert state.face_down_at == 1
    turns(state, "8C", "AC")
    assert state.last_winner == 3
    assert state.points[2] == 4 + 4 + 3 + 11, "its points count"
    assert state.face_down_to == 3


def test_the_unknown_does_not_follow_its_own_suit() -> None:
    state = turns(called_with_unknown("KH", 3), "10H", "8H")
    assert playable(state) == "AH"
    trump = called_with_unknown("QC", 4)
    turns(trump, "QH")
    assert playable(trump) == "8D JD QS"


def test_the_unknown_is_not_thrown_on_another_suit() -> None:
    state = turns(called_with_unknown("AH", 3), "10S", "KS")
    assert playable(state) == "KH 8D JD QS QC"
    hearts = turns(called_with_unknown("AH", 1), "7S", "9S", "AS", "KS")
    assert not may(hearts, "AH")


def test_who_does_not_follow_may_still_have_the_suit_face_down() -> None:
    state = called_with_unknown("QC", 4)
    state.hand[0] = cards("AH KH QC")
    turns(state, "QH")
    assert playable(state) == "KH AH"
    turns(state, "KH")
    assert state.void[0] == 0b1000
    assert int(state.hand[0]) >> card("QC") & 1


def test_the_unknown_may_be_led_as_the_called_suit() -> None:
    state = called_with_unknown("QC")
    assert may(state, "QC")
    turns(state, "QC")
    assert state.led == 0
    assert state.called_led == 1
    assert playable(state) == "8C"
    turns(state, "8C")
    assert state.winner == 1, "any club beats it"
    assert playable(state) == "AC"


def test_the_unknown_is_not_led_with_lead_called_false() -> None:
    state = called_with_unknown("QC", lead_called=False)
    assert playable(state) == "KH AH 8D JD QS"


@pytest.mark.parametrize(("third", "winner"), [("10S", 0), ("8D", 3), ("KC", 3)])
def test_a_led_unknown_wins_only_if_nobody_plays_the_suit_or_a_trump(
    third: str, winner: int
) -> None:
    state = called_with_unknown("QC", slough=True)
    state.revealed = 1  # the partner has thrown the called card
    for seat, hand in enumerate(["QC", "8S", "9S", third, "KS"]):
        state.hand[seat] = cards(hand)
    tricks(state, f"QC 8S 9S {third} KS")
    assert state.last_winner == winner + 1


def test_in_the_last_trick_the_unknown_is_played_on_anything_and_worth_its_points() -> None:
    state = called_with_unknown("QC", 4)
    for seat, keep in enumerate(["QC", "JC", "AC", "JH", "8H"]):
        state.hand[seat] = cards(keep)
    state.tricks_played = 5
    turns(state, "8H")
    assert playable(state) == "QC"
    turns(state, "QC")
    assert state.winner == 4
    assert state.void[0] == 0
    turns(state, "JC", "AC", "JH")
    assert state.last_winner == 2, "the jack of clubs, not the queen"
    assert state.points[1] == 3 + 2 + 11 + 2


def test_the_unknown_stays_hidden_until_the_hand_has_ended() -> None:
    state = turns(called_with_unknown("QC", 3), "KC", "KS", "QC")
    for seat in (-1, 1, 2, 3, 4):
        view = view_of(state, seat)
        assert view.face_down == view.laid[0] == -1
        assert view.played[0] == 0
        assert view.buried == 0
    own = view_of(state, 0)
    assert own.laid[0] == card("QC") + 1
    assert own.buried == state.buried
    turns(state, "8C", "AC")
    assert view_of(state, 1).last[0] == -1
    assert view_of(state, 1).points[2] == state.points[2] - 3
    finish(state)
    assert state.phase == OVER
    assert view_of(state, 1).tobytes() == state.tobytes()


# A called ten. Seat 0 has all aces, seat 2 the ten of clubs.


def called_ten(**options: Any) -> np.record:
    hand = "AC 7C AS AH QC QS"
    rest = ("8C JC JS 7S 7H 8S", "10C 9C QD 9D 9S KH", "KC JH 10S 10H 9H JD")
    state = dealt(hand, *rest, "KS QH AD KD 8H 8D", blind="10D JOKER", **options)
    return turns(state, "pick", bury("10D JOKER"), call("10C"))


def test_a_called_ten_is_bound_as_a_called_ace_is() -> None:
    state = turns(called_ten(), "7C", "8C")
    assert playable(state) == "10C"
    assert playable(give_lead(called_ten(), 2)) == "10C 9S KH 9D QD"


@pytest.mark.parametrize("order", ["AC 8C 10C KC KS", "7C 8C 10C KC KS"])
def test_a_called_ten_ranks_second(order: str) -> None:
    state = tricks(called_ten(), order)
    assert state.last_winner == (1 if order.startswith("AC") else 3)


def test_called_ten_top_beats_the_ace_in_the_first_trick_of_its_suit() -> None:
    assert tricks(called_ten(called_ten="top"), "AC 8C 10C KC KS").last_winner == 3
    assert tricks(called_ten(called_ten="top"), "AC 8C 10C KC QH").last_winner == 5, "not a trump"
    led = turns(give_lead(called_ten(called_ten="top"), 2), "10C", "KC", "QH", "AC")
    assert led.winner == 4
    late = tricks(give_lead(called_ten(called_ten="top"), 2), "10C KC KS AC 8C")
    assert late.last_winner == 3, "the ace comes after the ten"


def test_a_called_ace_is_the_highest_of_its_suit_with_called_ten_top_too() -> None:
    state = tricks(called_ace(called_ten="top"), "7C 8C AC KC 8H")
    assert state.last_winner == 3


# Payments. Each row: tricks and points of the picker's side, then who gets what.

ALONE_ROWS = [
    (6, 120, 100, -25),
    (5, 120, 80, -20),
    (5, 91, 80, -20),
    (4, 90, 60, -15),
    (3, 61, 60, -15),
    (3, 60, -80, 20),
    (2, 31, -80, 20),
    (1, 30, -100, 25),
    (1, 0, -100, 25),
    (0, 22, -120, 30),
    (0, 0, -120, 30),
]
PARTNER_ROWS = [
    (6, 120, 30, 15, -15),
    (5, 120, 20, 10, -10),
    (5, 91, 20, 10, -10),
    (4, 90, 10, 5, -5),
    (3, 61, 10, 5, -5),
    (3, 60, -20, -10, 10),
    (2, 31, -20, -10, 10),
    (1, 30, -30, -15, 15),
    (1, 0, -30, -15, 15),
    (0, 22, -40, -20, 20),
]


def finished(n_tricks: int, points: int, partner: int = 0, **options: Any) -> np.record:
    """Let seat 0 have picked, and his side have taken so much; the bury is worth nothing."""
    state = dealt(**options)
    state.picker, state.called, state.partner = 1, (1 if partner else 0), partner
    state.phase, state.buried = PLAYING, cards("7C 8C")
    state.points[:2] = points // 2, (120 - points)
    state.points[2] = points - points // 2
    state.tricks[:2] = 0, 6 - n_tricks
    state.tricks[partner - 1 if partner else 0] = n_tricks
    if not partner:
        state.points[0], state.points[2] = points, 0
    return state


@pytest.mark.parametrize(("n_tricks", "points", "picker", "other"), ALONE_ROWS)
def test_payments_alone(n_tricks: int, points: int, picker: int, other: int) -> None:
    state = finished(n_tricks, points)
    pay_picked(state)
    assert money(state) == [picker] + [other] * 4
    assert state.paid.tolist() == money(state)
    assert sum(money(state)) == 0


@pytest.mark.parametrize(("n_tricks", "points", "picker", "partner", "other"), PARTNER_ROWS)
def test_payments_with_a_partner(
    n_tricks: int, points: int, picker: int, partner: int, other: int
) -> None:
    state = finished(n_tricks, points, partner=3)
    pay_picked(state)
    assert money(state) == [picker, other, partner, other, other]
    assert sum(money(state)) == 0


def test_the_bury_counts_for_the_picker() -> None:
    state = finished(3, 50, partner=3)
    state.buried = cards("AC 10C")
    state.points[1] = 49
    pay_picked(state)
    assert money(state) == [10, -5, 5, -5, -5]


@pytest.mark.parametrize(
    ("n_tricks", "points", "alone", "together"), [(3, 60, 30, 10), (1, 30, 40, 20), (0, 0, 50, 30)]
)
def test_bump_doubles_what_would_have_been_won(
    n_tricks: int, points: int, alone: int, together: int
) -> None:
    state = finished(n_tricks, points, bump=True)
    pay_picked(state)
    assert money(state) == [-4 * alone, alone, alone, alone, alone]
    with_partner = finished(n_tricks, points, partner=3, bump=True)
    pay_picked(with_partner)
    assert money(with_partner) == [-2 * together, together, -together, together, together]
    won = finished(3, 61, bump=True)
    pay_picked(won)
    assert money(won)[0] == 60, "what is won stays"


@pytest.mark.parametrize("partner", [0, 3])
def test_after_60_to_60_five_hands_pay_double(partner: int) -> None:
    state = finished(3, 60, partner, hands=10)
    pay_picked(state)
    assert state.doubled == 5
    first = np.array(money(state))
    for left in range(4, -1, -1):
        again = finished(4, 90, hands=10)
        again.doubled = state.doubled
        pay_picked(again)
        assert money(again)[0] == 120
        assert again.doubled == left
        state.doubled = again.doubled
    last = finished(4, 90, hands=10)
    pay_picked(last)
    assert money(last)[0] == 60
    assert first.sum() == 0


def test_60_to_60_while_hands_pay_double_sets_the_count_to_five_again() -> None:
    state = finished(3, 60, hands=10)
    state.doubled = 3
    pay_picked(state)
    assert money(state)[0] == -160, "twice, never four times"
    assert state.doubled == 5
    stacked = finished(3, 60, hands=10, stack=True)
    stacked.doubled = 3
    pay_picked(stacked)
    assert stacked.doubled == 2 + 5


def test_61_to_59_does_not_double() -> None:
    for points in (59, 61):
        state = finished(3, points, hands=3)
        pay_picked(state)
        assert state.doubled == 0


# Nobody picks.


def all_passed(*hands: str, **options: Any) -> np.record:
    return turns(dealt(*hands, **options), *["pass"] * 5)


NOLA_HANDS = (
    "AC KC QC JC 10C 9C",
    "8C 7C AS KS QS JS",
    "10S 9S 8S 7S AH KH",
    "QH JH 10H 9H 8H 7H",
    "AD KD QD JD 10D 9D",
)


def test_nobody_picks_and_a_nola_is_played_without_trumps() -> None:
    state = all_passed(*NOLA_HANDS)
    assert state.phase == NOLA_PLAYING
    assert turn(state) == 0
    assert popcount(state.blind) == 2
    turns(state, "QC")
    assert playable(state) == "7C 8C", "a queen of clubs is a club"
    turns(state, "8C")
    assert len(listed(state)) == 6


def test_in_a_nola_suits_run_from_the_ace_to_the_seven_and_the_joker_is_the_seven() -> None:
    for suit in "CSHD":
        names = [rank + suit for rank in ["A", "K", "Q", "J", "10", "9", "8", "7"]]
        names = ["JOKER" if name == "7D" else name for name in names]
        powers = [power_in(NOLA_PLAYING, "CSHD".index(suit), card(name)) for name in names]
        assert powers == [8, 7, 6, 5, 4, 3, 2, 1]
    assert power_in(NOLA_PLAYING, TRUMP, card("QC")) == 0


def test_in_a_nola_the_joker_follows_diamonds() -> None:
    hands = list(NOLA_HANDS)
    hands[0] = "AC KC QC JC 10C 8D"
    hands[3] = "QH JH 10H 9H 8H JOKER"
    state = turns(all_passed(*hands), "8D", "7C", "7S")
    assert playable(state) == "JOKER"
    assert turns(state, "JOKER", "9D").last_winner == 5


def test_in_a_nola_who_takes_the_last_trick_pays() -> None:
    state = all_passed(*NOLA_HANDS, blind="8D JOKER")
    tricks(state, "AC 8C 10S 7H 9D", "KC 7C 9S 8H 10D", "QC JS 8S 9H JD", "JC QS 7S 10H QD")
    state.hand[0] ^= cards("10C") | cards("AD")
    state.hand[4] ^= cards("10C") | cards("AD")
    tricks(state, "9C KS KH JH 10C")
    assert state.last_winner == 5
    turns(state, "KD", "AD", "AS", "AH", "QH")
    assert state.phase == OVER
    assert money(state) == [-20, 5, 5, 5, 5]


def test_in_a_nola_who_takes_all_tricks_wins() -> None:
    state = all_passed(*NOLA_HANDS, blind="8D JOKER")
    tricks(state, "AC 8C 10S 7H 9D", "KC 7C 9S 8H 10D", "QC JS 8S 9H JD", "JC QS 7S 10H QD")
    tricks(state, "10C KS KH JH KD", "9C AS AH QH AD")
    assert money(state) == [20, -5, -5, -5, -5]


def test_nola_hands_count_and_pay_double() -> None:
    state = all_passed(*NOLA_HANDS, hands=3)
    state.doubled = 2
    finish(state)
    assert sorted(map(abs, money(state))) == [10, 10, 10, 10, 40]
    assert state.doubled == 1
    assert state.dealt == 1
    assert state.phase == WAITING


def test_pay_nola_by_the_last_trick_and_by_all() -> None:
    state = dealt()
    state.last_winner, state.tricks[2] = 3, 5
    pay_nola(state)
    assert money(state) == [5, 5, -20, 5, 5]


def test_leaster_trumps_are_trumps() -> None:
    state = all_passed(all_pass="leaster")
    assert state.phase == LEASTER_PLAYING
    hands = all_passed("8D", "QC 7C 8C", all_pass="leaster")
    turns(hands, "8D")
    assert not may(hands, "7C")
    assert may(hands, "QC")


@pytest.mark.parametrize(
    ("points", "n_tricks", "last", "blind", "want"),
    [
        ([50, 30, 20, 18, 0], [2, 1, 1, 2, 0], 1, "7C 8C", [-5, -5, -5, 20, -5]),
        ([50, 30, 20, 0, 0], [2, 1, 1, 2, 0], 4, "AC 10C", [-5, -5, 20, -5, -5]),
        ([60, 20, 20, 20, 0], [2, 1, 1, 2, 0], 1, "7C 8C", [0] * 5),
        ([100, 0, 0, 0, 20], [1, 2, 2, 0, 1], 1, "7C 8C", [0] * 5),
    ],
)
def test_leaster_the_fewest_points_with_a_trick_win(
    points: list[int], n_tricks: list[int], last: int, blind: str, want: list[int]
) -> None:
    state = dealt(all_pass="leaster")
    state.points, state.tricks = points, n_tricks
    state.last_winner, state.blind = last, cards(blind)
    pay_leaster(state)
    assert money(state) == want


def test_doubler_nobody_plays_and_the_next_hand_pays_double() -> None:
    state = all_passed(all_pass="doubler", hands=3)
    assert state.phase == WAITING
    assert state.doubled == 1
    assert money(state) == [0] * 5
    deal(state, derive(1, Purpose.DEAL))
    assert state.dealt == 2
    assert state.dealer == 0
    turns(state, *["pass"] * 5)
    assert state.doubled == 1, "at least one, not one more"
    last = all_passed(all_pass="doubler")
    assert last.phase == OVER


def test_doubler_keeps_a_longer_row_of_doubled_hands() -> None:
    state = dealt(all_pass="doubler", hands=9)
    state.doubled = 5
    turns(state, *["pass"] * 5)
    assert state.doubled == 4


def test_redeal_the_same_dealer_deals_again_and_must_pick_after_nine() -> None:
    state = all_passed(all_pass="redeal")
    for again in range(1, 10):
        assert state.phase == WAITING
        assert not is_over(state)
        assert state.redeals == again
        deal(state, derive(again, Purpose.DEAL))
        assert state.dealer == 4
        assert state.dealt == 1
        turns(state, *["pass"] * (4 if again == 9 else 5))
    assert listed(state) == [PICK]
    assert not may(state, "pass")
    finish(turns(state, "pick"))
    assert state.phase == OVER
    assert state.redeals == 0


def test_forced_the_dealer_must_pick() -> None:
    state = turns(dealt(all_pass="forced"), *["pass"] * 4)
    assert listed(state) == [PICK]
    assert not may(state, "pass")


# Cracking.


def cracking(**options: Any) -> np.record:
    state = dealt("7C QC QS", blind="8C 8S", crack=True, **options)
    return turns(state, "pick", bury("8C 8S"), "alone")


def test_the_others_may_crack_from_the_pickers_left() -> None:
    state = cracking()
    assert state.phase == CRACKING
    assert turn(state) == 1
    assert listed(state) == [PASS, CRACK]
    turns(state, "pass", "pass", "pass")
    assert turn(state) == 4
    turns(state, "pass")
    assert state.phase == PLAYING
    assert state.cracks == 0
    assert turn(state) == 0


@pytest.mark.parametrize(("answer", "cracks"), [("pass", 1), ("crack", 2)])
def test_after_a_crack_the_picker_answers(answer: str, cracks: int) -> None:
    state = turns(cracking(), "pass", "crack")
    assert turn(state) == 0
    turns(state, answer)
    assert state.cracks == cracks
    assert state.phase == PLAYING
    finish(state)
    assert abs(state.paid[0]) in {cents << cracks for cents in (60, 80, 100, 120)}


def test_cracks_and_doubled_hands_multiply() -> None:
    state = finished(4, 90, crack=True, hands=2)
    state.doubled, state.cracks = 1, 2
    pay_picked(state)
    assert money(state)[0] == 60 * 2 * 4


# Blitzing.

FOUR_QUEENS = "QC QS QH QD"


def blitzing(*hands: str, **options: Any) -> np.record:
    state = dealt(*hands, blind="8C 8S", blitz=True, **options)
    return turns(state, "pick", bury("8C 8S"), "alone")


def test_everybody_is_asked_for_a_blitz_and_the_picker_last() -> None:
    state = blitzing("7C JC JS")
    for seat in (1, 2, 3, 4, 0):
        assert state.phase == BLITZING
        assert turn(state) == seat
        turns(state, "pass")
    assert state.phase == PLAYING
    assert turn(state) == 0


@pytest.mark.parametrize(
    ("hand", "shown"),
    [
        ("QC QS QH JOKER JC JS", [BLITZ_BLACK]),
        ("QS QH QD JOKER JC JS", [BLITZ_RED]),
        ("QC QH JOKER JC JS JH", []),
        (FOUR_QUEENS, [BLITZ_BLACK, BLITZ_RED, BLITZ_BOTH]),
    ],
)
def test_only_both_black_or_both_red_queens_are_shown(hand: str, shown: list[int]) -> None:
    state = blitzing("7C", hand)
    assert listed(state) == [PASS, *shown]
    for action in (BLITZ_BLACK, BLITZ_RED, BLITZ_BOTH):
        assert may(state, action) == (action in shown)
    assert not may(state, "crack")


def test_queens_that_are_buried_or_face_down_are_not_shown() -> None:
    buried = dealt("QC QS QH 7C", blind="8C 8S", blitz=True)
    turns(buried, "pick", bury("QC QS"), "alone", *["pass"] * 4)
    assert listed(buried) == [PASS]
    laid = dealt("QC QS JC AC JD JOKER", blind="JS JH", blitz=True)
    turns(laid, "pick", bury("JS JH"), call("AS", "QS"), *["pass"] * 4)
    assert listed(laid) == [PASS]


@pytest.mark.parametrize(("answer", "factor"), [("blitz black", 2), ("blitz both", 4)])
def test_every_pair_doubles_the_payments(answer: str, factor: int) -> None:
    state = turns(blitzing("7C", FOUR_QUEENS), answer, *["pass"] * 4)
    assert (state.black, state.red) == (2, 2 if answer == "blitz both" else 0)
    finish(state)
    assert abs(state.paid[0]) in {cents * factor for cents in (60, 80, 100, 120)}
    assert state.paid.sum() == 0


def test_cracks_follow_blitzes_and_multiply_with_them() -> None:
    state = blitzing("QC QS", "QH QD", crack=True)
    turns(state, "blitz red", "pass", "pass", "pass", "blitz black")
    assert state.phase == CRACKING
    assert turn(state) == 1
    turns(state, "crack", "crack")
    assert state.phase == PLAYING
    finish(state)
    assert abs(state.paid[0]) in {cents * 16 for cents in (60, 80, 100, 120)}


def test_a_new_deal_forgets_what_was_shown() -> None:
    state = turns(blitzing("7C", FOUR_QUEENS, hands=2), "blitz both", *["pass"] * 4)
    finish(state)
    deal(state, derive(1, Purpose.DEAL))
    assert (state.black, state.red) == (0, 0)


def test_nobody_blitzes_where_nobody_picked() -> None:
    assert turns(dealt(blitz=True), *["pass"] * 5).phase == NOLA_PLAYING


# Views.


def test_open_cards_are_seen_by_everybody() -> None:
    state = turns(dealt("7C QC QS", blind="8C 8S", open=True), "pick", bury("8C 8S"), "alone")
    for seat in range(-1, 5):
        assert view_of(state, seat) == state


def test_a_view_has_the_own_hand_only() -> None:
    state = called_ace()
    for seat in range(-1, 5):
        view = view_of(state, seat)
        assert [popcount(hand) for hand in view.hand] == [6 * (s == seat) for s in range(5)]
        assert view.partner == (3 if seat == 2 else 0)
        assert view.buried == (state.buried if seat == 0 else 0)


def test_the_partner_is_known_once_the_called_card_is_played() -> None:
    state = turns(called_ace(), "7C", "8C", "AC")
    assert view_of(state, 1).partner == 3


def test_nobody_sees_the_blind() -> None:
    for seat in range(-1, 5):
        assert view_of(dealt(), seat).blind == 0
        assert view_of(all_passed(), seat).blind == 0


def test_everything_is_open_when_a_hand_has_ended() -> None:
    state = finish(dealt(hands=2))
    assert state.phase == WAITING
    assert view_of(state, 3).tobytes() == state.tobytes()


# Sessions.


def test_the_state_is_small() -> None:
    assert STATE.itemsize <= 512


@pytest.mark.parametrize("spec", SPECS)
def test_random_sessions(spec: str) -> None:
    for seed in range(30 if COMPILED else 2):
        rng = derive(seed, Purpose.PLAYOUT)
        state = kibitz.load_game(spec).blank(1)[0]
        hands = 0
        while not is_over(state):
            before = np.array(money(state))
            deal(state, rng)
            assert state.phase == BIDDING
            while movers(state):
                seat = turn(state)
                apply(state, seat, random_action(state, seat, rng))
                assert sum(money(state)) == 0
            hands += state.redeals == 0
            assert state.dealt == hands + (state.redeals > 0)
            assert state.redeals or (money(state) - before == state.paid).all()
            if state.tricks_played:
                assert state.tricks.sum() == 6
                assert sum(int(pile) for pile in state.played) + int(
                    state.buried | state.blind
                ) == int(ALL_CARDS)
                assert state.points.sum() + card_points(state.buried | state.blind) == 120
        assert hands == state.hands


@pytest.mark.parametrize("spec", SPECS)
def test_obligations_hold_in_random_hands(spec: str) -> None:
    n_called = 0
    for seed in range(60 if COMPILED else 3):
        rng = derive(seed, Purpose.PLAYOUT)
        state = kibitz.load_game(spec).blank(1)[0]
        deal(state, rng)
        while movers(state):
            seat = turn(state)
            apply(state, seat, random_action(state, seat, rng))
            if state.phase != PLAYING or not state.called:
                continue
            n_called += 1
            called, picker = int(state.called) - 1, int(state.picker) - 1
            holds = bool(int(state.hand[state.partner - 1]) >> called & 1)
            assert holds != bool(state.revealed)
            if not state.called_led and state.tricks_played < 5:
                kept = state.hand[picker] & cards_of_suit(suit_of(called))
                assert kept if not state.face_down else not state.face_down_at
            elif state.called_led and state.called_led <= state.tricks_played:
                assert state.revealed or state.underlead
                assert not state.face_down or state.face_down_at
    assert n_called or not COMPILED


def test_an_unknown_call_is_met_in_random_hands() -> None:
    n = sum(
        bool(finish(dealt(seed=seed), seed).face_down) for seed in range(400 if COMPILED else 40)
    )
    assert n > 0
    assert CALL_UNKNOWN > ALONE
