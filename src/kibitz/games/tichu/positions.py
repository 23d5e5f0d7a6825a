"""Positions of Tichu as one line of `key=value` words; checks.py finds out whether they can be.

Seats are separated by `/`, cards by `.`, `-` is nothing and `?` is hidden:

    round=1 phase=play turn=1 hands=?/5G.5B.Dr/?/? played=Ma/-/-/- laid=Ma/-/-/- table=Ma wish=8 ...

Keys that have their usual value, nothing or zero, are left out. The Phoenix on the table shows what
it stands for, `Ph=8`; alone it shows what it was laid on, `Ph>8`, and where it was led, nothing.
"""

import re
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from kibitz.core.errors import PositionError, clip
from kibitz.core.lines import (
    HIDDEN,
    NONE,
    Words,
    read_choice,
    read_number,
    read_numbers,
    told,
)
from kibitz.core.messages import Message
from kibitz.games.tichu import cards as codes
from kibitz.games.tichu.cards import (
    CALL,
    GRAND,
    MAH_JONG_BIT,
    NO_GRAND,
    NO_TICHU,
    PHOENIX_BIT,
    TICHU,
    cards_of,
    kind_of,
    low_bits,
    other_action,
    phoenix_of,
    play_action,
)
from kibitz.games.tichu.checks import check_position, deciding_seats, is_hidden
from kibitz.games.tichu.combinations import (
    BOMB,
    DRAGON_HEIGHT,
    FULL_HOUSE,
    NOTHING,
    PAIR,
    SINGLE,
    STEPS,
    STRAIGHT,
    TRIO,
    classify,
)
from kibitz.games.tichu.state import (
    CALLING,
    DRAGON_TRICK,
    EXCHANGE,
    GRAND_CALLED,
    GRAND_CALLING,
    HAND_CARDS,
    MAX_DENIALS,
    OVER,
    SEATS,
    TICHU_CALLED,
    TURN,
    UNKNOWN,
    WAITING,
    WINDOW,
    WISHING,
    flushes,
)
from kibitz.games.tichu.wishes import MAX_FORGOTTEN
from kibitz.games.tichu.words import (
    CARD_WORDS,
    cards_text,
    parse_card,
    rank_word,
    read_rank,
    set_of,
)

PHASES = {
    WAITING: "wait",
    GRAND_CALLING: "grand",
    CALLING: "call",
    EXCHANGE: "exchange",
    TURN: "play",
    WISHING: "wish",
    WINDOW: "window",
    DRAGON_TRICK: "dragon",
    OVER: "over",
}
CALLED = {0: "-", TICHU_CALLED: "tichu", GRAND_CALLED: "grand"}
ANSWERS = {NO_GRAND: "no-grand", GRAND: "grand", NO_TICHU: "no-tichu", TICHU: "tichu"}
KINDS = {
    SINGLE: "single",
    PAIR: "pair",
    TRIO: "trio",
    FULL_HOUSE: "full-house",
    STRAIGHT: "straight",
    STEPS: "steps",
    BOMB: "bomb",
}
OPENERS = {0: NONE, **{seat + 1: f"seat{seat}" for seat in range(SEATS)}}

MAX_POINTS = 999_999
"""Points beyond this are refused: no match of a thousand rounds comes near."""

KEYS = (
    *("round", "phase", "turn", "hands", "stock", "played", "laid", "table", "holder", "opener"),
    *(
        "pending",
        "calls",
        "given",
        "wish",
        "wished",
        "lacking",
        "denials",
        "forgotten",
        "trick",
        "won",
        "tricks",
        "out",
    ),
    *("laid-kinds", "passed", "total", "points", "misfits"),
)


def format_position(state: np.record) -> str:
    """Write a state or a view as one line."""
    values = {
        "round": str(state.dealt),
        "phase": PHASES[int(state.phase)],
        "turn": str(state.turn),
        "hands": _by_seat(lambda seat: _write_hand(state, seat)),
        "stock": _by_seat(lambda seat: _write_stock(state, seat)),
        "played": _by_seat(lambda seat: _write_cards(state.played[seat])),
        "laid": _by_seat(lambda seat: _write_cards(state.laid[seat])),
        "table": _write_table(state),
        "holder": str(state.holder),
        "opener": OPENERS[int(state.opener)],
        "pending": _by_seat(lambda seat: _write_answer(int(state.pending[seat]))),
        "calls": _by_seat(lambda seat: CALLED[int(state.call[seat])]),
        "given": _by_seat(lambda seat: _write_given(state.given[seat])),
        "wish": _write_rank(state.wish),
        "wished": _write_rank(state.wished),
        "lacking": _by_seat(lambda seat: _write_rank(state.wished * (state.lacking >> seat & 1))),
        "denials": ";".join(_write_denial(state, i) for i in range(state.n_denials)) or NONE,
        "forgotten": str(state.forgotten),
        "trick": str(state.trick),
        "won": _numbers(state.won),
        "tricks": _numbers(state.tricks),
        "out": _numbers(state.finished),
        "laid-kinds": _numbers(state.n_laid, "."),
        "passed": _by_seat(lambda seat: _write_heights(state.passed[seat])),
        "total": _numbers(state.total),
        "points": _numbers(state.points),
        "misfits": str(state.misfits),
    }
    shown = (key for key in KEYS if key == "phase" or not _is_usual(values[key]))
    return " ".join(f"{key}={values[key]}" for key in shown)


