"""Thrones: two players claim land in a walled room and hunt each other's trails, while white walkers roam it.

The room is a rectangle with walls on all four sides. X starts in the top left corner, O in the bottom right one; each
owns the cell under its head. They take turns to move their head one cell: 0 up, 1 down, 2 left, 3 right (U D L R).
There is no pass, and every direction is allowed, a fatal one too. A *round* is one move of each.

    ###############      #    wall                       cells are numbered row by row, 0 is the top left wall:
    #1XX          #      1 2  head of X, of O            cell = row * columns + column
    #XX**         #      X O  territory of X, of O
    #      W      #      * .  trail of X, of O           player 0 is X, player 1 is O
    #          .OO#      W    white walker
    #          ..2#
    ###############

**Moving.** A head stands *inside* (on territory of its own) or *outside*. What happens depends on the cell it enters:

    wall, walker or own trail     the mover dies
    trail of the enemy            the enemy dies
    head of the enemy             the enemy dies, even at home (`head_kill=off`: the mover dies)
    empty, or enemy territory     the mover is now outside. The cell it leaves becomes its territory if it was inside,
                                  else a tile of its trail. Territory that it enters is lost to the owner at once
    own territory                 if the mover was outside it closes its trail; it is now inside

The cell under a head outside is no trail yet, so a player one step from home exposes only its head.

**Closing.** Own territory, own trail and the cell just left form a border. A flood that starts at the outer wall and
spreads in all eight directions, through walls as well, reaches every cell that this border does not enclose. If the
enemy's head is enclosed, the enemy dies. Otherwise enclosed walkers vanish for good, and all enclosed cells but walls
become territory of the mover, as does its trail. So a wall never encloses: cells beside it must be walked on. With
`wall_encloses=on` walls do: after the same test of the enemy's head a second flood starts at that head and stops at
walls, and everything it does not reach is enclosed.

**Winning.** Whoever kills the enemy wins. Whoever moves onto own territory and then owns at least half of what can be
owned wins too: of the cells that were neither wall nor walker at the start, 61 of 121 in `empty_room`, 60 of 120 in
`small_room`, 522 of 1043 in `large_room`. After `cap` rounds the larger territory wins.

**Ties.** The published referee tosses a coin when both territories are equal (`tie=coin`). The default is a draw: it is
worth as much to either player and leaves the game free of chance, which alpha-beta needs. `deterministic` tells whether
dice can still fall in a match.

**White walkers** move after each round in which nobody died, one after the other, diagonally, at first down-right.
Walls, territory of either player and other walkers stop them. A walker turns its left-right sense if the cell beside
it in that sense stops it, likewise its up-down sense, and both if neither of these two cells but the diagonal one does.
Then it looks at the diagonal cell in its new direction: if empty, it goes there; if it holds a trail or a head, inside
or outside, that player dies (`head_kill=off`: heads are safe); otherwise it stays. If walkers kill both players in one
round, the larger territory wins. The last round, too, ends with the walkers' move.

    walkers=random     each walker chooses among the diagonals that lead to an empty cell, all equally likely; it
                       stays where there is none, and so kills nobody
    walkers=frozen     walkers stand still. The published bots searched with this model of a match in which walkers
                       move: such a search sets `params.walkers` to FROZEN in its own copies of the state

**Maps** of one's own are read as text: up to 38 rows, 38 columns, 1178 cells and 8 walkers, with walls anywhere.

**Parity.** Every move changes the distance between the heads, counted in steps, by one. So in the 13x13 rooms only
the second mover can ever take a head, in the large room only the first.

Game and maps come from a course at Brown University, where it is called Game of Thrones; the rules follow its referee.
Preset `paper_small` is the room in which the published bots were measured without a walker, `paper_large` the one with.
`paper_text` takes the published description at its word: walkers move at random, and only trails can be hit.
"""

import numpy as np

from ludus.games._thrones_text import (  # noqa: F401 (the notation is read off this module)
    MAX_CELLS,
    MAX_SIDE,
    MAX_WALKERS,
    SIGNS,
    action_text,
    outcome_text,
    parse_action,
    parse_state,
    state_text,
)
from ludus.rng import below
from ludus.rules import Facts, Param, Params, choice, record, rule, switch
from ludus.shapes import planes, squares

