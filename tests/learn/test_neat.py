"""NEAT: variation keeps networks feed-forward, species share, matches are common, a killed training goes on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from copy import deepcopy
from pathlib import Path

import numpy as np
import pytest

from ludus import agent, load
from ludus.agents._networks import Genome
from ludus.arena.contest import contest
from ludus.arena.lockstep import Seating, play_batch
from ludus.errors import Mismatch, UnknownName
from ludus.learn._genomes import Innovations, add_link, add_node, cross, first_genome, vary
from ludus.learn._species import Species, brood_sizes, distance, sort_into_species
from ludus.learn.neat import Evolution, Jury, Settings, begin, train
from ludus.runs import RunFolder, begin_run
from ludus.workers import Threads

GAME = load("gravwell")
VALUES = GAME.rule_values("paper")
WORKERS = Threads(2)
SMALL = Settings(
    generations=5, population=8, games=96, players=4, samples=2, finalists=3, final_games=64, final_samples=2
)


def random_genome(innovations: Innovations, rng: np.random.Generator, steps: int = 20) -> Genome:
    genome = first_genome(innovations, 4, rng)
    for _ in range(steps):
        vary(genome, innovations, Settings(add_link=0.8, add_node=0.6, remove_link=0.3, remove_node=0.2), rng)
    return genome


# ------------------------------------------------------------------------------------------------ variation


def test_variation_never_makes_a_cycle_even_among_disabled_links():
    rng, innovations = np.random.default_rng(1), Innovations(6)
    for _ in range(60):
        genome = random_genome(innovations, rng)
        for link in genome.links.values():
            link.enabled = True
        incoming = genome.incoming()
        order = genome.order(incoming)
        place = {node: k for k, node in enumerate(order)}
        assert order[-1] == genome.inputs
        assert all(
            link.source < genome.inputs or place[link.source] < k for k, n in enumerate(order) for link in incoming[n]
        )


def test_crossing_keeps_the_structure_of_the_better_and_mixes_weights():
    rng, innovations = np.random.default_rng(2), Innovations(6)
    common = 0
    for _ in range(40):
        better, other = random_genome(innovations, rng), random_genome(innovations, rng)
        common += len(better.links.keys() & other.links.keys())
        child = cross(better, other, rng)
        assert child.links.keys() == better.links.keys()
        assert child.nodes.keys() == better.nodes.keys()
        for key, link in child.links.items():
            givers = [parent.links[key].weight for parent in (better, other) if key in parent.links]
            assert link.weight in givers
    assert common > 40, "parents without common genes test nothing"


def test_the_same_innovation_has_the_same_number_everywhere():
    innovations = Innovations(3)
    one = first_genome(innovations, 1, np.random.default_rng(0))
    other = deepcopy(one)
    add_node(one, innovations, np.random.default_rng(1))
    add_node(other, innovations, np.random.default_rng(2))
    assert one.links.keys() == other.links.keys()
    assert one.nodes.keys() == other.nodes.keys() == {4}
    add_node(one, innovations, np.random.default_rng(3))
    assert 5 in one.nodes
    again = Innovations.from_json(innovations.to_json())
    assert (again.links, again.nodes) == (innovations.links, innovations.nodes)


def test_a_split_link_is_replaced_and_can_be_switched_on_again():
    innovations = Innovations(1)
    genome = first_genome(innovations, 1, np.random.default_rng(0))
    weight = genome.links[0].weight
    add_node(genome, innovations, np.random.default_rng(0))
    assert [(link.weight, link.enabled) for link in genome.links.values()] == [
        (weight, False),
        (1.0, True),
        (weight, True),
    ]
    for seed in range(40):
        add_link(genome, innovations, np.random.default_rng(seed))
    assert genome.links[0].enabled
    assert genome.links[0].weight == weight


# ------------------------------------------------------------------------------------------------ species


def test_distance_counts_unlike_genes_and_unlike_weights():
    innovations = Innovations(4)
    one = first_genome(innovations, 4, np.random.default_rng(0))
    other = deepcopy(one)
    assert distance(one, other) == 0
    other.links[0].weight += 4.0
    assert distance(one, other) == pytest.approx(0.4 * 4.0 / 4)
    del other.links[0], other.links[1]
    assert distance(one, other) == pytest.approx(2 / 4)


def test_genomes_join_the_species_that_they_resemble():
    innovations = Innovations(20)
    families = [first_genome(innovations, 4, np.random.default_rng(seed)) for seed in (1, 2, 3)]
    population = [deepcopy(family) for family in families for _ in range(3)]
    species = sort_into_species(population, [], threshold=0.5)
    assert [one.members for one in species] == [[0, 1, 2], [3, 4, 5], [6, 7, 8]]
    assert [one.members for one in sort_into_species(population[3:], species, 0.5)] == [[0, 1, 2], [3, 4, 5]]


def test_room_goes_by_mean_fitness_not_by_size_and_stagnant_species_die_out():
    settings = Settings(population=12, stagnation=5)
    species = [
        Species(Genome(1), members=[0, 1, 2, 3, 4, 5]),
        Species(Genome(1), members=[6]),
        Species(Genome(1), members=[7]),
    ]
    fitness = np.array([2.0, 1.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0])
    assert brood_sizes(species, fitness, settings) == [4, 4, 4]
    species[0].since = species[1].since = 9
    assert brood_sizes(species, fitness, settings) == [6, 0, 6], "the species with the best genome stays"


# ------------------------------------------------------------------------------------------------ matches


def test_fitness_is_what_the_arena_says(tmp_path):
    """The same words, the same seats: the trainer's kernel and lock-step play give the same winners."""
    run = begun(tmp_path, SMALL)
    list(train(GAME, VALUES, SMALL, run, 4, WORKERS))
    player = agent(f"neat:{tmp_path}", GAME)
    best = Genome.from_json(json.loads(run.read("best.json") or b"")["genome"])
    scores = Jury(GAME, VALUES, SMALL, WORKERS).judge([best], 80, SMALL.final_samples, seed=77)
    tables = [Seating(tuple(int(seat != m % 4) for seat in range(4)), m, 0) for m in range(80)]
    batch = play_batch(GAME, [player, agent("nostop", GAME)], tables, 77, VALUES)
    wins = batch.returns[np.arange(80), np.arange(80) % 4] == 1.0
    assert 0 < wins.sum() < 80
    assert scores.shares[0].tolist() == wins.tolist()


