"""All that was read off some evidence: numbers, and the lights that rest on them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from ludus.errors import UnknownName
from ludus.frames import frame, html
from ludus.measure.evidence import Evidence
from ludus.measure.metric import Light, Metric, Reading

COLOURS = {
    "red": ("✕", "a problem"),
    "amber": ("!", "to watch"),
    "unsure": ("?", "too few matches to tell"),
    "green": ("✓", "fine"),
}
"""A sign and a meaning for each colour of a light, the worst first: colours alone would not reach everybody."""
COUNTED = {
    "red": ("problem", "problems"),
    "amber": ("thing to watch", "things to watch"),
    "unsure": ("not sure yet", "not sure yet"),
    "green": ("fine", "fine"),
}
UNSURE = "More matches are needed to be sure."
HEADLINES = ("duration", "seat_advantage", "endings", "skill_ladder", "luck_in_play", "luck_share")
"""Metrics whose first reading is worth a large print; of the two of luck, the first that there is."""


@dataclass(frozen=True)
class Readings:
    """Of each metric the first reading is the most telling: the judged players', the first seat's."""

    numbers: tuple[Reading, ...]
    lights: tuple[Light, ...]

    def of(self, group: str) -> list[Reading]:
        return [reading for reading in self.numbers if reading.group == group]

    def find(self, name: str) -> Reading:
        """The first reading of a metric, or of a part of one, like "duration" and "draws"."""
        for reading in self.numbers:
            if name in (reading.metric, reading.part):
                return reading
        known = {name for reading in self.numbers for name in (reading.metric, reading.part)}
        raise UnknownName("reading", name, known)

    def verdict(self) -> list[Light]:
        """Every light, the worst first."""
        return sorted(self.lights, key=lambda light: list(COLOURS).index(light.colour))

    def summary(self) -> str:
        """How many lights of each colour, and the worst."""
        colours = [light.colour for light in self.lights]
        counts = [(colours.count(colour), words) for colour, words in COUNTED.items() if colour in colours]
        parts = [f"{n} {words[n > 1]}" for n, words in counts]
        worst = [light.sentence for light in self.verdict()[:1] if light.colour != "green"]
        return " ".join([f"{', '.join(parts) or 'Nothing could be judged'}.", *worst])

    def headlines(self) -> list[Reading]:
        found = {reading.metric: reading for reading in reversed(self.numbers) if reading.metric in HEADLINES}
        if "luck_in_play" in found:
            found.pop("luck_share", None)
        return [found[name] for name in HEADLINES if name in found]

    def frame(self):
        """All readings as an Arrow table, for pandas, polars and others."""
        return frame(reading.to_dict() for reading in self.numbers)

    def _repr_html_(self) -> str:
        rows = [{"what": one.name, "found": one.text, "played by": one.level} for one in self.numbers]
        return html(rows, self.summary(), "95 % intervals")

    def to_dict(self) -> dict[str, object]:
        return {
            "summary": self.summary(),
            "lights": [light.to_dict() for light in self.verdict()],
            "readings": [reading.to_dict() for reading in self.numbers],
        }


def read(evidence: Evidence, metrics: Iterable[Metric]) -> Readings:
    """What these metrics say."""
    found = [one for metric in metrics for one in metric.found_in(evidence)]
    numbers = tuple(one for one in found if isinstance(one, Reading))
    return Readings(numbers, tuple(_qualified(one, evidence) for one in found if isinstance(one, Light)))


def _qualified(light: Light, evidence: Evidence) -> Light:
    """A light says so itself where it rests on too few matches, or on weak play."""
    words = [light.sentence]
    if light.colour == "unsure":
        words.append(UNSURE)
    if evidence.is_weak(light.level):
        words.append(f"Seen in weak play only: {light.level}.")
    return replace(light, sentence=" ".join(words))
