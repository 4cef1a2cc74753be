"""The shape of the house: games stand alone, and a light command imports nothing heavy."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from ludus.catalogue import game_names

GAMES = Path(__file__).resolve().parents[1] / "src" / "ludus" / "games"
HEAVY = (
    "torch",
    "onnxruntime",
    "gymnasium",
    "pettingzoo",
    "pyspiel",
    "fastapi",
    "plotly",
    "optuna",
    "ray",
    "scipy.stats",
)


@pytest.mark.parametrize("path", sorted(GAMES.glob("*.py")), ids=lambda path: path.stem)
def test_a_game_imports_only_the_contract_and_its_own_parts(path):
    own = path.stem.lstrip("_")
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("ludus"):
            allowed = {"ludus", "ludus.rules", "ludus.errors", "ludus.rng", "ludus.shapes", "ludus.parts"}
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            parts = {node.module, *names} if node.module == "ludus.games" else {node.module}
            for part in parts - allowed - {"ludus.games"}:
                assert part.startswith("ludus.games._"), f"{path.name} imports {part}"
                kin = part.removeprefix("ludus.games._")
                assert any(kin.startswith(name) and own.startswith(name) for name in game_names()), part


def test_every_game_opens_with_its_rule_book():
    for name in game_names():
        text = (GAMES / f"{name}.py").read_text(encoding="utf-8")
        assert len(ast.get_docstring(ast.parse(text)) or "") > 250, name


def test_the_command_line_imports_nothing_heavy():
    code = f"import sys; import ludus.cli; print([name for name in {HEAVY} if name in sys.modules])"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"


def test_no_file_and_no_function_is_long():
    """Rules of games excepted: a game is read in one piece."""
    for path in sorted((GAMES.parent).rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        assert path.parent == GAMES or text.count("\n") <= 450, path
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno:
                assert node.end_lineno - node.lineno < 40, f"{path}: {node.name}"
