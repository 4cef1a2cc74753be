"""`check_game`: does a game keep the contract?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ludus.catalogue import load
from ludus.errors import LudusError
from ludus.game import Game
from ludus.testing.plain import check_plain
from ludus.testing.positions import Walk
from ludus.testing.records import check_records
from ludus.testing.report import Report, Setting, settings_of


def check_game(
    name: str | Game, *, matches: int = 100, seed: int = 0, preset: str = "", players: int = 0, match: int | None = None
) -> Iterator[Report]:
    """Check a game; yields the growing report after every part, the same object each time."""
    game = load(name)
    report = Report(game.source)
    _check_layout(report, game)
    settings = settings_of(game, seed, matches, preset, players)
    try:
        for setting in settings:
            if report.playable:
                Walk(report, game, setting, match).go()
            yield report
        if match is None:
            for setting in settings:
                if report.playable:
                    check_records(report, game, setting)
                check_plain(report, game, setting, len(settings))
                yield report
            _check_secrets(report, game, settings[0], whole=not preset and not players)
    except LudusError:
        raise
    except Exception as error:  # Numba reports what it cannot compile with a family of exceptions of its own
        report.fail("compiles", _short(error, game), settings[0].command(game))
    yield report


def _short(error: Exception, game: Game) -> str:
    """What does not compile, in which rule and where; Numba tells it amid the story of its own search."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))  # Numba colours its words
    what = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("Failed in ")]
    rule = re.search(r"<function (\w+)", text)
    home = Path(game.module.__file__ or "").resolve().parent
    places = re.findall(r'(?:at |File ")(\S+\.py)"?(?:, line | \()(\d+)', text)
    found = [f" ({Path(path).resolve()}, line {line})" for path, line in places if Path(path).resolve().parent == home]
    sentence = f"{type(error).__name__}: {what[0] if what else 'no word'}"[:400]
    return (f"`{rule[1]}`: " if rule else "") + sentence + (found[0] if found else "")


def _check_layout(report: Report, game: Game) -> None:
    gap = _nameless_bytes(game.state_type)
    command = f"ludus check {game.source}"
    if gap:
        report.fail("layout", f"State has {gap} nameless bytes; make it with record(), which names them", command)
    elif game.state_type.itemsize % 8:
        report.fail("layout", "State is not made of whole 64-bit words; make it with record()", command)
    elif not game.facts.hidden and game.writes("hide"):
        report.fail("layout", "the game writes `hide`, so FACTS must say hidden=True", command)
    elif game.facts.hidden and not game.writes("twin"):
        report.fail("twin", "FACTS says hidden, so the game must write `twin`, a swap of two things unknown", command)
    else:
        report.count("layout")


def _nameless_bytes(kind: np.dtype) -> int:
    """Bytes of a record that no field names, within nested records too."""
    if kind.subdtype:
        return _nameless_bytes(kind.base) * int(np.prod(kind.shape))
    if not kind.names:
        return 0
    columns = [kind[name] for name in kind.names]
    return kind.itemsize - sum(column.itemsize - _nameless_bytes(column) for column in columns)


def _check_secrets(report: Report, game: Game, setting: Setting, whole: bool) -> None:
    """Somewhere something must have been unknown; then some two guesses must have differed."""
    if report.passed.get("twin", 0) and not report.passed.get("worlds_vary", 0):
        report.fail("worlds_vary", "determinize gave the same world at every position and seed", setting.command(game))
    if whole and game.facts.hidden and report.playable and not report.passed.get("twin", 0):
        report.fail("twin", "FACTS says hidden, but `twin` never swapped anything", setting.command(game))
