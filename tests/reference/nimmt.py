"""Play 6 nimmt! slowly and obviously, straight from the rules, as a check on the fast engine.

Nothing here is shared with the engine: two independent readings of the rules have to agree.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

HIGHEST_CARD = 104
CARDS_PER_HAND = 10
ROWS = 4
FULL_ROW = 5
MATCH_HEADS = 66
ROW_ACTIONS = [105, 106, 107, 108]

WAITING = "waiting for cards"
DRAFTING = "drafting"
CHOOSING = "choosing a card"
TAKING = "taking a row"
OVER = "over"


def bull_heads(card: int) -> int:
    """Count the bull heads printed on a card.

    Args:
        card: A card from 1 to 104.

    Returns:
        7, 5, 3, 2 or 1.

    Raises:
        ValueError: If there is no such card.
    """
    if not 1 <= card <= HIGHEST_CARD:
        raise ValueError(f"there is no card {card}")
    if card == 55:
        return 7
    if card % 11 == 0:
        return 5
    if card % 10 == 0:
        return 3
    if card % 5 == 0:
        return 2
    return 1


def heads_of(cards: Sequence[int]) -> int:
    """Add up the bull heads of several cards."""
    return sum(bull_heads(card) for card in cards)


def empty_rows() -> list[list[int]]:
    """Make four rows without cards."""
    return [[] for _ in range(ROWS)]


@dataclass
class ReferenceGame:
    """Hold one game of 6 nimmt!, either a single round or a match to 66.

    The caller supplies the cards, so the game itself has no randomness.

    Attributes:
        players: Number of seats, 2 to 10.
        rows: "free" lets the player choose the row to take, "lowest" takes the cheapest.
        deck: "full" uses cards 1 to 104, "known" only 1 to 10 * players + 4.
        hands: "hidden" or "open"; who sees what changes no legal action and no result.
        draft: Whether players pick their hands from the open cards of the known deck.
        match: "round" for one round, "66" for rounds until someone has 66 heads.
        table_rows: The four rows, each oldest card first.
        hand: The cards of each seat, ascending; a chosen card stays until all have chosen.
        taken: Heads each seat has taken this round.
        total: Heads of each seat from rounds before this one.
        seen: Cards that have lain on the table this round.
        open_cards: Cards that can still be picked in the draft, ascending.
        chosen: The face-down card of each seat that has chosen this turn.
        unplaced: Revealed cards of this turn not yet on the table, ascending, with their seats.
        phase: What the game waits for.
    """

    players: int
    rows: str = "free"
    deck: str = "full"
    hands: str = "hidden"
    draft: bool = False
    match: str = "round"

    table_rows: list[list[int]] = field(init=False)
    hand: list[list[int]] = field(init=False)
    taken: list[int] = field(init=False)
    total: list[int] = field(init=False)
    seen: set[int] = field(init=False)
    open_cards: list[int] = field(init=False)
    chosen: dict[int, int] = field(init=False)
    unplaced: list[tuple[int, int]] = field(init=False)
    phase: str = field(init=False)

    def __post_init__(self) -> None:
        """Check the options and set up an empty table.

        Raises:
            ValueError: If an option has a value the rules do not know.
        """
        if not 2 <= self.players <= 10:
            raise ValueError(f"players must be 2 to 10, not {self.players}")
        if self.rows not in ("free", "lowest"):
            raise ValueError(f"unknown rows option {self.rows!r}")
        if self.deck not in ("full", "known"):
            raise ValueError(f"unknown deck option {self.deck!r}")
        if self.hands not in ("hidden", "open"):
            raise ValueError(f"unknown hands option {self.hands!r}")
        if self.match not in ("round", "66"):
            raise ValueError(f"unknown match option {self.match!r}")
        self.total = [0] * self.players
        self.taken = [0] * self.players
        self.phase = WAITING
        self._clear_table()

    def deck_cards(self) -> list[int]:
        """List the cards this game is played with, ascending."""
        # A draft is always played with the known deck, whatever the deck option says.
        if self.draft or self.deck == "known":
            return list(range(1, CARDS_PER_HAND * self.players + ROWS + 1))
        return list(range(1, HIGHEST_CARD + 1))

    def deal(self, hands: Sequence[Sequence[int]], row_cards: Sequence[int]) -> None:
        """Start the next round with the given cards.

        Args:
            hands: Ten cards for each seat.
            row_cards: The starting card of each of the four rows.

        Raises:
            ValueError: If no deal is due or the cards are not a deal of this game.
        """
        if self.draft:
            raise ValueError("a draft game is not dealt")
        if self.phase != WAITING:
            raise ValueError(f"no deal is due: the game is {self.phase}")
        if len(hands) != self.players or any(len(cards) != CARDS_PER_HAND for cards in hands):
            raise ValueError("every seat needs ten cards")
        if len(row_cards) != ROWS:
            raise ValueError("four cards start the rows")
        dealt = [card for cards in hands for card in cards] + list(row_cards)
        if len(set(dealt)) != len(dealt):
            raise ValueError("a card was dealt twice")
        if not set(dealt) <= set(self.deck_cards()):
            raise ValueError("a card is not in the deck")
        self._begin_round()
        self.hand = [sorted(cards) for cards in hands]
        self._start_rows(row_cards)

    def deal_draft(self) -> None:
        """Start the next round of a draft game by laying all cards open.

        Raises:
            ValueError: If this is not a draft game or no round is due.
        """
        if not self.draft:
            raise ValueError("this is not a draft game")
        if self.phase != WAITING:
            raise ValueError(f"no draft is due: the game is {self.phase}")
        self._begin_round()
        self.open_cards = self.deck_cards()
        self.phase = DRAFTING

    def movers(self) -> list[int]:
        """List the seats that must decide now.

        Returns:
            Seats, ascending; empty if the game waits for cards or is over.
        """
        if self.phase == DRAFTING:
            picks_made = sum(len(cards) for cards in self.hand)
            return [picks_made % self.players]
        if self.phase == CHOOSING:
            return [seat for seat in range(self.players) if seat not in self.chosen]
        if self.phase == TAKING:
            _, seat = self.unplaced[0]
            return [seat]
        return []

    def legal(self, seat: int) -> list[int]:
        """List the actions open to a seat.

        Args:
            seat: The seat that asks.

        Returns:
            Action codes, ascending: cards 1 to 104, rows 105 to 108; empty if the seat has
            nothing to decide now.
        """
        if seat not in self.movers():
            return []
        if self.phase == DRAFTING:
            return list(self.open_cards)
        if self.phase == CHOOSING:
            return list(self.hand[seat])
        return list(ROW_ACTIONS)

    def apply(self, seat: int, action: int) -> None:
        """Carry out a decision and whatever follows from it without a further decision.

        Args:
            seat: The seat that decides.
            action: One of its legal action codes.

        Raises:
            ValueError: If the action is not legal for that seat now.
        """
        if action not in self.legal(seat):
            raise ValueError(f"action {action} is not legal for seat {seat}")
        if self.phase == DRAFTING:
            self._pick(seat, action)
        elif self.phase == CHOOSING:
            self._choose(seat, action)
        else:
            card, _ = self.unplaced.pop(0)
            self._take_row(seat, ROW_ACTIONS.index(action), card)
            self._place_cards()

    def is_over(self) -> bool:
        """Whether the single round or the match has ended."""
        return self.phase == OVER

    def scores(self) -> list[int]:
        """Return minus the heads of each seat over all rounds, so that higher is better."""
        return [-heads for heads in self._heads_in_all()]

    def _heads_in_all(self) -> list[int]:
        return [self.total[seat] + self.taken[seat] for seat in range(self.players)]

    def _clear_table(self) -> None:
        self.table_rows = empty_rows()
        self.hand = [[] for _ in range(self.players)]
        self.seen = set()
        self.open_cards = []
        self.chosen = {}
        self.unplaced = []

    def _begin_round(self) -> None:
        self.total = self._heads_in_all()
        self.taken = [0] * self.players
        self._clear_table()

    def _start_rows(self, row_cards: Sequence[int]) -> None:
        self.table_rows = [[card] for card in row_cards]
        self.seen = set(row_cards)
        self.phase = CHOOSING

    def _pick(self, seat: int, card: int) -> None:
        self.open_cards.remove(card)
        self.hand[seat] = sorted([*self.hand[seat], card])
        if len(self.open_cards) == ROWS:
            left_over = self.open_cards
            self.open_cards = []
            self._start_rows(left_over)

    def _choose(self, seat: int, card: int) -> None:
        self.chosen[seat] = card
        if len(self.chosen) == self.players:
            self._reveal()

    def _reveal(self) -> None:
        for seat, card in self.chosen.items():
            self.hand[seat].remove(card)
        self.unplaced = sorted((card, seat) for seat, card in self.chosen.items())
        self.chosen = {}
        self._place_cards()

    def _place_cards(self) -> None:
        """Place revealed cards in ascending order, up to a free row choice or the turn's end."""
        while self.unplaced:
            card, seat = self.unplaced[0]
            row = self._row_for(card)
            if row is None and self.rows == "free":
                self.phase = TAKING
                return
            self.unplaced.pop(0)
            if row is None:
                self._take_row(seat, self._row_with_fewest_heads(), card)
            elif len(self.table_rows[row]) == FULL_ROW:
                self._take_row(seat, row, card)
            else:
                self.table_rows[row].append(card)
                self.seen.add(card)
        self._end_turn()

    def _row_for(self, card: int) -> int | None:
        """Find the row whose last card is the highest one below the card, if there is one."""
        best: int | None = None
        for row in range(ROWS):
            end = self.table_rows[row][-1]
            if end < card and (best is None or end > self.table_rows[best][-1]):
                best = row
        return best

    def _row_with_fewest_heads(self) -> int:
        heads = [heads_of(row) for row in self.table_rows]
        # index() finds the first occurrence, which is the lowest index on ties.
        return heads.index(min(heads))

    def _take_row(self, seat: int, row: int, card: int) -> None:
        """Count the row's heads against the seat and let its card start the row anew."""
        self.taken[seat] += heads_of(self.table_rows[row])
        self.table_rows[row] = [card]
        self.seen.add(card)

    def _end_turn(self) -> None:
        round_ended = all(cards == [] for cards in self.hand)
        if not round_ended:
            self.phase = CHOOSING
        elif self.match == "round" or max(self._heads_in_all()) >= MATCH_HEADS:
            self.phase = OVER
        else:
            self.phase = WAITING


