"""The contract's nouns: records without nameless bytes, params that are read and checked, and the default features."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludus.errors import BadParams, BadRules, LudusError, UnknownName
from ludus.rules import Facts, Param, Params, choice, field_names, record, switch

KINDS = st.sampled_from([np.bool_, np.int8, np.uint8, np.int16, np.int32, np.uint32, np.int64, np.float32, np.float64])
SHAPES = st.one_of(st.integers(1, 9), st.tuples(st.integers(1, 5), st.integers(1, 5)))
FIELDS = st.one_of(KINDS, st.tuples(KINDS, SHAPES))
RECORDS = st.dictionaries(st.text("abcde", min_size=1, max_size=4), FIELDS, min_size=1, max_size=9)


def bytes_named(kind: np.dtype) -> int:
    """How many bytes of a type belong to a number with a name."""
    if kind.subdtype:
        return bytes_named(kind.base) * int(np.prod(kind.shape))
    return sum(bytes_named(kind[name]) for name in kind.names) if kind.names else kind.itemsize


# ------------------------------------------------------------------------------------------------ records


@given(RECORDS)
def test_records_have_no_nameless_bytes(fields):
    kind = record(**fields)
    assert bytes_named(kind) == kind.itemsize
    assert kind.itemsize % 8 == 0
    assert field_names(kind) == list(fields)


@given(RECORDS)
def test_fields_are_aligned_and_keep_their_types(fields):
    kind = record(**fields)
    for name, field in fields.items():
        column, offset = kind.fields[name][:2]
        assert offset % column.base.alignment == 0
        assert column == np.dtype(field)


@given(RECORDS, st.binary(min_size=8, max_size=8))
def test_a_copy_has_the_same_bytes(fields, pattern):
    """NumPy copies no nameless bytes: here there are none, so that equality of states is equality of bytes."""
    kind = record(**fields)
    states = np.frombuffer(pattern * (3 * kind.itemsize // 8), kind)
    assert states.copy().tobytes() == states.tobytes()
    assert states[[2, 0]].tobytes() == states[:2].tobytes()
    target = np.zeros(3, kind)
    target[:] = states
    assert target.tobytes() == states.tobytes()


@given(RECORDS, RECORDS)
def test_nested_records_have_no_nameless_bytes_either(inner, outer):
    within = record(**inner)
    kind = record(**{"first": np.int8, "nested": within, "many": (within, 3), **outer})
    assert bytes_named(kind) == kind.itemsize
    assert kind.itemsize % 8 == 0
    assert kind["nested"] == within


def test_nested_records_are_aligned_wherever_they_stand():
    """Numba refuses what is not: a game whose params come after its board would not compile."""
    kind = record(players=np.int8, params=RULES, board=(np.int8, 5), nested=record(inner=np.int32))
    assert [kind.fields[name][1] % 8 for name in ("params", "nested")] == [0, 0]


def test_a_state_is_read_by_attribute():
    rules = Params(rings=Param(3, 1, 9, "rings of the board"))
    states = np.zeros(1, record(params=rules, players=np.int8, board=(np.int8, (2, 3)), score=np.float64))
    state = states[0]
    state.params.rings = 4
    state.board[1, 2] = 7
    state.score = 0.5
    assert states["params"]["rings"].tolist() == [4]
    assert states["board"].tolist() == [[[0, 0, 0], [0, 0, 7]]]
    assert states["score"].tolist() == [0.5]


@pytest.mark.parametrize(
    "name",
    ["size", "round", "base", "flags", "data", "max", "min", "T", "shape", "sort", "item", "copy", "dtype", "view"],
)
def test_names_that_numpy_has_taken_are_refused(name):
    with pytest.raises(BadRules, match=f"cannot be called '{name}': NumPy"):
        record(**{name: np.int32})


@pytest.mark.parametrize("name", ["_secret", "gap_", "gap3_", "__dict__"])
def test_names_with_an_outer_underscore_are_refused(name):
    with pytest.raises(BadRules, match=f"cannot be called '{name}'"):
        record(players=np.int32, **{name: np.int32})


def test_params_may_not_have_taken_names_either():
    with pytest.raises(BadRules, match="'size'"):
        Params(size=Param(3, 1, 9))


def test_facts_cannot_be_changed():
    facts = Facts("Chess", players=(2, 2), max_actions=218, max_plies=5898)
    with pytest.raises(AttributeError):
        facts.hidden = True


# ------------------------------------------------------------------------------------------------ params


RULES = Params(
    rings=Param(3, 1, 9, "rings of the board"),
    pace=Param(0.5, 0.25, 2.0, "how fast it goes"),
    ending=choice("points", "last_one", "race", help="how it ends"),
    stops=switch(True, "whether there are stops"),
    fog=switch(False, "whether there is fog"),
)
DEFAULTS = {"rings": 3, "pace": 0.5, "ending": "points", "stops": "on", "fog": "off"}


def test_without_changes_there_are_the_defaults():
    assert RULES.values({}) == DEFAULTS


@pytest.mark.parametrize(
    ("name", "given", "value"),
    [
        ("rings", "9", 9),
        ("rings", 1, 1),
        ("rings", " 4 ", 4),
        ("pace", "2", 2.0),
        ("pace", 0.25, 0.25),
        ("pace", "1e0", 1.0),
        ("ending", "race", "race"),
        ("stops", "off", "off"),
        ("stops", False, "off"),
        ("fog", True, "on"),
    ],
)
def test_values_are_read(name, given, value):
    found = RULES.values({name: given})
    assert found == {**DEFAULTS, name: value}
    assert type(found[name]) is type(value)


@pytest.mark.parametrize(
    ("name", "given", "sentence"),
    [
        ("rings", "0", "rule rings must lie in 1 … 9, not 0"),
        ("rings", 10, "rule rings must lie in 1 … 9, not 10"),
        ("rings", "many", "rule rings is a whole number, not 'many'"),
        ("rings", "3.5", "rule rings is a whole number, not '3.5'"),
        ("rings", "", "rule rings is a whole number, not ''"),
        ("rings", True, "rule rings is a whole number, not True"),
        ("pace", "0.2", "rule pace must lie in 0.25 … 2, not 0.2"),
        ("pace", "nan", "rule pace must lie in 0.25 … 2, not nan"),
        ("pace", "inf", "rule pace must lie in 0.25 … 2, not inf"),
        ("pace", "fast", "rule pace is a number, not 'fast'"),
        ("ending", "never", "rule ending is one of points, last_one, race, not 'never'"),
        ("ending", 1, "rule ending is one of points, last_one, race, not '1'"),
        ("stops", "maybe", "rule stops is one of off, on, not 'maybe'"),
        ("fog", 1, "rule fog is one of off, on, not '1'"),
    ],
)
def test_bad_values_are_refused_with_a_sentence(name, given, sentence):
    with pytest.raises(BadParams) as caught:
        RULES.values({name: given})
    assert str(caught.value) == sentence


def test_an_unknown_rule_suggests_the_nearest():
    with pytest.raises(UnknownName, match="no rule is called 'ring'; did you mean rings"):
        RULES.values({"ring": 3})
    with pytest.raises(UnknownName, match="known: ending, fog, pace, rings, stops"):
        RULES.values({"zzzzzz": 3})


@given(
    st.fixed_dictionaries(
        {
            "rings": st.integers(1, 9),
            "pace": st.floats(0.25, 2.0),
            "ending": st.sampled_from(["points", "last_one", "race"]),
            "stops": st.sampled_from(["on", "off"]),
            "fog": st.sampled_from(["on", "off"]),
        }
    )
)
def test_what_is_filled_in_is_read_back(values):
    states = np.zeros(2, record(params=RULES, players=np.int32))
    RULES.fill(states["params"], RULES.values(values))
    assert RULES.read(states[0].params) == RULES.read(states[1].params) == values


ANYTHING = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.lists(st.integers(), max_size=2)
)


@given(st.dictionaries(st.sampled_from(list(DEFAULTS)), ANYTHING, max_size=3))
def test_whatever_is_given_is_read_or_refused(changes):
    """Values come from command lines and files: nothing but an error of ours may come back."""
    with suppress(LudusError):
        assert set(RULES.values(changes)) == set(DEFAULTS)


def test_rules_see_small_numbers():
    states = np.zeros(1, record(params=RULES, players=np.int32))
    RULES.fill(states["params"], RULES.values({"ending": "race", "fog": "on"}))
    params = states[0].params
    assert [params.rings, params.pace, params.ending, params.stops, params.fog] == [3, 0.5, 2, 1, 1]


def test_params_say_what_they_may_be():
    assert {name: param.span for name, param in RULES.declared.items()} == {
        "rings": "1 … 9",
        "pace": "0.25 … 2",
        "ending": "points | last_one | race",
        "stops": "off | on",
        "fog": "off | on",
    }


def test_a_game_without_params_still_has_a_record():
    none = Params()
    assert none.values({}) == {}
    states = np.zeros(1, record(params=none, players=np.int32))
    none.fill(states["params"], {})
    assert none.read(states[0].params) == {}
