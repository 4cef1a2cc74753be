"""A whole playtest: known facts come out, planted faults are found, and a kill loses nothing."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from ludus.errors import BadRules
from ludus.measure.metrics import endings, seat_advantage, skill_ladder
from ludus.playtest.flaws import find_flaws, unused_kinds
from ludus.playtest.plan import Mode, Order, matches_for
from ludus.playtest.run import Runner
from ludus.playtest.verdict import read
from tests.playtest.small import GAMES, played

SMALL = Mode("small", 6, 0.1, 32)


RUN = (
    "import json, sys; from pathlib import Path; from ludus.playtest.plan import Mode, Order;"
    "from ludus.playtest.run import Runner; d = json.loads(sys.argv[1]); d['mode'] = Mode(**d['mode']);"
    "Runner(Order(**d), Path(sys.argv[2])).run()"
)
"""A playtest in a process of its own."""


def order_of(name: str | Path, mode: Mode = SMALL, **more) -> Order:
    return Order(str(name), mode=mode, **{"preset": "default", "rules": {}, "players": 2, "games": 60, **more})


def run(folder: Path, name: str | Path, mode: Mode = SMALL, **more):
    return Runner(order_of(name, mode, **more), folder).run()


def test_a_whole_playtest(tmp_path):
    heard = []
    order = Order("tic_tac_toe", "default", {}, 2, SMALL, games=60)
    results = Runner(order, tmp_path, watch=lambda *what: heard.append(what)).run()
    assert results.specs[0] == "random"
    assert set(results.specs) == {"random", "greedy:slip=0.1", "mcts:sims=16", "mcts:sims=32"}
    assert {len(cell.records) for cell in results.lineups} == {60}
    assert len(results.lineups) == 4 + 6  # every level against itself, and every pair
    assert [gate.name for gate in results.gates] == ["random", "shallow", "strong"]
    assert results.traced is not None
    assert all(replay.trace for replay in results.traced.replays)
    assert results.flaws == []
    assert heard[0][0] == "checking the rules"
    assert "random" in {what[0] for what in heard}


def test_the_same_again_plays_nothing_and_finds_the_same(tmp_path):
    first = run(tmp_path, "kuhn_poker")
    again = run(tmp_path, "kuhn_poker")
    assert [cell.records for cell in first.lineups] == [cell.records for cell in again.lineups]
    assert read(first).to_dict() == read(again).to_dict()


def test_killed_in_the_middle_it_goes_on(tmp_path):
    plan = asdict(order_of("kuhn_poker", games=600))
    command = [sys.executable, "-c", RUN, json.dumps(plan), str(tmp_path / "killed")]
    process = subprocess.Popen(command)
    deadline = time.monotonic() + 60
    while not (tmp_path / "killed" / "matches.sqlite").exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(0.3)
    process.send_signal(signal.SIGKILL)
    process.wait()
    with (tmp_path / "killed" / "traces.jsonl").open("a") as out:
        out.write('{"by": "cut sho')
    resumed = run(tmp_path / "killed", "kuhn_poker", games=600)
    calm = run(tmp_path / "calm", "kuhn_poker", games=600)
    assert [cell.records for cell in resumed.lineups] == [cell.records for cell in calm.lineups]
    assert read(resumed).to_dict() == read(calm).to_dict()


# ------------------------------------------------------------------------------------------------ known answers


def test_connect_four_favours_the_first_seat(tmp_path):
    results = run(tmp_path, "connect_four", Mode("small", 6, 0.1, 16), games=2000, seed=3)
    edge = seat_advantage.measure(results.lineups[0].replays).seats[0]
    assert edge.low > 0  # random play gives the first seat 55.7 %: five standard errors
    assert edge.low < 0.057 < edge.high
    assert results.specs == ["random", "mcts:sims=16", "greedy:slip=0.1"]  # by strength, not by thought


def test_tic_tac_toe_ends_in_draws_with_skill(tmp_path):
    best = "mcts:sims=2000"
    results = run(tmp_path, "tic_tac_toe", Mode("small", 6, 0.1, 16), games=60, agents=[best])
    draws = {cell.specs[0]: endings.measure(cell.replays).draws for cell in results.lineups if cell.is_self_play}
    assert draws["random"].value < draws["mcts:sims=16"].value < draws[best].value
    assert draws[best].low > 0.85
    assert results.specs[-1] == best
    assert skill_ladder.measure(results.specs, [cell.replays for cell in results.lineups]).rungs <= 3


def test_a_dominant_and_a_dead_action_are_flagged(tmp_path):
    results = run(tmp_path, GAMES / "planted.py", Mode("small", 6, 0.1, 256), games=300)
    lit = [reading for reading in read(results).verdict() if reading.colour in ("red", "amber")]
    words = " ".join(reading.sentence for reading in lit)
    assert "*gold*" in words
    assert "*burn*" in words


def test_a_seat_bias_of_three_points_is_found_at_the_planned_size(tmp_path):
    mode = Mode("fine", 3600, 0.05, 16)
    results = run(tmp_path, GAMES / "tilted.py", mode, games=0)
    random = results.lineups[0]
    assert len(random.records) == random.wanted == matches_for(0.01)
    edge = seat_advantage.measure(random.replays).seats[0]
    assert edge.low > 0
    assert edge.low < 0.03 < edge.high
    assert any(reading.metric == "seat_advantage" and reading.found.low > 0 for reading in read(results).numbers)


def test_kuhn_poker_stands_beside_its_exact_value(tmp_path):
    results = run(tmp_path, "kuhn_poker")
    assert any("1/18" in reading.beside for reading in read(results).numbers)


# ------------------------------------------------------------------------------------------------ what is wrong


def test_a_gate_stops_a_game_that_the_first_player_wins(tmp_path):
    results = run(tmp_path, GAMES / "nim.py", Mode("small", 6, 0.1, 256), games=100)
    shut = [gate for gate in results.gates if not gate.is_open]
    if shut:  # a shallow search may or may not find the winning way
        assert "takes" in shut[0].sentence
    top = [cell for cell in results.lineups if cell.is_self_play][-1]
    assert np.mean([replay.shares[0] for replay in top.replays]) > 0.9


def test_a_game_that_fails_its_check_is_refused(tmp_path):
    source = (GAMES / "race.py").read_text()
    broken = tmp_path / "broken.py"
    broken.write_text(
        source.replace("def returns(state, out):", "def returns(state, out):\n    out[0] = 7.0\n    return\n")
    )
    with pytest.raises(BadRules, match=r"fails its check[\s\S]*ludus check"):
        run(tmp_path / "out", broken)
    assert not (tmp_path / "out" / "matches.sqlite").exists()


def test_an_agent_that_crashes_is_recorded_and_the_rest_goes_on(tmp_path):
    bot = tmp_path / "bot.py"
    bot.write_text(
        "from dataclasses import dataclass\nfrom ludus import Agent\n\n\n@dataclass\nclass Bot(Agent):\n"
        '    """Gives up in the middle."""\n\n    name = "bot"\n\n    def act(self, view, rng):\n'
        '        if view.state.plies > 2:\n            raise RuntimeError("too hard")\n        return view.legal[0]\n'
    )
    results = run(tmp_path / "out", "tic_tac_toe", Mode("small", 6, 0.1, 16), agents=[str(bot)], games=8)
    assert any("too hard" in fault for fault in results.faults)
    assert any(str(bot) in level for level in results.specs)
    assert read(results).numbers


def test_flaws_are_found_with_a_replay_at_the_spot():
    from dataclasses import replace

    from ludus.catalogue import load

    cell = played(load("tic_tac_toe"), ["random", "random"], 30)
    stuck, endless = cell.replays[0], cell.replays[1]
    lost = [replace(replay, shares=np.array([1.0, 0.0])) for replay in cell.replays[2:]]
    halted = replace(cell.records[0], outcome="stuck", plies=3, detail="player 2 has no legal action")
    changed = replace(
        cell, records=[halted, *cell.records[1:]], replays=[stuck, replace(endless, outcome="limit"), *lost]
    )
    for replay in changed.replays[:2]:
        replay.shares[:] = [1.0, 0.0]
    bugs = {bug.kind: bug for bug in find_flaws([changed], 2)}
    assert (bugs["no-legal-action"].record, bugs["no-legal-action"].ply) == (halted, 3)
    assert bugs["no-legal-action"].sentence == "at ply 3 player 2 has no legal action"
    assert bugs["endless"].ply == endless.plies
    assert bugs["cannot-win"].sentence.startswith("player 2 never got")
    legal = {"cell": 50, "z9": 40, "y1": 0, "x1": 3}
    assert [bug.sentence for bug in unused_kinds(legal, [cell])] == [
        "'y1' was never legal",
        "'z9' was legal 40 times and never chosen",
    ]
