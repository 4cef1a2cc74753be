"""NeuroEvolution of Augmenting Topologies (Stanley and Miikkulainen 2002), for any game of the contract.

Genomes begin with a few links and grow: links and nodes are added and removed, weights jitter, parents are crossed gene
by gene along their innovation numbers, and similar genomes share a species, within which they compete, so that a new
structure has time to prove itself. How a network sees a game is told in
`ludus.agents._scoring`.

A network's fitness is its mean share of the point over many whole matches, plus `credit` times its progress a round,
where the game knows one. All genomes of a generation play the same matches, every generation new ones; at the end the
best of the last generations meet once more in longer play.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ludus.agents._networks import Genome, pack
from ludus.agents._rivals import find_rival
from ludus.agents._scoring import TRUTH, VIEW, choose, scoring_kernel, scoring_of, workspace_for
from ludus.arena.statistics import wilson
from ludus.compile import template
from ludus.errors import Mismatch
from ludus.game import Game
from ludus.learn._genomes import Innovations, cross, first_genome, vary
from ludus.learn._matches import Matches, judge, play_candidates, share_of
from ludus.learn._species import Species, brood_sizes, sort_into_species
from ludus.rng import match_words, word
from ludus.runs import RunFolder
from ludus.settings import setting
from ludus.workers import Workers

MOST_PLIES = 5000
"""A game whose matches may be longer is refused: fitness needs hundreds of thousands of whole matches."""


@dataclass
class Settings:
    """What decides a training."""

    generations: int = setting(20, "generations to breed", 1, 10**9)
    population: int = setting(48, "networks in a generation", 4, 10**5)
    games: int = setting(1024, "matches of each network in a generation, the same for all", 1, 10**7)
    players: int = setting(0, "players in a match; 0: the fewest that the game allows", low=0)
    rivals: str = setting("auto", "the other players: random, a name, or file.py:function; auto: the game's usual one")
    samples: int = setting(4, "guesses of what is hidden, for each action", 0, 10**6)
    credit: float = setting(0.2, "weight of progress a round beside the share of the point", low=0)
    links: int = setting(6, "links of a first genome", 1, 10**6)
    species: int = setting(6, "species to aim at", 1, 10**5)
    survivors: float = setting(0.3, "part of a species that may have children", 0.01, 1)
    stagnation: int = setting(15, "generations without progress after which a species dies out", low=1)
    crossover: float = setting(0.5, "chance that a child has two parents", 0, 1)
    weights: float = setting(0.8, "chance that a child's weights are jittered", 0, 1)
    jitter: float = setting(0.4, "standard deviation of that jitter", low=0)
    add_link: float = setting(0.25, "chance of a new link", 0, 1)
    remove_link: float = setting(0.1, "chance of losing a link", 0, 1)
    add_node: float = setting(0.1, "chance of a new node", 0, 1)
    remove_node: float = setting(0.03, "chance of losing a node", 0, 1)
    finalists: int = setting(8, "best networks of the last generations that meet at the end", 1, 10**5)
    final_games: int = setting(4096, "matches of each finalist", 1, 10**8)
    final_samples: int = setting(
        32, "guesses of what is hidden, for each action of finalists and in later play", 0, 10**6
    )


CURVE = {"share": "the best of a generation, as selection sees it"}


def TOTAL(settings: Settings) -> int:
    return settings.generations


# ------------------------------------------------------------------------------------------------ fitness


def progress(state, player) -> Any:
    """In a template: the game's measure of progress a round."""


@template
def network_choice(view, player, rng, mind):
    candidate, (nets, samples, space) = mind
    return choose(player, nets, candidate, samples, rng, space)


@template
def share_and_progress(state, seat, payoffs, out):
    out[0] = share_of(state, seat, payoffs)
    out[1] = progress(state, seat)


class Scores(NamedTuple):
    """Shares of the point and progress, one row a genome and one column a match that all of them played."""

    shares: np.ndarray
    gains: np.ndarray

    def fitness(self, credit: float) -> np.ndarray:
        return self.shares.mean(1) + credit * self.gains.mean(1)


