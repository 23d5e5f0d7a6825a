"""Play Tichu slowly and obviously, straight from the rules, as a check on the fast engine.

Nothing here is shared with the engine: two independent readings of the rules have to agree.

A play on the level of ranks (`Play`) says what is played but not with which suits, except in a
straight flush. There are few enough of them that the plays of a hand are found by trying each.
"""

import itertools
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import NamedTuple

SEATS = 4
SUITS = ("red", "green", "blue", "black")
RANKS = range(2, 15)  # 11 jack, 12 queen, 13 king, 14 ace
FIRST_CARDS, HAND_CARDS = 8, 14


class Card(NamedTuple):
    """One of the 56 cards; the four special ones have no suit but a name."""

    rank: int
    suit: str


MAH_JONG = Card(1, "Mah Jong")
DRAGON = Card(15, "Dragon")  # one above the ace
DOG = Card(-1, "Dog")
PHOENIX = Card(0, "Phoenix")
DECK = [Card(rank, suit) for rank in RANKS for suit in SUITS] + [MAH_JONG, DOG, PHOENIX, DRAGON]

Cards = frozenset[Card]

SINGLE = "single"
PAIR = "pair"
TRIO = "trio"
FULL_HOUSE = "full house"
STRAIGHT = "straight"
STEPS = "steps"
BOMB = "bomb"
LONE_DOG = "Dog"


class Play(NamedTuple):
    """What can be played, on the level of ranks.

    Attributes:
        kind: One of the kinds above.
        ranks: The rank of equal cards; trio and pair of a full house; every rank of a straight, of
            steps and of a straight flush, ascending; the rank of the card for a single (see Card).
        phoenix: The rank that the Phoenix stands for; 0 if it is alone or not played.
        suit: The suit of a straight flush, otherwise empty.
    """

    kind: str
    ranks: tuple[int, ...]
    phoenix: int = 0
    suit: str = ""


class Combination(NamedTuple):
    """What lies on the table to be beaten; the height is a rank, or between two for the Phoenix."""

    kind: str
    length: int
    height: float


# --- every play there is


def runs(lowest: int, shortest: int, longest: int) -> list[tuple[int, ...]]:
    """List the runs of consecutive ranks from `lowest` up to the ace."""
    return [
        tuple(range(low, low + length))
        for length in range(shortest, longest + 1)
        for low in range(lowest, 14 - length + 2)
    ]


def singles() -> list[Play]:
    """List all single cards, without the Dog."""
    return [Play(SINGLE, (card.rank,)) for card in (MAH_JONG, PHOENIX, DRAGON)] + [
        Play(SINGLE, (rank,)) for rank in RANKS
    ]


def equal_ranks(kind: str) -> list[Play]:
    """List all pairs or trios: natural, and with the Phoenix."""
    return [Play(kind, (rank,), phoenix) for rank in RANKS for phoenix in (0, rank)]


def full_houses() -> list[Play]:
    """List all full houses: natural, with the Phoenix in the trio, and in the pair."""
    return [
        Play(FULL_HOUSE, (trio, pair), phoenix)
        for trio, pair in itertools.permutations(RANKS, 2)
        for phoenix in (0, trio, pair)
    ]


def straights(lowest_phoenix: int = 2) -> list[Play]:
    """List all straights; the Phoenix may stand for any rank from `lowest_phoenix`."""
    return [
        Play(STRAIGHT, ranks, phoenix)
        for ranks in runs(1, 5, 14)
        for phoenix in (0, *ranks)
        if phoenix == 0 or phoenix >= lowest_phoenix
    ]


def steps() -> list[Play]:
    """List all consecutive pairs."""
    return [Play(STEPS, ranks, phoenix) for ranks in runs(2, 2, 7) for phoenix in (0, *ranks)]


def quads() -> list[Play]:
    """List all bombs of four equal ranks."""
    return [Play(BOMB, (rank,)) for rank in RANKS]


def straight_flushes() -> list[Play]:
    """List all bombs of five or more consecutive cards of one suit."""
    return [Play(BOMB, ranks, 0, suit) for suit in SUITS for ranks in runs(2, 5, 13)]


