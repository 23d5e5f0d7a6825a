"""Why an action is refused, in one sentence that helps to find another one."""

import numpy as np

from kibitz.core.game import Action, Actions, Seat
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
    NOTHING,
    SHORTEST_STRAIGHT,
    SINGLE,
    STEPS,
    STRAIGHT,
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
    GRAND_CALLING: "the question is: grand or no grand",
    CALLING: "the question is: tichu or no tichu",
    EXCHANGE: "give a card, such as give 2R",
    WISHING: "wish for a rank, such as wish 8, or no wish",
    DRAGON_TRICK: "the Dragon's trick goes to dragon right or dragon left",
    WINDOW: "only a bomb can be played now, or pass",
    TURN: "it is a turn to play cards or to pass",
    WAITING: "the cards are not dealt yet",
    OVER: "the game is over",
}
_NAMES = {SINGLE: "single card", STRAIGHT: "straight", STEPS: "row of pairs"}


def explain(state: np.record, seat: Seat, action: Action) -> str:
    """Say why an action is refused."""
    kind, what, phase = int(kind_of(action)), int(low_bits(action)), int(state.phase)
    if action <= 0 or not _is_action(action):
        return f"there is no action {action}"
    if phase in (WAITING, OVER):
        return QUESTIONS[phase]
    if kind == CALL and what == TICHU and phase != GRAND_CALLING:
        return _explain_call(state, seat)
    if not int(state.deciding) >> seat & 1:
        return "it is not your turn"
    if phase == EXCHANGE and kind == GIVE:
        return _explain_gift(state, seat, what)
    if kind == PASS and phase == TURN:
        return _explain_pass(state, seat)
    if kind == PLAY and phase in (TURN, WINDOW):
        return _explain_play(state, seat, action)
    return QUESTIONS[phase]


def _is_action(action: Action) -> bool:
    """Tell whether a number is an action of the game at all."""
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


def _explain_call(state: np.record, seat: Seat) -> str:
    if state.call[seat] or int(state.pending[seat]) == int(other_action(CALL, TICHU)):
        return "you have called already"
    if state.played[seat]:
        return "Tichu is called before the first own card"
    return "Tichu cannot be called any more: somebody is out"


def _explain_gift(state: np.record, seat: Seat, cards: int) -> str:
    if not int(state.hand[seat]) & cards:
        return f"you do not hold {cards_text(cards)}"
    return f"you have given {cards_text(cards)} already"


def _explain_pass(state: np.record, seat: Seat) -> str:
    if state.table_kind == NOTHING:
        return "who leads must play something"
    return _explain_wish(state, seat)


def _explain_wish(state: np.record, seat: Seat) -> str:
    """Name a play that the wish demands."""
    out: Actions = np.zeros(MAX_LEGAL, np.int64)
    wish = int(state.wish)
    n = list_plays(state.hand[seat], *_table(state), wish, flushes(state), out, 0)
    play = cards_text(int(cards_of(out[0])), int(phoenix_of(out[0]))) if n else "it"
    return f"the wish for {rank_word(wish)} must be fulfilled: you can play {play}"


def _table(state: np.record) -> tuple[int, int, int]:
    return int(state.table_kind), int(state.table_length), int(state.table_height)


def _explain_play(state: np.record, seat: Seat, action: Action) -> str:
    """Say why cards cannot be laid now."""
    cards, rank = np.uint64(cards_of(action)), int(phoenix_of(action))
    missing = int(cards) & ~int(state.hand[seat])
    if missing:
        return f"you do not hold {cards_text(missing)}"
    lies = _table(state)
    on_height = lies[2] if lies[0] == SINGLE else 0
    found = classify(cards, rank, on_height, flushes(state))
    if found[0] == NOTHING:
        return _explain_cards(cards, rank)
    if found[0] == DOG and lies[0] != NOTHING:
        return "the Dog may only be led"
    if state.phase == WINDOW and found[0] != BOMB:
        return QUESTIONS[WINDOW]
    if not beats(*found, *lies):
        return _explain_beating(found, lies)
    if state.phase == TURN and state.wish and must_fulfil(state, seat):
        return _explain_wish(state, seat)
    return "it is legal"


def _explain_beating(found: tuple[int, int, int], lies: tuple[int, int, int]) -> str:
    """Say why a combination does not beat another."""
    here = describe(*lies)
    if found[0] != lies[0] and lies[0] != BOMB:
        return f"only a higher {_kind_word(*lies)} or a bomb beats {here} on the table"
    if found[1] != lies[1] and lies[0] != BOMB:
        return f"it must have {lies[1]} cards to beat {here} on the table"
    if lies[0] == BOMB and found[0] != BOMB:
        return f"only a higher bomb beats {here} on the table"
    return f"it does not beat {here} on the table"


def _kind_word(kind: int, length: int, height: int) -> str:
    words = describe(kind, length, height).removeprefix("the ").split(" of ")[0]
    if kind == STRAIGHT:
        return f"straight of {length}"
    return _NAMES.get(kind, words)


def _explain_cards(cards: np.uint64, rank: int) -> str:
    """Say why cards are no combination."""
    n = int(cards).bit_count()
    if n > 1 and cards & DOG_BIT:
        return "the Dog is played alone"
    if n > 1 and cards & DRAGON_BIT:
        return "the Dragon is played alone"
    if not cards & PHOENIX_BIT and rank:
        return "there is no Phoenix among these cards"
    if cards == PHOENIX_BIT:
        return "the Phoenix alone stands for no rank"
    if cards & PHOENIX_BIT and not rank:
        return "say what the Phoenix stands for, such as Ph=8"
    ranks = [rank_of(card) for card in members(int(cards & (RANKED | MAH_JONG_BIT)))]
    ranks = sorted(ranks + [rank] * (rank > 0))
    if len(set(ranks)) == 1 and rank:
        return "the Phoenix makes no bomb"
    if cards & MAH_JONG_BIT and len(set(ranks)) < n:
        return "the Mah Jong is played alone or at the beginning of a straight"
    is_row = ranks == list(range(ranks[0], ranks[0] + n))
    if is_row and n < SHORTEST_STRAIGHT:
        return "a straight needs 5 or more in a row"
    if len(set(ranks)) == n and n > 2:
        return "a straight needs 5 or more in a row" if n < SHORTEST_STRAIGHT else _gap(ranks)
    return "these cards are no combination"


def _gap(ranks: list[int]) -> str:
    """Name the first rank that a straight lacks."""
    gap = next(rank for rank in range(ranks[0], ranks[-1]) if rank not in ranks)
    return f"a straight has no gaps: {rank_word(gap)} is missing"
