"""The scripted players of Gravwell: decisions worked by hand, and win rates measured by an independent program."""

from __future__ import annotations

import numpy as np
import pytest

from ludus import agent
from ludus.arena.contest import contest
from ludus.errors import BadSpec, Mismatch
from ludus.testing import check_agent

from .positions import AHEAD, BEHIND, GAME, STUCK, answers, choosing, drafting, stopping

# ------------------------------------------------------------------------------------------------ decisions


@pytest.mark.parametrize(
    ("hand", "table", "intended", "published", "neural"),
    [
        ("", "Ar Jo Kr Mg O Qt", "Jo Qt", "Jo Qt", "Jo Qt"),  # a tractor before all
        ("Jo B", "C Kr Qt Xe", "Kr Xe", "Kr Xe", "Kr Xe"),  # one is enough; then a repulsor
        ("Jo Kr", "Th B Mg Dy", "B", "Dy", "Dy"),  # low first | nothing up to 8 held: first from 3 on
        ("Kr B", "Ar Es Mg Dy", "Mg", "Ar", "Ar"),  # then high | nothing from 3 on held: first below 7
        ("Mg Kr", "H Ra Y V", "H", "H", "H"),  # then the rest
        ("O Kr", "Ar C Zr Mg", "Ar", "Ar C Mg Zr", "C"),  # a 7 is below 8, but not below 7
        ("B Mg Dy Kr", "Ra C", "C Ra", "C Ra", "C Ra"),  # nothing lacks: any
    ],
)
def test_draft(hand, table, intended, published, neural):
    states = drafting(hand, table)
    assert answers("tree", states) == intended
    assert answers("tree:reading=published", states) == published
    assert answers("tree:draft=neural", states) == neural
    assert answers("tree:draft=random", states, tries=200) == " ".join(sorted(table.split()))


@pytest.mark.parametrize(
    ("tiles", "hand", "intended", "published"),
    [
        (AHEAD, "B Ra Si", "Ra", "B"),  # of two equal cards the alphabetically first
        (AHEAD, "Ar Jo Kr", "Ar", "Ar"),
        (AHEAD, "Jo Kr Ne", "Jo", "Jo"),
        (AHEAD, "Kr Ne Xe", "Kr", "Ne"),
        (BEHIND, "Kr Mg Ne", "Ne", "Kr"),
        (BEHIND, "Ar Mg Qt", "Qt", "Qt"),
        (BEHIND, "Ar Dy Mg", "Ar", "Mg"),
        (STUCK, "Ar Jo Mg", "Ar Jo Mg", "Jo"),
        (STUCK, "Ar Dy Mg", "Ar Dy Mg", "Ar Dy Mg"),
        (AHEAD, "Kr", "Kr", "Kr"),
    ],
)
def test_card(tiles, hand, intended, published):
    states = choosing(tiles, hand)
    assert answers("tree", states) == answers("tree:published,play=intended", states) == intended
    assert answers("tree:published", states) == answers("tree:play=published", states) == published
    assert answers("tree:play=random", states) == answers("nostop", states) == hand


@pytest.mark.parametrize(
    ("tiles", "card", "answer"),
    [
        (AHEAD, "Mg", "go"),
        (AHEAD, "Kr", "stop"),
        (BEHIND, "Ar", "stop"),
        (BEHIND, "Ne", "go"),
        (BEHIND, "Jo", "go"),
        (STUCK, "Qt", "go"),
    ],
)
def test_stop(tiles, card, answer):
    states = stopping(tiles, card)
    assert answers("tree", states) == answers("tree:published", states) == answer
    assert answers("tree:stop=random", states) == "go stop"
    assert answers("tree:stop=never", states) == answers("nostop", states) == "go"


def test_forced_answers_draw_no_random_number():
    states = choosing(AHEAD, "Kr")
    words = np.array([[7]], np.uint64)
    for spec in ("tree:play=random", "nostop"):
        agent(spec, GAME).act_many(states, np.zeros(1, np.int64), words)
    assert words[0, 0] == 7


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("tree:reading=literal", "reading is one of intended, published, not 'literal'"),
        ("tree:draft=never", "draft is one of tree, intended, published, neural, random"),
        ("tree:play=neural", "play is one of"),
        ("tree:stop=always", "stop is one of tree, random, never"),
    ],
)
def test_bad_settings_are_named(spec, sentence):
    with pytest.raises(BadSpec, match=sentence):
        agent(spec, GAME)


@pytest.mark.parametrize("spec", ["gravwell/tree", "tree"])
def test_other_games_are_refused(spec):
    with pytest.raises(Mismatch, match="an agent of gravwell alone"):
        agent(spec, "connect_four")


@pytest.mark.parametrize("spec", ["tree", "tree:published,draft=random,stop=random", "nostop"])
def test_conforms(spec):
    report = check_agent(spec, GAME, matches=1)
    assert report.ok, report.failures


# ------------------------------------------------------------------------------------------------ win rates

# Win rates in per cent against three random players, with dead and with working tractors; 100,000 games of an
# independent program each.
PUBLISHED_RATES = {
    "tree:published": (51.8, 41.5),
    "tree:published,play=intended": (58.0, 44.6),
    "tree:published,draft=intended": (51.2, 41.2),
    "tree": (58.2, 44.8),
    "tree:published,draft=random": (42.0, 34.6),
    "tree:published,stop=never": (37.0, 32.1),
    "tree:draft=random": (53.2, 38.1),
    "tree:stop=never": (53.1, 39.3),
    "tree:published,play=random": (37.5, 31.7),
    "tree:draft=random,play=random": (35.3, 30.0),
    "nostop": (26.2, 25.6),
    "random": (25.0, 25.0),
}


@pytest.mark.parametrize("preset", ["paper", "default"])
@pytest.mark.parametrize("spec", PUBLISHED_RATES)
def test_against_three_random(spec, preset):
    """The standard error is about 0.55."""
    expected = PUBLISHED_RATES[spec][preset == "default"]
    assert score([spec, "random", "random", "random"], preset) == pytest.approx(expected, abs=2.0)


@pytest.mark.parametrize(
    ("specs", "expected"),
    [
        (["tree:published", "random"], 55.7),
        (["tree", "random"], 59.7),
        (["tree", "tree:published"], 55.0),
        (["tree:published", "random", "random"], 47.6),
        (["tree", "random", "random"], 52.7),
        (["tree", "tree:published", "random", "random"], 39.9),
        (["tree:published", "tree", "random", "random"], 34.9),
    ],
)
def test_other_tables(specs, expected):
    assert score(specs) == pytest.approx(expected, abs=2.0)


def score(specs: list[str], preset: str = "default", games: int = 8000) -> float:
    return 100 * contest("gravwell", specs, games=games, preset=preset, seed=2).agents[0].score
