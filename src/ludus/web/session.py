"""One live match: people, agents and those who watch, around the one stepper.

Nothing here knows of a network. People call `play`, `undo`, …; whoever drives the match asks `owed` which agents should
think, hands in their answers, and calls `release` when these are due. What a viewer gets is `frame(viewer)`, computed
from the viewer's own masked view: a seat's number, or WATCHER.
"""

from __future__ import annotations

import hmac
import json
import logging
import math
import secrets
import time
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from ludus import kernels
from ludus.agent import Thoughts
from ludus.arena.hosts import Here, Host
from ludus.arena.match import Match, replay
from ludus.draw import choices, default, picture
from ludus.draw.canvas import seat_name
from ludus.errors import AgentFault, BadInput, LudusError
from ludus.game import Game, View
from ludus.records import MatchRecord

WATCHER = -1
"""The viewer that has no seat."""
HUMAN = "human"
SLOWEST, FASTEST = 0.1, 20.0
"""Steps a second."""
CANDIDATES = 8
"""Actions that an agent's thoughts tell of."""


class Refused(BadInput):
    """What a viewer asked for cannot be done now; the text says why."""


class Listener(Protocol):
    """Somebody who looks at the match."""

    seat: int

    def refresh(self) -> None:
        """There is a new frame to fetch."""

    def tell(self, message: dict[str, Any]) -> None: ...


@dataclass
class Seat:
    """A place at the table: a person with a secret key, or an agent with a host."""

    spec: str
    host: Host | None = None
    key: str = field(default="", repr=False)  # not for logs
    thinking: bool = False
    fault: AgentFault | None = None
    has_grace: bool = False
    """Whether it is being waited for somebody to replace the failed agent."""
    thoughts: Thoughts | None = None
    seconds: float = 0.0

    @classmethod
    def for_person(cls) -> Seat:
        return cls(HUMAN, key=secrets.token_urlsafe(16))

    @property
    def is_person(self) -> bool:
        return self.spec == HUMAN

    @property
    def is_apart(self) -> bool:
        """Whether its agent has a process of its own."""
        return self.host is not None and not isinstance(self.host, Here)


@dataclass(frozen=True)
class Move:
    ply: int
    player: int
    truth: str
    seen: tuple[str | None, ...]
    """What each viewer may read, the watcher's last; None where that is a secret while the match lasts."""


@dataclass(frozen=True)
class Question:
    """What an agent is asked; `turn` tells a late answer from a timely one."""

    turn: int
    player: int
    view: View
    rng: np.ndarray


