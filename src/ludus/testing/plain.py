"""The same matches in plain Python, where a wrong index or an overflow is an error with a place. They run in a
process of their own, for a process either compiles or does not.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import time

import numpy as np

from ludus import kernels
from ludus.catalogue import load
from ludus.game import Game
from ludus.rng import match_words
from ludus.testing.report import Report, Setting

PLAIN_SECONDS = 10.0


def digests(game: Game, setting: Setting, seconds: float = float("inf")) -> list[str]:
    """A digest of every match: what the seats saw and guessed, its end and length. Stops when the time is up."""
    values = game.rule_values(setting.preset)
    words = match_words(setting.seed, np.arange(setting.matches), 0, setting.players)
    found: list[str] = []
    deadline = time.monotonic() + seconds
    for i in range(setting.matches):
        row, plies = words[i : i + 1], np.zeros(1, np.int64)
        states = game.start(row, setting.players, values)
        content = b""
        while game.waiting(states)[0] and plies[0] < game.facts.max_plies:
            content += _glance(game, states, setting)
            game.kernel(kernels.rollouts)(states, row, plies, min(plies[0] + 1 + i % 16, game.facts.max_plies))
        content += states.tobytes() + row.tobytes() + plies.tobytes()
        found.append(hashlib.sha256(content).hexdigest()[:16])
        if time.monotonic() > deadline:
            break
    return found


def _glance(game: Game, states: np.ndarray, setting: Setting) -> bytes:
    """Every seat looks at a single position. Views and guesses are compared; features and estimates, being floats, may
    differ in the last bit and are made only so that plain Python sees their indices."""
    seats = np.arange(setting.players)
    truths = np.repeat(states, setting.players)
    views = game.masked(truths, seats)
    worlds, words = views.copy(), match_words(setting.seed, 0, 1, setting.players)[1:].reshape(-1, 1)
    if game.facts.hidden:
        game.kernel(kernels.guess_worlds)(worlds, seats, words)
    game.kernel(kernels.features)(views, seats, np.zeros((len(seats), game.names["FEATURES"]), np.float32))
    game.kernel(kernels.estimates)(worlds, seats, np.empty(len(seats)))
    return views.tobytes() + worlds.tobytes()


def check_plain(report: Report, game: Game, setting: Setting, parts: int) -> None:
    order = {"game": game.source, "seconds": PLAIN_SECONDS / parts, "setting": vars(setting)}
    answer = subprocess.run(
        [sys.executable, "-W", "error", "-m", "ludus.testing"],
        input=json.dumps(order), capture_output=True, text=True, env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
    )  # fmt: skip
    if answer.returncode != 0:
        lines = answer.stderr.strip().splitlines()
        places = [line.strip() for line in lines if line.strip().startswith("File ")]
        sentence = f"in plain Python: {lines[-1] if lines else 'no answer'} ({places[-1] if places else 'no place'})"
        report.fail("plain", sentence, f"NUMBA_DISABLE_JIT=1 {setting.command(game)}")
        return
    plain = json.loads(answer.stdout)
    compiled = digests(game, setting)
    for match, (ours, theirs) in enumerate(zip(compiled, plain)):
        if ours != theirs:
            sentence = f"match {match} ends differently in plain Python (seed {setting.seed}, preset {setting.preset})"
            report.fail("plain", sentence, setting.command(game, match))
            return
    report.count("plain", len(plain))


def answer() -> None:
    """In the other process: the order comes on stdin, the digests go to stdout."""
    order = json.load(sys.stdin)
    print(json.dumps(digests(load(order["game"]), Setting(**order["setting"]), order["seconds"])))
