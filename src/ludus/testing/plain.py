"""Matches in plain Python, before anything is compiled: there a wrong index, a division by zero or an overflow is an
error with a place, where compiled code would write at random. They run in a process of their own, for a process either
compiles or does not, and for a bounded time, for a rule may never end."""

from __future__ import annotations

import hashlib
import json
import os
import re
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from ludus import kernels
from ludus.catalogue import load
from ludus.errors import BadRules
from ludus.game import Game
from ludus.rng import match_words
from ludus.testing.report import Report, Setting

PLAIN_SECONDS = 10.0
QUICK_SECONDS, QUICK_MATCHES = 1.0, 4
PATIENCE = 20.0
"""Seconds of computing, by the processor's clock, after which a look at one position will never end."""

Digests = list[list[str]]
"""For each setting a digest of every match that was played."""


def play_plainly(
    report: Report, game: Game, settings: Sequence[Setting], patience: float = PATIENCE, seconds: float = PLAIN_SECONDS
) -> Digests:
    """Play some matches of each setting; none are left where a rule raises an error."""
    order = {"game": game.source, "seconds": seconds / len(settings), "patience": patience,
             "settings": [vars(setting) for setting in settings]}  # fmt: skip
    child = subprocess.run(
        [sys.executable, "-W", "error", "-m", "ludus.testing"],
        input=json.dumps(order), capture_output=True, text=True, env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
    )  # fmt: skip
    found = [json.loads(line) for line in child.stdout.splitlines()]
    if child.returncode != 0:
        failed = settings[min(len(found), len(settings) - 1)]
        report.fail("plain", _sentence(child.stderr, game, failed), failed.command(game))
        return []
    return found


def refuse_unsound(game: Game, values: Mapping[str, object], players: int) -> None:
    """A quick look before compiled code plays thousands of matches: where an index is out of range, it would write at
    random and end the process without a word."""
    game.shapes(players, values)
    report = Report(game.source)
    play_plainly(report, game, [Setting("default", players, 0, QUICK_MATCHES, values)], seconds=QUICK_SECONDS)
    for failure in report.failures:
        raise BadRules(f"{failure.sentence}; `ludus check {game.source}` until it says ok")


def _sentence(trace: str, game: Game, setting: Setting) -> str:
    """The last line of a traceback, and the last place in it that is the author's."""
    lines = trace.strip().splitlines() or ["no answer"]
    home = str(Path(game.module.__file__ or "").resolve().parent)
    places = re.findall(r'File "(.+)", line (\d+), in (\w+)\n(?:    (.*)\n)?(?:    ([ ~^]+)\n)?', trace)
    own = [place for place in places if str(Path(place[0]).resolve().parent) == home]
    where = [f" ({file}, line {line}, in {function})" for file, line, function, *_ in own[-1:]]
    what = lines[-1].removeprefix("ludus.errors.BadRules: ").removeprefix("TimeoutError: ")
    if own and re.fullmatch(r"\w+\[.*\]", _marked(*own[-1][3:])):  # a field would have a dot
        what += _full_buffer(what, {place[2] for place in own}, game)
    under = "" if setting.rules else f", preset {setting.preset}"
    return f"in plain Python{under}: {what}{''.join(where)}"


def _marked(code: str, marks: str) -> str:
    """What a traceback underlines in a line of code."""
    start = len(marks) - len(marks.lstrip())
    return code[start : len(marks.rstrip())] if marks else code.partition("=")[0].strip()


def _full_buffer(error: str, functions: set[str], game: Game) -> str:
    """Which declared number is too small, where an index lies behind the buffer that a rule writes into."""
    size = re.search(r"out of bounds for axis 0 with size (\d+)", error)
    if size and "legal" in functions and int(size[1]) == game.facts.max_actions:
        return f"; the menu has more than max_actions = {size[1]} entries"
    if size and "observe" in functions and int(size[1]) == game.features.length:
        return f"; `observe` writes behind FEATURES, {size[1]} numbers: declare it for the largest board"
    return ""


