"""How well an agent plays connect four, beside perfect play.

    python bench/connect_four_solver.py alphazero:RUN,sims=128            everything; a minute or two on 15 cores
    python bench/connect_four_solver.py alphazero:RUN,sims=128 --positions 200 --games 0
    python bench/connect_four_solver.py solver                            only that the solver is right and how fast

1. Best moves in exactly solved positions with 11 to 14 stones in which the choice matters: some move keeps what the
   position is worth (won, drawn, lost), and some other does not.
2. All 7 openings: from the left they lose, lose, draw, win, draw, lose, lose for who begins.
3. A match against `mcts:sims=10000`, from all openings of two stones and both seats.

The solver is alpha-beta over sets of cells, as compiled code; it shares nothing with the game's own rules but how cells
are numbered.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from numba import njit

from ludus.agent import Agent
from ludus.arena.statistics import wilson
from ludus.catalogue import agent as make_agent
from ludus.catalogue import load
from ludus.game import Game
from ludus.rng import match_words
from ludus.workers import workers

BOTTOM = sum(1 << 7 * column for column in range(7))
BOARD = BOTTOM * 0b111111
OPENINGS = np.array([-1, -1, 0, 1, 0, -1, -1])
"""What each first move is worth to who makes it: known since 1988."""
STONES = (11, 14)
TABLE = (1 << 21) + 7
RIVAL = "mcts:sims=10000"

# ------------------------------------------------------------------------------------------------ the solver


@njit
def winning_cells(stones, taken):
    """The empty cells that would complete four of these stones."""
    cells = (stones << 1) & (stones << 2) & (stones << 3)
    for stride in (6, 7, 8):
        pair = (stones << stride) & (stones << 2 * stride)
        cells |= pair & ((stones << 3 * stride) | (stones >> stride))
        pair = (stones >> stride) & (stones >> 2 * stride)
        cells |= pair & ((stones << stride) | (stones >> 3 * stride))
    return cells & BOARD & ~taken


@njit
def count(cells):
    n = 0
    while cells != 0:
        cells &= cells - 1
        n += 1
    return n


@njit
def sound_moves(mine, taken):
    """Moves that neither leave nor make a win for the rival; the mover cannot win at once."""
    moves = (taken + BOTTOM) & BOARD
    threats = winning_cells(taken ^ mine, taken)
    forced = moves & threats
    if forced != 0:
        if forced & (forced - 1) != 0:
            return np.int64(0)
        moves = forced
    return moves & ~(threats >> 1)


@njit
def solve(mine, taken, alpha, beta, keys, bounds):
    """1, 0 or -1 for the mover: won, drawn or lost; exact between alpha and beta. `bounds` holds 3 * least + most of a
    position, each -1, 0 or 1, plus 4."""
    if taken == BOARD:
        return 0
    if winning_cells(mine, taken) & (taken + BOTTOM) & BOARD != 0:
        return 1
    moves = sound_moves(mine, taken)
    if moves == 0:
        full = (taken + BOTTOM) & BOARD
        return 0 if full == 0 else -1
    key = taken + mine
    place = key % keys.shape[0]
    least, most = -1, 1
    if keys[place] == key:
        least, most = (bounds[place]) // 3 - 1, (bounds[place]) % 3 - 1
        if least >= beta or least == most:
            return least
        if most <= alpha:
            return most
        alpha, beta = max(alpha, least), min(beta, most)
    best, floor = -1, alpha
    while moves != 0 and floor < beta:
        move = most_threatening(mine, taken, moves)
        moves ^= move
        value = -solve(taken ^ mine, taken | move, -beta, -floor, keys, bounds)
        best = max(best, value)
        floor = max(floor, value)
    least, most = (best if best > alpha else least), (best if best < beta else most)
    keys[place], bounds[place] = key, 3 * (least + 1) + most + 1
    return best


@njit
def most_threatening(mine, taken, moves):
    """The move that makes most winning cells; of equal ones the most central."""
    best, best_score = np.int64(0), -1
    for distance in range(4):
        for side in range(2):
            column = 3 + distance if side == 0 else 3 - distance
            move = moves & (np.int64(0b1111111) << 7 * column)
            if move != 0:
                score = count(winning_cells(mine | move, taken | move))
                if score > best_score:
                    best, best_score = move, score
    return best


@njit
def has_four(stones):
    for stride in (1, 6, 7, 8):
        pair = stones & stones >> stride
        if pair & pair >> 2 * stride != 0:
            return True
    return False


@njit(nogil=True)
def solve_moves(mine, theirs, keys, bounds, out):
    """What each column is worth to the mover; -2 where it is full."""
    for i in range(mine.shape[0]):
        taken = mine[i] | theirs[i]
        for column in range(7):
            move = (taken + (np.int64(1) << 7 * column)) & (np.int64(0b111111) << 7 * column) & ~taken
            if move == 0:
                out[i, column] = -2
            elif has_four(mine[i] | move):
                out[i, column] = 1
            else:
                out[i, column] = -solve(theirs[i], taken | move, -1, 1, keys, bounds)


def solved(mine: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    """int8[positions, 7], on all cores."""
    out = np.zeros((len(mine), 7), np.int8)

    def work(part: np.ndarray) -> None:
        values = np.zeros((len(part), 7), np.int8)
        solve_moves(mine[part], theirs[part], np.zeros(TABLE, np.int64), np.zeros(TABLE, np.int8), values)
        out[part] = values

    team = workers()
    for _ in team.stream(work, np.array_split(np.arange(len(mine)), min(8 * team.count, len(mine)))):
        pass
    return out


# ------------------------------------------------------------------------------------------------ the examination


def positions(game: Game, wanted: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """States in which the choice matters, and what each column is worth there."""
    found: list[np.ndarray] = []
    values: list[np.ndarray] = []
    for block in range(100):
        states = some_positions(game, 4 * wanted, seed + block)
        mover = (states["turn"] >> 1).astype(np.int64)
        rows = np.arange(len(states))
        worth = solved(states["stones"][rows, mover], states["stones"][rows, 1 - mover])
        least = np.where(worth == -2, 2, worth).min(axis=1)
        matters = np.flatnonzero(least < worth.max(axis=1))
        found.append(states[matters])
        values.append(worth[matters])
        if sum(map(len, found)) >= wanted:
            break
    return np.concatenate(found)[:wanted], np.concatenate(values)[:wanted]


def some_positions(game: Game, count: int, seed: int) -> np.ndarray:
    """By random play, each once, none over."""
    rng = np.random.default_rng(seed)
    words = match_words(seed, np.arange(count), 0, 2)
    states, goals = game.start(words, 2), rng.integers(STONES[0], STONES[1] + 1, count)
    for ply in range(STONES[1]):
        actions = np.full((count, 2), -1, np.int32)
        going = np.flatnonzero((goals > ply) & (game.waiting(states) != 0))
        for row in going:
            actions[row, ply % 2] = rng.choice(game.menu(states[row : row + 1], ply % 2))
        moved = states[going]
        game.advance(moved, actions[going], words[going])
        states[going] = moved
    return np.unique(states[game.waiting(states) != 0])


def best_moves(agent: Agent, states: np.ndarray, worth: np.ndarray, seed: int) -> str:
    words = match_words(seed, np.arange(len(states)), 0, 2)[:, :1].copy()
    chosen = agent.act_many(states, (states["turn"] >> 1).astype(np.int64), words)
    right = int((worth[np.arange(len(states)), chosen] == worth.max(axis=1)).sum())
    rate = wilson(right, len(states))
    return (
        f"best moves: {100 * rate.value:.2f} % [{100 * rate.low:.2f}, {100 * rate.high:.2f}] of {len(states)} positions"
    )


def openings(agent: Agent, game: Game) -> str:
    """What the agent thinks of each first move, from its thoughts on the answer."""
    from ludus.game import View

    said = []
    for column in range(7):
        agent.act(View(game, game.parse_state(str(column + 1), 2), 1), np.array([1 + column], np.uint64))
        said.append(-agent.thoughts.value if agent.thoughts else np.nan)
    judged = np.digitize(said, [-1 / 3, 1 / 3]) - 1
    return f"openings: {int((judged == OPENINGS).sum())} of 7 right ({', '.join(f'{value:+.2f}' for value in said)})"


def match(agent: Agent, game: Game, rival: str, games: int) -> str:
    """All openings of two stones, from both seats, as many as are wanted."""
    words = match_words(5, np.arange(games), 0, 2)
    states = game.start(words, 2)
    for ply in range(2):
        joint = np.full((games, 2), -1, np.int32)
        joint[:, ply] = [(k // 2 % 49) // 7 if ply == 0 else (k // 2 % 49) % 7 for k in range(games)]
        game.advance(states, joint, words)
    ours, team = np.arange(games) % 2, workers()
    for ply in range(2, 42):
        joint = np.full((games, 2), -1, np.int32)
        going = game.waiting(states) != 0
        we, they = (np.flatnonzero(going & ((ours == ply % 2) == mine)) for mine in (True, False))
        if len(we):
            joint[we, ply % 2] = agent.act_many(states[we], np.full(len(we), ply % 2), words[we, 1:2].copy())

        def answer(part: np.ndarray, ply: int = ply, joint: np.ndarray = joint) -> None:
            seats = np.full(len(part), ply % 2)
            joint[part, ply % 2] = make_agent(rival, game).act_many(states[part], seats, words[part, 2:3].copy())

        parts = [part for part in np.array_split(they, 4 * team.count) if len(part)]
        for _ in team.stream(answer, parts):
            pass
        game.advance(states, joint, words)
    payoffs = game.payoffs(states)[np.arange(games), ours]
    won, drawn, lost = (int((payoffs == result).sum()) for result in (1, 0, -1))
    return f"against {rival}: {won}-{drawn}-{lost}, score {wilson(won + drawn / 2, games).text()}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("agent")
    parser.add_argument("--positions", type=int, default=1000)
    parser.add_argument("--games", type=int, default=98)
    parser.add_argument("--seed", type=int, default=1)
    asked, game = parser.parse_args(), load("connect_four")
    started = time.perf_counter()
    states, worth = positions(game, asked.positions, asked.seed)
    print(
        f"solved {len(states)} positions where the choice matters in {time.perf_counter() - started:.1f} s", flush=True
    )
    if asked.agent == "solver":
        return
    agent = make_agent(asked.agent, game)
    print(best_moves(agent, states, worth, asked.seed), flush=True)
    print(openings(agent, game), flush=True)
    if asked.games:
        print(match(agent, game, RIVAL, asked.games), flush=True)


if __name__ == "__main__":
    main()
