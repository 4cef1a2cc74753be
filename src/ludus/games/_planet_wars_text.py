"""The texts of the 2010 contest, to and from plain Python values: maps, positions, orders and playback.

    P x y owner ships growth                          a planet; its number is the count of P lines before it
    F owner ships source dest total remaining         a fleet: `total` turns of travel, `remaining` of them to go
    # anything                                        a comment, also behind a record

A line that starts with ``#!`` is a comment to every other reader and holds what the contest's text has no word for:

    #! turn 12 of 200           turns played (the limit is for people; it is a rule, not part of the position)
    #! order 1 4 7 20           player 1 has ordered 20 ships from planet 4 to planet 7 this turn, still in secret
    #! given 1 3                player 1 has given 3 orders this turn (orders over one route are one fleet)
    #! done 1                   player 1 has closed its orders

Owners are 0 neutral, 1 and 2. A `Position` stands between the texts and the record of the game.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import NamedTuple

from ludus.errors import BadNotation

MAX_PLANETS = 40
ROUTES = MAX_PLANETS * MAX_PLANETS
MOST_SHIPS = (2**31 - 1) // ROUTES - 1  # in one order, which is a 32-bit number
MAX_FLEETS = 320  # of one player, in flight and about to leave
MOST_ORDERS = 1600  # of one player in one turn
MAX_TRIP = 127
MAX_GROWTH = 100
MAX_TOTAL = 2_000_000_000  # ships in a position, so that no sum leaves 32 bits


class Planet(NamedTuple):
    x: float
    y: float
    owner: int
    ships: int
    growth: int


class Fleet(NamedTuple):
    owner: int
    ships: int
    source: int
    dest: int
    total: int
    remaining: int


class Order(NamedTuple):
    owner: int
    source: int
    dest: int
    ships: int


@dataclass
class Position:
    planets: list[Planet] = field(default_factory=list)
    fleets: list[Fleet] = field(default_factory=list)
    turn: int = 0
    orders: list[Order] = field(default_factory=list)
    given: dict[int, int] = field(default_factory=dict)
    done: set[int] = field(default_factory=set)

    def seen_by(self, player: int) -> Position:
        """The same with owners as the contest names them to this player: 1 is always oneself."""
        if player == 0:
            return self
        swap = (0, 2, 1)
        return Position(
            [planet._replace(owner=swap[planet.owner]) for planet in self.planets],
            [fleet._replace(owner=swap[fleet.owner]) for fleet in self.fleets],
            self.turn,
            [order._replace(owner=swap[order.owner]) for order in self.orders],
            {swap[owner]: count for owner, count in self.given.items()},
            {swap[owner] for owner in self.done},
        )


def trip_turns(across, down):
    """Turns of travel over a distance with these two parts; the game compiles this very function."""
    return math.ceil(math.sqrt(across * across + down * down))


# ------------------------------------------------------------------------------------------------ positions


def write_position(position: Position, turns: int) -> str:
    """All of a position, with the planets' numbers for people."""
    lines = [f"#! turn {position.turn} of {turns}"]
    lines += [f"#! given {owner} {count}" for owner, count in position.given.items() if count]
    lines += [f"#! done {owner}" for owner in sorted(position.done)]
    lines += [f"#! order {' '.join(map(str, order))}" for order in position.orders]
    lines += ["# x y owner ships growth"]
    lines += [f"{line:<42} # planet {number}" for number, line in enumerate(_planet_lines(position))]
    lines += ["# owner ships source dest total remaining"] if position.fleets else []
    return "\n".join(lines + _fleet_lines(position))


def write_records(position: Position) -> str:
    """The P and F lines alone."""
    return "\n".join(_planet_lines(position) + _fleet_lines(position))


def _planet_lines(position: Position) -> list[str]:
    return [f"P {_number(p.x)} {_number(p.y)} {p.owner} {p.ships} {p.growth}" for p in position.planets]


def _fleet_lines(position: Position) -> list[str]:
    return [f"F {' '.join(map(str, fleet))}" for fleet in position.fleets]


def _number(value: float) -> str:
    return repr(value).removesuffix(".0")


def read_position(text: str) -> Position:
    """A map or a position, checked; what is wrong is told with its line."""
    position = Position()
    places: dict[str, list[str]] = {"P": [], "F": [], "order": []}
    for number, line in enumerate(text.splitlines(), 1):
        where = f"line {number}"
        words = line[2:].split() if line.startswith("#!") else line.partition("#")[0].split()
        if not words or words == ["go"]:
            continue
        _read_words(position, words, where, line.startswith("#!"))
        places.get(words[0], []).append(where)
    check_map(position.planets, places["P"])
    check_fleets(position, places["F"])
    orders, position.orders = position.orders, []
    for order, where in zip(orders, places["order"]):
        _check_route(position.planets, order.source, order.dest, where)
        check_order(position, order, where)
        position.orders.append(order)
    check_counts(position)
    return position


