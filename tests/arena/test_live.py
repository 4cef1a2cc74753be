"""A live match without a screen: what each viewer may know, what is remembered, and how it goes on after a break."""

from __future__ import annotations

import dataclasses
import time

import numpy as np
import pytest

from ludus.arena.hosts import host
from ludus.arena.live import HUMAN, WATCHER, LiveMatch, Refused, Seat, resume
from ludus.arena.match import Match
from ludus.catalogue import load


def open_match(name: str, *specs: str, seed: int = 1, **rules) -> LiveMatch:
    game = load(name)
    match = Match(game, len(specs), game.params.values(rules), seed=seed)
    return LiveMatch(match, [Seat(spec, None if spec == HUMAN else host(spec, game)) for spec in specs])


def play_at_random(live: LiveMatch, plies: int) -> None:
    rng = np.random.default_rng(0)
    for _ in range(plies):
        for player, view in live.match.waiting().items():
            live.play(player, int(rng.choice(view.legal)), live.match.plies)


def test_a_hidden_game_that_says_nothing_of_its_actions_shows_none_to_rivals(monkeypatch):
    live = open_match("kuhn_poker", HUMAN, HUMAN)
    monkeypatch.delattr(live.game.module, "is_public")
    live.play(0, 1, 0)
    assert [live.moves(viewer)[0][2] for viewer in (0, 1, WATCHER)] == ["bet", None, None]
    live.resign(0)
    assert live.moves(1)[0][2] == "bet"


def test_orders_of_planet_wars_are_told_to_all_when_the_turn_ends():
    live = open_match("planet_wars", HUMAN, HUMAN, pairs=2, menu_orders=1)
    first = [view.legal for view in live.match.waiting().values()]
    for player in (0, 1):
        live.play(player, int(first[player][1]), 0)
    assert [text is None for _, _, text in live.moves(1)] == [True, False]
    while live.match.states[0].turn == 0:
        for player, view in live.match.waiting().items():
            live.play(player, int(view.legal[0]), live.match.plies)
    assert all(text for _, _, text in live.moves(1))
    assert all(text for _, _, text in live.moves(WATCHER))


def test_a_match_goes_on_where_its_record_stops():
    live = open_match("gravwell", HUMAN, HUMAN, rounds=1)
    play_at_random(live, 9)
    again = resume(live.record(), [Seat(HUMAN), Seat(HUMAN)], live.game)
    assert again.match.states.tobytes() == live.match.states.tobytes()
    assert (again.match.words == live.match.words).all()
    for viewer in (0, 1, WATCHER):
        assert again.moves(viewer) == live.moves(viewer)
        assert again.earlier(viewer).states.tobytes() == live.earlier(viewer).states.tobytes()


def test_what_was_decided_before_a_break_can_be_taken_back_after_it():
    live = open_match("connect_four", HUMAN, "random")
    live.play(0, 3, 0)
    again = resume(live.record(), [Seat(HUMAN), Seat("random")], live.game)
    again.undo(0)
    assert again.match.plies == 0
    with pytest.raises(Refused, match="nothing to take back"):
        again.undo(0)


def test_peoples_thinking_time_counts_while_they_look(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    live = open_match("tic_tac_toe", HUMAN, HUMAN)
    now[0] = 3.0
    live.play(0, 4, 0)
    now[0] = 5.0
    live.seats[1].present = False
    live.seats[1].stop_clock()
    now[0] = 60.0
    live.play(1, 0, 1)
    assert live.record().seconds[:2] == [3.0, 2.0]
    again = resume(live.record(), [Seat(HUMAN), Seat(HUMAN)], live.game)
    assert again.record().seconds == [3.0, 2.0]


def test_a_record_without_a_last_answer_stops_before_it():
    live = open_match("goofspiel", HUMAN, HUMAN)
    play_at_random(live, 2)
    record = dataclasses.replace(live.record(), actions=live.record().actions[:-1])
    assert resume(record, [Seat(HUMAN), Seat(HUMAN)], live.game).match.plies == 1
