"""What stands before every address: who may ask at all, and the headers that keep browsers strict.

A foreign page must not play for you: what it opens carries its own origin. Nor may it reach this server by giving its
own name the server's address: the server answers only to the address that was called, and to names that it was given.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from fastapi.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ludus.disk import finite

LARGEST = 16_384
"""Bytes of a request."""
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
REFUSED = 1008
"""Why a WebSocket is closed, as the protocol numbers it."""
POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self' 'unsafe-inline'",  # every SVG brings its style sheet
        "img-src 'self' data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    ]
)
REPORT_POLICY = (
    "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"
)
"""A report is one file with its scripts in it: it may run them, but as a stranger that reaches nothing here."""
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",  # an address may hold the key of a seat
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-cache",
}


class Json(JSONResponse):
    """JSON in ASCII: half a character, as a hostile client may send one, would not go into UTF-8."""

    def render(self, content: Any) -> bytes:
        return json.dumps(finite(content), separators=(",", ":")).encode("ascii")


def problem(status: int, sentence: str, suggestions: Sequence[str] = ()) -> Response:
    return Json({"error": sentence, "suggestions": list(suggestions)}, status)


class Guard:
    """Looks at where a request comes from before anybody else does."""

    def __init__(self, app: ASGIApp, hosts: frozenset[str]):
        self.app, self.hosts = app, hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                present = {name for name, _ in message["headers"]}
                extra = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
                message["headers"] = [*message["headers"], *(pair for pair in extra if pair[0] not in present)]
            await send(message)

        if objection := self._objection(scope, headers):
            await _deny(scope, receive, send_with_headers, *objection)
        else:
            await self.app(scope, receive, send_with_headers)

    def _objection(self, scope: Scope, headers: dict[str, str]) -> tuple[int, str] | None:
        """Why a request is not even looked at: a status and a sentence."""
        host = headers.get("host", "")
        called = (scope.get("server") or ("",))[0]
        if _host_name(host) not in self.hosts | {called}:
            return 403, "this server does not go by that name; whoever runs it can allow it: --allow-host NAME"
        is_act = scope["type"] == "websocket" or scope["method"] not in ("GET", "HEAD")
        if is_act and "origin" in headers and _origin_host(headers["origin"]) != host:
            return 403, "another page may not act here"
        length = headers.get("content-length", "0")
        if "transfer-encoding" in headers or not length.isdecimal() or int(length) > LARGEST:
            return 413, f"a request has at most {LARGEST:,} bytes, and says how many"
        return None


def _host_name(host: str) -> str:
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def _origin_host(origin: str) -> str:
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return ""


async def _deny(scope: Scope, receive: Receive, send: Send, status: int, reason: str) -> None:
    if scope["type"] == "http":
        await problem(status, reason)(scope, receive, send)
        return
    await receive()
    await send({"type": "websocket.close", "code": REFUSED, "reason": reason})
