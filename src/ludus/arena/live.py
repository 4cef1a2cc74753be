"""A live match: people and agents around the one stepper, in a terminal or on a page.

Nothing here knows of a screen or a network. People call `play`, `say`, `undo`, `resign`. Whoever drives the match asks
`owed` which agents must answer, hands in what they said (`take_answer`), and gives it when it is due (`release`).
What a viewer may know is said here, once: `view`, `earlier`, `moves` and `thoughts` take a seat's number, or WATCHER.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ludus import kernels
from ludus.agent import Thoughts
from ludus.arena.hosts import Host
from ludus.arena.match import Match, replay
from ludus.catalogue import agent
from ludus.draw.canvas import seat_name
from ludus.errors import AgentFault, BadInput, LudusError
from ludus.game import Game, View
from ludus.records import MatchRecord
from ludus.rng import stream

WATCHER = -1
"""The viewer that has no seat."""
HUMAN = "human"
"""What stands in the place of an agent's spec where a person plays."""
HINT = "mcts:ms=700"
"""Who is asked for a hint."""


class Refused(BadInput):
    """What somebody asked for cannot be done now; the text says why."""


@dataclass
class Seat:
    """A place at the table: a person, or an agent with the host that asks it."""

    spec: str
    host: Host | None = None
    thinking: bool = False
    fault: AgentFault | None = None
    thoughts: Thoughts | None = None
    """Of its last answer."""
    seconds: float = 0.0
    """Thinking time so far."""
    present: bool = True
    """Whether a person looks at the board; else no time is counted."""
    since: float | None = None
    """When the person whose turn it is was last shown the board."""

    @property
    def is_person(self) -> bool:
        return self.spec == HUMAN

    def start_clock(self) -> None:
        if self.is_person and self.present and self.since is None:
            self.since = time.monotonic()

    def stop_clock(self) -> None:
        if self.since is not None:
            self.seconds += time.monotonic() - self.since
            self.since = None


@dataclass(frozen=True)
class Move:
    """One action in words."""

    ply: int
    player: int
    truth: str
    seen: tuple[str | None, ...]
    """What each viewer may read, the watcher's last; None where that is a secret while the match lasts."""


@dataclass(frozen=True)
class Reasons:
    """What an agent thought before it moved: each action in the words of its own view, with value and visits."""

    ply: int
    player: int
    value: float
    actions: tuple[tuple[str, float, int], ...]
    note: str


@dataclass(frozen=True)
class Question:
    """What an agent is asked; `turn` tells a late answer from a timely one."""

    turn: int
    player: int
    view: View
    rng: np.ndarray


