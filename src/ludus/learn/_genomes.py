"""How genomes change: structures are numbered, mutated and crossed; see `neat`."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ludus.agents._networks import ACTIVATIONS, LINEAR, Genome, Link

if TYPE_CHECKING:
    from ludus.learn.neat import Settings


@dataclass
class Innovations:
    """Numbers for structures: the same new link or node gets the same number wherever it arises."""

    inputs: int
    links: dict[tuple[int, int], int] = field(default_factory=dict)
    nodes: dict[tuple[int, int], int] = field(default_factory=dict)
    """The node that splits a link; a second node on the same link of one genome counts on."""

    def link(self, source: int, target: int) -> int:
        return self.links.setdefault((source, target), len(self.links))

    def node(self, split: int, genome: Genome) -> int:
        copy = 0
        while self.nodes.get((split, copy)) in genome.nodes:
            copy += 1
        return self.nodes.setdefault((split, copy), self.inputs + 1 + len(self.nodes))

    def to_json(self) -> dict[str, Any]:
        return {"inputs": self.inputs, "links": [*self.links], "nodes": [*self.nodes]}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Innovations:
        links = {tuple(pair): k for k, pair in enumerate(value["links"])}
        nodes = {tuple(pair): value["inputs"] + 1 + k for k, pair in enumerate(value["nodes"])}
        return cls(value["inputs"], links, nodes)


def first_genome(innovations: Innovations, links: int, rng: np.random.Generator) -> Genome:
    """A few inputs linked to the output."""
    genome = Genome(innovations.inputs)
    for source in rng.choice(genome.inputs, min(links, genome.inputs), replace=False):
        genome.links[innovations.link(int(source), genome.inputs)] = Link(int(source), genome.inputs, rng.normal())
    return genome


def vary(genome: Genome, innovations: Innovations, settings: Settings, rng: np.random.Generator) -> None:
    """Mutate in place, by each kind of mutation with its own chance."""
    if rng.random() < settings.weights:
        jitter_weights(genome, settings.jitter, rng)
    if rng.random() < settings.add_link:
        add_link(genome, innovations, rng)
    if rng.random() < settings.remove_link:
        remove_link(genome, rng)
    if rng.random() < settings.add_node:
        add_node(genome, innovations, rng)
    if rng.random() < settings.remove_node:
        remove_node(genome, rng)


def jitter_weights(genome: Genome, size: float, rng: np.random.Generator) -> None:
    """Move some weights a little, and now and then one far: it is drawn anew."""
    for link in genome.links.values():
        if rng.random() < 0.5:
            link.weight += size * rng.normal()
        elif rng.random() < 0.05:
            link.weight = rng.normal()


def add_link(genome: Genome, innovations: Innovations, rng: np.random.Generator) -> None:
    """Link two nodes that are not linked; a disabled link is switched on again. Never against the flow."""
    source = int(rng.choice([*range(genome.inputs), *genome.nodes]))
    target = int(rng.choice([genome.inputs, *genome.nodes]))
    if source == target or _reaches(genome, target, source):
        return
    link = genome.links.setdefault(innovations.link(source, target), Link(source, target, rng.normal()))
    link.enabled = True


def _reaches(genome: Genome, start: int, end: int) -> bool:
    """Whether signals flow from one node to another; disabled links count, for they may be switched on."""
    seen, waiting = {start}, [start]
    while waiting:
        node = waiting.pop()
        if node == end:
            return True
        following = {link.target for link in genome.links.values() if link.source == node} - seen
        seen |= following
        waiting += sorted(following)
    return False


def remove_link(genome: Genome, rng: np.random.Generator) -> None:
    if len(genome.links) > 1:
        del genome.links[list(genome.links)[rng.integers(len(genome.links))]]


def add_node(genome: Genome, innovations: Innovations, rng: np.random.Generator) -> None:
    """Split a link: what came in goes on with weight one, what goes out keeps the old weight."""
    enabled = [key for key, link in genome.links.items() if link.enabled]
    if not enabled:
        return
    key = enabled[rng.integers(len(enabled))]
    old, node = genome.links[key], innovations.node(key, genome)
    old.enabled = False
    genome.nodes[node] = int(rng.integers(LINEAR + 1, len(ACTIVATIONS)))
    genome.links[innovations.link(old.source, node)] = Link(old.source, node, 1.0)
    genome.links[innovations.link(node, old.target)] = Link(node, old.target, old.weight)


def remove_node(genome: Genome, rng: np.random.Generator) -> None:
    """Take out a hidden node with all its links."""
    if not genome.nodes:
        return
    node = list(genome.nodes)[rng.integers(len(genome.nodes))]
    kept = {key: link for key, link in genome.links.items() if node not in (link.source, link.target)}
    if kept:
        del genome.nodes[node]
        genome.links = kept


def cross(better: Genome, other: Genome, rng: np.random.Generator) -> Genome:
    """The structure of the better parent; weights of common genes come from either."""
    child = deepcopy(better)
    for key, link in child.links.items():
        if key in other.links and rng.random() < 0.5:
            link.weight = other.links[key].weight
    for node in child.nodes:
        if node in other.nodes and rng.random() < 0.5:
            child.nodes[node] = other.nodes[node]
    return child