# Walkers can be set to move at random and ties to be tossed for, so the widest case has chance; see `deterministic`.
FACTS = Facts("Thrones", players=(2, 2), max_actions=4, max_plies=2000, version="2", chance=True)

PARAMS = Params(
    map=choice("small_room", "empty_room", "large_room", help="13x13 with a walker, 13x13 without, 31x38 with one"),
    walkers=choice("bounce", "random", "frozen", help="how white walkers move"),
    head_kill=switch(True, help="a head can be hit, by the enemy and by walkers"),
    wall_encloses=switch(False, help="walls count as border when a trail is closed"),
    cap=Param(500, 1, 1000, help="rounds after which the larger territory wins"),
    tie=choice("draw", "coin", help="what decides between equal territories"),
    first=Param(0, 0, 1, help="the player who moves first: 0 is X, 1 is O"),
)

PRESETS = {
    "paper_small": {"map": "empty_room", "tie": "coin"},
    "paper_large": {"map": "large_room", "tie": "coin"},
    "paper_text": {"map": "large_room", "tie": "coin", "walkers": "random", "head_kill": "off"},
    "short": {"cap": 200},
}

State = record(
    players=np.int32,
    params=PARAMS,
    plies=np.int32,
    winner=np.int32,  # 0 while the match lasts, 1 + p, or DRAW
    ending=np.int32,  # why it is over: RAN_INTO_WALL, …; 0 while it lasts
    rows=np.int32,
    cols=np.int32,
    fillable=np.int32,  # cells that were neither wall nor walker at the start
    head=(np.int32, 2),
    inside=(np.int32, 2),
    area=(np.int32, 2),  # territory, with the cell under a head inside
    trail=(np.int32, 2),  # tiles of trail, without the cell under the head
    walkers=np.int32,
    walker=(np.int32, MAX_WALKERS),  # their cells in their order of moving, then zeros
    heading=(np.int32, MAX_WALKERS),  # bit 0: left rather than right, bit 1: up rather than down
    board=(np.int8, MAX_CELLS),  # a code for each of rows * cols cells (territory, trail, head: + player), then zeros
)

EMPTY, WALL, TERRITORY, TRAIL, HEAD, WALKER = (SIGNS.index(sign) for sign in " #X*1W")
DRAW = 3
RAN_INTO_WALL, RAN_INTO_WALKER, RAN_INTO_TRAIL, RAN_INTO_HEAD = 1, 2, 3, 4
TRAIL_CUT, HEAD_TAKEN, ENCLOSED, AREA, WALKER_HIT, WALKERS_HIT_BOTH, ROUNDS = 5, 6, 7, 8, 9, 10, 11

ROW_STEP = np.array([-1, 1, 0, 0])  # by action
COL_STEP = np.array([0, 0, -1, 1])
BOUNCE, RANDOM, FROZEN = range(3)  # values of the params `walkers` and `tie`
COIN = 1
ROOMS = np.array([[13, 13, 6, 6], [13, 13, 0, 0], [31, 38, 15, 19]])  # rows, columns, the walker's row and column or 0


# ------------------------------------------------------------------------------------------------ the match


@rule
def setup(state, rng):
    room = ROOMS[state.params.map]
    rows, cols = room[0], room[1]
    state.rows, state.cols = rows, cols
    state.board[:cols] = WALL
    state.board[(rows - 1) * cols : rows * cols] = WALL
    for row in range(1, rows - 1):
        state.board[row * cols] = WALL
        state.board[row * cols + cols - 1] = WALL
    place_head(state, 0, cols + 1)
    place_head(state, 1, (rows - 1) * cols - 2)
    if room[2] > 0:
        state.walker[0] = room[2] * cols + room[3]
        state.board[state.walker[0]] = WALKER
        state.walkers = 1
    state.fillable = (rows - 2) * (cols - 2) - state.walkers


@rule
def place_head(state, player, cell):
    state.head[player] = cell
    state.board[cell] = HEAD + player
    state.inside[player] = 1
    state.area[player] = 1


@rule
def mover(state):
    return (state.plies + state.params.first) & 1


@rule
def to_act(state):
    return 0 if state.winner != 0 else 1 << mover(state)


@rule
def legal(state, player, out):
    for action in range(4):
        out[action] = action
    return 4


