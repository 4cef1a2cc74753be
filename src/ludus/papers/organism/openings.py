"""How matches of Organism begin: the most common first turns, and pictures of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from ludus.catalogue import load
from ludus.draw import canvas, picture
from ludus.game import View
from ludus.measure.replays import positions_of
from ludus.papers.experiments import Result
from ludus.records import MatchRecord
from ludus.report.boards import without_style
from ludus.report.page import safe

GAME = "organism"
TURNS = 4
"""Two of each player are shown."""


def typical(records: Sequence[MatchRecord]) -> Result:
    """The decisions of the most common first turn, its most common answer, and so on; after how many decisions each
    turn ends, and how many of all matches are still with it then."""
    found = positions_of(load(GAME), records)
    matches = [found.states[first:last] for first, last in zip(found.first_position, found.first_position[1:])]
    going, ends, counts = list(range(len(matches))), [], []
    for turn in range(1, TURNS + 1):
        after = {k: _after(matches[k], turn) for k in going}
        boards = {k: matches[k][ply]["piece"].tobytes() + matches[k][ply]["food"].tobytes()
                  for k, ply in after.items() if ply is not None}  # fmt: skip
        if not boards:
            break
        common, count = Counter(boards.values()).most_common(1)[0]
        going = [k for k, board in boards.items() if board == common]
        ends, counts = [*ends, after[going[0]]], [*counts, count]
    last = ends[-1] if ends else 0
    return {"matches": len(records), "actions": list(map(int, records[going[0]].actions[:last])),
            "rules": records[0].rules, "ends": ends, "counts": counts}  # fmt: skip


def _after(states: np.ndarray, turn: int) -> int | None:
    """The first ply at which so many turns are over."""
    over = np.flatnonzero(states["turns"] >= turn)
    return int(over[0]) if len(over) else None


def pictures(label: str, opening: Result) -> str:
    """The board after each of the first turns."""
    game = load(GAME)
    state = game.start(np.zeros((1, 3), np.uint64), 2, game.params.values(opening["rules"]))
    drawn, before = [], state.copy()
    for ply, action in enumerate(opening["actions"], 1):
        actions = np.full((1, 2), action, np.int32)
        game.advance(state, actions, np.zeros((1, 3), np.uint64))
        if ply in opening["ends"]:
            at = opening["ends"].index(ply)
            board = without_style(picture(View(game, state.copy(), 0), View(game, before, 0)))
            seat, count = ("first", "second")[at % 2], opening["counts"][at]
            words = f"{seat} player; {count} of {opening['matches']} matches began so"
            drawn.append(f"<div class=still><div class=board>{board}</div><p class=caption>{safe(words)}</p></div>")
            before = state.copy()
    return f"<h3>{safe(label)}</h3><div class=stills>{''.join(drawn)}</div>"


STYLE = (
    canvas.STYLE
    + """
.stills{display:grid;grid-template-columns:repeat(4,minmax(0,1fr));gap:.6rem 1rem}
.board svg{display:block;width:100%;height:auto}
.caption{margin:.2rem 0;font-size:.85rem;color:var(--soft)}
@media screen and (max-width:48rem){.stills{grid-template-columns:repeat(2,minmax(0,1fr))}}
"""
)
