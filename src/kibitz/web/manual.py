"""A page that lists all addresses, made of the OpenAPI document, without scripts."""

from html import escape
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

router = APIRouter(prefix="/api", include_in_schema=False)

_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>kibitz: addresses</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="/static/favicon.svg" type="image/svg+xml"></head>
<body><h1>Addresses of this server</h1>
<p>The whole description is <a href="/api/openapi.json">openapi.json</a>. Play goes over the
WebSocket <code>/api/tables/TABLE/socket?since=0&amp;language=en</code>; its messages are described
in <code>ui/src/wire.ts</code>.</p>
<table><thead><tr><th>Address</th><th>What it does</th><th>What it takes</th></tr></thead>
<tbody>{rows}</tbody></table></body></html>
"""


@router.get("/docs")
async def docs(request: Request) -> HTMLResponse:
    """List all addresses."""
    paths: dict[str, dict[str, Any]] = request.app.openapi()["paths"]
    rows = [
        _row(method.upper(), path, call)
        for path, calls in sorted(paths.items())
        for method, call in calls.items()
    ]
    return HTMLResponse(_PAGE.format(rows="".join(rows)))


def _row(method: str, path: str, call: dict[str, Any]) -> str:
    cells = (f"{method} {path}", call.get("description", ""), _takes(call))
    return "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>"


def _takes(call: dict[str, Any]) -> str:
    named = [one["name"] for one in call.get("parameters", []) if one["in"] != "cookie"]
    body = call.get("requestBody", {}).get("content", {}).get("application/json", {})
    kind = body.get("schema", {}).get("$ref", "").rpartition("/")[2]
    return ", ".join([*named, *([kind] if kind else [])])
