"""Matches to click through. Every picture lies in the page; a few lines of script turn the leaves.

Without script the moments that matter stand side by side, and a link to any other moment uncovers it. On paper it is
the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ludus.draw import canvas, picture
from ludus.game import Game, View
from ludus.measure.replays import Replay, Trace, positions_of
from ludus.records import MatchRecord
from ludus.report.page import paragraph, safe

BYTES = 2_400_000
"""For all pictures of a page; what a long match has more is left out, evenly."""
MOST_FRAMES = 150
SAMPLE = 5
"""Pictures of a match that are drawn before the others, to see how large they are."""


@dataclass(frozen=True)
class Example:
    """A match that the page shows; `number` is the 2 of #replay-2-17."""

    number: int
    title: str
    words: str
    record: MatchRecord
    moments: Mapping[int, str]
    """Plies that must be shown, and why."""
    replay: Replay | None = None
    """With a trace, where the match has one."""

    @property
    def trace(self) -> Trace | None:
        return self.replay.trace if self.replay else None

    def link(self, ply: int) -> str:
        return f"#replay-{self.number}-{ply}"


class Boards:
    """The pictures of one example, drawn when they are asked for. An open game is seen from the first seat; where
    things are hidden, the winner's eyes see the match, and nobody's cards but the winner's."""

    def __init__(self, game: Game, example: Example):
        self.game, self.example = game, example
        self.found = positions_of(game, [example.record])
        self.viewer = int(np.argmax(example.record.returns)) if game.facts.hidden else 0
        self.plies = len(self.found.states) - 1

    def board(self, ply: int) -> str:
        return without_style(picture(self._view(ply), self._view(ply - 1) if ply else None))

    def _view(self, ply: int) -> View:
        return View(self.game, self.found.states[ply : ply + 1], self.viewer)

    def caption(self, ply: int) -> str:
        """What was just done, and what everybody could expect then."""
        told = self._told(ply) if ply else "The start"
        return f"<b>{ply}</b> {safe(told)}{self._chances(ply)}"

    def _told(self, ply: int) -> str:
        decisions = np.flatnonzero(self.found.steps == ply - 1)
        before = self.found.states[ply - 1]
        return "; ".join(
            f"player {p + 1}: {self.game.action_text(before, int(p), int(a))}"
            for p, a in zip(self.found.movers[decisions], self.found.actions[decisions])
        )

    def _chances(self, ply: int) -> str:
        trace = self.example.trace
        if trace is None or ply >= len(trace.expected):
            return ""
        shares = " · ".join(f"{100 * share:.0f} %" for share in trace.expected[ply])
        return f" <span class=dim>{shares}</span>"


def without_style(svg: str) -> str:
    """All pictures share the page's one style sheet."""
    return svg.replace(f"<style>{canvas.STYLE}</style>", "")


# ------------------------------------------------------------------------------------------------ markup


def still(boards: Boards, ply: int, sign: str, words: str) -> str:
    """One moment as a picture that leads to its place in the slideshow."""
    link = boards.example.link(ply)
    return (
        f'<div class=still><a class=board href="{link}" aria-label="{safe(words)}">{boards.board(ply)}</a>'
        f"<p class=caption><i class=sign>{safe(sign)}</i> {safe(words)}</p></div>"
    )


def slideshows(shown: Sequence[Boards]) -> list[str]:
    """All examples to click through, within the bytes that a page may have."""
    budget = BYTES // max(1, len(shown))
    return [_slideshow(boards, budget) for boards in shown]


def _slideshow(boards: Boards, budget: int) -> str:
    example = boards.example
    sample = {*_evenly(boards.plies, SAMPLE), *example.moments}
    frames = {ply: _frame(boards, ply) for ply in sample}
    size = sum(map(len, frames.values())) / len(frames)
    room = int(np.clip((budget - size * len(frames)) / size, 2, MOST_FRAMES))
    frames |= {ply: _frame(boards, ply) for ply in _evenly(boards.plies, room) if ply not in frames}
    left_out = boards.plies + 1 - len(frames)
    note = f" Of {boards.plies + 1} positions {len(frames)} are shown." if left_out else ""
    seen = f" Seen by player {boards.viewer + 1}." if boards.game.facts.hidden else ""
    return (
        f'<div class=slides id="replay-{example.number}" tabindex="0"><h3>{example.number} · {safe(example.title)}</h3>'
        f"{paragraph(example.words + seen + note)}"
        f"<div class=frames>{''.join(frames[ply] for ply in sorted(frames))}</div></div>"
    )


def _evenly(plies: int, count: int) -> list[int]:
    """So many positions of a match, the first and the last among them."""
    return sorted(set(np.linspace(0, plies, min(count, plies + 1)).round().astype(int).tolist()))


def _frame(boards: Boards, ply: int) -> str:
    example = boards.example
    why = example.moments.get(ply, "")
    is_peak = bool(why) or ply == boards.plies
    sign = f"<em>{safe(why)}</em> " if why else ""
    return (
        f'<div class="frame{" peak" * is_peak}" id="replay-{example.number}-{ply}" data-ply="{ply}">'
        f"<div class=board>{boards.board(ply)}</div><p class=caption>{boards.caption(ply)} {sign}</p></div>"
    )


