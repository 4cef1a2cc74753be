"""Self-play as in the Organism paper: a network that only values positions, complete turns, a gate an iteration.

An iteration is 100 matches of the best network against itself, ten epochs over the positions of the last iterations in
all twelve forms, and 40 matches of the new network against the best, which it replaces with 60 % of the decided ones.
`reading=published` is the paper's text; `reading=program` what its committed program had: 250 matches, a gate of 50.
"""

from __future__ import annotations

import io
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ludus.agents.organism._search import Limits, Search, forms, grid, see_all
from ludus.agents.organism._tree import PLANES
from ludus.agents.organism.hexaconv import WEIGHTS, values_of
from ludus.arena.statistics import wilson
from ludus.errors import BadInput
from ludus.game import Game
from ludus.learn._plan import CUDA, check_device
from ludus.learn.organism._games import Counts, Played, Room, count
from ludus.nets.hexaconv import to_onnx
from ludus.rng import match_words, word
from ludus.runs import RunFolder
from ludus.settings import setting
from ludus.workers import Workers

NUMBERS = {"published": (100, 40, 0.5), "program": (250, 50, 0.7)}
"""Matches an iteration and at the gate; temperature of the priors there."""
SELF_TEMPERATURE, DRAWN, GATE_DRAWN = 0.7, 30, 20
"""Temperature of the priors in self-play, and turns that are drawn by visits there and at the gate. The text has none
at the gate, but the program has, and without them its 40 matches would be two, twenty times over."""
WINDOW = 20  # iterations that are learnt from
AGAIN = 3  # times that a match of self-play which is cut off begins anew; then it counts as a draw


@dataclass
class Settings:
    """What decides a training; what is 0, the reading decides."""

    iterations: int = setting(10, "of self-play, learning and the gate", 1, 10**6)
    reading: str = setting("published", "published (the paper's text) or program (what was committed)")
    games: int = setting(0, "matches of self-play in an iteration", 0, 10**6)
    gate: int = setting(0, "matches of the new network against the best", 0, 10**6)
    needed: float = setting(0.6, "share of the decided ones that the new network must win", 0, 1)
    sims: int = setting(25, "roll-outs a turn", 1, 10**5)
    width: int = setting(512, "channels of the network", 1, 4096)
    epochs: int = setting(10, "over the positions in all their forms", 1, 1000)
    device: str = setting("cpu", "where the network runs: cpu or cuda", resource=True)


CURVE = {"first": "share of matches that the first player wins", "suicides": "share that a player ended by dying out"}
GAMES = 40


def TOTAL(settings: Settings) -> int:
    return settings.iterations


@dataclass
class Standing:
    """How far a training has come; `positions` and `wins` of every iteration that is still learnt from."""

    iterations: int = 0
    accepted: int = 0
    positions: list[np.ndarray] = field(default_factory=list)
    wins: list[np.ndarray] = field(default_factory=list)


def train(
    game: Game, values: Mapping[str, object], settings: Settings, run: RunFolder, seed: int, workers: Workers
) -> Iterator[dict[str, object]]:
    """Train, or go on from the folder's last checkpoint; a row an iteration."""
    _check(settings)
    training = Training(game, values, settings, run, seed, workers)
    run.cut_log(training.standing.iterations)
    while training.standing.iterations < settings.iterations:
        row = training.iterate()
        run.log(row)
        training.save()
        yield row


def _check(settings: Settings) -> None:
    if settings.reading not in NUMBERS:
        raise BadInput(f"hexaconv: reading is {' or '.join(NUMBERS)}, not {settings.reading!r}")
    check_device("hexaconv", settings.device)


