"""Sheephead against the slow reference: whole sessions step by step, and how often aces are called.

Kernels deal and the reference is told what was dealt, who deals and who sits where; it complains
about a wrong dealer or moved seats.
"""

import math
import random
from collections import Counter
from collections.abc import Collection
from functools import cache
from itertools import combinations, product

import numpy as np
import pytest

from kibitz.core.game import (
    State,
    States,
    apply,
    deal,
    is_legal,
    is_over,
    legal,
    movers,
    random_action,
    scores,
)
from kibitz.core.kernels import COMPILED
from kibitz.core.registry import load_game
from kibitz.core.rng import Rng, derive
from kibitz.core.table import Game
from kibitz.games.sheephead import cards as fast
from kibitz.games.sheephead import state as fast_state
from tests.reference.sheephead import (
    ACES,
    ALONE,
    BIDDING,
    BLITZING,
    BURYING,
    CRACK,
    CRACKING,
    DECK,
    DECLARING,
    FAIL_RANKS,
    FAIL_SUITS,
    FIRST_LEFT,
    LEASTER_PLAYING,
    NOLA_PLAYING,
    OVER,
    PAIRS,
    PASS,
    PICK,
    PLAYING,
    SEATS,
    SUIT,
    TENS,
    TRUMPS,
    WAITING,
    Options,
    ReferenceGame,
    bury,
    calling_case,
    payment_row,
    points_of,
)

ANSWERS = {
    **{PASS: fast.PASS, PICK: fast.PICK, ALONE: fast.ALONE, CRACK: fast.CRACK},
    **{"blitz black": fast.BLITZ_BLACK, "blitz red": fast.BLITZ_RED, "blitz both": fast.BLITZ_BOTH},
}
NUMBER = {
    **{card: number for number, card in enumerate(fast.NAMES)},
    **ANSWERS,
    **{f"call {ACES[suit]}": fast.CALL_ACE + n for n, suit in enumerate(FAIL_SUITS)},
    **{f"call {TENS[suit]}": fast.CALL_TEN + n for n, suit in enumerate(FAIL_SUITS)},
    **{
        f"lay {card} call {ACES[suit]}": fast.CALL_UNKNOWN + 3 * number + n
        for number, card in enumerate(fast.NAMES)
        for n, suit in enumerate(FAIL_SUITS)
    },
    **{
        bury(fast.NAMES[low], fast.NAMES[high]): fast.BURY + high * (high - 1) // 2 + low
        for low, high in combinations(range(32), 2)
    },
}
"""The number of every action in the kernels, by what the reference calls it."""
NAME = {number: action for action, number in NUMBER.items()}
assert sorted(NAME) == list(range(fast.N_ACTIONS))

PHASE = {
    WAITING: fast_state.WAITING,
    BIDDING: fast_state.BIDDING,
    BURYING: fast_state.BURYING,
    DECLARING: fast_state.DECLARING,
    BLITZING: fast_state.BLITZING,
    CRACKING: fast_state.CRACKING,
    PLAYING: fast_state.PLAYING,
    NOLA_PLAYING: fast_state.NOLA_PLAYING,
    LEASTER_PLAYING: fast_state.LEASTER_PLAYING,
    OVER: fast_state.OVER,
}

QUEENS = ("QC", "QS", "QH", "QD")
SUITS = ("C", "S", "H", "trump")  # the order of the kernels
OUT = np.zeros(fast.N_ACTIONS, np.int64)
SCORES = np.zeros(SEATS)

# Hands per spec: 22,000 in all, cards and decisions uniformly random.
COMPARED = {
    "sheephead": 4000,
    "sheephead:hands=50,redraw=7": 2000,
    "sheephead:hands=20,redraw=1": 1000,
    "sheephead:hands=20,redraw=0": 1000,
    "sheephead:hands=20,pass=leaster": 1500,
    "sheephead:hands=20,pass=doubler": 1000,
    "sheephead:hands=20,pass=redeal": 1000,
    "sheephead:hands=20,pass=forced": 500,
    "sheephead:hands=20,bump=true": 1000,
    "sheephead:hands=20,lead_called=false": 1000,
    "sheephead:hands=20,slough=true": 1000,
    "sheephead:hands=20,underlead=true": 1000,
    "sheephead:hands=20,unknown=fail": 1000,
    "sheephead:hands=20,bury=fail": 1000,
    "sheephead:hands=20,called_ten=top": 500,
    "sheephead:hands=500,redraw=3,stack=true": 1000,
    "sheephead:hands=20,crack=true": 500,
    "sheephead:hands=20,blitz=true": 1000,
    "sheephead:hands=20,blitz=true,crack=true": 1000,
}
assert sum(COMPARED.values()) == 22_000

