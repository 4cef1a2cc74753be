"""Who meets whom: the planner against the example bots, against itself without a part or read otherwise, a ladder."""

from __future__ import annotations

import numpy as np

from ludus.arena.contest import contest
from ludus.arena.match import replay
from ludus.arena.playbacks import playback_of
from ludus.catalogue import load
from ludus.papers import matches
from ludus.papers.claims import Measure
from ludus.papers.experiments import Experiment, Measured, Result, Scale, Watch, own_seed
from ludus.records import MatchRecord
from ludus.workers import Workers

GAME = "planet_wars"
CLASSIC, FINALS = "default", "finals"
RULES = {CLASSIC: "maps until November", FINALS: "maps of the finals"}
BOTH = (CLASSIC, FINALS)
EVEN = 0.5

PLANNER, CHAMPION = "planner", "champion"
EXAMPLES = {
    "random_bot": "RandomBot",
    "bully": "BullyBot",
    "prospector": "ProspectorBot",
    "dual": "DualBot",
    "rage": "RageBot",
}
PARTS = {
    "forecast": "without the forecast",
    "defend": "without defence",
    "snipe": "without sniping",
    "attack": "without attack",
    "expand": "without expansion",
    "supply": "without supply",
}
READINGS = {
    "bonus=text": "equation 5 as the sentence has it",
    "distance=nearest": "distances from the nearest own planet",
    "hold=horizon": "attacks must hold to the horizon",
    "caution=unsure": "expansion must be safe to the horizon",
    "caution=always": "all expansion must be safe",
    "caution=never": "no expansion need be safe",
    "sources=alone": "attacks from one planet",
    "sources=together": "attacks that land together",
    "mirror=now": "twins count when they are taken",
    "front=now": "the front lies where planets are now",
    "front=edge": "the front is the edge",
    "route=direct": "supplies go straight to the front",
    "ending=ignored": "the end is not looked at",
    "battle=paper": "fights as in the paper",
    "rival=rush": "the rival is taken to rush",
}
LADDER = {
    "random": "random",
    **{name: spec for spec, name in EXAMPLES.items()},
    "planner": PLANNER,
    "champion": CHAMPION,
}
TYPICAL = {"dual": (PLANNER, "dual"), "self": (PLANNER, PLANNER), "champion": (CHAMPION, PLANNER)}


def lineups(scale: Scale, seed: int, workers: Workers) -> list[Experiment]:
    """Every lineup on both kinds of maps, and the ladder."""
    found: list[Experiment] = []

    def add(name: str, first: str, second: str, games: int) -> None:
        for preset in BOTH:
            found.append(matches.lineup(f"{name}-{preset}", GAME, [first, second], preset, games, seed, workers))

    for spec in EXAMPLES:
        add(f"example-{spec}", PLANNER, spec, scale.pick(200, 2_000))
    for part in PARTS:
        add(f"part-{part}", PLANNER, f"{PLANNER}:{part}=off", scale.pick(200, 2_000))
    for change in READINGS:
        add(f"reading-{change}", f"{PLANNER}:{change}", PLANNER, scale.pick(200, 2_000))
    add("champion", CHAMPION, PLANNER, scale.pick(100, 1_000))
    found.append(matches.ladder("ladder", GAME, LADDER, FINALS, scale.pick(20, 200), seed, workers))
    return found


def typical_matches(seed: int) -> Experiment:
    """One match of each kind, turn by turn, with its playback."""
    own = own_seed(seed, "typical")

    def run(watch: Watch) -> Result:
        found = {}
        for key, specs in TYPICAL.items():
            kept: list[MatchRecord] = []
            contest(GAME, specs, games=2, seed=own, preset=FINALS, keep=kept.append)
            found[key] = _curves(min(kept, key=lambda record: record.rotation))
            watch(2)
        return found

    agents = {spec for specs in TYPICAL.values() for spec in specs}
    settings = {"rules": matches.rules_of(GAME, FINALS), "code": matches.codes(GAME, sorted(agents)), "seed": own}
    return Experiment("typical", settings, 2 * len(TYPICAL), run)


def _curves(record: MatchRecord) -> Result:
    """Growth and ships of both players after every turn."""
    game = load(GAME)
    text = playback_of(record, game)
    states = game.module.parse_playback(text, replay(record, 0, game).states[0])
    owned = [states["owner"] == 1 + player for player in (0, 1)]
    growth = [np.where(own, states["growth"], 0).sum(axis=1).tolist() for own in owned]
    ships = [
        (np.where(own, states["ships"], 0).sum(axis=1) + states["fleet_ships"][:, player].sum(axis=1)).tolist()
        for player, own in enumerate(owned)
    ]
    return {"growth": growth, "ships": ships, "playback": text, "agents": record.agents}


def share(results: Measured, name: str, preset: str, label: str) -> Measure:
    """The share of the point of the first agent; a draw is half of one."""
    return matches.share(results, f"{name}-{preset}", label, 0, RULES[preset])


def lead(results: Measured, name: str, preset: str, label: str) -> Measure:
    """What the first agent takes more than half."""
    return share(results, name, preset, label).minus(Measure("", EVEN, EVEN, EVEN, 0), label)
