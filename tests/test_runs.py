"""Run folders: what decides a run is compared, what only decides its speed is not."""

from __future__ import annotations

import pytest

from ludus.catalogue import load
from ludus.errors import BadInput, Mismatch
from ludus.runs import RunFolder, load_run

GAME = load("tic_tac_toe")
MADE = {
    "method": "qlearning", "game": "tic_tac_toe", "version": GAME.facts.version, "fingerprint": GAME.fingerprint,
    "settings": {"rate": 0.1, "threads": 2},
}  # fmt: skip


def test_resources_are_no_part_of_a_run(tmp_path):
    RunFolder.begin(tmp_path, MADE)
    RunFolder.begin(tmp_path, MADE | {"settings": {"rate": 0.1, "threads": 16}})
    with pytest.raises(BadInput, match="other settings"):
        RunFolder.begin(tmp_path, MADE | {"settings": {"rate": 0.2, "threads": 2}})


def test_a_run_is_bound_to_the_text_of_its_rules(tmp_path):
    other = MADE | {"fingerprint": GAME.fingerprint[:-1] + "~"}
    RunFolder.begin(tmp_path, other)
    with pytest.raises(BadInput, match="other text of the rules"):
        RunFolder.begin(tmp_path, MADE)
    with pytest.raises(Mismatch, match="before the rules of tic_tac_toe were changed"):
        load_run(str(tmp_path), "qlearning", GAME)


def test_a_run_from_before_fingerprints_is_taken_at_its_word(tmp_path):
    RunFolder.begin(tmp_path, {key: value for key, value in MADE.items() if key != "fingerprint"})
    RunFolder.begin(tmp_path, MADE)
    assert load_run(str(tmp_path), "qlearning", GAME).path == tmp_path
