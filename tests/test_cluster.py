"""Ray: the same records as threads; a node or the driver that is killed loses nothing and doubles nothing."""

from __future__ import annotations

import sys
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


def test_a_driver_that_dies_goes_on_from_the_store(cluster, tmp_path):
    for name in "ab":
        (tmp_path / name).mkdir()

    def die(played: int) -> None:
        if played:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play(tmp_path / "a", Ray(), die)
    with Store(tmp_path / "a" / "store.sqlite") as store:
        assert 0 < len(list(store.matches("tournament"))) < GAMES
    assert play(tmp_path / "a", Ray()) == play(tmp_path / "b", Threads(1)), "nothing lost, nothing doubled"


def test_places_that_are_not_there_are_refused():
    with pytest.raises(UnknownName, match="ray"):
        workers("moon")


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(BadInput, match=r"pip install 'ludus\[ray\]'"):
        workers("ray")
