"""The report: one file that needs nothing else, whose links lead somewhere, whatever the playtest could measure."""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from ludus.draw import canvas
from ludus.playtest.flaws import Flaw
from ludus.playtest.plan import Gate
from ludus.playtest.playtest import Playtest
from ludus.playtest.verdict import read
from ludus.report import boards
from ludus.report import playtest as report
from ludus.report.examples import ending_of, examples_of, moments_of
from tests.playtest.small import playtest, random_only

VOID = {"meta", "br", "input", "hr", "img", "link"}


class Reader(HTMLParser):
    """The tags of a page; fails on one that is closed but was not opened."""

    def __init__(self, text: str):
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.classes: Counter[str] = Counter()
        self.words: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.ids += [values["id"] or ""] if "id" in values else []
        self.links += [values["href"] or ""] if "href" in values else []
        self.classes.update((values.get("class") or "").split())
        assert "src" not in values
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def write(found: Playtest, folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    return report.write(found, read(found), folder)


def written(found: Playtest, folder: Path) -> tuple[str, Reader]:
    text = write(found, folder).read_text(encoding="utf-8")
    page = Reader(text)
    assert page.open == []
    assert len(page.ids) == len(set(page.ids))
    assert all(link[0] == "#" and link[1:] in page.ids for link in page.links)
    assert set(re.findall(r"https?://[^\"' <]+", text)) <= {"http://www.w3.org/2000/svg"}
    assert "@import" not in text
    assert "url(" not in text
    return text, page


@pytest.fixture(scope="module")
def connect_four() -> Playtest:
    return playtest("connect_four")


@pytest.fixture(scope="module")
def page(connect_four, tmp_path_factory) -> tuple[str, Reader]:
    return written(connect_four, tmp_path_factory.mktemp("report"))


# ------------------------------------------------------------------------------------------------ what is on the page


def test_the_verdict_comes_first_and_every_part_is_there(page):
    titles = re.findall(r"<h2>(.*?)</h2>", page[0])
    assert titles == [
        "Verdict", "Seats and skill", "Length", "Three matches", "Actions", "Openings", "Replays", "Every number",
        "How it was measured", "What the numbers mean",
    ]  # fmt: skip


def test_every_light_has_its_sentence(page, connect_four):
    for light in read(connect_four).verdict():
        assert light.topic in page[0]
    assert page[1].classes["lamp"] == len(read(connect_four).verdict())
    assert page[0].index("class=lights") < page[0].index("class=chart")


def test_every_number_is_in_the_table_with_its_games(page, connect_four):
    words = " ".join("".join(page[1].words).split())
    for reading in read(connect_four).numbers:
        assert f"{reading.text} {reading.found.n:,} games" in words, reading.name
        assert f'href="#metric-{reading.metric}"' in page[0]


def test_pictures_share_one_style_sheet(page):
    assert page[0].count(canvas.STYLE) == 1
    assert "prefers-color-scheme:dark" in page[0]
    assert "@media print" in page[0]


def test_words_of_the_game_are_escaped(connect_four, tmp_path):
    text, _ = written(replace(connect_four, title="<b>Four", notes=["5 < 6"]), tmp_path)
    assert "<b>Four" not in text
    assert "5 &lt; 6" in text


# ------------------------------------------------------------------------------------------------ matches


def test_a_slideshow_has_a_frame_for_every_position(page, connect_four):
    examples, roles = examples_of(connect_four)
    assert set(roles) == {"typical", "dramatic", "one-sided", "longest", "shortest"}
    for example in examples:
        frames = [name for name in page[1].ids if name.startswith(f"replay-{example.number}-")]
        assert frames == [f"replay-{example.number}-{ply}" for ply in range(example.record.plies + 1)]
    assert page[1].classes["frame"] == sum(example.record.plies + 1 for example in examples)


def test_the_moments_of_a_story_are_the_swing_and_the_end(connect_four):
    assert connect_four.traced is not None
    for replay in connect_four.traced.replays:
        moments = moments_of(replay)
        assert replay.trace is not None
        swings = abs(replay.trace.expected[1:] - replay.trace.expected[:-1]).max(axis=1)
        swing = next(ply for ply, words in moments.items() if "swing" in words)
        assert swings[swing - 1] == swings.max()
        assert "the end" in moments[replay.plies]


def test_endings_are_told(connect_four):
    record = connect_four.lineups[0].records[0]
    assert ending_of(replace(record, returns=[1.0, -1.0], plies=9)) == "Player 1 wins after 9 plies."
    assert ending_of(replace(record, returns=[0.0, 0.0], plies=9)) == "A draw after 9 plies."
    assert ending_of(replace(record, outcome="limit", plies=9)) == "Stopped after 9 plies, the most this game may take."
    assert ending_of(replace(record, outcome="crash", culprit=1, plies=1)) == "Player 2 lost by crash after 1 ply."


def test_a_page_stays_small_and_keeps_the_moments(connect_four, tmp_path, monkeypatch):
    whole = write(connect_four, tmp_path / "whole").stat().st_size
    monkeypatch.setattr(boards, "BYTES", 150_000)
    text, page = written(connect_four, tmp_path / "small")
    assert len(text) < whole / 2
    assert "positions" in text
    for example in examples_of(connect_four)[0]:
        assert all(f"replay-{example.number}-{ply}" in page.ids for ply in (0, example.record.plies, *example.moments))


def test_a_rule_bug_leads_to_its_spot(connect_four, tmp_path):
    record = connect_four.lineups[0].records[3]
    text, page = written(replace(connect_four, flaws=[Flaw("cannot-win", "Nobody can win.", record, 5)]), tmp_path)
    link = re.search(r'Nobody can win\. <a href="#(replay-\d+-5)">', text)
    assert link
    assert link[1] in page.ids
    assert f'<div class="frame peak" id="{link[1]}"' in text


def test_a_bug_after_the_end_is_shown_at_the_end(connect_four, tmp_path):
    record = connect_four.lineups[0].records[3]
    text, _ = written(replace(connect_four, flaws=[Flaw("endless", "It goes on.", record, 999)]), tmp_path)
    assert re.search(rf'It goes on\. <a href="#replay-\d+-{record.plies}">', text)


def test_a_bug_without_a_match_has_no_link(connect_four, tmp_path):
    text, _ = written(replace(connect_four, flaws=[Flaw("never-legal", "Passing is never legal.")]), tmp_path)
    assert "Passing is never legal.</li>" in text


# ------------------------------------------------------------------------------------------------ other playtests


def test_a_playtest_that_stopped_at_a_gate_says_so(tmp_path):
    gate = Gate("random", False, "Nine in ten matches never end.")
    text, _ = written(replace(random_only("tic_tac_toe"), gates=[gate]), tmp_path)
    assert "The playtest stopped after random play." in text
    assert "Three matches" not in text
    assert "Nine in ten matches never end." in text


def test_a_playtest_without_any_match_has_a_page(tmp_path):
    nothing = replace(random_only("tic_tac_toe"), lineups=[], levels=[], legal_kinds={})
    text, page = written(nothing, tmp_path)
    assert "Nothing could be judged." in text
    assert page.classes["slides"] == 0


def test_a_playtest_of_agents_that_all_failed_has_a_page(tmp_path):
    results = random_only("tic_tac_toe", blocks=4)
    cell = results.lineups[0]
    failed = replace(
        cell,
        replays=[replace(replay, outcome="crash") for replay in cell.replays],
        records=[replace(record, outcome="crash", culprit=0) for record in cell.records],
    )
    text, _ = written(replace(results, lineups=[failed], faults=["It crashed."]), tmp_path)
    assert "Player 1 lost by crash" in text


def test_a_playtest_without_traces_has_a_page(connect_four, tmp_path):
    empty = replace(connect_four.traced, replays=[], records=[]) if connect_four.traced else None
    for k, traced in enumerate([None, empty]):
        text, _ = written(replace(connect_four, traced=traced), tmp_path / str(k))
        assert "Three matches" not in text
        assert "The longest match" in text


def test_four_players_who_choose_together_in_secret(tmp_path):
    text, page = written(playtest("goofspiel", players=4, blocks=6, matches=3, preset="hidden_bids"), tmp_path)
    assert "Edge of player 4" in text
    assert "Kingmaking" in text
    assert re.search(r"Seen by player [1-4]\.", text)
    assert page.classes["slides"] >= 2  # a match may play two roles


def test_a_game_of_hidden_cards_shows_the_equilibrium(tmp_path):
    text, _ = written(playtest("kuhn_poker", blocks=10), tmp_path)
    assert "perfect play gives -1.4 points" in text


# ------------------------------------------------------------------------------------------------ files


def test_the_numbers_are_json_and_agree_with_the_page(connect_four, tmp_path):
    write(connect_four, tmp_path)
    kept = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert kept == json.loads(json.dumps(report.to_dict(connect_four, read(connect_four))))
    assert kept["game"] == "connect_four"
    assert [lineup["matches"] for lineup in kept["lineups"]] == [60, 60, 60, 6]
    assert kept["lineups"][3]["traced"] == 6
    assert {"metric", "part", "text", "value", "low", "high", "n", "evaluator", "level"} <= set(kept["readings"][0])
    assert {"colour", "topic", "sentence", "level", "metric"} == set(kept["lights"][0])


def test_the_same_results_give_the_same_files(connect_four, tmp_path):
    texts = [write(connect_four, tmp_path / name).read_bytes() for name in "ab"]
    assert texts[0] == texts[1]


def test_a_failed_report_leaves_the_old_one(tmp_path, monkeypatch):
    results = random_only("tic_tac_toe")
    path = write(results, tmp_path)
    before = path.read_bytes()
    assert {file.name for file in tmp_path.iterdir()} == {"report.html", "report.json"}

    def fail(page):
        raise KeyboardInterrupt

    monkeypatch.setattr(report, "render", fail)
    with pytest.raises(KeyboardInterrupt):
        write(replace(results, title="Other"), tmp_path)
    assert path.read_bytes() == before


# ------------------------------------------------------------------------------------------------ in a browser


@pytest.fixture
def browser():
    sync_api = pytest.importorskip("playwright.sync_api")
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("no browser here")
    with sync_api.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        yield opened
        opened.close()


def shown_plies(tab, film: int) -> list[str]:
    frames = tab.locator(f"#replay-{film} .frame:visible")
    return [frames.nth(k).get_attribute("data-ply") for k in range(frames.count())]


def test_the_viewer_opens_at_a_spot_and_turns_by_keys(connect_four, tmp_path, browser):
    address = write(connect_four, tmp_path).as_uri()
    tab = browser.new_page(viewport={"width": 360, "height": 700})
    problems: list[str] = []
    tab.on("pageerror", lambda error: problems.append(str(error)))
    tab.goto(f"{address}#replay-2-5")
    assert shown_plies(tab, 2) == ["5"]
    assert shown_plies(tab, 1) == ["0"]
    tab.keyboard.press("ArrowRight")
    tab.keyboard.press("ArrowRight")
    tab.keyboard.press("ArrowLeft")
    assert shown_plies(tab, 2) == ["6"]
    assert tab.url.endswith("#replay-2-6")
    tab.locator("#replay-1 button").nth(1).click()
    assert shown_plies(tab, 1) == ["1"]
    assert tab.evaluate("document.documentElement.scrollWidth") <= 360
    assert problems == []


def test_without_script_the_moments_stand_side_by_side(connect_four, tmp_path, browser):
    address = write(connect_four, tmp_path).as_uri()
    tab = browser.new_context(java_script_enabled=False).new_page()
    tab.goto(f"{address}#replay-1-3")
    example = examples_of(connect_four)[0][0]
    assert {int(ply) for ply in shown_plies(tab, 1)} == {3, *example.moments}


def test_every_metric_can_be_looked_up_in_the_page(page):
    keys = set(re.findall(r'href="#metric-(\w+)"', page[0]))
    assert keys <= set(re.findall(r'id="metric-(\w+)"', page[0]))
    assert {"seat_advantage", "drama", "skill_ladder"} <= keys
    assert "How to read it" in page[0]
