"""The conformance suite, tested by planted faults: each is found, named, and shown again by the command it prints.

A fault is an edit of a small example game. All edits of a game are played from one file, whose place stays the same
from run to run: only the rules that an edit touches are compiled, and only the first time.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from ludus.catalogue import load
from ludus.errors import BadInput, BadRules
from ludus.files import load_module
from ludus.game import Game
from ludus.testing import CHECKS, Failure, Report, check_apart, check_game, settings_of
from ludus.testing.declared import check_declared
from ludus.testing.plain import play_plainly
from ludus.testing.positions import Walk

EXAMPLES = Path(__file__).parents[1] / "example_games"
CLASSICS = ["tic_tac_toe", "connect_four", "breakthrough", "kuhn_poker", "goofspiel"]
SEED, MATCHES = 7, 4


@pytest.fixture(scope="module")
def plant(request, tmp_path_factory):
    """Plays gardener: writes an example game with some edits, and gives back the game."""
    store = getattr(request.config, "cache", None)
    worker = os.environ.get("PYTEST_XDIST_WORKER", "alone")
    folder = store.mkdir(f"faults-{worker}") if store else tmp_path_factory.mktemp("faults")

    def write(name: str, *edits: tuple[str, str]) -> Game:
        text = (EXAMPLES / name).read_text()
        for old, new in edits:
            assert text.count(old) == 1, f"{old!r} is {text.count(old)} times in {name}"
            text = text.replace(old, new)
        (folder / name).write_text(text)
        return Game(load_module(folder / name), str(folder / name))

    # Edits follow each other within a second, and bytecode is kept by the second.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "dont_write_bytecode", True)
        patch.setattr(sys, "path", list(sys.path))
        patch.setenv("PYTHONDONTWRITEBYTECODE", "1")
        yield write


def whole(game: str | Game, **settings) -> Report:
    *_, report = check_game(game, **settings)
    return report


def first_failure(game: Game, check: str, parts: Iterator[Report] | None = None) -> Failure:
    """Look only as far as the fault: what comes after it takes longer."""
    report = Report("")
    for report in parts or check_game(game, matches=MATCHES, seed=SEED):
        for failure in report.failures:
            if failure.check == check:
                return failure
    raise AssertionError(f"{check} was not found, only {report.failures}")


def walked(game: Game) -> Iterator[Report]:
    """Compiled matches alone: much of what they find, the plain run before them would find first."""
    report = Report(game.source)
    for setting in settings_of(game, SEED, MATCHES):
        for _ in Walk(report, game, setting, None).plies():
            yield report
    yield report


def again(game: Game, failure: Failure) -> set[str]:
    """The checks that fail when the printed command is given."""
    words = shlex.split(failure.command)
    assert words[:3] == ["ludus", "check", game.source]
    options = dict(zip(words[3::2], words[4::2]))
    assert set(options) == {"--preset", "--players", "--seed", "--match"}
    report = whole(
        game,
        preset=options["--preset"],
        players=int(options["--players"]),
        seed=int(options["--seed"]),
        match=int(options["--match"]),
    )
    return {failure.check for failure in report.failures}


# ------------------------------------------------------------------------------------------------ what is right passes


def test_a_clean_game_passes_every_check(plant):
    hands = whole(plant("three_hands.py"), matches=MATCHES)
    row = whole(plant("row.py"), matches=MATCHES)
    assert hands.failures == row.failures == []
    made = {check for report in (hands, row) for check, times in report.passed.items() if times}
    assert made == set(CHECKS) - {"survives", "picture"}  # neither draws
    assert hands.ok


def test_the_smallest_game_passes():
    assert whole(str(EXAMPLES / "take.py"), matches=2).failures == []


@pytest.mark.parametrize("name", CLASSICS)
def test_the_classics_pass(name):
    assert whole(name, matches=2, preset="default").failures == []


def test_every_preset_and_number_of_players_is_a_setting():
    take, hands = (load(str(EXAMPLES / name)) for name in ("take.py", "three_hands.py"))
    assert [(s.preset, s.players) for s in settings_of(take, 0, 9)] == [("default", n) for n in (2, 3, 4)]
    assert [(s.preset, s.players) for s in settings_of(hands, 0, 9)] == [("default", 3), ("rich", 3)]
    assert [(s.preset, s.players) for s in settings_of(hands, 0, 9, preset="rich")] == [("rich", 3)]
    with pytest.raises(BadInput, match="for 3 players, not 2"):
        settings_of(hands, 0, 9, players=2)


def test_a_single_match_of_a_clean_game_passes(plant):
    game = plant("three_hands.py")
    assert all(whole(game, seed=SEED, match=match).ok for match in range(12))


def test_guesses_that_agree_by_luck_are_no_failure():
    """In a single match of Kuhn poker all guesses at the rival's card may be the same."""
    reports = [whole("kuhn_poker", seed=seed, match=0) for seed in range(50, 100)]
    assert any(not report.passed.get("worlds_vary") for report in reports)
    assert all(report.ok for report in reports)