@rule
def step(state, actions, rng):
    player = mover(state)
    move(state, player, actions[player])
    state.plies += 1
    if state.winner == 0 and state.plies & 1 == 0:
        end_round(state, rng)


@rule
def finish(state, player, ending):
    state.winner = 1 + player
    state.ending = ending


@rule
def returns(state, out):
    for player in range(2):
        out[player] = 0.0 if state.winner == 0 or state.winner == DRAW else 1.0 if state.winner == 1 + player else -1.0


@rule
def final_count(state, player):
    """For a komi: territory, where the rounds ran out."""
    return float(state.area[player]) if state.ending == ROUNDS else np.nan


@rule
def deterministic(state):
    """Whether no dice can fall from here to the end."""
    return state.params.tie != COIN and (state.params.walkers != RANDOM or state.walkers == 0)


# ------------------------------------------------------------------------------------------------ moving


@rule
def move(state, player, action):
    """The mover's half of `step`. A move that kills leaves the board as it was."""
    enemy = 1 - player
    target = state.head[player] + ROW_STEP[action] * state.cols + COL_STEP[action]
    cell = state.board[target]
    if cell == WALL:
        finish(state, enemy, RAN_INTO_WALL)
    elif cell == WALKER:
        finish(state, enemy, RAN_INTO_WALKER)
    elif cell == TRAIL + player:
        finish(state, enemy, RAN_INTO_TRAIL)
    elif cell == TRAIL + enemy:
        finish(state, player, TRAIL_CUT)
    elif cell == HEAD + enemy:
        if state.params.head_kill != 0:
            finish(state, player, HEAD_TAKEN)
        else:
            finish(state, enemy, RAN_INTO_HEAD)
    elif cell == TERRITORY + player:
        go_home(state, player, target)
    else:
        go_out(state, player, target)


@rule
def go_out(state, player, target):
    if state.inside[player] != 0:
        state.board[state.head[player]] = TERRITORY + player
    else:
        state.board[state.head[player]] = TRAIL + player
        state.trail[player] += 1
    if state.board[target] != EMPTY:
        state.area[1 - player] -= 1
    state.board[target] = HEAD + player
    state.head[player] = target
    state.inside[player] = 0


@rule
def go_home(state, player, target):
    if state.inside[player] == 0 and not close(state, player):
        finish(state, player, ENCLOSED)
        return
    state.board[state.head[player]] = TERRITORY + player
    state.board[target] = HEAD + player
    state.head[player] = target
    state.inside[player] = 1
    if state.area[player] >= win_at(state):
        finish(state, player, AREA)


@rule
def win_at(state):
    return (state.fillable + 1) // 2


# ------------------------------------------------------------------------------------------------ closing a trail
# A row of the map is one word, bit c its column c: the flood then takes a row at a time, and most rows in one stroke.


@rule
def close(state, player):
    """Make trail and enclosed cells the player's own; False, and nothing done, if the enemy's head is enclosed."""
    rows, cols = int(state.rows), int(state.cols)
    passable = np.empty(MAX_SIDE, np.int64)
    reached = np.empty(MAX_SIDE, np.int64)
    find_passable(state, player, False, passable)
    for row in range(rows):
        reached[row] = 1 | 1 << (cols - 1)  # the walls at both ends, and those above and below
    reached[0] = reached[rows - 1] = (1 << cols) - 1
    flood(passable, reached, rows)
    enemy_row, enemy_col = int(state.head[1 - player]) // cols, int(state.head[1 - player]) % cols
    if reached[enemy_row] >> enemy_col & 1 == 0:
        return False
    if state.params.wall_encloses != 0:
        find_passable(state, player, True, passable)
        reached[:rows] = 0
        reached[enemy_row] = 1 << enemy_col
        flood(passable, reached, rows)
    claim(state, player, passable, reached)
    return True


@rule
def find_passable(state, player, walls_stop, passable):
    """Every cell but the player's border: territory, trail and the cell under the head, which is about to be left."""
    cell = 0
    for row in range(state.rows):
        word = 0
        for col in range(state.cols):
            code = state.board[cell]
            own = code == TERRITORY + player or code == TRAIL + player or code == HEAD + player
            if not own and not (walls_stop and code == WALL):
                word |= 1 << col
            cell += 1
        passable[row] = word


