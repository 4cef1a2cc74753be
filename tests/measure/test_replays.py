"""Records read as numbers: what the bulk reader finds is what the stepper shows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ludus.arena.blocks import rotations
from ludus.arena.bulk import Arena
from ludus.arena.match import replay
from ludus.catalogue import load
from ludus.measure.replays import hash_states, positions_of, replays_of


def records(name: str, players: int, blocks: int = 3, preset: str = "default"):
    game = load(name)
    arena = Arena(game, ["random"], game.rule_values(preset), seed=5)
    tables = [table for block in range(blocks) for table in rotations([0] * players, block)]
    return game, [record for group in arena.play(tables) for _, record in group]


@pytest.mark.parametrize(
    ("name", "players"), [("connect_four", 2), ("kuhn_poker", 2), ("goofspiel", 3), ("gravwell", 4), ("organism", 2)]
)
def test_a_replay_is_what_the_stepper_shows(name, players):
    game, played = records(name, players)
    found = positions_of(game, played)
    for i, (record, read) in enumerate(zip(played, replays_of(game, played))):
        decision = 0
        for ply in range(record.plies):
            match = replay(record, ply)
            assert match.states.tobytes() == found.of_match(i)[ply].tobytes()
            for player in match.acting:
                assert (read.movers[decision], read.steps[decision]) == (player, ply)
                assert read.menus[decision] == len(game.menu(match.states, player))
                action = record.actions[decision]
                assert read.actions[decision] == action
                decision += 1
        assert decision == len(read.movers) == len(record.actions)
        assert replay(record).states.tobytes() == found.of_match(i)[record.plies].tobytes()
        assert read.shares.tolist() == record.shares
        assert (read.plies, read.outcome, read.players) == (record.plies, "finished", players)


def test_a_match_cut_short_by_a_fault_is_read_up_to_there():
    game, (record, *_) = records("connect_four", 2)
    cut = replace(record, actions=record.actions[:5], plies=5, outcome="crash", culprit=1, returns=[1.0, -1.0])
    (read,) = replays_of(game, [cut])
    assert (len(read.movers), len(read.positions), read.outcome) == (5, 6, "crash")


def test_equal_states_have_equal_hashes_and_others_do_not():
    game, played = records("connect_four", 2, blocks=40)
    states = np.concatenate([positions_of(game, [record]).states for record in played])
    distinct = {state.tobytes() for state in states}
    assert len(set(hash_states(states).tolist())) == len(distinct)
    assert len(distinct) < len(states)  # every match begins alike
