"""The champion of Planet Wars: exact futures, judged as if every planet were under siege, and plans built from steps.

Every step is judged alone by what the whole position is then worth, and the best are chained, each judged anew after
those before it. Defence, sniping, supply and the choice of a front need no rules of their own: they fall out of the
judgement. Several drafts of a plan are made so, each from another first step, and to each the rival replies with the
best of its own, found in the same way. All of them meet in a table, which says what each is worth. To the best of them
orders are added that move up the ships left behind the front; then they are played out, with planners on both sides,
each time of another kind, and the one is taken that the table and the play-outs together think best. Of all this only a
first draft is always made; the rest comes in the order of what it is good for, as long as there is time.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ludus.agents._tuned import tuned_numbers
from ludus.agents.planet_wars._drafts import DRAFT, carry_out, clear, copy_tables, note, take_orders
from ludus.agents.planet_wars._lines import LINES, MOST_LINES, PLANNED, RIVALS_PLAN, choose_line
from ludus.agents.planet_wars._outlook import OUTLOOK, look, turn_round
from ludus.agents.planet_wars._plans import PLAN, PlanningAgent, next_order, start_of_turn
from ludus.agents.planet_wars._playout import CASTS, stage, think, work_of_playout
from ludus.agents.planet_wars._siege import SIEGE, WEIGHTS, worth_of
from ludus.agents.planet_wars._steps import (
    PARTS,
    STEP,
    STEPS,
    bring_best_forward,
    find_parts,
    judge,
    list_steps,
    put,
)
from ludus.agents.planet_wars._table import DRAFTS, TABLE, add_column, add_row, is_new, solve
from ludus.compile import rule, template
from ludus.game import Game
from ludus.settings import setting

LINKS = 12  # steps in a plan
FEWEST = 6  # steps that are judged, however short the time
MOST_SIEGES = 4  # of each planet; twice as many showed no gain
WORK = 400_000  # turns of sieges in a millisecond: counted, not timed, so that the same view gives the same plan
SMALL = 1e-9
TUNED = {"span": (4, 60), "delay": (0, 8), "pull": (0, 99), "cost": (0, 9), "share": (0, 16), "second": (0, 9),
         "hope": (0, 1), "raids": (0, 30), "relay": (-1, 9), "far": (4, 60), "flow": (0, 999)}  # fmt: skip
"""The numbers that evolution may change, and between which ends they make sense."""


@rule
def chain(outlook, siege, weights, steps, count, parts, draft):
    """Take the first step, and then the best again and again as long as it is a gain."""
    clear(draft)
    for _ in range(LINKS):
        if not find_parts(outlook, steps[0], parts):
            break
        put(outlook, steps[0].dest, parts, 1)
        note(draft, steps[0].dest, parts)
        worth = steps[0].gain
        count = min(count, weights.tries)
        for k in range(count):
            bring_best_forward(steps, k, count)
        count = judge_in_time(outlook, siege, weights, steps, count, parts)
        bring_best_forward(steps, 0, count)
        if steps[0].gain <= worth + SMALL:
            break


@rule
def judge_in_time(outlook, siege, weights, steps, count, parts):
    """Say what the first steps are worth: all of them, or a few and what there is time for; how many they were."""
    for k in range(count):
        if k >= FEWEST and siege.work > weights.work:
            return k
        steps[k].gain = judge(outlook, siege, weights, steps[k], parts)
    return count


@rule
def list_judged(outlook, siege, weights, steps, parts):
    """The steps with what they are worth; their number, and the worth of doing nothing."""
    still = worth_of(outlook, siege, weights)
    count = list_steps(outlook, siege, steps, weights)
    return judge_in_time(outlook, siege, weights, steps, count, parts), still


@rule
def best_draft(outlook, siege, weights, steps, parts, draft):
    """The draft that begins with the best step; empty if none is a gain. The outlook is changed on the way."""
    clear(draft)
    count, still = list_judged(outlook, siege, weights, steps, parts)
    if count > 0:
        bring_best_forward(steps, 0, count)
        if steps[0].gain > still + SMALL:
            chain(outlook, siege, weights, steps, count, parts, draft)


@rule
def fill_table(outlooks, siege, weights, steps, parts, drafts, table, plans):
    """Drafts of mine and the rival's replies, in the order of what they are good for, as long as there is time.

    The first draft is always made. A reply to doing nothing comes next, and then those to the first draft and to what
    a planner would order: both or none, since a draft that no reply was looked for would seem the better one."""
    count, still = list_judged(outlooks[0], siege, weights, steps[0], parts)
    clear(drafts[0, 0])
    table.rows, table.columns, table.alone[0] = 1, 0, still
    outlooks[1] = outlooks[0]
    add_draft(outlooks, siege, weights, steps, parts, drafts, table, 0, count)
    cost = siege.work
    enter_planners(outlooks, siege, weights, drafts, table, plans)
    if count > 0 and has_time(outlooks[0], siege, weights, cost):
        reply(outlooks, siege, weights, steps, parts, drafts, table, 0)
    if has_time(outlooks[0], siege, weights, (table.rows - 1) * cost):
        for row in range(1, table.rows):
            reply(outlooks, siege, weights, steps, parts, drafts, table, row)
        try_more(outlooks, siege, weights, steps, parts, drafts, table, count, 2 * cost)
    solve(table, weights.trust)


@rule
def try_more(outlooks, siege, weights, steps, parts, drafts, table, count, cost):
    """Drafts from the next best first steps, while these are a gain and there is time, and the rival's replies.

    None of mine is made in answer to a draft of the rival's: it would know what the rival does, and no reply to it is
    as good as it is, so that the table would trust it too much."""
    for start in range(1, min(weights.starts, count)):
        row = table.rows
        if siege.work > weights.drafting or not has_time(outlooks[0], siege, weights, cost):
            break
        if not add_draft(outlooks, siege, weights, steps, parts, drafts, table, start, count):
            break
        if table.rows > row:
            reply(outlooks, siege, weights, steps, parts, drafts, table, row)


@rule
def has_time(outlook, siege, weights, cost):
    """Whether something can be done before the play-outs."""
    return siege.work + cost + 2 * work_of_playout(outlook.planets, weights.turns) <= weights.work


@rule
def enter_planners(outlooks, siege, weights, drafts, table, plans):
    """Put what planners would order into the table, for both sides."""
    take_orders(drafts[1, table.columns], plans[RIVALS_PLAN])
    if weights.trust > 0.0 and is_new(drafts[1], table.columns):
        add_column(table, outlooks, siege, weights, drafts)
    take_orders(drafts[0, table.rows], plans[PLANNED])
    enter(outlooks, siege, weights, drafts, table)


@rule
def add_draft(outlooks, siege, weights, steps, parts, drafts, table, start, count):
    """The draft that begins with the best step but `start` becomes a row; False if that step is no gain."""
    if start >= count or table.rows == DRAFTS:
        return False
    bring_best_forward(steps[0], start, count)
    if steps[0, start].gain <= table.alone[0] + SMALL:
        return False
    copy_tables(outlooks[0], outlooks[1])
    steps[1, :count] = steps[0, :count]
    steps[1, 0] = steps[0, start]
    steps[1, start] = steps[0, 0]
    chain(outlooks[1], siege, weights, steps[1], count, parts, drafts[0, table.rows])
    enter(outlooks, siege, weights, drafts, table)
    return True


@rule
def enter(outlooks, siege, weights, drafts, table):
    """Put the draft after the last row into the table, unless it is there already."""
    row = table.rows
    if is_new(drafts[0], row):
        copy_tables(outlooks[0], outlooks[1])
        carry_out(outlooks[1], 0, drafts[0, row])
        table.alone[row] = worth_of(outlooks[1], siege, weights)
        add_row(table, outlooks, siege, weights, drafts)


@rule
def reply(outlooks, siege, weights, steps, parts, drafts, table, row):
    """The rival's best draft against one of mine becomes a column, unless it is there already."""
    if weights.trust > 0.0 and table.columns < DRAFTS:
        copy_tables(outlooks[0], outlooks[1])
        carry_out(outlooks[1], 0, drafts[0, row])
        turn_round(outlooks[1])
        best_draft(outlooks[1], siege, weights, steps[1], parts, drafts[1, table.columns])
        if is_new(drafts[1], table.columns):
            add_column(table, outlooks, siege, weights, drafts)