# Hands per spec with rare cards or timid bidders; several options at once.
RARE_HANDS = {
    "sheephead:hands=4": 1000,
    "sheephead:hands=4,stack=true": 1600,
    "sheephead:hands=10,pass=leaster,crack=true": 500,
    "sheephead:hands=10,pass=doubler,redraw=2": 300,
    "sheephead:hands=10,pass=redeal,redraw=1": 500,
    "sheephead:hands=10,pass=forced,bury=fail": 300,
    "sheephead:hands=10,unknown=fail": 500,
    "sheephead:hands=10,unknown=fail,bury=fail": 500,
    "sheephead:hands=10,called_ten=top": 1000,
    "sheephead:hands=10,called_ten=top,underlead=true,slough=true": 500,
    "sheephead:hands=10,lead_called=false,slough=true,bump=true": 800,
    "sheephead:hands=10,lead_called=false,underlead=true,crack=true": 800,
    "sheephead:hands=10,blitz=true": 1000,
    "sheephead:hands=10,blitz=true,crack=true": 1000,
    "sheephead:hands=10,blitz=true,unknown=fail,bury=fail": 500,
    "sheephead:hands=10,blitz=true,crack=true,bury=fail,bump=true": 500,
    "sheephead:hands=10,blitz=true,crack=true,pass=leaster": 500,
}

# Least numbers of hands in which something happens, among random ones and among rare ones.
ENOUGH = {
    **{"nola": 400, "leaster": 20, "doubler": 12, "1 redeals": 12},
    **{"1 cracks": 120, "2 cracks": 120},
    **{"case ace": 17_000, "case unknown": 800, "case ten": 120},
    **{"call A": 9000, "lay A": 700, "call 10": 80, "alone": 6000},
    **{"unknown trump": 300, "unknown fail": 300, "unknown never asked for": 25},
    **{"all tricks with partner": 80, "91-120 with partner": 700, "61-90 with partner": 2500},
    **{"31-60 with partner": 3500, "0-30 with partner": 1200, "no trick with partner": 500},
    **{"91-120 alone": 80, "61-90 alone": 600, "31-60 alone": 2000, "0-30 alone": 1500},
    **{"no trick alone": 1500, "60 to 60": 150, "doubled": 400},
}
RARE = {
    **{"case unknown": 700, "case ten": 500, "lay A": 550, "call 10": 350, "all tricks alone": 70},
    **{"leaster": 150, "doubler": 80, "9 redeals": 80, "doubled": 2500},
}

# The same in hands with the option `blitz`, which the others leave out.
BLITZES = {
    **{"blitz black by picker": 10, "blitz black by partner": 3, "blitz black by opponent": 60},
    **{"blitz red by picker": 10, "blitz red by partner": 3, "blitz red by opponent": 50},
    **{"blitz with 0 cracks": 80, "blitz with 1 cracks": 30, "blitz with 2 cracks": 30},
    **{"blitzes by two": 3, "queen of a pair buried": 60, "nola": 30},
}
RARE_BLITZES = {
    **{"blitz black by picker": 100, "blitz black by partner": 20, "blitz black by opponent": 300},
    **{"blitz red by picker": 100, "blitz red by partner": 20, "blitz red by opponent": 300},
    **{"blitz both by picker": 12, "blitz both by partner": 3, "blitz both by opponent": 50},
    **{"blitz with 0 cracks": 350, "blitz with 1 cracks": 180, "blitz with 2 cracks": 180},
    **{"blitz, times 2": 200, "blitz, times 4": 230, "blitz, times 8": 190},
    **{"blitz, times 16": 80, "blitz, times 32": 5, "blitzes by two": 70},
    **{"queen of a pair buried": 220, "queen of a pair face down": 25, "leaster": 150},
}


