"""The addresses of the page: HTML, JSON and WebSockets, with a guard before all of them.

Errors are ``{"error": a sentence, "suggestions": […]}`` for programs, and a page with links for people.
"""

from __future__ import annotations

import asyncio
import html
import inspect
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import quote

from fastapi import FastAPI, Query, Request, WebSocket
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, HTMLResponse, RedirectResponse, Response
from fastapi.staticfiles import StaticFiles
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException

from ludus.errors import LudusError
from ludus.game import Game
from ludus.web import socket
from ludus.web.archive import Archive, Playback, Search
from ludus.web.connections import Connection
from ludus.web.guard import LOOPBACK, REPORT_POLICY, Guard, Json, problem
from ludus.web.lobby import Full, Lobby, Terms, described_seats
from ludus.web.offers import NotFound, Offers, UnknownGame
from ludus.web.session import FASTEST, SLOWEST, NeedsConsent, Session
from ludus.web.thinkers import Thinkers
from ludus.web.visitors import Limits, Visitors

STATIC = Path(__file__).parent / "static"
SERVER: dict[str, Any] = {
    "http": Connection,
    "log_config": None,  # as everything else is logged
    "access_log": False,
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


class Acceptance(BaseModel):
    """How an invitation is answered."""

    invitation: Name
    agrees: bool = False
    """To luck that was chosen beforehand."""


def create_app(
    store: Path = Path("ludus.sqlite"),
    reports: Path = Path("playtests"),
    games: Sequence[Path] = (),
    agents: Sequence[Path] = (),
    hosts: frozenset[str] = LOOPBACK,
    limits: Limits = Limits(),  # noqa: B008 (it cannot be changed)
    thinkers: int = 0,
) -> FastAPI:
    """The whole page. `hosts` are the names under which it may be called, besides the address that is called.
    `thinkers` is the number of processes that think; 0 takes what fits the machine."""
    offers = Offers(games, agents)
    archive = Archive(offers, store, reports)
    visitors = Visitors(limits)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        app.state.lobby = Lobby(offers, archive, Thinkers(thinkers))
        yield
        await app.state.lobby.close()

    app = FastAPI(
        title="Ludus", docs_url=None, redoc_url=None, openapi_url="/api/openapi.json",
        lifespan=lifespan, default_response_class=Json,
    )  # fmt: skip
    app.add_middleware(Guard, hosts=hosts)
    _add_errors(app)
    _add_games(app, offers)
    _add_matches(app, visitors)
    _add_replays(app, offers, archive)
    _add_tournaments(app, archive)
    _add_reports(app, archive)
    _add_pages(app, archive)
    return app


# ------------------------------------------------------------------------------------------------ errors


STATUS = {NotFound: 404, UnknownGame: 404, Full: 429, NeedsConsent: 409}


def _add_errors(app: FastAPI) -> None:
    @app.exception_handler(LudusError)
    async def on_refusal(request: Request, error: Exception) -> Response:
        status = next((code for kind, code in STATUS.items() if isinstance(error, kind)), 422)
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


def _add_games(app: FastAPI, offers: Offers) -> None:
    @app.get("/api/games")
    async def games() -> list[dict[str, Any]]:
        is_prepared = app.state.lobby.preparation.is_prepared
        return [_described_game(game) | {"prepared": is_prepared(game)} for game in offers.games()]

    @app.get("/api/games/{name}/agents")
    def agents(name: str) -> list[dict[str, str]]:
        return offers.ladder(offers.game(name))

    @app.get("/api/games/{name}/picture.svg", response_class=Response)
    async def portrait(name: str) -> Response:
        drawn = await app.state.lobby.preparation.portrait(offers.game(name))
        return Response(status_code=202) if drawn is None else Response(drawn, media_type="image/svg+xml")


def _add_matches(app: FastAPI, visitors: Visitors) -> None:
    @app.get("/api/matches")
    async def matches() -> list[dict[str, Any]]:
        return await app.state.lobby.listed()

    @app.post("/api/matches", status_code=201)
    async def open_match(wanted: NewMatch, request: Request) -> Response:
        if wanted.players not in (None, len(wanted.seats)):
            return problem(422, f"{wanted.players} players need {wanted.players} seats, not {len(wanted.seats)}")
        if not visitors.may_open(_visitor(request)):
            return problem(429, "you have opened many matches; wait a few seconds before the next")
        terms = Terms(**wanted.model_dump(exclude={"players"}))
        session = await app.state.lobby.open(terms, _visitor(request))
        return Json({"id": session.id, "watch": f"/match/{session.id}", "seats": _links(session)}, 201)

    @app.post("/api/matches/{id}/join")
    async def join(id: str, answer: Acceptance) -> dict[str, Any]:
        session = await app.state.lobby.find(id)
        if session is None:
            raise NotFound("there is no such match; it may have been closed")
        player, key = session.accept(answer.invitation, answer.agrees)
        app.state.lobby.keep_soon(session)
        return {"seat": player, "link": f"/match/{id}?key={key}"}

    @app.websocket("/ws/match/{id}")
    async def live(connection: WebSocket, id: str, key: str = "") -> None:
        await connection.accept()
        lobby: Lobby = app.state.lobby
        session = await lobby.find(id)
        viewer = session.viewer_with(key) if session else None
        if session is None:
            await socket.turn_away(connection, "there is no such match; it may have been closed")
        elif viewer is None:
            await socket.turn_away(connection, "this key fits no seat of the match")
        else:
            await socket.serve(connection, lobby, visitors, session, viewer)


def _visitor(request: Request) -> str:
    return request.client.host if request.client else ""


def _links(session: Session) -> list[dict[str, Any]]:
    """The maker gets the key of the first person's seat, and invitations for those of others."""
    rows = described_seats(session.specs)
    for player in session.people[:1]:
        rows[player]["link"] = f"/match/{session.id}?key={session.new_key(player)}"
    for player in session.people[1:]:
        rows[player]["invitation"] = f"/match/{session.id}?invitation={session.invite(player)}"
    return rows


@lru_cache(256)
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
        "picture": _portrait_address(game.name),
    }


