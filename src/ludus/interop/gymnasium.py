"""Gymnasium: one learner in one seat, agents of Ludus (or anybody's) in the others.

    import gymnasium, ludus.interop.gymnasium
    env = gymnasium.make("ludus/ConnectFour-v0", opponent="mcts:sims=100")
    envs = gymnasium.make_vec("ludus/ConnectFour-v0", num_envs=4096)       # stepped in compiled code

Gymnasium reads no entry points since its version 1.0: importing this module registers every game, and
``gymnasium.make("ludus.interop.gymnasium:ludus/Pivit-v0")`` does so by itself. A game in a file of yours is
``gymnasium.make("ludus/Game-v0", game="nim.py")``.

An observation has two parts, what the game's `observe` writes and the mask of the slots that are allowed; the mask is
in `info` as well. The reward is 0 until the match is over, then the learner's payoff. A slot that is not allowed loses
the match. A match is terminated by the rules and truncated at the most plies that its game may take.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ludus.arena.hosts import USERS_CLOCK, Clock, Host, Safety, host, resident
from ludus.arena.match import Match
from ludus.catalogue import game_names, load
from ludus.errors import AgentFault, BadInput, MissingPackage, UnknownName
from ludus.game import Game, View
from ludus.interop.lanes import Lanes, Slots
from ludus.interop.raster import pixels

try:
    import gymnasium
    from gymnasium import spaces
    from gymnasium.vector import AutoresetMode
except ImportError:
    raise MissingPackage("ludus.interop.gymnasium", "gymnasium", "gymnasium") from None

RENDER_MODES = ["ansi", "rgb_array", "human"]
Seat = int | None
"""Where the learner sits; None takes every seat in turn."""


def check_mode(mode: str | None, known: Sequence[str]) -> None:
    if mode is not None and mode not in known:
        raise UnknownName("render_mode", mode, known)


class Setting:
    """What `make` was told: the game, its rules, who sits where."""

    def __init__(
        self, game: str, opponent: str | Sequence[str], seat: Seat, players: int, preset: str, rules: Mapping | None
    ):
        self.game: Game = load(game)
        self.values = self.game.rule_values(preset, rules)
        rivals = [opponent] if isinstance(opponent, str) else [*opponent] if isinstance(opponent, Sequence) else []
        if not rivals:
            raise BadInput(f"opponent is an agent by name, or a list of names, not {opponent!r}")
        self.players = players or (1 + len(rivals) if len(rivals) > 1 else self.game.facts.players[0])
        self.game.check_setting(self.players, self.values)
        self.rivals = rivals * (self.players - 1) if len(rivals) == 1 else rivals
        if len(self.rivals) != self.players - 1:
            raise BadInput(f"{self.players} players need {self.players - 1} opponents, or one, not {len(rivals)}")
        self.seat = self.checked_seat(seat)
        self.slots = Slots(self.game, self.players, self.values)

    def checked_seat(self, seat: Any) -> Seat:
        if seat is None:
            return None
        if isinstance(seat, int | np.integer) and 0 <= seat < self.players:
            return int(seat)
        raise BadInput(f"there is no seat {seat}: {self.players} players sit in 0 to {self.players - 1}")

    @property
    def observation_space(self) -> spaces.Dict:
        box = spaces.Box(-1.0, 1.0, (self.slots.features,), np.float32)
        return spaces.Dict({"observation": box, "action_mask": spaces.MultiBinary(self.slots.policy)})

    @property
    def action_space(self) -> spaces.Discrete:
        return spaces.Discrete(self.slots.policy)

    @property
    def lost(self) -> float:
        """The payoff of who loses alone."""
        return -1.0 / max(self.players - 1, 1)


class LudusEnv(gymnasium.Env):
    """One match at a time, with any agents: ours, in a file of yours, or a program behind ``cmd:``."""

    metadata = {"render_modes": RENDER_MODES, "render_fps": 2}  # noqa: RUF012 (as the library has it)

    def __init__(
        self,
        game: str,
        opponent: str | Sequence[str] = "random",
        seat: Seat = None,
        players: int = 0,
        preset: str = "default",
        rules: Mapping[str, object] | None = None,
        seconds: float = 0.0,
        render_mode: str | None = None,
    ):
        """`seconds` is the opponents' time for a move; 0 is 60 for agents of yours, and no limit for ours."""
        check_mode(render_mode, RENDER_MODES)
        self.setting = Setting(game, opponent, seat, players, preset, rules)
        self.observation_space, self.action_space = self.setting.observation_space, self.setting.action_space
        self.render_mode = render_mode
        ours = all(resident(spec, self.setting.game) for spec in self.setting.rivals)
        self._clock = Clock(seconds) if seconds else Clock() if ours else USERS_CLOCK
        self._rivals = [host(one, self.setting.game, safety=Safety(), clock=self._clock) for one in self.setting.rivals]
        for one in self._rivals:
            one.start()
        self.match: Match | None = None
        self.seat = 0
        self._before: View | None = None

    def reset(self, *, seed: int | None = None, options: dict | None = None) -> tuple[dict, dict]:
        """Begin a match. `options` may say {"seat": 1} for this match alone."""
        super().reset(seed=seed)
        setting = self.setting
        wanted = setting.checked_seat((options or {}).get("seat", setting.seat))
        self.seat = int(self.np_random.integers(setting.players)) if wanted is None else wanted
        word = int(self.np_random.integers(1 << 63))
        self.match = Match(setting.game, setting.players, setting.values, seed=word)
        self._used, self._before = [0.0] * setting.players, None
        for one in self._rivals:
            one.begin()
        self._play_on()
        if self.render_mode == "human":
            self.render()
        return self._seen()

    def step(self, action: Any) -> tuple[dict, float, bool, bool, dict]:
        """Play a slot. A match that is over stays as it is, and pays no more."""
        if self.match is None:
            raise BadInput("no match has begun: call reset() first")
        match, was_over = self.match, self.match.over
        self._before = match.view(self.seat)
        own = self.setting.slots.menu(match.states, self.seat).get(int(action))
        if was_over:
            pass
        elif own is None:
            match.forfeit(self.seat, "illegal", f"slot {action} is not allowed now")
        else:
            match.submit(self.seat, own)
            self._play_on()
        if self.render_mode == "human":
            self.render()
        reward = match.returns[self.seat] if match.over and not was_over else 0.0
        truncated = match.outcome in ("limit", "stuck")
        seen, info = self._seen()
        return seen, reward, match.over and not truncated, truncated, info

    def _play_on(self) -> None:
        """Ask the others until the learner owes an action or the match is over."""
        match = self.match
        assert match is not None
        while not match.over and (acting := [player for player in match.acting if player != self.seat]):
            for player in acting:
                self._ask(match, player, self._rivals[(player - self.seat) % match.players - 1])
                if match.over:
                    return

    def _ask(self, match: Match, player: int, rival: Host) -> None:
        try:
            match.submit(player, rival.ask(match.view(player), match.stream(player), self._clock.left(0.0)))
        except AgentFault as fault:
            match.forfeit(player, fault.reason, str(fault))

    def _seen(self) -> tuple[dict, dict]:
        match = self.match
        assert match is not None
        slots = self.setting.slots
        # Where the match is over no answer counts, and a softmax over nothing is no number.
        mask = np.full(slots.policy, match.over, np.int8)
        mask[list(slots.menu(match.states, self.seat))] = 1
        info = {"action_mask": mask, "seat": self.seat, "ply": match.plies}
        if match.over:
            info |= {"outcome": match.outcome, "returns": np.array(match.returns), "text": match.outcome_text()}
        return {"observation": slots.see(match.states, self.seat), "action_mask": mask.copy()}, info

    def render(self) -> Any:
        if self.match is None:
            raise BadInput("no match has begun: call reset() first")
        view = self.match.view(self.seat)
        if self.render_mode == "rgb_array":
            return pixels(view, self._before)
        if self.render_mode == "ansi":
            return view.text
        if self.render_mode == "human":
            print(f"{view.text}\n")
        return None

    def close(self) -> None:
        for one in self._rivals:
            one.close()


