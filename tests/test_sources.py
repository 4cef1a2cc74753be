"""What a file is made of: found by reading, never by running."""

from __future__ import annotations

from pathlib import Path

import pytest

from ludus.sources import DATA, digest_of, files_digest, sources


@pytest.fixture
def bot(tmp_path) -> Path:
    """A bot with a helper, a helper's helper in a package, and weights; importing it would end the tests."""
    (tmp_path / "bot.py").write_text("import helper\nraise SystemExit('somebody ran me')\n")
    (tmp_path / "helper.py").write_text("def f():\n    from parts.deep import g\n    return open('weights.npz')\n")
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "__init__.py").write_text("")
    (tmp_path / "parts" / "deep.py").write_text("from . import deeper\ng = 1\n")
    (tmp_path / "parts" / "deeper.py").write_text("import numpy, helper\n")
    (tmp_path / "weights.npz").write_bytes(b"1 2 3")
    (tmp_path / "stranger.py").write_text("import bot\n")
    return tmp_path / "bot.py"


def names(bot: Path) -> set[str]:
    return {str(file.relative_to(bot.parent)) for file in sources(bot)}


def test_all_that_is_imported_beside_it_and_all_data_that_it_names(bot):
    assert names(bot) == {
        "bot.py", "helper.py", "parts/__init__.py", "parts/deep.py", "parts/deeper.py", "weights.npz",
    }  # fmt: skip


@pytest.mark.parametrize("file", ["bot.py", "helper.py", "parts/__init__.py", "parts/deeper.py", "weights.npz"])
def test_an_edit_of_any_part_is_seen_at_once_and_undoing_it_too(bot, file):
    before = sources(bot)
    old = (bot.parent / file).read_bytes()
    (bot.parent / file).write_bytes(old + b"\nx = 1\n")
    after = sources(bot)
    assert {path.name for path in before if after[path] != before[path]} == {Path(file).name}
    assert digest_of(after) != digest_of(before)
    (bot.parent / file).write_bytes(old)
    assert sources(bot) == before


def test_comments_docstrings_and_lines_do_not_count(bot):
    before = sources(bot)
    bot.write_text('"""Mine."""\n\nimport helper  # good\n\n\nraise SystemExit(\n    "somebody ran me"\n)\n')
    assert sources(bot) == before


def test_a_place_does_not_count(bot, tmp_path_factory):
    other = tmp_path_factory.mktemp("elsewhere")
    for file in sources(bot):
        place = other / file.relative_to(bot.parent)
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(file.read_bytes())
    assert digest_of(sources(other / "bot.py")) == digest_of(sources(bot))


def test_an_agent_of_ludus_that_it_builds_on_counts_and_the_ground_does_not(bot):
    bot.write_text("from ludus import Agent\nfrom ludus.agents.greedy import Greedy\nfrom ludus.game import View\n")
    assert {"bot.py", "greedy.py"} <= {file.name for file in sources(bot)}
    assert "game.py" not in {file.name for file in sources(bot)}


@pytest.mark.parametrize("content", [b"def (", b"\x00\xff\xfe", b"", b"# -*- coding: klingon -*-\n"])
def test_what_is_no_python_is_known_by_its_bytes(bot, content):
    bot.write_bytes(content)
    before = sources(bot)
    bot.write_bytes(content + b"(")
    assert len(before) == 1
    assert sources(bot) != before


def test_a_log_beside_it_is_no_part_of_it(bot):
    assert not {".txt", ".csv", ".log", ".jsonl", ".sqlite"} & DATA
    before = files_digest(bot.parent)
    (bot.parent / "log.csv").write_text("1")
    assert files_digest(bot.parent) == before
    (bot.parent / "model.json").write_text("1")
    assert files_digest(bot.parent) != before
