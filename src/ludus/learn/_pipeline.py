"""Self-play at the speed of a GPU: rules and trees on the processor, leaves on the card, both always at work.

Matches are in three or four groups that take turns. While compiled workers take the trees of one group to their next
leaves, the leaves of the others are being judged: each group has a stream of its own, pinned memory, and one captured
graph from bytes in to priors and values out. Workers never stop between jobs; they take them off queues.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np

from ludus.errors import BadInput
from ludus.game import Game
from ludus.learn._atomics import OUT, STOP, await_done, control_for, post
from ludus.learn._moves import CHECKED, DROPPED, FINISHED, MATCH, PLIES, RESIGNED, SETTINGS, WRONG, Matches, serve
from ludus.learn._selfplay import PlaySettings, Samples
from ludus.nets.spec import NetSpec, Weights
from ludus.search.forest.memory import (
    EVALUATIONS,
    FORCED,
    HITS,
    SIMULATIONS,
    Leaves,
    Room,
    make_leaves,
    make_trees,
    make_work,
)

GROUPS, CHUNK = 4, 8
FEWER_GROUPS, MANY = 3, 8192
"""Fewer groups where there are fewer matches than this, for larger batches; with two the card had to wait.
`bench/selfplay.py groups` tries others."""
WIDTH = 256
"""Actions of a menu that are judged, and that a sample can hold."""
MEMORY = 1 << 30
"""Bytes for the history of all matches, and again for positions that wait to be collected."""
ARMS_A_POINT = 24
SPINS, FEW_CORES = 4000, 4
FPU = 0.25
TALLIED = {
    "simulations": SIMULATIONS, "evaluations": EVALUATIONS, "remembered": HITS, "matches": FINISHED, "plies": PLIES,
    "resigned": RESIGNED, "checked": CHECKED, "wrong": WRONG, "dropped": DROPPED,
}  # fmt: skip

log = logging.getLogger(__name__)


class Judge(Protocol):
    """Whoever judges the leaves of one group after the other."""

    def launch(self, group: int) -> None: ...

    def is_ready(self, group: int) -> bool: ...

    def wait(self, group: int) -> None: ...


class Pipeline:
    """Matches that never stop, in groups. `judge` is made for the leaves, of which each group has `rows`."""

    def __init__(
        self, game: Game, players: int, values: Mapping[str, object], settings: PlaySettings, seed: int,
        judge: Callable[[Leaves, int], Judge], threads: int = 0, groups: int = GROUPS, room: Room = np.zeros,
        arms: int = ARMS_A_POINT,
    ):  # fmt: skip
        cores = _cores()
        self.game, self.settings, self.groups = game, settings, groups
        self.threads = min(threads or cores, max(cores - 1, 1))  # one is left for who feeds the GPU
        self.spins = SPINS if cores > FEW_CORES else 0
        seats, simultaneous = game.facts.players[1], game.facts.simultaneous
        self.size, searchers = settings.matches // groups, seats if simultaneous else 1
        self.rows_a_tree, self.cache = seats if simultaneous else 1, settings.cache
        count, gumbel = self.size * groups, settings.gumbel
        keep = settings.keep and not gumbel
        length, width = game.shapes(players, values)[0].length, min(game.facts.max_actions, WIDTH)
        self.trees = make_trees(game, count * searchers, settings.sims, arms, keep, gumbel)
        self.trees.heads["root"] = FORCED
        self.leaves = make_leaves(game, len(self.trees.heads) * self.rows_a_tree, length, width, room)
        self.matches = _make_matches(game, players, values, count, length, width, seed)
        self.trees.words[:, 0] = np.random.default_rng(seed).integers(1, 1 << 63, len(self.trees.words))
        self.trees.knobs[:] = settings.c, FPU, settings.noise, 0.0, gumbel, settings.mix, 0.0
        self.keep, self.most_sims, self.control = keep, settings.sims, control_for(self.threads)
        self.works = [make_work(game, self.trees.points.shape[1], self.cache) for _ in range(self.threads)]
        self.judge = judge(self.leaves, self.size * searchers * self.rows_a_tree)
        self.job = self.total = 0
        self._samples: list[Samples] = []
        self._workers: list[threading.Thread] = []

    # -------------------------------------------------------------------------------------------- workers

    def _start(self) -> None:
        """Compile, which one worker does that is told to stop at once; then let all of them begin."""
        serve_all = self.game.kernel(serve)
        self.control[STOP] = 1
        self._serve(serve_all, 0)
        self.control[STOP] = 0
        for thread in range(self.threads):
            worker = threading.Thread(target=self._serve, args=(serve_all, thread), daemon=True)
            worker.start()
            self._workers.append(worker)

    def _serve(self, run: Callable, thread: int) -> None:
        run(
            thread, self.size, self.groups, CHUNK, self.spins, self.rows_a_tree, self.control, self.trees,
            self.works[thread], self.leaves, self.matches,
        )  # fmt: skip

    def _post(self) -> None:
        """The workers go on with the next group."""
        self.job += 1
        self.total += self.size
        self.game.kernel(post)(self.control, self.job)

    def _join(self) -> None:
        self.game.kernel(await_done)(self.control, self.total, self.spins)

    def close(self) -> None:
        self.control[STOP] = 1
        for worker in self._workers:
            worker.join()
        self._workers = []

    # -------------------------------------------------------------------------------------------- playing

    def run(self, seconds: float = np.inf, plies: float = np.inf) -> tuple[Samples, Counter[str]]:
        """Play for so long, or until matches of so many plies have ended: their positions, and what was done."""
        if not self._workers:
            self._start()
        self._set()
        before, started = self._tally(), time.perf_counter()
        self._go_round(lambda: time.perf_counter() - started > seconds or self._ended(before) >= plies)
        after = self._tally()
        self._collect()
        samples = Samples(*(np.concatenate(parts) for parts in zip(*self._samples)))
        self._samples = []
        tally = Counter({name: int(after[at] - before[at]) for name, at in TALLIED.items()})
        if tally["dropped"]:
            log.warning("%s matches were lost: there was no room for their positions", tally["dropped"])
        return samples, tally

    def _ended(self, before: np.ndarray) -> int:
        return int(self._tally()[PLIES] - before[PLIES])

    def _go_round(self, is_enough: Callable[[], bool]) -> None:
        """Groups in turn, all of them equally often: wait for a group's answers, let the workers take its trees on, and
        send its leaves; where possible the next group is begun before that."""
        group, is_done = 0, False
        self.judge.wait(0)
        self._post()
        while not is_done:
            self._join()
            if self.control[OUT] > len(self.matches.out_slots) // 2:  # nobody is at work now
                self._collect()
            last, group = group, (group + 1) % self.groups
            is_done = group == 0 and is_enough()
            begins = not is_done and self.judge.is_ready(group)
            if begins:
                self._post()
            self.judge.launch(last)
            if not begins and not is_done:
                self.judge.wait(group)
                self._post()

    def _set(self) -> None:
        now = self.settings
        sims = min(now.sims, self.most_sims)
        self.matches.settings[:] = (
            sims, min(now.fast_sims, sims), now.fast_share, now.temperature, now.half_life, now.openings, now.scattered,
            now.resign, now.play_on, self.keep, now.hindsight,
        )  # fmt: skip

    def _tally(self) -> np.ndarray:
        return np.sum([work.tally for work in self.works], axis=0)

    def _collect(self) -> None:
        count, matches = int(self.control[OUT]), self.matches
        parts = (
            matches.out_features, matches.out_slots, matches.out_targets, matches.out_values, matches.out_worths,
            matches.out_weights,
        )  # fmt: skip
        self._samples.append(Samples._make(part[:count].copy() for part in parts))
        self.control[OUT] = 0

    def forget(self) -> None:
        """Judgements of another network are worth nothing."""
        for work in self.works:
            work.keys[:] = 0


def _cores() -> int:
    """Those that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _make_matches(
    game: Game, players: int, values: Mapping[str, object], count: int, length: int, width: int, seed: int
) -> Matches:  # fmt: skip
    position = length + 6 * width + 12
    history = max(16, min(game.facts.max_plies, 1024, MEMORY // (count * position)))
    out = max(MEMORY // (position + 16), 4 * history)
    rows = ((count, history), (out,))
    seats = game.facts.players[1]
    (features, out_features), (slots, out_slots), (targets, out_targets) = (
        [np.zeros((*first, last), kind) for first in rows]
        for last, kind in ((length, np.int8), (width, np.int16), (width, np.float32))
    )
    seen = np.zeros((count, history, 3), np.float32)
    out_values, out_worths = (np.zeros((out, seats), np.float32) for _ in range(2))
    words = np.random.default_rng(seed + 1).integers(1, 1 << 63, (count, 1)).astype(np.uint64)
    return Matches(
        np.zeros(count, MATCH), np.zeros(count, game.state_type), words, game.blank(players, values),
        np.zeros(SETTINGS), features, slots, targets, seen, out_features, out_slots, out_targets, out_values,
        out_worths, np.zeros(out, np.float32),
    )  # fmt: skip


# ------------------------------------------------------------------------------------------------ on a GPU


class CudaJudge:
    """One captured pass a group."""

    def __init__(self, net: Any, rows: int, groups: int, tensors: list[Any]):
        from ludus.nets.cuda import Captured

        answers, slots, features = tensors
        parts = [slice(group * rows, (group + 1) * rows) for group in range(groups)]
        self.passes = [Captured(net, features[part], slots[part], answers[part]) for part in parts]

    def launch(self, group: int) -> None:
        self.passes[group].launch()

    def is_ready(self, group: int) -> bool:
        return self.passes[group].is_ready()

    def wait(self, group: int) -> None:
        self.passes[group].wait()


class CudaSelfPlay(Pipeline):
    """Self-play of a network on a GPU; as `SelfPlay` otherwise. Where its memory does not suffice, fewer matches."""

    def __init__(
        self, game: Game, players: int, values: Mapping[str, object], settings: PlaySettings, spec: NetSpec,
        weights: Weights, seed: int, threads: int = 0, precision: str = "fp8", groups: int = 0,
    ):  # fmt: skip
        from ludus.nets.cuda import PAD, CudaNet
        from ludus.nets.play import check_cuda

        check_cuda()
        import torch

        self.net = CudaNet(spec, precision)
        self.positions = _some_features(game, players, values, seed)
        self.net.fill(weights, torch.from_numpy(self.positions))
        groups = groups or (GROUPS if settings.matches >= MANY else FEWER_GROUPS)
        matches = max(round(settings.matches / (groups * PAD)), 1) * groups * PAD
        tensors: list[Any] = []

        def judge(leaves: Leaves, rows: int) -> Judge:
            return CudaJudge(self.net, rows, groups, tensors)

        while True:
            settings.matches = matches
            tensors.clear()
            try:
                room = _pinned(torch, tensors)
                super().__init__(game, players, values, settings, seed, judge, threads, groups, room)
                return
            except torch.cuda.OutOfMemoryError:
                torch.cuda.empty_cache()
                if matches == groups * PAD:
                    raise BadInput("the GPU has no memory for this network; train with --device cpu") from None
                matches = max(matches // 2 // (groups * PAD), 1) * groups * PAD
                log.warning("the GPU has no memory for so many matches at once: going on with %s", matches)

    def refill(self, weights: Weights) -> None:
        """Another network plays on, scaled by positions of the last matches."""
        import torch

        torch.cuda.synchronize()
        self.net.fill(weights, torch.from_numpy(self.positions))
        torch.cuda.synchronize()
        self.forget()

    def _collect(self) -> None:
        super()._collect()
        if len(self._samples[-1].features) >= len(self.positions):
            self.positions = self._samples[-1].features[-len(self.positions) :]


def _pinned(torch: Any, tensors: list[Any]) -> Room:
    """Memory that the card reads by itself; the tensors over it are kept in the order in which they are made."""

    def room(shape: tuple[int, ...], kind: Any) -> np.ndarray:
        tensors.append(torch.from_numpy(np.zeros(shape, kind)).pin_memory())
        return tensors[-1].numpy()

    return room


SCALED_BY = 2048  # positions


def _some_features(game: Game, players: int, values: Mapping[str, object], seed: int) -> np.ndarray:
    """Positions of random play, which the first scales are measured by."""
    from ludus import kernels
    from ludus.rng import match_words

    words = match_words(seed, np.arange(SCALED_BY), 0, players)
    states, plies = game.start(words, players, values), np.zeros(SCALED_BY, np.int64)
    features = np.zeros((SCALED_BY, game.shapes(players, values)[0].length), np.int8)
    row = np.zeros(game.features.length, np.float32)
    for part in np.array_split(np.arange(SCALED_BY), 16):
        later, luck, made = states[part].copy(), words[part], plies[part]
        game.kernel(kernels.rollouts)(later, luck, made, int(part[0]) * 20 // SCALED_BY)
        going = game.waiting(later) != 0
        later[~going] = states[part][~going]
        masks = game.waiting(later)
        movers = np.array([(mask & -mask).bit_length() - 1 for mask in masks.tolist()])
        out = np.zeros((len(part), features.shape[1]), np.int8)
        game.kernel(kernels.byte_features)(game.masked(later, movers), movers, row, out)
        features[part] = out
    return features
