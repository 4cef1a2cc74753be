"""How many times one can get clearly better."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from ludus.arena.ratings import rate as rate_agents
from ludus.arena.statistics import Interval
from ludus.measure.evidence import Evidence
from ludus.measure.metric import COUNT, ELO, SHARE, SKILL, Intervals, Light, Metric, Reading
from ludus.measure.replays import shares_of
from ludus.measure.sampling import Replays, unknown
from ludus.measure.strength import pair_score, pairs_of

RUNG = 0.6
"""The score that one level must surely reach against another to count as clearly better."""


@dataclass(frozen=True)
class SkillLadder:
    rungs: int
    """The longest chain of levels each of which beats the one before with a score that surely exceeds 0.6."""
    scores: tuple[Interval, ...]
    """Each level against the one below, as a match of two; levels that never met have n = 0."""
    met: tuple[str, ...]
    """The levels that met another one; the last may have had no time for it."""
    elo: Interval
    """From the lowest of these to the highest."""


def measure(levels: Sequence[str], lineups: Sequence[Replays]) -> SkillLadder:
    """`levels` from the weakest up. Each lineup is a list of matches; those of two levels are used."""
    pairs = pairs_of(levels, lineups)
    scores = tuple(pair_score(pairs.get(frozenset(step), []), step[1]) for step in pairwise(levels))
    met = tuple(level for level in levels if any(level in pair for pair in pairs))
    return SkillLadder(_longest_chain(levels, pairs), scores, met, _climb(met, list(pairs.values())))


def _longest_chain(levels: Sequence[str], pairs: Mapping[frozenset[str], Replays]) -> int:
    """Rungs from one level to another, neighbours or not: a step too small to be sure of is left out."""
    rungs = [0] * len(levels)
    for high, strong in enumerate(levels):
        for low, weak in enumerate(levels[:high]):
            if pair_score(pairs.get(frozenset((strong, weak)), []), strong).low >= RUNG:
                rungs[high] = max(rungs[high], rungs[low] + 1)
    return max(rungs)


def _climb(levels: Sequence[str], pairs: Sequence[Replays]) -> Interval:
    """All pairs rated together, the lowest level at 0."""
    matches = [replay for pair in pairs for replay in pair]
    if not matches:
        return unknown(-math.inf, math.inf)
    blocks = [f"{k} {replay.block}" for k, pair in enumerate(pairs) for replay in pair]
    agents, shares = [replay.agents for replay in matches], shares_of(matches)
    rows = rate_agents(agents, shares, np.array(blocks), rng=np.random.default_rng(0), repeats=200, anchor=levels[0])
    top = next(row for row in rows.rows if row.name == levels[-1])
    return replace(top.elo, n=len(matches))


def _of(evidence: Evidence) -> SkillLadder:
    return measure(evidence.specs, [lineup.replays for lineup in evidence.lineups])


def read(evidence: Evidence) -> Iterator[Reading | Light]:
    if len(evidence.levels) < 2:
        return
    specs, ladder = evidence.specs, evidence.once(_of, evidence)
    steps = [(high, low, one) for low, high, one in zip(specs, specs[1:], ladder.scores) if one.n]
    if ladder.met:
        climb = Reading("elo", f"{ladder.met[-1]} above {ladder.met[0]}", ladder.elo, ELO)
        yield climb
        yield _light(ladder, climb.text)
    rungs = Interval(ladder.rungs, ladder.rungs, ladder.rungs, ladder.elo.n)
    yield Reading("rungs", "Times one gets clearly better", rungs, COUNT)
    for strong, weak, one in reversed(steps):
        yield Reading("step", f"{strong} against {weak}", one, level=strong)


def _light(ladder: SkillLadder, climb: str) -> Light:
    tops = [score for score in ladder.scores if score.n]
    if ladder.rungs == 0:
        is_flat = bool(tops) and all(score.high < RUNG for score in tops)
        words = f"Thinking more hardly pays: from the weakest to the strongest level it is {climb}."
        return Light("red" if is_flat else "unsure", "Skill", words)
    stops = " The last step pays no more." if tops and tops[-1].high < RUNG else ""
    times = "once" if ladder.rungs == 1 else f"{ladder.rungs} times"
    words = f"On {len(ladder.met)} levels one gets clearly better {times}; in all it is {climb}.{stops}"
    return Light("green", "Skill", words)


def chart(evidence: Evidence) -> Intervals | None:
    """Each level against the one below."""
    if len(evidence.levels) < 2:
        return None
    specs = evidence.specs
    steps = zip(specs[1:], specs, evidence.once(_of, evidence).scores)
    rows = [(f"{strong} against {weak}", [one]) for strong, weak, one in steps if one.n]
    words = "How often each level beats the one below, as a match of two. While steps stay high, thinking more pays."
    return Intervals("Skill ladder", words, ["score"], rows, even=0.5) if rows else None


METRIC = Metric(
    SKILL,
    "How many times one can get clearly better at the game.",
    read,
    chart,
    needs="pairs",
    parts={"elo": ELO, "rungs": COUNT, "step": SHARE},
)