@rule
def make_plan(state, player, weights, outlooks, siege, steps, parts, drafts, table, lines, plans, stage, plan):
    """All orders of a turn: those of the line to take."""
    siege.work = 0
    look(state, player, max(1, min(weights.span, state.params.turns - state.turn)), outlooks[0])
    think(state, player, stage, 0, plans[PLANNED])
    think(state, 1 - player, stage, 0, plans[RIVALS_PLAN])
    fill_table(outlooks, siege, weights, steps, parts, drafts, table, plans)
    best = choose_line(state, player, outlooks, siege, weights, steps, parts, drafts, table, lines, plans, stage)
    plan.count = plans[best].count
    plan.orders[:] = plans[best].orders


@template
def choose_as_champion(
    views, players, weights, outlooks, sieges, steps, parts, drafts, tables, lines, lined, stage, plans, scratch,
    bytes_of_it, out
):  # fmt: skip
    for i in range(views.shape[0]):
        key = start_of_turn(views[i], players[i], scratch, bytes_of_it)
        plan = plans[key % np.uint64(plans.shape[0])]
        if plan.key != key:
            make_plan(
                scratch[0], players[i], weights[0], outlooks, sieges[0], steps, parts[0], drafts, tables[0], lines[0],
                lined, stage, plan,
            )  # fmt: skip
            plan.key = key
        out[i] = next_order(views[i], players[i], plan)


