"""Planet Wars (2010/2012): the bot of Ziółko and Kruk, 105th of some 4,600 entries of the Google AI Challenge.

The paper describes the bot and regrets some of it, but has no table of results. So its parts and the readings of its
formulas are measured against each other here, and its own judgement of its weaknesses is put to the test.
"""

from __future__ import annotations

from pathlib import Path

from ludus.papers.experiments import Experiment, Measured, Scale
from ludus.papers.planet_wars import judgements
from ludus.papers.planet_wars.lineups import lineups, typical_matches
from ludus.papers.planet_wars.page import page
from ludus.papers.reproduction import Reproduction
from ludus.workers import Workers

TITLE = "Planet Wars: a bot of the Google AI Challenge, part by part"


def experiments(scale: Scale, seed: int, folder: Path, workers: Workers) -> list[Experiment]:
    return [*lineups(scale, seed, workers), typical_matches(seed)]


def report(results: Measured) -> Reproduction:
    """Every claim judged, in the order of the page."""
    groups = judgements.all_groups(results)
    return Reproduction(page(TITLE, results, groups), [finding for group in groups.values() for finding in group])
