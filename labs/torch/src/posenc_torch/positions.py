"""Position encodings, written from the formulas of the papers that docs/encodings.md names.

Shapes: b batch, l tokens, d width, h heads, k head width. `i` is the query's token and `j` the key's.
"""

import math

import torch
import torch.nn.functional as F
from torch import nn

from .displacements import Alibi, ContinuousBias, Fire, Kerple, LogBuckets
from .injection_points import InjectionPoints
from .points import Encoding, zeros
from .squares import Laplacian, Lepe, Relations

ACTIVATIONS = {
    "mish": F.mish,
    "gelu": F.gelu,
    "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"),
    "swish": F.silu,
    "relu": F.relu,
    "relu2": lambda x: F.relu(x).square(),
    "selu": F.selu,
    "tanh": torch.tanh,
    "sigmoid": torch.sigmoid,
    "identity": lambda x: x,
}
# ε of the norms: those with a mean, and root mean squares.
EPSILONS = {"layer": 1e-3, "layer_1e-6": 1e-6}
SQUARES = {"rms_1e-6": 1e-6}


class Norm(nn.Module):
    """RMSNorm (ε 1e-5 if nothing else is said), or LayerNorm, which has a bias too."""

    def __init__(self, width, kind):
        super().__init__()
        self.gain, self.epsilon = nn.Parameter(torch.ones(width)), {**EPSILONS, **SQUARES}.get(kind, 1e-5)
        self.bias = nn.Parameter(torch.zeros(width)) if kind in EPSILONS else None

    def forward(self, x):
        if self.bias is None:
            return F.rms_norm(x, self.gain.shape, self.gain, self.epsilon)
        return F.layer_norm(x, self.gain.shape, self.gain, self.bias, self.epsilon)


class BatchNorm(nn.Module):
    """By the running statistics, which an export has beside the parameters; `[b, channels, …]`."""

    def __init__(self, width):
        super().__init__()
        self.gain, self.bias = nn.Parameter(torch.ones(width)), nn.Parameter(torch.zeros(width))
        self.register_buffer("running_mean", torch.zeros(width))
        self.register_buffer("running_variance", torch.ones(width))

    def forward(self, x):
        return F.batch_norm(x, self.running_mean, self.running_variance, self.gain, self.bias, False, 0.0, 1e-5)


class TokenBatchNorm(BatchNorm):
    """The same of tokens, `[b, l, d]`."""

    def forward(self, x):
        return super().forward(x.transpose(1, 2)).transpose(1, 2)


def normalisation(width, kind):
    """The norm of a body."""
    return TokenBatchNorm(width) if kind == "batch" else Norm(width, kind)


class Nothing(Encoding):
    def __init__(self, options, net):
        super().__init__()


def sinusoid(positions, width):
    """[sin | cos] of position · 10000^(−2i/width) (Vaswani et al. 2017)."""
    rates = 10_000.0 ** (-torch.arange(0, width, 2, dtype=torch.float64) / width)
    angles = torch.tensor(positions, dtype=torch.float64)[:, None] * rates
    return torch.cat([angles.sin(), angles.cos()], -1)


