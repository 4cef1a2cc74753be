"""Dictionaries of positions: the arrays against a plain dict, the learner against a plain one, memory, resuming."""

from __future__ import annotations

import json
from itertools import islice

import numpy as np
import pytest

from ludus import agent, load
from ludus.agents._dictionary import (
    NONE,
    PAIRS,
    STATES,
    empty,
    megabytes,
    pair_of,
    rehash,
    sizes,
    slot_of,
    stored_pair,
    with_room,
)
from ludus.arena.contest import contest
from ludus.compile import template
from ludus.errors import BadInput, DiskTrouble
from ludus.learn.dictionary import NUMBERS, TOTAL, Learner, Settings, train
from ludus.rng import _draw_plainly, match_words, word
from ludus.runs import RunFolder, begin_run
from ludus.testing import check_agent
from ludus.workers import Threads

GAME = load("tic_tac_toe")
VALUES = GAME.rule_values()


def learn(folder, settings: Settings, seed: int = 3, rows: int | None = None) -> RunFolder:
    run = begin_run(folder, "dictionary", GAME, VALUES, settings, seed)
    list(islice(train(GAME, VALUES, settings, run, seed, Threads(1)), rows))
    return run


# ------------------------------------------------------------------------------------------------ the arrays


@template
def put_down(book, keys, actions, pairs):
    for k in range(keys.shape[0]):
        pairs[k] = stored_pair(book, slot_of(book, keys[k]), keys[k], actions[k])


@template
def look_up(book, keys, actions, pairs):
    for k in range(keys.shape[0]):
        pairs[k] = pair_of(book, slot_of(book, keys[k]), actions[k])


def test_a_dictionary_in_arrays_is_a_dictionary():
    """Few keys that want the same slots, many actions each, and growth in between."""
    rng, plain, book = np.random.default_rng(1), {}, empty(16, 16)
    for _ in range(30):
        keys = rng.choice([1, 2, 17, 33, 2**63, *range(1000, 1200)], 40).astype(np.uint64)
        actions, pairs = rng.integers(0, 5, 40).astype(np.int32), np.zeros(40, np.int64)
        book = with_room(book, 40, GAME.kernel(rehash))
        GAME.kernel(put_down)(book, keys, actions, pairs)
        for key, action, pair in zip(keys.tolist(), actions.tolist(), pairs.tolist()):
            assert plain.setdefault((key, action), pair) == pair
        assert 3 * book.used[STATES] <= 2 * len(book.keys)
    assert book.used.tolist() == [len({key for key, _ in plain}), len(plain)]
    keys, actions = np.array([key for key, _ in plain], np.uint64), np.array([a for _, a in plain], np.int32)
    found = np.zeros(len(plain), np.int64)
    GAME.kernel(look_up)(book, keys, actions, found)
    assert found.tolist() == list(plain.values())
    GAME.kernel(look_up)(book, keys, actions + 9, found)
    assert set(found) == {NONE}


# ------------------------------------------------------------------------------------------------ a second opinion