# ------------------------------------------------------------------------------------------------ faults at a position


@dataclass(frozen=True)
class Fault:
    check: str
    function: str
    edits: tuple[tuple[str, str], ...]
    game: str = "three_hands.py"


def fault(check: str, function: str, *edits: tuple[str, str], game: str = "three_hands.py") -> Fault:
    return Fault(check, function, edits, game)


MENU = "            n += 1\n    return n\n"
IS_LEGAL = "@rule\ndef is_legal(state, player, action):\n    return {}\n\n\n@rule\ndef returns"

FAULTS = {
    # secrets
    "hide leaves face-down cards": fault("twin", "hide", ("if where == DOWN or (", "if (")),
    "hide leaves rivals' hands": fault(
        "twin", "hide", ("where == DOWN or (in_rival_hand and", "where == DOWN or (False and")
    ),
    "hide masks public cards": fault(
        "valid", "determinize", ("(in_rival_hand and state.open[card] == 0)", "in_rival_hand")
    ),
    "hide masks own cards": fault("view_legal", "legal", ("where < PILE and where != player\n", "where < PILE\n")),
    "hide is not idempotent": fault(
        "hide", "hide", ("        in_rival_hand =", "        state.top += 1\n        in_rival_hand =")
    ),
    "determinize moves public cards": fault(
        "round_trip",
        "determinize",
        ("        if where == UNKNOWN:", "        if where == UNKNOWN or state.open[card] == 1:"),
    ),
    "determinize ignores hand sizes": fault(
        "valid", "determinize", ("while held[rival] < state.hand_count[rival]:", "while n > 0 and held[rival] < HAND:")
    ),
    "determinize leaves unknowns": fault("valid", "determinize", ("    while n > 0:\n", "    while n > 1:\n")),
    "determinize leaves nothing face down": fault(
        "valid", "determinize", ("        state.place[loose[n]] = DOWN", "        state.place[loose[n]] = player")
    ),
    "twin does nothing and says otherwise": fault(
        "twin",
        "twin",
        ("    state.place[closed] = DOWN\n    return True", "    state.place[down] = DOWN\n    return True"),
    ),
    "observe peeks": fault(
        "observe", "observe", ("out[card] = state.place[card] == player", "out[card] = state.place[card] == DOWN")
    ),
    "observe is not finite": fault("observe", "observe", ("= state.points[(player + k) % 3]\n", "= np.inf\n")),
    # menus and turns
    "legal repeats an action": fault(
        "legal",
        "legal",
        (MENU, MENU.replace("return n", "if n < 3:\n        out[n] = out[0]\n        n += 1\n    return n")),
    ),
    "legal has no action": fault("legal", "legal", (MENU, MENU.replace("return n", "return 0"))),
    "legal has a negative action": fault(
        "legal", "legal", ("            out[n] = card", "            out[n] = -1 - card")
    ),
    "legal lists more than max_actions": fault("legal", "legal", ("max_actions=3", "max_actions=2")),
    "legal writes behind its buffer": fault(
        "overrun", "legal", (MENU, MENU.replace("return n", "out[3] = 0\n    return n"))
    ),
    "is_legal denies the menu": fault("legal", "is_legal", ("@rule\ndef returns", IS_LEGAL.format("action != 0"))),
    "is_legal allows everything": fault("legal", "is_legal", ("@rule\ndef returns", IS_LEGAL.format("True"))),
    "to_act names nobody": fault(
        "to_act", "to_act", ("return 1 << (state.plies % 3)", "return 1 << (state.plies % 3) | 8")
    ),
    "to_act is negative": fault("to_act", "to_act", ("return 1 << (state.plies % 3)", "return -1")),
    # steps and ends
    "step counts wrongly": fault("valid", "step", ("state.hand_count[player] -= 1", "state.hand_count[player] -= 2")),
    "setup counts wrongly": fault("valid", "setup", ("state.hand_count[:] = HAND", "state.hand_count[:] = HAND + 1")),
    "step writes outside its state": fault(
        "overrun", "step", ("    state.plies += 1", "    state.plies += 1\n    state.open[CARDS + 1] = 7")
    ),
    "a match is one ply too long": fault("ends", "step", ("max_plies=9", "max_plies=8")),
    "returns do not sum to zero": fault("returns", "returns", ("(3 * share - 1) / 2", "share")),
    "returns are out of range": fault("returns", "returns", ("(3 * share - 1) / 2", "3 * share - 1")),
    "returns write behind the last seat": fault(
        "overrun", "returns", ("    best = state.points.max()\n", "    best = state.points.max()\n    out[3] = 0.0\n")
    ),
    "heuristic is out of range": fault("heuristic", "heuristic", ("/ 15.0", "/ 0.5")),
    "heuristic is no number": fault("heuristic", "heuristic", ("/ 15.0", "* np.nan")),
    # boards that can be turned
    "reflect_action forgets to turn": fault(
        "symmetry", "reflect", ("return 4 - action", "return action"), game="row.py"
    ),
    "reflect does not commute": fault(
        "symmetry",
        "reflect",
        ("        held = state.board[cell]", "        held = 2 * state.board[cell] % 3"),
        game="row.py",
    ),
    "step favours a side": fault(
        "symmetry", "reflect", ("for left in range(4):", "for left in range(3):"), game="row.py"
    ),
    # notation
    "an action reads as another": fault("notation", "notation", ("return int(word)", "return 10 - int(word)")),
    "an action does not read": fault("notation", "notation", ('return f"card {action}"', 'return f"king {action}"')),
    "a position forgets a field": fault(
        "notation", "notation", ('WRITTEN = ("plies", "top", ', 'WRITTEN = ("plies", ')
    ),
    "notation raises an error": fault("notation", "notation", ('return f"card {action}"', "return {}[action]")),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_found_named_and_shown_again(plant, name):
    planted = FAULTS[name]
    game = plant(planted.game, *planted.edits)
    failure = first_failure(game, planted.check, walked(game))
    place = re.match(
        r"`(\w+)` in match (\d+) at ply (\d+) \(preset default, (\d) players, seed 7\): \S.+", failure.sentence
    )
    assert place, failure.sentence
    assert place[1] == planted.function
    assert int(place[2]) < MATCHES
    assert int(place[3]) <= game.facts.max_plies
    assert f" --players {place[4]} --seed 7 --match {place[2]}" in failure.command
    assert planted.check in again(game, failure)


def test_a_leak_is_called_a_leak(plant):
    failure = first_failure(plant("three_hands.py", *FAULTS["hide leaves rivals' hands"].edits), "twin")
    assert re.search(
        r"a leak: the view of seat \d changes when things that it cannot know are swapped", failure.sentence
    )


def test_a_match_that_nobody_can_end_does_not_hang_the_suite(plant):
    """Somebody who is no player owes the last action: no stepper would ever get it."""
    edit = ("        return 0\n    return 1 <<", "        return 8\n    return 1 <<")
    report = whole(plant("three_hands.py", edit), matches=2)
    assert "to_act" in {failure.check for failure in report.failures}


# ------------------------------------------------------------------------------------------------ faults of a game


def test_a_determinize_that_never_shuffles_is_found(plant):
    failure = first_failure(plant("three_hands.py", ("    shuffle(rng, loose, n)\n", "")), "worlds_vary")
    assert "determinize gave the same world" in failure.sentence
    assert "--match" not in failure.command


def test_a_hidden_game_must_write_twin(plant):
    failure = first_failure(plant("three_hands.py", ("def twin(", "def swap(")), "twin")
    assert "must write `twin`" in failure.sentence


def test_a_twin_that_never_swaps_is_found(plant):
    failure = first_failure(plant("three_hands.py", ("    if closed < 0:\n", "    if closed < 99:\n")), "twin")
    assert "`twin` never swapped anything" in failure.sentence


HIDE = "@rule\ndef hide(state, player):\n    pass\n\n\n@rule\ndef returns"
FIELDS = '[("players", np.int32), ("plies", np.int32), ("winner", np.int32), ("board", np.int8, {})]'
RECORD = "record(players=np.int32, plies=np.int32, winner=np.int32, board=(np.int8, 5))"


NESTED = 'inner=np.dtype([("a", np.int8), ("b", np.int64)], align=True), players='


@pytest.mark.parametrize(
    ("edit", "sentence"),
    [
        ((RECORD, f"np.dtype((np.record, np.dtype({FIELDS.format(5)}, align=True)))"), "State has 3 nameless bytes"),
        ((RECORD, f"np.dtype((np.record, {FIELDS.format(8)}))"), "State is not made of whole 64-bit words"),
        ((RECORD, RECORD.replace("players=", NESTED)), "State has 7 nameless bytes"),
        (("@rule\ndef returns", HIDE), "so FACTS must say hidden=True"),
    ],
)
def test_a_record_made_by_hand_is_found(plant, edit, sentence):
    report = next(check_game(plant("row.py", edit), matches=1))
    assert [failure.check for failure in report.failures] == ["layout"]
    assert sentence in report.failures[0].sentence


COUNT = "    state.plies += 1\n"
UNCOMPILED = {
    "No implementation of function": "    state.plies += len({1: 2}.keys() & {2})\n",
    "it calls `helper`, which is not marked @rule": "    state.plies = helper(state.plies)\n",
}
HELPER = ("SYMMETRIES = 2\n", "SYMMETRIES = 2\n\n\ndef helper(number):\n    return number + 1\n")


@pytest.mark.parametrize("sentence", UNCOMPILED)
def test_rules_that_do_not_compile_are_found_with_their_place(plant, sentence):
    new = UNCOMPILED[sentence]
    game = plant("row.py", (COUNT, new), HELPER)
    failure = first_failure(game, "compiles")
    line = next(n for n, text in enumerate(Path(game.source).read_text().splitlines(), 1) if new.strip() in text)
    assert failure.sentence.startswith("`step`: ")
    assert sentence in failure.sentence
    assert failure.sentence.endswith(f"row.py, line {line})")


# ------------------------------------------------------------------------------------------------ the same match thrice


PLAIN = {
    "a small number overflows": ("step", [
        ("board=(np.int8, 5))", "board=(np.int8, 5), tally=np.int8)"),
        ("    state.plies += 1\n", "    state.plies += 1\n    state.tally += 60\n"),
    ], "overflow"),
    "step reads behind an array": ("step", [
        ("for left in range(4):", "for left in range(5):"),
    ], "IndexError"),
    "observe reads behind an array": ("observe", [
        ("SYMMETRIES = 2", "FEATURES = 6\n\n\n@rule\ndef observe(state, player, out):\n    for cell in range(6):\n"
                           "        out[cell] = 0 * state.board[cell]\n\n\nSYMMETRIES = 2"),
    ], "IndexError"),
}  # fmt: skip


@pytest.mark.parametrize("name", PLAIN)
def test_what_only_plain_python_notices_is_found_with_its_place(plant, name):
    function, edits, error = PLAIN[name]
    game = plant("row.py", *edits)
    failure = first_failure(game, "plain")
    assert error in failure.sentence
    assert re.search(rf"row\.py, line \d+, in {function}", failure.sentence)
    assert failure.command.startswith("ludus check")


OBSERVE = "@rule\ndef observe(state, player, out):\n    for cell in range(5):\n        {}\n\n\nSYMMETRIES = 2"
DECLARED = {
    "a longer menu": ("max_actions=5", "max_actions=3", "; the menu has more than max_actions = 3 entries ("),
    "more features": ("SYMMETRIES = 2", f"FEATURES = 4\n{OBSERVE.format('out[cell] = 0.0')}",
                      "; `observe` writes behind FEATURES, 4 numbers: declare it for the largest board ("),
    "a field of that size": ("    for cell in range(5):\n        if", "    for cell in range(6):\n        if",
                             "index 5 is out of bounds for axis 0 with size 5 ("),
}  # fmt: skip


@pytest.mark.parametrize("name", DECLARED)
def test_a_declared_number_that_is_too_small_is_named(plant, name):
    old, new, sentence = DECLARED[name]
    assert sentence in first_failure(plant("row.py", (old, new)), "plain").sentence


def test_the_command_names_the_preset_that_failed(plant):
    presets = "State = record(params=PARAMS", 'PRESETS = {"large": {"stones": 20}}\nState = record(params=PARAMS'
    game = plant("take.py", presets, ("    out[0] = 1\n", "    out[state.params.stones // 10] = 1\n"))
    failure = first_failure(game, "plain")
    assert "--preset large --players 2 " in failure.command
    assert failure.sentence.startswith("in plain Python, preset large: IndexError")


def test_features_that_keep_what_another_position_left_are_found(plant):
    marks = OBSERVE.format("if state.board[cell]:\n            out[cell] = 1.0")
    failure = first_failure(plant("row.py", ("SYMMETRIES = 2", f"FEATURES = 5\n{marks}")), "shape")
    assert "leaves some of its 5 features as they were" in failure.sentence


SHAPES = "from ludus.shapes import flat\n\n\ndef shapes(params, players):\n    return {}\n\n\nSYMMETRIES = 2"


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ("flat(9), flat(5)", "`shapes` gives 9 numbers, and FEATURES has room for 5; declare FEATURES for the largest"),
        ("flat(5), 8", "`shapes` gives 8 numbers, and POLICY has room for 5; declare POLICY for the largest board"),
        ("flat(5)", "`shapes` gives two shapes"),
        ("flat(5) / 2, 5", "`shapes` raises TypeError"),
    ],
)
def test_shapes_need_room_and_say_how_much(plant, given, sentence):
    written = OBSERVE.format("out[cell] = 0.0").replace("SYMMETRIES = 2", SHAPES.format(given))
    report = next(check_game(plant("row.py", ("SYMMETRIES = 2", f"FEATURES = POLICY = 5\n{written}")), matches=1))
    assert [failure.check for failure in report.failures] == ["shape"]
    assert sentence in report.failures[0].sentence
    with pytest.raises(BadRules, match="writes observe but declares no FEATURES; declare FEATURES for the largest"):
        plant("row.py", ("SYMMETRIES = 2", written))


