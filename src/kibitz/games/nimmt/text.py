"""6 nimmt! as text: positions and actions; board.py draws the table.

A position is a line of `key=value`. Seats and rows are separated by `/`, cards by `.`, `-` is
nothing and `?` is hidden; `swept` lists the cards of this round that are on the table no more:

    round=1 turn=2 phase=choose rows=12.15/33/47.60.61/88 hands=1.5.9.20.21.22.23.24/? chosen=-/?
    last=60/61 taken=0/0 total=0/0 swept=-

Keys that have their usual value may be left out: the first turn of the first round, with nothing
chosen, taken or swept.
"""

import re
from collections.abc import Iterable, Sequence

import numpy as np

from kibitz.core.errors import PositionError, clip, nearest
from kibitz.core.game import Action, Seat
from kibitz.core.messages import Message
from kibitz.games.nimmt import ALL_HEADS, MATCH_HEADS
from kibitz.games.nimmt.board import render
from kibitz.games.nimmt.merits import merits
from kibitz.games.nimmt.people import guide, outcome, tell
from kibitz.games.nimmt.state import (
    BULL_HEADS,
    CHOOSING,
    DRAFTING,
    FIRST_ROW_ACTION,
    FREE,
    FULL_ROW,
    HAND_CARDS,
    HIDDEN,
    HIGHEST_CARD,
    MATCH,
    OVER,
    ROWS,
    TAKING,
    UNKNOWN,
    WAITING,
    deck_size,
    hand_size,
    row_end,
)

PHASES = {WAITING: "wait", CHOOSING: "choose", TAKING: "take", DRAFTING: "draft", OVER: "over"}
KEYS = ("round", "turn", "phase", "rows", "hands", "chosen", "last", "taken", "total", "swept")
NOTHING = "-"
CONCEALED = "?"

__all__ = [
    "explain",
    "format_action",
    "format_position",
    "guide",
    "merits",
    "outcome",
    "parse_action",
    "parse_position",
    "render",
    "tell",
]


def format_position(state: np.record) -> str:
    """Write a state or a view as one line."""
    seats = range(int(state.players))
    on_rows = {card for row in _rows(state) for card in row}
    values = (
        str(state.rounds),
        str(state.turn),
        PHASES[int(state.phase)],
        "/".join(_write_cards(row) for row in _rows(state)),
        "/".join(_write_hand(state, seat) for seat in seats),
        "/".join(_write_choice(state.chosen[seat]) for seat in seats),
        "/".join(_write_choice(state.last[seat]) for seat in seats),
        "/".join(str(state.taken[seat]) for seat in seats),
        "/".join(str(state.total[seat]) for seat in seats),
        _write_cards(card for card in _seen(state) if card not in on_rows),
    )
    return " ".join(f"{key}={value}" for key, value in zip(KEYS, values, strict=True))


def _cards(cells: Iterable[int]) -> list[int]:
    return [int(card) for card in cells if card]


def _rows(state: np.record) -> list[list[int]]:
    return [_cards(state.board[row]) for row in range(ROWS)]


def _seen(state: np.record) -> list[int]:
    words = [int(word) for word in state.seen]
    return [card for card in range(1, HIGHEST_CARD + 1) if words[card >> 6] >> (card & 63) & 1]


def _is_concealed(state: np.record, seat: Seat) -> bool:
    return bool(hand_size(state) > 0 and state.hand[seat, 0] == 0)


def _write_cards(cards: Iterable[int]) -> str:
    return ".".join(map(str, cards)) or NOTHING


def _write_hand(state: np.record, seat: Seat) -> str:
    return CONCEALED if _is_concealed(state, seat) else _write_cards(_cards(state.hand[seat]))


def _write_choice(card: int) -> str:
    return {0: NOTHING, UNKNOWN: CONCEALED}.get(int(card), str(card))


