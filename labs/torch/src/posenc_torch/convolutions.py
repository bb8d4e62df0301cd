"""Residual networks of convolutions, alone or with attention layers behind them: Lc0's before the Transformer, and dlshogi's.

Squares are tokens `[b, n, c]` or planes `[b, c, ranks, files]`. Parameters have the names of an export.
"""

import torch
from torch import nn

from . import boards
from .heads import VECTORS, PlaneLogits, answer
from .network import Body, Loaded, common, named
from .positions import ACTIVATIONS, BatchNorm, Stack


class Convolution(nn.Conv2d):
    """With zeros outside the board."""

    def __init__(self, inputs, outputs, side, bias=False):
        super().__init__(inputs, outputs, side, padding=side // 2, bias=bias)


class Normed(Convolution):
    """And a batch norm behind it."""

    def __init__(self, inputs, outputs, side):
        super().__init__(inputs, outputs, side)
        self.norm = BatchNorm(outputs)

    def forward(self, x):
        return self.norm(super().forward(x))


class Parted(nn.Module):
    """3×3 and 1×1 of the channels that say something about their square, and 1×1 of the others."""

    def __init__(self, net):
        super().__init__()
        self.own_channels, rest = net.input.own_channels, net.input.channels - net.input.own_channels
        self.around, self.own = (Convolution(self.own_channels, net.width, side) for side in (3, 1))
        self.everywhere, self.norm = Convolution(rest, net.width, 1), BatchNorm(net.width)

    def forward(self, x):
        own, rest = x[:, : self.own_channels], x[:, self.own_channels :]
        return self.norm(self.around(own) + self.own(own) + self.everywhere(rest))


class Squeeze(nn.Module):
    """σ(s)·x + t, [s, t] from the means of all channels: squeeze-and-excitation as in Lc0's networks."""

    def __init__(self, net, inside):
        super().__init__()
        self.activation = net.activation
        self.squeeze, self.excite = nn.Linear(net.width, inside), nn.Linear(inside, 2 * net.width)

    def forward(self, x):
        excited = self.excite(self.activation(self.squeeze(x.mean((2, 3)))))
        scale, offset = excited[:, :, None, None].chunk(2, 1)
        return x * scale.sigmoid() + offset


class Block(nn.Module):
    def __init__(self, net, se):
        super().__init__()
        self.activation = net.activation
        self.first, self.second = Normed(net.width, net.width, 3), Normed(net.width, net.width, 3)
        if se:
            self.se = Squeeze(net, se["channels"])

    def forward(self, x):
        branch = self.second(self.activation(self.first(x)))
        return self.activation((self.se(branch) if hasattr(self, "se") else branch) + x)


class Reduced(nn.Module):
    """A convolution 1×1 to a few channels, laid side by side channel by channel; `outputs` read these."""

    def __init__(self, net, channels, outputs):
        super().__init__()
        self.activation, self.reduce = net.activation, Normed(net.width, channels, 1)
        for name, width in outputs.items():
            self.add_module(name, nn.Linear(channels * net.board.squares, width))

    def forward(self, x):
        return self.activation(self.reduce(x)).flatten(1)


class Vector(Reduced):
    """The same with a hidden layer."""

    def __init__(self, net, channels, hidden, last, width):
        super().__init__(net, channels, {"hidden": hidden})
        self.add_module(last, nn.Linear(hidden, width))

    def forward(self, x):
        return self.activation(self.hidden(super().forward(x)))


class PlanesPolicy(nn.Module):
    """Two convolutions; the second has a plane for each kind of move."""

    def __init__(self, net):
        super().__init__()
        kinds, entries = boards.cells(net.moves, net.game, net.board)
        self.activation, self.first = net.activation, Normed(net.width, net.width, 3)
        self.planes = Convolution(net.width, kinds, 3, bias=True)
        places = torch.tensor([kind * net.board.squares + square for kind, square in entries])
        self.register_buffer("places", places, persistent=False)

    def forward(self, x):
        return self.planes(self.activation(self.first(x))).flatten(1)[:, self.places]


class DensePolicy(Reduced):
    """A dense layer from all squares to all moves."""

    def __init__(self, net, channels):
        moves = boards.LISTS.get(net.moves) or len(boards.cells(net.moves, net.game, net.board)[1])
        super().__init__(net, channels, {"moves": moves})

    def forward(self, x):
        return self.moves(super().forward(x))


class Heads(nn.Module):
    """Policy, result, win rate and moves left; they read planes."""

    def __init__(self, net, config):
        super().__init__()
        self.names = config.get("outputs") or {"policy": {}, "result": {}}
        kind, options = named(config.get("policy", "convolution"))
        value = {"channels": 32, "hidden": 128, **(config.get("value") or {})}
        self.reads_tokens = kind == "planes"
        for name, sizes in self.names.items():
            if name == "policy" and kind == "convolution":
                self.policy = PlanesPolicy(net)
            elif name == "policy":
                dense = kind == "dense"
                self.policy = DensePolicy(net, (options or {}).get("channels", 32)) if dense else PlaneLogits(net)
            elif name in VECTORS:
                scope, last, width = VECTORS[name]
                self.add_module(scope, Vector(net, value["channels"], value["hidden"], last, width))
            elif name == "moves_left":
                sizes = {"embedding": 32, "hidden": 128, **(sizes or {})}
                self.moves_left = Vector(net, sizes["embedding"], sizes["hidden"], "out", 1)
            else:
                raise KeyError(f"the head {name} of convolutions")

    def forward(self, tokens, planes):
        found = {}
        for name in self.names:
            if name == "policy":
                found[name] = self.policy(tokens if self.reads_tokens else planes)
            else:
                scope, last, _ = VECTORS.get(name, (name, "out", 1))
                head = getattr(self, scope)
                found[name] = answer(name, getattr(head, last)(head(planes)))
        return found


class Resnet(Loaded):
    """The residual network of an export's `config.yaml`."""

    def __init__(self, config):
        super().__init__()
        self.declare(config, config["model"]["resnet"], common(config))
        self.body = self.blocks(config["model"]["resnet"])

    def declare(self, config, model, net):
        """Everything but the body."""
        net.width, net.activation = model["channels"], ACTIVATIONS[model.get("activation", "relu")]
        self.net, board = net, net.board
        self.ranks, self.files = board.ranks, board.files
        parted = model.get("stem", "single") == "parted"
        self.embedding = Parted(net) if parted else Normed(net.input.channels, net.width, 3)
        self.heads = Heads(net, model)

    def blocks(self, model):
        return nn.ModuleList(Block(self.net, model.get("se")) for _ in range(model["blocks"]))

    def planes(self, x):
        """`[b, n, c]` → `[b, c, ranks, files]`."""
        return x.transpose(1, 2).unflatten(2, (self.ranks, self.files))

    def tokens(self, x):
        """`[b, c, ranks, files]` → `[b, n, c]`."""
        return x.flatten(2).transpose(1, 2)

    def stem(self, channels):
        return self.net.activation(self.embedding(self.planes(channels)))

    def forward(self, channels):
        """Channels `[b, n, c]` → every output by its name."""
        x = self.stem(channels)
        for block in self.body:
            x = block(x)
        tokens = self.tokens(x)
        return {"trunk": tokens, **self.heads(tokens, x)}


class ResnetTransformer(Resnet):
    """Attention layers between the residual blocks and the heads (dlshogi, branch feature/resnet-transformer)."""

    def __init__(self, config):
        nn.Module.__init__(self)
        model, net = config["model"]["resnet_transformer"], common(config)
        own = model["attention"]
        activation = ACTIVATIONS[own.get("activation", "gelu")]
        net.__dict__.update(
            loops=1,
            depth=own["layers"],
            heads=own["heads"],
            layers=own["layers"],
            ff=own["ff"],
            norm=named(own.get("norm", "post_plain")),
            ff_kind=own.get("ff_kind", "dense"),
            ff_bias=own.get("ff_bias", False),
            out_bias=own.get("out_bias", False),
            normalisation=own.get("normalisation", "batch"),
            ff_activation=activation,
            qkv_bias=own.get("qkv_bias", False),
            qk_norm=False,
            qkv_groups=own.get("qkv_groups", 1),
        )
        self.declare(config, model["resnet"], net)
        self.body = nn.ModuleDict({"residual": self.blocks(model["resnet"]), "attention": Body(net)})
        self.encoding = Stack(config["encoding"], net)
        self.at_stem = model.get("embed", "attention") == "stem"

    def forward(self, channels):
        seen = channels[..., self.net.input.pieces]
        self.encoding.show(seen.sum(-1) > 0)
        x = self.stem(channels)
        if self.at_stem:
            x = self.planes(self.encoding.embed(self.tokens(x)))
        for block in self.body["residual"]:
            x = block(x)
        tokens = self.tokens(x)
        if not self.at_stem:
            tokens = self.encoding.embed(tokens)
        tokens = self.body["attention"](tokens, self.encoding)
        return {"trunk": tokens, **self.heads(tokens, self.planes(tokens))}
