"""PettingZoo's own suites, and its users' secrets."""

from __future__ import annotations

import sys
import warnings
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("pettingzoo")

from pettingzoo.test import api_test, max_cycles_test, parallel_api_test, parallel_seed_test, seed_test

from ludus.catalogue import game_names, load
from ludus.errors import BadInput, LudusError
from ludus.interop.pettingzoo import env, parallel_env
from tests.interop.games import GAMES, source

SIMULTANEOUS = [name for name in game_names() if load(name).facts.simultaneous]
CYCLES = 12


@pytest.fixture(autouse=True)
def no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@pytest.mark.parametrize("name", GAMES)
def test_the_suites_for_turns_are_green(name, nim_folder, capsys):
    game = source(name, nim_folder)
    api_test(env(game), num_cycles=CYCLES)
    seed_test(partial(env, game), num_cycles=CYCLES)
    seed_test(partial(env, game, masks="observation"), num_cycles=CYCLES)
    assert "Passed" in capsys.readouterr().out


@pytest.mark.parametrize("name", SIMULTANEOUS)
def test_the_suites_for_all_at_once_are_green(name):
    parallel_api_test(parallel_env(name), num_cycles=CYCLES)
    parallel_api_test(parallel_env(name, masks="observation"), num_cycles=CYCLES)
    parallel_seed_test(partial(parallel_env, name), num_cycles=CYCLES)


@pytest.mark.parametrize("name", SIMULTANEOUS)
def test_a_match_is_cut_after_so_many_cycles(name):
    made = {"illegal": "replaced"}
    max_cycles_test(SimpleNamespace(parallel_env=partial(parallel_env, name, **made), env=partial(env, name, **made)))


def test_games_in_turns_are_cut_too():
    table = env("connect_four", max_cycles=2)
    table.reset(seed=0)
    for k, _ in enumerate(table.agent_iter()):
        _, _, ended, cut, _ = table.last()
        table.step(None if ended or cut else k % 7)
    assert k == 5  # two actions each, then two who hear that it is over


@pytest.mark.parametrize("name", ["kuhn_poker", "gravwell"])
def test_what_is_hidden_changes_no_observation(name):
    """Things that a player cannot know are swapped in the true state; nothing of it may show."""
    from ludus import kernels

    table = env(name).unwrapped
    table = getattr(table, "env", table).table
    table.begin(3)
    words, swapped = np.array([[1]], np.uint64), np.empty(1, np.bool_)
    for seat, agent in enumerate(table.names):
        before = table.observe(agent)
        twin = table.match.states.copy()
        table.game.kernel(kernels.swap_secrets)(twin, np.array([seat]), words, swapped)
        table.match.states, kept = twin, table.match.states
        after = table.observe(agent)
        table.match.states = kept
        assert swapped[0]
        assert (before == after).all()


def test_a_committed_answer_is_not_seen_before_all_are_in():
    table = env("goofspiel", rules={"cards": 3})
    table.reset(seed=1)
    before = table.observe("player_1").copy()
    table.step(int(np.argmax(table.infos["player_0"]["action_mask"])))
    assert table.agent_selection == "player_1"
    assert (table.observe("player_1") == before).all()


def test_whoever_answers_out_of_turn_of_the_rules_loses():
    table = env("tic_tac_toe")
    table.reset(seed=0)
    table.step(4)
    table.step(4)
    assert table.rewards == {"player_0": 1.0, "player_1": -1.0}


@pytest.mark.parametrize("mode", ["ansi", "rgb_array", "human"])
def test_a_position_is_shown_as_everybody_may_see_it(mode, capsys):
    table = env("kuhn_poker", render_mode=mode)
    table.reset(seed=0)
    shown = table.render()
    text = shown if mode == "ansi" else capsys.readouterr().out
    assert shown.shape[2] == 3 if mode == "rgb_array" else "cards ? ?" in text


def test_what_cannot_be_is_said_in_a_sentence(monkeypatch):
    raw = env("tic_tac_toe").unwrapped
    raw.reset(seed=0)
    with pytest.raises(BadInput, match="no agent is called 'player_7'"):
        raw.observe("player_7")
    with pytest.raises(BadInput, match="played in turns"):
        parallel_env("tic_tac_toe")
    with pytest.raises(BadInput, match="render_mode is one of ansi, rgb_array, human, not 'gif'"):
        env("tic_tac_toe", render_mode="gif")
    with pytest.raises(BadInput, match="illegal is one of"):
        env("tic_tac_toe", illegal="maybe")
    monkeypatch.setitem(sys.modules, "pettingzoo", None)
    monkeypatch.delitem(sys.modules, "ludus.interop.pettingzoo")
    with pytest.raises(LudusError, match=r"pip install 'ludus\[pettingzoo\]'"):
        import ludus.interop.pettingzoo  # noqa: F401
