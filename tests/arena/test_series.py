"""Series: the sums beside the matches are those of the matches, whatever was interrupted, and content decides."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from ludus.arena.faults import MOST_REASONS
from ludus.arena.ratings import rate
from ludus.arena.schedule import Schedule, make_schedule
from ludus.arena.series import Series, open_series
from ludus.arena.standings import kept_standings, standings
from ludus.arena.statistics import score_interval
from ludus.arena.tournament import Tournament
from ludus.errors import DiskTrouble
from ludus.records import MatchRecord, Store


@pytest.fixture
def store(tmp_path) -> Iterator[Store]:
    with Store(tmp_path / "s.sqlite") as store:
        yield store


def schedule(**changes) -> Schedule:
    agents = ["random", "greedy", "greedy:slip=0.5"]
    given = {"game": "tic_tac_toe", "agents": agents, "preset": "default", "rules": {}, "blocks": 6}
    return make_schedule(**(given | changes))


def copy(store: Store, name: str, other: str, order: np.ndarray, size: int) -> Series:
    """The matches of one series put into another, in another order, some at a time, reopened each time."""
    matches = list(store.matches(name))
    old = Series(store, name)
    store.begin(other, old.plan)
    for begin in range(0, len(matches), size):
        series = Series(store, other)
        series.enter(old.entrants)
        series.seat(list(old.lineups))
        list(series.missing(list(old.lineups), 6))
        series.add([matches[k] for k in order[begin : begin + size]])
    return Series(store, other)


@pytest.mark.parametrize("size", [1, 5, 100])
def test_the_sums_are_the_same_in_whatever_pieces_the_matches_came(store, size):
    Tournament(schedule(), store).run()
    whole = Series(store, "tournament")
    pieces = copy(store, "tournament", "pieces", np.random.default_rng(size).permutation(36), size)
    assert pieces.units() == whole.units()
    assert (pieces.played, pieces.plies) == (whole.played, whole.plies) == (36, whole.plies)
    sums, wanted = pieces.moments(), whole.moments()
    assert {key: (x.blocks, pytest.approx(x.total), pytest.approx(x.squares)) for key, x in wanted.items()} == {
        key: (x.blocks, x.total, x.squares) for key, x in sums.items()
    }
    assert list(pieces.missing(list(whole.lineups), 6)) == []


def test_standings_from_sums_are_those_from_the_matches(store):
    found = Tournament(schedule(blocks=30), store).run()
    keys, records = zip(*store.matches("tournament"))
    blocks = [key[0] * 30 + key[1] for key in keys]
    plain = rate([r.agents for r in records], [r.shares for r in records], blocks, rng=np.random.default_rng(1))
    assert found.ratings is not None
    for mine, theirs in zip(found.ratings.rows, plain.rows):
        assert mine.name == theirs.name
        assert (mine.elo.value, mine.score, mine.elo.n) == pytest.approx((theirs.elo.value, theirs.score, theirs.elo.n))
        assert (mine.elo.low, mine.elo.high) == pytest.approx((theirs.elo.low, theirs.elo.high), abs=80)
    shares = np.array([r.shares[r.agents.index("random")] for r in records if set(r.agents) == {"random", "greedy"}])
    pair, wanted = found.pairs["random", "greedy"], score_interval(shares.reshape(-1, 2))
    assert (pair.value, pair.low, pair.high, pair.n) == pytest.approx((wanted.value, wanted.low, wanted.high, wanted.n))


def test_what_the_page_gets_is_what_the_command_line_shows(store):
    found = Tournament(schedule(), store).run()
    assert kept_standings(store, "tournament") == json.loads(json.dumps(found.to_dict()))
    store.db.execute("delete from standings")
    assert json.loads(json.dumps(kept_standings(store, "tournament"))) == json.loads(json.dumps(found.to_dict()))


def test_an_agent_in_several_seats_counts_its_mean(store):
    found = Tournament(schedule(game="goofspiel", agents=["random", "greedy"], players=3, blocks=4), store).run()
    a, b = found.pairs["random", "greedy"], found.pairs["greedy", "random"]
    assert found.played == 24
    assert 0 <= a.value <= 1
    assert a.n == b.n == 24


def test_a_store_from_before_there_were_sums_is_summed_up_and_stays_as_it_is(store):
    found = Tournament(schedule(), store, "new").run()
    old = {"game": "tic_tac_toe", "agents": schedule().agents, "seed": 0}
    store.begin("old", old)
    store.add("old", store.matches("new"))
    assert standings(Series(store, "old")).ratings == found.ratings
    fresh = Tournament(schedule(), store, "old")
    assert "before contents were kept" in fresh.said
    assert (fresh.series.name, fresh.run().played) == ("old 2", 36)
    assert Series(store, "old").played == 36


def test_a_name_under_which_other_matches_lie_is_left_alone(store):
    record = MatchRecord("tic_tac_toe", "1", {}, 2, ["a", "b"], 0, 0, 0, [], [1.0, -1.0], 0)
    store.add("page", [((77, 0, 0), record)])
    assert Tournament(schedule(), store, "page").series.name == "page 2"


def test_content_decides_which_series_goes_on(store):
    first, _ = open_series(store, "cup", {"the rules of go": "python3-a"}, {})
    first.enter({"bot.py": {"bot.py": "1"}})
    same, said = open_series(store, "cup", {"the rules of go": "python3-a"}, {"other.py": {"other.py": "1"}})
    assert (same.name, said) == ("cup", "")
    other, said = open_series(store, "cup", {"the rules of go": "python3-a"}, {"bot.py": {"bot.py": "2"}})
    assert other.name == "cup 2"
    other.enter({"bot.py": {"bot.py": "2"}})
    assert said.startswith("bot.py changed since 'cup' was played")
    third, said = open_series(store, "cup", {"the rules of go": "python3-b"}, {})
    assert third.name == "cup 3"
    assert "the rules of go changed since 'cup 2'" in said
    assert open_series(store, "cup", {"the rules of go": "python3-a"}, {"bot.py": {"bot.py": "1"}})[0].name == "cup"


def test_faults_are_counted_by_reason_and_bounded(store):
    Tournament(schedule(agents=["random", "greedy"], blocks=0), store)
    series = Series(store, "tournament")
    record = MatchRecord("tic_tac_toe", "1", {}, 2, ["random", "greedy"], 0, 0, 0, [], [-1.0, 1.0], 0, "exception", 0)
    made = [((0, block, 0), replace(record, block=block, detail=f"reason {block // 2}")) for block in range(100)]
    series.add(made)
    faults = series.faults()
    assert len(faults) == MOST_REASONS + 1
    assert sum(fault.count for fault in faults) == 100
    assert (faults[0].detail, faults[0].count) == ("other reasons", 60)
    assert (faults[1].detail, faults[1].count, faults[1].key) == ("reason 0", 2, (0, 0, 0))
    assert faults[1].text == "random lost 2 matches by exception: reason 0"


def test_a_match_that_is_there_already_is_said(store):
    Tournament(schedule(), store).run()
    series = Series(store, "tournament")
    with pytest.raises(DiskTrouble, match="another process plays them"):
        series.add(list(store.matches("tournament"))[:1])
    assert series.played == 36
