"""The command line as a person or a program meets it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from ludus.agent import Agent
from ludus.catalogue import describe, game_names, load
from ludus.cli import _speak
from ludus.cli.options import note_other_rules
from ludus.compile import _tell
from ludus.records import read_records

EXAMPLES = Path(__file__).parents[1] / "example_games"


@pytest.fixture
def ludus(command_line):
    return command_line


AUCTION = Path(__file__).parents[1] / "example_games" / "auction.py"
COMMANDS = ["games", "agents", "check", "perft", "play", "match", "tournament", "bench", "cache"]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(ludus, command):
    code, out, _ = ludus(command, "--help")
    assert code == 0
    assert "Example: ludus " + command in " ".join(out.split())
    assert "--json" in out


def test_games_lists_all_and_shows_one(ludus):
    code, out, _ = ludus("games")
    assert code == 0
    assert all(name in out for name in game_names())
    code, out, _ = ludus("games", "breakthrough")
    assert "rows" in out
    assert "Presets" in out
    code, out, _ = ludus("games", "breakthrough", "--json")
    described = json.loads(out)
    assert described["params"]["rows"]["help"]
    assert described["facts"]["players"] == [2, 2]
    assert "6x6" in described["presets"]


def test_agents_lists_settings(ludus):
    code, out, _ = ludus("agents")
    assert code == 0
    assert all(word in out for word in ("random", "greedy", "alphabeta", "mcts", "sims", "exploration"))
    listed = {one["name"]: one for one in json.loads(ludus("agents", "--json")[1])}
    assert listed["mcts"]["settings"]["sims"]["default"] == 400
    assert "without chance" in listed["alphabeta"]["accepts"]


def test_agents_of_a_game_are_those_that_can_play_it(ludus):
    names = {game: [one["name"] for one in json.loads(ludus("agents", game, "--json")[1])]
             for game in ("kuhn_poker", "planet_wars", str(AUCTION))}  # fmt: skip
    assert {"random", "mcts"} <= set(names["kuhn_poker"])
    assert "alphabeta" not in names["kuhn_poker"]
    assert "champion" in names["planet_wars"]
    assert "champion" not in names[str(AUCTION)]
    assert " agents can play Kuhn poker" in ludus("agents", "kuhn_poker")[1]
    assert "cannot be read: No such file" in ludus("agents", "none.py")[2]


def test_match_json_has_the_promised_shape(ludus):
    code, out, _ = ludus("match", "tic_tac_toe", "mcts:sims=100", "random", "--games", "20", "--seed", "3", "--json")
    result = json.loads(out)
    assert code == 0
    assert (result["game"], result["games"], result["seed"]) == ("tic_tac_toe", 20, 3)
    assert [one["spec"] for one in result["agents"]] == ["mcts:sims=100", "random"]
    assert set(result["agents"][0]) == {"spec", "wins", "draws", "score", "low", "high"}
    assert ludus("match", "tic_tac_toe", "mcts:sims=100", "random", "--games", "20", "--seed", "3", "--json")[1] == out


SECRET_BIDS = """
import numpy as np
from ludus import Facts, record, rule

FACTS = Facts("Bids", players=(2, 2), max_actions=3, max_plies=4, hidden=True)
State = record(players=np.int32, mover=np.int32, plies=np.int32, bids=(np.int32, 2))

@rule
def setup(state, rng):
    pass

@rule
def to_act(state):
    return 0 if state.plies == 4 else 1 << state.mover

@rule
def legal(state, player, out):
    for bid in range(3):
        out[bid] = bid
    return 3

@rule
def step(state, actions, rng):
    state.bids[state.mover] += actions[state.mover]
    state.mover, state.plies = 1 - state.mover, state.plies + 1

@rule
def returns(state, out):
    out[0], out[1] = 0.0, 0.0

@rule
def hide(state, player):
    state.bids[1 - player] = 0

def action_text(state, player, action):
    return "bid " + ("nothing", "little", "much")[action]
