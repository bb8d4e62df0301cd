"""Cells of posenc in chessformer_lens (PyPI): `load_engine("runs/<experiment>/<row>/seed-<n>")` finds this adapter by its entry
point. What it expects of an adapter stands in its `core.py`: hooks see the vectors that are added to the stream, and every
layer's attention comes apart into terms of the logits and writes of the heads.
"""

import math
from dataclasses import dataclass
from pathlib import Path

import torch
import yaml
from chessformer_lens.adapters.lc0 import Lc0Vocab
from chessformer_lens.core import (
    ArchSpec,
    AttnDecomp,
    Capabilities,
    HeadOutputs,
    ModelAdapter,
    Token,
    TokenLayout,
    ValueEstimate,
    out_proj_heads,
)

from .boards import MOVES
from .model import load
from .pack import PACKERS, pack
from .support import architecture, refusal

# Heads that say how a game will end, the first of which is shown.
VALUES = ("result", "win_rate", "q")


def unfit(config):
    """Why chessformer_lens cannot show the network of a `config.yaml`; None if it can."""
    if config["game"] != "chess":
        return "chessformer_lens has boards of chess only"
    if architecture(config) != "chessformer":
        return "chessformer_lens looks into networks of attention alone"
    if refusal(config):
        return refusal(config)
    model = config["model"]["chessformer"]
    heads = model.get("outputs") or {"policy": {}, "result": {}}
    if (config["game"], config["input"]) not in PACKERS:
        return f"posenc_torch does not pack {config['input']}"
    if config.get("moves", "from_to") != "from_to":
        return f"its moves are {config['moves']}, and the adapter reads from_to"
    if "policy" not in heads or not set(VALUES) & set(heads):
        return f"chessformer_lens shows a policy and a value, and this network has {', '.join(heads)}"
    if model.get("loops", 1) > 1:
        return "it passes its blocks several times, and a hook sees a layer once"
    if str(model.get("norm")).startswith("post_deepnet") and model.get("normalisation") == "batch":
        return "its norm cannot take up the factor of the stream"
    return None


def configuration(alias):
    """The folder that an alias names and its configuration; None if it is no folder of posenc."""
    folder = Path(str(alias)).expanduser()
    path = folder / "config.yaml"
    if not path.is_file():
        return None
    config = yaml.safe_load(path.read_text())
    return (folder, config) if isinstance(config, dict) and {"game", "model", "encoding"} <= set(config) else None


def name_of(folder):
    """Experiment, row and seed of a cell, or the name of an export."""
    parts = folder.resolve().parts
    return "/".join(parts[-3:]) if parts[-1].startswith("seed-") else parts[-1]


@dataclass
class Decomposition(AttnDecomp):
    """With what encodings add to the mixtures of values, `[b, h, l, k]`."""

    mixed: torch.Tensor | None = None

    def head_writes(self):
        mixture = self.pattern() @ self.v
        return (mixture if self.mixed is None else mixture + self.mixed) @ self.W_O


@torch.no_grad()
def sum_plainly(network):
    """Moves the factors of stream and branch into weights, so that a block adds its branches as they are. The norm of a
    stream times α is that of the stream with an ε divided by α².
    """
    (kind, options), net = network.net.norm, network.net
    root = (2 * net.depth) ** 0.25
    known = {"post": 1 / root, "post_deepnet": 1 / root, "post_deepnet_attention": 1 / root, "post_scaled": options.get("alpha")}
    factor, is_deepnet, on_both = known.get(kind), kind.startswith("post_deepnet"), kind != "post_deepnet_attention"
    if factor is None:
        return
    parts = [network.body[at] for at in range(net.layers)]
    outs, norms = [block.attention.out for block in parts], [block.attention_norm for block in parts]
    if on_both:
        outs += [block.feed_forward.out for block in parts]
        norms += [block.feed_forward_norm for block in parts]
    if on_both and hasattr(network.embedding, "feed_forward"):
        outs.append(network.embedding.feed_forward.out)
        norms.append(network.embedding.feed_forward_norm)
    for out in outs:
        out.weight.mul_(factor)
        if out.bias is not None:
            out.bias.mul_(factor)
    if is_deepnet:
        for norm in norms:
            norm.epsilon *= factor**2
    net.norm = ("post_plain", {})


