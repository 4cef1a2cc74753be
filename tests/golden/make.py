"""Writes the golden records anew: `python -m tests.golden.make [GAME…]`. Do so only when rules are meant to change."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ludus import agent, load
from ludus.arena.match import Match
from ludus.catalogue import game_names
from ludus.game import Game
from ludus.testing import settings_of

FOLDER = Path(__file__).parent


def digest(states: np.ndarray) -> str:
    return hashlib.sha256(states.tobytes()).hexdigest()[:16]


def golden_matches(game: Game) -> Iterator[dict]:
    """A random match in every setting, with a digest of the last position."""
    chooser = agent("random", game)
    for setting in settings_of(game, seed=2026, matches=1):
        match = Match(game, setting.players, game.rule_values(setting.preset), seed=2026)
        while not match.over:
            for player, view in match.waiting().items():
                match.submit(player, chooser.act(view, match.stream(player)))
        record = json.loads(match.record(["random"] * setting.players).to_json())
        yield {"preset": setting.preset, "digest": digest(match.states), "record": record}


def main() -> None:
    for name in sys.argv[1:] or game_names():
        lines = [json.dumps(one, separators=(",", ":")) for one in golden_matches(load(name))]
        (FOLDER / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
