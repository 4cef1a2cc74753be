"""Planet Wars: planets as large as their growth, fleets as arrows on their way, and the viewer's orders of the turn.

An order is three clicks: a planet of one's own, the target, how many ships. Those that `legal` proposes can be clicked;
any other number of ships has to be written.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ludus.draw.canvas import Picture, Point, seat_name
from ludus.game import View
from ludus.games._planet_wars_text import MAX_PLANETS, ROUTES, trip_turns
from ludus.games.planet_wars import DONE, DRAW, PLAYING

WIDTH, SKY_TOP, SKY = 400, 88, 384
FOOT = SKY_TOP + SKY + 10
AMOUNTS = ("all", "half", "enough")

Box = tuple[float, float, float, float]


def draw(view: View, before: View | None) -> Picture:
    height = FOOT + (84 if view.player >= 0 else 22)
    made = Picture(WIDTH, height, f"Planet Wars, turn {view.state.turn}")
    made.rect(0, 0, WIDTH, height, "paper edge", round=10)
    made.text(14, 27, headline(view), "bold", 15)
    made.text(WIDTH - 14, 27, f"turn {view.state.turn}/{view.state.params.turns}", "end soft", 13)
    draw_balance(made, view)
    made.rect(8, SKY_TOP, SKY, SKY, "night", round=10)
    places, radii = layout(view)
    arrows = [Arrow(fleet, *route(view, fleet, places, radii)) for fleet in fleets(view)]
    draw_arrows(made, arrows, new_fleets(view, before))
    fought = fought_over(view, before)
    for planet in range(view.state.planets):
        draw_planet(made, view, planet, places[planet], radii[planet], "none sky last" if planet in fought else "none")
    label_arrows(made, arrows, list(map(box_around, places, radii)))
    draw_foot(made, view)
    return made


def clicks(view: View, action: int) -> tuple[str, ...]:
    if action == DONE:
        return ("end-turn",)
    ships, source, dest = action // ROUTES, action // MAX_PLANETS % MAX_PLANETS, action % MAX_PLANETS
    free = free_ships(view, source)
    amount = "all" if ships == free else "half" if ships == free // 2 else "enough"
    return f"planet-{source}", f"planet-{dest}", amount


# ------------------------------------------------------------------------------------------------ what is going on


class Fleet(NamedTuple):
    player: int
    source: int
    dest: int
    ships: int
    turns: int
    waits: bool
    """It leaves only when the turn ends."""


def fleets(view: View) -> list[Fleet]:
    """All that the viewer knows of."""
    state, found = view.state, []
    for player in range(2):
        flying = int(state.under_way[player])
        for k in range(flying + int(state.waiting[player])):
            source, dest = divmod(int(state.fleet_route[player, k]), MAX_PLANETS)
            ships, turns = int(state.fleet_ships[player, k]), int(state.fleet_turns[player, k])
            found.append(Fleet(player, source, dest, ships, turns, k >= flying))
    return found


def free_ships(view: View, planet: int) -> int:
    """Without those that the viewer has ordered away."""
    state, ordered = view.state, 0
    if view.player >= 0:
        first = int(state.under_way[view.player])
        waiting = slice(first, first + int(state.waiting[view.player]))
        leaving = state.fleet_route[view.player, waiting] // MAX_PLANETS == planet
        ordered = int(state.fleet_ships[view.player, waiting][leaving].sum())
    return int(state.ships[planet]) - ordered


def owes_orders(view: View) -> bool:
    return view.player >= 0 and view.state.outcome == PLAYING and not view.state.done[view.player]


def headline(view: View) -> str:
    outcome = int(view.state.outcome)
    if outcome == DRAW:
        return "a draw"
    if outcome != PLAYING:
        return "you win" if outcome == 1 + view.player else f"{seat_name(outcome - 1)} wins"
    if view.player < 0:
        return "both give orders"
    return "your orders" if owes_orders(view) else "waiting for the rival's orders"


def owned_by(view: View, player: int) -> np.ndarray:
    return np.flatnonzero(view.state.owner[: view.state.planets] == 1 + player)


def new_fleets(view: View, before: View | None) -> set[Fleet]:
    """Those launched, or ordered, since `before`."""
    if before is None:
        return set()
    elapsed = int(view.state.turn - before.state.turn)
    return set(fleets(view)) - {fleet._replace(turns=fleet.turns - elapsed) for fleet in fleets(before)}


def fought_over(view: View, before: View | None) -> set[int]:
    """The planets on which fleets have landed since `before`, or that have changed hands."""
    if before is None or before.state.turn == view.state.turn:
        return set()
    landed = {fleet.dest for fleet in fleets(before) if fleet.turns == 1}
    return landed | set(np.flatnonzero(view.state.owner != before.state.owner).tolist())


# ------------------------------------------------------------------------------------------------ the map


def layout(view: View) -> tuple[np.ndarray, np.ndarray]:
    """Where planets are drawn, and their radii."""
    n, state = int(view.state.planets), view.state
    return moved_apart(tuple(state.x[:n].tolist()), tuple(state.y[:n].tolist()), tuple(state.growth[:n].tolist()))


@lru_cache
def moved_apart(x: tuple[float, ...], y: tuple[float, ...], growth: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """True to scale, but planets that are too close for their labels give way to each other."""
    n, at = len(x), np.array([x, y]).T
    radii = (14 + 1.3 * np.minimum(growth, 5)) * min(1.0, math.sqrt(24 / n))
    room = (radii + 10)[:, None]  # for the label below
    at = (at - (at.max(0) + at.min(0)) / 2) * (SKY - 60) / max(1.0, np.ptp(at, axis=0).max())
    at += 0.001 * np.array([np.cos(np.arange(n)), np.sin(np.arange(n))]).T  # no two on the same spot
    for _ in range(100):
        apart = at[:, None] - at[None]
        distance = np.hypot(apart[..., 0], apart[..., 1]) + np.eye(n)
        overlap = np.maximum(0, room + room.T - distance) * (1 - np.eye(n))
        at += (apart * (overlap / distance / 4)[..., None]).sum(1)
        at = np.clip(at, room - SKY / 2, SKY / 2 - room)
    return at + np.array([8 + SKY / 2, SKY_TOP + SKY / 2 - 7]), radii


def draw_planet(made: Picture, view: View, planet: int, at: Point, radius: float, look: str) -> None:
    state, (x, y) = view.state, at
    owner, ships, growth = int(state.owner[planet]), free_ships(view, planet), int(state.growth[planet])
    whose = seat_name(owner - 1) if owner else "nobody"
    with made.part(f"planet-{planet}", f"planet {planet} of {whose}: {ships} ships, growth {growth}"):
        draw_globe(made, x, y, radius, owner, "sky")
        made.circle(x, y, radius + 2, look)
        made.text(x, y + 4.5, short(ships), "middle bold on-seat sky", 12)
        made.text(x, y + radius + 12, f"{planet} +{growth}", "middle sky outlined", 11)
        made.circle(x, y, radius + 4, "halo sky")


def draw_globe(made: Picture, x: float, y: float, radius: float, owner: int, look: str) -> None:
    """A planet of player 2 has a ring."""
    if owner == 2:
        made.add("ellipse", f"none rim1 {look}", cx=x, cy=y, rx=1.4 * radius, ry=0.35 * radius)
    made.circle(x, y, radius, f"{('neutral', 'seat0', 'seat1')[owner]} {look}")


def short(ships: int) -> str:
    return str(ships) if ships < 10_000 else f"{ships // 1000}k" if ships < 1_000_000 else f"{ships // 1_000_000}M"


# ------------------------------------------------------------------------------------------------ fleets


class Arrow(NamedTuple):
    fleet: Fleet
    start: np.ndarray
    """Where the fleet is."""
    end: np.ndarray
    """Where it meets its target's rim."""


