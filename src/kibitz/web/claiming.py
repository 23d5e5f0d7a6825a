"""The rest of a hand, played at once where a seat is certain of it.

A game may have a module `claims` with `rest(view, seat)`: the actions by which the seat plays all
its cards with the same result whatever the others do meanwhile, or None. It gets the view alone.
`OTHERS_CHOOSE` says whether they have any choice meanwhile; if they have, the table plays for them.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any

from kibitz.core.game import Action, Seat, State
from kibitz.core.messages import Message
from kibitz.core.modules import find_module
from kibitz.core.registry import game_facts
from kibitz.core.table import Game
from kibitz.host import Host
from kibitz.web.refusals import Refused

Rest = Sequence[Action] | None


@cache
def _claims(game: str) -> Any:
    return find_module(game_facts(game), "claims")


def may_claim(game: Game, view: State, seat: Seat) -> bool:
    """Whether a seat is certain of the rest, which is more than its last card."""
    claims = _claims(game.facts.name)
    actions: Rest = None if claims is None else claims.rest(view, seat)
    return actions is not None and len(actions) > 1


def claim(host: Host, seat: Seat) -> None:
    """Play the rest of a seat's cards, and let the others follow; Refused if it is uncertain."""
    claims = _claims(host.game.facts.name)
    actions: Rest = None if claims is None else claims.rest(host.view(seat), seat)
    if actions is None:
        raise Refused(Message("web.no-claim"))
    for action in actions:
        if action not in host.legal(seat):  # the table has played the last cards by itself
            return
        host.play(seat, action)
        if getattr(claims, "OTHERS_CHOOSE", True):
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
