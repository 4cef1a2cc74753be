"""Compiling: an edited rule is never served stale, and what did not change is never compiled again."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import types
from enum import IntEnum
from pathlib import Path

import numpy as np
import pytest
from numba import njit

import ludus
from ludus import kernels
from ludus.compile import bind, cache_dir, cache_size, clean_cache, config, explained, fingerprint, rule, template
from ludus.files import load_module
from ludus.game import Game
from ludus.parts import squares
from ludus.rng import stream

GAME = '''
import numpy as np
import helpers
from helpers import double
from ludus.rules import Facts, Param, Params, record, rule

FACTS = Facts("Sums", players=(2, 2), max_actions=1, max_plies=1)
PARAMS = Params(level=Param(1, 0, 100, "a number that may be changed"))
State = record(params=PARAMS, players=np.int32, ruled=np.int32, own=np.int32, table=np.int32, helped=np.int32,
               deep=np.int32, outer=np.int32, level=np.int32)
OWN = 5
TABLE = np.array([10, 20, 30])

@rule
def setup(state, rng):
    state.ruled = 1
    state.own = OWN
    state.table = TABLE[1]
    state.helped = double(3)
    state.deep = helpers.triple(3)
    state.outer = helpers.OFFSET
    state.level = state.params.level

@rule
def to_act(state):
    return 0

@rule
def legal(state, player, out):
    out[0] = 0
    return 1

@rule
def step(state, actions, rng):
    pass

@rule
def returns(state, out):
    out[:] = 0.0
'''  # fmt: skip

HELPERS = """
from numba import njit

OFFSET = 7

@njit
def double(x):
    return 2 * x

@njit
def once(x):
    return x

@njit
def triple(x):
    return once(x) + double(x)
"""

RUN = """
import json, sys
import numpy as np
from ludus import kernels, load
from ludus.rules import field_names

found = []
for path in sys.argv[2:]:
    game = load(path)
    state = game.start(np.zeros((1, 3), np.uint64), 2, game.params.values({"level": sys.argv[1]}))[0]
    stats = game.kernel(kernels.set_up).stats
    numbers = {name: int(state[name]) for name in field_names(game.state_type) if name not in ("params", "players")}
    found.append([numbers, sum(stats.cache_hits.values()), sum(stats.cache_misses.values())])
