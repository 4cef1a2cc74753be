"""Random matches in lock-step, with every position looked at from every seat."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ludus import kernels
from ludus.draw import click_fault
from ludus.errors import BadNotation
from ludus.game import Game, View
from ludus.rng import match_words
from ludus.testing.report import Report, Setting
from ludus.testing.shapes import features, fills, slot_fault, stays_within, turned_fault

GUARD = -77_777
"""Fills the cells behind a menu; a rule that writes there has overrun its buffer."""
GUARD_CELLS = 32
TINY = 1e-9
NOTATION_MATCHES = 6
EVERY_PLY = 40
"""Notation is plain Python and slow: it is checked in so many matches, at their first plies and then less often."""


class Walk:
    """All matches of one setting, side by side."""

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
        self.shape, self.policy = game.shapes(setting.players, game.rule_values(setting.preset))

    def plies(self) -> Iterator[int]:
        """Play on by one ply at a time."""
        game, setting = self.game, self.setting
        self.states[:] = game.blank(setting.players, game.rule_values(setting.preset), len(self.blocks))
        luck = self.words[:, 0].copy()
        game.kernel(kernels.set_up)(self.states, self.words)
        self.report.count("compiles")
        self._look_at_luck(luck, "setup")
        live = np.flatnonzero(self._masks() != 0)
        while len(live) and self.ply < game.facts.max_plies:
            if not self._look(live):
                return
            self._step(live)
            yield self.ply
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
        several = masks & (masks - 1) != 0
        self._claim("simultaneous", several, "to_act", "several players owe an action")
        return masks & ((1 << self.setting.players) - 1)

    def _claim(self, fact: str, seen: np.ndarray, function: str, what: str) -> None:
        """Something was seen that FACTS must speak of."""
        self.report.seen[fact] = self.report.seen.get(fact, 0) + int(seen.sum())
        allowed = getattr(self.game.facts, fact)
        self._expect("facts", ~seen | allowed, function, f"{what}, so FACTS must say {fact}=True")

    def _look_at_luck(self, before: np.ndarray, function: str, certain: np.ndarray | None = None) -> None:
        drawn = self.words[:, 0] != before
        self._claim("chance", drawn, function, "draws random numbers")
        if certain is not None and self.game.writes("deterministic"):
            what = "draws random numbers, though `deterministic` has said that no dice fall any more"
            self._expect("facts", ~(drawn & certain), function, what)

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
        self._expect("shape", stays_within(game, self.shape, views, seats), "observe",
                     f"writes behind the {self.shape.length} features of its shape, seat {player}", rows)  # fmt: skip
        self._expect("shape", fills(game, self.shape, views, seats), "observe",
                     f"leaves some of its {self.shape.length} features as they were, seat {player}; `out` comes with "
                     "what it held before, so write every number, 0.0 too", rows)  # fmt: skip
        hopes = np.empty(len(states))
        game.kernel(kernels.estimates)(states, seats, hopes)
        self._expect("heuristic", np.abs(hopes) <= 1, "heuristic", f"is outside [-1, 1], seat {player}", rows)
        if game.facts.hidden:
            self._look_at_worlds(views, seats, rows)
            self._look_at_twins(states, views, seats, rows)
        return views

    def _features_agree(self, states: np.ndarray, views: np.ndarray, seats: np.ndarray) -> np.ndarray:
        """An `observe` of the game's own must not look behind the mask; the default writes whatever it is given."""
        true = features(self.game, states if self.game.writes("observe") else views, seats)
        seen = features(self.game, views, seats)
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
            self._look_at_picture(states[k : k + 1], player, rows[k : k + 1])
            wrong = slot_fault(self.game, self.policy, views[k : k + 1], player, lists[k])
            self._expect("policy", np.array([not wrong]), "policy_slot", f"seat {player}: {wrong}", rows[k : k + 1])

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

    def _look_at_picture(self, states: np.ndarray, player: int, row: np.ndarray) -> None:
        """Only what the game file draws itself: a picture, or parts to click."""
        if row[0] or not (self.game.writes("draw") or self.game.writes("clicks")):
            return
        try:
            wrong = click_fault(View(self.game, states, player))
        except Exception as error:  # the game's own code, whatever it raises
            wrong = f"{type(error).__name__}: {error}"
        self._expect("picture", np.array([not wrong]), "clicks", wrong, row)

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
        return turned_fault(game, self.shape, state, turned, player)

    def _after(self, state: np.ndarray, player: int, action: int) -> np.ndarray:
        after, actions = state.copy(), np.full((1, self.game.facts.players[1]), -1, np.int32)
        actions[0, player] = action
        self.game.advance(after, actions, np.zeros((1, 1 + self.setting.players), np.uint64))
        return after

    def _step(self, live: np.ndarray) -> None:
        plies, certain = np.zeros(len(self.states), np.int64), np.empty(len(self.states), np.bool_)
        luck = self.words[:, 0].copy()
        self.game.kernel(kernels.certainties)(self.states, certain)
        self.game.kernel(kernels.rollouts)(self.states, self.words, plies, 1)
        self._look_at_luck(luck, "step", certain)
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
        self._look_at_payoffs(out[:, : self.setting.players])
        behind = (out[:, self.game.facts.players[1] :] == GUARD).all(axis=1)
        self._expect("overrun", behind, "returns", "writes behind the last seat")

    def _look_at_payoffs(self, payoffs: np.ndarray) -> None:
        n = self.setting.players
        low = -1.0 / max(n - 1, 1)
        inside = (payoffs >= low - TINY) & (payoffs <= 1 + TINY)
        wrong = payoffs[~inside.all(axis=1)][:1].tolist()
        what = f"payoffs of {n} players lie in [{low:g}, 1]: 1 for a sole winner, -1/(n-1) for the others; not {wrong}"
        self._expect("returns", inside.all(axis=1), "returns", what)
        level = np.abs(payoffs.sum(axis=1)) < TINY
        self.report.seen["unequal"] = self.report.seen.get("unequal", 0) + int((~level).sum())
        what = f"payoffs sum to zero, or FACTS must say zero_sum=False; not {payoffs[~level][:1].tolist()}"
        self._expect("returns", level | (not self.game.facts.zero_sum), "returns", what)


def _same(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Row by row, whether two arrays of records are equal to the byte."""
    n = len(a)
    return (a.view(np.uint8).reshape(n, -1) == b.view(np.uint8).reshape(n, -1)).all(axis=1)


def _first_difference(a, b) -> str:
    return next((name for name in a.dtype.names if a[name].tobytes() != b[name].tobytes()), "none")
