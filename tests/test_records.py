"""Records: they survive paper, corruption is reported with its line, and the store keeps all of a group or none."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ludus.errors import BadRecord, DiskTrouble
from ludus.records import OUTCOMES, MatchRecord, Store, read_records, write_records

EXAMPLE = MatchRecord(
    game="tic_tac_toe",
    version="1",
    rules={},
    players=2,
    agents=["random", "mcts:sims=20"],
    seed=7,
    block=3,
    rotation=1,
    actions=[4, 0, 8, 2, 6],
    returns=[1.0, -1.0],
    plies=5,
)


def numbered(block: int, **changes) -> MatchRecord:
    return dataclasses.replace(EXAMPLE, block=block, **changes)


NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
RECORDS = st.builds(
    MatchRecord,
    game=st.text(max_size=20),
    version=st.text(max_size=5),
    rules=st.dictionaries(st.text(max_size=5), st.one_of(st.integers(), NUMBERS, st.text(max_size=5)), max_size=4),
    players=st.integers(1, 6),
    agents=st.lists(st.text(max_size=12), max_size=4),
    seed=st.integers(0, 2**64),
    block=st.integers(0, 2**40),
    rotation=st.integers(0, 5),
    actions=st.lists(st.integers(-1, 2**31 - 1), max_size=30),
    returns=st.lists(st.floats(-1, 1), max_size=4),
    plies=st.integers(0, 10_000),
    outcome=st.sampled_from(sorted(OUTCOMES)),
    culprit=st.integers(-1, 5),
    detail=st.text(max_size=40),
    start=st.one_of(st.none(), st.dictionaries(st.text(max_size=5), st.lists(st.integers(-128, 127), max_size=9))),
    seconds=st.lists(NUMBERS, max_size=4),
)


# ------------------------------------------------------------------------------------------------ JSON


@given(RECORDS)
def test_a_record_survives_json(record):
    line = record.to_json()
    assert "\n" not in line
    assert MatchRecord.from_json(line) == record


@given(records=st.lists(RECORDS, max_size=4))
def test_records_survive_a_file(tmp_path_factory, records):
    path = tmp_path_factory.mktemp("records") / "matches.jsonl"
    write_records(path, records)
    assert read_records(path) == (records, [])


def test_a_record_of_a_later_version_may_have_more_fields():
    values = json.loads(EXAMPLE.to_json()) | {"weather": "fine"}
    assert MatchRecord.from_json(json.dumps(values)) == EXAMPLE


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "no JSON"),
        (EXAMPLE.to_json()[:-9], "no JSON"),
        ("[1, 2]", "a record is a JSON object"),
        ("null", "a record is a JSON object"),
        ("{}", "the record missing 11 required positional arguments: 'game', 'version'"),
        (EXAMPLE.to_json().replace('"seed":7,', ""), "missing 1 required positional argument: 'seed'"),
        (EXAMPLE.to_json().replace('"finished"', '"abandoned"'), "unknown outcome 'abandoned'"),
    ],
)
def test_what_is_no_record_is_refused_with_a_sentence(text, sentence):
    with pytest.raises(BadRecord) as caught:
        MatchRecord.from_json(text)
    assert sentence in str(caught.value)


VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), NUMBERS, st.text(max_size=4)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=3), inner, max_size=3)),
    max_leaves=4,
)


@example(field="outcome", value=[])
@given(field=st.sampled_from([field.name for field in dataclasses.fields(MatchRecord)]), value=VALUES)
def test_a_field_of_a_wrong_type_never_breaks_the_reader(field, value):
    values = json.loads(EXAMPLE.to_json()) | {field: value}
    with suppress(BadRecord):
        assert isinstance(MatchRecord.from_json(json.dumps(values)), MatchRecord)


def test_shares_of_the_point():
    assert EXAMPLE.shares == [1.0, 0.0]
    assert numbered(0, returns=[0.0, 0.0]).shares == [0.5, 0.5]
    assert numbered(0, players=4, returns=[1.0, -1 / 3, -1 / 3, -1 / 3]).shares == pytest.approx([1, 0, 0, 0])
    assert numbered(0, players=3, returns=[0.25, 0.25, -0.5]).shares == pytest.approx([0.5, 0.5, 0])


# ------------------------------------------------------------------------------------------------ files


def test_corrupt_lines_are_reported_and_the_rest_is_kept(tmp_path):
    path = tmp_path / "matches.jsonl"
    good = [numbered(block) for block in range(3)]
    lines = [good[0].to_json(), "{broken", "", good[1].to_json(), '{"game": "chess"}', good[2].to_json()[:30]]
    path.write_bytes("\n".join(lines).encode() + b"\n\xff\xfe\x00\n" + good[2].to_json().encode())
    records, problems = read_records(path)
    assert records == good
    assert [problem.partition(": ")[0] for problem in problems] == [f"{path}, line {n}" for n in (2, 5, 6, 7)]
    assert "missing" in problems[1]


def test_a_write_that_fails_leaves_the_old_file(tmp_path):
    path = tmp_path / "matches.jsonl"
    write_records(path, [numbered(1)])

    def half():
        yield numbered(2)
        raise OSError("the disk is full")

    with pytest.raises(OSError, match="the disk is full"):
        write_records(path, half())
    assert read_records(path) == ([numbered(1)], [])
    write_records(path, [numbered(3), numbered(4)])
    assert read_records(path) == ([numbered(3), numbered(4)], [])
    assert list(tmp_path.iterdir()) == [path]


def test_a_reader_never_sees_half_a_file(tmp_path):
    path = tmp_path / "matches.jsonl"
    write_records(path, [numbered(1)])
    seen = []

    def watched():
        for block in range(2000):
            if block % 500 == 0:
                seen.append(read_records(path))
            yield numbered(block)

    write_records(path, watched())
    assert seen == [([numbered(1)], [])] * 4
    assert len(read_records(path)[0]) == 2000


# ------------------------------------------------------------------------------------------------ the store


@pytest.fixture
def path(tmp_path) -> Path:
    return tmp_path / "matches.sqlite"


def group(*blocks: int) -> list:
    return [((0, block, rotation), numbered(block, rotation=rotation)) for block in blocks for rotation in (0, 1)]


def test_what_was_kept_is_there_when_the_store_is_opened_again(path):
    with Store(path) as store:
        store.begin("spring", {"games": 4})
        store.add("spring", group(2, 1))
        store.add("autumn", group(1))
    with Store(path) as store:
        assert store.plan("spring") == {"games": 4}
        assert store.plan("autumn") is None
        assert list(store.matches("spring")) == group(1, 2)
        assert list(store.matches("autumn")) == group(1)
        assert list(store.matches("winter")) == []
        assert store.tournaments() == ["spring"]


def test_the_first_plan_holds(path):
    with Store(path) as store:
        store.begin("spring", {"games": 4})
        store.begin("spring", {"games": 5})
        assert store.plan("spring") == {"games": 4}


def test_a_group_is_one_transaction(path):
    with Store(path) as store:
        said: list[str] = []
        store.db.set_trace_callback(lambda text: said.append(text.split()[0].lower()))
        store.add("spring", group(1, 2, 3))
        store.db.set_trace_callback(None)
    assert said.count("insert") == 6
    assert said.count("begin") == said.count("commit") == 1


def test_duplicates_are_refused_and_nothing_of_their_group_is_kept(path):
    with Store(path) as store:
        store.add("spring", group(1))
        with pytest.raises(DiskTrouble, match="another process plays them"):
            store.add("spring", group(2, 1, 3))
        assert list(store.matches("spring")) == group(1)
        store.add("spring", group(2))
    with Store(path) as store:
        assert list(store.matches("spring")) == group(1, 2)


def test_a_group_whose_making_fails_is_not_kept(path):
    def half():
        yield from group(1)
        raise RuntimeError("an agent broke down")

    with Store(path) as store:
        with pytest.raises(RuntimeError):
            store.add("spring", half())
        assert list(store.matches("spring")) == []


@pytest.mark.parametrize("content", [b"this is no database, but a letter to my aunt\n" * 40, b"\x00" * 4096])
def test_a_file_that_is_no_store_is_named(path, content):
    path.write_bytes(content)
    with pytest.raises(BadRecord) as caught:
        Store(path)
    assert str(path) in str(caught.value)
    assert "no store of matches" in str(caught.value)
    assert path.read_bytes() == content


def test_a_place_where_no_file_can_be_is_named(tmp_path):
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(DiskTrouble, match=r"matches.sqlite cannot be opened"):
        Store(tmp_path / "file" / "matches.sqlite")
    Store(tmp_path / "new" / "folder" / "matches.sqlite")


def test_a_damaged_page_is_named(path):
    with Store(path) as store:
        store.add("spring", group(*range(200)))
    content = bytearray(path.read_bytes())
    content[4096 * 3 :] = b"\xa5" * (len(content) - 4096 * 3)
    path.write_bytes(content)
    with pytest.raises(BadRecord, match=r"is damaged|no store of matches"), Store(path) as store:
        list(store.matches("spring"))


def test_the_store_writes_ahead(path):
    with Store(path) as store:
        assert store.db.execute("pragma journal_mode").fetchone() == ("wal",)


READ = """
import sys
from ludus.records import Store
with Store(sys.argv[1]) as store:
    print(len(list(store.matches("spring"))))