def _read_words(position: Position, words: list[str], where: str, ours: bool) -> None:
    kind, values = words[0], words[1:]
    if ours:
        _read_secret(position, kind, values, where)
    elif kind == "P":
        _expect(len(values) == 5, where, f"a planet is P x y owner ships growth, not {' '.join(words)!r}")
        x, y = (_real(value, where) for value in values[:2])
        owner, ships, growth = _wholes(values[2:], "owner ships growth", (2, MAX_TOTAL, MAX_GROWTH), where)
        position.planets.append(Planet(x, y, owner, ships, growth))
    elif kind == "F":
        _expect(
            len(values) == 6, where, f"a fleet is F owner ships source dest total remaining, not {' '.join(words)!r}"
        )
        position.fleets.append(_fleet(values, where))
    else:
        raise BadNotation(f"{where}: a record starts with P or F, not {kind!r}")


def _fleet(values: list[str], where: str) -> Fleet:
    highs = (2, MAX_TOTAL, MAX_PLANETS - 1, MAX_PLANETS - 1, MAX_TRIP, MAX_TRIP)
    fleet = Fleet(*_wholes(values, "owner ships source dest total remaining", highs, where))
    _expect(fleet.owner != 0, where, "a fleet belongs to player 1 or 2")
    return fleet


def _read_secret(position: Position, kind: str, values: list[str], where: str) -> None:
    shapes = {"turn": (1, 3), "given": (2,), "done": (1,), "order": (4,)}
    _expect(kind in shapes and len(values) in shapes[kind], where, "after #! stands turn, order, given or done")
    if kind == "turn":
        (position.turn,) = _wholes(values[:1], "turn", (MAX_TOTAL,), where)
        return
    names, highs = "player source dest ships", (2, MAX_PLANETS - 1, MAX_PLANETS - 1, MAX_TOTAL)
    if kind == "given":
        names, highs = "player given", (2, MOST_ORDERS)
    owner, *rest = _wholes(values, names, highs, where)
    _expect(owner != 0, where, "the player is 1 or 2")
    if kind == "order":
        position.orders.append(Order(owner, *rest))
    elif kind == "given":
        position.given[owner] = rest[0]
    else:
        position.done.add(owner)
        _expect(len(position.done) == 1, where, "when both players are done the turn is over")


def check_map(planets: list[Planet], places: list[str]) -> None:
    """Two to forty planets, none on top of another, none out of reach."""
    if not 2 <= len(planets) <= MAX_PLANETS:
        raise BadNotation(f"a map has 2 to {MAX_PLANETS} planets, this one {len(planets)}")
    for later, where in enumerate(places):
        for earlier in range(later):
            turns = trip_between(planets, earlier, later)
            _expect(
                0 < turns <= MAX_TRIP,
                where,
                f"planets {earlier} and {later} lie {turns} turns apart; the rules want 1 to {MAX_TRIP}",
            )


def check_fleets(position: Position, places: list[str]) -> None:
    planets = position.planets
    for fleet, where in zip(position.fleets, places):
        _check_route(planets, fleet.source, fleet.dest, where)
        turns = trip_between(planets, fleet.source, fleet.dest)
        _expect(
            fleet.total == turns,
            where,
            f"the trip from {fleet.source} to {fleet.dest} takes {turns} turns, not {fleet.total}",
        )
        _expect(0 < fleet.remaining <= turns, where, f"{fleet.remaining} of {turns} turns cannot remain")


def check_counts(position: Position) -> None:
    """That the tables of the record have room, and its 32-bit numbers."""
    for owner in (1, 2):
        orders = sum(order.owner == owner for order in position.orders)
        given = position.given.setdefault(owner, orders)
        if given < orders:
            raise BadNotation(f"player {owner} has {orders} orders but is said to have given {given}")
    _check_steps(position.given, position.done)
    total = sum(planet.ships for planet in position.planets) + sum(fleet.ships for fleet in position.fleets)
    if total > MAX_TOTAL:
        raise BadNotation(f"{total} ships are too many; a position holds {MAX_TOTAL}")


def _check_steps(given: dict[int, int], done: set[int]) -> None:
    """In each step of a turn whoever is not done gives an order or is done."""
    if not done and given[1] != given[2]:
        raise BadNotation(f"players who are not done have given equally many orders, not {given[1]} and {given[2]}")
    for owner in done:
        if given[3 - owner] <= given[owner]:
            raise BadNotation(f"player {owner} is done, so the other has given more than {given[owner]} orders")


