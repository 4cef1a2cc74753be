"""Hosts: where an agent lives, what it is told, what is heard of it; and the cage in which a program lives."""

from __future__ import annotations

import io
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from ludus import Agent, Thoughts, load
from ludus.arena.blocks import rotations
from ludus.arena.bulk import Arena
from ludus.arena.hosts import Clock, Here, Safety, description, host
from ludus.arena.hosts.cage import Cage, Walls
from ludus.arena.hosts.wire import ACTION, Answer, Manners, read_answer, read_thoughts, thoughts_text
from ludus.arena.lockstep import Seating
from ludus.arena.match import Match
from ludus.arena.schedule import make_schedule
from ludus.arena.stepwise import Stepwise
from ludus.arena.tournament import Tournament
from ludus.errors import AgentFault, BadInput
from ludus.records import Store
from ludus.workers import Threads

HOSTILE = str(Path(__file__).with_name("hostile_agent.py"))
BOT = """
from dataclasses import dataclass
from ludus import Agent, Thoughts
from ludus.settings import setting

@dataclass
class Thinker(Agent):
    \"\"\"Thinks aloud.\"\"\"
    depth: int = setting(3, "how deep")
    accepts = "games of two"

    def refuses(self, facts):
        return "" if facts.players == (2, 2) else "it is for two"

    def act(self, view, rng):
        self.seen = getattr(self, "seen", 0) + 1
        self.thoughts = Thoughts(0.5, [int(view.legal[0])], [0.5], [view.player], note=f"question {self.seen}")
        return view.legal[0]
"""


@pytest.fixture
def bot(tmp_path):
    (tmp_path / "bot.py").write_text(BOT)
    return str(tmp_path / "bot.py")


def far() -> float:
    return time.monotonic() + 300


# ------------------------------------------------------------------------------------------------ agents


def test_misbehaviour_is_recorded_and_the_tournament_goes_on(tmp_path):
    specs = ["random", f"{HOSTILE}:how=raise", f"{HOSTILE}:how=exit", HOSTILE]
    schedule = make_schedule("tic_tac_toe", specs, "default", {}, format="gauntlet", blocks=1, move_seconds=300.0)
    with Store(tmp_path / "store.sqlite") as store:
        tournament = Tournament(schedule, store, workers=Threads(2))
        found = tournament.run()
    assert found.played == tournament.total == 6
    assert {(fault.agent, fault.outcome, fault.detail, fault.count) for fault in found.faults} == {
        (specs[1], "exception", "ValueError: I do not want to (hostile_agent.py, line 27)", 2),
        (specs[2], "crash", "it ended its process with exit code 3", 2),
    }


def test_an_agent_apart_plays_as_it_does_here():
    game, tables = load("tic_tac_toe"), rotations([0, 1], 0)
    apart = Arena(game, ["random", "mcts:sims=20"], seed=9, apart=True)
    here = Arena(game, ["random", "mcts:sims=20"], seed=9)
    moves = [[record.actions for group in arena.play(tables) for _, record in group] for arena in (apart, here)]
    assert moves[0] == moves[1]


def test_an_agent_is_asked_what_it_is_and_what_it_thinks(bot):
    game = load("tic_tac_toe")
    one = host(f"{bot}:depth=2", game)
    one.start()
    match = Match(game, 2)
    for n in (1, 2):
        assert one.ask(match.view(0), match.stream(0), 300.0) == 0
        assert one.thoughts == Thoughts(0.5, [0], [0.5], [0], note=f"question {n}")
    one.close()
    assert description(bot) == {
        "name": bot, "about": "Thinks aloud.", "accepts": "games of two", "only_for": "",
        "settings": {"depth": {"default": "3", "help": "how deep"}},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("settings", "game", "sentence"),
    [
        (":depht=2", "tic_tac_toe", "no setting is called 'depht' of agent .*; did you mean depth"),
        (":depth=x", "tic_tac_toe", "depth is a whole number, not 'x'"),
        ("", "gravwell", "cannot play gravwell: it is for two"),
    ],
)
def test_what_cannot_play_is_refused_before_the_first_match(bot, settings, game, sentence):
    with pytest.raises(BadInput, match=sentence):
        Arena(load(game), [bot + settings, "random"])


