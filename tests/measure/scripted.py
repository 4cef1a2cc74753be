"""Matches for tests: made up move by move, or played with the tiny games beside this file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ludus import load
from ludus.arena.blocks import rotations
from ludus.arena.bulk import Arena
from ludus.measure.replays import Alternatives, Replay, Trace, replays_of

GAMES = Path(__file__).parent / "games"


def made_up(
    shares: Sequence[float],
    movers: Sequence[int] = (0, 1),
    *,
    steps: Sequence[int] | None = None,
    menus: Sequence[int] | None = None,
    actions: Sequence[int] | None = None,
    kinds: Sequence[str] | None = None,
    positions: Sequence[int] | None = None,
    agents: Sequence[str] | None = None,
    block: int = 0,
    rotation: int = 0,
    outcome: str = "finished",
    trace: Trace | None = None,
) -> Replay:
    """A match; what is not said is taken to be as plain as can be."""
    count = len(movers)
    ply = np.arange(count) if steps is None else np.array(steps)
    plies = int(ply.max()) + 1 if count else 0
    return Replay(
        agents=tuple(agents or ["a"] * len(shares)),
        block=block,
        rotation=rotation,
        shares=np.array(shares, float),
        outcome=outcome,
        plies=plies,
        movers=np.array(movers, int),
        steps=ply.astype(int),
        menus=np.array(menus if menus is not None else [2] * count),
        actions=np.array(actions if actions is not None else [0] * count, int),
        kinds=tuple(kinds if kinds is not None else ["move"] * count),
        positions=np.array(positions if positions is not None else range(plies + 1), np.uint64),
        trace=trace,
    )


def two_seats(chances: Sequence[float], *, error: float = 0.0, opened: Sequence[Alternatives] = (), **rest) -> Replay:
    """A match of two in turn, told by what the first seat could expect before each ply and, last, what it got."""
    first = np.array(chances, float)
    return told(np.column_stack([first, 1 - first]), error=error, opened=opened, **rest)


def told(expected: np.ndarray | Sequence, *, error: float = 0.0, opened: Sequence[Alternatives] = (), **rest) -> Replay:
    """A match told by what each seat could expect; players move in turn unless `movers` says otherwise."""
    expected = np.array(expected, float)
    errors = np.full(expected.shape, error)
    errors[-1] = 0.0
    rest.setdefault("movers", [ply % expected.shape[1] for ply in range(len(expected) - 1)])
    return made_up(expected[-1].tolist(), trace=Trace("a script", expected, errors, tuple(opened)), **rest)


def options(expected: Sequence, policy: Sequence[int], *, decision: int = 0, error: float = 0.0) -> Alternatives:
    """A decision opened up; of two seats, what the first could expect is enough."""
    table = np.array(expected, float)
    if table.ndim == 1:
        table = np.column_stack([table, 1 - table])
    return Alternatives(decision, table, np.full(table.shape, error), np.array(policy))


def cell(game: str, specs: Sequence[str], blocks: int, seed: int = 0, **rules: object) -> list[Replay]:
    """Matches of one lineup, really played: a game of the library, or one of the tiny ones beside this file."""
    path = GAMES / f"{game}.py"
    rulebook = load(str(path) if path.exists() else game)
    known = list(dict.fromkeys(specs))
    seats = [known.index(spec) for spec in specs]
    tables = [table for block in range(blocks) for table in rotations(seats, block)]
    arena = Arena(rulebook, known, rulebook.rule_values("default", rules), seed=seed)
    records = [record for group in arena.play(tables) for _, record in group]
    return replays_of(rulebook, records)
