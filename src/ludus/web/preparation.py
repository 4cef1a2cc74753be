"""Compiling beforehand: whatever a match will call is compiled in another process, once, before its first match.

The server then finds it in the cache on the disk, so that no visitor ever waits for the compiler of another's game.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping, Sequence
from typing import Any

from ludus.arena.live import HUMAN
from ludus.game import Game
from ludus.web import frames, tasks
from ludus.web.offers import Offers
from ludus.web.thinkers import Thinkers

COMPILING = 300.0
"""Seconds of a processor that a game, or one of its agents, may take."""


class Tasks:
    """Tasks that nobody waits for, held until they are done."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task] = set()

    def start(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task:
        task = asyncio.get_running_loop().create_task(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return task

    def cancel(self) -> None:
        for task in list(self._running):
            task.cancel()


class Preparation:
    """What is compiled, and what is being compiled."""

    def __init__(self, offers: Offers, thinkers: Thinkers):
        self.offers, self.thinkers, self.tasks = offers, thinkers, Tasks()
        self._prepared: dict[tuple[str, str], asyncio.Task] = {}
        """A game's rules, or one of its agents."""
        self._portraits: dict[str, asyncio.Task[str]] = {}

    async def rules(self, game: Game, visitor: str, players: int = 0, rules: Mapping[str, Any] | None = None) -> None:
        """Have all rules compiled that the page calls: elsewhere, and once for all who wait for it."""
        setting = (players or game.facts.players[0], game.params.values({}) if rules is None else dict(rules))
        await self.once((game.source, ""), self._compile_rules(game, visitor, setting))

    async def _compile_rules(self, game: Game, visitor: str, setting: tuple[int, dict[str, object]]) -> None:
        await self.thinkers.run(visitor, tasks.prepare, game.source, *setting, seconds=COMPILING, is_slow=True)
        await asyncio.to_thread(frames.rehearse, game, *setting)  # finds everything in the cache

    async def agents(self, game: Game, visitor: str, specs: Sequence[str]) -> None:
        for spec in specs:
            if spec != HUMAN and self.offers.own(spec) is None:
                light = self.offers.light(spec, game)
                work = self.thinkers.run(
                    visitor, tasks.prepare_agent, game.source, light, seconds=COMPILING, is_slow=True
                )
                await self.once((game.source, light.partition(":")[0]), work)

    async def once(self, what: tuple[str, str], work: Coroutine[Any, Any, Any]) -> None:
        """Work whose result all processes find afterwards; further callers wait for the first."""
        if what in self._prepared:
            work.close()
        else:
            self._prepared[what] = self.tasks.start(work)
        try:
            await asyncio.shield(self._prepared[what])
        except Exception:
            self._prepared.pop(what, None)  # it may be that only these rules cannot be played
            raise

    def is_prepared(self, game: Game) -> bool:
        task = self._prepared.get((game.source, ""))
        return task is not None and task.done() and not task.cancelled() and task.exception() is None

    async def portrait(self, game: Game, visitor: str) -> str:
        """A picture of the game for its card."""
        if game.source not in self._portraits:
            work = self.thinkers.run(visitor, tasks.portrait, game.source, seconds=COMPILING, is_slow=True)
            self._portraits[game.source] = self.tasks.start(work)
        return await asyncio.shield(self._portraits[game.source])
