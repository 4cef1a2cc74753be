"""OpenSpiel's own tests on our games, its solvers, and its games and bots here."""

from __future__ import annotations

import sys

import numpy as np
import pytest

pyspiel = pytest.importorskip("pyspiel")

import ludus  # noqa: E402
from ludus.catalogue import load  # noqa: E402
from ludus.errors import BadRules, LudusError, Mismatch, UnknownName  # noqa: E402
from ludus.interop import openspiel  # noqa: E402
from ludus.interop.outcomes import outcomes, plain  # noqa: E402
from ludus.testing import check_game  # noqa: E402
from tests.interop.games import GAMES, source  # noqa: E402

SHORTER = {"planet_wars": "(rules=turns:40)"}
"""OpenSpiel replays a match whole at every step: two hundred turns take it half a minute."""


@pytest.mark.parametrize("name", GAMES)
def test_their_random_simulations_are_content(name, nim_folder):
    game = pyspiel.load_game(openspiel.register(source(name, nim_folder)) + SHORTER.get(name, ""))
    pyspiel.random_sim_test(game, num_sims=1, serialize=True, verbose=False)


BRIEF = {"planet_wars": "(rules=turns:4)", "pivit": "(preset=short,rules=cap:12)", "goofspiel": "(rules=cards:3)"}
"""A playthrough writes down every position whole, with all that each player sees."""


@pytest.mark.parametrize("name", GAMES)
def test_a_playthrough_is_the_same_again(name, nim_folder):
    from open_spiel.python.algorithms import generate_playthrough

    game = openspiel.register(source(name, nim_folder)) + BRIEF.get(name, "")
    first, second = (generate_playthrough.playthrough(game, None, seed=3) for _ in range(2))
    assert first == second
    assert len(first) > 1000


def test_cfr_solves_our_kuhn_poker():
    from open_spiel.python.algorithms import cfr, expected_game_score, exploitability

    game = pyspiel.load_game("ludus_kuhn_poker")
    solver = cfr.CFRPlusSolver(game)
    for _ in range(40):
        solver.evaluate_and_update_policy()
    policy = solver.average_policy()
    value = expected_game_score.policy_value(game.new_initial_state(), [policy, policy])[0]
    assert 2 * value == pytest.approx(-1 / 18, abs=1e-3)  # returns are chips divided by 2
    assert exploitability.exploitability(game, policy) < 0.01


def test_their_search_plays_our_game():
    from open_spiel.python.algorithms import mcts

    game = pyspiel.load_game("ludus_tic_tac_toe")
    bot = mcts.MCTSBot(game, 2, 20, mcts.RandomRolloutEvaluator(1, np.random.RandomState(0)))
    state = game.new_initial_state()
    while not state.is_terminal():
        state.apply_action(bot.step(state))
    assert sum(state.returns()) == 0.0


def test_their_deep_learner_learns_from_our_game():
    """Their DQN in their environment: it plays whole matches in both seats, and what it has seen it learns from."""
    for package in ("torch", "tree"):
        pytest.importorskip(package)
    from open_spiel.python import rl_environment
    from open_spiel.python.pytorch import dqn

    env = rl_environment.Environment(pyspiel.load_game("ludus_tic_tac_toe"))
    size, actions = env.observation_spec()["info_state"][0], env.action_spec()["num_actions"]
    small = {"hidden_layers_sizes": [16], "batch_size": 8, "min_buffer_size_to_learn": 16, "learn_every": 4}
    learners = [dqn.DQN(seat, size, actions, **small) for seat in range(2)]
    for _ in range(20):
        step = env.reset()
        while not step.last():
            seat = step.observations["current_player"]
            step = env.step([learners[seat].step(step).action])
        for learner in learners:
            learner.step(step)
    assert all(np.isfinite(learner.loss) for learner in learners)


def test_chance_is_listed_exactly():
    game = load("kuhn_poker")
    deals = outcomes(plain(game.module.setup), game.blank(2, {}))
    assert len(deals) == 6
    assert all(chance == pytest.approx(1 / 6) for _, chance in deals)
    state = pyspiel.load_game("ludus_kuhn_poker").new_initial_state()
    assert state.is_chance_node()
    assert len(state.chance_outcomes()) == 6


def test_an_information_state_does_not_tell_the_rivals_card():
    game = pyspiel.load_game("ludus_kuhn_poker")
    seen: dict[str, set[str]] = {}
    for outcome in range(6):
        state = game.new_initial_state()
        state.apply_action(outcome)
        seen.setdefault(state.information_state_string(0), set()).add(str(state))
    assert len(seen) == 3
    assert all(len(worlds) == 2 for worlds in seen.values())


# ------------------------------------------------------------------------------------------------ their games here


@pytest.mark.parametrize("name", ["tic_tac_toe", "kuhn_poker"])
def test_a_game_of_theirs_keeps_the_contract(name):
    *_, report = check_game(f"openspiel:{name}", matches=5)
    assert report.ok, report.failures


def test_their_games_are_played_by_our_agents_and_their_bots(command_line):
    code, out, _ = command_line("match", "openspiel:tic_tac_toe", "mcts:sims=30", "random", "--games", "10", "--json")
    assert code == 0
    assert '"faults": []' in out
    result = ludus.play("openspiel:tic_tac_toe", "openspiel:sims=50", "openspiel:bot=uniform_random", games=6, seed=2)
    assert result.agents[0].score > 0.6
    again = ludus.play("openspiel:tic_tac_toe", "openspiel:sims=50", "openspiel:bot=uniform_random", games=6, seed=2)
    assert again == result


def test_that_their_games_are_slower_is_said(command_line):
    assert "nim is played through OpenSpiel, some hundred times slower" in command_line("games", "openspiel:nim")[2]


def test_their_tic_tac_toe_is_ours():
    theirs, ours = (
        ludus.play(name, "random", "random", games=400) for name in ("openspiel:tic_tac_toe", "tic_tac_toe")
    )
    assert abs(theirs.mean_plies - ours.mean_plies) < 0.5


@pytest.mark.parametrize(
    ("name", "kind", "sentence"),
    [
        ("openspiel:hexx", UnknownName, "did you mean hex"),
        ("openspiel:hex(size=3)", LudusError, "cannot load"),
        ("openspiel:phantom_ttt", BadRules, "hides something"),
        ("openspiel:mfg_crowd_modelling", BadRules, "mean-field"),
    ],
)
def test_a_game_that_does_not_fit_is_refused_with_the_reason(name, kind, sentence):
    with pytest.raises(kind, match=sentence):
        load(name)


def test_their_bots_play_their_games_alone(monkeypatch):
    with pytest.raises(Mismatch, match="an agent of openspiel:… alone"):
        ludus.agent("openspiel", "tic_tac_toe")
    with pytest.raises(UnknownName, match="uniform_random"):
        ludus.agent("openspiel:bot=uniform", "openspiel:tic_tac_toe")
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(LudusError, match=r"pip install 'ludus\[openspiel\]'"):
        load("openspiel:y")
