"""A trained network: packed rows in, every output by its name out."""

from pathlib import Path

import torch
import yaml
from safetensors.torch import load_file
from torch import nn

from .convolutions import Resnet, ResnetTransformer
from .network import Network
from .support import architecture, refusal

# Where weights lie in an export and in a cell's folder.
WEIGHTS = ("weights.safetensors", "checkpoints/final.safetensors")
NETWORKS = {"chessformer": Network, "resnet": Resnet, "resnet_transformer": ResnetTransformer}


class Model(nn.Module):
    """The network of a `config.yaml`. Squares are numbered from the side to move's lower left, rank by rank."""

    def __init__(self, config):
        super().__init__()
        self.config = config
        self.network = NETWORKS[architecture(config)](config)

    @property
    def game(self):
        """`chess` or `shogi`."""
        return self.config["game"]

    @property
    def input(self):
        """The name of the input: `piece_tokens`, `lc0_112`, …"""
        return self.config["input"]

    @property
    def injection_points(self):
        """Where encodings act on attention; see `InjectionPoints`."""
        if not hasattr(self.network, "encoding"):
            raise ValueError("a network of convolutions has no attention")
        return self.network.encoding.injection_points

    # The earlier name.
    seams = injection_points

    def forward(self, packed):
        """Packed rows, u8 `[b, row]` (`pack` makes some) → outputs by name: `policy` `[b, moves]` before the mask, `result`
        `[b, 3]`, `per_square` `[b, squares, classes]` and so on, and `trunk` `[b, tokens, width]`, which the heads read.
        """
        return self.network(self.network.prepare(packed))

    def observe(self):
        """A context in which every layer leaves its attention, content, term and rotation; see `InjectionPoints`."""
        return self.injection_points.observe()

    def replace(self, point, by, layer=None, head=None):
        """A context in which `by` changes what passes an injection point, in one layer or head or in all."""
        return self.injection_points.replace(point, by, layer, head)


def load(path):
    """The network of an export (`posenc export CELL --out DIR`) or of a finished cell (`runs/<experiment>/<row>/seed-<n>`), in
    evaluation mode, on the CPU, f32.

    Raises FileNotFoundError without weights, ValueError for a network that this package does not have.
    """
    path = Path(path)
    config = path / "config.yaml"
    if not config.is_file():
        raise FileNotFoundError(f"{path} has no config.yaml: name an export of `posenc export` or a cell's folder")
    config = yaml.safe_load(config.read_text())
    weights = next((path / name for name in WEIGHTS if (path / name).is_file()), None)
    if weights is None:
        raise FileNotFoundError(f"{path} has no {' or '.join(WEIGHTS)}: the cell is not finished, or its weights were removed")
    refused = refusal(config)
    if refused:
        raise ValueError(f"{path}: {refused}")
    try:
        model = Model(config)
        model.network.load(load_file(weights))
    except KeyError as missing:
        raise ValueError(f"{path} needs what posenc_torch does not have: {missing}") from missing
    return model.eval()


