"""The champion of Gravwell: determinised search with a learnt end of round.

For every decision it imagines worlds that agree with what its seat has seen, lets the rivals answer as noisy trees do,
and tries each of its own actions in the same world with the same luck. A try is played on to the end of the round,
where a small net says how likely a win is from there: later rounds are mostly luck, and playing them out would drown
the little that this decision changes. Half of the actions are dropped again and again, so that most tries go to those
that are hard to tell apart. Between the last two *regret matching* decides: what is played is the average strategy
over the worlds, so close decisions are mixed and cannot be foreseen. Draft, card and emergency stop are all decided
this way.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ludus.agent import Agent, Thoughts
from ludus.agents.gravwell.trees import INTENDED, tree_action
from ludus.compile import rule, template
from ludus.game import View
from ludus.games._gravwell_text import REARMOST, SYMBOLS
from ludus.kernels import any_place
from ludus.rng import draw, uniform
from ludus.rules import MAX_ACTIONS, SEATS, determinize, legal, record, step, to_act
from ludus.settings import setting

# ------------------------------------------------------------------------------------------------ the end of a round

INPUTS, HIDDEN = 8, 12
GATE, ROUNDS = 54, 6  # what the net was trained for

# Printed by bench/gravwell_leaf.py: a row of weights for each input, biases, weights of the output, its bias.
TABLE = """
    1.163 0.593 -0.352 0.300 1.358 -0.715 1.423 0.061 -0.945 -0.175 -1.109 1.420
    -0.084 1.740 -0.368 0.511 0.747 -0.873 0.798 -0.048 0.106 0.202 -0.225 0.011
    1.360 -0.353 0.362 0.597 1.219 -0.642 0.129 0.799 0.442 0.288 0.510 1.480
    0.005 -0.428 -0.309 0.502 0.617 0.190 0.095 0.014 0.132 -0.200 -0.316 0.057
    0.545 -0.232 0.656 0.010 -0.654 -0.120 0.016 0.365 0.474 0.565 -0.039 0.220
    -0.192 1.283 1.387 0.558 -0.767 0.831 0.156 0.278 0.732 0.310 0.027 -0.379
    0.101 -0.003 0.362 -0.326 -0.126 -0.022 -0.032 0.132 0.040 0.379 0.010 -0.056
    -0.008 -0.868 0.335 -0.083 -0.682 0.114 -0.109 0.370 -0.303 0.649 0.369 -0.113
    -0.733 0.268 0.449 0.701 -0.570 0.835 -1.080 0.957 1.048 0.231 0.774 -1.233
    -0.253 -0.199 0.408 -0.108 -0.489 -0.515 -1.115 -0.643 0.435 -0.277 -0.318 -2.504
    0.173
