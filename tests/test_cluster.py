"""Ray: the same records as threads; a node or the driver that is killed loses nothing and doubles nothing."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from threading import Lock

import pytest

pytest.importorskip("ray")

from ludus.arena.schedule import make_schedule
from ludus.arena.tournament import Tournament
from ludus.errors import BadInput, UnknownName
from ludus.records import Store
from ludus.workers import Ray, Threads, Workers, workers

AGENTS = ("random", "mcts:sims=30")
GAMES = 40


@pytest.fixture(scope="module")
def cluster():
    """Two nodes on this machine."""
    import ray
    from ray.cluster_utils import Cluster

    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "node_ip_address": "127.0.0.2"})
    made.add_node(num_cpus=1, node_ip_address="127.0.0.2")
    ray.init(made.address, _node_ip_address="127.0.0.2", log_to_driver=False, logging_level="ERROR")
    yield made
    ray.shutdown()
    made.shutdown()


def play(folder: Path, places: Workers, watch=lambda played: None) -> list[str]:
    """The records of a tournament, as they lie in its store."""
    schedule = make_schedule("connect_four", AGENTS, "default", {}, blocks=GAMES // 2, seed=4)
    with Store(folder / "store.sqlite") as store:
        Tournament(schedule, store, workers=places).run(watch)
        return [record.to_json() for _, record in store.matches("tournament")]


def test_the_records_are_those_of_threads_also_when_a_node_is_killed(cluster, tmp_path):
    for name in "abc":
        (tmp_path / name).mkdir()
    expected = play(tmp_path / "a", Threads(2))
    assert len(expected) == GAMES
    assert play(tmp_path / "b", Ray()) == expected
    node = cluster.add_node(num_cpus=1, node_ip_address="127.0.0.2")
    victims = [node]

    def kill(played: int) -> None:
        if played and victims:
            cluster.remove_node(victims.pop(), allow_graceful=False)  # kill -9

    assert play(tmp_path / "c", Ray(), kill) == expected
    assert not victims


def test_a_failure_there_is_raised_here_and_items_come_once(cluster):
    assert sorted(Ray().stream(lambda n: n * n, range(20))) == [n * n for n in range(20)]
    with pytest.raises(ZeroDivisionError):
        list(Ray().stream(lambda n: 1 // n, [1, 0]))
    lock = Lock()
    with pytest.raises(BadInput, match="cannot leave its process"):
        list(Ray().stream(lambda n: lock and n, [1]))


def test_a_killed_driver_goes_on_from_the_store(tmp_path):
    ludus = [sys.executable, "-c", "from ludus.cli import main; main()"]
    wanted = ["--games", "16", "--on", "ray", "--jobs", "1", "--store", "store.sqlite", "--json"]
    command = [*ludus, "tournament", "tic_tac_toe", "random", "mcts:sims=5000", *wanted]
    driver = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, start_new_session=True)
    while driver.poll() is None and not _played(tmp_path):
        time.sleep(0.02)
    driver.kill()
    driver.wait()
    assert 0 < _played(tmp_path) < 16
    threads = ["threads" if word == "ray" else word for word in command]
    subprocess.run(threads, cwd=tmp_path, check=True, capture_output=True)
    assert _played(tmp_path) == 16
    subprocess.run([word.replace("store", "whole") for word in threads], cwd=tmp_path, check=True, capture_output=True)
    found, whole = (list(Store(tmp_path / name).matches("tic_tac_toe")) for name in ("store.sqlite", "whole.sqlite"))
    assert found == whole, "nothing lost, nothing doubled"


def _played(folder: Path) -> int:
    path = folder / "store.sqlite"
    if not path.exists():
        return 0
    with sqlite3.connect(path, timeout=60) as store:
        try:
            return store.execute("select count(*) from matches").fetchone()[0]
        except sqlite3.OperationalError:
            return 0


def test_places_that_are_not_there_are_refused():
    with pytest.raises(UnknownName, match="ray"):
        workers("moon")


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(BadInput, match=r"pip install 'ludus\[ray\]'"):
        workers("ray")
