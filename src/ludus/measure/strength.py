"""Who beats whom: the matches of pairs of agents, as scores of a match between two."""

from __future__ import annotations

from collections.abc import Sequence

from ludus.arena.statistics import Interval
from ludus.measure.replays import Replay, played
from ludus.measure.sampling import blocks_of, rate

Replays = Sequence[Replay]


def pair_score(replays: Replays, strong: str) -> Interval:
    """The score of `strong` among weaker agents, as that of a match between two: with n players one agent among n - 1
    others scores s, and against one of them s / (s + (1 - s) / (n - 1))."""
    replays = [replay for replay in played(replays) if strong in replay.agents]
    if not replays:
        return Interval(0.5, 0.0, 1.0, 0)
    scores = [replay.shares[[agent == strong for agent in replay.agents]].mean() for replay in replays]
    found, rivals = rate(scores, blocks_of(replays)), replays[0].players - 1
    value, low, high = (s / (s + (1 - s) / rivals) for s in (found.value, found.low, found.high))
    return Interval(value, low, high, found.n)


def pairs_of(agents: Sequence[str], lineups: Sequence[Replays]) -> dict[frozenset[str], list[Replay]]:
    """The lineups in which two of these agents met."""
    met = ((frozenset(replays[0].agents), played(replays)) for replays in lineups if replays)
    return {pair: replays for pair, replays in met if len(pair) == 2 and pair <= set(agents) and replays}
