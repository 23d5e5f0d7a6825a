"""Tichu: rule by rule, and what holds in every round."""

import numpy as np
import pytest

from kibitz.core.errors import IllegalAction, SpecError
from kibitz.core.game import (
    deal,
    is_over,
    movers,
)
from kibitz.core.kernels import COMPILED
from kibitz.core.record import replay
from kibitz.core.rng import Purpose, derive
from kibitz.games.tichu import GAME
from kibitz.games.tichu.cards import (
    ALL_CARDS,
    CALL,
    DRAGON_TO,
    GRAND,
    MAH_JONG,
    NO_GRAND,
    NO_TICHU,
    WISH,
    other_action,
)
from kibitz.games.tichu.choices import MAX_LEGAL
from kibitz.games.tichu.combinations import BOMB, SINGLE
from kibitz.games.tichu.state import (
    CALLING,
    DRAGON_TRICK,
    GRAND_CALLED,
    GRAND_CALLING,
    OVER,
    STATE,
    TICHU_CALLED,
    TURN,
    WAITING,
    WINDOW,
    WISHING,
    card_points,
    is_exchanged,
)
from tests.games.tichu_hands import (
    CALL_TICHU,
    NO,
    RANKS,
    SPECIALS,
    all_do,
    card,
    cards,
    dealt,
    do,
    exchange,
    fresh,
    game,
    give,
    in_exchange,
    lay,
    lead,
    listed,
    may,
    no_bombs,
    position,
    random_round,
    turns,
    wish,
)

# The beginning of a round.


def test_grand_tichu_is_called_at_eight_cards() -> None:
    state = dealt()
    assert state.phase == GRAND_CALLING
    assert [int(hand).bit_count() for hand in state.hand] == [8] * 4
    assert listed(state, 2) == [other_action(CALL, NO_GRAND), other_action(CALL, GRAND)]
    assert not may(state, 2, CALL_TICHU)
    do(state, 2, other_action(CALL, GRAND))
    assert state.call[2] == 0, "face down until all have answered"
    all_do(state, other_action(CALL, NO_GRAND))
    assert state.call.tolist() == [0, 0, GRAND_CALLED, 0]
    assert [int(hand).bit_count() for hand in state.hand] == [14] * 4
    assert state.phase == CALLING
    assert movers(state) == 0b1011, "one call per player"


def test_tichu_is_called_with_fourteen_cards_before_and_after_the_exchange() -> None:
    state = dealt()
    all_do(state, other_action(CALL, NO_GRAND))
    do(state, 0, CALL_TICHU)
    all_do(state, other_action(CALL, NO_TICHU))
    assert state.call.tolist() == [TICHU_CALLED, 0, 0, 0]
    exchange(state)
    assert state.phase == CALLING
    assert movers(state) == 0b1110
    do(state, 3, CALL_TICHU)
    all_do(state, other_action(CALL, NO_TICHU))
    assert state.call.tolist() == [TICHU_CALLED, 0, 0, TICHU_CALLED]
    assert state.phase == TURN


def test_nobody_is_asked_when_all_have_called() -> None:
    state = dealt()
    all_do(state, other_action(CALL, GRAND))
    exchange(state)
    assert state.phase == TURN


def test_a_person_may_call_in_the_exchange() -> None:
    state = in_exchange()
    assert CALL_TICHU not in listed(state, 1)
    do(state, 1, listed(state, 1)[0], CALL_TICHU)
    assert state.call[1] == TICHU_CALLED, "a call is public at once"
    assert int(movers(state)) >> 1 & 1, "and two cards are still to be given"
    assert not may(state, 1, CALL_TICHU)


def test_everybody_gives_one_card_to_each_other() -> None:
    state = in_exchange()
    before = state.hand.copy()
    first = [listed(state, seat)[:3] for seat in range(4)]
    exchange(state)
    for seat in range(4):
        given = [action & int(ALL_CARDS) for action in first[seat]]
        for k, one in enumerate(given):
            assert int(state.hand[(seat + k + 1) % 4]) & one, "right, partner, left"
            assert 1 << (int(state.given[seat, k]) - 1) == one
        assert int(state.hand[seat]) & int(before[seat]) == int(before[seat]) & ~sum(given)
    assert is_exchanged(state)


def test_no_card_is_given_twice_and_none_moves_before_all_have_given() -> None:
    state = in_exchange()
    hands = state.hand.copy()
    action = listed(state, 0)[5]
    do(state, 0, action)
    assert not may(state, 0, action)
    assert len(listed(state, 0)) == 13
    do(state, 0, *listed(state, 0)[:2])
    assert (state.hand == hands).all()
    assert movers(state) == 0b1110