def parse_position(text: str, state: np.record) -> None:
    """Fill a blank state, whose options are set, from a line of text.

    Raises:
        PositionError: something in the line is malformed, contradictory or impossible.
    """
    values = _split(text, int(state.players))
    phases = {word: phase for phase, word in PHASES.items()}
    if values["phase"] not in phases:
        raise PositionError(f"unknown phase {clip(values['phase'])}: {_one_of(phases)}")
    state.phase = phases[values["phase"]]
    state.rounds = _parse_number("round", values["round"], 65 * int(state.players) + 1)
    state.turn = _parse_number("turn", values["turn"], HAND_CARDS)
    _parse_table(values, state)
    _parse_seats(values, state)
    _check_progress(state)
    _check_hands(state)
    if state.phase in (CHOOSING, TAKING):
        _check_choices(state)
    _check_cards(state)
    _check_heads(state)
    state.deciding = _deciding(state)


def _one_of(words: Iterable[str]) -> str:
    return "expected " + ", ".join(words)


def _split(text: str, players: int) -> dict[str, str]:
    """Split a line into its values; put in the usual ones for keys left out."""
    none, zeros = "/".join([NOTHING] * players), "/".join(["0"] * players)
    usual = {"round": "1", "turn": "0", "phase": "choose", "swept": NOTHING}
    usual |= {"chosen": none, "last": none, "taken": zeros, "total": zeros}
    given: dict[str, str] = {}
    for item in text.split():
        key, equals, value = item.partition("=")
        if not equals or not value:
            raise PositionError(f"{clip(item)} is not key=value")
        if key not in KEYS:
            raise PositionError(f"unknown key {clip(key)}: {nearest(key, KEYS)}")
        if key in given:
            raise PositionError(f"{key} is given twice")
        given[key] = value
    for key in ("rows", "hands"):
        if key not in given:
            raise PositionError(f"a position needs {key}=..., got {clip(text)}")
    return usual | given


def _parse_number(what: str, text: str, most: int) -> int:
    if not re.fullmatch(r"[0-9]{1,6}", text) or int(text) > most:
        raise PositionError(f"{what}={clip(text)[1:-1]}: expected a number from 0 to {most}")
    return int(text)


def _parse_card(state: np.record, what: str, text: str) -> int:
    highest = int(deck_size(state))
    if not re.fullmatch(r"[0-9]{1,3}", text) or not 1 <= int(text) <= highest:
        raise PositionError(f"{what}: {clip(text)} is not a card from 1 to {highest}")
    return int(text)


def _parse_cards(state: np.record, what: str, text: str, most: int) -> list[int]:
    """Read cards, which must ascend."""
    if text == NOTHING:
        return []
    cards = [_parse_card(state, what, word) for word in text.split(".")[: most + 1]]
    if len(cards) > most:
        raise PositionError(f"{what} has more than {most} cards")
    for first, second in zip(cards, cards[1:], strict=False):
        if first >= second:
            raise PositionError(f"{what}: cards must ascend, but {second} follows {first}")
    return cards


def _parse_table(values: dict[str, str], state: np.record) -> None:
    """Read the rows and the swept cards."""
    rows = values["rows"].split("/")
    if len(rows) != ROWS:
        raise PositionError(f"expected {ROWS} rows, got {len(rows)}")
    seen = _parse_cards(state, "swept", values["swept"], HIGHEST_CARD)
    for row, text in enumerate(rows):
        cards = _parse_cards(state, f"row {row + 1}", text, FULL_ROW)
        state.board[row, : len(cards)] = cards
        state.length[row] = len(cards)
        state.heads[row] = BULL_HEADS[cards].sum()
        seen += cards
    for card in seen:
        state.seen[card >> 6] |= np.uint64(1 << (card & 63))
    if len(_seen(state)) < len(seen):
        raise PositionError(f"card {_twice(seen)} is on the table twice")


def _twice(cards: Sequence[int]) -> int:
    return next(card for card in cards if cards.count(card) > 1)


