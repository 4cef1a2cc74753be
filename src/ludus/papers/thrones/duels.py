"""Two players of Thrones, many matches in each seat: who wins, how, and how much land each holds in the end.

As in the course's own runner a player keeps its corner, and who moves first alternates: the first of a pair is always
X, top left. In the large room that matters, since the walker begins its way towards the other corner.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np

from ludus.arena.lockstep import play_to_the_end
from ludus.arena.statistics import wilson
from ludus.catalogue import agent, load
from ludus.games.thrones import AREA, DRAW, ENCLOSED, HEAD_TAKEN, ROUNDS, TRAIL_CUT, WALKER_HIT, WALKERS_HIT_BOTH
from ludus.identity import game_parts
from ludus.papers import matches
from ludus.papers.claims import Measure
from ludus.papers.experiments import Experiment, Measured, Result, Watch, own_seed
from ludus.rng import match_words
from ludus.workers import Workers

GAME = "thrones"
LARGE, SMALL = "paper_large", "paper_small"
RULES = {LARGE: "large room with a walker", SMALL: "small room without one"}
BOTH = (LARGE, SMALL)
SEATS = ("first", "second")
FAVOURED = {LARGE: 0, SMALL: 1}
"""The seat that can take heads: at the start the heads are an odd number of steps apart in the large room, an even one
in the small."""
ENDINGS = {
    HEAD_TAKEN: "head", TRAIL_CUT: "trail", ENCLOSED: "enclosed", WALKER_HIT: "walker", WALKERS_HIT_BOTH: "walker",
    AREA: "area", ROUNDS: "rounds",
}  # fmt: skip
BLUNDER = "blunder"
"""All other endings: somebody ran into something."""
BATCHES = 8
"""Parts of a seat's matches that can be played side by side."""


def duel(
    name: str, specs: tuple[str, str], preset: str, games: int, seed: int, workers: Workers,
    rules: Mapping[str, object] | None = None,
) -> Experiment:  # fmt: skip
    """`games` matches in which the first player moves first, and as many in which it moves second."""
    own = own_seed(seed, name)
    values = load(GAME).rule_values(preset, dict(rules or {}))

    def run(watch: Watch) -> Result:
        batch = -(-games // BATCHES)
        parts = [(seat, at, min(batch, games - at)) for seat in (0, 1) for at in range(0, games, batch)]
        found: list[list[Result]] = [[], []]
        for seat, result in workers.stream(lambda part: (part[0], play(specs, values, own, *part)), parts):
            found[seat].append(result)
            watch(result["games"])
        return {"games": 2 * games, "seats": [summed(results) for results in found]}

    settings = {"rules": game_parts(load(GAME), values), "agents": list(specs), "games": games, "seed": own,
                "corners": "stay", "code": matches.codes(GAME, specs)}  # fmt: skip
    return Experiment(name, settings, 2 * games, run)


def play(specs: tuple[str, str], values: Mapping[str, object], seed: int, seat: int, at: int, games: int) -> Result:
    """Matches number `at` and on, in which the first player has this turn."""
    game, seats = load(GAME), np.tile([0, 1], (games, 1))
    words = match_words(seed, np.arange(at, at + games), seat, 2)
    states = game.start(words, 2, {**values, "first": seat})
    play_to_the_end(game, [agent(spec, game) for spec in specs], states, seats, words, np.zeros(games, np.int64))
    won, drawn = states["winner"] == 1, states["winner"] == DRAW
    how = [ENDINGS.get(int(ending), BLUNDER) for ending in states["ending"]]
    return {
        "games": games, "wins": int(won.sum()), "draws": int(drawn.sum()), "plies": int(states["plies"].sum()),
        "won": dict(Counter(word for word, one in zip(how, won) if one)),
        "lost": dict(Counter(word for word, one, equal in zip(how, won, drawn) if not one and not equal)),
        "area": int(states["area"][:, 0].sum()), "rival": int(states["area"][:, 1].sum()),
    }  # fmt: skip


def summed(results: list[Result]) -> Result:
    total: Result = {
        key: sum(one[key] for one in results) for key in ("games", "wins", "draws", "plies", "area", "rival")
    }
    for key in ("won", "lost"):
        counts = sum((Counter(one[key]) for one in results), Counter())
        total[key] = dict(sorted(counts.items()))
    return total


def rate(results: Measured, name: str, seat: int, label: str, preset: str = "") -> Measure:
    """The share of the point that the first player took in a seat."""
    found = results[name]["seats"][seat]
    share = wilson(found["wins"] + found["draws"] / 2, found["games"])
    return Measure(label, share.value, share.low, share.high, found["games"], rules=RULES.get(preset, ""))


def both_seats(results: Measured, name: str, label: str, preset: str = "") -> Measure:
    found = results[name]["seats"]
    points = sum(one["wins"] + one["draws"] / 2 for one in found)
    share = wilson(points, results[name]["games"])
    return Measure(label, share.value, share.low, share.high, results[name]["games"], rules=RULES.get(preset, ""))