def compare_digests(report: Report, game: Game, setting: Setting, plain: list[str]) -> None:
    """The same matches, compiled."""
    for match, (ours, theirs) in enumerate(zip(digests(game, setting, limit=len(plain)), plain)):
        if ours != theirs:
            sentence = f"match {match} ends differently in plain Python (seed {setting.seed}, preset {setting.preset})"
            report.fail("plain", sentence, setting.command(game, match))
            return
    report.count("plain", len(plain))


# ------------------------------------------------------------------------------------------------ in the other process


def answer() -> None:
    """The order comes on stdin; the digests of each setting go to stdout, a line each, so that the last is known."""
    order, lines = json.load(sys.stdin), sys.stdout
    sys.stdout = sys.stderr  # what a game prints is no answer
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    resource.setrlimit(resource.RLIMIT_CPU, (hard, hard))  # this process has a limit of its own
    game = load(order["game"])
    signal.signal(signal.SIGVTALRM, _give_up)
    for one in order["settings"]:
        print(json.dumps(digests(game, Setting(**one), order["seconds"], order["patience"])), file=lines, flush=True)
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def _give_up(*_: object) -> None:
    raise TimeoutError("a rule does not come to an end")


def digests(
    game: Game, setting: Setting, seconds: float = float("inf"), patience: float = 0.0, limit: int | None = None
) -> list[str]:
    """A digest of every match: what the seats saw and guessed, its end and length. Stops when the time is up."""
    words = match_words(setting.seed, np.arange(setting.matches), 0, setting.players)
    found: list[str] = []
    deadline = time.monotonic() + seconds
    for i in range(setting.matches if limit is None else limit):
        found.append(_digest(game, setting, words[i : i + 1], 1 + i % 16, patience))
        if time.monotonic() > deadline:
            break
    return found


def _digest(game: Game, setting: Setting, row: np.ndarray, stride: int, patience: float) -> str:
    plies, most = np.zeros(1, np.int64), game.facts.max_plies
    _wind_up(patience)
    states = game.start(row, setting.players, game.rule_values(setting.preset, setting.rules))
    content = b""
    while game.waiting(states)[0] and plies[0] < most:
        _wind_up(patience)
        content += _glance(game, states, setting)
        game.kernel(kernels.rollouts)(states, row, plies, min(plies[0] + stride, most))
    if not game.waiting(states)[0]:
        game.payoffs(states)
    content += states.tobytes() + row.tobytes() + plies.tobytes()
    return hashlib.sha256(content).hexdigest()[:16]


def _wind_up(patience: float) -> None:
    if patience:
        signal.setitimer(signal.ITIMER_VIRTUAL, patience)


def _glance(game: Game, states: np.ndarray, setting: Setting) -> bytes:
    """Every seat looks at a single position. Views and guesses are compared; features and estimates, being floats
    like payoffs, may differ in the last bit and are made only so that plain Python sees their indices."""
    _refuse_empty_menus(game, states, setting.players)
    seats = np.arange(setting.players)
    truths = np.repeat(states, setting.players)
    views = game.masked(truths, seats)
    worlds, words = views.copy(), match_words(setting.seed, 0, 1, setting.players)[1:].reshape(-1, 1)
    if game.facts.hidden:
        game.kernel(kernels.guess_worlds)(worlds, seats, words)
    game.kernel(kernels.features)(views, seats, np.zeros((len(seats), game.names["FEATURES"]), np.float32))
    game.kernel(kernels.estimates)(worlds, seats, np.empty(len(seats)))
    return views.tobytes() + worlds.tobytes()


def _refuse_empty_menus(game: Game, states: np.ndarray, players: int) -> None:
    mask = int(game.waiting(states)[0])
    for player in range(players):
        if mask >> player & 1 and not len(game.menu(states, player)):
            raise BadRules(f"`legal` gives player {player} no action, though `to_act` says that it owes one")
