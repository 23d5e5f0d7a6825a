"""When going out is certain: the seat leads, and nothing unseen beats or bombs what it lays.

All plays but the last must be unbeatable, whoever of the others holds which of the unseen cards:
then all others can only pass until the seat is out. The last may be anything. What the others do
after that is theirs: a claim plays the seat's own cards and ends the round only if it is over then.

Not every certain case is found. A hand with the Dog, the Mah Jong or a bomb has more to decide than
an order, and so has a Dragon before the last card; they are left to the player.
"""

import numpy as np

from kibitz.core.game import Action, Seat
from kibitz.games.tichu.cards import (
    ACE,
    DOG_BIT,
    DRAGON_BIT,
    LOWEST_RANK,
    MAH_JONG_BIT,
    PHOENIX_BIT,
    cards_of,
    phoenix_of,
)
from kibitz.games.tichu.combinations import (
    DRAGON_HEIGHT,
    FULL_HOUSE,
    NOTHING,
    PAIR,
    QUAD,
    SINGLE,
    STEPS,
    STRAIGHT,
    TRIO,
    classify,
)
from kibitz.games.tichu.planning import unseen_by
from kibitz.games.tichu.plays import MAX_PLAYS, has_bomb, list_plays
from kibitz.games.tichu.state import SEATS, TURN, cards_of_rank, flushes, is_out, may_call, n_cards

MOST_HANDS = 500
"""Hands that are looked at before a claim is given up: it is asked for with every snapshot."""

OTHERS_CHOOSE = False
"""Nobody can do anything but pass until the seat is out."""

_UNCLAIMED = int(DOG_BIT | MAH_JONG_BIT)


def rest(view: np.record, seat: Seat) -> list[Action] | None:
    """Return the plays by which a seat goes out whatever the others do; None if one may fail."""
    is_leading = view.phase == TURN and view.turn == seat and view.table_kind == NOTHING
    hand = int(view.hand[seat])
    if not is_leading or view.wish or not hand or hand & _UNCLAIMED or _has_bomb(view, hand):
        return None
    others = [one for one in range(SEATS) if one != seat and not is_out(view, one)]
    if any(may_call(view, one) for one in others):
        return None
    unseen = Unseen(view, seat, max(int(n_cards(view, one)) for one in others))
    return None if unseen.may_bomb else _way_out(view, hand, unseen, {})


def _has_bomb(view: np.record, cards: int) -> bool:
    return bool(has_bomb(np.uint64(cards), NOTHING, 0, 0, flushes(view)))


def _way_out(
    view: np.record, hand: int, unseen: "Unseen", known: dict[int, list[Action] | None]
) -> list[Action] | None:
    """Return plays that part a hand, all but the last unbeatable; None if there are none."""
    if hand in known or len(known) == MOST_HANDS:
        return known.get(hand)
    known[hand] = None
    listed = np.empty(MAX_PLAYS, np.int64)
    n = int(list_plays(np.uint64(hand), NOTHING, 0, 0, 0, flushes(view), listed, 0))
    plays = sorted(listed[:n].tolist(), key=lambda play: -int(cards_of(play)).bit_count())
    for play in plays:
        cards = int(cards_of(play))
        if cards == hand:
            known[hand] = [play]
            break
        if cards != DRAGON_BIT and not unseen.may_beat(play):
            after = _way_out(view, hand & ~cards, unseen, known)
            if after is not None:
                known[hand] = [play, *after]
                break
    return known[hand]


class Unseen:
    """The cards that a seat does not see, of which any other may hold as many as it has."""

    def __init__(self, view: np.record, seat: Seat, most: int) -> None:
        """Count the cards; `most` is the greatest number that another holds."""
        cards = int(unseen_by(view, seat))
        self._flush = bool(flushes(view))
        self._most = most
        self._counts = [0] * (ACE + 1)
        for rank in range(LOWEST_RANK, ACE + 1):
            self._counts[rank] = (cards & int(cards_of_rank(rank))).bit_count()
        self._jokers = int(cards & int(PHOENIX_BIT) > 0)
        self._has_dragon = cards & int(DRAGON_BIT) > 0
        self.may_bomb = most >= QUAD and _has_bomb(view, cards)

    def may_beat(self, play: Action) -> bool:
        """Whether one other might lay something on a play, bombs left aside."""
        cards = np.uint64(cards_of(play))
        kind, length, height = classify(cards, int(phoenix_of(play)), 0, self._flush)
        top = height // 2
        if length > self._most:
            return False
        if kind == SINGLE:
            others = self._jokers or self._has_dragon or self._has_alike(top, 1)
            return height < DRAGON_HEIGHT and bool(others)
        if kind in (PAIR, TRIO):
            return self._has_alike(top, length)
        if kind == FULL_HOUSE:  # its pair is left aside: there may be none
            return self._has_alike(top, 3)
        if kind == STRAIGHT:
            return self._has_row(top, length, 1)
        return kind != STEPS or self._has_row(top, length // 2, 2)

    def _has_alike(self, above: int, n: int) -> bool:
        """Whether there may be n cards of one rank above another."""
        return any(0 < count >= n - self._jokers for count in self._counts[above + 1 :])

    def _has_row(self, above: int, size: int, n: int) -> bool:
        """Whether there may be so many ranks in a row, n cards of each, that end above a rank."""
        tops = range(max(above + 1, LOWEST_RANK + size - 1), ACE + 1)
        rows = (self._counts[top - size + 1 : top + 1] for top in tops)
        return any(sum(max(0, n - count) for count in row) <= self._jokers for row in rows)
