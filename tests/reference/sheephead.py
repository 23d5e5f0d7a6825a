"""Play Sheephead slowly and obviously, straight from the rules, as a check on the fast engine.

Nothing here is shared with the engine: two independent readings of the rules have to agree.

Cards are names: "QC", "10D", "JOKER". Actions are what a player says, as text: "pick", "pass",
"bury 7C QC", "alone", "call AS", "lay 9D call AS" (the unknown card), "blitz red", "crack", or the
name of the card that is played.
"""

import itertools
import random
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

SEATS = 5
HAND_CARDS, BLIND_CARDS, TRICKS = 6, 2, 6

TRUMP = "trump"
FAIL_SUITS = ("C", "S", "H")
FAIL_RANKS = ("7", "8", "9", "K", "10", "A")  # ascending, as all orders here
TRUMPS = (
    *("8D", "9D", "KD", "10D", "AD", "JD", "JH", "JS", "JC"),
    *("QD", "QH", "QS", "JOKER", "QC"),
)
DECK = tuple(rank + suit for suit in FAIL_SUITS for rank in FAIL_RANKS) + TRUMPS
ACES = {suit: "A" + suit for suit in FAIL_SUITS}
TENS = {suit: "10" + suit for suit in FAIL_SUITS}
SUIT = {card: TRUMP if card in TRUMPS else card[-1] for card in DECK}
PLACE = {card: place for place, card in enumerate(DECK)}

NOLA_RANKS = ("7", "8", "9", "10", "J", "Q", "K", "A")
NOLA_DECK = tuple(rank + suit for suit in "CSHD" for rank in NOLA_RANKS)
NOLA_NAME = {card: "7D" if card == "JOKER" else card for card in DECK}
NOLA_SUIT = {card: NOLA_NAME[card][-1] for card in DECK}
NOLA_PLACE = {card: NOLA_DECK.index(NOLA_NAME[card]) for card in DECK}

WORTH = {"A": 11, "10": 10, "K": 4, "Q": 3, "J": 2}
POINTS = {card: 0 if card == "JOKER" else WORTH.get(card[:-1], 0) for card in DECK}

PICK, PASS, ALONE, CRACK = "pick", "pass", "alone", "crack"

PAIRS = {"black": {"QC", "QS"}, "red": {"QH", "QD"}}
"""The queens that are shown together in a blitz."""
BLITZES = {"blitz black": ["black"], "blitz red": ["red"], "blitz both": ["black", "red"]}
"""What may be said, and which pairs are shown by it."""

# Phases.
WAITING = "waiting for cards"
BIDDING = "bidding"
BURYING = "burying"
DECLARING = "declaring"
BLITZING = "blitzing"
CRACKING = "cracking"
PLAYING = "playing"
NOLA_PLAYING = "playing Nola"
LEASTER_PLAYING = "playing a leaster"
OVER = "over"


@dataclass(frozen=True)
class Options:
    """The house rules, with the words of the spec string.

    `nobody_picks` is the option `pass`, which is a word of Python.
    """

    nobody_picks: str = "nola"
    bump: bool = False
    lead_called: bool = True
    slough: bool = False
    underlead: bool = False
    unknown: str = "any"
    bury: str = "any"
    called_ten: str = "second"
    stack: bool = False
    crack: bool = False
    blitz: bool = False
    hands: int = 1
    redraw: int = 100


class Contract(NamedTuple):
    """Who plays against the rest in a picked hand.

    Attributes:
        picker: Who took the blind.
        partner: Who was dealt the called card; None if the picker plays alone.
        called: The called card; None if the picker plays alone.
        unknown: The card that the picker laid face down; None in most hands.
    """

    picker: int
    partner: int | None = None
    called: str | None = None
    unknown: str | None = None

    def suit_of(self, card: str) -> str:
        """Return the suit of a card; the unknown is a card of the called suit only."""
        if card == self.unknown and self.called is not None:
            return SUIT[self.called]
        return SUIT[card]

    def is_called_suit(self, card: str) -> bool:
        """Whether a card counts as one of the called suit."""
        return self.called is not None and self.suit_of(card) == SUIT[self.called]

    def team(self) -> list[int]:
        """List the picker and his partner, if he has one."""
        return [self.picker] if self.partner is None else [self.picker, self.partner]