class SlowLearner:
    """The same algorithms over a plain dict of dicts, move by move."""

    def __init__(self, settings: Settings):
        self.s, self.published = settings, settings.reading == "published"
        self.alpha, self.discount, *self.explore = NUMBERS[settings.reading, settings.rule]
        self.book: dict[bytes, dict[int, float]] = {}
        self.updates: dict[tuple[bytes, int], int] = {}

    def play(self, number: int, seed: int) -> None:
        words = match_words(word(seed, 1), np.array([number]), 0, 2)
        states, seat = GAME.start(words, 2, VALUES), 0 if self.published else number % 2
        chain: list[tuple[bytes, int, int]] = []
        while mask := int(GAME.waiting(states)[0]):
            player = mask.bit_length() - 1
            menu, stream = GAME.menu(states, player).tolist(), words[0, 1 + player : 2 + player]
            action = self.choose(states, menu, number, stream, chain) if player == seat else pick(menu, stream, False)
            row = np.full((1, 2), -1, np.int32)
            row[0, player] = action
            GAME.advance(states, row, words)
        self.finish(chain, float(GAME.payoffs(states)[0, seat]))

    def choose(self, states, menu, number, stream, chain) -> int:
        key = bytes(states[0].tobytes())
        if chain and self.s.rule == "q" and not self.s.trace:
            self.move(chain[-1], self.discount * self.best(key, len(menu)), self.alpha)
        high, low, fall = self.explore
        if uniform(stream) < low + (high - low) * np.exp(-fall * number) or key not in self.book:
            action = pick(menu, stream, True)
        else:
            action = self.greedy(self.book[key], menu, stream)
        self.book.setdefault(key, {}).setdefault(action, 0.0)
        if chain and self.s.rule == "sarsa" and not self.s.trace:
            self.move(chain[-1], self.discount * self.book[key][action], self.alpha)
        chain.append((key, action, len(menu)))
        return action

    def greedy(self, stored: dict[int, float], menu: list[int], stream) -> int:
        if self.published:
            return max(stored, key=lambda action: stored[action])
        best, ties = menu[0], 0
        for action in menu:
            value, lead = stored.get(action, 0.0), stored.get(best, 0.0)
            if ties == 0 or value > lead:
                best, ties = action, 1
            elif value == lead:
                ties += 1
                best = action if (draw(stream) >> 32) * ties >> 32 == 0 else best
        return best

    def best(self, key: bytes, count: int) -> float:
        stored = self.book.get(key, {})
        unseen = [0.0] * (not stored or (len(stored) < count and not self.published))
        return max([*stored.values(), *unseen])

    def finish(self, chain, reward: float) -> None:
        last = chain[-1]
        if not (self.published and self.s.rule == "sarsa"):
            self.move(last, reward, self.alpha)
        elif self.updates.get(last[:2], 0) == 0:
            self.move(last, reward, 1.0)
        target = reward
        for one, after in zip(chain[-2::-1], chain[:0:-1]) if self.s.trace else ():
            worth = self.best(after[0], after[2]) if self.s.rule == "q" else self.book[after[0]][after[1]]
            target = self.discount * ((1 - self.s.trace) * worth + self.s.trace * target)
            self.move(one, target, self.alpha)

    def move(self, pair, target: float, alpha: float) -> None:
        key, action = pair[:2]
        self.book[key][action] = float(np.float32(self.book[key][action] + alpha * (target - self.book[key][action])))
        self.updates[key, action] = self.updates.get((key, action), 0) + 1


def draw(stream) -> int:
    return int(_draw_plainly(stream))


def uniform(stream) -> float:
    return (draw(stream) >> 11) / 2**53


def pick(menu: list[int], stream, always: bool) -> int:
    """Rivals draw nothing for a forced move, the learner does."""
    return menu[0] if len(menu) == 1 and not always else menu[(draw(stream) >> 32) * len(menu) >> 32]


@pytest.mark.parametrize("trace", [0.0, 0.7])
@pytest.mark.parametrize("rule", ["q", "sarsa"])
@pytest.mark.parametrize("reading", ["textbook", "published"])
def test_the_compiled_learner_does_what_a_plain_one_does(reading, rule, trace):
    settings = Settings(reading=reading, rule=rule, trace=trace)
    slow, fast = SlowLearner(settings), Learner(GAME, VALUES, settings, 5)
    for number in range(400):
        slow.play(number, 5)
    fast.play(0, 400)
    pairs = int(fast.book.used[PAIRS])
    assert int(fast.book.used[STATES]) == len(slow.book)
    assert pairs == sum(map(len, slow.book.values()))
    plain = sorted(value for stored in slow.book.values() for value in stored.values())
    np.testing.assert_allclose(np.sort(fast.book.values[:pairs]), plain, atol=1e-5)
    assert fast.book.visits[:pairs].sum() == sum(slow.updates.values())


# ------------------------------------------------------------------------------------------------ runs


def test_it_learns_tic_tac_toe_and_its_agent_keeps_the_contract(tmp_path):
    run = learn(tmp_path, Settings(games=30_000, every=30_000, trace=0.5, alpha=0.2))
    result = contest("tic_tac_toe", [f"dictionary:{tmp_path}", "random"], games=600, seed=2).agents[0]
    assert result.low > 0.85
    row = run.rows()[-1]
    assert 1000 < int(row["positions"]) < 5478  # all there are
    assert float(row["found"]) > 0.9
    report = check_agent(f"dictionary:{tmp_path}", GAME, matches=1)
    assert report.ok, report