def check_order(position: Position, order: Order, where: str) -> None:
    """That the player may add this order to those of the turn, were it but from a planet to itself."""
    _check_planets(position.planets, order.source, order.dest, where)
    source = position.planets[order.source]
    _expect(source.owner == order.owner, where, f"planet {order.source} is not player {order.owner}'s")
    free = source.ships - sum(other.ships for other in position.orders if other.source == order.source)
    _expect(
        1 <= order.ships <= free,
        where,
        f"{order.ships} ships cannot leave planet {order.source}, which has {free} free ones",
    )


def _check_route(planets: list[Planet], source: int, dest: int, where: str) -> None:
    _check_planets(planets, source, dest, where)
    _expect(source != dest, where, f"source and destination are both planet {source}")


def _check_planets(planets: list[Planet], source: int, dest: int, where: str) -> None:
    _expect(max(source, dest) < len(planets), where, f"there is no planet {max(source, dest)}")


def trip_between(planets: list[Planet], a: int, b: int) -> int:
    return trip_turns(planets[a].x - planets[b].x, planets[a].y - planets[b].y)


# ------------------------------------------------------------------------------------------------ orders


def read_orders(text: str) -> list[tuple[str, int, int, int]]:
    """A bot's answer: (line, source, dest, ships) for each line before ``go``. Orders of no ships are dropped."""
    orders = []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if words in (["go"], ["GO"]):
            return orders
        if words:
            source, dest, ships = read_order(words, f"line {number}")
            orders += [(f"line {number}", source, dest, ships)] if ships else []
    raise BadNotation("the orders of a turn end with a line 'go', which is missing")


def order_action(position: Position, order: Order, where: str) -> int:
    """The number of an order that is allowed."""
    _check_route(position.planets, order.source, order.dest, where)
    check_order(position, order, where)
    _expect(order.ships <= MOST_SHIPS, where, f"one order takes at most {MOST_SHIPS} ships, not {order.ships}")
    return order.ships * ROUTES + order.source * MAX_PLANETS + order.dest


def read_order(words: list[str], where: str) -> list[int]:
    _expect(len(words) == 3, where, f"an order is source dest ships, not {' '.join(words)!r}")
    return _wholes(words, "source dest ships", (MAX_TOTAL,) * 3, where)


# ------------------------------------------------------------------------------------------------ playback


def write_playback(positions: list[Position]) -> str:
    """The start, then the position after every turn."""
    start, *turns = positions
    planets = ":".join(f"{_number(p.x)},{_number(p.y)},{p.owner},{p.ships},{p.growth}" for p in start.planets)
    return planets + "|" + ":".join(_write_turn(turn) for turn in turns)


def _write_turn(position: Position) -> str:
    planets = [f"{planet.owner}.{planet.ships}" for planet in position.planets]
    return ",".join(planets + [".".join(map(str, fleet)) for fleet in position.fleets])


def read_playback(text: str) -> list[Position]:
    """What `write_playback` writes, also with key=value headers and with the trailing signs of either engine."""
    strings = [line.rpartition("=")[2].strip() for line in text.splitlines() if "|" in line]
    if len(strings) != 1 or strings[0].count("|") != 1:
        raise BadNotation("a playback is planets|turns, one bar in one line")
    planets_text, turns_text = strings[0].split("|")
    planets = []
    for number, item in enumerate(planets_text.split(":")):
        values = item.split(",")
        _expect(len(values) == 5, f"planet {number}", f"a planet is x,y,owner,ships,growth, not {item!r}")
        start = Position()
        _read_words(start, ["P", *values], f"planet {number}", ours=False)
        planets += start.planets
    check_map(planets, [f"planet {number}" for number in range(len(planets))])
    check_counts(Position(planets))
    turns = turns_text.removesuffix(":").split(":") if turns_text else []
    return [Position(planets), *(_read_turn(planets, turn, item) for turn, item in enumerate(turns, 1))]


def _read_turn(planets: list[Planet], turn: int, text: str) -> Position:
    items, where = text.removesuffix(",").split(","), f"turn {turn}"
    _expect(len(items) >= len(planets), where, f"{len(items)} entries are too few for {len(planets)} planets")
    position, places = Position(turn=turn), []
    for number, item in enumerate(items):
        place = f"{where}, entry {number + 1}"
        values = item.split(".")
        if number < len(planets):
            _expect(len(values) == 2, place, f"a planet is owner.ships, not {item!r}")
            owner, ships = _wholes(values, "owner ships", (2, MAX_TOTAL), place)
            position.planets.append(planets[number]._replace(owner=owner, ships=ships))
        else:
            _expect(len(values) == 6, place, f"a fleet is owner.ships.source.dest.total.remaining, not {item!r}")
            position.fleets.append(_fleet(values, place))
            places.append(place)
    check_fleets(position, places)
    check_counts(position)
    return position


