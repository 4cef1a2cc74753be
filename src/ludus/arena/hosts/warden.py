"""The warden of one program: starts it under limits, and ends all of it when it ends or when the arena does.

A script of its own that imports nothing of Ludus: `cage` runs it between the arena and the program, and it is never
busy, so it hears at once that the arena is gone, however that died and whatever the program is doing. What the program
starts and leaves behind becomes the warden's own child (Linux), so nothing gets away by leaving its group or session.

    python -I -S warden.py LINE OUTPUT STDIO PRIVILEGES MEMORY FILE COMMAND…

stdin is the life line: its end means that the arena wants no more. On stdout comes one word when all is over: the
program's exit code if it ended by itself (negative for a signal), else "stopped".
"""

import ctypes
import os
import resource
import select
import signal
import sys

PR_SET_PDEATHSIG, PR_CAPBSET_DROP, PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 1, 24, 36, 38
CAPABILITIES = range(4, 64)
"""What root may do; below 4, to files, which a program of root's may need in order to read its own."""
SPARE_PROCESSES = 128
ON_LINUX = sys.platform == "linux"


def main() -> None:
    line, output, stdio, privileges, memory, file = map(int, sys.argv[1:7])
    _prctl(PR_SET_CHILD_SUBREAPER, 1)
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake)
    program = os.fork()
    if program == 0:
        try:
            _enter(line, output, bool(stdio))
            _limit(resource.RLIMIT_CORE, 0)
            _limit(resource.RLIMIT_AS, memory)
            _limit(resource.RLIMIT_FSIZE, file)
            _limit(resource.RLIMIT_NPROC, _threads_of_user() + SPARE_PROCESSES)
            for capability in () if privileges else CAPABILITIES:
                _prctl(PR_CAPBSET_DROP, capability)
            os.execvp(sys.argv[7], sys.argv[7:])
        except OSError as error:
            os.write(2, f"{sys.argv[7]} cannot be started: {error.strerror}\n".encode())
        finally:
            os._exit(127)
    os.close(line)
    os.close(output)
    code = _watch(program, woken)
    _end_all(program)
    print("stopped" if code is None else code)


def _enter(line: int, output: int, stdio: bool) -> None:
    """In the fork: a session of its own, with these files and no others."""
    os.setsid()
    _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    _prctl(PR_SET_NO_NEW_PRIVS, 1)
    nothing = os.open(os.devnull, os.O_RDWR)
    places = (line, line, output) if stdio else (nothing, output, output, line)
    places = [os.dup(place) for place in places]  # out of the way of the numbers that they get
    for number, place in enumerate(places):
        os.dup2(place, number, inheritable=True)
    os.closerange(len(places), 1 << 12)


def _limit(what: int, most: int) -> None:
    hard = resource.getrlimit(what)[1]
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(what, (most, most))


def _threads_of_user() -> int:
    """The system counts all processes of a user together."""
    count = 0
    for process in _processes():
        try:
            if os.stat(f"/proc/{process}").st_uid == os.getuid():
                count += len(os.listdir(f"/proc/{process}/task"))
        except OSError:
            continue
    return count


def _watch(program: int, woken: int) -> int | None:
    """The program's exit code once it has ended, or None as soon as the life line does."""
    while True:
        ready, _, _ = select.select([0, woken], [], [])
        if woken in ready:
            os.read(woken, 4096)
        if (code := _reap().get(program)) is not None:
            return code
        if 0 in ready and not os.read(0, 4096):
            return None


def _reap() -> dict[int, int]:
    """The exit codes of all children that have ended."""
    ended = {}
    while True:
        try:
            process, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return ended
        if not process:
            return ended
        ended[process] = os.waitstatus_to_exitcode(status)


def _end_all(program: int) -> None:
    """Kill the program's group and every descendant, until none is left."""
    while True:
        victims = [-program, *_descendants()]
        for victim in victims:
            try:
                os.kill(victim, signal.SIGKILL)
            except OSError:
                continue
        _reap()
        try:
            os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT)
        except ChildProcessError:
            return


def _descendants() -> list[int]:
    parents: dict[int, int] = {}
    for process in _processes():
        try:
            with open(f"/proc/{process}/stat", "rb") as file:
                parents[process] = int(file.read().rpartition(b")")[2].split()[1])
        except (OSError, ValueError, IndexError):
            continue
    found = {os.getpid()}
    while True:
        more = {process for process, parent in parents.items() if parent in found} - found
        if not more:
            return [process for process in found if process != os.getpid()]
        found |= more


def _processes() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()] if ON_LINUX else []


def _prctl(option: int, value: int) -> None:
    if ON_LINUX:
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


if __name__ == "__main__":
    main()
