"""The documentation is followed word for word."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import numpy as np
import pytest

import ludus
import ludus.errors
from ludus import load, rules
from ludus.arena.contest import contest
from ludus.catalogue import game_names
from ludus.draw import choices, picture
from ludus.draw.canvas import STYLE, Picture
from ludus.game import View
from ludus.testing import check_agent, check_game

ROOT = Path(__file__).resolve().parents[1]


def blocks(page: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL)


@pytest.fixture
def folder(request, tmp_path) -> Path:
    """A place that is the same from run to run: compiled code of a file is found again by where it lies."""
    store = getattr(request.config, "cache", None)
    return store.mkdir(f"docs-{request.node.name}") if store else tmp_path


def assert_sound(path: Path) -> None:
    *_, report = check_game(str(path), matches=20)
    assert report.ok, report.failures


def test_the_readme_game_passes_the_check_and_is_won_by_the_first_seat(folder):
    path = folder / "nim.py"
    path.write_text(blocks("README.md")[0])
    assert len(path.read_text().splitlines()) <= 36
    assert_sound(path)
    result = contest(str(path), ["alphabeta", "random"], games=20)
    assert result.agents[0].score > 0.9


def test_the_readme_call_and_agent_work(tmp_path):
    scope: dict = {}
    exec(blocks("README.md")[1].replace("games=100", "games=10"), scope)
    assert scope["result"].agents[0].score > 0.8
    path = tmp_path / "leftmost.py"
    path.write_text(blocks("README.md")[2])
    result = ludus.play("connect_four", str(path), "random", games=4)
    assert not result.faults


def test_the_first_game_is_drawn(folder):
    rules, words, params, _, drawing = blocks("docs/first_game.md")
    path = folder / "nim_step7.py"
    path.write_text(_with_params(rules + "\n\n" + words, params) + "\n\n" + drawing)
    assert_sound(path)
    game = load(str(path))
    view = View(game, game.start(np.zeros((1, 3), "uint64"), 2), 0)
    svg = picture(view, can_act=True)
    assert svg.count("<circle") == 3 + 5 + 7
    assert svg.count('class="part can"') == 3
    assert set(choices(view).values()) == {("heap-0",), ("heap-1",), ("heap-2",)}


def test_the_first_game_is_written_step_by_step(folder):
    rules, words, params, _, _ = blocks("docs/first_game.md")
    path = folder / "nim_step1.py"
    path.write_text(rules)
    assert_sound(path)
    path = folder / "nim_step4.py"
    path.write_text(rules + "\n\n" + words)
    assert_sound(path)
    game = load(str(path))
    states = game.start(np.zeros((1, 3), "uint64"), 2)
    assert game.parse_action(states, 0, "b2") == 12
    assert game.state_text(states[0]) == "a ooo\nb ooooo\nc ooooooo"
    path = folder / "nim_step5.py"
    path.write_text(_with_params(rules + "\n\n" + words, params))
    assert_sound(path)
    assert (
        contest(str(path), ["random", "random"], preset="tiny").mean_plies
        < contest(str(path), ["random", "random"], rules={"smallest": 5}).mean_plies
    )


def test_the_first_hidden_game_passes_and_its_leak_is_found(folder):
    text = blocks("docs/first_game.md")[3]
    path = folder / "high_card.py"
    path.write_text(text)
    assert_sound(path)
    assert text.count("def hide(state, player):\n    for k in range(CARDS):") == 1
    path.write_text(text.replace("player):\n    for k in range(CARDS):", "player):\n    for k in range(2, CARDS):", 1))
    *_, report = check_game(str(path), matches=20)
    assert any("a leak" in failure.sentence for failure in report.failures)


def test_every_name_of_the_contract_works(folder):
    """The page's game writes all that needs no secret; the page names everything that a game may write."""
    page = (ROOT / "docs/contract.md").read_text(encoding="utf-8")
    path = folder / "corners.py"
    path.write_text(blocks("docs/contract.md")[0])
    assert_sound(path)
    game = load(str(path))
    written = {name for name in (*rules.REQUIRED, *rules.DEFAULTS, "observe") if f"`{name}(" in page}
    assert written == {*rules.REQUIRED, *rules.DEFAULTS, "observe"}
    assert all(game.writes(name) for name in ("heuristic", "observe", "valid", "reflect", "outcome_text", "KNOWN"))
    assert all(f"`{field.name}" in page for field in dataclasses.fields(rules.Facts))


def test_a_declared_board_is_drawn_and_clicked_without_code(folder):
    path = folder / "trio.py"
    path.write_text(blocks("docs/contract.md")[1])
    assert_sound(path)
    match = ludus.Match(load(str(path)), 2)
    view = match.view(0)
    svg = picture(view, can_act=True)
    assert svg.count('class="part can"') == 19
    assert choices(view)[7] == ("cell-7",)