class Rows(Encoding):
    """A vector per token: learned, the sum of a rank's and a file's, or sines."""

    def __init__(self, options, net):
        super().__init__()
        board, self.table_kind = net.board, options.get("table", "learned")
        aux = net.tokens - board.squares
        if self.table_kind == "learned":
            self.table = zeros(net.tokens, net.width)
        elif self.table_kind == "factorised":
            self.rank, self.file = zeros(board.ranks, net.width), zeros(board.files, net.width)
            if aux:
                self.aux = zeros(aux, net.width)
        else:
            if self.table_kind == "sinusoidal_1d":
                fixed = sinusoid(list(range(board.squares)), net.width)
            else:
                places = board.coordinates()
                halves = [sinusoid([place[axis] for place in places], net.width // 2) for axis in (0, 1)]
                fixed = torch.cat(halves, -1)
            self.register_buffer("fixed", F.pad(fixed, (0, 0, 0, aux)), persistent=False)

    def vectors(self, dtype):
        if self.table_kind == "learned":
            return self.table
        if self.table_kind != "factorised":
            return self.fixed.to(dtype)
        squares = (self.rank[:, None] + self.file[None]).flatten(0, 1)
        return torch.cat([squares, self.aux]) if hasattr(self, "aux") else squares


class AbsoluteInput(Rows):
    """x_i + c_i once, behind the input embedding."""

    def embed(self, x):
        return x + self.vectors(x.dtype)


class AbsoluteEveryLayer(Encoding):
    """Chessformer eq. 4 at every attention layer; `values: false` leaves the values without it."""

    def __init__(self, options, net):
        super().__init__()
        self.layer = nn.ModuleList(Rows(options, net) for _ in range(net.layers))
        self.with_values = options.get("values", True)

    def queries(self, layer, x):
        return x + self.layer[layer].vectors(x.dtype)

    def contents(self, layer, x):
        return self.queries(layer, x) if self.with_values else x


class Gate(Encoding):
    """Chessformer A.1: x_i · relu(m_i) + a_i."""

    def __init__(self, options, net):
        super().__init__()
        self.factor, self.summand = zeros(net.tokens, net.width), zeros(net.tokens, net.width)

    def embed(self, x):
        return x * self.factor.relu() + self.summand


def absolute(options, net):
    kinds = {"input": AbsoluteInput, "every_layer": AbsoluteEveryLayer, "gate": Gate}
    return kinds[options.get("at", "input")](options, net)


class Pairs:
    """The class of every pair of tokens (i, j): by displacement, or a class of its own."""

    def __init__(self, share, net):
        places, self.length = net.board.coordinates(), net.tokens
        if share == "pair":
            self.count = self.length**2
            self.index = torch.arange(self.count).view(self.length, self.length)
            # Keys come first in the order of a table that the key multiplies.
            self.key_index = self.index.T.contiguous()
            return
        wide, high = 2 * net.board.files - 1, 2 * net.board.ranks - 1
        aux = self.length - net.board.squares
        self.count = wide * high + (3 if aux else 0)
        index = torch.empty(self.length, self.length, dtype=torch.long)
        index[: len(places), len(places) :] = wide * high
        index[len(places) :, : len(places)] = wide * high + 1
        index[len(places) :, len(places) :] = wide * high + 2
        for i, (rank_i, file_i) in enumerate(places):
            for j, (rank_j, file_j) in enumerate(places):
                index[i, j] = wide * (rank_i - rank_j + net.board.ranks - 1) + file_i - file_j + net.board.files - 1
        self.index = self.key_index = index


class RelativeBias(Encoding):
    """Chessformer eq. 5: e_ij/√k + d_ij."""

    def __init__(self, options, net):
        super().__init__()
        pairs = Pairs(options["share"], net)
        self.register_buffer("index", pairs.index, persistent=False)
        self.layer = nn.ModuleList(nn.Module() for _ in range(net.layers))
        for layer in self.layer:
            layer.bias = zeros(net.heads, pairs.count)

    def after(self, layer, x):
        return self.layer[layer].bias[:, self.index]


class Shaw(Encoding):
    """Chessformer eq. 6 and 7: e_ij = (q_i·k_j + q_i·aK_ij + k_j·aQ_ij (+ aQ_ij·aK_ij))/√k, z_i = Σ_j w_ij (v_j + aV_ij).

    The tables are named by what they meet: `q` is aK, `k` is aQ, `v` is aV.
    """

    def __init__(self, options, net):
        super().__init__()
        self.terms, self.cross = options.get("terms", ["q", "k", "v"]), options.get("cross", False)
        pairs = Pairs(options.get("share", "displacement"), net)
        self.register_buffer("index", pairs.index, persistent=False)
        self.register_buffer("key_index", pairs.key_index, persistent=False)
        self.layer = nn.ModuleList(nn.Module() for _ in range(net.layers))
        for layer in self.layer:
            for term in self.terms:
                setattr(layer, term, zeros(net.heads, pairs.count, net.width // net.heads))

    def before(self, layer, x, q, k):
        tables, term = self.layer[layer], None
        if "q" in self.terms:
            a_k = tables.q[:, self.index]
            term = torch.einsum("bhik,hijk->bhij", q, a_k)
        if "k" in self.terms:
            a_q = tables.k[:, self.key_index]
            of_keys = torch.einsum("bhjk,hijk->bhij", k, a_q)
            term = of_keys if term is None else term + of_keys
        if self.cross:
            term = term + (a_k * a_q).sum(-1)
        return term

    def mixed(self, layer, weights, v):
        if "v" not in self.terms:
            return None
        return torch.einsum("bhij,hijk->bhik", weights, self.layer[layer].v[:, self.index])


class Smolgen(Encoding):
    """Lc0's smolgen; with `compress: 0`, `pool: mean` and GELU the GAB of Chessformer 2026."""

    def __init__(self, options, net):
        super().__init__()
        compress, hidden = options.get("compress", 32), options.get("hidden", 256)
        self.width, self.heads, self.tokens = options.get("gen", 256), net.heads, net.tokens
        self.pool = options.get("pool", "flatten")
        self.activation = ACTIVATIONS[options.get("activation", "swish")]
        self.generator = nn.Linear(self.width, net.tokens**2, bias=False)
        self.layer = nn.ModuleList(nn.Module() for _ in range(net.layers))
        for layer in self.layer:
            bias = options.get("compress_bias", False)
            layer.compress = nn.Linear(net.width, compress, bias=bias) if compress else nn.Identity()
            layer.hidden = nn.Linear((compress or net.width) * (net.tokens if self.pool == "flatten" else 1), hidden)
            layer.hidden_norm = Norm(hidden, "layer")
            layer.to_heads = nn.Linear(hidden, net.heads * self.width)
            layer.heads_norm = Norm(net.heads * self.width, "layer")

    def after(self, layer, x):
        own = self.layer[layer]
        board = own.compress(x)
        board = board.flatten(1) if self.pool == "flatten" else board.mean(1)
        hidden = own.hidden_norm(self.activation(own.hidden(board)))
        heads = own.heads_norm(self.activation(own.to_heads(hidden)))
        return self.generator(heads.view(-1, self.heads, self.width)).unflatten(-1, (self.tokens, self.tokens))


class ClsMap(Encoding):
    """One map from the CLS token, or where there is none from the mean of the squares, for all heads and layers."""

    def __init__(self, options, net):
        super().__init__()
        self.squares, self.tokens, self.summary = net.board.squares, net.tokens, net.summary
        self.covered = self.squares if options.get("tokens", "squares") == "squares" else self.tokens
        self.map = nn.Linear(net.width, self.covered**2)

    def after(self, layer, x):
        told = x[:, : self.squares].mean(1) if self.summary is None else x[:, self.summary]
        made = self.map(told).unflatten(-1, (self.covered, self.covered))
        rest = self.tokens - self.covered
        return F.pad(made, (0, rest, 0, rest))[:, None]


class DynamicRelative(Encoding):
    """dlshogi's relative term: keys for a learned P_i are generated from the whole board."""

    def __init__(self, options, net):
        super().__init__()
        heads = 1 if options.get("share") == "all" else net.heads
        self.shape = (heads, net.width // net.heads, net.tokens)
        self.inside, self.scaled = options.get("inside", "none"), options.get("scaled", True)
        board, bottleneck = net.tokens * net.width, options.get("bottleneck", 32)
        self.layer = nn.ModuleList(nn.Module() for _ in range(net.layers))
        for layer in self.layer:
            layer.down = nn.Linear(board, bottleneck, bias=False)
            layer.up = nn.Linear(bottleneck, math.prod(self.shape), bias=False)
            layer.position = zeros(net.heads, net.tokens, net.width // net.heads)
            if self.inside != "none":
                layer.norm = Norm(bottleneck, "layer")

    def term(self, layer, x):
        own = self.layer[layer]
        u = own.down(x.flatten(1))
        if self.inside != "none":
            u = own.norm(u)
        if self.inside == "layer_norm_relu":
            u = u.relu()
        w = own.up(u).view(-1, *self.shape).expand(-1, len(own.position), -1, -1)
        return torch.einsum("hic,bhcj->bhij", own.position, w)

    def before(self, layer, x, q, k):
        return self.term(layer, x) if self.scaled else None

    def after(self, layer, x):
        return None if self.scaled else self.term(layer, x)


def rates_of(theta, side, count):
    """Radians a square for the pairs of channels of one axis: powers of θ, or πm/n with m from 1 to n in even steps."""
    number = torch.arange(count, dtype=torch.float64)
    if theta == "board":
        return (torch.linspace(1, side, count, dtype=torch.float64) + 0.5).floor() * math.pi / side
    return theta ** (-number / count)


class Rope(Encoding):
    """Queries and keys as complex numbers, each pair of channels one, turned by their token's angle."""

    def __init__(self, options, net):
        super().__init__()
        self.layout, theta, board = options["layout"], options["theta"], net.board
        half, aux = net.width // net.heads // 2, net.tokens - net.board.squares
        places = torch.tensor(board.coordinates() + [(0, 0)] * aux, dtype=torch.float64)
        if self.layout == "mixed_2d":
            self.register_buffer("places", places.flip(-1), persistent=False)  # file, rank
            self.layer = nn.ModuleList(nn.Module() for _ in range(net.layers))
            for layer in self.layer:
                layer.frequencies = zeros(2, net.heads, half)
            return
        if self.layout == "flat_1d":
            index = torch.arange(net.tokens, dtype=torch.float64)
            if options.get("aux") == "unrotated":
                index[board.squares :] = 0
            angles = index[:, None] * theta ** (-torch.arange(half, dtype=torch.float64) / half)
        else:
            rates = torch.stack([rates_of(theta, side, half // 2) for side in (board.ranks, board.files)])
            angles = (places[:, :, None] * rates).flatten(1)
        self.register_buffer("angles", angles, persistent=False)

    def turns(self, layer, dtype):
        """Cosines and sines of the angles of every token and pair of channels."""
        if self.layout == "mixed_2d":
            frequencies = self.layer[layer].frequencies
            angles = torch.einsum("la,ahp->hlp", self.places.to(frequencies.dtype), frequencies)
            return angles.cos(), angles.sin()
        return self.angles.cos().to(dtype), self.angles.sin().to(dtype)

    def rotate(self, layer, q, k):
        cosine, sine = self.turns(layer, q.dtype)
        return turn(q, cosine, sine), turn(k, cosine, sine)


def turn(x, cosine, sine):
    real, imaginary = x[..., 0::2], x[..., 1::2]
    return torch.stack([real * cosine - imaginary * sine, real * sine + imaginary * cosine], -1).flatten(-2)


from . import generated, recent  # noqa: E402  They are made of what stands above.

ENCODINGS = {
    **generated.ENCODINGS,
    **recent.ENCODINGS,
    "none": Nothing,
    "absolute": absolute,
    "relative_bias": RelativeBias,
    "shaw": Shaw,
    "smolgen": Smolgen,
    "cls_map": ClsMap,
    "dynamic_relative": DynamicRelative,
    "rope": Rope,
    "alibi": Alibi,
    "kerple": Kerple,
    "log_buckets": LogBuckets,
    "fire": Fire,
    "continuous_bias": ContinuousBias,
    "relations": Relations,
    "laplacian": Laplacian,
    "lepe": Lepe,
}


class Stack(nn.Module):
    """Several encodings: transformations one after the other, terms summed."""

    def __init__(self, configs, net):
        super().__init__()
        self.order, self.injection_points = [], InjectionPoints()
        for config in configs:
            (name, options) = next(iter(config.items())) if isinstance(config, dict) else (config, {})
            options = options or {}
            holder, key = self, name
            if name == "absolute":
                key = options.get("at", "input")
                if not hasattr(self, name):
                    self.add_module(name, nn.Module())
                holder = self.absolute
            holder.add_module(key, ENCODINGS[name](options, net))
            self.order.append([getattr(holder, key)])

    def __iter__(self):
        return (held[0] for held in self.order)

    def chain(self, point, layer, x):
        for encoding in self:
            x = getattr(encoding, point)(layer, x)
        return x

    def show(self, occupied):
        for encoding in self:
            encoding.show(occupied)

    def embed(self, x):
        for encoding in self:
            x = encoding.embed(x)
        return x

    def rotate(self, layer, q, k):
        for encoding in self:
            q, k = encoding.rotate(layer, q, k)
        return q, k

    def total(self, point, *arguments):
        terms = [getattr(encoding, point)(*arguments) for encoding in self]
        terms = [term for term in terms if term is not None]
        return sum(terms[1:], terms[0]) if terms else None
