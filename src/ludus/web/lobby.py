"""All live matches, and who thinks when.

Everything that changes a match happens on the event loop; agents think in threads and only their answers come back.
There is no thread and no task for a match: the loop's own timers say when an answer is due.
"""

from __future__ import annotations

import asyncio
import logging
import math
import os
import secrets
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from ludus.arena.hosts import host
from ludus.arena.match import Match
from ludus.catalogue import agent
from ludus.errors import AgentFault, BadInput, BadSpec, LudusError
from ludus.game import Game, View
from ludus.rng import stream
from ludus.web.archive import Archive
from ludus.web.chances import expected_shares
from ludus.web.session import HUMAN, Question, Refused, Seat, Session, described_actions
from ludus.web.shelf import Shelf

MOST_MATCHES = 500
MOST_PROCESSES = 32
"""Agents with processes of their own, over all matches."""
CLOCK = 60.0
"""Seconds that an agent with a process of its own may think about a move. A built-in agent is bounded by its settings,
and may have to be compiled before its first."""
GRACE = 120.0
"""Seconds in which a failed agent may be replaced before it loses."""
IDLE = 600.0
"""Seconds without anybody after which a match that waits for nobody is dropped."""
FORGOTTEN = 24 * 3600.0
"""The same for a match that waits for a person."""
HINT = "mcts:ms=700"
WATCHED_SPEED, PLAYED_SPEED = 1.0, 10.0
"""Steps a second of agents, where nobody says otherwise: among themselves, and against people."""
LONGEST_REST = 2.0
"""Seconds between two estimates for charts, at most."""

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Terms:
    """What a match is opened with; a seat is `human` or an agent's spec."""

    game: str
    seats: Sequence[str]
    preset: str = "default"
    rules: Mapping[str, Any] = field(default_factory=dict)
    seed: int | None = None
    speed: float | None = None
    """Steps a second, where agents set the pace."""


class Full(BadInput):
    """The house has no room for another match."""


