"""Why an action is refused, in one sentence that helps to find another one."""

import numpy as np

from kibitz.core.game import Action, Actions, Seat
from kibitz.core.messages import Message
from kibitz.games.tichu.cards import (
    ACE,
    ALL_CARDS,
    CALL,
    DOG_BIT,
    DRAGON_BIT,
    DRAGON_TO,
    GIVE,
    GRAND,
    LOWEST_RANK,
    MAH_JONG_BIT,
    NO_GRAND,
    NO_TICHU,
    PASS,
    PHOENIX_BIT,
    PLAY,
    RANKED,
    TICHU,
    WISH,
    cards_of,
    kind_of,
    low_bits,
    other_action,
    phoenix_of,
)
from kibitz.games.tichu.choices import MAX_LEGAL
from kibitz.games.tichu.combinations import (
    BOMB,
    DOG,
    FULL_HOUSE,
    NOTHING,
    PAIR,
    SHORTEST_STRAIGHT,
    SINGLE,
    STEPS,
    STRAIGHT,
    TRIO,
    beats,
    classify,
)
from kibitz.games.tichu.plays import list_plays
from kibitz.games.tichu.state import (
    CALLING,
    DRAGON_TRICK,
    EXCHANGE,
    GRAND_CALLING,
    OVER,
    TURN,
    WAITING,
    WINDOW,
    WISHING,
    flushes,
)
from kibitz.games.tichu.wishes import must_fulfil
from kibitz.games.tichu.words import cards_text, describe, members, rank_of, rank_word

QUESTIONS = {
    GRAND_CALLING: Message("tichu.ask-grand"),
    CALLING: Message("tichu.ask-tichu"),
    EXCHANGE: Message("tichu.ask-gift"),
    WISHING: Message("tichu.ask-wish"),
    DRAGON_TRICK: Message("tichu.ask-dragon"),
    WINDOW: Message("tichu.ask-bomb"),
    TURN: Message("tichu.ask-play"),
    WAITING: Message("tichu.not-dealt"),
    OVER: Message("tichu.over"),
}
_KINDS = {
    SINGLE: "tichu.kind-single",
    PAIR: "tichu.kind-pair",
    TRIO: "tichu.kind-trio",
    FULL_HOUSE: "tichu.kind-full-house",
    STRAIGHT: "tichu.kind-straight",
    STEPS: "tichu.kind-steps",
}


def explain(state: np.record, seat: Seat, action: Action) -> Message:
    """Say why an action is refused."""
    kind, what, phase = int(kind_of(action)), int(low_bits(action)), int(state.phase)
    if action <= 0 or not _is_action(action):
        return Message("tichu.no-action", {"action": int(action)})
    if phase in (WAITING, OVER):
        return QUESTIONS[phase]
    if kind == CALL and what == TICHU and phase != GRAND_CALLING:
        return _explain_call(state, seat)
    if not int(state.deciding) >> seat & 1:
        return Message("tichu.not-your-turn")
    if phase == EXCHANGE and kind == GIVE:
        return _explain_gift(state, seat, what)
    if kind == PASS and phase == TURN:
        return _explain_pass(state, seat)
    if kind == PLAY and phase in (TURN, WINDOW):
        return _explain_play(state, seat, action)
    return QUESTIONS[phase]


def _is_action(action: Action) -> bool:
    """Whether a number is an action of the game at all."""
    kind, what, rank = int(kind_of(action)), int(low_bits(action)), int(phoenix_of(action))
    if kind == PLAY:
        return 0 < what <= int(ALL_CARDS) and (rank == 0 or LOWEST_RANK <= rank <= ACE)
    allowed = {
        PASS: (0,),
        CALL: (NO_GRAND, GRAND, NO_TICHU, TICHU),
        WISH: (0, *range(LOWEST_RANK, ACE + 1)),
        DRAGON_TO: (1, 3),
    }
    is_gift = kind == GIVE and what.bit_count() == 1
    return rank == 0 and (is_gift or what in allowed.get(kind, ()))


def _explain_call(state: np.record, seat: Seat) -> Message:
    if state.call[seat] or int(state.pending[seat]) == int(other_action(CALL, TICHU)):
        return Message("tichu.called-already")
    return Message("tichu.call-first" if state.played[seat] else "tichu.call-late")


