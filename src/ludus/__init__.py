"""Ludus: a laboratory for board games and for the agents that play them."""

from ludus.agent import Agent, Thoughts
from ludus.arena.match import Match
from ludus.catalogue import agent, load
from ludus.game import Game, View
from ludus.rules import Facts, Param, Params, choice, record, rule, switch

__version__ = "0.1.0"

__all__ = [
    "Agent", "Facts", "Game", "Match", "Param", "Params", "Thoughts", "View",
    "agent", "choice", "load", "play", "record", "rule", "switch",
]  # fmt: skip


def play(game: str, *specs: str, games: int = 100, seed: int = 0, preset: str = "default", **rules: object):
    """Play blocks of mirrored matches: ``ludus.play("connect_four", "mcts:sims=200", "random", games=200)``."""
    from ludus.arena.contest import contest

    return contest(game, list(specs), games=games, seed=seed, preset=preset, rules=rules)


def _picture(view: View) -> str:
    """Notebooks show a view by its picture."""
    from ludus.draw import picture

    return picture(view)


View._repr_svg_ = _picture  # pyright: ignore[reportAttributeAccessIssue] (a view itself knows nothing of pictures)