def test_any_card_may_be_given_away() -> None:
    for special in SPECIALS:
        state = in_exchange()
        owner = next(s for s in range(4) if int(state.hand[s]) >> card(special) & 1)
        do(state, owner, give(special))
        assert state.given[owner, 0] == card(special) + 1


def test_the_holder_of_the_mah_jong_after_the_exchange_leads_anything() -> None:
    state = in_exchange()
    owner = next(s for s in range(4) if int(state.hand[s]) >> MAH_JONG & 1)
    do(state, owner, give("Ma"))
    exchange(state)
    all_do(state, other_action(CALL, NO_TICHU))
    assert movers(state) == 1 << (owner + 1) % 4
    leads = listed(state, int(state.turn))
    assert NO not in leads, "a leader does not pass"
    assert any(not action & 1 << MAH_JONG for action in leads), "nor need he play the Mah Jong"


# Calls in play.


def test_tichu_is_offered_in_turn_until_the_first_card() -> None:
    state = fresh("Ma 2R", "3R", "", "")
    assert listed(state, 0)[-1] == CALL_TICHU
    do(state, 0, CALL_TICHU)
    assert CALL_TICHU not in listed(state, 0)
    assert movers(state) == 1, "he is still to play"
    turns(state, lay("Ma"), wish(""), NO, NO, NO)
    assert movers(state) == 1
    assert CALL_TICHU not in listed(state, 0)
    turns(state, lay("2R"))
    assert CALL_TICHU in listed(state, 1), "a pass does not end the right to call"
    turns(state, lay("3R"), NO, NO, NO)
    assert CALL_TICHU not in listed(state, 1)


def test_tichu_in_a_window_is_for_people_unless_any_call_is_asked_for() -> None:
    for calls in ("own", "any"):
        state = fresh("Ma", "", "", "", calls=calls)
        do(state, 0, lay("Ma"), wish(""))
        assert state.phase == WINDOW
        assert (CALL_TICHU in listed(state, 3)) == (calls == "any")
        assert not may(state, 0, CALL_TICHU), "he has played"
        do(state, 3, CALL_TICHU)
        assert int(movers(state)) >> 3 & 1, "he may still bomb"
        assert state.call[3] == TICHU_CALLED
        assert not may(state, 3, CALL_TICHU)


def test_an_out_of_turn_bomb_ends_the_right_to_call() -> None:
    state = fresh("Ma", "", "", "9R 9G 9B 9S")
    do(state, 0, lay("Ma"), wish(""))
    do(state, 3, lay("9R 9G 9B 9S"))
    no_bombs(state)
    assert not may(state, 3, CALL_TICHU)
    assert may(state, 1, CALL_TICHU), "while the others may"


@pytest.mark.parametrize("late", ["false", "true"])
def test_tichu_is_called_when_somebody_is_out_only_where_players_want_it(late: str) -> None:
    state = fresh("Ma", "", "", "", late_calls=late)
    do(state, 0, lay("Ma"), wish(""))
    state.finished[3] = 1
    assert may(state, 1, CALL_TICHU) == (late == "true")


@pytest.mark.parametrize("variant", ["full", "thesis"])
def test_a_person_may_call_out_of_turn(variant: str) -> None:
    state = fresh("Ma Dr", "3R", "", "", variant=variant)
    do(state, 2, CALL_TICHU)
    assert state.call[2] == TICHU_CALLED, "in the turn of another"
    assert movers(state) == 1, "who is still to play"
    do(state, 0, lay("Ma"))
    assert state.phase == WISHING
    do(state, 3, CALL_TICHU)
    do(state, 0, wish(""))
    assert not may(state, 0, CALL_TICHU), "he has played"
    assert not may(state, 3, CALL_TICHU), "one call per player"
    if variant == "thesis":
        assert not may(state, 2, NO), "nothing else is done out of turn"


def test_who_said_no_may_call_before_all_have_answered() -> None:
    state = dealt()
    all_do(state, other_action(CALL, NO_GRAND))
    do(state, 0, other_action(CALL, NO_TICHU))
    assert not may(state, 0, other_action(CALL, NO_TICHU))
    do(state, 0, CALL_TICHU)
    assert not may(state, 0, CALL_TICHU)
    all_do(state, other_action(CALL, NO_TICHU))
    assert state.call.tolist() == [TICHU_CALLED, 0, 0, 0]


