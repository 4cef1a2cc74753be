"""Searches answer as they always did: same actions, same visits, same draws from their streams."""

from __future__ import annotations

import json

import pytest

from ludus import load
from ludus.catalogue import game_names
from tests.agents.answers import FILE, all_answers

STORED = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}


@pytest.mark.parametrize("name", game_names())
def test_searches_answer_as_before(name):
    assert all_answers(load(name)) == STORED[name]
