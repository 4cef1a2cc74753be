"""The games and agents that the page offers, by name.

A client never names a file: files come only from whoever started the server. A client's agent may also not think
without measure, since all matches share one machine.
"""

from __future__ import annotations

import ast
import difflib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any

from ludus.agent import Agent
from ludus.catalogue import accepted, agent, agent_kinds, game_names, load
from ludus.errors import BadInput, BadRules, BadSpec, LudusError, UnknownName
from ludus.game import Game
from ludus.runs import SHIPPED
from ludus.settings import read_settings

MOST = {"sims": 20_000, "ms": 5_000, "nodes": 2_000_000, "table": 20, "samples": 1_000, "worlds": 2_000, "depth": 200}
"""The largest settings of built-in agents: a move takes some seconds at most."""
LADDER = (
    ("random", "beginner", "plays anything"),
    ("greedy", "easy", "looks one step ahead"),
    ("mcts:sims=100", "medium", "thinks a little"),
    ("mcts:sims=1000", "hard", "thinks harder"),
    ("mcts:ms=1000", "expert", "thinks for a second"),
    ("alphabeta", "hard", "reads ahead exactly"),
)
"""Agents for people to choose from, weakest first: spec, strength and a word to a newcomer."""


class NotOffered(UnknownName):
    """No such name on the page; `near` are the names that are spelt alike."""

    def __init__(self, kind: str, name: str, known: Iterable[str], where: str = ""):
        known = sorted(known)
        super().__init__(kind, name[:60], known, where)
        self.near: list[str] = difflib.get_close_matches(name[:60], known, n=3, cutoff=0.5)


class NotFound(BadInput):
    """Nothing of that name is kept or open here; `near` may be looked at instead."""

    def __init__(self, sentence: str, near: Iterable[str] = ()):
        super().__init__(sentence)
        self.near = list(near)


class UnknownGame(NotOffered):
    def __init__(self, name: str, known: Iterable[str]):
        super().__init__("game", name, known)


class Offers:
    """What can be played here, and by whom."""

    def __init__(self, games: Sequence[Path] = (), agents: Sequence[Path] = ()):
        self._games = {name: name for name in game_names()} | {path.stem: str(path) for path in games}
        self._agents = {path.stem: str(path) for path in agents}
        for source in (*games, *agents):
            if not source.is_file():
                raise BadInput(f"there is no file {source}")
        # What cannot be loaded is refused now, and not in the middle of an evening.
        self.games()
        self._about = {path.stem: _docstring(path) for path in agents}

    def games(self) -> list[Game]:
        return [load(source) for source in self._games.values()]

    def game(self, name: str) -> Game:
        if name not in self._games:
            raise UnknownGame(name, self._games)
        return load(self._games[name])

    def game_of_record(self, source: str) -> Game:
        """The game of a stored match, if the page offers it."""
        for game in self.games():
            if source in (game.source, game.name):
                return game
        raise UnknownGame(source, self._games)

    def rule_values(self, game: Game, preset: str, changes: Mapping[str, Any]) -> dict[str, object]:
        if preset not in game.presets:
            raise NotOffered("preset", preset, game.presets, f" in {game.name}")
        for rule in changes:
            if rule not in game.params.declared:
                raise NotOffered("rule", rule, game.params.declared, f" in {game.name}")
        return game.rule_values(preset, changes)

    def check(self, text: str, game: Game) -> None:
        """Refuse an agent that is not offered, or cannot be made, or would think without measure."""
        if any(sign in text for sign in ("/", "\\", ".py")):
            raise BadSpec("an agent is called by its name here, not by a path")
        name, _, settings = text.strip().partition(":")
        built_in = _built_in(game.source)
        if name not in {**built_in, **self._agents}:
            raise NotOffered("agent", name, {**built_in, **self._agents})
        if name in self._agents:
            return
        _check_measure(built_in[name], settings)
        try:
            agent(text.strip(), game)
        except LudusError:
            raise
        except Exception as error:  # an agent that does not expect such settings
            raise BadSpec(f"{text} cannot be made: {type(error).__name__}: {error}") from None

    def own(self, text: str) -> str | None:
        """The full spec of an agent in a file of whoever started the server; None for all others."""
        name, colon, settings = text.partition(":")
        return self._agents[name] + colon + settings if name in self._agents else None

    def light(self, text: str, game: Game) -> str:
        """The same agent with its usual amount of thought, however much the text asks for."""
        name, _, settings = text.partition(":")
        given = read_settings(_built_in(game.source)[name], settings)
        kept = ",".join(f"{key}={value}" for key, value in given.items() if key not in MOST)
        return f"{name}:{kept}" if kept else name

    def ladder(self, game: Game) -> list[dict[str, str]]:
        """Agents that accept the game: from weak to strong, then the game's own, trained ones and the user's."""
        built_in = [_rung(game, *rung) for rung in (*LADDER, *_scripted(game), *_shipped(game))]
        own = [{"spec": name, "label": name, "strength": "yours", "help": self._about[name]} for name in self._agents]
        return [row for row in built_in if row] + own


def _rung(game: Game, spec: str, strength: str, word: str) -> dict[str, str] | None:
    try:
        kind = type(accepted(spec, game))
    except LudusError:
        return None
    about = (kind.__doc__ or "").strip().partition("\n")[0]
    label = f"{spec}, {word}" if word else spec
    return {"spec": spec, "label": label, "strength": strength, "help": about}


def _docstring(path: Path) -> str:
    """What a file says of itself; it is read and not run: a user's agent runs only in a process of its own."""
    try:
        about = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    except (SyntaxError, ValueError, OSError) as error:
        raise BadRules(f"{path} cannot be read as Python: {error}") from None
    return (about or "an agent of yours").partition("\n")[0]


@cache
def _built_in(game: str) -> dict[str, type[Agent]]:
    """The agents for a game by the names that they have there; also those that installed packages offer."""
    kinds = {name.removeprefix(f"{game}/"): kind for name, kind in _all_built_in().items()}
    return {name: kind for name, kind in kinds.items() if "/" not in name and kind.only_for in ("", game)}


_all_built_in = cache(agent_kinds)


def _check_measure(kind: type[Agent], text: str) -> None:
    for name, value in read_settings(kind, text).items():
        if name == "run" and value not in _shipped_runs():
            raise NotOffered("run", str(value), _shipped_runs())
        if name in MOST and not value <= MOST[name]:  # which nan is not
            raise BadSpec(f"on this page {name} of {kind.name} is at most {MOST[name]:,}")


@cache
def _shipped_runs() -> dict[str, dict[str, Any]]:
    folders = [path.parent for path in sorted(SHIPPED.glob("*/settings.json"))]
    return {path.name: json.loads((path / "settings.json").read_text(encoding="utf-8")) for path in folders}


def _scripted(game: Game) -> list[tuple[str, str, str]]:
    kinds = [kind for kind in _built_in(game.source).values() if kind.only_for]
    return [(kind.name, "scripted", "") for kind in kinds if "run" not in {field.name for field in fields(kind)}]


def _shipped(game: Game) -> list[tuple[str, str, str]]:
    runs = [(name, run["method"]) for name, run in _shipped_runs().items() if run["game"] == game.name]
    return [(f"{method}:run={name}", "trained", "") for name, method in runs]
