"""Networks of any shape: genomes as evolution changes them, and packed side by side for compiled code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ludus.compile import rule

# ------------------------------------------------------------------------------------------------ genomes

ACTIVATIONS = ("linear", "tanh", "relu", "gauss", "sine")
LINEAR, TANH, RELU, GAUSS, SINE = range(len(ACTIVATIONS))


@dataclass
class Link:
    """A connection gene; its innovation number is the key under which a genome keeps it."""

    source: int
    target: int
    weight: float
    enabled: bool = True


@dataclass
class Genome:
    """Nodes 0 … inputs-1 are the inputs, of which 0 is always one; node `inputs` is the output, the rest are hidden."""

    inputs: int
    links: dict[int, Link] = field(default_factory=dict)
    nodes: dict[int, int] = field(default_factory=dict)
    """The activation of each hidden node."""

    @property
    def size(self) -> int:
        return sum(link.enabled for link in self.links.values())

    def to_json(self) -> dict[str, Any]:
        links = [[key, link.source, link.target, link.weight, int(link.enabled)] for key, link in self.links.items()]
        return {"inputs": self.inputs, "links": links, "nodes": [list(node) for node in self.nodes.items()]}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Genome:
        links = {key: Link(source, target, weight, bool(on)) for key, source, target, weight, on in value["links"]}
        return cls(value["inputs"], links, dict(value["nodes"]))

    def incoming(self) -> dict[int, list[Link]]:
        """The enabled links of every computed node."""
        found: dict[int, list[Link]] = {node: [] for node in (self.inputs, *self.nodes)}
        for link in self.links.values():
            if link.enabled:
                found[link.target].append(link)
        return found

    def order(self, incoming: Mapping[int, Sequence[Link]]) -> list[int]:
        """The computed nodes that the output depends on, each behind its sources; the output is last."""
        ordered: list[int] = []
        seen: set[int] = set()

        def visit(node: int) -> None:
            if node >= self.inputs and node not in seen:
                seen.add(node)
                for link in incoming[node]:
                    visit(link.source)
                ordered.append(node)

        visit(self.inputs)
        return ordered


# ------------------------------------------------------------------------------------------------ networks


class Networks(NamedTuple):
    """The networks of a population; row g is genome g. Values are the inputs, then the nodes as they are computed."""

    inputs: int
    sizes: np.ndarray  # int64[g]: computed nodes
    kinds: np.ndarray  # int64[g, node]: activations
    ends: np.ndarray  # int64[g, node]: where the node's links end, and those of the next begin
    sources: np.ndarray  # int64[g, link]: places among the values
    weights: np.ndarray  # float64[g, link]


def pack(genomes: Sequence[Genome]) -> Networks:
    """Genomes as arrays, padded to the largest."""
    plans = [_plan(genome) for genome in genomes]
    nodes = max(len(kinds) for kinds, _, _ in plans)
    links = max(1, *(ends[-1] for _, ends, _ in plans))
    shape = len(genomes)
    kinds, ends = np.zeros((2, shape, nodes), np.int64)
    sources, weights = np.zeros((shape, links), np.int64), np.zeros((shape, links))
    for g, (kind, end, wires) in enumerate(plans):
        kinds[g, : len(kind)], ends[g, : len(end)] = kind, end
        if wires:
            sources[g, : len(wires)], weights[g, : len(wires)] = zip(*wires, strict=True)
    sizes = np.array([len(kind) for kind, _, _ in plans])
    return Networks(genomes[0].inputs, sizes, kinds, ends, sources, weights)


def _plan(genome: Genome) -> tuple[list[int], list[int], list[tuple[int, float]]]:
    """For the computed nodes in order: activations, where their links end, and the links (place of source, weight)."""
    incoming = genome.incoming()
    order = genome.order(incoming)
    place = {node: node for node in range(genome.inputs)} | {node: genome.inputs + k for k, node in enumerate(order)}
    ends: list[int] = []
    wires: list[tuple[int, float]] = []
    for node in order:
        wires += [(place[link.source], link.weight) for link in incoming[node]]
        ends.append(len(wires))
    return [genome.nodes.get(node, LINEAR) for node in order], ends, wires


@rule
def activate(kind, total):
    if kind == TANH:
        return np.tanh(total)
    if kind == RELU:
        return max(total, 0.0)
    if kind == GAUSS:
        return np.exp(-total * total)
    if kind == SINE:
        return np.sin(total)
    return total


@rule
def output_of(nets, g, values):
    """The answer of network g to the inputs at the head of `values`."""
    first, place = 0, nets.inputs
    for node in range(nets.sizes[g]):
        total = 0.0
        for k in range(first, nets.ends[g, node]):
            total += nets.weights[g, k] * values[nets.sources[g, k]]
        first = nets.ends[g, node]
        values[place] = activate(nets.kinds[g, node], total)
        place += 1
    return values[place - 1]
