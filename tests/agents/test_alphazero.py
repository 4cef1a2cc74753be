"""A network with search as an agent: every kind of game, every limit, and what it refuses."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import torch

from ludus import load
from ludus.arena.contest import contest
from ludus.catalogue import agent
from ludus.errors import BadInput, Mismatch
from ludus.game import Game, View
from ludus.nets.export import to_onnx
from ludus.nets.network import Network
from ludus.nets.spec import net_spec
from ludus.rng import match_words
from ludus.runs import RunFolder, begin_run, shipped_runs


@dataclass
class Nothing:
    """Settings of a training that never was."""


def make_run(folder: Path, game: Game, narrow: int = 4, method: str = "alphazero") -> Path:
    """A run folder with a network that has learnt nothing, but prefers some actions."""
    torch.manual_seed(1)
    run = begin_run(folder, method, game, game.params.values({}), Nothing(), 0)
    spec = net_spec(*game.shapes(game.facts.players[1]), game.facts.players[1], 8, 1, hidden=8, narrow=narrow)
    network = Network(spec).eval()
    for head in (network.cells_weight, network.extra_weight, network.value_weight):
        torch.nn.init.normal_(head, 0, 0.3)
    run.write("weights.onnx", to_onnx(spec, network.weights()))
    return folder


@pytest.fixture
def run(tmp_path) -> Path:
    return make_run(tmp_path / "run", load("connect_four"))


def starts(game: Game, count: int, players: int = 2) -> np.ndarray:
    return game.start(match_words(1, np.arange(count), 0, players), players)


@pytest.mark.parametrize(("name", "players"), [("connect_four", 2), ("kuhn_poker", 2), ("goofspiel", 3)])
def test_plays_every_kind_of_game(name, players, tmp_path):
    game = load(name)
    folder = make_run(tmp_path / "run", game)
    result = contest(name, [f"alphazero:{folder},sims=6", *["random"] * (players - 1)], games=players)
    assert result.games == players
    assert not result.faults


def test_a_batch_is_as_good_as_one(run):
    game, words = load("connect_four"), match_words(5, np.arange(3), 0, 2)[:, :1]
    states = np.concatenate([game.parse_state(text, 2) for text in ("67", "44", "1234")])
    one = agent(f"alphazero:{run},sims=20", game)
    together = one.act_many(states, np.zeros(3, np.int64), words.copy())
    apart = [one.act(View(game, states[k : k + 1], 0), words[k].copy()) for k in range(3)]
    assert together.tolist() == apart


def test_search_finds_what_the_network_does_not_know(run):
    game = load("connect_four")
    one = agent(f"alphazero:{run},sims=300", game)
    assert one.act(View(game, game.parse_state("112233", 2), 0), np.ones(1, np.uint64)) == 3
    assert one.thoughts is not None
    assert one.thoughts.value == 1
    assert one.thoughts.note.startswith(f"{sum(one.thoughts.visits)} simulations, solved; the network's policy: ")


def test_without_simulations_the_network_chooses(run):
    game, states = load("connect_four"), load("connect_four").parse_state("44", 2)
    one = agent(f"alphazero:{run},sims=0", game)
    choice = one.act(View(game, states, 0), np.ones(1, np.uint64))
    assert one.thoughts is not None
    assert one.thoughts.visits == [0] * 7
    drawn = agent(f"alphazero:{run},sims=0,temperature=1", game)
    many = drawn.act_many(np.repeat(states, 300), np.zeros(300, np.int64), match_words(1, np.arange(300), 0, 2)[:, :1])
    assert len(set(many.tolist())) > 1
    assert np.bincount(many).argmax() == choice


@pytest.mark.parametrize(("limit", "repeatable"), [("nodes=9", True), ("ms=1", False)])
def test_other_limits(limit, repeatable, run):
    game = load("connect_four")
    one = agent(f"alphazero:{run},{limit}", game)
    action = one.act(View(game, game.parse_state("44", 2), 0), np.ones(1, np.uint64))
    assert 0 <= action < 7
    assert one.repeatable == repeatable
    assert one.thoughts is not None
    if limit == "nodes=9":
        assert sum(one.thoughts.visits) == 8, "the root is judged too"


@pytest.mark.parametrize(("name", "mixes"), [("connect_four", False), ("goofspiel", True)])
def test_where_players_act_at_once_actions_are_drawn_unless_told_otherwise(name, mixes, tmp_path):
    game = load(name)
    folder, views = make_run(tmp_path / "run", game), game.masked(starts(game, 1), np.zeros(1, np.int64))
    asked = np.repeat(views, 100), np.zeros(100, np.int64), match_words(1, np.arange(100), 0, 2)[:, :1]
    assert (len(set(agent(f"alphazero:{folder},sims=0", game).act_many(*asked).tolist())) > 1) == mixes
    assert len(set(agent(f"alphazero:{folder},sims=0,temperature=0", game).act_many(*asked).tolist())) == 1


def test_play_outs_count_as_the_training_found_best_unless_told_otherwise(tmp_path):
    game = load("goofspiel")
    folder = make_run(tmp_path / "run", game)
    assert agent(f"alphazero:{folder}", game)._playouts == 0
    for share in (1.0, 0.5):
        RunFolder(folder).log({"minutes": 1, "playouts": share})
    assert agent(f"alphazero:{folder}", game)._playouts == 0.5
    assert agent(f"alphazero:{folder},playouts=0.25", game)._playouts == 0.25


def test_with_few_simulations_the_root_halves(run):
    """Six simulations on three actions that are drawn, not on all that the priors like."""
    game = load("connect_four")
    views = game.masked(starts(game, 40), np.zeros(40, np.int64))
    words = match_words(2, np.arange(40), 0, 2)[:, :1]
    plain, halved = (
        agent(f"alphazero:{run},sims=6{how}", game)._search(views, np.zeros(40, np.int64), words.copy())[0].visits
        for how in ("", ",gumbel=3")
    )
    assert (plain == plain[0]).all()
    assert ((halved > 0).sum(axis=1) == 3).all()
    assert len(np.unique(halved > 0, axis=0)) > 3, "drawn anew for each"


def test_a_forced_move_is_not_searched(run, tmp_path):
    game = load("tic_tac_toe")
    one = agent(f"alphazero:{make_run(tmp_path / 'other', game)}", game)
    states = game.parse_state("XOX XOO OX.", 2)
    assert one.act(View(game, states, 0), np.ones(1, np.uint64)) == 8
    assert one.act_many(states, np.zeros(1, np.int64), np.ones((1, 1), np.uint64)).tolist() == [8]


def test_a_network_for_all_sizes_plays_on_another_board(tmp_path):
    game = load("breakthrough")
    folder = make_run(tmp_path / "run", game, narrow=0)
    result = contest("breakthrough", [f"alphazero:{folder},sims=2", "random"], games=2, rules={"columns": 5})
    assert not result.faults


# ------------------------------------------------------------------------------------------------ refusals


def test_another_board_is_refused_by_a_network_for_one(run):
    game = load("connect_four")
    states = game.start(match_words(1, np.arange(1), 0, 2), 2, game.rule_values("default", {"rows": 5}))
    with pytest.raises(Mismatch, match="for a board of 42 cells alone, not of 35"):
        agent(f"alphazero:{run}", game).act(View(game, states, 0), np.ones(1, np.uint64))


def test_runs_that_are_of_no_use_are_named(run, tmp_path):
    with pytest.raises(Mismatch, match=r"was trained for connect_four version .*, this is tic_tac_toe"):
        agent(f"alphazero:{run}", "tic_tac_toe")
    with pytest.raises(BadInput, match="needs a run"):
        agent("alphazero", "connect_four")
    (run / "weights.onnx").unlink()
    with pytest.raises(BadInput, match="holds no network yet"):
        agent(f"alphazero:{run}", "connect_four")
    settings = (run / "settings.json").read_text()
    fingerprint = load("connect_four").fingerprint
    (run / "settings.json").write_text(settings.replace(fingerprint, fingerprint[:-4] + "beef"))
    with pytest.raises(
        Mismatch, match=f"trained under the rules .*beef of connect_four, and now they are {fingerprint}"
    ):
        agent(f"alphazero:{run}", "connect_four")


@pytest.mark.parametrize("setting", ["device=tpu", "network=worst"])
def test_words_that_do_not_read(setting, run):
    with pytest.raises(BadInput, match=f"{setting.partition('=')[0]} is .* or .*, not"):
        agent(f"alphazero:{run},{setting}", "connect_four")


def test_halving_needs_a_number_of_simulations(run):
    with pytest.raises(BadInput, match="give sims, not ms or nodes"):
        agent(f"alphazero:{run},gumbel=4,ms=5", "connect_four")


def test_without_onnxruntime_a_sentence_says_how_to_get_it(run, monkeypatch):
    game = load("connect_four")
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(BadInput, match=r"pip install 'ludus\[learn\]'"):
        agent(f"alphazero:{run}", game).act(View(game, starts(game, 1), 0), np.ones(1, np.uint64))


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_without_a_gpu_a_sentence_says_so(run):
    game = load("connect_four")
    with pytest.raises(BadInput, match="no CUDA device here"):
        agent(f"alphazero:{run},device=cuda", game).act(View(game, starts(game, 1), 0), np.ones(1, np.uint64))


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("sims", [0, 16])
def test_the_shipped_network_of_tic_tac_toe_never_loses_whatever_is_played(sims, seat):
    """All lines of the other player's are tried."""
    game = load("tic_tac_toe")
    player, states = agent(f"alphazero:tic_tac_toe,sims={sims}", game), starts(game, 1)
    for ply in range(9):
        if ply % 2 == seat:
            actions = player.act_many(states, np.full(len(states), seat), np.ones((len(states), 1), np.uint64))
        else:
            menus = [game.menu(states[k : k + 1], ply % 2) for k in range(len(states))]
            states, actions = np.repeat(states, [len(menu) for menu in menus]), np.concatenate(menus)
        joint = np.full((len(states), 2), -1, np.int32)
        joint[:, ply % 2] = actions
        game.advance(states, joint, np.ones((len(states), 3), np.uint64))
        is_over = game.waiting(states) == 0
        assert (game.payoffs(states[is_over])[:, seat] >= 0).all()
        states = np.unique(states[~is_over])
    assert not len(states)


def test_shipped_networks_are_small():
    networks = [run.path / "weights.onnx" for run in shipped_runs() if run.settings["method"] == "alphazero"]
    assert networks
    assert all(path.stat().st_size < 2 << 20 for path in networks)
