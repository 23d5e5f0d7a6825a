"""Tichu: what a seat knows, what a wish that nobody fulfils tells, and worlds that fit it."""

import itertools
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest
from scipy import stats

from kibitz.core.game import SPECTATOR, apply, conceal, movers, random_action, resample
from kibitz.core.kernels import COMPILED
from kibitz.core.rng import Purpose, derive
from kibitz.games.tichu.cards import CALL, GRAND, MAH_JONG_BIT, NO_TICHU, other_action
from kibitz.games.tichu.combinations import PAIR, SINGLE, STRAIGHT
from kibitz.games.tichu.state import EXCHANGE, MAX_DENIALS, OVER, UNKNOWN, WINDOW
from kibitz.games.tichu.wishes import count_misfits
from tests.games.tichu_hands import (
    NO,
    RANKS,
    all_do,
    cards,
    dealt,
    do,
    exchange,
    in_exchange,
    lay,
    listed,
    no_bombs,
    position,
    random_round,
    turns,
)


def view_of(state: np.record, seat: int) -> np.record:
    """Return what a seat knows."""
    view = state.copy()
    conceal(view, seat)
    return view


def worlds(view: np.record, seat: int, n: int) -> Iterator[np.record]:
    """Draw worlds that fit a view."""
    rng = derive(3, Purpose.PLAYOUT)
    for _ in range(n):
        world = view.copy()
        resample(world, seat, rng)
        yield world


def members(cards: int) -> list[int]:
    return [card for card in range(56) if int(cards) >> card & 1]


def wished(rank: str, *hands: str, turn: int = 0, **options: object) -> np.record:
    """Let a seat lead under a wish."""
    state = position(*hands, turn=turn, **options)
    state.wish = state.wished = RANKS.index(rank) + 2
    return state


# What a seat knows.


def test_nobody_sees_the_last_six_cards_before_all_have_answered() -> None:
    state = dealt()
    for seat in range(4):
        view = view_of(state, seat)
        assert not view.stock.any()
        assert [int(hand).bit_count() for hand in view.hand] == [8 * (s == seat) for s in range(4)]


def test_answers_at_eight_cards_are_hidden() -> None:
    state = dealt()
    do(state, 1, other_action(CALL, GRAND))
    assert view_of(state, 1).pending[1] == other_action(CALL, GRAND)
    assert view_of(state, 0).pending.tolist() == [0, UNKNOWN, 0, 0]


def test_the_exchange_is_hidden_until_all_have_given() -> None:
    state = in_exchange()
    do(state, 1, *listed(state, 1)[:2])
    assert view_of(state, 1).given[1].tolist() == state.given[1].tolist()
    assert view_of(state, 2).given[1].tolist() == [UNKNOWN, UNKNOWN, 0], "also from the receiver"
    exchange(state)
    for seat in range(4):
        view = view_of(state, seat)
        known = {(seat, k) for k in range(3)} | {((seat + 3 - k) % 4, k) for k in range(3)}
        for place in itertools.product(range(4), range(3)):
            assert view.given[place] == (state.given[place] if place in known else UNKNOWN)


def test_bombs_are_hidden_until_all_have_answered() -> None:
    state = position("3R 4G", "4R 7R", "5R 5G 5B 5S 2R", "6G 8R")
    do(state, 0, lay("3R"))
    do(state, 2, lay("5R 5G 5B 5S"))
    do(state, 3, NO)
    view = view_of(state, 0)
    assert not view.pending.any(), "not even who has answered"
    assert movers(view) == 0b1111
    assert movers(view_of(state, 2)) == 0b1011
    assert view_of(state, 2).pending.tolist() == [0, 0, lay("5R 5G 5B 5S"), 0]
    do(state, 0, NO)
    do(state, 1, NO)
    assert not state.pending.any()


def test_hands_are_open_when_the_round_has_ended() -> None:
    state = random_round(5)[-1]
    assert state.phase == OVER
    assert (view_of(state, 0).hand == state.hand).all()


