"""The Organism paper's network in torch, and how it was trained: Adam on the squared error of who won."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

from ludus.nets.hexaconv import LAYERS, Arrays, sizes

BATCH, RATE, DROPOUT = 64, 1e-3, 0.3


class Network(nn.Module):
    """Normalised after every layer but the last; dropout after the first two full layers."""

    def __init__(self, side: int, width: int):
        super().__init__()
        shapes = sizes(side, width)
        self.layers = nn.ModuleList([
            nn.Conv2d(shape[1], shape[0], 3, padding=1 if k < 2 else 0) if k < 4 else nn.Linear(shape[1], shape[0])
            for k, shape in enumerate(shapes)
        ])  # fmt: skip
        self.norms = nn.ModuleList(
            nn.BatchNorm2d(shape[0]) if k < 4 else nn.BatchNorm1d(shape[0]) for k, shape in enumerate(shapes[:-1])
        )
        self.taps = nn.Buffer(torch.ones(3, 3), persistent=False)
        self.taps[0, 0] = self.taps[2, 2] = 0

    def forward(self, x: Tensor) -> Tensor:
        for k, layer in enumerate(self.layers):
            if isinstance(layer, nn.Conv2d):
                x = nn.functional.conv2d(x, layer.weight * self.taps, layer.bias, padding=layer.padding)
            else:
                x = layer(x.flatten(1))
            if k == LAYERS - 1:
                return torch.tanh(x[:, 0])
            x = torch.relu(self.norms[k](x))
            if k in (4, 5):
                x = nn.functional.dropout(x, DROPOUT, self.training)
        raise AssertionError("the last layer returns")

    @torch.no_grad()
    def arrays(self) -> Arrays:
        """What plays: the normalisation folded into weights and biases."""
        found = []
        for k, layer in enumerate(self.layers):
            assert isinstance(layer, nn.Conv2d | nn.Linear)
            assert layer.bias is not None
            weight, bias = layer.weight * self.taps if k < 4 else layer.weight, layer.bias
            if k < LAYERS - 1:
                norm = self.norms[k]
                assert isinstance(norm, nn.BatchNorm1d | nn.BatchNorm2d)
                assert norm.running_mean is not None
                assert norm.running_var is not None
                scale = norm.weight / torch.sqrt(norm.running_var + norm.eps)
                weight = weight * scale.view(-1, *[1] * (weight.ndim - 1))
                bias = norm.bias + (bias - norm.running_mean) * scale
            found.append((weight.cpu().numpy(), bias.cpu().numpy()))
        return found


def teach(network: Network, planes: np.ndarray, wins: np.ndarray, forms: np.ndarray, epochs: int, seed: int) -> float:
    """Learn from positions in all their forms, drawn with replacement; the mean error of the last epoch."""
    device = next(network.parameters()).device
    torch.manual_seed(seed)
    side = round(forms.shape[1] ** 0.5)
    x, z = torch.as_tensor(planes).to(device), torch.as_tensor(wins, dtype=torch.float32).to(device)
    x, turned = x.view(len(x), -1, side * side), torch.as_tensor(forms).to(device)
    optimiser = torch.optim.Adam(network.parameters(), lr=RATE, fused=device.type == "cuda")
    network.train()
    steps, error = max(len(x) * len(forms) // BATCH, 1), torch.zeros((), device=device)
    for _ in range(epochs):
        error.zero_()
        rows, kinds = (torch.randint(n, (steps, BATCH), device=device) for n in (len(x), len(forms)))
        for k in range(steps):
            batch = x[rows[k]].gather(2, turned[kinds[k]][:, None].expand(-1, x.shape[1], -1))
            loss = nn.functional.mse_loss(network(batch.float().unflatten(2, (side, side))), z[rows[k]])
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            optimiser.step()
            error += loss.detach()
    network.eval()
    return float(error) / steps
