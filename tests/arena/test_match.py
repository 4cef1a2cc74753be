"""The one stepper: who is asked, what is refused, how a match ends, and that a record replays."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus import agent, load
from ludus.arena.match import Match, replay
from ludus.errors import AgentFault, BadInput, BadRecord
from ludus.records import MatchRecord
from ludus.rules import share

SETTINGS = [("tic_tac_toe", 2), ("kuhn_poker", 2), ("goofspiel", 2), ("goofspiel", 4), ("connect_four", 2)]


def played(name: str, players: int, seed: int = 1, block: int = 0) -> Match:
    game = load(name)
    match = Match(game, players, seed=seed, block=block)
    chooser = agent("random", game)
    while not match.over:
        for player, view in match.waiting().items():
            match.submit(player, chooser.act(view, match.stream(player)))
    return match


def test_turns_ask_one_player_and_joint_steps_ask_all():
    assert list(Match(load("tic_tac_toe"), 2).waiting()) == [0]
    match = Match(load("goofspiel"), 3)
    assert list(match.waiting()) == [0, 1, 2]
    match.submit(1, int(match.view(1).legal[0]))
    assert list(match.waiting()) == [0, 2]
    assert match.plies == 0


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (9, "may not play 9"),
        (-1, "may not play -1"),
        (2**40, "so large a number"),
        (1.5, "whole number"),
        ("a1", "whole number"),
        (None, "whole number"),
        ([1], "whole number"),
    ],
)
def test_a_wrong_answer_is_refused_and_changes_nothing(answer, reason):
    match = Match(load("tic_tac_toe"), 2)
    before = match.states.tobytes()
    with pytest.raises(AgentFault, match=reason) as fault:
        match.submit(0, answer)
    assert fault.value.reason == "illegal"
    assert match.states.tobytes() == before
    assert match.acting == [0]


def test_a_player_who_owes_nothing_is_refused():
    match = Match(load("tic_tac_toe"), 2)
    with pytest.raises(AgentFault, match="owes no action"):
        match.submit(1, 0)
    simultaneous = Match(load("goofspiel"), 2)
    card = int(simultaneous.view(0).legal[0])
    simultaneous.submit(0, card)
    with pytest.raises(AgentFault, match="owes no action"):
        simultaneous.submit(0, card)


def test_numpy_integers_are_answers():
    match = Match(load("tic_tac_toe"), 2)
    match.submit(0, np.int8(4))
    assert match.actions == [4]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_forfeit_costs_the_culprit_and_pays_the_others(players):
    match = Match(load("goofspiel"), players)
    match.forfeit(1, "timeout", "asleep")
    assert match.over
    shares = [share(payoff, players) for payoff in match.returns]
    assert shares == pytest.approx([0 if seat == 1 else 1 / (players - 1) for seat in range(players)])
    assert sum(match.returns) == pytest.approx(0)
    assert match.waiting() == {}
    assert "player 2 loses: timeout (asleep)" in match.outcome_text()


def test_a_match_that_reaches_the_limit_is_a_draw(monkeypatch):
    game = load("tic_tac_toe")
    monkeypatch.setattr(game, "facts", dataclasses.replace(game.facts, max_plies=3))
    match = played("tic_tac_toe", 2)
    assert (match.outcome, match.returns, match.plies) == ("limit", [0.0, 0.0], 3)


@pytest.mark.parametrize(("name", "players"), SETTINGS)
def test_a_record_replays_to_the_same_state(name, players):
    for block in range(20):
        match = played(name, players, block=block)
        record = MatchRecord.from_json(match.record(["random"] * players).to_json())
        again = replay(record)
        assert again.states.tobytes() == match.states.tobytes()
        assert again.returns == match.returns


def test_replay_stops_at_a_step():
    match = played("connect_four", 2)
    assert replay(match.record([]), steps=3).actions == match.actions[:3]


def test_replay_starts_at_a_given_position():
    game = load("tic_tac_toe")
    start = game.parse_state("X . .  . O .  . . .", 2)
    match = Match(game, 2, start=start)
    while not match.over:
        for player, view in match.waiting().items():
            match.submit(player, int(view.legal[0]))
    again = replay(MatchRecord.from_json(match.record(["a", "b"]).to_json()))
    assert again.states.tobytes() == match.states.tobytes()
    assert len(match.actions) < 8


@given(where=st.integers(0, 100), action=st.integers(-5, 50))
@settings(max_examples=40, deadline=None)
def test_a_changed_record_is_refused_or_is_the_same_match(where, action):
    record = played("tic_tac_toe", 2).record(["random", "random"])
    actions = list(record.actions)
    actions[where % len(actions)] = action
    changed = dataclasses.replace(record, actions=actions)
    try:
        again = replay(changed)
    except BadRecord:
        assert changed != record
    else:
        assert again.returns == record.returns


def test_a_record_of_other_rules_is_refused():
    record = played("tic_tac_toe", 2).record(["random", "random"])
    with pytest.raises(BadRecord, match="version 0"):
        replay(dataclasses.replace(record, version="0"))
    with pytest.raises(BadRecord, match="the rules say"):
        replay(dataclasses.replace(record, returns=[-x or 1.0 for x in record.returns]))
    with pytest.raises(BadRecord, match="does not say why"):
        replay(dataclasses.replace(record, actions=record.actions[:2]))


def test_wrong_number_of_players_is_refused():
    with pytest.raises(BadInput, match="tic_tac_toe is for 2 players, not 3"):
        Match(load("tic_tac_toe"), 3)
    with pytest.raises(BadInput, match="goofspiel is for 2 to 4 players, not 5"):
        Match(load("goofspiel"), 5)
