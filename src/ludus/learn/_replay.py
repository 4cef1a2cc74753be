"""The positions that a network learns from: the latest so many, kept in the run folder as they came."""

from __future__ import annotations

import io
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ludus.learn._selfplay import Samples
from ludus.runs import RunFolder

FOLDER = "positions"
LARGE = 1 << 24  # bytes that it would take too long to compress
SAVED = 1 << 18  # positions of a round are on disk at most: enough to go on from, and soon written


@dataclass(frozen=True)
class Lesson:
    """What some steps of learning came to, on average."""

    policy: float = math.nan
    """Cross entropy of the policy less the entropy of its target: 0 would be perfect."""
    value: float = math.nan
    """Squared error of the viewer's value; 1 for one who knows nothing of a game without draws."""


NOTHING = Lesson()


class Replay:
    """A window over the positions of self-play."""

    def __init__(self, most: int, folder: str = FOLDER):
        self.most, self.folder, self.made, self.held = most, folder, 0, 0
        """Room; positions that were made altogether; and those that ever came in here, which ends with the newest."""
        self.samples: Samples | None = None
        self._fresh: list[Samples] = []

    def add(self, samples: Samples) -> None:
        """The newest so many stay: a ring, in which the k-th that came lies at k modulo its length."""
        if self.samples is None:
            self.samples = Samples(*(np.zeros((self.most, *part.shape[1:]), part.dtype) for part in samples))
        kept = Samples(*(part[-self.most :] for part in samples))
        count = len(samples.features)
        places = np.arange(self.held + count - len(kept.features), self.held + count) % self.most
        for ring, part in zip(self.samples, kept):
            ring[places] = part
        self.made, self.held = self.made + count, self.held + count
        self._fresh.append(samples)

    def batches(self, steps: int, size: int, window: int, rng: np.random.Generator) -> Iterator[Samples]:
        """Batches of positions drawn from the newest `window`."""
        assert self.samples is not None
        window = min(window, self.held, self.most)
        for _ in range(steps):
            rows = (self.held - 1 - rng.integers(window, size=size)) % self.most
            yield Samples(*(part[rows] for part in self.samples))

    # -------------------------------------------------------------------------------------------- on disk

    def save(self, run: RunFolder, round: int) -> None:
        """Write what has come since the last time; files behind the window go."""
        if self._fresh:
            content = io.BytesIO()
            fresh = [np.concatenate(parts) for parts in zip(*self._fresh)]
            every = -(-len(fresh[0]) // SAVED) or 1
            fresh = [part[::every] for part in fresh]
            save = np.savez_compressed if sum(part.nbytes for part in fresh) < LARGE else np.savez
            save(content, allow_pickle=False, **dict(zip(Samples._fields, fresh)))
            (run.path / self.folder).mkdir(exist_ok=True)
            run.write(f"{self.folder}/{round:06d}-{self.made}.npz", content.getvalue())
            self._fresh = []
        for path, (_, made) in self._files(run).items():
            if made <= self.made - self.most:
                path.unlink()

    def load(self, run: RunFolder, rounds: int) -> None:
        """Take up the positions of the first so many rounds; later ones will be made again."""
        for path, (round, made) in self._files(run).items():
            if round > rounds:
                path.unlink()
            elif (samples := run.load(f"{self.folder}/{path.name}", _read)) is not None:
                self.add(samples)
                self.made = made
        self._fresh = []

    def _files(self, run: RunFolder) -> dict[Path, tuple[int, int]]:
        """Each file of positions, with its round and the number of positions made by its end; oldest first."""
        found = {path: path.stem.split("-") for path in sorted((run.path / self.folder).glob("*-*.npz"))}
        return {path: (int(round), int(made)) for path, (round, made) in found.items()}


def _read(content: bytes) -> Samples:
    with np.load(io.BytesIO(content)) as saved:
        return Samples(*(saved[name] for name in Samples._fields))