def begun(path, settings: Settings) -> RunFolder:
    return begin_run(path, "neat", GAME, VALUES, settings, 4)


def test_all_genomes_play_the_same_matches_on_any_number_of_threads():
    population = begin(GAME, SMALL, 0).population
    population[5] = deepcopy(population[0])
    one = Jury(GAME, VALUES, SMALL, Threads(1)).judge(population, 64, 2, seed=9)
    two = Jury(GAME, VALUES, SMALL, Threads(2)).judge(population, 64, 2, seed=9)
    assert np.array_equal(one.shares, two.shares)
    assert np.array_equal(one.gains, two.gains)
    assert np.array_equal(one.gains[0], one.gains[5])
    assert not np.array_equal(one.gains[0], one.gains[1])


def test_progress_is_the_mean_gain_of_a_round():
    """In units of the pace that reaches the gate with the last round: one that got there in round r has 6 / r."""
    short = GAME.rule_values("paper", {"gate": 20, "hulk": 12, "second_hulk": 8})
    scores = Jury(GAME, short, SMALL, WORKERS).judge(begin(GAME, SMALL, 0).population[:1], 400, 2, seed=9)
    winners = scores.gains[0][scores.shares[0] == 1]
    at_gate = winners[winners >= 1]
    assert len(at_gate) > 20
    assert {round(6 / gain, 9) for gain in at_gate} <= {1, 2, 3, 4, 5, 6}


# ------------------------------------------------------------------------------------------------ training


def test_a_killed_training_ends_as_if_it_had_not_been(tmp_path):
    sets = ["generations=6", "population=8", "games=400", "samples=2", "final_games=64", "final_samples=2"]
    command = [sys.executable, "-c", "from ludus.cli import main; main()", "train", "neat", "gravwell", "--seed", "4"]
    command += [part for one in sets for part in ("--set", one)]
    subprocess.run([*command, "--out", tmp_path / "whole"], check=True, capture_output=True)
    killed = subprocess.Popen([*command, "--out", tmp_path / "cut"], stdout=subprocess.DEVNULL)
    while not (tmp_path / "cut" / "checkpoint.json").exists():
        assert killed.poll() is None
        time.sleep(0.01)
    os.kill(killed.pid, signal.SIGKILL)
    killed.wait()
    assert 0 < len(RunFolder(tmp_path / "cut").rows()) < 6
    answer = subprocess.run([*command, "--out", tmp_path / "cut"], check=True, capture_output=True, text=True)
    assert "resuming" in answer.stdout
    whole, cut = RunFolder(tmp_path / "whole"), RunFolder(tmp_path / "cut")
    assert whole.rows() == cut.rows()
    for name in ("best.json", "checkpoint.json"):
        assert whole.read(name) == cut.read(name), name


def test_what_a_checkpoint_keeps_is_all_that_matters(tmp_path):
    state = begin(GAME, SMALL, 3)
    for generation in range(3):
        fitness = np.random.default_rng(generation).random(SMALL.population)
        state.absorb(fitness, SMALL)
        state.breed(fitness, SMALL, np.random.default_rng(generation))
        again = Evolution.from_json(state.to_json())
        assert again.to_json() == state.to_json()
    assert len(state.population) == SMALL.population
    assert len(state.finalists) == 3


def test_a_finished_run_without_its_checkpoint_is_left_alone(tmp_path):
    run = begun(tmp_path, SMALL)
    assert len(list(train(GAME, VALUES, SMALL, run, 4, WORKERS))) == SMALL.generations
    best = run.read("best.json")
    Path(tmp_path / "checkpoint.json").unlink()
    assert list(train(GAME, VALUES, SMALL, run, 4, WORKERS)) == []
    assert run.read("best.json") == best
    assert len(run.rows()) == SMALL.generations


def test_connect_four_is_learnt_too(tmp_path):
    game = load("connect_four")
    values = game.rule_values()
    settings = Settings(generations=8, population=24, games=128, finalists=4, final_games=512, links=12)
    run = begin_run(tmp_path, "neat", game, values, settings, 1)
    list(train(game, values, settings, run, 1, WORKERS))
    result = contest("connect_four", [f"neat:{tmp_path}", "random"], games=1000, seed=5)
    assert result.agents[0].low > 0.8


def test_what_cannot_be_learnt_is_refused_with_the_reason(tmp_path):
    run = RunFolder.begin(tmp_path, {})
    for name, reason in (("organism", "a match may take"), ("planet_wars", "cannot learn planet_wars")):
        game = load(name)
        with pytest.raises(Mismatch, match=reason):
            next(train(game, game.rule_values(), SMALL, run, 0, WORKERS))
    with pytest.raises(UnknownName, match="no rival is called 'tree' for connect_four"):
        Jury(load("connect_four"), load("connect_four").rule_values(), Settings(rivals="tree"), WORKERS)