def _portrait_address(name: str) -> str:
    """Pictures of our own games are files, since a fresh installation would else compile all of them for its lobby."""
    is_file = (STATIC / "games" / f"{name}.svg").is_file()
    return f"/static/games/{quote(name)}.svg" if is_file else f"/api/games/{quote(name)}/picture.svg"


def _about(title: str, book: str) -> str:
    """The rule book's first sentence, without the title that stands above it on the card."""
    bare = re.sub(rf"^{re.escape(title)}\W+", "", " ".join(book.split()), flags=re.IGNORECASE)
    sentence = re.split(r"[.;!?]", bare, maxsplit=1)[0]
    return f"{sentence[:1].upper()}{sentence[1:]}." if sentence else ""


# ------------------------------------------------------------------------------------------------ what is kept


def _add_replays(app: FastAPI, offers: Offers, archive: Archive) -> None:
    @app.get("/api/replays")
    def replays(limit: Annotated[int, Query(ge=1, le=500)] = 50) -> list[dict[str, Any]]:
        return archive.replays(limit)

    async def playback(id: str, request: Request) -> Playback:
        """A finished match, with its rules compiled beforehand."""
        lobby: Lobby = app.state.lobby
        record = await asyncio.to_thread(archive.record, id)
        await lobby.preparation.match(
            offers.game_of_record(record.game), _visitor(request), record.players, record.rules
        )
        return await asyncio.to_thread(archive.playback, id)

    @app.get("/api/replays/{id:path}/frames/{ply}")
    async def frame(id: str, ply: int, request: Request, seat: Annotated[int, Query(ge=0)] | None = None) -> Response:
        shown = await playback(id, request)
        if not 0 <= ply < len(shown.states):
            return problem(404, f"the match has plies 0 to {len(shown.states) - 1}, not {ply}")
        if seat is not None and seat >= shown.record.players:
            return problem(404, f"the match has seats 0 to {shown.record.players - 1}, not {seat}")
        return Json(await asyncio.to_thread(shown.frame, ply, seat))

    @app.get("/api/replays/{id:path}/chances")
    async def chances(id: str, request: Request) -> dict[str, Any]:
        found = await app.state.lobby.estimates.curve(await playback(id, request))
        return {"chances": [one and asdict(one) for one in found]}

    @app.get("/api/replays/{id:path}")
    async def one_replay(id: str, request: Request) -> dict[str, Any]:
        return (await playback(id, request)).describe(id)


def _add_tournaments(app: FastAPI, archive: Archive) -> None:
    @app.get("/api/tournaments")
    def tournaments() -> list[dict[str, Any]]:
        return archive.tournaments()

    @app.get("/api/tournaments/{name:path}/matches")
    def matches_of(
        name: str,
        agent: Annotated[str, Query(max_length=200)] = "",
        against: Annotated[str, Query(max_length=200)] = "",
        result: Literal["", "won", "drew", "lost"] = "",
        outcome: Annotated[str, Query(max_length=20)] = "",
        after: Annotated[str, Query(max_length=60)] = "",
        limit: Annotated[int, Query(ge=1, le=200)] = 50,
    ) -> dict[str, Any]:
        return archive.matches(name, Search(agent, against, result if agent else "", outcome), after, limit)

    @app.get("/api/tournaments/{name:path}")
    def one_tournament(name: str) -> dict[str, Any]:
        return archive.tournament(name)


def _add_reports(app: FastAPI, archive: Archive) -> None:
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

    for path in ("/", "/tournaments", "/tournaments/{name:path}", "/reports"):
        app.get(path, response_class=HTMLResponse, include_in_schema=False)(shell)

    @app.get("/match/{id}", response_class=HTMLResponse, include_in_schema=False)
    async def match_page(id: str) -> Response:
        if await app.state.lobby.find(id):
            return shell()
        if await asyncio.to_thread(archive.has, id):
            return RedirectResponse(f"/replay/{id}")
        raise NotFound("there is no such match; it may have been closed")

    @app.get("/replay/{id:path}", response_class=HTMLResponse, include_in_schema=False)
    def replay_page(id: str) -> Response:
        archive.record(id)
        return shell()

    app.mount("/static", StaticFiles(directory=STATIC, check_dir=False), "static")
