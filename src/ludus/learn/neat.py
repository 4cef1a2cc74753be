"""NeuroEvolution of Augmenting Topologies (Stanley and Miikkulainen 2002), for any game of the contract.

Genomes begin with a few links and grow: links and nodes are added and removed, weights jitter, parents are crossed gene
by gene along their innovation numbers, and similar genomes share a species, within which they compete, so that a new
structure has time to prove itself. How a network sees a game is told in `ludus.agents.neat`.

A network's fitness is its mean share of the point over many whole matches, plus `credit` times its progress a round
(Gravwell: tiles, in units of the pace that reaches the gate with the last round). All genomes of a generation play the
same matches: the same deals, and rivals with the same random streams. So they differ by what they do and hardly by
luck. Every generation gets new matches; at the end the best of the last generations meet once more in longer play.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ludus.agents.gravwell.trees import INTENDED, NEVER, PUBLISHED, UNIFORM, tree_action
from ludus.agents.neat import (
    ACTIVATIONS,
    LINEAR,
    TRUTH,
    VIEW,
    Genome,
    Link,
    choose,
    desk_for,
    inputs_for,
    pack,
    samples_for,
    scoring_kernel,
)
from ludus.compile import rule, template
from ludus.errors import BadInput, Mismatch
from ludus.game import Game
from ludus.rng import below, match_words, word
from ludus.rules import MAX_ACTIONS, MAX_PLIES, SEATS, hide, legal, returns, step, to_act
from ludus.runs import RunFolder
from ludus.settings import setting

MOST_PLIES = 5000
"""A game whose matches may be longer is refused: fitness needs hundreds of thousands of whole matches."""


@dataclass
class Settings:
    """What decides a training."""

    generations: int = setting(20, "generations to breed", low=1)
    population: int = setting(48, "networks in a generation", low=4)
    games: int = setting(1024, "matches of each network in a generation, the same for all", low=1)
    players: int = setting(0, "players in a match; 0: as many as the game allows", low=0)
    opponent: str = setting("auto", "random; in Gravwell also nostop, tree or published; auto: nostop there")
    samples: int = setting(4, "guesses of what is hidden, for each action", low=0)
    credit: float = setting(0.2, "weight of progress a round beside the share of the point", low=0)
    links: int = setting(6, "links of a first genome", low=1)
    species: int = setting(6, "species to aim at", low=1)
    survivors: float = setting(0.3, "part of a species that may have children", low=0.01)
    stagnation: int = setting(15, "generations without progress after which a species dies out", low=1)
    crossover: float = setting(0.5, "chance that a child has two parents", low=0)
    weights: float = setting(0.8, "chance that a child's weights are jittered", low=0)
    jitter: float = setting(0.4, "standard deviation of that jitter", low=0)
    add_link: float = setting(0.25, "chance of a new link", low=0)
    remove_link: float = setting(0.1, "chance of losing a link", low=0)
    add_node: float = setting(0.1, "chance of a new node", low=0)
    remove_node: float = setting(0.03, "chance of losing a node", low=0)
    finalists: int = setting(8, "best networks of the last generations that meet at the end", low=1)
    final_games: int = setting(4096, "matches of each finalist", low=1)
    final_samples: int = setting(32, "guesses of what is hidden, for each action of finalists and in later play", low=0)
    threads: int = setting(2, "threads; the result is the same with any number", low=1)


def TOTAL(settings: Settings) -> int:
    return settings.generations


# ------------------------------------------------------------------------------------------------ rivals and credit


@template
def rival_action(state, player, manner, rng):
    """What a rival does; bound to the game's kind of rival. This one plays at random."""
    menu = np.empty(MAX_ACTIONS, np.int32)
    n = legal(state, player, menu)
    return menu[0] if n == 1 else menu[below(rng, n)]


@rule
def gravwell_rival(state, player, manner, rng):
    return tree_action(state, player, manner[0], manner[1], manner[2], rng)


@template
def progress(state, player):
    """Progress a round in a match that is over; bound to the game's own measure. Most games have none."""
    return 0.0


@rule
def gravwell_progress(state, player):
    """The mean gain of a round. A ship starts on tile 0, so its gains add up to its last tile."""
    pace = state.params.gate / state.params.rounds
    return state.tile[player] / (1 + state.round_no) / pace


MANNERS = {
    "random": (UNIFORM, UNIFORM, UNIFORM),
    "nostop": (UNIFORM, UNIFORM, NEVER),
    "tree": (INTENDED, INTENDED, INTENDED),
    "published": (PUBLISHED, PUBLISHED, INTENDED),
}
"""How Gravwell's rivals draft, play and stop."""


# ------------------------------------------------------------------------------------------------ fitness


