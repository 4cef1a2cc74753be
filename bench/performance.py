"""Measures every number of docs/performance.md and writes the page: `make bench`."""

from __future__ import annotations

import json
import platform
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parents[1] / "docs" / "performance.md"
GAMES_AS_PUBLISHED = [
    ("gravwell", ["--players", "4"]),
    ("planet_wars", []),
    ("organism", []),
    ("pivit", ["--players", "2"]),
    ("thrones", []),
]


def bench(*arguments: str) -> list[dict]:
    """The rows that one `ludus bench` command prints."""
    command = [sys.executable, "-c", "from ludus.cli import main; main()", "bench", *arguments, "--json"]
    print("ludus", *command[3:], file=sys.stderr)
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["rows"]


def number(value: object) -> str:
    if not isinstance(value, float):
        return str(value)
    for size, sign in ((1e6, " M"), (1e3, " k")):
        if value >= size:
            return f"{value / size:.3g}{sign}"
    return f"{value:.3g}"


def table(rows: list[dict]) -> str:
    lines = ["| " + " | ".join(rows[0]) + " |", "|" + "---|" * len(rows[0])]
    lines += ["| " + " | ".join(number(value) for value in row.values()) + " |" for row in rows]
    return "\n".join(lines)


def processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []:
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def main() -> None:
    classics = bench("tic_tac_toe", "connect_four", "breakthrough", "kuhn_poker", "goofspiel")
    large = [row for name, options in GAMES_AS_PUBLISHED for row in bench(name, *options)]
    PAGE.write_text(
        f"""# Performance

Written by `make bench` on {processor()}, Python {platform.python_version()}. Everything is per CPU-second of one
thread, best of five; the machine may have been busy with other work, so compare within a table, not across days.

## Beside OpenSpiel's C++

`ludus bench --against openspiel`: random play in moves, UCT in simulations (1000 from the first position, one random
roll-out each), both measured in turn in the same process. OpenSpiel's states carry their history and a wide interface;
ours are one small record. Its roll-outs are reached through its search, with 1000 roll-outs a leaf.

{table(bench("--against", "openspiel"))}

## Random play and search

`ludus bench`: whole random matches, joint steps (plies), MCTS simulations from the first position with roll-outs to the
end, and the bytes of a state.

{table(classics)}

{table(large)}

A uniform random match of Thrones is short because a player may run into a wall: setting up a board of 1.3 kB is most of
the work. A Planet Wars state holds up to 40 planets and all fleets, and every simulation copies it.

## Start-up

`ludus bench --start-up`: CPU-seconds of a whole process with a warm cache, beside a bare `import numba`.

{table(bench("--start-up"))}
""",
        encoding="utf-8",
    )
    print(PAGE.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
