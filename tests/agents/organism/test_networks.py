"""The networks for Organism that come with the package: they play where they say they do, and better than chance."""

from __future__ import annotations

import pytest

from ludus.arena.contest import contest
from ludus.workers import Threads

SIZES, SMALL_BOARDS = "alphazero:organism_sizes", "alphazero:organism_small_boards"


@pytest.mark.parametrize("rings", range(3, 8))
def test_one_network_plays_every_size(rings):
    found = contest("organism", [f"{SIZES},sims=2", "random"], games=4, rules={"rings": rings}, workers=Threads(1))
    assert not found.faults


@pytest.mark.parametrize(
    ("spec", "preset"),
    [("alphazero:organism", "PE"), (SIZES, "PE"), (SIZES, "P4"), (SIZES, "P5"), (SMALL_BOARDS, "P5")],
)
def test_it_beats_random_play_without_a_search(spec, preset):
    found = contest("organism", [f"{spec},sims=0", "random"], games=20, preset=preset, workers=Threads(1))
    assert found.agents[0].score > 0.7