def test_a_table_takes_a_call_out_of_turn_and_its_record_replays() -> None:
    table = game().deal(seed=5)
    while table.state.phase != TURN:
        table.play(table.movers[0], table.legal(table.movers[0])[0])
    other = (table.movers[0] + 1) % 4
    with pytest.raises(IllegalAction, match="it is not your turn"):
        table.play(other, "pass")
    table.play(other, "tichu")
    assert table.state.call[other] == TICHU_CALLED
    with pytest.raises(IllegalAction, match="you have called already"):
        table.play(other, "tichu")
    again = replay(table.record())
    assert again.position == table.position


def test_the_dog_is_a_first_card() -> None:
    state = fresh("Ma Dog", "", "", "")
    turns(state, lay("Dog"))
    assert movers(state) == 1 << 2
    turns(state, listed(state, 2)[0])
    assert not may(state, 0, CALL_TICHU)


# Tricks.


def test_a_pass_is_not_final() -> None:
    state = position("3R 8R 9R", "4R 7R", "5R 6R", "6G KR")
    turns(state, lay("3R"), NO, lay("5R"), lay("6G"), lay("8R"))
    assert may(state, 1, NO)
    state = position("3R 8R 9R", "4R 7R", "5R 6R", "6G KR")
    turns(state, lay("3R"), NO, lay("5R"), NO, NO)
    assert movers(state) == 1 << 1
    turns(state, lay("7R"))
    assert state.holder == 1


def test_the_winner_takes_the_trick_and_leads() -> None:
    state = position("5R 8R", "TR 7R", "5G 6R", "6G KR")
    turns(state, lay("5R"), lay("TR"), NO, lay("KR"), NO)
    assert state.trick == 25
    turns(state, NO, NO)
    assert state.won.tolist() == [0, 0, 0, 25]
    assert state.tricks.tolist() == [0, 0, 0, 1]
    assert state.table == 0
    assert not state.laid.any()
    assert movers(state) == 1 << 3
    assert NO not in listed(state, 3)


def test_the_lead_goes_on_when_the_winner_is_out() -> None:
    state = position("KR", "4R 7R", "5R 6R", "6G 8R")
    turns(state, lay("KR"), NO, NO, NO)
    assert state.finished.tolist() == [1, 0, 0, 0]
    assert state.won[0] == 10, "he keeps the trick"
    assert movers(state) == 1 << 1


def test_those_who_are_out_are_left_out() -> None:
    state = position("3R 8R", "", "5R 6R", "6G KR")
    turns(state, lay("3R"))
    assert movers(state) == 1 << 2
    turns(state, NO, NO)
    assert state.tricks[0] == 1


def test_a_bomb_on_the_last_card_does_not_bring_its_player_back() -> None:
    state = position("KR", "4R 7R", "5R 5G 5B 5S 2R", "6G 8R")
    do(state, 0, lay("KR"))
    do(state, 2, lay("5R 5G 5B 5S"))
    no_bombs(state)
    no_bombs(state)
    assert state.finished.tolist() == [1, 0, 0, 0]
    turns(state, NO, NO)
    assert state.won[2] == 30
    assert movers(state) == 1 << 2


# The Dog.


def test_the_dog_gives_the_lead_to_the_partner_and_is_no_trick() -> None:
    state = position("Dog 3R", "4R 7R", "5R 6R", "9R 9G 9B 9S")
    do(state, 0, lay("Dog"))
    assert state.phase == TURN, "it cannot be bombed"
    assert movers(state) == 1 << 2
    assert not state.tricks.any()
    assert state.table == 0


def test_the_dog_of_a_finished_partner_goes_to_his_right() -> None:
    state = position("Dog 3R", "4R 7R", "", "6G 8R")
    turns(state, lay("Dog"))
    assert movers(state) == 1 << 3


def test_the_dog_may_come_back() -> None:
    state = position("6G 8R", "", "", "Dog 3R", turn=3)
    turns(state, lay("Dog"))
    assert movers(state) == 1 << 3, "partner 1 is out, and so is 2 to his right"


def test_the_dog_only_leads() -> None:
    state = position("3R 4G", "Dog 7R", "5R 6R", "6G 8R")
    turns(state, lay("3R"))
    assert not may(state, 1, lay("Dog"))
    assert lay("Dog") not in listed(state, 1)


