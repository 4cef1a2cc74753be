"""Planet Wars once more: slow, with plain objects, written from the published rules and not from the compiled ones."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any


@dataclass
class Planet:
    x: float
    y: float
    owner: int
    ships: int
    growth: int


@dataclass
class Fleet:
    owner: int
    ships: int
    source: int
    dest: int
    total: int
    remaining: int


class NaivePlanetWars:
    """Owners are 0 neutral, 1 and 2; players, as everywhere outside the texts, 0 and 1."""

    def __init__(self, planets: list[Planet], fleets: list[Fleet], limit=200, table=320, proposed=2, turn=0):
        self.planets = planets
        self.fleets = fleets
        self.turn, self.limit = turn, limit
        self.table, self.proposed = table, proposed
        self.orders: dict[int, list[tuple[int, int, int]]] = {0: [], 1: []}
        self.finished: set[int] = set()
        self.result: list[float] | None = None

    @classmethod
    def at(cls, state: Any) -> NaivePlanetWars:
        """The start of a match, from the compiled position."""
        columns = (state.x, state.y, state.owner, state.ships, state.growth)
        planets = [Planet(*(column[k].item() for column in columns)) for k in range(state.planets)]
        params = state.params
        return cls(planets, [], int(params.turns), int(params.fleets), int(params.menu_orders))

    def trip(self, source: int, dest: int) -> int:
        a, b = self.planets[source], self.planets[dest]
        square = (a.x - b.x) ** 2 + (a.y - b.y) ** 2
        turns = 0
        while turns * turns < square:
            turns += 1
        return turns

    # ---------------------------------------------------------------------------------------------- orders

    def to_act(self) -> set[int]:
        return set() if self.result else {0, 1} - self.finished

    def at_hand(self, player: int, planet: int) -> int:
        gone = sum(ships for source, _, ships in self.orders[player] if source == planet)
        return self.planets[planet].ships - gone

    def table_is_full(self, player: int) -> bool:
        flying = sum(fleet.owner == player + 1 for fleet in self.fleets)
        return flying + len(self.routes(player)) >= self.table

    def routes(self, player: int) -> set[tuple[int, int]]:
        return {(source, dest) for source, dest, _ in self.orders[player]}

    def allows(self, player: int, source: int, dest: int, ships: int) -> bool:
        known = range(len(self.planets))
        return (
            player in self.to_act()
            and source in known
            and dest in known
            and source != dest
            and self.planets[source].owner == player + 1
            and 0 < ships <= self.at_hand(player, source)
            and (not self.table_is_full(player) or (source, dest) in self.routes(player))
            and len(self.orders[player]) < 1600
        )

    def legal(self, player: int) -> set[int]:
        menu = {0}
        if len(self.orders[player]) >= self.proposed or self.table_is_full(player):
            return menu
        for source, home in enumerate(self.planets):
            if home.owner != player + 1:
                continue
            most = self.at_hand(player, source)
            for dest, target in enumerate(self.planets):
                if dest == source:
                    continue
                counts = {most, most // 2}
                if target.owner == 0:
                    counts.add(target.ships + 1)
                elif target.owner != player + 1:
                    counts.add(target.ships + target.growth * self.trip(source, dest) + 1)
                menu |= {1600 * ships + 40 * source + dest for ships in counts if 0 < ships <= most}
        return menu

    def step(self, actions: dict[int, int], after: Any = None) -> None:
        for player, action in actions.items():
            if action == 0:
                self.finished.add(player)
            else:
                ships, route = divmod(action, 1600)
                self.orders[player].append((*divmod(route, 40), ships))
        if self.finished == {0, 1}:
            self.finish_turn()

    # ---------------------------------------------------------------------------------------------- the turn

    def finish_turn(self) -> None:
        for player, orders in self.orders.items():
            together: Counter[tuple[int, int]] = Counter()
            for source, dest, ships in orders:
                self.planets[source].ships -= ships
                together[source, dest] += ships
            for (source, dest), ships in together.items():
                turns = self.trip(source, dest)
                self.fleets.append(Fleet(player + 1, ships, source, dest, turns, turns))
        self.orders = {0: [], 1: []}
        self.finished = set()
        for planet in self.planets:
            if planet.owner:
                planet.ships += planet.growth
        for fleet in self.fleets:
            fleet.remaining -= 1
        for number in range(len(self.planets)):
            self.land(number)
        self.fleets = [fleet for fleet in self.fleets if fleet.remaining > 0]
        self.join(1)
        self.join(2)
        self.turn += 1
        self.judge()

    def land(self, number: int) -> None:
        arrived = [fleet for fleet in self.fleets if fleet.dest == number and fleet.remaining <= 0]
        if not arrived:
            return
        planet = self.planets[number]
        forces = Counter({planet.owner: planet.ships})
        for fleet in arrived:
            forces[fleet.owner] += fleet.ships
        ranking = [*sorted(forces.items(), key=lambda force: -force[1]), (0, 0)]
        (winner, most), (_, second) = ranking[:2]
        planet.ships = most - second
        if most > second:
            planet.owner = winner

    def join(self, owner: int) -> None:
        """In a crowded table, fleets that land together are one fleet, named after the one that left first."""
        own = [fleet for fleet in self.fleets if fleet.owner == owner]
        if len(own) <= 3 * self.table // 4:
            return
        landings: dict[tuple[int, int], Fleet] = {}
        for fleet in sorted(own, key=lambda fleet: (fleet.remaining - fleet.total, fleet.source, fleet.dest)):
            key = (fleet.dest, fleet.remaining)
            if key in landings:
                landings[key].ships += fleet.ships
            else:
                landings[key] = fleet
        self.fleets = [fleet for fleet in self.fleets if fleet.owner != owner] + list(landings.values())

    def judge(self) -> None:
        holders = {planet.owner for planet in self.planets} | {fleet.owner for fleet in self.fleets}
        alive = [player for player in (0, 1) if player + 1 in holders]
        if len(alive) < 2:
            self.result = [float((player in alive) - (1 - player in alive)) for player in (0, 1)]
        elif self.turn == self.limit:
            first, second = self.total(0), self.total(1)
            lead = (first > second) - (first < second)
            self.result = [float(lead), float(-lead)]

    def total(self, player: int) -> int:
        return sum(thing.ships for thing in [*self.planets, *self.fleets] if thing.owner == player + 1)

    def returns(self) -> list[float]:
        assert self.result
        return self.result

    # ---------------------------------------------------------------------------------------------- comparison

    def differs(self, state: Any) -> str:
        planets = [(int(state.owner[k]), int(state.ships[k])) for k in range(state.planets)]
        mine = [(planet.owner, planet.ships) for planet in self.planets]
        if planets != mine:
            return f"planets {[k for k, (a, b) in enumerate(zip(planets, mine)) if a != b]}: {planets} and {mine}"
        if state.turn != self.turn:
            return f"turn {state.turn} and {self.turn}"
        for player in (0, 1):
            flying = int(state.under_way[player])
            rows = [_row(state, player, k) for k in range(flying + int(state.waiting[player]))]
            own = sorted((f.source, f.dest, f.ships, f.remaining) for f in self.fleets if f.owner == player + 1)
            if sorted(rows[:flying]) != own:
                return f"fleets of player {player}: {sorted(rows[:flying])} and {own}"
            waiting: Counter[tuple[int, int]] = Counter()
            for source, dest, ships in self.orders[player]:
                waiting[source, dest] += ships
            ordered = [(source, dest, ships, self.trip(source, dest)) for (source, dest), ships in waiting.items()]
            if rows[flying:] != sorted(ordered) or state.given[player] != len(self.orders[player]):
                return f"orders of player {player}: {rows[flying:]} and {ordered}"
        return ""


def _row(state: Any, player: int, k: int) -> tuple[int, int, int, int]:
    source, dest = divmod(int(state.fleet_route[player, k]), 40)
    return source, dest, int(state.fleet_ships[player, k]), int(state.fleet_turns[player, k])
