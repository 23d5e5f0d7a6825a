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

from kibitz.core.errors import PositionError, clip, suggestion
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
        facts = {"text": clip(values["phase"]), "words": list(phases)}
        raise PositionError(Message("nimmt.at-unknown-phase", facts))
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


def _split(text: str, players: int) -> dict[str, str]:
    """Split a line into its values; put in the usual ones for keys left out."""
    none, zeros = "/".join([NOTHING] * players), "/".join(["0"] * players)
    usual = {"round": "1", "turn": "0", "phase": "choose", "swept": NOTHING}
    usual |= {"chosen": none, "last": none, "taken": zeros, "total": zeros}
    given: dict[str, str] = {}
    for item in text.split():
        key, equals, value = item.partition("=")
        if not equals or not value:
            raise PositionError(Message("core.at-not-key-value", {"text": clip(item)}))
        if key not in KEYS:
            raise PositionError(
                Message("core.at-unknown-key", {"text": clip(key), "hint": suggestion(key, KEYS)})
            )
        if key in given:
            raise PositionError(Message("core.at-given-twice", {"key": key}))
        given[key] = value
    for key in ("rows", "hands"):
        if key not in given:
            raise PositionError(
                Message("nimmt.at-position-needs-got", {"key": key, "text": clip(text)})
            )
    return usual | given


def _parse_number(what: str, text: str, most: int) -> int:
    if not re.fullmatch(r"[0-9]{1,6}", text) or int(text) > most:
        raise PositionError(
            Message(
                "nimmt.at-expected-number-from",
                {"what": what, "text": clip(text)[1:-1], "most": most},
            )
        )
    return int(text)


def _parse_card(state: np.record, what: Message | str, text: str) -> int:
    highest = int(deck_size(state))
    if not re.fullmatch(r"[0-9]{1,3}", text) or not 1 <= int(text) <= highest:
        raise PositionError(
            Message(
                "nimmt.at-not-card-from", {"what": what, "text": clip(text), "highest": highest}
            )
        )
    return int(text)


def _parse_cards(state: np.record, what: Message | str, text: str, most: int) -> list[int]:
    """Read cards, which must ascend."""
    if text == NOTHING:
        return []
    cards = [_parse_card(state, what, word) for word in text.split(".")[: most + 1]]
    if len(cards) > most:
        raise PositionError(Message("nimmt.at-more-than-cards", {"what": what, "most": most}))
    for first, second in zip(cards, cards[1:], strict=False):
        if first >= second:
            raise PositionError(
                Message(
                    "nimmt.at-cards-must-ascend-but",
                    {"what": what, "second": second, "first": first},
                )
            )
    return cards


def _parse_table(values: dict[str, str], state: np.record) -> None:
    """Read the rows and the swept cards."""
    rows = values["rows"].split("/")
    if len(rows) != ROWS:
        raise PositionError(Message("nimmt.at-expected-rows-got", {"rows": ROWS, "got": len(rows)}))
    seen = _parse_cards(state, "swept", values["swept"], HIGHEST_CARD)
    for row, text in enumerate(rows):
        cards = _parse_cards(state, Message("nimmt.at-what-row", {"row": row + 1}), text, FULL_ROW)
        state.board[row, : len(cards)] = cards
        state.length[row] = len(cards)
        state.heads[row] = BULL_HEADS[cards].sum()
        seen += cards
    for card in seen:
        state.seen[card >> 6] |= np.uint64(1 << (card & 63))
    if len(_seen(state)) < len(seen):
        raise PositionError(Message("nimmt.at-card-table-twice", {"card": _twice(seen)}))


def _twice(cards: Sequence[int]) -> int:
    return next(card for card in cards if cards.count(card) > 1)


