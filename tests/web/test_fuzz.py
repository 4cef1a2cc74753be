"""Anything at all may be asked of the page: it never fails, and every refusal has a sentence."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import quote

import pytest
import schemathesis
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus.catalogue import game_names
from ludus.web.app import create_app
from tests.web.guests import Guest, address, open_match, sitting, visiting

with TemporaryDirectory() as empty:
    schema = schemathesis.openapi.from_dict(create_app(Path(empty) / "store.sqlite").openapi())


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    with visiting(tmp_path_factory.mktemp("page")) as client:
        yield client


@pytest.fixture(scope="module")
def replay_id(client):
    opened = open_match(client, "tic_tac_toe", ["human", "random"])
    with sitting(client, address(opened, 0)) as (person,):
        person.say(type="resign")
        return person.state(lambda state: state["id_replay"])["id_replay"]


def check(answer) -> None:
    assert answer.status_code < 500, answer.text
    if answer.status_code >= 400:
        assert answer.headers["content-security-policy"]
        is_page = answer.headers["content-type"].startswith("text/html")
        assert "<h1>" in answer.text if is_page else set(answer.json()) == {"error", "suggestions"}


@schema.parametrize()
@settings(max_examples=30)
def test_no_request_makes_the_server_fail(case, client):
    asked: dict[str, Any] = {"params": case.query or None}
    if case.method == "POST" and case.media_type:
        asked["content"] = case.body if isinstance(case.body, bytes) else json.dumps(case.body)
        asked["headers"] = {"content-type": "application/json"}
    check(client.request(case.method, case.formatted_path, **asked))


NAMES = st.sampled_from([*game_names(), "random", "mcts:sims=2", "human", "default", "rows", "gate", ""]) | st.text()
VALUES = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.just("off")


@given(
    body=st.fixed_dictionaries(
        {"game": st.sampled_from(game_names()) | NAMES, "seats": st.lists(NAMES, max_size=5)},
        optional={
            "players": VALUES,
            "preset": NAMES,
            "rules": st.dictionaries(NAMES, VALUES, max_size=3) | VALUES,
            "seed": VALUES,
            "speed": VALUES,
        },
    )
)
@settings(max_examples=150)
def test_nearly_right_openings_open_a_match_or_are_refused(client, body):
    answer = client.post("/api/matches", content=json.dumps(body), headers={"content-type": "application/json"})
    check(answer)
    assert answer.status_code in (201, 404, 422, 429)


@given(ply=st.integers() | st.text(max_size=5), seat=st.integers() | st.text(max_size=5) | st.none())
def test_frames_of_a_replay_are_there_or_not(client, replay_id, ply, seat):
    check(client.get(f"/api/replays/{replay_id}/frames/{quote(str(ply), safe='')}", params={"seat": seat}))


MESSAGES = st.dictionaries(
    st.sampled_from(["type", "action", "ply", "text", "value", "seat", "spec"]),
    VALUES
    | st.sampled_from(["play", "say", "undo", "hint", "resign", "pause", "resume", "step", "speed", "replace", "pong"])
    | st.lists(VALUES, max_size=2)
    | st.integers(0, 8),
)


@given(messages=st.lists(MESSAGES, min_size=1, max_size=8))
@settings(max_examples=60)
def test_no_messages_whatever_break_a_match(client, messages):
    opened = open_match(client, "tic_tac_toe", ["human", "human"])
    with sitting(client, address(opened, 0)) as (person,):
        for message in messages:
            person.socket.send_text(json.dumps(message))
        person.socket.send_text('{"type": "last"}')
        assert refused_last(person)


def refused_last(person: Guest) -> bool:
    while "last" not in person.refusal():
        pass
    return True
