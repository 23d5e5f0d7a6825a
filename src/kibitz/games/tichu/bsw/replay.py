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
logged result.
"""

import numpy as np

from kibitz.core.game import Action, Seat, apply, is_legal
from kibitz.core.record import Record
from kibitz.core.table import Game, Origin, Table
from kibitz.games.tichu.bsw.log import BadRound, Doing, Event, LoggedRound
from kibitz.games.tichu.cards import (
    ACE,
    CALL,
    DRAGON_TO,
    GIVE,
    GRAND,
    LOWEST_RANK,
    NO_GRAND,
    NO_TICHU,
    PASS,
    PHOENIX,
    TICHU,
    WISH,
    other_action,
    play_action,
)
from kibitz.games.tichu.combinations import NOTHING
from kibitz.games.tichu.reasons import explain
from kibitz.games.tichu.state import CALLING, DRAGON_TRICK, OVER, SEATS, WINDOW, WISHING
from kibitz.games.tichu.words import CARD_WORDS, cards_text, rank_of, set_of

MAX_ATTEMPTS = 32
"""Ways to read one round that are tried."""

_PASS = int(other_action(PASS, 0))
_TICHU = int(other_action(CALL, TICHU))


def replay_round(game: Game, logged: LoggedRound) -> Record:
    """Play a logged round again and write it down.

    Raises:
        BadRound: it cannot have been played so, or the result is another one.
    """
    position = _deal(logged)
    choices: _Choices | None = _Choices()
    first: BadRound | None = None
    for _ in range(MAX_ATTEMPTS):
        if choices is None:
            break
        replaying = _Replay(game, logged, position, choices)
        try:
            replaying.run()
            return replaying.table.record(logged.names)
        except BadRound as bad:
            first = first or bad
        choices = choices.others()
    raise first or BadRound(logged.line, "it cannot be played")


class _Choices:
    """Which way to go wherever a log leaves something open; the first one is always 0."""

    def __init__(self, taken: tuple[int, ...] = ()) -> None:
        self._taken = taken
        self._widths: list[int] = []

    def pick(self, n: int) -> int:
        """Choose one of n ways."""
        place = len(self._widths)
        self._widths.append(n)
        return self._taken[place] if place < len(self._taken) else 0

    def others(self) -> "_Choices | None":
        """Give the next choices after these have been tried; None if there are none."""
        taken = [*self._taken, *[0] * len(self._widths)][: len(self._widths)]
        while taken and taken[-1] + 1 >= self._widths[len(taken) - 1]:
            taken.pop()
        return _Choices((*taken[:-1], taken[-1] + 1)) if taken else None


def _deal(logged: LoggedRound) -> str:
    """Write the position in which the four have their first eight cards."""
    dealt = [card for cards in logged.cards for card in cards]
    twice = [card for card in dealt if dealt.count(card) > 1]
    if twice:
        raise BadRound(logged.line, f"{CARD_WORDS[twice[0]]} is dealt twice")
    first = [set_of(cards) for cards in logged.first_cards]
    hands = [set_of(cards) for cards in logged.cards]
    for seat in range(SEATS):
        if first[seat] & ~hands[seat] or first[seat].bit_count() != len(logged.first_cards[seat]):
            reason = f"the first cards of seat {seat} are not among its fourteen"
            raise BadRound(logged.line, reason)
    shown = "/".join(cards_text(cards, between=".") for cards in first)
    rest = "/".join(cards_text(h & ~f, between=".") for h, f in zip(hands, first, strict=True))
    return f"round=1 phase=grand hands={shown} stock={rest}"


class _Replay:
    """One attempt at a round."""

    def __init__(self, game: Game, logged: LoggedRound, position: str, choices: _Choices) -> None:
        self.table = Table(game, Origin(0, deals=(position,)), plays_forced=False)
        self._logged = logged
        self._choices = choices
        self._line = logged.line

    @property
    def _state(self) -> np.record:
        return self.table.state

    def run(self) -> None:
        """Play the round to its end and compare the result."""
        self._begin()
        for place, event in enumerate(self._logged.events):
            self._line = event.line
            if self._state.phase == OVER and event.doing != Doing.TICHU:
                raise BadRound(event.line, "the round is over before this line")
            self._follow(event, self._logged.events[place + 1 : place + 3])
        self._line = self._logged.result_line
        self._give_dragon(None)
        if self._state.phase != OVER:
            raise BadRound(self._line, "the result comes before the round is over")
        found = tuple(int(points) for points in self._state.points)
        if found != self._logged.result:
            told, played = (" - ".join(map(str, pair)) for pair in (self._logged.result, found))
            raise BadRound(self._line, f"the log says {told}, replaying gives {played}")

    def _play(self, seat: Seat, action: Action) -> None:
        """Commit one action; what is wrong with it is said in words."""
        action = int(action)
        if is_legal(self._state, seat, action):
            self.table.play(seat, action)
            return
        if seat in self.table.movers or action == _TICHU:
            reason = str(explain(self._state, seat, action))
        else:
            reason = f"seat {', '.join(map(str, self.table.movers))} is to move"
        text = self.table.text(action, seat)
        raise BadRound(self._line, f"seat {seat}, '{text}': {reason}")

    def _begin(self) -> None:
        """Play what comes before the first card: calls and the exchange."""
        for seat in range(SEATS):
            answer = GRAND if seat in self._logged.grand else NO_GRAND
            self._play(seat, other_action(CALL, answer))
        self._answer_calls(self._logged.early)
        for seat in range(SEATS):
            for card in self._logged.gifts[seat]:
                self._play(seat, other_action(GIVE, 1 << card))
        callers = set()
        for event in self._logged.events:
            if event.doing != Doing.TICHU:
                break
            callers.add(event.seat)
        self._answer_calls(callers)

    def _answer_calls(self, callers: set[Seat]) -> None:
        """Answer the question for Tichu, if it is asked at all."""
        if self._state.phase == CALLING:
            for seat in self.table.movers:
                self._play(seat, _TICHU if seat in callers else other_action(CALL, NO_TICHU))

    def _follow(self, event: Event, following: list[Event]) -> None:
        """Do what one line says; the two lines after it may belong to it."""
        if event.doing == Doing.TICHU:
            self._hear(event.seat)
        elif event.doing == Doing.PLAY:
            after = [other for other in following if other.doing != Doing.WISH][:1]
            if after and after[0].doing == Doing.TICHU and after[0].seat == event.seat:
                self._hear(event.seat)
            self._lay(event)
            wishes = [other.doing for other in following if other.doing != Doing.TICHU][:1]
            if self._state.phase == WISHING and wishes != [Doing.WISH]:
                self._play(event.seat, other_action(WISH, 0))
        elif event.doing == Doing.PASS:
            self._pass(event.seat)
        elif event.doing == Doing.WISH:
            if self._state.phase != WISHING:
                raise BadRound(event.line, "a wish comes right after the Mah Jong")
            self._play(self.table.movers[0], other_action(WISH, event.rank))
        else:
            self._close_window()
            self._give_dragon(event)

    def _hear(self, seat: Seat) -> None:
        """Call Tichu, in turn or not; the line may be there twice."""
        if self._state.call[seat]:
            return
        if self._state.played[seat]:
            raise BadRound(self._line, f"seat {seat} calls Tichu after its first card")
        self._play(seat, _TICHU)

    def _close_window(self) -> None:
        """Let nobody bomb."""
        if self._state.phase == WINDOW:
            for seat in self.table.movers:
                self._play(seat, _PASS)

    def _pass(self, seat: Seat) -> None:
        """Pass in turn, or take the trick."""
        self._give_dragon(None)
        holder, lay_there = int(self._state.holder), self._state.table_kind != NOTHING
        self._close_window()
        is_won = self._state.table_kind == NOTHING or self._state.phase == DRAGON_TRICK
        if not (lay_there and is_won and holder == seat):
            self._play(seat, _PASS)

    def _lay(self, event: Event) -> None:
        """Lay cards: as a bomb in the window, or in turn."""
        seat = event.seat
        if self._state.phase == WINDOW and self._is_out_of_turn(event):
            bomb = play_action(np.uint64(set_of(event.cards)), 0)
            for other in self.table.movers:
                self._play(other, bomb if other == seat else _PASS)
            return
        self._close_window()
        self._give_dragon(None)
        self._play(seat, self._read_play(event))

    def _is_out_of_turn(self, event: Event) -> bool:
        """Tell whether cards are a bomb in the window, and not played in the turn after it.

        In its turn a seat is bound by the wish. When all have passed and the holder of the trick
        is out, who leads next may either bomb or lead: both are tried.
        """
        seat, bomb = event.seat, int(play_action(np.uint64(set_of(event.cards)), 0))
        if not is_legal(self._state, seat, bomb):
            return False
        probe = self._state.copy()
        for other in self.table.movers:
            apply(probe, other, _PASS)
        if not is_legal(probe, seat, bomb):
            return True
        all_passed = self._state.turn == self._state.holder
        if all_passed and seat != self._state.holder:
            return self._choices.pick(2) == 1
        return bool(all_passed)

    def _read_play(self, event: Event) -> Action:
        """Find out what the Phoenix stands for."""
        cards = np.uint64(set_of(event.cards))
        if PHOENIX not in event.cards or len(event.cards) == 1:
            return play_action(cards, 0)
        meanings = [
            rank
            for rank in range(ACE, LOWEST_RANK - 1, -1)
            if is_legal(self._state, event.seat, int(play_action(cards, rank)))
        ]
        meanings.sort(key=lambda rank: not is_in_order(event.cards, rank))
        if not meanings:
            text = cards_text(int(cards))
            return int(self.table.game.text.parse_action(self._state, event.seat, text))
        return play_action(cards, meanings[self._choices.pick(len(meanings))])

    def _give_dragon(self, event: Event | None) -> None:
        """Give the Dragon's trick away, if it is due; `event` may tell to whom."""
        if self._state.phase != DRAGON_TRICK:
            if event is not None:
                raise BadRound(event.line, "no trick of the Dragon is to be given away")
            return
        giver = self.table.movers[0]
        if event is None or event.seat < 0:
            step = (1, 3)[self._choices.pick(2)]
        else:
            step = (event.seat - giver) % SEATS
        if step not in (1, 3):
            raise BadRound(self._line, "the Dragon's trick must go to an opponent")
        self._play(giver, other_action(DRAGON_TO, step))


def is_in_order(cards: tuple[int, ...], phoenix_rank: int) -> bool:
    """Tell whether cards go from high to low if the Phoenix stands for a rank."""
    ranks = [phoenix_rank if card == PHOENIX else rank_of(card) for card in cards]
    return ranks == sorted(ranks, reverse=True)
