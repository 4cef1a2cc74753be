"""One ply of thought: wins in one are taken, ties broken at random, in every kind of game."""

from __future__ import annotations

import numpy as np
import pytest

from ludus import agent, kernels, load
from ludus.arena.contest import contest
from ludus.errors import BadSpec
from ludus.game import View
from ludus.rng import match_words, stream

WIN_IN_ONE = [
    ("tic_tac_toe", "XX. OO. ...", 0, 2),
    ("tic_tac_toe", "XX. OO. X..", 1, 5),
    ("connect_four", "112233", 0, 3),
    ("connect_four", "7112233", 1, 3),
]


def answers(spec: str, name: str, text: str, player: int, streams: int = 12) -> set[int]:
    game = load(name)
    view = View(game, game.parse_state(text, 2), player)
    return {agent(spec, game).act(view, stream(seed)) for seed in range(streams)}


@pytest.mark.parametrize("by", ["heuristic", "rollouts"])
@pytest.mark.parametrize(("name", "text", "player", "wins"), WIN_IN_ONE)
def test_a_win_in_one_is_taken(name, text, player, wins, by):
    assert answers(f"greedy:by={by}", name, text, player) == {wins}


def test_breakthrough_is_won_in_one_step():
    game = load("breakthrough")
    rows = "5 . B . B\n4 . . W .\n3 . . . .\n2 . W . .\n1 W . . .\na b c d\nwhite to move"
    view = View(game, game.parse_state(rows, 2, game.rule_values("default", {"rows": 5, "columns": 4})), 0)
    for by in ("heuristic", "rollouts"):
        chosen = {view.action_text(agent(f"greedy:by={by}", game).act(view, stream(seed))) for seed in range(12)}
        assert chosen <= {"c4-c5", "c4xb5", "c4xd5"}


def test_the_heuristic_decides_where_nothing_is_won():
    """The centre opens most lines; X in a corner then leaves O the centre."""
    assert answers("greedy", "tic_tac_toe", "... ... ...", 0) == {4}
    assert answers("greedy", "tic_tac_toe", "X.. ... ...", 1) == {4}


def test_ties_are_broken_at_random():
    """With X in the centre, all four corners look the same to O: each is chosen about as often."""
    game = load("tic_tac_toe")
    states = game.parse_state("... .X. ...", 2)
    words = match_words(3, np.arange(4000), 0, 1)[:, 1:].copy()
    chosen = agent("greedy", game).act_many(np.repeat(states, 4000), np.ones(4000, np.int64), words)
    counts = np.bincount(chosen, minlength=9)
    assert counts[[0, 2, 6, 8]].sum() == 4000
    assert counts[[0, 2, 6, 8]].min() > 880


def test_thoughts_are_what_it_goes_by():
    game = load("connect_four")
    states = game.parse_state("4453", 2)
    view, thinker = View(game, states, 0), agent("greedy", game)
    chosen = thinker.act(view, stream(1))
    thoughts = thinker.thoughts
    assert thoughts is not None
    after, joint = np.repeat(states, 7), np.full((7, 2), -1, np.int32)
    joint[:, 0] = thoughts.actions
    game.advance(after, joint, np.zeros((7, 1), np.uint64))
    estimates = np.zeros(7)
    game.kernel(kernels.estimates)(after, np.zeros(7, np.int64), estimates)
    assert thoughts.values == pytest.approx(estimates.tolist(), abs=1e-8)
    assert thoughts.values == sorted(thoughts.values, reverse=True)
    assert (thoughts.actions[0], thoughts.value) == (chosen, thoughts.values[0])


def test_a_batch_is_answered_as_one_by_one():
    for name in ("breakthrough", "goofspiel", "kuhn_poker"):
        game, player = load(name), agent("greedy", name)
        words = match_words(5, np.arange(12), 0, 2)
        views = game.masked(game.start(words, 2), np.zeros(12, np.int64))
        chosen = player.act_many(views, np.zeros(12, np.int64), words[:, 1:2].copy())
        alone = [player.act(View(game, views[k : k + 1], 0), words[k, 1:2].copy()) for k in range(12)]
        assert chosen.tolist() == alone


# ------------------------------------------------------------------------------------------------ luck and secrets


def test_the_king_bets_and_the_jack_gives_up():
    """Facing a bet, the king wins against whatever the rival is guessed to have, and the jack loses."""
    for text, player in (("moves bet", 1), ("moves pass bet", 0)):
        cards = ("Q K", "Q J") if player == 1 else ("K Q", "J Q")
        assert answers("greedy:samples=8", "kuhn_poker", f"cards {cards[0]}\n{text}", player) == {1}
        assert answers("greedy:samples=8", "kuhn_poker", f"cards {cards[1]}\n{text}", player) == {0}


@pytest.mark.parametrize("name", ["goofspiel", "gravwell", "kuhn_poker"])
def test_it_beats_random_play_with_secrets_and_at_once(name):
    result = contest(name, ["greedy:by=rollouts", "random"], games=200)
    assert result.agents[0].low > 0.5, result.agents[0]


# ------------------------------------------------------------------------------------------------ settings


def test_a_game_without_heuristic_is_played_out():
    game = load("kuhn_poker")
    assert agent("greedy", game).spec == "greedy"
    with pytest.raises(BadSpec, match="kuhn_poker has no heuristic; use by=rollouts"):
        agent("greedy:by=heuristic", game)
    with pytest.raises(BadSpec, match="by is heuristic, rollouts or auto, not 'luck'"):
        agent("greedy:by=luck", game)
