"""How strong the searches are: against random play, against OpenSpiel's C++ search, and against each other.

    python bench/strength.py [--quick] [--json]

Every line is a contest in blocks: all seatings of a lineup, with the same luck. Scores and rates have 95 % intervals
over blocks. A claim holds where the interval does not reach below it, fails where it lies below, and else is open.

This file is also an agent, OpenSpiel's MCTSBot for connect four: `ludus match connect_four mcts bench/strength.py`.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import defaultdict
from dataclasses import asdict, dataclass
from typing import ClassVar

import numpy as np

from ludus.agent import Agent
from ludus.arena.contest import contest
from ludus.arena.statistics import Interval, score_interval, wilson
from ludus.records import MatchRecord
from ludus.rng import word
from ludus.settings import setting

# ------------------------------------------------------------------------------------------------ the peer


@dataclass
class OpenSpielMcts(Agent):
    """OpenSpiel's MCTSBot on connect four: C++, one random roll-out a leaf, the same limits as ours."""

    name: ClassVar[str] = "openspiel"
    compiled: ClassVar[bool] = True
    accepts: ClassVar[str] = "connect_four"

    sims: int = setting(400, "simulations a move", low=1)
    c: float = setting(1.4, "exploration", low=0)
    solve: bool = setting(True, "whether wins and losses are proven, as MCTS-Solver does")

    def prepare(self, game) -> None:
        import pyspiel

        super().prepare(game)
        self._spiel, self._theirs = pyspiel, pyspiel.load_game(game.name)

    def act_many(self, views: np.ndarray, players: np.ndarray, words: np.ndarray) -> np.ndarray:
        return np.array([self._search(views[i], words[i]) for i in range(len(views))], np.int32)

    def _search(self, state, rng: np.ndarray) -> int:
        rng[0] = word(int(rng[0]))
        seed = int(rng[0]) % (1 << 31)
        evaluator = self._spiel.RandomRolloutEvaluator(1, seed)
        bot = self._spiel.MCTSBot(self._theirs, evaluator, self.c, self.sims, 1000, self.solve, seed, False)
        return bot.step(self._theirs.new_initial_state(_position(state)))


def _position(state) -> str:
    """Our position as OpenSpiel reads it."""
    first, second = (int(stones) for stones in state.stones)
    signs = ["." if not (first | second) >> k & 1 else "xo"[second >> k & 1] for k in range(49)]
    board = [signs[row::7] for row in range(6)]
    return json.dumps({"board": board, "current_player": "xo"[state.turn >> 1], "is_terminal": False, "winner": ""})


# ------------------------------------------------------------------------------------------------ trials

PEER = __file__


@dataclass(frozen=True)
class Trial:
    """One contest: the first agent against the others, and what is claimed of it."""

    game: str
    agent: str
    rivals: tuple[str, ...]
    games: int
    quick: int
    claim: float = 0.0
    """The least score (or rate of blocks won) that is claimed; 0: nothing is."""
    by_blocks: bool = False
    """Whether whole blocks are counted: a block is won if its score is above the even one."""
    preset: str = "default"


def _against_random(game: str, agent: str, games: int, quick: int, players: int = 2, **more) -> Trial:
    return Trial(game, agent, ("random",) * (players - 1), games, quick, more.pop("claim", 1 / players), **more)