print(json.dumps(found))
"""

FRESH = {"ruled": 1, "own": 5, "table": 20, "helped": 6, "deep": 9, "outer": 7, "level": 1}
HIT, MISS = (1, 0), (0, 1)


class Bench:
    """A folder with a game and its helper, played by fresh processes with a cache of their own."""

    def __init__(self, folder: Path, game: str = GAME, helpers: str = HELPERS):
        self.folder, self.cache = folder, folder / "cache"
        self.texts = {"sums.py": game, "helpers.py": helpers}
        for name, text in self.texts.items():
            (folder / name).write_text(text)

    def edit(self, name: str, old: str, new: str) -> None:
        assert self.texts[name].count(old) == 1
        (self.folder / name).write_text(self.texts[name].replace(old, new))

    def undo(self) -> None:
        for name, text in self.texts.items():
            (self.folder / name).write_text(text)

    def start(self, *paths: str, level: int = 1) -> subprocess.Popen:
        # Python keeps bytecode by the second of the last edit; edits here may follow each other faster.
        environment = {**os.environ, "NUMBA_CACHE_DIR": str(self.cache), "PYTHONDONTWRITEBYTECODE": "1"}
        arguments = [sys.executable, "-c", RUN, str(level), *(paths or ("sums.py",))]
        pipe = subprocess.PIPE
        return subprocess.Popen(arguments, cwd=self.folder, env=environment, stdout=pipe, stderr=pipe, text=True)

    def run(self, *paths: str, level: int = 1) -> list:
        """For each game its numbers, and how often the cache had them and had them not."""
        return self.answer(self.start(*paths, level=level))

    @staticmethod
    def answer(process: subprocess.Popen) -> list:
        out, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors
        return [(numbers, (hits, misses)) for numbers, hits, misses in json.loads(out)]

    def files(self) -> dict[str, bytes]:
        return {str(path): path.read_bytes() for path in self.cache.rglob("*") if path.is_file()}


# ------------------------------------------------------------------------------------------------ across processes


@pytest.fixture(scope="module")
def bench(tmp_path_factory) -> Bench:
    bench = Bench(tmp_path_factory.mktemp("bench"))
    assert bench.run() == [(FRESH, MISS)]
    return bench


EDITS = [
    pytest.param("sums.py", "state.ruled = 1", "state.ruled = 2", {"ruled": 2}, id="a rule"),
    pytest.param("sums.py", "OWN = 5", "OWN = 6", {"own": 6}, id="a constant"),
    pytest.param("sums.py", "[10, 20, 30]", "[10, 21, 30]", {"table": 21}, id="a table"),
    pytest.param("helpers.py", "2 * x", "4 * x", {"helped": 12, "deep": 15}, id="a helper"),
    pytest.param("helpers.py", "return x\n", "return -x\n", {"deep": 3}, id="a helper of a helper"),
    pytest.param("helpers.py", "OFFSET = 7", "OFFSET = 8", {"outer": 8}, id="a constant of another file"),
]


@pytest.mark.parametrize(("name", "old", "new", "changed"), EDITS)
def test_an_edit_is_seen(bench, name, old, new, changed):
    bench.edit(name, old, new)
    try:
        assert bench.run() == [({**FRESH, **changed}, MISS)]
    finally:
        bench.undo()


def test_undoing_an_edit_hits_the_cache_again(bench):
    bench.edit("helpers.py", "2 * x", "8 * x")
    assert bench.run() == [({**FRESH, "helped": 24, "deep": 27}, MISS)]
    bench.undo()
    kept = bench.files()
    assert bench.run() == [(FRESH, HIT)]
    assert bench.files() == kept


def test_a_changed_param_compiles_nothing(bench):
    kept = bench.files()
    assert bench.run(level=42) == [({**FRESH, "level": 42}, HIT)]
    assert bench.files() == kept


def test_processes_that_start_together_are_all_right(tmp_path):
    bench = Bench(tmp_path)
    started = [bench.start(level=level) for level in (3, 4)]
    assert [bench.answer(process)[0][0]["level"] for process in started] == [3, 4]
    assert bench.run() == [(FRESH, HIT)]


def test_games_with_the_same_layout_do_not_collide(tmp_path):
    """Same file name, same record, other rules: in one process and from one cache."""
    bench = Bench(tmp_path)
    for folder, number in [("first", 11), ("second", 12)]:
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "sums.py").write_text(GAME.replace("state.ruled = 1", f"state.ruled = {number}"))
    paths = ["first/sums.py", "second/sums.py"]  # the helper lies where the process starts
    first, second = {**FRESH, "ruled": 11}, {**FRESH, "ruled": 12}
    assert bench.run(*paths) == [(first, MISS), (second, MISS)]
    assert bench.run(*reversed(paths)) == [(second, HIT), (first, HIT)]


# ------------------------------------------------------------------------------------------------ fingerprints


def made(source: str, **scope):
    """The function `top` of a source that pretends to be a module."""
    names = {"__name__": "pretended", "np": np, "njit": njit, "IntEnum": IntEnum, **scope}
    exec(source, names)
    return names["top"]


def module(name: str, **values) -> types.ModuleType:
    made_up = types.ModuleType(name)
    vars(made_up).update(values)
    return made_up


CHANGES = {
    "a number in the code": ("def top(): return {}", 1, 2),
    "a sign of a number": ("def top(): return {}", 0.0, -0.0),
    "a type of a number": ("def top(): return {}", 1, 1.0),
    "a global": ("K = {}\ndef top(): return K", 1, 2),
    "a global's type": ("K = {}\ndef top(): return K", "np.int32(1)", "np.int64(1)"),
    "a table": ("K = np.array({})\ndef top(): return K[0]", [1, 2], [1, 3]),
    "a table's type": ("K = np.array([1, 2], {})\ndef top(): return K[0]", "np.int32", "np.uint32"),
    "a table's shape": ("K = np.zeros({})\ndef top(): return K", "(2, 3)", "(3, 2)"),
    "a tuple": ("K = (1, (2, {}))\ndef top(): return K", 3, 4),
    "a table in a tuple": ("K = (1, np.array([{}]))\ndef top(): return K", 3, 4),
    "a large table": ("K = np.arange(5000)\nK[2500] = {}\ndef top(): return K", 0, 1),
    "a default": ("def top(a={}): return a", 1, 2),
    "a closure": ("def outer(k):\n    def top(): return k\n    return top\ntop = outer({})", 1, 2),
    "an inner function": ("def top():\n    def inner(): return {}\n    return inner()", 1, 2),
    "an inner function's global": ("K = {}\ndef top():\n    def inner(): return K\n    return inner()", 1, 2),
    "a helper": ("@njit\ndef help(): return {}\ndef top(): return help()", 1, 2),
    "a helper of a helper": ("@njit\ndef a(): return {}\n@njit\ndef b(): return a()\ndef top(): return b()", 1, 2),
    "a helper's default": ("@njit\ndef help(a={}): return a\ndef top(): return help()", 1, 2),
    "which helper": ("a, b = njit(lambda: 1), njit(lambda: 2)\ndef top(): return {}()", "a", "b"),
    "an enumeration": ("class K(IntEnum):\n    ONE = {}\ndef top(): return K.ONE", 1, 2),
    "a way to compile": ("@njit(fastmath={})\ndef help(): return 1.0\ndef top(): return help()", False, True),
}  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
def test_the_fingerprint_sees(change):
    source, before, after = CHANGES[change]
    first, second = (fingerprint(made(source.format(value))) for value in (before, after))
    assert first != second
    assert first == fingerprint(made(source.format(before)))


@pytest.mark.parametrize("path", ["helpers.NUMBER", "helpers.help()", "helpers.inner.NUMBER", "helpers.inner.help()"])
def test_the_fingerprint_sees_through_modules(path):
    prints = set()
    for number in (1, 2):
        values = {"NUMBER": number, "help": made(f"@njit\ndef top(): return {number}")}
        helpers = module("helpers", inner=module("helpers.inner", **values), **({} if "inner" in path else values))
        prints.add(fingerprint(made(f"def top(): return {path}", helpers=helpers)))
    assert len(prints) == 2


def test_the_fingerprint_is_blind_to_what_is_not_compiled_in():
    plain = fingerprint(made("K = 1\ndef top(): return K"))
    assert fingerprint(made("# a comment\n\nUNUSED = 3\nK = 1\ndef top():\n    return K  # another")) == plain


@pytest.mark.parametrize(("flag", "value"), [("BOUNDSCHECK", 1), ("OPT", 0)])
def test_the_fingerprint_sees_flags(monkeypatch, flag, value):
    """Code that was compiled without checks must not be served to somebody who asks for them."""
    before = fingerprint(made("def top(): return 1"))
    monkeypatch.setattr(config, flag, value)
    assert fingerprint(made("def top(): return 1")) != before


def test_recursion_has_a_fingerprint():
    source = "@njit\ndef top(n): return n if n < 2 else top(n - 1) + {}"
    assert fingerprint(made(source.format(1))) != fingerprint(made(source.format(2)))


# ------------------------------------------------------------------------------------------------ templates


def worth(x):
    """What a game writes; `bind` puts the game's own function here."""


