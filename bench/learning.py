"""What `ludus train alphazero` makes of games in so many minutes, judged at equal time against `mcts`.

    python bench/learning.py GAME … [--minutes 10] [--jobs 2] [--ms 20 1] [--games 100] [--players N] [--out FOLDER]
                                     [--set NAME=VALUE …]

A game is a name, a file, NAME:preset, or `nim`, which is the one in README.md. Each is trained with default settings,
but for those that are set, and then plays with the same milliseconds a move as `mcts`, every seat equally often; a JSON
line a game. Of Kuhn poker it also says how much the best answer would gain, in chips: no search by self-play has a
guarantee there.
"""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path
from typing import Any

import numpy as np

from ludus import load
from ludus.arena.contest import contest
from ludus.arena.statistics import Interval
from ludus.catalogue import agent
from ludus.game import Game
from ludus.learn import alphazero
from ludus.learn._rulers import elo
from ludus.runs import begin_run
from ludus.settings import read_settings
from ludus.workers import Threads

HERE = Path(__file__).resolve().parent


def find(name: str, folder: Path) -> tuple[Game, dict[str, Any]]:
    """A game and its rules."""
    if name == "nim":
        code = re.search(r"```python\n(\"\"\"Nim:.*?)```", (HERE.parent / "README.md").read_text("utf-8"), re.S)
        assert code
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "nim.py").write_text(code[1], "utf-8")
        name = str(folder / "nim.py")
    name, _, preset = name.partition(":")
    game = load(name)
    return game, game.rule_values(preset or "default")


def learn(name: str, wanted: argparse.Namespace) -> dict[str, Any]:
    game, values = find(name, wanted.out)
    players = wanted.players or game.facts.players[1]
    given = {"minutes": wanted.minutes, "players": players, "device": wanted.device}
    given |= read_settings(alphazero.Settings, ",".join(wanted.set), "method alphazero")
    settings = alphazero.Settings(**given)
    folder = wanted.out / name.replace("/", "-").replace(":", "-")
    run = begin_run(folder, "alphazero", game, values, settings, 0)
    for row in alphazero.train(game, values, settings, run, 0, Threads(wanted.jobs)):
        print(json.dumps({"game": name, **row}), flush=True)
    told = {"game": name, "minutes": wanted.minutes, "jobs": wanted.jobs, "players": players}
    for ms in wanted.ms:
        for how in wanted.play:
            lineup = [f"alphazero:{folder},ms={ms:g}{how}", *[f"mcts:ms={ms:g}"] * (players - 1)]
            found = contest(game.source, lineup, games=wanted.games, rules=values, workers=Threads(wanted.jobs))
            score = told_of(found.agents[0].interval)
            told[f"ms={ms:g}{how}"] = {"score": score, "elo": [round(elo(x, players)) for x in score]}
            print(json.dumps(told), flush=True)
    if game.name == "kuhn_poker":
        told["gain of the best answer, chips"] = {
            "policy": kuhn_gain(game, f"alphazero:{folder},sims=0,temperature=1"),
            "search": kuhn_gain(game, f"alphazero:{folder},sims=200,temperature=1"),
        }
    return told


def told_of(score: Interval) -> list[float]:
    return [round(score.value, 4), round(score.low, 4), round(score.high, 4)]


def kuhn_gain(game: Game, spec: str, draws: int = 2000) -> float:
    """Half of what both players could gain by the best answer to this one, in chips."""
    player = agent(spec, game)

    def bets(seat: int, moves: str) -> np.ndarray:
        """How often it bets with each card."""
        found = []
        for card in "JQK":
            cards = f"{card} {'K' if card != 'K' else 'Q'}" if seat == 0 else f"{'K' if card != 'K' else 'Q'} {card}"
            views = game.masked(game.parse_state(f"cards {cards}\nmoves {moves}", 2), np.array([seat]))
            words = np.random.default_rng(1).integers(1, 1 << 63, (draws, 1)).astype(np.uint64)
            found.append(player.act_many(np.repeat(views, draws), np.full(draws, seat), words).mean())
        return np.array(found)

    opens, after_pass, calls, calls_back = bets(0, "none"), bets(1, "pass"), bets(1, "bet"), bets(0, "pass bet")
    cards = range(3)
    first = second = 0.0
    for own in cards:
        others, sign = [k for k in cards if k != own], {k: 1 if own > k else -1 for k in cards}
        bet = sum((1 - calls[k]) + calls[k] * 2 * sign[k] for k in others)
        meet = max(sum(after_pass[k] * 2 * sign[k] for k in others), sum(-after_pass[k] for k in others))
        first += max(bet, sum((1 - after_pass[k]) * sign[k] for k in others) + meet) / 6
        call = max(sum(opens[k] * 2 * sign[k] for k in others), sum(-opens[k] for k in others))
        raises = sum((1 - opens[k]) * ((1 - calls_back[k]) + calls_back[k] * 2 * sign[k]) for k in others)
        second += (call + max(sum((1 - opens[k]) * sign[k] for k in others), raises)) / 6
    return round((first + second) / 2, 4)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="+")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--ms", type=float, nargs="+", default=[20.0])
    parser.add_argument("--play", nargs="+", default=[""], help="settings of the agent, as ,temperature=1")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--players", type=int, default=0)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--out", type=Path, default=Path("build/learning"))
    wanted = parser.parse_args()
    for name in wanted.names:
        print(json.dumps(learn(name, wanted)), flush=True)


if __name__ == "__main__":
    main()
