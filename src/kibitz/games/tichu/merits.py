"""What speaks for and against an action of Tichu, in facts that can be counted from a seat."""

import numpy as np

from kibitz.core.game import Action, Seat
from kibitz.core.messages import Message
from kibitz.games.tichu.cards import (
    ACE,
    ALL_CARDS,
    CALL,
    DRAGON_BIT,
    DRAGON_TO,
    GIVE,
    GRAND,
    LOWEST_RANK,
    NO_GRAND,
    PASS,
    PHOENIX_BIT,
    PLAY,
    TICHU,
    WISH,
    cards_of,
    kind_of,
    low_bits,
    phoenix_of,
)
from kibitz.games.tichu.combinations import BOMB, DOG, NOTHING, SINGLE, classify
from kibitz.games.tichu.ranks import flush_cards
from kibitz.games.tichu.state import (
    SEATS,
    card_points,
    cards_of_rank,
    flushes,
    n_cards,
)
from kibitz.games.tichu.words import cards_text, members, rank_of, rank_word


def merits(view: np.record, seat: Seat, action: Action) -> list[Message]:
    """Return what speaks for or against an action, the weightiest first."""
    kind, what = int(kind_of(action)), int(low_bits(action))
    if kind == PLAY:
        return _of_play(view, seat, action)
    if kind == PASS:
        return _of_pass(view, seat)
    if kind == CALL:
        return [_of_call(view, seat, what)]
    if kind == GIVE:
        return [_of_gift(view, seat, what)]
    if kind == WISH and what:
        held = _unseen(view, seat) & int(cards_of_rank(what))
        return [Message("tichu.wish-hits", {"n": held.bit_count(), "rank": rank_word(what)})]
    return [_of_dragon(view, seat, what)] if kind == DRAGON_TO else []


def bombs(view: np.record, seat: Seat) -> list[int]:
    """Return the sets of cards that are bombs in the own hand; straight flushes as one set."""
    hand = int(view.hand[seat])
    fours = [int(cards_of_rank(rank)) for rank in range(LOWEST_RANK, ACE + 1)]
    found = [four for four in fours if hand & four == four]
    flush = int(flush_cards(view.hand[seat])) if flushes(view) else 0
    return found + [flush] * (flush > 0)


def _unseen(view: np.record, seat: Seat) -> int:
    """Return the cards that others hold, as far as a seat knows."""
    played = 0
    for other in range(SEATS):
        played |= int(view.played[other])
    return int(ALL_CARDS) & ~played & ~int(view.hand[seat])


def _of_play(view: np.record, seat: Seat, action: Action) -> list[Message]:
    cards, rank = np.uint64(cards_of(action)), int(phoenix_of(action))
    on_height = int(view.table_height) if view.table_kind == SINGLE else 0
    kind, _, height = classify(cards, rank, on_height, flushes(view))
    left = int(n_cards(view, seat)) - int(cards).bit_count()
    found = [] if left else [Message("tichu.goes-out")]
    is_bomb = kind == BOMB
    if is_bomb:
        found.append(Message("tichu.lays-bomb"))
    broken = [one for one in bombs(view, seat) if one & int(cards)]
    if broken and not is_bomb:
        found.append(Message("tichu.breaks-bomb", {"cards": cards_text(broken[0])}))
    found += _of_beating(view, seat)
    if kind == SINGLE and left:
        higher = _higher(_unseen(view, seat), height)
        found.append(Message("tichu.single-beaten", {"n": higher}))
    if kind == DOG:
        found.append(Message("tichu.gives-lead"))
    if left:
        found.append(Message("tichu.cards-left", {"n": left}))
    return found


def _higher(unseen: int, height: int) -> int:
    """Count unseen cards that beat a single card of a height; bombs not counted."""
    ranked = sum(2 * rank_of(card) > height for card in members(unseen) if rank_of(card) > 1)
    dragon = bool(unseen & int(DRAGON_BIT))
    phoenix = bool(unseen & int(PHOENIX_BIT)) and height < 2 * (ACE + 1)
    return ranked + dragon + phoenix


def _of_beating(view: np.record, seat: Seat) -> list[Message]:
    """Say from whom a play takes the trick."""
    if view.table_kind == NOTHING:
        return []
    holder = int(view.holder)
    if (holder - seat) % SEATS == 2:
        return [Message("tichu.overtakes-partner")]
    facts = {"seat": holder, "points": int(view.trick)}
    if view.call[holder]:
        return [Message("tichu.stops-caller", facts)]
    return [Message("tichu.beats", facts)]


def _of_pass(view: np.record, seat: Seat) -> list[Message]:
    found = []
    if view.table_kind != NOTHING:
        holder = int(view.holder)
        is_partner = (holder - seat) % SEATS == 2
        facts = {"seat": holder, "points": int(view.trick)}
        found.append(Message("tichu.leaves-partner" if is_partner else "tichu.leaves", facts))
    held = bombs(view, seat)
    if held:
        found.append(Message("tichu.keeps-bomb", {"cards": cards_text(held[0])}))
    return found


def _of_call(view: np.record, seat: Seat, answer: int) -> Message:
    """Count what a call rests on: aces, Dragon and Phoenix."""
    top = int(cards_of_rank(ACE)) | int(DRAGON_BIT) | int(PHOENIX_BIT)
    n = (int(view.hand[seat]) & top).bit_count()
    stake = 200 if answer in (GRAND, NO_GRAND) else 100
    code = "tichu.call-rests" if answer in (GRAND, TICHU) else "tichu.no-call-rests"
    return Message(code, {"n": n, "points": stake})


def _of_gift(view: np.record, seat: Seat, cards: int) -> Message:
    """Say what a card that is given away is part of."""
    card = members(cards)[0]
    broken = [one for one in bombs(view, seat) if one & cards]
    if broken:
        return Message("tichu.breaks-bomb", {"cards": cards_text(broken[0])})
    rank = rank_of(card)
    alike = [one for one in members(int(view.hand[seat])) if rank_of(one) == rank and rank]
    if len(alike) > 1:
        return Message("tichu.splits", {"n": len(alike), "rank": rank_word(rank)})
    points = int(card_points(np.uint64(cards)))
    return Message("tichu.stands-alone", {"points": points})


def _of_dragon(view: np.record, seat: Seat, side: int) -> Message:
    receiver = (seat + side) % SEATS
    facts = {"seat": receiver, "n": int(n_cards(view, receiver)), "points": int(view.trick)}
    return Message("tichu.dragon-goes", facts)
