"""Published systems, measured again. A file that lies here and writes `experiments` is a paper of `ludus reproduce`.

A paper module has a `TITLE` and

    experiments(scale, seed, folder) -> list[Experiment]    what must be played, trained or counted
    report(results) -> Report                               claims judged by the results, with charts and words

`reproduce` runs what a folder does not hold yet and writes `<paper>.html` and `<paper>.json`. Every finished experiment
is a file in that folder: killed at any moment, it goes on where it was.

A verdict is reached by comparing numbers, never written down.
"""

from __future__ import annotations

import importlib
import json
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from ludus.disk import write_json
from ludus.errors import BadInput, UnknownName
from ludus.papers.claims import Finding
from ludus.report.page import Page, render

# ------------------------------------------------------------------------------------------------ experiments

Result = dict[str, Any]
Watch = Callable[[int], None]


@dataclass(frozen=True)
class Scale:
    """How much work: the same experiments with few games or with many."""

    name: str
    is_full: bool = False
    share: float = 1.0
    """Of the usual number of games; a test takes less."""

    def pick(self, quick: int, full: int) -> int:
        return max(4, round(self.share * (full if self.is_full else quick)))


QUICK, FULL = Scale("quick"), Scale("full", is_full=True)


@dataclass(frozen=True)
class Experiment:
    """One piece of work whose result is kept. `settings` hold all that decides the result."""

    name: str
    settings: Mapping[str, Any]
    steps: int
    run: Callable[[Watch], Result] = field(compare=False)
    """Calls its argument with the number of steps done since the last call; raises `BadInput` if it cannot be run."""


class Notebook:
    """Results on disk, one file an experiment."""

    def __init__(self, folder: Path):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def recall(self, experiment: Experiment) -> Result | None:
        """The result, if this experiment was finished with the same settings."""
        path = self.folder / f"{experiment.name}.json"
        if not path.exists():
            return None
        kept = json.loads(path.read_text(encoding="utf-8"))
        return kept["result"] if kept["settings"] == _as_json(experiment.settings) else None

    def keep(self, experiment: Experiment, result: Result) -> None:
        """Write a result whole or not at all."""
        path = self.folder / f"{experiment.name}.json"
        write_json(path, {"settings": experiment.settings, "result": result})


def _as_json(value: Any) -> Any:
    """As it reads after being written: tuples become lists."""
    return json.loads(json.dumps(value))


class Results:
    """What the experiments gave, by name. One that could not be run has a reason in the place of a result."""

    def __init__(self) -> None:
        self.found: dict[str, Result] = {}
        self.reasons: dict[str, str] = {}

    def __getitem__(self, name: str) -> Result:
        if name not in self.found:
            raise Unmeasured(self.reasons.get(name, f"the experiment {name} was not run"))
        return self.found[name]


class Unmeasured(BadInput):
    """A claim needs a result that is not there; the text says why."""


# ------------------------------------------------------------------------------------------------ the whole


@dataclass(frozen=True)
class Report:
    page: Page
    findings: list[Finding]


def paper_names() -> list[str]:
    import ludus.papers

    names = [module.name for module in pkgutil.iter_modules(ludus.papers.__path__) if module.name[0] != "_"]
    return [name for name in names if hasattr(importlib.import_module(f"ludus.papers.{name}"), "experiments")]


def find_paper(name: str) -> ModuleType:
    if name not in paper_names():
        raise UnknownName("paper", name, paper_names())
    return importlib.import_module(f"ludus.papers.{name}")


def reproduce(
    name: str,
    scale: Scale,
    seed: int,
    folder: Path,
    watch: Callable[[str, int, int], None] = lambda experiment, done, total: None,
) -> Report:
    """Measure what is missing, judge, and write the page and its numbers.

    `watch` hears which experiment has gone on by how many steps, and how many there are in all.
    """
    paper = find_paper(name)
    wanted = paper.experiments(scale, seed, folder)
    total = sum(experiment.steps for experiment in wanted)
    results, notebook = Results(), Notebook(folder / "experiments")
    for experiment in wanted:
        watch(experiment.name, 0, total)
        measure(experiment, notebook, results, lambda done, name=experiment.name: watch(name, done, total))
    report = paper.report(results)
    write(report, folder, {"paper": name, "title": paper.TITLE, "scale": scale.name, "seed": seed})
    return report


def measure(experiment: Experiment, notebook: Notebook, results: Results, watch: Watch) -> None:
    """Recall or run one experiment. What cannot be run, for want of an agent say, is a reason and no crash."""
    result = notebook.recall(experiment)
    if result is not None:
        watch(experiment.steps)
    else:
        try:
            result = experiment.run(watch)
        except BadInput as problem:
            results.reasons[experiment.name] = str(problem)
            watch(experiment.steps)
            return
        notebook.keep(experiment, result)
    results.found[experiment.name] = result


def write(report: Report, folder: Path, about: Mapping[str, Any]) -> None:
    rows = [finding.to_dict() for finding in report.findings]
    name = about["paper"]
    (folder / f"{name}.json").write_text(json.dumps({**about, "claims": rows}, indent=1), encoding="utf-8")
    (folder / f"{name}.html").write_text(render(report.page), encoding="utf-8")
