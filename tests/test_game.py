"""Games, views and agents: how they are found, what a player gets to see, and what a person is told of mistakes."""

from __future__ import annotations

import importlib.metadata
import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ludus
from ludus import kernels
from ludus.agent import Agent
from ludus.catalogue import agent, agent_kinds, game_names, is_ours, load, offered_agents
from ludus.errors import BadInput, BadNotation, BadParams, BadRules, BadSpec, Mismatch, UnknownName
from ludus.files import load_module
from ludus.game import Game, View
from ludus.rng import match_words
from ludus.settings import read_settings, setting

EXAMPLES = Path(__file__).parent / "example_games"
TAKE = (EXAMPLES / "take.py").read_text()
UNKNOWN = 5  # the mask of a card in three_hands


@pytest.fixture(scope="module")
def take() -> Game:
    return load(str(EXAMPLES / "take.py"))


@pytest.fixture(scope="module")
def hands() -> Game:
    return load(str(EXAMPLES / "three_hands.py"))


@pytest.fixture
def user_file(tmp_path, monkeypatch):
    """Writes a user's file and gives back its path; nothing of it stays behind."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = set(sys.modules)

    def write(text: str, *edits: tuple[str, str], name: str = "my_game.py") -> str:
        for old, new in edits:
            assert old in text
            text = text.replace(old, new)
        (tmp_path / name).write_text(text)
        return str(tmp_path / name)

    yield write
    for name in set(sys.modules) - before:
        if str(tmp_path) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


def after(game: Game, plies: int, players: int, seed: int = 1, **rules):
    """A position some random plies into a match."""
    words = match_words(seed, np.array([0]), 0, players)
    states = game.start(words, players, game.params.values(rules))
    game.kernel(kernels.rollouts)(states, words, np.zeros(1, np.int64), plies)
    return states


# ------------------------------------------------------------------------------------------------ finding games


def test_games_are_found_by_name():
    game = load("tic_tac_toe")
    assert (game.name, game.source, game.facts.title) == ("tic_tac_toe", "tic_tac_toe", "Tic-tac-toe")
    assert load("tic_tac_toe") is game
    assert load(game) is game
    assert repr(game) == "Game('tic_tac_toe')"


def test_every_file_of_games_is_a_game_and_no_other():
    files = {path.stem for path in (Path(ludus.__file__).parent / "games").glob("[!_]*.py")}
    assert files <= set(game_names())
    assert not [name for name in game_names() if name.startswith("_")]


def test_games_are_found_by_path(take, monkeypatch):
    assert (take.name, take.facts.title) == ("take", "Take")
    assert take.source == str(EXAMPLES / "take.py")
    monkeypatch.chdir(EXAMPLES)
    beside = Game(load_module(Path("take.py")), "take.py")
    assert beside.name == "take"
    assert beside.module.__name__ == take.module.__name__  # so that compiled code is found again


class Entry:
    """What an installed package offers."""

    def __init__(self, name, value):
        self.name, self.value = name, value

    def load(self):
        return self.value


def test_games_and_agents_are_found_by_entry_point(take, monkeypatch):
    @dataclass
    class Loud(Agent):
        name: ClassVar[str] = "loud"

    offered = {"ludus.games": [Entry("stones", take.module)], "ludus.agents": [Entry("loud", Loud)]}
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: offered[group])
    monkeypatch.setattr("ludus.catalogue._loaded", {})
    assert load("stones").facts.title == "Take"
    assert load("stones").name == "stones"
    assert "stones" in game_names()
    assert "tic_tac_toe" in game_names()
    assert isinstance(agent("loud", "stones", trust=True), Loud)
    with pytest.raises(UnknownName, match="'stone'; did you mean stones"):
        load("stone")


def test_an_unknown_game_suggests_the_nearest():
    with pytest.raises(UnknownName, match="no game is called 'conect_four'; did you mean connect_four"):
        load("conect_four")
    with pytest.raises(UnknownName, match=r"no game is called 'xq'; known: .*tic_tac_toe"):
        load("xq")
    with pytest.raises(UnknownName):
        load("os")


def test_a_missing_file_is_named(tmp_path):
    for path in (tmp_path / "nothing.py", tmp_path / "no" / "folder.py"):
        with pytest.raises(BadInput, match=f"there is no file {path}"):
            load(str(path))
    with pytest.raises(BadInput, match=f"{tmp_path} cannot be read: Is a directory"):
        load(str(tmp_path))


# ------------------------------------------------------------------------------------------------ faults in a file


def line_of(path: str, text: str) -> int:
    return next(n for n, line in enumerate(Path(path).read_text().splitlines(), 1) if text in line)


@pytest.mark.parametrize(
    ("old", "new", "field", "owner", "hint"),
    [
        ("if state.stones > 0", "if state.stonse > 0", "stonse", "state", "did you mean stones"),
        ("% state.players", "% state.playres", "playres", "state", "did you mean players"),
        ("state.params.stones", "state.params.stons", "stons", "params", "did you mean stones"),
        ("state.turn = (", "state.whose = (", "whose", "state", "known: params, players, stones, turn"),
    ],
)
def test_a_misspelt_field_is_named_with_its_line(user_file, old, new, field, owner, hint):
    path = user_file(TAKE, (old, new))
    with pytest.raises(BadRules) as caught:
        load(path)
    said = str(caught.value)
    assert said.startswith(f"{path}, line {line_of(path, new)}: no field is called '{field}' in {owner}; {hint}")


OBSERVE = "@rule\ndef observe(state, player, out):\n    out[0] = 0\n\n\n"


@pytest.mark.parametrize(
    ("edits", "sentence"),
    [
        ([("FACTS = ", "FACT = ")], "the game declares no FACTS"),
        ([("State = ", "Stat = ")], "the game declares no State"),
        ([("def legal", "def lega")], "the game does not write legal"),
        ([("def setup", "def set_up"), ("def step", "def stepp")], "the game does not write setup, step"),
        ([("players=np.int32, ", ""), ("state.players", "4")], "State needs a field `players`"),
        ([("params=PARAMS, ", ""), ("state.params.stones", "7")], "State needs a field `params=PARAMS`"),
        ([("stones=np.int32", "size=np.int32")], "line 9: BadRules: a field cannot be called 'size'"),
        ([("@rule\ndef returns", OBSERVE + "@rule\ndef returns")], "declares no FEATURES"),
    ],
)
def test_a_file_that_breaks_the_contract_is_named(user_file, edits, sentence):
    path = user_file(TAKE, *edits)
    with pytest.raises(BadRules) as caught:
        load(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert sentence in str(caught.value)


@pytest.mark.parametrize("edit", [("FACTS = Facts(", "FACTS = dict(title="), ("State = record(", "State = dict(")])
def test_declarations_of_a_wrong_type_are_named(user_file, edit):
    with pytest.raises(BadRules):
        load(user_file(TAKE, edit))


def test_a_syntax_error_is_named_with_its_line(user_file):
    path = user_file(TAKE, ("def legal(state, player, out):", "def legal(state, player, out:"))
    with pytest.raises(BadRules) as caught:
        load(path)
    assert str(caught.value).startswith(f"{path}: SyntaxError: ")
    assert f"line {line_of(path, 'def legal')}" in str(caught.value)


def test_an_error_while_loading_is_named_with_its_line(user_file):
    path = user_file(TAKE, ("FACTS = ", "TABLE = [1, 2, 3][4]\nFACTS = "))
    modules = set(sys.modules)
    with pytest.raises(BadRules) as caught:
        load(path)
    assert str(caught.value) == f"{path}: line {line_of(path, 'TABLE')}: IndexError: list index out of range"
    assert set(sys.modules) == modules


def test_a_file_is_read_again_after_it_was_mended(user_file):
    path = user_file(TAKE, ("def legal", "def lega"))
    with pytest.raises(BadRules):
        load(path)
    user_file(TAKE)
    assert load(path).facts.title == "Take"


def test_a_file_may_import_what_lies_beside_it(user_file):
    user_file("STONES = 12\n", name="take_helper.py")
    path = user_file(
        TAKE,
        ("Param(7,", "Param(take_helper.STONES,"),
        ("import numpy as np", "import take_helper\nimport numpy as np"),
    )
    assert load(path).params.values({}) == {"stones": 12}


def test_files_in_two_folders_each_have_their_own_helper(user_file, tmp_path):
    """Versions 6 and 7 of a game, side by side, each with a helper of the same name."""
    found = []
    for version, stones in (("v6", 6), ("v7", 9)):
        (tmp_path / version).mkdir()
        user_file(f"STONES = {stones}\n", name=f"{version}/take_helper.py")
        edits = [
            ("Param(7,", "Param(take_helper.STONES,"),
            ("import numpy as np", "import take_helper\nimport numpy as np"),
        ]
        found.append(load(user_file(TAKE, *edits, name=f"{version}/take.py")).params.values({})["stones"])
    assert found == [6, 9]


def test_an_edit_within_the_same_second_is_seen(user_file, monkeypatch):
    """A person is slower, but a program that edits rules is not."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    titles = []
    for title in ("Take", "Give"):
        path = user_file(TAKE, ('"Take"', f'"{title}"'))
        os.utime(path, (1_700_000_000, 1_700_000_000))
        titles.append(load_module(Path(path)).FACTS.title)
    assert titles == ["Take", "Give"]


