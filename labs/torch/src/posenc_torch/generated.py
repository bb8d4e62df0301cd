"""Position encodings beyond the first eight, written from the formulas of the papers that each names.

Shapes as in positions.py: b batch, l tokens, d width, h heads, k head width. `i` is the query's token and `j` the key's.
"""

import math

import torch
import torch.nn.functional as F
from torch import nn

from .points import OfParameters
from .positions import ACTIVATIONS, Encoding, Norm, Pairs, Rope, zeros


def layers(net):
    return nn.ModuleList(nn.Module() for _ in range(net.layers))


def displacement(net):
    """Ranks and files from j to i for two squares: two `[s, s]`."""
    places = torch.tensor(net.board.coordinates(), dtype=torch.long)
    return (places[:, None] - places[None]).unbind(-1)


class GabTemplates(Encoding):
    """KataGo's GAB: templates by displacement, mixed for each head by a summary of the board."""

    def __init__(self, options, net):
        super().__init__()
        self.count, self.heads = options.get("templates", 48), net.heads
        frequencies, hidden = options.get("frequencies", 16), options.get("hidden", 128)
        first, second = options.get("compress", 32), options.get("summary", 32)
        self.activation = ACTIVATIONS[options.get("activation", "mish")]
        self.aux = net.tokens - net.board.squares
        ranks, files = displacement(net)
        directions = torch.stack([ranks, files, ranks + files, ranks - files], -1).double()
        self.register_buffer("directions", directions, persistent=False)
        self.templates = nn.Module()
        self.templates.frequencies = zeros(frequencies)
        self.templates.hidden = nn.Linear(8 * frequencies, hidden)
        self.templates.output = nn.Linear(hidden, self.count)
        self.layer = layers(net)
        for layer in self.layer:
            layer.compress = nn.Linear(net.width, first, bias=False)
            layer.summary = nn.Linear(first, second, bias=False)
            layer.summary_norm = Norm(second, "rms")
            layer.to_heads = nn.Linear(second, net.heads * self.count, bias=False)
            layer.heads_norm = Norm(net.heads * self.count, "rms")

    def after(self, layer, x):
        own, shared = self.layer[layer], self.templates
        angles = torch.einsum("f,ijn->ijfn", shared.frequencies, self.directions.to(x.dtype))
        features = torch.stack([angles.sin(), angles.cos()], -1).flatten(2)
        templates = shared.output(self.activation(shared.hidden(features))) / math.sqrt(self.count)
        squares = templates.shape[0]
        summary = own.compress(x[:, :squares]).mean(1)
        summary = own.summary_norm(self.activation(own.summary(summary)))
        mixture = own.heads_norm(self.activation(own.to_heads(summary))).view(-1, self.heads, self.count)
        return F.pad(torch.einsum("bht,ijt->bhij", mixture, templates), (0, self.aux, 0, self.aux))


