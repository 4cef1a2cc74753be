"""Bulk play is the stepper's play, whatever the agents, the seating and the number of threads."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

from ludus import Agent, agent, load
from ludus.arena.blocks import rotations
from ludus.arena.bulk import Arena
from ludus.arena.contest import contest
from ludus.arena.lockstep import Seating, play_batch, records_of
from ludus.arena.match import Match, replay
from ludus.errors import BadInput, Mismatch
from ludus.workers import Threads

LINEUPS = [
    ("tic_tac_toe", ["random", "mcts:sims=20"]),
    ("connect_four", ["alphabeta:nodes=300", "greedy"]),
    ("kuhn_poker", ["mcts:sims=30", "greedy:samples=4"]),
    ("goofspiel", ["random", "mcts:sims=20", "greedy:samples=2", "random"]),
]


@dataclass
class Counting(Agent):
    """Plays what stands on the menu at the number of its own earlier actions, which only a memory can tell it here."""

    name: ClassVar[str] = "counting"
    memory: ClassVar[int] = 2

    def act_many(self, views, players, words):
        assert (words[:, 1] == words[:, 2]).all()
        menus = [self.game.menu(views[i : i + 1], int(players[i])) for i in range(len(views))]
        answers = [int(menu[int(row[1]) % len(menu)]) for menu, row in zip(menus, words)]
        words[:, 1:] += 1
        return np.array(answers, np.int32)


@pytest.mark.parametrize(("name", "specs"), [*LINEUPS, ("connect_four", [Counting(), Counting()])])
def test_lockstep_makes_the_steppers_records(name, specs):
    game = load(name)
    agents = [agent(spec, game) for spec in specs]
    tables = [table for block in range(4) for table in rotations(range(len(specs)), block)]
    values = game.rule_values()
    batch = play_batch(game, agents, tables, 11, values, with_history=True)
    for table, record in zip(tables, records_of(batch, game, agents, 11, values)):
        match = Match(game, len(specs), values, seed=11, block=table.block, rotation=table.rotation)
        while not match.over:
            for player, view in match.waiting().items():
                match.submit(player, agents[table.seats[player]].act(view, match.stream(player)))
        assert match.record([agents[k].spec for k in table.seats]) == record


def test_rotations_seat_every_agent_everywhere_with_the_same_luck():
    tables = rotations([0, 1, 2], 5)
    assert {table.seats for table in tables} == {(0, 1, 2), (1, 2, 0), (2, 0, 1)}
    game = load("goofspiel")
    prizes = set()
    for table in tables:
        match = Match(game, 3, seed=3, block=table.block, rotation=table.rotation)
        prizes.add(int(match.words[0, 0]))
    assert len(prizes) == 1


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_threads_change_no_record(jobs):
    tables = [table for block in range(40) for table in rotations([0, 1], block)]
    hall = Arena(load("connect_four"), ["random", "mcts:sims=10"], seed=4)
    records = sorted(record.to_json() for group in hall.play(tables, Threads(jobs)) for _, record in group)
    again = Arena(load("connect_four"), ["random", "mcts:sims=10"], seed=4)
    assert records == sorted(record.to_json() for group in again.play(tables) for _, record in group)
    assert len(records) == 80


def test_a_clock_sends_built_in_agents_through_the_stepper_with_the_same_moves():
    from ludus.arena.hosts import Clock

    tables = rotations([0, 1], 0)
    slow = Arena(load("tic_tac_toe"), ["random", "mcts:sims=10"], clock=Clock(60.0))
    fast = Arena(load("tic_tac_toe"), ["random", "mcts:sims=10"])
    assert not slow.in_lockstep
    assert fast.in_lockstep
    moves = [[record.actions for group in hall.play(tables) for _, record in group] for hall in (slow, fast)]
    assert moves[0] == moves[1]


def test_contest_counts_and_intervals():
    result = contest("connect_four", ["mcts:sims=100", "random"], games=41, seed=2)
    strong, weak = result.agents
    assert result.games == 42  # whole blocks
    assert strong.wins + strong.draws + weak.wins == 42
    assert strong.score == pytest.approx((strong.wins + strong.draws / 2) / 42)
    assert strong.score + weak.score == pytest.approx(1)
    assert 0 <= strong.low < strong.score <= strong.high <= 1
    assert strong.score > 0.9
    assert contest("connect_four", ["mcts:sims=100", "random"], games=41, seed=2) == result
    assert contest("connect_four", ["mcts:sims=100", "random"], games=41, seed=3) != result


def test_contest_of_four_shares_the_point():
    result = contest("goofspiel", ["random"] * 4, games=4000, seed=1)
    assert sum(one.score for one in result.agents) == pytest.approx(1)
    assert all(abs(one.score - 0.25) < 0.03 for one in result.agents)


def test_agents_that_cannot_play_are_refused_before_the_first_move():
    with pytest.raises(Mismatch, match="alphabeta cannot play goofspiel: the game has hidden information"):
        contest("goofspiel", ["alphabeta", "random"])
    with pytest.raises(BadInput, match="for 2 players, not 3"):
        contest("tic_tac_toe", ["random"] * 3)


def test_an_empty_menu_is_said_to_be_the_games_fault_either_way(tmp_path):
    """The second player of this game may not mark a cell beside the first one's; sometimes that leaves none."""
    row = Path(__file__).parents[1] / "example_games" / "row.py"
    text = row.read_text(encoding="utf-8")
    planted = "if state.board[cell] == 0 and (player == 0 or state.board[max(cell - 1, 0)] != 1):"
    path = tmp_path / "stuck_row.py"
    path.write_text(text.replace("if state.board[cell] == 0:", planted), encoding="utf-8")
    result = contest(str(path), ["random", "random"], games=40)
    assert {fault.outcome for fault in result.faults} == {"stuck"}
    assert result.faults[0].text.startswith("stuck_row got stuck in ")
    assert result.faults[0].text.endswith("a fault of the game: player 2 has no legal action")
    game = load(str(path))
    block, rotation = result.faults[0].key[1:]
    record = next(
        record
        for group in Arena(game, ["random", "random"]).play([Seating((0, 1), block, rotation)])
        for _, record in group
    )
    match = replay(record)
    assert (match.outcome, match.returns) == ("stuck", [0.0, 0.0])
    assert match.outcome_text().startswith(f"nobody can go on: at ply {record.plies} player 2 has no legal action")
    assert match.record(record.agents) == record
