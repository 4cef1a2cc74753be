"""Draws the pictures on the lobby's cards anew: python -m tests.web.browser.make_portraits

They are files, because a fresh installation would else compile every game before its lobby is shown.
"""

from __future__ import annotations

from ludus.catalogue import game_names
from ludus.web.app import STATIC
from ludus.web.tasks import portrait

FOLDER = STATIC / "games"

if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name in game_names():
        (FOLDER / f"{name}.svg").write_text(portrait(name), encoding="utf-8")
