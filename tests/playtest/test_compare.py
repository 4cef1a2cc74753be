"""Two versions of the rules: planted changes are found, equal ones are not told apart, and stopping costs nothing."""

from __future__ import annotations

import contextlib
import json
import re
import signal
import sqlite3
import subprocess
import sys
import time
from html.parser import HTMLParser

import numpy as np
import pytest

from ludus.arena.bulk import Arena
from ludus.arena.lockstep import Seating
from ludus.arena.statistics import Interval, mean_sequence
from ludus.errors import BadInput, Mismatch, UnknownName
from ludus.measure.metric import Quantity
from ludus.playtest.compare import Compared, Comparison, Pairs, Version, compare, looks, quantities, read_matches
from ludus.playtest.differences import FEWEST, Changes, Difference, judge
from ludus.records import Store
from ludus.report import comparison as page
from ludus.workers import Threads
from tests.measure.scripted import GAMES, made_up


def version(name: str, **changes: object) -> Version:
    return Version.of(str(GAMES / f"{name}.py"), changes=changes)


def plan_of(name: str, a: dict, b: dict, **rest) -> Comparison:
    return compare(version(name, **a), version(name, **b), rest.pop("agents", ["random"]), **rest)


def compared(plan: Comparison, pairs: int, **matters: float) -> Compared:
    with Store(":memory:") as store:
        return Pairs(plan, store, matters=matters).run(pairs)


def found(outcome: Compared, key: str) -> Difference:
    return next(one for one in outcome.levels[0].differences if one.quantity.key == key)


# ------------------------------------------------------------------------------------------------ planted changes


@pytest.fixture(scope="module")
def shorter() -> Compared:
    """A race over twelve fields in place of twenty."""
    return compared(plan_of("race", {}, {"fields": 12}), 400, seat=8)


def test_a_shorter_race_is_found_and_said(shorter):
    length = found(shorter, "turns")
    assert length.verdict == "changed"
    assert length.sentence.startswith("B shortens the game by ")
    assert length.sentence in shorter.sentences[:2]  # with that of its decisions
    others = plan_of("race", {}, {"fields": 12}, seed=5)
    turns = [quantity.key for quantity in quantities(others)].index("turns")
    a, b = (rows_of(one, 2000, seed=9)[:, turns].mean() for one in others.versions)
    assert length.difference.low < b - a < length.difference.high


def test_what_may_go_wrong_is_shared_out(shorter):
    level = shorter.levels[0]
    a, b = level.lengths
    alone = mean_sequence(b - a, 1 - 0.05 / shorter.looked_at, doubt=a.mean() ** 2)
    assert found(shorter, "turns").difference == alone
    assert shorter.looked_at == 9


def test_what_stays_is_said_to_stay(shorter):
    draws = found(shorter, "draws")
    assert draws.verdict == "unchanged"
    assert draws.sentence.startswith("No draws under A or B (+0.0 points [−")
    assert found(shorter, "menu").verdict == "unchanged"


def test_a_seat_that_is_favoured_is_found():
    outcome = compared(plan_of("tilted", {"first": 50}, {"first": 60}), 1500)
    seat = found(outcome, "seat-1")
    assert seat.verdict == "changed"
    assert seat.sentence.startswith("B helps player 1 by ")
    assert seat.difference.low < 10 < seat.difference.high
    assert found(outcome, "turns").verdict == "unchanged"
    assert "seat-2" not in {one.quantity.key for one in outcome.levels[0].differences}  # it says the same


def test_the_same_luck_makes_pairs_narrow():
    """A coin that favours the first seat falls the same way in most pairs: far less varies than between strangers."""
    plan = plan_of("tilted", {"first": 50}, {"first": 53})
    outcome = compared(plan, 1000)
    a, b = (rows_of(one, 1000, seed) for one, seed in zip(plan.versions, (1, 2)))
    seat = next(k for k, quantity in enumerate(quantities(plan)) if quantity.key == "seat-1")
    strangers = judge(quantities(plan)[seat], a[:, seat], b[:, seat], 0.99)
    assert found(outcome, "seat-1").half_width < strangers.half_width / 2


