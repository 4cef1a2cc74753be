"""The published neuro-evolution: its arithmetic, its mutations, and its selection."""

from __future__ import annotations

import json
from collections import Counter
from itertools import islice

import numpy as np
import pytest

from ludus import agent, load
from ludus.agents.gravwell.formulas import (
    ADD,
    CARD_INPUTS,
    INPUTS,
    MULTIPLY,
    SLOTS,
    SUBTRACT,
    Formulas,
    Operation,
    calculate,
    pack,
    read_inputs,
)
from ludus.arena.lockstep import Seating, play_batch
from ludus.compile import template
from ludus.errors import BadInput, DiskTrouble, Mismatch
from ludus.game import View
from ludus.games._gravwell_text import SYMBOLS
from ludus.learn.gravwell.formulas import Settings, first_formulas, judged, mutant, train
from ludus.rng import stream
from ludus.runs import SHIPPED, RunFolder, begin_run
from ludus.workers import Threads

GAME = load("gravwell")
VALUES = GAME.rule_values("neural")
SMALL = Settings(generations=4, audit=100)
WORKERS = Threads(2)


# ------------------------------------------------------------------------------------------------ programs


@template
def calculate_first(programs, values):
    calculate(programs, 0, values)


@template
def fill_inputs(views, hand, cards, card_inputs, values):
    read_inputs(views[0], 1, hand, cards, card_inputs, values)


def test_arithmetic_is_that_of_32_bits():
    operations = [(ADD, 0, 1), (SUBTRACT, 1, 0), (MULTIPLY, INPUTS, INPUTS), (MULTIPLY, INPUTS + 2, INPUTS + 2)]
    program = Formulas([0] * SLOTS, [Operation(1, *operation) for operation in operations])
    values = np.zeros(INPUTS + 4, np.int64)
    values[:2] = 54000, 7
    GAME.kernel(calculate_first)(pack([program]), values)
    with np.errstate(over="ignore"):
        square = np.int32(54007) * np.int32(54007)
        assert values[INPUTS:].tolist() == [54007, -53993, square, square * square]


def test_inputs_are_slots_in_alphabetical_order_then_ships():
    text = """Round 2, turn 5: choose
    A tile 9 stops 1 hand ? ?
    B tile 3 stops 1 hand Zr Kr
    C tile 0 stops 1 hand ? ?
    D tile 5 stops 1 hand ? ?
    hulks 26 36"""
    view = View(GAME, GAME.parse_state(text, 4, VALUES), 1)
    values = np.zeros(INPUTS, np.int64)
    hand = np.array([SYMBOLS.index("Kr"), SYMBOLS.index("Zr")], np.int32)
    GAME.kernel(fill_inputs)(view.states, hand, 2, CARD_INPUTS[0], values)
    cards = [2, 1, ord("K"), 7, 0, ord("Z"), *[1, 0, 0] * 6]
    assert values.tolist() == [*cards, 3, 0, 5, 9, 26, 36]
    assert CARD_INPUTS[1][SYMBOLS.index("Qt")].tolist() == [3, 3, 17]


def test_the_preferred_slot_is_played_the_lower_one_among_equals(tmp_path):
    text = """Round 1, turn 4: choose
    A tile 10 stops 1 hand Ar B Mg
    B tile 13 stops 1 hand ? ? ?
    hulks 36"""
    view = View(GAME, GAME.parse_state(text, 2, GAME.rule_values()), 0)
    run = begun(tmp_path, SMALL)
    own_values, all_equal = [0, 3, 6, 9, 12, 15, 18, 21], [0] * SLOTS
    for outputs, symbol in ((own_values, "Mg"), (all_equal, "Ar")):
        run.write("best.json", json.dumps(Formulas(outputs, []).to_json()).encode())
        assert SYMBOLS[agent(f"formulas:{tmp_path}", GAME).act(view, stream(1))] == symbol


# ------------------------------------------------------------------------------------------------ mutation


def test_mutations_keep_programs_sound_and_grow_and_shrink_them():
    rng = np.random.default_rng(5)
    changes: Counter[int] = Counter()
    for deletion in ("program", "text"):
        for _ in range(30):
            program = first_formulas(rng)
            assert len({*program.outputs}) == SLOTS
            for _ in range(40):
                child = mutant(program, deletion, rng)
                check_sound(child)
                changes[np.sign(len(child.operations) - len(program.operations))] += 1
                program = child
    assert changes[1] == pytest.approx(1200, abs=120), "half of all mutations add one operation"
    # Deletions find more inputs than operations: a tree has one input more, and at first outputs are inputs.
    assert 150 < changes[-1] < 600


def check_sound(program: Formulas) -> None:
    used = {*program.outputs}
    for k, operation in reversed([*enumerate(program.operations, INPUTS)]):
        assert k in used, "operations that nobody needs are dropped"
        assert max(operation.left, operation.right) < k
        assert max(program.layer(operation.left), program.layer(operation.right)) < operation.layer
        used |= {operation.left, operation.right}
    assert len(program.outputs) == SLOTS
    assert max(program.outputs) < INPUTS + len(program.operations)