"""


def test_play_prints_no_action_that_the_game_hides(ludus, typed, tmp_path):
    """The game is hidden and does not say that rivals may see its actions."""
    (tmp_path / "bids.py").write_text(SECRET_BIDS, encoding="utf-8")
    typed("bid much", "quit")
    _, out, _ = ludus("play", str(tmp_path / "bids.py"), "--against", "random", "--seat", "2")
    assert out.count("player 1 (random): has decided") == 2
    assert "player 1 (random): bid" not in out


def test_play_takes_nothing_back_where_something_is_hidden(ludus, typed):
    typed("undo", "quit")
    _, out, _ = ludus("play", "kuhn_poker", "--against", "random")
    assert "nothing is taken back in this match: something is hidden" in out


def test_match_table_and_records(ludus, tmp_path):
    code, out, _ = ludus("match", "goofspiel", "random", "random", "random", "--games", "9", "--records", "r.jsonl")
    assert code == 0
    assert "9 matches" in out
    records, problems = read_records(tmp_path / "r.jsonl")
    assert len(records) == 9
    assert not problems


def test_match_takes_presets_rules_and_a_start(ludus, tmp_path):
    small = json.loads(ludus("match", "breakthrough", "random", "random", "--preset", "4x4", "--json")[1])
    big = json.loads(ludus("match", "breakthrough", "random", "random", "--rule", "rows=7", "--json")[1])
    assert small["mean_plies"] < 12 < big["mean_plies"]
    (tmp_path / "near.txt").write_text("X X .  O O .  . . .")
    code, out, _ = ludus("match", "tic_tac_toe", "mcts:sims=200", "mcts:sims=200", "--start", "near.txt", "--json")
    assert code == 0
    assert json.loads(out)["mean_plies"] == 1  # whoever sits first completes the row


def test_perft_json(ludus):
    code, out, _ = ludus("perft", "connect_four", "--depth", "7", "--json")
    assert code == 0
    assert json.loads(out)["counts"] == [7, 49, 343, 2401, 16807, 117649, 823536]


def test_check_json_and_exit_code(ludus, tmp_path):
    code, out, _ = ludus("check", "tic_tac_toe", "--matches", "10", "--json")
    assert code == 0
    assert json.loads(out)[0]["ok"]
    broken = tmp_path / "broken.py"
    broken.write_text(BROKEN)
    code, out, _ = ludus("check", "broken.py", "--matches", "5")
    assert code == 1
    assert "FAILED returns" in out
    assert "again: ludus check broken.py" in out


BROKEN = """
import numpy as np
from ludus import Facts, record, rule
FACTS = Facts("Broken", players=(2, 2), max_actions=2, max_plies=1)
State = record(players=np.int32, over=np.int32)
@rule
def setup(state, rng):
    pass
@rule
def to_act(state):
    return 1 - state.over
@rule
def legal(state, player, out):
    out[0], out[1] = 0, 1
    return 2
@rule
def step(state, actions, rng):
    state.over = 1
@rule
def returns(state, out):
    out[0], out[1] = 1.0, 1.0