"""
NET = np.array(TABLE.split(), float)
INTO = NET[: INPUTS * HIDDEN].reshape(INPUTS, HIDDEN)
BIAS, OUT, LAST = NET[INPUTS * HIDDEN : -1 - HIDDEN], NET[-1 - HIDDEN : -1], NET[-1]


@rule
def describe(state, player, out):
    """The start of a round as the net sees it: the own tile, the rivals' from the first to the last, the hulks', the
    rounds to come and the number of players. Whoever is not there counts as lying in the Singularity."""
    n, own = state.players, state.tile[player]
    out[:] = 0.0
    for rival in range(n):
        if rival != player:
            place = 1
            for other in range(n):
                ahead = state.tile[other] - state.tile[rival]
                if other != player and (ahead > 0 or (ahead == 0 and other < rival)):
                    place += 1
            out[place] = state.tile[rival]
    for hulk in range(n, state.ships):
        out[4 + hulk - n] = state.tile[hulk]
    for k in range(1, 6):
        out[k] = (out[k] - own) / 27
    out[0] = own / GATE
    out[6] = (state.params.rounds - state.round_no) / 3 - 1
    out[7] = n - 3


@rule
def chance_to_win(state, player, inputs):
    """How likely the player wins from the start of a round, among noisy trees."""
    describe(state, player, inputs)
    total = LAST
    for h in range(HIDDEN):
        signal = BIAS[h]
        for k in range(INPUTS):
            signal += inputs[k] * INTO[k, h]
        total += max(signal, 0.0) * OUT[h]
    return 1.0 / (1.0 + np.exp(-total))


@rule
def is_charted(params):
    """Whether the net speaks about these rules; under others a try is played to the end of the match."""
    return params.gate == GATE and params.rounds <= ROUNDS and params.limit_winner != REARMOST


# ------------------------------------------------------------------------------------------------ trying an action

CANDIDATE = record(
    action=np.int32, worlds=np.int32, total=np.float64, gain=np.float64,
    regret=np.float64, now=np.float64, weight=np.float64,
)  # fmt: skip
# gain is the chance to win in the world at hand, total its sum over worlds; now is the strategy of regret matching,
# weight its average, not normed

WORLD, TRY = 0, 1  # rows of the scratch states


@template
def noisy_answer(state, player, noise, menu, rng):
    """What the intended tree would do, or, as often as `noise` says, anything."""
    if uniform(rng) < noise:
        return menu[any_place(legal(state, player, menu), rng)]
    return tree_action(state, player, INTENDED, INTENDED, INTENDED, rng)


@template
def play_round(state, player, noise, own_noise, menu, actions, inputs, rng):
    """Play on to the end of the round; the player's chance to win."""
    this_round = state.round_no if is_charted(state.params) else -1
    mask = to_act(state)
    while mask != 0:
        if state.round_no > this_round >= 0:
            return chance_to_win(state, player, inputs)
        for seat in range(SEATS):
            actions[seat] = -1
            if mask >> seat & 1:
                actions[seat] = noisy_answer(state, seat, own_noise if seat == player else noise, menu, rng)
        step(state, actions, rng)
        mask = to_act(state)
    return 1.0 if state.winner == 1 + player else 0.0


@template
def imagine(world, player, noise, menu, actions, rng):
    """Guess what is hidden, and what the rivals answer."""
    determinize(world, player, rng)
    mask = to_act(world)
    for seat in range(SEATS):
        actions[seat] = -1
        if seat != player and mask >> seat & 1:
            actions[seat] = noisy_answer(world, seat, noise, menu, rng)


# ------------------------------------------------------------------------------------------------ choosing


@rule
def match_regrets(candidates, m):
    """The strategy now: in proportion to regrets that are positive."""
    total = 0.0
    for k in range(m):
        total += max(candidates[k].regret, 0.0)
    for k in range(m):
        candidates[k].now = max(candidates[k].regret, 0.0) / total if total > 0.0 else 1.0 / m


@rule
def learn_from_world(candidates, m, age):
    """Regret what would have won more; later worlds, when the strategy is better, weigh more in the average."""
    match_regrets(candidates, m)
    expected = 0.0
    for k in range(m):
        expected += candidates[k].now * candidates[k].gain
    for k in range(m):
        one = candidates[k]
        one.total += one.gain
        one.worlds += 1
        one.regret += one.gain - expected
        one.weight += one.now * age


