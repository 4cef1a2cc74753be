"""Ray: the same records as threads; a node or the driver that is killed loses nothing and doubles nothing."""

from __future__ import annotations

import random
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from threading import Lock

import pytest

pytest.importorskip("ray")

from ludus.arena.contest import contest
from ludus.arena.schedule import make_schedule
from ludus.arena.tournament import Tournament
from ludus.errors import BadInput, UnknownName
from ludus.papers.matches import LEARNER, Course, ladder, lineup, trainings
from ludus.playtest.plan import Mode, Order
from ludus.playtest.run import Runner
from ludus.records import Store
from ludus.tuning.tune import tune
from ludus.workers import Ray, Threads, Workers, workers
from tests.tuning.test_tune import LOTS

AGENTS = ("random", "mcts:sims=30")
GAMES = 40
LONG = ("random", "mcts:sims=3000")
SOME, MANY = 200, 600
"""Some seconds of work: whoever is to be killed before the end is still at it."""
HOME = "127.0.0.2"
PATIENCE = 300
"""Seconds after which a driver hangs."""


def node(cluster, **more):
    """One more node of one core, and no more processes than it needs."""
    try:
        return cluster.add_node(
            num_cpus=1, node_ip_address=HOME, include_dashboard=False, include_log_monitor=False, **more
        )
    except Exception as error:  # Ray raises just this where a node is not up within 30 seconds
        pytest.skip(f"this machine is too busy to start Ray: {error}")


def free_port() -> int:
    with socket.socket() as found:
        found.bind((HOME, 0))
        return found.getsockname()[1]


@pytest.fixture(scope="module")
def cluster():
    """Two nodes on this machine, with a door for whoever comes from outside."""
    import ray
    from ray.cluster_utils import Cluster

    made = Cluster()
    made.door = free_port()
    node(made, ray_client_server_port=made.door)
    node(made)
    ray.init(made.address, _node_ip_address=HOME, log_to_driver=False, logging_level="ERROR")
    yield made
    ray.shutdown()
    made.shutdown()


