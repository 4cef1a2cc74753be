"""A network in training, whatever it is taught; and AlphaZero's lessons: what the search preferred, and who won."""

from __future__ import annotations

import io
import logging
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import asdict
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from ludus.learn._replay import Lesson, Samples
from ludus.nets.network import Network
from ludus.nets.spec import NetSpec, Weights
from ludus.nets.variants import Variant

UNIT = 127.0  # features are bytes: 127 for 1
WARM_UP = 100  # steps in which the rate of learning rises
LAST = 0.01  # of the rate is left at the end
DECAY = 1e-4
STEEPEST = 5.0  # longer gradients are cut
EVENLY = 0.2, 0.08
"""What an even policy is worth where players mix, at first and in the end; with less they chase each other for ever."""
SMOOTH = 0.99
"""What plays is a running mean of the network over about 1 / (1 - this) steps. With four times as many it played ever
worse: the mean of some normalisations is not that of the mean."""
EAGER = 3  # steps kernel by kernel, in which the card chooses its ways, before one is captured

log = logging.getLogger(__name__)


class Pupil:
    """A network in training, its optimiser, and the smoothed copy that plays."""

    def __init__(self, spec: NetSpec, rate: float, seed: int, device: str, smooth: float = SMOOTH):
        torch.manual_seed(seed)
        torch.set_num_threads(1)  # several wait for each other at every layer, and on a busy machine for ever
        self.rate, self.keep, self.device = rate, smooth, torch.device(device)
        self.network = Network(spec).to(self.device)
        self.smooth = Network(spec).to(self.device).eval()
        self.smooth.load_state_dict(self.network.state_dict())
        self.on_gpu = self.device.type == "cuda"
        torch.backends.cudnn.benchmark = self.on_gpu
        self.numbers = [array for array in self.network.parameters() if array.numel()]
        self.optimiser = torch.optim.AdamW(self.numbers, lr=rate, weight_decay=DECAY, fused=self.on_gpu)
        self.steps = 0
        self._mine, self._theirs = (
            [array for array in network.state_dict().values() if array.is_floating_point() and array.numel()]
            for network in (self.smooth, self.network)
        )

    def taken(self, part: np.ndarray) -> torch.Tensor:
        """Where the network is. From pinned memory the card takes it by itself, while the next batch is drawn."""
        tensor = torch.as_tensor(part)
        return tensor.pin_memory().to(self.device, non_blocking=True) if self.on_gpu else tensor

    def judged(self, network: Network, features: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """What a network says of features in bytes."""
        with torch.autocast("cuda", torch.bfloat16, enabled=self.on_gpu):
            return network(features.float() / UNIT)

    def _descend(self, loss: torch.Tensor) -> None:
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.numbers, STEEPEST)
        self.optimiser.step()

    def _set_rate(self, progress: float) -> None:
        self.steps += 1
        cooled = LAST + (1 - LAST) * 0.5 * (1 + np.cos(np.pi * min(max(progress, 0.0), 1.0)))
        rate = float(self.rate * cooled * min(1.0, self.steps / WARM_UP))
        for group in self.optimiser.param_groups:
            if isinstance(group["lr"], torch.Tensor):
                group["lr"].fill_(rate)  # where a captured step reads it
            else:
                group["lr"] = rate

    @torch.no_grad()
    def _follow(self) -> None:
        keep = min(self.keep, 1 - 1 / self.steps)
        torch._foreach_lerp_(self._mine, self._theirs, 1 - keep)  # pyright: ignore[reportPrivateImportUsage]

    def weights(self) -> Weights:
        """The arrays that play."""
        return self.smooth.weights()

    def save(self, standing: Any) -> bytes:
        content = io.BytesIO()
        parts = {"network": self.network, "smooth": self.smooth, "optimiser": self.optimiser}
        torch.save(
            {name: part.state_dict() for name, part in parts.items()}
            | {"steps": self.steps, "standing": asdict(standing)},
            content,
        )
        return content.getvalue()

    def restore(self, content: bytes) -> dict[str, Any]:
        """Take a checkpoint up; how far the training had come, as it was saved."""
        saved = torch.load(io.BytesIO(content), map_location=self.device, weights_only=True)
        for name in ("network", "smooth", "optimiser"):
            getattr(self, name).load_state_dict(saved[name])
        for group in self.optimiser.param_groups:  # of another device, perhaps
            group.update(lr=self.rate, fused=self.on_gpu, capturable=self.optimiser.defaults["capturable"])
        self.steps = saved["steps"]
        return saved["standing"]


