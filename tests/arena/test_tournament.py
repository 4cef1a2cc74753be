"""Plans, resuming, sequential stops: nothing is lost and nothing is played twice."""

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

import pytest

from ludus.arena.tournament import Plan, Tournament, make_plan
from ludus.errors import BadInput
from ludus.records import Store


def plan(**changes) -> Plan:
    given = {"game": "tic_tac_toe", "agents": ["random", "mcts:sims=20"], "preset": "default", "rules": {}, "blocks": 5}
    return make_plan(**(given | changes))


def test_round_robin_and_gauntlet_lineups():
    agents = ["random", "greedy", "mcts:sims=2", "mcts:sims=4"]
    assert plan(agents=agents).lineups == [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    assert plan(agents=agents, format="gauntlet").lineups == [(0, 1), (0, 2), (0, 3)]
    assert plan(game="goofspiel", agents=agents, players=3).lineups == [(0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3)]
    assert plan(game="goofspiel", players=3).lineups == [(0, 0, 1), (0, 1, 1)]
    assert plan(game="goofspiel", agents=agents[:3], players=4, format="gauntlet").lineups == [
        (0, 1, 1, 1),
        (0, 2, 2, 2),
    ]


def test_every_match_of_the_plan_is_played_once(tmp_path):
    with Store(tmp_path / "s.sqlite") as store:
        tournament = Tournament(plan(agents=["random", "greedy", "mcts:sims=5"]), store, jobs=2)
        outcome = tournament.run()
        assert outcome.played == tournament.total == 30
        keys = [key for key, _ in store.matches("tournament")]
        assert sorted(keys) == sorted(key for key, _ in tournament.plan.tables())
    seats = Counter(tuple(record.agents) for record in tournament.records.values())
    assert set(seats.values()) == {5}  # every pair, both ways round


def test_a_finished_tournament_resumes_to_the_same_outcome(tmp_path):
    with Store(tmp_path / "s.sqlite") as store:
        first = Tournament(plan(), store).run()
        heard = []
        again = Tournament(plan(), store).run(heard.append)
        assert heard == [10]  # all were there, none was played
        assert again == first


def test_another_plan_under_the_same_name_is_refused(tmp_path):
    with Store(tmp_path / "s.sqlite") as store:
        Tournament(plan(), store)
        with pytest.raises(BadInput, match="other seed"):
            Tournament(plan(seed=1), store)
        Tournament(plan(seed=1), store, "another")


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"agents": ["random"]}, "at least two agents"),
        ({"agents": ["random", "random"]}, "enter a tournament once"),
        ({"format": "knockout"}, "one of round-robin"),
        ({"agents": ["random", "greedy", "mcts"], "format": "until-sure"}, "two agents"),
    ],
)
def test_plans_that_make_no_tournament(changes, reason):
    with pytest.raises(BadInput, match=reason):
        plan(**changes)


def test_until_sure_stops_early_when_it_is_sure(tmp_path):
    with Store(tmp_path / "s.sqlite") as store:
        sure = plan(
            game="connect_four", agents=["mcts:sims=50", "random"], format="until-sure", blocks=2000, elo1=100.0
        )
        outcome = Tournament(sure, store).run()
    assert outcome.verdict is not None
    assert outcome.verdict.state == "accept H1"
    assert outcome.played < 500


def test_until_sure_does_not_prefer_an_equal(tmp_path):
    with Store(tmp_path / "s.sqlite") as store:
        even = plan(agents=["random", "mcts:sims=1"], format="until-sure", blocks=2000, elo1=200.0)
        outcome = Tournament(even, store).run()
    assert outcome.verdict is not None
    assert outcome.verdict.state == "accept H0"


def test_ratings_order_and_anchor(tmp_path):
    with Store(tmp_path / "s.sqlite") as store:
        agents = ["mcts:sims=200", "random", "mcts:sims=10"]
        outcome = Tournament(plan(game="connect_four", agents=agents, blocks=15), store).run()
    assert outcome.ratings is not None
    assert [row.name for row in outcome.ratings.rows] == ["mcts:sims=200", "mcts:sims=10", "random"]
    assert outcome.ratings.rows[-1].rating == 0
    assert outcome.pairs["mcts:sims=200", "random"].value > 0.9
    json.dumps(outcome.to_dict())


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
    with Store(path) as store:
        tournament = Tournament(Plan(**store.plan("tournament")), store)  # pyright: ignore[reportCallIssue]
        assert sorted(tournament.records) == sorted(key for key, _ in tournament.plan.tables())
        undisturbed = Tournament(tournament.plan, Store(tmp_path / "calm.sqlite"), jobs=2)
        undisturbed.run()
        assert undisturbed.records == tournament.records
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