STYLE = (
    canvas.STYLE
    + """
.slides{background:var(--sheet);border:1px solid var(--line);border-radius:10px}
.slides{padding:.2rem 1.1rem .8rem;margin:1.2rem 0}
.slides:focus-visible{outline:2px solid var(--link)}
.slides h3,.story h3{margin:.8rem 0 .2rem;font-size:1.05rem}
.frames,.stills{display:grid;grid-template-columns:repeat(auto-fit,minmax(10rem,1fr));gap:.8rem 1.2rem;align-items:end}
.frame{display:none;scroll-margin-top:1rem}
.frame.peak,.frame:target{display:block}
.still{max-width:20rem}
.board{display:block}
.board svg{display:block;width:100%;height:auto;max-height:24rem}
.caption{margin:.3rem 0;font-size:.87rem;line-height:1.35}
.caption b{font-variant-numeric:tabular-nums;color:var(--soft);font-weight:600;margin-right:.3rem}
.caption em{font-style:normal;background:var(--none-sheet);border-radius:99px;padding:.05rem .5rem;white-space:nowrap}
.still .sign{display:inline-block;background:var(--ink);color:var(--sheet);border-radius:99px;font-style:normal}
.still .sign{width:1.2rem;line-height:1.2rem;text-align:center;font-size:.72rem;font-weight:700}
.reel{display:flex;align-items:center;gap:.5rem;margin:.4rem 0}
.reel input{flex:1;min-width:0;accent-color:var(--s0);height:1.6rem}
.reel button{font:inherit;color:var(--ink);background:var(--none-sheet);border:0;border-radius:8px;cursor:pointer}
.reel button{padding:.25rem .8rem;min-width:2.75rem;min-height:2.5rem}
.slides.live .frames,.slides.live .reel{max-width:34rem}
.slides.live .frames{display:block}
.slides.live .frame{display:none}
.slides.live .frame.now{display:block}
.slides.live .caption{min-height:2.6em}
.slides.live .board svg{max-height:min(30rem,70vh)}
@media print{
.reel{display:none}
.slides.live .frames{display:grid;max-width:none}
.slides.live .frame.now{display:none}
.slides.live .frame.peak{display:block}
.frame,.still{break-inside:avoid}
.frames,.stills,.slides.live .frames{grid-template-columns:repeat(3,minmax(0,1fr))}
.board svg{max-height:15rem}
}
"""
)

SCRIPT = """
"use strict";
(() => {
  const address = /^#replay-(\\d+)-(\\d+)$/;
  const matches = new Map();
  let latest = null;  // arrow keys turn the match that was used last

  function dress(slides) {
    const frames = [...slides.querySelectorAll(".frame")];
    const reel = document.createElement("div");
    reel.className = "reel";
    const slider = Object.assign(document.createElement("input"), {type: "range", min: 0, max: frames.length - 1});
    slider.setAttribute("aria-label", "moment of the match");
    reel.append(
      button("‹", "one step back", () => turn(-1)), slider, button("›", "one step on", () => turn(1)),
    );

    function show(k) {
      k = Math.max(0, Math.min(frames.length - 1, k));
      frames.forEach((frame, i) => frame.classList.toggle("now", i === k));
      slider.value = k;
      slider.setAttribute("aria-valuetext", "ply " + frames[k].dataset.ply);
    }

    function turnTo(k) {
      show(k);
      latest = turn;
      history.replaceState(null, "", "#" + frames[+slider.value].id);
    }

    function turn(by) {
      turnTo(+slider.value + by);
    }

    function open(ply) {
      const later = frames.findIndex((frame) => +frame.dataset.ply >= ply);
      show(later < 0 ? frames.length - 1 : later);
      slides.scrollIntoView({block: "start"});
      latest = turn;
    }

    slider.addEventListener("input", () => turnTo(+slider.value));
    slides.addEventListener("focusin", () => { latest = turn; });
    slides.querySelector(".frames").before(reel);
    slides.classList.add("live");
    show(0);
    matches.set(slides.id, open);
  }

  function button(sign, label, onclick) {
    const made = Object.assign(document.createElement("button"), {type: "button", textContent: sign, onclick});
    made.setAttribute("aria-label", label);
    return made;
  }

  function follow() {
    const spot = address.exec(location.hash);
    const open = spot && matches.get("replay-" + spot[1]);
    if (open) open(+spot[2]);
  }

  document.querySelectorAll(".slides").forEach(dress);
  addEventListener("hashchange", follow);
  addEventListener("keydown", (event) => {
    const by = {ArrowLeft: -1, ArrowRight: 1}[event.key];
    if (!by || !latest) return;
    event.preventDefault();
    latest(by);
  });
  addEventListener("click", (event) => {  // a link to where we are changes no hash
    const link = event.target.closest('a[href^="#replay-"]');
    if (link && link.hash === location.hash) follow();
  });
  follow();
})();
"""