def test_a_large_difference_stops_early():
    plan, matters = plan_of("race", {}, {"fields": 40}), {"seat": 40.0, "draws": 10.0, "limits": 10.0}
    with Store(":memory:") as store:
        level = Pairs(plan, store, matters=matters).run(5000).levels[0]
        assert level.is_settled
        assert FEWEST <= level.pairs < 150
        again = Pairs(plan, store, matters=matters).run(5000).levels[0]
        assert again.pairs == level.pairs  # what is settled is not played on


def test_levels_and_players_are_compared_each():
    plan = plan_of("race", {}, {"fields": 12}, agents=["random", "greedy"], players=3)
    outcome = compared(plan, 60)
    assert [level.agent for level in outcome.levels] == ["random", "greedy"]
    assert {"seat-1", "seat-2", "seat-3"} <= {one.quantity.key for one in outcome.levels[0].differences}
    assert outcome.looked_at == 2 * len(outcome.levels[0].differences)
    assert sum(sentence.startswith("greedy: ") for sentence in outcome.sentences) >= 6


# ------------------------------------------------------------------------------------------------ nothing to find


def rows_of(one: Version, count: int, seed: int) -> np.ndarray:
    """Matches of one version on seeds of its own."""
    arena = Arena(one.game, ["random"], one.values, seed=seed)
    tables = [Seating((0, 0), block, 0) for block in range(count)]
    records = [record for group in arena.play(tables) for _, record in group]
    other = Version(one.game, {**one.values, "unlike": 1})
    return read_matches(one.game, records, quantities(Comparison(one, other, ("random",), 2)))


def any_finding(of: list[Quantity], a: np.ndarray, b: np.ndarray) -> bool:
    """Whether somebody who looks again and again ever sees a change."""
    confidence = 1 - 0.05 / len(of)
    return any(
        judge(quantity, a[:count, k], b[:count, k], confidence).verdict == "changed"
        for count in looks(FEWEST, len(a))
        for k, quantity in enumerate(of)
    )


@pytest.mark.parametrize("game", ["race", "tilted"])
def test_equal_rules_on_other_seeds_are_not_told_apart(game):
    one = version(game)
    of = quantities(Comparison(one, Version(one.game, {**one.values, "unlike": 1}), ("random",), 2))
    a, b = (rows_of(one, 40 * 120, seed).reshape(40, 120, -1) for seed in (1, 2))
    assert not np.array_equal(a, b)
    assert sum(any_finding(of, *pair) for pair in zip(a, b)) <= 0.07 * 40


def made_up_rows(rng: np.random.Generator, count: int) -> np.ndarray:
    """A length with a long tail, a share with draws, and something rare."""
    share = rng.choice([0.0, 50.0, 100.0], count, p=[0.4, 0.1, 0.5])
    return np.column_stack([rng.geometric(0.05, count), share, 100.0 * (rng.random(count) < 0.02)])


SYNTHETIC = [
    Quantity("turns", "length", "turns", lambda replay: 0, 1),
    Quantity("seat-1", "wins of player 1", "points", lambda replay: 0, 3, most=100),
    Quantity("limits", "time-outs", "points", lambda replay: 0, 1, most=100),
]


def test_made_up_equals_are_not_told_apart():
    rng = np.random.default_rng(11)
    repeats = 80
    false = sum(any_finding(SYNTHETIC, made_up_rows(rng, 250), made_up_rows(rng, 250)) for _ in range(repeats))
    assert false <= 0.07 * repeats


def test_intervals_cover_what_is_there():
    """A length that falls from 20 to 15, a share that rises from 55 to 60, something rare that is gone."""
    rng = np.random.default_rng(12)
    truth, missed, repeats = (-5.0, 5.0, -2.0), 0, 40
    for _ in range(repeats):
        a = made_up_rows(rng, 300)
        share = rng.choice([0.0, 50.0, 100.0], 300, p=[0.35, 0.1, 0.55])
        b = np.column_stack([rng.geometric(1 / 15, 300), share, np.zeros(300)])
        for count in looks(FEWEST, 300):
            found = [judge(q, a[:count, k], b[:count, k], 1 - 0.05 / 3) for k, q in enumerate(SYNTHETIC)]
            if any(not one.difference.low <= value <= one.difference.high for one, value in zip(found, truth)):
                missed += 1
                break
    assert missed <= 0.08 * repeats


