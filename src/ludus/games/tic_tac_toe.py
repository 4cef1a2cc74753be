"""Tic-tac-toe.

Two players take turns to mark an empty cell of a 3x3 board. Whoever first has three marks in a row, across, down or
along a diagonal, wins. A full board without such a row is a draw.

    0 | 1 | 2        An action is the number of the cell; in notation a letter for the column and a digit for the row,
    3 | 4 | 5        counted from the top: a1 is cell 0, c3 is cell 8.
    6 | 7 | 8
"""

import numpy as np

from ludus.errors import BadNotation
from ludus.rules import Facts, record, rule
from ludus.shapes import planes, squares

FACTS = Facts("Tic-tac-toe", players=(2, 2), max_actions=9, max_plies=9)

State = record(players=np.int32, plies=np.int32, winner=np.int32, board=(np.int8, 9))
# board: 0 empty, 1 + p a mark of player p; winner likewise, 0 while nobody has won

LINES = np.array([[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]])


# ------------------------------------------------------------------------------------------------ rules


@rule
def setup(state, rng):
    pass


@rule
def to_act(state):
    if state.winner != 0 or state.plies == 9:
        return 0
    return 1 << (state.plies & 1)


@rule
def legal(state, player, out):
    n = 0
    for cell in range(9):
        if state.board[cell] == 0:
            out[n] = cell
            n += 1
    return n


@rule
def step(state, actions, rng):
    player = state.plies & 1
    state.board[actions[player]] = 1 + player
    state.plies += 1
    if has_line(state, 1 + player):
        state.winner = 1 + player


@rule
def has_line(state, mark):
    for a, b, c in LINES:
        if state.board[a] == mark and state.board[b] == mark and state.board[c] == mark:
            return True
    return False


@rule
def returns(state, out):
    for player in range(2):
        out[player] = 0.0 if state.winner == 0 else 1.0 if state.winner == 1 + player else -1.0


@rule
def valid(state):
    crosses = (state.board == 1).sum()
    noughts = (state.board == 2).sum()
    if crosses + noughts != state.plies or not 0 <= crosses - noughts <= 1:
        return False
    moved_last = 2 - state.plies % 2
    return state.winner == (moved_last if has_line(state, moved_last) else 0) and not has_line(state, 3 - moved_last)


# ------------------------------------------------------------------------------------------------ values and features


@rule
def open_lines(state, mark):
    """How many lines the player of this mark can still fill."""
    n = 0
    for a, b, c in LINES:
        rival = 3 - mark
        n += state.board[a] != rival and state.board[b] != rival and state.board[c] != rival
    return n


@rule
def heuristic(state, player):
    return (open_lines(state, 1 + player) - open_lines(state, 2 - player)) / 8.0


FEATURES = planes(2, squares(3, 3))
POLICY = planes(1, squares(3, 3))


@rule
def observe(state, player, out):
    """One's own marks and the rival's, 9 cells each."""
    for cell in range(9):
        out[cell] = state.board[cell] == 1 + player
        out[9 + cell] = state.board[cell] == 2 - player


# ------------------------------------------------------------------------------------------------ symmetries

SYMMETRIES = 8
# TURNED[s, cell]: where a cell goes when the board is turned s % 4 quarters and then, for s >= 4, mirrored
_CELLS = np.arange(9).reshape(3, 3)
_TURNS = [np.rot90(_CELLS, k) for k in range(4)]
TURNED = np.array([np.argsort(turn.ravel()) for turn in [*_TURNS, *(np.fliplr(turn) for turn in _TURNS)]])


@rule
def reflect(state, symmetry):
    before = state.board.copy()
    for cell in range(9):
        state.board[TURNED[symmetry, cell]] = before[cell]


@rule
def reflect_action(state, symmetry, action):
    return TURNED[symmetry, action]


# ------------------------------------------------------------------------------------------------ notation


def action_text(state, player, action):
    return "abc"[action % 3] + "123"[action // 3]


def parse_action(state, player, text):
    text = text.strip().lower()
    if len(text) != 2 or text[0] not in "abc" or text[1] not in "123":
        raise BadNotation(f"{text!r} is no cell; write a letter a-c and a digit 1-3, like b2")
    return "123".index(text[1]) * 3 + "abc".index(text[0])


def state_text(state):
    rows = [" ".join(".XO"[mark] for mark in state.board[3 * row : 3 * row + 3]) for row in range(3)]
    return "\n".join(f"{row + 1} {line}" for row, line in enumerate(rows)) + "\n  a b c"


def parse_state(text, state):
    """Nine cells of X, O and '.', in rows; what `state_text` writes beside them may be left out."""
    signs = [sign for sign in text.upper() if sign not in "123ABC" and not sign.isspace()]
    if len(signs) != 9 or not all(sign in ".XO" for sign in signs):
        raise BadNotation(f"a position has 9 cells of X, O and '.', not {''.join(signs)!r}")
    marks = [".XO".index(sign) for sign in signs]
    crosses, noughts = marks.count(1), marks.count(2)
    if not 0 <= crosses - noughts <= 1:
        raise BadNotation(f"{crosses} X and {noughts} O cannot be: X begins, then they alternate")
    winners = {marks[a] for a, b, c in LINES if marks[a] and marks[a] == marks[b] == marks[c]}
    if winners and winners != {2 - (crosses - noughts)}:
        raise BadNotation("somebody moved after the other had three in a row")
    state.board[:] = marks
    state.plies = crosses + noughts
    state.winner = winners.pop() if winners else 0


def outcome_text(state):
    return f"{' XO'[state.winner]} has three in a row" if state.winner else "a draw: the board is full"