def _is_usual(value: str) -> bool:
    """Whether a value is nothing and zeros only."""
    return not value.strip("-/.0")


def _by_seat(write: Callable[[int], str]) -> str:
    return "/".join(write(seat) for seat in range(SEATS))


def _numbers(values: Iterable[int], between: str = "/") -> str:
    return between.join(str(int(value)) for value in values)


def _write_heights(heights: Sequence[int]) -> str:
    return _numbers(heights, ".") if any(heights) else NONE


def _write_cards(cards: int) -> str:
    return cards_text(int(cards), between=".") or NONE


def _write_rank(rank: int) -> str:
    return rank_word(int(rank)) if rank else NONE


def _write_hand(state: np.record, seat: int) -> str:
    return HIDDEN if is_hidden(state, seat) else _write_cards(state.hand[seat])


def _write_stock(state: np.record, seat: int) -> str:
    is_hidden = state.phase == GRAND_CALLING and state.stock[seat] == 0
    return HIDDEN if is_hidden else _write_cards(state.stock[seat])


def _write_table(state: np.record) -> str:
    if state.table == PHOENIX_BIT:
        below = int(state.table_height) // 2
        return f"Ph>{rank_word(below)}" if below > 1 else "Ph"
    return cards_text(int(state.table), int(state.table_phoenix), between=".") or NONE


def _write_answer(action: int) -> str:
    """Write an answer that waits: to a question for a call, or to a window for bombs."""
    if action == 0:
        return NONE
    if action == UNKNOWN:
        return HIDDEN
    if kind_of(action) == CALL:
        return ANSWERS[int(low_bits(action))]
    if kind_of(action) == codes.PASS:
        return "pass"
    return cards_text(int(cards_of(action)), int(phoenix_of(action)), between=".")


def _write_given(given: Sequence[int]) -> str:
    if not any(given):
        return NONE
    special = {0: NONE, UNKNOWN: HIDDEN}
    return ".".join(special.get(int(card)) or CARD_WORDS[int(card) - 1] for card in given)


def _write_denial(state: np.record, i: int) -> str:
    kind = KINDS[int(state.denial_kind[i])]
    facts = (state.denial_seat[i], kind, state.denial_length[i], state.denial_height[i])
    return ",".join((*map(str, facts), _write_cards(state.denial_played[i])))


def parse_position(text: str, state: np.record) -> None:
    """Fill a blank state, whose options are set, from a line of text.

    Raises:
        PositionError: something in the line is malformed, contradictory or impossible.
    """
    words = Words(text, KEYS, SEATS)
    state.phase = words.choice("phase", PHASES)
    state.dealt = words.number("round", 0, 1000)
    state.turn = words.number("turn", 0, SEATS - 1)
    state.holder = words.number("holder", 0, SEATS - 1)
    for key, cards in (("hands", state.hand), ("stock", state.stock)):
        cards[:] = words.seats(key, lambda word: 0 if word == HIDDEN else _read_cards(word))
    for key, cards in (("played", state.played), ("laid", state.laid)):
        cards[:] = words.seats(key, _read_cards)
    _read_table(words.word("table"), state)
    state.opener = words.choice("opener", OPENERS)
    state.pending[:] = words.seats("pending", _read_answer)
    state.call[:] = words.seats("calls", lambda word: read_choice(word, CALLED))
    state.given[:] = words.seats("given", _read_given)
    _read_wish(words, state)
    state.trick = words.number("trick", -25, 125)
    state.won[:] = words.numbers("won", SEATS, -25, 125)
    state.tricks[:] = words.numbers("tricks", SEATS, 0, 56)
    state.finished[:] = words.numbers("out", SEATS, 0, SEATS)
    state.n_laid[:] = words.numbers("laid-kinds", len(state.n_laid), 0, 56, ".")
    n_kinds = state.passed.shape[1]
    state.passed[:] = words.seats("passed", lambda word: _read_heights(word, n_kinds))
    state.total[:] = words.numbers("total", 2, -MAX_POINTS, MAX_POINTS)
    state.points[:] = words.numbers("points", 2, -MAX_POINTS, MAX_POINTS)
    state.misfits = words.number("misfits", 0, MAX_DENIALS + MAX_FORGOTTEN)
    _check_hidden(words, state)
    _find_opener(state)
    check_position(state)
    state.deciding = deciding_seats(state)


def _find_opener(state: np.record) -> None:
    """Note who began if that is left out but can be seen: who still holds the Mah Jong."""
    if state.opener == 0 and state.phase in (TURN, WINDOW, DRAGON_TRICK):
        for seat in range(SEATS):
            if state.hand[seat] & MAH_JONG_BIT:
                state.opener = seat + 1


def _read_heights(word: str, n: int) -> list[int]:
    return [0] * n if word == NONE else read_numbers(word, n, 0, DRAGON_HEIGHT, ".")