def _parse_seats(values: dict[str, str], state: np.record) -> None:
    """Read what belongs to seats."""
    players = int(state.players)
    lists = {key: values[key].split("/") for key in ("hands", "chosen", "last", "taken", "total")}
    for key, words in lists.items():
        if len(words) != players:
            raise PositionError(f"{key} must be those of {players} seats, got {len(words)}")
    for seat in range(players):
        hand = lists["hands"][seat]
        if hand == NOTHING and hand_size(state) > 0:
            raise PositionError(f"the hand of seat {seat} has cards here; a hidden one is '?'")
        if hand != CONCEALED:
            cards = _parse_cards(state, f"hand of seat {seat}", hand, HAND_CARDS)
            state.hand[seat, : len(cards)] = cards
        elif state.hands != HIDDEN or hand_size(state) == 0:
            raise PositionError(f"the hand of seat {seat} cannot be hidden here")
        for key, field in (("chosen", state.chosen), ("last", state.last)):
            word = lists[key][seat]
            if word == CONCEALED and key == "chosen":
                field[seat] = UNKNOWN
            elif word != NOTHING:
                field[seat] = _parse_card(state, f"{key} of seat {seat}", word)
        for key, field in (("taken", state.taken), ("total", state.total)):
            field[seat] = _parse_number(key, lists[key][seat], ALL_HEADS)


def _check_progress(state: np.record) -> None:
    """Check that round, turn and phase go together, and with the number of cards seen."""
    phase, turn, players = int(state.phase), int(state.turn), int(state.players)
    word = PHASES[phase]
    undealt = phase == WAITING and state.rounds == 0
    if phase == TAKING and state.rows != FREE:
        raise PositionError("phase=take: with rows=lowest nobody chooses a row")
    if phase == DRAFTING and not state.draft:
        raise PositionError("phase=draft: this game has no draft")
    if phase == WAITING and state.match != MATCH and not undealt:
        raise PositionError("phase=wait: a game of one round is over after it")
    if (state.rounds == 0) != undealt or (state.match != MATCH and state.rounds > 1):
        raise PositionError(f"round={state.rounds} cannot be with phase={word}")
    expected = {WAITING: 0 if undealt else HAND_CARDS, OVER: HAND_CARDS, DRAFTING: 0}
    if turn != expected.get(phase, min(turn, HAND_CARDS - 1)):
        raise PositionError(f"turn={turn} cannot be with phase={word}")
    n_seen = 0 if undealt or phase == DRAFTING else ROWS + players * turn
    if len(_seen(state)) != n_seen:
        raise PositionError(
            f"rows and swept must hold {n_seen} cards with phase={word} turn={turn}, "
            f"got {len(_seen(state))}"
        )
    if n_seen and not state.length.all():
        raise PositionError("every row needs a card")
    seats_without = sum(card == 0 for card in state.last[:players])
    if seats_without != (players if turn == 0 else 0):
        raise PositionError(f"last must be {'cards' if turn else 'empty'} with turn={turn}")


