"""The replay strings of the Planet Wars contest: written from records, and played again through the rules.

A playback holds positions, not orders. What a player ordered in a turn is read off the fleets that have just left, so
every position after it can be held against what the rules make of the one before.
"""

from __future__ import annotations

from itertools import zip_longest

import numpy as np

from ludus.arena.match import Match, replay
from ludus.errors import BadInput, BadRecord, Mismatch
from ludus.game import Game
from ludus.records import MatchRecord

COMPARED = ("owner", "ships", "under_way", "fleet_ships", "fleet_route", "fleet_turns")


def check_has_playbacks(game: Game) -> None:
    if not game.writes("playback_text"):
        raise Mismatch(f"{game.name} has no playback strings; Planet Wars has")


def playback_of(record: MatchRecord, game: Game) -> str:
    """A recorded match for the contest's viewer."""
    check_has_playbacks(game)
    match = replay(record, 0, game)
    answers, states = iter(record.actions), [match.states.copy()]
    while not match.over:
        acting = match.acting
        given = [action for _, action in zip(acting, answers)]
        if len(given) < len(acting):
            break
        for player, action in zip(acting, given):
            match.submit(player, action)
        if match.states[0].turn > states[-1][0].turn:
            states.append(match.states.copy())
    if record.culprit >= 0:
        states.append(match.states.copy())
        game.module.forfeit(states[-1][0], record.culprit)
    return game.module.playback_text(np.concatenate(states))


def play_playback(game: Game, text: str, values: dict[str, object]) -> Match:
    """The match of a playback, played again; `BadRecord` where a position is not what the rules make of its orders."""
    check_has_playbacks(game)
    shown = game.module.parse_playback(text, game.blank(2, values)[0])
    if len(shown) < 2:
        raise BadRecord("the playback shows no turn")
    match = Match(game, 2, values, start=shown[:1])
    for turn in range(1, len(shown)):
        if match.over:
            raise BadRecord(f"turn {turn}: by the rules the match was over before ({match.outcome_text()})")
        before = match.states.copy()
        _play_turn(match, shown[turn], turn)
        if difference := _difference(match.states[0], shown[turn]):
            if not _strike_off(match, before, shown[turn]):
                raise BadRecord(f"turn {turn}: {difference}")
            return match
    return match


def _play_turn(match: Match, after: np.record, turn: int) -> None:
    orders = [match.game.module.departures(after, player) for player in (0, 1)]
    for pair in zip_longest(*orders, fillvalue=-1):
        for player, action in enumerate(pair):
            if action >= 0 and not match.game.allows(match.states, player, action):
                order = match.game.action_text(match.states[0], player, action)
                raise BadRecord(f"turn {turn}: player {1 + player} cannot have ordered {order!r}")
        for player, action in enumerate(pair):
            if action >= 0:
                match.submit(player, action)


def _difference(played: np.record, shown: np.record) -> str:
    """The first planet, or the fleets, in which two positions differ; "" where they are equal."""
    for planet in range(int(played.planets)):
        here, there = ((int(state.owner[planet]), int(state.ships[planet])) for state in (played, shown))
        if here != there:
            return f"planet {planet} is {there[0]}.{there[1]} in the playback and {here[0]}.{here[1]} by the rules"
    if any((played[name] != shown[name]).any() for name in COMPARED):
        return "the fleets under way differ"
    return ""


def _strike_off(match: Match, before: np.ndarray, shown: np.record) -> bool:
    """Whether the last position is that of a forfeit; then the match ends with it."""
    for player in (0, 1):
        if (
            not (shown.owner == 1 + player).any()
            and shown.under_way[player] == 0
            and (before[0].owner == 1 + player).any()
        ):
            match.states = before
            match.forfeit(player, "illegal", "struck off in the playback")
            return True
    return False


def read_playback(game: Game, text: str, values: dict[str, object]) -> MatchRecord:
    """A playback as a record, which every other command can read."""
    match = play_playback(game, text, values)
    if not match.over:
        turns = int(match.states[0].turn)
        raise BadInput(
            f"the playback ends after turn {turns}, before the match is over; a shorter one: --rule turns={turns}"
        )
    return match.record(["playback", "playback"])
