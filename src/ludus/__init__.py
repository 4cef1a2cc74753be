"""Ludus: a laboratory for board games and for the agents that play them."""

from ludus.game import Agent, Game, Thoughts, View, agent, load
from ludus.rules import Facts, Param, Params, choice, record, rule, switch

__version__ = "0.1.0"

__all__ = ["Agent", "Facts", "Game", "Param", "Params", "Thoughts", "View", "agent", "choice", "load", "record", "rule", "switch"]
