"""Chessformer (arXiv 2409.12272) in plain PyTorch: embedding, body, heads. Parameters have the names of an export."""

import math
from types import SimpleNamespace

import torch
import torch.nn.functional as F
from torch import nn

from . import boards, heads
from .positions import ACTIVATIONS, Norm, Stack


class Attention(nn.Module):
    """Queries, keys and values of one `[3d, d]` weight; heads of adjacent channels."""

    def __init__(self, net):
        super().__init__()
        self.heads, self.width = net.heads, net.width
        self.qkv = nn.Linear(net.width, 3 * net.width, bias=net.qkv_bias)
        self.out = nn.Linear(net.width, net.width, bias=net.out_bias)
        if net.qk_norm:
            self.q_norm, self.k_norm = (Norm(net.width // net.heads, "rms") for _ in range(2))

    def forward(self, x, layer, stack):
        d = self.width
        asked, told = stack.chain("queries", layer, x), stack.chain("contents", layer, x)
        if asked is told:
            q, k, v = self.qkv(asked).chunk(3, -1)
        else:
            weight, bias = self.qkv.weight, self.qkv.bias
            q, k = F.linear(asked, weight[: 2 * d], None if bias is None else bias[: 2 * d]).chunk(2, -1)
            v = F.linear(told, weight[2 * d :], None if bias is None else bias[2 * d :])
        q, k, v = (part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in (q, k, v))
        if hasattr(self, "q_norm"):
            q, k = self.q_norm(q), self.k_norm(k)
        before, after = stack.total("before", layer, asked, q, k), stack.total("after", layer, asked)
        rotated = stack.rotate(layer, q, k)
        if stack.seams.is_open:
            weights = stack.seams.weights(layer, (q, k), rotated, before, after)
        else:
            weights = self.weights(*rotated, before, after)
        mixed, term = weights @ v, stack.total("mixed", layer, weights, v)
        term = stack.seams.passed("values", layer, term)
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

    def __init__(self, net):
        super().__init__()
        self.gate, self.activation = self.GATES.get(net.ff_kind), net.activation
        self.hidden = nn.Linear(net.width, 2 * net.ff if self.gate else net.ff, bias=net.ff_bias)
        self.out = nn.Linear(net.ff, net.width, bias=net.ff_bias)

    def forward(self, x):
        hidden = self.hidden(x)
        if self.gate:
            gate, value = hidden.chunk(2, -1)
            return self.out(self.gate(gate) * value)
        return self.out(self.activation(hidden))


def summed(net, x, branch):
    """The stream and a branch together. N is the number of blocks that a token passes.

    post x + (2N)^(−1/4)·Sub(x) (DeepNorm as Lc0's code has it), post_deepnet (2N)^(1/4)·x + Sub(x) (arXiv 2203.00555),
    post_scaled with an α of its own, otherwise x + Sub(x).
    """
    kind, options = net.norm
    if kind == "post":
        return x + (2 * net.depth) ** -0.25 * branch
    if kind == "post_scaled":
        return x + options["alpha"] * branch
    if kind == "post_deepnet":
        return (2 * net.depth) ** 0.25 * x + branch
    return x + branch


class Block(nn.Module):
    """Norms behind the sums, or with `pre` in front of the sublayers."""

    def __init__(self, net):
        super().__init__()
        self.net = net
        self.attention, self.attention_norm = Attention(net), Norm(net.width, net.normalisation)
        self.feed_forward, self.feed_forward_norm = FeedForward(net), Norm(net.width, net.normalisation)

    def forward(self, x, layer, stack):
        if self.net.norm[0] == "pre":
            x = summed(self.net, x, self.attention(self.attention_norm(x), layer, stack))
            return summed(self.net, x, self.feed_forward(self.feed_forward_norm(x)))
        x = self.attention_norm(summed(self.net, x, self.attention(x, layer, stack)))
        return self.feed_forward_norm(summed(self.net, x, self.feed_forward(x)))


class Embedding(nn.Linear):
    """Old: activation(Wx + b), then the encodings. New (Lc0's BT3 and BT4): each token also sees a summary of the pieces
    on all squares; a norm stands before the encodings, a feed-forward layer with its norm behind them.
    """

    def __init__(self, net):
        super().__init__(net.input.channels + net.summary, net.width)
        self.net = net
        if net.summary:
            places = net.board.squares * len(net.input.pieces)
            self.pieces = nn.Linear(places, net.tokens * net.summary)
            self.norm, self.feed_forward_norm = Norm(net.width, net.normalisation), Norm(net.width, net.normalisation)
            self.feed_forward = FeedForward(net)

    def forward(self, x, stack, registers=None):
        if not self.net.summary:
            embedded = self.net.activation(super().forward(x))
            if registers is not None:
                embedded = torch.cat([embedded, registers.expand(x.shape[0], -1, -1)], 1)
            return stack.embed(embedded)
        pieces = x[:, : self.net.board.squares, self.net.input.pieces.start : self.net.input.pieces.stop]
        summaries = self.pieces(pieces.flatten(1)).unflatten(-1, (self.net.tokens, -1))
        y = self.norm(self.net.activation(super().forward(torch.cat([x, summaries], -1))))
        y = stack.embed(y)
        return self.feed_forward_norm(summed(self.net, y, self.feed_forward(y)))


class Network(nn.Module):
    """The network of an export's `config.yaml`."""

    def __init__(self, config):
        super().__init__()
        net = sizes(config)
        self.net = net
        self.embedding = Embedding(net)
        self.encoding = Stack(config["encoding"], net)
        self.body = nn.ModuleList(Block(net) for _ in range(net.layers))
        if net.norm[0] == "pre":
            self.body.add_module("final_norm", Norm(net.width, net.normalisation))
        self.heads = heads.Heads(net)
        if net.registers:
            self.registers = nn.Module()
            self.registers.vectors = nn.Parameter(torch.zeros(net.registers, net.width))

    def forward(self, channels):
        """Channels `[b, l, c]` → every output by its name."""
        pieces = channels[:, : self.net.board.squares, self.net.input.pieces.start : self.net.input.pieces.stop]
        self.encoding.show(pieces.sum(-1) > 0)
        registers = self.registers.vectors if self.net.registers else None
        x = self.embedding(channels, self.encoding, registers)
        for _ in range(self.net.loops):
            for layer in range(self.net.layers):
                x = self.body[layer](x, layer, self.encoding)
        if self.net.norm[0] == "pre":
            x = self.body.final_norm(x)
        x = x[:, : channels.shape[1]]
        return {"trunk": x, **self.heads(x)}

    def load(self, weights):
        """Takes the tensors of `weights.safetensors`; every name and shape must be there, and no other."""
        own = self.state_dict()
        # An export has no folder for the heads: `heads.policy.key.weight` is its `policy.key.weight`.
        self.load_state_dict({name: weights.pop(exported(name)).to(own[name].dtype) for name in own})
        if weights:
            raise KeyError(f"parameters that this network does not have: {sorted(weights)}")


def exported(name):
    """A parameter's name in an export."""
    return name.removeprefix("heads.")


def named(choice):
    """A name, or a map of a name to its options."""
    return next(iter(choice.items())) if isinstance(choice, dict) else (choice, {})


def sizes(config):
    """What the parts are declared from."""
    model, game = config["model"]["chessformer"], config["game"]
    seen = boards.Input(game, config["input"])
    registers, loops = model.get("registers", 0), model.get("loops", 1)
    return SimpleNamespace(
        game=game,
        board=seen.board,
        input=seen,
        tokens=seen.tokens + registers,
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
        summary=named(model.get("embedding", "old"))[1].get("dense", 0),
        normalisation=model.get("normalisation", "rms"),
        activation=ACTIVATIONS[model.get("activation", "mish")],
        qkv_bias=model.get("qkv_bias", False),
        qk_norm=model.get("qk_norm", False),
        outputs=model.get("outputs") or {"policy": {}, "result": {}},
        policy=model.get("policy") or {},
        value=model.get("value") or {},
    )
