"""Experiments: pieces of work whose results are kept, one file each; killed at any moment, a reproduction goes on."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ludus.disk import read_json, write_json
from ludus.errors import BadInput, DiskTrouble
from ludus.rng import word
from ludus.workers import Workers

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
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise DiskTrouble(f"cannot make the folder {folder}: {error.strerror}") from None

    def recall(self, experiment: Experiment) -> Result | None:
        """The result, if this experiment was finished with the same settings."""
        path = self.folder / f"{experiment.name}.json"
        if not path.exists():
            return None
        kept = read_json(path)
        if not isinstance(kept, dict) or not {"settings", "result"} <= kept.keys():
            raise DiskTrouble(f"{path} is not what a reproduction wrote; move it away to measure it again")
        return kept["result"] if kept["settings"] == _as_json(experiment.settings) else None

    def keep(self, experiment: Experiment, result: Result) -> None:
        """Write a result whole or not at all."""
        path = self.folder / f"{experiment.name}.json"
        write_json(path, {"settings": experiment.settings, "result": result})


def _as_json(value: Any) -> Any:
    """As it reads after being written: tuples become lists."""
    return json.loads(json.dumps(value))


class Measured:
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


def measure(experiment: Experiment, notebook: Notebook, results: Measured, watch: Watch) -> None:
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


def own_seed(seed: int, name: str) -> int:
    """A seed for one experiment, so that results of two are independent."""
    return word(seed, zlib.crc32(name.encode())) >> 33


def side_by_side(work: Callable, items: Iterable, workers: Workers, watch: Callable[[], None] = lambda: None) -> list:
    """What `work` makes of each item, in their order. Whoever watches stays here, where the work may be elsewhere."""
    found = {}
    for number, result in workers.stream(lambda item: (item[0], work(item[1])), enumerate(items)):
        found[number] = result
        watch()
    return [found[number] for number in sorted(found)]
