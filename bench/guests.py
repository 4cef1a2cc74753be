"""A server on loopback and guests for it, each with an address of its own, as on a network."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import websockets

SERVE = "import typer; from ludus.cli import serve; typer.run(serve.command)"


@dataclass
class Server:
    process: int
    port: int
    log: Path

    @property
    def log_lines(self) -> int:
        return len(self.log.read_text(encoding="utf-8").splitlines())

    @property
    def cpu_seconds(self) -> float:
        fields = Path(f"/proc/{self.process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def serving(environment: Mapping[str, str] | None = None, games: Sequence[Path] = ()) -> Iterator[Server]:
    """`ludus serve` with an empty store, and with the games in these files, too."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        command = [sys.executable, "-c", SERVE, "--port", "0", "--no-open", "--store", f"{folder}/store.sqlite"]
        command += [word for game in games for word in ("--game", str(game))]
        with log.open("w", encoding="utf-8") as lines:
            settings = {**os.environ, **(environment or {})}
            server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=lines, text=True, env=settings)
            try:
                assert server.stdout is not None
                port = int(server.stdout.readline().split()[3].rstrip("/").rpartition(":")[2])
                yield Server(server.pid, port, log)
            finally:
                server.terminate()
                server.wait(30)


class Guest:
    """Somebody with an address of its own."""

    def __init__(self, port: int, address: str):
        self.port, self.address = port, address
        # Kept connections are let go before the server does so, lest a request meets a door that is just being shut.
        transport = httpx.AsyncHTTPTransport(local_address=address, limits=httpx.Limits(keepalive_expiry=1))
        self.client = httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", transport=transport, timeout=120)

    async def open(self, game: str, seats: Sequence[str], **more: Any) -> dict[str, Any]:
        answer = await self.client.post("/api/matches", json={"game": game, "seats": list(seats), **more})
        answer.raise_for_status()
        return answer.json()

    def connect(self, link: str) -> Any:
        address = f"ws://127.0.0.1:{self.port}/ws{link}"
        return websockets.connect(address, compression=None, local_addr=(self.address, 0), open_timeout=60)


def percentiles(seconds: Sequence[float]) -> list[float]:
    """The median, the 95th and the 99th percentile, in milliseconds."""
    return [round(1000 * float(value), 1) for value in np.percentile(seconds or [0.0], [50, 95, 99])]
