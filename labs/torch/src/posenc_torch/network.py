"""Chessformer (arXiv 2409.12272) in plain PyTorch: embedding, body, heads. Parameters have the names of an export."""

import math
from types import SimpleNamespace

import torch
import torch.nn.functional as F
from torch import nn

from . import boards, heads, parts
from .inputs import Input
from .positions import ACTIVATIONS, Norm, Stack, normalisation


class Attention(nn.Module):
    """Queries, keys and values of one `[3d, d]` weight; heads of adjacent channels."""

    def __init__(self, net):
        super().__init__()
        self.heads, self.width, self.groups = net.heads, net.width, net.qkv_groups
        self.qkv = nn.Linear(net.width // net.qkv_groups, 3 * net.width, bias=net.qkv_bias)
        self.out = nn.Linear(net.width, net.width, bias=net.out_bias)
        if net.qk_norm:
            self.q_norm, self.k_norm = (Norm(net.width // net.heads, "rms") for _ in range(2))

    def projected(self, x):
        """Queries, keys and values side by side. Of g groups each reads its part of the channels."""
        if self.groups == 1:
            return self.qkv(x)
        rows = self.qkv.weight.unflatten(0, (self.groups, -1))
        made = torch.einsum("blgi,goi->blgo", x.unflatten(-1, (self.groups, -1)), rows).flatten(2)
        return made if self.qkv.bias is None else made + self.qkv.bias

    def project(self, asked, told):
        """Queries, keys and values `[b, l, d]`: the first argument makes the first two, the second one the third."""
        d, weight, bias = self.width, self.qkv.weight, self.qkv.bias
        if asked is told:
            return self.projected(asked).chunk(3, -1)
        if self.groups > 1:
            # Groups do not end where queries and keys do.
            return (*self.projected(asked).chunk(3, -1)[:2], self.projected(told).chunk(3, -1)[2])
        q, k = F.linear(asked, weight[: 2 * d], None if bias is None else bias[: 2 * d]).chunk(2, -1)
        return q, k, F.linear(told, weight[2 * d :], None if bias is None else bias[2 * d :])

    def split(self, x):
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def read(self, x, layer, stack):
        """Queries, keys and values `[b, h, l, k]` before rotation, and the terms of the logits as in `weights`."""
        asked, told = stack.chain("queries", layer, x), stack.chain("contents", layer, x)
        q, k, v = (self.split(part) for part in self.project(asked, told))
        if hasattr(self, "q_norm"):
            q, k = self.q_norm(q), self.k_norm(k)
        return q, k, v, stack.total("before", layer, asked, q, k), stack.total("after", layer, asked)

    def forward(self, x, layer, stack):
        q, k, v, before, after = self.read(x, layer, stack)
        rotated = stack.rotate(layer, q, k)
        if stack.injection_points.is_open:
            weights = stack.injection_points.weights(layer, (q, k), rotated, before, after)
        else:
            weights = self.weights(*rotated, before, after)
        mixed, term = weights @ v, stack.total("mixed", layer, weights, v)
        term = stack.injection_points.passed("values", layer, term)
        if term is not None:
            mixed = mixed + term
        return self.out(mixed.transpose(1, 2).flatten(2))

    def weights(self, q, k, before, after):
        """Attention `[b, h, l, l]`; `before` is divided by √k with the products, `after` is not."""
        logits = q @ k.transpose(-1, -2)
        if before is not None:
            logits = logits + before
        logits = logits / math.sqrt(q.shape[-1])
        if after is not None:
            logits = logits + after
        return logits.softmax(-1)


class FeedForward(nn.Module):
    """W₂·activation(W₁x + b₁) + b₂; the gated forms are W₂·(gate(Wx) ⊙ Vx) with W above V in one weight."""

    GATES = {"glu": torch.sigmoid, "swiglu": F.silu, "geglu": F.gelu}

    def __init__(self, net, inside):
        super().__init__()
        self.gate, self.activation = self.GATES.get(net.ff_kind), net.ff_activation
        self.hidden = nn.Linear(net.width, 2 * inside if self.gate else inside, bias=net.ff_bias)
        self.out = nn.Linear(inside, net.width, bias=net.ff_bias)

    def forward(self, x):
        hidden = self.hidden(x)
        if self.gate:
            gate, value = hidden.chunk(2, -1)
            return self.out(self.gate(gate) * value)
        return self.out(self.activation(hidden))


def summed(net, x, branch, of_attention=False):
    """The stream and a branch together. N is the number of blocks that a token passes.

    post x + (2N)^(−1/4)·Sub(x) (DeepNorm as Lc0's code has it), post_deepnet (2N)^(1/4)·x + Sub(x) (arXiv 2203.00555),
    post_deepnet_attention the same behind attention, post_scaled with an α of its own, otherwise x + Sub(x).
    """
    kind, options = net.norm
    if kind == "post":
        return x + (2 * net.depth) ** -0.25 * branch
    if kind == "post_scaled":
        return x + options["alpha"] * branch
    if kind == "post_deepnet" or kind == "post_deepnet_attention" and of_attention:
        return (2 * net.depth) ** 0.25 * x + branch
    return x + branch


class Block(nn.Module):
    """Norms behind the sums, or with `pre` in front of the sublayers."""

    def __init__(self, net):
        super().__init__()
        self.net = net
        self.attention, self.attention_norm = Attention(net), normalisation(net.width, net.normalisation)
        self.feed_forward = FeedForward(net, net.ff)
        self.feed_forward_norm = normalisation(net.width, net.normalisation)
        # The stream behind attention passes here with `pre`, so that a hook can see it.
        self.attended = nn.Identity()

    def forward(self, x, layer, stack):
        if self.net.norm[0] == "pre":
            x = self.attended(summed(self.net, x, self.attention(self.attention_norm(x), layer, stack), True))
            return summed(self.net, x, self.feed_forward(self.feed_forward_norm(x)))
        x = self.attention_norm(summed(self.net, x, self.attention(x, layer, stack), True))
        return self.feed_forward_norm(summed(self.net, x, self.feed_forward(x)))


class Body(nn.ModuleList):
    """The blocks, passed `loops` times, and with `pre` one more norm."""

    def __init__(self, net):
        super().__init__(Block(net) for _ in range(net.layers))
        self.net = net
        if net.norm[0] == "pre":
            self.add_module("final_norm", normalisation(net.width, net.normalisation))

    def forward(self, x, stack):
        for _ in range(self.net.loops):
            for layer in range(self.net.layers):
                x = self[layer](x, layer, stack)
        return self.final_norm(x) if self.net.norm[0] == "pre" else x


class Embedding(nn.Linear):
    """Old: activation(Wx + b), then the encodings. Linear: Wx + b. Table: Wx. Reach: a map of the squares that moves
    reach stands behind x. New (Lc0's BT3 and BT4): each token also sees a summary of the pieces on all squares; a norm
    stands before the encodings, a feed-forward layer with its norm behind them.
    """

    def __init__(self, net, kind, options):
        board, size = net.board, options.get("dense", 0)
        more = size if kind == "new" else board.squares if kind == "reach" else 0
        super().__init__(net.input.channels + more, net.width, bias=kind != "table")
        self.net, self.kind, self.read = net, kind, net.input.tokens
        if kind == "reach":
            reached = torch.zeros(self.read, board.squares)
            for origin, target, promotion in boards.MOVES[net.game](board):
                if promotion is None and origin < board.squares:
                    reached[origin, target] = 1
            reached[: board.squares] -= torch.eye(board.squares)
            self.register_buffer("reached", reached, persistent=False)
        if kind == "new":
            self.pieces = nn.Linear(board.squares * len(net.input.pieces), self.read * size)
            self.norm, self.feed_forward_norm = (normalisation(net.width, net.normalisation) for _ in range(2))
            self.feed_forward = FeedForward(net, options.get("ff") or net.ff)

    def forward(self, x, stack, registers=None):
        if self.kind == "reach":
            x = torch.cat([x, self.reached.to(x.dtype).expand(x.shape[0], -1, -1)], -1)
        if self.kind == "new":
            summaries = self.pieces(pieces(self.net.input, x).flatten(1)).unflatten(-1, (self.read, -1))
            x = torch.cat([x, summaries], -1)
        embedded = super().forward(x)
        if self.kind not in ("table", "linear"):
            embedded = self.net.activation(embedded)
        if registers is not None:
            embedded = torch.cat([embedded, registers.expand(x.shape[0], -1, -1)], 1)
        if self.kind != "new":
            return stack.embed(embedded)
        y = stack.embed(self.norm(embedded))
        return self.feed_forward_norm(summed(self.net, y, self.feed_forward(y)))


def pieces(seen, channels):
    """The channels of the squares that show the current position's pieces."""
    return channels[:, seen.first : seen.first + seen.board.squares][..., seen.pieces]


class Loaded(nn.Module):
    """A network whose parameters have the names of an export."""

    def prepare(self, packed):
        """What `forward` reads, from packed rows: channels `[b, l, c]`, or the rows themselves."""
        return self.net.input.expand(packed)

    def load(self, weights):
        """Takes the tensors of `weights.safetensors`; every name and shape must be there, and no other."""
        own = self.state_dict()
        # An export has no folder for the heads: `heads.policy.key.weight` is its `policy.key.weight`.
        self.load_state_dict({name: weights.pop(exported(name)).to(own[name].dtype) for name in own})
        if weights:
            raise KeyError(f"parameters that this network does not have: {sorted(weights)}")


class Network(Loaded):
    """The chessformer of an export's `config.yaml`."""

    def __init__(self, config):
        super().__init__()
        net = sizes(config)
        self.net = net
        kind, options = named(config["model"]["chessformer"].get("embedding", "old"))
        self.reads_rows = kind == "parts"
        if self.reads_rows:
            self.embedding = parts.Parts(options, net.input, net.width)
        else:
            self.embedding = Embedding(net, kind, options)
        self.encoding = Stack(config["encoding"], net)
        self.body = Body(net)
        self.heads = heads.Heads(net)
        if net.registers:
            self.registers = nn.Module()
            self.registers.vectors = nn.Parameter(torch.zeros(net.registers, net.width))

    def prepare(self, packed):
        return packed if self.reads_rows else super().prepare(packed)

    def forward(self, x):
        """Channels `[b, l, c]` (with the parts of the CLS transformer packed rows) → every output by its name."""
        squares = self.net.board.squares
        occupied = x[:, :squares] > 0 if self.reads_rows else pieces(self.net.input, x).sum(-1) > 0
        self.encoding.show(occupied)
        registers = self.registers.vectors if self.net.registers else None
        x = self.body(self.embedding(x, self.encoding, registers), self.encoding)
        x = x[:, : self.net.tokens - self.net.registers]
        return {"trunk": x, **self.heads(x)}


def exported(name):
    """A parameter's name in an export."""
    return name.removeprefix("heads.")


def named(choice):
    """A name, or a map of a name to its options."""
    return next(iter(choice.items())) if isinstance(choice, dict) else (choice, {})


def common(config):
    """What every architecture's parts are declared from."""
    seen = Input(config["game"], config["input"])
    return SimpleNamespace(
        game=config["game"],
        board=seen.board,
        input=seen,
        tokens=seen.tokens,
        first=seen.first,
        summary=seen.summary,
        moves=config.get("moves", "from_to"),
    )


def sizes(config):
    """What the parts of a chessformer are declared from."""
    model, net = config["model"]["chessformer"], common(config)
    registers, loops = model.get("registers", 0), model.get("loops", 1)
    kind, options = named(model.get("embedding", "old"))
    if kind == "parts":
        net.tokens, net.summary = parts.tokens(options, net.input), net.board.squares
    activation = model.get("activation", "mish")
    net.__dict__.update(
        tokens=net.tokens + registers,
        registers=registers,
        loops=loops,
        depth=loops * model["layers"],
        width=model["width"],
        heads=model["heads"],
        layers=model["layers"],
        ff=model["ff"],
        norm=named(model.get("norm", "post")),
        ff_kind=model.get("ff_kind", "dense"),
        ff_bias=model.get("ff_bias", True),
        out_bias=model.get("out_bias", True),
        normalisation=model.get("normalisation", "rms"),
        activation=ACTIVATIONS[activation],
        ff_activation=ACTIVATIONS[model.get("ff_activation", activation)],
        qkv_bias=model.get("qkv_bias", False),
        qk_norm=model.get("qk_norm", False),
        qkv_groups=1,
        outputs=model.get("outputs") or {"policy": {}, "result": {}},
        policy=model.get("policy") or {},
        value=model.get("value") or {},
    )
    return net