LIMIT = 0


@template
def doubled(x):
    return 2 * worth(x)


@template
def summed(n):
    total = LIMIT
    for x in range(n):
        total += doubled(x)
    return total


@rule
def plain_worth(x):
    return x


@rule
def square_worth(x):
    return x * x


def test_templates_call_templates():
    plain = bind(summed, {"worth": plain_worth, "LIMIT": 100}, "plain")
    square = bind(summed, {"worth": square_worth, "LIMIT": 1}, "square")
    assert [plain(4), square(4)] == [112, 29]
    assert LIMIT == 0
    assert worth(1) is None


def test_a_game_may_write_a_template_itself():
    @template
    def tripled(x):
        return 3 * worth(x)

    assert bind(summed, {"worth": plain_worth, "doubled": tripled}, "plain")(4) == 18


def test_in_plain_python_a_template_is_bound_and_not_compiled(monkeypatch):
    monkeypatch.setattr(config, "DISABLE_JIT", 1)
    bound = bind(summed, {"worth": lambda x: x + 1, "LIMIT": 100}, "plain")
    assert isinstance(bound, types.FunctionType)
    assert bound(2) == 106


def test_what_has_no_name_to_import_runs_uncached(tmp_path, monkeypatch):
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path / "cache"))  # nobody else writes here
    bench = Bench(tmp_path)
    sys.modules["helpers"] = load_module(tmp_path / "helpers.py")
    try:
        game = load_module(tmp_path / "sums.py")
        del sys.modules[game.__name__]
        loose = Game(game, "sums")
        before = cache_size()
        state = loose.start(np.array([stream(1)]), 2)[0]
    finally:
        del sys.modules["helpers"]
        sys.path.remove(str(bench.folder))
    assert state.deep == 9
    assert not loose.kernel(kernels.set_up).stats.cache_path
    assert cache_size() == before


