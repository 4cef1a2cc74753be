"""OpenSpiel: a game of Ludus as a game of theirs.

    import pyspiel, ludus.interop.openspiel
    game = pyspiel.load_game("ludus_kuhn_poker")
    game = pyspiel.load_game("ludus_goofspiel(players=3,rules=cards:4;order:random)")
    ludus.interop.openspiel.register("nim.py")                          # ludus_nim

Actions are policy slots; in games where players act at once the last one means to wait. Where chance can be listed,
exactly, its nodes list all outcomes; where it cannot, a node has `SEEDS` outcomes, each a random number for the rules.
A node of chance is there only where the rules draw. An information state is all that its player has seen, in order.
"""

from __future__ import annotations

import functools
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ludus.catalogue import game_names, load
from ludus.errors import BadInput, MissingPackage
from ludus.game import Game, View
from ludus.interop.lanes import Slots
from ludus.interop.outcomes import MOST_SCRIPTS, NoList, outcomes, plain
from ludus.rng import word

try:
    import pyspiel
except ImportError:
    raise MissingPackage("ludus.interop.openspiel", "open_spiel", "openspiel") from None

SEEDS = 1024
"""Outcomes of a chance node that stands for more than can be listed."""
PARAMETERS = {"players": 0, "preset": "default", "rules": ""}


class Rules:
    """A game under some rules, and how its chance is told; all states of a game share it."""

    def __init__(self, source: str, players: int, preset: str, rules: str):
        self.given = source, players, preset, rules
        self.game: Game = load(source)
        changes = dict(item.split(":", 1) for item in filter(None, rules.split(";")))
        self.values = self.game.rule_values(preset, changes)
        self.players = players or self.game.facts.players[0]
        self.game.check_setting(self.players, self.values)
        self.slots = Slots(self.game, self.players, self.values)
        self.seats = self.game.facts.players[1]
        self.secret = self.game.facts.hidden or self.game.facts.secret_actions
        self._setup, self._step = plain(self.game.module.setup), plain(self.game.module.step)
        self.listed = self._can_be_listed()

    def __reduce__(self) -> tuple:
        """States are copied and pickled by the thousand; what they share is found again by what it was made of."""
        return rules_of, self.given

    def _can_be_listed(self) -> bool:
        """Whether the deal can be listed, and every step of a first match."""
        try:
            states, steps = self.deal()[0][0], 0
            while (mask := int(self.game.waiting(states)[0])) and steps < 50:
                joint = np.full(self.seats, -1, np.int32)
                for player in range(self.players):
                    if mask >> player & 1:
                        joint[player] = self.game.menu(states, player)[0]
                states, steps = self.step(states, joint)[0][0], steps + 1
        except NoList:
            return False
        return True

    def deal(self) -> list[tuple[np.ndarray, float]]:
        """The openings with their probabilities."""
        return outcomes(self._setup, self.game.blank(self.players, self.values))

    def step(self, states: np.ndarray, joint: np.ndarray) -> list[tuple[np.ndarray, float]]:
        """What a joint action may lead to. The word of a stream changes if, and only if, something is drawn."""
        words, after = np.array([[word(0)]], np.uint64), states.copy()
        self.game.advance(after, joint.reshape(1, -1), words)
        if int(words[0, 0]) == word(0):
            return [(after, 1.0)]
        return outcomes(lambda state, stream: self._step(state, joint, stream), states)

    def drawn(self, states: np.ndarray | None, joint: np.ndarray, seed: int) -> np.ndarray:
        """The opening, or what follows on a joint action, with one random number for the rules."""
        words = np.array([[word(seed)]], np.uint64)
        if states is None:
            return self.game.start(words, self.players, self.values)
        after = states.copy()
        self.game.advance(after, joint.reshape(1, -1), words)
        return after

    def is_certain(self, states: np.ndarray | None, joint: np.ndarray) -> bool:
        """Whether nothing is drawn."""
        words = np.array([[word(0)]], np.uint64)
        if states is None:
            self.game.start(words, self.players, self.values)
        else:
            self.game.advance(states.copy(), joint.reshape(1, -1), words)
        return int(words[0, 0]) == word(0)


@functools.cache
def rules_of(source: str, players: int, preset: str, rules: str) -> Rules:
    return Rules(source, players, preset, rules)


class LudusGame(pyspiel.Game):
    source = ""

    def __init__(self, params: dict | None = None):
        given = PARAMETERS | dict(params or {})
        self.rules = rules_of(self.source, int(given["players"]), str(given["preset"]), str(given["rules"]))
        game, players = self.rules.game, self.rules.players
        facts, waits = game.facts, int(game.facts.simultaneous)
        info = pyspiel.GameInfo(
            num_distinct_actions=self.rules.slots.policy + waits,
            max_chance_outcomes=(MOST_SCRIPTS if self.rules.listed else SEEDS) if facts.chance else 0,
            num_players=players,
            min_utility=-1.0 / max(players - 1, 1),
            max_utility=1.0,
            utility_sum=0.0 if facts.zero_sum else None,
            max_game_length=facts.max_plies,
        )
        super().__init__(game_type(self.source, game), info, given)

    def new_initial_state(self, *_: object) -> LudusState:
        return LudusState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Observer:
        if params:
            raise BadInput("an observer of Ludus takes no parameters")
        return Observer(self.rules, bool(iig_obs_type and iig_obs_type.perfect_recall))