def test_the_dog_may_be_the_last_card() -> None:
    state = position("Dog", "4R 7R", "5R 6R", "6G 8R")
    turns(state, lay("Dog"))
    assert state.finished[0] == 1
    assert movers(state) == 1 << 2
    state = position("Dog", "4R 7R", "", "6G 8R")
    turns(state, lay("Dog"))
    assert state.phase == OVER
    assert lead(state) == 200, "a double victory by the Dog"


def test_the_dog_waits_while_its_holder_must_fulfil_a_wish() -> None:
    state = position("Dog 8R", "4R 7R", "5R 6R", "6G 8G")
    state.wish = state.wished = 8
    assert listed(state, 0) == [lay("8R")]
    assert not may(state, 0, lay("Dog"))


# The Dragon.


def test_the_trick_of_the_dragon_is_given_to_an_opponent() -> None:
    for distance, taker in ((1, 1), (3, 3)):
        state = position("Dr 3R", "AR 7R", "KR 6R", "6G 8R", turn=2)
        turns(state, lay("KR"), NO, lay("Dr"), NO, NO, NO)
        assert state.phase == DRAGON_TRICK
        assert movers(state) == 1
        assert listed(state, 0) == [other_action(DRAGON_TO, 1), other_action(DRAGON_TO, 3)]
        assert not may(state, 0, other_action(DRAGON_TO, 2))
        do(state, 0, other_action(DRAGON_TO, distance))
        assert state.won[taker] == 35
        assert movers(state) == 1, "the winner leads all the same"


def test_the_trick_of_the_dragon_may_go_to_an_opponent_who_is_out() -> None:
    state = position("Dr 3R", "", "KR 6R", "6G 8R")
    turns(state, lay("Dr"), NO, NO)
    do(state, 0, other_action(DRAGON_TO, 1))
    assert state.won.tolist() == [0, 25, 0, 0]


def test_a_dragon_as_last_card_gives_its_trick_away() -> None:
    state = position("Dr", "AR 7R", "KR 6R", "6G 8R")
    turns(state, lay("Dr"), NO, NO, NO)
    assert movers(state) == 1, "though he is out"
    do(state, 0, other_action(DRAGON_TO, 3))
    assert state.won.tolist() == [0, 0, 0, 25]
    assert movers(state) == 1 << 1


def test_a_dragon_that_ends_the_round_gives_its_trick_away() -> None:
    state = position("Dr", "", "", "KR 8R")
    state.finished[:] = (0, 1, 2, 0)
    do(state, 0, lay("Dr"))
    assert state.phase == DRAGON_TRICK, "without a window"
    do(state, 0, other_action(DRAGON_TO, 3))
    assert state.phase == OVER
    assert state.won[3] == 25
    assert state.points.tolist() == [10, 25], "3 is last: his tricks go to 1, his hand to 0 and 2"


def test_a_dragon_that_ends_the_round_by_double_victory_is_not_given() -> None:
    state = position("Dr", "TR 7R", "", "KR 8R")
    do(state, 0, lay("Dr"))
    assert state.phase == OVER
    assert state.points.tolist() == [200, 0]


def test_a_bombed_dragon_is_not_given_away() -> None:
    state = position("Dr 3R", "9R 9G 9B 9S 2R", "KR 6R", "6G 8R")
    turns(state, lay("Dr"), lay("9R 9G 9B 9S"), NO, NO, NO)
    assert state.won.tolist() == [0, 25, 0, 0]
    assert movers(state) == 1 << 1


def test_the_dragon_beats_all_singles_and_no_single_beats_it() -> None:
    state = position("Ph 3R", "AR 7R", "Dr 6R", "6G 8R", turn=1)
    turns(state, lay("AR"), lay("Dr"), NO)
    assert not may(state, 0, lay("Ph"))
    assert listed(state, 0) == [NO]


def test_the_phoenix_is_half_a_rank_above_the_single_below_it() -> None:
    state = position("Ph 3R", "2R 7R", "6R 5R", "Ma 8R")
    turns(state, lay("Ph"))
    assert lay("2R") in listed(state, 1), "led it is one and a half"
    turns(state, NO, NO)
    assert not may(state, 3, lay("Ma"))
    state = position("5R 6R", "Ph 7R", "5G 6G", "8R 8G")
    turns(state, lay("5R"), lay("Ph"))
    assert listed(state, 2) == [NO, lay("6G")]


# Bombs.


