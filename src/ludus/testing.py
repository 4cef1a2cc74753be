"""The conformance suite: does a game, or an agent, keep the contract?

`check_game` plays random matches in lock-step and looks at every position from every seat; then it plays some of them
again in plain Python, through the stepper and on two threads, and compares. Every failure is a sentence that names the
function, the position and the seed, with a command that shows it again.

What a designer forgets to hide passes every automatic check; so a game of hidden information also writes `twin`, which
swaps things that a player cannot know, and no view may notice.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ludus import kernels
from ludus.arena.hall import Hall, rotations
from ludus.arena.lockstep import play_batch, records_of
from ludus.arena.match import Match
from ludus.catalogue import agent, load
from ludus.errors import AgentFault, BadNotation, LudusError
from ludus.game import Game, View
from ludus.rng import match_words

GUARD = -77_777
"""Fills the cells behind a menu; a rule that writes there has overrun its buffer."""
GUARD_CELLS = 32
NOTATION_MATCHES = 6
EVERY_PLY = 40
"""Notation is plain Python and slow: it is checked in so many matches, at their first plies and then less often."""
PLAIN_SECONDS = 10.0
UNPLAYABLE = frozenset({"layout", "to_act", "legal", "overrun"})
"""After a failure of these no more is played: bytes would not compare, matches not end, or rules write at random."""

CHECKS = {
    "compiles": "the rules compile",
    "layout": "the record has no nameless bytes",
    "to_act": "somebody owes an action until the end, and only players do",
    "legal": "menus are not empty, in range, without repetition, and allowed by is_legal",
    "overrun": "no rule writes behind its buffers",
    "ends": "matches end within max_plies",
    "returns": "payoffs lie in [-1, 1] and sum to zero where FACTS says so",
    "hide": "hiding twice is hiding once",
    "round_trip": "hide(determinize(hide(s))) is hide(s)",
    "view_legal": "a player's menu is the same on its view",
    "valid": "true and determinized states are valid",
    "worlds_vary": "determinize does not always guess the same world",
    "twin": "a view does not change when things that it must not show are swapped",
    "observe": "features are the same on the true and on the masked record, and finite",
    "heuristic": "heuristics lie in [-1, 1]",
    "symmetry": "turned boards have turned menus and turned successors",
    "notation": "actions and positions read back as they were written",
    "same_seed": "the same seed gives the same record, on one thread and on two",
    "bulk": "bulk play gives the stepper's records",
    "plain": "plain Python and compiled code play the same matches",
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


def check_game(
    name: str | Game, *, matches: int = 100, seed: int = 0, preset: str = "", players: int = 0, match: int | None = None
) -> Iterator[Report]:
    """Check a game; yields the growing report after every part, the same object each time."""
    game = load(name)
    report = Report(game.source)
    _check_layout(report, game)
    settings = settings_of(game, seed, matches, preset, players)
    try:
        for setting in settings:
            if report.playable:
                _Walk(report, game, setting, match).go()
            yield report
        if match is None:
            for setting in settings:
                if report.playable:
                    _check_bulk(report, game, setting)
                _check_plain(report, game, setting, len(settings))
                yield report
            _check_secrets(report, game, settings[0], whole=not preset and not players)
    except LudusError:
        raise
    except Exception as error:  # Numba reports what it cannot compile with a family of exceptions of its own
        report.fail("compiles", _short(error, game), settings[0].command(game))
    yield report


def _short(error: Exception, game: Game) -> str:
    """What does not compile, in which rule and where; Numba tells it amid the story of its own search."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))  # Numba colours its words
    what = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("Failed in ")]
    rule = re.search(r"<function (\w+)", text)
    home = Path(game.module.__file__ or "").resolve().parent
    places = re.findall(r'(?:at |File ")(\S+\.py)"?(?:, line | \()(\d+)', text)
    found = [f" ({Path(path).resolve()}, line {line})" for path, line in places if Path(path).resolve().parent == home]
    sentence = f"{type(error).__name__}: {what[0] if what else 'no word'}"[:400]
    return (f"`{rule[1]}`: " if rule else "") + sentence + (found[0] if found else "")