TRIALS = (
    _against_random("connect_four", "mcts:sims=2000", 400, 160, by_blocks=True, claim=0.95),
    _against_random("breakthrough", "mcts:sims=2000", 200, 160, by_blocks=True, claim=0.95),
    _against_random("kuhn_poker", "mcts:sims=2000", 4000, 1000),
    _against_random("goofspiel", "mcts:sims=2000", 400, 60),
    # Equal simulations; first with the same constant on both sides, then with ours as we tuned it, and theirs likewise.
    Trial("connect_four", "mcts:sims=400,c=1.4", (f"{PEER}:sims=400,c=1.4",), 600, 60, claim=0.45),
    Trial("connect_four", "mcts:sims=1000,c=1.4", (f"{PEER}:sims=1000,c=1.4",), 400, 30, claim=0.45),
    Trial("connect_four", "mcts:sims=400", (f"{PEER}:sims=400,c=1.4",), 600, 60, claim=0.45),
    Trial("connect_four", "mcts:sims=1000", (f"{PEER}:sims=1000,c=1.4",), 400, 30, claim=0.45),
    Trial("connect_four", "mcts:sims=400", (f"{PEER}:sims=400,c=2",), 400, 30, claim=0.45),
    Trial("connect_four", "alphabeta:ms=10", ("mcts:ms=10",), 100, 10),
    Trial("breakthrough", "alphabeta:ms=10", ("mcts:ms=10",), 60, 10),
    _against_random("gravwell", "mcts:sims=200", 400, 80, players=4),
    _against_random("gravwell", "mcts:sims=200,horizon=6", 400, 80, players=4),
    _against_random("planet_wars", "mcts:sims=200,horizon=30", 60, 12, preset="skirmish"),
    _against_random("organism", "mcts:sims=200", 60, 16),
    _against_random("pivit", "mcts:sims=200", 60, 16),
    _against_random("pivit", "mcts:sims=200,horizon=10", 60, 16),
    _against_random("thrones", "mcts:sims=200", 100, 30),
)


@dataclass(frozen=True)
class Result:
    game: str
    agent: str
    against: str
    preset: str
    measure: str
    value: float
    low: float
    high: float
    games: int
    claim: float
    verdict: str
    plies: float
    cpu_seconds: float


def measure(trial: Trial, quick: bool) -> Result:
    shares: defaultdict[int, list[float]] = defaultdict(list)

    def note(record: MatchRecord) -> None:
        shares[record.block].append(record.shares[-record.rotation % record.players])  # the seat of the first agent

    started = time.process_time()
    games = trial.quick if quick else trial.games
    played = contest(trial.game, [trial.agent, *trial.rivals], games=games, seed=1, preset=trial.preset, keep=note)
    seconds = time.process_time() - started
    interval = _interval(np.array(list(shares.values())), trial.by_blocks)
    rivals = " ".join(rival.replace(PEER, "openspiel") for rival in trial.rivals)
    return Result(
        trial.game, trial.agent, rivals, trial.preset, "blocks won" if trial.by_blocks else "score",
        interval.value, interval.low, interval.high, played.games, trial.claim, _verdict(trial.claim, interval),
        played.mean_plies, seconds,
    )  # fmt: skip


def _interval(shares: np.ndarray, by_blocks: bool) -> Interval:
    """Of the mean share, or of the blocks in which the agent had more than its even share."""
    if not by_blocks:
        return score_interval(shares)
    return wilson(int((shares.mean(axis=1) > 1 / shares.shape[1]).sum()), len(shares))


def _verdict(claim: float, interval: Interval) -> str:
    if not claim:
        return ""
    return "holds" if interval.low >= claim else "fails" if interval.high < claim else "open"


# ------------------------------------------------------------------------------------------------ the report


def _line(result: Result) -> str:
    preset = "" if result.preset == "default" else f" ({result.preset})"
    lineup = f"{result.game}{preset}: {result.agent} against {result.against}"
    numbers = f"{100 * result.value:5.1f} % [{100 * result.low:.1f}, {100 * result.high:.1f}]"
    claim = f", claim {100 * result.claim:.0f} % {result.verdict}" if result.claim else ""
    cost = f"{result.plies:.0f} plies a game, {result.cpu_seconds:.0f} CPU-s"
    return f"{lineup}\n    {result.measure} {numbers} of {result.games:,} games{claim}; {cost}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few games: one CPU-minute instead of six")
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    parser.add_argument("--only", default="", help="only contests whose game or agents contain this text")
    options = parser.parse_args()
    chosen = [trial for trial in TRIALS if options.only in f"{trial.game} {trial.agent} {' '.join(trial.rivals)}"]
    results = []
    for trial in chosen:
        results.append(measure(trial, options.quick))
        if not options.json:
            print(_line(results[-1]), flush=True)
    if options.json:
        print(json.dumps({"results": [asdict(result) for result in results]}))


if __name__ == "__main__":
    main()