def test_a_bomb_is_laid_out_of_turn_and_play_goes_on_after_the_bomber() -> None:
    state = position("3R 4G", "4R 7R", "5R 5G 5B 5S 2R", "6G 8R")
    do(state, 0, lay("3R"))
    assert state.phase == WINDOW
    assert movers(state) == 0b1111
    assert listed(state, 1) == [NO]
    assert listed(state, 2) == [NO, lay("5R 5G 5B 5S")]
    do(state, 2, lay("5R 5G 5B 5S"))
    all_do(state, NO)
    assert state.holder == 2
    assert state.table_kind == BOMB
    no_bombs(state)
    assert movers(state) == 1 << 3
    turns(state, NO)
    assert movers(state) == 1, "all others must pass again"


def test_one_may_bomb_ones_own_combination() -> None:
    state = position("3R 5R 5G 5B 5S 2R", "4R 7R", "8B 9R", "6G 8R")
    do(state, 0, lay("3R"))
    do(state, 0, lay("5R 5G 5B 5S"))
    no_bombs(state)
    no_bombs(state)
    assert movers(state) == 1 << 1
    assert state.holder == 0


def test_a_bomb_may_follow_the_last_pass() -> None:
    state = position("3R 4G", "4R 7R", "5R 5G 5B 5S 2R", "6G 8R")
    turns(state, lay("3R"), NO, NO)
    do(state, 3, NO)
    assert state.phase == WINDOW
    assert state.turn == state.holder == 0
    do(state, 2, lay("5R 5G 5B 5S"))
    no_bombs(state)
    assert state.phase == WINDOW
    no_bombs(state)
    assert movers(state) == 1 << 3
    assert not state.tricks.any()


def test_of_two_bombs_at_once_the_first_in_turn_order_is_laid() -> None:
    hands = ("3R 4G", "9R 9G 9B 9S 2G", "4R 7R", "5R 5G 5B 5S 2R")
    state = position(*hands)
    do(state, 0, lay("3R"))
    do(state, 3, lay("5R 5G 5B 5S"))
    do(state, 1, lay("9R 9G 9B 9S"))
    no_bombs(state)
    assert state.holder == 1
    assert int(state.hand[3]) == int(cards(hands[3])), "the other keeps his cards"
    assert listed(state, 3) == [NO], "which do not beat the nines"
    state = position(hands[0], hands[3], hands[2], hands[1])
    do(state, 0, lay("3R"))
    do(state, 3, lay("9R 9G 9B 9S"))
    do(state, 1, lay("5R 5G 5B 5S"))
    no_bombs(state)
    assert state.holder == 1
    do(state, 3, lay("9R 9G 9B 9S"))
    no_bombs(state)
    assert state.holder == 3, "he may use the next window"


def test_longer_bombs_beat_shorter_ones_and_then_the_higher() -> None:
    state = position("AR AG AB AS 3R", "2R 3G 4R 5R 6R 7R", "2B 3B 4B 5B 6B 7B 9R", "8G 8R")
    state.hand[1] = cards("2G 3G 4G 5G 6G 7R")
    turns(state, lay("AR AG AB AS"))
    assert lay("2G 3G 4G 5G 6G") in listed(state, 1)
    turns(state, lay("2G 3G 4G 5G 6G"))
    assert lay("3B 4B 5B 6B 7B") in listed(state, 2)
    assert lay("2B 3B 4B 5B 6B") not in listed(state, 2)
    assert lay("2B 3B 4B 5B 6B 7B") in listed(state, 2)


def test_no_bomb_out_of_turn_on_an_empty_table() -> None:
    state = position("3R 4G", "4R 7R", "5R 5G 5B 5S 2R", "6G 8R")
    assert movers(state) == 1
    assert not may(state, 2, lay("5R 5G 5B 5S"))


def test_no_bomb_after_the_card_that_ends_the_round() -> None:
    state = position("3R", "5R 5G 5B 5S 2R", "", "6G 8R")
    do(state, 0, lay("3R"))
    assert state.phase == OVER


def test_a_bomb_may_be_led_and_ends_a_round() -> None:
    state = position("5R 5G 5B 5S", "4R 7R", "", "6G 8R")
    assert lay("5R 5G 5B 5S") in listed(state, 0)
    turns(state, lay("5R 5G 5B 5S"))
    assert state.phase == OVER


def test_the_thesis_has_no_windows_and_no_straight_flushes() -> None:
    hands = ("3R 4G", "4R 7R", "5R 5G 5B 5S 2R", "6B 7B 8B 9B TB")
    state = position(*hands, variant="thesis")
    do(state, 0, lay("3R"))
    assert movers(state) == 1 << 1
    do(state, 1, NO)
    assert lay("5R 5G 5B 5S") in listed(state, 2), "in turn"
    do(state, 2, NO)
    assert not may(state, 3, lay("6B 7B 8B 9B TB"))
    assert may(position(*hands, turn=3), 3, lay("6B 7B 8B 9B TB"))


