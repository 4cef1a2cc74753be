"""The Organism paper's network in torch, and how it was trained: Adam on the squared error of who won."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

from ludus.nets.hexaconv import LAYERS, PLANES, Arrays, sizes

BATCH, RATE, DROPOUT = 64, 1e-3, 0.3
WARM_UP = 3  # steps before one is captured


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
    torch.manual_seed(seed)
    lesson = Lesson(network, planes, wins, forms)
    network.train()
    error = 0.0
    for _ in range(epochs):
        error = lesson.epoch()
    network.eval()
    return error


class Lesson:
    """Steps over batches that are drawn beforehand. On a GPU one step is captured and then repeated: each is so short
    that asking for its parts one by one would take five times as long."""

    def __init__(self, network: Network, planes: np.ndarray, wins: np.ndarray, forms: np.ndarray):
        self.network, device = network, next(network.parameters()).device
        self.side, self.on_gpu = round(forms.shape[1] ** 0.5), device.type == "cuda"
        torch.backends.cudnn.benchmark = self.on_gpu
        x = torch.as_tensor(planes).to(device)
        self.x, self.z = x.view(len(x), PLANES, -1), torch.as_tensor(wins, dtype=torch.float32).to(device)
        self.forms = torch.as_tensor(forms).to(device)
        self.optimiser = torch.optim.Adam(network.parameters(), lr=RATE, fused=self.on_gpu, capturable=self.on_gpu)
        self.steps = max(len(x) * len(forms) // BATCH, 1)
        drawn = max(self.steps, WARM_UP), BATCH
        self.rows, self.kinds = (torch.zeros(drawn, dtype=torch.int64, device=device) for _ in range(2))
        self.at, self.error = torch.zeros(1, dtype=torch.int64, device=device), torch.zeros((), device=device)
        self._captured: torch.cuda.CUDAGraph | None = None

    def epoch(self) -> float:
        """As many steps as the positions fill batches; their mean error."""
        for drawn, count in ((self.rows, len(self.x)), (self.kinds, len(self.forms))):
            drawn.random_(count)
        self.at.zero_()
        self.error.zero_()
        done = self._capture() if self.on_gpu and not self._captured else 0
        for _ in range(done, self.steps):
            self._captured.replay() if self._captured else self._step()
        return float(self.error) / self.steps

    def _step(self) -> None:
        rows, kinds = self.rows[self.at][0], self.kinds[self.at][0]
        batch = self.x[rows].gather(2, self.forms[kinds][:, None].expand(-1, PLANES, -1)).float()
        loss = nn.functional.mse_loss(self.network(batch.unflatten(2, (self.side, self.side))), self.z[rows])
        loss.backward()
        self.optimiser.step()
        self.optimiser.zero_grad(set_to_none=True)
        self.error += loss.detach()
        self.at += 1

    def _capture(self) -> int:
        """Some steps on a stream apart, as torch wants it, then one that is kept to be repeated; how many were made."""
        here, apart = torch.cuda.current_stream(), torch.cuda.Stream()
        apart.wait_stream(here)
        with torch.cuda.stream(apart):
            for _ in range(WARM_UP):
                self._step()
        here.wait_stream(apart)
        self._captured = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self._captured):
            self._step()
        return WARM_UP