def _read_cards(word: str) -> int:
    """Read a set of cards."""
    if word == NONE:
        return 0
    cards = [parse_card(name) for name in word.split(".")[: HAND_CARDS + 1]]
    if len(cards) > HAND_CARDS:
        raise PositionError(Message("tichu.at-more-than-cards-one", {"hand_cards": HAND_CARDS}))
    for card in cards:
        if cards.count(card) > 1:
            raise PositionError(Message("tichu.at-twice", {"card": CARD_WORDS[card]}))
    return set_of(cards)


def _read_play(word: str) -> tuple[int, int]:
    """Read cards with what the Phoenix stands for: the set, and a rank or 0."""
    shown = re.search(r"(?<![A-Za-z0-9])Ph=([2-9TJQKA])(?![A-Za-z0-9])", word)
    if shown is None:
        return _read_cards(word), 0
    return _read_cards(word.replace(shown[0], "Ph", 1)), read_rank(shown[1]) or 0


def _read_table(word: str, state: np.record) -> None:
    """Read what lies on the table; what it is follows from the cards."""
    laid_on = re.fullmatch(r"Ph>([2-9TJQKA])", word)
    with told("table"):
        cards, phoenix_rank = (int(PHOENIX_BIT), 0) if laid_on else _read_play(word)
    if not cards:
        return
    below = 2 * (read_rank(laid_on[1]) or 0) if laid_on else 0
    found = classify(np.uint64(cards), phoenix_rank, below, flushes(state))
    if found[0] == NOTHING:
        raise PositionError(Message("tichu.at-table-no-combination", {"text": clip(word)}))
    state.table, state.table_phoenix = cards, phoenix_rank
    state.table_kind, state.table_length, state.table_height = found


def _read_answer(word: str) -> int:
    """Read an answer that waits."""
    if word == NONE:
        return 0
    if word == HIDDEN:
        return UNKNOWN
    if word == "pass":
        return int(other_action(codes.PASS, 0))
    for answer, known in ANSWERS.items():
        if word == known:
            return int(other_action(CALL, answer))
    cards, phoenix_rank = _read_play(word)
    return int(play_action(np.uint64(cards), phoenix_rank))


def _read_given(word: str) -> list[int]:
    """Read the cards given to the right, to the partner and to the left, each plus one."""
    if word == NONE:
        return [0, 0, 0]
    words = word.split(".")
    if len(words) != 3:
        raise PositionError(Message("tichu.at-expected-three-cards-got", {"text": clip(word)}))
    special = {NONE: 0, HIDDEN: UNKNOWN}
    return [special[name] if name in special else parse_card(name) + 1 for name in words]


def _read_rank(word: str) -> int:
    rank = 0 if word == NONE else read_rank(word)
    if rank is None:
        raise PositionError(Message("tichu.at-not-rank-from", {"text": clip(word)}))
    return rank


def _read_wish(words: Words, state: np.record) -> None:
    """Read the wish and what turns without it have shown."""
    for key in ("wish", "wished"):
        with told(key):
            state[key] = _read_rank(words.word(key))
    for seat, rank in enumerate(words.seats("lacking", _read_rank)):
        if rank not in (0, state.wished):
            raise PositionError(Message("tichu.at-lacking-seats-can-lack"))
        state.lacking |= (rank != 0) << seat
    denials = [] if words.word("denials") == NONE else words.word("denials").split(";")
    if len(denials) > MAX_DENIALS:
        raise PositionError(Message("tichu.at-denials-more-than", {"max_denials": MAX_DENIALS}))
    state.n_denials = len(denials)
    state.forgotten = words.number("forgotten", 0, MAX_FORGOTTEN)
    for i, denial in enumerate(denials):
        with told("denials"):
            _read_denial(denial, state, i)


def _read_denial(text: str, state: np.record, i: int) -> None:
    words = text.split(",")
    if len(words) != 5:
        raise PositionError(Message("tichu.at-expected-seat-kind-length", {"text": clip(text)}))
    state.denial_seat[i] = read_number(words[0], 0, SEATS - 1)
    state.denial_kind[i] = read_choice(words[1], KINDS)
    state.denial_length[i] = read_number(words[2], 1, HAND_CARDS)
    state.denial_height[i] = read_number(words[3], 0, DRAGON_HEIGHT)
    state.denial_played[i] = _read_cards(words[4])


def _check_hidden(words: Words, state: np.record) -> None:
    """Check that what is hidden can be, and that nothing else is missing."""
    hidden = words.seats("hands", lambda word: word == HIDDEN)
    for seat in range(SEATS):
        if hidden[seat] != is_hidden(state, seat):
            code = "tichu.at-hand-hidden" if hidden[seat] else "tichu.at-hand-has-cards"
            raise PositionError(Message(code, {"seat": seat}))
    hidden_stock = words.seats("stock", lambda word: word == HIDDEN)
    if any(hidden_stock) and (state.phase != GRAND_CALLING or not all(hidden_stock)):
        raise PositionError(Message("tichu.at-stock-all-hidden-views"))
