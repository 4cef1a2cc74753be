"""Gravwell a second time: slow, in plain objects, and sharing nothing with the rules that it judges."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from ludus import load

NORMALS = {
    "Ar": 1,
    "B": 2,
    "C": 3,
    "Dy": 5,
    "Es": 2,
    "F": 6,
    "Ga": 5,
    "H": 4,
    "Ir": 6,
    "Li": 4,
    "Mg": 10,
    "O": 7,
    "Pu": 5,
}
NORMALS |= {"Ra": 9, "Si": 9, "Th": 2, "V": 7, "W": 8, "Y": 8, "Zr": 7}
REPULSORS = {"Kr": 2, "Ne": 6, "U": 5, "Xe": 3}
TRACTORS = {"Jo": 2, "Qt": 3}
DECK = sorted([*NORMALS, *REPULSORS, *TRACTORS])
GO, STOP = 52, 53


def card(number: int) -> str:
    """Cards are numbered by their first letter."""
    return next(symbol for symbol in DECK if ord(symbol[0]) - ord("A") == number)


def number(symbol: str) -> int:
    return ord(symbol[0]) - ord("A")


def cards(bits: int) -> set[str]:
    return {card(k) for k in range(26) if int(bits) & (1 << k)}


class Ship:
    def __init__(self, tile: int, name: int, is_hulk: bool):
        self.tile = tile
        self.name = name
        self.is_hulk = is_hulk


class Player:
    def __init__(self, ship: Ship, stops: int):
        self.ship = ship
        self.stops = stops
        self.hand: set[str] = set()
        self.public: set[str] = set()  # cards of the hand that everybody saw being picked
        self.committed: str | None = None


class NaiveGravwell:
    def __init__(self, state: Any):
        self.rules = load("gravwell").params.read(state.params)
        n = int(state.players)
        tiles = [self.rules["hulk"]]
        if n >= 3 and self.rules["second_hulk"] != 0:
            tiles.append(self.rules["second_hulk"])
        self.players = [Player(Ship(0, seat, False), self.rules["stops"]) for seat in range(n)]
        self.hulks = [Ship(tile, 10 + k, True) for k, tile in enumerate(tiles)]
        self.round = self.turn = 1
        self.winner: int | None = None
        self.read_deal(state)

    # -------------------------------------------------------------------------------------------- chance

    def read_deal(self, state: Any) -> None:
        """Stacks and order are chance: take them from the state, but insist that they could be."""
        n = len(self.players)
        self.stacks = {top: card(int(state.under[number(top)]) - 1) for top in cards(state.face_up)}
        dealt = [*self.stacks.keys(), *self.stacks.values()]
        assert len(self.stacks) == 3 * n
        assert len(set(dealt)) == 6 * n
        order = [int(seat) for seat in state.order[:n]]
        assert sorted(order) == list(range(n))
        self.check_order(order)
        self.queue = order * 3
        self.order = order
        self.phase = "draft"
        self.seen_played: set[str] = set()

    def check_order(self, order: list[int]) -> None:
        tiles = [self.players[seat].ship.tile for seat in order]
        behind = [tile for tile in tiles if tile == 0]
        if self.rules["draft"] == "farthest":
            assert tiles == sorted(tiles), f"draft order {order} by tiles {tiles}"
        elif self.rules["draft"] == "neural":
            rest = sorted((tile for tile in tiles if tile != 0), reverse=True)
            assert tiles == behind + rest, f"draft order {order} by tiles {tiles}"
        else:
            assert tiles[0] == min(tiles), f"first in the draft is on {tiles[0]} of {tiles}"
            assert all((a + 1) % len(order) == b for a, b in pairwise(order))

    # -------------------------------------------------------------------------------------------- who and what

    def to_act(self) -> set[int]:
        if self.phase == "over":
            return set()
        if self.phase == "draft":
            return {self.queue[0]}
        if self.phase == "choose":
            return set(range(len(self.players)))
        return {self.pending()[0][1]}

    def legal(self, player: int) -> set[int]:
        if self.phase == "draft":
            return {26 + number(top) for top in self.stacks}
        if self.phase == "choose":
            return {number(symbol) for symbol in self.players[player].hand}
        return {GO, STOP}

    def pending(self) -> list[tuple[str, int]]:
        """Cards still to resolve, in alphabetical order, with their players."""
        return sorted((player.committed, seat) for seat, player in enumerate(self.players) if player.committed)

    def returns(self) -> list[float]:
        n = len(self.players)
        return [1.0 if seat == self.winner else -1.0 / (n - 1) for seat in range(n)]

    # -------------------------------------------------------------------------------------------- steps

    def step(self, actions: dict[int, int], after: Any) -> None:
        if self.phase == "draft":
            self.pick(actions[self.queue[0]])
        elif self.phase == "choose":
            for seat, action in actions.items():
                self.reveal(self.players[seat], card(action))
            self.resolve(after)
        else:
            _, seat = self.pending()[0]
            self.finish_card(seat, stopped=actions[seat] == STOP)
            self.resolve(after)

    def pick(self, action: int) -> None:
        player = self.players[self.queue.pop(0)]
        top = card(action - 26)
        under = self.stacks.pop(top)
        player.hand |= {top, under}
        player.public |= {top} if self.rules["secrets"] == "on" else {top, under}
        if not self.queue:
            self.phase = "choose"

    def reveal(self, player: Player, symbol: str) -> None:
        player.hand.remove(symbol)
        player.public.discard(symbol)
        player.committed = symbol
        self.seen_played.add(symbol)

    def resolve(self, after: Any) -> None:
        while self.winner is None and self.pending():
            symbol, seat = self.pending()[0]
            stuck = self.direction(self.players[seat].ship) == 0
            if self.players[seat].stops > 0 and (symbol in TRACTORS or not stuck):
                self.phase = "stop"
                return
            self.finish_card(seat, stopped=False)
        if self.winner is not None:
            self.phase = "over"
        else:
            self.end_turn(after)

    def finish_card(self, seat: int, stopped: bool) -> None:
        player = self.players[seat]
        symbol, player.committed = player.committed, None
        assert symbol is not None
        if stopped:
            player.stops -= 1
        elif symbol in TRACTORS:
            if self.rules["tractor"] == "pull":
                self.tractor(player.ship, TRACTORS[symbol])
        else:
            way = self.direction(player.ship)
            if symbol in NORMALS:
                self.travel(player.ship, way, NORMALS[symbol])
            else:
                self.travel(player.ship, -way, REPULSORS[symbol])
        if self.winner is None and player.ship.tile == self.rules["gate"]:
            self.winner = seat

    def end_turn(self, after: Any) -> None:
        if self.turn < 6:
            self.turn += 1
            self.phase = "choose"
        elif self.round < self.rules["rounds"]:
            self.round += 1
            self.turn = 1
            if self.rules["stops_per"] == "round":
                for player in self.players:
                    player.stops = self.rules["stops"]
            self.read_deal(after)
        else:
            self.phase = "over"
            self.winner = int(after.winner) - 1
            assert self.winner in self.possible_winners(), f"{self.winner} of {self.possible_winners()}"

    def possible_winners(self) -> list[int]:
        tiles = [player.ship.tile for player in self.players]
        wanted = max(tiles)
        if self.rules["limit_winner"] == "neural":
            wanted = min([tile for tile in tiles if tile > 0], default=0)
        return [seat for seat, tile in enumerate(tiles) if tile == wanted]

    # -------------------------------------------------------------------------------------------- ships

    def ships(self) -> list[Ship]:
        return [player.ship for player in self.players] + self.hulks

    def direction(self, ship: Ship) -> int:
        others = [other.tile for other in self.ships() if other is not ship and other.tile not in (0, ship.tile)]
        ahead = sorted(tile - ship.tile for tile in others if tile > ship.tile)
        behind = sorted(ship.tile - tile for tile in others if tile < ship.tile)
        if not ahead and not behind:
            return 0
        if not ahead or not behind:
            return 1 if ahead else -1
        if ahead[0] != behind[0]:
            return 1 if ahead[0] < behind[0] else -1
        if len(ahead) == len(behind):
            return 0
        return 1 if len(ahead) > len(behind) else -1

    def travel(self, ship: Ship, way: int, tiles: int) -> None:
        if way == 0:
            return
        gate = self.rules["gate"]
        taken = {other.tile for other in self.ships() if other is not ship}
        goal = ship.tile + way * tiles
        while goal in taken and goal > 0 and goal < gate:
            goal += way
        if goal <= 0:
            ship.tile = 0
        elif goal < gate:
            ship.tile = goal
        elif ship.is_hulk:
            ship.tile = max(tile for tile in range(1, gate) if tile not in taken)
        else:
            ship.tile = gate

    def tractor(self, puller: Ship, tiles: int) -> None:
        others = [ship for ship in self.ships() if ship is not puller and ship.tile != puller.tile]
        if self.rules["pull_from_singularity"] == "off":
            others = [ship for ship in others if ship.tile != 0]
        for ship in sorted(others, key=lambda ship: (abs(ship.tile - puller.tile), ship.tile, ship.name)):
            self.travel(ship, 1 if puller.tile > ship.tile else -1, tiles)
            if not ship.is_hulk and ship.tile == self.rules["gate"] and self.rules["gate_check"] == "any":
                self.winner = ship.name
                return

    # -------------------------------------------------------------------------------------------- comparing

    def knows(self, viewer: int) -> tuple[list[set[str]], dict[str, str | None]]:
        """What a player who forgets nothing knows: cards in each hand, and the stacks with what lies under them."""
        hands = [player.hand if seat == viewer else player.public for seat, player in enumerate(self.players)]
        hidden = self.rules["secrets"] == "on"
        return hands, {top: None if hidden else under for top, under in self.stacks.items()}

    def differs(self, state: Any) -> str:
        mine = {
            "phase": self.phase,
            "round": self.round,
            "turn": self.turn,
            "winner": self.winner,
            "tiles": [player.ship.tile for player in self.players],
            "hulks": sorted(hulk.tile for hulk in self.hulks),
            "stops": [player.stops for player in self.players],
            "hands": [player.hand for player in self.players],
            "sizes": [len(player.hand) for player in self.players],
            "committed": [player.committed for player in self.players],
            "stacks": self.stacks,
            "played": self.seen_played,
        }
        theirs = self.as_mine(state)
        wrong = [
            f"{name}: naive {value}, compiled {theirs[name]}" for name, value in mine.items() if value != theirs[name]
        ]
        return "; ".join(wrong)

    def as_mine(self, state: Any) -> dict[str, Any]:
        """The compiled position in the words of this one."""
        n = len(self.players)
        return {
            "phase": ["draft", "choose", "stop", "over"][state.phase],
            "round": state.round_no + 1,
            "turn": state.turn_no + 1,
            "winner": None if state.winner == 0 else state.winner - 1,
            "tiles": list(state.tile[:n]),
            "hulks": list(state.tile[n : state.ships]),
            "stops": list(state.stops[:n]),
            "hands": [cards(hand) for hand in state.hand[:n]],
            "sizes": list(state.held[:n]),
            "committed": [card(int(played) - 1) if played else None for played in state.played[:n]],
            "stacks": {top: card(int(state.under[number(top)]) - 1) for top in cards(state.face_up)},
            "played": cards(state.gone),
        }
