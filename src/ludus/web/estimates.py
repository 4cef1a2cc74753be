"""The chances beside a board, reckoned in another process whenever nobody needs it for anything else."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import numpy as np

from ludus.errors import AgentFault
from ludus.game import Game
from ludus.web import tasks
from ludus.web.archive import Playback
from ludus.web.chances import Chances
from ludus.web.preparation import COMPILING, Preparation, Tasks
from ludus.web.session import Session
from ludus.web.thinkers import HOUSE, Thinkers

AT_A_TIME = 6
"""Positions of a replay that are valued in one go."""
THINKING = 8.0
"""Seconds of a processor that those may take."""

log = logging.getLogger(__name__)


class Estimates:
    def __init__(self, preparation: Preparation, thinkers: Thinkers):
        self.preparation, self.thinkers, self.tasks = preparation, thinkers, Tasks()
        self._unreckoned: dict[str, Session] = {}
        self._reckoner: asyncio.Task | None = None

    def queue(self, session: Session) -> None:
        """Have the chances of this position reckoned for the curve, if there is one and somebody to see it. The house
        does it one by one, after all else: with more to do, curves have gaps, and matches do not get slow."""
        if session.wants_estimate():
            self._unreckoned[session.id] = session
            if self._reckoner is None or self._reckoner.done():
                self._reckoner = self.tasks.start(self._reckon())

    async def _reckon(self) -> None:
        while self._unreckoned:
            session = self._unreckoned.pop(next(iter(self._unreckoned)))
            if session.wants_estimate():
                await self._estimate(session)
                self.queue(session)  # the match may have gone on

    async def _estimate(self, session: Session) -> None:
        match = session.playing().match
        ply, states = match.plies, match.states.copy()
        try:
            (chances,) = await self.of(session.game, states)
        except AgentFault as fault:
            log.warning("no chances for %s: %s", session.game.name, fault)
            session.has_estimates = False
            return
        if session.playing().match is match:  # nothing was taken back meanwhile
            session.note_chances(ply, chances)

    async def of(self, game: Game, states: Any) -> list[Chances]:
        """The chances in each position."""
        first = self.thinkers.run(HOUSE, tasks.estimate, game.source, states[:1], seconds=COMPILING, is_slow=True)
        await self.preparation.once((game.source, "chances"), first)
        return await self.thinkers.run(HOUSE, tasks.estimate, game.source, states, seconds=THINKING)

    async def curve(self, playback: Playback) -> list[Chances | None]:
        """The chances over a finished match; a few positions at a time, so that others get their turn."""
        if playback.chances is None:
            plies, last = playback.charted(), len(playback.states) - 1
            found: list[Chances | None] = [None] * (last + 1)
            for few in (plies[k : k + AT_A_TIME] for k in range(0, len(plies), AT_A_TIME)):
                states = np.concatenate([playback.states[ply] for ply in few])
                for ply, chances in zip(few, await self.of(playback.game, states)):
                    found[ply] = chances
            found[last] = Chances.certain(playback.record.shares)
            playback.chances = found
        return playback.chances
