"""Tabular learning: a second implementation, the paper's numbers, resuming, other games, and what is refused."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ludus import load
from ludus.agents._abstraction import find_abstraction, pack, row_of
from ludus.agents.qlearning import choose_by_tables, manners_of
from ludus.agents.random_choice import choose_at_random
from ludus.arena.contest import contest
from ludus.compile import template
from ludus.errors import BadInput, Mismatch, UnknownName
from ludus.games._gravwell_text import GO, HALT, MOVE
from ludus.learn.qlearning import TOTAL, Learner, Settings, train
from ludus.rng import match_words, word
from ludus.runs import RunFolder, begin_run
from ludus.workers import Threads

GAME = load("gravwell")
DRAFT, CHOOSE, STOP, OVER = range(4)
CARDS_OF_KUHN = f"{Path(__file__).parent}/kuhn_abstraction.py:card"


def learn(folder, game="gravwell", preset="default", seed=0, **changes):
    """A whole training; its folder."""
    game, settings = load(game), Settings(**{"players": load(game).facts.players[1], **changes})
    values = game.rule_values(preset)
    run = begin_run(folder, "qlearning", game, values, settings, seed)
    for _ in train(game, values, settings, run, seed, Threads(1)):
        pass
    return run


def cells_of(run):
    with np.load(run.path / "tables.npz") as saved:
        return saved["cells"].copy()


# ------------------------------------------------------------------------------------------------ rows


@template
def rows_of(states, players, out):
    for i in range(states.shape[0]):
        out[i] = row_of(states[i], players[i])


def row_in(abstraction, tiles, hulks=(26, 36), turn=6, player=0):
    """The row of a player who is to choose its last card."""
    lines = [f"Round 2, turn {turn}: choose", "hulks " + " ".join(map(str, hulks))]
    spare = iter("ABCDEFGHIKLMNOPRSTUVWXYZ")
    for name, tile in zip("ABCD", tiles):
        lines.append(f"{name} tile {tile} stops 1 hand {' '.join(next(spare) for _ in range(7 - turn))}")
    states, out = GAME.parse_state("\n".join(lines), len(tiles)), np.empty(1, np.int64)
    find_abstraction(abstraction, GAME, 1).kernel(rows_of, GAME)(states, np.array([player]), out)
    return int(out[0])


def test_a_row_is_the_distances_to_the_nearest_players():
    assert row_in("distances", (10, 13, 17, 8)) == 12 * 3 + 2
    assert row_in("distances", (10, 30, 9, 0)) == 12 * 11 + 1
    assert row_in("distances", (0, 0, 0, 0), hulks=(1, 2)) == 0  # hulks and ships on the same tile are not seen
    assert row_in("distances", (5, 0, 0, 0)) == 5  # but those in the Singularity are


def test_the_turn_makes_six_tables_of_one():
    without = row_in("distances", (10, 13, 17, 8))
    assert [row_in("distances+turn", (10, 13, 17, 8), turn=turn) for turn in (1, 6)] == [without, 5 * 144 + without]


def test_the_published_product_confuses_ahead_and_behind():
    assert row_in("product", (20, 21, 10, 0)) == row_in("product", (20, 30, 19, 0)) == 22 + 10
    assert row_in("distances", (20, 21, 10, 0)) != row_in("distances", (20, 30, 19, 0))
    assert (row_in("product", (5, 0, 0, 0)), row_in("product", (0, 5, 0, 0)), row_in("product", (0,) * 4)) == (5, 16, 0)


def test_gravity_counts_hulks_and_leaves_the_singularity_out():
    assert row_in("gravity", (30, 0, 0, 35)) == 12 * 5 + 4  # the rival before the hulk, the hulk behind
    assert row_in("gravity", (5, 0, 0, 0)) == 12 * 11  # a hulk far ahead, and nobody who draws behind
    assert row_in("gravity", (30, 28, 0, 33)) == 12 * 3 + 2


# ------------------------------------------------------------------------------------------------ a second opinion


class SlowLearner:
    """The published algorithm, move by move: lists for the round at hand, learnt from when the next one begins."""

    def __init__(self, abstraction, whole_round):
        self.abstraction, self.whole_round = find_abstraction(abstraction, GAME, 1), whole_round
        self.cells = self.abstraction.blank_cells()
        self.tables, self.manners = pack(self.abstraction.tables), manners_of(self.abstraction, "learnt")
        self.cards, self.stops = [], []

    def play(self, number, seed, values):
        words = match_words(word(seed, 1), np.array([number]), 0, 4)
        states, seat = GAME.start(words, 4, values), number % 4
        while mask := int(GAME.waiting(states)[0]):
            row = np.full((1, 4), -1, np.int32)
            for player in range(4):
                if mask >> player & 1:
                    row[0, player] = self.answer(states, player, words[:, 1 + player : 2 + player], player == seat)
            GAME.advance(states, row, words)
        self.learn_round(int(states[0].tile[seat]), None)

    def answer(self, states, player, words, is_learner):
        views, out = GAME.masked(states, np.array([player])), np.empty(1, np.int32)
        if not is_learner:
            GAME.kernel(choose_at_random)(views, np.array([player]), words, out)
            return out[0]
        if views[0].phase == CHOOSE and views[0].turn_no == 0:
            self.learn_round(int(views[0].tile[player]), self.row(views[0], player))
        choose = self.abstraction.kernel(choose_by_tables, GAME, habit=self.abstraction.habit("auto"))
        choose(views, np.array([player]), words, self.cells, self.tables, self.manners, out)
        self.note(views[0], player, int(out[0]))
        return out[0]

    def note(self, view, player, action):
        if view.phase == CHOOSE:
            self.cards.append((self.row(view, player), action, int(view.tile[player])))
        elif view.phase == STOP and MOVE[view.played[player] - 1] != 0:
            move = int(MOVE[view.played[player] - 1])
            ahead = self.is_drawn_ahead(view, player)
            place = ((int(view.turn_no) * 2 + ahead) * 2 + (move < 0)) * 10 + abs(move) - 1
            self.stops.append((144 + place, action, move if ahead else -move))

    def row(self, view, player):
        here = int(view.tile[player])
        gaps = [int(tile) - here for tile in view.tile[:4]]
        ahead = min(min((gap for gap in gaps if gap > 0), default=0), 11)
        behind = min(min((-gap for gap in gaps if gap < 0), default=0), 11)
        return 12 * ahead + behind

    def is_drawn_ahead(self, view, player):
        gaps = [int(tile - view.tile[player]) for tile in view.tile if tile not in (0, view.tile[player])]
        ahead = min((gap for gap in gaps if gap > 0), default=99)
        behind = min((-gap for gap in gaps if gap < 0), default=99)
        return ahead < behind or (ahead == behind and sum(np.sign(gaps)) > 0)

    def learn_round(self, tile, next_row):
        self.learn_cards(tile, next_row)
        self.learn_stops()

    def learn_cards(self, tile, next_row):
        last, total = len(self.cards) - 1, tile - self.cards[0][2] if self.cards else 0
        for k, (row, card, before) in reversed(list(enumerate(self.cards))):
            after, following = (tile, next_row) if k == last else (self.cards[k + 1][2], self.cards[k + 1][0])
            change, discount = after - before, 0.2
            if self.whole_round:
                change, discount = (total, 0.7) if k == last else (0, 0.9)
            future = 0.0 if following is None else max(0.0, float(self.cells[following].max()))
            self.move(row, card, (change if change > 0 else 10 * change) + discount * future, 0.7)
        self.cards = []

    def learn_stops(self):
        following = None
        for row, action, gain in reversed(self.stops):
            target = 0.0 if following is None else 0.95 * float(self.cells[following, :2].max())
            self.move(row, action - GO, -gain if action == HALT else target, 0.85)
            following = row
        self.stops = []

    def move(self, row, column, target, alpha):
        self.cells[row, column] = (1 - alpha) * float(self.cells[row, column]) + alpha * target


@pytest.mark.parametrize("reward", ["step", "episode"])
@pytest.mark.parametrize("preset", ["default", "paper"])
def test_the_compiled_learner_does_what_the_published_algorithm_says(reward, preset):
    slow, seed = SlowLearner("distances", reward == "episode"), 5
    fast = Learner(GAME, GAME.rule_values(preset), Settings(reward=reward, players=4), seed)
    for number in range(12):
        slow.play(number, seed, GAME.rule_values(preset))
    fast.play(0, 12)
    assert fast.visits.sum() > 12 * 36
    np.testing.assert_allclose(fast.cells, slow.cells, rtol=1e-4, atol=1e-4)


# ------------------------------------------------------------------------------------------------ the paper's numbers


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    return learn(tmp_path_factory.mktemp("runs") / "q", preset="paper", seed=3)


def score(spec, rivals, games=4000, preset="default", game="gravwell"):
    return contest(game, [spec, *rivals], games=games, seed=11, preset=preset).agents[0].score


def test_it_learns_what_the_paper_reports(trained):
    rivals = ["random"] * 3
    with_stop = score(f"qlearning:{trained.path}", rivals, preset="paper")
    without = score(f"qlearning:{trained.path},stop=never", rivals, preset="paper")
    assert with_stop > 0.38  # 42 % in the paper; a training ends between 40 and 44
    assert 0.27 < without < 0.35  # 29 % in the paper
    assert score(f"qlearning:{trained.path}", rivals) > 0.32  # under correct rules


def test_the_learnt_stops_are_the_tree_s(trained):
    stops = cells_of(trained)[144:].reshape(6, 2, 2, 10, -1)
    with np.load(trained.path / "tables.npz") as saved:
        tried = saved["visits"][144:].reshape(6, 2, 2, 10, -1).max(axis=-1) >= 20
    halts = stops[..., 1] > stops[..., 0]
    back = np.zeros((6, 2, 2, 10), bool)
    back[:, 0, 0] = back[:, 1, 1] = True  # drawn behind with a normal, or ahead with a repulsor
    assert halts[tried & back].mean() > 0.8
    assert not halts[tried & ~back].any()


def test_the_log_tells_how_it_went(trained):
    rows = trained.rows()
    assert len(rows) == TOTAL(Settings()) == 20
    assert [int(row["games"]) for row in rows] == list(range(1000, 21_000, 1000))
    for row in rows:
        assert float(row["low"]) < float(row["win_rate"]) < float(row["high"])
    assert float(rows[-1]["mean_reward"]) > 1  # tiles a card; random play makes 26 in 36 turns
    assert 0.5 < float(rows[-1]["visited_rows"]) <= 1


# ------------------------------------------------------------------------------------------------ resuming


def test_the_same_seed_gives_the_same_tables_and_another_gives_others(tmp_path):
    one, again, other = (learn(tmp_path / name, seed=seed, games=300) for name, seed in zip("abc", (1, 1, 2)))
    assert np.array_equal(cells_of(one), cells_of(again))
    assert not np.array_equal(cells_of(one), cells_of(other))


def test_a_killed_training_ends_like_one_that_was_not(tmp_path):
    changes: dict[str, Any] = {"games": 16_000, "every": 200, "players": 4}
    sets = [part for key, value in changes.items() for part in ("--set", f"{key}={value}")]
    main = "from ludus.cli import main; main()"
    command = [sys.executable, "-c", main, "train", "qlearning", "gravwell", *sets, "--seed", "4"]
    process = subprocess.Popen([*command, "--out", str(tmp_path / "cut"), "--json"], stdout=subprocess.DEVNULL)
    while len(RunFolder(tmp_path / "cut").rows()) < 2 and process.poll() is None:
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    assert len(RunFolder(tmp_path / "cut").rows()) < 80
    whole, cut = (learn(tmp_path / name, seed=4, **changes) for name in ("whole", "cut"))
    assert np.array_equal(cells_of(whole), cells_of(cut))
    assert whole.rows() == cut.rows()


# ------------------------------------------------------------------------------------------------ any game


@pytest.mark.parametrize(
    "changes",
    [{}, {"rule": "sarsa", "trace": 0.8}, {"rivals": "self", "rule": "sarsa", "trace": 0.8}],
    ids=["q", "sarsa", "self-play"],
)
def test_it_learns_tic_tac_toe(tmp_path, changes):
    run = learn(tmp_path / "t", "tic_tac_toe", games=10_000, every=5_000, **changes)
    assert score(f"qlearning:{run.path},temperature=0", ["random"], 1000, game="tic_tac_toe") > 0.88


def test_an_abstraction_may_come_from_a_file(tmp_path):
    run = learn(tmp_path / "k", "kuhn_poker", abstraction=CARDS_OF_KUHN, rows=12, games=5000)
    best = cells_of(run).argmax(axis=1)
    assert best[4 * 1 + 3] == best[4 * 2 + 3] == 1  # a king bets and calls
    assert best[4 * 2 + 1] == 0  # a jack folds
    assert score(f"qlearning:{run.path}", ["random"], 1000, game="kuhn_poker") > 0.5


def test_a_row_outside_the_table_is_reported(tmp_path):
    with pytest.raises(BadInput, match="names a cell outside its table of 3 rows"):
        learn(tmp_path / "k", "kuhn_poker", abstraction=CARDS_OF_KUHN, rows=3, games=10)


def test_what_a_table_cannot_hold_is_refused(tmp_path):
    with pytest.raises(Mismatch, match=r"planet_wars.*3,121 actions are 204,537,856 cells"):
        learn(tmp_path / "p", "planet_wars")


@pytest.mark.parametrize(
    ("changes", "error", "words"),
    [
        ({"rule": "td"}, BadInput, "rule is q or sarsa"),
        ({"reward": "game"}, BadInput, "reward is step or episode"),
        ({"abstraction": "distance"}, UnknownName, "distances"),
        ({"rivals": "three"}, UnknownName, "tree"),
        ({"habit": "trees"}, UnknownName, "tree"),
        ({"players": 5}, BadInput, "2 to 4 players"),
        ({"stop": "seldom"}, BadInput, "learnt, never or random"),
    ],
)
def test_settings_that_mean_nothing_are_refused(tmp_path, changes, error, words):
    with pytest.raises(error, match=words):
        learn(tmp_path / "x", games=10, **changes)