def options_of(game: Game) -> Options:
    words = {name: str(value) for name, value in game.options.items()}

    def on(name: str) -> bool:
        return words[name] == "true"

    return Options(
        nobody_picks=words["pass"],
        bump=on("bump"),
        lead_called=on("lead_called"),
        slough=on("slough"),
        underlead=on("underlead"),
        unknown=words["unknown"],
        bury=words["bury"],
        called_ten=words["called_ten"],
        stack=on("stack"),
        crack=on("crack"),
        blitz=on("blitz"),
        hands=int(words["hands"]),
        redraw=int(words["redraw"]),
    )


def word_of(cards: set[str]) -> int:
    return sum(1 << NUMBER[card] for card in cards)


def cards_of(word: int) -> set[str]:
    return {card for number, card in enumerate(fast.NAMES) if word >> number & 1}


Piles = tuple[list[set[str]], set[str]]
"""The hands of all seats, and the blind."""
BLIND = "blind"


def filled(chosen: dict[int | str, Collection[str]], rng: random.Random) -> Piles:
    """Deal chosen cards to some seats and to the blind, and the others at random."""
    given = set().union(*chosen.values())
    rest = [card for card in DECK if card not in given]
    rng.shuffle(rest)
    hands = [set(chosen.get(seat, ())) for seat in range(SEATS)]
    for hand in hands:
        hand.update(rest.pop() for _ in range(6 - len(hand)))
    return hands, {*chosen.get(BLIND, ()), *rest}


def rare_deal(first: int, rng: random.Random) -> Piles:
    """Deal one seat and the blind no fail cards but aces, all three aces, or high trumps."""
    lucky, aces = rng.choice((first, rng.randrange(SEATS))), list(ACES.values())
    good = rng.choice(
        (
            rng.sample([*TRUMPS, *aces], 8),
            [*aces, *rng.sample([card for card in DECK if card not in aces], 5)],
            [*TRUMPS[-6:], *rng.sample(DECK[:-6], 2)],
        )
    )
    rng.shuffle(good)
    return filled({lucky: good[:6], BLIND: good[6:]}, rng)


def deal_of_queens(first: int, rng: random.Random) -> Piles:
    """Deal two seats a pair of queens each, one seat all four, or one seat and the blind."""
    lucky, aces = rng.choice((first, rng.randrange(SEATS))), list(ACES.values())
    kind = rng.randrange(3)
    if kind == 0:
        other = (lucky + rng.randrange(1, SEATS)) % SEATS
        one, two = rng.sample(sorted(PAIRS), 2)
        return filled({lucky: PAIRS[one], other: PAIRS[two]}, rng)
    if kind == 1:
        return filled({lucky: [*QUEENS, *rng.sample(aces, rng.randrange(3))]}, rng)
    rest = [card for card in (*TRUMPS, *aces) if card not in QUEENS]
    good = [*QUEENS, *rng.sample(rest, 4)]
    rng.shuffle(good)
    return filled({lucky: good[:6], BLIND: good[6:]}, rng)


def deal_both(states: States, slow: ReferenceGame, stream: Rng, rare: random.Random | None) -> None:
    """Let the kernel deal, sometimes exchange the cards for rare ones, and return the reference."""
    deal(states[0], stream)
    if rare is not None and rare.random() < 0.7:
        first = int(states["left"][0, states["dealer"][0]])
        queens = slow.options.blitz and rare.random() < 0.6
        rare_hands, rare_blind = (deal_of_queens if queens else rare_deal)(first, rare)
        states["hand"][0] = [word_of(cards) for cards in rare_hands]
        states["blind"][0] = word_of(rare_blind)
    hands = [cards_of(word) for word in states["hand"][0].tolist()]
    blind, left = cards_of(int(states["blind"][0])), states["left"][0].tolist()
    slow.deal(hands, blind, int(states["dealer"][0]), left)
    assert states["dealt"][0] == slow.dealt
    assert states["redeals"][0] == slow.redeals


def one_more(thing: int | str | None) -> int:
    """Write a seat or a card, or that there is none, as a field of the state does."""
    if thing is None:
        return 0
    return 1 + (NUMBER[thing] if isinstance(thing, str) else thing)