@rule
def flood(passable, reached, rows):
    """Let `reached` spread in eight directions, sweeping down and up until a pair of sweeps adds nothing."""
    inner = rows - 2
    growing = True
    while growing:
        growing = False
        for k in range(2 * inner):
            row = 1 + k if k < inner else 2 * inner - k
            word = reached[row - 1] | reached[row] | reached[row + 1]
            word = (word | word << 1 | word >> 1) & passable[row]
            wider = (word | word << 1 | word >> 1) & passable[row]
            while wider != word:
                word = wider
                wider = (word | word << 1 | word >> 1) & passable[row]
            if word != reached[row]:
                reached[row] = word
                growing = True


@rule
def claim(state, player, passable, reached):
    for row in range(state.rows):
        enclosed = passable[row] & ~reached[row]
        if enclosed != 0:
            for col in range(state.cols):
                if enclosed >> col & 1:
                    claim_cell(state, player, row * state.cols + col)
    for cell in range(state.rows * state.cols):
        if state.board[cell] == TRAIL + player:
            state.board[cell] = TERRITORY + player
    state.area[player] += state.trail[player] + 1  # and the cell under the head
    state.trail[player] = 0


@rule
def claim_cell(state, player, cell):
    enemy = 1 - player
    code = state.board[cell]
    if code == WALL:
        return
    if code == WALKER:
        remove_walker(state, cell)
    elif code == TERRITORY + enemy:
        state.area[enemy] -= 1
    elif code == TRAIL + enemy:  # only in composed positions: in play a trail hangs on its head
        state.trail[enemy] -= 1
    state.board[cell] = TERRITORY + player
    state.area[player] += 1


@rule
def remove_walker(state, cell):
    last = state.walkers - 1
    k = 0
    while state.walker[k] != cell:
        k += 1
    for later in range(k, last):
        state.walker[later] = state.walker[later + 1]
        state.heading[later] = state.heading[later + 1]
    state.walker[last] = 0
    state.heading[last] = 0
    state.walkers = last


# ------------------------------------------------------------------------------------------------ the end of a round


@rule
def end_round(state, rng):
    victims = 0  # bit p: a walker hit player p
    if state.params.walkers != FROZEN:
        for k in range(state.walkers):
            victims |= bounce(state, k) if state.params.walkers == BOUNCE else wander(state, k, rng)
    if victims == 3:
        compare_areas(state, WALKERS_HIT_BOTH, rng)
    elif victims != 0:
        finish(state, 2 - victims, WALKER_HIT)
    elif state.plies >= 2 * state.params.cap:
        compare_areas(state, ROUNDS, rng)


@rule
def compare_areas(state, ending, rng):
    if state.area[0] != state.area[1]:
        finish(state, 0 if state.area[0] > state.area[1] else 1, ending)
    elif state.params.tie == COIN:
        finish(state, below(rng, 2), ending)
    else:
        state.winner = DRAW
        state.ending = ending


@rule
def bounce(state, k):
    """Move walker k; returns its victim as a bit."""
    cell = state.walker[k]
    across = 1 - 2 * (state.heading[k] & 1)
    along = (1 - (state.heading[k] & 2)) * state.cols
    turn = 0
    if stops(state, cell + across):
        turn = 1
    if stops(state, cell + along):
        turn |= 2
    if turn == 0 and stops(state, cell + along + across):
        turn = 3
    state.heading[k] ^= turn
    return enter(state, k, diagonal(state, k, state.heading[k]))


@rule
def wander(state, k, rng):
    """Move walker k at random to an empty cell."""
    target = state.walker[k]
    ways = 0
    for heading in range(4):
        cell = diagonal(state, k, heading)
        if state.board[cell] == EMPTY:
            ways += 1
            if below(rng, ways) == 0:  # each way replaces the one held so far with the odds that make all equal
                target = cell
    return enter(state, k, target)


@rule
def diagonal(state, k, heading):
    return state.walker[k] + (1 - (heading & 2)) * state.cols + 1 - 2 * (heading & 1)


@rule
def stops(state, cell):
    code = state.board[cell]
    return code in (WALL, WALKER) or TERRITORY <= code < TRAIL