def test_a_missing_agent_is_refused_without_a_process():
    with pytest.raises(BadInput, match=r"there is no file nowhere\.py"):
        host("nowhere.py", load("tic_tac_toe"))


def test_an_agent_against_itself_has_two_processes(bot):
    """One would see both hands."""
    arena = Stepwise(load("kuhn_poker"), [bot], seed=1)
    assert arena.play(Seating((0, 0), 0, 0)).outcome == "finished"
    assert len(arena._all) == 2
    arena.close()


def test_trust_goes_by_the_place_of_a_file(bot, tmp_path, monkeypatch):
    game = load("tic_tac_toe")
    assert isinstance(host(f"{bot}:depth=1", game, safety=Safety(trust=frozenset([bot]))), Here)
    monkeypatch.chdir(tmp_path)
    assert isinstance(host(bot, game, safety=Safety(trust=frozenset(["bot.py"]))), Here)
    (tmp_path / "other").mkdir()
    shutil.copy(bot, tmp_path / "other" / "bot.py")
    assert not isinstance(host("other/bot.py", game, safety=Safety(trust=frozenset(["bot.py"]))), Here)


class Slow(Agent):
    """Compiles, as it were, when it is asked for the first time; the hands of its clock are moved by itself."""

    compiled = True

    def __init__(self):
        super().__init__()
        self.waits, self.now = [9.0], 0.0

    def act_many(self, views, players, words):
        self.now += self.waits.pop() if self.waits else 0.0
        words[:] += np.uint64(1)
        return np.zeros(len(views), np.int32)


def test_what_is_compiled_first_is_not_on_the_clock(monkeypatch):
    match, rng, slow = Match(load("tic_tac_toe"), 2), np.zeros(1, np.uint64), Slow()
    monkeypatch.setattr("ludus.arena.hosts.here.time.perf_counter", lambda: slow.now)
    one = Here(slow)
    assert one.ask(match.waiting()[0], rng, 5.0) == 0
    assert rng[0] == 1  # as if it had been asked once
    slow.waits = [9.0]
    with pytest.raises(AgentFault, match="no answer within"):
        one.ask(match.waiting()[0], rng, 5.0)


def test_a_clock_for_the_match_runs_down():
    clock = Clock(move=2.0, match=5.0)
    assert clock.left(0) == 2.0
    assert clock.left(4.5) == pytest.approx(0.5)
    assert clock.left(9) < 0.001
    assert Clock().left(100) == float("inf")


# ------------------------------------------------------------------------------------------------ the wire


def test_an_answer_reads_as_it_was_written():
    answer = Answer(ACTION, -5, list(range(9)), "ä" * 10, Manners(False, True))
    assert read_answer(io.BytesIO(answer.packed()).read) == answer


def test_thoughts_read_as_they_were_written_and_nonsense_is_no_thought():
    thoughts = Thoughts(np.float64(0.5), [1], [np.float32(0.25)], [np.int64(3)], [1, 2], "so")  # pyright: ignore
    assert read_thoughts(thoughts_text(thoughts)) == Thoughts(0.5, [1], [0.25], [3], [1, 2], "so")
    assert thoughts_text(Thoughts(0.0, [1] * 10**5, [], [])) == ""
    for nonsense in ("", "{", "[]", "{}", "[" * 50_000, '{"value": "x"}', '{"value": ' + "9" * 5000 + "}"):
        assert read_thoughts(nonsense) is None


# ------------------------------------------------------------------------------------------------ the cage


@pytest.fixture
def caged():
    made = []

    def start(script: str, **options) -> Cage:
        made.append(Cage([sys.executable, "-I", "-c", script], options.pop("walls", Walls()), **options))
        return made[-1]

    yield start
    for cage in made:
        cage.close()


def test_a_program_speaks_in_lines_over_its_stdin_and_stdout(caged):
    script = "import sys\nfor line in sys.stdin: print('!', file=sys.stderr); print(line.upper() + 'and', flush=True)"
    cage = caged(script, stdio=True)
    cage.send(b"one\ntwo\n", far())
    assert [cage.read_line(100, far()) for _ in range(4)] == ["ONE", "and", "TWO", "and"]
    assert cage.output() == "!\n!"
    assert cage.close() == "stopped"


