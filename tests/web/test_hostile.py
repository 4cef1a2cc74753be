"""Clients that mean no good, or are broken: a clear refusal, never a failure of the server, and nothing given away."""

from __future__ import annotations

import json
import resource
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from starlette.websockets import WebSocketDisconnect

from ludus.arena.match import Match
from ludus.catalogue import load
from ludus.errors import LudusError
from ludus.runs import SHIPPED
from ludus.web import lobby as lobby_module
from ludus.web import socket as socket_module
from ludus.web.archive import Archive
from ludus.web.guard import LOOPBACK
from ludus.web.offers import Offers
from ludus.web.visitors import Limits
from tests.web.guests import UNLIMITED, address, open_match, sitting, visiting


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    (folder / "secret.html").write_text("a secret", encoding="utf-8")
    (folder / "reports" / "deep").mkdir(parents=True)
    (folder / "reports" / "good.html").write_text("a report", encoding="utf-8")
    (folder / "reports" / "deep" / "secret.html").write_text("a secret", encoding="utf-8")
    with visiting(folder, limits=replace(UNLIMITED, messages=Limits.messages)) as client:
        yield client


# ------------------------------------------------------------------------------------------------ messages

RUBBISH = [
    "",
    "{",
    "null",
    "[]",
    "7",
    '"play"',
    "{}",
    '{"type": null}',
    '{"type": ["play"]}',
    '{"type": "destroy"}',
    '{"type": "play"}',
    '{"type": "play", "action": "0", "ply": 0}',
    '{"type": "play", "action": 0.5, "ply": 0}',
    '{"type": "play", "action": null, "ply": 0}',
    '{"type": "play", "action": {"a": 1}, "ply": 0}',
    '{"type": "play", "action": 1e999, "ply": 0}',
    '{"type": "play", "action": NaN, "ply": 0}',
    '{"type": "play", "action": 99, "ply": 0}',
    '{"type": "play", "action": -1, "ply": 0}',
    f'{{"type": "play", "action": {10**300}, "ply": 0}}',
    '{"type": "play", "action": 0, "ply": 1}',
    '{"type": "play", "action": 0, "ply": "0"}',
    '{"type": "play", "action": 0, "ply": [0]}',
    '{"type": "say"}',
    '{"type": "say", "text": 5, "ply": 0}',
    '{"type": "say", "text": "\\ud800", "ply": 0}',
    '{"type": "say", "text": "<script>", "ply": 0}',
    '{"type": "undo"}',
    '{"type": "speed"}',
    '{"type": "speed", "value": "fast"}',
    '{"type": "speed", "value": Infinity}',
    '{"type": "speed", "value": 1e9}',
    '{"type": "replace"}',
    '{"type": "replace", "seat": 1, "spec": "random"}',
    '{"type": "replace", "seat": "1", "spec": 5}',
    "[" * 3000,
    "\x00",
    "\ud83d",
]


@pytest.mark.parametrize("text", RUBBISH)
def test_rubbish_is_refused_with_a_reason_and_changes_nothing(client, text):
    opened = open_match(client, "tic_tac_toe", ["human", "random"])
    with sitting(client, address(opened, 0)) as (person,):
        person.state()
        person.socket.send_text(text.encode("utf-8", "replace").decode("utf-8", "replace"))
        assert person.refusal()
        person.say(type="play", action=4, ply=0)  # and the match goes on
        person.state(lambda state: state["ply"] == 2)


def test_bytes_are_read_as_text(client):
    opened = open_match(client, "tic_tac_toe", ["human", "human"])
    with sitting(client, address(opened, 0)) as (person,):
        person.socket.send_bytes(b"\xff\xfe")
        assert "JSON" in person.refusal()


def test_a_message_played_twice_counts_once(client):
    opened = open_match(client, "tic_tac_toe", ["human", "human"])
    with sitting(client, address(opened, 0), address(opened, 1)) as (first, second):
        for _ in range(2):
            first.say(type="play", action=4, ply=0)
        assert "moved on" in first.refusal()
        second.state(lambda state: state["ply"] == 1)
        second.say(type="play", action=4, ply=1)
        assert "not allowed" in second.refusal()
        assert client.app.state.lobby.sessions[opened["id"]].live.match.actions == [4]


@pytest.mark.parametrize(
    "message",
    [
        {"type": "play", "action": 4, "ply": 0},
        {"type": "say", "text": "b2", "ply": 0},
        {"type": "undo"},
        {"type": "hint"},
        {"type": "resign"},
        {"type": "pause"},
        {"type": "speed", "value": 20},
        {"type": "step"},
        {"type": "replace", "seat": 1, "spec": "random"},
    ],
)
def test_a_watcher_can_change_nothing(client, message):
    opened = open_match(client, "tic_tac_toe", ["human", "human"])
    with sitting(client, address(opened)) as (watcher,):
        watcher.state()
        watcher.say(**message)
        assert watcher.refusal()
    session = client.app.state.lobby.sessions[opened["id"]]
    assert (session.plies, session.over, session.paused) == (0, False, False)


