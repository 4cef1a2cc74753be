"""Play by the tables that `ludus train qlearning` made.

The situation gives a row, every action on the menu a column; the worths in those cells decide, by Boltzmann's
distribution or greedily.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ludus.agent import Agent
from ludus.agents._abstraction import Abstraction, column_of, find_abstraction, pack, row_of, table_of
from ludus.compile import template
from ludus.errors import BadInput, BadSpec, Mismatch
from ludus.game import Game
from ludus.rng import below, uniform
from ludus.rules import MAX_ACTIONS, legal
from ludus.runs import load_run
from ludus.settings import setting

BY_TABLE, AT_RANDOM, FIRST = range(3)
MANNERS = {"learnt": BY_TABLE, "random": AT_RANDOM, "never": FIRST}
"""How a table's decisions are made. Who never stops takes the first entry of that menu."""

TABLE_AT, ROW_AT, COUNT_AT, PLACE_AT = range(4)
"""What is told of a decision: table, row, length of the menu, and the place on it that was chosen."""


def habit(view, player, rng) -> Any:
    """The abstraction's function for decisions that no table makes."""


@template
def weigh(cells, row, columns, count, temperature, rng):
    """A place on the menu, by Boltzmann's distribution over the worths; at temperature 0 the best, ties at random."""
    best, ties = 0, 1
    for k in range(1, count):
        lead = cells[row, columns[k]] - cells[row, columns[best]]
        if lead > 0:
            best, ties = k, 1
        elif lead == 0:
            ties += 1
            if temperature <= 0 and below(rng, ties) == 0:
                best = k
    if temperature <= 0 or count == 1:
        return best
    total = 0.0
    for k in range(count):
        total += np.exp((cells[row, columns[k]] - cells[row, columns[best]]) / temperature)
    mark = uniform(rng) * total
    for k in range(count):
        mark -= np.exp((cells[row, columns[k]] - cells[row, columns[best]]) / temperature)
        if mark < 0:
            return k
    return best  # only by rounding


@template
def find_cells(view, player, cells, menu, columns, told):
    """Fill in table, row and columns; false if the abstraction names a cell that is not there."""
    count = legal(view, player, menu)
    told[TABLE_AT], told[ROW_AT], told[COUNT_AT], told[PLACE_AT] = table_of(view, player), -1, count, -1
    if told[TABLE_AT] < 0:
        return True
    told[ROW_AT] = row_of(view, player)
    for k in range(count):
        columns[k] = column_of(view, player, menu[k], k)
        if columns[k] < 0 or columns[k] >= cells.shape[1]:
            return False
    return 0 <= told[ROW_AT] < cells.shape[0]


@template
def decide(view, player, rng, cells, tables, manners, menu, columns, told):
    """The action, once `find_cells` has told about the situation; adds the place on the menu where a table decides."""
    table, count = told[TABLE_AT], told[COUNT_AT]
    if table < 0:
        return habit(view, player, rng)
    place = 0
    if manners[table] == BY_TABLE:
        place = weigh(cells, told[ROW_AT], columns, count, tables[table].temperature, rng)
    elif manners[table] == AT_RANDOM and count > 1:
        place = below(rng, count)
    told[PLACE_AT] = place
    return menu[place]


@template
def choose_by_tables(views, players, words, cells, tables, manners, out):
    """An action for every view; false if the abstraction names a cell that is not there."""
    menu, columns = np.empty(MAX_ACTIONS, np.int32), np.empty(MAX_ACTIONS, np.int64)
    told = np.empty(4, np.int64)
    for i in range(views.shape[0]):
        if not find_cells(views[i], players[i], cells, menu, columns, told):
            return False
        out[i] = decide(views[i], players[i], words[i], cells, tables, manners, menu, columns, told)
    return True


def manners_of(abstraction: Abstraction, stop: str) -> np.ndarray:
    """How each table is used: learnt, but for a table called stop, which may be left alone."""
    if stop not in MANNERS:
        raise BadSpec(f"qlearning: stop is learnt, never or random, not {stop!r}")
    names = [table.name for table in abstraction.tables]
    if stop != "learnt" and "stop" not in names:
        raise BadSpec(f"qlearning: stop={stop} is for Gravwell; this run has no table for stops")
    return np.array([MANNERS[stop] if name == "stop" else BY_TABLE for name in names], np.int64)


def refuse_cells(name: str, abstraction: Abstraction) -> BadInput:
    return BadInput(
        f"the abstraction {name} names a cell outside its table of {abstraction.rows:,} rows and "
        f"{abstraction.columns:,} columns"
    )


def read_cells(content: bytes) -> np.ndarray:
    with np.load(io.BytesIO(content)) as saved:
        return saved["cells"]


@dataclass
class QLearning(Agent):
    """Plays by trained tables; the run is a folder, or the name of one that comes with Ludus."""

    name: ClassVar[str] = "qlearning"
    compiled: ClassVar[bool] = True
    accepts: ClassVar[str] = "the game that the run was trained for"

    run: str = setting("", "the run folder, or the name of a run that comes with Ludus")
    temperature: float = setting(-1.0, "of the first table: 0 plays the best action; -1 as trained", low=-1)
    stop: str = setting("trained", "Gravwell's emergency stop: trained (as in the run), learnt, never or random")
    habit: str = setting("trained", "who decides where no table does: trained (as in the run), or a name")

    def prepare(self, game: Game) -> None:
        super().prepare(game)
        if not self.run:
            raise BadSpec("qlearning needs a run: qlearning:FOLDER, made with `ludus train qlearning`")
        run = load_run(self.run, "qlearning", game)
        trained = run.settings["settings"]
        self._name = trained["abstraction"]
        self._abstraction = find_abstraction(self._name, game, trained["rows"])
        self._cells = self._fitting(run.load("tables.npz", read_cells))
        self._manners = manners_of(self._abstraction, trained["stop"] if self.stop == "trained" else self.stop)
        self._habit = self._abstraction.habit(trained["habit"] if self.habit == "trained" else self.habit)
        self._tables = pack(self._abstraction.tables)
        temperature = trained["temperature"] if self.temperature < 0 else self.temperature
        if temperature >= 0:
            self._tables[0]["temperature"] = temperature

    def _fitting(self, cells: np.ndarray | None) -> np.ndarray:
        if cells is None:
            raise BadInput(f"{self.run} holds no tables yet; go on training it")
        shape = (self._abstraction.rows, self._abstraction.columns)
        if cells.shape != shape:
            raise Mismatch(f"{self.run} has a table of {cells.shape}, the abstraction {self._name} one of {shape}")
        return cells

    def act_many(self, views: np.ndarray, players: np.ndarray, words: np.ndarray) -> np.ndarray:
        out = np.empty(len(views), np.int32)
        choose = self._abstraction.kernel(choose_by_tables, self.game, habit=self._habit)
        if not choose(views, players, words, self._cells, self._tables, self._manners, out):
            raise refuse_cells(self._name, self._abstraction)
        return out
