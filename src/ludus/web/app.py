"""The addresses of the page: HTML, JSON and WebSockets, with a guard before all of them.

Errors are ``{"error": a sentence, "suggestions": […]}`` for programs, and a page with links for people.
"""

from __future__ import annotations

import html
import inspect
import json
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote, urlsplit

from fastapi import FastAPI, Query, Request, WebSocket
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, HTMLResponse, JSONResponse, RedirectResponse, Response
from fastapi.staticfiles import StaticFiles
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ludus.errors import LudusError
from ludus.game import Game
from ludus.web import socket
from ludus.web.archive import Archive
from ludus.web.lobby import Full, Lobby, Terms
from ludus.web.session import FASTEST, HUMAN, SLOWEST, Session, finite
from ludus.web.shelf import NotFound, Shelf, UnknownGame

LARGEST = 16_384
"""Bytes of a request."""
STATIC = Path(__file__).parent / "static"
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
SERVER: dict[str, Any] = {
    "log_level": "warning",
    "ws_max_size": 4 * socket.LONGEST,  # a little more than is taken, so that the refusal can say why
    "ws_per_message_deflate": False,  # packing every frame would cost more time than sending it
    "timeout_graceful_shutdown": 2,
    "server_header": False,
}
"""How uvicorn runs the page."""

Name = Annotated[str, Field(max_length=200)]
Value = bool | int | float | Annotated[str, Field(max_length=100)]


class NewMatch(BaseModel):
    """What a match is opened with."""

    model_config = ConfigDict(extra="forbid")

    game: Name
    seats: Annotated[list[Name], Field(min_length=1, max_length=16)]
    players: int | None = None
    preset: Name = "default"
    rules: Annotated[dict[Name, Value], Field(max_length=100)] = {}
    seed: Annotated[int, Field(ge=0, lt=1 << 53)] | None = None
    speed: Annotated[float, Field(ge=SLOWEST, le=FASTEST)] | None = None


def create_app(
    store: Path = Path("ludus.sqlite"),
    reports: Path = Path("playtests"),
    games: Sequence[Path] = (),
    agents: Sequence[Path] = (),
    hosts: frozenset[str] = frozenset(),
) -> FastAPI:
    """The whole page. `hosts` are the names under which it may be called; none given, any."""
    shelf = Shelf(games, agents)
    archive = Archive(shelf, store, reports)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        app.state.lobby = Lobby(shelf, archive)
        yield
        app.state.lobby.close()

    app = FastAPI(
        title="Ludus", docs_url=None, redoc_url=None, openapi_url="/api/openapi.json",
        lifespan=lifespan, default_response_class=Json,
    )  # fmt: skip
    app.add_middleware(Guard, hosts=hosts)
    _add_errors(app)
    _add_lobby(app, shelf)
    _add_archive(app, archive)
    _add_pages(app, archive)
    return app


# ------------------------------------------------------------------------------------------------ the guard


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


class Guard:
    """Looks at where a request comes from before anybody else does, and adds the headers that keep browsers strict.

    A foreign page must not play for you: what it opens carries its own origin. Nor may it reach a server on loopback by
    giving its own name that address: such a server answers only to the names of loopback.
    """

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
        if self.hosts and _host_name(host) not in self.hosts:
            return 403, "this server does not go by that name"
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
    await send({"type": "websocket.close", "code": socket.POLICY, "reason": reason})


# ------------------------------------------------------------------------------------------------ errors


class Json(JSONResponse):
    """JSON in ASCII: half a character, as a hostile client may send one, would not go into UTF-8."""

    def render(self, content: Any) -> bytes:
        return json.dumps(finite(content), separators=(",", ":")).encode("ascii")


def problem(status: int, sentence: str, suggestions: Sequence[str] = ()) -> Response:
    return Json({"error": sentence, "suggestions": list(suggestions)}, status)


