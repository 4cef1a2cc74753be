"""Pivit.

A game by Tyler Neylon (2013) of sliding pieces that turn a quarter after every move. Two to four players on a chequered
board of 8x8 squares, or two on 6x6.

*Pieces.* A piece is a minion or, once promoted, a master. It carries an axis: v moves up and down, h left and right.
At the start every square of the edge but the corners holds a minion whose axis points into the board:

    8x8, 2 players              8x8, 3 players              8x8, 4 players              6x6, 2 players
    .  B  R  B  B  R  B  .      .  R  B  G  R  B  G  .      .  R  B  G  Y  R  B  .      .  R  B  R  B  .
    R                    R      G                    G      G                    G      B              B
    B                    B      B                    B      Y                    Y      R              R
    R                    R      R                    R      R                    R      B              B
    R                    R      G                    G      B                    B      R              R
    B                    B      B                    B      G                    G      .  R  B  R  B  .
    R                    R      R                    R      Y                    Y
    .  B  R  B  B  R  B  .      .  R  B  G  R  B  G  .      .  R  B  G  Y  R  B  .

*Turn.* Red moves first, then Blue, Green and Yellow, as many as play; who has no piece left is passed over. A move
takes one own piece along its axis, in either sense, over empty squares only. It may end on an enemy's piece, which is
captured and leaves the game, but not on a piece of its own colour. A minion must land on a square of the other colour,
so it moves an odd distance: an enemy at an even distance it can neither capture nor pass. A master moves any distance.
Nobody has to capture. After its move, capture or not, the piece pivots: v becomes h and h becomes v.

*Promotion.* A minion that lands on a corner of the board becomes a master for good, and pivots like any other piece.

*End.* A player whose rivals have lost every piece wins at once. Otherwise the game ends when a move leaves no minion of
any colour on the board: most masters wins, and of those with equally many the one whose first promotion came earliest,
even if that master has been captured since.

*Rules that may be changed.* The designer's text is silent about a player who cannot move, and about endless play.
    board      8x8, or 6x6 for two players.
    promotion  off: corners promote nobody.
    tie        first-promotion as above, or draw: those with equally many masters share the win.
    stuck      pass: a player without a move is passed over, and when nobody can move masters are counted as above.
               loss: when a move leaves a player with pieces but without a move, the game ends and that player loses
               (the last in the order of play, if several cannot move); the others who have pieces share the win.
    cap        After this many moves without an end all who still have pieces share the win: for two players, a draw.
    quiet      After this many moves without a capture or promotion masters are counted; 0: never.
Who has lost every piece shares in nothing.

*Presets.* `short` is the 6x6 game. `paper` is what the published learning experiments ran: corners did not promote, a
player without a move had lost, and 500 moves were a draw; `paper-training` is the same with the 440 moves of training.

*Numbers.* Squares are numbered by rows from the top left, always eight to a row; the 6x6 board is the upper left part.

        a  b  c  d  e  f  g  h
    1   0  1  2  3  4  5  6  7      An action is 64 * (square left) + (square reached), the code of the published
    2   8  9 10 11 12 13 14 15      experiments: 0 … 4095. From c1 to c4 is 64 * 2 + 26 = 154.
    3  16 17 18 19 20 21 22 23
    4  24 25 26 27 28 29 30 31      In notation a square is the letter of its column and the digit of its row, counted
    5  32 33 34 35 36 37 38 39      from the top. A move is written c1-c4, or c1xc4 if it captures.
    6  40 41 42 43 44 45 46 47
    7  48 49 50 51 52 53 54 55      A position is written row by row: R, B, G or Y for the colour, then v or h for the
    8  56 57 58 59 60 61 62 63      axis, in capitals for a master. Below stand `turn Red` and `ply 12`, and if there is
                                    something to say, `promoted Blue Red` (by first promotion), `quiet 3` (moves since
                                    the last capture or promotion) and `over most-masters Red` (why, and who wins).
"""

import re

import numpy as np