@cache
def all_plays(flush: bool) -> list[Play]:
    """List every play, the Dog too.

    Args:
        flush: Whether straight flushes are bombs.
    """
    equals = equal_ranks(PAIR) + equal_ranks(TRIO)
    bombs = quads() + (straight_flushes() if flush else [])
    dog = [Play(LONE_DOG, (DOG.rank,))]
    return singles() + dog + equals + full_houses() + straights() + steps() + bombs


@cache
def needed(play: Play) -> Counter[int]:
    """Count the cards of each rank that a play takes from the hand, the Phoenix aside."""
    if play.kind == FULL_HOUSE:
        trio, pair = play.ranks
        counts = Counter({trio: 3, pair: 2})
    elif play.kind == BOMB and not play.suit:
        counts = Counter({play.ranks[0]: 4})
    else:
        each = {PAIR: 2, TRIO: 3, STEPS: 2}.get(play.kind, 1)
        counts = Counter({rank: each for rank in play.ranks})
    if play.phoenix:
        counts[play.phoenix] -= 1
    return +counts


@cache
def n_cards(play: Play) -> int:
    """Count the cards of a play, the Phoenix too."""
    return needed(play).total() + (play.phoenix != 0)


# --- the plays of a hand


class AtLeast(NamedTuple):
    """A hand has this fact among its facts if it holds so many cards of a rank."""

    n: int
    rank: int


Facts = frozenset[Card | AtLeast]


@lru_cache(maxsize=16)
def facts_of(hand: Cards) -> Facts:
    """Return which cards a hand holds, and how many of each rank."""
    held = Counter(card.rank for card in hand)
    return hand | {AtLeast(n, rank) for rank in held for n in range(1, held[rank] + 1)}


@cache
def conditions(play: Play) -> Facts:
    """Return the facts that must be true of a hand for a play."""
    if play.suit:
        return frozenset(Card(rank, play.suit) for rank in play.ranks)
    facts: set[Card | AtLeast] = {AtLeast(n, rank) for rank, n in needed(play).items()}
    return frozenset(facts | {PHOENIX} if play.phoenix else facts)


def card_choices(hand: Cards, play: Play, flush: bool) -> Iterator[Cards]:
    """Yield every choice of cards from a hand that makes a play."""
    if not conditions(play) <= facts_of(hand):
        return
    if play.suit:
        yield frozenset(Card(rank, play.suit) for rank in play.ranks)
        return
    of_rank = [
        itertools.combinations(sorted(card for card in hand if card.rank == rank), n)
        for rank, n in needed(play).items()
    ]
    for picked in itertools.product(*of_rank):
        cards = {card for group in picked for card in group}
        if flush and play.kind == STRAIGHT and not play.phoenix and in_one_suit(cards):
            continue  # it is a bomb
        yield frozenset(cards | {PHOENIX} if play.phoenix else cards)


def in_one_suit(cards: set[Card]) -> bool:
    """Whether all cards have the same suit; the special cards have none."""
    return len({card.suit for card in cards}) == 1


@lru_cache(maxsize=16)
def plays_of(hand: Cards, table: Combination | None, flush: bool) -> frozenset[Play]:
    """Find all plays of a hand that beat the table, or all that may be led; no wish counts."""
    facts = facts_of(hand)
    thinkable = plays_on(table, flush, len(hand), PHOENIX in hand)
    found = frozenset([play for play, needs in thinkable if needs <= facts])
    if not flush:
        return found
    # A hand may hold the ranks of a straight in one suit only: then it is a bomb, no straight.
    natural = [play for play in found if play.kind == STRAIGHT and not play.phoenix]
    return found - {play for play in natural if not any(card_choices(hand, play, flush))}


@cache
def plays_on(
    table: Combination | None, flush: bool, n: int, phoenix: bool
) -> list[tuple[Play, Facts]]:
    """List the plays that beat the table, or all that may be led, with what a hand needs.

    To save time they are only those of `n` cards or fewer, and without the Phoenix if it is absent.
    """
    if n < HAND_CARDS or not phoenix:
        return [
            (play, facts)
            for play, facts in plays_on(table, flush, HAND_CARDS, phoenix=True)
            if n_cards(play) <= n and (phoenix or PHOENIX not in facts)
        ]
    plays = [play for play in all_plays(flush) if beats(combination(play, table), table)]
    return [(play, conditions(play)) for play in plays]


