"""The agent of the Organism paper: whole turns as moves, its search, what its network sees, and what it refuses."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from ludus import load
from ludus.agents.organism._search import Limits, Search, forms, grid, see_all
from ludus.agents.organism._tree import PLANES
from ludus.agents.organism._turns import key_of, list_turns, make_desk
from ludus.arena.contest import contest
from ludus.catalogue import agent
from ludus.compile import template
from ludus.errors import BadInput, Mismatch
from ludus.game import Game, View
from ludus.nets.hexaconv import CpuValues, from_onnx, sizes, to_onnx
from ludus.rng import match_words
from ludus.runs import begin_run

ORGANISM = load("organism")
LOST_BY_PLAYER_1 = 14


@template
def turns_of(desk, states, out):
    return list_turns(desk, states[0], out)


def turns(states: np.ndarray) -> np.ndarray:
    """Where the turns of a position lead to."""
    out = np.zeros(3000, ORGANISM.state_type)
    return out[: ORGANISM.kernel(turns_of)(make_desk(ORGANISM), states, out)]


def start(preset: str = "PE", **changes: object) -> np.ndarray:
    return ORGANISM.start(np.zeros((1, 3), np.uint64), 2, ORGANISM.rule_values(preset, changes))


def walks(states: np.ndarray) -> dict[bytes, np.ndarray]:
    """The same by every walk of single decisions, without a thought of those that meet."""
    found, begun = {}, states[0]
    waiting = [states]
    while waiting:
        state = waiting.pop()
        for action in ORGANISM.menu(state, int(begun["mover"])):
            after = state.copy()
            ORGANISM.advance(after, np.array([[action, action]], np.int32), np.zeros((1, 1), np.uint64))
            if ORGANISM.waiting(after)[0] and after["turns"] == begun["turns"] and after["mover"] == begun["mover"]:
                waiting.append(after)
            elif any((after[part][0] != begun[part]).any() for part in ("piece", "food")):
                found[after.tobytes()] = after
    return found


@pytest.mark.parametrize(("preset", "first", "lost", "second"), [("PE", 39, 14, 972), ("P4", 38, 17, None)])
def test_the_opening_has_as_many_turns_as_known(preset, first, lost, second):
    found = turns(start(preset))
    assert len(found) == first
    assert (found["winner"] == 2).sum() == lost
    going = found[found["winner"] == 0]
    assert second in (None, sum(len(turns(going[k : k + 1].copy())) for k in range(len(going))))


def test_turns_are_what_all_walks_lead_to():
    rng, state = np.random.default_rng(5), start()
    for _ in range(8):
        found = turns(state)
        assert {one.tobytes() for one in found} == set(walks(state))
        alive = np.flatnonzero(found["winner"] == 0)
        state = found[rng.choice(alive)][None].copy()


def test_planes_of_the_opening():
    side, places = grid(3)
    planes = np.zeros((1, PLANES * side * side), np.int8)
    ORGANISM.kernel(see_all)(start("P"), places, side, planes)
    planes = planes.reshape(PLANES, side * side)
    # E, M and G of the first player stand on cells 8, 9 and 10, the rival's opposite.
    for plane, cell in enumerate((8, 9, 10, 14, 15, 16)):
        assert np.flatnonzero(planes[plane]).tolist() == [places[cell]]
    assert planes[6][places[0]] == 3
    assert planes[6].sum() == 3 + 6 * 2 + 12
    assert (planes[7] == 3).all()
    assert (planes[10] == 1).all()
    assert sorted(np.flatnonzero(planes[9])) == sorted(places[[8, 9, 10]])


def test_twelve_forms_of_a_board():
    found = forms(3)
    assert len({form.tobytes() for form in found}) == 12
    assert (np.sort(found, axis=1) == np.arange(25)).all()
    _, places = grid(3)
    neighbours = {(a, b) for a in places for b in places if _apart(a, b) == 1}
    for form in found:
        assert {(form[a], form[b]) for a, b in neighbours} == neighbours


def _apart(one: int, other: int) -> int:
    (r, c), (s, d) = divmod(int(one), 5), divmod(int(other), 5)
    return max(abs(r - s), abs(c - d), abs(r + c - s - d))


# ------------------------------------------------------------------------------------------------ the search


def nothing_known(planes: np.ndarray) -> np.ndarray:
    return np.zeros(len(planes), np.float32)


def test_a_search_makes_its_roll_outs_and_avoids_death():
    states = np.repeat(start(), 3)
    search = Search(ORGANISM, 3, 3, nothing_known, Limits(sims=200), room=1 << 13)
    search.think(states, np.array([True, False, True]))
    trees = search.trees
    root = trees.nodes[0, trees.heads["root"][0]]
    edges = trees.edges[0, root["first"] : root["first"] + root["count"]]
    assert root["count"] == 39
    assert edges["visits"].sum() == 199  # the first roll-out only lists the turns
    lost = trees.states[0, edges["child"]]["winner"] == 2
    assert lost.sum() == LOST_BY_PLAYER_1
    assert edges["visits"][lost].max() <= edges["visits"][~lost].min()
    assert (edges["worth"][lost & (edges["visits"] > 0)] == -1).all()
    before = states.copy()
    search.move(states, np.array([True, False, True]), np.zeros(3, np.bool_), np.zeros((3, 1), np.uint64))
    assert states[1] == before[1]
    assert states[0]["winner"] == 0
    assert states[0] == states[2] != before[0]


def test_a_winning_turn_is_found():
    """An M next to the rival's only E, which takes it: hand-worked position 7.5."""
    state = start()
    state["piece"], state["food"], state["role"] = np.where(state["piece"] == 12, 12, 0), 0, 0
    for cell, piece, food in ((10, 4, 0), (3, 5, 0), (2, 6, 1), (5, 8, 3), (15, 10, 1), (16, 9, 0)):
        state["piece"][0, cell], state["food"][0, cell] = piece, food
        state["role"][0, cell] = 1 if piece < 8 else 0
    search = Search(ORGANISM, 1, 3, nothing_known, Limits(sims=400), room=1 << 13)
    search.think(state, np.array([True]))
    search.move(state, np.array([True]), np.array([False]), np.zeros((1, 1), np.uint64))
    assert state["winner"][0] == 1