@dataclass
class Champion(PlanningAgent):
    """Plans of synchronised steps, judged as if every planet were besieged, and weighed against the rival's."""

    name: ClassVar[str] = "champion"
    compiled: ClassVar[bool] = True
    only_for: ClassVar[str] = "planet_wars"

    ms: int = setting(20, "milliseconds of an ordinary core a turn, after which no more plans are tried", low=1)
    run: str = setting("", "a run that tuned the weights")
    span: float = setting(30.0, "turns that are looked ahead", low=4)
    delay: float = setting(3.0, "turns by which its own streams are taken to start later", low=0)
    pull: float = setting(
        1.0, "how bad a ship of the rival's is that still stands, in thousandths of a ship a turn", low=0
    )
    cost: float = setting(0.6, "how bad a ship is that is lost to a neutral planet", low=0)
    share: float = setting(7.0, "sixteenths of the streams in the last siege of a planet", low=0)
    second: float = setting(1.0, "how much the last siege counts beside the first", low=0)
    hope: float = setting(0.54, "how much a planet counts that only a siege would win", low=0, high=1)
    raids: float = setting(11.0, "longest trip of a move against the rival; farther ones go to own planets only", low=0)
    far: float = setting(12.0, "longest trip to a planet of the rival's that is to be taken", low=4)
    flow: float = setting(20.0, "what may be lost for moving ships on to the front that no step wanted", low=0)
    relay: float = setting(1.0, "turns that a move by way of another own planet may take longer; -1: never so", low=-1)
    trust: float = setting(0.5, "how much the rival's drafts count, against its giving no orders at all", low=0, high=1)
    starts: int = setting(64, "first steps from which plans are tried, time allowing", low=1)
    tries: int = setting(32, "steps that are judged anew after each link of a plan", low=1)

    part: float = setting(0.5, "part of the time for drafts; the rest is for playing them out", low=0, high=1)
    plays: int = setting(
        2, "plans that are played out, time allowing; the best of many is one with luck", low=2, high=MOST_LINES
    )
    casts: int = setting(
        8, "play-outs of each such plan, time allowing, each between other planners", low=1, high=len(CASTS)
    )
    turns: int = setting(30, "turns of a play-out", low=1)
    beyond: int = setting(40, "turns of growth after a play-out that count", low=0)
    sight: float = setting(0.2, "how much play-outs count beside the table", low=0)
    risk: float = setting(200.0, "by how much the table may say less of a plan than of the best", low=0)

    def prepare(self, game: Game) -> None:
        super().prepare(game)
        self.work = 0  # what the last plan took
        numbers = tuned_numbers(self, game)
        self._weights = np.zeros(1, WEIGHTS)
        for (name, ends), value in zip(TUNED.items(), numbers):
            self._weights[name] = np.clip(value if WEIGHTS[name].kind == "f" else round(value), *ends)
        for name in ("trust", "starts", "tries", "plays", "casts", "turns", "beyond", "sight", "risk"):
            self._weights[name] = getattr(self, name)
        self._weights["sieges"] = min(2 + self.ms // 10, MOST_SIEGES)
        self._weights["drafting"] = self.ms * WORK * self.part
        self._weights["work"] = self.ms * WORK

    def tunable(self) -> np.ndarray:
        return np.array([getattr(self, name) for name in TUNED], float)

    def tuned(self, numbers: np.ndarray) -> Champion:
        return replace(self, run="", **{name: float(value) for name, value in zip(TUNED, numbers)})

    def act_many(self, views: np.ndarray, players: np.ndarray, words: np.ndarray) -> np.ndarray:
        out, siege = np.empty(len(views), np.int32), np.zeros(1, SIEGE)
        desk = np.zeros(2, OUTLOOK), siege, np.zeros((2, STEPS), STEP), np.zeros(1, PARTS)
        desk += np.zeros((2, DRAFTS + 1), DRAFT), np.zeros(1, TABLE)
        desk += np.zeros(1, LINES), np.zeros(MOST_LINES + 1, PLAN), stage(self.game.state_type)
        self.game.kernel(choose_as_champion)(views, players, self._weights, *desk, *self.room(), out)
        self.work = int(siege["work"][0])
        return out