def test_params_share_one_signature():
    game = Game(load_module(Path(__file__).parent / "example_games" / "three_hands.py"), "three_hands")
    words = np.array([stream(1)])
    for bonus in (0, 1, 5):
        assert game.start(words, 3, game.params.values({"bonus": bonus}))[0].params.bonus == bonus
    assert len(game.kernel(kernels.set_up).signatures) == 1


# ------------------------------------------------------------------------------------------------ the cache


def test_the_cache_can_be_measured_and_emptied(monkeypatch, tmp_path):
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path / "kernels"))
    assert cache_size() == (0, 0)
    (tmp_path / "kernels" / "inner").mkdir(parents=True)
    (tmp_path / "kernels" / "inner" / "one").write_bytes(b"12345")
    (tmp_path / "beside").write_bytes(b"1")
    assert cache_size() == (1, 5)
    clean_cache()
    clean_cache()
    assert cache_size() == (0, 0)
    assert (tmp_path / "beside").exists()


def test_the_cache_lies_in_the_user_s_folder(monkeypatch, tmp_path):
    monkeypatch.setattr(config, "CACHE_DIR", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_dir() == tmp_path / "ludus" / "kernels"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_dir() == Path.home() / ".cache" / "ludus" / "kernels"


def _damage(cache: Path, ending: str) -> None:
    for path in cache.rglob(f"*{ending}"):
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


@pytest.mark.parametrize("ending", [".nbi", ".nbc"])
def test_a_damaged_cache_is_a_miss_that_mends_itself(bench, ending):
    _damage(bench.cache, ending)
    assert bench.run() == [(FRESH, MISS)]
    assert bench.run() == [(FRESH, HIT)]


def test_a_cache_that_cannot_be_written_is_done_without(bench, monkeypatch, tmp_path):
    (tmp_path / "cache").write_text("a file, where a folder should be")
    monkeypatch.setattr(bench, "cache", tmp_path / "cache")
    [(numbers, (hits, _))] = bench.run()
    assert (numbers, hits) == (FRESH, 0)


def test_a_second_checkout_hits_the_cache(bench, monkeypatch, tmp_path):
    """Names in the cache say what is compiled and nothing of where Ludus lies."""
    bench.run()
    package = Path(ludus.__file__).parent
    shutil.copytree(package, tmp_path / "ludus", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert bench.run() == [(FRESH, HIT)]


MEET = """
import pathlib, sys
import numpy as np
from ludus import kernels, load
from ludus.rng import match_words

text, found = pathlib.Path("original.txt").read_text(), []
for new in sys.argv[1:]:
    pathlib.Path("three_hands.py").write_text(text.replace("    shuffle(rng, loose, n)\\n", new))
    game = load("three_hands.py")
    words = match_words(1, np.arange(8), 0, 3)
    worlds = np.zeros(8, game.state_type)
    worlds["place"], worlds["hand_count"] = 5, 3
    game.kernel(kernels.guess_worlds)(worlds, np.zeros(8, np.int64), words[:, 1:2].copy())
    found.append(worlds["place"].tolist())
print(found)
"""


def test_two_states_of_a_file_meet_in_one_process(tmp_path):
    """Each was compiled by a process of its own, in which Numba counted its functions alike."""
    (tmp_path / "original.txt").write_text((Path(__file__).parent / "example_games" / "three_hands.py").read_text())

    def guess(cache: str, *edits: str) -> list:
        environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / cache), "PYTHONDONTWRITEBYTECODE": "1"}
        words = [sys.executable, "-c", MEET, *edits]
        done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
        return json.loads(done.stdout)

    edits = "", "    loose[:n] = loose[:n][::-1].copy()\n"
    apart = [guess(f"cache{k}", edit)[0] for k, edit in enumerate(edits)]
    shutil.copytree(tmp_path / "cache1", tmp_path / "cache0", dirs_exist_ok=True)
    assert apart[0] != apart[1]
    assert guess("cache0", *edits) == apart


