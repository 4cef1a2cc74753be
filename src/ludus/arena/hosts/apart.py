"""A Python agent in a process of its own. The arena reads nothing of its file: what it wants to know, it asks."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from ludus.agent import Thoughts
from ludus.arena.hosts.cage import Cage, Walls, clean
from ludus.arena.hosts.wire import (
    ACTION,
    FAULTS,
    QUESTION,
    READY,
    REFUSED,
    Answer,
    Manners,
    read_answer,
    read_thoughts,
    words_of,
)
from ludus.catalogue import command_words, is_command
from ludus.errors import AgentFault, BadInput
from ludus.game import Game, View, is_path


class Apart:
    """Started at the first question and again after a fault; one that does not start is not tried again."""

    def __init__(self, spec: str, game: Game, walls: Walls, start_seconds: float):
        self.spec, self.game, self.start_seconds = spec, game, start_seconds
        self.thoughts: Thoughts | None = None
        self.manners = Manners()
        self._walls = walls
        self._cage: Cage | None = None
        self._never: AgentFault | None = None

    def start(self) -> None:
        """Have the agent made: `BadInput` if it cannot play this game or its settings do not read."""
        if self._never is not None:
            raise self._never
        if self._cage is not None and not self._cage.ended:
            return
        self._cage = Cage(_guest(_placed(self.spec), _placed(self.game.source)), self._walls)
        try:
            answer = _heard(self._cage, time.monotonic() + self.start_seconds)
            if answer.kind == REFUSED:
                raise BadInput(clean(answer.text))
            if answer.kind != READY:
                raise self._fault(answer)
        except AgentFault as fault:
            detail = f"it did not start within {self.start_seconds:.3g} s" if fault.reason == "timeout" else str(fault)
            self._never = AgentFault(fault.reason, detail)
            raise self._never from None

    def begin(self) -> None:
        if self._cage is not None:
            self._cage.forget_output()

    def ask(self, view: View, rng: np.ndarray, seconds: float) -> object:
        try:
            self.start()
        except BadInput as refusal:  # nobody asked before whether it can play
            raise AgentFault("exception", str(refusal)) from None
        assert self._cage is not None
        until = time.monotonic() + seconds
        try:
            self._cage.send(QUESTION.pack(view.player, *words_of(rng)) + view.states.tobytes(), until)
            answer = _heard(self._cage, until)
            if answer.kind != ACTION:
                raise self._fault(answer)
        except AgentFault as fault:
            detail = f"no answer within {seconds:.3g} s" if fault.reason == "timeout" else str(fault)
            raise AgentFault(fault.reason, detail) from None
        rng[:] = answer.words[: len(rng)]
        self.thoughts = read_thoughts(answer.text) if answer.text else None
        self.manners = answer.manners
        return answer.action

    def _fault(self, answer: Answer) -> AgentFault:
        assert self._cage is not None
        reason = FAULTS.get(answer.kind)
        if reason in (None, "crash"):  # it does not speak as an agent does, or says that it ends
            self._cage.close()
        if reason is None:
            return AgentFault("illegal", "its answer is none that an agent gives")
        return AgentFault(reason, clean(answer.text))

    def end(self) -> str:
        return self._cage.output() if self._cage is not None else ""

    def close(self) -> None:
        if self._cage is not None:
            self._cage.close()
        self._cage = None


def told(name: str, walls: Walls, seconds: float) -> dict[str, Any]:
    """What an agent says of itself, without a game."""
    cage, text = Cage(_guest(_placed(name)), walls), ""
    try:
        answer = _heard(cage, time.monotonic() + seconds)
        text = answer.text
        found = json.loads(text) if answer.kind == READY else {}
        about = {key: clean(str(found[key])) for key in ("about", "accepts", "only_for")}
        settings = {
            clean(key): {"default": clean(str(one["default"])), "help": clean(str(one["help"]))}
            for key, one in found["settings"].items()
        }
    except AgentFault as fault:
        raise BadInput(f"{name}: {fault}") from None
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise BadInput(f"{name}: {clean(text) or 'it does not say what it is'}") from None
    finally:
        cage.close()
    return {"name": name, **about, "settings": settings}


def _heard(cage: Cage, until: float) -> Answer:
    """An answer, all of it by the deadline."""
    return read_answer(lambda size: cage.read(size, until))


def _guest(*words: str) -> list[str]:
    python = Path(sys.executable)  # a folder of links to links would not be there in a sandbox
    return [str(python.parent.resolve() / python.name), "-P", "-m", "ludus.arena.hosts.guest", *words]


def _placed(spec: str) -> str:
    """The spec of a file by its whole path: a sandbox begins in another folder."""
    name, colon, settings = spec.partition(":")
    return f"{Path(name).resolve()}{colon}{settings}" if is_path(name.strip()) and Path(name).exists() else spec


def windows(spec: str, source: str = "") -> tuple[Path, ...]:
    """What a user's agent must be able to read: the folder of its file, and that of the game's."""
    names = command_words(spec) if is_command(spec) else [spec.partition(":")[0].strip()]
    files = [name for name in (*names, source) if is_path(name)]
    return tuple(Path(name).resolve().parent for name in files)