def test_who_began_holds_the_mah_jong_until_it_is_played() -> None:
    state = position("2R 3R 4R 5R", "Ma 2G 3G 4G", "2B 3B 4B 5B", "2S 3S 4S 5S", turn=1)
    state.opener = 2
    for world in worlds(view_of(state, 3), 3, 50):
        assert world.hand[1] & MAH_JONG_BIT
        assert [int(hand).bit_count() for hand in world.hand] == [4] * 4
    do(state, 1, lay("Ma"))
    assert state.opener == 0


def test_everybody_knows_who_began() -> None:
    state = in_exchange()
    exchange(state)
    all_do(state, other_action(CALL, NO_TICHU))
    assert state.hand[state.turn] & MAH_JONG_BIT
    assert view_of(state, SPECTATOR).opener == state.opener == state.turn + 1


# What a turn without the wished rank tells.


def test_a_leader_who_does_not_fulfil_the_wish_is_lacking() -> None:
    state = wished("8", "Dog 3R", "4R 7R", "5R 6R", "6G 8G")
    turns(state, lay("Dog"))
    assert state.lacking == 0b0001
    turns(state, lay("5R"))
    assert state.lacking == 0b0101


def test_who_passes_or_plays_another_single_below_the_wish_is_lacking() -> None:
    state = wished("8", "3R 4G", "4R 7R", "5R 6R", "6G 8G")
    turns(state, lay("3R"), NO, lay("5R"))
    assert state.lacking == 0b0111
    assert state.n_denials == 0


def test_other_tables_are_kept_with_what_had_been_played() -> None:
    state = wished("8", "3R 3G 9S", "4R 4G 8R", "5R 6R 8B", "6G 8G 9R")
    before = state.played[1]
    turns(state, lay("3R 3G"), lay("4R 4G"), NO)
    assert state.lacking == 0b0001
    assert state.n_denials == 2
    assert state.denial_seat[:2].tolist() == [1, 2]
    assert state.denial_kind[:2].tolist() == [PAIR, PAIR]
    assert state.denial_played[0] == before, "before the turn"
    assert count_misfits(state, SPECTATOR) == 0
    world = state.copy()
    world.hand[2] = cards("8B 8G 6R")
    assert count_misfits(world, SPECTATOR) == 1
    assert count_misfits(world, 2) == 0, "of himself a seat knows"


def test_denials_that_follow_from_others_are_not_kept() -> None:
    state = wished("8", "9R TG AR 4G 4B", "4R 4S KR 8R", "5R 5S 6R 8B", "QR 6S 6G 8G")
    state.lacking = 1
    turns(state, lay("9R"), NO, NO, NO)
    assert state.n_denials == 3
    assert state.denial_kind[:3].tolist() == [SINGLE] * 3
    turns(state, lay("AR"), NO, NO, NO)
    assert state.n_denials == 3, "an ace on the table says no more than a nine"
    turns(state, lay("4G 4B"), NO, NO)
    assert state.n_denials == 5
    do(state, 3, NO)
    no_bombs(state)
    turns(state, lay("TG"), NO)
    assert state.n_denials == 6


def test_lacking_says_all_that_earlier_denials_say() -> None:
    state = wished("8", "9R 3G", "KR 4R", "5R 6R 8B", "QR 6S 6G 8G")
    turns(state, lay("9R"), lay("KR"), NO, NO, NO)
    assert sorted(state.denial_seat[: state.n_denials]) == [1, 2, 3]
    turns(state, lay("4R"))
    assert state.lacking == 0b0011
    assert sorted(state.denial_seat[: state.n_denials]) == [2, 3]


def test_bombs_out_of_turn_tell_nothing() -> None:
    state = wished("8", "9R 3G", "KR 4R", "5R 5G 5B 5S 8B", "QR 6S 6G 8G")
    do(state, 0, lay("9R"))
    do(state, 2, lay("5R 5G 5B 5S"))
    no_bombs(state)
    assert state.n_denials == 0
    assert state.lacking == 0b0001


