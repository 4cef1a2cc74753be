"""The page: it stands alone, escapes words, and its charts are as long as their numbers say."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from ludus.arena.statistics import Interval
from ludus.report.charts import (
    Bar,
    Group,
    Line,
    Moment,
    Node,
    bar_chart,
    dot_chart,
    histogram,
    line_chart,
    picture,
    tree_chart,
)
from ludus.report.page import Page, Section, paragraph, render


def rate(value: float, half: float, label: str = "it") -> Bar:
    return Bar(label, Interval(value, value - half, value + half, 1000))


def test_the_page_needs_nothing_else_and_escapes_words():
    text = render(Page("T <x>", "s", "a & b", [], [Section("S <y>", [paragraph("so")])], "f", ".own{color:red}"))
    assert "S &lt;y&gt;" in text
    assert "a &amp; b" in text
    assert "T <x>" not in text
    assert ".own{color:red}" in text
    assert not re.findall(r"(?:src|href)=[\"']?[^#\"']", text)
    assert "@import" not in text
    assert "prefers-color-scheme:dark" in text
    assert "@media print" in text


def test_a_bar_is_as_long_as_its_number_says():
    chart = bar_chart("t", ["a"], [Group("g", [rate(0.3, 0.01)], published=0.6)], chance=0.25)
    assert 'width="43.0%"' in chart  # half of the axis, which ends at 60 % and at 86 % of the width
    assert 'x="86.0%"' in chart


def test_a_logarithmic_line_bends_the_axis():
    chart = line_chart("t", "games", [Line("seen", [(10, 0.4), (100, 0.3), (1000, 0.2)])])
    assert [float(x) for x in re.findall(r'cx="([\d.]+)%"', chart)] == [8.0, 52.5, 97.0]


def test_shares_that_are_all_nought_have_an_axis():
    chart = line_chart("t", "iterations", [Line("none", [(0, 0.0), (1, 0.0)])], is_log=False)
    assert ">0 %<" in chart
    assert ">10 %<" in chart


def test_a_chart_can_be_a_picture_of_its_own():
    chart = bar_chart("A & B", ["a", "b"], [Group("g", [rate(0.3, 0.01), rate(0.2, 0.01)], 0.6)], chance=0.25)
    ElementTree.fromstring(picture(chart))


def test_words_may_be_emphasised():
    assert paragraph("*so* & `x`") == "<p><em>so</em> &amp; <code>x</code></p>"


def test_a_line_with_a_band_is_stretched_over_the_plot():
    line = Line("player 1", [(0, 0.5), (10, 1.0)], [(0.4, 0.6), (0.9, 1.0)])
    chart = line_chart("t", "ply", [line], is_log=False, moments=[Moment(5, "A")])
    ElementTree.fromstring(picture(chart))
    assert 'd="M8 115L97 10"' in chart  # from 50 % in the middle of the plot to 100 % at its top
    assert 'd="M8 136L97 31L97 10L8 94z"' in chart
    assert '<svg x="52.5%" y="0" overflow="visible"><line class=moment' in chart


def test_columns_are_shares_of_their_series():
    chart = histogram("t", "plies", [0, 10, 20], [("a", [1, 3]), ("b", [0, 10])])
    ElementTree.fromstring(picture(chart))
    heights = [float(height) for height in re.findall(r'height="([\d.]+)"><title>', chart)]
    assert len(heights) == 3  # nothing is drawn for nothing
    assert heights[1] / heights[0] == pytest.approx(3, abs=0.05)
    assert heights[2] / heights[1] == pytest.approx(4 / 3, abs=0.05)


def test_dots_lie_on_their_side_of_the_line():
    chart = dot_chart(
        "t", ["1", "2"], [Group("g", [Bar("x", Interval(0.05, 0.0, 0.1, 9)), Bar("y", Interval(-0.1, -0.1, -0.1, 9))])]
    )
    ElementTree.fromstring(picture(chart))
    assert [float(x) for x in re.findall(r'cx="([\d.]+)%"', chart)] == [65.25, 3.0]
    assert "+5.0" in chart
    assert "-10.0" in chart


def test_a_tree_is_as_high_as_its_shares():
    leaf = Node("c", 0.25, -0.5, "a, then c")
    chart = tree_chart("t", ["one", "two"], [Node("a", 0.75, 0.3, "a", [leaf]), Node("b", 0.25, 2.0, "b")], ("x", "y"))
    ElementTree.fromstring(picture(chart))
    boxes = re.findall(
        r'class="(s\d) node" x="([\d.]+)%" y="([\d.]+)".*?height="([\d.]+)" fill-opacity="([\d.]+)"', chart
    )
    assert boxes == [
        ("s0", "0", "20.0", "315.0", "0.30"),
        ("s1", "50", "20.0", "105.0", "0.50"),
        ("s0", "0", "335.0", "105.0", "1.00"),
    ]
