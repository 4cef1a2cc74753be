"""The pictures of the pages in docs/pictures, made anew: the lobby, a match among agents, and the reports of playtests.

    python bench/pictures.py                     what the server shows
    python bench/pictures.py FOLDER              FOLDER/GAME/report.html for each game of docs/playtests.md, and the
                                                 openings of FOLDER/organism.html, the reproduction of that paper

It needs playwright and a Chromium on this machine.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from contextlib import contextmanager
from pathlib import Path
from urllib.request import Request, urlopen

from playwright.sync_api import Page, sync_playwright

from guests import serving

PICTURES = Path(__file__).resolve().parents[1] / "docs" / "pictures"
REPORTS = {
    "connect_four": "playtest",
    **{game: f"playtest_{game}" for game in ("thrones", "organism", "pivit", "gravwell", "planet_wars")},
}
PATIENCE = 300_000
"""Milliseconds in which a board must have come."""


@contextmanager
def browsing(width: int, height: int):
    with sync_playwright() as playwright:
        program = shutil.which("chromium") or shutil.which("google-chrome")
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        yield browser.new_page(viewport={"width": width, "height": height})
        browser.close()


def keep(page: Page, name: str) -> None:
    page.screenshot(path=PICTURES / f"{name}.png")


def open_match(address: str, **terms: object) -> str:
    request = Request(f"{address}/api/matches", json.dumps(terms).encode(), {"Content-Type": "application/json"})
    with urlopen(request) as answer:
        opened = json.load(answer)
    return address + opened["seats"][0].get("link", opened["watch"])


def show_server() -> None:
    with serving() as server, browsing(1240, 690) as page:
        address = f"http://127.0.0.1:{server.port}"
        page.goto(address, wait_until="networkidle")
        keep(page, "lobby")
        page.set_viewport_size({"width": 1180, "height": 740})
        seats = ["champion", "dual"]
        page.goto(open_match(address, game="planet_wars", seats=seats, preset="finals", seed=3, speed=5))
        page.get_by_text(re.compile(r"turn [23]\d/")).first.wait_for(timeout=PATIENCE)  # a single turn is soon over
        page.get_by_role("button", name="Pause").click()
        keep(page, "planet_wars")


def show_reports(folder: Path) -> None:
    with browsing(1000, 760) as page:
        for game, name in REPORTS.items():
            if (report := folder / game / "report.html").is_file():
                page.goto(report.resolve().as_uri())
                keep(page, name)
        if (paper := folder / "organism.html").is_file():
            page.goto(paper.resolve().as_uri(), timeout=PATIENCE)
            page.add_style_tag(content="#how-it-plays table{display:none}")  # pictures alone
            page.locator("#how-it-plays").screenshot(path=PICTURES / "organism_openings.png", timeout=PATIENCE)


if __name__ == "__main__":
    show_reports(Path(sys.argv[1])) if sys.argv[1:] else show_server()