class Lobby:
    """The live matches of one server."""

    def __init__(self, shelf: Shelf, archive: Archive):
        self.shelf, self.archive = shelf, archive
        self.sessions: dict[str, Session] = {}
        self._thinkers = ThreadPoolExecutor(os.cpu_count() or 2, "thinker")
        # Waiting for another process takes no time here, so that a slow agent of the user's holds nobody up.
        self._askers = ThreadPoolExecutor(MOST_PROCESSES, "asker")
        self._unreckoned: dict[str, Session] = {}
        self._is_reckoning = False
        self.in_turn = asyncio.Lock()
        """What is only watched moves and is drawn one by one, with a look at all else in between: players go first."""
        self._tasks: set[asyncio.Task] = set()
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._sweep()

    # -------------------------------------------------------------------------------------------- opening and closing

    async def open(self, terms: Terms) -> Session:
        """A new match; its rules are compiled and its agents made in a thread."""
        session = await asyncio.to_thread(self._build, terms)
        self._make_room()
        self._check_processes(session.seats)
        self.sessions[session.id] = session
        self.attend(session)
        return session

    def _build(self, terms: Terms) -> Session:
        game = self.shelf.game(terms.game)
        values = self.shelf.rule_values(game, terms.preset, terms.rules)
        game.check_setting(len(terms.seats), values)
        seed = secrets.randbits(48) if terms.seed is None else terms.seed
        _rehearse(Match(game, len(terms.seats), values, seed=seed))
        seats = [self._seat(spec, game) for spec in terms.seats]
        match = Match(game, len(seats), values, seed=seed)
        speed = terms.speed or (PLAYED_SPEED if HUMAN in terms.seats else WATCHED_SPEED)
        return Session(secrets.token_hex(6), match, seats, speed)

    def _seat(self, spec: str, game: Game) -> Seat:
        if spec == HUMAN:
            return Seat.for_person()
        full = self.shelf.spec(spec, game)
        try:
            return Seat(spec.strip(), host(full, game))
        except LudusError:
            raise
        except Exception as error:  # an agent that does not expect such settings, or a faulty one of the user's
            raise BadSpec(f"{spec} cannot be made: {type(error).__name__}: {error}") from None

    def _check_processes(self, seats: Sequence[Seat]) -> None:
        taken = [*seats, *(seat for session in self.sessions.values() if not session.over for seat in session.seats)]
        if any(seat.is_apart for seat in seats) and sum(seat.is_apart for seat in taken) > MOST_PROCESSES:
            raise Full(f"{MOST_PROCESSES} agents with a process of their own are playing; wait until a match ends")

    def _sweep(self) -> None:
        """Drop matches that nobody has looked at for long: those without a person soon, others after a day."""
        for session in list(self.sessions.values()):
            patience = FORGOTTEN if session.people and not session.over else IDLE
            if not session.audience and time.monotonic() - session.touched > patience:
                self._drop(session)
        self._broom = asyncio.get_running_loop().call_later(IDLE / 10, self._sweep)

    def _make_room(self) -> None:
        finished = [session for session in self.sessions.values() if session.over and not session.audience]
        for session in finished[: max(0, len(self.sessions) + 1 - MOST_MATCHES)]:
            self._drop(session)
        if len(self.sessions) >= MOST_MATCHES:
            raise Full(f"{MOST_MATCHES} matches are open, no more fit; come back when some have ended")

    def _drop(self, session: Session) -> None:
        del self.sessions[session.id]
        session.turn += 1  # answers under way come too late
        self._cancel_timer(session)
        asyncio.get_running_loop().run_in_executor(None, _close_hosts, session)

    def close(self) -> None:
        """End everything that is under way."""
        self._broom.cancel()
        for session in list(self.sessions.values()):
            self._drop(session)
        for task in self._tasks:
            task.cancel()
        for pool in (self._askers, self._thinkers):
            pool.shutdown(wait=False, cancel_futures=True)

    # -------------------------------------------------------------------------------------------- the pace of a match

    def attend(self, session: Session) -> None:
        """To be called after every change: let agents think, and give their answers when these are due."""
        if session.id not in self.sessions:
            return
        if session.over:
            self._end(session)
            return
        for question in session.owed():
            self._start(self._think(session, question))
        self._allow_grace(session)
        self._cancel_timer(session)
        if (due := session.due()) < math.inf:
            delay = max(0.0, due - time.monotonic())
            self._timers[session.id] = asyncio.get_running_loop().call_later(delay, self._release, session)
        self._queue_estimate(session)

    def _release(self, session: Session) -> None:
        if session.people:
            session.release()
            self.attend(session)
        else:
            self._start(self._release_in_turn(session, session.turn))

    async def _release_in_turn(self, session: Session, turn: int) -> None:
        async with self.in_turn:
            if session.turn == turn and session.due() < math.inf:  # it was not paused while it waited
                session.release()
        self.attend(session)

    def _cancel_timer(self, session: Session) -> None:
        if timer := self._timers.pop(session.id, None):
            timer.cancel()

    async def _think(self, session: Session, question: Question) -> None:
        seat = session.seats[question.player]
        pool = self._askers if seat.is_apart else self._thinkers
        answer, seconds = await self._in(pool, _ask, seat, question)
        session.take_answer(question, answer, seconds)
        self.attend(session)

    def _allow_grace(self, session: Session) -> None:
        """Failed agents lose when nobody has replaced them in time."""
        for player, seat in enumerate(session.seats):
            if seat.fault and not seat.has_grace:
                seat.has_grace = True
                asyncio.get_running_loop().call_later(GRACE, self._give_up, session, player, seat)

    def _give_up(self, session: Session, player: int, seat: Seat) -> None:
        if session.id in self.sessions and session.seats[player] is seat:
            session.give_up_on(player)
            self.attend(session)

    async def replace(self, session: Session, viewer: int, player: object, spec: object) -> None:
        """Another agent for one that has failed."""
        number = session.check_replaceable(viewer, player)
        if not isinstance(spec, str) or spec == HUMAN:
            raise Refused("name an agent that shall go on")
        try:
            seat = await asyncio.to_thread(self._seat, spec, session.game)
            self._check_processes([seat])
        except LudusError as error:
            raise Refused(str(error)) from None
        session.check_replaceable(viewer, player)
        session.replace(number, seat)
        self.attend(session)

    def _end(self, session: Session) -> None:
        self._cancel_timer(session)
        if session.saving:
            return
        session.saving = True
        self._start(self._save(session))

    async def _save(self, session: Session) -> None:
        record = session.record()
        await asyncio.to_thread(_close_hosts, session)
        try:
            await asyncio.to_thread(self.archive.keep, session.id, record)
        except LudusError as error:
            session.notice(f"the match could not be kept: {error}")
            log.error("match %s could not be kept: %s", session.id, error)
            return
        session.saved = True
        session.changed()

    # -------------------------------------------------------------------------------------------- advice

    async def hint(self, session: Session, viewer: int) -> dict[str, Any]:
        """What a tree search would play in the viewer's place."""
        if viewer not in session.people or viewer not in session.match.acting:
            raise Refused("a hint is for who is to act")
        if viewer in session.advised:
            raise Refused("a hint is on its way")
        session.advised.add(viewer)
        try:
            return await asyncio.to_thread(_advice, session.match.view(viewer), session.match.plies)
        finally:
            session.advised.discard(viewer)

    def _queue_estimate(self, session: Session) -> None:
        """Have the chances of this position reckoned for the chart, if there is a chart and somebody to see it."""
        if session.wants_estimate():
            self._unreckoned[session.id] = session
            if not self._is_reckoning:
                self._is_reckoning = True
                self._start(self._reckon())

    async def _reckon(self) -> None:
        """Estimates for all matches in turn. They get a tenth of a core: with more to do, charts have gaps, and matches
        do not get slow."""
        try:
            while self._unreckoned:
                session = self._unreckoned.pop(next(iter(self._unreckoned)))
                started = time.monotonic()
                if session.wants_estimate():
                    await self._estimate(session)
                    # The first of a game may have to compile: that is no reason for a long rest.
                    await asyncio.sleep(min(9 * (time.monotonic() - started), LONGEST_REST))
        finally:
            self._is_reckoning = False

    async def _estimate(self, session: Session) -> None:
        match, ply = session.match, session.match.plies
        shares = await self._in(self._thinkers, expected_shares, session.game, match.states.copy())
        if session.match is match:  # nothing was taken back meanwhile
            session.note_chances(ply, shares)
        self._queue_estimate(session)  # the match may have gone on

    # -------------------------------------------------------------------------------------------- threads

    async def _in(self, pool: ThreadPoolExecutor, work: Any, *arguments: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(pool, work, *arguments)

    def _start(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _ask(seat: Seat, question: Question) -> tuple[object, float]:
    """An agent's answer or its fault, and how long it took."""
    assert seat.host is not None
    started = time.perf_counter()
    try:
        answer = seat.host.ask(question.view, question.rng, CLOCK if seat.is_apart else math.inf)
    except AgentFault as fault:
        answer = fault
    except Exception as error:  # such as an answer that cannot be read back from its process
        answer = AgentFault("exception", f"{type(error).__name__}: {error}")
    return answer, time.perf_counter() - started


def _rehearse(match: Match) -> None:
    """Draw and step once: what is not compiled yet is compiled now, in this thread, and not while all wait."""
    Session("", match, [Seat.for_person() for _ in range(match.players)]).frame(-1)
    for player, view in match.waiting().items():
        described_actions(view)
        match.submit(player, int(view.legal[0]))


def _advice(view: View, ply: int) -> dict[str, Any]:
    adviser = agent(HINT, view.game)
    action = adviser.act(view, stream(secrets.randbits(48)))
    clicks = next((row["clicks"] for row in described_actions(view) if row["action"] == action), [])
    value = adviser.thoughts.value if adviser.thoughts else None
    return {
        "type": "hint",
        "ply": ply,
        "action": action,
        "text": view.action_text(action),
        "clicks": clicks,
        "value": value,
    }


def _close_hosts(session: Session) -> None:
    for seat in session.seats:
        if seat.host is not None:
            seat.host.close()
