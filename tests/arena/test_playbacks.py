"""Matches as the contest's replay strings, there and back."""

from __future__ import annotations

import numpy as np
import pytest

from ludus import agent, load
from ludus.arena.match import Match, replay
from ludus.arena.playbacks import play_playback, playback_of, read_playback
from ludus.errors import BadInput, BadNotation, BadRecord, Mismatch
from ludus.records import MatchRecord

GAME = load("planet_wars")
VALUES = GAME.rule_values("skirmish", {"turns": 25})


def played(values: dict = VALUES, steps: int = 10_000) -> Match:
    match = Match(GAME, 2, values, seed=3)
    bots = [agent("dual", GAME), agent("rage", GAME)]
    while not match.over and match.plies < steps:
        for player, view in match.waiting().items():
            match.submit(player, bots[player].act(view, match.stream(player)))
    return match


@pytest.fixture(scope="module")
def record() -> MatchRecord:
    return played().record(["dual", "rage"])


def test_a_playback_is_played_again_and_equal_every_turn(record):
    text = playback_of(record, GAME)
    match = play_playback(GAME, text, VALUES)
    assert match.states[0].turn == text.partition("|")[2].count(":") + 1
    assert match.returns == record.returns
    assert np.array_equal(match.states["ships"], replay(record).states["ships"])


def test_a_playback_becomes_a_record_that_replays(record):
    made = read_playback(GAME, playback_of(record, GAME), VALUES)
    assert replay(made).returns == record.returns
    assert playback_of(made, GAME) == playback_of(record, GAME)


def test_a_changed_number_is_found_with_its_turn_and_planet(record):
    planets, _, turns = playback_of(record, GAME).partition("|")
    shown = turns.split(":")
    first = shown[4].split(",")
    owner, _, ships = first[1].partition(".")
    shown[4] = ",".join([first[0], f"{owner}.{int(ships) + 1}", *first[2:]])
    with pytest.raises(BadRecord, match=rf"turn 5: planet 1 is {owner}\.{int(ships) + 1} in the playback"):
        play_playback(GAME, f"{planets}|{':'.join(shown)}", VALUES)


def test_a_playback_cut_short_is_told(record):
    text = playback_of(record, GAME)
    with pytest.raises(BadNotation, match="turn"):
        play_playback(GAME, text[: len(text) // 2].rpartition(",")[0].rpartition(".")[0], VALUES)
    with pytest.raises(BadInput, match="before the match is over"):
        read_playback(GAME, text.rpartition(":")[0], VALUES)
    with pytest.raises(BadRecord, match="shows no turn"):
        play_playback(GAME, text.partition("|")[0] + "|", VALUES)


def test_a_forfeit_is_shown_and_read():
    match = played(steps=12)
    match.forfeit(1, "timeout", "too late")
    text = playback_of(match.record(["dual", "rage"]), GAME)
    assert text.rpartition(":")[2].count("2.") < text.count("2.")
    again = play_playback(GAME, text, VALUES)
    assert (again.culprit, again.returns) == (1, [1.0, -1.0])


def test_other_games_have_no_playbacks():
    game = load("tic_tac_toe")
    with pytest.raises(Mismatch, match="tic_tac_toe has no playback strings"):
        play_playback(game, "", {})
