"""Records written as BSW logs: what everybody could see of a round, and the deal.

A log keeps neither bombs that were not used nor what the Phoenix stands for, so a record that was
read from a log is the same after it was written and read again; one that was played here gets the
answers in its windows, and the moments of its calls, in the way that `replay` reads them.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from kibitz.core.errors import RecordError
from kibitz.core.game import Action, apply, movers
from kibitz.core.record import Record, replay
from kibitz.core.table import Table
from kibitz.games.tichu.bsw.log import (
    CARD_WORDS,
    EXCHANGE_HEADER,
    GRAND_HEADER,
    MAX_NAME,
    PLAY_HEADER,
    RANK_WORDS,
    START_HEADER,
    Doing,
    Event,
    LoggedRound,
    card_order,
)
from kibitz.games.tichu.cards import LOWEST_RANK, PASS, kind_of, low_bits, phoenix_of
from kibitz.games.tichu.combinations import NOTHING
from kibitz.games.tichu.plays import has_bomb
from kibitz.games.tichu.state import (
    DRAGON_TRICK,
    EXCHANGE,
    FULL,
    GRAND_CALLED,
    GRAND_CALLING,
    OVER,
    SEATS,
    STATE,
    TURN,
    WAITING,
    WISHING,
    is_exchanged,
)
from kibitz.games.tichu.words import members


def write_log(record: Record) -> str:
    """Write the rounds of a record that were finished; RecordError if it is none of this game."""
    table = replay(record)
    if table.state.dtype != STATE:
        raise RecordError(f"a log has rounds of tichu, not {record.game}")
    if table.state.variant != FULL:
        raise RecordError(f"a log has rounds of the full game, not {record.game}")
    names = [name[:MAX_NAME] for name in [*record.seats, *[""] * SEATS][:SEATS]]
    rounds = [format_round(logged) for logged in _log_rounds(table, names)]
    if not rounds:
        raise RecordError("no round of it was played to its end")
    return "".join(rounds)


def _log_rounds(played: Table, names: Sequence[str]) -> Iterator[LoggedRound]:
    """Play the rounds of a table again and note what a log tells of them."""
    table = Table(played.game, played.origin, plays_forced=False)
    state = table.state
    if state.phase != GRAND_CALLING:
        raise RecordError("a log begins with the first eight cards, this record does not")
    logged = _begin(state, names)
    for seat, action in played.actions:
        before = state.copy()
        apply(state, seat, action)
        _note(logged, before, state, action)
        if state.phase in (WAITING, OVER):
            logged.result = int(state.points[0]), int(state.points[1])
            yield logged
        if not movers(state):
            table.settle()
            if state.phase == GRAND_CALLING:
                logged = _begin(state, names)


def _begin(state: np.record, names: Sequence[str]) -> LoggedRound:
    """Note the deal."""
    return LoggedRound(
        line=0,
        names=list(names),
        first_cards=[members(int(cards)) for cards in state.hand],
        cards=[members(int(state.hand[seat] | state.stock[seat])) for seat in range(SEATS)],
    )


def _note(logged: LoggedRound, before: np.record, after: np.record, action: Action) -> None:
    """Note what an action did."""
    _note_calls(logged, before, after)
    if before.phase == EXCHANGE and after.phase != EXCHANGE:
        logged.gifts = [[int(card) - 1 for card in given] for given in after.given]
        logged.holders = {
            seat for seat in range(SEATS) if has_bomb(after.hand[seat], NOTHING, 0, 0, True)
        }
    events = logged.events
    lays = [seat for seat in range(SEATS) if after.played[seat] != before.played[seat]]
    for seat in lays:
        cards = members(int(after.played[seat] ^ before.played[seat]))
        cards.sort(key=lambda card: card_order(card, int(phoenix_of(action))))
        events.append(Event(0, Doing.PLAY, seat, tuple(cards)))
    if before.phase == WISHING and low_bits(action):
        events.append(Event(0, Doing.WISH, rank=int(low_bits(action))))
    if before.phase == DRAGON_TRICK:
        receiver = (int(before.holder) + int(low_bits(action))) % SEATS
        events.append(Event(0, Doing.DRAGON, receiver))
    if kind_of(action) == PASS and not lays:
        _note_pass(logged, before, after)


def _note_calls(logged: LoggedRound, before: np.record, after: np.record) -> None:
    """Note who has called: before the exchange, or among the lines of play."""
    for seat in range(SEATS):
        if after.call[seat] == before.call[seat]:
            continue
        if after.call[seat] == GRAND_CALLED:
            logged.grand.add(seat)
        elif is_exchanged(before):
            logged.events.append(Event(0, Doing.TICHU, seat))
        else:
            logged.early.add(seat)


def _note_pass(logged: LoggedRound, before: np.record, after: np.record) -> None:
    """Note a pass in turn, and that the holder takes the trick if he has cards left."""
    if before.phase == TURN:
        logged.events.append(Event(0, Doing.PASS, int(before.turn)))
    is_won = after.table_kind == NOTHING or after.phase == DRAGON_TRICK
    if is_won and not before.finished[before.holder]:
        logged.events.append(Event(0, Doing.PASS, int(before.holder)))


def format_round(logged: LoggedRound) -> str:
    """Write a round the way logs have it: card lists end with a space."""
    seats = [f"({seat}){_name(name)}" for seat, name in enumerate(logged.names)]
    lines = [GRAND_HEADER]
    lines += [f"{seats[seat]} {_cards(logged.first_cards[seat])}" for seat in range(SEATS)]
    lines.append(START_HEADER)
    lines += [f"{seats[seat]} {_cards(logged.cards[seat])}" for seat in range(SEATS)]
    lines += [f"Grosses Tichu: {seats[seat]}" for seat in sorted(logged.grand)]
    lines += [f"Tichu: {seats[seat]}" for seat in sorted(logged.early)]
    lines.append(EXCHANGE_HEADER)
    for seat, gifts in enumerate(logged.gifts):
        names = [_name(logged.names[(seat + step) % SEATS]) for step in (1, 2, 3)]
        given = [f"{name}: {CARD_WORDS[card]} - " for name, card in zip(names, gifts, strict=True)]
        lines.append(f"{seats[seat]} gibt: {''.join(given)}")
    if logged.holders:
        lines.append(f"BOMBE: {' '.join(seats[seat] for seat in sorted(logged.holders))} ")
    lines.append(PLAY_HEADER)
    lines += [_event_line(event, seats) for event in logged.events]
    lines.append(f"Ergebnis: {logged.result[0]} - {logged.result[1]}")
    return "".join(f"{line}\n" for line in lines)


def _event_line(event: Event, seats: Sequence[str]) -> str:
    if event.doing == Doing.PLAY:
        return f"{seats[event.seat]}: {''.join(f'{CARD_WORDS[card]} ' for card in event.cards)}"
    if event.doing == Doing.PASS:
        return f"{seats[event.seat]} passt."
    if event.doing == Doing.WISH:
        return f"Wunsch:{RANK_WORDS[event.rank - LOWEST_RANK]}"
    return f"{'Tichu' if event.doing == Doing.TICHU else 'Drache an'}: {seats[event.seat]}"


def _cards(cards: Sequence[int]) -> str:
    """Write a hand, high to low."""
    ordered = sorted(cards, key=lambda card: card_order(card, 0))
    return "".join(f"{CARD_WORDS[card]} " for card in ordered)


def _name(name: str) -> str:
    """Write a name: it must have no space and stay on its line."""
    return "".join("\xa0" if letter.isspace() else letter for letter in name)
