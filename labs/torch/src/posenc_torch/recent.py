"""Position encodings of 2025 and 2026, written from the formulas of the papers that each names.

Shapes as in positions.py: b batch, l tokens, d width, h heads, k head width. `i` is the query's token and `j` the key's.
"""

import math
from types import SimpleNamespace

import torch
import torch.nn.functional as F

from .points import Encoding, OfParameters, zeros
from .positions import ACTIVATIONS, Norm, Pairs, Rope, rates_of, turn


def layers(net):
    return torch.nn.ModuleList(torch.nn.Module() for _ in range(net.layers))


def places(net):
    """Rank and file of every token, 0 without a square: `[l, 2]`, f64."""
    return torch.tensor(net.board.coordinates() + [(0, 0)] * (net.tokens - net.board.squares), dtype=torch.float64)


class Rove(Rope):
    """RoVE: queries, keys and values rotated by their token's angle, and each output back by its query's."""

    def mixed(self, layer, weights, v):
        cosine, sine = self.turns(layer, v.dtype)
        return turn(weights @ turn(v, cosine, sine), cosine, -sine) - weights @ v


class Pope(Encoding):
    """PoPE: complex numbers whose lengths are the softplus of queries and keys, and whose angles are places and a shift."""

    def __init__(self, options, net):
        super().__init__()
        half = net.width // net.heads // 2
        angles = places(net)[:, :, None] * rates_of(options["theta"], None, half)
        self.register_buffer("angles", angles.flatten(1), persistent=False)
        self.layer = layers(net)
        for layer in self.layer:
            layer.shift = zeros(net.heads, 2 * half)

    def before(self, layer, x, q, k):
        angles = self.angles.to(q.dtype)
        shifted, lengths_q, lengths_k = angles + self.layer[layer].shift[:, None], F.softplus(q), F.softplus(k)
        real = (lengths_q * angles.cos()) @ (lengths_k * shifted.cos()).mT
        return real + (lengths_q * angles.sin()) @ (lengths_k * shifted.sin()).mT - q @ k.mT


class LowRank(Encoding):
    """Curves over displacements, mixed by the query's token (`q`), the key's (`k`), or each its own."""

    def __init__(self, options, net):
        super().__init__()
        rank, self.terms, self.heads = options.get("rank", 16), options.get("terms", ["q"]), net.heads
        pairs = Pairs("displacement", net)
        self.register_buffer("index", pairs.index, persistent=False)
        self.layer = layers(net)
        for layer in self.layer:
            for name in self.terms:
                term = torch.nn.Module()
                term.weights, term.curves = torch.nn.Linear(net.width, net.heads * rank), zeros(rank, pairs.count)
                layer.add_module(name, term)

    def after(self, layer, x):
        total = 0
        for name in self.terms:
            own = getattr(self.layer[layer], name)
            mixture = own.weights(x).unflatten(-1, (self.heads, -1))
            total = total + torch.einsum(f"b{'i' if name == 'q' else 'j'}hr,rij->bhij", mixture, own.curves[:, self.index])
        return total


