"""Many matches at once, step by step together: the bulk form of the stepper.

At each step one kernel collects what every agent owes, each agent answers all its views in one call, and one kernel
moves all matches on. Python only orchestrates, so a compiled agent plays at compiled speed, and the records are those
that the stepper would have made, word for word.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ludus.agent import Agent
from ludus.compile import template
from ludus.game import Game
from ludus.records import MatchRecord, no_action
from ludus.rng import match_words
from ludus.rules import MAX_ACTIONS, SEATS, hide, legal, step, to_act


@template
def collect(states, seats, agent, words, memories, views, matches, players, streams):
    """The views that one agent must answer now, and its streams with what it remembers; their number. Where its menu is
    empty nobody is asked."""
    menu = np.empty(MAX_ACTIONS, np.int32)
    n = 0
    for i in range(states.shape[0]):
        mask = to_act(states[i])
        for player in range(seats.shape[1]):
            if mask >> player & 1 and seats[i, player] == agent:
                views[n] = states[i]
                hide(views[n], player)
                if legal(views[n], player, menu) == 0:
                    continue
                matches[n] = i
                players[n] = player
                streams[n, 0] = words[i, 1 + player]
                for k in range(1, streams.shape[1]):
                    streams[n, k] = memories[i, player, k - 1]
                n += 1
    return n


@template
def spread(n, matches, players, streams, answers, actions, words, memories):
    """Put an agent's answers, used streams and memory back in their places."""
    for k in range(n):
        actions[matches[k], players[k]] = answers[k]
        words[matches[k], 1 + players[k]] = streams[k, 0]
        for word in range(1, streams.shape[1]):
            memories[matches[k], players[k], word - 1] = streams[k, word]


@template
def move_on(states, actions, words, plies):
    """One joint step in every match that is not over and has all its answers; how many are still going on."""
    going_on = 0
    for i in range(states.shape[0]):
        mask = to_act(states[i])
        for player in range(SEATS):
            if mask >> player & 1 and actions[i, player] < 0:
                mask = 0
        if mask != 0:
            step(states[i], actions[i], words[i, :1])
            plies[i] += 1
            going_on += to_act(states[i]) != 0
        for player in range(SEATS):
            actions[i, player] = -1
    return going_on


@dataclass(frozen=True)
class Seating:
    """One match to be played: which agent sits where, and the names of its random words."""

    seats: tuple[int, ...]
    block: int
    rotation: int


@dataclass(frozen=True)
class Batch:
    """Matches that were played together; one row a match."""

    seatings: Sequence[Seating]
    returns: np.ndarray
    plies: np.ndarray
    finished: np.ndarray
    stuck: list[int]
    """Who had to act and had no action, in the matches that were neither finished nor too long; -1 in all others."""
    history: list[np.ndarray]
    """The joint actions of every step, where they were asked for."""


def play_batch(
    game: Game,
    agents: Sequence[Agent],
    seatings: Sequence[Seating],
    seed: int,
    values: Mapping[str, object],
    start: np.ndarray | None = None,
    with_history: bool = False,
) -> Batch:
    """Play all seatings together to their ends. `start` may hold several positions: blocks take them in turn."""
    players = len(seatings[0].seats)
    blocks, rotations = np.array([(seating.block, seating.rotation) for seating in seatings]).T
    words = match_words(seed, blocks, rotations, players)
    states = game.start(words, players, values) if start is None else start[blocks % len(start)]
    seats = np.array([seating.seats for seating in seatings])
    plies = np.zeros(len(seatings), np.int64)
    history = play_to_the_end(game, agents, states, seats, words, plies, game.facts.max_plies if with_history else 0)
    finished = game.waiting(states) == 0
    returns = np.where(finished[:, None], game.payoffs(states)[:, :players], 0.0)
    halted = (~finished & (plies < game.facts.max_plies)).tolist()
    stuck = [game.stuck(states[i : i + 1]) if halted[i] else -1 for i in range(len(states))]
    return Batch(seatings, returns, plies, finished, stuck, history)


def play_to_the_end(
    game: Game,
    agents: Sequence[Agent],
    states: np.ndarray,
    seats: np.ndarray,
    words: np.ndarray,
    plies: np.ndarray,
    history_steps: int = 0,
    forced: np.ndarray | None = None,
) -> list[np.ndarray]:
    """Play positions to their ends, in place; gives back the joint actions of the first `history_steps`.

    `forced` holds actions that stand in the place of the agents' own in the first step, -1 where they are free.
    """
    room = len(states) * seats.shape[1]
    views = np.empty(room, game.state_type)
    matches, players = np.empty(room, np.int64), np.empty(room, np.int64)
    memories = np.zeros((*seats.shape, max(player.memory for player in agents)), np.uint64)
    streams = [np.empty((room, 1 + player.memory), np.uint64) for player in agents]
    actions = np.full((len(states), game.facts.players[1]), -1, np.int32)
    history: list[np.ndarray] = []
    for ply in range(game.facts.max_plies):
        for k, player in enumerate(agents):
            n = game.kernel(collect)(states, seats, k, words, memories, views, matches, players, streams[k])
            if n:
                answers = player.act_many(views[:n], players[:n], streams[k][:n])
                game.kernel(spread)(n, matches, players, streams[k], answers, actions, words, memories)
        if ply == 0 and forced is not None:
            np.copyto(actions, forced, where=forced >= 0)
        if ply < history_steps:
            history.append(actions.copy())
        if not game.kernel(move_on)(states, actions, words, plies):
            break
    return history


def records_of(
    batch: Batch,
    game: Game,
    agents: Sequence[Agent],
    seed: int,
    values: Mapping[str, object],
    start: np.ndarray | None = None,
) -> Iterator[MatchRecord]:
    """The records of a batch; their actions are there if it was played with its history."""
    actions, returns, plies = _actions(batch), batch.returns.tolist(), batch.plies.tolist()
    specs = [agent.spec for agent in agents]
    starts = [None] if start is None else [game.state_json(one) for one in start]
    finished = batch.finished.tolist()
    for i, (seating, stuck) in enumerate(zip(batch.seatings, batch.stuck)):
        yield MatchRecord(
            game=game.source,
            version=game.facts.version,
            rules=dict(values),
            players=len(seating.seats),
            agents=[specs[k] for k in seating.seats],
            seed=seed,
            block=seating.block,
            rotation=seating.rotation,
            actions=actions[i],
            returns=returns[i],
            plies=plies[i],
            outcome="finished" if finished[i] else "limit" if stuck < 0 else "stuck",
            detail="" if stuck < 0 else no_action(stuck),
            start=starts[seating.block % len(starts)],
        )


def _actions(batch: Batch) -> list[list[int]]:
    """The actions of each match, in the order of steps and seats."""
    if not batch.history:
        return [[] for _ in batch.seatings]
    joint = np.stack(batch.history, axis=1)  # [match, step, seat]
    given = joint >= 0
    flat, ends = joint[given].tolist(), np.cumsum(given.sum(axis=(1, 2))).tolist()
    return [flat[begin:end] for begin, end in zip([0, *ends], ends)]
