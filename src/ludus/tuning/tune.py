"""A whole tuning: search, confirmation, comparison with today's rules. Killed at any moment, it goes on where it was.

A folder holds all of it: `content.json` (what is tuned), `study.log` (Optuna's journal: every candidate, and what was
confirmed), and `compare/` (the matches of the winner beside today's rules). Candidates come one after the other and
their matches side by side, so that the same order gives the same result on any number of threads.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ludus.arena.hosts import full_spec
from ludus.catalogue import load_for
from ludus.errors import BadInput
from ludus.game import Game
from ludus.identity import agent_parts, game_parts
from ludus.measure.run import Table
from ludus.playtest.compare import Compared, Pairs, Version, compare
from ludus.playtest.plan import LONG
from ludus.playtest.series import series
from ludus.records import Store
from ludus.tuning.book import Book
from ludus.tuning.confirm import Confirmed, confirm, matches_needed, winners
from ludus.tuning.gates import Candidate, Climb
from ludus.tuning.ranges import Range, key_of, read_ranges, size_of
from ludus.tuning.targets import Target, read_targets
from ludus.workers import Threads, Workers

AGENTS = ("mcts:sims=32", "mcts:sims=128")
"""Shallow and deeper search, four times apart."""
FRESH = 1000
"""Matches that confirm a rule set, at least; with a narrow target twice what it needs."""
SEARCHING = 0.6
"""Of the minutes; the rest confirms the best and compares with the start."""
FEWEST = 4
"""Candidates below which nothing is searched."""
MOST_MINUTES = 100_000


@dataclass(frozen=True)
class Order:
    """What is to be tuned, and by how much work."""

    game: Game
    preset: str
    ranges: list[Range]
    fixed: dict[str, object]
    """Rules that all candidates share, on top of the preset."""
    targets: list[Target]
    agents: list[str]
    players: int
    seed: int
    matches: int
    """At each gate."""
    fresh: int
    """To confirm each of the best, at each strength."""
    best: int
    """How many are confirmed."""
    candidates: int
    """How many are tried; 0: as many as the minutes allow."""
    minutes: float
    lights: bool = True
    """Whether the best get the lights of a verdict, which takes some time."""

    @property
    def start(self) -> dict[str, object]:
        """Today's rules."""
        return self.game.rule_values(self.preset, self.fixed)

    @property
    def content(self) -> dict[str, str]:
        """All that decides what is found, but for how long one looks."""
        parts = game_parts(self.game, self.start)
        for spec in self.agents:
            parts |= agent_parts(spec, self.game)
        return parts | {name: f"={value}" for name, value in self.asked().items()}

    def asked(self) -> dict[str, object]:
        return {
            "ranges": ", ".join(one.text for one in self.ranges),
            "targets": "; ".join(one.text for one in self.targets),
            "agents": ", ".join(self.agents),
            **{name: getattr(self, name) for name in ("players", "seed", "matches", "fresh", "best")},
        }

    @property
    def name(self) -> str:
        """For a folder: whoever asks the same again comes back to it."""
        text = json.dumps([self.game.source, self.preset, self.fixed, self.asked()], default=str)
        return f"{self.game.name}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"


def order(
    game: str,
    rules: Mapping[str, object],
    targets: Sequence[str],
    *,
    preset: str = "default",
    agents: Sequence[str] = (),
    players: int = 0,
    seed: int = 0,
    matches: int = 200,
    fresh: int = 0,
    best: int = 5,
    candidates: int = 0,
    minutes: float = 0.0,
    lights: bool = True,
) -> Order:
    """Read and check everything before the first match."""
    wanted = read_targets(targets)
    rulebook = load_for(game, rules)
    ranges, fixed = read_ranges(rulebook, rules)
    players = players or rulebook.facts.players[0]
    values = rulebook.rule_values(preset, fixed)
    rulebook.check_setting(players, values)
    specs = [full_spec(spec, rulebook) for spec in (agents or _usual_agents(rulebook, values, players))]
    fresh = fresh or max(FRESH, 2 * max(matches_needed(target, best) for target in wanted))
    if len(set(specs)) < len(specs):
        raise BadInput("each agent is a level of play of its own; name each only once, from weak to strong")
    if minutes < 0 or minutes > MOST_MINUTES or candidates < 0:
        raise BadInput(f"a tuning takes up to {MOST_MINUTES:,} minutes, or a number of candidates")
    if not minutes and not candidates:
        minutes = 10.0
    made = Order(
        rulebook, preset, ranges, fixed, wanted, specs, players, seed,
        matches, fresh, max(1, best), candidates, minutes, lights,
    )  # fmt: skip
    _refuse_small_budget(made)
    return made


