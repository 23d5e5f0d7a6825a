"""Tichu against the slow reference: every combination, and whole rounds step by step."""

import itertools
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest

from kibitz.core.game import States, apply, deal, is_legal, is_over, legal, movers, scores
from kibitz.core.kernels import COMPILED
from kibitz.core.registry import load_game
from kibitz.core.rng import Rng, derive
from kibitz.core.table import Game
from kibitz.games.tichu import combinations as fast
from kibitz.games.tichu import plays as fast_plays
from tests.reference.tichu import (
    BOMB,
    CALL_GRAND,
    CALL_TICHU,
    CALLING,
    DECK,
    DOG,
    DRAGON,
    DRAGON_TO,
    EXCHANGE,
    FULL_HOUSE,
    GIVE,
    GRAND,
    LONE_DOG,
    MAH_JONG,
    NO_GRAND,
    NO_TICHU,
    PAIR,
    PASS,
    PHOENIX,
    PLAY,
    RANKS,
    SINGLE,
    STEPS,
    STRAIGHT,
    TRIO,
    WISH,
    Action,
    Card,
    Cards,
    Combination,
    Option,
    Play,
    ReferenceGame,
    all_plays,
    beats,
    can_fulfil,
    card_choices,
    combination,
    equal_ranks,
    five_in_suit,
    fulfils,
    full_houses,
    meaning,
    n_cards,
    needed,
    plays_of,
    points_of,
    quads,
    random_deal,
    random_hand,
    singles,
    steps,
    straight_flushes,
    straights,
)

# Hands with a table and a wish in the comparison: 100,000 in all.
BATCHES, HANDS_IN_A_BATCH = 10, 10_000 if COMPILED else 300

KINDS = {
    SINGLE: fast.SINGLE,
    PAIR: fast.PAIR,
    TRIO: fast.TRIO,
    FULL_HOUSE: fast.FULL_HOUSE,
    STRAIGHT: fast.STRAIGHT,
    STEPS: fast.STEPS,
    BOMB: fast.BOMB,
    LONE_DOG: fast.DOG,
}
NUMBER = {card: number for number, card in enumerate(DECK)}  # the order of the kernels

Table = Combination | None


def word_of(cards: Cards) -> np.uint64:
    return np.uint64(sum(1 << NUMBER[card] for card in cards))


def cards_of(word: int) -> Cards:
    found = []
    while word:
        found.append(DECK[(word & -word).bit_length() - 1])
        word &= word - 1
    return frozenset(found)


def action_of(cards: Cards, phoenix: int) -> int:
    return int(word_of(cards)) | phoenix << 56


def code_of(table: Table) -> tuple[int, int, int]:
    """Return kind, length and height as the kernels count them."""
    if table is None:
        return fast.NOTHING, 0, 0
    return KINDS[table.kind], table.length, int(2 * table.height)


@cache
def every_table(flush: bool) -> list[Combination]:
    """List everything that can lie on the table, the single Phoenix on everything below it."""
    tables = {combination(play, None) for play in all_plays(flush) if play.kind != LONE_DOG}
    tables |= {Combination(SINGLE, 1, rank + 0.5) for rank in (1, *RANKS)}
    return sorted(tables)


# --- the counts of the action space


def multiset(play: Play) -> tuple[tuple[int, int], ...]:
    """Return the cards of a play without suits and without the meaning of the Phoenix."""
    counts = needed(play) + Counter({PHOENIX.rank: int(play.phoenix != 0)})
    return tuple(sorted(counts.items()))


def test_the_space_of_the_thesis_has_1415_actions() -> None:
    rows = {
        "pass and win trick": 1 + 1,
        "calls": 2 + 2,
        "trades": 3 * (len(singles()) + 1),
        "singles with the dog": len(singles()) + 1,
        "pairs": len(equal_ranks(PAIR)),
        "trios": len(equal_ranks(TRIO)),
        "full houses": len(full_houses()),
        "straights": len(straights(lowest_phoenix=1)),
        "steps": len(steps()),
        "quads": len(quads()),
        "dog": 1,
        "dragon": 2,
        "wish": len(RANKS) + 1,
    }
    assert list(rows.values()) == [2, 4, 51, 17, 26, 26, 468, 495, 296, 13, 1, 2, 14]
    assert sum(rows.values()) == 1415
    assert all(len(set(group)) == len(group) for group in (full_houses(), straights(1), steps()))


