"""What an action does for who does it: it is forbidden, or free once, in matches otherwise the same."""

from __future__ import annotations

from collections.abc import Iterator

from ludus.measure.evidence import Evidence
from ludus.measure.intervention import Worth
from ludus.measure.metric import CHOICES, POINTS, SIZE, Intervals, Light, Limits, Metric, Reading, size_of
from ludus.measure.metrics import action_use

WORTH = Limits(0.1, 0.2)
"""What a player loses who may not do one single thing. More than that, and a match is about this thing."""


def read(evidence: Evidence) -> Iterator[Reading | Light]:
    for worth in evidence.restricted:
        yield Reading("worth", f"Worth of {worth.kind}", worth.found, POINTS, worth.spec)
    for worth in evidence.restricted:
        if worth.gift:
            yield Reading("gift", f"Gift of {worth.kind}", worth.gift, POINTS, worth.spec)
    lifts = _lifts(evidence)
    sure = [one for one in evidence.restricted if one.found.low > 0]
    if sure:
        yield WORTH.light("Strength of actions", sure[0].found, _words(sure[0], lifts), sure[0].spec)
    empty = [one for one in evidence.restricted if one.kind in lifts and _is_empty(one)]
    if empty:
        names = ", ".join(f"*{one.kind}*" for one in empty[:4])
        words = (
            f"Players who do {names} win more, yet who may not do it loses nothing that could be seen, nor does a gift "
            "of it help: a sign of a lead"
        )
        yield Light("green", "Lift without a cause", words, empty[0].spec)


def _is_empty(one: Worth) -> bool:
    """Whether neither treatment shows that it does anything."""
    return one.found.high < WORTH.amber and not (one.gift and one.gift.low > 0)


def _lifts(evidence: Evidence) -> set[str]:
    """Kinds with a sure lift."""
    found = [evidence.once(action_use.measure, lineup.replays, evidence.legal_kinds) for lineup in evidence.judged()]
    return {row.kind for rows in found for row in rows if row.flag == "lift"}


def _words(worth: Worth, lifts: set[str]) -> str:
    also = ", as its lift says" if worth.kind in lifts else ""
    gains = worth.gift and worth.gift.low > 0
    gift = f"; who does it once for free gains {SIZE.text(size_of(worth.gift))}" if worth.gift and gains else ""
    return f"Who may not do *{worth.kind}* loses {SIZE.text(size_of(worth.found))}{also}{gift}: that is a cause."


def chart(evidence: Evidence) -> Intervals | None:
    if not evidence.restricted:
        return None
    words = "One seat may not do a thing, and all else is the same: what it loses is what the thing gives. Beside a "
    words += "lift, which may come from being ahead, this is a cause."
    gives = all(worth.gift for worth in evidence.restricted)
    if gives:
        words += " Then the seat may do it once for free, which uses up no turn: what it gains is what the gift gives."
    rows = [
        (worth.kind, [worth.found, *([worth.gift] if gives and worth.gift else [])]) for worth in evidence.restricted
    ]
    return Intervals("What each action is worth, in points", words, ["worth", "gift"][: 1 + gives], rows)


METRIC = Metric(
    CHOICES,
    "What a player loses who may not do a thing, and gains who does it once for free.",
    read,
    chart,
    needs="bans",
    parts={"worth": POINTS, "gift": POINTS},
)
