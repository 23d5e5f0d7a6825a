"""Sheephead: worlds that fit a view are all that the past allows, each as often as the others."""

from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy import stats

import kibitz
from kibitz.core.bits import popcount
from kibitz.core.game import apply, conceal, deal, is_legal, movers, random_action, resample
from kibitz.core.kernels import COMPILED
from kibitz.core.rng import Purpose, derive
from kibitz.games.sheephead.cards import (
    BURY,
    CALL_UNKNOWN,
    CRACK,
    POINTS,
    bury_action,
    unknown_action,
)
from kibitz.games.sheephead.declaring import suit_called_by
from kibitz.games.sheephead.state import HIDDEN, PLAYING
from tests.conformance.sheephead import Piles, every_deal, fits, members, sheephead_worlds, world_of
from tests.games.sheephead_deals import (
    SPECS,
    bury,
    call,
    cards,
    dealt,
    number,
    turn,
    turns,
    view_of,
)

Log = list[tuple[int, int]]


def worlds(view: np.record, seat: int, n: int) -> Iterator[np.record]:
    """Draw worlds that fit a view."""
    rng = derive(3, Purpose.PLAYOUT)
    for _ in range(n):
        world = view.copy()
        resample(world, seat, rng)
        yield world


# All that the past allows: other deals are played again, action by action.


def play_on(state: np.record, log: Log, seed: int, n_tricks: int) -> None:
    """Play at random until so many tricks are complete."""
    rng = derive(seed, Purpose.PLAYOUT)
    while movers(state) and state.tricks_played < n_tricks:
        seat = turn(state)
        log.append((seat, int(random_action(state, seat, rng))))
        apply(state, *log[-1])


def replayed(start: np.record, log: Log, world: np.record, piles: Piles) -> np.record | None:
    """Play a hand again with other cards, and with what else was hidden; None if that cannot be."""
    state = start.copy()
    for seat in range(5):
        state.hand[seat] = world.hand[seat] | world.played[seat]
    state.blind = world.blind
    picker = int(world.picker) - 1
    if picker >= 0:
        eight = state.hand[picker] | world.buried
        state.blind = np.uint64(sum(1 << card for card in sorted(members(eight))[:2]))  # any two
        state.hand[picker] = eight & ~state.blind
    unknown_at = int(world.face_down_at)
    for seat, action in log:
        if BURY <= action < CRACK:
            action = int(bury_action(*sorted(members(world.buried))))
        elif CALL_UNKNOWN <= action < BURY:
            action = int(unknown_action(piles.unknown or 0, suit_called_by(action)))
        elif state.phase == PLAYING and seat == picker and state.tricks_played + 1 == unknown_at:
            action = int(piles.unknown or 0)
        if not is_legal(state, seat, action):
            return None
        apply(state, seat, action)
    return state


def same_past(start: np.record, log: Log, view: np.record, seat: int) -> set[bytes] | None:
    """Find the worlds in which everything that a seat has seen happens; None if they are many."""
    deals = every_deal(view, seat, most=60)
    if deals is None:
        return None
    found = set()
    for piles in deals:
        world = world_of(view, piles)
        state = replayed(start, log, world, piles)
        if state is not None and view_of(state, seat).tobytes() == view.tobytes():
            assert state.tobytes() == world.tobytes()
            found.add(state.tobytes())
    return found


def check_past(start: np.record, log: Log, seed: int) -> int:
    """Play on at random, and compare what fits with what can have happened; count positions."""
    state = start.copy()
    for seat, action in log:
        apply(state, seat, action)
    log = list(log)
    play_on(state, log, seed, 4)
    n = 0
    rng = derive(seed, Purpose.PLAYOUT, 1)
    while movers(state):
        for seat in range(-1, 5):
            view = view_of(state, seat)
            want = same_past(start, log, view, seat)
            if want is None:
                continue
            listed = sheephead_worlds(view, seat)
            assert listed is not None
            assert {world.tobytes() for world in listed} == want
            drawn = {world.tobytes() for world in worlds(view, seat, 3 * len(want))}
            assert drawn <= want
            n += len(want) > 1
        seat = turn(state)
        log.append((seat, int(random_action(state, seat, rng))))
        apply(state, *log[-1])
    return n


SEEDS = [1, pytest.param(3, marks=pytest.mark.slow)]
"""From how many seeds positions are looked at."""


@pytest.mark.compiled  # enumerates in Python
@pytest.mark.parametrize("seeds", SEEDS)
@pytest.mark.parametrize("spec", [spec for spec in SPECS if "open" not in spec])
def test_worlds_are_those_in_which_the_same_can_have_happened(spec: str, seeds: int) -> None:
    n = 0
    for seed in range(seeds):
        start = kibitz.load_game(spec).blank(1)[0]
        deal(start, derive(seed, Purpose.DEAL))
        n += check_past(start, [], seed)
    assert n


