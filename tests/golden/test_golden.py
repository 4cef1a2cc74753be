"""Stored matches replay to the same last position, to the byte."""

from __future__ import annotations

import json

import pytest

from ludus import load
from ludus.arena.match import replay
from ludus.catalogue import game_names
from ludus.records import MatchRecord
from tests.golden.make import FOLDER, digest, golden_matches


def stored(name: str) -> list[dict]:
    return [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("name", game_names())
def test_golden_records_replay(name):
    for line in stored(name):
        match = replay(MatchRecord.from_json(json.dumps(line["record"])))
        assert digest(match.states) == line["digest"], f"preset {line['preset']}, {match.players} players"


@pytest.mark.parametrize("name", game_names())
def test_the_same_seed_still_plays_the_golden_matches(name):
    assert [line["digest"] for line in golden_matches(load(name))] == [line["digest"] for line in stored(name)]
