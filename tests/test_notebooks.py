"""The notebooks of the docs run from top to bottom, and things show themselves there."""

from __future__ import annotations

from pathlib import Path

import pytest

import ludus
from ludus.arena.schedule import make_schedule
from ludus.arena.tournament import Tournament
from ludus.records import Store
from ludus.runs import RunFolder
from tests.playtest.small import random_only

BOOKS = Path(__file__).resolve().parents[1] / "docs" / "notebooks"


@pytest.mark.parametrize("path", sorted(BOOKS.glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_notebook_runs(path, tmp_path, monkeypatch):
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")
    book = nbformat.read(path, 4)
    client = nbclient.NotebookClient(
        book, timeout=600, startup_timeout=600, resources={"metadata": {"path": str(tmp_path)}}
    )
    client.execute()
    shown = [kind for cell in book.cells for output in cell.get("outputs", []) for kind in output.get("data", {})]
    assert {"image/svg+xml", "text/html"} & set(shown)


def test_games_matches_and_results_show_themselves():
    game = ludus.load("tic_tac_toe")
    match = ludus.Match(game, 2)
    for shown in (game._repr_svg_(), match._repr_svg_(), match.view(0)._repr_svg_()):
        assert shown.startswith("<svg")
    result = ludus.play("tic_tac_toe", "random", "random", games=4)
    assert "<table>" in result._repr_html_()
    assert "random" in result._repr_html_()


def test_tournaments_and_playtests_show_themselves(tmp_path):
    with Store(tmp_path / "s.sqlite") as store:
        schedule = make_schedule("tic_tac_toe", ["random", "greedy"], "default", {}, blocks=2)
        tournament = Tournament(schedule, store)
        found = tournament.run()
        assert tournament._repr_html_() == found._repr_html_()
        assert "<td style='text-align:left'>greedy</td>" in found._repr_html_()
    shown = random_only("tic_tac_toe")._repr_html_()
    assert "Cut off at the limit" in shown
    assert "0.0 % [0.0, " in shown


def test_a_match_shows_what_everybody_may_see():
    deals = [ludus.Match(ludus.load("kuhn_poker"), 2, seed=seed) for seed in range(6)]
    assert len({match.states.tobytes() for match in deals}) > 1
    assert len({match._repr_svg_() for match in deals}) == 1


def test_a_run_shows_its_curve(tmp_path):
    (tmp_path / "settings.json").write_text('{"method":"qlearning","game":"tic_tac_toe","version":"1","settings":{}}')
    (tmp_path / "log.csv").write_text("iteration,win_rate\n1,0.5\n2,0.75\n")
    assert "<svg" in RunFolder(tmp_path)._repr_html_()