def _check_hands(state: np.record) -> None:
    """Check how many cards every hand has, and which hands are hidden."""
    players = int(state.players)
    sizes = [int(np.count_nonzero(state.hand[seat])) for seat in range(players)]
    expected = [int(hand_size(state))] * players
    if state.phase == DRAFTING:
        n_picked = sum(sizes)
        expected = [(n_picked + players - 1 - seat) // players for seat in range(players)]
        if n_picked >= HAND_CARDS * players:
            raise PositionError("phase=draft: all hands are full")
    hidden = [seat for seat in range(players) if _is_concealed(state, seat)]
    for seat in range(players):
        if seat not in hidden and sizes[seat] != expected[seat]:
            raise PositionError(
                f"the hand of seat {seat} must have {expected[seat]} cards here, got {sizes[seat]}"
            )
    if len(hidden) not in (0, players - 1, players):
        raise PositionError("a view shows all hands, one hand or none")


def _check_choices(state: np.record) -> None:
    """Check the cards of the present turn."""
    players = int(state.players)
    chosen = [int(card) for card in state.chosen[:players]]
    if state.phase == TAKING:
        if min(chosen) <= 0:
            raise PositionError("phase=take: all seats must have revealed their cards")
        if min(chosen) > min(row_end(state, row) for row in range(ROWS)):
            raise PositionError("phase=take: no card is below all rows")
        return
    if 0 not in chosen:
        raise PositionError("phase=choose: somebody must have to choose")
    for seat, card in enumerate(chosen):
        concealed = _is_concealed(state, seat)
        if card > 0 and (concealed or card not in state.hand[seat]):
            raise PositionError(f"seat {seat} has chosen {card}, but its hand does not show it")
        if card == UNKNOWN and state.hands == HIDDEN and not concealed:
            raise PositionError(f"seat {seat} shows its hand, but not what it has chosen")
    if UNKNOWN in chosen and sum(card > 0 for card in chosen) > 1:
        raise PositionError("a view shows the choice of one seat only")


def _check_cards(state: np.record) -> None:
    """Check that no card is in two places, and that there are no others than can be."""
    held = [card for seat in range(int(state.players)) for card in _cards(state.hand[seat])]
    revealed = _cards(state.chosen) if state.phase == TAKING else []
    cards = _seen(state) + held + revealed
    if len(set(cards)) < len(cards):
        raise PositionError(f"card {_twice(cards)} is in two places")
    last = _cards(state.last)
    if len(set(last)) < len(last):
        raise PositionError(f"card {_twice(last)} was played twice in the last turn")
    for card in last:
        if card not in _seen(state):
            raise PositionError(f"card {card} of the last turn is neither on a row nor swept")
    if state.phase not in (CHOOSING, TAKING) and state.chosen.any():
        raise PositionError(f"nothing can be chosen with phase={PHASES[int(state.phase)]}")


def _check_heads(state: np.record) -> None:
    """Check heads against the cards swept, the rounds played and the end of a match."""
    players = int(state.players)
    on_rows = {card for row in _rows(state) for card in row}
    swept = int(sum(BULL_HEADS[card] for card in _seen(state) if card not in on_rows))
    taken, total = state.taken.astype(int), state.total.astype(int)
    if taken.sum() != swept:
        raise PositionError(f"taken adds up to {taken.sum()} heads, the swept cards have {swept}")
    earlier = max(int(state.rounds) - 1, 0)
    if not earlier <= total.sum() <= earlier * ALL_HEADS:
        raise PositionError(f"total adds up to {total.sum()} heads after {earlier} rounds")
    if total.max() >= MATCH_HEADS:
        raise PositionError(f"a match is over at {MATCH_HEADS} heads, total has {total.max()}")
    most = int((taken + total)[:players].max())
    if state.phase == WAITING and most >= MATCH_HEADS:
        raise PositionError(f"phase=wait: the match is over, somebody has {most} heads")
    if state.phase == OVER and state.match == MATCH and most < MATCH_HEADS:
        raise PositionError(f"phase=over: nobody has {MATCH_HEADS} heads")


def _deciding(state: np.record) -> int:
    """Find the seats that must act, as a bit mask."""
    players = int(state.players)
    if state.phase == CHOOSING:
        return sum(1 << seat for seat in range(players) if state.chosen[seat] == 0)
    if state.phase == TAKING:
        return 1 << int(np.argmin(state.chosen[:players]))
    if state.phase == DRAFTING:
        return 1 << int(np.count_nonzero(state.hand)) % players
    return 0


def format_action(state: np.record, seat: Seat, action: Action) -> str:
    """Write a card as its number, a row as `row 1`."""
    return str(action) if action < FIRST_ROW_ACTION else f"row {action - FIRST_ROW_ACTION + 1}"


def parse_action(state: np.record, seat: Seat, text: str) -> Action:
    """Read a card, or a row (`row 1`, `r1`); PositionError if it is neither."""
    found = re.fullmatch(r"(?:row|r) ?([1-4])", text.strip().lower())
    if found:
        return FIRST_ROW_ACTION - 1 + int(found[1])
    if not re.fullmatch(r"[0-9]{1,3}", text) or not 1 <= int(text) <= HIGHEST_CARD:
        raise PositionError(Message("nimmt.not-an-action", {"text": clip(text)}))
    return int(text)


def explain(state: np.record, seat: Seat, action: Action) -> Message:
    """Say why an action is refused."""
    is_row = FIRST_ROW_ACTION <= action < FIRST_ROW_ACTION + ROWS
    if not is_row and not 1 <= action <= HIGHEST_CARD:
        return Message("nimmt.no-action", {"action": int(action)})
    if state.phase == TAKING:
        return Message("nimmt.must-take")
    if is_row:
        return Message("nimmt.no-row-now")
    card = {"card": int(action)}
    if state.phase == DRAFTING:
        if action > deck_size(state):
            return Message("nimmt.not-in-deck", {**card, "highest": int(deck_size(state))})
        return Message("nimmt.picked", card)
    if state.chosen[seat] != 0:
        return Message("nimmt.chosen")
    return Message("nimmt.not-held", card)