def test_a_child_differs_from_its_parent_and_the_parent_stays_as_it_was():
    rng = np.random.default_rng(1)
    parent = first_formulas(rng)
    for _ in range(10):
        parent = mutant(parent, "program", rng)
    before = json.dumps(parent.to_json())
    children = {json.dumps(mutant(parent, "program", rng).to_json()) for _ in range(50)}
    assert json.dumps(parent.to_json()) == before
    assert len(children) > 20


# ------------------------------------------------------------------------------------------------ selection


@pytest.mark.parametrize(("rivals", "spec"), [("published", "random"), ("corrected", "nostop")])
def test_matches_are_those_of_the_arena(tmp_path, rivals, spec):
    settings = Settings(generations=2, audit=0, rivals=rivals)
    run = begun(tmp_path, settings)
    list(train(GAME, VALUES, settings, run, 2, WORKERS))
    best = Formulas.from_json(json.loads(run.read("best.json") or b""))
    results = judged(GAME, VALUES, settings, [best], 100, 55, WORKERS)
    tables = [Seating((0, 1, 1, 1), m, 0) for m in range(100)]
    batch = play_batch(GAME, [agent(f"formulas:{tmp_path}", GAME), agent(spec, GAME)], tables, 55, VALUES)
    # In this preset the rules crown the rearmost ship at the limit, while the score counts the foremost.
    at_gate = results.tiles[0] == 54
    assert at_gate.any()
    assert (batch.returns[at_gate, 0] == 1).all()
    assert results.wins[0][at_gate].all()
    assert (batch.returns[:, 0] == 1).sum() != results.wins[0].sum()


def begun(path, settings: Settings) -> RunFolder:
    return begin_run(path, "gravwell/formulas", GAME, VALUES, settings, 2)


def test_the_best_eight_of_forty_eight_are_kept(tmp_path):
    run = begun(tmp_path, SMALL)
    rows = list(train(GAME, VALUES, SMALL, run, 2, WORKERS))
    kept = json.loads(run.read("checkpoint.json") or b"")["parents"]
    assert len(kept) == 8
    assert json.loads(run.read("best.json") or b"") == kept[0]
    assert all(float(str(row["best"])) > float(str(row["mean"])) for row in rows)


def test_runs_grow_when_the_best_wins_half(tmp_path):
    settings = Settings(generations=3, runs=2, audit=0)
    assert [row["runs"] for row in train(GAME, VALUES, settings, begun(tmp_path, settings), 2, WORKERS)] == [2, 4, 6]


def test_a_training_goes_on_where_it_was(tmp_path):
    whole, cut = begun(tmp_path / "whole", SMALL), begun(tmp_path / "cut", SMALL)
    list(train(GAME, VALUES, SMALL, whole, 2, WORKERS))
    assert len(list(islice(train(GAME, VALUES, SMALL, cut, 2, WORKERS), 2))) == 2
    cut.log(dict.fromkeys(cut.rows()[0], "a row behind the checkpoint"))
    assert len(list(train(GAME, VALUES, SMALL, cut, 2, WORKERS))) == SMALL.generations - 2
    assert whole.rows() == cut.rows()
    for name in ("best.json", "checkpoint.json"):
        assert whole.read(name) == cut.read(name)


def test_other_games_and_unknown_readings_are_refused(tmp_path):
    run = begun(tmp_path, SMALL)
    with pytest.raises(Mismatch, match="cannot learn connect_four"):
        next(train(load("connect_four"), {}, SMALL, run, 0, WORKERS))
    with pytest.raises(BadInput, match="rivals is one of published, corrected, not 'strong'"):
        next(train(GAME, VALUES, Settings(rivals="strong"), run, 0, WORKERS))


# ------------------------------------------------------------------------------------------------ runs


def test_a_run_from_before_the_method_had_a_game_still_plays(tmp_path):
    settings = json.loads((SHIPPED / "gravwell-formulas" / "settings.json").read_text())
    (tmp_path / "settings.json").write_text(json.dumps(settings | {"method": "evolution"}))
    (tmp_path / "best.json").write_bytes((SHIPPED / "gravwell-formulas" / "best.json").read_bytes())
    assert agent(f"gravwell/formulas:{tmp_path}", GAME).only_for == "gravwell"


def test_damaged_formulas_are_named(tmp_path):
    run = begun(tmp_path, SMALL)
    for content in (b"", b"{", b'{"outputs": [99, 0, 0, 0, 0, 0, 0, 0], "operations": []}'):
        run.write("best.json", content)
        with pytest.raises(DiskTrouble, match=r"best\.json is damaged"):
            agent(f"formulas:{tmp_path}", GAME)
