"""Position encodings that know more of the board than displacements: its pieces, a graph of its squares, neighbours."""

import torch
import torch.nn.functional as F
from torch import nn

from .displacements import ByDisplacement
from .points import Encoding, zeros

# What holds for a key that stands `u` ranks ahead of the query and `r` files to its right.
LINES = [
    lambda u, r: (u == 0) & (r != 0),
    lambda u, r: (u != 0) & (r == 0),
    lambda u, r: (u == r) & (u != 0),
    lambda u, r: (u == -r) & (u != 0),
]
RELATIONS = [
    lambda u, r: (u == 0) & (r == 0),
    *LINES,
    lambda u, r: torch.maximum(u.abs(), r.abs()) == 1,
    lambda u, r: (u * r).abs() == 2,
    lambda u, r: (u == 2) & (r.abs() == 1),
    lambda u, r: (u == 1) & (r == 0),
    lambda u, r: (u == -1) & (r == 0),
    lambda u, r: (u == 0) & (r.abs() == 1),
    lambda u, r: (u == 1) & (r.abs() == 1),
    lambda u, r: (u == -1) & (r.abs() == 1),
]


class Relations(ByDisplacement):
    """A number per head for every relation that holds, and one more for a line with a piece in between."""

    def __init__(self, options, net):
        super().__init__(net)
        self.gated = options.get("gate", "board") == "board"
        ahead, right = -self.dr, -self.df
        self.register_buffer("relations", torch.stack([holds(ahead, right) for holds in RELATIONS]), persistent=False)
        self.register_buffer("lines", torch.stack([holds(ahead, right) for holds in LINES]), persistent=False)
        self.register_buffer("between", between(net.board, self.lines.any(0)), persistent=False)
        for layer in self.layer:
            layer.relation = zeros(net.heads, len(RELATIONS))
            if self.gated:
                layer.blocked = zeros(net.heads, len(LINES))
        self.own_aux()

    def show(self, occupied):
        """Whether a piece stands between two squares, `[b, squares, squares]`."""
        self.blocked = torch.einsum("bs,ijs->bij", occupied.double(), self.between.double()) > 0

    def after(self, layer, x):
        own = self.layer[layer]
        sums = torch.einsum("hr,rij->hij", own.relation, self.relations.to(x.dtype))
        sums = self.whole(sums, getattr(own, "aux", None))
        if not self.gated:
            return sums
        if_blocked = self.whole(torch.einsum("hr,rij->hij", own.blocked, self.lines.to(x.dtype)))
        rest = self.tokens - self.squares
        return sums + if_blocked * F.pad(self.blocked.to(x.dtype), (0, rest, 0, rest))[:, None]


def between(board, on_line):
    """Which squares lie strictly between two squares of a line, `[i, j, square]`."""
    places, n = board.coordinates(), board.squares
    found = torch.zeros(n, n, n, dtype=torch.bool)
    for i, (rank, file) in enumerate(places):
        for j, (to_rank, to_file) in enumerate(places):
            if on_line[i, j]:
                steps = max(abs(to_rank - rank), abs(to_file - file))
                for step in range(1, steps):
                    at_rank, at_file = rank + (to_rank - rank) * step // steps, file + (to_file - file) * step // steps
                    found[i, j, at_rank * board.files + at_file] = True
    return found


GRAPHS = {
    "king": lambda u, r: torch.maximum(u.abs(), r.abs()) == 1,
    "rook": lambda u, r: (u == 0) ^ (r == 0),
    "bishop": lambda u, r: (u.abs() == r.abs()) & (u != 0),
    "knight": lambda u, r: (u * r).abs() == 2,
}


class Laplacian(Encoding):
    """x_i + f_i·W: entries of the first eigenvectors of a graph's normalised Laplacian (arXiv 2012.09699)."""

    def __init__(self, options, net):
        super().__init__()
        places = torch.tensor(net.board.coordinates(), dtype=torch.float64)
        apart = places[:, None] - places[None]
        joined = GRAPHS[options.get("graph", "king")](apart[..., 0], apart[..., 1]).double()
        count = options.get("vectors", 16)
        features = canonical_eigenvectors(joined)[:, :count] * net.board.squares**0.5
        self.register_buffer("features", F.pad(features, (0, 0, 0, net.tokens - net.board.squares)), persistent=False)
        self.projection = zeros(count, net.width)

    def embed(self, x):
        return x + self.features.to(x.dtype) @ self.projection


def canonical_eigenvectors(joined):
    """Eigenvectors of I − D^(−½)AD^(−½) with eigenvalues above 0, in columns. Of each eigenspace with the projection P: a
    pivoted Cholesky factor of P = V·Vᵀ, whose pivots are the first squares that are independent of those before.
    """
    scale = joined.sum(1).rsqrt()
    values, vectors = torch.linalg.eigh(torch.eye(len(joined)) - scale[:, None] * joined * scale)
    found = []
    while len(values):
        same = (values - values[0]).abs() < 1e-8
        space, is_zero = vectors[:, same], values[0].abs() < 1e-8
        values, vectors = values[~same], vectors[:, ~same]
        if is_zero:
            continue
        rest = space @ space.T
        for square in range(len(rest)):
            if rest[square, square] > 1e-12:
                column = rest[:, square] / rest[square, square].sqrt()
                found.append(column)
                rest = rest - column[:, None] * column
    return torch.stack(found, 1)


class Lepe(Encoding):
    """A depth-wise 3×3 convolution of the values of squares over the board (CSWin, arXiv 2107.00652)."""

    def __init__(self, options, net):
        super().__init__()
        self.board, self.width = net.board, net.width
        self.layer = nn.ModuleList(nn.Module() for _ in range(net.layers))
        for layer in self.layer:
            layer.kernel = zeros(net.width, 3, 3)

    def mixed(self, layer, weights, v):
        n, rest = self.board.squares, v.shape[2] - self.board.squares
        board = v[:, :, :n].transpose(2, 3).reshape(v.shape[0], self.width, self.board.ranks, self.board.files)
        mixed = F.conv2d(board, self.layer[layer].kernel[:, None], padding=1, groups=self.width)
        return F.pad(mixed.view(v.shape[0], v.shape[1], -1, n).transpose(2, 3), (0, 0, 0, rest))