# ------------------------------------------------------------------------------------------------ settings of a game


def test_the_number_of_players_is_checked(take):
    for players in (2, 3, 4):
        assert take.start(match_words(0, np.array([0]), 0, players), players)[0].players == players
    for players in (1, 5, 0, -1):
        with pytest.raises(BadInput, match=f"take is for 2 to 4 players, not {players}"):
            take.start(match_words(0, np.array([0]), 0, 2), players)
    with pytest.raises(BadInput, match="tic_tac_toe is for 2 players, not 3"):
        load("tic_tac_toe").check_setting(3, {})


def test_presets_and_changes(hands):
    assert hands.rule_values() == {"bonus": 1}
    assert hands.rule_values("rich") == {"bonus": 3}
    assert hands.rule_values("rich", {"bonus": "4"}) == {"bonus": 4}
    with pytest.raises(UnknownName, match="no preset is called 'ritch' in three_hands; did you mean rich"):
        hands.rule_values("ritch")
    with pytest.raises(UnknownName, match="no rule is called 'bonos'; did you mean bonus"):
        hands.rule_values("default", {"bonos": 1})
    with pytest.raises(BadParams, match="bonus must lie in 0 … 5, not 6"):
        hands.rule_values("default", {"bonus": 6})


def test_a_game_may_object(user_file):
    objection = "def objection(params, players):\n    return 'too few stones' if params.stones < players else ''\n\n\n"
    game = load(user_file(TAKE, ("@rule\ndef setup", objection + "@rule\ndef setup")))
    game.check_setting(3, {"stones": 3})
    with pytest.raises(BadParams, match="my_game: too few stones"):
        game.check_setting(4, {"stones": 3})