PICTURE = """from ludus.draw.canvas import Picture


def draw(view, before):
    made = Picture(10, 10, "a row")
    for cell in range(5):
        with made.part(f"cell-{cell}", str(cell)):
            pass
    return made


def clicks(view, action):
    return (f"cell-{10 * action}",)


SYMMETRIES = 2"""


def test_clicks_on_what_is_not_drawn_are_found(plant):
    failure = first_failure(plant("row.py", ("SYMMETRIES = 2", PICTURE)), "picture")
    said = "action 1 is a click on 'cell-10', and `draw` makes no such part; it makes cell-0, cell-1"
    assert said in failure.sentence
    assert whole(plant("row.py", ("SYMMETRIES = 2", PICTURE.replace("10 * ", ""))), matches=2).ok


def test_arithmetic_that_differs_in_plain_python_is_found(plant):
    """Compiled code shifts 64 bits, NumPy 32, and neither complains."""
    edits = [
        ("board=(np.int8, 5))", "board=(np.int8, 5), tally=np.int32)"),
        ("    state.plies += 1\n", "    state.plies += 1\n    state.tally = (state.plies << 33) >> 33\n"),
    ]
    failure = first_failure(plant("row.py", *edits), "plain")
    assert failure.sentence == "match 0 ends differently in plain Python (seed 7, preset default)"
    assert failure.command.endswith("--seed 7 --match 0")


