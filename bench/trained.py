"""By how much is a network that a playtest trains stronger than the best search that thinks as long?

    python bench/trained.py GAME SEARCH [seconds] [matches] [jobs] [--rule NAME=VALUE ...]

Trains as `ludus playtest --train` does, for the part of the default budget that it takes (180 seconds), finds how many
simulations take as long as the search, and plays both against each other.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from ludus.arena.hosts import full_spec
from ludus.catalogue import load
from ludus.measure.evidence import Level
from ludus.measure.run import Table
from ludus.playtest import training
from ludus.playtest.plan import DEFAULT, TRAINING, Mode, Order
from ludus.workers import Threads


def main() -> None:
    words = [word for word in sys.argv[1:] if "=" not in word or ":" in word]
    rules: dict[str, object] = dict(word.split("=") for word in sys.argv[1:] if word not in words)
    name, search = words[:2]
    seconds, matches, jobs = (float(x) for x in [*words[2:], TRAINING * DEFAULT.seconds, 200, 1][:3])
    game = load(name)
    order = Order(name, "default", rules, 2, Mode("bench", seconds / TRAINING, DEFAULT.precision, DEFAULT.top))
    table = Table(game, game.rule_values("default", rules), 2, 0, Threads(int(jobs)))
    with tempfile.TemporaryDirectory() as folder:
        run = training.trained(order, game, Path(folder), table.workers, lambda *told: None)
        rival = Level(full_spec(search, game))
        match = training.match_time(game, table.values, run, rival.spec, 2, table.workers)
        top = training.level(game, run, match.sims)
        lineup = table.lineup([top.spec, rival.spec], int(matches))
        print(f"{name}, {seconds:.0f} seconds of training: {training.gain([lineup], top, rival, match)}")


if __name__ == "__main__":
    main()
