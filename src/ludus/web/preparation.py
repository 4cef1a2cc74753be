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
from ludus.web.thinkers import HOUSE, Thinkers

COMPILING = 300.0
"""Seconds of a processor that a game, or one of its agents, may take."""
PATIENCE = 0.05
"""Seconds that a picture is waited for."""


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

    async def match(
        self, game: Game, visitor: str, players: int = 0, rules: Mapping[str, Any] | None = None,
        specs: Sequence[str] = (),
    ) -> None:  # fmt: skip
        """Have everything compiled that a match calls: elsewhere, in one go, and once for all who wait for it."""
        own = (game.source, "")
        if own in self._prepared:
            await self._finished(own)
        lights = {(game.source, light.partition(":")[0]): light for light in self._lights(game, specs)}
        missing = [what for what in (own, *lights) if what not in self._prepared]
        setting = (players or game.facts.players[0], game.params.values({}) if rules is None else dict(rules))
        if missing:
            new = [lights[what] for what in missing if what in lights]
            task = self.tasks.start(self._compile(game, visitor, setting if own in missing else None, new))
            self._prepared |= dict.fromkeys(missing, task)
        for what in (own, *lights):
            await self._finished(what)

    def _lights(self, game: Game, specs: Sequence[str]) -> list[str]:
        return [self.offers.light(spec, game) for spec in specs if spec != HUMAN and self.offers.own(spec) is None]

    async def _compile(
        self, game: Game, visitor: str, setting: tuple[int, dict[str, object]] | None, agents: list[str]
    ) -> None:
        """A process that has just compiled the rules compiles agents sooner; and whoever comes first has a board first,
        where many wait."""
        await self.thinkers.run(
            visitor, tasks.prepare, game.source, setting, agents, seconds=COMPILING, is_slow=True
        )  # fmt: skip
        if setting:
            await asyncio.to_thread(frames.rehearse, game, *setting)  # finds everything in the cache

    async def once(self, what: tuple[str, str], work: Coroutine[Any, Any, Any]) -> None:
        """Work whose result all processes find afterwards; further callers wait for the first."""
        if what in self._prepared:
            work.close()
        else:
            self._prepared[what] = self.tasks.start(work)
        await self._finished(what)

    async def _finished(self, what: tuple[str, str]) -> None:
        try:
            await asyncio.shield(self._prepared[what])
        except Exception:
            self._prepared.pop(what, None)  # it may be that only these rules cannot be played
            raise

    def is_prepared(self, game: Game) -> bool:
        task = self._prepared.get((game.source, ""))
        return task is not None and task.done() and not task.cancelled() and task.exception() is None

    async def portrait(self, game: Game) -> str | None:
        """A picture of the game for its card; None while it is being drawn, since a browser that waits for some
        pictures asks for nothing else."""
        if game.source not in self._portraits:
            self._portraits[game.source] = self.tasks.start(self._draw(game))
        done, _ = await asyncio.wait([self._portraits[game.source]], timeout=PATIENCE)
        return done.pop().result() if done else None

    async def _draw(self, game: Game) -> str:
        if (game.source, "") in self._prepared:
            await self._finished((game.source, ""))  # what is being compiled need not be compiled twice
        return await self.thinkers.run(HOUSE, tasks.portrait, game.source, seconds=COMPILING, is_slow=True)
