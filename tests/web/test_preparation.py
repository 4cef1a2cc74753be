"""Compiling beforehand: in one go for each match, once for all who wait, and no request waits for it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from ludus.catalogue import load
from ludus.errors import AgentFault
from ludus.web import tasks
from ludus.web.offers import Offers
from ludus.web.preparation import Preparation
from ludus.web.thinkers import HOUSE


class Notebook:
    """In place of the thinkers: writes down what it is asked, and answers when it is let."""

    def __init__(self):
        self.asked: list[tuple[str, Any, tuple]] = []
        self.gate = asyncio.Event()
        self.fault: Exception | None = None

    async def run(self, visitor, function, *arguments, seconds, is_slow):
        self.asked.append((visitor, function, arguments))
        await self.gate.wait()
        if self.fault:
            raise self.fault
        return "<svg/>"


@pytest.fixture
def kuhn():
    return load("kuhn_poker")


def prepare(work):
    async def main():
        thinkers: Any = Notebook()
        preparation = Preparation(Offers(), thinkers)
        try:
            await work(preparation, thinkers)
        finally:
            preparation.tasks.cancel()

    asyncio.run(main())


def test_rules_and_agents_of_a_match_are_one_piece_of_work(kuhn):
    """Else the agents of the first visitor would be compiled after the rules of all others."""

    async def work(preparation, thinkers):
        thinkers.gate.set()
        await preparation.match(kuhn, "ann", specs=["human", "mcts:sims=9"])
        await preparation.match(kuhn, "bob", specs=["human", "mcts"])
        await preparation.match(kuhn, "cid", specs=["random", "human"])
        setting = 2, kuhn.params.values({})
        assert thinkers.asked == [
            ("ann", tasks.prepare, ("kuhn_poker", setting, ["mcts"])),
            ("cid", tasks.prepare, ("kuhn_poker", None, ["random"])),
        ]
        assert preparation.is_prepared(kuhn)

    prepare(work)


def test_others_wait_for_what_is_being_compiled_and_try_again_what_failed(kuhn):
    async def work(preparation, thinkers):
        both = [asyncio.ensure_future(preparation.match(kuhn, name)) for name in ("ann", "bob")]
        await asyncio.sleep(0)
        thinkers.fault = AgentFault("exception", "it does not compile")
        thinkers.gate.set()
        faults = await asyncio.gather(*both, return_exceptions=True)
        assert [str(fault) for fault in faults] == ["it does not compile"] * 2
        assert len(thinkers.asked) == 1
        thinkers.fault = None
        await preparation.match(kuhn, "ann")
        assert preparation.is_prepared(kuhn)

    prepare(work)


def test_no_request_waits_for_a_picture_that_is_being_drawn(kuhn, monkeypatch):
    monkeypatch.setattr("ludus.web.preparation.PATIENCE", 0.001)

    async def work(preparation, thinkers):
        assert await preparation.portrait(kuhn) is None
        thinkers.gate.set()
        while (drawn := await preparation.portrait(kuhn)) is None:
            pass
        assert drawn == "<svg/>"
        assert thinkers.asked == [(HOUSE, tasks.portrait, ("kuhn_poker",))]

    prepare(work)
