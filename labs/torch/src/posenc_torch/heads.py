"""The heads of Chessformer (A.3), those of Lc0's training code, dlshogi's, and the maps of label datasets."""

import math

import torch
from torch import nn

from . import boards
from .points import zeros

# Where a head's parameters lie, and what its last layer is called and gives.
VECTORS = {
    "result": ("value", "wdl", 3),
    "result_shares": ("result_shares", "wdl", 3),
    "value_result": ("value_result", "wdl", 3),
    "value_shares": ("value_shares", "wdl", 3),
    "win_rate": ("win_rate", "logit", 1),
}


def answer(name, made):
    """What a head of `VECTORS` or the moves left says, from its last layer."""
    if name == "win_rate":
        return made.squeeze(1).sigmoid()
    return made.squeeze(1).clamp_min(0) if name == "moves_left" else made


class Heads(nn.Module):
    """The heads that `model.outputs` names; policy and result if it names none. Parameters are the network's own."""

    def __init__(self, net):
        super().__init__()
        self.names, self.first, self.squares = net.outputs, net.first, net.board.squares
        for name, options in net.outputs.items():
            if name in ("policy", "soft_policy"):
                self.add_module(name, policy(net, (options or {}).get("depth")))
            elif name == "further_policies":
                self.further_policies = nn.ModuleDict({key: policy(net, own.get("depth")) for key, own in options.items()})
            elif name in VECTORS:
                scope, last, width = VECTORS[name]
                self.add_module(scope, vector(net, net.value, {last: width}))
            elif name in ("q", "short_term"):
                self.add_module(name, reward(net, options or {}))
            elif name == "moves_left":
                sizes = {"embedding": 32, "hidden": 128, **(options or {}), "pool": net.value.get("pool", "flatten")}
                self.moves_left = vector(net, sizes, {"out": 1})
            elif name == "per_square":
                self.per_square = nn.Linear(net.width, options["classes"])
            elif name == "pairs":
                self.pairs = Pairs(net, options or {})
            elif name == "rights":
                self.rights = Summary(net, {"bits": (options or {}).get("bits", 13)})
            else:
                raise KeyError(f"the head {name}")
        self.embeds = net.moves == "from_to" and ("policy" in self.names or "soft_policy" in self.names)
        if self.embeds:
            if not hasattr(self, "policy"):
                self.policy = nn.Module()
            # All policies read this embedding, which belongs to the first.
            self.policy.embedding = nn.Linear(net.width, net.policy.get("embedding") or net.width)
            self.activation = net.activation

    def forward(self, x):
        found = {}
        told = self.activation(self.policy.embedding(x)) if self.embeds else x
        for name in self.names:
            if name in ("policy", "soft_policy"):
                found[name] = getattr(self, name)(told)
            elif name == "further_policies":
                found |= {f"{name}.{key}": head(told) for key, head in self.further_policies.items()}
            elif name in VECTORS:
                scope, last, _ = VECTORS[name]
                head = getattr(self, scope)
                found[name] = answer(name, getattr(head, last)(head(x)))
            elif name == "moves_left":
                found[name] = answer(name, self.moves_left.out(self.moves_left(x)))
            elif name == "per_square":
                found[name] = self.per_square(x[:, self.first : self.first + self.squares])
            elif name == "pairs":
                found[name] = self.pairs(x)
            elif name == "rights":
                found[name] = self.rights.bits(self.rights(x))
            else:
                found |= rewards(name, getattr(self, name), x)
        return found


def policy(net, depth):
    """A policy by the kind of its vocabulary."""
    if net.moves == "from_to":
        return FromTo(net, depth or net.policy.get("depth") or net.width)
    if net.moves in boards.PLANES:
        return PlaneLogits(net, net.policy.get("plane_bias") == "per_class")
    return ListLogits(net)


class FromTo(nn.Module):
    """A move's logit is query(from)·key(to)/√depth, plus a term of its promotion that is linear in key(to)."""

    def __init__(self, net, depth):
        super().__init__()
        embedding = net.policy.get("embedding") or net.width
        self.squares, self.depth = net.board.squares, depth
        self.query, self.key = nn.Linear(embedding, depth), nn.Linear(embedding, depth)
        self.promotion = nn.Linear(depth, boards.PROMOTIONS[net.game], bias=False)
        pieces = boards.DROPS[net.game]
        hands = [f"hand.own.{piece}" for piece in pieces]
        self.hands = [net.board.squares + net.input.aux_names.index(hand) for hand in hands] if net.input.aux else None
        self.drops = bool(pieces)
        if pieces and not self.hands:
            self.drop = nn.Module()
            self.drop.vectors = zeros(len(pieces), depth)
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