@rule
def victim(state, code):
    """The player, as a bit, that a walker kills which runs into such a cell."""
    if code == TRAIL or (code == HEAD and state.params.head_kill != 0):
        return 1
    if code == TRAIL + 1 or (code == HEAD + 1 and state.params.head_kill != 0):
        return 2
    return 0


@rule
def enter(state, k, target):
    if state.board[target] == EMPTY:
        state.board[state.walker[k]] = EMPTY
        state.board[target] = WALKER
        state.walker[k] = target
        return 0
    return victim(state, state.board[target])


# ------------------------------------------------------------------------------------------------ what learners see

REACH = 10
"""A viewer sees this many cells in each direction from its head: in a 13x13 room all there is."""
WINDOW = (2 * REACH + 1) ** 2
SCALARS = 18
FEATURES, POLICY = planes(3, squares(2 * REACH + 1, 2 * REACH + 1), extra=SCALARS), 4

# For each viewer and code of a cell: land (own 1, the enemy's -1), trails (±0.5) and heads (±1), walls (1) and walkers.
_FOR_X = [[0, 0, 0], [0, 0, 1], [1, 0, 0], [-1, 0, 0], [0, 0.5, 0], [0, -0.5, 0], [0, 1, 0], [0, -1, 0], [0, 0, -1]]
PLANES = np.array([_FOR_X, [_FOR_X[code] for code in (0, 1, 3, 2, 5, 4, 7, 6, 8)]], np.float32)


@rule
def observe(state, player, out):
    """Three planes of the cells around the viewer's head, where what lies beyond the map is wall; then numbers."""
    numbers = out[3 * WINDOW : 3 * WINDOW + SCALARS]
    observe_player(state, player, numbers[:5])
    observe_player(state, 1 - player, numbers[5:10])
    numbers[10] = mover(state) == player
    numbers[11] = 1 - state.plies / (2 * state.params.cap)
    numbers[12] = can_take_heads(state, player)
    observe_walkers(state, player, numbers[13:])
    row, col = state.head[player] // state.cols, state.head[player] % state.cols
    place = 0
    for r in range(row - REACH, row + REACH + 1):
        for c in range(col - REACH, col + REACH + 1):
            on_map = 0 <= r < state.rows and 0 <= c < state.cols
            code = state.board[r * state.cols + c] if on_map else WALL
            for plane in range(3):
                out[place + plane * WINDOW] = PLANES[player, code, plane]
            place += 1


