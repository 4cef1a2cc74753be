"""The reproduction of the Thrones paper: verdicts follow numbers, and a tiny run writes its page."""

from __future__ import annotations

import json

import pytest

from ludus.catalogue import load
from ludus.papers.claims import Verdict
from ludus.papers.experiments import Measured, Scale
from ludus.papers.reproduction import reproduce
from ludus.papers.thrones import judgements, lineups, paper
from ludus.papers.thrones.duels import BOTH, LARGE, SMALL, duel, play, summed
from ludus.workers import Threads


def seat(wins: int, games: int = 200, won: str = "area", lost: str = "area") -> dict:
    return {"games": games, "wins": wins, "draws": 0, "plies": 100 * games, "area": 50 * games, "rival": 20 * games,
            "won": {won: wins}, "lost": {lost: games - wins}}  # fmt: skip


def results(share: float, ending: str = "area") -> Measured:
    found = Measured()
    for bot in ("bot1", "bot2", "evolved"):
        for preset in BOTH:
            for rival in lineups.RIVALS:
                one = seat(round(200 * share), won=ending, lost=ending)
                found.found[f"{bot}-{preset}-{rival}"] = {"games": 400, "seats": [one, one]}
    return found


@pytest.mark.parametrize(("share", "verdict"), [(0.99, Verdict.REPRODUCED), (0.5, Verdict.NOT_REPRODUCED)])
def test_weak_rivals_are_always_beaten_or_not(share, verdict):
    found = {one.claim.key: one for one in judgements.claims(results(share))}
    assert found["bot1-weak-rivals"].verdict is verdict
    assert found["bot1-ahead"].verdict is Verdict.NOT_REPRODUCED, "both bots alike"
    assert found["timid"].verdict is Verdict.NOT_MEASURED


def test_a_published_cell_has_the_interval_of_its_five_games():
    cell = judgements.published_cells(results(0.99), "bot 1", LARGE)["bot 1, first"]["Rand"]
    assert cell.published.games == 5
    assert cell.published.low < 0.6
    assert cell.judgement[0] is Verdict.REPRODUCED
    far = judgements.published_cells(results(0.05), "bot 1", LARGE)["bot 1, first"]["Rand"]
    assert far.judgement[0] is Verdict.NOT_REPRODUCED


def test_what_decides_is_read_off_the_endings():
    found = results(0.9, "trail")
    assert judgements.endings(found, SMALL)["trail"] == 2 * 5 * 2 * 200
    assert judgements.deciding(found)[1][0] is Verdict.NOT_REPRODUCED, "kills decide in the large room, too"


@pytest.mark.parametrize(("taker", "verdict"), [(1, Verdict.REPRODUCED), (0, Verdict.NOT_REPRODUCED)])
def test_a_head_taken_from_the_wrong_seat_would_break_the_law(taker, verdict):
    found = Measured()
    rows = [seat(100, won="head" if taker == 0 else "area", lost="area"), seat(100, won="head" if taker else "area")]
    found.found[f"bot1-{SMALL}-rand"] = {"games": 400, "seats": rows}
    assert judgements.heads(found).verdict is verdict


@pytest.mark.parametrize(("ending", "verdict"), [("area", Verdict.REACHED), ("head", Verdict.NOT_REACHED)])
def test_a_champion_that_loses_its_head_is_told(ending, verdict):
    found = Measured()
    for preset in BOTH:
        for name in lineups.SEVEN:
            found.found[f"champion-{preset}-{name}"] = {"games": 400, "seats": 2 * [seat(150, lost=ending)]}
    assert {one.claim.key: one.verdict for one in judgements.champion(found)}["champion-head"] is verdict