def test_eleven_slots_of_the_thesis_are_dead() -> None:
    legal = straights()
    dead = [play for play in straights(lowest_phoenix=1) if play not in legal]
    assert len(legal) == 485
    assert len(dead) == 10
    assert all(play.phoenix == play.ranks[0] == MAH_JONG.rank for play in dead)
    natural = [play for play in legal if not play.phoenix]
    assert (len(natural), len(legal) - len(natural)) == (55, 430)
    assert 1415 - len(dead) - 1 == 1404, "the Dog is a single and an action of its own"


def test_natural_and_phoenix_forms_add_up() -> None:
    for plays, natural, joker in ((full_houses(), 156, 312), (steps(), 57, 239)):
        assert sum(play.phoenix == 0 for play in plays) == natural
        assert sum(play.phoenix != 0 for play in plays) == joker
    starts = Counter(len(play.ranks) for play in steps() if not play.phoenix)
    assert [starts[n] for n in range(2, 8)] == [12, 11, 10, 9, 8, 7]


def test_114_multisets_of_cards_have_two_meanings() -> None:
    meanings: dict[tuple[tuple[int, int], ...], list[Play]] = {}
    for play in all_plays(flush=False):
        meanings.setdefault(multiset(play), []).append(play)
    ambiguous = [plays for plays in meanings.values() if len(plays) > 1]
    assert all(len(plays) == 2 for plays in ambiguous)
    kinds = Counter(frozenset(play.kind for play in plays) for plays in ambiguous)
    assert kinds == {frozenset([FULL_HOUSE]): 78, frozenset([STRAIGHT]): 36}


def test_there_are_180_straight_flushes() -> None:
    lengths = Counter(n_cards(play) for play in straight_flushes())
    assert [lengths[n] for n in range(5, 14)] == [36, 32, 28, 24, 20, 16, 12, 8, 4]
    assert lengths.total() == len(set(straight_flushes())) == 180


def test_the_full_rules_have_1512_plays_with_the_pass() -> None:
    plays = all_plays(flush=True)
    assert len(set(plays)) == len(plays) == 1511
    rows = Counter("straight flush" if play.suit else play.kind for play in plays)
    assert rows == {
        SINGLE: 16,
        LONE_DOG: 1,
        PAIR: 26,
        TRIO: 26,
        FULL_HOUSE: 468,
        STRAIGHT: 485,
        STEPS: 296,
        BOMB: 13,
        "straight flush": 180,
    }


# --- the reference with itself


@pytest.mark.parametrize("flush", [True, False])
def test_trying_every_play_finds_what_trying_every_subset_finds(flush: bool) -> None:
    rng = random.Random(1)
    for _ in range(60):
        hand = random_hand(rng, rng.randint(1, 10))
        found: dict[Play, set[Cards]] = {}
        for n in range(1, len(hand) + 1):
            for subset in map(frozenset, itertools.combinations(hand, n)):
                for phoenix in (0, *RANKS) if PHOENIX in subset else (0,):
                    play = meaning(subset, phoenix, flush)
                    if play is not None:
                        found.setdefault(play, set()).add(subset)
        assert found.keys() == plays_of(hand, None, flush)
        for play, choices in found.items():
            listed = list(card_choices(hand, play, flush))
            assert len(listed) == len(choices)
            assert set(listed) == choices


# --- the kernels on sets of cards


OUT = np.zeros(4096, np.int64)


def listed_plays(hand: Cards, table: Table, wish: int, flush: bool) -> list[int]:
    n = fast_plays.list_plays(word_of(hand), *code_of(table), wish, flush, OUT, 3)
    return OUT[3:n].tolist()


def listed_bombs(hand: Cards, table: Table, flush: bool) -> list[int]:
    n = fast_plays.list_bombs(word_of(hand), *code_of(table), flush, OUT, 3)
    return OUT[3:n].tolist()


def read(actions: list[int], hand: Cards, flush: bool) -> dict[Play | None, list[Cards]]:
    """Sort listed actions by what they are on the level of ranks."""
    choices: dict[Play | None, list[Cards]] = {}
    for action in actions:
        cards = cards_of(action & (1 << 56) - 1)
        assert cards <= hand
        choices.setdefault(meaning(cards, action >> 56, flush), []).append(cards)
    return choices