# ------------------------------------------------------------------------------------------------ records


def position_of(state) -> Position:
    """What a record says, masked or not."""
    columns = (state.x, state.y, state.owner, state.ships, state.growth)
    position = Position(
        [Planet(*(column[k].item() for column in columns)) for k in range(state.planets)],
        turn=int(state.turn),
        given={1 + player: int(state.given[player]) for player in (0, 1)},
        done={1 + player for player in (0, 1) if state.done[player]},
    )
    for player in (0, 1):
        for k in range(state.under_way[player] + state.waiting[player]):
            source, dest = divmod(int(state.fleet_route[player, k]), MAX_PLANETS)
            ships, turns = int(state.fleet_ships[player, k]), int(state.fleet_turns[player, k])
            if k < state.under_way[player]:
                total = trip_between(position.planets, source, dest)
                position.fleets.append(Fleet(1 + player, ships, source, dest, total, turns))
            else:
                position.orders.append(Order(1 + player, source, dest, ships))
    return position


def fill(state, position: Position) -> None:
    """Write a checked position into a zeroed record."""
    state.planets, state.turn = len(position.planets), position.turn
    for k, planet in enumerate(position.planets):
        state.x[k], state.y[k], state.owner[k], state.ships[k], state.growth[k] = planet
    for player in (0, 1):
        fleets = _fleets_of(position, player, int(state.params.fleets) * 3 // 4)
        orders = [(0, order.source, order.dest, order.ships) for order in position.orders if order.owner == 1 + player]
        given = position.given.get(1 + player, 0)
        rows = fleets + _together(orders)
        if len(rows) > MAX_FLEETS:
            raise BadNotation(f"player {1 + player} has {len(rows)} fleets; the table holds {MAX_FLEETS}")
        for k, (left, source, dest, ships) in enumerate(rows):
            state.fleet_ships[player, k] = ships
            state.fleet_route[player, k] = source * MAX_PLANETS + dest
            state.fleet_turns[player, k] = trip_between(position.planets, source, dest) + left
        state.under_way[player], state.waiting[player] = len(fleets), len(rows) - len(fleets)
        state.given[player], state.done[player] = given, 1 + player in position.done


def _fleets_of(position: Position, player: int, crowd: int) -> list[tuple[int, int, int, int]]:
    """A player's fleets in the rules' order; if they are more than `crowd`, those that land together are one."""
    own = [fleet for fleet in position.fleets if fleet.owner == 1 + player]
    rows = _together([(fleet.remaining - fleet.total, fleet.source, fleet.dest, fleet.ships) for fleet in own])
    if len(rows) <= crowd:
        return rows
    joined: dict[tuple[int, int], tuple[int, int, int, int]] = {}
    for left, source, dest, ships in rows:
        key = (dest, trip_between(position.planets, source, dest) + left)
        first = joined.get(key, (left, source, dest, 0))
        joined[key] = (*first[:3], first[3] + ships)
    return list(joined.values())


def _together(rows: list[tuple[int, int, int, int]]) -> list[tuple[int, int, int, int]]:
    """Rows of (minus turns under way, source, dest, ships), sorted, with equal ones added up and empty ones dropped."""
    total: dict[tuple[int, int, int], int] = {}
    for left, source, dest, ships in rows:
        total[left, source, dest] = total.get((left, source, dest), 0) + ships
    return [(*key, ships) for key, ships in sorted(total.items()) if ships]


# ------------------------------------------------------------------------------------------------ numbers


def _wholes(texts: list[str], names: str, highs: tuple[int, ...], where: str) -> list[int]:
    """Whole numbers from 0 to their highs."""
    values = []
    for text, name, high in zip(texts, names.split(), highs):
        _expect(text.removeprefix("-").isdecimal(), where, f"{name} is a whole number, not {text!r}")
        _expect(0 <= int(text) <= high, where, f"{name} must lie in 0 … {high}, not {text}")
        values.append(int(text))
    return values


def _real(text: str, where: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    _expect(abs(value) < 1e6, where, f"a coordinate is a number within a million of 0, not {text!r}")
    return value


def _expect(holds: bool, where: str, reason: str) -> None:
    if not holds:
        raise BadNotation(f"{where}: {reason}")
