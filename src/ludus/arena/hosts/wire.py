"""What the arena and an agent's process say to each other: plain bytes of a fixed length, and one text that is cut.

A question is the player, the words of its stream and its view; an answer is what came of it, an action, the words as
the agent left them, and a text. Nothing in either makes code run where it is read.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any, NamedTuple

import numpy as np

from ludus.agent import MOST_MEMORY, Thoughts

WORDS = 1 + MOST_MEMORY
QUESTION = struct.Struct(f"<i{WORDS}Q")
"""Player and words; the bytes of the view follow, as many as the game's states have."""
ANSWER = struct.Struct(f"<BBq{WORDS}QI")
"""One of the kinds below, manners, the action, the words, and the length of the text that follows."""
MOST_TEXT = 1 << 16

READY, ACTION, REFUSED, ILLEGAL, EXCEPTION, CRASH = range(6)
FAULTS = {ILLEGAL: "illegal", EXCEPTION: "exception", CRASH: "crash"}


class Manners(NamedTuple):
    """How an agent answered: whether it would do so again, whether it wrote on its view."""

    repeatable: bool = True
    touched_view: bool = False


class Answer(NamedTuple):
    kind: int
    action: int = 0
    words: Sequence[int] = (0,) * WORDS
    text: str = ""
    manners: Manners = Manners()

    def packed(self) -> bytes:
        text = self.text.encode(errors="replace")[:MOST_TEXT]
        manners = self.manners.repeatable + 2 * self.manners.touched_view
        return ANSWER.pack(self.kind, manners, self.action, *self.words, len(text)) + text


def read_answer(read: Callable[[int], bytes]) -> Answer:
    """The next answer, from what gives so many bytes."""
    kind, manners, action, *words, length = ANSWER.unpack(read(ANSWER.size))
    text = read(min(length, MOST_TEXT)).decode(errors="replace")
    return Answer(kind, action, words, text, Manners(bool(manners & 1), bool(manners & 2)))


def words_of(rng: np.ndarray) -> list[int]:
    """The words of a stream, as many as a message has."""
    return [*rng.tolist(), *[0] * (WORDS - len(rng))]


def thoughts_text(thoughts: Thoughts | None) -> str:
    """An agent's thoughts as text; "" where there are none, or more than a message may carry."""
    try:
        text = json.dumps(asdict(thoughts), default=_plain) if thoughts is not None else ""
    except (TypeError, ValueError, AttributeError, RecursionError):
        return ""
    return text if len(text) <= MOST_TEXT else ""


def _plain(number: Any) -> Any:
    return number.item()


def read_thoughts(text: str) -> Thoughts | None:
    """Thoughts from a text that anybody may have written."""
    try:
        told = json.loads(text)
        lists = {name: [kind(one) for one in told[name]] for name, kind in _LISTS.items()}
        return Thoughts(float(told["value"]), **lists, note=str(told["note"])[:500])
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError):
        return None


_LISTS = {"actions": int, "values": float, "visits": int, "line": int}
