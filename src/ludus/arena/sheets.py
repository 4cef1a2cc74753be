"""Matches as rows for tables, and one match as a text that people read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ludus.arena.match import replay
from ludus.game import Game, View
from ludus.records import MatchRecord, Store
from ludus.rules import share


def match_rows(records: Iterable[MatchRecord], tournament: str = "") -> Iterator[dict[str, Any]]:
    """One row for each seat of each match."""
    for number, record in enumerate(records, 1):
        named = {"tournament": tournament} if tournament else {}
        for seat in range(record.players):
            yield named | {
                "match": number,
                "game": record.game,
                "seed": record.seed,
                "block": record.block,
                "rotation": record.rotation,
                "seat": seat,
                "agent": record.agents[seat],
                "return": record.returns[seat],
                "share": share(record.returns[seat], record.players),
                "plies": record.plies,
                "outcome": record.outcome,
                "at_fault": record.culprit == seat,
                "detail": record.detail,
                "seconds": record.seconds[seat] if record.seconds else None,
            }


def store_rows(store: Store) -> Iterator[dict[str, Any]]:
    """The same of every tournament in a store."""
    for name in store.tournaments():
        yield from match_rows((record for _, record in store.matches(name)), name)


LINE = 100
"""Signs on a line of moves."""


def match_text(record: MatchRecord, game: Game) -> str:
    """A match in the manner of chess players: what it was in square brackets, then the moves, numbered by step."""
    head = {
        "Game": game.facts.title,
        "Version": record.version,
        **{f"Player{seat}": agent for seat, agent in enumerate(record.agents, 1)},
        "Rules": ", ".join(f"{name}={value}" for name, value in record.rules.items()),
        "Seed": f"{record.seed}.{record.block}.{record.rotation}",
        "Result": " ".join(f"{share(value, record.players):g}" for value in record.returns),
        "Ending": replay(record, game=game).outcome_text(),
    }
    tags = "\n".join(f'[{name} "{value}"]' for name, value in head.items() if value)
    return f"{tags}\n\n{_filled(_moves(record, game))}\n"


def _moves(record: MatchRecord, game: Game) -> Iterator[str]:
    """The words of every step; of players who act at once, joined by a plus."""
    at = 0
    for ply in range(record.plies):
        match = replay(record, ply, game)
        words = []
        for player in match.acting:
            words.append(View(game, match.states, player).action_text(record.actions[at]))
            at += 1
        yield f"{ply + 1}. {' + '.join(words)}"


def _filled(words: Iterable[str]) -> str:
    lines = [""]
    for word in words:
        if lines[-1] and len(lines[-1]) + 1 + len(word) > LINE:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + word
    return "\n".join(lines)
