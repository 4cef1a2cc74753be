"""All games that the bridges are tested with: the ten, and the README's Nim."""

from __future__ import annotations

import re
from pathlib import Path

from ludus.catalogue import game_names

ROOT = Path(__file__).resolve().parents[2]
GAMES = [*game_names(), "nim"]
RULES = {"planet_wars": {}, "goofspiel": {"cards": 4}}
"""Smaller than usual, where matches are long."""


def source(name: str, folder: Path) -> str:
    """What `load` takes; the README's game is written into a folder."""
    if name != "nim":
        return name
    path = folder / "nim.py"
    text = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)[0]
    path.write_text(text, encoding="utf-8")
    return str(path)
