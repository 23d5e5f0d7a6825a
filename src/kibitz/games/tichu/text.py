"""Tichu as text: actions, and why one is refused; positions.py has positions, board.py the table.

A play is its cards, `5R 6R 7G Ph=8 9S`. Who types may leave out what the Phoenix stands for (the
highest rank that is legal is meant) and colours (`5 6 7 Ph 9`: the choice that the rules list
first). The other actions are `pass`, `tichu`, `no tichu`, `grand`, `no grand`, `give KS`, `wish 8`,
`no wish`, `dragon right` and `dragon left`.
"""

from collections import Counter
from collections.abc import Iterable

import numpy as np

from kibitz.core.errors import PositionError, clip
from kibitz.core.game import Action, Actions, Seat
from kibitz.core.messages import Message
from kibitz.games.tichu.board import render
from kibitz.games.tichu.cards import (
    ACE,
    CALL,
    DRAGON_TO,
    GIVE,
    GRAND,
    LOWEST_RANK,
    NO_GRAND,
    PASS,
    PHOENIX,
    PHOENIX_BIT,
    PLAY,
    WISH,
    cards_of,
    kind_of,
    other_action,
    phoenix_of,
    play_action,
)
from kibitz.games.tichu.choices import MAX_LEGAL, is_legal, legal
from kibitz.games.tichu.combinations import NOTHING, classify
from kibitz.games.tichu.merits import merits
from kibitz.games.tichu.people import guide, outcome, suggest, tell
from kibitz.games.tichu.positions import format_position, parse_position
from kibitz.games.tichu.reasons import QUESTIONS, explain
from kibitz.games.tichu.state import (
    CALLING,
    DRAGON_TRICK,
    EXCHANGE,
    GRAND_CALLING,
    WISHING,
    flushes,
)
from kibitz.games.tichu.words import (
    ANSWERS,
    SIDES,
    cards_text,
    members,
    rank_of,
    rank_word,
    read_card,
    read_rank,
    set_of,
    write_action,
)

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
    "suggest",
    "tell",
]

_WORDS = {
    "pass": other_action(PASS, 0),
    "p": other_action(PASS, 0),
    "no bomb": other_action(PASS, 0),
    "grand tichu": other_action(CALL, GRAND),
    "no grand tichu": other_action(CALL, NO_GRAND),
    "no wish": other_action(WISH, 0),
    "wish none": other_action(WISH, 0),
    **{word: other_action(CALL, answer) for answer, word in ANSWERS.items()},
    **{f"dragon {word}": other_action(DRAGON_TO, side) for side, word in SIDES.items()},
}


def format_action(state: np.record, seat: Seat, action: Action) -> str:
    """Write an action in the words that are read again."""
    return write_action(action)


def parse_action(state: np.record, seat: Seat, text: str) -> Action:
    """Read an action; PositionError if it is none.

    In the exchange a card alone is given, after the Mah Jong a rank alone is wished for, and a
    side alone gets the Dragon's trick.
    """
    words = text.lower().replace(",", " ").split()
    line = " ".join(words)
    if line in _WORDS:
        return int(_WORDS[line])
    if not words:
        raise PositionError(Message("tichu.expected-cards"))
    phase = state.phase
    if words[0] == "wish" or (phase == WISHING and len(words) == 1):
        return _parse_wish(words)
    if phase == DRAGON_TRICK and line in SIDES.values():
        return int(_WORDS[f"dragon {line}"])
    if words[0] == "give" or (phase == EXCHANGE and len(words) == 1):
        return _parse_gift(state, seat, words)
    if phase in (GRAND_CALLING, CALLING) and read_card(words[0]) is None:
        facts = {"question": QUESTIONS[int(phase)], "text": clip(text)}
        raise PositionError(Message("tichu.answer", facts))
    return _parse_play(state, seat, words)


