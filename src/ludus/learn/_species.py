"""Species: similar genomes compete among themselves, so that a new structure has time to prove itself; see `neat`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ludus.agents._networks import Genome

if TYPE_CHECKING:
    from ludus.learn.neat import Settings

APART, WEIGHT_APART = 1.0, 0.4  # how much unlike genes, and unlike weights of like genes, set genomes apart


def distance(one: Genome, other: Genome) -> float:
    """How unlike two genomes are: genes that only one has, and the mean difference of common weights."""
    common = one.links.keys() & other.links.keys()
    unlike = len(one.links) + len(other.links) - 2 * len(common)
    weights = sum(abs(one.links[key].weight - other.links[key].weight) for key in common) / max(len(common), 1)
    return APART * unlike / max(len(one.links), len(other.links)) + WEIGHT_APART * weights


@dataclass
class Species:
    """Genomes that compete among themselves; the first genome of its last generation stands for it."""

    model: Genome
    best: float = -np.inf
    since: int = 0
    """Generations since its best fitness rose."""
    members: list[int] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        return {"model": self.model.to_json(), "best": self.best, "since": self.since}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Species:
        return cls(Genome.from_json(value["model"]), value["best"], value["since"])


def sort_into_species(population: Sequence[Genome], species: list[Species], threshold: float) -> list[Species]:
    """Every genome joins the first species whose model is near enough, or founds one; empty ones are gone."""
    for one in species:
        one.members = []
    for k, genome in enumerate(population):
        home = next((one for one in species if distance(genome, one.model) < threshold), None)
        if home is None:
            home = Species(genome)
            species = [*species, home]
        home.members.append(k)
    species = [one for one in species if one.members]
    for one in species:
        one.model = population[one.members[0]]
    return species


def brood_sizes(species: Sequence[Species], fitness: np.ndarray, settings: Settings) -> list[int]:
    """How many of the next generation each species may fill: by its mean fitness, so that size is no advantage."""
    floor = fitness.min()
    means = np.array([fitness[one.members].mean() - floor + 1e-9 for one in species])
    champion = int(np.argmax([fitness[one.members].max() for one in species]))
    means[[k for k, one in enumerate(species) if one.since >= settings.stagnation and k != champion]] = 0.0
    quotas = settings.population * means / means.sum()
    sizes = np.floor(quotas).astype(int)
    left = np.argsort(sizes - quotas, kind="stable")[: settings.population - sizes.sum()]
    sizes[left] += 1
    return sizes.tolist()
