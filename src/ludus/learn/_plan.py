"""How large a network, how deep a search, how many matches at once: by the size of the game, where nothing is set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ludus.game import Game
from ludus.learn._selfplay import PlaySettings
from ludus.nets.spec import NetSpec, net_spec
from ludus.shapes import Shape

SMALL_BOARD, LARGE_BOARD = 16, 100  # cells
CPU, CUDA = "cpu", "cuda"
STAGES = (0.12, 0.4)  # shares of a training after which searches double
FEWEST_SIMS = 4
WIDE, NARROW = 128, 16
MEMORY = 1 << 22  # bytes, about what the processor's cache holds


@dataclass(frozen=True)
class Plan:
    """What a training does with its time."""

    net: NetSpec
    play: PlaySettings
    batch: int
    reuse: float
    """How often a position is learnt from."""
    window: int
    """The most positions that are kept to be learnt from."""

    def sims(self, progress: float) -> int:
        """Simulations of a full search: few while the network knows little, more towards the end."""
        stage = sum(progress >= start for start in STAGES)
        return max(self.play.sims >> len(STAGES) - stage, FEWEST_SIMS)


def make_plan(game: Game, players: int, values: Mapping[str, object], settings: Any, workers: int) -> Plan:
    features, policy = game.shapes(players, values)
    on_gpu = settings.device == CUDA
    channels, blocks = _size(features, on_gpu)
    net = net_spec(
        features, policy, game.facts.players[1], settings.channels or channels, settings.blocks or blocks,
        hidden=WIDE if policy.extra > WIDE // 2 else WIDE // 2, narrow=0 if settings.any_size else NARROW,
    )  # fmt: skip
    sims = settings.sims or (128 if on_gpu else 64)
    play = PlaySettings(
        matches=settings.matches or (8192 if on_gpu else 64 * workers), sims=sims,
        fast_sims=max(sims // 8, FEWEST_SIMS), fast_share=0.0 if on_gpu else 0.5,
        openings=min(8, game.facts.max_plies // 4), resign=settings.resign, cache=0 if on_gpu else _cache(game),
    )  # fmt: skip
    return Plan(
        net, play, batch=settings.batch or (4096 if on_gpu else 256), reuse=settings.reuse or (1.6 if on_gpu else 3.0),
        window=settings.window or (12_000_000 if on_gpu else 400_000),
    )  # fmt: skip


def _size(features: Shape, on_gpu: bool) -> tuple[int, int]:
    """Channels and blocks. One thread judges about 20,000 positions a second with the small ones."""
    if features.board is None:
        return (256, 3) if on_gpu else (96, 2)
    if features.cells <= SMALL_BOARD:
        return (64, 3) if on_gpu else (32, 2)
    if features.cells <= LARGE_BOARD:
        return (128, 6) if on_gpu else (32, 4)
    return (64, 6) if on_gpu else (24, 3)


def _cache(game: Game) -> int:
    """Evaluations to remember: as many as a little memory holds, which saves half of them where matches are alike."""
    entry = 4 * (game.facts.max_actions + game.facts.players[1]) + 8
    return 1 << (MEMORY // entry).bit_length() - 1


def advice(game: Game) -> str:
    """What would help a learner, where a game leaves shapes to defaults; "" where it does not."""
    missing = [
        what
        for name, what in (("observe", "`observe` with FEATURES, what a network sees"),
                           ("POLICY", "POLICY with `policy_slot`, where actions stand among its answers"))
        if not game.writes(name)
    ]  # fmt: skip
    if not missing:
        return ""
    return f"{game.name} is learnt by default shapes; it would be learnt better if it wrote {' and '.join(missing)}"