from ludus.errors import BadNotation
from ludus.games._pivit_lines import HORIZONTAL, MASTER
from ludus.games._pivit_terms import TERMS, forcing, terms
from ludus.rules import Facts, Param, Params, choice, record, rule, switch
from ludus.shapes import planes, squares

__all__ = ["TERMS", "forcing", "terms"]  # the last are written next door

# A player has at most 12 pieces, and a piece at most 7 squares to go to.
FACTS = Facts("Pivit", players=(2, 4), max_actions=12 * 7, max_plies=2000)

PARAMS = Params(
    board=choice("8x8", "6x6", help="size of the board; 6x6 is for two players"),
    promotion=switch(True, help="a minion that lands on a corner becomes a master"),
    tie=choice("first-promotion", "draw", help="who wins with equally many masters"),
    stuck=choice("pass", "loss", help="what happens to a player without a move"),
    cap=Param(500, 1, 2000, help="moves after which the game is a draw"),
    quiet=Param(0, 0, 1000, help="moves without capture or promotion after which masters are counted; 0: never"),
)
PAPER = {"promotion": "off", "tie": "draw", "stuck": "loss"}
PRESETS = {"short": {"board": "6x6"}, "paper": PAPER | {"cap": 500}, "paper-training": PAPER | {"cap": 440}}

State = record(
    params=PARAMS,
    players=np.int32,
    turn=np.int32,  # whose move it is; 0 once the game is over
    plies=np.int32,  # moves made
    quiet_plies=np.int32,  # moves since the last capture or promotion; 0 where the rules do not ask
    ending=np.int32,  # why the game is over; 0 while it goes on
    winners=np.int32,  # bit p: player p has a share in the win; 0 while the game goes on
    minions=(np.int32, 4),  # pieces of each player on the board
    masters=(np.int32, 4),
    promoted=(np.int32, 4),  # 1 for who promoted first, 2 for who did next, …; 0: not yet, or the rules do not ask
    board=(np.int8, 64),  # 0 empty, else 4 * (1 + player) + MASTER or 0 + HORIZONTAL or 0
)

MOST_MASTERS, FIRST_PROMOTION, TIED, LAST_COLOUR, STUCK, PLY_CAP = 1, 2, 3, 4, 5, 6
TIE_DRAW, STUCK_LOSS = 1, 1  # the second of the named choices

# The owners along the top and bottom row, and down the left and right column, without the corners.
LAYOUTS = np.array(
    [
        [[1, 0, 1, 1, 0, 1], [0, 1, 0, 0, 1, 0]],  # 8x8, 2 players
        [[0, 1, 2, 0, 1, 2], [2, 1, 0, 2, 1, 0]],  # 8x8, 3 players
        [[0, 1, 2, 3, 0, 1], [2, 3, 0, 1, 2, 3]],  # 8x8, 4 players
        [[0, 1, 0, 1, -1, -1], [1, 0, 1, 0, -1, -1]],  # 6x6, 2 players
    ],
    np.int32,
)
PIECES = (12, 8, 6, 8)  # of each player, in the same order


def objection(params, players):
    return "the 6x6 board is for two players" if params.board and players > 2 else ""


# ------------------------------------------------------------------------------------------------ rules


@rule
def width(state):
    return 8 - 2 * int(state.params.board)


@rule
def in_game(state, player):
    return state.minions[player] + state.masters[player] > 0


@rule
def setup(state, rng):
    layout = 3 if state.params.board else state.players - 2
    last = width(state) - 1
    for k in range(1, last):
        across, down = LAYOUTS[layout, 0, k - 1], LAYOUTS[layout, 1, k - 1]
        state.board[k] = state.board[8 * last + k] = 4 * (1 + across)
        state.board[8 * k] = state.board[8 * k + last] = 4 * (1 + down) + HORIZONTAL
        state.minions[across] += 2
        state.minions[down] += 2


@rule
def to_act(state):
    return 0 if state.ending else 1 << int(state.turn)


@rule
def legal(state, player, out):
    last = width(state) - 1
    n = 0
    for cell in range(64):
        piece = int(state.board[cell])
        if piece >> 2 == 1 + player:
            if piece & HORIZONTAL:
                n = slide(state, cell, -1, cell & 7, out, n)
                n = slide(state, cell, 1, last - (cell & 7), out, n)
            else:
                n = slide(state, cell, -8, cell >> 3, out, n)
                n = slide(state, cell, 8, last - (cell >> 3), out, n)
    return n