def assert_same_table(states: States, slow: ReferenceGame) -> None:
    """Compare all that the reference knows, between tricks."""
    assert states["hand"][0].tolist() == [word_of(cards) for cards in slow.hand]
    assert states["points"][0].tolist() == slow.points
    assert states["tricks"][0].tolist() == slow.tricks()
    assert states["buried"][0] == word_of(slow.buried)
    for pair in PAIRS:
        assert states[pair][0] == one_more(slow.shown.get(pair))
    if slow.phase not in (BLITZING, CRACKING, PLAYING):
        return
    contract = slow.contract
    assert states["picker"][0] == one_more(contract.picker)
    assert states["partner"][0] == one_more(contract.partner)
    assert states["called"][0] == one_more(contract.called)
    assert states["face_down"][0] == one_more(contract.unknown)
    assert bool(states["called_led"][0]) == slow.called_led
    assert states["cracks"][0] == slow.cracks
    in_hands = any(contract.called in cards for cards in slow.hand)
    assert bool(states["revealed"][0]) == (contract.called is not None and not in_hands)
    without = int(states["without"][0])
    for seat, void in enumerate(states["void"][0].tolist()):  # what is said to be shown is true
        held = {SUITS.index(SUIT[card]) for card in slow.hand[seat] if card != contract.unknown}
        assert not any(void >> suit & 1 for suit in held)
        assert not (without >> seat & 1 and contract.called in slow.hand[seat])


def assert_same_result(states: States, slow: ReferenceGame) -> None:
    """Compare what a hand came to."""
    assert states["paid"][0].tolist() == slow.paid
    assert states["money"][0].tolist() == slow.money
    assert states["points"][0].tolist() == slow.points
    assert states["tricks"][0].tolist() == slow.tricks()
    assert states["doubled"][0] == slow.doubled
    scores(states[0], SCORES)
    assert SCORES.tolist() == slow.scores()
    assert bool(is_over(states[0])) == slow.is_over()
    assert sum(slow.paid) == 0
    if slow.declared:
        assert sum(slow.points) + points_of(slow.buried) == 120
    else:
        assert not slow.shown


def assert_same_turn(states: States, slow: ReferenceGame) -> None:
    """Compare what the game waits for, and whom."""
    assert states["phase"][0] == PHASE[slow.phase]
    assert movers(states[0]) == sum(1 << seat for seat in slow.movers())


def blitz_events(slow: ReferenceGame, doubled: int) -> set[str]:
    """Name what happened to the queens of a picked hand; `doubled` as in `events`."""
    role = dict.fromkeys(range(SEATS), "opponent")
    role |= dict(zip(slow.contract.team(), ("picker", "partner"), strict=False))
    kept = slow.eight - slow.buried
    found = {f"blitz {pair} by {role[seat]}" for pair, seat in slow.shown.items()}
    if any(pair <= slow.eight and pair & slow.buried for pair in PAIRS.values()):
        found.add("queen of a pair buried")
    if any(pair <= kept and slow.contract.unknown in pair for pair in PAIRS.values()):
        found.add("queen of a pair face down")
    if not slow.shown:
        return found
    if len(slow.shown) == len(PAIRS):
        seats = set(slow.shown.values())
        found.add(f"blitz both by {role[seats.pop()]}" if len(seats) == 1 else "blitzes by two")
    factor = (2 if doubled else 1) * 2 ** len(slow.shown) * 2**slow.cracks
    return found | {f"blitz with {slow.cracks} cracks", f"blitz, times {factor}"}


def events(slow: ReferenceGame, doubled: int) -> set[str]:
    """Name what happened in a hand that has ended; `doubled` is the counter at its start."""
    found = {"doubled"} if doubled else set()
    if not slow.declared:
        return found | {slow.options.nobody_picks}
    words = slow.declared.split()
    found |= {"alone" if words == [ALONE] else f"{words[0]} {words[-1][:-1]}"}
    found |= {f"case {calling_case(slow.eight)}", f"{slow.cracks} cracks"}
    tricks = sum(winner in slow.contract.team() for winner in slow.winners)
    side = "alone" if slow.contract.partner is None else "with partner"
    found |= {f"{payment_row(slow.team_points(), tricks)} {side}"}
    if slow.team_points() == 60:
        found |= {"60 to 60", "60 to 60 while doubled" if doubled else "60 to 60 at first"}
    if slow.contract.unknown:
        kind = "trump" if slow.contract.unknown in TRUMPS else "fail"
        found |= {f"unknown {kind}"} | (set() if slow.called_led else {"unknown never asked for"})
    return found | (blitz_events(slow, doubled) if slow.options.blitz else set())


def assert_same_verdict(state: State, slow: ReferenceGame, seat: int, rng: random.Random) -> None:
    """Let both judge something that may be illegal."""
    own_card = NUMBER[rng.choice(sorted(slow.hand[seat]))]
    for number in (own_card, rng.randrange(fast.N_ACTIONS), *ANSWERS.values()):
        assert bool(is_legal(state, seat, number)) == (NAME[number] in slow.legal(seat))


