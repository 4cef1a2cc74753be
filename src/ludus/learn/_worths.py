"""What a deep Q-learner teaches its network: what each action of a menu is worth.

The worth of an action is the value of the position plus what the action has over the mean of its menu (duelling); only
slots of the menu count. The target is what was got in the next few decisions plus the discounted worth of the one that
follows: the network names its best action, the smoothed copy says what that is worth (double, with a target network).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch
from torch.nn import functional

from ludus.learn._decisions import Batch
from ludus.learn._teaching import Pupil
from ludus.nets.network import Network
from ludus.nets.spec import NetSpec

SMOOTH = 0.995
"""The target network is a mean over about 1 / (1 - this) steps."""


class WorthTeacher(Pupil):
    """Teaches worths."""

    def __init__(self, spec: NetSpec, rate: float, discount: float, seed: int, device: str = "cpu"):
        super().__init__(spec, rate, seed, device, SMOOTH)
        self.discount = discount  # of what lies `steps` decisions ahead

    def teach(self, batches: Iterator[Batch], progress: float) -> Iterator[tuple[Batch, np.ndarray]]:
        """A step a batch; how far each decision's worth was from its target."""
        for batch in batches:
            weights, features, slots, places, rewards, goes_on, after, after_slots = map(self.taken, batch[1:])
            target = rewards + self.discount * goes_on * self._best(after, after_slots.long())
            self.network.train()
            worths = self.worths(self.network, features, slots.long())
            surprise = worths.gather(1, places[:, None])[:, 0] - target.clamp(-1, 1)
            self.step((weights * functional.smooth_l1_loss(surprise, 0 * surprise, reduction="none")).mean(), progress)
            yield batch, surprise.detach().abs().cpu().numpy().astype(np.float64)

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
