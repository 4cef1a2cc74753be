"""Frames: the whole state of a live match as a viewer may know it, as plain values for JSON.

Everything is computed from the viewer's own masked view: a seat's number, or WATCHER.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping
from typing import Any

from ludus.arena.live import HUMAN, LiveMatch, Reasons, Seat
from ludus.arena.match import Match
from ludus.draw import choices, default, picture
from ludus.draw.canvas import seat_name
from ludus.game import Game, View

CANDIDATES = 8
"""Actions that an agent's thoughts tell of."""

log = logging.getLogger(__name__)


def scene(live: LiveMatch, viewer: int) -> dict[str, Any]:
    """What changes only with a step."""
    match, view = live.match, live.view(viewer)
    can_act = viewer in match.acting
    return {
        "type": "state",
        "seat": viewer,
        "ply": match.plies,
        "svg": drawn(view, live.earlier(viewer), can_act),
        "to_act": match.acting,
        "at_once": len(live.choosing) > 1,
        "your_turn": can_act,
        "actions": described_actions(view) if can_act else [],
        "moves": [{"ply": ply, "player": player, "text": text} for ply, player, text in live.moves(viewer)],
        "thoughts": [_thoughts(reasons) for reasons in live.thoughts(viewer)],
        "over": match.over,
        "outcome_text": outcome_in_words(match) if match.over else "",
        "returns": match.returns,
    }


def header(game: Game, seats: list[Seat], connected: Mapping[int, bool], invited: Collection[int]) -> dict[str, Any]:
    rows = [
        {
            "seat": player,
            "name": seat_name(player) if seat.is_person else seat.spec,
            "kind": HUMAN if seat.is_person else "agent",
            "connected": connected.get(player, False) if seat.is_person else True,
            "open": player in invited,
            "thinking": seat.thinking,
        }
        for player, seat in enumerate(seats)
    ]
    return {"game": game.name, "title": game.facts.title, "players": len(seats), "seats": rows}


def _thoughts(reasons: Reasons) -> dict[str, Any]:
    rows = [{"text": text, "value": value, "visits": n} for text, value, n in reasons.actions[:CANDIDATES]]
    return {
        "player": reasons.player,
        "ply": reasons.ply,
        "value": reasons.value,
        "actions": rows,
        "note": reasons.note,
    }


def drawn(view: View, before: View | None, can_act: bool) -> str:
    """The picture of a view; a game whose own picture fails is shown as text, and the match goes on."""
    try:
        return picture(view, before, can_act)
    except Exception:
        log.exception("the picture of %s failed", view.game.name)
        return default.draw(view, before).svg()


def described_actions(view: View) -> list[dict[str, Any]]:
    """The viewer's legal actions: number, text, and the parts to click."""
    try:
        clicks = choices(view)
    except Exception:
        log.exception("the clicks of %s failed", view.game.name)
        clicks = {int(action): () for action in view.legal}
    return [{"action": a, "text": view.action_text(a), "clicks": list(parts)} for a, parts in clicks.items()]


def outcome_in_words(match: Match) -> str:
    """How the match ended, with seats counted from 1."""
    if match.culprit < 0:
        return match.outcome_text()
    if match.outcome == "resigned":
        return f"{seat_name(match.culprit)} resigned"
    return f"{seat_name(match.culprit)} loses by {match.outcome}" + (f": {match.detail}" if match.detail else "")


def rehearse(game: Game, players: int, values: Mapping[str, object]) -> None:
    """One step of a match with all its frames, and a look at the payoffs: every kernel that a live match calls has then
    been compiled, or loaded."""
    live = LiveMatch(Match(game, players, values), [Seat(HUMAN) for _ in range(players)])
    for player, view in live.match.waiting().items():
        live.play(player, described_actions(view)[0]["action"], 0)
    for viewer in range(-1, players):
        scene(live, viewer)
    game.payoffs(live.match.states)