def combination(play: Play, table: Combination | None) -> Combination:
    """Return how long and how high a play is; the single Phoenix depends on what it is laid on."""
    if play == Play(SINGLE, (PHOENIX.rank,)):
        on = table.height if table is not None and table.kind == SINGLE else 1
        return Combination(SINGLE, 1, on + 0.5)
    height = play.ranks[0] if play.kind == FULL_HOUSE else play.ranks[-1]
    return Combination(play.kind, n_cards(play), height)


def beats(mine: Combination, table: Combination | None) -> bool:
    """Whether a combination may be laid on the table; anything may be led."""
    if table is None:
        return True
    if mine.kind == LONE_DOG:
        return False
    if mine.kind == BOMB and table.kind == BOMB:
        return (mine.length, mine.height) > (table.length, table.height)
    if mine.kind == BOMB:
        return True
    if mine.kind == SINGLE and table == Combination(SINGLE, 1, DRAGON.rank):
        return False  # the Phoenix would be higher
    return (mine.kind, mine.length) == (table.kind, table.length) and mine.height > table.height


def fulfils(play: Play, wish: int) -> bool:
    """Whether a play contains a card of the wished rank; the Phoenix is none."""
    return needed(play)[wish] > 0


def can_fulfil(hand: Cards, table: Combination | None, wish: int, flush: bool) -> bool:
    """Whether a hand has any play on this table that contains the wished rank."""
    return any(fulfils(play, wish) for play in plays_of(hand, table, flush))


def plays_under_wish(
    hand: Cards, table: Combination | None, wish: int, flush: bool
) -> frozenset[Play]:
    """Find the plays that a seat on turn may choose from; a wish of 0 is none."""
    plays = plays_of(hand, table, flush)
    return frozenset(play for play in plays if wish and fulfils(play, wish)) or plays


@cache
def fives_in_suit() -> dict[tuple[int, str], Facts]:
    """Return the cards of every straight flush of five, by lowest rank and suit."""
    fives = [play for play in straight_flushes() if len(play.ranks) == 5]
    return {(play.ranks[0], play.suit): conditions(play) for play in fives}


def five_in_suit(hand: Cards) -> frozenset[tuple[int, str]]:
    """Find the straight flushes of five in a hand, by lowest rank and suit."""
    return frozenset([five for five, cards in fives_in_suit().items() if cards <= hand])


# --- the meaning of cards, found without the list of plays


def meaning(cards: Cards, phoenix: int, flush: bool) -> Play | None:
    """Return which play these cards are.

    Args:
        cards: Any cards.
        phoenix: The rank that the Phoenix stands for, 0 if it is alone or absent.
        flush: Whether straight flushes are bombs.

    Returns:
        The play; None if the cards are no combination with this meaning of the Phoenix.
    """
    if len(cards) == 1 and phoenix == 0:
        (card,) = cards
        return Play(LONE_DOG if card == DOG else SINGLE, (card.rank,))
    if (PHOENIX in cards) != (phoenix != 0) or phoenix not in (0, *RANKS):
        return None
    if DOG in cards or DRAGON in cards:
        return None
    ranks = [card.rank for card in cards if card != PHOENIX] + [phoenix] * (PHOENIX in cards)
    counts = Counter(ranks)
    if not 2 <= len(ranks) <= HAND_CARDS:
        return None
    distinct = tuple(sorted(counts))
    shape = sorted(counts.values())
    consecutive = distinct[-1] - distinct[0] == len(distinct) - 1
    if shape in ([2], [3]):
        return Play(PAIR if shape == [2] else TRIO, distinct, phoenix)
    if shape == [4]:
        return None if phoenix else Play(BOMB, distinct)
    if shape == [2, 3]:
        pair, trio = sorted(distinct, key=lambda rank: counts[rank])
        return Play(FULL_HOUSE, (trio, pair), phoenix)
    if consecutive and set(shape) == {2}:
        return Play(STEPS, distinct, phoenix)
    if consecutive and set(shape) == {1} and len(ranks) >= 5:
        if flush and not phoenix and in_one_suit(set(cards)):
            return Play(BOMB, distinct, 0, next(iter(cards)).suit)
        return Play(STRAIGHT, distinct, phoenix)
    return None


# --- a game