def test_a_tree_serves_the_next_move():
    states = start()
    search = Search(ORGANISM, 1, 3, nothing_known, Limits(sims=60), room=1 << 13)
    everything = np.array([True])
    search.think(states, everything)
    search.move(states, everything, np.array([False]), np.zeros((1, 1), np.uint64))
    known = int(search.trees.heads["nodes"][0])
    search.think(states, everything)
    root = search.trees.nodes[0, search.trees.heads["root"][0]]
    assert search.trees.heads["root"][0] < known
    assert root["visits"] > 59  # those of the earlier search are still there


def hashed(planes: np.ndarray) -> np.ndarray:
    """Values that are as good as drawn, and the same for a position in any company."""
    factors = np.random.default_rng(4).integers(-50, 50, planes.shape[1])
    return (((planes.astype(np.int64) @ factors) % 193 - 96) / 100).astype(np.float32)


class Eager:
    """The search as published, in plain words: turns are listed and valued when a roll-out first comes to a node."""

    def __init__(self, temperature: float = 0.5):
        self.temperature, self.asked = temperature, 0
        self.nodes: dict[bytes, dict] = {}
        self.values: dict[bytes, np.float32] = {}

    def open(self, state: np.ndarray) -> dict:
        found, (side, places) = turns(state), grid(3)
        planes = np.zeros((len(found), PLANES * side * side), np.int8)
        ORGANISM.kernel(see_all)(found, places, side, planes)
        new = {one.tobytes(): value for one, value in zip(found, hashed(planes)) if one.tobytes() not in self.values}
        self.values |= new
        self.asked += len(new)
        signs = np.where(found["mover"] == state["mover"][0], 1, -1)
        worths = np.array([self.values[one.tobytes()] for one in found]) * signs
        priors = np.exp((worths - worths.max()).astype(np.float64) / self.temperature).astype(np.float32)
        return {"turns": found, "priors": (priors / priors.sum(dtype=np.float64)).astype(np.float32), "n": 0,
                "visits": np.zeros(len(found), int), "worths": np.zeros(len(found), np.float32)}  # fmt: skip

    def roll_out(self, root: np.ndarray) -> None:
        state, path = root, []
        while state["winner"][0] == 0 and state.tobytes() in self.nodes:
            node = self.nodes[state.tobytes()]
            hopes = node["worths"] + node["priors"].astype(float) * np.sqrt(node["n"] + 1e-8) / (1 + node["visits"])
            path.append((node, int(hopes.argmax()), state["mover"][0]))
            state = node["turns"][path[-1][1]][None].copy()
        if state["winner"][0] == 0:
            self.nodes[state.tobytes()] = self.open(state)
        worth, mover = float(self.values.get(state.tobytes(), 0.0)), state["mover"][0]
        if state["winner"][0]:
            worth = 1.0 if state["winner"][0] == 1 + mover else -1.0
        for node, edge, who in path:
            gain = worth if who == mover else -worth
            node["worths"][edge] += (gain - float(node["worths"][edge])) / (node["visits"][edge] + 1)
            node["visits"][edge] += 1
            node["n"] += 1


def test_turns_that_nobody_looks_at_are_not_valued():
    """The same visits as if every turn of every node were valued, move after move with one tree, for less work."""
    asked = []

    def values(planes: np.ndarray) -> np.ndarray:
        asked.append(len(planes))
        return hashed(planes)

    state, every, eager = start(), np.ones(1, np.bool_), Eager()
    search = Search(ORGANISM, 1, 3, values, Limits())
    for _ in range(4):
        search.think(state, every)
        for _ in range(25):
            eager.roll_out(state)
        trees, node = search.trees, eager.nodes[state.tobytes()]
        root = trees.nodes[0, trees.heads["root"][0]]
        edges = trees.edges[0, root["first"] : root["first"] + root["count"]]
        assert edges["visits"].tolist() == node["visits"].tolist()
        assert np.allclose(edges["worth"], node["worths"], atol=1e-6)
        search.move(state, every, ~every, np.zeros((1, 1), np.uint64))
    assert 2 * sum(asked) < eager.asked


