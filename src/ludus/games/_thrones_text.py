"""How Thrones is written: the cells of a map, the notes under it, moves and endings."""

import re

import numpy as np

from ludus.errors import BadNotation

MAX_CELLS, MAX_SIDE, MAX_WALKERS = 31 * 38, 38, 8  # of a map

SIGNS = " #XO*.12W"
"""The signs of a cell, in the order of their codes: X's territory, trail and head have even ones, O's follow them."""
WALL, TERRITORY, TRAIL, HEAD, WALKER = (SIGNS.index(sign) for sign in "#X*1W")

ACTIONS = ("up", "down", "left", "right")
HEADINGS = ("down-right", "down-left", "up-right", "up-left")
RESULTS = ("", "X wins", "O wins", "draw")
# For each ending its name in positions, and a sentence about the winner {w} and the loser {l}.
ENDINGS = (
    ("", ""),
    ("wall", "{l} ran into a wall"),
    ("walker", "{l} ran into a walker"),
    ("own trail", "{l} ran into its own trail"),
    ("head", "{l} ran into the head of {w}"),
    ("trail cut", "{w} cut the trail of {l}"),
    ("head taken", "{w} took the head of {l}"),
    ("enclosed", "{w} enclosed the head of {l}"),
    ("area", "{w} owns half of the room"),
    ("walker hit", "a walker hit {l}"),
    ("walkers hit both", "walkers hit both players"),
    ("rounds", "the last round is over"),
)

# ------------------------------------------------------------------------------------------------ moves and endings


def action_text(state, player, action):
    return "UDLR"[action]


def parse_action(state, player, text):
    text = text.strip().lower()
    for action, name in enumerate(ACTIONS):
        if text in (name, name[0]):
            return action
    raise BadNotation(f"{text!r} is no direction; write U, D, L or R, or up, down, left or right")


def outcome_text(state):
    if state.winner == 0:
        return "not over"
    winner, loser = ("X", "O") if state.winner == 1 else ("O", "X")
    reason = ENDINGS[state.ending][1].format(w=winner, l=loser)
    if ENDINGS[state.ending][0] in ("rounds", "walkers hit both"):
        reason += f", territory {state.area[0]} to {state.area[1]}"
        if state.area[0] == state.area[1] and RESULTS[state.winner] != "draw":
            reason += ", and the coin decided"
    return f"{RESULTS[state.winner]}: {reason}"


# ------------------------------------------------------------------------------------------------ writing a position


def state_text(state):
    rows, cols = int(state.rows), int(state.cols)
    lines = ["".join(SIGNS[code] for code in state.board[row * cols : (row + 1) * cols]) for row in range(rows)]
    lines.append(f"ply {state.plies}")
    for player in range(2):
        place = "inside" if state.inside[player] else "outside"
        lines.append(f"{'XO'[player]} {place}, territory {state.area[player]}, trail {state.trail[player]}")
    for k in range(state.walkers):
        cell = int(state.walker[k])
        lines.append(f"walker {cell // cols},{cell % cols} {HEADINGS[state.heading[k]]}")
    lines.append(f"fillable {state.fillable}, {(state.fillable + 1) // 2} win")
    if state.winner:
        lines.append(f"over: {RESULTS[state.winner]}, {ENDINGS[state.ending][0]}")
    return "\n".join(lines)


# ------------------------------------------------------------------------------------------------ reading a position


def parse_state(text, state):
    """A map, alone or with the lines that `state_text` puts under it, in any order.

    Without them it is the start of a match: nothing played, a head outside only if it has a trail, walkers in reading
    order and all going down-right. Territory and trail are counted on the map, whatever the lines say of them.
    """
    rows, notes = [], []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            (rows if line.strip()[0] == "#" else notes).append((number, line.strip()))
    _check_shape(rows)
    _read_map(rows, state)
    listed = []
    for number, note in notes:
        _read_note(number, note, state, listed)
    _set_walkers(listed, state)
    _settle(state)


def _check_shape(rows):
    if len(rows) < 3:
        raise BadNotation(f"a map has at least 3 rows that start with #, this one {len(rows)}")
    width = len(rows[0][1])
    for number, row in rows:
        if len(row) != width:
            raise BadNotation(f"line {number}: this row has {len(row)} cells, the first {width}")
        if row[-1] != "#" or (number in (rows[0][0], rows[-1][0]) and row.strip("#")):
            raise BadNotation(f"line {number}: a map has walls on all four sides")
    if len(rows) * width > MAX_CELLS or max(len(rows), width) > MAX_SIDE:
        limit = f"at most {MAX_SIDE} rows, {MAX_SIDE} columns and {MAX_CELLS} cells"
        raise BadNotation(f"a map has {limit}; this one is {len(rows)}x{width}")


