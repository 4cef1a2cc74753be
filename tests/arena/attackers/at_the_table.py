"""An agent that attacks when it is asked for an action; `how` says in which way."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from ludus import Agent
from ludus.settings import setting


@dataclass
class Attacker(Agent):
    """Plays the first action on its menu, unless its attack comes to something else."""

    how: str = setting("behave", "the name of a method")
    mark: str = setting("", "a file that nobody but the attacker would write")

    def act(self, view, rng):
        found = getattr(self, self.how)(rng)
        return int(view.legal[0]) if found is None else found

    def behave(self, rng):
        pass

    def pickled(self, rng):
        return Pickled(self.mark)

    def huge(self, rng):
        return 10**5000

    def odd(self, rng):
        return lambda: 0

    def reshaped(self, rng):
        rng.shape = (3, 3)

    def retyped(self, rng):
        rng.dtype = "float64"

    def verbose(self, rng):
        raise ValueError("x" * 50_000_000)

    def unspeakable(self, rng):
        raise Unspeakable

    def half(self, rng):
        os.write(3, b"\x01\x00\x00")
        time.sleep(600)

    def silent(self, rng):
        time.sleep(600)

    def busy(self, rng):
        Path(self.mark).touch()
        while True:
            pass

    def babble(self, rng):
        os.write(3, b"\xff" * 100_000)

    def leave(self, rng):
        sys.exit(3)

    def die(self, rng):
        os._exit(7)

    def shot(self, rng):
        os.kill(os.getpid(), signal.SIGSEGV)

    def heirs(self, rng):
        """Children that leave the session, the group and the parent, and keep every file open."""
        self._leave_children()
        os._exit(0)

    def family(self, rng):
        """The same, but it plays on."""
        self._leave_children()

    def _leave_children(self):
        for _ in range(3):
            if os.fork() == 0:
                os.setsid()
                if os.fork() == 0:
                    time.sleep(600)
                os._exit(0)
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)", self.mark], start_new_session=True)

    def flood(self, rng):
        print("flood " * 200_000)
        print("\x1b[2J and a last word", file=sys.stderr)

    def greedy(self, rng):
        return len(bytearray(10 << 30))

    def spy(self, rng):
        """The arena's memory, and what its environment says; the arena is the warden's parent."""
        arena = int(Path(f"/proc/{os.getppid()}/stat").read_text().rpartition(")")[2].split()[1])
        for name in ("mem", "environ"):
            try:
                with open(f"/proc/{arena}/{name}", "rb") as file:
                    file.read(1)
                return 77
            except OSError:
                continue
        return 78 if "LUDUS_SECRET" in os.environ else None

    def compiled_pid(self, rng):
        print(f"pid {os.getpid()}")


class Pickled:
    def __init__(self, mark):
        self.mark = mark

    def __reduce__(self):
        return Path.touch, (Path(self.mark),)


class Unspeakable(Exception):
    def __str__(self):
        raise SystemError("no text")