def _add_errors(app: FastAPI) -> None:
    @app.exception_handler(LudusError)
    async def on_refusal(request: Request, error: Exception) -> Response:
        status = 404 if isinstance(error, NotFound | UnknownGame) else 429 if isinstance(error, Full) else 422
        return _told(request, status, str(error), getattr(error, "near", []))

    @app.exception_handler(RequestValidationError)
    async def on_misfit(request: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"] if part not in ("body", "query", "path"))
        return _told(request, 422, f"{where[:80] or 'the request'}: {first['msg']}")

    @app.exception_handler(HTTPException)
    async def on_status(request: Request, error: HTTPException) -> Response:
        sentence = "there is nothing at this address" if error.status_code == 404 else str(error.detail).lower()
        answer = _told(request, error.status_code, sentence)
        answer.headers.update(error.headers or {})
        return answer


def _told(request: Request, status: int, sentence: str, suggestions: Sequence[str] = ()) -> Response:
    """As JSON to programs, as a page to people."""
    if request.url.path.startswith(("/api/", "/static/")):
        return problem(status, sentence, suggestions)
    return HTMLResponse(_error_page(request.url.path, sentence, suggestions), status)


def _error_page(path: str, sentence: str, suggestions: Sequence[str]) -> str:
    room = path.strip("/").partition("/")[0]
    links = [(f"/{room}/{quote(name, safe='')}", name) for name in suggestions]
    links += [("/", "the lobby"), ("/tournaments", "tournaments"), ("/reports", "reports")]
    items = "".join(f'<li><a href="{html.escape(url)}">{html.escape(name)}</a></li>' for url, name in links)
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Ludus: not found</title>'
        '<meta name="viewport" content="width=device-width"><link rel="stylesheet" href="/static/style.css">'
        '<link rel="icon" href="/static/icon.svg" type="image/svg+xml"></head>'
        f'<body><main class="lost"><h1>Not here</h1><p>{html.escape(sentence[:1].upper() + sentence[1:])}.</p>'
        f"<p>Perhaps one of these:</p><ul>{items}</ul></main></body></html>"
    )


# ------------------------------------------------------------------------------------------------ the lobby


def _add_lobby(app: FastAPI, shelf: Shelf) -> None:
    @app.get("/api/games")
    def games() -> list[dict[str, Any]]:
        return [_described_game(game) for game in shelf.games()]

    @app.get("/api/games/{name}/agents")
    def agents(name: str) -> list[dict[str, str]]:
        return shelf.ladder(shelf.game(name))

    @app.get("/api/matches")
    async def matches() -> list[dict[str, Any]]:
        return [_described_match(session) for session in app.state.lobby.sessions.values()]

    @app.post("/api/matches", status_code=201)
    async def open_match(wanted: NewMatch) -> Response:
        if wanted.players not in (None, len(wanted.seats)):
            return problem(422, f"{wanted.players} players need {wanted.players} seats, not {len(wanted.seats)}")
        session = await app.state.lobby.open(Terms(**wanted.model_dump(exclude={"players"})))
        watch = f"/match/{session.id}"
        links = [f"{watch}?key={seat.key}" if seat.is_person else None for seat in session.seats]
        seats = [row | ({"link": link} if link else {}) for row, link in zip(_described_seats(session), links)]
        return Json({"id": session.id, "watch": watch, "seats": seats}, 201)

    @app.websocket("/ws/match/{id}")
    async def live(connection: WebSocket, id: str, key: str = "") -> None:
        await connection.accept()
        lobby: Lobby = app.state.lobby
        session = lobby.sessions.get(id)
        viewer = session.viewer_with(key) if session else None
        if session is None:
            await _turn_away(connection, "there is no such match; it may have been closed")
        elif viewer is None:
            await _turn_away(connection, "this key fits no seat of the match")
        elif len(session.audience) >= socket.MOST_CONNECTIONS:
            await _turn_away(connection, "too many are looking at this match already")
        else:
            await socket.serve(connection, lobby, session, viewer)


async def _turn_away(connection: WebSocket, reason: str) -> None:
    await connection.send_text(json.dumps({"type": "refused", "reason": reason, "closed": True}))
    await connection.close(socket.POLICY, reason)