# The wish.


def wished(rank: str, *hands: str, turn: int = 0, **options: object) -> np.record:
    """Let a seat lead under a wish."""
    state = position(*hands, turn=turn, **options)
    state.wish = state.wished = RANKS.index(rank) + 2
    return state


def test_the_mah_jong_lets_its_player_wish() -> None:
    state = position("Ma 3R", "4R 7R", "5R 6R", "6G 8R")
    do(state, 0, lay("Ma"))
    assert state.phase == WISHING
    assert movers(state) == 1
    assert listed(state, 0) == [wish(""), *(wish(rank) for rank in RANKS)]
    assert not may(state, 0, other_action(WISH, 1))
    assert not may(state, 0, other_action(WISH, 15))
    do(state, 0, wish("7"))
    no_bombs(state)
    assert listed(state, 1) == [lay("7R")]


def test_the_mah_jong_in_a_straight_lets_its_player_wish() -> None:
    state = position("Ma 2R 3R 4G 5R TR", "4R 7R", "5G 6R", "6G 8R")
    do(state, 0, lay("Ma 2R 3R 4G 5R"))
    assert state.phase == WISHING
    do(state, 0, wish("5"))
    assert state.wish == 5, "the cards laid with the Mah Jong do not fulfil it"


def test_a_wish_may_be_declined() -> None:
    state = position("Ma 3R", "4R 7R", "5R 6R", "6G 8R")
    do(state, 0, lay("Ma"), wish(""))
    no_bombs(state)
    assert state.wish == 0
    assert may(state, 1, NO)


def test_no_wish_is_made_with_the_card_that_ends_the_round() -> None:
    state = position("Ma", "4R 7R", "", "6G 8R")
    do(state, 0, lay("Ma"))
    assert state.phase == OVER


def test_who_goes_out_with_the_mah_jong_still_wishes() -> None:
    state = position("Ma", "4R 7R", "5R 6R", "6G 8R")
    do(state, 0, lay("Ma"), wish("7"))
    no_bombs(state)
    assert listed(state, 1) == [lay("7R")]


def test_a_wish_binds_a_single() -> None:
    state = wished("8", "3R 4G", "8R KR", "9R 6R", "6G 8G")
    turns(state, lay("3R"))
    assert listed(state, 1) == [lay("8R")]
    assert not may(state, 1, NO)
    assert not may(state, 1, lay("KR"))
    turns(state, lay("8R"))
    assert state.wish == 0
    assert may(state, 2, NO)


def test_a_wish_does_not_bind_who_cannot_beat_the_table() -> None:
    state = wished("8", "9R 4G", "8R KR", "TR 6R", "6G 8G")
    turns(state, lay("9R"))
    assert listed(state, 1) == [NO, lay("KR")]
    turns(state, lay("KR"))
    assert state.wish == 8


def test_a_wish_binds_a_pair() -> None:
    state = wished("8", "3R 3G 4G", "8R 8G KR KG", "9R 6R", "6G 8B")
    turns(state, lay("3R 3G"))
    assert listed(state, 1) == [lay("8R 8G")]


def test_a_wish_binds_a_pair_with_the_phoenix() -> None:
    state = wished("8", "3R 3G 4G", "8R Ph KR KG", "9R 6R", "6G 8B")
    turns(state, lay("3R 3G"))
    assert listed(state, 1) == [lay("8R Ph", phoenix="8")]


def test_the_phoenix_is_not_the_wished_card() -> None:
    state = wished("8", "3R 4G", "Ph KR", "9R 6R", "6G 8B")
    turns(state, lay("3R"))
    assert sorted(listed(state, 1)) == sorted([NO, lay("KR"), lay("Ph")])


def test_a_wish_binds_a_straight() -> None:
    state = wished("8", "2R 3R 4G 5R 6R 2G", "5G 6G 7G 8R 9R KR", "TR 6S", "6B 8G")
    turns(state, lay("2R 3R 4G 5R 6R"))
    assert listed(state, 1) == [lay("5G 6G 7G 8R 9R")]


def test_a_wish_binds_a_straight_with_the_phoenix_for_another_rank() -> None:
    state = wished("8", "2R 3R 4G 5R 6R 2G", "5G 6G Ph 8R 9R KR", "TR 6S", "6B 8G")
    turns(state, lay("2R 3R 4G 5R 6R"))
    assert listed(state, 1) == [lay("5G 6G Ph 8R 9R", phoenix="7")]


