"""What all addresses share: one of each part of a running server."""

from dataclasses import dataclass, field
from typing import Annotated

from fastapi import Depends, Request, Response

from kibitz.core.messages import Message
from kibitz.store.play import GuestRow, PlayStore
from kibitz.web.coaching import Coach
from kibitz.web.config import Config
from kibitz.web.daily import Daily
from kibitz.web.fairness import Fairness
from kibitz.web.guests import COOKIE, YEAR, Guests
from kibitz.web.importing import Turns
from kibitz.web.limits import NEW_GUESTS, Limits
from kibitz.web.practice import Practice
from kibitz.web.refusals import Refused
from kibitz.web.reviews import Reviews
from kibitz.web.tables import Tables
from kibitz.web.workers import Workers


@dataclass(frozen=True)
class Service:
    """The parts of a running server."""

    config: Config
    store: PlayStore
    tables: Tables
    guests: Guests
    limits: Limits
    coach: Coach
    daily: Daily
    fairness: Fairness
    workers: Workers
    reviews: Reviews
    practice: Practice
    imports: Turns = field(default_factory=Turns)


def find_service(request: Request) -> Service:
    """Return the parts of the server that a request has come to."""
    service: Service = request.app.state.service
    return service


Here = Annotated[Service, Depends(find_service)]


async def find_guest(request: Request, response: Response, here: Here) -> GuestRow:
    """Return who asks; somebody new gets a cookie."""
    guest = await here.guests.find(request.cookies.get(COOKIE))
    if guest is None:
        client = request.client.host if request.client else ""
        if not here.limits.allows(NEW_GUESTS, client):
            raise Refused(Message("web.too-fast"), 429)
        guest = await here.guests.make(request.headers.get("accept-language", "")[:200])
    response.set_cookie(
        COOKIE,
        here.guests.sign(guest),
        max_age=YEAR,
        httponly=True,
        samesite="lax",
        secure=here.config.public_url.startswith("https:"),
    )
    request.state.guest = guest
    return guest


Me = Annotated[GuestRow, Depends(find_guest)]