# ------------------------------------------------------------------------------------------------ judging


def difference(value: float, low: float, high: float, n: int = 100, **rest) -> Difference:
    quantity = Quantity("turns", "length", "turns", lambda replay: 0, 1, rises="lengthens the game by",
                        falls="shortens the game by", **rest)  # fmt: skip
    own = Interval(30.0, 29.0, 31.0, n)
    return Difference(quantity, own, Interval(30.0 + value, 0, 0, n), Interval(value, low, high, n), (high - low) / 2)


@pytest.mark.parametrize(
    ("bounds", "verdict", "is_settled"),
    [
        ((-4.2, -4.6, -3.8), "changed", True),
        ((-4.2, -8.0, -0.4), "changed", False),  # how much is not clear
        ((-9.0, -11.0, -7.0), "changed", True),
        ((0.3, 0.1, 0.5), "changed", True),
        ((0.3, -0.4, 1.0), "unchanged", True),
        ((0.3, -0.8, 1.4), "not sure yet", False),
    ],
)
def test_verdicts(bounds, verdict, is_settled):
    one = difference(*bounds)
    assert (one.verdict, one.is_settled) == (verdict, is_settled)
    assert difference(*bounds, n=FEWEST - 1).verdict == "not sure yet"


def test_sentences():
    assert difference(-4.2, -4.6, -3.8).sentence == "B shortens the game by 4.2 turns [3.8, 4.6], from 30.0 to 25.8."
    assert difference(0.3, 0.1, 0.5).sentence == (
        "B lengthens the game by 0.3 turns [0.1, 0.5], from 30.0 to 30.3, less than the 1 that matter."
    )
    assert difference(-0.3, -0.8, 0.2).sentence == "Length unchanged (−0.3 turns [−0.8, +0.2])."
    assert difference(0.5, -1.5, 2.5).sentence == (
        "Length: not sure yet (+0.5 turns [−1.5, +2.5]); about 1,600 pairs would tell."
    )


def test_whatever_changed_is_said_first_headline_or_not():
    menu = Quantity("menu", "menu", "actions", lambda replay: 0, 1)
    own = Interval(30.0, 29.0, 31.0, 100)
    bent = Difference(menu, own, Interval(36.0, 0, 0, 100), Interval(6.0, 5.0, 7.0, 100), 1.0)
    still = Difference(menu, own, own, Interval(0.0, -0.5, 0.5, 100), 0.5)
    length, unsure = difference(-2.0, -2.4, -1.6), difference(0.3, -0.8, 1.4)
    found = Changes("random", [unsure, length, still, bent], (np.ones(100), np.ones(100)))
    assert found.leading == [bent, length, unsure]
    assert bent.sentence == "B raises menu by 6.0 actions [5.0, 7.0], from 30.0 to 36.0."


def test_how_many_pairs_would_tell():
    """Where nothing ever differs, three times as many pairs make an interval a third as wide; else it takes nine."""
    quiet = judge(SYNTHETIC[2], np.zeros(300), np.zeros(300), 0.99)
    assert quiet.verdict == "not sure yet"
    assert quiet.pairs_needed < 300 * 1.3 * quiet.half_width
    enough = np.zeros(int(1.1 * quiet.pairs_needed))
    assert judge(SYNTHETIC[2], enough, enough, 0.99).verdict == "unchanged"
    wins = np.tile([0.0, 100.0], 150)
    loud = judge(SYNTHETIC[1], wins, 100 - wins, 0.99)
    assert loud.pairs_needed > 300 * (loud.half_width / 4) ** 2


def test_what_matters_grows_with_the_game():
    assert difference(0, 0, 0).matters == 1
    assert difference(0, 0, 0, matters_part=0.1).matters == pytest.approx(3)
    plan = plan_of("race", {}, {"fields": 12}, players=3)
    chosen = {one.key: (one.matters, one.matters_part) for one in quantities(plan, {"turns": 0.5, "seat": 7})}
    assert chosen["turns"] == (0.5, 0)
    assert chosen["seat-1"] == chosen["seat-3"] == (7, 0)
    with pytest.raises(UnknownName, match="did you mean turns"):
        quantities(plan, {"turn": 1})
    with pytest.raises(BadInput, match="above 0"):
        quantities(plan, {"turns": 0})


