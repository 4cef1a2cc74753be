"""The evaluator: right where the truth is known, calibrated where it is not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ludus.catalogue import load
from ludus.errors import BadInput
from ludus.measure.evaluation import Evaluator, player_of, trace
from tests.playtest.small import played

GAMES = Path(__file__).parent / "games"


def traces(name: str, spec: str, blocks: int, evaluator: Evaluator, players: int = 2):
    game = load(name)
    cell = played(game, [spec] * players, blocks)
    player = player_of(evaluator, game)
    return cell, [trace(game, player, evaluator, *pair, seed=3) for pair in zip(cell.records, cell.replays)]


def test_a_coin_flip_is_even_until_it_falls():
    cell, found = traces(str(GAMES / "coin_flip.py"), "random", 10, Evaluator("random", continuations=400, decisions=0))
    for replay, one in zip(cell.replays, found):
        assert one.expected.shape == (replay.plies + 1, 2)
        assert np.allclose(one.expected.sum(axis=1), 1)
        assert abs(one.expected[0, 0] - 0.5) < 4 * one.errors[0, 0]
        assert one.expected[-1].tolist() == replay.shares.tolist()
        assert one.errors[-1].tolist() == [0, 0]


def test_of_positions_valued_at_some_share_that_share_is_won():
    cell, found = traces("connect_four", "mcts:sims=8", 60, Evaluator("mcts:sims=8", continuations=24, decisions=0))
    values = np.array([one.expected[len(one.expected) // 2, 0] for one in found])
    won = np.array([replay.shares[0] for replay in cell.replays])
    for low, high in ((0, 0.35), (0.35, 0.65), (0.65, 1.01)):
        inside = (values >= low) & (values < high)
        error = np.sqrt(0.25 / inside.sum())
        assert inside.sum() >= 10
        assert abs(values[inside].mean() - won[inside].mean()) < 4 * error


def test_the_truth_of_a_finished_race_is_seen_in_the_fans():
    """Before the last move of tic-tac-toe, a perfect player's win is worth 1 after the action that makes it."""
    evaluator = Evaluator("mcts:sims=400", continuations=8, decisions=9, each=4)
    cell, found = traces("tic_tac_toe", "random", 6, evaluator)
    wins = 0
    for replay, one in zip(cell.replays, found):
        assert [choice.decision for choice in one.opened] == np.flatnonzero(replay.menus > 1).tolist()
        for choice in one.opened:
            assert choice.expected.shape == (replay.menus[choice.decision], 2)
            assert choice.policy.sum() == 8
        if len(one.opened) and one.opened[-1].decision == replay.plies - 1 and replay.shares.max() == 1:
            mover = replay.movers[-1]
            assert one.opened[-1].expected[:, mover].max() == 1
            wins += 1
    assert wins


def test_long_matches_are_looked_at_now_and_then():
    evaluator = Evaluator("random", continuations=4, moments=5, decisions=3, each=2)
    cell, found = traces("goofspiel", "random", 2, evaluator, players=3)
    for replay, one in zip(cell.replays, found):
        stride = evaluator.stride(replay.plies)
        assert len(one.expected) == replay.plies + 1
        assert len(np.unique(one.expected[:-1], axis=0)) <= 5
        assert all(replay.steps[choice.decision] % stride == 0 for choice in one.opened)
        assert f"every {stride} plies" in one.evaluator


def test_the_same_seed_gives_the_same_trace():
    evaluator = Evaluator("random", continuations=6, decisions=2, each=3)
    _, first = traces("kuhn_poker", "random", 3, evaluator)
    _, again = traces("kuhn_poker", "random", 3, evaluator)
    assert [one.expected.tolist() for one in first] == [one.expected.tolist() for one in again]


def test_an_agent_that_answers_one_by_one_is_refused(tmp_path):
    bot = tmp_path / "bot.py"
    bot.write_text(
        "from dataclasses import dataclass\nfrom ludus import Agent\n\n\n@dataclass\nclass Bot(Agent):\n"
        '    """Takes the first."""\n\n    name = "bot"\n\n'
        "    def act(self, view, rng):\n        return view.legal[0]\n"
    )
    with pytest.raises(BadInput, match="plays in a process of its own"):
        player_of(Evaluator(str(bot)), load("tic_tac_toe"))
