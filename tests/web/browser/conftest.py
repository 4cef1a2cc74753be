"""One real server and one real browser for every worker. Set LUDUS_SCREENSHOTS to a folder to keep the pictures."""

from __future__ import annotations

import json
import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest

pytest.importorskip("playwright", reason="the browser tests need playwright")
pytest.importorskip("uvicorn", reason="the browser tests need a server")

import uvicorn
from playwright.sync_api import Browser, sync_playwright

from ludus.arena.schedule import make_schedule
from ludus.arena.tournament import Tournament
from ludus.cli.serve import listen
from ludus.records import Store
from ludus.web.app import SERVER, create_app
from tests.web.browser.people import Person
from tests.web.guests import UNLIMITED

QUIET = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync"]
QUIET += ["--disable-component-update", "--disable-default-apps", "--disable-extensions", "--mute-audio"]


@dataclass
class Page:
    """The running server."""

    app: Any
    address: str

    def post(self, body: dict[str, Any]) -> dict[str, Any]:
        """Open a match; every invitation is accepted."""
        made = self._post("/api/matches", body)
        for seat in made["seats"]:
            if "invitation" in seat:
                answer = {"invitation": seat["invitation"].partition("invitation=")[2], "agrees": True}
                seat["link"] = self._post(f"/api/matches/{made['id']}/join", answer)["link"]
        return made

    def _post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        request = Request(self.address + path, json.dumps(body).encode(), {"Content-Type": "application/json"})
        with urlopen(request, timeout=60) as answer:
            return json.load(answer)

    def session(self, id: str) -> Any:
        """The truth about a match, which no browser gets."""
        return self.app.state.lobby.sessions[id]


STUMBLER = """
from dataclasses import dataclass
from ludus import Agent

@dataclass
class Stumbler(Agent):
    def act(self, view, rng):
        raise RuntimeError("I have stumbled")
"""


def furnish(folder: Path) -> dict[str, Any]:
    """A cup that was played, a report that was written, and an agent that fails."""
    settings = {"store": folder / "matches.sqlite", "reports": folder / "reports", "agents": [folder / "stumbler.py"]}
    settings["agents"][0].write_text(STUMBLER)
    settings["reports"].mkdir()
    (settings["reports"] / "noughts.html").write_text("<!doctype html><title>Noughts, tested</title><h1>Noughts</h1>")
    with Store(settings["store"]) as store:
        schedule = make_schedule("tic_tac_toe", ["mcts:sims=40", "random", "greedy"], "default", {}, blocks=4)
        Tournament(schedule, store, "a small cup").run()
    return settings


@pytest.fixture(scope="session")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    app = create_app(**furnish(tmp_path_factory.mktemp("page")), limits=UNLIMITED, thinkers=2)
    server = uvicorn.Server(uvicorn.Config(app, **SERVER))
    door = listen("127.0.0.1", 0)
    thread = threading.Thread(target=server.run, args=([door],))
    thread.start()
    while not server.started:
        time.sleep(0.02)
    yield Page(app, f"http://127.0.0.1:{door.getsockname()[1]}")
    server.should_exit = True
    thread.join(timeout=20)


@pytest.fixture(scope="package")  # while it is open no other test of this process can start an event loop
def browser() -> Iterator[Browser]:
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("there is no browser on this machine")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=QUIET)
        yield browser
        browser.close()


@pytest.fixture
def seat_person(page: Page, browser: Browser) -> Iterator[Callable[..., Person]]:
    """Makes people; when they leave, nothing may have gone wrong in their browsers."""
    people: list[Person] = []

    def sit(path: str, **looks: Any) -> Person:
        people.append(Person(browser, page.address, **looks))
        people[-1].go(path)
        return people[-1]

    yield sit
    for person in people:
        person.leave()


@pytest.fixture(scope="session")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    wanted = os.environ.get("LUDUS_SCREENSHOTS")
    folder = Path(wanted) if wanted else tmp_path_factory.mktemp("pictures")
    folder.mkdir(parents=True, exist_ok=True)
    return folder
