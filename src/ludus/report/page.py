"""A report as one HTML file that needs nothing else: no network; light and dark, narrow and wide, on paper."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ludus.report.style import COLOURS, STYLE


@dataclass(frozen=True)
class Section:
    """A heading and the blocks under it, each a piece of HTML made by a function of this file."""

    title: str
    blocks: Sequence[str]


@dataclass(frozen=True)
class Tile:
    """One number worth a large print."""

    number: str
    words: str


@dataclass(frozen=True)
class Page:
    title: str
    subtitle: str
    lead: str
    tiles: Sequence[Tile]
    sections: Sequence[Section]
    footer: str
    style: str = ""
    """Rules of a style sheet for what only this page has."""
    script: str = ""
    """For convenience only: the page can be read without."""


def render(page: Page) -> str:
    """The whole file."""
    tiles = "".join(f"<div class=tile><b>{safe(tile.number)}</b>{safe(tile.words)}</div>" for tile in page.tiles)
    links = "".join(f'<a href="#{anchor(part.title)}">{safe(part.title)}</a>' for part in page.sections)
    body = "".join(
        f'<section id="{anchor(part.title)}"><h2>{safe(part.title)}</h2>{"".join(part.blocks)}</section>'
        for part in page.sections
    )
    script = f"<script>{page.script}</script>" if page.script else ""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{safe(page.title)}</title><style>{COLOURS}{STYLE}{page.style}</style></head><body><main>"
        f"<header><p class=over>{safe(page.subtitle)}</p><h1>{safe(page.title)}</h1>{paragraph(page.lead, 'lead')}"
        f"<div class=tiles>{tiles}</div><nav>{links}</nav></header>{body}"
        f"<footer>{paragraph(page.footer)}</footer></main>{script}</body></html>\n"
    )


def safe(text: str) -> str:
    return html.escape(text)


def anchor(title: str) -> str:
    return re.sub(r"\W+", "-", title.lower()).strip("-")


def paragraph(text: str, kind: str = "") -> str:
    """Words; `*so*` is emphasised and `so` in backticks is code."""
    marked = re.sub(r"\*(.+?)\*", r"<em>\1</em>", re.sub(r"`(.+?)`", r"<code>\1</code>", safe(text)))
    return f"<p{f' class={kind}' if kind else ''}>{marked}</p>"


def bullets(items: Iterable[str]) -> str:
    return "<ul>" + "".join(f"<li>{paragraph(item)}</li>" for item in items) + "</ul>"
