"""Runs the application in uvicorn."""

import socket
from collections.abc import Callable
from contextlib import closing

import uvicorn

from kibitz.core.errors import SpecError
from kibitz.store.lease import Lease
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


def make_server(config: Config, lease: Lease | None = None) -> uvicorn.Server:
    """Make a server that is told its sockets when it runs."""
    app = make_app(config, lease)
    settings = uvicorn.Config(
        app,
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
    server = uvicorn.Server(settings)

    def stop() -> None:
        server.should_exit = True

    app.state.stop = stop
    return server


def run(config: Config, host: str, port: int, tell: Callable[[str], None]) -> None:
    """Serve until interrupted; `tell` is handed the address.

    Raises:
        SpecError: it cannot listen there.
        StoreError: the database cannot be used, or another server uses it.
    """
    with listen(host, port) as listener, closing(open_play(config.database)) as store:
        read_secret(config.database)
        lease = Lease(store.database)  # taken here, where what is wrong is said in a sentence
        lease.take()
        try:
            shown = f"[{host}]" if ":" in host else host
            tell(config.public_url or f"http://{shown}:{listener.getsockname()[1]}")
            make_server(config, lease).run([listener])
        finally:
            lease.give_up()
