"""The page under attack: ordinary visitors play while others do their worst, all on one server on loopback.

    python bench/server_attack.py --seconds 60 --visitors 20

Every visitor and every attacker has an address of its own (127.x.y.z), as on a network. The attack: half-open
connections, matches opened in a row, watchers on the visitors' first match, hints, and the costliest specs that the
page takes. Prints how long the visitors waited from a click to the board that shows it, and exits with 1 if one of
them met an error. `--calm` leaves the attack out, to compare.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import random
import sys
import time
from dataclasses import dataclass, field
from typing import Any

from guests import Guest, percentiles, serving
from ludus.cli.options import print_json, print_table

PLAYED = [
    ("connect_four", ["human", "mcts:sims=100"]),
    ("tic_tac_toe", ["human", "greedy"]),
    ("kuhn_poker", ["human", "random"]),
    ("breakthrough", ["human", "greedy"]),
]
COSTLIEST = ["mcts:sims=20000", "alphabeta:nodes=2000000,table=20", "mcts:ms=5000", "greedy:samples=1000,by=rollouts"]
HALF_OPEN, OPENED, WATCHERS, HINTS, SPECS = 1050, 500, 100, 100, 10
PAUSE = 0.5, 1.5
"""Seconds that a visitor looks at the board."""


@dataclass
class Tally:
    """Seconds that visitors waited, what went wrong for them, and what became of the attack."""

    shown: list[float] = field(default_factory=list)
    answered: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    turned_away: int = 0
    thrown: int = 0


async def hear(socket: Any) -> dict[str, Any]:
    """The next state."""
    while True:
        message = json.loads(await asyncio.wait_for(socket.recv(), 60))
        if message["type"] == "refused":
            raise RuntimeError(message["reason"])
        if message["type"] == "state":
            return message


# ------------------------------------------------------------------------------------------------ ordinary visitors


class Visitors:
    def __init__(self, port: int, count: int):
        self.tally, self.guests = Tally(), [Guest(port, f"127.1.0.{k + 1}") for k in range(count)]
        self.first_match: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self.settled = 0
        self.until = float("inf")

    async def play(self, number: int, guest: Guest) -> None:
        chance = random.Random(number)
        try:
            while time.monotonic() < self.until:
                await self._one_match(number, guest, chance)
        except Exception as error:
            self.tally.errors.append(f"visitor {number}: {type(error).__name__}: {error}")

    async def _one_match(self, number: int, guest: Guest, chance: random.Random) -> None:
        opened = await guest.open(*PLAYED[number % len(PLAYED)])
        async with guest.connect(opened["seats"][0]["link"]) as socket:
            state = await hear(socket)
            if number == 0 and not self.first_match.done():
                self.first_match.set_result(opened["watch"])
            self.settled += 1
            while time.monotonic() < self.until and not state["over"]:
                while not (state["your_turn"] or state["over"]):
                    state = await hear(socket)
                if not state["over"]:
                    await asyncio.sleep(chance.uniform(*PAUSE))
                    state = await self._act(socket, state, chance)

    async def _act(self, socket: Any, state: dict[str, Any], chance: random.Random) -> dict[str, Any]:
        """One decision: until the board shows it, and until it is one's turn again."""
        asked, ply = time.monotonic(), state["ply"]
        action = chance.choice(state["actions"])["action"]
        await socket.send(json.dumps({"type": "play", "action": action, "ply": ply}))
        while state["ply"] == ply and state["your_turn"]:
            state = await hear(socket)
        shown = time.monotonic()
        self.tally.shown.append(shown - asked)
        while not (state["your_turn"] or state["over"]):
            state = await hear(socket)
        self.tally.answered.append(time.monotonic() - shown)
        return state


# ------------------------------------------------------------------------------------------------ attackers


