"""Organism in words: actions, positions and outcomes. The rules, and what the words mean, are in organism.py."""

import re

from ludus.errors import BadNotation

KINDS = "EGM"
ORDERS = ("EGM", "EMG", "GEM", "GME", "MEG", "MGE")
PLAYERS = ("first", "second")
PHASES = ("introduce", "choose", "declare", "act", "pay", "circulate", "push", "over")
ENDINGS = ("", "elimination", "organisms", "tokens", "tie", "stuck", "stalemate", "turn limit")
REASONS = (
    "",
    "no enemy element is left",
    "enough organisms",
    "enough tokens",
    "both players fulfil a winning condition",
    "the player on turn has no action left",
    "nobody can ever move or grow again",
    "the turn limit is reached",
)
SIGNS = ".???EGM?egm?#"  # by piece
ROLES = ("", "*", "+")
GONE, NONE = 12, -1

# ------------------------------------------------------------------------------------------------ cells

STEPS = ((0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1), (1, 0))  # (row, column) of each direction


def cell_count(state):
    rings = int(state.params.rings)
    return 3 * rings * (rings - 1) + 1


def cell_name(cell):
    ring = 0
    while cell >= 3 * ring * (ring + 1) + 1:
        ring += 1
    return f"{'abcdefg'[ring]}{cell - 3 * ring * (ring - 1) - 1 if ring else 0}"


def cell_number(state, name):
    """The number of a cell like c11 of this board."""
    match = re.fullmatch(r"([a-g])(\d+)", name.lower())
    if match is None:
        raise BadNotation(f"{name!r} is no cell; write the letter of a ring and a step, like c11")
    ring, step = "abcdefg".index(match[1]), int(match[2])
    if ring >= state.params.rings or step >= max(1, 6 * ring):
        raise BadNotation(f"{name!r} is not on this board: it has rings a-{'abcdefg'[state.params.rings - 1]}, "
                          "a with one cell, b with 6, c with 12, …")  # fmt: skip
    return 3 * ring * (ring - 1) + 1 + step if ring else 0


def offset(cell):
    """Row and column in a skewed grid: direction 0 is the next column, direction 5 the next row."""
    name = cell_name(cell)
    ring, step = "abcdefg".index(name[0]), int(name[1:])
    corner, along = divmod(step, max(1, ring))
    (row, column), (to_row, to_column) = STEPS[corner % 6], STEPS[(corner + 1) % 6]
    return ring * row + along * (to_row - row), ring * column + along * (to_column - column)


def neighbour(state, cell, direction):
    row, column = offset(cell)
    wanted = row + STEPS[direction][0], column + STEPS[direction][1]
    return next((near for near in range(cell_count(state)) if offset(near) == wanted), NONE)


def board_rows(state):
    """The cells row by row, from the top, each row from the left."""
    rows = {}
    for cell in range(cell_count(state)):
        row, column = offset(cell)
        rows.setdefault(row, []).append((column, cell))
    return [[cell for _, cell in sorted(rows[row])] for row in sorted(rows)]


# ------------------------------------------------------------------------------------------------ actions

ONE_CELL = {12: "eat", 16: "pay", 17: "circulate", 18: "to", 19: "organism", 20: "push"}  # words by plane
PLANE_OF = {word: plane for plane, word in ONE_CELL.items()}


def action_text(state, player, action):
    plane, cell = divmod(int(action), cell_count(state))
    if plane == 21:
        if cell == 3:
            return "pass"
        return f"declare {KINDS[cell]}" if cell < 3 else f"introduce {ORDERS[cell - 4]}"
    here = cell_name(cell)
    if plane in ONE_CELL:
        return f"{ONE_CELL[plane]} {here}"
    if plane >= 13:
        return f"grow {KINDS[plane - 13]} {here}"
    return f"{'move' if plane < 6 else 'eat'} {here} {cell_name(neighbour(state, cell, plane % 6))}"


def action_kind(state, player, action):
    """What is done, and with what kind of element where that is chosen; not where."""
    words = action_text(state, player, action).split()
    return " ".join(words[: 2 if words[0] in ("declare", "grow") else 1])


def parse_action(state, player, text):
    words = text.split()
    verb, objects = words[0].lower() if words else "", words[1:]
    cells = cell_count(state)
    if verb == "pass" and not objects:
        return 21 * cells + 3
    if verb == "declare" and len(objects) == 1:
        return 21 * cells + _one_of(KINDS, objects[0], "a kind")
    if verb == "introduce" and len(objects) == 1:
        return 21 * cells + 4 + _one_of(ORDERS, objects[0], "an order of the kinds")
    if verb == "grow" and len(objects) == 2:
        return (13 + _one_of(KINDS, objects[0], "a kind")) * cells + cell_number(state, objects[1])
    if verb in ("move", "eat") and len(objects) == 2:
        cell, target = (cell_number(state, name) for name in objects)
        return (_direction(state, cell, target) + (6 if verb == "eat" else 0)) * cells + cell
    if verb in PLANE_OF and len(objects) == 1:
        return PLANE_OF[verb] * cells + cell_number(state, objects[0])
    raise BadNotation(
        f"{text!r} is no action; write one like declare E, move c1 b1, eat c1 c0, grow E b1, pay c3, circulate c1, "
        "to c2, organism c1, push b2, introduce EGM or pass"
    )


