"""Games, agents and trainers, found by folder, by file or by a package's entry point. Nothing is registered.

An agent of one game lies in the folder of `agents/` that has the game's name. It is called by its short name where that
game is played, and ``gravwell/champion`` elsewhere.
"""

from __future__ import annotations

import copyreg
import dataclasses
import importlib
import importlib.metadata
import importlib.util
import pkgutil
import shlex
import shutil
from collections.abc import Iterable, Iterator, MutableSequence
from pathlib import Path
from types import ModuleType
from typing import Any

import ludus.agents
import ludus.games
from ludus.agent import Agent
from ludus.errors import BadInput, BadRules, Mismatch, UnknownName
from ludus.files import check_source, load_module, python_file
from ludus.game import Game, is_path
from ludus.handicaps import SUFFIX, offered, with_handicaps
from ludus.openspiel import PREFIX, is_foreign, load_theirs
from ludus.settings import read_settings
from ludus.sources import digest_of, sources

# ------------------------------------------------------------------------------------------------ games

_loaded: dict[str, Game] = {}


def game_names() -> list[str]:
    """Built-in games and those that installed packages offer."""
    return sorted({*_files_in(ludus.games.__path__), *(entry.name for entry in _offered("ludus.games"))})


def load(name: str | Game) -> Game:
    """A game by name, by the path of its file, by a package's entry point, or of OpenSpiel's: ``openspiel:hex``."""
    if isinstance(name, Game):
        return name
    if name.endswith(SUFFIX):
        return _load_wrapped(name)
    # An edited file is another game, in a notebook as well.
    key = f"{python_file(Path(name))} {digest_of(sources(Path(name)))}" if is_path(name) else name
    if key not in _loaded:
        _loaded[key] = _load_file(name) if is_path(name) else _load_named(name)
    return _loaded[key]


copyreg.pickle(Game, lambda game: (load, (game.source,)))  # a game travels as its name


def _load_wrapped(name: str) -> Game:
    game = load(name.removesuffix(SUFFIX))
    key = f"{name} {game.fingerprint}"
    if key not in _loaded:
        _loaded[key] = with_handicaps(game)
    return _loaded[key]


def load_for(name: str, rules: Iterable[str]) -> Game:
    """A game that has these rules: with handicaps, if one of them is one."""
    game = load(name)
    handicaps = set(rules) - {*game.params.declared}
    return load(f"{game.source}{SUFFIX}") if handicaps & {*offered(game)} else game


def _load_named(name: str) -> Game:
    if is_foreign(name):
        return Game(load_theirs(name), name)
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
    """All agents of ours by name, those of one game as ``game/name``."""
    found = _general_agents()
    for folder in pkgutil.iter_modules(ludus.agents.__path__):
        if folder.ispkg:
            found |= {f"{folder.name}/{name}": kind for name, kind in _agents_of(folder.name).items()}
    return found


def offered_agents() -> list[str]:
    """The names of agents that installed packages offer. Nothing of theirs is imported."""
    return sorted(entry.name for entry in _offered("ludus.agents"))


def agent_kind(name: str, game: str = "", *, trust: bool = False) -> type[Agent]:
    """The class behind an agent's name or file; `game` is the name of the one that is played.

    To know the class of an agent that is not ours is to run its code: that takes trust.
    """
    if (ours := _our_kind(name, game)) is not None:
        return ours
    check_name(name, game)
    if not trust:
        raise BadInput(f"{name} is not an agent of Ludus: it plays in a process of its own, or here if it is trusted")
    if name.endswith(".py"):
        kind = next(_agents_in(load_module(Path(name))))
    else:
        kind = next(entry for entry in _offered("ludus.agents") if entry.name == name).load()
    kind.name = name
    return kind


