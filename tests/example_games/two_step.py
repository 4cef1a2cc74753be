"""Two step: walk, then build.

Two players have two walkers each on a square board. In a turn one of the own walkers steps to an empty cell beside it,
in any of eight directions; then a stone of the player's colour is put on an empty cell beside that walker. Who has a
row of own stones that is long enough wins. Who cannot step at the beginning of a turn loses.
"""

import numpy as np

from ludus import Facts, Param, Params, record, rule
from ludus.draw.canvas import Picture
from ludus.parts import line, squares
from ludus.shapes import planes

LOW, HIGH = 4, 7
CELLS = HIGH * HIGH
WALK = 64  # steps are numbered from here on: WALK + 8 * cell + direction; a smaller number is a cell to build on
NEAR = np.full((HIGH - LOW + 1, CELLS, 8), -1, np.int32)
for _n in range(LOW, HIGH + 1):
    NEAR[_n - LOW, : _n * _n] = squares(_n, _n).neighbours

FACTS = Facts("Two step", players=(2, 2), max_actions=16, max_plies=2 * CELLS)
PARAMS = Params(
    side=Param(5, LOW, HIGH, help="cells along a side of the board"),
    row=Param(4, 3, 5, help="stones in a row that win"),
)
PRESETS = {"tiny": {"side": 4, "row": 3}, "large": {"side": 7}, "long": {"side": 7, "row": 5}}
State = record(
    params=PARAMS,
    players=np.int32,
    turn=np.int32,
    walked=np.int32,  # 1 + the cell of the walker that stepped and must build now; 0: somebody must step
    winner=np.int32,  # 1 + player
    board=(np.int8, CELLS),  # row by row: 1, 2 walkers of the players; 3, 4 their stones
)


@rule
def setup(state, rng):
    n = state.params.side
    state.board[1] = 1
    state.board[n * n - 2] = 1
    state.board[n - 2] = 2
    state.board[n * n - n + 1] = 2


@rule
def to_act(state):
    return 0 if state.winner != 0 else 1 << (state.turn & 1)


@rule
def steps(state, player, out):
    n, near = 0, NEAR[state.params.side - LOW]
    for cell in range(state.params.side * state.params.side):
        if state.board[cell] == 1 + player:
            for way in range(8):
                to = near[cell, way]
                if to >= 0 and state.board[to] == 0:
                    out[n] = WALK + 8 * cell + way
                    n += 1
    return n


@rule
def legal(state, player, out):
    if state.walked == 0:
        return steps(state, player, out)
    n, near = 0, NEAR[state.params.side - LOW]
    for way in range(8):
        to = near[state.walked - 1, way]
        if to >= 0 and state.board[to] == 0:
            out[n] = to
            n += 1
    return n


@rule
def step(state, actions, rng):
    player = state.turn & 1
    action = actions[player]
    near = NEAR[state.params.side - LOW]
    if state.walked == 0:
        cell, way = (action - WALK) // 8, (action - WALK) % 8
        state.board[cell] = 0
        state.board[near[cell, way]] = 1 + player
        state.walked = 1 + near[cell, way]
        return
    state.board[action] = 3 + player
    state.walked = 0
    for way in range(4):
        if line(state.board, near, action, way) + line(state.board, near, action, 7 - way) > state.params.row:
            state.winner = 1 + player
    state.turn += 1
    menu = np.empty(16, np.int32)
    if state.winner == 0 and steps(state, 1 - player, menu) == 0:
        state.winner = 1 + player


@rule
def returns(state, out):
    for player in range(2):
        out[player] = 0.0 if state.winner == 0 else 1.0 if state.winner == 1 + player else -1.0


@rule
def heuristic(state, player):
    if state.winner != 0:
        return 1.0 if state.winner == 1 + player else -1.0
    menu = np.empty(16, np.int32)
    free = steps(state, player, menu) - steps(state, 1 - player, menu)
    long, near = 0, NEAR[state.params.side - LOW]
    for cell in range(state.params.side * state.params.side):
        held = state.board[cell]
        if held >= 3:
            for way in range(4):
                found = line(state.board, near, cell, way)
                long += found * found if held == 3 + player else -found * found
    return max(-0.9, min(0.9, 0.01 * free + 0.01 * long))


BOARD = squares(HIGH, HIGH)
FEATURES, POLICY = planes(4, BOARD, extra=1), planes(9, BOARD)


def shapes(params, players):
    board = squares(params.side, params.side)
    return planes(4, board, extra=1), planes(9, board)


@rule
def observe(state, player, out):
    cells = state.params.side * state.params.side
    out[: 4 * cells] = 0.0
    for cell in range(cells):
        held = state.board[cell]
        if held > 0:
            rival = (held - 1) % 2 != player
            out[cells * (2 * ((held - 1) // 2) + rival) + cell] = 1.0
    out[4 * cells] = 1.0 if state.walked > 0 else 0.0


@rule
def policy_slot(state, player, action):
    if action < WALK:
        return action
    cells = state.params.side * state.params.side
    return (1 + (action - WALK) % 8) * cells + (action - WALK) // 8


def name(state, cell):
    return f"{'abcdefg'[cell % state.params.side]}{state.params.side - cell // state.params.side}"


def action_text(state, player, action):
    if action < WALK:
        return name(state, action)
    cell, way = divmod(action - WALK, 8)
    return f"{name(state, cell)}-{name(state, NEAR[state.params.side - LOW, cell, way])}"


def action_kind(state, player, action):
    return "build" if action < WALK else "step"


ACTION_KINDS = ("step", "build")


def state_text(state):
    n = state.params.side
    lines = [f"{n - r} " + " ".join(".XOxo"[state.board[n * r + c]] for c in range(n)) for r in range(n)]
    lines.append("  " + " ".join("abcdefg"[:n]))
    if state.winner == 0:
        lines.append(
            f"{'XO'[state.turn & 1]} {'builds beside ' + name(state, state.walked - 1) if state.walked else 'steps'}"
        )
    return "\n".join(lines)


def outcome_text(state):
    return f"{'XO'[state.winner - 1]} has won"


def objection(params, players):
    return "a row cannot be longer than the board" if params.row > params.side else ""


def draw(view, before):
    state, n = view.state, view.state.params.side
    made = Picture(60 * n + 20, 60 * n + 20, "the board")
    for cell in range(n * n):
        x, y, held = 10 + 60 * (cell % n), 10 + 60 * (cell // n), state.board[cell]
        with made.part(f"cell-{cell}", name(state, cell)):
            made.rect(x + 1, y + 1, 58, 58, "board2" if (cell + cell // n) % 2 and n % 2 == 0 else "board")
            if held in (1, 2):
                made.circle(x + 30, y + 30, 20, f"seat{held - 1}")
            if held in (3, 4):
                made.rect(x + 15, y + 15, 30, 30, f"seat{held - 3}", round=6)
            if before is not None and before.state.board[cell] != held:
                made.rect(x + 3, y + 3, 54, 54, "none last", round=6)
            made.rect(x + 1, y + 1, 58, 58, "halo")
    return made


def clicks(view, action):
    if action < WALK:
        return (f"cell-{action}",)
    cell, way = divmod(action - WALK, 8)
    return f"cell-{cell}", f"cell-{NEAR[view.state.params.side - LOW, cell, way]}"