def _usual_agents(game: Game, values: dict[str, object], players: int) -> list[str]:
    """Two searches; where matches are long they stop early and ask the heuristic, as in a playtest."""
    few = Table(game, values, players, 0, Threads(1)).lineup(["random"], 8)
    is_long = game.writes("heuristic") and sum(replay.plies for replay in few.replays) > LONG * len(few.replays)
    return [f"{spec},horizon=20" if is_long else spec for spec in AGENTS]


def _refuse_small_budget(made: Order) -> None:
    """A budget with which nothing could ever be proven is refused, with what it would take."""
    tried = min(FEWEST, size_of(made.ranges))
    if made.candidates and made.candidates < tried:
        raise BadInput(f"{made.candidates} candidates are too few for any verdict; it takes {tried} at least")
    if made.matches < 8 * made.players:
        raise BadInput(f"{made.matches} matches at a gate are too few to see anything; it takes {8 * made.players}")
    for target in made.targets:
        needed = matches_needed(target, made.best)
        if made.fresh < needed:
            raise BadInput(
                f"{made.fresh:,} matches cannot confirm {target.text!r}, even for a rule set in its very middle; "
                f"about {needed:,} can: give --fresh {needed}, a wider range, or fewer --best than {made.best}"
            )


# ------------------------------------------------------------------------------------------------ what came out


@dataclass(frozen=True)
class Tuned:
    """Everything that a tuning found."""

    order: Order
    folder: Path
    start: Candidate
    """Today's rules, as the search saw them."""
    candidates: list[Candidate]
    today: Confirmed
    """Today's rules on fresh seeds."""
    best: list[Confirmed]
    """The best rule sets on fresh seeds, the best first."""
    winners: list[Confirmed]
    compared: Compared | None
    """The best beside today's rules."""
    seconds: float
    note: str = ""
    playtests: dict[str, Path] = field(default_factory=dict)
    """Full playtests by the key of a rule set, "" for today's rules; where they were asked for."""

    @property
    def winner(self) -> Confirmed | None:
        return next(iter(self.winners), None)

    @property
    def passed(self) -> list[Candidate]:
        """Candidates that climbed all gates."""
        return [one for one in self.candidates if not one.dropped]

    def rules(self, one: Confirmed) -> dict[str, object]:
        """What a rule set changes of the game's defaults: a preset to paste."""
        values = self.order.game.params.values({**self.order.start, **one.values})
        usual = self.order.game.params.values({})
        return {name: value for name, value in values.items() if value != usual[name]}

    @property
    def sentences(self) -> list[str]:
        tried, passed = len(self.candidates), len(self.passed)
        words = [f"{tried:,} rule sets were tried, {passed:,} climbed all gates, {len(self.best)} were confirmed."]
        if self.winner:
            words.append(f"{key_of(self.winner.values)} meets every target.")
        elif self._start_is_fine:
            words.append("Today's rules meet every target; no other rule set is surely better.")
        elif self.best:
            words.append(f"No rule set surely meets every target; {key_of(self.best[0].values)} comes nearest.")
        else:
            words.append("No rule set passed all gates: widen a range, or ask for less.")
        return words

    @property
    def _start_is_fine(self) -> bool:
        return all(target.aim or self.today.meets(target) for target in self.order.targets)

    def to_dict(self) -> dict[str, Any]:
        return {
            "game": self.order.game.source,
            "preset": self.order.preset,
            "folder": str(self.folder),
            **self.order.asked(),
            "sentences": self.sentences,
            "tried": len(self.candidates),
            "passed": len(self.passed),
            "winner": {**self.winner.values} if self.winner else None,
            "rules": self.rules(self.winner) if self.winner else None,
            "today": self.today.to_dict(),
            "best": [one.to_dict() for one in self.best],
            "candidates": [one.to_dict() for one in self.candidates],
            "seconds": round(self.seconds, 1),
            "note": self.note,
        }


# ------------------------------------------------------------------------------------------------ the work