def random_table(rng: random.Random, hand: Cards, flush: bool) -> Table:
    """Draw what lies on the table: often something that the hand can just beat."""
    if rng.random() < 0.3:
        return None
    plays = sorted(plays_of(hand, None, flush) - {Play(LONE_DOG, (DOG.rank,))})
    tables = every_table(flush)
    if rng.random() < 0.7 and plays:
        kind = rng.choice(sorted({play.kind for play in plays}))
        beaten = combination(rng.choice([play for play in plays if play.kind == kind]), None)
        lower = [
            table
            for table in tables
            if table[:2] == beaten[:2] and beaten.height - 4 <= table.height <= beaten.height
        ]
        return rng.choice(lower)
    kind = rng.choice(sorted({table.kind for table in tables}))
    return rng.choice([table for table in tables if table.kind == kind])


def random_cases(seed: int, n: int) -> Iterator[tuple[random.Random, Cards, Table, int, bool]]:
    """Draw hands of all sizes with a table, a wish (0 is none) and whether flushes are bombs."""
    rng = random.Random(seed)
    for _ in range(n):
        hand = random_hand(rng, rng.choice((*range(1, 15), 14, 14, 13, 12, 11, 10, 9)))
        flush = rng.random() < 0.6
        held = sorted({card.rank for card in hand} & set(RANKS)) or [2]
        wish = rng.choice((0, rng.choice(held), rng.choice(RANKS)))
        yield rng, hand, random_table(rng, hand, flush), wish, flush


def one_per_class(hand: Cards, play: Play, listed: list[Cards]) -> bool:
    """Whether choices are listed that differ in the straight flushes kept, each way once."""
    kept = [five_in_suit(hand - cards) for cards in listed]
    ways = {five_in_suit(hand - cards) for cards in card_choices(hand, play, flush=True)}
    return len(kept) == len(ways) and set(kept) == ways


@pytest.mark.parametrize(
    "seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, BATCHES))]
)
def test_the_plays_of_random_hands_agree(seed: int) -> None:
    for _, hand, table, wish, flush in random_cases(seed, HANDS_IN_A_BATCH):
        case = word_of(hand), *code_of(table)
        plays = plays_of(hand, table, flush)
        wanted = {play for play in plays if fulfils(play, wish)} if wish else plays
        choices = read(listed_plays(hand, table, wish, flush), hand, flush)
        assert choices.keys() == wanted, (sorted(hand), table, wish, flush)
        assert bool(fast_plays.can_fulfil(*case, wish or 5, flush)) == any(
            fulfils(play, wish or 5) for play in plays
        ), (sorted(hand), table, wish or 5, flush)
        bombs = {play for play in plays if play.kind == BOMB}
        assert bool(fast_plays.has_bomb(*case, flush)) == bool(bombs), (sorted(hand), table, flush)
        if bombs:
            found = read(listed_bombs(hand, table, flush), hand, flush)
            assert found.keys() == bombs, (sorted(hand), table, flush)
        else:
            assert not listed_bombs(hand, table, flush), (sorted(hand), table, flush)
        if not (flush and five_in_suit(hand)):
            assert all(len(listed) == 1 for listed in choices.values()), (sorted(hand), table)
        else:
            for play, listed in choices.items():
                assert play is not None
                assert one_per_class(hand, play, listed), (sorted(hand), table, play)


def spoil(rng: random.Random, hand: Cards, cards: Cards, phoenix: int) -> tuple[Cards, int]:
    """Change a correct choice of cards a little; by chance the result may be correct again."""
    how = rng.randrange(5)
    if how == 0:
        return cards, rng.randrange(16)
    if how == 1:
        return cards ^ {rng.choice(sorted(hand))} or cards, phoenix
    if how == 2:
        return cards ^ {rng.choice(DECK)} or cards, phoenix
    if how == 3:
        return cards - {rng.choice(sorted(cards))} | {rng.choice(sorted(hand))}, phoenix
    subset = rng.sample(sorted(hand), rng.randint(1, len(hand)))
    return frozenset(subset), rng.choice((0, *RANKS))