@rule
def drop_half(candidates, m):
    """Bring the better half to the front and forget averages; how many are left, at least two."""
    left = max(2, (m + 1) // 2)
    for k in range(left):
        best = k
        for other in range(k + 1, m):
            if candidates[other].total > candidates[best].total:
                best = other
        held = candidates[k].action, candidates[k].total, candidates[k].regret
        one, better = candidates[k], candidates[best]
        one.action, one.total, one.regret = better.action, better.total, better.regret
        better.action, better.total, better.regret = held
    for k in range(m):
        candidates[k].weight = 0.0
    return left


@rule
def stages(n):
    """How often `drop_half` can be followed by another look."""
    found = 1
    while n > 2:
        n = max(2, (n + 1) // 2)
        found += 1
    return found


@template
def think(views, index, player, rng, worlds, noise, own_noise, scratch, candidates):
    """Weigh all actions of one view; their number. The weights of the first candidates are the mixed strategy."""
    menu, actions, joint = np.empty(MAX_ACTIONS, np.int32), np.empty(SEATS, np.int32), np.empty(SEATS, np.int32)
    inputs, luck = np.empty(INPUTS), np.empty(1, np.uint64)
    n = legal(views[index], player, menu)
    for k in range(n):
        one = candidates[k]
        one.action = menu[k]
        one.worlds = 0
        one.total = one.gain = one.regret = one.now = one.weight = 0.0
    if n == 1:
        candidates[0].weight = 1.0
        return n
    m, rounds = n, stages(n)
    for stage in range(rounds):
        if stage > 0:
            m = drop_half(candidates, m)
        # Every stage makes as many tries as the others, so few candidates see many worlds.
        for age in range(max(1, worlds * n // (rounds * m))):
            scratch[WORLD] = views[index]
            imagine(scratch[WORLD], player, noise, menu, joint, rng)
            seed = draw(rng)
            for k in range(m):
                scratch[TRY] = scratch[WORLD]
                luck[0] = seed
                joint[player] = candidates[k].action
                step(scratch[TRY], joint, luck)
                candidates[k].gain = play_round(scratch[TRY], player, noise, own_noise, menu, actions, inputs, luck)
            learn_from_world(candidates, m, age + 1)
    return n


@template
def draw_action(candidates, n, rng):
    """An action by the weights; nothing is drawn if only one has any."""
    total, likely = 0.0, 0
    for k in range(n):
        total += candidates[k].weight
        if candidates[k].weight > candidates[likely].weight:
            likely = k
    if candidates[likely].weight == total:
        return candidates[likely].action
    left = uniform(rng) * total
    for k in range(n):
        left -= candidates[k].weight
        if left < 0.0:
            return candidates[k].action
    return candidates[likely].action


@template
def choose_all(views, players, words, worlds, noise, own_noise, scratch, candidates, out):
    for i in range(views.shape[0]):
        n = think(views, i, players[i], words[i], worlds, noise, own_noise, scratch, candidates)
        out[i] = draw_action(candidates, n, words[i])


@dataclass
class Champion(Agent):
    """Determinised search with regret matching; rivals are taken for noisy trees."""

    name: ClassVar[str] = "champion"
    compiled: ClassVar[bool] = True
    only_for: ClassVar[str] = "gravwell"

    worlds: int = setting(100, "worlds in which an action is tried, on average", low=1)
    noise: float = setting(0.25, "how often rivals are expected to do anything instead of what the tree would", low=0)
    own_noise: float = setting(0.1, "the same of its own later answers", low=0)

    def act_many(self, views: np.ndarray, players: np.ndarray, words: np.ndarray) -> np.ndarray:
        return self._choose(views, players, words)[0]

    def _choose(self, views: np.ndarray, players: np.ndarray, words: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The answers, and the candidates of the last view."""
        out = np.empty(len(views), np.int32)
        scratch = np.zeros(2, self.game.state_type)
        candidates = np.zeros(self.game.facts.max_actions, CANDIDATE)
        choose = self.game.kernel(choose_all)
        choose(views, players, words, self.worlds, self.noise, self.own_noise, scratch, candidates, out)
        return out, candidates

    def act(self, view: View, rng: np.ndarray) -> int:
        chosen, candidates = self._choose(view.states, np.array([view.player]), rng.reshape(1, -1))
        self.thoughts = _thoughts(candidates[: len(view.legal)], int(view.state.players))
        return int(chosen[0])


def _thoughts(candidates: np.ndarray, players: int) -> Thoughts:
    """Actions by the probability to be played, with the return that the tries let expect."""
    if len(candidates) == 1:
        return Thoughts(0.0, candidates["action"].tolist(), [0.0], [0], note="forced")
    chances = candidates["total"] / candidates["worlds"]
    values = chances - (1 - chances) / (players - 1)
    shares = candidates["weight"] / candidates["weight"].sum()
    order = np.lexsort((-values, -candidates["worlds"], -shares))
    likely = [f"{_word(int(candidates['action'][k]))} {shares[k]:.0%}" for k in order if shares[k] > 0]
    return Thoughts(
        float(shares @ values),
        candidates["action"][order].tolist(),
        values[order].tolist(),
        candidates["worlds"][order].tolist(),
        note=f"plays {', '.join(likely)}",
    )


def _word(action: int) -> str:
    return [*SYMBOLS, *SYMBOLS, "go", "stop"][action]