def check_name(spec: str, game: str = "") -> None:
    """Refuse an agent that is not there, without a look into it."""
    if is_command(spec):
        command_words(spec)
        return
    name = spec.partition(":")[0].strip()
    if name.endswith(".py"):
        python_file(Path(name))
    elif not is_ours(name, game) and name not in offered_agents():
        known = [*agent_kinds(), *offered_agents()]
        owners = [one.rpartition("/")[0] for one in known if game and one.endswith(f"/{name}")]
        if owners:
            raise Mismatch(f"{name} cannot play {Path(game).stem}: it is an agent of {' and '.join(owners)} alone")
        raise UnknownName("agent", name, [one.removeprefix(f"{game}/") for one in known])


COMMAND = "cmd:"
"""Before a command line: somebody's program, which speaks the protocol of the game."""


def is_command(spec: str) -> bool:
    return spec.strip().startswith(COMMAND)


def command_words(spec: str) -> list[str]:
    """The words of the command in a spec; refuses one that cannot be run."""
    text = spec.strip().removeprefix(COMMAND)
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise BadInput(f"the command {text!r} cannot be read: {error}") from None
    if not words:
        raise BadInput("after cmd: stands a command, like cmd:./MyBot")
    if shutil.which(words[0]) is None:
        raise BadInput(f"the command {words[0]!r} cannot be found, or is no program")
    return words


def is_ours(spec: str, game: str = "") -> bool:
    """Whether the agent of a spec lies in our own package: by its place, never by what it says of itself."""
    return _our_kind(spec.partition(":")[0].strip(), game) is not None


def _our_kind(name: str, game: str) -> type[Agent] | None:
    """Importing all of them would take longer than many a match."""
    owner, _, short = name.rpartition("/")
    owner = owner or game
    return _general_agents(name).get(name) or _agents_of(owner).get(short)


def agent(spec: str | Agent, game: str | Game, *, trust: bool = False) -> Agent:
    """An agent from a spec like ``mcts:sims=400,c=1.4``, ready to play the game in this process.

    ``my_bot.py:depth=3`` is somebody's own: its code runs here only with `trust`.
    """
    game = load(game)
    made = accepted(spec, game, trust=trust)
    made.prepare(game)
    return made


def accepted(spec: str | Agent, game: Game, *, trust: bool = False) -> Agent:
    """The same, not ready to play yet: that would take longer than to say whether it can."""
    if isinstance(spec, str):
        name, _, text = spec.partition(":")
        kind = agent_kind(name.strip(), game.source, trust=trust)
        made = kind(**read_settings(kind, text))
    else:
        made = spec
    if reason := _refusal(made, game):
        raise Mismatch(f"{made.name} cannot play {game.name}: {reason}")
    return made


def _refusal(made: Agent, game: Game) -> str:
    borrowed = made.only_for == PREFIX and is_foreign(game.source)
    if made.only_for and made.only_for != game.source and not borrowed:
        return f"it is an agent of {made.only_for}{'…' * (made.only_for == PREFIX)} alone"
    return made.refuses(game.facts)


def agents_for(game: Game) -> dict[str, type[Agent]]:
    """Our agents that can play a game, by the names that they have there."""
    kinds = {name.removeprefix(f"{game.source}/"): kind for name, kind in agent_kinds().items()}
    return {name: kind for name, kind in kinds.items() if not _refusal(kind(), game)}


def describe(name: str, kind: type[Agent]) -> dict[str, Any]:
    """What an agent says of itself: a line, what it plays, its settings."""
    settings = {
        field.name: {"default": field.default, "help": field.metadata.get("help", "")}
        for field in dataclasses.fields(kind)
    }
    about = (kind.__doc__ or "").strip().partition("\n")[0]
    accepts = f"{kind.only_for} alone" if kind.only_for else kind.accepts
    if accepts == Agent.accepts and kind.refuses is not Agent.refuses:
        accepts = "every game that its `refuses` lets pass"
    return {"name": name, "about": about, "accepts": accepts, "only_for": kind.only_for, "settings": settings}


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
