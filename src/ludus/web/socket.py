"""One connection of a browser to a live match: a mailbox towards it, a guarded door from it.

A frame holds the whole state, so a slow browser misses frames but never falls behind. What comes from a browser may be
anything: each message is measured, counted and read with care, and refused with a reason.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections import deque
from typing import Any

from fastapi import WebSocket, WebSocketDisconnect

from ludus.arena.live import WATCHER, Refused
from ludus.web.lobby import Lobby
from ludus.web.session import Session
from ludus.web.visitors import Meter, Visitors

LONGEST = 4096
"""Bytes of a message."""
PATIENCE = 40
"""Messages too many that are only refused; then the door is shut."""
PING = 25.0
POLICY, TOO_BIG = 1008, 1009
"""Reasons for closing, as the protocol numbers them."""


class Mailbox:
    """What waits to be sent over one connection."""

    def __init__(self, seat: int, address: str):
        self.seat, self.address = seat, address
        self.is_closed = False
        self._stale = True
        self._messages: deque[dict[str, Any]] = deque(maxlen=64)
        self._bell = asyncio.Event()
        self._bell.set()

    def refresh(self) -> None:
        self._stale = True
        self._bell.set()

    def tell(self, message: dict[str, Any]) -> None:
        self._messages.append(message)
        self.is_closed |= bool(message.get("closed"))
        self._bell.set()

    async def wait(self) -> None:
        """Until there is something to send; a ping if nothing comes for long."""
        try:
            async with asyncio.timeout(PING):
                await self._bell.wait()
        except TimeoutError:
            self.tell({"type": "ping"})

    def empty(self, session: Session) -> list[str]:
        """What is to be sent now."""
        self._bell.clear()
        stale, self._stale = self._stale, False
        frames = [_frame(session, self.seat)] if stale else []
        messages = [json.dumps(message) for message in self._messages]
        self._messages.clear()
        return frames + messages


def _frame(session: Session, seat: int) -> str:
    try:
        return session.frame_text(seat)
    except Exception:
        logging.getLogger(__name__).exception("match %s cannot be shown", session.id)
        return '{"type":"notice","text":"the match cannot be shown: the game itself fails"}'


async def serve(socket: WebSocket, lobby: Lobby, visitors: Visitors, session: Session, viewer: int) -> None:
    """Talk with one browser until it leaves."""
    mailbox = Mailbox(viewer, socket.client.host if socket.client else "")
    if reason := _objection(mailbox, visitors, session):
        await turn_away(socket, reason)
        return
    _dismiss_oldest(mailbox, visitors, session)
    session.join(mailbox)
    visitors.watching[mailbox.address] += viewer == WATCHER
    lobby.attend(session)
    writer = asyncio.create_task(_write(socket, mailbox, session, lobby.in_turn))
    try:
        await _read(socket, lobby, session, mailbox, visitors.limits.messages)
    except (WebSocketDisconnect, RuntimeError):  # the latter where the other side went while we were writing
        pass
    finally:
        writer.cancel()
        visitors.watching[mailbox.address] -= viewer == WATCHER
        session.leave(mailbox)


def _objection(mailbox: Mailbox, visitors: Visitors, session: Session) -> str:
    """Why somebody who only watches is turned away; who holds a seat never is."""
    if mailbox.seat != WATCHER:
        return ""
    if session.watchers >= visitors.limits.watchers:
        return "too many are watching this match already"
    if visitors.watching[mailbox.address] >= visitors.limits.watching:
        return "you are watching too many matches already"
    return ""


def _dismiss_oldest(mailbox: Mailbox, visitors: Visitors, session: Session) -> None:
    same = [one for one in session.audience if one.seat == mailbox.seat != WATCHER]
    if len(same) >= visitors.limits.holders:
        same[0].tell(_farewell("this seat was opened elsewhere"))


async def turn_away(socket: WebSocket, reason: str) -> None:
    await socket.send_text(json.dumps(_farewell(reason)))
    await socket.close(POLICY, reason)


def _farewell(reason: str) -> dict[str, Any]:
    return {"type": "refused", "reason": reason, "closed": True}


async def _write(socket: WebSocket, mailbox: Mailbox, session: Session, in_turn: asyncio.Lock) -> None:
    while True:
        await mailbox.wait()
        if mailbox.seat == WATCHER:
            async with in_turn:
                texts = mailbox.empty(session)
        else:
            texts = mailbox.empty(session)
        try:
            for text in texts:
                await socket.send_text(text)
            if mailbox.is_closed:
                await socket.close(POLICY)
        except Exception:  # whatever it is called, the other side has gone; the reader notices it, too, and cleans up
            return


async def _read(socket: WebSocket, lobby: Lobby, session: Session, mailbox: Mailbox, rate: int) -> None:
    meter = Meter(rate, rate)
    while True:
        event = await socket.receive()
        if event["type"] == "websocket.disconnect":
            return
        text = event.get("text") or (event.get("bytes") or b"").decode("utf-8", "replace")
        if len(text) > LONGEST:
            await socket.close(TOO_BIG, "the message is too long")
            return
        meter.spend()
        if meter.credit < -PATIENCE:
            await socket.close(POLICY, "too many messages")
            return
        if meter.credit < 0:
            mailbox.tell({"type": "refused", "reason": f"not more than {rate} messages a second, please"})
        else:
            await answer(text, lobby, session, mailbox)


async def answer(text: str, lobby: Lobby, session: Session, mailbox: Mailbox) -> None:
    """Do what one message asks, or say why not."""
    try:
        await _obey(_read_message(text), lobby, session, mailbox)
    except Refused as refusal:
        mailbox.tell({"type": "refused", "reason": str(refusal)})
    except Exception:
        logging.getLogger(__name__).exception("a message to match %s failed", session.id)
        mailbox.tell({"type": "refused", "reason": "that could not be done"})
    lobby.attend(session)


def _read_message(text: str) -> dict[str, Any]:
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        raise Refused("the message is no JSON") from None
    if not isinstance(message, dict):
        raise Refused("a message is a JSON object with a type")
    return message


async def _obey(message: dict[str, Any], lobby: Lobby, session: Session, mailbox: Mailbox) -> None:
    viewer = mailbox.seat
    match message.get("type"):
        case "play":
            session.playing().play(viewer, message.get("action"), message.get("ply"))
            session.has_moved()
        case "say":
            session.playing().say(viewer, message.get("text"), message.get("ply"))
            session.has_moved()
        case "undo":
            session.playing().undo(viewer)
            session.has_moved()
        case "resign":
            session.playing().resign(viewer)
            session.has_moved()
        case "pause" | "resume" | "step" | "speed" as order:
            session.control(viewer, order, message.get("value"))
        case "hint":
            mailbox.tell(await lobby.hint(session, viewer, mailbox.address))
        case "replace":
            await lobby.replace(session, viewer, message.get("seat"), message.get("spec"))
        case "pong":
            pass
        case unknown:
            raise Refused(f"there is no message of type {str(unknown)[:40]!r}")
