"""Gravitas (2016): random players, decision trees, Q-learning and neuro-evolution for Gravwell.

Its program differs from its text, and both are measured: the preset `paper` is what its figures 10 to 13 really played
(tractors do nothing), `neural` what figures 14 and 15 played (also, at the round limit the rearmost ship wins), and the
default rules are the game. The tree has two readings: `published` is what the program did, `intended` what the text
says.
"""

from __future__ import annotations

from pathlib import Path

from ludus.papers.experiments import Experiment, Measured, Scale
from ludus.papers.gravitas import judgements
from ludus.papers.gravitas.evolution import evolution
from ludus.papers.gravitas.learning import learning, learning_speed
from ludus.papers.gravitas.lineups import lineups
from ludus.papers.gravitas.page import page
from ludus.papers.gravitas.run_counts import run_counts
from ludus.papers.reproduction import Reproduction
from ludus.workers import Workers

TITLE = "Gravitas: playing Gravwell with trees, tables and evolved networks"


def experiments(scale: Scale, seed: int, folder: Path, workers: Workers) -> list[Experiment]:
    return [
        *lineups(scale, seed, workers),
        *run_counts(scale, seed, workers),
        *learning(scale, seed, folder, workers),
        *evolution(scale, seed, folder, workers),
        learning_speed(seed, folder),
    ]


def report(results: Measured) -> Reproduction:
    """Every claim judged, in the order of the page."""
    groups = judgements.all_groups(results)
    return Reproduction(page(TITLE, results, groups), [finding for group in groups.values() for finding in group])
