"""Thrones (2022): two bots for a territory game of a course, with a heuristic by hand and with an evolved network.

The paper's weights are not given, and two of its five rivals exist in compiled form only. So its table is played again
with weights that evolution found and with substitutes for the two; what can be compared is said cell by cell.
"""

from __future__ import annotations

from pathlib import Path

from ludus.papers.experiments import Experiment, Measured, Scale
from ludus.papers.reproduction import Reproduction
from ludus.papers.thrones import judgements, lineups
from ludus.papers.thrones.page import page
from ludus.workers import Workers

TITLE = "Thrones: a heuristic by hand and an evolved network, and the law of parity"


def experiments(scale: Scale, seed: int, folder: Path, workers: Workers) -> list[Experiment]:
    return lineups.experiments(scale, seed, folder, workers)


def report(results: Measured) -> Reproduction:
    """Every claim judged, in the order of the page."""
    groups = judgements.all_groups(results)
    return Reproduction(page(TITLE, results, groups), [finding for group in groups.values() for finding in group])
