"""What a game declares: its record, its facts, and whether they were seen to be true."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence

import numpy as np

from ludus.errors import LudusError
from ludus.game import Game
from ludus.rules import Facts
from ludus.testing.report import Report, Setting

MOST_PLAYERS = 30
"""A mask of players is a whole number of 32 bits."""


def check_declared(report: Report, game: Game) -> None:
    """What can be said before any match."""
    command = f"ludus check {game.source}"
    wrong = _layout_fault(game)
    if wrong:
        report.fail("layout", wrong, command)
    else:
        report.count("layout")
    wrong = _facts_fault(game.facts)
    if wrong:
        report.fail("facts", wrong, command)
    else:
        report.count("facts")
    if game.facts.hidden and not game.writes("twin"):
        report.fail("twin", "FACTS says hidden, so the game must write `twin`, a swap of two things unknown", command)


def _layout_fault(game: Game) -> str:
    gap = _nameless_bytes(game.state_type)
    if gap:
        return f"State has {gap} nameless bytes; make it with record(), which names them"
    if game.state_type.itemsize % 8:
        return "State is not made of whole 64-bit words; make it with record()"
    if not game.facts.hidden and game.writes("hide"):
        return "the game writes `hide`, so FACTS must say hidden=True"
    return ""


def _nameless_bytes(kind: np.dtype) -> int:
    """Bytes of a record that no field names, within nested records too."""
    if kind.subdtype:
        return _nameless_bytes(kind.base) * int(np.prod(kind.shape))
    if not kind.names:
        return 0
    columns = [kind[name] for name in kind.names]
    return kind.itemsize - sum(column.itemsize - _nameless_bytes(column) for column in columns)


def _facts_fault(facts: Facts) -> str:
    low, high = facts.players
    if not 1 <= low <= high <= MOST_PLAYERS:
        return f"players={facts.players} must be the fewest and the most players, from 1 to {MOST_PLAYERS}"
    if facts.max_actions < 1 or facts.max_plies < 1:
        return "max_actions and max_plies must be at least 1"
    return ""


def check_shapes(report: Report, game: Game, settings: Sequence[Setting]) -> None:
    """FEATURES and POLICY have room for the board of every setting, and for that of the largest params."""
    most = {name: param.high for name, param in game.params.declared.items() if not param.choices}
    for setting in settings:
        values = game.rule_values(setting.preset)
        for where, these in ((f"preset {setting.preset}", values), ("the largest params", {**values, **most})):
            wrong = _shape_fault(game, setting.players, these)
            if wrong:
                report.fail("shape", f"{where}, {setting.players} players: {wrong}", setting.command(game))
    report.count("shape")


def _shape_fault(game: Game, players: int, values: Mapping[str, object]) -> str:
    with contextlib.suppress(LudusError):
        game.check_setting(players, values)
        try:
            game.shapes(players, values)
        except LudusError as error:
            return str(error)
        except Exception as error:  # the game's own code, whatever it raises
            return f"`shapes` raises {type(error).__name__}: {error}"
    return ""


def check_claims(report: Report, game: Game, setting: Setting, whole: bool) -> None:
    """What can be said after all matches; `whole` if every preset was played with every number of players."""
    swapped = report.passed.get("twin", 0)
    if swapped and not report.passed.get("worlds_vary", 0):
        report.fail("worlds_vary", "determinize gave the same world at every position and seed", setting.command(game))
    if whole and game.facts.hidden and not swapped:
        report.fail("twin", "FACTS says hidden, but `twin` never swapped anything", setting.command(game))
    if whole:
        _note_idle_claims(report, game)


def _note_idle_claims(report: Report, game: Game) -> None:
    """FACTS states the widest case, so a claim that nothing bore out is no failure; but agents refuse games by it."""
    for fact, what in (("chance", "no random number was drawn"), ("simultaneous", "no two players acted at once")):
        if getattr(game.facts, fact) and not report.seen.get(fact):
            report.notes.append(f"FACTS says {fact}, but {what} in any match")
    if not game.facts.zero_sum and not report.seen.get("unequal"):
        report.notes.append("FACTS says zero_sum=False, but the payoffs of every match sum to zero")