def test_fresh_states_are_filled_before_setup(take):
    states = take.blank(3, {"stones": 11}, 4)
    assert states["players"].tolist() == [3] * 4
    assert states["params"]["stones"].tolist() == [11] * 4
    assert states["stones"].tolist() == [0] * 4


# ------------------------------------------------------------------------------------------------ views


def test_a_view_is_a_masked_copy(hands):
    states = after(hands, 2, 3)
    before = states.tobytes()
    truth = states[0]
    for player in range(3):
        view = View(hands, states, player)
        for card in range(11):
            seen = view.state.place[card]
            known = truth.place[card] in (player, 3) or truth.open[card]
            assert seen == (truth.place[card] if known else UNKNOWN)
        view.state.place[:] = 9
        view.state.players = 9
    assert states.tobytes() == before


def test_a_view_offers_what_its_player_may_do(hands):
    states = after(hands, 4, 3)
    view = View(hands, states, 1)
    held = np.flatnonzero(states[0].place == 1).tolist()
    assert view.legal.tolist() == held
    assert [card for card in range(-1, 12) if view.allows(card)] == held
    assert view.features.tolist()[:11] == [float(card in held) for card in range(11)]
    assert view.features.dtype == np.float32
    assert view.action_text(held[0]) == f"card {held[0]}"
    assert view.parse(f"  card {held[0]} ") == held[0]


