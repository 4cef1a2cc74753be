"""Evolution of the numbers that an agent names as tunable: weights of a heuristic, of a network, thresholds of a plan.

Two schemes. `modern` is CMA-ES (Hansen): it learns which directions pay, all candidates of a generation play the same
matches with the same luck, every generation other ones, and former bests join the opponents. `published` is that of a
paper on Thrones: of each parent four copies, eight near and four far mutants; the best is the next parent. There the
reward is the sum of final margins, and a bonus for those who won *all* their matches; the copies measure the parent
again, so that a lucky one does not rule for ever.

What a match ends with besides its result, a lead in territory say, is the game's `margin` (`agents/<game>/_margin.py`).
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ludus.agent import Agent
from ludus.agents._own import own_part
from ludus.arena.lockstep import play_to_the_end
from ludus.arena.statistics import score_interval
from ludus.catalogue import accepted, agent
from ludus.compile import bind, rule, template
from ludus.errors import BadInput, BadSpec, Mismatch
from ludus.game import Game
from ludus.rng import match_words, word
from ludus.runs import RunFolder
from ludus.settings import setting
from ludus.workers import Workers

SCHEMES = ("modern", "published")
MANY_NUMBERS = 200
"""Above this the covariance of CMA-ES is kept to its diagonal: it would take longer than the matches."""
COPIES, NEAR = 4, 8
"""Of the published sixteen; the rest are far mutants."""


@dataclass
class Settings:
    """What decides a training."""

    agent: str = setting("", "the agent whose numbers are changed, with its settings; write ; for , within it")
    opponents: str = setting("random", "whom it plays, joined by +; attack@paper_small plays under that preset")
    scheme: str = setting("modern", "modern (CMA-ES) or published (sixteen children of one parent)")
    generations: int = setting(60, "generations to breed", low=1, high=10**6)
    population: int = setting(16, "candidates in a generation", low=4, high=10**4)
    games: int = setting(8, "matches of a candidate against each opponent in each seat", low=1, high=10**6)
    spread: float = setting(0.3, "first step, as a part of each number; published: deviation of near mutants", low=0)
    far: float = setting(3.0, "published: far mutants vary so many times as much", low=1)
    bonus: float = setting(1000.0, "published: reward for winning every match", low=0)
    credit: float = setting(0.0005, "modern: what a unit of margin counts beside a share of the point", low=0)
    renew: int = setting(20, "modern: after so many generations the best joins the opponents; 0: never", low=0)


def TOTAL(settings: Settings) -> int:
    return settings.generations


def SPEC(settings: Settings, folder: Path, game: Game) -> str:
    """Who plays with what was found. Numbers that the training began with are not named: what is set by hand counts
    before a run."""
    base = accepted(settings.agent.replace(";", ","), game)
    fresh = base.tuned(type(base)().tunable()).spec
    return f"{fresh}{',' if ':' in fresh else ':'}run={folder}"


# ------------------------------------------------------------------------------------------------ matches


@rule
def no_margin(state, player):
    return 0.0


def margin(state, player) -> Any:
    """In a template: by how much a player leads at the end."""


@template
def read_margins(states, players, out):
    for i in range(states.shape[0]):
        out[i] = margin(states[i], players[i])


class Opponent(NamedTuple):
    """Somebody to play against, and under which rules."""

    agent: Agent
    values: Mapping[str, object]


class Scores(NamedTuple):
    """Of one candidate: its share of the point and its margin in every match."""

    shares: np.ndarray
    margins: np.ndarray


def read_opponents(game: Game, values: Mapping[str, object], text: str) -> list[Opponent]:
    found = []
    for item in filter(None, text.split("+")):
        spec, _, preset = item.strip().partition("@")
        rules = game.rule_values(preset) if preset else values
        found.append(Opponent(agent(spec.replace(";", ","), game), rules))
    if not found:
        raise BadSpec("evolution: opponents names nobody")
    return found


def play(game: Game, candidate: Agent, opponent: Opponent, games: int, seed: int) -> Scores:
    """Matches in both seats; the seed names their luck."""
    blocks, seats = np.repeat(np.arange(games), 2), np.tile([[0, 1], [1, 0]], (games, 1))
    words = match_words(seed, blocks, seats[:, 0], 2)
    states = game.start(words, 2, opponent.values)
    play_to_the_end(game, [candidate, opponent.agent], states, seats, words, np.zeros(len(states), np.int64))
    own = np.argmin(seats, axis=1)
    margins = np.empty(len(states))
    _margins_of(game)(states, own, margins)
    payoffs = game.payoffs(states)
    lead = payoffs[np.arange(len(states)), own] - payoffs[np.arange(len(states)), 1 - own]
    return Scores(0.5 + 0.5 * np.sign(lead), margins)


@cache
def _margins_of(game: Game) -> Callable:
    return bind(read_margins, game.names | {"margin": own_part(game, "margin", no_margin)}, game.name)


class Trial:
    """Plays candidates against all opponents."""

    def __init__(self, game: Game, base: Agent, opponents: list[Opponent], settings: Settings, workers: Workers):
        self.game, self.base, self.opponents, self.settings = game, base, opponents, settings
        self.workers = workers

    def judge(self, candidates: Sequence[np.ndarray], seed: int) -> list[Scores]:
        """The scores of every candidate, all on the same matches."""
        agents = [agent(self.base.tuned(numbers), self.game) for numbers in candidates]

        def work(item: tuple[int, int]) -> tuple[int, int, Scores]:
            c, o = item
            return c, o, play(self.game, agents[c], self.opponents[o], self.settings.games, word(seed, o))

        items = [(c, o) for c in range(len(agents)) for o in range(len(self.opponents))]
        found = {(c, o): scores for c, o, scores in self.workers.stream(work, items)}
        return [
            Scores(*(np.concatenate(parts) for parts in zip(*(found[c, o] for o in range(len(self.opponents))))))
            for c in range(len(agents))
        ]


# ------------------------------------------------------------------------------------------------ schemes


class Modern:
    """CMA-ES over numbers measured by their own size; a past generation is told again from its fitness alone."""

    def __init__(self, start: np.ndarray, settings: Settings, seed: int):
        try:
            import cmaes
        except ImportError:
            raise BadInput("evolution needs the package cmaes: pip install 'ludus[learn]'") from None
        self.start, self.unit = start, np.maximum(np.abs(start), 0.1)
        kind = cmaes.SepCMA if len(start) > MANY_NUMBERS else cmaes.CMA
        if len(start) < 2:
            raise Mismatch("evolution wants an agent with two tunable numbers or more")
        self._optimiser = kind(
            np.zeros(len(start)), max(settings.spread, 1e-6), population_size=settings.population, seed=seed % 2**32
        )
        self._credit = settings.credit

    def ask(self) -> list[np.ndarray]:
        self._asked = [self._optimiser.ask() for _ in range(self._optimiser.population_size)]
        return [self.start + self.unit * point for point in self._asked]

    def fitness(self, scores: Scores) -> float:
        return float(scores.shares.mean() + self._credit * scores.margins.mean())

    def tell(self, fitness: np.ndarray) -> np.ndarray:
        """Learn from a generation; gives back where it now searches."""
        self._optimiser.tell([(point, -value) for point, value in zip(self._asked, fitness)])
        return self.start + self.unit * self._optimiser.mean


class Published:
    """Sixteen children of one parent."""

    def __init__(self, start: np.ndarray, settings: Settings, seed: int):
        self.parent, self._settings, self._rng = start, settings, np.random.default_rng(seed)

    def ask(self) -> list[np.ndarray]:
        near = self._settings.spread
        spreads = [0.0 if k < COPIES else near if k < COPIES + NEAR else near * self._settings.far
                   for k in range(self._settings.population)]  # fmt: skip
        self._asked = [self.parent + self._rng.normal(0, 1, len(self.parent)) * spread for spread in spreads]
        return self._asked

    def fitness(self, scores: Scores) -> float:
        return float(scores.margins.sum() + (self._settings.bonus if (scores.shares == 1).all() else 0.0))

    def tell(self, fitness: np.ndarray) -> np.ndarray:
        self.parent = self._asked[int(np.argmax(fitness))]
        return self.parent


# ------------------------------------------------------------------------------------------------ the training


def train(
    game: Game, values: Mapping[str, object], settings: Settings, run: RunFolder, seed: int, workers: Workers
) -> Iterator[dict[str, Any]]:
    base = _tunable_agent(game, settings)
    opponents = read_opponents(game, values, settings.opponents)
    scheme = (Modern if settings.scheme == "modern" else Published)(base.tunable(), settings, seed)
    told = run.load("fitness.npy", _read_fitness)
    history = [] if told is None else list(told)
    run.cut_log(len(history))
    trial = Trial(game, base, opponents, settings, workers)
    for generation in range(settings.generations):
        candidates = scheme.ask()
        if generation < len(history):
            best = scheme.tell(history[generation])
        else:
            scores = trial.judge(candidates, word(seed, generation))
            history.append(np.array([scheme.fitness(one) for one in scores]))
            best = scheme.tell(history[-1])
            row = _row(generation, history[-1], scores)
            run.write("numbers.txt", "\n".join(repr(float(number)) for number in best).encode())
            run.write("fitness.npy", _as_bytes(np.array(history)))
            run.log(row)
            yield row
        if settings.scheme == "modern" and settings.renew and (generation + 1) % settings.renew == 0:
            former = agent(base.tuned(best), game)
            trial.opponents = [*trial.opponents, Opponent(former, values)]


def _tunable_agent(game: Game, settings: Settings) -> Agent:
    if settings.scheme not in SCHEMES:
        raise BadSpec(f"evolution: scheme is one of {', '.join(SCHEMES)}, not {settings.scheme!r}")
    if not settings.agent:
        raise BadSpec("evolution: --set agent=NAME says whose numbers are to be changed")
    if game.facts.players != (2, 2):
        raise Mismatch(f"evolution compares two players; {game.name} is for {game.facts.players[1]}")
    base = agent(settings.agent.replace(";", ","), game)
    if not len(base.tunable()):
        raise Mismatch(f"{base.name} names no numbers that evolution could change")
    return base


def _row(generation: int, fitness: np.ndarray, scores: Sequence[Scores]) -> dict[str, Any]:
    """The share is that of all candidates: the best one's would flatter."""
    pairs = np.concatenate([one.shares.reshape(-1, 2) for one in scores])
    share = score_interval(pairs)
    margins = np.mean([one.margins.mean() for one in scores])
    return {"generation": generation + 1, "share": round(share.value, 4), "low": round(share.low, 4),
            "high": round(share.high, 4), "best": round(float(fitness.max()), 4),
            "mean": round(float(fitness.mean()), 4), "margin": round(float(margins), 2)}  # fmt: skip


def _as_bytes(array: np.ndarray) -> bytes:
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


def _read_fitness(content: bytes) -> np.ndarray:
    return np.load(io.BytesIO(content), allow_pickle=False)