class Spherical(Encoding):
    """Spherical RoPE: three channels are a vector, rotated about y by the file, then about x by the rank."""

    def __init__(self, options, net):
        super().__init__()
        width = net.width // net.heads
        self.end = width // 3 * 3
        self.register_buffer("places", places(net).T, persistent=False)
        self.learned = options.get("frequencies") == "learned"
        if not self.learned:
            rates = options.get("theta", 100) ** (-2 * torch.arange(width // 3, dtype=torch.float64) / width)
            self.register_buffer("rates", rates.expand(2, 1, -1), persistent=False)
            return
        self.layer = layers(net)
        for layer in self.layer:
            layer.frequencies = zeros(2, net.heads, width // 3)

    def rotate(self, layer, q, k):
        rates = self.layer[layer].frequencies if self.learned else self.rates.to(q.dtype)
        (rank_cos, file_cos), (rank_sin, file_sin) = (
            part(self.places.to(q.dtype)[:, None, :, None] * rates[:, :, None]) for part in (torch.cos, torch.sin)
        )

        def rotated(vectors):
            x, y, z = vectors[..., : self.end].unflatten(-1, (-1, 3)).unbind(-1)
            x, z = x * file_cos - z * file_sin, x * file_sin + z * file_cos
            y, z = y * rank_cos - z * rank_sin, y * rank_sin + z * rank_cos
            return torch.cat([torch.stack([x, y, z], -1).flatten(-2), vectors[..., self.end :]], -1)

        return rotated(q), rotated(k)


class Liere(OfParameters, Encoding):
    """LieRE: blocks of queries and keys times the exponential of the place in learned antisymmetric generators."""

    def __init__(self, options, net):
        super().__init__()
        width = net.width // net.heads
        self.block = options.get("block") or width
        sides = torch.tensor([net.board.ranks, net.board.files]) - 1
        self.register_buffer("shares", places(net) / sides.clamp(min=1), persistent=False)
        self.layer = layers(net)
        for layer in self.layer:
            layer.generators = zeros(2, net.heads, width // self.block, self.block * (self.block - 1) // 2)

    def matrices(self, layer):
        """The rotation of each head, token and block."""
        numbers = self.layer[layer].generators
        column, row = torch.tril_indices(self.block, self.block, -1)
        above = numbers.new_zeros(*numbers.shape[:-1], self.block, self.block)
        above[..., row, column] = numbers
        generators = above - above.mT
        of_tokens = torch.einsum("la,ahnij->hlnij", self.shares.to(numbers.dtype), generators)
        return torch.linalg.matrix_exp(of_tokens.contiguous())

    def rotate(self, layer, q, k):
        rotations = self.known(layer)

        def rotated(x):
            return torch.einsum("hlnij,bhlnj->bhlni", rotations, x.unflatten(-1, (-1, self.block))).flatten(-2)

        return rotated(q), rotated(k)


class Pape(Encoding):
    """PaPE: parabolas of the displacement along learned directions, with openings a and slopes b from the query's token."""

    def __init__(self, options, net):
        super().__init__()
        self.shape = (2, net.heads, options.get("parabolas", 50))
        self.aux = net.tokens - net.board.squares
        squares = places(net)[: net.board.squares]
        self.register_buffer("steps", squares[:, None] - squares[None], persistent=False)
        self.layer = layers(net)
        for layer in self.layer:
            layer.directions = zeros(*self.shape)
            layer.choice = torch.nn.Linear(net.width, self.shape[0] * self.shape[1] * self.shape[2], bias=False)

    def before(self, layer, x, q, k):
        own, steps = self.layer[layer], self.steps.to(x.dtype)
        a, b = own.choice(x[:, : len(steps)]).unflatten(-1, self.shape).unbind(2)
        along = torch.einsum("ija,ahm->hmij", steps, own.directions)
        term = torch.einsum("bihm,hmij->bhij", b, along) - torch.einsum("bihm,hmij->bhij", F.softplus(a), along.square())
        return F.pad(term, (0, self.aux, 0, self.aux))


class Numbers(torch.nn.Module):
    """A convolution of complex numbers, `[b·F, channels, ranks, files]`."""

    def __init__(self, outputs, inputs, side, dilation=1):
        super().__init__()
        self.real, self.imaginary = (zeros(outputs, inputs, side, side) for _ in range(2))
        self.dilation, self.padding = dilation, dilation * (side // 2)

    def forward(self, real, imaginary):
        def of(kernel, x):
            return F.conv2d(x, kernel, padding=self.padding, dilation=self.dilation)

        return of(self.real, real) - of(self.imaginary, imaginary), of(self.imaginary, real) + of(self.real, imaginary)


class Tab(Encoding):
    """KataGo's TAB: templates whose keys and queries complex convolutions make from the board, mixed for each head."""

    def __init__(self, options, net):
        super().__init__()
        self.count, self.frequencies = options.get("templates", 32), options.get("frequencies", 8)
        self.channels, self.heads, self.board = options.get("channels", 32), net.heads, net.board
        self.activation = ACTIVATIONS[options.get("activation", "mish")]
        self.inside, self.aux = options.get("rotations", "all") == "all", net.tokens - net.board.squares
        first, second = options.get("compress", 32), options.get("summary", 32)
        # File, rank.
        self.register_buffer("places", places(net)[: net.board.squares].flip(-1), persistent=False)
        shared = self.templates = torch.nn.Module()
        shared.start = torch.nn.Linear(net.width, 2 * self.frequencies * self.channels, bias=False)
        shared.frequencies = zeros(self.frequencies, 2)
        shared.block = layers(SimpleNamespace(layers=options.get("blocks", 3)))
        for block in shared.block:
            block.first = Numbers(self.channels, self.channels, 3, options.get("dilation", 3))
            block.second = Numbers(self.channels, self.channels, 3)
        shared.key, shared.query = Numbers(1, self.channels, 1), Numbers(self.count, self.channels, 1)
        self.layer = layers(net)
        for layer in self.layer:
            layer.compress = torch.nn.Linear(net.width, first, bias=False)
            layer.summary = torch.nn.Linear(first, second, bias=False)
            layer.summary_norm = Norm(second, "rms")
            layer.to_heads = torch.nn.Linear(second, net.heads * self.count, bias=False)
            layer.heads_norm = Norm(net.heads * self.count, "rms")

    def keys_and_queries(self, squares):
        """`[b, F, 1, s, 2]` and `[b, F, T, s, 2]`: real and imaginary parts."""
        shared, side = self.templates, (self.board.ranks, self.board.files)
        parts = shared.start(squares).unflatten(-1, (self.frequencies, 2, self.channels)).permute(3, 0, 2, 4, 1)
        z = [part.flatten(0, 1).unflatten(-1, side) for part in parts]
        angles = (self.places.to(squares.dtype) @ shared.frequencies.T).T.reshape(1, -1, 1, *side)
        # `len` would fix the batch of an ONNX file.
        angles = angles.expand(squares.shape[0], -1, -1, -1, -1).flatten(0, 1)
        cosine, sine = angles.cos(), angles.sin()

        def rotated(real, imaginary, sine):
            return real * cosine - imaginary * sine, real * sine + imaginary * cosine

        def activated(z, share):
            return [self.activation(part / math.sqrt(share)) for part in z]

        def passed(convolution, z, share):
            z = activated(z, share)
            if not self.inside:
                return convolution(*z)
            return rotated(*convolution(*rotated(*z, sine)), -sine)

        for number, block in enumerate(shared.block):
            added = passed(block.second, passed(block.first, z, number + 1), 1)
            z = [one + other for one, other in zip(z, added)]
        last = rotated(*activated(z, len(shared.block) + 1), sine)
        for convolution, scale in ((shared.key, self.frequencies), (shared.query, self.count)):
            made = torch.stack(convolution(*last), -1) / math.sqrt(scale)
            yield made.flatten(2, 3).unflatten(0, (-1, self.frequencies))

    def after(self, layer, x):
        own, squares = self.layer[layer], x[:, : self.board.squares]
        summary = own.compress(squares).mean(1)
        summary = own.summary_norm(self.activation(own.summary(summary)))
        mixture = own.heads_norm(self.activation(own.to_heads(summary))).view(-1, self.heads, self.count)
        keys, queries = self.keys_and_queries(squares)
        mixed = torch.einsum("bht,bftsp->bhfsp", mixture, queries)
        return F.pad(torch.einsum("bhfip,bfjp->bhij", mixed, keys[:, :, 0]), (0, self.aux, 0, self.aux))


ENCODINGS = {
    "liere": Liere,
    "low_rank": LowRank,
    "pape": Pape,
    "pope": Pope,
    "rove": Rove,
    "spherical": Spherical,
    "tab": Tab,
}