def _explain_gift(state: np.record, seat: Seat, cards: int) -> Message:
    is_held = int(state.hand[seat]) & cards
    return Message(
        "tichu.given-already" if is_held else "tichu.not-held", {"cards": cards_text(cards)}
    )


def _explain_pass(state: np.record, seat: Seat) -> Message:
    if state.table_kind == NOTHING:
        return Message("tichu.must-lead")
    return _explain_wish(state, seat)


def _explain_wish(state: np.record, seat: Seat) -> Message:
    """Name a play that the wish demands."""
    out: Actions = np.zeros(MAX_LEGAL, np.int64)
    wish = int(state.wish)
    n = list_plays(state.hand[seat], *_table(state), wish, flushes(state), out, 0)
    play = cards_text(int(cards_of(out[0])), int(phoenix_of(out[0]))) if n else rank_word(wish)
    return Message("tichu.must-fulfil", {"rank": rank_word(wish), "cards": play})


def _table(state: np.record) -> tuple[int, int, int]:
    return int(state.table_kind), int(state.table_length), int(state.table_height)


def _explain_play(state: np.record, seat: Seat, action: Action) -> Message:
    """Say why cards cannot be laid now."""
    cards, rank = np.uint64(cards_of(action)), int(phoenix_of(action))
    missing = int(cards) & ~int(state.hand[seat])
    if missing:
        return Message("tichu.not-held", {"cards": cards_text(missing)})
    lies = _table(state)
    on_height = lies[2] if lies[0] == SINGLE else 0
    found = classify(cards, rank, on_height, flushes(state))
    if found[0] == NOTHING:
        return _explain_cards(cards, rank)
    if found[0] == DOG and lies[0] != NOTHING:
        return Message("tichu.dog-leads")
    if state.phase == WINDOW and found[0] != BOMB:
        return QUESTIONS[WINDOW]
    if not beats(*found, *lies):
        return _explain_beating(found, lies)
    if state.phase == TURN and state.wish and must_fulfil(state, seat):
        return _explain_wish(state, seat)
    return Message("tichu.legal")


def _explain_beating(found: tuple[int, int, int], lies: tuple[int, int, int]) -> Message:
    """Say why a combination does not beat another."""
    here = describe(*lies)
    if found[0] != lies[0] and lies[0] != BOMB:
        kind = Message(_KINDS[lies[0]], {"length": lies[1]})
        return Message("tichu.wrong-kind", {"kind": kind, "what": here})
    if found[1] != lies[1] and lies[0] != BOMB:
        return Message("tichu.wrong-length", {"length": lies[1], "what": here})
    if lies[0] == BOMB and found[0] != BOMB:
        return Message("tichu.needs-bomb", {"what": here})
    return Message("tichu.too-low", {"what": here})


def _explain_cards(cards: np.uint64, rank: int) -> Message:
    """Say why cards are no combination."""
    n = int(cards).bit_count()
    if n > 1 and cards & DOG_BIT:
        return Message("tichu.dog-alone")
    if n > 1 and cards & DRAGON_BIT:
        return Message("tichu.dragon-alone")
    if not cards & PHOENIX_BIT and rank:
        return Message("tichu.no-phoenix")
    if cards == PHOENIX_BIT:
        return Message("tichu.phoenix-alone")
    if cards & PHOENIX_BIT and not rank:
        return Message("tichu.phoenix-for-what")
    ranks = [rank_of(card) for card in members(int(cards & (RANKED | MAH_JONG_BIT)))]
    ranks = sorted(ranks + [rank] * (rank > 0))
    if len(set(ranks)) == 1 and rank:
        return Message("tichu.phoenix-no-bomb")
    if cards & MAH_JONG_BIT and len(set(ranks)) < n:
        return Message("tichu.mah-jong-where")
    is_row = ranks == list(range(ranks[0], ranks[0] + n))
    if (is_row or (len(set(ranks)) == n and n > 2)) and n < SHORTEST_STRAIGHT:
        return Message("tichu.short-straight")
    return _gap(ranks) if len(set(ranks)) == n and n > 2 else Message("tichu.no-combination")


def _gap(ranks: list[int]) -> Message:
    """Name the first rank that a straight lacks."""
    gap = next(rank for rank in range(ranks[0], ranks[-1]) if rank not in ranks)
    return Message("tichu.gap", {"rank": rank_word(gap)})
