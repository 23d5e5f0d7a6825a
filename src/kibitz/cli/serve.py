"""`kibitz serve`: the web table."""

from typing import Annotated
from urllib.parse import urlsplit

import typer

from kibitz.cli.console import announce_compilation, out
from kibitz.core.errors import SpecError, clip

LOOPBACK = ("127.0.0.1", "localhost", "::1")


def add_to(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command(epilog="Example: kibitz serve --port 8000")(serve)


def serve(
    host: Annotated[
        str, typer.Option(help="The address to listen at; 0.0.0.0 is reached by everybody.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes any free one.")] = 8000,
    database: Annotated[
        str | None,
        typer.Option(help="A file or the URL of a database.", show_default="your own"),
    ] = None,
    public_url: Annotated[
        str, typer.Option(help="The address that people use, if a proxy stands before it.")
    ] = "",
) -> None:
    """Serve the web table: people play in their browsers, against bots and each other.

    It is reached from this computer alone unless --host says otherwise.
    """
    try:
        import fastapi  # noqa: F401
        import itsdangerous  # noqa: F401
        import limits  # noqa: F401
        import uvicorn  # noqa: F401
        import websockets  # noqa: F401
    except ImportError:
        raise SpecError(
            "the web table needs packages that are not installed: pip install 'kibitz[web]'"
        ) from None
    from kibitz.web.config import Config
    from kibitz.web.server import run

    if not host.strip():
        raise SpecError("expected an address to listen at, such as 127.0.0.1")
    name = _name_in(public_url) if public_url else "localhost"
    announce_compilation()
    names = (*LOOPBACK, name) if host in LOOPBACK else ()
    config = Config(database=database, public_url=public_url.rstrip("/"), hosts=names)
    run(config, host, port, lambda address: out.print(f"open {address}", soft_wrap=True))


def _name_in(url: str) -> str:
    """Return the name of the server in an address; SpecError if it is no address."""
    try:
        parts = urlsplit(url)
        is_one = parts.scheme in ("http", "https") and parts.port != 0
    except ValueError:
        is_one = False
    if not is_one or not parts.hostname:
        raise SpecError(f"expected an address such as https://example.org, got {clip(url)}")
    return parts.hostname
