"""Runs the application in uvicorn."""

import socket
from collections.abc import Callable

import uvicorn

from kibitz.core.errors import SpecError
from kibitz.store.play import open_play
from kibitz.web.app import make_app
from kibitz.web.config import Config
from kibitz.web.guests import read_secret
from kibitz.web.limits import MAX_MESSAGE

BACKLOG = 2048
"""Connections that may wait to be accepted."""


def listen(host: str, port: int) -> socket.socket:
    """Open the port, where clients may queue from now on; SpecError says why it cannot be."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        why = (error.strerror or "the system refuses").lower()
        raise SpecError(
            f"cannot listen at {host}, port {port}: {why}; try another --port"
        ) from None
    return listener


def make_server(config: Config) -> uvicorn.Server:
    """Make a server that is told its sockets when it runs."""
    settings = uvicorn.Config(
        make_app(config),
        ws="websockets-sansio",
        ws_max_size=MAX_MESSAGE,
        ws_per_message_deflate=False,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=bool(config.public_url),
        backlog=BACKLOG,
        timeout_graceful_shutdown=3,
    )
    return uvicorn.Server(settings)


def run(config: Config, host: str, port: int, tell: Callable[[str], None]) -> None:
    """Serve until interrupted; `tell` is handed the address.

    Raises:
        SpecError: it cannot listen there.
        StoreError: the database cannot be used.
    """
    with listen(host, port) as listener:
        open_play(config.database).close()  # says in a sentence what is wrong with it
        read_secret(config.database)
        shown = f"[{host}]" if ":" in host else host
        tell(config.public_url or f"http://{shown}:{listener.getsockname()[1]}")
        make_server(config).run([listener])