def _check_layout(report: Report, game: Game) -> None:
    gap = _nameless_bytes(game.state_type)
    command = f"ludus check {game.source}"
    if gap:
        report.fail("layout", f"State has {gap} nameless bytes; make it with record(), which names them", command)
    elif game.state_type.itemsize % 8:
        report.fail("layout", "State is not made of whole 64-bit words; make it with record()", command)
    elif not game.facts.hidden and game.writes("hide"):
        report.fail("layout", "the game writes `hide`, so FACTS must say hidden=True", command)
    elif game.facts.hidden and not game.writes("twin"):
        report.fail("twin", "FACTS says hidden, so the game must write `twin`, a swap of two things unknown", command)
    else:
        report.count("layout")


def _nameless_bytes(kind: np.dtype) -> int:
    """Bytes of a record that no field names, within nested records too."""
    if kind.subdtype:
        return _nameless_bytes(kind.base) * int(np.prod(kind.shape))
    if not kind.names:
        return 0
    columns = [kind[name] for name in kind.names]
    return kind.itemsize - sum(column.itemsize - _nameless_bytes(column) for column in columns)


def _check_secrets(report: Report, game: Game, setting: Setting, whole: bool) -> None:
    """Somewhere something must have been unknown; then some two guesses must have differed."""
    if report.passed.get("twin", 0) and not report.passed.get("worlds_vary", 0):
        report.fail("worlds_vary", "determinize gave the same world at every position and seed", setting.command(game))
    if whole and game.facts.hidden and report.playable and not report.passed.get("twin", 0):
        report.fail("twin", "FACTS says hidden, but `twin` never swapped anything", setting.command(game))


# ------------------------------------------------------------------------------------------------ the walk