@dataclass
class Session:
    """A live match and everybody around it."""

    id: str
    match: Match
    seats: list[Seat]
    speed: float = 1.0
    paused: bool = False
    stepping: bool = False
    """Paused but for one step, as soon as the agents have decided."""
    turn: int = 0
    """Grows whenever answers that are still under way lose their meaning."""
    saving: bool = False
    saved: bool = False
    advised: set[int] = field(default_factory=set)
    """People for whom a hint is being thought out."""
    touched: float = field(default_factory=time.monotonic)
    """When somebody last did something here."""
    moved: float = field(default_factory=time.monotonic)
    """When the last step was taken."""
    audience: list[Listener] = field(default_factory=list)
    ready: dict[int, object] = field(default_factory=dict)
    """Answers of agents that are not due yet."""
    moves: list[Move] = field(default_factory=list)
    chances: list[list[float] | None] = field(default_factory=lambda: [None])
    """Expected shares before each ply and now, where they were reckoned."""

    def __post_init__(self) -> None:
        self.game: Game = self.match.game
        self._earlier: np.ndarray | None = None
        self._movers = self.match.acting
        self._decisions: list[int] = []
        self._scenes: dict[int, dict[str, Any]] = {}
        self._texts: dict[int, str] = {}
        self._thoughts: dict[int, dict[str, Any]] = {}
        self._may_undo = len(self.people) == 1 and self.is_open and self._is_certain()

    # -------------------------------------------------------------------------------------------- facts

    @property
    def people(self) -> list[int]:
        return [player for player, seat in enumerate(self.seats) if seat.is_person]

    @property
    def is_open(self) -> bool:
        """Whether everybody may know everything."""
        facts = self.game.facts
        return not (facts.hidden or facts.secret_actions)

    @property
    def has_chart(self) -> bool:
        """Whether the chances may be shown: they come from the truth, and must tell nobody who plays what it hides."""
        return self.is_open or not self.people

    @property
    def over(self) -> bool:
        return self.match.over

    @property
    def can_undo(self) -> bool:
        return self._may_undo and bool(self._decisions) and not self.over

    def _is_certain(self) -> bool:
        """Whether no dice fall, and nobody chooses at the same time as another: then taking back teaches nothing."""
        certain = np.empty(1, np.bool_)
        self.game.kernel(kernels.certainties)(self.match.states, certain)
        return bool(certain[0]) and not self.game.facts.simultaneous

    def viewer_with(self, key: str) -> int | None:
        """The seat that a key opens; without a key one watches; None if it opens nothing."""
        if not key:
            return WATCHER
        for player in self.people:
            if hmac.compare_digest(self.seats[player].key.encode(), key.encode("utf-8", "replace")):
                return player
        return None

    def may_control(self, viewer: int) -> bool:
        """Pausing and pace belong to those who play, and to all where nobody plays."""
        return viewer != WATCHER or not self.people

    def wants_estimate(self) -> bool:
        """Whether somebody would see the chances of this position, and nobody knows them yet."""
        return self.has_chart and bool(self.audience) and self.chances[-1] is None

    def note_chances(self, ply: int, shares: list[float]) -> None:
        self.chances[ply] = shares
        self._texts.clear()
        if self.people or self.paused:  # else the next step will show it soon enough
            self.changed()

    def record(self) -> MatchRecord:
        return self.match.record([seat.spec for seat in self.seats], [seat.seconds for seat in self.seats])

    # -------------------------------------------------------------------------------------------- what people do

    def play(self, viewer: int, action: object, ply: object) -> None:
        """A person's action. `ply` is that of the position which the person saw."""
        if isinstance(action, bool) or not isinstance(action, int):
            raise Refused("an action is a whole number")
        self._check_turn(viewer, ply)
        try:
            self._submit(viewer, action)
        except AgentFault:
            raise Refused("that is not allowed now") from None

    def say(self, viewer: int, text: object, ply: object) -> None:
        """A person's action in the game's notation."""
        if not isinstance(text, str):
            raise Refused("an action is written as text")
        self._check_turn(viewer, ply)
        try:
            action = self.match.view(viewer).parse(text)
        except LudusError as error:
            raise Refused(str(error)) from None
        except (ValueError, LookupError, ArithmeticError, TypeError):  # the game's reader met what it never expected
            raise Refused(f"{text[:60]!r} is no action here") from None
        self.play(viewer, action, ply)

    def undo(self, viewer: int) -> None:
        """Back to the person's previous decision."""
        if viewer not in self.people:
            raise Refused("only who plays may take back")
        if not self.can_undo:
            raise Refused("there is nothing to take back" if self._may_undo else "nothing is taken back in this match")
        ply = self._decisions.pop()
        self.match = replay(self.match.record([]), steps=ply, game=self.game)
        self.moves = [move for move in self.moves if move.ply < ply]
        del self.chances[ply + 1 :]
        self._earlier, self._movers = None, self.match.acting
        self._new_position()

    def resign(self, viewer: int) -> None:
        if viewer not in self.people:
            raise Refused("only who plays may resign")
        self._check_still_on()
        self.match.forfeit(viewer, "resigned")
        self._new_position()

    def control(self, viewer: int, order: str, value: object = None) -> None:
        """Pause, resume, step, or set the speed."""
        if not self.may_control(viewer):
            raise Refused("the pace is set by those who play")
        self._check_still_on()
        if order == "speed":
            self.speed = self._read_speed(value)
        else:
            self.paused = order != "resume"
            self.stepping = order == "step"
        self.changed()

    def _read_speed(self, value: object) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float) or not SLOWEST <= value <= FASTEST:
            raise Refused(f"the speed is a number of steps a second, {SLOWEST:g} to {FASTEST:g}")
        return float(value)

    def _check_still_on(self) -> None:
        if self.over:
            raise Refused("the match is over")

    def _check_turn(self, viewer: int, ply: object) -> None:
        if viewer not in self.people:
            raise Refused("you are watching; only who plays may act")
        self._check_still_on()
        if isinstance(ply, bool) or ply != self.match.plies:
            raise Refused("the match has moved on; look at the board again")
        if viewer not in self.match.acting:
            raise Refused("it is not your turn")

    # -------------------------------------------------------------------------------------------- what agents do

    def owed(self) -> list[Question]:
        """Questions to agents that owe an answer; each counts as thinking until its answer is taken."""
        questions = []
        for player in self.match.acting:
            seat = self.seats[player]
            if not (seat.is_person or seat.thinking or seat.fault or player in self.ready):
                seat.thinking = True
                questions.append(Question(self.turn, player, self.match.view(player), self.match.stream(player)))
        if questions:
            self.changed()
        return questions

    def take_answer(self, question: Question, answer: object, seconds: float) -> None:
        """What an agent answered: an action, or the fault that kept it from answering."""
        seat = self.seats[question.player]
        seat.thinking = False
        seat.seconds += seconds
        if question.turn == self.turn:
            if isinstance(answer, AgentFault):
                self._fail(question.player, answer)
            else:
                seat.thoughts = getattr(getattr(seat.host, "agent", None), "thoughts", None)
                self.ready[question.player] = answer

    def due(self) -> float:
        """When the answers in `ready` may be given; infinity if there are none, or while the match is paused."""
        if not self.ready or (self.paused and not self.stepping):
            return math.inf
        return self.moved + (0 if self.stepping else 1 / self.speed)

    def release(self) -> None:
        """Give the answers of the agents that have decided."""
        given, self.ready = self.ready, {}
        for player, answer in given.items():
            self._keep_thoughts(player)
            try:
                self._submit(player, answer)
            except AgentFault as fault:
                self._fail(player, fault)
        self._share_thoughts()

    def _fail(self, player: int, fault: AgentFault) -> None:
        self.seats[player].fault = fault
        name = f"{seat_name(player)} ({self.seats[player].spec})"
        self.notice(f"{name} has failed: {fault}. Choose another agent to go on.")
        self.changed()

    def check_replaceable(self, viewer: int, player: object) -> int:
        """The seat whose agent the viewer may replace."""
        self._check_still_on()
        if not self.may_control(viewer):
            raise Refused("only who plays may choose another agent")
        if isinstance(player, bool) or not isinstance(player, int) or not 0 <= player < len(self.seats):
            raise Refused("there is no such seat")
        if not self.seats[player].fault:
            raise Refused(f"{seat_name(player)} has not failed")
        return player

    def replace(self, player: int, seat: Seat) -> None:
        """Go on with another agent."""
        self.seats[player] = seat
        self.notice(f"{seat_name(player)} is now played by {seat.spec}")
        self.changed()

    def give_up_on(self, player: int) -> None:
        """Nobody has replaced a failed agent: it loses."""
        fault = self.seats[player].fault
        if fault and not self.over:
            self.match.forfeit(player, fault.reason, str(fault))
            self._new_position()

    # -------------------------------------------------------------------------------------------- steps

    def _submit(self, player: int, action: object) -> None:
        earlier, plies = self.match.states.copy(), self.match.plies
        self.match.submit(player, action)
        if self.seats[player].is_person:
            self._decisions.append(plies)
            self.touched = time.monotonic()
        if self.match.plies > plies:
            self._note_step(earlier, plies)
            self._new_position()
        else:
            self._scenes.clear()
            self.changed()

    def _note_step(self, earlier: np.ndarray, ply: int) -> None:
        views = [View(self.game, earlier, viewer) for viewer in range(len(self.seats))]
        views.append(View.public(self.game, earlier))
        for player, action in zip(self._movers, self.match.actions[-len(self._movers) :]):
            shown = self._is_public(earlier, player, action)
            # A rival's action is put into words with the viewer's own knowledge, so that the words give nothing away.
            seen = tuple(
                self.game.action_text(view.state, player, action) if shown or view.player == player else None
                for view in views
            )
            self.moves.append(Move(ply, player, self.game.action_text(earlier[0], player, action), seen))
        self._earlier, self._movers = earlier, self.match.acting
        self.chances.append(None)
        self.moved = time.monotonic()

    def _is_public(self, earlier: np.ndarray, player: int, action: int) -> bool:
        if self.is_open:
            return True
        return self.game.writes("is_public") and bool(self.game.module.is_public(earlier[0], player, action))

    def _new_position(self) -> None:
        self.turn += 1
        self.stepping = False
        self.ready.clear()
        self._scenes.clear()
        if self.over:
            self.chances[-1] = self.record().shares
        self.changed()

    # -------------------------------------------------------------------------------------------- what viewers get

    def changed(self) -> None:
        """Everybody needs a new frame."""
        self._texts.clear()
        for listener in self.audience:
            listener.refresh()

    def tell(self, message: dict[str, Any], to_seats: bool = True) -> None:
        for listener in self.audience:
            if to_seats or listener.seat == WATCHER:
                listener.tell(message)

    def notice(self, text: str) -> None:
        self.tell({"type": "notice", "text": text})

    def join(self, listener: Listener) -> None:
        self.touched = time.monotonic()
        self.audience.append(listener)
        self.changed()

    def leave(self, listener: Listener) -> None:
        self.touched = time.monotonic()
        self.audience.remove(listener)
        if listener.seat != WATCHER and not self._is_connected(listener.seat) and not self.over:
            self.notice(f"{seat_name(listener.seat)} has left; the link still works")
        self.changed()

    def _is_connected(self, player: int) -> bool:
        return any(listener.seat == player for listener in self.audience)

    def frame_text(self, viewer: int) -> str:
        """The frame as JSON; made once for all who see the same."""
        if viewer not in self._texts:
            self._texts[viewer] = json.dumps(self.frame(viewer), separators=(",", ":"))
        return self._texts[viewer]

    def frame(self, viewer: int) -> dict[str, Any]:
        """The whole state of the match as a viewer may know it."""
        if viewer not in self._scenes:
            self._scenes[viewer] = self._scene(viewer)
        fault = next((player for player, seat in enumerate(self.seats) if seat.fault), None)
        return self._scenes[viewer] | {
            "header": self._header(),
            "can_undo": self.can_undo and viewer in self.people,
            "can_control": self.may_control(viewer) and not self.over,
            "paused": self.paused,
            "speed": self.speed,
            "fault": None if fault is None else {"seat": fault, "reason": str(self.seats[fault].fault)},
            "chances": self.chances if self.has_chart else None,
            "id_replay": self.id if self.saved else None,
        }

    def _scene(self, viewer: int) -> dict[str, Any]:
        """What changes only with a step."""
        match = self.match
        view, before = self._view(match.states, viewer), None
        if self._earlier is not None:
            before = self._view(self._earlier, viewer)
        can_act = viewer in match.acting
        return {
            "type": "state",
            "seat": viewer,
            "ply": match.plies,
            "svg": drawn(view, before, can_act),
            "to_act": match.acting,
            "your_turn": can_act,
            "actions": described_actions(view) if can_act else [],
            "moves": [self._move(move, viewer) for move in self.moves],
            "over": match.over,
            "outcome_text": outcome_in_words(match) if match.over else "",
            "returns": finite(match.returns),
        }

    def _view(self, states: np.ndarray, viewer: int) -> View:
        return View.public(self.game, states) if viewer == WATCHER else View(self.game, states, viewer)

    def _move(self, move: Move, viewer: int) -> dict[str, Any]:
        text = move.truth if self.over else move.seen[viewer]  # the watcher's is the last
        return {"ply": move.ply, "player": move.player, "text": text}

    def _header(self) -> dict[str, Any]:
        seats = [
            {
                "seat": player,
                "name": seat_name(player) if seat.is_person else seat.spec,
                "kind": HUMAN if seat.is_person else "agent",
                "connected": self._is_connected(player) if seat.is_person else True,
                "thinking": seat.thinking,
            }
            for player, seat in enumerate(self.seats)
        ]
        return {"game": self.game.name, "title": self.game.facts.title, "players": len(seats), "seats": seats}

    # -------------------------------------------------------------------------------------------- thoughts

    def _keep_thoughts(self, player: int) -> None:
        """An agent's reasons, in the words of its own view; before the position changes."""
        thoughts = self.seats[player].thoughts
        if thoughts is None:
            return
        view = self.match.view(player)
        rows = list(zip(thoughts.actions, thoughts.values, thoughts.visits))[:CANDIDATES]
        self._thoughts[player] = {
            "type": "thoughts",
            "player": player,
            "ply": self.match.plies,
            "value": thoughts.value,
            "actions": [{"text": view.action_text(int(a)), "value": value, "visits": n} for a, value, n in rows],
            "note": thoughts.note,
        }

    def _share_thoughts(self) -> None:
        """In an open game all may read them. Elsewhere they would tell what an agent knows: they stay with the house
        until the match is over, and then only watchers get them, for the seats may play each other again."""
        if self.is_open or self.over:
            for message in self._thoughts.values():
                self.tell(finite(message), to_seats=self.is_open)
            self._thoughts.clear()


