"""The page as a program sees it: lobby, live matches, replays, tournaments, reports."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ludus import kernels
from ludus.agents.random_choice import RandomChoice
from ludus.arena.match import replay
from ludus.arena.schedule import make_schedule
from ludus.arena.standings import kept_standings
from ludus.arena.tournament import Tournament
from ludus.catalogue import game_names, load
from ludus.draw import picture
from ludus.errors import BadInput
from ludus.game import View
from ludus.games._gravwell_text import CARDS, CHOOSE, PICKS
from ludus.records import Store
from ludus.rng import match_words, stream
from ludus.web import archive as archive_module
from ludus.web import lobby as lobby_module
from ludus.web.archive import PAGE
from ludus.web.frames import described_actions
from tests.web.guests import address, open_match, sitting, visiting

TAKE = Path(__file__).parents[1] / "example_games" / "take.py"
HOSTILE = Path(__file__).parents[1] / "arena" / "hostile_agent.py"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("page")


@pytest.fixture(scope="module")
def client(folder):
    with visiting(folder) as client:
        yield client


def play_out(guest) -> dict:
    """Always the first action, until the match is over and kept."""
    done = -1
    while True:
        state = guest.state()
        if state["id_replay"]:
            return state
        if state["your_turn"] and state["ply"] > done:
            done = state["ply"]
            guest.say(type="play", action=state["actions"][0]["action"], ply=done)


# ------------------------------------------------------------------------------------------------ the lobby


def test_all_games_are_offered_with_what_the_lobby_needs(client):
    offered = {row["name"]: row for row in client.get("/api/games").json()}
    assert sorted(offered) == game_names()
    gravwell = offered["gravwell"]
    assert (gravwell["players"], gravwell["hidden"], gravwell["simultaneous"]) == ([2, 4], True, True)
    assert gravwell["presets"][0] == "default"
    params = {param["name"]: param for param in gravwell["params"]}
    assert params["draft"]["choices"] == ["farthest", "clockwise", "neural"]
    assert (params["gate"]["default"], params["gate"]["low"], params["gate"]["high"]) == (54, 10, 99)
    assert params["gate"]["choices"] is None


@pytest.mark.parametrize("name", game_names())
def test_every_agent_on_the_ladder_can_be_played_against(client, name):
    rungs = client.get(f"/api/games/{name}/agents").json()
    specs = [rung["spec"] for rung in rungs]
    assert specs[0] == "random"
    assert ("alphabeta" in specs) == (name not in ("kuhn_poker", "goofspiel", "gravwell", "planet_wars"))
    assert all(rung["help"] and rung["label"] and rung["strength"] for rung in rungs)
    players = load(name).facts.players[0]
    for spec in specs[:3] + specs[-2:]:
        open_match(client, name, ["human", *[spec] * (players - 1)])


def test_scripted_and_trained_agents_are_on_the_ladder(client):
    specs = [rung["spec"] for rung in client.get("/api/games/gravwell/agents").json()]
    assert {"champion", "tree", "neat:run=gravwell-neat"} <= set(specs)


def test_who_opens_a_match_gets_the_own_key_and_an_invitation_for_each_other_person(client):
    wanted = {"game": "gravwell", "seats": ["human", "random", "human"], "players": 3, "speed": 0.1}
    seats = client.post("/api/matches", json=wanted).json()["seats"]
    kinds = [(seat["seat"], seat["kind"], "link" in seat, "invitation" in seat) for seat in seats]
    assert kinds == [(0, "human", True, False), (1, "agent", False, False), (2, "human", False, True)]
    opened = open_match(client, **wanted)
    assert opened["seats"][1]["spec"] == "random"
    links = {seat["link"] for seat in opened["seats"] if "link" in seat}
    assert len(links) == 2
    assert client.get(opened["watch"]).status_code == 200
    assert all(client.get(link).status_code == 200 for link in links)
    (row,) = [row for row in client.get("/api/matches").json() if row["id"] == opened["id"]]
    assert (row["game"], row["players"], row["plies"], row["over"], row["watchers"]) == ("gravwell", 3, 0, False, 0)
    keys = [link.partition("key=")[2] for link in links]
    assert not any(key in client.get("/api/matches").text for key in keys)


@pytest.mark.parametrize(
    ("change", "status", "words", "suggestion"),
    [
        ({"game": "conect_four"}, 404, "conect_four", "connect_four"),
        ({"seats": ["human", "mtcs"]}, 422, "mtcs", "mcts"),
        ({"seats": ["human", "mcts:sim=3"]}, 422, "did you mean sims", None),
        ({"seats": ["human", "mcts:sims=many"]}, 422, "whole number", None),
        ({"seats": ["human", "tree"]}, 422, "no agent is called 'tree'", None),
        ({"preset": "larg"}, 422, "preset", None),
        ({"rules": {"row": 5}}, 422, "row", "rows"),
        ({"rules": {"rows": 50}}, 422, "must lie in", None),
        ({"rules": {"rows": "many"}}, 422, "whole number", None),
        ({"seats": ["human"] * 3}, 422, "2 players", None),
        ({"players": 3}, 422, "3 seats", None),
        ({"speed": 100}, 422, "speed", None),
        ({"seed": -1}, 422, "seed", None),
        ({"sead": 1}, 422, "sead", None),
    ],
)
def test_what_cannot_be_opened_is_refused_with_a_sentence(client, change, status, words, suggestion):
    wanted = {"game": "connect_four", "seats": ["human", "random"]} | change
    answer = client.post("/api/matches", json=wanted)
    assert answer.status_code == status
    assert words in answer.json()["error"]
    assert suggestion is None or suggestion in answer.json()["suggestions"]


def test_rules_presets_and_seeds_are_obeyed(client):
    seats = ["human", "human"]
    small = open_match(client, "breakthrough", seats, preset="4x4")
    rows = open_match(client, "breakthrough", seats, rules={"rows": "5"})
    same = [open_match(client, "gravwell", seats, seed=7) for _ in range(2)]
    sessions = client.app.state.lobby.sessions
    assert sessions[small["id"]].live.match.values == {"rows": 4, "columns": 4}
    assert sessions[rows["id"]].live.match.values == {"rows": 5, "columns": 8}
    assert len({sessions[opened["id"]].live.match.states.tobytes() for opened in same}) == 1
    luck = [open_match(client, "gravwell", seats)["id"] for _ in range(2)]
    assert len({sessions[id].live.match.states.tobytes() for id in luck}) == 2


# ------------------------------------------------------------------------------------------------ live matches


@pytest.mark.parametrize("name", game_names())
def test_a_person_plays_every_game_to_its_end_and_finds_the_replay(client, folder, name):
    short = {"gravwell": {"rounds": 1}, "planet_wars": {"turns": 5}, "thrones": {"cap": 20}, "pivit": {"board": "6x6"}}
    opened = open_match(client, name, ["human", "random"], rules=short.get(name, {}), seed=1)
    with sitting(client, address(opened, 0)) as (person,):
        if name in ("pivit", "organism"):  # which the first action never ends
            for _ in range(3):
                state = person.state(lambda state: state["your_turn"] or state["over"])
                person.say(type="play", action=state["actions"][0]["action"], ply=state["ply"])
            person.say(type="resign")
        end = play_out(person)
    assert end["seat"] == 0
    assert end["outcome_text"]
    told = client.get(f"/api/replays/{end['id_replay']}").json()
    assert (told["game"], told["agents"], told["plies"]) == (name, ["human", "random"], end["ply"])
    assert [move["text"] for move in told["moves"]] == [move["text"] for move in end["moves"]]
    for ply in {0, end["ply"] // 2, end["ply"]}:
        frame = client.get(f"/api/replays/{end['id_replay']}/frames/{ply}").json()
        assert frame["svg"].startswith("<svg")
    chances = client.get(f"/api/replays/{end['id_replay']}/chances").json()["chances"]
    assert len(chances) == end["ply"] + 1
    assert chances[-1]["shares"] == pytest.approx(told["shares"])
    assert sum(chances[0]["shares"]) == pytest.approx(1, abs=0.01)
    assert client.get(f"/replay/{end['id_replay']}").status_code == 200
    with Store(folder / "store.sqlite") as store:
        record = dict(store.matches(PAGE))[int(end["id_replay"], 16), 0, 0]
    assert replay(record).plies == end["ply"]


def test_agents_play_each_other_at_the_pace_that_is_asked_for(client):
    opened = open_match(client, "connect_four", ["mcts:sims=20", "random"], speed=20)
    with sitting(client, address(opened)) as (watcher,):
        start = watcher.state()
        assert (start["seat"], start["actions"], start["can_control"]) == (-1, [], True)
        watcher.say(type="pause")
        paused = watcher.state(lambda state: state["paused"])
        watcher.say(type="step")
        stepped = watcher.state(lambda state: state["ply"] == paused["ply"] + 1)
        assert stepped["paused"]
        watcher.say(type="speed", value=15)
        watcher.say(type="resume")
        end = watcher.state(lambda state: state["over"])
        assert end["speed"] == 15
        assert end["chances"][-1]["shares"] in ([0, 1], [1, 0], [0.5, 0.5])
    assert any(frame["thoughts"] for frame in watcher.frames)


def test_chances_are_reckoned_while_somebody_watches(client):
    opened = open_match(client, "connect_four", ["human", "random"])
    with sitting(client, address(opened, 0)) as (person,):
        state = person.state(lambda state: state["chances"][-1] is not None)
    chances = state["chances"][-1]
    assert sum(chances["shares"]) == pytest.approx(1)
    assert chances["low"][0] < chances["shares"][0] < chances["high"][0]


def test_undo_hint_and_words(client):
    opened = open_match(client, "connect_four", ["human", "random"])
    with sitting(client, address(opened, 0)) as (person,):
        person.state()
        person.say(type="hint")
        hint = person.until(lambda message: message["type"] == "hint")
        assert hint["text"] == str(hint["action"] + 1)
        assert hint["clicks"]
        assert -1 <= hint["value"] <= 1
        person.say(type="say", text="4", ply=0)
        person.state(lambda state: state["ply"] == 2 and state["can_undo"])
        person.say(type="undo")
        state = person.state(lambda state: state["ply"] == 0)
        assert state["moves"] == []


def test_a_match_goes_on_after_a_reload_and_a_finished_one_leads_to_its_replay(client):
    opened = open_match(client, "connect_four", ["human", "human"])
    with sitting(client, address(opened, 0), address(opened, 1)) as (first, second):
        first.state()
        first.say(type="play", action=3, ply=0)
        second.state(lambda state: state["ply"] == 1)
    with sitting(client, address(opened, 1)) as (second,):
        state = second.state()
        assert (state["ply"], state["your_turn"]) == (1, True)
        second.say(type="resign")
        end = second.state(lambda state: state["id_replay"])
    lobby = client.app.state.lobby
    client.portal.call(lobby._put_aside, lobby.sessions[opened["id"]])
    gone = client.get(opened["watch"], follow_redirects=False)
    assert gone.headers["location"] == f"/replay/{end['id_replay']}"


# ------------------------------------------------------------------------------------------------ nothing leaks


def test_no_frame_of_a_whole_match_tells_what_its_viewer_may_not_know(client):
    """Two people play Gravwell. Every frame is made again from a world that the viewer could not tell from the true
    one: the hidden cards are dealt anew, masked, drawn. It comes out the same."""
    game = load("gravwell")
    opened = open_match(client, "gravwell", ["human", "human"], seed=11, rules={"rounds": 2})
    chooser, rng = RandomChoice(), stream(5)
    chooser.prepare(game)
    session = client.app.state.lobby.sessions[opened["id"]]
    with sitting(client, address(opened, 0), address(opened, 1), address(opened)) as guests:
        while not session.over:
            ply, acting = session.live.match.plies, session.live.match.acting
            for seat in acting:
                state = guests[seat].now(lambda state, ply=ply: state["your_turn"] and state["ply"] == ply)
                view = View(game, session.live.match.states, seat)
                assert [row["action"] for row in state["actions"]] == view.legal.tolist()
                guests[seat].say(type="play", action=chooser.act(view, rng), ply=ply)
            for guest in guests:
                guest.state(lambda state, ply=ply: state["ply"] > ply)
        record = session.live.record()
    worlds = {ply: replay(record, steps=ply, game=game).states for ply in range(record.plies + 1)}
    checked = 0
    for guest, seat in zip(guests, (0, 1, -1)):
        for frame in guest.frames:
            if not frame["over"]:
                checked += 1
                view = other_world(game, worlds[frame["ply"]], seat, rng)
                before = other_world(game, worlds[frame["ply"] - 1], seat, rng) if frame["ply"] else None
                assert frame["svg"] == picture(view, before, frame["your_turn"])
                assert frame["actions"] == (described_actions(view) if frame["your_turn"] else [])
                assert frame["chances"] is None
                for move, action in zip(frame["moves"], record.actions):
                    earlier = other_world(game, worlds[move["ply"]], seat, rng)
                    assert move["text"] == game.action_text(earlier.state, move["player"], action)
        assert not any(frame["thoughts"] for frame in guest.frames if seat >= 0 or not frame["over"])
    assert checked > 100


def other_world(game, states, seat: int, rng) -> View:
    """What the viewer sees in a world that is guessed from its view alone."""
    if seat < 0:
        view = View.public(game, states)
        guess = view.states.copy()
        game.kernel(kernels.guess_worlds)(guess, np.array([0]), rng.reshape(1, 1))
        return View.public(game, guess)
    guess = View(game, states, seat).states
    game.kernel(kernels.guess_worlds)(guess, np.array([seat]), rng.reshape(1, 1))
    return View(game, guess, seat)


def test_two_matches_that_differ_in_a_rivals_card_look_the_same_until_it_is_played(client):
    """The same match twice; in one of them a card of player 2 that nobody has seen is exchanged for one out of play."""
    plain, swapped = (frames_of_a_round(client, swap) for swap in (False, True))
    assert len(plain) > 20
    assert plain == swapped


def frames_of_a_round(client, swap: bool) -> list[dict]:
    """What player 1 and a watcher see until only secret cards are left to player 2."""
    opened = open_match(client, "gravwell", ["human", "human"], seed=3)
    session = client.app.state.lobby.sessions[opened["id"]]
    state = session.live.match.states[0]
    seen: list[dict] = []
    with sitting(client, address(opened, 0), address(opened, 1), address(opened)) as guests:
        while state.turn_no < PICKS:
            if swap and state.phase == CHOOSE:
                swap_a_secret_card(state)
                swap = False
            ply = session.live.match.plies
            for seat in session.live.match.acting:
                menu = session.live.match.view(seat).legal
                known = [a for a in menu if state.phase != CHOOSE or seat == 0 or int(state.shown) >> a & 1]
                guests[seat].say(type="play", action=int(known[0]), ply=ply)
            for guest in guests:
                guest.state(lambda frame, ply=ply: frame["ply"] > ply)
            seen += [guests[0].frames[-1], guests[2].frames[-1]]
    return seen


def swap_a_secret_card(state) -> None:
    secrets = int(state.hand[1] & ~state.shown)
    known = int(state.hand[0] | state.hand[1] | state.shown)
    unused = next(card for card in range(CARDS) if not known >> card & 1)
    state.hand[1] ^= secrets & -secrets | 1 << unused


# ------------------------------------------------------------------------------------------------ the user's own files


@pytest.fixture
def own(tmp_path):
    with visiting(tmp_path, games=[TAKE], agents=[HOSTILE]) as client:
        yield client


def test_games_and_agents_of_the_command_line_are_offered_by_name(own):
    assert "take" in [row["name"] for row in own.get("/api/games").json()]
    assert "hostile_agent" in [rung["spec"] for rung in own.get("/api/games/take/agents").json()]
    opened = open_match(own, "take", ["human", "random"])
    with sitting(own, address(opened, 0)) as (person,):
        end = play_out(person)
    assert own.get(f"/api/replays/{end['id_replay']}").json()["game"] == "take"
    assert [row["game"] for row in own.get("/api/replays").json()] == ["take"]


def test_a_crashing_agent_is_replaced_and_the_match_goes_on(own):
    opened = open_match(own, "tic_tac_toe", ["human", "hostile_agent:how=die"])
    with sitting(own, address(opened, 0)) as (person,):
        person.state()
        person.say(type="play", action=0, ply=0)
        fault = person.state(lambda state: state["fault"])["fault"]
        assert fault["seat"] == 1
        assert "exit code 7" in fault["reason"]
        person.say(type="replace", seat=1, spec="nobody")
        assert "nobody" in person.refusal()
        person.say(type="replace", seat=1, spec="human")
        assert "agent" in person.refusal()
        person.say(type="replace", seat=1, spec="random")
        state = person.state(lambda state: state["your_turn"])
        assert state["header"]["seats"][1]["name"] == "random"
    assert any(message["type"] == "notice" for message in person.others)


def test_a_failed_agent_that_nobody_replaces_loses(own, monkeypatch):
    monkeypatch.setattr(lobby_module, "GRACE", 0.05)
    opened = open_match(own, "tic_tac_toe", ["human", "hostile_agent:how=raise"])
    with sitting(own, address(opened, 0)) as (person,):
        person.say(type="play", action=0, ply=0)
        end = person.state(lambda state: state["over"])
    assert end["returns"] == [1.0, -1.0]
    assert "player 2 loses by exception" in end["outcome_text"]


def test_a_stalling_agent_runs_out_of_time(own, monkeypatch):
    monkeypatch.setattr(lobby_module, "CLOCK", 0.2)
    opened = open_match(own, "tic_tac_toe", ["human", "hostile_agent:how=sleep"])
    with sitting(own, address(opened, 0)) as (person,):
        person.say(type="play", action=0, ply=0)
        fault = person.state(lambda state: state["fault"])["fault"]
    assert "0.2 s" in fault["reason"]


def test_files_that_are_not_there_are_refused_at_once(tmp_path):
    for options in ({"games": [tmp_path / "no.py"]}, {"agents": [tmp_path / "no.py"]}):
        with pytest.raises(BadInput, match="no file"), visiting(tmp_path, **options):
            pass


# ------------------------------------------------------------------------------------------------ what is kept


def test_tournaments_have_standings_with_intervals(tmp_path):
    with visiting(tmp_path) as client:
        assert client.get("/api/tournaments").json() == []
        with Store(tmp_path / "store.sqlite") as store:
            plan = make_schedule("tic_tac_toe", ["random", "mcts:sims=20"], "default", {}, blocks=10)
            Tournament(plan, store, "cup/2 of spring").run()
        (cup,) = client.get("/api/tournaments").json()
        assert (cup["name"], cup["game"], cup["players"], cup["matches"]) == ("cup/2 of spring", "tic_tac_toe", 2, 20)
        shown = client.get("/api/tournaments/cup%2F2 of spring").json()
        best = shown["standings"][0]
        assert best["name"] == "mcts:sims=20"
        assert best["low"] < best["rating"] < best["high"]
        with Store(tmp_path / "store.sqlite") as store:
            printed = kept_standings(store, "cup/2 of spring")
        assert shown["pairs"] == printed["pairs"]  # page and command line say the same
        assert [(pair["agent"], pair["against"]) for pair in shown["pairs"]] == [
            ("random", "mcts:sims=20"),
            ("mcts:sims=20", "random"),
        ]
        assert all(pair["low"] <= pair["value"] <= pair["high"] for pair in shown["pairs"])
        assert client.get("/tournaments/cup%2F2 of spring").status_code == 200
        lost = client.get("/api/tournaments/cup%2F2 of sprin")
        assert (lost.status_code, lost.json()["suggestions"]) == (404, ["cup/2 of spring"])
        rows = client.get("/api/replays?limit=5").json()
        assert len(rows) == 5
        told = client.get(f"/api/replays/{rows[0]['id'].replace('/', '%2F')}").json()
        assert told["plies"] == rows[0]["plies"]
        assert client.get(f"/replay/{rows[0]['id']}").status_code == 200


def test_matches_of_a_tournament_are_found_by_agent_result_and_outcome(tmp_path, monkeypatch):
    with visiting(tmp_path) as client:
        with Store(tmp_path / "store.sqlite") as store:
            agents = ["random", "greedy", "mcts:sims=10"]
            Tournament(make_schedule("tic_tac_toe", agents, "default", {}, blocks=4), store, "cup").run()
        everything = pages_of(client, {})
        assert len(everything) == 24
        of_greedy = pages_of(client, {"agent": "greedy", "against": "random"})
        assert len(of_greedy) == 8
        assert all({"greedy", "random"} == set(row["agents"]) for row in of_greedy)
        results = [pages_of(client, {"agent": "greedy", "result": result}) for result in ("won", "drew", "lost")]
        assert sum(map(len, results)) == 16
        for row in results[0]:
            assert row["returns"][row["agents"].index("greedy")] == 1
        assert pages_of(client, {"outcome": "crash"}) == []
        monkeypatch.setattr(archive_module, "BLOCKS", 1)
        assert pages_of(client, {"outcome": "finished"}) == everything
        assert client.get(f"/replay/{everything[0]['id']}").status_code == 200
        monkeypatch.setattr(archive_module, "SEARCHING", -1.0)  # a search that must stop at once still gets on
        assert pages_of(client, {"agent": "greedy", "result": "won"}) == results[0]
        assert client.get("/api/tournaments/cup/matches?after=x").status_code == 422
        assert client.get("/api/tournaments/cap/matches").status_code == 404


def pages_of(client, search: dict) -> list[dict]:
    found, after = [], ""
    while after is not None:
        answer = client.get("/api/tournaments/cup/matches", params={**search, "after": after, "limit": 5}).json()
        found, after = found + answer["matches"], answer["next"]
    return found


def test_reports_are_listed_and_served_as_strangers(tmp_path):
    page = "<!doctype html><title>Gravwell &amp; more</title><script>1</script>"
    (tmp_path / "reports" / "gravwell").mkdir(parents=True)
    (tmp_path / "reports" / "gravwell" / "report.html").write_text(page, encoding="utf-8")
    (tmp_path / "reports" / "gravwell" / "report.json").write_text('{"game": "gravwell"}', encoding="utf-8")
    (tmp_path / "reports" / "old.html").write_text(page, encoding="utf-8")
    (tmp_path / "reports" / "notes.txt").write_text("private", encoding="utf-8")
    with visiting(tmp_path) as client:
        rows = {row["name"]: row for row in client.get("/api/reports").json()}
        assert sorted(rows) == ["gravwell", "old"]
        assert (rows["gravwell"]["game"], rows["gravwell"]["title"]) == ("gravwell", "Gravwell & more")
        answer = client.get("/reports/gravwell")
        assert answer.text == page
        assert answer.headers["content-security-policy"].startswith("sandbox allow-scripts;")
        lost = client.get("/reports/gravvell")
        assert lost.status_code == 404
        assert 'href="/reports/gravwell"' in lost.text


def test_a_replay_keeps_no_secrets_and_may_be_seen_from_a_seat(client):
    opened = open_match(client, "kuhn_poker", ["human", "random"], seed=2)
    with sitting(client, address(opened, 0)) as (person,):
        end = play_out(person)
    frames = f"/api/replays/{end['id_replay']}/frames/0"
    whole, first, second = (client.get(frames + seat).json()["svg"] for seat in ("", "?seat=0", "?seat=1"))
    states = client.app.state.lobby.sessions[end["id_replay"]].game.start(match_words(2, 0, 0, 2).reshape(1, -1), 2)
    assert len({whole, first, second, picture(View.public(load("kuhn_poker"), states))}) == 4
    assert client.get(frames + "?seat=2").status_code == 404
    assert client.get(f"/api/replays/{end['id_replay']}/frames/99").status_code == 404


# ------------------------------------------------------------------------------------------------ pages and command


def test_pages_are_served_with_strict_headers(client):
    for path in ("/", "/tournaments", "/reports", "/api/games", "/nowhere"):
        headers = client.get(path).headers
        assert "script-src 'self'" in headers["content-security-policy"]
        assert "unsafe-inline" not in headers["content-security-policy"].partition("style-src")[0]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"


def test_who_is_lost_gets_a_page_with_links(client):
    for path in ("/nowhere", "/match/nowhere", "/replay/nowhere", "/reports/nowhere"):
        answer = client.get(path)
        assert answer.status_code == 404
        assert 'href="/"' in answer.text
    assert client.get("/api/nowhere").json()["error"]


def test_the_command_serves_the_page_and_ends_when_told(tmp_path):
    code = "from ludus.cli import serve; import typer; app = typer.Typer(); app.command()(serve.command); app()"
    options = ["--port", "0", "--no-open", "--store", str(tmp_path / "s.sqlite")]
    with subprocess.Popen([sys.executable, "-c", code, *options], stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            line = server.stdout.readline()
            address = line.split()[3]
            assert address.startswith("http://127.0.0.1:")
            import httpx

            assert wait_for(lambda: httpx.get(address + "api/games").status_code) == 200
            assert httpx.get(address + "api/games", headers={"host": "evil.example"}).status_code == 403
        finally:
            server.terminate()
        assert server.wait(20) in (0, -15)


def wait_for(ask):
    import time

    import httpx

    for _ in range(100):
        try:
            return ask()
        except httpx.TransportError:
            time.sleep(0.1)
    raise AssertionError("no answer")


def test_a_taken_port_is_refused_with_a_sentence():
    from ludus.cli.serve import listen

    with listen("127.0.0.1", 0) as door, pytest.raises(BadInput, match="nothing can listen"):
        listen("127.0.0.1", door.getsockname()[1])


def test_without_the_web_packages_the_command_says_what_to_install(monkeypatch):
    from ludus.cli import serve

    monkeypatch.setitem(sys.modules, "uvicorn", None)
    with pytest.raises(BadInput, match=r"pip install 'ludus\[web\]'"):
        serve.command()


# ------------------------------------------------------------------------------------------------ after a restart


def test_live_matches_survive_a_restart(tmp_path):
    with visiting(tmp_path) as client:
        opened = open_match(client, "gravwell", ["human", "human"], rules={"rounds": 1})
        with sitting(client, address(opened, 0), address(opened, 1)) as people:
            session = client.app.state.lobby.sessions[opened["id"]]
            for _ in range(5):
                ply = session.plies
                for seat in list(session.live.match.acting):
                    state = people[seat].now(lambda state, ply=ply: state["your_turn"] and state["ply"] == ply)
                    people[seat].say(type="play", action=state["actions"][0]["action"], ply=ply)
                before = [person.state(lambda state, ply=ply: state["ply"] > ply) for person in people]
    with visiting(tmp_path) as client:
        assert [row["plies"] for row in client.get("/api/matches").json()] == [5]
        with sitting(client, address(opened, 0), address(opened, 1)) as people:
            after = [person.state() for person in people]
    for old, new in zip(before, after):
        for part in ("ply", "moves", "your_turn", "actions", "svg"):
            assert new[part] == old[part]


def test_every_move_is_in_the_store_before_the_next(tmp_path):
    """As after a power cut: nobody closes anything."""
    with visiting(tmp_path) as client:
        opened = open_match(client, "tic_tac_toe", ["human", "human"])
        with sitting(client, address(opened, 0)) as (person,):
            person.say(type="play", action=4, ply=0)
            person.state(lambda state: state["ply"] == 1)
            wait_until(lambda: client.app.state.lobby.archive.live(opened["id"])["record"]["actions"] == [4])


def test_a_seed_that_was_chosen_is_agreed_to_where_something_is_hidden(client):
    wanted = {"game": "kuhn_poker", "seats": ["human", "human"], "seed": 7}
    opened = client.post("/api/matches", json=wanted).json()
    invitation = opened["seats"][1]["invitation"].partition("invitation=")[2]
    asked = client.post(f"/api/matches/{opened['id']}/join", json={"invitation": invitation})
    assert (asked.status_code, "seed 7" in asked.json()["error"]) == (409, True)
    joined = client.post(f"/api/matches/{opened['id']}/join", json={"invitation": invitation, "agrees": True})
    assert joined.json()["seat"] == 1
    again = client.post(f"/api/matches/{opened['id']}/join", json={"invitation": invitation, "agrees": True})
    assert again.status_code == 422


def test_the_server_neither_compiles_nor_thinks_in_its_own_loop(client, monkeypatch):
    """Whatever a match calls was loaded before it began: while it is played nothing is bound any more."""
    opened = open_match(client, "thrones", ["human", "mcts:sims=5"], rules={"cap": 6})
    game = load("thrones")
    known = set(game._kernels)
    with sitting(client, address(opened, 0)) as (person,):
        play_out(person)
    assert set(game._kernels) == known


def test_a_game_of_the_users_gets_a_picture_in_the_lobby(own):
    rows = {row["name"]: row["picture"] for row in own.get("/api/games").json()}
    assert rows["tic_tac_toe"] == "/static/games/tic_tac_toe.svg"
    wait_until(lambda: own.get(rows["take"]).status_code != 202)  # it is still being drawn
    drawn = own.get(rows["take"])
    assert drawn.text.startswith("<svg")
    assert drawn.headers["content-type"].startswith("image/svg")


def wait_until(holds) -> None:
    import time

    for _ in range(2000):
        if holds():
            return
        time.sleep(0.005)
    raise AssertionError("waited in vain")


def test_a_game_that_cannot_be_played_says_so(tmp_path):
    broken = tmp_path / "broken.py"
    text = TAKE.read_text(encoding="utf-8")
    broken.write_text(text + "\n\ndef action_text(state, player, action):\n    return 1 // 0\n", encoding="utf-8")
    with visiting(tmp_path, games=[broken]) as client:
        opened = open_match(client, "broken", ["human", "random"])
        with sitting(client, address(opened, 0)) as (person,):
            told = person.until(lambda message: message["type"] == "preparing")
            assert told["failed"]
            assert "cannot be played" in told["text"]
            person.say(type="play", action=0, ply=0)
            assert "cannot be played" in person.refusal()
