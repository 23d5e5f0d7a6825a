"""Logged rounds played again through the rules: every card must be legal, and the result the same.

Logs leave things out, and these are found out here:

- A trick is over without a line, or with a line that its holder passes: he takes it.
- A bomb out of turn is a play like any other. Bombs that were not used are not logged: in windows
  nobody has one, except where the next line lays it.
- What the Phoenix stands for is not written. Of the ranks that are legal, those that fit the order
  of the cards, high to low, are tried first, and the highest of them.
- The line that tells who got the Dragon's trick may be missing: both are tried.
- Tichu may be called twice, in a double click, and just after the own first card: it was meant
  before.

Where there are several ways to read a round, the first one counts that can be played and has the
logged result. The lines are followed by a kernel (`retrace`); what is wrong is put into words here.
"""

from functools import lru_cache

import numpy as np

from kibitz.core.record import Record, record_of
from kibitz.core.table import Game, Origin
from kibitz.games.tichu.bsw.log import BadRound, Doing, Event, LoggedRound
from kibitz.games.tichu.bsw.retrace import (
    CALLS,
    CALLS_LATE,
    DESK,
    EVENT,
    GIVES_DRAGON,
    IS_EARLY,
    IS_OVER,
    LAYS,
    NO_DRAGON,
    NO_MAH_JONG,
    OWN_TEAM,
    PASSES,
    REFUSED,
    WISHES,
    retrace,
)
from kibitz.games.tichu.cards import (
    ACE,
    CALL,
    LOWEST_RANK,
    PHOENIX,
    PHOENIX_BIT,
    PLAY,
    TICHU,
    cards_of,
    kind_of,
    other_action,
    phoenix_of,
)
from kibitz.games.tichu.reasons import explain
from kibitz.games.tichu.state import SEATS, STATE
from kibitz.games.tichu.words import CARD_WORDS, cards_text, rank_of, set_of, write_action

MAX_ATTEMPTS = 32
"""Ways to read one round that are tried."""

_TICHU = int(other_action(CALL, TICHU))
_DOINGS = {
    Doing.PLAY: LAYS,
    Doing.PASS: PASSES,
    Doing.WISH: WISHES,
    Doing.TICHU: CALLS,
    Doing.DRAGON: GIVES_DRAGON,
}
_REASONS = {
    IS_OVER: "the round is over before this line",
    IS_EARLY: "the result comes before the round is over",
    NO_MAH_JONG: "a wish comes right after the Mah Jong",
    NO_DRAGON: "no trick of the Dragon is to be given away",
    OWN_TEAM: "the Dragon's trick must go to an opponent",
}
_write = lru_cache(1 << 16)(write_action)


