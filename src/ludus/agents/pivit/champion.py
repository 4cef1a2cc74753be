"""The best player of Pivit here: a search to the end of its time, captures and promotions followed to rest.

Its evaluation was learnt by TDLeaf in self-play over the terms of `games/_pivit_terms.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ludus.agents.alphabeta import AlphaBeta
from ludus.settings import setting


@dataclass
class Champion(AlphaBeta):
    """Alpha-beta with a learnt evaluation, 0.1 s a move; two to four players."""

    name: ClassVar[str] = "champion"
    only_for: ClassVar[str] = "pivit"

    ms: float = setting(100.0, "milliseconds of computing a move; 0: no such limit", low=0)
    run: str = setting("pivit-td", "a run of `ludus train td` that judges positions")
    table: int = setting(18, "size of the transposition table: 2 to this power", low=4, high=26)