def _parse_wish(words: list[str]) -> Action:
    rank = read_rank(words[-1])
    if rank is None or len(words) > 2:
        raise PositionError(Message("tichu.bad-wish", {"text": clip(" ".join(words))}))
    return int(other_action(WISH, rank))


def _parse_gift(state: np.record, seat: Seat, words: list[str]) -> Action:
    card = read_card(words[-1])
    if card is None and len(words) <= 2:
        rank = read_rank(words[-1])
        given = [int(card) - 1 for card in state.given[seat]]
        held = [card for card in members(state.hand[seat]) if rank_of(card) == rank]
        held.sort(key=lambda card: card in given)
        card = held[0] if held else None
    if card is None or len(words) > 2:
        raise PositionError(Message("tichu.bad-gift", {"text": clip(" ".join(words))}))
    return int(other_action(GIVE, 1 << card))


def _parse_play(state: np.record, seat: Seat, words: list[str]) -> Action:
    """Read cards; find out what the Phoenix and the words without a colour stand for."""
    if words[0] in ("play", "bomb"):
        words = words[1:]
    cards: list[int] = []
    ranks: Counter[int] = Counter()
    shown = 0
    for word in words:
        name, equals, meaning = word.partition("=")
        card, rank = read_card(name), read_rank(name)
        if equals:
            shown = read_rank(meaning) or 0
        if card is not None and (not equals or (card == PHOENIX and shown)):
            cards.append(card)
        elif rank is not None and not equals:
            ranks[rank] += 1
        else:
            raise PositionError(Message("tichu.not-a-card", {"text": clip(word)}))
    for card in cards:
        if cards.count(card) > 1:
            raise PositionError(Message("tichu.twice", {"card": cards_text(1 << card)}))
    if not cards and not ranks:
        raise PositionError(Message("tichu.expected-cards"))
    if ranks:
        return _complete(state, seat, set_of(cards), ranks, shown)
    return _with_phoenix(state, seat, set_of(cards), shown)


def _with_phoenix(state: np.record, seat: Seat, cards: int, shown: int) -> Action:
    """Let the Phoenix stand for the highest rank that is legal, unless it was said which."""
    chosen = np.uint64(cards)
    if shown or not chosen & PHOENIX_BIT or chosen == PHOENIX_BIT:
        return int(play_action(chosen, shown))
    meanings = [int(play_action(chosen, rank)) for rank in range(ACE, LOWEST_RANK - 1, -1)]
    for action in meanings:
        if is_legal(state, seat, action):
            return action
    for action in meanings:
        if classify(chosen, int(phoenix_of(action)), 0, flushes(state))[0] != NOTHING:
            return action
    return meanings[0]


def _complete(state: np.record, seat: Seat, cards: int, ranks: Counter[int], shown: int) -> Action:
    """Find cards for the words without a colour: what the rules list first, or any held."""
    wanted = ranks + Counter(rank_of(card) for card in members(cards))
    fits = [
        action
        for action in _listed(state, seat)
        if kind_of(action) == PLAY
        and int(cards_of(action)) & cards == cards
        and Counter(rank_of(card) for card in members(int(cards_of(action)))) == wanted
        and shown in (0, phoenix_of(action))
    ]
    if fits:
        return max(fits, key=lambda action: int(phoenix_of(action)))
    free = [card for card in members(int(state.hand[seat]) & ~cards)]
    for rank, n in ranks.items():
        held = [card for card in free if rank_of(card) == rank]
        if len(held) < n:
            code = "tichu.too-few" if held else "tichu.no-rank"
            raise PositionError(Message(code, {"count": len(held), "rank": rank_word(rank)}))
        cards |= set_of(held[:n])
    return _with_phoenix(state, seat, cards, shown)


def _listed(state: np.record, seat: Seat) -> Iterable[int]:
    """List what a seat may do, if it is to move."""
    if not 0 <= seat < 4 or not int(state.deciding) >> seat & 1:
        return []
    out: Actions = np.zeros(MAX_LEGAL, np.int64)
    return out[: legal(state, seat, out)].tolist()