def decide_both(states: States, slow: ReferenceGame, rng: random.Random, said: str = "") -> None:
    """Compare who decides between what, and let him do what is said, or something at random."""
    seat, state = slow.turn, states[0]
    wanted = {NUMBER[action] for action in slow.legal(seat)}
    listed = OUT[: legal(state, seat, OUT)].tolist()
    assert len(listed) == len(wanted)
    assert set(listed) == wanted, [NAME[number] for number in wanted ^ set(listed)]
    number = rng.choice(listed)
    if rng.random() < 0.1:
        assert_same_verdict(state, slow, seat, rng)
        number = int(random_action(state, seat, derive(rng.getrandbits(60))))
    if said:
        number = NUMBER[said]
    apply(state, seat, number)
    slow.apply(seat, NAME[number])


def play_both(
    game: Game, seed: int, rare: bool = False, options: Options | None = None
) -> Counter[str]:
    """Play a random session with the kernels and the reference, and compare them at every step.

    Args:
        game: The game with its options.
        seed: Number of the session.
        rare: Whether cards that are rarely dealt are dealt often, many sessions begin with hands
            that pay double, and bidders are timid where there is no Nola.
        options: Those of the reference, if they are not those of the game.

    Returns:
        How often what happened.
    """
    rng = random.Random(f"{game.spec} {seed} {rare}")
    stream = derive(rng.getrandbits(60))
    states, slow = game.blank(1), ReferenceGame(options or options_of(game))
    all_may_pass = rare and slow.options.nobody_picks != "nola"
    timid = rng.choice((0.0, 0.8, 1.0)) if all_may_pass else 0.0
    states["doubled"] = slow.doubled = rng.choice((0, 4, 4)) if rare else 0
    tally, doubled = Counter[str](), 0
    while not slow.is_over():
        if slow.movers():
            passes = slow.phase == BIDDING and PASS in slow.legal(slow.turn)
            decide_both(states, slow, rng, PASS if passes and rng.random() < timid else "")
        else:
            deal_both(states, slow, stream, rng if rare else None)
            doubled = slow.doubled
            assert states["doubled"][0] == doubled
        assert_same_turn(states, slow)
        if slow.movers():
            if not slow.trick:
                assert_same_table(states, slow)
        elif slow.redeals:
            tally[f"{slow.redeals} redeals"] += 1
        else:
            assert_same_result(states, slow)
            tally.update(events(slow, doubled))
    return tally


@cache
def compare(spec: str, rare: bool, share: int = 1) -> Counter[str]:
    """Play as many hands of a spec as are wanted, or one in `share`; count what happened."""
    game, tally = load_game(spec), Counter[str]()
    sessions = (RARE_HANDS if rare else COMPARED)[spec] // int(game.options["hands"])
    for seed in range(-(-sessions // (share if COMPILED else 40))):
        tally.update(play_both(game, seed, rare))
    return tally


def tally_of(rare: bool, blitz: bool) -> Counter[str]:
    """Count what happened in all specs with or without the option `blitz`."""
    specs = [spec for spec in (RARE_HANDS if rare else COMPARED) if ("blitz=true" in spec) == blitz]
    return sum((compare(spec, rare=rare) for spec in specs), Counter[str]())


SHARES = [pytest.param(5, id="a fifth"), pytest.param(1, id="all", marks=pytest.mark.slow)]


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("spec", COMPARED)
def test_every_step_agrees_with_the_slow_reference(spec: str, share: int) -> None:
    assert compare(spec, False, share)


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("spec", RARE_HANDS)
def test_every_step_of_rare_hands_agrees_with_the_slow_reference(spec: str, share: int) -> None:
    assert compare(spec, True, share)


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="too few hands are played")
def test_random_hands_meet_every_call_and_every_payment() -> None:
    tally = tally_of(rare=False, blitz=False)
    assert not {event: tally[event] for event in ENOUGH if tally[event] < ENOUGH[event]}


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="too few hands are played")
def test_rare_hands_meet_what_random_ones_seldom_do() -> None:
    tally = tally_of(rare=True, blitz=False)
    assert not {event: tally[event] for event in RARE if tally[event] < RARE[event]}
    for spec in ("sheephead:hands=4", "sheephead:hands=4,stack=true"):
        assert compare(spec, rare=True)["60 to 60 while doubled"] >= 3
    for spec in ("sheephead:hands=10,called_ten=top", "sheephead:hands=10,unknown=fail"):
        assert compare(spec, rare=True)["call 10"] >= 15
        assert compare(spec, rare=True)["lay A"] >= 5


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="too few hands are played")
@pytest.mark.parametrize(("rare", "wanted"), [(False, BLITZES), (True, RARE_BLITZES)])
def test_blitzes_of_every_kind_are_met(rare: bool, wanted: dict[str, int]) -> None:
    tally = tally_of(rare, blitz=True)
    assert not {event: tally[event] for event in wanted if tally[event] < wanted[event]}


