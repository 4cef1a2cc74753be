"""All live matches: opened, driven, kept move by move, put aside while nobody looks, and found again.

Everything that changes a match happens on the event loop, and nothing there thinks or compiles: built-in agents, hints,
estimates and the compiler work in the processes of `thinkers`, agents of the user's in processes of their own.
There is no thread and no task for a match: the loop's own timers say when an answer is due. A match at which nobody
looks rests.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import anyio

from ludus.agent import Thoughts
from ludus.arena.hosts import host
from ludus.arena.live import HINT, HUMAN, Question, Refused, Seat, resume
from ludus.arena.match import fresh_salt
from ludus.draw.canvas import seat_name
from ludus.errors import AgentFault, BadInput, LudusError
from ludus.game import Game
from ludus.records import MatchRecord
from ludus.web import frames, tasks
from ludus.web.archive import Archive
from ludus.web.estimates import Estimates
from ludus.web.offers import Offers
from ludus.web.preparation import Preparation, Tasks
from ludus.web.session import Session
from ludus.web.thinkers import HOUSE, Thinkers

MOST_MATCHES = 500
"""In memory; of more, those at which nobody looks wait in the store."""
MOST_PROCESSES = 32
"""Agents with processes of their own, over all matches."""
CLOCK = 60.0
"""Seconds that an agent with a process of its own may think about a move."""
THINKING = 8.0
"""Seconds of a processor that a built-in agent may use for a move."""
GRACE = 120.0
"""Seconds in which a failed agent may be replaced before it loses."""
IDLE = 120.0
"""Seconds without anybody after which a match is put aside."""
MOST_LISTED = 100
WATCHED_SPEED, PLAYED_SPEED = 1.0, 10.0
"""Steps a second of agents, where nobody says otherwise: among themselves, and against people."""

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

    def __init__(self, offers: Offers, archive: Archive, thinkers: Thinkers):
        self.offers, self.archive, self.thinkers = offers, archive, thinkers
        self.preparation = Preparation(offers, thinkers)
        self.estimates = Estimates(self.preparation, thinkers)
        self.sessions: dict[str, Session] = {}
        self.in_turn = asyncio.Lock()
        """What is only watched moves and is drawn one by one, with a look at all else in between: players go first."""
        # Waiting for another process takes no time here, so that a slow agent of the user's holds nobody up.
        self._waiting_rooms = anyio.CapacityLimiter(MOST_PROCESSES)
        self._unsaved: dict[str, Session] = {}
        self._keeper: asyncio.Task | None = None
        self._writing = asyncio.Lock()
        self._tasks = Tasks()
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._tasks.start(thinkers.run(HOUSE, tasks.nothing, seconds=THINKING))  # loading takes seconds: begin now
        self._sweep()

    # -------------------------------------------------------------------------------------------- opening

    async def open(self, terms: Terms, visitor: str = "") -> Session:
        """A new match; what it needs is compiled meanwhile, if it never was."""
        session = await asyncio.to_thread(self._build, terms, visitor)
        self._make_room()
        self._check_processes(session)
        self._take_in(session)
        return session

    def _build(self, terms: Terms, visitor: str) -> Session:
        game = self.offers.game(terms.game)
        values = self.offers.rule_values(game, terms.preset, terms.rules)
        game.check_setting(len(terms.seats), values)
        for spec in terms.seats:
            if spec != HUMAN:
                self.offers.check(spec, game)
        record = MatchRecord(
            game=game.source, version=game.facts.version, rules=values, players=len(terms.seats),
            agents=[spec.strip() for spec in terms.seats],
            seed=secrets.randbits(48) if terms.seed is None else terms.seed,
            block=0, rotation=0, actions=[], returns=[], plies=0, outcome="",
            salt=fresh_salt() if terms.seed is None else "",
        )  # fmt: skip
        speed = terms.speed or (PLAYED_SPEED if HUMAN in terms.seats else WATCHED_SPEED)
        return Session(secrets.token_hex(6), game, record, visitor, speed, terms.seed is not None)

    def _take_in(self, session: Session) -> None:
        self.sessions[session.id] = session
        self.keep_soon(session)
        self._tasks.start(self._begin(session))

    async def _begin(self, session: Session) -> None:
        try:
            record = session.record
            await self.preparation.match(session.game, session.opener, record.players, record.rules, record.agents)
            live = await asyncio.to_thread(self._sit_down, session)
        except Exception as error:  # a user's rules may fail in any way
            session.trouble = f"The match cannot be played: {error}"
            session.changed()
            log.error("match %s cannot be played: %s", session.id, error)
            return
        session.begin(live)
        self.attend(session)

    def _sit_down(self, session: Session) -> Any:
        seats = [self._seat(spec, session.game) for spec in session.record.agents]
        return resume(session.record, seats, session.game)

    def _seat(self, spec: str, game: Game) -> Seat:
        own = None if spec == HUMAN else self.offers.own(spec)
        return Seat(spec, host(own, game) if own else None)

    def _check_processes(self, session: Session) -> None:
        taken = [session, *(other for other in self.sessions.values() if not other.over)]
        wanted = [sum(self.offers.own(spec) is not None for spec in one.specs) for one in taken]
        if wanted[0] and sum(wanted) > MOST_PROCESSES:
            raise Full(f"{MOST_PROCESSES} agents with a process of their own are playing; wait until a match ends")

    # -------------------------------------------------------------------------------------------- finding and keeping

    async def find(self, id: str) -> Session | None:
        """A match by its name: here, or in the store since nobody looked at it, or since the server was restarted."""
        if id in self.sessions:
            return self.sessions[id]
        async with self._writing:
            kept = await asyncio.to_thread(self.archive.live, id)
        if kept and id not in self.sessions:  # nobody else asked meanwhile
            self._make_room()
            self._take_in(Session.from_kept(id, self.offers.game(kept["game"]), kept))
        return self.sessions.get(id)

    def keep_soon(self, session: Session) -> None:
        """What has changed is written in one go, as soon as the last writing is done."""
        self._unsaved[session.id] = session
        if self._keeper is None or self._keeper.done():
            self._keeper = self._tasks.start(self._keep_all())

    async def _keep_all(self) -> None:
        while self._unsaved:
            async with self._writing:
                changed, self._unsaved = self._unsaved, {}
                rows = {id: session.kept() for id, session in changed.items() if not session.saving}
                try:
                    await asyncio.to_thread(self.archive.keep_live, rows)
                except LudusError as error:
                    log.error("live matches cannot be kept: %s", error)

    def _sweep(self) -> None:
        """Put aside what nobody has looked at for long."""
        for session in list(self.sessions.values()):
            if not session.audience and time.monotonic() - session.touched > IDLE:
                self._put_aside(session)
        self._tasks.start(asyncio.to_thread(self.archive.forget_live))
        self._broom = asyncio.get_running_loop().call_later(IDLE / 2, self._sweep)

    def _make_room(self) -> None:
        alone = sorted((one for one in self.sessions.values() if not one.audience), key=lambda one: one.touched)
        for session in alone[: max(0, len(self.sessions) + 1 - MOST_MATCHES)]:
            self._put_aside(session)
        if len(self.sessions) >= MOST_MATCHES:
            raise Full(f"{MOST_MATCHES} matches are being looked at, no more fit; come back when some have ended")

    def _put_aside(self, session: Session) -> None:
        """It lies in the store and is found there."""
        del self.sessions[session.id]
        self._cancel_timer(session)
        for _, task in session.thinking.values():
            task.cancel()
        self._tasks.start(asyncio.to_thread(_close_hosts, session))

    async def close(self) -> None:
        """End everything that is under way; what is not over is kept."""
        self._broom.cancel()
        sessions, self.sessions = self.sessions, {}
        if self._keeper:
            await asyncio.wait([self._keeper])
        for tasks_of in (self._tasks, self.preparation.tasks, self.estimates.tasks):
            tasks_of.cancel()
        self.thinkers.close()
        for session in sessions.values():
            self._cancel_timer(session)
            await asyncio.to_thread(_close_hosts, session)

    # -------------------------------------------------------------------------------------------- the pace of a match

    def attend(self, session: Session) -> None:
        """To be called after every change: let agents think, and give their answers when these are due."""
        live = session.live
        if live is None or self.sessions.get(session.id) is not session:
            return
        self._call_off(session)
        if session.over:
            self._end(session)
            return
        if live.turn != session.saved_turn:
            session.saved_turn = live.turn
            self.keep_soon(session)
        questions = live.owed() if session.audience else []
        for question in questions:
            task = self._tasks.start(self._think(session, question))
            session.thinking[question.player] = question.turn, task
        if questions:
            session.changed()
        self._allow_grace(session)
        self._cancel_timer(session)
        if (due := session.due()) < math.inf:
            delay = max(0.0, due - time.monotonic())
            self._timers[session.id] = asyncio.get_running_loop().call_later(delay, self._release, session)
        self.estimates.queue(session)

    def _call_off(self, session: Session) -> None:
        """Nobody waits any longer for what is thought about a position that has passed."""
        assert session.live is not None
        for turn, task in session.thinking.values():
            if turn != session.live.turn:
                task.cancel()

    def _release(self, session: Session) -> None:
        if session.people:
            self._give_answers(session)
        else:
            self._tasks.start(self._release_in_turn(session, session.playing().turn))

    async def _release_in_turn(self, session: Session, turn: int) -> None:
        async with self.in_turn:
            if session.playing().turn == turn and session.due() < math.inf:  # it was not paused while it waited
                self._give_answers(session)

    def _give_answers(self, session: Session) -> None:
        session.playing().release()
        session.has_moved()
        self.attend(session)

    def _cancel_timer(self, session: Session) -> None:
        if timer := self._timers.pop(session.id, None):
            timer.cancel()

    async def _think(self, session: Session, question: Question) -> None:
        live, started = session.playing(), time.monotonic()
        answer: object = AgentFault("timeout", "it was called off")
        thoughts = None
        try:
            answer, thoughts = await self._ask(session, live.seats[question.player], question)
        except AgentFault as fault:
            answer = fault
        finally:
            live.take_answer(question, answer, time.monotonic() - started, thoughts)
            if session.thinking.get(question.player, (0, None))[1] is asyncio.current_task():
                del session.thinking[question.player]
            session.changed()
            self.attend(session)

    async def _ask(self, session: Session, seat: Seat, question: Question) -> tuple[object, Thoughts | None]:
        if seat.host is not None:
            return await anyio.to_thread.run_sync(_ask_host, seat.host, question, limiter=self._waiting_rooms)
        view = question.view
        arguments = (seat.spec, session.game.source, view.states, view.player, question.rng)
        action, word, thoughts = await self.thinkers.run(session.opener, tasks.answer, *arguments, seconds=THINKING)
        question.rng[:] = word
        return action, thoughts

    def _allow_grace(self, session: Session) -> None:
        """Failed agents lose when nobody has replaced them in time."""
        for player, seat in enumerate(session.playing().seats):
            if seat.fault and session.given_grace.get(player) is not seat:
                session.given_grace[player] = seat
                asyncio.get_running_loop().call_later(GRACE, self._give_up, session, player, seat)

    def _give_up(self, session: Session, player: int, seat: Seat) -> None:
        if session.id in self.sessions and session.playing().seats[player] is seat:
            session.playing().give_up_on(player)
            session.has_moved()
            self.attend(session)

    async def replace(self, session: Session, viewer: int, player: object, spec: object) -> None:
        """Another agent for one that has failed."""
        live = session.playing()
        if not session.may_control(viewer):
            raise Refused("only who plays may choose another agent")
        number = live.check_failed(player)
        if not isinstance(spec, str) or spec == HUMAN:
            raise Refused("name an agent that shall go on")
        try:
            await asyncio.to_thread(self.offers.check, spec, session.game)
            seat = await asyncio.to_thread(self._seat, spec.strip(), session.game)
        except LudusError as error:
            raise Refused(str(error)) from None
        live.check_failed(player)
        failed, live.seats[number] = live.seats[number], seat
        try:
            self._check_processes(session)
        except Full as full:
            live.seats[number] = failed
            raise Refused(str(full)) from None
        session.notice(f"{seat_name(number)} is now played by {seat.spec}")
        self.attend(session)

    def _end(self, session: Session) -> None:
        self._cancel_timer(session)
        if not session.saving:
            session.saving = True
            self._tasks.start(self._save(session))

    async def _save(self, session: Session) -> None:
        record = session.playing().record()
        await asyncio.to_thread(_close_hosts, session)
        try:
            async with self._writing:
                await asyncio.to_thread(self.archive.keep, session.id, record)
        except LudusError as error:
            session.notice(f"the match could not be kept: {error}")
            log.error("match %s could not be kept: %s", session.id, error)
            return
        session.saved = True
        session.changed()

    # -------------------------------------------------------------------------------------------- advice

    async def hint(self, session: Session, viewer: int, visitor: str) -> dict[str, Any]:
        """What a tree search would play in the viewer's place."""
        live = session.playing()
        if viewer not in session.people or viewer not in live.match.acting:
            raise Refused("a hint is for who is to act")
        if viewer in session.advised:
            raise Refused("a hint is on its way")
        session.advised.add(viewer)
        view, ply = live.view(viewer), live.match.plies
        try:
            await self.preparation.match(session.game, visitor, specs=[HINT])
            arguments = (session.game.source, view.states, viewer)
            action, thoughts = await self.thinkers.run(visitor, tasks.hint, *arguments, seconds=THINKING)
        except AgentFault as fault:
            raise Refused(f"no hint: {fault}") from None
        finally:
            session.advised.discard(viewer)
        clicks = next((row["clicks"] for row in frames.described_actions(view) if row["action"] == action), [])
        told = {"type": "hint", "ply": ply, "action": action, "text": view.action_text(action), "clicks": clicks}
        return told | {"value": thoughts.value if thoughts else None}

    # -------------------------------------------------------------------------------------------- the list

    async def listed(self) -> list[dict[str, Any]]:
        """The latest live matches, those that rest in the store included."""
        kept = await asyncio.to_thread(self.archive.all_live, MOST_LISTED)
        here = {id: session for id, session in self.sessions.items() if session.audience or not session.over}
        rows = [described_match(session) for session in here.values()]
        for id in kept.keys() - here.keys():
            with contextlib.suppress(LudusError):  # a game that is no longer offered
                game = self.offers.game(kept[id]["game"])
                rows.append(described_match(Session.from_kept(id, game, kept[id])))
        return rows


def _ask_host(asked: Any, question: Question) -> tuple[object, Thoughts | None]:
    """The answer of an agent in a process of its own."""
    try:
        answer = asked.ask(question.view, question.rng, CLOCK)
    except AgentFault:
        raise
    except Exception as error:  # such as an answer that cannot be read back from its process
        raise AgentFault("exception", f"{type(error).__name__}: {error}") from error
    return answer, getattr(asked, "thoughts", None)


def _close_hosts(session: Session) -> None:
    for seat in session.live.seats if session.live else ():
        if seat.host is not None:
            seat.host.close()


def described_match(session: Session) -> dict[str, Any]:
    return {
        "id": session.id,
        "game": session.game.name,
        "title": session.game.facts.title,
        "players": len(session.specs),
        "seats": described_seats(session.specs),
        "plies": session.plies,
        "over": session.over,
        "prepared": session.live is not None,
        "watchers": len(session.audience),
    }


def described_seats(specs: Sequence[str]) -> list[dict[str, Any]]:
    return [
        {"seat": player, "kind": HUMAN} if spec == HUMAN else {"seat": player, "kind": "agent", "spec": spec}
        for player, spec in enumerate(specs)
    ]
