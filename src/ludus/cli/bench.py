"""`ludus bench`: how fast rules and searches run here, beside OpenSpiel's C++ in the same run where it is installed.

Everything is per CPU-second of one thread, the best of several interleaved repeats: wall-clock time on a shared machine
says little.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from ludus.cli import options
from ludus.errors import BadInput

if TYPE_CHECKING:
    from ludus.game import Game

EXAMPLE = "Example: ludus bench --against openspiel"
PEER_GAMES = ("connect_four", "breakthrough")
SIMS = 1000
"""Simulations of one search from the first position."""


def command(
    games: Annotated[list[str] | None, typer.Argument(help="These games; without any, all.", metavar="GAME…")] = None,
    against: Annotated[str, typer.Option(help="openspiel: its C++ roll-outs and its C++ MCTS, in the same run.")] = "",
    start_up: Annotated[bool, typer.Option("--start-up", help="A warm command beside a bare `import numba`.")] = False,
    players: Annotated[int, typer.Option(help="Number of players; 0 takes the most.")] = 0,
    preset: options.Preset = "default",
    rule: options.Rules = [],  # noqa: B006 (typer reads it, nobody changes it)
    repeats: Annotated[int, typer.Option(help="Best of so many.", min=1)] = 5,
    seed: options.Seed = 0,
    json: options.Json = False,
) -> None:
    """Measure speed: random play and search of each game, or against a peer."""
    from ludus.catalogue import game_names, load

    if against not in ("", "openspiel"):
        raise BadInput(f"the only peer to measure against is openspiel, not {against!r}")
    if start_up:
        _print("Start-up, CPU-seconds", [start_up_row(repeats)], json)
    elif against:
        if not find_spec("pyspiel"):
            raise BadInput("OpenSpiel is not installed; pip install open_spiel")
        rows = [row for name in games or PEER_GAMES for row in openspiel_rows(load(name), repeats, seed)]
        _print("Per CPU-second, against OpenSpiel's C++", rows, json)
    else:
        changes = options.read_rules(rule)
        rows = [speed_row(load(name), players, preset, changes, repeats, seed) for name in games or game_names()]
        _print("Per CPU-second, one thread", rows, json)


def _print(title: str, rows: list[dict[str, Any]], as_json: bool) -> None:
    if as_json:
        options.print_json({"rows": rows})
        return
    lines = [[_number(value) if isinstance(value, float) else value for value in row.values()] for row in rows]
    options.print_table(title, list(rows[0]), lines)


def _number(value: float) -> str:
    for size, sign in ((1e6, " M"), (1e3, " k")):
        if value >= size:
            return f"{value / size:.3g}{sign}"
    return f"{value:.3g}"


def best_rate(work: Callable[[], float], repeats: int) -> float:
    """Units of work per CPU-second, the best of several; a first run, not counted, compiles."""
    work()
    best = 0.0
    for _ in range(repeats):
        started = time.process_time()
        done = work()
        best = max(best, done / (time.process_time() - started))
    return best


class RandomPlay:
    """Random matches in bulk, so many that a round of them takes about a fifth of a second."""

    def __init__(self, game: Game, players: int, values: dict[str, object], seed: int):
        from ludus.rng import match_words

        self.game, self.players, self.values = game, players, values
        self.words = match_words(seed, np.arange(1), 0, players)
        self.plies()  # compiles
        seconds = 0.0
        while seconds < 0.1 and len(self.words) < 1 << 18:
            self.words = match_words(seed, np.arange(2 * len(self.words)), 0, players)
            started = time.process_time()
            self.plies()
            seconds = time.process_time() - started

    def plies(self) -> np.ndarray:
        from ludus import kernels

        words = self.words.copy()
        states, plies = self.game.start(words, self.players, self.values), np.zeros(len(words), np.int64)
        self.game.kernel(kernels.rollouts)(states, words, plies, self.game.facts.max_plies)
        return plies


def _search_work(game: Game, players: int, values: dict[str, object], seed: int) -> Callable[[], float]:
    from ludus.catalogue import agent
    from ludus.rng import match_words

    searcher = agent(f"mcts:sims={SIMS}", game)
    words = match_words(seed, [0], [0], players)
    states = game.start(words, players, values)
    mask = int(game.waiting(states)[0])
    first = np.array([(mask & -mask).bit_length() - 1])
    views = game.masked(states, first)

    def work() -> float:
        searcher.act_many(views, first, words[:, 1:2].copy())
        return SIMS

    return work


def speed_row(
    game: Game, players: int, preset: str, changes: dict[str, object], repeats: int, seed: int
) -> dict[str, Any]:
    """Random matches and plies, and MCTS simulations from the first position, of one game."""
    n = players or game.facts.players[1]
    values = game.rule_values(preset, changes)
    play = RandomPlay(game, n, values, seed)
    rate = best_rate(lambda: float(len(play.plies())), repeats)
    plies = float(play.plies().mean())
    sims = best_rate(_search_work(game, n, values, seed), repeats)
    return {
        "game": game.name, "players": n, "matches": rate, "plies": rate * plies,
        "plies/match": plies, "mcts sims": sims, "bytes": game.state_type.itemsize,
    }  # fmt: skip


def openspiel_rows(game: Game, repeats: int, seed: int) -> list[dict[str, Any]]:
    """Moves of random play and simulations of UCT, ours and theirs in turn.

    Its roll-outs can be reached from Python only through its search: two simulations with thousands of roll-outs each.
    """
    import pyspiel  # pyright: ignore[reportMissingImports]

    theirs = pyspiel.load_game(game.name)
    values = game.rule_values()
    play = RandomPlay(game, 2, values, seed)
    length = float(play.plies().mean())

    def peer(sims: int, rollouts: int, unit: float) -> Callable[[], float]:
        evaluator = pyspiel.RandomRolloutEvaluator(rollouts, seed)
        bot = pyspiel.MCTSBot(theirs, evaluator, 1.4, sims, 1000, False, seed, False)

        def work() -> float:
            bot.mcts_search(theirs.new_initial_state())
            return sims * unit

        return work

    pairs = {
        "playout": (lambda: float(play.plies().sum()), peer(2, 1000, 1000 * length)),
        "uct": (_search_work(game, 2, values, seed), peer(SIMS, 1, 1)),
    }
    rows = []
    for work, (ours, peers) in pairs.items():
        # Interleaved, so that a slow moment of the machine hits both.
        rates = [(best_rate(ours, 1), best_rate(peers, 1)) for _ in range(repeats)]
        mine, their = (max(column) for column in zip(*rates))
        rows.append({"game": game.name, "work": work, "ours": mine, "peer": their, "ratio": mine / their})
    return rows


def start_up_row(repeats: int) -> dict[str, Any]:
    """CPU-seconds of a whole process: a warm match of two random agents, and a bare import of Numba."""
    script = [sys.executable, "-c", "from ludus.cli import main; main()", "match", "tic_tac_toe", "random", "random"]
    bare = [sys.executable, "-c", "import numba"]
    _child_seconds(script)  # fills the cache
    pairs = [(_child_seconds(script), _child_seconds(bare)) for _ in range(repeats)]
    ours, import_only = (min(column) for column in zip(*pairs))
    return {"command": "ludus match tic_tac_toe random random", "ours": ours, "import numba": import_only,
            "ratio": ours / import_only}  # fmt: skip


def _child_seconds(command: list[str]) -> float:
    import resource

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
