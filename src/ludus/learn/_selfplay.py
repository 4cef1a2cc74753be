"""Self-play on a processor: many matches in lock-step, every move by a search whose leaves a network judges.

At each step everybody who owes an action searches, all trees together, and all matches move on. What was searched waits
until its match is over; then it becomes samples, each turned by a symmetry of the board that is drawn for it.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ludus import kernels
from ludus.compile import inlined, template
from ludus.game import Game
from ludus.nets.play import Evaluator
from ludus.rng import match_words
from ludus.rules import hide, observe, policy_slot, reflect, reflect_action, to_act
from ludus.search.forest import Forest, Roots
from ludus.search.forest.memory import PLAYOUTS
from ludus.search.forest.roots import SMALLEST

WIDTH = 256
"""Actions of a menu that a sample can hold; of longer ones those that were tried most."""
COLDEST = 0.2  # below this temperature the best action is played


class Samples(NamedTuple):
    """Positions of finished matches, one row for each search that was made."""

    features: np.ndarray  # int8[n, …]: as `kernels.byte_features` writes them
    slots: np.ndarray  # int16[n, WIDTH at most]: the policy slots of the menu, then -1
    targets: np.ndarray  # float32[n, …]: what the policy should be there; sums to 1
    values: np.ndarray  # float32[n, SEATS]: returns, the viewer's first and then in the order of the seats
    worths: np.ndarray  # float32[n, SEATS]: what searches expected, this one and those after it; see `recall`
    weights: np.ndarray  # float32[n]: 1 where the policy target counts, 0 after a fast search


@dataclass
class PlaySettings:
    """How matches are played to learn from."""

    matches: int = 256
    sims: int = 64
    fast_sims: int = 0
    fast_share: float = 0.0
    """Of the searches are fast, and without noise: they move the match on, and only its outcome is learnt from."""
    c: float = 1.5
    noise: float = 0.25
    """The share of Dirichlet noise in the priors of a root."""
    temperature: float = 1.0
    """Moves are drawn by target ^ (1 / temperature) …"""
    half_life: float = 8.0
    """… which halves in so many plies; 0: it stays."""
    openings: int = 0
    scattered: float = 0.5
    """This share of the matches begins with random plies, up to `openings`."""
    resign: float = 0.0
    """Give up after two searches that expect less than minus this; 0: never."""
    play_on: float = 0.1
    """The share of matches in which nobody may give up: they show how often one would have been wrong to."""
    gumbel: int = 0
    """With few simulations: the root chooses by halving among so many actions, and there is no other noise; 0: not."""
    keep: bool = True
    """Trees are kept between moves, where the search can."""
    mix: float = 0.0
    """With secrets or where players act at once: the size of a step towards better actions; 0: as everywhere."""
    hindsight: float = 0.0
    """The share of what came later in what a search is taken to have expected; 0: what it did expect."""
    playouts: float = 0.0
    """The share of one random play-out in what a leaf is worth."""
    cache: int = 0
    """Evaluations that each worker remembers, a power of two; 0: none."""


class Searched(NamedTuple):
    """Searches whose matches go on; the first axis of every array."""

    serials: np.ndarray  # int64: of the match
    views: np.ndarray
    players: np.ndarray
    counts: np.ndarray
    actions: np.ndarray
    targets: np.ndarray
    worths: np.ndarray
    weights: np.ndarray


@template
def ask(states, views, matches, players):
    """The view of everybody who owes an action; how many they are."""
    n = 0
    for match in range(states.shape[0]):
        mask = to_act(states[match])
        for player in range(states[match].players):
            if mask >> player & 1:
                views[n] = states[match]
                hide(views[n], player)
                matches[n], players[n] = match, player
                n += 1
    return n


@template
def show(views, players, symmetries, counts, actions, row, features, slots):
    """Turn each view, in place; its features as bytes and the policy slots of its actions."""
    for i in range(views.shape[0]):
        for k in range(counts[i]):
            if symmetries[i] > 0:
                actions[i, k] = reflect_action(views[i], symmetries[i], actions[i, k])
        if symmetries[i] > 0:
            reflect(views[i], symmetries[i])
        observe(views[i], players[i], row)
        for k in range(features.shape[1]):
            features[i, k] = np.int8(np.rint(min(max(row[k], np.float32(-1.0)), np.float32(1.0)) * np.float32(127.0)))
        for k in range(counts[i]):
            slots[i, k] = policy_slot(views[i], players[i], actions[i, k])


@inlined
def recall(hopes, viewer, worth, share, players, out):
    """Back from the end of a match, whose payoffs `hopes` begins with: each search moves the hopes of its viewer by a
    share towards what it expected. With small shares luck averages out, and yet what happened is heard of."""
    hopes[viewer] += share * (worth - hopes[viewer])
    for seat in range(players):
        out[seat] = hopes[(viewer + seat) % players]


@template
def look_back(matches, viewers, worths, share, players, hopes, out):
    """`recall` for searches of many matches, each in the order of its plies; `hopes` holds the payoffs of each."""
    for i in range(len(matches) - 1, -1, -1):
        recall(hopes[matches[i]], viewers[i], worths[i], share, players, out[i])


class SelfPlay:
    """Matches of one worker; they go on from call to call."""

    def __init__(
        self, game: Game, players: int, values: Mapping[str, object], settings: PlaySettings, evaluator: Evaluator,
        seed: int,
    ):  # fmt: skip
        self.game, self.players, self.values, self.settings, self.evaluator = game, players, values, settings, evaluator
        self.seed, self.rng = seed, np.random.default_rng(seed)
        self.length = game.shapes(players, values)[0].length
        count, seats = settings.matches, game.facts.players[1]
        self.states, self.words = np.zeros(count, game.state_type), np.zeros((count, 1 + players), np.uint64)
        self.serials, self.plies, self.blind = (np.zeros(count, np.int64) for _ in range(3))
        self.hopeless = np.zeros((count, seats), np.int64)
        """How many searches of each player running have expected to lose; from 2 on it would give up."""
        self.plays_on, self.is_open = np.zeros(count, np.bool_), np.ones(count, np.bool_)
        """Where nobody may give up; and where a match goes on, which is everywhere until no new ones are begun."""
        self.begun = 0
        self.searched: list[Searched] = []
        self.outcomes: dict[int, np.ndarray] = {}
        trees = count * (players if game.facts.simultaneous else 1)
        self.forest = Forest(
            game, trees, settings.sims, c=settings.c, noise=settings.noise, gumbel=settings.gumbel, keep=settings.keep,
            cache=settings.cache, mix=settings.mix, playouts=settings.playouts,
        )  # fmt: skip
        self._begin(np.arange(count))

    def refill(self, evaluator: Evaluator) -> None:
        """Another network plays on."""
        self.evaluator = evaluator
        self.forest.forget()
        self.forest.trees.knobs[PLAYOUTS] = self.settings.playouts

    def close(self) -> None:
        """No more matches are wanted."""

    def run(self, seconds: float = np.inf, plies: float = np.inf) -> tuple[Samples, Counter[str]]:
        """Play for so long, or until matches of so many plies have ended."""
        started, tally = time.perf_counter(), Counter()
        self._move(tally)
        while time.perf_counter() - started < seconds and tally["plies"] < plies:
            self._move(tally)
        return self._harvest(), tally

    def play_out(self) -> tuple[Samples, Counter[str]]:
        """Play the matches that have begun to their end, and no others."""
        tally = Counter()
        while self.is_open.any():
            self._move(tally, is_last=True)
        return self._harvest(), tally

    # -------------------------------------------------------------------------------------------- a step

    def _begin(self, which: np.ndarray) -> None:
        """New matches in the places of old ones."""
        settings, count = self.settings, len(which)
        self.serials[which] = self.begun + np.arange(count)
        self.begun += count
        self.words[which] = match_words(self.seed, self.serials[which], 0, self.players)
        self.states[which] = self.game.start(self.words[which], self.players, self.values)
        self.plies[which] = 0
        random_plies = self.rng.integers(0, settings.openings + 1, count)
        self.blind[which] = np.where(self.rng.random(count) < settings.scattered, random_plies, 0)
        self.hopeless[which] = 0
        self.plays_on[which] = self.rng.random(count) < settings.play_on

    def _move(self, tally: Counter[str], is_last: bool = False) -> None:
        game, room = self.game, len(self.states) * self.players
        views = np.empty(room, game.state_type)
        matches, players = np.empty(room, np.int64), np.empty(room, np.int64)
        n = game.kernel(ask)(self.states, views, matches, players)
        rows = np.flatnonzero(self.is_open[matches[:n]])
        views, matches, players, n = views[rows], matches[rows], players[rows], len(rows)
        is_fast = self.rng.random(n) < self.settings.fast_share
        is_blind = self.plies[matches] < self.blind[matches]
        trees = matches * self.players + players if game.facts.simultaneous else matches
        roots = self._search(views, matches, players, trees, is_fast, is_blind, tally)
        chosen = self._choose(roots, matches, is_blind)
        self._keep(roots, views, matches, players, is_fast, is_blind)
        actions = np.full((len(self.states), game.facts.players[1]), -1, np.int32)
        actions[matches, players] = roots.actions[np.arange(n), chosen]
        going = np.flatnonzero(self.is_open)
        states, words = self.states[going], self.words[going]
        game.advance(states, actions[going], words)
        self.states[going], self.words[going] = states, words
        self.plies += 1
        over = self._finish(tally)
        if is_last:
            self.is_open[over] = False
        elif len(over):
            self._begin(over)

    def _search(self, views, matches, players, trees, is_fast, is_blind, tally) -> Roots:
        """The roots of all who search, a row each; who plays blindly only lists its menu."""
        settings = self.settings
        sims = np.where(is_blind, 0, np.where(is_fast, settings.fast_sims, settings.sims))
        words = self.rng.integers(1, 1 << 63, (len(views), 1)).astype(np.uint64)
        knows = self.settings.mix > 0  # over many matches the truth is as likely as its view makes it
        roots = self.states[matches] if knows else views
        self.forest.plant(roots, players, words, which=trees, sims=sims, quiet=is_fast, knows=knows)
        while judged := self.evaluator.search(self.forest):
            tally["evaluations"] += judged
        tally["simulations"] += int(sims.sum())
        roots = Roots(*(part[trees] for part in self.forest.roots()))
        menus, counts = np.empty((len(views), self.game.facts.max_actions), np.int32), np.empty(len(views), np.int64)
        self.game.kernel(kernels.menus)(views, players, menus, counts)
        forced = roots.counts == 0
        roots.actions[forced] = menus[forced]
        return roots

    def _choose(self, roots: Roots, matches: np.ndarray, is_blind: np.ndarray) -> np.ndarray:
        """Where on its menu each action stands: drawn by the targets at first, later the best."""
        settings, rows = self.settings, np.arange(len(matches))
        heat = settings.temperature * (0.5 ** (self.plies[matches] / settings.half_life) if settings.half_life else 1.0)
        heat = np.broadcast_to(heat, rows.shape)
        weights = roots.targets.astype(np.float64) ** (1 / np.maximum(heat, COLDEST))[:, None]
        weights[is_blind] = np.arange(weights.shape[1]) < roots.counts[is_blind, None]
        marks = weights.sum(axis=1) * self.rng.random(len(rows))
        drawn = (weights.cumsum(axis=1) > marks[:, None]).argmax(axis=1)
        return np.where((heat >= COLDEST) | is_blind, drawn, roots.best)

    def _keep(self, roots, views, matches, players, is_fast, is_blind) -> None:
        """What was searched, to learn from; and who has given up hope."""
        rows, targets = np.flatnonzero((roots.counts > 1) & ~is_blind), roots.targets
        if self.settings.mix:  # what the search adds to the prior, whatever that will be when it is learnt from
            targets = targets / np.maximum(roots.priors, SMALLEST)
        self.searched.append(Searched(
            self.serials[matches[rows]], views[rows].copy(), players[rows], roots.counts[rows], roots.actions[rows],
            targets[rows], roots.values[rows], (~is_fast[rows]).astype(np.float32),
        ))  # fmt: skip
        if self.settings.resign:
            dark = roots.values[rows] < -self.settings.resign
            at = matches[rows], players[rows]
            self.hopeless[at] = np.where(dark | (self.hopeless[at] >= 2), self.hopeless[at] + 1, 0)

    def _finish(self, tally: Counter[str]) -> np.ndarray:
        """Note how matches ended; which these are."""
        gave_up = (self.hopeless >= 2).any(axis=1) & ~self.plays_on
        ended = self.game.waiting(self.states) == 0
        over = np.flatnonzero(self.is_open & (ended | gave_up | (self.plies >= self.game.facts.max_plies)))
        if not len(over):
            return over
        payoffs = np.where(ended[over, None], self.game.payoffs(self.states[over]), 0.0)
        quitters = self.hopeless[over, : self.players] >= 2
        resigned = gave_up[over] & ~ended[over]
        payoffs[resigned, : self.players] = np.where(quitters[resigned], -1.0, 1.0)
        for serial, row in zip(self.serials[over].tolist(), payoffs):
            self.outcomes[serial] = row
        checked = quitters.any(axis=1) & self.plays_on[over] & ended[over]
        wrong = checked & (np.where(quitters, payoffs[:, : self.players], -1.0).max(axis=1) > -1)
        tally.update(matches=len(over), plies=int(self.plies[over].sum()))
        tally.update(resigned=int(resigned.sum()), checked=int(checked.sum()), wrong=int(wrong.sum()))
        return over

    # -------------------------------------------------------------------------------------------- samples

    def _harvest(self) -> Samples:
        """The searches of matches that are over."""
        searched = Searched(*(np.concatenate(parts) for parts in zip(*self.searched)))
        is_over = np.isin(searched.serials, list(self.outcomes))
        self.searched = [Searched(*(part[~is_over] for part in searched))]
        found = Searched(*(part[is_over] for part in searched))
        payoffs = np.array([self.outcomes[serial] for serial in found.serials.tolist()], np.float32)
        self.outcomes = {}
        return self._samples(found, payoffs.reshape(len(found.serials), self.game.facts.players[1]))

    def _samples(self, found: Searched, payoffs: np.ndarray) -> Samples:
        game, n, width = self.game, len(found.serials), min(self.game.facts.max_actions, WIDTH)
        actions, targets = found.actions, found.targets
        if game.facts.max_actions > WIDTH:
            most = np.argsort(-targets, axis=1, kind="stable")[:, :width]
            actions, targets = (np.take_along_axis(part, most, axis=1) for part in (actions, targets))
        counts = np.minimum(found.counts, width)
        features, slots = np.zeros((n, self.length), np.int8), np.full((n, width), -1, np.int16)
        symmetries = self.rng.integers(game.names["SYMMETRIES"], size=n)
        row = np.zeros(game.features.length, np.float32)
        game.kernel(show)(found.views, found.players, symmetries, counts, actions, row, features, slots)
        seats = (found.players[:, None] + np.arange(self.players)) % self.players
        values = np.zeros((n, game.facts.players[1]), np.float32)
        values[:, : self.players] = np.take_along_axis(payoffs, seats, axis=1)
        targets = targets / np.maximum(targets.sum(axis=1, keepdims=True), 1e-9)
        worths = self._worths(found, payoffs)
        return Samples(features, slots, targets.astype(np.float32), values, worths, found.weights)

    def _worths(self, found: Searched, payoffs: np.ndarray) -> np.ndarray:
        _, firsts, matches = np.unique(found.serials, return_index=True, return_inverse=True)
        # Without hindsight as much of it as play-outs made is replaced by what happened: they judge random play.
        share = 1 - (self.settings.hindsight or self.settings.playouts)
        hopes, out = payoffs[firsts].astype(np.float64), np.zeros_like(payoffs)
        self.game.kernel(look_back)(matches, found.players, found.worths, share, self.players, hopes, out)
        return out