@template
def play_match(seat, nets, g, samples, manner, words, desk):
    """Play the match on the desk to its end: network g in `seat`, rivals elsewhere."""
    state = desk.states[TRUTH]
    actions = np.empty(SEATS, np.int32)
    mask, plies = to_act(state), 0
    while mask != 0 and plies < MAX_PLIES:
        for player in range(SEATS):
            actions[player] = -1
            if mask >> player & 1 == 0:
                continue
            rng = words[1 + player : 2 + player]
            if player == seat:
                desk.states[VIEW] = state
                hide(desk.states[VIEW], player)
                actions[player] = choose(player, nets, g, samples, rng, desk)
            else:
                actions[player] = rival_action(state, player, manner, rng)
        step(state, actions, words[:1])
        mask = to_act(state)
        plies += 1


@template
def play_genomes(nets, first, last, starts, words, seats, samples, manner, desk, shares, gains):
    """Every genome plays every match; its shares of the point and its progress, one column a match."""
    row = np.empty(words.shape[1], np.uint64)
    for g in range(first, last):
        for m in range(starts.shape[0]):
            desk.states[TRUTH] = starts[m]
            row[:] = words[m]
            play_match(seats[m], nets, g, samples, manner, row, desk)
            returns(desk.states[TRUTH], desk.payoffs)
            shares[g, m] = share_of(desk.payoffs, seats[m], starts[m].players)
            gains[g, m] = progress(desk.states[TRUTH], seats[m])


@rule
def share_of(payoffs, seat, players):
    """1 for a win, 1/k for one of k equal best, 0 otherwise."""
    better = equals = 0
    for player in range(players):
        better += payoffs[player] > payoffs[seat]
        equals += payoffs[player] == payoffs[seat]
    return 0.0 if better > 0 else 1.0 / equals


class Results(NamedTuple):
    """Shares of the point and progress, one row a genome and one column a match that all of them played."""

    shares: np.ndarray
    gains: np.ndarray

    def fitness(self, credit: float) -> np.ndarray:
        return self.shares.mean(1) + credit * self.gains.mean(1)


class Ground:
    """The matches by which networks are judged: one game, its rules, its rivals."""

    def __init__(self, game: Game, values: Mapping[str, object], settings: Settings):
        self.game, self.values, self.settings = game, values, settings
        self.players = settings.players or game.facts.players[1]
        game.check_setting(self.players, values)
        self.manner = _manner(game, settings.opponent)

    def judge(self, genomes: Sequence[Genome], games: int, samples: int, seed: int) -> Results:
        """All genomes on the same matches, which `seed` names."""
        samples = samples_for(self.game, samples)
        nets = pack(genomes)
        words = match_words(seed, np.arange(games), 0, self.players)
        starts = self.game.start(words, self.players, self.values)
        seats = np.arange(games) % self.players
        results = Results(*np.zeros((2, len(genomes), games)))
        kernel = fitness_kernel(self.game)
        bounds = np.linspace(0, len(genomes), self.settings.threads + 1).astype(int)

        def play(part: int) -> None:
            first, last = bounds[part : part + 2]
            desk = desk_for(self.game, nets)
            kernel(nets, first, last, starts, words, seats, samples, self.manner, desk, *results)

        with ThreadPoolExecutor(self.settings.threads) as workers:
            list(workers.map(play, range(self.settings.threads)))
        return results


def fitness_kernel(game: Game) -> Callable:
    own = {"rival_action": gravwell_rival, "progress": gravwell_progress} if game.name == "gravwell" else {}
    return scoring_kernel(game, play_genomes, **own)


def _manner(game: Game, opponent: str) -> np.ndarray:
    known = [*MANNERS] if game.name == "gravwell" else ["random"]
    name = ("nostop" if game.name == "gravwell" else "random") if opponent == "auto" else opponent
    if name not in known:
        raise BadInput(f"neat: opponent is auto or one of {', '.join(known)} in {game.name}, not {opponent!r}")
    return np.array(MANNERS[name])


def check_game(game: Game) -> None:
    """Refuse a game that this method cannot represent, with the reason."""
    if game.facts.max_plies > MOST_PLIES:
        raise Mismatch(
            f"neat cannot learn {game.name}: a match may take {game.facts.max_plies} steps, and every generation "
            f"plays tens of thousands of whole matches; the limit is {MOST_PLIES} steps"
        )
    if game.facts.secret_actions:
        raise Mismatch(
            f"neat cannot learn {game.name}: it judges an action by the position after it, "
            "and here an order changes nothing that can be seen before the turn ends"
        )


# ------------------------------------------------------------------------------------------------ variation


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


# ------------------------------------------------------------------------------------------------ species

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


# ------------------------------------------------------------------------------------------------ the generations