def test_a_seat_acts_for_itself_alone(client):
    opened = open_match(client, "tic_tac_toe", ["human", "human"])
    with sitting(client, address(opened, 1)) as (second,):
        second.say(type="play", action=4, ply=0, seat=0, player=0)
        assert "not your turn" in second.refusal()


def test_a_message_too_long_shuts_the_door(client):
    opened = open_match(client, "tic_tac_toe", ["human", "human"])
    with sitting(client, address(opened, 0)) as (person,):
        person.socket.send_text(json.dumps({"type": "say", "text": "x" * socket_module.LONGEST, "ply": 0}))
        with pytest.raises(WebSocketDisconnect) as shut:
            person.until(lambda message: False)
        assert shut.value.code == socket_module.TOO_BIG


def test_flooding_is_refused_then_the_door_is_shut(client):
    opened = open_match(client, "tic_tac_toe", ["human", "human"])
    with sitting(client, address(opened, 0)) as (person,):
        for _ in range(300):
            person.say(type="pong")
        with pytest.raises(WebSocketDisconnect) as shut:
            person.until(lambda message: False)
        assert shut.value.code == socket_module.POLICY
        assert "a second" in person.others[0]["reason"]


def test_a_second_hint_waits_for_the_first(client):
    opened = open_match(client, "connect_four", ["human", "human"])
    with sitting(client, address(opened, 0), address(opened, 0)) as (here, there):
        here.say(type="hint")
        there.say(type="hint")
        assert here.until(lambda message: message["type"] in ("hint", "refused"))
        assert there.until(lambda message: message["type"] in ("hint", "refused"))
        assert sorted(guest.others[-1]["type"] for guest in (here, there)) == ["hint", "refused"]


# ------------------------------------------------------------------------------------------------ doors


@pytest.mark.parametrize("key", ["wrong", "%00", "%ff%fe", "é", "x" * 3000])
def test_a_wrong_key_opens_nothing(client, key):
    opened = open_match(client, "tic_tac_toe", ["human", "human"])
    with sitting(client, address(opened) + f"?key={key}") as (stranger,):
        assert "key" in stranger.refusal()
        with pytest.raises(WebSocketDisconnect):
            stranger.hear()
        assert stranger.frames == []


def test_an_unknown_match_says_so(client):
    with sitting(client, "/ws/match/nothing") as (stranger,):
        assert "no such match" in stranger.refusal()


def test_the_key_of_another_match_opens_nothing(client):
    one, other = (open_match(client, "tic_tac_toe", ["human", "human"]) for _ in range(2))
    foreign = address(one) + "?" + address(other, 0).partition("?")[2]
    with sitting(client, foreign) as (stranger,):
        assert "key" in stranger.refusal()


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://testserver.evil.example", "http://[", ""])
def test_a_foreign_page_can_neither_connect_nor_open(client, origin):
    opened = open_match(client, "tic_tac_toe", ["human", "human"])
    with (
        pytest.raises(WebSocketDisconnect),
        client.websocket_connect(address(opened, 0), headers={"origin": origin}),
    ):
        pass
    wanted = {"game": "tic_tac_toe", "seats": ["human", "human"]}
    assert client.post("/api/matches", json=wanted, headers={"origin": origin}).status_code == 403


def test_the_own_page_may(client):
    opened = open_match(client, "tic_tac_toe", ["human", "human"])
    with client.websocket_connect(address(opened, 0), headers={"origin": "http://testserver"}) as socket:
        assert socket.receive_json()["type"] == "state"


def test_a_server_answers_to_no_name_that_it_was_not_given(tmp_path):
    with visiting(tmp_path, hosts=LOOPBACK | {"ludus.example.org"}) as client:
        for host in ("localhost:8000", "127.0.0.1:9", "[::1]:8000", "ludus.example.org", "testserver"):
            assert client.get("/api/games", headers={"host": host}).status_code == 200
        for host in ("evil.example", "localhost.evil.example:8000", "", "[", "127.0.0.1.evil.example", "10.0.0.9"):
            answer = client.get("/api/games", headers={"host": host})
            assert answer.status_code == 403
            assert "--allow-host" in answer.json()["error"]


# ------------------------------------------------------------------------------------------------ many at once