class Captured:
    """A step of learning as one graph: what it takes is copied to where it was captured. Kernel by kernel it takes a
    core, and keeps self-play waiting for Python."""

    def __init__(self, lesson: Callable[..., torch.Tensor], parts: list[torch.Tensor]):
        from ludus.nets.cuda import CAPTURING

        self.parts, self.graph = [part.clone() for part in parts], torch.cuda.CUDAGraph()
        stream = torch.cuda.current_stream()
        own = None if stream == torch.cuda.default_stream() else stream  # on that one nothing can be captured
        with CAPTURING:
            torch.cuda.synchronize()
            with torch.cuda.graph(self.graph, stream=own, capture_error_mode="thread_local"):
                self.answer = lesson(*self.parts)

    def fits(self, parts: list[torch.Tensor]) -> bool:
        return all(own.shape == part.shape for own, part in zip(self.parts, parts))

    def __call__(self, *parts: torch.Tensor) -> torch.Tensor:
        for own, part in zip(self.parts, parts):
            own.copy_(part, non_blocking=True)
        self.graph.replay()
        return self.answer


class Teacher(Pupil):
    """Teaches policy and values, under each of some sets of rules."""

    def __init__(
        self, variants: Sequence[Variant], players: int, rate: float, trust: float, seed: int, device: str = "cpu",
        mix: float = 0.0,
    ):  # fmt: skip
        super().__init__(variants[0].net, rate, seed, device)
        self.variants, self.players, self.trust, self.mix = variants, players, trust, mix
        self.progress = torch.zeros((), device=self.device)
        self.stream = torch.cuda.Stream() if self.on_gpu else None
        self.captured: Callable[..., torch.Tensor] | None = None
        self._eager = EAGER

    def restore(self, content: bytes) -> dict[str, Any]:
        self.captured = None
        return super().restore(content)

    def teach(self, batches: Sequence[Iterable[Samples]], progress: float) -> Lesson:
        """A step from the next batches of all variants; `progress` is how much of the training is over, 0 to 1."""
        self.network.train()
        with torch.cuda.stream(self.stream) if self.stream else nullcontext():
            totals, steps = torch.zeros(2, device=self.device), 0
            self.progress.fill_(min(max(progress, 0.0), 1.0))
            for parts in zip(*batches):
                totals += self._learn([self.taken(column) for part in parts for column in part], progress)[2:]
                steps += 1
            policy, value = (totals / max(steps, 1)).tolist()
        return Lesson(policy, value)

    def _learn(self, columns: list[torch.Tensor], progress: float) -> torch.Tensor:
        """One step; its losses."""
        if self.on_gpu and self.captured is None and self._eager == 0:
            self.captured = self._capture(columns)
        self._eager = max(self._eager - 1, 0)
        self._set_rate(progress)
        losses = (self.captured or self._step)(*columns)
        self._follow()
        return losses

    def _step(self, *columns: torch.Tensor) -> torch.Tensor:
        """By the columns of a batch of each variant, one batch after the other."""
        width = len(Samples._fields)
        losses = self._losses([columns[first : first + width] for first in range(0, len(columns), width)])
        self._descend(losses[0] + losses[1])
        return losses.detach()

    def _capture(self, columns: list[torch.Tensor]) -> Callable[..., torch.Tensor]:
        for group in self.optimiser.param_groups:
            group.update(lr=torch.tensor(self.rate, device=self.device), capturable=True)
        try:
            return Captured(self._step, columns)
        except torch.cuda.OutOfMemoryError:
            raise
        except RuntimeError as error:
            log.warning("a step of learning was not captured, so it runs kernel by kernel, slower: %s", error)
            return self._step

    def _losses(self, parts: Sequence[Sequence[torch.Tensor]]) -> torch.Tensor:
        """What is minimised of policy and of value, and what is told of both; of samples of each variant."""
        with torch.autocast("cuda", torch.bfloat16, enabled=self.on_gpu, cache_enabled=False):
            seen = [(variant, part[0].float() / UNIT) for variant, part in zip(self.variants, parts)]
            answers = self.network.judge(seen)
        slots, targets, values, worths, weights = (torch.cat(column) for column in zip(*(part[1:] for part in parts)))
        judged, players = torch.cat([values for _, values in answers]), self.players
        chosen = [logits.gather(1, part[1].long().clamp_min(0)) for (logits, _), part in zip(answers, parts)]
        logs = functional.log_softmax(torch.cat(chosen).masked_fill(slots < 0, -1e9), 1)
        if self.mix:
            targets = self._mixed(logs.detach(), targets, self.progress)
        policy = (-(targets * logs).sum(1) * weights).sum() / weights.sum().clamp_min(1)
        entropy = (-(targets * targets.clamp_min(1e-9).log()).sum(1) * weights).sum() / weights.sum().clamp_min(1)
        wanted = (1 - self.trust) * values + self.trust * worths
        value = ((judged - wanted)[:, :players] ** 2).mean()
        told = ((judged - values)[:, 0] ** 2).mean()
        return torch.stack([policy, value, policy - entropy, told])

    def _mixed(self, logs: torch.Tensor, factors: torch.Tensor, progress: torch.Tensor | float) -> torch.Tensor:
        """Where players mix: the policy as it is now times what searches add to it, evened out, but ever less."""
        evenly = EVENLY[0] * (EVENLY[1] / EVENLY[0]) ** progress
        wanted = (logs + factors.clamp_min(1e-9).log()) / (1 + self.mix * evenly)
        return functional.softmax(wanted.masked_fill(logs < -1e8, -1e9), 1)
