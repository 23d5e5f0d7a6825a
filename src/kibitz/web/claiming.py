"""The rest of a round, played at once where a seat is certain of it.

A game may have a module `claims` with `rest(view, seat)`: the actions by which the seat brings the
round to its end with the same scores whatever the others do, or None. It gets the view alone.
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from kibitz.core.game import Action, Seat, State
from kibitz.core.messages import Message
from kibitz.core.modules import find_module
from kibitz.core.registry import game_facts
from kibitz.core.table import Game
from kibitz.host import Host
from kibitz.web.refusals import Refused

Rest = Callable[[Any, Seat], Sequence[Action] | None]


@cache
def _claims(game: str) -> Rest | None:
    claims = find_module(game_facts(game), "claims")
    return None if claims is None else claims.rest


def may_claim(game: Game, view: State, seat: Seat) -> bool:
    """Whether a seat is certain of the rest, which is more than its last card."""
    rest = _claims(game.facts.name)
    actions = None if rest is None else rest(view, seat)
    return actions is not None and len(actions) > 1


def claim(host: Host, seat: Seat) -> None:
    """Play the rest of the round for everybody; Refused if it is not certain."""
    rest = _claims(host.game.facts.name)
    actions = None if rest is None else rest(host.view(seat), seat)
    if actions is None:
        raise Refused(Message("web.no-claim"))
    for action in actions:
        if action not in host.legal(seat):  # the table has played the last cards by itself
            return
        host.play(seat, action)
        _let_follow(host, seat)


def _let_follow(host: Host, seat: Seat) -> None:
    """Let the others follow with anything, until the seat must act or nobody has a choice."""
    while not host.is_over and host.decision(seat) is None:
        people = [one for one in host.waiting if one != seat]
        if people:
            host.play(people[0], host.legal(people[0])[0])
            continue
        asked = host.questions()
        if not asked:
            return
        host.answer(asked[0], host.legal(asked[0].seat)[0])