def test_the_text_of_a_view_shows_no_secret(hands):
    states = after(hands, 0, 3)
    texts = {View(hands, states, 0).text}
    twin, done = states.copy(), np.zeros(1, np.bool_)
    hands.kernel(kernels.swap_secrets)(twin, np.array([0]), np.array([[5]], np.uint64), done)
    assert done[0]
    assert twin.tobytes() != states.tobytes()
    texts.add(View(hands, twin, 0).text)
    assert len(texts) == 1


def test_what_cannot_be_played_is_refused_with_examples(hands):
    states = after(hands, 0, 3)
    view = View(hands, states, 0)
    mine = ", ".join(f"card {card}" for card in view.legal)
    other = next(card for card in range(11) if card not in view.legal)
    with pytest.raises(BadNotation, match=f"'card {other}' is not allowed now; your menu: {mine}"):
        view.parse(f"card {other}")
    with pytest.raises(BadNotation, match="'king' is no card"):
        view.parse("king")


def spelled(number: int) -> list[float]:
    """A small number as features of a game without `observe`: squashed twice, then its name."""
    return [number / (2 + number), number / (20 + number), *(float(k == number > 0) for k in range(16))]


def test_default_texts(take):
    states = after(take, 0, 3, stones=2)
    view = View(take, states, 0)
    assert view.text == "players: 3\nstones: 2\nturn: 0"
    assert [view.action_text(action) for action in view.legal] == ["1", "2"]
    assert view.parse(" 2 ") == 2
    with pytest.raises(BadNotation, match="'3' is no action here; your menu: 1, 2"):
        view.parse("3")
    assert view.features == pytest.approx([*spelled(3), *spelled(2), *spelled(0), 0])
    states["stones"], states["turn"] = 0, 2
    assert take.outcome_text(states) == "player 3 wins"


@pytest.mark.parametrize(
    ("points", "text"), [([1, 2, 0], "player 2 wins"), ([2, 0, 2], "player 1 and player 3 win"), ([1, 1, 1], "a draw")]
)
def test_default_outcomes(hands, points, text):
    states = after(hands, 9, 3)
    states["points"] = points
    assert hands.outcome_text(states) == text


# ------------------------------------------------------------------------------------------------ positions


@settings(max_examples=30)
@given(plies=st.integers(0, 9), seed=st.integers(0, 2**32), bonus=st.integers(0, 5))
def test_positions_survive_json(plies, seed, bonus):
    game = load(str(EXAMPLES / "three_hands.py"))
    states = after(game, plies, 3, seed, bonus=bonus)
    text = json.dumps(game.state_json(states[0]))
    assert game.parse_state(text, 3).tobytes() == states.tobytes()
    notation = game.state_text(states[0])
    assert game.parse_state(notation, 3, {"bonus": bonus}).tobytes() == states.tobytes()


def test_positions_as_json_have_plain_numbers_and_no_gaps(take):
    states = after(take, 0, 2, stones=9)
    assert take.state_json(states[0]) == {"params": {"stones": 9}, "players": 2, "stones": 9, "turn": 0}


def test_a_position_may_leave_fields_out(take):
    state = take.parse_state(' {"stones": 3}', 4, {"stones": 12})[0]
    assert (state.stones, state.players, state.params.stones, state.turn) == (3, 4, 12, 0)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('{"stones": 3', "the position is no JSON"),
        ('{"stons": 3}', "no field is called 'stons' in a take position; did you mean stones"),
        ('{"stones": [1, 2]}', "field stones of the position: "),
        ('{"stones": "many"}', "field stones of the position: "),
        ('{"stones": null}', "field stones of the position: "),
        ('{"stones": 99999999999}', "field stones of the position: "),
        ('{"stones": {"a": 1}}', "field stones of the position: "),
        ('{"params": {"rings": 1}}', "field params of the position: "),
        ("7 stones", "take has no notation for positions; give one as JSON fields"),
        ("", "take has no notation for positions"),
    ],
)
def test_bad_positions_are_refused_with_a_sentence(take, text, sentence):
    with pytest.raises(BadInput) as caught:
        take.parse_state(text, 2)
    assert str(caught.value).startswith(sentence)