# ------------------------------------------------------------------------------------------------ views as data


def drawn(view: View, before: View | None, can_act: bool) -> str:
    """The picture of a view; a game whose own picture fails is shown as text, and the match goes on."""
    try:
        return picture(view, before, can_act)
    except Exception:
        logging.getLogger(__name__).exception("the picture of %s failed", view.game.name)
        return default.draw(view, before).svg()


def described_actions(view: View) -> list[dict[str, Any]]:
    """The viewer's legal actions: number, text, and the parts to click."""
    try:
        clicks = choices(view)
    except Exception:
        logging.getLogger(__name__).exception("the clicks of %s failed", view.game.name)
        clicks = {int(action): () for action in view.legal}
    return [{"action": a, "text": view.action_text(a), "clicks": list(parts)} for a, parts in clicks.items()]


def outcome_in_words(match: Match) -> str:
    """How the match ended, with seats counted from 1."""
    if match.culprit < 0:
        return match.outcome_text()
    if match.outcome == "resigned":
        return f"{seat_name(match.culprit)} resigned"
    return f"{seat_name(match.culprit)} loses by {match.outcome}" + (f": {match.detail}" if match.detail else "")


def finite(value: Any) -> Any:
    """JSON has no word for infinity: such a number is null."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {key: finite(inner) for key, inner in value.items()}
    return [finite(inner) for inner in value] if isinstance(value, list | tuple) else value