# Worlds.


def hidden_hands(world: np.record, seat: int) -> tuple[int, ...]:
    return tuple(int(world.hand[other]) for other in range(4) if other != seat)


def every_deal(view: np.record, seat: int) -> list[np.record]:
    """Deal the unseen cards to the hidden hands in every way that fits the wish."""
    others = [other for other in range(4) if other != seat]
    known = sum(int(played) for played in view.played) + (int(view.hand[seat]) if seat >= 0 else 0)
    unseen = frozenset(card for card in range(56) if not known >> card & 1)
    deals: list[tuple[list[int], frozenset[int]]] = [([], unseen)]
    for other in others:
        size = 14 - int(view.played[other]).bit_count()
        deals = [
            ([*hands, sum(1 << card for card in hand)], left - set(hand))
            for hands, left in deals
            for hand in itertools.combinations(sorted(left), size)
        ]
    every = []
    for hands, _ in deals:
        world = view.copy()
        for other, hand in zip(others, hands, strict=True):
            world.hand[other] = np.uint64(hand)
        if not count_misfits(world, seat):
            every.append(world)
    return every


def endings() -> dict[str, np.record]:
    """Return small positions after which a seat knows something of the others."""
    plain = position("3R 9R", "4R 7R", "5R", "8G")
    lacking = wished("8", "3R 9R 9G", "4R 7R", "5R 6R", "8G 8R")
    turns(lacking, lay("3R"), NO)
    pairs = wished("8", "3R 3G 9R", "4R 4G 8R", "8B 6S", "8G Ph")
    turns(pairs, lay("3R 3G"), NO, NO)
    straight = wished("8", "2R 3R 4R 5R 6G 9R", "7G TG 8S JR", "8G", "9G", turn=0)
    turns(straight, lay("2R 3R 4R 5R 6G"), NO)
    assert straight.denial_kind[0] == STRAIGHT
    return {"plain": plain, "lacking": lacking, "pairs": pairs, "straight": straight}


@pytest.mark.parametrize("name", ["plain", "lacking", "pairs", "straight"])
@pytest.mark.parametrize("seat", [0, 2])
def test_hidden_hands_are_dealt_uniformly_over_all_that_fits(name: str, seat: int) -> None:
    view = view_of(endings()[name], seat)
    want = {hidden_hands(world, seat) for world in every_deal(view, seat)}
    n = (60 if COMPILED else 8) * len(want)
    got = Counter(hidden_hands(world, seat) for world in worlds(view, seat, n))
    assert got.keys() <= want
    if COMPILED and len(want) > 1:
        assert stats.chisquare([got[hands] for hands in want]).pvalue > 1e-4


def test_the_wish_does_exclude_deals() -> None:
    for name in ("lacking", "pairs"):
        view = view_of(endings()[name], 0)
        free = view.copy()
        free.lacking = free.n_denials = 0
        assert len(every_deal(view, 0)) < len(every_deal(free, 0))


def test_what_a_seat_gave_is_where_it_gave_it_until_it_is_played() -> None:
    state = in_exchange(4)
    exchange(state)
    view = view_of(state, 1)
    for world in worlds(view, 1, 20):
        for k in range(3):
            assert int(world.hand[(1 + k + 1) % 4]) >> (int(state.given[1, k]) - 1) & 1
    given = int(state.given[1, 0]) - 1
    state.hand[2] &= ~np.uint64(1 << given)
    state.played[2] |= np.uint64(1 << given)
    for world in worlds(view_of(state, 1), 1, 5):
        assert [int(hand).bit_count() for hand in world.hand] == [14, 14, 13, 14]
        assert sum(int(c) for c in (*world.hand, *world.played)) == (1 << 56) - 1


def test_cards_that_others_gave_each_other_come_from_the_receivers() -> None:
    state = in_exchange(4)
    exchange(state)
    for world in worlds(view_of(state, 1), 1, 50):
        for receiver in range(4):
            got = [int(world.given[(receiver + 3 - k) % 4, k]) - 1 for k in range(3)]
            assert len(set(got)) == 3
            assert all(int(world.hand[receiver]) >> card & 1 for card in got)