def test_a_cut_training_ends_like_one_that_was_not(tmp_path):
    settings = Settings(games=3000)
    whole, cut = learn(tmp_path / "whole", settings), learn(tmp_path / "cut", settings, rows=1)
    assert len(cut.rows()) == 1
    learn(tmp_path / "cut", settings)
    assert len(whole.rows()) == TOTAL(settings) == 3
    columns = ("games", "win_rate", "positions", "pairs", "mean_reward")
    assert [[row[name] for name in columns] for row in whole.rows()] == [
        [row[name] for name in columns] for row in cut.rows()
    ]


def test_memory_is_bounded_said_and_no_part_of_the_run(tmp_path):
    run = begin_run(tmp_path, "dictionary", GAME, VALUES, Settings(), 0)
    assert "memory" not in run.settings["settings"]
    learner = Learner(GAME, VALUES, Settings(memory=1), 0)
    learner.book = empty(1 << 16, 1 << 16)
    assert megabytes(*sizes(learner.book)) > 1
    with pytest.raises(BadInput, match="outgrown its 1 megabytes after 0 matches, at 0 positions; the run keeps"):
        learner.play(0, 10)
    begin_run(tmp_path, "dictionary", GAME, VALUES, Settings(memory=77), 0)


def test_what_there_is_of_memory_is_used():
    """A megabyte holds 2^15 pairs and, of 2^15 slots, two thirds; no match of Pivit stores more than 2,000."""
    game = load("pivit")
    learner = Learner(game, game.rule_values("paper-training"), Settings(reading="published", memory=1), 1)
    with pytest.raises(BadInput, match="outgrown its 1 megabytes"):
        learner.play(0, 1000)
    assert megabytes(*sizes(learner.book)) <= 1
    assert 2**16 / 3 - 2000 <= learner.book.used[STATES] <= 2**16 / 3


def test_what_was_stored_before_the_first_checkpoint_is_kept(tmp_path, monkeypatch):
    settings = Settings(games=200, every=100)
    whole = learn(tmp_path / "whole", settings).read("dictionary.npz")
    answers = iter([0.0, 0.0])
    monkeypatch.setattr("ludus.learn.dictionary.megabytes", lambda *sizes: next(answers, 1e9))
    with pytest.raises(BadInput, match="positions; the run keeps its last checkpoint"):
        learn(tmp_path / "run", settings)
    monkeypatch.undo()
    assert agent(f"dictionary:{tmp_path / 'run'}", GAME)
    assert learn(tmp_path / "run", settings).read("dictionary.npz") == whole, "it goes on as if never stopped"


@pytest.mark.parametrize("patience", [0.0, 1e9])
def test_checkpoints_come_as_often_as_time_is_worth_and_at_the_end(tmp_path, monkeypatch, patience):
    monkeypatch.setattr("ludus.learn.dictionary.AT_RISK", patience)
    settings, run = Settings(games=300, every=100), RunFolder(tmp_path)
    learn(tmp_path, settings, rows=2)
    assert (run.read("dictionary.npz") is None) == (patience > 0)
    learn(tmp_path, settings)
    assert len(run.rows()) == 3
    assert agent(f"dictionary:{tmp_path}", GAME)


def test_damaged_and_foreign_runs_are_refused(tmp_path):
    run = learn(tmp_path, Settings(games=100, every=100))
    content = run.read("dictionary.npz") or b""
    run.write("dictionary.npz", content[: len(content) // 2])
    with pytest.raises(DiskTrouble, match=r"dictionary\.npz is damaged"):
        agent(f"dictionary:{tmp_path}", GAME)
    (tmp_path / "dictionary.npz").unlink()
    with pytest.raises(BadInput, match="no positions yet"):
        agent(f"dictionary:{tmp_path}", GAME)
    with pytest.raises(BadInput, match="reading is textbook or published, not 'odd'"):
        Learner(GAME, VALUES, Settings(reading="odd"), 0)
    assert json.loads((tmp_path / "settings.json").read_text())["method"] == "dictionary"


def test_pivit_is_stored_as_its_paper_did():
    """20,000 matches store 2.2 million positions, some 110 a match, and greedy choices seldom find theirs."""
    game = load("pivit")
    learner = Learner(game, game.rule_values("paper-training"), Settings(reading="published"), 1)
    row = learner.play(0, 300)
    assert 100 < int(str(row["positions"])) / 300 < 140
    assert 0.4 < float(str(row["win_rate"])) < 0.6
    asked, found = learner.memory.greedy
    assert found[0] == asked[0] - 1 or found[0] == asked[0]  # the first position is always the same
    assert found[20:60].sum() < 0.1 * asked[20:60].sum()
