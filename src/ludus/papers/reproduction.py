"""A whole reproduction: measure what is missing, judge, and write the page and its numbers."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import ludus.papers
from ludus.disk import write_json, write_whole
from ludus.errors import UnknownName
from ludus.papers.claims import Finding
from ludus.papers.experiments import Measured, Notebook, Scale, measure
from ludus.report.page import Page, render
from ludus.workers import Workers


@dataclass(frozen=True)
class Reproduction:
    page: Page
    findings: list[Finding]


def paper_names() -> list[str]:
    return [folder.name for folder in pkgutil.iter_modules(ludus.papers.__path__) if folder.ispkg]


def find_paper(name: str) -> ModuleType:
    if name not in paper_names():
        raise UnknownName("paper", name, paper_names())
    return importlib.import_module(f"ludus.papers.{name}.paper")


def reproduce(
    name: str,
    scale: Scale,
    seed: int,
    folder: Path,
    workers: Workers,
    watch: Callable[[str, int, int], None] = lambda experiment, done, total: None,
) -> Reproduction:
    """Measure what is missing, judge, and write the page and its numbers.

    `watch` hears which experiment has gone on by how many steps, and how many there are in all.
    """
    paper = find_paper(name)
    wanted = paper.experiments(scale, seed, folder, workers)
    total = sum(experiment.steps for experiment in wanted)
    results, notebook = Measured(), Notebook(folder / "experiments")
    for experiment in wanted:
        watch(experiment.name, 0, total)
        measure(experiment, notebook, results, lambda done, name=experiment.name: watch(name, done, total))
    report = paper.report(results)
    write(report, folder, {"paper": name, "title": paper.TITLE, "scale": scale.name, "seed": seed})
    return report


def write(report: Reproduction, folder: Path, about: Mapping[str, Any]) -> None:
    rows = [finding.to_dict() for finding in report.findings]
    write_json(folder / f"{about['paper']}.json", {**about, "claims": rows})
    write_whole(folder / f"{about['paper']}.html", render(report.page))
