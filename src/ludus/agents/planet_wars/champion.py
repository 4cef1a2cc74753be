"""The champion of Planet Wars: exact futures, judged as if every planet were under siege, and plans built from steps.

A step takes a planet in one turn with ships from several planets, the farthest first, so that all land together (nearer
ones leave later: such orders are part of the plan, but not yet given); or it moves all that one planet can spare to
another own one, or to a near one of the rival's. Every step is judged alone by what the whole position is then worth,
and the best are chained, each judged anew after those before it. Defence, sniping, supply and the choice of a front
need no rules of their own: they fall out of the judgement.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ludus.agents.planet_wars._outlook import MINE, OUTLOOK, clash, foresee, look
from ludus.agents.planet_wars._plans import PLAN, PlanningAgent, add_order, next_order, start_of_turn
from ludus.agents.planet_wars._siege import SIEGE, WEIGHTS, worth_of
from ludus.compile import rule, template
from ludus.game import Game
from ludus.games._planet_wars_maps import NEUTRAL
from ludus.games._planet_wars_text import MAX_PLANETS
from ludus.rules import record
from ludus.settings import setting

STEPS = 1024
ARRIVALS = 4  # turns of arrival that are tried for a planet
LINKS = 12  # steps in a plan
SMALL = 1e-9

STEP = record(
    dest=np.int32,
    arrive=np.int32,
    need=np.int32,
    source=np.int32,  # of a move; -1 where the sources are found by the time of arrival
    gain=np.float64,
)
PARTS = record(
    count=np.int32, source=(np.int32, MAX_PLANETS), ships=(np.int32, MAX_PLANETS), leave=(np.int32, MAX_PLANETS)
)

# ------------------------------------------------------------------------------------------------ steps


@rule
def find_parts(outlook, step, parts):
    """Who sends how many and when; False if the ships are not there."""
    parts.count = 0
    need = step.need
    if step.source >= 0:
        ships = outlook.spare[step.source, 0] if outlook.owner[step.source, 0] == MINE else 0
        if ships > 0:
            add_part(parts, step.source, ships, 0)
        return ships > 0
    for leave in range(step.arrive):
        for source in range(outlook.planets):
            if outlook.trip[source, step.dest] == step.arrive - leave and outlook.owner[source, leave] == MINE:
                ships = min(need, outlook.spare[source, leave])
                if ships > 0 and source != step.dest:
                    add_part(parts, source, ships, leave)
                    need -= ships
        if need == 0:
            return True
    return False


@rule
def add_part(parts, source, ships, leave):
    parts.source[parts.count] = source
    parts.ships[parts.count] = ships
    parts.leave[parts.count] = leave
    parts.count += 1


@rule
def put(outlook, dest, parts, sign):
    """Write the parts of a step into the outlook, or with sign -1 take them out again."""
    for k in range(parts.count):
        source, leave, ships = parts.source[k], parts.leave[k], sign * parts.ships[k]
        if leave == 0:
            outlook.ships[source, 0] -= ships
        else:
            outlook.leaving[source, leave] += ships
        lands = leave + outlook.trip[source, dest]
        if lands <= outlook.span:
            outlook.landing[0, dest, lands] += ships
        foresee(outlook, source)
    foresee(outlook, dest)


@rule
def judge(outlook, siege, weights, step, parts):
    """What the position is worth after a step; very little if it cannot be taken."""
    if not find_parts(outlook, step, parts):
        return -1e18
    put(outlook, step.dest, parts, 1)
    worth = worth_of(outlook, siege, weights)
    put(outlook, step.dest, parts, -1)
    return worth


# ------------------------------------------------------------------------------------------------ which steps


@rule
def ships_to_hold(outlook, siege, dest, arrive, besieged):
    """Ships that must land in a turn for the planet to be mine from then on, against the fleets under way or, with
    `besieged`, against all that the rival can bring; 0 if none are needed."""
    need = 0
    for _ in range(4):
        owner, ships = outlook.owner[dest, arrive - 1], outlook.ships[dest, arrive - 1]
        missing = 0
        for t in range(arrive, outlook.span + 1):
            ships += outlook.growth[dest] if owner != NEUTRAL else 0
            mine, rivals = outlook.landing[0, dest, t], outlook.landing[1, dest, t]
            mine += need if t == arrive else 0
            if besieged and t > arrive:
                mine += siege.stream[0, dest, t]
                rivals += siege.stream[1, dest, t]
            was = owner
            if mine + rivals > 0 or t == arrive:
                owner, ships = clash(owner, ships, mine, rivals)
            if owner != MINE:
                missing = ships + (0 if was == MINE else 1)
                break
        if missing == 0:
            return need
        need += missing
    return need


@rule
def add_step(steps, count, dest, arrive, need, source):
    if count < STEPS:
        one = steps[count]
        one.dest, one.arrive, one.need, one.source, one.gain = dest, arrive, need, source, 0.0
        return count + 1
    return count


@rule
def list_captures(outlook, siege, steps, count, dest):
    """Steps that take or save a planet: as soon as that can be done, and later where a planet would send ships now."""
    tried = 0
    for arrive in range(1, outlook.span):
        if tried > 0 and not leaves_now(outlook, dest, arrive):
            continue
        least = ships_to_hold(outlook, siege, dest, arrive, False)
        if least == 0 or ships_at_hand(outlook, dest, arrive) < least:
            continue
        tried += 1
        count = add_step(steps, count, dest, arrive, least, -1)
        safe = ships_to_hold(outlook, siege, dest, arrive, True)
        if safe > least:
            count = add_step(steps, count, dest, arrive, safe, -1)
        if tried == ARRIVALS:
            break
    return count


@rule
def leaves_now(outlook, dest, arrive):
    """Whether some planet must send its ships now for them to land in that turn."""
    for source in range(outlook.planets):
        if outlook.trip[source, dest] == arrive and outlook.owner[source, 0] == MINE and outlook.spare[source, 0] > 0:
            return True
    return False


@rule
def ships_at_hand(outlook, dest, arrive):
    total = 0
    for source in range(outlook.planets):
        leave = arrive - outlook.trip[source, dest]
        if source != dest and leave >= 0 and outlook.owner[source, leave] == MINE:
            total += outlook.spare[source, leave]
    return total


@rule
def list_steps(outlook, siege, steps, raids):
    """All steps worth a look; `siege` must be of this outlook."""
    count = 0
    for dest in range(outlook.planets):
        count = list_captures(outlook, siege, steps, count, dest)
    for source in range(outlook.planets):
        if outlook.owner[source, 0] != MINE or outlook.spare[source, 0] == 0:
            continue
        for dest in range(outlook.planets):
            turns = outlook.trip[source, dest]
            owner = outlook.owner[dest, turns] if turns < outlook.span else NEUTRAL
            if dest != source and (owner == MINE or (owner != NEUTRAL and turns <= raids)):
                count = add_step(steps, count, dest, turns, 0, source)
    return count


# ------------------------------------------------------------------------------------------------ plans


@rule
def bring_best_forward(steps, first, count):
    """Put the step with the most gain at `first`."""
    best = first
    for k in range(first + 1, count):
        if steps[k].gain > steps[best].gain:
            best = k
    held = steps[first].dest, steps[first].arrive, steps[first].need, steps[first].source, steps[first].gain
    one, other = steps[first], steps[best]
    one.dest, one.arrive, one.need, one.source, one.gain = (
        other.dest,
        other.arrive,
        other.need,
        other.source,
        other.gain,
    )
    other.dest, other.arrive, other.need, other.source, other.gain = held


@rule
def chain(outlook, siege, weights, steps, count, parts, plan):
    """Take the first step, and then the best again and again as long as it is a gain; the worth of it all."""
    plan.count = 0
    worth = steps[0].gain
    for _ in range(LINKS):
        if not find_parts(outlook, steps[0], parts):
            break
        put(outlook, steps[0].dest, parts, 1)
        for k in range(parts.count):
            if parts.leave[k] == 0:
                add_order(plan, parts.source[k], steps[0].dest, parts.ships[k])
        worth = steps[0].gain
        count = min(count, weights.tries)
        for k in range(count):
            bring_best_forward(steps, k, count)
        for k in range(count):
            steps[k].gain = judge(outlook, siege, weights, steps[k], parts)
        bring_best_forward(steps, 0, count)
        if steps[0].gain <= worth + SMALL:
            break
    return worth


@rule
def make_plan(state, player, weights, outlooks, siege, steps, parts, plans, plan):
    """All orders of a turn: the best of the chains that begin with the best steps."""
    plan.count = 0
    look(state, player, max(1, min(weights.span, state.params.turns - state.turn)), outlooks[0])
    best = worth_of(outlooks[0], siege, weights) + SMALL
    count = list_steps(outlooks[0], siege, steps[0], weights.raids)
    for k in range(count):
        steps[0, k].gain = judge(outlooks[0], siege, weights, steps[0, k], parts)
    for start in range(min(weights.starts, count)):
        bring_best_forward(steps[0], start, count)
        if steps[0, start].gain <= best and start == 0:
            return
        outlooks[1] = outlooks[0]
        steps[1, :count] = steps[0, :count]
        steps[1, 0] = steps[0, start]
        steps[1, start] = steps[0, 0]
        worth = chain(outlooks[1], siege, weights, steps[1], count, parts, plans[0])
        if worth > best:
            best = worth
            plan.count = plans[0].count
            plan.orders[: plan.count] = plans[0].orders[: plan.count]


@template
def choose_as_champion(
    views, players, weights, outlooks, sieges, steps, parts, drafts, plans, scratch, bytes_of_it, out
):
    for i in range(views.shape[0]):
        key = start_of_turn(views[i], players[i], scratch, bytes_of_it)
        plan = plans[key % np.uint64(plans.shape[0])]
        if plan.key != key:
            make_plan(scratch[0], players[i], weights[0], outlooks, sieges[0], steps, parts[0], drafts, plan)
            plan.key = key
        out[i] = next_order(views[i], players[i], plan)


@dataclass
class Champion(PlanningAgent):
    """Plans of synchronised steps, judged as if every planet were besieged by all that can be spared."""

    name: ClassVar[str] = "champion"
    compiled: ClassVar[bool] = True
    only_for: ClassVar[str] = "planet_wars"

    span: int = setting(32, "turns that are looked ahead", low=4)
    delay: int = setting(2, "turns by which its own streams are taken to start later", low=0)
    pull: float = setting(0.001, "how bad a ship of the rival's is that still stands, a turn", low=0)
    cost: float = setting(1.0, "how bad a ship is that is lost to a neutral planet", low=0)

    share: int = setting(8, "sixteenths of the streams in the second siege", low=0)
    second: float = setting(1.0, "how much the second siege counts beside the first", low=0)

    raids: int = setting(8, "longest trip of a move against the rival; farther ones go to own planets only", low=0)
    starts: int = setting(5, "chains that are tried, each from another first step", low=1)
    tries: int = setting(32, "steps that are judged anew after each link of a chain", low=1)

    def prepare(self, game: Game) -> None:
        super().prepare(game)
        self._weights = np.zeros(1, WEIGHTS)
        for name in ("span", "delay", "pull", "cost", "share", "second", "raids", "starts", "tries"):
            self._weights[name] = getattr(self, name)

    def act_many(self, views: np.ndarray, players: np.ndarray, words: np.ndarray) -> np.ndarray:
        out = np.empty(len(views), np.int32)
        desk = (
            np.zeros(2, OUTLOOK),
            np.zeros(1, SIEGE),
            np.zeros((2, STEPS), STEP),
            np.zeros(1, PARTS),
            np.zeros(1, PLAN),
        )
        self.game.kernel(choose_as_champion)(views, players, self._weights, *desk, *self.room(), out)
        return out