def _described_game(game: Game) -> dict[str, Any]:
    facts = game.facts
    book = inspect.getdoc(game.module) or ""
    params = [
        {
            "name": name,
            "default": param.default,
            "span": param.span,
            "choices": list(param.choices) or None,
            "low": param.low,
            "high": param.high,
            "help": param.help,
        }
        for name, param in game.params.declared.items()
    ]
    return {
        "name": game.name,
        "title": facts.title,
        "about": _about(facts.title, book),
        "rules": book,
        "players": list(facts.players),
        "hidden": facts.hidden,
        "chance": facts.chance,
        "simultaneous": facts.simultaneous,
        "presets": list(game.presets),
        "params": params,
    }


def _about(title: str, book: str) -> str:
    """The rule book's first sentence, without the title that stands above it on the card."""
    bare = re.sub(rf"^{re.escape(title)}\W+", "", " ".join(book.split()), flags=re.IGNORECASE)
    sentence = re.split(r"[.;!?]", bare, maxsplit=1)[0]
    return f"{sentence[:1].upper()}{sentence[1:]}." if sentence else ""


def _described_seats(session: Session) -> list[dict[str, Any]]:
    return [
        {"seat": player, "kind": HUMAN} if seat.is_person else {"seat": player, "kind": "agent", "spec": seat.spec}
        for player, seat in enumerate(session.seats)
    ]


def _described_match(session: Session) -> dict[str, Any]:
    return {
        "id": session.id,
        "game": session.game.name,
        "title": session.game.facts.title,
        "players": len(session.seats),
        "seats": _described_seats(session),
        "plies": session.match.plies,
        "over": session.over,
        "watchers": len(session.audience),
    }


# ------------------------------------------------------------------------------------------------ what is kept


def _add_archive(app: FastAPI, archive: Archive) -> None:
    @app.get("/api/replays")
    def replays(
        game: Annotated[str, Query(max_length=200)] = "", limit: Annotated[int, Query(ge=1, le=500)] = 50
    ) -> list[dict[str, Any]]:
        return archive.replays(game, limit)

    @app.get("/api/replays/{id:path}/frames/{ply}")
    def frame(id: str, ply: int, seat: Annotated[int, Query(ge=0)] | None = None) -> Response:
        playback = archive.playback(id)
        if not 0 <= ply < len(playback.states):
            return problem(404, f"the match has plies 0 to {len(playback.states) - 1}, not {ply}")
        if seat is not None and seat >= playback.record.players:
            return problem(404, f"the match has seats 0 to {playback.record.players - 1}, not {seat}")
        return Json(playback.frame(ply, seat))

    @app.get("/api/replays/{id:path}/chances")
    def chances(id: str) -> dict[str, Any]:
        return {"chances": archive.playback(id).chances()}

    @app.get("/api/replays/{id:path}")
    def one_replay(id: str) -> dict[str, Any]:
        return archive.playback(id).describe(id)

    @app.get("/api/tournaments")
    def tournaments() -> list[dict[str, Any]]:
        return archive.tournaments()

    @app.get("/api/reports")
    def reports() -> list[dict[str, Any]]:
        return archive.list_reports()

    @app.get("/reports/{name:path}", response_class=HTMLResponse)
    def report(name: str) -> Response:
        return FileResponse(
            archive.report(name), media_type="text/html", headers={"content-security-policy": REPORT_POLICY}
        )


# ------------------------------------------------------------------------------------------------ pages


def _add_pages(app: FastAPI, archive: Archive) -> None:
    def shell() -> Response:
        return FileResponse(STATIC / "index.html", media_type="text/html")

    for path in ("/", "/tournaments", "/reports"):
        app.get(path, response_class=HTMLResponse, include_in_schema=False)(shell)

    @app.get("/match/{id}", response_class=HTMLResponse, include_in_schema=False)
    def match_page(id: str) -> Response:
        if id in app.state.lobby.sessions:
            return shell()
        if archive.has(id):
            return RedirectResponse(f"/replay/{id}")
        raise NotFound("there is no such match; it may have been closed")

    @app.get("/replay/{id:path}", response_class=HTMLResponse, include_in_schema=False)
    def replay_page(id: str) -> Response:
        archive.record(id)
        return shell()

    app.mount("/static", StaticFiles(directory=STATIC, check_dir=False), "static")
