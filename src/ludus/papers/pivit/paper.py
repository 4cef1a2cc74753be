"""Pivit (2020): Q-learning and SARSA over a dictionary of positions, four experiments, and why nothing was learnt.

The paper prints no parameters; its program does, and differs from its text. So the program is what is played again:
corners that promote nobody, learners that always move first, and a head to head whose tables were never loaded.
"""

from __future__ import annotations

from pathlib import Path

from ludus.papers.experiments import Experiment, Measured, Scale
from ludus.papers.pivit import judgements, lineups
from ludus.papers.pivit.page import page
from ludus.papers.reproduction import Reproduction
from ludus.workers import Workers

TITLE = "Pivit: two learners that learnt nothing, why, and players that do"


def experiments(scale: Scale, seed: int, folder: Path, workers: Workers) -> list[Experiment]:
    return lineups.experiments(scale, seed, folder, workers)


def report(results: Measured) -> Reproduction:
    """Every claim judged, in the order of the page."""
    groups = judgements.all_groups(results)
    return Reproduction(page(TITLE, results, groups), [finding for group in groups.values() for finding in group])
