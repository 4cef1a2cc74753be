"""Many guests at once: matches that are watched and matches that people play, all on one server on loopback.

    python bench/server_load.py --seconds 60 --watched 200 --played 50

Prints how long people waited: from a click to the board that shows it, from there to the agent's answer, and how late
the steps of watched matches came. Exits with 1 if anything went wrong.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import websockets

from ludus.cli.options import print_json, print_table

WATCHED = [
    ("connect_four", ["mcts:sims=50", "greedy"]),
    ("breakthrough", ["greedy", "random"]),
    ("pivit", ["greedy", "random"]),
    ("thrones", ["mcts:sims=50", "greedy"]),
    ("gravwell", ["tree", "random", "random"]),
    ("organism", ["random", "greedy"]),
]
PLAYED = [("connect_four", ["human", "mcts:sims=200"]), ("pivit", ["human", "greedy"]), ("gravwell", ["human", "tree"])]
SPEED = 1.0
"""Steps a second of a watched match."""
PAUSE = 1.0, 3.0
"""Seconds that a person looks at the board."""
SERVE = "import typer; from ludus.cli import serve; typer.run(serve.command)"


@dataclass
class Tally:
    """Seconds that guests waited, and what went wrong."""

    shown: list[float] = field(default_factory=list)
    answered: list[float] = field(default_factory=list)
    late: list[float] = field(default_factory=list)
    frames: int = 0
    bytes: int = 0
    matches: int = 0
    cpu: float = 0.0
    """Of the server, in seconds."""
    errors: list[str] = field(default_factory=list)


def cpu_seconds(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Load:
    def __init__(self, server: int, address: str, seconds: float):
        self.server, self.address, self.tally = server, address, Tally()
        # Kept connections are let go before the server does so, lest a request meets a door that is just being shut.
        self.client = httpx.AsyncClient(base_url=address, timeout=120, limits=httpx.Limits(keepalive_expiry=1))
        self.seconds = seconds
        self.until = float("inf")
        """When the measurement ends; it begins when all guests have sat down."""

    async def run(self, watched: int, played: int) -> None:
        guests = [self.watch(*WATCHED[k % len(WATCHED)]) for k in range(watched)]
        guests += [self.play(*PLAYED[k % len(PLAYED)]) for k in range(played)]
        tasks = [asyncio.create_task(self.guarded(guest)) for guest in guests]
        while self.tally.matches < len(guests) and not self.tally.errors:
            await asyncio.sleep(0.1)
        opened, self.tally = self.tally, Tally()
        self.tally.matches, self.tally.errors = opened.matches, opened.errors
        began = cpu_seconds(self.server)
        self.until = time.monotonic() + self.seconds
        await asyncio.gather(*tasks)
        self.tally.cpu = cpu_seconds(self.server) - began
        await self.client.aclose()

    async def guarded(self, guest: Any) -> None:
        try:
            await guest
        except Exception as error:
            self.tally.errors.append(f"{type(error).__name__}: {error}")

    @property
    def is_on(self) -> bool:
        return time.monotonic() < self.until and not self.tally.errors

    async def open(self, game: str, seats: list[str]) -> str:
        """A new match; gives back the address of its WebSocket, for the first seat or to watch."""
        speed = {} if "human" in seats else {"speed": SPEED}
        answer = await self.client.post("/api/matches", json={"game": game, "seats": seats, **speed})
        answer.raise_for_status()
        opened = answer.json()
        self.tally.matches += 1
        link = opened["seats"][0].get("link", opened["watch"])
        return self.address.replace("http", "ws") + "/ws" + link

    async def hear(self, socket: Any) -> dict[str, Any]:
        """The next state; refusals and notices are errors here."""
        while True:
            text = await asyncio.wait_for(socket.recv(), 30)
            self.tally.frames += 1
            self.tally.bytes += len(text)
            message = json.loads(text)
            if message["type"] in ("refused", "notice"):
                self.tally.errors.append(str(message))
            if message["type"] == "state":
                return message

    async def watch(self, game: str, seats: list[str]) -> None:
        while self.is_on:
            async with websockets.connect(await self.open(game, seats), compression=None) as socket:
                state, came = await self.hear(socket), 0.0
                while self.is_on and not state["over"]:
                    newer = await self.hear(socket)
                    if newer["ply"] > state["ply"]:
                        now = time.monotonic()
                        if came:
                            self.tally.late.append(max(0.0, now - came - (newer["ply"] - state["ply"]) / SPEED))
                        came = now
                    state = newer

    async def play(self, game: str, seats: list[str]) -> None:
        chance = random.Random(len(self.tally.errors))
        while self.is_on:
            async with websockets.connect(await self.open(game, seats), compression=None) as socket:
                state = await self.hear(socket)
                while self.is_on and not state["over"]:
                    while not (state["your_turn"] or state["over"]):
                        state = await self.hear(socket)
                    if not state["over"]:
                        await asyncio.sleep(chance.uniform(*PAUSE))
                        state = await self.act(socket, state, chance)

    async def act(self, socket: Any, state: dict[str, Any], chance: random.Random) -> dict[str, Any]:
        """One decision: until the board shows it, and until it is one's turn again."""
        action = chance.choice(state["actions"])["action"]
        asked, ply = time.monotonic(), state["ply"]
        await socket.send(json.dumps({"type": "play", "action": action, "ply": ply}))
        while state["ply"] == ply and state["your_turn"]:
            state = await self.hear(socket)
        shown = time.monotonic()
        self.tally.shown.append(shown - asked)
        while not (state["your_turn"] or state["over"]):
            state = await self.hear(socket)
        self.tally.answered.append(time.monotonic() - shown)
        return state


