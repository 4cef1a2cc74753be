"""Ludus: a laboratory for board games and for the agents that play them."""

from typing import Any

from ludus.agent import Agent, Thoughts
from ludus.arena.match import Match
from ludus.catalogue import agent, load
from ludus.game import Game, View
from ludus.rules import Facts, Param, Params, choice, record, rule, switch
from ludus.runs import RunFolder

__version__ = "0.1.0"

__all__ = [
    "Agent", "Facts", "Game", "Match", "Param", "Params", "Thoughts", "View",
    "agent", "choice", "load", "play", "record", "rule", "switch", "tune",
]  # fmt: skip


def play(game: str, *agents: str | Agent, games: int = 100, seed: int = 0, preset: str = "default", **rules: object):
    """Play blocks of mirrored matches: ``ludus.play("connect_four", "mcts:sims=200", "random", games=200)``."""
    from ludus.arena.contest import contest, contest_here

    specs = [one for one in agents if isinstance(one, str)]
    if len(specs) == len(agents):
        return contest(game, specs, games=games, seed=seed, preset=preset, rules=rules)
    return contest_here(game, agents, games=games, seed=seed, preset=preset, rules=rules)


def tune(game: str, rules: dict[str, object], targets: list[str], **settings: Any):
    """Rules that meet targets: ``ludus.tune("connect_four", {"rows": "4..6"}, ["seat_advantage in -8..8"])``."""
    from ludus.tuning.tune import tune

    return tune(game, rules, targets, **settings)


# What notebooks show. Games, views and runs know nothing of pictures and charts, so these are hung on here.


def _picture(view: View) -> str:
    from ludus.draw import picture

    return picture(view)


def _match_picture(match: Match) -> str:
    return _picture(View.public(match.game, match.states))


def _opening(game: Game) -> str:
    """The first position, for who begins."""
    return _match_picture(Match(game, game.facts.players[0]))


def _curve(run: RunFolder) -> str:
    from ludus.report.training import curve_of

    return curve_of(run)


View._repr_svg_ = _picture  # pyright: ignore[reportAttributeAccessIssue]
Match._repr_svg_ = _match_picture  # pyright: ignore[reportAttributeAccessIssue]
Game._repr_svg_ = _opening  # pyright: ignore[reportAttributeAccessIssue]
RunFolder._repr_html_ = _curve  # pyright: ignore[reportAttributeAccessIssue]
