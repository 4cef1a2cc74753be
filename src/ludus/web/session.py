"""One match on the page: who may enter, who looks on, and at which pace it goes.

The match itself is `arena.live`; it is None until everything that it calls has been compiled.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import math
import secrets
import time
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol

from ludus.arena.live import HUMAN, WATCHER, LiveMatch, Refused, Seat, is_open
from ludus.disk import finite
from ludus.draw.canvas import seat_name
from ludus.game import Game
from ludus.records import MatchRecord
from ludus.web import frames
from ludus.web.chances import Chances

SLOWEST, FASTEST = 0.1, 20.0
"""Steps a second."""


class Listener(Protocol):
    """Somebody who looks at the match."""

    seat: int

    def refresh(self) -> None:
        """There is a new frame to fetch."""

    def tell(self, message: dict[str, Any]) -> None: ...


@dataclass
class Lock:
    """What opens a person's seat: an invitation, which is used once, or the key that it was exchanged for. Only a
    digest is kept, so that whoever reads the store can play for nobody."""

    digest: str = field(repr=False)
    is_invitation: bool = False

    def opens_with(self, secret: str) -> bool:
        return hmac.compare_digest(self.digest, _digest(secret))


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


@dataclass(eq=False)
class Session:
    """A match on the page and everybody around it."""

    id: str
    game: Game
    record: MatchRecord
    """What the match begins with, or had come to when it was put aside."""
    opener: str = HUMAN
    """The visitor in whose name its agents think."""
    speed: float = 1.0
    seed_chosen: bool = False
    """Whether somebody chose the luck of the match beforehand."""
    locks: dict[int, Lock] = field(default_factory=dict)
    chances: list[Chances | None] = field(default_factory=lambda: [None])
    """Before each ply and now, where they were reckoned."""
    paused: bool = False
    stepping: bool = False
    """Paused but for one step, as soon as the agents have decided."""
    live: LiveMatch | None = None
    trouble: str = ""
    """Why there will be no match."""
    saving: bool = False
    saved: bool = False
    saved_turn: int = -1
    """The turn that the store knows."""
    touched: float = field(default_factory=time.monotonic)
    """When somebody last did something here."""
    moved: float = field(default_factory=time.monotonic)
    """When the last step was taken."""
    audience: list[Listener] = field(default_factory=list)
    advised: set[int] = field(default_factory=set)
    """People for whom a hint is being thought out."""
    given_grace: dict[int, Seat] = field(default_factory=dict)
    """Failed agents whose replacement is being waited for."""
    has_estimates: bool = True
    """Whether chances can be reckoned for this game in the time that there is."""
    thinking: dict[int, tuple[int, asyncio.Task]] = field(default_factory=dict)
    """For each agent that thinks, in which turn, and the task that waits for it."""

    def __post_init__(self) -> None:
        self._scenes: dict[int, dict[str, Any]] = {}
        self._texts: dict[int, str] = {}

    # -------------------------------------------------------------------------------------------- facts

    @property
    def specs(self) -> list[str]:
        return [seat.spec for seat in self.live.seats] if self.live else self.record.agents

    @property
    def people(self) -> list[int]:
        return [player for player, spec in enumerate(self.specs) if spec == HUMAN]

    @property
    def plies(self) -> int:
        return self.live.match.plies if self.live else self.record.plies

    @property
    def over(self) -> bool:
        return self.live is not None and self.live.over

    @property
    def has_chart(self) -> bool:
        """Whether the chances may be shown: they come from the truth, and must tell nobody who plays what it hides."""
        return is_open(self.game) or not self.people

    @property
    def invited(self) -> list[int]:
        """Seats whose person has not come yet."""
        return [player for player, lock in self.locks.items() if lock.is_invitation]

    @property
    def watchers(self) -> int:
        return sum(listener.seat == WATCHER for listener in self.audience)

    def playing(self) -> LiveMatch:
        """The match, for somebody who wants to do something in it."""
        if self.live is None:
            raise Refused(self.trouble or "the match is being prepared; one moment")
        return self.live

    def begin(self, live: LiveMatch) -> None:
        """Everything is compiled: here is the match."""
        self.live = live
        self.chances += [None] * (live.match.plies + 1 - len(self.chances))
        for player, seat in enumerate(live.seats):
            seat.present = self.is_connected(player)
        self.changed()

    # -------------------------------------------------------------------------------------------- who may enter

    def new_key(self, player: int) -> str:
        """The secret of a seat, told once."""
        key = secrets.token_urlsafe(16)
        self.locks[player] = Lock(_digest(key))
        return key

    def invite(self, player: int) -> str:
        """A secret that can be exchanged for the seat's key, once."""
        invitation = secrets.token_urlsafe(16)
        self.locks[player] = Lock(_digest(invitation), is_invitation=True)
        return invitation

    def accept(self, invitation: str, agrees: bool) -> tuple[int, str]:
        """The seat that an invitation is for, and its key. Nobody else, the inviter included, can then enter it."""
        for player, lock in self.locks.items():
            if lock.is_invitation and lock.opens_with(invitation):
                if self.seed_chosen and not agrees and not is_certain_and_open(self.game):
                    raise NeedsConsent(
                        f"the luck of this match was chosen beforehand (seed {self.record.seed}): "
                        "who chose it may know what is hidden or to come; join only if you agree to that"
                    )
                key = self.new_key(player)
                self.changed()
                return player, key
        raise Refused("this invitation was used before, or is none; ask for a new match")

    def viewer_with(self, key: str) -> int | None:
        """The seat that a key opens; without a key one watches; None if it opens nothing."""
        if not key:
            return WATCHER
        fitting = (player for player, lock in self.locks.items() if not lock.is_invitation and lock.opens_with(key))
        return next(fitting, None)

    # -------------------------------------------------------------------------------------------- the pace

    def may_control(self, viewer: int) -> bool:
        """Pausing and pace belong to those who play, and to all where nobody plays."""
        return viewer != WATCHER or not self.people

    def control(self, viewer: int, order: str, value: object = None) -> None:
        """Pause, resume, step, or set the speed."""
        if not self.may_control(viewer):
            raise Refused("the pace is set by those who play")
        self.playing().check_still_on()
        if order == "speed":
            self.speed = _read_speed(value)
        else:
            self.paused = order != "resume"
            self.stepping = order == "step"
        self.changed()

    def due(self) -> float:
        """When the agents' answers may be given; infinity if there are none, or while the match is paused."""
        if not self.live or not self.live.ready or (self.paused and not self.stepping):
            return math.inf
        return self.moved + (0 if self.stepping else 1 / self.speed)

    def has_moved(self) -> None:
        """To be called after whatever may have changed the position."""
        assert self.live is not None
        plies = self.live.match.plies
        if plies + 1 != len(self.chances):
            self.chances = (self.chances + [None] * plies)[: plies + 1]
            self.moved, self.stepping = time.monotonic(), False
        if self.over:
            self.chances[-1] = Chances.certain(self.live.record().shares)
        self._scenes.clear()
        self.changed()

    # -------------------------------------------------------------------------------------------- chances

    def wants_estimate(self) -> bool:
        """Whether somebody would see the chances of this position, and nobody knows them yet."""
        wanted = self.live is not None and self.has_chart and self.has_estimates
        return wanted and bool(self.audience) and self.chances[-1] is None

    def note_chances(self, ply: int, chances: Chances) -> None:
        self.chances[ply] = chances
        self._texts.clear()
        if self.people or self.paused:  # else the next step will show it soon enough
            self.changed()

    # -------------------------------------------------------------------------------------------- viewers

    def changed(self) -> None:
        """Everybody needs a new frame."""
        self._texts.clear()
        for listener in self.audience:
            listener.refresh()

    def notice(self, text: str) -> None:
        for listener in self.audience:
            listener.tell({"type": "notice", "text": text})

    def join(self, listener: Listener) -> None:
        self.touched = time.monotonic()
        self.audience.append(listener)
        self._note_presence(listener.seat)
        self.changed()

    def leave(self, listener: Listener) -> None:
        self.touched = time.monotonic()
        self.audience.remove(listener)
        self._note_presence(listener.seat)
        if listener.seat != WATCHER and not self.is_connected(listener.seat) and not self.over:
            self.notice(f"{seat_name(listener.seat)} has left; the link still works")
        self.changed()

    def is_connected(self, player: int) -> bool:
        return any(listener.seat == player for listener in self.audience)

    def _note_presence(self, player: int) -> None:
        """A person's thinking time counts while the board is looked at."""
        if player == WATCHER or self.live is None:
            return
        seat: Seat = self.live.seats[player]
        seat.present = self.is_connected(player)
        if not seat.present:
            seat.stop_clock()
        elif player in self.live.match.acting:
            seat.start_clock()

    def frame_text(self, viewer: int) -> str:
        """The frame as JSON; made once for all who see the same."""
        if viewer not in self._texts:
            self._texts[viewer] = json.dumps(finite(self.frame(viewer)), separators=(",", ":"))
        return self._texts[viewer]

    def frame(self, viewer: int) -> dict[str, Any]:
        """The whole state of the match as a viewer may know it."""
        if self.live is None:
            title = self.game.facts.title
            text = self.trouble or f"Preparing {title} (first time) …"
            return {"type": "preparing", "title": title, "text": text, "failed": bool(self.trouble)}
        if viewer not in self._scenes:
            self._scenes[viewer] = frames.scene(self.live, viewer)
        failed = self.live.failed
        connected = {player: self.is_connected(player) for player in self.people}
        return self._scenes[viewer] | {
            "header": frames.header(self.game, self.live.seats, connected, self.invited),
            "can_undo": self.live.can_undo and viewer in self.people,
            "can_control": self.may_control(viewer) and not self.over,
            "paused": self.paused,
            "speed": self.speed,
            "fault": None if failed is None else {"seat": failed, "reason": str(self.live.seats[failed].fault)},
            "chances": [one and asdict(one) for one in self.chances] if self.has_chart else None,
            "id_replay": self.id if self.saved else None,
        }

    # -------------------------------------------------------------------------------------------- kept in the store

    def kept(self) -> dict[str, Any]:
        """All that is needed to go on later; plain values."""
        record = self.live.record() if self.live else self.record
        return {
            "record": asdict(record),
            "game": self.game.name,
            "opener": self.opener,
            "speed": self.speed,
            "seed_chosen": self.seed_chosen,
            "paused": self.paused,
            "locks": {player: asdict(lock) for player, lock in self.locks.items()},
            "chances": [one and asdict(one) for one in self.chances],
        }

    @classmethod
    def from_kept(cls, id: str, game: Game, kept: dict[str, Any]) -> Session:
        return cls(
            id,
            game,
            MatchRecord(**kept["record"]),
            kept["opener"],
            kept["speed"],
            kept["seed_chosen"],
            {int(player): Lock(**lock) for player, lock in kept["locks"].items()},
            [one and Chances(**one) for one in kept["chances"]],
            kept["paused"],
        )


class NeedsConsent(Refused):
    """It can be done once somebody has agreed to what the text says."""


def is_certain_and_open(game: Game) -> bool:
    """Whether knowing the seed tells nothing."""
    return is_open(game) and not game.facts.chance


def _read_speed(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not SLOWEST <= value <= FASTEST:
        raise Refused(f"the speed is a number of steps a second, {SLOWEST:g} to {FASTEST:g}")
    return float(value)