@pytest.mark.parametrize("board", ["[1, 2, 3]", "[[1,0,0],[0,0,0],[0,0,0]]", "[0,0,0,0,0,0,0,0,300]"])
def test_boards_of_a_wrong_shape_are_refused(board):
    with pytest.raises(BadNotation, match="field board of the position: "):
        load("tic_tac_toe").parse_state(f'{{"board": {board}}}', 2)


@pytest.mark.parametrize("text", ['{"plies": 1.7}', '{"board": 1}', '{"board": [0.5,0,0,0,0,0,0,0,0]}'])
def test_numbers_that_do_not_fit_are_refused(text):
    with pytest.raises(BadNotation):
        load("tic_tac_toe").parse_state(text, 2)


# ------------------------------------------------------------------------------------------------ agents


@dataclass
class Fussy(Agent):
    """An agent with a setting of every type."""

    name: ClassVar[str] = "fussy"

    depth: int = setting(3, "plies", low=1)
    pace: float = setting(0.5, "how fast", low=0)
    bold: bool = setting(False, "whether it dares")
    style: str = setting("plain", "how it plays")

    def refuses(self, facts):
        return "it has no dice" if facts.chance else ""

    def act(self, view, rng):
        return int(view.legal[0])


@pytest.mark.parametrize(
    ("text", "given"),
    [
        ("", {}),
        ("depth=5", {"depth": 5}),
        ("5", {"depth": 5}),
        ("5,pace=2", {"depth": 5, "pace": 2.0}),
        (" depth = 5 , bold=yes", {"depth": 5, "bold": True}),
        ("bold=on,style=a=b", {"bold": True, "style": "a=b"}),
        ("bold=no", {"bold": False}),
        ("pace=1e-3", {"pace": 0.001}),
    ],
)
def test_settings_are_read(text, given):
    assert read_settings(Fussy, text) == given


@pytest.mark.parametrize(
    ("text", "error", "sentence"),
    [
        ("deep=5", UnknownName, "no setting is called 'deep' of agent fussy; did you mean depth"),
        ("depth=5,6", UnknownName, "no setting is called '6' of agent fussy"),
        ("depth=five", BadSpec, "agent fussy: depth is a whole number, not 'five'"),
        ("depth=2.5", BadSpec, "agent fussy: depth is a whole number, not '2.5'"),
        ("depth=", BadSpec, "agent fussy: depth is a whole number, not ''"),
        ("depth=0", BadSpec, "agent fussy: depth must be at least 1, not 0"),
        ("pace=slow", BadSpec, "agent fussy: pace is a number, not 'slow'"),
        ("pace=-0.1", BadSpec, "agent fussy: pace must be at least 0, not -0.1"),
    ],
)
def test_bad_settings_are_refused_with_a_sentence(text, error, sentence):
    with pytest.raises(error) as caught:
        read_settings(Fussy, text)
    assert str(caught.value).startswith(sentence)


def test_a_setting_is_a_number_indeed():
    with pytest.raises(BadSpec):
        read_settings(Fussy, "pace=nan")


def test_a_spec_makes_the_same_agent_again():
    assert Fussy().spec == "fussy"
    made = Fussy(depth=5, bold=True, style="wild")
    assert made.spec == "fussy:depth=5,bold=True,style=wild"
    assert Fussy(**read_settings(Fussy, made.spec.partition(":")[2])) == made


def test_agents_are_found_by_name():
    assert {"random", "greedy", "mcts", "alphabeta"} <= set(agent_kinds())
    made = agent("mcts:sims=20,c=0.5", "tic_tac_toe")
    assert (made.sims, made.c, made.game.name, made.spec) == (20, 0.5, "tic_tac_toe", "mcts:sims=20,c=0.5")
    assert agent(" random ", "tic_tac_toe").spec == "random"
    assert agent("mcts:", "tic_tac_toe").sims == 400


