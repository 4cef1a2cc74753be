"""Which kinds of action a playtest forbids and gives, for how many matches, and what that told; kept on disk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ludus.arena.statistics import Interval
from ludus.disk import read_json, write_json
from ludus.game import Game
from ludus.measure.evidence import Level, Lineup
from ludus.measure.intervention import Worth, treated, worths
from ludus.measure.metrics.action_use import telling
from ludus.playtest.ledger import Ledger
from ludus.playtest.plan import BANS, FEWEST, Order
from ludus.workers import Workers

NAME = "bans.json"
MOST = 400
"""Matches of a kind and a seat: enough to see five points."""


def forbid(
    order: Order, game: Game, lineups: Sequence[Lineup], levels: Sequence[Level], folder: Path, ledger: Ledger,
    workers: Workers,
) -> list[Worth]:  # fmt: skip
    """What the most telling kinds of action are worth to the strongest level that can be afforded."""
    if not order.bans:
        return []
    path = folder / NAME
    if not path.exists():
        write_json(path, [asdict(one) for one in _worths(order, game, lineups, levels, ledger, workers)])
    return [_worth(one) for one in read_json(path)]


def _worth(kept: dict[str, Any]) -> Worth:
    gift = Interval(**kept["gift"]) if kept.get("gift") else None
    return Worth(kept["kind"], Interval(**kept["found"]), kept["spec"], gift)


def _worths(
    order: Order, game: Game, lineups: Sequence[Lineup], levels: Sequence[Level], ledger: Ledger, workers: Workers
) -> list[Worth]:
    own = {lineup.specs[0]: lineup for lineup in lineups if lineup.is_self_play}
    values = game.rule_values(order.preset, order.rules)
    for level in reversed(levels):
        kinds = telling(own[level.spec].replays, {}) if own[level.spec].replays else []
        blocks = _affordable(order, ledger.seconds_each(own[level.spec].name), 1 + 2 * len(kinds) * order.players)
        if len(kinds) > 1 and blocks >= FEWEST:
            made = treated(game, values, order.players)
            return worths(made, kinds, values, level.spec, blocks, order.players, order.seed, workers)
    return []


def _affordable(order: Order, each: float, lineups: int) -> int:
    """Matches of each; where numbers were ordered no clock decides."""
    if order.games:
        return order.games
    return min(MOST, int(BANS * order.mode.seconds / max(each * lineups, 1e-9)))