class LudusVectorEnv(gymnasium.vector.VectorEnv):
    """Many matches, stepped in compiled code, the other seats by compiled agents of ours.

    Autoreset is as Gymnasium defines it: on the next step (the default) or on the same one, whose `info` then has
    `final_obs` and `final_info`.
    """

    metadata = {"render_modes": ["ansi", "rgb_array"], "autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012

    def __init__(
        self,
        num_envs: int,
        game: str,
        opponent: str | Sequence[str] = "random",
        seat: Seat = None,
        players: int = 0,
        preset: str = "default",
        rules: Mapping[str, object] | None = None,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
    ):
        if num_envs < 1:
            raise BadInput(f"num_envs is at least 1, not {num_envs}")
        check_mode(render_mode, self.metadata["render_modes"])
        setting = self.setting = Setting(game, opponent, seat, players, preset, rules)
        self.num_envs, self.render_mode = num_envs, render_mode
        self.mode = AutoresetMode(autoreset_mode)
        if self.mode is AutoresetMode.DISABLED:
            raise BadInput("matches begin anew by themselves: autoreset_mode is NextStep or SameStep")
        self.metadata = self.metadata | {"autoreset_mode": self.mode}
        self.single_observation_space, self.single_action_space = setting.observation_space, setting.action_space
        self.observation_space = gymnasium.vector.utils.batch_space(self.single_observation_space, num_envs)
        self.action_space = gymnasium.vector.utils.batch_space(self.single_action_space, num_envs)
        self.lanes = Lanes(setting.game, setting.players, setting.values, setting.rivals, num_envs)
        self._done = np.zeros(num_envs, np.bool_)
        self._dealt, self._word = 0, 0

    def reset(self, *, seed: Any = None, options: dict | None = None) -> tuple[dict, dict]:
        """Begin all matches; `options` may hold a `reset_mask` of those that are meant."""
        if isinstance(seed, Sequence):
            raise BadInput("all matches share one seed: give a whole number")
        which = (options or {}).get("reset_mask", np.ones(self.num_envs, np.bool_))
        if seed is not None:
            super().reset(seed=seed)
            self._dealt = 0
        if seed is not None or not self._dealt:
            self._word = int(self.np_random.integers(1 << 63))
        self._deal(np.flatnonzero(which))
        return self._seen()

    def _deal(self, which: np.ndarray) -> None:
        """Every match that is begun has a number of its own, which decides its luck, and the seat where none is set."""
        numbers = np.arange(self._dealt, self._dealt + len(which))
        self._dealt += len(which)
        seat = self.setting.seat
        learners = numbers % self.setting.players if seat is None else np.full(len(which), seat)
        self.lanes.deal(which, self._word, numbers, learners)
        self._done[which] = False

    def step(self, actions: Any) -> tuple[dict, np.ndarray, np.ndarray, np.ndarray, dict]:
        slots = np.where(self._done, -1, np.asarray(actions, np.int64))
        fresh = np.flatnonzero(self._done)
        refused = self.lanes.step(slots) & ~self._done
        over = self.lanes.over
        truncated = self.lanes.too_long & ~refused & ~self._done
        terminated = (over | refused) & ~self._done
        rewards = np.where(terminated & over, self.lanes.payoffs(), 0.0)
        rewards[refused] = self.setting.lost
        if len(fresh):
            self._deal(fresh)
        self._done = terminated | truncated
        extra = self._finish() if self.mode is AutoresetMode.SAME_STEP and self._done.any() else {}
        seen, info = self._seen()
        return seen, rewards, terminated, truncated, info | extra

    def _finish(self) -> dict:
        """The last observations of the matches that are over, which begin anew at once."""
        last, done = self._seen()[0], self._done.copy()
        final = np.full(self.num_envs, None, object)
        for i in np.flatnonzero(done):
            final[i] = {name: part[i] for name, part in last.items()}
        info = {"action_mask": last["action_mask"], "_action_mask": done}
        self._deal(np.flatnonzero(done))
        return {"final_obs": final, "_final_obs": done, "final_info": info, "_final_info": done}

    def _seen(self) -> tuple[dict, dict]:
        features, masks = self.setting.slots.see_many(self.lanes.states, self.lanes.learners)
        return {"observation": features, "action_mask": masks}, {
            "action_mask": masks.copy(), "_action_mask": np.ones(self.num_envs, np.bool_)
        }  # fmt: skip

    def render(self) -> Any:
        """The picture or the text of every match."""
        lanes = self.lanes
        views = (View(lanes.game, lanes.states[i : i + 1], int(lanes.learners[i])) for i in range(self.num_envs))
        return tuple(view.text if self.render_mode == "ansi" else pixels(view) for view in views)


def environment_name(game: str) -> str:
    """connect_four is ConnectFour."""
    return "".join(word.capitalize() for word in game.split("_"))


def register() -> None:
    """Every game as ``ludus/ConnectFour-v0``, and any other as ``ludus/Game-v0`` with ``game="nim.py"``."""
    entries: dict[str, Any] = {
        "entry_point": f"{__name__}:LudusEnv",
        "vector_entry_point": f"{__name__}:LudusVectorEnv",
    }
    gymnasium.register("ludus/Game-v0", **entries)
    for name in game_names():
        gymnasium.register(f"ludus/{environment_name(name)}-v0", **entries, kwargs={"game": name})


register()