# --- hands that chance hardly ever plays


def begin_script(
    spec: str, hands: list[str], blind: str, said: str, doubled: int = 0
) -> tuple[States, ReferenceGame, random.Random]:
    """Deal a hand to both and let seats say something; return both, and what is left to chance."""
    game, rng = load_game(spec), random.Random(spec)
    states, slow = game.blank(1), ReferenceGame(options_of(game))
    states["doubled"] = slow.doubled = doubled
    deal(states[0], derive(rng.getrandbits(60)))
    states["hand"][0] = [word_of(set(hand.split())) for hand in hands]
    states["blind"][0] = word_of(set(blind.split()))
    slow.deal([set(hand.split()) for hand in hands], set(blind.split()), 4, FIRST_LEFT)
    for action in said.split(", "):
        decide_both(states, slow, rng, action)
        assert_same_turn(states, slow)
        assert_same_table(states, slow)
    return states, slow, rng


def play_script(
    spec: str, hands: list[str], blind: str, said: str, tricks: list[str], doubled: int = 0
) -> ReferenceGame:
    """Play a hand with both, card by card from the leader on; return the reference."""
    states, slow, rng = begin_script(spec, hands, blind, said, doubled)
    for action in " ".join(tricks).split():
        decide_both(states, slow, rng, action)
        if not slow.trick:
            assert_same_table(states, slow)
    while slow.movers():
        decide_both(states, slow, rng)
    assert_same_result(states, slow)
    return slow


@pytest.mark.parametrize(("rank", "winners"), [("second", [1, 0]), ("top", [1, 1])])
def test_a_called_ten_is_on_top_only_when_its_suit_is_led_first(
    rank: str, winners: list[int]
) -> None:
    spec = f"sheephead:called_ten={rank},underlead=true"
    hands = [
        *("AC 7C AS AH QC JOKER", "10C KC QS QH QD JC", "9C 10S KS JS JH JD"),
        *("8C 9S 8S AD 10D KD", "7S 10H KH 9H 8H 7H"),
    ]
    said, first = "pick, bury 8D 9D, call 10C", "AS QS 10S 9S 7S"
    at_once = play_script(spec, hands, "8D 9D", said, [first, "10C 9C 8C 7H AC"])
    assert at_once.winners[:2] == winners
    later = play_script(spec, hands, "8D 9D", said, [first, "KC 9C 8C 7H 7C", "10C KS 8S 8H AC"])
    assert later.winners[:3] == [1, 1, 0]


# All trumps are the picker's, with the blind, after two tricks.
TRUMPS_OF_ONE = [
    *("QC JOKER QS QH AS 8D", "AC 10C JS JH AH 10H", "KC 9C JD AD KH 10S"),
    *("8C 7C 10D KD 9H KS", "9D 9S 8S 7S 8H 7H"),
]


def test_the_unknown_wins_where_nobody_has_a_card_of_the_called_suit_or_a_trump() -> None:
    tricks = ["AS AC 10S KS 9S", "QC JS JD 10D 9D", "JOKER JH AD KD 8S", "QS 10C KC 8C 7S"]
    tricks += ["QH AH 9C 7C 8H", "8D 10H KH 9H 7H"]
    said = "pick, bury JC QD, lay 8D call AC"
    slow = play_script("sheephead:slough=true", TRUMPS_OF_ONE, "QD JC", said, tricks)
    assert slow.winners == [0] * 6
    assert slow.paid == [30, 15, -15, -15, -15]


NO_QUEENS = {PASS}
BLACK_QUEENS, RED_QUEENS = {PASS, "blitz black"}, {PASS, "blitz red"}
ALL_QUEENS = {PASS, "blitz black", "blitz red", "blitz both"}
"""What who holds these queens may answer."""


