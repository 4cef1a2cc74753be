"""Those who think: bounded in time, fair to all, called off when nobody waits, and gone with the server."""

from __future__ import annotations

import asyncio
import os
import signal
import time

import pytest

from ludus.errors import AgentFault, BadInput
from ludus.web.thinkers import HOUSE, Process, Thinkers

# Functions for the other processes. They are imported there by name.


def own_process() -> int:
    return os.getpid()


def burn() -> None:
    while True:
        pass


def fail() -> None:
    raise BadInput("a sentence")


def stumble() -> None:
    raise RuntimeError("a bug")


def leave() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def wait_for(path: str, name: str) -> str:
    """Writes down that it has begun, and waits until there is a file `go`."""
    with open(f"{path}/begun", "a", encoding="utf-8") as file:
        file.write(f"{name} ")
    while not os.path.exists(f"{path}/go"):
        time.sleep(0.005)
    return name


def with_thinkers(count, work):
    """Run a coroutine function with some thinkers."""

    async def main():
        thinkers = Thinkers(count)
        try:
            return await work(thinkers)
        finally:
            thinkers.close()

    return asyncio.run(main())


def test_work_is_done_elsewhere_and_faults_come_back_as_sentences():
    async def main(thinkers):
        assert await thinkers.run("a", own_process, seconds=5) != os.getpid()
        for work, reason in ((fail, "a sentence"), (stumble, "RuntimeError: a bug")):
            with pytest.raises(AgentFault, match=reason) as fault:
                await thinkers.run("a", work, seconds=5)
            assert fault.value.reason == "exception"

    with_thinkers(1, main)


def test_who_overruns_is_ended_and_another_takes_its_place():
    async def main(thinkers):
        first = await thinkers.run("a", own_process, seconds=5)
        for work in (burn, leave):
            with pytest.raises(AgentFault) as fault:
                await thinkers.run("a", work, seconds=0)
            assert fault.value.reason == "timeout"
        assert await thinkers.run("a", own_process, seconds=5) != first

    with_thinkers(1, main)


def test_one_visitor_never_has_more_than_half(tmp_path):
    async def main(thinkers):
        ask = lambda visitor: thinkers.run(visitor, wait_for, str(tmp_path), visitor or "house", seconds=5)  # noqa: E731
        tasks = [asyncio.ensure_future(ask("greedy one")) for _ in range(6)]
        tasks += [asyncio.ensure_future(ask(visitor)) for visitor in (HOUSE, "late")]
        await asyncio.sleep(0)
        begun = sorted(work.visitor for work in thinkers._running.values())
        assert begun == [HOUSE, "greedy one", "greedy one", "late"]
        (tmp_path / "go").touch()
        await asyncio.gather(*tasks)

    with_thinkers(4, main)


def test_who_has_used_least_goes_first_and_the_house_last():
    async def main(thinkers):
        thinkers._used = {"old": 5.0, "new": 1.0}
        done = []
        await thinkers.run("warm", own_process, seconds=5)

        async def ask(visitor):
            await thinkers.run(visitor, own_process, seconds=5)
            done.append(visitor)

        await asyncio.gather(*(ask(visitor) for visitor in ("warm", HOUSE, "old", "new", "never")))
        assert done[1:] == sorted(done[1:], key=["never", "new", "old", HOUSE].index)

    with_thinkers(1, main)


def test_compiling_leaves_half_of_the_processes_free(tmp_path):
    async def main(thinkers):
        slow = [
            asyncio.ensure_future(thinkers.run(f"v{k}", wait_for, str(tmp_path), "slow", seconds=5, is_slow=True))
            for k in range(4)
        ]
        await asyncio.sleep(0)
        assert await thinkers.run("another", own_process, seconds=5)
        (tmp_path / "go").touch()
        await asyncio.gather(*slow)

    with_thinkers(2, main)


def test_what_nobody_waits_for_is_ended(tmp_path):
    async def main(thinkers):
        task = asyncio.ensure_future(thinkers.run("a", wait_for, str(tmp_path), "x", seconds=60))
        while not (tmp_path / "begun").exists():
            await asyncio.sleep(0.005)
        task.cancel()
        assert await thinkers.run("b", own_process, seconds=5)  # there is but one process, and it is free

    with_thinkers(1, main)


def test_a_process_that_cannot_be_made_is_a_fault_and_nobody_waits_for_it(monkeypatch):
    async def fails(self):
        raise RuntimeError("no process today")

    monkeypatch.setattr(Process, "_start", fails)

    async def main(thinkers):
        with pytest.raises(AgentFault, match="no process today"):
            await thinkers.run("v", wait_for, "", "", seconds=5)

    with_thinkers(2, main)
