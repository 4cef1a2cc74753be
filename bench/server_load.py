"""Many guests at once: matches that are watched and matches that people play, all on one server on loopback.

    python bench/server_load.py --seconds 60 --watched 200 --played 50

Prints how long people waited: from a click to the board that shows it, from there to the agent's answer, and how late
the steps of watched matches came. Exits with 1 if anything went wrong.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
import time
from dataclasses import dataclass, field
from typing import Any

from guests import Guest, Server, percentiles, serving
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


class Load:
    def __init__(self, server: Server, seconds: float):
        self.server, self.tally, self.seconds = server, Tally(), seconds
        self.until = float("inf")
        """When the measurement ends; it begins when all guests have sat down."""

    async def run(self, watched: int, played: int) -> None:
        people = [Guest(self.server.port, f"127.1.{k // 250}.{1 + k % 250}") for k in range(watched + played)]
        guests = [self.watch(people[k], *WATCHED[k % len(WATCHED)]) for k in range(watched)]
        guests += [self.play(people[watched + k], *PLAYED[k % len(PLAYED)]) for k in range(played)]
        tasks = [asyncio.create_task(self.guarded(guest)) for guest in guests]
        while self.tally.matches < len(guests) and not self.tally.errors:
            await asyncio.sleep(0.1)
        opened, self.tally = self.tally, Tally()
        self.tally.matches, self.tally.errors = opened.matches, opened.errors
        began = self.server.cpu_seconds
        self.until = time.monotonic() + self.seconds
        await asyncio.gather(*tasks)
        self.tally.cpu = self.server.cpu_seconds - began

    async def guarded(self, guest: Any) -> None:
        try:
            await guest
        except Exception as error:
            self.tally.errors.append(f"{type(error).__name__}: {error}")

    @property
    def is_on(self) -> bool:
        return time.monotonic() < self.until and not self.tally.errors

    async def open(self, guest: Guest, game: str, seats: list[str]) -> Any:
        """A connection to a new match, for the first seat or to watch."""
        opened = await guest.open(game, seats, **({} if "human" in seats else {"speed": SPEED}))
        self.tally.matches += 1
        return guest.connect(opened["seats"][0].get("link", opened["watch"]))

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

    async def watch(self, guest: Guest, game: str, seats: list[str]) -> None:
        while self.is_on:
            async with await self.open(guest, game, seats) as socket:
                state, came = await self.hear(socket), 0.0
                while self.is_on and not state["over"]:
                    newer = await self.hear(socket)
                    if newer["ply"] > state["ply"]:
                        now = time.monotonic()
                        if came:
                            self.tally.late.append(max(0.0, now - came - (newer["ply"] - state["ply"]) / SPEED))
                        came = now
                    state = newer

    async def play(self, guest: Guest, game: str, seats: list[str]) -> None:
        chance = random.Random(len(self.tally.errors))
        while self.is_on:
            async with await self.open(guest, game, seats) as socket:
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


def measure(seconds: float, watched: int, played: int) -> dict[str, Any]:
    with serving() as server:
        load = Load(server, seconds)
        asyncio.run(load.run(watched, played))
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
