"""Thrones once more, slowly: a dictionary of signs, sets of cells, one object a player."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

STEPS = {0: (-1, 0), 1: (1, 0), 2: (0, -1), 3: (0, 1)}
ROUND_ABOUT = [(r, c) for r in (-1, 0, 1) for c in (-1, 0, 1) if (r, c) != (0, 0)]

Cell = tuple[int, int]


def room_text(name: str) -> str:
    """The three published maps, drawn from their measures."""
    rows, cols, walker = {
        "empty_room": (13, 13, None),
        "small_room": (13, 13, (6, 6)),
        "large_room": (31, 38, (15, 19)),
    }[name]
    lines = [["#"] * cols] + [["#"] + [" "] * (cols - 2) + ["#"] for _ in range(rows - 2)] + [["#"] * cols]
    lines[1][1], lines[-2][-2] = "1", "2"
    if walker:
        lines[walker[0]][walker[1]] = "W"
    return "\n".join("".join(line) for line in lines)


@dataclass
class Hero:
    land: str
    tail: str
    sign: str
    at: Cell
    home: bool = True


@dataclass
class Ghost:
    at: Cell
    dr: int = 1
    dc: int = 1


class NaiveThrones:
    """`cells` shows what a person would see on the map, heads and walkers included."""

    def __init__(self, text: str, rules: dict[str, Any]):
        lines = text.splitlines()
        self.rules = rules
        self.size = len(lines), len(lines[0])
        self.cells = {(r, c): sign for r, line in enumerate(lines) for c, sign in enumerate(line)}
        self.heroes = [Hero("X", "*", "1", self._find("1")[0]), Hero("O", ".", "2", self._find("2")[0])]
        self.ghosts = [Ghost(cell) for cell in self._find("W")]
        self.fillable = sum(sign not in "#W" for sign in self.cells.values())
        self.ply = 0
        self.result: str | None = None  # "1", "2" or "draw"
        self.closings = self.thefts = self.buried = 0  # how much of the game a test has seen

    def _find(self, sign: str) -> list[Cell]:
        return sorted(cell for cell, there in self.cells.items() if there == sign)

    # ---------------------------------------------------------------------------------------- asked by the referee

    def to_act(self) -> set[int]:
        return set() if self.result else {(self.ply + self.rules["first"]) % 2}

    def legal(self, player: int) -> set[int]:
        return {0, 1, 2, 3}

    def returns(self) -> list[float]:
        return {"1": [1.0, -1.0], "2": [-1.0, 1.0], "draw": [0.0, 0.0]}[self.result or "draw"]

    def territory(self, player: int) -> int:
        hero = self.heroes[player]
        return list(self.cells.values()).count(hero.land) + hero.home

    def target(self, player: int, action: int) -> str:
        """What a player would step on."""
        row, col = self.heroes[player].at
        return self.cells[row + STEPS[action][0], col + STEPS[action][1]]

    def step(self, actions: dict[int, int], after: Any) -> None:
        ((player, action),) = actions.items()
        self._move(player, action)
        self.ply += 1
        if self.result is None and self.ply % 2 == 0:
            self._finish_round(after)

    # ---------------------------------------------------------------------------------------- a move

    def _move(self, player: int, action: int) -> None:
        me, foe = self.heroes[player], self.heroes[1 - player]
        there = self.target(player, action)
        cell = (me.at[0] + STEPS[action][0], me.at[1] + STEPS[action][1])
        if there in ("#", "W", me.tail) or (there == foe.sign and self.rules["head_kill"] == "off"):
            self.result = foe.sign
        elif there in (foe.tail, foe.sign):
            self.result = me.sign
        elif there == me.land:
            if not me.home and self._close(me, foe):
                self.result = me.sign
                return
            self.cells[me.at] = me.land
            self._stand(me, cell, home=True)
            if 2 * self.territory(player) >= self.fillable:
                self.result = me.sign
        else:
            self.thefts += there == foe.land
            self.cells[me.at] = me.land if me.home else me.tail
            self._stand(me, cell, home=False)

    def _stand(self, hero: Hero, cell: Cell, home: bool) -> None:
        hero.at, hero.home = cell, home
        self.cells[cell] = hero.sign

    def _close(self, me: Hero, foe: Hero) -> bool:
        """True if the foe is caught; else trail and caught cells become land."""
        border = {cell for cell, sign in self.cells.items() if sign in (me.land, me.tail, me.sign)}
        free = set(self.cells) - border
        caught = free - self._flood((0, 0), free)
        if foe.at in caught:
            return True
        if self.rules["wall_encloses"] == "on":
            free = {cell for cell in free if self.cells[cell] != "#"}
            caught = free - self._flood(foe.at, free)
        self.closings += 1
        self.buried += sum(ghost.at in caught for ghost in self.ghosts)
        self.ghosts = [ghost for ghost in self.ghosts if ghost.at not in caught]
        for cell in caught | set(self._find(me.tail)):
            if self.cells[cell] != "#":
                self.cells[cell] = me.land
        return False

    def _flood(self, start: Cell, free: set[Cell]) -> set[Cell]:
        seen, todo = {start}, [start]
        while todo:
            row, col = todo.pop()
            for dr, dc in ROUND_ABOUT:
                cell = (row + dr, col + dc)
                if cell in free and cell not in seen:
                    seen.add(cell)
                    todo.append(cell)
        return seen

    # ---------------------------------------------------------------------------------------- walkers and the clock

    def _finish_round(self, after: Any) -> None:
        dead: set[str] = set()
        for number, ghost in enumerate(self.ghosts):
            if self.rules["walkers"] == "bounce":
                self._bounce(ghost, dead)
            elif self.rules["walkers"] == "random":
                self._wander(ghost, number, after)
        if len(dead) == 1:
            self.result = "2" if dead == {"1"} else "1"
        elif dead or self.ply == 2 * self.rules["cap"]:
            self._compare(after)

    def _prey(self, cell: Cell) -> str:
        """The hero that a walker kills by running there."""
        signs = {"*": "1", ".": "2"}
        if self.rules["head_kill"] == "on":
            signs |= {"1": "1", "2": "2"}
        return signs.get(self.cells[cell], "")

    def _bounce(self, ghost: Ghost, dead: set[str]) -> None:
        row, col = ghost.at
        beside = self.cells[row, col + ghost.dc] in "#XOW"
        ahead = self.cells[row + ghost.dr, col] in "#XOW"
        corner = self.cells[row + ghost.dr, col + ghost.dc] in "#XOW"
        if beside or (not ahead and corner):
            ghost.dc = -ghost.dc
        if ahead or (not beside and corner):
            ghost.dr = -ghost.dr
        self._run(ghost, (row + ghost.dr, col + ghost.dc), dead)

    def _run(self, ghost: Ghost, cell: Cell, dead: set[str]) -> None:
        if self.cells[cell] == " ":
            self.cells[ghost.at], self.cells[cell] = " ", "W"
            ghost.at = cell
        elif self._prey(cell):
            dead.add(self._prey(cell))

    def _wander(self, ghost: Ghost, number: int, after: Any) -> None:
        """The dice are the compiled game's; whether they may have fallen so is ours to say."""
        row, col = ghost.at
        around = [(row + dr, col + dc) for dr in (-1, 1) for dc in (-1, 1)]
        ways = [cell for cell in around if self.cells[cell] == " "]
        went = divmod(int(after.walker[number]), int(after.cols))
        assert went in (ways or [ghost.at]), f"the walker at {ghost.at} cannot go to {went}"
        if ways:
            self._run(ghost, went, set())

    def _compare(self, after: Any) -> None:
        first, second = self.territory(0), self.territory(1)
        if first != second:
            self.result = "1" if first > second else "2"
        elif self.rules["tie"] == "draw":
            self.result = "draw"
        else:
            assert after.winner in (1, 2), "the coin has two sides"
            self.result = str(after.winner)

    # ---------------------------------------------------------------------------------------- comparison

    def drawing(self) -> str:
        rows, cols = self.size
        return "\n".join("".join(self.cells[row, col] for col in range(cols)) for row in range(rows))

    def differs(self, state: Any) -> str:
        rows, cols = self.size
        seen = "".join(" #XO*.12W"[code] for code in state.board[: rows * cols].tolist())
        if seen != "".join(self.cells.values()):
            shown = "\n".join(seen[k * cols : (k + 1) * cols] for k in range(rows))
            return f"the map is\n{shown}\nby the naive rules\n{self.drawing()}"
        ours = {
            "size": (rows, cols),
            "plies": self.ply,
            "fillable": self.fillable,
            "winner": {None: 0, "1": 1, "2": 2, "draw": 3}[self.result],
            "heads": [hero.at for hero in self.heroes],
            "inside": [int(hero.home) for hero in self.heroes],
            "territory": [self.territory(player) for player in range(2)],
            "trail": [list(self.cells.values()).count(hero.tail) for hero in self.heroes],
            "walkers": [(ghost.at, ghost.dr, ghost.dc) for ghost in self.ghosts],
        }
        theirs = {
            "size": (state.rows, state.cols),
            "plies": state.plies,
            "fillable": state.fillable,
            "winner": state.winner,
            "heads": [divmod(int(cell), cols) for cell in state.head],
            "inside": list(state.inside),
            "territory": list(state.area),
            "trail": list(state.trail),
            "walkers": [
                (divmod(int(cell), cols), 1 - 2 * (heading >> 1), 1 - 2 * (heading & 1))
                for cell, heading in zip(state.walker[: state.walkers], state.heading.tolist())
            ],
        }
        return "; ".join(f"{key}: {theirs[key]}, naive {ours[key]}" for key in ours if ours[key] != theirs[key])
