"""`ludus perft`: how many action sequences of each length there are; the classic test of move generators."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from ludus.cli import options
from ludus.compile import template
from ludus.errors import Mismatch
from ludus.rules import MAX_ACTIONS, SEATS, legal, step, to_act

if TYPE_CHECKING:
    from ludus.game import Game

EXAMPLE = "Example: ludus perft connect_four --depth 8"


@template
def count_sequences(stack, depth, counts, rng):
    """Add to counts[k] the number of sequences of k + 1 actions from the position in stack[0]."""
    menus = np.empty((depth, MAX_ACTIONS), np.int32)
    lengths, tried = np.zeros(depth, np.int64), np.zeros(depth, np.int64)
    movers = np.zeros(depth, np.int64)
    actions = np.empty(SEATS, np.int32)
    ply, is_new = 0, True
    while ply >= 0:
        if is_new:
            mask, lengths[ply], tried[ply] = to_act(stack[ply]), 0, 0
            if mask != 0:
                movers[ply] = 0
                while mask >> movers[ply] & 1 == 0:
                    movers[ply] += 1
                lengths[ply] = legal(stack[ply], movers[ply], menus[ply])
            counts[ply] += lengths[ply]
            is_new = False
        if tried[ply] == lengths[ply] or ply == depth - 1:
            ply -= 1
            continue
        actions[:] = -1
        actions[movers[ply]] = menus[ply, tried[ply]]
        tried[ply] += 1
        stack[ply + 1] = stack[ply]
        step(stack[ply + 1], actions, rng)
        ply, is_new = ply + 1, True


def perft(game: Game, depth: int, start: np.ndarray) -> list[int]:
    """Numbers of action sequences of length 1 … depth from a position."""
    _check_suits(game, start)
    counts = np.zeros(depth, np.int64)
    stack = np.zeros(depth, game.state_type)
    stack[0] = start[0]
    game.kernel(count_sequences)(stack, depth, counts, np.zeros(1, np.uint64))
    return counts.tolist()


def _check_suits(game: Game, start: np.ndarray) -> None:
    from ludus import kernels

    certain = np.empty(1, np.bool_)
    game.kernel(kernels.certainties)(start, certain)
    facts = game.facts
    for is_so, word in ((facts.hidden, "hidden"), (not certain[0], "chance"), (facts.simultaneous, "simultaneous")):
        if is_so:
            raise Mismatch(f"perft counts only in open games with turns and without dice; {game.name} is {word}")


def command(
    game: options.GameName,
    depth: Annotated[int, typer.Option(help="Longest sequence.", min=1, max=100)] = 4,
    players: Annotated[int, typer.Option(help="Number of players; 0 takes the fewest.")] = 0,
    preset: options.Preset = "default",
    rule: options.Rules = [],  # noqa: B006 (typer reads it, nobody changes it)
    start: options.Start = None,
    seed: options.Seed = 0,
    json: options.Json = False,
) -> None:
    """Count the action sequences of each length from the first position."""
    from ludus.catalogue import load
    from ludus.rng import match_words

    rulebook = load(game)
    values = rulebook.rule_values(preset, options.read_rules(rule))
    n = players or rulebook.facts.players[0]
    position = options.read_start(rulebook, start, n, values)
    if position is None:
        position = rulebook.start(match_words(seed, [0], [0], n), n, values)
    started = time.process_time()
    counts = perft(rulebook, depth, position)
    if json:
        options.print_json({"game": rulebook.source, "players": n, "depth": depth, "counts": counts})
        return
    note = (
        f"{sum(counts) / max(time.process_time() - started, 1e-9) / 1e6:.1f} M nodes per CPU-second, compiling included"
    )
    options.print_table(f"{rulebook.facts.title}: sequences", ("plies", "count"), list(enumerate(counts, 1)), note)
