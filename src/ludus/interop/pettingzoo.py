"""PettingZoo: every seat is an agent of theirs, ``player_0``, ``player_1``, …

    from ludus.interop import pettingzoo
    env = pettingzoo.env("connect_four", render_mode="ansi")      # AEC: one agent after the other
    env = pettingzoo.parallel_env("goofspiel", players=3)         # Parallel: all at once, for simultaneous games

`observe` shows an agent its own view: what is hidden from it, and what others have committed and not revealed, is not
in it; its seat follows, one number for each, 1 for its own. An agent's `action_mask` is in its `infos`; with
``masks="observation"`` an observation is the dictionary that the library's own board games have, `observation` and
`action_mask`. Rewards, masks and ends are those of `ludus.interop.gymnasium`. In the parallel form one slot more, the
last, means to wait: it is the only one that is allowed to a player who owes no action.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ludus.arena.match import Match
from ludus.catalogue import load
from ludus.errors import BadInput, MissingPackage
from ludus.game import Game, View
from ludus.interop.lanes import Slots
from ludus.interop.raster import pixels

try:
    from gymnasium import spaces
    from gymnasium.utils import seeding
    from pettingzoo import AECEnv, ParallelEnv
    from pettingzoo.utils import parallel_to_aec, wrappers
except ImportError:
    raise MissingPackage("ludus.interop.pettingzoo", "pettingzoo", "pettingzoo") from None

ILLEGAL = ("loses", "replaced")
MASKS = ("info", "observation")
RENDER_MODES = ["ansi", "rgb_array", "human"]


class Table:
    """One match and its seats by name: what both forms have in common."""

    def __init__(
        self,
        game: str | Game,
        players: int = 0,
        preset: str = "default",
        rules: Mapping[str, object] | None = None,
        render_mode: str | None = None,
        max_cycles: int = 0,
        illegal: str = "loses",
        masks: str = "info",
        waits: bool = False,
    ):
        """`max_cycles` cuts a match short after so many actions of each agent; `illegal` says what becomes of a slot
        that is not allowed: its player loses, or it is replaced by one that is, drawn at random."""
        self.game = load(game)
        self.values = self.game.rule_values(preset, rules)
        self.players = players or self.game.facts.players[0]
        self.game.check_setting(self.players, self.values)
        shown = render_mode or RENDER_MODES[0]
        for name, value, known in (
            ("illegal", illegal, ILLEGAL), ("masks", masks, MASKS), ("render_mode", shown, RENDER_MODES),
        ):  # fmt: skip
            if value not in known:
                raise BadInput(f"{name} is one of {', '.join(known)}, not {value!r}")
        self.slots = Slots(self.game, self.players, self.values)
        self.names = [f"player_{seat}" for seat in range(self.players)]
        self.width = self.slots.policy + waits
        self.waits, self.illegal, self.render_mode, self.max_cycles = waits, illegal, render_mode, max_cycles
        self.masks = masks
        self.sees = {name: self._space() for name in self.names}
        self.acts = {name: spaces.Discrete(self.width) for name in self.names}
        self._random = seeding.np_random(None)[0]

    def _space(self) -> spaces.Space:
        box = spaces.Box(-1.0, 1.0, (self.slots.features + self.players,), np.float32)
        mask = spaces.Box(0, 1, (self.width,), np.int8)
        return box if self.masks == "info" else spaces.Dict({"observation": box, "action_mask": mask})

    def begin(self, seed: int | None) -> Match:
        if seed is not None:
            self._random = seeding.np_random(seed)[0]
        word = int(self._random.integers(1 << 63))
        self.match = Match(self.game, self.players, self.values, seed=word)
        return self.match

    def seat(self, name: str) -> int:
        if name not in self.names:
            raise BadInput(f"no agent is called {name!r}; there are {', '.join(self.names)}")
        return self.names.index(name)

    def observe(self, name: str) -> Any:
        """What a seat may know; where masks are part of it, also which slots it may answer with now."""
        seat = self.seat(name)
        own = np.arange(self.players) == seat
        seen = np.concatenate([self.slots.see(self.match.states, seat), own.astype(np.float32)])
        return seen if self.masks == "info" else {"observation": seen, "action_mask": self.mask(name)}

    def mask(self, name: str) -> np.ndarray:
        mask = np.zeros(self.width, np.int8)
        mask[list(self.slots.menu(self.match.states, self.seat(name)))] = 1
        if self.match.over:
            mask[:] = 1  # no answer counts any more
        elif self.waits and not mask.any():
            mask[-1] = 1
        return mask

    def infos(self) -> dict[str, dict]:
        return {name: {"action_mask": self.mask(name)} for name in self.names}

    def play(self, name: str, slot: int) -> None:
        """A player's answer; the step is taken when all are in."""
        seat = self.seat(name)
        menu = self.slots.menu(self.match.states, seat)
        if slot not in menu and self.illegal == "replaced":
            slot = int(self._random.choice(list(menu)))
        if slot in menu:
            self.match.submit(seat, menu[slot])
        else:
            self.match.forfeit(seat, "illegal", f"slot {slot} is not allowed now")

    @property
    def cut(self) -> bool:
        return self.match.outcome in ("limit", "stuck")

    def rewards(self) -> dict[str, float]:
        return dict(zip(self.names, self.match.returns if self.match.over else [0.0] * self.players))

    def picture(self) -> Any:
        """What everybody may see."""
        view = View.public(self.game, self.match.states)
        if self.render_mode == "rgb_array":
            return pixels(view)
        if self.render_mode == "human":
            print(f"{view.text}\n")
        return view.text if self.render_mode == "ansi" else None