# Phases.
WAITING = "waiting for cards"
GRAND = "deciding on Grand Tichu"
CALLING = "deciding on Tichu"
EXCHANGE = "exchanging cards"
PLAYING = "playing"
WISHING = "wishing"
WINDOW = "bomb window"
GIVING_DRAGON = "giving the Dragon away"
OVER = "over"


class Action(NamedTuple):
    """What a seat does.

    Attributes:
        kind: One of the kinds below.
        cards: The cards of a play, or the one card of a gift.
        number: The rank of the Phoenix in a play, the rank of a wish (0 none), or how many seats to
            the right the trick with the Dragon goes.
    """

    kind: str
    cards: Cards = frozenset()
    number: int = 0


PLAY, GIVE, WISH, DRAGON_TO = "play", "give", "wish", "dragon to"
PASS = Action("pass")
NO_GRAND, CALL_GRAND = Action("no grand"), Action("grand")
NO_TICHU, CALL_TICHU = Action("no tichu"), Action("tichu")

Option = Play | Action


def points_of(cards: Sequence[Card] | Cards | set[Card]) -> int:
    """Add up the points of cards."""
    worth = {5: 5, 10: 10, 13: 10, DRAGON.rank: 25, PHOENIX.rank: -25}
    return sum(worth.get(card.rank, 0) for card in cards)


def to_the_right(seat: int) -> list[int]:
    """List all seats in turn order, beginning with this one."""
    return [(seat + distance) % SEATS for distance in range(SEATS)]