@pytest.mark.parametrize("hand", ["8R 8G 8B KR KG", "8R 8G KR KG KB"])
def test_a_wish_binds_either_part_of_a_full_house(hand: str) -> None:
    state = wished("8", "3R 3G 3B 4G 4R 2G", f"{hand} AR", "TR 6S", "6B 8S")
    turns(state, lay("3R 3G 3B 4G 4R"))
    assert lay(hand) in listed(state, 1)
    assert not may(state, 1, NO)


def test_a_wish_binds_a_bomb() -> None:
    state = wished("8", "AR 4G", "8R 8G 8B 8S 2R", "TR 6S", "6B 9S")
    turns(state, lay("AR"))
    assert listed(state, 1) == [lay("8R 8G 8B 8S")]


def test_a_wish_binds_a_leader() -> None:
    state = wished("8", "8R KR Dog 4R 4G", "3R 4B", "TR 6S", "6B 9S")
    assert listed(state, 0) == [lay("8R")]
    assert not may(state, 0, lay("KR"))


def test_a_bomb_in_turn_is_bound_by_the_wish() -> None:
    state = wished("8", "3R 4G", "8R KR KG KB KS", "TR 6S", "6B 9S")
    turns(state, lay("3R"))
    assert not may(state, 1, lay("KR KG KB KS"))


def test_an_out_of_turn_bomb_is_free_of_the_wish() -> None:
    state = wished("8", "3R 4G", "8R KR KG KB KS", "TR 6S", "6B 9S")
    do(state, 0, lay("3R"))
    do(state, 1, lay("KR KG KB KS"))
    no_bombs(state)
    assert state.holder == 1
    assert state.wish == 8
    no_bombs(state)
    turns(state, NO, NO, NO)
    assert listed(state, 1) == [lay("8R")], "then it binds the leader"


def test_any_natural_card_of_the_rank_ends_the_wish() -> None:
    state = wished("8", "8R 4G", "3R 4B", "TR 6S", "6B 9S")
    turns(state, lay("8R"))
    assert state.wish == 0, "also of the wisher"
    state = wished("8", "9R 4G", "3R 4B", "TR 6S", "8R 8G 8B 8S 2R")
    do(state, 0, lay("9R"))
    do(state, 3, lay("8R 8G 8B 8S"))
    no_bombs(state)
    assert state.wish == 0, "also in a bomb out of turn"


def test_a_wish_stays_over_tricks_and_ends_with_the_round() -> None:
    state = wished("8", "9R 9G", "3R 4B", "TR", "8B 9S", match=1000, rounds=5)
    turns(state, lay("9R"), NO, NO, NO)
    assert state.wish == 8
    turns(state, lay("9G"), NO, lay("TR"))
    assert state.phase == WAITING
    deal(state, derive(1, Purpose.DEAL))
    assert state.wish == state.wished == state.lacking == state.n_denials == 0


# The end of a round, and of a match.


def test_the_last_hand_goes_to_the_opponents_and_the_last_tricks_to_the_first() -> None:
    state = position("3R", "KR 5R 8R", "", "")
    state.finished[:] = (0, 0, 1, 2)
    state.won[:] = (10, 40, 20, 5)
    turns(state, lay("3R"))
    assert state.phase == OVER
    assert state.points.tolist() == [10 + 20 + 40 + 15, 5], "seat 1 is last, seat 2 was first"
    state = position("3R", "KR 5R 8R", "", "")
    state.finished[:] = (0, 0, 2, 1)
    state.won[:] = (10, 40, 20, 5)
    turns(state, lay("3R"))
    assert state.points.tolist() == [10 + 20 + 15, 40 + 5], "his partner was first"


def test_the_trick_that_ends_the_round_belongs_to_its_last_player() -> None:
    state = position("5R 3R", "KR", "", "8G 7G")
    state.finished[:] = (0, 0, 1, 0)
    state.finished[3], state.hand[3] = 2, 0
    state.played[3] |= cards("8G 7G")
    turns(state, lay("5R"), lay("KR"))
    assert state.phase == OVER
    assert state.won.tolist() == [0, 15, 0, 0]
    assert state.points.tolist() == [0, 15]


def test_a_double_victory_counts_two_hundred_and_no_cards() -> None:
    state = position("3R", "KR 5R 8R", "", "TR 4G")
    state.won[:] = (-25, 40, 20, 5)
    turns(state, lay("3R"))
    assert state.points.tolist() == [200, 0]
    assert lead(state) == 200


