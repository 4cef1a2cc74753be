"""Gymnasium's own checker, and what its users rely on."""

from __future__ import annotations

import sys
import warnings

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")

from gymnasium.utils.env_checker import check_env  # noqa: E402
from gymnasium.vector import AutoresetMode  # noqa: E402

import ludus.interop.gymnasium  # noqa: E402
from ludus.catalogue import game_names, load  # noqa: E402
from ludus.errors import BadInput, LudusError  # noqa: E402
from ludus.game import View  # noqa: E402
from tests.interop.games import GAMES, ROOT, source  # noqa: E402


@pytest.mark.parametrize("name", GAMES)
def test_the_checker_of_the_library_is_content_and_warns_of_nothing(name, nim_folder):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gymnasium.make("ludus/Game-v0", game=source(name, nim_folder), render_mode="ansi")
        check_env(env.unwrapped)
        env.close()


def test_every_game_has_a_name_there():
    names = [name for name in gymnasium.registry if name.startswith("ludus/")]
    assert len(names) == len(game_names()) + 1
    assert "ludus/ConnectFour-v0" in names
    assert gymnasium.make("ludus.interop.gymnasium:ludus/TicTacToe-v0", opponent="alphabeta", seat=0)


@pytest.mark.parametrize("mode", ["ansi", "rgb_array", "human"])
def test_a_match_is_shown(mode, capsys):
    env = gymnasium.make("ludus/TicTacToe-v0", render_mode=mode, seat=0)
    env.reset(seed=1)
    shown = env.render()
    if mode == "ansi":
        assert "a b c" in shown
    elif mode == "human":
        assert "a b c" in capsys.readouterr().out
    else:
        assert shown.dtype == np.uint8
        assert shown.shape[1:] == (480, 3)
        assert 10 < shown.mean() < 250  # neither black nor white


def test_a_match_is_played_to_its_end_and_paid():
    env = gymnasium.make("ludus/ConnectFour-v0", opponent="random", seat=1, rules={"rows": 4})
    observation, info = env.reset(seed=3)
    assert info["ply"] == 1  # the opponent has begun
    ended, rng = False, np.random.default_rng(0)
    while not ended:
        assert (observation["action_mask"] == info["action_mask"]).all()
        slot = rng.choice(np.flatnonzero(info["action_mask"]))
        observation, reward, ended, cut, info = env.step(slot)
        assert not cut
        assert ended or reward == 0.0
    assert reward == info["returns"][1]
    assert info["outcome"] == "finished"
    _, reward, ended, _, _ = env.step(0)
    assert (reward, ended) == (0.0, True)  # paid once


def test_what_is_not_allowed_loses():
    env = gymnasium.make("ludus/TicTacToe-v0", seat=0)
    env.reset(seed=0)
    _, _, _, _, info = env.step(4)
    _, reward, ended, _, info = env.step(4)
    assert (reward, ended, info["outcome"]) == (-1.0, True, "illegal")


def test_three_players_and_any_agents(tmp_path):
    bot = tmp_path / "first.py"
    bot.write_text("from ludus import Agent\nclass First(Agent):\n    def act(self, view, rng):\n"
                   "        return view.legal[0]\n")  # fmt: skip
    env = gymnasium.make("ludus/Goofspiel-v0", opponent=["random", str(bot)], rules={"cards": 3}, seat=2)
    observation, info = env.reset(seed=0)
    ended = False
    while not ended:
        observation, _, ended, _, info = env.step(int(np.argmax(observation["action_mask"])))
    assert len(info["returns"]) == 3
    assert info["outcome"] == "finished"
    env.close()