@dataclass
class Evolution:
    """Everything that the next generation depends on; with the seed it decides all that follows."""

    innovations: Innovations
    population: list[Genome]
    species: list[Species] = field(default_factory=list)
    threshold: float = 2.0
    generation: int = 0
    hall: list[Genome] = field(default_factory=list)
    """The best of the last generations."""

    def to_json(self) -> dict[str, Any]:
        return {
            "generation": self.generation,
            "threshold": self.threshold,
            "innovations": self.innovations.to_json(),
            "population": [genome.to_json() for genome in self.population],
            "species": [one.to_json() for one in self.species],
            "hall": [genome.to_json() for genome in self.hall],
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Evolution:
        return cls(
            Innovations.from_json(value["innovations"]),
            [Genome.from_json(genome) for genome in value["population"]],
            [Species.from_json(one) for one in value["species"]],
            value["threshold"],
            value["generation"],
            [Genome.from_json(genome) for genome in value["hall"]],
        )

    def absorb(self, fitness: np.ndarray, settings: Settings) -> None:
        """Sort the judged population into species, and remember its best."""
        self.species = sort_into_species(self.population, self.species, self.threshold)
        # The threshold drifts to where it gives about as many species as wanted.
        self.threshold *= 1.1 if len(self.species) > settings.species else 0.92
        for one in self.species:
            one.members.sort(key=lambda k: -fitness[k])
            best = float(fitness[one.members[0]])
            one.since = 0 if best > one.best else one.since + 1
            one.best = max(best, one.best)
        best = self.population[int(np.argmax(fitness))]
        self.hall = [*self.hall, deepcopy(best)][-settings.finalists :]

    def breed(self, fitness: np.ndarray, settings: Settings, rng: np.random.Generator) -> None:
        """The next generation: the champion of every species unchanged, and children of its better part."""
        following: list[Genome] = []
        for one, size in zip(self.species, brood_sizes(self.species, fitness, settings), strict=True):
            parents = one.members[: max(1, round(settings.survivors * len(one.members)))]
            following += [deepcopy(self.population[one.members[0]])][:size]
            following += [self._child(parents, settings, rng) for _ in range(size - 1)]
        self.population = following
        self.generation += 1

    def _child(self, parents: Sequence[int], settings: Settings, rng: np.random.Generator) -> Genome:
        one, other = sorted(rng.integers(len(parents), size=2))  # parents are sorted: the first is the better one
        if one != other and rng.random() < settings.crossover:
            child = cross(self.population[parents[one]], self.population[parents[other]], rng)
        else:
            child = deepcopy(self.population[parents[one]])
        vary(child, self.innovations, settings, rng)
        return child


def begin(game: Game, settings: Settings, seed: int) -> Evolution:
    innovations = Innovations(inputs_for(game))
    rng = np.random.default_rng([seed, 0])
    return Evolution(innovations, [first_genome(innovations, settings.links, rng) for _ in range(settings.population)])


FINAL = -1  # names the matches of the finalists, as other matches are named by their generation


def train(
    game: Game, values: Mapping[str, object], settings: Settings, run: RunFolder, seed: int
) -> Iterator[dict[str, object]]:
    """Breed; one row a generation."""
    check_game(game)
    ground = Ground(game, values, settings)
    saved, best = run.read("checkpoint.json"), run.read("best.json")
    if saved is None and best is not None and "games" in json.loads(best):
        return  # it is finished, and its checkpoint was thrown away
    state = Evolution.from_json(json.loads(saved)) if saved else begin(game, settings, seed)
    run.cut_log(state.generation)
    while state.generation < settings.generations:
        results = ground.judge(state.population, settings.games, settings.samples, word(seed, state.generation))
        fitness = results.fitness(settings.credit)
        state.absorb(fitness, settings)
        row = _row(state, results, fitness)
        _save_best(run, state.population[int(np.argmax(fitness))])
        state.breed(fitness, settings, np.random.default_rng([seed, 1 + state.generation]))
        run.log(row)
        run.write("checkpoint.json", json.dumps(state.to_json()).encode())
        yield row
    hold_final(ground, state.hall, run, seed)


def _row(state: Evolution, results: Results, fitness: np.ndarray) -> dict[str, object]:
    best = int(np.argmax(fitness))
    return {
        "generation": state.generation,
        "best": round(float(fitness[best]), 5),
        "mean": round(float(fitness.mean()), 5),
        "share": round(float(results.shares[best].mean()), 5),
        "species": len(state.species),
        "size": state.population[best].size,
        "nodes": len(state.population[best].nodes),
    }


def hold_final(ground: Ground, hall: Sequence[Genome], run: RunFolder, seed: int) -> None:
    """The finalists meet on matches that nobody was chosen by; the share of the point alone decides."""
    games, samples = ground.settings.final_games, ground.settings.final_samples
    shares = ground.judge(hall, games, samples, word(seed, FINAL)).shares.mean(1)
    _save_best(run, hall[int(np.argmax(shares))], share=float(shares.max()), games=games)


def _save_best(run: RunFolder, genome: Genome, **told: object) -> None:
    run.write("best.json", json.dumps({"genome": genome.to_json(), **told}).encode())