Trick = Sequence[tuple[int, str]]
"""Seats with the cards they laid, from the leader on."""


def points_of(cards: Iterable[str]) -> int:
    """Add up the points of cards."""
    return sum(POINTS[card] for card in cards)


# --- the bury and the call


def bury(first: str, second: str) -> str:
    """Say that two cards are buried, in the order of the deck."""
    low, high = sorted((first, second), key=lambda card: PLACE[card])
    return f"bury {low} {high}"


def buries(eight: Collection[str], options: Options) -> set[str]:
    """Find what may be buried: any two cards, or as many fail cards as possible."""
    pairs = list(itertools.combinations(eight, 2))
    if options.bury == "fail":
        n_fail = [sum(SUIT[card] != TRUMP for card in pair) for pair in pairs]
        pairs = [pair for pair, n in zip(pairs, n_fail, strict=True) if n == max(n_fail)]
    return {bury(*pair) for pair in pairs}


def calling_case(eight: Collection[str]) -> str:
    """Return what may be called: "ace", "unknown" (an ace of a suit the picker lacks) or "ten"."""
    for suit in FAIL_SUITS:
        if ACES[suit] not in eight and any(SUIT[card] == suit for card in eight):
            return "ace"
    return "ten" if all(ace in eight for ace in ACES.values()) else "unknown"


def declarations(eight: Collection[str], kept: Collection[str], options: Options) -> set[str]:
    """Find what the picker may declare, who had eight cards and kept six of them."""
    case = calling_case(eight)
    suits_kept = [suit for suit in FAIL_SUITS if any(SUIT[card] == suit for card in kept)]
    if case == "unknown":
        layable = [card for card in kept if options.unknown == "any" or SUIT[card] != TRUMP]
        absent = [ace for ace in ACES.values() if ace not in eight]
        calls = {f"lay {card} call {ace}" for card in layable for ace in absent}
    else:
        wanted = ACES if case == "ace" else TENS
        calls = {f"call {wanted[suit]}" for suit in suits_kept if wanted[suit] not in eight}
    return calls | {ALONE}


def blitzes(hand: Collection[str], unknown: str | None) -> set[str]:
    """Find what a seat may answer when it is asked for a blitz; an unknown card is not shown."""
    showable = set(hand) - {unknown}
    shows = {
        say for say, pairs in BLITZES.items() if all(PAIRS[pair] <= showable for pair in pairs)
    }
    return shows | {PASS}


# --- what may be played, and who wins a trick


def may_lead(
    hand: Collection[str], seat: int, contract: Contract, called_led: bool, options: Options
) -> set[str]:
    """Find the cards that a seat may lead in a picked hand; arguments as in `may_follow`."""
    if called_led or contract.called is None:
        return set(hand)
    others = {card for card in hand if not contract.is_called_suit(card)}
    if seat == contract.picker and not options.lead_called and others:
        return others
    if contract.called in hand and not options.underlead:  # only the partner holds it
        return others | {contract.called}
    return set(hand)


def may_follow(
    hand: Collection[str],
    seat: int,
    led: str,
    contract: Contract,
    called_led: bool,
    options: Options,
) -> set[str]:
    """Find the cards that a seat may lay after the lead of a picked hand.

    Args:
        hand: The cards of the seat.
        seat: Who it is.
        led: The suit of the trick.
        contract: Who plays against the rest.
        called_led: Whether the called suit was led in an earlier trick: obligations have ended.
        options: The house rules.
    """
    of_suit = {card for card in hand if contract.suit_of(card) == led}
    if called_led or contract.called is None:
        return of_suit or set(hand)
    if of_suit:
        return {contract.called} if contract.called in of_suit else of_suit
    if len(hand) == 1:
        return set(hand)
    kept: set[str] = set()
    if seat == contract.picker:
        of_called_suit = {card for card in hand if contract.is_called_suit(card)}
        if len(of_called_suit) == 1 or contract.unknown in of_called_suit:
            kept = of_called_suit
    elif not options.slough:
        kept = {contract.called}
    return set(hand) - kept