class Jury:
    """Judges networks by whole matches: one game, its rules, its rivals."""

    def __init__(self, game: Game, values: Mapping[str, object], settings: Settings, workers: Workers):
        self.game, self.values, self.settings, self.workers = game, values, settings, workers
        self.players = settings.players or game.facts.players[0]
        game.check_setting(self.players, values)
        bound = {"learner_choice": network_choice, "merit": share_and_progress}
        bound |= {"rival_choice": find_rival(settings.rivals, game), "progress": scoring_of(game).progress}
        self._kernel = scoring_kernel(game, play_candidates, **bound)

    def judge(self, genomes: Sequence[Genome], games: int, samples: int, seed: int) -> Scores:
        """All genomes on the same matches, which `seed` names."""
        nets, samples = pack(genomes), scoring_of(self.game).samples(self.game, samples)
        words = match_words(seed, np.arange(games), 0, self.players)
        starts = self.game.start(words, self.players, self.values)
        matches = Matches(starts, words, np.arange(games) % self.players)

        def room() -> tuple:
            space = workspace_for(self.game, nets)
            return space.states[TRUTH : VIEW + 1], (nets, samples, space)

        return Scores(*np.moveaxis(judge(self._kernel, len(genomes), matches, room, self.workers), 2, 0))


def refuse_unfit(game: Game) -> None:
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


# ------------------------------------------------------------------------------------------------ the generations


@dataclass
class Evolution:
    """Everything that the next generation depends on; with the seed it decides all that follows."""

    innovations: Innovations
    population: list[Genome]
    species: list[Species] = field(default_factory=list)
    threshold: float = 2.0
    generation: int = 0
    finalists: list[Genome] = field(default_factory=list)
    """The best of the last generations."""

    def to_json(self) -> dict[str, Any]:
        return {
            "generation": self.generation,
            "threshold": self.threshold,
            "innovations": self.innovations.to_json(),
            "population": [genome.to_json() for genome in self.population],
            "species": [one.to_json() for one in self.species],
            "finalists": [genome.to_json() for genome in self.finalists],
        }

    @classmethod
    def from_bytes(cls, content: bytes) -> Evolution:
        return cls.from_json(json.loads(content))

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Evolution:
        return cls(
            Innovations.from_json(value["innovations"]),
            [Genome.from_json(genome) for genome in value["population"]],
            [Species.from_json(one) for one in value["species"]],
            value["threshold"],
            value["generation"],
            [Genome.from_json(genome) for genome in value["finalists"]],
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
        self.finalists = [*self.finalists, deepcopy(best)][-settings.finalists :]

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
    innovations = Innovations(scoring_of(game).inputs)
    rng = np.random.default_rng([seed, 0])
    return Evolution(innovations, [first_genome(innovations, settings.links, rng) for _ in range(settings.population)])


FINAL = -1  # names the matches of the finalists, as other matches are named by their generation


def train(
    game: Game, values: Mapping[str, object], settings: Settings, run: RunFolder, seed: int, workers: Workers
) -> Iterator[dict[str, object]]:
    """Breed; one row a generation."""
    refuse_unfit(game)
    jury = Jury(game, values, settings, workers)
    state = run.load("checkpoint.json", Evolution.from_bytes)
    if state is None and run.load("best.json", _is_final):
        return  # it is finished, and its checkpoint was thrown away
    state = state or begin(game, settings, seed)
    run.cut_log(state.generation)
    while state.generation < settings.generations:
        scores = jury.judge(state.population, settings.games, settings.samples, word(seed, state.generation))
        fitness = scores.fitness(settings.credit)
        state.absorb(fitness, settings)
        row = _row(state, scores, fitness)
        _save_best(run, state.population[int(np.argmax(fitness))])
        state.breed(fitness, settings, np.random.default_rng([seed, 1 + state.generation]))
        run.log(row)
        run.write("checkpoint.json", json.dumps(state.to_json()).encode())
        yield row
    hold_final(jury, state.finalists, run, seed)


def _is_final(content: bytes) -> bool:
    return "games" in json.loads(content)


def _row(state: Evolution, scores: Scores, fitness: np.ndarray) -> dict[str, object]:
    best = int(np.argmax(fitness))
    shares = scores.shares[best]
    rate = wilson(float(shares.sum()), len(shares))
    return {
        "generation": state.generation,
        "best": round(float(fitness[best]), 5),
        "mean": round(float(fitness.mean()), 5),
        "share": round(rate.value, 5),
        "low": round(rate.low, 5),
        "high": round(rate.high, 5),
        "species": len(state.species),
        "size": state.population[best].size,
        "nodes": len(state.population[best].nodes),
    }


def hold_final(jury: Jury, finalists: Sequence[Genome], run: RunFolder, seed: int) -> None:
    """The finalists meet on matches that nobody was chosen by; the share of the point alone decides."""
    games, samples = jury.settings.final_games, jury.settings.final_samples
    shares = jury.judge(finalists, games, samples, word(seed, FINAL)).shares.mean(1)
    _save_best(run, finalists[int(np.argmax(shares))], share=float(shares.max()), games=games)


def _save_best(run: RunFolder, genome: Genome, **told: object) -> None:
    run.write("best.json", json.dumps({"genome": genome.to_json(), **told}).encode())
