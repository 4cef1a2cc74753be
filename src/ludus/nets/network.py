"""The network in torch, for training: the same sums as `spec` describes, with a normalisation after every layer that
`weights` folds into the arrays that play."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional

from ludus.nets.spec import NetSpec, Weights
from ludus.nets.variants import Variant

QUIET = 0.3  # how loud the second layer of a block begins; the blocks of a new network do little


class Network(nn.Module):
    """A network in training. `forward` takes features and gives the logits of all policy slots and the values."""

    def __init__(self, spec: NetSpec):
        super().__init__()
        self.spec = spec
        shapes = spec.arrays
        self.stem_taps = _random(shapes["stem.taps"], spec.taps * spec.planes)
        self.stem_extra, self.stem_rules = _random(shapes["stem.extra"]), _zeros(shapes["stem.rules"])
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
        self.kernel = nn.Buffer(torch.as_tensor(spec.kernel), persistent=False)
        self._tables: dict[NetSpec, tuple[Tensor, Tensor, Tensor]] = {}
        self._told: dict[tuple[float, ...], Tensor] = {}

    def forward(self, features: Tensor) -> tuple[Tensor, Tensor]:
        return self.judge([(Variant(self.spec), features)])[0]

    def judge(self, parts: Sequence[tuple[Variant, Tensor]]) -> list[tuple[Tensor, Tensor]]:
        """Positions of several boards and rules at once, so that they are normalised together: each board lies in a
        corner of the largest one's grid. Logits and values of each part."""
        rows, columns = (max(getattr(one.net, side) for one, _ in parts) for side in ("rows", "columns"))
        stems, masks = zip(*(self._enter(variant, features, rows, columns) for variant, features in parts))
        x = self._trunk(torch.cat(stems), None if all(mask is None for mask in masks) else _cat(stems, masks))
        found = x.split([len(features) for _, features in parts])
        return [self._answer(variant.net, cells) for (variant, _), cells in zip(parts, found)]

    def trunk(self, features: Tensor) -> Tensor:
        """[batch, channels, rows, columns], 0 where no cell is."""
        x, mask = self._enter(Variant(self.spec), features, self.spec.rows, self.spec.columns)
        return self._trunk(x, mask)

    def _enter(self, variant: Variant, features: Tensor, rows: int, columns: int) -> tuple[Tensor, Tensor | None]:
        """What the first layer makes of positions, on so large a grid; and where there are cells, if not everywhere."""
        net, terms = variant.net, []
        if net.extra:
            terms.append(functional.linear(features[:, net.features - net.extra :], self.stem_extra)[:, :, None, None])
        if net.rules:
            if variant.numbers not in self._told:  # once: a step that is captured may not fetch them
                self._told[variant.numbers] = torch.tensor(variant.numbers, device=features.device)
            numbers = self._told[variant.numbers]
            terms.append(functional.linear(numbers, self.stem_rules)[None, :, None, None])
        if net.planes:
            terms.append(self._layer(self._on_grid(net, features[:, : net.planes * net.cells]), self.stem_taps))
        x = sum(terms[1:], terms[0]).expand(len(features), -1, net.rows, net.columns)
        if net.is_whole and (net.rows, net.columns) == (rows, columns):
            return x, None
        margin = (0, columns - net.columns, 0, rows - net.rows)
        return functional.pad(x, margin), functional.pad(self._table(net)[2].to(x.dtype), margin)

    def _trunk(self, x: Tensor, mask: Tensor | None) -> Tensor:
        x = _on_board(functional.relu(self.stem_norm(x)), mask)
        for block in range(self.spec.blocks):
            first, second = 2 * block, 2 * block + 1
            y = _on_board(functional.relu(self.norms[first](self._layer(x, self.trunk_taps[first]))), mask)
            x = _on_board(functional.relu(self.norms[second](self._layer(y, self.trunk_taps[second])) + x), mask)
        return x

    def _answer(self, net: NetSpec, x: Tensor) -> tuple[Tensor, Tensor]:
        cells = x[:, :, : net.rows, : net.columns].flatten(2)
        if not net.is_whole:
            cells = cells[:, :, self._table(net)[1]]
        rows = cells.transpose(1, 2)
        summary = functional.linear(cells.mean(2), self.summary_mean, self.summary_bias)
        summary = summary + functional.linear(cells.amax(2), self.summary_most)
        if net.narrow:
            narrow = functional.relu(functional.linear(rows, self.narrow_weight, self.narrow_bias))
            summary = summary + functional.linear(narrow.transpose(1, 2).flatten(1), self.summary_narrow.flatten(1))
        summary, slots = functional.relu(summary), []
        if net.policy_planes:
            slots.append(functional.linear(rows, self.cells_weight, self.cells_bias).transpose(1, 2).flatten(1))
        if net.policy_extra:
            slots.append(functional.linear(summary, self.extra_weight, self.extra_bias))
        values = torch.tanh(functional.linear(summary, self.value_weight, self.value_bias).float())
        return torch.cat(slots, 1).float(), values

    def _on_grid(self, net: NetSpec, planes: Tensor) -> Tensor:
        planes = planes.unflatten(1, (net.planes, net.cells))
        if not net.is_whole:
            planes = functional.pad(planes, (0, 1))[:, :, self._table(net)[0]]
        on_grid = planes.unflatten(2, (net.rows, net.columns))
        return on_grid.contiguous(memory_format=torch.channels_last) if on_grid.is_cuda else on_grid

    def _table(self, net: NetSpec) -> tuple[Tensor, Tensor, Tensor]:
        """Of a board: the cell at each place of its grid, the place of each cell, and 1 where there is a cell."""
        if net not in self._tables:
            grid, places = (torch.as_tensor(table, device=self.kernel.device) for table in (net.grid, net.places))
            self._tables[net] = grid, places, (grid < net.cells).float().view(1, 1, net.rows, net.columns)
        return self._tables[net]

    def _layer(self, x: Tensor, taps: Tensor) -> Tensor:
        if self.spec.kind == "none":
            return functional.linear(x.flatten(1), taps[0])[:, :, None, None]
        padded = functional.pad(taps, (0, 0, 0, 0, 0, 1))
        kernel = padded.index_select(0, self.kernel).permute(1, 2, 0).unflatten(2, (3, 3))
        return functional.conv2d(x, kernel, padding=1)

    @torch.no_grad()
    def weights(self) -> Weights:
        """The arrays that play: every normalisation is folded into the layer before it."""
        parameters = dict(self.named_parameters())
        arrays = {name: parameters.get(name.replace(".", "_"), torch.zeros(0)) for name in self.spec.arrays}
        scale, arrays["stem.bias"] = _fold(self.stem_norm)
        for name in ("stem.taps", "stem.extra", "stem.rules"):
            arrays[name] = arrays[name] * scale[:, None]
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


def _cat(stems: Sequence[Tensor], masks: Sequence[Tensor | None]) -> Tensor:
    """One mask for all positions."""
    return torch.cat([
        torch.ones_like(stem[:, :1]) if mask is None else mask.expand(len(stem), -1, -1, -1)
        for stem, mask in zip(stems, masks)
    ])  # fmt: skip


def _on_board(x: Tensor, mask: Tensor | None) -> Tensor:
    """Set to 0 what is no cell."""
    return x if mask is None else x * mask.to(x.dtype)


def _zeros(shape: tuple[int, ...]) -> nn.Parameter:
    return nn.Parameter(torch.zeros(shape))


def _fold(norm: nn.Module) -> tuple[Tensor, Tensor]:
    """The factor and the summand of each channel that a normalisation comes to."""
    assert isinstance(norm, nn.BatchNorm2d)
    assert norm.running_var is not None
    assert norm.running_mean is not None
    scale = norm.weight / torch.sqrt(norm.running_var + norm.eps)
    return scale, norm.bias - norm.running_mean * scale