def test_watchers_fill_a_match_and_never_keep_a_player_out(tmp_path):
    with visiting(tmp_path, limits=Limits(openings=99, watchers=2, watching=9, holders=2)) as client:
        opened = open_match(client, "tic_tac_toe", ["human", "human"])
        with sitting(client, *[address(opened)] * 3) as guests:
            guests[0].state()
            guests[1].state()
            assert "too many" in guests[2].refusal()
            with sitting(client, *[address(opened, 0)] * 3) as people:
                assert "elsewhere" in people[0].refusal()
                people[2].state()
                people[2].say(type="play", action=4, ply=0)
                people[2].state(lambda state: state["ply"] == 1)


def test_one_address_watches_so_many_matches(tmp_path):
    with visiting(tmp_path, limits=Limits(watching=1)) as client:
        opened = open_match(client, "tic_tac_toe", ["human", "random"])
        with sitting(client, *[address(opened)] * 2) as (first, second):
            first.state()
            assert "too many" in second.refusal()
        with sitting(client, address(opened), address(opened, 0)) as (again, person):
            again.state()
            person.state()


def test_one_address_opens_so_many_matches_in_a_row(tmp_path):
    with visiting(tmp_path, limits=Limits(openings=2)) as client:
        wanted = {"game": "tic_tac_toe", "seats": ["human", "human"]}
        answers = [client.post("/api/matches", json=wanted) for _ in range(3)]
        assert [answer.status_code for answer in answers] == [201, 201, 429]
        assert "wait" in answers[2].json()["error"]


def test_many_open_matches_keep_nobody_out_and_none_is_lost(tmp_path, monkeypatch):
    monkeypatch.setattr(lobby_module, "MOST_MATCHES", 2)
    with visiting(tmp_path) as client:
        first, *_ = (open_match(client, "tic_tac_toe", ["human", "human"]) for _ in range(4))
        sessions = client.app.state.lobby.sessions
        assert len(sessions) == 2
        assert first["id"] not in sessions
        assert first["id"] in [row["id"] for row in client.get("/api/matches").json()]
        with sitting(client, address(first, 0)) as (person,):  # it lay in the store
            person.state()
            person.say(type="play", action=4, ply=0)
            person.state(lambda state: state["ply"] == 1)


def test_only_matches_that_are_looked_at_fill_the_house(tmp_path, monkeypatch):
    monkeypatch.setattr(lobby_module, "MOST_MATCHES", 1)
    with visiting(tmp_path) as client:
        opened = open_match(client, "tic_tac_toe", ["human", "human"])
        with sitting(client, address(opened, 0)) as (person,):
            person.state()
            full = client.post("/api/matches", json={"game": "tic_tac_toe", "seats": ["human", "human"]})
            assert full.status_code == 429
            assert "1 matches" in full.json()["error"]


def test_a_match_at_which_nobody_looks_rests_and_is_put_aside(tmp_path, monkeypatch):
    with visiting(tmp_path) as client:
        lobby = client.app.state.lobby
        id = open_match(client, "breakthrough", ["random", "random"])["id"]
        assert not lobby.sessions[id].thinking
        monkeypatch.setattr(lobby_module, "IDLE", -1.0)
        client.portal.call(lobby._sweep)
        assert not lobby.sessions
        monkeypatch.undo()
        with sitting(client, f"/ws/match/{id}") as (watcher,):
            watcher.state(lambda state: state["ply"] > 0)


# ------------------------------------------------------------------------------------------------ names and paths


