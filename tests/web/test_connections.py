"""Half-open connections and a filled log: little is kept of either, and nobody else notices."""

from __future__ import annotations

import asyncio
import logging

import pytest
import uvicorn

from ludus.web import connections
from ludus.web.connections import Connection, Sparing


async def hello(scope, receive, send):
    if scope["type"] == "http":
        while (await receive()).get("more_body"):
            pass
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        await send({"type": "http.response.body", "body": b"ok"})


async def ask(port: int) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
    answer = await reader.read()
    writer.close()
    return answer


async def is_cut(reader: asyncio.StreamReader) -> bool:
    try:
        return not await reader.read()
    except ConnectionResetError:
        return True


def serving(work):
    async def main():
        server = uvicorn.Server(uvicorn.Config(hello, port=0, http=Connection, lifespan="off", log_config=None))
        task = asyncio.ensure_future(server.serve())
        while not server.started:
            await asyncio.sleep(0.005)
        try:
            await work(server.servers[0].sockets[0].getsockname()[1])
        finally:
            server.should_exit = True
            await task
        assert not connections._unasked

    asyncio.run(main())


@pytest.mark.parametrize(
    "half", [b"", b"GET / HTTP/1.1\r\nhost:", b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\nx"]
)
def test_what_does_not_arrive_in_time_is_cut(monkeypatch, half):
    monkeypatch.setattr(connections, "ARRIVAL", 0.05)

    async def main(port):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(half)
        assert await is_cut(reader)
        writer.close()

    serving(main)


def test_half_a_second_request_is_cut_too(monkeypatch):
    monkeypatch.setattr(connections, "ARRIVAL", 0.05)

    async def main(port):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n")
        assert (await reader.readuntil(b"ok")).startswith(b"HTTP/1.1 200")
        writer.write(b"GET / HTTP/1.1\r\nho")
        assert await is_cut(reader)
        writer.close()

    serving(main)


def test_many_half_open_connections_keep_nobody_out(monkeypatch):
    monkeypatch.setattr(connections, "MOST_UNASKED_OF_ONE", 5)

    async def main(port):
        half_open = [await asyncio.open_connection("127.0.0.1", port) for _ in range(20)]
        for _, writer in half_open:
            writer.write(b"GET / HTTP/1.1\r\n")
        assert (await ask(port)).endswith(b"ok")
        assert len(connections._unasked) <= 5
        for _, writer in half_open:
            writer.close()

    serving(main)


def test_the_log_cannot_be_filled():
    sparing, through = Sparing(), 0
    for _ in range(1000):
        record = logging.LogRecord("x", logging.WARNING, "", 0, "Invalid HTTP request received.", (), None)
        through += sparing.filter(record)
        last = record.msg if through == connections.LINES else ""
    assert through == connections.LINES
    assert sparing.filter(logging.LogRecord("x", logging.WARNING, "", 0, "Another thing", (), None))
    assert last