class Training:
    """One training: the best network, and what it has played."""

    def __init__(
        self,
        game: Game,
        values: Mapping[str, object],
        settings: Settings,
        run: RunFolder,
        seed: int,
        workers: Workers,
    ):
        import torch

        from ludus.learn.organism._lessons import Network

        self.game, self.settings, self.run, self.seed, self.workers = game, settings, run, seed, workers
        games, gate, self.gate_temperature = NUMBERS[settings.reading]
        self.games, self.gate = settings.games or games, settings.gate or gate
        self.start = game.start(np.zeros((1, 3), np.uint64), 2, values)
        self.rings = int(self.start["params"]["rings"][0])
        self.side, self.places = grid(self.rings)
        torch.manual_seed(seed)
        torch.set_num_threads(1)
        form = torch.channels_last if settings.device == CUDA else torch.contiguous_format  # what its cores multiply

        def make() -> Network:
            made = Network(self.side, settings.width).to(settings.device)
            return made.to(memory_format=form).eval()  # pyright: ignore[reportCallIssue]

        self._torch, self._make = torch, make
        self.network = self._make()
        self.standing = run.load("checkpoint.pt", self._restore) or Standing()

    def iterate(self) -> dict[str, object]:
        """Play, learn, and let the new network try; the row of the log."""
        began, number = time.perf_counter(), self.standing.iterations + 1
        best = values_of(self.network.arrays(), self.settings.device)
        matches = self._self_play(best, number)
        played = time.perf_counter()
        self._remember(matches)
        pupil, error = self._learn(number)
        taught = time.perf_counter()
        won, decided = self._try(pupil, best, number)
        accepted = decided > 0 and won >= self.settings.needed * decided
        if accepted:
            self.network = pupil
            self.standing.accepted = number
            content = to_onnx(pupil.arrays(), half=True)
            self.run.write(f"iteration-{number}.onnx", content)
            self.run.write(WEIGHTS, content)
        self.standing.iterations = number
        seconds = (played - began, taught - played, time.perf_counter() - taught)
        return _row(number, count(matches), error, won, decided, accepted, seconds)

    def _self_play(self, best: Any, number: int) -> list[Played]:
        limits = Limits(self.settings.sims, 1.0, SELF_TEMPERATURE)
        words = match_words(word(self.seed, number), np.arange(self.games), 0, 2)[:, 1:2]
        parts = np.array_split(words, min(self.workers.count, self.games))

        def play(part: np.ndarray) -> list[Played]:
            search = Search(self.game, len(part), self.rings, best, limits)
            room = Room(self.game, self.start, [search], np.zeros((len(part), 2), np.int64), DRAWN)
            return room.play(part.copy(), AGAIN)

        return [match for matches in self.workers.stream(play, parts) for match in matches]

    def _remember(self, matches: list[Played]) -> None:
        """Every position of these matches, the last one included, with who won from the side of its mover."""
        states = np.array([state for match in matches for state in match.states])
        winners = np.array([match.winner for match in matches for _ in match.states])
        planes = np.empty((len(states), PLANES * self.side**2), np.int8)
        self.game.kernel(see_all)(states, self.places, self.side, planes)
        self.standing.positions = [*self.standing.positions, planes][-WINDOW:]
        wins = np.where(winners == 0, 0, np.where(winners == 1 + states["mover"], 1, -1)).astype(np.int8)
        self.standing.wins = [*self.standing.wins, wins][-WINDOW:]

    def _learn(self, number: int) -> tuple[Any, float]:
        """A copy of the best network that has learnt, and its error."""
        from ludus.learn.organism._lessons import teach

        pupil = self._make()
        pupil.load_state_dict(self.network.state_dict())
        positions, wins = np.concatenate(self.standing.positions), np.concatenate(self.standing.wins)
        lesson = word(self.seed, -number) >> 33
        return pupil, teach(pupil, positions, wins, forms(self.rings), self.settings.epochs, int(lesson))

    def _try(self, pupil: Any, best: Any, number: int) -> tuple[int, int]:
        """Matches that the new network won against the best, and those that somebody won."""
        limits = Limits(self.settings.sims, 1.0, self.gate_temperature)
        players = [values_of(pupil.arrays(), self.settings.device), best]
        words = match_words(word(self.seed, number), np.arange(self.gate), 1, 2)[:, 1:2]
        parts = np.array_split(np.arange(self.gate), min(self.workers.count, self.gate))

        def play(part: np.ndarray) -> list[int]:
            searches = [Search(self.game, len(part), self.rings, values, limits) for values in players]
            seats = np.where(part[:, None] % 2 == 0, [[0, 1]], [[1, 0]])
            matches = Room(self.game, self.start, searches, seats, GATE_DRAWN).play(words[part])
            return [int(seats[k, match.winner - 1]) for k, match in enumerate(matches) if match.winner]

        winners = [winner for part in self.workers.stream(play, parts) for winner in part]
        return winners.count(0), len(winners)

    def save(self) -> None:
        content, standing = io.BytesIO(), self.standing
        state = {"network": self.network.state_dict(), "counts": [standing.iterations, standing.accepted]}
        kept = [[self._torch.as_tensor(part) for part in parts] for parts in (standing.positions, standing.wins)]
        self._torch.save(state | {"positions": kept[0], "wins": kept[1]}, content)
        self.run.write("checkpoint.pt", content.getvalue())

    def _restore(self, content: bytes) -> Standing:
        saved = self._torch.load(io.BytesIO(content), map_location=self.settings.device, weights_only=True)
        self.network.load_state_dict(saved["network"])
        positions, wins = ([part.cpu().numpy() for part in saved[name]] for name in ("positions", "wins"))
        iterations, accepted = saved["counts"]
        return Standing(iterations, accepted, positions, wins)


def _row(
    number: int, counts: Counts, error: float, won: int, decided: int, accepted: bool, seconds: tuple[float, ...]
) -> dict[str, object]:
    first = wilson(counts.first_wins, counts.matches)
    return {
        "iteration": number,
        "matches": counts.matches,
        "first": round(counts.first_wins / counts.matches, 4),
        "low": round(first.low, 4),
        "high": round(first.high, 4),
        "suicides": round(counts.suicides / counts.matches, 4),
        "turns": round(counts.turns, 2),
        "grows": round(counts.grows_first / counts.matches, 4),
        "centre": round(counts.centre / counts.matches, 4),
        "cut": round(counts.cut_off / counts.matches, 4),
        "error": round(error, 4),
        "won": won,
        "decided": decided,
        "accepted": int(accepted),
        "playing": round(seconds[0], 1),
        "learning": round(seconds[1], 1),
        "trying": round(seconds[2], 1),
    }