"""


def test_check_agent(ludus):
    code, out, _ = ludus("check", "tic_tac_toe", "--agent", "mcts:sims=20")
    assert code == 0
    assert "ok" in out


def test_tournament_resumes_from_its_store(ludus, tmp_path):
    command = ("tournament", "tic_tac_toe", "random", "greedy", "mcts:sims=20", "--games", "10", "--store", "t.sqlite")
    code, out, _ = ludus(*command)
    assert code == 0
    assert "30 matches" in out
    assert "random = 0" in out
    again = json.loads(ludus(*command, "--json", "--records", "t.jsonl")[1])
    assert again["played"] == 30
    assert len(read_records(tmp_path / "t.jsonl")[0]) == 30
    code, out, err = ludus(*command, "--seed", "9")
    assert code == 0
    assert "the seed (0, now 9) changed since 'tic_tac_toe' was played" in err
    assert "tic_tac_toe 2: tic_tac_toe, 30 matches" in out


def test_cache_shows_its_folder(ludus):
    shown = json.loads(ludus("cache", "show", "--json")[1])
    assert shown["files"] >= 0
    assert "kernels" in shown["folder"] or shown["folder"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("match", "conect_four", "random", "random"), "did you mean connect_four"),
        (("match", "connect_four", "random", "mtcs"), "did you mean mcts"),
        (("match", "connect_four", "random"), "needs 2 agents"),
        (("match", "connect_four", "random", "random", "random"), "is for 2 players, not 3"),
        (("match", "goofspiel", "alphabeta", "random"), "hidden information"),
        (("match", "kuhn_poker", "mcts:sims=none", "random"), "sims is a whole number"),
        (("match", "kuhn_poker", "mcts:sims=0", "random"), "at least 1"),
        (("match", "kuhn_poker", "mcts:smis=5", "random"), "did you mean sims"),
        (("match", "breakthrough", "random", "random", "--rule", "rows=99"), "must lie in 3 … 8"),
        (("match", "breakthrough", "random", "random", "--rule", "rws=6"), "did you mean rows"),
        (("match", "breakthrough", "random", "random", "--rule", "rows"), "NAME=VALUE"),
        (("match", "breakthrough", "random", "random", "--preset", "6x7"), "no preset"),
        (("match", "nowhere.py", "random", "random"), "no file nowhere.py"),
        (("match", "tic_tac_toe", "nobody.py", "random"), "no file nobody.py"),
        (("match", "tic_tac_toe", "random", "random", "--start", "none.txt"), "no file none.txt"),
        (("perft", "goofspiel"), "goofspiel is hidden"),
        (("perft", "kuhn_poker"), "kuhn_poker is hidden"),
        (("tournament", "tic_tac_toe", "random"), "at least two agents"),
        (("tournament", "tic_tac_toe", "random", "greedy", "--format", "swiss"), "one of round-robin"),
        (("bench", "--against", "ludii"), "only peer"),
        (("cache", "burn"), "show, warm or clean"),
        (("check",), "which game to check"),
        (("games", "chess960"), "no game is called 'chess960'"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_two(ludus, arguments, sentence):
    code, out, err = ludus(*arguments)
    assert code == 2
    assert sentence in err
    assert err.startswith("ludus: ")
    assert len(err.strip().splitlines()) == 1
    assert out == ""


# ------------------------------------------------------------------------------------------------ play


@pytest.fixture
def typed(monkeypatch):
    """Let a person type these lines; then the line goes dead."""

    def give(*lines: str) -> None:
        waiting = iter(lines)

        def answer(prompt: str = "") -> str:
            try:
                return next(waiting)
            except StopIteration:
                raise EOFError from None

        monkeypatch.setattr("builtins.input", answer)

    return give


def test_play_to_the_end_and_the_record_on_request(ludus, typed):
    typed("b2", "a1", "c3", "a3", "c1", "b1", "b3", "a2", "c2", *"abc")
    code, out, _ = ludus("play", "tic_tac_toe", "--against", "random", "--seed", "4", "--json")
    assert code == 0
    assert "X . ." in out or ". X ." in out
    assert any(word in out for word in ("You win", "You lose", "A draw"))
    assert json.loads(out.splitlines()[-1])["agents"] == ["human", "random"]


def test_play_understands_its_commands(ludus, typed):
    typed("help", "moves", "hint", "z9", "undo", "b2", "undo", "a1", "board", "resign")
    code, out, _ = ludus("play", "tic_tac_toe", "--against", "random")
    assert code == 0
    assert "a1  b1  c1" in out
    assert "hint: " in out
    assert "'z9' is no cell" in out
    assert "nothing to take back" in out
    assert "You lose: player 1 loses: resigned" in out


def test_play_left_in_the_middle(ludus, typed):
    typed("4")
    code, out, _ = ludus("play", "connect_four", "--against", "mcts:sims=10", "--seat", "2")
    assert code == 0
    assert "player 1 (mcts:sims=10): " in out
    assert "Left." in out


def test_play_does_not_show_what_is_chosen_at_the_same_time(ludus, typed):
    typed("quit")
    _, out, _ = ludus("play", "goofspiel", "--against", "random", "--against", "random")
    assert "(random):" not in out


def test_presets_are_written_as_rules_are(ludus):
    _, out, _ = ludus("games", str(EXAMPLES / "auction.py"))
    assert "closed=on" in out
    assert "three or four collectors" in out
    assert "--rules` has all of it" in out


def test_an_agent_that_refuses_games_says_so():
    class Picky(Agent):
        """Plays little."""

        def refuses(self, facts):
            return "" if facts.title == "Auction" else "it only knows Auction"

    assert describe("picky.py", Picky)["accepts"] == "every game that its `refuses` lets pass"
    assert describe("any.py", Agent)["accepts"] == "every game"


def test_a_run_that_plays_under_other_params_is_noted(capsys):
    game, run = load("gravwell"), "neat:gravwell-neat-paper"
    note_other_rules([run, "random"], game, game.rule_values("paper"))
    assert capsys.readouterr().err == ""
    note_other_rules([run, run, "random"], game, game.rule_values())
    err = capsys.readouterr().err
    assert err.startswith(f"ludus: note: {run}: it was trained with ")
    assert err.count("trained with") == 1


SAID = "ludus: compiling the rules of this (first time)\n"


@pytest.mark.parametrize(("is_quiet", "said"), [(False, SAID), (True, "")])
def test_a_word_is_said_before_compiling_to_people_alone(capsys, is_quiet, said):
    _tell.cache_clear()
    _speak(is_quiet)
    for _ in range(2):
        _tell("this")
    assert capsys.readouterr().err == said


def test_python_m_ludus_is_the_command():
    found = subprocess.run([sys.executable, "-m", "ludus", "games", "--json"], capture_output=True, check=True)
    assert {one["name"] for one in json.loads(found.stdout)} >= set(game_names())