# ------------------------------------------------------------------------------------------------ compiled once


@rule
def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


@template
def leaf(n):
    return fibonacci(n)


@template
def left(n):
    return leaf(n)


@template
def root(n):
    return left(n) + leaf(n)


@pytest.mark.skipif(bool(config.DISABLE_JIT), reason="nothing is compiled")
def test_what_several_templates_call_is_compiled_once():
    kernel = bind(root, {}, "sums")
    inner = kernel.py_func.__globals__
    assert inner["leaf"] is inner["left"].py_func.__globals__["leaf"]
    assert bind(root, {}, "sums").py_func.__globals__["leaf"] is inner["leaf"]
    assert kernel(10) == 110


@pytest.mark.skipif(bool(config.DISABLE_JIT), reason="nothing is compiled")
def test_a_rule_that_only_compiled_code_calls_has_no_door_for_python(tmp_path, monkeypatch):
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path))
    bind(left, {}, "sums")(12)
    assert fibonacci.inside.signatures
    assert not fibonacci.signatures
    assert fibonacci(10) == 55
    assert fibonacci.signatures


# ------------------------------------------------------------------------------------------------ in plain words

BOARD, WORTH, LIST, TABLE = squares(2, 2), {1: 2}, [1], np.zeros(1, np.int32)


def helper(number):
    return number


def writes(number):
    TABLE[0] = number


SLIPS = [
    (lambda number: helper(number), "it calls `helper`, which is not marked @rule"),
    (lambda number: number + BOARD.cells, "it reads `BOARD`, a Board; from outside a rule sees numbers, tuples and"),
    (lambda number: WORTH[number], "it reads `WORTH`, a dict; from outside"),
    (lambda number: LIST[number], "it reads `LIST`, a list; from outside"),
    (lambda number: any(k == number for k in (1, 2)), "what `any(… for …)` and the like do must be written as a loop"),
    (writes, "it writes into an array of the file; what changes belongs into State"),
]


@pytest.mark.parametrize(("function", "sentence"), SLIPS)
def test_common_slips_are_told_without_the_words_of_numba(function, sentence):
    with pytest.raises(Exception) as caught:  # noqa: PT011
        njit(function)(1)
    assert explained(caught.value).startswith(sentence)
    assert f"{Path(__file__).name}, line" in explained(caught.value)