def test_a_program_of_another_python_is_not_told_where_our_modules_lie(caged, monkeypatch):
    """It would take the modules of this Python for its own and end at once."""
    monkeypatch.setenv("PYTHONPATH", "/its/own")
    script = "import os, sys; print(os.environ.get('PYTHONPATH'), flush=True); sys.stdin.read()"
    assert caged(script, stdio=True).read_line(10_000, far()) == "/its/own"


def test_a_line_without_an_end_is_refused_in_time(caged):
    cage = caged("import sys; sys.stdout.write('x' * 1000); sys.stdout.flush(); sys.stdin.read()", stdio=True)
    with pytest.raises(AgentFault, match="longer than 100"):
        cage.read_line(100, far())
    with pytest.raises(AgentFault) as fault:
        cage.read_line(5000, time.monotonic() + 0.2)
    assert fault.value.reason == "timeout"


def test_an_end_is_told_by_its_code_however_late_it_is_heard(caged):
    cage = caged("import sys; sys.exit(5)", stdio=True)
    with pytest.raises(AgentFault, match="exit code 5") as fault:
        cage.read(1, far())
    assert fault.value.reason == "crash"
    late = caged("import os; os._exit(6)", stdio=True)
    late._warden.wait(300)
    with pytest.raises(AgentFault, match="exit code 6") as fault:
        late.read(1, time.monotonic() - 1)
    assert fault.value.reason == "crash"


def test_limits_hold_in_the_cage(caged):
    script = """if True:
        import os, resource
        for limit in (resource.RLIMIT_AS, resource.RLIMIT_FSIZE):
            print(resource.getrlimit(limit)[1])
        print(os.getsid(0) == os.getpid(), sorted(os.environ))"""
    cage = caged(script, walls=Walls(memory=1.0), stdio=True)
    assert [int(cage.read_line(100, far())) for _ in range(2)] == [1 << 30, 256 << 20]
    leads, names = cage.read_line(1000, far()).split(maxsplit=1)
    assert leads == "True"
    assert "PATH" in names
    assert "PYTEST_CURRENT_TEST" not in names


def test_a_command_that_is_not_there_is_a_crash_with_a_reason():
    cage = Cage(["/no/such/program"], Walls(), stdio=True)
    with pytest.raises(AgentFault, match="exit code 127"):
        cage.read(1, far())
    assert cage.output() == "/no/such/program cannot be started: No such file or directory"


def sandboxes() -> bool:
    """Whether bubblewrap is installed, and the system lets it do its work."""
    nothing = ["bwrap", "--ro-bind", "/", "/", "--unshare-all", "true"]
    return shutil.which("bwrap") is not None and subprocess.run(nothing, capture_output=True).returncode == 0


SPY = """
import os, socket
from dataclasses import dataclass
from ludus import Agent

@dataclass
class Spy(Agent):
    secret: str = ""
    port: int = 0

    def act(self, view, rng):
        for attempt in (self.read, self.write, self.call, self.look):
            try:
                print(attempt.__name__, attempt())
            except OSError as error:
                print(attempt.__name__, "cannot")
        return view.legal[0]

    def read(self):
        return open(self.secret).read()

    def write(self):
        return open(__file__ + ".txt", "w").write("x")

    def call(self):
        return socket.create_connection(("127.0.0.1", self.port), 5)

    def look(self):
        if len([name for name in os.listdir("/proc") if name.isdigit()]) < 5:
            raise OSError
"""


@pytest.mark.skipif(not sandboxes(), reason="bubblewrap is not installed, or the system forbids it")
def test_a_sandbox_hides_files_network_and_processes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bots").mkdir()
    (tmp_path / "bots" / "spy.py").write_text(SPY)
    (tmp_path / "secret").write_text("42")
    with socket.create_server(("127.0.0.1", 0)) as server:
        settings = f"secret={tmp_path}/secret,port={server.getsockname()[1]}"
        game = load("tic_tac_toe")
        said = {}
        for sandbox in (False, True):
            one = host(f"bots/spy.py:{settings}", game, safety=Safety(sandbox=sandbox))
            one.start()
            one.begin()
            match = Match(game, 2)
            assert one.ask(match.view(0), match.stream(0), 300.0) == 0
            said[sandbox] = [line.split()[1] for line in one.end().splitlines()]
            one.close()
    assert said == {False: ["42", "1", "<socket.socket", "None"], True: ["cannot"] * 4}