class Picked(NamedTuple):
    """What seat 0 holds, finds in the blind, buries and declares."""

    hand: str
    blind: str
    buried: str
    declared: int | str
    options: dict[str, Any]

    @property
    def log(self) -> Log:
        """What he does before the first card is played."""
        return [(0, number(action)) for action in ("pick", bury(self.buried), self.declared)]

    def start(self, seed: int) -> np.record:
        """Deal him his cards."""
        return dealt(self.hand, blind=self.blind, seed=seed, **self.options)


HEARTS, TRUMPS, ACES = "AH KH QC QS 8D JD", "9D KD QC QS 8D JD", "AC 7C AS AH QC QS"
CLUBS, MIXED = "7C 8C 9C KC QC QS", "7C 8S QH QD QC QS"
DIAMONDS = "10D JOKER"
PICKED = {
    "unknown trump": Picked(HEARTS, DIAMONDS, DIAMONDS, call("AC", "QC"), {}),
    "unknown heart": Picked(HEARTS, DIAMONDS, DIAMONDS, call("AS", "KH"), {}),
    "unknown fail": Picked(
        HEARTS, "10D 9H", "9H KH", call("AS", "AH"), {"unknown": "fail", "bury": "fail"}
    ),
    "unknown, no fail": Picked(TRUMPS, DIAMONDS, "10D 8D", call("AH", "KD"), {"bury": "fail"}),
    "unknown, not led": Picked(
        HEARTS, DIAMONDS, DIAMONDS, call("AC", "QC"), {"lead_called": False}
    ),
    "ten": Picked(ACES, DIAMONDS, "10D AS", call("10C"), {}),
    "ten on top": Picked(ACES, DIAMONDS, "10D AS", call("10C"), {"called_ten": "top"}),
    "not led": Picked(CLUBS, DIAMONDS, "10D QS", call("AC"), {"lead_called": False}),
    "underlead": Picked(MIXED, DIAMONDS, "10D QS", call("AC"), {"underlead": True}),
    "slough": Picked(MIXED, DIAMONDS, "10D QS", call("AC"), {"slough": True}),
    "alone": Picked(MIXED, "10D 9H", "7C 8S", "alone", {"bury": "fail"}),
}


@pytest.mark.compiled  # enumerates in Python
@pytest.mark.parametrize("seeds", SEEDS)
@pytest.mark.parametrize("name", PICKED)
def test_worlds_know_what_a_call_tells(name: str, seeds: int) -> None:
    picked = PICKED[name]
    assert sum(check_past(picked.start(seed), picked.log, seed) for seed in range(seeds))


@pytest.mark.parametrize("name", ["unknown trump", "ten", "underlead", "alone"])
def test_worlds_come_up_equally_often(name: str) -> None:
    n = 0
    for seed in range(3):
        state = PICKED[name].start(seed)
        turns(state, *(action for _, action in PICKED[name].log))
        play_on(state, [], seed, 5)
        for seat in range(5):
            view = view_of(state, seat)
            listed = sheephead_worlds(view, seat)
            if listed is None or len(listed) < 2:
                continue
            n += 1
            draws = (60 if COMPILED else 5) * len(listed)
            got = Counter(world.tobytes() for world in worlds(view, seat, draws))
            want = [world.tobytes() for world in listed]
            assert got.keys() <= set(want)
            if COMPILED:
                assert stats.chisquare([got[key] for key in want]).pvalue > 1e-4
    assert n


def test_cards_are_where_enumeration_says_as_often_as_it_says() -> None:
    picked = PICKED["underlead"]
    state = turns(picked.start(0), *(action for _, action in picked.log))
    play_on(state, [], 1, 4)
    view = view_of(state, 0)
    deals = every_deal(view, 0, most=10_000)
    assert deals is not None
    possible = [piles for piles in deals if fits(world_of(view, piles), piles)]
    assert len(possible) > 100
    want, got = np.zeros((5, 32)), np.zeros((5, 32))
    for piles in possible:
        for seat, hand in enumerate(piles.hands):
            want[seat, list(hand)] += 1
    want /= len(possible)
    n = 20_000 if COMPILED else 100
    for world in worlds(view, 0, n):
        for seat, hand in enumerate(world.hand):
            got[seat, list(members(hand))] += 1
    assert (abs(got / n - want) <= 5 * np.sqrt(want * (1 - want) / n) + 1e-12).all()


# Rules that worlds keep to, one by one.


def test_hands_have_the_right_number_of_cards_in_every_phase() -> None:
    for seed in range(40 if COMPILED else 3):
        state = dealt(seed=seed)
        rng = derive(seed, Purpose.PLAYOUT)
        while movers(state):
            for seat in range(-1, 5):
                view = view_of(state, seat)
                (world,) = worlds(view, seat, 1)
                assert [popcount(h) for h in world.hand] == [popcount(h) for h in state.hand]
                assert popcount(world.blind) == popcount(state.blind)
                assert popcount(world.buried) == popcount(state.buried)
                assert view_of(world, seat).tobytes() == view.tobytes()
                assert world.points.sum() + _in_play(world) == 120
            seat = turn(state)
            apply(state, seat, random_action(state, seat, rng))


def _in_play(world: np.record) -> int:
    lying = sum(int(POINTS[laid - 1]) for laid in world.laid if laid > 0)
    piles = [*world.hand, world.blind | world.buried]
    return lying + sum(int(POINTS[c]) for pile in piles for c in members(pile))


