"""Schedules, resuming, sequential stops: nothing is lost and nothing is played twice."""

from __future__ import annotations

import contextlib
import json
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator

import pytest

from ludus.arena.schedule import Schedule, make_schedule
from ludus.arena.tournament import Tournament
from ludus.errors import BadInput
from ludus.records import Store
from ludus.workers import Threads


def schedule(**changes) -> Schedule:
    given = {"game": "tic_tac_toe", "agents": ["random", "mcts:sims=20"], "preset": "default", "rules": {}, "blocks": 5}
    return make_schedule(**(given | changes))


@pytest.fixture
def store(tmp_path) -> Iterator[Store]:
    with Store(tmp_path / "s.sqlite") as store:
        yield store


def test_round_robin_and_gauntlet_lineups():
    agents = ["random", "greedy", "mcts:sims=2", "mcts:sims=4"]
    assert schedule(agents=agents).lineups() == [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    assert schedule(agents=agents, format="gauntlet").lineups() == [(0, 1), (0, 2), (0, 3)]
    three = schedule(game="goofspiel", agents=agents, players=3)
    assert three.lineups() == [(0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3)]
    assert schedule(game="goofspiel", players=3).lineups() == [(0, 0, 1), (0, 1, 1)]
    gauntlet = schedule(game="goofspiel", agents=agents[:3], players=4, format="gauntlet")
    assert gauntlet.lineups() == [(0, 1, 1, 1), (0, 2, 2, 2)]
    assert gauntlet.lineups([2, 0, 1]) == [(0, 0, 0, 2), (1, 1, 1, 2)]


def test_every_match_of_the_schedule_is_played_once(store):
    tournament = Tournament(schedule(agents=["random", "greedy", "mcts:sims=5"]), store, workers=Threads(2))
    found = tournament.run()
    assert found.played == tournament.total == 30
    keys = [key for key, _ in store.matches("tournament")]
    assert keys == [(lineup, block, turn) for lineup in range(3) for block in range(5) for turn in range(2)]
    seats = Counter(tuple(record.agents) for _, record in store.matches("tournament"))
    assert set(seats.values()) == {5}  # every pair, both ways round


def test_a_finished_tournament_resumes_to_the_same_standings(store):
    first = Tournament(schedule(), store).run()
    heard = []
    again = Tournament(schedule(), store).run(heard.append)
    assert heard == [10]  # all were there, none was played
    assert again == first


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"agents": ["random"]}, "at least two agents"),
        ({"agents": ["random", "random"]}, "enter a tournament once"),
        ({"format": "knockout"}, "one of round-robin"),
        ({"agents": ["random", "greedy", "mcts"], "format": "until-sure"}, "two agents"),
        ({"elo1": float("nan")}, "a lead in Elo"),
    ],
)
def test_schedules_that_make_no_tournament(changes, reason):
    with pytest.raises(BadInput, match=reason):
        schedule(**changes)


def test_until_sure_stops_early_when_it_is_sure(store):
    agents = ["mcts:sims=50", "random"]
    sure = schedule(game="connect_four", agents=agents, format="until-sure", blocks=2000, elo1=100.0)
    found = Tournament(sure, store).run()
    assert found.test is not None
    assert found.test.state == "accept H1"
    assert found.played < 500
    assert Tournament(sure, store).run() == found


def test_until_sure_does_not_prefer_an_equal(store):
    even = schedule(agents=["random", "mcts:sims=1"], format="until-sure", blocks=2000, elo1=200.0)
    found = Tournament(even, store).run()
    assert found.test is not None
    assert found.test.state == "accept H0"


def test_until_sure_speaks_of_the_agent_named_first_in_a_series_that_others_began(store):
    Tournament(schedule(agents=["random", "mcts:sims=50"], blocks=20), store).run()
    sure = schedule(agents=["mcts:sims=50", "random"], format="until-sure", blocks=2000, elo1=100.0)
    found = Tournament(sure, store).run()
    assert found.name == "tournament"
    assert found.test is not None
    assert found.test.state == "accept H1"
    assert found.test.score > 0.5


def test_ratings_order_and_anchor(store):
    agents = ["mcts:sims=200", "random", "mcts:sims=10"]
    found = Tournament(schedule(game="connect_four", agents=agents, blocks=15), store).run()
    assert found.ratings is not None
    assert [row.name for row in found.ratings.rows] == ["mcts:sims=200", "mcts:sims=10", "random"]
    assert found.ratings.rows[-1].elo.value == 0
    assert found.pairs["mcts:sims=200", "random"].value > 0.9
    assert max(found.lasting, key=found.lasting.__getitem__) == "mcts:sims=200"
    assert found.circles is not None
    json.dumps(found.to_dict())


def test_one_process_at_a_time_plays_a_tournament(store, tmp_path):
    first = Tournament(schedule(), store)
    script = "import sys; from ludus.cli import main; main()"
    arguments = ["tournament", "tic_tac_toe", "random", "mcts:sims=20", "--games", "10", "--name", "tournament"]
    command = [sys.executable, "-c", script, *arguments, "--store", str(tmp_path / "s.sqlite")]
    with store.alone("tournament"):
        second = subprocess.run(command, capture_output=True, text=True)
    assert second.returncode == 2
    assert "another process is playing 'tournament'" in second.stderr
    assert "Traceback" not in second.stderr
    assert first.run().played == 10


# ------------------------------------------------------------------------------------------------ kill -9

COMMAND = [
    "tournament",
    "connect_four",
    "random",
    "mcts:sims=60",
    "mcts:sims=120",
    "--games",
    "400",
    "--jobs",
    "2",
    "--json",
]


def ludus(*arguments: str) -> list[str]:
    return [sys.executable, "-c", "from ludus.cli import main; main()", *arguments]


def test_killed_twenty_times_and_resumed_every_match_is_there_once(tmp_path):
    chance = random.Random(7)
    path = tmp_path / "killed.sqlite"
    kills = progressed = before = 0
    while kills < 20 and before < 1200:
        process = subprocess.Popen(ludus(*COMMAND, "--store", str(path)), stdout=subprocess.DEVNULL)
        # Kill it at a random moment: while it starts, or when it has played so many more matches.
        more, deadline = chance.choice([0, 1, 10, 40]), time.monotonic() + 60
        time.sleep(chance.random() / 2 if more == 0 else 0)
        while played(path) - before < more and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.02)
        process.kill()
        kills += process.wait() == -signal.SIGKILL  # a fast machine may have finished the last matches
        now = played(path)
        assert now >= before  # nothing that was there is lost
        progressed += now > before
        before = now
    finished = subprocess.run(ludus(*COMMAND, "--store", str(path)), capture_output=True, text=True, check=True)
    assert json.loads(finished.stdout)["played"] == 1200
    calm = tmp_path / "calm.sqlite"
    undisturbed = subprocess.run(ludus(*COMMAND, "--store", str(calm)), capture_output=True, text=True, check=True)
    assert json.loads(undisturbed.stdout) == json.loads(finished.stdout)
    with Store(path) as store, Store(calm) as other:
        assert list(store.matches("connect_four")) == list(other.matches("connect_four"))
    assert progressed >= 5


def played(path) -> int:
    """How many matches are in the store, looked at without touching it."""
    if not path.exists():
        return 0
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=60)) as db:
        try:
            return db.execute("select count(*) from matches").fetchone()[0]
        except sqlite3.OperationalError as error:
            assert "no such table" in str(error)  # noqa: PT017 (killed before the first match)
            return 0
