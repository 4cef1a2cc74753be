"""Commands of the Planet Wars contest: an agent as a program, playbacks."""

from __future__ import annotations

import io
import json

import pytest

from ludus import agent, load
from ludus.cli.bot import talk
from ludus.rng import stream
from ludus.web.archive import Archive
from ludus.web.offers import Offers

GAME = load("planet_wars")
TURN = "P 0 0 1 60 5\nP 6 0 2 40 3\nP 3 4 0 5 2\ngo\n"


@pytest.fixture
def ludus(command_line):
    return command_line


def answers(spec: str, heard: str) -> list[list[str]]:
    said = io.StringIO()
    talk(GAME, agent(spec, GAME), GAME.rule_values(), io.StringIO(heard), said, stream(1))
    return [turn.splitlines() for turn in said.getvalue().removesuffix("go\n").split("go\n")] if heard else []


def test_a_bot_answers_every_turn_with_orders_and_go():
    assert answers("rage", TURN + TURN.replace("go", "GO")) == [["0 1 60"], ["0 1 60"]]
    assert answers("rage", TURN.replace(" 60 ", " 6 ")) == [[]]
    assert answers("rage", "") == []


def test_a_bot_that_owns_nothing_says_go():
    assert answers("rage", "P 0 0 0 60 5\nP 6 0 2 40 3\ngo\n") == [[]]


def test_any_agent_is_a_bot():
    (orders,) = answers("mcts:sims=20", TURN)
    assert all(len(order.split()) == 3 for order in orders)


def test_the_bot_command_refuses_games_without_a_protocol(ludus):
    code, _, err = ludus("bot", "tic_tac_toe", "random")
    assert code == 2
    assert "tic_tac_toe has no protocol for programs" in err


def test_a_match_is_exported_and_replayed(ludus, tmp_path):
    records, text, again = tmp_path / "m.jsonl", tmp_path / "p.txt", tmp_path / "again.jsonl"
    short = ("--rule", "turns=12")
    assert ludus("match", "planet_wars", "rage", "dual", "--games", "2", *short, "--records", str(records))[0] == 0
    assert ludus("replay", str(records), "--json")[1] == '{"matches": 2, "equal": "all"}\n'
    code, out, _ = ludus("export", str(records), "--match", "2", "--out", str(text), "--json")
    assert code == 0
    assert json.loads(out)["playback"] + "\n" == text.read_text()
    code, out, _ = ludus("replay", str(text), "--orders", *short, "--records", str(again), "--json")
    assert code == 0
    assert json.loads(out)["equal"] == "every turn"
    assert ludus("export", str(again))[1] == text.read_text()
    shown = [ludus("replay", str(text), "--orders", *short, "--store", str(tmp_path / "s.sqlite")) for _ in range(2)]
    assert shown[0] == shown[1], "the same match is kept once"
    name = shown[0][1].rpartition("/")[2].strip()
    kept = Archive(Offers(), tmp_path / "s.sqlite", tmp_path)
    assert [row["id"] for row in kept.replays()] == [name]
    assert kept.playback(name).match.states[0].turn == 12


def test_bad_files_get_a_sentence(ludus, tmp_path):
    text = tmp_path / "p.txt"
    text.write_text("0,0,1,10,4:3,0,2,50,5|1.14,2.55:1.18")
    for arguments, reason in [
        (("export", str(tmp_path / "none")), "there is no file"),
        (("export", str(text)), "line 1"),
        (("replay", str(text)), "a playback string needs --orders"),
        (("replay", str(text), "--orders"), "turn 2: 1 entries are too few for 2 planets"),
    ]:
        code, _, err = ludus(*arguments)
        assert code == 2
        assert reason in err


MAP = "P 0 0 0 9 {}\nP 0 {} 1 100 5\nP 0 -9 2 100 5\n"


def test_every_map_of_a_folder_is_played_from_both_seats(ludus, tmp_path):
    for number in (2, 10, 1):
        (tmp_path / f"map{number}.txt").write_text(MAP.format(number % 6, 9))
    records = tmp_path.parent / f"{tmp_path.name}.jsonl"
    command = [
        "match", "planet_wars", "rage", "dual", "--maps", str(tmp_path), "--rule", "turns=5", "--records", str(records),
        "--json",
    ]  # fmt: skip
    code, out, _ = ludus(*command)
    assert code == 0
    assert json.loads(out)["games"] == 6
    rows = [json.loads(line) for line in records.read_text().splitlines()]
    growth = {(row["block"], row["rotation"]): row["start"]["growth"][0] for row in rows if "block" in row}
    assert growth == {(block, seat): (1, 2, 4)[block] for block in range(3) for seat in range(2)}
    cut = records.read_text()[: len(records.read_text()) // 2]
    records.write_text(cut)
    code, again, err = ludus(*command)  # goes on with what is there
    assert (code, err) == (0, "")
    assert json.loads(again) == json.loads(out)
    assert records.read_text().startswith(cut[: cut.rindex("\n") + 1])
    assert sorted(tmp_path.parent.glob(f"{tmp_path.name}*.jsonl")) == [records]


def test_a_bad_map_is_told_with_its_file_and_line(ludus, tmp_path):
    (tmp_path / "map1.txt").write_text("P 0 0 0 9 5\nP 0 nine 1 100 5\n")
    code, _, err = ludus("match", "planet_wars", "rage", "dual", "--maps", str(tmp_path))
    assert code == 2
    assert "map1.txt: line 2: a coordinate is a number" in err
    code, _, err = ludus("match", "planet_wars", "rage", "dual", "--maps", str(tmp_path / "none"))
    assert (code, err) == (2, f"ludus: there is no file or folder {tmp_path / 'none'}\n")


def test_a_tournament_plays_every_lineup_on_every_map_and_goes_on(ludus, tmp_path):
    maps = tmp_path / "maps"
    maps.mkdir()
    for number in (1, 2):
        (maps / f"map{number}.txt").write_text(MAP.format(number, 9))
    records = tmp_path / "m.jsonl"
    command = ("tournament", "planet_wars", "rage", "dual", "bully", "--maps", str(maps), "--rule", "turns=5",
               "--store", str(tmp_path / "s.sqlite"), "--records", str(records), "--json")  # fmt: skip
    code, out, err = ludus(*command)
    assert code == 0, err
    assert json.loads(out)["played"] == 3 * 2 * 2
    rows = [json.loads(line) for line in records.read_text().splitlines()]
    played = sorted((row["agents"][0], row["agents"][1], row["start"]["growth"][0]) for row in rows if "agents" in row)
    pairs = [(a, b) for a in ("bully", "dual", "rage") for b in ("bully", "dual", "rage") if a != b]
    assert played == [(*pair, growth) for pair in pairs for growth in (1, 2)]
    assert ludus(*command)[1] == out, "nothing is played twice"
    (maps / "map2.txt").write_text(MAP.format(3, 9))
    assert "the maps changed since 'planet_wars' was played" in ludus(*command)[2]