def _parse_seats(values: dict[str, str], state: np.record) -> None:
    """Read what belongs to seats."""
    players = int(state.players)
    lists = {key: values[key].split("/") for key in ("hands", "chosen", "last", "taken", "total")}
    for key, words in lists.items():
        if len(words) != players:
            raise PositionError(
                Message(
                    "nimmt.at-must-those-seats-got",
                    {"key": key, "players": players, "got": len(words)},
                )
            )
    for seat in range(players):
        hand = lists["hands"][seat]
        if hand == NOTHING and hand_size(state) > 0:
            raise PositionError(Message("nimmt.at-hand-seat-cards-hidden", {"seat": seat}))
        if hand != CONCEALED:
            cards = _parse_cards(
                state, Message("nimmt.at-what-hand", {"seat": seat}), hand, HAND_CARDS
            )
            state.hand[seat, : len(cards)] = cards
        elif state.hands != HIDDEN or hand_size(state) == 0:
            raise PositionError(Message("nimmt.at-hand-seat-cannot-hidden", {"seat": seat}))
        for key, field in (("chosen", state.chosen), ("last", state.last)):
            word = lists[key][seat]
            if word == CONCEALED and key == "chosen":
                field[seat] = UNKNOWN
            elif word != NOTHING:
                field[seat] = _parse_card(
                    state, Message("nimmt.at-what-seat", {"key": key, "seat": seat}), word
                )
        for key, field in (("taken", state.taken), ("total", state.total)):
            field[seat] = _parse_number(key, lists[key][seat], ALL_HEADS)


def _check_progress(state: np.record) -> None:
    """Check that round, turn and phase go together, and with the number of cards seen."""
    phase, turn, players = int(state.phase), int(state.turn), int(state.players)
    word = PHASES[phase]
    undealt = phase == WAITING and state.rounds == 0
    if phase == TAKING and state.rows != FREE:
        raise PositionError(Message("nimmt.at-phase-take-rows-lowest"))
    if phase == DRAFTING and not state.draft:
        raise PositionError(Message("nimmt.at-phase-draft-game-no"))
    if phase == WAITING and state.match != MATCH and not undealt:
        raise PositionError(Message("nimmt.at-phase-wait-game-one"))
    if (state.rounds == 0) != undealt or (state.match != MATCH and state.rounds > 1):
        raise PositionError(
            Message("nimmt.at-round-cannot-phase", {"rounds": state.rounds, "word": word})
        )
    expected = {WAITING: 0 if undealt else HAND_CARDS, OVER: HAND_CARDS, DRAFTING: 0}
    if turn != expected.get(phase, min(turn, HAND_CARDS - 1)):
        raise PositionError(Message("nimmt.at-turn-cannot-phase", {"turn": turn, "word": word}))
    n_seen = 0 if undealt or phase == DRAFTING else ROWS + players * turn
    if len(_seen(state)) != n_seen:
        raise PositionError(
            Message(
                "nimmt.at-rows-swept-must-hold",
                {"n_seen": n_seen, "word": word, "turn": turn, "got": len(_seen(state))},
            )
        )
    if n_seen and not state.length.all():
        raise PositionError(Message("nimmt.at-every-row-needs-card"))
    seats_without = sum(card == 0 for card in state.last[:players])
    if seats_without != (players if turn == 0 else 0):
        code = "nimmt.at-last-cards" if turn else "nimmt.at-last-empty"
        raise PositionError(Message(code, {"turn": turn}))


