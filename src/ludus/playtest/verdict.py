"""What a playtest means to a designer: every metric is asked, and what was noticed on the way gets a light, too."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from ludus.measure import readings
from ludus.measure.metric import Light, Reading, as_sentence
from ludus.measure.metrics import all_metrics
from ludus.measure.readings import Readings
from ludus.playtest.playtest import Playtest


def read(playtest: Playtest) -> Readings:
    """Every number that the matches allow, and every light."""
    found = readings.read(playtest, all_metrics().values())
    known = getattr(playtest.game.module, "KNOWN", {})
    return Readings(tuple(_beside_truth(found.numbers, known)), (*_rules(playtest), *found.lights))


def _rules(playtest: Playtest) -> Iterator[Light]:
    for gate in playtest.gates:
        if not gate.is_open:
            yield Light("red", f"Stopped after {gate.name} play", as_sentence(gate.sentence))
    for flaw in playtest.flaws:
        topic = flaw.kind.replace("-", " ").capitalize()
        yield Light("red" if flaw.is_grave else "amber", topic, as_sentence(flaw.sentence))
    for sentence in playtest.faults:
        yield Light("amber", "An agent failed", as_sentence(sentence))
    if playtest.self_plays() and not playtest.flaws:
        yield Light("green", "Rules", "No dead end, no endless match and no useless rule was found.")


def _beside_truth(found: Iterable[Reading], known: Mapping[str, tuple[float, str]]) -> Iterator[Reading]:
    """A game may know the truth: `KNOWN = {metric: (value, sentence)}` stands beside the metric's first reading."""
    truths = dict(known)
    for reading in found:
        if reading.metric in truths:
            value, sentence = truths.pop(reading.metric)
            holds = "inside" if reading.found.low <= value <= reading.found.high else "outside"
            reading = replace(reading, beside=f"{sentence} ({holds} this interval)")
        yield reading
