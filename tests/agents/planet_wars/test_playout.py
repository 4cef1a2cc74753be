"""Play-outs are the match that two planners would play; a line is taken by the table's word and by what it brings."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from ludus import agent
from ludus.agents.planet_wars._lines import LINES, best_line
from ludus.agents.planet_wars._plans import PLAN
from ludus.agents.planet_wars._playout import WON, play_out, stage, think
from ludus.agents.planet_wars._siege import SIEGE, WEIGHTS
from ludus.arena.match import Match
from ludus.compile import template
from tests.agents.planet_wars.test_outlook import GAME


@template
def play_out_as_planners(states, player, weights, sieges, stage, cast, plans):
    think(states[0], player, stage, cast, plans[0])
    think(states[0], 1 - player, stage, cast, plans[1])
    return play_out(states[0], player, plans[0], plans[1], weights[0], sieges[0], stage, cast)


def match_of(specs: list[str], preset: str, seed: int, turns: int = 200) -> Match:
    """A match after so many turns, or at its end."""
    match = Match(GAME, 2, GAME.rule_values(preset), seed=seed)
    players = [agent(spec, GAME) for spec in specs]
    while not match.over and match.states["turn"][0] < turns:
        for player, view in match.waiting().items():
            match.submit(player, players[player].act(view, match.stream(player)))
    return match


def lead_in(state: np.void, beyond: int) -> float:
    """By how much player 1 leads, counted in another way."""
    sign = np.array([0, 1, -1])[state["owner"]]
    more = min(beyond, 200 - int(state["turn"]))
    lead = (sign * (state["ships"] + more * state["growth"])).sum() + np.diff(state["fleet_ships"].sum(axis=1)[::-1])[0]
    return float(lead + WON * (0, 1, -1, 0)[state["outcome"]])


@pytest.mark.parametrize(("cast", "planner"), [(0, "planner"), (5, "planner:bonus=text,sources=together")])
@pytest.mark.parametrize("turns", [1, 30, 200])
def test_a_play_out_is_the_match_that_two_planners_play(turns, cast, planner):
    weights, start = np.zeros(1, WEIGHTS), match_of([planner, planner], "finals", 4, 12)
    weights["turns"], weights["beyond"] = turns, 25
    lead, other = (
        GAME.kernel(play_out_as_planners)(
            start.states, player, weights, np.zeros(1, SIEGE), stage(GAME.state_type), cast, np.zeros(2, PLAN)
        )
        for player in (0, 1)
    )
    end = match_of([planner, planner], "finals", 4, 12 + turns)
    assert lead == -other == lead_in(end.states[0], 25)


def lines_of(told: list[float], played: list[float]) -> np.ndarray:
    lines, count = np.zeros(1, LINES), len(told)
    lines["count"], lines["told"][0, :count], lines["played"][0, :count] = count, told, played
    return lines[0]


def test_the_line_taken_is_best_by_what_is_told_and_what_it_brings():
    lines = lines_of([10, 9, 8, 1, 0], [0, 30, 0, 100, 0])
    assert best_line(lines, 0.0) == 0
    assert best_line(lines, 0.2) == 3


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize(("preset", "seed"), [("finals", 600_002), ("finals", 600_013), ("default", 600_002)])
def test_the_champion_beats_the_planner(preset, seed, seat):
    """Also on maps of the finals on which it was outgrown before it played its plans out."""
    specs = ["champion:ms=4", "planner"]
    match = match_of(specs if seat == 0 else specs[::-1], preset, seed)
    assert match.returns[seat] == 1


def test_more_time_does_not_make_it_weaker():
    """On maps on which it lost every match when more time meant more plans to choose the luckiest from."""
    specs, points = ["champion:ms=40", "champion:ms=5"], 0.0
    for seed, seat in itertools.product((51_000, 51_001), (0, 1)):
        match = match_of(specs if seat == 0 else specs[::-1], "finals", seed)
        points += (match.returns[seat] + 1) / 2
    assert points >= 2
