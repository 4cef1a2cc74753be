"""docs/interop.md is followed word for word."""

from __future__ import annotations

import re

import pytest

from tests.interop.games import ROOT

NEEDS = {"import gymnasium": "gymnasium", "pettingzoo": "pettingzoo", "pyspiel": "pyspiel", "frame()": "pyarrow"}


def test_the_page_runs_from_top_to_bottom(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs" / "interop.md").read_text(encoding="utf-8")
    scope: dict = {}
    for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        for sign, package in NEEDS.items():
            if sign in block:
                pytest.importorskip(package)
        exec(block, scope)
    assert scope["envs"].num_envs == 64
    assert not scope["table"].agents
