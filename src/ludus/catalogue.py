"""Games, agents and trainers, found by folder, by file or by a package's entry point. Nothing is registered.

An agent of one game lies in the folder of `agents/` that has the game's name. It is called by its short name where that
game is played, and ``gravwell/champion`` elsewhere.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import pkgutil
from collections.abc import Iterator, MutableSequence
from pathlib import Path
from types import ModuleType

import ludus.agents
import ludus.games
from ludus.agent import Agent
from ludus.errors import BadRules, Mismatch, UnknownName
from ludus.files import check_source, load_module, python_file
from ludus.game import Game, is_path
from ludus.settings import read_settings
from ludus.sources import digest_of, sources

# ------------------------------------------------------------------------------------------------ games

_loaded: dict[str, Game] = {}


def game_names() -> list[str]:
    """Built-in games and those that installed packages offer."""
    return sorted({*_files_in(ludus.games.__path__), *(entry.name for entry in _offered("ludus.games"))})


def load(name: str | Game) -> Game:
    """A game by name, by the path of its file, or by a package's entry point."""
    if isinstance(name, Game):
        return name
    # An edited file is another game, in a notebook as well.
    key = f"{python_file(Path(name))} {digest_of(sources(Path(name)))}" if is_path(name) else name
    if key not in _loaded:
        _loaded[key] = _load_file(name) if is_path(name) else _load_named(name)
    return _loaded[key]


def _load_named(name: str) -> Game:
    if name.isidentifier() and importlib.util.find_spec(f"ludus.games.{name}"):
        return Game(importlib.import_module(f"ludus.games.{name}"), name)
    for entry in _offered("ludus.games"):
        if entry.name == name:
            return Game(entry.load(), name)
    raise UnknownName("game", name, game_names())


def _load_file(name: str) -> Game:
    path = Path(name)
    game = Game(load_module(path), name)
    check_source(path, {"state": game.state_type, "params": game.params.dtype})
    return game


# ------------------------------------------------------------------------------------------------ agents


def agent_kinds() -> dict[str, type[Agent]]:
    """All agents by name, those of one game as ``game/name``: built in, or offered by installed packages."""
    found = _general_agents()
    for folder in pkgutil.iter_modules(ludus.agents.__path__):
        if folder.ispkg:
            found |= {f"{folder.name}/{name}": kind for name, kind in _agents_of(folder.name).items()}
    return found | {entry.name: entry.load() for entry in _offered("ludus.agents")}


def agent_kind(name: str, game: str = "") -> type[Agent]:
    """The class behind an agent's name or file; `game` is the name of the one that is played."""
    if name.endswith(".py"):
        kind = next(_agents_in(load_module(Path(name))))
        kind.name = name
        return kind
    return _our_kind(name, game) or _named_kind(name, game)


def is_ours(spec: str, game: str = "") -> bool:
    """Whether the agent of a spec lies in our own package: by its place, never by what it says of itself."""
    return _our_kind(spec.partition(":")[0].strip(), game) is not None


def _our_kind(name: str, game: str) -> type[Agent] | None:
    """Importing all of them would take longer than many a match."""
    owner, _, short = name.rpartition("/")
    owner = owner or game
    return _general_agents(name).get(name) or _agents_of(owner).get(short)


def _named_kind(name: str, game: str) -> type[Agent]:
    kinds = agent_kinds()
    for known in (name, f"{game}/{name}"):
        if known in kinds:
            return kinds[known]
    raise UnknownName("agent", name, [known.removeprefix(f"{game}/") for known in kinds])


def agent(spec: str | Agent, game: str | Game) -> Agent:
    """An agent from a spec like ``mcts:sims=400,c=1.4`` or ``my_bot.py:depth=3``, ready to play the game."""
    game = load(game)
    if isinstance(spec, str):
        name, _, text = spec.partition(":")
        kind = agent_kind(name.strip(), game.source)
        made = kind(**read_settings(kind, text))
    else:
        made = spec
    reason = made.refuses(game.facts)
    if made.only_for and made.only_for != game.source:
        reason = f"it is an agent of {made.only_for} alone"
    if reason:
        raise Mismatch(f"{made.name} cannot play {game.name}: {reason}")
    made.prepare(game)
    return made


def _general_agents(prefix: str = "") -> dict[str, type[Agent]]:
    """Agents of many games; a prefix leaves out files whose name does not begin with it."""
    files = (file for file in _files_in(ludus.agents.__path__) if file.startswith(prefix))
    modules = (importlib.import_module(f"ludus.agents.{file}") for file in files)
    return {kind.name: kind for module in modules for kind in _agents_in(module)}


def _agents_of(game: str) -> dict[str, type[Agent]]:
    """The agents of one game, by their short names."""
    if not game.isidentifier() or not importlib.util.find_spec(f"ludus.agents.{game}"):
        return {}
    folder = importlib.import_module(f"ludus.agents.{game}")
    modules = (importlib.import_module(f"{folder.__name__}.{file}") for file in _files_in(folder.__path__))
    return {kind.name: kind for module in modules for kind in _agents_in(module)}


def _agents_in(module: ModuleType) -> Iterator[type[Agent]]:
    found = [
        value
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, Agent) and value.__module__ == module.__name__
    ]
    if not found:
        raise BadRules(f"{module.__file__} has no class that derives from ludus.Agent")
    for kind in found:
        kind.name = kind.name or module.__name__.rpartition(".")[2]
        yield kind


# ------------------------------------------------------------------------------------------------ trainers


def trainer_names() -> list[str]:
    """The methods of `ludus train`, those for one game as ``game/method``."""
    home = Path(__file__).parent / "learn"
    games = [folder.name for folder in pkgutil.iter_modules([str(home)]) if folder.ispkg]
    return _files_in([str(home)]) + [f"{game}/{file}" for game in games for file in _files_in([str(home / game)])]


def trainer_name(method: str, game: str = "") -> str:
    """The full name of a method, which may be called by its short one where its game is learnt."""
    known = trainer_names()
    for name in (method, f"{game}/{method}"):
        if name in known:
            return name
    raise UnknownName("training method", method, [name.removeprefix(f"{game}/") for name in known])


def trainer(method: str, game: str = "") -> ModuleType:
    """The module of a training method; `ludus.learn` says what is in it."""
    return importlib.import_module(f"ludus.learn.{trainer_name(method, game).replace('/', '.')}")


# ------------------------------------------------------------------------------------------------ folders and packages


def _files_in(folder: MutableSequence[str]) -> list[str]:
    """The names of the modules in a folder; an underscore marks a part of another."""
    found = pkgutil.iter_modules(folder)
    return [module.name for module in found if not module.ispkg and not module.name.startswith("_")]


def _offered(group: str) -> importlib.metadata.EntryPoints:
    return importlib.metadata.entry_points(group=group)
