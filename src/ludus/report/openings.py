"""How matches begin: the first decisions as a tree, how often each was taken and how it went."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from ludus.arena.statistics import wilson
from ludus.game import Game
from ludus.measure.evidence import Lineup
from ludus.measure.replays import positions_of
from ludus.report.charts import Node, tree_chart

DEPTH, WIDTH, LEAST = 3, 6, 0.02
"""Decisions shown, branches of each, and the share below which a branch is one of the others."""
TINT = 3.0
"""A lean of a third of the point is full colour."""
DOUBT = 10
"""Matches that speak for an even result before the first is seen: else a line played once has the deepest colour."""


def openings_chart(game: Game, lineup: Lineup) -> str:
    matches = list(range(len(lineup.replays)))
    nodes = _branches(_Openings(game, lineup), matches, 0, len(matches))
    heads = [f"decision {k + 1}" for k in range(DEPTH)]
    others = "good for player 2" if lineup.replays[0].players == 2 else "good for the others"
    return tree_chart(f"How {len(matches):,} matches begin", heads, nodes, ("good for player 1", others))


class _Openings:
    """The first decisions of every match, and their words."""

    def __init__(self, game: Game, lineup: Lineup):
        self.game, self.lineup = game, lineup
        self.lines = [replay.actions[:DEPTH].tolist() for replay in lineup.replays]
        self.first = np.array([replay.shares[0] for replay in lineup.replays])
        self.even = 1 / lineup.replays[0].players

    def words(self, i: int, k: int) -> str:
        """What was decided in decision k of a match."""
        found = positions_of(self.game, [self.lineup.records[i]])
        return self.game.action_text(found.states[found.steps[k]], int(found.movers[k]), int(found.actions[k]))


def _branches(openings: _Openings, matches: Sequence[int], k: int, total: int) -> list[Node]:
    groups: dict[int, list[int]] = defaultdict(list)
    for i in matches:
        if len(openings.lines[i]) > k:
            groups[openings.lines[i][k]].append(i)
    largest = sorted(groups.values(), key=lambda own: -len(own))
    kept = [own for own in largest[:WIDTH] if len(own) >= LEAST * total]
    kept = largest if len(largest) == len(kept) + 1 else kept  # one other has a name
    nodes = [_node(openings, openings.words(own[0], k), own, k, total) for own in kept]
    rest = [i for own in largest[len(kept) :] for i in own]
    if rest:
        nodes.append(_node(openings, f"{len(largest) - len(kept)} others", rest, DEPTH, total))
    return nodes


def _node(openings: _Openings, words: str, matches: Sequence[int], k: int, total: int) -> Node:
    share = len(matches) / total
    result = wilson(float(openings.first[list(matches)].sum()), len(matches))
    children = _branches(openings, matches, k + 1, total) if k + 1 < DEPTH else []
    lean = TINT * (result.value - openings.even) * len(matches) / (len(matches) + DOUBT)
    return Node(f"{words} · {100 * share:.0f} %", share, lean, f"{words}: player 1 scores {result}", children)
