"""The network in torch, for training: the same sums as `spec` describes, with a normalisation after every layer that
`weights` folds into the arrays that play."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from ludus.nets.spec import NetSpec, Weights

QUIET = 0.3  # how loud the second layer of a block begins; the blocks of a new network do little


class Network(nn.Module):
    """A network in training. `forward` takes features and gives the logits of all policy slots and the values."""

    def __init__(self, spec: NetSpec):
        super().__init__()
        self.spec = spec
        shapes = spec.arrays
        self.stem_taps, self.stem_extra = (
            _random(shapes["stem.taps"], spec.taps * spec.planes),
            _random(shapes["stem.extra"]),
        )
        self.stem_norm = nn.BatchNorm2d(spec.channels)
        self.trunk_taps = _random(shapes["trunk.taps"], spec.taps * spec.channels)
        self.norms = nn.ModuleList(
            _norm(spec.channels, loudness) for _ in range(spec.blocks) for loudness in (1.0, QUIET)
        )
        self.narrow_weight, self.narrow_bias = _random(shapes["narrow.weight"]), _zeros(shapes["narrow.bias"])
        self.summary_mean, self.summary_most = _random(shapes["summary.mean"]), _random(shapes["summary.most"])
        self.summary_narrow, self.summary_bias = _random(shapes["summary.narrow"]), _zeros(shapes["summary.bias"])
        # At first all actions are alike, and nothing is known of who wins.
        self.cells_weight, self.cells_bias = _zeros(shapes["cells.weight"]), _zeros(shapes["cells.bias"])
        self.extra_weight, self.extra_bias = _zeros(shapes["extra.weight"]), _zeros(shapes["extra.bias"])
        self.value_weight, self.value_bias = _zeros(shapes["value.weight"]), _zeros(shapes["value.bias"])
        self.grid, self.places, self.kernel = (
            nn.Buffer(torch.as_tensor(table), persistent=False) for table in (spec.grid, spec.places, spec.kernel)
        )

    def on(self, spec: NetSpec) -> Network:
        """The same network, with the same parameters, on a board of another size."""
        other = Network(spec).to(self.trunk_taps.device)
        for name, part in [*self.named_children(), *self.named_parameters(recurse=False)]:
            setattr(other, name, part)
        return other

    def forward(self, features: Tensor) -> tuple[Tensor, Tensor]:
        cells = self.trunk(features).flatten(2)  # [batch, channels, places of the grid], 0 where no cell is
        if not self.spec.is_whole:
            cells = cells[:, :, self.places]
        rows = cells.transpose(1, 2)
        summary = functional.linear(cells.mean(2), self.summary_mean, self.summary_bias)
        summary = summary + functional.linear(cells.amax(2), self.summary_most)
        if self.spec.narrow:
            narrow = functional.relu(functional.linear(rows, self.narrow_weight, self.narrow_bias))
            summary = summary + functional.linear(narrow.transpose(1, 2).flatten(1), self.summary_narrow.flatten(1))
        summary, slots = functional.relu(summary), []
        if self.spec.policy_planes:
            slots.append(functional.linear(rows, self.cells_weight, self.cells_bias).transpose(1, 2).flatten(1))
        if self.spec.policy_extra:
            slots.append(functional.linear(summary, self.extra_weight, self.extra_bias))
        values = torch.tanh(functional.linear(summary, self.value_weight, self.value_bias).float())
        return torch.cat(slots, 1).float(), values

    def trunk(self, features: Tensor) -> Tensor:
        """[batch, channels, rows, columns]"""
        spec, terms = self.spec, []
        if spec.extra:
            numbers = features[:, spec.features - spec.extra :]
            terms.append(functional.linear(numbers, self.stem_extra)[:, :, None, None])
        if spec.planes:
            terms.append(self._layer(self._on_grid(features[:, : spec.planes * spec.cells]), self.stem_taps))
        x = sum(terms[1:], terms[0])
        x = self._on_board(functional.relu(self.stem_norm(x.expand(-1, -1, spec.rows, spec.columns))))
        for block in range(spec.blocks):
            first, second = 2 * block, 2 * block + 1
            y = self._on_board(functional.relu(self.norms[first](self._layer(x, self.trunk_taps[first]))))
            x = self._on_board(functional.relu(self.norms[second](self._layer(y, self.trunk_taps[second])) + x))
        return x

    def _on_grid(self, planes: Tensor) -> Tensor:
        spec = self.spec
        planes = planes.unflatten(1, (spec.planes, spec.cells))
        if not spec.is_whole:
            planes = functional.pad(planes, (0, 1))[:, :, self.grid]
        on_grid = planes.unflatten(2, (spec.rows, spec.columns))
        return on_grid.contiguous(memory_format=torch.channels_last) if on_grid.is_cuda else on_grid

    def _layer(self, x: Tensor, taps: Tensor) -> Tensor:
        if self.spec.kind == "none":
            return functional.linear(x.flatten(1), taps[0])[:, :, None, None]
        padded = functional.pad(taps, (0, 0, 0, 0, 0, 1))
        kernel = padded.index_select(0, self.kernel).permute(1, 2, 0).unflatten(2, (3, 3))
        return functional.conv2d(x, kernel, padding=1)

    def _on_board(self, x: Tensor) -> Tensor:
        """Set to 0 what is no cell."""
        if self.spec.is_whole:
            return x
        return x * (self.grid < self.spec.cells).to(x.dtype).unflatten(0, (self.spec.rows, self.spec.columns))

    @torch.no_grad()
    def weights(self) -> Weights:
        """The arrays that play: every normalisation is folded into the layer before it."""
        parameters = dict(self.named_parameters())
        arrays = {name: parameters.get(name.replace(".", "_"), torch.zeros(0)) for name in self.spec.arrays}
        scale, arrays["stem.bias"] = _fold(self.stem_norm)
        arrays["stem.taps"], arrays["stem.extra"] = self.stem_taps * scale[:, None], self.stem_extra * scale[:, None]
        folds = [_fold(norm) for norm in self.norms]
        if folds:
            arrays["trunk.taps"] = self.trunk_taps * torch.stack([scale for scale, _ in folds])[:, None, :, None]
            arrays["trunk.bias"] = torch.stack([shift for _, shift in folds])
        return {
            name: arrays[name].detach().cpu().float().numpy().reshape(shape).copy()
            for name, shape in self.spec.arrays.items()
        }


def _random(shape: tuple[int, ...], inputs: int = 0) -> nn.Parameter:
    """Matrices that keep the size of what they multiply."""
    inputs = inputs or math.prod(shape[1:])
    return nn.Parameter(torch.randn(shape) * (2 / max(inputs, 1)) ** 0.5)


def _norm(channels: int, loudness: float) -> nn.BatchNorm2d:
    norm = nn.BatchNorm2d(channels)
    nn.init.constant_(norm.weight, loudness)
    return norm


def _zeros(shape: tuple[int, ...]) -> nn.Parameter:
    return nn.Parameter(torch.zeros(shape))


def _fold(norm: nn.Module) -> tuple[Tensor, Tensor]:
    """The factor and the summand of each channel that a normalisation comes to."""
    assert isinstance(norm, nn.BatchNorm2d)
    assert norm.running_var is not None
    assert norm.running_mean is not None
    scale = norm.weight / torch.sqrt(norm.running_var + norm.eps)
    return scale, norm.bias - norm.running_mean * scale