@rule
def slide(state, origin, stride, room, out, n):
    """Add the moves of one piece in one direction, which leaves `room` squares up to the edge."""
    piece = int(state.board[origin])
    target = origin
    for distance in range(1, room + 1):
        target += stride
        met = int(state.board[target])
        if met >> 2 == piece >> 2:
            break
        if distance & 1 or piece & MASTER:
            out[n] = 64 * origin + target
            n += 1
        if met:
            break
    return n


@rule
def can_move(state, player):
    """Distance 1 is open to every piece: a piece has a move unless its own colour stands next to it on its axis."""
    last = width(state) - 1
    for cell in range(64):
        piece = int(state.board[cell])
        if piece >> 2 == 1 + player:
            place = cell & 7 if piece & HORIZONTAL else cell >> 3
            stride = 1 if piece & HORIZONTAL else 8
            if place > 0 and int(state.board[cell - stride]) >> 2 != 1 + player:
                return True
            if place < last and int(state.board[cell + stride]) >> 2 != 1 + player:
                return True
    return False


@rule
def step(state, actions, rng):
    player = int(state.turn)
    action = int(actions[player])
    progress = move(state, player, action >> 6, action & 63)
    state.plies += 1
    if state.params.quiet:
        state.quiet_plies = 0 if progress else state.quiet_plies + 1
    end_or_pass_turn(state)


@rule
def move(state, player, origin, target):
    """Whether the move captured or promoted."""
    piece, met = int(state.board[origin]), int(state.board[target])
    if met & MASTER:
        state.masters[(met >> 2) - 1] -= 1
    elif met:
        state.minions[(met >> 2) - 1] -= 1
    promotes = state.params.promotion and not piece & MASTER and is_corner(width(state), target)
    if promotes:
        promote(state, player)
        piece |= MASTER
    state.board[origin] = 0
    state.board[target] = piece ^ HORIZONTAL
    return promotes or met != 0


@rule
def is_corner(side, cell):
    row, column = cell >> 3, cell & 7
    return (row == 0 or row == side - 1) and (column == 0 or column == side - 1)


@rule
def promote(state, player):
    state.minions[player] -= 1
    state.masters[player] += 1
    if state.params.tie != TIE_DRAW and state.promoted[player] == 0:
        state.promoted[player] = 1 + state.promoted.max()


@rule
def end_or_pass_turn(state):
    present = minions = 0
    for player in range(state.players):
        if in_game(state, player):
            present |= 1 << player
        minions += state.minions[player]
    loser = stuck_player(state) if state.params.stuck == STUCK_LOSS else -1
    if present & (present - 1) == 0:
        finish(state, present, LAST_COLOUR)
    elif loser >= 0:
        finish(state, present & ~(1 << loser), STUCK)
    elif minions == 0 or 0 < state.params.quiet <= state.quiet_plies or not pass_turn(state):
        count_masters(state)
    elif state.plies >= state.params.cap:
        finish(state, present, PLY_CAP)


@rule
def stuck_player(state):
    """The last in the order of play who has pieces and no move; -1 if there is none."""
    for player in range(state.players - 1, -1, -1):
        if in_game(state, player) and not can_move(state, player):
            return player
    return -1


@rule
def pass_turn(state):
    """Hand the turn to the next player who can move, the mover itself if need be; False if nobody can."""
    for k in range(1, state.players + 1):
        player = (state.turn + k) % state.players
        if in_game(state, player) and can_move(state, player):
            state.turn = player
            return True
    return False


@rule
def count_masters(state):
    winners, ending = by_masters(state)
    finish(state, winners, ending)


