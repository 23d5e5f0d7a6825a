"""Hands of Sheephead for tests: tables at which chosen cards are dealt."""

import kibitz
from kibitz.core.table import Origin, Table
from kibitz.games.sheephead.cards import ALL_CARDS
from kibitz.games.sheephead.words import cards_text, members, parse_card, set_of

SPECS = [
    "sheephead:hands=3",
    *(f"sheephead:hands=4,redraw=2,pass={rule}" for rule in ("nola", "leaster", "doubler")),
    *(f"sheephead:hands=3,pass={rule}" for rule in ("redeal", "forced")),
    "sheephead:hands=2,bump=true,lead_called=false,slough=true",
    "sheephead:hands=2,underlead=true,unknown=fail,bury=fail,called_ten=top",
    "sheephead:hands=7,stack=true,crack=true,redraw=3,pass=doubler",
    "sheephead:hands=3,blitz=true,crack=true,pass=forced",
    "sheephead:hands=2,open=true",
]
"""Every value of every option is in one of them."""


def cards(words: str) -> int:
    """Read a set of cards."""
    return set_of(parse_card(word) for word in words.split())


def line(hands: dict[int, str], blind: str = "") -> str:
    """Write the position after a deal; cards that are not given go to whoever has room."""
    given = {seat: cards(words) for seat, words in hands.items()}
    lying = cards(blind)
    free = members(int(ALL_CARDS) & ~sum(given.values()) & ~lying)
    piles = []
    for seat in range(5):
        pile = given.get(seat, 0)
        n = 6 - pile.bit_count()
        piles.append(pile | set_of(free[:n]))
        free = free[n:]
    lying |= set_of(free)
    written = "/".join(cards_text(pile, between=".") for pile in piles)
    return (
        f"deal=1 phase=bid turn=0 dealer=4 hands={written} blind={cards_text(lying, between='.')}"
    )


def at(hands: dict[int, str], *actions: str, blind: str = "", spec: str = "sheephead") -> Table:
    """Open a table with these hands, at which seats in turn have done this."""
    origin = Origin(0, deals=(line(hands, blind),))
    table = Table(kibitz.load_game(spec), origin, plays_forced=False)
    for action in actions:
        table.play(table.movers[0], action)
    return table