def test_first_and_third_are_no_double_victory() -> None:
    state = position("3R", "", "", "TR 4G")
    state.finished[:] = (0, 2, 1, 0)
    turns(state, lay("3R"))
    assert state.points.tolist() == [10, 0]


@pytest.mark.parametrize(
    ("calls", "points"),
    [
        ((0, 0, 1, 0), (300, 0)),
        ((1, 0, 1, 0), (200, 0)),
        ((2, 1, 0, 0), (0, -100)),
        ((0, 2, 2, 2), (400, -400)),
        ((2, 2, 1, 1), (100, -300)),
    ],
)
def test_each_call_counts_by_itself(calls: tuple[int, ...], points: tuple[int, int]) -> None:
    state = position("3R", "KR 5R 8R", "", "TR 4G")
    state.call[:] = calls
    turns(state, lay("3R"))
    assert tuple(state.points) == points


@pytest.mark.parametrize(
    ("totals", "is_the_end"),
    [
        ((800, 0), True),
        ((795, 990), False),
        ((900, 1090), True),
        ((900, 1100), False),
        ((-200, -300), False),
        ((-900, 1000), True),
    ],
)
def test_a_match_ends_when_a_side_reached_the_target_and_leads(
    totals: tuple[int, int], is_the_end: bool
) -> None:
    state = position("3R", "KR 5R 8R", "", "TR 4G", match=1000)
    state.total[:] = totals
    turns(state, lay("3R"))
    assert is_over(state) == is_the_end
    assert lead(state) == totals[0] + 200 - totals[1]
    assert movers(state) == 0
    if not is_the_end:
        deal(state, derive(1, Purpose.DEAL))
        assert tuple(state.total) == (totals[0] + 200, totals[1])
        assert not state.points.any()
        assert state.dealt == 2


def test_a_match_ends_after_its_last_round() -> None:
    state = position("3R", "KR 5R 8R", "", "TR 4G", match=1000, rounds=1)
    turns(state, lay("3R"))
    assert is_over(state)


def test_options_that_contradict_each_other_are_refused() -> None:
    assert game(variant="thesis").spec == "tichu:variant=thesis"
    assert game(match=200, rounds=3).spec == "tichu:match=200,rounds=3"
    assert game(match="round").spec == "tichu"
    for options in ({"variant": "thesis", "match": 1000}, {"rounds": 7}, {"match": 0}):
        with pytest.raises(SpecError):
            game(**options)


def test_a_state_is_small() -> None:
    assert STATE.itemsize <= 1024
    assert GAME.max_legal == MAX_LEGAL


# What holds in every round.


ROUNDS = 50 if COMPILED else 2


@pytest.mark.parametrize("variant", ["full", "thesis"])
def test_every_card_is_in_one_place(variant: str) -> None:
    for seed in range(ROUNDS):
        for state in random_round(seed, variant=variant):
            piles = [int(c) for pile in (state.hand, state.stock, state.played) for c in pile]
            assert sum(piles) == int(ALL_CARDS)
            assert sum(pile.bit_count() for pile in piles) == 56
            in_hands = sum(int(card_points(c)) for p in (state.hand, state.stock) for c in p)
            assert int(state.won.sum()) + int(state.trick) + in_hands == 100


@pytest.mark.parametrize("variant", ["full", "thesis"])
def test_card_points_sum_to_a_hundred_without_a_double_victory(variant: str) -> None:
    seen = set()
    for seed in range(ROUNDS):
        state = random_round(seed, variant=variant)[-1]
        points = [int(p) for p in state.points]
        for seat in range(4):
            worth = (0, 100, 200)[int(state.call[seat])]
            points[seat % 2] -= worth if state.finished[seat] == 1 else -worth
        is_double = int(np.count_nonzero(state.finished)) == 2
        seen.add(is_double)
        assert sorted(points) == [0, 200] if is_double else sum(points) == 100
    assert seen == {False, True} or not COMPILED


def test_the_table_is_what_its_holder_laid_last() -> None:
    for seed in range(ROUNDS):
        for state in random_round(seed):
            if state.table_kind:
                assert state.laid[state.holder] == state.table
                assert int(state.table).bit_count() == state.table_length
            else:
                assert state.table == state.holder == state.trick == 0
                assert not state.laid.any()
            if state.phase == TURN and state.table_kind == SINGLE:
                assert state.turn != state.holder