class LiveMatch:
    """A match that goes on now."""

    def __init__(self, match: Match, seats: Sequence[Seat]):
        self.match, self.seats = match, list(seats)
        self.game: Game = match.game
        self.turn = 0
        """Grows whenever answers that are still under way lose their meaning."""
        self.ready: dict[int, object] = {}
        """Answers of agents that are not given yet."""
        self._moves: list[Move] = []
        self._secrets: list[tuple[int, np.ndarray, int]] = []
        """Moves that not all may read yet: place in the list, state before it, action."""
        self._reasons: dict[int, Reasons] = {}
        self._earlier: np.ndarray | None = None
        self._movers = match.acting
        self._decisions: list[int] = []
        self._may_undo = len(self.people) == 1 and self.is_open and self._is_certain()
        self._start_clocks()

    # -------------------------------------------------------------------------------------------- facts

    @property
    def people(self) -> list[int]:
        return [player for player, seat in enumerate(self.seats) if seat.is_person]

    @property
    def is_open(self) -> bool:
        """Whether everybody may know everything."""
        return is_open(self.game)

    @property
    def over(self) -> bool:
        return self.match.over

    @property
    def can_undo(self) -> bool:
        return self._may_undo and bool(self._decisions) and not self.over

    @property
    def failed(self) -> int | None:
        """A seat whose agent has failed and was not replaced."""
        return next((player for player, seat in enumerate(self.seats) if seat.fault), None)

    @property
    def choosing(self) -> list[int]:
        """Everybody who chooses in this step, whether or not the choice is made."""
        return [] if self.over else self._movers

    def _is_certain(self) -> bool:
        """Whether no dice fall, and nobody chooses at the same time as another: then taking back teaches nothing."""
        certain = np.empty(1, np.bool_)
        self.game.kernel(kernels.certainties)(self.match.states, certain)
        return bool(certain[0]) and not self.game.facts.simultaneous

    def record(self) -> MatchRecord:
        return self.match.record([seat.spec for seat in self.seats], [seat.seconds for seat in self.seats])

    # -------------------------------------------------------------------------------------------- what people do

    def play(self, player: int, action: object, ply: object) -> None:
        """A person's action. `ply` is that of the position which the person saw."""
        if isinstance(action, bool) or not isinstance(action, int):
            raise Refused("an action is a whole number")
        self._check_turn(player, ply)
        try:
            self._submit(player, action)
        except AgentFault:
            raise Refused("that is not allowed now") from None

    def say(self, player: int, text: object, ply: object) -> None:
        """A person's action in the game's notation."""
        if not isinstance(text, str):
            raise Refused("an action is written as text")
        self._check_turn(player, ply)
        try:
            action = self.match.view(player).parse(text)
        except LudusError as error:
            raise Refused(str(error)) from None
        except (ValueError, LookupError, ArithmeticError, TypeError):  # the game's reader met what it never expected
            raise Refused(f"{text[:60]!r} is no action here") from None
        self.play(player, action, ply)

    def _why_no_undo(self) -> str:
        why = "dice fall in it" if self.is_open else "something is hidden"
        return f"nothing is taken back in this match: {'somebody else plays' if len(self.people) > 1 else why}"

    def undo(self, player: int) -> None:
        """Back to the person's previous decision."""
        self._check_person(player, "take back")
        if not self.can_undo:
            raise Refused("there is nothing to take back" if self._may_undo else self._why_no_undo())
        ply = self._decisions.pop()
        self.match = replay(self.match.record([]), steps=ply, game=self.game)
        self._moves = [move for move in self._moves if move.ply < ply]
        self._earlier, self._movers = None, self.match.acting
        self._new_position()

    def resign(self, player: int) -> None:
        self._check_person(player, "resign")
        self.check_still_on()
        self.match.forfeit(player, "resigned")
        self._new_position()

    def check_still_on(self) -> None:
        if self.over:
            raise Refused("the match is over")

    def _check_person(self, player: int, what: str) -> None:
        if player not in self.people:
            raise Refused(f"only who plays may {what}")

    def _check_turn(self, player: int, ply: object) -> None:
        if player not in self.people:
            raise Refused("you are watching; only who plays may act")
        self.check_still_on()
        if isinstance(ply, bool) or ply != self.match.plies:
            raise Refused("the match has moved on; look at the board again")
        if player not in self.match.acting:
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
        return questions

    def take_answer(self, question: Question, answer: object, seconds: float, thoughts: Thoughts | None = None) -> None:
        """What an agent answered: an action, or the fault that kept it from answering."""
        seat = self.seats[question.player]
        seat.thinking = False
        seat.seconds += seconds
        if question.turn != self.turn:
            return
        if isinstance(answer, AgentFault):
            seat.fault = answer
        else:
            seat.thoughts = thoughts
            self.ready[question.player] = answer

    def release(self) -> None:
        """Give the answers of the agents that have decided."""
        given, self.ready = self.ready, {}
        for player, answer in given.items():
            self._keep_reasons(player)
            try:
                self._submit(player, answer)
            except AgentFault as fault:
                self.seats[player].fault = fault

    def check_failed(self, player: object) -> int:
        """The seat whose agent may be replaced."""
        self.check_still_on()
        if isinstance(player, bool) or not isinstance(player, int) or not 0 <= player < len(self.seats):
            raise Refused("there is no such seat")
        if not self.seats[player].fault:
            raise Refused(f"{seat_name(player)} has not failed")
        return player

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
        self.seats[player].stop_clock()
        if self.seats[player].is_person:
            self._decisions.append(plies)
        if self.match.plies > plies:
            self._note_step(earlier, plies)
            self._new_position()

    def _note_step(self, earlier: np.ndarray, ply: int) -> None:
        views = [View(self.game, earlier, viewer) for viewer in range(len(self.seats))]
        views.append(View.public(self.game, earlier))
        for player, action in zip(self._movers, self.match.actions[-len(self._movers) :]):
            shown = self.is_open or self._is_public(earlier, player, action)
            if not shown:
                self._secrets.append((len(self._moves), earlier, action))
            # A rival's action is put into words with the viewer's own knowledge, so that the words give nothing away.
            seen = tuple(
                self.game.action_text(view.state, player, action) if shown or view.player == player else None
                for view in views
            )
            self._moves.append(Move(ply, player, self.game.action_text(earlier[0], player, action), seen))
        self._earlier, self._movers = earlier, self.match.acting
        self._reveal()

    def _reveal(self) -> None:
        """Put into everybody's words what has come out by now."""
        if not self.game.writes("is_revealed"):
            return
        kept = []
        for place, earlier, action in self._secrets:
            move = self._moves[place]
            if self.game.module.is_revealed(earlier[0], self.match.states[0], move.player, action):
                self._moves[place] = replace(move, seen=(move.truth,) * len(move.seen))
            else:
                kept.append((place, earlier, action))
        self._secrets = kept

    def _is_public(self, earlier: np.ndarray, player: int, action: int) -> bool:
        return self.game.writes("is_public") and bool(self.game.module.is_public(earlier[0], player, action))

    def _new_position(self) -> None:
        self.turn += 1
        self.ready.clear()
        for seat in self.seats:
            seat.stop_clock()
        self._start_clocks()

    def _start_clocks(self) -> None:
        for player in self.match.acting:
            self.seats[player].start_clock()

    # -------------------------------------------------------------------------------------------- what viewers get

    def view(self, viewer: int) -> View:
        """The position now."""
        return self._seen_by(viewer, self.match.states)

    def earlier(self, viewer: int) -> View | None:
        """The position one step earlier."""
        return None if self._earlier is None else self._seen_by(viewer, self._earlier)

    def _seen_by(self, viewer: int, states: np.ndarray) -> View:
        return View.public(self.game, states) if viewer == WATCHER else View(self.game, states, viewer)

    def moves(self, viewer: int) -> list[tuple[int, int, str | None]]:
        """Ply, player and words of every move; no words where the viewer may not know them yet."""
        over = self.over
        return [(move.ply, move.player, move.truth if over else move.seen[viewer]) for move in self._moves]

    def thoughts(self, viewer: int) -> list[Reasons]:
        """In an open game all may read them. Elsewhere they would tell what an agent knows: they stay with the house
        until the match is over, and then only watchers get them, for the seats may play each other again."""
        may_read = self.is_open or (self.over and viewer == WATCHER)
        return list(self._reasons.values()) if may_read else []

    def _keep_reasons(self, player: int) -> None:
        """Before the position changes."""
        thoughts = self.seats[player].thoughts
        if thoughts is None:
            return
        view = self.match.view(player)
        rows = zip(thoughts.actions, thoughts.values, thoughts.visits)
        words = tuple((view.action_text(int(action)), value, visits) for action, value, visits in rows)
        self._reasons[player] = Reasons(self.match.plies, player, thoughts.value, words, thoughts.note)


def is_open(game: Game) -> bool:
    """Whether everybody may know everything in this game."""
    return not (game.facts.hidden or game.facts.secret_actions)


def resume(record: MatchRecord, seats: Sequence[Seat], game: Game) -> LiveMatch:
    """A live match that goes on where its record stops."""
    live = LiveMatch(replay(record, steps=0, game=game), seats)
    answers = iter(record.actions)
    while not live.over:
        given = list(zip(acting := live.match.acting, answers))
        if len(given) < len(acting):
            break
        for player, action in given:
            live._submit(player, action)
    for seat, seconds in zip(live.seats, record.seconds):
        seat.seconds = seconds
    return live


def advise(view: View) -> tuple[int, Thoughts | None]:
    """What a tree search would play in the viewer's place."""
    adviser = agent(HINT, view.game)
    return adviser.act(view, stream(secrets.randbits(48))), adviser.thoughts