@pytest.mark.parametrize(
    ("said", "answers"),
    [
        ("bury 8D JC, alone", ALL_QUEENS),
        ("bury JC QD, alone", BLACK_QUEENS),
        ("bury JC QS, alone", RED_QUEENS),
        ("bury QD QC, alone", NO_QUEENS),
        ("bury 8D JC, lay JOKER call AC", ALL_QUEENS),
        ("bury 8D JC, lay QH call AC", BLACK_QUEENS),
        ("bury 8D JC, lay QC call AH", RED_QUEENS),
        ("bury JC QS, lay QD call AC", NO_QUEENS),
    ],
)
def test_queens_that_are_buried_or_face_down_are_not_shown(said: str, answers: set[str]) -> None:
    said = f"pick, {said}" + 4 * ", pass"
    states, slow, rng = begin_script("sheephead:blitz=true", TRUMPS_OF_ONE, "QD JC", said)
    assert (slow.phase, slow.turn) == (BLITZING, 0)
    assert slow.legal(0) == answers
    decide_both(states, slow, rng)
    assert_same_turn(states, slow)
    assert slow.phase == PLAYING


def test_everybody_is_asked_from_the_left_of_the_picker_also_who_can_only_pass() -> None:
    spec = "sheephead:blitz=true,crack=true"
    hands = ["QC QS 7C 8C 9C KC", "7S 8S 9S KS 10S AS", "QD QH 7H 8H 9H 10H"]
    hands += ["AC 10C AH KH JC JS", "8D 9D KD 10D AD JD"]
    said = "pass, pick, bury JH JOKER, alone"
    states, slow, rng = begin_script(spec, hands, "JH JOKER", said)
    held = {2: RED_QUEENS, 3: NO_QUEENS, 4: NO_QUEENS, 0: BLACK_QUEENS, 1: NO_QUEENS}
    for seat, answers in held.items():
        assert (slow.phase, slow.turn) == (BLITZING, seat)
        assert slow.legal(seat) == answers
        decide_both(states, slow, rng, max(answers - {PASS}, default=PASS))
        assert_same_turn(states, slow)
        assert_same_table(states, slow)
    assert slow.shown == {"red": 2, "black": 0}
    assert (slow.phase, slow.turn) == (CRACKING, 2)


@pytest.mark.parametrize("doubled", [0, 1])
@pytest.mark.parametrize(
    ("cracks", "by_cracks"),
    [("pass, pass, pass, pass", 1), ("pass, crack, pass", 2), ("crack, crack", 4)],
)
@pytest.mark.parametrize(
    ("blitz", "by_blitz"), [(PASS, 1), ("blitz black", 2), ("blitz red", 2), ("blitz both", 4)]
)
def test_blitzes_cracks_and_doubled_hands_multiply(
    blitz: str, by_blitz: int, cracks: str, by_cracks: int, doubled: int
) -> None:
    said = f"pick, bury 8D JC, alone, pass, pass, pass, pass, {blitz}, {cracks}"
    tricks = ["QC JH AD KD 9D", "JOKER JS JD 10D 7H", "QS 10C 10S 8C 7S", "QH 10H KH 9H 8H"]
    tricks += ["QD AH 9C 7C 8S", "AS AC KC KS 9S"]
    spec = "sheephead:blitz=true,crack=true"
    slow = play_script(spec, TRUMPS_OF_ONE, "QD JC", said, tricks, doubled)
    factor = by_blitz * by_cracks * (1 + doubled)
    assert slow.paid == [100 * factor] + 4 * [-25 * factor]


# --- how often what can be called


HANDS_OF_EIGHT = math.comb(32, 8)
SAMPLED = {"ace": 0.936, "unknown": 0.052, "ten": 0.011}
"""What 200,000 random hands gave, rounded."""


def by_closed_sums() -> dict[str, int]:
    """Count the hands of eight cards by what can be called.

    No ace can be called where every fail suit is held with its ace or not at all: k of the aces are
    held, and the others of eight cards are among the 14 trumps and 5 more cards of each of k suits.
    """
    closed = [math.comb(3, k) * math.comb(14 + 5 * k, 8 - k) for k in range(4)]
    return {"ace": HANDS_OF_EIGHT - sum(closed), "unknown": sum(closed[:3]), "ten": closed[3]}


