"""What was looked at, and what was found; and the ways to play a game, in each of which it is looked at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ludus.errors import LudusError
from ludus.game import Game

UNPLAYABLE = frozenset({"layout", "facts", "plain", "to_act", "legal", "overrun", "shape"})
"""After a failure of these no more is played: bytes would not compare, matches not end, or rules write at random."""


CHECKS = {
    "compiles": "the rules compile",
    "layout": "the record has no nameless bytes",
    "facts": "FACTS is true of chance, of simultaneous turns and of its numbers",
    "to_act": "somebody owes an action until the end, and only players do",
    "legal": "menus are not empty, in range, without repetition, and allowed by is_legal",
    "overrun": "no rule writes behind its buffers",
    "ends": "matches end within max_plies",
    "returns": "payoffs lie in [-1/(n-1), 1] for n players and sum to zero where FACTS says so",
    "hide": "hiding twice is hiding once",
    "round_trip": "hide(determinize(hide(s))) is hide(s)",
    "view_legal": "a player's menu is the same on its view",
    "valid": "true and determinized states are valid",
    "worlds_vary": "determinize does not always guess the same world",
    "twin": "a view does not change when things that it must not show are swapped",
    "observe": "features are the same on the true and on the masked record, and finite",
    "shape": "features fill the shape at hand, stay within it and FEATURES, and turn with the board",
    "policy": "policy slots are in range, and no two actions of a menu share one",
    "heuristic": "heuristics lie in [-1, 1]",
    "symmetry": "turned boards have turned menus and turned successors",
    "picture": "the game can be drawn, and what is to be clicked is in the picture",
    "notation": "actions and positions read back as they were written",
    "same_seed": "the same seed gives the same record, on one thread and on two",
    "bulk": "bulk play gives the stepper's records",
    "survives": "compiled rules come to an end and write nowhere else",
    "plain": "the rules run in plain Python, and compiled code plays the same matches",
}


@dataclass(frozen=True)
class Failure:
    check: str
    sentence: str
    command: str


@dataclass
class Report:
    """What was looked at, and what was found."""

    name: str
    passed: dict[str, int] = field(default_factory=dict)
    """How many times each check was made without a failure."""
    failures: list[Failure] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)
    seen: dict[str, int] = field(default_factory=dict)
    """How often something was seen that FACTS speaks of."""
    notes: list[str] = field(default_factory=list)
    """What is no failure, but may be a mistake."""

    @property
    def ok(self) -> bool:
        return not self.failures

    @property
    def playable(self) -> bool:
        return not any(failure.check in UNPLAYABLE for failure in self.failures)

    def count(self, check: str, times: int = 1) -> None:
        self.passed[check] = self.passed.get(check, 0) + times

    def fail(self, check: str, sentence: str, command: str) -> None:
        """Keep the first failure of each check: the others say the same again."""
        if check not in {failure.check for failure in self.failures}:
            self.failures.append(Failure(check, sentence, command))


@dataclass(frozen=True)
class Setting:
    """One way to play the game."""

    preset: str
    players: int
    seed: int
    matches: int
    rules: Mapping[str, object] = field(default_factory=dict)
    """Params that are not the preset's."""

    def command(self, game: Game, match: int | None = None) -> str:
        where = "" if match is None else f" --match {match}"
        return f"ludus check {game.source} --preset {self.preset} --players {self.players} --seed {self.seed}{where}"


def settings_of(game: Game, seed: int, matches: int, preset: str = "", players: int = 0) -> list[Setting]:
    """Every preset with every number of players that it allows."""
    found = []
    for name in [preset] if preset else game.presets:
        values = game.rule_values(name)
        low, high = game.facts.players
        for n in [players] if players else range(low, high + 1):
            try:
                game.check_setting(n, values)
            except LudusError:
                if players:
                    raise
                continue
            found.append((name, n))
    # Where there are many settings, each gets fewer matches: a fault shows early or not at all.
    share = max(min(matches, 20), matches // len(found))
    return [Setting(name, n, seed, share) for name, n in found]