def play(folder: Path, places: Workers, watch=lambda played: None, agents=AGENTS, games=GAMES) -> list[str]:
    """The records of a tournament, as they lie in its store."""
    schedule = make_schedule("connect_four", agents, "default", {}, blocks=games // 2, seed=4)
    with Store(folder / "store.sqlite") as store:
        Tournament(schedule, store, workers=places).run(watch)
        return [record.to_json() for _, record in store.matches("tournament")]


@pytest.fixture(scope="module")
def expected(tmp_path_factory) -> list[str]:
    """The records of threads."""
    return play(tmp_path_factory.mktemp("threads"), Threads(2), agents=LONG, games=MANY)


def test_the_records_are_those_of_threads(cluster, tmp_path, expected):
    assert len(expected) == MANY
    assert play(tmp_path, Ray(), agents=LONG, games=MANY) == expected


def contested(folder: Path, places: Workers) -> object:
    return contest("tic_tac_toe", ["random", "mcts:sims=20"], games=20, workers=places)


def playtested(folder: Path, places: Workers) -> object:
    order = Order("kuhn_poker", "default", {}, 2, Mode("small", 6, 0.1, 32), games=20)
    return [cell.records for cell in Runner(order, folder, places).run().lineups]


def tuned(folder: Path, places: Workers) -> object:
    targets = ["seat_advantage in -9..9"]
    small = {"agents": ["random"], "matches": 100, "fresh": 200, "best": 1, "lights": False, "candidates": 4}
    found = tune(LOTS, {"tax": "0..6"}, targets, out=folder, workers=places, **small)
    return found.candidates, found.best


def reproduced(folder: Path, places: Workers) -> object:
    """What the papers are measured by: a lineup, a ladder, and learners that are trained several times."""
    course = Course("tic_tac_toe", "qlearning", {"games": 400})
    wanted = [
        lineup("a", "tic_tac_toe", ["greedy", "random"], "default", 20, 1, places),
        ladder("b", "tic_tac_toe", {"random": "random", "greedy": "greedy"}, "default", 20, 1, places),
        trainings("c", course, [LEARNER, "random"], "default", 20, [1, 2], folder, places),
    ]
    return [experiment.run(lambda done: None) for experiment in wanted]


@pytest.mark.parametrize("work", [contested, playtested, tuned, reproduced])
def test_whatever_is_played_comes_out_as_on_threads(work, cluster, tmp_path):
    assert work(tmp_path / "ray", Ray()) == work(tmp_path / "threads", Threads(2))


def test_self_play_on_ray_makes_the_network_that_one_process_would(cluster, tmp_path):
    alphazero = pytest.importorskip("tests.learn.test_alphazero")
    there = alphazero.trained_by(tmp_path / "ray", Ray())
    assert there == alphazero.trained_by(tmp_path / "here", alphazero.Pickled(1))


@pytest.mark.parametrize("seed", range(3))
def test_a_node_that_is_killed_loses_nothing_and_doubles_nothing(cluster, tmp_path, expected, seed):
    """At a random moment: some fraction of a packet's half second after a random number of matches."""
    dice, left = random.Random(seed), [node(cluster)]
    list(Ray().stream(time.sleep, [0.01] * 6))  # all nodes are up and at work
    wanted = dice.randint(1, SOME // 2)

    def kill(played: int) -> None:
        nonlocal wanted
        wanted -= played
        if wanted <= 0 and left:
            time.sleep(dice.uniform(0, 0.5))
            cluster.remove_node(left.pop(), allow_graceful=False)  # kill -9

    assert play(tmp_path, Ray(), kill, LONG, SOME) == expected[:SOME]
    assert not left


def test_a_failure_there_is_raised_here_and_items_come_once(cluster):
    assert sorted(Ray().stream(lambda n: n * n, range(20))) == [n * n for n in range(20)]
    with pytest.raises(ZeroDivisionError):
        list(Ray().stream(lambda n: 1 // n, [1, 0]))
    lock = Lock()
    with pytest.raises(BadInput, match="cannot leave its process"):
        list(Ray().stream(lambda n: lock and n, [1]))


DRIVER = """
import sys
import ray
ray.init(sys.argv.pop(1), _node_ip_address="127.0.0.2", log_to_driver=False, logging_level="ERROR")
from ludus.cli import main
main()
"""


def driver(cluster, store: Path) -> subprocess.Popen:
    """A tournament that is begun, or gone on with, by a process of its own."""
    command = ["tournament", "connect_four", *LONG, "--games", str(MANY), "--seed", "4", "--store", str(store)]
    return subprocess.Popen(
        [sys.executable, "-c", DRIVER, cluster.address, *command, "--name", "tournament", "--on", "ray"],
        stdout=subprocess.DEVNULL,
    )


def kept(store: Path) -> int:
    """How many matches the store holds by now, as another process sees it."""
    if not store.exists():
        return 0
    with Store(store) as opened, opened.reading() as db:
        return db.execute("select count(*) from matches").fetchone()[0]


def kill_at(count: int, running: subprocess.Popen, store: Path, later: float) -> None:
    """kill -9, some time after so many matches are kept."""
    try:
        until = time.monotonic() + PATIENCE
        while kept(store) < count and running.poll() is None:
            assert time.monotonic() < until, "the driver hangs"
            time.sleep(0.02)
        time.sleep(later)
    finally:
        running.kill()
    assert running.wait(PATIENCE) == -signal.SIGKILL, "it had not ended by itself"


def test_a_driver_that_is_killed_goes_on_from_the_store(cluster, tmp_path, expected):
    """Twice, each time at a random moment; then the same command plays the rest."""
    store, dice, before = tmp_path / "store.sqlite", random.Random(5), 0
    for _ in range(2):
        kill_at(before + dice.randint(1, MANY // 4), driver(cluster, store), store, dice.uniform(0, 0.5))
        now = kept(store)
        assert before < now < MANY
        before = now
    last = driver(cluster, store)
    try:
        assert last.wait(PATIENCE) == 0
    finally:
        last.kill()
    with Store(store) as opened:
        assert [record.to_json() for _, record in opened.matches("tournament")] == expected, "nothing lost or doubled"


def test_a_cluster_is_entered_from_outside(cluster, tmp_path):
    """`--on ray://…`, as a command of a process that is no part of the cluster; records are those of threads."""
    pytest.importorskip("grpc")
    command = ["tournament", "connect_four", *AGENTS, "--games", str(GAMES), "--seed", "4", "--name", "tournament"]
    place = ["--store", str(tmp_path / "outside.sqlite"), "--on", f"ray://{HOME}:{cluster.door}"]
    code = "from ludus.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code, *command, *place], timeout=PATIENCE, capture_output=True)
    assert done.returncode == 0, done.stderr
    with Store(tmp_path / "outside.sqlite") as store:
        records = [record.to_json() for _, record in store.matches("tournament")]
    assert records == play(tmp_path, Threads(2))


@pytest.fixture
def outside(monkeypatch):
    """A process that has entered no cluster yet."""
    import ray

    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    monkeypatch.delenv("RAY_ADDRESS", raising=False)


@pytest.mark.parametrize("place", ["ray://", "ray://host", "ray://host:door"])
def test_an_address_that_is_none_is_refused(place, outside):
    pytest.importorskip("grpc")
    with pytest.raises(BadInput, match="a cluster is ray://HOST:PORT"):
        workers(place)


def test_a_place_where_nobody_listens_is_said_at_once(outside, monkeypatch):
    pytest.importorskip("grpc")
    address = f"{HOME}:{free_port()}"
    with pytest.raises(BadInput, match=f"no cluster answers at ray://{address}"):
        workers(f"ray://{address}")
    monkeypatch.setenv("RAY_ADDRESS", address)
    with pytest.raises(BadInput, match=f"no cluster answers at {address}"):
        workers("ray")


def test_a_cluster_that_refuses_is_told_with_what_helps(outside, monkeypatch):
    import ray

    def refuse(*_, **__):
        raise ConnectionError("ray client connection timeout")

    pytest.importorskip("grpc")
    monkeypatch.setattr(ray, "init", refuse)
    with socket.create_server((HOME, 0)) as listens, pytest.raises(BadInput, match="RAY_AUTH_TOKEN"):
        workers(f"ray://{HOME}:{listens.getsockname()[1]}")
    with pytest.raises(BadInput, match="Ray does not start here: ray client"):
        workers("ray")


def test_whoever_comes_from_outside_knocks_again(outside, monkeypatch):
    import ray

    pytest.importorskip("grpc")
    answers = iter([ConnectionAbortedError("Initialization failure from server:\nthe server is dead"), None])

    def init(*_, **__):
        if trouble := next(answers):
            raise trouble

    monkeypatch.setattr(ray, "init", init)
    with socket.create_server((HOME, 0)) as listens:
        place = f"ray://{HOME}:{listens.getsockname()[1]}"
        assert workers(place, 3).count == 3
        answers = iter([RuntimeError("failure:\nthe server is dead")] * 9)
        with pytest.raises(BadInput, match="lets nobody in: the server is dead; if it wants a token"):
            workers(place)


def test_places_that_are_not_there_are_refused():
    with pytest.raises(UnknownName, match="ray"):
        workers("moon")


@pytest.mark.parametrize(("place", "package"), [("ray", "ray"), ("ray://host:1", "grpc")])
def test_a_missing_package_is_named(place, package, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(BadInput, match=r"pip install 'ludus\[ray\]'"):
        workers(place)