def test_every_set_of_fail_cards_is_counted_by_closed_sums() -> None:
    in_suit = [
        [
            [rank + suit for rank in chosen]
            for n in range(7)
            for chosen in combinations(FAIL_RANKS, n)
        ]
        for suit in FAIL_SUITS
    ]
    counted: Counter[str] = Counter()
    for clubs, spades, hearts in product(*in_suit):
        n_trumps = 8 - len(clubs) - len(spades) - len(hearts)
        if n_trumps >= 0:
            counted[calling_case({*clubs, *spades, *hearts})] += math.comb(14, n_trumps)
    assert counted == by_closed_sums()
    assert counted == {"ace": 9_841_590, "unknown": 557_955, "ten": 118_755}


@pytest.mark.parametrize("case", SAMPLED)
def test_exact_shares_explain_what_was_sampled(case: str) -> None:
    share = by_closed_sums()[case] / HANDS_OF_EIGHT
    error = math.sqrt(share * (1 - share) / 200_000)
    assert abs(share - SAMPLED[case]) < 4 * error + 0.0005


def kernels_case(state: State, seat: int) -> str:
    """Find what a picker with eight cards may call after some bury; the state is not changed."""
    offered: set[int] = set()
    for bury_number in OUT[: legal(state, seat, OUT)].tolist():
        child = state.copy()
        apply(child, seat, bury_number)
        offered = {*OUT[: legal(child, seat, OUT)].tolist()} - {fast.ALONE}
        if offered:
            break
    kinds = {NAME[number].split()[0] + NAME[number].split()[-1][:-1] for number in offered}
    return {"callA": "ace", "layA": "unknown", "call10": "ten"}.get("".join(kinds), "none")


def test_kernels_offer_calls_as_often_as_they_should() -> None:
    game, n = load_game("sheephead"), 20_000 if COMPILED else 500
    states, counted = game.blank(1), Counter[str]()
    for number in range(n):
        states[0] = game.blank(1)[0]
        deal(states[0], derive(11, number))
        apply(states[0], 0, fast.PICK)
        counted[kernels_case(states[0], 0)] += 1
    exact = by_closed_sums()
    exact["none"] = math.comb(26, 2)  # all aces and tens
    exact["ten"] -= exact["none"]
    for case, hands in exact.items():
        share = hands / HANDS_OF_EIGHT
        assert abs(counted[case] / n - share) < 4 * math.sqrt(share * (1 - share) / n), case


# --- what the comparison would notice


CHANGED_ALONE = {
    **{"pass=leaster": True, "pass=doubler": True, "pass=redeal": True, "pass=forced": True},
    **{"bump=true": False, "lead_called=false": False, "slough=true": False},
    **{"underlead=true": False, "unknown=fail": True, "bury=fail": False},
    **{"called_ten=top": True, "stack=true": True, "crack=true": False, "blitz=true": False},
    **{"redraw=2": False},
}
"""Every option with another value, and whether rare hands are needed to see the difference."""


@pytest.mark.parametrize("option", CHANGED_ALONE)
def test_the_comparison_notices_every_option(option: str) -> None:
    hands = 2 if option == "stack=true" else 10
    game, unchanged = load_game(f"sheephead:hands={hands},{option}"), Options(hands=hands)
    with pytest.raises((AssertionError, ValueError)):  # noqa: PT012
        for seed in range(1000):
            play_both(game, seed, CHANGED_ALONE[option], unchanged)


# --- places at the table


def test_seats_are_drawn_uniformly_from_all_circles() -> None:
    """Everybody passes, so a hand is dealt after five answers."""
    n_hands = 1000 if COMPILED else 30
    game = load_game(f"sheephead:hands={n_hands},redraw=1,pass=doubler")
    drawn: Counter[tuple[int, ...]] = Counter()
    for seed in range(3):
        states, slow, stream = game.blank(1), ReferenceGame(options_of(game)), derive(12, seed)
        while not slow.is_over():
            deal_both(states, slow, stream, None)
            if slow.dealt > 1:
                drawn[slow.left] += 1
            for _ in range(SEATS):
                apply(states[0], slow.turn, fast.PASS)
                slow.apply(slow.turn, PASS)
    expected = drawn.total() / 24
    assert len(drawn) == 24 or not COMPILED
    assert sum((n - expected) ** 2 / expected for n in drawn.values()) < 60  # 23 degrees of freedom
