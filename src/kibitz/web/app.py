"""The web application: wires tables, guests and pages to addresses."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse

from kibitz._version import __version__
from kibitz.core.errors import KibitzError, StoreError
from kibitz.core.messages import Message
from kibitz.core.outside import sentence
from kibitz.core.registry import game_facts, game_names
from kibitz.core.wording import ENGLISH, say
from kibitz.store.lease import BEAT, Lease
from kibitz.store.play import open_play
from kibitz.store.reviews import ReviewStore
from kibitz.web import lookback, manual, reports, routes, sockets
from kibitz.web.coaching import Coach
from kibitz.web.config import Config
from kibitz.web.daily import Daily
from kibitz.web.fairness import Fairness
from kibitz.web.guests import Guests, read_secret
from kibitz.web.importing import MAX_IMPORT
from kibitz.web.levels import levels_of, usual_level
from kibitz.web.limits import CHANGES, MAX_BODY, REQUESTS, Limits, is_known_host, is_own_origin
from kibitz.web.practice import Practice
from kibitz.web.refusals import Refused
from kibitz.web.reviews import Reviews
from kibitz.web.service import Service
from kibitz.web.static_files import HEADERS, add_pages
from kibitz.web.tables import Tables
from kibitz.web.workers import Workers
from kibitz.web.writer import Writer

LOG = logging.getLogger("kibitz.web")
Next = Callable[[Request], Awaitable[Response]]


def make_app(config: Config, lease: Lease | None = None) -> FastAPI:
    """Make the application; its database is opened when it starts.

    Args:
        config: settings.
        lease: the right to serve the database, if it has been taken.
    """
    app = FastAPI(
        title="kibitz",
        version=__version__,
        summary="Tables, records and analysis; play goes over a WebSocket.",
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=lambda app: _life(app, config, lease),
    )
    app.middleware("http")(guard)
    app.exception_handler(KibitzError)(refuse)
    app.exception_handler(RequestValidationError)(refuse_form)
    app.include_router(routes.router)
    app.include_router(reports.router)
    app.include_router(lookback.router)
    app.include_router(sockets.router)
    app.include_router(manual.router)
    add_pages(app)
    return app


@asynccontextmanager
async def _life(app: FastAPI, config: Config, lease: Lease | None) -> AsyncIterator[None]:
    """Open the database and go on with all tables; at the end, close everything."""
    secret = read_secret(config.database)
    store = await asyncio.to_thread(open_play, config.database)
    lease = Lease(store.database) if lease is None else lease
    await asyncio.to_thread(lease.take)
    writer, workers = Writer(store), Workers(tell=lambda told: tables.notice(told))
    tables = Tables(store, writer, workers, config)
    guests = Guests(store, writer, secret)
    found = ReviewStore(store.database)
    practice = Practice(found, writer)
    reviews = Reviews(found, writer, workers, practice)
    app.state.service = Service(
        config=config,
        store=store,
        tables=tables,
        guests=guests,
        limits=Limits(counts=config.counts_requests),
        coach=Coach(workers),
        daily=Daily(tables, secret),
        fairness=Fairness(),
        workers=workers,
        reviews=reviews,
        practice=practice,
    )
    await workers.start(warm_list() if config.warms else ())
    if config.warms:
        tables.warming.begin(game_names())
    works = (tables.resume(), tables.keep_time(), _keep(lease, app))
    tasks = [asyncio.create_task(work) for work in works]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        tables.close()
        await reviews.close()
        tables.warming.close()
        await workers.close()
        await asyncio.to_thread(writer.close)
        await asyncio.to_thread(lease.give_up)
        store.close()


async def _keep(lease: Lease, app: FastAPI) -> None:
    """Show that this server lives; end it if another has taken its place."""
    while True:
        await asyncio.sleep(BEAT)
        try:
            if await asyncio.to_thread(lease.beat):
                continue
        except StoreError as error:  # of a moment; the database is asked again
            LOG.warning("%s", error)
            continue
        LOG.error("another server has taken the database over: this one ends")
        app.state.stop()
        return


def warm_list() -> list[tuple[str, str]]:
    """List the games as people play them, with the agents of their levels, the usual one first."""
    games = [game_facts(name) for name in game_names()]
    specs = {facts.name: facts.spec(facts.resolve(facts.people)) for facts in games}
    usual = [(specs[name], usual_level(name).spec) for name in specs]
    others = [(specs[name], level.spec) for name in specs for level in levels_of(name)]
    return list(dict.fromkeys(usual + others))


async def guard(request: Request, go_on: Next) -> Response:
    """Refuse what is too long, too fast or from elsewhere; add headers to every answer."""
    service: Service = request.app.state.service
    if request.url.path.startswith("/api/"):
        refused = _why_not(request, service)
        if refused is not None:
            service.limits.count(refused[0])
            return _with_headers(JSONResponse({"detail": refused[1]}, refused[2]))
    return _with_headers(await go_on(request))


def _why_not(request: Request, service: Service) -> tuple[str, str, int] | None:
    """Return why a request is refused: for the counters, for people, and its status."""
    headers, client = request.headers, request.client.host if request.client else ""
    if not is_known_host(headers.get("host"), service.config.hosts):
        return "host", say(Message("web.origin")), 400
    changes = request.method not in ("GET", "HEAD")
    if changes and not is_own_origin(
        headers.get("origin"), headers.get("host"), service.config.public_url
    ):
        return "origin", say(Message("web.origin")), 403
    if not service.limits.allows(CHANGES if changes else REQUESTS, client):
        return "too fast", say(Message("web.too-fast")), 429
    length = "?" if "transfer-encoding" in headers else headers.get("content-length", "0")
    if not length.isdecimal() or int(length) > _most(request.url.path):
        return "too long", say(Message("web.too-long")), 413
    return None


def _most(path: str) -> int:
    """Return the bytes that a request to an address may have."""
    return 4 * MAX_IMPORT if path == "/api/import" else MAX_BODY


def _with_headers(response: Response) -> Response:
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    return response


async def refuse(request: Request, error: Exception) -> Response:
    """Answer with the sentence of an error."""
    assert isinstance(error, KibitzError)
    if isinstance(error, StoreError):  # its words are for who runs the server
        LOG.error("%s %s: %s", request.method, request.url.path, error)
        error = Refused(Message("web.not-saved"), 503)
    status = error.status if isinstance(error, Refused) else 400
    request.app.state.service.limits.count("refused request")
    guest = getattr(request.state, "guest", None)
    language = ENGLISH if guest is None else guest.language
    return JSONResponse({"detail": say(error.message, language)}, status)


async def refuse_form(request: Request, error: Exception) -> Response:
    """Say in one sentence what is wrong with a request."""
    assert isinstance(error, RequestValidationError)
    request.app.state.service.limits.count("malformed")
    first = error.errors()[0]
    place = [] if first["type"] == "json_invalid" else first["loc"][1:]
    return JSONResponse({"detail": sentence(first, place)}, 422)