@pytest.mark.parametrize(
    "spec",
    [
        "../../etc/passwd",
        "/tmp/evil.py",
        "evil.py",
        "evil.py:x=1",
        "..\\evil",
        "C:\\evil.py",
        "os",
        "ludus.agents.mcts",
        "",
        " ",
        ":",
        "mcts:sims=1000000000",
        "mcts:ms=1e12",
        "mcts:ms=nan",
        "mcts:ms=inf",
        "alphabeta:table=60",
        "alphabeta:nodes=99999999999",
        "greedy:samples=1000000000",
        "greedy:by=magic",
        "neat:run=..",
        "neat:run=.",
        "neat",
        "human:x=1",
        "\ud800",
    ],
)
def test_agents_are_called_by_name_and_kept_within_measure(client, spec):
    body = json.dumps({"game": "connect_four", "seats": ["human", spec]})
    answer = client.post("/api/matches", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 422
    assert ("not by a path" if set(spec) & set("/\\") else " ") in answer.json()["error"]


def test_a_run_of_the_servers_own_folder_is_not_for_clients(client, tmp_path, monkeypatch):
    shutil.copytree(SHIPPED / "gravwell-neat", tmp_path / "private")
    monkeypatch.chdir(tmp_path)
    answer = client.post("/api/matches", json={"game": "gravwell", "seats": ["human", "neat:run=private"]})
    assert answer.status_code == 422
    assert "no run is called 'private'" in answer.json()["error"]


@pytest.mark.parametrize(
    "spec", ["tree:reading=x", "qlearning:run=gravwell-neat", "qlearning:habit=x", "champion:worlds=9999999"]
)
def test_settings_that_mean_nothing_are_refused(client, spec):
    answer = client.post("/api/matches", json={"game": "gravwell", "seats": ["human", spec]})
    assert answer.status_code == 422


@pytest.mark.parametrize(
    "game", ["../../x", "x.py", "/etc/passwd", "_gravwell_text", "games.gravwell", "", "os", "\ud800"]
)
def test_games_are_called_by_name(client, game):
    body = json.dumps({"game": game, "seats": ["human", "random"]})
    answer = client.post("/api/matches", content=body, headers={"content-type": "application/json"})
    assert answer.status_code in (404, 422)
    assert answer.json()["error"]


@pytest.mark.parametrize(
    "path",
    [
        "/reports/../secret.html",
        "/reports/..%2fsecret",
        "/reports/%2e%2e/secret",
        "/reports/..%5csecret",
        "/reports/deep/secret",
        "/reports/deep%2fsecret.html",
        "/reports//etc/passwd",
        "/reports/good.html",
        "/reports/good%00",
        "/static/../app.py",
        "/static/..%2fapp.py",
        "/static/%2e%2e/app.py",
        "/static//etc/passwd",
        "/static/..%5c..%5capp.py",
        "/static/%00",
        "/static/",
        "/match/..%2f..%2fetc",
        "/replay/..%2f..%2fstore.sqlite",
        "/api/replays/..%2f..%2fstore.sqlite",
    ],
)
def test_paths_lead_nowhere_else(client, path):
    answer = client.get(path)
    assert answer.status_code == 404
    assert "secret" not in answer.text.replace(path, "")
    assert "import " not in answer.text
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_the_report_that_is_there_is_served(client):
    assert client.get("/reports/good").text == "a report"


def test_an_error_page_quotes_nothing_that_would_run(client):
    answer = client.get("/match/<script>alert(1)</script>")
    assert answer.status_code == 404
    assert "<script" not in answer.text


# ------------------------------------------------------------------------------------------------ bodies


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b"null", b"\xff", b"[" * 5000, b'{"game": 5}', b'{"game": "tic_tac_toe", "seats": "human"}',
     b'{"game": "tic_tac_toe", "seats": ["human", null]}', b'{"game": "tic_tac_toe", "seats": []}',
     b'{"game": "tic_tac_toe", "seats": ["human", "human"], "rules": {"x": [1]}}',
     b'{"game": "tic_tac_toe", "seats": ["human", "human"], "rules": {"\\ud800": 1}}',
     b'{"game": "tic_tac_toe", "seats": ["human", "human"], "seed": 1e400}',
     b'{"game": "tic_tac_toe", "seats": ["human", "human"], "speed": NaN}'],
)  # fmt: skip
def test_bodies_that_make_no_sense_are_refused_with_a_sentence(client, body):
    answer = client.post("/api/matches", content=body, headers={"content-type": "application/json"})
    assert answer.status_code in (400, 422)
    assert answer.json()["error"]


def test_a_body_too_large_is_not_read(client):
    answer = client.post("/api/matches", content=b" " * 20_000, headers={"content-type": "application/json"})
    assert answer.status_code == 413
    assert answer.json()["error"]

    def drip():
        yield b" "

    assert client.post("/api/matches", content=drip()).status_code == 413


def test_other_methods_are_refused(client):
    for path in ("/api/games", "/api/replays", "/"):
        assert client.post(path).status_code == 405
    assert client.delete("/api/matches").status_code == 405


def test_a_store_that_is_damaged_while_serving_gives_a_sentence(tmp_path):
    with visiting(tmp_path) as client:
        for _ in range(50):  # what the server itself writes at that moment may mend the file
            for file in Path(tmp_path).glob("store.sqlite*"):
                file.unlink(missing_ok=True)
            (tmp_path / "store.sqlite").write_bytes(b"no database at all, but long enough to look at" * 100)
            answer = client.get("/api/replays")
            if answer.status_code != 200:
                break
        assert answer.status_code == 422
        assert "store" in answer.json()["error"]


def test_a_full_disk_keeps_the_matches_that_are_there(tmp_path):
    archive = Archive(Offers(), tmp_path / "store.sqlite", tmp_path)
    match = Match(load("tic_tac_toe"), 2)
    match.forfeit(0, "resigned")
    archive.keep("0" * 12, match.record(["human", "random"]))
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))
    try:
        with pytest.raises(LudusError, match=r"store\.sqlite"):
            archive.keep("1" * 12, match.record(["human", "random"]))
        with pytest.raises(LudusError, match=r"store\.sqlite"):
            archive.keep_live({"2" * 12: {"record": {}}})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert [row["id"] for row in archive.replays()] == ["0" * 12]
