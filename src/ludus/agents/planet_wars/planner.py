"""The planner: the bot of Ziółko and Kruk, 105th of some 4,600 in the contest of 2010.

Every turn, from scratch: foresee all planets, then defend, snipe, attack, expand and supply, in this order. Each part
can be switched off. Where their paper can be read in several ways, each reading is a setting; the first is the default.

    bonus      equation 5: `formula` gives more to a player with the larger growth, `text` to one with the smaller
    distance   the own planet in equation 4: the last that must be `launching`, or the `nearest`
    hold       an attack must hold on `arrival`, or to the `horizon`
    caution    planets that do not pay for certain must leave none open until they do (`payback`), or to the horizon
               (`unsure`); those that do as well (`always`); none (`never`)
    sources    several go `at_once`, so that the farthest lands last; or each `alone`; or all land `together`
    mirror     a twin is the rival's when so `predicted`, or `now`
    front      found from the rival outwards, by who will hold what (`foreseen`) or does `now`; or as the `edge`
    route      supplies go from planet to planet (`relay`), or `direct`
    ending     `counts` turns left before it pays for a planet, or is `ignored`
    battle     fights by the `rules`, or as in the `paper`, which knows neither ties nor three forces
    rival      is taken to stand `still`, or to `rush` with everything at the nearest planet
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ludus.agents.planet_wars._outlook import COLUMNS, MINE, OUTLOOK, RIVALS, foresee, look
from ludus.agents.planet_wars._planner_peace import expand, supply
from ludus.agents.planet_wars._planner_war import READING, attack, defend, snipe
from ludus.agents.planet_wars._plans import PlanningAgent, next_order, start_of_turn
from ludus.compile import rule, template
from ludus.errors import BadSpec
from ludus.game import Game
from ludus.games._planet_wars_text import MAX_PLANETS
from ludus.settings import setting

PARTS = ("forecast", "defend", "snipe", "attack", "expand", "supply")
CHOICES = dict.fromkeys(PARTS, ("off", "on")) | {
    "bonus": ("formula", "text"),
    "distance": ("launching", "nearest"),
    "hold": ("arrival", "horizon"),
    "caution": ("payback", "unsure", "always", "never"),
    "sources": ("at_once", "alone", "together"),
    "mirror": ("predicted", "now"),
    "front": ("foreseen", "now", "edge"),
    "route": ("relay", "direct"),
    "ending": ("counts", "ignored"),
    "battle": ("rules", "paper"),
    "rival": ("still", "rush"),
}


@rule
def find_twins(state, twins):
    """For each planet the one in its place on the other side: opposite through the middle of the homes, else mirrored
    in the line between them; -1 where there is none."""
    x, y = (state.x[1] + state.x[2]) / 2.0, (state.y[1] + state.y[2]) / 2.0
    across, up = state.x[2] - state.x[1], state.y[2] - state.y[1]
    square = max(across * across + up * up, 1e-9)
    found = 0
    for mirrored in range(2):
        found = 0
        for planet in range(state.planets):
            right, high = state.x[planet] - x, state.y[planet] - y
            along = (right * across + high * up) / square
            aim_x, aim_y = x - right, y - high
            if mirrored == 1:
                aim_x, aim_y = state.x[planet] - 2.0 * along * across, state.y[planet] - 2.0 * along * up
            twins[planet] = -1
            for other in range(state.planets):
                near = abs(state.x[other] - aim_x) + abs(state.y[other] - aim_y) < 0.02
                if near and other != planet and state.growth[other] == state.growth[planet]:
                    twins[planet] = other
                    found += 1
        if 2 * found >= state.planets:
            return


@rule
def expect_rush(outlook):
    """Let every ship of the rival leave now for the planet of mine that is nearest."""
    for source in range(outlook.planets):
        if outlook.owner[source, 0] != RIVALS:
            continue
        dest = -1
        for planet in range(outlook.planets):
            if outlook.owner[planet, 0] == MINE:
                if dest < 0 or outlook.trip[source, planet] < outlook.trip[source, dest]:
                    dest = planet
        if dest >= 0 and outlook.trip[source, dest] <= outlook.span:
            outlook.landing[1, dest, outlook.trip[source, dest]] += outlook.ships[source, 0]
            foresee(outlook, dest)


@rule
def simplify(outlook, reading):
    """Take from the outlook what the reading does not want to know."""
    for planet in range(outlook.planets):
        if reading.forecast == 0:
            outlook.landing[:, planet, :] = 0
        elif reading.battle == 1:
            for t in range(1, outlook.span + 1):  # forces of both players wear each other down before they land
                least = min(outlook.landing[0, planet, t], outlook.landing[1, planet, t])
                outlook.landing[0, planet, t] -= least
                outlook.landing[1, planet, t] -= least
        foresee(outlook, planet)
    if reading.rival == 1:
        expect_rush(outlook)


@rule
def make_plan(state, player, reading, outlook, twins, plan):
    """All orders of a turn."""
    span = min(COLUMNS - 1, max(1, state.params.turns - state.turn)) if reading.ending == 0 else 0
    look(state, player, 0, outlook)
    if 0 < span < outlook.span:
        look(state, player, span, outlook)
    if reading.forecast == 0 or reading.battle == 1 or reading.rival == 1:
        simplify(outlook, reading)
    find_twins(state, twins)
    plan.count = 0
    if reading.defend == 1:
        defend(outlook, plan)
    if reading.snipe == 1:
        snipe(outlook, plan)
    if reading.attack == 1:
        attack(outlook, plan, reading)
    if reading.expand == 1:
        expand(outlook, plan, reading, twins)
    if reading.supply == 1:
        supply(outlook, plan, reading)


@template
def choose_planned(views, players, readings, outlooks, plans, scratch, bytes_of_it, out):
    twins = np.empty(MAX_PLANETS, np.int32)
    for i in range(views.shape[0]):
        key = start_of_turn(views[i], players[i], scratch, bytes_of_it)
        plan = plans[key % np.uint64(plans.shape[0])]
        if plan.key != key:
            make_plan(scratch[0], players[i], readings[0], outlooks[0], twins, plan)
            plan.key = key
        out[i] = next_order(views[i], players[i], plan)


@dataclass
class Planner(PlanningAgent):
    """The bot of Ziółko and Kruk: foresees, defends, snipes, attacks, expands and supplies."""

    name: ClassVar[str] = "planner"
    compiled: ClassVar[bool] = True
    only_for: ClassVar[str] = "planet_wars"

    forecast: bool = setting(True, "foresee the fleets under way")
    defend: bool = setting(True, "reinforce planets that will be lost")
    snipe: bool = setting(True, "take neutral planets right after the rival has")
    attack: bool = setting(True, "attack where it cannot fail")
    expand: bool = setting(True, "take neutral planets")
    supply: bool = setting(True, "send spare ships to the front")
    bonus: str = setting("formula", "equation 5: formula (more when winning) or text (more when losing)")
    distance: str = setting("launching", "own planet in equation 4: launching or nearest")
    hold: str = setting("arrival", "how long an attack must hold: arrival or horizon")
    caution: str = setting("payback", "expansion that must leave no planet open: payback, unsure, always or never")
    sources: str = setting("at_once", "how several sources go together: at_once, alone or together")
    mirror: str = setting("predicted", "when a twin is the rival's: predicted or now")
    front: str = setting("foreseen", "how the front is found: foreseen, now or edge")
    route: str = setting("relay", "how supplies travel: relay or direct")
    ending: str = setting("counts", "whether the turns left limit what is paid: counts or ignored")
    battle: str = setting("rules", "fights in the forecast: rules or paper")
    rival: str = setting("still", "what the rival is taken to do: still or rush")

    def prepare(self, game: Game) -> None:
        super().prepare(game)
        self._readings = readings_of(self)

    def act_many(self, views: np.ndarray, players: np.ndarray, words: np.ndarray) -> np.ndarray:
        out = np.empty(len(views), np.int32)
        outlooks = np.zeros(1, OUTLOOK)
        self.game.kernel(choose_planned)(views, players, self._readings, outlooks, *self.room(), out)
        return out


def readings_of(planner: Planner) -> np.ndarray:
    """Its settings as the compiled parts read them."""
    readings = np.zeros(1, READING)
    for name, choices in CHOICES.items():
        value = getattr(planner, name)
        value = ("off", "on")[value] if isinstance(value, bool) else value
        if value not in choices:
            raise BadSpec(f"planner: {name} is one of {', '.join(choices)}, not {value!r}")
        readings[name] = choices.index(value)
    return readings