@dataclass
class ReferenceGame:
    """Hold one game of Tichu, either a single round or a match to a target.

    The caller supplies the cards, so the game itself has no randomness.

    Attributes:
        variant: "full", or "thesis" without straight flush bombs and without bombs out of turn.
        target: Points that end a match; None for a single round.
        rounds: The most rounds of a match.
        calls: "own" offers Tichu at a seat's own turns, "any" in bomb windows too.
        late_calls: Whether Tichu may be called when somebody is out.
        phase: What the game waits for.
        hand: The cards of each seat; given cards stay until all have chosen theirs.
        stock: The six cards that each seat gets after the decision on Grand Tichu.
        call: What each seat has called: 0, 100 or 200.
        chosen: Simultaneous choices that wait for the others.
        gifts: Cards that each seat gives to its right neighbour, its partner, its left neighbour.
        played: Cards that each seat has played this round.
        turn: The seat whose regular turn it is or comes next.
        table: The combination to beat; None before a lead.
        table_cards: Its cards.
        holder: The seat that laid it.
        trick: All cards of the present trick.
        passed: Seats that have passed since the last play.
        wish: The rank that has been wished for; 0 if there is none.
        finished: Seats that are out, in their order.
        won: The cards of the tricks each seat has won.
        total: Points of both teams in earlier rounds.
        round_points: Points of both teams in the round that has just ended.
        n_rounds: Rounds dealt.
    """

    variant: str = "full"
    target: int | None = None
    rounds: int = 100
    calls: str = "own"
    late_calls: bool = False

    phase: str = WAITING
    hand: list[set[Card]] = field(default_factory=list)
    stock: list[set[Card]] = field(default_factory=list)
    call: list[int] = field(default_factory=list)
    chosen: dict[int, Action] = field(default_factory=dict)
    gifts: list[list[Card]] = field(default_factory=list)
    played: list[set[Card]] = field(default_factory=list)
    turn: int = 0
    table: Combination | None = None
    table_cards: Cards = frozenset()
    holder: int = 0
    trick: list[Card] = field(default_factory=list)
    passed: set[int] = field(default_factory=set)
    wish: int = 0
    finished: list[int] = field(default_factory=list)
    won: list[list[Card]] = field(default_factory=list)
    total: list[int] = field(default_factory=lambda: [0, 0])
    round_points: list[int] = field(default_factory=lambda: [0, 0])
    n_rounds: int = 0

    @property
    def flush(self) -> bool:
        """Whether straight flushes are bombs."""
        return self.variant == "full"

    def deal(self, first: Sequence[Sequence[Card]], stock: Sequence[Sequence[Card]]) -> None:
        """Start the next round.

        Args:
            first: Eight cards for each seat.
            stock: Six more for each seat.

        Raises:
            ValueError: If no deal is due or the cards are not all cards of the game.
        """
        if self.phase != WAITING:
            raise ValueError(f"no deal is due: the game is {self.phase}")
        if {len(cards) for cards in first} != {8} or {len(cards) for cards in stock} != {6}:
            raise ValueError("every seat needs eight cards and six more")
        if sorted(itertools.chain(*first, *stock)) != sorted(DECK):
            raise ValueError("not all cards were dealt once")
        for team in (0, 1):
            self.total[team] += self.round_points[team]
        self.round_points = [0, 0]
        self.n_rounds += 1
        self.hand = [set(cards) for cards in first]
        self.stock = [set(cards) for cards in stock]
        self.call = [0] * SEATS
        self.gifts = [[] for _ in range(SEATS)]
        self.played = [set() for _ in range(SEATS)]
        self.won = [[] for _ in range(SEATS)]
        self.finished = []
        self.wish = 0
        self._clear_table()
        self.phase = GRAND

    def movers(self) -> list[int]:
        """List the seats that must decide now; empty if the game waits for cards or is over."""
        if self.phase == GRAND:
            return [seat for seat in range(SEATS) if seat not in self.chosen]
        if self.phase == CALLING:
            return [s for s in range(SEATS) if self.call[s] == 0 and s not in self.chosen]
        if self.phase == EXCHANGE:
            return [seat for seat in range(SEATS) if len(self.gifts[seat]) < 3]
        if self.phase == PLAYING:
            return [self.turn]
        if self.phase == WINDOW:
            return [s for s in range(SEATS) if self.hand[s] and s not in self.chosen]
        if self.phase in (WISHING, GIVING_DRAGON):
            return [self.holder]
        return []

    def options(self, seat: int) -> set[Option]:
        """Find what is offered to a seat: plays on the level of ranks, all else as actions."""
        if seat not in self.movers():
            return set()
        if self.phase == GRAND:
            return {NO_GRAND, CALL_GRAND}
        if self.phase == CALLING:
            return {NO_TICHU, CALL_TICHU}
        if self.phase == EXCHANGE:
            kept = self.hand[seat] - set(self.gifts[seat])
            return {Action(GIVE, frozenset([card])) for card in kept}
        if self.phase == WISHING:
            return {Action(WISH, number=rank) for rank in (0, *RANKS)}
        if self.phase == GIVING_DRAGON:
            return {Action(DRAGON_TO, number=distance) for distance in (1, 3)}
        offered: set[Option] = set(self.legal_plays(seat))
        if self.may_pass(seat):
            offered.add(PASS)
        if self.may_call(seat) and (self.phase == PLAYING or self.calls == "any"):
            offered.add(CALL_TICHU)
        return offered

    def legal_plays(self, seat: int) -> frozenset[Play]:
        """Find what a seat may lay, in its turn or in a bomb window."""
        hand = frozenset(self.hand[seat])
        if self.phase == WINDOW:  # whoever bombs out of turn is free of the wish
            plays = plays_of(hand, self.table, self.flush)
            return frozenset(play for play in plays if play.kind == BOMB)
        return plays_under_wish(hand, self.table, self.wish, self.flush)

    def may_pass(self, seat: int) -> bool:
        """Whether a seat may pass: not on lead, and not if it can fulfil the wish."""
        if self.phase == WINDOW:
            return True
        if self.table is None:
            return False
        hand = frozenset(self.hand[seat])
        return not (self.wish and can_fulfil(hand, self.table, self.wish, self.flush))

    def may_call(self, seat: int) -> bool:
        """Whether a seat may call Tichu: once, before its first card, while nobody is out."""
        if self.call[seat] or self.chosen.get(seat) == CALL_TICHU or self.played[seat]:
            return False
        return self.late_calls or not self.finished

    def is_legal(self, seat: int, action: Action) -> bool:
        """Whether a seat may do this: any choice of cards, and calls that are not offered."""
        if action == CALL_TICHU and self.phase not in (WAITING, GRAND, OVER):
            return self.may_call(seat)
        if seat not in self.movers():
            return False
        if action.kind != PLAY:
            return action in self.options(seat)
        play = meaning(action.cards, action.number, self.flush)
        return action.cards <= self.hand[seat] and play in self.options(seat)

    def apply(self, seat: int, action: Action) -> None:
        """Carry out a decision and whatever follows from it without a further decision.

        Args:
            seat: The seat that decides.
            action: One of its legal actions.

        Raises:
            ValueError: If the action is not legal for that seat now.
        """
        if not self.is_legal(seat, action):
            raise ValueError(f"{action} is not legal for seat {seat}")
        if action == CALL_TICHU and self.phase != CALLING:
            self.call[seat] = 100
        elif self.phase in (GRAND, CALLING, WINDOW):
            self.chosen[seat] = action
            if not self.movers():
                self._reveal()
        elif self.phase == EXCHANGE:
            self.gifts[seat] += action.cards
            if not self.movers():
                self._exchange()
        elif self.phase == WISHING:
            self.wish = action.number
            self._open_window()
        elif self.phase == GIVING_DRAGON:
            self.won[(seat + action.number) % SEATS] += self.trick
            self._after_trick()
        elif action == PASS:
            self.passed.add(seat)
            self.turn = self._next_with_cards(seat + 1)
            self._open_window()
        else:
            self._lay(seat, action)

    def is_over(self) -> bool:
        """Whether the single round or the match has ended."""
        return self.phase == OVER

    def scores(self) -> list[int]:
        """Return for each seat its team's points minus those of the others, over all rounds."""
        even, odd = (self.total[team] + self.round_points[team] for team in (0, 1))
        return [even - odd, odd - even, even - odd, odd - even]

    def _clear_table(self) -> None:
        self.table = None
        self.table_cards = frozenset()
        self.trick = []
        self.passed = set()
        self.chosen = {}

    def _next_with_cards(self, seat: int) -> int:
        """Find the first seat with cards, from this one to the right."""
        return next(other for other in to_the_right(seat) if self.hand[other])

    def _reveal(self) -> None:
        """Let the simultaneous choices happen."""
        chosen, self.chosen = self.chosen, {}
        if self.phase == WINDOW:
            bombers = [seat for seat in to_the_right(self.turn) if chosen.get(seat, PASS) != PASS]
            if bombers:
                self._lay(bombers[0], chosen[bombers[0]])
            else:
                self._go_on()
            return
        for seat, action in chosen.items():
            if action in (CALL_GRAND, CALL_TICHU):
                self.call[seat] = 200 if action == CALL_GRAND else 100
        if self.phase == GRAND:
            for seat in range(SEATS):
                self.hand[seat] |= self.stock[seat]
                self.stock[seat] = set()
            self._ask_for_calls()
        elif all(self.gifts):
            self._begin_play()
        else:
            self.phase = EXCHANGE

    def _ask_for_calls(self) -> None:
        """Let those decide who have not called, if there are any."""
        self.phase = CALLING
        if not self.movers():
            self._reveal()

    def _exchange(self) -> None:
        for seat in range(SEATS):
            for distance, card in enumerate(self.gifts[seat], start=1):
                self.hand[seat].remove(card)
                self.hand[(seat + distance) % SEATS].add(card)
        self._ask_for_calls()

    def _begin_play(self) -> None:
        self.turn = next(seat for seat in range(SEATS) if MAH_JONG in self.hand[seat])
        self.phase = PLAYING

    def _lay(self, seat: int, action: Action) -> None:
        """Put cards on the table, in turn or out of turn."""
        play = meaning(action.cards, action.number, self.flush)
        assert play is not None
        self.hand[seat] -= action.cards
        self.played[seat] |= action.cards
        if any(card.rank == self.wish for card in action.cards - {PHOENIX}):
            self.wish = 0
        if not self.hand[seat]:
            self.finished.append(seat)
        if play.kind == LONE_DOG:
            self._after_dog(seat)
            return
        self.table = combination(play, self.table)
        self.table_cards = action.cards
        self.holder = seat
        self.trick += sorted(action.cards)
        self.passed = set()
        if self._round_has_ended():
            self._collect()
            return
        self.turn = self._next_with_cards(seat + 1)
        if MAH_JONG in action.cards:
            self.phase = WISHING
        else:
            self._open_window()

    def _after_dog(self, seat: int) -> None:
        """Hand the lead to the partner, or to the next with cards to the partner's right."""
        if self._round_has_ended():
            self._end_round()
        else:
            self.turn = self._next_with_cards(seat + 2)
            self.phase = PLAYING

    def _open_window(self) -> None:
        """Let everybody bomb, before the next turn or before the trick is collected."""
        if self.variant == "full":
            self.phase = WINDOW
        else:
            self._go_on()

    def _go_on(self) -> None:
        """Let the next seat have its turn, or the holder collect if all others have passed."""
        others = {seat for seat in range(SEATS) if self.hand[seat] and seat != self.holder}
        if others <= self.passed:
            self._collect()
        else:
            self.phase = PLAYING

    def _collect(self) -> None:
        """Hand the trick to its winner, or let him give it away if he won it with the Dragon."""
        if self.table_cards == {DRAGON} and not self._is_double_victory():
            self.phase = GIVING_DRAGON
        else:
            self.won[self.holder] += self.trick
            self._after_trick()

    def _after_trick(self) -> None:
        self._clear_table()
        if self._round_has_ended():
            self._end_round()
        else:
            self.turn = self._next_with_cards(self.holder)
            self.phase = PLAYING

    def _is_double_victory(self) -> bool:
        return len(self.finished) == 2 and (self.finished[0] + self.finished[1]) % 2 == 0

    def _round_has_ended(self) -> bool:
        return len(self.finished) == 3 or self._is_double_victory()

    def _end_round(self) -> None:
        """Count the points of the round, and see whether it was the last one."""
        first = self.finished[0]
        if self._is_double_victory():
            self.round_points[first % 2] = 200
        else:
            last = next(seat for seat in range(SEATS) if self.hand[seat])
            self.won[first] += self.won[last]
            self.won[last] = []
            for seat in range(SEATS):
                self.round_points[seat % 2] += points_of(self.won[seat])
            self.round_points[(last + 1) % 2] += points_of(self.hand[last])
        for seat in range(SEATS):
            self.round_points[seat % 2] += self.call[seat] * (1 if seat == first else -1)
        even, odd = (self.total[team] + self.round_points[team] for team in (0, 1))
        reached = self.target is not None and max(even, odd) >= self.target and even != odd
        last_round = self.target is None or reached or self.n_rounds == self.rounds
        self.phase = OVER if last_round else WAITING


