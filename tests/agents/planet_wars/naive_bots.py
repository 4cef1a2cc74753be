"""The contest's example bots once more: slow, over the text that the contest's engine sends, not over records."""

from __future__ import annotations

import math


class Sky:
    """One turn's text as a bot reads it: itself is 1, the rival 2."""

    def __init__(self, text: str):
        rows = [line.split() for line in text.splitlines()]
        self.planets = [
            {"id": k, "x": float(r[1]), "y": float(r[2]), "owner": int(r[3]), "ships": int(r[4]), "growth": int(r[5])}
            for k, r in enumerate(row for row in rows if row[0] == "P")
        ]
        self.fleets = [(int(row[1]), int(row[2])) for row in rows if row[0] == "F"]

    def of(self, *owners: int) -> list[dict]:
        return [planet for planet in self.planets if planet["owner"] in owners]

    def own_fleets(self) -> int:
        return sum(owner == 1 for owner, _ in self.fleets)

    def ships(self, owner: int) -> int:
        return sum(p["ships"] for p in self.of(owner)) + sum(ships for who, ships in self.fleets if who == owner)

    def production(self, owner: int) -> int:
        return sum(p["growth"] for p in self.of(owner))


def half(sources: list[dict], source_key, targets: list[dict], target_key) -> list[tuple[int, int, int]]:
    """`max` gives the first of equals."""
    if not sources or not targets:
        return []
    source, target = max(sources, key=source_key), max(targets, key=target_key)
    return [(source["id"], target["id"], source["ships"] // 2)]


def worth(planet: dict) -> float:
    return (1 + planet["growth"]) / planet["ships"] if planet["ships"] else math.inf


def bully(sky: Sky) -> list[tuple[int, int, int]]:
    if sky.own_fleets():
        return []
    return half(sky.of(1), lambda p: p["ships"], sky.of(0, 2), lambda p: -p["ships"])


def prospector(sky: Sky) -> list[tuple[int, int, int]]:
    if sky.own_fleets():
        return []
    return half(sky.of(1), lambda p: p["ships"] / (1 + p["growth"]), sky.of(0, 2), worth)


def dual(sky: Sky) -> list[tuple[int, int, int]]:
    ahead_in_ships = sky.ships(1) > sky.ships(2)
    ahead_in_growth = sky.production(1) > sky.production(2)
    allowed = 1 if ahead_in_growth else 3 if ahead_in_ships else 5
    if sky.own_fleets() >= allowed:
        return []
    targets = sky.of(2) if ahead_in_ships and ahead_in_growth else sky.of(0, 2)
    return half(sky.of(1), lambda p: p["ships"] / (1 + p["growth"]), targets, worth)


def rage(sky: Sky) -> list[tuple[int, int, int]]:
    orders = []
    for source in sky.of(1):
        if source["ships"] >= 10 * source["growth"] and sky.of(2):
            target = min(
                sky.of(2),
                key=lambda planet, s=source: math.ceil(math.hypot(planet["x"] - s["x"], planet["y"] - s["y"])),
            )
            orders.append((source["id"], target["id"], source["ships"]))
    return orders