def called_spades(**options: Any) -> np.record:
    """Let seat 0 call the ace of spades with the eight, and the seven of clubs."""
    state = dealt("7C 8S QH QD QC QS", "AS 9S", blind="10D JOKER", **options)
    return turns(state, "pick", bury("10D QS"), call("AS"))


def test_a_seat_that_does_not_hold_the_called_card_knows_it() -> None:
    state = called_spades()
    holders = Counter(int(world.partner) - 1 for world in worlds(view_of(state, 2), 2, 300))
    assert holders.keys() == {1, 3, 4}
    (world,) = worlds(view_of(state, 1), 1, 1)
    assert world.partner == 2


def test_the_picker_keeps_a_card_of_the_called_suit_until_it_is_led() -> None:
    state = called_spades()
    spades = cards("7S 8S 9S KS 10S AS")
    for world in worlds(view_of(state, 2), 2, 200):
        assert world.hand[0] & spades & ~cards("AS")
    without_call = state.copy()
    without_call.called = without_call.partner = without_call.without = 0
    assert any(not w.hand[0] & spades for w in worlds(view_of(without_call, 2), 2, 200))


def test_a_called_ten_tells_that_the_picker_has_all_aces() -> None:
    state = dealt("AC 7C AS AH QC QS", blind="10D JOKER")
    turns(state, "pick", bury("10D AS"), call("10C"))
    for world in worlds(view_of(state, 3), 3, 100):
        eight = world.hand[0] | world.buried
        assert popcount(eight & cards("AC AS AH")) == 3
        assert not eight & cards("10C")


def test_an_unknown_tells_that_no_suit_is_held_without_its_ace() -> None:
    state = dealt("AH KH QC QS 8D JD", blind="10D JOKER")
    turns(state, "pick", bury("10D JOKER"), call("AC", "KH"))
    view = view_of(state, 2)
    assert view.face_down == HIDDEN
    unknowns = set()
    for world in worlds(view, 2, 300):
        eight = members(world.hand[0] | world.buried)
        for ace in (5, 11, 17):
            assert ace in eight or not eight & set(range(ace - 5, ace))
        assert 5 not in eight
        assert int(world.hand[0]) >> int(world.face_down - 1) & 1
        unknowns.add(int(world.face_down) - 1)
    assert len(unknowns) > 5


def test_who_underled_is_known_to_hold_the_called_card_after_the_trick() -> None:
    hands = ("7C QC QS 8D KS 9S", "8C JC JS 7S 7H 8S", "AC 9C 10C QD 9D KH")
    state = dealt(*hands, "KC JH JD 10S 10H AS", "JOKER", blind="10D AH", underlead=True)
    turns(state, "pick", bury("10D AH"), call("AC"))
    state.leader = state.turn = 2
    turns(state, "9C", "KC")
    assert {int(w.partner) for w in worlds(view_of(state, 1), 1, 200)} == {3, 5}
    turns(state, "JOKER", "7C", "8C")
    assert {int(w.partner) for w in worlds(view_of(state, 1), 1, 50)} == {3}


def test_views_are_the_same_whatever_is_hidden() -> None:
    for seed in range(20 if COMPILED else 2):
        state = dealt(seed=seed)
        rng = derive(seed, Purpose.PLAYOUT)
        while movers(state):
            seat = turn(state)
            view = view_of(state, seat)
            for world in worlds(view, seat, 3):
                conceal(world, seat)
                assert world.tobytes() == view.tobytes()
            apply(state, seat, random_action(state, seat, rng))


@pytest.mark.parametrize("n", [30 if COMPILED else 1, pytest.param(150, marks=pytest.mark.slow)])
@pytest.mark.parametrize("spec", SPECS)
def test_hardly_any_world_contradicts_its_view(spec: str, n: int) -> None:
    n_worlds = n_misfits = 0
    rng = derive(8, Purpose.PLAYOUT)
    for seed in range(n):
        state = kibitz.load_game(spec).blank(1)[0]
        deal(state, derive(seed, Purpose.DEAL))
        while movers(state):
            for seat in range(-1, 5):
                world = view_of(state, seat)
                resample(world, seat, rng)
                n_worlds += 1
                n_misfits += int(world.misfits)
            seat = turn(state)
            apply(state, seat, random_action(state, seat, rng))
    assert n_misfits <= n_worlds / 1000


@pytest.mark.parametrize(("void", "n_cards"), [(0b1101, 32), (0b1111, 31)])
def test_a_view_that_no_game_has_is_dealt_without_harm(void: int, n_cards: int) -> None:
    state = called_spades()
    view = view_of(state, 2)
    view.void[[0, 1, 3, 4]] = void
    (world,) = worlds(view, 2, 1)
    assert world.misfits == 1
    dealt_cards = [*world.hand, world.buried]
    assert sum(map(popcount, dealt_cards)) == n_cards, (
        "without the called card if nobody can have it"
    )
    assert view_of(world, 2).tobytes() == view.tobytes()
