"""Organism (2019): self-play of a network that values positions, used to judge the rules of an unfinished game.

The paper trains by its own small AlphaZero and reports what its fifth network does, above all that the first player
wins seven matches of ten. It gives no numbers of matches and no intervals. Here the protocol is run again from several
seeds, and the first player's share is measured at many strengths of play.
"""

from __future__ import annotations

from pathlib import Path

from ludus.papers.experiments import Experiment, Measured, Scale
from ludus.papers.organism import judgements, lineups
from ludus.papers.organism.page import page
from ludus.papers.reproduction import Reproduction
from ludus.workers import Workers

TITLE = "Organism: what self-play found out about an unfinished game"


def experiments(scale: Scale, seed: int, folder: Path, workers: Workers) -> list[Experiment]:
    return lineups.experiments(scale, seed, folder, workers)


def report(results: Measured) -> Reproduction:
    """Every claim judged, in the order of the page."""
    groups = judgements.all_groups(results)
    return Reproduction(page(TITLE, results, groups), [finding for group in groups.values() for finding in group])
