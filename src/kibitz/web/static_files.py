"""The page itself: index.html for every address of it, hashed files for ever, safe headers."""

import re
from pathlib import Path

from fastapi import FastAPI, Request, Response
from fastapi.responses import FileResponse, PlainTextResponse

from kibitz.web.service import find_guest, find_service

STATIC = Path(__file__).with_name("static")

_HASHED = re.compile(r"[-.][0-9A-Za-z]{8}\.\w+$")

HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; "
        "img-src 'self' data:; font-src 'self'; connect-src 'self'; manifest-src 'self'; "
        "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}


def add_pages(app: FastAPI, folder: Path = STATIC) -> None:
    """Serve the page; must be added after all other addresses."""

    @app.get("/{path:path}", include_in_schema=False)
    async def page(path: str, request: Request) -> Response:
        found = find_page(folder, path)
        if found.media_type == "text/html":  # who follows a link is known before the table asks
            await find_guest(request, found, find_service(request))
        return found


def find_page(folder: Path, path: str) -> Response:
    """Return a file of the page, or index.html for the addresses that the page draws itself."""
    if path.startswith("api/") or "\0" in path:
        return PlainTextResponse("not found", 404)
    file = (folder / path.removeprefix("static/")).resolve()
    if path.startswith("static/") and file.is_relative_to(folder.resolve()) and file.is_file():
        is_hashed = bool(_HASHED.search(file.name))
        how = "public, max-age=31536000, immutable" if is_hashed else "no-cache"
        return FileResponse(file, headers={"cache-control": how})
    index = folder / "index.html"
    if "." in path.rpartition("/")[2] or not index.is_file():
        missing = "not found" if index.is_file() else "the page has not been built: run make ui"
        return PlainTextResponse(missing, 404)
    return FileResponse(index, headers={"cache-control": "no-cache"})