@pytest.mark.parametrize("seed", range(BATCHES))
def test_every_correct_choice_of_cards_is_a_play_and_no_other(seed: int) -> None:
    for rng, hand, table, _, flush in random_cases(100 + seed, HANDS_IN_A_BATCH // 10):
        word, code = word_of(hand), code_of(table)
        plays = sorted(plays_of(hand, table, flush))
        tried = [
            (choice, play.phoenix)
            for play in rng.sample(plays, min(4, len(plays)))
            for choice in itertools.islice(card_choices(hand, play, flush), 40)
        ]
        for cards, phoenix in tried:
            assert fast.is_play(word, action_of(cards, phoenix), *code, flush), (
                hand,
                cards,
                table,
            )
        anything = [
            (choice, play.phoenix)
            for play in plays_of(hand, None, flush)
            for choice in itertools.islice(card_choices(hand, play, flush), 1)
        ]
        for cards, phoenix in rng.choices(tried or anything, k=8):
            cards, phoenix = spoil(rng, hand, cards, phoenix)
            right = cards <= hand and meaning(cards, phoenix, flush) in plays
            got = fast.is_play(word, action_of(cards, phoenix), *code, flush)
            assert bool(got) == right, (hand, cards, phoenix, table, flush)


@pytest.mark.parametrize("action", [0, -1, 1 << 60, 5 << 60 | 1, -(1 << 62), 1 << 56, 3 << 60 | 1])
def test_what_lays_no_cards_is_no_play(action: int) -> None:
    assert not fast.is_play(word_of(frozenset(DECK[:14])), action, fast.NOTHING, 0, 0, True)


@pytest.mark.parametrize("seed", range(BATCHES))
def test_cards_are_classified_as_the_reference_does(seed: int) -> None:
    for rng, hand, table, _, flush in random_cases(200 + seed, HANDS_IN_A_BATCH // 10):
        on_height = code_of(table)[2] if table is not None and table.kind == SINGLE else 0
        for play in rng.sample(sorted(plays_of(hand, None, flush)), 1):
            for choice in itertools.islice(card_choices(hand, play, flush), 20):
                cards, phoenix = choice, play.phoenix
                for _ in range(3):
                    found = meaning(cards, phoenix, flush)
                    got = fast.classify(word_of(cards), phoenix, on_height, flush)
                    if found is None:
                        assert got[0] == fast.NOTHING, (cards, phoenix, flush)
                    elif found.kind == LONE_DOG:
                        assert got[:2] == (fast.DOG, 1)
                    else:
                        assert got == code_of(combination(found, table)), (cards, phoenix, flush)
                    cards, phoenix = spoil(rng, hand, choice, play.phoenix)


def test_every_combination_beats_what_the_reference_says() -> None:
    tables: list[Table] = [None, *every_table(flush=True)]
    for table in tables:
        for mine in every_table(flush=True):
            assert bool(fast.beats(*code_of(mine), *code_of(table))) == beats(mine, table)
    on_the_dragon = combination(Play(SINGLE, (PHOENIX.rank,)), Combination(SINGLE, 1, DRAGON.rank))
    assert not fast.beats(*code_of(on_the_dragon), *code_of(Combination(SINGLE, 1, DRAGON.rank)))
    dog = fast.classify(word_of(frozenset([DOG])), 0, 0, True)
    assert [bool(fast.beats(*dog, *code_of(table))) for table in tables] == [
        table is None for table in tables
    ]


def canonical(hand: Cards, play: Play, flush: bool) -> Cards:
    """Choose cards outside the straight flushes of the hand first, then the lowest suits."""
    in_flush = {
        Card(rank, suit)
        for low, suit in (five_in_suit(hand) if flush else ())
        for rank in range(low, low + 5)
    }
    chosen = {PHOENIX} if play.phoenix else set()
    for rank, n in needed(play).items():
        of_rank = [card for card in hand if card.rank == rank]
        chosen |= set(sorted(of_rank, key=lambda card: (card in in_flush, NUMBER[card]))[:n])
    return frozenset(chosen)


def test_the_first_choice_of_cards_spares_straight_flushes() -> None:
    for _, hand, table, _, flush in random_cases(300, HANDS_IN_A_BATCH // 4):
        choices = read(listed_plays(hand, table, 0, flush), hand, flush)
        for play, listed in choices.items():
            assert play is not None
            wanted = canonical(hand, play, flush)
            if meaning(wanted, play.phoenix, flush) == play:
                assert listed[0] == wanted, (sorted(hand), play)


@pytest.mark.parametrize("wish", RANKS)
def test_a_wish_can_be_fulfilled_where_the_reference_says(wish: int) -> None:
    for _, hand, table, _, flush in random_cases(400 + wish, HANDS_IN_A_BATCH // 20):
        got = fast_plays.can_fulfil(word_of(hand), *code_of(table), wish, flush)
        assert bool(got) == can_fulfil(hand, table, wish, flush), (hand, table, wish, flush)


# --- whole rounds, step by step


# Games per spec; the slow test plays five times as many.
COMPARED = {
    "tichu:variant=thesis": 150,
    "tichu": 80,
    "tichu:calls=any": 30,
    "tichu:late_calls=true": 10,
    "tichu:match=50,rounds=6": 40,
    "tichu:match=400,rounds=3,calls=any": 5,
}
OTHER_ACTIONS = {
    PASS: 1 << 60,
    NO_GRAND: 2 << 60,
    CALL_GRAND: 2 << 60 | 1,
    NO_TICHU: 2 << 60 | 2,
    CALL_TICHU: 2 << 60 | 3,
    **{Action(WISH, number=rank): 4 << 60 | rank for rank in (0, *RANKS)},
    **{Action(DRAGON_TO, number=distance): 5 << 60 | distance for distance in (1, 3)},
}
ACTIONS = {number: action for action, number in OTHER_ACTIONS.items()}


def number_of(action: Action) -> int:
    """Write an action as the kernels do."""
    if action.kind == PLAY:
        return action_of(action.cards, action.number)
    if action.kind == GIVE:
        return 3 << 60 | int(word_of(action.cards))
    return OTHER_ACTIONS[action]


def action_from(number: int) -> Action:
    """Read an action of the kernels."""
    if number in ACTIONS:
        return ACTIONS[number]
    kind, cards = number >> 60, cards_of(number & (1 << 56) - 1)
    assert kind in (0, 3)
    return Action(GIVE, cards) if kind else Action(PLAY, cards, number >> 56)


def deal_both(states: States, slow: ReferenceGame, rng: random.Random, stream: Rng) -> None:
    """Let the kernel deal, and put cards in their place that make bombs likely."""
    deal(states[0], stream)
    hands, stock = random_deal(rng)
    for seat in range(4):
        states["hand"][0, seat] = word_of(frozenset(hands[seat]))
        states["stock"][0, seat] = word_of(frozenset(stock[seat]))
    slow.deal(hands, stock)


def words(groups: list[set[Card]]) -> list[int]:
    return [int(word_of(frozenset(cards))) for cards in groups]


def assert_same(states: States, slow: ReferenceGame) -> None:
    """Compare all that the reference knows; while answers wait for others, only who must answer."""
    mask = int(movers(states[0]))
    assert [seat for seat in range(4) if mask >> seat & 1] == slow.movers()
    if slow.chosen:
        return
    assert states["hand"][0].tolist() == words(slow.hand)
    assert states["stock"][0].tolist() == words(slow.stock)
    assert states["played"][0].tolist() == words(slow.played)
    assert states["table"][0] == word_of(slow.table_cards)
    table = tuple(int(states[name][0]) for name in ("table_kind", "table_length", "table_height"))
    assert table == code_of(slow.table)
    assert states["wish"][0] == slow.wish
    assert [100 * call for call in states["call"][0].tolist()] == slow.call
    places = [slow.finished.index(s) + 1 if s in slow.finished else 0 for s in range(4)]
    assert states["finished"][0].tolist() == places
    assert states["total"][0].tolist() == slow.total
    assert states["points"][0].tolist() == slow.round_points
    out = np.zeros(4)
    scores(states[0], out)
    assert out.tolist() == slow.scores()
    if slow.movers():  # the tricks of the last player have no owner any more when a round ends
        assert states["trick"][0] == points_of(slow.trick)
        assert states["won"][0].tolist() == [points_of(cards) for cards in slow.won]
        if slow.table is not None:
            assert states["holder"][0] == slow.holder
    assert bool(is_over(states[0])) == slow.is_over()


def listed_options(states: States, slow: ReferenceGame, seat: int) -> list[Action]:
    """List what the kernel offers to a seat; it must be what the reference offers."""
    actions = [action_from(number) for number in OUT[: legal(states[0], seat, OUT)].tolist()]
    assert all(action.cards <= slow.hand[seat] for action in actions)
    offered = {
        meaning(action.cards, action.number, slow.flush) if action.kind == PLAY else action
        for action in actions
    }
    wanted = slow.options(seat)
    if slow.phase == EXCHANGE and slow.variant == "thesis":  # one card of each rank is enough
        assert {rank_given(option) for option in offered} == {rank_given(o) for o in wanted}
        assert offered <= wanted
    else:
        assert offered == wanted
    return actions


def rank_given(option: Option | None) -> int:
    assert isinstance(option, Action)
    (card,) = option.cards
    return card.rank


def assert_same_verdict(states: States, slow: ReferenceGame, rng: random.Random) -> None:
    """Let both judge something that may be illegal, by anybody."""
    seat = rng.randrange(4)
    if slow.hand[seat] and rng.random() < 0.7:
        hand = frozenset(slow.hand[seat])
        play = rng.choice(sorted(plays_of(hand, slow.table, slow.flush)) or singles()[-1:])
        cards = next(card_choices(hand, play, slow.flush), hand)
        action = Action(PLAY, *spoil(rng, hand, cards, play.phoenix))
    else:
        gift = Action(GIVE, frozenset([rng.choice(DECK)]))
        action = rng.choice([*OTHER_ACTIONS, gift, gift, PASS, CALL_TICHU, CALL_TICHU])
    assert bool(is_legal(states[0], seat, number_of(action))) == slow.is_legal(seat, action)


def is_strong(action: Action, flush: bool) -> bool:
    """Whether an action plays the Dragon or a bomb."""
    play = meaning(action.cards, action.number, flush) if action.kind == PLAY else None
    return play is not None and (play.kind == BOMB or action.cards == {DRAGON})


def n_bombs(hand: set[Card]) -> int:
    return sum(play.kind == BOMB for play in plays_of(frozenset(hand), None, True))


@dataclass
class Habits:
    """How the seats of a random game decide, so that rare things happen in some."""

    quiet: bool  # nobody calls
    thrift: float  # how often the Dragon and bombs are kept for later
    sleeper: int  # a seat that passes whenever it may, or none


def choose(
    slow: ReferenceGame, seat: int, actions: list[Action], habits: Habits, rng: random.Random
) -> Action:
    """Draw from what is listed, sometimes with other suits, sometimes a call that is not listed."""
    if slow.is_legal(seat, CALL_TICHU) and not habits.quiet and rng.random() < 0.01:
        return CALL_TICHU
    if slow.phase in (GRAND, CALLING) and (habits.quiet or rng.random() < 0.6):
        return actions[0]
    if seat == habits.sleeper and PASS in actions:
        return PASS
    if habits.quiet:
        actions = [action for action in actions if action != CALL_TICHU]
    if rng.random() < habits.thrift:
        actions = [action for action in actions if not is_strong(action, slow.flush)] or actions
    if slow.phase == EXCHANGE and rng.random() < 0.7:
        return max(actions, key=lambda gift: n_bombs(slow.hand[seat] - gift.cards))
    if slow.wish and rng.random() < 0.5:
        actions = [action for action in actions if action.number == slow.wish] or actions
    action = rng.choice(actions)
    play = meaning(action.cards, action.number, slow.flush) if action.kind == PLAY else None
    if play is not None and rng.random() < 0.5:
        choices = itertools.islice(card_choices(frozenset(slow.hand[seat]), play, slow.flush), 50)
        return action._replace(cards=rng.choice(list(choices)))
    return action


def play_both(game: Game, seed: int) -> None:
    """Play a random game with the kernels and the reference, and compare them at every step."""
    options, rng, stream = dict(game.options), random.Random(f"{game.spec} {seed}"), derive(7, seed)
    target = None if options["match"] == "round" else int(options["match"])
    rounds, calls, late = int(options["rounds"]), str(options["calls"]), options["late_calls"]
    states = game.blank(1)
    slow = ReferenceGame(str(options["variant"]), target, rounds, calls, late == "true")
    habits = Habits(rng.random() < 0.3, rng.choice((0, 0.9, 0.98)), rng.randrange(8))
    while not slow.is_over():
        seats = slow.movers()
        if seats:
            seat = rng.choice(seats)
            action = choose(slow, seat, listed_options(states, slow, seat), habits, rng)
            caller = rng.randrange(4)
            if slow.is_legal(caller, CALL_TICHU) and not habits.quiet and rng.random() < 0.02:
                seat, action = caller, CALL_TICHU
            assert is_legal(states[0], seat, number_of(action))
            apply(states[0], seat, number_of(action))
            slow.apply(seat, action)
        else:
            deal_both(states, slow, rng, stream)
        assert_same(states, slow)
        assert_same_verdict(states, slow, rng)


@pytest.mark.parametrize("spec", COMPARED)
def test_every_step_agrees_with_the_slow_reference(spec: str) -> None:
    for seed in range(COMPARED[spec] if COMPILED else max(1, COMPARED[spec] // 20)):
        play_both(load_game(spec), seed)


@pytest.mark.slow
@pytest.mark.parametrize("spec", COMPARED)
def test_many_more_steps_agree_with_the_slow_reference(spec: str) -> None:
    for seed in range(1000, 1000 + 5 * COMPARED[spec]):
        play_both(load_game(spec), seed)