# ------------------------------------------------------------------------------------------------ the agent


@dataclass
class Nothing:
    """Settings of a training that never was."""


def test_a_full_tree_begins_anew():
    """Turns that lead to known positions fill the edges before the nodes."""
    every = np.ones(1, np.bool_)
    search = Search(ORGANISM, 1, 3, nothing_known, Limits(sims=4), room=1 << 13)
    for states in (start(), start(food_0=9)):
        search.think(states, every)
        search.move(states, every, np.zeros(1, np.bool_), np.ones((1, 1), np.uint64))
        assert states["turns"][0] == 1
        search.trees.heads["edges"] = search.trees.edges.shape[1] - 1


def make_run(folder: Path, game: Game = ORGANISM, side: int = 5) -> str:
    """A run folder with a random network."""
    rng = np.random.default_rng(2)
    arrays = [
        (rng.normal(0, 0.3, shape).astype(np.float32), np.zeros(shape[0], np.float32)) for shape in sizes(side, 4)
    ]
    run = begin_run(folder, "organism/hexaconv", game, game.params.values({}), Nothing(), 0)
    run.write("weights.onnx", to_onnx(arrays))
    return str(folder)


def test_plays_whole_matches(tmp_path):
    result = contest("organism", [f"hexaconv:{make_run(tmp_path / 'run')},sims=6", "random"], games=8)
    assert result.games == 8
    assert not result.faults


def test_a_batch_is_as_good_as_one(tmp_path):
    player = agent(f"hexaconv:{make_run(tmp_path / 'run')},sims=8,sampled=on", ORGANISM)
    states = np.repeat(start(), 5)
    words = np.concatenate([match_words(3, np.arange(5), 0, 2)[:, 1:2], np.zeros((5, 8), np.uint64)], axis=1)
    alone = [player.act(View(ORGANISM, states[k : k + 1], 0), words[k].copy()) for k in range(5)]
    assert player.act_many(states, np.zeros(5, np.int64), words).tolist() == alone


def test_a_turn_is_played_to_its_end(tmp_path):
    """The decisions that it remembers are those that lead to where the search wanted to be."""
    player = agent(f"hexaconv:{make_run(tmp_path / 'run')},sims=8", ORGANISM)
    state, words = start(), np.zeros((1, 9), np.uint64)
    wanted = state.copy()
    search = player._search(state)
    search.think(state, np.array([True]))
    search.move(wanted, np.array([True]), np.array([False]), np.zeros((1, 1), np.uint64))
    while state["turns"][0] == 0:
        action = player.act_many(state, np.zeros(1, np.int64), words)[0]
        ORGANISM.advance(state, np.array([[action, action]], np.int32), np.zeros((1, 1), np.uint64))
    assert state.tobytes() == wanted.tobytes()
    assert words[0, 1:].view(np.int16)[0] == 0


def test_refuses_other_boards_and_other_networks(tmp_path):
    player = agent(f"hexaconv:{make_run(tmp_path / 'run')}", ORGANISM)
    with pytest.raises(Mismatch, match="trained for 3 rings, this board has 4"):
        player.act_many(start("P4"), np.zeros(1, np.int64), np.zeros((1, 9), np.uint64))
    with pytest.raises(BadInput, match="needs a run"):
        agent("hexaconv", ORGANISM)
    with pytest.raises(BadInput, match=r"no iteration-7\.onnx"):
        agent(f"hexaconv:{tmp_path / 'run'},iteration=7", ORGANISM)
    rng = np.random.default_rng(0)
    other = to_onnx([(rng.normal(size=(1, 7, 3, 3)).astype(np.float32), np.zeros(1, np.float32))] * 7)
    with pytest.raises(Mismatch, match="with 11 planes"):
        from_onnx(other)


def test_half_precision_is_kept(tmp_path):
    rng = np.random.default_rng(0)
    arrays = [(rng.normal(0, 0.3, shape).astype(np.float32), np.zeros(shape[0], np.float32)) for shape in sizes(5, 8)]
    planes = rng.integers(0, 4, (9, PLANES * 25)).astype(np.int8)
    exact, short = CpuValues(arrays)(planes), CpuValues(from_onnx(to_onnx(arrays, half=True)))(planes)
    assert np.abs(exact).max() > 0.01
    assert np.abs(exact - short).max() < 0.01


def test_positions_have_different_keys():
    found = turns(start())
    keys = {int(ORGANISM.kernel(first_key)(found[k : k + 1].view(np.uint64).reshape(1, -1))) for k in range(len(found))}
    assert len(keys) == len(found)


@template
def first_key(bits):
    return key_of(bits[0])
