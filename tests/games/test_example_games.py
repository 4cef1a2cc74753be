"""The games of strangers in `tests/example_games`, held to rules that others wrote: OpenSpiel's, move by move, and
where it has no such game a second, naive implementation in this file."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

from ludus import load
from ludus.rng import match_words

EXAMPLES = Path(__file__).parents[1] / "example_games"


def agree(
    name, begin, matches, number=lambda state, player, action: action, seat=int, deal=lambda state, their: None, **rules
):
    """Random matches beside another implementation, moves chosen by NumPy: who acts, what is legal, how it ends.
    `begin` makes one of their states, `number` and `seat` say ours in their terms, `deal` tells them what the dice did.
    Returns the number of plies compared."""
    game, dice, plies = load(str(EXAMPLES / f"{name}.py")), np.random.default_rng(1), 0
    players, values = game.facts.players[1], game.rule_values("default", rules)
    words = match_words(1, np.arange(matches), 0, players)
    for match in range(matches):
        row, their = words[match : match + 1].copy(), begin()
        state = game.start(row, players, values)
        deal(state[0], their)
        while mask := int(game.waiting(state)[0]):
            player = mask.bit_length() - 1
            menu = game.menu(state, player)
            numbers = [int(number(state[0], player, action)) for action in menu.tolist()]
            assert their.current_player() == seat(player), (match, plies)
            assert sorted(numbers) == sorted(their.legal_actions()), (match, plies)
            chosen = dice.integers(len(menu))
            joint = np.full((1, players), -1, np.int32)
            joint[0, player] = menu[chosen]
            game.advance(state, joint, row)
            their.apply_action(numbers[chosen])
            deal(state[0], their)
            plies += 1
        assert their.is_terminal(), match
        assert [their.returns()[seat(player)] for player in range(players)] == game.payoffs(state)[0].tolist(), match
    return plies


# ------------------------------------------------------------------------------------------------ beside OpenSpiel


def openspiel(text):
    pyspiel = pytest.importorskip("pyspiel")
    return pyspiel.load_game(text).new_initial_state


def test_othello():
    assert agree("othello", openspiel("othello"), 60, side=8) > 3000


def test_hex():
    assert agree("hex", openspiel("hex(board_size=7)"), 100) > 3000


def test_dots_and_boxes():
    assert agree("dots_and_boxes", openspiel("dots_and_boxes(num_rows=3,num_cols=3)"), 200) == 200 * 24


def test_kalah():
    """Their pits are 1 … 6 and 8 … 13."""
    number = lambda state, player, pit: 1 + pit + 7 * player  # noqa: E731
    assert agree("kalah", openspiel("mancala"), 200, number) > 5000


def test_clobber():
    assert agree("clobber", openspiel("clobber(rows=5,columns=6)"), 200) > 3000


@pytest.mark.parametrize("dice", [1, 2])
def test_liars_dice(dice):
    def deal(state, their):
        while their.is_chance_node():
            their.apply_action(int(state.dice[divmod(len(their.history()), dice)]) - 1)

    number = lambda state, player, action: 12 * dice if action == 24 else action  # noqa: E731
    assert agree("liars_dice", openspiel(f"liars_dice(numdice={dice})"), 200, number, deal=deal, dice=dice) > 500


def test_einstein():
    """They begin at the bottom right, with their second player: their board is ours, turned by half."""
    orders = list(permutations(range(1, 7)))
    cells = ([0, 1, 2, 5, 6, 10], [14, 18, 19, 22, 23, 24])

    def deal(state, their):
        while their.is_chance_node():
            k = len(their.history())
            theirs = [int(state.board[24 - cell]) - 6 * (k == 0) for cell in cells[k]] if k < 2 else []
            their.apply_action(orders.index(tuple(theirs)) if k < 2 else int(state.die) - 1)

    def number(state, player, action):
        """They count cell, direction and whether something is taken."""
        cell, k = divmod(action, 3)
        to = cell + ((1, 6, 5), (-5, -6, -1))[player][k]
        way = ((5, 4, 3), (1, 0, 2))[player][k]
        return (6 * (24 - cell) + way) * 2 + (state.board[to] != 0)

    their = openspiel("einstein_wurfelt_nicht")
    assert agree("einstein", their, 200, number, seat=lambda player: 1 - player, deal=deal) > 2000


# ------------------------------------------------------------------------------------------------ naive


class NaiveOthello:
    """Positions are dictionaries from (row, column) to a player."""

    WAYS = ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1))

    def __init__(self, side):
        self.side, self.mover, half = side, 0, side // 2
        self.at = {(half - 1, half): 0, (half, half - 1): 0, (half - 1, half - 1): 1, (half, half): 1}

    def turned(self, player, r, c):
        found = []
        for down, right in self.WAYS:
            line = [(r + down * k, c + right * k) for k in range(1, self.side)]
            seen = [self.at.get(place) for place in line]
            if player in seen and None not in seen[: seen.index(player)]:
                found += line[: seen.index(player)]
        return found

    def places(self, player):
        free = [(r, c) for r in range(self.side) for c in range(self.side) if (r, c) not in self.at]
        return [self.side * r + c for r, c in free if self.turned(player, r, c)]

    def current_player(self):
        return self.mover

    def legal_actions(self):
        return self.places(self.mover) or [self.side**2]

    def apply_action(self, action):
        if action < self.side**2:
            place = divmod(action, self.side)
            self.at |= dict.fromkeys([place, *self.turned(self.mover, *place)], self.mover)
        self.mover = 1 - self.mover

    def is_terminal(self):
        return not self.places(0) and not self.places(1)

    def returns(self):
        sign = int(np.sign(sum(1 - 2 * player for player in self.at.values())))
        return [sign, -sign]


@pytest.mark.parametrize("side", [4, 6])
def test_othello_on_small_boards(side):
    assert agree("othello", lambda: NaiveOthello(side), 40, side=side) > 40 * (side**2 - 4) / 2


class NaiveHalma:
    """Cells are triples that sum to zero, none of them above 3; seats sit at every second corner."""

    WAYS = ((1, 0, -1), (1, -1, 0), (0, -1, 1), (-1, 0, 1), (-1, 1, 0), (0, 1, -1))

    def __init__(self, rounds):
        self.plies, self.rounds = 0, rounds
        corners = [tuple(3 * x for x in way) for way in self.WAYS]
        self.goals = [corners[(2 * player + 3) % 6] for player in range(3)]
        self.stones = [[cell for cell in CELLS if far(cell, corners[2 * player]) <= 1] for player in range(3)]

    def target(self, cell, way):
        taken = [stone for stones in self.stones for stone in stones]
        beside, behind = plus(cell, way), plus(plus(cell, way), way)
        to = behind if beside in taken else beside
        return to if to in CELLS and to not in taken else None

    def current_player(self):
        return self.plies % 3

    def legal_actions(self):
        mine = self.stones[self.current_player()]
        moves = [(cell, way) for cell in mine for way in range(6) if self.target(cell, self.WAYS[way])]
        return [6 * CELLS.index(cell) + way for cell, way in moves] or [222]

    def apply_action(self, action):
        if action < 222:
            cell, way = CELLS[action // 6], self.WAYS[action % 6]
            mine = self.stones[self.current_player()]
            mine[mine.index(cell)] = self.target(cell, way)
        self.plies += 1

    def left(self, player):
        return [far(stone, self.goals[player]) for stone in self.stones[player]]

    def is_terminal(self):
        return self.plies == 3 * self.rounds or any(max(self.left(player)) <= 1 for player in range(3))

    def returns(self):
        arrived = [max(self.left(player)) <= 1 for player in range(3)]
        totals = [sum(self.left(player)) for player in range(3)]
        best = arrived if any(arrived) else [total == min(totals) for total in totals]
        return [(3 / sum(best) - 1) / 2 if won else -0.5 for won in best]


def plus(cell, way):
    return tuple(a + b for a, b in zip(cell, way))


def far(a, b):
    return max(abs(x - y) for x, y in zip(a, b))


def spiral():
    """The numbers of the cells: ring by ring from the middle."""
    cells = [(0, 0, 0)]
    for ring in range(1, 4):
        at = tuple(ring * x for x in NaiveHalma.WAYS[0])
        for side in range(6):
            for _ in range(ring):
                cells.append(at)
                at = plus(at, NaiveHalma.WAYS[(side + 2) % 6])
    return cells


CELLS = spiral()


@pytest.mark.parametrize("rounds", [10, 60])
def test_halma_for_three(rounds):
    assert agree("halma_3", lambda: NaiveHalma(rounds), 20, rounds=rounds) > 500