def _read_map(rows, state):
    codes = []
    for number, row in rows:
        for sign in row:
            if sign not in SIGNS:
                raise BadNotation(f"line {number}: {sign!r} is no cell; cells are {', '.join(SIGNS[1:])} and blank")
        codes += [SIGNS.index(sign) for sign in row]
    for player in range(2):
        lines = [number for number, row in rows for sign in row if sign == SIGNS[HEAD + player]]
        if len(lines) != 1:
            where = f"line {lines[1]}: " if lines else ""
            raise BadNotation(f"{where}a map has one head {1 + player}, this one {len(lines)}")
        state.head[player] = codes.index(HEAD + player)
        state.inside[player] = TRAIL + player not in codes
    if codes.count(WALKER) > MAX_WALKERS:
        raise BadNotation(f"a map has at most {MAX_WALKERS} walkers, this one {codes.count(WALKER)}")
    state.rows, state.cols = len(rows), len(rows[0][1])
    state.board[: len(codes)] = codes
    state.fillable = len(codes) - codes.count(WALL) - codes.count(WALKER)


def _read_note(number, note, state, listed):
    told = note.partition(",")[0]
    if match := re.fullmatch(r"ply (\d{1,4})", told):
        state.plies = int(match[1])
    elif match := re.fullmatch(r"([XO]) (inside|outside)", told):
        state.inside["XO".index(match[1])] = match[2] == "inside"
    elif match := re.fullmatch(r"walker (\d{1,2}),(\d{1,2}) (.+)", note):
        listed.append(_read_walker(number, match, state))
    elif match := re.fullmatch(r"fillable (\d{1,4})", told):
        if not state.fillable - MAX_WALKERS <= int(match[1]) <= state.fillable:
            raise BadNotation(f"line {number}: the map leaves {state.fillable} cells to fill, not {match[1]}")
        state.fillable = int(match[1])
    elif match := re.fullmatch(r"over: (X wins|O wins|draw), (.+)", note):
        state.winner = RESULTS.index(match[1])
        state.ending = _read_ending(number, match[2])
    else:
        raise BadNotation(f"line {number}: {note!r} is neither a row of the map, which starts with #, nor a known note")


def _read_walker(number, match, state):
    row, col = int(match[1]), int(match[2])
    if not (row < state.rows and col < state.cols and state.board[row * state.cols + col] == WALKER):
        raise BadNotation(f"line {number}: no walker stands at {row},{col}")
    if match[3] not in HEADINGS:
        raise BadNotation(f"line {number}: a walker goes {', '.join(HEADINGS)}, not {match[3]!r}")
    return row * int(state.cols) + col, HEADINGS.index(match[3])


def _read_ending(number, name):
    names = [ending[0] for ending in ENDINGS[1:]]
    if name not in names:
        raise BadNotation(f"line {number}: a match ends by {', '.join(names)}, not {name!r}")
    return 1 + names.index(name)


def _set_walkers(listed, state):
    on_map = [int(cell) for cell in np.flatnonzero(state.board == WALKER)]
    walkers = listed or [(cell, 0) for cell in on_map]
    if sorted(cell for cell, _ in walkers) != on_map:
        raise BadNotation(f"the map has {len(on_map)} walkers, but {len(walkers)} are listed, or one of them twice")
    state.walkers = len(walkers)
    for k, (cell, heading) in enumerate(walkers):
        state.walker[k], state.heading[k] = cell, heading


def _settle(state):
    """Count what the map shows, and see that it agrees with the notes."""
    for player in range(2):
        state.area[player] = np.count_nonzero(state.board == TERRITORY + player) + state.inside[player]
        state.trail[player] = np.count_nonzero(state.board == TRAIL + player)
        if state.inside[player] and state.trail[player]:
            raise BadNotation(f"{'XO'[player]} has a trail, so its head cannot be inside")
    last = 2 * int(state.params.cap)
    if state.plies > last or (state.plies == last and state.winner == 0):
        raise BadNotation(f"ply {state.plies} is past the cap of {state.params.cap} rounds, unless a line says who won")
