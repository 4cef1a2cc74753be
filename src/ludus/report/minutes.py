"""How many minutes a match takes: steps times seconds, with the seconds for the reader to say."""

from __future__ import annotations

import numpy as np

from ludus.measure.evidence import Evidence, Lineup
from ludus.measure.replays import played

SECONDS = 15
"""What people take for a decision, where nobody says otherwise."""
SCRIPT = """
for (const pace of document.querySelectorAll("input.pace")) pace.oninput = () => {
  for (const one of pace.closest("div").querySelectorAll("[data-steps]"))
    one.textContent = Math.max(1, Math.round(one.dataset.steps * pace.value / 60));
};
"""
STYLE = "\n.pace{width:4rem;font:inherit;color:inherit;background:var(--sheet);border:1px solid var(--line)}\n"


def minutes(evidence: Evidence) -> list[str]:
    """Of the players who are judged: a usual match and the longest of twenty."""
    return [_block(lineup) for lineup in evidence.judged() if played(lineup.replays)]


def _block(lineup: Lineup) -> str:
    replays = played(lineup.replays)
    decisions, plies = [len(replay.movers) for replay in replays], [replay.plies for replay in replays]
    pace = f'<input class=pace type=number min=1 max=3600 value={SECONDS} aria-label="seconds a decision">'
    together = f"; {_span(plies)} if all who may decide at once do" if decisions != plies else ""
    return (
        f"<div><p>How long is that at the table? At {pace} seconds a decision a match takes {_span(decisions)}"
        f"{together}. (A usual match has {np.median(decisions):,.0f} decisions in {np.median(plies):,.0f} plies; "
        f"{len(replays):,} matches of {lineup.specs[0]}. The seconds are an assumption: change them.)</p></div>"
    )


def _span(steps: list[int]) -> str:
    usual, longest = (float(np.quantile(steps, share)) for share in (0.5, 0.95))
    return f"{_number(usual)} minutes, one in twenty {_number(longest)} or more"


def _number(steps: float) -> str:
    return f'<b data-steps="{steps:g}">{max(1, round(steps * SECONDS / 60)):,}</b>'
