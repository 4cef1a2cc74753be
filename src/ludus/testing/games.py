"""`check_game`: does a game keep the contract?"""

from __future__ import annotations

from collections.abc import Iterator

from ludus.catalogue import load
from ludus.compile import explained
from ludus.errors import LudusError
from ludus.game import Game
from ludus.testing.declared import check_claims, check_declared, check_shapes
from ludus.testing.plain import compare_digests, play_plainly
from ludus.testing.positions import Walk
from ludus.testing.records import check_records
from ludus.testing.report import Report, Setting, settings_of


def check_game(
    name: str | Game, *, matches: int = 100, seed: int = 0, preset: str = "", players: int = 0, match: int | None = None
) -> Iterator[Report]:
    """Check a game; yields the growing report after every part, the same object each time."""
    game = load(name)
    report = Report(game.source)
    check_declared(report, game)
    settings = settings_of(game, seed, matches, preset, players)
    check_shapes(report, game, settings)
    try:
        for _ in _parts(report, game, settings, match):
            yield report
        if match is None and report.playable:
            check_claims(report, game, settings[0], whole=not preset and not players)
    except LudusError:
        raise
    except Exception as error:  # Numba reports what it cannot compile with a family of exceptions of its own
        report.fail("compiles", explained(error), settings[0].command(game))
    yield report


def _parts(report: Report, game: Game, settings: list[Setting], match: int | None) -> Iterator[None]:
    """Plain Python first: what it finds, compiled code would pay for with its life."""
    plain = play_plainly(report, game, settings) if match is None and report.playable else []
    yield
    for setting in settings:
        for _ in Walk(report, game, setting, match).plies() if report.playable else ():
            yield
    for setting, digests in zip(settings, plain):
        if report.playable:
            check_records(report, game, setting)
            compare_digests(report, game, setting, digests)
        yield