def random_deal(game: ReferenceGame, rng: random.Random) -> tuple[list[list[int]], list[int]]:
    """Shuffle the game's deck and deal it, without starting the round.

    Args:
        game: The game whose deck and number of players count.
        rng: The source of randomness.

    Returns:
        The hands, each ascending, and the four row cards in random order.
    """
    cards = game.deck_cards()
    rng.shuffle(cards)
    hands = [
        sorted(cards[seat * CARDS_PER_HAND : (seat + 1) * CARDS_PER_HAND])
        for seat in range(game.players)
    ]
    first_row_card = game.players * CARDS_PER_HAND
    return hands, cards[first_row_card : first_row_card + ROWS]


def random_reference_game(game: ReferenceGame, rng: random.Random) -> list[tuple[int, int]]:
    """Play a game to its end with random cards and uniformly random legal actions.

    Args:
        game: The game to play; it is left in its final state.
        rng: The source of randomness.

    Returns:
        Every decision as (seat, action), in the order made.
    """
    history: list[tuple[int, int]] = []
    while not game.is_over():
        movers = game.movers()
        if not movers:
            if game.draft:
                game.deal_draft()
            else:
                game.deal(*random_deal(game, rng))
            continue
        # Seats that choose at the same time may do so in any order, so any order is tried.
        seat = rng.choice(movers)
        action = rng.choice(game.legal(seat))
        game.apply(seat, action)
        history.append((seat, action))
    return history
