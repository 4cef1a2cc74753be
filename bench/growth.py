"""How a tournament grows: memory, time a match, resuming and the data of its page, written to docs/growth.md.

python bench/growth.py [--matches 1000000] [--store FOLDER/growth.sqlite]

Every row is a process of its own that adds matches to the same tournament, then one that finds nothing to do, then one
that asks for what the page shows. At the end every address of the page that speaks of the tournament is visited.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PAGE = Path(__file__).resolve().parents[1] / "docs" / "growth.md"
AGENTS = ["random", "greedy", "greedy:slip=0.5"]
MATCHES = "/api/tournaments/growth/matches"
ADDRESSES = [
    "/tournaments/growth",
    "/api/tournaments",
    "/api/tournaments/growth",
    MATCHES,
    f"{MATCHES}?after=2.1600.1",
    f"{MATCHES}?agent=greedy&against=random",
    f"{MATCHES}?agent=random&against=greedy&result=won",
    f"{MATCHES}?agent=greedy&result=drew&outcome=finished",
    f"{MATCHES}?outcome=crash",
    "/api/replays",
    "/replay/growth.0.1600.1",
    "/api/replays/growth.0.1600.1",
    "/api/replays/growth.0.1600.1/frames/3",
]
"""What the tournament's page asks for: its tables, the matches of a cell, searches (the last finds nothing in all
matches, so that it stops after a moment and says where to go on), a match."""


def play(store: Path, matches: int) -> dict[str, float]:
    """Let the tournament grow to so many matches."""
    from ludus.arena.schedule import make_schedule
    from ludus.arena.tournament import Tournament
    from ludus.records import Store
    from ludus.workers import Threads

    blocks = -(-matches // 6)  # three pairs, both ways round
    with Store(store) as kept:
        tournament = Tournament(
            make_schedule("tic_tac_toe", AGENTS, "default", {}, blocks=blocks), kept, "growth", Threads(1)
        )
        before, started, wall = tournament.series.played, time.process_time(), time.perf_counter()
        found = tournament.run()
        spent, waited = time.process_time() - started, time.perf_counter() - wall
    return {"matches": found.played, "new": found.played - before, "cpu": spent, "wall": waited}


def page(store: Path) -> dict[str, float]:
    """What the page of tournaments shows, reckoned anew and then from what is kept."""
    from ludus.arena.series import Series
    from ludus.arena.standings import kept_standings, standings
    from ludus.records import Store

    with Store(store) as kept:
        standings(Series(kept, "growth"))  # loads what is compiled
        started = time.process_time()
        standings(Series(kept, "growth"))
        anew = time.process_time() - started
        started = time.process_time()
        found = kept_standings(kept, "growth")
        return {"matches": found["played"], "anew": anew, "kept": time.process_time() - started}


def addresses(store: Path) -> dict[str, float]:
    """Seconds that each address of the page takes: the longest of three visits, after one that loads what is needed."""
    from fastapi.testclient import TestClient

    from ludus.web.app import create_app

    found = {}
    with TestClient(create_app(store, store.parent / "reports"), base_url="http://127.0.0.1") as visitor:
        for address in ADDRESSES:
            visitor.get(address).raise_for_status()
            times = []
            for _ in range(3):
                started = time.perf_counter()
                visitor.get(address)
                times.append(time.perf_counter() - started)
            found[address] = max(times)
    return found


def child(what: str, store: Path, matches: int) -> dict[str, float]:
    """One of the above in a process of its own, with the most memory that it held."""
    command = [sys.executable, __file__, "--store", str(store), "--matches", str(matches), "--child", what]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def row(store: Path, matches: int) -> dict[str, object]:
    played, again, shown = (child(what, store, matches) for what in ("play", "play", "page"))
    size = sum(path.stat().st_size for path in store.parent.glob(f"{store.name}*"))
    return {
        "matches": f"{played['matches']:,.0f}",
        "CPU-µs a match": f"{1e6 * played['cpu'] / max(played['new'], 1):.0f}",
        "most memory, MB": f"{played['memory']:.0f}",
        "resuming, CPU-s": f"{again['cpu']:.2f}",
        "page data anew, CPU-s": f"{shown['anew']:.3f}",
        "page data kept, ms": f"{1e3 * shown['kept']:.1f}",
        "bytes a match": f"{size / played['matches']:.0f}",
    }


def table(rows: list[dict[str, object]]) -> str:
    lines = ["| " + " | ".join(rows[0]) + " |", "|" + "---|" * len(rows[0])]
    return "\n".join(lines + ["| " + " | ".join(map(str, one.values())) + " |" for one in rows])


def model(rows: list[dict[str, object]]) -> str:
    each, size = float(str(rows[-1]["CPU-µs a match"])), float(str(rows[-1]["bytes a match"]))
    hours, gigabytes = each * 1e8 / 1e6 / 3600, size * 1e8 / 1e9
    return (
        f"Time and disk grow with the number of matches, and nothing else does: 10^8 matches take {hours:.1f} CPU-hours"
        f" and {gigabytes:.0f} GB, the memory of the last row, and its time to resume and to show. What is read and"
        " rated are sums, of which there are as many as kinds of results: 9 for a pair that wins, draws or loses, 256"
        " for four players with one winner. A store from before there were sums is read once, at about 20 µs a match."
    )


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--matches", type=int, default=1_000_000)
    options.add_argument("--store", type=Path)
    options.add_argument("--child", default="")
    given = options.parse_args()
    if given.child:
        works = {"play": lambda: play(given.store, given.matches), "page": lambda: page(given.store)}
        found = works.get(given.child, lambda: addresses(given.store))()
        print(json.dumps(found | {"memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3}))
        return
    with tempfile.TemporaryDirectory() as folder:
        store = given.store or Path(folder) / "growth.sqlite"
        rows = [row(store, given.matches // part) for part in (100, 10, 1)]
        waits = child("addresses", store, given.matches)
    text = f"""# How a tournament grows

Written by `python bench/growth.py`: three agents play tic-tac-toe in one tournament, which grows from row to row. CPU
time of one thread, writing included.

{table(rows)}

{model(rows)}

How long each address of the page takes with the matches of the last row: the longest of three visits, all in all.

{table([{"address": f"`{address}`", "ms": f"{1e3 * waits[address]:.0f}"} for address in ADDRESSES])}
"""
    PAGE.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