@pytest.mark.parametrize("name", ["kuhn_poker", "goofspiel", "connect_four", "pivit"])
def test_many_matches_at_once_show_what_one_would(name):
    env = gymnasium.make_vec(f"ludus/{ludus.interop.gymnasium.environment_name(name)}-v0", num_envs=16)
    observation, info = env.reset(seed=5)
    game, rng = load(name), np.random.default_rng(0)
    for _ in range(6):
        for i in range(16):
            view = View(game, env.lanes.states[i : i + 1], int(env.lanes.learners[i]))
            if not env._done[i]:
                slots = env.setting.slots
                assert (slots.see(view.states, view.player) == observation["observation"][i]).all()
                assert set(slots.menu(view.states, view.player)) == set(np.flatnonzero(info["action_mask"][i]))
        mask = info["action_mask"]
        assert observation in env.observation_space
        observation, _, _, _, info = env.step((rng.random(mask.shape) * mask).argmax(1))


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
def test_matches_begin_anew_as_the_library_defines_it(mode):
    env = gymnasium.make_vec("ludus/TicTacToe-v0", num_envs=32, autoreset_mode=mode)
    assert env.metadata["autoreset_mode"] is mode
    observation, info = env.reset(seed=2)
    rng, ended_before, finished = np.random.default_rng(1), np.zeros(32, bool), 0
    for _ in range(30):
        mask = info["action_mask"]
        observation, rewards, ended, cut, info = env.step((rng.random(mask.shape) * mask).argmax(1))
        stones = (observation["observation"][:, :18] != 0).sum(axis=1)
        assert not cut.any()
        assert (rewards[~ended] == 0).all()
        if mode is AutoresetMode.NEXT_STEP:
            assert not ended[ended_before].any()
            assert (stones[ended_before] <= 1).all()
        else:
            assert (stones[ended] <= 1).all()
            assert [final is not None for final in info.get("final_obs", np.full(32, None))] == ended.tolist()
        ended_before, finished = ended, finished + ended.sum()
    assert finished > 32


def test_the_same_seed_gives_the_same_matches_and_refused_slots_lose():
    seen = []
    for _ in range(2):
        env = gymnasium.make_vec("ludus/ConnectFour-v0", num_envs=8, opponent="mcts:sims=4")
        env.reset(seed=9)
        seen.append([env.step(np.full(8, column % 7))[0]["observation"] for column in range(5)])
    assert all((one == two).all() for one, two in zip(*seen))
    env = gymnasium.make_vec("ludus/TicTacToe-v0", num_envs=2, seat=0)
    env.reset(seed=0)
    env.step(np.array([4, 4]))
    _, rewards, ended, _, _ = env.step(np.array([4, int(np.argmax(env._seen()[0]["action_mask"][1]))]))
    assert rewards.tolist() == [-1.0, 0.0]
    assert ended.tolist() == [True, False]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"seat": 2}, "there is no seat 2"),
        ({"seat": "first"}, "there is no seat first: 2 players sit in 0 to 1"),
        ({"opponent": "mtcs"}, "did you mean mcts"),
        ({"opponent": 5}, "an agent by name, or a list of names, not 5"),
        ({"opponent": ["random", "random"]}, "is for 2 players"),
        ({"preset": "huge"}, "no preset is called 'huge'"),
        ({"rules": {"rows": 99}}, "rule rows must lie in"),
        ({"opponent": "cmd:no_such_program"}, "cannot be found"),
    ],
)
def test_what_cannot_be_is_said_in_a_sentence(options, sentence):
    with pytest.raises(LudusError, match=sentence):
        gymnasium.make("ludus/ConnectFour-v0", **options)


def test_a_seat_or_a_picture_that_is_not_there_is_said():
    env = gymnasium.make("ludus/ConnectFour-v0")
    with pytest.raises(BadInput, match="there is no seat 7: 2 players sit in 0 to 1"):
        env.reset(options={"seat": 7})
    with pytest.raises(LudusError, match="no render_mode is called 'human'; known: ansi, rgb_array"):
        gymnasium.make_vec("ludus/ConnectFour-v0", num_envs=2, render_mode="human")
    with pytest.raises(BadInput, match="num_envs is at least 1"):
        gymnasium.make_vec("ludus/ConnectFour-v0", num_envs=0)


def test_many_matches_take_compiled_agents(tmp_path):
    bot = tmp_path / "bot.py"
    bot.write_text("from ludus import Agent\nclass Bot(Agent):\n    pass\n")
    with pytest.raises(BadInput, match="in a process of its own"):
        gymnasium.make_vec("ludus/ConnectFour-v0", num_envs=2, opponent=str(bot))


def test_a_missing_package_is_named_with_what_helps(monkeypatch):
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    monkeypatch.delitem(sys.modules, "ludus.interop.gymnasium")
    with pytest.raises(LudusError, match=r"pip install 'ludus\[gymnasium\]'"):
        import ludus.interop.gymnasium  # noqa: F401


def test_masked_ppo_of_a_stranger_learns_connect_four(monkeypatch):
    torch = pytest.importorskip("torch")
    monkeypatch.syspath_prepend(str(ROOT / "bench"))
    import ppo

    torch.set_num_threads(1)
    policy = ppo.learn("ludus/ConnectFour-v0", "random", 150_000)
    wins, matches = ppo.score(policy, "ludus/ConnectFour-v0", "random", 1000)
    assert wins / matches >= 0.9
