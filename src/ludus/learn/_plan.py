"""How large a network, how deep a search, how many matches at once: by the size of the game, where nothing is set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ludus.errors import BadInput
from ludus.game import Game
from ludus.learn._selfplay import PlaySettings
from ludus.nets.spec import NetSpec, net_spec
from ludus.nets.variants import Values, Variant, rule_columns, variant_of
from ludus.search.forest import mix_of
from ludus.shapes import Shape, flat

SMALL_BOARD, LARGE_BOARD = 16, 100  # cells
CPU, CUDA = "cpu", "cuda"
CELLS, FLAT = "cells", "flat"
STAGES = (0.12, 0.4)  # shares of a training after which searches double
FEWEST_SIMS = 4
WIDE, NARROW = 128, 16
MEMORY = 1 << 22  # bytes, about what the processor's cache holds
BY_SKILL, BY_LUCK = (0.5, 0.0), (1.0, 0.85)  # how far searches are trusted, and with how much hindsight


@dataclass(frozen=True)
class Plan:
    """What a training does with its time."""

    net: NetSpec
    variants: tuple[Variant, ...]
    """The same under each set of rules that is learnt."""
    play: PlaySettings
    batch: int
    reuse: float
    """How often a position is learnt from."""
    window: int
    """The most positions that are kept to be learnt from."""
    trust: float
    """How much of a value's target is what searches expected."""

    def sims(self, progress: float) -> int:
        """Simulations of a full search: few while the network knows little, more towards the end."""
        stage = sum(progress >= start for start in STAGES)
        return max(self.play.sims >> len(STAGES) - stage, FEWEST_SIMS)


@dataclass(frozen=True)
class Scale:
    """What suits one kind of network on one kind of device."""

    matches: int
    sims: int
    fast_share: float
    openings: int
    """Random plies at most that a match begins with."""
    scattered: float
    """The share of matches that begin with any."""
    batch: int
    reuse: float
    window: int


ON_GPU = Scale(512, 64, 0.0, 16, 0.6, 4096, 1.6, 12_000_000)
BY_CELLS = Scale(64, 64, 0.5, 8, 0.5, 256, 3.0, 400_000)
BY_FLAT = Scale(256, 128, 0.5, 8, 0.5, 1024, 5.0, 2_000_000)
"""Matches for each worker: on a GPU enough to fill it, and so few that their trees stay in a core's cache. It has
positions to spare, so its matches begin all over the game."""


def rule_sets(game: Game, players: int, values: Values, also: str) -> list[Values]:
    """All rules that are learnt together: the first, and `also`, with | between sets and ; within one. A set begins
    with the name of a preset, or is the first rules with changes."""
    found: list[Values] = [dict(values)]
    for text in filter(None, also.split("|")):
        preset, *changes = [""] * ("=" in text.partition(";")[0]) + [word.strip() for word in text.split(";")]
        pairs = [change.partition("=") for change in changes]
        if not all(equals for _, equals, _ in pairs):
            raise BadInput(f"--also is PRESET, NAME=VALUE, or several with commas between, not {text!r}")
        base = game.rule_values(preset) if preset else values
        found.append(game.params.values({**base, **{name: value for name, _, value in pairs}}))
    for one in found:
        game.check_setting(players, one)
    return found


def make_plan(game: Game, players: int, rules: Sequence[Values], settings: Any, workers: int) -> Plan:
    features, policy = game.shapes(players, rules[0])
    is_one_size = len({game.shapes(players, values)[0].length for values in rules}) == 1 and not settings.any_size
    on_gpu, is_flat = settings.device == CUDA, _is_flat(settings, is_one_size)
    if is_flat:
        features, policy = flat(features.length), flat(policy.length)
    scale = ON_GPU if on_gpu else BY_FLAT if is_flat else BY_CELLS
    sims = settings.sims or scale.sims
    mix = mix_of(game, settings.mix)
    trust, hindsight = BY_LUCK if _is_lucky(game) and not mix else BY_SKILL
    play = PlaySettings(
        matches=(settings.matches or scale.matches * workers) // len(rules) or 1, sims=sims,
        fast_sims=max(sims // 8, FEWEST_SIMS), fast_share=_chosen(settings.fast, scale.fast_share),
        gumbel=settings.gumbel, mix=mix, half_life=0.0 if mix else PlaySettings.half_life,
        openings=min(scale.openings, game.facts.max_plies // 3), scattered=scale.scattered, resign=settings.resign,
        cache=_cache(game) if scale is BY_CELLS else 0, hindsight=_chosen(settings.hindsight, hindsight),
    )  # fmt: skip
    net = replace(_net(game, features, policy, settings, is_one_size), rules=rule_columns(game, players, rules))
    return Plan(
        net, tuple(variant_of(net, game, players, values) for values in rules), play, settings.batch or scale.batch,
        settings.reuse or scale.reuse, settings.window or scale.window, _chosen(settings.trust, trust),
    )  # fmt: skip


def _is_lucky(game: Game) -> bool:
    """Whether a result says little about the positions before it: nobody chose all that led to it."""
    facts = game.facts
    return facts.chance or facts.hidden or facts.simultaneous


def _chosen(wanted: float, default: float) -> float:
    return default if wanted < 0 else wanted


def _net(game: Game, features: Shape, policy: Shape, settings: Any, is_one_size: bool) -> NetSpec:
    channels, blocks = net_size(features, settings.device == CUDA)
    return net_spec(
        features, policy, game.facts.players[1], settings.channels or channels,
        settings.blocks if settings.blocks >= 0 else blocks,
        hidden=WIDE if policy.extra > WIDE // 2 else WIDE // 2, narrow=NARROW if is_one_size else 0,
    )  # fmt: skip


def _is_flat(settings: Any, is_one_size: bool) -> bool:
    """Whether the board is left out: a processor judges so small a network forty times as fast as one that sees it,
    and plays stronger with it in the same time."""
    wanted = settings.network or (FLAT if settings.device == CPU and is_one_size else CELLS)
    if wanted not in (CELLS, FLAT):
        raise BadInput(f"alphazero: network is {CELLS} or {FLAT}, not {wanted!r}")
    if wanted == FLAT and not is_one_size:
        raise BadInput(f"alphazero: a network for boards of every size sees the board: network={CELLS}")
    return wanted == FLAT


def net_size(features: Shape, on_gpu: bool) -> tuple[int, int]:
    """Channels and blocks. One thread judges about 20,000 positions a second with the small ones."""
    if features.board is None:
        return (256, 3) if on_gpu else (256, 0)
    if features.cells <= SMALL_BOARD:
        return (64, 3) if on_gpu else (32, 2)
    if features.cells <= LARGE_BOARD:
        return (128, 6) if on_gpu else (32, 4)
    return (64, 6) if on_gpu else (24, 3)


def _cache(game: Game) -> int:
    """Evaluations to remember: as many as a little memory holds, which saves half of them where matches are alike."""
    entry = 4 * (game.facts.max_actions + game.facts.players[1]) + 8
    return 1 << (MEMORY // entry).bit_length() - 1


def check_device(method: str, device: str) -> None:
    """Refuse a training whose libraries or whose GPU are not here."""
    if device not in (CPU, CUDA):
        raise BadInput(f"{method}: device is cpu or cuda, not {device!r}")
    try:
        import onnx  # noqa: F401
        import onnxruntime  # noqa: F401
        import torch
    except ImportError as error:
        raise BadInput(f"{method} needs {error.name}, which is missing: pip install 'ludus[learn]'") from None
    if device == CUDA and not torch.cuda.is_available():
        raise BadInput("there is no CUDA device here; train with --device cpu")


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
