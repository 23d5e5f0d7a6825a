"""The addresses of the deal of the day, of results and of fair dealing."""

import asyncio
from typing import Any

from fastapi import APIRouter, Response

from kibitz.core.messages import Message
from kibitz.core.registry import game_names
from kibitz.core.wording import speaking
from kibitz.store import schema
from kibitz.store.play import GuestRow, ResultRow
from kibitz.web.fair import is_past
from kibitz.web.refusals import Refused
from kibitz.web.results import as_csv, summary
from kibitz.web.routes import info
from kibitz.web.service import Here, Me, Service
from kibitz.web.wishes import Nothing

router = APIRouter(prefix="/api", tags=["results"])


def _checked(name: str) -> str:
    if name not in game_names():
        raise Refused(Message("web.no-game", {"known": game_names()}), 404)
    return name


@router.get("/daily/{game}")
async def daily(game: str, guest: Me, here: Here) -> dict[str, Any]:
    """Return today's deal of a game: whether you have played it, and how everybody did."""
    return await here.daily.standing(guest, _checked(game))


@router.post("/daily/{game}")
async def play_daily(game: str, guest: Me, wanted: Nothing, here: Here) -> dict[str, Any]:
    """Play today's deal; who has begun it goes on with it."""
    return info(await here.daily.play(guest, _checked(game)), guest, here)


@router.get("/results")
async def results(guest: Me, here: Here) -> list[dict[str, Any]]:
    """Return how people do against each level."""
    return await asyncio.to_thread(_summary, guest, here)


def _summary(guest: GuestRow, here: Service) -> list[dict[str, Any]]:
    with speaking(guest.language):
        return summary(_rows(here), guest.id)


def _rows(here: Service) -> list[ResultRow]:
    return here.store.results(schema.play_results.c.share > 0)


@router.get("/results.csv")
async def results_csv(guest: Me, here: Here) -> Response:
    """Return all games that count as a table."""
    text = await asyncio.to_thread(lambda: as_csv(_rows(here)))
    headers = {"content-disposition": 'attachment; filename="kibitz-results.csv"'}
    return Response(text, media_type="text/csv; charset=utf-8", headers=headers)


@router.get("/fairness")
async def fairness(guest: Me, here: Here) -> list[dict[str, Any]]:
    """Return what was dealt at all tables, beside what chance deals."""
    return await asyncio.to_thread(_fairness, guest, here)


def _fairness(guest: GuestRow, here: Service) -> list[dict[str, Any]]:
    tables = schema.play_tables
    over = here.store.tables(tables.c.status == "over", tables.c.source.is_(None))
    shown = [row for row in over if row.daily is None or is_past(row.daily)]
    with speaking(guest.language):
        return here.fairness.statistics(shown)
