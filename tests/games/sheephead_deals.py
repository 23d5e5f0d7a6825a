"""Hands of Sheephead dealt as tests want them, and what tests do with them."""

from typing import Any

import numpy as np

from kibitz.core.game import apply, conceal, deal, is_legal, legal, movers, random_action
from kibitz.core.rng import Purpose, derive
from kibitz.core.table import Game, make_game
from kibitz.games.sheephead import GAME
from kibitz.games.sheephead.cards import (
    ALONE,
    BLITZ_BLACK,
    BLITZ_BOTH,
    BLITZ_RED,
    CALL_ACE,
    CALL_TEN,
    CARDS,
    CRACK,
    NAMES,
    PASS,
    PICK,
    bury_action,
    unknown_action,
)
from kibitz.games.sheephead.rules import MAX_LEGAL

WORDS = {
    **{"pick": PICK, "pass": PASS, "alone": ALONE, "crack": CRACK},
    **{"blitz black": BLITZ_BLACK, "blitz red": BLITZ_RED, "blitz both": BLITZ_BOTH},
}

SPECS = [
    "sheephead",
    "sheephead:hands=12,redraw=2",
    "sheephead:pass=leaster,hands=4,stack=true",
    "sheephead:pass=doubler,hands=4,crack=true,bump=true",
    "sheephead:pass=redeal,hands=2",
    "sheephead:pass=forced,bury=fail,unknown=fail,called_ten=top",
    "sheephead:lead_called=false,slough=true",
    "sheephead:underlead=true,bury=fail",
    "sheephead:pass=forced,hands=4,blitz=true,crack=true",
    "sheephead:open=true,hands=2",
]
"""All options, several at a time."""


def card(name: str) -> int:
    """Read a card."""
    return NAMES.index(name)


def cards(names: str) -> np.uint64:
    """Read a set of cards."""
    return np.uint64(sum(1 << card(name) for name in names.split()))


def members(cards: int) -> list[int]:
    """Return the numbers of the cards of a set."""
    return [number for number in range(CARDS) if int(cards) >> number & 1]


def named(cards: int) -> str:
    """Write a set of cards, by ascending numbers."""
    return " ".join(NAMES[number] for number in members(cards))


def bury(names: str) -> int:
    """Make the action that buries two cards."""
    return int(bury_action(*sorted(card(name) for name in names.split())))


def call(name: str, unknown: str = "") -> int:
    """Make the action that calls a card, perhaps with another one laid face down."""
    suit = "CSH".index(name[-1])
    if unknown:
        return int(unknown_action(card(unknown), suit))
    return (CALL_ACE if name[0] == "A" else CALL_TEN) + suit


def game(**options: Any) -> Game:
    """Return the game under some options; `pass` is written `all_pass`."""
    if "all_pass" in options:
        options["pass"] = options.pop("all_pass")
    return make_game(GAME, options)


def dealt(*hands: str, blind: str = "", seed: int = 0, **options: Any) -> np.record:
    """Deal a hand in which seats have at least these cards; seat 0 bids first."""
    state = game(**options).blank(1)[0]
    deal(state, derive(seed, Purpose.DEAL))
    if not hands and not blind:
        return state
    given = [cards(hand) for hand in hands] + [np.uint64(0)] * (5 - len(hands)) + [cards(blind)]
    rest = members(~sum(int(pile) for pile in given) & (1 << CARDS) - 1)
    rng = np.random.default_rng(seed)
    rng.shuffle(rest)
    for k, pile in enumerate(given):
        while int(pile).bit_count() < (6 if k < 5 else 2):
            pile |= np.uint64(1 << rest.pop())
        if k < 5:
            state.hand[k] = pile
        else:
            state.blind = pile
    assert not rest
    return state


def turn(state: np.record) -> int:
    """Return the seat that must decide."""
    assert int(movers(state)).bit_count() == 1
    return int(movers(state)).bit_length() - 1


def number(action: int | str) -> int:
    """Read an action: a word, a card, or what is a number already."""
    if isinstance(action, str):
        return WORDS[action] if action in WORDS else card(action)
    return action


def turns(state: np.record, *actions: int | str) -> np.record:
    """Let whoever is on turn act, one after the other, as the rules allow."""
    for action in actions:
        seat = turn(state)
        assert is_legal(state, seat, number(action)), f"seat {seat} may not do {action!r}"
        apply(state, seat, number(action))
    return state


def tricks(state: np.record, *rows: str) -> np.record:
    """Play tricks, each written in the order of play."""
    for row in rows:
        turns(state, *row.split())
    return state


def listed(state: np.record) -> list[int]:
    """List what the seat on turn may do."""
    out = np.zeros(MAX_LEGAL, np.int64)
    return out[: legal(state, turn(state), out)].tolist()


def playable(state: np.record) -> str:
    """List the cards that the seat on turn may play."""
    return " ".join(NAMES[number] for number in listed(state))


def may(state: np.record, action: int | str) -> bool:
    """Whether the seat on turn may do this."""
    return bool(is_legal(state, turn(state), number(action)))


def view_of(state: np.record, seat: int) -> np.record:
    """Return what a seat knows."""
    view = state.copy()
    conceal(view, seat)
    return view


def finish(state: np.record, seed: int = 0) -> np.record:
    """Play a hand to its end at random."""
    rng = derive(seed, Purpose.PLAYOUT)
    while movers(state):
        seat = turn(state)
        apply(state, seat, random_action(state, seat, rng))
    return state
