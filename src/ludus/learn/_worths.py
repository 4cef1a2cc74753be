"""What a deep Q-learner teaches its network: what each action of a menu is worth.

The worth of an action is the value of the position plus what the action has over the mean of its menu (duelling); only
slots of the menu count. The target is what was got in the next few decisions plus the discounted worth of the one that
follows: the network names its best action, the smoothed copy says what that is worth (double, with a target network).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

import numpy as np
import torch
from torch.nn import functional

from ludus.learn._decisions import Batch
from ludus.learn._teaching import DECAY, Captured, Pupil
from ludus.nets.network import Network
from ludus.nets.spec import NetSpec

SMOOTH = 0.995
"""The target network is a mean over about 1 / (1 - this) steps."""
CAPTURED_FROM = int(2 / (1 - SMOOTH))
"""Steps before one is captured: from then on all are alike."""


class WorthTeacher(Pupil):
    """Teaches worths. On a GPU a step is captured once and then repeated: its kernels are so short that asking for them
    one by one would take far longer, and the processor draws the next batch meanwhile."""

    def __init__(self, spec: NetSpec, rate: float, seed: int, device: str = "cpu"):
        super().__init__(spec, rate, seed, device, SMOOTH)
        if self.on_gpu:
            self.pace = torch.tensor(rate, device=self.device)  # where a captured step reads it
            self.optimiser = torch.optim.AdamW(self.numbers, self.pace, weight_decay=DECAY, fused=True, capturable=True)
        self._captured: Captured | None = None

    def teach(self, batches: Iterator[Batch], progress: float) -> Iterator[tuple[Batch, np.ndarray]]:
        """A step a batch; how far each decision's worth was from its target. On a GPU a batch is drawn before it is
        known what the one before it came to."""
        waiting: deque[tuple[Batch, Told]] = deque()
        for batch in batches:
            waiting.append((batch, Told(self._taught([self.taken(part) for part in batch[1:]], progress))))
            if len(waiting) > self.on_gpu:
                earlier, told = waiting.popleft()
                yield earlier, told.numbers()
        for batch, told in waiting:
            yield batch, told.numbers()

    def _taught(self, parts: list[torch.Tensor], progress: float) -> torch.Tensor:
        self._set_rate(progress)
        if not self.on_gpu or self.steps < CAPTURED_FROM:
            return self._lesson(*parts)
        if self._captured is None or not self._captured.fits(parts):
            self._captured = Captured(self._lesson, parts)
        return self._captured(*parts)

    def _set_rate(self, progress: float) -> None:
        for group in self.optimiser.param_groups if self.on_gpu else ():
            group["lr"] = self.pace  # not another, of a checkpoint
        super()._set_rate(progress)

    def _lesson(self, weights, features, slots, places, rewards, ahead, after, after_slots) -> torch.Tensor:
        """One step."""
        target = rewards + ahead * self._best(after, after_slots.long())
        self.network.train()
        worths = self.worths(self.network, features, slots.long())
        surprise = worths.gather(1, places[:, None])[:, 0] - target.clamp(-1, 1)
        self._descend((weights * functional.smooth_l1_loss(surprise, 0 * surprise, reduction="none")).mean())
        self._follow()
        return surprise.detach().abs()

    @torch.no_grad()
    def _best(self, features: torch.Tensor, slots: torch.Tensor) -> torch.Tensor:
        """What the smoothed copy says of the action that the network likes best."""
        self.network.eval()
        best = self.worths(self.network, features, slots).argmax(1)
        return self.worths(self.smooth, features, slots).gather(1, best[:, None])[:, 0]

    def worths(self, network: Network, features: torch.Tensor, slots: torch.Tensor) -> torch.Tensor:
        """float[n, …]: of each entry of the menus; far below all others where there is none."""
        logits, values = self.judged(network, features)
        on_menu = slots >= 0
        edges = logits.gather(1, slots.clamp_min(0)) * on_menu
        mean = edges.sum(1, keepdim=True) / on_menu.sum(1, keepdim=True).clamp_min(1)
        return (values[:, :1] + edges - mean).masked_fill(~on_menu, -1e9)

    @torch.no_grad()
    def judge(self, features: np.ndarray, slots: np.ndarray) -> np.ndarray:
        """As a `Judge` of practice: by the smoothed copy, on whatever device it is."""
        seen = self.taken(features), self.taken(slots.astype(np.int64))
        return self.worths(self.smooth, *seen).float().cpu().numpy()


class Told:
    """Numbers on their way from a network, which are waited for when they are asked for."""

    def __init__(self, answer: torch.Tensor):
        self.event, self.answer = None, answer
        if answer.is_cuda:
            self.answer = torch.empty(answer.shape, pin_memory=True).copy_(answer, non_blocking=True)
            self.event = torch.cuda.Event()
            self.event.record()

    def numbers(self) -> np.ndarray:
        if self.event:
            self.event.synchronize()
        return self.answer.numpy().astype(np.float64)
