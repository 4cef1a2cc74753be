"""`ludus bot`: any agent as a program that speaks the contest's protocol, for anybody's referee."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, TextIO

import numpy as np
import typer

from ludus.cli import options

if TYPE_CHECKING:
    from ludus.agent import Agent
    from ludus.game import Game

EXAMPLE = "Example: ludus bot planet_wars champion"
PLAYER = 0
"""Each side sees itself as the first player."""


def command(
    game: options.GameName,
    spec: Annotated[str, typer.Argument(help="An agent, like champion or mcts:sims=400.", metavar="SPEC")],
    preset: options.Preset = "default",
    rule: options.Rules = [],  # noqa: B006 (typer reads it, nobody changes it)
    seed: options.Seed = 0,
) -> None:
    """Read positions on stdin and write orders on stdout, turn by turn, until the input ends."""
    from ludus.catalogue import agent, load
    from ludus.errors import Mismatch
    from ludus.rng import stream

    rulebook = load(game)
    if not rulebook.writes("parse_contest"):
        raise Mismatch(f"{rulebook.name} has no protocol for programs; Planet Wars has")
    values = rulebook.rule_values(preset, options.read_rules(rule))
    talk(rulebook, agent(spec, rulebook), values, sys.stdin, sys.stdout, stream(seed))


def talk(game: Game, player: Agent, values: dict[str, object], heard: TextIO, said: TextIO, rng: np.ndarray) -> None:
    """A match: everything is compiled before the first position is read."""
    dealt = game.start(np.zeros((1, 3), np.uint64), 2, values)
    list(orders(game, player, dealt, rng))
    for turn, text in enumerate(positions(heard)):
        states = game.blank(2, values)
        game.module.parse_contest(text, states[0], PLAYER)
        states["turn"] = min(turn, states[0].params.turns - 1)  # which the text does not tell
        for order in orders(game, player, states, rng):
            print(order, file=said)
        print("go", file=said, flush=True)


def positions(heard: TextIO) -> Iterator[str]:
    """The text of each turn, up to its ``go``."""
    lines: list[str] = []
    for line in heard:
        if line.strip().lower() != "go":
            lines.append(line)
            continue
        yield "".join(lines)
        lines = []


def orders(game: Game, player: Agent, states: np.ndarray, rng: np.ndarray) -> Iterator[str]:
    """What the agent orders in one turn; the rival passes in the meantime, unseen."""
    from ludus.game import View

    (rivals,) = game.module.parse_orders(states[0], 1 - PLAYER, "go")
    while int(game.waiting(states)[0]) >> PLAYER & 1:
        action = player.act(View(game, states, PLAYER), rng)
        text = game.action_text(states[0], PLAYER, action)
        turn = int(states[0].turn)
        joint = np.array([[action, rivals]], np.int32)
        rivals = -1
        game.advance(states, joint, np.zeros((1, 3), np.uint64))
        if text == "go" or states[0].turn > turn:
            return
        yield text