def test_randomness_that_is_not_handed_in_is_found(plant):
    """The global generator goes on from match to match, so that no match can be played again."""
    game = plant("three_hands.py", ("    shuffle(rng, deck, CARDS)", "    np.random.shuffle(deck)"))
    failed = {failure.check for failure in whole(game, matches=2, preset="default").failures}
    assert failed & {"bulk", "same_seed", "plain"}


# ------------------------------------------------------------------------------------------------ what FACTS claims


CLAIMS = {
    "step draws random numbers, so FACTS must say chance=True": (
        "row.py", ("    state.plies += 1\n", "    state.plies += 1 + 0 * below(rng, 2)\n"),
    ),
    "setup draws random numbers, so FACTS must say chance=True": (
        "row.py", ("def setup(state, rng):\n    pass\n", "def setup(state, rng):\n    below(rng, 2)\n"),
    ),
    "to_act several players owe an action, so FACTS must say simultaneous=True": (
        "row.py", ("else 1 << (state.plies & 1)", "else 3"),
    ),
    "step draws random numbers, though `deterministic` has said that no dice fall any more": (
        "row.py", ("    state.plies += 1\n", "    state.plies += 1 + 0 * below(rng, 2)\n"),
        ("max_plies=5)", "max_plies=5, chance=True)"),
        ("SYMMETRIES = 2", "@rule\ndef deterministic(state):\n    return True\n\n\nSYMMETRIES = 2"),
    ),
}  # fmt: skip
BELOW = ("import numpy as np\n", "import numpy as np\n\nfrom ludus.rng import below\n")