class PosencAdapter(ModelAdapter):
    """A finished cell or an export of a chessformer on chess."""

    name = "posenc"
    family = "posenc"

    @classmethod
    def resolve(cls, alias):
        found = configuration(alias)
        return f"posenc {name_of(found[0])}" if found else None

    @classmethod
    def models(cls):
        """The finished cells below `runs`."""
        found = []
        for path in sorted(Path("runs").glob("*/*/seed-*/checkpoints/final.safetensors")):
            folder = path.parent.parent
            known = configuration(folder)
            if known:
                why = unfit(known[1])
                said = {"alias": str(folder), "display_name": name_of(folder), "aliases": []}
                found.append({**said, "available": why is None, "note": why or ""})
        return found

    @classmethod
    def load(cls, alias, *, device=None, **_):
        """On the CPU if no device is named. Raises ValueError for a network that chessformer_lens cannot show."""
        found = configuration(alias)
        if found is None:
            raise ValueError(f"{alias} is neither a cell of posenc nor an export")
        folder, config = found
        why = unfit(config)
        if why:
            raise ValueError(f"{folder}: {why}")
        self = cls()
        self.device = device or "cpu"
        self.model = load(folder).to(self.device)
        self.network = self.model.network
        self.stack, net = self.network.encoding, self.network.net
        sum_plainly(self.network)
        self.arch = ArchSpec(net.layers, net.heads, net.width, net.ff, name_of(folder), cls.resolve(folder), str(folder))
        self.cfg, self.spec = self.arch.legacy_cfg(), self.arch.legacy_spec([str(folder)])
        heads = net.outputs
        self.shown = next(name for name in VALUES if name in heads)
        self.caps = Capabilities(
            value="wdl" if self.shown == "result" else "scalar",
            norm="pre" if net.norm[0] == "pre" else "post",
            attn_terms=tuple(self.terms()),
            needs_game_history=config["input"] == "lc0_112",
            aux_heads=frozenset({"mlh"} if "moves_left" in heads else ()),
        )
        squares = [f"{'abcdefgh'[square % 8]}{square // 8 + 1}" for square in range(64)]
        moves = [squares[a] + squares[b] + ("" if piece is None else "qrb"[piece]) for a, b, piece in MOVES["chess"](net.board)]
        self.vocab = Lc0Vocab(moves)
        return self

    def terms(self):
        """The terms that the logits of this network have."""
        net, device = self.network.net, self.device
        with torch.no_grad():
            self.stack.show(torch.zeros(1, net.board.squares, dtype=torch.bool, device=device))
            return self.decompose_attention(0, torch.zeros(1, net.tokens, net.width, device=device), None).terms

    def tokens(self, boards):
        rows = pack([line(board) for board in boards], self.model)
        return self.network.prepare(rows).to(self.device)

    def forward(self, boards, cond):
        found = self.network(self.tokens(boards))
        aux = {"mlh": found["moves_left"]} if "moves_left" in found else {}
        return HeadOutputs(policy=found["policy"], value=found[self.shown], aux=aux)

    def value(self, raw):
        if self.shown == "result":
            return ValueEstimate.from_wdl(*torch.softmax(raw.float(), -1).tolist())
        return ValueEstimate(expected=float(raw) if self.shown == "win_rate" else (float(raw) + 1) / 2)

    def layout(self, board):
        net = self.network.net
        squares = TokenLayout.squares(board)
        names = [*net.input.aux_names, *(f"register.{at + 1}" for at in range(net.registers))]
        if not names:
            return squares
        return TokenLayout((*squares.tokens, *(Token("control", name) for name in names)))

    def hook_modules(self):
        hooks, is_pre = {"embed_in": self.network.embedding}, self.caps.norm == "pre"
        for at in range(self.arch.n_layers):
            block = self.network.body[at]
            hooks[f"attn_{at:02d}"] = block.attention
            hooks[f"postattn_{at:02d}"] = block.attended if is_pre else block.attention_norm
            hooks[f"mlp_{at:02d}"] = block.feed_forward.out
            hooks[f"block_{at:02d}"] = block
            if is_pre:
                hooks[f"attn_in_{at:02d}"] = block.attention_norm
        return hooks

    def unembed(self, x):
        """With `norm: pre` through the last norm, so that the last block's stream gives the policy."""
        if self.caps.norm == "pre":
            x = self.network.body.final_norm(x)
        heads, net = self.network.heads, self.network.net
        embedded = heads.activation(heads.policy.embedding(x[None, : net.tokens - net.registers]))
        return heads.policy(embedded)[0]

    def decompose_attention(self, layer, x, cond):
        layer = int(layer)
        attention = self.network.body[layer].attention
        q, k, v, before, after = attention.read(x, layer, self.stack)
        scale = math.sqrt(q.shape[-1])
        content = q @ k.transpose(-1, -2) / scale
        terms = {"content": content}
        added = [part for part in (None if before is None else before / scale, after) if part is not None]
        if added:
            terms["position"] = sum(added).expand_as(content)
        turned_q, turned_k = self.stack.rotate(layer, q, k)
        if turned_q is not q:
            terms["rotation"] = turned_q @ turned_k.transpose(-1, -2) / scale - content
        out = attention.out
        found = Decomposition(q, k, v, terms, W_O=out_proj_heads(out.weight, self.arch.n_heads), b_O=out.bias)
        found.mixed = self.stack.total("mixed", layer, found.pattern(), v)
        return found

    def mlp_out(self, layer):
        return self.network.body[int(layer)].feed_forward.out


def line(board):
    """A board with the moves that led to it, as `pack` reads it."""
    moves = " ".join(move.uci() for move in board.move_stack)
    return f"{board.root().fen()} moves {moves}" if moves else board.fen()
