"""Position encodings that are a function of the head and of the displacement between two squares."""

import math

import torch
import torch.nn.functional as F
from torch import nn

from .points import Encoding, zeros


class ByDisplacement(Encoding):
    """Logits of pairs of squares from `[l, l]` displacements; pairs with auxiliary tokens get 0 or numbers of their own.

    `dr` and `df` are rank and file of the query less those of the key, `[squares, squares]`.
    """

    def __init__(self, net):
        super().__init__()
        self.squares, self.heads, self.tokens = net.board.squares, net.heads, net.tokens
        places = torch.tensor(net.board.coordinates(), dtype=torch.float64)
        apart = places[:, None] - places[None]
        self.register_buffer("dr", apart[..., 0], persistent=False)
        self.register_buffer("df", apart[..., 1], persistent=False)
        self.layer = nn.ModuleList(nn.Module() for _ in range(net.layers))

    def own_aux(self):
        """Three learned numbers per head in every layer, if there are auxiliary tokens."""
        if self.tokens > self.squares:
            for layer in self.layer:
                layer.aux = zeros(self.heads, 3)

    def whole(self, of_squares, aux=None):
        """`[h, squares, squares]` → `[h, l, l]`, with 0 or `aux [h, 3]` for the other pairs."""
        n, rest = self.squares, self.tokens - self.squares
        if not rest:
            return of_squares
        if aux is None:
            return F.pad(of_squares, (0, rest, 0, rest))
        to, back, among = (aux[:, i, None, None] for i in range(3))
        above = torch.cat([of_squares, to.expand(-1, n, rest)], 2)
        below = torch.cat([back.expand(-1, rest, n), among.expand(-1, rest, rest)], 2)
        return torch.cat([above, below], 1)


def knight_moves(limit):
    """The fewest moves of a knight to every `(rank, file)` within the limit, by breadth-first search without an edge."""
    jumps = [(a, b) for a in (-2, -1, 1, 2) for b in (-2, -1, 1, 2) if abs(a) != abs(b)]
    found, edge = {(0, 0): 0}, [(0, 0)]
    for moves in range(1, 2 * limit):
        edge = [(r + a, f + b) for r, f in edge for a, b in jumps]
        edge = [place for place in dict.fromkeys(edge) if place not in found]
        found.update(dict.fromkeys(edge, moves))
    return found


def distances(kind, dr, df):
    if kind == "l1":
        return dr.abs() + df.abs()
    if kind == "chebyshev":
        return torch.maximum(dr.abs(), df.abs())
    if kind == "euclidean":
        return (dr.square() + df.square()).sqrt()
    moves = knight_moves(len(dr))
    flat = [moves[int(r), int(f)] for r, f in zip(dr.flatten(), df.flatten())]
    return torch.tensor(flat, dtype=dr.dtype).view(dr.shape)


class Alibi(ByDisplacement):
    """−m_h · distance; m_h = 2^(−8(h+1)/H), or learned (ALiBi, arXiv 2108.12409)."""

    def __init__(self, options, net):
        super().__init__(net)
        self.register_buffer("distance", distances(options["distance"], self.dr, self.df), persistent=False)
        slopes = torch.tensor([2 ** (-8 * (head + 1) / net.heads) for head in range(net.heads)], dtype=torch.float64)
        self.register_buffer("fixed", slopes, persistent=False)
        self.learned = options.get("slopes") == "learned"
        if self.learned:
            for layer in self.layer:
                layer.slope = zeros(net.heads)

    def after(self, layer, x):
        slopes = self.layer[layer].slope if self.learned else self.fixed.to(x.dtype)
        return self.whole(-slopes[:, None, None] * self.distance.to(x.dtype))


class Kerple(ByDisplacement):
    """−r1·log(1 + r2·d) or −r1·d^r2 (KERPLE, arXiv 2205.09921); r = e^s, the exponent 2σ(s)."""

    def __init__(self, options, net):
        super().__init__(net)
        self.kernel = options["kernel"]
        self.register_buffer("distance", distances(options["distance"], self.dr, self.df), persistent=False)
        for layer in self.layer:
            layer.first, layer.second = zeros(net.heads), zeros(net.heads)

    def after(self, layer, x):
        first, second = (s[:, None, None] for s in (self.layer[layer].first, self.layer[layer].second))
        distance = self.distance.to(x.dtype)
        if self.kernel == "log":
            return self.whole(-first.exp() * torch.log(1 + second.exp() * distance))
        return self.whole(-first.exp() * distance ** (2 * torch.sigmoid(second)))