def percentiles(seconds: list[float]) -> list[float]:
    """The median, the 95th and the 99th percentile, in milliseconds."""
    return [round(1000 * float(value), 1) for value in np.percentile(seconds or [0.0], [50, 95, 99])]


def measure(seconds: float, watched: int, played: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        options = ["--port", "0", "--no-open", "--store", str(Path(folder) / "store.sqlite")]
        server = subprocess.Popen([sys.executable, "-c", SERVE, *options], stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout is not None
            load = Load(server.pid, server.stdout.readline().split()[3].rstrip("/"), seconds)
            asyncio.run(load.run(watched, played))
        finally:
            server.terminate()
            server.wait(30)
    tally = load.tally
    rows = {
        "click to board": tally.shown,
        "board to answer": tally.answered,
        "watched step late by": tally.late,
    }
    return {
        "seconds": seconds,
        "watched": watched,
        "played": played,
        "matches": tally.matches,
        "frames_per_second": round(tally.frames / seconds),
        "megabytes_per_second": round(tally.bytes / seconds / 1e6, 2),
        "server_cores": round(tally.cpu / seconds, 2),
        "milliseconds": {name: {"n": len(times), "p50_p95_p99": percentiles(times)} for name, times in rows.items()},
        "errors": tally.errors[:20],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--watched", type=int, default=200)
    parser.add_argument("--played", type=int, default=50)
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    wanted = parser.parse_args()
    found = measure(wanted.seconds, wanted.watched, wanted.played)
    if wanted.json:
        print_json(found)
    else:
        rows = [(name, row["n"], *row["p50_p95_p99"]) for name, row in found["milliseconds"].items()]
        title = f"{wanted.watched} watched and {wanted.played} played matches for {wanted.seconds:g} s, milliseconds"
        note = (
            f"{found['matches']} matches; {found['frames_per_second']} messages and {found['megabytes_per_second']} MB "
            f"a second; the server used {found['server_cores']} cores"
        )
        print_table(title, ("wait", "n", "p50", "p95", "p99"), rows, note)
    for error in found["errors"]:
        print(f"error: {error}", file=sys.stderr)
    sys.exit(1 if found["errors"] else 0)


if __name__ == "__main__":
    main()