@pytest.mark.parametrize(
    ("spec", "error", "sentence"),
    [
        ("mtcs", UnknownName, "no agent is called 'mtcs'; did you mean mcts"),
        ("", UnknownName, "no agent is called ''"),
        ("random:5", UnknownName, "no setting is called '5' of agent random; known: none"),
        ("mcts:sims=0", BadSpec, "agent mcts: sims must be at least 1, not 0"),
        ("mcts:simulations=4", UnknownName, "no setting is called 'simulations' of agent mcts"),
        ("nowhere/bot.py", BadInput, "there is no file nowhere/bot.py"),
    ],
)
def test_bad_specs_are_refused_with_a_sentence(spec, error, sentence):
    with pytest.raises(error) as caught:
        agent(spec, "tic_tac_toe")
    assert str(caught.value).startswith(sentence)


def test_an_agent_and_a_game_that_do_not_go_together_are_refused(hands):
    with pytest.raises(Mismatch, match="fussy cannot play three_hands: it has no dice"):
        agent(Fussy(), hands)
    with pytest.raises(Mismatch, match="alphabeta cannot play three_hands: the game has hidden information"):
        agent("alphabeta", hands)
    assert agent(Fussy(), "tic_tac_toe").game.name == "tic_tac_toe"


BOT = '''
from dataclasses import dataclass
from ludus import Agent
from ludus.settings import setting

@dataclass
class Last(Agent):
    """The last action on the menu, or one before it."""

    back: int = setting(0, "how many before the last", low=0)

    def act(self, view, rng):
        return int(view.legal[-1 - self.back])
'''


def test_agents_are_found_by_path(user_file, take):
    path = user_file(BOT, name="my_bot.py")
    states = after(take, 0, 2)
    assert agent(path, take, trust=True).act(View(take, states, 0), np.zeros(1, np.uint64)) == 2
    made = agent(f"{path}:back=1", take, trust=True)
    assert made.act(View(take, states, 0), np.zeros(1, np.uint64)) == 1
    assert made.spec == f"{path}:back=1"
    with pytest.raises(UnknownName, match="no setting is called 'bakc' of agent"):
        agent(f"{path}:bakc=1", take, trust=True)


def test_a_file_without_an_agent_is_named(user_file, take):
    path = user_file("from ludus import Agent\n", name="my_bot.py")
    with pytest.raises(BadRules, match=r"my_bot\.py has no class that derives from ludus\.Agent"):
        agent(path, take, trust=True)


def test_the_code_of_others_runs_here_only_with_trust(user_file, take, monkeypatch):
    """Nothing of theirs is imported: not a file, not what a package offers."""

    class Trap:
        name = "loud"

        def load(self):
            raise AssertionError("it was imported")

    path = user_file("raise AssertionError('it was imported')\n", name="my_bot.py")
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: [Trap()])
    for spec in (path, f"{path}:back=1", "loud", "loud:x=1"):
        with pytest.raises(BadInput, match="plays in a process of its own"):
            agent(spec, take)
        assert not is_ours(spec)
    assert "loud" not in agent_kinds()
    assert offered_agents() == ["loud"]
    with pytest.raises(UnknownName, match="did you mean loud"):
        agent("lout", take)


def test_an_agent_that_writes_nothing_says_so(take):
    @dataclass
    class Silent(Agent):
        name: ClassVar[str] = "silent"

    with pytest.raises(NotImplementedError, match="Silent writes neither act nor act_many"):
        agent(Silent(), take).act(View(take, after(take, 0, 2), 0), np.zeros(1, np.uint64))


def test_a_game_with_other_terms_leaves_the_first_as_it_was():
    game = load("pivit")
    before = game.names["TERMS"]
    other = game.weighing(game.names["terms"], ("one",))
    assert other is not game
    assert (game.names["TERMS"], other.names["TERMS"]) == (before, 1)