@rule
def by_masters(state):
    """Who would win if masters were counted now, as bits, and by what."""
    best = state.masters.max()
    tied = 0
    first = -1
    for player in range(state.players):
        if in_game(state, player) and state.masters[player] == best:
            tied |= 1 << player
            if state.promoted[player] and (first < 0 or state.promoted[player] < state.promoted[first]):
                first = player
    if tied & (tied - 1) == 0:
        return tied, MOST_MASTERS
    if first >= 0:
        return 1 << first, FIRST_PROMOTION
    return tied, TIED


@rule
def finish(state, winners, ending):
    state.winners = winners
    state.ending = ending
    state.turn = 0


@rule
def returns(state, out):
    shares = 0
    for player in range(state.players):
        shares += state.winners >> player & 1
    for player in range(state.players):
        share = (state.winners >> player & 1) / shares if shares else 1.0 / state.players
        out[player] = (state.players * share - 1.0) / (state.players - 1.0)


# ------------------------------------------------------------------------------------------------ estimates


@rule
def heuristic(state, player):
    """The player's part of all that stands on the board, as if it were its share of the win."""
    total = mine = 0.0
    for rival in range(state.players):
        value = float(state.winners >> rival & 1) if state.ending else worth(state, rival)
        total += value
        if rival == player:
            mine = value
    return (state.players * mine / total - 1.0) / (state.players - 1.0)


@rule
def worth(state, player):
    return state.minions[player] + 4.0 * state.masters[player] + (0.3 if state.promoted[player] == 1 else 0.0)


def _shapes(side, players):
    board = squares(side, side)
    return planes(4 * players, board, extra=4 * players + 2), planes(2 * side - 2, board)


def shapes(params, players):
    """Four planes a player, the viewer's first: minions v and h, masters v and h. A policy slot is how far the piece
    goes along its axis, from one end of the board to the other without 0, and the cell that it leaves."""
    return _shapes(_side_of(params), players)


FEATURES, POLICY = _shapes(8, 4)


@rule
def observe(state, player, out):
    """The planes; then for each player, the viewer first: minions, masters, how early it promoted, has the turn. Last
    the clocks."""
    side, n = width(state), state.players
    extra = 4 * n * side * side
    out[:extra] = 0.0
    for row in range(side):
        for column in range(side):
            piece = int(state.board[8 * row + column])
            if piece:
                seat = (piece >> 2) - 1 - player
                plane = 4 * (seat if seat >= 0 else seat + n) + (piece & 3)
                out[(plane * side + row) * side + column] = 1.0
    for seat in range(n):
        rival = (player + seat) % n
        at = extra + 4 * seat
        out[at] = state.minions[rival] / 12.0
        out[at + 1] = state.masters[rival] / 12.0
        out[at + 2] = (5.0 - state.promoted[rival]) / 4.0 if state.promoted[rival] else 0.0
        out[at + 3] = 1.0 if state.turn == rival and not state.ending else 0.0
    out[extra + 4 * n] = state.plies / state.params.cap
    out[extra + 4 * n + 1] = state.quiet_plies / state.params.quiet if state.params.quiet else 0.0


@rule
def policy_slot(state, player, action):
    side, origin, target = width(state), action >> 6, action & 63
    distance = target - origin if origin >> 3 == target >> 3 else (target >> 3) - (origin >> 3)
    plane = distance + side - 1 if distance < 0 else distance + side - 2
    return (plane * side + (origin >> 3)) * side + (origin & 7)


@rule
def valid(state):
    counted = np.zeros((5, 2), np.int32)
    for cell in range(64):
        piece = int(state.board[cell])
        if piece and (piece >> 2 > state.players or cell >> 3 >= width(state) or cell & 7 >= width(state)):
            return False
        counted[piece >> 2, 1 if piece & MASTER else 0] += 1
    if (counted[1:, 0] != state.minions).any() or (counted[1:, 1] != state.masters).any():
        return False
    if state.ending:
        return state.winners != 0 and state.turn == 0
    return state.winners == 0 and state.minions.sum() > 0 and can_move(state, int(state.turn))


# ------------------------------------------------------------------------------------------------ symmetries
# The rules know no direction and name no square but the corners, so every turn and reflection of the board keeps them,
# whoever plays; players stay who they are.

SYMMETRIES = 8


