"""What a tournament has shown so far: ratings, a cross-table, circles and faults, every number with its interval.

Page and command line call the same function on the same sums, so they say the same. It takes as long for ten million
matches as for a thousand; what it found is kept in the store until more matches are played.
"""

from __future__ import annotations

import itertools
import json
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ludus.arena.circles import alpha_rank, cyclic_share
from ludus.arena.faults import Fault
from ludus.arena.ratings import Ratings, rate_units
from ludus.arena.schedule import Lineup
from ludus.arena.series import Moments, Series
from ludus.arena.statistics import GsprtResult, Interval, score_of_blocks
from ludus.errors import LudusError
from ludus.frames import frame, html
from ludus.records import Store

Pair = tuple[str, str]


@dataclass(frozen=True)
class Standings:
    name: str
    game: str
    players: int
    agents: list[str]
    played: int
    mean_plies: float
    ratings: Ratings | None
    """From whole blocks; none before the first is whole."""
    pairs: dict[Pair, Interval]
    """Score of the first agent in the matches where the second played too."""
    faults: list[Fault]
    lasting: dict[str, float]
    """α-rank: how much of the time each agent is played where everybody imitates winners; for three agents or more."""
    circles: float | None
    """The share of the cross-table that no ladder explains; noise counts as circles."""
    test: GsprtResult | None = None
    """until-sure: whether the first agent of the schedule is better than the second."""

    def rows(self) -> list[dict[str, Any]]:
        """One for each agent, the best first."""
        return [
            {"agent": row.name, "elo": row.elo.value, "low": row.elo.low, "high": row.elo.high, "score": row.score,
             "matches": row.elo.n, "faults": sum(fault.count for fault in self.faults if fault.agent == row.name)}
            for row in (self.ratings.rows if self.ratings else ())
        ]  # fmt: skip

    def frame(self):
        """The rows as an Arrow table, for pandas, polars and others."""
        return frame(self.rows())

    def _repr_html_(self) -> str:
        return html(self.rows(), f"{self.name}: {self.game}, {self.played:,} matches", "95 % intervals over blocks")

    def to_dict(self) -> dict[str, Any]:
        whole = asdict(self)
        whole["pairs"] = [{"agent": a, "against": b, **asdict(score)} for (a, b), score in self.pairs.items()]
        return whole


def standings(series: Series, test: GsprtResult | None = None) -> Standings:
    """Where the agents of a series stand."""
    agents, played, units = list(series.entrants), series.played, series.units()
    pairs = _pairs(agents, series.moments(), series.players)
    lasting, circles = _circles(agents, pairs)
    return Standings(
        series.name,
        str(series.plan.get("game", "")),
        series.players,
        agents,
        played,
        series.plies / max(played, 1),
        _ratings(agents, units) if units and series.players > 1 else None,
        pairs,
        series.faults(),
        lasting,
        circles,
        test,
    )


def kept_standings(store: Store, name: str) -> dict[str, Any]:
    """The standings as JSON would have them, from the store if no match was played since."""
    series = Series(store, name)
    with store.reading() as db:
        query = "select content from standings where tournament = ? and matches = ?"
        row = db.execute(query, (name, series.played)).fetchone()
    return json.loads(row[0]) if row else keep_standings(series, standings(series))


def keep_standings(series: Series, found: Standings) -> dict[str, Any]:
    """Keep the standings until more matches are played; a store that cannot be written is no hindrance."""
    content = found.to_dict()
    try:
        with series.store.writing() as db:
            row = series.name, found.played, json.dumps(content)
            db.execute("insert or replace into standings values (?, ?, ?)", row)
    except LudusError:
        pass
    return content


def _ratings(agents: list[str], units: dict) -> Ratings:
    """Those who played; an agent may have entered and not played yet."""
    numbers = sorted({agent for unit in units for lineup, _ in unit for agent in lineup})
    place = {number: k for k, number in enumerate(numbers)}
    counted = {
        tuple((tuple(place[agent] for agent in lineup), places) for lineup, places in unit): blocks
        for unit, blocks in units.items()
    }
    return rate_units([agents[number] for number in numbers], counted, rng=np.random.default_rng(0))


def _pairs(agents: list[str], moments: dict[tuple[Lineup, int], Moments], players: int) -> dict[Pair, Interval]:
    sums: dict[tuple[int, int], Moments] = {}
    for (lineup, a), own in moments.items():
        for b in set(lineup) - {a}:
            sums[a, b] = sums.get((a, b), Moments()) + own
    found = ((pair, sums[pair]) for pair in itertools.permutations(range(len(agents)), 2) if pair in sums)
    return {
        (agents[a], agents[b]): score_of_blocks(own.blocks, own.total, own.squares, players) for (a, b), own in found
    }


def _circles(agents: list[str], pairs: dict[Pair, Interval]) -> tuple[dict[str, float], float | None]:
    """Of the agents that all met one another."""
    if len(agents) < 3 or len(pairs) < len(agents) * (len(agents) - 1):
        return {}, None
    payoffs = np.array([[pairs[a, b].value if a != b else 0.0 for b in agents] for a in agents])
    return dict(zip(agents, alpha_rank(payoffs).tolist())), cyclic_share(payoffs)