def height(card: str, led: str, contract: Contract, called_led: bool, options: Options) -> float:
    """Return the height of a card in a trick of a picked hand; below zero it never wins."""
    if card == contract.unknown:
        return 0 if led == contract.suit_of(card) else -1
    if SUIT[card] == TRUMP:
        return 100 + PLACE[card]
    if SUIT[card] != led:
        return -1
    if options.called_ten == "top" and card == contract.called == TENS[led] and not called_led:
        return 1 + PLACE[ACES[led]] + 0.5
    return 1 + PLACE[card]


def trick_winner(trick: Trick, contract: Contract, called_led: bool, options: Options) -> int:
    """Find who takes a trick of a picked hand; `called_led` as in `may_follow`."""
    led = contract.suit_of(trick[0][1])
    heights = [height(card, led, contract, called_led, options) for _, card in trick]
    return trick[heights.index(max(heights))][0]


def nola_cards(hand: Collection[str], led: str | None) -> set[str]:
    """Find the cards that may be played in Nola; `led` is None for the leader."""
    return {card for card in hand if NOLA_SUIT[card] == led} or set(hand)


def nola_winner(trick: Trick) -> int:
    """Find who takes a trick of Nola: the highest card of the suit that was led."""
    led = NOLA_SUIT[trick[0][1]]
    following = [laid for laid in trick if NOLA_SUIT[laid[1]] == led]
    seat, _ = max(following, key=lambda laid: NOLA_PLACE[laid[1]])
    return seat


NO_CONTRACT = Contract(picker=-1)
"""Nobody against the rest: a leaster is played like a picked hand, but everybody alone."""


# --- payment


def payment_row(points: int, tricks: int) -> str:
    """Name the row of the table of payments: tricks first, then points."""
    if tricks == TRICKS:
        return "all tricks"
    if tricks == 0:
        return "no trick"
    for limit, row in ((30, "0-30"), (60, "31-60"), (90, "61-90")):
        if points <= limit:
            return row
    return "91-120"


# Cents of the picker and of each other; of the picker, the partner and each other.
PAID_ALONE = {
    "all tricks": (100, -25),
    "91-120": (80, -20),
    "61-90": (60, -15),
    "31-60": (-80, 20),
    "0-30": (-100, 25),
    "no trick": (-120, 30),
}
PAID_WITH_PARTNER = {
    "all tricks": (30, 15, -15),
    "91-120": (20, 10, -10),
    "61-90": (10, 5, -5),
    "31-60": (-20, -10, 10),
    "0-30": (-30, -15, 15),
    "no trick": (-40, -20, 20),
}
BUMP_ALONE = {"31-60": (-120, 30), "0-30": (-160, 40), "no trick": (-200, 50)}
BUMP_WITH_PARTNER = {
    "31-60": (-20, -10, 10),
    "0-30": (-40, -20, 20),
    "no trick": (-60, -30, 30),
}


def payments(contract: Contract, points: int, tricks: int, options: Options) -> list[int]:
    """Pay a picked hand, before doubling.

    Args:
        contract: Who plays against the rest.
        points: Points of the picker's side, with the bury.
        tricks: Tricks of the picker's side.
        options: The house rules.

    Returns:
        What each seat gets, in cents.
    """
    alone = contract.partner is None
    table: Mapping[str, tuple[int, ...]] = PAID_ALONE if alone else PAID_WITH_PARTNER
    if options.bump:
        table = {**table, **(BUMP_ALONE if alone else BUMP_WITH_PARTNER)}
    *team, other = table[payment_row(points, tricks)]
    paid = [other] * SEATS
    for seat, cents in zip(contract.team(), team, strict=True):
        paid[seat] = cents
    return paid


def one_against_four(seat: int, cents: int) -> list[int]:
    """Let one seat get 4 * cents and everybody else pay for it."""
    return [4 * cents if other == seat else -cents for other in range(SEATS)]


def nola_payments(winners: Sequence[int]) -> list[int]:
    """Pay a hand of Nola by who won each trick."""
    if len(set(winners)) == 1:
        return one_against_four(winners[0], 5)
    return one_against_four(winners[-1], -5)


