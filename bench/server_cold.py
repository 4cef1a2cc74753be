"""Many visitors on a fresh installation: nothing is compiled yet, and each of them opens another game.

    python bench/server_cold.py --visitors 20

Ten visitors open the ten games; the others open games in files, each with rules of its own. Everybody asks for the
page and its data, waits for a board, and plays on until the last visitor has one; somebody else only looks around.
Prints the longest that each kind of request took while all of it was compiled, how long a click took to be on the
board, and when boards came. Exits with 1 if a visitor met an error or came to no board.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

from guests import Guest, percentiles, serving
from ludus.catalogue import game_names
from ludus.cli.options import print_json, print_table

AGENTS = ["random", "greedy"]
PAUSE = 0.2, 1.0
"""Seconds between the clicks of a visitor."""
HEAPS = """
import numpy as np
from ludus import Facts, record, rule

FACTS = Facts("Heaps of {size}", players=(2, 2), max_actions={most}, max_plies={most})
State = record(players=np.int32, mover=np.int32, heaps=(np.int32, 3))


@rule
def setup(state, rng):
    state.heaps[:] = {size}


@rule
def to_act(state):
    return 0 if state.heaps.sum() == 0 else 1 << state.mover


@rule
def legal(state, player, out):
    n = 0
    for heap in range(3):
        for take in range(1, state.heaps[heap] + 1):
            out[n] = {size} * heap + take - 1
            n += 1
    return n


@rule
def step(state, actions, rng):
    action = actions[state.mover]
    state.heaps[action // {size}] -= action % {size} + 1
    state.mover = 1 - state.mover


@rule
def returns(state, out):
    out[state.mover], out[1 - state.mover] = -1.0, 1.0
"""


class Visitors:
    """Everybody who came, and how long they waited."""

    def __init__(self, port: int, games: list[str]):
        self.games = games
        # Made beforehand, because that takes a while, which is none of the server's.
        self.guests = [Guest(port, f"127.1.0.{1 + number}") for number in range(len(games) + 1)]
        self.waits: dict[str, list[float]] = defaultdict(list)
        self.boards: dict[str, float] = {}
        self.shown: list[float] = []
        self.errors: list[str] = []

    async def run(self, seconds: float) -> None:
        looking = asyncio.create_task(self.look_around())
        visits = [asyncio.create_task(self.visit(number, game)) for number, game in enumerate(self.games)]
        await asyncio.wait(visits, timeout=seconds)
        for task in (looking, *visits):
            task.cancel()
        await asyncio.gather(looking, *visits, return_exceptions=True)

    async def get(self, guest: Guest, kind: str, path: str) -> Any:
        asked = time.monotonic()
        answer = (await guest.client.get(path)).raise_for_status()
        self.waits[kind].append(time.monotonic() - asked)
        return answer

    async def look_around(self) -> None:
        guest = self.guests[-1]
        while True:
            for kind, path in (("page", "/"), ("matches", "/api/matches"), ("tournaments", "/api/tournaments")):
                await self.get(guest, kind, path)
                await asyncio.sleep(0.1)

    async def visit(self, number: int, game: str) -> None:
        try:
            await self.open_match(self.guests[number], game, AGENTS[number % len(AGENTS)])
        except Exception as error:
            self.errors.append(f"{game}: {type(error).__name__}: {error}")

    async def open_match(self, guest: Guest, game: str, agent: str) -> None:
        await self.get(guest, "page", "/")
        cards = {card["name"]: card for card in (await self.get(guest, "games", "/api/games")).json()}
        await self.get(guest, "picture", cards[game]["picture"])
        await self.get(guest, "agents", f"/api/games/{game}/agents")
        asked = time.monotonic()
        opened = await guest.open(game, ["human", *[agent] * (cards[game]["players"][0] - 1)])
        self.waits["open a match"].append(time.monotonic() - asked)
        entering = time.monotonic()
        async with guest.connect(opened["seats"][0]["link"]) as socket:
            state = json.loads(await socket.recv())
            self.waits["enter a match"].append(time.monotonic() - entering)
            while state["type"] != "state":
                state = json.loads(await socket.recv())
            self.boards[game] = time.monotonic() - asked
            await self.play_on(socket, state)

    async def play_on(self, socket: Any, state: dict[str, Any]) -> None:
        """Click now and then until the match is over, or everybody has a board."""
        chance = random.Random(0)
        while not state["over"] and len(self.boards) + len(self.errors) < len(self.games):
            if not state["your_turn"]:
                state = await self.hear(socket)
                continue
            await asyncio.sleep(chance.uniform(*PAUSE))
            action, ply, asked = chance.choice(state["actions"])["action"], state["ply"], time.monotonic()
            await socket.send(json.dumps({"type": "play", "action": action, "ply": ply}))
            while state["ply"] == ply and state["your_turn"]:
                state = await self.hear(socket)
            self.shown.append(time.monotonic() - asked)

    async def hear(self, socket: Any) -> dict[str, Any]:
        while (message := json.loads(await socket.recv()))["type"] != "state":
            if message["type"] == "refused":
                raise RuntimeError(message["reason"])
        return message


def measure(count: int, seconds: float) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        own = [Path(folder) / f"heaps_{number}.py" for number in range(count - len(game_names()))]
        for number, path in enumerate(own):
            path.write_text(HEAPS.format(size=3 + number, most=9 + 3 * number), encoding="utf-8")
        games = [*game_names(), *(path.stem for path in own)][:count]
        with serving({"NUMBA_CACHE_DIR": f"{folder}/kernels"}, own) as server:
            visitors = Visitors(server.port, games)
            asyncio.run(visitors.run(seconds))
    missing = [f"{game}: no board" for game in games if game not in visitors.boards]
    boards = sorted(visitors.boards.values()) or [float("nan")]
    return {
        "visitors": count,
        "waits": {kind: {"n": len(times), "longest_s": round(max(times), 3)} for kind, times in visitors.waits.items()},
        "longest_s": round(max(max(times) for times in visitors.waits.values()), 3),
        "click_to_board_ms": {"n": len(visitors.shown), "p50_p95_p99": percentiles(visitors.shown)},
        "boards_s": {"first": boards[0], "median": boards[len(boards) // 2], "last": boards[-1]},
        "boards": visitors.boards,
        "errors": visitors.errors or missing,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--visitors", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=600, help="give up after so long")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    wanted = parser.parse_args()
    found = measure(wanted.visitors, wanted.seconds)
    if wanted.json:
        print_json(found)
    else:
        rows = [(kind, row["n"], f"{row['longest_s']:.3f}") for kind, row in found["waits"].items()]
        p50, p95, p99 = found["click_to_board_ms"]["p50_p95_p99"]
        first, median, last = found["boards_s"].values()
        note = (
            f"click to board: {p50} ms (half), {p95} ms (95 %), {p99} ms (99 %) of {found['click_to_board_ms']['n']}; "
            f"boards came after {first:.0f} s (the first), {median:.0f} s (half of them), {last:.0f} s (the last)"
        )
        print_table(f"{wanted.visitors} visitors, nothing compiled", ("request", "n", "longest s"), rows, note)
    for error in found["errors"]:
        print(f"error: {error}", file=sys.stderr)
    sys.exit(1 if found["errors"] else 0)


if __name__ == "__main__":
    main()