class Attack:
    """Each kind comes from an address of its own; what the server refuses is counted and thrown again."""

    def __init__(self, port: int, tally: Tally):
        self.port, self.tally = port, tally

    async def half_open(self) -> None:
        """Connections that send half a header and wait; a cut one is opened again."""

        async def one(number: int) -> None:
            while True:
                with contextlib.suppress(OSError):
                    address = (f"127.2.{number % 7}.{1 + number % 3}", 0)
                    reader, writer = await asyncio.open_connection("127.0.0.1", self.port, local_addr=address)
                    self.tally.thrown += 1
                    writer.write(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
                    await reader.read()
                    writer.close()
                await asyncio.sleep(1)

        await asyncio.gather(*(one(number) for number in range(HALF_OPEN)))

    async def open_many(self) -> None:
        guest = Guest(self.port, "127.3.0.1")
        for _ in range(OPENED):
            await self._try(guest.open("gravwell", ["human", "human"]))

    async def watch(self, match: str) -> None:
        guest = Guest(self.port, "127.4.0.1")

        async def one() -> None:
            async with guest.connect(match) as socket:
                while True:
                    await hear(socket)

        await asyncio.gather(*(self._try(one()) for _ in range(WATCHERS)))

    async def ask_hints(self) -> None:
        guest = Guest(self.port, "127.5.0.1")

        async def one() -> None:
            opened = await guest.open("gravwell", ["human", "human"])
            async with guest.connect(opened["seats"][0]["link"]) as socket:
                await hear(socket)
                while True:
                    await socket.send(json.dumps({"type": "hint"}))
                    await asyncio.wait_for(socket.recv(), 600)
                    await asyncio.sleep(0.1)

        await asyncio.gather(*(self._try(one()) for _ in range(HINTS)))

    async def think(self) -> None:
        guest = Guest(self.port, "127.6.0.1")

        async def one(number: int) -> None:
            spec = COSTLIEST[number % len(COSTLIEST)]
            game = "gravwell" if spec.startswith(("mcts", "greedy")) else "pivit"
            opened = await guest.open(game, [spec, spec])
            async with guest.connect(opened["watch"]) as socket:
                while True:
                    await asyncio.wait_for(socket.recv(), 600)

        await asyncio.gather(*(self._try(one(number)) for number in range(SPECS)))

    async def _try(self, work: Any) -> None:
        self.tally.thrown += 1
        try:
            await work
        except asyncio.CancelledError:
            raise
        except Exception:
            self.tally.turned_away += 1


# ------------------------------------------------------------------------------------------------ measuring


async def besiege(port: int, seconds: float, count: int, calm: bool) -> Tally:
    visitors = Visitors(port, count)
    tasks = [asyncio.create_task(visitors.play(number, guest)) for number, guest in enumerate(visitors.guests)]
    while visitors.settled < count and not visitors.tally.errors:
        await asyncio.sleep(0.1)
    visitors.tally.shown.clear()
    visitors.tally.answered.clear()
    attack = Attack(port, visitors.tally)
    kinds = [attack.half_open(), attack.open_many(), attack.watch(await visitors.first_match)]
    kinds += [attack.ask_hints(), attack.think()]
    thrown = [asyncio.create_task(kind) for kind in kinds]
    for task in thrown if calm else []:
        task.cancel()
    visitors.until = time.monotonic() + seconds
    await asyncio.gather(*tasks)
    for task in thrown:
        task.cancel()
    await asyncio.gather(*thrown, return_exceptions=True)
    return visitors.tally


def measure(seconds: float, visitors: int, calm: bool = False) -> dict[str, Any]:
    with serving() as server:
        tally = asyncio.run(besiege(server.port, seconds, visitors, calm))
        lines = server.log_lines
    rows = {"click to board": tally.shown, "board to answer": tally.answered}
    return {
        "seconds": seconds,
        "visitors": visitors,
        "milliseconds": {name: {"n": len(times), "p50_p95_p99": percentiles(times)} for name, times in rows.items()},
        "thrown": tally.thrown,
        "turned_away": tally.turned_away,
        "log_lines": lines,
        "errors": tally.errors[:20],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--visitors", type=int, default=20)
    parser.add_argument("--calm", action="store_true", help="without the attack")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    wanted = parser.parse_args()
    found = measure(wanted.seconds, wanted.visitors, wanted.calm)
    if wanted.json:
        print_json(found)
    else:
        rows = [(name, row["n"], *row["p50_p95_p99"]) for name, row in found["milliseconds"].items()]
        note = f"{found['thrown']:,} attacks, {found['turned_away']:,} turned away; {found['log_lines']} log lines"
        title = f"{wanted.visitors} visitors, {wanted.seconds:g} s {'in peace' if wanted.calm else 'under attack'}, ms"
        print_table(title, ("wait", "n", "p50", "p95", "p99"), rows, note)
    for error in found["errors"]:
        print(f"error: {error}", file=sys.stderr)
    sys.exit(1 if found["errors"] else 0)


if __name__ == "__main__":
    main()