@pytest.mark.parametrize("sentence", CLAIMS)
def test_a_false_claim_is_found(plant, sentence):
    name, *edits = CLAIMS[sentence]
    failure = first_failure(plant(name, BELOW, *edits), "facts", walked(plant(name, BELOW, *edits)))
    function, _, what = sentence.partition(" ")
    assert failure.sentence.startswith(f"`{function}` in match ")
    assert failure.sentence.endswith(what)


def test_a_claim_that_nothing_bore_out_is_noted(plant):
    game = plant("row.py", ("max_plies=5)", "max_plies=5, chance=True, simultaneous=True, zero_sum=False)"))
    report = whole(game, matches=2)
    assert report.ok
    assert [note.split(",")[0] for note in report.notes] == [
        "FACTS says chance", "FACTS says simultaneous", "FACTS says zero_sum=False",
    ]  # fmt: skip


@pytest.mark.parametrize("edit", [("players=(3, 3)", "players=(3, 2)"), ("max_plies=9", "max_plies=0")])
def test_numbers_that_make_no_game_are_found(plant, edit):
    report = Report("")
    check_declared(report, plant("three_hands.py", edit))
    assert [failure.check for failure in report.failures] == ["facts"]


def test_the_range_of_payoffs_is_that_of_the_number_of_players(plant):
    """With three players, -1 for a loser would be a negative share of the point, and no match could be scored."""
    game = plant("three_hands.py", ("(3 * share - 1) / 2", "1.0 if share == 1 else -1.0"))
    sentence = first_failure(game, "returns", walked(game)).sentence
    assert "payoffs of 3 players lie in [-0.5, 1]: 1 for a sole winner, -1/(n-1) for the others; not [[" in sentence