class LudusState(pyspiel.State):
    def __init__(self, game: LudusGame):
        super().__init__(game)
        self.rules = game.rules
        self.states: np.ndarray | None = None
        self.joint = np.full(self.rules.seats, -1, np.int32)
        self.plies = 0
        self.seen: list[list[str]] = [[] for _ in range(self.rules.players)]
        self.open: list[tuple[np.ndarray, float]] | None = None
        """What chance may do now, where it is listed; an empty list stands for seeds."""
        self._go_on()

    def _go_on(self) -> None:
        """Take a step, or deal, unless something is drawn: then chance is asked first."""
        rules = self.rules
        if rules.is_certain(self.states, self.joint):
            self._arrive(rules.drawn(self.states, self.joint, 0))
        elif not rules.listed:
            self.open = []
        else:
            self.open = rules.deal() if self.states is None else rules.step(self.states, self.joint)
            if len(self.open) == 1:
                self._arrive(self.open[0][0])

    def _arrive(self, states: np.ndarray) -> None:
        self.plies += self.states is not None
        self.states, self.open = states, None
        for player in range(self.rules.players if self.rules.secret else 0):
            self.seen[player].append(self._shown(player))

    def _shown(self, player: int) -> str:
        view = View(self.rules.game, self._position(), player)
        return f"{view.text.replace(chr(10), ' / ')} #{zlib.crc32(view.states.tobytes()):08x}"

    def _position(self) -> np.ndarray:
        if self.states is None:
            raise BadInput("chance has not dealt yet")
        return self.states

    def _mask(self) -> int:
        return int(self.rules.game.waiting(self._position())[0])

    # ------------------------------------------------------------------------------------ what OpenSpiel asks

    def current_player(self) -> int:
        if self.open is not None:
            return pyspiel.PlayerId.CHANCE
        if self.is_terminal():
            return pyspiel.PlayerId.TERMINAL
        mask = self._mask()
        return mask.bit_length() - 1 if mask & (mask - 1) == 0 else pyspiel.PlayerId.SIMULTANEOUS

    def is_terminal(self) -> bool:
        return self.open is None and (self._mask() == 0 or self.plies >= self.rules.game.facts.max_plies)

    def _legal_actions(self, player: int) -> list[int]:
        return sorted(self.rules.slots.menu(self._position(), player)) or [self.rules.slots.policy]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        if not self.open:
            return [(seed, 1 / SEEDS) for seed in range(SEEDS)]
        return [(k, chance) for k, (_, chance) in enumerate(self.open)]

    def _apply_action(self, action: int) -> None:
        if self.open is not None:
            chosen = self.open[action][0] if self.open else self.rules.drawn(self.states, self.joint, 1 + action)
            self._arrive(chosen)
        else:
            self._apply({self.current_player(): action})

    def _apply_actions(self, actions: Sequence[int]) -> None:
        self._apply(dict(enumerate(actions)))

    def _apply(self, slots: dict[int, int]) -> None:
        self.joint = np.full(self.rules.seats, -1, np.int32)
        for player, slot in slots.items():
            menu = self.rules.slots.menu(self._position(), player)
            if menu:
                self.joint[player] = menu[slot]
                if self.rules.secret:
                    self.seen[player].append(f"plays {slot}")
        self._go_on()

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return f"chance {action}"
        menu = self.rules.slots.menu(self._position(), player)
        return self.rules.game.action_text(self._position()[0], player, menu[action]) if action in menu else "wait"

    def returns(self) -> list[float]:
        if not self.is_terminal() or self._mask():
            return [0.0] * self.rules.players
        return self.rules.game.payoffs(self._position())[0, : self.rules.players].tolist()

    def __str__(self) -> str:
        if self.states is None or self.open is not None:
            return "chance"
        return self.rules.game.state_text(self.states[0])


class Observer:
    """What one player sees, as a tensor and as text."""

    def __init__(self, rules: Rules, remembers: bool):
        self.rules, self.remembers = rules, remembers
        self.tensor = np.zeros(rules.slots.features + rules.players, np.float32)
        self.dict = {"observation": self.tensor[: rules.slots.features], "player": self.tensor[rules.slots.features :]}

    def set_from(self, state: LudusState, player: int) -> None:
        self.tensor[:] = 0.0
        if state.states is not None:
            self.dict["observation"][:] = self.rules.slots.see(state.states, player)
        self.dict["player"][player] = 1.0

    def string_from(self, state: LudusState, player: int) -> str:
        if not self.remembers:
            return f"player {player}: {state._shown(player) if state.states is not None else 'chance'}"
        told = state.seen[player] if self.rules.secret else [state.history_str()]
        return f"player {player}: {' | '.join(told)}"


def short_name(source: str) -> str:
    return f"ludus_{Path(source).stem}"


def game_type(source: str, game: Game) -> pyspiel.GameType:
    facts, kinds = game.facts, pyspiel.GameType
    is_secret = facts.hidden or facts.secret_actions
    return kinds(
        short_name=short_name(source),
        long_name=f"{facts.title} (Ludus)",
        dynamics=kinds.Dynamics.SIMULTANEOUS if facts.simultaneous else kinds.Dynamics.SEQUENTIAL,
        chance_mode=kinds.ChanceMode.EXPLICIT_STOCHASTIC if facts.chance else kinds.ChanceMode.DETERMINISTIC,
        information=kinds.Information.IMPERFECT_INFORMATION if is_secret else kinds.Information.PERFECT_INFORMATION,
        utility=kinds.Utility.ZERO_SUM if facts.zero_sum else kinds.Utility.GENERAL_SUM,
        reward_model=kinds.RewardModel.TERMINAL,
        max_num_players=facts.players[1],
        min_num_players=facts.players[0],
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=PARAMETERS,
    )


def register(source: str) -> str:
    """Make a game known to OpenSpiel; the name that it has there."""
    game, name = load(source), short_name(source)
    if name not in pyspiel.registered_names():
        pyspiel.register_game(game_type(source, game), type(name, (LudusGame,), {"source": source}))
    return name


for _name in game_names():
    register(_name)