"""


def test_another_process_reads_while_one_writes(path):
    """It sees what was committed, at once, and neither waits for the other."""
    with Store(path) as store:
        store.add("spring", group(1))
        store.db.execute("begin immediate")
        store.db.execute("insert into matches values ('spring', 0, 9, 0, ?)", (EXAMPLE.to_json(),))
        answer = subprocess.run([sys.executable, "-c", READ, str(path)], capture_output=True, text=True, timeout=30)
        assert (answer.stdout.strip(), answer.stderr) == ("2", "")
        store.db.commit()
        assert len(list(store.matches("spring"))) == 3


def test_a_killed_process_loses_only_what_was_in_play(path):
    script = """
import os, sys
from ludus.records import MatchRecord, Store
record = MatchRecord.from_json(sys.argv[2])
store = Store(sys.argv[1])
store.add("spring", [((0, 1, 0), record), ((0, 1, 1), record)])
store.db.execute("begin")
store.db.execute("insert into matches values ('spring', 0, 2, 0, ?)", (record.to_json(),))
os.kill(os.getpid(), 9)
"""
    killed = subprocess.run([sys.executable, "-c", script, str(path), EXAMPLE.to_json()], capture_output=True)
    assert killed.returncode != 0
    assert not killed.stderr
    with Store(path) as store:
        assert [key for key, _ in store.matches("spring")] == [(0, 1, 0), (0, 1, 1)]