def random_hand(rng: random.Random, n: int) -> Cards:
    """Draw a hand in which rare things happen: equal ranks, long runs, one suit, the Phoenix."""
    width = rng.choice((3, 4, 5, 6, 7, 8, 10, 13))
    lowest = rng.randint(2, 15 - width)
    suits = rng.sample(SUITS, rng.choice((1, 2, 2, 3, 4, 4)))
    likely = [card for card in DECK if 0 <= card.rank - lowest < width and card.suit in suits]
    likely += [card for card in (MAH_JONG, DOG, DRAGON) if rng.random() < 0.3]
    likely += [PHOENIX] if rng.random() < 0.6 else []
    rng.shuffle(likely)
    others = [card for card in DECK if card not in likely]
    rng.shuffle(others)
    n_strange = rng.choice((0, 0, 0, 1, 2))
    return frozenset((others[:n_strange] + likely + others[n_strange:])[:n])


def random_deal(rng: random.Random) -> tuple[list[list[Card]], list[list[Card]]]:
    """Deal eight and six to each seat: single cards, or whole quads, or long runs of one suit."""
    cards = [card for card in DECK if card.suit not in SUITS]
    groups = [[card] for card in cards]
    how = rng.choice(("cards", "quads", "runs"))
    for rank, suit in itertools.product(RANKS, SUITS):
        same = [g for g in groups if how == "quads" and g[0].rank == rank]
        same += [g for g in groups if how == "runs" and g[0].suit == suit and len(g) < 7]
        if same:
            same[0].append(Card(rank, suit))
        else:
            groups.append([Card(rank, suit)])
    rng.shuffle(groups)
    cards = [card for group in groups for card in group]
    for _ in range(rng.randint(0, 8)):
        one, other = rng.randrange(len(cards)), rng.randrange(len(cards))
        cards[one], cards[other] = cards[other], cards[one]
    hands = [cards[seat * HAND_CARDS : (seat + 1) * HAND_CARDS] for seat in range(SEATS)]
    for hand in hands:
        rng.shuffle(hand)
    return [hand[:FIRST_CARDS] for hand in hands], [hand[FIRST_CARDS:] for hand in hands]