class _Walk:
    """Random matches in lock-step, with every position looked at from every seat."""

    def __init__(self, report: Report, game: Game, setting: Setting, only: int | None):
        self.report, self.game, self.setting = report, game, setting
        blocks = np.arange(setting.matches) if only is None else np.array([only])
        self.blocks = blocks
        self.words = match_words(setting.seed, blocks, 0, setting.players)
        self.dice = match_words(setting.seed, blocks, 1, 1)[:, 1:].copy()  # the checker's own stream, one a match
        # The first and the last record belong to nobody: a rule that writes outside its state changes them.
        self.held = np.zeros(len(blocks) + 2, game.state_type)
        self.held.view(np.uint8)[:] = 0xA5
        self.guard = self.held[:1].tobytes()
        self.states = self.held[1:-1]
        self.ply = 0

    def go(self) -> None:
        game, setting = self.game, self.setting
        values = game.rule_values(setting.preset)
        self.states[:] = game.blank(setting.players, values, len(self.blocks))
        game.kernel(kernels.set_up)(self.states, self.words)
        self.report.count("compiles")
        live = np.flatnonzero(self._masks() != 0)
        while len(live) and self.ply < game.facts.max_plies:
            if not self._look(live):
                return
            self._step(live)
            live = np.flatnonzero(self._masks() != 0)
        self._expect("ends", np.isin(np.arange(len(self.blocks)), live, invert=True),
                     "step", f"the match is not over after max_plies = {game.facts.max_plies}")  # fmt: skip
        self._look_at_end()

    def _expect(self, check: str, good: Any, function: str, what: str, rows: np.ndarray | None = None) -> None:
        """Count what is good, and report the first row that is not."""
        good = np.asarray(good)
        bad = np.flatnonzero(~good)
        self.report.count(check, len(good) - len(bad))
        if len(bad):
            match = int(self.blocks[bad[0] if rows is None else rows[bad[0]]])
            place = f"preset {self.setting.preset}, {self.setting.players} players, seed {self.setting.seed}"
            sentence = f"`{function}` in match {match} at ply {self.ply} ({place}): {what}"
            self.report.fail(check, sentence, self.setting.command(self.game, match))

    def _masks(self) -> np.ndarray:
        masks = self.game.waiting(self.states)
        self._expect("to_act", masks >> self.setting.players == 0, "to_act", "a bit is set that belongs to no player")
        return masks & ((1 << self.setting.players) - 1)

    def _look(self, live: np.ndarray) -> bool:
        """Look at the positions from every seat; whether they can be played on."""
        states = self.states[live]
        masks = self.game.waiting(states)
        if not self._valid(states, live, "setup" if self.ply == 0 else "step"):
            return False
        for player in range(self.setting.players):
            views = self._look_at_view(states, player, live)
            acting = np.flatnonzero(masks >> player & 1)
            if len(acting):
                self._look_at_menu(states[acting], views[acting], player, live[acting])
        if self.game.names["SYMMETRIES"] > 1 and self._is_sampled():
            self._look_at_symmetry(states, masks, live)
        return self.report.playable

    def _is_sampled(self) -> bool:
        """What is slow to look at is looked at early in a match, and then now and again."""
        return self.ply < EVERY_PLY or self.ply % 16 == 0

    def _valid(self, states: np.ndarray, rows: np.ndarray, function: str) -> bool:
        good = np.empty(len(states), np.bool_)
        self.game.kernel(kernels.validity)(states, good)
        self._expect("valid", good, function, "leaves a state that `valid` denies", rows)
        return bool(good.all())

    def _look_at_view(self, states: np.ndarray, player: int, rows: np.ndarray) -> np.ndarray:
        game, seats = self.game, np.full(len(states), player)
        views = game.masked(states, seats)
        once = _same(views, game.masked(views, seats))
        self._expect("hide", once, "hide", f"twice differs from once, seat {player}", rows)
        self._expect("observe", self._features_agree(states, views, seats), "observe",
                     f"differs on the masked record or is not finite, seat {player}", rows)  # fmt: skip
        hopes = np.empty(len(states))
        game.kernel(kernels.estimates)(states, seats, hopes)
        self._expect("heuristic", np.abs(hopes) <= 1, "heuristic", f"is outside [-1, 1], seat {player}", rows)
        if game.facts.hidden:
            self._look_at_worlds(views, seats, rows)
            self._look_at_twins(states, views, seats, rows)
        return views

    def _features_agree(self, states: np.ndarray, views: np.ndarray, seats: np.ndarray) -> np.ndarray:
        true, seen = (np.zeros((len(states), self.game.names["FEATURES"]), np.float32) for _ in range(2))
        self.game.kernel(kernels.features)(states, seats, true)
        self.game.kernel(kernels.features)(views, seats, seen)
        return ((true == seen) & np.isfinite(true)).all(axis=1)

    def _look_at_worlds(self, views: np.ndarray, seats: np.ndarray, rows: np.ndarray) -> None:
        worlds = []
        for _ in range(2):
            world, words = views.copy(), self.dice[rows]
            self.game.kernel(kernels.guess_worlds)(world, seats, words)
            self.dice[rows] = words
            worlds.append(world)
        again = self.game.masked(worlds[0], seats)
        self._expect("round_trip", _same(again, views), "determinize",
                     f"its hide is not the view it got, seat {seats[0]}", rows)  # fmt: skip
        self._valid(worlds[0], rows, "determinize")
        self.report.count("worlds_vary", int((~_same(*worlds)).sum()))

    def _look_at_twins(self, states: np.ndarray, views: np.ndarray, seats: np.ndarray, rows: np.ndarray) -> None:
        twins, words, swapped = states.copy(), self.dice[rows], np.empty(len(states), np.bool_)
        self.game.kernel(kernels.swap_secrets)(twins, seats, words, swapped)
        self.dice[rows] = words
        chosen = np.flatnonzero(swapped)
        if not len(chosen):
            return
        moved = ~_same(twins, states)[chosen]
        self._expect("twin", moved, "twin", "says that it swapped something, but the state is the same", rows[chosen])
        same = _same(self.game.masked(twins, seats), views)[chosen]
        what = f"a leak: the view of seat {seats[0]} changes when things that it cannot know are swapped"
        self._expect("twin", same, "hide", what, rows[chosen])

    def _look_at_menu(self, states: np.ndarray, views: np.ndarray, player: int, rows: np.ndarray) -> None:
        menus, counts = self._menus(states, player)
        longest = self.game.facts.max_actions
        in_range = (counts >= 1) & (counts <= longest)
        self._expect("legal", in_range, "legal", f"the menu of seat {player} is empty or above max_actions", rows)
        behind = (menus[:, longest:] == GUARD).all(axis=1)
        self._expect("overrun", behind, "legal", f"writes behind max_actions = {longest}", rows)
        if not (in_range & behind).all():
            return
        lists = [menu[:count] for menu, count in zip(menus, counts)]
        unique = np.array([len(set(menu.tolist())) == len(menu) and menu.min() >= 0 for menu in lists])
        self._expect("legal", unique, "legal", f"the menu of seat {player} has a repeated or negative action", rows)
        self._expect("legal", self._allowed(states, player, lists), "is_legal",
                     f"denies an action on the menu of seat {player}, or allows -1", rows)  # fmt: skip
        seen, seen_counts = self._menus(views, player)
        same = (seen_counts == counts) & np.array([(a[:n] == b[:n]).all() for a, b, n in zip(seen, menus, counts)])
        bits = self.game.waiting(views) >> player & 1 == 1
        self._expect("view_legal", same & bits, "legal", f"differs on the view of seat {player}", rows)
        for k in np.flatnonzero(rows < NOTATION_MATCHES) if self._is_sampled() else ():
            self._look_at_notation(states[k : k + 1], views[k : k + 1], player, lists[k], rows[k : k + 1])

    def _menus(self, states: np.ndarray, player: int) -> tuple[np.ndarray, np.ndarray]:
        out = np.full((len(states), self.game.facts.max_actions + GUARD_CELLS), GUARD, np.int32)
        counts = np.empty(len(states), np.int64)
        self.game.kernel(kernels.menus)(states, np.full(len(states), player), out, counts)
        return out, counts

    def _allowed(self, states: np.ndarray, player: int, menus: Sequence[np.ndarray]) -> np.ndarray:
        n = len(states)
        verdicts = np.empty((3, n), np.bool_)
        trials = [[menu[0] for menu in menus], [menu[-1] for menu in menus], [-1] * n]
        for trial, verdict in zip(trials, verdicts):
            self.game.kernel(kernels.verdicts)(states, np.full(n, player), np.array(trial, np.int64), verdict)
        return verdicts[0] & verdicts[1] & ~verdicts[2]

    def _look_at_notation(self, states, views, player: int, menu: np.ndarray, row: np.ndarray) -> None:
        game = self.game
        wrong = ""
        try:
            for action in menu[:: max(1, len(menu) // 8)].tolist():
                text = game.action_text(states[0], player, action)
                back = game.parse_action(views, player, text)
                if back != action:
                    wrong = f"action {action} of seat {player} is written {text!r}, which reads as {back}"
            game.state_text(views[0])
            if game.writes("parse_state"):
                again = game.parse_state(game.state_text(states[0]), self.setting.players,
                                         game.rule_values(self.setting.preset))  # fmt: skip
                if not _same(again, states)[0]:
                    wrong = f"the position does not read back; field {_first_difference(again[0], states[0])} differs"
        except BadNotation as error:
            wrong = str(error)
        except Exception as error:  # the game's own code, whatever it raises
            wrong = f"{type(error).__name__}: {error}"
        self._expect("notation", np.array([not wrong]), "notation", wrong, row)

    def _look_at_symmetry(self, states: np.ndarray, masks: np.ndarray, rows: np.ndarray) -> None:
        certain = np.empty(len(states), np.bool_)
        self.game.kernel(kernels.certainties)(states, certain)
        single = np.flatnonzero(certain & (masks & (masks - 1) == 0))
        for symmetry in range(1, self.game.names["SYMMETRIES"]):
            for k in single[: NOTATION_MATCHES * 2]:
                player = int(masks[k]).bit_length() - 1
                wrong = self._symmetry_fault(states[k : k + 1], player, symmetry, int(self.dice[rows[k], 0]))
                good = np.array([not wrong])
                self._expect("symmetry", good, "reflect", f"symmetry {symmetry}: {wrong}", rows[k : k + 1])

    def _symmetry_fault(self, state: np.ndarray, player: int, symmetry: int, dice: int) -> str:
        game = self.game
        turned = state.copy()
        game.kernel(kernels.turn_boards)(turned, symmetry)
        menu = game.menu(state, player)
        mirrored = np.empty(len(menu), np.int32)
        game.kernel(kernels.turn_actions)(np.repeat(state, len(menu)), symmetry, menu, mirrored)
        if set(mirrored.tolist()) != set(game.menu(turned, player).tolist()):
            return f"the menu of seat {player} on the turned board is another"
        k = (dice + self.ply) % len(menu)
        after, after_turned = self._after(state, player, menu[k]), self._after(turned, player, mirrored[k])
        game.kernel(kernels.turn_boards)(after, symmetry)
        if not _same(after, after_turned)[0]:
            field_name = _first_difference(after[0], after_turned[0])
            return f"after action {menu[k]} the turned boards differ in {field_name}"
        return ""

    def _after(self, state: np.ndarray, player: int, action: int) -> np.ndarray:
        after, actions = state.copy(), np.full((1, self.game.facts.players[1]), -1, np.int32)
        actions[0, player] = action
        self.game.advance(after, actions, np.zeros((1, 1 + self.setting.players), np.uint64))
        return after

    def _step(self, live: np.ndarray) -> None:
        plies = np.zeros(len(self.states), np.int64)
        self.game.kernel(kernels.rollouts)(self.states, self.words, plies, 1)
        self.ply += 1
        intact = self.held[:1].tobytes() == self.guard == self.held[-1:].tobytes()
        self._expect("overrun", np.array([intact]), "step", "writes outside its state", live[:1])

    def _look_at_end(self) -> None:
        everyone = np.arange(len(self.blocks))
        if self._valid(self.states, everyone, "step"):
            for player in range(self.setting.players):
                self._look_at_view(self.states.copy(), player, everyone)
        out = np.full((len(self.states), self.game.facts.players[1] + GUARD_CELLS), float(GUARD))
        self.game.kernel(kernels.payoffs)(self.states, out)
        payoffs = out[:, : self.setting.players]
        good = (np.abs(payoffs) <= 1).all(axis=1)
        if self.game.facts.zero_sum:
            good &= np.abs(payoffs.sum(axis=1)) < 1e-9
        self._expect("returns", good, "returns", f"are out of [-1, 1] or do not sum to zero: {payoffs[~good][:1]}")
        behind = (out[:, self.game.facts.players[1] :] == GUARD).all(axis=1)
        self._expect("overrun", behind, "returns", "writes behind the last seat")


def _same(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Row by row, whether two arrays of records are equal to the byte."""
    n = len(a)
    return (a.view(np.uint8).reshape(n, -1) == b.view(np.uint8).reshape(n, -1)).all(axis=1)


def _first_difference(a, b) -> str:
    return next((name for name in a.dtype.names if a[name].tobytes() != b[name].tobytes()), "none")


# ------------------------------------------------------------------------------------------------ the same match thrice


def _check_bulk(report: Report, game: Game, setting: Setting, matches: int = 6) -> None:
    """Lock-step, stepper and two threads: one record."""
    values = game.rule_values(setting.preset)
    tables = [table for block in range(matches) for table in rotations([0] * setting.players, block)[:1]]
    player = [agent("random", game)]
    batch = play_batch(game, player, tables, setting.seed, values, with_history=True)
    bulk = list(records_of(batch, game, player, setting.seed, values))
    for record in bulk:
        match = Match(game, setting.players, values, seed=setting.seed, block=record.block)
        while not match.over:
            for seat, view in match.waiting().items():
                match.submit(seat, player[0].act(view, match.stream(seat)))
        if match.record(record.agents) != record:
            sentence = f"match {record.block} differs between bulk play and the stepper (ply {match.plies})"
            report.fail("bulk", sentence, setting.command(game, record.block))
            return
        report.count("bulk")
    for jobs in (1, 2):
        hall = Hall(game, ["random"], values, seed=setting.seed, jobs=jobs)
        played = sorted((record.block, record.to_json()) for group in hall.play(tables) for _, record in group)
        if played != [(record.block, record.to_json()) for record in bulk]:
            report.fail("same_seed", f"the records on {jobs} threads differ for the same seed", setting.command(game))
            return
        report.count("same_seed")


def digests(game: Game, setting: Setting, seconds: float = float("inf")) -> list[str]:
    """A digest of every match: what the seats saw and guessed, its end and length. Stops when the time is up."""
    values = game.rule_values(setting.preset)
    words = match_words(setting.seed, np.arange(setting.matches), 0, setting.players)
    found: list[str] = []
    deadline = time.monotonic() + seconds
    for i in range(setting.matches):
        row, plies = words[i : i + 1], np.zeros(1, np.int64)
        states = game.start(row, setting.players, values)
        content = b""
        while game.waiting(states)[0] and plies[0] < game.facts.max_plies:
            content += _glance(game, states, setting)
            game.kernel(kernels.rollouts)(states, row, plies, min(plies[0] + 1 + i % 16, game.facts.max_plies))
        content += states.tobytes() + row.tobytes() + plies.tobytes()
        found.append(hashlib.sha256(content).hexdigest()[:16])
        if time.monotonic() > deadline:
            break
    return found


def _glance(game: Game, states: np.ndarray, setting: Setting) -> bytes:
    """Every seat looks at a single position. Views and guesses are compared; features and estimates, being floats, may
    differ in the last bit and are made only so that plain Python sees their indices."""
    seats = np.arange(setting.players)
    truths = np.repeat(states, setting.players)
    views = game.masked(truths, seats)
    worlds, words = views.copy(), match_words(setting.seed, 0, 1, setting.players)[1:].reshape(-1, 1)
    if game.facts.hidden:
        game.kernel(kernels.guess_worlds)(worlds, seats, words)
    game.kernel(kernels.features)(views, seats, np.zeros((len(seats), game.names["FEATURES"]), np.float32))
    game.kernel(kernels.estimates)(worlds, seats, np.empty(len(seats)))
    return views.tobytes() + worlds.tobytes()


def _check_plain(report: Report, game: Game, setting: Setting, parts: int) -> None:
    """The same matches in plain Python, where a wrong index or an overflow is an error with a place."""
    order = {"game": game.source, "seconds": PLAIN_SECONDS / parts, "setting": vars(setting)}
    answer = subprocess.run(
        [sys.executable, "-W", "error", "-m", "ludus.testing"],
        input=json.dumps(order), capture_output=True, text=True, env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
    )  # fmt: skip
    if answer.returncode != 0:
        lines = answer.stderr.strip().splitlines()
        places = [line.strip() for line in lines if line.strip().startswith("File ")]
        sentence = f"in plain Python: {lines[-1] if lines else 'no answer'} ({places[-1] if places else 'no place'})"
        report.fail("plain", sentence, f"NUMBA_DISABLE_JIT=1 {setting.command(game)}")
        return
    plain = json.loads(answer.stdout)
    compiled = digests(game, setting)
    for match, (ours, theirs) in enumerate(zip(compiled, plain)):
        if ours != theirs:
            sentence = f"match {match} ends differently in plain Python (seed {setting.seed}, preset {setting.preset})"
            report.fail("plain", sentence, setting.command(game, match))
            return
    report.count("plain", len(plain))


# ------------------------------------------------------------------------------------------------ agents


def check_agent(spec: str, name: str | Game, *, matches: int = 2, seed: int = 0, seconds: float = 10.0) -> Report:
    """Does an agent answer legally, in time, and the same for the same seed, without touching its view?"""
    game = load(name)
    report = Report(f"{spec} in {game.source}")
    command = f"ludus check --agent {spec} {game.source} --seed {seed}"
    for players in range(game.facts.players[0], game.facts.players[1] + 1):
        player, twin = agent(spec, game), agent(spec, game)
        for block in range(matches):
            match = Match(game, players, seed=seed, block=block)
            while not match.over:
                for seat, view in match.waiting().items():
                    place = f"ply {match.plies}, {players} players"
                    try:
                        action = _ask_twice(report, command, player, twin, match, seat, view, seconds)
                        match.submit(seat, action)
                        report.count("answers are legal")
                    except AgentFault as fault:
                        report.fail("answers are legal", f"{fault}, {place}", command)
                        return report
                    except Exception as error:  # the agent's own code, whatever it raises
                        report.fail("raises no error", f"{type(error).__name__}: {error}, {place}", command)
                        return report
    return report


def _ask_twice(report, command, player, twin, match: Match, seat: int, view: View, seconds: float):
    before, word = view.states.tobytes(), match.stream(seat).copy()
    place = f"ply {match.plies}, seat {seat}"
    started = time.perf_counter()
    action = player.act(view, match.stream(seat))
    used = time.perf_counter() - started
    # The first answer may have to compile.
    if used > seconds and match.plies > 0:
        report.fail("answers in time", f"{used:.1f} s at {place}, more than {seconds:g}", command)
    report.count("answers in time")
    if view.states.tobytes() != before:
        report.fail("leaves its view alone", f"the view was changed at {place}", command)
    report.count("leaves its view alone")
    if player.repeatable:
        if twin.act(View(match.game, match.states, seat), word) != action:
            report.fail("same seed, same answer", f"a second agent answers otherwise at {place}", command)
        report.count("same seed, same answer")
    else:
        report.skipped["same seed, same answer"] = "the agent is limited by time"
    return action


if __name__ == "__main__":
    order = json.load(sys.stdin)
    print(json.dumps(digests(load(order["game"]), Setting(**order["setting"]), order["seconds"])))
