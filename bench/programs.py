"""The example programs of the docs, each in matches of connect four against `random`: what came of them, how long an
answer takes (the start of a process a match included), and whether a process is left. What this machine has no compiler
or interpreter for is left out.

    python bench/programs.py                                    --matches 200
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from ludus.arena.contest import contest
from ludus.arena.hosts import Clock
from ludus.records import MatchRecord
from ludus.workers import Threads

PROGRAMS = Path(__file__).resolve().parents[1] / "docs" / "programs"


def commands(folder: str) -> Iterator[tuple[str, str]]:
    """The languages that this machine has, and the command of each."""
    if compiler := shutil.which("cc"):
        subprocess.run([compiler, "-O2", "-o", f"{folder}/bot", str(PROGRAMS / "bot.c")], check=True)
        yield "C", f"cmd:{folder}/bot"
    if node := shutil.which("node"):
        yield "JavaScript", f"cmd:{node} {PROGRAMS / 'bot.js'}"
    yield "Python", f"cmd:{sys.executable} {PROGRAMS / 'bot.py'}"


def left(spec: str) -> int:
    """Processes whose command line is the program's."""
    words, found = spec.removeprefix("cmd:").split(), 0
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            found += Path(f"/proc/{process}/cmdline").read_bytes().decode().split("\0")[: len(words)] == words
        except (OSError, UnicodeDecodeError):
            continue
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matches", type=int, default=200)
    matches = parser.parse_args().matches
    print("| program | matches | outcomes | ms for an answer | processes left |\n|---|---:|---|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        for language, spec in commands(folder):
            kept: list[MatchRecord] = []
            started = time.perf_counter()
            contest("connect_four", [spec, "random"], games=matches, clock=Clock(60), workers=Threads(1),
                    keep=kept.append)  # fmt: skip
            used = time.perf_counter() - started
            answers = sum(record.plies for record in kept) / 2
            outcomes = ", ".join(f"{n} {name}" for name, n in Counter(one.outcome for one in kept).items())
            print(f"| {language} | {len(kept)} | {outcomes} | {1e3 * used / answers:.1f} | {left(spec)} |", flush=True)


if __name__ == "__main__":
    main()