def _one_of(allowed, word, what):
    if word.upper() not in tuple(allowed):
        raise BadNotation(f"{word!r} is not {what}; write {', '.join(allowed)}")
    return tuple(allowed).index(word.upper())


def _direction(state, cell, target):
    for direction in range(6):
        if neighbour(state, cell, direction) == target:
            return direction
    raise BadNotation(f"{cell_name(target)} is not next to {cell_name(cell)}")


# ------------------------------------------------------------------------------------------------ positions


def state_text(state):
    lines = [
        f"phase: {PHASES[state.phase]}",
        f"player: {PLAYERS[state.mover]}",
        f"turn: {state.turns}",
        f"tokens: {state.tokens[0]} {state.tokens[1]}",
    ]
    if state.declared != NONE:
        lines.append(f"declared: {KINDS[state.declared]} {state.left}")
    if state.source != NONE:
        lines.append(f"from: {cell_name(state.source)}")
    if state.growth != NONE:
        lines.append(f"grows: {KINDS[state.growth]} {state.owed}")
    if state.spot != NONE:
        lines.append(f"at: {cell_name(state.spot)}")
    if state.params.start:
        lines.append("homes: " + " ".join(cell_name(cell) for cell in state.homes.ravel()))
    if state.ending:
        lines.append(f"winner: {('nobody', *PLAYERS)[state.winner]}, {ENDINGS[state.ending]}")
    rows = board_rows(state)
    for row in rows:
        indent = " " * (3 * (len(rows) - len(row)))
        lines.append((indent + "".join(f"{_cell_text(state, cell):6}" for cell in row)).rstrip())
    return "\n".join(lines)


def _cell_text(state, cell):
    food = int(state.food[cell])
    return f"{SIGNS[state.piece[cell]]}{food or ''}{ROLES[state.role[cell]]}"


def parse_state(text, state):
    state.declared = state.source = state.spot = state.growth = NONE
    state.piece[:] = GONE
    rows = board_rows(state)
    given, seen = 0, set()
    for number, line in enumerate(text.splitlines(), 1):
        try:
            if ":" in line:
                seen.add(_read_line(state, *(part.strip() for part in line.split(":", 1))))
            elif line.strip():
                _read_row(state, rows[given] if given < len(rows) else [], line.split())
                given += 1
        except BadNotation as error:
            raise BadNotation(f"line {number}: {error}") from None
    if given < len(rows):
        raise BadNotation(f"the board of {state.params.rings} rings has {len(rows)} rows, this one {given}")
    if missing := {"phase", "player"} - seen:
        raise BadNotation(f"a position needs a line `{min(missing)}: …`")


def _read_line(state, name, value):
    words = value.replace(",", " ").split()
    if name == "phase":
        state.phase = _word(PHASES, value)
    elif name == "player":
        state.mover = _word(PLAYERS, value)
    elif name == "turn":
        state.turns = _number(value)
    elif name == "tokens":
        state.tokens[:] = [_number(word) for word in _count(words, 2, "numbers")]
    elif name in ("declared", "grows"):
        kind, amount = _count(words, 2, "words, a kind and a number")
        fields = ("declared", "left") if name == "declared" else ("growth", "owed")
        state[fields[0]], state[fields[1]] = _one_of(KINDS, kind, "a kind"), _number(amount)
    elif name in ("from", "at"):
        state["source" if name == "from" else "spot"] = cell_number(state, value)
    elif name == "homes":
        homes = [cell_number(state, word) for word in _count(words, 6, "cells, three a player")]
        state.homes[:] = [homes[:3], homes[3:]]
    elif name == "winner":
        _count(words[:2], 2, "words, who and why")
        state.winner = _word(("nobody", *PLAYERS), words[0])
        state.ending = _word(ENDINGS, " ".join(words[1:]))
    else:
        raise BadNotation(f"a position has no line {name!r}")
    return name


def _word(allowed, word):
    if word not in allowed:
        raise BadNotation(f"{word!r} is not one of {', '.join(filter(None, allowed))}")
    return allowed.index(word)


def _number(word):
    if not word.isdecimal() or len(word) > 4:
        raise BadNotation(f"{word!r} is not a number from 0 to 9999")
    return int(word)


def _count(words, wanted, what):
    if len(words) != wanted:
        raise BadNotation(f"expected {wanted} {what}, found {len(words)}")
    return words


def _read_row(state, cells, words):
    if not cells:
        raise BadNotation("the board is complete, here is one row more")
    if len(words) != len(cells):
        raise BadNotation(f"this row of the board has {len(cells)} cells, not {len(words)}")
    for cell, word in zip(cells, words):
        match = re.fullmatch(r"([.EGMegm#])(\d{0,4})([*+]?)", word)
        if match is None or (match[1] in ".#" and match[3]) or (match[1] == "#" and match[2]):
            raise BadNotation(f"{word!r} is no cell: E, G, M, e, g, m, . or #, then food, then * or + for an element")
        state.piece[cell] = SIGNS.index(match[1])
        state.food[cell] = int(match[2] or 0)
        state.role[cell] = ROLES.index(match[3])


def outcome_text(state):
    if state.phase != len(PHASES) - 1:
        return "the game goes on"
    who = f"the {PLAYERS[state.winner - 1]} player wins" if state.winner else "a draw"
    return f"{who}: {REASONS[state.ending]}"