@rule
def observe_player(state, player, out):
    out[0] = state.inside[player]
    out[1] = state.area[player] / win_at(state)
    out[2] = min(state.trail[player], 20) / 20
    out[3] = 2 * (state.head[player] // state.cols) / (state.rows - 1) - 1
    out[4] = 2 * (state.head[player] % state.cols) / (state.cols - 1) - 1


@rule
def observe_walkers(state, player, out):
    """How many there are, and of the first its place seen from the head, and its direction."""
    out[:] = 0
    if state.walkers > 0:
        out[0] = state.walkers / MAX_WALKERS
        out[1] = (state.walker[0] // state.cols - state.head[player] // state.cols) / state.rows
        out[2] = (state.walker[0] % state.cols - state.head[player] % state.cols) / state.cols
        out[3] = 1 - (state.heading[0] & 2)
        out[4] = 1 - 2 * (state.heading[0] & 1)


@rule
def can_take_heads(state, player):
    """Whether parity lets this player, and never the other, step on a head: on its turns their distance is odd."""
    apart = steps_apart(state.head[0], state.head[1], state.cols)
    return (apart + (mover(state) != player)) & 1


@rule
def steps_apart(cell, other, cols):
    return abs(cell // cols - other // cols) + abs(cell % cols - other % cols)


# ------------------------------------------------------------------------------------------------ an estimate

FAR = 2 * MAX_SIDE
CELL = 20
"""Units that a cell of territory is worth: whole numbers, so that compiled and plain Python agree to the last bit."""


@rule
def heuristic(state, player):
    """Territory and prospects against the enemy's; a lead as large as the winning area counts as certain."""
    if state.winner != 0:
        return 0.0 if state.winner == DRAW else 1.0 if state.winner == 1 + player else -1.0
    lead = prospects(state, player) - prospects(state, 1 - player)
    return max(-0.99, min(0.99, lead / (CELL * win_at(state))))


@rule
def prospects(state, player):
    """Territory, and what the head's place is worth: outside, a trail promises land unless somebody can reach it before
    the head is home; inside, new land should be near."""
    worth = CELL * state.area[player]
    if state.inside[player] != 0:
        return worth - 3 * min(6, distances(state, player, 5)[1])
    # A trail hangs on its head, and where it began there was territory: no need to look farther than its length.
    home, _, enemy, walker = distances(state, player, state.trail[player] + 1)
    if home == FAR:
        return worth - 30 * CELL
    danger = int(enemy <= home) + int(walker <= home)
    return worth + 6 * min(6, state.trail[player] + 1) - home - 8 * CELL * danger


@rule
def distances(state, player, radius):
    """Steps from the head home and to land to be won, and from enemy and walkers to head or trail; FAR if none."""
    cols, head = state.cols, state.head[player]
    row, col = head // cols, head % cols
    home = land = enemy = walker = FAR
    for r in range(max(row - radius, 1), min(row + radius, state.rows - 2) + 1):
        for cell in range(r * cols + max(col - radius, 1), r * cols + min(col + radius, cols - 2) + 1):
            code = state.board[cell]
            if code == TERRITORY + player:
                home = min(home, steps_apart(head, cell, cols))
            elif code == EMPTY or code == TERRITORY + 1 - player:
                land = min(land, steps_apart(head, cell, cols))
            elif code == TRAIL + player or code == HEAD + player:
                enemy = min(enemy, steps_apart(state.head[1 - player], cell, cols))
                for k in range(state.walkers):
                    rise, run = state.walker[k] // cols - r, state.walker[k] % cols - cell % cols
                    walker = min(walker, max(abs(rise), abs(run)))
    return home, land, enemy, walker


# ------------------------------------------------------------------------------------------------ soundness


@rule
def valid(state):
    """Whether every count and place agrees with the board."""
    counts = np.zeros(WALKER + 1, np.int32)
    if not count_codes(state, counts):
        return False
    for player in range(2):
        if counts[HEAD + player] != 1 or state.board[state.head[player]] != HEAD + player:
            return False
        if counts[TERRITORY + player] + state.inside[player] != state.area[player]:
            return False
        if counts[TRAIL + player] != state.trail[player] or (state.inside[player] and state.trail[player]):
            return False
    for k in range(state.walkers):
        if state.board[state.walker[k]] != WALKER:
            return False
    free = state.rows * state.cols - counts[WALL]
    return counts[WALKER] == state.walkers and free - MAX_WALKERS <= state.fillable <= free - state.walkers


@rule
def count_codes(state, counts):
    """Count the cells of each kind; False if the map has no wall around it or something lies beyond it."""
    rows, cols = state.rows, state.cols
    for cell in range(MAX_CELLS):
        row, col = cell // cols, cell % cols
        code = state.board[cell]
        if row >= rows:
            if code != EMPTY:
                return False
        elif (row == 0 or row == rows - 1 or col == 0 or col == cols - 1) and code != WALL:
            return False
        else:
            counts[code] += 1
    return True


# ------------------------------------------------------------------------------------------------ symmetries
# In a square room the map mirrored at the diagonal through both corners is the same game. (With random walkers the same
# dice then fall on other diagonals: equal in law, not throw by throw.) Elsewhere symmetry 1 changes nothing.

SYMMETRIES = 2


@rule
def reflect(state, symmetry):
    cols = state.cols
    if symmetry == 0 or state.rows != cols:
        return
    for row in range(cols):
        for col in range(row):
            held = state.board[row * cols + col]
            state.board[row * cols + col] = state.board[col * cols + row]
            state.board[col * cols + row] = held
    for player in range(2):
        state.head[player] = mirrored(state.head[player], cols)
    for k in range(state.walkers):
        state.walker[k] = mirrored(state.walker[k], cols)
        state.heading[k] = state.heading[k] >> 1 | (state.heading[k] & 1) << 1


@rule
def mirrored(cell, cols):
    return cell % cols * cols + cell // cols


@rule
def reflect_action(state, symmetry, action):
    """Up and left change places, as do down and right."""
    return action if symmetry == 0 or state.rows != state.cols else action ^ 2
