"""The heads of Chessformer (A.3), those of Lc0's training code, and the maps of label datasets."""

import math

import torch
from torch import nn

from . import boards


class Heads(nn.Module):
    """The heads that `model.outputs` names; policy and result if it names none. Parameters are the network's own."""

    def __init__(self, net):
        super().__init__()
        self.names = net.outputs
        for name, options in net.outputs.items():
            if name == "policy":
                self.policy = FromTo(net, net.policy.get("depth", net.width))
            elif name == "soft_policy":
                depth = (options or {}).get("depth") or net.policy.get("depth", net.width)
                self.soft_policy = FromTo(net, depth)
            elif name == "result":
                self.value = Pooled(net, net.value, {"wdl": 3})
            elif name in ("q", "short_term"):
                self.add_module(name, Reward(net, options or {}))
            elif name == "moves_left":
                sizes = {"embedding": 32, "hidden": 128, **(options or {}), "pool": net.value.get("pool", "flatten")}
                self.moves_left = Pooled(net, sizes, {"out": 1})
            elif name == "per_square":
                self.per_square = nn.Linear(net.width, options["classes"])
            elif name == "pairs":
                self.pairs = Pairs(net, options or {})
            else:
                raise KeyError(f"there is no head {name} here")
        self.squares = net.board.squares
        if "policy" in self.names or "soft_policy" in self.names:
            if not hasattr(self, "policy"):
                self.policy = nn.Module()
            # Both policies read this embedding, which belongs to the first.
            self.policy.embedding = nn.Linear(net.width, net.policy.get("embedding", net.width))
            self.activation = net.activation

    def forward(self, x):
        found = {}
        if hasattr(self, "policy"):
            embedded = self.activation(self.policy.embedding(x))
        for name in self.names:
            if name == "policy":
                found[name] = self.policy(embedded)
            elif name == "soft_policy":
                found[name] = self.soft_policy(embedded)
            elif name == "result":
                found[name] = self.value.wdl(self.value(x))
            elif name == "moves_left":
                found[name] = self.moves_left.out(self.moves_left(x)).squeeze(1).clamp_min(0)
            elif name == "per_square":
                found[name] = self.per_square(x[:, : self.squares])
            elif name == "pairs":
                found[name] = self.pairs(x)
            else:
                found |= {name + part: value for part, value in getattr(self, name).answers(x).items()}
        return found


class FromTo(nn.Module):
    """A move's logit is query(from)·key(to)/√depth, plus a term of its promotion that is linear in key(to)."""

    def __init__(self, net, depth):
        super().__init__()
        embedding = net.policy.get("embedding", net.width)
        self.squares, self.depth = net.board.squares, depth
        self.query, self.key = nn.Linear(embedding, depth), nn.Linear(embedding, depth)
        self.promotion = nn.Linear(depth, boards.PROMOTIONS[net.game], bias=False)
        pieces = boards.DROPS[net.game]
        hands = [f"hand.own.{piece}" for piece in pieces]
        self.hands = [net.board.squares + net.input.aux_names.index(hand) for hand in hands] if net.input.aux else None
        self.drops = bool(pieces)
        if pieces and not self.hands:
            self.drop = nn.Module()
            self.drop.vectors = nn.Parameter(torch.zeros(len(pieces), depth))
            self.drop.board = nn.Linear(embedding, depth, bias=False)
        moves = boards.MOVES[net.game](net.board)
        self.register_buffer("origin", torch.tensor([move[0] for move in moves]), persistent=False)
        self.register_buffer("target", torch.tensor([move[1] for move in moves]), persistent=False)
        promoting = [i for i, move in enumerate(moves) if move[2] is not None]
        self.register_buffer("promoting", torch.tensor(promoting), persistent=False)
        self.register_buffer("kind", torch.tensor([moves[i][2] for i in promoting]), persistent=False)

    def forward(self, embedded):
        squares = embedded[:, : self.squares]
        keys, queries = self.key(squares), self.query(squares)
        if self.drops:
            if self.hands:
                dropped = self.query(embedded[:, self.hands])
            else:
                dropped = self.drop.vectors + self.drop.board(squares.mean(1, keepdim=True))
            queries = torch.cat([queries, dropped], 1)
        logits = (queries @ keys.transpose(1, 2) / math.sqrt(self.depth))[:, self.origin, self.target]
        extra = self.promotion(keys)[:, self.target[self.promoting], self.kind]
        return logits.index_add(1, self.promoting, extra)


class Pooled(nn.Module):
    """Squares reduced to a few channels, flattened (or averaged), and a hidden layer that `outputs` read."""

    def __init__(self, net, sizes, outputs):
        super().__init__()
        channels, hidden = sizes.get("embedding", 32), sizes.get("hidden", 128)
        self.mean, self.squares = sizes.get("pool", "flatten") == "mean", net.board.squares
        self.activation = net.activation
        self.embedding = nn.Linear(net.width, channels)
        self.hidden = nn.Linear(channels if self.mean else channels * self.squares, hidden)
        for name, width in outputs.items():
            self.add_module(name, nn.Linear(hidden, width))

    def forward(self, x):
        embedded = self.activation(self.embedding(x[:, : self.squares]))
        pooled = embedded.mean(1) if self.mean else embedded.flatten(1)
        return self.activation(self.hidden(pooled))


class Reward(Pooled):
    """A reward in −1…1, its expected squared error in 0…1, and logits of the interval that it lies in."""

    def __init__(self, net, options):
        outputs = {"value": 1}
        if options.get("error", True):
            outputs["error"] = 1
        if options.get("buckets", 0):
            outputs["buckets"] = options["buckets"]
        super().__init__(net, net.value, outputs)
        self.parts = list(outputs)

    def answers(self, x):
        hidden = self(x)
        found = {"": self.value(hidden).squeeze(1).tanh()}
        if "error" in self.parts:
            found[".error"] = self.error(hidden).squeeze(1).sigmoid()
        if "buckets" in self.parts:
            found[".buckets"] = self.buckets(hidden)
        return found


class Pairs(nn.Module):
    """query(from)·key(to)/√depth + a bias, for every pair of squares."""

    def __init__(self, net, options):
        super().__init__()
        embedding, depth = options.get("embedding") or net.width, options.get("depth") or net.width
        self.squares, self.depth, self.activation = net.board.squares, depth, net.activation
        self.embedding = nn.Linear(net.width, embedding)
        self.query, self.key = nn.Linear(embedding, depth), nn.Linear(embedding, depth)
        self.bias = nn.Parameter(torch.zeros(1))

    def forward(self, x):
        embedded = self.activation(self.embedding(x[:, : self.squares]))
        return self.query(embedded) @ self.key(embedded).transpose(1, 2) / math.sqrt(self.depth) + self.bias
