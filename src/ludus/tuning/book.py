"""All candidates on disk, and who comes next: an Optuna study in its own journal file, which its dashboard can read.

The first few are spread evenly over the values of every rule: drawn by lot, three in ten of them would leave a value
out. Then every other candidate is one step away from the best so far: a model of few points jumps about where a
designer would just try the next number. Each is drawn with a seed of its own and from those that are finished, so a
killed tuning draws the same ones again. One process writes; a line that a kill cut short is cut off.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ludus.errors import BadInput, DiskTrouble
from ludus.rng import word
from ludus.tuning.gates import Candidate
from ludus.tuning.ranges import Range, key_of, size_of
from ludus.tuning.targets import Target

if TYPE_CHECKING:
    import optuna

NAME = "study.log"
STARTUP, POPULATION = 8, 12
"""Candidates that are spread evenly before a model is worth asking, and those of a generation."""
TRIES = 12
"""Draws after which a rule set that was tried already is taken for a sign that the model wants no other."""


class Book:
    """One study, with everything that was found out."""

    def __init__(self, folder: Path, ranges: Sequence[Range], targets: Sequence[Target], seed: int):
        self.ranges, self.targets, self.seed = ranges, targets, seed
        self.path = folder / NAME
        self.optuna = _optuna()
        self.study: optuna.Study = self._open()
        self._fail_unfinished()
        self.candidates = [Candidate.from_dict(kept) for kept in self._finished()]
        self.known = {key_of(one.values): one for one in self.candidates}

    @property
    def aims(self) -> list[Target]:
        return [target for target in self.targets if target.aim]

    def _open(self) -> optuna.Study:
        self.lock = _own_lock(self.path)
        backend = self.optuna.storages.journal.JournalFileBackend(str(_sound(self.path)), self.lock)
        directions = ["maximize" if one.aim > 0 else "minimize" for one in self.aims] or ["minimize"]
        storage = self.optuna.storages.JournalStorage(backend)
        return self.optuna.create_study(
            storage=storage, study_name="tuning", directions=directions, load_if_exists=True
        )

    def _fail_unfinished(self) -> None:
        """What was in work when somebody killed it is drawn again."""
        running = self.optuna.trial.TrialState.RUNNING
        for trial in self.study.get_trials(states=(running,)):
            self.study.tell(trial.number, state=self.optuna.trial.TrialState.FAIL)

    def _finished(self) -> list[dict[str, Any]]:
        states = (self.optuna.trial.TrialState.COMPLETE,)
        return [trial.user_attrs["candidate"] for trial in self.study.get_trials(states=states)]

    # -------------------------------------------------------------------------------------------- one candidate

    @property
    def is_exhausted(self) -> bool:
        """Whether every rule set was tried."""
        return len(self.known) >= size_of(self.ranges)

    def draw(self) -> tuple[Any, dict[str, Any]]:
        """A rule set that was not tried yet, and Optuna's trial for it."""
        tried = len(self.candidates)
        if tried < STARTUP and key_of(even := self._spread(tried)) not in self.known:
            return self._ask(TRIES, fixed=even)
        if len(self.aims) < 2 and tried >= STARTUP and tried % 2 and (steps := self._steps()):
            return self._ask(TRIES, fixed=steps[word(self.seed, tried, TRIES + 2) % len(steps)])
        for attempt in range(TRIES):
            trial, values = self._ask(attempt)
            if key_of(values) not in self.known:
                return trial, values
            self.study.tell(trial, state=self.optuna.trial.TrialState.FAIL)
        return self._ask(TRIES, fixed=self._unknown())

    def _ask(self, attempt: int, fixed: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        sampler = self._sampler(word(self.seed, len(self.candidates), attempt))
        if fixed is not None:  # and not in Optuna's queue, where a kill would leave it behind
            sampler = self.optuna.samplers.PartialFixedSampler(fixed, sampler)
        self.study.sampler = sampler
        trial = self.study.ask(self._distributions())
        return trial, {one.name: _plain(one, trial.params[one.name]) for one in self.ranges}

    def _spread(self, number: int) -> dict[str, Any]:
        """One of the first: a Latin square, in which each rule takes all its values before it repeats one."""
        import numpy as np

        rng = np.random.default_rng(word(self.seed, STARTUP))
        places = {one.name: (rng.permutation(STARTUP)[number] + 0.5) / STARTUP for one in self.ranges}
        return {one.name: one.values[int(places[one.name] * len(one.values))] for one in self.ranges}

    def _steps(self) -> list[dict[str, Any]]:
        """Rule sets that were not tried and differ from the best so far in one rule, by one step where it counts."""
        best = min(self.candidates, key=self.distance).values
        found = [{**best, one.name: value} for one in self.ranges for value in one.next_to(best[one.name])]
        return [values for values in found if key_of(values) not in self.known]

    def distance(self, one: Candidate) -> tuple[float, ...]:
        """How far from what is wanted; by aims where several miss nothing."""
        aims = [-target.aim * one.last[target.text].value for target in self.aims if target.text in one.last]
        return (one.miss(self.targets), *aims, one.loss(self.targets))

    def _unknown(self) -> dict[str, Any]:
        """By lot, where the model only repeats itself."""
        import numpy as np

        rng = np.random.default_rng(word(self.seed, len(self.candidates), TRIES + 1))
        while True:
            values = {one.name: one.values[int(rng.integers(len(one.values)))] for one in self.ranges}
            if key_of(values) not in self.known:
                return values

    def _sampler(self, seed: int) -> Any:
        samplers, seed = self.optuna.samplers, seed % 2**32
        if len(self.aims) > 1:
            return samplers.NSGAIISampler(population_size=POPULATION, seed=seed)
        return samplers.TPESampler(n_startup_trials=STARTUP, seed=seed)

    def _distributions(self) -> dict[str, Any]:
        made = self.optuna.distributions
        found: dict[str, Any] = {}
        for one in self.ranges:
            values = one.values
            if not one.is_number or not _even(values):
                found[one.name] = made.CategoricalDistribution(values)
            elif isinstance(values[0], int):
                found[one.name] = made.IntDistribution(values[0], values[-1], step=values[1] - values[0])
            else:
                step = round(values[1] - values[0], 9)
                found[one.name] = made.FloatDistribution(values[0], values[-1], step=step)
        return found

    def keep(self, trial: Any, candidate: Candidate) -> None:
        """Write down what was found; only then the candidate counts as tried."""
        trial.set_user_attr("candidate", candidate.to_dict())
        trial.set_constraint("targets", candidate.miss(self.targets))
        self.study.tell(trial, self._worth(candidate))
        self.candidates.append(candidate)
        self.known[key_of(candidate.values)] = candidate

    def _worth(self, candidate: Candidate) -> list[float]:
        """The aims; of one that was dropped before they were measured Optuna only looks at the violation."""
        if not self.aims:
            return [candidate.loss(self.targets)]
        last = candidate.last
        return [last[one.text].value if one.text in last else 0.0 for one in self.aims]

    # -------------------------------------------------------------------------------------------- everything else

    def note(self, name: str, value: Any) -> None:
        """Keep a finding that is no candidate's: the start, what was confirmed, the time spent."""
        self.study.set_user_attr(name, value)

    def close(self) -> None:
        """Let another process go on."""
        self.lock.held.close()

    def noted(self, name: str) -> Any:
        return self.study.user_attrs.get(name)


def _plain(one: Range, value: Any) -> Any:
    """Optuna's sums of steps, as the value that was meant."""
    return min(one.values, key=lambda known: abs(known - value)) if one.is_number else value


def _even(values: Sequence[Any]) -> bool:
    step = values[1] - values[0]
    return all(abs(b - a - step) < 1e-6 for a, b in pairwise(values))


def _optuna() -> Any:
    try:
        import optuna
        import optuna.storages.journal
    except ImportError as error:
        raise BadInput(f"tuning needs {error.name}, which is missing: pip install 'ludus[tune]'") from None
    warnings.filterwarnings("ignore", category=optuna.exceptions.ExperimentalWarning)
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    return optuna


def _sound(path: Path) -> Path:
    """The journal without a last line that was cut short."""
    try:
        content = path.read_bytes() if path.exists() else b""
        if content and not content.endswith(b"\n"):
            path.write_bytes(content[: content.rfind(b"\n") + 1])
    except OSError as error:
        raise DiskTrouble(f"cannot use {path}: {error.strerror}") from None
    return path


def _own_lock(path: Path) -> Any:
    """A lock that the kernel takes back from whoever is killed; a second tuning of the folder is refused."""
    import fcntl

    held = path.with_suffix(".lock").open("w")
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise BadInput(f"{path.parent} is being tuned by another process; wait for it, or give another --out") from None
    return _Held(held)


class _Held:
    """Optuna asks for the lock around every line; this process has it all the time."""

    def __init__(self, held: Any):
        self.held = held

    def acquire(self) -> bool:
        return True

    def release(self) -> None:
        return
