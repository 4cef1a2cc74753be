"""Papers are folders."""

from __future__ import annotations

import pytest

from ludus.errors import UnknownName
from ludus.papers.reproduction import find_paper, paper_names


def test_papers_are_found_by_name():
    assert "gravitas" in paper_names()
    with pytest.raises(UnknownName, match="gravitas"):
        find_paper("gravitass")
