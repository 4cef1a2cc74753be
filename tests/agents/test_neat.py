"""Evolved networks: packed arrays against a plain evaluation, inputs by hand, runs that do not fit."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from ludus import agent, load
from ludus.agents._networks import ACTIVATIONS, GAUSS, RELU, SINE, TANH, Genome, Link, output_of, pack
from ludus.agents._scoring import VIEW, workspace_for
from ludus.agents.gravwell._scoring import FOR_POSITION, GAIN, NEXT, foresee
from ludus.arena.contest import contest
from ludus.compile import template
from ludus.errors import BadInput, Mismatch
from ludus.game import View
from ludus.games._gravwell_text import SYMBOLS
from ludus.learn._genomes import Innovations, first_genome, vary
from ludus.learn.neat import Settings
from ludus.rng import stream
from ludus.runs import SHIPPED
from ludus.testing import check_agent

GAME = load("gravwell")
PLAIN = {TANH: math.tanh, RELU: lambda x: max(x, 0.0), GAUSS: lambda x: math.exp(-x * x), SINE: math.sin}


def evaluated(genome: Genome, inputs: np.ndarray) -> float:
    """A genome by its definition: a node is its activation of the weighted sum over its enabled links."""

    def value(node: int) -> float:
        if node < genome.inputs:
            return float(inputs[node])
        links = [link for link in genome.links.values() if link.enabled and link.target == node]
        total = sum(link.weight * value(link.source) for link in links)
        return PLAIN[genome.nodes[node]](total) if node in genome.nodes else total

    return value(genome.inputs)


@template
def answers(nets, inputs, values, out):
    for g in range(out.shape[0]):
        values[: nets.inputs] = inputs
        out[g] = output_of(nets, g, values)


def test_packed_networks_answer_as_their_genomes_say():
    rng = np.random.default_rng(3)
    innovations, settings = Innovations(7), Settings(add_link=0.9, add_node=0.7, remove_link=0.2, remove_node=0.2)
    genomes = [first_genome(innovations, 3, rng) for _ in range(40)]
    for genome in genomes:
        for _ in range(rng.integers(25)):
            vary(genome, innovations, settings, rng)
    assert {kind for genome in genomes for kind in genome.nodes.values()} == set(range(1, len(ACTIVATIONS)))
    nets, inputs = pack(genomes), rng.normal(size=7)
    out = np.empty(len(genomes))
    GAME.kernel(answers)(nets, inputs, np.empty(7 + nets.kinds.shape[1]), out)
    assert np.allclose(out, [evaluated(genome, inputs) for genome in genomes], rtol=1e-9)


@template
def look_ahead(player, n, samples, space):
    foresee(player, n, samples, space)


def test_the_outlook_of_a_card_is_what_it_does_when_rivals_hands_are_known():
    """Two players, all cards seen: B's only card, Ar, takes B from 13 to 14 before A, on 10, plays."""
    text = """Round 1, turn 5: choose
    A tile 10 stops 1 hand C* Ne*
    B tile 13 stops 1 hand Ar* Zr*
    hulks 36"""
    states = GAME.parse_state(text, 2, GAME.rule_values())
    states["hand"][0, 1], states["held"][0, 1] = 1 << SYMBOLS.index("Ar"), 1
    space = workspace_for(GAME, pack([network([])]))
    space.states[VIEW] = states[0]
    space.menu[:2] = [SYMBOLS.index("C"), SYMBOLS.index("Ne")]
    GAME.kernel(look_ahead)(0, 2, 5, space)
    # B is drawn back to A (3 behind against 23 ahead): from 13 to 12. C takes A 3 forward, past it; Ne 6 back.
    assert space.notes[:2, GAIN] == pytest.approx([3, -6])
    # On 13 A is drawn back to B, where Ne moves it onward; on 4 forward, where C does.
    assert space.notes[:2, NEXT] == pytest.approx([6, 3])


def network(links: list[tuple[int, float]]) -> Genome:
    inputs = shipped_inputs()
    return Genome(inputs, {k: Link(source, inputs, weight) for k, (source, weight) in enumerate(links)})


def shipped_inputs() -> int:
    return json.loads((SHIPPED / "gravwell-neat" / "best.json").read_bytes())["genome"]["inputs"]


def run_folder(path, genome: Genome, **changes):
    settings = {"method": "neat", "game": "gravwell", "version": GAME.facts.version}
    settings |= {"settings": {"final_samples": 4}, **changes}
    (path / "settings.json").write_text(json.dumps(settings))
    (path / "best.json").write_text(json.dumps({"genome": genome.to_json()}))
    return str(path)


def test_one_scorer_serves_all_cards(tmp_path):
    text = """Round 1, turn 4: choose
    A tile 10 stops 1 hand Ar B Mg
    B tile 13 stops 1 hand ? ? ?
    hulks 36"""
    view = View(GAME, GAME.parse_state(text, 2, GAME.rule_values()), 0)
    for weight, symbol in ((1.0, "Mg"), (-1.0, "Ar")):  # the first input of a card is its value
        spec = f"neat:{run_folder(tmp_path, network([(FOR_POSITION, weight)]))}"
        assert SYMBOLS[agent(spec, GAME).act(view, stream(1))] == symbol


def test_runs_that_do_not_fit_are_refused(tmp_path):
    folder = run_folder(tmp_path, network([(0, 1.0)]), version="0")
    with pytest.raises(Mismatch, match=r"gravwell version 0, this is gravwell version"):
        agent(f"neat:{folder}", GAME)
    with pytest.raises(Mismatch, match="trained for gravwell"):
        agent("neat:gravwell-neat", "connect_four")
    with pytest.raises(Mismatch, match="3 inputs"):
        agent(f"neat:{run_folder(tmp_path, Genome(3))}", GAME)
    (tmp_path / "best.json").unlink()
    with pytest.raises(BadInput, match="no network yet"):
        agent(f"neat:{folder}", GAME)


@pytest.mark.parametrize(
    ("run", "preset", "bar"), [("gravwell-neat-paper", "paper", 0.52), ("gravwell-neat", "default", 0.37)]
)
def test_shipped_networks_beat_random_cards_far_beyond_chance(run, preset, bar):
    result = contest("gravwell", [f"neat:{run}", "nostop", "nostop", "nostop"], games=3000, seed=31, preset=preset)
    assert result.agents[0].low > bar - 0.02
    assert result.agents[0].score > bar
    assert sum(file.stat().st_size for file in (SHIPPED / run).iterdir()) < 200_000
    assert json.loads((SHIPPED / run / "settings.json").read_text())["command"].startswith("ludus train neat gravwell")


@pytest.mark.parametrize("spec", ["neat:gravwell-neat,samples=2", "gravwell/formulas:gravwell-formulas"])
def test_evolved_agents_keep_the_contract(spec):
    report = check_agent(spec, GAME, matches=1)
    assert report.ok, report