class LudusAEC(AECEnv):
    """One agent after the other, as the rules ask them."""

    metadata = {"render_modes": RENDER_MODES, "name": "ludus", "is_parallelizable": False}  # noqa: RUF012

    def __init__(self, game: str | Game, render_mode: str | None = None, **options: Any):
        super().__init__()
        self.table = Table(game, render_mode=render_mode, **options)
        self.metadata = self.metadata | {"name": f"ludus_{self.table.game.name}_v0"}
        self.render_mode = render_mode
        self.possible_agents = list(self.table.names)

    def observation_space(self, agent: str) -> spaces.Space:
        return self.table.sees[self.possible_agents[self.table.seat(agent)]]

    def action_space(self, agent: str) -> spaces.Space:
        return self.table.acts[self.possible_agents[self.table.seat(agent)]]

    def reset(self, seed: int | None = None, options: dict | None = None) -> None:
        self.table.begin(seed)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = self.table.infos()
        self._acted = dict.fromkeys(self.agents, 0)
        self._next()

    def _next(self) -> None:
        acting = self.table.match.acting
        self.agent_selection = self.possible_agents[acting[0] if acting else 0]

    def observe(self, agent: str) -> Any:
        return self.table.observe(agent)

    def step(self, action: int | None) -> None:
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self.table.play(agent, -1 if action is None else int(action))
        self._acted[agent] += 1
        self.rewards, self.infos = self.table.rewards(), self.table.infos()
        self._next()
        limit = self.table.max_cycles
        short = not self.table.match.over and 0 < limit <= self._acted[self.agent_selection]
        if self.table.match.over or short:
            ended = not (self.table.cut or short)
            self.terminations = dict.fromkeys(self.agents, ended)
            self.truncations = dict.fromkeys(self.agents, not ended)
            self.agent_selection = self.agents[0]
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def render(self) -> Any:
        return self.table.picture()

    def close(self) -> None:
        """Nothing is held."""


class LudusParallel(ParallelEnv):
    """All agents at once; who owes no action waits."""

    metadata = {"render_modes": RENDER_MODES, "name": "ludus"}  # noqa: RUF012

    def __init__(self, game: str | Game, render_mode: str | None = None, **options: Any):
        self.table = Table(game, render_mode=render_mode, waits=True, **options)
        self.metadata = self.metadata | {"name": f"ludus_{self.table.game.name}_v0"}
        self.render_mode = render_mode
        self.possible_agents = list(self.table.names)
        self.agents: list[str] = []

    def observation_space(self, agent: str) -> spaces.Space:
        return self.table.sees[self.possible_agents[self.table.seat(agent)]]

    def action_space(self, agent: str) -> spaces.Space:
        return self.table.acts[self.possible_agents[self.table.seat(agent)]]

    def reset(self, seed: int | None = None, options: dict | None = None) -> tuple[dict, dict]:
        self.table.begin(seed)
        self.agents = list(self.possible_agents)
        return self._seen(), self.table.infos()

    def _seen(self) -> dict[str, Any]:
        return {name: self.table.observe(name) for name in self.agents}

    def step(self, actions: dict[str, int]) -> tuple[dict, dict, dict, dict, dict]:
        """One joint step; the answers of those who owe none do not count."""
        match = self.table.match
        for seat in match.acting:
            if not match.over:
                self.table.play(self.possible_agents[seat], int(actions[self.possible_agents[seat]]))
        over = match.over
        short = not over and 0 < self.table.max_cycles <= match.plies
        cut = self.table.cut or short
        seen, agents = self._seen(), self.agents
        self.agents = [] if over or cut else agents
        if self.render_mode == "human":
            self.render()
        ended, short = dict.fromkeys(agents, over and not cut), dict.fromkeys(agents, cut)
        return seen, self.table.rewards(), ended, short, self.table.infos()

    def render(self) -> Any:
        return self.table.picture()

    def close(self) -> None:
        """Nothing is held."""


def raw_env(game: str | Game, **options: Any) -> AECEnv:
    """AEC, without wrappers."""
    if load(game).facts.simultaneous:
        return parallel_to_aec(LudusParallel(game, **options))
    return LudusAEC(game, **options)


def env(game: str | Game, **options: Any) -> AECEnv:
    """AEC: one agent after the other. Of a simultaneous game it asks all in turn and reveals nothing in between."""
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(raw_env(game, **options)))


def parallel_env(game: str | Game, **options: Any) -> ParallelEnv:
    """Parallel: all agents at once."""
    loaded = load(game)
    if not loaded.facts.simultaneous:
        raise BadInput(f"{loaded.name} is played in turns: env(…) is its form")
    return LudusParallel(loaded, **options)
