"""Guests at the page, for its tests: they open matches, connect, and remember every frame."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fastapi.testclient import TestClient

from ludus.web.app import create_app
from ludus.web.visitors import Limits

UNLIMITED = Limits(openings=10_000, watching=10_000, messages=10_000)


@contextmanager
def visiting(folder: Path, **options: Any) -> Iterator[TestClient]:
    """A page with an empty store, in this process."""
    options = {"limits": UNLIMITED, "thinkers": 2} | options
    app = create_app(folder / "store.sqlite", folder / "reports", **options)
    with TestClient(app, raise_server_exceptions=False) as client:
        yield client


def open_match(client: TestClient, game: str, seats: list[str], **more: Any) -> dict[str, Any]:
    """A match that can be played, with a link for each person: every invitation is accepted."""
    answer = client.post("/api/matches", json={"game": game, "seats": seats, "speed": 20, **more})
    assert answer.status_code == 201, answer.text
    opened = answer.json()
    for seat in opened["seats"]:
        if "invitation" in seat:
            invitation = seat["invitation"].partition("invitation=")[2]
            body = {"invitation": invitation, "agrees": True}
            seat["link"] = client.post(f"/api/matches/{opened['id']}/join", json=body).json()["link"]
    session = client.app.state.lobby.sessions[opened["id"]]  # pyright: ignore
    while session.live is None and not session.trouble:
        time.sleep(0.005)
    return opened


def address(opened: dict[str, Any], seat: int | None = None) -> str:
    """Where to connect: for a seat, or to watch."""
    query = "" if seat is None else "?" + opened["seats"][seat]["link"].partition("?")[2]
    return f"/ws/match/{opened['id']}{query}"


PATIENCE = 20
"""Pings that are waited for: a game that is met for the first time is compiled, on a busy machine for minutes."""


class Guest:
    """One connection; every message that came is kept."""

    def __init__(self, socket: Any):
        self.socket = socket
        self.frames: list[dict[str, Any]] = []
        self.others: list[dict[str, Any]] = []

    def say(self, **message: Any) -> None:
        self.socket.send_json(message)

    def hear(self) -> dict[str, Any]:
        message = self.socket.receive_json()
        for _ in range(PATIENCE):
            if message["type"] == "ping":
                message = self.socket.receive_json()
        assert message["type"] != "ping", "nothing came for a long time"
        (self.frames if message["type"] == "state" else self.others).append(message)
        return message

    def until(self, wanted: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
        """The first message that is as wanted."""
        while True:
            message = self.hear()
            if wanted(message):
                return message

    def state(self, wanted: Callable[[dict[str, Any]], Any] = lambda state: True) -> dict[str, Any]:
        return self.until(lambda message: message["type"] == "state" and wanted(message))

    def now(self, wanted: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
        """The latest state if it is as wanted, else the next one that is."""
        return self.frames[-1] if self.frames and wanted(self.frames[-1]) else self.state(wanted)

    def refusal(self) -> str:
        return self.until(lambda message: message["type"] == "refused")["reason"]


@contextmanager
def sitting(client: TestClient, *addresses: str) -> Iterator[list[Guest]]:
    """Connections to several addresses at once."""
    if not addresses:
        yield []
        return
    with client.websocket_connect(addresses[0]) as socket, sitting(client, *addresses[1:]) as rest:
        yield [Guest(socket), *rest]
