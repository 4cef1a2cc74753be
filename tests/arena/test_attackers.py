"""Whatever an agent of somebody's does is a recorded outcome or harmless, leaves nothing behind, and changes no other
match."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ludus import load
from ludus.arena.bulk import Arena
from ludus.arena.hosts import Clock, Safety, host
from ludus.arena.lockstep import Seating
from ludus.arena.match import Match, replay
from ludus.arena.stepwise import play_match
from ludus.errors import AgentFault
from ludus.workers import Threads

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets a process adopt the orphans of others")
FAST, SLOW = Clock(move=300, start=300), Clock(move=0.5, start=300)
NEVER = Clock(start=0.5)

AT_THE_TABLE = {
    "behave": ("finished", ""),
    "pickled": ("illegal", "a whole number, not a Pickled"),
    "huge": ("illegal", "so large a number: 16,610 bits"),
    "odd": ("illegal", "a whole number, not a function"),
    "reshaped": ("illegal", "another shape or type"),
    "retyped": ("illegal", "another shape or type"),
    "verbose": ("exception", "ValueError: xxxx"),
    "unspeakable": ("exception", "Unspeakable: an error whose text cannot be made"),
    "babble": ("illegal", "none that an agent gives"),
    "leave": ("crash", "exit code 3"),
    "die": ("crash", "exit code 7"),
    "shot": ("crash", "SIGSEGV"),
    "heirs": ("crash", "exit code 0"),
    "family": ("finished", ""),
    "flood": ("finished", ""),
    "greedy": ("exception", "MemoryError"),
    "spy": ("finished", ""),
}
OUTCOMES = {f"at_the_table.py:how={how}": outcome for how, outcome in AT_THE_TABLE.items()} | {
    "compiled.py": ("finished", ""),
    "forged.py": ("exception", "no class that derives from ludus.Agent"),
    "patches.py": ("illegal", "may not play 99"),
    "exits.py": ("crash", "exit code 0"),
}
SILENT = {"at_the_table.py:how=half": SLOW, "at_the_table.py:how=silent": SLOW, "hangs.py": NEVER, "prepares.py": NEVER}


@pytest.fixture(scope="module")
def den(tmp_path_factory):
    """The attackers in a folder whose name is in the command line of everything that they start."""
    return shutil.copytree(Path(__file__).parent / "attackers", tmp_path_factory.mktemp("den") / "attackers")


def left_running(den: Path) -> list[str]:
    found = []
    for process in Path("/proc").iterdir() if sys.platform == "linux" else ():
        try:
            command = (process / "cmdline").read_bytes().decode(errors="replace")
        except OSError:
            continue
        if str(den) in command and process.name != str(os.getpid()):
            found.append(command)
    return found


def played(specs, tables, clock=None, **options):
    arena = Arena(load("tic_tac_toe"), specs, seed=5, clock=clock, **options)
    return {table: record for group in arena.play(tables, Threads(2)) for table, record in group}


def against_random(den, names, clock):
    """One match of each attacker, who begins, and four between agents of ours."""
    specs = ["random", "greedy", *(f"{den}/{name}" + f",mark={den}/mark" * (":" in name) for name in names)]
    own = [Seating((0, 1), block, 0) for block in range(4)]
    found = played(specs, [*own, *(Seating((k, 0), 0, 0) for k in range(2, len(specs)))], clock)
    records = dict(zip(names, (found[Seating((k, 0), 0, 0)] for k in range(2, len(specs)))))
    return records, [found[table] for table in own]


@pytest.fixture(scope="module")
def attacks(den):
    os.environ["LUDUS_SECRET"] = "42"
    yield against_random(den, list(OUTCOMES), FAST)
    del os.environ["LUDUS_SECRET"]


@pytest.mark.parametrize("attack", OUTCOMES)
def test_every_attack_is_an_outcome(attacks, attack):
    record = attacks[0][attack]
    outcome, detail = OUTCOMES[attack]
    assert (record.outcome, record.culprit) == (outcome, -1 if outcome == "finished" else 0), record
    assert detail in record.detail
    assert len(record.to_json()) < 5000
    assert replay(record).outcome == record.outcome


@pytest.mark.parametrize("attack", SILENT)
def test_silence_is_an_outcome(den, attack):
    [record] = against_random(den, [attack], SILENT[attack])[0].values()
    assert (record.outcome, record.culprit) == ("timeout", 0), record
    assert ("no answer within" if SILENT[attack] is SLOW else "did not start within") in record.detail


def test_the_others_play_as_if_nobody_had_attacked(attacks):
    alone = played(["random", "greedy"], [Seating((0, 1), block, 0) for block in range(4)], FAST)
    assert [record.actions for record in attacks[1]] == [alone[seating].actions for seating in sorted(alone, key=str)]
    assert [record.salt for record in attacks[1]] == [""] * 4


@on_linux
def test_nothing_is_left(attacks, den):
    assert left_running(den) == []
    assert not (den / "mark").exists()


def test_what_an_agent_prints_is_kept_apart_and_cut(attacks, capfd):
    mine, rivals = attacks[0]["at_the_table.py:how=flood"].printed
    assert mine.startswith("flood flood")
    assert mine.endswith("?[2J and a last word")
    assert len(mine) < 2100
    assert rivals == ""
    assert capfd.readouterr() == ("", "")


def test_a_claim_to_be_compiled_is_not_believed_but_trust_is(attacks, den):
    printed = attacks[0]["compiled.py"].printed[0]
    assert printed.startswith("pid ")
    assert f"pid {os.getpid()}" not in printed
    spec = f"{den}/compiled.py"
    arena = Arena(load("tic_tac_toe"), [spec, "random"], safety=Safety(trust=frozenset([spec])))
    assert arena.in_lockstep


def test_each_match_has_a_salt_that_nobody_knows(attacks):
    salts = [record.salt for record in attacks[0].values()]
    assert min(map(len, salts)) == 32
    assert len(set(salts)) == len(salts)


def test_a_debugged_agent_raises_here(den):
    spec = f"{den}/at_the_table.py:how=verbose"
    with pytest.raises(ValueError, match="xxx"):
        played([spec, "random"], [Seating((0, 1), 0, 0)], safety=Safety(debug=True))


def test_an_agent_that_never_starts_is_not_waited_for_twice(den):
    one, game = host(f"{den}/hangs.py", load("tic_tac_toe"), clock=NEVER), load("tic_tac_toe")
    for _ in range(2):
        with pytest.raises(AgentFault, match="did not start"):
            one.start()
    started = time.monotonic()
    for _ in range(100):
        play_match(Match(game, 2), [one, one], NEVER)
    assert time.monotonic() - started < 100 * NEVER.start


@on_linux
def test_an_agent_dies_with_an_arena_that_is_killed(den):
    mark = den / "busy"
    script = "import sys; from ludus import play; play('tic_tac_toe', sys.argv[1], 'random', games=2)"
    arena = subprocess.Popen([sys.executable, "-c", script, f"{den}/at_the_table.py:how=busy,mark={mark}"])
    _wait_until(mark.exists)
    assert left_running(den)
    arena.kill()
    arena.wait()
    _wait_until(lambda: not left_running(den))


def _wait_until(done) -> None:
    """A minute is never needed; a machine under load may take some of it."""
    for _ in range(600):
        if done():
            return
        time.sleep(0.1)
    raise AssertionError("it did not happen within a minute")