class String(OfParameters, Rope):
    """Cayley-STRING: P = (I − S)·(I + S)⁻¹ for queries and keys, then RoPE."""

    def __init__(self, options, net):
        super().__init__(options, net)
        self.width = net.width // net.heads
        if not hasattr(self, "layer"):
            self.layer = layers(net)
        for layer in self.layer:
            layer.lower = zeros(net.heads, self.width * (self.width - 1) // 2)

    def matrices(self, layer):
        """P of each head."""
        lower = self.layer[layer].lower
        row, column = torch.tril_indices(self.width, self.width, -1)
        below = lower.new_zeros(lower.shape[0], self.width, self.width)
        below[:, row, column] = lower
        s, one = below - below.mT, torch.eye(self.width, dtype=lower.dtype, device=lower.device)
        return (one - s) @ torch.linalg.inv(one + s)

    def rotate(self, layer, q, k):
        p = self.known(layer)
        return super().rotate(layer, *(torch.einsum("hnm,bhlm->bhln", p, x) for x in (q, k)))


class Irpe(Encoding):
    """iRPE: tables by buckets of displacements, g(r) and g(c) together (product) or a table for each (cross).

    The tables are named by what they meet; `bias` meets nothing.
    """

    def __init__(self, options, net):
        super().__init__()
        self.terms, self.heads = options.get("terms", ["q"]), net.heads
        alpha, beta, gamma = (options.get(name, value) for name, value in (("alpha", 1.9), ("beta", 3.8), ("gamma", 15.2)))
        last = int(beta)

        def bucket(steps):
            far = (alpha + (steps.abs() / alpha).log() / math.log(gamma / alpha) * (beta - alpha)).round().clip(max=beta)
            return torch.where(steps.abs() <= alpha, steps, steps.sign() * far).trunc().long() + last

        ranks, files = (bucket(steps.double()) for steps in displacement(net))
        side = 2 * last + 1
        if options.get("method", "product") == "product":
            parts, count = {"table": ranks * side + files}, side * side
        else:
            parts, count = {"ranks": ranks, "files": files}, side
        squares, aux = net.board.squares, net.tokens - net.board.squares
        self.parts = list(parts)
        for name, index in parts.items():
            whole = F.pad(index, (0, aux, 0, aux))
            whole[:squares, squares:], whole[squares:, :squares], whole[squares:, squares:] = count, count + 1, count + 2
            self.register_buffer(name, whole, persistent=False)
        heads, rows = net.heads if options.get("heads") == "own" else 1, count + (3 if aux else 0)
        self.layer = layers(net)
        for layer in self.layer:
            for term in self.terms:
                setattr(layer, term, nn.Module())
                width = 1 if term == "bias" else net.width // net.heads
                for name in parts:
                    setattr(getattr(layer, term), name, zeros(heads, rows, width))

    def entries(self, layer, term):
        """`[h, l, l, width]`."""
        table = getattr(self.layer[layer], term)
        whole = sum(getattr(table, name)[:, getattr(self, name)] for name in self.parts)
        return whole.expand(self.heads, -1, -1, -1)

    def before(self, layer, x, q, k):
        of_queries = torch.einsum("bhik,hijk->bhij", q, self.entries(layer, "q")) if "q" in self.terms else None
        of_keys = torch.einsum("bhjk,hijk->bhij", k, self.entries(layer, "k")) if "k" in self.terms else None
        both = [term for term in (of_queries, of_keys) if term is not None]
        return sum(both[1:], both[0]) if both else None

    def after(self, layer, x):
        return self.entries(layer, "bias")[..., 0] if "bias" in self.terms else None

    def mixed(self, layer, weights, v):
        if "v" not in self.terms:
            return None
        return torch.einsum("bhij,hijk->bhik", weights, self.entries(layer, "v"))


class Deberta(Encoding):
    """Disentangled attention: every term of the logits is divided by √(3k)."""

    def __init__(self, options, net):
        super().__init__()
        pairs = Pairs("displacement", net)
        self.heads = net.heads
        # The class of (i, j), and that of (j, i), which is the transposed index.
        self.register_buffer("index", pairs.index, persistent=False)
        self.embeddings = zeros(pairs.count, net.width)
        self.layer = layers(net)
        for layer in self.layer:
            layer.to_keys = nn.Linear(net.width, net.width, bias=False)
            layer.to_queries = nn.Linear(net.width, net.width, bias=False)

    def by_head(self, projection):
        return projection(self.embeddings).unflatten(-1, (self.heads, -1)).transpose(0, 1)

    def rotate(self, layer, q, k):
        return q / math.sqrt(3), k

    def before(self, layer, x, q, k):
        keys, queries = self.by_head(self.layer[layer].to_keys), self.by_head(self.layer[layer].to_queries)
        to_position = torch.einsum("bhik,hijk->bhij", q, keys[:, self.index])
        to_content = torch.einsum("bhjk,hijk->bhij", k, queries[:, self.index.T])
        return (to_position + to_content) / math.sqrt(3)


class Cope(Encoding):
    """q_i·e[p_ij], where p_ij sums σ(q_i·k_m/√k) over the squares m from i to j on a rank, file or diagonal."""

    def __init__(self, options, net):
        super().__init__()
        places = net.board.coordinates()
        number = {place: token for token, place in enumerate(places)}
        self.learned = options.get("off_ray", "none") == "learned"
        self.aux = net.tokens - net.board.squares
        self.positions = options.get("positions", 5)
        # For step s the token s squares from i towards j; the pad behind the squares where j is passed or on no ray.
        longest = max(net.board.ranks, net.board.files) - 1
        steps = torch.full((longest, len(places), len(places)), len(places))
        joined = torch.zeros(len(places), len(places))
        for i, (rank, file) in enumerate(places):
            for j, (to_rank, to_file) in enumerate(places):
                up, right = to_rank - rank, to_file - file
                if up and right and abs(up) != abs(right):
                    continue
                joined[i, j] = 1
                far = max(abs(up), abs(right))
                for step in range(1, far + 1):
                    steps[step - 1, i, j] = number[rank + up // far * step, file + right // far * step]
        self.register_buffer("steps", steps, persistent=False)
        self.register_buffer("joined", joined, persistent=False)
        self.layer = layers(net)
        for layer in self.layer:
            layer.positions = zeros(self.positions, net.width // net.heads)
            if self.learned:
                layer.off_ray = zeros(1, net.width // net.heads)

    def before(self, layer, x, q, k):
        own, squares = self.layer[layer], len(self.joined)
        q, k = q[:, :, :squares], k[:, :, :squares]
        gates = F.pad((q @ k.mT / math.sqrt(q.shape[-1])).sigmoid(), (0, 1))
        position = sum(gates.gather(-1, step.expand(*gates.shape[:2], -1, -1)) for step in self.steps)
        position = position.clamp_max(self.positions - 1)
        fixed = q @ own.positions.T
        below = position.detach().floor().long()
        above = (below + 1).clamp_max(self.positions - 1)
        share = position - below
        term = (1 - share) * fixed.gather(-1, below) + share * fixed.gather(-1, above)
        term = term * self.joined
        if self.learned:
            term = term + (q @ own.off_ray.T) * (1 - self.joined)
        return F.pad(term, (0, self.aux, 0, self.aux))


ENCODINGS = {
    "gab_templates": GabTemplates,
    "string": String,
    "irpe": Irpe,
    "deberta": Deberta,
    "cope": Cope,
}
