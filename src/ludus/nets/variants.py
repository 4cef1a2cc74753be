"""One network under several sets of rules: which numbers of the rules it is told, and what they are under each.

A set of rules gives the network a board and some numbers that stay the same for a whole match. So they cost nothing
where it plays: what they add to the first layer is added to its bias, and what is left is a plain network.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ludus.errors import Mismatch
from ludus.game import Game
from ludus.nets.spec import NetSpec, Weights
from ludus.rules import Params

Values = Mapping[str, object]
"""The params of a game."""


@dataclass(frozen=True)
class Variant:
    """A network under one set of rules: its sizes on that board, and what it is told of the rules."""

    net: NetSpec
    numbers: tuple[float, ...] = ()

    def plain(self, weights: Weights) -> tuple[NetSpec, Weights]:
        """The network that plays under these rules alone."""
        if not self.net.rules:
            return self.net, weights
        bias = weights["stem.bias"] + weights["stem.rules"] @ np.array(self.numbers, np.float32)
        none = np.zeros((self.net.channels, 0), np.float32)
        return dataclasses.replace(self.net, rules=""), weights | {"stem.bias": bias, "stem.rules": none}


def variant_of(net: NetSpec, game: Game, players: int, values: Values) -> Variant:
    """A network under these rules; refuses those that it was not made for."""
    return Variant(net.on(*game.shapes(players, values)), _numbers(game.params, net.told, values))


def rule_columns(game: Game, players: int, rule_sets: Sequence[Values]) -> str:
    """What a network is told that learns several sets of rules: all that differs among them, but for what it sees by
    the size of the board. A rule by its name is a number of its range; one of several words has a column each."""
    found = []
    for name, param in game.params.declared.items():
        seen = dict.fromkeys(str(values[name]) for values in rule_sets)
        if len(seen) > 1 and not _shows(game, players, rule_sets, name):
            found += [f"{name}={word}" for word in seen] if param.choices else [name]
    return ",".join(found)


def _shows(game: Game, players: int, rule_sets: Sequence[Values], name: str) -> bool:
    """Whether the shapes change with this rule alone."""
    first = rule_sets[0]
    lengths = {game.shapes(players, {**first, name: values[name]})[0].length for values in rule_sets}
    return len(lengths) > 1


def _numbers(params: Params, columns: Sequence[str], values: Values) -> tuple[float, ...]:
    found = []
    for column in columns:
        name, _, word = column.partition("=")
        if name not in params.declared:
            raise Mismatch(f"the network asks for the rule {name}, which this game does not have")
        param = params.declared[name]
        span = param.high - param.low
        found.append(float(str(values[name]) == word) if word else (float(str(values[name])) - param.low) / span)
    return tuple(found)