# ------------------------------------------------------------------------------------------------ survival


def test_a_wild_index_is_found_before_anything_is_compiled(plant):
    game = plant("row.py", ("    state.plies += 1\n", "    state.plies += 1\n    state.board[70_000_000] = 1\n"))
    report = whole(game, matches=2)
    assert [failure.check for failure in report.failures] == ["plain"]
    assert re.search(r"IndexError: .*70000000.*row\.py, line \d+, in step", report.failures[0].sentence)
    assert "compiles" not in report.passed


def test_an_empty_menu_is_the_games_fault(plant):
    game = plant("row.py", (MENU, MENU.replace("return n", "return n if n > 3 else 0")))
    failure = first_failure(game, "plain")
    assert "`legal` gives player 0 no action, though `to_act` says that it owes one" in failure.sentence


def test_a_rule_that_never_ends_is_found_with_its_place(plant):
    game = plant("row.py", (COUNT, f"{COUNT}    while state.plies > 2:\n        pass\n"))
    report = Report("")
    assert play_plainly(report, game, settings_of(game, SEED, MATCHES), patience=0.5) == []
    assert re.search(r"a rule does not come to an end \(.*row\.py, line \d+, in step\)", report.failures[0].sentence)


# Compiled code alone does this: the plain run before it finds nothing.
UNSEEN = ("SYMMETRIES = 2", "import os\n\nPLAIN = 'NUMBA_DISABLE_JIT' in os.environ\nSYMMETRIES = 2")


@pytest.mark.parametrize(
    ("act", "patience", "sentence"),
    [
        ("state.board[-70_000_000 - state.plies] = 1", 60, "ended their process"),
        ("while state.plies > 2:\n            state.plies |= 3", 3, "does not come to an end"),
    ],
)
def test_what_ends_the_other_process_is_a_failure(plant, act, patience, sentence):
    game = plant("row.py", (COUNT, f"{COUNT}    if not PLAIN:\n        {act}\n"), UNSEEN)
    *_, report = check_apart(game.source, patience=patience, matches=2)
    assert [failure.check for failure in report.failures] == ["survives"]
    assert sentence in report.failures[0].sentence


def test_the_other_process_says_what_cannot_be():
    with pytest.raises(BadInput, match="no game is called 'tic_tac_toes'; did you mean tic_tac_toe"):
        list(check_apart("tic_tac_toes"))