class Replayer:
    """Plays logged rounds again, in the same memory."""

    def __init__(self, game: Game) -> None:
        """Make room for a round."""
        self._game = game
        self._deal = game.deal(0).state.copy()
        self._states = np.zeros(2, STATE)
        self._desk: np.record = np.zeros(1, DESK)[0]

    def replay(self, logged: LoggedRound) -> Record:
        """Play a logged round again and write it down.

        Raises:
            BadRound: it cannot have been played so, or the result is another one.
        """
        position = self._set_deal(logged)
        events = _encode(logged.events)
        self._set_desk(logged)
        taken: list[int] | None = []
        first: BadRound | None = None
        for _ in range(MAX_ATTEMPTS):
            if taken is None:
                break
            bad = self._attempt(logged, events, taken)
            if bad is None:
                return self._record(logged, position)
            first = first or bad
            taken = _others(taken, self._desk.widths[: self._desk.n_picks].tolist())
        raise first or BadRound(logged.line, "it cannot be played")

    def _set_deal(self, logged: LoggedRound) -> str:
        """Deal the first eight cards and the rest; return the position in words."""
        dealt = [card for cards in logged.cards for card in cards]
        if len(set(dealt)) < len(dealt):
            twice = next(card for card in dealt if dealt.count(card) > 1)
            raise BadRound(logged.line, f"{CARD_WORDS[twice]} is dealt twice")
        first = [set_of(cards) for cards in logged.first_cards]
        hands = [set_of(cards) for cards in logged.cards]
        for seat in range(SEATS):
            n_first = len(logged.first_cards[seat])
            if first[seat] & ~hands[seat] or first[seat].bit_count() != n_first:
                reason = f"the first cards of seat {seat} are not among its fourteen"
                raise BadRound(logged.line, reason)
        stock = [hand & ~cards for hand, cards in zip(hands, first, strict=True)]
        self._deal.hand[:], self._deal.stock[:] = first, stock
        shown, rest = (
            "/".join(cards_text(cards, between=".") for cards in piles) for piles in (first, stock)
        )
        return f"round=1 phase=grand hands={shown} stock={rest}"

    def _set_desk(self, logged: LoggedRound) -> None:
        """Lay out what comes before the lines of play."""
        self._desk.grand, self._desk.early = set_of(logged.grand), set_of(logged.early)
        self._desk.gifts[:] = logged.gifts

    def _attempt(
        self, logged: LoggedRound, events: np.ndarray, taken: list[int]
    ) -> BadRound | None:
        """Play a round in one of the ways to read it; return what is wrong with that."""
        self._states[0] = self._deal
        self._desk.n_taken = len(taken)
        self._desk.taken[: len(taken)] = taken
        if not retrace(self._states, events, self._desk):
            place = int(self._desk.place)
            lines = [logged.line, *(event.line for event in logged.events), logged.result_line]
            return BadRound(lines[place + 1], self._reason())
        found = tuple(self._states[0].points.tolist())
        if found == logged.result:
            return None
        told, played = (" - ".join(map(str, pair)) for pair in (logged.result, found))
        return BadRound(logged.result_line, f"the log says {told}, replaying gives {played}")

    def _reason(self) -> str:
        """Say what is wrong with the line that could not be followed."""
        wrong, seat = int(self._desk.wrong), int(self._desk.seat)
        if wrong == CALLS_LATE:
            return f"seat {seat} calls Tichu after its first card"
        if wrong != REFUSED:
            return _REASONS[wrong]
        state, action = self._states[0], int(self._desk.action)
        cards = np.uint64(cards_of(action))
        if kind_of(action) == PLAY and cards & PHOENIX_BIT and not phoenix_of(action):
            action = int(self._game.text.parse_action(state, seat, cards_text(int(cards))))
        movers = [other for other in range(SEATS) if int(state.deciding) >> other & 1]
        reason = f"seat {', '.join(map(str, movers))} is to move"
        if seat in movers or action == _TICHU:
            reason = str(explain(state, seat, action))
        return f"seat {seat}, '{write_action(action)}': {reason}"

    def _record(self, logged: LoggedRound, position: str) -> Record:
        """Write down the round that was just played."""
        n = int(self._desk.n_actions)
        seats, actions = self._desk.seats[:n].tolist(), self._desk.actions[:n].tolist()
        ours, theirs = self._states[0].points.tolist()
        return record_of(
            self._game,
            Origin(0, deals=(position,)),
            zip(seats, map(_write, actions), strict=True),
            np.array([ours - theirs, theirs - ours] * 2, np.float64),
            logged.names,
        )


def _others(taken: list[int], widths: list[int]) -> list[int] | None:
    """Return the next ways to take after these were tried; None if there are none."""
    ways = [*taken, *[0] * len(widths)][: len(widths)]
    while ways and ways[-1] + 1 >= widths[len(ways) - 1]:
        ways.pop()
    return [*ways[:-1], ways[-1] + 1] if ways else None


def _encode(events: list[Event]) -> np.ndarray:
    """Write lines of play as the kernel reads them."""
    rows = [
        (_DOINGS[event.doing], event.seat, event.rank, set_of(event.cards), _orders(event.cards))
        for event in events
    ]
    return np.array(rows, EVENT)


def _orders(cards: tuple[int, ...]) -> int:
    """Return the ranks for which the Phoenix would stand in order, as bits."""
    if PHOENIX not in cards or len(cards) == 1:
        return 0
    ranks = range(LOWEST_RANK, ACE + 1)
    return sum(1 << rank for rank in ranks if is_in_order(cards, rank))


def is_in_order(cards: tuple[int, ...], phoenix_rank: int) -> bool:
    """Whether cards go from high to low if the Phoenix stands for a rank."""
    ranks = [phoenix_rank if card == PHOENIX else rank_of(card) for card in cards]
    return ranks == sorted(ranks, reverse=True)