def t5_buckets(displacement, squares, buckets, exact):
    """T5's bucket of every displacement (arXiv 1910.10683), signed and numbered without gaps from 0."""
    size = displacement.abs()
    far = (size.clamp_min(exact) / exact).log() / math.log(max(squares, exact + 1) / exact) * (buckets - exact)
    bucket = torch.where(size < exact, size, (exact + (far + 1e-9).floor()).clamp_max(buckets - 1))
    used, number = torch.unique(bucket, return_inverse=True)
    return len(used) - 1 + number * displacement.sign().long(), 2 * len(used) - 1


class LogBuckets(ByDisplacement):
    """b_h[bucket(Δrank)] + c_h[bucket(Δfile)]."""

    def __init__(self, options, net):
        super().__init__(net)
        sizes = options.get("buckets", 5), options.get("exact", 3)
        ranks, rank_count = t5_buckets(self.dr, net.board.ranks, *sizes)
        files, file_count = t5_buckets(self.df, net.board.files, *sizes)
        self.register_buffer("ranks", ranks, persistent=False)
        self.register_buffer("files", files, persistent=False)
        for layer in self.layer:
            layer.rank, layer.file = zeros(net.heads, rank_count), zeros(net.heads, file_count)
        self.own_aux()

    def after(self, layer, x):
        own = self.layer[layer]
        return self.whole(own.rank[:, self.ranks] + own.file[:, self.files], getattr(own, "aux", None))


def add_perceptron(layer, hidden, heads):
    """Linear, ReLU and Linear without a bias, from the two coordinates of a displacement."""
    layer.hidden, layer.out = nn.Linear(2, hidden), nn.Linear(hidden, heads, bias=False)


def perceptron(layer, inputs):
    """`[…, 2]` → `[h, …]`."""
    return layer.out(F.relu(layer.hidden(inputs))).movedim(-1, 0)


class Fire(ByDisplacement):
    """MLP(ψ(Δrank)/ψ(R), ψ(Δfile)/ψ(F)), ψ(n) = sign(n)·log(c|n| + 1) (FIRE, arXiv 2310.04418)."""

    def __init__(self, options, net):
        super().__init__(net)
        self.ranks, self.files = net.board.ranks, net.board.files
        for layer in self.layer:
            layer.c = zeros(1)
            add_perceptron(layer, options.get("hidden", 32), net.heads)
        self.own_aux()

    def after(self, layer, x):
        own = self.layer[layer]
        c = own.c.abs() + 1e-6

        def input_of(n, largest):
            n = n.to(x.dtype)
            return n.sign() * torch.log(c * n.abs() + 1) / torch.log(c * largest + 1)

        inputs = torch.stack([input_of(self.dr, self.ranks), input_of(self.df, self.files)], -1)
        return self.whole(perceptron(own, inputs), getattr(own, "aux", None))


class ContinuousBias(ByDisplacement):
    """16·sigmoid(MLP of log-spaced displacements) − 8, and scaled cosine attention (Swin V2, arXiv 2111.09883)."""

    def __init__(self, options, net):
        super().__init__(net)
        self.cosine = options.get("attention") == "cosine"
        spaced = [
            n.sign() * torch.log2(1 + 8 * n.abs() / (squares - 1)) / math.log2(8)
            for n, squares in ((self.dr, net.board.ranks), (self.df, net.board.files))
        ]
        self.register_buffer("inputs", torch.stack(spaced, -1), persistent=False)
        for layer in self.layer:
            add_perceptron(layer, options.get("hidden", 512), net.heads)
            if self.cosine:
                layer.temperature = zeros(net.heads)
        self.own_aux()

    def rotate(self, layer, q, k):
        if not self.cosine:
            return q, k
        scale = self.layer[layer].temperature.clamp(max=math.log(1 / 0.01)).exp()
        # The network divides by √k.
        return F.normalize(q, dim=-1) * scale[:, None, None] * math.sqrt(q.shape[-1]), F.normalize(k, dim=-1)

    def after(self, layer, x):
        own = self.layer[layer]
        bias, aux = perceptron(own, self.inputs.to(x.dtype)), getattr(own, "aux", None)
        bias, aux = (n if n is None else 16 * torch.sigmoid(n) - 8 for n in (bias, aux))
        return self.whole(bias, aux)