def leaster_payments(winners: Sequence[int], points: Sequence[int], blind: int) -> list[int]:
    """Pay a leaster by who won each trick, the points of tricks, and those of the blind."""
    total = {seat: points[seat] for seat in set(winners)}
    total[winners[-1]] += blind
    fewest = min(total.values())
    lucky = [seat for seat in total if total[seat] == fewest]
    return one_against_four(lucky[0], 5) if len(lucky) == 1 else [0] * SEATS


# --- a session


MOST_REDEALS = 9
FIRST_LEFT = (1, 2, 3, 4, 0)
FIRST_DEALER = 4


def is_circle(left: Sequence[int]) -> bool:
    """Whether left neighbours lead once round the whole table."""
    seat, met = 0, []
    for _ in range(SEATS):
        met.append(seat)
        seat = left[seat]
    return sorted(met) == list(range(SEATS)) and seat == 0


@dataclass
class ReferenceGame:
    """Hold one session of Sheephead.

    The caller supplies the cards and the places at the table, so there is no randomness in it.

    Attributes:
        options: The house rules.
        phase: What the game waits for.
        turn: Who decides.
        left: The left neighbour of each seat.
        dealer: Who dealt.
        dealt: Hands begun.
        redeals: How often this hand has been dealt again because nobody picked.
        hand: The cards of each seat; the unknown too, until it is played.
        blind: The two cards on the table, until somebody picks.
        buried: The two cards that the picker buried.
        eight: The cards of the picker before he buried.
        passed: Seats that have passed.
        contract: Who plays against the rest, once that is declared.
        declared: What the picker declared.
        shown: Who blitzed with the pair "black", and who with "red".
        asked: Seats that have answered whether they crack.
        cracks: How often the payments of this hand have been doubled by cracks.
        called_led: Whether the called suit was led in an earlier trick.
        trick: The cards on the table.
        winners: Who took each trick of this hand.
        points: Points that each seat took in tricks.
        paid: What each seat got for the hand that ended last.
        money: The same for all hands together.
        doubled: Hands left that pay double, this one included.
    """

    options: Options = Options()
    phase: str = WAITING
    turn: int = 0
    left: tuple[int, ...] = FIRST_LEFT
    dealer: int = FIRST_DEALER
    dealt: int = 0
    redeals: int = 0
    hand: list[set[str]] = field(default_factory=list)
    blind: set[str] = field(default_factory=set)
    buried: set[str] = field(default_factory=set)
    eight: set[str] = field(default_factory=set)
    passed: list[int] = field(default_factory=list)
    contract: Contract = NO_CONTRACT
    declared: str = ""
    shown: dict[str, int] = field(default_factory=dict)
    asked: list[int] = field(default_factory=list)
    cracks: int = 0
    called_led: bool = False
    trick: list[tuple[int, str]] = field(default_factory=list)
    winners: list[int] = field(default_factory=list)
    points: list[int] = field(default_factory=lambda: [0] * SEATS)
    paid: list[int] = field(default_factory=lambda: [0] * SEATS)
    money: list[int] = field(default_factory=lambda: [0] * SEATS)
    doubled: int = 0

    def deal(
        self,
        hands: Sequence[Collection[str]],
        blind: Collection[str],
        dealer: int,
        left: Sequence[int],
    ) -> None:
        """Start the next hand, or the same one again if nobody picked.

        Args:
            hands: Six cards for each seat.
            blind: The two others.
            dealer: Who deals.
            left: The left neighbour of each seat.

        Raises:
            ValueError: If no deal is due, the cards are not all cards of the game, the wrong seat
                deals, or the seats have moved without a reason.
        """
        if self.phase != WAITING:
            raise ValueError(f"no deal is due: the game is {self.phase}")
        if [len(cards) for cards in hands] != [HAND_CARDS] * SEATS or len(blind) != BLIND_CARDS:
            raise ValueError("every seat needs six cards, and two are left")
        if set(itertools.chain(*hands, blind)) != set(DECK):
            raise ValueError("not all cards were dealt once")
        self._check_table(dealer, tuple(left))
        if self.redeals == 0:
            self.dealt += 1
        self.dealer, self.left = dealer, tuple(left)
        self.hand = [set(cards) for cards in hands]
        self.blind, self.buried, self.eight = set(blind), set(), set()
        self.passed, self.shown, self.asked, self.cracks = [], {}, [], 0
        self.contract, self.declared, self.called_led = NO_CONTRACT, "", False
        self.trick, self.winners = [], []
        self.points = [0] * SEATS
        self.turn = self.left[dealer]
        self.phase = BIDDING

    def _check_table(self, dealer: int, left: tuple[int, ...]) -> None:
        """Raise if the wrong seat deals or seats have moved without a reason."""
        redraw, new_hand = self.options.redraw, self.dealt > 0 and self.redeals == 0
        next_dealer = self.left[self.dealer] if new_hand else self.dealer
        if dealer != next_dealer:
            raise ValueError(f"seat {dealer} deals, but it is the turn of seat {next_dealer}")
        drawn = new_hand and redraw > 0 and self.dealt % redraw == 0
        if not (is_circle(left) if drawn else left == self.left):
            raise ValueError(f"left neighbours {left} after {self.left}, hand {self.dealt}")

    def movers(self) -> list[int]:
        """List the seat that must decide now; empty if the game waits for cards or is over."""
        return [] if self.phase in (WAITING, OVER) else [self.turn]

    def legal(self, seat: int) -> set[str]:
        """Find what a seat may do."""
        if seat not in self.movers():
            return set()
        if self.phase == BIDDING:
            return {PICK} if self._must_pick() else {PICK, PASS}
        if self.phase == BURYING:
            return buries(self.eight, self.options)
        if self.phase == DECLARING:
            return declarations(self.eight, self.hand[seat], self.options)
        if self.phase == BLITZING:
            return blitzes(self.hand[seat], self.contract.unknown)
        if self.phase == CRACKING:
            return {CRACK, PASS}
        hand = self.hand[seat]
        if self.phase == NOLA_PLAYING:
            return nola_cards(hand, NOLA_SUIT[self.trick[0][1]] if self.trick else None)
        if not self.trick:
            return may_lead(hand, seat, self.contract, self.called_led, self.options)
        led = self.contract.suit_of(self.trick[0][1])
        return may_follow(hand, seat, led, self.contract, self.called_led, self.options)

    def apply(self, seat: int, action: str) -> None:
        """Carry out a decision.

        Raises:
            ValueError: If the seat may not do this now.
        """
        if action not in self.legal(seat):
            raise ValueError(f"seat {seat} may not {action!r} while {self.phase}")
        if self.phase == BIDDING:
            self._bid(seat, action)
        elif self.phase == BURYING:
            self.buried = set(action.split()[1:])
            self.hand[seat] -= self.buried
            self.phase = DECLARING
        elif self.phase == DECLARING:
            self._declare(seat, action)
        elif self.phase == BLITZING:
            self._blitz(seat, action)
        elif self.phase == CRACKING:
            self._answer(seat, action)
        else:
            self._play(seat, action)

    def is_over(self) -> bool:
        """Whether the last hand of the session has ended."""
        return self.phase == OVER

    def scores(self) -> list[int]:
        """Return the money of each seat."""
        return list(self.money)

    def tricks(self) -> list[int]:
        """Count the tricks of each seat in this hand."""
        return [self.winners.count(seat) for seat in range(SEATS)]

    def team_points(self) -> int:
        """Add up the points of the picker, his bury and his partner."""
        return points_of(self.buried) + sum(self.points[seat] for seat in self.contract.team())

    def _must_pick(self) -> bool:
        """Whether the dealer, after four others, has no choice."""
        last = len(self.passed) == SEATS - 1
        too_often = self.options.nobody_picks == "redeal" and self.redeals == MOST_REDEALS
        return last and (self.options.nobody_picks == "forced" or too_often)

    def _bid(self, seat: int, action: str) -> None:
        if action == PICK:
            self.hand[seat] |= self.blind
            self.eight, self.blind = set(self.hand[seat]), set()
            self.phase = BURYING
            return
        self.passed.append(seat)
        self.turn = self.left[seat]
        if len(self.passed) < SEATS:
            return
        if self.options.nobody_picks == "nola":
            self.phase = NOLA_PLAYING
        elif self.options.nobody_picks == "leaster":
            self.phase = LEASTER_PLAYING
        elif self.options.nobody_picks == "doubler":
            self._end_hand([0] * SEATS)
            self.doubled = max(self.doubled, 1)
        else:
            self.redeals += 1
            self.phase = WAITING

    def _declare(self, seat: int, action: str) -> None:
        self.declared = action
        words = action.split()
        called = None if action == ALONE else words[-1]
        unknown = words[1] if words[0] == "lay" else None
        holders = [other for other in range(SEATS) if called in self.hand[other]]
        self.contract = Contract(seat, holders[0] if holders else None, called, unknown)
        if self.options.blitz:
            self.phase, self.turn = BLITZING, self.left[seat]
        else:
            self._ask_for_cracks()

    def _blitz(self, seat: int, action: str) -> None:
        """Hear whether a seat blitzes: everybody, the picker last."""
        for pair in BLITZES.get(action, []):
            self.shown[pair] = seat
        if seat == self.contract.picker:
            self._ask_for_cracks()
        else:
            self.turn = self.left[seat]

    def _ask_for_cracks(self) -> None:
        if self.options.crack:
            self.phase, self.turn = CRACKING, self.left[self.contract.picker]
        else:
            self._begin_play()

    def _answer(self, seat: int, action: str) -> None:
        """Hear whether a seat cracks: the others until one does, then the picker."""
        picker = self.contract.picker
        self.asked.append(seat)
        if action == CRACK:
            self.cracks += 1
        if seat == picker or (action == PASS and len(self.asked) == SEATS - 1):
            self._begin_play()
        else:
            self.turn = picker if action == CRACK else self.left[seat]

    def _begin_play(self) -> None:
        self.phase, self.turn = PLAYING, self.left[self.dealer]

    def _play(self, seat: int, card: str) -> None:
        self.hand[seat].remove(card)
        self.trick.append((seat, card))
        self.turn = self.left[seat]
        if len(self.trick) < SEATS:
            return
        if self.phase == NOLA_PLAYING:
            winner = nola_winner(self.trick)
        else:
            winner = trick_winner(self.trick, self.contract, self.called_led, self.options)
            self.called_led |= self.contract.is_called_suit(self.trick[0][1])
        self.points[winner] += points_of(card for _, card in self.trick)
        self.winners.append(winner)
        self.trick = []
        self.turn = winner
        if len(self.winners) == TRICKS:
            self._score()

    def _score(self) -> None:
        """Pay the hand that has been played."""
        even = False
        if self.phase == NOLA_PLAYING:
            paid = nola_payments(self.winners)
        elif self.phase == LEASTER_PLAYING:
            paid = leaster_payments(self.winners, self.points, points_of(self.blind))
        else:
            points = self.team_points()
            tricks = sum(winner in self.contract.team() for winner in self.winners)
            paid = payments(self.contract, points, tricks, self.options)
            even = points == 60
        self._end_hand(paid)
        if even:
            self.doubled = self.doubled + 5 if self.options.stack else 5

    def _end_hand(self, paid: list[int]) -> None:
        factor = (2 if self.doubled > 0 else 1) * 2 ** len(self.shown) * 2**self.cracks
        self.paid = [factor * cents for cents in paid]
        self.money = [had + got for had, got in zip(self.money, self.paid, strict=True)]
        self.doubled = max(self.doubled - 1, 0)
        self.redeals = 0
        self.phase = OVER if self.dealt == self.options.hands else WAITING


def random_deal(rng: random.Random) -> tuple[list[list[str]], list[str]]:
    """Shuffle the cards; return the five hands and the blind."""
    cards = list(DECK)
    rng.shuffle(cards)
    hands = [cards[seat * HAND_CARDS : (seat + 1) * HAND_CARDS] for seat in range(SEATS)]
    return hands, cards[SEATS * HAND_CARDS :]