def route(view: View, fleet: Fleet, places: np.ndarray, radii: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """From where the fleet is to its target's rim."""
    state, source, dest = view.state, fleet.source, fleet.dest
    along = (places[dest] - places[source]) / math.dist(places[dest], places[source])
    start, end = places[source] + along * (radii[source] + 4), places[dest] - along * (radii[dest] + 4)
    trip = trip_turns(state.x[source] - state.x[dest], state.y[source] - state.y[dest])
    return start + (end - start) * (1 - fleet.turns / max(trip, fleet.turns)), end


def draw_arrows(made: Picture, arrows: list[Arrow], new: set[Fleet]) -> None:
    """Player 1 flies in triangles, player 2 in open angles; a fleet that still waits has a dashed line."""
    for fleet, start, end in arrows:
        look = "last" if fleet in new else f"rim{fleet.player}"
        made.line(tuple(start), tuple(end), f"{look} sky {'dashed' if fleet.waits else 'thin faint'}")
        ahead = (end - start) / max(1e-9, math.dist(start, end))
        across = np.array([-ahead[1], ahead[0]])
        wings = [start - 5 * ahead + 5 * across, start + 7 * ahead, start - 5 * ahead - 5 * across]
        wings += [start] * (fleet.player == 1)
        made.polygon([tuple(wing) for wing in wings], f"seat{fleet.player} sky{' last' * (fleet in new)}")


def label_arrows(made: Picture, arrows: list[Arrow], taken: list[Box]) -> None:
    """Largest first: where there is no room for all numbers, the smallest fleets go without."""
    for fleet, start, _ in sorted(arrows, key=lambda arrow: -arrow.fleet.ships):
        words = short(fleet.ships)
        half = 3.5 * len(words) + 1
        aside = half + 9
        for dx, dy in ((0, -14), (0, 14), (aside, 0), (-aside, 0), (14, -12), (-14, -12), (14, 12), (-14, 12)):
            x, y = start[0] + dx, start[1] + dy
            box = (x - half, y - 6, x + half, y + 6)
            if in_sky(box) and not any(overlap(box, other) for other in taken):
                taken.append(box)
                made.text(x, y + 4, words, f"middle bold outlined seat{fleet.player} sky", 11)
                break


def box_around(place: Point, radius: float) -> Box:
    """What a planet and its label take up."""
    (x, y), half = place, max(radius, 19)
    return x - half, y - radius, x + half, y + radius + 15


def in_sky(box: Box) -> bool:
    return box[0] > 10 and box[2] < 6 + SKY and box[1] > SKY_TOP + 2 and box[3] < SKY_TOP + SKY - 2


def overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


# ------------------------------------------------------------------------------------------------ header and foot


def draw_balance(made: Picture, view: View) -> None:
    """Ships and growth of both, and who has how much of all ships."""
    ships = []
    for player in range(2):
        planets = owned_by(view, player)
        flying = sum(fleet.ships for fleet in fleets(view) if fleet.player == player and not fleet.waits)
        ships.append(int(view.state.ships[planets].sum()) + flying)
        x, name = 14 + 190 * player, "you" if player == view.player else seat_name(player)
        draw_globe(made, x + 9, 54, 9, 1 + player, "")
        made.text(x + 27, 59, f"{name}: {short(ships[player])} +{view.state.growth[planets].sum()}", "", 13)
    split = 8 + SKY * (ships[0] + 1) / (sum(ships) + 2)
    made.rect(8, 72, max(0, split - 9), 8, "seat0", round=3)
    made.rect(split + 1, 72, max(0, 7 + SKY - split), 8, "seat1", round=3)


def draw_foot(made: Picture, view: View) -> None:
    bottom = made.height - 10
    made.text(WIDTH / 2, bottom, "in a planet its ships, below it its number and growth", "middle soft", 11)
    if not owes_orders(view):
        return
    made.button("end-turn", 274, FOOT, 118, "end turn")
    hint = "no more orders are proposed this turn"
    if len(view.legal) > 1:
        hint = "click your planet, its target, how many ships (enough: to take it)"
        for k, amount in enumerate(AMOUNTS):
            made.button(amount, 8 + 84 * k, FOOT, 78, amount)
    made.text(WIDTH / 2, bottom - 18, hint, "middle soft", 11)
