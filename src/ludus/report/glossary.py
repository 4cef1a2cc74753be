"""The pages of docs/metrics inside a report, so that what a number means can be looked up without a network."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from ludus.report.page import bullets, paragraph

HOMES = (Path(__file__).parent / "metrics", Path(__file__).parents[3] / "docs" / "metrics")
"""Where an installed package has them, and where the sources do."""


def page_of(key: str) -> str:
    """What the docs say of a metric: Markdown, "" where there is none."""
    files = (home / f"{key}.md" for home in HOMES)
    return next((file.read_text(encoding="utf-8") for file in files if file.is_file()), "")


def glossary(keys: Iterable[str]) -> list[str]:
    """A folded page for each metric, with an address of its own."""
    return [_folded(key, text) for key in keys if (text := page_of(key))]


def _folded(key: str, markdown: str) -> str:
    """The little Markdown of these pages: headings, paragraphs and lists. The title is what unfolds the rest.

    The address is within the fold: browsers unfold what lies around the place they are sent to.
    """
    title, *blocks = re.split(r"\n\s*\n", markdown.strip())
    body = "".join(_block(block) for block in blocks)
    return f'<details><summary>{title.lstrip("# ")}</summary><div id="metric-{key}">{body}</div></details>'


def _block(text: str) -> str:
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)  # other pages are in the same list
    text = re.sub(r"\*\*(.+?)\*\*", r"*\1*", text)
    if text.startswith("#"):
        return f"<h4>{text.lstrip('# ')}</h4>"
    if text.startswith("- "):
        return bullets(" ".join(item.split()) for item in re.split(r"^- ", text, flags=re.MULTILINE)[1:])
    return paragraph(" ".join(text.split()))