def test_numbers_of_a_match():
    of = quantities(plan_of("race", {}, {"fields": 12}))
    read = {quantity.key: quantity.read for quantity in of}
    match = made_up([0.5, 0.5], [0, 0, 1, 0], menus=[1, 2, 3, 2], kinds=["a", "b", "a", "a"], positions=[1, 2, 1, 3, 4])
    numbers = {key: reader(match) for key, reader in read.items()}
    assert numbers == {
        "turns": 3, "seat-1": 50, "draws": 100, "limits": 0, "decisions": 4,
        "menu": 2, "choices": 75, "kinds": 2, "repeats": pytest.approx(20),
    }  # fmt: skip
    cut = made_up([0.5, 0.5], [0, 1], outcome="limit")
    assert (read["draws"](cut), read["limits"](cut)) == (0, 100)


def test_joint_steps_are_plies():
    plan = compare(Version.of("goofspiel"), Version.of("goofspiel", changes={"cards": 5}), ["random"])
    outcome = compared(plan, 60)
    assert found(outcome, "plies").difference.value == found(outcome, "turns").difference.value == -8
    assert found(outcome, "decisions").difference.value == -16


# ------------------------------------------------------------------------------------------------ going on


class Stop(Exception):
    """Somebody pulls the plug."""


def test_resumed_is_as_if_never_stopped(tmp_path):
    plan = plan_of("race", {}, {"fields": 18})
    with Store(tmp_path / "calm.sqlite") as store:
        calm = Pairs(plan, store).run(150)
    heard = iter(range(1, 1000))

    def plug(played: int) -> None:
        if played and next(heard) % 6 == 0:
            raise Stop

    stops = 0
    while True:
        with Store(tmp_path / "stopped.sqlite") as store:
            try:
                stopped = Pairs(plan, store, Threads(2)).run(150, plug)
                break
            except Stop:
                stops += 1
    assert stops >= 3
    assert stopped.to_dict() == calm.to_dict()


def test_more_pairs_may_be_asked_for_later(tmp_path):
    plan = plan_of("race", {}, {"fields": 18})
    with Store(tmp_path / "kept.sqlite") as store:
        few = Pairs(plan, store).run(60)
    with Store(tmp_path / "kept.sqlite") as store:
        watched: list[int] = []
        more = Pairs(plan, store).run(100, watched.append)
    assert (few.levels[0].pairs, more.levels[0].pairs, sum(watched)) == (60, 100, 200)
    assert watched[0] == 120  # what was there is not played again
    assert np.array_equal(more.levels[0].lengths[0][:60], few.levels[0].lengths[0])
    other = plan_of("race", {}, {"fields": 18}, seed=1)
    with (
        Store(tmp_path / "kept.sqlite") as store,
        pytest.raises(BadInput, match=r"other seed \(0, now 1\); give another store"),
    ):
        Pairs(other, store)


SCRIPT = """
import sys
from pathlib import Path
from ludus.playtest.compare import Pairs, Version, compare
from ludus.workers import Threads
from ludus.records import Store
plan = compare(Version.of("connect_four"), Version.of("connect_four", changes={"rows": 5}), ["mcts:sims=20"])
with Store(Path(sys.argv[1])) as store:
    print(Pairs(plan, store, Threads(2)).run(400).to_dict())
"""


def test_killed_and_resumed(tmp_path):
    path = tmp_path / "killed.sqlite"
    command = [sys.executable, "-c", SCRIPT, str(path)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while kept(path) < 50 and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    process.kill()
    assert process.wait() in (-signal.SIGKILL, 0)  # a fast machine may have finished
    assert kept(path) >= 50
    again = subprocess.run(command, capture_output=True, text=True, check=True)
    calm = subprocess.run([*command[:-1], str(tmp_path / "calm.sqlite")], capture_output=True, text=True, check=True)
    assert again.stdout == calm.stdout
    assert "'pairs': 400" in calm.stdout


def kept(path) -> int:
    if not path.exists():
        return 0
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=60)) as db:
        try:
            return db.execute("select count(*) from matches").fetchone()[0]
        except sqlite3.OperationalError:
            return 0