def test_given_cards_are_uniform() -> None:
    state = in_exchange(4)
    exchange(state)
    view = view_of(state, 1)
    n = 4000 if COMPILED else 50
    # How often each card that seat 1 does not know was given by 2 to 3: all alike but its own gift.
    got = Counter(int(world.given[2, 0]) - 1 for world in worlds(view, 1, n))
    gifts = {int(card) - 1 for card in state.given[1]}
    unseen = set(members((1 << 56) - 1 & ~int(view.hand[1]))) - gifts
    assert got.keys() <= unseen
    if COMPILED:
        assert stats.chisquare([got[card] for card in unseen]).pvalue > 1e-4


def test_who_holds_a_bomb_does_not_show_at_a_table() -> None:
    state = position("3R 4G", "4R 4B 4S 7R 8R", "5R 5G 5B 5S 2R", "6G 6R")
    do(state, 0, lay("3R"))
    do(state, 2, NO)  # who has no choice is answered for last
    assert state.phase == WINDOW
    for seat in (SPECTATOR, 0, 1, 3):
        assert movers(view_of(state, seat)) == 0b1111


def test_pending_answers_are_drawn_from_what_fits() -> None:
    state = in_exchange()
    do(state, 2, *listed(state, 2)[:2])
    for world in worlds(view_of(state, 0), 0, 20):
        assert world.phase == EXCHANGE
        given = [int(card) - 1 for card in world.given[2, :2]]
        assert len({*given}) == 2
        assert all(int(world.hand[2]) >> card & 1 for card in given)
        assert world.given[2, 2] == 0


@pytest.mark.parametrize("variant", ["full", "thesis"])
def test_hardly_any_world_contradicts_a_denial(variant: str) -> None:
    n_views = n_misfits = 0
    rng = derive(8, Purpose.PLAYOUT)
    for seed in range(60 if COMPILED else 2):
        state = dealt(seed, variant=variant)
        while movers(state):
            seat = int(movers(state)).bit_length() - 1
            if any(s != seat for s in state.denial_seat[: state.n_denials]):
                world = view_of(state, seat)
                resample(world, seat, rng)
                n_views += 1
                n_misfits += world.misfits != 0
                assert view_of(world, seat).tobytes() == view_of(state, seat).tobytes()
            apply(state, seat, random_action(state, seat, rng))
    assert n_misfits <= n_views / 1000
    assert n_views or not COMPILED


def test_denials_that_find_no_room_are_counted_in_every_world() -> None:
    state = wished("8", "3R 9R 9G", "4R 4G 7R", "5R 6R", "8G 8R")
    state.n_denials = MAX_DENIALS
    state.denial_seat[:] = 3
    state.denial_kind[:] = STRAIGHT
    state.denial_length[:] = 5 + np.arange(MAX_DENIALS)
    turns(state, lay("9R 9G"), NO)
    assert state.n_denials == MAX_DENIALS
    assert state.forgotten == 1
    world = next(worlds(view_of(state, 0), 0, 1))
    assert world.misfits >= 1
    assert view_of(world, 0).tobytes() == view_of(state, 0).tobytes()


def test_a_view_that_no_game_has_is_dealt_without_harm() -> None:
    state = wished("8", "3R 9R 9G", "4R 7R", "5R 6R", "8G 8R")
    state.lacking = 0b1110
    world = next(worlds(view_of(state, 0), 0, 1))
    assert world.misfits > 0
    assert sum(int(hand).bit_count() for hand in world.hand) == 9


def test_all_called_without_a_choice_resamples() -> None:
    state = dealt()
    all_do(state, other_action(CALL, GRAND))
    exchange(state)
    world = next(worlds(view_of(state, SPECTATOR), SPECTATOR, 1))
    assert [int(hand).bit_count() for hand in world.hand] == [14] * 4