class Tuning:
    """One order being carried out."""

    def __init__(
        self,
        order: Order,
        folder: Path | None = None,
        workers: Workers | None = None,
        watch: Callable[[str, int, int], None] = lambda doing, done, total: None,
    ):
        self.order, self.watch, self.workers = order, watch, workers or Threads(1)
        self.folder, self.note = series(folder or Path("tunings") / order.name, order.content)
        self.book = Book(self.folder, order.ranges, order.targets, order.seed)
        self.spent = float(self.book.noted("seconds") or 0.0)
        self.began = time.monotonic()
        self.climb = Climb(
            order.game, order.start, order.targets, order.agents, order.players, order.seed, order.matches,
            self.workers, watch,
        )  # fmt: skip

    def run(self) -> Tuned:
        start = self._start()
        self._search()
        today = self._confirm({})
        best = [self._confirm(one.values) for one in self._best()]
        found = winners(today, best, self.order.targets)
        others = sorted((one for one in best if one not in found), key=lambda one: one.loss(self.order.targets))
        best = [*found, *others]
        compared = self._compare(best[0]) if best else None
        self.book.note("seconds", self._seconds())
        self.book.close()
        return Tuned(
            self.order, self.folder, start, self.book.candidates, today, best, found, compared, self._seconds(),
            self.note,
        )  # fmt: skip

    def _seconds(self) -> float:
        return self.spent + time.monotonic() - self.began

    def _start(self) -> Candidate:
        """Today's rules, measured like any candidate."""
        kept = self.book.noted("start")
        if kept is None:
            self.watch("today's rules", 0, 0)
            began = time.monotonic()
            kept = self.climb.candidate({}).to_dict()
            seconds = time.monotonic() - began
            self.book.note("each", seconds / max(1, kept["matches"]))
            self.book.note("start", kept)
            self._refuse_few_minutes(seconds)
        return Candidate.from_dict(kept)

    @property
    def _confirming(self) -> float:
        """About how many seconds the confirmation of a rule set takes."""
        return 2 * self.order.fresh * float(self.book.noted("each") or 0.0)

    def _refuse_few_minutes(self, seconds: float) -> None:
        """Where the minutes decide, they must allow a few candidates and the confirmation of one."""
        if self.order.candidates:
            return
        needed = (FEWEST + 1) * seconds + 2 * self._confirming
        if needed > 60 * self.order.minutes:
            raise BadInput(
                f"{self.order.minutes:g} minutes are too few for any verdict: {FEWEST} candidates and a confirmation "
                f"take about {1 + needed / 60:.0f}; give more --minutes, fewer --fresh matches or weaker agents"
            )

    def _search(self) -> None:
        """Candidates until the budget is spent; once it is, a resumed tuning searches no more."""
        while not self._is_searched():
            trial, values = self.book.draw()
            number = 1 + len(self.book.candidates)
            self.watch(f"rule set {number}: {key_of(values)}", number, self.order.candidates)
            self.book.keep(trial, self.climb.candidate(values))
            self.book.note("seconds", self._seconds())

    def _is_searched(self) -> bool:
        if self.book.is_exhausted:
            return True
        if self.order.candidates:
            return len(self.book.candidates) >= self.order.candidates
        if self._seconds() > SEARCHING * 60 * self.order.minutes:
            self.book.note("searched", True)
        return bool(self.book.noted("searched"))

    def _best(self) -> list[Candidate]:
        """Those to confirm: the nearest to the targets, by aims where several miss nothing; never today's rules."""
        start = self.order.start
        others = [one for one in self.book.candidates if any(start[k] != v for k, v in one.values.items())]
        passed = [one for one in others if not one.dropped]
        near = sorted(passed or [one for one in others if one.found], key=self.book.distance)
        return near[: self._number()]

    def _number(self) -> int:
        """How many are confirmed: as many as were asked for, or as the minutes that are left allow."""
        if self.order.candidates:
            return self.order.best
        if self.book.noted("number") is None:
            left = 60 * self.order.minutes - self._seconds()
            affordable = int(left / max(self._confirming, 1e-9)) - 1
            self.book.note("number", min(self.order.best, max(1, affordable)))
        return int(self.book.noted("number"))

    def _confirm(self, values: dict[str, Any]) -> Confirmed:
        name = f"confirmed {key_of(values)}"
        kept = self.book.noted(name)
        if kept is None:
            kept = confirm(self.climb, values, self.order.fresh, self.order.best, self.order.lights).to_dict()
            self.book.note(name, kept)
        return Confirmed.from_dict(kept)

    def _compare(self, one: Confirmed) -> Compared:
        """The best beside today's rules, on the same seeds."""
        game, made = self.order.game, self.order
        values = game.params.values({**made.start, **one.values})
        versions = (Version(game, made.start), Version(game, values))
        comparison = compare(*versions, made.agents[-2:], made.players, made.seed)
        folder, _ = series(self.folder / "compare", comparison.content)
        pairs = made.fresh // 2
        self.watch("beside today's rules", 0, 2 * pairs)
        with Store(folder / "matches.sqlite") as store:
            return Pairs(comparison, store, self.workers).run(pairs)


def tune(
    game: str,
    rules: Mapping[str, object],
    targets: Sequence[str],
    *,
    out: str | Path | None = None,
    workers: Workers | None = None,
    **settings: Any,
) -> Tuned:
    """Search for rules that meet targets: ``tune("connect_four", {"rows": "4..6"}, ["seat_advantage in -3..3"])``.

    `settings` are those of `order`: preset, agents, players, seed, matches, fresh, best, candidates, minutes, lights.
    """
    return Tuning(order(game, rules, targets, **settings), Path(out) if out else None, workers).run()