@rule
def turned(side, symmetry, cell):
    """Bit 0 of a symmetry mirrors left and right, bit 1 top and bottom; then bit 2 exchanges rows and columns."""
    row, column = cell >> 3, cell & 7
    if symmetry & 1:
        column = side - 1 - column
    if symmetry & 2:
        row = side - 1 - row
    return 8 * column + row if symmetry & 4 else 8 * row + column


@rule
def reflect(state, symmetry):
    side = width(state)
    before = state.board.copy()
    state.board[:] = 0
    for cell in range(64):
        piece = int(before[cell])
        if piece:
            state.board[turned(side, symmetry, cell)] = piece ^ HORIZONTAL if symmetry & 4 else piece


@rule
def reflect_action(state, symmetry, action):
    side = width(state)
    return 64 * turned(side, symmetry, action >> 6) + turned(side, symmetry, action & 63)


# ------------------------------------------------------------------------------------------------ notation

COLOURS = ("Red", "Blue", "Green", "Yellow")
ENDINGS = ("", "most-masters", "first-promotion", "tied", "last-colour", "stuck", "ply-cap")
SAYINGS = ("turn", "ply", "promoted", "quiet", "over")
SIGNS = [".", "", "", "", *(colour[0] + side for colour in COLOURS for side in "vhVH")]  # by what stands on a square


def _square(cell):
    return "abcdefgh"[cell & 7] + "12345678"[cell >> 3]


def action_text(state, player, action):
    origin, target = divmod(int(action), 64)
    return f"{_square(origin)}{'x' if state.board[target] else '-'}{_square(target)}"


def action_kind(state, player, action):
    """Which sort of piece does what; not where."""
    origin, target = divmod(int(action), 64)
    piece = "master" if state.board[origin] & MASTER else "minion"
    return f"{piece} {'captures' if state.board[target] else 'moves'}"


def parse_action(state, player, text):
    squares = re.fullmatch(r"([a-h])([1-8])[-x ]?([a-h])([1-8])", text.strip().lower())
    if not squares:
        raise BadNotation(f"{text!r} is no move; write the square left and the square reached, like c1-c4 or c1xc4")
    column, row, to_column, to_row = ("abcdefgh12345678".index(sign) & 7 for sign in squares.groups())
    return 64 * (8 * row + column) + 8 * to_row + to_column


def state_text(state):
    side = _side(state)
    lines = ["   " + "  ".join("abcdefgh"[:side])]
    for row in range(side):
        signs = (f"{SIGNS[piece]:2}" for piece in state.board[8 * row : 8 * row + side])
        lines.append(f"{row + 1}  {' '.join(signs)}".rstrip())
    if not state.ending:
        lines.append(f"turn {COLOURS[state.turn]}")
    lines.append(f"ply {state.plies}")
    if state.promoted.any():
        order = [COLOURS[player] for player in np.argsort(state.promoted) if state.promoted[player]]
        lines.append(f"promoted {' '.join(order)}")
    if state.quiet_plies:
        lines.append(f"quiet {state.quiet_plies}")
    if state.ending:
        lines.append(f"over {ENDINGS[state.ending]} {' '.join(_winners(state))}")
    return "\n".join(lines)


def _side(state):
    return _side_of(state.params)


def _side_of(params):
    return 6 if params.board else 8


def _winners(state):
    return [COLOURS[player] for player in range(4) if state.winners >> player & 1]


def parse_state(text, state):
    rows = 0
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        try:
            if words and words[0] in SAYINGS:
                _read_saying(state, words[0], words[1:])
            elif words and words != list("abcdefgh"[: len(words)]):
                _read_row(state, rows, words)
                rows += 1
        except ValueError as reason:
            raise BadNotation(f"line {number}: {reason}") from None
    if rows != _side(state):
        raise BadNotation(f"this board has {_side(state)} rows, the position {rows}")
    _check_pieces(state)
    if state.ending:
        state.turn = 0
    else:
        _check_going_on(state)


