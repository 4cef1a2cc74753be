"""The life of a user's agent in its own process: ``python -m ludus.arena.hosts.guest SPEC GAME``, its line on file 3.

Without a game it only says what it is.
"""

from __future__ import annotations

import json
import os
import socket
import sys
import traceback
from pathlib import Path

import numpy as np

from ludus.agent import Agent
from ludus.arena.hosts.wire import (
    ACTION,
    CRASH,
    EXCEPTION,
    ILLEGAL,
    MOST_TEXT,
    QUESTION,
    READY,
    REFUSED,
    WORDS,
    Answer,
    Manners,
    thoughts_text,
)
from ludus.arena.match import whole_number
from ludus.catalogue import agent, agent_kind, describe, load
from ludus.errors import AgentFault, BadInput, LudusError
from ludus.game import Game, View


def main() -> None:
    line = socket.socket(fileno=3)
    spec, source = [*sys.argv[1:], ""][:2]
    try:
        if not source:
            _say(line, READY, json.dumps(describe(spec, agent_kind(spec, trust=True)), default=repr))
            return
        game = load(source)
        player = agent(spec, game, trust=True)
    except BadInput as error:
        _say(line, REFUSED, str(error))
    except BaseException as error:
        _confess(line, error, spec)
    else:
        _say(line, READY, "")
        _live(line, game, player, spec)


def _live(line: socket.socket, game: Game, player: Agent, spec: str) -> None:
    while question := _read(line, QUESTION.size + game.state_type.itemsize):
        try:
            _answer(line, game, player, question)
        except AgentFault as fault:
            _say(line, ILLEGAL, str(fault))
        except BaseException as error:
            _confess(line, error, spec)


def _answer(line: socket.socket, game: Game, player: Agent, question: bytes) -> None:
    seat, *words = QUESTION.unpack_from(question)
    states = np.frombuffer(question, game.state_type, 1, QUESTION.size).copy()
    rng = np.array(words, np.uint64)
    view = View(game, states, seat)
    before = view.states.tobytes()
    player.thoughts = None
    action = whole_number(player.act(view, rng))
    if rng.shape != (WORDS,) or rng.dtype != np.uint64:
        raise AgentFault("illegal", "it gave its random stream another shape or type")
    manners = Manners(bool(player.repeatable), view.states.tobytes() != before)
    line.sendall(Answer(ACTION, action, rng.tolist(), thoughts_text(player.thoughts), manners).packed())


def _say(line: socket.socket, kind: int, text: str) -> None:
    line.sendall(Answer(kind, text=text).packed())


def _confess(line: socket.socket, error: BaseException, spec: str) -> None:
    """An error, with its place; one that is meant to end the process ends it."""
    if isinstance(error, Exception):
        _say(line, EXCEPTION, _described(error, spec))
        return
    code = error.code if isinstance(error, SystemExit) else 1
    code = code if isinstance(code, int) else int(code is not None)
    _say(line, CRASH, f"it ended its process with exit code {code}")
    os._exit(code & 255)


def _described(error: Exception, spec: str) -> str:
    try:
        sentence = str(error)[: MOST_TEXT // 8]
    except Exception:
        sentence = "an error whose text cannot be made"
    if isinstance(error, LudusError):
        return sentence
    return f"{type(error).__name__}: {sentence}{_place(error, Path(spec.partition(':')[0]).resolve().parent)}"


def _place(error: Exception, folder: Path) -> str:
    """The last line of the author's own that was reached."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if Path(frame.filename).resolve().is_relative_to(folder)]
    return f" ({Path(own[-1].filename).name}, line {own[-1].lineno})" if own else ""


def _read(line: socket.socket, size: int) -> bytes:
    """The next question; nothing when the arena wants no more."""
    found = bytearray()
    while len(found) < size:
        some = line.recv(size - len(found))
        if not some:
            return b""
        found += some
    return bytes(found)


if __name__ == "__main__":
    main()