def test_looks_are_fixed():
    assert list(looks(0, 50)) == [10, 12, 14, 16, 19, 22, 26, 31, 37, 44, 50]
    assert list(looks(62, 100)) == [62, 74, 88, 100]
    assert list(looks(63, 100)) == [74, 88, 100]
    assert list(looks(500, 100)) == [100]
    assert list(looks(0, 5)) == [5]


def test_versions_in_words():
    assert [text.partition(" with ")[2] for text in plan_of("race", {}, {"fields": 12}).texts] == [
        "fields = 20",
        "fields = 12",
    ]
    both = compare(version("nim"), version("race", fields=12), ["random"]).texts
    assert both == [str(GAMES / "nim.py"), f"{GAMES / 'race.py'} with fields = 12"]
    many = compare(Version.of("organism", "BOOK"), Version.of("organism", "T"), ["random"]).texts
    assert all(text.endswith(" more") for text in many)


# ------------------------------------------------------------------------------------------------ refusals


def test_what_cannot_be_compared(tmp_path):
    race = version("race")
    with pytest.raises(BadInput, match="the same rules"):
        compare(race, version("race", fields=20), ["random"])
    copy = tmp_path / "copy.py"
    copy.write_text((GAMES / "race.py").read_text())
    with pytest.raises(BadInput, match="the same rules"):
        compare(race, Version.of(str(copy)), ["random"])
    crowd = tmp_path / "crowd.py"
    crowd.write_text(copy.read_text().replace("players=(2, 4)", "players=(3, 4)"))
    with pytest.raises(BadInput, match="no number of players in common"):
        compare(version("nim"), Version.of(str(crowd)), ["random"])
    with pytest.raises(BadInput, match="at least one agent"):
        compare(race, version("race", fields=12), [])
    with pytest.raises(BadInput, match="not 5"):
        compare(race, version("race", fields=12), ["random"], players=5)
    with pytest.raises(Mismatch, match="alphabeta cannot play race"):
        compare(version("nim"), race, ["alphabeta"])


FAULTY = """
import ludus
class Faulty(ludus.Agent):
    def act(self, view, rng):
        if len(view.legal) == int(rng[0] % 5):
            raise RuntimeError("no idea")
        return int(view.legal[0])
"""


def test_pairs_that_an_agent_spoils_are_left_out_and_told(tmp_path):
    path = tmp_path / "faulty.py"
    path.write_text(FAULTY)
    outcome = compared(plan_of("tilted", {"first": 0}, {"first": 100}, agents=[str(path)]), 12)
    assert 2 <= outcome.levels[0].pairs < 12
    assert any("ended by exception" in sentence for sentence in outcome.faults)
    assert found(outcome, "seat-1").difference.value == 100
    path.write_text(FAULTY.replace("== int(rng[0] % 5)", "> 0"))
    with pytest.raises(BadInput, match="nothing to compare: 2 matches of A ended by exception"):
        compared(plan_of("tilted", {"first": 0}, {"first": 100}, agents=[str(path)]), 2)


# ------------------------------------------------------------------------------------------------ the page


class Reader(HTMLParser):
    """Keeps the words, and sees that every tag is closed by the right one."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.words: list[str] = []

    def handle_starttag(self, tag, attrs):
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


def test_the_page_says_it_all_and_needs_nothing_else(shorter, tmp_path):
    path = page.write(shorter, tmp_path)
    text = path.read_text(encoding="utf-8")
    reader = Reader()
    reader.feed(text)
    assert not reader.open
    assert not re.search(r"https?://|<script", text)
    assert all(sentence in reader.words for sentence in shorter.sentences)
    assert text.count("<figure>") == 2
    for target in re.findall(r'href="#([^"]+)"', text):
        assert f'id="{target}"' in text
    numbers = json.loads((tmp_path / "compare.json").read_text())
    assert numbers == json.loads(json.dumps(shorter.to_dict()))
    assert "turns" in {row["key"] for row in numbers["levels"][0]["quantities"]}


def test_the_page_of_two_files_names_them(tmp_path):
    plan = compare(version("nim"), version("race"), ["random", "greedy"])
    outcome = compared(plan, 60)
    text = page.write(outcome, tmp_path).read_text(encoding="utf-8")
    assert "nim.py" in text
    assert "race.py" in text
    assert "no such rule" in text
    assert text.count("<figure>") == 3