@pytest.mark.parametrize(
    ("rooms", "hunted", "verdict"),
    [(BOTH, 4, Verdict.REACHED), ((SMALL,), 4, Verdict.NOT_REACHED), ((SMALL,), 12, Verdict.REACHED)],
)
def test_searchers_are_judged_over_the_rooms_that_were_played(rooms, hunted, verdict):
    found = Measured()
    for preset in rooms:
        for name in lineups.SEARCHERS.values():
            seats = [seat(hunted if preset == SMALL else 20, 20), seat(20, 20)]
            found.found[f"champion-{preset}-{name}"] = {"games": 40, "seats": seats}
    judged = {one.claim.key: one for one in judgements.champion(found)}["champion-search"]
    assert judged.verdict is verdict
    assert len(judged.measures) == 4 * len(rooms)


def test_cells_of_the_rivals_know_how_many_matches_they_rest_on():
    found = Measured()
    for spec in lineups.KNOWN[SMALL]:
        for rival in lineups.RIVALS:
            found.found[f"ladder-{SMALL}-{spec}-{rival}"] = {"games": 400, "seats": [seat(100), seat(100)]}
    cells = judgements.known_cells(found, SMALL)
    assert cells["Attack, first"]["Rand"].published.games == 50
    assert cells["Attack, first"]["TA1"].published.games == cells["TA2, second"]["Rand"].published.games == 30


@pytest.mark.parametrize(
    ("cell", "won", "games"),
    [
        (("attack", "safe", 0), 30, 50),
        (("safe", "attack", 1), 26, 50),
        (("ta1", "ta2", 0), 10, 30),
        (("ta1", "attack", 0), 5, 30),
        (("safe", "rand", 1), 49, 50),
    ],
)
def test_matches_of_the_independent_program(cell, won, games):
    assert lineups.known(SMALL, *cell) == (pytest.approx(won, abs=0.5), games)


def test_a_pair_that_the_independent_program_turned_round_is_turned_round_here():
    found = Measured()
    found.found[f"ladder-{SMALL}-ta1-attack"] = {"games": 80, "seats": [seat(10, 40), seat(40, 40)]}
    assert judgements.ladder_rate(found, SMALL, "attack", "ta1", 1).value == pytest.approx(0.75)
    assert judgements.ladder_rate(found, SMALL, "attack", "ta1", 0).value == 0
    assert not [one for one in lineups.ladder(Scale("quick"), 1, Threads(1)) if one.name.endswith("attack-ta1")]


def test_players_keep_their_corner_whoever_begins():
    """X, who owns the top left corner, leaves it first or second."""
    game = load("thrones")
    won = [play(("bot1:run=thrones-bot1-small", "rand"), game.rule_values(SMALL), 3, turn, 0, 4) for turn in (0, 1)]
    assert [one["wins"] for one in won] == [4, 4]


def test_seats_are_summed():
    assert summed([seat(3, 5), seat(1, 5)])["won"] == {"area": 4}


def test_a_duel_is_the_same_on_any_number_of_threads():
    one, two = (duel("x", ("rand", "safe"), SMALL, 60, 3, Threads(n)).run(lambda done: None) for n in (1, 2))
    assert one == two
    assert [row["games"] for row in one["seats"]] == [60, 60]


def test_a_tiny_run_writes_page_and_numbers(tmp_path, monkeypatch):
    one = duel(f"bot1-{SMALL}-rand", (lineups.BOT1[SMALL], "rand"), SMALL, 4, 1, Threads(1))
    monkeypatch.setattr(lineups, "table", lambda *given: [one])
    for name in ("ladder", "champion", "readings", "territory"):
        monkeypatch.setattr(lineups, name, lambda *given: [])
    monkeypatch.setattr(lineups, "evolution", lambda *given: one)
    monkeypatch.setattr(lineups, "cost", lambda seed: one)
    reproduce("thrones", Scale("tiny", share=0.02), 1, tmp_path, Threads(2))
    numbers = json.loads((tmp_path / "thrones.json").read_text())
    verdicts = {claim["key"]: claim["verdict"] for claim in numbers["claims"]}
    assert verdicts["parity"] == "reproduced"
    assert verdicts["again"] == "reached"
    assert verdicts["caught"] == "reproduced"
    assert verdicts["champion-other"] == "not measured"
    assert paper.TITLE in (tmp_path / "thrones.html").read_text()