def _check_hands(state: np.record) -> None:
    """Check how many cards every hand has, and which hands are hidden."""
    players = int(state.players)
    sizes = [int(np.count_nonzero(state.hand[seat])) for seat in range(players)]
    expected = [int(hand_size(state))] * players
    if state.phase == DRAFTING:
        n_picked = sum(sizes)
        expected = [(n_picked + players - 1 - seat) // players for seat in range(players)]
        if n_picked >= HAND_CARDS * players:
            raise PositionError(Message("nimmt.at-phase-draft-all-hands"))
    hidden = [seat for seat in range(players) if _is_concealed(state, seat)]
    for seat in range(players):
        if seat not in hidden and sizes[seat] != expected[seat]:
            needed, size = expected[seat], sizes[seat]
            raise PositionError(
                Message(
                    "nimmt.at-hand-seat-must-cards", {"seat": seat, "needed": needed, "size": size}
                )
            )
    if len(hidden) not in (0, players - 1, players):
        raise PositionError(Message("nimmt.at-view-shows-all-hands"))


def _check_choices(state: np.record) -> None:
    """Check the cards of the present turn."""
    players = int(state.players)
    chosen = [int(card) for card in state.chosen[:players]]
    if state.phase == TAKING:
        if min(chosen) <= 0:
            raise PositionError(Message("nimmt.at-phase-take-all-seats"))
        if min(chosen) > min(row_end(state, row) for row in range(ROWS)):
            raise PositionError(Message("nimmt.at-phase-take-no-card"))
        return
    if 0 not in chosen:
        raise PositionError(Message("nimmt.at-phase-choose-somebody-must"))
    for seat, card in enumerate(chosen):
        concealed = _is_concealed(state, seat)
        if card > 0 and (concealed or card not in state.hand[seat]):
            raise PositionError(
                Message("nimmt.at-seat-chosen-but-its", {"seat": seat, "card": card})
            )
        if card == UNKNOWN and state.hands == HIDDEN and not concealed:
            raise PositionError(Message("nimmt.at-seat-shows-its-hand", {"seat": seat}))
    if UNKNOWN in chosen and sum(card > 0 for card in chosen) > 1:
        raise PositionError(Message("nimmt.at-view-shows-choice-one"))


def _check_cards(state: np.record) -> None:
    """Check that no card is in two places, and that there are no others than can be."""
    held = [card for seat in range(int(state.players)) for card in _cards(state.hand[seat])]
    revealed = _cards(state.chosen) if state.phase == TAKING else []
    cards = _seen(state) + held + revealed
    if len(set(cards)) < len(cards):
        raise PositionError(Message("nimmt.at-card-two-places", {"card": _twice(cards)}))
    last = _cards(state.last)
    if len(set(last)) < len(last):
        raise PositionError(Message("nimmt.at-card-was-played-twice", {"card": _twice(last)}))
    for card in last:
        if card not in _seen(state):
            raise PositionError(Message("nimmt.at-card-last-turn-neither", {"card": card}))
    if state.phase not in (CHOOSING, TAKING) and state.chosen.any():
        raise PositionError(
            Message("nimmt.at-nothing-can-chosen-phase", {"phase": PHASES[int(state.phase)]})
        )


def _check_heads(state: np.record) -> None:
    """Check heads against the cards swept, the rounds played and the end of a match."""
    players = int(state.players)
    on_rows = {card for row in _rows(state) for card in row}
    swept = int(sum(BULL_HEADS[card] for card in _seen(state) if card not in on_rows))
    taken, total = state.taken.astype(int), state.total.astype(int)
    if taken.sum() != swept:
        raise PositionError(
            Message("nimmt.at-taken-adds-up-heads", {"taken": taken.sum(), "swept": swept})
        )
    earlier = max(int(state.rounds) - 1, 0)
    if not earlier <= total.sum() <= earlier * ALL_HEADS:
        raise PositionError(
            Message("nimmt.at-total-adds-up-heads", {"total": total.sum(), "earlier": earlier})
        )
    if total.max() >= MATCH_HEADS:
        raise PositionError(
            Message(
                "nimmt.at-match-over-heads-total",
                {"match_heads": MATCH_HEADS, "total": total.max()},
            )
        )
    most = int((taken + total)[:players].max())
    if state.phase == WAITING and most >= MATCH_HEADS:
        raise PositionError(Message("nimmt.at-phase-wait-match-over", {"most": most}))
    if state.phase == OVER and state.match == MATCH and most < MATCH_HEADS:
        raise PositionError(
            Message("nimmt.at-phase-over-nobody-heads", {"match_heads": MATCH_HEADS})
        )


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