def _read_row(state, row, words):
    side = _side(state)
    if words[0] == str(row + 1):
        words = words[1:]
    if row >= side or len(words) != side:
        raise ValueError(f"neither row {row + 1} of {side} rows of {side} squares, nor one of {', '.join(SAYINGS)}")
    known = [sign for sign in SIGNS[: 4 * (1 + state.players)] if sign]
    for column, word in enumerate(words):
        if word not in known:
            raise ValueError(f"{word!r} is no piece; write one of {' '.join(known)}")
        piece = SIGNS.index(word)
        state.board[8 * row + column] = piece
        if piece:
            (state.masters if piece & MASTER else state.minions)[piece // 4 - 1] += 1


def _read_saying(state, key, words):
    if key == "turn":
        state.turn = _read_players(state, words, most=1)[0]
    elif key == "ply":
        state.plies = _read_number(words, state.params.cap)
    elif key == "quiet":
        state.quiet_plies = _read_number(words, state.params.quiet)
    elif key == "promoted":
        for order, player in enumerate(_read_players(state, words), 1):
            state.promoted[player] = 0 if state.params.tie == TIE_DRAW else order  # as in play: kept if it breaks ties
    else:
        if not words or words[0] not in ENDINGS[1:]:
            raise ValueError(f"after `over` comes the reason, one of {', '.join(ENDINGS[1:])}")
        state.ending = ENDINGS.index(words[0])
        state.winners = sum(1 << player for player in _read_players(state, words[1:]))


def _read_players(state, words, most=4):
    known = COLOURS[: state.players]
    if not 1 <= len(words) <= most or len(set(words)) < len(words) or not set(words) <= set(known):
        raise ValueError(f"name {'one' if most == 1 else 'some'} of {', '.join(known)}, not {' '.join(words)!r}")
    return [known.index(word) for word in words]


def _read_number(words, most):
    if len(words) != 1 or not words[0].isdecimal() or int(words[0]) > most:
        raise ValueError(f"expected a number from 0 to {most}, not {' '.join(words)!r}")
    return int(words[0])


def _check_pieces(state):
    most = PIECES[3 if state.params.board else state.players - 2]
    for player in range(state.players):
        pieces = state.minions[player] + state.masters[player]
        if pieces > most:
            raise BadNotation(f"{COLOURS[player]} has {pieces} pieces, more than the {most} of the start")
        if state.masters[player] and not state.promoted[player] and state.params.tie != TIE_DRAW:
            raise BadNotation(f"{COLOURS[player]} has a master, but no line `promoted` names it")


def _check_going_on(state):
    if (state.minions + state.masters > 0).sum() < 2 or state.minions.sum() == 0:
        raise BadNotation("the game goes on only while two colours and a minion are left; else add a line `over`")
    if not _has_move(state):
        raise BadNotation(f"it is the turn of {COLOURS[state.turn]}, who has no move")
    if state.plies == state.params.cap or 0 < state.params.quiet == state.quiet_plies:
        raise BadNotation("no moves are left to play; add a line `over`")


def _has_move(state):
    board = state.board.reshape(8, 8)[: _side(state), : _side(state)]
    own = board >> 2 == 1 + state.turn
    closed = np.pad(own, 1, constant_values=True)
    across, down = closed[1:-1, :-2] & closed[1:-1, 2:], closed[:-2, 1:-1] & closed[2:, 1:-1]
    return (own & ~np.where(board & HORIZONTAL, across, down)).any()


def outcome_text(state):
    winners = " and ".join(_winners(state))
    count = ", ".join(f"{COLOURS[player]} {state.masters[player]}" for player in range(state.players))
    left = [COLOURS[player] for player in np.flatnonzero(state.minions + state.masters)]
    return {
        0: "the game goes on",
        MOST_MASTERS: f"{winners} wins with most masters ({count})",
        FIRST_PROMOTION: f"{winners} wins: equally many masters ({count}), but the earliest promotion",
        TIED: f"a draw between {winners}: equally many masters ({count})",
        LAST_COLOUR: f"{winners} wins: no other colour is left",
        STUCK: f"{' '.join(set(left) - set(_winners(state)))} cannot move and loses to {winners}",
        PLY_CAP: f"a draw between {winners}: no end after {state.plies} moves",
    }[int(state.ending)]