class PlaneLogits(nn.Module):
    """logit(class, square) = w_class·x_square + the bias of the move, or of the class: dlshogi's."""

    def __init__(self, net, of_class=False):
        super().__init__()
        classes, entries = boards.cells(net.moves, net.game, net.board)
        self.weight, self.squares = zeros(classes, net.width), net.board.squares
        if of_class:
            self.bias = zeros(classes)
        else:
            self.moves = nn.Module()
            self.moves.bias = zeros(len(entries))
        places = torch.tensor([square * classes + kind for kind, square in entries])
        self.register_buffer("places", places, persistent=False)

    def forward(self, x):
        planes = x[:, : self.squares] @ self.weight.T
        if hasattr(self, "bias"):
            return (planes + self.bias).flatten(1)[:, self.places]
        return planes.flatten(1)[:, self.places] + self.moves.bias


class Summary(nn.Module):
    """The vector of the token that stands for the whole position, or the mean of the squares; `outputs` read it."""

    def __init__(self, net, outputs):
        super().__init__()
        self.token, self.squares = net.summary, net.board.squares
        for name, width in outputs.items():
            self.add_module(name, nn.Linear(net.width, width))

    def forward(self, x):
        return x[:, : self.squares].mean(1) if self.token is None else x[:, self.token]


class ListLogits(Summary):
    """A dense layer to all moves of a list."""

    def __init__(self, net):
        super().__init__(net, {"moves": boards.LISTS[net.moves]})

    def forward(self, x):
        return self.moves(super().forward(x))


class Pooled(nn.Module):
    """Squares reduced to a few channels, flattened (or averaged), and a hidden layer that `outputs` read."""

    def __init__(self, net, sizes, outputs):
        super().__init__()
        channels, hidden = sizes.get("embedding", 32), sizes.get("hidden", 128)
        self.mean, self.first, self.squares = sizes.get("pool") == "mean", net.first, net.board.squares
        self.activation = net.activation
        self.embedding = nn.Linear(net.width, channels)
        self.hidden = nn.Linear(channels if self.mean else channels * self.squares, hidden)
        for name, width in outputs.items():
            self.add_module(name, nn.Linear(hidden, width))

    def forward(self, x):
        embedded = self.activation(self.embedding(x[:, self.first : self.first + self.squares]))
        pooled = embedded.mean(1) if self.mean else embedded.flatten(1)
        return self.activation(self.hidden(pooled))


def vector(net, sizes, outputs):
    """The board as one vector, with the layers that read it."""
    return Summary(net, outputs) if sizes.get("pool") == "token" else Pooled(net, sizes, outputs)


def reward(net, options):
    """A reward in −1…1, or win, draw and loss; its expected squared error; logits of the interval that it lies in."""
    outputs = {"value": 3 if options.get("wdl") else 1}
    if options.get("error", True):
        outputs["error"] = 1
    if options.get("buckets", 0):
        outputs["buckets"] = options["buckets"]
    return vector(net, net.value, outputs)


def rewards(name, head, x):
    """What a reward's head says, by name."""
    hidden = head(x)
    made = head.value(hidden)
    if made.shape[1] == 1:
        found = {name: made.squeeze(1).tanh()}
    else:
        shares = made.softmax(-1)
        found = {name: shares[:, 0] - shares[:, 2], f"{name}.wdl": made}
    if hasattr(head, "error"):
        found[f"{name}.error"] = head.error(hidden).squeeze(1).sigmoid()
    if hasattr(head, "buckets"):
        found[f"{name}.buckets"] = head.buckets(hidden)
    return found


class Pairs(nn.Module):
    """query(from)·key(to)/√depth + a bias, for every pair of squares."""

    def __init__(self, net, options):
        super().__init__()
        embedding, depth = options.get("embedding") or net.width, options.get("depth") or net.width
        self.first, self.squares, self.depth, self.activation = net.first, net.board.squares, depth, net.activation
        self.embedding = nn.Linear(net.width, embedding)
        self.query, self.key = nn.Linear(embedding, depth), nn.Linear(embedding, depth)
        self.bias = zeros(1)

    def forward(self, x):
        embedded = self.activation(self.embedding(x[:, self.first : self.first + self.squares]))
        return self.query(embedded) @ self.key(embedded).transpose(1, 2) / math.sqrt(self.depth) + self.bias