def test_a_board_whose_side_is_a_param_is_drawn_at_its_size(folder):
    path = folder / "five.py"
    path.write_text(blocks("docs/contract.md")[2])
    assert_sound(path)
    game = load(str(path))
    for preset, side in (("default", 4), ("large", 5)):
        match = ludus.Match(game, 2, game.rule_values(preset))
        match.submit(0, side)  # the first cell of the second row
        svg = picture(match.view(1), match.view(1), can_act=True)
        assert svg.count('class="part can"') == side * side - 1
        assert 'data-part="cell-4"' in svg
        assert choices(match.view(1))[side + 1] == (f"cell-{side + 1}",)
        mark = re.search(rf'data-part="cell-{side}".*?points="([\d.]+),([\d.]+) ', svg)
        first = re.search(r'data-part="cell-0".*?points="([\d.]+),([\d.]+) ', svg)
        assert mark
        assert first
        assert (mark[1], float(mark[2]) - float(first[2])) == (first[1], 40)


def test_the_drawing_page_is_followed(folder):
    page = (ROOT / "docs/drawing.md").read_text(encoding="utf-8")
    path = folder / "crown.py"
    path.write_text(blocks("docs/drawing.md")[0])
    assert_sound(path)
    match = ludus.Match(load(str(path)), 2)
    before = match.view(0)
    match.submit(0, 2)
    assert choices(match.view(1)) == {1: ("step-1-1",), 2: ("step-1-2",)}
    assert picture(match.view(1), before, can_act=True).count('class="none last"') == 1
    methods = {name for name, value in vars(Picture).items() if callable(value) and not name.startswith("_")}
    assert {name for name in methods if f"`{name}(" in page or f"`with {name}(" in page} == methods - {
        "add", "fold", "svg"
    }  # fmt: skip
    looks = set(re.findall(r"\.ludus \.([\w-]+)\{", STYLE)) - {"sky", "part", "can"}
    assert not {look for look in looks if f"`{look}`" not in page} - {"rim1", "rim2"}


@pytest.mark.parametrize(
    "name", ["auction.py", "einstein.py", "halma_3.py", "kalah.py", "liars_dice.py", "othello.py", "two_step.py"]
)
def test_the_games_of_strangers_pass(name):
    """Written from these pages alone: a hidden auction with dice for three or four, a dice race, a race of three,
    several moves a turn, bluff, a board whose side is a param, and two actions a turn on another."""
    assert_sound(ROOT / "tests" / "example_games" / name)


def test_the_bots_page_is_followed(tmp_path):
    *agents, program = blocks("docs/bots.md")
    for name, text in zip(("leftmost.py", "careful.py"), agents, strict=True):
        (tmp_path / name).write_text(text)
        report = check_agent(str(tmp_path / name), "tic_tac_toe", matches=1, seconds=1000)
        assert report.ok, report.failures
    compile(program, "still.py", "exec")
    player = ludus.agent(f"{tmp_path / 'careful.py'}:tries=2", "tic_tac_toe", trust=True)
    match = ludus.Match(load("tic_tac_toe"), 2)
    player.act(match.view(0), match.stream(0))
    assert player.thoughts is not None
    assert len(player.thoughts.actions) == 9
    with pytest.raises(ludus.errors.Mismatch, match="somebody may not know something"):
        ludus.agent(str(tmp_path / "careful.py"), "kuhn_poker", trust=True)


def test_the_bots_page_has_the_fields_of_every_game():
    page = (ROOT / "docs/bots.md").read_text(encoding="utf-8")
    for name in game_names():
        row = next(line for line in page.splitlines() if line.startswith(f"| `{name}` |"))
        fields = set(rules.field_names(load(name).state_type)) - {"players", "params"}
        assert set(re.findall(r"`(\w+)`", row)) - {name} == fields, name


def test_the_python_page_runs_from_top_to_bottom(capsys):
    scope: dict = {}
    for block in blocks("docs/python.md"):
        exec(block, scope)
    assert scope["report"].ok
    assert scope["again"].plies == 2
    assert scope["result"].agents[0].spec == "Rightmost"


def _with_params(text: str, params: str) -> str:
    """Step 5: the new top replaces the old one, and a hundred replaces ten."""
    head, _, rest = text.partition("from ludus import")
    rest = rest[rest.index("@rule\ndef to_act") :]
    for old, new in (("10 * heap", "100 * heap"), ("// 10", "// 100"), ("% 10", "% 100")):
        assert old in rest
        rest = rest.replace(old, new)
    return head + params + "\n\n" + rest


@pytest.mark.parametrize(
    ("old", "new", "sign"),
    [
        ("range(3)", "range(4)", "plain"),
        ("max_plies=15", "max_plies=4", "ends"),
    ],
)
def test_the_mistakes_of_the_table_are_found(tmp_path, old, new, sign):
    path = tmp_path / "nim_broken.py"
    path.write_text(blocks("docs/first_game.md")[0].replace(old, new))
    *_, report = check_game(str(path), matches=20)
    assert sign in {failure.check for failure in report.failures}


@pytest.mark.parametrize("page", ["README.md", *(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md"))])
def test_links_lead_somewhere(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#]+)\)", text):
        if "://" not in target:
            assert ((ROOT / page).parent / target).exists(), f"{page}: {target}"
